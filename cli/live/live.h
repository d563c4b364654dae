// SPDX-License-Identifier: Apache-2.0
// A scene that runs in a page: the calls of web/live/worker.js, built for WebAssembly alone.
//
// There is one scene at a time. Texts, arrays and frames are the scene's: each holds until the call
// that made it is made again or another scene is opened. After a failure live_error() says why.
#ifndef CAIRN_CLI_LIVE_LIVE_H
#define CAIRN_CLI_LIVE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

/// The state of a step; arrays one after the other, bodies in the order of the model.
typedef struct live_frame {
    int bodies, contacts;
    int changed;             // bodies came or went: live_model() first; nothing else is filled then
    float *position;         // [bodies][3] m
    float *velocity;         // [bodies][3] m/s
    float *turn;             // [bodies][4] x y z w
    int32_t *contact_bodies; // [contacts][2] numbers of A and B
    int32_t *contact_status; // [contacts]
    float *contact_point;    // [contacts][3] m
    float *contact_force;    // [contacts][3] N on B
} live_frame;

/// @param parameters  lines "name=value", cut up
/// @param law         for all pairs; "": as the scene says
/// @return cairn_status
int live_open(const char *path, char *parameters, const char *law);
const char *live_error(void);

/// JSON: program, title, end, step, parameters, headings of the sensors' columns.
const char *live_about(void);

/// JSON of what the bodies look like now, with the arrays that it names; "" on failure.
const char *live_model(void);
const void *live_arrays(void);
int live_arrays_size(void);

/// Makes steps up to a time (s), for so many seconds of the clock at most.
/// @return 0 there is more to do, 1 the time is reached, 2 the scene stops, < 0 a failure
int live_step(double until, double seconds);
double live_time(void);
double live_steps(void);
const char *live_hash(void);

/// NULL when out of memory.
const live_frame *live_take(void);

/// J: kinetic, potential, elastic, drivers, correction, impact, friction, damping, plastic, joints,
/// residual.
const double *live_energy(void);

/// In the order of live_about(); NULL when out of memory.
const double *live_sensors(void);

#endif
