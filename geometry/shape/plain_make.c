// SPDX-License-Identifier: Apache-2.0
// Maker of plain shapes.
#include "geometry/shape/plain.h"
#include "geometry/shape/shape_internal.h"

#include <string.h>

/// Names of the sizes of a kind, in their order; returns their number.
static int name_sizes(geo_kind kind, const char *names[GEO_SIZES_MAX])
{
    static const struct {
        cairn_shape_size size;
        int count;
        const char *names[GEO_SIZES_MAX];
    } table[] = {
        {CAIRN_SHAPE_RADIUS, 1, {"radius"}},
        {CAIRN_SHAPE_HALF_LENGTH, 1, {"half_length"}},
        {CAIRN_SHAPE_HALF_SIZE, 3, {"half.x", "half.y", "half.z"}},
        {CAIRN_SHAPE_ROUNDING, 1, {"rounding"}},
    };
    int count = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int k = 0; k < table[i].count && (geo_plain_masks[kind] & (int)table[i].size); k++)
            names[count++] = table[i].names[k];
    return count;
}

int geo_plain_size_count(geo_kind kind)
{
    const char *names[GEO_SIZES_MAX];
    return kind < GEO_POLYHEDRON ? name_sizes(kind, names) : -1;
}

/// A core must be left of a box.
static cairn_status check_rounding(const double *sizes, cairn_error *error)
{
    double least = fmin(sizes[0], fmin(sizes[1], sizes[2])), rounding = sizes[3];
    if (rounding >= 0.0 && rounding < least)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_ARGUMENT,
                     "rounding = %g must be at least 0 and less than half of the smallest side, %g "
                     "(m)",
                     rounding, least);
}

static cairn_status check_sizes(geo_kind kind, const double *sizes, cairn_error *error)
{
    const char *names[GEO_SIZES_MAX];
    int positive = name_sizes(kind, names) - (geo_plain_masks[kind] & CAIRN_SHAPE_ROUNDING ? 1 : 0);
    for (int i = 0; i < positive; i++)
        if (!(isfinite(sizes[i]) && sizes[i] > 0.0))
            return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s = %g must be positive and finite (m)",
                             names[i], sizes[i]);
    return kind == GEO_BOX ? check_rounding(sizes, error) : CAIRN_OK;
}

static void fill_sphere(geo_shape *shape, double radius)
{
    shape->kind = GEO_SPHERE;
    shape->uses = 0;
    shape->sphere.radius = radius;
    shape->smallest_size = geo_plain_sphere.thickness(&radius);
}

cairn_status geo_sphere_init(geo_shape *shape, double radius, cairn_error *error)
{
    BASE_TRY(check_sizes(GEO_SPHERE, &radius, error));
    fill_sphere(shape, radius);
    return geo_shape_check_mass(shape, error);
}

cairn_status geo_plain_create(const base_allocator *allocator, geo_kind kind, const double *sizes,
                              geo_shape **shape, cairn_error *error)
{
    *shape = NULL;
    BASE_TRY(check_sizes(kind, sizes, error));
    geo_shape *made = geo_shape_allocate(allocator, kind);
    if (made == NULL)
        return geo_fail_memory(error);
    int count = geo_plain_size_count(kind);
    if (kind == GEO_SPHERE) {
        fill_sphere(made, sizes[0]);
    } else {
        if (count > 0)
            memcpy(made->sizes, sizes, (size_t)count * sizeof *sizes);
        made->bounding_radius = geo_plain_kinds[kind]->reach(sizes);
        made->smallest_size = geo_plain_kinds[kind]->thickness(sizes);
    }
    return geo_shape_finish(made, shape, error);
}
