// SPDX-License-Identifier: Apache-2.0
// Polygon clipping along the contact normal, and the naming of the corners.
#include "geometry/narrow/clip.h"

enum { REFERENCE_SIDE = 0x40000000, INLINE_CORNERS = 2 * GEO_FEATURE_INLINE };

// corner of the clipped incident polygon; `edge` names the side that leaves it: k for the incident
// side from corner k, REFERENCE_SIDE | k for the reference side
typedef struct corner {
    vec3 x;
    int edge;
    int rank;    // of its name: 0 a vertex of B, 1 a vertex of A, 2 a crossing
    double u, v; // m, place across the normal
} corner;

typedef struct clipping {
    const geo_feature *reference, *incident;
    vec3 out;  // unit, from the reference to the incident feature
    vec3 u, v; // unit, across it
    double size;
    bool reference_is_a;
    int count;
    corner *corners, *other; // [capacity] each
} clipping;

// the corner after, and the one before, of a polygon
static int next_of(int i, int count)
{
    return i + 1 < count ? i + 1 : 0;
}

static int last_of(int i, int count)
{
    return i > 0 ? i - 1 : count - 1;
}

static double side_distance(vec3 p, vec3 inward, vec3 x)
{
    return vec3_dot(inward, vec3_sub(x, p));
}

// keeps the part of the polygon on the inner side of reference side k
static void clip_side(clipping *c, int k)
{
    const geo_feature *ref = c->reference;
    vec3 p = ref->points[k], q = ref->points[next_of(k, ref->count)];
    vec3 inward = vec3_cross(c->out, vec3_sub(q, p));
    double tolerance = 1e-12 * c->size * vec3_norm(inward);
    int count = 0;
    double d = c->count > 0 ? side_distance(p, inward, c->corners[0].x) : 0.0;
    for (int i = 0; i < c->count; i++) {
        const corner *at = &c->corners[i], *next = &c->corners[next_of(i, c->count)];
        double e = side_distance(p, inward, next->x);
        bool in = d >= -tolerance, next_in = e >= -tolerance;
        if (in)
            c->other[count++] = *at;
        if (in != next_in) {
            double t = real_min(real_max(d / (d - e), 0.0), 1.0);
            vec3 x = vec3_add_scaled(at->x, t, vec3_sub(next->x, at->x));
            // leaving: the reference side goes on from here; entering: the incident side does
            c->other[count++] = (corner){.x = x, .edge = in ? REFERENCE_SIDE | k : at->edge};
        }
        d = e;
    }
    c->count = count;
    corner *swap = c->corners;
    c->corners = c->other;
    c->other = swap;
}

static vec3 across(const clipping *c, vec3 d)
{
    return vec3_add_scaled(d, -vec3_dot(d, c->out), c->out);
}

// drops corners that coincide with the one before
static void drop_duplicates(clipping *c)
{
    double limit = 1e-18 * c->size * c->size;
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        bool same = count > 0 &&
                    vec3_norm_squared(vec3_sub(c->corners[i].x, c->corners[count - 1].x)) <= limit;
        if (!same)
            c->corners[count++] = c->corners[i];
        else
            c->corners[count - 1].edge = c->corners[i].edge;
    }
    while (count > 1 &&
           vec3_norm_squared(vec3_sub(c->corners[0].x, c->corners[count - 1].x)) <= limit)
        count--;
    c->count = count;
}

static uint64_t pair_key(const clipping *c, uint32_t reference, uint32_t incident)
{
    return c->reference_is_a ? (uint64_t)reference << 32 | incident
                             : (uint64_t)incident << 32 | reference;
}

static uint32_t vertex_code(const geo_feature *f, int k)
{
    int v = f->vertices[k];
    return v >= 0 ? geo_core_vertex_code(f->core, v) : geo_code_curve(-v);
}

static uint32_t edge_code(const geo_feature *f, int k)
{
    if (f->edges != NULL)
        return geo_core_code_of_edge(f->core, f->edges[k]);
    int v = f->vertices[k], w = f->vertices[next_of(k, f->count)];
    if (f->count == 1)
        return vertex_code(f, 0);
    return v >= 0 ? geo_core_edge_code(f->core, v, w) : geo_code_edge(-v);
}

static uint32_t body_code(const geo_feature *f)
{
    return f->count >= 3 ? f->face_code : f->count == 2 ? edge_code(f, 0) : vertex_code(f, 0);
}

// names the corner nearest to each vertex of a feature by that vertex
static void name_by_vertices(clipping *c, const geo_feature *f, bool is_reference, uint64_t *keys)
{
    const double snap = 1e-4 * c->size;
    for (int k = 0; k < f->count; k++) {
        int best = -1;
        double nearest = snap * snap, u = vec3_dot(c->u, f->points[k]),
               v = vec3_dot(c->v, f->points[k]);
        for (int i = 0; i < c->count; i++) {
            double du = c->corners[i].u - u, dv = c->corners[i].v - v, d = du * du + dv * dv;
            if (d < nearest && !keys[i]) {
                nearest = d;
                best = i;
            }
        }
        if (best < 0)
            continue;
        uint32_t vertex = vertex_code(f, k);
        c->corners[best].rank = is_reference == c->reference_is_a;
        keys[best] = is_reference ? pair_key(c, vertex, body_code(c->incident))
                                  : pair_key(c, body_code(c->reference), vertex);
    }
}

// name of a corner where an edge of one meets an edge of the other
static uint64_t crossing_key(const clipping *c, int i)
{
    int after = c->corners[i].edge, before = c->corners[last_of(i, c->count)].edge;
    bool ref_after = after & REFERENCE_SIDE, ref_before = before & REFERENCE_SIDE;
    int ref_side = (ref_after ? after : before) & ~REFERENCE_SIDE;
    int inc_side = ref_after ? before : after;
    if (ref_after && ref_before) { // numerically split vertex of the reference
        int other = before & ~REFERENCE_SIDE;
        int v = ref_side == next_of(other, c->reference->count) ? ref_side : other;
        return pair_key(c, vertex_code(c->reference, v), body_code(c->incident));
    }
    if (!ref_after && !ref_before)
        return pair_key(c, body_code(c->reference), vertex_code(c->incident, after));
    return pair_key(c, edge_code(c->reference, ref_side), edge_code(c->incident, inc_side));
}

static bool key_taken(const uint64_t *keys, int count, uint64_t key)
{
    for (int i = 0; i < count; i++)
        if (keys[i] == key)
            return true;
    return false;
}

// keys[i] == 0 means not named yet
static void name_corners(clipping *c, uint64_t *keys)
{
    vec3_tangents(c->out, &c->u, &c->v);
    for (int i = 0; i < c->count; i++) {
        corner *at = &c->corners[i];
        keys[i] = 0;
        at->rank = 2;
        at->u = vec3_dot(c->u, at->x);
        at->v = vec3_dot(c->v, at->x);
    }
    // vertices of B go first, whichever feature is the reference
    bool reference_first = !c->reference_is_a;
    const geo_feature *first = reference_first ? c->reference : c->incident;
    const geo_feature *second = reference_first ? c->incident : c->reference;
    name_by_vertices(c, first, reference_first, keys);
    name_by_vertices(c, second, !reference_first, keys);
    for (int i = 0; i < c->count; i++) {
        if (keys[i])
            continue;
        uint64_t key = crossing_key(c, i);
        for (int n = 0; key_taken(keys, c->count, key); n++)
            key = pair_key(c, geo_code_curve(0x1000 + n), geo_code_curve(0x1000 + i));
        keys[i] = key;
    }
}

// distance along `out` from the reference plane (or line) to x
static double height_above(const clipping *c, vec3 x)
{
    const geo_feature *ref = c->reference;
    vec3 d = vec3_sub(x, ref->points[0]);
    if (ref->count < 3) {
        vec3 u = vec3_sub(ref->points[1], ref->points[0]);
        d = vec3_add_scaled(d, -vec3_dot(d, u) / vec3_norm_squared(u), u);
        return vec3_dot(d, c->out);
    }
    double cosine = vec3_dot(ref->normal, c->out);
    double height = vec3_dot(ref->normal, d);
    return cosine < 1.0 - 4e-16 ? height / cosine : height;
}

// true for a corner within a thousandth of the size of one with a better name: blocks that lie edge
// to edge keep one contact a corner, whatever the last digits of their poses
static bool stands_for_another(const clipping *c, int i)
{
    const double merge = 1e-3 * c->size;
    for (int j = 0; j < c->count; j++) {
        bool better = c->corners[j].rank < c->corners[i].rank ||
                      (c->corners[j].rank == c->corners[i].rank && j < i);
        // the cheap part of the distance first
        if (better && fabs(c->corners[j].u - c->corners[i].u) <= 2.0 * merge &&
            vec3_norm_squared(vec3_sub(c->corners[j].x, c->corners[i].x)) <= merge * merge)
            return true;
    }
    return false;
}

/// Gap at a corner; out: the point of the incident surface.
static double gap_at(const clipping *c, int i, vec3 *x)
{
    *x = vec3_add_scaled(c->corners[i].x, -c->incident->radius, c->out);
    return height_above(c, *x) - c->reference->radius;
}

static bool any_within(const clipping *c, double margin)
{
    vec3 x;
    for (int i = 0; i < c->count; i++)
        if (gap_at(c, i, &x) <= margin)
            return true;
    return false;
}

static cairn_status emit_corners(geo_job *job, clipping *c, uint64_t *keys)
{
    if (!any_within(c, job->margin))
        return CAIRN_OK;
    name_corners(c, keys);
    vec3 normal = c->reference_is_a ? c->out : vec3_negate(c->out);
    for (int i = 0; i < c->count; i++) {
        vec3 x;
        double gap = gap_at(c, i, &x);
        if (gap > job->margin || stands_for_another(c, i))
            continue;
        vec3 point = vec3_add_scaled(x, -0.5 * gap, c->out);
        cairn_status status =
            geo_emit(job, normal, gap, point, (uint32_t)(keys[i] >> 32), (uint32_t)keys[i]);
        if (status)
            return status;
    }
    return CAIRN_OK;
}

static cairn_status clip_polygon(geo_job *job, clipping *c, uint64_t *keys)
{
    c->count = c->incident->count;
    for (int k = 0; k < c->count; k++)
        c->corners[k] = (corner){.x = c->incident->points[k], .edge = k};
    for (int k = 0; k < c->reference->count && c->count > 0; k++)
        clip_side(c, k);
    drop_duplicates(c);
    return emit_corners(job, c, keys);
}

// the part of the incident segment beside the reference segment
static cairn_status clip_segment(geo_job *job, clipping *c, uint64_t *keys, double parallel_sine)
{
    const vec3 *r = c->reference->points, *s = c->incident->points;
    vec3 u = across(c, vec3_sub(r[1], r[0])), v = across(c, vec3_sub(s[1], s[0]));
    double uu = vec3_norm_squared(u), vv = vec3_norm_squared(v);
    double limit = parallel_sine * parallel_sine * uu * vv;
    if (vec3_norm_squared(vec3_cross(u, v)) > limit || uu <= 0.0 || vv <= 0.0)
        return CAIRN_OK;
    double range[2] = {0.0, 1.0};
    for (int k = 0; k < 2; k++) {
        double t = vec3_dot(vec3_sub(r[k], s[0]), v) / vv;
        bool lower = (vec3_dot(u, v) > 0.0) == (k == 0);
        range[!lower] = lower ? fmax(range[0], t) : fmin(range[1], t);
    }
    if (range[0] > range[1])
        return CAIRN_OK;
    vec3 along = vec3_sub(s[1], s[0]);
    c->count = 2;
    for (int k = 0; k < 2; k++)
        c->corners[k] = (corner){.x = vec3_add_scaled(s[0], range[k], along), .edge = k};
    drop_duplicates(c);
    return emit_corners(job, c, keys);
}

// the polygon that faces the normal best is the reference
static bool prefer_a(vec3 normal, const geo_feature *a, const geo_feature *b)
{
    if ((a->count >= 3) != (b->count >= 3))
        return a->count >= 3;
    if (a->count < 3)
        return true;
    return vec3_dot(normal, a->normal) >= -vec3_dot(normal, b->normal) - 1e-9;
}

cairn_status geo_clip(geo_job *job, vec3 normal, const geo_feature *a, const geo_feature *b,
                      double parallel_sine)
{
    bool use_a = prefer_a(normal, a, b);
    clipping c = {.reference = use_a ? a : b,
                  .incident = use_a ? b : a,
                  .out = use_a ? normal : vec3_negate(normal),
                  .size = job->size,
                  .reference_is_a = use_a};
    if (c.reference->count < 2 || (c.reference->count == 2 && c.incident->count < 2))
        return CAIRN_OK;
    corner own[2][INLINE_CORNERS];
    uint64_t own_keys[INLINE_CORNERS];
    int capacity = a->count + b->count + 2;
    c.corners = own[0];
    c.other = own[1];
    uint64_t *keys = own_keys;
    corner *heap = NULL;
    if (capacity > INLINE_CORNERS) {
        // one block: two corner lists, then the keys
        size_t each = 2 * sizeof(corner) + sizeof(uint64_t);
        heap = base_allocate(&job->manifold->allocator, (size_t)capacity, each);
        if (!heap)
            return CAIRN_ERROR_MEMORY;
        c.corners = heap;
        c.other = heap + capacity;
        keys = (uint64_t *)(heap + 2 * capacity);
    }
    cairn_status status = c.reference->count == 2 ? clip_segment(job, &c, keys, parallel_sine)
                                                  : clip_polygon(job, &c, keys);
    base_release(&job->manifold->allocator, heap);
    return status;
}
