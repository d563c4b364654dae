// SPDX-License-Identifier: Apache-2.0
// Damaged and hostile problem files: refused with a message, or read whole; never a crash, never
// a large allocation, never a word from HDF5.
#include "tests/unit/contact/fclib/fclib_fixture.h"

#include <fcntl.h>
#include <hdf5.h>

enum { MUTATIONS = 2400, ALLOCATION_MAX = 64 << 20 };

// damaged files make the HDF5 library forget some of its own memory
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

// an allocator that knows its largest request
typedef struct watch {
    size_t largest;
    long live;
} watch;

static void *watched_reallocate(void *context, void *block, size_t size)
{
    watch *seen = context;
    seen->largest = size > seen->largest ? size : seen->largest;
    if (size == 0) {
        seen->live -= block != NULL;
        free(block);
        return NULL;
    }
    seen->live += block == NULL;
    return realloc(block, size);
}

typedef struct scratch {
    char folder[64];
    char source[96];
    char copy[96];
    int saved_error_stream;
    char log[96];
} scratch;

static void write_source(scratch *s, con_fclib_form form)
{
    fixture *f = fixture_create(7, false);
    cairn_error error;
    con_fclib_info info = {"title", "description", "none"};
    assert_int_equal(con_fclib_write(s->source, form, &f->problem, ROWS_OF(f->R), ROWS_OF(f->R),
                                     NULL, &info, f->arena, &error),
                     CAIRN_OK);
    fixture_destroy(f);
}

static void scratch_create(scratch *s, con_fclib_form form)
{
    scratch_folder(s->folder);
    snprintf(s->source, sizeof s->source, "%s/source", s->folder);
    snprintf(s->copy, sizeof s->copy, "%s/copy", s->folder);
    snprintf(s->log, sizeof s->log, "%s/log", s->folder);
    write_source(s, form);
}

static void scratch_destroy(scratch *s)
{
    unlink(s->source);
    unlink(s->copy);
    unlink(s->log);
    assert_int_equal(rmdir(s->folder), 0);
}

// standard error goes to a file, to see that nothing is written to it
static void capture_begin(scratch *s)
{
    fflush(stderr);
    s->saved_error_stream = dup(STDERR_FILENO);
    int log = open(s->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(log >= 0);
    dup2(log, STDERR_FILENO);
    close(log);
}

static long capture_end(scratch *s)
{
    fflush(stderr);
    dup2(s->saved_error_stream, STDERR_FILENO);
    close(s->saved_error_stream);
    FILE *log = fopen(s->log, "r");
    fseek(log, 0, SEEK_END);
    long size = ftell(log);
    fclose(log);
    return size;
}

static unsigned char *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size);
    assert_true(fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static void store(const char *path, const unsigned char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_true(size == 0 || fwrite(bytes, 1, size, file) == size);
    fclose(file);
}

// reads, converts and describes; the status of the reader
static cairn_status try_file(const char *path, cairn_error *error)
{
    watch seen = {0};
    base_allocator allocator = {watched_reallocate, &seen};
    con_fclib_problem *content = (void *)1;
    *error = (cairn_error){0};
    cairn_status status = con_fclib_read(path, &allocator, &content, error);
    if (status == CAIRN_OK) {
        con_fclib_conversion *conversion = NULL;
        con_fclib_description description;
        cairn_error later;
        base_arena *arena = base_arena_create(&allocator, 1 << 16);
        if (con_fclib_convert(content, &allocator, &conversion, &later) == CAIRN_OK)
            con_fclib_conversion_destroy(conversion);
        if (con_fclib_describe(content, arena, &description, &later) != CAIRN_OK)
            assert_true(later.message[0] != '\0');
        base_arena_destroy(arena);
        con_fclib_problem_destroy(content);
    } else {
        assert_null(content);
        assert_true(status == CAIRN_ERROR_FORMAT || status == CAIRN_ERROR_FILE);
        assert_non_null(strstr(error->message, path));
    }
    assert_int_equal(seen.live, 0);
    assert_true(seen.largest < ALLOCATION_MAX);
    return status;
}

static void check_nothing_open(void)
{
    assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0);
}

static void mutate(scratch *s, uint64_t seed, int count)
{
    size_t size;
    unsigned char *bytes = load(s->source, &size);
    unsigned char *copy = malloc(size);
    base_rng rng = base_rng_make(seed);
    cairn_error error;
    int refused = 0;
    for (int k = 0; k < count; k++) {
        memcpy(copy, bytes, size);
        int flips = 1 + base_rng_index(&rng, 6);
        for (int flip = 0; flip < flips; flip++) {
            size_t at = (size_t)base_rng_index(&rng, (int)size);
            // half of them near the start of the file, where the structure is
            at = flip % 2 == 0 ? at : at % 4096;
            int kind = base_rng_index(&rng, 3);
            copy[at] = (unsigned char)(kind == 0   ? base_rng_index(&rng, 256)
                                       : kind == 1 ? copy[at] ^ (1 << base_rng_index(&rng, 8))
                                                   : 255);
        }
        store(s->copy, copy, size);
        refused += try_file(s->copy, &error) != CAIRN_OK;
    }
    free(bytes);
    free(copy);
    check_nothing_open();
    assert_true(refused > count / 20);
}

static void test_mutations(void **state)
{
    (void)state;
    for (int form = 0; form < 2; form++) {
        scratch s;
        scratch_create(&s, form == 0 ? CON_FCLIB_LOCAL : CON_FCLIB_GLOBAL);
        capture_begin(&s);
        mutate(&s, (uint64_t)(11 + form), MUTATIONS / 2);
        long said = capture_end(&s);
        assert_int_equal(said, 0);
        scratch_destroy(&s);
    }
}

static void test_truncations(void **state)
{
    (void)state;
    scratch s;
    scratch_create(&s, CON_FCLIB_GLOBAL);
    size_t size;
    unsigned char *bytes = load(s.source, &size);
    cairn_error error;
    capture_begin(&s);
    for (size_t length = 0; length < size; length += length < 256 ? 16 : 97) {
        store(s.copy, bytes, length);
        assert_int_equal(try_file(s.copy, &error), CAIRN_ERROR_FORMAT);
    }
    assert_int_equal(capture_end(&s), 0);
    free(bytes);
    scratch_destroy(&s);
    check_nothing_open();
}

static void write_dataset(hid_t group, const char *name, hid_t type, hsize_t count,
                          const void *data)
{
    H5Ldelete(group, name, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (data != NULL)
        assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

// one change to a sound local file
typedef struct damage {
    const char *group;
    const char *name;
    const char *expected; // part of the message; NULL: still a sound file
    enum { REMOVE, SET_INTEGER, SET_REAL, RESIZE, TEXT, LINK, EXTERNAL, HUGE_SIZE } kind;
    int index;
    double value;
} damage;

static void change_element(hid_t group, const damage *what, hid_t type)
{
    hid_t set = H5Dopen2(group, what->name, H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    double values[20000];
    assert_true(H5Sget_simple_extent_npoints(space) <= 20000);
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    values[what->index] = what->value;
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
}

static void apply(const char *path, const damage *what)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gopen2(file, what->group, H5P_DEFAULT);
    assert_true(group >= 0);
    double numbers[2] = {what->value, 1.0};
    int32_t integers[2] = {(int32_t)what->value, 1};
    switch (what->kind) {
    case REMOVE:
        assert_true(H5Ldelete(group, what->name, H5P_DEFAULT) >= 0);
        break;
    case SET_INTEGER:
        if (what->index < 0)
            write_dataset(group, what->name, H5T_NATIVE_INT32, 1, integers);
        else
            change_element(group, what, H5T_NATIVE_DOUBLE);
        break;
    case SET_REAL:
        change_element(group, what, H5T_NATIVE_DOUBLE);
        break;
    case RESIZE:
        write_dataset(group, what->name, H5T_NATIVE_DOUBLE, 2, numbers);
        break;
    case TEXT:
        write_dataset(group, what->name, H5T_C_S1, 2, "ab");
        break;
    case LINK:
        H5Ldelete(group, what->name, H5P_DEFAULT);
        assert_true(H5Lcreate_soft("/fclib_local", group, what->name, H5P_DEFAULT, H5P_DEFAULT) >=
                    0);
        break;
    case EXTERNAL:
        H5Ldelete(group, what->name, H5P_DEFAULT);
        assert_true(H5Lcreate_external("/etc/passwd", "/x", group, what->name, H5P_DEFAULT,
                                       H5P_DEFAULT) >= 0);
        break;
    case HUGE_SIZE:
        write_dataset(group, what->name, H5T_NATIVE_DOUBLE, (hsize_t)1 << 31, NULL);
        break;
    }
    H5Gclose(group);
    H5Fclose(file);
}

static const damage damages[] = {
    {"/", "fclib_local", "no contact problem", REMOVE, 0, 0.0},
    {"/fclib_local", "vectors", "missing", REMOVE, 0, 0.0},
    {"/fclib_local", "W", "missing", REMOVE, 0, 0.0},
    {"/fclib_local", "spacedim", "missing", REMOVE, 0, 0.0},
    {"/fclib_local/vectors", "q", "/fclib_local/vectors/q: missing", REMOVE, 0, 0.0},
    {"/fclib_local/vectors", "mu", "missing", REMOVE, 0, 0.0},
    {"/fclib_local/W", "nz", "missing", REMOVE, 0, 0.0},
    {"/fclib_local/W", "p", "missing", REMOVE, 0, 0.0},
    {"/fclib_local/W", "i", "missing", REMOVE, 0, 0.0},
    {"/fclib_local/W", "x", "missing", REMOVE, 0, 0.0},
    {"/fclib_local/W", "m", "missing", REMOVE, 0, 0.0},
    {"/fclib_local/W", "nzmax", NULL, REMOVE, 0, 0.0},
    {"/", "solution", NULL, REMOVE, 0, 0.0},
    {"/guesses", "1", "missing", REMOVE, 0, 0.0},
    {"/guesses", "number_of_guesses", "fewer", SET_INTEGER, -1, 2e9},
    {"/guesses", "number_of_guesses", "fewer", SET_INTEGER, -1, -1.0},
    {"/fclib_local", "spacedim", "expected 2 or 3", SET_INTEGER, -1, 4.0},
    {"/fclib_local", "spacedim", "expected", SET_INTEGER, -1, -3.0},
    {"/fclib_local/W", "m", "rows", SET_INTEGER, -1, -42.0},
    {"/fclib_local/W", "n", "columns", SET_INTEGER, -1, 2e9},
    {"/fclib_local/W", "nz", "no storage", SET_INTEGER, -1, -7.0},
    {"/fclib_local/W", "nz", "triplets", SET_INTEGER, -1, 2e9},
    {"/fclib_local/W", "p", "starts at", SET_INTEGER, 0, 1.0},
    {"/fclib_local/W", "p", "smaller", SET_INTEGER, 5, 1e6},
    {"/fclib_local/W", "p", "smaller", SET_INTEGER, 5, -3.0},
    {"/fclib_local/W", "p", "fewer", SET_INTEGER, 3 * FIXTURE_CONTACTS, 1e6},
    {"/fclib_local/W", "i", "outside", SET_INTEGER, 3, 3.0 * FIXTURE_CONTACTS},
    {"/fclib_local/W", "i", "outside", SET_INTEGER, 0, -1.0},
    {"/fclib_local/W", "x", "not finite", SET_REAL, 2, NAN},
    {"/fclib_local/vectors", "q", "not finite", SET_REAL, 2, INFINITY},
    {"/fclib_local/vectors", "mu", "not finite", SET_REAL, 0, NAN},
    {"/fclib_local/vectors", "mu", "negative", SET_REAL, 1, -0.1},
    {"/solution", "r", NULL, SET_REAL, 1, NAN},
    {"/fclib_local/vectors", "q", "expected 42", RESIZE, 0, 1.0},
    {"/fclib_local/vectors", "mu", "expected 6", RESIZE, 0, 1.0},
    {"/solution", "u", "expected 42", RESIZE, 0, 1.0},
    {"/fclib_local/W", "m", "integers", RESIZE, 0, 1.0},
    {"/fclib_local/W", "p", "integers", RESIZE, 0, 1.0},
    {"/fclib_local/vectors", "q", "real numbers", TEXT, 0, 0.0},
    {"/fclib_local", "spacedim", "integers", TEXT, 0, 0.0},
    {"/fclib_local", "W", "refused", LINK, 0, 0.0},
    {"/fclib_local/vectors", "q", "refused", EXTERNAL, 0, 0.0},
    {"/fclib_local/vectors", "q", "fit", HUGE_SIZE, 0, 0.0},
    {"/fclib_local/W", "x", "fit", HUGE_SIZE, 0, 0.0},
};

static void test_damages(void **state)
{
    (void)state;
    scratch s;
    scratch_create(&s, CON_FCLIB_LOCAL);
    size_t size;
    unsigned char *bytes = load(s.source, &size);
    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
        const damage *what = &damages[k];
        store(s.copy, bytes, size);
        apply(s.copy, what);
        cairn_error error;
        capture_begin(&s);
        cairn_status status = try_file(s.copy, &error);
        assert_int_equal(capture_end(&s), 0);
        bool expected = what->expected == NULL
                            ? status == CAIRN_OK
                            : status == CAIRN_ERROR_FORMAT && strstr(error.message, what->expected);
        if (!expected)
            fail_msg("damage %d of %s/%s: status %d, %s", (int)k, what->group, what->name, status,
                     error.message);
    }
    free(bytes);
    scratch_destroy(&s);
    check_nothing_open();
}

static void test_no_file(void **state)
{
    (void)state;
    cairn_error error;
    assert_int_equal(try_file("/nonexistent/file.hdf5", &error), CAIRN_ERROR_FILE);
    assert_int_equal(try_file("/tmp", &error), CAIRN_ERROR_FILE);
}

// every allocation fails once: no leak, no crash, the right status
static void test_no_memory(void **state)
{
    (void)state;
    scratch s;
    scratch_create(&s, CON_FCLIB_GLOBAL);
    bool done = false;
    for (long k = 1; !done; k++) {
        base_counting_allocator counter = {.fail_at = k};
        base_allocator allocator = base_allocator_counting(&counter);
        cairn_error error;
        con_fclib_problem *content;
        con_fclib_conversion *conversion = NULL;
        cairn_status status = con_fclib_read(s.source, &allocator, &content, &error);
        if (status == CAIRN_OK)
            status = con_fclib_convert(content, &allocator, &conversion, &error);
        assert_true(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        done = status == CAIRN_OK;
        con_fclib_conversion_destroy(conversion);
        con_fclib_problem_destroy(content);
        assert_int_equal(counter.live, 0);
    }
    scratch_destroy(&s);
    check_nothing_open();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damages),   cmocka_unit_test(test_truncations),
        cmocka_unit_test(test_no_file),   cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
