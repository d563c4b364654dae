// SPDX-License-Identifier: Apache-2.0
// Lengths of vectors: the machine's, and the user's limit.
#include "base/vectors.h"

#include "base/assert.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int length;
} kinds[] = {{"avx512", 8}, {"avx2", 4}, {"scalar", 1}};

int base_vectors_length(const char *name)
{
    for (int i = 0; name != NULL && i < BASE_COUNT(kinds); i++)
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].length;
    return 0;
}

const char *base_vectors_name(int length)
{
    for (int i = 0; i < BASE_COUNT(kinds); i++)
        if (kinds[i].length == length)
            return kinds[i].name;
    return "";
}

int base_vectors_machine(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        return 8;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 4 : 1;
#else
    return 1;
#endif
}

int base_vectors_longest(void)
{
    int machine = base_vectors_machine(), most = base_vectors_length(getenv("CAIRN_VECTORS"));
    return most > 0 && most < machine ? most : machine;
}
