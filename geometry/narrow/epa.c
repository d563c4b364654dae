// SPDX-License-Identifier: Apache-2.0
// Penetration of two convex cores (expanding polytope).
#include "geometry/narrow/gjk.h"

enum { VERTEX_MAX = 72, FACE_MAX = 2 * VERTEX_MAX, HORIZON_MAX = VERTEX_MAX };

typedef struct face {
    vec3 normal; // outward
    double distance;
    int v[3];
    bool alive;
} face;

// polytope inside the difference A - B
typedef struct polytope {
    int vertex_count, face_count;
    int free; // no face before this one is dead
    double scale;
    geo_gjk_vertex v[VERTEX_MAX];
    face faces[FACE_MAX];
} polytope;

static geo_gjk_vertex support(const geo_core *a, const geo_core *b, vec3 direction)
{
    geo_gjk_vertex v;
    v.a = geo_core_support(a, direction, &v.ia);
    v.b = geo_core_support(b, vec3_negate(direction), &v.ib);
    v.w = vec3_sub(v.a, v.b);
    return v;
}

// false if the face would be degenerate or there is no room
static bool add_face(polytope *p, int i, int j, int k)
{
    int slot = p->free;
    while (slot < p->face_count && p->faces[slot].alive)
        slot++;
    p->free = slot;
    if (slot == FACE_MAX)
        return false;
    vec3 a = p->v[i].w;
    vec3 n = vec3_cross(vec3_sub(p->v[j].w, a), vec3_sub(p->v[k].w, a));
    double length = vec3_norm(n);
    if (length <= 1e-26 * p->scale * p->scale)
        return false;
    face *f = &p->faces[slot];
    f->normal = vec3_scale(1.0 / length, n);
    f->distance = vec3_dot(f->normal, a);
    f->v[0] = i;
    f->v[1] = j;
    f->v[2] = k;
    f->alive = true;
    if (slot == p->face_count)
        p->face_count++;
    return true;
}

// farthest of the support points along +-d from the plane or line measured by d
static geo_gjk_vertex farther(const geo_core *a, const geo_core *b, vec3 d, double offset)
{
    geo_gjk_vertex plus = support(a, b, d), minus = support(a, b, vec3_negate(d));
    double hp = fabs(vec3_dot(d, plus.w) - offset), hm = fabs(vec3_dot(d, minus.w) - offset);
    return hp >= hm ? plus : minus;
}

// a tetrahedron of support points with as much volume as easily found
static bool start(polytope *p, const geo_core *a, const geo_core *b)
{
    p->v[0] = support(a, b, (vec3){1.0, 0.0, 0.0});
    p->v[1] = support(a, b, (vec3){-1.0, 0.0, 0.0});
    p->vertex_count = 4;
    p->face_count = p->free = 0;
    vec3 line = vec3_sub(p->v[1].w, p->v[0].w), t1, t2;
    p->scale = vec3_norm(line);
    if (p->scale <= 0.0)
        return false;
    vec3_tangents(vec3_scale(1.0 / p->scale, line), &t1, &t2);
    geo_gjk_vertex u1 = farther(a, b, t1, vec3_dot(t1, p->v[0].w));
    geo_gjk_vertex u2 = farther(a, b, t2, vec3_dot(t2, p->v[0].w));
    double h1 = fabs(vec3_dot(t1, vec3_sub(u1.w, p->v[0].w)));
    double h2 = fabs(vec3_dot(t2, vec3_sub(u2.w, p->v[0].w)));
    p->v[2] = h1 >= h2 ? u1 : u2;
    p->scale = fmax(p->scale, fmax(h1, h2));
    vec3 n = vec3_cross(line, vec3_sub(p->v[2].w, p->v[0].w));
    n = vec3_normalize_or(n, (vec3){0.0, 0.0, 0.0});
    p->v[3] = farther(a, b, n, vec3_dot(n, p->v[0].w));
    double height = vec3_dot(n, vec3_sub(p->v[3].w, p->v[0].w));
    if (!(fabs(height) > 1e-13 * p->scale))
        return false;
    int j = height > 0.0 ? 2 : 1, k = 3 - j;
    return add_face(p, 0, j, k) && add_face(p, 0, k, 3) && add_face(p, k, j, 3) &&
           add_face(p, j, 0, 3);
}

static int nearest_face(const polytope *p)
{
    int best = -1;
    for (int f = 0; f < p->face_count; f++)
        if (p->faces[f].alive && (best < 0 || p->faces[f].distance < p->faces[best].distance))
            best = f;
    return best;
}

// edges between the faces that a new point sees and those that it does not, walked along one way
typedef struct horizon {
    int count;
    int edges[HORIZON_MAX][2];
} horizon;

// an edge seen from both sides lies inside the removed patch
static bool toggle_edge(horizon *h, int i, int j)
{
    for (int e = 0; e < h->count; e++) {
        if (h->edges[e][0] == j && h->edges[e][1] == i) {
            h->count--;
            h->edges[e][0] = h->edges[h->count][0];
            h->edges[e][1] = h->edges[h->count][1];
            return true;
        }
    }
    if (h->count == HORIZON_MAX)
        return false;
    h->edges[h->count][0] = i;
    h->edges[h->count][1] = j;
    h->count++;
    return true;
}

// the hull of the polytope and one more point, known to see face `first`
static bool insert(polytope *p, const geo_gjk_vertex *v, int first)
{
    if (p->vertex_count == VERTEX_MAX)
        return false;
    horizon h = {0};
    int index = p->vertex_count++;
    p->v[index] = *v;
    for (int f = 0; f < p->face_count; f++) {
        face *at = &p->faces[f];
        if (!at->alive ||
            (f != first && !(vec3_dot(at->normal, v->w) - at->distance > 1e-15 * p->scale)))
            continue;
        at->alive = false;
        p->free = f < p->free ? f : p->free;
        for (int e = 0; e < 3; e++)
            if (!toggle_edge(&h, at->v[e], at->v[(e + 1) % 3]))
                return false;
    }
    for (int e = 0; e < h.count; e++)
        if (!add_face(p, h.edges[e][0], h.edges[e][1], index))
            return false;
    return true;
}

// the normal of least depth so far, with the depth recomputed from supports: an upper bound of the
// true depth whatever round-off did to the polytope
static void keep_best(geo_epa_result *result, const geo_core *a, const geo_core *b, vec3 normal)
{
    result->normal = normal;
    result->point_a = geo_core_support(a, normal, &result->ia);
    result->point_b = geo_core_support(b, vec3_negate(normal), &result->ib);
    result->depth = vec3_dot(normal, vec3_sub(result->point_a, result->point_b));
}

// weights of a face's corners at the origin's projection; the smallest tells how far inside it is
static double face_weights(const polytope *p, const face *f, double c[3])
{
    vec3 x = vec3_scale(f->distance, f->normal);
    vec3 w0 = p->v[f->v[0]].w, w1 = p->v[f->v[1]].w, w2 = p->v[f->v[2]].w;
    c[0] = vec3_dot(f->normal, vec3_cross(vec3_sub(w1, x), vec3_sub(w2, x)));
    c[1] = vec3_dot(f->normal, vec3_cross(vec3_sub(w2, x), vec3_sub(w0, x)));
    c[2] = vec3_dot(f->normal, vec3_cross(vec3_sub(w0, x), vec3_sub(w1, x)));
    double sum = fabs(c[0]) + fabs(c[1]) + fabs(c[2]);
    for (int i = 0; i < 3; i++)
        c[i] /= sum;
    return fmin(c[0], fmin(c[1], c[2]));
}

// points of a and b that meet the origin's projection, from the one of the nearest faces (several
// may lie in one plane) that holds it
static void face_points(const polytope *p, double nearest, geo_epa_result *result)
{
    double weights[3] = {0.0}, trial[3], inside = -INFINITY;
    const face *best = NULL;
    for (int i = 0; i < p->face_count; i++) {
        const face *f = &p->faces[i];
        if (!f->alive || f->distance > nearest + 1e-10 * p->scale)
            continue;
        double least = face_weights(p, f, trial);
        if (!(least > inside))
            continue;
        inside = least;
        best = f;
        for (int k = 0; k < 3; k++)
            weights[k] = fmax(trial[k], 0.0);
    }
    double sum = weights[0] + weights[1] + weights[2];
    if (!best || !(sum > 0.0))
        return;
    result->point_a = result->point_b = (vec3){0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        const geo_gjk_vertex *v = &p->v[best->v[i]];
        result->point_a = vec3_add_scaled(result->point_a, weights[i] / sum, v->a);
        result->point_b = vec3_add_scaled(result->point_b, weights[i] / sum, v->b);
    }
}

bool geo_epa(const geo_core *a, const geo_core *b, geo_epa_result *result)
{
    polytope p;
    if (!start(&p, a, b))
        return false;
    result->depth = INFINITY;
    for (;;) {
        // the nearest face bounds the depth from below, its support point from above
        int index = nearest_face(&p);
        if (index < 0)
            break;
        face f = p.faces[index];
        geo_gjk_vertex v = support(a, b, f.normal);
        double height = vec3_dot(f.normal, v.w);
        if (height < result->depth)
            keep_best(result, a, b, f.normal);
        // the bounds meet, or there is no room for more corners: the best normal stands
        bool settled = height - f.distance <= 1e-12 * p.scale || p.vertex_count == VERTEX_MAX;
        if (settled)
            face_points(&p, f.distance, result);
        // a degenerate face or a broken horizon ends the search with the best normal, too
        if (settled || !insert(&p, &v, index))
            break;
    }
    return isfinite(result->depth);
}
