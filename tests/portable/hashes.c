// SPDX-License-Identifier: Apache-2.0
// The state of a scene after some steps, as its hash: the same program for each kind of machine
// (tests/portable/table.py).
#include "scenes/scene.h"

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
    scn_options def = scn_default_options();
    scn_assignment settings[16];
    def.parameters = settings;
    def.threads = 1;
    def.time_limit = 600.0; // emulators take their time
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
                (scn_assignment){.name = argv[i + 1], .value = equals + 1};
        }
    }
    cairn_error error = {0};
    scn_scene *scene = NULL;
    if (scn_load(argv[1], &def, &scene, &error) != CAIRN_OK)
        return fail(argv[1], &error);
    cairn_world *world = scene->world;
    int64_t steps = strtoll(argv[2], NULL, 10);
    while (cairn_world_get_step_count(world) < steps)
        if (cairn_world_step(world, &error) != CAIRN_OK)
            return fail(argv[1], &error);
    printf("%016" PRIx64 " %" PRId64 " steps, %d bodies, %d contacts\n",
           cairn_world_get_hash(world), cairn_world_get_step_count(world), cairn_body_count(world),
           cairn_contact_count(world));
    scn_destroy(scene);
    return 0;
}
