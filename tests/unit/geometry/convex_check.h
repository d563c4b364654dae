// SPDX-License-Identifier: Apache-2.0
// Independent means to judge the narrow phase: brute-force supports, signed distances, exhaustive
// distance and penetration of polytopes, random shapes and placements.
#ifndef CAIRN_TESTS_CONVEX_CHECK_H
#define CAIRN_TESTS_CONVEX_CHECK_H

#include "base/rng.h"
#include "geometry/narrow/collide.h"
#include "tests/check.h"

/// A convex shape as plain points, faces and edges, in the world; cylinders keep their frame.
typedef struct solid {
    const geo_shape *shape;
    pose place;
    double radius; // of the ball swept over the points
    int point_count, face_count, edge_count;
    vec3 points[64];
    vec3 normals[128];
    double offsets[128];
    int edges[192][2];
} solid;

static inline void solid_add_box(solid *s, vec3 half)
{
    for (int i = 0; i < 8; i++)
        s->points[s->point_count++] =
            pose_apply(&s->place, (vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                         i & 4 ? half.z : -half.z});
    for (int i = 0; i < 8; i++)
        for (int bit = 1; bit < 8; bit *= 2)
            if (!(i & bit)) {
                s->edges[s->edge_count][0] = i;
                s->edges[s->edge_count++][1] = i | bit;
            }
    for (int f = 0; f < 6; f++) {
        vec3 n = vec3_set((vec3){0.0, 0.0, 0.0}, f / 2, f % 2 ? 1.0 : -1.0);
        s->normals[f] = quat_rotate(s->place.orientation, n);
        s->offsets[f] = vec3_get(half, f / 2) + vec3_dot(s->normals[f], s->place.position);
    }
    s->face_count = 6;
}

static inline void solid_add_polyhedron(solid *s, const geo_polyhedron *p)
{
    assert_true(p->vertex_count <= 64 && p->face_count <= 128 && p->edge_count <= 192);
    for (int i = 0; i < p->vertex_count; i++)
        s->points[s->point_count++] = pose_apply(&s->place, p->vertices[i]);
    for (int f = 0; f < p->face_count; f++) {
        s->normals[f] = quat_rotate(s->place.orientation, p->face_normals[f]);
        s->offsets[f] = vec3_dot(s->normals[f], s->points[p->face_vertices[p->face_start[f]]]);
    }
    s->face_count = p->face_count;
    for (int e = 0; e < p->edge_count; e++) {
        s->edges[e][0] = p->edge_vertices[e][0];
        s->edges[e][1] = p->edge_vertices[e][1];
    }
    s->edge_count = p->edge_count;
}

static inline solid solid_make(const geo_shape *shape, pose place)
{
    solid s = {.shape = shape, .place = place};
    if (shape->kind == GEO_BOX) {
        double r = s.radius = shape->box.rounding;
        solid_add_box(&s, vec3_sub(shape->box.half, (vec3){r, r, r}));
    } else if (shape->kind == GEO_POLYHEDRON) {
        solid_add_polyhedron(&s, &shape->polyhedron);
        s.radius = shape->polyhedron.rounding;
    } else if (shape->kind == GEO_SPHERE) {
        s.points[s.point_count++] = place.position;
        s.radius = shape->sphere.radius;
    } else if (shape->kind == GEO_CAPSULE) {
        double h = shape->capsule.half_length;
        s.points[s.point_count++] = pose_apply(&place, (vec3){0.0, 0.0, -h});
        s.points[s.point_count++] = pose_apply(&place, (vec3){0.0, 0.0, h});
        s.edges[0][1] = 1;
        s.edge_count = 1;
        s.radius = shape->capsule.radius;
    }
    return s;
}

/// Largest value of dot(d, x) over the solid, d unit.
static inline double solid_reach(const solid *s, vec3 d)
{
    if (s->shape->kind == GEO_CYLINDER) {
        vec3 l = quat_rotate_inverse(s->place.orientation, d);
        return vec3_dot(d, s->place.position) + s->shape->cylinder.radius * hypot(l.x, l.y) +
               s->shape->cylinder.half_length * fabs(l.z);
    }
    double reach = -INFINITY;
    for (int i = 0; i < s->point_count; i++)
        reach = fmax(reach, vec3_dot(d, s->points[i]));
    return reach + s->radius;
}

/// Gap between two solids seen along a unit direction from a to b.
static inline double solid_separation(const solid *a, const solid *b, vec3 d)
{
    return -solid_reach(b, vec3_negate(d)) - solid_reach(a, d);
}

static inline double point_segment(vec3 x, vec3 a, vec3 b)
{
    vec3 d = vec3_sub(b, a);
    double t = vec3_dot(vec3_sub(x, a), d) / vec3_norm_squared(d);
    return vec3_distance(x, vec3_add_scaled(a, fmin(fmax(t, 0.0), 1.0), d));
}

/// Distance of a point to the points, edges and faces of a polytope; `inside` if in all
/// half-spaces.
static inline double point_polytope(vec3 x, const solid *s, bool *inside)
{
    double best = INFINITY;
    *inside = s->face_count > 0;
    for (int i = 0; i < s->point_count; i++)
        best = fmin(best, vec3_distance(x, s->points[i]));
    for (int e = 0; e < s->edge_count; e++)
        best = fmin(best, point_segment(x, s->points[s->edges[e][0]], s->points[s->edges[e][1]]));
    for (int f = 0; f < s->face_count; f++) {
        double h = vec3_dot(s->normals[f], x) - s->offsets[f];
        vec3 foot = vec3_add_scaled(x, -h, s->normals[f]);
        bool on = true;
        for (int g = 0; g < s->face_count; g++)
            on = on && (g == f || vec3_dot(s->normals[g], foot) <= s->offsets[g]);
        if (on)
            best = fmin(best, fabs(h));
        *inside = *inside && h <= 0.0;
    }
    return best;
}

/// Signed distance of a point to a solid's surface (negative inside).
static inline double solid_distance(const solid *s, vec3 x)
{
    if (s->shape->kind == GEO_CYLINDER) {
        vec3 l = pose_apply_inverse(&s->place, x);
        double r = hypot(l.x, l.y) - s->shape->cylinder.radius;
        double z = fabs(l.z) - s->shape->cylinder.half_length;
        return r > 0.0 && z > 0.0 ? hypot(r, z) : fmax(r, z);
    }
    bool inside;
    double d = point_polytope(x, s, &inside);
    return inside ? -d - s->radius : d - s->radius;
}

static inline double segment_segment(vec3 a0, vec3 a1, vec3 b0, vec3 b1)
{
    double best = fmin(fmin(point_segment(a0, b0, b1), point_segment(a1, b0, b1)),
                       fmin(point_segment(b0, a0, a1), point_segment(b1, a0, a1)));
    vec3 u = vec3_sub(a1, a0), v = vec3_sub(b1, b0), w = vec3_sub(b0, a0);
    vec3 n = vec3_cross(u, v);
    double nn = vec3_norm_squared(n);
    if (nn <= 1e-24 * vec3_norm_squared(u) * vec3_norm_squared(v))
        return best;
    double s = vec3_dot(vec3_cross(w, v), n) / nn, t = vec3_dot(vec3_cross(w, u), n) / nn;
    if (s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0)
        best = fmin(best, fabs(vec3_dot(w, n)) / sqrt(nn));
    return best;
}

/// Distance of two swept polytopes known not to overlap, by trying all features.
static inline double solid_pair_distance(const solid *a, const solid *b)
{
    bool inside;
    double best = INFINITY;
    for (int i = 0; i < a->point_count; i++)
        best = fmin(best, point_polytope(a->points[i], b, &inside));
    for (int i = 0; i < b->point_count; i++)
        best = fmin(best, point_polytope(b->points[i], a, &inside));
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++)
            best =
                fmin(best, segment_segment(a->points[a->edges[i][0]], a->points[a->edges[i][1]],
                                           b->points[b->edges[j][0]], b->points[b->edges[j][1]]));
    return best - a->radius - b->radius;
}

/// Largest separation over all face normals and edge crosses: minus the penetration depth of two
/// overlapping polytopes (radii count in full).
static inline double solid_pair_axes(const solid *a, const solid *b)
{
    double best = -INFINITY;
    for (int f = 0; f < a->face_count; f++)
        best = fmax(best, solid_separation(a, b, a->normals[f]));
    for (int f = 0; f < b->face_count; f++)
        best = fmax(best, solid_separation(a, b, vec3_negate(b->normals[f])));
    for (int i = 0; i < a->edge_count; i++)
        for (int j = 0; j < b->edge_count; j++) {
            vec3 u = vec3_sub(a->points[a->edges[i][1]], a->points[a->edges[i][0]]);
            vec3 v = vec3_sub(b->points[b->edges[j][1]], b->points[b->edges[j][0]]);
            vec3 n = vec3_cross(u, v);
            double length = vec3_norm(n);
            if (length <= 1e-6 * vec3_norm(u) * vec3_norm(v))
                continue;
            n = vec3_scale(1.0 / length, n);
            best =
                fmax(best, fmax(solid_separation(a, b, n), solid_separation(a, b, vec3_negate(n))));
        }
    return best;
}

static inline vec3 random_direction(base_rng *rng)
{
    for (;;) {
        vec3 v = {base_rng_range(rng, -1.0, 1.0), base_rng_range(rng, -1.0, 1.0),
                  base_rng_range(rng, -1.0, 1.0)};
        double n = vec3_norm(v);
        if (n > 0.1 && n < 1.0)
            return vec3_scale(1.0 / n, v);
    }
}

static inline quat random_turn(base_rng *rng)
{
    return base_quat_from_rotation_vector(
        vec3_scale(base_rng_range(rng, 0.0, 3.1), random_direction(rng)));
}

/// A random rounded box or polyhedron of about the given size; roundings from a thousandth of it
/// on.
static inline geo_shape *random_rounded(geo_kind kind, double size, base_rng *rng)
{
    base_allocator heap = base_allocator_default();
    geo_shape *shape = NULL;
    double rounding = 0.28 * size * pow(10.0, -base_rng_range(rng, 0.0, 2.5)), sizes[4];
    for (int k = 0; k < 3; k++)
        sizes[k] = size * base_rng_range(rng, 0.3, 1.0);
    sizes[3] = rounding;
    if (kind == GEO_BOX) {
        assert_int_equal(geo_plain_create(&heap, GEO_BOX, sizes, &shape, NULL), CAIRN_OK);
        return shape;
    }
    vec3 points[60];
    int count = base_rng_index(rng, 40) ? 4 + base_rng_index(rng, 12) : 60;
    for (int i = 0; i < count; i++)
        points[i] = vec3_scale(size * base_rng_range(rng, 0.6, 1.0), random_direction(rng));
    assert_int_equal(geo_polyhedron_create(&heap, points, count, &shape, NULL), CAIRN_OK);
    assert_int_equal(geo_polyhedron_round(shape, rounding, NULL), CAIRN_OK);
    return shape;
}

/// A random convex shape of about the given size.
static inline geo_shape *random_shape(geo_kind kind, double size, base_rng *rng)
{
    base_allocator heap = base_allocator_default();
    geo_shape *shape = NULL;
    cairn_status status = CAIRN_ERROR_ARGUMENT;
    double a = size * base_rng_range(rng, 0.3, 1.0), b = size * base_rng_range(rng, 0.3, 1.0);
    double c = size * base_rng_range(rng, 0.3, 1.0);
    if (kind == GEO_SPHERE) {
        status = geo_sphere_create(&heap, a, &shape, NULL);
    } else if (kind == GEO_BOX) {
        status = geo_box_create(&heap, (vec3){a, b, c}, &shape, NULL);
    } else if (kind == GEO_CAPSULE) {
        status = geo_capsule_create(&heap, 0.5 * a, b, &shape, NULL);
    } else if (kind == GEO_CYLINDER) {
        status = geo_cylinder_create(&heap, a, b, &shape, NULL);
    } else if (kind == GEO_POLYHEDRON) {
        vec3 points[60];
        // now and then a large one
        int count = base_rng_index(rng, 40) ? 4 + base_rng_index(rng, 12) : 60;
        for (int i = 0; i < count; i++)
            points[i] = vec3_scale(size * base_rng_range(rng, 0.6, 1.0), random_direction(rng));
        status = geo_polyhedron_create(&heap, points, count, &shape, NULL);
    }
    assert_int_equal(status, CAIRN_OK);
    return shape;
}

static inline void collide(const geo_shape *a, pose pa, const geo_shape *b, pose pb, double margin,
                           geo_manifold *out)
{
    out->count = 0;
    assert_int_equal(geo_collide(a, &pa, b, &pb, margin, NULL, out), CAIRN_OK);
}

static inline const geo_contact *deepest(const geo_manifold *m)
{
    const geo_contact *best = NULL;
    for (int i = 0; i < m->count; i++)
        if (!best || m->contacts[i].gap < best->gap)
            best = &m->contacts[i];
    return best;
}

#endif
