// SPDX-License-Identifier: Apache-2.0
// Why many spheres or clumps of a world are not in the sphere executor, in words for its user.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/spheres.h"

#include "engine/state/surfaces.h"

#include <stdio.h>

// fewer are fast enough anywhere
enum { MANY = 500 };

/// Dynamic bodies that explicit laws move outside of the executor: how many, and one of them.
typedef struct outsiders {
    int count, example;
} outsiders;

static const eng_surface *own_surface(const cairn_world *world, int body, eng_surface *scratch)
{
    int material = world->bodies[body].material;
    return eng_surface_between(world, material, material, scratch);
}

static outsiders find_outsiders(const eng_spheres *spheres, bool clumps)
{
    const cairn_world *world = spheres->world;
    outsiders found = {0};
    for (int i = 0; i < world->body_count; i++) {
        bool whole = eng_spheres_may_hold(world, i);
        if (world->bodies[i].kind != CAIRN_DYNAMIC || clumps == whole ||
            eng_spheres_slot_of(spheres, i) != ENG_SPHERES_NO_SLOT)
            continue;
        if (clumps && (!eng_spheres_is_of_spheres(world, i) || eng_spheres_is_clump(spheres, i)))
            continue;
        eng_surface scratch;
        if (own_surface(world, i, &scratch)->law->impulse == NULL)
            continue;
        found.example = i;
        found.count++;
    }
    return found;
}

bool eng_spheres_advise(const cairn_world *world, char *text, size_t size)
{
    const eng_spheres *spheres = world->spheres;
    eng_surface scratch;
    for (int clumps = 0; clumps < 2; clumps++) {
        outsiders found = find_outsiders(spheres, clumps != 0);
        if (found.count < MANY)
            continue;
        const eng_surface *surface = own_surface(world, found.example, &scratch);
        int length =
            snprintf(text, size,
                     "%d %s move in the general passes, where the sphere executor would be "
                     "several times as fast: ",
                     found.count, clumps ? "clumps" : "spheres");
        size_t used = length < (int)size ? (size_t)length : size;
        if (clumps && world->cell.any && eng_spheres_law_takes_clumps(surface))
            snprintf(text + used, size - used, "it takes no clumps in a periodic cell");
        else
            snprintf(text + used, size - used, "the law \"%.40s\"%s has no kernel%s%s",
                     surface->law->name,
                     surface->law->batch != NULL ? " with these parameters" : "",
                     clumps ? " for clumps" : "",
                     clumps ? " (hooke and hertz_mindlin without rolling resistance have)"
                            : " (cairn list laws says which laws have one)");
        return true;
    }
    return false;
}
