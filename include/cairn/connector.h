// SPDX-License-Identifier: Apache-2.0
// cairn: contacts between two given bodies through marker spheres.
#ifndef CAIRN_CONNECTOR_H
#define CAIRN_CONNECTOR_H

#include <cairn/law.h>
#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A contact between two given bodies of any shape: a marker sphere is fixed in each, and an
/// impulse law acts between the two spheres, docs/laws.md section 6.1.
typedef struct cairn_connector_def {
    const char *name; // copied, unique; NULL for none
    const char *law;  // default "exudyn_sphere"
    cairn_body_id bodies[2];
    double radii[2];        // m; one of them negative: a hollow sphere with the other inside
    double positions[2][3]; // m, of the markers in the frames of the bodies' shapes; default 0
    bool contacts; // true: the bodies make ordinary contacts besides; default false: the connector
                   // stands for all contacts between the two
    uint32_t cookie;
} cairn_connector_def;

CAIRN_API cairn_connector_def cairn_default_connector_def(void);

/// @return CAIRN_ERROR_NOT_FOUND for a law that there is not, CAIRN_ERROR_STALE_ID for a body,
///         CAIRN_ERROR_ARGUMENT for other mistakes
CAIRN_API cairn_status cairn_connector_create(cairn_world *world, const cairn_connector_def *def,
                                              cairn_connector_id *connector,
                                              cairn_error *error) CAIRN_CHECK_RESULT;
/// Between steps: one parameter of its law, e.g. "active_connector".
CAIRN_API cairn_status cairn_connector_set_value(cairn_world *world, cairn_connector_id connector,
                                                 const char *parameter, cairn_value value,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;
/// Value of a parameter of its law.
/// @return CAIRN_ERROR_STALE_ID or CAIRN_ERROR_NOT_FOUND, and 0 for a value
CAIRN_API cairn_status cairn_connector_get_value(const cairn_world *world,
                                                 cairn_connector_id connector,
                                                 const char *parameter,
                                                 cairn_value *value) CAIRN_CHECK_RESULT;
/// Between steps: one of the law's history (of exudyn_sphere: the data coordinates); all are 0 at
/// first.
CAIRN_API cairn_status cairn_connector_set_history(cairn_world *world, cairn_connector_id connector,
                                                   const char *name, double value,
                                                   cairn_error *error) CAIRN_CHECK_RESULT;

/// Between steps: removes a connector. Its bodies make ordinary contacts again.
/// @return CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD
CAIRN_API cairn_status cairn_connector_remove(cairn_world *world, cairn_connector_id connector,
                                              cairn_error *error) CAIRN_CHECK_RESULT;

/// Connectors that there are: 0 .. count-1, in order of creation, but the last one takes the place
/// of one that is removed.
CAIRN_API int cairn_connector_count(const cairn_world *world);
CAIRN_API cairn_connector_id cairn_connector_at(const cairn_world *world, int index);
CAIRN_API cairn_connector_id cairn_connector_find(const cairn_world *world, const char *name);

/// Forces, torques and history are of the last step (means over it; history as of its middle), the
/// rest is of now. Everything has its physical sign.
typedef struct cairn_connector_view {
    const char *name; // "" for none
    const char *law;
    cairn_body_id bodies[2];
    double radii[2];                       // m
    double positions[2][3];                // m, markers
    double gap;                            // m
    double normal[3];                      // unit normal from A to B
    double displacement[3];                // m, marker of B less marker of A
    double point[3];                       // m, halfway between the surfaces
    double velocity[3];                    // m/s, of B against A at the point
    bool closed;                           // in the last step
    double force[2][3];                    // N on A and on B
    double torque[2][3];                   // N m on A and B, about the markers
    double history[CAIRN_LAW_HISTORY_MAX]; // named by cairn_law_get_history_name
} cairn_connector_view;

CAIRN_API cairn_status cairn_connector_get(const cairn_world *world, cairn_connector_id connector,
                                           cairn_connector_view *view) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
