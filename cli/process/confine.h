// SPDX-License-Identifier: Apache-2.0
// Processes that read files of others give up what reading does not need.
#ifndef CAIRN_CLI_PROCESS_CONFINE_H
#define CAIRN_CLI_PROCESS_CONFINE_H

#include <stdbool.h>

/// For a child that only reads: closes every descriptor but `line`, puts /dev/null in place of the
/// standard ones, and gives up, for good, writing to files, making or removing them, starting
/// programs and processes, the network, signals to others, and memory that can be executed. Calls
/// for these fail with EPERM. Files may be opened to be read, and threads started.
/// @return whether the kernel keeps all of this (seccomp, Linux 3.17 and later on x86-64 and
///         AArch64); elsewhere limits of the process keep files from being written to
/// Tests: tests/unit/cli/test_probe.c; docs/threat_model.md
bool cli_confine(int line);

#endif
