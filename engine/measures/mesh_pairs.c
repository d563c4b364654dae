// SPDX-License-Identifier: Apache-2.0
// Pairs of meshes in a message.
#include "engine/measures/mesh_pairs.h"
#include "engine/state/exclusions.h"
#include "engine/state/world.h"

#include "engine/measures/finite.h"
#include "engine/space/space.h"

#include <inttypes.h>

cairn_status eng_mesh_pairs_explain(cairn_world *world, cairn_error *error)
{
    int count;
    const geo_pair *list = eng_space_pairs(world, &count);
    for (int i = 0; i < count && list != NULL; i++) {
        const eng_collider *a =
            &world->contacts.colliders.rows[world->contacts.broad.listed[list[i].first]];
        const eng_collider *b =
            &world->contacts.colliders.rows[world->contacts.broad.listed[list[i].second]];
        if (a->shape->kind != GEO_MESH || b->shape->kind != GEO_MESH ||
            eng_pair_is_idle(world, a->body, b->body))
            continue;
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "step %" PRId64 ": %s and %s, which may touch, are both meshes, and "
                         "contacts of two meshes are not computed: make one of them of convex "
                         "shapes (compound), or keep them apart by groups and mask",
                         world->state.clock.step_count + 1, eng_body_label(world, a->body).text,
                         eng_body_label(world, b->body).text);
    }
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                     "step %" PRId64 ": contacts of two meshes are not computed",
                     world->state.clock.step_count + 1);
}
