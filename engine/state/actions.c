// SPDX-License-Identifier: Apache-2.0
// The list of actions of a world.
#include "engine/state/actions.h"

#include "base/hash.h"
#include "engine/state/world.h"

#include <math.h>
#include <string.h>

static void release_data(const base_allocator *allocator, const eng_action_kind *kind, void *data)
{
    if (kind->release != NULL)
        kind->release(allocator, data);
    else
        base_release(allocator, data);
}

eng_action *eng_action_add(cairn_world *world, const eng_action_kind *kind, void *data,
                           int number_count, uint64_t fingerprint)
{
    const base_allocator *allocator = &world->model.allocator;
    eng_action *made = base_allocate(allocator, 1, sizeof *made);
    double *numbers =
        base_allocate(allocator, (size_t)(number_count > 0 ? number_count : 1), sizeof *numbers);
    if (made == NULL || numbers == NULL ||
        base_array_reserve(allocator, &world->state.actions.rows, &world->state.actions.capacity,
                           world->state.actions.count + 1) != CAIRN_OK) {
        base_release(allocator, made);
        base_release(allocator, numbers);
        release_data(allocator, kind, data);
        return NULL;
    }
    memset(numbers, 0, (size_t)number_count * sizeof *numbers);
    *made = (eng_action){kind, data, numbers, number_count, fingerprint};
    world->state.actions.rows[world->state.actions.count++] = made;
    return made;
}

eng_action *eng_action_next(const cairn_world *world, const eng_action_kind *kind, int *index)
{
    while (*index < world->state.actions.count) {
        eng_action *action = world->state.actions.rows[(*index)++];
        if (action->kind == kind)
            return action;
    }
    return NULL;
}

bool eng_actions_coming(const cairn_world *world, int *action, int *index, eng_coming *body)
{
    for (; *action < world->state.actions.count; (*action)++, *index = 0) {
        const eng_action *each = world->state.actions.rows[*action];
        if (each->kind->coming != NULL && each->kind->coming(world, each, (*index)++, body))
            return true;
    }
    return false;
}

bool eng_actions_changes(const cairn_world *world, int *action, int *index, eng_pair_change *change)
{
    for (; *action < world->state.actions.count; (*action)++, *index = 0) {
        const eng_action *each = world->state.actions.rows[*action];
        if (each->kind->changes != NULL && each->kind->changes(each, (*index)++, change))
            return true;
    }
    return false;
}

bool eng_actions_are_due(const cairn_world *world)
{
    for (int i = 0; i < world->state.actions.count; i++) {
        const eng_action_kind *kind = world->state.actions.rows[i]->kind;
        if (kind->begin != NULL &&
            (kind->due == NULL || kind->due(world, world->state.actions.rows[i])))
            return true;
    }
    return false;
}

bool eng_actions_look(const cairn_world *world)
{
    for (int i = 0; i < world->state.actions.count; i++) {
        const eng_action_kind *kind = world->state.actions.rows[i]->kind;
        if (kind->end != NULL &&
            (kind->looks == NULL || kind->looks(world, world->state.actions.rows[i])))
            return true;
    }
    return false;
}

bool eng_actions_are_rare(const cairn_world *world)
{
    for (int i = 0; i < world->state.actions.count; i++) {
        const eng_action_kind *kind = world->state.actions.rows[i]->kind;
        if ((kind->begin != NULL && kind->due == NULL) ||
            (kind->end != NULL && kind->looks == NULL))
            return false;
    }
    return true;
}

cairn_status eng_actions_begin(cairn_world *world, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    if (world->state.actions.begun > world->state.clock.step_count)
        return CAIRN_OK;
    for (int i = 0; i < world->state.actions.count && status == CAIRN_OK; i++)
        if (world->state.actions.rows[i]->kind->begin != NULL)
            status = world->state.actions.rows[i]->kind->begin(world, world->state.actions.rows[i],
                                                               error);
    world->state.actions.begun = world->state.clock.step_count + (status == CAIRN_OK);
    return status;
}

cairn_status eng_actions_end(cairn_world *world, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < world->state.actions.count && status == CAIRN_OK; i++)
        if (world->state.actions.rows[i]->kind->end != NULL)
            status =
                world->state.actions.rows[i]->kind->end(world, world->state.actions.rows[i], error);
    return status;
}

int64_t eng_actions_number_count(const cairn_world *world)
{
    // one for how far they are
    int64_t count = world->state.actions.count > 0;
    for (int i = 0; i < world->state.actions.count; i++)
        count += world->state.actions.rows[i]->number_count;
    return count;
}

void eng_actions_take(const cairn_world *world, double *numbers)
{
    if (world->state.actions.count > 0)
        *numbers++ = (double)world->state.actions.begun;
    for (int i = 0; i < world->state.actions.count; i++) {
        const eng_action *action = world->state.actions.rows[i];
        memcpy(numbers, action->numbers, (size_t)action->number_count * sizeof *numbers);
        numbers += action->number_count;
    }
}

bool eng_actions_are_finite(const cairn_world *world, const double *numbers)
{
    bool finite = world->state.actions.count == 0 || isfinite(*numbers++);
    for (int i = 0; i < world->state.actions.count; i++) {
        const eng_action *action = world->state.actions.rows[i];
        int readings = action->kind->readings;
        for (int k = 0; k < (readings > 0 ? readings : action->number_count); k++)
            finite = finite && isfinite(numbers[k]);
        numbers += action->number_count;
    }
    return finite;
}

void eng_actions_restore(cairn_world *world, const double *numbers)
{
    if (world->state.actions.count > 0)
        world->state.actions.begun = (int64_t)*numbers++;
    for (int i = 0; i < world->state.actions.count; i++) {
        eng_action *action = world->state.actions.rows[i];
        memcpy(action->numbers, numbers, (size_t)action->number_count * sizeof *numbers);
        numbers += action->number_count;
        if (action->kind->restored != NULL)
            action->kind->restored(world, action);
    }
}

uint64_t eng_actions_fingerprint(const cairn_world *world)
{
    uint64_t hash = BASE_HASH_START;
    for (int i = 0; i < world->state.actions.count; i++) {
        hash = base_hash_bytes(hash, &world->state.actions.rows[i]->fingerprint, sizeof(uint64_t));
        hash = base_hash_bytes(hash, &world->state.actions.rows[i]->number_count, sizeof(int));
    }
    return hash;
}

uint64_t eng_actions_hash(const cairn_world *world, uint64_t hash)
{
    for (int i = 0; i < world->state.actions.count; i++)
        hash = base_hash_bytes(hash, world->state.actions.rows[i]->numbers,
                               (size_t)world->state.actions.rows[i]->number_count * sizeof(double));
    return hash;
}

void eng_actions_note_gravity(cairn_world *world)
{
    for (int i = 0; i < world->state.actions.count; i++)
        if (world->state.actions.rows[i]->kind->drives_gravity)
            memcpy(world->state.actions.rows[i]->numbers, world->model.def.gravity,
                   sizeof world->model.def.gravity);
}

bool eng_actions_drive_gravity(const cairn_world *world)
{
    for (int i = 0; i < world->state.actions.count; i++)
        if (world->state.actions.rows[i]->kind->drives_gravity)
            return true;
    return false;
}

void eng_actions_release(cairn_world *world)
{
    for (int i = 0; i < world->state.actions.count; i++) {
        eng_action *action = world->state.actions.rows[i];
        release_data(&world->model.allocator, action->kind, action->data);
        base_release(&world->model.allocator, action->numbers);
        base_release(&world->model.allocator, action);
    }
    base_release(&world->model.allocator, world->state.actions.rows);
}
