// SPDX-License-Identifier: Apache-2.0
// Chunks of the loops of an island, and sums over them.
#include "contact/solvers/newton/newton_loops.h"

#include <math.h>

enum { BODIES = 128 }; // of a chunk, at least

static int chunk_size(int count, int least)
{
    int size = base_chunk_count(count, CON_CHUNKS_MAX);
    return size > least ? size : least;
}

typedef struct grouped_loop {
    const con_newton *newton;
    base_chunk_function *function;
    void *context;
} grouped_loop;

static int past_moment(const con_newton *newton, int i)
{
    return i < newton->contact_count && newton->force[i] >= 0 ? i + 1 : i;
}

// a moment at the border goes with the force before it
static void run_grouped(void *argument, int begin, int end, int chunk, int worker)
{
    const grouped_loop *loop = argument;
    loop->function(loop->context, past_moment(loop->newton, begin), past_moment(loop->newton, end),
                   chunk, worker);
}

static int contacts_of_chunk(const con_newton *newton)
{
    return chunk_size(newton->contact_count, CON_NEWTON_ALONE);
}

int con_newton_chunks(const con_newton *newton)
{
    return base_chunk_count(newton->contact_count, contacts_of_chunk(newton));
}

void con_newton_each(const con_newton *newton, base_chunk_function *function, void *context)
{
    int n = newton->contact_count, size = contacts_of_chunk(newton);
    grouped_loop grouped = {newton, function, context};
    if (newton->force != NULL)
        base_parallel_for(con_newton_workers(newton), n, size, run_grouped, &grouped);
    else
        base_parallel_for(con_newton_workers(newton), n, size, function, context);
}

static int bodies_of_chunk(const con_newton *newton)
{
    int m = newton->body_count;
    return con_newton_is_shared(newton) || m == 0 ? chunk_size(m, BODIES) : m;
}

int con_newton_body_chunks(const con_newton *newton)
{
    return base_chunk_count(newton->body_count, bodies_of_chunk(newton));
}

void con_newton_each_body(const con_newton *newton, base_chunk_function *function, void *context)
{
    base_parallel_for(con_newton_workers(newton), newton->body_count, bodies_of_chunk(newton),
                      function, context);
}

typedef struct term_loop {
    con_newton_term *term;
    void *context;
    double part[CON_CHUNKS_MAX];
} term_loop;

static void run_term(void *argument, int begin, int end, int chunk, int worker)
{
    (void)worker;
    term_loop *loop = argument;
    loop->part[chunk] = loop->term(loop->context, begin, end);
}

double con_newton_sum(const con_newton *newton, con_newton_term *term, void *context)
{
    term_loop loop = {.term = term, .context = context};
    int count = con_newton_chunks(newton);
    con_newton_each(newton, run_term, &loop);
    double sum = 0.0;
    for (int k = 0; k < count; k++)
        sum += loop.part[k];
    return sum;
}

double con_newton_least(const con_newton *newton, con_newton_term *term, void *context)
{
    term_loop loop = {.term = term, .context = context};
    int count = con_newton_chunks(newton);
    con_newton_each(newton, run_term, &loop);
    double least = INFINITY;
    for (int k = 0; k < count; k++)
        least = fmin(least, loop.part[k]);
    return least;
}

typedef struct apply_context {
    const double (*a)[3][3], (*x)[3];
    double (*out)[3];
} apply_context;

static void apply_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const apply_context *c = argument;
    for (int i = begin; i < end; i++)
        con_apply3(c->a[i], c->x[i], c->out[i]);
}

void con_newton_apply(const con_newton *newton, const double (*a)[3][3], const double (*x)[3],
                      double (*out)[3])
{
    apply_context context = {a, x, out};
    con_newton_each(newton, apply_chunk, &context);
}
