// SPDX-License-Identifier: Apache-2.0
// What every fuzz target provides, and what they share: a file in memory under a path.
//
// A target is one C file. clang's libFuzzer drives it (scripts/fuzz.sh); elsewhere driver.c replays
// its corpus with a few thousand changes, as a test.
#ifndef CAIRN_TESTS_FUZZ_FUZZ_H
#define CAIRN_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// damaged files make the HDF5 library forget some of its own memory
const char *__lsan_default_suppressions(void);
__attribute__((weak)) const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

// and ask for more memory than there is, which it can do without
const char *__asan_default_options(void);
__attribute__((weak)) const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

/// One input. @return 0
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Writes inputs made by the project's own writers into a folder; nothing where they are texts,
/// which are kept in the corpus alone.
void fuzz_write_seeds(const char *folder);

/// Stops at something that no input may bring about.
static inline void fuzz_demand(int truth, const char *what)
{
    if (!truth) {
        fprintf(stderr, "fuzz: %s\n", what);
        abort();
    }
}

typedef struct fuzz_file {
    int descriptor;
    char path[32];
} fuzz_file;

/// A file of these bytes that is in memory alone; close its descriptor.
static inline fuzz_file fuzz_file_make(const uint8_t *data, size_t size)
{
    fuzz_file file = {memfd_create("cairn-fuzz", MFD_CLOEXEC), ""};
    fuzz_demand(file.descriptor >= 0, "no file in memory");
    while (size > 0) {
        ssize_t written = write(file.descriptor, data, size);
        fuzz_demand(written > 0, "file in memory not written");
        data += written;
        size -= (size_t)written;
    }
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

/// Where files lie whose folder matters: in memory where there is such a place.
static inline const char *fuzz_place(void)
{
    return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
}

#endif
