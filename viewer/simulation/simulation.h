// SPDX-License-Identifier: Apache-2.0
// A world that runs in its own thread, or a run that is played back there, and hands over whole
// frames, so that a slow step never freezes the window.
//
// The thread alone touches the world and the replay. The window posts orders and takes the newest
// frame; frames change hands by a swap of three buffers. A ring of past frames lets the window look
// back; the world itself only goes forward. Of a run all frames are "kept"; it starts at the first,
// and at the last it looks for more, for the run may be going on.
#ifndef CAIRN_VIEWER_SIMULATION_SIMULATION_H
#define CAIRN_VIEWER_SIMULATION_SIMULATION_H

#include "viewer/app/view.h"
#include "viewer/draw/frame.h"
#include "viewer/simulation/drives.h"

typedef struct view_simulation view_simulation;

typedef enum view_order_kind {
    VIEW_ORDER_PAUSE, // number: 1 pause, 0 go on
    VIEW_ORDER_STEP,  // number: steps, negative: back in what was kept
    VIEW_ORDER_SEEK,  // number: frames before the latest
    VIEW_ORDER_SPEED, // number: simulated seconds a second
    VIEW_ORDER_LOOP,  // number: 1: a run begins anew at its end
    // what follows is for a world alone; a replay says so
    VIEW_ORDER_SOLVER,    // text
    VIEW_ORDER_TIME_STEP, // number, s
    VIEW_ORDER_TOLERANCE, // number
    VIEW_ORDER_GRAVITY,   // vector, m/s2
    VIEW_ORDER_FRICTION,  // number: factor on the friction that the scene gave
    VIEW_ORDER_DRIVE,     // body: index of the drive, number: its value
    VIEW_ORDER_PULL,      // body, point (in the shape's frame), vector: where to, m
    VIEW_ORDER_RELEASE,   // body
    VIEW_ORDER_PLACE,     // body, vector and orientation of its shape's frame
    VIEW_ORDER_JOINT,     // body: index of the model's joint, number: its coordinate, rad or m
    VIEW_ORDER_PROBLEM    // text: path of an FCLIB file
} view_order_kind;

enum { VIEW_TEXT_MAX = 512 };

typedef struct view_order {
    view_order_kind kind;
    double number;
    vec3 vector, point;
    quat orientation;
    int body;
    char text[VIEW_TEXT_MAX];
} view_order;

/// What plots show of a step.
typedef struct view_sample {
    double time;                                              // s
    double kinetic, potential, elastic, dissipated, residual; // J
    double error;
    int iterations, contacts;
    double seconds[CAIRN_PHASE_COUNT];
} view_sample;

typedef struct view_simulation_state {
    bool paused;
    double speed;                // asked for
    double factor;               // reached: simulated seconds a second
    int kept, back;              // past frames; how far before the latest the shown one is
    double oldest, latest;       // s, times of the first and of the last frame kept
    bool failed;                 // a step failed: there is no going on
    bool replay;                 // a run, not a world
    char message[VIEW_TEXT_MAX]; // of the last order or failure
    int message_number;          // counts messages
    char solver[64];
    double tolerance, time_step, friction_scale, gravity[3];
    double time_step_start; // s, of the scene
    view_drives drives;
} view_simulation_state;

/// Starts the thread. The subject stays the caller's and must outlive it; world and replay are the
/// thread's until view_simulation_stop.
cairn_status view_simulation_start(view_simulation **simulation, const view_subject *subject,
                                   bool paused, cairn_error *error) CAIRN_CHECK_RESULT;

/// Waits for the step at hand.
void view_simulation_stop(view_simulation *simulation);

/// Holds the thread off the HDF5 library, which only one may use at a time, or lets it go on.
void view_simulation_hold_files(view_simulation *simulation, bool hold);

/// An order that does not fit into the queue is dropped.
void view_simulation_post(view_simulation *simulation, const view_order *order);

/// The newest frame, valid until the next call.
/// @param model  follows what the frame shows; of the caller, at first with an allocator alone
/// @return NULL where memory is short
const view_frame *view_simulation_frame(view_simulation *simulation, view_model *model);

view_simulation_state view_simulation_get_state(view_simulation *simulation);

/// What a sensor of the scene read, oldest first; of a run up to the shown frame, thinned out.
/// @param rows  [capacity][1 + columns of the sensor] time (s) and values; NAN: not read
/// @return rows written
int view_simulation_readings(view_simulation *simulation, int sensor, double *rows, int capacity);

/// Unit of what a sensor of the scene reads.
const char *view_simulation_unit(const view_simulation *simulation, int sensor);

/// The last samples, oldest first; of a run those up to the shown frame, thinned out.
/// @return number written
int view_simulation_samples(view_simulation *simulation, view_sample *samples, int capacity);

#endif
