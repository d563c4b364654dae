// SPDX-License-Identifier: Apache-2.0
// --strict: the bounds that every step of a run must keep; and what is left of a step that broke.
#include "cli/process/status.h"
#include "cli/run/run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

bool run_step_is_unsolved(const cairn_world *world)
{
    const cairn_step_report *report = cairn_world_get_report(world);
    if (strcmp(report->stop, "none") == 0)
        return false;
    return !(report->error <= cairn_world_get_def(world)->tolerance);
}

/// Energy that changed its form since the start, J: what a residual is measured by.
static double exchanged(const run_state *run, const cairn_energy *e)
{
    return e->kinetic + fabs(e->elastic) + fabs(e->drivers) + fabs(e->correction) +
           fabs(e->impact) + fabs(e->friction) + fabs(e->damping) + fabs(e->plastic) +
           fabs(e->potential - run->potential_start);
}

/// Energy that forces have changed the form of so far, J. What the correction lifted is no measure
/// of that: it moves bodies that were put into each other by any height.
static double moved(const run_state *run, const cairn_energy *e)
{
    return e->kinetic + fabs(e->elastic) + fabs(e->drivers) + fabs(e->impact) + fabs(e->friction) +
           fabs(e->damping) + fabs(e->plastic) +
           fabs(e->potential - e->correction - run->potential_start);
}

double run_energy_of_tolerance(const cairn_world *world)
{
    double sum = 0.0;
    cairn_contact_view c;
    // explicit laws are not solved
    if (strcmp(cairn_world_get_report(world)->stop, "none") == 0)
        return 0.0;
    for (int i = 0; cairn_contact_get(world, i, &c) == CAIRN_OK; i++) {
        cairn_body_view a, b;
        if (cairn_body_get(world, c.a, &a) == CAIRN_OK &&
            cairn_body_get(world, c.b, &b) == CAIRN_OK)
            sum += 0.5 * (1.0 / a.mass + 1.0 / b.mass) *
                   (c.impulse[0] * c.impulse[0] + c.impulse[1] * c.impulse[1] +
                    c.impulse[2] * c.impulse[2]);
    }
    return cairn_world_get_def(world)->tolerance * sum;
}

cairn_status run_energy_step(run_state *run, cairn_error *error)
{
    const cairn_world *world = run->scene->world;
    double rise = cairn_world_get_report(world)->energy_rise;
    // energies of spheres alone cost as much as their steps; there check_explosion looks
    if (isnan(rise))
        return CAIRN_OK;
    cairn_energy energy = cairn_world_get_energy(world);
    // what came in within the step counts as there, and so does what bodies brought that came and
    // went: a world may begin with none
    run->moved_max = fmax(run->moved_max, fabs(energy.population));
    double before = fmax(run->moved_max, run->supply) + fabs(energy.drivers) + fabs(energy.joints);
    run->moved_max = fmax(run->moved_max, moved(run, &energy));
    if (rise <= before)
        return CAIRN_OK;
    // where nothing moves yet, what the accuracy of the solution leaves of its impulses is more
    if (rise <= before + run_energy_of_tolerance(world))
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_NUMERICAL,
                     "step %" PRId64 " at %.6g s: explosion: %.3g J came from nowhere, more than "
                     "the %.3g J that there were",
                     cairn_world_get_step_count(world), cairn_world_get_time(world), rise, before);
}

static cairn_status check_solver(const run_state *run, cairn_error *error)
{
    const cairn_world *world = run->scene->world;
    const cairn_step_report *report = cairn_world_get_report(world);
    if (!run_step_is_unsolved(world))
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_NUMERICAL,
                     "step %" PRId64 " at %.6g s: error %.3g is above the tolerance %.3g (%s after "
                     "%d iterations, %d contacts)",
                     cairn_world_get_step_count(world), cairn_world_get_time(world), report->error,
                     cairn_world_get_def(world)->tolerance, report->stop, report->iterations,
                     report->contacts);
}

static cairn_status check_energy(run_state *run, cairn_error *error)
{
    const cairn_world *world = run->scene->world;
    cairn_energy energy = cairn_world_get_energy(world);
    double bound = run->settings->strict_energy;
    run_energy_note(run, &energy);
    if (fabs(energy.residual) <= bound * run->exchanged_max)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_NUMERICAL,
                     "step %" PRId64 " at %.6g s: %.3g J of energy do not add up, more than %.3g "
                     "of the %.3g J that changed their form (--strict-energy)",
                     cairn_world_get_step_count(world), cairn_world_get_time(world),
                     energy.residual, bound, run->exchanged_max);
}

void run_energy_note(run_state *run, const cairn_energy *energy)
{
    run->exchanged_max = fmax(run->exchanged_max, exchanged(run, energy));
}

void run_energy_tell(const run_state *run)
{
    static const double doubtful = 0.05;
    cairn_energy energy = cairn_world_get_energy(run->scene->world);
    double all = fmax(exchanged(run, &energy) + fabs(energy.population),
                      fmax(run->exchanged_max, run->moved_max));
    // where hardly anything moves, round-off and the accuracy of the solution are more
    double small = 1e-12 * fmax(fabs(energy.potential), fabs(run->potential_start)) +
                   run_energy_of_tolerance(run->scene->world);
    if (fabs(energy.residual) > doubtful * all + small)
        cli_warn("%.3g J of energy do not add up, %.0f %% of the %.3g J that changed their form: "
                 "a shorter time step may be needed (docs/laws.md, section 9)",
                 energy.residual, 100.0 * fabs(energy.residual) / all, all);
}

static cairn_status check_penetration(const run_state *run, cairn_error *error)
{
    const cairn_world *world = run->scene->world;
    const cairn_step_report *report = cairn_world_get_report(world);
    double bound = run->settings->strict_penetration;
    if (report->penetration_relative <= bound)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_NUMERICAL,
                     "step %" PRId64 " at %.6g s: bodies overlap by %.3g of the smaller one's size "
                     "(%.3g m at most), more than %.3g (--strict-penetration)",
                     cairn_world_get_step_count(world), cairn_world_get_time(world),
                     report->penetration_relative, report->penetration, bound);
}

cairn_status run_strict_step(run_state *run, cairn_error *error)
{
    if (!run->settings->strict)
        return CAIRN_OK;
    cairn_status status = check_solver(run, error);
    if (status == CAIRN_OK)
        status = check_penetration(run, error);
    if (status == CAIRN_OK)
        status = check_energy(run, error);
    cairn_error later;
    if (status != CAIRN_OK && run_files_problem(run, &later) != CAIRN_OK) {
        *error = later;
        return later.status;
    }
    return status;
}

cairn_status run_broken_step(run_state *run, cairn_status status, cairn_error *error)
{
    char message[CAIRN_MESSAGE_SIZE];
    cairn_error later;
    int64_t written = run->totals.problems;
    memcpy(message, error->message, sizeof message);
    if (status != CAIRN_ERROR_NONFINITE && status != CAIRN_ERROR_NUMERICAL)
        return status;
    // what cannot be written besides changes nothing of why the run ends
    if (run_files_problem(run, &later) != CAIRN_OK || run->totals.problems == written)
        return status;
    return base_fail(error, status, "%.300s; its problem is in %.150s", message, run->files.fclib);
}
