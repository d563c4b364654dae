// SPDX-License-Identifier: Apache-2.0
// What mechanisms conserve, at steps that are far from small: energy of chains under any tension
// and of rotors, momenta of what floats, precession, tensions and centripetal forces.
#include "tests/physics/joint_world.h"

#include <string.h>

static const cairn_body_id no_body = {0};
static const double gravity = 9.81;

static double energy_of(const cairn_world *world)
{
    cairn_energy e = cairn_world_get_energy(world);
    return e.kinetic + e.potential + e.elastic;
}

/// A body that touches no other one.
static cairn_body_id add_untouched(cairn_world *world, double m, const double inertia[3], double x,
                                   double y, double z)
{
    cairn_error error = {0};
    cairn_body_id body = add_mass(world, m, inertia, x, y, z);
    const cairn_collision none = {.groups = 2, .mask = 4};
    require(cairn_body_set_collision(world, body, none, &error), &error);
    return body;
}

/// Largest change of the energy over some steps, over the largest kinetic one.
static double energy_error(cairn_world *world, int steps)
{
    run_steps(world, 1);
    double start = energy_of(world), worst = 0.0, most = 0.0;
    for (int i = 0; i < steps; i++) {
        run_steps(world, 1);
        worst = fmax(worst, fabs(energy_of(world) - start));
        most = fmax(most, cairn_world_get_energy(world).kinetic);
    }
    check_at_most(worst_joint(world), 1e-12);
    // a tap is little beside the energy of what hangs
    return worst / (most + 1e-6 * fabs(start));
}

// ---------------------------------------------------------------- chains

typedef struct chain_case {
    cairn_joint_kind kind;
    int links;
    double end_mass; // kg; links have 0.1 kg
    bool hangs;      // else level
    double tap;      // m/s of the first link, along x and y
    double h;
} chain_case;

/// Links of 0.1 m from the origin and a ball at the end.
static cairn_world *make_chain(const chain_case *c, cairn_joint_id *first)
{
    const double length = 0.1, level[3] = {1e-6, 8e-5, 8e-5}, hanging[3] = {8e-5, 8e-5, 1e-6};
    cairn_world *world = joint_world(c->h, gravity);
    cairn_body_id last = no_body;
    for (int i = 0; i <= c->links; i++) {
        bool end = i == c->links;
        double at = end ? i * length + 0.05 : (i + 0.5) * length;
        double ball = 0.4 * c->end_mass * 0.05 * 0.05, round[3] = {ball, ball, ball};
        cairn_body_id next = add_untouched(world, end ? c->end_mass : 0.1,
                                           end        ? round
                                           : c->hangs ? hanging
                                                      : level,
                                           c->hangs ? 0.0 : at, 0.0, c->hangs ? -at : 0.0);
        double anchor = i * length;
        cairn_joint_def def =
            joint_def(c->kind, last, next, c->hangs ? 0.0 : anchor, 0.0, c->hangs ? -anchor : 0.0);
        set_axis(def.axis, 0.0, 1.0, 0.0);
        cairn_joint_id joint = make_joint(world, &def);
        if (i == 0) {
            const double v[3] = {c->hangs ? c->tap : 0.0,
                                 c->kind == CAIRN_JOINT_BALL ? c->tap : 0.0, 0.0};
            const double still[3] = {0.0, 0.0, 0.0};
            set_velocity(world, next, v, still);
            *first = joint;
        }
        last = next;
    }
    return world;
}

static void chains_keep_their_energy_under_any_tension(void **state)
{
    (void)state;
    const cairn_joint_kind ball = CAIRN_JOINT_BALL, hinge = CAIRN_JOINT_HINGE;
    const chain_case cases[] = {
        {ball, 1, 0.1, false, 0.0, 5e-3},    {ball, 1, 100.0, false, 0.0, 5e-3},
        {ball, 2, 10.0, false, 0.1, 5e-3},   {ball, 2, 1000.0, false, 0.0, 1e-3},
        {ball, 5, 1.0, false, 0.0, 5e-3},    {hinge, 5, 10.0, false, 0.0, 5e-3},
        {ball, 10, 0.1, false, 0.0, 5e-3},   {ball, 10, 0.1, false, 0.5, 2e-3},
        {hinge, 10, 1.0, false, 0.0, 5e-3},  {ball, 20, 0.1, false, 0.0, 5e-3},
        {ball, 10, 12.5, true, 1e-3, 5e-3},  {ball, 10, 100.0, true, 1e-2, 5e-3},
        {ball, 20, 1000.0, true, 0.1, 5e-3}, {hinge, 20, 1.0, true, 1.0, 5e-3},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        cairn_joint_id first;
        cairn_world *world = make_chain(&cases[i], &first);
        double error = energy_error(world, 400);
        check_at_most(error, 1e-6);
        cairn_world_destroy(world);
    }
}

static void a_hanging_chain_bears_its_weight(void **state)
{
    (void)state;
    const double ends[] = {0.1, 12.5, 1000.0};
    for (int i = 0; i < 3; i++) {
        chain_case c = {CAIRN_JOINT_BALL, 10, ends[i], true, 0.0, 5e-3};
        cairn_joint_id first;
        cairn_world *world = make_chain(&c, &first);
        run_steps(world, 200);
        double weight = (1.0 + ends[i]) * gravity;
        check_close(look_at_joint(world, first).force[2], weight, 1e-9, 0.0);
        cairn_world_destroy(world);
    }
}

// ---------------------------------------------------------------- rotors

/// A bar that turns about its end, or about a point beside its axis.
static void rotors_keep_their_energy_and_pull_with_the_centripetal_force(void **state)
{
    (void)state;
    const double h = 5e-3;
    const double arms[] = {0.1, 0.5, 2.0}, turns[] = {0.1, 0.5, 0.9, 2.0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            for (int kind = 0; kind < 2; kind++) {
                double r = arms[i], w = turns[k] / h, J = r * r / 3.0;
                const double inertia[3] = {0.01 * r * r, J, J};
                cairn_world *world = joint_world(h, 0.0);
                cairn_body_id bar = add_mass(world, 1.0, inertia, r, 0.0, 0.0);
                cairn_joint_def def = joint_def(kind == 0 ? CAIRN_JOINT_HINGE : CAIRN_JOINT_BALL,
                                                no_body, bar, 0.0, 0.0, 0.0);
                set_axis(def.axis, 0.0, 1.0, 0.0);
                cairn_joint_id joint = make_joint(world, &def);
                const double spin[3] = {0.0, w, 0.0}, v[3] = {0.0, 0.0, -w * r};
                set_velocity(world, bar, v, spin);
                double start = 0.5 * (r * r + J) * w * w;
                run_steps(world, 2000);
                check_close(look_at(world, bar).kinetic_energy, start, 1e-9, 0.0);
                const double *f = look_at_joint(world, joint).force;
                double pull = sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]), x = 0.5 * turns[k];
                if (turns[k] < 0.6)
                    check_close(pull, w * w * r, 0.6 * x * x, 0.0);
                check_at_most(worst_joint(world), 1e-12);
                cairn_world_destroy(world);
            }
}

static void a_step_past_half_a_turn_is_refused_by_name(void **state)
{
    (void)state;
    const double inertia[3] = {0.1, 0.2, 0.2}, still[3] = {0.0, 0.0, 0.0};
    const double rates[] = {300.0, 320.0};
    for (int i = 0; i < 2; i++) {
        cairn_error error = {0};
        cairn_world *world = joint_world(0.01, 0.0);
        cairn_body_id body = add_mass(world, 1.0, inertia, 0.0, 0.0, 0.0);
        const double spin[3] = {0.0, rates[i], 0.0};
        set_velocity(world, body, still, spin);
        require(cairn_world_step(world, &error), &error);
        hinge_y(world, no_body, body, 0.0, 0.0, 0.0);
        cairn_status status = cairn_world_step(world, &error);
        if (i == 0) {
            assert_int_equal(status, CAIRN_OK);
        } else {
            assert_int_equal(status, CAIRN_ERROR_ARGUMENT);
            assert_non_null(strstr(error.message, "body 0"));
            assert_non_null(strstr(error.message, "3.2 rad"));
            assert_non_null(strstr(error.message, "0.01 s"));
        }
        cairn_world_destroy(world);
    }
}

// ---------------------------------------------------------------- what floats

static void floating_assemblies_keep_momenta_and_energy(void **state)
{
    (void)state;
    const cairn_joint_kind kinds[] = {
        CAIRN_JOINT_BALL,   CAIRN_JOINT_HINGE, CAIRN_JOINT_UNIVERSAL, CAIRN_JOINT_CYLINDRICAL,
        CAIRN_JOINT_SLIDER, CAIRN_JOINT_FIXED, CAIRN_JOINT_ROD};
    const double steps[] = {1e-3, 1e-2, 3e-2};
    for (int kind = 0; kind < 7; kind++)
        for (int s = 0; s < 3; s++) {
            cairn_world *world = joint_world(steps[s], 0.0);
            cairn_body_id last = no_body;
            for (int i = 0; i < 4; i++) {
                const double J[3] = {0.02 + 0.01 * i, 0.05, 0.04 - 0.005 * i};
                cairn_body_id next = add_untouched(world, 1.0 + 0.5 * i, J, 0.5 * i, 0.1 * i, 0.0);
                const double v[3] = {0.1 * i, 0.5 - 0.2 * i, 0.3};
                const double w[3] = {4.0, -3.0 * i, 6.0};
                set_velocity(world, next, v, w);
                if (i > 0) {
                    cairn_joint_def def =
                        joint_def(kinds[kind], last, next, 0.5 * i - 0.25, 0.1 * i, 0.05);
                    set_axis(def.anchor_b, 0.5 * i - 0.1, 0.1 * i, 0.1);
                    make_joint(world, &def);
                }
                last = next;
            }
            double p[3], l[3], p_now[3], l_now[3];
            run_steps(world, 1);
            cairn_world_get_momentum(world, p, l);
            double start = energy_of(world);
            run_steps(world, 500);
            cairn_world_get_momentum(world, p_now, l_now);
            for (int k = 0; k < 3; k++) {
                check_close(p_now[k], p[k], 0.0, 1e-12);
                check_close(l_now[k], l[k], 0.0, 2e-12);
            }
            check_close(energy_of(world), start, 1e-9, 0.0);
            check_at_most(worst_joint(world), 1e-12);
            cairn_world_destroy(world);
        }
}

// ---------------------------------------------------------------- tops

/// A symmetric top on a ball joint precesses steadily at any spin that its step resolves.
static void tops_precess(void **state)
{
    (void)state;
    const double spins[] = {20.0, 50.0, 100.0}, h = 5e-3, arm = 0.1, m = 1.0;
    const double own[3] = {0.004, 0.004, 0.006};
    for (int i = 0; i < 3; i++) {
        double A = own[0] + m * arm * arm, C = own[2], tilt = 0.4;
        // steady precession W: A W^2 cos(tilt) - C s W + m g arm = 0, s the spin along the axis
        double a = A * cos(tilt), b = C * spins[i] * 2.0, c = m * gravity * arm;
        double disc = b * b - 4.0 * a * c;
        if (disc < 0.0)
            continue;
        double W = 2.0 * c / (b + sqrt(disc)), s = 2.0 * spins[i];
        cairn_world *world = joint_world(h, gravity);
        cairn_body_def def = cairn_default_body_def();
        def.shape = sphere_shape(world, 0.01);
        def.mass = m;
        for (int k = 0; k < 3; k++)
            def.inertia[k] = own[k];
        const double axis[3] = {sin(tilt), 0.0, cos(tilt)};
        def.orientation[0] = cos(0.5 * tilt);
        def.orientation[2] = sin(0.5 * tilt);
        for (int k = 0; k < 3; k++)
            def.position[k] = arm * axis[k];
        cairn_body_id top = make_body(world, &def);
        cairn_joint_def ball = joint_def(CAIRN_JOINT_BALL, no_body, top, 0.0, 0.0, 0.0);
        make_joint(world, &ball);
        // along the axis s in all, and W about z
        double rest = s - W * cos(tilt);
        const double w[3] = {rest * axis[0], 0.0, rest * axis[2] + W};
        const double v[3] = {w[1] * arm * axis[2] - w[2] * 0.0,
                             w[2] * arm * axis[0] - w[0] * arm * axis[2], 0.0};
        set_velocity(world, top, v, w);
        int steps = (int)lround(2.0 / h);
        double start = energy_of(world), turned = 0.0, before = 0.0;
        for (int n = 0; n < steps; n++) {
            run_steps(world, 1);
            cairn_body_view view = look_at(world, top);
            double angle = atan2(view.position[1], view.position[0]);
            turned += remainder(angle - before, 2.0 * M_PI);
            before = angle;
        }
        check_close(turned, W * 2.0, 2e-2, 0.0);
        check_close(energy_of(world), start, 1e-9, 0.0);
        cairn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_keep_their_energy_under_any_tension),
        cmocka_unit_test(a_hanging_chain_bears_its_weight),
        cmocka_unit_test(rotors_keep_their_energy_and_pull_with_the_centripetal_force),
        cmocka_unit_test(a_step_past_half_a_turn_is_refused_by_name),
        cmocka_unit_test(floating_assemblies_keep_momenta_and_energy),
        cmocka_unit_test(tops_precess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
