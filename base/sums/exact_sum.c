// SPDX-License-Identifier: Apache-2.0
// A fixed-point number as wide as doubles reach, in digits of 32 bits that keep their carries until
// there is no more room for them: Kulisch's accumulator.
#include "base/sums/exact_sum.h"

#include <math.h>
#include <string.h>

enum { MOST_ADDED = 1 << 28, MANTISSA_BITS = 52, EXPONENT_BIAS = 1075, EXPONENT_MASK = 0x7ff };

void base_exact_add(base_exact_sum *sum, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int exponent = (int)(bits >> MANTISSA_BITS) & EXPONENT_MASK;
    uint64_t mantissa = bits & ((UINT64_C(1) << MANTISSA_BITS) - 1);
    if (exponent == EXPONENT_MASK) {
        sum->odd += value;
        return;
    }
    if (exponent > 0)
        mantissa |= UINT64_C(1) << MANTISSA_BITS;
    else
        exponent = 1;
    int place = exponent - EXPONENT_BIAS + BASE_EXACT_LOWEST, shift = place % 32;
    int64_t *digit = &sum->digit[place / 32];
    uint64_t low = (mantissa & UINT32_MAX) << shift, high = (mantissa >> 32) << shift;
    int64_t sign = bits >> 63 ? -1 : 1;
    digit[0] += sign * (int64_t)(low & UINT32_MAX);
    digit[1] += sign * (int64_t)((low >> 32) + (high & UINT32_MAX));
    digit[2] += sign * (int64_t)(high >> 32);
    if (++sum->added >= MOST_ADDED)
        base_exact_carry(sum);
}

void base_exact_carry(base_exact_sum *sum)
{
    for (int i = 0; i + 1 < BASE_EXACT_DIGITS; i++) {
        int64_t low = sum->digit[i] & (int64_t)UINT32_MAX;
        sum->digit[i + 1] += (sum->digit[i] - low) / (INT64_C(1) << 32);
        sum->digit[i] = low;
    }
    sum->added = 0;
}

void base_exact_add_sum(base_exact_sum *sum, const base_exact_sum *other)
{
    if (sum->added + other->added >= MOST_ADDED)
        base_exact_carry(sum);
    for (int i = 0; i < BASE_EXACT_DIGITS; i++)
        sum->digit[i] += other->digit[i];
    // carried digits count as one that was added
    sum->added += other->added + 1;
    sum->odd += other->odd;
}

/// The 64 bits from the highest one of a positive sum on; the lowest is set, too, where any below
/// them is. @param highest  digit that is not 0
static uint64_t leading_bits(const base_exact_sum *sum, int highest, int *place)
{
    uint64_t window = (uint64_t)sum->digit[highest];
    int free = __builtin_clzll(window), next = highest - 1;
    *place = 32 * highest - free;
    window <<= free;
    for (; next >= 0 && free > 0; next--) {
        uint64_t digit = (uint64_t)sum->digit[next];
        window |= free >= 32 ? digit << (free - 32) : digit >> (32 - free);
        if (free < 32 && (digit & ((UINT64_C(1) << (32 - free)) - 1)) != 0)
            window |= 1;
        free -= 32;
    }
    for (; next >= 0; next--)
        window |= sum->digit[next] != 0;
    return window;
}

double base_exact_value(const base_exact_sum *sum)
{
    base_exact_sum s = *sum;
    if (s.odd != 0.0)
        return s.odd;
    base_exact_carry(&s);
    int top = BASE_EXACT_DIGITS - 1;
    bool negative = s.digit[top] < 0;
    for (int i = 0; i <= top && negative; i++)
        s.digit[i] = -s.digit[i];
    if (negative)
        base_exact_carry(&s);
    while (top > 0 && s.digit[top] == 0)
        top--;
    if (s.digit[top] == 0)
        return 0.0;
    int place;
    // more bits than a double has, so that one rounding is left; sums that have fewer are exact
    double value = (double)leading_bits(&s, top, &place);
    value = ldexp(value, place - BASE_EXACT_LOWEST);
    return negative ? -value : value;
}
