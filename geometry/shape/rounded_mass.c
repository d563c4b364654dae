// SPDX-License-Identifier: Apache-2.0
// Volume integrals of rounded polyhedra: what the ball adds to the core, part by part.
#include "geometry/shape/rounded.h"
#include "geometry/shape/shape_internal.h"

#include "base/elementary.h"

/// Adds a part by its integrals about a point `at` from the reference: volume, of y and of y y^T.
static void add_part(geo_moments *moments, vec3 at, double volume, vec3 first, mat3 second)
{
    mat3 whole = geo_outer(at, vec3_scale(volume, at)), cross = geo_outer(at, first);
    mat3 crossed = mat3_transpose(&cross);
    moments->volume += volume;
    moments->first = vec3_add(moments->first, vec3_add_scaled(first, volume, at));
    second = mat3_add(&second, &whole);
    second = mat3_add(&second, &cross);
    second = mat3_add(&second, &crossed);
    moments->second = mat3_add(&moments->second, &second);
}

static void add_scaled(mat3 *sum, double factor, mat3 term)
{
    term = mat3_scale(factor, &term);
    *sum = mat3_add(sum, &term);
}

/// The slab of thickness r on a triangle of a face.
static void add_slab(geo_moments *moments, const vec3 corners[3], vec3 normal, double r)
{
    vec3 from = corners[0], u = vec3_sub(corners[1], from), v = vec3_sub(corners[2], from);
    double area = 0.5 * vec3_norm(vec3_cross(u, v));
    // about the first corner: of the triangle u u + v v + (u + v)(u + v), then along the normal
    vec3 sum = vec3_add(u, v), middle = vec3_scale(area / 3.0, sum);
    mat3 second = mat3_diagonal(vec3_make(0.0, 0.0, 0.0));
    const vec3 corner[3] = {u, v, sum};
    for (int i = 0; i < 3; i++)
        add_scaled(&second, r * area / 12.0, geo_outer(corner[i], corner[i]));
    add_scaled(&second, 0.5 * r * r, geo_outer(middle, normal));
    add_scaled(&second, 0.5 * r * r, geo_outer(normal, middle));
    add_scaled(&second, r * r * r / 3.0 * area, geo_outer(normal, normal));
    vec3 first = vec3_add_scaled(vec3_scale(r, middle), 0.5 * r * r * area, normal);
    add_part(moments, vec3_sub(from, moments->reference), r * area, first, second);
}

/// An edge with the normals of the two faces that meet there.
typedef struct edge {
    vec3 start, along; // m; along: from start to end
    vec3 out;          // unit, halfway between the normals
    vec3 aside;        // unit, across the edge and `out`
    double angle;      // between the normals
} edge;

static edge edge_of(const geo_polyhedron *p, int e)
{
    vec3 m = p->face_normals[p->edge_faces[e][0]], n = p->face_normals[p->edge_faces[e][1]];
    edge made = {.start = p->vertices[p->edge_vertices[e][0]]};
    made.along = vec3_sub(p->vertices[p->edge_vertices[e][1]], made.start);
    made.out = vec3_normalize_or(vec3_add(m, n), m);
    made.aside = vec3_normalize_or(vec3_cross(made.along, made.out), vec3_sub(n, m));
    made.angle = base_atan2(vec3_norm(vec3_cross(m, n)), vec3_dot(m, n));
    return made;
}

/// The wedge of a cylinder along an edge.
static void add_wedge(geo_moments *moments, const edge *e, double r)
{
    double length = vec3_norm(e->along), half = 0.5 * e->angle, area = half * r * r;
    vec3 aside = vec3_scale(2.0 / 3.0 * r * r * r * base_sin(half), e->out);
    double even = 0.125 * r * r * r * r * e->angle,
           odd = 0.125 * r * r * r * r * base_sin(e->angle);
    mat3 second = mat3_diagonal(vec3_make(0.0, 0.0, 0.0));
    add_scaled(&second, length * area / 3.0, geo_outer(e->along, e->along));
    add_scaled(&second, 0.5 * length, geo_outer(e->along, aside));
    add_scaled(&second, 0.5 * length, geo_outer(aside, e->along));
    add_scaled(&second, length * (even + odd), geo_outer(e->out, e->out));
    add_scaled(&second, length * (even - odd), geo_outer(e->aside, e->aside));
    vec3 first = vec3_scale(length, vec3_add_scaled(aside, 0.5 * area, e->along));
    add_part(moments, vec3_sub(e->start, moments->reference), length * area, first, second);
}

/// What the solid angle of a sector of a ball adds: the part of its second moments that is the same
/// in all directions, too.
static void add_solid_angle(geo_moments *moments, vec3 centre, double angle, double r)
{
    double third = r * r * r / 3.0 * angle, fifth = third * r * r / 5.0;
    add_part(moments, vec3_sub(centre, moments->reference), third, vec3_make(0.0, 0.0, 0.0),
             mat3_diagonal(vec3_make(fifth, fifth, fifth)));
}

/// What the arc in which an edge ends adds to the sector of the ball there: integrals over a
/// spherical polygon become integrals over its sides (J. Arvo, Applications of irradiance tensors
/// to the simulation of non-Lambertian phenomena, 1995).
/// @param outward  unit, along the edge away from its other vertex
static void add_arc(geo_moments *moments, vec3 centre, vec3 inward, const edge *e, double r)
{
    double fourth = 0.25 * r * r * r * r, fifth = r * r * r * r * r / 5.0;
    vec3 sum = vec3_scale(2.0 * base_sin(0.5 * e->angle), e->out); // of the arc's directions
    mat3 second = mat3_diagonal(vec3_make(0.0, 0.0, 0.0));
    add_scaled(&second, -fifth / 6.0, geo_outer(sum, inward));
    add_scaled(&second, -fifth / 6.0, geo_outer(inward, sum));
    add_part(moments, vec3_sub(centre, moments->reference), 0.0,
             vec3_scale(-0.5 * fourth * e->angle, inward), second);
}

/// Angle of a face at one of its corners.
static double corner_angle(const geo_polyhedron *p, int face, int k)
{
    int start = p->face_start[face], count = p->face_start[face + 1] - start;
    vec3 at = p->vertices[p->face_vertices[start + k]];
    vec3 u = vec3_sub(p->vertices[p->face_vertices[start + (k + 1) % count]], at);
    vec3 v = vec3_sub(p->vertices[p->face_vertices[start + (k + count - 1) % count]], at);
    return base_atan2(vec3_norm(vec3_cross(u, v)), vec3_dot(u, v));
}

static void add_face(geo_moments *moments, const geo_polyhedron *p, int face, double r)
{
    const int *v = p->face_vertices + p->face_start[face];
    int count = p->face_start[face + 1] - p->face_start[face];
    for (int k = 0; k < count; k++) {
        vec3 corners[3] = {p->vertices[v[0]], p->vertices[v[k]], p->vertices[v[(k + 1) % count]]};
        if (k > 0 && k + 1 < count) {
            geo_moments_add_triangle(moments, corners[0], corners[1], corners[2]);
            add_slab(moments, corners, p->face_normals[face], r);
        }
        // the solid angle at a vertex is what the faces leave of a whole turn
        add_solid_angle(moments, p->vertices[v[k]], -corner_angle(p, face, k), r);
    }
}

geo_mass geo_mass_of_rounded(const geo_polyhedron *core, double rounding)
{
    geo_moments moments = geo_moments_start(core->vertices, core->vertex_count);
    for (int f = 0; f < core->face_count; f++)
        add_face(&moments, core, f, rounding);
    for (int v = 0; v < core->vertex_count; v++)
        add_solid_angle(&moments, core->vertices[v], 2.0 * M_PI, rounding);
    for (int i = 0; i < core->edge_count; i++) {
        edge e = edge_of(core, i);
        vec3 inward = vec3_normalize_or(e.along, e.aside);
        add_wedge(&moments, &e, rounding);
        add_arc(&moments, e.start, inward, &e, rounding);
        add_arc(&moments, vec3_add(e.start, e.along), vec3_negate(inward), &e, rounding);
    }
    return geo_mass_from_moments(&moments);
}
