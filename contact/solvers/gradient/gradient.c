// SPDX-License-Identifier: Apache-2.0
// Nesterov's method on an island with a shift that follows the slip.
#include "contact/solvers/gradient/gradient.h"

#include "contact/cones/cone.h"
#include "contact/solvers/gradient/gradient_kernel.h"
#include "contact/solvers/newton/newton_loops.h"

#include <math.h>
#include <string.h>

enum {
    LANES = CON_GRADIENT_LANES,
    FOLLOW = 5,   // steps from one change of the shift to the next
    TEST = 20,    // from one measurement of the error to the next
    REFRESH = 500 // from one computation of the velocities to the next
};

typedef struct gradient {
    con_newton *newton;
    const con_gradient_kernel *kernel;
    con_gradient_pass pass;
    int block_count;
    con_gradient_row *velocity; // [m + 1] of the bodies; NULL: W d by way of d and W_d
    double (*d)[3], (*W_d)[3];
    double curvature; // L
    double d_squared; // of the step that is taken next
    double theta;
    con_gradient_sums part[CON_CHUNKS_MAX];
} gradient;

static int blocks_of_chunk(const gradient *g)
{
    int least = CON_NEWTON_ALONE / LANES;
    int size = base_chunk_count(g->block_count, CON_CHUNKS_MAX);
    return size > least ? size : least;
}

static void advance_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)worker;
    gradient *g = context;
    g->kernel->advance(&g->pass, begin, end, &g->part[chunk]);
}

static void gather_chunk(void *context, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const gradient *g = context;
    g->kernel->gather(&g->pass, g->newton->side_start, g->newton->side, begin, end, g->velocity);
}

// a vector of all contacts into a row of the blocks, and back
#define PACK(g, field, from)                                                                       \
    for (int i = 0; i < (g)->newton->contact_count; i++)                                           \
        for (int axis = 0; axis < 3; axis++)                                                       \
    (g)->pass.blocks[i / LANES].field[axis][i % LANES] = (from)[i][axis]
#define UNPACK(g, field, to)                                                                       \
    for (int i = 0; i < (g)->newton->contact_count; i++)                                           \
        for (int axis = 0; axis < 3; axis++)                                                       \
    (to)[i][axis] = (g)->pass.blocks[i / LANES].field[axis][i % LANES]

// W d of the step that is taken next
static void find_change(gradient *g)
{
    if (g->velocity != NULL) {
        con_newton_each_body(g->newton, gather_chunk, g);
        return;
    }
    UNPACK(g, d, g->d);
    con_newton_velocity(g->newton, (const double(*)[3])g->d, false, g->W_d);
    PACK(g, W_d, g->W_d);
}

static void step(gradient *g, double follow)
{
    find_change(g);
    g->pass.step = 1.0 / g->curvature;
    g->pass.follow = follow;
    int size = blocks_of_chunk(g), chunks = base_chunk_count(g->block_count, size);
    base_parallel_for(con_newton_workers(g->newton), g->block_count, size, advance_chunk, g);
    con_gradient_sums sums = {0};
    for (int k = 0; k < chunks; k++) {
        sums.energy += g->part[k].energy;
        sums.d_squared += g->part[k].d_squared;
        sums.uphill += g->part[k].uphill;
    }
    // the curvature along the step that was taken bounds the next one
    double curvature = g->d_squared > 0.0 ? sums.energy / g->d_squared : 0.0;
    g->curvature = fmax(0.98 * g->curvature, curvature);
    g->d_squared = sums.d_squared;
    // momentum, which begins anew where it points uphill
    double square = g->theta * g->theta;
    double next = 0.5 * (-square + g->theta * sqrt(square + 4.0));
    g->pass.beta = g->theta * (1.0 - g->theta) / (square + next);
    if (sums.uphill > 0.0) {
        g->pass.beta = 0.0;
        next = 1.0;
    }
    g->theta = next;
}

static bool allocate(gradient *g)
{
    const con_newton *newton = g->newton;
    base_arena *arena = newton->arena;
    size_t n = (size_t)newton->contact_count, m = (size_t)newton->body_count;
    con_gradient_pass *pass = &g->pass;
    g->block_count = base_chunk_count(newton->contact_count, LANES);
    pass->blocks =
        base_arena_allocate(arena, "gradient", (size_t)g->block_count, sizeof *pass->blocks);
    g->d = base_arena_allocate(arena, "gradient", n, sizeof *g->d);
    g->W_d = base_arena_allocate(arena, "gradient", n, sizeof *g->W_d);
    if (pass->blocks == NULL || g->d == NULL || g->W_d == NULL)
        return false;
    memset(pass->blocks, 0, (size_t)g->block_count * sizeof *pass->blocks);
    pass->contact_count = newton->contact_count;
    if (!newton->bodies || newton->joints != NULL || newton->rate_J != NULL || newton->E != NULL)
        return true;

    double(*last)[2][3][6] = base_arena_allocate(arena, "gradient", 3, sizeof *last);
    int(*row)[2] = base_arena_allocate(arena, "gradient", n, sizeof *row);
    g->velocity = base_arena_allocate(arena, "gradient", m + 1, sizeof *g->velocity);
    pass->part = base_arena_allocate(arena, "gradient", n, sizeof *pass->part);
    if (last == NULL || row == NULL || g->velocity == NULL || pass->part == NULL)
        return false;
    memset(last, 0, 3 * sizeof *last);
    memcpy(last[0], newton->J[n - 1], sizeof *last);
    memcpy(last[1], newton->K[n - 1], sizeof *last);
    for (size_t i = 0; i < n; i++)
        for (int s = 0; s < 2; s++)
            row[i][s] = newton->body[i][s] >= 0 ? newton->body[i][s] : newton->body_count;
    memset(g->velocity, 0, (m + 1) * sizeof *g->velocity);
    pass->J = (const double(*)[2][3][6])newton->J;
    pass->K = (const double(*)[2][3][6])newton->K;
    pass->last_J = (const double(*)[3][6])last[0];
    pass->last_K = (const double(*)[3][6])last[1];
    pass->row = (const int(*)[2])row;
    pass->velocity = (const con_gradient_row *)g->velocity;
    return true;
}

// the point r with its velocities, and no step from it; the shift is kept unless this is the start
static void place(gradient *g, const double (*r)[3], bool start)
{
    const con_newton *newton = g->newton;
    int n = newton->contact_count;
    con_newton_velocity(g->newton, r, true, g->W_d);
    for (int i = 0; i < n; i++) {
        con_gradient_block *b = &g->pass.blocks[i / LANES];
        int l = i % LANES;
        double mu = newton->mu[i], *u = g->W_d[i];
        if (start) {
            b->mu[l] = mu;
            b->share[l] = 1.0 / (1.0 + mu * mu);
            b->shift[l] = mu * sqrt(u[1] * u[1] + u[2] * u[2]);
        }
        u[0] += b->shift[l];
    }
    PACK(g, r, r);
    PACK(g, y, r);
    PACK(g, u, g->W_d);
    PACK(g, w, g->W_d);
    for (int k = 0; k < g->block_count; k++) {
        memset(g->pass.blocks[k].d, 0, sizeof g->pass.blocks[k].d);
        memset(g->pass.blocks[k].W_d, 0, sizeof g->pass.blocks[k].W_d);
    }
    if (g->pass.part != NULL)
        memset(g->pass.part, 0, (size_t)n * sizeof *g->pass.part);
    g->d_squared = 0.0;
    g->pass.beta = 0.0;
    g->theta = 1.0;
}

// the velocities of r and y without the round-off of many steps
static void refresh(gradient *g)
{
    UNPACK(g, r, g->d);
    con_newton_velocity(g->newton, (const double(*)[3])g->d, true, g->W_d);
    PACK(g, u, g->W_d);
    UNPACK(g, y, g->d);
    con_newton_velocity(g->newton, (const double(*)[3])g->d, true, g->W_d);
    PACK(g, w, g->W_d);
    for (int k = 0; k < g->block_count; k++)
        for (int l = 0; l < LANES; l++) {
            con_gradient_block *b = &g->pass.blocks[k];
            b->u[0][l] += b->shift[l];
            b->w[0][l] += b->shift[l];
        }
}

// the shift follows more slowly where its pace keeps the error from falling
static void run(gradient *g, const con_gradient_settings *settings)
{
    con_newton *newton = g->newton;
    double share = settings->share, before = INFINITY;
    int left = newton->limit - newton->factorisations, since = 0;
    int most = settings->max_steps < left ? settings->max_steps : left;
    for (int k = 1; k <= most && share >= settings->slowest; k++) {
        step(g, k % FOLLOW == 0 ? share : 0.0);
        newton->gradients++;
        newton->limit--;
        if (k % REFRESH == 0)
            refresh(g);
        if (k % TEST != 0 && k != most && !con_newton_late(newton))
            continue;
        UNPACK(g, r, g->d);
        double error = con_newton_error(newton, (const double(*)[3])g->d);
        if (isnan(error) || con_newton_solved(newton) || con_newton_late(newton))
            return;
        if (error < 0.5 * before) {
            before = error;
            since = k;
        } else if (k - since >= settings->patience) {
            share *= 0.5;
            before = error;
            since = k;
        }
    }
}

cairn_status con_gradient_run(con_newton *newton, const con_gradient_settings *settings,
                              const double (*r)[3])
{
    gradient g = {.newton = newton, .kernel = con_gradient_kernel_choose(), .curvature = 3.0};
    if (newton->force != NULL || newton->contact_count == 0)
        return CAIRN_OK;
    base_arena_mark mark = base_arena_get_mark(newton->arena);
    if (!allocate(&g))
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < newton->contact_count; i++)
        con_cone_project(r[i], newton->mu[i], g.d[i]);
    place(&g, (const double(*)[3])g.d, true);
    run(&g, settings);
    base_arena_rewind(newton->arena, mark);
    return CAIRN_OK;
}
