// SPDX-License-Identifier: Apache-2.0
// Worlds with joints for physics tests: bodies of given mass and moments, joints by short calls.
#ifndef CAIRN_TESTS_PHYSICS_JOINT_WORLD_H
#define CAIRN_TESTS_PHYSICS_JOINT_WORLD_H

#include "tests/physics/bench_world.h"

static inline cairn_world *joint_world(double h, double gravity)
{
    cairn_world_def def = cairn_default_world_def();
    def.time_step = h;
    def.gravity[0] = def.gravity[1] = 0.0;
    def.gravity[2] = -gravity;
    return make_world(&def);
}

/// A body of mass m and principal moments along the world axes at (x, y, z).
static inline cairn_body_id add_mass(cairn_world *world, double m, const double inertia[3],
                                     double x, double y, double z)
{
    cairn_body_def def = cairn_default_body_def();
    def.shape = sphere_shape(world, 0.01);
    def.mass = m;
    for (int k = 0; k < 3; k++)
        def.inertia[k] = inertia[k];
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    return make_body(world, &def);
}

static inline cairn_joint_def joint_def(cairn_joint_kind kind, cairn_body_id a, cairn_body_id b,
                                        double x, double y, double z)
{
    cairn_joint_def def = cairn_default_joint_def(kind);
    def.a = a;
    def.b = b;
    def.anchor[0] = x;
    def.anchor[1] = y;
    def.anchor[2] = z;
    return def;
}

static inline void set_axis(double axis[3], double x, double y, double z)
{
    axis[0] = x;
    axis[1] = y;
    axis[2] = z;
}

static inline cairn_joint_id make_joint(cairn_world *world, const cairn_joint_def *def)
{
    cairn_error error = {0};
    cairn_joint_id joint;
    require(cairn_joint_create(world, def, &joint, &error), &error);
    return joint;
}

static inline cairn_joint_view look_at_joint(const cairn_world *world, cairn_joint_id joint)
{
    cairn_joint_view view = {0};
    assert_int_equal(cairn_joint_get(world, joint, &view), CAIRN_OK);
    return view;
}

/// Hinge about y.
static inline cairn_joint_id hinge_y(cairn_world *world, cairn_body_id a, cairn_body_id b, double x,
                                     double y, double z)
{
    cairn_joint_def def = joint_def(CAIRN_JOINT_HINGE, a, b, x, y, z);
    set_axis(def.axis, 0.0, 1.0, 0.0);
    return make_joint(world, &def);
}

/// Largest violation of all joints.
static inline double worst_joint(const cairn_world *world)
{
    double worst = 0.0;
    for (int i = 0; i < cairn_joint_count(world); i++)
        worst = fmax(worst, look_at_joint(world, cairn_joint_at(world, i)).error);
    return worst;
}

#endif
