// SPDX-License-Identifier: Apache-2.0
// Changes of HDF5 files as such: bytes that are changed blindly mostly make files that the library
// refuses, and what cairn makes of the contents is then not reached.
#ifndef CAIRN_TESTS_FUZZ_STRUCTURE_H
#define CAIRN_TESTS_FUZZ_STRUCTURE_H

#include <stddef.h>
#include <stdint.h>

/// Opens the bytes as an HDF5 file in memory and makes one to four changes: objects and attributes
/// are removed, renamed, exchanged, linked in circles or to nowhere, or replaced by ones of another
/// type, shape or layout; numbers are changed to those at the ends of their ranges.
/// @param data  [most]; in: `size` bytes; out: the changed file
/// @return its size; 0 where the bytes are no file that the library opens, or the new one has no
/// room
size_t fuzz_change_structure(uint8_t *data, size_t size, size_t most, uint64_t seed);

#endif
