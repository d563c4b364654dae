// SPDX-License-Identifier: Apache-2.0
// Arrays of frames that are made part by part, with ends of blocks and parts everywhere: ParaView
// files read as their format says, chunks by zlib, trajectories by HDF5 alone.
#include "base/rng.h"
#include "engine/files/chunk.h"
#include "engine/files/vtp.h"
#include "tests/check.h"
#include <cairn/cairn.h>

#include <hdf5.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static char folder[64], path[128];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/cairn-frames-XXXXXX");
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *in_folder(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void check(cairn_status status, const cairn_error *error)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error->message);
}

// ---------------------------------------------------------------- ParaView

/// What component k of element i of an array has, by what is shown of it.
static double value_of(int array, size_t i, int k)
{
    // numbers with some disorder, which floats hold exactly
    return (double)((i * 2654435761U + (size_t)(7 * k + array) * 40503U) % 65521U);
}

typedef struct made {
    eng_vtp_type type;
    int components, number;
    size_t from; // added to the index
} made;

static void put(const made *m, size_t i, int k, void *out)
{
    double value = value_of(m->number, i + m->from, k);
    if (m->type == ENG_VTP_FLOAT32)
        *(float *)out = (float)value;
    else if (m->type == ENG_VTP_FLOAT64)
        *(double *)out = value;
    else if (m->type == ENG_VTP_INT32)
        *(int32_t *)out = (int32_t)value;
    else
        *(int64_t *)out = (int64_t)value;
}

static size_t size_of(eng_vtp_type type)
{
    return type == ENG_VTP_FLOAT64 || type == ENG_VTP_INT64 ? 8 : 4;
}

static void fill(const void *source, size_t first, size_t count, void *out)
{
    const made *m = source;
    char *at = out;
    for (size_t i = first; i < first + count; i++)
        for (int k = 0; k < m->components; k++, at += size_of(m->type))
            put(m, i, k, at);
}

static void fill_range(const void *source, size_t first, size_t count, void *out)
{
    for (size_t i = 0; i < count; i++)
        ((int64_t *)out)[i] = (int64_t)(first + i) + *(const int64_t *)source;
}

typedef struct file {
    unsigned char *bytes;
    size_t size, start; // of the appended data
} file;

static file read_file(const char *name)
{
    static const char mark[] = "<AppendedData encoding=\"raw\">\n_",
                      end[] = "\n</AppendedData>\n</VTKFile>\n";
    FILE *stream = fopen(name, "rb");
    assert_non_null(stream);
    file f = {.bytes = malloc((size_t)1 << 26)};
    f.size = fread(f.bytes, 1, ((size_t)1 << 26) - 1, stream);
    fclose(stream);
    f.bytes[f.size] = '\0';
    char *at = strstr((char *)f.bytes, mark);
    assert_non_null(at);
    f.start = (size_t)(at - (char *)f.bytes) + sizeof mark - 1;
    assert_memory_equal(f.bytes + f.size - (sizeof end - 1), end, sizeof end - 1);
    f.size -= sizeof end - 1;
    return f;
}

/// The bytes of an array of the file; the caller frees them. @param end  out, where its blocks end
static unsigned char *inflate_array(const file *f, const char *name, size_t *size, size_t *end)
{
    char what[64];
    uint64_t head[3], deflated;
    unsigned long long offset;
    snprintf(what, sizeof what, "Name=\"%s\"", name);
    const char *at = strstr((const char *)f->bytes, what);
    assert_non_null(at);
    assert_int_equal(sscanf(strstr(at, "offset="), "offset=\"%llu\"", &offset), 1);
    const unsigned char *table = f->bytes + f->start + offset;
    memcpy(head, table, sizeof head);
    const unsigned char *block = table + (3 + head[0]) * 8;
    unsigned char *out = malloc(head[0] * head[1] + 1);
    *size = 0;
    for (size_t i = 0; i < head[0]; i++) {
        uLongf room = head[1];
        memcpy(&deflated, table + (3 + i) * 8, 8);
        assert_int_equal(uncompress(out + *size, &room, block, deflated), Z_OK);
        assert_int_equal(room, i + 1 < head[0] || head[2] == 0 ? head[1] : head[2]);
        *size += room;
        block += deflated;
    }
    *end = (size_t)(block - f->bytes);
    return out;
}

static void check_array(const file *f, const char *name, const made *m, size_t count)
{
    size_t size, end, each = (size_t)m->components * size_of(m->type);
    unsigned char *bytes = inflate_array(f, name, &size, &end);
    assert_int_equal(size, count * each);
    assert_true(end <= f->size);
    unsigned char *expected = malloc(size + 1);
    fill(m, 0, count, expected);
    if (memcmp(bytes, expected, size) != 0)
        fail_msg("%zu elements: array %s differs", count, name);
    free(expected);
    free(bytes);
}

static void check_range(const file *f, const char *name, size_t width, int64_t from, size_t count,
                        bool last)
{
    size_t size, end;
    unsigned char *bytes = inflate_array(f, name, &size, &end);
    assert_int_equal(size, count * width);
    for (size_t i = 0; i < count; i++) {
        int64_t value = 0;
        memcpy(&value, bytes + i * width, width);
        assert_int_equal(value, from + (int64_t)i);
    }
    assert_true(last ? end == f->size : end < f->size);
    free(bytes);
}

static const made points = {ENG_VTP_FLOAT32, 3, 0, 0}, shown[] = {{ENG_VTP_INT32, 1, 1, 0},
                                                                  {ENG_VTP_FLOAT64, 1, 2, 0},
                                                                  {ENG_VTP_FLOAT64, 9, 3, 0},
                                                                  {ENG_VTP_INT64, 2, 4, 0},
                                                                  {ENG_VTP_FLOAT32, 5, 5, 0}};
static const char *const names[] = {"a", "b [m/s]", "c", "d", "e"};
enum { SHOWN = 5 };

/// Writes arrays that are in memory, or made part by part, over points or polygons; reads them.
static void write_and_read(size_t count, bool in_memory, bool polygons)
{
    static const int64_t zero = 0, one = 1;
    cairn_error error = {0};
    eng_vtp_array arrays[SHOWN];
    void *memory[SHOWN] = {NULL};
    for (int i = 0; i < SHOWN; i++) {
        arrays[i] = (eng_vtp_array){
            names[i], shown[i].type, shown[i].components, {.fill = fill, .source = &shown[i]}};
        if (!in_memory)
            continue;
        memory[i] = malloc(count * eng_vtp_element_size(&arrays[i]) + 1);
        fill(&shown[i], 0, count, memory[i]);
        arrays[i].values = (eng_vtp_values){.data = memory[i]};
    }
    eng_vtp data = {.time = 0.5, .point_count = count, .points = {.fill = fill, .source = &points}};
    *(polygons ? &data.cell_arrays : &data.point_arrays) = arrays;
    *(polygons ? &data.cell_array_count : &data.point_array_count) = SHOWN;
    if (polygons) {
        data.polygon_count = data.corner_count = count;
        data.corners = (eng_vtp_values){.fill = fill_range, .source = &zero};
        data.ends = (eng_vtp_values){.fill = fill_range, .source = &one};
    }
    check(eng_vtp_write(in_folder("f.vtp"), &data, &error), &error);
    file f = read_file(path);
    check_array(&f, "points", &points, count);
    for (int i = 0; i < SHOWN; i++)
        check_array(&f, names[i], &shown[i], count);
    check_range(&f, "connectivity", polygons ? 8 : 4, 0, count, false);
    check_range(&f, "offsets", polygons ? 8 : 4, 1, count, true);
    assert_int_equal(remove(path), 0);
    snprintf(path, sizeof path, "%s/f.vtp.part", folder);
    assert_int_not_equal(access(path, F_OK), 0);
    for (int i = 0; i < SHOWN; i++)
        free(memory[i]);
    free(f.bytes);
}

/// A block has 2^18 bytes: those of 2^16 numbers of four bytes, 2^15 of eight.
static void test_blocks(void **state)
{
    (void)state;
    const size_t counts[] = {0, 1, 3640, 21845, 21846, 32768, 65535, 65536, 65537, 131072, 150000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        write_and_read(counts[i], false, false);
        write_and_read(counts[i], i % 2 == 0, counts[i] > 0);
    }
}

static void test_no_place(void **state)
{
    (void)state;
    cairn_error error = {0};
    eng_vtp data = {.points = {.fill = fill, .source = &points}};
    assert_int_equal(eng_vtp_write(in_folder("none/f.vtp"), &data, &error), CAIRN_ERROR_FILE);
    assert_non_null(strstr(error.message, "none/f.vtp"));
}

// ---------------------------------------------------------------- chunks

typedef uint64_t number_function(base_rng *rng, size_t i);

static uint64_t disorder(base_rng *rng, size_t i)
{
    (void)i;
    return base_rng_next(rng);
}

static uint64_t nothing(base_rng *rng, size_t i)
{
    (void)rng;
    (void)i;
    return 0;
}

/// Order first, then none, then order again.
static uint64_t mixture(base_rng *rng, size_t i)
{
    return i / 4096 % 3 == 1 ? base_rng_next(rng) : i;
}

/// Puts a chunk in parts of one size, deflates it and takes it apart again.
static void make_chunk(size_t count, size_t part, number_function *number)
{
    base_rng rng = base_rng_make(count);
    uint64_t *values = malloc(count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = number(&rng, i);
    size_t room = eng_chunk_room(count);
    unsigned char *block = malloc(room), *planes = malloc(count * 8);
    for (size_t first = 0; first < count; first += part)
        eng_chunk_put(block, count, first, count - first < part ? count - first : part,
                      values + first);
    size_t size = eng_chunk_deflate(block, count, 1);
    assert_true(size > 0 && size <= room);
    uLongf inflated = count * 8;
    assert_int_equal(uncompress(planes, &inflated, block, size), Z_OK);
    assert_int_equal(inflated, count * 8);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < 8; k++)
            if (planes[k * count + i] != (unsigned char)(values[i] >> 8 * k))
                fail_msg("value %zu of %zu", i, count);
    free(planes);
    free(block);
    free(values);
}

static void test_chunks(void **state)
{
    (void)state;
    const size_t counts[] = {1, 2, 1000, 8192, 100003, 600000};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        make_chunk(counts[i], 4096, disorder);
        make_chunk(counts[i], 5000, nothing);
        make_chunk(counts[i], counts[i], mixture);
    }
}

// ---------------------------------------------------------------- trajectories

enum { PART = 16384 }; // items that are made at a time

/// Balls in a dense cube, which touch their neighbours.
static cairn_world *make_world(int count)
{
    static const cairn_material_id any = {0};
    enum { ACROSS = 26 };
    cairn_error error = {0};
    cairn_world *world;
    cairn_world_def def = cairn_default_world_def();
    def.time_step = 1e-5;
    check(cairn_world_create(&def, &world, &error), &error);
    check(cairn_pair_set_law(world, any, any, "hooke", &error), &error);
    check(cairn_pair_set_value(world, any, any, "normal_stiffness", cairn_number(1e4), &error),
          &error);
    cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
    ball.radius = 0.005;
    cairn_body_def body = cairn_default_body_def();
    check(cairn_shape_create(world, &ball, &body.shape, &error), &error);
    base_rng rng = base_rng_make(3);
    for (int i = 0; i < count; i++) {
        cairn_body_id id;
        const int cell[3] = {i % ACROSS, i / ACROSS % ACROSS, i / (ACROSS * ACROSS)};
        for (int k = 0; k < 3; k++) {
            body.position[k] = 0.00999 * cell[k];
            body.velocity[k] = base_rng_range(&rng, -0.3, 0.3);
            body.angular_velocity[k] = base_rng_range(&rng, -9.0, 9.0);
        }
        check(cairn_body_create(world, &body, &id, &error), &error);
    }
    return world;
}

static hid_t open_file(const char *name)
{
    hid_t opened = H5Fopen(name, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
    assert_true(opened >= 0);
    return opened;
}

/// All of an array in the file, of eight bytes a number; the caller frees it.
static void *read_all(hid_t from, const char *name, hid_t type, size_t *count)
{
    hid_t set = H5Dopen2(from, name, H5P_DEFAULT), space = H5Dget_space(set);
    assert_true(set >= 0 && space >= 0);
    *count = (size_t)H5Sget_simple_extent_npoints(space);
    void *out = malloc(*count * 8 + 1);
    assert_true(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return out;
}

static double *read_reals(hid_t from, const char *name, size_t *count)
{
    return read_all(from, name, H5T_NATIVE_DOUBLE, count);
}

static int64_t *read_integers(hid_t from, const char *name, size_t *count)
{
    return read_all(from, name, H5T_NATIVE_INT64, count);
}

/// Bodies of a frame, which begin at an item of the arrays, are those of the world.
static void check_bodies(hid_t from, size_t first, const cairn_world *world)
{
    size_t count, bodies = (size_t)cairn_body_count(world);
    double *position = read_reals(from, "position", &count);
    assert_true(count >= 3 * (first + bodies));
    double *orientation = read_reals(from, "orientation_wxyz", &count);
    assert_true(count >= 4 * (first + bodies));
    double *velocity = read_reals(from, "velocity", &count);
    double *omega = read_reals(from, "angular_velocity", &count);
    for (size_t i = 0; i < bodies; i++) {
        cairn_body_view view;
        size_t at = first + i;
        assert_int_equal(cairn_body_get(world, cairn_body_at(world, (int)i), &view), CAIRN_OK);
        assert_memory_equal(position + 3 * at, view.position, sizeof view.position);
        assert_memory_equal(orientation + 4 * at, view.orientation, sizeof view.orientation);
        assert_memory_equal(velocity + 3 * at, view.velocity, sizeof view.velocity);
        assert_memory_equal(omega + 3 * at, view.angular_velocity, sizeof view.angular_velocity);
    }
    free(position);
    free(orientation);
    free(velocity);
    free(omega);
}

/// Numbers of the bodies of a frame lead to their ids.
static void check_numbers(hid_t from, size_t first, const cairn_world *world)
{
    size_t count;
    int64_t *number = read_integers(from, "body", &count);
    assert_true(count >= first + (size_t)cairn_body_count(world));
    int64_t *id = read_integers(from, "body_id", &count);
    double *size = read_reals(from, "body_shape_size", &count);
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_id is = cairn_body_at(world, i);
        const int64_t at = number[first + (size_t)i];
        assert_true(at >= 0 && at < (int64_t)count / 3);
        assert_true(id[2 * at] == is.index && id[2 * at + 1] == is.generation);
        assert_true(size[3 * at] == 0.005 && size[3 * at + 1] == 0.0);
    }
    free(size);
    free(id);
    free(number);
}

static void check_contacts(hid_t from, const cairn_world *world)
{
    size_t count, contacts = (size_t)cairn_contact_count(world);
    assert_true(contacts > 2 * PART);
    int64_t *bodies = read_integers(from, "contact_bodies", &count);
    assert_int_equal(count, 2 * contacts);
    double *force = read_reals(from, "contact_force", &count);
    double *gap = read_reals(from, "contact_gap", &count);
    for (size_t i = 0; i < contacts; i++) {
        cairn_contact_view view;
        assert_int_equal(cairn_contact_get(world, (int)i, &view), CAIRN_OK);
        assert_true(bodies[2 * i] == view.a.index && bodies[2 * i + 1] == view.b.index);
        assert_memory_equal(force + 3 * i, view.force, sizeof view.force);
        assert_true(gap[i] == view.gap);
    }
    free(gap);
    free(force);
    free(bodies);
}

static cairn_trajectory *begin(const char *name, const cairn_world *world, bool varies,
                               int contacts_every)
{
    cairn_error error = {0};
    cairn_trajectory *writer;
    const cairn_trajectory_def def = {.varies = varies, .contacts_every = contacts_every};
    check(cairn_trajectory_create(in_folder(name), world, &def, &writer, &error), &error);
    return writer;
}

static void write_frame(cairn_trajectory *writer, const cairn_world *world)
{
    cairn_error error = {0};
    check(cairn_trajectory_write_frame(writer, world, &error), &error);
}

/// Bodies that stay, a frame before and one after a step; then the file goes on.
static void test_same_bodies(void **state)
{
    (void)state;
    const int counts[] = {1, PART - 1, PART, PART + 1, 2 * PART};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        cairn_error error = {0};
        cairn_world *world = make_world(counts[i]);
        cairn_trajectory *writer = begin("t.h5", world, false, 0);
        write_frame(writer, world);
        check(cairn_world_step(world, &error), &error);
        write_frame(writer, world);
        check(cairn_trajectory_close(writer, &error), &error);
        const cairn_trajectory_def def = {.seed = 1};
        check(cairn_trajectory_resume(path, world, &def, 2, &writer, &error), &error);
        write_frame(writer, world);
        check(cairn_trajectory_close(writer, &error), &error);
        hid_t from = open_file(path);
        check_bodies(from, (size_t)counts[i], world);
        check_bodies(from, 2 * (size_t)counts[i], world);
        H5Fclose(from);
        cairn_world_destroy(world);
        assert_int_equal(remove(path), 0);
    }
}

/// Five bodies go and two come.
static void change_bodies(cairn_world *world)
{
    cairn_error error = {0};
    cairn_body_view view;
    for (int i = 0; i < 5; i++)
        check(cairn_body_remove(world, cairn_body_at(world, 100 * i), &error), &error);
    assert_int_equal(cairn_body_get(world, cairn_body_at(world, 0), &view), CAIRN_OK);
    cairn_body_def body = cairn_default_body_def();
    body.shape = view.shape;
    for (int i = 0; i < 2; i++) {
        cairn_body_id id;
        body.position[0] = -1.0 - i;
        check(cairn_body_create(world, &body, &id, &error), &error);
    }
    check(cairn_world_step(world, &error), &error);
}

static void compare_files(const char *one, const char *other)
{
    static const char *const sets[] = {
        "position",      "velocity",   "body",          "body_id",       "body_shape_size",
        "body_first",    "body_count", "contact_force", "contact_first", "contact_bodies",
        "contact_count", "step",       "time",          "body_known"};
    hid_t files[] = {open_file(in_folder(one)), open_file(in_folder(other))};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        size_t count[2];
        double *values[2];
        for (int k = 0; k < 2; k++)
            values[k] = read_reals(files[k], sets[i], &count[k]);
        assert_int_equal(count[0], count[1]);
        assert_memory_equal(values[0], values[1], count[0] * sizeof(double));
        free(values[0]);
        free(values[1]);
    }
    H5Fclose(files[0]);
    H5Fclose(files[1]);
}

/// Bodies that come and go, with contacts. One writer goes on for all frames; another one ends its
/// file after each, which is looked at, and takes it up again.
static void test_other_bodies(void **state)
{
    (void)state;
    enum { FRAMES = 4 };
    cairn_error error = {0};
    cairn_world *world = make_world(PART + 3);
    cairn_trajectory *lasting = begin("l.h5", world, true, 1), *writer;
    const cairn_trajectory_def def = {.varies = true, .contacts_every = 1};
    check(cairn_world_step(world, &error), &error);
    size_t first = 0;
    for (int frame = 0; frame < FRAMES; frame++) {
        write_frame(lasting, world);
        if (frame == 0)
            writer = begin("t.h5", world, true, 1);
        else
            check(cairn_trajectory_resume(in_folder("t.h5"), world, &def, frame, &writer, &error),
                  &error);
        write_frame(writer, world);
        check(cairn_trajectory_close(writer, &error), &error);
        hid_t from = open_file(path);
        check_bodies(from, first, world);
        check_numbers(from, first, world);
        if (frame == 0)
            check_contacts(from, world);
        H5Fclose(from);
        // frames begin with whole chunks
        first = (first + (size_t)cairn_body_count(world) + 1023) / 1024 * 1024;
        change_bodies(world);
    }
    check(cairn_trajectory_close(lasting, &error), &error);
    compare_files("l.h5", "t.h5");
    cairn_world_destroy(world);
    assert_int_equal(remove(in_folder("l.h5")), 0);
    assert_int_equal(remove(in_folder("t.h5")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),       cmocka_unit_test(test_no_place),
        cmocka_unit_test(test_chunks),       cmocka_unit_test(test_same_bodies),
        cmocka_unit_test(test_other_bodies),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
