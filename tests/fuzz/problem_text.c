// SPDX-License-Identifier: Apache-2.0
// Fuzz target: problem files in text, as Siconos writes them, described, checked and solved.
#include "tests/fuzz/problem_use.h"

#include <string.h>

enum { NUMBER_MAX = 400 };

void fuzz_write_seeds(const char *folder)
{
    (void)folder;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // any number of zeros may stand before a number; nothing is learnt from thousands
    size_t longest = 0;
    for (size_t i = 0, length = 0; i < size; i++) {
        length = memchr(" \t\r\n", data[i], 4) != NULL ? 0 : length + 1;
        longest = length > longest ? length : longest;
    }
    if (longest > NUMBER_MAX)
        return 0;
    fuzz_file file = fuzz_file_make(data, size);
    problem_use(file.path);
    close(file.descriptor);
    return 0;
}
