// SPDX-License-Identifier: Apache-2.0
// Parts of a surface that nothing can touch, since another shape lies against them.
#include "geometry/seams/cover.h"
#include "geometry/mesh/bvh.h"
#include "geometry/narrow/ray.h"

typedef struct point_search {
    const geo_mesh *mesh;
    vec3 point, direction; // in the mesh's frame
    double beyond, slack;  // m
    bool found;
} point_search;

// to `slack`, m, aside and across
static bool triangle_holds(const vec3 x[3], vec3 point, double slack)
{
    vec3 normal = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]));
    double area = vec3_norm(normal);
    if (area == 0.0 || fabs(vec3_dot(normal, vec3_sub(point, x[0]))) > slack * area)
        return false;
    for (int k = 0; k < 3; k++) {
        vec3 inward = vec3_cross(normal, vec3_sub(x[(k + 1) % 3], x[k]));
        if (vec3_dot(inward, vec3_sub(point, x[k])) < -slack * vec3_norm(inward))
            return false;
    }
    return true;
}

static bool look_at_triangle(void *context, int index)
{
    point_search *search = context;
    const int *v = search->mesh->triangles[index];
    const vec3 x[3] = {search->mesh->vertices[v[0]], search->mesh->vertices[v[1]],
                       search->mesh->vertices[v[2]]};
    double beyond = -INFINITY;
    for (int k = 0; k < 3; k++)
        beyond = fmax(beyond, vec3_dot(search->direction, vec3_sub(x[k], search->point)));
    search->found = beyond > search->beyond && triangle_holds(x, search->point, search->slack);
    return !search->found;
}

static bool polyhedron_holds(const geo_polyhedron *polyhedron, vec3 point, double slack)
{
    for (int f = 0; f < polyhedron->face_count; f++)
        if (vec3_dot(polyhedron->face_normals[f], point) - polyhedron->face_offsets[f] >
            polyhedron->rounding + slack)
            return false;
    return true;
}

static bool box_holds(vec3 half, vec3 point, double slack)
{
    return fabs(point.x) <= half.x + slack && fabs(point.y) <= half.y + slack &&
           fabs(point.z) <= half.z + slack;
}

static bool cylinder_holds(const geo_cylinder *cylinder, vec3 point, double slack)
{
    double reach = cylinder->radius + slack;
    return fabs(point.z) <= cylinder->half_length + slack &&
           point.x * point.x + point.y * point.y <= reach * reach;
}

// a point in the shape's frame; of a mesh, a triangle that goes on beyond it along a direction
static bool holds(const geo_shape *shape, vec3 point, vec3 along, double beyond, double slack)
{
    if (shape->kind == GEO_BOX)
        return box_holds(shape->box.half, point, slack);
    if (shape->kind == GEO_CYLINDER)
        return cylinder_holds(&shape->cylinder, point, slack);
    if (shape->kind == GEO_POLYHEDRON)
        return polyhedron_holds(&shape->polyhedron, point, slack);
    if (shape->kind != GEO_MESH)
        return shape->kind == GEO_HALFSPACE && point.z <= slack;
    point_search search = {&shape->mesh, point, along, beyond, slack, false};
    geo_bvh_query_ball(shape->mesh.bvh, point, slack, look_at_triangle, &search);
    return search.found;
}

bool geo_holds(const geo_site *site, vec3 point, double slack)
{
    vec3 local = pose_apply_inverse(&site->place, point);
    return holds(site->shape, local, vec3_make(0.0, 0.0, 0.0), -INFINITY, slack);
}

// does a shape hold a point, and go on beyond it along a unit direction?
static bool goes_on(const geo_site *cover, vec3 point, vec3 direction, double slack)
{
    const geo_shape *shape = cover->shape;
    vec3 local = pose_apply_inverse(&cover->place, point);
    vec3 along = quat_rotate_inverse(cover->place.orientation, direction);
    if (!holds(shape, local, along, slack, slack))
        return false;
    if (shape->kind == GEO_HALFSPACE)
        return 1.0 - along.z > 1e-10;
    return shape->kind == GEO_MESH ||
           vec3_dot(along, vec3_sub(geo_shape_support(shape, along), local)) > slack;
}

static vec3 surface_of(const geo_contact *contact)
{
    return vec3_add_scaled(contact->point, 0.5 * contact->gap, contact->normal);
}

// how far the mover reaches beyond the plane of a contact, m
static double depth_of(const geo_site *mover, const geo_contact *contact)
{
    double depth = fmax(0.0, -contact->gap);
    if (!geo_kind_is_convex(mover->shape->kind))
        return depth;
    vec3 along = quat_rotate_inverse(mover->place.orientation, contact->normal);
    vec3 deepest = pose_apply(&mover->place, geo_shape_support(mover->shape, along));
    return fmax(depth, vec3_dot(contact->normal, vec3_sub(deepest, surface_of(contact))));
}

// is the contact gone once the mover is out of what covers it?
static bool is_gone(const geo_site *mover, const geo_site *of, const geo_contact *contact,
                    const geo_contact *other, double slack)
{
    geo_site moved = *mover;
    // an open contact is closed first, which may lead deeper into the cover
    double way = contact->gap > 0.0 ? contact->gap + slack : 0.0;
    moved.place.position = vec3_add_scaled(moved.place.position, way, contact->normal);
    double along = geo_kind_is_convex(mover->shape->kind)
                       ? 0.0
                       : way * fmax(0.0, vec3_dot(contact->normal, other->normal));
    double out = depth_of(&moved, other) + along + 2.0 * slack;
    moved.place.position = vec3_add_scaled(moved.place.position, -out, other->normal);
    if (geo_kind_is_convex(mover->shape->kind))
        return !geo_overlap(moved.shape, &moved.place, of->shape, &of->place);
    return geo_kind_is_convex(of->shape->kind) &&
           !geo_overlap(of->shape, &of->place, moved.shape, &moved.place);
}

bool geo_is_covered(const geo_site *mover, const geo_site *of, const geo_contact *contact,
                    const geo_site *cover, const geo_contact *other, double slack)
{
    // contacts of flush faces bear together
    if (vec3_dot(contact->normal, other->normal) >= GEO_FLUSH_COSINE)
        return false;
    vec3 point = surface_of(contact);
    // a mesh has nothing behind its triangles but what the mover has there
    double behind = vec3_dot(other->normal, vec3_sub(point, surface_of(other)));
    if (cover->shape->kind == GEO_MESH && behind > 0.0 && behind <= slack - other->gap)
        point = vec3_add_scaled(point, -behind, other->normal);
    return goes_on(cover, point, vec3_negate(contact->normal), slack) &&
           is_gone(mover, of, contact, other, slack);
}
