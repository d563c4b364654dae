// SPDX-License-Identifier: Apache-2.0
// Block Jacobi: all contacts at once, each against the reactions of before, solvers.md (S.2).
#include "contact/literature/search.h"

#include "base/assert.h"
#include "contact/cones/cone.h"
#include "contact/local/secular_equation.h"

#include <float.h>
#include <math.h>

typedef struct block_jacobi_settings {
    double relaxation;
    bool splitting;
} block_jacobi_settings;

#define FIELD(name) offsetof(block_jacobi_settings, name)
static const base_setting settings_rows[] = {
    {"relaxation", BASE_SETTING_REAL, FIELD(relaxation), "", 1.0, DBL_MIN, 2.0, NULL,
     "factor of each change"},
    {"splitting", BASE_SETTING_BOOLEAN, FIELD(splitting), "", 1.0, 0.0, 1.0, NULL,
     "share each body among its contacts: slower, but it converges"},
};

enum { DEFAULT_ITERATIONS = 1000000 };

/// Everything prepared; blocks are those of the split bodies.
typedef struct jacobi {
    con_search search;
    double (*r)[3], (*u)[3];
    con_secular *block;
    double relaxation;
} jacobi;

static cairn_status prepare(jacobi *j, const block_jacobi_settings *settings, base_arena *arena)
{
    con_operator *op = &j->search.op;
    j->u = con_vectors(arena, op->contact_count);
    j->block = base_arena_array(arena, con_secular, "blocks", op->contact_count);
    if (j->u == NULL || j->block == NULL)
        return CAIRN_ERROR_MEMORY;
    j->relaxation = settings->relaxation;
    for (int i = 0; i < op->contact_count; i++) {
        double share = settings->splitting ? op->neighbours[i] : 1.0;
        op->diagonal[i] = mat3_scale(share, &op->diagonal[i]);
        // a contact that cannot bear is skipped by its unit
        (void)con_secular_prepare(&op->diagonal[i], op->mu[i], &j->block[i]);
    }
    return CAIRN_OK;
}

static cairn_status solve(const void *settings, const con_problem *problem,
                          const con_control *control, double (*R)[3], con_report *report,
                          base_arena *arena)
{
    jacobi j = {.relaxation = 1.0};
    BASE_TRY(
        con_search_begin(&j.search, problem, control, DEFAULT_ITERATIONS, R, report, arena, &j.r));
    BASE_TRY(prepare(&j, settings, arena));
    double error;
    for (;;) {
        con_operator_apply(&j.search.op, (const double(*)[3])j.r, true, j.u);
        error = con_search_test(&j.search, (const double(*)[3])j.r, (const double(*)[3])j.u);
        if (!isfinite(error) || con_search_solved(&j.search) || !con_search_count(&j.search))
            break;
        const con_operator *op = &j.search.op;
        for (int i = 0; i < op->contact_count; i++) {
            if (op->unit[i] == 0.0)
                continue;
            double *r = j.r[i], b[3], solved[3] = {r[0], r[1], r[2]};
            int count = 0;
            vec3 own = mat3_apply(&op->diagonal[i], vec3_from(r));
            vec3_store(b, vec3_sub(vec3_from(j.u[i]), own));
            con_secular_solve(&j.block[i], b, solved, &count);
            for (int k = 0; k < 3; k++)
                r[k] += j.relaxation * (solved[k] - r[k]);
            con_cone_project(r, op->mu[i], r);
        }
    }
    con_search_finish(&j.search, !isfinite(error));
    return CAIRN_OK;
}

const con_solver con_solver_block_jacobi = {
    .name = "block_jacobi",
    .help = "all contacts at once, each solved exactly against the others of before",
    .needs = 0,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(block_jacobi_settings)},
    .solve = solve,
};
