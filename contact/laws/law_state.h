// SPDX-License-Identifier: Apache-2.0
// A contact law on an explicit state of two spheres, without a world.
#ifndef CAIRN_CONTACT_LAWS_LAW_STATE_H
#define CAIRN_CONTACT_LAWS_LAW_STATE_H

#include "contact/laws/law.h"

/// A sphere, a plane (radius INFINITY) or a hollow sphere with the other body inside it (radius
/// negative).
typedef struct con_law_body {
    vec3 position;         // m; of a plane any point on it
    vec3 velocity;         // m/s
    vec3 angular_velocity; // rad/s, world
    double radius;         // m
    double mass;           // kg; INFINITY where immobile
    double inertia;        // kg m2; 0 for that of a solid sphere
} con_law_body;

typedef struct con_law_state {
    con_law_body body[2];            // A and B; at most one of them not an ordinary sphere
    vec3 plane_normal;               // unit, out of the plane; only with a plane
    double step;                     // h, s
    bool instantaneous;              // the force of this state alone, with no look ahead over the
                                     // step (W = 0, B = V)
    bool fresh;                      // first evaluation of a new contact
    bool initial;                    // see con_impulse_input
    double R_previous[3];            // N s, see con_impulse_input
    double history[CON_HISTORY_MAX]; // in
    // contact quantities that stand for those of the bodies, contact frame; NULL: of the bodies
    const double (*W)[3]; // kg^-1, [3][3]
    const double *V, *B;  // m/s, [3]; B is V where only V is given
    const double *gap;    // m
} con_law_state;

/// Force and torque are means over the step: impulse / h.
typedef struct con_law_response {
    double gap;                      // m
    vec3 normal;                     // normal, from A to B
    vec3 point;                      // m, halfway between the surfaces
    vec3 velocity;                   // m/s of B relative to A at the point
    vec3 force[2];                   // N on A and on B (opposite)
    vec3 torque[2];                  // N m about the centres of A and B, couples included
    double history[CON_HISTORY_MAX]; // out
    con_impulse_input input;         // what the law was given
    con_impulse_output output;       // what it answered
} con_law_response;

/// Evaluates an impulse law. Bodies without orientation: the law sees what a world would show it
/// when the state is the midpoint configuration with the velocities of the step's begin. Centres
/// that coincide have the normal (0, 0, 0) replaced by (1, 0, 0).
/// @param parameters  struct of law->table
/// @return CAIRN_OK; CAIRN_ERROR_UNSUPPORTED for a cone law; CAIRN_ERROR_ARGUMENT for radii or a
///         step that make no contact
cairn_status con_law_evaluate(const con_law *law, const void *parameters,
                              const con_law_state *state, con_law_response *response,
                              cairn_error *error) CAIRN_CHECK_RESULT;

/// What con_law_evaluate gives the law, for callers with another use of it (B = V: no forces).
/// @return CAIRN_OK or CAIRN_ERROR_ARGUMENT as con_law_evaluate
cairn_status con_law_state_input(const con_law_state *state, con_impulse_input *input,
                                 cairn_error *error) CAIRN_CHECK_RESULT;

/// Forces and torques of an impulse R (N s on B, contact frame) and of couples (N m s), and the
/// geometry, into the response; `input` and `output` of it are read.
void con_law_state_respond(const con_law_state *state, con_law_response *response);

/// Gap, normal from A to B, and the point halfway, of two bodies as above.
void con_law_state_contact(const con_law_state *state, double *gap, vec3 *normal, vec3 *point);

#endif
