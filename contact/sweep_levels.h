// SPDX-License-Identifier: Apache-2.0
// Levels of the contacts of a problem in body form: which a sweep may take at the same time.
#ifndef CAIRN_CONTACT_SWEEP_LEVELS_H
#define CAIRN_CONTACT_SWEEP_LEVELS_H

#include "contact/sweep.h"

/// Sorts groups (runs of contacts with the same two bodies) by level, one above the highest earlier
/// group that shares a mobile body, and numbers the groups of each body. Taken in this order with
/// every body in the order of its numbers, they do what contact after contact does.
cairn_status con_sweep_levels_create(const con_problem *problem, base_arena *arena,
                                     con_sweep_levels *levels) CAIRN_CHECK_RESULT;

#endif
