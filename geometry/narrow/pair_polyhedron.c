// SPDX-License-Identifier: Apache-2.0
// Polytope against polytope: quick rejection by GJK, then separating axes and clipping; of boxes
// the fifteen axes at once.
#include "geometry/narrow/clip.h"
#include "geometry/narrow/closest.h"
#include "geometry/narrow/gjk.h"
#include "geometry/narrow/leading.h"
#include "geometry/narrow/sat.h"

// the face of a core whose normal lies nearest to a direction of the core's own frame
static int nearest_face(const geo_core *core, vec3 direction)
{
    int best = 0;
    double most = -INFINITY;
    for (int f = 0; f < core->face_count; f++) {
        double cosine = vec3_dot(core->face_normals[f], direction);
        if (cosine > most) {
            most = cosine;
            best = f;
        }
    }
    return best;
}

// separation along an axis of unit length, working frame
static double part_along(const geo_core *a, const geo_core *b, vec3 axis)
{
    int va, vb;
    vec3 pa = geo_core_support(a, axis, &va), pb = geo_core_support(b, vec3_negate(axis), &vb);
    return vec3_dot(axis, vec3_sub(pb, pa));
}

// is the axis of an earlier separation still one, or the normal of a face next to it? only answers
// that hold anyway
static bool still_separated(const geo_job *job, const geo_core *a, const geo_core *b)
{
    vec3 known = job->cache->axis;
    if (vec3_norm_squared(known) <= 0.0)
        return false;
    // axes are unit to round-off: a little over the margin is on the safe side
    double slack = 1e-9 * (job->margin + job->size);
    vec3 axis = mat3_apply(&a->rotation, known);
    double part = part_along(a, b, axis);
    if (part <= job->margin + slack && a->face_count > 0 && b->face_count > 0) {
        vec3 in_b = vec3_negate(mat3_apply_transposed(&b->rotation, axis));
        vec3 of_a = mat3_apply(&a->rotation, a->face_normals[nearest_face(a, known)]);
        vec3 of_b = mat3_apply(&b->rotation, b->face_normals[nearest_face(b, in_b)]);
        axis = of_a;
        part = part_along(a, b, axis);
        if (part <= job->margin + slack) {
            axis = vec3_negate(of_b);
            part = part_along(a, b, axis);
        }
        if (part > job->margin + slack)
            job->cache->axis = mat3_apply_transposed(&a->rotation, axis);
    }
    if (part > job->margin + slack)
        job->cache->apart = part - slack;
    return part > job->margin + slack;
}

// The four corners of the difference A - B around the origin by which an earlier search knew that
// the cores overlap: four vertices of A and four of B, eight bits each.
static void keep_corners(geo_pair_cache *cache, const geo_gjk_result *gjk)
{
    uint32_t packed[2] = {0, 0};
    for (int k = 0; k < gjk->count; k++) {
        const geo_gjk_vertex *v = &gjk->simplex[k];
        if (v->ia < 0 || v->ia > 255 || v->ib < 0 || v->ib > 255)
            return;
        packed[0] |= (uint32_t)v->ia << (8 * k);
        packed[1] |= (uint32_t)v->ib << (8 * k);
    }
    cache->axis = (vec3){0.0, 0.0, 0.0};
    cache->feature[0] = (int)packed[0];
    cache->feature[1] = (int)packed[1];
    if (cache->leading)
        *cache->leading = (geo_leading){0};
}

static bool has_corners(const geo_pair_cache *cache)
{
    return cache->feature[0] != 0 || cache->feature[1] != 0;
}

// does the origin lie clearly on the inner side of the plane through three corners?
static bool holds_origin(vec3 p, vec3 q, vec3 r, vec3 opposite, double least)
{
    vec3 normal = vec3_cross(vec3_sub(q, p), vec3_sub(r, p));
    double inner = vec3_dot(normal, vec3_sub(opposite, p)), origin = -vec3_dot(normal, p);
    return inner * origin > 0.0 && origin * origin > least * least * vec3_norm_squared(normal);
}

// do those corners still hold it? only answers that a search would give too
static bool still_overlaps(const geo_job *job, const geo_core *a, const geo_core *b)
{
    vec3 w[4];
    for (int k = 0; k < 4; k++) {
        int va = (int)((uint32_t)job->cache->feature[0] >> (8 * k) & 255u);
        int vb = (int)((uint32_t)job->cache->feature[1] >> (8 * k) & 255u);
        // numbers of a damaged checkpoint
        if (va >= a->vertex_count || vb >= b->vertex_count)
            return false;
        w[k] = vec3_sub(geo_core_vertex(a, va), geo_core_vertex(b, vb));
    }
    double least = 1e-9 * job->size;
    return holds_origin(w[0], w[1], w[2], w[3], least) &&
           holds_origin(w[0], w[1], w[3], w[2], least) &&
           holds_origin(w[0], w[2], w[3], w[1], least) &&
           holds_origin(w[1], w[2], w[3], w[0], least);
}

// GJK, and what a pair remembers of its answer; false where the cores are farther apart than the
// margin
static bool search(const geo_job *job, const geo_core *a, const geo_core *b, bool *overlap)
{
    geo_gjk_result gjk;
    // an axis along which they are far apart holds for long
    double far = job->cache ? 0.1 * job->size : 0.0, slack = 1e-9 * (job->margin + job->size);
    geo_gjk(a, b, job->margin + far, &gjk);
    *overlap = gjk.state == GEO_GJK_OVERLAP;
    bool beyond = gjk.state == GEO_GJK_BEYOND ||
                  (gjk.state == GEO_GJK_SEPARATED && gjk.distance > job->margin + slack);
    if (job->cache && beyond) {
        job->cache->axis = mat3_apply_transposed(&a->rotation, gjk.normal);
        job->cache->feature[0] = job->cache->feature[1] = 0;
    }
    if (job->cache && *overlap)
        keep_corners(job->cache, &gjk);
    return !beyond;
}

cairn_status geo_pair_polyhedron(geo_job *job)
{
    geo_core a, b;
    geo_sat sat;
    geo_core_init(&a, &job->a);
    geo_core_init(&b, &job->b);
    if (job->cache && still_separated(job, &a, &b))
        return CAIRN_OK;
    bool known = job->cache && has_corners(job->cache), learns = job->cache && job->cache->leading;
    if (known && learns) {
        geo_leading_answer answer = geo_leading_query(job, &a, &b, &sat);
        if (answer == GEO_LEADING_APART)
            return CAIRN_OK;
        if (answer == GEO_LEADING_OVERLAP)
            return geo_sat_contacts(job, &a, &b, &sat);
    }
    bool overlap = known && still_overlaps(job, &a, &b);
    if (!overlap && !search(job, &a, &b, &overlap))
        return CAIRN_OK;
    if (!geo_sat_query(&a, &b, job->margin, overlap, &sat))
        return CAIRN_OK;
    if (learns && overlap && geo_leading_is_due(job->cache->leading))
        geo_leading_find(job, &a, &b, job->cache->leading);
    return geo_sat_contacts(job, &a, &b, &sat);
}

cairn_status geo_pair_box_box(geo_job *job)
{
    geo_core a, b;
    geo_sat sat;
    geo_core_init(&a, &job->a);
    geo_core_init(&b, &job->b);
    if (!geo_sat_query_boxes(&a, &b, job->margin, &sat))
        return CAIRN_OK;
    return geo_sat_contacts(job, &a, &b, &sat);
}

// face `index` of the reference against the face of the other that holds its lowest vertex
static cairn_status clip_faces(geo_job *job, const geo_core *a, const geo_core *b, bool use_a,
                               int index)
{
    const base_allocator *allocator = &job->manifold->allocator;
    const geo_core *ref = use_a ? a : b, *inc = use_a ? b : a;
    geo_feature reference, incident;
    cairn_status status = geo_feature_face(&reference, ref, index, allocator);
    if (status)
        return status;
    vec3 down = vec3_negate(reference.normal);
    int face = geo_core_face_towards(inc, down);
    status = geo_feature_face(&incident, inc, face, allocator);
    if (!status) {
        status = use_a ? geo_clip(job, reference.normal, &reference, &incident, 0.0)
                       : geo_clip(job, down, &incident, &reference, 0.0);
        geo_feature_release(&incident, allocator);
    }
    geo_feature_release(&reference, allocator);
    return status;
}

// separated bodies that face each other with neither face nor crossing edges, and overlapping ones
// whose clipped faces came out empty
static cairn_status closest_points(geo_job *job, const geo_core *a, const geo_core *b)
{
    geo_closest closest;
    if (!geo_closest_find(a, b, job->margin, job->size, &closest))
        return CAIRN_OK;
    return geo_closest_spread(job, a, b, &closest, 2.0, 2.0);
}

// an edge crossing almost along a face normal: the clipped face if it tells the same gap
static cairn_status try_nearby_face(geo_job *job, const geo_core *a, const geo_core *b,
                                    const geo_sat *sat, bool *done)
{
    const double near_cosine = 1.0 - 5e-5;
    double cosine_a, cosine_b;
    int from = job->manifold->count;
    int face_a = geo_core_face_at(a, a->edge_vertices[sat->edge_a][0], sat->edge_axis, &cosine_a);
    int face_b = geo_core_face_at(b, b->edge_vertices[sat->edge_b][0], vec3_negate(sat->edge_axis),
                                  &cosine_b);
    *done = false;
    if (real_max(cosine_a, cosine_b) < near_cosine)
        return CAIRN_OK;
    bool use_a = cosine_a >= cosine_b - 1e-12;
    cairn_status status = clip_faces(job, a, b, use_a, use_a ? face_a : face_b);
    if (status)
        return status;
    double tolerance = sat->edge > 0.0 ? 5e-10 * job->size : geo_sat_bias(sat, job->size);
    *done = fabs(geo_job_smallest_gap(job, from) - sat->edge) <= tolerance;
    if (!*done)
        job->manifold->count = from;
    return CAIRN_OK;
}

// Two edges side by side, tip against tip: which face is the nearest hangs on the last digits of
// where they are, while edges rounded by however little push along the line between their middles.
// So the normal is that between points behind both tips, by a ten-thousandth of the size and four
// times as far as the tips are in each other, where it is a normal of both edges.

// an edge of a core, working frame
typedef struct tip {
    vec3 from, along;    // one end, the way to the other
    vec3 sides[2], away; // normals of the faces beside it, and the unit vector between them
} tip;

static tip view_edge(const geo_core *core, int edge)
{
    const int *ends = core->edge_vertices[edge];
    tip t = {.from = geo_core_vertex(core, ends[0])};
    t.along = vec3_sub(geo_core_vertex(core, ends[1]), t.from);
    return t;
}

// what is beside it
static void view_sides(const geo_core *core, int edge, tip *t)
{
    const int *faces = core->edge_faces[edge];
    for (int k = 0; k < 2; k++)
        t->sides[k] = mat3_apply(&core->rotation, core->face_normals[faces[k]]);
    t->away = vec3_normalize_or(vec3_add(t->sides[0], t->sides[1]), t->sides[0]);
}

// is a direction across an edge between the normals of its faces?
static bool is_normal_of(const tip *t, vec3 d)
{
    double c = vec3_dot(t->sides[0], t->sides[1]);
    double d0 = vec3_dot(d, t->sides[0]), d1 = vec3_dot(d, t->sides[1]);
    return d0 >= c * d1 && d1 >= c * d0;
}

// the contact of two tips where an end of one lies beside the other
static cairn_status emit_tips(geo_job *job, const tip *a, const tip *b, vec3 pa, vec3 pb,
                              uint32_t code_a, uint32_t code_b)
{
    vec3 between = vec3_sub(pb, pa);
    if (vec3_norm(between) > 1e-2 * job->size)
        return CAIRN_OK;
    vec3 middle = vec3_sub(a->away, b->away);
    middle = vec3_add_scaled(middle, -vec3_dot(middle, a->along) / vec3_norm_squared(a->along),
                             a->along);
    middle = vec3_normalize_or(middle, a->away);
    double depth = real_max(-vec3_dot(between, middle), 0.0);
    double behind = 1e-4 * job->size + 4.0 * depth;
    vec3 d = vec3_add_scaled(between, behind, middle);
    vec3 normal = vec3_normalize_or(d, a->away);
    if (!is_normal_of(a, normal) || !is_normal_of(b, vec3_negate(normal)))
        return CAIRN_OK;
    return geo_emit(job, normal, vec3_dot(normal, between), vec3_scale(0.5, vec3_add(pa, pb)),
                    code_a, code_b);
}

// contacts of edges ea and eb at the ends of what they have in common
static cairn_status touch_tips(geo_job *job, const geo_core *a, int ea, const geo_core *b, int eb)
{
    tip ta = view_edge(a, ea), tb = view_edge(b, eb);
    double aa = vec3_norm_squared(ta.along), bb = vec3_norm_squared(tb.along);
    if (vec3_norm_squared(vec3_cross(ta.along, tb.along)) > 1e-6 * aa * bb)
        return CAIRN_OK;
    view_sides(a, ea, &ta);
    view_sides(b, eb, &tb);
    const double same = 1e-6;
    vec3 apart = vec3_sub(tb.from, ta.from);
    for (int k = 0; k < 2; k++) {
        // an end of B beside A, and one of A beside B, which is left out where both are ends
        double s = (vec3_dot(apart, ta.along) + k * vec3_dot(tb.along, ta.along)) / aa;
        double t = (k * vec3_dot(ta.along, tb.along) - vec3_dot(apart, tb.along)) / bb;
        cairn_status status = CAIRN_OK;
        if (s >= -same && s <= 1.0 + same)
            status = emit_tips(job, &ta, &tb, vec3_add_scaled(ta.from, s, ta.along),
                               vec3_add_scaled(tb.from, k, tb.along), geo_core_code_of_edge(a, ea),
                               geo_core_vertex_code(b, b->edge_vertices[eb][k]));
        if (!status && t > same && t < 1.0 - same)
            status = emit_tips(job, &ta, &tb, vec3_add_scaled(ta.from, k, ta.along),
                               vec3_add_scaled(tb.from, t, tb.along),
                               geo_core_vertex_code(a, a->edge_vertices[ea][k]),
                               geo_core_code_of_edge(b, eb));
        if (status)
            return status;
    }
    return CAIRN_OK;
}

// The contacts of a face whose nearest edge meets one of the other body: none where they are not
// tip to tip, or where faces are along each other.
static cairn_status touch_by_tips(geo_job *job, const geo_core *a, const geo_core *b, bool use_a,
                                  int index)
{
    const double along = 0.99875; // 0.05 rad
    const geo_core *ref = use_a ? a : b, *inc = use_a ? b : a;
    if (ref->face_count <= 2 || inc->face_count <= 2)
        return CAIRN_OK;
    vec3 down = vec3_negate(mat3_apply(&ref->rotation, ref->face_normals[index]));
    int vertex;
    double cosine;
    geo_core_support(inc, down, &vertex);
    geo_core_face_at(inc, vertex, down, &cosine);
    if (cosine > along)
        return CAIRN_OK;
    int from = job->manifold->count;
    for (int i = inc->vertex_start[vertex]; i < inc->vertex_start[vertex + 1]; i++) {
        int face = inc->vertex_faces[i];
        for (int j = inc->face_start[face]; j < inc->face_start[face + 1]; j++) {
            int edge = inc->face_edges[j];
            // each edge at the vertex belongs to two faces
            if (inc->edge_faces[edge][0] != face ||
                (inc->edge_vertices[edge][0] != vertex && inc->edge_vertices[edge][1] != vertex))
                continue;
            // and is along none of the face's unless it is along the face
            vec3 way = view_edge(inc, edge).along;
            double rise = vec3_dot(way, down);
            if (rise * rise > 1e-4 * vec3_norm_squared(way))
                continue;
            for (int k = ref->face_start[index]; k < ref->face_start[index + 1]; k++) {
                int other = ref->face_edges[k];
                cairn_status status =
                    use_a ? touch_tips(job, a, other, b, edge) : touch_tips(job, a, edge, b, other);
                if (status || job->manifold->count > from)
                    return status;
            }
        }
    }
    return CAIRN_OK;
}

cairn_status geo_sat_contacts(geo_job *job, const geo_core *a, const geo_core *b,
                              const geo_sat *sat)
{
    if (geo_sat_separation(sat) > job->margin)
        return CAIRN_OK;
    vec3 normal;
    double separation, bias = geo_sat_bias(sat, job->size);
    geo_sat_choice choice = geo_sat_choose(sat, a, b, bias, &normal, &separation);
    if (choice == GEO_SAT_EDGE) {
        bool done;
        cairn_status status = try_nearby_face(job, a, b, sat, &done);
        if (status || done)
            return status;
        const int *ea = a->edge_vertices[sat->edge_a], *eb = b->edge_vertices[sat->edge_b];
        vec3 a0 = geo_core_vertex(a, ea[0]), b0 = geo_core_vertex(b, eb[0]);
        vec3 u = vec3_sub(geo_core_vertex(a, ea[1]), a0),
             v = vec3_sub(geo_core_vertex(b, eb[1]), b0);
        double s, t;
        geo_segment_closest(a0, u, b0, v, &s, &t);
        vec3 pa = vec3_add_scaled(a0, s, u), pb = vec3_add_scaled(b0, t, v);
        double distance = vec3_distance(pa, pb);
        if (sat->edge > 0.0 && distance > sat->edge + 5e-10 * job->size)
            return closest_points(job, a, b);
        return geo_emit(job, sat->edge_axis, sat->edge, vec3_scale(0.5, vec3_add(pa, pb)),
                        geo_core_code_of_edge(a, sat->edge_a),
                        geo_core_code_of_edge(b, sat->edge_b));
    }
    bool use_a = choice == GEO_SAT_FACE_A;
    int index = use_a ? sat->index_a : sat->index_b;
    int from = job->manifold->count;
    if (separation <= 1e-4 * job->size && separation >= -1e-2 * job->size) {
        cairn_status status = touch_by_tips(job, a, b, use_a, index);
        if (status || job->manifold->count > from)
            return status;
    }
    cairn_status status = clip_faces(job, a, b, use_a, index);
    if (status)
        return status;
    double smallest = geo_job_smallest_gap(job, from);
    bool exact = smallest <= separation + 5e-10 * job->size;
    if (job->manifold->count > from && (exact || separation <= 0.0))
        return CAIRN_OK;
    job->manifold->count = from;
    return closest_points(job, a, b);
}
