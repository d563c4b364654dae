// SPDX-License-Identifier: Apache-2.0
// Newton methods that several threads share: the same bits for any number of them.
#include "base/assert.h"
#include "base/parallel.h"
#include "contact/solvers/solver.h"
#include "tests/unit/contact/fixture.h"

enum { COLUMNS = 24, ROWS = 12, BODIES = COLUMNS * ROWS, CONTACTS = 4 * BODIES, THREADS = 4 };

static int brick_below(int row, int column, int side)
{
    int other = column - row % 2 + side;
    return row > 0 && other >= 0 && other < COLUMNS ? (row - 1) * COLUMNS + other : -1;
}

// a wall in bond on immobile ground, of which all contacts are one island
static fixture wall_create(void)
{
    base_rng rng = base_rng_make(11);
    fixture f = fixture_create(CONTACTS, BODIES);
    for (int body = 0; body < BODIES; body++) {
        int row = body / COLUMNS, column = body % COLUMNS;
        double mass = base_rng_range(&rng, 0.8, 1.2);
        for (int k = 0; k < 6; k++) {
            f.mass_inverse[body][k] = k < 3 ? 1.0 / mass : 12.0 / (mass * (0.2 + 0.1 * k));
            f.v_free[body][k] = base_rng_range(&rng, -0.05, 0.05) - (k == 2 ? 0.1 : 0.0);
        }
        for (int corner = 0; corner < 4; corner++) {
            double x = corner & 1 ? 0.4 : -0.4, y = corner & 2 ? 0.25 : -0.25;
            fixture_set_contact(&f, 4 * body + corner, brick_below(row, column, corner & 1), body,
                                (vec3){0.0, 0.0, 1.0}, (vec3){-0.5 * x, y, 0.25},
                                (vec3){x, y, -0.25}, 0.4);
        }
    }
    fixture_finish(&f);
    return f;
}

// R and U of so many threads, 0: without a pool
static con_report solve(fixture *f, const char *name, int threads)
{
    base_allocator allocator = base_allocator_default();
    base_workers *workers = threads > 0 ? base_workers_create(&allocator, threads) : NULL;
    con_control control = {.tolerance = 1e-9, .workers = workers};
    con_report report;
    memset(f->R, 0, (size_t)CONTACTS * sizeof *f->R);
    assert_int_equal(con_solve(con_solver_find(name), NULL, &f->problem, &control, f->R, f->U,
                               &report, f->arena),
                     CAIRN_OK);
    base_workers_destroy(workers);
    return report;
}

static void compare_threads(fixture *f, const char *name)
{
    size_t size = (size_t)CONTACTS * sizeof *f->R;
    double(*R)[3] = malloc(size), (*U)[3] = malloc(size);
    con_report first = solve(f, name, 0);
    memcpy(R, f->R, size);
    memcpy(U, f->U, size);
    assert_int_equal(first.stop, CON_STOP_SOLVED);
    check_at_most(fixture_residual(f, (const double(*)[3])R), 2e-9);
    for (int threads = 1; threads <= THREADS; threads++) {
        con_report report = solve(f, name, threads);
        assert_int_equal(report.iterations, first.iterations);
        assert_memory_equal(f->R, R, size);
        assert_memory_equal(f->U, U, size);
    }
    free(R);
    free(U);
}

static void solvers_have_the_same_bits(void **state)
{
    (void)state;
    const char *const names[] = {"auto", "nipm", "newton_alart_curnier", "proximal_point"};
    fixture f = wall_create();
    for (int k = 0; k < BASE_COUNT(names); k++)
        compare_threads(&f, names[k]);
    fixture_destroy(&f);
}

static void solvers_of_W_alone_have_the_same_bits(void **state)
{
    (void)state;
    fixture f = wall_create();
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, 1 << 20);
    con_problem assembled = f.problem;
    assert_int_equal(con_problem_assemble_delassus(&assembled, arena), CAIRN_OK);
    f.problem = (con_problem){.contact_count = CONTACTS,
                              .q = assembled.q,
                              .friction = assembled.friction,
                              .W_diagonal = assembled.W_diagonal,
                              .W = assembled.W};
    con_report alone = solve(&f, "auto", 0);
    size_t size = (size_t)CONTACTS * sizeof *f.R;
    double(*R)[3] = malloc(size);
    memcpy(R, f.R, size);
    for (int threads = 2; threads <= THREADS; threads++) {
        con_report report = solve(&f, "auto", threads);
        assert_int_equal(report.iterations, alone.iterations);
        assert_memory_equal(f.R, R, size);
    }
    check_at_most(alone.residual.error, 1e-9);
    free(R);
    base_arena_destroy(arena);
    fixture_destroy(&f);
}

/// Who asked, and when it is told to stop.
typedef struct patience {
    int asked, after;
} patience;

static bool has_lost_patience(void *context)
{
    patience *p = context;
    return ++p->asked > p->after;
}

static void a_stop_is_asked_for_by_one_thread_and_obeyed(void **state)
{
    (void)state;
    fixture f = wall_create();
    base_allocator allocator = base_allocator_default();
    base_workers *workers = base_workers_create(&allocator, THREADS);
    for (int after = 0; after < 40; after += 13) {
        patience p = {.after = after};
        con_control control = {
            .tolerance = 1e-9, .workers = workers, .stop = has_lost_patience, .stop_context = &p};
        con_report report;
        memset(f.R, 0, (size_t)CONTACTS * sizeof *f.R);
        assert_int_equal(con_solve(con_solver_find("nipm"), NULL, &f.problem, &control, f.R, f.U,
                                   &report, f.arena),
                         CAIRN_OK);
        assert_int_equal(report.stop, CON_STOP_INTERRUPTED);
        assert_true(p.asked > after && p.asked <= after + 6);
    }
    base_workers_destroy(workers);
    fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solvers_have_the_same_bits),
        cmocka_unit_test(solvers_of_W_alone_have_the_same_bits),
        cmocka_unit_test(a_stop_is_asked_for_by_one_thread_and_obeyed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
