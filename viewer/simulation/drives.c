// SPDX-License-Identifier: Apache-2.0
// Motors, servos and constant loads that are changed while a scene runs.
#include "viewer/simulation/drives.h"

#include <math.h>
#include <stdio.h>

static void add(view_drives *drives, view_drive drive, const char *name, const char *what)
{
    if (drives->count == VIEW_DRIVES_MAX)
        return;
    snprintf(drive.name, sizeof drive.name, "%.30s: %s", name, what);
    drives->items[drives->count++] = drive;
}

/// A slider of a motor reaches twice as far as what the scene asks for, to either side.
static void add_motor(view_drives *drives, cairn_joint_id joint, const cairn_joint_view *view,
                      const cairn_motor_view *motor)
{
    bool place = motor->law == CAIRN_MOTOR_POSITION, turns = view->kind == CAIRN_JOINT_HINGE;
    double asked = place ? motor->position : motor->velocity;
    double reach = fmax(2.0 * fabs(asked), place && turns ? M_PI : 1.0);
    const char *name = view->name[0] != '\0' ? view->name : "motor";
    view_drive drive = {
        .kind = place ? VIEW_DRIVE_POSITION : VIEW_DRIVE_VELOCITY,
        .unit = place ? (turns ? "rad" : "m") : (turns ? "rad/s" : "m/s"),
        .joint = joint,
        .minimum = -reach,
        .maximum = reach,
        .follows = motor->has_function,
    };
    add(drives, drive, name, place ? "position" : "speed");
    if (!isfinite(motor->limit))
        return;
    drive.kind = VIEW_DRIVE_LIMIT;
    drive.unit = turns ? "N m" : "N";
    drive.minimum = 0.0;
    drive.maximum = fmax(4.0 * motor->limit, 1.0);
    drive.follows = false;
    add(drives, drive, name, "limit");
}

/// A slider of a servo reaches twice as far as its target, or its force where it has none yet.
static void add_servo(view_drives *drives, int index, const cairn_servo_view *servo)
{
    double size = fmax(fabs(servo->target), fabs(servo->force));
    double reach = size > 0.0 ? 2.0 * size : 1.0;
    view_drive drive = {.kind = VIEW_DRIVE_SERVO,
                        .unit = servo->rate   ? "1/s"
                                : servo->cell ? "Pa"
                                              : "N",
                        .servo = index,
                        .minimum = servo->rate || servo->target < 0.0 ? -reach : 0.0,
                        .maximum = reach};
    add(drives, drive, servo->name, "target");
}

view_drives view_drives_find(const cairn_world *world)
{
    view_drives drives = {0};
    for (int i = 0; i < cairn_joint_count(world); i++) {
        cairn_joint_id joint = cairn_joint_at(world, i);
        cairn_joint_view view;
        cairn_motor_view motor;
        if (cairn_joint_get(world, joint, &view) == CAIRN_OK &&
            cairn_joint_get_motor(world, joint, &motor) == CAIRN_OK && motor.on)
            add_motor(&drives, joint, &view, &motor);
    }
    for (int i = 0; i < cairn_servo_count(world); i++) {
        cairn_servo_view servo;
        if (cairn_servo_get(world, i, &servo) == CAIRN_OK)
            add_servo(&drives, i, &servo);
    }
    for (int i = 0; drives.count < VIEW_DRIVES_MAX && i < cairn_body_count(world); i++) {
        view_drive drive = {.kind = VIEW_DRIVE_LOAD,
                            .unit = "times",
                            .body = cairn_body_at(world, i),
                            .value = 1.0,
                            .maximum = 3.0};
        double size = 0.0;
        cairn_body_view view;
        if (cairn_body_get_force(world, drive.body, drive.force, drive.torque) != CAIRN_OK ||
            cairn_body_get(world, drive.body, &view) != CAIRN_OK)
            continue;
        for (int axis = 0; axis < 3; axis++)
            size = fmax(size, fmax(fabs(drive.force[axis]), fabs(drive.torque[axis])));
        if (size > 0.0)
            add(&drives, drive, view.name[0] != '\0' ? view.name : "body", "load");
    }
    view_drives_read(&drives, world);
    return drives;
}

void view_drives_read(view_drives *drives, const cairn_world *world)
{
    for (int i = 0; i < drives->count; i++) {
        view_drive *drive = &drives->items[i];
        cairn_motor_view motor;
        cairn_servo_view servo;
        if (drive->kind == VIEW_DRIVE_SERVO &&
            cairn_servo_get(world, drive->servo, &servo) == CAIRN_OK) {
            drive->value = servo.target;
            drive->follows = servo.follows;
            // a function of time may ask for more than it did at first
            double reach = servo.follows ? 2.0 * fabs(servo.target) : 0.0;
            drive->maximum = fmax(drive->maximum, reach);
            drive->minimum = fmin(drive->minimum, servo.target < 0.0 ? -reach : 0.0);
        }
        if (drive->kind == VIEW_DRIVE_LOAD || drive->kind == VIEW_DRIVE_SERVO ||
            cairn_joint_get_motor(world, drive->joint, &motor) != CAIRN_OK)
            continue;
        drive->value = drive->kind == VIEW_DRIVE_LIMIT      ? motor.limit
                       : drive->kind == VIEW_DRIVE_POSITION ? motor.position
                                                            : motor.velocity;
        drive->follows = drive->kind != VIEW_DRIVE_LIMIT && motor.has_function;
    }
}

static cairn_status set_load(view_drive *drive, cairn_world *world, double factor,
                             cairn_error *error)
{
    double force[3], torque[3];
    for (int axis = 0; axis < 3; axis++) {
        force[axis] = factor * drive->force[axis];
        torque[axis] = factor * drive->torque[axis];
    }
    cairn_status status = cairn_body_set_force(world, drive->body, force, torque, error);
    if (status == CAIRN_OK)
        drive->value = factor;
    return status;
}

cairn_status view_drives_set(view_drives *drives, cairn_world *world, int drive, double value,
                             cairn_error *error)
{
    view_drive *chosen = &drives->items[drive];
    if (chosen->kind == VIEW_DRIVE_LOAD)
        return set_load(chosen, world, value, error);
    if (chosen->kind == VIEW_DRIVE_SERVO) {
        cairn_status set = cairn_servo_set_target(world, chosen->servo, value, error);
        view_drives_read(drives, world);
        return set;
    }
    cairn_motor_view motor;
    cairn_status status = cairn_joint_get_motor(world, chosen->joint, &motor);
    if (status == CAIRN_OK && chosen->follows)
        status = cairn_joint_set_motor_function(world, chosen->joint, NULL, NULL, error);
    if (status == CAIRN_OK && chosen->kind == VIEW_DRIVE_POSITION)
        status = cairn_joint_set_motor_position(world, chosen->joint, value, error);
    else if (status == CAIRN_OK)
        status =
            cairn_joint_set_motor(world, chosen->joint, true,
                                  chosen->kind == VIEW_DRIVE_VELOCITY ? value : motor.velocity,
                                  chosen->kind == VIEW_DRIVE_LIMIT ? value : motor.limit, error);
    view_drives_read(drives, world);
    return status;
}
