// SPDX-License-Identifier: Apache-2.0
// Order in the step of what `exudyn_sphere` leaves of an impact: balls over each other, against the
// equations of the law integrated by Runge and Kutta, worst of many phases of the touch in its
// step.
#include "tests/physics/bench_world.h"

enum { MOST = 3, STEPS = 4, PHASES = 16 };

static const double radius = 0.05, stiffness = 1e6;

/// Balls along z; the lowest one is fixed where its mass is 0. The highest falls.
typedef struct tower {
    const char *name;
    int count, model;
    double restitution, damping, gravity;
    double mass[MOST], gap[MOST - 1], speed;
    double end, step; // s; the largest step
} tower;

typedef struct motion {
    double z[MOST], v[MOST];
} motion;

/// Of the impact model, over d / v_i.
static double impact_damping(const tower *t)
{
    double e = t->restitution;
    if (t->model == 1)
        return 1.5 * (1.0 - e) * stiffness;
    return t->model == 2 ? 1.5 * (1.0 - e) * (11.0 - e) / (1.0 + 9.0 * e) * stiffness : 0.0;
}

static double overlap(const motion *m, int pair)
{
    return 2.0 * radius - (m->z[pair + 1] - m->z[pair]);
}

static motion rate(const tower *t, const motion *m, const double *impact)
{
    motion r = {0};
    for (int i = 0; i < t->count; i++) {
        r.z[i] = m->v[i];
        r.v[i] = t->mass[i] > 0.0 ? -t->gravity : 0.0;
    }
    for (int i = 0; i + 1 < t->count; i++) {
        double d = overlap(m, i), v = m->v[i + 1] - m->v[i];
        if (impact[i] == 0.0)
            continue;
        double force = stiffness * d - (t->damping + impact_damping(t) * d / impact[i]) * v;
        r.v[i + 1] += force / t->mass[i + 1];
        r.v[i] -= t->mass[i] > 0.0 ? force / t->mass[i] : 0.0;
    }
    return r;
}

static motion moved(const motion *m, const motion *r, double h)
{
    motion next;
    for (int i = 0; i < MOST; i++) {
        next.z[i] = m->z[i] + h * r->z[i];
        next.v[i] = m->v[i] + h * r->v[i];
    }
    return next;
}

static motion advance(const tower *t, const motion *m, const double *impact, double h)
{
    motion k1 = rate(t, m, impact), a = moved(m, &k1, 0.5 * h);
    motion k2 = rate(t, &a, impact), b = moved(m, &k2, 0.5 * h);
    motion k3 = rate(t, &b, impact), c = moved(m, &k3, h);
    motion k4 = rate(t, &c, impact), mean;
    for (int i = 0; i < MOST; i++) {
        mean.z[i] = (k1.z[i] + 2.0 * (k2.z[i] + k3.z[i]) + k4.z[i]) / 6.0;
        mean.v[i] = (k1.v[i] + 2.0 * (k2.v[i] + k3.v[i]) + k4.v[i]) / 6.0;
    }
    return moved(m, &mean, h);
}

static motion start_of(const tower *t, double shift)
{
    motion m = {0};
    for (int i = 1; i < t->count; i++)
        m.z[i] = m.z[i - 1] + 2.0 * radius + t->gap[i - 1];
    m.z[t->count - 1] += shift;
    m.v[t->count - 1] = -t->speed;
    return m;
}

/// Steps end where a contact opens or closes.
static motion integrate(const tower *t, double shift)
{
    motion m = start_of(t, shift);
    double impact[MOST] = {0.0}, time = 0.0, h = 1e-6;
    while (time < t->end) {
        double step = fmin(h, t->end - time);
        motion next = advance(t, &m, impact, step);
        int changes = -1;
        for (int i = 0; i + 1 < t->count; i++) {
            double before = overlap(&m, i), after = overlap(&next, i);
            bool crosses = impact[i] > 0.0 ? after < 0.0 : after > 0.0;
            // the secant meets the crossing to the third order of a short step
            for (int k = 0; crosses && k < 4; k++) {
                step *= before / (before - after);
                next = advance(t, &m, impact, step);
                after = overlap(&next, i);
                changes = i;
            }
        }
        m = next;
        time += step;
        if (changes >= 0) {
            double v = m.v[changes] - m.v[changes + 1];
            impact[changes] = impact[changes] > 0.0 ? 0.0 : v;
        }
    }
    return m;
}

typedef struct parameter {
    const char *name;
    double value;
} parameter;

/// The law between all balls, or connectors between neighbours.
static void set_law(cairn_world *world, const tower *t, const cairn_body_id *ball, bool connectors)
{
    const parameter of_law[] = {{"contact_stiffness", stiffness},
                                {"contact_damping", t->damping},
                                {"impact_model", t->model},
                                {"restitution_coefficient", t->restitution}};
    cairn_error error = {0};
    for (int i = 0; connectors && i + 1 < t->count; i++) {
        cairn_connector_def def = cairn_default_connector_def();
        cairn_connector_id link;
        for (int k = 0; k < 2; k++) {
            def.bodies[k] = ball[i + k];
            def.radii[k] = radius;
        }
        require(cairn_connector_create(world, &def, &link, &error), &error);
        for (int k = 0; k < 4; k++)
            require(cairn_connector_set_value(world, link, of_law[k].name,
                                              cairn_number(of_law[k].value), &error),
                    &error);
    }
    const cairn_material_id none = {0};
    if (connectors)
        return;
    require(cairn_pair_set_law(world, none, none, "exudyn_sphere", &error), &error);
    for (int k = 0; k < 4; k++)
        require(cairn_pair_set_value(world, none, none, of_law[k].name,
                                     cairn_number(of_law[k].value), &error),
                &error);
}

static motion simulate(const tower *t, double shift, double h, bool connectors)
{
    cairn_world_def def = cairn_default_world_def();
    def.time_step = h;
    def.gravity[2] = -t->gravity;
    cairn_world *world = make_world(&def);
    motion m = start_of(t, shift);
    cairn_body_id ball[MOST];
    cairn_shape_id shape = sphere_shape(world, radius);
    for (int i = 0; i < t->count; i++) {
        cairn_body_def body = cairn_default_body_def();
        body.kind = t->mass[i] > 0.0 ? CAIRN_DYNAMIC : CAIRN_FIXED;
        body.shape = shape;
        body.mass = t->mass[i];
        body.position[2] = m.z[i];
        body.velocity[2] = m.v[i];
        ball[i] = make_body(world, &body);
    }
    set_law(world, t, ball, connectors);
    run_steps(world, (int)lround(t->end / h));
    for (int i = 0; i < t->count; i++) {
        cairn_body_view view = look_at(world, ball[i]);
        m.z[i] = view.position[2];
        m.v[i] = view.velocity[2];
    }
    cairn_world_destroy(world);
    return m;
}

static const tower towers[] = {
    {"model 1 under gravity", 2, 1, 0.6, 0.0, 100.0, {0.0, 0.5}, {1e-3}, 1.0, 8e-3, 8e-5},
    {"model 2 under gravity", 2, 2, 0.6, 0.0, 100.0, {0.0, 0.5}, {1e-3}, 1.0, 8e-3, 8e-5},
    {"model 0 with a dashpot", 2, 0, 1.0, 150.0, 0.0, {0.0, 0.5}, {1e-3}, 1.0, 8e-3, 8e-5},
    {"model 2 with a dashpot", 2, 2, 0.6, 50.0, 0.0, {0.0, 0.5}, {1e-3}, 1.0, 8e-3, 8e-5},
    {"model 2 with both", 2, 2, 0.6, 50.0, 100.0, {0.0, 0.5}, {1e-3}, 1.0, 8e-3, 8e-5},
    {"three balls, model 1", 3, 1, 0.6, 0.0, 0.0, {1, 1, 1}, {1e-4, 1e-3}, 1.0, 1.6e-2, 8e-5},
    {"three balls, model 2", 3, 2, 0.6, 0.0, 0.0, {1, 1, 1}, {1e-4, 1e-3}, 1.0, 1.6e-2, 8e-5},
    {"three balls, dashpots", 3, 2, 0.8, 50.0, 0.0, {1, 1, 1}, {1e-4, 1e-3}, 1.0, 1.6e-2, 8e-5},
};

/// Largest error of a velocity after the impacts, that of the fall since then taken off.
static double error_of(const tower *t, double shift, double h, bool connectors)
{
    motion exact = integrate(t, shift), found = simulate(t, shift, h, connectors);
    double worst = 0.0;
    for (int i = 0; i < t->count; i++) {
        double e = 0.5 * exact.v[i] * exact.v[i] + t->gravity * exact.z[i];
        double f = 0.5 * found.v[i] * found.v[i] + t->gravity * found.z[i];
        worst =
            fmax(worst, t->gravity > 0.0 ? fabs(e - f) / t->speed : fabs(exact.v[i] - found.v[i]));
    }
    return worst;
}

static void check_order(const tower *t, bool connectors)
{
    double worst[STEPS] = {0.0}, h = t->step;
    for (int k = 0; k < STEPS; k++, h *= 0.5)
        for (int phase = 0; phase < PHASES; phase++) {
            double shift = (phase + 0.3) / PHASES * h * t->speed;
            worst[k] = fmax(worst[k], error_of(t, shift, h, connectors));
        }
    double order = log2(worst[0] / worst[STEPS - 1]) / (STEPS - 1);
    print_message("%s: %.2e %.2e %.2e %.2e, order %.2f\n", t->name, worst[0], worst[1], worst[2],
                  worst[3], order);
    check_at_most(1.65, order);
    check_at_most(worst[STEPS - 1], 3e-5);
}

static void impacts_are_of_second_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof towers / sizeof *towers; i++)
        check_order(&towers[i], false);
}

/// One by one instead of by the kernel.
static void impacts_of_connectors_are_of_second_order(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof towers / sizeof *towers; i++)
        check_order(&towers[i], true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impacts_are_of_second_order),
        cmocka_unit_test(impacts_of_connectors_are_of_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
