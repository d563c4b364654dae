// SPDX-License-Identifier: Apache-2.0
// Checks the points of a hull, scales them to size one and joins those that are too close.
#include "geometry/shape/hull.h"

#include <stdlib.h>

// thinner than this, relative to the size, counts as flat
static const double FLAT = 1e-6;

static cairn_status fit_box(const vec3 *points, int count, geo_hull_points *out, cairn_error *error)
{
    if (count < 4)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a polyhedron of %d points needs at least 4",
                         count);
    vec3 low = points[0], high = points[0];
    for (int i = 0; i < count; i++) {
        if (!vec3_is_finite(points[i]))
            return base_fail(error, CAIRN_ERROR_ARGUMENT, "point %d (%g, %g, %g) must be finite", i,
                             points[i].x, points[i].y, points[i].z);
        low = vec3_min(low, points[i]);
        high = vec3_max(high, points[i]);
    }
    vec3 extent = vec3_sub(high, low);
    out->centre = vec3_add_scaled(low, 0.5, extent);
    out->size = fmax(extent.x, fmax(extent.y, extent.z));
    if (!(out->size > 0.0) || !isfinite(out->size))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the %d points of a polyhedron span %g m: this must be positive and "
                         "finite",
                         count, out->size);
    return CAIRN_OK;
}

typedef struct weld_entry {
    double along; // position along a direction that no regular arrangement shares
    int index;
} weld_entry;

static int compare_entries(const void *left, const void *right)
{
    const weld_entry *a = left, *b = right;
    if (a->along != b->along)
        return a->along < b->along ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static double distance_to_line(vec3 p, vec3 a, vec3 unit)
{
    return vec3_norm(vec3_cross(vec3_sub(p, a), unit));
}

// lower bound of the extent across the thinnest direction, up to a small factor
static double thickness(const geo_hull_points *points)
{
    const vec3 *p = points->scaled;
    int far = 0, wide = 0;
    for (int i = 1; i < points->count; i++)
        if (vec3_distance(p[i], p[0]) > vec3_distance(p[far], p[0]))
            far = i;
    vec3 axis = vec3_normalize_or(vec3_sub(p[far], p[0]), (vec3){0.0, 0.0, 0.0});
    for (int i = 1; i < points->count; i++)
        if (distance_to_line(p[i], p[0], axis) > distance_to_line(p[wide], p[0], axis))
            wide = i;
    if (distance_to_line(p[wide], p[0], axis) < FLAT)
        return 0.0;
    vec3 across = vec3_cross(axis, vec3_sub(p[wide], p[0]));
    vec3 normal = vec3_normalize_or(across, (vec3){0.0, 0.0, 0.0});
    double low = 0.0, high = 0.0;
    for (int i = 1; i < points->count; i++) {
        double height = vec3_dot(normal, vec3_sub(p[i], p[0]));
        low = fmin(low, height);
        high = fmax(high, height);
    }
    return high - low;
}

cairn_status geo_hull_points_prepare(base_arena *scratch, const vec3 *points, int count,
                                     geo_hull_points *out, cairn_error *error)
{
    *out = (geo_hull_points){0};
    BASE_TRY(fit_box(points, count, out, error));
    out->scaled = base_arena_array(scratch, vec3, "hull points", count);
    out->origin = base_arena_array(scratch, int, "hull origin", count);
    weld_entry *entries = base_arena_array(scratch, weld_entry, "hull weld", count);
    bool *kept = base_arena_array(scratch, bool, "hull kept", count);
    if (out->scaled == NULL || out->origin == NULL || entries == NULL || kept == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for the points of a polyhedron");
    for (int i = 0; i < count; i++) {
        vec3 p = vec3_sub(points[i], out->centre);
        out->scaled[i] = (vec3){p.x / out->size, p.y / out->size, p.z / out->size};
        entries[i] =
            (weld_entry){vec3_dot((vec3){0.53772135, 0.68714291, 0.48861417}, out->scaled[i]), i};
    }
    qsort(entries, (size_t)count, sizeof *entries, compare_entries);

    // keeps the first point of each group; `kept` tells which
    const vec3 *scaled = out->scaled;
    for (int i = 0; i < count; i++)
        kept[i] = true;
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            if (entries[j].along - entries[i].along > GEO_HULL_TOLERANCE)
                break;
            int a = entries[i].index, b = entries[j].index;
            if (vec3_distance(scaled[a], scaled[b]) <= GEO_HULL_TOLERANCE)
                kept[a > b ? a : b] = false;
        }

    for (int i = 0; i < count; i++)
        if (kept[i]) {
            out->scaled[out->count] = out->scaled[i];
            out->origin[out->count++] = i;
        }
    double thin = thickness(out);
    if (out->count < 4 || thin < FLAT)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the %d points of a polyhedron are flat: a thickness of %g m must be at "
                         "least %g of their extent %g m",
                         count, thin * out->size, FLAT, out->size);
    return CAIRN_OK;
}
