// SPDX-License-Identifier: Apache-2.0
// One island of a problem, scaled, with the products and factorisations that Newton methods need.
#ifndef CAIRN_CONTACT_SOLVERS_NEWTON_NEWTON_H
#define CAIRN_CONTACT_SOLVERS_NEWTON_NEWTON_H

#include "contact/linear/block_lu.h"
#include "contact/problem/problem.h"
#include "contact/solvers/newton/newton_groups.h"
#include "contact/solvers/newton/newton_joints.h"
#include "contact/solvers/solver.h"

/// What the solve of an island must reach: the errors that the control asks for, of which the
/// island may use its share.
typedef struct con_goal {
    double tolerance;
    con_residual_scale scale; // of the whole problem
    double share;             // contacts of the island / contacts of the problem
    double deadline;          // clock at which to stop; INFINITY: none
} con_goal;

/// An island in the units of solvers.md (S.1), in which all diagonal blocks have trace 3, and the
/// root mean square of q over contacts is 1:
///     u = W r + q,  U_i = size unit_i u_i,  R_i = size / unit_i r_i,  unit_i = sqrt(trace(W_ii) /
///     3).
/// Tangential rows of contacts without friction are zero.
/// In body form W = J J^T with J = H M^-1/2 (an axis that cannot move has a zero column), so that
/// Newton matrices live on the graph of bodies; otherwise on that of contacts. With joints
/// W = J P J^T + E, where P takes away what they do not allow and E is what contacts yield by
/// themselves.
typedef struct con_newton {
    int contact_count; // n
    int body_count;    // m
    bool bodies;       // body form, or factors of W
    int *contact;      // [n] contact of the problem
    double size;       // J^1/2
    double *unit;      // [n] kg^-1/2
    double (*q)[3];
    double *mu;
    // contacts that resist rolling; all NULL where none does
    int *force;                    // [n] block whose moment this one is; -1 for none
    int *moment;                   // [n] block that is the moment of this one; -1 for none
    double *spinning;              // [n] mu_s of a moment; mu is its mu_r
    double (*coupling)[3][3];      // [n] a method's: B of a moment by its force, NULL for none
    double (*left_coupling)[3][3]; // [n] the same: A of a force by its moment, at the moment
    // body form
    int (*body)[2]; // [n] bodies of the island, -1 where immobile
    double (*J)[2][3][6];
    double (*K)[2][3][6];  // W = J K^T: J itself unless the problem has factors of W
    double (*velocity)[6]; // [m], of groups [count], scratch
    // the rates that contacts know, as one more body, the last, and their third side
    double (*rate_J)[3][6];    // [n] zero where a contact knows none; NULL: the problem has none
    con_newton_joints *joints; // of its bodies; NULL for none
    double (*E)[3];            // [n] compliance; NULL for none, and so the next three
    double (*E_inverse)[3][3]; // [n] (I + A E B)^-1 of the last factorisation
    double (*E_A)[3][3];       // [n] (I + A E B)^-1 A
    double (*E_rhs)[3];        // [n] scratch
    // W form
    mat3 *block;               // by the pattern
    con_newton_groups *groups; // of contacts that move as one; NULL where they would save little

    con_block_pattern pattern; // of bodies or contacts
    con_block_order order;     // of the Newton matrix: in W form, of its active contacts
    con_block_lu lu;
    bool ordered;          // order and lu are there
    bool fits;             // lu is there: its size is within CON_NEWTON_DOUBLES_MAX
    base_arena_mark floor; // W form: where the memory of order and lu begins
    double *values;        // [entries][block * block] of the Newton matrix
    int (*slot)[3][3];     // [n] entries of values for the pairs of sides; -1 for none
    int *side_start;       // [m + 1] into side
    int *side;             // of the contacts of a body: 3 contact + side, ascending
    int *diagonal;         // [m] entries of the diagonal
    int *place;            // [n] W form: place among the active units (contacts, or groups where
                           // there are groups); -1 for inactive ones
    int *active;           // [n] W form: the active units
    int active_count;
    double *unknown; // [size * block] scratch of solves
    double (*scratch[4])[3];

    const con_gathering *gathering; // processes that share its factorisations; NULL for one
    con_goal goal;
    const con_control *control;
    con_report *report; // history is added to it; may be NULL
    bool rough;         // solves are not refined: set around those that decide only where to aim
    int factorisations;
    int gradients;     // steps of con_gradient_run
    int limit;         // of factorisations, less the gradients: then the island is late
    double (*best)[3]; // [n] r of the least error so far
    double best_error; // in the sense of con_newton_error
    double growth;     // con_residual.growth of the last point
    base_arena *arena;
} con_newton;

enum { CON_NEWTON_DOUBLES_MAX = 250000000 }; // 2 GB

enum { CON_NEWTON_ALONE = 512 }; // contacts of an island up to which one thread does it

/// Loops and factors of the island are cut into what threads may share.
static inline bool con_newton_is_shared(const con_newton *newton)
{
    return newton->contact_count > CON_NEWTON_ALONE;
}

/// Who shares them; NULL: one thread.
static inline base_workers *con_newton_workers(const con_newton *newton)
{
    return con_newton_is_shared(newton) ? newton->control->workers : NULL;
}

/// Sides that a contact may have.
static inline int con_newton_sides(const con_newton *newton)
{
    return newton->rate_J != NULL ? 3 : 2;
}

/// Body of a side, -1 where there is none.
static inline int con_newton_node(const con_newton *newton, int i, int s)
{
    if (s < 2)
        return newton->body[i][s];
    bool knows = false;
    for (int k = 0; k < 9; k++)
        knows = knows || newton->rate_J[i][k / 3][k % 3] != 0.0;
    return knows ? newton->body_count - 1 : -1;
}

/// J and K of a side.
static inline const double (*con_newton_J(const con_newton *newton, int i, int s))[6]
{
    return (const double(*)[6])(s < 2 ? newton->J[i][s] : newton->rate_J[i]);
}

static inline const double (*con_newton_K(const con_newton *newton, int i, int s))[6]
{
    return (const double(*)[6])(s < 2 ? newton->K[i][s] : newton->rate_J[i]);
}

/// out[3] = a[3][3] x; out may be x.
static inline void con_apply3(const double a[3][3], const double x[3], double out[3])
{
    double y[3];
    for (int i = 0; i < 3; i++)
        y[i] = a[i][0] * x[0] + a[i][1] * x[1] + a[i][2] * x[2];
    for (int i = 0; i < 3; i++)
        out[i] = y[i];
}

/// Takes the contacts listed (an island) out of a problem; memory from the arena stays in use.
/// Contacts with W_NN = 0 must not be listed.
/// @param body_place  [body_count] scratch, all -1, left so; NULL in W form
/// @param place       [contact_count] scratch, all -1, left so; NULL in body form
cairn_status con_newton_create(const con_problem *problem, const int *contact, int count,
                               const con_goal *goal, const con_control *control, con_report *report,
                               int *body_place, int *place, base_arena *arena,
                               con_newton *newton) CAIRN_CHECK_RESULT;

/// out = W r (+ q)
void con_newton_velocity(con_newton *newton, const double (*r)[3], bool with_q, double (*out)[3]);

/// Error of r in the sense of the goal: at most goal.tolerance when the island is solved. Keeps
/// the best point and notes the history. NaN for a point that is not finite.
double con_newton_error(con_newton *newton, const double (*r)[3]);
bool con_newton_solved(const con_newton *newton);
bool con_newton_late(const con_newton *newton);

/// The impulses have run away.
bool con_newton_ran_away(const con_newton *newton);

/// Operations of one factorisation with every contact active. To be called before con_newton_begin
/// or after a method has ended.
cairn_status con_newton_flops(const con_newton *newton, double *flops) CAIRN_CHECK_RESULT;

/// Called by a method once its own arrays are allocated, before con_newton_factor: in W form the
/// factors go on top of the arena and are replaced there when the active contacts change. The
/// method rewinds the arena when it ends.
void con_newton_begin(con_newton *newton);

/// Room for the factors of newton->order, where they fit; part of ordering.
cairn_status con_newton_allocate_factors(con_newton *newton) CAIRN_CHECK_RESULT;

/// Factors I + sum J^T B A J (bodies), I + A W B (contacts with B != 0), or I + D X (groups).
/// @param A, B  [n] 3x3 row-major
/// @return CAIRN_ERROR_NUMERICAL when the matrix is not finite, the factors would be larger than
///         CON_NEWTON_DOUBLES_MAX, or the time left is clearly too short; CAIRN_ERROR_MEMORY
cairn_status con_newton_factor(con_newton *newton, const double (*A)[3][3],
                               const double (*B)[3][3]) CAIRN_CHECK_RESULT;

/// Solves y + A W B y = rhs with the factors of con_newton_factor, refined unless newton->rough.
/// @param y     [n][3] out
/// @param W_B_y [n][3] out: W B y
void con_newton_solve(con_newton *newton, const double (*A)[3][3], const double (*B)[3][3],
                      const double (*rhs)[3], double (*y)[3], double (*W_B_y)[3]);

/// r of the island into R of the problem, and back.
void con_newton_scatter(const con_newton *newton, const double (*r)[3], double (*R)[3]);
void con_newton_gather(const con_newton *newton, const double (*R)[3], double (*r)[3]);

#endif
