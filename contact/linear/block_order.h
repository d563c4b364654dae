// SPDX-License-Identifier: Apache-2.0
// Elimination order and supernodes of a sparse matrix of square blocks with symmetric pattern.
#ifndef CAIRN_CONTACT_LINEAR_BLOCK_ORDER_H
#define CAIRN_CONTACT_LINEAR_BLOCK_ORDER_H

#include "base/memory.h"

/// Pattern by block rows: columns ascending, (i, j) present with (j, i), every diagonal present.
typedef struct con_block_pattern {
    int size;          // block rows and columns
    const int *start;  // [size + 1] into column
    const int *column; // [start[size]]
} con_block_pattern;

/// Pattern of the pairs (row, column) given, in arena memory. The same pair may come several times;
/// the caller lists both (i, j) and (j, i), and the diagonal.
/// @param pairs  [count] reordered
cairn_status con_block_pattern_create(int size, int (*pairs)[2], size_t count, base_arena *arena,
                                      con_block_pattern *pattern) CAIRN_CHECK_RESULT;

/// Index in pattern->column of a block, -1 where there is none.
int con_block_pattern_find(const con_block_pattern *pattern, int row, int column);

/// Where a block of the matrix goes in the front of its supernode, in blocks.
typedef struct con_block_entry {
    int source; // index in pattern->column
    int row;
    int column;
} con_block_entry;

/// Subtrees that lie side by side: supernodes [begin, end), which need nothing of others. What they
/// add to rows of their ancestors waits until all parts are done.
typedef struct con_block_part {
    int begin, end;
    int last_turn; // of its own: later rows are of ancestors
} con_block_part;

enum { CON_BLOCK_PARTS_MAX = 64 };

/// Everything of a factorisation that depends on the pattern alone. Supernodes are in postorder of
/// their tree: consecutive pivots that share their row structure (up to some explicit zeros).
/// A front is a dense square matrix over the pivots of a supernode and the rows below them.
typedef struct con_block_order {
    int size;
    int block;           // rows of a block: 3 or 6
    int *place;          // [size] block row -> its turn
    int *block_at;       // [size] turn -> block row
    int supernode_count; //
    int *first;          // [supernode_count + 1] first turn of a supernode
    int *parent;         // [supernode_count] supernode or -1
    int *row_start;      // [supernode_count + 1] into row
    int *row;            // turns of the rows of fronts, pivots first, ascending
    int *relative;       // as row: place of a row in the front of the parent; pivots unused
    int *entry_start;    // [supernode_count + 1] into entry
    con_block_entry *entry;
    int *first_child;     // [supernode_count] the last of its children; -1 for none
    int *next_child;      // [supernode_count] the one before it of the same parent; -1 for none
    size_t *factor_start; // [supernode_count + 1] doubles before the factor of a supernode
    size_t *update_start; // [supernode_count] doubles before its update on the stack
    size_t front_size;    // doubles of the largest front, padded
    size_t stack_size;    // doubles of updates waiting for their parents, at most
    double flops;         // of one factorisation

    // the tree cut into independent parts and its top, what is left; see con_block_order_cut
    int part_count; // 0: one thread does all, in the order of the supernodes
    con_block_part part[CON_BLOCK_PARTS_MAX];
    int top_count;          // turns of the top
    int *top;               // [top_count] ascending
    int *top_place;         // [size] place of a turn in it; -1 for turns of parts
    size_t part_front_size; // doubles of the largest front of a part, padded
} con_block_order;

enum { CON_FRONT_PADDING = 8 }; // zero columns at the end of every row of a front

/// Leading dimension of a front of so many rows.
static inline size_t con_front_stride(int rows)
{
    return (size_t)rows + CON_FRONT_PADDING;
}

/// Approximate minimum degree order, postordered elimination tree, supernodes. Deterministic.
/// @param arena  holds the result; scratch is rewound where nothing of the result lies above it
/// Tests: tests/unit/contact/test_block_lu.c
cairn_status con_block_order_create(const con_block_pattern *pattern, int block, base_arena *arena,
                                    con_block_order *order) CAIRN_CHECK_RESULT;

/// Cuts the tree into subtrees of at most an eighth of the work each, for threads to share: by the
/// pattern alone, so that sums have the same order for any number of threads. A tree that gives no
/// two parts stays whole.
/// @param arena  of the order, which the cut is added to
cairn_status con_block_order_cut(con_block_order *order, base_arena *arena) CAIRN_CHECK_RESULT;

#endif
