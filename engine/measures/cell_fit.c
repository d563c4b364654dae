// SPDX-License-Identifier: Apache-2.0
// Whether bodies are small enough for a periodic cell, and near enough to it.
#include "engine/bodies/body_state.h"
#include "engine/measures/finite.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include <inttypes.h>
#include <stdio.h>

// cells between a body and the one at the origin; farther away its place in the cell loses digits
static const double cells_most = 1 << 24;

/// Whether all bodies are in one of the copies of the cell that can be told apart.
static cairn_status check_places(const cairn_world *world, cairn_error *error)
{
    const eng_cell *cell = &world->state.cell;
    for (int i = 0; i < world->model.bodies.count && cell->any; i++) {
        // bodies without bounds do not lie in a copy
        if (!eng_body_is_live(world, i) || !isfinite(eng_reach_of(world, i)))
            continue;
        vec3 way = vec3_sub(eng_state_of(world, i).q.position, cell->low);
        vec3 part = mat3_apply(&cell->inverse, way);
        for (int k = 0; k < 3; k++)
            if (cell->periodic[k] && fabs(vec3_get(part, k)) > cells_most)
                return base_fail(error, CAIRN_ERROR_ARGUMENT,
                                 "step %" PRId64 ": %s is %.4g cells away along the side %c of the "
                                 "periodic cell, more than the %.0f up to which its place in the "
                                 "cell is known",
                                 world->state.clock.step_count, eng_body_label(world, i).text,
                                 fabs(vec3_get(part, k)), "xyz"[k], cells_most);
    }
    return CAIRN_OK;
}

cairn_status eng_cell_check_bodies(const cairn_world *world, cairn_error *error)
{
    const eng_cell *cell = &world->state.cell;
    BASE_TRY(check_places(world, error));
    for (int k = 0; k < 3 && cell->any; k++) {
        if (!cell->periodic[k])
            continue;
        // distance of the faces that this lattice vector joins
        double height = 1.0 / vec3_norm(mat3_row(&cell->inverse, k));
        for (int i = 0; i < world->model.bodies.count; i++) {
            double size = 2.0 * eng_reach_of(world, i);
            char when[32] = "";
            if (!eng_body_is_live(world, i) || !isfinite(size) || !(size > 0.5 * height))
                continue;
            if (world->state.clock.step_count > 0)
                snprintf(when, sizeof when, "step %" PRId64 ": ",
                         world->state.clock.step_count + 1);
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "%s%s is %.4g m across, more than half of the "
                             "periodic cell (%.4g m along its side %c): lengthen the cell, or "
                             "put smaller bodies or a plane in its place",
                             when, eng_body_label(world, i).text, size, height, "xyz"[k]);
        }
    }
    return CAIRN_OK;
}
