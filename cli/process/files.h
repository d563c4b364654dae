// SPDX-License-Identifier: Apache-2.0
// Folders, files that appear whole or not at all, and where the built-in scenes are.
#ifndef CAIRN_CLI_PROCESS_FILES_H
#define CAIRN_CLI_PROCESS_FILES_H

#include "base/status.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/// A file under a temporary name until it is committed.
typedef struct cli_file {
    FILE *stream;
    char path[PATH_MAX], temporary[PATH_MAX];
} cli_file;

cairn_status cli_file_open(cli_file *file, const char *path, cairn_error *error) CAIRN_CHECK_RESULT;

/// Whether such a file can be made, before the work that is to fill it; nothing is left behind.
cairn_status cli_file_try(const char *path, cairn_error *error) CAIRN_CHECK_RESULT;

/// Flushes, syncs and gives the file its name; on failure the temporary is removed.
cairn_status cli_file_commit(cli_file *file, cairn_error *error) CAIRN_CHECK_RESULT;

/// Makes a folder and those above it; one that exists is fine.
cairn_status cli_folder_make(const char *path, cairn_error *error) CAIRN_CHECK_RESULT;

/// Makes a folder within one of the program's own; a symbolic link in its place is refused.
cairn_status cli_folder_make_own(const char *path, cairn_error *error) CAIRN_CHECK_RESULT;

/// "folder/name" in `out` of PATH_MAX bytes. @return CAIRN_ERROR_FILE when it is too long
cairn_status cli_path_join(char *out, const char *folder, const char *name,
                           cairn_error *error) CAIRN_CHECK_RESULT;

/// Path of the running program.
cairn_status cli_program_path(char program[PATH_MAX], cairn_error *error) CAIRN_CHECK_RESULT;

/// Folder of the built-in scenes: what the environment variable CAIRN_SCENES says, or beside the
/// build or install folder of the running program.
/// @return CAIRN_ERROR_NOT_FOUND when there is none
cairn_status cli_scenes_folder(char out[PATH_MAX]) CAIRN_CHECK_RESULT;

/// A folder for what can be made again, within that of the user (XDG_CACHE_HOME, or .cache of the
/// home folder); made if there is none. Files in it that are older than a month are removed.
/// @return CAIRN_ERROR_NOT_FOUND where there is no such folder
cairn_status cli_cache_folder(const char *name, char out[PATH_MAX]) CAIRN_CHECK_RESULT;

/// Path of a scene that the user names: an existing path as it is, or the name of a built-in
/// scene; a name that is neither comes back as it is.
/// @param run  a folder of this name is meant, as the run that it holds; else it is looked past
void cli_scene_path(const char *word, bool run, char out[PATH_MAX]);

#endif
