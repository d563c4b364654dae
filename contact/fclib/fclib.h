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
#ifndef CAIRN_CONTACT_FCLIB_FCLIB_H
#define CAIRN_CONTACT_FCLIB_FCLIB_H

#include "contact/linear/sparse.h"
#include "contact/problem/problem.h"

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
    int dimension;          // 2 or 3 rows per contact; 5 with rolling friction: N, T1, T2 of the
                            // force and T1, T2 of the moment; 6 with spinning friction too: N, T1,
                            // T2 of both
    int contact_count;      // nc
    int velocity_count;     // n, rows of M; 0 in local form
    int equality_count;     // p
    const double *friction; // [nc] mu >= 0
    const double *rolling;  // [nc] mu_r >= 0, m: |m_T| <= mu_r r_N; NULL without rolling friction
    const double *spinning; // [nc] mu_s >= 0, m: |m_N| <= mu_s r_N; NULL but with 6 rows
    int freedom_count;      // degrees of freedom of the bodies as a file in local form notes them;
                            // 0: unknown

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
/// compressed columns as the reference library reads them; f = M v_free. With joints: local (W, V,
/// S, R, q, s, mu) with W, q of the free bodies, V = S^T = H M^-1 G^T, R = G M^-1 G^T and
/// s = G v_free - b, or global (M, H, G, f, w, b, mu) with the file's b = -b; l has the sign of
/// ours. What a contact yields by itself is part of W, or a row of M of its own. Rows of immobile
/// bodies are left out (they stay in w); bodies that no contact or joint
/// touches are left out too. Every other body has 6 rows: a velocity component whose mass_inverse
/// is zero gets mass 1 and no entries in H, and its share H v_free is added to w. Local form of a
/// problem without bodies writes its W. The file appears whole or not at all when the process dies
/// (temporary name beside it, renamed; not synced, so that writing every step stays cheap), and the
/// same content gives the same bytes.
/// @param guess     [n][3] R before the solve; NULL for none. Its velocities are computed.
/// @param R, U      [n][3] solution; R NULL for none; U NULL: computed. Global form also stores v.
/// @param info      NULL: no info group
/// @param arena     scratch; rewound before return
/// @return CAIRN_ERROR_FILE with path and reason; CAIRN_ERROR_ARGUMENT for a problem without
///         contacts, or without bodies in global form
/// Tests: tests/unit/contact/fclib/test_fclib_read.c, test_fclib_reference.c
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

/// Reads a problem file of either form. Storage: triplets (nz >= 0; p = column, i = row as Siconos
/// writes them, and the other way round where only that fits), compressed columns (nz = -1),
/// compressed rows (nz = -2), dense, column major: `x` alone, without `p` and `i`; or compressed
/// columns or rows of 3x3 blocks, where `p` has a third of the starts and `x` nine numbers, column
/// major, for each index of a block (neither reference library writes blocks). Entries of
/// the same place are added. Where a file holds both forms the global one is read. Texts of
/// variable length are passed over. Guesses and solutions that are not finite are dropped and
/// counted. Rolling problems have their own groups, fclib_global_rolling and (ours alone)
/// fclib_local_rolling; with spinning friction, which is ours alone, spacedim is 6 and the vectors
/// have mu_s. The attribute numberOfDegreeOfFreedom of the info group is read.
/// Nothing in the file is trusted: sizes are checked against the file's, links to other
/// files and filters beyond deflate, shuffle and checksum are refused.
/// A file in text is read by con_fclib_read_text (contact/fclib/text.h).
/// @param allocator  of the problem's memory
/// @param problem    out; destroy with con_fclib_problem_destroy; NULL on failure
/// @return CAIRN_ERROR_FILE (no such file), CAIRN_ERROR_FORMAT with path, dataset and reason,
///         CAIRN_ERROR_MEMORY
/// Tests: tests/unit/contact/fclib/test_fclib_read.c, test_fclib_hostile.c
cairn_status con_fclib_read(const char *path, const base_allocator *allocator,
                            con_fclib_problem **problem, cairn_error *error) CAIRN_CHECK_RESULT;
void con_fclib_problem_destroy(con_fclib_problem *problem);

/// A copy with memory of its own: matrices, vectors, guesses, solution and texts. The content is
/// checked as that of a file is.
/// @return CAIRN_ERROR_ARGUMENT with what is wrong; CAIRN_ERROR_MEMORY; *problem is NULL then
/// Tests: tests/unit/engine/test_problem_data.c
cairn_status con_fclib_copy(const con_fclib_problem *content, const base_allocator *allocator,
                            con_fclib_problem **problem, cairn_error *error) CAIRN_CHECK_RESULT;

/// A file's content as solvers want it, with its own memory.
typedef struct con_fclib_conversion {
    con_problem problem;         // body form, or W and q
    const double (*guess)[3];    // [n] R of the first guess, NULL if there is none
    const double (*solution)[3]; // [n] R of the stored solution, NULL if there is none
    const char *reason;          // why there is no body form; NULL where there is one
    base_arena *memory;
} con_fclib_conversion;

/// Converts to a problem in 3-D.
///   Local form: W by blocks; blocks that are all zero are left out, diagonal blocks never are.
///   Global form whose M falls apart into symmetric positive definite bodies of at most 6 rows,
///   with at most two bodies a contact and an equality constraint: body form, constraints of the
///   same bodies that follow one another being joints of up to 6 rows. Where the block of a
///   body is not diagonal its velocities are v' = L^T v with M = L L^T, so that M becomes the
///   identity, H' = L^-1 H and v_free' = L^-1 f; R and U are those of the file. Bodies are blocks
///   of 6 rows, of 3 rows, or the connected parts of M, whichever fits first. Otherwise the
///   multipliers (or all of v) are eliminated by a sparse LU factorisation, and W and q are what is
///   left. 2-D: a second tangent that nothing couples to, W = W_tt and q = 0 there, so that R stays
///   0.
/// @param conversion  out; destroy with con_fclib_conversion_destroy; NULL on failure
/// Constraints that depend on one another are no hindrance; where they contradict one another they
/// are met as well as can be (least squares), as in a live step.
/// @return CAIRN_ERROR_NUMERICAL when the matrix to eliminate is singular; CAIRN_ERROR_MEMORY
/// Tests: tests/unit/contact/fclib/test_fclib_convert.c, test_fclib_mixed.c
cairn_status con_fclib_convert(const con_fclib_problem *content, const base_allocator *allocator,
                               con_fclib_conversion **conversion,
                               cairn_error *error) CAIRN_CHECK_RESULT;
void con_fclib_conversion_destroy(con_fclib_conversion *conversion);

/// Velocities and multipliers that belong to impulses r, from the file's own matrices: for writing
/// a solution. Global form: v and l; local form: l alone.
/// @param r     [dimension nc]
/// @param v, l  out [velocity_count], [equality_count]; may be NULL
/// @return CAIRN_ERROR_NUMERICAL when the system is singular
cairn_status con_fclib_complete(const con_fclib_problem *content, const double *r, double *v,
                                double *l, base_arena *arena,
                                cairn_error *error) CAIRN_CHECK_RESULT;

/// What can be said about a problem without solving it.
typedef struct con_fclib_description {
    con_fclib_form form;
    int dimension;
    int contact_count;
    int velocity_count; // rows of M; 0 in local form
    int equality_count;
    int body_count; // bodies of the body form; 0 where there is none
    int W_entries;  // stored entries; 0 in global form
    int M_entries;
    int H_entries;
    double density;        // of W, or of H: entries / (rows columns)
    double symmetry_error; // max |A - A^T| / max |A| of W, or of M
    double friction_minimum;
    double friction_maximum;
    double q_norm;         // |q|; in global form of q = H^T M^-1 f + w; NaN where not known
    double hyperstaticity; // dimension nc / n; NaN in local form
    int rank;              // of W, or of H; -1 where the matrix is too large or memory short
    int rank_full;         // what full rank would be: smaller side
    double conditioning;   // largest singular value / smallest one above the rank's threshold
    int guess_count;
    bool has_info;
    bool has_solution;
    bool has_solution_velocity; // v
    int dropped_vectors;
} con_fclib_description;

enum { CON_FCLIB_RANK_ROWS_MAX = 1500 }; // smaller side of a matrix whose rank is computed

/// Fills a description. Rank: singular values above 1e-10 of the largest (dense, LAPACK).
/// @param arena  scratch; rewound before return
/// Tests: tests/unit/contact/fclib/test_fclib_info.c
cairn_status con_fclib_describe(const con_fclib_problem *content, base_arena *arena,
                                con_fclib_description *description,
                                cairn_error *error) CAIRN_CHECK_RESULT;

#endif
