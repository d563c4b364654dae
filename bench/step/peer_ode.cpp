// SPDX-License-Identifier: Apache-2.0
// Steps a neutral scene with the Open Dynamics Engine: QuickStep at a given number of iterations.
#include <ode/ode.h>

#include "bench/step/neutral.h"

#include <vector>

namespace
{

struct simulation {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    double friction;
};

void near_pair(void *data, dGeomID a, dGeomID b)
{
    simulation *s = static_cast<simulation *>(data);
    dBodyID first = dGeomGetBody(a), second = dGeomGetBody(b);
    if (first == nullptr && second == nullptr)
        return;
    const int most = 8;
    dContact found[most];
    int count = dCollide(a, b, most, &found[0].geom, sizeof(dContact));
    for (int i = 0; i < count; i++) {
        found[i].surface.mode = dContactApprox1;
        found[i].surface.mu = s->friction;
        dJointAttach(dJointCreateContact(s->world, s->contacts, &found[i]), first, second);
    }
}

dBodyID add_body(const simulation &s, const neutral_body &b)
{
    dBodyID body = dBodyCreate(s.world);
    dMass mass;
    dGeomID shape;
    if (b.kind == NEUTRAL_BOX) {
        dMassSetBox(&mass, NEUTRAL_DENSITY, 2 * b.size[0], 2 * b.size[1], 2 * b.size[2]);
        shape = dCreateBox(s.space, 2 * b.size[0], 2 * b.size[1], 2 * b.size[2]);
    } else {
        dMassSetCapsule(&mass, NEUTRAL_DENSITY, 3, b.size[0], 2 * b.size[1]);
        shape = dCreateCapsule(s.space, b.size[0], 2 * b.size[1]);
    }
    dBodySetMass(body, &mass);
    dGeomSetBody(shape, body);
    dQuaternion q = {b.orientation[0], b.orientation[1], b.orientation[2], b.orientation[3]};
    dBodySetPosition(body, b.position[0], b.position[1], b.position[2]);
    dBodySetQuaternion(body, q);
    return body;
}

simulation make(const neutral_scene &scene, int iterations)
{
    simulation s = {dWorldCreate(), dHashSpaceCreate(nullptr), dJointGroupCreate(0),
                    scene.friction};
    dWorldSetGravity(s.world, 0, 0, -neutral_gravity());
    dWorldSetAutoDisableFlag(s.world, 0);
    dWorldSetQuickStepNumIterations(s.world, iterations);
    dHashSpaceSetLevels(s.space, -4, 3);
    dCreatePlane(s.space, 0, 0, 1, 0);
    for (int side = -1; scene.walls && side <= 1; side += 2) {
        dCreatePlane(s.space, side, 0, 0, -scene.half_width);
        dCreatePlane(s.space, 0, side, 0, -scene.half_width);
    }
    return s;
}

void write_final(const char *path, neutral_scene &scene, const std::vector<dBodyID> &bodies)
{
    for (int i = 0; i < scene.count; i++) {
        const dReal *p = dBodyGetPosition(bodies[size_t(i)]);
        const dReal *q = dBodyGetQuaternion(bodies[size_t(i)]);
        for (int k = 0; k < 3; k++)
            scene.bodies[i].position[k] = p[k];
        for (int k = 0; k < 4; k++)
            scene.bodies[i].orientation[k] = q[k];
    }
    neutral_write(path, &scene);
}

} // namespace

int main(int count, char **arguments)
{
    if (count != 5) {
        fprintf(stderr, "usage: peer_ode SCENE STEPS FINAL ITERATIONS\n");
        return 2;
    }
    neutral_scene scene = neutral_read(arguments[1]);
    int steps = atoi(arguments[2]);
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    simulation s = make(scene, atoi(arguments[4]));
    std::vector<dBodyID> bodies;
    for (int i = 0; i < scene.count; i++)
        bodies.push_back(add_body(s, scene.bodies[i]));
    double cpu = neutral_seconds(CLOCK_PROCESS_CPUTIME_ID), wall = neutral_seconds(CLOCK_MONOTONIC);
    for (int k = 0; k < steps; k++) {
        dSpaceCollide(s.space, &s, near_pair);
        dWorldQuickStep(s.world, 1.0 / 200.0);
        dJointGroupEmpty(s.contacts);
    }
    cpu = neutral_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = neutral_seconds(CLOCK_MONOTONIC) - wall;
    char name[64];
    snprintf(name, sizeof name, "ode-%s", arguments[4]);
    neutral_report(name, &scene, steps, cpu, wall);
    printf("\n");
    write_final(arguments[3], scene, bodies);
    dJointGroupDestroy(s.contacts);
    dSpaceDestroy(s.space);
    dWorldDestroy(s.world);
    dCloseODE();
    free(scene.bodies);
    return 0;
}
