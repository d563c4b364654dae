// SPDX-License-Identifier: Apache-2.0
// Hulls: structure, geometry, mass and extremes, judged by brute force.
#include "geometry/shape/shape.h"
#include "tests/check.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

static geo_shape *hull_of(const vec3 *points, int count)
{
    base_allocator allocator = base_allocator_default();
    geo_shape *shape = NULL;
    cairn_error error;
    cairn_status status = geo_polyhedron_create(&allocator, points, count, &shape, &error);
    if (status != CAIRN_OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, CAIRN_OK);
    return shape;
}

static vec3 random_point(base_rng *rng)
{
    return (vec3){base_rng_range(rng, -1.0, 1.0), base_rng_range(rng, -1.0, 1.0),
                  base_rng_range(rng, -1.0, 1.0)};
}

static quat random_turn(base_rng *rng)
{
    return base_quat_from_rotation_vector(vec3_scale(3.0, random_point(rng)));
}

static vec3 random_on_ball(base_rng *rng)
{
    for (;;) {
        vec3 p = random_point(rng);
        double n = vec3_norm(p);
        if (n > 0.1 && n <= 1.0)
            return vec3_scale(1.0 / n, p);
    }
}

static bool bitwise_equal(vec3 a, vec3 b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void check_vertices_given(const geo_polyhedron *p, const vec3 *points, int count)
{
    int at = 0;
    for (int v = 0; v < p->vertex_count; v++, at++) {
        while (at < count && !bitwise_equal(p->vertices[v], points[at]))
            at++;
        assert_true(at < count);
    }
}

static void check_edges(const geo_polyhedron *p)
{
    assert_int_equal(p->vertex_count - p->edge_count + p->face_count, 2);
    assert_int_equal(2 * p->edge_count, p->face_start[p->face_count]);
    for (int e = 0; e < p->edge_count; e++) {
        int low = p->edge_vertices[e][0], high = p->edge_vertices[e][1];
        assert_true(low < high);
        int seen[2] = {0, 0};
        for (int side = 0; side < 2; side++) {
            int f = p->edge_faces[e][side];
            int start = p->face_start[f], corners = p->face_start[f + 1] - start;
            for (int k = 0; k < corners; k++) {
                int from = p->face_vertices[start + k];
                int to = p->face_vertices[start + (k + 1) % corners];
                seen[side] += side == 0 ? from == low && to == high : from == high && to == low;
            }
        }
        assert_int_equal(seen[0], 1);
        assert_int_equal(seen[1], 1);
        for (int end = 0; end < 2; end++) {
            int v = p->edge_vertices[e][end], found = 0;
            for (int k = p->neighbor_start[v]; k < p->neighbor_start[v + 1]; k++) {
                found += p->neighbors[k] == p->edge_vertices[e][1 - end];
                if (k > p->neighbor_start[v])
                    assert_true(p->neighbors[k] > p->neighbors[k - 1]);
            }
            assert_int_equal(found, 1);
        }
    }
    assert_int_equal(p->neighbor_start[p->vertex_count], 2 * p->edge_count);
}

static void check_planes(const geo_polyhedron *p, const vec3 *points, int count, double tolerance)
{
    for (int f = 0; f < p->face_count; f++) {
        check_close(vec3_norm(p->face_normals[f]), 1.0, 1e-14, 0.0);
        for (int i = 0; i < count; i++)
            check_at_most(vec3_dot(p->face_normals[f], points[i]) - p->face_offsets[f], tolerance);
        for (int k = p->face_start[f]; k < p->face_start[f + 1]; k++) {
            vec3 v = p->vertices[p->face_vertices[k]];
            check_close(vec3_dot(p->face_normals[f], v), p->face_offsets[f], 0.0, tolerance);
        }
    }
}

static void check_hull(const geo_shape *shape, const vec3 *points, int count, double tolerance)
{
    check_vertices_given(&shape->polyhedron, points, count);
    check_edges(&shape->polyhedron);
    check_planes(&shape->polyhedron, points, count, tolerance);
}

// volume, centre and inertia by cutting into tetrahedra from the first vertex, each integrated with
// the four-point rule (exact to second order)
static geo_mass mass_by_tetrahedra(const geo_polyhedron *p)
{
    const double a = 0.58541019662496852, b = 0.13819660112501050;
    geo_mass mass = {0};
    for (int pass = 0; pass < 2; pass++)
        for (int f = 0; f < p->face_count; f++)
            for (int k = p->face_start[f] + 1; k + 1 < p->face_start[f + 1]; k++) {
                vec3 t[4] = {p->vertices[0], p->vertices[p->face_vertices[p->face_start[f]]],
                             p->vertices[p->face_vertices[k]],
                             p->vertices[p->face_vertices[k + 1]]};
                vec3 e1 = vec3_sub(t[1], t[0]), e2 = vec3_sub(t[2], t[0]),
                     e3 = vec3_sub(t[3], t[0]);
                double volume = vec3_dot(e1, vec3_cross(e2, e3)) / 6.0;
                if (pass == 0)
                    mass.volume += volume;
                for (int g = 0; g < 4; g++) {
                    vec3 x = {0.0, 0.0, 0.0};
                    for (int c = 0; c < 4; c++)
                        x = vec3_add_scaled(x, c == g ? a : b, t[c]);
                    if (pass == 0) {
                        mass.centre = vec3_add_scaled(mass.centre, 0.25 * volume, x);
                        continue;
                    }
                    mat3 cross = mat3_skew(vec3_sub(x, vec3_scale(1.0 / mass.volume, mass.centre)));
                    mat3 square = mat3_multiply(&cross, &cross);
                    square = mat3_scale(-0.25 * volume, &square);
                    mass.inertia = mat3_add(&mass.inertia, &square);
                }
            }
    mass.centre = vec3_scale(1.0 / mass.volume, mass.centre);
    return mass;
}

static void check_mass(const geo_mass *actual, const geo_mass *expected, double relative)
{
    check_close(actual->volume, expected->volume, relative, 0.0);
    double length = cbrt(expected->volume);
    check_at_most(vec3_distance(actual->centre, expected->centre), relative * length);
    double scale = mat3_trace(&expected->inertia);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            check_close(actual->inertia.m[i][j], expected->inertia.m[i][j], 0.0, relative * scale);
}

static int box_corners(vec3 half, vec3 *out)
{
    for (int i = 0; i < 8; i++)
        out[i] =
            (vec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    return 8;
}

static void box_from_points_equals_box(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    const vec3 half = {0.3, 0.5, 0.7};
    // corners, points on edges and faces, inside, and doubles of all
    vec3 points[400];
    int count = box_corners(half, points);
    base_rng rng = base_rng_make(1);
    for (; count < 200; count++) {
        vec3 p = vec3_multiply(half, random_point(&rng));
        int kind = count % 3;
        if (kind >= 1)
            p.x = copysign(half.x, p.x);
        if (kind == 2)
            p.y = copysign(half.y, p.y);
        points[count] = p;
    }
    memcpy(points + 200, points, 200 * sizeof *points);
    geo_shape *hull = hull_of(points, 400), *box = NULL;
    assert_int_equal(geo_box_create(&allocator, half, &box, NULL), CAIRN_OK);
    assert_int_equal(hull->polyhedron.vertex_count, 8);
    assert_int_equal(hull->polyhedron.face_count, 6);
    assert_int_equal(hull->polyhedron.edge_count, 12);
    check_hull(hull, points, 400, 1e-14);
    geo_mass expected = geo_shape_mass(box);
    check_mass(&hull->polyhedron.mass, &expected, 1e-13);
    check_close(hull->smallest_size, 0.6, 1e-13, 0.0);
    check_close(hull->bounding_radius, vec3_norm(half), 1e-15, 0.0);
    vec3 moments;
    pose frame;
    geo_mass_principal(&hull->polyhedron.mass, &moments, &frame);
    assert_true(frame.orientation.w == 1.0 && frame.orientation.x == 0.0);
    geo_shape_destroy(hull);
    geo_shape_destroy(box);
}

static void turned_box_at_any_magnitude(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(2);
    for (double scale = 1e-6; scale <= 2e6; scale *= 10.0)
        for (int repeat = 0; repeat < 20; repeat++) {
            vec3 points[8];
            pose place = {vec3_scale(10.0 * scale, random_point(&rng)), random_turn(&rng)};
            vec3 half = vec3_scale(scale, (vec3){1.0, 0.2, 3.0});
            box_corners(half, points);
            for (int i = 0; i < 8; i++)
                points[i] = pose_apply(&place, points[i]);
            geo_shape *hull = hull_of(points, 8);
            assert_int_equal(hull->polyhedron.face_count, 6);
            check_hull(hull, points, 8, 1e-13 * scale);
            check_close(geo_shape_mass(hull).volume, 8.0 * half.x * half.y * half.z, 1e-12, 0.0);
            geo_shape_destroy(hull);
        }
}

static void prism_has_polygon_ends(void **state)
{
    (void)state;
    for (int sides = 3; sides <= 200; sides += 7) {
        vec3 points[400];
        for (int i = 0; i < sides; i++) {
            double angle = 2.0 * 3.14159265358979323846 * i / sides;
            points[i] = (vec3){cos(angle), sin(angle), -0.25};
            points[sides + i] = (vec3){cos(angle), sin(angle), 0.25};
        }
        geo_shape *hull = hull_of(points, 2 * sides);
        assert_int_equal(hull->polyhedron.vertex_count, 2 * sides);
        assert_int_equal(hull->polyhedron.face_count, sides + 2);
        check_hull(hull, points, 2 * sides, 1e-14);
        geo_shape_destroy(hull);
    }
}

static void tetrahedron_closed_form(void **state)
{
    (void)state;
    // corner tetrahedron with legs a b c: V = abc/6, centre (a b c)/4,
    // I_xx = V 3 (b^2 + c^2) / 80, I_xy = V a b / 80
    const double a = 0.7, b = 1.1, c = 2.3, v = a * b * c / 6.0;
    const vec3 points[4] = {{0.0, 0.0, 0.0}, {a, 0.0, 0.0}, {0.0, b, 0.0}, {0.0, 0.0, c}};
    geo_shape *hull = hull_of(points, 4);
    geo_mass expected = {v,
                         {a / 4.0, b / 4.0, c / 4.0},
                         {{{3.0 * (b * b + c * c), a * b, a * c},
                           {a * b, 3.0 * (a * a + c * c), b * c},
                           {a * c, b * c, 3.0 * (a * a + b * b)}}}};
    expected.inertia = mat3_scale(v / 80.0, &expected.inertia);
    check_mass(&hull->polyhedron.mass, &expected, 1e-14);
    check_hull(hull, points, 4, 1e-15);
    geo_shape_destroy(hull);
}

static void random_hulls(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(3);
    for (int repeat = 0; repeat < 300; repeat++) {
        vec3 points[120];
        int count = 4 + base_rng_index(&rng, 117);
        vec3 stretch = {1.0, base_rng_range(&rng, 0.01, 1.0), base_rng_range(&rng, 0.01, 1.0)};
        pose place = {vec3_scale(5.0, random_point(&rng)), random_turn(&rng)};
        for (int i = 0; i < count; i++) {
            vec3 p = repeat % 2 ? random_point(&rng) : random_on_ball(&rng);
            points[i] = pose_apply(&place, vec3_multiply(stretch, p));
        }
        geo_shape *hull = hull_of(points, count);
        check_hull(hull, points, count, 1e-8);
        geo_mass expected = mass_by_tetrahedra(&hull->polyhedron);
        check_mass(&hull->polyhedron.mass, &expected, 1e-10);
        for (int k = 0; k < 50; k++) {
            vec3 direction = vec3_scale(exp(base_rng_range(&rng, -20.0, 20.0)), random_point(&rng));
            double best = -INFINITY;
            for (int i = 0; i < count; i++)
                best = fmax(best, vec3_dot(direction, points[i]));
            double found = vec3_dot(direction, geo_shape_support(hull, direction));
            check_close(found, best, 0.0, 2e-8 * vec3_norm(direction));
        }
        geo_shape_destroy(hull);
    }
}

static void lattice_and_ball_of_ten_thousand(void **state)
{
    (void)state;
    enum { SIDE = 22, COUNT = SIDE * SIDE * SIDE };
    vec3 *points = malloc(COUNT * sizeof *points);
    assert_non_null(points);
    for (int i = 0; i < COUNT; i++)
        points[i] = (vec3){i % SIDE, (double)(i / SIDE % SIDE), (double)(i / SIDE / SIDE)};
    geo_shape *hull = hull_of(points, COUNT);
    assert_int_equal(hull->polyhedron.vertex_count, 8);
    assert_int_equal(hull->polyhedron.face_count, 6);
    check_close(geo_shape_mass(hull).volume, 21.0 * 21.0 * 21.0, 1e-14, 0.0);
    geo_shape_destroy(hull);
    base_rng rng = base_rng_make(4);
    for (int i = 0; i < 10000; i++)
        points[i] = random_on_ball(&rng);
    hull = hull_of(points, 10000);
    assert_int_equal(hull->polyhedron.vertex_count, 10000);
    check_edges(&hull->polyhedron);
    for (int k = 0; k < 300; k++) {
        vec3 direction = random_point(&rng);
        double best = -INFINITY;
        for (int i = 0; i < 10000; i++)
            best = fmax(best, vec3_dot(direction, points[i]));
        check_close(vec3_dot(direction, geo_shape_support(hull, direction)), best, 0.0, 1e-12);
    }
    geo_shape_destroy(hull);
    free(points);
}

// near-duplicates of corners, as computed by different formulas, must not make slivers
static void nearly_equal_points_are_one(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(5);
    for (int repeat = 0; repeat < 100; repeat++) {
        vec3 points[6 * 10];
        int count = 0;
        for (int copy = 0; copy < 10; copy++)
            for (int corner = 0; corner < 6; corner++) {
                vec3 p = {0.0, 0.0, 0.0};
                p = vec3_set(p, corner / 2, corner % 2 ? 1.0 : -1.0);
                points[count++] = vec3_add_scaled(p, copy == 0 ? 0.0 : 1e-9, random_point(&rng));
            }
        geo_shape *hull = hull_of(points, count);
        assert_int_equal(hull->polyhedron.vertex_count, 6);
        assert_int_equal(hull->polyhedron.face_count, 8);
        check_close(geo_shape_mass(hull).volume, 4.0 / 3.0, 1e-14, 0.0);
        geo_shape_destroy(hull);
    }
}

// a lens so shallow that its facets are coplanar in patches
static void shallow_cap_stays_convex(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(6);
    for (double bulge = 1e-2; bulge >= 1e-8; bulge *= 0.1) {
        vec3 points[1500];
        for (int i = 0; i < 1499; i++) {
            double x = base_rng_range(&rng, -0.5, 0.5), y = base_rng_range(&rng, -0.5, 0.5);
            points[i] = (vec3){x, y, -bulge * (x * x + y * y)};
        }
        points[1499] = (vec3){0.0, 0.0, -1.0};
        geo_shape *hull = hull_of(points, 1500);
        check_hull(hull, points, 1500, 3e-7);
        geo_shape_destroy(hull);
    }
}

static void expect_failure(const vec3 *points, int count, const char *words)
{
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    geo_shape *shape = NULL;
    cairn_error error = {0};
    assert_int_equal(geo_polyhedron_create(&allocator, points, count, &shape, &error),
                     CAIRN_ERROR_ARGUMENT);
    assert_null(shape);
    assert_int_equal(counter.live, 0);
    if (strstr(error.message, words) == NULL)
        print_error("%s\n", error.message);
    assert_non_null(strstr(error.message, words));
}

static void bad_points_are_refused(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(7);
    vec3 points[50];
    expect_failure(points, 0, "at least 4");
    for (int i = 0; i < 50; i++)
        points[i] = (vec3){1.0, 2.0, 3.0};
    expect_failure(points, 3, "at least 4");
    expect_failure(points, 50, "span 0 m");
    vec3 along = random_point(&rng), across = random_point(&rng);
    for (int i = 0; i < 50; i++)
        points[i] = vec3_scale(0.1 * i, along);
    expect_failure(points, 50, "flat");
    for (int i = 0; i < 50; i++)
        points[i] = vec3_add_scaled(points[i], base_rng_unit(&rng), across);
    expect_failure(points, 50, "flat");
    points[7].y = NAN;
    expect_failure(points, 50, "point 7");
    points[7].y = INFINITY;
    expect_failure(points, 50, "point 7");
    vec3 huge[4] = {{1e200, 0.0, 0.0}, {0.0, 1e200, 0.0}, {0.0, 0.0, 1e200}, {0.0, 0.0, 0.0}};
    expect_failure(huge, 4, "too small or too large");
}

static void memory_failures_leave_nothing(void **state)
{
    (void)state;
    vec3 points[8];
    box_corners((vec3){1.0, 2.0, 3.0}, points);
    for (long fail_at = 1;; fail_at++) {
        base_counting_allocator counter = {.fail_at = fail_at};
        base_allocator allocator = base_allocator_counting(&counter);
        geo_shape *shape = NULL;
        cairn_status status = geo_polyhedron_create(&allocator, points, 8, &shape, NULL);
        if (status == CAIRN_OK)
            geo_shape_destroy(shape);
        else
            assert_int_equal(status, CAIRN_ERROR_MEMORY);
        assert_int_equal(counter.live, 0);
        if (status == CAIRN_OK)
            break;
        assert_true(fail_at < 100);
    }
}

// same points, same bytes
static void same_input_same_output(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(8);
    vec3 points[200];
    for (int i = 0; i < 200; i++)
        points[i] = random_on_ball(&rng);
    geo_shape *a = hull_of(points, 200), *b = hull_of(points, 200);
    const geo_polyhedron *p = &a->polyhedron, *q = &b->polyhedron;
    assert_int_equal(p->face_count, q->face_count);
    assert_memory_equal(p->face_vertices, q->face_vertices,
                        (size_t)p->face_start[p->face_count] * sizeof(int));
    assert_memory_equal(p->face_normals, q->face_normals,
                        (size_t)p->face_count * sizeof *p->face_normals);
    geo_shape_destroy(a);
    geo_shape_destroy(b);
}

/// A hull made again from its vertices and faces has the same bits; faces that do not close, or
/// name no vertex, are refused, and memory that runs out leaves nothing.
static void faces_give_the_hull_again(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    base_rng rng = base_rng_make(77);
    vec3 points[60];
    for (int i = 0; i < 60; i++)
        points[i] = (vec3){base_rng_range(&rng, -1.0, 2.0), base_rng_range(&rng, -3.0, 1.0),
                           base_rng_range(&rng, 5.0, 6.0)};
    geo_shape *first = NULL, *again = NULL;
    assert_int_equal(geo_polyhedron_create(&allocator, points, 60, &first, NULL), CAIRN_OK);
    const geo_polyhedron *p = &first->polyhedron;
    assert_int_equal(geo_polyhedron_create_faces(&allocator, p->vertices, p->vertex_count,
                                                 p->face_start, p->face_count, p->face_vertices,
                                                 &again, NULL),
                     CAIRN_OK);
    const geo_polyhedron *q = &again->polyhedron;
    assert_int_equal(p->edge_count, q->edge_count);
    size_t faces = (size_t)p->face_count, edges = (size_t)p->edge_count;
    assert_memory_equal(p->face_normals, q->face_normals, faces * sizeof *p->face_normals);
    assert_memory_equal(p->face_offsets, q->face_offsets, faces * sizeof *p->face_offsets);
    assert_memory_equal(p->edge_vertices, q->edge_vertices, edges * sizeof *p->edge_vertices);
    assert_memory_equal(p->edge_faces, q->edge_faces, edges * sizeof *p->edge_faces);
    assert_memory_equal(p->neighbors, q->neighbors, 2 * edges * sizeof *p->neighbors);
    assert_memory_equal(&p->mass, &q->mass, sizeof p->mass);
    assert_memory_equal(&first->smallest_size, &again->smallest_size, sizeof(double));
    assert_memory_equal(&first->bounding_radius, &again->bounding_radius, sizeof(double));
    geo_shape_destroy(again);
    int kept = p->face_vertices[1];
    const int wrong[] = {p->vertex_count, -1, p->face_vertices[0], p->face_vertices[2]};
    for (int i = 0; i < 4; i++) {
        p->face_vertices[1] = wrong[i];
        assert_int_equal(geo_polyhedron_create_faces(&allocator, p->vertices, p->vertex_count,
                                                     p->face_start, p->face_count, p->face_vertices,
                                                     &again, NULL),
                         CAIRN_ERROR_ARGUMENT);
        assert_null(again);
    }
    p->face_vertices[1] = kept;
    geo_shape_destroy(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(box_from_points_equals_box),
        cmocka_unit_test(turned_box_at_any_magnitude),
        cmocka_unit_test(prism_has_polygon_ends),
        cmocka_unit_test(tetrahedron_closed_form),
        cmocka_unit_test(random_hulls),
        cmocka_unit_test(lattice_and_ball_of_ten_thousand),
        cmocka_unit_test(nearly_equal_points_are_one),
        cmocka_unit_test(shallow_cap_stays_convex),
        cmocka_unit_test(bad_points_are_refused),
        cmocka_unit_test(memory_failures_leave_nothing),
        cmocka_unit_test(same_input_same_output),
        cmocka_unit_test(faces_give_the_hull_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
