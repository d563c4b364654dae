// SPDX-License-Identifier: Apache-2.0
// --strict: the bounds that every step of a run must keep; and what is left of a step that broke.
#include "cli/process/status.h"
#include "cli/run/run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static cairn_status check_solver(const run_state *run, cairn_error *error)
{
    const cairn_world *world = run->scene->world;
    const cairn_step_report *report = cairn_world_get_report(world);
    if (!cairn_world_is_unsolved(world))
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
    double all = cairn_guard_exchanged(&run->guard, &energy);
    if (fabs(energy.residual) <= bound * all)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_NUMERICAL,
                     "step %" PRId64 " at %.6g s: %.3g J of energy do not add up, more than %.3g "
                     "of the %.3g J that changed their form (--strict-energy)",
                     cairn_world_get_step_count(world), cairn_world_get_time(world),
                     energy.residual, bound, all);
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

int run_strict_start(run_state *run)
{
    enum { LOOKED_AT = 64 };
    const run_settings *settings = run->settings;
    cairn_overlap pairs[LOOKED_AT];
    cairn_error error;
    int count = 0, worst = 0;
    if (!settings->strict || !run->writes || settings->restart != NULL)
        return CLI_EXIT_DONE;
    cairn_world *world = run->scene->world;
    if (cairn_world_find_overlaps(world, pairs, LOOKED_AT, &count, &error) != CAIRN_OK) {
        cli_complain("%s", error.message);
        return CLI_EXIT_FAILED;
    }
    for (int i = 1; i < count && i < LOOKED_AT; i++)
        worst = pairs[i].relative > pairs[worst].relative ? i : worst;
    if (count == 0 || pairs[worst].relative <= settings->strict_penetration)
        return CLI_EXIT_DONE;
    cli_complain("%s and %s overlap by %.3g of the smaller one's smallest size (%.3g m) at the "
                 "start, more than %.3g (--strict-penetration): place the bodies apart",
                 scn_body_title(world, pairs[worst].a).text,
                 scn_body_title(world, pairs[worst].b).text, pairs[worst].relative,
                 pairs[worst].depth, settings->strict_penetration);
    return CLI_EXIT_FAILED;
}

static cairn_status check_ways(const run_state *run, cairn_error *error)
{
    const cairn_world *world = run->scene->world;
    double way = cairn_world_get_report(world)->way_relative;
    if (way == 0.0)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_NUMERICAL,
                     "step %" PRId64 " at %.6g s: a body goes %.3g of its size in a step, too "
                     "far for what it meets to be seen",
                     cairn_world_get_step_count(world), cairn_world_get_time(world), way);
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
    if (status == CAIRN_OK)
        status = check_ways(run, error);
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
