// SPDX-License-Identifier: Apache-2.0
// Regions: boxes, cylinders, spheres, convex hulls and closed meshes.
#include "engine/grains/region.h"
#include "engine/state/world.h"

#include "base/elementary.h"
#include "engine/space/space.h"
#include "engine/state/ids.h"
#include "geometry/mesh/bvh.h"

static cairn_status check_kind(const cairn_world *world, const cairn_region *region,
                               cairn_error *error)
{
    vec3 a = vec3_from(region->a), b = vec3_from(region->b);
    bool round = region->kind == CAIRN_REGION_CYLINDER || region->kind == CAIRN_REGION_SPHERE;
    if ((int)region->kind < 0 || region->kind > CAIRN_REGION_MESH)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "region kind %d does not exist",
                         (int)region->kind);
    if (!vec3_is_finite(a) || !vec3_is_finite(b))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a region must be finite");
    if (round && !(region->radius > 0.0 && isfinite(region->radius)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the radius of a region = %g must be greater than 0 m", region->radius);
    if (region->kind == CAIRN_REGION_BOX && !(a.x < b.x && a.y < b.y && a.z < b.z))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a region from (%g, %g, %g) to (%g, %g, %g) m is empty", a.x, a.y, a.z,
                         b.x, b.y, b.z);
    if (region->kind == CAIRN_REGION_CYLINDER && !(vec3_norm(vec3_sub(b, a)) > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the axis of a region has no length");
    bool mesh = region->kind == CAIRN_REGION_MESH;
    if (region->kind != CAIRN_REGION_HULL && !mesh) {
        double volume = eng_region_volume(world, region);
        return isnormal(volume) ? CAIRN_OK
                                : base_fail(error, CAIRN_ERROR_ARGUMENT,
                                            "a region has a volume of %g m3, with which nothing "
                                            "can be computed",
                                            volume);
    }
    cairn_status status = eng_shape_check(world, region->shape);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "shape");
    const geo_shape *shape = world->model.shapes.rows[region->shape.index];
    if (!mesh && shape->kind != GEO_POLYHEDRON)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the hull of a region must be a polyhedron");
    if (geo_shape_rounding(shape) > 0.0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the hull of a region must not be rounded (rounding = %g m)",
                         geo_shape_rounding(shape));
    if (mesh && (shape->kind != GEO_MESH || !(geo_shape_mass(shape).volume > 0.0)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the mesh of a region must be a mesh that is closed");
    return CAIRN_OK;
}

cairn_status eng_region_check(const cairn_world *world, const cairn_region *region,
                              cairn_error *error)
{
    cairn_status status = check_kind(world, region, error);
    if (status != CAIRN_OK || !world->state.cell.any)
        return status;
    eng_window window = eng_window_make(&world->state.cell, &world->state.cell.now,
                                        eng_region_bounds(world, region));
    return eng_window_check(&window, 0.0, "a region", error);
}

geo_bounds eng_region_bounds(const cairn_world *world, const cairn_region *region)
{
    vec3 a = vec3_from(region->a), b = vec3_from(region->b);
    vec3 r = vec3_make(region->radius, region->radius, region->radius);
    if (region->kind == CAIRN_REGION_BOX)
        return (geo_bounds){a, b};
    if (region->kind == CAIRN_REGION_SPHERE)
        return (geo_bounds){vec3_sub(a, r), vec3_add(a, r)};
    if (region->kind == CAIRN_REGION_HULL || region->kind == CAIRN_REGION_MESH) {
        pose place = {a, pose_identity().orientation};
        return geo_shape_bounds(world->model.shapes.rows[region->shape.index], &place);
    }
    vec3 e = vec3_scale(1.0 / vec3_norm(vec3_sub(b, a)), vec3_sub(b, a));
    r = vec3_make(region->radius * sqrt(fmax(0.0, 1.0 - e.x * e.x)),
                  region->radius * sqrt(fmax(0.0, 1.0 - e.y * e.y)),
                  region->radius * sqrt(fmax(0.0, 1.0 - e.z * e.z)));
    return (geo_bounds){vec3_sub(vec3_make(fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)), r),
                        vec3_add(vec3_make(fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)), r)};
}

double eng_region_volume(const cairn_world *world, const cairn_region *region)
{
    vec3 size = vec3_sub(vec3_from(region->b), vec3_from(region->a));
    double r = region->radius;
    if (region->kind == CAIRN_REGION_BOX)
        return size.x * size.y * size.z;
    if (region->kind == CAIRN_REGION_CYLINDER)
        return M_PI * r * r * vec3_norm(size);
    if (region->kind == CAIRN_REGION_SPHERE)
        return 4.0 / 3.0 * M_PI * r * r * r;
    return geo_shape_mass(world->model.shapes.rows[region->shape.index]).volume;
}

/// Corners of a triangle of the region's mesh, seen from a point (in the mesh's frame).
static void triangle_from(const geo_mesh *mesh, int triangle, vec3 point, vec3 corners[3])
{
    for (int k = 0; k < 3; k++)
        corners[k] = vec3_sub(mesh->vertices[mesh->triangles[triangle][k]], point);
}

double eng_region_depth(const cairn_world *world, const cairn_region *region, vec3 p)
{
    vec3 a = vec3_from(region->a), b = vec3_from(region->b), from = vec3_sub(p, a);
    if (region->kind == CAIRN_REGION_SPHERE)
        return region->radius - vec3_norm(from);
    if (region->kind == CAIRN_REGION_BOX) {
        vec3 to = vec3_sub(b, p);
        double least = INFINITY;
        for (int k = 0; k < 3; k++)
            least = fmin(least, fmin(vec3_get(from, k), vec3_get(to, k)));
        return least;
    }
    if (region->kind == CAIRN_REGION_CYLINDER) {
        vec3 axis = vec3_sub(b, a);
        double length = vec3_norm(axis), along = vec3_dot(from, axis) / length;
        vec3 across = vec3_add_scaled(from, -along / length, axis);
        return fmin(region->radius - vec3_norm(across), fmin(along, length - along));
    }
    if (region->kind == CAIRN_REGION_MESH)
        return geo_mesh_depth(&world->model.shapes.rows[region->shape.index]->mesh, from);
    const geo_polyhedron *hull = &world->model.shapes.rows[region->shape.index]->polyhedron;
    double least = INFINITY;
    for (int i = 0; i < hull->face_count; i++)
        least = fmin(least, hull->face_offsets[i] - vec3_dot(hull->face_normals[i], from));
    return least;
}

bool eng_region_holds(const cairn_world *world, const cairn_region *region, vec3 point)
{
    int from[3], to[3];
    if (!world->state.cell.any)
        return eng_region_depth(world, region, point) >= 0.0;
    eng_window window = eng_window_make(&world->state.cell, &world->state.cell.now,
                                        eng_region_bounds(world, region));
    eng_window_images(&window, point, 0.0, from, to);
    for (int i = from[0]; i <= to[0]; i++)
        for (int j = from[1]; j <= to[1]; j++)
            for (int k = from[2]; k <= to[2]; k++) {
                const double n[3] = {i, j, k};
                vec3 image = vec3_add(point, eng_cell_vector(&window.lattice, n));
                if (eng_region_depth(world, region, image) >= 0.0)
                    return true;
            }
    return false;
}

void eng_region_wraps(const cairn_world *world, const cairn_region *region, bool wraps[3])
{
    const eng_cell *cell = &world->state.cell;
    for (int k = 0; k < 3; k++) {
        vec3 side = mat3_column(&cell->now, k);
        double length = vec3_get(side, k), extent = region->b[k] - region->a[k];
        wraps[k] = cell->any && cell->periodic[k] && region->kind == CAIRN_REGION_BOX &&
                   vec3_norm(side) == length && fabs(extent - length) <= 1e-9 * length;
    }
}

/// No part yet; the list of parts needs no value.
static void clear_push(eng_region_push *push)
{
    push->way = vec3_make(0.0, 0.0, 0.0);
    push->deepest = 0.0;
    push->walls = 0;
}

/// A flat or curved part of the boundary, at a depth (m) along its normal inwards.
static void push_from(eng_region_push *push, double depth, double radius, vec3 inwards)
{
    double overlap = radius - depth;
    if (!(overlap > 0.0))
        return;
    push->way = vec3_add_scaled(push->way, overlap, inwards);
    push->deepest = fmax(push->deepest, overlap);
    if (push->walls < ENG_REGION_PARTS_MAX) {
        push->part[push->walls].inwards = inwards;
        push->part[push->walls].overlap = overlap;
    }
    push->walls++;
}

/// What is known of a mesh near a point: the pushes of its triangles on a point inside, and the
/// nearest triangle with the side of it where the point is.
typedef struct mesh_push {
    const geo_mesh *mesh;
    vec3 point;
    double radius;
    eng_region_push push;
    vec3 nearest;
    double least; // m
    bool outside;
} mesh_push;

static bool push_triangle(void *context, int triangle)
{
    mesh_push *p = context;
    vec3 c[3];
    triangle_from(p->mesh, triangle, p->point, c);
    vec3 near = geo_triangle_nearest(c);
    double distance = vec3_norm(near);
    if (distance > 0.0)
        push_from(&p->push, distance, p->radius, vec3_scale(-1.0 / distance, near));
    if (distance < p->least) {
        p->least = distance;
        p->nearest = near;
        p->outside = vec3_dot(vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0])), c[0]) < 0.0;
    }
    return true;
}

/// A point that has got out goes back through the nearest triangle.
static eng_region_push push_into_mesh(const geo_mesh *mesh, vec3 point, double radius)
{
    mesh_push p;
    p.mesh = mesh;
    p.point = point;
    p.radius = radius;
    p.least = INFINITY;
    p.outside = false;
    clear_push(&p.push);
    geo_bounds near = geo_bounds_inflate((geo_bounds){point, point}, radius);
    geo_bvh_query(mesh->bvh, near, push_triangle, &p);
    if (p.outside && p.least > 0.0) {
        clear_push(&p.push);
        push_from(&p.push, -p.least, radius, vec3_scale(1.0 / p.least, p.nearest));
    }
    return p.push;
}

eng_region_push eng_region_push_in(const cairn_world *world, const cairn_region *region, vec3 point,
                                   double radius)
{
    eng_region_push push;
    clear_push(&push);
    vec3 a = vec3_from(region->a), b = vec3_from(region->b), from = vec3_sub(point, a);
    if (region->kind == CAIRN_REGION_BOX) {
        bool wraps[3];
        eng_region_wraps(world, region, wraps);
        for (int k = 0; k < 3; k++) {
            if (wraps[k])
                continue;
            vec3 axis = vec3_set((vec3){0.0, 0.0, 0.0}, k, 1.0);
            push_from(&push, vec3_get(from, k), radius, axis);
            push_from(&push, vec3_get(b, k) - vec3_get(point, k), radius, vec3_scale(-1.0, axis));
        }
    } else if (region->kind == CAIRN_REGION_SPHERE) {
        double away = vec3_norm(from);
        if (away > 0.0)
            push_from(&push, region->radius - away, radius, vec3_scale(-1.0 / away, from));
    } else if (region->kind == CAIRN_REGION_CYLINDER) {
        double length = vec3_norm(vec3_sub(b, a));
        vec3 axis = vec3_scale(1.0 / length, vec3_sub(b, a));
        double along = vec3_dot(from, axis);
        vec3 across = vec3_add_scaled(from, -along, axis);
        double away = vec3_norm(across);
        push_from(&push, along, radius, axis);
        push_from(&push, length - along, radius, vec3_scale(-1.0, axis));
        if (away > 0.0)
            push_from(&push, region->radius - away, radius, vec3_scale(-1.0 / away, across));
    } else if (region->kind == CAIRN_REGION_HULL) {
        const geo_polyhedron *hull = &world->model.shapes.rows[region->shape.index]->polyhedron;
        for (int i = 0; i < hull->face_count; i++)
            push_from(&push, hull->face_offsets[i] - vec3_dot(hull->face_normals[i], from), radius,
                      vec3_scale(-1.0, hull->face_normals[i]));
    } else {
        push = push_into_mesh(&world->model.shapes.rows[region->shape.index]->mesh, from, radius);
    }
    return push;
}

double eng_region_room(const cairn_world *world, const cairn_region *region)
{
    if (region->kind == CAIRN_REGION_SPHERE)
        return region->radius;
    if (region->kind == CAIRN_REGION_CYLINDER)
        return fmin(region->radius,
                    0.5 * vec3_norm(vec3_sub(vec3_from(region->b), vec3_from(region->a))));
    geo_bounds bounds = eng_region_bounds(world, region);
    vec3 size = vec3_sub(bounds.high, bounds.low);
    bool wraps[3];
    double room = INFINITY;
    eng_region_wraps(world, region, wraps);
    for (int k = 0; k < 3; k++)
        room = fmin(room, (wraps[k] ? 0.25 : 0.5) * vec3_get(size, k));
    return room;
}

static vec3 draw_in_box(vec3 low, vec3 high, base_rng *rng)
{
    double x = base_rng_range(rng, low.x, high.x), y = base_rng_range(rng, low.y, high.y);
    return vec3_make(x, y, base_rng_range(rng, low.z, high.z));
}

bool eng_region_draw(const cairn_world *world, const cairn_region *region, double depth,
                     base_rng *rng, vec3 *place)
{
    enum { DRAWS = 1000 };
    vec3 a = vec3_from(region->a), b = vec3_from(region->b);
    if (region->kind == CAIRN_REGION_CYLINDER) {
        vec3 axis = vec3_sub(b, a), t1, t2;
        double length = vec3_norm(axis);
        axis = vec3_scale(1.0 / length, axis);
        vec3_tangents(axis, &t1, &t2);
        double along = base_rng_range(rng, depth, length - depth);
        double away = (region->radius - depth) * sqrt(base_rng_unit(rng));
        double angle = 2.0 * M_PI * base_rng_unit(rng);
        *place = vec3_add_scaled(a, along, axis);
        *place = vec3_add_scaled(*place, away * base_cos(angle), t1);
        *place = vec3_add_scaled(*place, away * base_sin(angle), t2);
        return true;
    }
    geo_bounds bounds = eng_region_bounds(world, region);
    bool wraps[3];
    eng_region_wraps(world, region, wraps);
    vec3 inset = {wraps[0] ? 0.0 : depth, wraps[1] ? 0.0 : depth, wraps[2] ? 0.0 : depth};
    bounds = (geo_bounds){vec3_add(bounds.low, inset), vec3_sub(bounds.high, inset)};
    for (int i = 0; i < DRAWS; i++) {
        *place = draw_in_box(bounds.low, bounds.high, rng);
        if (region->kind == CAIRN_REGION_BOX || eng_region_depth(world, region, *place) >= depth)
            return true;
    }
    return false;
}

uint64_t eng_region_hash(const cairn_region *region, uint64_t hash)
{
    hash = base_hash_bytes(hash, &region->kind, sizeof region->kind);
    hash = base_hash_bytes(hash, region->a, sizeof region->a);
    hash = base_hash_bytes(hash, region->b, sizeof region->b);
    hash = base_hash_bytes(hash, &region->radius, sizeof region->radius);
    return base_hash_bytes(hash, &region->shape.index, sizeof region->shape.index);
}
