// SPDX-License-Identifier: Apache-2.0
// The table of the columns that the public interface shows, and one item of each table as it is
// read.
#ifndef CAIRN_ENGINE_CALLS_COLUMNS_H
#define CAIRN_ENGINE_CALLS_COLUMNS_H

#include "contact/laws/law.h"
#include <cairn/cairn.h>

/// One item of a table with all that its columns show, worked out from the state.
typedef struct eng_body_item {
    cairn_body_view view;
    cairn_body_id id;
    double load_force[3], load_torque[3], contact_force[3], contact_torque[3];
    cairn_collision collision;
    uint64_t user;
} eng_body_item;

typedef struct eng_contact_item {
    cairn_contact_view view;
    double frame[3][3], reaction[3];
    double history[CON_HISTORY_MAX];
} eng_contact_item;

typedef struct eng_joint_item {
    cairn_joint_view view;
    cairn_joint_id id;
} eng_joint_item;

typedef struct eng_connector_item {
    cairn_connector_view view;
    cairn_connector_id id;
} eng_connector_item;

typedef struct eng_shown_column {
    cairn_column_info info;
    size_t offset; // into the item
    /// Shows the column in place; segments stay empty where the world does not hold it as it is.
    /// NULL: it never does
    void (*show)(const cairn_world *world, cairn_array *array);
} eng_shown_column;

/// Row of the table, by its index; NULL, with a message, for an unknown name.
const eng_shown_column *eng_shown_column_find(const char *name, cairn_error *error);

/// Reads items [0, count) of a column; count is right.
void eng_shown_column_read(const cairn_world *world, const eng_shown_column *column, void *values);

#endif
