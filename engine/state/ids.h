// SPDX-License-Identifier: Apache-2.0
// Between ids of the public interface and the indices that the engine works with.
#ifndef CAIRN_ENGINE_STATE_IDS_H
#define CAIRN_ENGINE_STATE_IDS_H

#include "engine/state/world.h"

/// CAIRN_OK for the id of something that is there; CAIRN_ERROR_WORLD for one of another world;
/// CAIRN_ERROR_STALE_ID for a null id and for something that was removed; CAIRN_ERROR_ARGUMENT
/// without a world.
static inline cairn_status eng_id_check(const cairn_world *world, const eng_slots *slots,
                                        uint32_t index, uint32_t generation, uint32_t tag)
{
    if (generation == 0)
        return CAIRN_ERROR_STALE_ID;
    if (tag != world->model.ids.tag)
        return CAIRN_ERROR_WORLD;
    if (index >= (uint32_t)slots->count || !eng_slots_is_live(slots, (int)index))
        return CAIRN_ERROR_STALE_ID;
    return eng_slots_generation(slots, (int)index) == generation ? CAIRN_OK : CAIRN_ERROR_STALE_ID;
}

#define ENG_ID_FUNCTIONS(noun)                                                                     \
    static inline cairn_status eng_##noun##_check(const cairn_world *world, cairn_##noun##_id id)  \
    {                                                                                              \
        if (world == NULL)                                                                         \
            return CAIRN_ERROR_ARGUMENT;                                                           \
        return eng_id_check(world, &world->model.ids.noun, id.index, id.generation, id.world);     \
    }                                                                                              \
    /** Id of a slot; null for -1. */                                                              \
    static inline cairn_##noun##_id eng_##noun##_id(const cairn_world *world, int slot)            \
    {                                                                                              \
        if (slot < 0)                                                                              \
            return (cairn_##noun##_id){0};                                                         \
        return (cairn_##noun##_id){(uint32_t)slot,                                                 \
                                   eng_slots_generation(&world->model.ids.noun, slot),             \
                                   world->model.ids.tag};                                          \
    }

ENG_ID_FUNCTIONS(body)
ENG_ID_FUNCTIONS(joint)
ENG_ID_FUNCTIONS(connector)
ENG_ID_FUNCTIONS(shape)
ENG_ID_FUNCTIONS(material)
#undef ENG_ID_FUNCTIONS

/// Index of a joint or connector in the world's array: they stand in the order of their slots'
/// places.
static inline int eng_joint_index(const cairn_world *world, cairn_joint_id id)
{
    return eng_slots_place(&world->model.ids.joint, (int)id.index);
}

static inline int eng_connector_index(const cairn_world *world, cairn_connector_id id)
{
    return eng_slots_place(&world->model.ids.connector, (int)id.index);
}

/// Message for an id that a check refused. @param noun  "body", "joint", ...
cairn_status eng_fail_id(cairn_error *error, cairn_status status, const char *noun);

#endif
