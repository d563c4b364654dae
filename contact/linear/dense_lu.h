// SPDX-License-Identifier: Apache-2.0
// Dense kernels of the block factorisation: partial LU of a front.
#ifndef CAIRN_CONTACT_LINEAR_DENSE_LU_H
#define CAIRN_CONTACT_LINEAR_DENSE_LU_H

#include "base/parallel.h"

#include <stdbool.h>
#include <stddef.h>

/// Whether to give up a factorisation: deadlines and interruptions.
typedef struct con_dense_query {
    bool (*stop)(const void *context);
    const void *context;
} con_dense_query;

/// A square matrix whose first columns are to be eliminated.
typedef struct con_dense_front {
    double *a; // [rows][stride] row-major; stride >= rows + 8, the 8 columns after the last zero
    size_t stride;
    int rows, pivots;
    int *pivot;  // [pivots] out: row exchanged with row k at step k
    double tiny; // pivots below it in size are replaced by it
    int length;  // 1, 4 or 8 doubles a vector, from con_dense_vector_length
} con_dense_front;

/// Eliminates the first columns: afterwards the pivot rows hold L (unit, below the diagonal) and U,
/// the other rows L and the Schur complement. Rows are exchanged among the pivot rows alone.
/// @param query    asked before each panel of a large matrix; NULL: nobody
/// @param workers  share the rows of a large matrix, with the same bits for any number of them;
///                 NULL: one thread
/// @return pivots replaced; -1 where the query ended it
int con_dense_partial_lu(const con_dense_front *front, const con_dense_query *query,
                         base_workers *workers);

/// Longest vectors that this machine has, the library was built for and the user allows
/// (base/vectors.h).
int con_dense_vector_length(void);

#endif
