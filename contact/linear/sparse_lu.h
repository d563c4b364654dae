// SPDX-License-Identifier: Apache-2.0
// Sparse LU factorisation of a square matrix, scaled, with partial pivoting (CXSparse).
#ifndef CAIRN_CONTACT_LINEAR_SPARSE_LU_H
#define CAIRN_CONTACT_LINEAR_SPARSE_LU_H

#include "contact/linear/sparse.h"

typedef struct con_sparse_lu con_sparse_lu;

/// Factorises a square matrix after scaling its rows and columns to a largest entry near 1.
/// The factors live in CXSparse's memory (the C library's), the rest in the arena.
/// @param lu  out; destroy before the arena goes
/// @return CAIRN_ERROR_NUMERICAL when a pivot of the scaled matrix is below 1e-13;
///         CAIRN_ERROR_MEMORY
cairn_status con_sparse_lu_create(const con_sparse *a, base_arena *arena,
                                  con_sparse_lu **lu) CAIRN_CHECK_RESULT;
void con_sparse_lu_destroy(con_sparse_lu *lu);

/// x = A^-1 x
/// @param x  [rows]
void con_sparse_lu_solve(const con_sparse_lu *lu, double *x);

#endif
