// SPDX-License-Identifier: Apache-2.0
// The parts of the literature's solvers, each against its definition, and their options.
#include "tests/unit/contact/fixture.h"

#include "base/assert.h"
#include "contact/cones/cone.h"
#include "contact/cones/projection.h"
#include "contact/cones/soc.h"
#include "contact/linear/gmres.h"
#include "contact/problem/operator.h"
#include "contact/solvers/newton/semismooth.h"

static void random_vector(base_rng *rng, double size, double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = base_rng_range(rng, -size, size);
}

static con_report solve(const char *name, const void *settings, fixture *f, double tolerance)
{
    con_report report;
    con_control control = {.tolerance = tolerance, .time_limit = 20.0};
    memset(f->R, 0, (size_t)f->problem.contact_count * sizeof *f->R);
    assert_int_equal(con_solve(con_solver_find(name), settings, &f->problem, &control, f->R, f->U,
                               &report, f->arena),
                     CAIRN_OK);
    return report;
}

// W and q of a problem in body form, without the bodies
static con_problem rows_alone(fixture *f)
{
    con_problem rows = f->problem;
    assert_int_equal(con_problem_assemble_delassus(&rows, f->arena), CAIRN_OK);
    rows.H = NULL;
    rows.body = NULL;
    rows.mass_inverse = rows.v_free = NULL;
    rows.w = NULL;
    rows.body_count = 0;
    return rows;
}

// both forms give U = W R + q of the problem
static void operators_scale_the_problem(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(11);
    fixture f = fixture_cloud(50, 20, 0.4, 3);
    con_problem forms[2] = {f.problem, rows_alone(&f)};
    for (int i = 0; i < 50; i++)
        random_vector(&rng, 1.0, f.R[i]);
    assert_int_equal(con_problem_velocity(&f.problem, (const double(*)[3])f.R, f.U, f.arena),
                     CAIRN_OK);
    for (int form = 0; form < 2; form++) {
        con_operator op;
        double r[50][3], u[50][3], back[50][3];
        assert_int_equal(con_operator_create(&forms[form], f.arena, &op), CAIRN_OK);
        con_operator_scale(&op, (const double(*)[3])f.R, r);
        con_operator_apply(&op, (const double(*)[3])r, true, u);
        con_operator_unscale(&op, (const double(*)[3])r, back);
        for (int i = 0; i < 50; i++) {
            check_close(mat3_trace(&op.diagonal[i]), 3.0, 1e-12, 0.0);
            for (int k = 0; k < 3; k++) {
                check_close(op.unit[i] * u[i][k], f.U[i][k], 1e-10, 1e-12);
                check_close(back[i][k], f.R[i][k], 1e-12, 0.0);
            }
        }
    }
    fixture_destroy(&f);
}

// a contact that cannot bear is left open, the others are solved
static void contacts_that_cannot_bear_stay_open(void **state)
{
    (void)state;
    int count;
    const con_solver *const *solvers = con_solver_list(&count);
    for (int s = 0; s < count; s++) {
        fixture f = fixture_cloud(10, 30, 0.3, 4);
        f.body[3][0] = f.body[3][1] = -1;
        f.w[3][0] = 0.5;
        fixture_finish(&f);
        con_report report = solve(solvers[s]->name, NULL, &f, 1e-5);
        if (strcmp(solvers[s]->name, "soclcp_relaxation") != 0)
            assert_int_equal(report.stop, CON_STOP_SOLVED);
        for (int k = 0; k < 3; k++)
            assert_true(f.R[3][k] == 0.0);
        fixture_destroy(&f);
    }
}

// nearest point: no other point of the set is nearer; derivative against differences
static void projections_are_nearest_points(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(5);
    for (int trial = 0; trial < 2000; trial++) {
        con_set set = (con_set)(trial % 4);
        double z[3], p[3], other[3], size = base_rng_range(&rng, 0.0, 1.5);
        random_vector(&rng, 2.0, z);
        con_set_project(set, size, z, p);
        random_vector(&rng, 2.0, other);
        con_set_project(set, size, other, other);
        // frozen components are those of z
        if (set == CON_SET_NORMAL)
            memcpy(other + 1, z + 1, 2 * sizeof *z);
        if (set == CON_SET_DISC)
            other[0] = z[0];
        double obtuse = 0.0;
        for (int k = 0; k < 3; k++)
            obtuse += (z[k] - p[k]) * (other[k] - p[k]);
        check_at_most(obtuse, 1e-12);
        double D[3][3], h = 1e-6, kink = 0.0;
        con_set_derivative(set, size, z, D);
        double here[3][3];
        for (int j = 0; j < 3; j++) {
            double a[3] = {z[0], z[1], z[2]}, b[3] = {z[0], z[1], z[2]}, E[3][3];
            a[j] += h;
            b[j] -= h;
            con_set_derivative(set, size, a, E);
            for (int i = 0; i < 3; i++)
                kink = fmax(kink, fabs(E[i][j] - D[i][j]));
            con_set_derivative(set, size, b, E);
            for (int i = 0; i < 3; i++)
                kink = fmax(kink, fabs(E[i][j] - D[i][j]));
            con_set_project(set, size, a, a);
            con_set_project(set, size, b, b);
            for (int i = 0; i < 3; i++)
                here[i][j] = (a[i] - b[i]) / (2.0 * h);
        }
        // away from edges of the set
        for (int i = 0; i < 3 && kink < 1e-3; i++)
            for (int j = 0; j < 3; j++)
                check_close(D[i][j], here[i][j], 1e-4, 1e-4);
    }
}

static con_equation_map *const maps[] = {con_equation_alart_curnier, con_equation_jean_moreau,
                                         con_equation_natural_map, con_equation_fischer_burmeister};

// F of every map vanishes at open, sticking and sliding contacts, and not elsewhere
static void equations_hold_where_the_law_does(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(8);
    for (int trial = 0; trial < 400; trial++) {
        double mu = trial % 5 == 0 ? 0.0 : base_rng_range(&rng, 0.1, 1.2), u[3], r[3];
        double rho[2] = {base_rng_range(&rng, 0.3, 2.0), base_rng_range(&rng, 0.3, 2.0)};
        random_vector(&rng, 1.0, u);
        random_vector(&rng, 1.0, r);
        r[0] = fabs(r[0]) + 0.1;
        con_cone_project(r, mu, r);
        if (trial % 3 == 0) {
            r[0] = r[1] = r[2] = 0.0;
            u[0] = fabs(u[0]);
        } else if (trial % 3 == 1) {
            u[0] = u[1] = u[2] = 0.0;
        } else {
            double slip = hypot(u[1], u[2]);
            u[0] = 0.0;
            r[1] = -mu * r[0] * u[1] / slip;
            r[2] = -mu * r[0] * u[2] / slip;
        }
        for (int m = 0; m < BASE_COUNT(maps); m++) {
            con_equation e;
            maps[m](mu, rho, u, r, &e);
            for (int k = 0; k < 3; k++)
                check_at_most(fabs(e.F[k]), 1e-7);
            double wrong[3] = {r[0] + 0.5, r[1] + 0.5, r[2]}, moved[3] = {u[0] + 1.0, u[1], u[2]};
            maps[m](mu, rho, moved, wrong, &e);
            assert_true(fabs(e.F[0]) + fabs(e.F[1]) + fabs(e.F[2]) > 1e-3);
        }
    }
}

// derivatives by r and u against differences, where the map is smooth
static void equations_have_their_derivatives(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(9);
    int compared = 0;
    for (int trial = 0; trial < 1000; trial++) {
        double mu = base_rng_range(&rng, 0.1, 1.2), point[6], rho[2] = {0.7, 1.3}, h = 1e-6;
        random_vector(&rng, 1.0, point);
        random_vector(&rng, 1.0, point + 3);
        for (int m = 0; m < BASE_COUNT(maps); m++) {
            con_equation here, plus, minus;
            maps[m](mu, rho, point, point + 3, &here);
            for (int j = 0; j < 6; j++) {
                double a[6], b[6];
                memcpy(a, point, sizeof a);
                memcpy(b, point, sizeof b);
                a[j] += h;
                b[j] -= h;
                maps[m](mu, rho, a, a + 3, &plus);
                maps[m](mu, rho, b, b + 3, &minus);
                for (int i = 0; i < 3; i++) {
                    double forward = (plus.F[i] - here.F[i]) / h;
                    double backward = (here.F[i] - minus.F[i]) / h;
                    double exact = j < 3 ? here.B[i][j] : here.A[i][j - 3];
                    if (fabs(forward - backward) > 1e-3)
                        continue; // a kink between the two points
                    compared++;
                    check_close(exact, 0.5 * (forward + backward), 1e-3, 2e-3);
                }
            }
        }
    }
    assert_true(compared > 60000);
}

enum { DENSE = 40 };

static void apply_dense(void *context, const double *x, double *out)
{
    const double(*A)[DENSE] = context;
    for (int i = 0; i < DENSE; i++) {
        out[i] = 0.0;
        for (int j = 0; j < DENSE; j++)
            out[i] += A[i][j] * x[j];
    }
}

static void gmres_solves_in_as_many_steps_as_rows(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(2);
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, 1 << 16);
    double A[DENSE][DENSE], x[DENSE], b[DENSE], found[DENSE], residual[DENSE];
    for (int i = 0; i < DENSE; i++) {
        x[i] = base_rng_range(&rng, -1.0, 1.0);
        for (int j = 0; j < DENSE; j++)
            A[i][j] = base_rng_range(&rng, -1.0, 1.0) + (i == j ? 4.0 : 0.0);
    }
    apply_dense(A, x, b);
    assert_int_equal(con_gmres(apply_dense, A, DENSE, b, 1e-13, DENSE, found, arena), CAIRN_OK);
    for (int i = 0; i < DENSE; i++)
        check_close(found[i], x[i], 1e-9, 1e-9);
    // fewer steps never make it worse than nothing
    double before = 0.0, after = 0.0;
    assert_int_equal(con_gmres(apply_dense, A, DENSE, b, 0.0, 5, found, arena), CAIRN_OK);
    apply_dense(A, found, residual);
    for (int i = 0; i < DENSE; i++) {
        before += b[i] * b[i];
        after += (b[i] - residual[i]) * (b[i] - residual[i]);
    }
    assert_true(after < before);
    memset(b, 0, sizeof b);
    assert_int_equal(con_gmres(apply_dense, A, DENSE, b, 1e-13, DENSE, found, arena), CAIRN_OK);
    assert_true(found[0] == 0.0 && found[DENSE - 1] == 0.0);
    base_arena_destroy(arena);
}

static void inside_cone(base_rng *rng, double x[3])
{
    random_vector(rng, 1.0, x);
    x[0] = hypot(x[1], x[2]) + base_rng_range(rng, 1e-3, 1.0);
}

static void cone_algebra_is_consistent(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(6);
    for (int trial = 0; trial < 500; trial++) {
        double x[3], y[3], z[3], back[3], d[3];
        con_soc_scaling s;
        inside_cone(&rng, x);
        inside_cone(&rng, y);
        con_soc_product(x, y, z);
        con_soc_divide(x, z, back);
        con_soc_scale(x, y, &s);
        con_soc_apply((const double(*)[3])s.inverse, x, z);
        for (int k = 0; k < 3; k++) {
            check_close(back[k], y[k], 1e-8, 1e-8);
            check_close(z[k], s.lambda[k], 1e-8, 1e-8);
        }
        // the longest step ends on the boundary, or at the limit inside
        random_vector(&rng, 2.0, d);
        double step = con_soc_step(x, d, 1.0), gap = x[0] + step * d[0];
        gap -= hypot(x[1] + step * d[1], x[2] + step * d[2]);
        assert_true(gap > -1e-9);
        if (step < 1.0)
            check_at_most(gap, 1e-9);
    }
}

// u of the relaxed problem lies in the dual cone, orthogonal to r: no shift
static void relaxed_problems_are_solved_as_such(void **state)
{
    (void)state;
    static const char *const names[] = {"soclcp_relaxation", "apgd", "barzilai_borwein",
                                        "interior_point"};
    for (int s = 0; s < BASE_COUNT(names); s++) {
        fixture f = fixture_cloud(40, 20, 0.5, 9);
        const con_solver *solver = con_solver_find(names[s]);
        _Alignas(16) unsigned char settings[CON_SOLVER_SETTINGS_MAX];
        cairn_error error;
        base_settings_defaults(&solver->table, settings);
        assert_int_equal(base_settings_set_text(&solver->table, settings, "outer", "0", &error),
                         CAIRN_OK);
        con_report report = solve(names[s], settings, &f, 1e-6);
        // it is not the law
        assert_int_equal(report.stop, CON_STOP_STAGNATED);
        double product = 0.0, outside = 0.0, size = 0.0;
        for (int i = 0; i < 40; i++) {
            const double *U = f.U[i], *R = f.R[i];
            outside = fmax(outside, 0.5 * hypot(U[1], U[2]) - U[0]);
            outside = fmax(outside, hypot(R[1], R[2]) - 0.5 * R[0]);
            product += fabs(U[0] * R[0] + U[1] * R[1] + U[2] * R[2]);
            size = fmax(size, R[0]);
        }
        check_at_most(outside, 1e-4 * size);
        check_at_most(product, 1e-3 * size);
        fixture_destroy(&f);
    }
}

static void relaxed_solvers_are_corrected_by_outer_programs(void **state)
{
    (void)state;
    const con_solver *solver = con_solver_find("soclcp_relaxation");
    _Alignas(16) unsigned char settings[CON_SOLVER_SETTINGS_MAX];
    cairn_error error;
    base_settings_defaults(&solver->table, settings);
    assert_int_equal(base_settings_set_text(&solver->table, settings, "outer", "1000", &error),
                     CAIRN_OK);
    fixture f = fixture_cloud(20, 30, 0.3, 9);
    con_report report = solve("soclcp_relaxation", settings, &f, 1e-8);
    assert_int_equal(report.stop, CON_STOP_SOLVED);
    check_at_most(fixture_residual(&f, (const double(*)[3])f.R), 1e-8 * (1.0 + 1e-6));
    fixture_destroy(&f);
}

static const struct variant {
    const char *solver, *name, *value;
} variants[] = {
    {"vi_fixed_point", "rule", "upts"},
    {"vi_extragradient", "rule", "upts"},
    {"block_jacobi", "splitting", "false"},
    {"tresca_fixed_point", "engine", "accelerated"},
    {"tresca_fixed_point", "engine", "spectral"},
    {"panagiotopoulos", "engine", "accelerated"},
    {"panagiotopoulos", "engine", "spectral"},
    {"aclm_fixed_point", "engine", "accelerated"},
    {"aclm_fixed_point", "engine", "spectral"},
    {"newton_alart_curnier", "line_search", "none"},
    {"newton_alart_curnier", "line_search", "armijo"},
    {"newton_alart_curnier", "rho", "spectral"},
    {"newton_natural_map", "sweeps", "10"},
    {"proximal_point", "rule", "error"},
    {"proximal_point", "equation", "jean_moreau"},
    {"proximal_point", "equation", "natural_map"},
    {"proximal_point", "equation", "fischer_burmeister"},
    {"projected_newton", "linear", "diagonal"},
    {"admm", "relaxation", "1"},
    {"interior_point", "relaxation", "0.7"},
};

static void variants_solve_easy_problems(void **state)
{
    (void)state;
    for (int k = 0; k < BASE_COUNT(variants); k++) {
        const con_solver *solver = con_solver_find(variants[k].solver);
        _Alignas(16) unsigned char settings[CON_SOLVER_SETTINGS_MAX];
        cairn_error error;
        base_settings_defaults(&solver->table, settings);
        assert_int_equal(base_settings_set_text(&solver->table, settings, variants[k].name,
                                                variants[k].value, &error),
                         CAIRN_OK);
        for (uint64_t seed = 1; seed <= 3; seed++) {
            fixture f = fixture_cloud(12, 30, 0.3, seed);
            con_report report = solve(variants[k].solver, settings, &f, 1e-6);
            assert_int_equal(report.stop, CON_STOP_SOLVED);
            check_at_most(fixture_residual(&f, (const double(*)[3])f.R), 1e-6 * (1.0 + 1e-6));
            fixture_destroy(&f);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operators_scale_the_problem),
        cmocka_unit_test(contacts_that_cannot_bear_stay_open),
        cmocka_unit_test(projections_are_nearest_points),
        cmocka_unit_test(equations_hold_where_the_law_does),
        cmocka_unit_test(equations_have_their_derivatives),
        cmocka_unit_test(gmres_solves_in_as_many_steps_as_rows),
        cmocka_unit_test(cone_algebra_is_consistent),
        cmocka_unit_test(relaxed_problems_are_solved_as_such),
        cmocka_unit_test(relaxed_solvers_are_corrected_by_outer_programs),
        cmocka_unit_test(variants_solve_easy_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
