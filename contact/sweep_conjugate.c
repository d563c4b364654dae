// SPDX-License-Identifier: Apache-2.0
// Passes along conjugate directions; apart from the plain pass, whose loop stays in one piece.
#include "contact/sweep.h"

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

// |change of the last pass|^2, weighted
static double size_of_change(const con_sweep *sweep)
{
    const con_sweep_conjugate *c = &sweep->conjugate;
    double sum = 0.0;
    for (int i = 0; i < sweep->problem->contact_count; i++) {
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            double change = sweep->R[i][k] - c->R_before[i][k];
            square += change * change;
        }
        sum += c->weight[i] * square;
    }
    return sum;
}

void con_sweep_pass_conjugate(con_sweep *sweep)
{
    con_sweep_conjugate *c = &sweep->conjugate;
    for (int i = 0; i < sweep->problem->contact_count; i++)
        move_on(c->factor, 3, sweep->R[i], c->R_before[i], c->direction[i]);
    for (int a = 0; sweep->y != NULL && a < sweep->problem->body_count; a++)
        move_on(c->factor, 6, sweep->y[a], c->y_before[a], c->y_direction[a]);
    con_sweep_pass(sweep, NULL, false);
    double size = size_of_change(sweep), ratio = size / c->size;
    c->factor = ratio <= 1.0 ? ratio : -1.0;
    c->size = size;
}
