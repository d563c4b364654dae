// SPDX-License-Identifier: Apache-2.0
// Whether two placed shapes have a point in common.
#include "geometry/mesh/bvh.h"
#include "geometry/narrow/gjk.h"
#include "geometry/narrow/ray.h"

static bool cores_meet(const geo_core *a, const geo_core *b)
{
    geo_gjk_result found;
    double near = a->radius + b->radius;
    geo_gjk(a, b, near, &found);
    return found.state == GEO_GJK_OVERLAP ||
           (found.state == GEO_GJK_SEPARATED && found.distance <= near);
}

typedef struct mesh_search {
    const geo_core *core; // what is held against the triangles
    const geo_placed *mesh;
    bool met;
} mesh_search;

static bool meet_triangle(void *context, int item)
{
    mesh_search *search = context;
    const geo_mesh *mesh = &search->mesh->shape->mesh;
    vec3 corners[3];
    for (int i = 0; i < 3; i++)
        corners[i] = mesh->vertices[mesh->triangles[item][i]];
    geo_core triangle;
    geo_core_init_triangle(&triangle, search->mesh, corners);
    search->met = cores_meet(search->core, &triangle);
    return !search->met;
}

/// The point of a convex shape deepest in a half-space lies in it.
static bool meets_halfspace(const geo_shape *a, const pose *relative)
{
    vec3 down = quat_rotate_inverse(relative->orientation, vec3_make(0.0, 0.0, -1.0));
    return pose_apply(relative, geo_shape_support(a, down)).z <= 0.0;
}

bool geo_overlap(const geo_shape *a, const pose *placement_a, const geo_shape *b,
                 const pose *placement_b)
{
    const pose relative = pose_relative(placement_b, placement_a); // A in the frame of B
    if (b->kind == GEO_HALFSPACE)
        return meets_halfspace(a, &relative);
    // in the frame of B, so that nothing is lost far from the world's origin
    const geo_placed placed_a = {a, quat_to_mat3(relative.orientation), relative.position};
    const geo_placed placed_b = {b, mat3_identity(), {0.0, 0.0, 0.0}};
    geo_core core_a, core_b;
    geo_core_init(&core_a, &placed_a);
    if (b->kind == GEO_MESH) {
        mesh_search search = {&core_a, &placed_b, false};
        geo_bvh_query(b->mesh.bvh, geo_shape_bounds(a, &relative), meet_triangle, &search);
        vec3 middle = pose_apply(&relative, geo_shape_mass(a).centre);
        return search.met || geo_mesh_holds(&b->mesh, middle);
    }
    geo_core_init(&core_b, &placed_b);
    return cores_meet(&core_a, &core_b);
}
