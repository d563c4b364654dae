// SPDX-License-Identifier: Apache-2.0
// A floor, a ball and a box: the world that the targets of files of a run read into.
#ifndef CAIRN_TESTS_FUZZ_SMALL_WORLD_H
#define CAIRN_TESTS_FUZZ_SMALL_WORLD_H

#include "tests/fuzz/fuzz.h"
#include <cairn/cairn.h>

static inline void small_world_add(cairn_world *world, cairn_shape_kind kind, double x)
{
    cairn_error error = {0};
    cairn_shape_def shape = cairn_default_shape_def(kind);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    shape.radius = 0.1;
    shape.half_size[0] = shape.half_size[1] = shape.half_size[2] = 0.1;
    body.kind = kind == CAIRN_HALFSPACE ? CAIRN_FIXED : CAIRN_DYNAMIC;
    body.position[0] = x;
    body.position[2] = kind == CAIRN_HALFSPACE ? 0.0 : 0.1;
    fuzz_demand(cairn_shape_create(world, &shape, &body.shape, &error) == CAIRN_OK &&
                    cairn_body_create(world, &body, &id, &error) == CAIRN_OK,
                "no body");
}

/// @param balls  a ball instead of the box, under a law with history
static inline cairn_world *small_world_make(bool balls)
{
    const cairn_material_id none = {0, 0};
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    cairn_error error = {0};
    fuzz_demand(cairn_world_create(&def, &world, &error) == CAIRN_OK, "no world");
    if (balls)
        fuzz_demand(cairn_pair_set_law(world, none, none, "hooke", &error) == CAIRN_OK &&
                        cairn_pair_set_value(world, none, none, "normal_stiffness",
                                             cairn_number(1e5), &error) == CAIRN_OK,
                    "no law");
    small_world_add(world, CAIRN_HALFSPACE, 0.0);
    small_world_add(world, CAIRN_SPHERE, 0.0);
    small_world_add(world, balls ? CAIRN_SPHERE : CAIRN_BOX, 0.195);
    return world;
}

static inline void small_world_steps(cairn_world *world, int count)
{
    cairn_error error = {0};
    for (int i = 0; i < count; i++)
        fuzz_demand(cairn_world_step(world, &error) == CAIRN_OK, "no step");
    fuzz_demand(cairn_world_validate(world, &error) == CAIRN_OK, "an invalid world");
}

#endif
