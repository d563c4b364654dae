// SPDX-License-Identifier: Apache-2.0
// 64-bit hash of byte strings, for state hashes (not for security).
#ifndef CAIRN_BASE_HASH_H
#define CAIRN_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/// Start value of a running hash.
#define BASE_HASH_START UINT64_C(0xcbf29ce484222325)

/// Continues a running hash over `size` bytes. The result depends on the bytes alone.
uint64_t base_hash_bytes(uint64_t hash, const void *data, size_t size);

/// The begin of such bytes, in words of eight: base_hash_bytes goes on with what is left.
uint64_t base_hash_words(uint64_t hash, const void *data, size_t count);

/// Scrambles an integer so that every input bit reaches every output bit.
uint64_t base_hash_mix(uint64_t value);

#endif
