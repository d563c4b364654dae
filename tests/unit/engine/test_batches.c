// SPDX-License-Identifier: Apache-2.0
// Explicit batches of the general path: Newton's laws for every law and shape, worlds of several
// laws, the same bits on any number of threads and after a restart, no heap call once warm.
#include "engine/pairs/spheres/data.h"
#include "engine/state/world.h"
#include "tests/regress/heap.h"

#include <math.h>

static cairn_error error;

typedef void law_function(const char *law);

/// Calls the function for every impulse law.
static void for_explicit_laws(law_function *function)
{
    int count = 0;
    for (int i = 0; i < cairn_plugin_count(CAIRN_LAW); i++) {
        cairn_plugin_info info = cairn_plugin_get(CAIRN_LAW, i);
        if (strcmp(info.kind, "impulse") != 0)
            continue;
        function(info.name);
        count++;
    }
    assert_true(count >= 5);
}

/// Read-outs of contacts add up to what the step did to each body: m (v' - v) = h (m g + F).
static void check_newton(cairn_world *world, double step)
{
    enum { MOST = 64 };
    double before[MOST][3];
    int count = cairn_body_count(world);
    assert_true(count <= MOST);
    cairn_body_view view;
    for (int i = 0; i < count; i++) {
        assert_int_equal(cairn_body_get(world, cairn_body_at(world, i), &view), CAIRN_OK);
        memcpy(before[i], view.velocity, sizeof before[i]);
    }
    heap_steps(world, 1);
    for (int i = 0; i < count; i++) {
        double force[3], torque[3];
        cairn_body_id id = cairn_body_at(world, i);
        assert_int_equal(cairn_body_get(world, id, &view), CAIRN_OK);
        assert_int_equal(cairn_body_get_contact_force(world, id, force, torque), CAIRN_OK);
        if (view.kind != CAIRN_DYNAMIC)
            continue;
        for (int k = 0; k < 3; k++) {
            double gravity = k == 2 ? -9.81 * view.mass : 0.0;
            double size = fabs(force[k]) + fabs(gravity) + 1.0;
            check_close(view.mass * (view.velocity[k] - before[i][k]) / step, force[k] + gravity,
                        0.0, 1e-9 * size);
        }
    }
}

static void fall(const char *law)
{
    heap_def def = default_heap();
    def.law = law;
    cairn_world *world = heap_world(&def);
    // the executor of spheres keeps parts of a force in single precision
    world->model.general_only = true;
    int most = 0;
    for (int i = 0; i < 60; i++) {
        check_newton(world, def.step);
        int contacts = cairn_contact_count(world);
        most = contacts > most ? contacts : most;
    }
    assert_true(most > 20);
    cairn_world_destroy(world);
}

static void test_newton(void **state)
{
    (void)state;
    for_explicit_laws(fall);
}

/// Shapes of all kinds that fly at each other, with nothing else in the world.
static cairn_world *make_cloud(const char *law)
{
    cairn_world_def settings = cairn_default_world_def();
    settings.time_step = 1e-3;
    memset(settings.gravity, 0, sizeof settings.gravity);
    cairn_world *world;
    heap_def def = default_heap();
    cairn_shape_id shapes[HEAP_SHAPES];
    must(cairn_world_create(&settings, &world, &error), &error);
    must(set_law(world, law, &error), &error);
    must(make_shapes(world, &def, shapes, &error), &error);
    base_rng rng = base_rng_make(3);
    for (int i = 0; i < 27; i++) {
        cairn_body_def body = cairn_default_body_def();
        cairn_body_id id;
        body.shape = shapes[i % HEAP_SHAPES];
        body.mass = 1.0 + 0.1 * i;
        const int cell[3] = {i % 3, i / 3 % 3, i / 9};
        for (int k = 0; k < 3; k++) {
            body.position[k] = 0.25 * (cell[k] - 1) + 0.02 * base_rng_unit(&rng);
            body.velocity[k] = -2.0 * (cell[k] - 1);
            body.angular_velocity[k] = 4.0 * base_rng_unit(&rng) - 2.0;
        }
        must(cairn_body_create(world, &body, &id, &error), &error);
    }
    return world;
}

static void collide(const char *law)
{
    cairn_world *world = make_cloud(law);
    double p[3], L[3], p_now[3], L_now[3];
    cairn_world_get_momentum(world, p, L);
    int most = 0;
    for (int i = 0; i < 200; i++) {
        heap_steps(world, 1);
        int contacts = cairn_contact_count(world);
        most = contacts > most ? contacts : most;
    }
    cairn_world_get_momentum(world, p_now, L_now);
    assert_true(most > 20);
    // bodies of some kilograms at some metres a second
    for (int k = 0; k < 3; k++) {
        check_close(p_now[k], p[k], 0.0, 1e-11);
        check_close(L_now[k], L[k], 0.0, 1e-11);
    }
    cairn_world_destroy(world);
}

static void test_momentum(void **state)
{
    (void)state;
    for_explicit_laws(collide);
}

// ---------------------------------------------------------------- worlds of several laws

/// Two materials beside the default one: pairs of them are implicit, hooke and spring_dashpot.
static cairn_world *make_mixed(int threads, cairn_allocator allocator)
{
    heap_def def = default_heap();
    def.law = "hooke";
    def.threads = threads;
    def.layers = 0;
    def.allocator = allocator;
    cairn_world *world = heap_world(&def);
    cairn_material_id soft, rough;
    cairn_shape_id shapes[HEAP_SHAPES];
    must(cairn_material_create(world, "soft", &soft, &error), &error);
    must(cairn_material_create(world, "rough", &rough, &error), &error);
    must(cairn_pair_set_law(world, soft, soft, "spring_dashpot", &error), &error);
    must(cairn_pair_set_value(world, soft, soft, "spring", cairn_number(2e4), &error), &error);
    must(cairn_pair_set_value(world, soft, soft, "dashpot", cairn_number(-1.0), &error), &error);
    must(cairn_pair_set_law(world, rough, rough, "signorini_coulomb", &error), &error);
    must(make_shapes(world, &def, shapes, &error), &error);
    base_rng rng = base_rng_make(11);
    for (int i = 0; i < 200; i++) {
        cairn_body_def body = cairn_default_body_def();
        cairn_body_id id;
        body.shape = shapes[i % HEAP_SHAPES];
        body.material = i / 25 % 2 == 0 ? soft : rough;
        body.mass = 2.0;
        body.position[0] = 0.23 * (i % 5) + 0.01 * base_rng_unit(&rng);
        body.position[1] = 0.23 * (i / 5 % 5) + 0.01 * base_rng_unit(&rng);
        body.position[2] = 0.12 + 0.22 * (i / 25);
        body.velocity[2] = -0.5;
        must(cairn_body_create(world, &body, &id, &error), &error);
    }
    return world;
}

enum { MIXED_STEPS = 120 };

static void trace(int threads, uint64_t hashes[MIXED_STEPS])
{
    cairn_world *world = make_mixed(threads, (cairn_allocator){0});
    for (int i = 0; i < MIXED_STEPS; i++) {
        heap_steps(world, 1);
        hashes[i] = cairn_world_get_hash(world);
    }
    assert_in_range(cairn_contact_count(world), 200, 100000);
    cairn_world_destroy(world);
}

static void test_threads(void **state)
{
    (void)state;
    uint64_t one[MIXED_STEPS], many[MIXED_STEPS];
    trace(1, one);
    for (int threads = 2; threads <= 8; threads++) {
        trace(threads, many);
        if (memcmp(one, many, sizeof one) != 0)
            fail_msg("%d threads differ from one", threads);
    }
}

static void test_restart(void **state)
{
    (void)state;
    char folder[64], path[96];
    heap_folder_make(folder);
    snprintf(path, sizeof path, "%s/a.h5", folder);
    cairn_world *saved = make_mixed(1, (cairn_allocator){0});
    cairn_world *restored = make_mixed(2, (cairn_allocator){0});
    heap_steps(saved, MIXED_STEPS);
    must(cairn_world_save(saved, path, NULL, &error), &error);
    must(cairn_world_restore(restored, path, &error), &error);
    must(cairn_world_validate(restored, &error), &error);
    for (int i = 0; i < MIXED_STEPS; i++) {
        heap_steps(saved, 1);
        heap_steps(restored, 1);
        assert_true(cairn_world_get_hash(saved) == cairn_world_get_hash(restored));
    }
    cairn_world_destroy(saved);
    cairn_world_destroy(restored);
    heap_folder_remove(folder, (const char *const[]){"a.h5"}, 1);
}

/// A law may change between steps: its contacts go over to another batch, or to the implicit
/// problem.
static void test_changed_law(void **state)
{
    (void)state;
    cairn_world *world = make_mixed(1, (cairn_allocator){0});
    cairn_material_id soft = cairn_material_find(world, "soft");
    cairn_material_id rough = cairn_material_find(world, "rough");
    heap_steps(world, MIXED_STEPS);
    int explicit_before = cairn_contact_count(world);
    must(cairn_pair_set_law(world, soft, soft, "signorini_coulomb", &error), &error);
    heap_steps(world, 5);
    must(cairn_pair_set_law(world, soft, rough, "incremental", &error), &error);
    must(cairn_pair_set_law(world, rough, rough, "incremental", &error), &error);
    heap_steps(world, 5);
    assert_true(cairn_contact_count(world) > explicit_before / 2);
    cairn_world_destroy(world);
}

/// Columns of boxes at rest, which keep their contacts.
static cairn_world *make_columns(const char *law, cairn_allocator allocator)
{
    heap_def def = default_heap();
    def.law = law;
    def.layers = 0;
    def.step = 5e-4;
    def.allocator = allocator;
    cairn_world *world = heap_world(&def);
    cairn_shape_id shapes[HEAP_SHAPES];
    must(make_shapes(world, &def, shapes, &error), &error);
    for (int i = 0; i < 108; i++) {
        cairn_body_def body = cairn_default_body_def();
        cairn_body_id id;
        body.shape = shapes[1];
        body.mass = 2.0;
        body.position[0] = 0.3 * (i % 6);
        body.position[1] = 0.3 * (i / 6 % 6);
        body.position[2] = 0.069 + 0.139 * (i / 36);
        must(cairn_body_create(world, &body, &id, &error), &error);
    }
    return world;
}

static void rest(const char *law)
{
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    cairn_world *world =
        make_columns(law, (cairn_allocator){allocator.reallocate, allocator.context});
    heap_steps(world, 1500);
    assert_in_range(cairn_contact_count(world), 4 * 108, 100000);
    long before = counter.calls;
    heap_steps(world, 100);
    assert_int_equal(counter.calls, before);
    cairn_world_destroy(world);
    assert_int_equal(counter.live, 0);
}

static void test_no_heap_call_once_warm(void **state)
{
    (void)state;
    rest("hooke");
    rest("spring_dashpot");
}

// ---------------------------------------------------------------- validation

/// Writes a value where it does not belong, and sees that it is found and gone again afterwards.
#define CHECK_FOUND(world, place, value, expected)                                                 \
    do {                                                                                           \
        __typeof__(place) kept = (place);                                                          \
        (place) = (value);                                                                         \
        if (cairn_world_validate(world, &error) != (expected))                                     \
            fail_msg(#place " = " #value " was not found");                                        \
        (place) = kept;                                                                            \
        must(cairn_world_validate(world, &error), &error);                                         \
    } while (0)

static void test_validate(void **state)
{
    (void)state;
    cairn_world *world = make_mixed(1, (cairn_allocator){0});
    must(cairn_world_validate(world, &error), &error);
    world->model.general_only = true;
    heap_steps(world, MIXED_STEPS);
    eng_contacts *c = &world->contacts.set;
    eng_plan *plan = &world->contacts.plan;
    int last = c->count - 1, pair = c->pair[last], place = world->contacts.pairs.count - 1;
    const cairn_status wrong = CAIRN_ERROR_INCONSISTENT, infinite = CAIRN_ERROR_NONFINITE;
    assert_true(c->cone_count > 0 && c->cone_count < c->count && plan->batch_count > 4);
    CHECK_FOUND(world, c->gap[3], NAN, infinite);
    CHECK_FOUND(world, c->history[last][7], INFINITY, infinite);
    CHECK_FOUND(world, world->state.audit.energy.friction, NAN, infinite);
    CHECK_FOUND(world, world->state.bodies.v[5][4], NAN, wrong);
    CHECK_FOUND(world, world->state.bodies.q[5].orientation.w, 2.0, wrong);
    CHECK_FOUND(world, world->model.bodies.rows[7].shape, world->model.shapes.count, wrong);
    CHECK_FOUND(world, world->model.bodies.rows[7].material, -1, wrong);
    CHECK_FOUND(world, world->model.bodies.rows[7].mass, 0.0, wrong);
    CHECK_FOUND(world, world->contacts.colliders.count, world->contacts.colliders.count + 1, wrong);
    CHECK_FOUND(world, c->body[last][1], c->body[last][0], wrong);
    CHECK_FOUND(world, c->pair[last], 0, wrong);
    CHECK_FOUND(world, c->surface[0], world->model.materials.surface_count, wrong);
    CHECK_FOUND(world, c->frame[2].m[0][0], 3.0, wrong);
    CHECK_FOUND(world, world->contacts.pairs.rows[pair].count, 0, wrong);
    CHECK_FOUND(world, world->contacts.pairs.rows[pair].colliders.first,
                world->contacts.colliders.count, wrong);
    CHECK_FOUND(world, plan->order[place], plan->order[0], wrong);
    CHECK_FOUND(world, plan->batch[place], 0, wrong);
    CHECK_FOUND(world, plan->batches[plan->batch[place]].surface, 0, wrong);
    CHECK_FOUND(world, plan->touch[0], plan->touch[1], wrong);
    CHECK_FOUND(world, plan->pairs_of[plan->paired[0]].count, 0, wrong);
    CHECK_FOUND(world, world->model.materials.surfaces[1].law, NULL, wrong);
    cairn_world_destroy(world);
}

static void test_validate_spheres(void **state)
{
    (void)state;
    heap_def def = default_heap();
    def.law = "hooke";
    def.spheres = true;
    def.step = 2e-4;
    cairn_world *world = heap_world(&def);
    heap_steps(world, 200);
    must(cairn_world_validate(world, &error), &error);
    struct eng_spheres *spheres = world->state.spheres;
    const cairn_status wrong = CAIRN_ERROR_INCONSISTENT;
    int pair = 0, filler = -1, lanes = spheres->store.block_count * ENG_SPHERES_WIDTH;
    while (!(spheres->pass.blocks[pair / 8].touch >> pair % 8 & 1))
        pair++;
    for (int i = 0; i < lanes; i++)
        if (eng_spheres_slot_a(&spheres->pass.blocks[i / 8], i % 8) == spheres->table.slots)
            filler = i;
    assert_true(spheres->table.slots > 2 && spheres->walls.ghost_count > 0 && filler >= 0);
    eng_spheres_block *block = &spheres->pass.blocks[pair / 8];
    eng_spheres_wall *walls = spheres->walls.rows.block;
    eng_spheres_ghost *ghosts = spheres->walls.ghosts.block;
    CHECK_FOUND(world, eng_spheres_ids(spheres)[1], eng_spheres_ids(spheres)[0], wrong);
    CHECK_FOUND(world, eng_spheres_ids(spheres)[1], world->model.bodies.count, wrong);
    CHECK_FOUND(world, spheres->store.contact_count, spheres->store.contact_count + 1, wrong);
    CHECK_FOUND(world, block->touch, 0, wrong);
    CHECK_FOUND(world, block->i8[pair % 8], -8, wrong);
    CHECK_FOUND(world, block->j8[pair % 8], block->i8[pair % 8], wrong);
    CHECK_FOUND(world, block->terms, (unsigned short)spheres->store.terms_count, wrong);
    CHECK_FOUND(world, spheres->pass.blocks[filler / 8].touch, 255, wrong);
    CHECK_FOUND(world, walls[0].body, -1, wrong);
    CHECK_FOUND(world, ghosts[0].slot, spheres->table.slots, wrong);
    CHECK_FOUND(world, ghosts[0].wall, spheres->walls.count, wrong);
    cairn_world_destroy(world);
}

/// Least height of a placed hull over a half-space, m.
static double height_over(const cairn_world *world, int plane, int hull)
{
    const geo_polyhedron *poly = &world->contacts.colliders.rows[hull].shape->polyhedron;
    double least = INFINITY;
    for (int k = 0; k < poly->vertex_count; k++) {
        vec3 x = pose_apply(&world->contacts.colliders.pose[hull], poly->vertices[k]);
        least = fmin(least, pose_apply_inverse(&world->contacts.colliders.pose[plane], x).z);
    }
    return least;
}

/// Octahedra that fall and turn over a slope that is fixed, or moving and at rest.
static cairn_world *octahedra(int count, cairn_body_kind slope)
{
    static const double corners[6][3] = {{0.1, 0, 0},  {-0.1, 0, 0}, {0, 0.1, 0},
                                         {0, -0.1, 0}, {0, 0, 0.1},  {0, 0, -0.1}};
    cairn_world_def def = cairn_default_world_def();
    def.time_step = 2e-4;
    cairn_world *world;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    cairn_material_id any = {0};
    assert_int_equal(cairn_pair_set_law(world, any, any, "hooke", &error), CAIRN_OK);
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_shape_def hull = cairn_default_shape_def(CAIRN_POLYHEDRON);
    hull.points = corners;
    hull.point_count = 6;
    for (int i = 0; i <= count; i++) {
        cairn_body_def body = cairn_default_body_def();
        cairn_body_id id;
        assert_int_equal(cairn_shape_create(world, i == 0 ? &plane : &hull, &body.shape, &error),
                         CAIRN_OK);
        body.kind = i == 0 ? slope : CAIRN_DYNAMIC;
        body.density = 2500.0;
        body.position[0] = 0.17 * (i % 3) - 0.01 * i;
        body.position[2] = i == 0 ? 0.0 : 0.12 * i + 0.2;
        body.angular_velocity[1] = i == 0 ? 0.0 : 0.3 * i;
        // one that is level has bounds
        body.orientation[1] = i == 0 ? 0.1 : 0.0;
        assert_int_equal(cairn_body_create(world, &body, &id, &error), CAIRN_OK);
    }
    return world;
}

/// Pairs with the slope, body 0: what is left of the distance that a pair knows is there. Returns
/// how many know one.
/// @param paired  [collider_count] out, whether a hull has a pair with the slope
static int check_slope_pairs(const cairn_world *world, bool *paired)
{
    int known = 0;
    for (int i = 0; i < world->contacts.pairs.count; i++) {
        const eng_pair *pair = &world->contacts.pairs.rows[i];
        int a = pair->colliders.first, b = pair->colliders.second;
        double left =
            pair->clear - world->contacts.colliders.way[a] - world->contacts.colliders.way[b];
        if (a != 0)
            continue;
        paired[b] = true;
        known += left > 0.0;
        assert_true(!(left > 0.0) || height_over(world, a, b) >= left);
    }
    return known;
}

/// Bounds hold the shapes. Returns how many were not found anew in this step.
static int check_bounds(const cairn_world *world)
{
    int held = 0;
    for (int i = 1; i < world->contacts.colliders.count; i++) {
        geo_bounds exact = geo_shape_bounds(world->contacts.colliders.rows[i].shape,
                                            &world->contacts.colliders.pose[i]);
        geo_bounds found = world->contacts.broad.proxies[i].bounds;
        for (int k = 0; k < 3; k++) {
            assert_true(vec3_get(found.low, k) <= vec3_get(exact.low, k));
            assert_true(vec3_get(found.high, k) >= vec3_get(exact.high, k));
        }
        held += world->contacts.colliders.bounds[i].way < world->contacts.colliders.way[i];
    }
    return held;
}

/// What is known of distances and bounds from earlier steps still holds, and is made use of; pairs
/// with a fixed slope that are left out of the list are apart.
static void test_known_distances(void **state)
{
    (void)state;
    enum { COUNT = 8 };
    for (int fixed = 0; fixed < 2; fixed++) {
        cairn_world *world = octahedra(COUNT, fixed ? CAIRN_FIXED : CAIRN_MOVING);
        int known = 0, held = 0, left_out = 0;
        for (int step = 0; step < 1500; step++) {
            bool paired[COUNT + 1] = {false};
            heap_steps(world, 1);
            known += check_slope_pairs(world, paired);
            held += check_bounds(world);
            for (int i = 1; i <= COUNT; i++) {
                left_out += !paired[i];
                assert_true(paired[i] || height_over(world, 0, i) > 0.0);
            }
        }
        assert_true(held > 1000);
        assert_true(fixed ? left_out > 1000 : known > 1000 && left_out == 0);
        cairn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_distances),
        cmocka_unit_test(test_newton),
        cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_changed_law),
        cmocka_unit_test(test_no_heap_call_once_warm),
        cmocka_unit_test(test_validate),
        cmocka_unit_test(test_validate_spheres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
