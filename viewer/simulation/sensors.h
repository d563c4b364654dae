// SPDX-License-Identifier: Apache-2.0
// Readings of a scene's sensors over time, the latest ones of a ring.
#ifndef CAIRN_VIEWER_SIMULATION_SENSORS_H
#define CAIRN_VIEWER_SIMULATION_SENSORS_H

#include "scenes/scene.h"
#include "viewer/draw/model.h"

typedef struct view_sensors {
    base_allocator allocator;
    int width;          // of a row: time (s), then the columns of all sensors
    int capacity;       // rows
    double *rows;       // [capacity][width], a ring; NULL where the scene has no sensor
    double *now;        // [width] the row that is being read
    int64_t count;      // rows ever taken
    const char **units; // [sensors of the scene]
} view_sensors;

cairn_status view_sensors_begin(view_sensors *sensors, const scn_scene *scene,
                                int capacity) CAIRN_CHECK_RESULT;
void view_sensors_finish(view_sensors *sensors);

/// What the scene's sensors look at, into a model that is drawn.
cairn_status view_sensors_mark(const scn_scene *scene, view_model *model) CAIRN_CHECK_RESULT;

/// Reads all sensors into `now`; what cannot be read is NAN.
void view_sensors_read(view_sensors *sensors, const scn_scene *scene);
/// Puts `now` into the ring.
void view_sensors_keep(view_sensors *sensors);

/// Columns of the sensors before one, which is where its own begin behind the time.
int view_sensors_first_column(const scn_scene *scene, int sensor);

#endif
