// SPDX-License-Identifier: Apache-2.0
// Ranges of chunks of the sphere executor: who takes which, and the one parallel section of a step.
//
// A chunk's bodies can move as soon as its own pairs are done, as all their pairs have earlier
// owners. Chunks that pairs of earlier ranges act on move when the last of these ranges is done, by
// the thread that did it: nobody waits within a step. Of several processes each has rows of all
// arrays, which have the numbers of one process; pages that are others' go back to the system.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/shapes.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/state/world.h"

#include <string.h>

/// What takes about as long in a step.
enum { ROW_COST = 2, NEAR_COST = 10, FAR_COST = 3, SLIP_COST = 3 };

void eng_spheres_chunks_count(struct eng_spheres *spheres)
{
    // blocks are of one surface: larger chunks leave fewer of them half full
    int factor = 1 + (spheres->store.terms_count - 1) / 4;
    spheres->list.chunk_slots = ENG_SPHERES_CHUNK * (factor < 8 ? factor : 8);
    spheres->list.chunk_count = base_chunk_count(spheres->table.slots, spheres->list.chunk_slots);
    int workers = spheres->world->model.workers != NULL
                      ? base_workers_count(spheres->world->model.workers)
                      : 1;
    workers *= eng_spheres_share_count(spheres);
    int most = spheres->list.chunk_count / spheres->list.least_chunks;
    spheres->list.ranges = workers < most ? workers : (most > 1 ? most : 1);
}

void eng_spheres_ranges_split(struct eng_spheres *spheres)
{
    for (int r = 0; r < spheres->list.ranges; r++) {
        spheres->list.range[r].first_chunk =
            (int)((int64_t)r * spheres->list.chunk_count / spheres->list.ranges);
        spheres->list.range[r].end_chunk =
            (int)((int64_t)(r + 1) * spheres->list.chunk_count / spheres->list.ranges);
    }
}

void eng_spheres_ranges_split_held(struct eng_spheres *spheres)
{
    int held = 0, before = 0, range = 0, chunks = spheres->list.chunk_count;
    for (int c = 0; c < chunks; c++)
        held += eng_spheres_has_chunk(spheres, c);
    spheres->list.range[0].first_chunk = 0;
    for (int c = 0; c < chunks; c++) {
        bool more = range + 1 < spheres->list.ranges && c > spheres->list.range[range].first_chunk;
        bool late = chunks - c == spheres->list.ranges - range - 1;
        if (more &&
            ((int64_t)before * spheres->list.ranges >= (int64_t)held * (range + 1) || late)) {
            spheres->list.range[range].end_chunk = spheres->list.range[range + 1].first_chunk = c;
            range++;
        }
        before += eng_spheres_has_chunk(spheres, c);
    }
    spheres->list.range[range].end_chunk = chunks;
}

int64_t eng_spheres_chunk_cost(const eng_spheres_chunk *chunk)
{
    return ROW_COST * (int64_t)(chunk->end_slot - chunk->first_slot) +
           NEAR_COST * (int64_t)(chunk->far_block - chunk->first_block) +
           FAR_COST * (int64_t)(chunk->end_block - chunk->far_block);
}

static int64_t cost_of(const eng_spheres_chunk *chunk)
{
    return eng_spheres_chunk_cost(chunk) + SLIP_COST * (int64_t)chunk->slipping;
}

/// Chunks [first, end) in order go to that of so many ranges that the middle of their cost falls
/// into.
static void share_out(struct eng_spheres *spheres, int first, int end, eng_spheres_range *ranges,
                      int count)
{
    int64_t total = 0, before = 0;
    int range = 0, number = (int)(ranges - spheres->list.range);
    for (int c = first; c < end; c++)
        total += cost_of(&spheres->pass.chunks[c]);
    ranges[0].first_chunk = first;
    for (int c = first; c < end; c++) {
        int64_t cost = cost_of(&spheres->pass.chunks[c]);
        while (range + 1 < count && (2 * before + cost) * count >= 2 * total * (range + 1)) {
            ranges[range].end_chunk = ranges[range + 1].first_chunk = c;
            range++;
        }
        spheres->pass.chunks[c].range = number + range;
        before += cost;
    }
    for (; range + 1 < count; range++)
        ranges[range].end_chunk = ranges[range + 1].first_chunk = end;
    ranges[range].end_chunk = end;
}

/// Where the list is made in parts, the chunks of each process go to its ranges.
static void share_out_all(struct eng_spheres *spheres)
{
    const eng_spheres_share *share = spheres->share;
    if (share == NULL || !share->parted) {
        share_out(spheres, 0, spheres->list.chunk_count, spheres->list.range, spheres->list.ranges);
        return;
    }
    for (int rank = 0; rank < share->ranks.count; rank++) {
        int first = eng_spheres_share_range(spheres, rank);
        share_out(spheres, share->first_chunk[rank], share->first_chunk[rank + 1],
                  spheres->list.range + first, eng_spheres_share_range(spheres, rank + 1) - first);
    }
}

/// Chunks that pairs of a chunk of an earlier range act on wait.
static void mark_waiting(struct eng_spheres *spheres, const eng_spheres_chunk *chunk)
{
    int end_slot = spheres->list.range[chunk->range].end_chunk * spheres->list.chunk_slots;
    for (int i = chunk->first_block; i < chunk->end_block; i++)
        for (int k = 0; k < ENG_SPHERES_WIDTH; k++) {
            int slot = eng_spheres_source_of(&spheres->pass,
                                             eng_spheres_slot_b(&spheres->pass.blocks[i], k));
            if (slot < end_slot || slot >= spheres->table.slots)
                continue;
            eng_spheres_chunk *to = &spheres->pass.chunks[slot / spheres->list.chunk_slots];
            eng_spheres_range *range = &spheres->list.range[to->range];
            to->waits = true;
            range->lowest = chunk->range < range->lowest ? chunk->range : range->lowest;
        }
}

void eng_spheres_ranges_balance(struct eng_spheres *spheres)
{
    share_out_all(spheres);
    for (int r = 0; r < spheres->list.ranges; r++)
        spheres->list.range[r].lowest = r;
    for (int c = 0; c < spheres->list.chunk_count; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        if (!eng_spheres_has_chunk(spheres, c))
            continue;
        if (chunk->last_chunk >= spheres->list.range[chunk->range].end_chunk ||
            chunk->last_distant >= spheres->list.range[chunk->range].end_chunk)
            mark_waiting(spheres, chunk);
    }
}

/// A range that is left; the worker's own if possible, whose slots are in its cache.
static int take_range(struct eng_spheres *spheres, int worker)
{
    int range = worker % spheres->list.ranges;
    while (__atomic_exchange_n(&spheres->list.range[range].taken, true, __ATOMIC_ACQ_REL))
        range = (range + 1) % spheres->list.ranges;
    return range;
}

typedef struct job {
    struct eng_spheres *spheres;
    void (*work)(struct eng_spheres *spheres, int range);
} job;

static void run_job(void *argument, int begin, int end, int chunk, int worker)
{
    (void)begin, (void)end, (void)chunk;
    const job *j = argument;
    j->work(j->spheres, take_range(j->spheres, worker));
}

void eng_spheres_ranges_run(struct eng_spheres *spheres,
                            void (*work)(struct eng_spheres *spheres, int range))
{
    job j = {spheres, work};
    for (int r = 0; r < spheres->list.ranges; r++)
        spheres->list.range[r].taken = false;
    base_parallel_for(spheres->world->model.workers, spheres->list.ranges, 1, run_job, &j);
}

/// Least that a body of a chunk has left of its margin, m.
static double margin_left(const struct eng_spheres *spheres, const eng_spheres_chunk *chunk)
{
    const double *x = eng_spheres_reference(spheres, 0), *y = eng_spheres_reference(spheres, 1),
                 *z = eng_spheres_reference(spheres, 2), *margin = eng_spheres_margins(spheres);
    double least = INFINITY;
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot++) {
        const double *X = spheres->pass.X[slot];
        double way[3] = {X[0] - x[slot], X[1] - y[slot], X[2] - z[slot]};
        double left = margin[slot] - sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
        least = left < least ? left : least;
    }
    return least;
}

/// Bounds on speed and on what is left; that is looked up when the bound is used up.
/// @param way  m, longest of a member of a clump
static void follow_way(const struct eng_spheres *spheres, eng_spheres_chunk *chunk, double way)
{
    const double *most = chunk->fastest;
    double speed = sqrt(most[0] * most[0] + most[1] * most[1] + most[2] * most[2]);
    chunk->speed = fmax(speed, way / spheres->pass.step);
    chunk->left -= 1.000001 * chunk->speed * spheres->pass.step;
    if (chunk->left < 0.0)
        chunk->left = margin_left(spheres, chunk);
}

/// `range` is that of the thread. What follows from the new places waits where the general passes
/// act on a slot, as on members of clumps; forces of the pairs are known only now.
static void end_chunk(struct eng_spheres *spheres, int index, int range)
{
    eng_spheres_chunk *chunk = &spheres->pass.chunks[index];
    double momentum = spheres->cell.strains ? eng_spheres_drift_momentum(spheres, chunk) : 0.0;
    spheres->kernel->move(&spheres->pass, index);
    if (spheres->cell.strains)
        eng_spheres_chunk_strain(spheres, chunk, momentum);
    if (spheres->world->state.cell.watched)
        eng_spheres_chunk_fluctuations(spheres, chunk);
    if (chunk->held || chunk->members > 0) {
        spheres->kernel->turn(&spheres->pass, index);
        chunk->drivers = eng_spheres_chunk_work(spheres, chunk);
        return;
    }
    follow_way(spheres, chunk, 0.0);
    spheres->kernel->turn(&spheres->pass, index);
    eng_spheres_ghosts_move(spheres, chunk->first_ghost, chunk->end_ghost, ENG_SPHERES_PLACE_OTHERS,
                            &chunk->drivers);
    eng_spheres_images_move(spheres, chunk->first_image, chunk->end_image);
    eng_spheres_shapes_move(spheres, chunk, range, ENG_SPHERES_PLACE_OTHERS, true);
}

static void end_waiting(struct eng_spheres *spheres, const eng_spheres_range *waiting, int range)
{
    for (int i = waiting->first_chunk; i < waiting->end_chunk; i++)
        if (spheres->pass.chunks[i].waits)
            end_chunk(spheres, i, range);
}

static void step_range(struct eng_spheres *spheres, int index)
{
    const eng_spheres_range *own = &spheres->list.range[index];
    for (int i = own->first_chunk; i < own->end_chunk; i++) {
        spheres->kernel->forces(&spheres->pass, i);
        if (spheres->cell.strains)
            spheres->pass.chunks[i].strain =
                eng_spheres_image_work(spheres, &spheres->pass.chunks[i]);
        if (spheres->world->state.cell.watched)
            eng_spheres_chunk_branches(spheres, &spheres->pass.chunks[i]);
        if (!spheres->pass.chunks[i].waits)
            end_chunk(spheres, i, index);
    }
    for (int r = index; r < spheres->list.ranges && eng_spheres_owns_range(spheres, r); r++) {
        eng_spheres_range *later = &spheres->list.range[r];
        if (later->lowest <= index &&
            __atomic_add_fetch(&later->arrived, 1, __ATOMIC_ACQ_REL) == r - later->lowest + 1)
            end_waiting(spheres, later, index);
    }
}

/// Pairs of chunks of other processes that act on slots of this one. Only forces on these are read;
/// what else they write is not this process's.
static void forces_of_others(struct eng_spheres *spheres)
{
    const eng_spheres_share *share = spheres->share;
    int own = share->first_chunk[share->ranks.number];
    int end = share->first_chunk[share->ranks.number + 1];
    for (int c = 0; c < own; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        bool distant = chunk->first_distant < end && chunk->last_distant >= own;
        if (chunk->last_chunk >= own || distant)
            spheres->kernel->forces(&spheres->pass, c);
    }
}

void eng_spheres_ranges_step(struct eng_spheres *spheres)
{
    job j = {spheres, step_range};
    int own = 0, first = eng_spheres_is_shared(spheres) ? spheres->share->first_range : 0;
    for (int r = 0; r < spheres->list.ranges; r++) {
        eng_spheres_range *range = &spheres->list.range[r];
        range->taken = !eng_spheres_owns_range(spheres, r);
        own += !range->taken;
        // ranges of earlier processes are done before
        range->arrived = range->lowest < first ? first - range->lowest : 0;
    }
    if (eng_spheres_is_shared(spheres))
        forces_of_others(spheres);
    base_parallel_for(spheres->world->model.workers, own, 1, run_job, &j);
}

static void finish_range(struct eng_spheres *spheres, int index)
{
    const eng_spheres_range *range = &spheres->list.range[index];
    if (!eng_spheres_owns_range(spheres, index))
        return;
    for (int i = range->first_chunk; i < range->end_chunk; i++) {
        eng_spheres_chunk *chunk = &spheres->pass.chunks[i];
        if (!chunk->held && chunk->members == 0)
            continue;
        chunk->held = false;
        double way = chunk->members > 0 ? eng_spheres_members_place(spheres, chunk) : 0.0;
        follow_way(spheres, chunk, way);
        eng_spheres_ghosts_move(spheres, chunk->first_ghost, chunk->end_ghost,
                                ENG_SPHERES_PLACE_OTHERS, NULL);
        eng_spheres_images_move(spheres, chunk->first_image, chunk->end_image);
        eng_spheres_shapes_move(spheres, chunk, index, ENG_SPHERES_PLACE_OTHERS, false);
    }
}

void eng_spheres_ranges_finish(struct eng_spheres *spheres)
{
    eng_spheres_ranges_run(spheres, finish_range);
}

// ---------------------------------------------------------------- rows of processes

eng_spheres_rows eng_spheres_share_rows(const struct eng_spheres *spheres, int rank, int kind)
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

eng_spheres_rows eng_spheres_share_slots(const struct eng_spheres *spheres, int rank, int each)
{
    const int *chunk = spheres->share->first_chunk;
    int first = chunk[rank] * spheres->list.chunk_slots,
        end = chunk[rank + 1] * spheres->list.chunk_slots;
    int last = (spheres->table.slots + each - 1) / each;
    first /= each;
    end /= each;
    return (eng_spheres_rows){first < last ? first : last, end < last ? end : last};
}

int eng_spheres_share_rank(const struct eng_spheres *spheres, int slot)
{
    const int *first = spheres->share->first_chunk;
    int chunk = slot / spheres->list.chunk_slots, low = 0, high = spheres->share->ranks.count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (first[middle] <= chunk)
            low = middle;
        else
            high = middle;
    }
    return low;
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
    struct eng_spheres_share *share = spheres->share;
    const base_allocator *allocator = &spheres->world->model.allocator;
    cairn_status status = base_array_reserve(allocator, &share->held, &share->held_capacity,
                                             spheres->list.chunk_count);
    return status == CAIRN_OK ? base_array_reserve(allocator, &share->seen, &share->seen_capacity,
                                                   spheres->list.chunk_count)
                              : status;
}

void eng_spheres_share_give_back(void *array, size_t stride, int first, int end)
{
    if (array != NULL && end > first)
        base_give_back((char *)array + (size_t)first * stride, (size_t)(end - first) * stride);
}

/// What the pairs of chunks [first, end) have.
static void drop_pairs(const struct eng_spheres *spheres, int first, int end)
{
    const eng_spheres_pass *p = &spheres->pass;
    int begin = p->chunks[first].first_block, until = p->chunks[end - 1].end_block;
    eng_spheres_share_give_back(p->blocks, sizeof *p->blocks, begin, until);
    eng_spheres_share_give_back(p->columns, (size_t)p->column_rows * sizeof *p->columns, begin,
                                until);
    eng_spheres_share_give_back(p->resist, sizeof *p->resist, begin, until);
}

/// The state of the slots of chunks [first, end).
static void drop_slots(const struct eng_spheres *spheres, int first, int end)
{
    const eng_spheres_pass *p = &spheres->pass;
    int begin = p->chunks[first].first_slot, until = p->chunks[end - 1].end_slot;
    eng_spheres_share_give_back(p->X, sizeof *p->X, begin, until);
    eng_spheres_share_give_back(p->V, sizeof *p->V, begin, until);
    eng_spheres_share_give_back(p->turn, sizeof *p->turn, begin / ENG_SPHERES_WIDTH,
                                until / ENG_SPHERES_WIDTH);
    eng_spheres_share_give_back(p->constants, sizeof *p->constants, begin, until);
    for (int axis = 0; axis < 4; axis++)
        eng_spheres_share_give_back(eng_spheres_reference(spheres, axis), sizeof(double), begin,
                                    until);
}

void eng_spheres_share_drop_motions(struct eng_spheres *spheres)
{
    const eng_spheres_pass *p = &spheres->pass;
    int self = spheres->share->ranks.number;
    eng_spheres_rows own = eng_spheres_share_slots(spheres, self, 1);
    eng_spheres_rows turns = eng_spheres_share_slots(spheres, self, ENG_SPHERES_WIDTH);
    int groups = (spheres->table.slots + ENG_SPHERES_WIDTH - 1) / ENG_SPHERES_WIDTH;
    eng_spheres_share_give_back(p->V, sizeof *p->V, 0, own.first);
    eng_spheres_share_give_back(p->V, sizeof *p->V, own.end, spheres->table.slots);
    eng_spheres_share_give_back(p->turn, sizeof *p->turn, 0, turns.first);
    eng_spheres_share_give_back(p->turn, sizeof *p->turn, turns.end, groups);
}

/// Calls `drop` for each run of chunks that are not kept.
static void drop_runs(const struct eng_spheres *spheres, const bool *kept,
                      void (*drop)(const struct eng_spheres *spheres, int first, int end))
{
    for (int c = 0, first; c < spheres->list.chunk_count; c++) {
        for (first = c; c < spheres->list.chunk_count && !kept[c];)
            c++;
        if (c > first)
            drop(spheres, first, c);
    }
}

/// What is used while a list is made, and the ends of arrays that a longer list has left.
static void drop_scratch(const struct eng_spheres *spheres)
{
    const eng_spheres_buffer *made[] = {&spheres->list.scratch, &spheres->store.kept_start,
                                        &spheres->store.kept_aside, &spheres->store.kept_columns,
                                        &spheres->store.kept_resist};
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++)
        if (made[i]->capacity > 0)
            base_give_back(made[i]->block, made[i]->capacity);
    const eng_spheres_buffer *lists[2] = {&spheres->list.near_list, &spheres->list.far_list};
    const int *starts[2] = {spheres->pass.near_start, spheres->pass.far_start};
    for (int i = 0; i < 2; i++) {
        size_t used = ((size_t)starts[i][spheres->table.slots] + 1) * sizeof(int);
        if (lists[i]->capacity > used)
            base_give_back((char *)lists[i]->block + used, lists[i]->capacity - used);
    }
    for (int r = 0; r < spheres->list.ranges; r++)
        base_give_back(spheres->list.range[r].pairs,
                       (size_t)spheres->list.range[r].pair_capacity * sizeof(eng_spheres_pair));
}

void eng_spheres_share_drop(struct eng_spheres *spheres)
{
    struct eng_spheres_share *share = spheres->share;
    if (!eng_spheres_is_parted(spheres))
        return;
    drop_runs(spheres, share->held, drop_pairs);
    drop_scratch(spheres);
    // slots of others that pairs need stay
    memcpy(share->seen, share->held, (size_t)spheres->list.chunk_count * sizeof *share->seen);
    for (int rank = 0; rank < share->ranks.count; rank++)
        for (int i = 0; i < share->places.received[rank].count; i++) {
            int slot = share->places.slots[share->places.received[rank].first + i];
            share->seen[slot / spheres->list.chunk_slots] = true;
        }
    drop_runs(spheres, share->seen, drop_slots);
    share->bare = true;
}

void eng_spheres_share_constants(struct eng_spheres *spheres)
{
    struct eng_spheres_share *share = spheres->share;
    for (int c = 0; c < spheres->list.chunk_count && share->bare; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        for (int slot = chunk->first_slot; slot < chunk->end_slot && !share->seen[c]; slot++)
            eng_spheres_read_constants(spheres, slot);
    }
}

void eng_spheres_share_drop_forces(struct eng_spheres *spheres)
{
    base_give_back(spheres->store.force.block, spheres->store.force.capacity);
    base_give_back(spheres->store.couple.block, spheres->store.couple.capacity);
}

static void renew_range(struct eng_spheres *spheres, int index, eng_spheres_placing placing)
{
    const eng_spheres_range *range = &spheres->list.range[index];
    for (int c = range->first_chunk; c < range->end_chunk; c++)
        if (eng_spheres_owns_range(spheres, index))
            eng_spheres_shapes_move(spheres, &spheres->pass.chunks[c], index, placing, false);
}

static void renew_all(struct eng_spheres *spheres, int index)
{
    renew_range(spheres, index, ENG_SPHERES_PLACE_ALL);
}

static void renew_followers(struct eng_spheres *spheres, int index)
{
    renew_range(spheres, index, ENG_SPHERES_PLACE_FOLLOWERS);
}

cairn_status eng_spheres_shapes_renew(struct eng_spheres *spheres, eng_spheres_placing placing)
{
    bool out_of_memory = false;
    if (!spheres->walls.has_shapes)
        return CAIRN_OK;
    eng_spheres_ranges_run(spheres,
                           placing == ENG_SPHERES_PLACE_FOLLOWERS ? renew_followers : renew_all);
    for (int c = 0; c < spheres->list.chunk_count; c++)
        out_of_memory = out_of_memory || spheres->pass.chunks[c].out_of_memory;
    return out_of_memory ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}
