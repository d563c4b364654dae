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
    double turning;  // rad/s, the fastest until then
    double around;   // m/s, of its fastest point about its centre
    vec3 low, high;  // m/s, range of the velocity of its centre, where others may stop or drive it
    int64_t widened; // sweep over the pairs that widened the range last
} eng_aim;

/// Aims of all bodies that this process knows, and the places of the plan whose pairs may come near
/// each other: world->scratch.aims and world->scratch.nears, in the arena. Those that a world
/// without implicit pairs or margin has no use for are NULL. Ranges are those of the aims alone
/// where no pair of a body may come near.
cairn_status eng_aims_find(cairn_world *world) CAIRN_CHECK_RESULT;

/// How far apart contacts of the two may be that close within the step, m: as bodies may be stopped
/// or driven; at most the margins of both.
/// @param way  out: m, how far a point of one of them may go against the other in a step
double eng_meeting_margin(const cairn_world *world, const eng_pair *pair, double *way);

/// Whether the way that two colliders have gone since a distance of theirs was known leaves them
/// farther apart than `apart`, m.
static inline bool eng_pair_is_clear(const cairn_world *world, const eng_pair *pair, double apart)
{
    double way = world->contacts.colliders.way[pair->colliders.first] +
                 world->contacts.colliders.way[pair->colliders.second];
    return way + apart < pair->clear;
}

/// At least as far as eng_meeting_margin and its `way` may be in open space, m, from less work, and
/// near to them where bodies fly together.
static inline double eng_meeting_much(const cairn_world *world, const eng_pair *pair)
{
    const eng_collider *c = &world->contacts.colliders.rows[pair->colliders.first];
    const eng_collider *d = &world->contacts.colliders.rows[pair->colliders.second];
    const eng_aim *a = &world->scratch.aims[c->body], *b = &world->scratch.aims[d->body];
    vec3 up = vec3_abs(vec3_sub(b->high, a->low)), down = vec3_abs(vec3_sub(b->low, a->high));
    vec3 most = {real_max(up.x, down.x), real_max(up.y, down.y), real_max(up.z, down.z)};
    double around = a->around + b->around, still = 0.0;
    if (isfinite(c->shape->smallest_size))
        still += 5e-4 * c->shape->smallest_size;
    if (isfinite(d->shape->smallest_size))
        still += 5e-4 * d->shape->smallest_size;
    // velocities that both are expected to have lie in their ranges
    return (still + world->state.clock.horizon * (vec3_norm(most) + around)) * (1.0 + 1e-12);
}

/// The contacts that the narrow phase found of a pair, from `first` on, become those that it may
/// have in this step.
/// @param way     m, as eng_meeting_margin gives it
/// @param margin  m, in which the contacts were looked for
/// @param restitution  of the pair: contacts that bounce are left to close first
/// @param bounce  out: s, when they have to bounce nevertheless; not changed where they have not
/// @return CAIRN_ERROR_MEMORY; CAIRN_INTERRUPTED where they were found, but a body turns so far
/// until
///         then that the step should be made in pieces
cairn_status eng_meeting_settle(const cairn_world *world, const eng_pair *pair, double way,
                                double margin, double restitution, geo_manifold *manifold,
                                int first, double *bounce) CAIRN_CHECK_RESULT;

/// ENG_HOLDS_MAX: contacts that hold a body, beyond which more of them are not looked at.
enum { ENG_HOLDS_MAX = 64 };

/// A contact that holds a body in the step.
typedef struct eng_hold {
    vec3 normal; // towards the body
    vec3 point;  // m, beside the body, not an image of it
    double gap;  // m
    int other;   // body that holds it
} eng_hold;

/// Whether a body that meets another one, as it is expected to move, does not do so where others
/// hold it: it lands on them, and passes.
/// @param body      of the two, one that forces move
/// @param holds     [count] at most ENG_HOLDS_MAX, of bodies that no force moves
/// @param manifold  scratch
/// @return CAIRN_ERROR_MEMORY
cairn_status eng_meeting_misses(const cairn_world *world, const eng_pair *pair, int body,
                                const eng_hold *holds, int count, geo_manifold *manifold,
                                bool *misses) CAIRN_CHECK_RESULT;

/// Whether two bodies that were thrown in from outside come to be deep in each other between the
/// begin of the step and its middle, where no step before has looked.
/// @param manifold  scratch behind its contacts
/// @return CAIRN_INTERRUPTED where they do; CAIRN_ERROR_MEMORY
cairn_status eng_meeting_look_back(const cairn_world *world, const eng_pair *pair,
                                   geo_manifold *manifold) CAIRN_CHECK_RESULT;

/// What a contact that is met lies ahead of the middle of the step: half of the way that the centre
/// of B goes against that of A until then, m.
vec3 eng_meeting_ahead(const cairn_world *world, int a, int b, double time);

/// Rate at which the gap of a contact may shrink within the step, m/s, negative for closing, as the
/// bodies move, as they are expected to, and as others may stop or drive them.
/// @param as_they_move  out: with the velocities at the begin of the step
double eng_meeting_rate(const cairn_world *world, const geo_contact *contact, int a, int b,
                        double *as_they_move);

/// Whether a contact is of the first meeting of its two bodies in this step, one that must not be
/// left to close first, because they might be through each other by then.
bool eng_meeting_is_first(const cairn_world *world, const eng_pair *pair,
                          const geo_contact *contact);

/// Whether bodies that the solve has thrown off their expected ways would be deep in others, or
/// through them, until the middle of the next step. Asked with v_end known.
/// @param deep  out: index + 1 of such a body; 0: none
/// @return CAIRN_ERROR_MEMORY
cairn_status eng_meetings_check(cairn_world *world, int *deep) CAIRN_CHECK_RESULT;

/// Bodies that met within the step and bounced go on from there: what the end of the step, which
/// gave them their new velocity from its middle on, owes to the time before.
/// @return CAIRN_ERROR_MEMORY
cairn_status eng_meetings_finish(cairn_world *world) CAIRN_CHECK_RESULT;

#endif
