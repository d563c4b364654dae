// SPDX-License-Identifier: Apache-2.0
// Fuzz target: problem files (FCLIB), described, checked and solved for a few iterations.
#include "tests/fuzz/problem_use.h"
#include "tests/fuzz/small_world.h"

void fuzz_write_seeds(const char *folder)
{
    char path[1024];
    cairn_error error = {0};
    cairn_world *world = small_world_make(false);
    small_world_steps(world, 2);
    snprintf(path, sizeof path, "%s/local.hdf5", folder);
    cairn_status status =
        cairn_world_write_fclib(world, path, CAIRN_FCLIB_LOCAL, "title", "description", &error);
    fuzz_demand(status == CAIRN_OK, "local form");
    snprintf(path, sizeof path, "%s/global.hdf5", folder);
    status =
        cairn_world_write_fclib(world, path, CAIRN_FCLIB_GLOBAL, "title", "description", &error);
    fuzz_demand(status == CAIRN_OK, "global form");
    cairn_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_file file = fuzz_file_make(data, size);
    problem_use(file.path);
    close(file.descriptor);
    return 0;
}
