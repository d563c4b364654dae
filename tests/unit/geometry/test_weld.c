// SPDX-License-Identifier: Apache-2.0
// Welding: what triangles name, and what area they have, after it.
#include "geometry/seams/weld.h"
#include "tests/check.h"

#include <string.h>

static const base_allocator *heap(void)
{
    static base_allocator allocator;
    allocator = base_allocator_default();
    return &allocator;
}

static geo_mesh_data make(vec3 *vertices, int vertex_count, const int (*triangles)[3], int count)
{
    geo_mesh_data data = {
        .vertices = vertices, .vertex_count = vertex_count, .triangle_count = count};
    data.triangles = base_allocate(heap(), (size_t)count, sizeof *data.triangles);
    memcpy(data.triangles, triangles, (size_t)count * sizeof *triangles);
    return data;
}

static double area_of(const geo_mesh_data *data)
{
    double area = 0.0;
    for (int t = 0; t < data->triangle_count; t++) {
        vec3 x[3];
        for (int k = 0; k < 3; k++)
            x[k] = data->vertices[data->triangles[t][k]];
        area += 0.5 * vec3_norm(vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0])));
    }
    return area;
}

/// Sides that one triangle alone has.
static int border_count(const geo_mesh_data *data)
{
    int count = 0;
    for (int i = 0; i < 3 * data->triangle_count; i++) {
        int v = data->triangles[i / 3][i % 3], w = data->triangles[i / 3][(i + 1) % 3], uses = 0;
        for (int j = 0; j < 3 * data->triangle_count; j++) {
            int p = data->triangles[j / 3][j % 3], q = data->triangles[j / 3][(j + 1) % 3];
            uses += (p == v && q == w) || (p == w && q == v);
        }
        count += uses == 1;
    }
    return count;
}

static void vertices_within_the_length_are_one(void **state)
{
    (void)state;
    static const struct {
        double apart, length;
        int borders;
    } cases[] = {{0.0, 0.0, 4},   {1e-7, 0.0, 6},  {1e-7, 1e-6, 4},
                 {1e-5, 1e-6, 6}, {1e-7, -1.0, 4}, {1e-5, -1.0, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double a = cases[i].apart;
        vec3 vertices[6] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, a}, {1, 1, a}, {0, 1, 0}};
        const int triangles[2][3] = {{0, 1, 2}, {3, 4, 5}};
        geo_mesh_data data = make(vertices, 6, triangles, 2);
        assert_int_equal(geo_mesh_weld(heap(), cases[i].length, &data), CAIRN_OK);
        assert_int_equal(data.triangle_count, 2);
        assert_int_equal(border_count(&data), cases[i].borders);
        base_release(heap(), data.triangles);
    }
}

/// A square of two triangles beside a strip of many, for several windings of its triangles.
static void sides_with_vertices_on_them_are_split(void **state)
{
    (void)state;
    enum { N = 7 };
    for (int turn = 0; turn < 2; turn++) {
        vec3 vertices[4 + 2 * N];
        int triangles[2 + 2 * (N - 1)][3] = {{0, 1, 2}, {0, 2, 3}}, count = 2;
        const vec3 corners[4] = {{-1, 0, 0}, {0, 0, 0}, {0, 1, 0}, {-1, 1, 0}};
        memcpy(vertices, corners, sizeof corners);
        for (int i = 0; i < N; i++) {
            vertices[4 + i] = (vec3){0.0, (double)i / (N - 1), 0.0};
            vertices[4 + N + i] = (vec3){1.0, (double)i / (N - 1), 0.0};
        }
        for (int i = 0; i < N - 1; i++) {
            int a = 4 + i, b = 4 + N + i;
            const int first[3] = {a, b, b + 1}, second[3] = {a, b + 1, a + 1};
            const int back[3] = {a, a + 1, b + 1};
            memcpy(triangles[count++], first, sizeof first);
            memcpy(triangles[count++], turn ? back : second, sizeof second);
        }
        geo_mesh_data data = make(vertices, 4 + 2 * N, (const int(*)[3])triangles, count);
        assert_int_equal(border_count(&data), 4 + 2 * N);
        assert_int_equal(geo_mesh_weld(heap(), -1.0, &data), CAIRN_OK);
        // the side of the square is of N - 1 parts
        assert_int_equal(data.triangle_count, count + N - 2);
        assert_int_equal(border_count(&data), N + 4);
        check_close(area_of(&data), 2.0, 1e-12, 0.0);
        // nothing is left to weld
        int again = data.triangle_count;
        assert_int_equal(geo_mesh_weld(heap(), -1.0, &data), CAIRN_OK);
        assert_int_equal(data.triangle_count, again);
        base_release(heap(), data.triangles);
    }
}

/// All three sides of one triangle have vertices on them.
static void a_triangle_is_split_on_every_side(void **state)
{
    (void)state;
    vec3 vertices[] = {{0, 0, 0}, {3, 0, 0}, {0, 3, 0}, {1, 0, 0},    {2, 0, 0},    {0, 1, 0},
                       {0, 2, 0}, {2, 1, 0}, {1, 2, 0}, {1.5, -1, 0}, {-1, 1.5, 0}, {3, 3, 0}};
    const int triangles[][3] = {{0, 1, 2},  {0, 3, 9},  {3, 4, 9},  {4, 1, 9},  {2, 6, 10},
                                {6, 5, 10}, {5, 0, 10}, {1, 7, 11}, {7, 8, 11}, {8, 2, 11}};
    geo_mesh_data data = make(vertices, 12, triangles, 10);
    double area = area_of(&data);
    assert_int_equal(geo_mesh_weld(heap(), 0.0, &data), CAIRN_OK);
    assert_int_equal(data.triangle_count, 10 + 6);
    assert_int_equal(border_count(&data), 6);
    check_close(area_of(&data), area, 1e-12, 0.0);
    base_release(heap(), data.triangles);
}

static void triangles_that_vanish_are_dropped(void **state)
{
    (void)state;
    vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1 + 1e-8, 0, 0}};
    const int triangles[][3] = {{0, 1, 2}, {1, 3, 2}, {0, 0, 2}};
    geo_mesh_data data = make(vertices, 4, triangles, 3);
    assert_int_equal(geo_mesh_weld(heap(), -1.0, &data), CAIRN_OK);
    // but one that names a corner twice is left to be refused
    assert_int_equal(data.triangle_count, 2);
    data.triangles[0][0] = 7;
    assert_int_equal(geo_mesh_weld(heap(), -1.0, &data), CAIRN_ERROR_ARGUMENT);
    base_release(heap(), data.triangles);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_within_the_length_are_one),
        cmocka_unit_test(sides_with_vertices_on_them_are_split),
        cmocka_unit_test(a_triangle_is_split_on_every_side),
        cmocka_unit_test(triangles_that_vanish_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
