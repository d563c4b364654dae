// SPDX-License-Identifier: Apache-2.0
// Triangulated surfaces: adjacency, closedness, mass, bounds and refusals.
#include "geometry/mesh/bvh.h"
#include "geometry/shape/shape.h"
#include "tests/check.h"
#include "tests/cube.h"

#include "base/rng.h"

#include <string.h>

static const vec3 cube_vertices[8] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 2.0, 0.0},
                                      {1.0, 2.0, 0.0}, {0.0, 0.0, 3.0}, {1.0, 0.0, 3.0},
                                      {0.0, 2.0, 3.0}, {1.0, 2.0, 3.0}};

static geo_shape *mesh_of(const vec3 *vertices, int vertex_count, const int (*triangles)[3],
                          int triangle_count)
{
    base_allocator allocator = base_allocator_default();
    geo_shape *shape = NULL;
    cairn_error error = {0};
    if (geo_mesh_create(&allocator, vertices, vertex_count, triangles, triangle_count, &shape,
                        &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    return shape;
}

// the neighbour across each side really has this side, and closed meshes have no -1
static void check_adjacency(const geo_mesh *mesh, int borders)
{
    int found = 0;
    for (int t = 0; t < mesh->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int a = mesh->triangles[t][k], b = mesh->triangles[t][(k + 1) % 3], shared = 0;
            int other = mesh->adjacent[t][k];
            if (other < 0) {
                found++;
                continue;
            }
            assert_int_not_equal(other, t);
            for (int m = 0; m < 3; m++) {
                int c = mesh->triangles[other][m], d = mesh->triangles[other][(m + 1) % 3];
                bool same = (c == a && d == b) || (c == b && d == a);
                shared += same && mesh->adjacent[other][m] == t;
            }
            assert_int_equal(shared, 1);
        }
    assert_int_equal(found, borders);
}

static void closed_mesh_has_mass(void **state)
{
    (void)state;
    geo_shape *shape = mesh_of(cube_vertices, 8, cube_faces, 12);
    check_adjacency(&shape->mesh, 0);
    check_close(geo_shape_mass(shape).volume, 6.0, 1e-14, 0.0);
    check_at_most(vec3_distance(geo_shape_mass(shape).centre, (vec3){0.5, 1.0, 1.5}), 1e-14);
    check_close(geo_shape_mass(shape).inertia.m[0][0], 6.0 * 13.0 / 12.0, 1e-14, 0.0);
    check_close(geo_shape_mass(shape).inertia.m[1][1], 6.0 * 10.0 / 12.0, 1e-14, 0.0);
    check_close(geo_shape_mass(shape).inertia.m[2][2], 6.0 * 5.0 / 12.0, 1e-14, 0.0);
    check_close(geo_shape_mass(shape).inertia.m[0][1], 0.0, 0.0, 1e-14);
    assert_true(isinf(shape->smallest_size));
    check_close(shape->bounding_radius, sqrt(14.0), 1e-15, 0.0);
    geo_shape_destroy(shape);
}

static void inward_mesh_is_turned_over(void **state)
{
    (void)state;
    int inward[12][3];
    for (int t = 0; t < 12; t++)
        for (int k = 0; k < 3; k++)
            inward[t][k] = cube_faces[t][2 - k];
    geo_shape *shape = mesh_of(cube_vertices, 8, (const int(*)[3])inward, 12);
    check_close(geo_shape_mass(shape).volume, 6.0, 1e-14, 0.0);
    check_adjacency(&shape->mesh, 0);
    for (int t = 0; t < 12; t++) {
        const int *corner = shape->mesh.triangles[t];
        vec3 a = cube_vertices[corner[0]];
        vec3 normal = vec3_cross(vec3_sub(cube_vertices[corner[1]], a),
                                 vec3_sub(cube_vertices[corner[2]], a));
        assert_true(vec3_dot(normal, vec3_sub(a, (vec3){0.5, 1.0, 1.5})) > 0.0);
    }
    geo_shape_destroy(shape);
}

static void open_mesh_has_none(void **state)
{
    (void)state;
    geo_shape *shape = mesh_of(cube_vertices, 8, cube_faces, 11);
    check_adjacency(&shape->mesh, 3);
    assert_true(geo_shape_mass(shape).volume == 0.0);
    geo_shape_destroy(shape);
    // an open mesh stays as it is, whichever way its triangles run
    int mixed[12][3];
    memcpy(mixed, cube_faces, sizeof mixed);
    mixed[3][0] = cube_faces[3][1];
    mixed[3][1] = cube_faces[3][0];
    shape = mesh_of(cube_vertices, 8, (const int(*)[3])mixed, 11);
    assert_memory_equal(shape->mesh.triangles, mixed, 11 * sizeof mixed[0]);
    for (int t = 0; t < 11; t++)
        assert_int_equal(shape->mesh.shells[t], 0);
    cairn_error error = {0};
    assert_int_equal(geo_mesh_fill(shape, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "a solid mesh must be closed: the edge from ("));
    assert_false(shape->mesh.solid);
    geo_shape_destroy(shape);
}

// A square frame of four strips, as a sheet: its area, centre and moments about its axes, by hand.
static void sheet_has_area_and_moments(void **state)
{
    (void)state;
    vec3 vertices[8];
    int triangles[8][3];
    for (int i = 0; i < 8; i++) {
        double r = i < 4 ? 1.0 : 0.5;
        vertices[i] = (vec3){100.0 + (i % 4 == 1 || i % 4 == 2 ? r : -r), i % 4 > 1 ? r : -r, 7.0};
    }
    for (int i = 0; i < 4; i++) {
        int j = (i + 1) % 4;
        memcpy(triangles[2 * i], (int[]){i, j, 4 + j}, sizeof triangles[0]);
        memcpy(triangles[2 * i + 1], (int[]){4 + i, i, 4 + j}, sizeof triangles[0]);
    }
    geo_shape *shape = mesh_of(vertices, 8, (const int(*)[3])triangles, 8);
    geo_mass sheet = geo_mesh_sheet(&shape->mesh);
    double moment = (16.0 - 1.0) / 12.0; // of squares of 2 m and 1 m
    check_close(sheet.volume, 3.0, 1e-14, 0.0);
    check_at_most(vec3_distance(sheet.centre, (vec3){100.0, 0.0, 7.0}), 1e-12);
    check_close(sheet.inertia.m[0][0], moment, 1e-12, 0.0);
    check_close(sheet.inertia.m[1][1], moment, 1e-12, 0.0);
    check_close(sheet.inertia.m[2][2], 2.0 * moment, 1e-12, 0.0);
    check_close(sheet.inertia.m[0][1], 0.0, 0.0, 1e-12);
    geo_shape_destroy(shape);
}

// Shells in one mesh, each of which may run either way: those apart are turned outwards, one within
// another turns with it.
static void shells_are_turned_outwards(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(2);
    for (int i = 0; i < 64; i++) {
        // large, within it, and beside both; of volumes 48, 6, 6
        bool turned[3] = {i & 1, i & 2, i & 4}, mixed = i & 8;
        vec3 vertices[24];
        int triangles[36][3];
        for (int k = 0; k < 24; k++)
            vertices[k] = k < 8    ? vec3_scale(2.0, cube_vertices[k])
                          : k < 16 ? vec3_add(cube_vertices[k % 8], (vec3){0.5, 1.0, 1.5})
                                   : vec3_add(cube_vertices[k % 8], (vec3){5.0, 0.0, 0.0});
        for (int t = 0; t < 36; t++) {
            // the first triangle of a shell decides
            bool over = turned[t / 12] != (mixed && t % 12 > 0 && base_rng_unit(&rng) < 0.5);
            for (int k = 0; k < 3; k++)
                triangles[t][k] = cube_faces[t % 12][over ? 2 - k : k] + 8 * (t / 12);
        }
        geo_shape *shape = mesh_of(vertices, 24, (const int(*)[3])triangles, 36);
        bool hollow = turned[0] != turned[1];
        check_adjacency(&shape->mesh, 0);
        check_close(geo_shape_mass(shape).volume, hollow ? 48.0 : 60.0, 1e-13, 0.0);
        assert_false(geo_mesh_holds(&shape->mesh, (vec3){0.2, 0.2, 0.2}));
        assert_int_equal(geo_mesh_fill(shape, NULL), CAIRN_OK);
        for (int k = 0; k < 200; k++) {
            vec3 x = {base_rng_range(&rng, -1.0, 7.0), base_rng_range(&rng, -1.0, 5.0),
                      base_rng_range(&rng, -1.0, 7.0)};
            if (k % 4 == 0) // where rays meet corners and sides
                x = (vec3){rint(x.x) + 0.25, rint(x.y) + 0.25, rint(x.z) + 0.25};
            bool large = x.x > 0.0 && x.x < 2.0 && x.y > 0.0 && x.y < 4.0 && x.z > 0.0 && x.z < 6.0;
            bool small = x.x > 0.5 && x.x < 1.5 && x.y > 1.0 && x.y < 3.0 && x.z > 1.5 && x.z < 4.5;
            bool beside =
                x.x > 5.0 && x.x < 6.0 && x.y > 0.0 && x.y < 2.0 && x.z > 0.0 && x.z < 3.0;
            int wanted = large + (hollow ? -small : small) + beside;
            assert_int_equal(geo_mesh_winding(&shape->mesh, 0, x), wanted);
            assert_int_equal(geo_mesh_winding(&shape->mesh, 1, x), large);
            assert_int_equal(geo_mesh_winding(&shape->mesh, 2, x), hollow ? -small : small);
            assert_true(geo_mesh_holds(&shape->mesh, x) == (wanted > 0));
            assert_true((geo_mesh_depth(&shape->mesh, x) > 0.0) == (wanted > 0));
        }
        geo_shape_destroy(shape);
    }
}

static void edge_of_three_triangles_is_a_border(void **state)
{
    (void)state;
    const vec3 vertices[5] = {
        {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, 1.0}};
    const int triangles[3][3] = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}};
    geo_shape *shape = mesh_of(vertices, 5, triangles, 3);
    check_adjacency(&shape->mesh, 9);
    geo_shape_destroy(shape);
}

static int faces_of(const geo_mesh *mesh)
{
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; t++) {
        assert_true(mesh->faces[t] <= t && mesh->faces[mesh->faces[t]] == mesh->faces[t]);
        count += mesh->faces[t] == t;
    }
    return count;
}

// neighbours of one plane are one face; vertices within it are no corners of the surface
static void flat_parts_are_faces(void **state)
{
    (void)state;
    geo_shape *shape = mesh_of(cube_vertices, 8, cube_faces, 12);
    assert_int_equal(faces_of(&shape->mesh), 6);
    for (int i = 0; i < 8; i++)
        assert_int_equal(shape->mesh.inner_vertices[i], 0);
    geo_shape_destroy(shape);

    // around a vertex in the middle of a square; raised, it is the tip of four faces
    vec3 vertices[5] = {
        {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {1.0, 1.0, 0.0}, {0.0, 1.0, 0.0}, {0.4, 0.6, 0.0}};
    const int around[4][3] = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
    shape = mesh_of(vertices, 5, around, 4);
    assert_int_equal(faces_of(&shape->mesh), 1);
    for (int i = 0; i < 5; i++)
        assert_int_equal(shape->mesh.inner_vertices[i], i == 4);
    double inside;
    assert_int_equal(geo_mesh_triangle_at(&shape->mesh, 0, (vec3){0.9, 0.5, 0.0}, 1e-9, &inside),
                     1);
    check_close(inside, 0.1, 0.0, 1e-12);
    assert_int_equal(geo_mesh_triangle_at(&shape->mesh, 0, (vec3){0.5, 0.9, 1e-12}, 1e-9, &inside),
                     2);
    assert_int_equal(geo_mesh_triangle_at(&shape->mesh, 0, (vec3){1.5, 0.9, 0.0}, 1e-9, &inside),
                     -1);
    geo_shape_destroy(shape);
    vertices[4].z = 1e-3;
    shape = mesh_of(vertices, 5, around, 4);
    assert_int_equal(faces_of(&shape->mesh), 4);
    assert_int_equal(shape->mesh.inner_vertices[4], 0);
    geo_shape_destroy(shape);
}

// a fold by half a turn brings two triangles into one plane, on the same side of their edge
static void folded_triangles_are_two_faces(void **state)
{
    (void)state;
    const vec3 vertices[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.2, 1.0, 0.0}, {0.7, 0.8, 0.0}};
    const int folded[2][3] = {{0, 1, 2}, {1, 0, 3}};
    geo_shape *shape = mesh_of(vertices, 4, folded, 2);
    assert_int_equal(faces_of(&shape->mesh), 2);
    geo_shape_destroy(shape);
    // the other way round the second one is as little a part of the first one's face
    const int mixed[2][3] = {{0, 1, 2}, {0, 1, 3}};
    shape = mesh_of(vertices, 4, mixed, 2);
    assert_int_equal(faces_of(&shape->mesh), 2);
    geo_shape_destroy(shape);
}

// a turned plane in single precision, as files have it, and a tube of many facets
static void faces_of_files_and_tubes(void **state)
{
    (void)state;
    enum { SIDE = 20 };
    vec3 vertices[(SIDE + 1) * (SIDE + 1)];
    int triangles[2 * SIDE * SIDE][3], count = 0;
    quat turn = base_quat_from_rotation_vector((vec3){0.3, -0.7, 1.1});
    for (int bent = 0; bent < 2; bent++) {
        count = 0;
        for (int j = 0; j <= SIDE; j++)
            for (int i = 0; i <= SIDE; i++) {
                vec3 x = {0.05 * i, 0.05 * j, bent ? 1e-3 * i * i : 0.0};
                x = quat_rotate(turn, x);
                vertices[j * (SIDE + 1) + i] =
                    (vec3){(double)(float)x.x, (double)(float)x.y, (double)(float)x.z};
            }
        for (int j = 0; j < SIDE; j++)
            for (int i = 0; i < SIDE; i++) {
                int a = j * (SIDE + 1) + i, b = a + 1, c = a + SIDE + 2, d = a + SIDE + 1;
                const int pair[2][3] = {{a, b, c}, {a, c, d}};
                memcpy(triangles[count], pair, sizeof pair);
                count += 2;
            }
        geo_shape *shape =
            mesh_of(vertices, (SIDE + 1) * (SIDE + 1), (const int(*)[3])triangles, count);
        assert_int_equal(faces_of(&shape->mesh), bent ? SIDE : 1);
        geo_shape_destroy(shape);
    }
}

static bool count_visit(void *context, int item)
{
    int *times = context;
    times[item]++;
    return true;
}

static void bounds_and_hierarchy_cover_the_triangles(void **state)
{
    (void)state;
    geo_shape *shape = mesh_of(cube_vertices, 8, cube_faces, 12);
    base_rng rng = base_rng_make(1);
    for (int repeat = 0; repeat < 100; repeat++) {
        vec3 axis = {base_rng_unit(&rng), base_rng_unit(&rng), base_rng_unit(&rng)};
        pose place = {axis, base_quat_from_rotation_vector(vec3_scale(5.0, axis))};
        geo_bounds b = geo_shape_bounds(shape, &place), want = {place.position, place.position};
        for (int i = 0; i < 8; i++) {
            vec3 p = pose_apply(&place, cube_vertices[i]);
            want = geo_bounds_merge(want, (geo_bounds){p, p});
        }
        check_at_most(vec3_distance(b.low, want.low), 1e-14);
        check_at_most(vec3_distance(b.high, want.high), 1e-14);
    }
    int times[12] = {0};
    const vec3 corner = {1.0, 2.0, 3.0};
    geo_bvh_query(shape->mesh.bvh, (geo_bounds){corner, corner}, count_visit, times);
    for (int t = 0; t < 12; t++) {
        vec3 high = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; k++)
            high = vec3_max(high, cube_vertices[cube_faces[t][k]]);
        assert_int_equal(times[t], high.x == 1.0 && high.y == 2.0 && high.z == 3.0);
    }
    geo_shape_destroy(shape);
}

static void expect_refusal(const vec3 *vertices, int vertex_count, const int (*triangles)[3],
                           int triangle_count, const char *words)
{
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    geo_shape *shape = NULL;
    cairn_error error = {0};
    assert_int_equal(geo_mesh_create(&allocator, vertices, vertex_count, triangles, triangle_count,
                                     &shape, &error),
                     CAIRN_ERROR_ARGUMENT);
    assert_null(shape);
    assert_int_equal(counter.live, 0);
    assert_non_null(strstr(error.message, words));
}

static void bad_meshes_are_refused(void **state)
{
    (void)state;
    expect_refusal(cube_vertices, 8, cube_faces, 0, "at least 3 vertices");
    expect_refusal(cube_vertices, 2, cube_faces, 1, "at least 3 vertices");
    expect_refusal(cube_vertices, 7, cube_faces, 12, "triangle 4 of a mesh names vertex 8 of 7");
    int bad[2][3] = {{0, 1, 2}, {0, 3, 3}};
    expect_refusal(cube_vertices, 8, (const int(*)[3])bad, 2, "triangle 2 of a mesh");
    bad[1][2] = -1;
    expect_refusal(cube_vertices, 8, (const int(*)[3])bad, 2, "names vertex 0 of 8");
    vec3 vertices[8];
    memcpy(vertices, cube_vertices, sizeof vertices);
    vertices[6].z = NAN;
    expect_refusal(vertices, 8, cube_faces, 12, "vertex 7");
    vertices[6].z = 1e150;
    expect_refusal(vertices, 8, cube_faces, 12, "from the mesh's origin");
    for (int i = 0; i < 8; i++)
        vertices[i] = vec3_scale(1e-60, cube_vertices[i]);
    expect_refusal(vertices, 8, cube_faces, 12, "must reach 1e-50 m");
}

static void memory_failures_leave_nothing(void **state)
{
    (void)state;
    cairn_status status = CAIRN_ERROR_MEMORY;
    for (long fail_at = 1; status != CAIRN_OK; fail_at++) {
        base_counting_allocator counter = {.fail_at = fail_at};
        base_allocator allocator = base_allocator_counting(&counter);
        geo_shape *shape = NULL;
        status = geo_mesh_create(&allocator, cube_vertices, 8, cube_faces, 12, &shape, NULL);
        assert_true(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        geo_shape_destroy(shape);
        assert_int_equal(counter.live, 0);
        assert_true(fail_at < 30);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_mesh_has_mass),
        cmocka_unit_test(inward_mesh_is_turned_over),
        cmocka_unit_test(open_mesh_has_none),
        cmocka_unit_test(sheet_has_area_and_moments),
        cmocka_unit_test(shells_are_turned_outwards),
        cmocka_unit_test(edge_of_three_triangles_is_a_border),
        cmocka_unit_test(bounds_and_hierarchy_cover_the_triangles),
        cmocka_unit_test(flat_parts_are_faces),
        cmocka_unit_test(folded_triangles_are_two_faces),
        cmocka_unit_test(faces_of_files_and_tubes),
        cmocka_unit_test(bad_meshes_are_refused),
        cmocka_unit_test(memory_failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
