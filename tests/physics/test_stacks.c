// SPDX-License-Identifier: Apache-2.0
// Piles at rest: they stand, their floor carries their weight, penetration stays small, energy adds
// up.
#include "tests/physics/bench_world.h"

static cairn_world *column(int boxes, cairn_body_id *ground, cairn_body_id *top)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = make_world(&def);
    set_contact(world, 0.7, 0.0);
    *ground = add_ground(world);
    cairn_shape_id shape = box_shape(world, 1.0, 1.0, 1.0);
    for (int i = 0; i < boxes; i++)
        *top = add_body_at(world, shape, 0.0, 0.0, 0.5 + i + 1e-3 * (i + 1));
    return world;
}

static void a_column_settles_and_stands(void **state)
{
    (void)state;
    cairn_body_id ground, top;
    cairn_world *world = column(10, &ground, &top);
    double worst = 0.0;
    for (int i = 0; i < 1000; i++) {
        run_steps(world, 1);
        worst = fmax(worst, cairn_world_get_report(world)->error);
    }
    check_at_most(worst, cairn_world_get_def(world)->tolerance);
    cairn_body_view view = look_at(world, top);
    // a thousandth of a box
    check_at_most(fabs(view.position[0]) + fabs(view.position[1]), 1e-3);
    check_close(view.position[2], 9.5, 0.0, 1e-3);
    check_at_most(cairn_world_get_energy(world).kinetic, 1e-4);
    double force[3], torque[3];
    assert_int_equal(cairn_body_get_contact_force(world, ground, force, torque), CAIRN_OK);
    check_close(force[2], -10.0 * 1000.0 * 9.81, 1e-4, 0.0);
    cairn_overlap overlap;
    int found;
    cairn_error error;
    assert_int_equal(cairn_world_find_overlaps(world, &overlap, 1, &found, &error), CAIRN_OK);
    assert_int_equal(found, 0);
    cairn_world_destroy(world);
}

static void the_energy_of_a_settling_column_adds_up(void **state)
{
    (void)state;
    cairn_body_id ground, top;
    cairn_world *world = column(10, &ground, &top);
    double potential = cairn_world_get_energy(world).potential;
    run_steps(world, 400);
    cairn_energy e = cairn_world_get_energy(world);
    double lost = potential - e.potential;
    assert_true(lost > 0.0);
    check_at_most(fabs(e.residual), 1e-9 * potential);
    check_close(e.impact + e.friction, lost + e.correction, 1e-6, 0.0);
    assert_true(e.impact > 0.0 && e.friction >= -1e-9 * lost);
    cairn_world_destroy(world);
}

// What a step at 1e-8 leaves of its accelerations must not need Newton steps in the next ones:
// sweeps alone took sixteen a step
static void a_tall_column_stays_at_rest_by_itself(void **state)
{
    (void)state;
    enum { BOXES = 50, SETTLING = 100, STEPS = 400 };
    cairn_world_def def = cairn_default_world_def();
    def.time_step = 5e-3;
    def.tolerance = 1e-8;
    cairn_world *world = make_world(&def);
    set_contact(world, 0.5, 0.0);
    add_ground(world);
    cairn_shape_id shape = box_shape(world, 1.0, 1.0, 1.0);
    for (int i = 0; i < BOXES; i++)
        add_body_at(world, shape, 0.0, 0.0, 0.5 + i);
    int iterations = 0;
    for (int i = 0; i < STEPS; i++) {
        run_steps(world, 1);
        const cairn_step_report *report = cairn_world_get_report(world);
        check_at_most(report->error, def.tolerance);
        assert_int_equal(report->contacts, 4 * BOXES);
        iterations += i >= SETTLING ? report->iterations : 0;
    }
    check_at_most((double)iterations / (STEPS - SETTLING), 4.0);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_column_settles_and_stands),
        cmocka_unit_test(the_energy_of_a_settling_column_adds_up),
        cmocka_unit_test(a_tall_column_stays_at_rest_by_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
