// SPDX-License-Identifier: Apache-2.0
// What of the executor's arrays belongs to which process, and what a process does not hold in
// memory: arrays have the numbers of one process, and pages of them that are others' go back to the
// system until all is gathered.
#include "engine/pairs/spheres/share.h"

#include <string.h>

typedef struct eng_spheres eng_spheres;
typedef struct eng_spheres_share eng_spheres_share;

eng_spheres_rows eng_spheres_share_rows(const eng_spheres *spheres, int rank, int kind)
{
    const int *chunk = spheres->share->first_chunk;
    const eng_spheres_chunk *chunks = spheres->pass.chunks;
    int first = chunk[rank], end = chunk[rank + 1];
    if (kind == ENG_SPHERES_CHUNK_ROWS || first == end)
        return (eng_spheres_rows){first, end};
    if (kind == ENG_SPHERES_BLOCK_ROWS)
        return (eng_spheres_rows){chunks[first].first_block, chunks[end - 1].end_block};
    if (kind == ENG_SPHERES_SEGMENT_ROWS)
        return (eng_spheres_rows){chunks[first].first_segment, chunks[end - 1].end_segment};
    if (kind == ENG_SPHERES_GROUP_ROWS)
        return (eng_spheres_rows){chunks[first].first_group, chunks[end - 1].end_group};
    return (eng_spheres_rows){chunks[first].first_ghost, chunks[end - 1].end_ghost};
}

void eng_spheres_share_kept(const struct eng_spheres *spheres, int *first, int *end)
{
    const eng_spheres_share *share = spheres->share;
    if (share == NULL || !share->active || share->whole)
        return;
    eng_spheres_rows own =
        eng_spheres_share_rows(spheres, share->ranks.number, ENG_SPHERES_BLOCK_ROWS);
    *first = own.first;
    *end = own.end;
}

// ---------------------------------------------------------------- memory

cairn_status eng_spheres_share_reserve(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    const base_allocator *allocator = &spheres->world->allocator;
    cairn_status status =
        base_array_reserve(allocator, &share->held, &share->held_capacity, spheres->chunk_count);
    return status == CAIRN_OK ? base_array_reserve(allocator, &share->seen, &share->seen_capacity,
                                                   spheres->chunk_count)
                              : status;
}

/// What blocks [first, end) have in an array.
static void drop_rows(void *array, size_t stride, int first, int end)
{
    if (array != NULL && end > first)
        base_give_back((char *)array + (size_t)first * stride, (size_t)(end - first) * stride);
}

/// What the pairs of chunks [first, end) have.
static void drop_pairs(const eng_spheres *spheres, int first, int end)
{
    const eng_spheres_pass *p = &spheres->pass;
    int begin = p->chunks[first].first_block, until = p->chunks[end - 1].end_block;
    drop_rows(p->blocks, sizeof *p->blocks, begin, until);
    drop_rows(p->columns, (size_t)p->column_rows * sizeof *p->columns, begin, until);
    drop_rows(p->resist, sizeof *p->resist, begin, until);
}

/// The state of the slots of chunks [first, end).
static void drop_slots(const eng_spheres *spheres, int first, int end)
{
    const eng_spheres_pass *p = &spheres->pass;
    int begin = p->chunks[first].first_slot, until = p->chunks[end - 1].end_slot;
    drop_rows(p->X, sizeof *p->X, begin, until);
    drop_rows(p->V, sizeof *p->V, begin, until);
    drop_rows(p->turn, sizeof *p->turn, begin / ENG_SPHERES_WIDTH, until / ENG_SPHERES_WIDTH);
}

/// Calls `drop` for each run of chunks that are not kept.
static void drop_runs(const eng_spheres *spheres, const bool *kept,
                      void (*drop)(const eng_spheres *spheres, int first, int end))
{
    for (int c = 0, first; c < spheres->chunk_count; c++) {
        for (first = c; c < spheres->chunk_count && !kept[c];)
            c++;
        if (c > first)
            drop(spheres, first, c);
    }
}

/// What is used while a list is made, and the ends of arrays that a longer list has left.
static void drop_scratch(const eng_spheres *spheres)
{
    const eng_spheres_buffer *made[] = {&spheres->scratch, &spheres->kept_start,
                                        &spheres->kept_aside, &spheres->kept_columns,
                                        &spheres->kept_resist};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        if (made[i]->capacity > 0)
            base_give_back(made[i]->block, made[i]->capacity);
    const eng_spheres_buffer *lists[2] = {&spheres->near_list, &spheres->far_list};
    const int *starts[2] = {spheres->pass.near_start, spheres->pass.far_start};
    for (int i = 0; i < 2; i++) {
        size_t used = ((size_t)starts[i][spheres->slots] + 1) * sizeof(int);
        if (lists[i]->capacity > used)
            base_give_back((char *)lists[i]->block + used, lists[i]->capacity - used);
    }
    for (int r = 0; r < spheres->ranges; r++)
        base_give_back(spheres->range[r].pairs,
                       (size_t)spheres->range[r].pair_capacity * sizeof(eng_spheres_pair));
}

void eng_spheres_share_drop(struct eng_spheres *spheres)
{
    eng_spheres_share *share = spheres->share;
    if (!eng_spheres_is_parted(spheres))
        return;
    drop_runs(spheres, share->held, drop_pairs);
    drop_scratch(spheres);
    // slots of others that pairs need stay
    memcpy(share->seen, share->held, (size_t)spheres->chunk_count * sizeof *share->seen);
    for (int rank = 0; rank < share->ranks.count; rank++)
        for (int i = 0; i < share->places.received[rank].count; i++) {
            int slot = share->places.slots[share->places.received[rank].first + i];
            share->seen[slot / spheres->chunk_slots] = true;
        }
    drop_runs(spheres, share->seen, drop_slots);
}
