// SPDX-License-Identifier: Apache-2.0
// Several processes that factor one matrix: each has some parts of its tree, all have the top.
//
// All have the matrix, and call alike. What a part leaves for the top (the updates of its roots in
// a factorisation, what it adds to rows of the top in a solve) goes from its process to all, and so
// does the solution of its rows. What a process does has the bits of one process, so that the top,
// which all do, has them too.
#ifndef CAIRN_CONTACT_LINEAR_BLOCK_SHARE_H
#define CAIRN_CONTACT_LINEAR_BLOCK_SHARE_H

#include "contact/linear/block_order.h"

#include <stdbool.h>

/// Processes, as one of them sees them.
typedef struct con_gathering {
    int count;  // of processes
    int number; // of this one
    void *context;
    /// What each process has goes to all.
    /// @param bytes  the pieces of all one after the other, that of this process filled in
    /// @param start  [count + 1] where they begin
    /// @return false when a message has failed, now or earlier
    bool (*gather)(void *context, unsigned char *bytes, const size_t *start);
} con_gathering;

enum { CON_BLOCK_SHARE_KINDS = 3 };

/// Who has which parts, and the messages about them.
typedef struct con_block_share {
    const con_block_order *order;
    const con_gathering *gathering;
    int *first_part;                      // [count + 1] of each process
    int begin, end;                       // parts of this process
    size_t *start[CON_BLOCK_SHARE_KINDS]; // [count + 1] of each kind of message
    double *message;
} con_block_share;

/// Whether the largest message has less than 2 GB, which is what messages may have.
bool con_block_share_fits(const con_block_order *order);

/// Parts go to processes in their order, as many operations to each as parts allow.
/// @param gathering  borrowed; there are parts
cairn_status con_block_share_create(const con_block_order *order, const con_gathering *gathering,
                                    base_arena *arena, con_block_share *share) CAIRN_CHECK_RESULT;

/// After the parts are factored.
/// @param stack     con_block_lu.stack
/// @param replaced  [part_count] pivots replaced
void con_block_share_updates(const con_block_share *share, double *stack, int *replaced);

/// After the lower half of a solve in the parts.
/// @param outer  con_block_lu.outer
void con_block_share_outer(const con_block_share *share, double *outer);

/// After the upper half.
/// @param x  [size * block] by turns
void con_block_share_solution(const con_block_share *share, double *x);

#endif
