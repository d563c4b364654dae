// SPDX-License-Identifier: Apache-2.0
// Existence test: closed cases of each verdict, both forms of the same problem, the certificate.
#include "contact/existence/existence.h"

#include "base/rng.h"
#include "tests/check.h"

#include <string.h>

enum { N = 12, BODIES = 2 };

// up to N contacts with a full W and its blocks
typedef struct sample {
    double q[N][3], mu[N], dense[3 * N][3 * N];
    mat3 diagonal[N], block[N * N];
    int start[N + 1], column[N * N];
    con_block_matrix W;
    con_problem problem;
} sample;

static void finish_sample(sample *s, int n)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        s->start[i] = count;
        for (int j = 0; j < n; j++, count++) {
            s->column[count] = j;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    s->block[count].m[r][c] = s->dense[3 * i + r][3 * j + c];
            if (i == j)
                s->diagonal[i] = s->block[count];
        }
    }
    s->start[n] = count;
    s->W = (con_block_matrix){n, s->start, s->column, s->block};
    s->problem = (con_problem){.contact_count = n,
                               .q = (const double(*)[3])s->q,
                               .friction = s->mu,
                               .W_diagonal = s->diagonal,
                               .W = &s->W};
}

static con_existence check_problem(const con_problem *problem, double (*direction)[3])
{
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, 1 << 16);
    con_existence found;
    assert_int_equal(con_existence_check(problem, &found, direction, arena), CAIRN_OK);
    base_arena_destroy(arena);
    return found;
}

static void set_contact(sample *s, int i, double n, double t1, double t2, double mu)
{
    s->q[i][0] = n;
    s->q[i][1] = t1;
    s->q[i][2] = t2;
    s->mu[i] = mu;
}

static void test_free_contact_exists(void **unused)
{
    (void)unused;
    sample s = {0};
    set_contact(&s, 0, -1.0, 0.3, 0.0, 0.5);
    for (int k = 0; k < 3; k++)
        s.dense[k][k] = 2.0;
    finish_sample(&s, 1);
    con_existence found = check_problem(&s.problem, NULL);
    assert_int_equal(found.verdict, CON_EXISTENCE_SHOWN);
    assert_false(found.zero_solves);
    assert_int_equal(found.rank, 3);
    check_close(found.scale, sqrt(1.09), 1e-15, 0.0);
    assert_true(found.margin > 0.9 && found.margin <= 1.0);
}

static void test_open_contacts_need_no_impulse(void **unused)
{
    (void)unused;
    sample s = {0};
    // stuck contacts that slide fast: outside the dual cone, and R = 0 solves
    set_contact(&s, 0, 0.1, 1.0, 0.0, 0.5);
    finish_sample(&s, 1);
    con_existence found = check_problem(&s.problem, NULL);
    assert_int_equal(found.verdict, CON_EXISTENCE_SHOWN);
    assert_true(found.zero_solves);
    check_close(found.margin, (0.1 - 0.5) / sqrt(1.01), 1e-6, 1e-8);
}

static void test_immovable_overlap_has_none(void **unused)
{
    (void)unused;
    sample s = {0};
    double d[N][3];
    set_contact(&s, 0, -2.0, 0.0, 0.0, 0.7);
    finish_sample(&s, 1);
    con_existence found = check_problem(&s.problem, d);
    assert_int_equal(found.verdict, CON_EXISTENCE_NONE);
    check_close(found.margin, -1.0, 1e-12, 0.0);
    check_close(found.certificate_product, -1.0, 1e-12, 0.0);
    check_close(d[0][0], 1.0, 1e-12, 0.0);
}

// a body that moves along the normals alone between two walls that come closer
static void make_press(sample *s, double first, double second)
{
    memset(s, 0, sizeof *s);
    set_contact(s, 0, first, 0.0, 0.0, 0.3);
    set_contact(s, 1, second, 0.0, 0.0, 0.0);
    s->dense[0][0] = s->dense[3][3] = 4.0;
    s->dense[0][3] = s->dense[3][0] = -4.0;
    finish_sample(s, 2);
}

static void test_press_by_the_room_left(void **unused)
{
    (void)unused;
    sample s;
    double d[N][3];
    make_press(&s, -1.0, 0.5);
    con_existence found = check_problem(&s.problem, d);
    assert_int_equal(found.verdict, CON_EXISTENCE_NONE);
    check_close(found.margin, -0.25, 1e-6, 0.0);
    check_close(found.certificate_product, -0.25, 1e-6, 0.0);
    check_close(d[0][0], 0.5, 1e-7, 0.0);
    check_close(d[1][0], 0.5, 1e-7, 0.0);
    make_press(&s, -1.0, 1.5);
    found = check_problem(&s.problem, NULL);
    assert_int_equal(found.verdict, CON_EXISTENCE_SHOWN);
    check_close(found.margin, 0.25 / 1.5, 1e-6, 0.0);
    make_press(&s, -1.0, 1.0);
    found = check_problem(&s.problem, NULL);
    assert_int_equal(found.verdict, CON_EXISTENCE_BORDERLINE);
    check_close(found.margin, 0.0, 0.0, 1e-7);
}

static void test_sliding_that_nothing_stops_is_not_shown(void **unused)
{
    (void)unused;
    sample s = {0};
    double d[N][3];
    // the first contact slides outside the dual cone for good, the second wants an impulse
    set_contact(&s, 0, 0.1, 1.0, 0.0, 0.5);
    set_contact(&s, 1, -1.0, 0.0, 0.0, 0.5);
    for (int k = 3; k < 6; k++)
        s.dense[k][k] = 1.0;
    finish_sample(&s, 2);
    con_existence found = check_problem(&s.problem, d);
    assert_int_equal(found.verdict, CON_EXISTENCE_NOT_SHOWN);
    check_close(found.margin, -0.4 / sqrt(1.01), 1e-6, 0.0);
    check_close(d[0][0], 1.0, 1e-7, 0.0);
    check_close(d[0][1], -0.5, 1e-6, 0.0);
}

// ---------------------------------------------------------------- bodies

typedef struct system {
    double H[N][2][3][6], mass_inverse[BODIES][6], v_free[BODIES][6], w[N][3], mu[N], q[N][3];
    int body[N][2];
    mat3 diagonal[N];
    con_problem problem;
} system_sample;

static void make_system(system_sample *s, uint64_t seed, int n)
{
    base_rng rng = base_rng_make(seed);
    memset(s, 0, sizeof *s);
    for (int b = 0; b < BODIES; b++)
        for (int k = 0; k < 6; k++) {
            s->mass_inverse[b][k] = base_rng_range(&rng, 0.1, 10.0);
            s->v_free[b][k] = base_rng_range(&rng, -1.0, 1.0);
        }
    for (int i = 0; i < n; i++) {
        s->mu[i] = i % 4 == 0 ? 0.0 : base_rng_range(&rng, 0.1, 1.0);
        s->body[i][0] = i % 3 == 0 ? -1 : 0;
        s->body[i][1] = i % 3 == 1 ? -1 : 1;
        for (int side = 0; side < 2; side++)
            for (int r = 0; r < 3 && s->body[i][side] >= 0; r++)
                for (int c = 0; c < 6; c++)
                    s->H[i][side][r][c] = base_rng_range(&rng, -1.0, 1.0);
        for (int k = 0; k < 3; k++)
            s->w[i][k] = base_rng_range(&rng, -0.2, 0.2);
    }
    s->problem = (con_problem){.contact_count = n,
                               .friction = s->mu,
                               .body_count = BODIES,
                               .body = (const int(*)[2])s->body,
                               .H = (const double(*)[2][3][6])s->H,
                               .mass_inverse = (const double(*)[6])s->mass_inverse,
                               .v_free = (const double(*)[6])s->v_free,
                               .w = (const double(*)[3])s->w};
    con_apply_H(&s->problem, (const double(*)[6])s->v_free, (const double(*)[3])s->w, s->q);
    con_assemble_diagonal(&s->problem, s->diagonal);
    s->problem.q = (const double(*)[3])s->q;
    s->problem.W_diagonal = s->diagonal;
}

/// What a certificate must satisfy, from the matrices of the sample.
static void judge_direction(const system_sample *s, const double (*d)[3], const double *mu,
                            const con_existence *found)
{
    double force[BODIES][6] = {0}, sum = 0.0, product = 0.0, top = 0.0;
    for (int i = 0; i < s->problem.contact_count; i++) {
        check_at_most(hypot(d[i][1], d[i][2]) - mu[i] * d[i][0], 1e-12);
        sum += d[i][0];
        for (int k = 0; k < 3; k++)
            product += d[i][k] * s->q[i][k] / found->scale;
        for (int side = 0; side < 2; side++)
            for (int r = 0; r < 3 && s->body[i][side] >= 0; r++)
                for (int c = 0; c < 6; c++)
                    force[s->body[i][side]][c] += s->H[i][side][r][c] * d[i][r];
    }
    for (int b = 0; b < BODIES; b++)
        for (int c = 0; c < 6; c++)
            top = fmax(top, fabs(force[b][c]));
    check_close(sum, 1.0, 1e-12, 0.0);
    check_at_most(top, 1e-7);
    check_close(product, found->certificate_product, 1e-10, 0.0);
    check_close(found->margin, product, 1e-5, 0.0);
}

static void test_bodies_and_matrix_agree(void **unused)
{
    (void)unused;
    base_allocator allocator = base_allocator_default();
    int verdicts[4] = {0};
    const double zero[N] = {0};
    for (uint64_t seed = 1; seed <= 60; seed++) {
        system_sample s;
        double d[N][3];
        int n = 2 + (int)(seed % 11);
        make_system(&s, seed, n);
        base_arena *arena = base_arena_create(&allocator, 1 << 16);
        con_existence bodies = check_problem(&s.problem, d);
        if (bodies.verdict == CON_EXISTENCE_NOT_SHOWN || bodies.verdict == CON_EXISTENCE_NONE)
            judge_direction(&s, (const double(*)[3])d,
                            bodies.verdict == CON_EXISTENCE_NONE ? zero : s.mu, &bodies);
        con_problem matrix = s.problem;
        assert_int_equal(con_problem_assemble_delassus(&matrix, arena), CAIRN_OK);
        matrix.H = NULL;
        matrix.body_count = 0;
        con_existence dense = check_problem(&matrix, NULL);
        assert_int_equal(dense.verdict, bodies.verdict);
        if (bodies.margin < 0.9)
            check_close(dense.margin, bodies.margin, 1e-5, 1e-7);
        verdicts[bodies.verdict]++;
        base_arena_destroy(arena);
    }
    assert_true(verdicts[CON_EXISTENCE_SHOWN] > 5);
    assert_true(verdicts[CON_EXISTENCE_NOT_SHOWN] + verdicts[CON_EXISTENCE_NONE] > 5);
}

static void test_scales_do_not_matter(void **unused)
{
    (void)unused;
    for (int power = -12; power <= 12; power += 8) {
        sample s;
        double factor = pow(10.0, power);
        make_press(&s, -1.0, 1.5);
        for (int i = 0; i < 2; i++)
            s.q[i][0] *= factor;
        for (int r = 0; r < 6; r++)
            for (int c = 0; c < 6; c++)
                s.dense[r][c] /= factor * factor;
        finish_sample(&s, 2);
        con_existence found = check_problem(&s.problem, NULL);
        check_close(found.margin, 0.25 / 1.5, 1e-6, 0.0);
        check_close(found.scale, 1.5 * factor, 1e-14, 0.0);
    }
}

static void test_edges(void **unused)
{
    (void)unused;
    sample s = {0};
    finish_sample(&s, 0);
    con_existence found = check_problem(&s.problem, NULL);
    assert_int_equal(found.verdict, CON_EXISTENCE_SHOWN);
    // all at rest: R = 0 solves, although no margin is there to be had
    finish_sample(&s, 1);
    found = check_problem(&s.problem, NULL);
    assert_int_equal(found.verdict, CON_EXISTENCE_SHOWN);
    assert_true(found.zero_solves);
    s.q[0][0] = NAN;
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, 4096);
    assert_int_equal(con_existence_check(&s.problem, &found, NULL, arena), CAIRN_ERROR_NONFINITE);
    base_arena_destroy(arena);
}

// a row of many contacts, each coupled with its neighbours, beyond the dense form
typedef struct long_row {
    double (*q)[3], *mu;
    mat3 *diagonal, *block;
    int *start, *column;
    con_block_matrix W;
    base_arena *arena;
} long_row;

static mat3 multiple_of_identity(double value)
{
    return (mat3){{{value, 0.0, 0.0}, {0.0, value, 0.0}, {0.0, 0.0, value}}};
}

static long_row make_long_row(int n, int immovable)
{
    base_allocator allocator = base_allocator_default();
    base_rng rng = base_rng_make(3);
    long_row s = {.arena = base_arena_create(&allocator, 1 << 20)};
    s.q = base_arena_allocate(s.arena, "q", (size_t)n, sizeof *s.q);
    s.mu = base_arena_array(s.arena, double, "mu", n);
    s.diagonal = base_arena_array(s.arena, mat3, "diagonal", n);
    s.block = base_arena_array(s.arena, mat3, "blocks", 3 * n);
    s.start = base_arena_array(s.arena, int, "start", n + 1);
    s.column = base_arena_array(s.arena, int, "column", 3 * n);
    int count = 0;
    for (int i = 0; i < n; i++) {
        s.start[i] = count;
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) {
            bool still = i == immovable || j == immovable;
            s.column[count] = j;
            s.block[count++] = multiple_of_identity(still ? 0.0 : i == j ? 2.0 : -0.9);
        }
        s.diagonal[i] = multiple_of_identity(i == immovable ? 0.0 : 2.0);
        s.mu[i] = 0.4;
        s.q[i][0] = -0.5;
        s.q[i][1] = base_rng_range(&rng, -1.0, 1.0);
        s.q[i][2] = 0.0;
    }
    s.start[n] = count;
    s.W = (con_block_matrix){n, s.start, s.column, s.block};
    return s;
}

static con_problem problem_of(const long_row *s)
{
    return (con_problem){.contact_count = s->W.size,
                         .q = (const double(*)[3])s->q,
                         .friction = s->mu,
                         .W_diagonal = s->diagonal,
                         .W = &s->W};
}

static void test_large_matrix(void **unused)
{
    (void)unused;
    enum { COUNT = CON_EXISTENCE_ROWS_MAX / 3 + 100, IMMOVABLE = 77 };
    long_row s = make_long_row(COUNT, -1);
    con_problem problem = problem_of(&s);
    con_existence found = check_problem(&problem, NULL);
    assert_int_equal(found.verdict, CON_EXISTENCE_SHOWN);
    assert_int_equal(found.rank, -1);
    assert_true(found.margin > 0.98 && found.margin <= found.margin_bound);
    base_arena_destroy(s.arena);

    // one contact that nothing moves, closing: the direction is that contact alone
    s = make_long_row(COUNT, IMMOVABLE);
    problem = problem_of(&s);
    double(*d)[3] = base_arena_allocate(s.arena, "d", COUNT, sizeof *d);
    found = check_problem(&problem, d);
    assert_int_equal(found.verdict, CON_EXISTENCE_NONE);
    check_close(found.certificate_product, -0.5 / found.scale, 1e-6, 0.0);
    check_close(d[IMMOVABLE][0], 1.0, 1e-6, 0.0);
    base_arena_destroy(s.arena);
}

static void test_short_memory(void **unused)
{
    (void)unused;
    for (int form = 0; form < 2; form++) {
        cairn_status status = CAIRN_ERROR_MEMORY;
        for (long fail_at = 2; status != CAIRN_OK; fail_at++) {
            static system_sample bodies;
            static sample matrix;
            make_system(&bodies, 3, N);
            make_press(&matrix, -1.0, 0.5);
            base_counting_allocator counter = {.fail_at = fail_at};
            base_allocator allocator = base_allocator_counting(&counter);
            base_arena *arena = base_arena_create(&allocator, 64);
            con_existence found;
            if (arena == NULL)
                continue;
            status = con_existence_check(form == 0 ? &bodies.problem : &matrix.problem, &found,
                                         NULL, arena);
            assert_true(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
            base_arena_destroy(arena);
            assert_int_equal(counter.live, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_contact_exists),
        cmocka_unit_test(test_open_contacts_need_no_impulse),
        cmocka_unit_test(test_immovable_overlap_has_none),
        cmocka_unit_test(test_press_by_the_room_left),
        cmocka_unit_test(test_sliding_that_nothing_stops_is_not_shown),
        cmocka_unit_test(test_bodies_and_matrix_agree),
        cmocka_unit_test(test_scales_do_not_matter),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_large_matrix),
        cmocka_unit_test(test_short_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
