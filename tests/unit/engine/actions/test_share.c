// SPDX-License-Identifier: Apache-2.0
// Worlds that several processes step together, as threads of one program: the bits of one world,
// whether all is gathered in every step or seldom; each lists pairs of its own chunks and of the
// border alone; sharing ends and begins again as the world is changed. In a step they send little
// more than the slots that others need, and a few numbers where none are needed.
#include "base/rng.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/state/world.h"
#include "tests/unit/engine/sphere_world.h"

#include <pthread.h>
#include <unistd.h>

enum { MOST_RANKS = 11, ACROSS = 10, LAYERS = 36, STEPS = 360 };

/// What is in a world, and what is done to it.
typedef struct scene {
    const char *law;
    bool resisting, cell, clumps, shape;
    bool loaded;  // a load for a while, which all processes have to compute
    bool growing; // a body comes
    int threads;
} scene;

static void add_walls(cairn_world *world, cairn_material_id material, bool shape)
{
    cairn_body_def def = cairn_default_body_def();
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    def.kind = CAIRN_FIXED;
    def.material = material;
    assert_int_equal(cairn_shape_create(world, &plane, &def.shape, NULL), CAIRN_OK);
    def.position[2] = -0.006;
    add_body(world, def);
    // one pushes from the side
    def.kind = CAIRN_MOVING;
    def.orientation[0] = def.orientation[2] = sqrt(0.5);
    def.position[0] = -0.0065;
    def.position[2] = 0.0;
    def.velocity[0] = 0.2;
    add_body(world, def);
    if (!shape)
        return;
    def = cairn_default_body_def();
    def.kind = CAIRN_FIXED;
    def.material = material;
    cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
    box.half_size[0] = 0.05;
    box.half_size[1] = box.half_size[2] = 1.0;
    assert_int_equal(cairn_shape_create(world, &box, &def.shape, NULL), CAIRN_OK);
    def.position[0] = 0.0101 * ACROSS + 0.0455;
    add_body(world, def);
}

static cairn_shape_id clump_of(cairn_world *world, cairn_shape_id member)
{
    const cairn_shape_id members[2] = {member, member};
    const double places[2][3] = {{0.0, 0.0, -0.002}, {0.0, 0.0, 0.002}};
    const double turns[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
    cairn_shape_def def = cairn_default_shape_def(CAIRN_COMPOUND);
    cairn_shape_id id;
    def.members = members;
    def.member_positions = places;
    def.member_orientations = turns;
    def.member_count = 2;
    assert_int_equal(cairn_shape_create(world, &def, &id, NULL), CAIRN_OK);
    return id;
}

static void add_grains(cairn_world *world, const scene *s, cairn_material_id material)
{
    base_rng rng = base_rng_make(7);
    cairn_shape_id grain = sphere(world, 0.005), small = sphere(world, 0.003);
    cairn_shape_id clump = s->clumps ? clump_of(world, small) : grain;
    for (int i = 0; i < ACROSS * ACROSS * LAYERS; i++) {
        const int cell[3] = {i % ACROSS, i / ACROSS % ACROSS, i / (ACROSS * ACROSS)};
        cairn_body_def def = cairn_default_body_def();
        def.shape = s->clumps && i % 3 > 0 ? clump : grain;
        def.material = material;
        for (int k = 0; k < 3; k++) {
            def.position[k] = 0.0101 * cell[k] + base_rng_range(&rng, -5e-5, 5e-5);
            def.velocity[k] = base_rng_range(&rng, -0.8, 0.8);
        }
        add_body(world, def);
    }
}

static cairn_world *make(const scene *s)
{
    cairn_world_def def = cairn_default_world_def();
    def.time_step = 1e-5;
    def.threads = s->threads;
    def.rotation = CAIRN_RIG_IMP;
    cairn_world *world;
    assert_int_equal(cairn_world_create(&def, &world, NULL), CAIRN_OK);
    const cairn_material_id glass = {0};
    if (strcmp(s->law, "incremental") == 0) {
        assert_int_equal(cairn_pair_set_law(world, glass, glass, s->law, NULL), CAIRN_OK);
        set_number(world, glass, glass, "normal_stiffness", 1e4);
        set_number(world, glass, glass, "shear_stiffness", 4e3);
    } else {
        set_pair(world, glass, glass, s->law, 1.0);
    }
    if (s->resisting)
        set_resistance(world, glass, glass, true);
    if (s->cell) {
        cairn_cell_def cell = cairn_default_cell_def();
        for (int k = 0; k < 3; k++) {
            cell.size[k] = 0.0101 * (k < 2 ? ACROSS : LAYERS);
            cell.periodic[k] = true;
        }
        cell.rate[1] = 20.0;
        assert_int_equal(cairn_world_set_cell(world, &cell, NULL), CAIRN_OK);
    } else {
        add_walls(world, glass, s->shape);
    }
    add_grains(world, s, glass);
    struct eng_spheres *spheres = eng_spheres_of(world);
    assert_non_null(spheres);
    spheres->list.least_chunks = 1;
    return world;
}

// ---------------------------------------------------------------- processes

/// Where all processes put what they send.
typedef struct board {
    pthread_barrier_t barrier;
    int count;
    const cairn_message *messages[MOST_RANKS];
    int message_count[MOST_RANKS];
    bool odd; // sizes differ on the two sides, or one side has no message
} board;

typedef struct process {
    board *board;
    int number;
    cairn_world *world;
    const scene *scene;
    int every; // steps between two gatherings
    uint64_t hash[STEPS];
    int contacts[STEPS]; // where there is a hash
    cairn_energy energy[STEPS];
    cairn_status status;
    bool stepping;
    int64_t received; // bytes in the step at hand
    size_t told;      // most in one message from a process of which no slots are needed
    // in the steps that made no list: slots that came, bytes, and most that was told
    int64_t slots, bytes;
    size_t most_told;
    int least_held; // chunks with pairs here, of a list made in parts
    int lists;      // made in parts
    int64_t shared;
    int read_alone;    // times that this one read for all
    int asked;         // times that it asked for parts while it read
    const char *saved; // file of the end, of the one that wrote it
} process;

static void note_message(process *p, const cairn_message *message)
{
    const eng_spheres_share *share = p->world->state.spheres->share;
    bool needs = share->places.received[message->rank].count > 0 ||
                 share->parts.received[message->rank].count > 0;
    p->received += (int64_t)message->received_size;
    if (p->stepping && !needs && message->received_size > p->told)
        p->told = message->received_size;
}

static cairn_status exchange(void *context, const cairn_message *messages, int count,
                             cairn_error *error)
{
    (void)error;
    process *p = context;
    board *b = p->board;
    b->messages[p->number] = messages;
    b->message_count[p->number] = count;
    pthread_barrier_wait(&b->barrier);
    for (int i = 0; i < count; i++) {
        const cairn_message *mine = &messages[i], *theirs = NULL;
        for (int k = 0; k < b->message_count[mine->rank]; k++)
            if (b->messages[mine->rank][k].rank == p->number)
                theirs = &b->messages[mine->rank][k];
        if (theirs == NULL || theirs->sent_size != mine->received_size)
            b->odd = true;
        else if (mine->received_size > 0)
            memcpy(mine->received, theirs->sent, mine->received_size);
        note_message(p, mine);
    }
    pthread_barrier_wait(&b->barrier);
    return b->odd ? CAIRN_ERROR_WORLD : CAIRN_OK;
}

/// How much of the list is known here.
static void look_at_list(process *p, int64_t *seen)
{
    const struct eng_spheres *spheres = p->world->state.spheres;
    const eng_spheres_share *share = spheres->share;
    if (share == NULL || spheres->list.made == *seen || !share->parted || share->whole)
        return;
    *seen = spheres->list.made;
    int held = 0;
    for (int c = 0; c < spheres->list.chunk_count; c++)
        held += share->held[c];
    p->least_held = held < p->least_held ? held : p->least_held;
    p->lists++;
}

/// What came in a step that was shared and made no list.
static void count_bytes(process *p, int64_t lists)
{
    const struct eng_spheres *spheres = p->world->state.spheres;
    const eng_spheres_share *share = spheres->share;
    if (share == NULL || !share->active || lists != spheres->list.made)
        return;
    for (int rank = 0; rank < share->ranks.count; rank++)
        p->slots += share->places.received[rank].count;
    p->bytes += p->received;
    p->most_told = p->told > p->most_told ? p->told : p->most_told;
}

/// What the user does before a step; all processes do it, with all of the state.
static cairn_status change(process *p, int step)
{
    cairn_world *world = p->world;
    const double push[3] = {0.0, 0.05, 0.02}, none[3] = {0};
    bool loads = p->scene->loaded && (step == 120 || step == 230);
    bool grows = p->scene->growing && (step == 150 || step == 260);
    if (!loads && !grows)
        return CAIRN_OK;
    cairn_status status = cairn_world_gather(world, NULL);
    if (status == CAIRN_OK && loads)
        status = cairn_body_set_force(world, cairn_body_at(world, 1234), step == 120 ? push : none,
                                      none, NULL);
    if (status == CAIRN_OK && grows) {
        cairn_body_view view;
        cairn_body_def def = cairn_default_body_def();
        cairn_body_id id;
        status = cairn_body_get(world, cairn_body_at(world, 500), &view);
        def.shape = view.shape;
        def.material = view.material;
        def.position[0] = def.position[1] = 0.03;
        def.position[2] = -0.004 + 0.0101 * LAYERS + 1e-4 * step;
        def.velocity[2] = -2.0;
        status = status == CAIRN_OK ? cairn_body_create(world, &def, &id, NULL) : status;
    }
    return status;
}

static void note_state(process *p, int step)
{
    p->hash[step] = cairn_world_get_hash(p->world);
    p->contacts[step] = cairn_contact_count(p->world);
}

/// What one process reads while the others send it parts.
typedef struct reading {
    process *p;
    int step;
} reading;

static void read_parts(void *context)
{
    const reading *r = context;
    cairn_contact_view contact;
    note_state(r->p, r->step);
    // contacts cannot be read but where all is here
    const eng_spheres_share *share = r->p->world->state.spheres->share;
    bool asks = share != NULL && share->asks;
    r->p->asked += asks;
    assert_int_equal(cairn_contact_get(r->p->world, 0, &contact),
                     asks ? CAIRN_ERROR_NOT_FOUND : CAIRN_OK);
    if (r->step + 1 == STEPS && r->p->saved != NULL)
        assert_int_equal(cairn_world_save(r->p->world, r->p->saved, "", NULL), CAIRN_OK);
}

static cairn_status read_in_parts(process *p, int step, int reader)
{
    reading r = {p, step};
    cairn_status status = cairn_world_read_together(p->world, reader, read_parts, &r, NULL);
    p->energy[step] = cairn_world_get_energy(p->world);
    return status;
}

/// Rows of energies ask for less than all do, one process that reads for less than all of them, and
/// one that gets pairs part by part for less than that.
static cairn_status read_world(process *p, int step)
{
    bool alone = p->board == NULL;
    int turn = step / p->every, reader = alone ? 0 : turn / 3 % p->board->count;
    bool one_reads = !alone && turn % 3 == 0;
    if (!alone && turn % 3 == 2)
        return read_in_parts(p, step, reader);
    cairn_status status = one_reads ? cairn_world_gather_to(p->world, reader, NULL)
                                    : cairn_world_gather_energy(p->world, NULL);
    if (status == CAIRN_OK && !one_reads)
        status = cairn_world_gather(p->world, NULL);
    p->energy[step] = cairn_world_get_energy(p->world);
    if (status == CAIRN_OK && (!one_reads || reader == p->number)) {
        note_state(p, step);
        p->read_alone += one_reads;
    }
    return status;
}

static void *step_all(void *argument)
{
    process *p = argument;
    int64_t seen = 0;
    bool alone = p->board == NULL;
    if (!alone) {
        cairn_ranks ranks = {p->board->count, p->number, p, exchange};
        p->status = cairn_world_share(p->world, &ranks, NULL);
    }
    for (int step = 0; step < STEPS && p->status == CAIRN_OK; step++) {
        p->status = change(p, step);
        int64_t lists = p->world->state.spheres->list.made;
        p->received = 0;
        p->told = 0;
        p->stepping = true;
        if (p->status == CAIRN_OK)
            p->status = cairn_world_step(p->world, NULL);
        p->stepping = false;
        count_bytes(p, lists);
        look_at_list(p, &seen);
        if (p->status != CAIRN_OK || (!alone && (step + 1) % p->every != 0))
            continue;
        // rows of energies ask for less
        p->status = read_world(p, step);
    }
    // the last process writes for all
    if (p->status == CAIRN_OK && !alone)
        p->status = read_in_parts(p, STEPS - 1, p->board->count - 1);
    if (p->status == CAIRN_OK)
        p->status = cairn_world_gather(p->world, NULL);
    p->shared = cairn_world_get_traffic(p->world).steps;
    return NULL;
}

/// The force on a body, which the last process of all is asked for.
static void compare_forces(const cairn_world *a, const cairn_world *b)
{
    for (int i = 2; i < cairn_body_count(a); i += 97) {
        double force[2][3], torque[2][3];
        vec3 f[2] = {{0}}, t[2] = {{0}};
        eng_spheres_add_force(a, i, &f[0], &t[0]);
        eng_spheres_add_force(b, i, &f[1], &t[1]);
        for (int k = 0; k < 2; k++) {
            vec3_store(force[k], f[k]);
            vec3_store(torque[k], t[k]);
        }
        assert_memory_equal(force[0], force[1], sizeof force[0]);
        assert_memory_equal(torque[0], torque[1], sizeof torque[0]);
    }
}

/// What a process wrote from the parts that others sent is the state of one process.
static void compare_file(const process *one, const process *p)
{
    if (p->saved == NULL)
        return;
    cairn_error error = {0};
    cairn_world *world = make(p->scene);
    if (cairn_world_restore(world, p->saved, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    assert_true(cairn_world_get_hash(world) == one->hash[STEPS - 1]);
    cairn_world_destroy(world);
    unlink(p->saved);
}

static void compare(const process *one, const process *p)
{
    assert_int_equal(p->status, CAIRN_OK);
    compare_file(one, p);
    for (int step = 0; step < STEPS; step++) {
        if ((step + 1) % p->every != 0 && step + 1 < STEPS)
            continue;
        if (p->hash[step] != 0 && p->hash[step] != one->hash[step])
            fail_msg("step %d of process %d of %d has other bits", step, p->number,
                     p->board->count);
        if (p->hash[step] != 0)
            assert_int_equal(p->contacts[step], one->contacts[step]);
        assert_memory_equal(&p->energy[step], &one->energy[step], sizeof *p->energy);
    }
    cairn_error error;
    if (cairn_world_validate(p->world, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    compare_forces(one->world, p->world);
}

/// The state of a slot are twelve numbers: no process gets a third more than that for the slots
/// that it needs, nor more than some numbers from one of which it needs none.
static void check_bytes(const scene *s, const process *p)
{
    // members of clumps at a border have the forces on them as well
    double needed = (double)p->slots * 12.0 * sizeof(double) * (s->clumps ? 1.5 : 1.0);
    assert_true(p->slots > 0);
    assert_true(p->most_told <= 200);
    if ((double)p->bytes > 1.3 * needed)
        fail_msg("process %d got %.0f bytes, where slots need %.0f", p->number, (double)p->bytes,
                 needed);
}

/// Steps a scene in one world, and in as many as `ranks`.
static void share(scene s, int ranks, int every, int least_shared)
{
    static process one, all[MOST_RANKS];
    board b = {.count = ranks};
    pthread_t threads[MOST_RANKS];
    pthread_barrier_init(&b.barrier, NULL, (unsigned)ranks);
    one = (process){.world = make(&s), .scene = &s, .every = 1};
    (void)step_all(&one);
    assert_int_equal(one.status, CAIRN_OK);
    for (int rank = 0; rank < ranks; rank++) {
        all[rank] = (process){&b, .number = rank, .scene = &s, .every = every};
        all[rank].world = make(&s);
        all[rank].least_held = INT_MAX;
        all[rank].saved = rank + 1 == ranks ? "share_saved.h5" : NULL;
    }
    for (int rank = 0; rank < ranks; rank++)
        pthread_create(&threads[rank], NULL, step_all, &all[rank]);
    for (int rank = 0; rank < ranks; rank++)
        pthread_join(threads[rank], NULL);
    int chunks = all[0].world->state.spheres->list.chunk_count;
    assert_true(all[0].read_alone > 0);
    assert_true(least_shared < STEPS || all[ranks - 1].asked > 0);
    for (int rank = 0; rank < ranks; rank++) {
        compare(&one, &all[rank]);
        if (least_shared > 0)
            check_bytes(&s, &all[rank]);
        if (all[rank].shared < least_shared)
            fail_msg("%d steps of %d shared with %s", (int)all[rank].shared, STEPS, s.law);
        // a layer of cells has some 130 slots, which is one chunk and a part of another one
        if (least_shared > 0 && !s.shape) {
            assert_true(all[rank].lists >= 3);
            assert_true(all[rank].least_held <= chunks / ranks + (s.cell ? 12 : 6));
        }
        cairn_world_destroy(all[rank].world);
    }
    cairn_world_destroy(one.world);
    pthread_barrier_destroy(&b.barrier);
}

static void test_bed(void **state)
{
    (void)state;
    share((scene){.law = "hooke", .threads = 1}, 2, 80, STEPS);
    share((scene){.law = "hertz_mindlin", .threads = 2}, 3, 100, STEPS);
    share((scene){.law = "hooke", .threads = 1}, 4, 1, STEPS);
    share((scene){.law = "hooke", .threads = 1}, 7, 40, STEPS);
}

/// So many that sums are merged by twos, some of them beyond a power of two.
static void test_many(void **state)
{
    (void)state;
    share((scene){.law = "hooke", .threads = 1}, 11, 40, STEPS);
    share((scene){.law = "hooke", .threads = 1, .cell = true}, 9, 80, STEPS);
}

static void test_more(void **state)
{
    (void)state;
    share((scene){.law = "hooke", .threads = 1, .resisting = true}, 3, 50, STEPS);
    share((scene){.law = "incremental", .threads = 1}, 4, 50, STEPS);
    share((scene){.law = "hooke", .threads = 1, .clumps = true}, 4, 50, STEPS - 1);
    share((scene){.law = "hooke", .threads = 1, .shape = true}, 3, 50, STEPS);
}

static void test_cells(void **state)
{
    (void)state;
    share((scene){.law = "hooke", .threads = 2, .cell = true}, 2, 50, STEPS);
    share((scene){.law = "hertz_mindlin", .threads = 1, .cell = true, .resisting = true}, 7, 80,
          STEPS);
}

/// Sharing ends with a load and begins with the next list after it; bodies come.
static void test_changes(void **state)
{
    (void)state;
    share((scene){.law = "hooke", .threads = 1, .loaded = true}, 3, 50, 150);
    share((scene){.law = "hooke", .threads = 1, .growing = true}, 4, 50, STEPS);
}

/// More processes than the chunks can be dealt out to: all compute all.
static void test_few(void **state)
{
    (void)state;
    static process one, all[2];
    scene s = {.law = "hooke", .threads = 1};
    board b = {.count = 2};
    pthread_barrier_init(&b.barrier, NULL, 2);
    pthread_t threads[2];
    one = (process){.world = make(&s), .scene = &s, .every = 1};
    (void)step_all(&one);
    for (int rank = 0; rank < 2; rank++) {
        all[rank] = (process){&b, .number = rank, .scene = &s, .every = 100};
        all[rank].world = make(&s);
        all[rank].world->state.spheres->list.least_chunks = 40;
    }
    for (int rank = 0; rank < 2; rank++)
        pthread_create(&threads[rank], NULL, step_all, &all[rank]);
    for (int rank = 0; rank < 2; rank++)
        pthread_join(threads[rank], NULL);
    for (int rank = 0; rank < 2; rank++) {
        compare(&one, &all[rank]);
        assert_int_equal(all[rank].shared, 0);
        cairn_world_destroy(all[rank].world);
    }
    cairn_world_destroy(one.world);
    pthread_barrier_destroy(&b.barrier);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bed),  cmocka_unit_test(test_more),    cmocka_unit_test(test_cells),
        cmocka_unit_test(test_many), cmocka_unit_test(test_changes), cmocka_unit_test(test_few),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
