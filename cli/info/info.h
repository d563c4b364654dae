// SPDX-License-Identifier: Apache-2.0
// Parts of cairn info that have a file of their own.
#ifndef CAIRN_CLI_INFO_INFO_H
#define CAIRN_CLI_INFO_INFO_H

#include <stdbool.h>

/// What is in a checkpoint.
/// @return exit status
int cli_info_checkpoint(const char *path, bool json);

/// What is in a problem file (FCLIB).
/// @return exit status
int cli_info_problem(const char *path, bool json);

/// What is in a table (CSV).
/// @return exit status
int cli_info_table(const char *path, bool json);

/// Whether a file says near its beginning that it is a trajectory; HDF5 is not asked.
bool cli_info_is_trajectory(const char *path);

/// What is in a trajectory.
/// @return exit status
int cli_info_trajectory(const char *path, bool json);

#endif
