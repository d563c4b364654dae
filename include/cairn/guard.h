// SPDX-License-Identifier: Apache-2.0
// cairn: what is watched from step to step of a run: energy from nowhere, jams, deep overlaps.
#ifndef CAIRN_GUARD_H
#define CAIRN_GUARD_H

#include <cairn/world.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a guard knows of the run so far. `warning` is what the last call had to say, in a sentence;
/// "" for nothing. The other members are kept for the next calls; a run that is continued brings
/// the first four along.
typedef struct cairn_guard {
    double supply;           // J, energy there was at the start
    double potential_start;  // J
    double exchanged_max;    // J, most energy that had changed its form
    double moved_max;        // J, the same without what the correction lifted
    int64_t looks;           // steps that looked like a jam
    bool jammed, overlapped; // said already
    char warning[CAIRN_MESSAGE_SIZE];
} cairn_guard;

/// Begins to watch a world as it is now.
CAIRN_API void cairn_guard_begin(cairn_guard *guard, const cairn_world *world);

/// Looks at the step that was just made. Bodies that prescribed motions squeeze, and rigid bodies
/// that lie deep in one another, are warned of once.
/// @param whole  true: the energies of all bodies are summed and looked at, which may cost as much
///               as the step; false: only what the report of the step says of them
/// @return CAIRN_ERROR_NUMERICAL: an explosion, energy came from nowhere by more than there was, so
///         much that it is seen; CAIRN_ERROR_MEMORY
/// Tests: tests/unit/engine/test_guard.c
CAIRN_API cairn_status cairn_guard_step(cairn_guard *guard, cairn_world *world, bool whole,
                                        cairn_error *error) CAIRN_CHECK_RESULT;

/// The most energy that has changed its form since the start, J, with that of a balance of now.
CAIRN_API double cairn_guard_exchanged(cairn_guard *guard, const cairn_energy *energy);

/// At the end of a run: warns where the energies miss more than a twentieth of what changed its
/// form.
CAIRN_API void cairn_guard_end(cairn_guard *guard, const cairn_world *world);

/// Whether the last step had something to solve and did not reach the tolerance.
CAIRN_API bool cairn_world_is_unsolved(const cairn_world *world);

#ifdef __cplusplus
}
#endif

#endif
