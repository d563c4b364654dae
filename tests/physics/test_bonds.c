// SPDX-License-Identifier: Apache-2.0
// Adhesion and bonds in worlds: pull-off of a sphere from a plane, a beam of bonded spheres against
// that of Timoshenko, the load that breaks it, and long liquid bridges.
#include "tests/physics/bench_world.h"

static void set_law(cairn_world *world, const char *law)
{
    const cairn_material_id none = {0};
    cairn_error error = {0};
    require(cairn_pair_set_law(world, none, none, law, &error), &error);
}

static void set_value(cairn_world *world, const char *name, double value)
{
    const cairn_material_id none = {0};
    cairn_error error = {0};
    require(cairn_pair_set_value(world, none, none, name, cairn_number(value), &error), &error);
}

static cairn_world *empty_world(double step)
{
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = 0.0;
    def.time_step = step;
    return make_world(&def);
}

static void set_force(cairn_world *world, cairn_body_id body, double x, double z)
{
    cairn_error error = {0};
    const double force[3] = {x, 0.0, z}, torque[3] = {0.0, 0.0, 0.0};
    require(cairn_body_set_force(world, body, force, torque, &error), &error);
}

/// A force that rises smoothly to its full size in `steps`.
static void ramp(cairn_world *world, cairn_body_id body, double x, double z, int steps)
{
    for (int i = 0; i < steps; i++) {
        double share = 0.5 - 0.5 * cos(M_PI * (i + 1.0) / steps);
        set_force(world, body, share * x, share * z);
        cairn_error error = {0};
        require(cairn_world_step(world, &error), &error);
    }
}

/// Whether a sphere on a plane comes off when it is pulled with a share of the model's force.
static bool comes_off(bool jkr, double share)
{
    const double radius = 0.01, w = 1.0;
    cairn_world *world = empty_world(2e-5);
    set_law(world, "adhesive");
    cairn_error error = {0};
    const cairn_material_id none = {0};
    require(cairn_pair_set_value(world, none, none, "adhesion", cairn_text(jkr ? "jkr" : "dmt"),
                                 &error),
            &error);
    set_value(world, "surface_energy", w);
    set_value(world, "restitution", 0.05);
    add_ground(world);
    cairn_body_id ball = add_body_at(world, sphere_shape(world, radius), 0.0, 0.0, radius);
    double force = (jkr ? 1.5 : 2.0) * M_PI * w * radius;
    run_steps(world, 2000);
    ramp(world, ball, 0.0, share * force, 20000);
    run_steps(world, 10000);
    bool off = look_at(world, ball).position[2] > radius + 1e-3;
    cairn_world_destroy(world);
    return off;
}

static void a_sphere_comes_off_at_the_pull_off_force(void **state)
{
    (void)state;
    for (int jkr = 0; jkr < 2; jkr++) {
        assert_false(comes_off(jkr == 1, 0.999));
        assert_true(comes_off(jkr == 1, 1.001));
    }
}

enum { SPHERES_MAX = 32 };

/// Bonded spheres in a row along x; the first is fixed.
typedef struct beam {
    cairn_world *world;
    cairn_body_id body[SPHERES_MAX];
    int bonds;
    double length;                       // m, of a bond
    double area, inertia, normal, shear; // of the bond: m2, m4, Pa/m
} beam;

static beam make_beam(int bonds, double strength)
{
    const double radius = 0.05;
    beam b = {.world = empty_world(2e-4), .bonds = bonds, .length = 2.0 * radius};
    b.area = M_PI * radius * radius;
    b.inertia = 0.25 * b.area * radius * radius;
    b.normal = 1e8;
    b.shear = 4e7;
    set_law(b.world, "parallel_bond");
    set_value(b.world, "bond_normal_stiffness", b.normal);
    set_value(b.world, "bond_shear_stiffness", b.shear);
    set_value(b.world, "bond_damping_ratio", 0.3);
    set_value(b.world, "tensile_strength", strength);
    set_value(b.world, "shear_strength", 1e9);
    cairn_shape_id shape = sphere_shape(b.world, radius);
    for (int i = 0; i <= bonds; i++) {
        cairn_body_def def = cairn_default_body_def();
        def.kind = i == 0 ? CAIRN_FIXED : CAIRN_DYNAMIC;
        def.shape = shape;
        def.position[0] = i * b.length;
        b.body[i] = make_body(b.world, &def);
    }
    return b;
}

/// Deflection of the tip under a force there: each bond bends and shears at its middle.
static double deflection(const beam *b, double force)
{
    double sum = 0.0;
    for (int i = 0; i < b->bonds; i++) {
        double arm = (b->bonds - i - 0.5) * b->length;
        sum += force * arm * arm / (b->normal * b->inertia) + force / (b->shear * b->area);
    }
    return sum;
}

static void a_beam_of_bonds_bends_like_timoshenkos(void **state)
{
    (void)state;
    beam b = make_beam(10, 1e12);
    const double force = 0.5;
    ramp(b.world, b.body[b.bonds], 0.0, -force, 30000);
    double sum = 0.0;
    enum { STEPS = 20000 };
    for (int i = 0; i < STEPS; i++) {
        run_steps(b.world, 1);
        sum -= look_at(b.world, b.body[b.bonds]).position[2] / STEPS;
    }
    check_close(sum, deflection(&b, force), 1e-3, 0.0);
    double L = b.bonds * b.length, EI = b.normal * b.inertia * b.length;
    double beam_theory = force * L * L * L / (3.0 * EI) + force * L / (b.shear * b.area * b.length);
    check_close(sum, beam_theory, 5e-3, 0.0);
    // a pull along the beam
    cairn_world_destroy(b.world);
    b = make_beam(10, 1e12);
    ramp(b.world, b.body[b.bonds], 1000.0, 0.0, 20000);
    double stretch = look_at(b.world, b.body[b.bonds]).position[0] - L;
    check_close(stretch, 1000.0 * b.bonds / (b.normal * b.area), 1e-3, 0.0);
    cairn_world_destroy(b.world);
}

/// The root bears the largest moment, at the middle of its bond; returns whether it breaks.
static bool beam_breaks(double share)
{
    const double strength = 2e5;
    beam b = make_beam(4, strength);
    double arm = (b.bonds - 0.5) * b.length, rim = 0.5 * b.length;
    double critical = strength * b.inertia / (rim * arm), force = share * critical;
    ramp(b.world, b.body[b.bonds], 0.0, -force, 30000);
    run_steps(b.world, 2000);
    cairn_energy e = cairn_world_get_energy(b.world);
    bool broken = look_at(b.world, b.body[b.bonds]).position[2] < -0.5 * b.bonds * b.length;
    double moment = force * arm;
    double held =
        0.5 * moment * moment / (b.normal * b.inertia) + 0.5 * force * force / (b.shear * b.area);
    check_close(e.plastic, broken ? held : 0.0, 0.02, 1e-12);
    check_at_most(fabs(e.residual), 1e-3 * (fabs(e.drivers) + held));
    cairn_world_destroy(b.world);
    return broken;
}

static void a_beam_breaks_at_its_strength(void **state)
{
    (void)state;
    assert_false(beam_breaks(0.998));
    assert_true(beam_breaks(1.002));
}

/// Two equal balls that touch, of which the second one is too heavy for the bridge to move.
typedef struct bridge {
    cairn_world *world;
    cairn_body_id second;
    double radius, end; // m; gap at which it ends by Willett
} bridge;

static bridge make_bridge(double speed)
{
    const double volume = 1e-10;
    bridge b = {.radius = 1e-3};
    b.end = cbrt(volume) + pow(volume, 2.0 / 3.0) / (10.0 * b.radius);
    b.world = empty_world(b.end / speed / 3000.0);
    set_law(b.world, "adhesive");
    const cairn_material_id none = {0};
    cairn_error error = {0};
    const cairn_value model = cairn_text("capillary");
    require(cairn_pair_set_value(b.world, none, none, "adhesion", model, &error), &error);
    set_value(b.world, "bridge_volume", volume);
    set_value(b.world, "young_modulus", 1e9);
    cairn_shape_id ball = sphere_shape(b.world, b.radius);
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_FIXED;
    def.shape = ball;
    make_body(b.world, &def);
    def.kind = CAIRN_DYNAMIC;
    def.density = 1e12;
    def.position[0] = 2.0 * b.radius - 1e-3 * b.end;
    def.velocity[0] = speed;
    b.second = make_body(b.world, &def);
    return b;
}

/// A long bridge ends where it should, whatever else moves in the world and however small it is:
/// lists of pairs are made anew for that.
static void a_bridge_ends_at_willetts_distance(void **state)
{
    (void)state;
    const double speed = 1e-3;
    for (int others = 0; others < 2; others++) {
        bridge b = make_bridge(speed);
        if (others == 1) {
            cairn_body_id grain = add_body_at(b.world, sphere_shape(b.world, 1e-4), 1.0, 0.0, 0.0);
            set_velocity(b.world, grain, (double[]){20.0 * speed, 0.0, 0.0}, (double[]){0, 0, 0});
        }
        double last = 0.0;
        for (int i = 0; i < 3300; i++) {
            run_steps(b.world, 1);
            cairn_contact_view contact;
            if (cairn_contact_get(b.world, 0, &contact) == CAIRN_OK && contact.force[0] < 0.0)
                last = contact.gap;
        }
        check_close(last, b.end, 1e-3, 0.0);
        cairn_world_destroy(b.world);
    }
}

/// The force of a bridge follows the line of centres when one ball goes round the other.
static void a_bridge_turns_with_its_balls(void **state)
{
    (void)state;
    bridge b = make_bridge(1e-3);
    run_steps(b.world, 1800);
    cairn_error error = {0};
    for (int i = 0; i < 2000; i++) {
        cairn_body_view view = look_at(b.world, b.second);
        double x = view.position[0], z = view.position[2], r = hypot(x, z);
        set_velocity(b.world, b.second, (double[]){-1e-3 * z / r, 0.0, 1e-3 * x / r},
                     (double[]){0.0, 0.0, 0.0});
        run_steps(b.world, 1);
        cairn_contact_view contact;
        require(cairn_contact_get(b.world, 0, &contact), &error);
        double force = hypot(contact.force[0], contact.force[2]);
        check_at_most(fabs(x * contact.force[2] - z * contact.force[0]), 1e-3 * r * force);
    }
    cairn_world_destroy(b.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_comes_off_at_the_pull_off_force),
        cmocka_unit_test(a_beam_of_bonds_bends_like_timoshenkos),
        cmocka_unit_test(a_beam_breaks_at_its_strength),
        cmocka_unit_test(a_bridge_ends_at_willetts_distance),
        cmocka_unit_test(a_bridge_turns_with_its_balls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
