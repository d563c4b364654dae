// SPDX-License-Identifier: Apache-2.0
// Connectors: the collisions of their program, equality with contacts, markers off the centre,
// data coordinates, audit, mistakes.
#include "base/rng.h"
#include "engine/state/world.h"
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
    def.gravity[2] = -gravity;
    cairn_world *world;
    check(cairn_world_create(&def, &world, &error));
    return world;
}

static cairn_shape_id sphere(cairn_world *world, double radius)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_shape_id id;
    def.radius = radius;
    check(cairn_shape_create(world, &def, &id, &error));
    return id;
}

static cairn_shape_id box(cairn_world *world, double x, double y, double z)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_BOX);
    const double half[3] = {x, y, z};
    cairn_shape_id id;
    memcpy(def.half_size, half, sizeof half);
    check(cairn_shape_create(world, &def, &id, &error));
    return id;
}

typedef struct start {
    double x[3], v[3], w[3];
} start;

static cairn_body_id add(cairn_world *world, cairn_shape_id shape, double mass, double inertia,
                         const start *at)
{
    cairn_body_def def = cairn_default_body_def();
    cairn_body_id id;
    def.shape = shape;
    def.mass = mass;
    for (int k = 0; k < 3; k++) {
        def.position[k] = at->x[k];
        def.velocity[k] = at->v[k];
        def.angular_velocity[k] = at->w[k];
        def.inertia[k] = inertia;
    }
    check(cairn_body_create(world, &def, &id, &error));
    return id;
}

static cairn_connector_id join(cairn_world *world, const char *law, cairn_body_id a,
                               cairn_body_id b, double r_a, double r_b)
{
    cairn_connector_def def = cairn_default_connector_def();
    cairn_connector_id id;
    def.law = law;
    def.bodies[0] = a;
    def.bodies[1] = b;
    def.radii[0] = r_a;
    def.radii[1] = r_b;
    check(cairn_connector_create(world, &def, &id, &error));
    return id;
}

static void set(cairn_world *world, cairn_connector_id c, const char *name, double value)
{
    check(cairn_connector_set_value(world, c, name, cairn_number(value), &error));
}

static void steps(cairn_world *world, int count)
{
    for (int i = 0; i < count; i++)
        check(cairn_world_step(world, &error));
}

static cairn_body_view body(const cairn_world *world, cairn_body_id id)
{
    cairn_body_view view;
    check(cairn_body_get(world, id, &view));
    return view;
}

static cairn_connector_view look(const cairn_world *world, cairn_connector_id id)
{
    cairn_connector_view view;
    check(cairn_connector_get(world, id, &view));
    return view;
}

// ---------------------------------------------------------------- collisions

struct oblique_case {
    const char *name;
    double m0, m1, r0, r1, k, n;
    int model;
    double e, mu, zone;
    double x0[3], v0[3], w0[3], x1[3], v1[3], w1[3];
    double until, overlap, impact, touch, open, work;
    double v0_end[3], w0_end[3], v1_end[3], w1_end[3], x0_end[3], x1_end[3];
};
static const struct oblique_case oblique[] = {
#include "tests/unit/contact/laws/cases_law_oblique.inc"
};

static double ball_inertia(double mass, double radius)
{
    return 0.4 * mass * radius * radius;
}

/// The spheres are in the law alone: A is a small sphere, B a box, and neither touches the other.
static void test_oblique(void **state)
{
    (void)state;
    for (int i = 0; i < (int)(sizeof oblique / sizeof *oblique); i++) {
        const struct oblique_case *c = &oblique[i];
        double h = c->until / 20000.0;
        cairn_world *world = world_of(h, 0.0);
        start a = {0}, b = {0};
        memcpy(a.x, c->x0, sizeof a.x), memcpy(a.v, c->v0, sizeof a.v);
        memcpy(a.w, c->w0, sizeof a.w), memcpy(b.x, c->x1, sizeof b.x);
        memcpy(b.v, c->v1, sizeof b.v), memcpy(b.w, c->w1, sizeof b.w);
        cairn_body_id first =
            add(world, sphere(world, 0.001), c->m0, ball_inertia(c->m0, c->r0), &a);
        cairn_body_id second =
            add(world, box(world, 0.002, 0.001, 0.001), c->m1, ball_inertia(c->m1, c->r1), &b);
        cairn_connector_id link = join(world, "exudyn_sphere", first, second, c->r0, c->r1);
        set(world, link, "contact_stiffness", c->k);
        set(world, link, "contact_stiffness_exponent", c->n);
        set(world, link, "impact_model", c->model);
        set(world, link, "restitution_coefficient", c->e);
        set(world, link, "dynamic_friction", c->mu);
        set(world, link, "friction_proportional_zone", c->zone);
        steps(world, 20000);
        cairn_body_view one = body(world, first), two = body(world, second);
        for (int k = 0; k < 3; k++) {
            check_close(one.velocity[k], c->v0_end[k], 1e-4, 1e-5);
            check_close(two.velocity[k], c->v1_end[k], 1e-4, 1e-5);
            check_close(one.angular_velocity[k], c->w0_end[k], 1e-4, 1e-4);
            check_close(two.angular_velocity[k], c->w1_end[k], 1e-4, 1e-4);
            check_close(one.centre[k], c->x0_end[k], 1e-4, 1e-7);
            check_close(two.centre[k], c->x1_end[k], 1e-4, 1e-7);
        }
        // the data coordinates stay after the impact
        cairn_connector_view view = look(world, link);
        check_close(view.history[2], c->impact, 1e-4, 0.0);
        check_close(view.history[0], view.gap, 2e-2, 0.0);
        assert_false(view.closed);
        assert_int_equal(cairn_contact_count(world), 0);
        double scale = 0.5 * (c->m0 + c->m1);
        check_close(cairn_world_get_energy(world).residual, 0.0, 0.0, 1e-5 * scale);
        cairn_world_destroy(world);
    }
}

/// Between spheres at their centres a connector is the contact law of the pair, step by step.
static void check_as_contact(const char *law, const char *stiffness, double value)
{
    const double h = 1e-5, r[2] = {0.05, 0.03};
    const start at[2] = {{{0.0, 0.0, 0.0}, {0.5, 0.4, 0.0}, {1.0, 0.0, 4.0}},
                         {{0.0799, 0.01, -0.002}, {-1.5, -0.2, 0.3}, {0.0, 3.0, 20.0}}};
    cairn_world *world[2];
    cairn_body_id ball[2][2];
    for (int i = 0; i < 2; i++) {
        world[i] = world_of(h, 9.81);
        for (int k = 0; k < 2; k++)
            ball[i][k] =
                add(world[i], sphere(world[i], r[k]), 1.0 + k, ball_inertia(1.0 + k, r[k]), &at[k]);
    }
    const cairn_material_id any = {0};
    check(cairn_pair_set_law(world[0], any, any, law, &error));
    cairn_connector_id link = join(world[1], law, ball[1][0], ball[1][1], r[0], r[1]);
    if (stiffness != NULL) {
        check(cairn_pair_set_value(world[0], any, any, stiffness, cairn_number(value), &error));
        set(world[1], link, stiffness, value);
    }
    cairn_step_limit limit[2] = {cairn_world_get_stable_step(world[0]),
                                 cairn_world_get_stable_step(world[1])};
    check_close(limit[0].step, limit[1].step, 1e-9, 0.0);
    // the sphere executor gives forces in single precision: both through the general passes
    for (int i = 0; i < 2; i++)
        world[i]->model.general_only = true;
    int touched = 0;
    for (int n = 0; n < 1500; n++) {
        steps(world[0], 1), steps(world[1], 1);
        assert_int_equal(cairn_contact_count(world[1]), 0);
        assert_int_equal(cairn_contact_count(world[0]), look(world[1], link).closed ? 1 : 0);
        touched += cairn_contact_count(world[0]);
        for (int k = 0; k < 2; k++) {
            double f[2][3], t[2][3];
            cairn_body_view one = body(world[0], ball[0][k]), two = body(world[1], ball[1][k]);
            for (int i = 0; i < 2; i++)
                check(cairn_body_get_contact_force(world[i], ball[i][k], f[i], t[i]));
            for (int j = 0; j < 3; j++) {
                check_close(one.velocity[j], two.velocity[j], 0.0, 1e-9);
                check_close(one.angular_velocity[j], two.angular_velocity[j], 0.0, 1e-7);
                check_close(f[0][j], f[1][j], 1e-8, 1e-6);
                check_close(look(world[1], link).force[k][j], f[1][j], 0.0, 1e-9);
            }
        }
    }
    assert_true(touched > 20 && touched < 1500);
    cairn_energy e[2] = {cairn_world_get_energy(world[0]), cairn_world_get_energy(world[1])};
    check_close(e[0].residual, e[1].residual, 0.0, 1e-9);
    check_close(e[0].friction, e[1].friction, 1e-7, 1e-9);
    check_close(e[0].damping, e[1].damping, 1e-7, 1e-9);
    cairn_world_destroy(world[0]);
    cairn_world_destroy(world[1]);
}

static void test_as_contacts(void **state)
{
    (void)state;
    check_as_contact("exudyn_sphere", "contact_stiffness", 1e5);
    check_as_contact("spring_dashpot", "spring", 1e5);
    check_as_contact("incremental", "normal_stiffness", 1e5);
    check_as_contact("hooke", "normal_stiffness", 1e5);
    check_as_contact("hertz_mindlin", NULL, 0.0);
}

// ---------------------------------------------------------------- markers

/// Two bricks that are joined at their corners: nothing from outside acts on them.
static double corner_residual(double h, double *exchanged)
{
    cairn_world *world = world_of(h, 0.0);
    const start at[2] = {{{0.0, 0.0, 0.0}, {0.3, 0.1, 0.0}, {0.5, 1.0, 0.0}},
                         {{0.24, 0.14, 0.05}, {-0.8, -0.4, 0.1}, {0.0, -1.0, 2.0}}};
    cairn_shape_id brick = box(world, 0.1, 0.05, 0.03);
    cairn_body_id a = add(world, brick, 2.0, 0.0, &at[0]), b = add(world, brick, 1.0, 0.0, &at[1]);
    cairn_connector_def def = cairn_default_connector_def();
    cairn_connector_id link;
    const double place[2][3] = {{0.1, 0.05, 0.03}, {-0.1, -0.05, -0.03}};
    def.name = "corner";
    def.bodies[0] = a;
    def.bodies[1] = b;
    def.radii[0] = 0.03;
    def.radii[1] = 0.02;
    memcpy(def.positions, place, sizeof place);
    check(cairn_connector_create(world, &def, &link, &error));
    set(world, link, "contact_stiffness", 2e4);
    set(world, link, "dynamic_friction", 0.3);
    set(world, link, "impact_model", 2);
    set(world, link, "restitution_coefficient", 0.7);
    assert_int_equal(cairn_connector_find(world, "corner").index, link.index);
    double p[3], l[3], before[2][3], worst = 0.0, force = 0.0;
    cairn_world_get_momentum(world, before[0], before[1]);
    double kinetic = cairn_world_get_energy(world).kinetic;
    for (int n = 0; n < (int)(0.2 / h + 0.5); n++) {
        steps(world, 1);
        cairn_world_get_momentum(world, p, l);
        for (int k = 0; k < 3; k++) {
            check_close(p[k], before[0][k], 0.0, 1e-12);
            check_close(l[k], before[1][k], 0.0, 1e-12);
        }
        cairn_energy e = cairn_world_get_energy(world);
        worst = fmax(worst, fabs(e.residual));
        cairn_connector_view view = look(world, link);
        force = fmax(force, view.force[1][0]);
        double arm[3];
        for (int k = 0; k < 3; k++)
            arm[k] = view.positions[1][k] - view.positions[0][k] - view.displacement[k];
        check_close(fabs(arm[0]) + fabs(arm[1]) + fabs(arm[2]), 0.0, 0.0, 1e-15);
    }
    *exchanged = kinetic - cairn_world_get_energy(world).kinetic;
    assert_true(force > 10.0);
    assert_true(*exchanged > 0.01 * kinetic);
    cairn_world_destroy(world);
    return worst;
}

static void test_markers(void **state)
{
    (void)state;
    double exchanged, coarse = corner_residual(1e-4, &exchanged);
    double fine = corner_residual(2.5e-5, &exchanged);
    check_at_most(coarse, 1e-3 * exchanged * 2.0);
    check_at_most(fine, coarse / 6.0);
}

/// A ball inside a hollow sphere swings to and fro; a moving body at rest holds the shell.
static void test_hollow(void **state)
{
    (void)state;
    const double k = 1e6;
    cairn_world *world = world_of(1e-4, 9.81);
    const start low = {.x = {0.0, 0.0, -0.9 - 9.81 / k}};
    cairn_body_def def = cairn_default_body_def();
    cairn_body_id shell, ball = add(world, sphere(world, 0.1), 1.0, 0.0, &low);
    def.kind = CAIRN_MOVING;
    def.shape = sphere(world, 1.0);
    check(cairn_body_create(world, &def, &shell, &error));
    cairn_connector_id link = join(world, "exudyn_sphere", shell, ball, -1.0, 0.1);
    set(world, link, "contact_stiffness", k);
    steps(world, 1000);
    // in equilibrium from the start: the shell pushes up
    cairn_connector_view view = look(world, link);
    check_close(view.force[1][2], 9.81, 1e-6, 0.0);
    check_close(view.force[0][2], -9.81, 1e-6, 0.0);
    check_close(view.normal[2], 1.0, 1e-9, 0.0);
    check_close(view.gap, -9.81 / k, 1e-4, 0.0);
    check_close(cairn_world_get_energy(world).residual, 0.0, 0.0, 1e-9);
    // the shell is driven up: its driver lifts the ball
    const double up[3] = {0.0, 0.0, 0.05}, still[3] = {0};
    check(cairn_body_set_velocity(world, shell, up, still, &error));
    steps(world, 4000);
    cairn_energy e = cairn_world_get_energy(world);
    check_close(e.drivers, 9.81 * 0.05 * 0.4, 2e-2, 0.0);
    check_close(e.residual, 0.0, 0.0, 5e-5 * e.drivers);
    cairn_world_destroy(world);
}

// ---------------------------------------------------------------- data coordinates

static double first_force(const char *compatibility, double gap, double impact)
{
    cairn_world *world = world_of(1e-6, 0.0);
    const start at[2] = {{.v = {1.0, 0.0, 0.0}}, {.x = {0.1999, 0.0, 0.0}}};
    cairn_body_id a = add(world, sphere(world, 0.05), 1.0, 0.0, &at[0]);
    cairn_body_id b = add(world, sphere(world, 0.05), 1.0, 0.0, &at[1]);
    cairn_connector_id link = join(world, "exudyn_sphere", a, b, 0.1, 0.1);
    set(world, link, "contact_stiffness", 1e6);
    set(world, link, "impact_model", 1);
    set(world, link, "restitution_coefficient", 0.5);
    check(
        cairn_connector_set_value(world, link, "compatibility", cairn_text(compatibility), &error));
    check(cairn_connector_set_history(world, link, "gap", gap, &error));
    check(cairn_connector_set_history(world, link, "impact_velocity", impact, &error));
    steps(world, 1);
    double force = look(world, link).force[1][0];
    cairn_world_destroy(world);
    return force;
}

/// A connector that is closed from the start: its damping hangs on the data coordinates.
static void test_initial_data(void **state)
{
    (void)state;
    double overlap = 1e-4 + 0.5e-6, elastic = 1e6 * overlap;
    // f = k d (1 + 3/2 (e - 1) v_n / v_i) with v_n = -1 up to what the step itself changes
    check_close(first_force("physical", 0.0, 0.0), elastic * 1.75, 2e-3, 0.0);
    check_close(first_force("exudyn", 0.0, 0.0), elastic, 1e-9, 0.0);
    check_close(first_force("exudyn", 0.0, 2.0), elastic * 1.375, 2e-3, 0.0);
    check_close(first_force("exudyn", 1.0, 0.0), elastic * 1.75, 2e-3, 0.0);
}

/// Plastic overlap goes when the spheres part, the impact velocity stays till the next impact.
static void test_data_over_bounces(void **state)
{
    (void)state;
    cairn_world *world = world_of(2e-6, 9.81);
    const start above = {.x = {0.0, 0.0, 0.11}};
    cairn_body_def def = cairn_default_body_def();
    cairn_body_id post, ball = add(world, sphere(world, 0.02), 1.0, 0.0, &above);
    def.kind = CAIRN_FIXED;
    def.shape = sphere(world, 0.02);
    check(cairn_body_create(world, &def, &post, &error));
    cairn_connector_id link = join(world, "exudyn_sphere", post, ball, 0.05, 0.05);
    set(world, link, "contact_stiffness", 1e7);
    set(world, link, "contact_plasticity_ratio", 0.3);
    double speed = sqrt(2.0 * 9.81 * 0.01), last = 0.0;
    int impacts = 0;
    bool before = false;
    for (int n = 0; n < 100000; n++) {
        cairn_body_view fall = body(world, ball);
        steps(world, 1);
        cairn_connector_view view = look(world, link);
        if (view.closed && !before) {
            // the velocity of the touch, wherever in its step that lies
            double way = fall.position[2] - 0.1, v = fall.velocity[2];
            impacts++;
            last = view.history[2];
            check_close(last, sqrt(v * v + 2.0 * 9.81 * way), 1e-8, 0.0);
        }
        if (view.closed)
            assert_true(view.history[0] <= 0.0 && view.history[3] > 0.0);
        else
            assert_true(view.history[0] > 0.0 && view.history[3] == 0.0);
        assert_true(impacts == 0 || fabs(view.history[2] - last) <= 1e-12 * last);
        before = view.closed;
    }
    // e^2 = 1 - lambda_P of the linear model
    assert_true(impacts >= 3);
    check_close(last, speed * pow(0.7, 0.5 * (impacts - 1)), 2e-2, 0.0);
    cairn_world_destroy(world);
}

// ---------------------------------------------------------------- life with contacts, mistakes

/// Bodies that a connector joins make no contacts, unless asked to.
static void test_replaces_contacts(void **state)
{
    (void)state;
    for (int both = 0; both < 2; both++) {
        cairn_world *world = world_of(1e-4, 0.0);
        const start at[3] = {{{0}, {0}, {0}}, {.x = {0.09, 0.0, 0.0}}, {.x = {0.0, 0.09, 0.0}}};
        cairn_body_id ball[3];
        for (int i = 0; i < 3; i++)
            ball[i] = add(world, sphere(world, 0.05), 1.0, 0.0, &at[i]);
        cairn_connector_def def = cairn_default_connector_def();
        cairn_connector_id link;
        def.bodies[0] = ball[1];
        def.bodies[1] = ball[0];
        def.radii[0] = def.radii[1] = 0.01;
        def.contacts = both != 0;
        check(cairn_connector_create(world, &def, &link, &error));
        steps(world, 1);
        assert_int_equal(cairn_contact_count(world), both ? 2 : 1);
        cairn_world_destroy(world);
    }
}

static void test_mistakes(void **state)
{
    (void)state;
    cairn_world *world = world_of(1e-4, 0.0);
    const start at[2] = {{{0}, {0}, {0}}, {.x = {1.0, 0.0, 0.0}}};
    cairn_body_id a = add(world, sphere(world, 0.05), 1.0, 0.0, &at[0]);
    cairn_body_id b = add(world, sphere(world, 0.05), 1.0, 0.0, &at[1]);
    const cairn_connector_def good = {.law = "hooke",
                                      .bodies = {a, b},
                                      .radii = {0.1, 0.1},
                                      .cookie = cairn_default_connector_def().cookie};
    cairn_connector_def bad[7];
    for (int i = 0; i < 7; i++)
        bad[i] = good;
    bad[0].law = "hoke";
    bad[1].law = "signorini_coulomb";
    bad[2].bodies[1] = a;
    bad[3].bodies[1].index = 7;
    bad[4].radii[0] = 0.0;
    bad[5].radii[0] = bad[5].radii[1] = -0.1;
    bad[6].positions[1][2] = NAN;
    cairn_connector_id link;
    for (int i = 0; i < 7; i++) {
        assert_int_not_equal(cairn_connector_create(world, &bad[i], &link, &error), CAIRN_OK);
        assert_int_equal(link.generation, 0);
    }
    assert_int_equal(cairn_connector_count(world), 0);
    cairn_connector_def named = good;
    named.name = "twice";
    check(cairn_connector_create(world, &named, &link, &error));
    cairn_connector_id other;
    assert_int_equal(cairn_connector_create(world, &named, &other, &error), CAIRN_ERROR_ARGUMENT);
    assert_int_not_equal(
        cairn_connector_set_value(world, link, "frction", cairn_number(0.1), &error), CAIRN_OK);
    assert_int_not_equal(cairn_connector_set_history(world, link, "sheer_x", 1.0, &error),
                         CAIRN_OK);
    assert_non_null(strstr(error.message, "shear_x"));
    cairn_world_destroy(world);
}

/// A chain of many connectors between bodies that are joined several times.
static void test_many(void **state)
{
    (void)state;
    enum { BODIES = 40, LINKS = 200 };
    base_rng rng = base_rng_make(7);
    cairn_world *world = world_of(1e-4, 0.0);
    cairn_body_id id[BODIES];
    for (int i = 0; i < BODIES; i++) {
        start at = {0};
        for (int k = 0; k < 3; k++) {
            at.x[k] = base_rng_range(&rng, -0.2, 0.2);
            at.v[k] = base_rng_range(&rng, -1.0, 1.0);
        }
        id[i] = add(world, sphere(world, 0.001), 1.0, 1e-3, &at);
    }
    for (int i = 0; i < LINKS; i++) {
        int a = (int)base_rng_range(&rng, 0.0, BODIES), b = (a + 1 + i % (BODIES - 1)) % BODIES;
        cairn_connector_id link = join(world, "exudyn_sphere", id[a], id[b], 0.03, 0.03);
        set(world, link, "contact_stiffness", 1e3);
        set(world, link, "dynamic_friction", 0.5);
    }
    double p[3], l[3], before[2][3];
    cairn_world_get_momentum(world, before[0], before[1]);
    steps(world, 1000);
    cairn_world_get_momentum(world, p, l);
    for (int k = 0; k < 3; k++) {
        check_close(p[k], before[0][k], 0.0, 1e-11);
        check_close(l[k], before[1][k], 0.0, 1e-11);
    }
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oblique),
        cmocka_unit_test(test_as_contacts),
        cmocka_unit_test(test_markers),
        cmocka_unit_test(test_hollow),
        cmocka_unit_test(test_initial_data),
        cmocka_unit_test(test_data_over_bounces),
        cmocka_unit_test(test_replaces_contacts),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
