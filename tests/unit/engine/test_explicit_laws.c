// SPDX-License-Identifier: Apache-2.0
// Explicit laws in a world: a known collision, energy, bonds, and mixed steps.
#include "tests/check.h"
#include <cairn/cairn.h>

#include <string.h>

static cairn_error error;

static void check(cairn_status status)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error.message);
}

static cairn_world *world_of(double step, double gravity)
{
    cairn_world_def def = cairn_default_world_def();
    def.time_step = step;
    memset(def.gravity, 0, sizeof def.gravity);
    def.gravity[2] = -gravity;
    cairn_world *world;
    check(cairn_world_create(&def, &world, &error));
    return world;
}

static const cairn_material_id any = {0};

static void use(cairn_world *world, cairn_material_id a, cairn_material_id b, const char *law)
{
    check(cairn_pair_set_law(world, a, b, law, &error));
}

static void set(cairn_world *world, cairn_material_id a, cairn_material_id b, const char *name,
                double number)
{
    cairn_value value = {.type = CAIRN_NUMBER, .number = number};
    check(cairn_pair_set_value(world, a, b, name, value, &error));
}

static void set_word(cairn_world *world, const char *name, const char *word)
{
    cairn_value value = {.type = CAIRN_TEXT, .text = word};
    check(cairn_pair_set_value(world, any, any, name, value, &error));
}

static cairn_body_id add_ball(cairn_world *world, double radius, double mass, const double x[3],
                              const double v[3], const double w[3])
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_SPHERE);
    shape.radius = radius;
    cairn_body_def body = cairn_default_body_def();
    check(cairn_shape_create(world, &shape, &body.shape, &error));
    body.mass = mass;
    memcpy(body.position, x, sizeof body.position);
    memcpy(body.velocity, v, sizeof body.velocity);
    memcpy(body.angular_velocity, w, sizeof body.angular_velocity);
    cairn_body_id id;
    check(cairn_body_create(world, &body, &id, &error));
    return id;
}

static cairn_body_id add_floor(cairn_world *world, cairn_material_id material)
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def body = cairn_default_body_def();
    check(cairn_shape_create(world, &shape, &body.shape, &error));
    body.kind = CAIRN_FIXED;
    body.material = material;
    cairn_body_id id;
    check(cairn_body_create(world, &body, &id, &error));
    return id;
}

static void steps(cairn_world *world, int count)
{
    for (int i = 0; i < count; i++)
        check(cairn_world_step(world, &error));
}

static cairn_body_view view(const cairn_world *world, cairn_body_id id)
{
    cairn_body_view v;
    check(cairn_body_get(world, id, &v));
    return v;
}

/// A collision that another program has computed by leap-frog: the world's positions are half a
/// step behind its.
static void test_leap_frog_collision(void **state)
{
    (void)state;
    const double h = 1e-6, none[3] = {0};
    cairn_world *world = world_of(h, 0.0);
    use(world, any, any, "incremental");
    set(world, any, any, "normal_stiffness", 1e6);
    set(world, any, any, "shear_stiffness", 4e5);
    set(world, any, any, "friction", 0.3);
    set_word(world, "rotation", "first_order");
    double x[2][3] = {{0}, {0.0802, 0.0, 0.0}}, omega[3] = {0.0, 0.0, 20.0};
    const double v[2][3] = {{0.5, 0.4, 0.0}, {-1.5, -0.2, 0.3}}, radius[2] = {0.05, 0.03};
    cairn_body_id ball[2];
    for (int b = 0; b < 2; b++) {
        for (int k = 0; k < 3; k++)
            x[b][k] -= 0.5 * h * v[b][k];
        double mass = 2600.0 * 4.0 / 3.0 * M_PI * pow(radius[b], 3.0);
        ball[b] = add_ball(world, radius[b], mass, x[b], v[b], b == 0 ? none : omega);
    }
    steps(world, 4000);
    const double expected[2][3][3] = {
        {{-0.0002208462319929202, 0.0012212487068144302, 9.22525347936878e-05},
         {-0.21001679787556657, 0.2846481895953, 0.028014891594475566},
         {0.007980183381830992, -1.4871457532967425, -5.878356624923646}},
        {{0.08448169551847313, 0.0009534782091924864, 0.0007729049315107269},
         {1.7871148049794747, 0.3340361592810224, 0.17030142780335414},
         {0.06119951508793964, -11.410913153193107, -25.10482652181463}},
    };
    for (int b = 0; b < 2; b++) {
        cairn_body_view now = view(world, ball[b]);
        for (int k = 0; k < 3; k++) {
            check_close(now.position[k], expected[b][0][k] - 0.5 * h * expected[b][1][k], 1e-9,
                        1e-11);
            check_close(now.velocity[k], expected[b][1][k], 1e-8, 1e-9);
            check_close(now.angular_velocity[k], expected[b][2][k], 1e-8, 1e-8);
        }
    }
    cairn_world_destroy(world);
}

/// A heap of spinning balls, the lowest pressed into the floor a little, falls; the worst residual
/// over the energy that goes round.
static double heap_residual(const char *law, const char *stiffness, double value,
                            const char *friction, double h)
{
    cairn_world *world = world_of(h, 9.81);
    use(world, any, any, law);
    if (stiffness != NULL)
        set(world, any, any, stiffness, value);
    set(world, any, any, friction, 0.3);
    add_floor(world, any);
    double given = 0.0;
    for (int i = 0; i < 5; i++) {
        const double x[3] = {0.02 * i, 0.01 * (i % 2), 0.0299 + 0.0565 * i};
        const double v[3] = {0.1 * i, -0.2, -1.0}, w[3] = {3.0, -5.0 * i, 2.0};
        add_ball(world, 0.03, 0.1, x, v, w);
        given += 0.1 * (0.5 * 1.0 + 9.81 * x[2]);
    }
    double worst = 0.0;
    int contacts = 0;
    for (int n = 0; n < (int)(0.25 / h + 0.5); n++) {
        steps(world, 1);
        worst = fmax(worst, fabs(cairn_world_get_energy(world).residual));
        int now = cairn_contact_count(world);
        contacts = now > contacts ? now : contacts;
    }
    assert_true(contacts > 1);
    cairn_world_destroy(world);
    return worst / given;
}

static void test_energy(void **state)
{
    (void)state;
    const struct {
        const char *law, *stiffness;
        double value;
        const char *friction;
    } cases[] = {
        {"spring_dashpot", "spring", 1e5, "friction"},
        {"incremental", "normal_stiffness", 1e5, "friction"},
        {"exudyn_sphere", "contact_stiffness", 1e5, "dynamic_friction"},
        {"hooke", NULL, 0.0, "friction"},
        {"hertz_mindlin", NULL, 0.0, "friction"},
    };
    for (int i = 0; i < 5; i++) {
        double coarse = heap_residual(cases[i].law, cases[i].stiffness, cases[i].value,
                                      cases[i].friction, 4e-5);
        double fine = heap_residual(cases[i].law, cases[i].stiffness, cases[i].value,
                                    cases[i].friction, 1e-5);
        check_at_most(coarse, 1e-3);
        check_at_most(fine, coarse / 4.0);
    }
}

/// A ball that is bonded to the floor at the start hangs on while it is pulled, until it is pulled
/// too hard.
static void check_bond(double overlap)
{
    const double h = 1e-4, none[3] = {0}, x[3] = {0.0, 0.0, 0.1 - overlap};
    cairn_world *world = world_of(h, 0.0);
    use(world, any, any, "spring_dashpot");
    set(world, any, any, "spring", 1e5);
    set(world, any, any, "dashpot", 200.0);
    set(world, any, any, "friction", 10.0);
    set(world, any, any, "cohesion", 5.0);
    add_floor(world, any);
    cairn_body_id ball = add_ball(world, 0.1, 1.0, x, none, none);
    const double pull[3] = {0.0, 0.0, 4.0}, tear[3] = {0.0, 0.0, 8.0};
    check(cairn_body_set_force(world, ball, pull, none, &error));
    steps(world, 2000);
    cairn_body_view now = view(world, ball);
    // the dashpot alone bears tension: the ball creeps at 4 N / 200 N s/m (and a little faster, for
    // the tangent of the linear spring stays in the denominator of the force)
    check_close(now.velocity[2], 0.02, 3e-4, 0.0);
    assert_true(now.position[2] > 0.1 + 2e-3);
    assert_int_equal(cairn_contact_count(world), 1);
    check(cairn_body_set_force(world, ball, tear, none, &error));
    steps(world, 500);
    assert_int_equal(cairn_contact_count(world), 0);
    now = view(world, ball);
    assert_true(now.velocity[2] > 0.1);
    cairn_world_destroy(world);
}

static void test_bond(void **state)
{
    (void)state;
    check_bond(1e-5);
    // set against the floor up to round-off
    check_bond(-1e-9);
}

/// One ball on another on the floor: rigid below, soft above.
static void test_mixed_step(void **state)
{
    (void)state;
    const double h = 1e-4, none[3] = {0}, low[3] = {0.0, 0.0, 0.1}, high[3] = {0.0, 0.0, 0.3};
    cairn_world *world = world_of(h, 9.81);
    cairn_material_id ground, soft;
    check(cairn_material_create(world, "soft", &soft, &error));
    check(cairn_material_create(world, "ground", &ground, &error));
    use(world, soft, soft, "hooke");
    set(world, soft, soft, "normal_stiffness", 1e5);
    use(world, soft, ground, "signorini_coulomb");
    add_floor(world, ground);
    add_ball(world, 0.1, 1.0, low, none, none);
    cairn_body_id upper = add_ball(world, 0.1, 2.0, high, none, none);
    steps(world, 10000);
    check_close(view(world, upper).position[2], 0.3 - 2.0 * 9.81 / 1e5, 0.0, 5e-6);
    assert_int_equal(cairn_contact_count(world), 2);
    for (int i = 0; i < 2; i++) {
        cairn_contact_view c;
        cairn_contact_get(world, i, &c);
        bool floor_contact = c.point[2] < 0.1;
        check_close(fabs(c.force[2]), (floor_contact ? 3.0 : 2.0) * 9.81, 1e-4, 0.0);
    }
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leap_frog_collision),
        cmocka_unit_test(test_energy),
        cmocka_unit_test(test_bond),
        cmocka_unit_test(test_mixed_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
