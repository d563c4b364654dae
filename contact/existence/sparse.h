// SPDX-License-Identifier: Apache-2.0
// The range of a large W without bodies, never formed densely.
#ifndef CAIRN_CONTACT_EXISTENCE_SPARSE_H
#define CAIRN_CONTACT_EXISTENCE_SPARSE_H

#include "contact/linear/block_lu.h"
#include "contact/problem/problem.h"

/// B = W D with D = 1 / (tr W_ii / 3) by contact: as many unknowns as rows, whatever the rank. The
/// normal matrix B^T F^T F B couples contacts that are two steps apart in W.
typedef struct con_range_sparse {
    const con_block_matrix *W;
    double *scale;             // [n] D
    int *row_start;            // [n + 1] into row and entry: blocks of W by columns
    int *row;                  // rows that have a block in the column
    int *entry;                // index of that block in W
    mat3 *weighted;            // [entries of W] F_i W_ij D_j
    int *place;                // [n] scratch, all -1 between uses
    con_block_pattern pattern; // of the normal matrix
    con_block_order order;
    con_block_lu lu;
    double *values; // [entries of the pattern][9]
} con_range_sparse;

/// @return CAIRN_ERROR_UNSUPPORTED when pattern or factors would be larger than 2 GB
cairn_status con_range_sparse_create(const con_problem *problem, base_arena *arena,
                                     con_range_sparse *range) CAIRN_CHECK_RESULT;

/// out = B y;  out = B^T x
void con_range_sparse_apply(const con_range_sparse *range, const double *y, double (*out)[3]);
void con_range_sparse_apply_transposed(const con_range_sparse *range, const double (*x)[3],
                                       double *out);

/// Factors B^T F^T F B + shift I, and `regularisation` of its largest diagonal entry.
/// @return CAIRN_ERROR_NUMERICAL when it is not finite
cairn_status con_range_sparse_factor(con_range_sparse *range, const double (*F)[3][3], double shift,
                                     double regularisation) CAIRN_CHECK_RESULT;

#endif
