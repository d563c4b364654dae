// SPDX-License-Identifier: Apache-2.0
// Simple shapes and compounds: mass by quadrature, bounds and support by sampling the surface.
#include "geometry/shape/shape.h"
#include "tests/check.h"

#include "base/rng.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

static vec3 random_point(base_rng *rng)
{
    return (vec3){base_rng_range(rng, -1.0, 1.0), base_rng_range(rng, -1.0, 1.0),
                  base_rng_range(rng, -1.0, 1.0)};
}

static pose random_pose(base_rng *rng)
{
    return (pose){vec3_scale(3.0, random_point(rng)),
                  base_quat_from_rotation_vector(vec3_scale(3.0, random_point(rng)))};
}

enum { SPHERE, BOX, CAPSULE, CYLINDER, OCTAHEDRON, SIMPLE_KINDS };

static geo_shape *make(int kind)
{
    base_allocator allocator = base_allocator_default();
    const vec3 corners[6] = {{1.0, 0.0, 0.0},  {-1.0, 0.0, 0.0}, {0.0, 0.5, 0.0},
                             {0.0, -0.5, 0.0}, {0.0, 0.0, 2.0},  {0.0, 0.0, -2.0}};
    geo_shape *shape = NULL;
    cairn_status status = CAIRN_ERROR_ARGUMENT;
    if (kind == SPHERE)
        status = geo_sphere_create(&allocator, 0.7, &shape, NULL);
    else if (kind == BOX)
        status = geo_box_create(&allocator, (vec3){0.4, 1.1, 0.6}, &shape, NULL);
    else if (kind == CAPSULE)
        status = geo_capsule_create(&allocator, 0.3, 0.9, &shape, NULL);
    else if (kind == CYLINDER)
        status = geo_cylinder_create(&allocator, 0.8, 0.35, &shape, NULL);
    else
        status = geo_polyhedron_create(&allocator, corners, 6, &shape, NULL);
    assert_int_equal(status, CAIRN_OK);
    return shape;
}

// signed side of a point: <= 0 inside
static double outside(const geo_shape *shape, vec3 p)
{
    double rho = hypot(p.x, p.y), h;
    switch (shape->kind) {
    case GEO_SPHERE:
        return vec3_norm(p) - shape->sphere.radius;
    case GEO_BOX: {
        vec3 d = vec3_sub(vec3_abs(p), shape->box.half);
        return fmax(d.x, fmax(d.y, d.z));
    }
    case GEO_CAPSULE:
        h = shape->capsule.half_length;
        return hypot(rho, fmax(fabs(p.z) - h, 0.0)) - shape->capsule.radius;
    case GEO_CYLINDER:
        return fmax(rho - shape->cylinder.radius, fabs(p.z) - shape->cylinder.half_length);
    case GEO_POLYHEDRON:
        return fabs(p.x) + 2.0 * fabs(p.y) + 0.5 * fabs(p.z) - 1.0;
    case GEO_HALFSPACE:
    case GEO_MESH:
    case GEO_COMPOUND:
    case GEO_KIND_COUNT:
        break;
    }
    return NAN;
}

// distance from the origin to the surface along a direction, by halving: the shapes are star-shaped
static double radius_along(const geo_shape *shape, vec3 unit)
{
    double in = 0.0, out = 10.0;
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (in + out);
        if (outside(shape, vec3_scale(middle, unit)) <= 0.0)
            in = middle;
        else
            out = middle;
    }
    return in;
}

// volume integrals over directions: midpoint rule in both angles, exact along the radius
static void mass_matches_quadrature(void **state)
{
    (void)state;
    enum { STEPS = 400 };
    for (int kind = 0; kind < SIMPLE_KINDS; kind++) {
        geo_shape *shape = make(kind);
        double volume = 0.0;
        mat3 inertia = {0};
        for (int i = 0; i < STEPS; i++)
            for (int j = 0; j < STEPS; j++) {
                double tilt = PI * (i + 0.5) / STEPS, angle = 2.0 * PI * (j + 0.5) / STEPS;
                double solid = 2.0 * PI * PI * sin(tilt) / STEPS / STEPS;
                vec3 u = {sin(tilt) * cos(angle), sin(tilt) * sin(angle), cos(tilt)};
                double r = radius_along(shape, u);
                volume += solid * r * r * r / 3.0;
                mat3 skew = mat3_skew(u), square = mat3_multiply(&skew, &skew);
                square = mat3_scale(-solid * pow(r, 5) / 5.0, &square);
                inertia = mat3_add(&inertia, &square);
            }
        check_close(geo_shape_mass(shape).volume, volume, 1e-4, 0.0);
        check_at_most(vec3_norm(geo_shape_mass(shape).centre), 1e-15);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                check_close(geo_shape_mass(shape).inertia.m[i][j], inertia.m[i][j], 1e-3, 1e-8);
        geo_shape_destroy(shape);
    }
}

static void support_is_the_farthest_point(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(1);
    for (int kind = 0; kind < SIMPLE_KINDS; kind++) {
        geo_shape *shape = make(kind);
        for (int k = 0; k < 200; k++) {
            vec3 d = random_point(&rng);
            if (k % 4 == 0)
                d = vec3_set((vec3){0.0, 0.0, 0.0}, k / 4 % 3, k % 8 ? 1.0 : -1.0);
            vec3 s = geo_shape_support(shape, d);
            // on the surface, and no point of the surface goes farther
            check_close(outside(shape, s), 0.0, 0.0, 1e-14);
            for (int i = 0; i < 100; i++) {
                vec3 u = vec3_normalize_or(random_point(&rng), d);
                vec3 p = vec3_scale(radius_along(shape, u), u);
                check_at_most(vec3_dot(d, vec3_sub(p, s)), 1e-12);
            }
            // length does not matter
            vec3 far = geo_shape_support(shape, vec3_scale(1e-300, d));
            check_at_most(fabs(vec3_dot(d, vec3_sub(far, s))), 1e-12);
            far = geo_shape_support(shape, vec3_scale(1e300, d));
            check_at_most(fabs(vec3_dot(d, vec3_sub(far, s))), 1e-12);
        }
        assert_true(vec3_is_finite(geo_shape_support(shape, (vec3){0.0, 0.0, 0.0})));
        assert_true(vec3_is_finite(geo_shape_support(shape, (vec3){5e-324, 0.0, -5e-324})));
        geo_shape_destroy(shape);
    }
}

static void check_bounds(geo_bounds b, vec3 low, vec3 high)
{
    check_at_most(vec3_distance(b.low, low), 1e-13);
    check_at_most(vec3_distance(b.high, high), 1e-13);
}

static void bounds_touch_the_support_points(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(2);
    for (int kind = 0; kind < SIMPLE_KINDS; kind++) {
        geo_shape *shape = make(kind);
        for (int k = 0; k < 200; k++) {
            pose place = k == 0 ? pose_identity() : random_pose(&rng);
            vec3 low, high;
            for (int axis = 0; axis < 3; axis++) {
                vec3 e = vec3_set((vec3){0.0, 0.0, 0.0}, axis, 1.0);
                vec3 local = quat_rotate_inverse(place.orientation, e);
                vec3 top = pose_apply(&place, geo_shape_support(shape, local));
                vec3 bottom = pose_apply(&place, geo_shape_support(shape, vec3_negate(local)));
                high = vec3_set(high, axis, vec3_get(top, axis));
                low = vec3_set(low, axis, vec3_get(bottom, axis));
            }
            check_bounds(geo_shape_bounds(shape, &place), low, high);
            check_at_most(vec3_distance(low, place.position), 2.0 * shape->bounding_radius);
        }
        geo_shape_destroy(shape);
    }
}

static void sizes_are_as_documented(void **state)
{
    (void)state;
    const double radius[] = {0.7, sqrt(0.16 + 1.21 + 0.36), 1.2, hypot(0.8, 0.35), 2.0};
    const double thinnest[] = {1.4, 0.8, 0.6, 0.7, 2.0 / sqrt(5.25)};
    for (int kind = 0; kind < SIMPLE_KINDS; kind++) {
        geo_shape *shape = make(kind);
        check_close(shape->bounding_radius, radius[kind], 1e-15, 0.0);
        check_close(shape->smallest_size, thinnest[kind], 1e-13, 0.0);
        geo_shape_destroy(shape);
    }
}

static void halfspace_has_no_bounds(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    geo_shape *shape = NULL;
    assert_int_equal(geo_halfspace_create(&allocator, &shape, NULL), CAIRN_OK);
    assert_true(isinf(shape->bounding_radius) && isinf(shape->smallest_size));
    assert_true(geo_shape_mass(shape).volume == 0.0);
    base_rng rng = base_rng_make(3);
    pose place = random_pose(&rng);
    geo_bounds b = geo_shape_bounds(shape, &place);
    for (int axis = 0; axis < 3; axis++)
        assert_true(isinf(vec3_get(b.low, axis)) && isinf(vec3_get(b.high, axis)));
    // flat on the floor: bounded above
    place.orientation = quat_identity();
    b = geo_shape_bounds(shape, &place);
    assert_true(b.high.z == place.position.z && isinf(b.low.z) && isinf(b.high.x));
    // upside down: bounded below
    place.orientation = (quat){0.0, 1.0, 0.0, 0.0};
    b = geo_shape_bounds(shape, &place);
    assert_true(b.low.z == place.position.z && isinf(b.high.z) && isinf(b.low.y));
    geo_shape_destroy(shape);
}

// two boxes side by side are one longer box, wherever they are
static void compound_of_two_boxes_is_a_box(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    base_rng rng = base_rng_make(4);
    geo_shape *whole = NULL;
    assert_int_equal(geo_box_create(&allocator, (vec3){0.8, 0.3, 0.5}, &whole, NULL), CAIRN_OK);
    for (int repeat = 0; repeat < 50; repeat++) {
        geo_shape *members[2], *compound = NULL;
        pose base = repeat == 0 ? pose_identity() : random_pose(&rng), places[2];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(geo_box_create(&allocator, (vec3){0.4, 0.3, 0.5}, &members[i], NULL),
                             CAIRN_OK);
            pose local = {{i ? 0.4 : -0.4, 0.0, 0.0}, quat_identity()};
            places[i] = pose_compose(&base, &local);
        }
        assert_int_equal(geo_compound_create(&allocator, members, places, 2, &compound, NULL),
                         CAIRN_OK);
        check_close(geo_shape_mass(compound).volume, geo_shape_mass(whole).volume, 1e-14, 0.0);
        check_at_most(vec3_distance(geo_shape_mass(compound).centre, base.position), 1e-14);
        mat3 turn = quat_to_mat3(base.orientation), back = mat3_transpose(&turn);
        geo_mass of_whole = geo_shape_mass(whole);
        mat3 expected = mat3_multiply(&turn, &of_whole.inertia);
        expected = mat3_multiply(&expected, &back);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                check_close(geo_shape_mass(compound).inertia.m[i][j], expected.m[i][j], 0.0, 1e-13);
        pose place = random_pose(&rng), placed = pose_compose(&place, &base);
        geo_bounds want = geo_shape_bounds(whole, &placed);
        check_bounds(geo_shape_bounds(compound, &place), want.low, want.high);
        check_close(compound->smallest_size, 0.6, 1e-15, 0.0);
        assert_true(compound->bounding_radius >= vec3_norm(base.position));
        geo_shape_destroy(compound);
    }
    geo_shape_destroy(whole);
}

static void principal_axes_rebuild_the_inertia(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(5);
    for (int repeat = 0; repeat < 200; repeat++) {
        mat3 turn = quat_to_mat3(random_pose(&rng).orientation), back = mat3_transpose(&turn);
        vec3 d = {base_rng_range(&rng, 2.0, 3.0), base_rng_range(&rng, 2.0, 3.0),
                  base_rng_range(&rng, 2.0, 3.0)};
        if (repeat % 3 == 0)
            d.y = d.x;
        geo_mass mass = {1.0, random_point(&rng), mat3_diagonal(d)};
        mass.inertia = mat3_multiply(&turn, &mass.inertia);
        mass.inertia = mat3_multiply(&mass.inertia, &back);
        vec3 moments;
        pose frame;
        geo_mass_principal(&mass, &moments, &frame);
        assert_memory_equal(&frame.position, &mass.centre, sizeof mass.centre);
        mat3 axes = quat_to_mat3(frame.orientation), inverse = mat3_transpose(&axes);
        mat3 again = mat3_diagonal(moments);
        again = mat3_multiply(&axes, &again);
        again = mat3_multiply(&again, &inverse);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                check_close(again.m[i][j], mass.inertia.m[i][j], 0.0, 1e-14);
    }
}

static void principal_axes_are_kept(void **state)
{
    (void)state;
    geo_mass mass = {1.0, {0.0, 0.0, 0.0}, mat3_diagonal((vec3){3.0, 1.0, 2.0})};
    mass.inertia.m[0][1] = mass.inertia.m[1][0] = 1e-13;
    vec3 moments;
    pose frame;
    geo_mass_principal(&mass, &moments, &frame);
    const quat one = {1.0, 0.0, 0.0, 0.0};
    assert_memory_equal(&frame.orientation, &one, sizeof one);
    assert_true(moments.x == 3.0 && moments.y == 1.0 && moments.z == 2.0);
}

// the shape by address: the call that gives the status sets it
static void expect_refusal(cairn_status status, geo_shape *const *shape, const cairn_error *error,
                           const char *message)
{
    assert_int_equal(status, CAIRN_ERROR_ARGUMENT);
    assert_null(*shape);
    assert_non_null(strstr(error->message, message));
}

static void bad_sizes_are_refused(void **state)
{
    (void)state;
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    geo_shape *s = (geo_shape *)&counter;
    cairn_error e = {0};
    expect_refusal(geo_sphere_create(&allocator, -1.0, &s, &e), &s, &e,
                   "radius = -1 must be positive and finite (m)");
    expect_refusal(geo_sphere_create(&allocator, NAN, &s, &e), &s, &e, "radius = ");
    expect_refusal(geo_sphere_create(&allocator, 1e200, &s, &e), &s, &e, "too small or too large");
    expect_refusal(geo_sphere_create(&allocator, 1e-200, &s, &e), &s, &e, "too small or too large");
    expect_refusal(geo_box_create(&allocator, (vec3){1.0, 0.0, 1.0}, &s, &e), &s, &e, "half.y = 0");
    expect_refusal(geo_capsule_create(&allocator, 1.0, INFINITY, &s, &e), &s, &e,
                   "half_length = inf");
    expect_refusal(geo_cylinder_create(&allocator, 0.0, 1.0, &s, &e), &s, &e, "radius = 0");
    assert_int_equal(counter.live, 0);
}

static void bad_compounds_leave_members_alone(void **state)
{
    (void)state;
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    geo_shape *plane = NULL, *ball = NULL, *other = NULL, *s = NULL;
    cairn_error e = {0};
    assert_int_equal(geo_halfspace_create(&allocator, &plane, &e), CAIRN_OK);
    assert_int_equal(geo_sphere_create(&allocator, 1.0, &ball, &e), CAIRN_OK);
    assert_int_equal(geo_sphere_create(&allocator, 1.0, &other, &e), CAIRN_OK);
    pose places[2] = {pose_identity(), pose_identity()};
    geo_shape *members[2] = {ball, plane};
    expect_refusal(geo_compound_create(&allocator, members, places, 0, &s, &e), &s, &e, "at least");
    expect_refusal(geo_compound_create(&allocator, members, places, 2, &s, &e), &s, &e,
                   "member 1 of the compound is a halfspace");
    places[0].orientation.w = 0.5;
    expect_refusal(geo_compound_create(&allocator, members, places, 1, &s, &e), &s, &e, "unit");
    places[0] = pose_identity();
    places[0].position.x = 1e200;
    members[1] = other;
    expect_refusal(geo_compound_create(&allocator, members, places, 2, &s, &e), &s, &e,
                   "too small or too large");
    places[0].position.x = 1.0;
    for (long fail = 1; fail <= 3; fail++) {
        counter.fail_at = counter.calls + fail;
        assert_int_equal(geo_compound_create(&allocator, members, places, 1, &s, &e),
                         CAIRN_ERROR_MEMORY);
        counter.fail_at = 0;
    }
    assert_int_equal(counter.live, 3);
    geo_shape_destroy(plane);
    geo_shape_destroy(other);
    geo_shape_destroy(ball);
    geo_shape_destroy(NULL);
    assert_int_equal(counter.live, 0);
}

static void names_are_those_of_scenes(void **state)
{
    (void)state;
    assert_string_equal(geo_kind_name(GEO_SPHERE), "sphere");
    assert_string_equal(geo_kind_name(GEO_HALFSPACE), "halfspace");
    assert_string_equal(geo_kind_name(GEO_COMPOUND), "compound");
    assert_string_equal(geo_kind_name(GEO_KIND_COUNT), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mass_matches_quadrature),
        cmocka_unit_test(support_is_the_farthest_point),
        cmocka_unit_test(bounds_touch_the_support_points),
        cmocka_unit_test(sizes_are_as_documented),
        cmocka_unit_test(halfspace_has_no_bounds),
        cmocka_unit_test(compound_of_two_boxes_is_a_box),
        cmocka_unit_test(principal_axes_rebuild_the_inertia),
        cmocka_unit_test(principal_axes_are_kept),
        cmocka_unit_test(bad_sizes_are_refused),
        cmocka_unit_test(bad_compounds_leave_members_alone),
        cmocka_unit_test(names_are_those_of_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
