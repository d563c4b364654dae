// SPDX-License-Identifier: Apache-2.0
// cairn: the solvers of a world, and one-contact solvers on one contact.
#ifndef CAIRN_SOLVER_H
#define CAIRN_SOLVER_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Chooses the solver of the implicit law, or the one-contact solver it uses, by name; its settings
/// return to their defaults.
CAIRN_API cairn_status cairn_world_set_solver(cairn_world *world, const char *name,
                                              cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_world_set_local(cairn_world *world, const char *name,
                                             cairn_error *error) CAIRN_CHECK_RESULT;
/// Sets one setting of the current solver or one-contact solver.
CAIRN_API cairn_status cairn_world_set_solver_value(cairn_world *world, const char *setting,
                                                    cairn_value value,
                                                    cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_world_set_local_value(cairn_world *world, const char *setting,
                                                   cairn_value value,
                                                   cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API const char *cairn_world_get_solver(const cairn_world *world);
CAIRN_API const char *cairn_world_get_local(const cairn_world *world);
/// Value of a setting of the current solver or one-contact solver.
/// @return CAIRN_ERROR_NOT_FOUND, and 0 for a value, where there is none of that name
CAIRN_API cairn_status cairn_world_get_solver_value(const cairn_world *world, const char *setting,
                                                    cairn_value *value) CAIRN_CHECK_RESULT;
CAIRN_API cairn_status cairn_world_get_local_value(const cairn_world *world, const char *setting,
                                                   cairn_value *value) CAIRN_CHECK_RESULT;

// ---------------------------------------------------------------- one contact

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
