// SPDX-License-Identifier: Apache-2.0
// Convex hull of points as triangles, by the reentrant Qhull library.
#include "geometry/shape/hull.h"

#include <libqhull_r/libqhull_r.h>

// joggling beyond this would blur what the merging of facets must tell apart
static const double LARGEST_JOGGLE = 0.25 * GEO_HULL_TOLERANCE;

static double signed_volume(const geo_hull_points *points, const geo_hull_triangles *triangles)
{
    double volume = 0.0;
    for (int t = 0; t < triangles->count; t++) {
        const int *corner = triangles->corners[t];
        const vec3 *p = points->scaled;
        volume += vec3_dot(p[corner[0]], vec3_cross(p[corner[1]], p[corner[2]]));
    }
    return volume;
}

// copies the facets out; all are triangles because joggled input makes a simplicial hull
static cairn_status collect_facets(qhT *qh, base_arena *scratch, const geo_hull_points *points,
                                   geo_hull_triangles *out)
{
    out->corners = base_arena_allocate(scratch, "hull triangles", (size_t)qh->num_facets,
                                       sizeof *out->corners);
    if (out->corners == NULL)
        return CAIRN_ERROR_MEMORY;
    out->count = 0;
    for (facetT *facet = qh->facet_list; facet != NULL && facet->next != NULL;
         facet = facet->next) {
        if (!facet->simplicial || out->count == qh->num_facets)
            return CAIRN_ERROR_NUMERICAL;
        for (int k = 0; k < 3; k++) {
            const vertexT *vertex = facet->vertices->e[k].p;
            // the sense of a facet's vertex list is told by its toporient bit
            int slot = facet->toporient || k == 0 ? k : 3 - k;
            out->corners[out->count][slot] = qh_pointid(qh, vertex->point);
        }
        out->count++;
    }

    // turn outward
    if (!(signed_volume(points, out) >= 0.0)) {
        for (int t = 0; t < out->count; t++) {
            int swap = out->corners[t][1];
            out->corners[t][1] = out->corners[t][2];
            out->corners[t][2] = swap;
        }
    }

    return CAIRN_OK;
}

cairn_status geo_hull_triangulate(const base_allocator *allocator, base_arena *scratch,
                                  const geo_hull_points *points, geo_hull_triangles *out,
                                  cairn_error *error)
{
    _Static_assert(sizeof(vec3) == 3 * sizeof(coordT), "Qhull must be built for doubles");
    // a stream with no functions takes everything and keeps nothing
    FILE *silent = fopencookie(NULL, "w", (cookie_io_functions_t){0});
    qhT *qh = base_allocate(allocator, 1, sizeof *qh);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (silent != NULL && qh != NULL) {
        // Qhull keeps a pointer to the coordinates but does not write to them
        char command[] = "qhull QJ1e-9 Pp";
        qh_zero(qh, silent);
        int code = qh_new_qhull(qh, 3, points->count, &points->scaled[0].x, False, command, silent,
                                silent);
        status = code == qh_ERRmem ? CAIRN_ERROR_MEMORY : CAIRN_ERROR_NUMERICAL;
        if (code == qh_ERRnone && qh->JOGGLEmax <= LARGEST_JOGGLE)
            status = collect_facets(qh, scratch, points, out);
        int long_blocks, long_bytes;
        qh_freeqhull(qh, !qh_ALL);
        qh_memfreeshort(qh, &long_blocks, &long_bytes);
    }
    base_release(allocator, qh);
    if (silent != NULL)
        fclose(silent);
    if (status != CAIRN_OK)
        return base_fail(error, status, "the convex hull of %d points failed: %s", points->count,
                         cairn_status_text(status));
    return CAIRN_OK;
}
