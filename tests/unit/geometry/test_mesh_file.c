// SPDX-License-Identifier: Apache-2.0
// Mesh files: good ones, every error, hostile bytes.
#include "geometry/mesh/mesh_file.h"
#include "geometry/seams/weld.h"
#include "geometry/shape/shape.h"
#include "tests/check.h"

#include "base/rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static geo_mesh_data parse(const char *name, const char *bytes, size_t size, double scale)
{
    base_allocator allocator = base_allocator_default();
    geo_mesh_data data = {0};
    cairn_error error = {0};
    if (geo_mesh_file_parse(&allocator, name, bytes, size, scale, &data, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    return data;
}

static void release(geo_mesh_data *data)
{
    base_allocator allocator = base_allocator_default();
    geo_mesh_data_release(&allocator, data);
}

static void expect_error(const char *name, const char *bytes, size_t size, cairn_status status,
                         const char *words)
{
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    geo_mesh_data data = {0};
    cairn_error error = {0};
    assert_int_equal(geo_mesh_file_parse(&allocator, name, bytes, size, 1.0, &data, &error),
                     status);
    if (strstr(error.message, words) == NULL)
        print_error("%s\n", error.message);
    assert_non_null(strstr(error.message, words));
    assert_null(data.vertices);
    assert_null(data.triangles);
    assert_int_equal(counter.live, 0);
}

static void expect_text_error(const char *name, const char *text, const char *words)
{
    expect_error(name, text, strlen(text), CAIRN_ERROR_FORMAT, words);
}

static void check_triangle(const geo_mesh_data *data, int t, int a, int b, int c)
{
    assert_int_equal(data->triangles[t][0], a);
    assert_int_equal(data->triangles[t][1], b);
    assert_int_equal(data->triangles[t][2], c);
}

static void obj_of_all_forms(void **state)
{
    (void)state;
    const char text[] = "# a comment\r\nmtllib x.mtl\no thing\n"
                        "v 0 0 0\nv 1.5 0 0 1.0\r\nv\t1 1e0 0 0.1 0.2 0.3\n  v 0 1 -2.5e-1\n"
                        "vt 0 0\nvn 0 0 1\ns off\nusemtl m\n"
                        "f 1 2 3\nf 1/1 2/1 3/1 4/1\nf 1//1 2//1 3//1\nf 1/1/1 2/1/1 \\\n 3/1/1\n"
                        "f -4 -3 -2\nf 1 2 2\nv 9 9 9\nf -1 1 2";
    geo_mesh_data data = parse("Thing.OBJ", text, sizeof text - 1, 2.0);
    assert_int_equal(data.vertex_count, 5);
    assert_true(data.vertices[1].x == 3.0 && data.vertices[2].y == 2.0);
    assert_true(data.vertices[3].z == -0.5);
    assert_int_equal(data.triangle_count, 7);
    check_triangle(&data, 0, 0, 1, 2);
    check_triangle(&data, 1, 0, 1, 2);
    check_triangle(&data, 2, 0, 2, 3);
    check_triangle(&data, 5, 0, 1, 2);
    check_triangle(&data, 6, 4, 0, 1);
    release(&data);
    // points alone can make a hull
    data = parse("points.obj", "v 1 2 3\nv 4 5 6\n", 16, 1.0);
    assert_int_equal(data.vertex_count, 2);
    assert_int_equal(data.triangle_count, 0);
    release(&data);
}

static void put_single(char *at, double value)
{
    float single = (float)value;
    memcpy(at, &single, sizeof single);
}

// a strip of triangles as binary STL; the caller frees
static char *binary_strip(int triangles, const char *header, size_t *size)
{
    *size = 84 + 50 * (size_t)triangles;
    char *bytes = calloc(*size, 1);
    assert_non_null(bytes);
    memcpy(bytes, header, strlen(header));
    uint32_t count = (uint32_t)triangles;
    memcpy(bytes + 80, &count, 4);
    for (int t = 0; t < triangles; t++)
        for (int k = 0; k < 3; k++) {
            char *at = bytes + 84 + 50 * t + 12 + 12 * k;
            put_single(at, 0.1 * (t + k));
            put_single(at + 4, (t + k) % 2);
            put_single(at + 8, (t + k) % 2 ? 0.0 : -0.0);
        }
    return bytes;
}

/// Twice the area of a polygon in the plane z = 0.
static double area_of(const double (*x)[2], int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++) {
        const double *a = x[i], *b = x[(i + 1) % count];
        sum += a[0] * b[1] - a[1] * b[0];
    }
    return sum;
}

/// The sides of a polygon cross the ray from a point along x an odd number of times.
static bool is_inside(const double (*x)[2], int count, double px, double py)
{
    bool inside = false;
    for (int i = 0; i < count; i++) {
        const double *a = x[i], *b = x[(i + 1) % count];
        if ((a[1] > py) != (b[1] > py) && px < a[0] + (py - a[1]) / (b[1] - a[1]) * (b[0] - a[0]))
            inside = !inside;
    }
    return inside;
}

/// One face of an OBJ file, placed anyhow, gives triangles of its sense within it that have its
/// area together.
static void check_face(const double (*x)[2], int count, base_rng *rng)
{
    char text[20000];
    int at = 0;
    quat turn = base_quat_from_rotation_vector(
        vec3_scale(3.0, (vec3){base_rng_unit(rng), base_rng_unit(rng), base_rng_unit(rng)}));
    // a vertex that no face has, far off
    at += sprintf(text + at, "v 1e6 1e6 1e6\n");
    for (int i = 0; i < count; i++) {
        vec3 p = quat_rotate(turn, (vec3){x[i][0], x[i][1], 0.0});
        at += sprintf(text + at, "v %.17g %.17g %.17g\n", p.x, p.y, p.z);
    }
    at += sprintf(text + at, "f");
    for (int i = 0; i < count; i++)
        at += sprintf(text + at, " %d", i + 2);
    geo_mesh_data data = parse("a.obj", text, (size_t)at, 1.0);
    double sum = 0.0, whole = area_of(x, count);
    for (int t = 0; t < data.triangle_count; t++) {
        double c[3][2], middle[2] = {0.0, 0.0};
        for (int k = 0; k < 3; k++) {
            vec3 p = quat_rotate_inverse(turn, data.vertices[data.triangles[t][k]]);
            c[k][0] = p.x;
            c[k][1] = p.y;
            middle[0] += p.x / 3.0;
            middle[1] += p.y / 3.0;
        }
        double area = area_of((const double(*)[2])c, 3);
        assert_true(area * whole > 0.0);
        assert_true(is_inside(x, count, middle[0], middle[1]));
        sum += area;
    }
    check_close(sum, whole, 1e-12, 0.0);
    assert_true(data.vertex_count <= count);
    assert_int_equal(data.left_out, 0);
    release(&data);
}

static void concave_faces_are_cut_by_ears(void **state)
{
    (void)state;
    static const double shapes[][14][2] = {
        {{0, 0}, {4, 0}, {4, 2}, {3, 2}, {2, 0.5}, {1, 2}, {0, 2}}, // notch
        {{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}},           // angle
        {{0, 0}, {1, 0}, {2, 0}, {2, 2}, {0, 2}},                   // on a side
        {{0, 0}, {2, 0}, {2, 2}, {1, 2}, {0, 2}, {0, 1}},           // on two
        {{0, 0},
         {7, 0},
         {7, 3},
         {6, 3},
         {6, 1},
         {4, 1},
         {4, 3},
         {3, 3},
         {3, 1},
         {1, 1},
         {1, 3},
         {0, 3}},
        {{0, 0},
         {5, 0},
         {5, 5},
         {1, 5},
         {1, 2},
         {3, 2},
         {3, 3},
         {2, 3},
         {2, 4},
         {4, 4},
         {4, 1},
         {0, 1}},
        {{0, 0}, {4, 0}, {4, 4}, {0, 4}, {0, 0}, {1, 1}, {1, 3}, {3, 3}, {3, 1}, {1, 1}}, // a hole
        {{0, 0}, {1, 2}, {2, 0}, {1, 0.5}},                                               // dart
    };
    static const int counts[] = {7, 6, 5, 6, 12, 12, 10, 4};
    base_rng rng = base_rng_make(3);
    for (int repeat = 0; repeat < 2000; repeat++) {
        double x[40][2];
        int which = repeat % 16, count = which < 8 ? counts[which] : 3 + base_rng_index(&rng, 38);
        for (int i = 0; i < count; i++) {
            double angle = 2.0 * M_PI * (i + 0.6 * base_rng_unit(&rng)) / count;
            double r = base_rng_range(&rng, 0.1, 1.0);
            x[i][0] = which < 8 ? shapes[which][i][0] : r * cos(angle);
            x[i][1] = which < 8 ? shapes[which][i][1] : r * sin(angle);
        }
        // from any corner on, in either sense
        int first = base_rng_index(&rng, count), step = repeat % 3 == 0 ? count - 1 : 1;
        double y[40][2];
        for (int i = 0; i < count; i++)
            memcpy(y[i], x[(first + i * step) % count], sizeof y[i]);
        check_face((const double(*)[2])y, count, &rng);
    }
    expect_text_error("a.obj", "v 0 0 0\nv 1 1 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 4\n",
                      "a.obj:5: a face of 4 corners crosses itself");
}

static void triangles_without_area_are_counted(void **state)
{
    (void)state;
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nv 1 1e-14 0\nv 7 7 7\n"
                               "f 1 2 3\nf 1 2 4\nf 1 4 5\nf 1 1 3\nf 2 4 3\nf 1 2 4 5\n";
    geo_mesh_data data = parse("a.obj", text, sizeof text - 1, 1.0);
    assert_int_equal(data.triangle_count, 2);
    assert_int_equal(data.vertex_count, 4);
    assert_int_equal(data.left_out, 5);
    assert_int_equal(data.first_left_out, 8);
    assert_false(data.binary);
    release(&data);
    size_t size;
    char *bytes = binary_strip(10, "", &size);
    for (int k = 0; k < 3; k++) // the sixth is all one point
        memcpy(bytes + 84 + 50 * 5 + 12 + 12 * k, bytes + 84 + 50 * 5 + 12, 12);
    data = parse("a.stl", bytes, size, 1.0);
    assert_int_equal(data.triangle_count, 9);
    assert_int_equal(data.left_out, 1);
    assert_int_equal(data.first_left_out, 6);
    assert_true(data.binary);
    release(&data);
    free(bytes);
}

/// A closed box whose sides are cut, at random places, by corners that slivers hold: left out, it
/// is as closed as before once it is welded.
static void surfaces_close_without_slivers(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    base_rng rng = base_rng_make(9);
    static const int box[12][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5},
                                   {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                   {4, 5, 7}, {4, 7, 6}, {0, 2, 3}, {0, 3, 1}};
    for (int repeat = 0; repeat < 300; repeat++) {
        enum { MOST = 60 };
        vec3 vertices[MOST];
        int triangles[MOST][3], count = 12, corners = 8, slivers = 0;
        for (int i = 0; i < 8; i++)
            vertices[i] = (vec3){i & 1, i & 2 ? 2.0 : 0.0, i & 4 ? 4.0 : 0.0};
        memcpy(triangles, box, sizeof box);
        for (int n = 1 + base_rng_index(&rng, 6); n > 0; n--) {
            // one triangle is cut at a place of a side, its neighbour is not
            int t = base_rng_index(&rng, count), k = base_rng_index(&rng, 3), *v = triangles[t];
            int a = v[k], b = v[(k + 1) % 3], c = v[(k + 2) % 3], m = corners;
            double s = base_rng_range(&rng, 0.1, 0.9);
            vec3 side = vec3_sub(vertices[b], vertices[a]);
            vec3 other = vec3_sub(vertices[c], vertices[a]);
            if (!(vec3_norm(vec3_cross(side, other)) > 1e-3))
                continue; // a sliver itself
            vertices[corners++] = vec3_add_scaled(vertices[a], s, side);
            memcpy(v, (int[]){a, m, c}, sizeof triangles[0]);
            memcpy(triangles[count++], (int[]){m, b, c}, sizeof triangles[0]);
            memcpy(triangles[count++], (int[]){a, b, m}, sizeof triangles[0]);
            slivers++;
        }
        char text[8000];
        int at = 0;
        for (int i = 0; i < corners; i++)
            at += sprintf(text + at, "v %.17g %.17g %.17g\n", vertices[i].x, vertices[i].y,
                          vertices[i].z);
        for (int t = 0; t < count; t++)
            at += sprintf(text + at, "f %d %d %d\n", triangles[t][0] + 1, triangles[t][1] + 1,
                          triangles[t][2] + 1);
        geo_mesh_data data = parse("a.obj", text, (size_t)at, 1.0);
        assert_int_equal(data.left_out, slivers);
        double weld = repeat % 2 == 0 ? -1.0 : 0.0;
        assert_int_equal(geo_mesh_weld(&allocator, weld, &data), CAIRN_OK);
        assert_int_equal(data.triangle_count, 12 + 2 * slivers);
        geo_shape *shape = NULL;
        assert_int_equal(geo_mesh_create(&allocator, data.vertices, data.vertex_count,
                                         (const int(*)[3])data.triangles, data.triangle_count,
                                         &shape, NULL),
                         CAIRN_OK);
        check_close(geo_shape_mass(shape).volume, 8.0, 1e-12, 0.0);
        assert_int_equal(geo_mesh_fill(shape, NULL), CAIRN_OK);
        geo_shape_destroy(shape);
        release(&data);
    }
}

static void obj_errors_name_the_line(void **state)
{
    (void)state;
    expect_text_error("a.obj", "", "holds no vertices");
    expect_text_error("a.obj", "\n\nv 1 2\n", "a.obj:3: a coordinate is missing");
    expect_text_error("a.obj", "v 1 2 x3\n", "a.obj:1: \"x3\" is not a number");
    expect_text_error("a.obj", "v 1 2 3,5\n", "\"3,5\" is not a number");
    expect_text_error("a.obj", "v 1 nan 3\n", "must be finite");
    expect_text_error("a.obj", "v 1 1e999 3\n", "must be finite");
    expect_text_error("a.obj", "v 0 0 0\nf 1 1\n", "a.obj:2: a face of 2 corners");
    expect_text_error("a.obj", "v 0 0 0\nf 1 1 2\n", "vertex 2 is not among the 1 vertices");
    expect_text_error("a.obj", "v 0 0 0\nf 1 1 -2\n", "vertex -2 is not among");
    expect_text_error("a.obj", "v 0 0 0\nf 1 1 0\n", "\"0\" is not a vertex number");
    expect_text_error("a.obj", "v 0 0 0\nf 1 1 a\n", "\"a\" is not a vertex number");
    expect_text_error("a.obj", "v 0 0 0\nf 1 1 99999999999999999999999\n", "is not among");
    expect_text_error("a.obj", "v 0 0 0\nf 1 1 -99999999999999999999999\n", "is not among");
    expect_text_error("a.ply", "v 0 0 0\n", "must end in .obj or .stl");
    expect_text_error("obj", "v 0 0 0\n", "must end in .obj or .stl");
    char wide[2000];
    memset(wide, '1', sizeof wide);
    memcpy(wide, "v ", 2);
    expect_error("a.obj", wide, sizeof wide, CAIRN_ERROR_FORMAT, "is not a number");
}

static void scale_must_be_positive(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    const double scales[] = {0.0, -1.0, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        geo_mesh_data data;
        cairn_error error = {0};
        assert_int_equal(
            geo_mesh_file_parse(&allocator, "a.obj", "v 1 1 1", 7, scales[i], &data, &error),
            CAIRN_ERROR_ARGUMENT);
        assert_non_null(strstr(error.message, "scale = "));
    }
}

static const char stl_text[] =
    "solid two words\n"
    " facet normal 0 0 nan\n  outer loop\n"
    "   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 1 0\n  endloop\n endfacet\n"
    " FACET NORMAL 0 0 1 OUTER LOOP VERTEX 1 0 -0 VERTEX 1 1e0 0 VERTEX 0 1 0 ENDLOOP ENDFACET\n"
    " facet normal 0 0 1 outer loop vertex 5 5 5 vertex 5 5 5 vertex 0 1 0 endloop endfacet\n"
    "endsolid two words\nsolid\nendsolid\n";

static void stl_text_merges_vertices(void **state)
{
    (void)state;
    geo_mesh_data data = parse("a.stl", stl_text, sizeof stl_text - 1, 1.0);
    assert_int_equal(data.vertex_count, 4);
    assert_int_equal(data.triangle_count, 2);
    assert_int_equal(data.left_out, 1);
    assert_int_equal(data.first_left_out, 10);
    check_triangle(&data, 0, 0, 1, 2);
    check_triangle(&data, 1, 1, 3, 2);
    release(&data);
}

static void stl_binary_even_if_it_says_solid(void **state)
{
    (void)state;
    const char *headers[] = {"", "solid of a CAD program", "facet"};
    for (int h = 0; h < 3; h++) {
        size_t size;
        char *bytes = binary_strip(5000, headers[h], &size);
        geo_mesh_data data = parse("a.STL", bytes, size, 10.0);
        assert_int_equal(data.vertex_count, 5002);
        assert_int_equal(data.triangle_count, 5000);
        for (int t = 0; t < 5000; t++)
            check_triangle(&data, t, t, t + 1, t + 2);
        assert_true(data.vertices[7].x == 10.0 * (double)(float)(0.1 * 7));
        release(&data);
        free(bytes);
    }
}

static void stl_errors(void **state)
{
    (void)state;
    expect_text_error("a.stl", "", "byte 0: the file ends within the header");
    expect_text_error("a.stl", "solid x\n", "a.stl:2: the file ends where \"endsolid\"");
    expect_text_error("a.stl", "solid x\nvertex", "\"vertex\" stands where \"facet\" or");
    expect_text_error("a.stl", "solid x\nendsolid\nfacet", "\"facet\" stands where \"solid\"");
    expect_text_error("a.stl", "solid x\nendsolid\n", "holds no vertices");
    expect_text_error("a.stl", "solid x\nfacet normal 0 0 1\nouter space", "a.stl:3: \"space\"");
    expect_text_error("a.stl", "solid x\nfacet normal 0 0\n", "a.stl:2: a coordinate is missing");
    expect_text_error("a.stl",
                      "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\nvertex 0 0 inf",
                      "a.stl:5: coordinate inf");
    expect_text_error("a.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\nvertex 0 0 1",
                      "a.stl:4: a coordinate is missing");
    size_t size;
    char *bytes = binary_strip(10, "", &size);
    expect_error("a.stl", bytes, size - 1, CAIRN_ERROR_FORMAT, "10 triangles need 584 bytes");
    expect_error("a.stl", bytes, 83, CAIRN_ERROR_FORMAT, "within the header");
    put_single(bytes + 84 + 50 * 3 + 12, NAN);
    expect_error("a.stl", bytes, size, CAIRN_ERROR_FORMAT, "byte 246: coordinate");
    memset(bytes + 80, 0xff, 4);
    expect_error("a.stl", bytes, size, CAIRN_ERROR_FORMAT, "4294967295 triangles need");
    free(bytes);
}

// damaged files give an error or a mesh whose indices are in range, never a crash
static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    base_rng rng = base_rng_make(1);
    const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf -1/2 -2//3 -3/4/5 1\n";
    size_t strip_size;
    char *strip = binary_strip(20, "solid", &strip_size);
    const char *sources[] = {obj, stl_text, strip};
    const size_t sizes[] = {sizeof obj - 1, sizeof stl_text - 1, strip_size};
    const char *names[] = {"a.obj", "a.stl", "a.stl"};
    for (int repeat = 0; repeat < 30000; repeat++) {
        char bytes[2048];
        int which = repeat % 3;
        size_t size = sizes[which];
        memcpy(bytes, sources[which], size);
        if (repeat % 2)
            size = (size_t)base_rng_index(&rng, (int)size + 1);
        for (int k = base_rng_index(&rng, 6); k > 0 && size > 0; k--) {
            int at = base_rng_index(&rng, (int)size);
            bytes[at] =
                k % 2 ? "0123456789-./ \n\\e"[base_rng_index(&rng, 17)] : (char)base_rng_next(&rng);
        }
        // an exact copy on the heap lets the sanitizer see reads behind the end
        char *copy = malloc(size > 0 ? size : 1);
        assert_non_null(copy);
        memcpy(copy, bytes, size);
        geo_mesh_data data = {0};
        cairn_error error = {0};
        cairn_status status =
            geo_mesh_file_parse(&allocator, names[which], copy, size, 1.0, &data, &error);
        free(copy);
        if (status != CAIRN_OK)
            assert_true(error.message[0] != '\0');
        for (int t = 0; t < data.triangle_count; t++)
            for (int k = 0; k < 3; k++)
                assert_in_range(data.triangles[t][k], 0, data.vertex_count - 1);
        for (int i = 0; i < data.vertex_count; i++)
            assert_true(vec3_is_finite(data.vertices[i]));
        geo_mesh_data_release(&allocator, &data);
        assert_int_equal(counter.live, 0);
    }
    free(strip);
}

static void memory_failures_leave_nothing(void **state)
{
    (void)state;
    cairn_status status = CAIRN_ERROR_MEMORY;
    size_t size;
    char *bytes = binary_strip(300, "", &size);
    for (long fail_at = 1; status != CAIRN_OK; fail_at++) {
        base_counting_allocator counter = {.fail_at = fail_at};
        base_allocator allocator = base_allocator_counting(&counter);
        geo_mesh_data data = {0};
        status = geo_mesh_file_parse(&allocator, "a.stl", bytes, size, 1.0, &data, NULL);
        assert_true(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        geo_mesh_data_release(&allocator, &data);
        assert_int_equal(counter.live, 0);
        assert_true(fail_at < 60);
    }
    free(bytes);
}

static void files_are_read_from_disk(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    char path[] = "/tmp/cairn-mesh-XXXXXX.obj";
    int descriptor = mkstemps(path, 4);
    assert_true(descriptor >= 0);
    FILE *stream = fdopen(descriptor, "w");
    assert_non_null(stream);
    // more than one block of the reader; numbers that come back bit by bit
    base_rng rng = base_rng_make(2);
    enum { COUNT = 4000 };
    static vec3 points[COUNT];
    for (int i = 0; i < COUNT; i++) {
        points[i] = (vec3){base_rng_range(&rng, -1e3, 1e3), base_rng_unit(&rng) * 1e-9,
                           base_rng_range(&rng, -1.0, 1.0)};
        fprintf(stream, "v %.17g %.17g %.17g\n", points[i].x, points[i].y, points[i].z);
    }
    for (int i = 3; i <= COUNT; i++)
        fprintf(stream, "f %d %d %d\n", i - 2, i - 1, i);
    fclose(stream);
    geo_mesh_data data = {0};
    cairn_error error = {0};
    assert_int_equal(geo_mesh_file_read(&allocator, path, 1.0, &data, &error), CAIRN_OK);
    assert_int_equal(data.vertex_count, COUNT);
    assert_memory_equal(data.vertices, points, sizeof points);
    check_triangle(&data, COUNT - 3, COUNT - 3, COUNT - 2, COUNT - 1);
    geo_mesh_data_release(&allocator, &data);
    unlink(path);
    assert_int_equal(geo_mesh_file_read(&allocator, path, 1.0, &data, &error), CAIRN_ERROR_FILE);
    assert_non_null(strstr(error.message, path));
    assert_int_equal(geo_mesh_file_read(&allocator, "/", 1.0, &data, &error), CAIRN_ERROR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_of_all_forms),
        cmocka_unit_test(concave_faces_are_cut_by_ears),
        cmocka_unit_test(triangles_without_area_are_counted),
        cmocka_unit_test(surfaces_close_without_slivers),
        cmocka_unit_test(obj_errors_name_the_line),
        cmocka_unit_test(scale_must_be_positive),
        cmocka_unit_test(stl_text_merges_vertices),
        cmocka_unit_test(stl_binary_even_if_it_says_solid),
        cmocka_unit_test(stl_errors),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(memory_failures_leave_nothing),
        cmocka_unit_test(files_are_read_from_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
