// SPDX-License-Identifier: Apache-2.0
// Classics at the bounds of the literature, with the table docs/tables/verification.csv: the flip
// about the intermediate axis, bounces that accumulate, Maw's rebound, a gas that bounces, a stack
// of spheres, Euler's disk.
#include "tests/physics/joint_world.h"
#include "tests/physics/verification.h"

#include "base/rng.h"

static const double still[3] = {0.0, 0.0, 0.0};

/// Largest relative changes of energy and angular momentum over ten periods, two flips each.
static void flip(cairn_rotation rotation, int steps_a_turn, double *swing, double *drift)
{
    const double inertia[3] = {1.0, 2.0, 3.0}, period = 55.061681, h = 2.0 * M_PI / steps_a_turn;
    cairn_world_def world_def = cairn_default_world_def();
    world_def.time_step = h;
    world_def.gravity[2] = 0.0;
    world_def.rotation = rotation;
    cairn_world *world = make_world(&world_def);
    cairn_body_id body = add_mass(world, 1.0, inertia, 0.0, 0.0, 0.0);
    set_velocity(world, body, still, (double[]){1e-3, 1.0, 1e-3});
    double p[3], L0[3], L[3], energy = look_at(world, body).kinetic_energy;
    *swing = *drift = 0.0;
    cairn_world_get_momentum(world, p, L0);
    for (int i = 0; i < (int)(10.0 * period / h); i++) {
        cairn_error error = {0};
        require(cairn_world_step(world, &error), &error);
        cairn_world_get_momentum(world, p, L);
        *swing = fmax(*swing, fabs(look_at(world, body).kinetic_energy / energy - 1.0));
        for (int k = 0; k < 3; k++)
            *drift = fmax(*drift, fabs(L[k] - L0[k]) / L0[1]);
    }
    cairn_world_destroy(world);
}

static void a_body_flips_about_its_middle_axis(void **state)
{
    (void)state;
    double swing, drift;
    flip(CAIRN_RIG_IMP, 200, &swing, &drift);
    verify("flip_momentum", drift);
    verify("flip_energy", swing);
    flip(CAIRN_RIG_IMP, 1300, &swing, &drift);
    verify("flip_energy_fine", swing);
    flip(CAIRN_RIG_EXACT, 200, &swing, &drift);
    verify("flip_momentum_exact", drift);
    verify("flip_energy_exact", swing);
}

/// Time after which a ball that fell from 1 m rests, relative to sqrt(2 h0 / g) (1 + e) / (1 - e).
static double rest_time_error(double e, double h)
{
    cairn_world *world = joint_world(h, 9.81);
    set_contact(world, 0.0, e);
    add_ground(world);
    cairn_body_id ball = add_body_at(world, sphere_shape(world, 0.1), 0.0, 0.0, 1.1);
    double expected = sqrt(2.0 / 9.81) * (1.0 + e) / (1.0 - e), last = 0.0;
    for (int i = 0; i < (int)(1.1 * expected / h); i++) {
        cairn_error error = {0};
        require(cairn_world_step(world, &error), &error);
        if (fabs(look_at(world, ball).velocity[2]) > 1e-6)
            last = cairn_world_get_time(world);
    }
    assert_true(last < 1.09 * expected);
    cairn_world_destroy(world);
    return fabs(last / expected - 1.0);
}

static void bounces_accumulate(void **state)
{
    (void)state;
    verify("rest_time_e_0.5", rest_time_error(0.5, 1e-4));
    verify("rest_time_e_0.9", rest_time_error(0.9, 1e-4));
    verify("rest_time_e_0.9_fine", rest_time_error(0.9, 2e-5));
}

// oblique impact of a steel ball of 10 um at 5 m/s, with a plane that does not yield
static const double steel = 208e9, poisson = 0.3, slip = 0.3, ball_radius = 1e-5, speed = 5.0;
static const double ball_mass = 4.0 / 3.0 * M_PI * 1e-15 * 7850.0;

static double impact_time(void)
{
    double E = steel / (1.0 - poisson * poisson);
    return 2.87 * pow(ball_mass * ball_mass / (ball_radius * E * E * speed), 0.2);
}

/// Velocity of the contact point after the impact, over friction times that along the normal, by
/// the same before it.
static double rebound(const char *law, double approach)
{
    const cairn_material_id none = {0};
    cairn_error error = {0};
    cairn_world *world = joint_world(impact_time() / 1000.0, 0.0);
    require(cairn_pair_set_law(world, none, none, law, &error), &error);
    const char *names[] = {"young_modulus", "poisson_ratio", "young_modulus_second"};
    const double values[] = {steel, poisson, 1e6 * steel};
    for (int i = 0; i < 3; i++)
        require(cairn_pair_set_value(world, none, none, names[i], cairn_number(values[i]), &error),
                &error);
    set_contact(world, slip, 1.0);
    add_ground(world);
    cairn_body_def def = cairn_default_body_def();
    def.shape = sphere_shape(world, ball_radius);
    def.density = 7850.0;
    def.position[2] = 1.0001 * ball_radius;
    cairn_body_id ball = make_body(world, &def);
    set_velocity(world, ball, (double[]){approach * slip * speed, 0.0, -speed}, still);
    run_steps(world, 1500);
    cairn_body_view view = look_at(world, ball);
    check_close(view.velocity[2], speed, 1e-3, 0.0);
    cairn_world_destroy(world);
    return (view.velocity[0] - ball_radius * view.angular_velocity[1]) / (slip * speed);
}

/// The same by the theory that Maw, Barber and Fawcett solved: the contact is cut into punches,
/// one for each of many overlaps s, of stiffness 8 G* sqrt(r s); a punch slides where its
/// displacement for a unit of overlap reaches friction times the ratio of the stiffnesses, and the
/// outer ones before the inner ones.
static double rebound_of_punches(double approach)
{
    enum { PUNCHES = 4000, STEPS = 8000 };
    static double slope[PUNCHES];
    memset(slope, 0, sizeof slope);
    double E = steel / (1.0 - poisson * poisson);
    double G = steel / (2.0 * (2.0 - poisson) * (1.0 + poisson)), root = sqrt(ball_radius);
    double deepest = pow(15.0 * ball_mass * speed * speed / (16.0 * E * root), 0.4);
    double thick = 1.001 * deepest / PUNCHES, limit = slip * E / (4.0 * G);
    double h = impact_time() / STEPS, depth = 0.0, fall = speed, along = approach * slip * speed;
    int closed = 0;
    for (int i = 0; depth > 0.0 || fall > 0.0; i++) {
        depth += h * fall * (i > 0 ? 1.0 : 0.5);
        double travel = h * along, force = 0.0;
        int top = depth > 0.0 ? (int)(depth / thick) : 0, free = 0;
        for (; closed > top; slope[closed] = 0.0)
            travel += slope[--closed] * thick;
        closed = top;
        // from the rim inwards: punches give up their displacement until the outer ones hold all
        for (; free < top && fabs(travel) > limit * thick * free; free++)
            travel += slope[top - 1 - free] * thick;
        for (int k = top - free; k < top; k++)
            slope[k] = copysign(fmin(fabs(travel) / (thick * free), limit), travel);
        for (int k = 0; k < top; k++)
            force += 8.0 * G * root * sqrt((k + 0.5) * thick) * slope[k] * thick;
        fall -= h * 4.0 / 3.0 * E * root * depth * sqrt(fmax(depth, 0.0)) / ball_mass;
        along -= 3.5 * h * force / ball_mass;
    }
    check_close(fall, -speed, 1e-3, 0.0);
    return along / (slip * speed);
}

/// Beyond gross sliding, which begins at 7 - 0.5 (2 - nu) / (1 - nu) and from 7 on turns nothing
/// back, the rebound is the approach less 7.
static void an_oblique_impact_rebounds_as_maws(void **state)
{
    (void)state;
    const char *const laws[] = {"hertz_mindlin", "mindlin_deresiewicz"};
    const char *const rows[2][3] = {
        {"maw_curve", "maw_onset", "maw_sliding"},
        {"maw_curve_micro_slip", "maw_onset_micro_slip", "maw_sliding_micro_slip"}};
    double onset = 7.0 - 0.5 * (2.0 - poisson) / (1.0 - poisson);
    check_close(rebound_of_punches(onset), onset - 7.0, 5e-3, 0.0);
    for (int l = 0; l < 2; l++) {
        double worst = 0.0;
        for (double approach = 0.5; approach < 7.0; approach += 0.5)
            worst = fmax(worst, fabs(rebound(laws[l], approach) - rebound_of_punches(approach)));
        verify(rows[l][0], worst);
        verify(rows[l][1], fabs(rebound(laws[l], onset) - (onset - 7.0)));
        verify(rows[l][2], fabs(rebound(laws[l], 10.0) - 3.0) / 3.0);
    }
}

/// 64 bodies without friction that meet and bounce for two seconds in a box of a metre: largest
/// share of their energy that is missing or too much, and the share that is booked as impact.
static void gas(bool boxes, double step, cairn_rotation rotation, double *swing, double *impact)
{
    cairn_world_def world_def = cairn_default_world_def();
    world_def.time_step = step;
    world_def.rotation = rotation;
    world_def.correction = rotation != CAIRN_RIG_EXACT;
    world_def.gravity[2] = 0.0;
    world_def.tolerance = 1e-10;
    cairn_world *world = make_world(&world_def);
    set_contact(world, 0.0, 1.0);
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    for (int wall = 0; wall < 6; wall++) {
        cairn_body_def def = cairn_default_body_def();
        int axis = wall / 2, side = wall % 2 == 0 ? 1 : -1;
        def.kind = CAIRN_FIXED;
        def.shape = make_shape(world, &plane);
        def.position[axis] = -0.5 * side;
        // the plane's normal turns from z to the axis
        double half = 0.25 * M_PI * (axis == 2 ? 1 - side : 1);
        def.orientation[0] = cos(half);
        def.orientation[axis == 0 ? 2 : 1] = (axis == 1 ? -side : side) * sin(half);
        make_body(world, &def);
    }
    base_rng rng = base_rng_make(3);
    cairn_shape_id shape = boxes ? box_shape(world, 0.12, 0.1, 0.08) : sphere_shape(world, 0.06);
    for (int i = 0; i < 64; i++) {
        double at[3], velocity[3], spin[3];
        for (int k = 0; k < 3; k++) {
            at[k] = 0.24 * ((i >> 2 * k) % 4 - 1.5) + base_rng_range(&rng, -0.01, 0.01);
            velocity[k] = base_rng_range(&rng, -1.0, 1.0);
            spin[k] = boxes ? base_rng_range(&rng, -3.0, 3.0) : 0.0;
        }
        cairn_body_id body = add_body_at(world, shape, at[0], at[1], at[2]);
        set_velocity(world, body, velocity, spin);
    }
    double first = cairn_world_get_energy(world).kinetic;
    *swing = 0.0;
    for (int i = 0; i < (int)(2.0 / step); i++) {
        cairn_error error = {0};
        require(cairn_world_step(world, &error), &error);
        *swing = fmax(*swing, fabs(cairn_world_get_energy(world).kinetic / first - 1.0));
    }
    *impact = fabs(cairn_world_get_energy(world).impact) / first;
    cairn_world_destroy(world);
}

static void a_gas_keeps_its_energy(void **state)
{
    (void)state;
    double swing, impact;
    gas(false, 2e-3, CAIRN_RIG_IMP, &swing, &impact);
    verify("gas_spheres", swing);
    gas(true, 1e-3, CAIRN_RIG_IMP, &swing, &impact);
    verify("gas_boxes_impact", impact);
    verify("gas_boxes", swing);
    double coarse = swing;
    gas(true, 2.5e-4, CAIRN_RIG_IMP, &swing, &impact);
    verify("gas_boxes_fine", swing);
    assert_true(swing < 0.25 * coarse);
    gas(true, 1e-3, CAIRN_RIG_EXACT, &swing, &impact);
    verify("gas_boxes_exact", swing);
}

static void spheres_stand_on_each_other(void **state)
{
    (void)state;
    enum { COUNT = 10 };
    const double r = 0.05;
    cairn_world *world = joint_world(1e-3, 9.81);
    set_contact(world, 0.5, 0.0);
    add_ground(world);
    cairn_shape_id shape = sphere_shape(world, r);
    cairn_body_id ball[COUNT];
    for (int i = 0; i < COUNT; i++)
        ball[i] = add_body_at(world, shape, 0.0, 0.0, (2.0 * i + 1.0) * r + 1e-3 * (i + 1));
    run_steps(world, 2000);
    double worst = 0.0;
    for (int i = 0; i < COUNT; i++)
        worst = fmax(worst, fabs(look_at(world, ball[i]).position[2] - (2.0 * i + 1.0) * r));
    verify("sphere_stack", worst);
    cairn_world_destroy(world);
}

/// Share of its energy that a disk loses in a second which rolls around on its edge without a cause
/// of loss: its steady precession, tilted by 30 degrees, centre at rest.
static double disk_loss(double h, bool contact_motion)
{
    const double r = 0.05, half = 0.0025, tilt = M_PI / 6.0, until = 0.3;
    cairn_world_def world_def = cairn_default_world_def();
    world_def.time_step = h;
    world_def.contact_motion = contact_motion;
    cairn_world *world = make_world(&world_def);
    set_contact(world, 2.0, 0.0);
    add_ground(world);
    cairn_shape_def disk = cairn_default_shape_def(CAIRN_CYLINDER);
    disk.radius = r;
    disk.half_length = half;
    cairn_body_def def = cairn_default_body_def();
    def.shape = make_shape(world, &disk);
    def.orientation[0] = cos(0.5 * tilt);
    def.orientation[2] = sin(0.5 * tilt);
    def.position[2] = r * sin(tilt) + half * cos(tilt);
    cairn_body_id body = make_body(world, &def);
    // a disk of no thickness turns about the radius that leads to the contact, at W sin(tilt)
    double turn = sqrt(4.0 * 9.81 / (r * sin(tilt))) * sin(tilt);
    set_velocity(world, body, still, (double[]){cos(tilt) * turn, 0.0, -sin(tilt) * turn});
    double m = look_at(world, body).mass, energy[2];
    for (int k = 0; k < 2; k++) {
        cairn_body_view view = look_at(world, body);
        energy[k] = view.kinetic_energy + m * 9.81 * view.position[2];
        run_steps(world, k == 0 ? (int)(until / h) : 0);
    }
    cairn_energy books = cairn_world_get_energy(world);
    // of the rotation, of second order in the step
    check_close(books.residual, 0.0, 0.0, 0.1 * h * h * energy[0]);
    cairn_world_destroy(world);
    return (1.0 - energy[1] / energy[0]) / until;
}

static void a_disk_rolls_on_its_edge(void **state)
{
    (void)state;
    verify("euler_disk", disk_loss(5e-4, false));
    verify("euler_disk_fine", disk_loss(2e-5, false));
    verify("euler_disk_motion", disk_loss(5e-4, true));
    verify("euler_disk_motion_fine", disk_loss(1e-4, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_flips_about_its_middle_axis),
        cmocka_unit_test(bounces_accumulate),
        cmocka_unit_test(an_oblique_impact_rebounds_as_maws),
        cmocka_unit_test(a_gas_keeps_its_energy),
        cmocka_unit_test(spheres_stand_on_each_other),
        cmocka_unit_test(a_disk_rolls_on_its_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
