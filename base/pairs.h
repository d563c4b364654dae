// SPDX-License-Identifier: Apache-2.0
// Table from unordered pairs of indices to an index, for pairs of which few are listed.
#ifndef CAIRN_BASE_PAIRS_H
#define CAIRN_BASE_PAIRS_H

#include "base/memory.h"

typedef struct base_pair_entry {
    int low, high; // low <= high
    int value;     // -1 where free
} base_pair_entry;

/// Open addressing; zero-initialised it is empty.
typedef struct base_pairs {
    base_pair_entry *entries; // [capacity]
    int count;
    int capacity; // a power of two
} base_pairs;

/// Value of a pair, -1 where it is not listed.
int base_pairs_find(const base_pairs *pairs, int a, int b);

/// Lists a pair that is not listed yet, with a value that is not negative.
cairn_status base_pairs_add(base_pairs *pairs, const base_allocator *allocator, int a, int b,
                            int value) CAIRN_CHECK_RESULT;

void base_pairs_release(base_pairs *pairs, const base_allocator *allocator);

#endif
