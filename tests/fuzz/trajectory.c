// SPDX-License-Identifier: Apache-2.0
// Fuzz target: trajectories, replayed and gone on with.
#include "tests/fuzz/small_world.h"

static const cairn_trajectory_def kinds[] = {
    {.command = "cairn run x", .scene = "x", .scene_text = "ground{}", .seed = 7},
    {.command = "cairn run x", .scene_text = "ground{}", .varies = true, .contacts_every = 2},
};

static void write_seed(const char *path, const cairn_trajectory_def *def)
{
    cairn_error error = {0};
    cairn_trajectory *writer = NULL;
    cairn_world *world = small_world_make(false);
    fuzz_demand(cairn_trajectory_create(path, world, def, &writer, &error) == CAIRN_OK, "writer");
    for (int i = 0; i < 3; i++) {
        small_world_steps(world, 1);
        if (def->varies)
            small_world_add(world, CAIRN_SPHERE, 1.0 + i);
        fuzz_demand(cairn_trajectory_write_frame(writer, world, &error) == CAIRN_OK, "frame");
    }
    fuzz_demand(cairn_trajectory_close(writer, &error) == CAIRN_OK, "closing");
    cairn_world_destroy(world);
}

void fuzz_write_seeds(const char *folder)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/frames.h5", folder);
    write_seed(path, &kinds[0]);
    snprintf(path, sizeof path, "%s/varying.h5", folder);
    write_seed(path, &kinds[1]);
}

static void replay(const char *path)
{
    cairn_error error = {0};
    cairn_replay *replay = NULL;
    if (cairn_replay_open(path, &replay, &error) != CAIRN_OK) {
        fuzz_demand(error.message[0] != '\0', "a failure without a message");
        return;
    }
    int64_t count = cairn_replay_get_frame_count(replay);
    for (int i = 0; i < cairn_replay_get_info(replay)->bodies && i < 8; i++) {
        cairn_replay_body body;
        (void)!cairn_replay_get_body(replay, i, &body);
    }
    for (int64_t i = 0; i < count && i < 8; i++) {
        cairn_replay_frame frame;
        if (cairn_replay_read(replay, i, &frame, &error) != CAIRN_OK)
            fuzz_demand(error.message[0] != '\0', "a failure without a message");
    }
    cairn_replay_close(replay);
}

static void resume(const char *path, const cairn_trajectory_def *def)
{
    cairn_error error = {0};
    cairn_trajectory *writer = NULL;
    cairn_world *world = small_world_make(false);
    if (cairn_trajectory_resume(path, world, def, 2, &writer, &error) == CAIRN_OK) {
        (void)!cairn_trajectory_write_frame(writer, world, &error);
        (void)!cairn_trajectory_close(writer, &error);
    } else {
        fuzz_demand(error.message[0] != '\0', "a failure without a message");
    }
    cairn_world_destroy(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // continuing writes beside the file, which needs a folder
    char folder[48], path[64];
    snprintf(folder, sizeof folder, "%s/cairn-fuzz-XXXXXX", fuzz_place());
    fuzz_demand(mkdtemp(folder) != NULL, "no folder");
    snprintf(path, sizeof path, "%s/t.h5", folder);
    FILE *file = fopen(path, "wb");
    fuzz_demand(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0, "file");
    replay(path);
    resume(path, &kinds[0]);
    resume(path, &kinds[1]);
    unlink(path);
    fuzz_demand(rmdir(folder) == 0, "something is left in the folder");
    return 0;
}
