// SPDX-License-Identifier: Apache-2.0
// A chunk of an HDF5 data set as the filters shuffle and deflate store it, made in the memory of
// one chunk, where HDF5 takes three times as much.
#ifndef CAIRN_ENGINE_FILES_CHUNK_H
#define CAIRN_ENGINE_FILES_CHUNK_H

#include <stddef.h>

/// Bytes of the block in which a chunk of so many values, of eight bytes each, is made.
size_t eng_chunk_room(size_t values);

/// Puts values [first, first + count) of a chunk into its block, shuffled: the first bytes of all
/// values of the chunk come first, then their second ones.
void eng_chunk_put(void *block, size_t values, size_t first, size_t count, const void *part);

/// Deflates a chunk, all of whose values were put, within its block.
/// @return bytes that H5Dwrite_chunk takes from the block's begin; 0 when out of memory
size_t eng_chunk_deflate(void *block, size_t values, int level);

#endif
