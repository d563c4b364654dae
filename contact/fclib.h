// SPDX-License-Identifier: Apache-2.0
// FCLIB problem files (HDF5): written from a live step, read back for solving.
//
// Equations of the two forms, R in the product of Coulomb cones, u the contact velocities:
//     local:   u = W r + V l + q,      S r + R l + s = 0       (S = V^T where the file has none)
//     global:  M v = H r + G l + f,    u = H^T v + w,          G^T v + b = 0
// The parts with l (equality constraints) are optional. Every contact has `dimension` rows, normal
// first.
//
// The HDF5 library keeps global state: calls of this header must not overlap in time unless that
// library was built thread-safe. Its own messages are switched off during a call.
#ifndef CAIRN_CONTACT_FCLIB_H
#define CAIRN_CONTACT_FCLIB_H

#include "contact/problem.h"
#include "contact/sparse.h"

#include <stdbool.h>

typedef enum con_fclib_form { CON_FCLIB_LOCAL, CON_FCLIB_GLOBAL } con_fclib_form;

/// Texts of the info group; NULL where absent.
typedef struct con_fclib_info {
    const char *title;
    const char *description;
    const char *math_info;
} con_fclib_info;

/// A guess or a solution; NULL where absent.
typedef struct con_fclib_vectors {
    const double *v; // [velocity_count], global form only
    const double *u; // [dimension * contact_count]
    const double *r; // [dimension * contact_count]
    const double *l; // [equality_count]
} con_fclib_vectors;

/// The content of one file. Matrices and vectors of the other form are all zero bytes; so are
/// V, S, R, s, G, b without equality constraints.
typedef struct con_fclib_problem {
    con_fclib_form form;
    int dimension;          // 2 or 3 rows per contact
    int contact_count;      // nc
    int velocity_count;     // n, rows of M; 0 in local form
    int equality_count;     // p
    const double *friction; // [nc] mu >= 0

    // local form
    con_sparse W;    // [dimension nc][dimension nc]
    con_sparse V;    // [dimension nc][p]
    con_sparse S;    // [p][dimension nc]
    con_sparse R;    // [p][p]
    const double *q; // [dimension nc]
    const double *s; // [p]

    // global form
    con_sparse M;    // [n][n]
    con_sparse H;    // [n][dimension nc]
    con_sparse G;    // [n][p]
    const double *f; // [n]
    const double *w; // [dimension nc]
    const double *b; // [p]

    con_fclib_info info;
    int guess_count;
    const con_fclib_vectors *guesses; // [guess_count]
    con_fclib_vectors solution;
    bool has_solution;
    int dropped_vectors; // guesses' and solution's vectors left out because they are not finite

    base_arena *memory; // owns all of the above; NULL where the arrays are borrowed
} con_fclib_problem;

/// Writes one problem in body form: local (W, q, mu) or global (M, H, f, w, mu), matrices in
/// compressed columns as the reference library reads them; f = M v_free. Rows of immobile bodies
/// are left out (they stay in w); bodies touched by no contact are left out too. A velocity
/// component of a touched body whose mass_inverse is zero is left out as well, and its share
/// H v_free is added to w. Local form of a problem without bodies writes its W. The file appears
/// whole or not at all (temporary name beside it, synced, renamed), and the same content gives the
/// same bytes.
/// @param guess     [n][3] R before the solve; NULL for none. Its velocities are computed.
/// @param R, U      [n][3] solution; R NULL for none; U NULL: computed. Global form also stores v.
/// @param info      NULL: no info group
/// @param arena     scratch; rewound before return
/// @return CAIRN_ERROR_FILE with path and reason; CAIRN_ERROR_ARGUMENT for a problem without
///         contacts, or without bodies in global form
/// Tests: tests/unit/contact/test_fclib_write.c
cairn_status con_fclib_write(const char *path, con_fclib_form form, const con_problem *problem,
                             const double (*guess)[3], const double (*R)[3], const double (*U)[3],
                             const con_fclib_info *info, base_arena *arena,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// The content that con_fclib_write writes, without guess, solution and info; arena memory.
cairn_status con_fclib_from_problem(con_fclib_form form, const con_problem *problem,
                                    base_arena *arena, con_fclib_problem *content,
                                    cairn_error *error) CAIRN_CHECK_RESULT;

/// Writes the content of a file as it stands: mixed forms, 2-D, guesses and solution included.
/// Same guarantees as con_fclib_write.
/// @param arena  scratch; rewound before return
cairn_status con_fclib_save(const char *path, const con_fclib_problem *content, base_arena *arena,
                            cairn_error *error) CAIRN_CHECK_RESULT;

#endif
