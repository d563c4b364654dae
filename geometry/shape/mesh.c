// SPDX-License-Identifier: Apache-2.0
// Maker of triangulated surfaces: checks, adjacency, hierarchy, and mass where closed.
#include "base/assert.h"
#include "geometry/mesh/bvh.h"
#include "geometry/mesh/faces.h"
#include "geometry/mesh/shells.h"
#include "geometry/mesh/vertices.h"
#include "geometry/shape/shape_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static cairn_status check_counts(int vertex_count, int triangle_count, cairn_error *error)
{
    if (vertex_count >= 3 && triangle_count >= 1 && triangle_count <= INT_MAX / 3)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_ARGUMENT,
                     "a mesh of %d vertices and %d triangles needs at least 3 vertices and 1 to %d "
                     "triangles",
                     vertex_count, triangle_count, INT_MAX / 3);
}

static cairn_status check_triangle(const vec3 *vertices, int vertex_count, const int triangle[3],
                                   int number, cairn_error *error)
{
    for (int k = 0; k < 3; k++)
        if (triangle[k] < 0 || triangle[k] >= vertex_count)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "triangle %d of a mesh names vertex %d of %d (all counted from 1)",
                             number, triangle[k] + 1, vertex_count);
    if (!geo_has_area(vertices[triangle[0]], vertices[triangle[1]], vertices[triangle[2]]))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "triangle %d of a mesh (vertices %d %d %d, all counted from 1) is "
                         "degenerate: it has no area",
                         number, triangle[0] + 1, triangle[1] + 1, triangle[2] + 1);
    return CAIRN_OK;
}

static cairn_status fill_adjacency(geo_shape *shape)
{
    geo_mesh *mesh = &shape->mesh;
    int count = 0;
    geo_edge_use *uses =
        base_allocate(geo_shape_allocator(shape), 3 * (size_t)mesh->triangle_count, sizeof *uses);
    if (uses == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            mesh->adjacent[t][k] = -1;
            uses[count++] =
                geo_edge_use_make(mesh->triangles[t][k], mesh->triangles[t][(k + 1) % 3], t, k);
        }
    geo_edge_uses_sort(uses, count);
    for (int i = 0, run = 0; i < count; i += run) {
        run = geo_edge_uses_run(uses, count, i);
        const geo_edge_use *a = &uses[i], *b = &uses[i + run - 1];
        // an edge of three or more triangles is a border of each
        if (run != 2)
            continue;
        mesh->adjacent[a->owner][a->slot] = b->owner;
        mesh->adjacent[b->owner][b->slot] = a->owner;
    }
    base_release(geo_shape_allocator(shape), uses);
    return CAIRN_OK;
}

static cairn_status fill_faces(geo_shape *shape)
{
    geo_mesh *mesh = &shape->mesh;
    geo_triangles surface = {mesh->vertex_count, mesh->triangle_count, mesh->vertices,
                             (const int(*)[3])mesh->triangles, (const int(*)[3])mesh->adjacent};
    return geo_faces_find(&surface, geo_shape_allocator(shape), mesh->faces, mesh->inner_vertices);
}

static geo_moments surface_moments(const geo_mesh *mesh)
{
    geo_moments moments = geo_moments_start(mesh->vertices, mesh->vertex_count);
    for (int t = 0; t < mesh->triangle_count; t++) {
        const int *corner = mesh->triangles[t];
        geo_moments_add_triangle(&moments, mesh->vertices[corner[0]], mesh->vertices[corner[1]],
                                 mesh->vertices[corner[2]]);
    }
    return moments;
}

// ---------------------------------------------------------------- inside and outside

/// A ray that counts how often it leaves shells, less how often it enters them.
typedef struct crossings {
    const geo_mesh *mesh;
    geo_ray ray;
    int shell;     // 0: all
    int sum;       // of the shell, or of all
    int *of_shell; // [shell count + 1] NULL, or of each
    bool grazes;   // it meets a side or corner of a triangle, which tells nothing
} crossings;

// Volumes of the ray with the sides of a triangle: of one sign where it passes between them. Two
// triangles see the same number at a common side, with opposite signs.
static double cross_triangle(void *context, int index)
{
    crossings *c = context;
    int shell = c->mesh->shells[index];
    if (shell == 0 || (c->shell != 0 && abs(shell) != c->shell))
        return INFINITY;
    vec3 d = c->ray.direction, from[3];
    for (int i = 0; i < 3; i++)
        from[i] = vec3_sub(c->mesh->vertices[c->mesh->triangles[index][i]], c->ray.origin);
    double u = vec3_dot(d, vec3_cross(from[1], from[2]));
    double v = vec3_dot(d, vec3_cross(from[2], from[0]));
    double w = vec3_dot(d, vec3_cross(from[0], from[1]));
    bool leaves = u >= 0.0 && v >= 0.0 && w >= 0.0, enters = u <= 0.0 && v <= 0.0 && w <= 0.0;
    if (leaves == enters)
        return INFINITY;
    double along = u * vec3_dot(from[0], d) + v * vec3_dot(from[1], d) + w * vec3_dot(from[2], d);
    if ((leaves ? along : -along) < 0.0)
        return INFINITY;
    c->grazes = c->grazes || u == 0.0 || v == 0.0 || w == 0.0;
    c->sum += leaves ? 1 : -1;
    if (c->of_shell != NULL)
        c->of_shell[abs(shell)] += leaves ? 1 : -1;
    return INFINITY;
}

static int count_crossings(const geo_mesh *mesh, int shell, vec3 point, int *of_shell, int shells)
{
    // of no symmetry that a drawing is likely to have; a ray that grazes is tried anew
    static const vec3 directions[] = {
        {0.8017837257372732, 0.26726124191242440, 0.5345224838248488},
        {-0.2491364395612199, 0.9134982783911397, 0.3217178940173052},
        {0.1360827634879543, -0.4767312946227962, 0.8684461160489271}};
    crossings c = {.mesh = mesh, .shell = shell, .of_shell = of_shell, .grazes = true};
    for (int i = 0; i < BASE_COUNT(directions) && c.grazes; i++) {
        c.ray = (geo_ray){point, directions[i], INFINITY};
        c.sum = 0;
        c.grazes = false;
        if (of_shell != NULL)
            memset(of_shell, 0, (size_t)(shells + 1) * sizeof *of_shell);
        geo_bvh_cast(mesh->bvh, c.ray, cross_triangle, &c);
    }
    return c.sum;
}

int geo_mesh_winding(const geo_mesh *mesh, int shell, vec3 point)
{
    return count_crossings(mesh, shell, point, NULL, 0);
}

geo_mass geo_mesh_sheet(const geo_mesh *mesh)
{
    geo_mass sheet = {0};
    vec3 first = {0.0, 0.0, 0.0};
    mat3 second = {0};
    for (int t = 0; t < mesh->triangle_count; t++) {
        // from the first corner, so that nothing is lost far from the origin
        vec3 x[4] = {0};
        for (int k = 0; k < 3; k++) {
            x[k] = vec3_sub(mesh->vertices[mesh->triangles[t][k]], mesh->vertices[0]);
            x[3] = vec3_add(x[3], x[k]);
        }
        double area = 0.5 * vec3_norm(vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0])));
        sheet.volume += area;
        first = vec3_add_scaled(first, area / 3.0, x[3]);
        for (int k = 0; k < 4; k++) {
            mat3 product = geo_outer(x[k], vec3_scale(area / 12.0, x[k]));
            second = mat3_add(&second, &product);
        }
    }
    vec3 offset = vec3_scale(1.0 / sheet.volume, first);
    mat3 shift = geo_outer(offset, vec3_scale(-sheet.volume, offset));
    second = mat3_add(&second, &shift);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            second.m[i][j] = second.m[j][i];
    sheet.centre = vec3_add(mesh->vertices[0], offset);
    sheet.inertia = geo_inertia_from_second(&second);
    return sheet;
}

vec3 geo_triangle_nearest(const vec3 c[3])
{
    vec3 best = c[0], normal = vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0]));
    bool inside = true;
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        vec3 a = c[k], edge = vec3_sub(c[(k + 1) % 3], a);
        inside = inside && vec3_dot(vec3_cross(normal, edge), a) <= 0.0;
        double along = -vec3_dot(a, edge) / vec3_dot(edge, edge);
        vec3 p = vec3_add_scaled(a, fmin(fmax(along, 0.0), 1.0), edge);
        if (vec3_dot(p, p) < least) {
            least = vec3_dot(p, p);
            best = p;
        }
    }
    double square = vec3_dot(normal, normal);
    return inside && square > 0.0 ? vec3_scale(vec3_dot(normal, c[0]) / square, normal) : best;
}

double geo_mesh_depth(const geo_mesh *mesh, vec3 point)
{
    double least = INFINITY;
    for (int t = 0; t < mesh->triangle_count; t++) {
        vec3 c[3];
        for (int k = 0; k < 3; k++)
            c[k] = vec3_sub(mesh->vertices[mesh->triangles[t][k]], point);
        vec3 near = geo_triangle_nearest(c);
        least = fmin(least, vec3_norm_squared(near));
    }
    return (geo_mesh_winding(mesh, 0, point) > 0 ? 1.0 : -1.0) * sqrt(least);
}

bool geo_mesh_holds(const geo_mesh *mesh, vec3 point)
{
    return mesh->solid && geo_mesh_winding(mesh, 0, point) > 0;
}

/// Gives each shell one that is around its first corner.
static cairn_status find_holders(const geo_mesh *mesh, geo_shells *shells,
                                 const base_allocator *allocator)
{
    if (shells->count < 2)
        return CAIRN_OK;
    int *times = base_allocate(allocator, (size_t)shells->count + 1, sizeof *times);
    if (times == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int s = 1; s <= shells->count; s++) {
        geo_shell *shell = &shells->list[s - 1];
        vec3 corner = mesh->vertices[mesh->triangles[shell->first][0]];
        count_crossings(mesh, 0, corner, times, shells->count);
        for (int h = shells->count; h > 0; h--)
            if (h != s && times[h] != 0)
                shell->holder = h;
    }
    base_release(allocator, times);
    return CAIRN_OK;
}

/// Mass of what is inside, where all triangles are of shells.
static void fill_mass(geo_shape *shape)
{
    for (int t = 0; t < shape->mesh.triangle_count; t++)
        if (shape->mesh.shells[t] == 0)
            return;
    geo_moments moments = surface_moments(&shape->mesh);
    // shells in each other may leave nothing
    double size = 2.0 * shape->bounding_radius;
    if (moments.volume > GEO_SHELL_LEAST * size * size * size)
        shape->mesh.mass = geo_mass_from_moments(&moments);
}

/// Turns shells that no other one holds so that they run counter-clockwise seen from outside, and
/// those within with them.
static cairn_status turn_shells(geo_shape *shape)
{
    geo_mesh *mesh = &shape->mesh;
    geo_shells shells = {.vertices = mesh->vertices,
                         .triangles = mesh->triangles,
                         .adjacent = mesh->adjacent,
                         .triangle_count = mesh->triangle_count,
                         .size = 2.0 * shape->bounding_radius,
                         .of = mesh->shells};
    const base_allocator *allocator = geo_shape_allocator(shape);
    cairn_status status = geo_shells_find(&shells, allocator);
    if (status == CAIRN_OK)
        status = find_holders(mesh, &shells, allocator);
    if (status == CAIRN_OK)
        geo_shells_turn(&shells);
    base_release(allocator, shells.list);
    return status;
}

static bool build_hierarchy(geo_shape *shape)
{
    geo_mesh *mesh = &shape->mesh;
    geo_bounds *bounds =
        base_allocate(geo_shape_allocator(shape), (size_t)mesh->triangle_count, sizeof *bounds);
    if (bounds == NULL)
        return false;
    for (int t = 0; t < mesh->triangle_count; t++) {
        vec3 a = mesh->vertices[mesh->triangles[t][0]];
        bounds[t] = (geo_bounds){a, a};
        for (int k = 1; k < 3; k++) {
            vec3 p = mesh->vertices[mesh->triangles[t][k]];
            bounds[t] = geo_bounds_merge(bounds[t], (geo_bounds){p, p});
        }
    }
    mesh->bvh = geo_bvh_create(geo_shape_allocator(shape), bounds, mesh->triangle_count);
    base_release(geo_shape_allocator(shape), bounds);
    return mesh->bvh != NULL;
}

static bool copy_arrays(geo_shape *shape, const vec3 *vertices, int vertex_count,
                        const int (*triangles)[3], int triangle_count)
{
    geo_mesh *mesh = &shape->mesh;
    const base_allocator *allocator = geo_shape_allocator(shape);
    mesh->vertices = base_allocate(allocator, (size_t)vertex_count, sizeof *mesh->vertices);
    mesh->triangles = base_allocate(allocator, (size_t)triangle_count, sizeof *mesh->triangles);
    mesh->adjacent = base_allocate(allocator, (size_t)triangle_count, sizeof *mesh->adjacent);
    mesh->faces = base_allocate(allocator, (size_t)triangle_count, sizeof *mesh->faces);
    mesh->inner_vertices = base_allocate(allocator, (size_t)vertex_count, 1);
    mesh->shells = base_allocate(allocator, (size_t)triangle_count, sizeof *mesh->shells);
    if (mesh->vertices == NULL || mesh->triangles == NULL || mesh->adjacent == NULL ||
        mesh->faces == NULL || mesh->inner_vertices == NULL || mesh->shells == NULL)
        return false;
    memcpy(mesh->vertices, vertices, (size_t)vertex_count * sizeof *vertices);
    memcpy(mesh->triangles, triangles, (size_t)triangle_count * sizeof *triangles);
    mesh->vertex_count = vertex_count;
    mesh->triangle_count = triangle_count;
    return geo_vertices_keep_used(allocator, mesh->vertices, &mesh->vertex_count, mesh->triangles,
                                  triangle_count) == CAIRN_OK;
}

/// Squares of areas are numbers for vertices of 1e-50 to 1e50 m.
static cairn_status check_vertices(const vec3 *vertices, int count, cairn_error *error)
{
    const double farthest = 1e50, nearest = 1e-50;
    double reach = 0.0;
    for (int i = 0; i < count; i++) {
        double distance = vec3_norm(vertices[i]);
        if (!(distance <= farthest))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "vertex %d of a mesh (%g, %g, %g) must be finite and at most %g m "
                             "from the mesh's origin",
                             i + 1, vertices[i].x, vertices[i].y, vertices[i].z, farthest);
        reach = fmax(reach, distance);
    }
    if (reach >= nearest)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_ARGUMENT,
                     "a mesh must reach %g m from its origin at least, not %g m", nearest, reach);
}

cairn_status geo_mesh_create(const base_allocator *allocator, const vec3 *vertices,
                             int vertex_count, const int (*triangles)[3], int triangle_count,
                             geo_shape **shape, cairn_error *error)
{
    *shape = NULL;

    // check mesh
    BASE_TRY(check_counts(vertex_count, triangle_count, error));
    BASE_TRY(check_vertices(vertices, vertex_count, error));
    for (int t = 0; t < triangle_count; t++)
        BASE_TRY(check_triangle(vertices, vertex_count, triangles[t], t + 1, error));
    geo_shape *made = geo_shape_allocate(allocator, GEO_MESH);
    if (made == NULL || !copy_arrays(made, vertices, vertex_count, triangles, triangle_count)) {
        geo_shape_destroy(made);
        return geo_fail_memory(error);
    }
    made->smallest_size = INFINITY;
    for (int i = 0; i < made->mesh.vertex_count; i++)
        made->bounding_radius = fmax(made->bounding_radius, vec3_norm(made->mesh.vertices[i]));
    if (fill_adjacency(made) != CAIRN_OK || !build_hierarchy(made) ||
        turn_shells(made) != CAIRN_OK || fill_faces(made) != CAIRN_OK) {
        geo_shape_destroy(made);
        return geo_fail_memory(error);
    }
    fill_mass(made);
    return geo_shape_finish(made, shape, error);
}

cairn_status geo_mesh_fill(geo_shape *shape, cairn_error *error)
{
    geo_mesh *mesh = &shape->mesh;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            if (mesh->adjacent[t][k] >= 0)
                continue;
            vec3 from = mesh->vertices[mesh->triangles[t][k]];
            vec3 to = mesh->vertices[mesh->triangles[t][(k + 1) % 3]];
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "a solid mesh must be closed: the edge from (%g, %g, %g) to (%g, %g, "
                             "%g) m is not one of exactly two triangles",
                             from.x, from.y, from.z, to.x, to.y, to.z);
        }
    if (!(mesh->mass.volume > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a solid mesh must be closed: this one has no inside");
    mesh->solid = true;
    return CAIRN_OK;
}

/// How far a point of a triangle's plane lies within it, m; negative outside.
static double way_inside(const geo_mesh *mesh, int triangle, vec3 point)
{
    const int *corner = mesh->triangles[triangle];
    vec3 a = mesh->vertices[corner[0]];
    vec3 normal =
        vec3_cross(vec3_sub(mesh->vertices[corner[1]], a), vec3_sub(mesh->vertices[corner[2]], a));
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        vec3 v = mesh->vertices[corner[k]];
        vec3 edge = vec3_sub(mesh->vertices[corner[(k + 1) % 3]], v);
        vec3 inward = vec3_cross(normal, edge);
        least = fmin(least, vec3_dot(inward, vec3_sub(point, v)) / vec3_norm(inward));
    }
    return least;
}

typedef struct search {
    const geo_mesh *mesh;
    int face, triangle;
    vec3 point;
    double inside; // m
} search;

static bool try_triangle(void *context, int index)
{
    search *s = context;
    if (s->mesh->faces[index] != s->face)
        return true;
    double inside = way_inside(s->mesh, index, s->point);
    if (inside > s->inside) {
        s->inside = inside;
        s->triangle = index;
    }
    return true;
}

int geo_mesh_triangle_at(const geo_mesh *mesh, int face, vec3 point, double reach, double *inside)
{
    search s = {.mesh = mesh, .face = face, .triangle = -1, .point = point};
    geo_bvh_query_ball(mesh->bvh, point, reach, try_triangle, &s);
    *inside = s.inside;
    return s.triangle;
}
