// SPDX-License-Identifier: Apache-2.0
// A world: what it is made of, what its steps carry over, the contacts of a step, its scratch, and
// what it tells of itself.
#ifndef CAIRN_ENGINE_STATE_WORLD_H
#define CAIRN_ENGINE_STATE_WORLD_H

#include "engine/state/world_contacts.h"
#include "engine/state/world_model.h"
#include "engine/state/world_report.h"
#include "engine/state/world_scratch.h"
#include "engine/state/world_state.h"

struct cairn_world {
    eng_world_model model;
    eng_world_state state;
    eng_world_contacts contacts;
    eng_world_scratch scratch;
    eng_world_report report;
};

/// Whether this process does not know the state of a body: other processes move it.
static inline bool eng_is_elsewhere(const cairn_world *world, int body)
{
    return world->state.elsewhere != NULL && world->state.elsewhere[body] != 0;
}

#endif
