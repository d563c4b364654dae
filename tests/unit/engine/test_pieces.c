// SPDX-License-Identifier: Apache-2.0
// Steps that are made in pieces because their solve ended above the tolerance: how they are halved,
// that the pieces are shorter steps and nothing else, that limits which were asked for are kept,
// and that a step which is interrupted between two pieces goes on there. What a solver is told in a
// step with restitution, which may have no solution: one that bounds its search by itself is asked
// for a short one, and may take as many cheap iterations as it likes.
#include "contact/solvers/solver.h"
#include "engine/state/world.h"
#include "tests/check.h"
#include <cairn/cairn.h>

#include <stdio.h>
#include <string.h>

static cairn_error error;

static void check(cairn_status status)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error.message);
}

/// A solver that gives up in chosen calls.
typedef struct moody_solver {
    cairn_world *world;
    int calls, steps;
    const char *moods; // a letter a call: 'u' gives up, 'i' interrupts the world, else it solves;
                       // the last one holds for all that follow
} moody_solver;

static cairn_status solve_moodily(void *context, const cairn_problem_data *data, double tolerance,
                                  double (*impulses)[3], int *iterations)
{
    moody_solver *solver = context;
    size_t last = strlen(solver->moods) - 1, at = (size_t)solver->calls++;
    char mood = solver->moods[at < last ? at : last];
    *iterations = 1;
    if (mood == 'u') {
        // far from any solution
        memset(impulses, 0, (size_t)data->contacts * sizeof *impulses);
        return CAIRN_OK;
    }
    if (mood == 'i')
        cairn_world_interrupt(solver->world);
    cairn_problem *problem;
    cairn_solve_def def = cairn_default_solve_def();
    cairn_solve_report report;
    def.tolerance = 0.01 * tolerance;
    check(cairn_problem_create(data, &problem, &error));
    check(cairn_problem_solve(problem, &def, &report, &error));
    check(cairn_problem_get_impulses(problem, impulses, NULL, &error));
    cairn_problem_destroy(problem);
    return CAIRN_OK;
}

static int warnings;

static void count_warnings(void *context, cairn_log_level level, const char *text)
{
    (void)context;
    warnings += level == CAIRN_WARNING && strstr(text, "above the tolerance") != NULL;
}

/// Two boxes, one thrown, on a floor; 5 ms a step. @param most  iterations; 0: the solver's own
/// limit
static cairn_world *build_with(moody_solver *solver, int halvings, int most)
{
    cairn_world_def def = cairn_default_world_def();
    def.step_halvings = halvings;
    def.max_iterations = most;
    def.log = count_warnings;
    def.tolerance = 1e-8;
    cairn_world *world;
    check(cairn_world_create(&def, &world, &error));
    cairn_material_id any = {0}, stone;
    check(cairn_material_create(world, "stone", &stone, &error));
    check(cairn_pair_set_law(world, any, any, "signorini_coulomb", &error));
    check(cairn_pair_set_value(world, any, any, "friction", cairn_number(0.3), &error));
    cairn_shape_def floor = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
    cairn_body_def fixed = cairn_default_body_def(), free = cairn_default_body_def();
    cairn_body_id unused;
    box.half_size[0] = box.half_size[1] = box.half_size[2] = 0.5;
    fixed.kind = CAIRN_FIXED;
    check(cairn_shape_create(world, &floor, &fixed.shape, &error));
    check(cairn_body_create(world, &fixed, &unused, &error));
    check(cairn_shape_create(world, &box, &free.shape, &error));
    for (int i = 0; i < 2; i++) {
        free.position[2] = 0.5 + i;
        free.velocity[0] = 3.0 * i;
        check(cairn_body_create(world, &free, &unused, &error));
    }
    solver->world = world;
    solver->calls = 0;
    if (solver->moods != NULL)
        check(cairn_world_set_solver_function(world, CAIRN_PROBLEM_GLOBAL, solve_moodily, solver,
                                              &error));
    return world;
}

static cairn_world *build(moody_solver *solver, int halvings)
{
    return build_with(solver, halvings, 0);
}

static void step(cairn_world *world, int count)
{
    for (int i = 0; i < count; i++)
        check(cairn_world_step(world, &error));
}

static void check_same_bodies(const cairn_world *a, const cairn_world *b)
{
    for (int i = 0; i < cairn_body_count(a); i++) {
        cairn_body_view x, y;
        check(cairn_body_get(a, cairn_body_at(a, i), &x));
        check(cairn_body_get(b, cairn_body_at(b, i), &y));
        assert_memory_equal(x.position, y.position, sizeof x.position);
        assert_memory_equal(x.orientation, y.orientation, sizeof x.orientation);
        assert_memory_equal(x.velocity, y.velocity, sizeof x.velocity);
        assert_memory_equal(x.angular_velocity, y.angular_velocity, sizeof x.angular_velocity);
    }
}

static void test_two_halves(void **state)
{
    (void)state;
    moody_solver moody = {.moods = "ssus"}, good = {.moods = "s"};
    cairn_world *world = build(&moody, 4), *other = build(&good, 4);
    step(world, 3);
    const cairn_step_report *report = cairn_world_get_report(world);
    assert_int_equal(report->pieces, 2);
    assert_int_equal(report->iterations, 3);
    assert_string_equal(report->stop, "solved");
    assert_int_equal(moody.calls, 5);
    // the same by hand
    step(other, 2);
    check(cairn_world_set_time_step(other, 0.5 / 200.0, &error));
    step(other, 2);
    check(cairn_world_set_time_step(other, 1.0 / 200.0, &error));
    check_same_bodies(world, other);
    assert_int_equal(cairn_world_get_step_count(world), 3);
    assert_true(cairn_world_get_time(world) == 3.0 * (1.0 / 200.0));
    // and the steps after it are whole again, from the same guess
    step(world, 5);
    step(other, 5);
    assert_int_equal(cairn_world_get_report(world)->pieces, 1);
    check_same_bodies(world, other);
    check_close(cairn_world_get_energy(world).friction, cairn_world_get_energy(other).friction,
                1e-12, 0.0);
    cairn_world_destroy(world);
    cairn_world_destroy(other);
}

static void test_uneven_pieces(void **state)
{
    (void)state;
    // whole, half and quarter fail; eighth and eighth hold; the next quarter fails; its eighths
    // hold; the half holds
    moody_solver moody = {.moods = "uuussusss"}, good = {.moods = "s"};
    cairn_world *world = build(&moody, 4), *other = build(&good, 4);
    step(world, 1);
    assert_int_equal(cairn_world_get_report(world)->pieces, 5);
    assert_int_equal(moody.calls, 9);
    const double parts[5] = {8.0, 8.0, 8.0, 8.0, 2.0};
    for (int i = 0; i < 5; i++) {
        check(cairn_world_set_time_step(other, 1.0 / 200.0 / parts[i], &error));
        step(other, 1);
    }
    check_same_bodies(world, other);
    cairn_world_destroy(world);
    cairn_world_destroy(other);
}

static void test_hopeless(void **state)
{
    (void)state;
    // five sizes fail, then what is left is taken in as large pieces as there are: 1/16, 1/16, 1/8,
    // 1/4, 1/2
    moody_solver moody = {.moods = "u"};
    cairn_world *world = build(&moody, 4);
    step(world, 1);
    const cairn_step_report *report = cairn_world_get_report(world);
    assert_int_equal(report->pieces, 5);
    assert_int_equal(moody.calls, 9);
    assert_string_equal(report->stop, "stagnated");
    assert_true(report->error > 1e-8);
    assert_int_equal(cairn_world_get_step_count(world), 1);
    cairn_world_destroy(world);
}

static void test_one_open_piece(void **state)
{
    (void)state;
    // the last piece is solved, but the step is not
    moody_solver moody = {.moods = "uuuuus"};
    cairn_world *world = build(&moody, 4);
    warnings = 0;
    step(world, 1);
    assert_string_equal(cairn_world_get_report(world)->stop, "stagnated");
    assert_true(cairn_world_get_report(world)->error > 1e-8);
    assert_int_equal(warnings, 1);
    cairn_world_destroy(world);
}

static cairn_status turn_faster(void *context, double time, double *value, cairn_error *unused)
{
    (void)context, (void)unused;
    *value = time;
    return CAIRN_OK;
}

static void test_driven(void **state)
{
    (void)state;
    // a motor that follows the time would jump between a step and its pieces
    moody_solver moody = {.moods = "u"};
    cairn_world *world = build(&moody, 4);
    cairn_joint_def hinge = cairn_default_joint_def(CAIRN_JOINT_HINGE);
    cairn_joint_id joint;
    hinge.a = cairn_body_at(world, 1);
    hinge.b = cairn_body_at(world, 2);
    check(cairn_joint_create(world, &hinge, &joint, &error));
    check(cairn_joint_set_motor_function(world, joint, turn_faster, NULL, &error));
    step(world, 1);
    assert_true(moody.calls > 0);
    assert_string_equal(cairn_world_get_report(world)->stop, "stagnated");
    assert_int_equal(cairn_world_get_report(world)->pieces, 1);
    cairn_world_destroy(world);
}

static void test_limits(void **state)
{
    (void)state;
    moody_solver moody = {.moods = "u"}, none = {0};
    cairn_world *world = build(&moody, 0);
    step(world, 1);
    assert_int_equal(moody.calls, 1);
    assert_int_equal(cairn_world_get_report(world)->pieces, 1);
    cairn_world_destroy(world);
    // a number of iterations that was asked for is kept
    world = build_with(&none, 4, 1);
    check(cairn_world_set_solver(world, "gauss_seidel", &error));
    step(world, 1);
    assert_string_equal(cairn_world_get_report(world)->stop, "iteration_limit");
    assert_int_equal(cairn_world_get_report(world)->iterations, 1);
    assert_int_equal(cairn_world_get_report(world)->pieces, 1);
    cairn_world_destroy(world);
}

/// A box on springs that are pressed from the beginning, on a shelf beside what is solved.
static void add_pressed_box(cairn_world *world)
{
    cairn_material_id soft;
    cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
    cairn_body_def body = cairn_default_body_def(), shelf = cairn_default_body_def();
    cairn_body_id unused;
    check(cairn_material_create(world, "soft", &soft, &error));
    check(cairn_pair_set_law(world, soft, soft, "hooke", &error));
    check(cairn_pair_set_value(world, soft, soft, "normal_stiffness", cairn_number(1e5), &error));
    box.half_size[0] = box.half_size[1] = box.half_size[2] = 0.5;
    check(cairn_shape_create(world, &box, &body.shape, &error));
    body.material = shelf.material = soft;
    body.position[0] = shelf.position[0] = 5.0;
    body.position[2] = 3.49;
    shelf.position[2] = 2.5;
    shelf.shape = body.shape;
    shelf.kind = CAIRN_FIXED;
    check(cairn_body_create(world, &shelf, &unused, &error));
    check(cairn_body_create(world, &body, &unused, &error));
}

static void test_first_energies(void **state)
{
    (void)state;
    moody_solver moody = {.moods = "usuuss"};
    cairn_world *world = build(&moody, 4);
    add_pressed_box(world);
    // what the springs hold is asked once: the first step stays whole, the second one need not
    step(world, 1);
    assert_int_equal(cairn_world_get_report(world)->pieces, 1);
    assert_string_equal(cairn_world_get_report(world)->stop, "stagnated");
    step(world, 2);
    assert_int_equal(cairn_world_get_report(world)->pieces, 3);
    cairn_energy energy = cairn_world_get_energy(world);
    check_at_most(10.0, energy.elastic);
    // counted twice it would be all of it
    check_at_most(fabs(energy.residual), 1e-3 * energy.elastic);
    cairn_world_destroy(world);
}

static void test_interrupted_between(void **state)
{
    (void)state;
    moody_solver moody = {.moods = "susis"}, even = {.moods = "suss"};
    cairn_world *world = build(&moody, 4), *other = build(&even, 4);
    step(other, 3);
    step(world, 1);
    assert_int_equal(cairn_world_step(world, &error), CAIRN_INTERRUPTED);
    assert_int_equal(cairn_world_get_step_count(world), 1);
    check_close(cairn_world_get_time(world), 1.5 / 200.0, 1e-15, 0.0);
    assert_int_equal(cairn_world_set_time_step(world, 0.001, &error), CAIRN_ERROR_ARGUMENT);
    // it goes on, in memory and from a file
    const char *path = "test_pieces_checkpoint.h5";
    cairn_snapshot *snapshot;
    check(cairn_world_snapshot(world, &snapshot, &error));
    check(cairn_world_save(world, path, NULL, &error));
    for (int way = 0; way < 3; way++) {
        moody_solver good = {.moods = "s"};
        cairn_world *next = way == 2 ? build(&good, 4) : world;
        if (way == 1)
            check(cairn_world_revert(world, snapshot, &error));
        if (way == 2)
            check(cairn_world_restore(next, path, &error));
        step(next, 1);
        const cairn_step_report *report = cairn_world_get_report(next);
        assert_int_equal(report->pieces, 2);
        assert_string_equal(report->stop, "solved");
        step(next, 1);
        assert_int_equal(cairn_world_get_step_count(next), 3);
        check_same_bodies(next, other);
        assert_true(cairn_world_get_time(next) == cairn_world_get_time(other));
        assert_true(cairn_world_get_hash(next) == cairn_world_get_hash(other));
        if (way == 2)
            cairn_world_destroy(next);
    }
    remove(path);
    cairn_snapshot_destroy(snapshot);
    cairn_world_destroy(world);
    cairn_world_destroy(other);
}

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
    cairn_world_def def = cairn_default_world_def();
    def.step_halvings = 0;
    def.max_iterations = most;
    cairn_world *world;
    check(cairn_world_create(&def, &world, &error));
    cairn_material_id any = {0};
    check(cairn_pair_set_law(world, any, any, "signorini_coulomb", &error));
    check(cairn_pair_set_value(world, any, any, "restitution", cairn_number(restitution), &error));
    cairn_shape_def floor = cairn_default_shape_def(CAIRN_HALFSPACE),
                    ball = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_body_def fixed = cairn_default_body_def(), free = cairn_default_body_def();
    cairn_body_id unused;
    fixed.kind = CAIRN_FIXED;
    ball.radius = 0.1;
    check(cairn_shape_create(world, &floor, &fixed.shape, &error));
    check(cairn_body_create(world, &fixed, &unused, &error));
    check(cairn_shape_create(world, &ball, &free.shape, &error));
    free.position[2] = 0.11;
    free.velocity[2] = -2.0;
    check(cairn_body_create(world, &free, &unused, &error));
    con_solver listener = *world->model.solver.plugin;
    listener.needs = needs;
    listener.solve = listen;
    world->model.solver.plugin = &listener;
    limit_told = -1;
    for (int k = 0; k < 20 && limit_told < 0; k++)
        check(cairn_world_step(world, &error));
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_halves),
        cmocka_unit_test(test_uneven_pieces),
        cmocka_unit_test(test_hopeless),
        cmocka_unit_test(test_one_open_piece),
        cmocka_unit_test(test_driven),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_first_energies),
        cmocka_unit_test(test_interrupted_between),
        cmocka_unit_test(only_solvers_without_a_bound_get_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
