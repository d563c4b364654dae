// SPDX-License-Identifier: Apache-2.0
// Assembly of the sparse matrix W: pattern and blocks of free bodies.
#ifndef CAIRN_CONTACT_PROBLEM_DELASSUS_H
#define CAIRN_CONTACT_PROBLEM_DELASSUS_H

#include "contact/problem/problem.h"

/// W while it is being built, in arena memory; same rows as con_block_matrix.
typedef struct con_delassus_rows {
    int *start;
    int *column;
    mat3 *block; // not set by con_delassus_pattern
    int *cursor; // [n] scratch
} con_delassus_rows;

/// Coupling of contacts i and j through the bodies they share.
mat3 con_coupling_block(const con_problem *problem, int i, int j);

/// The same for j = i and E_i, symmetric bit by bit.
mat3 con_diagonal_block(const con_problem *problem, int i);

/// W where it is regular; with a thousandth of its size added to the diagonal where it is singular
/// to round-off, as joints can make it. A contact solved with U - W' R in place of U - W R moves by
/// a proximal step, which has a solution where that of W itself may have none.
mat3 con_proximal_block(const mat3 *W);

/// Contacts act on each other where problem->body has one entry in common, which is all that is
/// read of the bodies, and where both know the rates.
/// @return CAIRN_ERROR_MEMORY, also where the number of blocks passes an int
cairn_status con_delassus_pattern(const con_problem *problem, base_arena *arena,
                                  con_delassus_rows *rows) CAIRN_CHECK_RESULT;

cairn_status con_delassus_keep(const con_problem *problem, const con_delassus_rows *rows,
                               base_arena *arena, const con_block_matrix **W) CAIRN_CHECK_RESULT;

/// The whole W = H M^-1 H^T.
cairn_status con_delassus_assemble(const con_problem *problem, base_arena *arena,
                                   const con_block_matrix **W) CAIRN_CHECK_RESULT;

#endif
