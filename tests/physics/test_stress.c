// SPDX-License-Identifier: Apache-2.0
// Degenerate and hostile worlds: states stay finite, energy does not appear, what is refused is
// refused with a message.
#include "tests/physics/bench_world.h"

#include "base/rng.h"

#include <stdlib.h>

static const double still[3] = {0.0, 0.0, 0.0};

static cairn_world *plain_world(double step)
{
    cairn_world_def def = cairn_default_world_def();
    def.time_step = step;
    return make_world(&def);
}

static void demand_finite(const cairn_world *world)
{
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view view = look_at(world, cairn_body_at(world, i));
        double sum = 0.0;
        for (int k = 0; k < 3; k++)
            sum += view.position[k] + view.velocity[k] + view.angular_velocity[k];
        assert_true(isfinite(sum));
    }
}

static double total(const cairn_energy *e)
{
    return e->kinetic + e->potential;
}

/// Steps; at no time is there more energy than at first plus what drivers and correction gave.
static void run_without_gain(cairn_world *world, int steps, double scale)
{
    cairn_energy start = cairn_world_get_energy(world);
    for (int i = 0; i < steps; i++) {
        run_steps(world, 1);
        cairn_energy e = cairn_world_get_energy(world);
        double given = total(&start) + e.drivers + e.correction;
        if (!(total(&e) <= given + 1e-6 * scale))
            fail_msg("step %d: %g J, of %g J there were", i + 1, total(&e), given);
    }
    demand_finite(world);
}

static cairn_body_id add_box(cairn_world *world, const double size[3], const double position[3],
                             double mass)
{
    cairn_body_def def = cairn_default_body_def();
    def.shape = box_shape(world, size[0], size[1], size[2]);
    def.mass = mass;
    for (int k = 0; k < 3; k++)
        def.position[k] = position[k];
    return make_body(world, &def);
}

// ---------------------------------------------------------------- ratios and sizes

/// A heavy box on a light one, and a light one on a heavy one: both carry, nothing is thrown.
static void test_mass_ratio(void **state)
{
    (void)state;
    const double size[3] = {1.0, 1.0, 1.0};
    for (int heavy_above = 0; heavy_above < 2; heavy_above++) {
        cairn_world *world = plain_world(1.0 / 200.0);
        set_contact(world, 0.5, 0.0);
        add_ground(world);
        const double low[3] = {0.0, 0.0, 0.5}, high[3] = {0.0, 0.0, 1.5};
        cairn_body_id below = add_box(world, size, low, heavy_above ? 1.0 : 1e6);
        cairn_body_id above = add_box(world, size, high, heavy_above ? 1e6 : 1.0);
        run_without_gain(world, 100, 1e7);
        check_close(look_at(world, below).position[2], 0.5, 0.0, 1e-3);
        check_close(look_at(world, above).position[2], 1.5, 0.0, 2e-3);
        double force[3], torque[3];
        assert_int_equal(
            cairn_body_get_contact_force(world, cairn_body_at(world, 0), force, torque), CAIRN_OK);
        check_close(force[2], -1000001.0 * 9.81, 1e-3, 0.0);
        cairn_world_destroy(world);
    }
}

/// The same drop at sizes from a micrometre to a kilometre, in time units of each size: the heights
/// are the same in units of the size.
static void test_sizes(void **state)
{
    (void)state;
    for (double length = 1e-6; length < 2e3; length *= 1e3) {
        cairn_world *world = plain_world(1e-2 * sqrt(length / 9.81));
        set_contact(world, 0.4, 0.0);
        add_ground(world);
        const double size[3] = {length, length, length}, at[3] = {0.0, 0.0, 0.7 * length};
        cairn_body_id box = add_box(world, size, at, 0.0);
        cairn_body_id ball =
            add_body_at(world, sphere_shape(world, 0.5 * length), 3.0 * length, 0.0, 0.7 * length);
        double scale = look_at(world, box).mass * 9.81 * length;
        run_without_gain(world, 200, scale);
        check_close(look_at(world, box).position[2] / length, 0.5, 0.0, 1e-3);
        check_close(look_at(world, ball).position[2] / length, 0.5, 0.0, 1e-3);
        cairn_world_destroy(world);
    }
}

/// A ball of a micrometre beside a block of a kilometre in one world.
static void test_sizes_mixed(void **state)
{
    (void)state;
    cairn_world *world = plain_world(1e-4);
    set_contact(world, 0.4, 0.0);
    add_ground(world);
    const double size[3] = {1e3, 1e3, 1e3}, at[3] = {0.0, 0.0, 500.0};
    cairn_body_id block = add_box(world, size, at, 0.0);
    cairn_body_id grain = add_body_at(world, sphere_shape(world, 1e-6), 0.0, 0.0, 1000.0 + 1.5e-6);
    run_steps(world, 50);
    demand_finite(world);
    check_close(look_at(world, block).position[2], 500.0, 0.0, 1e-2);
    check_close(look_at(world, grain).position[2], 1000.0, 0.0, 1e-2);
    cairn_world_destroy(world);
}

// ---------------------------------------------------------------- fast and thin

/// A thin plate that spins fast about a middling axis, where it tumbles: with every rotation scheme
/// that keeps momentum it does, and energy stays.
static void test_spinning_plate(void **state)
{
    (void)state;
    const cairn_rotation schemes[] = {CAIRN_RIG_IMP, CAIRN_RIG_NEG};
    for (int s = 0; s < 2; s++) {
        cairn_world_def def = cairn_default_world_def();
        def.gravity[2] = 0.0;
        def.time_step = 1e-4;
        def.rotation = schemes[s];
        cairn_world *world = make_world(&def);
        const double size[3] = {1.0, 0.5, 1e-3}, spin[3] = {0.3, 100.0, 0.2};
        cairn_body_id plate = add_box(world, size, still, 0.0);
        set_velocity(world, plate, still, spin);
        double linear[3], before[3], after[3];
        cairn_world_get_momentum(world, linear, before);
        run_steps(world, 2000);
        cairn_world_get_momentum(world, linear, after);
        double norm = sqrt(before[0] * before[0] + before[1] * before[1] + before[2] * before[2]);
        for (int k = 0; k < 3; k++)
            check_close(after[k], before[k], 0.0, 1e-10 * norm);
        cairn_world_destroy(world);
    }
}

/// A thin plate thrown edge first at the floor while it spins.
static void test_thrown_plate(void **state)
{
    (void)state;
    cairn_world *world = plain_world(1.0 / 1000.0);
    set_contact(world, 0.3, 0.2);
    add_ground(world);
    const double size[3] = {1.0, 1.0, 1e-2}, at[3] = {0.0, 0.0, 0.8};
    const double velocity[3] = {3.0, 0.0, -2.0}, spin[3] = {20.0, 30.0, 5.0};
    cairn_body_id plate = add_box(world, size, at, 0.0);
    set_velocity(world, plate, velocity, spin);
    run_without_gain(world, 1000, cairn_world_get_energy(world).kinetic);
    cairn_world_destroy(world);
}

// ---------------------------------------------------------------- overlaps

/// Bodies that lie in one another at the start are parted without being thrown.
static void test_overlapping_start(void **state)
{
    (void)state;
    const cairn_shape_kind kinds[] = {CAIRN_SPHERE, CAIRN_BOX, CAIRN_CAPSULE, CAIRN_CYLINDER};
    for (int kind = 0; kind < 4; kind++) {
        cairn_world *world = plain_world(1.0 / 200.0);
        set_contact(world, 0.4, 0.0);
        add_ground(world);
        cairn_shape_def shape = cairn_default_shape_def(kinds[kind]);
        shape.radius = 0.2;
        shape.half_length = 0.2;
        shape.half_size[0] = shape.half_size[1] = shape.half_size[2] = 0.2;
        cairn_shape_id id = make_shape(world, &shape);
        for (int i = 0; i < 8; i++)
            add_body_at(world, id, 0.3 * (i % 2), 0.3 * (i / 2 % 2), 0.3 + 0.3 * (i / 4));
        cairn_energy start = cairn_world_get_energy(world);
        run_steps(world, 200);
        demand_finite(world);
        cairn_energy e = cairn_world_get_energy(world);
        assert_true(e.kinetic <= 2.0 * fabs(start.potential) + 1.0);
        assert_true(fabs(e.residual) <= 1e-6 * fabs(start.potential));
        cairn_world_destroy(world);
    }
}

/// Two bodies at the very same place, and one far below the floor.
static void test_deep_penetration(void **state)
{
    (void)state;
    const cairn_shape_kind kinds[] = {CAIRN_SPHERE, CAIRN_BOX, CAIRN_CAPSULE, CAIRN_CYLINDER};
    for (int kind = 0; kind < 4; kind++) {
        cairn_world *world = plain_world(1.0 / 200.0);
        add_ground(world);
        cairn_shape_def shape = cairn_default_shape_def(kinds[kind]);
        shape.radius = 0.2;
        shape.half_length = 0.2;
        shape.half_size[0] = shape.half_size[1] = shape.half_size[2] = 0.2;
        cairn_shape_id id = make_shape(world, &shape);
        add_body_at(world, id, 0.0, 0.0, 1.0);
        add_body_at(world, id, 0.0, 0.0, 1.0);
        add_body_at(world, id, 5.0, 0.0, -3.0);
        run_steps(world, 200);
        demand_finite(world);
        double speed = 0.0;
        for (int i = 0; i < cairn_body_count(world); i++)
            for (int k = 0; k < 3; k++)
                speed = fmax(speed, fabs(look_at(world, cairn_body_at(world, i)).velocity[k]));
        // no faster than by falling for the whole second
        assert_true(speed < 15.0);
        cairn_world_destroy(world);
    }
}

/// Boxes dropped into one pile from a lattice: 1000 bodies, a short while.
static void test_pile(void **state)
{
    (void)state;
    cairn_world *world = plain_world(1.0 / 100.0);
    set_contact(world, 0.5, 0.0);
    add_ground(world);
    base_rng rng = base_rng_make(3);
    cairn_shape_id ball = sphere_shape(world, 0.1), box = box_shape(world, 0.15, 0.15, 0.15);
    for (int i = 0; i < 1000; i++)
        add_body_at(world, i % 2 ? ball : box, 0.205 * (i % 10) + 1e-3 * base_rng_unit(&rng),
                    0.205 * (i / 10 % 10) + 1e-3 * base_rng_unit(&rng), 0.12 + 0.205 * (i / 100));
    run_without_gain(world, 25, cairn_world_get_energy(world).potential);
    cairn_world_destroy(world);
}

// ---------------------------------------------------------------- redundant and aligned

/// A wedge on two equal slopes, held by far more contacts than it has freedoms, between coplanar
/// faces of a row of boxes.
static void test_redundant(void **state)
{
    (void)state;
    cairn_world *world = plain_world(1.0 / 200.0);
    set_contact(world, 0.6, 0.0);
    add_ground(world);
    const double size[3] = {0.2, 0.2, 0.2}, slab[3] = {2.0, 0.2, 0.1};
    for (int i = 0; i < 10; i++) {
        const double at[3] = {0.2 * i, 0.0, 0.1};
        add_box(world, size, at, 0.0);
    }
    for (int i = 0; i < 3; i++) {
        const double at[3] = {0.9, 0.0, 0.25 + 0.1 * i};
        add_box(world, slab, at, 0.0);
    }
    run_without_gain(world, 100, 100.0);
    for (int i = 0; i < 3; i++)
        check_close(look_at(world, cairn_body_at(world, 11 + i)).position[2], 0.25 + 0.1 * i, 0.0,
                    1e-4);
    cairn_world_destroy(world);
}

/// A wedge driven between two blocks by its weight.
static void test_wedge(void **state)
{
    (void)state;
    static const double points[6][3] = {{0.0, -0.2, -0.3}, {0.0, 0.2, -0.3}, {-0.3, -0.2, 0.3},
                                        {0.3, -0.2, 0.3},  {-0.3, 0.2, 0.3}, {0.3, 0.2, 0.3}};
    cairn_world *world = plain_world(1.0 / 500.0);
    set_contact(world, 0.3, 0.0);
    add_ground(world);
    const double size[3] = {0.5, 0.5, 0.8}, left[3] = {-0.4, 0.0, 0.4}, right[3] = {0.4, 0.0, 0.4};
    add_box(world, size, left, 0.0);
    add_box(world, size, right, 0.0);
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_POLYHEDRON);
    shape.points = points;
    shape.point_count = 6;
    add_body_at(world, make_shape(world, &shape), 0.0, 0.0, 1.0);
    run_without_gain(world, 500, 1e3);
    cairn_world_destroy(world);
}

/// Parallel capsules one on the other, and boxes that meet edge on edge.
static void test_aligned(void **state)
{
    (void)state;
    cairn_world *world = plain_world(1.0 / 200.0);
    set_contact(world, 0.5, 0.0);
    add_ground(world);
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_CAPSULE);
    shape.radius = 0.1;
    shape.half_length = 0.5;
    cairn_body_def lying = cairn_default_body_def();
    lying.shape = make_shape(world, &shape);
    lying.orientation[0] = lying.orientation[1] = sqrt(0.5);
    const double x[3] = {0.0, 0.2, 0.1};
    for (int i = 0; i < 3; i++) {
        lying.position[0] = x[i];
        lying.position[2] = i < 2 ? 0.1 : 0.1 + 0.1 * sqrt(3.0);
        make_body(world, &lying);
    }
    // two boxes on their edges, the upper one turned so that edge meets edge
    cairn_body_def box = cairn_default_body_def();
    box.shape = box_shape(world, 0.2, 0.2, 0.2);
    box.position[0] = 5.0;
    box.position[2] = 0.1 * sqrt(2.0);
    box.orientation[0] = cos(atan(1.0) / 2.0);
    box.orientation[1] = sin(atan(1.0) / 2.0);
    make_body(world, &box);
    box.position[2] = 0.3 * sqrt(2.0);
    box.orientation[1] = 0.0;
    box.orientation[2] = sin(atan(1.0) / 2.0);
    make_body(world, &box);
    run_without_gain(world, 300, 100.0);
    cairn_world_destroy(world);
}

// ---------------------------------------------------------------- refused

static void refuse_hull(const double (*points)[3], int count)
{
    cairn_world *world = plain_world(0.01);
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_POLYHEDRON);
    cairn_shape_id id;
    cairn_error error = {0};
    shape.points = points;
    shape.point_count = count;
    assert_int_not_equal(cairn_shape_create(world, &shape, &id, &error), CAIRN_OK);
    assert_true(error.message[0] != '\0');
    cairn_world_destroy(world);
}

static void test_flat_hulls(void **state)
{
    (void)state;
    static const double flat[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 0}};
    static const double line[4][3] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
    static const double point[4][3] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};
    static const double odd[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, INFINITY}};
    refuse_hull(flat, 5);
    refuse_hull(line, 4);
    refuse_hull(point, 4);
    refuse_hull(odd, 4);
    refuse_hull(flat, 3);
    refuse_hull(NULL, 0);
}

/// Steps so long that bodies fall through one another in one of them.
static void test_long_step(void **state)
{
    (void)state;
    const double steps[] = {0.1, 1.0, 10.0};
    for (int i = 0; i < 3; i++) {
        cairn_world *world = plain_world(steps[i]);
        set_contact(world, 0.5, 0.5);
        add_ground(world);
        const double size[3] = {1.0, 1.0, 1.0};
        for (int k = 0; k < 5; k++) {
            const double at[3] = {0.1 * k, 0.0, 0.6 + 1.1 * k};
            add_box(world, size, at, 0.0);
        }
        run_steps(world, 50);
        demand_finite(world);
        cairn_energy e = cairn_world_get_energy(world);
        // what fell is all there is to convert
        assert_true(e.kinetic <= 1e6 + 10.0 * fabs(e.potential) + fabs(e.correction));
        cairn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_ratio),       cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_sizes_mixed),      cmocka_unit_test(test_spinning_plate),
        cmocka_unit_test(test_thrown_plate),     cmocka_unit_test(test_overlapping_start),
        cmocka_unit_test(test_deep_penetration), cmocka_unit_test(test_pile),
        cmocka_unit_test(test_redundant),        cmocka_unit_test(test_wedge),
        cmocka_unit_test(test_aligned),          cmocka_unit_test(test_flat_hulls),
        cmocka_unit_test(test_long_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
