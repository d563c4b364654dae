// SPDX-License-Identifier: Apache-2.0
// Bodies that nothing acts on from outside: energy of free motion, and linear and angular momentum
// under every law, to round-off.
#include "tests/physics/bench_world.h"

#include "base/rng.h"

#include <string.h>

static const double still[3] = {0.0, 0.0, 0.0};

typedef struct variant {
    const char *law;
    const char *name[4];
    double value[4];
} variant;

// parameters that make each law act: stiff enough to stop bodies of a kilogram
static const variant variants[] = {
    {"signorini_coulomb", {"friction", "restitution"}, {0.5, 0.3}},
    {"spring_dashpot", {"spring", "dashpot", "friction"}, {1e5, 10.0, 0.4}},
    {"incremental", {"normal_stiffness", "shear_stiffness", "friction"}, {1e5, 5e4, 0.4}},
    {"exudyn_sphere",
     {"contact_stiffness", "contact_damping", "dynamic_friction", "contact_plasticity_ratio"},
     {1e5, 10.0, 0.4, 0.4}},
    {"hooke",
     {"normal_stiffness", "friction", "rolling_friction", "twisting_friction"},
     {1e5, 0.4, 0.1, 0.1}},
    {"hertz_mindlin",
     {"young_modulus", "friction", "rolling_friction", "twisting_friction"},
     {1e7, 0.4, 0.1, 0.1}},
    {"mindlin_deresiewicz", {"young_modulus", "friction", "restitution"}, {1e7, 0.4, 0.7}},
    {"adhesive",
     {"young_modulus", "surface_energy", "friction", "rolling_friction"},
     {1e7, 50.0, 0.4, 0.1}},
    {"parallel_bond", {"normal_stiffness", "friction", "restitution"}, {1e5, 0.4, 0.5}},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

static void set_variant(cairn_world *world, const variant *v)
{
    const cairn_material_id none = {0};
    cairn_error error = {0};
    require(cairn_pair_set_law(world, none, none, v->law, &error), &error);
    for (int i = 0; i < 4 && v->name[i] != NULL; i++)
        require(
            cairn_pair_set_value(world, none, none, v->name[i], cairn_number(v->value[i]), &error),
            &error);
}

/// A cloud that falls together: each body flies to the middle, and spins.
typedef enum cloud { BALLS, BOXES, MIXED } cloud;

/// Capsules, cylinders and tetrahedra of about the size of the balls.
static void make_shapes(cairn_world *world, cairn_shape_id shapes[3])
{
    static const double corners[4][3] = {
        {0.1, 0.1, 0.1}, {0.1, -0.1, -0.1}, {-0.1, 0.1, -0.1}, {-0.1, -0.1, 0.1}};
    cairn_shape_def capsule = cairn_default_shape_def(CAIRN_CAPSULE);
    capsule.radius = 0.06;
    capsule.half_length = 0.05;
    shapes[0] = make_shape(world, &capsule);
    cairn_shape_def cylinder = cairn_default_shape_def(CAIRN_CYLINDER);
    cylinder.radius = 0.08;
    cylinder.half_length = 0.07;
    shapes[1] = make_shape(world, &cylinder);
    cairn_shape_def hull = cairn_default_shape_def(CAIRN_POLYHEDRON);
    hull.points = corners;
    hull.point_count = 4;
    shapes[2] = make_shape(world, &hull);
}

static cairn_world *make_cloud(const variant *v, double step, cloud kind)
{
    cairn_world_def def = cairn_default_world_def();
    for (int k = 0; k < 3; k++)
        def.gravity[k] = 0.0;
    def.time_step = step;
    cairn_world *world = make_world(&def);
    set_variant(world, v);
    cairn_shape_id ball = sphere_shape(world, 0.1), box = box_shape(world, 0.15, 0.18, 0.12);
    cairn_shape_id mixed[3];
    make_shapes(world, mixed);
    base_rng rng = base_rng_make(5);
    for (int i = 0; i < 27; i++) {
        double at[3], spin[3], velocity[3];
        for (int k = 0; k < 3; k++) {
            int cell = k == 0 ? i % 3 : k == 1 ? i / 3 % 3 : i / 9;
            at[k] = 0.24 * (cell - 1) + 0.02 * base_rng_unit(&rng);
            velocity[k] = -4.0 * at[k] + 0.3;
            spin[k] = 10.0 * (base_rng_unit(&rng) - 0.5);
        }
        cairn_body_id body = add_body_at(world,
                                         kind == MIXED                 ? mixed[i % 3]
                                         : kind == BALLS || i % 2 == 0 ? ball
                                                                       : box,
                                         at[0], at[1], at[2]);
        set_velocity(world, body, velocity, spin);
    }
    return world;
}

/// Sums of the sizes that cancel in the momenta: what round-off is measured by.
static void scales(const cairn_world *world, double *linear, double *angular)
{
    *linear = *angular = 0.0;
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view v = look_at(world, cairn_body_at(world, i));
        double speed = 0.0, way = 0.0, spin = 0.0;
        for (int k = 0; k < 3; k++) {
            speed = fmax(speed, fabs(v.velocity[k]));
            way = fmax(way, fabs(v.centre[k]));
            spin += v.inertia[k] * fabs(v.angular_velocity[k]);
        }
        *linear += v.mass * speed;
        *angular += v.mass * speed * way + spin;
    }
}

static void check_momentum(const variant *v, double step, cloud kind)
{
    cairn_world *world = make_cloud(v, step, kind);
    double linear[2][3], angular[2][3], scale[2];
    int touched = 0, least = (int)(0.02 / step);
    scales(world, &scale[0], &scale[1]);
    cairn_world_get_momentum(world, linear[0], angular[0]);
    for (int i = 0; i < (int)(0.15 / step); i++) {
        run_steps(world, 1);
        touched += cairn_contact_count(world) > 0;
    }
    cairn_world_get_momentum(world, linear[1], angular[1]);
    assert_true(touched > (least < 20 ? least : 20));
    for (int k = 0; k < 3; k++) {
        if (!(fabs(linear[1][k] - linear[0][k]) <= 1e-12 * scale[0]))
            fail_msg("%s: linear momentum %d changes by %.3g", v->law, k,
                     (linear[1][k] - linear[0][k]) / scale[0]);
        if (!(fabs(angular[1][k] - angular[0][k]) <= 1e-12 * scale[1]))
            fail_msg("%s: angular momentum %d changes by %.3g", v->law, k,
                     (angular[1][k] - angular[0][k]) / scale[1]);
    }
    cairn_world_destroy(world);
}

static void test_momentum_of_balls(void **state)
{
    (void)state;
    check_momentum(&variants[0], 5e-3, BALLS);
    for (int i = 0; i < VARIANTS; i++)
        check_momentum(&variants[i], i == 0 ? 1e-3 : 1e-4, BALLS);
}

static void test_momentum_with_boxes(void **state)
{
    (void)state;
    // long steps sink in deeper, and give the position correction more to do
    check_momentum(&variants[0], 5e-3, BOXES);
    for (int i = 0; i < VARIANTS; i++)
        check_momentum(&variants[i], i == 0 ? 1e-3 : 1e-4, BOXES);
}

static void test_momentum_of_mixed_shapes(void **state)
{
    (void)state;
    check_momentum(&variants[0], 5e-3, MIXED);
    for (int i = 0; i < VARIANTS; i++)
        check_momentum(&variants[i], i == 0 ? 1e-3 : 1e-4, MIXED);
}

/// Every law of the table has its variant here.
static void test_all_laws_are_tested(void **state)
{
    (void)state;
    for (int i = 0; i < cairn_plugin_count(CAIRN_LAW); i++) {
        const char *name = cairn_plugin_get(CAIRN_LAW, i).name;
        int found = 0;
        for (int k = 0; k < VARIANTS; k++)
            found += strcmp(variants[k].law, name) == 0;
        if (found == 0)
            fail_msg("law %s is not tested", name);
    }
}

/// Free flight under gravity: the balance holds to 1e-9 of the total energy.
static void test_free_motion(void **state)
{
    (void)state;
    const cairn_rotation schemes[] = {CAIRN_RIG_IMP, CAIRN_RIG_NEG};
    for (int s = 0; s < 2; s++) {
        cairn_world_def def = cairn_default_world_def();
        def.rotation = schemes[s];
        def.time_step = 1e-3;
        cairn_world *world = make_world(&def);
        const double spin[3] = {5.0, 0.0, 0.0}, up[3] = {3.0, 1.0, 20.0};
        set_velocity(world, add_body_at(world, sphere_shape(world, 0.1), 0.0, 0.0, 50.0), up, spin);
        set_velocity(world, add_body_at(world, box_shape(world, 0.2, 0.2, 0.2), 9.0, 0.0, 50.0), up,
                     spin);
        set_velocity(world, add_body_at(world, box_shape(world, 0.3, 0.2, 0.1), 5.0, 0.0, 50.0),
                     still, spin);
        cairn_energy start = cairn_world_get_energy(world);
        double total = start.kinetic + start.potential;
        run_steps(world, 1000);
        cairn_energy end = cairn_world_get_energy(world);
        check_close(end.kinetic + end.potential, total, 0.0, 1e-9 * total);
        check_close(end.residual, 0.0, 0.0, 1e-9 * total);
        cairn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_momentum_of_balls),
        cmocka_unit_test(test_momentum_with_boxes),
        cmocka_unit_test(test_momentum_of_mixed_shapes),
        cmocka_unit_test(test_all_laws_are_tested),
        cmocka_unit_test(test_free_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
