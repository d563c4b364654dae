// SPDX-License-Identifier: Apache-2.0
// Spheres with particle slots beside all else that a world may hold: same motion, contacts, forces
// and energies as in the general passes, same bits from every kernel and any number of threads.
#include "base/hash.h"
#include "base/rng.h"
#include "engine/joints/joints.h"
#include "engine/pairs/spheres/data.h"
#include "engine/passes/passes.h"
#include "engine/state/world.h"
#include "tests/unit/engine/sphere_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// What a world holds beside a bed of spheres under hooke.
enum {
    BOXES = 1,       // dynamic boxes that fall on the bed
    JOINTS = 2,      // spheres held by a ball joint, and a sphere on a hinged box
    CONNECTORS = 4,  // two spheres with an explicit link
    FUNCTIONS = 8,   // a wall and a sphere follow functions of time
    IMPLICIT = 16,   // some spheres, and boxes, under signorini_coulomb
    FAR_BOX = 32,    // a box on a floor of its own, under signorini_coulomb, far away
    LOADS = 64,      // forces on spheres and boxes
    FAR_JOINT = 128, // a ball joint between two boxes far away
};

typedef struct mix {
    int holds, count, threads;
    double step;
} mix;

static const double spacing = 0.0094;

static cairn_shape_id make_shape(cairn_world *world, const cairn_shape_def *def)
{
    cairn_shape_id id;
    assert_int_equal(cairn_shape_create(world, def, &id, NULL), CAIRN_OK);
    return id;
}

static cairn_shape_id box(cairn_world *world, double x, double y, double z)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_BOX);
    memcpy(def.half_size, (double[3]){x, y, z}, sizeof def.half_size);
    return make_shape(world, &def);
}

static cairn_status shake(void *context, double time, cairn_motion *motion, cairn_error *error)
{
    (void)error;
    const double *amplitude = context;
    motion->given = CAIRN_MOTION_POSITION;
    motion->position[0] = amplitude[0];
    motion->position[1] = amplitude[1];
    motion->position[2] = amplitude[2] + amplitude[3] * sin(400.0 * time);
    return CAIRN_OK;
}

static void follow(cairn_world *world, cairn_body_id body, double *path)
{
    assert_int_equal(cairn_body_set_motion(world, body, shake, path, NULL), CAIRN_OK);
}

static double floor_path[4] = {0.0, 0.0, 0.0, 2e-4};

static void add_container(cairn_world *world, const mix *m, double side, cairn_material_id wall)
{
    double r = sqrt(0.5);
    double turn[5][4] = {{1, 0, 0, 0}, {r, 0, r, 0}, {r, 0, -r, 0}, {r, -r, 0, 0}, {r, r, 0, 0}};
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def def = cairn_default_body_def();
    def.shape = make_shape(world, &plane);
    def.material = wall;
    for (int i = 0; i < 5; i++) {
        def.kind = i == 0 && m->holds & FUNCTIONS ? CAIRN_MOVING : CAIRN_FIXED;
        memcpy(def.orientation, turn[i], sizeof turn[i]);
        def.position[0] = i == 2 ? side : 0.0;
        def.position[1] = i == 4 ? side : 0.0;
        cairn_body_id id = add_body(world, def);
        if (def.kind == CAIRN_MOVING)
            follow(world, id, floor_path);
    }
}

static void add_spheres(cairn_world *world, const mix *m, int across,
                        const cairn_material_id grains[2])
{
    static double paths[2][4];
    cairn_shape_id shapes[5];
    for (int i = 0; i < 5; i++)
        shapes[i] = sphere(world, 0.004 + 0.00025 * i);
    base_rng rng = base_rng_make(7);
    for (int i = 0; i < m->count; i++) {
        cairn_body_def body = cairn_default_body_def();
        body.shape = shapes[(int)(5.0 * base_rng_unit(&rng)) % 5];
        body.material = grains[m->holds & IMPLICIT && i % 7 == 0];
        body.density = 2500.0;
        int cell[3] = {i % across, i / across % across, i / across / across};
        for (int k = 0; k < 3; k++) {
            body.position[k] = spacing * (cell[k] + 0.5);
            body.velocity[k] = 0.6 * (base_rng_unit(&rng) - 0.5);
            body.angular_velocity[k] = 40.0 * (base_rng_unit(&rng) - 0.5);
        }
        bool driven = m->holds & FUNCTIONS && i == m->count / 2;
        if (driven)
            body.kind = CAIRN_MOVING;
        cairn_body_id id = add_body(world, body);
        if (driven) {
            double *path = paths[0];
            memcpy(path, body.position, sizeof body.position);
            path[3] = 5e-4;
            follow(world, id, path);
        }
        if (m->holds & LOADS && i % 3 == 0 && !driven)
            assert_int_equal(cairn_body_set_force(world, id, (double[3]){2e-3, 0.0, -1e-2},
                                                  (double[3]){0.0, 1e-5, 1e-5}, NULL),
                             CAIRN_OK);
    }
}

/// Boxes above the bed, or far from it on a floor of their own.
static cairn_body_id add_box(cairn_world *world, cairn_material_id stuff, const double at[3],
                             double down)
{
    cairn_body_def def = cairn_default_body_def();
    def.shape = box(world, 0.006, 0.004, 0.005);
    def.material = stuff;
    def.density = 2500.0;
    memcpy(def.position, at, sizeof def.position);
    memcpy(def.orientation, (double[4]){0.9, 0.2, 0.1, 0.3}, sizeof def.orientation);
    def.velocity[2] = -down;
    return add_body(world, def);
}

static void add_far(cairn_world *world, double middle, cairn_material_id stuff,
                    cairn_material_id ground)
{
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_FIXED;
    def.shape = box(world, 0.012, 0.012, 0.01);
    def.material = ground;
    memcpy(def.position, (double[3]){middle, middle, 2.0}, sizeof def.position);
    add_body(world, def);
    add_box(world, stuff, (double[3]){middle, middle, 2.018}, 1.0);
}

static void join(cairn_world *world, cairn_joint_kind kind, cairn_body_id a, cairn_body_id b)
{
    cairn_joint_def def = cairn_default_joint_def(kind);
    cairn_body_view x, y;
    cairn_joint_id id;
    assert_int_equal(cairn_body_get(world, a, &x), CAIRN_OK);
    assert_int_equal(cairn_body_get(world, b, &y), CAIRN_OK);
    def.a = a;
    def.b = b;
    for (int k = 0; k < 3; k++)
        def.anchor[k] = 0.5 * (x.position[k] + y.position[k]);
    cairn_error error;
    if (cairn_joint_create(world, &def, &id, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
}

static void link_spheres(cairn_world *world, cairn_body_id a, cairn_body_id b)
{
    cairn_connector_def def = cairn_default_connector_def();
    cairn_connector_id id;
    def.law = "spring_dashpot";
    def.bodies[0] = a;
    def.bodies[1] = b;
    def.radii[0] = def.radii[1] = 0.0047;
    cairn_error error;
    if (cairn_connector_create(world, &def, &id, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
}

static cairn_world *make_mix(const mix *m)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    def.time_step = m->step;
    def.threads = m->threads;
    def.tolerance = 1e-13;
    assert_int_equal(cairn_world_create(&def, &world, NULL), CAIRN_OK);
    cairn_material_id none = {0}, wall = material(world, "wall"), stuff = material(world, "stuff"),
                      hard = material(world, "hard"), ground = material(world, "ground");
    cairn_material_id grains[2] = {material(world, "grain"), hard};
    set_pair(world, none, none, "hooke", 1.0);
    set_pair(world, grains[0], wall, "hooke", 1.3);
    assert_int_equal(cairn_pair_set_law(world, stuff, ground, "signorini_coulomb", NULL), CAIRN_OK);
    if (m->holds & IMPLICIT) {
        assert_int_equal(cairn_pair_set_law(world, hard, hard, "signorini_coulomb", NULL),
                         CAIRN_OK);
        assert_int_equal(cairn_pair_set_law(world, hard, wall, "signorini_coulomb", NULL),
                         CAIRN_OK);
        assert_int_equal(cairn_pair_set_law(world, hard, stuff, "signorini_coulomb", NULL),
                         CAIRN_OK);
    }
    int across = (int)ceil(cbrt(m->count / 2.0));
    add_container(world, m, spacing * across, wall);
    add_spheres(world, m, across, grains);
    double top = spacing * (m->count / across / across + 1.0), middle = 0.5 * spacing * across;
    for (int i = 0; i < 3 && m->holds & BOXES; i++) {
        cairn_body_id id = add_box(world, stuff, (double[3]){middle, middle, top + 0.016 * i}, 1.0);
        if (m->holds & LOADS)
            assert_int_equal(cairn_body_set_force(world, id, (double[3]){1e-2, 0.0, 0.0},
                                                  (double[3]){0.0, 1e-4, 0.0}, NULL),
                             CAIRN_OK);
    }
    if (m->holds & FAR_BOX)
        add_far(world, middle, stuff, ground);
    if (m->holds & FAR_JOINT)
        join(world, CAIRN_JOINT_BALL,
             add_box(world, stuff, (double[3]){middle - 0.008, middle, 4.0}, 0.0),
             add_box(world, stuff, (double[3]){middle + 0.008, middle, 4.0}, 0.0));
    if (m->holds & JOINTS) {
        join(world, CAIRN_JOINT_BALL, cairn_body_at(world, 11), cairn_body_at(world, 12));
        join(world, CAIRN_JOINT_ROD, cairn_body_at(world, 20), cairn_body_at(world, 23));
        cairn_body_id held = add_box(world, stuff, (double[3]){middle, middle, top + 0.05}, 0.5);
        join(world, CAIRN_JOINT_HINGE, held, cairn_body_at(world, m->count / 3));
    }
    if (m->holds & CONNECTORS)
        for (int i = 0; i < 3; i++)
            link_spheres(world, cairn_body_at(world, 30 + 2 * i), cairn_body_at(world, 31 + 2 * i));
    return world;
}

static int count_general(const cairn_world *world)
{
    return world->contacts.set.count;
}

/// @param tolerance  after ten steps; what it grows to is a property of the bed
static void compare(mix m, const double tolerance[3])
{
    m.threads = 1;
    cairn_world *mixed = make_mix(&m), *general = make_mix(&m);
    // what solvers leave of the implicit contacts grows faster than round-off
    bool implicit = m.holds & IMPLICIT;
    int until[] = {10, implicit ? 50 : 150, implicit ? 120 : 450}, done = 0;
    for (int k = 0; k < 3; k++) {
        run(mixed, until[k] - done, false);
        run(general, until[k] - done, true);
        done = until[k];
        check_bodies(mixed, general, tolerance[k]);
        check_contacts(mixed, general, tolerance[k]);
        check_forces(mixed, general, tolerance[k]);
        check_energies(mixed, general, 1e-3);
    }
    assert_true(eng_spheres_contact_count(mixed) > m.count / 4);
    print_message("%d contacts, %d of general passes\n", cairn_contact_count(mixed),
                  count_general(mixed));
    cairn_world_destroy(mixed);
    cairn_world_destroy(general);
}

static const double exact[3] = {1e-12, 1e-10, 1e-7}, solved[3] = {1e-6, 1e-5, 1e-4};

static void test_boxes(void **state)
{
    (void)state;
    compare((mix){.holds = BOXES, .count = 120, .step = 2e-5}, exact);
    compare((mix){.holds = BOXES | LOADS, .count = 120, .step = 2e-5}, exact);
}

static void test_joints(void **state)
{
    (void)state;
    compare((mix){.holds = FAR_JOINT, .count = 120, .step = 2e-5}, exact);
    compare((mix){.holds = JOINTS, .count = 120, .step = 2e-5}, (double[3]){1e-8, 1e-7, 1e-5});
}

static void test_connectors(void **state)
{
    (void)state;
    compare((mix){.holds = CONNECTORS, .count = 120, .step = 2e-5}, exact);
}

static void test_functions(void **state)
{
    (void)state;
    compare((mix){.holds = FUNCTIONS, .count = 120, .step = 2e-5}, exact);
}

static void test_implicit(void **state)
{
    (void)state;
    compare((mix){.holds = FAR_BOX, .count = 120, .step = 2e-5}, exact);
    compare((mix){.holds = IMPLICIT, .count = 120, .step = 2e-5}, solved);
    compare((mix){.holds = IMPLICIT | BOXES, .count = 120, .step = 2e-5}, solved);
}

static void test_all(void **state)
{
    (void)state;
    compare((mix){.holds = 255, .count = 150, .step = 2e-5}, solved);
}

static void test_same_bits(void **state)
{
    (void)state;
    const char *kernels[] = {"avx2", "avx512"};
    mix m = {.holds = 255, .count = 300, .threads = 1, .step = 2e-5};
    uint64_t expected = sphere_hash(make_mix(&m), "scalar", 500);
    for (int k = 0; k < 2; k++) {
        uint64_t hash = sphere_hash(make_mix(&m), kernels[k], 500);
        assert_true(hash == 0 || hash == expected);
    }
    for (m.threads = 2; m.threads <= 8; m.threads += 3)
        assert_true(sphere_hash(make_mix(&m), NULL, 500) == expected);
}

/// The audit closes whatever the executor and the general passes share.
static void test_audit(void **state)
{
    (void)state;
    static const int kinds[] = {BOXES | LOADS, JOINTS,           CONNECTORS,
                                FUNCTIONS,     IMPLICIT | BOXES, 255};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        double residual[2];
        for (int general = 0; general < 2; general++) {
            mix m = {.holds = kinds[i], .count = 150, .threads = 1, .step = 1e-5};
            cairn_world *world = make_mix(&m);
            run(world, 1500, general);
            cairn_energy e = cairn_world_get_energy(world);
            residual[general] =
                e.residual / (e.damping + e.friction + e.impact + fabs(e.drivers) + fabs(e.joints));
            cairn_world_destroy(world);
        }
        print_message("%3d: audit residual %.3g, of the general passes alone %.3g\n", kinds[i],
                      residual[0], residual[1]);
        // implicit contacts that overlap at first leave a residual of their own
        check_at_most(fabs(residual[0]), fmax(2e-3, 1.05 * fabs(residual[1])));
    }
}

static double unaccounted(const cairn_world *world)
{
    cairn_energy e = cairn_world_get_energy(world);
    return e.residual - e.impact - e.friction - e.damping - e.plastic;
}

/// The rise of a step among particle slots is what the totals before and after it say, in the steps
/// that ask for it, and asking for it changes no bit.
static void test_rise(void **state)
{
    (void)state;
    mix m = {.holds = BOXES, .count = 60, .threads = 1, .step = 2e-5};
    cairn_world *asked = make_mix(&m), *quiet = make_mix(&m);
    asked->model.def.audit_every = 3;
    double largest = 0.0;
    for (int i = 0; i < 400; i++) {
        double before = unaccounted(asked);
        assert_int_equal(cairn_world_step(asked, NULL), CAIRN_OK);
        assert_int_equal(cairn_world_step(quiet, NULL), CAIRN_OK);
        assert_true(eng_spheres_slot_count(asked) > 0);
        double rise = cairn_world_get_report(asked)->energy_rise;
        assert_true(isnan(cairn_world_get_report(quiet)->energy_rise));
        assert_true(isnan(rise) == (i % 3 != 0));
        cairn_energy e = cairn_world_get_energy(asked);
        if (i > 0 && i % 3 == 0)
            check_at_most(fabs(rise - (unaccounted(asked) - before)),
                          1e-12 * (fabs(e.potential) + e.kinetic));
        largest = isnan(rise) ? largest : fmax(largest, fabs(rise));
    }
    assert_true(largest > 0.0);
    assert_true(cairn_world_get_hash(asked) == cairn_world_get_hash(quiet));
    cairn_world_destroy(asked);
    cairn_world_destroy(quiet);
}

/// A law that loses its kernel between steps: the spheres lose their slots, and contacts keep their
/// history, as they do in the general passes.
static void test_lost_kernel(void **state)
{
    (void)state;
    mix m = {.holds = BOXES, .count = 120, .threads = 1, .step = 2e-5};
    cairn_world *mixed = make_mix(&m), *general = make_mix(&m);
    const cairn_material_id none = {0};
    for (int w = 0; w < 2; w++) {
        cairn_world *world = w ? general : mixed;
        cairn_material_id grain = cairn_material_find(world, "grain"),
                          wall = cairn_material_find(world, "wall");
        const cairn_material_id pairs[2][2] = {{none, none}, {grain, wall}};
        for (int k = 0; k < 2; k++) {
            cairn_material_id a = pairs[k][0], b = pairs[k][1];
            assert_int_equal(cairn_pair_set_law(world, a, b, "incremental", NULL), CAIRN_OK);
            set_number(world, a, b, "normal_stiffness", 1e4);
            set_number(world, a, b, "shear_stiffness", 4e3);
        }
        run(world, 400, w);
        for (int k = 0; k < 2; k++)
            assert_int_equal(cairn_pair_set_value(world, pairs[k][0], pairs[k][1], "displacement",
                                                  cairn_text("rotation"), NULL),
                             CAIRN_OK);
    }
    assert_true(eng_spheres_contact_count(mixed) > m.count / 4);
    double before = cairn_world_get_energy(mixed).residual;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < (k ? 30 : 1); i++)
            for (int w = 0; w < 2; w++)
                assert_int_equal(cairn_world_step(w ? general : mixed, NULL), CAIRN_OK);
        assert_int_equal(eng_spheres_slot_count(mixed), 0);
        check_bodies(mixed, general, 1e-8);
        check_contacts(mixed, general, 1e-7);
        check_energies(mixed, general, 1e-3);
    }
    cairn_energy after = cairn_world_get_energy(mixed);
    check_at_most(fabs(after.residual - before), 1e-3 * (after.damping + after.friction));
    cairn_world_destroy(mixed);
    cairn_world_destroy(general);
}

/// N, of a body on another one, of so many contacts; world axes.
static vec3 force_between(const cairn_contact_view *contacts, int count, cairn_body_id by,
                          cairn_body_id on)
{
    vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++) {
        const cairn_contact_view *c = &contacts[i];
        if (c->a.index == by.index && c->b.index == on.index)
            sum = vec3_add(sum, vec3_from(c->force));
        if (c->a.index == on.index && c->b.index == by.index)
            sum = vec3_sub(sum, vec3_from(c->force));
    }
    return sum;
}

/// Springs that give way to rigid contacts: what the springs bore is where the first solve starts,
/// whatever the step; a bed at rest is solved by a few sweeps.
static void test_rigid_after_springs(void **state)
{
    (void)state;
    mix m = {.count = 120, .threads = 1, .step = 2e-5};
    cairn_world *world = make_mix(&m);
    const cairn_material_id none = {0};
    run(world, 40000, 0);
    int count = cairn_contact_count(world);
    assert_true(count > m.count / 4);
    cairn_contact_view *springs = calloc((size_t)count, sizeof *springs);
    for (int i = 0; i < count; i++)
        assert_int_equal(cairn_contact_get(world, i, &springs[i]), CAIRN_OK);
    const cairn_material_id pairs[2][2] = {
        {none, none}, {cairn_material_find(world, "grain"), cairn_material_find(world, "wall")}};
    for (int k = 0; k < 2; k++) {
        assert_int_equal(
            cairn_pair_set_law(world, pairs[k][0], pairs[k][1], "signorini_coulomb", NULL),
            CAIRN_OK);
        set_number(world, pairs[k][0], pairs[k][1], "friction", 0.6);
    }
    assert_int_equal(cairn_world_set_time_step(world, 2.5e-4, NULL), CAIRN_OK);
    assert_int_equal(cairn_world_step(world, NULL), CAIRN_OK);
    assert_int_equal(eng_spheres_slot_count(world), 0);
    cairn_problem *problem;
    assert_int_equal(cairn_world_get_problem(world, CAIRN_PROBLEM_LOCAL, &problem, NULL), CAIRN_OK);
    cairn_problem_data data = cairn_problem_get_data(problem);
    assert_non_null(data.guess);
    const double weight = 2.5e-4 * 9.81 * 2500.0 * 4.2 * pow(0.4 * spacing, 3.0); // of a grain, N s
    int bore = 0;
    for (int i = 0; i < data.contacts; i++) {
        const eng_contacts *c = &world->contacts.set;
        cairn_contact_view now;
        assert_int_equal(cairn_contact_get(world, i, &now), CAIRN_OK);
        vec3 force = force_between(springs, count, now.a, now.b);
        vec3 guess = mat3_apply_transposed(&c->frame[i], vec3_from(data.guess + 3 * i));
        // another step has other midpoints, where the springs are read
        check_at_most(vec3_norm(vec3_sub(guess, vec3_scale(2.5e-4, force))), 1e-4 * weight);
        bore += vec3_norm(force) > 0.0;
    }
    print_message("%d contacts, %d bore, %d iterations\n", data.contacts, bore,
                  cairn_world_get_report(world)->iterations);
    assert_true(bore > m.count);
    assert_true(cairn_world_get_report(world)->iterations <= 60);
    cairn_problem_destroy(problem);
    cairn_world_destroy(world);
    free(springs);
}

/// Grains that rain on the bed.
static void add_rain(cairn_world *world, const mix *m)
{
    int across = (int)ceil(cbrt(m->count / 2.0));
    double side = spacing * across, top = spacing * (m->count / across / across + 4.0);
    cairn_grain_def grain = {
        .size = {.kind = CAIRN_SIZE_UNIFORM, .minimum = 0.006, .maximum = 0.008},
        .material = cairn_material_find(world, "grain"),
        .density = 2500.0,
        .share = 1.0};
    cairn_emitter_def def = cairn_default_emitter_def();
    def.region = (cairn_region){.kind = CAIRN_REGION_BOX,
                                .a = {0.1 * side, 0.1 * side, top + 0.1},
                                .b = {0.9 * side, 0.9 * side, top + 0.2}};
    def.grains = &grain;
    def.grain_count = 1;
    def.rate = 2e4;
    def.every = 1e-3;
    def.velocity[2] = -1.0;
    assert_int_equal(cairn_emitter_create(world, &def, NULL), CAIRN_OK);
}

static cairn_world *make_rain(mix m, int threads)
{
    m.threads = threads;
    cairn_world *world = make_mix(&m);
    add_rain(world, &m);
    return world;
}

/// A world that holds everything goes on after a restart with the same bits, saved by one number of
/// threads and brought back by another.
static void test_restart(void **state)
{
    (void)state;
    enum { BEFORE = 170, AFTER = 60 };
    static const int threads[] = {1, 2, 4};
    mix m = {.holds = 255, .count = 150, .step = 2e-5};
    char folder[] = "/tmp/cairn-mixed-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/mixed.h5", folder);
    uint64_t expected = 0;
    for (int from = 0; from < 3; from++) {
        cairn_world *saved = make_rain(m, threads[from]);
        run(saved, BEFORE, false);
        int bodies = cairn_body_count(saved);
        cairn_error error;
        assert_int_equal(cairn_world_save(saved, path, NULL, &error), CAIRN_OK);
        run(saved, AFTER, false);
        assert_true(cairn_body_count(saved) > bodies && bodies > m.count + 20);
        if (from == 0)
            expected = cairn_world_get_hash(saved);
        assert_true(cairn_world_get_hash(saved) == expected);
        cairn_world_destroy(saved);
        for (int to = 0; to < 3; to++) {
            cairn_world *restored = make_rain(m, threads[to]);
            // one that has gone its own way before
            run(restored, 40 * to, false);
            if (cairn_world_restore(restored, path, &error) != CAIRN_OK)
                fail_msg("%s", error.message);
            run(restored, AFTER, false);
            assert_true(cairn_world_get_hash(restored) == expected);
            cairn_world_destroy(restored);
        }
    }
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

enum { PARTS = 9 };

static uint64_t hash_body_columns(const cairn_world *world, eng_body_group group, int rows)
{
    uint64_t hash = BASE_HASH_START;
    for (int i = 0; i < ENG_BODY_COLUMN_COUNT; i++)
        if (eng_body_column_group(i) == group && rows > 0)
            hash = base_hash_bytes(hash, world->state.bodies.data[i],
                                   (size_t)rows * eng_column_row_size(eng_body_column(i)));
    return hash;
}

static uint64_t hash_particles(const cairn_world *world)
{
    uint64_t hash = eng_spheres_hash(world, BASE_HASH_START);
    for (int i = 0; i < world->model.bodies.count; i++)
        if (eng_spheres_holds(world, i)) {
            eng_state state = eng_spheres_state_of(world, i);
            hash = base_hash_bytes(hash, &state, sizeof state);
        }
    return hash;
}

static uint64_t hash_space(const cairn_world *world)
{
    size_t listed = (size_t)world->contacts.broad.listed_count;
    uint64_t hash =
        base_hash_bytes(BASE_HASH_START, world->contacts.broad.listed, listed * sizeof(int));
    for (size_t k = 0;
         k < listed && world->contacts.broad.proxy_capacity >= world->contacts.colliders.count; k++)
        hash = base_hash_bytes(
            hash, &world->contacts.colliders.pose[world->contacts.broad.listed[k]], sizeof(pose));
    for (int i = 0; i < world->contacts.pairs.count; i++) {
        const eng_pair *pair = &world->contacts.pairs.rows[i];
        const int numbers[] = {pair->colliders.first, pair->colliders.second, pair->first,
                               pair->count};
        hash = base_hash_bytes(hash, numbers, sizeof numbers);
    }
    return hash;
}

static uint64_t hash_contacts(const cairn_world *world)
{
    eng_columns columns = eng_contacts_columns((eng_contacts *)&world->contacts.set);
    uint64_t hash = BASE_HASH_START;
    for (int i = 0; i < columns.count && world->contacts.set.count > 0; i++)
        hash = base_hash_bytes(hash, columns.data[i],
                               (size_t)world->contacts.set.count *
                                   eng_column_row_size(&columns.table[i]));
    return hash;
}

/// Each part of a world by itself, in the order of eng_part_of_world.
static void hash_parts(const cairn_world *world, uint64_t parts[PARTS])
{
    parts[0] = hash_body_columns(world, ENG_BODY_STATE, world->scratch.general.reach);
    parts[1] = hash_body_columns(world, ENG_BODY_STEP, world->state.bodies.step_rows);
    parts[2] = hash_particles(world);
    parts[3] = hash_space(world);
    parts[4] = hash_contacts(world);
    parts[5] = base_hash_bytes(BASE_HASH_START, world->state.connectors.rows,
                               (size_t)world->model.connectors.count *
                                   sizeof *world->state.connectors.rows);
    size_t joints = (size_t)world->model.joints.count;
    parts[6] = base_hash_bytes(BASE_HASH_START, world->model.joints.rows,
                               joints * sizeof *world->model.joints.rows);
    parts[6] = base_hash_bytes(parts[6], world->state.joints.rows,
                               joints * sizeof *world->state.joints.rows);
    const void *problem[] = {world->scratch.solve.solved, world->scratch.solve.solved_R,
                             world->scratch.solve.problem.W};
    parts[7] = base_hash_bytes(BASE_HASH_START, problem, sizeof problem);
    parts[8] = base_hash_bytes(BASE_HASH_START, &world->state.audit.energy,
                               sizeof world->state.audit.energy);
}

static uint64_t parts_before[PARTS];
static unsigned written_parts, passes_run;

/// After a pass only what its row names has changed.
static void watch_pass(cairn_world *world, const eng_pass *pass, bool done)
{
    uint64_t now[PARTS];
    if (!done) {
        hash_parts(world, parts_before);
        return;
    }
    hash_parts(world, now);
    passes_run |= 1u << (pass - eng_passes);
    for (int i = 0; i < PARTS; i++) {
        bool changed = now[i] != parts_before[i];
        written_parts |= changed ? 1u << i : 0;
        if (changed && (pass->writes >> i & 1) == 0)
            fail_msg("pass \"%s\" writes part %d of the world, which its row does not name",
                     pass->name, i);
    }
}

/// Every pass writes what its row in the table names, and nothing else.
static void test_passes(void **state)
{
    (void)state;
    static const int kinds[] = {255, BOXES | LOADS, FAR_JOINT, 0};
    written_parts = passes_run = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        for (int general = 0; general < 2; general++) {
            mix m = {.holds = kinds[i], .count = 60, .threads = 1, .step = 2e-5};
            cairn_world *world = make_mix(&m);
            world->model.watch = watch_pass;
            run(world, 120, general);
            cairn_world_destroy(world);
        }
    assert_int_equal(passes_run, (1u << eng_pass_count) - 1);
    assert_int_equal(written_parts, (1u << PARTS) - 1);
}

/// What the fused pass costs is not what it costs beside others: spheres far from a box stay out of
/// the broad phase.
static void test_own_work(void **state)
{
    (void)state;
    mix m = {.holds = FAR_BOX, .count = 300, .threads = 1, .step = 2e-5};
    cairn_world *world = make_mix(&m);
    run(world, 400, false);
    assert_true(world->contacts.set.count >= 1 && world->contacts.set.count <= 4);
    assert_int_equal(world->scratch.general.active_count, world->scratch.general.count);
    assert_true(world->contacts.broad.listed_count <= 8 && world->contacts.pairs.count <= 8);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_connectors),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_implicit),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_audit),
        cmocka_unit_test(test_own_work),
        cmocka_unit_test(test_lost_kernel),
        cmocka_unit_test(test_rigid_after_springs),
        cmocka_unit_test(test_restart),
        cmocka_unit_test(test_passes),
        cmocka_unit_test(test_rise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
