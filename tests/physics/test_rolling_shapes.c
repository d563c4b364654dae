// SPDX-License-Identifier: Apache-2.0
// Resistance to rolling and spinning of every shape that rolls, under every law that has it,
// against closed forms: what rolling takes is c N for each metre of the way over the surfaces.
#include "engine/passes/touch.h"
#include "engine/state/world.h"
#include "geometry/shape/curvature.h"
#include "tests/physics/bench_world.h"

static const double g = 9.81;

typedef enum roller { BALL, CYLINDER, WHEEL, CAPSULE, WHEELSET, DUMBBELL, ROLLERS } roller;
typedef enum ground { PLANE, SLAB, MESH, GROUNDS } ground;
static const char *const laws[] = {"signorini_coulomb", "hooke", "hertz_mindlin",
                                   "mindlin_deresiewicz", "adhesive"};
enum { LAWS = 5 };

static void set_value(cairn_world *world, const char *name, double value)
{
    cairn_error error = {0};
    cairn_material_id none = {0};
    require(cairn_pair_set_value(world, none, none, name, cairn_number(value), &error), &error);
}

/// Gravity along a slope that falls along x. The unit of time is sqrt(radius / g), and explicit
/// laws sink in by some 1e-4 of the radius.
static cairn_world *make_slope(int law, double radius, double weight, double slope)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_error error = {0};
    cairn_material_id none = {0};
    def.gravity[0] = g * sin(slope);
    def.gravity[2] = -g * cos(slope);
    def.tolerance = 1e-10;
    def.time_step = sqrt(radius / g) * (law == 0 ? 0.02 : 1.0 / 2500.0);
    cairn_world *world = make_world(&def);
    require(cairn_pair_set_law(world, none, none, laws[law], &error), &error);
    set_value(world, "friction", 0.8);
    set_value(world, "restitution", law == 0 ? 0.0 : 0.2);
    set_value(world, "flat_radius", 0.37 * radius);
    if (law == 1)
        set_value(world, "normal_stiffness", weight / (1e-4 * radius));
    if (law > 1)
        set_value(world, "young_modulus", weight / (radius * radius * 1e-6));
    if (law == 4)
        set_value(world, "surface_energy", 0.0);
    return world;
}

static cairn_shape_id plain(cairn_world *world, cairn_shape_kind kind, double radius, double half)
{
    cairn_shape_def def = cairn_default_shape_def(kind);
    def.radius = radius;
    def.half_length = half;
    return make_shape(world, &def);
}

static cairn_shape_id roller_shape(cairn_world *world, roller kind, double r)
{
    if (kind < WHEELSET)
        return plain(world,
                     kind == BALL      ? CAIRN_SPHERE
                     : kind == CAPSULE ? CAIRN_CAPSULE
                                       : CAIRN_CYLINDER,
                     r, kind == WHEEL ? 0.1 * r : 0.8 * r);
    bool wheels = kind == WHEELSET;
    const cairn_shape_id end = plain(world, wheels ? CAIRN_CYLINDER : CAIRN_SPHERE, r, 0.1 * r);
    const cairn_shape_id members[] = {end, end, plain(world, CAIRN_CYLINDER, 0.3 * r, r)};
    const double places[][3] = {{0.0, 0.0, -1.2 * r}, {0.0, 0.0, 1.2 * r}, {0.0, 0.0, 0.0}};
    const double turns[][4] = {{1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    cairn_shape_def def = cairn_default_shape_def(CAIRN_COMPOUND);
    def.members = members;
    def.member_positions = places;
    def.member_orientations = turns;
    def.member_count = wheels ? 3 : 2;
    return make_shape(world, &def);
}

static void add_floor(cairn_world *world, ground kind, double r)
{
    cairn_body_def body = cairn_default_body_def();
    body.kind = CAIRN_FIXED;
    const double corners[][3] = {{-60 * r, -51 * r, 0.0},
                                 {58 * r, -50 * r, 0.0},
                                 {61 * r, 53 * r, 0.0},
                                 {-59 * r, 52 * r, 0.0}};
    const int triangles[][3] = {{0, 1, 2}, {0, 2, 3}};
    if (kind == PLANE) {
        add_ground(world);
        return;
    }
    cairn_shape_def mesh = cairn_default_shape_def(CAIRN_MESH);
    mesh.points = corners;
    mesh.point_count = 4;
    mesh.triangles = triangles;
    mesh.triangle_count = 2;
    body.shape =
        kind == MESH ? make_shape(world, &mesh) : box_shape(world, 120 * r, 120 * r, 2 * r);
    body.position[2] = kind == MESH ? 0.0 : -r;
    make_body(world, &body);
}

/// A roller of weight about 1000 r^3 g on a floor, its axis along y or, standing, along z.
static cairn_body_id add_roller(cairn_world *world, roller kind, double r, bool standing)
{
    cairn_body_def body = cairn_default_body_def();
    body.shape = roller_shape(world, kind, r);
    body.position[2] = standing ? 1.8 * r : r;
    body.orientation[0] = standing ? 1.0 : sqrt(0.5);
    body.orientation[1] = standing ? 0.0 : sqrt(0.5);
    return make_body(world, &body);
}

/// Moment of inertia over m r^2 about a world axis, from the energy of a turn.
static double turning_share(cairn_world *world, cairn_body_id id, double r, int axis)
{
    double still[3] = {0.0}, turn[3] = {0.0};
    turn[axis] = 1.0 / r;
    set_velocity(world, id, still, turn);
    cairn_body_view view = look_at(world, id);
    double share = 2.0 * view.kinetic_energy / view.mass;
    set_velocity(world, id, still, still);
    return share;
}

static double unit_of(double r)
{
    return sqrt(r / g);
}

static void run_for(cairn_world *world, double time)
{
    run_steps(world, (int)(time / world->state.clock.step + 0.5));
}

/// Rate at which a velocity changes from `begin` on, in units of time.
static double measure_rate(cairn_world *world, cairn_body_id id, double r, bool spin, double begin,
                           double end)
{
    double speed[2], time[2];
    run_for(world, begin * unit_of(r));
    for (int k = 0; k < 2; k++) {
        cairn_body_view view = look_at(world, id);
        speed[k] = spin ? view.angular_velocity[2] : view.velocity[0];
        time[k] = cairn_world_get_time(world);
        if (k == 0)
            run_for(world, (end - begin) * unit_of(r));
    }
    return (speed[1] - speed[0]) / (time[1] - time[0]);
}

/// Of a bounded tolerance: explicit laws oscillate about what they should do.
static double tolerance_of(int law)
{
    return law == 0 ? 1e-7 : 3e-3;
}

static void try_rolling(int law, roller kind, ground floor, double r, double c)
{
    cairn_world *world = make_slope(law, r, 4e3 * r * r * r * g, 0.0);
    set_value(world, "rolling_friction", c);
    add_floor(world, floor, r);
    cairn_body_id id = add_roller(world, kind, r, false);
    double share = turning_share(world, id, r, 1), v = sqrt(g * r);
    set_velocity(world, id, (double[]){v, 0.0, 0.0}, (double[]){0.0, v / r, 0.0});
    double rate = measure_rate(world, id, r, false, 0.5, 2.0), wanted = -c * g / (1.0 + share);
    if (fabs(rate - wanted) > tolerance_of(law) * fabs(wanted))
        fail_msg("%s, roller %d on %d, r = %g: %.9g, not %.9g m/s2", laws[law], (int)kind,
                 (int)floor, r, rate, wanted);
    cairn_energy e = cairn_world_get_energy(world);
    check_at_most(fabs(e.residual), 1e-4 * look_at(world, id).mass * v * v);
    cairn_world_destroy(world);
}

static void what_rolls_slows_down_by_its_own_radius(void **state)
{
    (void)state;
    const double radii[] = {0.004, 0.05, 0.3, 2.0};
    for (int law = 0; law < LAWS; law++)
        for (int kind = 0; kind < ROLLERS; kind++) {
            for (int k = 0; k < 4; k++)
                if (k == (kind + law) % 4 || law == 0)
                    try_rolling(law, (roller)kind, PLANE, radii[k], 0.1);
            try_rolling(law, (roller)kind, SLAB, 0.3, 0.02);
            try_rolling(law, (roller)kind, MESH, 0.02, 0.05);
        }
}

static void what_rolls_rests_up_to_its_slope(void **state)
{
    (void)state;
    const double c = 0.12, r = 0.3;
    for (int law = 0; law < LAWS; law++)
        for (int kind = CYLINDER; kind < ROLLERS; kind++)
            for (int above = 0; above < 2; above++) {
                double slope = atan(c) * (above ? 1.1 : 0.95);
                cairn_world *world = make_slope(law, r, 4e3 * r * r * r * g, slope);
                set_value(world, "rolling_friction", c);
                add_floor(world, PLANE, r);
                cairn_body_id id = add_roller(world, (roller)kind, r, false);
                double share = turning_share(world, id, r, 1);
                double rate = measure_rate(world, id, r, false, 2.0, 4.0);
                double wanted = above ? g * (sin(slope) - c * cos(slope)) / (1.0 + share) : 0.0;
                if (fabs(rate - wanted) > (law == 0 ? 1e-9 : 2e-4) * g)
                    fail_msg("%s, roller %d: %.9g, not %.9g m/s2", laws[law], kind, rate, wanted);
                cairn_world_destroy(world);
            }
}

static void what_spins_slows_down_by_its_own_radius(void **state)
{
    (void)state;
    const double c = 0.05, r = 0.2;
    for (int law = 0; law < LAWS - 1; law++)
        for (int kind = 0; kind < 2; kind++) {
            bool standing = kind == 1;
            cairn_world *world = make_slope(law, r, 4e3 * r * r * r * g, 0.0);
            set_value(world, law == 0 ? "spinning_friction" : "twisting_friction", c);
            add_floor(world, PLANE, r);
            cairn_body_id id = add_roller(world, standing ? CAPSULE : BALL, r, standing);
            double share = turning_share(world, id, r, 2), turn = 1.0 / unit_of(r);
            set_velocity(world, id, (double[3]){0.0}, (double[]){0.0, 0.0, turn});
            double rate = measure_rate(world, id, r, true, 0.5, 1.5), wanted = -c * g / (share * r);
            if (fabs(rate - wanted) > tolerance_of(law) * fabs(wanted))
                fail_msg("%s, spinner %d: %.9g, not %.9g rad/s2", laws[law], kind, rate, wanted);
            cairn_world_destroy(world);
        }
}

/// A cylinder lies on a fixed one, their axes along y, off its top by an angle. It rests while the
/// moment of its weight about the contact is less than c R* N, 1/R* = 1/R1 + 1/R2.
static void a_roller_on_a_roller_has_both_radii(void **state)
{
    (void)state;
    const double c = 0.1, r = 0.1, under[] = {0.05, 0.1, 0.7};
    for (int law = 0; law < 4; law++)
        for (int k = 0; k < 3; k++)
            for (int above = 0; above < 2; above++) {
                double R = under[k], both = r * R / (r + R);
                double angle = atan(c * both / r) * (above ? 1.05 : 0.95);
                cairn_world *world = make_slope(law, r, 4e3 * r * r * r * g, 0.0);
                set_value(world, "rolling_friction", c);
                cairn_body_def body = cairn_default_body_def();
                body.kind = CAIRN_FIXED;
                body.shape = plain(world, k == 1 ? CAIRN_CAPSULE : CAIRN_CYLINDER, R, 2.0 * r);
                body.orientation[0] = body.orientation[1] = sqrt(0.5);
                make_body(world, &body);
                body.kind = CAIRN_DYNAMIC;
                body.shape = plain(world, k == 2 ? CAIRN_CAPSULE : CAIRN_CYLINDER, r, 0.8 * r);
                body.position[0] = (r + R) * sin(angle);
                body.position[2] = (r + R) * cos(angle);
                cairn_body_id id = make_body(world, &body);
                run_for(world, 6.0 * unit_of(r));
                double way = look_at(world, id).position[0] - body.position[0];
                bool rests = fabs(way) < 5e-3 * r;
                if (rests != !above)
                    fail_msg("%s on R = %g, %s: moved by %g", laws[law], R,
                             above ? "above" : "below", way);
                cairn_world_destroy(world);
            }
}

/// Principal radii of pairs of surfaces.
static void radii_are_those_of_the_sum_of_curvatures(void **state)
{
    (void)state;
    const vec3 n = {0.0, 0.0, 1.0}, x = {1.0, 0.0, 0.0}, skew = {cos(0.3), sin(0.3), 0.0};
    const geo_curvature flat = {0.0, 0.0, x}, ball = {1.0 / 0.2, 1.0 / 0.2, n},
                        roll = {1.0 / 0.3, 0.0, skew};
    const geo_curvature other = {1.0 / 0.5, 0.0, {-sin(0.3), cos(0.3), 0.0}};
    const struct {
        const geo_curvature *a, *b;
        double radius[2];
        vec3 axis;
    } cases[] = {{&flat, &flat, {0.7, 0.7}, n},     {&ball, &flat, {0.2, 0.2}, n},
                 {&flat, &roll, {0.3, 0.7}, skew},  {&roll, &roll, {0.15, 0.7}, skew},
                 {&roll, &other, {0.3, 0.5}, skew}, {&ball, &roll, {0.12, 0.2}, skew}};
    for (int i = 0; i < 6; i++) {
        vec3 axis;
        double radius[2];
        geo_touch_rolling(cases[i].a, cases[i].b, n, 0.7, &axis, radius);
        for (int k = 0; k < 2; k++)
            check_close(radius[k], cases[i].radius[k], 1e-12, 0.0);
        check_at_most(fabs(vec3_norm(axis) - 1.0) + fabs(axis.z), 1e-12);
        if (cases[i].axis.z == 0.0)
            check_close(fabs(vec3_dot(axis, cases[i].axis)), 1.0, 1e-12, 0.0);
    }
}

/// A tilted disc touches with its rim, whose arc has the radius R over the sine of the tilt.
static void the_arc_of_a_rim_has_its_normal_curvature(void **state)
{
    (void)state;
    for (int law = 0; law < 2; law++)
        for (double tilt = 0.2; tilt < 1.6; tilt += 0.3) {
            const double r = 0.1, half = 0.01;
            cairn_world *world = make_slope(law, r, 1.0, 0.0);
            set_value(world, "rolling_friction", 0.1);
            add_ground(world);
            cairn_body_def body = cairn_default_body_def();
            body.shape = plain(world, CAIRN_CYLINDER, r, half);
            // the axis leans from z to x
            body.orientation[0] = cos(0.5 * tilt);
            body.orientation[2] = sin(0.5 * tilt);
            body.position[2] = r * sin(tilt) + half * cos(tilt) - 1e-6;
            make_body(world, &body);
            run_steps(world, 1);
            con_roll roll = eng_touch_roll(world, 0, 0.037);
            // rolling along the arc, which runs along y, turns about x
            double arc = r / sin(tilt),
                   about_x = fabs(roll.axis.x) > 0.5 ? roll.radius[0] : roll.radius[1];
            double about_y = fabs(roll.axis.x) > 0.5 ? roll.radius[1] : roll.radius[0];
            check_close(about_x, arc, 1e-3, 0.0);
            check_close(about_y, 0.037, 1e-12, 0.0);
            cairn_world_destroy(world);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_rolls_slows_down_by_its_own_radius),
        cmocka_unit_test(what_rolls_rests_up_to_its_slope),
        cmocka_unit_test(what_spins_slows_down_by_its_own_radius),
        cmocka_unit_test(a_roller_on_a_roller_has_both_radii),
        cmocka_unit_test(radii_are_those_of_the_sum_of_curvatures),
        cmocka_unit_test(the_arc_of_a_rim_has_its_normal_curvature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
