// SPDX-License-Identifier: Apache-2.0
// What can be opened: scene files and folders of runs, listed, narrowed down by typing, chosen.
#ifndef CAIRN_VIEWER_INPUT_PICKER_H
#define CAIRN_VIEWER_INPUT_PICKER_H

#include "base/memory.h"

#include <limits.h>
#include <stdbool.h>

enum { VIEW_FILTER_MAX = 40 };

typedef struct view_choice {
    char *path;            // owned
    char *name;            // owned; what is listed
    bool run;              // the folder of a run
    bool asked;            // for its small picture
    unsigned char *pixels; // owned; of its small picture, NULL: none
} view_choice;

typedef struct view_picker {
    base_allocator allocator;
    bool open;
    view_choice *choices;
    int count, capacity;
    int *shown; // [shown_count] choices that the filter lets through, best first
    int shown_count, shown_capacity;
    int chosen;        // into shown
    int columns, rows; // of the last picture: how many are shown beside and below each other
    char filter[VIEW_FILTER_MAX];
} view_picker;

view_picker view_picker_begin(const base_allocator *allocator);
void view_picker_finish(view_picker *picker);

/// Empties the list and the filter.
void view_picker_clear(view_picker *picker);

/// Adds the scenes (*.lua) and runs (folders with a trajectory.h5) of a folder, by name, those left
/// out that are listed already; a folder that cannot be read adds nothing.
/// @return CAIRN_ERROR_MEMORY
cairn_status view_picker_add(view_picker *picker, const char *folder) CAIRN_CHECK_RESULT;

/// Narrows the list down: names that have the filter's letters in that order, those that have them
/// together first, those that begin with them before. Chooses the first.
cairn_status view_picker_narrow(view_picker *picker) CAIRN_CHECK_RESULT;

/// Moves the choice, to the ends at most.
void view_picker_move(view_picker *picker, int by);

/// The chosen one; NULL where the filter lets nothing through.
const view_choice *view_picker_chosen(const view_picker *picker);

/// The scene (or run) of the same folder before or behind a path, around the ends.
/// @return false where there is none
bool view_picker_neighbour(const char *path, bool run, int way, char out[PATH_MAX]);

#endif
