// SPDX-License-Identifier: Apache-2.0
// Columns of a table of state (contacts.h): what there is to know of each, and the loops over them.
#ifndef CAIRN_ENGINE_STATE_COLUMNS_H
#define CAIRN_ENGINE_STATE_COLUMNS_H

#include "base/memory.h"

#include <stdbool.h>

typedef enum eng_scalar { ENG_REAL, ENG_INTEGER, ENG_WORD, ENG_BYTE } eng_scalar;

/// What is done with a column.
enum {
    ENG_SAVED = 1,    // part of a checkpoint
    ENG_HASHED = 2,   // part of the state hash
    ENG_CARRIED = 4,  // goes over to the same item of the next step; zero in a new one
    ENG_CLEARED = 8,  // zero in each step until a pass writes it
    ENG_PLACED = 16,  // a pose: the identity where there is nothing
    ENG_DERIVED = 32, // worked out in each step
    ENG_EXPORTED = 64 // shown by cairn_world_array as it is
};

/// One column [count][width] of scalars.
typedef struct eng_column {
    const char *name;
    eng_scalar scalar;
    int width;
    const char *unit;
    unsigned flags;
    const char *help;
} eng_column;

/// A table of columns and the arrays that it describes, both [count].
typedef struct eng_columns {
    const eng_column *table;
    void **data;
    int count;
} eng_columns;

typedef int eng_integers2[2];
typedef double eng_reals3[3];
typedef double eng_reals4[4];
typedef double eng_reals6[6];

/// Bytes of one row of a column.
size_t eng_column_row_size(const eng_column *column);

/// Room for so many rows; contents stay. On failure some columns may have got more room.
cairn_status eng_columns_reserve(eng_columns columns, const base_allocator *allocator,
                                 int *capacity, int needed) CAIRN_CHECK_RESULT;

void eng_columns_release(eng_columns columns, const base_allocator *allocator);

/// Copies rows of all columns between two tables of the same kind.
void eng_columns_copy(eng_columns to, eng_columns from, int rows);

/// Continues a hash by the hashed columns, in the order of the table.
uint64_t eng_columns_hash(eng_columns columns, int rows, uint64_t hash);

/// Whether all values of the rows [begin, end) are finite.
bool eng_columns_are_finite(eng_columns columns, int begin, int end);

/// The first column with a value that is not finite, and its row; NULL where all are finite.
const eng_column *eng_columns_find_nonfinite(eng_columns columns, int rows, int *row);

#endif
