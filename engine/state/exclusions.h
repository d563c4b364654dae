// SPDX-License-Identifier: Apache-2.0
// Pairs of bodies that make no contacts.
#ifndef CAIRN_ENGINE_STATE_EXCLUSIONS_H
#define CAIRN_ENGINE_STATE_EXCLUSIONS_H

#include "engine/state/filter.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

/// Two bodies, of which the first may be the world (-1), do not collide from now on; or do again.
cairn_status eng_exclusion_add(cairn_world *world, const int body[2]) CAIRN_CHECK_RESULT;
void eng_exclusion_remove(cairn_world *world, const int body[2]);

/// Whether a joint keeps two bodies from touching.
bool eng_pair_is_excluded(const cairn_world *world, int body_a, int body_b);

/// Whether a connector stands for the contacts of two bodies.
bool eng_connector_replaces(const cairn_world *world, int body_a, int body_b);

/// Whether what touched in the last step does so no more, whatever moves: a body was removed, or
/// neither can move now.
static inline bool eng_pair_is_past(const cairn_world *world, int body_a, int body_b)
{
    return !eng_body_is_live(world, body_a) || !eng_body_is_live(world, body_b) ||
           (world->model.bodies.rows[body_a].kind != CAIRN_DYNAMIC &&
            world->model.bodies.rows[body_b].kind != CAIRN_DYNAMIC);
}

/// Pairs that make no contacts whatever moves: one body, kept apart by groups or a filter, or held
/// by a joint or connector.
static inline bool eng_pair_is_apart(const cairn_world *world, int body_a, int body_b)
{
    return body_a == body_b ||
           (world->model.bodies.filtered && eng_pair_is_filtered(world, body_a, body_b)) ||
           (world->model.bodies.excluded_count > 0 &&
            eng_pair_is_excluded(world, body_a, body_b)) ||
           (world->model.connectors.count > 0 && eng_connector_replaces(world, body_a, body_b));
}

/// Pairs that make no contacts: those, and where neither body can move.
static inline bool eng_pair_is_idle(const cairn_world *world, int body_a, int body_b)
{
    return eng_pair_is_past(world, body_a, body_b) || eng_pair_is_apart(world, body_a, body_b);
}

#endif
