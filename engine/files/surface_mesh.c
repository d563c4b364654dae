// SPDX-License-Identifier: Apache-2.0
// Surfaces of shapes as polygons.
#include "engine/files/surface_mesh.h"

#include "base/elementary.h"

#include <math.h>

enum { AROUND = 16, ARC = 4 }; // segments of a circle, and of a quarter of one

static cairn_status reserve(eng_surface_mesh *mesh, const base_allocator *allocator, int vertices,
                            int polygons, int corners)
{
    cairn_status status = base_array_reserve(allocator, &mesh->vertices, &mesh->vertex_capacity,
                                             mesh->vertex_count + vertices);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &mesh->ends, &mesh->polygon_capacity,
                                    mesh->polygon_count + polygons);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &mesh->corners, &mesh->corner_capacity,
                                    mesh->corner_count + corners);
    return status;
}

static void add_vertex(eng_surface_mesh *mesh, const pose *placement, vec3 local)
{
    mesh->vertices[mesh->vertex_count++] = pose_apply(placement, local);
}

static void add_polygon(eng_surface_mesh *mesh, int base, const int *corners, int count)
{
    for (int i = 0; i < count; i++)
        mesh->corners[mesh->corner_count++] = base + corners[i];
    mesh->ends[mesh->polygon_count++] = mesh->corner_count;
}

static cairn_status add_box(eng_surface_mesh *mesh, const base_allocator *allocator, vec3 half,
                            const pose *placement)
{
    static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    cairn_status status = reserve(mesh, allocator, 8, 6, 24);
    if (status != CAIRN_OK)
        return status;
    int base = mesh->vertex_count;
    for (int i = 0; i < 8; i++)
        add_vertex(mesh, placement,
                   vec3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                             i & 4 ? half.z : -half.z));
    for (int i = 0; i < 6; i++)
        add_polygon(mesh, base, faces[i], 4);
    return CAIRN_OK;
}

/// Surface of revolution about z from a profile of (radius, height), bottom to top, both ends
/// closed by a polygon.
static cairn_status add_revolved(eng_surface_mesh *mesh, const base_allocator *allocator,
                                 const double (*profile)[2], int rings, const pose *placement)
{
    cairn_status status = reserve(mesh, allocator, rings * AROUND, (rings - 1) * AROUND + 2,
                                  4 * (rings - 1) * AROUND + 2 * AROUND);
    if (status != CAIRN_OK)
        return status;
    int base = mesh->vertex_count;
    for (int r = 0; r < rings; r++)
        for (int i = 0; i < AROUND; i++) {
            double angle = 2.0 * M_PI * i / AROUND;
            add_vertex(mesh, placement,
                       vec3_make(profile[r][0] * base_cos(angle), profile[r][0] * base_sin(angle),
                                 profile[r][1]));
        }
    for (int r = 0; r + 1 < rings; r++)
        for (int i = 0; i < AROUND; i++) {
            int next = (i + 1) % AROUND, low = r * AROUND, high = low + AROUND;
            add_polygon(mesh, base, (int[]){low + i, low + next, high + next, high + i}, 4);
        }
    int bottom[AROUND], top[AROUND];
    for (int i = 0; i < AROUND; i++) {
        bottom[i] = AROUND - 1 - i;
        top[i] = (rings - 1) * AROUND + i;
    }
    add_polygon(mesh, base, bottom, AROUND);
    add_polygon(mesh, base, top, AROUND);
    return CAIRN_OK;
}

/// Sphere (half_length 0) or capsule.
static cairn_status add_round(eng_surface_mesh *mesh, const base_allocator *allocator,
                              double radius, double half_length, const pose *placement)
{
    double profile[2 * ARC + 2][2];
    int rings = 0;
    for (int side = -1; side <= 1; side += 2)
        for (int i = 0; i <= ARC; i++) {
            // the pole itself is a small ring, so that every polygon has four corners
            double angle = 0.5 * M_PI * (side < 0 ? i - ARC : i) / ARC;
            angle = fmax(fmin(angle, 1.5), -1.5);
            profile[rings][0] = radius * base_cos(angle);
            profile[rings][1] = radius * base_sin(angle) + side * half_length;
            rings++;
        }
    return add_revolved(mesh, allocator, (const double(*)[2])profile, rings, placement);
}

static cairn_status add_polyhedron(eng_surface_mesh *mesh, const base_allocator *allocator,
                                   const geo_polyhedron *p, const pose *placement)
{
    int corners = p->face_start[p->face_count];
    cairn_status status = reserve(mesh, allocator, p->vertex_count, p->face_count, corners);
    if (status != CAIRN_OK)
        return status;
    int base = mesh->vertex_count;
    for (int i = 0; i < p->vertex_count; i++)
        add_vertex(mesh, placement, p->vertices[i]);
    for (int f = 0; f < p->face_count; f++)
        add_polygon(mesh, base, p->face_vertices + p->face_start[f],
                    p->face_start[f + 1] - p->face_start[f]);
    return CAIRN_OK;
}

static cairn_status add_triangles(eng_surface_mesh *mesh, const base_allocator *allocator,
                                  const geo_mesh *m, const pose *placement)
{
    cairn_status status =
        reserve(mesh, allocator, m->vertex_count, m->triangle_count, 3 * m->triangle_count);
    if (status != CAIRN_OK)
        return status;
    int base = mesh->vertex_count;
    for (int i = 0; i < m->vertex_count; i++)
        add_vertex(mesh, placement, m->vertices[i]);
    for (int t = 0; t < m->triangle_count; t++)
        add_polygon(mesh, base, m->triangles[t], 3);
    return CAIRN_OK;
}

static cairn_status add_square(eng_surface_mesh *mesh, const base_allocator *allocator,
                               double extent, const pose *placement)
{
    cairn_status status = reserve(mesh, allocator, 4, 1, 4);
    if (status != CAIRN_OK)
        return status;
    int base = mesh->vertex_count;
    for (int i = 0; i < 4; i++)
        add_vertex(mesh, placement,
                   vec3_make(i == 1 || i == 2 ? extent : -extent, i >= 2 ? extent : -extent, 0.0));
    add_polygon(mesh, base, (int[]){0, 1, 2, 3}, 4);
    return CAIRN_OK;
}

static cairn_status add_cylinder(eng_surface_mesh *mesh, const base_allocator *allocator,
                                 const geo_cylinder *cylinder, const pose *placement)
{
    const double profile[2][2] = {{cylinder->radius, -cylinder->half_length},
                                  {cylinder->radius, cylinder->half_length}};
    return add_revolved(mesh, allocator, profile, 2, placement);
}

cairn_status eng_surface_mesh_add(eng_surface_mesh *mesh, const base_allocator *allocator,
                                  const geo_shape *shape, const pose *placement, double extent)
{
    switch (shape->kind) {
    case GEO_SPHERE:
        return add_round(mesh, allocator, shape->sphere.radius, 0.0, placement);
    case GEO_CAPSULE:
        return add_round(mesh, allocator, shape->capsule.radius, shape->capsule.half_length,
                         placement);
    case GEO_BOX:
        return add_box(mesh, allocator, shape->box.half, placement);
    case GEO_CYLINDER:
        return add_cylinder(mesh, allocator, &shape->cylinder, placement);
    case GEO_POLYHEDRON:
        return add_polyhedron(mesh, allocator, &shape->polyhedron, placement);
    case GEO_MESH:
        return add_triangles(mesh, allocator, &shape->mesh, placement);
    case GEO_HALFSPACE:
        return add_square(mesh, allocator, extent, placement);
    case GEO_COMPOUND:
        for (int i = 0; i < shape->compound.member_count; i++) {
            pose member = pose_compose(placement, &shape->compound.placements[i]);
            cairn_status status =
                eng_surface_mesh_add(mesh, allocator, shape->compound.members[i], &member, extent);
            if (status != CAIRN_OK)
                return status;
        }
        return CAIRN_OK;
    case GEO_KIND_COUNT:
        break;
    }
    return CAIRN_OK;
}

void eng_surface_mesh_release(eng_surface_mesh *mesh, const base_allocator *allocator)
{
    base_release(allocator, mesh->vertices);
    base_release(allocator, mesh->ends);
    base_release(allocator, mesh->corners);
    *mesh = (eng_surface_mesh){0};
}
