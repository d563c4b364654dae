// SPDX-License-Identifier: Apache-2.0
// cairn: laws and solvers by name, their settings, and one of them on one contact; part of cairn.h.
#ifndef CAIRN_LAW_H
#define CAIRN_LAW_H

#include <cairn/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------- values of settings

/// A setting's value as a scene or a command line gives it.
typedef enum cairn_value_type { CAIRN_NUMBER, CAIRN_BOOLEAN, CAIRN_TEXT } cairn_value_type;

typedef struct cairn_value {
    cairn_value_type type;
    double number;
    bool boolean;
    const char *text; // borrowed during the call
} cairn_value;

static inline cairn_value cairn_number(double number)
{
    cairn_value value = {CAIRN_NUMBER, number, false, 0};
    return value;
}

static inline cairn_value cairn_text(const char *text)
{
    cairn_value value = {CAIRN_TEXT, 0.0, false, text};
    return value;
}

/// One row of a table of laws, solvers or one-contact solvers, for listings.
typedef struct cairn_setting_info {
    const char *name, *type, *unit, *help; // type: "number", "integer", "boolean", "choice"
    double minimum, maximum;
    cairn_value initial;
    const char *const *choices; // NULL-terminated, for a choice; NULL otherwise
} cairn_setting_info;

typedef struct cairn_plugin_info {
    const char *name, *help;
    const char *kind; // laws: "cone" or "impulse"; "" otherwise
    int setting_count;
} cairn_plugin_info;

typedef enum cairn_plugin { CAIRN_LAW, CAIRN_SOLVER, CAIRN_LOCAL } cairn_plugin;

/// Number of laws, solvers or one-contact solvers; the first of each is the default.
CAIRN_API int cairn_plugin_count(cairn_plugin plugin);
CAIRN_API cairn_plugin_info cairn_plugin_get(cairn_plugin plugin, int index);
CAIRN_API cairn_setting_info cairn_plugin_setting(cairn_plugin plugin, int index, int setting);

// ---------------------------------------------------------------- one law on one state

enum { CAIRN_LAW_HISTORY_MAX = 8 };

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

typedef struct cairn_parameter {
    const char *name;
    cairn_value value;
} cairn_parameter;

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
    double history[CAIRN_LAW_HISTORY_MAX]; // in the order of cairn_law_history_name
    // contact quantities that stand for those of the bodies, contact frame; NULL: of the bodies
    const double (*W)[3]; // kg^-1, [3][3] rows (N, T1, T2)
    const double *V, *B;  // m/s, [3], at the begin and freely at the end; B is V without
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
CAIRN_API int cairn_law_history_count(const char *law);
CAIRN_API const char *cairn_law_history_name(const char *law, int index);

/// Evaluates one law on one contact of two bodies, docs/laws.md section 1.4. A cone law answers
/// with the impulse of the bodies' velocities alone (free velocity = V, no forces), restitution and
/// the gap as in a world.
/// @return CAIRN_ERROR_NOT_FOUND or CAIRN_ERROR_ARGUMENT for names and values
CAIRN_API cairn_status cairn_law_evaluate(const cairn_law_state *state,
                                          cairn_law_response *response,
                                          cairn_error *error) CAIRN_CHECK_RESULT;

/// u = W R + b of one contact, rows (N, T1, T2).
typedef struct cairn_local_state {
    const char *local;                 // NULL: the default one-contact solver
    double W[3][3];                    // kg^-1, positive definite as a quadratic form; default unit
    double b[3];                       // m/s; default (-1, 0, 0)
    double friction;                   // default 0.5
    double start[3];                   // N s; default 0
    const cairn_parameter *parameters; // [parameter_count] of the solver
    int parameter_count;
    uint32_t cookie;
} cairn_local_state;

typedef struct cairn_local_response {
    double R[3];        // N s
    double U[3];        // m/s, W R + b
    const char *status; // "open", "sticking", "sliding"
    int iterations;
    bool converged; // by the solver's own test
    double error;   // natural map in scaled form, theory.md (5.10)
} cairn_local_response;

CAIRN_API cairn_local_state cairn_default_local_state(void);

/// @return CAIRN_ERROR_NOT_FOUND or CAIRN_ERROR_ARGUMENT for names and values
CAIRN_API cairn_status cairn_local_evaluate(const cairn_local_state *state,
                                            cairn_local_response *response,
                                            cairn_error *error) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
