// SPDX-License-Identifier: Apache-2.0
// Contacts of an island in W form that move as one: a smaller Newton matrix for them.
#ifndef CAIRN_CONTACT_SOLVERS_NEWTON_NEWTON_GROUPS_H
#define CAIRN_CONTACT_SOLVERS_NEWTON_NEWTON_GROUPS_H

#include "base/vec.h"
#include "contact/linear/block_order.h"

#include <stdbool.h>

/// The contacts between two rigid bodies know no more of their bodies than the relative velocity:
/// however many they are, their rows of W span at most six dimensions, solvers.md (S.23):
///     W_gh = Q_g X_gh Q_h^T,   Q_g orthonormal, of at most six columns.
/// W alone does not say which contacts these are; they are found as those that act on the same
/// contacts and whose diagonal block has a rank of at most six. Groups of a lower rank are put
/// together two by two, and unused columns of Q are zero. Nothing depends on the guess being right:
/// W = Q X Q^T holds to round-off by construction, and errors are measured with W itself.
typedef struct con_newton_groups {
    int count;
    int *group;      // [n] group of a contact
    int *start;      // [count + 1] into contact
    int *contact;    // [n] by group, ascending
    double (*Q)[18]; // [n] 3x6 rows of a contact
    con_block_pattern pattern;
    double *X;           // [pattern.start[count]][36] row-major
    double *X_by_column; // the same, column-major
    double *D;           // [count][36] Q^T B A Q of the last factorisation
} con_newton_groups;

/// Groups of the contacts of a scaled W. *groups stays NULL where they would save less than a
/// quarter of the rows.
/// @param pattern  of the contacts
/// @param block    [entries of the pattern]
cairn_status con_newton_groups_create(const con_block_pattern *pattern, const mat3 *block,
                                      base_arena *arena,
                                      con_newton_groups **groups) CAIRN_CHECK_RESULT;

/// D of the groups, for the Newton matrix I + D X.
/// @param A, B  [n] 3x3 row-major
void con_newton_groups_weigh(con_newton_groups *groups, const double (*A)[3][3],
                             const double (*B)[3][3]);

/// out += Q^T x
/// @param x    [n][3]
/// @param out  [count][6]
void con_newton_groups_gather(const con_newton_groups *groups, const double (*x)[3], double *out);

/// out = Q X x
/// @param x    [count][6]
/// @param out  [n][3]
void con_newton_groups_spread(const con_newton_groups *groups, const double *x, double (*out)[3]);

#endif
