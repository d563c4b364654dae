// SPDX-License-Identifier: Apache-2.0
// Has a contact problem a solution? Decided by a second-order cone program.
#ifndef CAIRN_CONTACT_EXISTENCE_EXISTENCE_H
#define CAIRN_CONTACT_EXISTENCE_EXISTENCE_H

#include "contact/problem/problem.h"

#include <stdbool.h>

typedef enum con_existence_verdict {
    CON_EXISTENCE_SHOWN,      // a velocity strictly inside the dual cone, or R = 0 solves
    CON_EXISTENCE_BORDERLINE, // the margin is zero within what can be computed
    CON_EXISTENCE_NOT_SHOWN,  // no such velocity: there may be a solution all the same
    CON_EXISTENCE_NONE        // no velocity keeps even U_N >= 0: there is no solution
} con_existence_verdict;

const char *con_existence_name(con_existence_verdict verdict); // "exists", "borderline", ...

/// What was found. Velocities are divided by `scale`; every number is recomputed from the point or
/// direction that the program returned, with the problem's own operators.
typedef struct con_existence {
    con_existence_verdict verdict;
    bool zero_solves;            // q_N >= 0 everywhere: R = 0 is a solution
    double scale;                // m/s, largest |q_i|
    double margin;               // min over contacts of U_N - mu |U_T| at the best velocity found
    double margin_bound;         // no velocity has a larger margin, up to the residual; at most 1
    double certificate_product;  // q.d < 0 for a direction with sum d_N = 1; NaN without one
    double certificate_residual; // |W^T d| (or |M^-1/2 H^T d|) / (its largest entry sum |d|)
    int rank;                    // of W; -1 in body form, and for a large W
    int iterations;
} con_existence;

// rows of a W without bodies of which a dense copy is made
#ifdef CAIRN_NO_LAPACK
enum { CON_EXISTENCE_ROWS_MAX = -1 };
#else
enum { CON_EXISTENCE_ROWS_MAX = 1500 };
#endif

/// Solves
///     max a   with   U - a e_N in K*,  U = q + (range of W),  a <= scale.
/// K* contains U_N >= mu |U_T|. A margin a > 0 is a Slater point, and the Signorini-Coulomb problem
/// then has a solution whatever mu (Acary & Cadoux 2013; Klarbring & Pang 1998). Otherwise its dual
/// gives d in K with W^T d = 0 and q.d = a < 0. Such a d refutes Slater points, not solutions: that
/// is settled by the same program with mu = 0, whose certificate refutes U_N >= 0 itself.
/// Margins within 1e-7 of zero, relative to the scale, are borderline.
/// Joints are eliminated: W is then the reduced one, without bodies.
/// With contacts that resist rolling only R = 0 is shown to be a solution (margin 0), and only that
/// the gaps cannot be kept is shown against one, in body form; no direction is given.
/// @param direction  [n][3] out: the certificate d, or zeros; may be NULL
/// @param arena      scratch; rewound before return
/// A W without bodies is used through a dense basis of its range up to CON_EXISTENCE_ROWS_MAX rows,
/// and in blocks beyond; margins are then lower by up to a hundredth.
/// @return CAIRN_ERROR_UNSUPPORTED for a W without bodies whose factors would take over 2 GB;
///         CAIRN_ERROR_NONFINITE; CAIRN_ERROR_MEMORY
/// Source: primal-dual interior point with Nesterov-Todd scaling, Mehrotra's predictor and
/// corrector. Tests: tests/unit/contact/test_existence.c
cairn_status con_existence_check(const con_problem *problem, con_existence *existence,
                                 double (*direction)[3], base_arena *arena) CAIRN_CHECK_RESULT;

#endif
