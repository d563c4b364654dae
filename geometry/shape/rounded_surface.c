// SPDX-License-Identifier: Apache-2.0
// Triangles of rounded polyhedra: the faces, moved out; strips along the edges; a patch of the ball
// at each vertex.
#include "geometry/shape/rounded.h"

#include "base/assert.h"
#include "base/elementary.h"

// parts of an arc turn by no more than this
static const double arc_step = M_PI / 16.0;

/// Where the points lie: those of a vertex are rings around its middle direction, the outermost
/// first; each ring begins at the normal of one face and goes on from arc to arc.
typedef struct build {
    const geo_polyhedron *core;
    double rounding;
    int *parts;     // [edge_count] of the arc of each edge
    int *arc_start; // [face_start[face_count]] by face corner: place of the face's normal in a ring
    int *ring_size; // [vertex_count] points of a ring
    int *ring_count;    // [vertex_count]
    int *first_point;   // [vertex_count + 1]
    int *vertex_corner; // [vertex_count] a corner of a face at each vertex
    int *corner_face;   // [face_start[face_count]]
    vec3 *middle;       // [vertex_count] unit
    geo_rounded_surface *surface;
} build;

static int last_corner(const geo_polyhedron *p, int face, int corner)
{
    return corner > p->face_start[face] ? corner - 1 : p->face_start[face + 1] - 1;
}

/// Corner of a face at a vertex.
static int corner_at(const geo_polyhedron *p, int face, int vertex)
{
    int corner = p->face_start[face];
    while (p->face_vertices[corner] != vertex)
        corner++;
    return corner;
}

/// The face across the edge that comes in to a corner: the next one around the vertex,
/// counter-clockwise seen from outside.
static int corner_after(const build *b, int corner, int *edge)
{
    const geo_polyhedron *p = b->core;
    int face = b->corner_face[corner];
    *edge = p->face_edges[last_corner(p, face, corner)];
    const int *faces = p->edge_faces[*edge];
    return corner_at(p, faces[0] == face ? faces[1] : faces[0], p->face_vertices[corner]);
}

static double angle_between(vec3 a, vec3 b)
{
    return base_atan2(vec3_norm(vec3_cross(a, b)), vec3_dot(a, b));
}

static int parts_of(double angle)
{
    int parts = (int)ceil(angle / arc_step - 1e-9);
    return parts > 1 ? parts : 1;
}

/// Numbers the points of one vertex.
static void plan_vertex(build *b, int vertex)
{
    const geo_polyhedron *p = b->core;
    int first = b->vertex_corner[vertex], corner = first, size = 0, edge;
    vec3 sum = {0.0, 0.0, 0.0};
    double widest = 0.0;
    do {
        b->arc_start[corner] = size;
        sum = vec3_add(sum, p->face_normals[b->corner_face[corner]]);
        corner = corner_after(b, corner, &edge);
        size += b->parts[edge];
    } while (corner != first);
    b->middle[vertex] = vec3_normalize_or(sum, p->face_normals[b->corner_face[first]]);
    do {
        widest =
            fmax(widest, angle_between(p->face_normals[b->corner_face[corner]], b->middle[vertex]));
        corner = corner_after(b, corner, &edge);
    } while (corner != first);
    b->ring_size[vertex] = size;
    b->ring_count[vertex] = parts_of(widest);
    b->first_point[vertex + 1] = b->first_point[vertex] + size * b->ring_count[vertex] + 1;
    b->surface->triangle_count += size * (2 * b->ring_count[vertex] - 1);
}

static void plan(build *b)
{
    const geo_polyhedron *p = b->core;
    b->surface->triangle_count = 0;
    for (int e = 0; e < p->edge_count; e++) {
        b->parts[e] = parts_of(angle_between(p->face_normals[p->edge_faces[e][0]],
                                             p->face_normals[p->edge_faces[e][1]]));
        b->surface->triangle_count += 2 * b->parts[e];
    }
    for (int f = 0; f < p->face_count; f++) {
        b->surface->triangle_count += p->face_start[f + 1] - p->face_start[f] - 2;
        for (int k = p->face_start[f]; k < p->face_start[f + 1]; k++) {
            b->corner_face[k] = f;
            b->vertex_corner[p->face_vertices[k]] = k;
        }
    }
    b->first_point[0] = 0;
    for (int v = 0; v < p->vertex_count; v++)
        plan_vertex(b, v);
    b->surface->point_count = b->first_point[p->vertex_count];
}

static void put_point(build *b, int point, int vertex, vec3 normal)
{
    b->surface->normals[point] = normal;
    b->surface->points[point] = vec3_add_scaled(b->core->vertices[vertex], b->rounding, normal);
}

/// The direction at a part of the way from one to another.
static vec3 between(vec3 from, vec3 to, double part)
{
    double angle = angle_between(from, to), sine = base_sin(angle);
    if (!(sine > 1e-9))
        return vec3_normalize_or(vec3_add_scaled(from, part, vec3_sub(to, from)), from);
    vec3 sum = vec3_scale(base_sin((1.0 - part) * angle) / sine, from);
    return vec3_normalize_or(vec3_add_scaled(sum, base_sin(part * angle) / sine, to), from);
}

static void put_points(build *b, int vertex)
{
    const geo_polyhedron *p = b->core;
    int first = b->vertex_corner[vertex], corner = first, edge;
    int from = b->first_point[vertex], size = b->ring_size[vertex], rings = b->ring_count[vertex];
    do {
        int after = corner_after(b, corner, &edge), start = b->arc_start[corner];
        vec3 here = p->face_normals[b->corner_face[corner]];
        vec3 next = p->face_normals[b->corner_face[after]];
        for (int k = 0; k < b->parts[edge]; k++) {
            vec3 rim = between(here, next, (double)k / b->parts[edge]);
            for (int ring = 0; ring < rings; ring++)
                put_point(b, from + ring * size + start + k, vertex,
                          between(rim, b->middle[vertex], (double)ring / rings));
        }
        corner = after;
    } while (corner != first);
    put_point(b, from + rings * size, vertex, b->middle[vertex]);
}

static void put_triangle(build *b, int i, int j, int k)
{
    int *triangle = b->surface->triangles[b->surface->triangle_count++];
    triangle[0] = i;
    triangle[1] = j;
    triangle[2] = k;
}

static void put_patch(build *b, int vertex)
{
    int from = b->first_point[vertex], size = b->ring_size[vertex], rings = b->ring_count[vertex];
    for (int i = 0; i < size; i++) {
        int next = i + 1 < size ? i + 1 : 0;
        for (int ring = 0; ring + 1 < rings; ring++) {
            int out = from + ring * size, in = out + size;
            put_triangle(b, out + i, out + next, in + next);
            put_triangle(b, out + i, in + next, in + i);
        }
        int last = from + (rings - 1) * size;
        put_triangle(b, last + i, last + next, from + rings * size);
    }
}

/// Point of the outermost ring of a face corner's vertex, `part` steps on from the face's normal.
static int rim_point(const build *b, int corner, int part)
{
    int vertex = b->core->face_vertices[corner];
    return b->first_point[vertex] + (b->arc_start[corner] + part) % b->ring_size[vertex];
}

static void put_face(build *b, int face)
{
    const geo_polyhedron *p = b->core;
    int start = p->face_start[face];
    for (int k = start + 1; k + 1 < p->face_start[face + 1]; k++)
        put_triangle(b, rim_point(b, start, 0), rim_point(b, k, 0), rim_point(b, k + 1, 0));
}

/// The strip along an edge, from the face that runs through it as it is stored to the other one.
static void put_strip(build *b, int edge)
{
    const geo_polyhedron *p = b->core;
    int parts = b->parts[edge], left = p->edge_faces[edge][0], right = p->edge_faces[edge][1];
    // around its end the edge comes in to a corner of the first face, around its start of the other
    int end = corner_at(p, left, p->edge_vertices[edge][1]);
    int start = corner_at(p, right, p->edge_vertices[edge][0]);
    for (int k = 0; k < parts; k++) {
        int e0 = rim_point(b, end, k), e1 = rim_point(b, end, k + 1);
        int s0 = rim_point(b, start, parts - k), s1 = rim_point(b, start, parts - k - 1);
        put_triangle(b, s0, s1, e1);
        put_triangle(b, s0, e1, e0);
    }
}

static bool allocate_plan(build *b, const base_allocator *allocator)
{
    size_t corners = (size_t)b->core->face_start[b->core->face_count];
    size_t vertices = (size_t)b->core->vertex_count;
    b->parts = base_allocate(allocator, (size_t)b->core->edge_count, sizeof(int));
    b->arc_start = base_allocate(allocator, corners, sizeof(int));
    b->corner_face = base_allocate(allocator, corners, sizeof(int));
    b->ring_size = base_allocate(allocator, vertices, sizeof(int));
    b->ring_count = base_allocate(allocator, vertices, sizeof(int));
    b->first_point = base_allocate(allocator, vertices + 1, sizeof(int));
    b->vertex_corner = base_allocate(allocator, vertices, sizeof(int));
    b->middle = base_allocate(allocator, vertices, sizeof *b->middle);
    return b->parts != NULL && b->arc_start != NULL && b->corner_face != NULL &&
           b->ring_size != NULL && b->ring_count != NULL && b->first_point != NULL &&
           b->vertex_corner != NULL && b->middle != NULL;
}

static void release_plan(build *b, const base_allocator *allocator)
{
    base_release(allocator, b->parts);
    base_release(allocator, b->arc_start);
    base_release(allocator, b->corner_face);
    base_release(allocator, b->ring_size);
    base_release(allocator, b->ring_count);
    base_release(allocator, b->first_point);
    base_release(allocator, b->vertex_corner);
    base_release(allocator, b->middle);
}

static bool allocate_surface(geo_rounded_surface *surface, const base_allocator *allocator)
{
    size_t points = (size_t)surface->point_count, triangles = (size_t)surface->triangle_count;
    surface->points = base_allocate(allocator, points, sizeof *surface->points);
    surface->normals = base_allocate(allocator, points, sizeof *surface->normals);
    surface->triangles = base_allocate(allocator, triangles, sizeof *surface->triangles);
    return surface->points != NULL && surface->normals != NULL && surface->triangles != NULL;
}

static void fill(build *b)
{
    int expected = b->surface->triangle_count;
    b->surface->triangle_count = 0;
    for (int v = 0; v < b->core->vertex_count; v++) {
        put_points(b, v);
        put_patch(b, v);
    }
    for (int f = 0; f < b->core->face_count; f++)
        put_face(b, f);
    for (int e = 0; e < b->core->edge_count; e++)
        put_strip(b, e);
    BASE_ASSERT(b->surface->triangle_count == expected);
    (void)expected;
}

/// The core of a box as a polyhedron.
static cairn_status make_box_core(const base_allocator *allocator, const geo_box *box,
                                  geo_shape **core)
{
    static const int start[7] = {0, 4, 8, 12, 16, 20, 24};
    static const int corners[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                    2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    vec3 half = geo_box_core(box), vertices[8];
    for (int i = 0; i < 8; i++)
        vertices[i] =
            vec3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    return geo_polyhedron_create_faces(allocator, vertices, 8, start, 6, corners, core, NULL);
}

cairn_status geo_rounded_surface_make(const base_allocator *allocator, const geo_shape *shape,
                                      geo_rounded_surface *surface)
{
    geo_shape *box = NULL;
    *surface = (geo_rounded_surface){0};
    if (shape->kind == GEO_BOX)
        BASE_TRY(make_box_core(allocator, &shape->box, &box));
    build b = {.core = box != NULL ? &box->polyhedron : &shape->polyhedron,
               .rounding = geo_shape_rounding(shape),
               .surface = surface};
    bool made = allocate_plan(&b, allocator);
    if (made) {
        plan(&b);
        made = allocate_surface(surface, allocator);
    }
    if (made)
        fill(&b);
    else
        geo_rounded_surface_release(allocator, surface);
    release_plan(&b, allocator);
    geo_shape_destroy(box);
    return made ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

void geo_rounded_surface_release(const base_allocator *allocator, geo_rounded_surface *surface)
{
    base_release(allocator, surface->points);
    base_release(allocator, surface->normals);
    base_release(allocator, surface->triangles);
    *surface = (geo_rounded_surface){0};
}
