// SPDX-License-Identifier: Apache-2.0
// Rows of bodies: what few of them have or several share, and how they are made, changed and given
// up.
#ifndef CAIRN_ENGINE_STATE_ROWS_H
#define CAIRN_ENGINE_STATE_ROWS_H

#include "engine/state/world.h"

/// Principal moments, kg m2.
static inline vec3 eng_inertia_of(const cairn_world *world, int body)
{
    const eng_body *b = &world->model.bodies.rows[body];
    return b->solid > 0 ? world->model.bodies.solids[b->solid - 1].inertia
                        : vec3_make(b->moment, b->moment, b->moment);
}

/// Placement of the shape's frame in the body's principal frame.
static inline pose eng_frame_of(const cairn_world *world, int body)
{
    int solid = world->model.bodies.rows[body].solid;
    return solid > 0 ? world->model.bodies.solids[solid - 1].frame : pose_identity();
}

/// Inverse of mass and inertia, zeros where not dynamic.
static inline void eng_mass_inverse_of(const cairn_world *world, int body, double inverse[6])
{
    double of_mass = 1.0 / world->model.bodies.rows[body].mass;
    vec3 inertia = eng_inertia_of(world, body);
    for (int k = 0; k < 3; k++) {
        inverse[k] = of_mass;
        inverse[k + 3] = 1.0 / vec3_get(inertia, k);
    }
}

/// Farthest point of the shape from the centre, m; INFINITY for a half-space.
static inline double eng_reach_of(const cairn_world *world, int body)
{
    const eng_body *b = &world->model.bodies.rows[body];
    if (b->shape < 0)
        return 0.0;
    return b->solid > 0 ? world->model.bodies.solids[b->solid - 1].reach
                        : world->model.shapes.rows[b->shape]->bounding_radius;
}

static inline int eng_collider_count_of(const cairn_world *world, int body)
{
    int shape = world->model.bodies.rows[body].shape;
    if (shape < 0)
        return 0;
    const geo_shape *is = world->model.shapes.rows[shape];
    return is->kind == GEO_COMPOUND ? is->compound.member_count : 1;
}

/// Whether a row has a body; others are fixed, without shape, name and mass.
static inline bool eng_body_is_live(const cairn_world *world, int body)
{
    return world->model.bodies.rows[body].shape >= 0 && world->model.bodies.rows[body].removed == 0;
}

/// One of a body's colliders, whether those are made or not.
typedef struct eng_part {
    const geo_shape *shape;
    pose place; // in the body's principal frame
} eng_part;

static inline eng_part eng_part_of(const cairn_world *world, int body, int index)
{
    const geo_shape *shape = world->model.shapes.rows[world->model.bodies.rows[body].shape];
    pose frame = eng_frame_of(world, body);
    if (shape->kind != GEO_COMPOUND)
        return (eng_part){shape, frame};
    return (eng_part){shape->compound.members[index],
                      pose_compose(&frame, &shape->compound.placements[index])};
}

static inline const eng_load *eng_load_of(const cairn_world *world, int body)
{
    static const eng_load none = {0};
    return world->state.bodies.loads != NULL ? &world->state.bodies.loads[body] : &none;
}

/// What acts on a body in this step: its load and what force fields add.
static inline const eng_load *eng_applied_of(const cairn_world *world, int body)
{
    return world->scratch.applied != NULL ? &world->scratch.applied[body]
                                          : eng_load_of(world, body);
}

/// What few bodies have; zeros where this one has none of it.
static inline eng_extra eng_extra_of(const cairn_world *world, int body)
{
    int extra = world->model.bodies.rows[body].extra;
    return extra > 0 ? world->model.bodies.extras[extra - 1] : (eng_extra){0};
}

/// The same to be written to, made where there is none; NULL when out of memory.
eng_extra *eng_extra_make(eng_world_model *model, int body);

/// Name, motion and other things that few bodies have go.
void eng_extra_drop(eng_world_model *model, int body);

/// Takes from a row what it shares with others; its colliders were dropped before.
void eng_body_clear(cairn_world *world, int body);

/// Rows up to this many, the new ones without a body, and room for their ids.
cairn_status eng_bodies_reserve(cairn_world *world, int rows) CAIRN_CHECK_RESULT;

/// A body in a free row, with the shape, material, kind, mass and colliders that `made` names; the
/// rest of it follows from the solid. Its id and state are still to be given.
cairn_status eng_body_make(cairn_world *world, int row, const eng_body *made,
                           const eng_solid *solid, const char *name) CAIRN_CHECK_RESULT;

/// The body of a row gets another kind, mass and principal moments.
cairn_status eng_body_change(cairn_world *world, int row, cairn_body_kind kind, double mass,
                             vec3 inertia) CAIRN_CHECK_RESULT;

/// Something is made or removed: after the first step this changes what a checkpoint has to hold.
void eng_population_changes(cairn_world *world);

#endif
