// SPDX-License-Identifier: Apache-2.0
// Scratch of a step: what its passes hand on. Most of it lies in the arena, and nothing of it is
// saved.
#ifndef CAIRN_ENGINE_STATE_WORLD_SCRATCH_H
#define CAIRN_ENGINE_STATE_WORLD_SCRATCH_H

#include "base/memory.h"
#include "contact/laws/law.h"
#include "contact/problem/problem.h"
#include "engine/state/body_columns.h"

/// What the general passes deal with, made again when bodies, laws, joints, connectors or motions
/// have changed.
typedef struct eng_world_general {
    bool due;
    bool work;                         // they have anything to do
    int reach;                         // bodies from here on never take part in them
    int *active;                       // [active_count] bodies that do in this step: those without
    int active_count, active_capacity; // a slot, ascending, then spheres with one
    int count;                         // bodies without a slot
} eng_world_general;

/// The implicit problem of the last step, its solution, and what acts beside it.
typedef struct eng_world_solve {
    con_problem problem;       // arrays in the arena; contact_count 0 for none
    const int *row;            // [body] its row in the problem where it takes part, in the arena;
                               // NULL where bodies are rows. Row k is that of active[k] either way
    double (*v_free)[6];       // [problem.body_count] v_free by rows, as its writer
    double (*v)[6];            // [problem.body_count] v_end by rows
    const con_problem *solved; // the same, or with rows of joints after its contacts; NULL: none
    double (*solved_R)[3];     // [solved->contact_count] its guess and solution
    struct eng_driven *driven; // of this step, in the arena; NULL: no side of the cell is driven
                               // under the rigid law
    struct eng_rolling *rolling; // of this step, in the arena; NULL: no contact resists rolling
    double closing_fastest,
        closing_left;           // m/s, at which contacts close freely, and after the solve
    bool contacts_driven;       // a body with a prescribed motion takes part in the last problem
    double (*free_relative)[3]; // [contacts.cone_count] q of the problem, as its writer
    const double (*shift)[3]; // [contacts.cone_count] m/s, what restitution, gap and drift add to q
    double *rebound;    // [contacts.cone_count] m/s, U_N that the impacts before the problem left;
                        // NULL: none
    double (*given)[3]; // [contacts.cone_count] N s, of impacts and cohesion, before the problem;
                        // in the arena; NULL: none
    double (*guess)[3]; // [solved->contact_count] warm start of the last solve
    double (*solution_U)[3]; // [solved->contact_count] m/s, shift included
} eng_world_solve;

typedef struct eng_world_scratch {
    base_arena *arena; // holds the problem of the last step until the next
    eng_world_general general;
    eng_world_solve solve;

    bool rigid; // whether contacts of any pair are, from the begin of a step on

    // of this step, in the arena
    eng_load *applied;                 // [body_count] loads and fields; NULL: no field
    struct eng_joint_step *joint_step; // NULL without joints
    const signed char *spin_axis;      // [body_count] of eng_body_spin_axis; as joint_step
    struct eng_turning *turnings;      // [general.count] of dynamic bodies, as `active`
    double (*moved_energies)[2];       // [active_count] J, as eng_body_energies; NULL: ask again
    vec3 *spins; // [reach] rad/s, of active bodies by v, world axes at the midpoint
    con_impulse_output *explicit_outputs;  // [contacts.count - cone_count]
    con_impulse_output *connector_outputs; // [connectors]
    struct eng_aim *aims;                  // [reach] NULL: no pair asks for them
    bool *nears;    // [places of cone laws] whether the two may come near each other, with aims
    double *bounce; // [pair_count] s after the middle of the step, when the two bounce across a
                    // gap; INFINITY for most
    struct eng_undo *undo; // NULL where no general passes have work
} eng_world_scratch;

#endif
