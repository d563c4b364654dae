// SPDX-License-Identifier: Apache-2.0
// Table of the one-contact solvers.
#include "contact/local/local.h"

#include "base/assert.h"

#include <string.h>

// clang-format off
#define LOCAL_LIST(X)                                                                              \
    X(secular)                                                                                     \
    X(nonsmooth_newton)                                                                            \
    X(velocity_newton)                                                                             \
    X(projected_gradient)                                                                          \
    X(de_saxce_feng)
// clang-format on

#define LOCAL_DECLARE(name) extern const con_local con_local_##name;
LOCAL_LIST(LOCAL_DECLARE)

#define LOCAL_ENTRY(name) &con_local_##name,
static const con_local *const locals[] = {LOCAL_LIST(LOCAL_ENTRY)};

const con_local *const *con_local_list(int *count)
{
    *count = BASE_COUNT(locals);
    return locals;
}

const con_local *con_local_find(const char *name)
{
    for (int i = 0; i < BASE_COUNT(locals); i++)
        if (strcmp(locals[i]->name, name) == 0)
            return locals[i];
    return NULL;
}
