// SPDX-License-Identifier: Apache-2.0
// Separating axes of two polytopes: faces, and edge pairs pruned by the Gauss map.
#include "geometry/narrow/sat.h"

// best face of `ref` against all of `other`; false beyond the limit
static bool query_faces(const geo_core *ref, const geo_core *other, double limit, double *best,
                        int *index)
{
    *best = -INFINITY;
    *index = -1;
    for (int f = 0; f < ref->face_count; f++) {
        int vertex;
        vec3 n = mat3_apply(&ref->rotation, ref->face_normals[f]);
        vec3 x = geo_core_support(other, vec3_negate(n), &vertex);
        double s = vec3_dot(n, vec3_sub(x, ref->centre)) - ref->face_offsets[f];
        if (s > *best) {
            *best = s;
            *index = f;
            if (s > limit)
                return false;
        }
    }
    return true;
}

// an edge in the frame of A: one end, direction, the normals beside it and their middle
typedef struct edge_view {
    vec3 point, along, n0, n1, middle;
    bool full; // an edge without faces accepts every direction across it
} edge_view;

static edge_view view_edge(const geo_core *core, int edge)
{
    edge_view v = {.full = core->face_count == 0};
    const int *ends = core->edge_vertices[edge];
    v.point = core->vertices[ends[0]];
    v.along = vec3_sub(core->vertices[ends[1]], v.point);
    if (v.full)
        return v;
    v.n0 = core->face_normals[core->edge_faces[edge][0]];
    v.n1 = core->face_normals[core->edge_faces[edge][1]];
    v.middle = vec3_add(v.n0, v.n1);
    if (core->face_count == 2) { // triangle: the middle is the outward direction in its plane
        vec3 inside = vec3_sub(core->vertices[(edge + 2) % 3], v.point);
        double t = vec3_dot(inside, v.along) / vec3_norm_squared(v.along);
        v.middle = vec3_negate(vec3_add_scaled(inside, -t, v.along));
    }
    return v;
}

static edge_view to_frame(edge_view v, const mat3 *rotation, vec3 shift)
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
static bool view_meets_plane(const edge_view *b, vec3 along)
{
    return b->full || vec3_dot(b->n0, along) * vec3_dot(b->n1, along) < 0.0;
}

static void try_edges(const edge_view *a, int ia, const edge_view *b, int ib, geo_sat *sat)
{
    vec3 axis = vec3_cross(a->along, b->along);
    double squared = vec3_norm_squared(axis);
    if (squared <= 1e-10 * vec3_norm_squared(a->along) * vec3_norm_squared(b->along))
        return;
    double side_a = vec3_dot(axis, a->middle), side_b = -vec3_dot(axis, b->middle);
    double side = a->full ? side_b : side_a;
    if (!a->full && !b->full && side_a * side_b <= 0.0)
        return;
    axis = vec3_scale((side < 0.0 ? -1.0 : 1.0) / sqrt(squared), axis);
    double s = vec3_dot(axis, vec3_sub(b->point, a->point));
    if (s > sat->edge) {
        sat->edge = s;
        sat->edge_a = ia;
        sat->edge_b = ib;
        sat->edge_axis = axis;
    }
}

static bool query_edges(const geo_core *a, const geo_core *b, double limit, geo_sat *sat)
{
    double slopes[FACE_TABLE];
    mat3 to_a = mat3_transpose(&a->rotation);
    mat3 rotation = mat3_multiply(&to_a, &b->rotation);
    vec3 shift = mat3_apply(&to_a, vec3_sub(b->centre, a->centre));
    for (int j = 0; j < b->edge_count; j++) {
        edge_view eb = to_frame(view_edge(b, j), &rotation, shift);
        fill_slopes(a, eb.along, slopes);
        for (int i = 0; i < a->edge_count; i++) {
            if (!arc_meets_plane(a, i, eb.along, slopes))
                continue;
            edge_view ea = view_edge(a, i);
            if (view_meets_plane(&eb, ea.along))
                try_edges(&ea, i, &eb, j, sat);
        }
        if (sat->edge > limit)
            return false;
    }
    sat->edge_axis = mat3_apply(&a->rotation, sat->edge_axis);
    return true;
}

bool geo_sat_query(const geo_core *a, const geo_core *b, double limit, geo_sat *sat)
{
    *sat = (geo_sat){.edge = -INFINITY, .edge_a = -1, .edge_b = -1};
    return query_faces(a, b, limit, &sat->face_a, &sat->index_a) &&
           query_faces(b, a, limit, &sat->face_b, &sat->index_b) && query_edges(a, b, limit, sat);
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
    if (sat->edge > fmax(sat->face_a, sat->face_b) + bias) {
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
