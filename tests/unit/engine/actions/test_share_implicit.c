// SPDX-License-Identifier: Apache-2.0
// The implicit law stepped by several processes, as threads of one program: the bits of one world,
// whether all is gathered in every step or seldom. Between two lists of pairs a process knows its
// own bodies and those that its pairs reach, and sends little more than these need.
#include "engine/pairs/sharing.h"
#include "engine/state/world.h"
#include "tests/check.h"
#include "tests/unit/post.h"

enum { COLUMNS = 160, ROWS = 8, STEPS = 12 };

typedef struct scene {
    bool floating; // bodies in flight that lie in each other
    bool loaded;   // a load for a while, which looks at all bodies
    int threads;
} scene;

static void must(cairn_status status)
{
    assert_int_equal(status, CAIRN_OK);
}

static void add(cairn_world *world, const cairn_body_def *def)
{
    cairn_body_id id;
    must(cairn_body_create(world, def, &id, NULL));
}

/// A wall of bricks in bond that move against each other. One slides along its top, from which new
/// lists and other domains follow, and one at its end is pushed, and lies in what pushes it.
static cairn_world *make(const scene *s)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    def.threads = s->threads;
    def.time_step = 1e-3;
    def.tolerance = 1e-2;
    must(cairn_world_create(&def, &world, NULL));
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def body = cairn_default_body_def();
    body.kind = CAIRN_FIXED;
    must(cairn_shape_create(world, &shape, &body.shape, NULL));
    add(world, &body);
    shape = cairn_default_shape_def(CAIRN_BOX);
    shape.half_size[0] = 0.1;
    shape.half_size[1] = shape.half_size[2] = 0.05;
    must(cairn_shape_create(world, &shape, &body.shape, NULL));
    body.kind = CAIRN_DYNAMIC;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        int row = i / COLUMNS, column = i % COLUMNS;
        body.position[0] = 0.21 * (column + 0.5 * (row % 2));
        body.position[2] = 0.05 + 0.1 * row;
        body.velocity[0] = 0.01 * (column % 3);
        add(world, &body);
    }
    body.position[0] = 0.21 * COLUMNS / 4;
    body.position[2] = 0.05 + 0.1 * ROWS;
    body.velocity[0] = 3.0;
    add(world, &body);
    body.kind = CAIRN_MOVING;
    body.position[0] = -0.1998;
    body.position[2] = 0.06;
    body.velocity[0] = 0.2;
    add(world, &body);
    body.kind = CAIRN_DYNAMIC;
    for (int i = 0; i < 4 && s->floating; i++) {
        body.position[0] = 0.21 * COLUMNS * (0.2 + 0.3 * (i / 2));
        body.position[2] = 2.0 + 0.099 * (i % 2);
        add(world, &body);
    }
    return world;
}

// ---------------------------------------------------------------- processes

typedef struct process {
    post *post; // NULL: alone
    int number, count;
    cairn_world *world;
    const scene *scene;
    int every; // steps between two gatherings
    uint64_t hash[STEPS];
    cairn_energy energy[STEPS];
    cairn_step_report report[STEPS];
    cairn_status status;
    size_t most; // bytes that this process sent in one message of the step at hand, to one that
                 // needs no body of it
    // of steps that made no list and completed no problem
    int parted;         // their number
    int64_t sent, halo; // bytes
    size_t most_told;   // `most` of them
    int known;          // bodies that are not elsewhere, in the last of them
    // steps that corrected positions, of bodies known in parts and of all
    int corrected_parts, corrected_all;
} process;

static cairn_status exchange(void *context, const cairn_message *messages, int count,
                             cairn_error *error)
{
    (void)error;
    process *p = context;
    const eng_sharing *s = p->world->state.sharing;
    for (int i = 0; i < count; i++)
        if (s->borders.current && s->borders.sent[messages[i].rank].count == 0 &&
            messages[i].sent_size > p->most)
            p->most = messages[i].sent_size;
    post_exchange(p->post, p->number, messages, count);
    return p->post->wrong > 0 ? CAIRN_ERROR_WORLD : CAIRN_OK;
}

/// What the user does before a step; all processes do it, with all of the state.
static cairn_status change(process *p, int step)
{
    const double push[3] = {0.0, 0.3, 20.0}, none[3] = {0};
    if (!p->scene->loaded || (step != 3 && step != 6))
        return CAIRN_OK;
    cairn_status status = cairn_world_gather(p->world, NULL);
    return status == CAIRN_OK ? cairn_body_set_force(p->world, cairn_body_at(p->world, 700),
                                                     step == 3 ? push : none, none, NULL)
                              : status;
}

/// Steps, and counts what this process has sent.
static void take_step(process *p)
{
    const eng_sharing *s = p->world->state.sharing;
    int64_t sent = s != NULL ? s->team.sent_bytes : 0, halo = s != NULL ? s->team.level_bytes : 0;
    bool parted = p->world->state.elsewhere != NULL;
    p->most = 0;
    p->status = cairn_world_step(p->world, NULL);
    p->corrected_parts += p->world->report.corrected && p->world->state.elsewhere != NULL;
    p->corrected_all += p->world->report.corrected && p->world->state.elsewhere == NULL;
    if (!parted || p->world->state.elsewhere == NULL || s->complete ||
        p->world->contacts.cut_renewed)
        return;
    p->parted++;
    p->sent += s->team.sent_bytes - sent;
    p->halo += s->team.level_bytes - halo;
    p->most_told = p->most > p->most_told ? p->most : p->most_told;
    p->known = 0;
    for (int i = 0; i < p->world->model.bodies.count; i++)
        p->known += !eng_is_elsewhere(p->world, i);
}

static void *step_all(void *argument)
{
    process *p = argument;
    if (p->post != NULL) {
        cairn_ranks ranks = {p->count, p->number, p, exchange};
        p->status = cairn_world_share(p->world, &ranks, NULL);
    }
    for (int step = 0; step < STEPS && p->status == CAIRN_OK; step++) {
        p->status = change(p, step);
        if (p->status == CAIRN_OK)
            take_step(p);
        p->energy[step] = cairn_world_get_energy(p->world);
        p->report[step] = *cairn_world_get_report(p->world);
        if (p->status != CAIRN_OK || (step + 1) % p->every != 0)
            continue;
        p->status = cairn_world_gather(p->world, NULL);
        p->hash[step] = cairn_world_get_hash(p->world);
    }
    if (p->status == CAIRN_OK)
        p->status = cairn_world_gather(p->world, NULL);
    return NULL;
}

static void compare(const process *one, const process *p)
{
    assert_int_equal(p->status, CAIRN_OK);
    for (int step = 0; step < STEPS; step++) {
        const cairn_step_report *a = &one->report[step], *b = &p->report[step];
        if ((step + 1) % p->every == 0 && p->hash[step] != one->hash[step])
            fail_msg("step %d of process %d of %d has other bits", step, p->number, p->count);
        assert_memory_equal(&p->energy[step], &one->energy[step], sizeof *p->energy);
        assert_int_equal(a->contacts, b->contacts);
        assert_int_equal(a->iterations, b->iterations);
        assert_true(a->error == b->error && a->penetration == b->penetration);
    }
    cairn_error error;
    if (cairn_world_validate(p->world, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
}

/// Of several processes of a long wall, which lie one after the other, none knows much more than
/// its part of the bodies.
static void check_bytes(const process *p)
{
    int domains = (4 + p->count - 1) / p->count;
    assert_true(p->parted >= 3);
    check_at_most((double)p->sent, 1.3 * (double)p->halo);
    check_at_most((double)p->most_told, 400.0);
    check_at_most(p->known, 0.25 * domains * ROWS * COLUMNS + 6.0 * ROWS);
}

/// @param parts  whether bodies are known in parts throughout, but for steps that make lists
static void share(scene s, int ranks, int every, bool parts)
{
    static process one, all[RANKS_MOST];
    post p = {.fail_after = -1};
    pthread_t threads[RANKS_MOST];
    pthread_mutex_init(&p.mutex, NULL);
    pthread_cond_init(&p.changed, NULL);
    one = (process){.world = make(&s), .scene = &s, .every = 1};
    (void)step_all(&one);
    assert_int_equal(one.world->contacts.domains.levels, 2);
    for (int rank = 0; rank < ranks; rank++)
        all[rank] = (process){&p,          .number = rank, .count = ranks, .world = make(&s),
                              .scene = &s, .every = every};
    for (int rank = 0; rank < ranks; rank++)
        pthread_create(&threads[rank], NULL, step_all, &all[rank]);
    for (int rank = 0; rank < ranks; rank++)
        pthread_join(threads[rank], NULL);
    for (int rank = 0; rank < ranks; rank++) {
        compare(&one, &all[rank]);
        if (parts)
            check_bytes(&all[rank]);
        // where groups float all bodies are known to all
        assert_true((s.floating ? all[rank].corrected_all : all[rank].corrected_parts) > 0);
        assert_true(!s.floating || all[rank].corrected_parts == 0);
        cairn_world_destroy(all[rank].world);
    }
    cairn_world_destroy(one.world);
    assert_int_equal(p.wrong, 0);
    pthread_cond_destroy(&p.changed);
    pthread_mutex_destroy(&p.mutex);
}

static void test_wall(void **state)
{
    (void)state;
    share((scene){.threads = 1}, 2, STEPS, true);
    share((scene){.threads = 2}, 3, 4, true);
    share((scene){.threads = 1}, 4, STEPS, true);
}

/// Each step is gathered: what is known of bodies begins anew.
static void test_gathered(void **state)
{
    (void)state;
    share((scene){.threads = 1}, 2, 1, false);
}

/// Groups in flight lose no angular momentum; loads are known to all.
static void test_more(void **state)
{
    (void)state;
    share((scene){.threads = 1, .floating = true}, 4, STEPS, false);
    share((scene){.threads = 1, .floating = true, .loaded = true}, 7, 5, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wall),
        cmocka_unit_test(test_gathered),
        cmocka_unit_test(test_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
