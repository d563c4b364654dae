// SPDX-License-Identifier: Apache-2.0
// Sums of doubles without round-off: the value does not depend on the order of what is added, nor
// on who added which part of it.
#ifndef CAIRN_BASE_EXACT_SUM_H
#define CAIRN_BASE_EXACT_SUM_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BASE_EXACT_DIGITS =
        68, // from below the smallest double to above the sum of 2^64 of the largest
    BASE_EXACT_LOWEST = 1088 // the lowest digit counts 2^-1088
};

/// Zero it before its first use: the sum is 0 then. All numbers are integers but `odd`, so that a
/// copy of the bytes is a copy of the sum.
typedef struct base_exact_sum {
    int64_t digit[BASE_EXACT_DIGITS]; // digit i counts 2^(32 i - BASE_EXACT_LOWEST)
    int64_t added;                    // since digits were carried last; they have room for 2^29
    double odd;                       // sum of what was not finite; else 0
} base_exact_sum;

void base_exact_add(base_exact_sum *sum, double value);

/// Adds another sum, which stays as it is; the two may not be the same.
void base_exact_add_sum(base_exact_sum *sum, const base_exact_sum *other);

/// The sum, rounded once to the nearest double (to even where two are as near); +-infinity beyond
/// them, and infinity or NaN where what was added was not finite.
double base_exact_value(const base_exact_sum *sum);

/// Brings the digits to the one form that stands for the value: all but the highest are from 0 to
/// 2^32 - 1. Two sums of the same numbers have the same bytes then.
void base_exact_carry(base_exact_sum *sum);

#endif
