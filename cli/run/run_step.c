// SPDX-License-Identifier: Apache-2.0
// The time step of a run against the stable step of the explicit laws, docs/laws.md section 9, and
// the step that a scene makes the last one.
#include "cli/process/status.h"
#include "cli/run/run.h"

#include <math.h>

static const char *material_of(const cairn_world *world, cairn_body_id body)
{
    cairn_body_view view;
    return cairn_body_get(world, body, &view) == CAIRN_OK
               ? cairn_material_get_name(world, view.material)
               : "";
}

int run_step_choose(const run_settings *settings, cairn_world *world)
{
    cairn_step_limit limit = cairn_world_get_stable_step(world);
    if (isinf(settings->step)) {
        cairn_error error = {0};
        if (isinf(limit.step)) {
            cli_warn("--step auto: no contact of an explicit law limits the step; it stays %.3g s",
                     cairn_world_get_def(world)->time_step);
            return CLI_EXIT_DONE;
        }
        if (cairn_world_set_time_step(world, limit.accurate, &error) != CAIRN_OK) {
            cli_complain("--step auto: %s", error.message);
            return CLI_EXIT_FAILED;
        }
        return CLI_EXIT_DONE;
    }
    if (cairn_world_get_def(world)->time_step > limit.step) {
        cli_warn(
            "the time step %.3g s exceeds the stable step %.3g s of the stiffest contacts, law %s "
            "between \"%.60s\" and \"%.60s\" (stiffness %.3g N/m on %.3g kg); --step auto takes "
            "%.3g s",
            cairn_world_get_def(world)->time_step, limit.step, limit.law,
            material_of(world, limit.a), material_of(world, limit.b), limit.stiffness, limit.mass,
            limit.accurate);
    }
    return CLI_EXIT_DONE;
}

void run_stop_note(run_state *run)
{
    const cairn_world *world = run->scene->world;
    run->stopped = run->stopped_before ? NULL : cairn_world_get_stop(world);
    if (run->stopped != NULL)
        run->target = cairn_world_get_step_count(world);
}
