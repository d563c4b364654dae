// SPDX-License-Identifier: Apache-2.0
// cairn: bodies, their state and the forces on them.
#ifndef CAIRN_BODY_H
#define CAIRN_BODY_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cairn_body_kind {
    CAIRN_DYNAMIC, // moved by forces
    CAIRN_FIXED,   // never moves
    CAIRN_MOVING   // follows its prescribed velocity whatever the forces
} cairn_body_kind;

typedef struct cairn_body_def {
    cairn_body_kind kind;
    cairn_shape_id shape;
    cairn_material_id material; // null: the first material, made on demand
    double position[3];         // m, of the shape's frame
    double orientation[4];      // of the shape's frame
    double velocity[3];         // m/s, of the centre of mass
    double angular_velocity[3]; // rad/s, world axes
    double density;             // kg/m3; used where mass is 0; 0: the material's
    double mass;                // kg; 0: from density and volume, which an open mesh has none of
    double inertia[3];          // kg m2, about the principal axes; zeros: from the shape. None
                                // is larger than the sum of the two others
    const double *products;     // kg m2, products of inertia xy, xz, yz (tensor entries): with them
                                // `inertia` is xx, yy, zz about the centre in axes of the shape's
                                // frame; NULL: it is principal
    const double *centre;       // m, centre of mass in the shape's frame; NULL: the shape's own
    const char *name;           // copied; NULL for none
    uint32_t cookie;
} cairn_body_def;

CAIRN_API cairn_body_def cairn_default_body_def(void);
CAIRN_API cairn_status cairn_body_create(cairn_world *world, const cairn_body_def *def,
                                         cairn_body_id *body,
                                         cairn_error *error) CAIRN_CHECK_RESULT;

/// Between steps: removes a body, with its joints and connectors. Contacts of the last step can be
/// read until the next one. The energy that goes is booked as `population`. The call costs the same
/// however many bodies, contacts and shapes there are.
/// @return CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD; CAIRN_ERROR_MEMORY with the body still there
/// Tests: tests/unit/engine/test_removal.c
CAIRN_API cairn_status cairn_body_remove(cairn_world *world, cairn_body_id body,
                                         cairn_error *error) CAIRN_CHECK_RESULT;

/// Between steps: a dynamic body becomes a fixed one where it is, until it is released. Its kinetic
/// and potential energy, and the elastic energy of its contacts with others that cannot move, leave
/// the audit as `population`.
/// @return CAIRN_ERROR_ARGUMENT for a body that is not dynamic or has joints or connectors;
///         CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD; CAIRN_ERROR_MEMORY with the body as it was
/// Tests: tests/unit/engine/actions/test_freeze.c
CAIRN_API cairn_status cairn_body_freeze(cairn_world *world, cairn_body_id body,
                                         cairn_error *error) CAIRN_CHECK_RESULT;

/// Between steps: a frozen body becomes a dynamic one again, with the mass it had, at rest. Energy
/// that comes is booked as `population`.
/// @return CAIRN_ERROR_ARGUMENT for a body that is not frozen; others as cairn_body_freeze
CAIRN_API cairn_status cairn_body_release(cairn_world *world, cairn_body_id body,
                                          cairn_error *error) CAIRN_CHECK_RESULT;
/// Also false for an id that no body has.
CAIRN_API bool cairn_body_is_frozen(const cairn_world *world, cairn_body_id body);

/// Bodies that there are: 0 .. count-1, in order of creation, but the last one takes the place of
/// one that is removed.
CAIRN_API int cairn_body_count(const cairn_world *world);
CAIRN_API cairn_body_id cairn_body_at(const cairn_world *world, int index);
CAIRN_API cairn_body_id cairn_body_find(const cairn_world *world, const char *name);

typedef struct cairn_body_view {
    cairn_body_kind kind;
    cairn_shape_id shape;
    cairn_material_id material;
    const char *name;           // "" for none
    double position[3];         // of the shape's frame
    double orientation[4];      // of the shape's frame
    double centre[3];           // m, centre of mass
    double velocity[3];         // of the centre of mass
    double angular_velocity[3]; // world axes
    double mass;                // INFINITY where not dynamic
    double inertia[3];          // principal
    double kinetic_energy;      // J
} cairn_body_view;

CAIRN_API cairn_status cairn_body_get(const cairn_world *world, cairn_body_id body,
                                      cairn_body_view *view) CAIRN_CHECK_RESULT;

/// Between steps: place a body, or set its velocity (for a moving body: the prescribed one).
CAIRN_API cairn_status cairn_body_set_pose(cairn_world *world, cairn_body_id body,
                                           const double position[3], const double orientation[4],
                                           cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_body_set_velocity(cairn_world *world, cairn_body_id body,
                                               const double velocity[3],
                                               const double angular_velocity[3],
                                               cairn_error *error) CAIRN_CHECK_RESULT;
/// Force (N) and torque (N m, world axes) on a body in the next steps, until changed; booked as
/// work of drivers.
CAIRN_API cairn_status cairn_body_set_force(cairn_world *world, cairn_body_id body,
                                            const double force[3], const double torque[3],
                                            cairn_error *error) CAIRN_CHECK_RESULT;
/// What cairn_body_set_force has set; zeros at first. Force fields are not in it.
/// @return CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD, with zeros
CAIRN_API cairn_status cairn_body_get_force(const cairn_world *world, cairn_body_id body,
                                            double force[3], double torque[3]) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
