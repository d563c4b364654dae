// SPDX-License-Identifier: Apache-2.0
// Mechanisms under tension beside contacts: chains whose links or ends touch something, cables that
// forces, springs and motors pull, closed loops, moving anchors, and turns that no step can follow.
#include "tests/physics/joint_world.h"

#include <string.h>

static const cairn_body_id no_body = {0};
static const double gravity = 9.81, link_length = 0.1;

static double energy_of(const cairn_world *world)
{
    cairn_energy e = cairn_world_get_energy(world);
    return e.kinetic + e.potential + e.elastic;
}

static void let_touch(cairn_world *world, cairn_body_id body, bool touches)
{
    cairn_error error = {0};
    const cairn_collision some = {.groups = 1, .mask = 1}, none = {.groups = 2, .mask = 4};
    require(cairn_body_set_collision(world, body, touches ? some : none, &error), &error);
}

static cairn_body_id add_fixed(cairn_world *world, cairn_shape_id shape, double x, double z)
{
    cairn_body_def def = cairn_default_body_def();
    def.shape = shape;
    def.kind = CAIRN_FIXED;
    def.position[0] = x;
    def.position[2] = z;
    return make_body(world, &def);
}

/// Links of 0.1 kg and 1 cm radius that hang from the origin, tapped at the first of them. Only the
/// one in the middle touches anything.
/// @return the last one
static cairn_body_id hang_links(cairn_world *world, cairn_joint_kind kind, int links, double tap)
{
    const double moments[3] = {8e-5, 8e-5, 1e-6}, still[3] = {0.0, 0.0, 0.0};
    const double v[3] = {tap, kind == CAIRN_JOINT_BALL ? tap : 0.0, 0.0};
    cairn_body_id last = no_body;
    for (int i = 0; i < links; i++) {
        cairn_body_id next = add_mass(world, 0.1, moments, 0.0, 0.0, -(i + 0.5) * link_length);
        let_touch(world, next, i == links / 2);
        cairn_joint_def def = joint_def(kind, last, next, 0.0, 0.0, -i * link_length);
        set_axis(def.axis, 0.0, 1.0, 0.0);
        make_joint(world, &def);
        if (i == 0)
            set_velocity(world, next, v, still);
        last = next;
    }
    return last;
}

/// Hangs a weight under links. @return its lowest point, m
static double hang_weight(cairn_world *world, cairn_body_id last, int links, double mass,
                          bool touches)
{
    const double radius = 0.01, J = 0.4 * mass * 0.05 * 0.05, round[3] = {J, J, J};
    double z = -links * link_length - 0.05;
    cairn_body_id weight = add_mass(world, mass, round, 0.0, 0.0, z);
    let_touch(world, weight, touches);
    cairn_joint_def def = joint_def(CAIRN_JOINT_BALL, last, weight, 0.0, 0.0, z + 0.05);
    make_joint(world, &def);
    return z - radius;
}

/// Steps that none of may end unsolved or gain energy. @param scale  J
static void run_calmly(cairn_world *world, int steps, double scale)
{
    cairn_error error = {0};
    double start = energy_of(world);
    for (int i = 0; i < steps; i++) {
        require(cairn_world_step(world, &error), &error);
        assert_false(cairn_world_is_unsolved(world));
        check_at_most(energy_of(world) - start, 1e-6 * scale);
    }
    check_at_most(worst_joint(world), 1e-12);
}

typedef struct beside_case {
    cairn_joint_kind kind;
    int links;
    double mass; // kg, at the end
    bool floor;  // under the weight; else a ball beside the link in the middle
    double tap, h, friction;
} beside_case;

static void taut_chains_beside_contacts_stay_calm(void **state)
{
    (void)state;
    const cairn_joint_kind ball = CAIRN_JOINT_BALL, hinge = CAIRN_JOINT_HINGE;
    // T h^2 / (m l) from 0.3 to 25: contacts beside joints that are explicit in their tension
    // explode in all of them but the first and the last
    const beside_case cases[] = {
        {ball, 10, 1.0, false, 0.1, 5e-3, 0.3},    {ball, 10, 12.5, true, 0.1, 5e-3, 0.0},
        {ball, 10, 12.5, false, 0.1, 5e-3, 0.3},   {hinge, 10, 12.5, false, 0.2, 5e-3, 0.3},
        {ball, 10, 100.0, true, 0.1, 5e-3, 0.5},   {ball, 10, 100.0, false, 0.1, 5e-3, 0.0},
        {hinge, 6, 100.0, true, 0.3, 5e-3, 0.3},   {ball, 20, 50.0, false, 0.05, 5e-3, 0.3},
        {ball, 10, 1000.0, false, 0.1, 5e-3, 0.3}, {ball, 4, 30.0, false, 0.2, 1e-2, 0.3},
        {hinge, 5, 1.0, true, 0.1, 2e-3, 0.3},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        const beside_case *c = &cases[i];
        cairn_world *world = joint_world(c->h, gravity);
        set_contact(world, c->friction, 0.0);
        cairn_body_id last = hang_links(world, c->kind, c->links, c->tap);
        double low = hang_weight(world, last, c->links, c->mass, c->floor);
        if (c->floor)
            add_fixed(world, box_shape(world, 0.5, 0.5, 0.05), 0.0, low - 0.05);
        else
            add_fixed(world, sphere_shape(world, 0.03), 0.04, -(c->links / 2 + 0.5) * link_length);
        run_calmly(world, 300, c->mass * gravity * link_length);
        // what was there was the tap, and half of its energy at least is spent or in the swing
        check_at_most(cairn_world_get_energy(world).kinetic, 0.1 * (2.0 * c->tap * c->tap));
        cairn_world_destroy(world);
    }
}

typedef enum pull { BY_FORCE, BY_SPRING, BY_MOTOR } pull;

/// A cable between a hook and a sledge that something pulls, past a ball that its middle touches.
static void pulled_cables_beside_contacts_stay_calm(void **state)
{
    (void)state;
    const struct {
        pull pull;
        double tension, h; // N, s
    } cases[] = {
        {BY_FORCE, 100.0, 5e-3}, {BY_FORCE, 400.0, 5e-3}, {BY_SPRING, 200.0, 5e-3},
        {BY_SPRING, 50.0, 1e-2}, {BY_MOTOR, 200.0, 5e-3}, {BY_MOTOR, 800.0, 2e-3},
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        cairn_world *world = joint_world(cases[i].h, 0.0);
        set_contact(world, 0.2, 0.0);
        const int links = 10;
        const double J[3] = {1e-4, 1e-4, 1e-4}, z = -links * link_length;
        cairn_body_id last = hang_links(world, CAIRN_JOINT_BALL, links, 0.1);
        cairn_body_id sledge = add_mass(world, 0.2, J, 0.0, 0.0, z);
        let_touch(world, sledge, false);
        cairn_joint_def eye = joint_def(CAIRN_JOINT_BALL, last, sledge, 0.0, 0.0, z);
        make_joint(world, &eye);
        cairn_joint_def slide = joint_def(CAIRN_JOINT_SLIDER, no_body, sledge, 0.0, 0.0, z);
        set_axis(slide.axis, 0.0, 0.0, -1.0);
        if (cases[i].pull == BY_FORCE)
            slide.force = cases[i].tension;
        slide.stiffness = cases[i].pull == BY_SPRING ? 10.0 * cases[i].tension : 0.0;
        slide.rest = cases[i].pull == BY_SPRING ? 0.1 : 0.0;
        slide.motor = cases[i].pull == BY_MOTOR;
        if (slide.motor) {
            slide.motor_velocity = 1.0;
            slide.motor_limit = cases[i].tension;
        }
        make_joint(world, &slide);
        add_fixed(world, sphere_shape(world, 0.03), 0.04, -(links / 2 + 0.5) * link_length);
        cairn_error error = {0};
        for (int n = 0; n < 300; n++) {
            require(cairn_world_step(world, &error), &error);
            assert_false(cairn_world_is_unsolved(world));
            // that of the tap and of what the pull moves while the cable is bent
            check_at_most(cairn_world_get_energy(world).kinetic, 2e-3);
        }
        check_at_most(worst_joint(world), 1e-12);
        cairn_world_destroy(world);
    }
}

/// Four bars in a loop that floats and spins, folded and in space: energy and momenta.
static void loops_keep_energy(void **state)
{
    (void)state;
    const cairn_joint_kind kinds[] = {CAIRN_JOINT_HINGE, CAIRN_JOINT_BALL, CAIRN_JOINT_UNIVERSAL};
    const double rates[] = {5.0, 60.0};
    const double corner[4][2] = {{0.0, 0.0}, {0.5, 0.0}, {0.6, 0.4}, {-0.1, 0.5}};
    for (int kind = 0; kind < 3; kind++)
        for (int r = 0; r < 2; r++) {
            cairn_world *world = joint_world(5e-3, 0.0);
            cairn_body_id bar[4];
            for (int i = 0; i < 4; i++) {
                const double *a = corner[i], *b = corner[(i + 1) % 4], J[3] = {0.02, 0.03, 0.025};
                double x = 0.5 * (a[0] + b[0]), z = 0.5 * (a[1] + b[1]), w = rates[r];
                bar[i] = add_mass(world, 1.0, J, x, 0.0, z);
                let_touch(world, bar[i], false);
                const double spin[3] = {0.0, w, 0.0}, v[3] = {w * (z - 0.2), 0.0, -w * (x - 0.2)};
                set_velocity(world, bar[i], v, spin);
            }
            for (int i = 0; i < 4; i++) {
                cairn_joint_def def = joint_def(kinds[kind], bar[(i + 3) % 4], bar[i], corner[i][0],
                                                0.0, corner[i][1]);
                set_axis(def.axis, 0.0, 1.0, 0.0);
                make_joint(world, &def);
            }
            run_steps(world, 1);
            double start = energy_of(world);
            run_steps(world, 1000);
            check_close(energy_of(world), start, 1e-8, 0.0);
            check_at_most(worst_joint(world), 1e-12);
            cairn_world_destroy(world);
        }
}

/// What hangs from an anchor that moves steadily does what it does at one that rests.
static void moving_anchors_change_nothing(void **state)
{
    (void)state;
    double force[2][3];
    for (int moves = 0; moves < 2; moves++) {
        cairn_world *world = joint_world(5e-3, gravity);
        cairn_error error = {0};
        const double J[3] = {8e-5, 8e-5, 1e-6}, still[3] = {0.0, 0.0, 0.0};
        const double along[3] = {moves ? 3.0 : 0.0, moves ? -2.0 : 0.0, moves ? 1.0 : 0.0};
        cairn_body_def def = cairn_default_body_def();
        def.shape = sphere_shape(world, 0.01);
        def.kind = CAIRN_MOVING;
        cairn_body_id last = make_body(world, &def);
        require(cairn_body_set_velocity(world, last, along, still, &error), &error);
        cairn_joint_id hook = {0};
        for (int i = 0; i < 6; i++) {
            const double v[3] = {along[0] + (i == 5 ? 0.3 : 0.0), along[1], along[2]};
            cairn_body_id next = add_mass(world, i == 5 ? 20.0 : 0.1, J, (i + 0.5) * 0.1, 0.0, 0.0);
            let_touch(world, next, false);
            set_velocity(world, next, v, still);
            cairn_joint_def ball = joint_def(CAIRN_JOINT_BALL, last, next, i * 0.1, 0.0, 0.0);
            cairn_joint_id joint = make_joint(world, &ball);
            hook = i == 0 ? joint : hook;
            last = next;
        }
        run_steps(world, 100);
        memcpy(force[moves], look_at_joint(world, hook).force, sizeof *force);
        cairn_world_destroy(world);
    }
    for (int k = 0; k < 3; k++)
        check_close(force[1][k], force[0][k], 0.0, 1e-6 * 200.0);
}

/// Whatever holds a body, and whoever turns it: a step past half a turn is refused by name.
static void turns_past_half_of_one_are_refused_for_every_kind(void **state)
{
    (void)state;
    const double h = 5e-3, J[3] = {0.02, 0.03, 0.025};
    for (int kind = 0; kind < CAIRN_JOINT_KIND_COUNT; kind++)
        for (int motor = 0; motor < 2; motor++) {
            bool turned = kind == CAIRN_JOINT_HINGE;
            if (motor && !turned)
                continue;
            cairn_error error = {0};
            cairn_world *world = joint_world(h, 0.0);
            cairn_body_id a = add_mass(world, 1.0, J, 0.0, 0.0, 0.0);
            cairn_body_id b = add_mass(world, 2.0, J, 0.5, 0.0, 0.0);
            let_touch(world, a, false);
            let_touch(world, b, false);
            cairn_joint_def def = joint_def((cairn_joint_kind)kind, a, b, 0.25, 0.0, 0.0);
            set_axis(def.axis, 0.0, 1.0, 0.0);
            set_axis(def.anchor_b, 0.4, 0.0, 0.0);
            def.motor = motor == 1;
            if (def.motor)
                def.motor_velocity = 10.0 / h;
            make_joint(world, &def);
            double w = motor ? 0.0 : 3.3 / h;
            const double spin[3] = {0.0, w, 0.0}, va[3] = {0.0, 0.0, 0.0},
                         vb[3] = {0.0, 0.0, -0.5 * w};
            set_velocity(world, a, va, spin);
            set_velocity(world, b, vb, spin);
            cairn_status status = CAIRN_OK;
            for (int n = 0; n < 3 && status == CAIRN_OK; n++)
                status = cairn_world_step(world, &error);
            assert_int_equal(status, CAIRN_ERROR_ARGUMENT);
            assert_non_null(strstr(error.message, "body "));
            assert_non_null(strstr(error.message, "half a turn"));
            cairn_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(taut_chains_beside_contacts_stay_calm),
        cmocka_unit_test(pulled_cables_beside_contacts_stay_calm),
        cmocka_unit_test(loops_keep_energy),
        cmocka_unit_test(moving_anchors_change_nothing),
        cmocka_unit_test(turns_past_half_of_one_are_refused_for_every_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
