// SPDX-License-Identifier: Apache-2.0
// Some contacts of an island solved by themselves, while all others keep their impulses.
//
// From one step of a run to the next contacts come and go in a few places, and what a guess lacks
// may lie there alone: a few hundred contacts of many thousands carry all of the error. Methods for
// whole islands start from elsewhere and meet the folds of all; here the contacts that carry the
// error, and those near them, are an island of their own, in which the others move bodies at given
// velocities.
#ifndef CAIRN_CONTACT_STRATEGY_PATCH_H
#define CAIRN_CONTACT_STRATEGY_PATCH_H

#include "contact/solvers/newton/cascade.h"

/// Patches of one island, one after the other.
typedef struct con_patch {
    con_cascade *cascade;
    int island;
    bool *chosen;       // [contacts of the problem] in this or an earlier patch
    double (*best)[3];  // [contacts of the problem] the best point so far
    double best_error;  // of the island there
    bool at_best;       // the cascade is there
    int count;          // contacts of this one
    con_problem around; // the problem with q as the other contacts make it
    con_newton model;   // of a part of the tolerance, with the point of the cascade noted
    base_arena_mark mark;
} con_patch;

/// Takes the best point of the island into the cascade.
cairn_status con_patch_init(con_cascade *cascade, int island, con_patch *patch) CAIRN_CHECK_RESULT;

/// Finds the contacts that carry the error of the island where the cascade is, and those around
/// them, and makes their model. What is solved moves the error to the border of its patch: with
/// `wider` the earlier patches belong to this one, which reaches beyond.
/// @param most   part of the island's contacts that it may have
/// @param found  out: false where it would have more; there is no patch then
cairn_status con_patch_find(con_patch *patch, double most, bool wider,
                            bool *found) CAIRN_CHECK_RESULT;

/// The best point of the model becomes that of the cascade, which is measured. The model's memory
/// is free again.
cairn_status con_patch_take(con_patch *patch) CAIRN_CHECK_RESULT;

/// The cascade gets the best of all points that were taken, and of the first one.
cairn_status con_patch_end(con_patch *patch) CAIRN_CHECK_RESULT;

#endif
