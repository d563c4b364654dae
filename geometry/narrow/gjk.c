// SPDX-License-Identifier: Apache-2.0
// Distance of two convex cores (Gilbert-Johnson-Keerthi).
//
// The difference A - B holds the origin where the cores overlap; elsewhere its point nearest to the
// origin is the distance. A simplex of at most four points of its surface walks towards that point:
// each step adds the point that is farthest towards the origin and drops the corners that the
// nearest point does not need. Overlap proper is left to EPA.
#include "geometry/narrow/gjk.h"

#include <string.h>

typedef struct simplex {
    int count;
    geo_gjk_vertex v[4];
    double weight[4];
    vec3 closest; // to the origin
} simplex;

static geo_gjk_vertex support(const geo_core *a, const geo_core *b, vec3 direction)
{
    geo_gjk_vertex v;
    v.a = geo_core_support(a, direction, &v.ia);
    v.b = geo_core_support(b, vec3_negate(direction), &v.ib);
    v.w = vec3_sub(v.a, v.b);
    return v;
}

// the corners of a simplex whose hull holds its point closest to the origin, in ascending order
typedef struct nearest {
    int count;
    int corner[3];
    double weight[3];
    vec3 closest;
} nearest;

static nearest at_corner(const simplex *s, int i)
{
    return (nearest){.count = 1, .corner = {i}, .weight = {1.0}, .closest = s->v[i].w};
}

// closest point of the segment between corners i < j
static nearest on_segment(const simplex *s, int i, int j)
{
    vec3 p = s->v[i].w, d = vec3_sub(s->v[j].w, p);
    double along = -vec3_dot(p, d), squared = vec3_norm_squared(d);
    if (along <= 0.0 || squared <= 0.0)
        return at_corner(s, i);
    if (along >= squared)
        return at_corner(s, j);
    double t = along / squared;
    return (nearest){
        .count = 2, .corner = {i, j}, .weight = {1.0 - t, t}, .closest = vec3_add_scaled(p, t, d)};
}

// closest point of the triangle of corners i < j < k
static nearest on_triangle(const simplex *s, int i, int j, int k)
{
    vec3 a = s->v[i].w, b = s->v[j].w, c = s->v[k].w;
    vec3 ab = vec3_sub(b, a), ac = vec3_sub(c, a);
    vec3 n = vec3_cross(ab, ac);
    double area = vec3_norm_squared(n);
    // barycentric coordinates of the origin's projection, times area
    double wa = vec3_dot(n, vec3_cross(b, c));
    double wb = vec3_dot(n, vec3_cross(c, a));
    double wc = vec3_dot(n, vec3_cross(a, b));
    double degenerate = 1e-28 * vec3_norm_squared(ab) * vec3_norm_squared(ac);
    if (area <= degenerate || wa <= 0.0 || wb <= 0.0 || wc <= 0.0) {
        // the best of a triangle's three edges
        nearest best = on_segment(s, i, j);
        const nearest others[2] = {on_segment(s, i, k), on_segment(s, j, k)};
        for (int e = 0; e < 2; e++)
            if (vec3_norm_squared(others[e].closest) < vec3_norm_squared(best.closest))
                best = others[e];
        return best;
    }
    double sum = wa + wb + wc;
    // the projection on the plane keeps the direction exact where weights would cancel
    return (nearest){.count = 3,
                     .corner = {i, j, k},
                     .weight = {wa / sum, wb / sum, wc / sum},
                     .closest = vec3_scale(vec3_dot(n, a) / area, n)};
}

// closest point of a tetrahedron; false if it holds the origin
static bool on_tetrahedron(const simplex *s, nearest *best)
{
    static const int faces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
    bool outside = false;
    for (int f = 0; f < 4; f++) {
        vec3 a = s->v[faces[f][0]].w, b = s->v[faces[f][1]].w, c = s->v[faces[f][2]].w;
        vec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
        vec3 opposite = vec3_sub(s->v[faces[f][3]].w, a);
        double height = vec3_dot(n, opposite), origin = -vec3_dot(n, a);
        // a flat tetrahedron cannot hold the origin: all its faces are tried
        bool flat = fabs(height) <= 1e-14 * vec3_norm(n) * vec3_norm(opposite);
        if (!flat && height * origin > 0.0)
            continue;
        nearest trial = on_triangle(s, faces[f][0], faces[f][1], faces[f][2]);
        if (!outside || vec3_norm_squared(trial.closest) < vec3_norm_squared(best->closest))
            *best = trial;
        outside = true;
    }
    return outside;
}

// false if the simplex holds the origin
static bool find_nearest(const simplex *s, nearest *found)
{
    if (s->count == 4)
        return on_tetrahedron(s, found);
    *found = s->count == 2 ? on_segment(s, 0, 1) : on_triangle(s, 0, 1, 2);
    return true;
}

// drops the corners that the nearest point does not need
static void keep(simplex *s, const nearest *found)
{
    for (int i = 0; i < found->count; i++) {
        if (found->corner[i] != i)
            s->v[i] = s->v[found->corner[i]];
        s->weight[i] = found->weight[i];
    }
    s->count = found->count;
    s->closest = found->closest;
}

static bool contains(const simplex *s, const geo_gjk_vertex *v)
{
    for (int i = 0; i < s->count; i++)
        if (s->v[i].ia == v->ia && s->v[i].ib == v->ib &&
            vec3_norm_squared(vec3_sub(s->v[i].w, v->w)) <= 0.0)
            return true;
    return false;
}

static void finish(const simplex *s, geo_gjk_result *result)
{
    result->state = GEO_GJK_SEPARATED;
    result->distance = vec3_norm(s->closest);
    result->normal = vec3_scale(-1.0 / result->distance, s->closest);
    result->point_a = result->point_b = (vec3){0.0, 0.0, 0.0};
    for (int i = 0; i < s->count; i++) {
        result->point_a = vec3_add_scaled(result->point_a, s->weight[i], s->v[i].a);
        result->point_b = vec3_add_scaled(result->point_b, s->weight[i], s->v[i].b);
        result->simplex[i] = s->v[i];
    }
    result->count = s->count;
}

void geo_gjk(const geo_core *a, const geo_core *b, double limit, geo_gjk_result *result)
{
    enum { STEPS = 128 };
    simplex s = {.count = 1};
    vec3 start = vec3_sub(b->centre, a->centre);
    if (vec3_norm_squared(start) <= 0.0)
        start = (vec3){1.0, 0.0, 0.0};
    s.v[0] = support(a, b, start);
    s.weight[0] = 1.0;
    s.closest = s.v[0].w;
    // `proven`: largest lower bound of the distance so far, from the planes that separate
    double scale = vec3_norm(s.closest), proven = 0.0;
    for (int step = 0; step < STEPS; step++) {
        double upper = vec3_norm(s.closest);
        if (upper <= 1e-13 * scale) {
            result->state = GEO_GJK_OVERLAP;
            result->count = 0;
            return;
        }
        // no point of A - B lies nearer than the plane through its farthest point this way
        geo_gjk_vertex v = support(a, b, vec3_negate(s.closest));
        scale = fmax(scale, vec3_norm(v.w));
        double lower = vec3_dot(s.closest, v.w) / upper;
        if (lower > limit) {
            result->state = GEO_GJK_BEYOND;
            result->normal = vec3_scale(-1.0 / upper, s.closest);
            return;
        }
        proven = fmax(proven, lower);
        // both bounds meet, or the support is a corner already: nothing nearer is to be found
        if (upper - lower <= 1e-15 * scale || contains(&s, &v))
            break;
        nearest found;
        s.v[s.count++] = v;
        bool outside = find_nearest(&s, &found);
        if (!outside && proven <= 1e-13 * scale) {
            result->state = GEO_GJK_OVERLAP;
            result->count = 4;
            memcpy(result->simplex, s.v, sizeof s.v);
            return;
        }
        // round-off: no more progress, or an inside that the lower bound disproves
        if (!outside || vec3_norm_squared(found.closest) >= vec3_norm_squared(s.closest)) {
            s.count--;
            break;
        }
        keep(&s, &found);
    }
    finish(&s, result);
}
