// SPDX-License-Identifier: Apache-2.0
// Ground shared by the iterative one-contact solvers: one unit for R and u, steps, Newton's frame.
#ifndef CAIRN_CONTACT_LOCAL_SCALED_H
#define CAIRN_CONTACT_LOCAL_SCALED_H

#include "contact/local/local.h"

/// A one-contact problem with R measured in m/s (times W_NN), theory.md (5.8).
typedef struct con_scaled {
    double W[3][3]; // W / W_NN
    double b[3];    // m/s
    double mu;
    double unit;     // W_NN, kg^-1
    double size;     // |b|, m/s
    double largest;  // largest diagonal entry of the scaled W, >= 1
    double rho_T;    // 1 / largest eigenvalue of the symmetric part of W_TT
    double mean_rho; // 3 / trace of W
} con_scaled;

/// @param R       [3] N s, start
/// @param scaled  [3] out, m/s, in the cone
/// @return false when there is nothing to iterate on: the contact opens (b_N >= 0) or cannot bear
bool con_scaled_begin(const con_local_problem *problem, const double R[3], con_scaled *s,
                      double scaled[3]);

/// Brings R back to N s, exactly in the cone, and measures it.
con_local_result con_scaled_finish(const con_scaled *s, const double scaled[3], int iterations,
                                   double tolerance, double R[3]);

/// Answer where con_scaled_begin said false: R = 0.
con_local_result con_scaled_open(const con_local_problem *problem, double R[3]);

/// u = W R + b
void con_scaled_velocity(const con_scaled *s, const double R[3], double u[3]);

/// con_local_error of the scaled problem, theory.md (5.10).
double con_scaled_error(const con_scaled *s, const double R[3]);

/// One step R = P_K(R - rho (u_N + mu |u_T|, u_T)), theory.md (5.12), after shrinking rho until the
/// map contracts; a rho that proves timid grows for the next step.
void con_scaled_fixed_point_step(const con_scaled *s, double R[3], double *rho);

/// Newton's step for a formulation: writes the step [3], false where the matrix is singular.
typedef bool con_scaled_direction(const con_scaled *s, const double R[3], double step[3]);

/// Newton's method, the cone kept by projection: steps that reduce the natural map, then full ones,
/// then again from farther along a row of fixed-point steps.
/// @param R  [3] in: start, out: best point
/// @return iterations
int con_scaled_newton(const con_scaled *s, con_scaled_direction *direction, int max_iterations,
                      double tolerance, double R[3]);

/// Solves a x = rhs with row pivoting; false where singular.
bool con_scaled_solve3(double a[3][3], const double rhs[3], double x[3]);

/// Settings that the iterative solvers share.
typedef struct con_iterative_settings {
    int max_iterations;
    double tolerance;
} con_iterative_settings;

#define CON_ITERATIVE_ROWS(iterations)                                                             \
    {"max_iterations",                                                                             \
     BASE_SETTING_INTEGER,                                                                         \
     offsetof(con_iterative_settings, max_iterations),                                             \
     "",                                                                                           \
     (iterations),                                                                                 \
     1.0,                                                                                          \
     1e6,                                                                                          \
     NULL,                                                                                         \
     "steps on one contact"},                                                                      \
    {                                                                                              \
        "tolerance", BASE_SETTING_REAL, offsetof(con_iterative_settings, tolerance), "", 1e-13,    \
            0.0, 1.0, NULL, "on the scaled natural map of the contact"                             \
    }

#endif
