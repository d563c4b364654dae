// SPDX-License-Identifier: Apache-2.0
// Slots of the sphere executor change their places, with all that belongs to them.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/share/share.h"

#include <string.h>

/// One slot with all that moves along with it.
typedef struct moved_slot {
    double X[4], margin, constants[4];
    eng_spheres_motion motion;
    int id, wrap[3];
} moved_slot;

eng_spheres_motion eng_spheres_motion_take(const struct eng_spheres *spheres, int slot)
{
    eng_spheres_motion motion;
    memcpy(motion.V, spheres->pass.V[slot], sizeof motion.V);
    for (int k = 0; k < 4; k++)
        motion.turn[k] = spheres->pass.turn[slot / ENG_SPHERES_WIDTH][k][slot % ENG_SPHERES_WIDTH];
    return motion;
}

void eng_spheres_motion_put(struct eng_spheres *spheres, int slot, const eng_spheres_motion *motion)
{
    memcpy(spheres->pass.V[slot], motion->V, sizeof motion->V);
    for (int k = 0; k < 4; k++)
        spheres->pass.turn[slot / ENG_SPHERES_WIDTH][k][slot % ENG_SPHERES_WIDTH] = motion->turn[k];
}

/// Of lists made in parts velocities and orientations go from process to process, and constants are
/// read anew where they are needed.
static void take_slot(const struct eng_spheres *spheres, int slot, moved_slot *to)
{
    memcpy(to->X, spheres->pass.X[slot], sizeof to->X);
    if (!eng_spheres_is_parted(spheres)) {
        memcpy(to->constants, spheres->pass.constants[slot], sizeof to->constants);
        to->motion = eng_spheres_motion_take(spheres, slot);
    }
    to->margin = eng_spheres_margins(spheres)[slot];
    to->id = eng_spheres_ids(spheres)[slot];
    const int *wrap = eng_spheres_wrap_of(spheres, slot);
    if (wrap != NULL)
        memcpy(to->wrap, wrap, sizeof to->wrap);
}

static void put_slot(struct eng_spheres *spheres, int slot, const moved_slot *from)
{
    memcpy(spheres->pass.X[slot], from->X, sizeof from->X);
    if (!eng_spheres_is_parted(spheres)) {
        memcpy(spheres->pass.constants[slot], from->constants, sizeof from->constants);
        eng_spheres_motion_put(spheres, slot, &from->motion);
    }
    eng_spheres_margins(spheres)[slot] = from->margin;
    eng_spheres_ids(spheres)[slot] = from->id;
    int *wrap = eng_spheres_wrap_of(spheres, slot);
    if (wrap != NULL)
        memcpy(wrap, from->wrap, sizeof from->wrap);
}

void eng_spheres_slots_permute(struct eng_spheres *spheres)
{
    int *order = (int *)spheres->list.scratch.block + spheres->table.slots;
    for (int begin = 0; begin < spheres->table.slots; begin++) {
        if (order[begin] == begin)
            continue;
        moved_slot first, other;
        take_slot(spheres, begin, &first);
        int slot = begin;
        for (int next = order[slot]; next != begin; next = order[slot]) {
            take_slot(spheres, next, &other);
            put_slot(spheres, slot, &other);
            order[slot] = slot;
            slot = next;
        }
        put_slot(spheres, slot, &first);
        order[slot] = slot;
    }
    for (int slot = 0; slot < spheres->table.slots; slot++)
        eng_spheres_slot_note(spheres, eng_spheres_ids(spheres)[slot], slot);
}
