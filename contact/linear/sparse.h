// SPDX-License-Identifier: Apache-2.0
// General sparse matrices in compressed columns: what problem files hold.
#ifndef CAIRN_CONTACT_LINEAR_SPARSE_H
#define CAIRN_CONTACT_LINEAR_SPARSE_H

#include "base/memory.h"

/// Compressed columns: column j has its entries at start[j] .. start[j + 1] - 1, rows ascending,
/// no row twice. Arrays are borrowed and read only.
typedef struct con_sparse {
    int rows;
    int columns;
    const int *start;    // [columns + 1]
    const int *index;    // [start[columns]] rows
    const double *value; // [start[columns]]
} con_sparse;

/// Entries of a matrix in any order; the same place may come several times.
typedef struct con_triplets {
    int count;
    int *row;      // [count]
    int *column;   // [count]
    double *value; // [count]
} con_triplets;

/// Number of entries; 0 for a matrix that is all zero bytes (absent).
int con_sparse_count(const con_sparse *a);

/// Room for `capacity` triplets in the arena, none of them set yet (count = 0).
cairn_status con_triplets_reserve(con_triplets *triplets, int capacity,
                                  base_arena *arena) CAIRN_CHECK_RESULT;

/// Adds one entry; the caller reserved room for it.
void con_triplets_add(con_triplets *triplets, int row, int column, double value);

/// Compresses triplets: rows sorted, entries of the same place added in the order of the list.
/// Explicit zeros stay.
/// @param out  arrays in arena memory
cairn_status con_sparse_from_triplets(const con_triplets *triplets, int rows, int columns,
                                      base_arena *arena, con_sparse *out) CAIRN_CHECK_RESULT;

/// Transpose, in arena memory.
cairn_status con_sparse_transpose(const con_sparse *a, base_arena *arena,
                                  con_sparse *out) CAIRN_CHECK_RESULT;

/// y += A x; x [columns], y [rows], no alias.
void con_sparse_apply_add(const con_sparse *a, const double *x, double *y);

/// y += A^T x; x [rows], y [columns], no alias.
void con_sparse_apply_transposed_add(const con_sparse *a, const double *x, double *y);

/// Dense copy, column major; out [rows * columns].
void con_sparse_to_dense(const con_sparse *a, double *out);

#endif
