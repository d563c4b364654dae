// SPDX-License-Identifier: Apache-2.0
// What the extension module adds to the public headers: memory that views may outlive, steps that
// Ctrl-C ends, and the functions of Python that the engine calls. generate.py reads this file.
#ifndef CAIRN_PYTHON_HELPER_H
#define CAIRN_PYTHON_HELPER_H

#include <cairn/cairn.h>

// helpers
/// Memory of a world that arrays of numpy look into: a block that the world gives back stays as
/// long as there are such arrays, so that an old one shows old numbers and never foreign memory.
typedef struct cairn_python_memory cairn_python_memory;

cairn_python_memory *cairn_python_memory_create(void);
/// One user less; the last one takes the memory along, for Python lets go of rings of objects in
/// any order.
void cairn_python_memory_destroy(cairn_python_memory *memory);
cairn_allocator cairn_python_memory_allocator(cairn_python_memory *memory);
/// One array more, or one less; it is a user, too.
void cairn_python_memory_hold(cairn_python_memory *memory);
void cairn_python_memory_let_go(cairn_python_memory *memory);

/// What watches the steps of a world, as those of `cairn run` are watched.
typedef struct cairn_python_watch {
    cairn_guard guard;
    bool begun;               // false: it begins with the next step
    int64_t solved, unsolved; // steps that had something to solve, and those that did not
    double worst;             // error of these
} cairn_python_watch;

/// Up to `count` steps, fewer when one fails or Ctrl-C is pressed, which ends the one that is going
/// on.
/// @param watch    Ctrl-C ends the steps; for the main thread alone
/// @param stops    the step after which an event stops the run is the last one
/// @param guarded  what watches them; its warnings go to the world's log. NULL: nothing
/// @param done     out: steps made
/// @return CAIRN_INTERRUPTED after Ctrl-C; CAIRN_ERROR_NUMERICAL behind a step that explodes
cairn_status cairn_python_steps(cairn_world *world, int64_t count, bool watch, bool stops,
                                cairn_python_watch *guarded, int64_t *done, cairn_error *error);

/// cairn_problem_solve, which Ctrl-C ends where `watch` is true.
cairn_status cairn_python_solve(cairn_problem *problem, cairn_solve_def *def,
                                cairn_solve_report *report, bool watch, cairn_error *error);
// end of helpers

/*
// callbacks
void cairn_python_log(void *context, cairn_log_level level, const char *text);
cairn_status cairn_python_motion(void *context, double time, cairn_motion *motion,
                                 cairn_error *error);
cairn_status cairn_python_motor(void *context, double time, double *value, cairn_error *error);
cairn_status cairn_python_load(void *context, double time, double force[3], double torque[3],
                               cairn_error *error);
cairn_status cairn_python_solver(void *context, const cairn_problem_data *problem,
                                 double tolerance, double (*impulses)[3], int *iterations);
void cairn_python_law(void *context, const cairn_law_batch *batch);
cairn_status cairn_python_field(void *context, const cairn_field_batch *batch, cairn_error *error);
// end of callbacks
*/

#endif
