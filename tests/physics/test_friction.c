// SPDX-License-Identifier: Apache-2.0
// Dry friction against closed forms: threshold without creep, no preferred direction, stopping
// distance, sliding to rolling, no lift.
#include "tests/physics/bench_world.h"

static const double g = 9.81;

/// Gravity that presses on z = 0 and pulls along the direction `azimuth` as on a slope.
static void tilt(cairn_world_def *def, double slope, double azimuth)
{
    def->gravity[0] = g * sin(slope) * cos(azimuth);
    def->gravity[1] = g * sin(slope) * sin(azimuth);
    def->gravity[2] = -g * cos(slope);
}

/// A 0.3 m block on the plane, touching it.
static cairn_world *block_on_slope(double friction, double slope, double azimuth,
                                   cairn_body_id *block)
{
    cairn_world_def def = cairn_default_world_def();
    tilt(&def, slope, azimuth);
    def.tolerance = 1e-8;
    cairn_world *world = make_world(&def);
    set_contact(world, friction, 0.0);
    add_ground(world);
    *block = add_body_at(world, box_shape(world, 0.3, 0.3, 0.1), 0.0, 0.0, 0.05);
    return world;
}

static double horizontal(const double p[3])
{
    return sqrt(p[0] * p[0] + p[1] * p[1]);
}

static void a_block_below_the_threshold_does_not_creep(void **state)
{
    (void)state;
    const double azimuths[] = {0.0, M_PI / 8.0, M_PI / 4.0};
    for (int i = 0; i < 3; i++) {
        cairn_body_id block;
        double slope = 0.4;
        cairn_world *world = block_on_slope(tan(slope) * (1.0 + 1e-6), slope, azimuths[i], &block);
        run_steps(world, 20000); // 100 s
        check_at_most(horizontal(look_at(world, block).position), 1e-9 * 0.3);
        cairn_world_destroy(world);
    }
}

static void a_block_above_the_threshold_slides_at_the_exact_rate_in_every_direction(void **state)
{
    (void)state;
    const double azimuths[] = {0.0, M_PI / 8.0, M_PI / 4.0, 1.0};
    for (int i = 0; i < 4; i++) {
        cairn_body_id block;
        double slope = 0.4, friction = tan(slope) * 0.99;
        cairn_world *world = block_on_slope(friction, slope, azimuths[i], &block);
        run_steps(world, 400);
        double t = cairn_world_get_time(world);
        double rate = g * (sin(slope) - friction * cos(slope));
        cairn_body_view view = look_at(world, block);
        check_close(horizontal(view.velocity), rate * t, 1e-6, 0.0);
        check_close(horizontal(view.position), 0.5 * rate * t * t, 1e-6, 0.0);
        // straight down the slope
        double across = view.position[1] * cos(azimuths[i]) - view.position[0] * sin(azimuths[i]);
        check_at_most(fabs(across), 1e-8 * horizontal(view.position));
        cairn_world_destroy(world);
    }
}

static void a_sliding_block_stops_at_the_closed_form_distance(void **state)
{
    (void)state;
    const double angles[] = {0.0, M_PI / 8.0, M_PI / 4.0};
    for (int i = 0; i < 3; i++) {
        cairn_world_def def = cairn_default_world_def();
        def.time_step = 1e-4;
        cairn_world *world = make_world(&def);
        set_contact(world, 0.5, 0.0);
        add_ground(world);
        // low and wide: no tipping
        cairn_body_id block = add_body_at(world, box_shape(world, 0.5, 0.5, 0.05), 0.0, 0.0, 0.025);
        double v0 = 3.0, zero[3] = {0.0, 0.0, 0.0};
        set_velocity(world, block, (double[]){v0 * cos(angles[i]), v0 * sin(angles[i]), 0.0}, zero);
        run_steps(world, 8000);
        cairn_body_view view = look_at(world, block);
        check_close(horizontal(view.position), v0 * v0 / (2.0 * 0.5 * g), 1e-3, 0.0);
        check_at_most(horizontal(view.velocity), 1e-8);
        cairn_world_destroy(world);
    }
}

/// A relaxed cone lifts this cube by 318 mm.
static void a_cube_sliding_at_6_m_s_does_not_lift(void **state)
{
    (void)state;
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = make_world(&def);
    set_contact(world, 0.5, 0.0);
    add_ground(world);
    cairn_body_id cube = add_body_at(world, box_shape(world, 1.0, 1.0, 0.5), 0.0, 0.0, 0.25);
    set_velocity(world, cube, (double[]){6.0, 0.0, 0.0}, (double[]){0.0, 0.0, 0.0});
    double highest = 0.0;
    for (int i = 0; i < 400; i++) {
        run_steps(world, 1);
        highest = fmax(highest, look_at(world, cube).position[2] - 0.25);
    }
    check_at_most(highest, 1e-9);
    cairn_world_destroy(world);
}

typedef struct rolling_case {
    double v0, omega0, mu, g, r;
    double v_end, omega_end, t_end, distance;
} rolling_case;

/// Sphere sliding to rolling: v_end = 5/7 v0 + 2/7 r omega0, closed forms.
static void check_rolling(const rolling_case *c)
{
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = -c->g;
    def.time_step = 1e-5;
    cairn_world *world = make_world(&def);
    set_contact(world, c->mu, 0.0);
    add_ground(world);
    cairn_body_id ball = add_body_at(world, sphere_shape(world, c->r), 0.0, 0.0, c->r);
    set_velocity(world, ball, (double[]){c->v0, 0.0, 0.0}, (double[]){0.0, c->omega0, 0.0});
    double slip_end = 0.0, slid = 0.0;
    int steps = (int)(1.1 * c->t_end / def.time_step);
    for (int i = 0; i < steps; i++) {
        run_steps(world, 1);
        cairn_body_view view = look_at(world, ball);
        double slip = fabs(view.velocity[0] - c->r * view.angular_velocity[1]);
        if (slip_end == 0.0 && slip < 1e-9) {
            slip_end = cairn_world_get_time(world);
            slid = view.position[0];
        }
    }
    cairn_body_view view = look_at(world, ball);
    check_close(view.velocity[0], c->v_end, 1e-6, 0.0);
    check_close(view.angular_velocity[1], c->omega_end, 1e-6, 0.0);
    check_close(slip_end, c->t_end, 1e-4, 0.0);
    check_close(slid, c->distance, 1e-4, 0.0);
    cairn_world_destroy(world);
}

static void a_sliding_sphere_ends_up_rolling(void **state)
{
    (void)state;
    const rolling_case cases[] = {
        {2.0, 0.0, 0.2, 10.0, 0.1, 1.4285714285714286, 14.285714285714281, 0.2857142857142857,
         0.4897959183673469},
        {1.5, -40.0, 0.3, 9.81, 0.05, 0.5, 9.999999999999993, 0.3397893306150187,
         0.33978933061501876},
        {1.0, 0.0, 0.3, 9.81, 0.05, 0.714285714285714, 14.28571428571428, 0.0970824, 0.0832133},
    };
    // the last one: t = 2 u0 / (7 mu g), distance 12 u0^2 / (49 mu g)
    check_close(cases[2].t_end, 2.0 / (7.0 * 0.3 * 9.81), 1e-5, 0.0);
    check_close(cases[2].distance, 12.0 / (49.0 * 0.3 * 9.81), 1e-5, 0.0);
    for (int i = 0; i < 3; i++)
        check_rolling(&cases[i]);
}

static void a_sphere_rolls_or_slides_down_as_its_friction_allows(void **state)
{
    (void)state;
    const double slope = M_PI / 6.0;
    // rolls where mu >= 2/7 tan(slope) = 0.165
    const double friction[] = {0.3, 0.1}, rate[] = {3.503571, 4.055429};
    for (int i = 0; i < 2; i++) {
        cairn_world_def def = cairn_default_world_def();
        tilt(&def, slope, 0.3);
        cairn_world *world = make_world(&def);
        set_contact(world, friction[i], 0.0);
        add_ground(world);
        cairn_body_id ball = add_body_at(world, sphere_shape(world, 0.1), 0.0, 0.0, 0.1);
        run_steps(world, 200);
        check_close(horizontal(look_at(world, ball).velocity),
                    rate[i] * cairn_world_get_time(world), 1e-6, 0.0);
        cairn_world_destroy(world);
    }
}

typedef struct cards_case {
    double lean, length, thick, width; // degrees, m
    double gap, turn;                  // m between the tips; degrees about z
    double step;                       // s
    bool hulls;
} cards_case;

/// How far the tips of two cards that lean on each other have come down, in lengths.
static double cards_sink(const cards_case *c, double share)
{
    double lean = c->lean * M_PI / 180.0, turn = c->turn * M_PI / 180.0;
    double s = sin(lean), k = cos(lean);
    // what each pushes on the other by its moment about the lower edge, and on the floor
    double needed = (0.5 * c->length * s - 0.5 * c->thick * k) / (c->length * k);
    cairn_world_def def = cairn_default_world_def();
    def.time_step = c->step;
    cairn_world *world = make_world(&def);
    set_contact(world, share * needed, 0.0);
    add_ground(world);
    double corners[8][3];
    for (int i = 0; i < 8; i++) {
        corners[i][0] = i & 1 ? 0.5 * c->thick : -0.5 * c->thick;
        corners[i][1] = i & 2 ? 0.5 * c->width : -0.5 * c->width;
        corners[i][2] = i & 4 ? 0.5 * c->length : -0.5 * c->length;
    }
    cairn_shape_def hull = cairn_default_shape_def(CAIRN_POLYHEDRON);
    hull.points = (const double(*)[3])corners;
    hull.point_count = 8;
    cairn_shape_id shape =
        c->hulls ? make_shape(world, &hull) : box_shape(world, c->thick, c->width, c->length);
    cairn_body_id card[2];
    double height = 0.5 * c->length * k + 0.5 * c->thick * s;
    for (int side = 0; side < 2; side++) {
        double way = side ? 1.0 : -1.0, half = -0.5 * way * lean;
        double x = way * (0.5 * c->length * s + 0.5 * c->thick * k + 0.5 * c->gap);
        cairn_body_def body = cairn_default_body_def();
        body.shape = shape;
        body.position[0] = x * cos(turn);
        body.position[1] = x * sin(turn);
        body.position[2] = height;
        body.orientation[0] = cos(0.5 * turn) * cos(half);
        body.orientation[1] = -sin(0.5 * turn) * sin(half);
        body.orientation[2] = cos(0.5 * turn) * sin(half);
        body.orientation[3] = sin(0.5 * turn) * cos(half);
        card[side] = make_body(world, &body);
    }
    run_steps(world, (int)(1.0 / c->step));
    double sink = 0.0;
    for (int side = 0; side < 2; side++)
        sink = fmax(sink, fabs(height - look_at(world, card[side]).position[2]) / c->length);
    cairn_world_destroy(world);
    return sink;
}

/// The tips meet edge on edge: as with edges rounded by little the cards stand where the floor
/// holds them.
static void cards_that_lean_on_each_other_stand_by_the_friction_of_the_floor(void **state)
{
    (void)state;
    const cards_case cases[] = {
        {20, 0.09, 3e-4, 0.06, 1e-6, 0, 1.0 / 200.0, false},
        {10, 0.09, 3e-4, 0.06, 1e-6, 0, 1.0 / 200.0, false},
        {30, 0.09, 3e-4, 0.06, 1e-6, 0, 1.0 / 500.0, false},
        {35, 0.09, 3e-4, 0.06, 1e-6, 0, 1.0 / 200.0, true},
        {15, 0.09, 1e-3, 0.06, 1e-6, 0, 1.0 / 200.0, false},
        {25, 0.09, 3e-3, 0.06, 1e-6, 0, 1.0 / 200.0, false},
        {20, 0.5, 2e-3, 0.3, 1e-6, 0, 1.0 / 200.0, false},
        {20, 0.02, 2e-4, 0.03, 1e-6, 0, 1.0 / 200.0, false},
        {20, 0.09, 3e-4, 0.06, 1e-7, 0, 1.0 / 200.0, false},
        {20, 0.09, 3e-4, 0.06, 1e-5, 0, 1.0 / 200.0, false},
        {20, 0.09, 3e-4, 0.06, 3e-5, 0, 1.0 / 1000.0, true},
        {20, 0.09, 3e-4, 0.06, 0.0, 0, 1.0 / 200.0, false},
        {20, 0.09, 3e-4, 0.06, -1e-7, 0, 1.0 / 200.0, false},
        {20, 0.09, 3e-4, 0.06, 1e-6, 30, 1.0 / 200.0, false},
        {25, 0.09, 3e-4, 0.06, 1e-6, 77, 1.0 / 200.0, false},
        {20, 0.09, 3e-4, 0.06, 1e-6, 45, 1.0 / 200.0, true},
        {20, 0.09, 3e-4, 0.06, 1e-6, 0, 1.0 / 1000.0, false},
        {20, 0.09, 3e-4, 0.06, 1e-6, 0, 1.0 / 100.0, false},
        {20, 0.09, 3e-4, 0.02, 1e-6, 0, 1.0 / 200.0, false},
        {40, 0.09, 1e-3, 0.06, 1e-6, 0, 1.0 / 200.0, false},
        {20, 2.0, 0.05, 1.0, 1e-6, 0, 1.0 / 100.0, false},
        {20, 0.09, 0.01, 0.06, 1e-6, 0, 1.0 / 200.0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double holds = cards_sink(&cases[i], 1.05), falls = cards_sink(&cases[i], 0.95);
        if (holds > 1e-3 || falls < 0.01)
            fail_msg("cards %zu sink by %g and %g lengths", i, holds, falls);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_below_the_threshold_does_not_creep),
        cmocka_unit_test(a_block_above_the_threshold_slides_at_the_exact_rate_in_every_direction),
        cmocka_unit_test(a_sliding_block_stops_at_the_closed_form_distance),
        cmocka_unit_test(a_cube_sliding_at_6_m_s_does_not_lift),
        cmocka_unit_test(a_sliding_sphere_ends_up_rolling),
        cmocka_unit_test(a_sphere_rolls_or_slides_down_as_its_friction_allows),
        cmocka_unit_test(cards_that_lean_on_each_other_stand_by_the_friction_of_the_floor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
