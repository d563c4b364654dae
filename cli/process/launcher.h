// SPDX-License-Identifier: Apache-2.0
// Processes that were started together to share one world.
#ifndef CAIRN_CLI_PROCESS_LAUNCHER_H
#define CAIRN_CLI_PROCESS_LAUNCHER_H

/// Number of processes of which this is one, as Open MPI's and MPICH's launchers tell in the
/// environment; 1 where none started it.
int cli_launched_processes(void);

/// Which of them this is, from 0.
int cli_launched_number(void);

#endif
