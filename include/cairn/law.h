// SPDX-License-Identifier: Apache-2.0
// cairn: one contact law on the state of one contact.
#ifndef CAIRN_LAW_H
#define CAIRN_LAW_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CAIRN_LAW_HISTORY_MAX = 24 };

/// A sphere, a plane (radius INFINITY) or a hollow sphere with the other body inside it (radius
/// negative), in the middle of a step with the velocities of its begin.
typedef struct cairn_law_body {
    double position[3];         // m; of a plane any point on it
    double velocity[3];         // m/s
    double angular_velocity[3]; // rad/s, world axes
    double radius;              // m
    double mass;                // kg; INFINITY where immobile
    double inertia;             // kg m2; 0: that of a solid sphere
} cairn_law_body;

typedef struct cairn_law_state {
    const char *law;            // NULL: the default law
    const char *local;          // one-contact solver of a cone law; NULL: the default
    cairn_law_body body[2];     // A and B; at most one of them not an ordinary sphere
    double plane_normal[3];     // out of the plane, any length; only with a plane
    double step;                // s
    bool instantaneous;         // impulse laws: the force of this state alone, without a look
                                // ahead over the step through W
    bool fresh;                 // first evaluation of a new contact; default true
    bool initial;               // a contact that is there in a world's first step
    double previous_impulse[3]; // N s, of the step before, contact frame
    double history[CAIRN_LAW_HISTORY_MAX]; // in the order of cairn_law_get_history_name
    // contact quantities that stand for those of the bodies, contact frame; NULL: of the bodies
    const double (*W)[3]; // kg^-1, [3][3] rows (N, T1, T2)
    const double *V, *B;  // m/s, [3], at t_n, and unconstrained at t_{n+1}; B is V without
    const double *gap;    // m
    const cairn_parameter *parameters; // [parameter_count]; the others have their defaults
    int parameter_count;
    uint32_t cookie;
} cairn_law_state;

/// What a law answers. Forces and torques are means over the step: impulse / step.
typedef struct cairn_law_response {
    double gap;          // m
    double frame[3][3];  // rows n (from A to B), t1, t2
    double point[3];     // m, halfway between the surfaces
    double velocity[3];  // m/s, V of B relative to A at the point, contact frame
    double impulse[3];   // N s, R on B, contact frame
    double force[2][3];  // N on A and on B, world axes
    double torque[2][3]; // N m about the centres of A and B, world axes, couples included
    double history[CAIRN_LAW_HISTORY_MAX];
    double elastic;  // J, impulse laws: stored in the springs
    double friction; // J, impulse laws: dissipated by slip of springs since the last call
    double plastic;  // J, impulse laws: dissipated by plasticity and adhesion since the last call
    double W[3][3];  // kg^-1, contact frame; zeros where instantaneous
    double velocity_end[3]; // m/s, cone laws: U that the impulse leaves
    int iterations;         // cone laws: of the one-contact solver
    bool converged;         // cone laws: it says so
    double error;           // cone laws: natural map in scaled form, theory.md (5.10); else 0
} cairn_law_response;

/// Two spheres of 10 mm and 2500 kg/m3 that overlap by 10 um, at rest; step 10 us.
CAIRN_API cairn_law_state cairn_default_law_state(void);

/// Number of doubles of history that a law keeps a contact, and the name of each.
CAIRN_API int cairn_law_get_history_count(const char *law);
CAIRN_API const char *cairn_law_get_history_name(const char *law, int index);

/// Evaluates one law on one contact of two bodies, docs/laws.md section 1.4. A cone law answers
/// with the impulse of the bodies' velocities alone (free velocity = V, no forces), restitution and
/// the gap as in a world.
/// @return CAIRN_ERROR_NOT_FOUND or CAIRN_ERROR_ARGUMENT for names and values
CAIRN_API cairn_status cairn_law_evaluate(const cairn_law_state *state,
                                          cairn_law_response *response,
                                          cairn_error *error) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
