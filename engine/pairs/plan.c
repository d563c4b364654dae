// SPDX-License-Identifier: Apache-2.0
// Sorts the pairs of the list into batches.
#include "engine/state/blocks.h"
#include "engine/state/surfaces.h"
#include "engine/state/world.h"

#include <string.h>

enum { CLASSES = GEO_KIND_COUNT * GEO_KIND_COUNT };

/// Body of a side of a pair.
static int body_of(const cairn_world *world, const eng_pair *pair, int side)
{
    return world->contacts.colliders
        .rows[side == 0 ? pair->colliders.first : pair->colliders.second]
        .body;
}

/// Number of the batch that a pair would be in if every class under every surface had one.
static size_t slot_of(const cairn_world *world, const eng_pair *pair)
{
    const eng_surface *surface =
        eng_surface_of(world, body_of(world, pair, 0), body_of(world, pair, 1));
    size_t first = world->contacts.colliders.rows[pair->colliders.first].shape->kind;
    size_t second = world->contacts.colliders.rows[pair->colliders.second].shape->kind;
    return (size_t)(surface - world->model.materials.surfaces) * CLASSES + first * GEO_KIND_COUNT +
           second;
}

static cairn_status reserve(cairn_world *world)
{
    eng_plan *plan = &world->contacts.plan;
    const base_allocator *allocator = &world->model.allocator;
    int capacity = plan->order_capacity;
    cairn_status status =
        base_array_reserve(allocator, &plan->batch, &capacity, world->contacts.pairs.count);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &plan->order, &plan->order_capacity,
                                    world->contacts.pairs.count);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &plan->touch, &plan->touch_capacity,
                                    2 * world->contacts.pairs.count);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &plan->paired, &plan->paired_capacity,
                                    2 * world->contacts.pairs.count);
    int known = plan->body_capacity;
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &plan->pairs_of, &plan->body_capacity,
                                    world->model.bodies.count);
    if (plan->body_capacity > known)
        memset(plan->pairs_of + known, 0,
               (size_t)(plan->body_capacity - known) * sizeof *plan->pairs_of);
    return status;
}

static eng_batch make_batch(size_t slot, int pair_count, int first_place)
{
    size_t class = slot % CLASSES;
    return (eng_batch){
        .surface = (int)(slot / CLASSES),
        .kind = {(geo_kind)(class / GEO_KIND_COUNT), (geo_kind)(class % GEO_KIND_COUNT)},
        .first_place = first_place,
        .pair_count = pair_count,
    };
}

/// Appends the batches of laws of one kind that have pairs.
/// @param pairs   [slots] number of pairs of each slot
/// @param number  [slots] out: batch of each slot that has pairs
/// @param place   of the first pair; out: behind the last one
static cairn_status list_batches(cairn_world *world, con_law_kind kind, const int *pairs,
                                 int *number, int *place)
{
    eng_plan *plan = &world->contacts.plan;
    for (size_t slot = 0; slot < (size_t)world->model.materials.surface_count * CLASSES; slot++) {
        if (pairs[slot] == 0 || world->model.materials.surfaces[slot / CLASSES].law->kind != kind)
            continue;
        BASE_TRY(base_array_reserve(&world->model.allocator, &plan->batches, &plan->batch_capacity,
                                    plan->batch_count + 1));
        number[slot] = plan->batch_count++;
        plan->batches[number[slot]] = make_batch(slot, pairs[slot], *place);
        *place += pairs[slot];
    }
    return CAIRN_OK;
}

/// Sorts the pairs by their batches, those of cone laws among themselves as the list has them.
static cairn_status sort_pairs(cairn_world *world)
{
    eng_plan *plan = &world->contacts.plan;
    size_t slots = (size_t)world->model.materials.surface_count * CLASSES;
    int *pairs = base_arena_array(world->scratch.arena, int, "batches", slots);
    int *number = base_arena_array(world->scratch.arena, int, "batches", slots);
    int *slot = base_arena_array(world->scratch.arena, int, "batches", world->contacts.pairs.count);
    if (pairs == NULL || number == NULL || slot == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(pairs, 0, slots * sizeof *pairs);
    for (int i = 0; i < world->contacts.pairs.count; i++) {
        slot[i] = (int)slot_of(world, &world->contacts.pairs.rows[i]);
        pairs[slot[i]]++;
    }
    int end = 0;
    plan->batch_count = 0;
    cairn_status status = list_batches(world, CON_LAW_CONE, pairs, number, &end);
    plan->cone_batches = plan->batch_count;
    plan->cone_pairs = end;
    if (status == CAIRN_OK)
        status = list_batches(world, CON_LAW_IMPULSE, pairs, number, &end);
    int *next = base_arena_array(world->scratch.arena, int, "batches", plan->batch_count);
    if (status != CAIRN_OK || next == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < plan->batch_count; i++)
        next[i] = plan->batches[i].first_place;
    for (int i = 0, cone = 0; i < world->contacts.pairs.count; i++) {
        int batch = number[slot[i]];
        int place = batch < plan->cone_batches ? cone++ : next[batch]++;
        plan->order[place] = i;
        plan->batch[place] = batch;
    }
    return CAIRN_OK;
}

/// The dynamic body of a side of the pair at a place; -1 where contacts do not move it.
static int moved_body(const cairn_world *world, int place, int side)
{
    int body = body_of(world, &world->contacts.pairs.rows[world->contacts.plan.order[place]], side);
    return world->model.bodies.rows[body].kind == CAIRN_DYNAMIC ? body : -1;
}

/// Which explicit pairs each body takes part in, at a cost that pairs alone decide.
static void list_touches(cairn_world *world)
{
    eng_plan *plan = &world->contacts.plan;
    eng_body_pairs *of = plan->pairs_of;
    for (int i = 0; i < plan->paired_count; i++)
        of[plan->paired[i]].count = 0;
    plan->paired_count = 0;
    for (int place = plan->cone_pairs; place < world->contacts.pairs.count; place++)
        for (int side = 0; side < 2; side++) {
            int body = moved_body(world, place, side);
            if (body >= 0 && of[body].count++ == 0)
                plan->paired[plan->paired_count++] = body;
        }
    for (int i = 0, end = 0; i < plan->paired_count; i++) {
        eng_body_pairs *own = &of[plan->paired[i]];
        own->first = end;
        end += own->count;
        own->count = 0;
    }
    for (int place = plan->cone_pairs; place < world->contacts.pairs.count; place++)
        for (int side = 0; side < 2; side++) {
            int body = moved_body(world, place, side);
            if (body >= 0)
                plan->touch[of[body].first + of[body].count++] = 2 * place + side;
        }
}

cairn_status eng_plan_update(cairn_world *world)
{
    if (world->contacts.plan.current)
        return CAIRN_OK;
    base_arena_mark mark = base_arena_get_mark(world->scratch.arena);
    cairn_status status = reserve(world);
    if (status == CAIRN_OK)
        status = sort_pairs(world);
    if (status == CAIRN_OK)
        list_touches(world);
    base_arena_rewind(world->scratch.arena, mark);
    world->contacts.plan.current = status == CAIRN_OK;
    return status;
}

void eng_plan_release(eng_plan *plan, const base_allocator *allocator)
{
    void *blocks[] = {plan->batches, plan->order,    plan->batch,
                      plan->touch,   plan->pairs_of, plan->paired};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        base_release(allocator, blocks[i]);
    *plan = (eng_plan){0};
}
