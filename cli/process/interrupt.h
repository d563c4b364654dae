// SPDX-License-Identifier: Apache-2.0
// Signals: a polite stop of a run, and a last watch over the loading of a scene.
#ifndef CAIRN_CLI_PROCESS_INTERRUPT_H
#define CAIRN_CLI_PROCESS_INTERRUPT_H

#include <cairn/step.h>

#include <stdbool.h>

/// From now on the first SIGINT, SIGTERM or SIGHUP (the terminal is closed) asks for a stop; the
/// second of its kind ends the program. What is ignored, as under nohup, stays so.
void cli_interrupt_watch(void);
bool cli_interrupt_asked(void);

/// The world whose steps a stop ends, inside their solves too; NULL for none any more.
void cli_interrupt_watch_world(cairn_world *world);

/// True once after each SIGUSR1, which asks for a checkpoint.
bool cli_interrupt_checkpoint_asked(void);

/// Ends the program with exit status 3 and a message unless cancelled within the time: for loops
/// inside library functions that no limit of the scene's sandbox reaches. SIGINT, SIGTERM and
/// SIGHUP end it with status 130 meanwhile.
void cli_interrupt_guard_load(double seconds);
void cli_interrupt_guard_cancel(void);

#endif
