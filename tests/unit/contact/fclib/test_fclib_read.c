// SPDX-License-Identifier: Apache-2.0
// Problem files read back: what was written comes out, in every form and storage.
#include "tests/unit/contact/fclib/fclib_fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <hdf5.h>

enum { ROWS = 3 * FIXTURE_CONTACTS };

static char folder[64];

static int setup(void **state)
{
    (void)state;
    scratch_folder(folder);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return rmdir(folder); // fails where a file was left behind
}

static const char *file_in_folder(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

static con_fclib_problem *read_ok(const char *path)
{
    base_allocator allocator = base_allocator_default();
    cairn_error error = {0};
    con_fclib_problem *content;
    if (con_fclib_read(path, &allocator, &content, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    return content;
}

static void save_ok(const char *path, const con_fclib_problem *content, base_arena *arena)
{
    cairn_error error = {0};
    if (con_fclib_save(path, content, arena, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
}

static void check_same_sparse(const con_sparse *a, const con_sparse *b)
{
    assert_int_equal(con_sparse_count(a), con_sparse_count(b));
    if (a->start == NULL)
        return;
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->columns, b->columns);
    size_t count = (size_t)con_sparse_count(a);
    assert_memory_equal(a->start, b->start, ((size_t)a->columns + 1) * sizeof *a->start);
    assert_memory_equal(a->index, b->index, count * sizeof *a->index);
    assert_memory_equal(a->value, b->value, count * sizeof *a->value);
}

static void check_same_vector(const double *a, const double *b, int count)
{
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL)
        assert_memory_equal(a, b, (size_t)count * sizeof *a);
}

static void check_same(const con_fclib_problem *a, const con_fclib_problem *b)
{
    int rows = a->dimension * a->contact_count;
    assert_int_equal(a->form, b->form);
    assert_int_equal(a->dimension, b->dimension);
    assert_int_equal(a->contact_count, b->contact_count);
    assert_int_equal(a->velocity_count, b->velocity_count);
    assert_int_equal(a->equality_count, b->equality_count);
    check_same_sparse(&a->W, &b->W);
    check_same_sparse(&a->V, &b->V);
    check_same_sparse(&a->S, &b->S);
    check_same_sparse(&a->R, &b->R);
    check_same_sparse(&a->M, &b->M);
    check_same_sparse(&a->H, &b->H);
    check_same_sparse(&a->G, &b->G);
    check_same_vector(a->friction, b->friction, a->contact_count);
    check_same_vector(a->q, b->q, rows);
    check_same_vector(a->s, b->s, a->equality_count);
    check_same_vector(a->f, b->f, a->velocity_count);
    check_same_vector(a->w, b->w, rows);
    check_same_vector(a->b, b->b, a->equality_count);
    assert_int_equal(a->guess_count, b->guess_count);
    for (int k = 0; k < a->guess_count; k++) {
        check_same_vector(a->guesses[k].r, b->guesses[k].r, rows);
        check_same_vector(a->guesses[k].u, b->guesses[k].u, rows);
        check_same_vector(a->guesses[k].v, b->guesses[k].v, a->velocity_count);
    }
    assert_true(a->has_solution == b->has_solution);
    check_same_vector(a->solution.r, b->solution.r, rows);
    check_same_vector(a->solution.u, b->solution.u, rows);
    check_same_vector(a->solution.v, b->solution.v, a->velocity_count);
    check_same_vector(a->solution.l, b->solution.l, a->equality_count);
}

static void test_round_trip(void **state)
{
    (void)state;
    char path[128], again[128];
    file_in_folder(path, "a");
    file_in_folder(again, "b");
    for (int form = 0; form < 2; form++) {
        fixture *f = fixture_create(20, true);
        cairn_error error;
        con_fclib_info info = {"title", "text", NULL};
        assert_int_equal(con_fclib_write(path, form == 0 ? CON_FCLIB_LOCAL : CON_FCLIB_GLOBAL,
                                         &f->problem, ROWS_OF(f->R), ROWS_OF(f->R), NULL, &info,
                                         f->arena, &error),
                         CAIRN_OK);
        con_fclib_problem *first = read_ok(path);
        save_ok(again, first, f->arena);
        con_fclib_problem *second = read_ok(again);
        check_same(first, second);
        assert_string_equal(first->info.title, "title");
        assert_string_equal(first->info.description, "text");
        assert_string_equal(first->info.math_info, "");
        con_fclib_problem_destroy(first);
        con_fclib_problem_destroy(second);
        fixture_destroy(f);
        unlink(path);
        unlink(again);
    }
}

static unsigned char *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *bytes = malloc(*size);
    assert_true(fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

// the same content gives the same bytes; a file in place is replaced
static void test_same_bytes(void **state)
{
    (void)state;
    char path[128];
    file_in_folder(path, "a");
    fixture *f = fixture_create(21, false);
    cairn_error error;
    unsigned char *bytes[2];
    size_t size[2];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(con_fclib_write(path, CON_FCLIB_GLOBAL, &f->problem, NULL, ROWS_OF(f->R),
                                         NULL, NULL, f->arena, &error),
                         CAIRN_OK);
        bytes[k] = load(path, &size[k]);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    free(bytes[0]);
    free(bytes[1]);
    fixture_destroy(f);
    unlink(path);
}

static void test_refusals(void **state)
{
    (void)state;
    fixture *f = fixture_create(22, false);
    cairn_error error = {0};
    char path[128];
    file_in_folder(path, "missing/a");
    assert_int_equal(con_fclib_write(path, CON_FCLIB_LOCAL, &f->problem, NULL, NULL, NULL, NULL,
                                     f->arena, &error),
                     CAIRN_ERROR_FILE);
    assert_non_null(strstr(error.message, path));
    con_problem empty = f->problem;
    empty.contact_count = 0;
    assert_int_equal(con_fclib_write(file_in_folder(path, "a"), CON_FCLIB_LOCAL, &empty, NULL, NULL,
                                     NULL, NULL, f->arena, &error),
                     CAIRN_ERROR_ARGUMENT);
    con_problem bodiless = f->problem;
    bodiless.H = NULL;
    assert_int_equal(con_fclib_write(path, CON_FCLIB_GLOBAL, &bodiless, NULL, NULL, NULL, NULL,
                                     f->arena, &error),
                     CAIRN_ERROR_ARGUMENT);
    fixture_destroy(f);
}

// a folder in the way: the temporary file is removed again
static void test_nothing_left(void **state)
{
    (void)state;
    fixture *f = fixture_create(23, false);
    cairn_error error;
    assert_int_equal(con_fclib_write(folder, CON_FCLIB_LOCAL, &f->problem, NULL, NULL, NULL, NULL,
                                     f->arena, &error),
                     CAIRN_ERROR_FILE);
    const char *name = strrchr(folder, '/') + 1;
    DIR *parent = opendir("/tmp");
    for (struct dirent *entry = readdir(parent); entry != NULL; entry = readdir(parent))
        assert_false(strncmp(entry->d_name, name, strlen(name)) == 0 &&
                     strcmp(entry->d_name, name) != 0);
    closedir(parent);
    fixture_destroy(f);
}

// replaces a dataset of integers or reals
static void replace(hid_t group, const char *name, hid_t type, hsize_t count, const void *data)
{
    if (H5Lexists(group, name, H5P_DEFAULT) > 0)
        H5Ldelete(group, name, H5P_DEFAULT);
    if (data == NULL)
        return;
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

typedef enum storage {
    TRIPLETS,
    TRIPLETS_SWAPPED,
    COMPRESSED_ROWS,
    BLOCK_COLUMNS,
    BLOCK_ROWS,
    DENSE,
    WIDE
} storage;

// every 3x3 block, also those that are zero
static void store_blocks(hid_t group, const con_sparse *a, bool by_rows)
{
    int lines = (by_rows ? a->rows : a->columns) / 3, length = (by_rows ? a->columns : a->rows) / 3;
    hsize_t count = (hsize_t)(lines * length);
    double *dense = malloc(sizeof *dense * 9 * count), *x = malloc(sizeof *x * 9 * count);
    int *start = malloc(sizeof *start * ((size_t)lines + 1)),
        *index = malloc(sizeof *index * count);
    con_sparse_to_dense(a, dense);
    for (int j = 0; j <= lines; j++)
        start[j] = j * length;
    for (int k = 0; k < lines * length; k++) {
        int row = by_rows ? k / length : k % length, column = by_rows ? k % length : k / length;
        index[k] = k % length;
        for (int e = 0; e < 9; e++)
            x[9 * k + e] = dense[3 * row + e % 3 + a->rows * (3 * column + e / 3)];
    }
    replace(group, "p", H5T_NATIVE_INT, (hsize_t)lines + 1, start);
    replace(group, "i", H5T_NATIVE_INT, count, index);
    replace(group, "x", H5T_NATIVE_DOUBLE, 9 * count, x);
    free(dense);
    free(x);
    free(start);
    free(index);
}

static void store_as(hid_t group, const con_sparse *a, storage how)
{
    hsize_t count = (hsize_t)con_sparse_count(a);
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, 1 << 16);
    con_sparse rows;
    assert_int_equal(con_sparse_transpose(a, arena, &rows), CAIRN_OK);
    int *line = calloc(count + 1, sizeof *line);
    int nz = how == COMPRESSED_ROWS || how == BLOCK_ROWS ? -2
             : how == WIDE || how == BLOCK_COLUMNS       ? -1
                                                         : (int)count;
    for (int j = 0; j < a->columns; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            line[k] = j;
    replace(group, "nz", H5T_NATIVE_INT, 1, &nz);
    if (how == TRIPLETS || how == TRIPLETS_SWAPPED) {
        replace(group, "p", H5T_NATIVE_INT, count, how == TRIPLETS ? line : a->index);
        replace(group, "i", H5T_NATIVE_INT, count, how == TRIPLETS ? a->index : line);
    } else if (how == COMPRESSED_ROWS) {
        replace(group, "p", H5T_NATIVE_INT, (hsize_t)a->rows + 1, rows.start);
        replace(group, "i", H5T_NATIVE_INT, count, rows.index);
        replace(group, "x", H5T_NATIVE_DOUBLE, count, rows.value);
    } else if (how == BLOCK_COLUMNS || how == BLOCK_ROWS) {
        store_blocks(group, a, how == BLOCK_ROWS);
    } else if (how == DENSE) {
        double *dense = malloc(sizeof *dense * (size_t)(a->rows * a->columns));
        con_sparse_to_dense(a, dense);
        replace(group, "p", H5T_NATIVE_INT, 0, NULL);
        replace(group, "i", H5T_NATIVE_INT, 0, NULL);
        replace(group, "x", H5T_NATIVE_DOUBLE, (hsize_t)(a->rows * a->columns), dense);
        free(dense);
    } else {
        // longer arrays than there are entries, 64-bit indices
        int64_t *wide = calloc(count + 7, sizeof *wide);
        for (hsize_t k = 0; k < count; k++)
            wide[k] = a->index[k];
        replace(group, "i", H5T_NATIVE_INT64, count + 7, wide);
        free(wide);
    }
    free(line);
    base_arena_destroy(arena);
}

static void check_storage(storage how)
{
    char path[128];
    file_in_folder(path, "a");
    fixture *f = fixture_create(24, false);
    cairn_error error;
    assert_int_equal(con_fclib_write(path, CON_FCLIB_GLOBAL, &f->problem, NULL, NULL, NULL, NULL,
                                     f->arena, &error),
                     CAIRN_OK);
    con_fclib_problem *first = read_ok(path);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t group = H5Gopen2(file, "/fclib_global/H", H5P_DEFAULT);
    store_as(group, &first->H, how);
    H5Gclose(group);
    H5Fclose(file);
    con_fclib_problem *second = read_ok(path);
    check_same(first, second);
    con_fclib_problem_destroy(first);
    con_fclib_problem_destroy(second);
    fixture_destroy(f);
    unlink(path);
}

static void test_storages(void **state)
{
    (void)state;
    for (int how = TRIPLETS; how <= WIDE; how++)
        check_storage((storage)how);
}

// |R - P_K(R - (U_N + mu |U_T|, U_T))| / max(|q|, |R|, |U|) from plain arrays
static double residual(int contacts, const double *mu, const double *q, const double *R,
                       const double *U)
{
    double sum = 0.0, norms[3] = {0.0, 0.0, 0.0};
    for (int c = 0; c < contacts; c++) {
        const double *r = R + 3 * c, *u = U + 3 * c;
        double z[3] = {r[0] - u[0] - mu[c] * hypot(u[1], u[2]), r[1] - u[1], r[2] - u[2]};
        double t = hypot(z[1], z[2]), p[3] = {0.0, 0.0, 0.0};
        if (t <= mu[c] * z[0]) {
            memcpy(p, z, sizeof p);
        } else if (mu[c] * t > -z[0]) {
            p[0] = (z[0] + mu[c] * t) / (1.0 + mu[c] * mu[c]);
            p[1] = t > 0.0 ? mu[c] * p[0] * z[1] / t : 0.0;
            p[2] = t > 0.0 ? mu[c] * p[0] * z[2] / t : 0.0;
        }
        for (int axis = 0; axis < 3; axis++) {
            sum += (r[axis] - p[axis]) * (r[axis] - p[axis]);
            norms[0] += q[3 * c + axis] * q[3 * c + axis];
            norms[1] += r[axis] * r[axis];
            norms[2] += u[axis] * u[axis];
        }
    }
    return sqrt(sum / fmax(norms[0], fmax(norms[1], norms[2])));
}

// impulses near a solution: projected fixed-point sweeps on dense W
static void improve(fixture *f)
{
    double U[FIXTURE_CONTACTS][3];
    for (int sweep = 0; sweep < 200; sweep++) {
        fixture_velocities(f, ROWS_OF(f->R), U);
        for (int c = 0; c < FIXTURE_CONTACTS; c++) {
            double rho = 0.02;
            f->R[c][0] =
                fmax(0.0, f->R[c][0] - rho * (U[c][0] + f->friction[c] * hypot(U[c][1], U[c][2])));
            double t[2] = {f->R[c][1] - rho * U[c][1], f->R[c][2] - rho * U[c][2]};
            double length = hypot(t[0], t[1]), radius = f->friction[c] * f->R[c][0];
            for (int k = 0; k < 2; k++)
                f->R[c][k + 1] = length > radius ? t[k] * radius / length : t[k];
        }
    }
}

// the residual of the stored solution, from the file alone, is that of the problem, in both forms
static void test_stored_residual(void **state)
{
    (void)state;
    char path[128];
    file_in_folder(path, "a");
    fixture *f = fixture_create(25, true);
    improve(f);
    double U[FIXTURE_CONTACTS][3], u[ROWS], q[ROWS];
    fixture_velocities(f, ROWS_OF(f->R), U);
    double expected = residual(FIXTURE_CONTACTS, f->friction, f->q[0], f->R[0], U[0]);
    assert_true(expected > 1e-12 && expected < 1.0);
    for (int form = 0; form < 2; form++) {
        cairn_error error;
        assert_int_equal(con_fclib_write(path, form == 0 ? CON_FCLIB_LOCAL : CON_FCLIB_GLOBAL,
                                         &f->problem, NULL, ROWS_OF(f->R), ROWS_OF(U), NULL,
                                         f->arena, &error),
                         CAIRN_OK);
        con_fclib_problem *read = read_ok(path);
        const con_sparse *a = form == 0 ? &read->W : &read->H;
        const double *x = form == 0 ? read->solution.r : read->solution.v;
        memcpy(u, form == 0 ? read->q : read->w, sizeof u);
        for (int j = 0; j < a->columns; j++)
            for (int k = a->start[j]; k < a->start[j + 1]; k++)
                if (form == 0)
                    u[a->index[k]] += a->value[k] * x[j];
                else
                    u[j] += a->value[k] * x[a->index[k]];
        for (int i = 0; i < ROWS; i++) {
            q[i] = f->q[i / 3][i % 3];
            check_close(u[i], U[i / 3][i % 3], 1e-12, 1e-12);
            assert_true(read->solution.u[i] == U[i / 3][i % 3]);
        }
        check_close(residual(FIXTURE_CONTACTS, read->friction, q, read->solution.r, u), expected,
                    1e-11, 1e-14);
        con_fclib_problem_destroy(read);
        unlink(path);
    }
    fixture_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_same_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing_left, setup, teardown),
        cmocka_unit_test_setup_teardown(test_storages, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stored_residual, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
