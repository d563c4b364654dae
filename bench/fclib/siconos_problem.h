// SPDX-License-Identifier: Apache-2.0
// Problem files as the structures of Siconos, for its solvers and its measure of the error.
#ifndef CAIRN_BENCH_FCLIB_SICONOS_PROBLEM_H
#define CAIRN_BENCH_FCLIB_SICONOS_PROBLEM_H

#include "contact/fclib/fclib.h"

// the sparse matrices of Siconos are those of this header
#include <suitesparse/cs.h>

#include <SiconosConfig.h>

#include <NumericsFwd.h>

#include <CSparseMatrix.h>
#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <GlobalFrictionContactProblem.h>
#include <GlobalRollingFrictionContactProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <NumericsVerbose.h>
#include <RollingFrictionContactProblem.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fc3d_compute_error.h>
#include <gfc3d_compute_error.h>
#include <rolling_fc3d_compute_error.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline CSparseMatrix *siconos_columns(const con_sparse *a)
{
    int count = con_sparse_count(a);
    CSparseMatrix *out = cs_dl_spalloc(a->rows, a->columns, count > 0 ? count : 1, 1, 0);
    for (int j = 0; j <= a->columns; j++)
        out->p[j] = a->start[j];
    for (int k = 0; k < count; k++) {
        out->i[k] = a->index[k];
        out->x[k] = a->value[k];
    }
    return out;
}

static inline RawNumericsMatrix *siconos_sparse(const con_sparse *a)
{
    RawNumericsMatrix *out = NM_create(NM_SPARSE, a->rows, a->columns);
    out->matrix2->csc = siconos_columns(a);
    out->matrix2->origin = NSM_CSC;
    return out;
}

/// 3x3 blocks, the storage that Siconos's local solvers are fastest with.
static inline RawNumericsMatrix *siconos_blocks(const con_sparse *a)
{
    RawNumericsMatrix *out = NM_create(NM_SPARSE_BLOCK, a->rows, a->columns);
    out->matrix1->block = NULL;
    out->matrix1->index1_data = NULL;
    out->matrix1->index2_data = NULL;
    CSparseMatrix *columns = siconos_columns(a);
    SBM_from_csparse(3, columns, out->matrix1);
    cs_dl_spfree(columns);
    return out;
}

static inline FrictionContactProblem *siconos_local(const con_fclib_problem *content)
{
    FrictionContactProblem *out = frictionContactProblem_new();
    out->dimension = 3;
    out->numberOfContacts = content->contact_count;
    out->M = siconos_blocks(&content->W);
    out->q = (double *)content->q;
    out->mu = (double *)content->friction;
    return out;
}

static inline GlobalFrictionContactProblem *siconos_global(const con_fclib_problem *content)
{
    GlobalFrictionContactProblem *out = globalFrictionContactProblem_new();
    out->dimension = 3;
    out->numberOfContacts = content->contact_count;
    out->M = siconos_sparse(&content->M);
    out->H = siconos_sparse(&content->H);
    out->q = (double *)content->f;
    out->b = (double *)content->w;
    out->mu = (double *)content->friction;
    out->env = NULL;
    return out;
}

static inline RollingFrictionContactProblem *siconos_rolling(const con_fclib_problem *content)
{
    RollingFrictionContactProblem *out = rollingFrictionContactProblem_new();
    out->dimension = 5;
    out->numberOfContacts = content->contact_count;
    out->M = siconos_sparse(&content->W);
    out->q = (double *)content->q;
    out->mu = (double *)content->friction;
    out->mu_r = (double *)content->rolling;
    return out;
}

static inline GlobalRollingFrictionContactProblem *
siconos_global_rolling(const con_fclib_problem *content)
{
    GlobalRollingFrictionContactProblem *out = globalRollingFrictionContactProblem_new();
    out->dimension = 5;
    out->numberOfContacts = content->contact_count;
    out->M = siconos_sparse(&content->M);
    out->H = siconos_sparse(&content->H);
    out->q = (double *)content->f;
    out->b = (double *)content->w;
    out->mu = (double *)content->friction;
    out->mu_r = (double *)content->rolling;
    return out;
}

static inline double siconos_norm(const double *x, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; k++)
        sum += x[k] * x[k];
    return sqrt(sum);
}

/// Error of a point by Siconos's own function; velocities are recomputed there.
static inline double siconos_local_error(const con_fclib_problem *content, double *r, double *u)
{
    double error = NAN;
    FrictionContactProblem *problem = siconos_local(content);
    SolverOptions *options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    fc3d_compute_error(problem, r, u, 1e-8, options,
                       siconos_norm(content->q, 3 * content->contact_count), &error);
    // vectors are the file's
    problem->q = problem->mu = NULL;
    frictionContactProblem_free(problem);
    solver_options_delete(options);
    free(options);
    return error;
}

static inline double siconos_global_error(const con_fclib_problem *content, double *r, double *u,
                                          double *v)
{
    double error = NAN;
    GlobalFrictionContactProblem *problem = siconos_global(content);
    SolverOptions *options = solver_options_create(SICONOS_GLOBAL_FRICTION_3D_NSGS);
    gfc3d_compute_error(problem, r, u, v, 1e-8, options,
                        siconos_norm(content->f, content->velocity_count),
                        siconos_norm(content->w, 3 * content->contact_count), &error);
    problem->q = problem->b = problem->mu = NULL;
    globalFrictionContact_free(problem);
    solver_options_delete(options);
    free(options);
    return error;
}

/// The same for a rolling problem; one in global form is brought into local form by Siconos.
static inline double siconos_rolling_error(const con_fclib_problem *content, double *r, double *u)
{
    double error = NAN;
    bool global = content->form == CON_FCLIB_GLOBAL;
    RollingFrictionContactProblem *problem =
        global ? globalRollingFrictionContact_reformulation_RollingFrictionContact(
                     siconos_global_rolling(content))
               : siconos_rolling(content);
    SolverOptions *options = solver_options_create(SICONOS_ROLLING_FRICTION_3D_NSGS);
    rolling_fc3d_compute_error(problem, r, u, 1e-8, options,
                               siconos_norm(problem->q, 5 * content->contact_count), &error);
    solver_options_delete(options);
    free(options);
    return error;
}

#endif
