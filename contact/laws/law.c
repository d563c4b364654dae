// SPDX-License-Identifier: Apache-2.0
// Table of the contact laws.
#include "contact/laws/law.h"

#include "base/assert.h"
#include "contact/laws/law_list.h"

#include <string.h>

#define LAW_DECLARE(name) extern const con_law con_law_##name;
CON_LAW_LIST(LAW_DECLARE)

#define LAW_ENTRY(name) &con_law_##name,
static const con_law *const laws[] = {CON_LAW_LIST(LAW_ENTRY)};

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
