// SPDX-License-Identifier: Apache-2.0
// What all shapes have in common: names, destruction, bounds and support by kind.
#include "geometry/shape/plain.h"
#include "geometry/shape/rounded.h"
#include "geometry/shape/shape_internal.h"

#include "base/assert.h"
#include "geometry/mesh/bvh.h"

#include <stddef.h>

const char *geo_kind_name(geo_kind kind)
{
    static const char *const names[GEO_KIND_COUNT] = {
#define NAME(constant, name, ...) #name,
        CAIRN_SHAPE_LIST(NAME)
#undef NAME
    };
    return kind < GEO_KIND_COUNT ? names[kind] : "unknown";
}

_Static_assert(offsetof(geo_shape, box) == GEO_SPHERE_BYTES, "a ball is its head alone");

/// Lies before each shape that has a block of its own.
typedef struct shape_head {
    base_allocator allocator;
} shape_head;

_Static_assert(sizeof(shape_head) % _Alignof(geo_shape) == 0, "the shape behind it is aligned");

static size_t size_of(geo_kind kind)
{
    if (kind == GEO_SPHERE)
        return GEO_SPHERE_BYTES;
    if (kind == GEO_POLYHEDRON)
        return offsetof(geo_shape, polyhedron) + sizeof(geo_polyhedron);
    if (kind == GEO_MESH)
        return offsetof(geo_shape, mesh) + sizeof(geo_mesh);
    if (kind == GEO_COMPOUND)
        return offsetof(geo_shape, compound) + sizeof(geo_compound);
    return offsetof(geo_shape, sizes) + GEO_SIZES_MAX * sizeof(double);
}

geo_shape *geo_shape_allocate(const base_allocator *allocator, geo_kind kind)
{
    shape_head *head = base_allocate(allocator, 1, sizeof *head + size_of(kind));
    if (head == NULL)
        return NULL;
    head->allocator = *allocator;
    geo_shape *shape = (geo_shape *)(void *)(head + 1);
    shape->kind = kind;
    return shape;
}

const base_allocator *geo_shape_allocator(const geo_shape *shape)
{
    return &((const shape_head *)(const void *)shape - 1)->allocator;
}

cairn_status geo_fail_memory(cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory while making a shape");
}

static bool mass_is_usable(const geo_shape *shape, const geo_mass *mass)
{
    if (shape->kind == GEO_HALFSPACE || (shape->kind == GEO_MESH && mass->volume == 0.0))
        return true;
    double trace = mat3_trace(&mass->inertia);
    return mass->volume > 0.0 && isfinite(mass->volume) && vec3_is_finite(mass->centre) &&
           trace > 0.0 && isfinite(trace);
}

cairn_status geo_shape_check_mass(const geo_shape *shape, cairn_error *error)
{
    geo_mass mass = geo_shape_mass(shape);
    if (mass_is_usable(shape, &mass))
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_ARGUMENT,
                     "volume %g and inertia %g must be positive and finite; the sizes (m) are too "
                     "small or too large",
                     mass.volume, mat3_trace(&mass.inertia));
}

cairn_status geo_shape_finish(geo_shape *shape, geo_shape **out, cairn_error *error)
{
    cairn_status status = geo_shape_check_mass(shape, error);
    if (status != CAIRN_OK) {
        // the members of a compound that fails stay their maker's
        if (shape->kind == GEO_COMPOUND)
            shape->compound.member_count = 0;
        geo_shape_destroy(shape);
        return status;
    }
    *out = shape;
    return CAIRN_OK;
}

void geo_shape_destroy(geo_shape *shape)
{
    if (shape == NULL)
        return;
    base_allocator allocator = *geo_shape_allocator(shape);
    if (shape->kind == GEO_POLYHEDRON) {
        geo_polyhedron *polyhedron = &shape->polyhedron;
        base_release(&allocator, polyhedron->vertices);
        base_release(&allocator, polyhedron->face_normals);
        base_release(&allocator, polyhedron->face_offsets);
        base_release(&allocator, polyhedron->face_start);
        base_release(&allocator, polyhedron->face_vertices);
        base_release(&allocator, polyhedron->edge_vertices);
        base_release(&allocator, polyhedron->edge_faces);
        base_release(&allocator, polyhedron->neighbor_start);
        base_release(&allocator, polyhedron->neighbors);
        base_release(&allocator, polyhedron->face_edges);
        base_release(&allocator, polyhedron->vertex_faces);
    } else if (shape->kind == GEO_MESH) {
        base_release(&allocator, shape->mesh.vertices);
        base_release(&allocator, shape->mesh.triangles);
        base_release(&allocator, shape->mesh.adjacent);
        base_release(&allocator, shape->mesh.faces);
        base_release(&allocator, shape->mesh.inner_vertices);
        base_release(&allocator, shape->mesh.shells);
        geo_bvh_destroy(shape->mesh.bvh);
    } else if (shape->kind == GEO_COMPOUND) {
        geo_compound *compound = &shape->compound;
        // the members were handed over by their maker, so the compound may end them
        for (int i = 0; i < compound->member_count; i++)
            geo_shape_destroy((geo_shape *)compound->members[i]);
        base_release(&allocator, compound->members);
        base_release(&allocator, compound->placements);
    }
    base_release(&allocator, (shape_head *)(void *)shape - 1);
}

static geo_bounds points_bounds(const vec3 *points, int count, const mat3 *rotation, vec3 position)
{
    vec3 low = mat3_apply(rotation, points[0]), high = low;
    for (int i = 1; i < count; i++) {
        vec3 p = mat3_apply(rotation, points[i]);
        low =
            (vec3){p.x < low.x ? p.x : low.x, p.y < low.y ? p.y : low.y, p.z < low.z ? p.z : low.z};
        high = (vec3){p.x > high.x ? p.x : high.x, p.y > high.y ? p.y : high.y,
                      p.z > high.z ? p.z : high.z};
    }
    return (geo_bounds){vec3_add(low, position), vec3_add(high, position)};
}

enum { CLIMB_FROM = 48 }; // vertices; below, looking at all of them is faster than climbing

static int climb(const geo_polyhedron *polyhedron, vec3 direction)
{
    // a vertex that no neighbour beats is the best one: the polyhedron is convex
    int best = 0;
    double value = vec3_dot(direction, polyhedron->vertices[0]);
    for (int current = -1; current != best;) {
        current = best;
        int end = polyhedron->neighbor_start[current + 1];
        for (int k = polyhedron->neighbor_start[current]; k < end; k++) {
            double other = vec3_dot(direction, polyhedron->vertices[polyhedron->neighbors[k]]);
            if (other > value) {
                value = other;
                best = polyhedron->neighbors[k];
            }
        }
    }
    return best;
}

static vec3 polyhedron_support(const geo_polyhedron *polyhedron, vec3 direction)
{
    if (polyhedron->vertex_count >= CLIMB_FROM)
        return polyhedron->vertices[climb(polyhedron, direction)];
    int best = 0;
    double value = vec3_dot(direction, polyhedron->vertices[0]);
    for (int i = 1; i < polyhedron->vertex_count; i++) {
        double other = vec3_dot(direction, polyhedron->vertices[i]);
        if (other > value) {
            value = other;
            best = i;
        }
    }
    return polyhedron->vertices[best];
}

static geo_bounds polyhedron_bounds(const geo_polyhedron *polyhedron, const mat3 *rotation,
                                    vec3 position)
{
    if (polyhedron->vertex_count < CLIMB_FROM)
        return points_bounds(polyhedron->vertices, polyhedron->vertex_count, rotation, position);
    double low[3], high[3];
    for (int i = 0; i < 3; i++) {
        vec3 row = mat3_row(rotation, i);
        high[i] = vec3_dot(row, polyhedron_support(polyhedron, row));
        low[i] = vec3_dot(row, polyhedron_support(polyhedron, vec3_negate(row)));
    }
    return (geo_bounds){vec3_add(position, vec3_from(low)), vec3_add(position, vec3_from(high))};
}

static geo_bounds compound_bounds(const geo_compound *compound, const pose *placement)
{
    pose place = pose_compose(placement, &compound->placements[0]);
    geo_bounds bounds = geo_shape_bounds(compound->members[0], &place);
    for (int i = 1; i < compound->member_count; i++) {
        place = pose_compose(placement, &compound->placements[i]);
        bounds = geo_bounds_merge(bounds, geo_shape_bounds(compound->members[i], &place));
    }
    return bounds;
}

static geo_bounds support_bounds(const geo_plain *plain, const double *sizes, const mat3 *rotation,
                                 vec3 position)
{
    double low[3], high[3];
    for (int i = 0; i < 3; i++) {
        vec3 row = mat3_row(rotation, i);
        high[i] = vec3_dot(row, plain->support(sizes, row));
        low[i] = vec3_dot(row, plain->support(sizes, vec3_negate(row)));
    }
    return (geo_bounds){vec3_add(position, vec3_from(low)), vec3_add(position, vec3_from(high))};
}

geo_bounds geo_shape_bounds(const geo_shape *shape, const pose *placement)
{
    vec3 position = placement->position;
    if (shape->kind == GEO_SPHERE)
        return geo_plain_sphere.bounds(&shape->sphere.radius, NULL, position);
    if (shape->kind == GEO_COMPOUND)
        return compound_bounds(&shape->compound, placement);
    mat3 rotation = quat_to_mat3(placement->orientation);
    if (shape->kind == GEO_POLYHEDRON)
        return geo_bounds_inflate(polyhedron_bounds(&shape->polyhedron, &rotation, position),
                                  shape->polyhedron.rounding);
    if (shape->kind == GEO_MESH)
        return points_bounds(shape->mesh.vertices, shape->mesh.vertex_count, &rotation, position);
    const geo_plain *plain = geo_plain_kinds[shape->kind];
    return plain->bounds != NULL ? plain->bounds(shape->sizes, &rotation, position)
                                 : support_bounds(plain, shape->sizes, &rotation, position);
}

vec3 geo_shape_support(const geo_shape *shape, vec3 direction)
{
    BASE_ASSERT(geo_kind_is_convex(shape->kind));
    if (shape->kind == GEO_POLYHEDRON)
        return geo_rounded_support(polyhedron_support(&shape->polyhedron, direction),
                                   shape->polyhedron.rounding, direction);
    return geo_plain_kinds[shape->kind]->support(geo_plain_sizes(shape), direction);
}

void geo_plain_surface(const geo_shape *shape, geo_surface *surface)
{
    const geo_plain *plain = geo_plain_kinds[shape->kind];
    *surface = (geo_surface){0};
    if (plain->surface != NULL)
        plain->surface(geo_plain_sizes(shape), surface);
    else if (plain->support != NULL)
        geo_surface_net(surface, plain->support, geo_plain_sizes(shape));
}
