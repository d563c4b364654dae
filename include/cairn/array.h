// SPDX-License-Identifier: Apache-2.0
// cairn: the numbers of all bodies, contacts, joints or connectors at once, column by column.
#ifndef CAIRN_ARRAY_H
#define CAIRN_ARRAY_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cairn_table {
    CAIRN_BODIES,     // item i is cairn_body_at(world, i)
    CAIRN_CONTACTS,   // item i is that of cairn_contact_get(world, i)
    CAIRN_JOINTS,     // item i is cairn_joint_at(world, i)
    CAIRN_CONNECTORS, // item i is cairn_connector_at(world, i)
    CAIRN_TABLE_COUNT
} cairn_table;

/// "bodies", "contacts", "joints", "connectors"; "" for no table.
CAIRN_API const char *cairn_table_name(cairn_table table);

/// Items of a table now.
CAIRN_API int cairn_table_size(const cairn_world *world, cairn_table table);

typedef enum cairn_scalar {
    CAIRN_FLOAT64, // double
    CAIRN_INT32,   // int, and enum constants
    CAIRN_UINT32,  // parts of ids: index, generation, world
    CAIRN_UINT64,
    CAIRN_UINT8 // 0 or 1
} cairn_scalar;

/// Bytes of one scalar; 0 for no scalar.
CAIRN_API size_t cairn_scalar_size(cairn_scalar scalar);

/// What there is to know of a column; texts are the library's.
typedef struct cairn_column_info {
    const char *name; // "bodies.velocity"
    cairn_table table;
    cairn_scalar scalar;
    int width;        // scalars of one item
    const char *unit; // "" for none
    const char *help;
    bool settable; // cairn_world_write takes it
    bool in_place; // cairn_world_array shows it wherever the world holds it as it is; the others
                   // are worked out when they are read
} cairn_column_info;

/// The columns of all tables: 0 .. count-1, those of a table one after the other.
CAIRN_API int cairn_column_count(void);
/// @return CAIRN_ERROR_NOT_FOUND for an index that there is not
CAIRN_API cairn_status cairn_column_get_info(int index, cairn_column_info *info) CAIRN_CHECK_RESULT;
/// Index of a column by its name; -1 where there is none.
CAIRN_API int cairn_column_find(const char *name);

/// Copies a column, item after item in the order of its table, whatever way the world holds it.
/// @param values  [count][width] of the column's scalar, out
/// @param count   cairn_table_size of its table
/// @return CAIRN_ERROR_NOT_FOUND for an unknown column, with the nearest name;
///         CAIRN_ERROR_ARGUMENT for another count, with the right one
/// Tests: tests/unit/engine/test_arrays.c
CAIRN_API cairn_status cairn_world_read(const cairn_world *world, const char *column, void *values,
                                        int count, cairn_error *error) CAIRN_CHECK_RESULT;

/// Between steps: sets a settable column of all items, as the call for one item does
/// (cairn_body_set_pose, cairn_body_set_velocity ...). Items that have their value already are left
/// alone. All values are checked before the first one is set.
/// @param values  [count][width] of the column's scalar
/// @return as cairn_world_read; CAIRN_ERROR_UNSUPPORTED for a column that cannot be set;
///         CAIRN_ERROR_ARGUMENT for a value that the call for one item refuses, nothing is changed
///         then; CAIRN_ERROR_MEMORY, with some items set
CAIRN_API cairn_status cairn_world_write(cairn_world *world, const char *column, const void *values,
                                         int count, cairn_error *error) CAIRN_CHECK_RESULT;

/// Items of a column as they lie in the world's memory.
typedef struct cairn_array_segment {
    const void *data; // of the first item
    size_t stride;    // bytes from one item to the next
    int count;        // items
    const int *rows;  // [count] row of each item; NULL: item i is of row i
} cairn_array_segment;

enum { CAIRN_ARRAY_SEGMENTS_MAX = 2 };

/// A column without a copy. Its rows are, of bodies, the `index` of their ids; of other tables the
/// places in the order of the table. Rows of bodies that were removed hold nothing of meaning, and
/// column "bodies.id" tells which rows there are. A row has its value in the last segment that has
/// it: spheres that are in particle slots have theirs there, whatever the first segment says.
typedef struct cairn_array {
    cairn_column_info info;
    int row_count; // 0 .. row_count-1
    int segment_count;
    cairn_array_segment segments[CAIRN_ARRAY_SEGMENTS_MAX];
} cairn_array;

/// Shows a column in place. The arrays are the world's: read-only, and valid until the next call
/// that takes the world as non-const.
/// @return CAIRN_ERROR_UNSUPPORTED where this world, as it is now, does not hold the column as it
///         is (cairn_world_read reads it then); CAIRN_ERROR_NOT_FOUND
CAIRN_API cairn_status cairn_world_array(const cairn_world *world, const char *column,
                                         cairn_array *array, cairn_error *error) CAIRN_CHECK_RESULT;

/// A word of the program's own on a body, 0 at first: a number, or a pointer as uintptr_t. It stays
/// with the body until that is removed; the body that gets its id's index afterwards starts with 0.
/// It is in checkpoints, and results do not depend on it.
/// @return CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD, CAIRN_ERROR_MEMORY
CAIRN_API cairn_status cairn_body_set_user(cairn_world *world, cairn_body_id body, uint64_t user,
                                           cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_body_get_user(const cairn_world *world, cairn_body_id body,
                                           uint64_t *user) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
