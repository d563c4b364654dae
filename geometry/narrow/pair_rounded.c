// SPDX-License-Identifier: Apache-2.0
// Rounded boxes and polyhedra against each other, sharp ones and capsules: the closest points of
// the cores less the radii, and more points where faces or edges lie beside each other.
#include "geometry/narrow/closest.h"

// faces and edges within these of each other may touch in several points
static const double facing_cosine = 0.98, parallel_sine = 0.3, flat_sine = 0.26;

// a contact direction this near to a face normal is that of a vertex on a face
static const double same_cosine = 1.0 - 1e-9;

static double reach_of(const geo_job *job, const geo_core *a, const geo_core *b)
{
    return job->margin + a->radius + b->radius;
}

// is the axis of an earlier separation still one? only answers that hold anyway
static bool still_apart(const geo_job *job, const geo_core *a, const geo_core *b)
{
    vec3 known = job->cache->axis;
    if (vec3_norm_squared(known) <= 0.0)
        return false;
    int va, vb;
    double reach = reach_of(job, a, b), slack = 1e-9 * (reach + job->size);
    vec3 axis = mat3_apply(&a->rotation, known);
    vec3 pa = geo_core_support(a, axis, &va), pb = geo_core_support(b, vec3_negate(axis), &vb);
    double part = vec3_dot(axis, vec3_sub(pb, pa));
    if (part <= reach + slack)
        return false;
    job->cache->apart = part - slack - (a->radius + b->radius);
    return true;
}

// closest points of the cores, or their deepest ones; false where they are out of reach
static bool find_closest(const geo_job *job, const geo_core *a, const geo_core *b,
                         geo_closest *closest)
{
    geo_gjk_result gjk;
    double reach = reach_of(job, a, b), slack = 1e-9 * (reach + job->size);
    // an axis along which they are far apart holds for long
    double far = job->cache ? 0.1 * job->size : 0.0;
    geo_gjk(a, b, reach + far, &gjk);
    bool beyond = gjk.state == GEO_GJK_BEYOND ||
                  (gjk.state == GEO_GJK_SEPARATED && gjk.distance > reach + slack);
    if (job->cache && beyond)
        job->cache->axis = mat3_apply_transposed(&a->rotation, gjk.normal);
    if (beyond)
        return false;
    if (gjk.state != GEO_GJK_SEPARATED || gjk.distance <= 1e-9 * job->size)
        return geo_closest_find(a, b, reach, job->size, closest);
    geo_closest_from_gjk(a, b, &gjk, closest);
    return true;
}

// cosine of the face of a core that faces a direction best; -1 where it has none
static double face_cosine(const geo_core *core, vec3 outward)
{
    int vertex;
    double cosine = -1.0;
    geo_core_support(core, outward, &vertex);
    return geo_core_face_at(core, vertex, outward, &cosine) >= 0 ? cosine : -1.0;
}

typedef struct core_edge {
    vec3 start, along;
    uint32_t code, ends[2]; // names of the edge and of its vertices
} core_edge;

// the edge that lies flattest to a direction at the vertex farthest along it, if flat enough
static bool find_edge(const geo_core *core, vec3 outward, core_edge *edge)
{
    int vertex, best = -1;
    double least = flat_sine;
    geo_core_support(core, outward, &vertex);
    vec3 d = mat3_apply_transposed(&core->rotation, outward);
    for (int e = 0; e < core->edge_count; e++) {
        const int *v = core->edge_vertices[e];
        if (v[0] != vertex && v[1] != vertex)
            continue;
        vec3 along = vec3_sub(core->vertices[v[1]], core->vertices[v[0]]);
        double sine = fabs(vec3_dot(along, d)) / vec3_norm(along);
        if (sine < least) {
            least = sine;
            best = e;
        }
    }
    if (best < 0)
        return false;
    const int *v = core->edge_vertices[best];
    edge->start = geo_core_vertex(core, v[0]);
    edge->along = vec3_sub(geo_core_vertex(core, v[1]), edge->start);
    edge->code = geo_core_code_of_edge(core, best);
    for (int k = 0; k < 2; k++)
        edge->ends[k] = geo_core_vertex_code(core, v[k]);
    return true;
}

static vec3 point_on(const core_edge *edge, double t)
{
    return vec3_add_scaled(edge->start, t, edge->along);
}

// one end of the stretch where two edges lie beside each other, given by a vertex of one of them
static cairn_status emit_end(geo_job *job, const geo_core *a, const geo_core *b,
                             const core_edge edges[2], int of, int end)
{
    const core_edge *owner = &edges[of], *other = &edges[1 - of];
    vec3 vertex = point_on(owner, end);
    double t =
        vec3_dot(vec3_sub(vertex, other->start), other->along) / vec3_norm_squared(other->along);
    // of two vertices that face each other one stands for both
    bool beside = of == 0 ? t >= 0.0 && t <= 1.0 : t > 0.0 && t < 1.0;
    vec3 nearest = point_on(other, t);
    if (!beside || vec3_distance(vertex, nearest) <= 1e-9 * job->size)
        return CAIRN_OK;
    bool swap = of == 1;
    return geo_emit_spheres(job, swap ? nearest : vertex, a->radius, swap ? vertex : nearest,
                            b->radius, vec3_make(0.0, 0.0, 1.0),
                            swap ? other->code : owner->ends[end],
                            swap ? owner->ends[end] : other->code);
}

// less overlap, in its place and with its name
static void weaken(geo_contact *contact, double weight)
{
    if (contact->gap < 0.0)
        contact->gap *= weight;
}

// Edges that lie beside each other, as capsules do: both ends of the stretch. They count less the
// less parallel the edges are.
static cairn_status emit_edges(geo_job *job, const geo_core *a, const geo_core *b, vec3 normal)
{
    core_edge edges[2];
    if (!find_edge(a, normal, &edges[0]) || !find_edge(b, vec3_negate(normal), &edges[1]))
        return CAIRN_OK;
    double squared = vec3_norm_squared(vec3_cross(edges[0].along, edges[1].along));
    double limit = parallel_sine * parallel_sine * vec3_norm_squared(edges[0].along) *
                   vec3_norm_squared(edges[1].along);
    if (squared >= limit)
        return CAIRN_OK;
    geo_manifold *manifold = job->manifold;
    int from = manifold->count;
    cairn_status status = CAIRN_OK;
    for (int k = 0; k < 4 && !status; k++)
        status = emit_end(job, a, b, edges, k / 2, k % 2);
    for (int i = from; i < manifold->count; i++)
        weaken(&manifold->contacts[i], 1.0 - squared / limit);
    return status;
}

static void swap_contacts(geo_contact *a, geo_contact *b)
{
    geo_contact swap = *a;
    *a = *b;
    *b = swap;
}

// square of the distance of a contact, place `at`, to the nearest one before it
static double squared_to_deeper(const geo_manifold *manifold, int from, int at)
{
    double nearest = INFINITY;
    for (int i = from; i < at; i++)
        nearest = real_min(nearest, vec3_norm_squared(vec3_sub(manifold->contacts[i].point,
                                                               manifold->contacts[at].point)));
    return nearest;
}

// is there the same vertex and edge before it?
static bool is_named(const geo_manifold *manifold, int from, int at)
{
    for (int i = from; i < at; i++)
        if (manifold->contacts[i].key == manifold->contacts[at].key)
            return true;
    return false;
}

// Points near deeper ones would count a place twice, and come and go with a jump: from a tenth of
// the size on they count less, and those at the same place do not count.
static void thin_out(const geo_job *job, int from)
{
    geo_manifold *manifold = job->manifold;
    const double room = 0.01 * job->size * job->size;
    int kept = from;
    for (int i = from; i < manifold->count; i++) {
        int deepest = i;
        for (int k = i + 1; k < manifold->count; k++)
            if (manifold->contacts[k].gap < manifold->contacts[deepest].gap)
                deepest = k;
        swap_contacts(&manifold->contacts[i], &manifold->contacts[deepest]);
    }
    for (int i = from; i < manifold->count; i++) {
        manifold->contacts[kept] = manifold->contacts[i];
        double weight = squared_to_deeper(manifold, from, kept) / room;
        if (weight < 1e-4 || is_named(manifold, from, kept))
            continue;
        weaken(&manifold->contacts[kept++], real_min(weight, 1.0));
    }
    manifold->count = kept;
}

static cairn_status emit_closest(geo_job *job, const geo_core *a, const geo_core *b,
                                 const geo_closest *closest, int from)
{
    // points of which one is as deep stand for them
    double gap = closest->separation - a->radius - b->radius;
    if (geo_job_smallest_gap(job, from) <= gap + 5e-10 * job->size)
        return CAIRN_OK;
    return geo_closest_emit(job, a, b, closest);
}

cairn_status geo_pair_rounded(geo_job *job)
{
    geo_core first, second;
    const geo_core *a = &first, *b = &second;
    geo_closest closest;
    geo_core_init(&first, &job->a);
    geo_core_init(&second, &job->b);
    if ((job->cache && still_apart(job, a, b)) || !find_closest(job, a, b, &closest))
        return CAIRN_OK;
    double cosine =
        real_max(face_cosine(a, closest.normal), face_cosine(b, vec3_negate(closest.normal)));
    int from = job->manifold->count;
    // a vertex on a face: whichever face of the other body lies flattest may tilt onto it
    double least = cosine > same_cosine ? 0.05 : facing_cosine;
    cairn_status status = geo_closest_clip(job, a, b, closest.normal, least, least);
    if (!status && cosine <= same_cosine && closest.separation > 1e-9 * job->size)
        status = emit_edges(job, a, b, closest.normal);
    if (!status)
        status = emit_closest(job, a, b, &closest, from);
    thin_out(job, from);
    return status;
}
