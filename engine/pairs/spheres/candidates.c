// SPDX-License-Identifier: Apache-2.0
// What may stand in the pair list of the sphere executor: which bodies are walls, which pairs are
// its own, and candidates as they are found.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/state/exclusions.h"
#include "engine/state/surfaces.h"
#include "engine/state/world.h"

bool eng_spheres_is_wall(const cairn_world *world, int body)
{
    const eng_body *b = &world->model.bodies.rows[body];
    if (b->kind == CAIRN_DYNAMIC || b->shape < 0 ||
        world->model.shapes.rows[b->shape]->kind == GEO_SPHERE)
        return false;
    // other shapes have images, which the general passes know
    return !world->state.cell.any || world->model.shapes.rows[b->shape]->kind == GEO_HALFSPACE;
}

bool eng_spheres_takes(const struct eng_spheres *spheres, int slot, int body)
{
    const cairn_world *world = spheres->world;
    int own = eng_spheres_slot_body(spheres, slot);
    if (own == body)
        return false;
    if (!spheres->meeting.all_covered &&
        !spheres->meeting
             .covered[eng_surface_of(world, own, body) - world->model.materials.surfaces])
        return false;
    return (world->model.bodies.excluded_count == 0 && world->model.connectors.count == 0 &&
            !world->model.bodies.filtered) ||
           !eng_pair_is_idle(world, own, body);
}

/// Surface of two bodies.
static unsigned short terms_of(const struct eng_spheres *spheres, int body_a, int body_b)
{
    const cairn_world *world = spheres->world;
    if (spheres->store.terms_count == 1)
        return 0;
    return (unsigned short)(eng_surface_of(world, body_a, body_b) -
                            world->model.materials.surfaces);
}

cairn_status eng_spheres_pair_add(struct eng_spheres *spheres, eng_spheres_range *range, int slot,
                                  int other, int body, bool far)
{
    bool image = (other & ENG_SPHERES_CANDIDATE) != 0;
    bool distant =
        image && eng_spheres_is_distant(spheres, slot, eng_spheres_slot_of(spheres, body));
    if (range->pair_count == range->pair_capacity)
        BASE_TRY(base_array_reserve(&spheres->world->model.allocator, &range->pairs,
                                    &range->pair_capacity, range->pair_count + 1));
    range->pairs[range->pair_count++] = (eng_spheres_pair){
        .j = (unsigned)other,
        .i = (unsigned short)(slot % spheres->list.chunk_slots + (far ? ENG_SPHERES_FAR : 0) +
                              (distant ? ENG_SPHERES_DISTANT : 0)),
        .terms = terms_of(spheres, eng_spheres_slot_body(spheres, slot), body),
    };
    return CAIRN_OK;
}
