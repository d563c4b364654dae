// SPDX-License-Identifier: Apache-2.0
// Islands of dynamic bodies that something ties together, by a forest of parents.
#ifndef CAIRN_ENGINE_PASSES_ISLANDS_H
#define CAIRN_ENGINE_PASSES_ISLANDS_H

#include "base/groups.h"
#include "engine/state/world.h"

static inline bool eng_is_dynamic(const cairn_world *world, int body)
{
    return body >= 0 && world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
}

/// Two bodies become part of one island, where both are dynamic.
/// @return its first body, the lower one of the two; -1 where they do not
static inline int eng_island_join(const cairn_world *world, int *parent, int a, int b)
{
    if (!eng_is_dynamic(world, a) || !eng_is_dynamic(world, b))
        return -1;
    return base_groups_join(parent, a, b);
}

#endif
