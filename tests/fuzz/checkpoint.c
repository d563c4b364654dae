// SPDX-License-Identifier: Apache-2.0
// Fuzz target: checkpoints whose seal fits, restored into a world, which then steps.
#include "base/hash.h"
#include "tests/fuzz/small_world.h"

#include <string.h>

enum { SEAL = 24 };

void fuzz_write_seeds(const char *folder)
{
    for (int balls = 0; balls < 2; balls++) {
        char path[1024];
        cairn_error error = {0};
        cairn_world *world = small_world_make(balls != 0);
        small_world_steps(world, 3);
        snprintf(path, sizeof path, "%s/%s.h5", folder, balls != 0 ? "balls" : "ball_and_box");
        fuzz_demand(cairn_world_save(world, path, "note", &error) == CAIRN_OK, "not saved");
        cairn_world_destroy(world);
    }
}

/// The input with a seal that fits, in place of one that it may have.
static fuzz_file seal(const uint8_t *data, size_t size)
{
    if (size >= SEAL && memcmp(data + size - SEAL, "CAIRNSUM", 8) == 0)
        size -= SEAL;
    uint8_t *bytes = malloc(size + SEAL);
    fuzz_demand(bytes != NULL, "out of memory");
    memcpy(bytes, data, size);
    uint64_t length = size, hash = base_hash_bytes(BASE_HASH_START, bytes, size);
    memcpy(bytes + size, "CAIRNSUM", 8);
    memcpy(bytes + size + 8, &length, sizeof length);
    memcpy(bytes + size + 16, &hash, sizeof hash);
    fuzz_file file = fuzz_file_make(bytes, size + SEAL);
    free(bytes);
    return file;
}

static void restore(const char *path, bool balls)
{
    cairn_error error = {0};
    cairn_world *world = small_world_make(balls);
    if (cairn_world_restore(world, path, &error) == CAIRN_OK)
        // numbers that were changed may ask too much of the step, which says so
        (void)!cairn_world_step(world, &error);
    else
        fuzz_demand(error.message[0] != '\0', "a failure without a message");
    cairn_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file file = seal(data, size);
    cairn_checkpoint checkpoint;
    cairn_error error = {0};
    if (cairn_checkpoint_read(file.path, &checkpoint, &error) == CAIRN_OK) {
        restore(file.path, false);
        restore(file.path, true);
    }
    close(file.descriptor);
    return 0;
}
