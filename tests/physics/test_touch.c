// SPDX-License-Identifier: Apache-2.0
// Stiffness by what touches: points of curved surfaces, lines and faces against closed forms.
#include "tests/physics/bench_world.h"

static const double young = 2e9, poisson = 0.25, corner = 3e-3;

static double modulus(void)
{
    return young / (2.0 * (1.0 - poisson * poisson));
}

static void set_number(cairn_world *world, const char *name, double value)
{
    cairn_error error = {0};
    const cairn_material_id none = {0};
    require(cairn_pair_set_value(world, none, none, name, cairn_number(value), &error), &error);
}

static void set_yes(cairn_world *world, const char *name)
{
    cairn_error error = {0};
    const cairn_material_id none = {0};
    cairn_value yes = {.type = CAIRN_BOOLEAN, .boolean = true};
    require(cairn_pair_set_value(world, none, none, name, yes, &error), &error);
}

static cairn_world *elastic_world_of(const char *law, double step, double gravity, double friction,
                                     double restitution)
{
    cairn_error error = {0};
    const cairn_material_id none = {0};
    cairn_world_def def = cairn_default_world_def();
    def.time_step = step;
    def.gravity[2] = -gravity;
    cairn_world *world = make_world(&def);
    require(cairn_pair_set_law(world, none, none, law, &error), &error);
    set_number(world, "young_modulus", young);
    set_number(world, "poisson_ratio", poisson);
    set_number(world, "restitution", restitution);
    set_number(world, "friction", friction);
    set_number(world, "flat_radius", corner);
    set_yes(world, "stiffness_by_shape");
    return world;
}

static cairn_world *elastic_world(double step, double gravity, double friction, double restitution)
{
    return elastic_world_of("hertz_mindlin", step, gravity, friction, restitution);
}

static const char *const laws[] = {"hertz_mindlin", "mindlin_deresiewicz"};

static cairn_shape_id long_shape(cairn_world *world, cairn_shape_kind kind, double radius,
                                 double length)
{
    cairn_shape_def def = cairn_default_shape_def(kind);
    def.radius = radius;
    def.half_length = 0.5 * length;
    return make_shape(world, &def);
}

/// A body at a height, turned about an axis by an angle (degrees).
static cairn_body_id put(cairn_world *world, cairn_shape_id shape, cairn_body_kind kind, double z,
                         const double axis[3], double angle)
{
    cairn_body_def def = cairn_default_body_def();
    def.shape = shape;
    def.kind = kind;
    def.position[2] = z;
    double half = 0.5 * angle * M_PI / 180.0;
    def.orientation[0] = cos(half);
    for (int k = 0; k < 3; k++)
        def.orientation[k + 1] = axis[k] * sin(half);
    return make_body(world, &def);
}

/// Force up on a body after one short step.
static double lift(cairn_world *world, cairn_body_id body)
{
    double force[3], torque[3];
    run_steps(world, 1);
    assert_int_equal(cairn_body_get_contact_force(world, body, force, torque), CAIRN_OK);
    cairn_world_destroy(world);
    return force[2];
}

static const double along_x[3] = {1.0, 0.0, 0.0}, along_y[3] = {0.0, 1.0, 0.0};

/// Hertz's integrals of an ellipse of b/a = s, by the midpoint rule, which is exact for them to
/// round-off: of w^-1/2 (a^2 + w)^(-1/2 - i) (b^2 + w)^(-1/2 - j) for a = 1.
static double integral(double s, int i, int j)
{
    enum { POINTS = 400 };
    double sum = 0.0;
    for (int k = 0; k < POINTS; k++) {
        double t = (k + 0.5) / POINTS * 0.5 * M_PI, c2 = cos(t) * cos(t), s2 = sin(t) * sin(t);
        sum += pow(c2, i + j) / pow(s * s * c2 + s2, 0.5 + j);
    }
    return sum * M_PI / POINTS;
}

/// Force between cylinders of two radii that cross at an angle (radians).
static double crossed(double r1, double r2, double angle, double overlap)
{
    double a = 1.0 / r1, b = 1.0 / r2, sum = 0.5 * (a + b);
    double half = 0.5 * sqrt(a * a + b * b + 2.0 * a * b * cos(2.0 * angle));
    double least = sum - half, most = sum + half, low = 1e-4, high = 1.0;
    for (int i = 0; i < 100; i++) {
        double s = 0.5 * (low + high);
        *(integral(s, 0, 1) / integral(s, 1, 0) > most / least ? &low : &high) = s;
    }
    double I = integral(low, 0, 0), width = sqrt(2.0 / least * integral(low, 1, 0) / I * overlap);
    return 4.0 * M_PI / 3.0 * modulus() * overlap * width / I;
}

static void cylinders_cross_as_hertz(void **state)
{
    (void)state;
    static const double angles[] = {90.0, 60.0, 30.0, 8.0};
    const double r1 = 0.02, r2 = 0.05, d = 1e-5;
    check_close(crossed(r1, r1, 0.5 * M_PI, d), 4.0 / 3.0 * modulus() * sqrt(r1) * pow(d, 1.5),
                1e-10, 0.0);
    for (int i = 0; i < 4; i++)
        for (int kind = 0; kind < 2; kind++) {
            cairn_world *world = elastic_world(1e-9, 0.0, 0.0, 1.0);
            cairn_shape_kind of = kind == 0 ? CAIRN_CAPSULE : CAIRN_CYLINDER;
            double tilt[3] = {cos(angles[i] * M_PI / 180.0), sin(angles[i] * M_PI / 180.0), 0.0};
            put(world, long_shape(world, of, r1, 1.0), CAIRN_FIXED, 0.0, along_x, 90.0);
            cairn_body_id upper =
                put(world, long_shape(world, of, r2, 1.0), CAIRN_DYNAMIC, r1 + r2 - d, tilt, 90.0);
            check_close(lift(world, upper), crossed(r1, r2, angles[i] * M_PI / 180.0, d), 1e-6,
                        0.0);
        }
}

static void edges_cross_by_their_radius(void **state)
{
    (void)state;
    const double side = 0.1, d = 1e-6;
    cairn_world *world = elastic_world(1e-9, 0.0, 0.0, 1.0);
    put(world, box_shape(world, side, side, side), CAIRN_FIXED, 0.0, along_x, 45.0);
    cairn_body_id upper = put(world, box_shape(world, side, side, side), CAIRN_DYNAMIC,
                              side * sqrt(2.0) - d, along_y, 45.0);
    check_close(lift(world, upper), 4.0 / 3.0 * modulus() * sqrt(corner) * pow(d, 1.5), 1e-6, 0.0);
}

static void lines_and_faces_press_by_their_size(void **state)
{
    (void)state;
    const double r = 0.03, length = 0.2, d = 1e-6, E = modulus();
    const struct {
        cairn_shape_kind kind;
        double height, angle, force;
    } cases[] = {
        {CAIRN_CAPSULE, r, 90.0, 0.25 * M_PI * E * length * d},
        {CAIRN_CYLINDER, r, 90.0, 0.25 * M_PI * E * length * d},
        {CAIRN_CYLINDER, 0.5 * length, 0.0, 2.0 * E * r * d},
        {CAIRN_CAPSULE, 0.5 * length + r, 0.0, 4.0 / 3.0 * E * sqrt(r) * pow(d, 1.5)},
    };
    for (int i = 0; i < 8; i++) {
        cairn_world *world = elastic_world_of(laws[i / 4], 1e-9, 0.0, 0.0, 1.0);
        add_ground(world);
        cairn_body_id body =
            put(world, long_shape(world, cases[i % 4].kind, r, length), CAIRN_DYNAMIC,
                cases[i % 4].height - d, along_x, cases[i % 4].angle);
        check_close(lift(world, body), cases[i % 4].force, 1e-6, 0.0);
    }
    cairn_world *world = elastic_world(1e-9, 0.0, 0.0, 1.0);
    add_ground(world);
    cairn_body_id body =
        put(world, box_shape(world, 0.2, 0.1, 0.05), CAIRN_DYNAMIC, 0.025 - d, along_x, 0.0);
    check_close(lift(world, body), 2.0 * E * sqrt(0.02 / M_PI) * d, 1e-6, 0.0);
}

static cairn_world *sticky_world(const char *model, double energy)
{
    cairn_error error = {0};
    const cairn_material_id none = {0};
    cairn_world *world = elastic_world(1e-9, 0.0, 0.0, 1.0);
    require(cairn_pair_set_law(world, none, none, "adhesive", &error), &error);
    set_number(world, "young_modulus", young);
    set_number(world, "poisson_ratio", poisson);
    set_number(world, "restitution", 1.0);
    set_number(world, "flat_radius", corner);
    set_number(world, "surface_energy", energy);
    require(cairn_pair_set_value(world, none, none, "adhesion", cairn_text(model), &error), &error);
    set_yes(world, "stiffness_by_shape");
    return world;
}

/// The pull of a touch without overlap: 4/3 pi w R of JKR, 2 pi w R of DMT.
static void shapes_stick_by_their_curvature(void **state)
{
    (void)state;
    const double r = 0.03, w = 0.5, d = 1e-13, side = 0.1;
    static const struct {
        const char *model;
        double factor;
    } models[] = {{"jkr", 4.0 / 3.0}, {"dmt", 2.0}};
    for (int i = 0; i < 2; i++) {
        double pull = models[i].factor * M_PI * w;
        cairn_world *world = sticky_world(models[i].model, w);
        add_ground(world);
        cairn_body_id standing = put(world, long_shape(world, CAIRN_CAPSULE, r, 0.2), CAIRN_DYNAMIC,
                                     0.1 + r - d, along_x, 0.0);
        check_close(lift(world, standing), -pull * r, 1e-5, 0.0);
        world = sticky_world(models[i].model, w);
        put(world, long_shape(world, CAIRN_CAPSULE, r, 1.0), CAIRN_FIXED, 0.0, along_x, 90.0);
        cairn_body_id crossing = put(world, long_shape(world, CAIRN_CAPSULE, r, 1.0), CAIRN_DYNAMIC,
                                     2.0 * r - d, along_y, 90.0);
        check_close(lift(world, crossing), -pull * r, 1e-5, 0.0);
        world = sticky_world(models[i].model, w);
        put(world, box_shape(world, side, side, side), CAIRN_FIXED, 0.0, along_x, 45.0);
        cairn_body_id edge = put(world, box_shape(world, side, side, side), CAIRN_DYNAMIC,
                                 side * sqrt(2.0) - d, along_y, 45.0);
        check_close(lift(world, edge), -pull * corner, 1e-5, 0.0);
    }
}

/// What touches changes from a corner to an edge and a face, and energy is never made.
static void fall_flat(const char *law)
{
    cairn_world *world = elastic_world_of(law, 2e-6, 9.81, 0.3, 0.6);
    const double axis[3] = {0.6, 0.8, 0.0};
    add_ground(world);
    put(world, box_shape(world, 0.2, 0.1, 0.05), CAIRN_DYNAMIC, 0.06, axis, 12.0);
    double start = cairn_world_get_energy(world).potential, plastic = 0.0, worst = 0.0;
    for (int i = 0; i < 150000; i++) {
        run_steps(world, 1);
        cairn_energy e = cairn_world_get_energy(world);
        assert_true(e.plastic >= plastic - 1e-15 * fabs(start));
        plastic = e.plastic;
        worst = fmax(worst, fabs(e.residual));
    }
    cairn_energy e = cairn_world_get_energy(world);
    double fallen = start - e.potential;
    assert_true(fallen > 0.0 && plastic > 0.0);
    check_at_most(worst, 2e-3 * fallen);
    check_at_most(e.kinetic, 1e-3 * fallen);
    cairn_world_destroy(world);
}

static void a_box_that_falls_flat_makes_no_energy(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        fall_flat(laws[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinders_cross_as_hertz),
        cmocka_unit_test(edges_cross_by_their_radius),
        cmocka_unit_test(lines_and_faces_press_by_their_size),
        cmocka_unit_test(shapes_stick_by_their_curvature),
        cmocka_unit_test(a_box_that_falls_flat_makes_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
