// SPDX-License-Identifier: Apache-2.0
// Jams of a run: prescribed bodies that squeeze others are named, once; and deep overlaps are said.
#include "cli/process/status.h"
#include "cli/run/run.h"

#include <inttypes.h>
#include <string.h>

enum { NAMED = 6, NAME_SIZE = 72 };

static void say_jam(run_state *run, const cairn_body_id bodies[], int count)
{
    const cairn_world *world = run->scene->world;
    char text[NAMED * (NAME_SIZE + 2) + 32] = "", name[NAME_SIZE];
    size_t used = 0;
    for (int i = 0; i < count && i < NAMED; i++) {
        cairn_body_id body = bodies[i];
        cairn_body_view view;
        if (cairn_body_get(world, body, &view) == CAIRN_OK && view.name != NULL &&
            view.name[0] != '\0')
            snprintf(name, NAME_SIZE, "\"%.60s\"", view.name);
        else
            snprintf(name, NAME_SIZE, "body %" PRIu32, body.index);
        const char *between = i == 0 ? "" : i + 1 == count ? " and " : ", ";
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", between, name);
    }
    if (count > NAMED)
        snprintf(text + used, sizeof text - used, " and %d more", count - NAMED);
    cli_progress_clear(&run->progress);
    cli_warn("step %" PRId64 " at %.6g s: %s are jammed: prescribed motions leave them no velocity "
             "without overlap; from here on their reactions and the work of the drivers mean "
             "nothing",
             cairn_world_get_step_count(world), cairn_world_get_time(world), text);
}

cairn_status run_jam_step(run_state *run, cairn_error *error)
{
    cairn_world *world = run->scene->world;
    if (run->jammed || !cairn_world_may_be_jammed(world))
        return CAIRN_OK;
    // the test can cost more than the step: at the 1st, 2nd, 4th, 8th such step
    int64_t look = ++run->jam_looks;
    if ((look & (look - 1)) != 0)
        return CAIRN_OK;
    cairn_body_id bodies[NAMED];
    int count = 0;
    cairn_status status = cairn_world_find_jam(world, bodies, NAMED, &count, error);
    if (status == CAIRN_ERROR_MEMORY)
        return status;
    // what cannot be tested is no jam that is known
    run->jammed = status == CAIRN_OK && count > 0;
    if (run->jammed)
        say_jam(run, bodies, count);
    return CAIRN_OK;
}

void run_overlap_step(run_state *run)
{
    const double deep = 0.25;
    const cairn_world *world = run->scene->world;
    const cairn_step_report *report = cairn_world_get_report(world);
    bool rigid = strcmp(report->stop, "none") != 0;
    if (run->overlapped || !rigid || report->penetration_relative <= deep)
        return;
    run->overlapped = true;
    cli_progress_clear(&run->progress);
    cli_warn("step %" PRId64 " at %.6g s: rigid bodies overlap by %.2g of the smaller one's size "
             "(%.3g m at most): shorter steps keep them apart",
             cairn_world_get_step_count(world), cairn_world_get_time(world),
             report->penetration_relative, report->penetration);
}
