// SPDX-License-Identifier: Apache-2.0
// Asserts for programmer's mistakes: on in debug and CI builds, off under NDEBUG.
#ifndef CAIRN_BASE_ASSERT_H
#define CAIRN_BASE_ASSERT_H

#include <assert.h>

#define BASE_ASSERT(condition) assert(condition)

/// Number of elements of a true array (not a pointer).
#define BASE_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
