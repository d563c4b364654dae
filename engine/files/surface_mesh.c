// SPDX-License-Identifier: Apache-2.0
// Surfaces of shapes as polygons.
#include "engine/files/surface_mesh.h"

#include "geometry/shape/rounded.h"
#include "geometry/shape/surface.h"

static cairn_status reserve(eng_surface_mesh *mesh, const base_allocator *allocator, int vertices,
                            int polygons, int corners)
{
    BASE_TRY(base_array_reserve(allocator, &mesh->vertices, &mesh->vertex_capacity,
                                mesh->vertex_count + vertices));
    BASE_TRY(base_array_reserve(allocator, &mesh->ends, &mesh->polygon_capacity,
                                mesh->polygon_count + polygons));
    return base_array_reserve(allocator, &mesh->corners, &mesh->corner_capacity,
                              mesh->corner_count + corners);
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

static cairn_status add_plain(eng_surface_mesh *mesh, const base_allocator *allocator,
                              const geo_shape *shape, const pose *placement)
{
    geo_surface surface;
    geo_plain_surface(shape, &surface);
    BASE_TRY(reserve(mesh, allocator, surface.vertex_count, surface.polygon_count,
                     surface.corner_count));
    int base = mesh->vertex_count, first = 0;
    for (int i = 0; i < surface.vertex_count; i++)
        add_vertex(mesh, placement, surface.vertices[i]);
    for (int i = 0; i < surface.polygon_count; first = surface.ends[i++])
        add_polygon(mesh, base, surface.corners + first, surface.ends[i] - first);
    return CAIRN_OK;
}

static cairn_status add_polyhedron(eng_surface_mesh *mesh, const base_allocator *allocator,
                                   const geo_polyhedron *p, const pose *placement)
{
    int corners = p->face_start[p->face_count];
    BASE_TRY(reserve(mesh, allocator, p->vertex_count, p->face_count, corners));
    int base = mesh->vertex_count;
    for (int i = 0; i < p->vertex_count; i++)
        add_vertex(mesh, placement, p->vertices[i]);
    for (int f = 0; f < p->face_count; f++)
        add_polygon(mesh, base, p->face_vertices + p->face_start[f],
                    p->face_start[f + 1] - p->face_start[f]);
    return CAIRN_OK;
}

static cairn_status add_rounded(eng_surface_mesh *mesh, const base_allocator *allocator,
                                const geo_shape *shape, const pose *placement)
{
    geo_rounded_surface surface;
    cairn_status status = geo_rounded_surface_make(allocator, shape, &surface);
    if (status == CAIRN_OK)
        status = reserve(mesh, allocator, surface.point_count, surface.triangle_count,
                         3 * surface.triangle_count);
    int base = mesh->vertex_count;
    for (int i = 0; i < surface.point_count && status == CAIRN_OK; i++)
        add_vertex(mesh, placement, surface.points[i]);
    for (int i = 0; i < surface.triangle_count && status == CAIRN_OK; i++)
        add_polygon(mesh, base, surface.triangles[i], 3);
    geo_rounded_surface_release(allocator, &surface);
    return status;
}

static cairn_status add_triangles(eng_surface_mesh *mesh, const base_allocator *allocator,
                                  const geo_mesh *m, const pose *placement)
{
    BASE_TRY(reserve(mesh, allocator, m->vertex_count, m->triangle_count, 3 * m->triangle_count));
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
    BASE_TRY(reserve(mesh, allocator, 4, 1, 4));
    int base = mesh->vertex_count;
    for (int i = 0; i < 4; i++)
        add_vertex(mesh, placement,
                   vec3_make(i == 1 || i == 2 ? extent : -extent, i >= 2 ? extent : -extent, 0.0));
    add_polygon(mesh, base, (int[]){0, 1, 2, 3}, 4);
    return CAIRN_OK;
}

cairn_status eng_surface_mesh_add(eng_surface_mesh *mesh, const base_allocator *allocator,
                                  const geo_shape *shape, const pose *placement, double extent)
{
    if (geo_shape_rounding(shape) > 0.0)
        return add_rounded(mesh, allocator, shape, placement);
    if (shape->kind == GEO_POLYHEDRON)
        return add_polyhedron(mesh, allocator, &shape->polyhedron, placement);
    if (shape->kind == GEO_MESH)
        return add_triangles(mesh, allocator, &shape->mesh, placement);
    if (shape->kind == GEO_HALFSPACE)
        return add_square(mesh, allocator, extent, placement);
    if (shape->kind != GEO_COMPOUND)
        return add_plain(mesh, allocator, shape, placement);
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < shape->compound.member_count && status == CAIRN_OK; i++) {
        pose member = pose_compose(placement, &shape->compound.placements[i]);
        status = eng_surface_mesh_add(mesh, allocator, shape->compound.members[i], &member, extent);
    }
    return status;
}

void eng_surface_mesh_release(eng_surface_mesh *mesh, const base_allocator *allocator)
{
    base_release(allocator, mesh->vertices);
    base_release(allocator, mesh->ends);
    base_release(allocator, mesh->corners);
    *mesh = (eng_surface_mesh){0};
}
