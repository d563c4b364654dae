// SPDX-License-Identifier: Apache-2.0
// Floating groups: bodies that bear on one another, or are jointed, and on nothing else. Whatever
// displaces them after their velocities are final must not change their angular momentum.
#ifndef CAIRN_ENGINE_PASSES_FLOATING_H
#define CAIRN_ENGINE_PASSES_FLOATING_H

#include "base/vec.h"
#include <cairn/cairn.h>

/// What a group of bodies is together.
typedef struct eng_floating_group {
    double mass;
    vec3 centre;   // m, centre of mass where the bodies were found
    vec3 momentum; // kg m2/s, angular, about that centre; later what is lacking of it
    vec3 shift;    // m, of the centre by the displacement
    mat3 inertia;  // kg m2, about the shifted centre, world axes
    vec3 turn;     // rad/s, that gives the momentum back
} eng_floating_group;

/// The floating groups of two bodies and more, in the arena.
typedef struct eng_floating {
    int *group; // [body_count] of each body; -1: of none that floats
    int count;
    eng_floating_group *groups; // [count]
} eng_floating;

/// Groups of the bodies of the general passes that implicit contacts and joints tie together, and
/// their angular momentum with the q and v of now.
/// @param ties  [cone contacts] those that act between their bodies
/// @return CAIRN_ERROR_MEMORY
cairn_status eng_floating_find(const cairn_world *world, const bool *ties,
                               eng_floating *floating) CAIRN_CHECK_RESULT;

/// Whether there is any of them, in any process: of several that know their own bodies alone.
/// @param ties  [cone contacts] of those that this process holds
/// @return CAIRN_ERROR_MEMORY
cairn_status eng_floating_look(const cairn_world *world, const bool *ties,
                               bool *found) CAIRN_CHECK_RESULT;

/// After bodies were displaced: each group gets the angular velocity, as one rigid body, that gives
/// it the angular momentum back, theory.md (7.3). Relative velocities at its contacts and joints,
/// and linear momentum, stay.
/// @return change of the kinetic energy, J
double eng_floating_restore(cairn_world *world, const eng_floating *floating);

#endif
