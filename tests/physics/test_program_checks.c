// SPDX-License-Identifier: Apache-2.0
// Checks that another discrete-element program keeps for itself: viscoelastic rebound, free fall,
// shear along an arc.
#include "tests/check.h"
#include <cairn/cairn.h>

#include <string.h>

static cairn_error error;

static void check(cairn_status status)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error.message);
}

static cairn_world *world_of(double step)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    def.time_step = step;
    check(cairn_world_create(&def, &world, &error));
    return world;
}

static cairn_body_id add_ball(cairn_world *world, double radius, cairn_body_kind kind,
                              const double x[3], const double v[3])
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_body_def def = cairn_default_body_def();
    cairn_body_id id;
    shape.radius = radius;
    check(cairn_shape_create(world, &shape, &def.shape, &error));
    def.kind = kind;
    def.density = 2000.0;
    memcpy(def.position, x, sizeof def.position);
    memcpy(def.velocity, v, sizeof def.velocity);
    check(cairn_body_create(world, &def, &id, &error));
    return id;
}

static cairn_body_view view(const cairn_world *world, cairn_body_id id)
{
    cairn_body_view v;
    check(cairn_body_get(world, id, &v));
    return v;
}

/// A ball falls on a fixed one. Stiffness and dashpot are those of a contact of duration t_c with
/// restitution e between the two if both were free. The program's figure is the ratio of its
/// velocities 100 steps apart around the turn, which hangs on every step of the fall.
static void test_viscoelastic_rebound(void **state)
{
    (void)state;
    const double t_c = 1e-3, e = 0.7, r1 = 0.003, r2 = 0.002;
    const double at[2][3] = {{0}, {0.0, 0.0, r1 + 2.0 * r2}}, none[3] = {0};
    const cairn_material_id any = {0};
    cairn_world *world = world_of(2e-4 * t_c);
    add_ball(world, r1, CAIRN_FIXED, at[0], none);
    cairn_body_id ball = add_ball(world, r2, CAIRN_DYNAMIC, at[1], none);
    double m2 = view(world, ball).mass, m1 = m2 * pow(r1 / r2, 3.0), m = m1 * m2 / (m1 + m2);
    double k = m * (M_PI * M_PI + log(e) * log(e)) / (t_c * t_c), c = -2.0 * m * log(e) / t_c;
    check(cairn_pair_set_law(world, any, any, "hooke", &error));
    check(cairn_pair_set_value(world, any, any, "damping", cairn_text("viscous"), &error));
    check(cairn_pair_set_value(world, any, any, "normal_stiffness", cairn_number(k), &error));
    check(cairn_pair_set_value(world, any, any, "normal_damping", cairn_number(c), &error));
    check(cairn_pair_set_value(world, any, any, "friction", cairn_number(0.0), &error));
    double before = 0.0, now = 0.0;
    for (int n = 0; now <= 0.0; n++) {
        assert_true(n < 200000);
        check(cairn_world_step(world, &error));
        if (n % 100 != 0)
            continue;
        before = now;
        now = view(world, ball).velocity[2];
    }
    check_close(-now / before, 0.736356797441, 1e-4, 0.0);
    // what it is meant to show: the ball leaves with e of its own mass on the fixed one, up to its
    // weight during the contact
    double fell = sqrt(2.0 * 9.81 * r2), damping = c / (2.0 * sqrt(k * m2));
    double w = sqrt(1.0 - damping * damping);
    double rebound = exp(-damping / w * atan2(2.0 * damping * w, 2.0 * damping * damping - 1.0));
    while (cairn_contact_count(world) > 0)
        check(cairn_world_step(world, &error));
    check_close(view(world, ball).velocity[2] / fell, rebound, 1e-2, 0.0);
    cairn_world_destroy(world);
}

static void test_free_fall(void **state)
{
    (void)state;
    const double x[3] = {0.1, 0.2, 0.3}, v[3] = {0.0, -5.0, 5.0}, h = 2e-5;
    cairn_world *world = world_of(h);
    cairn_body_id ball = add_ball(world, 1.0, CAIRN_DYNAMIC, x, v);
    for (int n = 1; n <= 50000; n++) {
        check(cairn_world_step(world, &error));
        if (n % 5000 != 0)
            continue;
        double t = n * h;
        cairn_body_view now = view(world, ball);
        check_close(now.position[0], x[0], 1e-10, 0.0);
        check_close(now.position[1], x[1] + v[1] * t, 1e-10, 0.0);
        check_close(now.position[2], x[2] + v[2] * t - 0.5 * 9.81 * t * t, 1e-10, 0.0);
        check_close(now.velocity[2], v[2] - 9.81 * t, 1e-10, 1e-12);
    }
    cairn_world_destroy(world);
}

/// A large ball is pressed on a small one, then led around it along an arc. `turned` keeps the
/// shear force, which turns with the pair; without it the increments are added in space.
static void shear_along_arc(bool turned, double shear[3], double *overlap)
{
    const double stiffness = 1e7, h = 5e-4, arc = 2.8, angle = 1.2 * M_PI / 4.0;
    enum { PRESS = 100, LEAD = 1500 };
    const cairn_parameter parameters[] = {
        {"normal_stiffness", cairn_number(stiffness)},
        {"shear_stiffness", cairn_number(stiffness)},
        {"friction", cairn_number(1e9)},
        {"rotation", cairn_text("first_order")},
        {"ratcheting_correction", {.type = CAIRN_BOOLEAN, .boolean = false}},
    };
    cairn_law_state s = cairn_default_law_state();
    cairn_law_response r = {0};
    s.law = "incremental";
    s.parameters = parameters;
    s.parameter_count = 5;
    s.step = h;
    const double start[3] = {0.0, 0.0, arc};
    memcpy(s.body[1].position, start, sizeof start);
    s.body[0].radius = 1.0;
    s.body[1].radius = 1.8;
    memset(shear, 0, 3 * sizeof *shear);
    for (int n = 0; n < PRESS + LEAD; n++) {
        double at = angle / LEAD * (n - PRESS), speed = arc * angle / (LEAD * h);
        const double press[3] = {0.0, 0.0, -1.0};
        const double lead[3] = {speed * cos(at), 0.0, -speed * sin(at)};
        memcpy(s.body[1].velocity, n < PRESS ? press : lead, sizeof press);
        // the program's force sees the place with the velocity that led there
        for (int k = 0; k < 3; k++)
            s.body[1].position[k] += h * s.body[1].velocity[k];
        check(cairn_law_evaluate(&s, &r, &error));
        s.fresh = false;
        memcpy(s.history, r.history, sizeof s.history);
        for (int k = 0; k < 3; k++) {
            shear[k] = (turned ? 0.0 : shear[k]) - r.history[k] / stiffness;
            s.history[k] *= turned ? 1.0 : 0.0;
        }
    }
    *overlap = -r.gap;
}

static void test_shear_along_arc(void **state)
{
    (void)state;
    const double arc = 2.8, angle = 1.2 * M_PI / 4.0;
    double shear[3], overlap;
    // the level-set twin of the program, at its tolerance
    const double twin[3] = {2.251877401227810882, -8.274556988554289828e-05, -1.172519769676061863};
    shear_along_arc(false, shear, &overlap);
    double off = 0.0, size = 0.0;
    for (int k = 0; k < 3; k++) {
        off += (shear[k] - twin[k]) * (shear[k] - twin[k]);
        size += twin[k] * twin[k];
    }
    check_at_most(sqrt(off / size), 0.02);
    // the centre goes along a circle about a point 0.05 m below the small ball
    check_close(overlap, arc - hypot(arc * sin(angle), arc * cos(angle) - 0.05), 0.0, 1e-3);
    // the force itself goes with the pair: its size is that of the length of the way
    shear_along_arc(true, shear, &overlap);
    check_close(sqrt(shear[0] * shear[0] + shear[2] * shear[2]), arc * angle, 2e-3, 0.0);
    check_close(shear[1], 0.0, 0.0, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_viscoelastic_rebound),
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_shear_along_arc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
