// SPDX-License-Identifier: Apache-2.0
// The state of a scene after some steps, as its hash, through the public headers: the same program
// for each kind of machine (tests/portable/table.py).
#include <cairn/cairn.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const char *what, const cairn_error *error)
{
    fprintf(stderr, "hashes: %s: %s\n", what, error->message);
    return 1;
}

int main(int argc, char **argv)
{
    cairn_scene_def def = cairn_default_scene_def();
    cairn_setting settings[16];
    def.parameters = settings;
    def.threads = 1;
    if (argc < 3) {
        fprintf(
            stderr,
            "usage: hashes SCENE.lua STEPS [--law LAW] [--step SECONDS] [--set NAME=VALUE]...\n");
        return 2;
    }
    for (int i = 3; i + 1 < argc; i += 2) {
        char *equals = strchr(argv[i + 1], '=');
        if (strcmp(argv[i], "--law") == 0)
            def.law = argv[i + 1];
        else if (strcmp(argv[i], "--step") == 0)
            def.time_step = strtod(argv[i + 1], NULL);
        else if (equals != NULL && def.parameter_count < 16) {
            *equals = '\0';
            settings[def.parameter_count++] =
                (cairn_setting){.name = argv[i + 1], .text = equals + 1};
        }
    }
    cairn_error error = {0};
    cairn_scene *scene = NULL;
    cairn_world *world = NULL;
    if (cairn_scene_load(argv[1], &def, &scene, &error) != CAIRN_OK ||
        cairn_scene_get_world(scene, &world, &error) != CAIRN_OK)
        return fail(argv[1], &error);
    int64_t steps = strtoll(argv[2], NULL, 10);
    while (cairn_world_get_step_count(world) < steps)
        if (cairn_world_step(world, &error) != CAIRN_OK)
            return fail(argv[1], &error);
    printf("%016" PRIx64 " %" PRId64 " steps, %d bodies, %d contacts\n",
           cairn_world_get_hash(world), cairn_world_get_step_count(world), cairn_body_count(world),
           cairn_contact_count(world));
    cairn_scene_destroy(scene);
    return 0;
}
