// SPDX-License-Identifier: Apache-2.0
// Pairs of bodies that joints and connectors keep from touching.
#include "engine/state/exclusions.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include <string.h>

static uint64_t key_of(int a, int b)
{
    uint64_t low = (uint64_t)(a < b ? a : b), high = (uint64_t)(a < b ? b : a);
    return low << 32 | high;
}

/// Place of a key in the list of pairs, or where it would go.
static int find_pair(const cairn_world *world, uint64_t key)
{
    int low = 0, high = world->model.bodies.excluded_count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (world->model.bodies.excluded[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool eng_pair_is_excluded(const cairn_world *world, int body_a, int body_b)
{
    uint64_t key = key_of(body_a, body_b);
    int place = find_pair(world, key);
    return place < world->model.bodies.excluded_count && world->model.bodies.excluded[place] == key;
}

cairn_status eng_exclusion_add(cairn_world *world, const int body[2])
{
    if (body[0] < 0 || eng_pair_is_excluded(world, body[0], body[1]))
        return CAIRN_OK;
    BASE_TRY(base_array_reserve(&world->model.allocator, &world->model.bodies.excluded,
                                &world->model.bodies.excluded_capacity,
                                world->model.bodies.excluded_count + 1));
    uint64_t key = key_of(body[0], body[1]);
    int place = find_pair(world, key);
    memmove(world->model.bodies.excluded + place + 1, world->model.bodies.excluded + place,
            (size_t)(world->model.bodies.excluded_count - place) *
                sizeof *world->model.bodies.excluded);
    world->model.bodies.excluded[place] = key;
    world->model.bodies.excluded_count++;
    return CAIRN_OK;
}

void eng_exclusion_remove(cairn_world *world, const int body[2])
{
    int place = find_pair(world, key_of(body[0], body[1]));
    world->model.bodies.excluded_count--;
    memmove(world->model.bodies.excluded + place, world->model.bodies.excluded + place + 1,
            (size_t)(world->model.bodies.excluded_count - place) *
                sizeof *world->model.bodies.excluded);
}

bool eng_connector_replaces(const cairn_world *world, int body_a, int body_b)
{
    for (int at = eng_extra_of(world, body_a).first_connector; at != 0;) {
        const eng_connector *connector = &world->model.connectors.rows[at - 1];
        int side = connector->body[0] == body_a ? 0 : 1;
        if (connector->body[1 - side] == body_b && !connector->contacts)
            return true;
        at = connector->next[side];
    }
    return false;
}
