// SPDX-License-Identifier: Apache-2.0
// Plays key and mouse events from a file, for tests and demonstrations.
//
// One command a line, # starts a comment; positions are pixels from the upper left:
//   key NAME                press and let go: Space, Shift+., Ctrl+Q ... as in the table of keys
//   down NAME, up NAME      press, let go
//   move X Y                move the mouse
//   press X Y, release X Y  the left button, with pictures between
//   click X Y
//   drag X0 Y0 X1 Y1 [left|right|shift|ctrl]
//   wheel N
//   drop FILE
//   wait N                  pictures to draw before the next command
//   quit
#ifndef CAIRN_VIEWER_INPUT_SCRIPT_H
#define CAIRN_VIEWER_INPUT_SCRIPT_H

#include "base/memory.h"

#include <SDL.h>
#include <stdbool.h>

typedef struct view_script view_script;

/// Reads a script; a wrong line is CAIRN_ERROR_ARGUMENT with its number.
cairn_status view_script_open(const char *path, const base_allocator *allocator,
                              view_script **script, cairn_error *error) CAIRN_CHECK_RESULT;
void view_script_close(view_script *script);

/// Pushes the events of the commands up to the next wait; to be called once a picture.
/// @param window  that the events are for; @return false at the end
bool view_script_play(view_script *script, Uint32 window);

#endif
