// SPDX-License-Identifier: Apache-2.0
// One-contact solvers: one file each, one line each in the table of local.c.
#ifndef CAIRN_CONTACT_LOCAL_LOCAL_H
#define CAIRN_CONTACT_LOCAL_LOCAL_H

#include "base/settings.h"
#include "base/vec.h"

/// u = W R + b for one contact, (N, T1, T2). W positive definite as a quadratic form, perhaps
/// slightly unsymmetric.
typedef struct con_local_problem {
    mat3 W;      // kg^-1
    double b[3]; // m/s
    double mu;   // >= 0
} con_local_problem;

typedef struct con_local_result {
    int iterations;
    bool converged; // the solver's own test; the caller may measure the natural map itself
} con_local_result;

/// A one-contact solver: no state between calls, no allocation.
typedef struct con_local {
    const char *name; // of scenes and --local
    const char *help; // one line
    base_settings_table table;
    /// @param settings  struct of `table`
    /// @param R         [3] in: start, out: solution in the cone (exactly, to round-off)
    con_local_result (*solve)(const void *settings, const con_local_problem *problem, double R[3]);
} con_local;

/// Natural map of one contact in scaled form, theory.md (5.10): R and u brought to one unit by
/// W_NN, divided by max(|R| W_NN, |b|). Dimensionless; about 1e-16 for an exact solution.
double con_local_error(const con_local_problem *problem, const double R[3]);

/// All one-contact solvers, the default first. Never NULL entries.
const con_local *const *con_local_list(int *count);

/// NULL when there is none of that name.
const con_local *con_local_find(const char *name);

enum { CON_LOCAL_SETTINGS_MAX = 128 }; // bytes; every settings struct fits

#endif
