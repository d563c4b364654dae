// SPDX-License-Identifier: Apache-2.0
// A brick falls on the ground under the implicit law; its contact forces are printed at the end.
//
//     cc falling_brick.c $(pkg-config --cflags --libs cairn) && ./a.out
#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>

/// Ends the program where a call has failed.
static void must(cairn_status status, const cairn_error *error)
{
    if (status == CAIRN_OK)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

int main(void)
{
    cairn_error error;
    cairn_world *world;
    cairn_world_def settings = cairn_default_world_def();
    settings.time_step = 0.005;
    must(cairn_world_create(&settings, &world, &error), &error);

    // the ground: everything below z = 0
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def ground = cairn_default_body_def();
    cairn_body_id ground_id;
    ground.kind = CAIRN_FIXED;
    must(cairn_shape_create(world, &plane, &ground.shape, &error), &error);
    must(cairn_body_create(world, &ground, &ground_id, &error), &error);

    // the brick: 24 x 12 x 7 cm, 20 cm above it
    cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
    cairn_body_def brick = cairn_default_body_def();
    cairn_body_id brick_id;
    box.half_size[0] = 0.12;
    box.half_size[1] = 0.06;
    box.half_size[2] = 0.035;
    must(cairn_shape_create(world, &box, &brick.shape, &error), &error);
    brick.density = 2000.0;
    brick.position[2] = 0.235;
    must(cairn_body_create(world, &brick, &brick_id, &error), &error);

    for (int step = 0; step < 200; step++)
        must(cairn_world_step(world, &error), &error);

    double sum = 0.0;
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view contact;
        must(cairn_contact_get(world, i, &contact), &error);
        printf("corner at (%+.3f, %+.3f) m: %.3f N up\n", contact.point[0], contact.point[1],
               contact.force[2]);
        sum += contact.force[2];
    }
    cairn_body_view view;
    must(cairn_body_get(world, brick_id, &view), &error);
    printf("height %.6f m\n", view.position[2]);
    printf("weight %.6f N\n", view.mass * 9.81);
    printf("support %.6f N\n", sum);
    cairn_world_destroy(world);
    return 0;
}
