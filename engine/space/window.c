// SPDX-License-Identifier: Apache-2.0
// Images of points in a periodic cell that lie in a box, wherever that is.
#include "engine/space/space.h"

#include <limits.h>

eng_window eng_window_make(const eng_cell *cell, const mat3 *lattice, geo_bounds box)
{
    eng_window window = {.lattice = *lattice};
    if (!cell->any)
        return window;
    window.inverse = mat3_inverse(lattice);
    for (int k = 0; k < 3; k++) {
        window.repeats[k] = cell->periodic[k];
        window.low[k] = INFINITY;
        window.high[k] = -INFINITY;
        window.slant[k] = vec3_norm(mat3_row(&window.inverse, k));
    }
    for (int corner = 0; corner < 8; corner++) {
        vec3 at = {corner & 1 ? box.high.x : box.low.x, corner & 2 ? box.high.y : box.low.y,
                   corner & 4 ? box.high.z : box.low.z};
        vec3 part = mat3_apply(&window.inverse, at);
        for (int k = 0; k < 3; k++) {
            window.low[k] = fmin(window.low[k], vec3_get(part, k));
            window.high[k] = fmax(window.high[k], vec3_get(part, k));
        }
    }
    return window;
}

cairn_status eng_window_check(const eng_window *window, double distance, const char *what,
                              cairn_error *error)
{
    static const double most = 1e6;
    double images = 1.0;
    for (int k = 0; k < 3; k++)
        if (window->repeats[k])
            images *= 1.0 + window->high[k] - window->low[k] + 2.0 * distance * window->slant[k];
    if (images <= most)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_ARGUMENT,
                     "%s holds the periodic cell %.3g times over, more than %g times: let it be no "
                     "larger than the cell",
                     what, images, most);
}

static int whole(double count)
{
    static const double most = INT_MAX - 1;
    return (int)fmin(fmax(count, -most), most);
}

void eng_window_images(const eng_window *window, vec3 place, double distance, int from[3],
                       int to[3])
{
    static const double farthest = 1 << 30;
    vec3 part = mat3_apply(&window->inverse, place);
    for (int k = 0; k < 3; k++) {
        double margin = distance * window->slant[k] + 1e-9, at = vec3_get(part, k);
        // farther away than bodies may be there is nothing to be found
        at = fmin(fmax(at, -farthest), farthest);
        from[k] = window->repeats[k] ? whole(ceil(window->low[k] - margin - at)) : 0;
        to[k] = window->repeats[k] ? whole(floor(window->high[k] + margin - at)) : 0;
    }
}
