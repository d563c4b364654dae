// SPDX-License-Identifier: Apache-2.0
// Table from names to indices, for look-ups that must not grow with the number of names.
#ifndef CAIRN_BASE_NAMES_H
#define CAIRN_BASE_NAMES_H

#include "base/memory.h"

/// Open addressing; zero-initialised it is empty. Names are borrowed: they live as long as the
/// table and never change.
typedef struct base_names {
    const char **keys; // [capacity], NULL where free
    int *values;       // [capacity]
    int count;
    int capacity; // a power of two
} base_names;

/// Index of a name, -1 where it is not listed.
int base_names_find(const base_names *names, const char *name);

/// Lists a name that is not listed yet.
cairn_status base_names_add(base_names *names, const base_allocator *allocator, const char *name,
                            int value) CAIRN_CHECK_RESULT;

/// Gives a listed name another index.
void base_names_change(base_names *names, const char *name, int value);

/// Strikes a name that is listed. The borrowed text is not needed any more.
void base_names_remove(base_names *names, const char *name);

void base_names_release(base_names *names, const base_allocator *allocator);

#endif
