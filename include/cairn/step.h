// SPDX-License-Identifier: Apache-2.0
// cairn: time steps, what the last one did, and what limits the next one.
#ifndef CAIRN_STEP_H
#define CAIRN_STEP_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Advances by one time step. Where a solve ends above the tolerance the step is made in shorter
/// pieces (`step_halvings` of the world's definition); what ends above it even so is done with the
/// best point found and says so in the report and in the log. Non-finite state stops with the
/// body's identity.
/// @return CAIRN_INTERRUPTED after cairn_world_interrupt
CAIRN_API cairn_status cairn_world_step(cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;

/// Asks for an end of the step that is going on, or of the next one where none is: it returns
/// CAIRN_INTERRUPTED, and the world stays at the last whole step, or, of a step in pieces, at the
/// last whole piece: the next call makes the rest. It can then be saved and stepped on, with the
/// same bits as if it had not been interrupted; the problem and the report of the last step are
/// gone. A solve ends within its current iteration, other parts of a step are finished. A solve
/// that acts on spheres in particle slots is finished too, and the next step is the one that is
/// interrupted. May be called from a signal handler and from any thread, during a step and at any
/// other time while the world is there. Nothing for NULL. Tests: tests/regress/test_interrupt.c
CAIRN_API void cairn_world_interrupt(cairn_world *world);

/// Takes back what cairn_world_interrupt has asked for and no step has answered.
/// @return whether there was anything
CAIRN_API bool cairn_world_take_interrupt(cairn_world *world);

/// The contacts that limit the time step.
typedef struct cairn_step_limit {
    double step;        // s; INFINITY where no law has a limit
    double stiffness;   // N/m, K of (9.1): of the contact of a ball, of a side full of them else
    double damping;     // N s/m, C
    double mass;        // kg, of the body that is held
    cairn_body_id a, b; // null for a grain that an emitter will make
    cairn_material_id material_a, material_b;
    const char *law; // "" where there is none
    // s; the largest step that gives every contact 67 steps of an impact, and as many more as meet
    // the coefficient of restitution asked for to 1e-3; INFINITY where no law has a limit
    double accurate;
} cairn_step_limit;

/// Estimates the stable step of the stiffest contacts that the bodies of the world, frozen ones as
/// if they were free, and the grains that its emitters will make may have, of those with an
/// explicit law: h = m / (C + sqrt(C^2 + K m)) with the mass m of a body, which is the limit of
/// leap-frog for a row of such bodies, sqrt(m / K) without damping. Of a ball K is the larger of
/// the normal stiffness and 7/2 of the tangential one (it turns, too), of others that of all points
/// of one of its sides, turns included; both at an overlap of 1 % of the smaller body's half size.
/// docs/laws.md (9.1). Cone laws have no limit. Tests: tests/unit/engine/test_stable_step.c
CAIRN_API cairn_step_limit cairn_world_get_stable_step(const cairn_world *world);

/// Phases of a step, in order, as timed.
#define CAIRN_PHASE_LIST(X)                                                                        \
    X(MIDPOINT, midpoint)                                                                          \
    X(BROAD_PHASE, broad_phase)                                                                    \
    X(NARROW_PHASE, narrow_phase)                                                                  \
    X(CONTACT_SET, contact_set)                                                                    \
    X(ASSEMBLY, assembly)                                                                          \
    X(EXPLICIT_LAWS, explicit_laws)                                                                \
    X(SOLVER, solver)                                                                              \
    X(CERTIFICATE, certificate)                                                                    \
    X(FINISH, finish)

typedef enum cairn_phase {
#define CAIRN_PHASE_ENUM(constant, name) CAIRN_PHASE_##constant,
    CAIRN_PHASE_LIST(CAIRN_PHASE_ENUM)
#undef CAIRN_PHASE_ENUM
        CAIRN_PHASE_COUNT
} cairn_phase;

CAIRN_API const char *cairn_phase_name(cairn_phase phase);

/// What the last step did.
typedef struct cairn_step_report {
    int contacts;     // in the problem (implicit) or touched by laws
    int active;       // with a nonzero reaction
    const char *stop; // "solved", "iteration_limit", ... ; "none" where there was nothing to solve
    int pieces; // that the step was made of: more than 1 where its solve ended above the tolerance
                // and `step_halvings` of the world's definition has it halved. Iterations, seconds
                // and energy are of all, errors the worst, contacts and forces of the last one
    int iterations;
    double error;         // residual of the step, recomputed by the engine, theory.md (4.18)
    double error_scaled;  // the same in velocities, theory.md (4.13)
    double error_siconos; // Siconos's number, theory.md (4.12)
    double energy_rise;   // J, that came from no source in the step, by the audit; negative: lost.
                          // NaN while any sphere is in a particle slot, but for each step that
                          // `audit_every` of the world's definition names: summing their energies
                          // costs as much as the step
    double error_joints;  // m or rad, largest violation of a joint at the end of the step
    double penetration;   // m, deepest overlap at the end of the step; >= 0
    double penetration_relative; // the largest overlap / smaller body's smallest size
    double way_relative;         // of the first body that goes farther than half of its smallest
                                 // size in a step, and meets others by laws that act from an
                                 // overlap on, or that a step which cannot be made in smaller
                                 // pieces moves through others: its way / that size, in this step;
                                 // 0 in all others
    double seconds[CAIRN_PHASE_COUNT];
} cairn_step_report;

CAIRN_API const cairn_step_report *cairn_world_get_report(const cairn_world *world);

/// Residual after each iteration (or block of them) of the last solve, as its solver measured it:
/// the first 2048. @param count  out; 0 where nothing was solved
CAIRN_API const double *cairn_world_get_residuals(const cairn_world *world, int *count);

/// Whether the problem of the last step has no solution because of bodies whose motion is
/// prescribed: what they squeeze has no velocity that does not overlap with one of them. Reactions,
/// and the work of the drivers, mean nothing then, even where a solver finds them good in relative
/// terms. The test is a convex program that can cost more than a step: for steps that may be
/// jammed.
/// @param bodies  [capacity] out: bodies of the contacts that no velocity satisfies, in order of
///                creation
/// @param count   out: their number, which may exceed `capacity`; 0: there may be a solution
/// @return CAIRN_ERROR_MEMORY; CAIRN_ERROR_UNSUPPORTED, CAIRN_ERROR_NONFINITE (as in
///         cairn_problem_check)
/// Tests: tests/unit/engine/test_jam.c
CAIRN_API cairn_status cairn_world_find_jam(cairn_world *world, cairn_body_id *bodies, int capacity,
                                            int *count, cairn_error *error) CAIRN_CHECK_RESULT;

/// Whether the last step gives reason to look for a jam: prescribed bodies have contacts in it, and
/// it ended unsolved or leaves a contact closing by a hundredth of how the fastest one would have.
CAIRN_API bool cairn_world_may_be_jammed(const cairn_world *world);

#ifdef __cplusplus
}
#endif

#endif
