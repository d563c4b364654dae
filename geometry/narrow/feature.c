// SPDX-License-Identifier: Apache-2.0
// Features of convex cores: faces, edges, caps, sides that a contact may spread over.
#include "geometry/narrow/clip.h"

#include "base/elementary.h"

enum { CAP_CORNERS = 8 };

static cairn_status reserve(geo_feature *feature, int count, const base_allocator *allocator)
{
    feature->count = count;
    feature->points = feature->own_points;
    feature->vertices = feature->own_vertices;
    if (count <= GEO_FEATURE_INLINE)
        return CAIRN_OK;
    feature->points = base_allocate(allocator, (size_t)count, sizeof(vec3));
    feature->vertices = base_allocate(allocator, (size_t)count, sizeof(int));
    if (feature->points && feature->vertices)
        return CAIRN_OK;
    base_release(allocator, feature->points);
    base_release(allocator, feature->vertices);
    feature->count = 0;
    return CAIRN_ERROR_MEMORY;
}

void geo_feature_release(geo_feature *feature, const base_allocator *allocator)
{
    if (feature->count <= GEO_FEATURE_INLINE)
        return;
    base_release(allocator, feature->points);
    base_release(allocator, feature->vertices);
    feature->count = 0;
}

cairn_status geo_feature_face(geo_feature *feature, const geo_core *core, int face,
                              const base_allocator *allocator)
{
    int first = core->face_start[face], count = core->face_start[face + 1] - first;
    cairn_status status = reserve(feature, count, allocator);
    if (status)
        return status;
    feature->core = core;
    feature->radius = core->radius;
    feature->normal = mat3_apply(&core->rotation, core->face_normals[face]);
    feature->face_code = geo_core_face_code(core, face);
    feature->edges = core->face_edges + first;
    for (int k = 0; k < count; k++) {
        feature->vertices[k] = core->face_vertices[first + k];
        feature->points[k] = geo_core_vertex(core, feature->vertices[k]);
    }
    return CAIRN_OK;
}

static void set_point(geo_feature *feature, int index, vec3 point, int vertex)
{
    feature->points[index] = point;
    feature->vertices[index] = vertex;
}

// the cap, the line on the side or the rim point that faces a local direction
static void facing_cylinder(geo_feature *feature, const geo_core *core, vec3 d, double face_cosine)
{
    const double side_sine = 0.1;
    if (fabs(d.z) >= face_cosine) {
        // an octagon with corners on the rim, fixed in the cylinder's frame
        bool top = d.z > 0.0;
        const double h = 0.70710678118654752440;
        const double ring[CAP_CORNERS][2] = {{1.0, 0.0},  {h, h},   {0.0, 1.0},  {-h, h},
                                             {-1.0, 0.0}, {-h, -h}, {0.0, -1.0}, {h, -h}};
        double r = core->half.x, z = top ? core->half.z : -core->half.z;
        feature->count = CAP_CORNERS;
        feature->normal = mat3_apply(&core->rotation, (vec3){0.0, 0.0, top ? 1.0 : -1.0});
        feature->face_code = geo_code_face(top);
        for (int k = 0; k < CAP_CORNERS; k++) {
            int i = top ? k : CAP_CORNERS - 1 - k;
            vec3 corner = geo_core_apply(core, (vec3){r * ring[i][0], r * ring[i][1], z});
            set_point(feature, k, corner, -1 - i - (top ? CAP_CORNERS : 0));
        }
        return;
    }
    double slope = base_hypot(d.x, d.y), r = core->half.x;
    vec3 low = {r * d.x / slope, r * d.y / slope, -core->half.z}, high = low;
    high.z = core->half.z;
    if (fabs(d.z) < side_sine) {
        feature->count = 2;
        set_point(feature, 0, geo_core_apply(core, low), -1 - 2 * CAP_CORNERS);
        set_point(feature, 1, geo_core_apply(core, high), -2 - 2 * CAP_CORNERS);
    } else {
        feature->count = 1;
        bool top = d.z > 0.0;
        set_point(feature, 0, geo_core_apply(core, top ? high : low), -1 - 2 * CAP_CORNERS - top);
    }
}

// the edge at a vertex that lies flattest to a local direction, if flat enough
static int flattest_edge(const geo_core *core, int vertex, vec3 d)
{
    const double flat_sine = 1e-3;
    int best = -1;
    double least = flat_sine;
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
    return best;
}

// a capsule's line on the side, or its end
static void facing_segment(geo_feature *feature, const geo_core *core, int vertex, vec3 d)
{
    const double side_sine = 0.26; // fifteen degrees
    feature->count = fabs(d.z) < side_sine ? 2 : 1;
    set_point(feature, 0, geo_core_vertex(core, vertex), vertex);
    if (feature->count == 1)
        return;
    double s = core->radius / base_hypot(d.x, d.y);
    feature->radius = 0.0;
    for (int k = 0; k < 2; k++) {
        vec3 end = {s * d.x, s * d.y, k ? core->half.z : -core->half.z};
        set_point(feature, k, geo_core_apply(core, end), k);
    }
}

// an edge or vertex of a polytope
static void facing_edge(geo_feature *feature, const geo_core *core, int vertex, vec3 d)
{
    int edge = flattest_edge(core, vertex, d);
    feature->count = edge < 0 ? 1 : 2;
    set_point(feature, 0, geo_core_vertex(core, vertex), vertex);
    for (int k = 0; edge >= 0 && k < 2; k++) {
        int v = core->edge_vertices[edge][k];
        set_point(feature, k, geo_core_vertex(core, v), v);
    }
}

cairn_status geo_feature_facing(geo_feature *feature, const geo_core *core, vec3 outward,
                                double face_cosine, const base_allocator *allocator)
{
    feature->core = core;
    feature->edges = NULL;
    feature->radius = core->radius;
    feature->points = feature->own_points;
    feature->vertices = feature->own_vertices;
    feature->normal = outward;
    feature->face_code = geo_code_face(GEO_CODE_INDEX);
    vec3 d = mat3_apply_transposed(&core->rotation, outward);
    if (core->kind == GEO_CORE_CYLINDER) {
        facing_cylinder(feature, core, d, face_cosine);
        return CAIRN_OK;
    }
    if (core->kind == GEO_CORE_CURVED) {
        // a point: nothing is known of flat parts
        int none;
        feature->count = 1;
        set_point(feature, 0, geo_core_support(core, outward, &none), -1);
        return CAIRN_OK;
    }
    int vertex;
    double cosine;
    geo_core_support(core, outward, &vertex);
    int face = geo_core_face_at(core, vertex, outward, &cosine);
    if (face >= 0 && cosine >= face_cosine)
        return geo_feature_face(feature, core, face, allocator);
    if (core->kind == GEO_CORE_SEGMENT)
        facing_segment(feature, core, vertex, d);
    else
        facing_edge(feature, core, vertex, d);
    return CAIRN_OK;
}
