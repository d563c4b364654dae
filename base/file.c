// SPDX-License-Identifier: Apache-2.0
// Opening and writing files.
#include "base/file.h"

#include "base/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
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

/// What is wrong with what must be a regular file; NULL: nothing.
static const char *fault_of_mode(mode_t mode)
{
    if (S_ISDIR(mode))
        return "not a file but a folder";
    return S_ISREG(mode) ? NULL : "not a regular file";
}

/// The same of an open file.
static const char *fault_of(int descriptor)
{
    struct stat information;
    return fstat(descriptor, &information) != 0 ? strerror(errno)
                                                : fault_of_mode(information.st_mode);
}

const char *base_file_in_the_way(const char *path)
{
    struct stat information;
    return stat(path, &information) != 0 ? NULL : fault_of_mode(information.st_mode);
}

const char *base_file_refusal(int reason)
{
    return reason == ELOOP   ? "is a symbolic link, which is not written through"
           : reason == ENXIO ? "not a regular file"
                             : strerror(reason);
}

/// Opens a file without waiting for whom it may lead to; `mode` is that of fdopen.
static FILE *open_regular(const char *path, int flags, const char *mode, const char **reason)
{
    FILE *file = NULL;
    const char *fault = NULL;
    int descriptor = open(path, flags | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0666);
    if (descriptor < 0)
        fault = (flags & O_NOFOLLOW) != 0 ? base_file_refusal(errno)
                : errno == ENXIO          ? "not a regular file"
                                          : strerror(errno);
    if (fault == NULL)
        fault = fault_of(descriptor);
    // emptied only once it is known to be a file
    if (fault == NULL && (flags & O_CREAT) != 0 && ftruncate(descriptor, 0) != 0)
        fault = strerror(errno);
    if (fault == NULL && (file = fdopen(descriptor, mode)) == NULL)
        fault = strerror(errno);
    if (file == NULL && descriptor >= 0)
        close(descriptor);
    if (reason != NULL)
        *reason = fault;
    return file;
}

FILE *base_file_read(const char *path, const char **reason)
{
    return open_regular(path, O_RDONLY, "rb", reason);
}

FILE *base_file_create(const char *path, const char **reason)
{
    return open_regular(path, O_WRONLY | O_CREAT | O_NOFOLLOW, "wb", reason);
}

FILE *base_file_create_new(const char *path, const char **reason)
{
    unlink(path);
    return open_regular(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, "wb", reason);
}

FILE *base_file_change(const char *path, const char **reason)
{
    return open_regular(path, O_RDWR | O_NOFOLLOW, "r+b", reason);
}

bool base_file_hash(const char *path, uint64_t *hash)
{
    unsigned char bytes[1 << 14];
    FILE *file = base_file_read(path, NULL);
    if (file == NULL)
        return false;
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, file)) > 0;)
        *hash = base_hash_bytes(*hash, bytes, count);
    bool whole = ferror(file) == 0;
    fclose(file);
    return whole;
}
