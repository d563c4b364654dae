// SPDX-License-Identifier: Apache-2.0
// Problem files opened by the reference library: the same matrices and vectors must come out.
#include "tests/unit/contact/fclib/fclib_fixture.h"

#include <fclib.h>

enum { ROWS = 3 * FIXTURE_CONTACTS, COLUMNS = 6 * FIXTURE_BODIES };

static const con_fclib_info texts = {"title", "a longer description", "none known"};

// dense copy of a matrix of the reference library in compressed columns, row major
static double *dense_of(const struct fclib_matrix *a)
{
    assert_int_equal(a->nz, -1);
    double *out = calloc((size_t)(a->m * a->n), sizeof *out);
    for (int j = 0; j < a->n; j++)
        for (int k = a->p[j]; k < a->p[j + 1]; k++)
            out[a->i[k] * a->n + j] += a->x[k];
    return out;
}

static void check_info(const struct fclib_info *info)
{
    assert_string_equal(info->title, texts.title);
    assert_string_equal(info->description, texts.description);
    assert_string_equal(info->math_info, texts.math_info);
}

static void write_fixture(const fixture *f, con_fclib_form form, const char *path)
{
    cairn_error error;
    double guess[FIXTURE_CONTACTS][3];
    for (int c = 0; c < FIXTURE_CONTACTS; c++)
        for (int axis = 0; axis < 3; axis++)
            guess[c][axis] = 0.5 * f->R[c][axis];
    cairn_status status = con_fclib_write(path, form, &f->problem, ROWS_OF(guess), ROWS_OF(f->R),
                                          NULL, &texts, f->arena, &error);
    if (status != CAIRN_OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, CAIRN_OK);
}

// guess and solution against dense algebra
static void check_vectors(const fixture *f, const char *path)
{
    double U[FIXTURE_CONTACTS][3], scaled[FIXTURE_CONTACTS][3];
    fixture_velocities(f, ROWS_OF(f->R), U);
    struct fclib_solution *solution = fclib_read_solution(path);
    for (int i = 0; i < ROWS; i++) {
        assert_true(solution->r[i] == f->R[i / 3][i % 3]);
        check_close(solution->u[i], U[i / 3][i % 3], 1e-12, 1e-12);
        scaled[i / 3][i % 3] = 0.5 * f->R[i / 3][i % 3];
    }
    fixture_velocities(f, ROWS_OF(scaled), U);
    int count = 0;
    struct fclib_solution *guesses = fclib_read_guesses(path, &count);
    assert_int_equal(count, 1);
    for (int i = 0; i < ROWS; i++) {
        assert_true(guesses[0].r[i] == scaled[i / 3][i % 3]);
        check_close(guesses[0].u[i], U[i / 3][i % 3], 1e-12, 1e-12);
    }
    fclib_delete_solutions(solution, 1);
    fclib_delete_solutions(guesses, count);
}

static void test_local(void **state)
{
    (void)state;
    char folder[64], path[128];
    scratch_folder(folder);
    snprintf(path, sizeof path, "%s/local.hdf5", folder);
    fixture *f = fixture_create(1, true);
    write_fixture(f, CON_FCLIB_LOCAL, path);

    struct fclib_local *read = fclib_read_local(path);
    assert_non_null(read);
    assert_int_equal(read->spacedim, 3);
    assert_int_equal(read->W->m, ROWS);
    check_info(read->info);
    double *expected = malloc(sizeof *expected * ROWS * ROWS);
    fixture_dense_W(f, expected);
    double *actual = dense_of(read->W);
    for (int k = 0; k < ROWS * ROWS; k++)
        check_close(actual[k], expected[k], 1e-13, 1e-13);
    for (int i = 0; i < ROWS; i++)
        assert_true(read->q[i] == f->q[i / 3][i % 3] && read->mu[i / 3] == f->friction[i / 3]);
    check_vectors(f, path);

    free(actual);
    free(expected);
    fclib_delete_local(read);
    free(read);
    fixture_destroy(f);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

// M v = H r + f and u = H^T v + w with the matrices as the reference library gives them
static void check_global_equations(const fixture *f, const struct fclib_global *read,
                                   const double *v, const double *u)
{
    int n = read->M->n;
    double *M = dense_of(read->M), *H = dense_of(read->H);
    for (int i = 0; i < n; i++) {
        double left = 0.0, right = read->f[i];
        for (int j = 0; j < n; j++) {
            left += M[i * n + j] * v[j];
            assert_true(i == j || M[i * n + j] == 0.0);
        }
        for (int j = 0; j < ROWS; j++)
            right += H[i * ROWS + j] * f->R[j / 3][j % 3];
        check_close(left, right, 1e-12, 1e-12);
    }
    for (int j = 0; j < ROWS; j++) {
        double sum = read->w[j];
        for (int i = 0; i < n; i++)
            sum += H[i * ROWS + j] * v[i];
        check_close(u[j], sum, 1e-12, 1e-12);
    }
    free(M);
    free(H);
}

static void check_global(uint64_t seed, bool locked)
{
    char folder[64], path[128];
    scratch_folder(folder);
    snprintf(path, sizeof path, "%s/global.hdf5", folder);
    fixture *f = fixture_create(seed, locked);
    write_fixture(f, CON_FCLIB_GLOBAL, path);

    struct fclib_global *read = fclib_read_global(path);
    assert_non_null(read);
    bool touched[FIXTURE_BODIES] = {false};
    int bodies = 0;
    for (int c = 0; c < FIXTURE_CONTACTS; c++)
        for (int side = 0; side < 2; side++)
            if (f->body[c][side] >= 0 && !touched[f->body[c][side]]) {
                touched[f->body[c][side]] = true;
                bodies++;
            }
    assert_false(touched[FIXTURE_BODIES - 1]);
    assert_int_equal(read->M->m, 6 * bodies);
    assert_true(touched[2]);
    assert_int_equal(read->H->m, read->M->m);
    assert_int_equal(read->H->n, ROWS);
    check_info(read->info);
    struct fclib_solution *solution = fclib_read_solution(path);
    check_global_equations(f, read, solution->v, solution->u);
    check_vectors(f, path);

    fclib_delete_solutions(solution, 1);
    fclib_delete_global(read);
    free(read);
    fixture_destroy(f);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

static void test_global(void **state)
{
    (void)state;
    check_global(2, false);
    check_global(3, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local),
        cmocka_unit_test(test_global),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
