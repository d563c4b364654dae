// SPDX-License-Identifier: Apache-2.0
// The state: what a step carries over to the next one, beside contacts. Checkpoints keep it.
#ifndef CAIRN_ENGINE_STATE_WORLD_STATE_H
#define CAIRN_ENGINE_STATE_WORLD_STATE_H

#include "base/sums/exact_sum.h"
#include "contact/laws/law.h"
#include "contact/solvers/solver.h"
#include "engine/state/body_columns.h"
#include "engine/state/cell.h"
#include <cairn/cairn.h>

/// What a connector keeps between steps; doubles alone, so that it is saved as one array.
typedef struct eng_connector_state {
    double closed;                   // 1: the last step saw it closed or bonded
    double gap;                      // m, midpoint configuration
    mat3 frame;                      // rows n, t1, t2, world
    vec3 point;                      // m
    vec3 V, U;                       // m/s, contact frame
    vec3 R;                          // N s on B, contact frame
    vec3 couple[2];                  // N m s on A and B, world
    double history[CON_HISTORY_MAX]; // as the law names them
    double releasable;               // J, lost if it opens; by audit
    double elastic;                  // J, stored at the end of the step; by audit
} eng_connector_state;

enum { ENG_CONNECTOR_STATE_WIDTH = (int)(sizeof(eng_connector_state) / sizeof(double)) };

/// A step that is made in pieces (passes/pieces.h).
typedef struct eng_pieces {
    int done;      // of the step, counted in the smallest pieces; 0 between whole steps
    int ramp;      // size of the piece that follows, after pieces cut for what bodies meet; else 0
    bool cut;      // the piece in hand was
    int size;      // of the piece in hand, in the same
    bool gave_up;  // one of the smallest ended above the tolerance: what follows is not halved
    int least;     // size that it must have: bodies have bounced already off what they meet until
                   // its middle
    bool divide;   // the piece in hand was taken back and is to be halved
    bool too_long; // it should be, for what bodies meet within it
    bool thrown;   // bodies got other velocities since the last step: what they meet in the first
                   // half of this one is not known
    double owed;   // s, from the end of the piece to the last bounce that it has made already;
                   // -1: it made none
    int lost;      // index + 1 of a body that the smallest pieces were too long for; 0: none
    con_stop stop; // of the last solve
    cairn_step_report report; // of the pieces so far
} eng_pieces;

/// What chunks of slots book in each step, J: added without round-off, so that no sum depends on
/// who has which chunk, nor on when somebody asks.
typedef struct eng_booked {
    base_exact_sum damping, friction, plastic, drivers;
} eng_booked;

enum { ENG_BOOKED_SUMS = (int)(sizeof(eng_booked) / sizeof(base_exact_sum)) };

typedef struct eng_world_clock {
    int64_t step_count;
    double time_start; // s, of step 0
    double time;       // s
    double step;       // s, of the step or piece at hand; between steps that of the model
    double horizon;    // s, from the middle of the step or piece at hand to that of the next one
} eng_world_clock;

/// What changes the world between steps by rules of its own.
typedef struct eng_world_actions {
    struct eng_action **rows; // [count]
    int count, capacity;
    int64_t begun; // steps before which they have acted: a step that is undone and made again
                   // finds their work done
} eng_world_actions;

/// What joints keep.
typedef struct eng_world_linkage {
    struct eng_joint_state *rows; // [model.joints.count]
    int capacity;
} eng_world_linkage;

/// What connectors keep, and what broke.
typedef struct eng_world_bonds {
    eng_connector_state *rows; // [connectors]
    int capacity;
    double (*breaks)[11]; // [break_count] bonds that broke, breaks.h
    int break_count, break_capacity;
} eng_world_bonds;

typedef struct eng_world_audit {
    cairn_energy energy; // without `booked`
    eng_booked booked;   // by the sphere executor
    bool has_booked;     // it has; else all sums are 0
    bool started;        // `start` is known
    double start;        // J, kinetic + potential at the first step
    double before;       // J, residual less dissipation at the start of this step
} eng_world_audit;

typedef struct eng_world_state {
    eng_world_clock clock;
    eng_body_columns bodies;
    eng_world_linkage joints;
    eng_world_bonds connectors;
    eng_world_actions actions;
    eng_cell cell;
    eng_pieces pieces;
    eng_world_audit audit;
    struct eng_spheres *spheres; // sphere executor; NULL until it is used
    struct eng_sharing *sharing; // of implicit contacts among processes; NULL: one process
    /// [body_count] 1 for bodies whose state other processes alone have, pairs/borders.h; NULL:
    /// none
    const unsigned char *elsewhere;
} eng_world_state;

#endif
