// SPDX-License-Identifier: Apache-2.0
// Clumps in the sphere executor: same motion, contacts, forces and energies as in the general
// passes, whatever is beside them; same bits from every kernel, any number of threads and after a
// restart; what is changed between steps.
#include "base/rng.h"
#include "engine/bodies/body_state.h"
#include "engine/pairs/spheres/clumps.h"
#include "engine/state/world.h"
#include "tests/unit/engine/sphere_world.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct bed {
    const char *law;
    int across, threads;
    int most;     // grains; 0: across^3
    bool mixed;   // spheres among the clumps
    bool walls;   // a fixed box, a wall that moves and a mesh of a clump that is fixed
    bool boxes;   // dynamic ones
    bool joined;  // a joint between two clumps, and loads
    double step;  // s; 0: 2e-5
    double omega; // rad/s, largest of a component; 0: 40
} bed;

static const double spacing = 0.0115;

// m/s: the general passes show velocities at contacts before the axes of the body have turned on to
// the end of the step, h w^2 r
static const double gyration = 3e-4;

/// Two, three or four spheres of two sizes, bent so that all three moments differ.
static cairn_shape_id clump(cairn_world *world, int count)
{
    cairn_shape_id members[4], id;
    const double places[4][3] = {
        {0.0, 0.0, 0.0}, {0.003, 0.0, 0.001}, {-0.002, 0.0025, 0.0}, {0.0, -0.002, 0.002}};
    const double turns[4][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}};
    for (int k = 0; k < count; k++)
        members[k] = sphere(world, k % 2 == 0 ? 0.003 : 0.0024);
    cairn_shape_def def = cairn_default_shape_def(CAIRN_COMPOUND);
    def.members = members;
    def.member_positions = places;
    def.member_orientations = turns;
    def.member_count = count;
    cairn_error error;
    if (cairn_shape_create(world, &def, &id, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    return id;
}

static cairn_body_id add_shaped(cairn_world *world, cairn_shape_id shape, cairn_body_kind kind,
                                vec3 place)
{
    cairn_body_def body = cairn_default_body_def();
    body.shape = shape;
    body.kind = kind;
    vec3_store(body.position, place);
    if (kind == CAIRN_MOVING)
        body.velocity[0] = 0.3;
    return add_body(world, body);
}

static cairn_shape_id box(cairn_world *world, double half)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_BOX);
    cairn_shape_id id;
    for (int k = 0; k < 3; k++)
        def.half_size[k] = half;
    assert_int_equal(cairn_shape_create(world, &def, &id, NULL), CAIRN_OK);
    return id;
}

static void add_grains(cairn_world *world, const bed *b)
{
    cairn_shape_id shapes[4] = {clump(world, 3), clump(world, 2), clump(world, 4), {0}};
    shapes[3] = b->mixed ? sphere(world, 0.004) : shapes[0];
    base_rng rng = base_rng_make(5);
    int count = b->across * b->across * b->across;
    for (int i = 0; i < (b->most > 0 ? b->most : count); i++) {
        cairn_body_def body = cairn_default_body_def();
        const int place[3] = {i % b->across, i / b->across % b->across, i / b->across / b->across};
        body.shape = shapes[i % 4];
        double norm = 0.0;
        for (int k = 0; k < 3; k++) {
            body.position[k] = spacing * (place[k] + (k == 2 ? 0.6 : 0.5));
            // towards the middle of the floor
            double aim = k == 2 ? 0.0 : 0.5 * spacing * b->across;
            body.velocity[k] = (base_rng_unit(&rng) - 0.5) - 40.0 * (body.position[k] - aim);
            body.angular_velocity[k] =
                2.0 * (b->omega > 0.0 ? b->omega : 40.0) * (base_rng_unit(&rng) - 0.5);
        }
        for (int k = 0; k < 4; k++) {
            body.orientation[k] = base_rng_unit(&rng) - 0.5;
            norm += body.orientation[k] * body.orientation[k];
        }
        for (int k = 0; k < 4; k++)
            body.orientation[k] /= sqrt(norm);
        cairn_body_id id = add_body(world, body);
        if (b->joined && i % 3 == 0)
            assert_int_equal(cairn_body_set_force(world, id, (double[3]){2e-3, 0.0, -1e-2},
                                                  (double[3]){0.0, 1e-5, 1e-5}, NULL),
                             CAIRN_OK);
    }
}

static void join(cairn_world *world)
{
    cairn_joint_def joint = cairn_default_joint_def(CAIRN_JOINT_BALL);
    cairn_joint_id id;
    cairn_error error;
    joint.a = cairn_body_at(world, 1);
    joint.b = cairn_body_at(world, 2);
    vec3_store(joint.anchor, vec3_make(1.5 * spacing, 0.5 * spacing, 0.6 * spacing));
    if (cairn_joint_create(world, &joint, &id, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
}

static cairn_world *make_world(const bed *b)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    cairn_shape_id plane;
    double side = spacing * b->across;
    def.time_step = b->step > 0.0 ? b->step : 2e-5;
    def.threads = b->threads;
    assert_int_equal(cairn_world_create(&def, &world, NULL), CAIRN_OK);
    set_pair(world, (cairn_material_id){0}, (cairn_material_id){0}, b->law, 1.0);
    cairn_shape_def flat = cairn_default_shape_def(CAIRN_HALFSPACE);
    assert_int_equal(cairn_shape_create(world, &flat, &plane, NULL), CAIRN_OK);
    add_shaped(world, plane, CAIRN_FIXED, vec3_make(0.0, 0.0, 0.0));
    add_grains(world, b);
    if (b->walls) {
        add_shaped(world, box(world, 0.02), CAIRN_FIXED, vec3_make(-0.021, 0.5 * side, 0.02));
        add_shaped(world, box(world, 0.02), CAIRN_MOVING, vec3_make(-0.025, 0.0, 0.06));
        add_shaped(world, clump(world, 3), CAIRN_FIXED, vec3_make(0.5 * side, 0.5 * side, 0.0));
    }
    if (b->boxes)
        for (int i = 0; i < 2; i++)
            add_shaped(world, box(world, 0.004), CAIRN_DYNAMIC,
                       vec3_make(0.4 * side, (0.3 + 0.4 * i) * side, side + 0.005));
    if (b->joined)
        join(world);
    return world;
}

static void compare_worlds(const cairn_world *a, const cairn_world *b, double tolerance)
{
    check_bodies(a, b, tolerance);
    check_turned(a, b, tolerance, gyration);
    check_forces(a, b, tolerance);
    // normals turn within a step
    check_audits(a, b, 1e-3, 1e-6);
}

static void compare(bed b)
{
    b.threads = 1;
    b.across = b.across > 0 ? b.across : 4;
    cairn_world *clumps = make_world(&b), *ordinary = make_world(&b);
    int done = 0, met = 0, until[] = {10, 200, 600};
    double tolerance[] = {1e-12, 1e-9, 1e-6};
    for (int k = 0; k < 3; k++) {
        run(clumps, until[k] - done, false);
        run(ordinary, until[k] - done, true);
        done = until[k];
        met += cairn_contact_count(clumps);
        compare_worlds(clumps, ordinary, tolerance[k]);
        assert_true(clumps->state.spheres->clumps.count >= 48);
        // what the executor has is not looked for elsewhere
        assert_true(b.boxes || clumps->contacts.set.count == 0);
        // joints, loads and bodies of other shapes leave the motion to the general passes
        assert_int_equal(clumps->state.spheres->clumps.moved > 0, !b.boxes && !b.joined);
    }
    assert_true(met > 20);
    cairn_world_destroy(clumps);
    cairn_world_destroy(ordinary);
}

static const char *const laws[] = {"hooke", "hertz_mindlin"};

static void test_alone(void **state)
{
    (void)state;
    for (int l = 0; l < 2; l++)
        compare((bed){.law = laws[l]});
}

static void test_beside(void **state)
{
    (void)state;
    compare((bed){.law = "hooke", .mixed = true});
    compare((bed){.law = "hertz_mindlin", .mixed = true, .walls = true});
    compare((bed){.law = "hooke", .mixed = true, .boxes = true});
    compare((bed){.law = "hooke", .walls = true, .joined = true});
}

/// Turns of up to two radians in a step, for which the short way to the new angular velocity is not
/// enough.
static void test_fast_rotation(void **state)
{
    (void)state;
    bed b = {.law = "hooke", .across = 4, .threads = 1, .step = 2e-7, .omega = 5e6};
    cairn_world *clumps = make_world(&b), *ordinary = make_world(&b);
    run(clumps, 5, false);
    run(ordinary, 5, true);
    double scale = 0.0;
    for (int i = 1; i < cairn_body_count(clumps); i++) {
        eng_state x = eng_state_of(clumps, i), y = eng_state_of(ordinary, i);
        quat p = x.q.orientation, q = y.q.orientation;
        double same = p.w * q.w + p.x * q.x + p.y * q.y + p.z * q.z;
        check_close(fabs(same), 1.0, 0.0, 1e-12);
        for (int k = 3; k < 6; k++) {
            check_close(x.v[k], y.v[k], 0.0, 1e-10 * b.omega);
            scale = fmax(scale, fabs(x.v[k]));
        }
    }
    assert_true(scale > 0.5 * b.omega);
    cairn_world_destroy(clumps);
    cairn_world_destroy(ordinary);
}

static void test_same_bits(void **state)
{
    (void)state;
    const char *kernels[] = {"avx2", "avx512"};
    for (int l = 0; l < 2; l++) {
        bed b = {.law = laws[l], .across = 8, .threads = 1, .mixed = true, .walls = l == 1};
        uint64_t expected = sphere_hash(make_world(&b), "scalar", 300);
        for (int k = 0; k < 2; k++) {
            uint64_t hash = sphere_hash(make_world(&b), kernels[k], 300);
            assert_true(hash == 0 || hash == expected);
        }
        for (int threads = 2; threads <= 5; threads++) {
            b.threads = threads;
            assert_true(sphere_hash(make_world(&b), NULL, 300) == expected);
        }
    }
}

/// Lanes behind the last clump are not moved again, whatever a kernel takes at once.
static void test_few(void **state)
{
    (void)state;
    const char *kernels[] = {"scalar", "avx2", "avx512"};
    for (int most = 1; most <= 18; most++) {
        bed b = {.law = "hooke", .across = 3, .most = most, .threads = 1};
        uint64_t hashes[3], any = 0;
        for (int k = 0; k < 3; k++) {
            hashes[k] = sphere_hash(make_world(&b), kernels[k], 20);
            any = hashes[k] != 0 ? hashes[k] : any;
        }
        assert_true(any != 0);
        for (int k = 0; k < 3; k++)
            assert_true(hashes[k] == 0 || hashes[k] == any);
        cairn_world *clumps = make_world(&b), *ordinary = make_world(&b);
        assert_true(eng_spheres_choose_kernel(clumps, "scalar"));
        run(clumps, 20, false);
        run(ordinary, 20, true);
        check_bodies(clumps, ordinary, 1e-11);
        cairn_world_destroy(clumps);
        cairn_world_destroy(ordinary);
    }
}

/// Something is changed after the step that is saved.
static void change(cairn_world *world)
{
    cairn_error error;
    double push[3] = {0.2, 0.1, 0.0}, turn[3] = {0.0, 30.0, 0.0};
    if (cairn_body_set_velocity(world, cairn_body_at(world, 5), push, turn, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
}

static void test_restart(void **state)
{
    (void)state;
    char path[] = "/tmp/cairn-clumps-XXXXXX";
    int file = mkstemp(path);
    cairn_error error;
    assert_true(file >= 0);
    close(file);
    for (int l = 0; l < 4; l++) {
        bed b = {.law = laws[l % 2], .across = 5, .threads = 1, .mixed = true, .walls = l > 1};
        cairn_world *first = make_world(&b);
        b.threads = 3;
        cairn_world *second = make_world(&b);
        run(first, 330, false);
        if (l % 2 == 1)
            change(first);
        if (cairn_world_save(first, path, NULL, &error) != CAIRN_OK ||
            cairn_world_restore(second, path, &error) != CAIRN_OK)
            fail_msg("%s", error.message);
        assert_true(cairn_world_get_hash(first) == cairn_world_get_hash(second));
        cairn_energy kept[2] = {cairn_world_get_energy(first), cairn_world_get_energy(second)};
        assert_memory_equal(&kept[0], &kept[1], sizeof kept[0]);
        run(first, 200, false);
        run(second, 200, false);
        assert_true(cairn_world_get_hash(first) == cairn_world_get_hash(second));
        cairn_world_destroy(first);
        cairn_world_destroy(second);
    }
    remove(path);
}

/// Clumps get other velocities, go and come, the step gets another length, laws change.
static void test_changes(void **state)
{
    (void)state;
    bed b = {.law = "hooke", .across = 4, .threads = 1, .mixed = true};
    cairn_world *w[2] = {make_world(&b), make_world(&b)};
    for (int i = 0; i < 240; i++)
        for (int k = 0; k < 2; k++) {
            if (i == 100)
                change(w[k]);
            if (i == 120)
                assert_int_equal(cairn_body_remove(w[k], cairn_body_at(w[k], 9), NULL), CAIRN_OK);
            if (i == 140)
                add_shaped(w[k], clump(w[k], 4), CAIRN_DYNAMIC, vec3_make(0.01, 0.01, 0.07));
            if (i == 160)
                assert_int_equal(cairn_world_set_time_step(w[k], 1e-5, NULL), CAIRN_OK);
            if (i == 220)
                set_number(w[k], (cairn_material_id){0}, (cairn_material_id){0}, "friction", 0.1);
            run(w[k], 1, k == 1);
        }
    check_bodies(w[0], w[1], 1e-8);
    check_turned(w[0], w[1], 1e-8, gyration);
    check_forces(w[0], w[1], 1e-8);
    // a law that asks how bodies turn leaves clumps to the general passes, with their history
    cairn_material_id any = {0};
    for (int k = 0; k < 2; k++)
        set_number(w[k], any, any, "rolling_friction", 1e-3);
    run(w[0], 20, false);
    run(w[1], 20, true);
    assert_int_equal(w[0]->state.spheres->clumps.count, 0);
    check_bodies(w[0], w[1], 1e-7);
    for (int k = 0; k < 2; k++)
        set_number(w[k], any, any, "rolling_friction", 0.0);
    run(w[0], 20, false);
    run(w[1], 20, true);
    assert_true(w[0]->state.spheres->clumps.count > 0);
    check_bodies(w[0], w[1], 1e-7);
    for (int k = 0; k < 2; k++)
        cairn_world_destroy(w[k]);
}

/// What the audit misses of the dissipated energy, with a share of the step.
static double missing(double share)
{
    bed b = {.law = "hertz_mindlin", .across = 5, .threads = 1, .step = 1e-5 * share};
    cairn_world *world = make_world(&b);
    run(world, (int)(1000 / share), false);
    cairn_energy e = cairn_world_get_energy(world);
    cairn_world_destroy(world);
    assert_true(e.damping + e.friction > 1e-5);
    return fabs(e.residual) / (e.damping + e.friction);
}

static void test_audit(void **state)
{
    (void)state;
    double whole = missing(1.0), part = missing(0.25);
    printf("missing of what was dissipated: %.3g, with a quarter of the step %.3g\n", whole, part);
    check_at_most(part, 0.2 * whole);
    check_at_most(part, 1e-4);
}

/// Clumps that go while the same spheres of both touch take their energies with them.
static void test_removed(void **state)
{
    (void)state;
    bed b = {.law = "hooke", .across = 0, .threads = 1, .step = 1e-5};
    cairn_world *world = make_world(&b);
    cairn_shape_id two = clump(world, 2);
    add_shaped(world, two, CAIRN_DYNAMIC, vec3_make(0.0, 0.0, 0.05));
    add_shaped(world, two, CAIRN_DYNAMIC, vec3_make(0.0, 0.1, 0.05));
    cairn_body_def turned = cairn_default_body_def();
    turned.shape = two;
    turned.position[0] = 0.006 + 2.0 * 0.0024 - 1e-5;
    turned.position[2] = 0.05;
    turned.velocity[0] = -0.1;
    turned.orientation[0] = 0.0;
    turned.orientation[3] = 1.0;
    cairn_body_id last = add_body(world, turned), first = cairn_body_at(world, last.index - 2);
    run(world, 3, false);
    assert_true(cairn_world_get_energy(world).elastic > 0.0);
    double lost = cairn_world_get_energy(world).damping;
    assert_int_equal(cairn_body_remove(world, first, NULL), CAIRN_OK);
    assert_int_equal(cairn_body_remove(world, last, NULL), CAIRN_OK);
    run(world, 3, false);
    cairn_energy after = cairn_world_get_energy(world);
    check_close(after.damping, lost, 1e-12, 0.0);
    check_close(after.elastic, 0.0, 0.0, 0.0);
    check_at_most(fabs(after.residual), 1e-3 * lost);
    cairn_world_destroy(world);
}

/// Where all bodies have slots, an audit that is not finite ends the step as elsewhere, by name.
static void test_not_finite(void **state)
{
    (void)state;
    bed b = {.law = "hooke", .across = 2, .threads = 1};
    cairn_world *world = make_world(&b);
    cairn_error error = {0};
    run(world, 3, false);
    world->state.audit.energy.friction = NAN;
    assert_int_equal(cairn_world_step(world, &error), CAIRN_ERROR_NONFINITE);
    assert_non_null(strstr(error.message, "dissipation of friction"));
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),     cmocka_unit_test(test_beside),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_few),
        cmocka_unit_test(test_restart),   cmocka_unit_test(test_fast_rotation),
        cmocka_unit_test(test_changes),   cmocka_unit_test(test_audit),
        cmocka_unit_test(test_removed),   cmocka_unit_test(test_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
