// SPDX-License-Identifier: Apache-2.0
// Files that others made are read by a process of its own first: HDF5 can crash on damaged ones.
#ifndef CAIRN_CLI_PROCESS_PROBE_H
#define CAIRN_CLI_PROCESS_PROBE_H

#include "cli/process/child.h"
#include <cairn/cairn.h>

/// Reads in the child what the parent is about to read, by the same calls.
typedef cairn_status cli_probe_read(void *context, cairn_error *error);

/// Runs `read` in a child of limited CPU time (60 s and a second a MB of the file) and memory (4 GB
/// and 64 times the file).
/// @return the status of `read` with its message; CAIRN_ERROR_FORMAT "PATH: damaged (HDF5 could not
///         read it)" when it crashed or met a limit; CAIRN_INTERRUPTED when a signal from outside
///         ended it
/// Tests: tests/cli/test_damaged.py
cairn_status cli_probe(const char *path, cli_probe_read *read, void *context,
                       cairn_error *error) CAIRN_CHECK_RESULT;

/// cairn_problem_read behind a probe.
cairn_status cli_probe_problem(const char *path, cairn_problem **problem,
                               cairn_error *error) CAIRN_CHECK_RESULT;

/// The first frames of a trajectory, for going on with it.
cairn_status cli_probe_trajectory(const char *path, int64_t frames,
                                  cairn_error *error) CAIRN_CHECK_RESULT;

/// Opens a trajectory whose every frame is read by a child before it is read here.
cairn_status cli_probe_replay(const char *path, cairn_replay **replay,
                              cairn_error *error) CAIRN_CHECK_RESULT;

#endif
