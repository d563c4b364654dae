// SPDX-License-Identifier: Apache-2.0
// What must hold of a record of objects before it is believed.
#include "engine/files/population.h"
#include "engine/state/world.h"

#include <string.h>

unsigned char *eng_population_live(const eng_slots_record *slots, base_arena *arena)
{
    unsigned char *live = base_arena_array(arena, unsigned char, "live", slots->count + 1);
    if (live == NULL)
        return NULL;
    memset(live, 0, (size_t)slots->count + 1);
    for (int i = 0; i < slots->live_count; i++)
        live[slots->live[i]] = 1;
    return live;
}

/// Every slot is in one list at most, and those of no list have used up their generations.
static bool are_slots_sound(const eng_slots_record *slots, base_arena *arena)
{
    unsigned char *seen = base_arena_array(arena, unsigned char, "slots", slots->count);
    const int *const lists[] = {slots->live, slots->free, slots->waiting};
    const int counts[] = {slots->live_count, slots->free_count, slots->waiting_count};
    if (seen == NULL)
        return false;
    memset(seen, 0, (size_t)slots->count);
    for (int l = 0; l < 3; l++)
        for (int i = 0; i < counts[l]; i++) {
            int slot = lists[l][i];
            if (slot < 0 || slot >= slots->count || seen[slot] != 0)
                return false;
            seen[slot] = (unsigned char)(l + 1);
        }
    for (int i = 0; i < slots->count; i++)
        if (slots->generation[i] == 0 || (seen[i] == 0 && slots->generation[i] != UINT32_MAX))
            return false;
    return true;
}

static bool is_body_sound(const cairn_world *world, const eng_population *record, int row,
                          int64_t colliders)
{
    const int *n = record->integers[row];
    const double *r = record->reals[row];
    double sum = 0.0;
    for (int k = 4; k < 11; k++)
        sum += r[k];
    bool dynamic = n[0] == CAIRN_DYNAMIC;
    for (int k = 0; k < 4; k++)
        dynamic = dynamic && r[k] > 0.0 && isfinite(r[k]);
    return n[0] >= 0 && n[0] <= CAIRN_MOVING && (dynamic || n[0] != CAIRN_DYNAMIC) && n[1] >= 0 &&
           n[1] < record->slots[ENG_POPULATION_SHAPES].count && record->shapes[n[1]][0] > 0.0 &&
           n[2] >= 0 && n[2] < world->model.materials.count && n[3] >= 0 && n[4] >= 0 &&
           n[4] <= ENG_COLLIDER_ROOM_MAX && n[3] + (int64_t)n[4] <= colliders && isfinite(sum) &&
           !isnan(r[11]);
}

/// Whether two bodies of the record can be linked; -1 is the world.
static bool can_link(const eng_population *record, const unsigned char *live, const int body[2],
                     int lowest)
{
    bool free = false;
    for (int side = 0; side < 2; side++) {
        int count = record->slots[ENG_POPULATION_BODIES].count;
        if (body[side] < lowest + side * (-lowest) || body[side] >= count ||
            (body[side] >= 0 && live[body[side]] == 0))
            return false;
        free = free || (body[side] >= 0 && record->integers[body[side]][0] == CAIRN_DYNAMIC);
    }
    return free && body[0] != body[1];
}

/// Goes through all that is made of numbers, and makes nothing.
static bool are_parts_sound(const eng_population *record, base_arena *arena)
{
    base_allocator allocator = base_allocator_default();
    eng_parts parts = record->parts;
    const unsigned char *live = eng_population_live(&record->slots[ENG_POPULATION_BODIES], arena);
    bool sound = live != NULL;
    for (int i = 0; i < record->slots[ENG_POPULATION_SHAPES].count && sound; i++) {
        int kind = (int)record->shapes[i][0] - 1;
        const int(*members)[2];
        if (kind >= 0 && geo_plain_size_count((geo_kind)kind) < 0)
            sound = eng_shape_read(&parts, (geo_kind)kind, &allocator, NULL, &members) == CAIRN_OK;
    }
    for (int i = 0; i < record->slots[ENG_POPULATION_JOINTS].live_count && sound; i++) {
        eng_joint joint;
        eng_joint_read(&parts, &joint);
        sound = !parts.failed && can_link(record, live, joint.body, -1);
    }
    for (int i = 0; i < record->slots[ENG_POPULATION_CONNECTORS].live_count && sound; i++) {
        eng_connector_part part = eng_connector_read(&parts);
        sound = !parts.failed && can_link(record, live, part.body, 0);
    }
    int count = 0;
    const int(*pair)[2] = eng_exclusions_read(&parts, &count);
    for (int i = 0; i < count && sound; i++)
        sound = pair[i][0] >= 0 && pair[i][0] < pair[i][1] &&
                pair[i][1] < record->slots[ENG_POPULATION_BODIES].count &&
                (i == 0 || pair[i - 1][0] < pair[i][0] ||
                 (pair[i - 1][0] == pair[i][0] && pair[i - 1][1] < pair[i][1]));
    return sound && !parts.failed;
}

const char *eng_population_fault(const cairn_world *world, const eng_population *record,
                                 int64_t colliders, base_arena *arena)
{
    for (int k = 0; k < ENG_POPULATION_KINDS; k++)
        if (!are_slots_sound(&record->slots[k], arena))
            return "its ids are not consistent";
    const eng_slots_record *bodies = &record->slots[ENG_POPULATION_BODIES];
    const eng_slots_record *shapes = &record->slots[ENG_POPULATION_SHAPES];
    int64_t bytes = record->counts[ENG_POPULATION_NAMES], names = 0;
    for (int64_t i = 0; i < bytes; i++)
        names += record->names[i] == '\0';
    int joints = record->slots[ENG_POPULATION_JOINTS].live_count;
    int connectors = record->slots[ENG_POPULATION_CONNECTORS].live_count;
    if (names != (int64_t)bodies->count + joints + 2 * (int64_t)connectors + 1 ||
        record->names[bytes - 1] != '\0')
        return "its names are not those of its bodies, joints and connectors";
    for (int i = 0; i < shapes->live_count; i++) {
        double kind = record->shapes[shapes->live[i]][0];
        if (!(kind >= 1.0 && kind <= GEO_KIND_COUNT && kind == floor(kind)))
            return "a shape is of no kind";
    }
    for (int i = 0; i < bodies->live_count + bodies->waiting_count; i++) {
        int row =
            i < bodies->live_count ? bodies->live[i] : bodies->waiting[i - bodies->live_count];
        if (!is_body_sound(world, record, row, colliders))
            return "a body is not sound";
    }
    return are_parts_sound(record, arena) ? NULL : "a shape, joint or connector is not sound";
}
