// SPDX-License-Identifier: Apache-2.0
// Polygon clipping along the contact normal, and the naming of the corners.
#include "geometry/narrow/clip.h"

enum { REFERENCE_SIDE = 0x40000000, INLINE_CORNERS = 2 * GEO_FEATURE_INLINE };

// corner of the clipped incident polygon; `edge` names the side that leaves it: k for the incident
// side from corner k, REFERENCE_SIDE | k for the reference side
typedef struct corner {
    vec3 x;
    int edge;
    int cut; // 1 + the reference side that cut the polygon here; 0 where none did
} corner;

// what is known of a corner of the finished polygon
typedef struct naming {
    vec3 x;       // of the incident surface
    double gap;   // m
    double u, v;  // m, place across the normal
    uint64_t key; // 0: not named yet
    int rank;     // of its name: 0 a vertex of B, 1 a vertex of A, 2 a crossing
    bool left;    // another corner stands for it
} naming;

typedef struct clipping {
    const geo_feature *reference, *incident;
    vec3 out;  // unit, from the reference to the incident feature
    vec3 u, v; // unit, across it
    double size;
    bool reference_is_a;
    int count;
    corner *corners, *other; // [capacity] each
    double *distances;       // [capacity] m3, of corners from a side
    naming *names;           // [capacity]
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

// Does the polygon's side from its corner `i` to the next lie along the reference side, so that
// where the two cross hangs on their last digits? One of its ends is outside, and the polygon's
// side beyond that end crosses next to it: that crossing stands for this one.
static bool lies_along(const clipping *c, int i, double along)
{
    const double *d = c->distances, steep = 1e3 * along;
    int next = next_of(i, c->count);
    if (fabs(d[i]) > along || fabs(d[next]) > along)
        return false;
    int beyond = d[i] < d[next] ? last_of(i, c->count) : next_of(next, c->count);
    return d[beyond] > steep;
}

// keeps the part of the polygon on the inner side of reference side k
static void clip_side(clipping *c, int k)
{
    const geo_feature *ref = c->reference;
    const corner *corners = c->corners;
    vec3 p = ref->points[k], q = ref->points[next_of(k, ref->count)];
    vec3 inward = vec3_cross(c->out, vec3_sub(q, p));
    double unit = c->size * vec3_norm(inward), least = -1e-12 * unit, *distances = c->distances;
    int from = c->count, outer = 0;
    for (int i = 0; i < from; i++) {
        distances[i] = side_distance(p, inward, corners[i].x);
        outer += !(distances[i] >= least);
    }
    if (outer == 0)
        return;
    corner *kept = c->other;
    for (int i = 0; i < from; i++) {
        int next = next_of(i, from);
        double d = distances[i], e = distances[next];
        bool in = d >= least;
        if (in)
            *kept++ = corners[i];
        if (in == (e >= least) || lies_along(c, i, 1e-5 * unit))
            continue;
        double t = real_min(real_max(d / (d - e), 0.0), 1.0);
        vec3 at = corners[i].x;
        kept->x = vec3_add_scaled(at, t, vec3_sub(corners[next].x, at));
        // leaving: the reference side goes on from here; entering: the incident side does
        kept->edge = in ? REFERENCE_SIDE | k : corners[i].edge;
        kept->cut = k + 1;
        kept++;
    }
    c->count = (int)(kept - c->other);
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
        if (same) {
            int cut = c->corners[count - 1].cut;
            c->corners[count - 1].edge = c->corners[i].edge;
            c->corners[count - 1].cut = cut > 0 ? cut : c->corners[i].cut;
        } else if (i == count++)
            continue;
        else
            c->corners[count - 1] = c->corners[i];
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

// name that a vertex of a feature gives
static uint64_t vertex_key(const clipping *c, const geo_feature *f, bool is_reference, int k)
{
    uint32_t vertex = vertex_code(f, k);
    return is_reference ? pair_key(c, vertex, body_code(c->incident))
                        : pair_key(c, body_code(c->reference), vertex);
}

// names the corner nearest to each vertex of a feature by that vertex
static void name_by_vertices(const clipping *c, const geo_feature *f, bool is_reference)
{
    const double snap = 1e-4 * c->size;
    for (int k = 0; k < f->count; k++) {
        int best = -1;
        double nearest = snap * snap, u = vec3_dot(c->u, f->points[k]),
               v = vec3_dot(c->v, f->points[k]);
        for (int i = 0; i < c->count; i++) {
            // most corners are too far along u alone
            double du = c->names[i].u - u, square = du * du;
            if (square >= nearest)
                continue;
            double dv = c->names[i].v - v, d = square + dv * dv;
            if (d < nearest && c->names[i].key == 0) {
                nearest = d;
                best = i;
            }
        }
        if (best < 0)
            continue;
        c->names[best].rank = is_reference == c->reference_is_a;
        c->names[best].key = vertex_key(c, f, is_reference, k);
    }
}

// Where a side within a face of a mesh cuts a segment, the end that is left has the name of the
// crossing, for the face goes on behind it. Elsewhere the end keeps the name of the segment's own.
static bool is_cut_within_face(const clipping *c, int i)
{
    const geo_feature *ref = c->reference;
    const bool *inner = ref->core->inner_edges;
    int cut = c->corners[i].cut;
    return inner != NULL && ref->edges != NULL && c->incident->count == 2 && cut > 0 &&
           inner[ref->edges[cut - 1]];
}

// name of a corner where an edge of one meets an edge of the other
static uint64_t crossing_key(const clipping *c, int i)
{
    if (is_cut_within_face(c, i))
        return pair_key(c, edge_code(c->reference, c->corners[i].cut - 1),
                        edge_code(c->incident, 0));
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

static bool key_taken(const clipping *c, uint64_t key)
{
    for (int i = 0; i < c->count; i++)
        if (c->names[i].key == key)
            return true;
    return false;
}

// leaves out corners within a thousandth of the size of one with a better name: blocks that lie
// edge to edge keep one contact a corner, whatever the last digits of their poses
static void leave_close_corners(const clipping *c)
{
    const double merge = 1e-3 * c->size;
    for (int i = 1; i < c->count; i++) {
        for (int j = 0; j < i; j++) {
            // the cheap part of the distance first
            if (fabs(c->names[j].u - c->names[i].u) <= 2.0 * merge &&
                vec3_norm_squared(vec3_sub(c->corners[j].x, c->corners[i].x)) <= merge * merge) {
                bool former_is_better = c->names[j].rank <= c->names[i].rank;
                c->names[former_is_better ? i : j].left = true;
            }
        }
    }
}

// names all corners, and leaves out some
static void name_corners(const clipping *c)
{
    // vertices of B go first, whichever feature is the reference
    bool reference_first = !c->reference_is_a;
    const geo_feature *first = reference_first ? c->reference : c->incident;
    const geo_feature *second = reference_first ? c->incident : c->reference;
    name_by_vertices(c, first, reference_first);
    name_by_vertices(c, second, !reference_first);
    for (int i = 0; i < c->count; i++) {
        if (c->names[i].key != 0)
            continue;
        uint64_t key = crossing_key(c, i);
        for (int n = 0; key_taken(c, key); n++)
            key = pair_key(c, geo_code_curve(0x1000 + n), geo_code_curve(0x1000 + i));
        c->names[i].key = key;
    }
    leave_close_corners(c);
}

// the vertex of a feature that alone is so near to a corner that it gives its name; -1 for none, -2
// for several
static int vertex_near(const clipping *c, const geo_feature *f, int i)
{
    const double snap = 1e-4 * c->size, nearest = snap * snap;
    int found = -1;
    for (int k = 0; k < f->count; k++) {
        double du = c->names[i].u - vec3_dot(c->u, f->points[k]), square = du * du;
        if (square >= nearest)
            continue;
        double dv = c->names[i].v - vec3_dot(c->v, f->points[k]);
        if (square + dv * dv < nearest)
            found = found == -1 ? k : -2;
    }
    return found;
}

// The name that name_corners would give a corner which no other one is near to, so that no other
// one has a say in it; 0 where that does not hold.
static uint64_t name_alone(const clipping *c, int i)
{
    const double merge = 1.001e-3 * c->size;
    int after = c->corners[i].edge, before = c->corners[last_of(i, c->count)].edge;
    bool twice = false;
    for (int j = 0, last = c->count - 1; j < c->count; last = j++) {
        if (j == i)
            continue;
        double du = c->names[j].u - c->names[i].u, dv = c->names[j].v - c->names[i].v;
        if (du * du + dv * dv <= merge * merge)
            return 0;
        int own = c->corners[j].edge, other = c->corners[last].edge;
        twice = twice || (own == after && other == before) || (own == before && other == after);
    }
    int of_reference = vertex_near(c, c->reference, i),
        of_incident = vertex_near(c, c->incident, i);
    if (of_reference == -1 && of_incident == -1) {
        bool crosses = (after & REFERENCE_SIDE) != (before & REFERENCE_SIDE);
        return crosses && !twice ? crossing_key(c, i) : 0;
    }
    if (of_reference >= 0 && of_incident == -1)
        return vertex_key(c, c->reference, true, of_reference);
    return of_reference == -1 && of_incident >= 0 ? vertex_key(c, c->incident, false, of_incident)
                                                  : 0;
}

// names the corners within the margin as name_corners does; most polygons need no more
static bool name_closed(const clipping *c, double margin)
{
    for (int i = 0; i < c->count; i++) {
        if (c->names[i].gap > margin)
            continue;
        c->names[i].key = name_alone(c, i);
        if (c->names[i].key == 0)
            return false;
    }
    return true;
}

static void name(clipping *c, double margin)
{
    vec3_tangents(c->out, &c->u, &c->v);
    for (int i = 0; i < c->count; i++) {
        naming *n = &c->names[i];
        n->u = vec3_dot(c->u, c->corners[i].x);
        n->v = vec3_dot(c->v, c->corners[i].x);
        n->left = false;
    }
    if (name_closed(c, margin))
        return;
    for (int i = 0; i < c->count; i++) {
        c->names[i].key = 0;
        c->names[i].rank = 2;
    }
    name_corners(c);
}

// Gaps at the corners: distances along `out` from the reference plane (or line) to the incident
// surface. Returns whether any is within the margin.
static bool find_gaps(const clipping *c, double margin)
{
    const geo_feature *ref = c->reference;
    vec3 origin = ref->points[0], u = {0.0, 0.0, 0.0};
    bool line = ref->count < 3, any = false;
    double cosine = 1.0, squared = 1.0;
    if (line) {
        u = vec3_sub(ref->points[1], origin);
        squared = vec3_norm_squared(u);
    } else {
        cosine = vec3_dot(ref->normal, c->out);
    }
    for (int i = 0; i < c->count; i++) {
        naming *name = &c->names[i];
        name->x = vec3_add_scaled(c->corners[i].x, -c->incident->radius, c->out);
        vec3 d = vec3_sub(name->x, origin);
        double height;
        if (line) {
            d = vec3_add_scaled(d, -vec3_dot(d, u) / squared, u);
            height = vec3_dot(d, c->out);
        } else {
            height = vec3_dot(ref->normal, d);
            height = cosine < 1.0 - 4e-16 ? height / cosine : height;
        }
        name->gap = height - ref->radius;
        any = any || name->gap <= margin;
    }
    return any;
}

static cairn_status emit_corners(geo_job *job, clipping *c)
{
    if (!find_gaps(c, job->margin))
        return CAIRN_OK;
    name(c, job->margin);
    vec3 normal = c->reference_is_a ? c->out : vec3_negate(c->out);
    for (int i = 0; i < c->count; i++) {
        const naming *n = &c->names[i];
        if (n->gap > job->margin || n->left)
            continue;
        vec3 point = vec3_add_scaled(n->x, -0.5 * n->gap, c->out);
        cairn_status status =
            geo_emit(job, normal, n->gap, point, (uint32_t)(n->key >> 32), (uint32_t)n->key);
        if (status)
            return status;
    }
    return CAIRN_OK;
}

static cairn_status clip_polygon(geo_job *job, clipping *c)
{
    c->count = c->incident->count;
    for (int k = 0; k < c->count; k++)
        c->corners[k] = (corner){.x = c->incident->points[k], .edge = k};
    for (int k = 0; k < c->reference->count && c->count > 0; k++)
        clip_side(c, k);
    drop_duplicates(c);
    return emit_corners(job, c);
}

// the part of the incident segment beside the reference segment
static cairn_status clip_segment(geo_job *job, clipping *c, double parallel_sine)
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
    return emit_corners(job, c);
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
    double own_distances[INLINE_CORNERS];
    naming own_names[INLINE_CORNERS];
    int capacity = a->count + b->count + 2;
    c.corners = own[0];
    c.other = own[1];
    c.distances = own_distances;
    c.names = own_names;
    void *heap = NULL;
    if (capacity > INLINE_CORNERS) {
        // one block: names, two corner lists, distances
        size_t each = sizeof(naming) + 2 * sizeof(corner) + sizeof(double);
        heap = base_allocate(&job->manifold->allocator, (size_t)capacity, each);
        if (!heap)
            return CAIRN_ERROR_MEMORY;
        c.names = heap;
        c.corners = (corner *)(c.names + capacity);
        c.other = c.corners + capacity;
        c.distances = (double *)(c.other + capacity);
    }
    cairn_status status =
        c.reference->count == 2 ? clip_segment(job, &c, parallel_sine) : clip_polygon(job, &c);
    base_release(&job->manifold->allocator, heap);
    return status;
}
