// SPDX-License-Identifier: Apache-2.0
// Writing to file descriptors.
#include "base/file.h"

#include <errno.h>
#include <unistd.h>

bool base_write_all(int descriptor, const void *bytes, size_t size)
{
    const char *rest = bytes;
    while (size > 0) {
        ssize_t written = write(descriptor, rest, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        rest += written;
        size -= (size_t)written;
    }
    return true;
}
