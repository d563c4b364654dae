// SPDX-License-Identifier: Apache-2.0
// Convex shape against a mesh: triangle by triangle, normals held to what the surface allows.
#include "geometry/mesh/bvh.h"
#include "geometry/narrow/closest.h"

#include <stdlib.h>

enum { FAN_MAX = 64, FACES_MAX = 8 };

static const double facing_cosine = 0.98;
// a normal of less than this along a triangle's own is one across its plane
static const double steep_cosine = 0.3;

// the triangle of a face of the mesh that lies under the lowest point of the convex shape
typedef struct face_foot {
    int face;
    int triangle; // -1: the foot is beyond the face, or too near to its triangle's sides for its
                  // depth
} face_foot;

typedef struct mesh_visit {
    geo_job *job;
    const geo_mesh *mesh;
    const geo_core *convex;
    vec3 middle; // inside the convex shape, working frame
    vec3 centre; // of a ball around the convex shape, in the mesh's frame
    double ball; // m, its radius with the margin
    face_foot feet[FACES_MAX];
    int foot_count;
    int shell; // asked for last, whether the middle is within it; 0: none was yet
    bool within;
    cairn_status status;
} mesh_visit;

// of a point `out` away from one end of a segment along `along`
static double squared_distance_to_segment(vec3 out, vec3 along)
{
    double t = vec3_dot(out, along), whole = vec3_norm_squared(along);
    t = t <= 0.0 ? 0.0 : t >= whole ? 1.0 : t / whole;
    return vec3_norm_squared(vec3_add_scaled(out, -t, along));
}

// across a triangle, in the mesh's frame, twice its area long
static vec3 normal_of(const mesh_visit *visit, int index)
{
    const int *v = visit->mesh->triangles[index];
    const vec3 *x = visit->mesh->vertices;
    return vec3_cross(vec3_sub(x[v[1]], x[v[0]]), vec3_sub(x[v[2]], x[v[0]]));
}

// Square of the distance from the ball's centre to the sides of a triangle whose outer side it is
// on, one of which has the nearest point; INFINITY where its foot on the plane is in the triangle.
static double squared_distance_aside(const mesh_visit *visit, int index, vec3 normal)
{
    const int *v = visit->mesh->triangles[index];
    const vec3 *vertices = visit->mesh->vertices;
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        vec3 a = vertices[v[k]], along = vec3_sub(vertices[v[(k + 1) % 3]], a);
        vec3 out = vec3_sub(visit->centre, a);
        if (vec3_dot(vec3_cross(normal, along), out) < 0.0)
            least = fmin(least, squared_distance_to_segment(out, along));
    }
    return least;
}

// is a triangle out of reach of the ball?
static bool is_beyond(const mesh_visit *visit, int index)
{
    vec3 normal = normal_of(visit, index);
    vec3 corner = visit->mesh->vertices[visit->mesh->triangles[index][0]];
    double height = vec3_dot(normal, vec3_sub(visit->centre, corner));
    double limit = visit->ball * visit->ball * (1.0 + 1e-9);
    if (height * height > limit * vec3_norm_squared(normal))
        return true;
    double least = squared_distance_aside(visit, index, normal);
    return isfinite(least) && least > limit;
}

// what the convex shape is away from the plane of a triangle, m; not above 0 where it crosses
static double distance_to_plane(const mesh_visit *visit, int index, vec3 normal)
{
    const geo_placed *mesh = &visit->job->b;
    vec3 corner = visit->mesh->vertices[visit->mesh->triangles[index][0]];
    bool above = vec3_dot(normal, vec3_sub(visit->centre, corner)) >= 0.0;
    vec3 up = mat3_apply(&mesh->rotation, above ? normal : vec3_negate(normal));
    int vertex;
    vec3 lowest = geo_core_support(visit->convex, vec3_negate(up), &vertex);
    double height = vec3_dot(up, vec3_sub(lowest, geo_placed_apply(mesh, corner)));
    return height / vec3_norm(up) - visit->convex->radius;
}

// does the plane of a triangle part it from the convex shape, so that a search finds no contact?
static bool is_parted_by_plane(const mesh_visit *visit, int index)
{
    // a ball was asked already
    const geo_job *job = visit->job;
    double slack = 1e-9 * (job->margin + job->size);
    return job->a.shape->kind != GEO_SPHERE &&
           distance_to_plane(visit, index, normal_of(visit, index)) > job->margin + slack;
}

// a triangle with the codes of its features
typedef struct patch {
    int index;
    geo_core core;
    uint32_t vertex_codes[3], edge_codes[3], face_codes[2];
    bool inner_edges[3];
    vec3 side; // unit normal towards the convex shape, working frame
} patch;

// an edge is named by the lower of its two triangles
static int edge_name(const geo_mesh *mesh, int triangle, int k)
{
    int other = mesh->adjacent[triangle][k];
    if (other < 0 || other > triangle)
        return 3 * triangle + k;
    int v = mesh->triangles[triangle][k], w = mesh->triangles[triangle][(k + 1) % 3];
    for (int j = 0; j < 3; j++) {
        int p = mesh->triangles[other][j], q = mesh->triangles[other][(j + 1) % 3];
        if ((p == v && q == w) || (p == w && q == v))
            return 3 * other + j;
    }
    return 3 * triangle + k;
}

// Does a triangle show its back to the convex shape? One of a shell does where it looks away from
// that side of the shell on which the middle of the shape is; all others have two fronts. The sides
// of planes would not tell that of shapes that lie across an edge.
static bool is_back(mesh_visit *visit, int index, bool below)
{
    const geo_mesh *mesh = visit->mesh;
    int shell = mesh->shells[index];
    // a ball touches a triangle on that side on which it is
    if (mesh->solid || shell == 0 || visit->job->a.shape->kind == GEO_SPHERE)
        return mesh->solid && below;
    if (visit->shell != abs(shell)) {
        visit->shell = abs(shell);
        vec3 middle = geo_placed_apply_inverse(&visit->job->b, visit->middle);
        visit->within = geo_mesh_winding(mesh, visit->shell, middle) != 0;
    }
    return below != ((shell < 0) != visit->within);
}

// false on the back of a closed mesh
static bool init_patch(patch *p, mesh_visit *visit, int index)
{
    const geo_mesh *mesh = visit->mesh;
    const int *v = mesh->triangles[index];
    const vec3 corners[3] = {mesh->vertices[v[0]], mesh->vertices[v[1]], mesh->vertices[v[2]]};
    p->index = index;
    geo_core_init_triangle(&p->core, &visit->job->b, corners);
    for (int k = 0; k < 3; k++) {
        p->vertex_codes[k] = geo_code_vertex(v[k]);
        p->edge_codes[k] = geo_code_edge(edge_name(mesh, index, k));
        p->inner_edges[k] = geo_mesh_side_is_inner(mesh, index, k);
    }
    p->face_codes[0] = p->face_codes[1] = geo_code_face(mesh->faces[index]);
    p->core.vertex_codes = p->vertex_codes;
    p->core.edge_codes = p->edge_codes;
    p->core.face_codes = p->face_codes;
    p->core.inner_edges = p->inner_edges;
    p->side = mat3_apply(&p->core.rotation, p->core.own_normals[0]);
    vec3 from_plane = vec3_sub(visit->middle, geo_core_vertex(&p->core, 0));
    bool below = !(vec3_dot(p->side, from_plane) >= 0.0);
    if (below)
        p->side = vec3_negate(p->side);
    return !is_back(visit, index, below);
}

static int corner_of(const geo_mesh *mesh, int triangle, int vertex)
{
    const int *v = mesh->triangles[triangle];
    return v[0] == vertex ? 0 : v[1] == vertex ? 1 : v[2] == vertex ? 2 : -1;
}

// is a vertex at least as high along n as the rest of a triangle?
static bool tops_triangle(const geo_mesh *mesh, int triangle, int vertex, vec3 n, double tolerance)
{
    for (int k = 0; k < 3; k++) {
        vec3 d = vec3_sub(mesh->vertices[mesh->triangles[triangle][k]], mesh->vertices[vertex]);
        if (vec3_dot(n, d) > tolerance)
            return false;
    }
    return true;
}

// walks around a vertex from one triangle across its edge `k`; *closed tells a full turn
static bool tops_fan(const geo_mesh *mesh, int start, int k, int vertex, vec3 n, double tolerance,
                     bool *closed)
{
    int at = start;
    for (int step = 0; step < FAN_MAX; step++) {
        int next = mesh->adjacent[at][k];
        *closed = next == start;
        if (next < 0 || *closed)
            return true;
        int corner = corner_of(mesh, next, vertex);
        if (corner < 0 || !tops_triangle(mesh, next, vertex, n, tolerance))
            return corner < 0;
        // leave by the edge at the vertex that was not crossed
        k = mesh->adjacent[next][corner] == at ? (corner + 2) % 3 : corner;
        at = next;
    }
    return true;
}

static bool tops_neighbours(const geo_mesh *mesh, int triangle, int corner, vec3 n,
                            double tolerance)
{
    bool closed;
    int vertex = mesh->triangles[triangle][corner];
    if (!tops_fan(mesh, triangle, corner, vertex, n, tolerance, &closed))
        return false;
    return closed || tops_fan(mesh, triangle, (corner + 2) % 3, vertex, n, tolerance, &closed);
}

// may the surface be touched along n (working frame, out of the triangle)? not where an edge or
// vertex of the triangle lies lower than the surface beyond it; *inner tells of such that lie
// within a face
static bool normal_allowed(const mesh_visit *visit, const patch *p, vec3 n, bool *inner)
{
    const geo_mesh *mesh = visit->mesh;
    const vec3 *x = p->core.own_vertices;
    vec3 d = mat3_apply_transposed(&p->core.rotation, n);
    double length = vec3_distance(x[0], x[1]) + vec3_distance(x[1], x[2]);
    double tolerance = 1e-8 * length, h[3], top = -INFINITY;
    int count = 0, highest = 0;
    for (int k = 0; k < 3; k++) {
        h[k] = vec3_dot(d, x[k]);
        if (h[k] > top) {
            top = h[k];
            highest = k;
        }
    }
    for (int k = 0; k < 3; k++)
        count += h[k] >= top - tolerance;
    *inner = false;
    if (count == 3)
        return vec3_dot(n, p->side) >= -1e-9;
    if (count == 1)
        *inner = mesh->inner_vertices[mesh->triangles[p->index][highest]];
    if (count == 1)
        return tops_neighbours(mesh, p->index, highest, d, tolerance);
    int k = h[0] < top - tolerance ? 1 : h[1] < top - tolerance ? 2 : 0;
    int other = mesh->adjacent[p->index][k];
    *inner = geo_mesh_side_is_inner(mesh, p->index, k);
    return other < 0 ||
           tops_triangle(mesh, other, mesh->triangles[p->index][k], d, 2.0 * tolerance);
}

static bool is_inner_feature(const geo_mesh *mesh, uint32_t code)
{
    int index = (int)(code & GEO_CODE_INDEX);
    if (code == geo_code_vertex(index))
        return mesh->inner_vertices[index];
    return code == geo_code_edge(index) && geo_mesh_side_is_inner(mesh, index / 3, index % 3);
}

// does a feature of the convex shape reach beyond one triangle, so that it crosses a side of it?
static bool is_extended(uint32_t code)
{
    int index = (int)(code & GEO_CODE_INDEX);
    return code == geo_code_edge(index) || code == geo_code_face(index);
}

// A face of several triangles is touched as if it were of one: where an edge or face of the convex
// shape crosses a side within it there is no contact, and whatever else touches such a side
// touches the face. Contacts from index `from` on are those of one triangle.
static void see_whole_face(geo_job *job, const geo_mesh *mesh, int triangle, int from)
{
    geo_manifold *manifold = job->manifold;
    int count = from, upper = job->flip ? 0 : 32, lower = 32 - upper;
    for (int i = from; i < manifold->count; i++) {
        geo_contact c = manifold->contacts[i];
        uint32_t of_convex = (uint32_t)(c.key >> upper), of_mesh = (uint32_t)(c.key >> lower);
        bool inner = is_inner_feature(mesh, of_mesh);
        if (inner && is_extended(of_convex))
            continue;
        if (inner)
            c.key = (uint64_t)of_convex << upper | (uint64_t)geo_code_face(mesh->faces[triangle])
                                                       << lower;
        manifold->contacts[count++] = c;
    }
    manifold->count = count;
}

// Drops contacts from index `from` on that an earlier triangle has given already. Of two with one
// name, as of a corner over the side that two triangles of a face share, the deeper one is kept.
static void drop_repeated(geo_job *job, int from)
{
    geo_manifold *manifold = job->manifold;
    int count = from;
    double limit = 1e-18 * job->size * job->size;
    for (int i = from; i < manifold->count; i++) {
        const geo_contact *c = &manifold->contacts[i];
        bool repeated = false;
        for (int j = job->first; j < from && !repeated; j++) {
            geo_contact *o = &manifold->contacts[j];
            bool same_place = vec3_norm_squared(vec3_sub(o->point, c->point)) <= limit;
            bool same_name = o->key == c->key;
            repeated = same_name || (same_place && vec3_dot(o->normal, c->normal) > 0.999999);
            if (same_name && c->gap < o->gap)
                *o = *c;
        }
        if (!repeated)
            manifold->contacts[count++] = *c;
    }
    manifold->count = count;
}

static int find_foot(const mesh_visit *visit, const patch *p, int face)
{
    const geo_job *job = visit->job;
    int vertex;
    vec3 lowest = geo_core_support(visit->convex, vec3_negate(p->side), &vertex);
    double gap = vec3_dot(p->side, vec3_sub(lowest, geo_core_vertex(&p->core, 0)));
    vec3 foot = vec3_add_scaled(lowest, -gap, p->side);
    vec3 own = geo_placed_apply_inverse(&job->b, foot);
    double inside;
    int triangle = geo_mesh_triangle_at(visit->mesh, face, own, 1e-9 * job->size, &inside);
    return inside < -gap ? -1 : triangle;
}

// Does another triangle of the face have the lowest point of the convex shape, so that there is
// nothing to look for on this one but where features lie on each other?
static bool is_beside_foot(mesh_visit *visit, const patch *p)
{
    int face = visit->mesh->faces[p->index], i = 0;
    if (visit->convex->kind == GEO_CORE_POINT)
        return false;
    while (i < visit->foot_count && visit->feet[i].face != face)
        i++;
    if (i == FACES_MAX)
        return false;
    if (i == visit->foot_count)
        visit->feet[visit->foot_count++] = (face_foot){face, find_foot(visit, p, face)};
    return visit->feet[i].triangle >= 0 && visit->feet[i].triangle != p->index;
}

// The point of a triangle that is nearest to a point, and the code of its feature there: a corner
// where the point is beyond both sides, else a side that it is beyond, else the face.
static vec3 nearest_on_patch(const patch *p, vec3 point, uint32_t *code)
{
    const vec3 *x = p->core.own_vertices;
    vec3 side[3];
    double before[3], after[3]; // of the ends of a side, along it
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        side[k] = vec3_sub(x[next], x[k]);
        before[k] = vec3_dot(side[k], vec3_sub(point, x[k]));
        after[k] = vec3_dot(side[k], vec3_sub(x[next], point));
    }
    for (int k = 0; k < 3; k++)
        if (before[k] <= 0.0 && after[(k + 2) % 3] <= 0.0) {
            *code = p->vertex_codes[k];
            return x[k];
        }
    for (int k = 0; k < 3; k++) {
        vec3 outward = vec3_cross(side[k], p->core.own_normals[0]);
        if (before[k] > 0.0 && after[k] > 0.0 && vec3_dot(outward, vec3_sub(point, x[k])) >= 0.0) {
            *code = p->edge_codes[k];
            return vec3_add_scaled(x[k], before[k] / (before[k] + after[k]), side[k]);
        }
    }
    vec3 n = p->core.own_normals[0];
    *code = p->face_codes[0];
    return vec3_add_scaled(point, p->core.own_offsets[0] - vec3_dot(n, point), n);
}

// has a triangle of the mesh no width?
static bool is_line(const patch *p)
{
    const vec3 *x = p->core.own_vertices;
    vec3 u = vec3_sub(x[1], x[0]), v = vec3_sub(x[2], x[0]);
    double longest = fmax(vec3_norm_squared(u), vec3_norm_squared(v));
    return vec3_norm_squared(vec3_cross(u, v)) <= 1e-24 * longest * longest;
}

// A ball touches a triangle at one point. *known is false where its centre is too near to tell from
// which side, and for triangles without width.
static cairn_status ball_contact(mesh_visit *visit, const patch *p, bool *known)
{
    geo_job *job = visit->job;
    geo_closest closest = {.code_a = geo_code_vertex(0), .point_a = visit->convex->centre};
    vec3 nearest = nearest_on_patch(p, visit->centre, &closest.code_b);
    vec3 way = vec3_sub(nearest, visit->centre);
    closest.separation = vec3_norm(way);
    *known = closest.separation > 1e-9 * job->size && !is_line(p);
    if (!*known || closest.separation > job->margin + visit->convex->radius)
        return CAIRN_OK;
    bool on_face = closest.code_b == p->face_codes[0];
    closest.point_b = geo_placed_apply(&job->b, nearest);
    closest.normal = on_face
                         ? vec3_negate(p->side)
                         : mat3_apply(&job->b.rotation, vec3_scale(1.0 / closest.separation, way));
    bool inner;
    if (!on_face && !normal_allowed(visit, p, vec3_negate(closest.normal), &inner))
        return CAIRN_OK;
    return geo_closest_emit(job, visit->convex, &p->core, &closest);
}

// Is a triangle that is apart from the convex shape seen from the other side, whatever side of its
// plane the middle of the shape is on? One of two fronts is then seen from there.
static bool is_seen_from_behind(const mesh_visit *visit, patch *p, const geo_closest *closest)
{
    if (!(closest->separation > 0.0 && vec3_dot(p->side, closest->normal) > 1e-9))
        return false;
    bool closed = visit->mesh->solid || visit->mesh->shells[p->index] != 0;
    if (!closed)
        p->side = vec3_negate(p->side);
    return closed;
}

static cairn_status patch_contacts(mesh_visit *visit, patch *p)
{
    geo_job *job = visit->job;
    geo_closest closest;
    if (job->a.shape->kind == GEO_SPHERE) {
        bool known;
        cairn_status status = ball_contact(visit, p, &known);
        if (known || status != CAIRN_OK)
            return status;
    }
    double limit = job->margin + visit->convex->radius;
    bool flat = visit->convex->face_count > 0, beside = is_beside_foot(visit, p);
    if (!beside && !geo_closest_find(visit->convex, &p->core, limit, job->size, &closest))
        return CAIRN_OK;
    bool behind = !beside && is_seen_from_behind(visit, p, &closest);
    vec3 n = beside ? p->side : vec3_negate(closest.normal);
    bool inner = true, allowed = !beside && normal_allowed(visit, p, n, &inner);
    // the shape lies across an edge behind which the surface rises: the face there has the contact
    bool across = !inner && vec3_dot(n, p->side) < steep_cosine;
    if (!allowed && (behind || across))
        return CAIRN_OK;
    bool on_face = !allowed || vec3_dot(n, p->side) > 1.0 - 1e-9;
    double cosine = on_face && flat ? 0.05 : facing_cosine;
    if (allowed)
        return geo_closest_spread(job, visit->convex, &p->core, &closest, cosine, facing_cosine);
    return geo_closest_clip(job, visit->convex, &p->core, vec3_negate(p->side), cosine,
                            facing_cosine);
}

static bool visit_triangle(void *context, int index)
{
    mesh_visit *visit = context;
    patch p;
    if (is_beyond(visit, index) || is_parted_by_plane(visit, index) ||
        !init_patch(&p, visit, index))
        return true;
    int from = visit->job->manifold->count;
    visit->status = patch_contacts(visit, &p);
    see_whole_face(visit->job, visit->mesh, index, from);
    drop_repeated(visit->job, from);
    return visit->status == CAIRN_OK;
}

// bounds of the convex shape in the mesh's frame, with room for the margin
static geo_bounds bounds_in_mesh(const geo_job *job, const geo_core *convex)
{
    geo_bounds bounds;
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        int vertex;
        vec3 axis = geo_placed_axis(&job->b, k);
        vec3 up = vec3_sub(geo_core_support(convex, axis, &vertex), job->b.centre);
        vec3 down = vec3_sub(geo_core_support(convex, vec3_negate(axis), &vertex), job->b.centre);
        high[k] = vec3_dot(axis, up);
        low[k] = vec3_dot(axis, down);
    }
    bounds.low = vec3_from(low);
    bounds.high = vec3_from(high);
    return geo_bounds_inflate(bounds, (convex->radius + job->margin) + 1e-12 * job->size);
}

static mesh_visit begin_visit(geo_job *job, geo_core *convex)
{
    geo_core_init(convex, &job->a);
    return (mesh_visit){
        .job = job,
        .mesh = &job->b.shape->mesh,
        .convex = convex,
        .middle = geo_placed_apply(&job->a, geo_shape_mass(job->a.shape).centre),
        .centre = geo_placed_apply_inverse(&job->b, job->a.centre),
        .ball = job->a.shape->bounding_radius + job->margin + 1e-12 * job->size,
    };
}

// a look at the triangles around a shape that touches none
typedef struct clearance {
    const mesh_visit *visit;
    double apart; // m, no triangle so far is nearer to the shape
} clearance;

static bool measure_triangle(void *context, int index)
{
    clearance *found = context;
    const mesh_visit *visit = found->visit;
    vec3 normal = normal_of(visit, index);
    double aside = sqrt(squared_distance_aside(visit, index, normal)), away = 0.0;
    if (isfinite(aside))
        away = aside - visit->job->a.shape->bounding_radius;
    if (vec3_norm_squared(normal) > 0.0)
        away = fmax(away, distance_to_plane(visit, index, normal));
    found->apart = fmin(found->apart, away);
    return found->apart > 0.0;
}

// no point of the mesh is nearer to the convex shape, m; 0 where that is not known
static double find_clearance(const mesh_visit *visit)
{
    // so far that a shape seldom goes it in a hundred steps, and few triangles are near
    double reach = visit->job->a.shape->bounding_radius, room = 2.0 * reach;
    clearance found = {visit, room};
    geo_bvh_query_ball(visit->mesh->bvh, visit->centre, reach + room, measure_triangle, &found);
    double digits = 1e-9 * (reach + room);
    return found.apart > digits ? found.apart - digits : 0.0;
}

cairn_status geo_pair_mesh(geo_job *job)
{
    geo_core convex;
    mesh_visit visit = begin_visit(job, &convex);
    if (job->a.shape->kind == GEO_SPHERE)
        geo_bvh_query_ball(visit.mesh->bvh, visit.centre, visit.ball, visit_triangle, &visit);
    else
        geo_bvh_query(visit.mesh->bvh, bounds_in_mesh(job, &convex), visit_triangle, &visit);
    if (job->cache && job->manifold->count == job->first && visit.status == CAIRN_OK)
        job->cache->apart = find_clearance(&visit);
    return visit.status;
}

cairn_status geo_pair_mesh_listed(geo_job *job, const int *list, int count)
{
    geo_core convex;
    mesh_visit visit = begin_visit(job, &convex);
    for (int i = 0; i < count && visit.status == CAIRN_OK; i++)
        visit_triangle(&visit, list[i]);
    return visit.status;
}

typedef struct near_visit {
    mesh_visit visit;
    int *list;
    int count, capacity;
} near_visit;

static bool list_triangle(void *context, int index)
{
    near_visit *near = context;
    if (is_beyond(&near->visit, index))
        return true;
    if (near->count < near->capacity)
        near->list[near->count] = index;
    return near->count++ < near->capacity;
}

int geo_pair_mesh_near(geo_job *job, int *list, int capacity)
{
    geo_core convex;
    near_visit near = {begin_visit(job, &convex), list, 0, capacity};
    geo_bvh_query_ball(near.visit.mesh->bvh, near.visit.centre, near.visit.ball, list_triangle,
                       &near);
    return near.count <= capacity ? near.count : -1;
}
