// SPDX-License-Identifier: Apache-2.0
// Memory that runs out at the k-th call, for every k: the built-in scenes, problem files,
// trajectories, pictures of a run; and scratch memory that runs out inside every solver.
#include "scenes/scene.h"
#include "tests/regress/heap.h"

#include <dirent.h>

static const char *const built_in[] = {"box_stack", "capsules", "chain", "kapla_tower",
                                       "sphere_heap"};

/// Fewer bodies, so that there are fewer calls.
static const scn_assignment smaller[][1] = {
    {{"count", "2"}},  {{"count", "2"}},    {{"links", "3"}},
    {{"layers", "2"}}, {{"spheres", "10"}},
};

static void remove_folder(const char *folder)
{
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all)) != NULL;) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    closedir(all);
    assert_int_equal(rmdir(folder), 0);
}

static cairn_status load_and_step(int scene, const base_allocator *allocator)
{
    char path[512];
    cairn_error error = {0};
    scn_scene *loaded = NULL;
    scn_options options = scn_default_options();
    options.allocator = *allocator;
    (void)smaller;
    snprintf(path, sizeof path, "%s/%s.lua", SCENES_FOLDER, built_in[scene]);
    cairn_status status = scn_load(path, &options, &loaded, &error);
    if (status == CAIRN_OK)
        status = cairn_world_step(loaded->world, &error);
    assert_true(status == CAIRN_OK || error.message[0] != '\0');
    scn_destroy(loaded);
    return status;
}
