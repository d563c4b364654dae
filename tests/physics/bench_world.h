// SPDX-License-Identifier: Apache-2.0
// Worlds for physics tests: short ways to the public interface, every failure ends the test.
#ifndef CAIRN_TESTS_PHYSICS_BENCH_WORLD_H
#define CAIRN_TESTS_PHYSICS_BENCH_WORLD_H

#include "tests/check.h"
#include <cairn/cairn.h>

static inline void require(cairn_status status, const cairn_error *error)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error->message);
}

static inline cairn_world *make_world(const cairn_world_def *def)
{
    cairn_error error = {0};
    cairn_world *world;
    require(cairn_world_create(def, &world, &error), &error);
    return world;
}

/// Friction and restitution of the default pair.
static inline void set_contact(cairn_world *world, double friction, double restitution)
{
    cairn_error error = {0};
    cairn_material_id none = {0, 0};
    require(cairn_pair_set_value(world, none, none, "friction", cairn_number(friction), &error),
            &error);
    require(
        cairn_pair_set_value(world, none, none, "restitution", cairn_number(restitution), &error),
        &error);
}

static inline cairn_shape_id make_shape(cairn_world *world, const cairn_shape_def *def)
{
    cairn_error error = {0};
    cairn_shape_id shape;
    require(cairn_shape_create(world, def, &shape, &error), &error);
    return shape;
}

static inline cairn_body_id make_body(cairn_world *world, const cairn_body_def *def)
{
    cairn_error error = {0};
    cairn_body_id body;
    require(cairn_body_create(world, def, &body, &error), &error);
    return body;
}

/// The plane z = 0, fixed, outward normal +z.
static inline cairn_body_id add_ground(cairn_world *world)
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def body = cairn_default_body_def();
    body.kind = CAIRN_FIXED;
    body.shape = make_shape(world, &shape);
    return make_body(world, &body);
}

static inline cairn_shape_id box_shape(cairn_world *world, double x, double y, double z)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_BOX);
    def.half_size[0] = 0.5 * x;
    def.half_size[1] = 0.5 * y;
    def.half_size[2] = 0.5 * z;
    return make_shape(world, &def);
}

static inline cairn_shape_id sphere_shape(cairn_world *world, double radius)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
    def.radius = radius;
    return make_shape(world, &def);
}

static inline cairn_body_id add_body_at(cairn_world *world, cairn_shape_id shape, double x,
                                        double y, double z)
{
    cairn_body_def def = cairn_default_body_def();
    def.shape = shape;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    return make_body(world, &def);
}

static inline void set_velocity(cairn_world *world, cairn_body_id body, const double v[3],
                                const double omega[3])
{
    cairn_error error = {0};
    require(cairn_body_set_velocity(world, body, v, omega, &error), &error);
}

static inline void run_steps(cairn_world *world, int steps)
{
    cairn_error error = {0};
    for (int i = 0; i < steps; i++)
        require(cairn_world_step(world, &error), &error);
    require(cairn_world_validate(world, &error), &error);
}

static inline cairn_body_view look_at(const cairn_world *world, cairn_body_id body)
{
    cairn_body_view view = {0};
    assert_int_equal(cairn_body_get(world, body, &view), CAIRN_OK);
    return view;
}

#endif
