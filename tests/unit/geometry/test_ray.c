// SPDX-License-Identifier: Apache-2.0
// Rays and overlaps of single shapes: closed forms, and random rays judged by points along them.
#include "geometry/narrow/ray.h"

#include "base/rng.h"
#include "tests/check.h"

static cairn_error error;
static base_allocator allocator;

enum { CORNERS = 8 };

static geo_shape *make_hull(void)
{
    // a box without a corner
    const vec3 points[] = {{-0.3, -0.2, -0.4}, {0.3, -0.2, -0.4}, {-0.3, 0.2, -0.4},
                           {0.3, 0.2, -0.4},   {-0.3, -0.2, 0.4}, {0.3, -0.2, 0.4},
                           {-0.3, 0.2, 0.4},   {0.0, 0.2, 0.4},   {0.3, 0.0, 0.4},
                           {0.3, 0.2, 0.0}};
    geo_shape *shape;
    assert_int_equal(geo_polyhedron_create(&allocator, points, 10, &shape, &error), CAIRN_OK);
    return shape;
}

/// Triangles of a box with these half sizes.
static geo_shape *make_mesh(vec3 half)
{
    static const int triangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                         {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                         {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    vec3 corners[CORNERS];
    for (int i = 0; i < CORNERS; i++)
        corners[i] =
            vec3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
    geo_shape *shape;
    assert_int_equal(geo_mesh_create(&allocator, corners, CORNERS, triangles, 12, &shape, &error),
                     CAIRN_OK);
    return shape;
}

/// One of each kind that can be met.
static geo_shape *make_shape(geo_kind kind)
{
    static const double sizes[GEO_SIZES_MAX] = {0.3, 0.2, 0.4};
    geo_shape *shape = NULL;
    if (kind == GEO_POLYHEDRON)
        return make_hull();
    if (kind == GEO_MESH)
        return make_mesh(vec3_make(0.3, 0.2, 0.4));
    if (kind == GEO_COMPOUND)
        return NULL;
    assert_int_equal(geo_plain_create(&allocator, kind, sizes, &shape, &error), CAIRN_OK);
    return shape;
}

/// Whether a point lies in a shape, told without rays.
static double depth_of(const geo_shape *shape, vec3 p)
{
    double depth = INFINITY;
    vec3 a = vec3_abs(p), h;
    switch (shape->kind) {
    case GEO_SPHERE:
        return shape->sphere.radius - vec3_norm(p);
    case GEO_HALFSPACE:
        return -p.z;
    case GEO_BOX:
        h = shape->box.half;
        return fmin(fmin(h.x - a.x, h.y - a.y), h.z - a.z);
    case GEO_CAPSULE:
        a.z = fmax(a.z - shape->capsule.half_length, 0.0);
        return shape->capsule.radius - vec3_norm(a);
    case GEO_CYLINDER:
        return fmin(shape->cylinder.radius - sqrt(p.x * p.x + p.y * p.y),
                    shape->cylinder.half_length - a.z);
    case GEO_POLYHEDRON:
        for (int i = 0; i < shape->polyhedron.face_count; i++)
            depth = fmin(depth, shape->polyhedron.face_offsets[i] -
                                    vec3_dot(shape->polyhedron.face_normals[i], p));
        return depth;
    case GEO_MESH: // the surface of a box
    case GEO_COMPOUND:
    case GEO_KIND_COUNT:
        break;
    }
    return fmin(fmin(0.3 - a.x, 0.2 - a.y), 0.4 - a.z);
}

static vec3 random_vector(base_rng *rng, double size)
{
    double x = base_rng_unit(rng), y = base_rng_unit(rng), z = base_rng_unit(rng);
    return vec3_scale(2.0 * size, vec3_make(x - 0.5, y - 0.5, z - 0.5));
}

static pose random_pose(base_rng *rng, double size)
{
    vec3 axis = random_vector(rng, 1.0);
    return (pose){random_vector(rng, size),
                  quat_normalize((quat){base_rng_unit(rng), axis.x, axis.y, axis.z})};
}

/// First point of a ray in a shape, by steps so small that only slivers are missed; -1 for none.
static double march(const geo_shape *shape, const pose *place, const geo_ray *ray, double *deepest)
{
    const double step = 1e-3;
    double first = -1.0;
    *deepest = -INFINITY;
    for (double t = 0.0; t <= ray->length; t += step) {
        vec3 point = pose_apply_inverse(place, vec3_add_scaled(ray->origin, t, ray->direction));
        double depth = depth_of(shape, point);
        *deepest = fmax(*deepest, depth);
        if (depth >= 0.0 && first < 0.0)
            first = t;
    }
    return first;
}

static void check_hit(const geo_shape *shape, const pose *place, const geo_ray *ray,
                      const geo_ray_hit *hit, double first)
{
    vec3 point =
        pose_apply_inverse(place, vec3_add_scaled(ray->origin, hit->distance, ray->direction));
    check_close(vec3_norm(hit->normal), 1.0, 0.0, 1e-12);
    assert_true(vec3_dot(hit->normal, ray->direction) <= 1e-12);
    if (hit->distance == 0.0) {
        assert_true(first == 0.0);
        return;
    }
    check_close(depth_of(shape, point), 0.0, 0.0, 1e-12);
    if (first >= 0.0)
        assert_true(hit->distance <= first + 1e-12 && hit->distance > first - 1e-3);
    // the normal points out
    vec3 out = vec3_add_scaled(point, 1e-6, quat_rotate_inverse(place->orientation, hit->normal));
    assert_true(depth_of(shape, out) < 0.0);
}

static void test_random_rays(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(7);
    for (int which = 0; which <= GEO_KIND_COUNT; which++) {
        bool surface = which == GEO_MESH;
        geo_shape *shape = make_shape(which < GEO_KIND_COUNT ? (geo_kind)which : GEO_MESH);
        // the last one is a mesh with an inside
        if (which == GEO_KIND_COUNT)
            assert_int_equal(geo_mesh_fill(shape, &error), CAIRN_OK);
        int hits = 0;
        for (int i = 0; i < 400 && shape != NULL; i++) {
            pose place = random_pose(&rng, 0.3);
            geo_ray ray = {.origin = random_vector(&rng, 1.0), .length = 1.5};
            // towards a place near the shape, so that about every other ray meets it
            vec3 aim = vec3_add(place.position, random_vector(&rng, 0.35));
            ray.direction = vec3_normalize_or(vec3_sub(aim, ray.origin), vec3_make(1, 0, 0));
            geo_ray_hit hit;
            double deepest, first = march(shape, &place, &ray, &deepest);
            if (surface && first == 0.0)
                continue; // a surface has no inside
            bool met = geo_ray_cast(shape, &place, &ray, &hit);
            hits += met;
            if (met)
                check_hit(shape, &place, &ray, &hit, first);
            else
                assert_true(deepest < 1e-6);
        }
        assert_true(shape == NULL || hits > 60);
        geo_shape_destroy(shape);
    }
}

/// Rays through the corners and along the edges of the triangles: none slips through.
static void test_edges_of_meshes(void **state)
{
    (void)state;
    geo_shape *mesh = make_mesh(vec3_make(0.3, 0.2, 0.4));
    base_rng rng = base_rng_make(3);
    pose here = pose_identity();
    for (int i = 0; i < 2000; i++) {
        // points of the diagonal that two triangles of the face z = 0.4 share
        double s = base_rng_unit(&rng);
        vec3 target = vec3_make(0.3 - 0.6 * s, -0.2 + 0.4 * s, 0.4);
        geo_ray ray = {.origin = vec3_add(target, random_vector(&rng, 0.5)), .length = INFINITY};
        ray.origin.z = 1.5;
        ray.direction = vec3_normalize_or(vec3_sub(target, ray.origin), target);
        geo_ray_hit hit;
        assert_true(geo_ray_cast(mesh, &here, &ray, &hit));
        check_close(ray.origin.z + hit.distance * ray.direction.z, 0.4, 0.0, 1e-12);
    }
    geo_shape_destroy(mesh);
}

/// Length of a ray, rays inside, rays that graze, far origins.
static void test_ends_of_rays(void **state)
{
    (void)state;
    geo_shape *ball = make_shape(GEO_SPHERE), *plane = make_shape(GEO_HALFSPACE);
    pose here = pose_identity();
    geo_ray_hit hit;
    geo_ray ray = {{-1.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, 0.699};
    assert_false(geo_ray_cast(ball, &here, &ray, &hit));
    ray.length = 0.701;
    assert_true(geo_ray_cast(ball, &here, &ray, &hit));
    check_close(hit.distance, 0.7, 0.0, 1e-15);
    ray = (geo_ray){{-1e9, 0.0, 0.18}, {1.0, 0.0, 0.0}, INFINITY};
    assert_true(geo_ray_cast(ball, &here, &ray, &hit));
    check_close(hit.normal.z, 0.6, 0.0, 1e-6);
    ray = (geo_ray){{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, INFINITY};
    assert_false(geo_ray_cast(plane, &here, &ray, &hit));
    ray.origin.z = -1.0;
    assert_true(geo_ray_cast(plane, &here, &ray, &hit));
    check_close(hit.distance, 0.0, 0.0, 0.0);
    check_close(hit.normal.x, -1.0, 0.0, 0.0);
    geo_shape_destroy(ball);
    geo_shape_destroy(plane);
}

/// A box that is small beside a shape meets it where its centre lies in it, 0.0, and does not where
/// the centre is farther away than its corners.
static void test_overlaps(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(11);
    geo_shape *box;
    assert_int_equal(geo_box_create(&allocator, vec3_make(0.02, 0.01, 0.03), &box, &error),
                     CAIRN_OK);
    for (int which = 0; which <= GEO_KIND_COUNT; which++) {
        bool surface = which == GEO_MESH;
        geo_shape *shape = make_shape(which < GEO_KIND_COUNT ? (geo_kind)which : GEO_MESH);
        // the last one is a mesh with an inside
        if (which == GEO_KIND_COUNT)
            assert_int_equal(geo_mesh_fill(shape, &error), CAIRN_OK);
        int met = 0, apart = 0;
        for (int i = 0; i < 2000 && shape != NULL; i++) {
            pose place = random_pose(&rng, 0.1), at = random_pose(&rng, 0.6);
            double depth = depth_of(shape, pose_apply_inverse(&place, at.position));
            bool meets = geo_overlap(box, &at, shape, &place);
            // corners are 0.0374 away; a box within a mesh touches none of its triangles
            if (surface && depth > 0.04)
                assert_false(meets);
            else if (depth >= 0.0 && !surface)
                assert_true(meets);
            else if (depth < -0.04)
                assert_false(meets);
            else if (surface && fabs(depth) < 0.009)
                assert_true(meets || depth < 0.0);
            met += meets;
            apart += !meets;
        }
        assert_true(shape == NULL || (met > 50 && apart > 50));
        geo_shape_destroy(shape);
    }
    geo_shape_destroy(box);
}

int main(void)
{
    allocator = base_allocator_default();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_rays),
        cmocka_unit_test(test_edges_of_meshes),
        cmocka_unit_test(test_ends_of_rays),
        cmocka_unit_test(test_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
