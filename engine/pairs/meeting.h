// SPDX-License-Identifier: Apache-2.0
// Where bodies that are apart in the middle of a step would meet in the one that follows from it,
// theory.md (3.2b).
//
// A contact of the implicit law that is open bounds the way along the normal between the nearest
// features. Bodies that pass by each other close along such a normal too, and would be held by what
// they never touch. So both are moved on as they are expected to, and the contacts of a pair that
// is still apart are those of the place where it meets, or none.
#ifndef CAIRN_ENGINE_PAIRS_MEETING_H
#define CAIRN_ENGINE_PAIRS_MEETING_H

#include "engine/state/world.h"

/// How a body is expected to move from the middle of this step to that of the next one.
typedef struct eng_aim {
    double u[6];     // m/s, rad/s, as v: without contacts, or as it bore on others in the last step
    double turning;  // rad/s
    vec3 low, high;  // m/s, range of the velocity of its centre, where others may stop or drive it
    int64_t widened; // sweep over the pairs that widened the range last
} eng_aim;

/// Aims of all bodies that this process knows: world->aims, in the arena. Those that a world
/// without implicit pairs or margin has no use for are NULL.
cairn_status eng_aims_find(cairn_world *world) CAIRN_CHECK_RESULT;

/// How far apart contacts of the two may be that close within the step, m: as bodies may be stopped
/// or driven; at most the margins of both.
/// @param way  out: m, how far a point of one of them may go against the other in a step
double eng_meeting_margin(const cairn_world *world, const eng_pair *pair, double *way);

/// The contacts that the narrow phase found of a pair, from `first` on, become those that it may
/// have in this step.
/// @param way     m, as eng_meeting_margin gives it
/// @param margin  m, in which the contacts were looked for
/// @param restitution  of the pair: contacts that bounce are left to close first
/// @return CAIRN_ERROR_MEMORY
cairn_status eng_meeting_settle(const cairn_world *world, const eng_pair *pair, double way,
                                double margin, double restitution, geo_manifold *manifold,
                                int first) CAIRN_CHECK_RESULT;

/// What a contact that is met lies ahead of the middle of the step: half of the way that the centre
/// of B goes against that of A until then, m.
vec3 eng_meeting_ahead(const cairn_world *world, int a, int b, double time);

/// Rate at which the gap of a contact may shrink within the step, m/s, negative for closing, as the
/// bodies move, as they are expected to, and as others may stop or drive them.
/// @param as_they_move  out: with the velocities at the begin of the step
double eng_meeting_rate(const cairn_world *world, const geo_contact *contact, int a, int b,
                        double *as_they_move);

/// Whether a contact that is met would be so deep at the end of the step, if it were left to close
/// first, that the bodies might be through each other.
/// @param moving  m/s, rate of its gap at the begin of the step
bool eng_meeting_is_deep(const cairn_world *world, const geo_contact *contact, int a, int b,
                         double moving);

/// Bodies that met within the step and bounced go on from there: what the end of the step, which
/// gave them their new velocity from its middle on, owes to the time before.
/// @return CAIRN_ERROR_MEMORY
cairn_status eng_meetings_finish(cairn_world *world) CAIRN_CHECK_RESULT;

#endif
