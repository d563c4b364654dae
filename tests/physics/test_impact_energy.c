// SPDX-License-Identifier: Apache-2.0
// No impact makes energy, under any impact law; and the energetic coefficient of restitution
// against Routh's process, integrated in small pieces here.
#include "base/rng.h"
#include "contact/local/energetic.h"
#include "engine/state/world.h"
#include "tests/physics/bench_world.h"

#include <string.h>

static const double still[3] = {0.0, 0.0, 0.0};
static const char *const names[] = {"newton", "poisson", "sequential", "energetic"};
enum { IMPACTS = 4 };

/// The process of a contact by steps of its normal impulse: explicit midpoint, sliding that would
/// turn back within a step sticks where friction holds it.
static void integrate(const mat3 *W, double mu, double e, const double before[3], double piece,
                      double u[3])
{
    double work = 0.0, goal = 0.0, a = W->m[1][1], b = W->m[1][2], c = W->m[2][2];
    double of = a * c - b * b, hold[2] = {-(c * W->m[1][0] - b * W->m[2][0]) / of,
                                          -(a * W->m[2][0] - b * W->m[1][0]) / of};
    hold[0] = mu > 0.0 ? hold[0] : 0.0;
    hold[1] = mu > 0.0 ? hold[1] : 0.0;
    bool holds = hypot(hold[0], hold[1]) <= mu, sticks = false, back = false;
    for (int k = 0; k < 3; k++)
        u[k] = before[k];
    for (int step = 0; step < 100000000; step++) {
        double at[3] = {u[0], u[1], u[2]}, next[3] = {0.0};
        for (int half = 0; half < 2; half++) {
            double size = hypot(at[1], at[2]), r[3] = {1.0, hold[0], hold[1]};
            if (!sticks && size > 0.0) {
                r[1] = -mu * at[1] / size;
                r[2] = -mu * at[2] / size;
            }
            for (int k = 0; k < 3; k++)
                next[k] = u[k] + (half == 0 ? 0.5 : 1.0) * piece *
                                     (W->m[k][0] + W->m[k][1] * r[1] + W->m[k][2] * r[2]);
            for (int k = 0; k < 3; k++)
                at[k] = next[k];
        }
        if (holds && !sticks && u[1] * next[1] + u[2] * next[2] <= 0.0) {
            sticks = true;
            next[1] = next[2] = 0.0;
        }
        work += 0.5 * piece * (u[0] + next[0]);
        for (int k = 0; k < 3; k++)
            u[k] = next[k];
        if (!back && u[0] >= 0.0) {
            back = true;
            goal = work * (1.0 - e * e);
        }
        if (back && work >= goal)
            return;
    }
    fail_msg("the process does not end");
}

static double energy_change(const double R[3], const double before[3], const double after[3])
{
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += 0.5 * R[k] * (before[k] + after[k]);
    return sum;
}

/// W of a point of a body whose moments are J about axes that are turned at random.
static mat3 random_mobility(base_rng *rng)
{
    mat3 W = {0};
    for (int k = 0; k < 3; k++)
        W.m[k][k] = base_rng_range(rng, 0.2, 1.0);
    for (int k = 0; k < 3; k++) {
        double row[3];
        for (int i = 0; i < 3; i++)
            row[i] = base_rng_range(rng, -1.3, 1.3);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                W.m[i][j] += row[i] * row[j];
    }
    return W;
}

static void one_contact_follows_rouths_process(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(11);
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        mat3 W = random_mobility(&rng);
        double mu = i % 7 == 0 ? 0.0 : base_rng_range(&rng, 0.05, 1.5),
               e = i % 5 == 0 ? 1.0 : base_rng_range(&rng, 0.0, 1.0);
        double u[3] = {-1.0, base_rng_range(&rng, -2.0, 2.0), base_rng_range(&rng, -2.0, 2.0)};
        double R[3], after[3], wanted[3], apart = 0.0;
        // a plane one, one that does not slide
        for (int k = 0; k < 3 && i % 3 == 0; k++)
            W.m[2][k] = W.m[k][2] = k == 2 ? W.m[2][2] : 0.0;
        u[2] = i % 3 == 0 ? 0.0 : u[2];
        u[1] = i % 11 == 0 ? 0.0 : u[1];
        u[2] = i % 11 == 0 ? 0.0 : u[2];
        con_impact_energetic(&W, mu, e, u, R);
        for (int k = 0; k < 3; k++)
            after[k] = u[k] + W.m[k][0] * R[0] + W.m[k][1] * R[1] + W.m[k][2] * R[2];
        check_at_most(hypot(R[1], R[2]), mu * R[0] * (1.0 + 1e-9));
        check_at_most(energy_change(R, u, after), 1e-8 * R[0]);
        assert_true(after[0] > -1e-12);
        if (i % 11 == 0 && i % 3 != 0 && hypot(W.m[1][0], W.m[2][0]) > 0.0)
            continue; // the integration below does not know where slip begins
        integrate(&W, mu, e, u, 1e-5, wanted);
        for (int k = 0; k < 3; k++)
            apart = fmax(apart, fabs(after[k] - wanted[k]));
        worst = fmax(worst, apart);
    }
    print_message("largest difference from the process: %.2g of the closing velocity\n", worst);
    check_at_most(worst, 2e-4);
}

static cairn_world *make_impact(int impact, double mu, double e, double h)
{
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = 0.0;
    def.time_step = h;
    def.tolerance = 1e-11;
    def.rotation = CAIRN_RIG_EXACT;
    def.impact = (cairn_impact)impact;
    cairn_world *world = make_world(&def);
    set_contact(world, mu, e);
    return world;
}

/// A shape whose lowest point touches the ground, turned by an angle about y and another about x.
static cairn_body_id drop(cairn_world *world, int kind, double angle, double roll)
{
    cairn_shape_def shape = cairn_default_shape_def(kind == 0   ? CAIRN_CAPSULE
                                                    : kind == 1 ? CAIRN_BOX
                                                    : kind == 2 ? CAIRN_CYLINDER
                                                                : CAIRN_SPHERE);
    shape.radius = kind == 0 ? 0.01 : 0.1;
    shape.half_length = 0.25;
    shape.half_size[0] = 0.1;
    shape.half_size[1] = 0.06;
    shape.half_size[2] = 0.2;
    cairn_body_def body = cairn_default_body_def();
    body.shape = make_shape(world, &shape);
    body.mass = 1.0;
    const double c = cos(0.5 * angle), s = sin(0.5 * angle), d = cos(0.5 * roll),
                 t = sin(0.5 * roll);
    const double turn[4] = {d * c, t * c, d * s, t * s};
    for (int k = 0; k < 4; k++)
        body.orientation[k] = turn[k];
    double low[3];
    cairn_error error = {0};
    // down in the frame of the shape
    const double w = turn[0], x = turn[1], y = turn[2], z = turn[3];
    const double down[3] = {-2.0 * (x * z - w * y), -2.0 * (y * z + w * x),
                            2.0 * (x * x + y * y) - 1.0};
    require(cairn_shape_get_support(world, body.shape, down, low), &error);
    for (int k = 0; k < 3; k++)
        body.position[2] += down[k] * low[k];
    body.position[2] -= 1e-9;
    return make_body(world, &body);
}

static double kinetic(const cairn_world *world)
{
    double sum = 0.0;
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view view = look_at(world, cairn_body_at(world, i));
        sum += isfinite(view.mass) ? view.kinetic_energy : 0.0;
    }
    return sum;
}

/// 4 laws x 4 shapes x 108 ways to strike the ground.
static void single_impacts_make_no_energy(void **state)
{
    (void)state;
    const double angles[] = {0.1, 0.5, 0.9, 1.2}, mus[] = {0.2, 0.5, 1.2}, es[] = {0.5, 0.9, 1.0},
                 spins[] = {-3.0, 0.0, 4.0};
    int lost = 0;
    for (int impact = 0; impact < IMPACTS; impact++)
        for (int kind = 0; kind < 4; kind++)
            for (int i = 0; i < 108; i++) {
                double mu = mus[i % 3], e = es[i / 3 % 3], spin = spins[i / 9 % 3],
                       angle = angles[i / 27];
                cairn_world *world = make_impact(impact, mu, e, 1e-5);
                add_ground(world);
                cairn_body_id body = drop(world, kind, angle, kind == 1 ? 0.3 * (i % 4) : 0.0);
                set_velocity(world, body, (double[]){0.3 * (i % 5) - 0.5, 0.2 * (i % 2), -1.0},
                             (double[]){kind == 1 ? 1.0 : 0.0, spin, 0.5});
                double before = kinetic(world);
                run_steps(world, 2);
                double after = kinetic(world);
                cairn_energy energy = cairn_world_get_energy(world);
                if (after > before * (1.0 + 1e-9) ||
                    energy.impact + energy.friction < -1e-9 * before)
                    fail_msg("%s, shape %d, %d: %.9g J from %.9g J", names[impact], kind, i, after,
                             before);
                lost += after < before * (1.0 - 1e-9);
                const char *stop = cairn_world_get_report(world)->stop;
                assert_true(strcmp(stop, "solved") == 0 || strcmp(stop, "none") == 0);
                cairn_world_destroy(world);
            }
    // most of them do strike
    assert_true(lost > IMPACTS * 4 * 108 / 2);
}

/// A rod in a plane strikes the ground: its velocities are those of the process.
static void a_rod_has_the_energetic_coefficient(void **state)
{
    (void)state;
    const double mass = 1.0, r = 0.01, half = 0.25;
    for (int i = 0; i < 48; i++) {
        double angle = 0.2 + 0.25 * (i % 4), mu = 0.15 + 0.35 * (i / 4 % 3),
               e = i / 12 % 2 == 0 ? 0.6 : 1.0;
        double slide = i / 24 == 0 ? 0.4 : -0.3, spin = i % 2 == 0 ? 1.5 : -1.0;
        cairn_world *world = make_impact(CAIRN_IMPACT_ENERGETIC, mu, e, 1e-6);
        add_ground(world);
        cairn_body_id body = drop(world, 0, angle, 0.0);
        set_velocity(world, body, still, (double[]){0.0, 1.0, 0.0});
        double J = 2.0 * kinetic(world);
        set_velocity(world, body, (double[]){slide, 0.0, -1.0}, (double[]){0.0, spin, 0.0});
        // of the lowest point against the centre
        double x = -half * sin(angle), z = -half * cos(angle) - r;
        mat3 W = {{{1.0 / mass + x * x / J, -x * z / J, 0.0},
                   {-x * z / J, 1.0 / mass + z * z / J, 0.0},
                   {0.0, 0.0, 1.0 / mass}}};
        const double u[3] = {-1.0 - spin * x, slide + spin * z, 0.0};
        run_steps(world, 2);
        cairn_body_view view = look_at(world, body);
        double after[3], w = view.angular_velocity[1];
        if (u[0] < -1e-3) {
            integrate(&W, mu, e, u, 1e-6, after);
            check_close(view.velocity[2] - w * x, after[0], 0.0, 2e-4);
            check_close(view.velocity[0] + w * z, after[1], 0.0, 2e-4);
        }
        cairn_world_destroy(world);
    }
}

/// Several contacts at once: a box that lands on its face, a rod on two supports, a row of boxes, a
/// stack of five, bodies that overlap at the start.
static cairn_world *make_crowd(int impact, int scene, double mu, double e, int seed)
{
    cairn_world *world = make_impact(impact, mu, e, 1e-3);
    base_rng rng = base_rng_make((uint64_t)seed);
    cairn_shape_id box = box_shape(world, 0.2, 0.2, 0.1), ball = sphere_shape(world, 0.08);
    if (scene < 3)
        add_ground(world);
    if (scene == 0) {
        cairn_body_id a = add_body_at(world, box, 0.0, 0.0, 0.0502);
        set_velocity(world, a,
                     (double[]){base_rng_range(&rng, -2, 2), base_rng_range(&rng, -1, 1), -1.0},
                     (double[]){0.0, 0.0, base_rng_range(&rng, -9, 9)});
    } else if (scene == 1) {
        cairn_shape_def rod = cairn_default_shape_def(CAIRN_CAPSULE);
        rod.radius = 0.02;
        rod.half_length = 0.4;
        cairn_body_def def = cairn_default_body_def();
        def.shape = make_shape(world, &rod);
        def.orientation[0] = def.orientation[2] = sqrt(0.5);
        def.position[2] = 0.1 + 0.02 + 2e-4;
        cairn_body_id a = make_body(world, &def);
        set_velocity(world, a, (double[]){base_rng_range(&rng, -2, 2), 0.3, -1.0},
                     (double[]){0.0, base_rng_range(&rng, -2, 2), 0.0});
        add_body_at(world, box, -0.2, 0.0, 0.05);
        add_body_at(world, box, 0.25, 0.0, 0.05);
    } else if (scene == 2) {
        for (int k = 0; k < 5; k++) {
            cairn_body_id a = add_body_at(world, box, 0.01 * k, 0.0, 0.05 + 0.1 * k);
            set_velocity(world, a,
                         (double[]){base_rng_range(&rng, -1, 1), 0.0, k == 4 ? -2.0 : -0.5},
                         (double[]){0.0, base_rng_range(&rng, -2, 2), 0.0});
        }
    } else
        for (int k = 0; k < 8; k++) {
            double gap = scene == 3 ? 0.205 : 0.19;
            cairn_body_id a = add_body_at(world, k % 2 == 0 ? box : ball, gap * (k % 2),
                                          gap * (k / 2 % 2), (scene == 3 ? 0.15 : 0.12) * (k / 4));
            set_velocity(
                world, a,
                (double[]){2.0 - 4.0 * (k % 2), 1.5 - 3.0 * (k / 2 % 2), 1.0 - 2.0 * (k / 4)},
                (double[]){base_rng_range(&rng, -3, 3), base_rng_range(&rng, -3, 3),
                           base_rng_range(&rng, -3, 3)});
        }
    return world;
}

static void crowds_make_no_energy(void **state)
{
    (void)state;
    const double mus[] = {0.0, 0.3, 0.8}, es[] = {0.7, 1.0};
    double worst[IMPACTS] = {0.0};
    for (int impact = 0; impact < IMPACTS; impact++)
        for (int scene = 0; scene < 5; scene++)
            for (int i = 0; i < 12; i++) {
                cairn_world *world = make_crowd(impact, scene, mus[i % 3], es[i / 3 % 2], 3 + i);
                double start = kinetic(world), lost = 0.0;
                double p0[3], l0[3], p[3], l[3];
                cairn_world_get_momentum(world, p0, l0);
                for (int step = 0; step < 40; step++) {
                    run_steps(world, 1);
                    cairn_energy energy = cairn_world_get_energy(world);
                    double now = energy.impact + energy.friction;
                    worst[impact] = fmax(worst[impact], (lost - now) / start);
                    if (lost - now > 1e-7 * start)
                        fail_msg("%s, scene %d, %d, step %d: an impact made %.3g of the energy",
                                 names[impact], scene, i, step, (lost - now) / start);
                    lost = now;
                }
                cairn_world_get_momentum(world, p, l);
                for (int k = 0; k < 3 && scene > 2; k++) {
                    check_close(p[k], p0[k], 0.0, 1e-9 * start);
                    check_close(l[k], l0[k], 0.0, 1e-8 * start);
                }
                cairn_world_destroy(world);
            }
    for (int impact = 0; impact < IMPACTS; impact++)
        print_message("%s: at most %.2g of the energy made by an impact\n", names[impact],
                      worst[impact]);
}

/// Cubes that fall on each other and bounce without loss, while their weight presses them together:
/// what parts keeps its velocity, and pushes others by that no more than the impacts lost.
static void stacks_that_bounce_make_no_energy(void **state)
{
    (void)state;
    for (int impact = 0; impact < IMPACTS; impact++)
        for (int i = 0; i < 8; i++) {
            cairn_world_def def = cairn_default_world_def();
            def.impact = (cairn_impact)impact;
            def.time_step = i % 2 == 0 ? 1.0 / 200.0 : 1e-3;
            cairn_world *world = make_world(&def);
            set_contact(world, i / 4 == 0 ? 0.0 : 0.3, 1.0);
            add_ground(world);
            cairn_shape_id cube = box_shape(world, 0.2, 0.2, 0.2);
            int count = i / 2 % 2 == 0 ? 3 : 5;
            for (int k = 0; k < count; k++)
                add_body_at(world, cube, 0.0, 0.0, 0.2 + 0.2 * k);
            cairn_energy energy = cairn_world_get_energy(world);
            double start = energy.kinetic + energy.potential, lost = 0.0;
            for (int step = 0; step < (int)(2.0 / def.time_step); step++) {
                run_steps(world, 1);
                energy = cairn_world_get_energy(world);
                check_at_most(lost - (energy.impact + energy.friction), 1e-5 * start);
                lost = energy.impact + energy.friction;
            }
            cairn_world_destroy(world);
        }
}

/// Central impacts without friction give back e, under every law.
static void central_impacts_give_e_back(void **state)
{
    (void)state;
    const double es[] = {0.0, 0.3, 0.75, 1.0};
    for (int impact = 0; impact < IMPACTS; impact++)
        for (int i = 0; i < 12; i++) {
            int kind = i / 4 == 0 ? 3 : i / 4 == 1 ? 1 : 0;
            cairn_world *world = make_impact(impact, i % 2 == 0 ? 0.0 : 0.4, es[i % 4], 1e-3);
            add_ground(world);
            // a ball, a box flat on its face, an upright rod
            cairn_body_id body = drop(world, kind, 0.0, 0.0);
            set_velocity(world, body, (double[]){0.0, 0.0, -1.3}, still);
            run_steps(world, 2);
            check_close(look_at(world, body).velocity[2], 1.3 * es[i % 4], 0.0, 1e-9);
            cairn_world_destroy(world);
        }
}

/// A ball or a box that bounces without loss comes back to its height, whatever the step.
static void what_bounces_keeps_its_energy(void **state)
{
    (void)state;
    for (int impact = 0; impact < IMPACTS; impact++)
        for (int kind = 0; kind < 2; kind++)
            for (int step = 0; step < 3; step++) {
                cairn_world_def def = cairn_default_world_def();
                def.impact = (cairn_impact)impact;
                def.time_step = step == 0 ? 1.0 / 200.0 : step == 1 ? 1e-3 : 0.01;
                cairn_world *world = make_world(&def);
                // a box that lands flat with friction is unstable but under Newton's law
                set_contact(world, impact == CAIRN_IMPACT_NEWTON ? 0.5 : 0.0, 1.0);
                add_ground(world);
                cairn_shape_id shape =
                    kind == 0 ? sphere_shape(world, 0.1) : box_shape(world, 0.3, 0.2, 0.2);
                cairn_body_id body = add_body_at(world, shape, 0.0, 0.0, 1.1);
                run_steps(world, (int)(10.0 / def.time_step));
                cairn_body_view view = look_at(world, body);
                double energy = view.kinetic_energy + view.mass * 9.81 * (view.position[2] - 0.1);
                check_close(energy / (view.mass * 9.81), 1.0, 0.0, 2e-3);
                cairn_world_destroy(world);
            }
}

/// As many rods strike the ground at once as make a problem that is cut into domains.
static void many_impacts_make_no_energy(void **state)
{
    (void)state;
    enum { SIDE = 66 };
    cairn_world *world = make_impact(CAIRN_IMPACT_NEWTON, 0.5, 1.0, 1e-5);
    add_ground(world);
    cairn_shape_def rod = cairn_default_shape_def(CAIRN_CAPSULE);
    rod.radius = 0.01;
    rod.half_length = 0.25;
    cairn_body_def body = cairn_default_body_def();
    body.shape = make_shape(world, &rod);
    body.mass = 1.0;
    body.orientation[0] = cos(M_PI / 8.0);
    body.orientation[2] = sin(M_PI / 8.0);
    body.position[2] = 0.25 * sqrt(0.5) + 0.01 - 1e-9;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            body.position[0] = 0.7 * i;
            body.position[1] = 0.1 * j;
            set_velocity(world, make_body(world, &body), (double[]){0.3, 0.0, -1.0}, still);
        }
    double before = kinetic(world);
    run_steps(world, 1);
    assert_true(cairn_world_get_report(world)->contacts >= 4000);
    run_steps(world, 1);
    check_at_most(kinetic(world), before * (1.0 + 1e-9));
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_contact_follows_rouths_process),
        cmocka_unit_test(single_impacts_make_no_energy),
        cmocka_unit_test(a_rod_has_the_energetic_coefficient),
        cmocka_unit_test(crowds_make_no_energy),
        cmocka_unit_test(many_impacts_make_no_energy),
        cmocka_unit_test(stacks_that_bounce_make_no_energy),
        cmocka_unit_test(central_impacts_give_e_back),
        cmocka_unit_test(what_bounces_keeps_its_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
