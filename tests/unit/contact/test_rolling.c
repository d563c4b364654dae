// SPDX-License-Identifier: Apache-2.0
// Rolling cones: projection, moments, and whole problems against closed forms and one another.
#include "base/rng.h"
#include "contact/cones/rolling_cone.h"
#include "contact/existence/existence.h"
#include "contact/local/moment.h"
#include "contact/solvers/solver.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIALS = 2000, SPHERES = 12, BLOCKS = 2 * (2 * SPHERES - 1) };

static bool is_inside(const double z[2][3], const con_rolling_cone *cone, double slack)
{
    return hypot(z[0][1], z[0][2]) <= cone->sliding * z[0][0] + slack &&
           hypot(z[1][1], z[1][2]) <= cone->rolling * z[0][0] + slack &&
           fabs(z[1][0]) <= cone->spinning * z[0][0] + slack && z[0][0] >= -slack;
}

/// z = p + n with p in the cone, n in its polar cone and p.n = 0 (Moreau): p is the projection.
static void test_projection_is_moreaus(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(7);
    for (int trial = 0; trial < TRIALS; trial++) {
        const con_rolling_cone cone = {base_rng_range(&rng, 0.0, 2.0),
                                       trial % 5 == 0 ? 0.0 : base_rng_range(&rng, 0.0, 1.0),
                                       trial % 3 == 0 ? 0.0 : base_rng_range(&rng, 0.0, 1.0)};
        double z[2][3], p[2][3], n[2][3], product = 0.0, size = 0.0;
        for (int b = 0; b < 2; b++)
            for (int k = 0; k < 3; k++)
                z[b][k] = base_rng_range(&rng, -1.0, 1.0);
        con_rolling_cone_project((const double(*)[3])z, &cone, p);
        for (int b = 0; b < 2; b++)
            for (int k = 0; k < 3; k++) {
                n[b][k] = z[b][k] - p[b][k];
                product += n[b][k] * p[b][k];
                size += z[b][k] * z[b][k];
            }
        assert_true(is_inside((const double(*)[3])p, &cone, 1e-14));
        assert_true(fabs(product) <= 1e-14 * size);
        // polar: -n_N >= mu |n_T| + mu_r |n_mT| + mu_s |n_mN|
        assert_true(-n[0][0] + 1e-14 >= cone.sliding * hypot(n[0][1], n[0][2]) +
                                            cone.rolling * hypot(n[1][1], n[1][2]) +
                                            cone.spinning * fabs(n[1][0]));
    }
}

static void test_moment_resists(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(11);
    for (int trial = 0; trial < TRIALS; trial++) {
        double A[3][3], W[3][3] = {{0.0}}, b[3], m[3] = {0.0, 0.0, 0.0}, w[3];
        bool spins = trial % 2 == 0;
        for (int i = 0; i < 9; i++)
            A[i / 3][i % 3] = base_rng_range(&rng, -1.0, 1.0);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < (trial % 7 == 0 ? 1 : 3); k++)
                    W[i][j] += A[i][k] * A[j][k];
        for (int k = 0; k < 3; k++)
            b[k] = base_rng_range(&rng, -1.0, 1.0);
        con_moment_block block;
        con_moment_prepare((const double(*)[3])W, &block);
        double radius = base_rng_range(&rng, 0.01, 2.0), spin = spins ? 0.3 : 0.0;
        for (int sweep = 0; sweep < (spins ? 2000 : 1); sweep++)
            con_moment_solve(&block, b, radius, spin, m);
        for (int i = 0; i < 3; i++)
            w[i] = b[i] + W[i][0] * m[0] + W[i][1] * m[1] + W[i][2] * m[2];
        double length = hypot(m[1], m[2]), speed = hypot(w[1], w[2]);
        assert_true(length <= radius * (1.0 + 1e-14));
        assert_true(speed < 1e-8 || length > radius * (1.0 - 1e-9));
        assert_true(fabs(m[1] * w[1] + m[2] * w[2] + length * speed) < 1e-8);
        assert_true(fabs(m[0]) <= spin);
        assert_true(fabs(w[0]) < 1e-8 || !spins || fabs(fabs(m[0]) - spin) < 1e-12);
    }
}

/// Forces that die away leave bounds of any smallness, down to numbers that have no square.
static void test_small_bounds(void **state)
{
    (void)state;
    const double W[3][3] = {{2.0, 0.3, 0.1}, {0.3, 1.5, 0.2}, {0.1, 0.2, 1.0}};
    const double b[3] = {0.1, 0.4, -0.3}, small[3] = {0.0, 4e-200, -3e-200};
    con_moment_block block;
    con_moment_prepare(W, &block);
    for (double radius = 1e-3; radius > 0.0; radius *= 1e-3) {
        double m[3] = {0.0, 0.0, 0.0}, n[3] = {0.0, 0.0, 0.0};
        con_moment_solve(&block, b, radius, 0.0, m);
        assert_true(m[0] == 0.0 && m[1] < 0.0 && m[2] > 0.0);
        // below 1e-300 numbers have few digits
        assert_true(hypot(m[1], m[2]) <= radius * (1.0 + (radius > 1e-300 ? 1e-12 : 1.0)));
        con_moment_solve(&block, small, radius, 0.0, n);
        assert_true(isfinite(n[1]) && isfinite(n[2]));
        assert_true(hypot(n[1], n[2]) <= radius * (1.0 + (radius > 1e-300 ? 1e-12 : 1.0)));
    }
}

/// Spheres in a row on a plane, each touching the next: n sphere-plane contacts and n - 1 between.
typedef struct row {
    con_problem problem;
    base_arena *arena;
    int body[BLOCKS][2];
    double H[BLOCKS][2][3][6], mass_inverse[SPHERES][6], v_free[SPHERES][6];
    double w[BLOCKS][3], q[BLOCKS][3], friction[BLOCKS], spinning[BLOCKS];
    mat3 diagonal[BLOCKS];
} row;

/// Rows of one contact of body a (NULL: the plane) and b at a point `arm` from each centre.
static void fill_pair(row *x, int i, int a, int b, const double n[3], double radius)
{
    double t1[3] = {n[1], n[2], n[0]}, frame[3][3];
    double along = t1[0] * n[0] + t1[1] * n[1] + t1[2] * n[2], size = 0.0;
    for (int k = 0; k < 3; k++)
        size += (t1[k] - along * n[k]) * (t1[k] - along * n[k]);
    for (int k = 0; k < 3; k++) {
        frame[0][k] = n[k];
        frame[1][k] = (t1[k] - along * n[k]) / sqrt(size);
    }
    for (int k = 0; k < 3; k++)
        frame[2][k] =
            n[(k + 1) % 3] * frame[1][(k + 2) % 3] - n[(k + 2) % 3] * frame[1][(k + 1) % 3];
    for (int s = 0; s < 2; s++) {
        double sign = s == 0 ? -1.0 : 1.0, arm = s == 0 ? radius : -radius; // along n
        x->body[i][s] = x->body[i + 1][s] = s == 0 ? a : b;
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++) {
                double lever = arm * (n[(k + 1) % 3] * frame[r][(k + 2) % 3] -
                                      n[(k + 2) % 3] * frame[r][(k + 1) % 3]);
                x->H[i][s][r][k] = sign * frame[r][k];
                x->H[i][s][r][3 + k] = sign * lever;
                x->H[i + 1][s][r][3 + k] = sign * frame[r][k];
            }
    }
}

static row *make_row(double mu, double rolling, double spinning, const double speed[3])
{
    const double radius = 0.1, gravity = 9.81 * 0.01, mass = 2.0;
    static const double up[3] = {0.0, 0.0, 1.0}, along[3] = {1.0, 0.0, 0.0};
    row *x = calloc(1, sizeof *x);
    base_allocator allocator = base_allocator_default();
    assert_non_null(x);
    x->arena = base_arena_create(&allocator, 1 << 20);
    for (int b = 0; b < SPHERES; b++) {
        for (int k = 0; k < 6; k++)
            x->mass_inverse[b][k] = k < 3 ? 1.0 / mass : 1.0 / (0.4 * mass * radius * radius);
        x->v_free[b][0] = speed[0] * (1.0 - 0.1 * b);
        x->v_free[b][1] = speed[1];
        x->v_free[b][2] = -gravity;
        x->v_free[b][5] = speed[2];
    }
    int i = 0;
    for (int b = 0; b < SPHERES; b++, i += 2)
        fill_pair(x, i, -1, b, up, radius);
    for (int b = 0; b + 1 < SPHERES; b++, i += 2)
        fill_pair(x, i, b, b + 1, along, radius);
    for (int k = 0; k < BLOCKS; k++) {
        x->friction[k] = k % 2 == 0 ? mu : rolling;
        x->spinning[k] = k % 2 == 0 ? -1.0 : spinning;
    }
    x->problem = (con_problem){.contact_count = BLOCKS,
                               .q = (const double(*)[3])x->q,
                               .friction = x->friction,
                               .spinning = x->spinning,
                               .W_diagonal = x->diagonal,
                               .body_count = SPHERES,
                               .body = (const int(*)[2])x->body,
                               .H = (const double(*)[2][3][6])x->H,
                               .mass_inverse = (const double(*)[6])x->mass_inverse,
                               .v_free = (const double(*)[6])x->v_free,
                               .w = (const double(*)[3])x->w};
    con_assemble_diagonal(&x->problem, x->diagonal);
    con_apply_H(&x->problem, x->problem.v_free, x->problem.w, x->q);
    return x;
}

static void destroy_row(row *x)
{
    base_arena_destroy(x->arena);
    free(x);
}

static const char *const solvers[] = {"auto", "gauss_seidel", "paln", "vi_fixed_point"};

/// The law of each contact, from R and U alone.
static void check_law(const row *x, const double (*R)[3], const double (*U)[3], double slack)
{
    for (int i = 0; i < BLOCKS; i += 2) {
        double normal = R[i][0], force = hypot(R[i][1], R[i][2]), slip = hypot(U[i][1], U[i][2]);
        double moment = hypot(R[i + 1][1], R[i + 1][2]), turn = hypot(U[i + 1][1], U[i + 1][2]);
        double mu = x->friction[i], rolling = x->friction[i + 1], spinning = x->spinning[i + 1];
        assert_true(normal >= -slack && U[i][0] >= -slack && fabs(normal * U[i][0]) <= slack);
        assert_true(force <= mu * normal + slack && moment <= rolling * normal + slack);
        assert_true(fabs(R[i + 1][0]) <= spinning * normal + slack);
        // power: what is at the bound resists, what is inside does not move
        assert_true(fabs(R[i][1] * U[i][1] + R[i][2] * U[i][2] + mu * normal * slip) <= slack);
        assert_true(fabs(R[i + 1][1] * U[i + 1][1] + R[i + 1][2] * U[i + 1][2] +
                         rolling * normal * turn) <= slack);
        assert_true(fabs(R[i + 1][0] * U[i + 1][0] + spinning * normal * fabs(U[i + 1][0])) <=
                    slack);
    }
}

static void test_solvers_keep_the_law(void **state)
{
    (void)state;
    static const double speeds[][3] = {{0.0, 0.0, 0.0}, {0.3, 0.05, 0.5}, {2.0, -1.0, -4.0}};
    for (int turn = 0; turn < 3 * 4 * 2; turn++) {
        bool matrix = turn % 2 == 1; // W form
        row *x = make_row(0.4, 0.01, turn % 4 < 2 ? 0.0 : 0.005, speeds[turn / 8]);
        for (int s = 0; s < 4; s++) {
            double R[BLOCKS][3] = {{0.0}}, U[BLOCKS][3];
            con_problem problem = x->problem;
            assert_int_equal(con_problem_assemble_delassus(&problem, x->arena), CAIRN_OK);
            if (matrix)
                problem.H = NULL;
            const con_control control = {.tolerance = s == 0 ? 1e-11 : 1e-8,
                                         .max_iterations = 1000000};
            con_report report;
            assert_int_equal(con_solve(con_solver_find(solvers[s]), NULL, &problem, &control, R, U,
                                       &report, x->arena),
                             CAIRN_OK);
            if (report.stop != CON_STOP_SOLVED)
                fail_msg("%s, case %d: error %g", solvers[s], turn, report.residual.error);
            check_law(x, (const double(*)[3])R, (const double(*)[3])U, s == 0 ? 1e-10 : 1e-7);
            base_arena_reset(x->arena);
        }
        destroy_row(x);
    }
}

/// The interior point alone, from afar and to above its floor of round-off: each of the three
/// bounds there or not.
static void test_interior_point_keeps_the_law(void **state)
{
    (void)state;
    _Alignas(16) unsigned char settings[CON_SOLVER_SETTINGS_MAX];
    const con_solver *nipm = con_solver_find("nipm");
    base_settings_defaults(&nipm->table, settings);
    cairn_error error;
    assert_int_equal(base_settings_set_text(&nipm->table, settings, "sweeps", "0", &error),
                     CAIRN_OK);
    assert_int_equal(base_settings_set_text(&nipm->table, settings, "start_scale", "1", &error),
                     CAIRN_OK);
    static const double speed[3] = {0.3, 0.05, 0.5};
    for (int turn = 0; turn < 2 * 8; turn++) {
        bool matrix = turn % 2 == 1; // W form
        row *x =
            make_row(turn & 2 ? 0.4 : 0.0, turn & 4 ? 0.01 : 0.0, turn & 8 ? 0.005 : 0.0, speed);
        double R[BLOCKS][3] = {{0.0}}, U[BLOCKS][3];
        con_problem problem = x->problem;
        assert_int_equal(con_problem_assemble_delassus(&problem, x->arena), CAIRN_OK);
        if (matrix)
            problem.H = NULL;
        const con_control control = {.tolerance = 1e-6, .max_iterations = 50};
        con_report report;
        assert_int_equal(con_solve(nipm, settings, &problem, &control, R, U, &report, x->arena),
                         CAIRN_OK);
        if (report.stop != CON_STOP_SOLVED)
            fail_msg("case %d: error %g after %d", turn, report.residual.error, report.iterations);
        check_law(x, (const double(*)[3])R, (const double(*)[3])U, 1e-5);
        destroy_row(x);
    }
}

/// The answer does not depend on the units of mass, length and time.
static void test_measure_is_free_of_units(void **state)
{
    (void)state;
    double error[2];
    for (int k = 0; k < 2; k++) {
        row *x = make_row(0.4, 0.01, 0.005, (const double[3]){0.3, 0.05, 0.5});
        double length = k == 0 ? 1.0 : 1e-3, mass = k == 0 ? 1.0 : 1e4;
        double R[BLOCKS][3], U[BLOCKS][3];
        for (int i = 0; i < BLOCKS; i++) {
            bool moment = i % 2 == 1;
            for (int a = 0; a < 3; a++) {
                R[i][a] = moment ? 0.002 * mass * length * length : 0.1 * mass * length;
                x->w[i][a] *= length;
                for (int s = 0; s < 2; s++)
                    for (int c = 3; c < 6; c++)
                        x->H[i][s][a][c] *= moment ? 1.0 : length;
            }
            if (moment) {
                x->friction[i] *= length;
                x->spinning[i] *= length;
            }
        }
        for (int b = 0; b < SPHERES; b++)
            for (int c = 0; c < 6; c++) {
                x->mass_inverse[b][c] /= c < 3 ? mass : mass * length * length;
                x->v_free[b][c] *= c < 3 ? length : 1.0;
            }
        con_assemble_diagonal(&x->problem, x->diagonal);
        con_apply_H(&x->problem, x->problem.v_free, x->problem.w, x->q);
        con_residual residual;
        assert_int_equal(
            con_residual_compute(&x->problem, (const double(*)[3])R, U, &residual, x->arena),
            CAIRN_OK);
        error[k] = residual.error;
        destroy_row(x);
    }
    assert_true(error[0] > 0.1);
    assert_true(fabs(error[0] - error[1]) <= 1e-12 * error[0]);
}

static void test_others_refuse_by_status(void **state)
{
    (void)state;
    row *x = make_row(0.4, 0.01, 0.0, (const double[3]){0.0, 0.0, 0.0});
    double R[BLOCKS][3] = {{0.0}}, U[BLOCKS][3];
    int count, refusing = 0;
    const con_solver *const *all = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        const con_control control = {.tolerance = 1e-6};
        con_report report;
        if (all[s]->needs & CON_TAKES_ROLLING)
            continue;
        refusing++;
        assert_int_equal(con_solve(all[s], NULL, &x->problem, &control, R, U, &report, x->arena),
                         CAIRN_ERROR_UNSUPPORTED);
    }
    assert_true(refusing > 0);
    con_existence existence;
    assert_int_equal(con_existence_check(&x->problem, &existence, NULL, x->arena), CAIRN_OK);
    assert_int_equal(existence.verdict, CON_EXISTENCE_NOT_SHOWN);
    destroy_row(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projection_is_moreaus),
        cmocka_unit_test(test_moment_resists),
        cmocka_unit_test(test_small_bounds),
        cmocka_unit_test(test_solvers_keep_the_law),
        cmocka_unit_test(test_interior_point_keeps_the_law),
        cmocka_unit_test(test_measure_is_free_of_units),
        cmocka_unit_test(test_others_refuse_by_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
