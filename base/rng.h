// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine for a seed (splitmix64).
#ifndef CAIRN_BASE_RNG_H
#define CAIRN_BASE_RNG_H

#include "base/hash.h"

typedef struct base_rng {
    uint64_t state;
} base_rng;

static inline base_rng base_rng_make(uint64_t seed)
{
    return (base_rng){base_hash_mix(seed + UINT64_C(0x9e3779b97f4a7c15))};
}

static inline uint64_t base_rng_next(base_rng *rng)
{
    rng->state += UINT64_C(0x9e3779b97f4a7c15);
    return base_hash_mix(rng->state);
}

/// Uniform in [0, 1).
static inline double base_rng_unit(base_rng *rng)
{
    return (double)(base_rng_next(rng) >> 11) * 0x1p-53;
}

/// Uniform in [low, high).
static inline double base_rng_range(base_rng *rng, double low, double high)
{
    return low + (high - low) * base_rng_unit(rng);
}

/// Uniform in 0 .. count-1, without bias that matters below 2^32.
static inline int base_rng_index(base_rng *rng, int count)
{
    return (int)(((base_rng_next(rng) >> 32) * (uint64_t)count) >> 32);
}

#endif
