// SPDX-License-Identifier: Apache-2.0
// The velocities that impulses can produce: U - q = B y, with B on bodies or as a dense basis.
#ifndef CAIRN_CONTACT_EXISTENCE_RANGE_H
#define CAIRN_CONTACT_EXISTENCE_RANGE_H

#include "contact/existence/sparse.h"
#include "contact/linear/block_lu.h"
#include "contact/problem/problem.h"

/// Body form: B = H M^-1/2, one block of six unknowns a body. Otherwise B is an orthonormal basis
/// of columns of W, found by a pivoted Cholesky factorisation of its symmetric part; or, where W is
/// large, W itself with scaled columns.
typedef struct con_range {
    const con_problem *problem;
    int rows;    // 3 n
    int columns; // unknowns y
    double unit; // mean square of the rows of B

    // body form
    double (*J)[2][3][6];      // [n] blocks of B
    con_block_pattern pattern; // of B^T D B
    con_block_order order;
    con_block_lu lu;
    int (*slot)[2][2]; // [n] places in `values` of the pairs of bodies; -1 for none
    int *diagonal;     // [m]
    double *values;    // [entries][36]

    bool is_sparse;
    con_range_sparse sparse;

    // dense
    double *basis;    // [columns][rows] column-major
    double *triangle; // [columns][columns] column-major: picked columns of W = basis triangle
    int *picked;      // [columns] columns of W
    double *scaled;   // [columns][rows] scratch
    double *normal;   // [columns][columns]
} con_range;

/// @param range  memory from the arena stays in use
cairn_status con_range_create(const con_problem *problem, base_arena *arena,
                              con_range *range) CAIRN_CHECK_RESULT;

/// out = B y;  out = B^T x
void con_range_apply(const con_range *range, const double *y, double (*out)[3]);
void con_range_apply_transposed(const con_range *range, const double (*x)[3], double *out);

/// Factors B^T F^T F B + shift I (and a little more of the identity than that).
/// @param F  [n] 3x3 row-major
/// @return CAIRN_ERROR_NUMERICAL when it is not finite or not positive definite
cairn_status con_range_factor(con_range *range, const double (*F)[3][3],
                              double shift) CAIRN_CHECK_RESULT;
void con_range_solve(con_range *range, double *x);

/// U of a problem for unknowns y, by the problem's own operators rather than the basis.
/// @param y  [columns] in m/s; overwritten
cairn_status con_range_velocity(const con_range *range, double *y, double (*U)[3],
                                base_arena *arena) CAIRN_CHECK_RESULT;

/// |W^T d|_max / (|W|_max sum |d|), or the same of J; 0 for d = 0.
cairn_status con_range_residual(const con_range *range, const double (*d)[3], double *residual,
                                base_arena *arena) CAIRN_CHECK_RESULT;

#endif
