// SPDX-License-Identifier: Apache-2.0
// the sphere executor: same motion, contacts, forces and energies as the ordinary blocks; same bits
// from every kernel and any number of threads.
#include "base/rng.h"
#include "engine/pairs/spheres/data.h"
#include "tests/unit/engine/sphere_world.h"

#include <stdlib.h>
#include <string.h>

typedef struct bed {
    const char *law;
    int count, threads;
    double step;
    bool moving, loaded, mixed, anchored, loose;
    bool many;      // materials, with a law for every pair of them
    bool resisting; // rolling and twisting
    bool spinning;  // some so fast that they turn far in a step
    bool shot;      // a ball at 8 m/s
    bool shower;    // the uppermost ones fall, at up to 20 m/s
} bed;

/// Floor and four walls of a square box of side `side`; with `moving` the floor drives sideways.
static void add_walls(cairn_world *world, const bed *b, double side, cairn_material_id stuff)
{
    cairn_shape_def half_space = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_shape_id shape;
    assert_int_equal(cairn_shape_create(world, &half_space, &shape, NULL), CAIRN_OK);
    double r = sqrt(0.5);
    double turn[5][4] = {{1, 0, 0, 0}, {r, 0, r, 0}, {r, 0, -r, 0}, {r, -r, 0, 0}, {r, r, 0, 0}};
    for (int i = 0; i < 5; i++) {
        cairn_body_def def = cairn_default_body_def();
        def.kind = b->moving && i == 0 ? CAIRN_MOVING : CAIRN_FIXED;
        def.shape = shape;
        def.material = stuff;
        memcpy(def.orientation, turn[i], sizeof turn[i]);
        if (i == 2)
            def.position[0] = side;
        if (i == 4)
            def.position[1] = side;
        if (def.kind == CAIRN_MOVING) {
            def.velocity[0] = 0.2;
            def.velocity[2] = 0.05;
            def.angular_velocity[2] = 3.0;
        }
        add_body(world, def);
    }
}

enum { GRAINS = 4, SHOWER = 30 };

/// Materials of spheres, and their laws with each other and with the walls.
static void make_grains(cairn_world *world, const bed *b, cairn_material_id wall,
                        cairn_material_id grains[GRAINS])
{
    const char *names[GRAINS] = {"grain", "grain_1", "grain_2", "grain_3"};
    for (int i = 0; i < (b->many ? GRAINS : 1); i++) {
        grains[i] = material(world, names[i]);
        for (int k = 0; k <= i; k++)
            set_pair(world, grains[k], grains[i], b->law, 1.0 - 0.05 * (i + k));
        set_pair(world, grains[i], wall, b->mixed ? "hertz_mindlin" : b->law, 1.3);
        for (int k = 0; k <= i && b->resisting; k++)
            // one pair of materials does without
            if (i + k != 1)
                set_resistance(world, grains[k], grains[i], i % 2 == 1);
        if (b->resisting)
            set_resistance(world, grains[i], wall, true);
    }
}

/// Loose layers of spheres of radius 4 to 5 mm, thrown together.
static cairn_world *make_world(const bed *b)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    def.time_step = b->step;
    def.threads = b->threads;
    assert_int_equal(cairn_world_create(&def, &world, NULL), CAIRN_OK);
    cairn_material_id wall = material(world, "wall"), grains[GRAINS];
    make_grains(world, b, wall, grains);
    int across = (int)ceil(cbrt(b->count / 2.0));
    double spacing = b->loose ? 0.0102 : 0.0094, side = spacing * across;
    add_walls(world, b, side, wall);
    cairn_shape_id shapes[5];
    for (int i = 0; i < 5; i++)
        shapes[i] = sphere(world, 0.004 + 0.00025 * i);
    base_rng rng = base_rng_make(7);
    for (int i = 0; i < b->count; i++) {
        cairn_body_def body = cairn_default_body_def();
        body.shape = shapes[(int)(5.0 * base_rng_unit(&rng)) % 5];
        body.material = grains[b->many ? i % GRAINS : 0];
        body.density = 2500.0;
        int cell[3] = {i % across, i / across % across, i / across / across};
        for (int k = 0; k < 3; k++) {
            body.position[k] = spacing * (cell[k] + 0.5);
            body.velocity[k] = 0.6 * (base_rng_unit(&rng) - 0.5);
            body.angular_velocity[k] = 40.0 * (base_rng_unit(&rng) - 0.5);
        }
        if (b->spinning && i % 5 == 0)
            body.angular_velocity[i % 3] = 4e4;
        if (b->shot && i == b->count - 1)
            body.velocity[2] = -8.0;
        if (b->shower && i >= b->count - SHOWER) {
            body.velocity[2] = -base_rng_range(&rng, 1.0, 20.0);
            for (int k = 0; k < 3; k++)
                body.position[k] *= k < 2 ? 0.97 : 2.0;
        }
        if (b->anchored && i % 17 == 3) {
            body.kind = i % 2 ? CAIRN_FIXED : CAIRN_MOVING;
            if (body.kind == CAIRN_FIXED)
                memset(body.velocity, 0, sizeof body.velocity);
        }
        cairn_body_id id = add_body(world, body);
        if (b->loaded && i % 3 == 0 && body.kind == CAIRN_DYNAMIC)
            assert_int_equal(cairn_body_set_force(world, id, (double[3]){2e-3, 0.0, -1e-2},
                                                  (double[3]){0.0, 1e-5, 1e-5}, NULL),
                             CAIRN_OK);
    }
    return world;
}

static void compare(bed b, int steps)
{
    b.threads = 1;
    cairn_world *spheres = make_world(&b), *ordinary = make_world(&b);
    int done = 0, until[] = {10, steps / 3, steps};
    // round-off grows: the bed is chaotic
    double tolerance[] = {1e-13, 1e-11, 1e-8};
    for (int k = 0; k < 3; k++) {
        run(spheres, until[k] - done, false);
        run(ordinary, until[k] - done, true);
        done = until[k];
        check_bodies(spheres, ordinary, tolerance[k]);
        check_contacts(spheres, ordinary, tolerance[k]);
        check_forces(spheres, ordinary, tolerance[k]);
        check_energies(spheres, ordinary, 1e-4);
    }
    assert_true(cairn_contact_count(spheres) > b.count / 4);
    cairn_world_destroy(spheres);
    cairn_world_destroy(ordinary);
}

static void test_hooke(void **state)
{
    (void)state;
    compare((bed){.law = "hooke", .count = 200, .step = 2e-5}, 600);
}

static void test_hertz(void **state)
{
    (void)state;
    compare((bed){.law = "hertz_mindlin", .count = 200, .step = 2e-5}, 600);
}

static void test_moving_walls(void **state)
{
    (void)state;
    compare((bed){.law = "hooke", .count = 150, .step = 2e-5, .moving = true, .mixed = true}, 450);
}

static void test_loads_and_anchors(void **state)
{
    (void)state;
    compare(
        (bed){.law = "hertz_mindlin", .count = 150, .step = 2e-5, .loaded = true, .anchored = true},
        450);
}

static void test_many_materials(void **state)
{
    (void)state;
    compare((bed){.law = "hooke", .count = 200, .step = 2e-5, .mixed = true, .many = true}, 450);
}

static void test_resistance(void **state)
{
    (void)state;
    compare((bed){.law = "hooke", .count = 200, .step = 2e-5, .resisting = true}, 450);
    compare((bed){.law = "hertz_mindlin", .count = 200, .step = 2e-5, .resisting = true}, 450);
    compare((bed){.law = "hertz_mindlin",
                  .count = 150,
                  .step = 2e-5,
                  .resisting = true,
                  .moving = true,
                  .loaded = true,
                  .anchored = true,
                  .many = true},
            450);
    compare((bed){.law = "hooke",
                  .count = 150,
                  .step = 2e-5,
                  .resisting = true,
                  .moving = true,
                  .mixed = true,
                  .many = true},
            450);
}

/// The torque that is read is what changes the angular velocity: couples are in it, in the lane and
/// out of it.
static void test_torque(void **state)
{
    (void)state;
    bed b = {.law = "hertz_mindlin", .count = 150, .threads = 1, .step = 2e-5, .resisting = true};
    for (int ordinary = 0; ordinary < 2; ordinary++) {
        cairn_world *world = make_world(&b);
        double most = 0.0, omega[200][3];
        run(world, 400, ordinary);
        for (int step = 0; step < 2; step++) {
            for (int i = 0; i < cairn_body_count(world); i++) {
                cairn_body_view view;
                assert_int_equal(cairn_body_get(world, cairn_body_at(world, i), &view), CAIRN_OK);
                memcpy(omega[i], view.angular_velocity, sizeof omega[i]);
            }
            run(world, 1, ordinary);
        }
        for (int i = 5; i < cairn_body_count(world); i++) {
            cairn_body_view view;
            double force[3], torque[3];
            cairn_body_id id = cairn_body_at(world, i);
            assert_int_equal(cairn_body_get(world, id, &view), CAIRN_OK);
            assert_int_equal(cairn_body_get_contact_force(world, id, force, torque), CAIRN_OK);
            for (int k = 0; k < 3; k++) {
                double turned = view.inertia[0] * (view.angular_velocity[k] - omega[i][k]) / b.step;
                check_close(torque[k], turned, 1e-6, 1e-10);
                most = fmax(most, fabs(turned));
            }
        }
        assert_true(most > 1e-4);
        cairn_world_destroy(world);
    }
}

static uint64_t hash_of(const bed *b, const char *kernel, int steps)
{
    return sphere_hash(make_world(b), kernel, steps);
}

static void test_same_bits(void **state)
{
    (void)state;
    const char *laws[] = {"hooke", "hertz_mindlin"}, *kernels[] = {"avx2", "avx512"};
    for (int kind = 0; kind < 4; kind++) {
        int law = kind % 2, steps = kind < 2 ? 1500 : 700;
        bed b = {.law = laws[law],
                 .many = law == 1,
                 .resisting = kind >= 2,
                 .count = 700,
                 .threads = 1,
                 .step = 2e-5,
                 .moving = true,
                 .loaded = true,
                 .anchored = true,
                 .mixed = true};
        uint64_t expected = hash_of(&b, "scalar", steps);
        for (int k = 0; k < 2; k++) {
            uint64_t hash = hash_of(&b, kernels[k], steps);
            assert_true(hash == 0 || hash == expected);
        }
        for (int threads = 2; threads <= 5; threads++) {
            b.threads = threads;
            assert_true(hash_of(&b, NULL, steps) == expected);
        }
    }
}

/// Orientations of bodies that spin fast, next to others, do not depend on the width of
/// vectors.
static void test_fast_rotations(void **state)
{
    (void)state;
    bed b = {.law = "hooke", .count = 200, .threads = 1, .step = 2e-5, .spinning = true};
    uint64_t expected = hash_of(&b, "scalar", 60), wide = hash_of(&b, "avx512", 60);
    uint64_t middle = hash_of(&b, "avx2", 60);
    assert_true(wide == 0 || wide == expected);
    assert_true(middle == 0 || middle == expected);
}

/// A ball that is much faster than the others meets the ones that it meets under the ordinary
/// blocks.
static void test_shot(void **state)
{
    (void)state;
    bed b = {.law = "hooke", .count = 200, .threads = 1, .step = 2e-5, .shot = true};
    cairn_world *spheres = make_world(&b), *ordinary = make_world(&b);
    double tolerance[] = {1e-11, 1e-10, 1e-8};
    for (int k = 0; k < 3; k++) {
        run(spheres, 100, false);
        run(ordinary, 100, true);
        check_bodies(spheres, ordinary, tolerance[k]);
        check_contacts(spheres, ordinary, tolerance[k]);
    }
    assert_true(spheres->state.spheres->list.made > 5);
    cairn_world_destroy(spheres);
    cairn_world_destroy(ordinary);
}

/// Every two slots whose gap was less than their margins when the list was made are a pair of it,
/// once.
static void check_list(const eng_spheres *spheres)
{
    int n = spheres->table.slots;
    unsigned char *listed = calloc((size_t)n * (size_t)n, 1);
    assert_non_null(listed);
    for (int i = 0; i < 8 * spheres->store.block_count; i++) {
        const eng_spheres_block *block = &spheres->pass.blocks[i / 8];
        int a = eng_spheres_slot_a(block, i % 8), b = eng_spheres_slot_b(block, i % 8);
        if (b < n) {
            assert_true(a < b && listed[a * n + b] == 0);
            listed[a * n + b] = 1;
        }
    }
    for (int a = 0; a < n; a++)
        for (int b = a + 1; b < n; b++) {
            double square = 0.0,
                   margins = eng_spheres_margins(spheres)[a] + eng_spheres_margins(spheres)[b];
            for (int axis = 0; axis < 3; axis++) {
                const double *place = eng_spheres_reference(spheres, axis);
                square += (place[b] - place[a]) * (place[b] - place[a]);
            }
            double gap =
                sqrt(square) - spheres->pass.constants[a][3] - spheres->pass.constants[b][3];
            if (fabs(gap - margins) > 1e-12)
                assert_int_equal(listed[a * n + b], gap < margins);
        }
    free(listed);
}

/// Few fast spheres get wide margins: they meet the ones that they meet under the ordinary blocks,
/// lists are complete, and are seldom made; the same bits with any number of threads.
static void test_shower(void **state)
{
    (void)state;
    bed b = {.law = "hooke", .count = 800, .threads = 1, .step = 2e-5, .shower = true};
    cairn_world *spheres = make_world(&b), *ordinary = make_world(&b);
    double tolerance[] = {1e-11, 1e-10, 1e-7};
    int64_t lists = 0;
    int far = 0;
    for (int k = 0; k < 3; k++) {
        for (int step = 0; step < 80; step++) {
            run(spheres, 1, false);
            if (spheres->state.spheres->list.made == lists)
                continue;
            check_list(spheres->state.spheres);
            far += spheres->state.spheres->list.far_pair_count;
            lists = spheres->state.spheres->list.made;
        }
        run(ordinary, 80, true);
        check_bodies(spheres, ordinary, tolerance[k]);
        check_contacts(spheres, ordinary, tolerance[k]);
    }
    assert_in_range(far, 20, 10000);
    // with ordinary margins, 0.7 mm less the layers' own, the fastest would need one in four steps
    assert_in_range(lists, 2, 30);
    cairn_world_destroy(spheres);
    cairn_world_destroy(ordinary);
    uint64_t hash = hash_of(&b, "scalar", 400);
    for (b.threads = 1; b.threads <= 4; b.threads++)
        assert_true(hash_of(&b, NULL, 400) == hash);
}

/// A column of spheres instead of a bed: nearly all contacts have gone when the next list is made.
static void scatter(cairn_world *world)
{
    double turn[4] = {1.0, 0.0, 0.0, 0.0};
    assert_true(cairn_contact_count(world) > 200);
    for (int i = 5; i < cairn_body_count(world); i++) {
        double place[3] = {0.03, 0.03, 0.02 * i};
        assert_int_equal(cairn_body_set_pose(world, cairn_body_at(world, i), place, turn, NULL),
                         CAIRN_OK);
    }
}

static void test_scattered(void **state)
{
    (void)state;
    uint64_t hashes[2];
    for (int k = 0; k < 2; k++) {
        bed b = {.law = "hertz_mindlin", .count = 600, .threads = 1 + 2 * k, .step = 2e-5};
        cairn_world *world = make_world(&b);
        assert_true(eng_spheres_choose_ranges(world, 1));
        run(world, 300, false);
        scatter(world);
        run(world, 1, false);
        assert_true(cairn_contact_count(world) < 5);
        run(world, 200, false);
        hashes[k] = cairn_world_get_hash(world);
        cairn_world_destroy(world);
    }
    assert_true(hashes[0] == hashes[1]);
}

/// Slots that spheres get in the middle of a run take over motion and history.
static void test_hand_over(void **state)
{
    (void)state;
    bed b = {.law = "hertz_mindlin", .count = 150, .threads = 1, .step = 2e-5, .resisting = true};
    cairn_world *mixed = make_world(&b), *ordinary = make_world(&b);
    run(ordinary, 400, true);
    run(mixed, 250, true);
    run(mixed, 150, false);
    check_bodies(mixed, ordinary, 1e-9);
    check_contacts(mixed, ordinary, 1e-9);
    check_energies(mixed, ordinary, 1e-4);
    cairn_world_destroy(mixed);
    cairn_world_destroy(ordinary);
}

/// Changes between steps reach the lane.
static void test_changes(void **state)
{
    (void)state;
    bed b = {.law = "hooke", .count = 150, .threads = 1, .step = 2e-5, .moving = true};
    cairn_world *worlds[2] = {make_world(&b), make_world(&b)};
    for (int w = 0; w < 2; w++) {
        cairn_world *world = worlds[w];
        cairn_body_id floor = cairn_body_at(world, 0), one = cairn_body_at(world, 20);
        double identity[4] = {1.0, 0.0, 0.0, 0.0};
        run(world, 100, w == 1);
        assert_int_equal(cairn_body_set_velocity(world, floor, (double[3]){-0.3, 0.1, 0.0},
                                                 (double[3]){0.0, 0.0, 0.0}, NULL),
                         CAIRN_OK);
        run(world, 60, w == 1);
        assert_int_equal(cairn_body_set_force(world, one, (double[3]){0.0, 0.1, 0.0},
                                              (double[3]){0.0, 1e-4, 0.0}, NULL),
                         CAIRN_OK);
        run(world, 60, w == 1);
        assert_int_equal(cairn_body_set_velocity(world, one, (double[3]){1.0, 0.5, 0.2},
                                                 (double[3]){10.0, 0.0, 20.0}, NULL),
                         CAIRN_OK);
        run(world, 60, w == 1);
        assert_int_equal(
            cairn_body_set_pose(world, one, (double[3]){0.02, 0.02, 0.3}, identity, NULL),
            CAIRN_OK);
        assert_int_equal(cairn_world_set_gravity(world, (double[3]){5.0, 0.0, -8.0}, NULL),
                         CAIRN_OK);
        run(world, 120, w == 1);
    }
    check_bodies(worlds[0], worlds[1], 1e-8);
    check_contacts(worlds[0], worlds[1], 1e-8);
    check_energies(worlds[0], worlds[1], 1e-4);
    cairn_world_destroy(worlds[0]);
    cairn_world_destroy(worlds[1]);
}

/// Walls that are put elsewhere, fixed ones alone or beside a moving one, far enough to meet
/// spheres that were not near them.
static void test_placed_walls(void **state)
{
    (void)state;
    for (int moving = 0; moving < 2; moving++) {
        bed b = {.law = "hooke", .count = 150, .threads = 1, .step = 2e-5, .moving = moving};
        cairn_world *worlds[2] = {make_world(&b), make_world(&b)};
        double r = sqrt(0.5), side = 5 * 0.0094;
        for (int w = 0; w < 2; w++) {
            cairn_world *world = worlds[w];
            run(world, 40, w == 1);
            assert_int_equal(cairn_body_set_pose(world, cairn_body_at(world, 2),
                                                 (double[3]){side - 0.004, 0.0, 0.0},
                                                 (double[4]){r, 0.0, -r, 0.0}, NULL),
                             CAIRN_OK);
            run(world, 1, w == 1);
        }
        check_contacts(worlds[0], worlds[1], 1e-11);
        for (int w = 0; w < 2; w++)
            run(worlds[w], 100, w == 1);
        check_bodies(worlds[0], worlds[1], 1e-8);
        check_contacts(worlds[0], worlds[1], 1e-8);
        check_forces(worlds[0], worlds[1], 1e-8);
        for (int w = 0; w < 2; w++)
            cairn_world_destroy(worlds[w]);
    }
}

/// Counts calls that ask for memory; fails from the `fail_at`-th on.
typedef struct counter {
    long calls, fail_at;
} counter;

static void *count_calls(void *context, void *block, size_t size)
{
    counter *c = context;
    if (size == 0) {
        free(block);
        return NULL;
    }
    c->calls++;
    return c->fail_at > 0 && c->calls >= c->fail_at ? NULL : realloc(block, size);
}

/// Ten layers of spheres that fall on each other.
static cairn_world *make_counted(counter *c)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    def.time_step = 2e-5;
    def.allocator = (cairn_allocator){count_calls, c};
    assert_int_equal(cairn_world_create(&def, &world, NULL), CAIRN_OK);
    cairn_material_id grain = material(world, "grain");
    set_pair(world, grain, grain, "hooke", 1.0);
    cairn_shape_id shape = sphere(world, 0.005);
    add_walls(world, &(bed){0}, 0.05, grain);
    for (int i = 0; i < 160; i++) {
        cairn_body_def body = cairn_default_body_def();
        body.shape = shape;
        body.material = grain;
        body.position[0] = 0.0065 + 0.0115 * (i % 4);
        body.position[1] = 0.0065 + 0.0115 * (i / 4 % 4) + 1e-4 * (i % 3);
        body.position[2] = 0.006 + 0.0115 * (i / 16);
        add_body(world, body);
    }
    return world;
}

/// No heap call in a warm step, new pair lists included.
static void test_warm_steps(void **state)
{
    (void)state;
    counter c = {0};
    cairn_world *world = make_counted(&c);
    run(world, 15000, false);
    long calls = c.calls, lists = cairn_world_get_step_count(world);
    run(world, 3000, false);
    assert_true(lists > 0);
    assert_int_equal(c.calls, calls);
    assert_true(cairn_contact_count(world) > 100);
    cairn_world_destroy(world);
}

/// Every allocation of the first steps may fail: the step says so, nothing leaks.
static void test_failing_memory(void **state)
{
    (void)state;
    for (int at = 1;; at++) {
        counter c = {0};
        cairn_error error;
        cairn_world *world = make_counted(&c);
        c.fail_at = c.calls + at;
        cairn_status status = CAIRN_OK;
        for (int i = 0; i < 3 && status == CAIRN_OK; i++)
            status = cairn_world_step(world, &error);
        long calls = c.calls;
        cairn_world_destroy(world);
        if (status == CAIRN_OK) {
            assert_true(calls < c.fail_at && at > 20);
            return;
        }
        assert_int_equal(status, CAIRN_ERROR_MEMORY);
    }
}

/// Spheres of 1 and 10 mm together move as under the ordinary blocks.
static void test_size_ratio(void **state)
{
    (void)state;
    cairn_world *worlds[2];
    for (int w = 0; w < 2; w++) {
        cairn_world_def def = cairn_default_world_def();
        def.time_step = 5e-6;
        assert_int_equal(cairn_world_create(&def, &worlds[w], NULL), CAIRN_OK);
        cairn_world *world = worlds[w];
        cairn_material_id grain = material(world, "grain");
        set_pair(world, grain, grain, "hertz_mindlin", 1.0);
        add_walls(world, &(bed){0}, 0.06, grain);
        cairn_shape_id small = sphere(world, 0.001), large = sphere(world, 0.01);
        for (int i = 0; i < 404; i++) {
            cairn_body_def body = cairn_default_body_def();
            body.shape = i < 4 ? large : small;
            body.material = grain;
            if (i < 4) {
                body.position[0] = 0.0102 + 0.021 * (i % 2);
                body.position[1] = 0.0102 + 0.021 * (i / 2);
                body.position[2] = 0.034;
                body.velocity[2] = -1.0;
            } else {
                body.position[0] = 0.0011 + 0.00205 * (i % 20);
                body.position[1] = 0.0011 + 0.00205 * (i / 20);
                body.position[2] = 0.0009 + 2e-5 * (i % 7);
            }
            add_body(world, body);
        }
        run(world, 4000, w == 1);
    }
    assert_true(cairn_contact_count(worlds[0]) > 50);
    check_bodies(worlds[0], worlds[1], 1e-8);
    check_contacts(worlds[0], worlds[1], 1e-7);
    check_energies(worlds[0], worlds[1], 1e-3);
    for (int w = 0; w < 2; w++)
        cairn_world_destroy(worlds[w]);
}

/// The audit closes over collisions and slides, and closes better with smaller steps.
static void test_audit(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        double residual[2];
        for (int k = 0; k < 2; k++) {
            bed b = {.law = kind % 2 ? "hertz_mindlin" : "hooke",
                     .count = 300,
                     .threads = 1,
                     .step = k ? 5e-6 : 2e-5,
                     .resisting = kind >= 2,
                     .loose = true};
            cairn_world *world = make_world(&b);
            cairn_energy start = cairn_world_get_energy(world);
            run(world, k ? 8000 : 2000, false);
            cairn_energy e = cairn_world_get_energy(world);
            residual[k] = fabs(e.residual) / (e.damping + e.friction);
            assert_true(e.damping + e.friction > 0.1 * start.kinetic);
            assert_true(e.friction > 0.05 * e.damping);
            cairn_world_destroy(world);
        }
        print_message("audit residual %g, with a quarter of the step %g\n", residual[0],
                      residual[1]);
        check_at_most(residual[0], 1e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hooke),
        cmocka_unit_test(test_hertz),
        cmocka_unit_test(test_many_materials),
        cmocka_unit_test(test_moving_walls),
        cmocka_unit_test(test_loads_and_anchors),
        cmocka_unit_test(test_resistance),
        cmocka_unit_test(test_torque),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_fast_rotations),
        cmocka_unit_test(test_shot),
        cmocka_unit_test(test_shower),
        cmocka_unit_test(test_scattered),
        cmocka_unit_test(test_hand_over),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_placed_walls),
        cmocka_unit_test(test_warm_steps),
        cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_size_ratio),
        cmocka_unit_test(test_audit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
