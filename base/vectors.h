// SPDX-License-Identifier: Apache-2.0
// How many numbers at a time the vector kernels take on this machine, and how many they may.
#ifndef CAIRN_BASE_VECTORS_H
#define CAIRN_BASE_VECTORS_H

/// Doubles in a vector of a name: 8 for "avx512" (F, VL, DQ), 4 for "avx2", 1 for "scalar"; 0 for
/// another or NULL.
int base_vectors_length(const char *name);

/// The name of a length; "" for another.
const char *base_vectors_name(int length);

/// Doubles in the longest vectors that this machine has.
int base_vectors_machine(void);

/// Doubles in the longest vectors that this machine has and the environment variable CAIRN_VECTORS
/// (one of the names; anything else is no limit) allows. Results do not depend on it.
/// Tests: tests/unit/base/test_vectors.c, tests/cli/test_vectors.py
int base_vectors_longest(void);

#endif
