// SPDX-License-Identifier: Apache-2.0
// cairn: worlds, their settings, and their energy and momentum.
#ifndef CAIRN_WORLD_H
#define CAIRN_WORLD_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cairn_rotation {
    CAIRN_RIG_IMP, // implicit: exact momentum, no energy drift (default)
    CAIRN_RIG_NEG, // exact momentum
    CAIRN_RIG_POS  // explicit second half, better phase, momentum drifts
} cairn_rotation;

typedef struct cairn_world_def {
    double gravity[3];       // m/s2; default (0, 0, -9.81)
    double time_step;        // s; default 1/200
    cairn_rotation rotation; // default RIG_IMP
    double tolerance;        // residual that a step must reach, theory.md (4.12); default 1e-6
    double scaled_weight; // weight of theory.md (4.13) in that residual; (4.13) does not depend on
                          // the unit of mass, so that light bodies are held too; default 0.01
    int max_iterations;   // of the solver in a step; 0: the solver's default
    double time_limit;    // s of wall clock for one solve; 0: none
    bool margin;          // take contacts up before they close, gap/h in the unilateral
                          // condition; default true
    bool correction;      // remove penetration after the velocity solve without adding velocity;
                          // default true
    double correction_slop;    // m, penetration left alone; default 0: 1e-5 of the smaller body's
                               // smallest size
    int threads;               // >= 1; results do not depend on it; default 1
    cairn_allocator allocator; // NULL function: the C library's; called by one thread at a time
    void (*log)(void *context, cairn_log_level level, const char *text); // NULL: silent
    void *log_context;
    uint32_t cookie;
} cairn_world_def;

CAIRN_API cairn_world_def cairn_default_world_def(void);

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
/// + joints - dissipated, up to `residual`.
typedef struct cairn_energy {
    double kinetic;    // J
    double potential;  // J, of gravity, zero at the origin
    double elastic;    // J
    double drivers;    // J, work of moving bodies and applied forces
    double correction; // J, potential energy given by the position correction
    double impact;     // J dissipated by normal impact
    double friction;   // J dissipated by friction
    double damping;    // J dissipated by dashpots
    double plastic;    // J dissipated by plasticity and adhesion
    double joints;     // J, work of the constraints of joints, which should do none
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
