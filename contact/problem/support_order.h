// SPDX-License-Identifier: Apache-2.0
// An order of the contacts that does not depend on how they are numbered.
#ifndef CAIRN_CONTACT_PROBLEM_SUPPORT_ORDER_H
#define CAIRN_CONTACT_PROBLEM_SUPPORT_ORDER_H

#include "contact/problem/problem.h"

/// Orders the contacts by their distance from what is immobile, so that what bears comes before
/// what it bears, and at the same distance by their free velocities, diagonal blocks and friction.
/// In W form, where bodies are not known, the distance is from the contact with the fewest blocks.
/// A moment follows its force. Two numberings of the same contacts get the same order but for
/// contacts whose numbers all agree, which keep the order of their indices.
/// @param order  [contact_count] indices of contacts, out
/// @param arena  scratch; rewound before return
/// @return CAIRN_ERROR_MEMORY
/// Tests: tests/unit/contact/test_support_order.c
cairn_status con_support_order(const con_problem *problem, int *order,
                               base_arena *arena) CAIRN_CHECK_RESULT;

#endif
