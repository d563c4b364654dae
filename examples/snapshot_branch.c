// SPDX-License-Identifier: Apache-2.0
// One state, several futures: a ball is kicked in several directions from the same moment, and the
// world goes back to it each time.
//
//     cc snapshot_branch.c $(pkg-config --cflags --libs cairn) -lm && ./a.out
#include <cairn/cairn.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void must(cairn_status status, const cairn_error *error)
{
    if (status == CAIRN_OK)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

static const char heap[] = "simulation{ step = 2e-4 }\n"
                           "pair{ law = 'hooke', normal_stiffness = 2e4 }\n"
                           "ground{}\n"
                           "for i = 0, 8 do\n"
                           "  body{ name = 'ball' .. i, shape = sphere{ radius = 0.05 },\n"
                           "        position = { 0.11 * (i % 3), 0.11 * (i // 3), 0.06 } }\n"
                           "end\n";

int main(void)
{
    cairn_error error;
    cairn_scene *scene;
    cairn_world *world;
    cairn_snapshot *start;
    cairn_scene_def def = cairn_default_scene_def();
    must(cairn_scene_open("heap", &def, &scene, &error), &error);
    must(cairn_scene_add(scene, heap, &error), &error);
    must(cairn_scene_get_world(scene, &world, &error), &error);
    for (int step = 0; step < 1000; step++)
        must(cairn_world_step(world, &error), &error);
    must(cairn_world_snapshot(world, &start, &error), &error);

    cairn_body_id ball = cairn_body_find(world, "ball4");
    for (int branch = 0; branch < 5; branch++) {
        double angle = 0.5 * 3.14159265358979 * (branch % 4);
        const double velocity[3] = {2.0 * cos(angle), 2.0 * sin(angle), 0.0}, none[3] = {0};
        must(cairn_world_revert(world, start, &error), &error);
        must(cairn_body_set_velocity(world, ball, velocity, none, &error), &error);
        for (int step = 0; step < 1000; step++)
            must(cairn_world_step(world, &error), &error);
        cairn_body_view view;
        must(cairn_body_get(world, ball, &view), &error);
        printf("branch %d: ball at (%.4f, %.4f), hash %016" PRIx64 "\n", branch, view.position[0],
               view.position[1], cairn_world_get_hash(world));
    }
    cairn_snapshot_destroy(start);
    cairn_scene_destroy(scene);
    return 0;
}
