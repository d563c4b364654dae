// SPDX-License-Identifier: Apache-2.0
// Domains: the tree of tasks, and that work done task by task has the bits of the plain order.
#include "contact/problem/domains.h"

#include "contact/solvers/first_order/sweep.h"
#include "tests/unit/contact/bond.h"

// task of two domains, climbing the tree from both: an independent numbering of its nodes, whose
// root is 1 and whose children of k are 2 k and 2 k + 1
static int climb(int a, int b, int *depth)
{
    a += DOMAINS;
    b += DOMAINS;
    while (a != b) {
        a /= 2;
        b /= 2;
    }
    *depth = 0;
    for (int node = a; node > 1; node /= 2)
        ++*depth;
    // levels from the leaves up
    int before = 0;
    for (int level = LEVELS; level > *depth; level--)
        before += 1 << level;
    return before + a - (1 << *depth);
}

static void tasks_are_the_nodes_of_a_tree(void **state)
{
    (void)state;
    const con_domains domains = {.levels = LEVELS};
    assert_int_equal(con_domains_tasks(&domains), TASKS);
    assert_int_equal(con_domains_tasks(NULL), 1);
    assert_int_equal(con_domains_depth(NULL, 0), 0);
    for (int a = 0; a < DOMAINS; a++)
        for (int b = 0; b < DOMAINS; b++) {
            int depth, task = climb(a, b, &depth);
            assert_int_equal(con_domains_task(LEVELS, a, b), task);
            assert_int_equal(con_domains_depth(&domains, task), depth);
        }
}

typedef struct visits {
    int count[4 * COLUMNS * ROWS];
    int task[4 * COLUMNS * ROWS];
    int when[TASKS]; // number of tasks begun before
    int begun;
} visits;

static void note_task(void *argument, int begin, int end, int task)
{
    visits *v = argument;
    v->when[task] = v->begun++;
    for (int i = begin; i < end; i++) {
        v->count[i]++;
        v->task[i] = task;
    }
}

static void levels_follow_each_other_and_share_no_body_within(void **state)
{
    (void)state;
    bond b = bond_create();
    int n = b.f.problem.contact_count;
    for (int backward = 0; backward < 2; backward++) {
        visits v = {0};
        con_domains_run(&b.domains, n, backward, note_task, &v, (con_rows){0});
        for (int i = 0; i < n; i++)
            assert_int_equal(v.count[i], 1);
        for (int s = 0; s < TASKS; s++)
            for (int t = 0; t < TASKS; t++) {
                int deeper = con_domains_depth(&b.domains, s) - con_domains_depth(&b.domains, t);
                if (deeper != 0)
                    assert_true((v.when[s] < v.when[t]) == ((deeper > 0) != backward));
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < 4; k++) {
                    int body = b.f.body[i][k & 1];
                    if (body < 0 || body != b.f.body[j][k >> 1] || v.task[i] == v.task[j])
                        continue;
                    assert_int_not_equal(con_domains_depth(&b.domains, v.task[i]),
                                         con_domains_depth(&b.domains, v.task[j]));
                }
    }
    fixture_destroy(&b.f);
}

enum { PASSES = 12 };

// R and U after passes to and fro and along conjugate directions
static void sweep_along(fixture *f, double (*R)[3], double (*U)[3], bool conjugate)
{
    con_sweep sweep;
    size_t n = (size_t)f->problem.contact_count;
    memset(R, 0, n * sizeof *R);
    base_arena_reset(f->arena);
    assert_int_equal(con_sweep_init(&sweep, &f->problem, NULL, NULL, R, f->arena), CAIRN_OK);
    assert_int_equal(con_sweep_use_conjugate(&sweep, f->arena), CAIRN_OK);
    for (int k = 0; k < PASSES; k++)
        if (conjugate)
            con_sweep_pass_conjugate(&sweep);
        else
            con_sweep_pass(&sweep, k % 2 == 1);
    con_sweep_refresh(&sweep);
    con_sweep_velocity(&sweep, U);
}

static void passes_by_tasks_have_the_bits_of_passes_by_index(void **state)
{
    (void)state;
    bond b = bond_create();
    size_t size = (size_t)b.f.problem.contact_count * sizeof *b.f.R;
    double(*R)[3] = malloc(size), (*U)[3] = malloc(size), v[2][COLUMNS * ROWS][6];
    sweep_along(&b.f, b.f.R, b.f.U, false);
    con_apply_impulses(&b.f.problem, (const double(*)[3])b.f.R, v[0]);
    b.f.problem.domains = &b.domains;
    sweep_along(&b.f, R, U, false);
    con_apply_impulses(&b.f.problem, (const double(*)[3])R, v[1]);
    assert_memory_equal(R, b.f.R, size);
    assert_memory_equal(U, b.f.U, size);
    assert_memory_equal(v[0], v[1], sizeof v[0]);
    con_apply_H(&b.f.problem, (const double(*)[6])v[0], b.f.problem.w, U);
    for (int i = 0; i < b.f.problem.contact_count; i++)
        for (int k = 0; k < 3; k++)
            check_close(U[i][k], b.f.U[i][k], 0.0, 1e-13);
    free(R);
    free(U);
    fixture_destroy(&b.f);
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
    (void)state;
    bond b = bond_create();
    base_allocator allocator = base_allocator_default();
    size_t size = (size_t)b.f.problem.contact_count * sizeof *b.f.R;
    double(*R)[3] = malloc(size), (*U)[3] = malloc(size);
    b.f.problem.domains = &b.domains;
    for (int conjugate = 0; conjugate < 2; conjugate++) {
        b.domains.workers = NULL;
        sweep_along(&b.f, b.f.R, b.f.U, conjugate);
        for (int threads = 2; threads <= 5; threads++) {
            b.domains.workers = base_workers_create(&allocator, threads);
            for (int repeat = 0; repeat < 10; repeat++) {
                sweep_along(&b.f, R, U, conjugate);
                assert_memory_equal(R, b.f.R, size);
                assert_memory_equal(U, b.f.U, size);
            }
            base_workers_destroy(b.domains.workers);
        }
    }
    free(R);
    free(U);
    fixture_destroy(&b.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_are_the_nodes_of_a_tree),
        cmocka_unit_test(levels_follow_each_other_and_share_no_body_within),
        cmocka_unit_test(passes_by_tasks_have_the_bits_of_passes_by_index),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
