// SPDX-License-Identifier: Apache-2.0
// Motors, servos and constant loads of a scene that the window lets one change while it runs.
#ifndef CAIRN_VIEWER_SIMULATION_DRIVES_H
#define CAIRN_VIEWER_SIMULATION_DRIVES_H

#include "scenes/scene.h"

enum { VIEW_DRIVES_MAX = 16 };

typedef enum view_drive_kind {
    VIEW_DRIVE_VELOCITY, // of a motor
    VIEW_DRIVE_POSITION, // of a motor
    VIEW_DRIVE_LIMIT,    // of a motor
    VIEW_DRIVE_SERVO,    // its target
    VIEW_DRIVE_LOAD      // on a body, as a factor on what the scene gave
} view_drive_kind;

/// One number that can be changed.
typedef struct view_drive {
    view_drive_kind kind;
    char name[64];
    const char *unit;
    cairn_joint_id joint;    // of a motor
    int servo;               // its index
    cairn_body_id body;      // of a load
    double force[3];         // N, that the scene gave
    double torque[3];        // N m
    double value;            // as it is now
    double minimum, maximum; // that the window offers
    bool follows;            // a function of time sets it, until the window does
} view_drive;

typedef struct view_drives {
    view_drive items[VIEW_DRIVES_MAX]; // [count]
    int count;
} view_drives;

/// What a scene has: motors that are on, servos, and bodies with a constant load, as many as fit.
view_drives view_drives_find(const cairn_world *world);

/// Reads the values again.
void view_drives_read(view_drives *drives, const cairn_world *world);

/// Between steps: sets one; a function of time that set it is gone.
cairn_status view_drives_set(view_drives *drives, cairn_world *world, int drive, double value,
                             cairn_error *error) CAIRN_CHECK_RESULT;

#endif
