// SPDX-License-Identifier: Apache-2.0
// The large arrays of the sphere executor in a checkpoint, made part by part.
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/spheres.h"

#include <string.h>

static void copy_slot(const eng_spheres *spheres, int slot,
                      double to[ENG_SPHERES_RECORD_SLOT_WIDTH])
{
    const eng_spheres_pass *pass = &spheres->pass;
    const double(*turn)[8] = (const double(*)[8])pass->turn[slot / ENG_SPHERES_WIDTH];
    memcpy(to, pass->X[slot], sizeof *pass->X);
    memcpy(to + ENG_SPHERES_RECORD_ROW_V, pass->V[slot], sizeof *pass->V);
    for (int k = 0; k < 4; k++)
        to[ENG_SPHERES_RECORD_ROW_TURN + k] = turn[k][slot % ENG_SPHERES_WIDTH];
    for (int axis = 0; axis < 3; axis++)
        to[ENG_SPHERES_RECORD_ROW_REFERENCE + axis] = eng_spheres_reference(spheres, axis)[slot];
    to[ENG_SPHERES_RECORD_ROW_MARGIN] = eng_spheres_margins(spheres)[slot];
}

void eng_spheres_fill_bodies(const void *world, int64_t first, int64_t count, void *out)
{
    const eng_spheres *spheres = ((const cairn_world *)world)->spheres;
    memcpy(out, eng_spheres_ids(spheres) + first, (size_t)count * sizeof(int));
}

void eng_spheres_fill_slots(const void *world, int64_t first, int64_t count, void *out)
{
    const eng_spheres *spheres = ((const cairn_world *)world)->spheres;
    double(*to)[ENG_SPHERES_RECORD_SLOT_WIDTH] = out;
    for (int64_t i = 0; i < count; i++)
        copy_slot(spheres, (int)(first + i), to[i]);
}

void eng_spheres_fill_wraps(const void *world, int64_t first, int64_t count, void *out)
{
    const eng_spheres *spheres = ((const cairn_world *)world)->spheres;
    memcpy(out, eng_spheres_wrap_of(spheres, (int)first), (size_t)count * sizeof(int[3]));
}

void eng_spheres_fill_pairs(const void *world, int64_t first, int64_t count, void *out)
{
    const eng_spheres *spheres = ((const cairn_world *)world)->spheres;
    double(*to)[ENG_SPHERES_RECORD_PAIR_SLOT_WIDTH] = out;
    for (int64_t i = 0; i < count; i++) {
        const eng_spheres_block *block = &spheres->pass.blocks[(first + i) / ENG_SPHERES_WIDTH];
        int k = (int)((first + i) % ENG_SPHERES_WIDTH);
        for (int axis = 0; axis < 3; axis++) {
            to[i][axis] = block->spring[axis][k];
            to[i][axis + 3] = (double)block->lag_tangent[axis][k];
        }
        to[i][6] = (double)block->lag_normal[k];
    }
}

void eng_spheres_fill_acts(const void *world, int64_t first, int64_t count, void *out)
{
    const eng_spheres *spheres = ((const cairn_world *)world)->spheres;
    unsigned char *to = out;
    for (int64_t i = 0; i < count; i++) {
        const eng_spheres_block *block = &spheres->pass.blocks[(first + i) / ENG_SPHERES_WIDTH];
        const eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
        int k = (int)((first + i) % ENG_SPHERES_WIDTH);
        int acts = (block->touch >> k & 1 ? ENG_SPHERES_RECORD_TOUCHES : 0) |
                   (block->slip >> k & 1 ? ENG_SPHERES_RECORD_SLIPS : 0);
        if (resist != NULL)
            acts |= (resist->roll_slip >> k & 1 ? ENG_SPHERES_RECORD_ROLLS : 0) |
                    (resist->twist_slip >> k & 1 ? ENG_SPHERES_RECORD_TWISTS : 0);
        to[i] = (unsigned char)acts;
    }
}

void eng_spheres_fill_moments(const void *world, int64_t first, int64_t count, void *out)
{
    const eng_spheres *spheres = ((const cairn_world *)world)->spheres;
    double(*to)[ENG_SPHERES_RECORD_MOMENT_WIDTH] = out;
    for (int64_t i = 0; i < count; i++) {
        const eng_spheres_block *block = &spheres->pass.blocks[(first + i) / ENG_SPHERES_WIDTH];
        const eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
        int k = (int)((first + i) % ENG_SPHERES_WIDTH);
        for (int axis = 0; axis < 3; axis++) {
            to[i][axis] = resist->rolling[axis][k];
            to[i][axis + 4] = (double)resist->lag_rolling[axis][k];
        }
        to[i][3] = resist->twisting[k];
        to[i][7] = (double)resist->lag_twisting[k];
    }
}

void eng_spheres_fill_columns(const void *world, int64_t first, int64_t count, void *out)
{
    const eng_spheres *spheres = ((const cairn_world *)world)->spheres;
    double *to = out;
    for (int64_t i = 0; i < count; i++) {
        int64_t pair_slot = (first + i) / spheres->kept_rows,
                row = (first + i) % spheres->kept_rows;
        const eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
        to[i] = eng_spheres_columns(spheres, block)[row][pair_slot % ENG_SPHERES_WIDTH];
    }
}
