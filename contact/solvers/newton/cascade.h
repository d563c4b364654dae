// SPDX-License-Identifier: Apache-2.0
// Frame of solvers that treat islands one by one: sweeps over all contacts, errors by island,
// models of the islands that sweeps leave unsolved.
#ifndef CAIRN_CONTACT_SOLVERS_NEWTON_CASCADE_H
#define CAIRN_CONTACT_SOLVERS_NEWTON_CASCADE_H

#include "contact/solvers/first_order/sweep.h"
#include "contact/solvers/newton/newton.h"

enum { CON_CASCADE_ROUNDS = 5 }; // over which the decline of the error is judged

typedef struct con_cascade {
    const con_problem *problem;
    const con_control *control;
    con_report *report;
    base_arena *arena;
    double (*R)[3]; // the caller's
    double (*U)[3];
    double start_time, deadline; // clock; INFINITY for no deadline
    con_sweep sweep;
    bool one_way;       // all sweeps forward, not in turn; false at first
    bool conjugate;     // sweeps go along conjugate directions; false at first
    double relaxation;  // of the sweeps after the first 20, while they converge; 1 at first
    double creep_error; // at most this where sweeps that creep end early; 0 at first
    int sweeps;         // made so far
    int promised;       // of them by con_cascade_sweep_on
    double decline;     // mean factor of the error in a round of 20 sweeps, of late; NAN: unknown
    double round_error[CON_CASCADE_ROUNDS]; // after the last rounds, in turn
    int kept_sweeps[2];                     // when they were a round times a power of two, and
    double kept_error[2];                   // the errors then; the later one first, 0: not yet

    bool is_split;      // islands are known
    int island_count;   // 0 until then
    int *start;         // [island_count + 1] into contact
    int *contact;       // contacts that can bear, by island, in the order of sweeps
    int *island;        // [contact_count] island of each contact; -1 for those that cannot bear
    con_newton **model; // [island_count]; NULL until asked for
    int patch_steps;    // factorisations and gradient steps of models that are no island's
    con_residual_sums *sums; // [island_count] at R
    con_residual_scale scale;
    int *body_place, *place;
    double error;   // of R at the last measurement: what the tolerance is about
    bool measured;  // R is still that of the last measurement
    bool refreshed; // the bodies of the sweep are those of R, without the round-off of sweeps
} con_cascade;

/// Takes the guess R; sweeps or the caller measure.
cairn_status con_cascade_create(const con_problem *problem, const con_control *control,
                                double (*R)[3], con_report *report, base_arena *arena,
                                con_cascade *cascade) CAIRN_CHECK_RESULT;

/// Gauss-Seidel sweeps, in symmetric order unless one_way, until `total` are made, the tolerance is
/// met or the time is up, or until they creep at an error of at most creep_error; measures the
/// guess, now and then, and at the end. In body form they go on along conjugate directions where
/// the error falls slowly, for tolerances from 1e-5 up and unless one_way.
cairn_status con_cascade_sweep(con_cascade *cascade, int total) CAIRN_CHECK_RESULT;

/// Finds the islands (contacts joined by mobile bodies, or by W) of a cascade that has been
/// measured; nothing where they are known. What follows below needs them.
cairn_status con_cascade_split(con_cascade *cascade) CAIRN_CHECK_RESULT;

/// More sweeps, where the decline of the error so far promises that they reach the tolerance for
/// less than `fraction` of what Newton methods would cost (by operation counts, not by the clock),
/// all such sweeps of the solve together, and for no more than half of the iterations left.
cairn_status con_cascade_sweep_on(con_cascade *cascade, double fraction) CAIRN_CHECK_RESULT;

/// The caller has replaced R: plain sweeps again, not relaxed; measures.
cairn_status con_cascade_restart(con_cascade *cascade) CAIRN_CHECK_RESULT;

/// Recomputes errors at R.
cairn_status con_cascade_measure(con_cascade *cascade) CAIRN_CHECK_RESULT;
bool con_cascade_solved(const con_cascade *cascade);

/// Iterations (sweeps, factorisations and gradient steps) left of control->max_iterations.
int con_cascade_left(const con_cascade *cascade);

/// The impulses of an island have run away, so that nothing else is worth its time.
bool con_cascade_ran_away(const con_cascade *cascade);

/// Out of time or iterations, or run away.
bool con_cascade_late(const con_cascade *cascade);

/// Error of an island at R in the sense of con_goal, or that of its model where that is less.
double con_cascade_island_error(const con_cascade *cascade, int island);

/// Model of an island, made at the first call, with the island's R noted.
cairn_status con_cascade_model(con_cascade *cascade, int island,
                               con_newton **model) CAIRN_CHECK_RESULT;

/// Brings the best point of an island's model into R, where it is better, and measures R.
cairn_status con_cascade_take_best(con_cascade *cascade, int island) CAIRN_CHECK_RESULT;

/// Brings the best point of any model into R, and measures.
cairn_status con_cascade_take(con_cascade *cascade, const con_newton *model) CAIRN_CHECK_RESULT;

/// Brings the best points of the models into R, measures, and fills the report.
cairn_status con_cascade_finish(con_cascade *cascade) CAIRN_CHECK_RESULT;

#endif
