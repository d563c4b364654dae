// SPDX-License-Identifier: Apache-2.0
// Writing to file descriptors.
#ifndef CAIRN_BASE_FILE_H
#define CAIRN_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/// Writes all bytes, whatever the system takes at a time; false with errno where it refuses.
bool base_write_all(int descriptor, const void *bytes, size_t size);

#endif
