// SPDX-License-Identifier: Apache-2.0
// Convex quadratic programs over one set per contact, and fixed points made of a sequence of them.
#ifndef CAIRN_CONTACT_LITERATURE_CONVEX_H
#define CAIRN_CONTACT_LITERATURE_CONVEX_H

#include "contact/cones/projection.h"
#include "contact/literature/search.h"

/// How a program is solved.
typedef enum con_engine {
    CON_ENGINE_SWEEPS,      // contact after contact
    CON_ENGINE_ACCELERATED, // Nesterov's method with restarts (APGD)
    CON_ENGINE_SPECTRAL     // projected gradient with Barzilai-Borwein steps
} con_engine;

/// min 1/2 r'Wr + (q + shift e_N)'r over r_i in the set of contact i, solvers.md (S.4).
typedef struct con_convex {
    con_search *search;
    con_set set;
    double *size;   // [n] friction or radius
    double *shift;  // [n] on the normal velocity
    double (*r)[3]; // [n] in: start, out: solution
    double (*u)[3]; // [n] out: W r + q + shift e_N
    double (*work[5])[3];
} con_convex;

/// Arrays in arena memory; cones of the problem's friction, no shift.
cairn_status con_convex_create(con_search *search, double (*r)[3],
                               con_convex *convex) CAIRN_CHECK_RESULT;

/// |r - P(r - u)| / max(|q|, |r|, |u|); components that the set leaves alone do not count.
double con_convex_error(const con_convex *convex);

/// Improves r until the error is at most `tolerance`, with at most so many iterations, each counted
/// in the search. u is that of r at return.
/// @return false when a value is not finite
bool con_convex_solve(con_convex *convex, con_engine engine, double tolerance, int max_iterations);

/// Settings of a fixed point.
typedef struct con_outer {
    int engine;          // con_engine
    int max_outer;       // programs; 0: the first one alone
    int max_inner;       // iterations for one program
    double inner_factor; // tolerance of a program, relative to the error before it
} con_outer;

/// Writes set, size and shift of the next program.
/// @param u      [n][3] W r + q of the problem
/// @param index  programs solved so far
typedef void con_outer_prepare(con_convex *convex, const double (*u)[3], int index);

/// shift = mu |u_T|: fixed point of De Saxce's shift (Cadoux), cones
con_outer_prepare con_outer_cadoux;

/// A whole solve: program after program until the law holds.
cairn_status con_outer_solve(const con_outer *outer, con_outer_prepare *prepare,
                             const con_problem *problem, const con_control *control, double (*R)[3],
                             con_report *report, base_arena *arena) CAIRN_CHECK_RESULT;

extern const char *const con_engine_names[];

/// Rows of a settings table whose struct begins with a con_outer.
#define CON_OUTER_ROW_ENGINE(initial)                                                              \
    {                                                                                              \
        "engine", BASE_SETTING_CHOICE, offsetof(con_outer, engine), "", initial,                   \
            CON_ENGINE_SWEEPS, CON_ENGINE_SPECTRAL, con_engine_names,                              \
            "how a convex program is solved"                                                       \
    }
#define CON_OUTER_ROW_OUTER(initial, minimum)                                                      \
    {                                                                                              \
        "outer", BASE_SETTING_INTEGER, offsetof(con_outer, max_outer), "", initial, minimum, 1e9,  \
            NULL, "programs that follow the first, with a new shift; 0: the relaxed problem alone" \
    }
#define CON_OUTER_ROW_INNER(initial)                                                               \
    {                                                                                              \
        "max_inner", BASE_SETTING_INTEGER, offsetof(con_outer, max_inner), "", initial, 1.0, 1e9,  \
            NULL, "iterations for one program"                                                     \
    }
#define CON_OUTER_ROW_FACTOR(initial)                                                              \
    {                                                                                              \
        "inner_factor", BASE_SETTING_REAL, offsetof(con_outer, inner_factor), "", initial, 1e-6,   \
            1.0, NULL, "tolerance of a program relative to the error before it"                    \
    }

#endif
