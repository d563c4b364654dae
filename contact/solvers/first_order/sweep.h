// SPDX-License-Identifier: Apache-2.0
// One pass of Gauss-Seidel over the contacts: prepared blocks in scratch memory, body or W form.
#ifndef CAIRN_CONTACT_SOLVERS_FIRST_ORDER_SWEEP_H
#define CAIRN_CONTACT_SOLVERS_FIRST_ORDER_SWEEP_H

#include "contact/local/moment.h"
#include "contact/local/secular_equation.h"
#include "contact/solvers/solver.h"

/// All that a pass needs of one contact, side by side in memory in the order of use.
typedef struct con_sweep_contact {
    double H[3][2][6]; // blocks of A and B times M^-1/2; zero where immobile
    con_secular block; // diagonal block of W
    double q[3];       // m/s
    int body[2];       // rows of y; a spare row of its task where immobile
    int asleep;        // sweeps still left out (freezing)
    bool can_bear;     // con_can_bear
    bool is_moment;
    bool by_rows; // velocity by a row of W, of C where a body has joints, or with the rates
    bool knows_rates;
} con_sweep_contact;

/// What conjugate passes remember.
typedef struct con_sweep_conjugate {
    double *weight;           // [contact_count] trace W_ii
    double (*R_before)[3];    // [contact_count] at the start of the last pass
    double (*direction)[3];   // [contact_count] along which the next pass starts
    double (*y_before)[8];    // [body_count] as R_before; NULL in W form
    double (*y_direction)[8]; // [body_count] as direction
    double size;              // |change of the last pass|^2, weighted
    double factor;            // of the direction before the next pass; negative: start anew
} con_sweep_conjugate;

/// Work of a solver: made once per solve. Of bodies with joints the contacts' rows of C are taken
/// (contact/problem/reduced.h), and they are immobile otherwise. With a body form the state is y =
/// M^-1/2 H^T R, so that U = q + (H M^-1/2) y, theory.md (6.2), and rates are one more body in one
/// task alone; otherwise R itself through the rows
/// of W.
typedef struct con_sweep {
    const con_problem *problem;
    const con_local *local; // NULL: secular, on the prepared blocks
    const void *local_settings;
    const int *order; // [contact_count] in which passes visit the contacts; NULL: by index, as with
                      // domains
    double relaxation;           // omega of R + omega (R_solved - R)
    int freeze_sweeps;           // a quiet contact is left out for so many sweeps; 0: never
    double freeze_change;        // quiet: |dR| at most this, N s
    con_sweep_contact *contacts; // [contact_count]
    con_moment_block *moments;   // [contact_count] of blocks that are moments; NULL for none
    double (*rate_H)[3][3];      // [contact_count] S D^1/2 of the rates; NULL without rates
    double z[3];                 // D^1/2 S^T R
    double (*y)[8];              // [body_count + tasks], 6 used; NULL in W form
    double (*R)[3];              // [contact_count] the caller's
    con_sweep_conjugate conjugate;
} con_sweep;

/// What one pass changed.
typedef struct con_sweep_change {
    double change; // sum |dR|^2
    double size;   // sum |R|^2 after it
} con_sweep_change;

/// Prepares blocks in arena memory and takes R (projected on the cones) as start. Body form where
/// there is one.
/// @param local  NULL or the secular solver: prepared blocks
cairn_status con_sweep_init(con_sweep *sweep, const con_problem *problem, const con_local *local,
                            const void *local_settings, double (*R)[3],
                            base_arena *arena) CAIRN_CHECK_RESULT;

/// The rows that tasks of a pass change.
static inline con_rows con_sweep_rows(const con_sweep *sweep)
{
    return (con_rows){sweep->y, sweep->y != NULL ? sizeof *sweep->y : 0};
}

/// Recomputes y from R, without the round-off gathered by sweeps; wakes sleeping contacts.
void con_sweep_refresh(con_sweep *sweep);

/// U = q + W R by y and, for contacts of bodies with joints, their rows of C: after
/// con_sweep_refresh without the round-off of sweeps. Body form alone.
/// @param U  [contact_count][3] out
void con_sweep_velocity(const con_sweep *sweep, double (*U)[3]);

/// One pass, forward or backward. By index the tasks of the problem's domains are run at once,
/// level after level.
/// @return of several processes what the tasks that this one holds changed
con_sweep_change con_sweep_pass(con_sweep *sweep, bool backward);

/// The part of a pass that visits the places [begin, end), with no regard to domains.
con_sweep_change con_sweep_range(con_sweep *sweep, int begin, int end, bool backward);

/// Makes room for conjugate passes, in arena memory.
cairn_status con_sweep_use_conjugate(con_sweep *sweep, base_arena *arena) CAIRN_CHECK_RESULT;

/// The next conjugate pass starts anew: R has been replaced, or other passes came between.
void con_sweep_restart(con_sweep *sweep);

/// One forward pass that starts from a point moved along the changes of the passes before, as
/// nonlinear conjugate gradients do (factor of Fletcher and Reeves; anew where changes grow). R is
/// in the cones after it. Not to be mixed with relaxation or freezing.
/// Source: Silcowitz, Niebe & Erleben 2010. Tests: tests/unit/contact/test_sweep.c
void con_sweep_pass_conjugate(con_sweep *sweep);

#endif
