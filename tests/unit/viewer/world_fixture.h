// SPDX-License-Identifier: Apache-2.0
// A small world with one shape of each kind, for the tests of the viewer.
#ifndef CAIRN_TESTS_VIEWER_WORLD_FIXTURE_H
#define CAIRN_TESTS_VIEWER_WORLD_FIXTURE_H

#include "tests/check.h"

#include "viewer/draw/frame.h"

typedef struct fixture {
    cairn_world *world;
    cairn_shape_id sphere, capsule, box, cylinder, hull, plane, compound, wall;
    view_model model;
    view_frame frame;
} fixture;

static inline cairn_shape_id add_shape(cairn_world *world, const cairn_shape_def *def)
{
    cairn_shape_id shape;
    cairn_error error = {0};
    if (cairn_shape_create(world, def, &shape, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    return shape;
}

static inline cairn_body_id add_body(cairn_world *world, cairn_shape_id shape, cairn_body_kind kind,
                                     double x, double y, double z)
{
    cairn_body_def def = cairn_default_body_def();
    cairn_body_id body;
    cairn_error error = {0};
    def.shape = shape;
    def.kind = kind;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    if (cairn_body_create(world, &def, &body, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    return body;
}

static inline void add_round_shapes(fixture *f)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
    def.radius = 0.5;
    f->sphere = add_shape(f->world, &def);
    def = cairn_default_shape_def(CAIRN_CAPSULE);
    def.radius = 0.2;
    def.half_length = 0.4;
    f->capsule = add_shape(f->world, &def);
    def = cairn_default_shape_def(CAIRN_CYLINDER);
    def.radius = 0.3;
    def.half_length = 0.25;
    f->cylinder = add_shape(f->world, &def);
}

static inline void add_flat_shapes(fixture *f)
{
    static const double tetrahedron[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    cairn_shape_def def = cairn_default_shape_def(CAIRN_BOX);
    def.half_size[0] = 0.3;
    def.half_size[1] = 0.4;
    def.half_size[2] = 0.5;
    f->box = add_shape(f->world, &def);
    def.half_size[0] = def.half_size[1] = 5.0;
    def.half_size[2] = 0.1;
    f->wall = add_shape(f->world, &def);
    def = cairn_default_shape_def(CAIRN_POLYHEDRON);
    def.points = tetrahedron;
    def.point_count = 4;
    f->hull = add_shape(f->world, &def);
    def = cairn_default_shape_def(CAIRN_HALFSPACE);
    f->plane = add_shape(f->world, &def);
}

/// Two spheres at x = -1 and 1, the second turned with its frame.
static inline void add_compound(fixture *f)
{
    const cairn_shape_id members[2] = {f->sphere, f->capsule};
    const double positions[2][3] = {{-1, 0, 0}, {1, 0, 0}};
    const double turned = sqrt(0.5);
    const double orientations[2][4] = {{1, 0, 0, 0}, {turned, turned, 0, 0}};
    cairn_shape_def def = cairn_default_shape_def(CAIRN_COMPOUND);
    def.members = members;
    def.member_positions = positions;
    def.member_orientations = orientations;
    def.member_count = 2;
    f->compound = add_shape(f->world, &def);
}

static inline void fixture_begin(fixture *f)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_error error = {0};
    *f = (fixture){0};
    assert_int_equal(cairn_world_create(&def, &f->world, &error), CAIRN_OK);
    add_round_shapes(f);
    add_flat_shapes(f);
    add_compound(f);
}

static inline void fixture_show(fixture *f)
{
    base_allocator allocator = base_allocator_default();
    cairn_error error = {0};
    assert_int_equal(view_model_build(&f->model, &allocator, f->world, &error), CAIRN_OK);
    f->frame = view_frame_begin(&allocator);
    assert_int_equal(view_frame_take(&f->frame, &f->model, f->world), CAIRN_OK);
}

static inline void fixture_end(fixture *f)
{
    view_model_finish(&f->model);
    view_frame_finish(&f->frame);
    cairn_world_destroy(f->world);
}

#endif
