// SPDX-License-Identifier: Apache-2.0
// Contacts that leave the sphere executor, because their law has no kernel any more, or none that
// takes clumps: the general passes go on with the history.
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/spheres.h"

#include <stdlib.h>

typedef struct eng_spheres eng_spheres;

/// Whether any law that had a kernel when the plan was made has none now.
static bool lost_kernel(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    for (int i = 0; i < world->surface_count; i++)
        if (eng_spheres_planned_terms(spheres, i)->batch != NULL &&
            !eng_spheres_has_kernel(&world->surfaces[i]))
            return true;
    return false;
}

/// Whether clumps have slots that they will not have by the laws of now.
static bool loses_clumps(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    for (int i = 0; i < world->surface_count && spheres->clump_count > 0; i++)
        if (!eng_spheres_law_takes_clumps(&world->surfaces[i]))
            return true;
    return false;
}

static cairn_status release(eng_spheres *spheres, const eng_spheres_block *block, int k)
{
    const cairn_world *world = spheres->world;
    eng_spheres_contact c = eng_spheres_contact_of(spheres, block, k);
    if (!eng_body_is_live(world, c.body[0]) || !eng_body_is_live(world, c.body[1]))
        return CAIRN_OK;
    cairn_status status =
        base_array_reserve(&world->allocator, &spheres->released, &spheres->released_capacity,
                           spheres->released_count + 1);
    if (status != CAIRN_OK)
        return status;
    bool flip = c.collider[0] > c.collider[1];
    eng_spheres_released *released = &spheres->released[spheres->released_count++];
    *released = (eng_spheres_released){
        .colliders = {c.collider[flip], c.collider[!flip]},
        .key = flip ? c.key >> 32 | c.key << 32 : c.key,
    };
    eng_spheres_history_write(spheres, eng_spheres_terms_of(spheres, block)->batch, block, k,
                              flip ? -1.0 : 1.0, released->history);
    return CAIRN_OK;
}

static int compare(const void *a, const void *b)
{
    const eng_spheres_released *x = a, *y = b;
    if (x->colliders.first != y->colliders.first)
        return x->colliders.first < y->colliders.first ? -1 : 1;
    if (x->colliders.second != y->colliders.second)
        return x->colliders.second < y->colliders.second ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

cairn_status eng_spheres_release_contacts(eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    cairn_status status = CAIRN_OK;
    // what an earlier plan of this step has released stays
    if (spheres->released_step != world->step_count)
        spheres->released_count = 0;
    spheres->released_step = world->step_count;
    if (spheres->block_count == 0 || !(lost_kernel(spheres) || loses_clumps(spheres)))
        return CAIRN_OK;
    for (int i = 0; i < spheres->block_count; i++) {
        const eng_spheres_block *block = &spheres->pass.blocks[i];
        for (unsigned bits = block->touch; bits != 0 && status == CAIRN_OK; bits &= bits - 1)
            status = release(spheres, block, __builtin_ctz(bits));
    }
    if (spheres->released_count > 0)
        qsort(spheres->released, (size_t)spheres->released_count, sizeof *spheres->released,
              compare);
    return status;
}

const double *eng_spheres_released_history(const cairn_world *world, geo_pair colliders,
                                           uint64_t key)
{
    const eng_spheres *spheres = world->spheres;
    if (spheres == NULL || spheres->released_count == 0 ||
        spheres->released_step != world->step_count)
        return NULL;
    const eng_spheres_released wanted = {.colliders = colliders, .key = key};
    const eng_spheres_released *found =
        bsearch(&wanted, spheres->released, (size_t)spheres->released_count,
                sizeof *spheres->released, compare);
    return found != NULL ? found->history : NULL;
}
