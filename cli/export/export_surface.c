// SPDX-License-Identifier: Apache-2.0
// Triangles of the surfaces of unit size, for files whose readers know no balls.
#include "cli/export/export.h"

#include "base/assert.h"

#include <math.h>

enum { AROUND = 32, RINGS = 16 };

/// A ring of a surface of revolution about z: where it is, and which way its normals point.
typedef struct ring {
    double radius, height;
    double out, up; // of the normal
} ring;

static cairn_status make_room(const base_allocator *allocator, export_mesh *mesh, int points,
                              int triangles)
{
    mesh->point_count = points;
    mesh->triangle_count = triangles;
    mesh->points = base_allocate(allocator, (size_t)points, sizeof *mesh->points);
    mesh->normals = base_allocate(allocator, (size_t)points, sizeof *mesh->normals);
    mesh->triangles = base_allocate(allocator, (size_t)triangles, sizeof *mesh->triangles);
    bool good = mesh->points != NULL && mesh->normals != NULL && mesh->triangles != NULL;
    return good ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static void set_triangle(export_mesh *mesh, int index, int a, int b, int c)
{
    mesh->triangles[index][0] = (uint32_t)a;
    mesh->triangles[index][1] = (uint32_t)b;
    mesh->triangles[index][2] = (uint32_t)c;
}

/// Rings from below to above; two at one place are an edge, between which there is nothing.
static cairn_status revolve(const base_allocator *allocator, export_mesh *mesh, const ring *rings,
                            int count)
{
    int bands = 0, made = 0;
    for (int k = 0; k + 1 < count; k++)
        bands += rings[k].radius != rings[k + 1].radius || rings[k].height != rings[k + 1].height;
    if (make_room(allocator, mesh, count * (AROUND + 1), 2 * AROUND * bands) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int k = 0; k < count; k++)
        for (int i = 0; i <= AROUND; i++) {
            double angle = 2.0 * M_PI * (i % AROUND) / AROUND, c = cos(angle), s = sin(angle);
            float *point = mesh->points[k * (AROUND + 1) + i];
            float *normal = mesh->normals[k * (AROUND + 1) + i];
            point[0] = (float)(rings[k].radius * c);
            point[1] = (float)(rings[k].radius * s);
            point[2] = (float)rings[k].height;
            normal[0] = (float)(rings[k].out * c);
            normal[1] = (float)(rings[k].out * s);
            normal[2] = (float)rings[k].up;
        }
    for (int k = 0; k + 1 < count; k++) {
        if (rings[k].radius == rings[k + 1].radius && rings[k].height == rings[k + 1].height)
            continue;
        for (int i = 0; i < AROUND; i++, made += 2) {
            int low = k * (AROUND + 1) + i, high = low + AROUND + 1;
            set_triangle(mesh, made, low, low + 1, high + 1);
            set_triangle(mesh, made + 1, low, high + 1, high);
        }
    }
    return CAIRN_OK;
}

/// A ball from an angle above the horizon to its top.
static cairn_status fill_ball(const base_allocator *allocator, export_mesh *mesh, double from,
                              int bands)
{
    ring rings[RINGS + 1];
    for (int k = 0; k <= bands; k++) {
        double above = from + (0.5 * M_PI - from) * k / bands, c = k == bands ? 0.0 : cos(above);
        c = k == 0 && from < 0.0 ? 0.0 : c;
        rings[k] = (ring){c, sin(above), c, sin(above)};
    }
    return revolve(allocator, mesh, rings, bands + 1);
}

static cairn_status fill_tube(const base_allocator *allocator, export_mesh *mesh, bool ends)
{
    static const ring rings[] = {
        {0.0, -1.0, 0.0, -1.0}, {1.0, -1.0, 0.0, -1.0}, {1.0, -1.0, 1.0, 0.0},
        {1.0, 1.0, 1.0, 0.0},   {1.0, 1.0, 0.0, 1.0},   {0.0, 1.0, 0.0, 1.0},
    };
    return revolve(allocator, mesh, ends ? rings : rings + 2, ends ? BASE_COUNT(rings) : 2);
}

/// One side: a square whose normal is an axis, or points against it.
static void fill_side(export_mesh *mesh, int side, int axis, double sign, double distance)
{
    static const double corners[4][2] = {{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}};
    for (int i = 0; i < 4; i++) {
        float *point = mesh->points[4 * side + i], *normal = mesh->normals[4 * side + i];
        point[axis] = (float)(sign * distance);
        point[(axis + 1) % 3] = (float)corners[i][0];
        point[(axis + 2) % 3] = (float)(sign * corners[i][1]);
        normal[axis] = (float)sign;
    }
    set_triangle(mesh, 2 * side, 4 * side, 4 * side + 1, 4 * side + 2);
    set_triangle(mesh, 2 * side + 1, 4 * side, 4 * side + 2, 4 * side + 3);
}

static cairn_status fill_box(const base_allocator *allocator, export_mesh *mesh)
{
    if (make_room(allocator, mesh, 24, 12) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int side = 0; side < 6; side++)
        fill_side(mesh, side, side / 2, side % 2 == 0 ? -1.0 : 1.0, 1.0);
    return CAIRN_OK;
}

static cairn_status fill_plane(const base_allocator *allocator, export_mesh *mesh)
{
    if (make_room(allocator, mesh, 4, 2) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    fill_side(mesh, 0, 2, 1.0, 0.0);
    return CAIRN_OK;
}

cairn_status export_mesh_fill(const base_allocator *allocator, export_mesh *mesh)
{
    switch (mesh->surface) {
    case EXPORT_SPHERE:
        return fill_ball(allocator, mesh, -0.5 * M_PI, RINGS);
    case EXPORT_DOME:
        return fill_ball(allocator, mesh, 0.0, RINGS / 2);
    case EXPORT_TUBE:
        return fill_tube(allocator, mesh, false);
    case EXPORT_CYLINDER:
        return fill_tube(allocator, mesh, true);
    case EXPORT_BOX:
        return fill_box(allocator, mesh);
    case EXPORT_PLANE:
        return fill_plane(allocator, mesh);
    case EXPORT_MESH:
    case EXPORT_SURFACE_COUNT:
        break;
    }
    return CAIRN_OK;
}
