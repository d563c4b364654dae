// SPDX-License-Identifier: Apache-2.0
// What a solver is told in a step with restitution, which may have no solution: one that bounds its
// search by itself is asked for a short one and may take as many cheap steps as it likes.
#include "contact/solvers/solver.h"
#include "engine/state/world.h"
#include "tests/check.h"

#include <string.h>

static int limit_told = -1;
static bool brief_told;

static cairn_status listen(const void *settings, const con_problem *problem,
                           const con_control *control, double (*R)[3], con_report *report,
                           base_arena *arena)
{
    if (limit_told < 0) {
        limit_told = control->max_iterations;
        brief_told = control->brief;
    }
    return con_solver_find("auto")->solve(settings, problem, control, R, report, arena);
}

/// A ball comes onto a floor at 2 m/s; what the solver is told in the first step with a contact.
static void hear(unsigned needs, double restitution, int most)
{
    cairn_error error;
    cairn_world_def def = cairn_default_world_def();
    def.step_halvings = 0;
    def.max_iterations = most;
    cairn_world *world;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    cairn_material_id any = {0};
    assert_int_equal(cairn_pair_set_law(world, any, any, "signorini_coulomb", &error), CAIRN_OK);
    assert_int_equal(
        cairn_pair_set_value(world, any, any, "restitution", cairn_number(restitution), &error),
        CAIRN_OK);
    cairn_shape_def floor = cairn_default_shape_def(CAIRN_HALFSPACE),
                    ball = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_body_def fixed = cairn_default_body_def(), free = cairn_default_body_def();
    cairn_body_id unused;
    fixed.kind = CAIRN_FIXED;
    ball.radius = 0.1;
    assert_int_equal(cairn_shape_create(world, &floor, &fixed.shape, &error), CAIRN_OK);
    assert_int_equal(cairn_body_create(world, &fixed, &unused, &error), CAIRN_OK);
    assert_int_equal(cairn_shape_create(world, &ball, &free.shape, &error), CAIRN_OK);
    free.position[2] = 0.11;
    free.velocity[2] = -2.0;
    assert_int_equal(cairn_body_create(world, &free, &unused, &error), CAIRN_OK);
    con_solver listener = *world->solver.plugin;
    listener.needs = needs;
    listener.solve = listen;
    world->solver.plugin = &listener;
    limit_told = -1;
    for (int k = 0; k < 20 && limit_told < 0; k++)
        assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
    cairn_world_destroy(world);
}

static void only_solvers_without_a_bound_get_one(void **state)
{
    (void)state;
    hear(CON_KEEPS_BRIEF, 0.5, 0);
    assert_int_equal(limit_told, 0);
    assert_true(brief_told);
    hear(0, 0.5, 0);
    assert_int_equal(limit_told, 2000);
    hear(CON_KEEPS_BRIEF, 0.5, 300);
    assert_int_equal(limit_told, 300);
    // without restitution there is nothing to try first
    hear(CON_KEEPS_BRIEF, 0.0, 0);
    assert_int_equal(limit_told, 0);
    assert_false(brief_told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_solvers_without_a_bound_get_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
