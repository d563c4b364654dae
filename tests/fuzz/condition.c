// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the condition of --fclib-when.
#include "scenes/condition.h"
#include "base/status.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

void fuzz_write_seeds(const char *folder)
{
    (void)folder;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_demand(text != NULL, "out of memory");
    memcpy(text, data, size);
    text[size] = '\0';
    scn_condition condition;
    cairn_error error = {0};
    double values[SCN_QUANTITY_COUNT];
    for (int i = 0; i < SCN_QUANTITY_COUNT; i++)
        values[i] = 0.5 * i;
    if (scn_condition_parse(text, &condition, &error) == CAIRN_OK)
        (void)scn_condition_holds(&condition, values);
    else
        fuzz_demand(error.message[0] != '\0', "a failure without a message");
    free(text);
    return 0;
}
