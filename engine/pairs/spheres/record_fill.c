// SPDX-License-Identifier: Apache-2.0
// The large arrays of the sphere executor in a checkpoint, made part by part.
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/world.h"

#include <string.h>

enum { PART_ELEMENTS = 1 << 13 }; // whose rows are brought together

/// Calls `copy` for the elements [first, first + count) of an array; the rows that they are in are
/// brought before.
/// @param each  elements of a row
/// @param size  bytes of an element
static bool fill_parts(const eng_spheres *spheres, eng_spheres_part part, int each, int64_t first,
                       int64_t count, unsigned char *out, size_t size,
                       void (*copy)(const eng_spheres *spheres, int64_t element, void *to))
{
    for (int64_t from = first, end; from < first + count; from = end) {
        end = from + PART_ELEMENTS < first + count ? from + PART_ELEMENTS : first + count;
        if (!eng_spheres_share_bring(spheres, part, (int)(from / each),
                                     (int)((end + each - 1) / each)))
            return false;
        for (int64_t i = from; i < end; i++)
            copy(spheres, i, out + (size_t)(i - first) * size);
    }
    return true;
}

bool eng_spheres_fill_bodies(const void *world, int64_t first, int64_t count, void *out)
{
    const eng_spheres *spheres = ((const cairn_world *)world)->state.spheres;
    memcpy(out, eng_spheres_ids(spheres) + first, (size_t)count * sizeof(int));
    return true;
}

static void copy_slot(const eng_spheres *spheres, int64_t slot, void *out)
{
    const eng_spheres_pass *pass = &spheres->pass;
    const double(*turn)[8] = (const double(*)[8])pass->turn[slot / ENG_SPHERES_WIDTH];
    double *to = out;
    memcpy(to, pass->X[slot], sizeof *pass->X);
    memcpy(to + ENG_SPHERES_RECORD_ROW_V, pass->V[slot], sizeof *pass->V);
    for (int k = 0; k < 4; k++)
        to[ENG_SPHERES_RECORD_ROW_TURN + k] = turn[k][slot % ENG_SPHERES_WIDTH];
    for (int axis = 0; axis < 3; axis++)
        to[ENG_SPHERES_RECORD_ROW_REFERENCE + axis] = eng_spheres_reference(spheres, axis)[slot];
    to[ENG_SPHERES_RECORD_ROW_MARGIN] = eng_spheres_margins(spheres)[slot];
}

bool eng_spheres_fill_slots(const void *world, int64_t first, int64_t count, void *out)
{
    return fill_parts(((const cairn_world *)world)->state.spheres, ENG_SPHERES_PART_LIST, 1, first,
                      count, out, sizeof(double[ENG_SPHERES_RECORD_SLOT_WIDTH]), copy_slot);
}

bool eng_spheres_fill_wraps(const void *world, int64_t first, int64_t count, void *out)
{
    const eng_spheres *spheres = ((const cairn_world *)world)->state.spheres;
    memcpy(out, eng_spheres_wrap_of(spheres, (int)first), (size_t)count * sizeof(int[3]));
    return true;
}

static void copy_pair(const eng_spheres *spheres, int64_t pair_slot, void *out)
{
    const eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
    int k = (int)(pair_slot % ENG_SPHERES_WIDTH);
    double *to = out;
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = block->spring[axis][k];
        to[axis + 3] = (double)block->lag_tangent[axis][k];
    }
    to[6] = (double)block->lag_normal[k];
}

bool eng_spheres_fill_pairs(const void *world, int64_t first, int64_t count, void *out)
{
    return fill_parts(((const cairn_world *)world)->state.spheres, ENG_SPHERES_PART_PAIRS,
                      ENG_SPHERES_WIDTH, first, count, out,
                      sizeof(double[ENG_SPHERES_RECORD_PAIR_SLOT_WIDTH]), copy_pair);
}

static void copy_acts(const eng_spheres *spheres, int64_t pair_slot, void *out)
{
    const eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
    const eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
    int k = (int)(pair_slot % ENG_SPHERES_WIDTH);
    int acts = (block->touch >> k & 1 ? ENG_SPHERES_RECORD_TOUCHES : 0) |
               (block->slip >> k & 1 ? ENG_SPHERES_RECORD_SLIPS : 0);
    if (resist != NULL)
        acts |= (resist->roll_slip >> k & 1 ? ENG_SPHERES_RECORD_ROLLS : 0) |
                (resist->twist_slip >> k & 1 ? ENG_SPHERES_RECORD_TWISTS : 0);
    *(unsigned char *)out = (unsigned char)acts;
}

bool eng_spheres_fill_acts(const void *world, int64_t first, int64_t count, void *out)
{
    return fill_parts(((const cairn_world *)world)->state.spheres, ENG_SPHERES_PART_PAIRS,
                      ENG_SPHERES_WIDTH, first, count, out, 1, copy_acts);
}

static void copy_moments(const eng_spheres *spheres, int64_t pair_slot, void *out)
{
    const eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
    const eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
    int k = (int)(pair_slot % ENG_SPHERES_WIDTH);
    double *to = out;
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = resist->rolling[axis][k];
        to[axis + 4] = (double)resist->lag_rolling[axis][k];
    }
    to[3] = resist->twisting[k];
    to[7] = (double)resist->lag_twisting[k];
}

bool eng_spheres_fill_moments(const void *world, int64_t first, int64_t count, void *out)
{
    return fill_parts(((const cairn_world *)world)->state.spheres, ENG_SPHERES_PART_PAIRS,
                      ENG_SPHERES_WIDTH, first, count, out,
                      sizeof(double[ENG_SPHERES_RECORD_MOMENT_WIDTH]), copy_moments);
}

static void copy_column(const eng_spheres *spheres, int64_t element, void *out)
{
    int64_t pair_slot = element / spheres->store.kept_rows,
            row = element % spheres->store.kept_rows;
    const eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
    *(double *)out = eng_spheres_columns(spheres, block)[row][pair_slot % ENG_SPHERES_WIDTH];
}

bool eng_spheres_fill_columns(const void *world, int64_t first, int64_t count, void *out)
{
    const eng_spheres *spheres = ((const cairn_world *)world)->state.spheres;
    return fill_parts(spheres, ENG_SPHERES_PART_PAIRS, ENG_SPHERES_WIDTH * spheres->store.kept_rows,
                      first, count, out, sizeof(double), copy_column);
}
