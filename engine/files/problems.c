// SPDX-License-Identifier: Apache-2.0
// Contact problems from files behind the public header: read, describe, solve, write.
#include "engine/files/problems.h"

#include "base/parallel.h"
#include "base/timer.h"
#include "contact/existence/existence.h"
#include "contact/fclib/rolling.h"
#include "engine/state/values.h"

#include <math.h>
#include <string.h>

enum { SOLVE_COOKIE = 0x50524f42, ARENA_START = 1 << 16 };

static cairn_status fail_memory(cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
}

const char *cairn_problem_kind_name(cairn_problem_kind kind)
{
    return kind == CAIRN_PROBLEM_LOCAL ? "local" : kind == CAIRN_PROBLEM_GLOBAL ? "global" : "";
}

// ---------------------------------------------------------------- read

// a failure names the file
static cairn_status convert(const char *path, cairn_problem *made, cairn_error *error)
{
    cairn_error reason = {0};
    cairn_status status =
        con_fclib_convert(made->content, &made->allocator, &made->conversion, &reason);
    return status == CAIRN_OK ? status
                              : base_fail(error, status, "%.400s: %.500s", path, reason.message);
}

cairn_status cairn_problem_read(const char *path, cairn_problem **problem, cairn_error *error)
{
    if (path == NULL || problem == NULL)
        return base_fail_null(error, __func__);
    base_allocator allocator = base_allocator_default();
    *problem = NULL;
    cairn_problem *made = base_allocate(&allocator, 1, sizeof *made);
    if (made == NULL)
        return fail_memory(error);
    made->allocator = allocator;
    made->arena = base_arena_create(&made->allocator, ARENA_START);
    cairn_status status = made->arena != NULL ? CAIRN_OK : fail_memory(error);
    if (status == CAIRN_OK)
        status = con_fclib_read(path, &made->allocator, &made->content, error);
    if (status == CAIRN_OK)
        status = convert(path, made, error);
    if (status != CAIRN_OK) {
        cairn_problem_destroy(made);
        return status;
    }
    *problem = made;
    return CAIRN_OK;
}

void cairn_problem_destroy(cairn_problem *problem)
{
    if (problem == NULL)
        return;
    con_fclib_conversion_destroy(problem->conversion);
    con_fclib_problem_destroy(problem->content);
    base_arena_destroy(problem->arena);
    base_allocator allocator = problem->allocator;
    base_release(&allocator, problem->R);
    base_release(&allocator, problem->U);
    base_release(&allocator, problem);
}

cairn_problem_kind cairn_problem_get_kind(const cairn_problem *problem)
{
    if (problem == NULL)
        return CAIRN_PROBLEM_LOCAL;
    return problem->content->form == CON_FCLIB_LOCAL ? CAIRN_PROBLEM_LOCAL : CAIRN_PROBLEM_GLOBAL;
}

int cairn_problem_get_contact_count(const cairn_problem *problem)
{
    if (problem == NULL)
        return 0;
    return problem->content->contact_count;
}

int cairn_problem_get_dof_count(const cairn_problem *problem)
{
    if (problem == NULL)
        return 0;
    const con_fclib_problem *content = problem->content;
    return content->form == CON_FCLIB_LOCAL ? content->dimension * content->contact_count
                                            : content->velocity_count;
}

int cairn_problem_get_dimension(const cairn_problem *problem)
{
    if (problem == NULL)
        return 0;
    return problem->content->dimension;
}

int cairn_problem_get_equality_count(const cairn_problem *problem)
{
    if (problem == NULL)
        return 0;
    return problem->content->equality_count;
}

// ---------------------------------------------------------------- describe

// residual of the stored solution; NaN without one
static cairn_status solution_error(const cairn_problem *problem, double *out, cairn_error *error)
{
    const con_fclib_conversion *conversion = problem->conversion;
    *out = NAN;
    if (conversion->solution == NULL || conversion->problem.contact_count == 0)
        return CAIRN_OK;
    base_arena_mark mark = base_arena_get_mark(problem->arena);
    double(*U)[3] = base_arena_allocate(problem->arena, "U",
                                        (size_t)conversion->problem.contact_count, sizeof *U);
    if (U == NULL)
        return fail_memory(error);
    con_residual residual;
    cairn_status status = con_residual_compute(&conversion->problem, conversion->solution, U,
                                               &residual, problem->arena);
    base_arena_rewind(problem->arena, mark);
    if (status == CAIRN_OK || status == CAIRN_ERROR_NONFINITE)
        *out = residual.error;
    else
        return fail_memory(error);
    return CAIRN_OK;
}

static const char *text_or_empty(const char *text)
{
    return text != NULL ? text : "";
}

cairn_status cairn_problem_get_info(const cairn_problem *problem, cairn_problem_view *view,
                                    cairn_error *error)
{
    if (problem == NULL || view == NULL)
        return base_fail_null(error, __func__);
    const con_fclib_problem *content = problem->content;
    con_fclib_description is;
    BASE_TRY(con_fclib_describe(content, problem->arena, &is, error));
    *view = (cairn_problem_view){
        .kind = cairn_problem_get_kind(problem),
        .title = text_or_empty(content->info.title),
        .description = text_or_empty(content->info.description),
        .math_info = text_or_empty(content->info.math_info),
        .dimension = is.dimension,
        .contacts = is.contact_count,
        .dofs = cairn_problem_get_dof_count(problem),
        .equalities = is.equality_count,
        .bodies = is.body_count,
        .W_entries = is.W_entries,
        .M_entries = is.M_entries,
        .H_entries = is.H_entries,
        .density = is.density,
        .symmetry_error = is.symmetry_error,
        .friction_minimum = is.friction_minimum,
        .friction_maximum = is.friction_maximum,
        .q_norm = is.q_norm,
        .hyperstaticity = is.hyperstaticity,
        .rank = is.rank,
        .rank_full = is.rank_full,
        .conditioning = is.conditioning,
        .guesses = is.guess_count,
        .has_solution = is.has_solution,
        .dropped_vectors = is.dropped_vectors,
    };
    return solution_error(problem, &view->solution_error, error);
}

// ---------------------------------------------------------------- solve

cairn_solve_def cairn_default_solve_def(void)
{
    return (cairn_solve_def){.tolerance = 1e-8, .threads = 1, .cookie = SOLVE_COOKIE};
}

// what a definition names, looked up
typedef struct solve_choice {
    const con_solver *solver;
    const con_local *local;
    _Alignas(max_align_t) unsigned char solver_settings[CON_SOLVER_SETTINGS_MAX];
    _Alignas(max_align_t) unsigned char local_settings[CON_LOCAL_SETTINGS_MAX];
} solve_choice;

static cairn_status set_all(const base_settings_table *table, void *memory,
                            const cairn_setting *settings, int count, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    base_settings_defaults(table, memory);
    for (int i = 0; i < count && status == CAIRN_OK; i++)
        status = base_settings_set_text(table, memory, settings[i].name, settings[i].text, error);
    return status;
}

static cairn_status choose(const cairn_solve_def *def, solve_choice *choice, cairn_error *error)
{
    int count;
    choice->solver =
        def->solver != NULL ? con_solver_find(def->solver) : con_solver_list(&count)[0];
    choice->local = def->local != NULL ? con_local_find(def->local) : con_local_list(&count)[0];
    if (choice->solver == NULL)
        return eng_fail_plugin(CAIRN_SOLVER, def->solver, error);
    if (choice->local == NULL)
        return eng_fail_plugin(CAIRN_LOCAL, def->local, error);
    cairn_status status = set_all(&choice->solver->table, choice->solver_settings,
                                  def->solver_settings, def->solver_setting_count, error);
    return status != CAIRN_OK ? status
                              : set_all(&choice->local->table, choice->local_settings,
                                        def->local_settings, def->local_setting_count, error);
}

static cairn_status check_def(const cairn_solve_def *def, cairn_error *error)
{
    if (def->cookie != SOLVE_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the definition does not come from cairn_default_solve_def");
    if (!(def->tolerance > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "tolerance %g is out of range: above 0",
                         def->tolerance);
    if (def->threads < 1 || def->threads > BASE_WORKERS_MAX)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "threads %d is out of range: 1 to %d",
                         def->threads, BASE_WORKERS_MAX);
    return CAIRN_OK;
}

// room for the point, with the guess in it
static cairn_status prepare_point(cairn_problem *problem, bool guess, cairn_error *error)
{
    const con_fclib_conversion *conversion = problem->conversion;
    size_t n = (size_t)conversion->problem.contact_count;
    if (problem->R == NULL)
        problem->R = base_allocate(&problem->allocator, n + 1, sizeof *problem->R);
    if (problem->U == NULL)
        problem->U = base_allocate(&problem->allocator, n + 1, sizeof *problem->U);
    problem->solved = false;
    if (problem->R == NULL || problem->U == NULL)
        return fail_memory(error);
    if (guess && conversion->guess != NULL)
        memcpy(problem->R, conversion->guess, n * sizeof *problem->R);
    else
        memset(problem->R, 0, n * sizeof *problem->R);
    return CAIRN_OK;
}

static cairn_status fail_solve(const con_solver *solver, bool rolling, cairn_status status,
                               cairn_error *error)
{
    bool absent = status == CAIRN_ERROR_UNSUPPORTED;
    return base_fail(error, status, "solver %s: %s%s", solver->name,
                     absent && rolling && !(solver->needs & CON_TAKES_ROLLING)
                         ? "does not take rolling friction: "
                     : absent && (solver->needs & CON_NEEDS_BODIES)
                         ? "wants a problem with bodies (global form): "
                         : "",
                     cairn_status_text(status));
}

// a problem that was not solved may have no solution
static cairn_status explain(cairn_problem *problem, con_report *report, cairn_error *error)
{
    if (report->stop == CON_STOP_SOLVED || report->stop == CON_STOP_INTERRUPTED ||
        problem->conversion->problem.contact_count == 0)
        return CAIRN_OK;
    con_existence existence;
    cairn_status status =
        con_existence_check(&problem->conversion->problem, &existence, NULL, problem->arena);
    if (status == CAIRN_OK && existence.verdict == CON_EXISTENCE_NONE)
        report->stop = CON_STOP_INFEASIBLE;
    return status == CAIRN_ERROR_MEMORY ? fail_memory(error) : CAIRN_OK;
}

static cairn_status leave_point(const void *settings, const con_problem *problem,
                                const con_control *control, double (*R)[3], con_report *report,
                                base_arena *arena)
{
    (void)settings, (void)problem, (void)control, (void)R, (void)arena;
    report->stop = CON_STOP_SOLVED;
    return CAIRN_OK;
}

// the solver that finds what it was given: con_solve certifies it
static const con_solver given_point = {.name = "program", .solve = leave_point};

static cairn_status solve_chosen(cairn_problem *problem, const cairn_solve_def *def,
                                 const solve_choice *choice, base_workers *workers,
                                 cairn_solve_report *report, cairn_error *error)
{
    const con_control control = {
        .tolerance = def->tolerance,
        .both_measures = def->both_measures,
        .scaled_weight = def->scaled_measure ? 1.0 : 0.0,
        .max_iterations = def->max_iterations,
        .time_limit = def->time_limit,
        .cpu_limit = def->cpu_limit,
        .stop = def->stop,
        .stop_context = def->stop_context,
        .workers = workers,
        .local = choice->local,
        .local_settings = choice->local_settings,
    };
    con_report result;
    double began = base_timer_cpu_seconds();
    cairn_status status =
        con_solve(choice->solver, choice->solver_settings, &problem->conversion->problem, &control,
                  problem->R, problem->U, &result, problem->arena);
    double cpu = base_timer_cpu_seconds() - began;
    base_arena_reset(problem->arena);
    if (status != CAIRN_OK)
        return fail_solve(choice->solver, problem->conversion->problem.spinning != NULL, status,
                          error);
    // a point that a program gives says nothing of what there might be
    BASE_TRY(choice->solver == &given_point ? CAIRN_OK : explain(problem, &result, error));
    problem->solved = true;
    *report = (cairn_solve_report){
        .solver = choice->solver->name,
        .stop = con_stop_name(result.stop),
        .iterations = result.iterations,
        .error = result.residual.error,
        .error_scaled = result.residual.error_scaled,
        .error_q = result.residual.error_q,
        .error_siconos = result.residual.error_siconos,
        .error_joints = result.residual.error_joints,
        .growth = result.residual.growth,
        .seconds = result.seconds,
        .cpu_seconds = cpu,
    };
    return CAIRN_OK;
}

cairn_status cairn_problem_solve(cairn_problem *problem, const cairn_solve_def *def,
                                 cairn_solve_report *report, cairn_error *error)
{
    if (problem == NULL || def == NULL || report == NULL)
        return base_fail_null(error, __func__);
    solve_choice choice;
    BASE_TRY(check_def(def, error));
    BASE_TRY(choose(def, &choice, error));
    BASE_TRY(prepare_point(problem, def->guess, error));
    base_workers *workers = NULL;
    if (def->threads > 1) {
        workers = base_workers_create(&problem->allocator, def->threads);
        if (workers == NULL)
            return fail_memory(error);
    }
    cairn_status status = solve_chosen(problem, def, &choice, workers, report, error);
    base_workers_destroy(workers);
    return status;
}

cairn_status cairn_problem_judge(cairn_problem *problem, const double (*impulses)[3],
                                 const cairn_solve_def *def, cairn_solve_report *report,
                                 cairn_error *error)
{
    if (problem == NULL || impulses == NULL || def == NULL || report == NULL)
        return base_fail_null(error, __func__);
    if (problem->content->rolling != NULL)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "impulses of a problem with rolling friction cannot be judged");
    int count;
    solve_choice choice = {.solver = &given_point, .local = con_local_list(&count)[0]};
    base_settings_defaults(&choice.local->table, choice.local_settings);
    BASE_TRY(check_def(def, error));
    BASE_TRY(prepare_point(problem, false, error));
    size_t n = (size_t)problem->content->contact_count;
    memcpy(problem->R, impulses, n * sizeof *problem->R);
    return solve_chosen(problem, def, &choice, NULL, report, error);
}

// ---------------------------------------------------------------- write

// R and U in the rows of the file, with the velocities and multipliers that belong to them
static cairn_status complete(const cairn_problem *problem, con_fclib_vectors *out,
                             cairn_error *error)
{
    const con_fclib_problem *content = problem->content;
    int d = content->dimension, nc = content->contact_count;
    double *r = base_arena_array(problem->arena, double, "r", d *nc + 1);
    double *u = base_arena_array(problem->arena, double, "u", d *nc + 1);
    double *v = base_arena_array(problem->arena, double, "v", content->velocity_count + 1);
    double *l = base_arena_array(problem->arena, double, "l", content->equality_count + 1);
    if (r == NULL || u == NULL || v == NULL || l == NULL)
        return fail_memory(error);
    const con_problem *solved = &problem->conversion->problem;
    if (solved->spinning != NULL) {
        con_fclib_gather_rows(problem->content->dimension, solved->spinning, solved->contact_count,
                              (const double(*)[3])problem->R, r);
        con_fclib_gather_rows(problem->content->dimension, solved->spinning, solved->contact_count,
                              (const double(*)[3])problem->U, u);
    }
    for (int i = 0; i < nc && solved->spinning == NULL; i++)
        for (int k = 0; k < d; k++) {
            r[d * i + k] = problem->R[i][k];
            u[d * i + k] = problem->U[i][k];
        }
    *out = (con_fclib_vectors){
        .v = content->velocity_count > 0 ? v : NULL,
        .u = u,
        .r = r,
        .l = content->equality_count > 0 ? l : NULL,
    };
    if (out->v == NULL && out->l == NULL)
        return CAIRN_OK;
    return con_fclib_complete(content, r, v, l, problem->arena, error);
}

cairn_status cairn_problem_write_solution(const cairn_problem *problem, const char *path,
                                          cairn_error *error)
{
    if (problem == NULL || path == NULL)
        return base_fail_null(error, __func__);
    if (!problem->solved)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the problem has not been solved yet");
    con_fclib_problem content = *problem->content;
    base_arena_mark mark = base_arena_get_mark(problem->arena);
    cairn_status status = complete(problem, &content.solution, error);
    content.has_solution = true;
    if (status == CAIRN_OK)
        status = con_fclib_save(path, &content, problem->arena, error);
    base_arena_rewind(problem->arena, mark);
    return status;
}

cairn_status cairn_problem_write(const cairn_problem *problem, const char *path, cairn_error *error)
{
    if (problem == NULL || path == NULL)
        return base_fail_null(error, __func__);
    if (problem->solved)
        return cairn_problem_write_solution(problem, path, error);
    base_arena_mark mark = base_arena_get_mark(problem->arena);
    cairn_status status = con_fclib_save(path, problem->content, problem->arena, error);
    base_arena_rewind(problem->arena, mark);
    return status;
}
