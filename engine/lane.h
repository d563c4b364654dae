// SPDX-License-Identifier: Apache-2.0
// The spheres lane: steps of worlds of spheres under explicit laws, in one fused vectorised pass.
//
// It takes over when every dynamic body is a sphere, every other body a sphere or a half-space, and
// the laws of all pairs have a kernel (hooke and hertz_mindlin without rolling and twisting
// resistance). The physics is that of the ordinary blocks to round-off: forces, velocities, energy
// audit; results do not depend on the number of threads or on the processor. While it is active the
// state lives in the lane: whoever reads q, v or the contacts of the world calls
// eng_lane_publish... first, whoever changes the world eng_lane_changed or eng_lane_leave.
// The bits depend on when pair lists are made: leaving and entering makes a new one.
#ifndef CAIRN_ENGINE_LANE_H
#define CAIRN_ENGINE_LANE_H

#include "engine/world.h"

typedef struct eng_lane eng_lane;

/// Whether the world's next step can go through the lane.
bool eng_lane_covers(const cairn_world *world);

/// One step. Enters the lane first where it is not active.
cairn_status eng_lane_step(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

void eng_lane_destroy(eng_lane *lane);

/// Writes q and v of the world. The world stays as it was for its user.
void eng_lane_publish(const cairn_world *world);

/// Writes q, v and the contacts. On lack of memory there are none, and the next step says so.
void eng_lane_publish_contacts(const cairn_world *world);

/// Pose or velocity of a body changes after this call (body < 0: gravity does): publishes; the next
/// step reads it.
void eng_lane_changed(cairn_world *world, int body);

/// A force on a body has changed.
void eng_lane_loads_changed(cairn_world *world);

/// Anything else changes after this call: the ordinary blocks could go on from here.
void eng_lane_leave(cairn_world *world);

/// Whether the lane holds the state.
bool eng_lane_is_active(const cairn_world *world);

/// Energies of now: kinetic, potential, elastic and what is pending of the last step.
void eng_lane_energy(const cairn_world *world, cairn_energy *energy);

/// Contact force and torque on a body in the last step, as in cairn_body_contact_force.
void eng_lane_body_force(const cairn_world *world, int body, vec3 *force, vec3 *torque);

/// Chooses the kernels by name ("scalar", "avx2", "avx512"); false where they cannot run.
bool eng_lane_choose_kernel(cairn_world *world, const char *name);

#endif
