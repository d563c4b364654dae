// SPDX-License-Identifier: Apache-2.0
// Domains: the tree of tasks, and that work done task by task has the bits of the plain order.
#include "contact/problem/domains.h"

#include "contact/solvers/first_order/sweep.h"
#include "tests/unit/contact/fixture.h"

enum { COLUMNS = 24, ROWS = 5, LEVELS = 3, DOMAINS = 1 << LEVELS, TASKS = 2 * DOMAINS - 1 };

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

// bodies of a wall of columns in bond: brick `row`, `column` lies on two below
static int brick(int row, int column)
{
    return row * COLUMNS + column;
}

typedef struct bond {
    fixture f;
    con_domains domains;
} bond;

static int below(int row, int column, int side)
{
    int other = column - row % 2 + side;
    return row > 0 && other >= 0 && other < COLUMNS ? brick(row - 1, other) : -1;
}

static void lay_brick(fixture *f, base_rng *rng, int row, int column, int task_of[])
{
    int body = brick(row, column);
    double mass = base_rng_range(rng, 0.8, 1.2);
    for (int k = 0; k < 6; k++) {
        f->mass_inverse[body][k] = k < 3 ? 1.0 / mass : 12.0 / (mass * (0.2 + 0.1 * k));
        f->v_free[body][k] = base_rng_range(rng, -0.05, 0.05) - (k == 2 ? 0.1 : 0.0);
    }
    for (int corner = 0; corner < 4; corner++) {
        double x = corner & 1 ? 0.4 : -0.4, y = corner & 2 ? 0.25 : -0.25;
        int contact = 4 * body + corner, other = below(row, column, corner & 1);
        int domain = column * DOMAINS / COLUMNS;
        fixture_set_contact(f, contact, other, body, (vec3){0.0, 0.0, 1.0},
                            (vec3){-0.5 * x, y, 0.25}, (vec3){x, y, -0.25}, 0.4);
        task_of[contact] = con_domains_task(
            LEVELS, other >= 0 ? other % COLUMNS * DOMAINS / COLUMNS : domain, domain);
    }
}

// contact `from` of one fixture becomes contact `to` of another
static void copy_contact(const fixture *source, int from, fixture *f, int to)
{
    memcpy(f->H[to], source->H[from], sizeof f->H[to]);
    memcpy(f->body[to], source->body[from], sizeof f->body[to]);
    f->friction[to] = source->friction[from];
}

// a wall in bond, its contacts sorted by tasks
static bond bond_create(void)
{
    enum { BODIES = COLUMNS * ROWS, CONTACTS = 4 * BODIES };
    base_rng rng = base_rng_make(5);
    int task_of[CONTACTS], made = 0;
    fixture plain = fixture_create(CONTACTS, BODIES);
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < COLUMNS; column++)
            lay_brick(&plain, &rng, row, column, task_of);
    bond b = {.f = fixture_create(CONTACTS, BODIES), .domains = {.levels = LEVELS}};
    memcpy(b.f.mass_inverse, plain.mass_inverse, BODIES * sizeof *plain.mass_inverse);
    memcpy(b.f.v_free, plain.v_free, BODIES * sizeof *plain.v_free);
    for (int task = 0; task < TASKS; task++) {
        b.domains.start[task] = made;
        for (int i = 0; i < CONTACTS; i++)
            if (task_of[i] == task)
                copy_contact(&plain, i, &b.f, made++);
        assert_true(made > b.domains.start[task]);
    }
    b.domains.start[TASKS] = made;
    assert_int_equal(made, CONTACTS);
    fixture_finish(&b.f);
    fixture_destroy(&plain);
    return b;
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
        con_domains_run(&b.domains, n, backward, note_task, &v);
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
            con_sweep_pass(&sweep, NULL, k % 2 == 1);
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
