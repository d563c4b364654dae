// SPDX-License-Identifier: Apache-2.0
// Passes along conjugate directions; apart from the plain pass, whose loop stays in one piece.
#include "contact/solvers/first_order/sweep.h"

#include <math.h>

cairn_status con_sweep_use_conjugate(con_sweep *sweep, base_arena *arena)
{
    con_sweep_conjugate *c = &sweep->conjugate;
    size_t n = (size_t)sweep->problem->contact_count, m = (size_t)sweep->problem->body_count;
    c->R_before = base_arena_allocate(arena, "changes", n, sizeof *c->R_before);
    c->direction = base_arena_allocate(arena, "direction", n, sizeof *c->direction);
    c->weight = base_arena_allocate(arena, "weights", n, sizeof *c->weight);
    if (c->R_before == NULL || c->direction == NULL || c->weight == NULL)
        return CAIRN_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++)
        c->weight[i] = mat3_trace(&sweep->problem->W_diagonal[i]);
    con_sweep_restart(sweep);
    if (sweep->y == NULL)
        return CAIRN_OK;
    c->y_before = base_arena_allocate(arena, "bodies before", m + 1, sizeof *c->y_before);
    c->y_direction = base_arena_allocate(arena, "direction", m + 1, sizeof *c->y_direction);
    return c->y_before == NULL || c->y_direction == NULL ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}

void con_sweep_restart(con_sweep *sweep)
{
    sweep->conjugate.size = INFINITY;
    sweep->conjugate.factor = -1.0;
}

// x += factor * direction; direction = factor * direction + change of x in the last pass; both
// start from zero anew
static inline void move_on(double factor, int size, double *x, double *before, double *direction)
{
    for (int k = 0; k < size; k++) {
        double moved = factor < 0.0 ? 0.0 : factor * direction[k];
        direction[k] = factor < 0.0 ? 0.0 : moved + (x[k] - before[k]);
        x[k] += moved;
        before[k] = x[k];
    }
}

// |change of the last pass|^2 of some contacts, weighted
static double size_of_change(const con_sweep *sweep, int begin, int end)
{
    const con_sweep_conjugate *c = &sweep->conjugate;
    double sum = 0.0;
    for (int i = begin; i < end; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            double change = sweep->R[i][k] - c->R_before[i][k];
            square += change * change;
        }
        sum += c->weight[i] * square;
    }
    return sum;
}

typedef struct pass_context {
    con_sweep *sweep;
    double size[CON_DOMAIN_TASKS_MAX]; // of each task
} pass_context;

static void move_bodies(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    con_sweep *sweep = argument;
    con_sweep_conjugate *c = &sweep->conjugate;
    for (int a = begin; a < end; a++)
        move_on(c->factor, 6, sweep->y[a], c->y_before[a], c->y_direction[a]);
}

static void pass_task(void *argument, int begin, int end, int task)
{
    pass_context *context = argument;
    con_sweep *sweep = context->sweep;
    con_sweep_conjugate *c = &sweep->conjugate;
    for (int i = begin; i < end; i++)
        move_on(c->factor, 3, sweep->R[i], c->R_before[i], c->direction[i]);
    con_sweep_range(sweep, begin, end, false);
    context->size[task] = size_of_change(sweep, begin, end);
}

void con_sweep_pass_conjugate(con_sweep *sweep)
{
    con_sweep_conjugate *c = &sweep->conjugate;
    const con_domains *domains = sweep->problem->domains;
    pass_context context = {.sweep = sweep};
    if (sweep->y != NULL)
        con_domains_rows(domains, sweep->problem->body_count, move_bodies, sweep);
    con_domains_run(domains, sweep->problem->contact_count, false, pass_task, &context,
                    con_sweep_rows(sweep));
    con_domains_tasks_sum(domains, (con_rows){context.size, sizeof *context.size});
    double size = 0.0;
    for (int k = 0; k < con_domains_tasks(domains); k++)
        size += context.size[k];
    double ratio = size / c->size;
    c->factor = ratio <= 1.0 ? ratio : -1.0;
    c->size = size;
}
