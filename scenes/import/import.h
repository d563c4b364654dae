// SPDX-License-Identifier: Apache-2.0
// Files of robots: by what they are known, and their reading as a whole.
#ifndef CAIRN_SCENES_IMPORT_IMPORT_H
#define CAIRN_SCENES_IMPORT_IMPORT_H

#include "scenes/import/robot.h"

#include <limits.h>

/// Whether a path is that of a robot, by its ending.
bool scn_robot_is_file(const char *path);

/// The folder of data files of a robot that is run by itself: the nearest one above its file in
/// which the first "package://" of the file leads to something, else that of the file, or the one
/// above where the file names "../".
/// @param whole  absolute path of the file
void scn_robot_folder(const char *whole, char folder[PATH_MAX]);

/// The scene of such a robot: one call of `import`. @return allocated; NULL when out of memory
char *scn_robot_scene(const base_allocator *allocator, const char *whole);

/// Reads a file of a robot.
/// @param path   within the folder of data files
/// @param lines  out: calls that make the robot, and sentences for the user
/// @param left_out  out [count]: what nobody asked for
cairn_status scn_robot_import(const scn_xml_file *file, const char *path, const char *text,
                              size_t size, const scn_robot_use *use, scn_robot_line **lines,
                              scn_xml_left_out **left_out, int *count) CAIRN_CHECK_RESULT;

#endif
