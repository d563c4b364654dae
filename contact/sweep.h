// SPDX-License-Identifier: Apache-2.0
// One pass of Gauss-Seidel over the contacts: prepared blocks in scratch memory, body or W form.
#ifndef CAIRN_CONTACT_SWEEP_H
#define CAIRN_CONTACT_SWEEP_H

#include "contact/secular.h"
#include "contact/solver.h"

/// All that a pass needs of one contact, side by side in memory in the order of use.
typedef struct con_sweep_contact {
    double H[3][2][6]; // blocks of A and B times M^-1/2; zero where immobile
    con_secular block; // diagonal block of W
    double q[3];       // m/s
    int body[2];       // rows of y; the spare row where immobile
    int asleep;        // sweeps still left out (freezing)
    bool can_bear;     // W_NN > 0
} con_sweep_contact;

/// Groups of contacts (those of one pair of bodies) in the order of parallel passes,
/// sweep_levels.h.
typedef struct con_sweep_levels {
    int group_count;  // 0: contacts are taken one after the other
    int (*range)[2];  // [groups] first contact of a group, and the one after its last
    int (*number)[2]; // [groups] groups of body A and of body B before this one
    int *body_groups; // [body_count] all groups of a body
} con_sweep_levels;

/// What conjugate passes remember.
typedef struct con_sweep_conjugate {
    double *weight;           // [contact_count] trace W_ii
    double *partial;          // [chunks of contacts]
    double (*change)[3];      // [contact_count] of the last pass
    double (*direction)[3];   // [contact_count] along which the next pass starts
    double (*y_before)[8];    // [body_count] at the start of the last pass; NULL in W form
    double (*y_direction)[8]; // [body_count] as direction
    double size;              // |change|^2 of the last pass, weighted
    double factor;            // of the direction before the next pass; negative: start anew
} con_sweep_conjugate;

/// What one pass changed.
typedef struct con_sweep_change {
    double change; // sum |dR|^2
    double size;   // sum |R|^2 after it
} con_sweep_change;

/// Work of a solver: made once per solve. With a body form the state is y = M^-1/2 H^T R, so that
/// U = q + (H M^-1/2) y, theory.md (6.2); otherwise R itself through the rows of W.
typedef struct con_sweep {
    const con_problem *problem;
    const con_local *local; // NULL: secular, on the prepared blocks
    const void *local_settings;
    double relaxation;           // omega of R + omega (R_solved - R)
    int freeze_sweeps;           // a quiet contact is left out for so many sweeps; 0: never
    double freeze_change;        // quiet: |dR| at most this, N s
    con_sweep_contact *contacts; // [contact_count]
    double (*y)[8];              // [body_count + 1], 6 used, then groups done; NULL in W form
    double (*R)[3];              // [contact_count] the caller's
    base_workers *workers;       // may be NULL
    con_sweep_levels levels;     // of con_sweep_init_parallel with several workers
    con_sweep_conjugate conjugate;
} con_sweep;

/// Prepares blocks in arena memory and takes R (projected on the cones) as start. Body form where
/// there is one.
/// @param local  NULL or the secular solver: prepared blocks
cairn_status con_sweep_init(con_sweep *sweep, const con_problem *problem, const con_local *local,
                            const void *local_settings, double (*R)[3],
                            base_arena *arena) CAIRN_CHECK_RESULT;

/// The same for several workers: in body form passes without an order of the caller's run in
/// parallel. Every body meets its contacts in their order, so that R and y have the bits of one
/// worker; sums of con_sweep_change are then left 0.
/// @param workers  may be NULL
cairn_status con_sweep_init_parallel(con_sweep *sweep, const con_problem *problem,
                                     base_workers *workers, double (*R)[3],
                                     base_arena *arena) CAIRN_CHECK_RESULT;

/// Recomputes y from R, without the round-off gathered by sweeps; wakes sleeping contacts.
void con_sweep_refresh(con_sweep *sweep);

/// The same where R has been replaced: conjugate passes start anew.
void con_sweep_restart(con_sweep *sweep);

/// U = W R + q after con_sweep_refresh; body form only.
/// @param U  [contact_count][3] out
void con_sweep_velocity(const con_sweep *sweep, double (*U)[3]);

/// One pass, forward or backward, or in the order given.
/// @param order  [contact_count] permutation; NULL: by index. Must be NULL where there are levels.
con_sweep_change con_sweep_pass(con_sweep *sweep, const int *order, bool backward);

/// Makes room for conjugate passes, in arena memory.
cairn_status con_sweep_use_conjugate(con_sweep *sweep, base_arena *arena) CAIRN_CHECK_RESULT;

/// One forward pass that starts from a point moved along the changes of the passes before, as
/// nonlinear conjugate gradients do (factor of Fletcher and Reeves; anew where changes grow). R is
/// in the cones after it. Not to be mixed with relaxation or freezing.
/// Source: Silcowitz, Niebe & Erleben 2010. Tests: tests/unit/contact/test_sweep.c
void con_sweep_pass_conjugate(con_sweep *sweep);

#endif
