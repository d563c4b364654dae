// SPDX-License-Identifier: Apache-2.0
// Ranges of chunks of the spheres lane: who takes which, and the one parallel section of a step.
//
// A chunk's bodies can move as soon as its own pairs are done, as all their pairs have earlier
// owners. Chunks that pairs of earlier ranges act on move when the last of these ranges is done, by
// the thread that did it: nobody waits within a step.
#include "engine/pairs/spheres/lane_data.h"

/// What takes about as long in a step.
enum { ROW_COST = 2, NEAR_COST = 10, FAR_COST = 3, SLIP_COST = 3 };

void eng_lane_ranges_split(struct eng_lane *lane)
{
    for (int r = 0; r < lane->ranges; r++) {
        lane->range[r].first_chunk = (int)((int64_t)r * lane->chunk_count / lane->ranges);
        lane->range[r].end_chunk = (int)((int64_t)(r + 1) * lane->chunk_count / lane->ranges);
    }
}

static int64_t cost_of(const eng_lane_chunk *chunk)
{
    return ROW_COST * (int64_t)(chunk->end_row - chunk->first_row) +
           NEAR_COST * (int64_t)(chunk->far_block - chunk->first_block) +
           FAR_COST * (int64_t)(chunk->end_block - chunk->far_block) +
           SLIP_COST * (int64_t)chunk->slipping;
}

/// Chunks in order go to the range that the middle of their cost falls into.
static void share_out(struct eng_lane *lane)
{
    int64_t total = 0, before = 0;
    int range = 0;
    for (int c = 0; c < lane->chunk_count; c++)
        total += cost_of(&lane->pass.chunks[c]);
    lane->range[0].first_chunk = 0;
    for (int c = 0; c < lane->chunk_count; c++) {
        int64_t cost = cost_of(&lane->pass.chunks[c]);
        while (range + 1 < lane->ranges &&
               (2 * before + cost) * lane->ranges >= 2 * total * (range + 1)) {
            lane->range[range].end_chunk = lane->range[range + 1].first_chunk = c;
            range++;
        }
        lane->pass.chunks[c].range = range;
        before += cost;
    }
    for (; range + 1 < lane->ranges; range++)
        lane->range[range].end_chunk = lane->range[range + 1].first_chunk = lane->chunk_count;
    lane->range[range].end_chunk = lane->chunk_count;
}

/// Chunks that pairs of a chunk of an earlier range act on wait.
static void mark_waiting(struct eng_lane *lane, const eng_lane_chunk *chunk)
{
    int end_row = lane->range[chunk->range].end_chunk * lane->chunk_rows;
    for (int i = chunk->first_block; i < chunk->end_block; i++)
        for (int k = 0; k < ENG_LANE_WIDTH; k++) {
            int row = eng_lane_row_b(&lane->pass.blocks[i], k);
            if (row < end_row || row >= lane->rows)
                continue;
            eng_lane_chunk *to = &lane->pass.chunks[row / lane->chunk_rows];
            eng_lane_range *range = &lane->range[to->range];
            to->waits = true;
            range->lowest = chunk->range < range->lowest ? chunk->range : range->lowest;
        }
}

void eng_lane_ranges_balance(struct eng_lane *lane)
{
    share_out(lane);
    for (int r = 0; r < lane->ranges; r++)
        lane->range[r].lowest = r;
    for (int c = 0; c < lane->chunk_count; c++) {
        const eng_lane_chunk *chunk = &lane->pass.chunks[c];
        if (chunk->last_chunk >= lane->range[chunk->range].end_chunk)
            mark_waiting(lane, chunk);
    }
}

/// A range that is left; the worker's own if possible, whose rows are in its cache.
static int take_range(struct eng_lane *lane, int worker)
{
    int range = worker % lane->ranges;
    while (__atomic_exchange_n(&lane->range[range].taken, true, __ATOMIC_ACQ_REL))
        range = (range + 1) % lane->ranges;
    return range;
}

typedef struct job {
    struct eng_lane *lane;
    void (*work)(struct eng_lane *lane, int range);
} job;

static void run_job(void *argument, int begin, int end, int chunk, int worker)
{
    (void)begin, (void)end, (void)chunk;
    const job *j = argument;
    j->work(j->lane, take_range(j->lane, worker));
}

void eng_lane_ranges_run(struct eng_lane *lane, void (*work)(struct eng_lane *lane, int range))
{
    job j = {lane, work};
    for (int r = 0; r < lane->ranges; r++) {
        lane->range[r].taken = false;
        lane->range[r].arrived = 0;
    }
    base_parallel_for(lane->world->workers, lane->ranges, 1, run_job, &j);
}

/// Least that a body of a chunk has left of its margin, m.
static double margin_left(const struct eng_lane *lane, const eng_lane_chunk *chunk)
{
    const double *x = eng_lane_reference(lane, 0), *y = eng_lane_reference(lane, 1),
                 *z = eng_lane_reference(lane, 2), *margin = eng_lane_margins(lane);
    double least = INFINITY;
    for (int row = chunk->first_row; row < chunk->end_row; row++) {
        const double *X = lane->pass.X[row];
        double way[3] = {X[0] - x[row], X[1] - y[row], X[2] - z[row]};
        double left = margin[row] - sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
        least = left < least ? left : least;
    }
    return least;
}

/// Bounds on speed and on what is left; that is looked up when the bound is used up.
static void follow_way(const struct eng_lane *lane, eng_lane_chunk *chunk)
{
    const double *most = chunk->fastest;
    chunk->speed = sqrt(most[0] * most[0] + most[1] * most[1] + most[2] * most[2]);
    chunk->left -= 1.000001 * chunk->speed * lane->pass.step;
    if (chunk->left < 0.0)
        chunk->left = margin_left(lane, chunk);
}

/// `range` is that of the thread. What follows from the new places waits where the general passes
/// act on a row; forces of the pairs are known only now.
static void end_chunk(struct eng_lane *lane, int index, int range)
{
    eng_lane_chunk *chunk = &lane->pass.chunks[index];
    lane->kernel->move(&lane->pass, index);
    if (chunk->held) {
        lane->kernel->turn(&lane->pass, index);
        chunk->drivers = eng_lane_chunk_work(lane, chunk);
        return;
    }
    follow_way(lane, chunk);
    lane->kernel->turn(&lane->pass, index);
    eng_lane_ghosts_move(lane, chunk->first_ghost, chunk->end_ghost, &chunk->drivers);
    eng_lane_shapes_move(lane, chunk, range, true);
}

static void end_waiting(struct eng_lane *lane, const eng_lane_range *waiting, int range)
{
    for (int i = waiting->first_chunk; i < waiting->end_chunk; i++)
        if (lane->pass.chunks[i].waits)
            end_chunk(lane, i, range);
}

static void step_range(struct eng_lane *lane, int index)
{
    const eng_lane_range *own = &lane->range[index];
    for (int i = own->first_chunk; i < own->end_chunk; i++) {
        lane->kernel->forces(&lane->pass, i);
        if (!lane->pass.chunks[i].waits)
            end_chunk(lane, i, index);
    }
    for (int r = index; r < lane->ranges; r++) {
        eng_lane_range *later = &lane->range[r];
        if (later->lowest <= index &&
            __atomic_add_fetch(&later->arrived, 1, __ATOMIC_ACQ_REL) == r - later->lowest + 1)
            end_waiting(lane, later, index);
    }
}

void eng_lane_ranges_step(struct eng_lane *lane)
{
    eng_lane_ranges_run(lane, step_range);
}

void eng_lane_ranges_finish(struct eng_lane *lane)
{
    for (int i = 0; i < lane->chunk_count; i++) {
        eng_lane_chunk *chunk = &lane->pass.chunks[i];
        if (!chunk->held)
            continue;
        chunk->held = false;
        follow_way(lane, chunk);
        eng_lane_ghosts_move(lane, chunk->first_ghost, chunk->end_ghost, NULL);
        eng_lane_shapes_move(lane, chunk, 0, false);
    }
}
