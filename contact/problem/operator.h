// SPDX-License-Identifier: Apache-2.0
// W as an operator on scaled reactions: what first-order methods need of a problem.
#ifndef CAIRN_CONTACT_PROBLEM_OPERATOR_H
#define CAIRN_CONTACT_PROBLEM_OPERATOR_H

#include "contact/cones/rolling_cone.h"
#include "contact/problem/problem.h"

#include <stdbool.h>
#include <string.h>

/// A problem in units where all contacts are alike, solvers.md (S.1):
///     u = W r + q,   R_i = r_i / unit_i,   U_i = unit_i u_i,   unit_i = sqrt(trace(W_ii) / 3).
/// r and u are of one unit, the diagonal blocks have trace 3, cones and law stay what they are, so
/// that step lengths are plain numbers. A contact that cannot bear (W_NN <= 0) becomes one that is
/// open by itself. In body form W = J J^T with J = H M^-1/2 and is never formed.
typedef struct con_operator {
    int contact_count;      // n
    int body_count;         // m; 0 in W form
    const double *mu;       // [n] the problem's
    const double *spinning; // [n] the problem's; NULL: no contact resists rolling
    double *unit;           // [n] sqrt(kg^-1); 0 for a contact that cannot bear
    double (*q)[3];         // [n]
    mat3 *diagonal;         // [n] blocks W_ii; in rows of W or C those of con_proximal_block
    int *neighbours;        // [n] bound of the blocks in a row, itself included, that act at once
    // body form
    int (*body)[2];       // [n] rows of y; the spare row m where immobile
    double (*J)[2][3][6]; // [n] zero where immobile
    double (*y)[6];       // [m + 1] J^T r of con_operator_gather
    // body form, of contacts of bodies with joints; those are immobile otherwise
    const con_block_matrix *C; // pattern (contact/problem/reduced.h); NULL without joints
    // W form
    const con_block_matrix *W; // pattern; NULL in body form
    mat3 *block;               // [W->start[n]] or [C->start[n]] scaled
} con_operator;

/// Arrays in arena memory; W of the problem is borrowed.
/// @return CAIRN_ERROR_ARGUMENT without bodies and W; CAIRN_ERROR_MEMORY
cairn_status con_operator_create(const con_problem *problem, base_arena *arena,
                                 con_operator *op) CAIRN_CHECK_RESULT;

/// out = W r, plus q where asked for. In body form y is overwritten.
/// @param out  [n][3], must not alias r
void con_operator_apply(con_operator *op, const double (*r)[3], bool with_q, double (*out)[3]);

/// y = J^T r; nothing in W form. After it one contact's velocity and change cost two bodies.
void con_operator_gather(con_operator *op, const double (*r)[3]);

/// Row i of W r: by y in body form, by r otherwise.
void con_operator_row(const con_operator *op, int i, const double (*r)[3], double out[3]);

/// Takes a change of r_i into y; nothing in W form.
void con_operator_change(con_operator *op, int i, const double change[3]);

/// The cone of contact i, whose moment is i + 1, in the units of the operator.
con_rolling_cone con_operator_cone(const con_operator *op, int i);

/// Nearest point in the cones of all contacts.
/// @param out  [n][3], may be z
void con_operator_project(const con_operator *op, const double (*z)[3], double (*out)[3]);

/// Between the units of the problem and those of the operator; may alias.
void con_operator_scale(const con_operator *op, const double (*R)[3], double (*r)[3]);
void con_operator_unscale(const con_operator *op, const double (*r)[3], double (*R)[3]);

/// Sum over contacts of a . b
double con_dot(int count, const double (*a)[3], const double (*b)[3]);

/// [count][3] in arena memory; NULL when out of memory
static inline double (*con_vectors(base_arena *arena, int count))[3]
{
    return base_arena_allocate(arena, "vectors", (size_t)count, sizeof(double[3]));
}

static inline void con_vectors_copy(int count, const double (*from)[3], double (*to)[3])
{
    memcpy(to, from, (size_t)count * sizeof *to);
}

#endif
