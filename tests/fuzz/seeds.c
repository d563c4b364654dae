// SPDX-License-Identifier: Apache-2.0
// Lets a target that libFuzzer drives write its own inputs: fuzz_NAME --seeds FOLDER.
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerInitialize(int *count, char ***words);

int LLVMFuzzerInitialize(int *count, char ***words)
{
    if (*count == 3 && strcmp((*words)[1], "--seeds") == 0) {
        fuzz_write_seeds((*words)[2]);
        exit(0);
    }
    return 0;
}
