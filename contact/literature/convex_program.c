// SPDX-License-Identifier: Apache-2.0
// A convex program: its arrays, velocities and error.
#include "contact/literature/convex.h"

#include "contact/cones/cone.h"
#include "contact/literature/convex_engines.h"

#include <math.h>

cairn_status con_convex_create(con_search *search, double (*r)[3], con_convex *convex)
{
    int n = search->op.contact_count;
    *convex = (con_convex){.search = search, .set = CON_SET_CONE, .r = r};
    convex->size = base_arena_array(search->arena, double, "convex program", n);
    convex->shift = base_arena_array(search->arena, double, "convex program", n);
    convex->u = con_vectors(search->arena, n);
    bool complete = convex->size != NULL && convex->shift != NULL && convex->u != NULL;
    for (int k = 0; k < 5; k++) {
        convex->work[k] = con_vectors(search->arena, n);
        complete = complete && convex->work[k] != NULL;
    }
    if (!complete)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < n; i++) {
        convex->size[i] = search->op.mu[i];
        convex->shift[i] = 0.0;
    }
    return CAIRN_OK;
}

void con_convex_velocity(const con_convex *convex, const double (*r)[3], double (*u)[3])
{
    con_operator_apply(&convex->search->op, r, true, u);
    for (int i = 0; i < convex->search->op.contact_count; i++)
        u[i][0] += convex->shift[i];
}

double con_convex_error(const con_convex *convex)
{
    int n = convex->search->op.contact_count;
    double map = 0.0, velocity = 0.0;
    for (int i = 0; i < n; i++) {
        const double *r = convex->r[i];
        double g[3], z[3];
        con_convex_mask(convex->set, convex->u[i], g);
        for (int k = 0; k < 3; k++)
            z[k] = r[k] - g[k];
        con_set_project(convex->set, convex->size[i], z, z);
        for (int k = 0; k < 3; k++) {
            map += (r[k] - z[k]) * (r[k] - z[k]);
            velocity += g[k] * g[k];
        }
    }
    const double(*q)[3] = (const double(*)[3])convex->search->op.q;
    const double(*r)[3] = (const double(*)[3])convex->r;
    double scale = fmax(con_dot(n, q, q), fmax(con_dot(n, r, r), velocity));
    return scale > 0.0 ? sqrt(map / scale) : 0.0;
}
