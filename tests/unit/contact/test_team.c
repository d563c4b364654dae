// SPDX-License-Identifier: Apache-2.0
// Processes that share a problem, here threads with a problem each: what one of them holds has the
// bits of one process, and what it does not hold it never reads.
#include "contact/problem/team.h"

#include "contact/problem/residual.h"
#include "contact/solvers/first_order/sweep.h"
#include "tests/unit/contact/bond.h"
#include "tests/unit/post.h"

#include <math.h>

enum { CONTACTS = 4 * COLUMNS * ROWS, BODIES = COLUMNS * ROWS };

typedef struct result {
    double R[CONTACTS][3], U[CONTACTS][3], v[BODIES][6];
    con_residual residual;
    bool any[2], held[CONTACTS];
    int64_t sent;
    cairn_status status;
} result;

typedef struct rank {
    post *post;
    int number, count;
    bool conjugate;
    result result;
} rank;

static cairn_status exchange(void *context, const cairn_message *messages, int count,
                             cairn_error *error)
{
    const rank *self = context;
    post *p = self->post;
    (void)error;
    if (p->fail_after == 0)
        return CAIRN_ERROR_UNSUPPORTED;
    post_exchange(p, self->number, messages, count);
    return CAIRN_OK;
}

// what this process does not hold is NAN
static void forget(bond *b, result *r)
{
    for (int task = 0; task < TASKS; task++)
        for (int i = b->domains.start[task]; i < b->domains.start[task + 1]; i++) {
            r->held[i] = con_team_holds(&b->domains, task);
            if (r->held[i])
                continue;
            // bytes of which all are ones make a double that is no number
            memset(b->f.H[i], 0xff, sizeof b->f.H[i]);
            memset(&b->f.W_diagonal[i], 0xff, sizeof b->f.W_diagonal[i]);
            memset(b->f.q[i], 0xff, sizeof b->f.q[i]);
            memset(b->f.w[i], 0xff, sizeof b->f.w[i]);
            b->f.friction[i] = NAN;
        }
}

static void solve(bond *b, rank *self)
{
    result *r = &self->result;
    con_problem *problem = &b->f.problem;
    con_sweep sweep;
    con_rows R = {r->R, sizeof *r->R}, U = {r->U, sizeof *r->U}, v = {r->v, sizeof *r->v};
    r->status = con_sweep_init(&sweep, problem, NULL, NULL, r->R, b->f.arena);
    if (r->status == CAIRN_OK)
        r->status = con_sweep_use_conjugate(&sweep, b->f.arena);
    for (int k = 0; k < 12 && r->status == CAIRN_OK; k++)
        if (self->conjugate)
            con_sweep_pass_conjugate(&sweep);
        else
            con_sweep_pass(&sweep, k % 3 == 1);
    con_sweep_refresh(&sweep);
    con_sweep_velocity(&sweep, r->U);
    if (r->status == CAIRN_OK)
        r->status =
            con_residual_compute(problem, (const double(*)[3])r->R, r->U, &r->residual, b->f.arena);
    con_apply_impulses(problem, (const double(*)[3])r->R, r->v);
    r->any[0] = con_team_any(problem->domains, false);
    r->any[1] = con_team_any(problem->domains, self->number == self->count - 1);
    con_team *team = b->domains.team;
    if (team == NULL)
        return;
    con_team_share_contacts(team, R);
    con_team_share_contacts(team, U);
    con_team_share_bodies(team, v);
    r->sent = team->sent_bytes;
    r->status = r->status == CAIRN_OK ? team->status : r->status;
}

static void *run_rank(void *argument)
{
    rank *self = argument;
    bond b = bond_create();
    con_team team;
    int domain[BODIES];
    base_allocator allocator = base_allocator_default();
    cairn_ranks ranks = {self->count, self->number, self, exchange};
    b.f.problem.domains = &b.domains;
    for (int body = 0; body < BODIES; body++)
        domain[body] = body % COLUMNS * DOMAINS / COLUMNS;
    self->result = (result){.status = CAIRN_OK};
    if (self->count > 1) {
        self->result.status = con_team_init(&team, &ranks, &allocator);
        con_holders_find(LEVELS, self->count, &team.holders);
        b.domains.team = &team;
        forget(&b, &self->result);
        if (self->result.status == CAIRN_OK)
            self->result.status =
                con_team_plan(&team, &b.domains, b.f.problem.body, domain, BODIES, b.f.arena);
    }
    if (self->result.status == CAIRN_OK)
        solve(&b, self);
    if (self->count > 1)
        con_team_release(&team);
    fixture_destroy(&b.f);
    return NULL;
}

static void run_ranks(rank *all, int count, bool conjugate, int fail_after)
{
    post p = {.fail_after = fail_after};
    pthread_t threads[RANKS_MOST];
    pthread_mutex_init(&p.mutex, NULL);
    pthread_cond_init(&p.changed, NULL);
    for (int k = 0; k < count; k++) {
        all[k] = (rank){.post = &p, .number = k, .count = count, .conjugate = conjugate};
        assert_int_equal(pthread_create(&threads[k], NULL, run_rank, &all[k]), 0);
    }
    for (int k = 0; k < count; k++)
        pthread_join(threads[k], NULL);
    assert_int_equal(p.wrong, 0);
    pthread_cond_destroy(&p.changed);
    pthread_mutex_destroy(&p.mutex);
}

static void any_number_of_processes_has_the_bits_of_one(void **state)
{
    (void)state;
    static rank one[1], all[RANKS_MOST];
    const int counts[] = {2, 3, 4, 7, 8, RANKS_MOST};
    for (int conjugate = 0; conjugate < 2; conjugate++) {
        run_ranks(one, 1, conjugate, -1);
        assert_int_equal(one->result.status, CAIRN_OK);
        assert_true(one->result.residual.error > 0.0);
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            run_ranks(all, counts[c], conjugate, -1);
            for (int k = 0; k < counts[c]; k++) {
                const result *r = &all[k].result;
                assert_int_equal(r->status, CAIRN_OK);
                assert_memory_equal(r->R, one->result.R, sizeof r->R);
                assert_memory_equal(r->U, one->result.U, sizeof r->U);
                assert_memory_equal(r->v, one->result.v, sizeof r->v);
                assert_memory_equal(&r->residual, &one->result.residual, sizeof r->residual);
                assert_true(!r->any[0] && r->any[1]);
                assert_true(r->sent > 0 || k * DOMAINS / counts[c] == 0);
            }
        }
    }
}

// every contact is held, and by few
static void contacts_are_held_by_those_of_their_domains(void **state)
{
    (void)state;
    static rank all[RANKS_MOST];
    run_ranks(all, 4, false, -1);
    for (int i = 0; i < CONTACTS; i++) {
        int holders = 0;
        for (int k = 0; k < 4; k++)
            holders += all[k].result.held[i];
        assert_true(holders >= 1);
    }
    int sum = 0;
    for (int i = 0; i < CONTACTS; i++)
        sum += all[1].result.held[i];
    assert_true(sum < CONTACTS / 2);
}

static void a_failed_message_is_told_and_none_follows(void **state)
{
    (void)state;
    static rank all[RANKS_MOST];
    run_ranks(all, 3, false, 0);
    for (int k = 0; k < 3; k++)
        assert_int_not_equal(all[k].result.status, CAIRN_OK);
}

static void short_memory_is_told(void **state)
{
    (void)state;
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    cairn_ranks ranks = {3, 1, NULL, exchange};
    con_team team;
    for (int call = 1; call <= 8; call++) {
        counter.fail_at = counter.calls + call;
        assert_int_equal(con_team_init(&team, &ranks, &allocator), CAIRN_ERROR_MEMORY);
        con_team_release(&team);
    }
    counter.fail_at = 0;
    assert_int_equal(con_team_init(&team, &ranks, &allocator), CAIRN_OK);
    con_team_release(&team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number_of_processes_has_the_bits_of_one),
        cmocka_unit_test(contacts_are_held_by_those_of_their_domains),
        cmocka_unit_test(a_failed_message_is_told_and_none_follows),
        cmocka_unit_test(short_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
