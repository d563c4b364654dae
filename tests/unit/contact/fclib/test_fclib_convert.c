// SPDX-License-Identifier: Apache-2.0
// Problems of files as solvers get them: the same contact velocities as by dense elimination.
#include "tests/unit/contact/fclib/fclib_fixture.h"

enum { UNKNOWNS_MAX = 80 };

// a small dense system, solved by Gauss-Jordan elimination with full row pivoting
typedef struct dense_system {
    int size;
    double a[UNKNOWNS_MAX][UNKNOWNS_MAX];
    double x[UNKNOWNS_MAX];
} dense_system;

static void dense_solve(dense_system *s)
{
    for (int k = 0; k < s->size; k++) {
        int best = k;
        for (int i = k + 1; i < s->size; i++)
            best = fabs(s->a[i][k]) > fabs(s->a[best][k]) ? i : best;
        for (int j = 0; j < s->size; j++) {
            double swap = s->a[k][j];
            s->a[k][j] = s->a[best][j];
            s->a[best][j] = swap;
        }
        double swap = s->x[k];
        s->x[k] = s->x[best];
        s->x[best] = swap;
        for (int i = 0; i < s->size; i++) {
            if (i == k)
                continue;
            double factor = s->a[i][k] / s->a[k][k];
            for (int j = k; j < s->size; j++)
                s->a[i][j] -= factor * s->a[k][j];
            s->x[i] -= factor * s->x[k];
        }
    }
    for (int k = 0; k < s->size; k++)
        s->x[k] /= s->a[k][k];
}

static void place(dense_system *s, const con_sparse *a, int row, int column, bool transposed)
{
    for (int j = 0; j < a->columns; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            s->a[row + (transposed ? j : a->index[k])][column + (transposed ? a->index[k] : j)] +=
                a->value[k];
}

// contact velocities, body velocities and multipliers of impulses r, from the equations of the form
static void dense_velocities(const con_fclib_problem *content, const double *r, double *u,
                             double *v, double *l)
{
    dense_system *s = calloc(1, sizeof *s);
    int n = content->velocity_count, p = content->equality_count;
    int rows = content->dimension * content->contact_count;
    s->size = n + p;
    if (content->form == CON_FCLIB_GLOBAL) {
        place(s, &content->M, 0, 0, false);
        memcpy(s->x, content->f, (size_t)n * sizeof *s->x);
        con_sparse_apply_add(&content->H, r, s->x);
        if (p > 0) {
            // M v - G l = f + H r, G^T v = -b; the unknown is -l
            place(s, &content->G, 0, n, false);
            place(s, &content->G, n, 0, true);
            for (int k = 0; k < p; k++)
                s->x[n + k] = -content->b[k];
        }
        dense_solve(s);
        memcpy(u, content->w, (size_t)rows * sizeof *u);
        con_sparse_apply_transposed_add(&content->H, s->x, u);
    } else {
        memcpy(u, content->q, (size_t)rows * sizeof *u);
        con_sparse_apply_add(&content->W, r, u);
        if (p > 0) {
            place(s, &content->R, 0, 0, false);
            memcpy(s->x, content->s, (size_t)p * sizeof *s->x);
            con_sparse_apply_add(&content->S, r, s->x);
            dense_solve(s);
        }
    }
    for (int k = 0; k < n; k++)
        v[k] = s->x[k];
    for (int k = 0; k < p; k++)
        l[k] = -s->x[n + k];
    if (content->form == CON_FCLIB_LOCAL && p > 0)
        con_sparse_apply_add(&content->V, l, u);
    free(s);
}

// a matrix of random entries where `pattern` says so
static con_sparse random_sparse(base_rng *rng, base_arena *arena, int rows, int columns,
                                double density)
{
    con_triplets entries;
    con_sparse out;
    assert_int_equal(con_triplets_reserve(&entries, rows * columns, arena), CAIRN_OK);
    for (int k = 0; k < rows * columns; k++)
        if (base_rng_unit(rng) < density)
            con_triplets_add(&entries, k % rows, k / rows, base_rng_range(rng, -1.0, 1.0));
    assert_int_equal(con_sparse_from_triplets(&entries, rows, columns, arena, &out), CAIRN_OK);
    return out;
}

static double *random_vector(base_rng *rng, base_arena *arena, int count)
{
    double *out = base_arena_array(arena, double, "vector", count);
    for (int k = 0; k < count; k++)
        out[k] = base_rng_range(rng, -1.0, 1.0);
    return out;
}

// dense A A^T + shift I, in blocks of `width` rows
static con_sparse random_definite(base_rng *rng, base_arena *arena, int rows, int width)
{
    con_triplets entries;
    con_sparse out;
    double *A = random_vector(rng, arena, rows * width);
    assert_int_equal(con_triplets_reserve(&entries, rows * width, arena), CAIRN_OK);
    for (int i = 0; i < rows; i++)
        for (int j = i / width * width; j < i / width * width + width && j < rows; j++) {
            double sum = i == j ? 0.5 : 0.0;
            for (int k = 0; k < width; k++)
                sum += A[i * width + k] * A[j * width + k];
            con_triplets_add(&entries, i, j, sum);
        }
    assert_int_equal(con_sparse_from_triplets(&entries, rows, rows, arena, &out), CAIRN_OK);
    return out;
}

static con_fclib_problem random_local(base_rng *rng, base_arena *arena, int dimension, int contacts,
                                      int p)
{
    int rows = dimension * contacts;
    con_fclib_problem content = {.form = CON_FCLIB_LOCAL,
                                 .dimension = dimension,
                                 .contact_count = contacts,
                                 .equality_count = p};
    double *mu = random_vector(rng, arena, contacts);
    for (int c = 0; c < contacts; c++)
        mu[c] = fabs(mu[c]);
    content.friction = mu;
    content.W = random_definite(rng, arena, rows, 4 * dimension);
    content.q = random_vector(rng, arena, rows);
    if (p > 0) {
        content.V = random_sparse(rng, arena, rows, p, 0.3);
        content.S = random_sparse(rng, arena, p, rows, 0.3);
        content.R = random_definite(rng, arena, p, 2);
        content.s = random_vector(rng, arena, p);
    }
    return content;
}

// every contact touches one or two of the bodies of `width` rows
static con_fclib_problem random_global(base_rng *rng, base_arena *arena, int dimension,
                                       int contacts, int n, int width, int p)
{
    int rows = dimension * contacts;
    con_fclib_problem content = {.form = CON_FCLIB_GLOBAL,
                                 .dimension = dimension,
                                 .contact_count = contacts,
                                 .velocity_count = n,
                                 .equality_count = p};
    content.friction = base_arena_array(arena, double, "mu", contacts);
    memset((void *)content.friction, 0, (size_t)contacts * sizeof(double));
    content.M = random_definite(rng, arena, n, width);
    con_triplets entries;
    assert_int_equal(con_triplets_reserve(&entries, 2 * rows * width, arena), CAIRN_OK);
    for (int c = 0; c < contacts; c++)
        for (int side = 0; side < 2; side++) {
            int b = (c + (c % 3 == 0 ? 0 : 2 * side)) % (n / width);
            for (int k = 0; k < dimension * width; k++)
                con_triplets_add(&entries, b * width + k % width, dimension * c + k / width,
                                 base_rng_range(rng, -1.0, 1.0));
        }
    assert_int_equal(con_sparse_from_triplets(&entries, n, rows, arena, &content.H), CAIRN_OK);
    content.f = random_vector(rng, arena, n);
    content.w = random_vector(rng, arena, rows);
    if (p > 0) {
        content.G = random_sparse(rng, arena, n, p, 0.4);
        content.b = random_vector(rng, arena, p);
    }
    return content;
}

// U of the conversion and con_fclib_complete against dense elimination
static void check_conversion(const con_fclib_problem *content, bool bodies, base_arena *arena)
{
    base_allocator allocator = base_allocator_default();
    cairn_error error = {0};
    con_fclib_conversion *conversion;
    if (con_fclib_convert(content, &allocator, &conversion, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    int d = content->dimension, contacts = content->contact_count, rows = d * contacts;
    assert_true(bodies == (conversion->reason == NULL));
    assert_true(bodies == (conversion->problem.H != NULL));
    base_rng rng = base_rng_make(77);
    double *r = random_vector(&rng, arena, rows), *u = random_vector(&rng, arena, rows);
    double *v = random_vector(&rng, arena, content->velocity_count);
    double *l = random_vector(&rng, arena, content->equality_count);
    double *v2 = random_vector(&rng, arena, content->velocity_count);
    double *l2 = random_vector(&rng, arena, content->equality_count);
    double(*R)[3] = base_arena_allocate(arena, "R", (size_t)contacts, sizeof *R);
    double(*U)[3] = base_arena_allocate(arena, "U", (size_t)contacts, sizeof *U);
    memset(R, 0, (size_t)contacts * sizeof *R);
    for (int i = 0; i < rows; i++)
        R[i / d][i % d] = r[i];
    dense_velocities(content, r, u, v, l);
    assert_int_equal(con_problem_velocity(&conversion->problem, ROWS_OF(R), U, arena), CAIRN_OK);
    for (int i = 0; i < rows; i++)
        check_close(U[i / d][i % d], u[i], 1e-10, 1e-10);
    for (int c = 0; c < contacts && d == 2; c++) {
        assert_true(U[c][2] == 0.0 && conversion->problem.q[c][2] == 0.0);
        assert_true(conversion->problem.W_diagonal[c].m[2][2] > 0.0);
    }
    assert_int_equal(con_fclib_complete(content, r, v2, l2, arena, &error), CAIRN_OK);
    for (int k = 0; k < content->velocity_count; k++)
        check_close(v2[k], v[k], 1e-10, 1e-10);
    for (int k = 0; k < content->equality_count; k++)
        check_close(l2[k], l[k], 1e-10, 1e-10);
    con_fclib_conversion_destroy(conversion);
}

static base_arena *new_arena(void)
{
    base_allocator allocator = base_allocator_default();
    return base_arena_create(&allocator, 1 << 16);
}

static void test_local(void **state)
{
    (void)state;
    base_arena *arena = new_arena();
    base_rng rng = base_rng_make(30);
    for (int p = 0; p < 8; p += 3)
        for (int dimension = 2; dimension <= 3; dimension++) {
            con_fclib_problem content = random_local(&rng, arena, dimension, 7, p);
            check_conversion(&content, false, arena);
        }
    base_arena_destroy(arena);
}

static void test_global(void **state)
{
    (void)state;
    base_arena *arena = new_arena();
    base_rng rng = base_rng_make(31);
    // bodies of 6, of 3, of 5 (connected parts), of 1 (diagonal), and one big body
    static const int widths[] = {6, 3, 5, 1, 12};
    for (int k = 0; k < 5; k++) {
        con_fclib_problem content =
            random_global(&rng, arena, 3, 9, 10 * widths[k] / 2, widths[k], 0);
        check_conversion(&content, widths[k] <= 6, arena);
    }
    con_fclib_problem flat = random_global(&rng, arena, 2, 9, 12, 3, 0);
    check_conversion(&flat, false, arena);
    for (int dimension = 2; dimension <= 3; dimension++) {
        con_fclib_problem mixed = random_global(&rng, arena, dimension, 9, 24, 6, 5);
        check_conversion(&mixed, false, arena);
    }
    base_arena_destroy(arena);
}

// W = J K^T over the bodies
static void check_factors(const con_problem *problem)
{
    const con_body_factors *factors = problem->factors;
    assert_non_null(factors);
    for (int i = 0; i < problem->contact_count; i++)
        for (int e = problem->W->start[i]; e < problem->W->start[i + 1]; e++)
            for (int a = 0; a < 9; a++) {
                int j = problem->W->column[e];
                double sum = 0.0;
                for (int s = 0; s < 4; s++)
                    for (int k = 0; k < 6 && factors->body[i][s / 2] >= 0 &&
                                    factors->body[i][s / 2] == factors->body[j][s % 2];
                         k++)
                        sum += factors->J[i][s / 2][a / 3][k] * factors->K[j][s % 2][a % 3][k];
                check_close(sum, problem->W->block[e].m[a / 3][a % 3], 1e-11, 1e-11);
            }
}

// one symmetric matrix made unsymmetric has no body form, but is the same problem, and W is known
// as a product over its bodies
static void test_unsymmetric_mass(void **state)
{
    (void)state;
    base_arena *arena = new_arena();
    base_allocator allocator = base_allocator_default();
    base_rng rng = base_rng_make(32);
    con_fclib_problem content = random_global(&rng, arena, 3, 9, 24, 6, 0);
    ((double *)content.M.value)[1] += 0.05;
    check_conversion(&content, false, arena);
    con_fclib_conversion *conversion;
    assert_int_equal(con_fclib_convert(&content, &allocator, &conversion, NULL), CAIRN_OK);
    check_factors(&conversion->problem);
    con_fclib_conversion_destroy(conversion);
    base_arena_destroy(arena);
}

static void test_singular(void **state)
{
    (void)state;
    base_arena *arena = new_arena();
    base_allocator allocator = base_allocator_default();
    base_rng rng = base_rng_make(33);
    con_fclib_problem content = random_global(&rng, arena, 3, 4, 12, 6, 0);
    for (int k = content.M.start[7]; k < content.M.start[8]; k++)
        ((double *)content.M.value)[k] = 0.0;
    con_fclib_conversion *conversion;
    cairn_error error = {0};
    assert_int_equal(con_fclib_convert(&content, &allocator, &conversion, &error),
                     CAIRN_ERROR_NUMERICAL);
    assert_null(conversion);
    assert_non_null(strstr(error.message, "singular"));
    base_arena_destroy(arena);
}

// local and global files of one problem convert to the same problem
static void test_both_forms(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    fixture *f = fixture_create(34, true);
    double U[FIXTURE_CONTACTS][3], expected[FIXTURE_CONTACTS][3];
    fixture_velocities(f, ROWS_OF(f->R), expected);
    for (int form = 0; form < 2; form++) {
        con_fclib_problem content;
        con_fclib_conversion *conversion;
        cairn_error error;
        assert_int_equal(con_fclib_from_problem(form == 0 ? CON_FCLIB_LOCAL : CON_FCLIB_GLOBAL,
                                                &f->problem, f->arena, &content, &error),
                         CAIRN_OK);
        assert_int_equal(con_fclib_convert(&content, &allocator, &conversion, &error), CAIRN_OK);
        assert_int_equal(con_problem_velocity(&conversion->problem, ROWS_OF(f->R), U, f->arena),
                         CAIRN_OK);
        for (int i = 0; i < 3 * FIXTURE_CONTACTS; i++)
            check_close(U[i / 3][i % 3], expected[i / 3][i % 3], 1e-12, 1e-12);
        con_fclib_conversion_destroy(conversion);
    }
    fixture_destroy(f);
}

// rank, condition and counts of problems whose matrices are known
static void test_description(void **state)
{
    (void)state;
    fixture *f = fixture_create(35, false);
    con_fclib_problem content;
    con_fclib_description global, local;
    cairn_error error;
    assert_int_equal(
        con_fclib_from_problem(CON_FCLIB_GLOBAL, &f->problem, f->arena, &content, &error),
        CAIRN_OK);
    assert_int_equal(con_fclib_describe(&content, f->arena, &global, &error), CAIRN_OK);
    assert_int_equal(
        con_fclib_from_problem(CON_FCLIB_LOCAL, &f->problem, f->arena, &content, &error), CAIRN_OK);
    assert_int_equal(con_fclib_describe(&content, f->arena, &local, &error), CAIRN_OK);
    // random gradients have full rank
    int full =
        global.velocity_count < 3 * FIXTURE_CONTACTS ? global.velocity_count : 3 * FIXTURE_CONTACTS;
    assert_int_equal(global.rank_full, full);
    assert_int_equal(global.rank, full);
    assert_int_equal(local.rank, full);
    assert_int_equal(local.rank_full, 3 * FIXTURE_CONTACTS);
    assert_int_equal(global.body_count * 6, global.velocity_count);
    check_close(global.q_norm, local.q_norm, 1e-12, 0.0);
    assert_true(local.symmetry_error == 0.0 && global.symmetry_error == 0.0);
    assert_int_equal(global.M_entries, global.velocity_count);
    assert_true(global.friction_minimum <= global.friction_maximum);

    // W = diag(1, 2, 4) with one entry beside the diagonal
    int start[] = {0, 1, 3, 4}, index[] = {0, 0, 1, 2};
    double value[] = {1.0, 0.01, 2.0, 4.0}, q[] = {3.0, 4.0, 0.0}, mu = 0.5;
    con_fclib_problem small = {.dimension = 3,
                               .contact_count = 1,
                               .friction = &mu,
                               .q = q,
                               .W = {3, 3, start, index, value}};
    assert_int_equal(con_fclib_describe(&small, f->arena, &local, &error), CAIRN_OK);
    check_close(local.symmetry_error, 0.01 / 4.0, 1e-14, 0.0);
    check_close(local.q_norm, 5.0, 1e-15, 0.0);
    check_close(local.conditioning, 4.0, 1e-4, 0.0);
    assert_int_equal(local.rank, 3);
    assert_int_equal(local.W_entries, 4);
    fixture_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_local),      cmocka_unit_test(test_global),
        cmocka_unit_test(test_singular),   cmocka_unit_test(test_unsymmetric_mass),
        cmocka_unit_test(test_both_forms), cmocka_unit_test(test_description),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
