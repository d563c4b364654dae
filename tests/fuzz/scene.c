// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the text of a scene, in a sandbox of small limits.
#include "scenes/scene.h"
#include "tests/fuzz/fuzz.h"

void fuzz_write_seeds(const char *folder)
{
    (void)folder;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // its folder is looked at, so that a file without a name does not do
    char path[64];
    snprintf(path, sizeof path, "%s/cairn-fuzz-XXXXXX.lua", fuzz_place());
    int descriptor = mkstemps(path, 4);
    fuzz_demand(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size, "no file");
    close(descriptor);
    base_counting_allocator counter = {0};
    scn_options options = scn_default_options();
    options.memory_limit = (size_t)32 << 20;
    options.instruction_limit = 300000;
    options.body_limit = 50;
    options.allocator = base_allocator_counting(&counter);
    scn_scene *scene = NULL;
    cairn_error error = {0};
    cairn_status status = scn_load(path, &options, &scene, &error);
    fuzz_demand(status == CAIRN_OK || error.message[0] != '\0', "a failure without a message");
    fuzz_demand((status == CAIRN_OK) == (scene != NULL), "status and scene differ");
    scn_destroy(scene);
    fuzz_demand(counter.live == 0, "memory is left");
    unlink(path);
    return 0;
}
