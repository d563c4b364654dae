// SPDX-License-Identifier: Apache-2.0
// Islands of dynamic bodies that something ties together, by a forest of parents.
#ifndef CAIRN_ENGINE_PASSES_ISLANDS_H
#define CAIRN_ENGINE_PASSES_ISLANDS_H

#include "engine/state/world.h"

/// First body of the island of a body; paths are shortened on the way.
static inline int eng_island_first(int *parent, int body)
{
    while (parent[body] != body) {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    return body;
}

static inline bool eng_is_dynamic(const cairn_world *world, int body)
{
    return body >= 0 && world->bodies[body].kind == CAIRN_DYNAMIC;
}

/// Two bodies become part of one island, where both are dynamic.
/// @return its first body, the lower one of the two; -1 where they do not
static inline int eng_island_join(const cairn_world *world, int *parent, int a, int b)
{
    if (!eng_is_dynamic(world, a) || !eng_is_dynamic(world, b))
        return -1;
    int first = eng_island_first(parent, a), second = eng_island_first(parent, b);
    int low = first < second ? first : second, high = first < second ? second : first;
    parent[high] = low;
    return low;
}

#endif
