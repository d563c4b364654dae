// SPDX-License-Identifier: Apache-2.0
// Running hash, eight bytes at a time.
#include "base/hash.h"

#include <string.h>

uint64_t base_hash_mix(uint64_t value)
{
    // finaliser of splitmix64 (Steele, Lea, Flood 2014)
    value ^= value >> 30;
    value *= UINT64_C(0xbf58476d1ce4e5b9);
    value ^= value >> 27;
    value *= UINT64_C(0x94d049bb133111eb);
    return value ^ (value >> 31);
}

uint64_t base_hash_words(uint64_t hash, const void *data, size_t count)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, bytes + 8 * i, 8);
        hash = base_hash_mix(hash ^ word) + UINT64_C(0x9e3779b97f4a7c15);
    }
    return hash;
}

uint64_t base_hash_bytes(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    size_t i = size / 8 * 8;
    hash = base_hash_words(hash, data, size / 8);
    uint64_t tail = size - i;
    for (int shift = 8; i < size; i++, shift += 8)
        tail |= (uint64_t)bytes[i] << shift;
    return base_hash_mix(hash ^ tail);
}
