// SPDX-License-Identifier: Apache-2.0
// Whether bodies are small enough for a periodic cell.
#include "engine/measures/finite.h"

#include <inttypes.h>
#include <stdio.h>

cairn_status eng_cell_check_bodies(const cairn_world *world, cairn_error *error)
{
    const eng_cell *cell = &world->cell;
    for (int k = 0; k < 3 && cell->any; k++) {
        if (!cell->periodic[k])
            continue;
        // distance of the faces that this lattice vector joins
        double height = 1.0 / vec3_norm(mat3_row(&cell->inverse, k));
        for (int i = 0; i < world->body_count; i++) {
            double size = 2.0 * eng_reach_of(world, i);
            char when[32] = "";
            if (!eng_body_is_live(world, i) || !isfinite(size) || !(size > 0.5 * height))
                continue;
            if (world->step_count > 0)
                snprintf(when, sizeof when, "step %" PRId64 ": ", world->step_count + 1);
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "%s%s is %.4g m across, more than half of the "
                             "periodic cell (%.4g m along its side %c)",
                             when, eng_body_label(world, i).text, size, height, "xyz"[k]);
        }
    }
    return CAIRN_OK;
}
