// SPDX-License-Identifier: Apache-2.0
// Table of the contact laws.
#include "contact/laws/law.h"

#include "base/assert.h"

#include <string.h>

// clang-format off
// clang-format on
#define LAW_LIST(X)                                                                                \
    X(signorini_coulomb)                                                                           \
    X(spring_dashpot)                                                                              \
    X(incremental)                                                                                 \
    X(exudyn_sphere)                                                                               \
    X(hertz_mindlin)                                                                               \
    X(hooke)

#define LAW_DECLARE(name) extern const con_law con_law_##name;
LAW_LIST(LAW_DECLARE)

#define LAW_ENTRY(name) &con_law_##name,
static const con_law *const laws[] = {LAW_LIST(LAW_ENTRY)};

const con_law *const *con_law_list(int *count)
{
    *count = BASE_COUNT(laws);
    return laws;
}

const con_law *con_law_find(const char *name)
{
    for (int i = 0; i < BASE_COUNT(laws); i++)
        if (strcmp(laws[i]->name, name) == 0)
            return laws[i];
    return NULL;
}
