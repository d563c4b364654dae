// SPDX-License-Identifier: Apache-2.0
// Sparse LU of square blocks with symmetric pattern and unsymmetric values (multifrontal).
#ifndef CAIRN_CONTACT_LINEAR_BLOCK_LU_H
#define CAIRN_CONTACT_LINEAR_BLOCK_LU_H

#include "contact/linear/block_order.h"
#include "contact/linear/block_share.h"
#include "contact/linear/dense_lu.h"

#include <stdbool.h>

/// Factors of one matrix; factored again and again in the same memory. Rows are exchanged within
/// a supernode only; a pivot below 1e-14 of the largest entry is replaced by that size, so that
/// the caller should refine its solutions. Same bits on every machine and for any number of
/// threads: the vector kernels do the operations of the scalar ones in the same order, and threads
/// share parts of the tree and rows of fronts, which depend on the pattern alone.
typedef struct con_block_lu {
    const con_block_order *order;
    base_workers *workers;  // NULL: one thread
    con_block_share *share; // the parts of this process; NULL: it does all
    double *factor; // [factor_start[supernode_count]] per supernode: rows of U from the diagonal
                    // on, then columns of L below it
    int *pivot;     // [size * block] row taken at each pivot, within its supernode
    double *front;  // [order->front_size] and padding, or those of the parts' scratch
    double *panel;  // [scratch_count][CON_DENSE_SCRATCH][order->pivots_most] scratch
    double *stack;
    double *work;   // [size * block]
    double *gather; // [scratch_count][size * block]
    double *outer;  // [part_count][top_count * block] what parts add to rows of the top, or zeros
    int scratch_count; // of the threads, or of the parts where these are fewer
    int perturbed;     // pivots replaced in the last factorisation
    int vector_length; // 1, 4 or 8: what the kernels use on this machine
} con_block_lu;

/// @param workers    borrowed; NULL: one thread
/// @param gathering  processes that factor and solve the same matrix with this one, which share the
///                   parts of its tree; borrowed. NULL: none
cairn_status con_block_lu_create(const con_block_order *order, base_workers *workers,
                                 const con_gathering *gathering, base_arena *arena,
                                 con_block_lu *lu) CAIRN_CHECK_RESULT;

/// Doubles of memory that it takes, nearly.
size_t con_block_lu_size(const con_block_order *order, base_workers *workers);

/// @param values  [entries][block * block] row-major blocks in the order of the pattern
/// @param query   may end the work; asked by the calling thread alone, and says the same in all
///                processes; NULL: nobody
/// @return false when a value is not finite or the query ended it; the factors are then useless
bool con_block_lu_factor(con_block_lu *lu, const double *values,
                         const con_dense_query *query) CAIRN_CHECK_RESULT;

/// Size of the smallest pivot of the last factorisation; 0 where one was replaced. Not for
/// matrices that processes share.
double con_block_lu_least_pivot(const con_block_lu *lu);

/// Solves in place.
/// @param x  [size * block] right side in, solution out, in the numbering of the pattern
void con_block_lu_solve(con_block_lu *lu, double *x);

#endif
