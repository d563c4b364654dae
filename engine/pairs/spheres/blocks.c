// SPDX-License-Identifier: Apache-2.0
// Blocks of the sphere executor from its pairs, with the history carried over.
//
// Blocks of a new list take the place of the old ones. The old history is packed at the begin of
// the buffer, sorted by owners and moved to the end; new blocks grow towards it and use it up.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/shapes.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/state/surfaces.h"
#include "engine/state/world.h"

#include <string.h>

/// History of a contact between two lists.
typedef struct kept_contact {
    int id[2]; // owner and partner
    double spring[3];
    float lag_normal, lag_tangent[3];
    bool slips;
} kept_contact;

/// The same of its rolling and twisting, in an array of its own.
typedef struct kept_resistance {
    double rolling[3], twisting;
    float lag_rolling[3], lag_twisting;
    bool rolls, twists;
} kept_resistance;

static void keep_lane(const struct eng_spheres *spheres, const eng_spheres_block *block, int k,
                      kept_contact *to)
{
    *to = (kept_contact){
        .id = {eng_spheres_id_of(spheres, eng_spheres_slot_a(block, k)),
               eng_spheres_id_of(spheres, eng_spheres_slot_b(block, k))},
        .lag_normal = block->lag_normal[k],
        .slips = (block->slip >> k & 1) != 0,
    };
    for (int axis = 0; axis < 3; axis++) {
        to->spring[axis] = block->spring[axis][k];
        to->lag_tangent[axis] = block->lag_tangent[axis][k];
    }
}

/// Columns of history of a kept contact.
static double *kept_columns_of(const struct eng_spheres *spheres, int index)
{
    return (double *)spheres->store.kept_columns.block +
           (size_t)index * (size_t)spheres->store.kept_stride;
}

static void keep_columns(const struct eng_spheres *spheres, int block, int k, double *to)
{
    for (int row = 0; row < spheres->store.kept_stride; row++)
        to[row] = eng_spheres_columns_of(&spheres->pass, block)[row][k];
}

static void keep_resist(const eng_spheres_resist *resist, int k, kept_resistance *to)
{
    *to = (kept_resistance){
        .twisting = resist->twisting[k],
        .lag_twisting = resist->lag_twisting[k],
        .rolls = (resist->roll_slip >> k & 1) != 0,
        .twists = (resist->twist_slip >> k & 1) != 0,
    };
    for (int axis = 0; axis < 3; axis++) {
        to->rolling[axis] = resist->rolling[axis][k];
        to->lag_rolling[axis] = resist->lag_rolling[axis][k];
    }
}

static void keep_wall_contact(const struct eng_spheres *spheres, const eng_spheres_block *block,
                              int k, eng_spheres_kept_wall_contact *to)
{
    int ghost = eng_spheres_slot_b(block, k) - spheres->table.slots - 2;
    *to = (eng_spheres_kept_wall_contact){.wall = -1};
    if (ghost < spheres->walls.plane_ghosts)
        return;
    int wall = ((const eng_spheres_ghost *)spheres->walls.ghosts.block)[ghost].wall;
    to->wall = ((const eng_spheres_wall *)spheres->walls.rows.block)[wall].collider;
    to->wall_contact = ((const eng_spheres_touch *)
                            spheres->walls.touches.block)[ghost - spheres->walls.plane_ghosts]
                           .now;
    to->wall_contact.order = -1;
}

/// Space for what is kept of contacts.
cairn_status eng_spheres_kept_reserve(struct eng_spheres *spheres, int count)
{
    size_t n = (size_t)count;
    cairn_status status =
        eng_spheres_reserve(spheres, &spheres->store.blocks, n * sizeof(kept_contact));
    if (spheres->store.kept_stride > 0 && status == CAIRN_OK)
        status = eng_spheres_reserve(spheres, &spheres->store.kept_columns,
                                     n * (size_t)spheres->store.kept_stride * sizeof(double));
    if (spheres->store.kept_moments && status == CAIRN_OK)
        status =
            eng_spheres_reserve(spheres, &spheres->store.kept_resist, n * sizeof(kept_resistance));
    if (spheres->store.kept_walls && status == CAIRN_OK)
        status = eng_spheres_reserve(spheres, &spheres->store.kept_spots,
                                     n * sizeof(eng_spheres_kept_wall_contact));
    return status;
}

/// The same for all contacts of blocks [first, end).
static cairn_status reserve_kept(struct eng_spheres *spheres, int first, int end)
{
    int count = 0;
    spheres->store.kept_moments = spheres->pass.resist != NULL;
    spheres->store.kept_walls = spheres->walls.group_count > 0;
    spheres->store.kept_stride = spheres->pass.columns != NULL ? spheres->store.kept_rows : 0;
    bool any =
        spheres->store.kept_moments || spheres->store.kept_walls || spheres->store.kept_stride > 0;
    for (int i = first; i < end && any; i++)
        count += __builtin_popcount(spheres->pass.blocks[i].touch);
    // contacts themselves are kept in place
    return eng_spheres_kept_reserve(spheres, count);
}

cairn_status eng_spheres_history_keep(struct eng_spheres *spheres)
{
    _Static_assert(sizeof(kept_contact) * ENG_SPHERES_WIDTH <= sizeof(eng_spheres_block),
                   "in place");
    kept_contact *kept = spheres->store.blocks.block;
    int count = 0, first = 0, end = spheres->store.block_count;
    // it was kept before when the plan has changed
    if (spheres->store.block_count == 0)
        return CAIRN_OK;
    eng_spheres_share_kept(spheres, &first, &end);
    spheres->store.kept_count = 0;
    BASE_TRY(reserve_kept(spheres, first, end));
    kept_resistance *kept_resist = spheres->store.kept_resist.block;
    eng_spheres_kept_wall_contact *kept_spots = spheres->store.kept_spots.block;
    for (int i = first; i < end; i++) {
        // its place may be written over
        const eng_spheres_block block = spheres->pass.blocks[i];
        for (unsigned bits = block.touch; bits != 0; bits &= bits - 1) {
            int k = __builtin_ctz(bits);
            if (spheres->store.kept_stride > 0)
                keep_columns(spheres, i, k, kept_columns_of(spheres, count));
            if (spheres->store.kept_moments)
                keep_resist(&spheres->pass.resist[i], k, &kept_resist[count]);
            if (spheres->store.kept_walls)
                keep_wall_contact(spheres, &block, k, &kept_spots[count]);
            keep_lane(spheres, &block, k, &kept[count++]);
        }
    }
    spheres->store.kept_count = count;
    spheres->store.block_count = spheres->cell.image_count = 0;
    spheres->pass.first_image = INT_MAX;
    return CAIRN_OK;
}

/// Whether the columns of history of a pair, by ids, change their signs with its order.
static bool columns_turn(const struct eng_spheres *spheres, int a, int b)
{
    const cairn_world *world = spheres->world;
    int body_a = eng_spheres_id_body(spheres, a), body_b = eng_spheres_id_body(spheres, b);
    const con_batch *batch =
        spheres->pass.terms[eng_surface_of(world, body_a, body_b) - world->model.materials.surfaces]
            .batch;
    return batch != NULL && batch->kept_turn;
}

/// The body of the lower slot comes first. A twist is the same seen from either side.
static void put_owner_first(const struct eng_spheres *spheres, int index)
{
    kept_contact *kept = (kept_contact *)spheres->store.blocks.block + index;
    kept_resistance *resist = spheres->store.kept_resist.block;
    int a = kept->id[0], b = kept->id[1];
    if (eng_spheres_id_slot(spheres, a) < eng_spheres_id_slot(spheres, b))
        return;
    kept->id[0] = b;
    kept->id[1] = a;
    for (int axis = 0; axis < 3; axis++) {
        kept->spring[axis] = -kept->spring[axis];
        kept->lag_tangent[axis] = -kept->lag_tangent[axis];
    }
    for (int row = 0; row < spheres->store.kept_stride && columns_turn(spheres, a, b); row++)
        kept_columns_of(spheres, index)[row] = -kept_columns_of(spheres, index)[row];
    for (int axis = 0; axis < 3 && spheres->store.kept_moments; axis++) {
        resist[index].rolling[axis] = -resist[index].rolling[axis];
        resist[index].lag_rolling[axis] = -resist[index].lag_rolling[axis];
    }
}

static void swap_kept(struct eng_spheres *spheres, int a, int b)
{
    kept_contact *kept = spheres->store.blocks.block, other = kept[a];
    kept[a] = kept[b];
    kept[b] = other;
    for (int slot = 0; slot < spheres->store.kept_stride; slot++) {
        double *x = kept_columns_of(spheres, a) + slot, *y = kept_columns_of(spheres, b) + slot,
               z = *x;
        *x = *y;
        *y = z;
    }
    if (spheres->store.kept_moments) {
        kept_resistance *resist = spheres->store.kept_resist.block, beside = resist[a];
        resist[a] = resist[b];
        resist[b] = beside;
    }
    if (spheres->store.kept_walls) {
        eng_spheres_kept_wall_contact *wall_contacts = spheres->store.kept_spots.block,
                                      beside = wall_contacts[a];
        wall_contacts[a] = wall_contacts[b];
        wall_contacts[b] = beside;
    }
}

/// Contacts of spheres that have no pair_slot any more are gone.
void eng_spheres_history_drop(struct eng_spheres *spheres)
{
    kept_contact *kept = spheres->store.blocks.block;
    int count = 0;
    for (int i = 0; i < spheres->store.kept_count; i++) {
        bool gone[2];
        for (int side = 0; side < 2; side++)
            gone[side] = eng_spheres_id_slot(spheres, kept[i].id[side]) == ENG_SPHERES_NO_SLOT;
        if ((gone[0] && gone[1]) || (gone[0] && kept[i].id[0] < 0) ||
            (gone[1] && kept[i].id[1] < 0))
            continue;
        if (count != i)
            swap_kept(spheres, count, i);
        count++;
    }
    spheres->store.kept_count = count;
}

int eng_spheres_kept_owner(const struct eng_spheres *spheres, int index)
{
    const kept_contact *kept = (const kept_contact *)spheres->store.blocks.block + index;
    int a = eng_spheres_id_slot(spheres, kept->id[0]),
        b = eng_spheres_id_slot(spheres, kept->id[1]);
    return a < b ? a : b;
}

size_t eng_spheres_kept_size(const struct eng_spheres *spheres)
{
    return sizeof(kept_contact) + (size_t)spheres->store.kept_stride * sizeof(double) +
           (spheres->store.kept_moments ? sizeof(kept_resistance) : 0) +
           (spheres->store.kept_walls ? sizeof(eng_spheres_kept_wall_contact) : 0);
}

/// Copies to a message or from one; the place in it after that.
static unsigned char *copy_part(unsigned char *at, void *part, size_t size, bool packs)
{
    if (packs)
        memcpy(at, part, size);
    else
        memcpy(part, at, size);
    return at + size;
}

void eng_spheres_kept_copy(const struct eng_spheres *spheres, int index, unsigned char *bytes,
                           bool packs)
{
    kept_contact *kept = spheres->store.blocks.block;
    kept_resistance *resist = spheres->store.kept_resist.block;
    eng_spheres_kept_wall_contact *wall_contacts = spheres->store.kept_spots.block;
    bytes = copy_part(bytes, &kept[index], sizeof *kept, packs);
    if (spheres->store.kept_stride > 0)
        bytes = copy_part(bytes, kept_columns_of(spheres, index),
                          (size_t)spheres->store.kept_stride * sizeof(double), packs);
    if (spheres->store.kept_moments)
        bytes = copy_part(bytes, &resist[index], sizeof *resist, packs);
    if (spheres->store.kept_walls)
        (void)copy_part(bytes, &wall_contacts[index], sizeof *wall_contacts, packs);
}

/// Contacts of chunks whose pairs are not known here are left to others.
static void drop_others(struct eng_spheres *spheres)
{
    int count = 0;
    for (int i = 0; i < spheres->store.kept_count; i++) {
        if (!eng_spheres_has_chunk(spheres,
                                   eng_spheres_kept_owner(spheres, i) / spheres->list.chunk_slots))
            continue;
        if (count != i)
            swap_kept(spheres, count, i);
        count++;
    }
    spheres->store.kept_count = count;
}

/// By the rows of owners; kept_start[slot] = the first of a slot.
cairn_status eng_spheres_history_sort(struct eng_spheres *spheres)
{
    BASE_TRY(eng_spheres_reserve(spheres, &spheres->list.scratch,
                                 (size_t)spheres->store.kept_count * sizeof(int)));
    drop_others(spheres);
    kept_contact *kept = spheres->store.blocks.block;
    int *start = spheres->store.kept_start.block, *place = spheres->list.scratch.block;
    memset(start, 0, ((size_t)spheres->table.slots + 2) * sizeof *start);
    for (int i = 0; i < spheres->store.kept_count; i++) {
        put_owner_first(spheres, i);
        start[eng_spheres_id_slot(spheres, kept[i].id[0]) + 2]++;
    }
    for (int slot = 0; slot < spheres->table.slots; slot++)
        start[slot + 2] += start[slot + 1];
    for (int i = 0; i < spheres->store.kept_count; i++)
        place[i] = start[eng_spheres_id_slot(spheres, kept[i].id[0]) + 1]++;
    for (int i = 0; i < spheres->store.kept_count; i++)
        while (place[i] != i) {
            int to = place[i];
            swap_kept(spheres, i, to);
            place[i] = place[to];
            place[to] = to;
        }
    return CAIRN_OK;
}

/// Place in the history of a slot and a partner of its chunk, of which `kept` has all; -1 for none.
static int find_kept(const struct eng_spheres *spheres, const eng_spheres_chunk *chunk,
                     const kept_contact *kept, int slot, int partner)
{
    const int *start = spheres->store.kept_start.block;
    int first = start[chunk->first_slot];
    for (int i = start[slot]; i < start[slot + 1]; i++)
        if (kept[i - first].id[1] == partner)
            return i;
    return -1;
}

/// The same of a slot and a later slot or ghost.
static int history_of(const struct eng_spheres *spheres, const eng_spheres_chunk *chunk,
                      const kept_contact *kept, int slot, int other)
{
    int index = other - spheres->table.slots - 2;
    if (index < spheres->walls.plane_ghosts || other >= spheres->pass.first_image) {
        int found = find_kept(spheres, chunk, kept, slot, eng_spheres_id_of(spheres, other));
        // what touches is the nearest copy
        return found >= 0 && eng_spheres_is_nearest(spheres, slot, other) ? found : -1;
    }
    const eng_spheres_ghost *ghost = (const eng_spheres_ghost *)spheres->walls.ghosts.block + index;
    const eng_spheres_kept_wall_contact *wall_contact =
        eng_spheres_kept_of(spheres, slot, ghost->wall, ghost->nth);
    return wall_contact != NULL
               ? (int)(wall_contact -
                       (const eng_spheres_kept_wall_contact *)spheres->store.kept_spots.block)
               : -1;
}

/// Least size of the two bodies of a pair, m.
static double least_size(const struct eng_spheres *spheres, int slot, int other)
{
    const cairn_world *world = spheres->world;
    double size = 2.0 * spheres->pass.constants[slot][3];
    if (other < spheres->table.slots)
        return fmin(size, 2.0 * spheres->pass.constants[other][3]);
    return fmin(size, world->model.shapes
                          .rows[world->model.bodies.rows[eng_spheres_body_of(spheres, other)].shape]
                          ->smallest_size);
}

/// What lasts as long as the list.
static void fill_lane(const struct eng_spheres *spheres, int i, const eng_spheres_pair *pair,
                      eng_spheres_block *block, int k)
{
    int slot = (int)pair->j, j = eng_spheres_source_of(&spheres->pass, slot);
    const double(*constants)[4] = (const double(*)[4])spheres->pass.constants;
    block->i8[k] = 8 * i;
    block->j8[k] = 8 * slot;
    block->images = (unsigned char)(block->images | (slot != j ? 1u : 0u) << k);
    block->inverse_size[k] = (float)(1.0 / least_size(spheres, i, j));
    block->radius_sum[k] = constants[i][3] + (j < spheres->table.slots ? constants[j][3] : 0.0);
    eng_spheres_pair_prepare(spheres, &spheres->pass.terms[pair->terms], i, j, block, k);
}

static void carry_resist(const kept_resistance *from, eng_spheres_resist *to, int k)
{
    for (int axis = 0; axis < 3; axis++) {
        to->rolling[axis][k] = from->rolling[axis];
        to->lag_rolling[axis][k] = from->lag_rolling[axis];
    }
    to->twisting[k] = from->twisting;
    to->lag_twisting[k] = from->lag_twisting;
    to->roll_slip = (unsigned char)(to->roll_slip | (from->rolls ? 1u : 0u) << k);
    to->twist_slip = (unsigned char)(to->twist_slip | (from->twists ? 1u : 0u) << k);
}

static void carry_over(const kept_contact *from, eng_spheres_block *to, int k)
{
    for (int axis = 0; axis < 3; axis++) {
        to->spring[axis][k] = from->spring[axis];
        to->lag_tangent[axis][k] = from->lag_tangent[axis];
    }
    to->lag_normal[k] = from->lag_normal;
    to->touch = (unsigned char)(to->touch | 1u << k);
    to->slip = (unsigned char)(to->slip | (from->slips ? 1u : 0u) << k);
}

static void carry_columns(const struct eng_spheres *spheres, const con_batch *batch, int from,
                          const eng_spheres_block *to, int k)
{
    for (int row = 0; row < batch->kept_count && row < spheres->store.kept_stride; row++)
        eng_spheres_columns(spheres, to)[row][k] = kept_columns_of(spheres, from)[row];
}

static void clear_resist(eng_spheres_resist *resist)
{
    memset(resist, 0, sizeof *resist);
    for (int k = 0; k < ENG_SPHERES_WIDTH; k++)
        resist->radius[k] = 1.0;
}

/// A block of slots that never touch.
static void clear_block(struct eng_spheres *spheres, eng_spheres_block *block, int kept_count)
{
    eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
    memset(block, 0, sizeof *block);
    for (int k = 0; k < ENG_SPHERES_WIDTH; k++) {
        block->i8[k] = 8 * spheres->table.slots;
        block->j8[k] = 8 * (spheres->table.slots + 1);
    }
    if (resist != NULL)
        clear_resist(resist);
    // history is zero, and constants are harmless
    for (int row = 0; row < spheres->store.column_rows; row++)
        for (int k = 0; k < ENG_SPHERES_WIDTH; k++)
            eng_spheres_columns(spheres, block)[row][k] = row < kept_count ? 0.0 : 1.0;
}

/// Notes how many blocks of its list are between a block's forces and the last body that needs
/// them.
static void note_window(const struct eng_spheres *spheres, eng_spheres_chunk *chunk, int block,
                        int last_slot)
{
    int list = block >= chunk->far_block;
    const eng_spheres_chunk *user = &spheres->pass.chunks[last_slot / spheres->list.chunk_slots];
    int window = eng_spheres_blocks_until(user, list) - eng_spheres_block_number(chunk, block);
    chunk->window[list] = window > chunk->window[list] ? window : chunk->window[list];
}

/// Blocks of the sorted pairs of one surface and list; the last one is filled up.
static void fill_blocks(struct eng_spheres *spheres, eng_spheres_chunk *chunk,
                        const kept_contact *kept, const eng_spheres_pair *pairs, int count,
                        int index)
{
    eng_spheres_ghost *ghosts = spheres->walls.ghosts.block;
    int begin = ((const int *)spheres->store.kept_start.block)[chunk->first_slot];
    for (int first = 0; first < count; first += ENG_SPHERES_WIDTH, index++) {
        eng_spheres_block *block = &spheres->pass.blocks[index];
        int last_slot = chunk->end_slot - 1;
        const con_batch *batch = spheres->pass.terms[pairs[first].terms].batch;
        clear_block(spheres, block, batch->kept_count);
        block->terms = pairs[first].terms;
        for (int k = 0; k < ENG_SPHERES_WIDTH && first + k < count; k++) {
            const eng_spheres_pair *pair = &pairs[first + k];
            int i = chunk->first_slot + (pair->i & ~(ENG_SPHERES_FAR | ENG_SPHERES_DISTANT)),
                j = (int)pair->j, source = eng_spheres_source_of(&spheres->pass, j);
            fill_lane(spheres, i, pair, block, k);
            if (source >= spheres->table.slots)
                ghosts[j - spheres->table.slots - 2].pair_slot = index * ENG_SPHERES_WIDTH + k;
            else if (!(pair->i & ENG_SPHERES_DISTANT))
                last_slot = source > last_slot ? source : last_slot;
            int from = history_of(spheres, chunk, kept, i, j);
            if (from < 0)
                continue;
            carry_over(&kept[from - begin], block, k);
            carry_columns(spheres, batch, from, block, k);
            if (spheres->store.has_resistance && spheres->store.kept_moments)
                carry_resist((kept_resistance *)spheres->store.kept_resist.block + from,
                             eng_spheres_resist_of(spheres, block), k);
        }
        note_window(spheres, chunk, index, last_slot);
        chunk->slipping += block->slip != 0;
    }
}

static int key_of(const struct eng_spheres *spheres, const eng_spheres_pair *pair)
{
    return pair->terms + (pair->i & ENG_SPHERES_FAR ? 2 * spheres->store.terms_count : 0) +
           (pair->i & ENG_SPHERES_DISTANT ? spheres->store.terms_count : 0);
}

static int blocks_for(int pairs)
{
    return (pairs + ENG_SPHERES_WIDTH - 1) / ENG_SPHERES_WIDTH;
}

/// The last of the chunks on whose bodies the pairs of one act.
static void note_last(const struct eng_spheres *spheres, eng_spheres_chunk *chunk,
                      const eng_spheres_pair *pair)
{
    int slot = (int)pair->j;
    if (pair->j & ENG_SPHERES_CANDIDATE)
        slot = eng_spheres_candidate_source(spheres, slot & ~ENG_SPHERES_CANDIDATE);
    int of = slot / spheres->list.chunk_slots;
    if (slot >= spheres->table.slots)
        return;
    if (pair->i & ENG_SPHERES_DISTANT) {
        chunk->first_distant = of < chunk->first_distant ? of : chunk->first_distant;
        chunk->last_distant = of > chunk->last_distant ? of : chunk->last_distant;
    } else if (of > chunk->last_chunk)
        chunk->last_chunk = of;
}

cairn_status eng_spheres_pairs_sort(struct eng_spheres *spheres, eng_spheres_range *range,
                                    eng_spheres_chunk *chunk)
{
    int keys = 4 * spheres->store.terms_count, count = chunk->contacts;
    int *ends = (int *)spheres->list.counts.block + (range - spheres->list.range) * (keys + 1);
    // one more, so that there is an array where nothing touches
    BASE_TRY(base_array_reserve(&spheres->world->model.allocator, &range->pairs,
                                &range->pair_capacity, range->pair_count + count + 1));
    eng_spheres_pair *sorted = range->pairs + range->pair_count, *pairs = sorted - count;
    memset(ends, 0, ((size_t)keys + 1) * sizeof *ends);
    for (int i = 0; i < count; i++) {
        ends[key_of(spheres, &pairs[i]) + 1]++;
        note_last(spheres, chunk, &pairs[i]);
    }
    for (int key = 0; key < keys; key++) {
        chunk->end_block += blocks_for(ends[key + 1]);
        if (key < 2 * spheres->store.terms_count)
            chunk->far_block = chunk->end_block;
        chunk->end_segment += ends[key + 1] > 0;
        ends[key + 1] += ends[key];
    }
    for (int i = 0; i < count; i++)
        sorted[ends[key_of(spheres, &pairs[i])]++] = pairs[i];
    if (count > 0)
        memcpy(pairs, sorted, (size_t)count * sizeof *pairs);
    return CAIRN_OK;
}

/// Segments and blocks of one chunk from its sorted pairs.
static void fill_chunk(struct eng_spheres *spheres, eng_spheres_chunk *chunk,
                       const kept_contact *kept, const eng_spheres_pair *pairs)
{
    eng_spheres_segment *segment =
        (eng_spheres_segment *)spheres->store.segments.block + chunk->first_segment;
    int block = chunk->first_block, count = chunk->contacts;
    chunk->first_far_segment = chunk->first_segment;
    for (int begin = 0, end; begin < count; begin = end, segment++) {
        int key = key_of(spheres, &pairs[begin]);
        for (end = begin + 1; end < count && key_of(spheres, &pairs[end]) == key;)
            end++;
        fill_blocks(spheres, chunk, kept, pairs + begin, end - begin, block);
        int first = block;
        block += blocks_for(end - begin);
        *segment = (eng_spheres_segment){key % spheres->store.terms_count, first, block};
        chunk->first_far_segment += key < 2 * spheres->store.terms_count;
    }
    chunk->contacts = 0;
}

/// Index of the first history entry of a chunk, or of the end.
static int first_kept(const struct eng_spheres *spheres, int chunk)
{
    const int *start = spheres->store.kept_start.block;
    return chunk < spheres->list.chunk_count ? start[spheres->pass.chunks[chunk].first_slot]
                                             : spheres->store.kept_count;
}

/// Places of blocks, segments, ghosts and the pairs' walls from their numbers.
static void number_all(struct eng_spheres *spheres, int *segments, int *most_kept)
{
    int blocks = 0, ghosts = 0, before[2] = {0, 0};
    *segments = *most_kept = 0;
    for (int c = 0; c < spheres->list.chunk_count; c++) {
        eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        int kept = first_kept(spheres, c + 1) - first_kept(spheres, c);
        memcpy(chunk->before, before, sizeof before);
        before[0] += chunk->far_block;
        before[1] += chunk->end_block - chunk->far_block;
        chunk->first_block = blocks;
        chunk->far_block += blocks;
        chunk->first_segment = *segments;
        chunk->first_ghost = ghosts;
        blocks = chunk->end_block += blocks;
        *segments = chunk->end_segment += *segments;
        ghosts = chunk->end_ghost += ghosts;
        *most_kept = kept > *most_kept ? kept : *most_kept;
    }
    spheres->store.block_count = blocks;
}

/// Bytes from the begin of blocks of chunks [first, end) to their history, so that new blocks of a
/// chunk do not reach the history of later ones.
static size_t kept_offset(const struct eng_spheres *spheres, int first, int end)
{
    size_t most = 0;
    for (int c = first; c < end; c++) {
        int blocks = spheres->pass.chunks[c].end_block - spheres->pass.chunks[first].first_block;
        size_t used = (size_t)blocks * sizeof(eng_spheres_block);
        size_t kept = (size_t)(first_kept(spheres, c + 1) - first_kept(spheres, first)) *
                      sizeof(kept_contact);
        most = used > kept && used - kept > most ? used - kept : most;
    }
    return most;
}

/// Places for the history within the blocks, such that ranges do not meet; false where there are
/// none: contacts whose bodies are far apart by now.
static bool place_excluded(struct eng_spheres *spheres)
{
    for (int r = 0; r < spheres->list.ranges; r++) {
        eng_spheres_range *range = &spheres->list.range[r];
        int first = spheres->pass.chunks[range->first_chunk].first_block;
        int end = spheres->pass.chunks[range->end_chunk - 1].end_block;
        int kept = first_kept(spheres, range->end_chunk) - first_kept(spheres, range->first_chunk);
        size_t offset = kept_offset(spheres, range->first_chunk, range->end_chunk);
        range->kept_place = (size_t)first * sizeof(eng_spheres_block) + offset;
        if (offset + (size_t)kept * sizeof(kept_contact) >
            (size_t)(end - first) * sizeof(eng_spheres_block))
            return false;
    }
    return true;
}

/// The history behind what blocks need; ranges are filled one after the other.
static void place_together(struct eng_spheres *spheres)
{
    size_t offset = kept_offset(spheres, 0, spheres->list.chunk_count);
    for (int r = 0; r < spheres->list.ranges; r++)
        spheres->list.range[r].kept_place =
            offset +
            (size_t)first_kept(spheres, spheres->list.range[r].first_chunk) * sizeof(kept_contact);
}

static cairn_status reserve_blocks(struct eng_spheres *spheres, size_t kept_end, int segments,
                                   int most_kept)
{
    // one more, so that there is an address where there are none
    size_t blocks = (size_t)spheres->store.block_count,
           bytes = (blocks + 1) * sizeof(eng_spheres_block),
           aside = (size_t)(spheres->list.ranges * most_kept) + 1;
    const struct {
        eng_spheres_buffer *buffer;
        size_t bytes;
    } wanted[] = {
        {&spheres->store.blocks, kept_end > bytes ? kept_end : bytes},
        {&spheres->store.columns,
         blocks * (size_t)spheres->store.column_rows * sizeof *spheres->pass.columns},
        {&spheres->store.resist,
         spheres->store.has_resistance ? blocks * sizeof(eng_spheres_resist) : 0},
        {&spheres->store.segments, ((size_t)segments + 1) * sizeof(eng_spheres_segment)},
        {&spheres->store.kept_aside, aside * sizeof(kept_contact)},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        BASE_TRY(eng_spheres_reserve(spheres, wanted[i].buffer, wanted[i].bytes));
    spheres->pass.blocks = spheres->store.blocks.block;
    spheres->pass.columns = spheres->store.column_rows > 0 ? spheres->store.columns.block : NULL;
    spheres->pass.column_rows = spheres->store.column_rows;
    spheres->pass.resist = spheres->store.has_resistance ? spheres->store.resist.block : NULL;
    spheres->pass.segments = spheres->store.segments.block;
    return CAIRN_OK;
}

static bool is_plane_ghost(const struct eng_spheres *spheres, int slot)
{
    return slot >= spheres->table.slots &&
           slot < spheres->table.slots + 2 + spheres->walls.plane_ghosts;
}

/// Pairs of a chunk get the slots of their images, and of their ghosts, which were numbered within
/// the range. @param ghosts  of the range before the chunk
static void number_pairs(const struct eng_spheres *spheres, const eng_spheres_chunk *chunk,
                         int ghosts, eng_spheres_pair *pairs)
{
    for (int i = 0; i < chunk->contacts; i++)
        if (pairs[i].j & ENG_SPHERES_CANDIDATE)
            pairs[i].j =
                (unsigned)eng_spheres_image_slot(spheres, (int)pairs[i].j & ~ENG_SPHERES_CANDIDATE);
        else if (is_plane_ghost(spheres, (int)pairs[i].j))
            pairs[i].j += (unsigned)(chunk->first_ghost - ghosts);
}

/// The history of each chunk is put aside before blocks take its place.
static void fill_range(struct eng_spheres *spheres, int index)
{
    const eng_spheres_range *range = &spheres->list.range[index];
    size_t aside =
        spheres->store.kept_aside.capacity / sizeof(kept_contact) / (size_t)spheres->list.ranges;
    kept_contact *kept = (kept_contact *)spheres->store.kept_aside.block + (size_t)index * aside;
    const kept_contact *from =
        (const kept_contact *)(const void *)((const char *)spheres->store.blocks.block +
                                             range->kept_place);
    eng_spheres_pair *pairs = range->pairs;
    int ghosts = 0;
    for (int c = range->first_chunk; c < range->end_chunk; c++) {
        const eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        if (!eng_spheres_has_chunk(spheres, c))
            continue;
        number_pairs(spheres, chunk, ghosts, pairs);
        ghosts += chunk->end_ghost - chunk->first_ghost;
        int count = first_kept(spheres, c + 1) - first_kept(spheres, c);
        int pair_count = spheres->pass.chunks[c].contacts;
        if (count > 0)
            memcpy(kept, from, (size_t)count * sizeof *kept);
        fill_chunk(spheres, &spheres->pass.chunks[c], kept, pairs);
        pairs += pair_count;
        from += count;
    }
}

/// Moves the sorted history to the ranges' places, the last first: none is before where it was.
static void move_kept(struct eng_spheres *spheres)
{
    const kept_contact *kept = spheres->store.blocks.block;
    for (int r = spheres->list.ranges - 1; r >= 0; r--) {
        const eng_spheres_range *range = &spheres->list.range[r];
        int first = first_kept(spheres, range->first_chunk);
        size_t count = (size_t)(first_kept(spheres, range->end_chunk) - first);
        if (count > 0)
            memmove((char *)spheres->store.blocks.block + range->kept_place, kept + first,
                    count * sizeof *kept);
    }
}

static cairn_status fill_all(struct eng_spheres *spheres)
{
    int segments, most_kept;
    number_all(spheres, &segments, &most_kept);
    bool apart = place_excluded(spheres);
    if (!apart)
        place_together(spheres);
    size_t end = spheres->list.range[0].kept_place +
                 (size_t)spheres->store.kept_count * sizeof(kept_contact);
    BASE_TRY(reserve_blocks(spheres, apart ? 0 : end, segments, most_kept));
    move_kept(spheres);
    if (apart)
        eng_spheres_ranges_run(spheres, fill_range);
    for (int r = 0; r < spheres->list.ranges && !apart; r++)
        fill_range(spheres, r);
    spheres->store.kept_count = 0;
    spheres->store.kept_walls = spheres->store.kept_moments = false;
    spheres->store.kept_stride = 0;
    return CAIRN_OK;
}

cairn_status eng_spheres_blocks_make(struct eng_spheres *spheres)
{
    BASE_TRY(fill_all(spheres));
    eng_spheres_ranges_balance(spheres);
    return eng_spheres_sides_make(spheres);
}
