// SPDX-License-Identifier: Apache-2.0
// Mixed problem files: joints written in both forms, read back, and the four forms of one problem.
#include "tests/unit/contact/joint_fixture.h"

#include "contact/existence/existence.h"
#include "contact/fclib/fclib.h"
#include "contact/problem/reduced.h"

#include <stdio.h>
#include <unistd.h>

#define ROWS_OF(rows) ((void *)(rows))

enum { FORMS = 4 };

static const char *const form_names[FORMS] = {"GM3DFC", "M3DFC", "G3DFC", "3DFC"};

static void scratch_folder(char path[64])
{
    snprintf(path, 64, "/tmp/cairn-mixed-XXXXXX");
    assert_non_null(mkdtemp(path));
}

static con_report solve(const con_problem *problem, double tolerance, double (*R)[3],
                        double (*U)[3], base_arena *arena)
{
    con_control control = {.tolerance = tolerance};
    con_report report;
    assert_int_equal(
        con_solve(con_solver_find("auto"), NULL, problem, &control, R, U, &report, arena),
        CAIRN_OK);
    return report;
}

/// Motions that the joints allow, orthonormal in the kinetic norm, by random trials.
static int allowed_motions(const mixed *x, double (*Z)[6], int most)
{
    int m = x->f.problem.body_count, count = 0;
    base_rng rng = base_rng_make(99);
    double *zero = fixture_array((size_t)joint_fixture_rows(&x->j) + 1, sizeof *zero);
    con_joint_factors *factors;
    assert_int_equal(
        con_joints_factor(&x->j.joints, m, x->f.problem.mass_inverse, x->f.arena, &factors),
        CAIRN_OK);
    for (int trial = 0; trial < 6 * m && count < most; trial++) {
        double(*z)[6] = Z + count * m, size = 0.0, rest = 0.0;
        for (int k = 0; k < 6 * m; k++)
            z[k / 6][k % 6] = base_rng_range(&rng, -1.0, 1.0);
        con_joint_factors_solve(factors, zero, (const double(*)[6])z, z, NULL);
        for (int turn = 0; turn < 2; turn++) {
            for (int other = 0; other < count; other++) {
                double product = 0.0;
                for (int k = 0; k < 6 * m; k++)
                    product += z[k / 6][k % 6] * Z[other * m + k / 6][k % 6] /
                               x->f.mass_inverse[k / 6][k % 6];
                for (int k = 0; k < 6 * m; k++)
                    z[k / 6][k % 6] -= product * Z[other * m + k / 6][k % 6];
            }
            rest = 0.0;
            for (int k = 0; k < 6 * m; k++)
                rest += z[k / 6][k % 6] * z[k / 6][k % 6] / x->f.mass_inverse[k / 6][k % 6];
            if (turn == 0)
                size = rest;
        }
        if (rest < 1e-10 || size < 1e-10)
            break;
        for (int k = 0; k < 6 * m; k++)
            z[k / 6][k % 6] /= sqrt(rest);
        count++;
    }
    free(zero);
    return count;
}

/// The global form without multipliers: v = v_p + Z y, M = I, H' = Z^T H^T, f = 0, w = q.
static con_fclib_problem reduced_global(const mixed *x, const con_reduction *reduction)
{
    int m = x->f.problem.body_count, n = x->f.problem.contact_count;
    base_arena *arena = x->f.arena;
    double(*Z)[6] = base_arena_allocate(arena, "Z", (size_t)(6 * m * m + m), sizeof *Z);
    int count = allowed_motions(x, Z, 6 * m);
    con_fclib_problem out = {.form = CON_FCLIB_GLOBAL,
                             .dimension = 3,
                             .contact_count = n,
                             .velocity_count = count,
                             .friction = x->f.friction,
                             .w = reduction->problem.q[0]};
    double *f = base_arena_array(arena, double, "f", count);
    double(*u)[3] = base_arena_allocate(arena, "u", (size_t)n, sizeof *u);
    double(*none)[3] = base_arena_allocate(arena, "none", (size_t)n, sizeof *none);
    memset(none, 0, (size_t)n * sizeof *none);
    con_triplets M, H;
    assert_int_equal(con_triplets_reserve(&M, count, arena), CAIRN_OK);
    assert_int_equal(con_triplets_reserve(&H, 3 * n * count, arena), CAIRN_OK);
    for (int k = 0; k < count; k++) {
        f[k] = 0.0;
        con_triplets_add(&M, k, k, 1.0);
        con_apply_H(&x->f.problem, (const double(*)[6])(Z + k * m), ROWS_OF(none), u);
        for (int i = 0; i < 3 * n; i++)
            con_triplets_add(&H, k, i, u[i / 3][i % 3]);
    }
    out.f = f;
    assert_int_equal(con_sparse_from_triplets(&M, count, count, arena, &out.M), CAIRN_OK);
    assert_int_equal(con_sparse_from_triplets(&H, count, 3 * n, arena, &out.H), CAIRN_OK);
    return out;
}

// the four files of one problem
static void write_forms(const mixed *x, const double (*R)[3], const char *folder,
                        char paths[FORMS][128])
{
    con_problem problem = mixed_problem(x);
    cairn_error error;
    for (int form = 0; form < FORMS; form++)
        snprintf(paths[form], 128, "%s/%s.hdf5", folder, form_names[form]);
    assert_int_equal(
        con_fclib_write(paths[0], CON_FCLIB_GLOBAL, &problem, R, R, NULL, NULL, x->f.arena, &error),
        CAIRN_OK);
    assert_int_equal(
        con_fclib_write(paths[1], CON_FCLIB_LOCAL, &problem, R, R, NULL, NULL, x->f.arena, &error),
        CAIRN_OK);
    con_reduction reduction;
    assert_int_equal(con_reduce_joints(&problem, x->f.arena, &reduction), CAIRN_OK);
    con_problem rows;
    assert_int_equal(con_reduction_delassus(&reduction, x->f.arena, &rows), CAIRN_OK);
    con_fclib_problem content = reduced_global(x, &reduction);
    assert_int_equal(con_fclib_save(paths[2], &content, x->f.arena, &error), CAIRN_OK);
    assert_int_equal(con_fclib_write(paths[3], CON_FCLIB_LOCAL, &rows, NULL, NULL, NULL, NULL,
                                     x->f.arena, &error),
                     CAIRN_OK);
}

typedef struct loaded {
    con_fclib_problem *content;
    con_fclib_conversion *conversion;
} loaded;

static loaded load(const char *path)
{
    base_allocator allocator = base_allocator_default();
    cairn_error error;
    loaded file;
    if (con_fclib_read(path, &allocator, &file.content, &error) != CAIRN_OK ||
        con_fclib_convert(file.content, &allocator, &file.conversion, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    return file;
}

static void unload(loaded *file)
{
    con_fclib_conversion_destroy(file->conversion);
    con_fclib_problem_destroy(file->content);
}

// the vectors in the file satisfy its own equations, l included
static void check_equations(const con_fclib_problem *content)
{
    int rows = 3 * content->contact_count, n = content->velocity_count, p = content->equality_count;
    const con_fclib_vectors *s = &content->solution;
    double *u = fixture_array((size_t)(rows + n + p + 1), sizeof *u), *v = u + rows, *e = v + n;
    double size = 1.0;
    if (content->form == CON_FCLIB_GLOBAL) {
        memcpy(u, content->w, (size_t)rows * sizeof *u);
        con_sparse_apply_transposed_add(&content->H, s->v, u);
        for (int k = 0; k < n; k++)
            v[k] = content->f[k];
        con_sparse_apply_add(&content->H, s->r, v);
        con_sparse_apply_add(&content->G, s->l, v);
        for (int k = 0; k < n; k++)
            check_close(v[k], content->M.value[k] * s->v[k], 1e-10, 1e-10);
        memcpy(e, content->b, (size_t)p * sizeof *e);
        con_sparse_apply_transposed_add(&content->G, s->v, e);
    } else {
        memcpy(u, content->q, (size_t)rows * sizeof *u);
        con_sparse_apply_add(&content->W, s->r, u);
        con_sparse_apply_add(&content->V, s->l, u);
        memcpy(e, content->s, (size_t)p * sizeof *e);
        con_sparse_apply_add(&content->S, s->r, e);
        con_sparse_apply_add(&content->R, s->l, e);
    }
    for (int k = 0; k < p; k++)
        size = fmax(size, fabs(s->l[k]));
    for (int i = 0; i < rows; i++)
        check_close(u[i], s->u[i], 1e-10, 1e-11 * size);
    for (int k = 0; k < p; k++)
        check_close(e[k], 0.0, 0.0, 1e-11 * size);
    free(u);
}

// one solution for all forms, and each form's own solution is one of the live problem
static void check_forms(mixed *x, char paths[FORMS][128])
{
    con_problem problem = mixed_problem(x);
    int n = problem.contact_count;
    double(*U)[3] = fixture_array((size_t)n, sizeof *U),
    (*R)[3] = fixture_array((size_t)n, sizeof *R);
    for (int form = 0; form < FORMS; form++) {
        loaded file = load(paths[form]);
        con_residual residual;
        assert_int_equal(file.content->equality_count, form < 2 ? joint_fixture_rows(&x->j) : 0);
        assert_true((file.conversion->problem.joints != NULL) == (form == 0));
        if (form < 2)
            check_equations(file.content);
        assert_int_equal(con_residual_compute(&file.conversion->problem, ROWS_OF(x->f.R), U,
                                              &residual, x->f.arena),
                         CAIRN_OK);
        check_at_most(residual.error, 1.01e-10);
        for (int i = 0; i < 3 * n; i++)
            check_close(U[i / 3][i % 3], x->f.U[i / 3][i % 3], 1e-9, 1e-9);
        memset(R, 0, (size_t)n * sizeof *R);
        con_report report = solve(&file.conversion->problem, 1e-8, R, U, x->f.arena);
        assert_int_equal(report.stop, CON_STOP_SOLVED);
        assert_int_equal(con_residual_compute(&problem, ROWS_OF(R), U, &residual, x->f.arena),
                         CAIRN_OK);
        check_at_most(residual.error, 1.01e-8);
        check_at_most(residual.error_joints, 1e-13);
        con_existence existence;
        assert_int_equal(
            con_existence_check(&file.conversion->problem, &existence, NULL, x->f.arena), CAIRN_OK);
        assert_int_equal(existence.verdict, CON_EXISTENCE_SHOWN);
        unload(&file);
    }
    free(U);
    free(R);
}

static void try_forms(mixed *x)
{
    char folder[64], paths[FORMS][128];
    con_problem problem = mixed_problem(x);
    con_report report = solve(&problem, 1e-10, x->f.R, x->f.U, x->f.arena);
    assert_int_equal(report.stop, CON_STOP_SOLVED);
    scratch_folder(folder);
    write_forms(x, ROWS_OF(x->f.R), folder, paths);
    check_forms(x, paths);
    for (int form = 0; form < FORMS; form++)
        unlink(paths[form]);
    rmdir(folder);
}

static void four_forms_of_one_problem(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        mixed x = mixed_cloud(12, 8, 6, 0.4, seed);
        for (int k = 0; k < joint_fixture_rows(&x.j); k++)
            x.j.b[k] = 0.0;
        try_forms(&x);
        mixed_destroy(&x);
    }
}

// more joints than motions to take away, and a locked velocity
static void forms_of_redundant_joints(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        mixed x = mixed_cloud(12, 8, 6, 0.4, seed);
        int first = x.j.joints.count;
        for (int k = 0; k < 3; k++)
            for (int copy = 0; copy < 1; copy++) {
                int joint = x.j.joints.count++, rows = x.j.start[k + 1] - x.j.start[k];
                assert_true(joint < 2 * first);
                x.j.start[joint + 1] = x.j.start[joint] + rows;
                memcpy(x.j.body[joint], x.j.body[k], sizeof *x.j.body);
                memcpy(x.j.G[x.j.start[joint]], x.j.G[x.j.start[k]], (size_t)rows * sizeof *x.j.G);
            }
        try_forms(&x);
        mixed_destroy(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_forms_of_one_problem),
        cmocka_unit_test(forms_of_redundant_joints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
