// SPDX-License-Identifier: Apache-2.0
// The step: a table of timed passes.
#include "engine/measures/energy.h"
#include "engine/measures/fingerprint.h"
#include "engine/measures/readout.h"
#include "engine/passes/removal.h"
#include "engine/state/actions.h"
#include "engine/state/blocks.h"
#include "engine/state/breaks.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/assert.h"
#include "base/timer.h"
#include "contact/existence/existence.h"
#include "contact/problem/least_norm.h"
#include "engine/joints/joints.h"
#include "engine/measures/finite.h"
#include "engine/measures/haste.h"
#include "engine/measures/mesh_pairs.h"
#include "engine/pairs/meeting.h"
#include "engine/pairs/sharing.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/passes/explicit.h"
#include "engine/passes/fields.h"
#include "engine/passes/impact.h"
#include "engine/passes/motion.h"
#include "engine/passes/passes.h"
#include "engine/passes/pieces.h"
#include "engine/passes/undo.h"
#include "engine/space/drive.h"
#include "engine/space/space.h"
#include "engine/state/rotation.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// RESIDUALS: entries kept of a step's residual history
// TRIAL: iterations after which a step with restitution is asked whether it has a solution, of
// solvers that do not bound their search by themselves
// EVENINGS_MAX: solves of a step that begin from an even guess
enum { JOINT_ROUNDS_MAX = 40, RESIDUALS = 2048, TRIAL = 2000, EVENINGS_MAX = 2 };

/// A message between processes failed: what this one has now means nothing.
static cairn_status fail_sharing(const cairn_world *world, cairn_error *error)
{
    return base_fail(error, eng_sharing_status(world),
                     "step %" PRId64 ", t = %g s: a message between processes failed: %s",
                     world->state.clock.step_count + 1, world->state.clock.time,
                     cairn_status_text(eng_sharing_status(world)));
}

/// Why a solver gave no answer; the problem can still be written, with its guess as the answer.
static cairn_status fail_solver(cairn_world *world, cairn_status status, cairn_error *error)
{
    const eng_contacts *c = &world->contacts.set;
    size_t size =
        (size_t)world->scratch.solve.solved->contact_count * sizeof *world->scratch.solve.guess;
    memcpy(world->scratch.solve.solved_R, world->scratch.solve.guess, size);
    memset(world->scratch.solve.solution_U, 0, size);
    world->state.pieces.stop = CON_STOP_FAILED;
    world->report.step.stop = "failed";
    if (status == CAIRN_ERROR_UNSUPPORTED && world->scratch.solve.rolling != NULL)
        return base_fail(error, status,
                         "step %" PRId64 ", t = %g s: solver %s does not take rolling friction",
                         world->state.clock.step_count + 1, world->state.clock.time,
                         world->model.solver.plugin->name);
    if (status != CAIRN_ERROR_NONFINITE)
        return base_fail(error, status, "step %" PRId64 ", t = %g s: the solver failed: %s",
                         world->state.clock.step_count + 1, world->state.clock.time,
                         cairn_status_text(status));
    if (eng_sharing_gather(world, false) != CAIRN_OK)
        return fail_sharing(world, error);
    int worst = eng_finite_worst_contact(world);
    const double *V = c->V[worst];
    return base_fail(error, status,
                     "step %" PRId64 ", t = %g s: the solver met a value that is not finite; the "
                     "contact of %s and %s is the likely cause (relative velocity %.3g %.3g %.3g "
                     "m/s, gap %.3g m)",
                     world->state.clock.step_count + 1, world->state.clock.time,
                     eng_body_label(world, c->body[worst][0]).text,
                     eng_body_label(world, c->body[worst][1]).text, V[0], V[1], V[2],
                     c->gap[worst]);
}

/// Asked by solvers, in any of their threads.
static bool is_interrupted(void *context)
{
    const cairn_world *world = context;
    return atomic_load_explicit(&world->model.interrupt, memory_order_relaxed) != 0;
}

/// The solve of a step: with moments, with joints eliminated, or plain.
static cairn_status call_solver(cairn_world *world, con_reduction *reduction,
                                const con_control *control, con_report *report)
{
    const con_solver *solver = world->model.solver.plugin;
    const void *settings = world->model.solver.settings;
    eng_rolling *rolling = world->scratch.solve.rolling;
    if (rolling != NULL)
        return con_solve(solver, settings, &rolling->problem, control, rolling->R, rolling->U,
                         report, world->scratch.arena);
    if (reduction != NULL)
        return con_solve_reduced(solver, settings, reduction, control,
                                 world->scratch.solve.solved_R, world->scratch.solve.solution_U,
                                 report, world->scratch.arena);
    return con_solve(solver, settings, world->scratch.solve.solved, control,
                     world->scratch.solve.solved_R, world->scratch.solve.solution_U, report,
                     world->scratch.arena);
}

/// Total residual, iterations and stop reason of the implicit problem go to the report.
/// @param reduction  of world->scratch.solve.solved, or NULL
/// @param trial      no long search: the problem may have no solution
static cairn_status solve_problem(cairn_world *world, con_reduction *reduction, bool trial,
                                  cairn_error *error)
{
    int most = world->model.def.max_iterations;
    bool bounded = (world->model.solver.plugin->needs & CON_KEEPS_BRIEF) != 0;
    if (trial && !bounded)
        most = TRIAL;
    con_control control = {
        .step_of_run = true,
        .brief = trial || eng_pieces_may_divide(world) || world->state.pieces.gave_up,
        .tolerance = world->model.def.tolerance,
        .scaled_weight = world->model.def.scaled_weight,
        .max_iterations = most,
        .time_limit = world->model.def.time_limit,
        // several processes cannot stop within a solve that they share
        .stop =
            eng_spheres_are_acted_on(world) || eng_sharing_is_active(world) ? NULL : is_interrupted,
        .stop_context = world,
        .workers = world->model.workers,
        .local = world->model.local.plugin,
        .local_settings = world->model.local.settings,
        .history = world->report.residuals + world->report.residual_count,
        .history_capacity = RESIDUALS - world->report.residual_count,
        .l = world->scratch.joint_step != NULL ? world->scratch.joint_step->together.l : NULL,
    };
    con_report report;
    double start = base_timer_seconds();
    eng_rolling *rolling = world->scratch.solve.rolling;
    if (rolling != NULL && eng_rolling_expand(world) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory in a step");
    cairn_status status = call_solver(world, reduction, &control, &report);
    if (eng_sharing_status(world) != CAIRN_OK)
        return fail_sharing(world, error);
    if (status != CAIRN_OK)
        return fail_solver(world, status, error);
    if (rolling != NULL)
        eng_rolling_collect(&world->scratch);
    // a solver that was asked to end may have a point within the tolerance, but not the one that it
    // would have found
    if (report.stop == CON_STOP_INTERRUPTED || (control.stop != NULL && is_interrupted(world)))
        return base_fail(error, CAIRN_INTERRUPTED,
                         "step %" PRId64 ", t = %g s: the solve was interrupted after %d "
                         "iterations, and the step taken back",
                         world->state.clock.step_count + 1, world->state.clock.time,
                         report.iterations);
    world->state.pieces.stop = report.stop;
    world->report.step.stop = con_stop_name(report.stop);
    world->report.step.iterations += report.iterations;
    world->report.residual_count += report.history_count;
    world->report.step.error = report.residual.error;
    world->report.step.error_scaled = report.residual.error_scaled;
    world->report.step.error_siconos = report.residual.error_siconos;
    world->report.step.seconds[CAIRN_PHASE_SOLVER] += report.seconds;
    world->report.step.seconds[CAIRN_PHASE_CERTIFICATE] +=
        base_timer_seconds() - start - report.seconds;
    return CAIRN_OK;
}

/// v_end = v_free + M^-1 (H^T R + G^T l) over the implicit contacts and their joints (explicit
/// contacts and joints alone are in v_free already).
static void apply_reactions(cairn_world *world)
{
    bool solved = world->scratch.solve.problem.contact_count > 0;
    if (solved) {
        if (world->scratch.solve.rolling != NULL)
            con_apply_impulses(&world->scratch.solve.rolling->problem,
                               (const double(*)[3])world->scratch.solve.rolling->R,
                               world->scratch.solve.v);
        else
            con_apply_impulses(world->scratch.solve.solved,
                               (const double(*)[3])world->scratch.solve.solved_R,
                               world->scratch.solve.v);
        eng_joints_apply(world, world->scratch.solve.v);
        if (eng_sharing_is_active(world))
            eng_borders_send_velocities(
                world, (con_rows){world->scratch.solve.v, sizeof *world->scratch.solve.v});
    }
    for (int k = 0;
         k < world->scratch.general.active_count && (!solved || world->scratch.solve.row != NULL);
         k++) {
        int body = world->scratch.general.active[k];
        memcpy(world->state.bodies.v_end[body],
               solved ? world->scratch.solve.v[k] : world->state.bodies.v_free[body],
               sizeof *world->state.bodies.v_end);
    }
}

/// Joints eliminated, or their right sides alone where the rows are those of the last solve.
static cairn_status reduce(cairn_world *world, bool rows_changed, con_reduction *reduction)
{
    double start = base_timer_seconds();
    cairn_status status = rows_changed ? con_reduce_joints(world->scratch.solve.solved,
                                                           world->scratch.arena, reduction)
                                       : con_reduction_update(reduction);
    world->report.step.seconds[CAIRN_PHASE_SOLVER] += base_timer_seconds() - start;
    return status;
}

static bool is_solved(const cairn_world *world)
{
    return world->state.pieces.stop == CON_STOP_SOLVED;
}

/// Where what slips in a grip is borne unevenly, an even guess takes the place of the solution.
/// @param kept  out: the solution then, else NULL
static cairn_status even_out(cairn_world *world, double (**kept)[3])
{
    size_t n = (size_t)world->scratch.solve.solved->contact_count;
    double(*guess)[3] = base_arena_allocate(world->scratch.arena, "even guess", n, sizeof *guess);
    bool moved = false;
    cairn_status status = CAIRN_ERROR_MEMORY;
    *kept = NULL;
    if (guess != NULL)
        status = con_least_norm_guess(world->scratch.solve.solved, world->model.def.tolerance,
                                      (const double(*)[3])world->scratch.solve.solved_R,
                                      (const double(*)[3])world->scratch.solve.solution_U, guess,
                                      &moved, world->scratch.arena);
    if (status != CAIRN_OK || !moved)
        return status;
    *kept = base_arena_allocate(world->scratch.arena, "uneven solution", n, sizeof **kept);
    if (*kept == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(*kept, world->scratch.solve.solved_R, n * sizeof **kept);
    memcpy(world->scratch.solve.solved_R, guess, n * sizeof *guess);
    return CAIRN_OK;
}

/// The solution that an even guess took the place of, when no solver came anywhere from there.
static cairn_status take_back(cairn_world *world, con_reduction *reduction, const double (*kept)[3])
{
    con_residual residual;
    memcpy(world->scratch.solve.solved_R, kept,
           (size_t)world->scratch.solve.solved->contact_count * sizeof *kept);
    cairn_status status = con_reduction_residual(reduction, kept, world->scratch.solve.solution_U,
                                                 world->scratch.joint_step->together.l, &residual);
    world->state.pieces.stop = CON_STOP_SOLVED;
    world->report.step.stop = con_stop_name(CON_STOP_SOLVED);
    world->report.step.error = residual.error;
    world->report.step.error_scaled = residual.error_scaled;
    world->report.step.error_siconos = residual.error_siconos;
    return status;
}

/// Joints curve: their right sides are found by solving again, with the last solution as guess.
static cairn_status solve_with_joints(cairn_world *world, bool trial, cairn_error *error)
{
    con_reduction reduction;
    bool rows_changed = true;
    double(*kept)[3] = NULL;
    base_arena_mark mark = base_arena_get_mark(world->scratch.arena);
    for (int round = 0, evenings = 0;; round++) {
        cairn_status status = CAIRN_OK;
        // no solution is kept where other rows come
        if (rows_changed)
            base_arena_rewind(world->scratch.arena, mark);
        if (world->scratch.solve.rolling == NULL)
            status = reduce(world, rows_changed, &reduction);
        status =
            status != CAIRN_OK
                ? fail_solver(world, status, error)
                : solve_problem(world, world->scratch.solve.rolling == NULL ? &reduction : NULL,
                                trial, error);
        if (status == CAIRN_OK && kept != NULL && !is_solved(world)) {
            status = take_back(world, &reduction, (const double(*)[3])kept);
            evenings = EVENINGS_MAX;
        }
        // a solve that gives up does not get better by more of them
        bool hopeless = round > 0 && !is_solved(world);
        const eng_joint_set *joints = &world->scratch.joint_step->together;
        world->scratch.joint_step->together.unsolved =
            hopeless && isfinite(joints->left) && joints->left > 1e-6 * joints->length;
        if (status != CAIRN_OK || hopeless)
            return status;
        apply_reactions(world);
        bool changed;
        status = eng_joints_update(world, (const double(*)[6])world->scratch.solve.v, &changed,
                                   &rows_changed);
        if (status != CAIRN_OK)
            return base_fail(error, status, "out of memory in a step");
        eng_joint_set *set = &world->scratch.joint_step->together;
        bool lost = set->lost > 0.0, ends = round == JOINT_ROUNDS_MAX - 1;
        if (lost ? !changed || ends || eng_pieces_may_divide(world) : changed && ends) {
            set->unsolved = true;
            return CAIRN_OK;
        }
        kept = NULL;
        if (changed)
            continue;
        // what the joints share among them is found for forces alone
        if (world->scratch.solve.rolling != NULL)
            return CAIRN_OK;
        if (evenings++ < EVENINGS_MAX && is_solved(world))
            status = even_out(world, &kept);
        if (kept != NULL)
            continue;
        if (status == CAIRN_OK)
            status = eng_joints_spread(world);
        return status == CAIRN_OK ? status : base_fail(error, status, "out of memory in a step");
    }
}

/// Room for the results of a solve, of the rows that joints may still bring in too.
static bool allocate_results(cairn_world *world)
{
    int n = eng_joints_capacity(world);
    world->scratch.solve.guess = (double(*)[3])base_arena_allocate(
        world->scratch.arena, "guess", (size_t)n, sizeof *world->scratch.solve.guess);
    world->scratch.solve.solution_U =
        (double(*)[3])base_arena_allocate(world->scratch.arena, "solution velocity", (size_t)n,
                                          sizeof *world->scratch.solve.solution_U);
    world->report.residuals = (double *)base_arena_allocate(
        world->scratch.arena, "residual history", RESIDUALS, sizeof *world->report.residuals);
    return world->scratch.solve.guess != NULL && world->scratch.solve.solution_U != NULL &&
           world->report.residuals != NULL;
}

/// A solve that ends above the tolerance is told to the log: the first one, the tenth, the
/// hundredth and so on.
static void log_unsolved(cairn_world *world)
{
    const char *stop = world->report.step.stop;
    if (strcmp(stop, "none") == 0 || strcmp(stop, con_stop_name(CON_STOP_SOLVED)) == 0)
        return;
    int64_t count = ++world->report.unsolved_count;
    while (count % 10 == 0)
        count /= 10;
    if (count == 1)
        base_log(&world->model.logger, BASE_LOG_WARNING,
                 "step %" PRId64 ", t = %g s: the solve ended (%s) with a residual of %.3g, above "
                 "the tolerance %g; steps so far that ended so: %" PRId64,
                 world->state.clock.step_count + 1, world->state.clock.time,
                 world->report.step.stop, world->report.step.error, world->model.def.tolerance,
                 world->report.unsolved_count);
}

static cairn_status solve(cairn_world *world, bool trial, cairn_error *error)
{
    if (world->scratch.joint_step != NULL && world->scratch.joint_step->shared_count > 0)
        return solve_with_joints(world, trial, error);
    cairn_status status;
    do {
        status = solve_problem(world, NULL, trial, error);
    } while (status == CAIRN_OK && eng_drive_look(world, is_solved(world)));
    return status;
}

/// Whether no reason against a solution is known.
static bool may_have_solution(const cairn_world *world)
{
    con_existence found;
    con_team_complete(&world->contacts.domains);
    cairn_status status =
        con_existence_check(world->scratch.solve.solved, &found, NULL, world->scratch.arena);
    return status != CAIRN_OK ||
           (found.verdict != CON_EXISTENCE_NONE && found.verdict != CON_EXISTENCE_NOT_SHOWN);
}

/// Newton's restitution may leave a step without a solution, as of a ball that is thrown into a
/// wedge which friction locks: then the impacts of this step have none.
/// @param guesses  contacts and rows of joints that have a guess
static cairn_status solve_without_restitution(cairn_world *world, int guesses, cairn_error *error)
{
    double was = world->report.step.error;
    int count = world->scratch.solve.solved->contact_count;
    memset(world->scratch.solve.solved_R, 0, (size_t)count * sizeof *world->scratch.solve.solved_R);
    memcpy(world->scratch.solve.solved_R, world->scratch.solve.guess,
           (size_t)(guesses < count ? guesses : count) * sizeof *world->scratch.solve.guess);
    eng_impacts_deaden(world);
    cairn_status status = solve(world, false, error);
    if (status == CAIRN_OK)
        base_log(&world->model.logger, BASE_LOG_DETAIL,
                 "step %" PRId64 ", t = %g s: the solve ended with a residual of %.3g, and without "
                 "restitution (%s) with %.3g",
                 world->state.clock.step_count + 1, world->state.clock.time, was,
                 world->report.step.stop, world->report.step.error);
    return status;
}

/// Where what joints beside contacts bear did not settle the step is an unsolved one.
static void judge_joints(cairn_world *world)
{
    const eng_joint_step *s = world->scratch.joint_step;
    if (s == NULL || s->shared_count == 0 || !s->together.unsolved)
        return;
    const eng_joint_set *set = &s->together;
    double left = set->lost > 0.0 ? set->lost : isfinite(set->left) ? set->left : 0.0;
    world->state.pieces.stop = CON_STOP_STAGNATED;
    world->report.step.stop = con_stop_name(CON_STOP_STAGNATED);
    world->report.step.error =
        fmax(world->report.step.error, fmax(left, 10.0 * world->model.def.tolerance));
    if ((world->report.told & ENG_TOLD_UNSETTLED) != 0 || eng_pieces_may_divide(world))
        return;
    world->report.told |= ENG_TOLD_UNSETTLED;
    base_log(&world->model.logger, BASE_LOG_WARNING,
             "step %" PRId64
             ", t = %g s: the forces of joints beside contacts did not settle, those of "
             "%s least of all, and energy is not kept; a shorter step is needed",
             world->state.clock.step_count + 1, world->state.clock.time,
             eng_body_label(world, set->unsettled).text);
}

cairn_status eng_block_solver(cairn_world *world, cairn_error *error)
{
    size_t contacts = (size_t)world->scratch.solve.problem.contact_count;
    if (contacts == 0) {
        eng_drive_look(world, true);
        return CAIRN_OK;
    }
    if (!allocate_results(world))
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory in a step");
    int guesses = world->scratch.solve.solved->contact_count;
    bool none = eng_guess_settle(world);
    memcpy(world->scratch.solve.guess, world->scratch.solve.solved_R,
           (size_t)guesses * sizeof *world->scratch.solve.guess);
    int most = world->model.def.max_iterations;
    bool bounces = eng_impacts_bounce(world), trial = bounces && (most <= 0 || most > TRIAL);
    cairn_status status = none ? CAIRN_OK : solve(world, trial, error);
    if (status == CAIRN_OK && !is_solved(world))
        eng_guess_judge(world);
    // the solvers' whole patience is for problems that may have a solution and are not halved
    if (status == CAIRN_OK && trial && !is_solved(world) && may_have_solution(world)) {
        if (eng_pieces_divide(world))
            return CAIRN_INTERRUPTED;
        status = solve(world, false, error);
    }
    if (status == CAIRN_OK && bounces && is_solved(world))
        status = eng_impacts_cap(world, solve, error);
    if (status == CAIRN_OK && bounces && !is_solved(world))
        status = solve_without_restitution(world, guesses, error);
    if (status == CAIRN_OK)
        judge_joints(world);
    if (status == CAIRN_OK && !is_solved(world) && eng_pieces_divide(world))
        return CAIRN_INTERRUPTED;
    if (world->scratch.solve.solved_R != world->contacts.set.R)
        memcpy(world->contacts.set.R, world->scratch.solve.solved_R,
               contacts * sizeof *world->contacts.set.R);
    return status;
}

/// U of the cone contacts: the solver's without the shift.
static void unshift_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const cairn_world *world = argument;
    const eng_contacts *c = &world->contacts.set;
    for (int i = begin; i < end; i++) {
        for (int k = 0; k < 3; k++)
            c->U[i][k] = world->scratch.solve.solution_U[i][k] - world->scratch.solve.shift[i][k];
    }
}

/// Keeps what contacts and joints gave a body in the step, while v is still that of its begin, for
/// rigid contacts to tell how it goes on.
static void note_held(cairn_world *world, int body)
{
    const eng_body *b = &world->model.bodies.rows[body];
    if (b->kind != CAIRN_DYNAMIC || !world->scratch.rigid) {
        memset(world->state.bodies.held[body], 0, sizeof world->state.bodies.held[body]);
        return;
    }
    vec3 gained = vec3_sub(vec3_from(world->state.bodies.v_end[body]),
                           vec3_from(world->state.bodies.v[body]));
    vec3 given = vec3_add_scaled(vec3_from(world->model.def.gravity), 1.0 / b->mass,
                                 eng_applied_of(world, body)->force);
    vec3_store(world->state.bodies.held[body],
               vec3_sub(vec3_scale(1.0 / world->state.clock.step, gained), given));
}

/// q_{n+1} from the midpoint and the end velocities; the velocities become those of t_{n+1}.
static void move_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    cairn_world *world = argument;
    for (int k = begin; k < end; k++) {
        int i = world->scratch.general.active[k];
        double *energies = world->scratch.moved_energies[k];
        energies[0] = energies[1] = 0.0;
        if (eng_is_elsewhere(world, i))
            continue;
        memset(world->state.bodies.correction[i], 0, sizeof world->state.bodies.correction[i]);
        if (world->model.bodies.rows[i].kind != CAIRN_FIXED) {
            double v[6];
            bool known = k < world->scratch.general.count && world->scratch.turnings[k].known;
            eng_body_end(world, i, known ? &world->scratch.turnings[k] : NULL,
                         world->state.bodies.v_end[i], &world->state.bodies.q[i], v);
            note_held(world, i);
            memcpy(world->state.bodies.v[i], v, sizeof v);
            world->model.bodies.rows[i].flows = 0;
        }
        eng_body_energies(world, i, &energies[0], &energies[1]);
    }
}

/// Bodies to the end of the step.
static cairn_status move_bodies(cairn_world *world)
{
    void *energies = base_arena_allocate(world->scratch.arena, "energies",
                                         (size_t)world->scratch.general.active_count,
                                         sizeof *world->scratch.moved_energies);
    if (energies == NULL)
        return CAIRN_ERROR_MEMORY;
    world->scratch.moved_energies = energies;
    base_parallel_for(world->model.workers, world->scratch.general.active_count, ENG_BODY_CHUNK,
                      move_chunk, world);
    return CAIRN_OK;
}

cairn_status eng_block_end(cairn_world *world)
{
    con_domains_chunks(&world->contacts.domains, world->contacts.set.cone_count, unshift_chunk,
                       world);
    BASE_TRY(eng_impacts_add(world));
    BASE_TRY(eng_explicit_book(world));
    BASE_TRY(eng_breaks_note(world));
    eng_energy_contacts(world);
    if (world->scratch.solve.rolling != NULL)
        eng_rolling_book(world);
    eng_energy_joints(world);
    eng_drive_finish(world);
    cairn_status status = move_bodies(world);
    world->report.corrected = false;
    if (status == CAIRN_OK)
        status = eng_meetings_finish(world);
    if (status == CAIRN_OK && world->model.def.correction)
        status = eng_correct_positions(world, world->state.bodies.q);
    if (status == CAIRN_OK && world->model.joints.count > 0) {
        world->scratch.moved_energies = NULL;
        status = eng_joints_finish(world);
    }
    if (status == CAIRN_OK) {
        eng_energy_book(world);
        eng_report_contacts(world);
    }
    return status;
}

/// Bodies that joints hold come together; spheres with a slot by way of the general columns.
static cairn_status gather_joints(cairn_world *world)
{
    bool changed = world->model.joints.changed && world->model.joints.count > 0;
    eng_spheres_load_tied(world);
    cairn_status status = eng_joints_gather(world);
    if (status == CAIRN_OK && changed)
        eng_spheres_store_tied(world);
    return status;
}

/// What was given to act between steps does so. The audit begins before that: what is made from
/// here on is booked.
static cairn_status run_actions(cairn_world *world, cairn_error *error)
{
    if (world->state.actions.count == 0)
        return CAIRN_OK;
    if (!world->state.audit.started) {
        eng_built_note(world);
        eng_energy_start(world);
    }
    cairn_status status =
        eng_actions_are_due(world) ? eng_sharing_gather_all(world, -1, error) : CAIRN_OK;
    return status == CAIRN_OK ? eng_actions_begin(world, error) : status;
}

static bool has_rigid_pairs(const cairn_world *world)
{
    bool any = false;
    for (int i = 0; i < world->model.materials.surface_count && !any; i++)
        any = world->model.materials.surfaces[i].law->kind == CON_LAW_CONE;
    return any;
}

static cairn_status begin_step(cairn_world *world)
{
    eng_removals_settle(world);
    base_arena_reset(world->scratch.arena);
    world->scratch.solve.problem = (con_problem){0};
    world->scratch.spin_axis = NULL;
    world->scratch.solve.solved = NULL;
    world->scratch.solve.rolling = NULL;
    world->scratch.solve.driven = NULL;
    world->scratch.solve.guess = NULL;
    world->scratch.solve.solution_U = NULL;
    world->scratch.turnings = NULL;
    world->scratch.rigid = has_rigid_pairs(world);
    world->scratch.aims = NULL;
    world->scratch.bounce = NULL;
    world->scratch.moved_energies = NULL;
    world->report.residual_count = 0;
    world->report.hasty = 0;
    world->report.step = (cairn_step_report){.stop = "none"};
    cairn_status status = eng_spheres_plan(world);
    if (status == CAIRN_OK && world->scratch.general.work)
        status = eng_blocks_reserve(world);
    if (status == CAIRN_OK)
        status = gather_joints(world);
    eng_drive_begin(world);
    eng_cell_begin(world);
    if (status == CAIRN_OK && !world->state.audit.started) {
        eng_built_note(world);
        eng_energy_start(world);
    }
    eng_energy_before(world);
    world->scratch.undo = NULL;
    if (status == CAIRN_OK && world->scratch.general.work)
        status = eng_step_keep(world);
    if (status == CAIRN_OK)
        status = eng_block_joint_start(world);
    return status;
}

static cairn_status fail_block(const cairn_world *world, cairn_status status, cairn_error *error)
{
    if (status == CAIRN_ERROR_NONFINITE)
        return eng_finite_explain(world, "the step", error);
    return base_fail(error, status, "step %" PRId64 ": %s", world->state.clock.step_count + 1,
                     cairn_status_text(status));
}

/// Bodies to the midpoint, prescribed ones by their functions.
static cairn_status run_midpoint(cairn_world *world, cairn_error *error)
{
    BASE_TRY(eng_motions_begin(world, error));
    cairn_status status = eng_block_midpoint(world);
    return status == CAIRN_OK ? status : fail_block(world, status, error);
}

/// The velocity without contacts.
static cairn_status run_free_motion(cairn_world *world, cairn_error *error)
{
    eng_block_free_velocity(world);
    cairn_status status = eng_motions_middle(world, error);
    if (status == CAIRN_OK)
        status = eng_joints_ask_motors(world, error);
    if (status == CAIRN_OK)
        eng_block_joint_forces(world);
    return status;
}

static cairn_status find_pairs(cairn_world *world, cairn_error *error)
{
    cairn_status status = eng_block_broad_phase(world);
    if (status == CAIRN_ERROR_UNSUPPORTED)
        return eng_mesh_pairs_explain(world, error);
    if (status != CAIRN_OK)
        return fail_block(world, status, error);
    eng_step_keep_pairs(world);
    return CAIRN_OK;
}

/// Runs one block and books its time.
#define TIMED(phase, call)                                                                         \
    do {                                                                                           \
        double timed_start = base_timer_seconds();                                                 \
        call;                                                                                      \
        world->report.step.seconds[CAIRN_PHASE_##phase] += base_timer_seconds() - timed_start;     \
    } while (0)

/// Joints and implicit contacts are solved for.
static cairn_status run_solver(cairn_world *world, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    bool too_long = con_team_any(&world->contacts.domains, world->state.pieces.too_long);
    if (too_long && eng_pieces_may_divide_meeting(world)) {
        eng_pieces_divide_meeting(world);
        return CAIRN_INTERRUPTED;
    }
    // what turns far is looked at again after the solve
    if (too_long && (world->state.pieces.thrown || world->state.cell.any))
        world->state.pieces.lost = eng_haste_fastest(world) + 1;
    TIMED(ASSEMBLY, status = eng_block_impacts(world));
    if (status == CAIRN_OK)
        TIMED(ASSEMBLY, status = eng_block_assembly(world));
    if (status == CAIRN_OK)
        TIMED(SOLVER, status = eng_block_joints(world));
    if (status == CAIRN_OK && eng_pieces_divide_joints(world))
        return CAIRN_INTERRUPTED;
    if (status != CAIRN_OK)
        return fail_block(world, status, error);
    BASE_TRY(eng_block_solver(world, error));
    apply_reactions(world);
    int deep = 0;
    if (is_solved(world))
        TIMED(FINISH, status = eng_meetings_check(world, &deep));
    if (status != CAIRN_OK)
        return fail_block(world, status, error);
    if (deep == 0)
        return CAIRN_OK;
    if (!eng_pieces_may_divide_meeting(world)) {
        world->state.pieces.lost = deep;
        return CAIRN_OK;
    }
    eng_pieces_divide_meeting(world);
    return CAIRN_INTERRUPTED;
}

/// Bodies of the general passes go to the end of the step.
static cairn_status run_end(cairn_world *world, cairn_error *error)
{
    cairn_status status = eng_block_end(world);
    if (status != CAIRN_OK)
        return fail_block(world, status, error);
    status = eng_finite_check(world, false, error);
    return eng_sharing_status(world) == CAIRN_OK ? status : fail_sharing(world, error);
}

/// The slots; a state that is not finite names the body.
static cairn_status run_spheres_end(cairn_world *world, cairn_error *error)
{
    cairn_status status = eng_spheres_finish(world);
    if (status != CAIRN_ERROR_NONFINITE)
        return status == CAIRN_OK ? status : fail_block(world, status, error);
    cairn_status found = eng_finite_check(world, true, error);
    return found != CAIRN_OK ? found : base_fail(error, status, "a state is not finite");
}

// ---------------------------------------------------------------- the table

enum {
    IN_MOTION = ENG_BODIES | ENG_MIDPOINT, // of bodies in the general columns
    ALL_SOLVED = ENG_CONTACTS | ENG_JOINTS | ENG_PROBLEM
};

const eng_pass eng_passes[] = {
    {"midpoint", CAIRN_PHASE_MIDPOINT, ENG_GENERAL, ENG_BODIES, IN_MOTION, NULL, run_midpoint},
    {"walls and lists", CAIRN_PHASE_BROAD_PHASE, ENG_ALWAYS, IN_MOTION,
     ENG_PARTICLES | IN_MOTION | ENG_SPACE, eng_spheres_prepare, NULL},
    {"free motion", CAIRN_PHASE_MIDPOINT, ENG_GENERAL, ENG_BODIES, ENG_MIDPOINT | ENG_JOINTS, NULL,
     run_free_motion},
    {"broad phase", CAIRN_PHASE_BROAD_PHASE, ENG_GENERAL, IN_MOTION, ENG_SPACE, NULL, find_pairs},
    {"narrow phase", CAIRN_PHASE_NARROW_PHASE, ENG_GENERAL, IN_MOTION, ENG_SPACE,
     eng_block_narrow_phase, NULL},
    {"contact set", CAIRN_PHASE_CONTACT_SET, ENG_GENERAL, IN_MOTION | ENG_SPACE,
     ENG_CONTACTS | ENG_SPACE | ENG_ENERGY, eng_block_contact_set, NULL},
    {"connectors", CAIRN_PHASE_EXPLICIT_LAWS, ENG_GENERAL, IN_MOTION, ENG_CONNECTORS | ENG_MIDPOINT,
     eng_block_connectors, NULL},
    {"explicit laws", CAIRN_PHASE_EXPLICIT_LAWS, ENG_GENERAL, IN_MOTION | ENG_SPACE,
     ENG_CONTACTS | ENG_MIDPOINT, eng_block_explicit_laws, NULL},
    {"spheres acted on", -1, ENG_ALWAYS, ENG_CONTACTS | ENG_JOINTS, ENG_PARTICLES, eng_spheres_hold,
     NULL},
    {"solve", -1, ENG_SOLVE_FIRST, IN_MOTION, ENG_MIDPOINT | ALL_SOLVED, NULL, run_solver},
    {"sphere executor", CAIRN_PHASE_EXPLICIT_LAWS, ENG_ALWAYS, IN_MOTION,
     ENG_PARTICLES | ENG_MIDPOINT | ENG_ENERGY, eng_spheres_step, NULL},
    {"solve", -1, ENG_SOLVE_LAST, IN_MOTION, ENG_MIDPOINT | ALL_SOLVED, NULL, run_solver},
    {"end", CAIRN_PHASE_FINISH, ENG_GENERAL, ENG_SPACE | ENG_PROBLEM,
     IN_MOTION | ALL_SOLVED | ENG_CONNECTORS | ENG_ENERGY, NULL, run_end},
    {"end of spheres", CAIRN_PHASE_FINISH, ENG_ALWAYS, IN_MOTION, ENG_PARTICLES | ENG_ENERGY, NULL,
     run_spheres_end},
};

const int eng_pass_count = BASE_COUNT(eng_passes);

bool eng_pass_applies(const eng_pass *pass, const cairn_world *world)
{
    if (pass->when == ENG_ALWAYS)
        return true;
    if (pass->when == ENG_GENERAL || !world->scratch.general.work)
        return world->scratch.general.work;
    return (pass->when == ENG_SOLVE_LAST) == eng_spheres_are_acted_on(world);
}

static cairn_status run_passes(cairn_world *world, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    if (world->model.bodies.count == 0)
        return CAIRN_OK; // they are still to come
    double start = base_timer_seconds();
    for (int i = 0; i < eng_pass_count && status == CAIRN_OK; i++) {
        const eng_pass *pass = &eng_passes[i];
        if (!eng_pass_applies(pass, world))
            continue;
        if (world->model.watch != NULL)
            world->model.watch(world, pass, false);
        status = pass->run != NULL ? pass->run(world, error) : pass->block(world);
        // a clock is read once between two passes: beside few bodies that is a part of the cost
        double end = base_timer_seconds();
        if (pass->phase >= 0)
            world->report.step.seconds[pass->phase] += end - start;
        start = end;
        if (world->model.watch != NULL)
            world->model.watch(world, pass, true);
        if (status != CAIRN_OK && pass->run == NULL)
            status = fail_block(world, status, error);
    }
    return status;
}

/// A world that keeps many spheres out of the executor is told so once. It is looked at when it has
/// twice the bodies that it had at the last look, and when spheres lose their slots.
static void advise(cairn_world *world, bool less)
{
    char text[400];
    int count = cairn_body_count(world);
    if (world->report.advised || (count < world->report.advise_at && !less))
        return;
    world->report.advise_at = 2 * count + 1;
    for (eng_outside which = ENG_OUTSIDE_SPHERES; which <= ENG_OUTSIDE_SHAPES; which++) {
        if (!eng_spheres_advise(world, which, text, sizeof text))
            continue;
        base_log(&world->model.logger, BASE_LOG_INFO, "%s", text);
        world->report.advised = true;
    }
}

/// A law of an own pair of a material; NULL where all of them are rigid.
static const con_law *explicit_law_of(const cairn_world *world, int material)
{
    for (int at = world->model.materials.rows[material].first_surface; at > 0;) {
        const eng_surface *own = &world->model.materials.surfaces[at];
        if (own->law->kind == CON_LAW_IMPULSE)
            return own->law;
        at = own->next[own->pair[0] == material ? 0 : 1];
    }
    return NULL;
}

/// How many bodies of each material there are, and how many of them are dynamic: [materials][2].
/// NULL when out of memory.
static int *count_of_materials(const cairn_world *world)
{
    int *count = base_allocate(&world->model.allocator, (size_t)world->model.materials.count,
                               2 * sizeof *count);
    for (int i = 0; i < world->model.bodies.count && count != NULL; i++) {
        if (!eng_body_is_live(world, i))
            continue;
        count[2 * world->model.bodies.rows[i].material]++;
        count[2 * world->model.bodies.rows[i].material + 1] +=
            world->model.bodies.rows[i].kind == CAIRN_DYNAMIC;
    }
    return count;
}

/// Two materials without a pair of their own follow the default one: where nobody gave that a law,
/// it is rigid, which those hardly want whose other pairs have springs.
static void warn_of_default(const cairn_world *world)
{
    const con_law *rigid = world->model.materials.surfaces[0].law, *law = NULL;
    if (world->model.materials.surfaces[0].given || rigid->kind != CON_LAW_CONE ||
        world->model.materials.surface_count < 2)
        return;
    int *count = count_of_materials(world), a = -1, b = -1;
    for (int i = 0; i < world->model.materials.count && count != NULL && a < 0; i++) {
        law = explicit_law_of(world, i);
        for (int j = 0; j < world->model.materials.count && law != NULL && a < 0; j++) {
            bool meet = count[2 * i] > (i == j) && count[2 * j] > 0 &&
                        count[2 * i + 1] + count[2 * j + 1] > 0;
            if (meet && base_pairs_find(&world->model.materials.own_surfaces, i < j ? i : j,
                                        i < j ? j : i) < 0) {
                a = i;
                b = j;
            }
        }
    }
    base_release(&world->model.allocator, count);
    if (a >= 0)
        base_log(
            &world->model.logger, BASE_LOG_WARNING,
            "materials \"%.60s\" and \"%.60s\" have no pair: their contacts follow the default "
            "law %s beside %s of other pairs; give this pair a law, or all pairs one by a pair "
            "without materials",
            world->model.materials.rows[a].name, world->model.materials.rows[b].name, rigid->name,
            law->name);
}

/// How many spheres and members of clumps the executor has is told to the log when it changes.
static void log_plan(cairn_world *world)
{
    int slots = eng_spheres_slot_count(world);
    advise(world, slots < world->report.logged_slots);
    if (slots == world->report.logged_slots)
        return;
    world->report.logged_slots = slots;
    base_log(&world->model.logger, BASE_LOG_DETAIL,
             "step %" PRId64 ": the sphere executor has %d particle slots, in a world of %d bodies",
             world->state.clock.step_count + 1, slots, cairn_body_count(world));
}

enum {
    LOOK_AT_CELL_EVERY = 100
}; // steps between looks whether bodies fit into a cell that strains

/// A step is unsolved where joints that no implicit contact reaches are.
static void report_joints_alone(cairn_world *world)
{
    const eng_joint_step *s = world->scratch.joint_step;
    if (s == NULL || !(s->alone_error > world->report.step.error))
        return;
    world->report.step.stop = con_stop_name(s->alone_stop);
    world->report.step.error = s->alone_error;
}

/// One piece of a step, mostly all of it.
static cairn_status run_piece(cairn_world *world, cairn_error *error)
{
    cairn_status status = begin_step(world);
    if (status != CAIRN_OK)
        return fail_block(world, status, error);
    log_plan(world);
    bool looks = world->state.cell.any && world->state.clock.step_count % LOOK_AT_CELL_EVERY == 0;
    if (world->state.cell.any && world->contacts.pairs.topology_changed) {
        status = eng_cell_check_bodies(world, error);
        // the broad phase has to know, where there is one
        world->contacts.pairs.topology_changed = world->scratch.general.work;
    } else if (looks) {
        // it may have shrunk
        status = eng_cell_check_bodies(world, error);
    }
    if (status == CAIRN_OK)
        status = eng_impacts_check(world, error);
    if (status == CAIRN_OK)
        status = eng_fields_apply(world, error);
    if (status == CAIRN_OK)
        status = run_passes(world, error);
    if (status == CAIRN_INTERRUPTED && world->scratch.undo != NULL) {
        eng_step_undo(world);
        if (!world->state.pieces.divide)
            atomic_store(&world->model.interrupt, 0);
    }
    if (status != CAIRN_OK)
        return status;
    report_joints_alone(world);
    eng_energy_after(world);
    eng_arrivals_settle(&world->model);
    if (world->scratch.solve.driven != NULL)
        eng_drive_end(world);
    else
        eng_cell_end(&world->state);
    return CAIRN_OK;
}

cairn_status cairn_world_step(cairn_world *world, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    if (atomic_exchange(&world->model.interrupt, 0) != 0)
        return base_fail(error, CAIRN_INTERRUPTED, "step %" PRId64 ", t = %g s: interrupted",
                         world->state.clock.step_count + 1, world->state.clock.time);
    bool begins = world->state.pieces.done == 0;
    cairn_status status = CAIRN_OK;
    if (begins && world->state.clock.step_count == 0)
        warn_of_default(world);
    // actions look at the images of bodies, which nothing has checked yet
    if (begins && world->state.cell.any && world->contacts.pairs.topology_changed &&
        world->state.actions.count > 0)
        status = eng_cell_check_bodies(world, error);
    // what acts between steps did so before the first piece
    if (begins && status == CAIRN_OK)
        status = run_actions(world, error);
    if (status == CAIRN_OK)
        status = eng_pieces_step(world, run_piece, error);
    if (status != CAIRN_OK)
        return status;
    world->state.clock.step_count++;
    // counted, not summed: the time of step n has no accumulated round-off
    world->state.clock.time = world->state.clock.time_start +
                              (double)world->state.clock.step_count * world->state.clock.step;
    log_unsolved(world);
    eng_haste_look(world);
    if (eng_actions_look(world))
        status = eng_sharing_gather_all(world, -1, error);
    return status == CAIRN_OK ? eng_actions_end(world, error) : status;
}

void cairn_world_interrupt(cairn_world *world)
{
    if (world != NULL)
        atomic_store_explicit(&world->model.interrupt, 1, memory_order_relaxed);
}

bool cairn_world_take_interrupt(cairn_world *world)
{
    return world != NULL && atomic_exchange(&world->model.interrupt, 0) != 0;
}
