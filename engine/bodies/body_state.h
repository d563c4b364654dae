// SPDX-License-Identifier: Apache-2.0
// State of bodies, wherever it is held: in the general columns or in a particle slot. Reading
// writes nothing: any number of threads may read a world at rest.
#ifndef CAIRN_ENGINE_BODIES_BODY_STATE_H
#define CAIRN_ENGINE_BODIES_BODY_STATE_H

#include "base/vec.h"
#include "engine/state/body_columns.h"
#include <cairn/cairn.h>

/// One row of a column of bodies, wherever it is held.
/// @param value  out, as the table says
void eng_body_value(const cairn_world *world, int column, int body, void *value);

eng_state eng_state_of(const cairn_world *world, int body);
/// Fetches what that state is read from, which may lie anywhere: for looks at all bodies, some
/// before the body's turn.
void eng_state_prefetch(const cairn_world *world, int body);
/// The position and the velocity v of that state alone, for looks at all bodies.
vec3 eng_place_of(const cairn_world *world, int body);
void eng_velocity_of(const cairn_world *world, int body, double v[6]);
/// Where the body's shape is in that state, its own frame having the axes of inertia; the position
/// of it alone; and the angular velocity, rad/s, world.
pose eng_shape_pose_of(const cairn_world *world, int body);
vec3 eng_shape_place_of(const cairn_world *world, int body);
vec3 eng_omega_of(const cairn_world *world, int body);

/// Between steps: a body gets another state.
cairn_status eng_state_set(cairn_world *world, int body, const eng_state *state) CAIRN_CHECK_RESULT;

/// Pose of a body in the midpoint configuration of the last step; that of now where there was none.
pose eng_middle_of(const cairn_world *world, int body);

#endif
