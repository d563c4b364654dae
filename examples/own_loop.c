// SPDX-License-Identifier: Apache-2.0
// A loop of the program's own with a controller: a pendulum is held upright by a torque that is
// computed anew before every step. Ctrl-C ends it inside a step.
//
//     cc own_loop.c $(pkg-config --cflags --libs cairn) -lm && ./a.out
#include <cairn/cairn.h>

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static cairn_world *world;

static void stop(int number)
{
    (void)number;
    cairn_world_interrupt(world); // may be called from a handler
}

static void must(cairn_status status, const cairn_error *error)
{
    if (status == CAIRN_OK)
        return;
    fprintf(stderr, "%s\n", error->message);
    exit(status == CAIRN_INTERRUPTED ? 130 : 1);
}

int main(void)
{
    cairn_error error;
    cairn_world_def settings = cairn_default_world_def();
    settings.time_step = 0.002;
    must(cairn_world_create(&settings, &world, &error), &error);
    signal(SIGINT, stop);

    // a rod of 1 m that stands on its end, 0.2 rad off the vertical
    const double start = 0.2;
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_CAPSULE);
    cairn_body_def rod = cairn_default_body_def();
    cairn_body_id rod_id;
    shape.radius = 0.02;
    shape.half_length = 0.5;
    must(cairn_shape_create(world, &shape, &rod.shape, &error), &error);
    rod.mass = 1.0;
    rod.position[0] = 0.5 * sin(start);
    rod.position[2] = 0.5 * cos(start);
    rod.orientation[0] = cos(0.5 * start);
    rod.orientation[2] = sin(0.5 * start);
    must(cairn_body_create(world, &rod, &rod_id, &error), &error);

    // a hinge at its foot, about y; the coordinate is the angle from where it stands now
    cairn_joint_def hinge = cairn_default_joint_def(CAIRN_JOINT_HINGE);
    cairn_joint_id hinge_id;
    hinge.b = rod_id;
    hinge.axis[0] = hinge.axis[2] = 0.0;
    hinge.axis[1] = 1.0;
    must(cairn_joint_create(world, &hinge, &hinge_id, &error), &error);

    double most = 0.0;
    for (int step = 0; step < 2000; step++) {
        cairn_joint_view joint;
        must(cairn_joint_get(world, hinge_id, &joint), &error);
        double angle = start + joint.coordinate;
        double torque = -20.0 * angle - 4.0 * joint.speed;
        must(cairn_joint_set_force(world, hinge_id, torque, &error), &error);
        must(cairn_world_step(world, &error), &error);
        most = fmax(most, fabs(torque));
    }
    cairn_joint_view joint;
    must(cairn_joint_get(world, hinge_id, &joint), &error);
    printf("angle %.6f rad\n", start + joint.coordinate);
    printf("speed %.6f rad/s\n", joint.speed);
    printf("largest torque %.3f N m\n", most);
    cairn_world_destroy(world);
    return 0;
}
