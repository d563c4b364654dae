// SPDX-License-Identifier: Apache-2.0
// cairn: worlds, their settings, and their energy and momentum.
#ifndef CAIRN_WORLD_H
#define CAIRN_WORLD_H

#include <cairn/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cairn_rotation {
    CAIRN_RIG_IMP,  // implicit: exact momentum, no energy drift (default)
    CAIRN_RIG_NEG,  // exact momentum
    CAIRN_RIG_POS,  // explicit second half, better phase, momentum drifts
    CAIRN_RIG_EXACT // free rotation to round-off: exact momentum and energy
} cairn_rotation;

/// Where several contacts close at once, theory.md section 3.
typedef enum cairn_impact {
    CAIRN_IMPACT_NEWTON,     // all at once, each with U = -e V (default)
    CAIRN_IMPACT_POISSON,    // compression, then restitution by e times its impulses
    CAIRN_IMPACT_SEQUENTIAL, // one contact after the other, the fastest first
    CAIRN_IMPACT_ENERGETIC   // likewise, restitution by e^2 of the energy of compression
} cairn_impact;

/// The settings of a world. A row is all that a setting needs beside its use: from it come the
/// member of cairn_world_def, its default and range, the key of simulation{} in a scene, the word
/// behind --simulation-set, the entry in resolved.json, and, where `counts` is true because results
/// depend on it, its part in the fingerprint of a checkpoint.
/// Members: scaled_weight is that of theory.md (4.13), which judges velocities, in the residual, so
/// that light bodies are held beside heavy ones; correction_slop 0 means 1e-5 of the smaller
/// body's smallest size; results do not depend on threads.
/// X(type, member, kind, key, unit, initial, minimum, maximum, words, counts, help)
#define CAIRN_WORLD_SETTINGS(X)                                                                    \
    X(double, time_step, REAL, "step", "s", 1.0 / 200.0, 1e-12, 10.0, NULL, true, "time step")     \
    X(cairn_rotation, rotation, CHOICE, "rotation", "", CAIRN_RIG_IMP, 0, 0, rotation_words, true, \
      "scheme of rotation")                                                                        \
    X(cairn_impact, impact, CHOICE, "impact", "", CAIRN_IMPACT_NEWTON, 0, 0, impact_words, true,   \
      "law of impacts where several implicit contacts close at once")                              \
    X(double, tolerance, REAL, "tolerance", "", 1e-6, 1e-16, 1.0, NULL, true,                      \
      "residual that a step must reach, theory.md (4.18)")                                         \
    X(double, scaled_weight, REAL, "scaled_weight", "", 0.01, 0.0, 1.0, NULL, true,                \
      "weight of the scaled residual, theory.md (4.13), in what must reach the tolerance")         \
    X(int, max_iterations, INTEGER, "max_iterations", "", 0, 0, INT_MAX, NULL, true,               \
      "iterations of the solver in a step; 0: the solver's own limit")                             \
    X(int, step_halvings, INTEGER, "step_halvings", "", 4, 0, 10, NULL, true,                      \
      "times that a step is halved whose solve ends above the tolerance; 0: never")                \
    X(double, time_limit, REAL, "solve_time_limit", "s", 0.0, 0.0, DBL_MAX, NULL, false,           \
      "wall clock that one solve may take; 0: no limit")                                           \
    X(bool, margin, BOOLEAN, "margin", "", true, 0, 1, NULL, true,                                 \
      "predictive contacts: one that would close in the step acts already, through gap/h")         \
    X(bool, correction, BOOLEAN, "correction", "", true, 0, 1, NULL, true,                         \
      "remove penetration after the velocity solve without adding velocity")                       \
    X(double, correction_slop, REAL, "correction_slop", "m", 0.0, 0.0, DBL_MAX, NULL, true,        \
      "penetration that is left alone; 0: chosen by the bodies' sizes")                            \
    X(bool, contact_motion, BOOLEAN, "contact_motion", "", false, 0, 1, NULL, true,                \
      "single contacts without restitution move on over their bodies to the end of the step")      \
    X(int, audit_every, INTEGER, "audit_every", "steps", 0, 0, INT_MAX, NULL, false,               \
      "with particle slots: steps between those whose energy rise the report has; 0: none")        \
    X(int, threads, INTEGER, "threads", "", 1, 1, 256, NULL, false,                                \
      "number of threads; results do not depend on it")

typedef struct cairn_world_def {
    double gravity[3]; // m/s2; default (0, 0, -9.81)
#define CAIRN_WORLD_MEMBER(type, member, ...) type member;
    CAIRN_WORLD_SETTINGS(CAIRN_WORLD_MEMBER)
#undef CAIRN_WORLD_MEMBER
    cairn_allocator allocator; // NULL function: the C library's; called by one thread at a time
    /// Told, by the thread that calls: warnings (a solve that ends above the tolerance: the
    /// first, the tenth, the hundredth ...), changes of the plan, checkpoints saved and restored.
    /// `text` lives during the call. It must not call the world's functions. NULL: silent
    void (*log)(void *context, cairn_log_level level, const char *text);
    void *log_context;
    uint32_t cookie;
} cairn_world_def;

CAIRN_API cairn_world_def cairn_default_world_def(void);

/// The rows of CAIRN_WORLD_SETTINGS for programs that read settings by name, 0 <= index < count;
/// `name` is the key.
CAIRN_API int cairn_world_def_setting_count(void);
CAIRN_API cairn_setting_info cairn_world_def_get_setting(int index);

/// @return CAIRN_ERROR_NOT_FOUND, with 0, where there is no such key
CAIRN_API cairn_status cairn_world_def_get_value(const cairn_world_def *def, const char *key,
                                                 cairn_value *value);

/// @return CAIRN_ERROR_NOT_FOUND for an unknown key, CAIRN_ERROR_ARGUMENT for a value out of
///         range or of a wrong type; the definition is as before then
CAIRN_API cairn_status cairn_world_def_set_value(cairn_world_def *def, const char *key,
                                                 cairn_value value,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;

CAIRN_API cairn_status cairn_world_create(const cairn_world_def *def, cairn_world **world,
                                          cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API void cairn_world_destroy(cairn_world *world);

/// The definition in force.
CAIRN_API const cairn_world_def *cairn_world_get_def(const cairn_world *world);

/// Changes between steps.
CAIRN_API cairn_status cairn_world_set_gravity(cairn_world *world, const double gravity[3],
                                               cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_world_set_tolerance(cairn_world *world, double tolerance,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;

/// Changes the time step, between steps. Contacts, joints and connectors keep the forces of the
/// last step: its impulses, from which the next solve starts, change in proportion. A checkpoint is
/// restored with the step that was in force when it was saved.
/// @return CAIRN_ERROR_ARGUMENT for a step that is not positive
CAIRN_API cairn_status cairn_world_set_time_step(cairn_world *world, double time_step,
                                                 cairn_error *error) CAIRN_CHECK_RESULT;

CAIRN_API double cairn_world_get_time(const cairn_world *world);
CAIRN_API int64_t cairn_world_get_step_count(const cairn_world *world);

// ---------------------------------------------------------------- energy and momentum

/// Accumulated since creation; kinetic + potential + elastic = initial + drivers + correction
/// + joints + population - dissipated, up to `residual`.
typedef struct cairn_energy {
    double kinetic;    // J
    double potential;  // J, of gravity, zero at the origin
    double elastic;    // J
    double drivers;    // J, work of moving bodies and applied forces
    double correction; // J, work of the position correction
    double impact;     // J dissipated by normal impact
    double friction;   // J dissipated by friction
    double damping;    // J dissipated by dashpots
    double plastic;    // J dissipated by plasticity and adhesion
    double joints;     // J, work of the constraints of joints, which should do none
    double population; // J, brought by what was made after the first step, less what was removed
    double residual;   // J, what does not add up
} cairn_energy;

CAIRN_API cairn_energy cairn_world_get_energy(const cairn_world *world);

/// Of all dynamic bodies: linear (kg m/s) and angular (kg m2/s, about the origin).
CAIRN_API void cairn_world_get_momentum(const cairn_world *world, double linear[3],
                                        double angular[3]);

/// Covers positions, velocities, contacts and history, bit by bit.
CAIRN_API uint64_t cairn_world_get_hash(const cairn_world *world);

/// Looks whether all that the world holds fits together: every number finite, every index within
/// its table, every reference met by the one it answers, lists in order. For tests, and to find a
/// mistake near where it was made; it costs about as much as a step.
/// @return CAIRN_OK, CAIRN_ERROR_NONFINITE or CAIRN_ERROR_INCONSISTENT with what does not fit
CAIRN_API cairn_status cairn_world_validate(const cairn_world *world,
                                            cairn_error *error) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
