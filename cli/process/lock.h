// SPDX-License-Identifier: Apache-2.0
// A folder that one process at a time writes into.
#ifndef CAIRN_CLI_PROCESS_LOCK_H
#define CAIRN_CLI_PROCESS_LOCK_H

#include "base/status.h"

#include <limits.h>

/// FOLDER/run.lock, held by the system for this process: it is free again when the process is
/// gone, however it ended.
typedef struct cli_lock {
    int descriptor; // -1: none
    char path[PATH_MAX];
} cli_lock;

/// Takes the folder, which must exist, or says who has it and since when.
/// @return CAIRN_ERROR_FILE; lock->descriptor is -1 then
cairn_status cli_lock_take(cli_lock *lock, const char *folder,
                           cairn_error *error) CAIRN_CHECK_RESULT;

/// Removes the file and gives the folder free; nothing for one that was not taken.
void cli_lock_release(cli_lock *lock);

#endif
