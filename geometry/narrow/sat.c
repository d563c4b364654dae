// SPDX-License-Identifier: Apache-2.0
// Separating axes of two polytopes: faces, and edge pairs pruned by the Gauss map.
#include "geometry/narrow/sat.h"

#include "geometry/narrow/edges.h"

#include <stdint.h>

// best face of `ref` against all of `other`; false beyond the limit
static bool query_faces(const geo_core *ref, const geo_core *other, double limit, double *best,
                        int *index)
{
    *best = -INFINITY;
    *index = -1;
    // in the frame of `other`
    mat3 back = mat3_transpose(&other->rotation), rotation = mat3_multiply(&back, &ref->rotation);
    vec3 centre = mat3_apply(&back, vec3_sub(ref->centre, other->centre));
    for (int f = 0; f < ref->face_count; f++) {
        vec3 n = mat3_apply(&rotation, ref->face_normals[f]);
        vec3 x = geo_core_support_local(other, vec3_negate(n));
        double s = vec3_dot(n, vec3_sub(x, centre)) - ref->face_offsets[f];
        if (s > *best) {
            *best = s;
            *index = f;
            if (s > limit)
                return false;
        }
    }
    return true;
}

static geo_edge_view view_edge(const geo_core *core, int edge)
{
    geo_edge_view v = {.full = core->face_count == 0};
    const int *ends = core->edge_vertices[edge];
    v.point = core->vertices[ends[0]];
    v.along = vec3_sub(core->vertices[ends[1]], v.point);
    if (v.full)
        return v;
    v.n0 = core->face_normals[core->edge_faces[edge][0]];
    v.n1 = core->face_normals[core->edge_faces[edge][1]];
    v.middle = core->face_count == 2 ? geo_edge_outward(core->vertices, edge, v.along)
                                     : vec3_add(v.n0, v.n1);
    return v;
}

static geo_edge_view to_frame(geo_edge_view v, const mat3 *rotation, vec3 shift)
{
    v.point = vec3_add(shift, mat3_apply(rotation, v.point));
    v.along = mat3_apply(rotation, v.along);
    v.n0 = mat3_apply(rotation, v.n0);
    v.n1 = mat3_apply(rotation, v.n1);
    v.middle = mat3_apply(rotation, v.middle);
    return v;
}

enum { FACE_TABLE = 128 };

// slopes of A's face normals (its own frame) against an edge of B: table[face]
static void fill_slopes(const geo_core *a, vec3 along, double table[FACE_TABLE])
{
    for (int f = 0; f < a->face_count && a->face_count <= FACE_TABLE; f++)
        table[f] = vec3_dot(a->face_normals[f], along);
}

// can the arc of an edge of A cross the plane of another edge? the cheap half of the test that the
// arcs of two edges cross on the Gauss map
static bool arc_meets_plane(const geo_core *a, int edge, vec3 along, const double *table)
{
    if (a->face_count == 0)
        return true;
    const int *f = a->edge_faces[edge];
    if (a->face_count <= FACE_TABLE)
        return table[f[0]] * table[f[1]] < 0.0;
    return vec3_dot(a->face_normals[f[0]], along) * vec3_dot(a->face_normals[f[1]], along) < 0.0;
}

// the other half
static bool view_meets_plane(const geo_edge_view *b, vec3 along)
{
    return b->full || vec3_dot(b->n0, along) * vec3_dot(b->n1, along) < 0.0;
}

// every edge against every other one, as the slopes come
static bool query_many_edges(const geo_core *a, const geo_core *b, const mat3 *rotation, vec3 shift,
                             double limit, geo_sat *sat)
{
    double slopes[FACE_TABLE];
    for (int j = 0; j < b->edge_count; j++) {
        geo_edge_view eb = to_frame(view_edge(b, j), rotation, shift);
        fill_slopes(a, eb.along, slopes);
        for (int i = 0; i < a->edge_count; i++) {
            if (!arc_meets_plane(a, i, eb.along, slopes))
                continue;
            geo_edge_view ea = view_edge(a, i);
            if (view_meets_plane(&eb, ea.along))
                geo_edges_try(&ea, i, &eb, j, sat);
        }
        if (sat->edge > limit)
            return false;
    }
    return true;
}

// ---------------------------------------------------------------- few vertices, faces and edges

enum { SMALL = 64 };

// what is asked of a polytope with few features, in the frame of A
typedef struct small_polytope {
    const geo_core *core;
    const vec3 *vertices, *normals;
    const double *offsets;
    vec3 own_vertices[SMALL], own_normals[SMALL];
    double own_offsets[SMALL];
} small_polytope;

static bool is_small(const geo_core *core)
{
    return core->face_count > 0 && core->face_count <= SMALL && core->edge_count <= SMALL &&
           core->vertex_count <= SMALL;
}

static void view_own(const geo_core *core, small_polytope *p)
{
    p->core = core;
    p->vertices = core->vertices;
    p->normals = core->face_normals;
    p->offsets = core->face_offsets;
}

static void view_other(const geo_core *core, const mat3 *rotation, vec3 shift, small_polytope *p)
{
    p->core = core;
    p->vertices = p->own_vertices;
    p->normals = p->own_normals;
    p->offsets = p->own_offsets;
    for (int v = 0; v < core->vertex_count; v++)
        p->own_vertices[v] = vec3_add(shift, mat3_apply(rotation, core->vertices[v]));
    for (int f = 0; f < core->face_count; f++) {
        p->own_normals[f] = mat3_apply(rotation, core->face_normals[f]);
        p->own_offsets[f] = core->face_offsets[f] + vec3_dot(p->own_normals[f], shift);
    }
}

static int lowest_vertex(const small_polytope *p, vec3 normal, double *height)
{
    int lowest = 0;
    *height = vec3_dot(normal, p->vertices[0]);
    for (int v = 1; v < p->core->vertex_count; v++) {
        double h = vec3_dot(normal, p->vertices[v]);
        if (h < *height) {
            *height = h;
            lowest = v;
        }
    }
    return lowest;
}

// best face of `ref` against all of `other`; false beyond the limit
static bool query_small_faces(const small_polytope *ref, const small_polytope *other, vec3 towards,
                              double limit, double *best, int *index)
{
    double height;
    int deep = lowest_vertex(other, towards, &height);
    *best = -INFINITY;
    *index = -1;
    for (int f = 0; f < ref->core->face_count; f++) {
        // one vertex tells of most faces that they are not the best one
        vec3 n = ref->normals[f];
        if (vec3_dot(n, other->vertices[deep]) - ref->offsets[f] <= *best)
            continue;
        int lowest = lowest_vertex(other, n, &height);
        if (height - ref->offsets[f] <= *best)
            continue;
        *best = height - ref->offsets[f];
        *index = f;
        deep = lowest;
        if (*best > limit)
            return false;
    }
    return true;
}

// some of the edges of a polytope
typedef struct edge_set {
    geo_edge_view view[SMALL];
    int edge[SMALL];
    int count;
} edge_set;

// edges with a point between two heights along a normal
static void find_edges(const small_polytope *p, vec3 normal, double low, double high, edge_set *set)
{
    double heights[SMALL];
    for (int v = 0; v < p->core->vertex_count; v++)
        heights[v] = vec3_dot(normal, p->vertices[v]);
    set->count = 0;
    for (int i = 0; i < p->core->edge_count; i++) {
        const int *ends = p->core->edge_vertices[i];
        double from = heights[ends[0]], to = heights[ends[1]];
        if ((from > to ? from : to) >= low && (from < to ? from : to) <= high)
            set->edge[set->count++] = i;
    }
}

// Of overlapping polytopes, the edges that can part them by less than the best face does: the plane
// of the difference A - B next to the origin is touched at its foot, so that the two edges come as
// close to each other as that depth; and one body lies below the face, the other no deeper than the
// depth.
static void choose_edges(const small_polytope *a, const small_polytope *b, vec3 shift,
                         const geo_sat *sat, edge_set *of_a, edge_set *of_b)
{
    bool face_of_a = sat->face_a >= sat->face_b;
    const small_polytope *own = face_of_a ? a : b, *other = face_of_a ? b : a;
    int face = face_of_a ? sat->index_a : sat->index_b;
    double offset = own->offsets[face], depth = -real_max(sat->face_a, sat->face_b);
    double slack = 1e-6 * (depth + fabs(offset) + vec3_norm(shift));
    vec3 normal = own->normals[face];
    find_edges(own, normal, offset - 2.0 * depth - slack, INFINITY, face_of_a ? of_a : of_b);
    find_edges(other, normal, -INFINITY, offset + depth + slack, face_of_a ? of_b : of_a);
}

static void view_edges(const small_polytope *p, edge_set *set)
{
    for (int i = 0; i < set->count; i++) {
        const int *ends = p->core->edge_vertices[set->edge[i]];
        const int *faces = p->core->edge_faces[set->edge[i]];
        geo_edge_view *v = &set->view[i];
        v->full = false;
        v->point = p->vertices[ends[0]];
        v->along = vec3_sub(p->vertices[ends[1]], v->point);
        v->middle = p->core->face_count == 2 ? geo_edge_outward(p->vertices, set->edge[i], v->along)
                                             : vec3_add(p->normals[faces[0]], p->normals[faces[1]]);
    }
}

// bits of the edges that run up against a direction
static uint64_t uphill(const edge_set *edges, vec3 normal)
{
    uint64_t bits = 0;
    for (int i = 0; i < edges->count; i++)
        bits |= (uint64_t)(vec3_dot(normal, edges->view[i].along) > 0.0) << i;
    return bits;
}

// for each edge of `own`, those of the others whose plane its arc meets
static void find_met(const small_polytope *p, const edge_set *own, const edge_set *others,
                     uint64_t met[SMALL])
{
    uint64_t side[SMALL], known = 0;
    for (int e = 0; e < own->count; e++) {
        const int *faces = p->core->edge_faces[own->edge[e]];
        for (int k = 0; k < 2; k++) {
            if (known >> faces[k] & 1)
                continue;
            side[faces[k]] = uphill(others, p->normals[faces[k]]);
            known |= (uint64_t)1 << faces[k];
        }
        met[e] = side[faces[0]] ^ side[faces[1]];
    }
}

// pairs of edges; which arcs cross is found for all at once
static bool query_small_edges(const small_polytope *a, const small_polytope *b, vec3 shift,
                              double limit, bool overlap, geo_sat *sat)
{
    edge_set of_a, of_b;
    uint64_t a_meets[SMALL], b_meets[SMALL];
    if (overlap && real_max(sat->face_a, sat->face_b) < 0.0) {
        choose_edges(a, b, shift, sat, &of_a, &of_b);
    } else {
        vec3 any = {0.0, 0.0, 0.0};
        find_edges(a, any, -INFINITY, INFINITY, &of_a);
        find_edges(b, any, -INFINITY, INFINITY, &of_b);
    }
    view_edges(a, &of_a);
    view_edges(b, &of_b);
    find_met(a, &of_a, &of_b, a_meets);
    find_met(b, &of_b, &of_a, b_meets);
    for (int j = 0; j < of_b.count; j++) {
        for (uint64_t bits = b_meets[j]; bits != 0; bits &= bits - 1) {
            int i = __builtin_ctzll(bits);
            if (a_meets[i] >> j & 1)
                geo_edges_try(&of_a.view[i], of_a.edge[i], &of_b.view[j], of_b.edge[j], sat);
        }
        if (sat->edge > limit)
            return false;
    }
    return true;
}

static bool query_small(const geo_core *a, const geo_core *b, const mat3 *rotation, vec3 shift,
                        double limit, bool overlap, geo_sat *sat)
{
    small_polytope of_a, of_b;
    view_own(a, &of_a);
    view_other(b, rotation, shift, &of_b);
    return query_small_faces(&of_a, &of_b, shift, limit, &sat->face_a, &sat->index_a) &&
           query_small_faces(&of_b, &of_a, vec3_negate(shift), limit, &sat->face_b,
                             &sat->index_b) &&
           query_small_edges(&of_a, &of_b, shift, limit, overlap, sat);
}

bool geo_sat_query(const geo_core *a, const geo_core *b, double limit, bool overlap, geo_sat *sat)
{
    *sat = (geo_sat){.edge = -INFINITY, .edge_a = -1, .edge_b = -1};
    mat3 to_a = mat3_transpose(&a->rotation);
    mat3 rotation = mat3_multiply(&to_a, &b->rotation);
    vec3 shift = mat3_apply(&to_a, vec3_sub(b->centre, a->centre));
    bool within = is_small(a) && is_small(b)
                      ? query_small(a, b, &rotation, shift, limit, overlap, sat)
                      : query_faces(a, b, limit, &sat->face_a, &sat->index_a) &&
                            query_faces(b, a, limit, &sat->face_b, &sat->index_b) &&
                            query_many_edges(a, b, &rotation, shift, limit, sat);
    sat->edge_axis = mat3_apply(&a->rotation, sat->edge_axis);
    return within;
}

// faces of `ref` against `other`; m[i][j] is the cosine of ref's axis i and other's axis j, t the
// vector from ref to other in ref's frame
static void box_faces(vec3 half, vec3 other, const mat3 *m, vec3 t, double *best, int *index)
{
    *best = -INFINITY;
    for (int i = 0; i < 3; i++) {
        double reach =
            fabs(m->m[i][0]) * other.x + fabs(m->m[i][1]) * other.y + fabs(m->m[i][2]) * other.z;
        double along = vec3_get(t, i);
        double s = fabs(along) - vec3_get(half, i) - reach;
        if (s > *best) {
            *best = s;
            *index = 2 * i + (along >= 0.0);
        }
    }
}

static double box_reach(vec3 half, vec3 axis)
{
    return half.x * fabs(axis.x) + half.y * fabs(axis.y) + half.z * fabs(axis.z);
}

// edge of a box along axis d that lies farthest in a local direction
static int box_edge(int d, vec3 direction)
{
    int low = d == 0 ? 1 : 0, high = d == 2 ? 1 : 2;
    return 4 * d + (vec3_get(direction, low) > 0.0) + 2 * (vec3_get(direction, high) > 0.0);
}

static void box_edges(const geo_core *a, const geo_core *b, const mat3 *m, vec3 t, geo_sat *sat)
{
    for (int i = 0; i < 3; i++) {
        vec3 u = vec3_set((vec3){0.0, 0.0, 0.0}, i, 1.0);
        for (int j = 0; j < 3; j++) {
            vec3 axis = vec3_cross(u, mat3_column(m, j));
            double squared = vec3_norm_squared(axis);
            if (squared <= 1e-10)
                continue;
            double along = vec3_dot(axis, t);
            axis = vec3_scale((along < 0.0 ? -1.0 : 1.0) / sqrt(squared), axis);
            vec3 in_b = mat3_apply_transposed(m, axis);
            double s = vec3_dot(axis, t) - box_reach(a->half, axis) - box_reach(b->half, in_b);
            if (s > sat->edge) {
                sat->edge = s;
                sat->edge_a = box_edge(i, axis);
                sat->edge_b = box_edge(j, vec3_negate(in_b));
                sat->edge_axis = axis;
            }
        }
    }
}

bool geo_sat_query_boxes(const geo_core *a, const geo_core *b, double limit, geo_sat *sat)
{
    *sat = (geo_sat){.edge = -INFINITY, .edge_a = -1, .edge_b = -1};
    mat3 to_a = mat3_transpose(&a->rotation);
    mat3 m = mat3_multiply(&to_a, &b->rotation), back = mat3_transpose(&m);
    vec3 t = mat3_apply(&to_a, vec3_sub(b->centre, a->centre));
    box_faces(a->half, b->half, &m, t, &sat->face_a, &sat->index_a);
    if (sat->face_a > limit)
        return false;
    vec3 t_back = vec3_negate(mat3_apply(&back, t));
    box_faces(b->half, a->half, &back, t_back, &sat->face_b, &sat->index_b);
    if (sat->face_b > limit)
        return false;
    box_edges(a, b, &m, t, sat);
    sat->edge_axis = mat3_apply(&a->rotation, sat->edge_axis);
    return sat->edge <= limit;
}

double geo_sat_bias(const geo_sat *sat, double size)
{
    double separation = geo_sat_separation(sat);
    return separation > 0.0 ? 1e-10 * size : 1e-6 * size - 1e-4 * separation;
}

geo_sat_choice geo_sat_choose(const geo_sat *sat, const geo_core *a, const geo_core *b, double bias,
                              vec3 *normal, double *separation)
{
    if (sat->edge > real_max(sat->face_a, sat->face_b) + bias) {
        *separation = sat->edge;
        *normal = sat->edge_axis;
        return GEO_SAT_EDGE;
    }
    if (sat->face_a >= sat->face_b - bias) {
        *separation = sat->face_a;
        *normal = mat3_apply(&a->rotation, a->face_normals[sat->index_a]);
        return GEO_SAT_FACE_A;
    }
    *separation = sat->face_b;
    *normal = vec3_negate(mat3_apply(&b->rotation, b->face_normals[sat->index_b]));
    return GEO_SAT_FACE_B;
}
