// SPDX-License-Identifier: Apache-2.0
// The few features that can part two overlapping polytopes. The reasons stand in leading.h.
#include "geometry/narrow/leading.h"

#include "base/assert.h"
#include "geometry/narrow/edges.h"

enum { MANY = 64, PAIRS = 192 };

// B against A, in the frame of A
typedef struct placing {
    mat3 rotation;
    vec3 shift;
    vec3 vertex[MANY]; // of B, those that were placed
    uint64_t normals;  // of B that are known
    vec3 normal[MANY];
} placing;

static void place(const geo_core *a, const geo_core *b, placing *p)
{
    mat3 to_a = mat3_transpose(&a->rotation);
    p->rotation = mat3_multiply(&to_a, &b->rotation);
    p->shift = mat3_apply(&to_a, vec3_sub(b->centre, a->centre));
    p->normals = 0;
}

// places some vertices of B
static inline void place_vertices(const geo_core *b, placing *p, uint64_t vertices)
{
    for (; vertices != 0; vertices &= vertices - 1) {
        int vertex = __builtin_ctzll(vertices);
        p->vertex[vertex] = vec3_add(p->shift, mat3_apply(&p->rotation, b->vertices[vertex]));
    }
}

static inline vec3 normal_of(const geo_core *b, placing *p, int face)
{
    if ((p->normals >> face & 1) == 0) {
        p->normal[face] = mat3_apply(&p->rotation, b->face_normals[face]);
        p->normals |= (uint64_t)1 << face;
    }
    return p->normal[face];
}

static uint64_t all_of(int count)
{
    return count < MANY ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0;
}

// ---------------------------------------------------------------- separations

// separation by a face of A, from some vertices of B
static inline double part_by_a(const geo_core *a, const placing *p, int face, uint64_t vertices)
{
    double lowest = INFINITY;
    for (; vertices != 0; vertices &= vertices - 1) {
        double height = vec3_dot(a->face_normals[face], p->vertex[__builtin_ctzll(vertices)]);
        lowest = height < lowest ? height : lowest;
    }
    return lowest - a->face_offsets[face];
}

// the same by a face of B
static inline double part_by_b(const geo_core *a, const geo_core *b, placing *p, int face,
                               uint64_t vertices)
{
    vec3 normal = normal_of(b, p, face);
    double lowest = INFINITY;
    for (; vertices != 0; vertices &= vertices - 1) {
        double height = vec3_dot(normal, a->vertices[__builtin_ctzll(vertices)]);
        lowest = height < lowest ? height : lowest;
    }
    return lowest - (b->face_offsets[face] + vec3_dot(normal, p->shift));
}

static geo_edge_view edge_of_a(const geo_core *a, int edge)
{
    const int *ends = a->edge_vertices[edge], *faces = a->edge_faces[edge];
    geo_edge_view v = {.point = a->vertices[ends[0]],
                       .n0 = a->face_normals[faces[0]],
                       .n1 = a->face_normals[faces[1]]};
    v.along = vec3_sub(a->vertices[ends[1]], v.point);
    v.middle = vec3_add(v.n0, v.n1);
    return v;
}

static geo_edge_view edge_of_b(const geo_core *b, placing *p, int edge)
{
    const int *ends = b->edge_vertices[edge], *faces = b->edge_faces[edge];
    geo_edge_view v = {.point = p->vertex[ends[0]],
                       .n0 = normal_of(b, p, faces[0]),
                       .n1 = normal_of(b, p, faces[1])};
    v.along = vec3_sub(p->vertex[ends[1]], v.point);
    v.middle = vec3_add(v.n0, v.n1);
    return v;
}

// do two normals beside an edge lie on the two sides of the plane across another edge?
static inline bool crosses(vec3 n0, vec3 n1, vec3 along)
{
    return (vec3_dot(n0, along) > 0.0) != (vec3_dot(n1, along) > 0.0);
}

// an edge of A against one of B whose plane its arc meets
static inline void part_by_edge(const geo_core *a, int i, const geo_core *b, int j, placing *p,
                                geo_edge_view *eb, bool *whole, geo_sat *sat)
{
    if (!*whole) {
        const int *faces = b->edge_faces[j];
        eb->n0 = normal_of(b, p, faces[0]);
        eb->n1 = normal_of(b, p, faces[1]);
        eb->middle = vec3_add(eb->n0, eb->n1);
        *whole = true;
    }
    const int *ends = a->edge_vertices[i], *faces = a->edge_faces[i];
    vec3 point = a->vertices[ends[0]], along = vec3_sub(a->vertices[ends[1]], point);
    if (!crosses(eb->n0, eb->n1, along))
        return;
    vec3 n0 = a->face_normals[faces[0]], n1 = a->face_normals[faces[1]];
    const geo_edge_view ea = {
        .point = point, .along = along, .n0 = n0, .n1 = n1, .middle = vec3_add(n0, n1)};
    geo_edges_try(&ea, i, eb, j, sat);
}

// pairs of some edges, in the order of geo_sat_query
static void part_by_edges(const geo_core *a, const geo_core *b, placing *p, uint64_t of_a,
                          uint64_t of_b, geo_sat *sat)
{
    for (; of_b != 0; of_b &= of_b - 1) {
        int j = __builtin_ctzll(of_b);
        const int *ends = b->edge_vertices[j];
        geo_edge_view eb;
        eb.full = false;
        eb.point = p->vertex[ends[0]];
        eb.along = vec3_sub(p->vertex[ends[1]], eb.point);
        bool whole = false;
        for (uint64_t left = of_a; left != 0; left &= left - 1) {
            // few arcs get as far as to the other edge's normals
            int i = __builtin_ctzll(left);
            const int *faces = a->edge_faces[i];
            if (crosses(a->face_normals[faces[0]], a->face_normals[faces[1]], eb.along))
                part_by_edge(a, i, b, j, p, &eb, &whole, sat);
        }
    }
}

// ---------------------------------------------------------------- the list

// all features of a pair: separations and directions from A to B
typedef struct features {
    double part[2 * MANY + PAIRS];
    vec3 direction[2 * MANY + PAIRS];
    int count, faces; // faces of A and of B come first
} features;

static void add_feature(features *f, double part, vec3 direction)
{
    f->part[f->count] = part;
    f->direction[f->count++] = direction;
}

// false where edges are parallel, or too many cross
static bool add_edges(const geo_core *a, const geo_core *b, placing *p, features *f)
{
    geo_edge_view of_a[MANY];
    for (int i = 0; i < a->edge_count; i++)
        of_a[i] = edge_of_a(a, i);
    for (int j = 0; j < b->edge_count; j++) {
        geo_edge_view eb = edge_of_b(b, p, j);
        for (int i = 0; i < a->edge_count; i++) {
            if (!crosses(of_a[i].n0, of_a[i].n1, eb.along) || !crosses(eb.n0, eb.n1, of_a[i].along))
                continue;
            vec3 axis = vec3_cross(of_a[i].along, eb.along);
            double squared = vec3_norm_squared(axis);
            double side = vec3_dot(axis, of_a[i].middle);
            if (side * vec3_dot(axis, eb.middle) >= 0.0)
                continue;
            if (f->count == 2 * MANY + PAIRS ||
                squared <= 4e-10 * vec3_norm_squared(of_a[i].along) * vec3_norm_squared(eb.along))
                return false;
            axis = vec3_scale((side < 0.0 ? -1.0 : 1.0) / sqrt(squared), axis);
            add_feature(f, vec3_dot(axis, vec3_sub(eb.point, of_a[i].point)), axis);
        }
    }
    return true;
}

static bool list_features(const geo_core *a, const geo_core *b, placing *p, features *f)
{
    f->count = 0;
    place_vertices(b, p, all_of(b->vertex_count));
    for (int i = 0; i < a->face_count; i++)
        add_feature(f, part_by_a(a, p, i, all_of(b->vertex_count)), a->face_normals[i]);
    for (int i = 0; i < b->face_count; i++)
        add_feature(f, part_by_b(a, b, p, i, all_of(a->vertex_count)),
                    vec3_negate(normal_of(b, p, i)));
    f->faces = f->count;
    return add_edges(a, b, p, f);
}

static double radius_of(const geo_core *core)
{
    double squared = 0.0;
    for (int i = 0; i < core->vertex_count; i++)
        squared = real_max(squared, vec3_norm_squared(core->vertices[i]));
    return sqrt(squared);
}

// vertices that can be the highest one along some direction within an angle of one of the core's
// own frame, after corners have gone a way: the highest stays so by what a direction gains across
static uint64_t top_vertices(const geo_core *core, vec3 direction, double angle, double way)
{
    vec3 top = geo_core_support_local(core, direction);
    if (angle >= 1.0)
        return all_of(core->vertex_count);
    // no less than the tangent
    double slope = angle / (1.0 - 0.5 * angle * angle);
    uint64_t bits = 0;
    for (int i = 0; i < core->vertex_count; i++) {
        vec3 down = vec3_sub(top, core->vertices[i]);
        double depth = vec3_dot(down, direction);
        double across = vec3_norm(vec3_add_scaled(down, -depth, direction));
        bits |= (uint64_t)(depth <= slope * (across + way) + way) << i;
    }
    return bits;
}

static uint64_t edges_among(const geo_core *core, uint64_t vertices)
{
    uint64_t bits = 0;
    for (int i = 0; i < core->edge_count; i++) {
        const int *ends = core->edge_vertices[i];
        bits |= (vertices >> ends[0] & vertices >> ends[1] & 1) << i;
    }
    return bits;
}

// the best feature, and those that are hardly worse; out: depth of the best other one, and the
// largest chord from the best direction to one that leads
static int choose_leading(const geo_core *a, const features *f, double near, geo_leading *leading,
                          double *other, double *spread)
{
    int best = 0;
    for (int i = 1; i < f->count; i++)
        best = f->part[i] > f->part[best] ? i : best;
    *other = INFINITY;
    *spread = 0.0;
    leading->faces_a = leading->faces_b = 0;
    for (int i = 0; i < f->count; i++) {
        if (f->part[i] < f->part[best] - near) {
            *other = real_min(*other, -f->part[i]);
            continue;
        }
        *spread = real_max(*spread, vec3_distance(f->direction[i], f->direction[best]));
        if (i < a->face_count)
            leading->faces_a |= (uint64_t)1 << i;
        else if (i < f->faces)
            leading->faces_b |= (uint64_t)1 << (i - a->face_count);
    }
    return best;
}

static bool is_fit(const geo_core *core)
{
    return core->face_count > 3 && core->face_count <= MANY && core->edge_count <= MANY &&
           core->vertex_count <= MANY;
}

static void keep_placing(const placing *p, geo_leading *leading)
{
    for (int i = 0; i < 9; i++)
        leading->rotation[i] = (float)p->rotation.m[i / 3][i % 3];
    for (int i = 0; i < 3; i++)
        leading->shift[i] = (float)vec3_get(p->shift, i);
}

void geo_leading_find(const geo_job *job, const geo_core *a, const geo_core *b,
                      geo_leading *leading)
{
    // parts of the size by which features that lead are worse than the best, the next where those
    // point too far apart; part of the distance to the others that may be used up
    static const double near[] = {0.03, 0.01, 0.003};
    const double use = 0.15, most_spread = 0.5;
    features f;
    double other, spread = INFINITY;
    placing p;
    int best = 0;
    leading->shape[0] = leading->shape[1] = NULL;
    if (!is_fit(a) || !is_fit(b))
        return;
    place(a, b, &p);
    if (!list_features(a, b, &p, &f))
        return;
    for (int i = 0; i < BASE_COUNT(near) && spread > most_spread; i++)
        best = choose_leading(a, &f, near[i] * job->size, leading, &other, &spread);
    double depth = -f.part[best], way = use * (other - depth), most = depth + way;
    if (!(depth > 0.0) || !isfinite(other) || spread > most_spread)
        return;
    double radius_a = radius_of(a), radius_b = radius_of(b);
    double reach = real_max(radius_a + vec3_norm(p.shift), radius_b);
    // a chord c <= 1 is less than 1.05 c as an angle; B's normals turn on the way
    double cone =
        1.05 * spread + way / sqrt(other * other - most * most) + 1.5 * way / reach + 1e-5;
    vec3 direction = f.direction[best];
    vec3 in_b = vec3_negate(mat3_apply_transposed(&p.rotation, direction));
    leading->vertices_a = top_vertices(a, direction, cone, 0.0);
    leading->vertices_b = top_vertices(b, in_b, cone, 2.0 * way);
    leading->edges_a = edges_among(a, leading->vertices_a);
    leading->edges_b = edges_among(b, leading->vertices_b);
    leading->shape[0] = job->a.shape;
    leading->shape[1] = job->b.shape;
    leading->wait = leading->waited = 0;
    leading->reach = (float)(reach * (1.0 + 1e-6));
    leading->way = (float)(way * (1.0 - 1e-6));
    leading->most = (float)(most * (1.0 - 1e-6));
    keep_placing(&p, leading);
}

bool geo_leading_is_due(geo_leading *leading)
{
    const int longest = 64;
    if (leading->wait > 0) {
        leading->wait--;
        return false;
    }
    leading->waited = leading->waited < longest ? 2 * leading->waited + 1 : longest;
    leading->wait = leading->waited;
    return true;
}

// ---------------------------------------------------------------- the question

// no less than the farthest way that a corner of either has gone in the frame of the other
static double way_since(const geo_leading *leading, const placing *p)
{
    double turn = 0.0;
    for (int i = 0; i < 9; i++) {
        double d = p->rotation.m[i / 3][i % 3] - (double)leading->rotation[i];
        turn += d * d;
    }
    vec3 before = {leading->shift[0], leading->shift[1], leading->shift[2]};
    // the difference of two rotations stretches by its Frobenius norm over the root of two
    double reach = leading->reach;
    return vec3_distance(p->shift, before) + reach * (sqrt(0.5 * turn) + 1e-6);
}

geo_leading_answer geo_leading_query(const geo_job *job, const geo_core *a, const geo_core *b,
                                     geo_sat *sat)
{
    const geo_leading *leading = job->cache->leading;
    if (leading->shape[0] != job->a.shape || leading->shape[1] != job->b.shape)
        return GEO_LEADING_UNKNOWN;
    placing p;
    place(a, b, &p);
    double way = way_since(leading, &p);
    if (!(way <= (double)leading->way))
        return GEO_LEADING_UNKNOWN;
    *sat = (geo_sat){.face_a = -INFINITY,
                     .face_b = -INFINITY,
                     .edge = -INFINITY,
                     .index_a = -1,
                     .index_b = -1,
                     .edge_a = -1,
                     .edge_b = -1};
    // the ends of its edges are among them
    place_vertices(b, &p, leading->vertices_b);
    for (uint64_t bits = leading->faces_a; bits != 0; bits &= bits - 1) {
        int face = __builtin_ctzll(bits);
        double part = part_by_a(a, &p, face, leading->vertices_b);
        if (part > sat->face_a) {
            sat->face_a = part;
            sat->index_a = face;
        }
    }
    for (uint64_t bits = leading->faces_b; bits != 0; bits &= bits - 1) {
        int face = __builtin_ctzll(bits);
        double part = part_by_b(a, b, &p, face, leading->vertices_a);
        if (part > sat->face_b) {
            sat->face_b = part;
            sat->index_b = face;
        }
    }
    part_by_edges(a, b, &p, leading->edges_a, leading->edges_b, sat);
    double part = geo_sat_separation(sat);
    if (part > job->margin * (1.0 + 1e-9) + 1e-9 * job->size) {
        job->cache->apart = part - 1e-9 * job->size;
        return GEO_LEADING_APART;
    }
    // what other searches would call touching, and features as good but for the choice of one
    bool deep = part < -1e-9 * job->size;
    if (!deep || way - part + 2.0 * geo_sat_bias(sat, job->size) > (double)leading->most)
        return GEO_LEADING_UNKNOWN;
    sat->edge_axis = mat3_apply(&a->rotation, sat->edge_axis);
    return GEO_LEADING_OVERLAP;
}
