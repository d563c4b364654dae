// SPDX-License-Identifier: Apache-2.0
// Opening and writing files without surprises: no pipe is waited for, no link is written through.
#ifndef CAIRN_BASE_FILE_H
#define CAIRN_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// Opens a regular file for reading; links are followed. A folder, a pipe or a device is refused
/// at once instead of being waited for.
/// @param reason  out on failure: why, as a text for a message; may be NULL
/// @return NULL on failure
FILE *base_file_read(const char *path, const char **reason);

/// Creates a file for writing, or opens the one that is there and empties it. A symbolic link, a
/// pipe or a device in its place is refused.
FILE *base_file_create(const char *path, const char **reason);

/// The same for a file under a temporary name: what lies there is removed first.
FILE *base_file_create_new(const char *path, const char **reason);

/// Opens a regular file for reading and writing in place; a symbolic link is refused.
FILE *base_file_change(const char *path, const char **reason);

/// Why a file was not opened that must not be a symbolic link, as a text for a message.
/// @param reason  errno
const char *base_file_refusal(int reason);

/// Why a whole file may not be put in the place of what is under this name: links are followed to a
/// folder, a pipe or a device. NULL where nothing, a regular file or a link that leads nowhere is.
const char *base_file_in_the_way(const char *path);

/// Goes on with a hash over the bytes of a regular file. @return false where it cannot be read
bool base_file_hash(const char *path, uint64_t *hash);

/// Writes all bytes, whatever the system takes at a time; false with errno where it refuses.
bool base_write_all(int descriptor, const void *bytes, size_t size);

#endif
