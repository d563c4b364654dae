// SPDX-License-Identifier: Apache-2.0
// Fuzz target: the tables that a scene reads, as bodies and as functions of time.
#include "scenes/scene.h"
#include "tests/fuzz/fuzz.h"

void fuzz_write_seeds(const char *folder)
{
    (void)folder;
}

static void load(const char *folder, const char *text)
{
    char path[64];
    snprintf(path, sizeof path, "%s/s.lua", folder);
    FILE *file = fopen(path, "wb");
    fuzz_demand(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0, "no scene");
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
    scn_destroy(scene);
    fuzz_demand(counter.live == 0, "memory is left");
    unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char folder[48], path[64];
    snprintf(folder, sizeof folder, "%s/cairn-fuzz-XXXXXX", fuzz_place());
    fuzz_demand(mkdtemp(folder) != NULL, "no folder");
    snprintf(path, sizeof path, "%s/d.csv", folder);
    FILE *file = fopen(path, "wb");
    fuzz_demand(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0, "table");
    load(folder, "material{ name = \"a\", density = 10 }\nbodies_from_csv{ file = \"d.csv\" }\n");
    load(folder, "bodies_from_csv{ file = \"d.csv\", shape = sphere{ radius = 1 } }\n");
    load(folder, "local f = table(\"d.csv\", \"v\", { scale = 2 })\n"
                 "local x = f(-1e300) + f(0) + f(0.5) + f(1e300)\n"
                 "local g = table_from_csv{ file = \"d.csv\", time = \"t\", value = \"v\" }\n"
                 "x = x + g(0.25)\n");
    unlink(path);
    fuzz_demand(rmdir(folder) == 0, "something is left in the folder");
    return 0;
}
