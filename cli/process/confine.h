// SPDX-License-Identifier: Apache-2.0
// Processes that read files of others give up what reading does not need.
#ifndef CAIRN_CLI_PROCESS_CONFINE_H
#define CAIRN_CLI_PROCESS_CONFINE_H

#include <stdbool.h>

/// What the kernel keeps from now on; where it cannot, limits of the process keep files from being
/// written to.
typedef struct cli_confinement {
    bool calls;  // refused ones fail: seccomp, Linux 3.17 and later on x86-64 and AArch64
    bool places; // one file alone can be opened: landlock, Linux 5.13 and later where it is on
} cli_confinement;

/// For a child that only reads one file: closes every descriptor but `line`, puts /dev/null in
/// place of the standard ones, and gives up, for good, writing to files, making or removing them,
/// starting programs and processes, the network, signals to others, and memory that can be
/// executed. Calls for these fail with EPERM. Threads may be started, and `path` opened to be read;
/// opening any other file fails with EACCES where the kernel keeps places (but numbers of
/// processors and of memory). Tests: tests/unit/cli/test_probe.c; docs/threat_model.md
cli_confinement cli_confine(const char *path, int line);

/// What the kernel keeps of a reading process, tried in one: "system calls (seccomp), files
/// (landlock)", one of the two, or "limits alone".
const char *cli_describe_confinement(void);

#endif
