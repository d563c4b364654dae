// SPDX-License-Identifier: Apache-2.0
// Steps a neutral scene with Box3D: substeps of a step, and the stiffness of its contacts.
#include "bench/step/neutral.h"

#include <box3d/box3d.h>

static b3Vec3 vector(double x, double y, double z)
{
    return (b3Vec3){(float)x, (float)y, (float)z};
}

static b3ShapeDef material(const neutral_scene *s)
{
    b3ShapeDef def = b3DefaultShapeDef();
    def.density = NEUTRAL_DENSITY;
    def.baseMaterial.friction = (float)s->friction;
    def.baseMaterial.restitution = 0.0f;
    return def;
}

/// A fixed box: there are no half-spaces.
static void add_wall(b3WorldId world, const neutral_scene *s, b3Vec3 half, b3Vec3 centre)
{
    b3BodyDef def = b3DefaultBodyDef();
    def.position = centre;
    b3ShapeDef shape = material(s);
    b3BoxHull hull = b3MakeBoxHull(half.x, half.y, half.z);
    b3CreateHullShape(b3CreateBody(world, &def), &shape, &hull.base);
}

static b3BodyId add_body(b3WorldId world, const neutral_scene *s, const neutral_body *b)
{
    b3BodyDef def = b3DefaultBodyDef();
    def.type = b3_dynamicBody;
    def.position = vector(b->position[0], b->position[1], b->position[2]);
    def.rotation.v = vector(b->orientation[1], b->orientation[2], b->orientation[3]);
    def.rotation.s = (float)b->orientation[0];
    def.enableSleep = false;
    b3BodyId body = b3CreateBody(world, &def);
    b3ShapeDef shape = material(s);
    if (b->kind == NEUTRAL_BOX) {
        b3BoxHull hull = b3MakeBoxHull((float)b->size[0], (float)b->size[1], (float)b->size[2]);
        b3CreateHullShape(body, &shape, &hull.base);
    } else {
        b3Capsule capsule = {vector(0.0, 0.0, -b->size[1]), vector(0.0, 0.0, b->size[1]),
                             (float)b->size[0]};
        b3CreateCapsuleShape(body, &shape, &capsule);
    }
    return body;
}

static b3WorldId make(const neutral_scene *s, double hertz, b3BodyId *bodies)
{
    b3WorldDef def = b3DefaultWorldDef();
    def.gravity = vector(0.0, 0.0, -neutral_gravity());
    def.enableSleep = false;
    def.contactHertz = (float)hertz;
    b3WorldId world = b3CreateWorld(&def);
    const double far = 200.0, high = 100.0;
    add_wall(world, s, vector(far, far, 1.0), vector(0.0, 0.0, -1.0));
    for (int side = -1; s->walls && side <= 1; side += 2) {
        double place = side * (s->half_width + 1.0), wide = s->half_width + 2.0;
        add_wall(world, s, vector(1.0, wide, high), vector(place, 0.0, high));
        add_wall(world, s, vector(wide, 1.0, high), vector(0.0, place, high));
    }
    for (int i = 0; i < s->count; i++)
        bodies[i] = add_body(world, s, &s->bodies[i]);
    return world;
}

int main(int count, char **arguments)
{
    if (count != 6) {
        fprintf(stderr, "usage: peer_box3d SCENE STEPS FINAL SUBSTEPS HERTZ\n");
        return 2;
    }
    neutral_scene s = neutral_read(arguments[1]);
    int steps = atoi(arguments[2]), substeps = atoi(arguments[4]);
    b3BodyId *bodies = calloc((size_t)s.count, sizeof *bodies);
    if (bodies == NULL)
        neutral_quit("out of memory", arguments[1]);
    b3WorldId world = make(&s, atof(arguments[5]), bodies);
    double cpu = neutral_seconds(CLOCK_PROCESS_CPUTIME_ID), wall = neutral_seconds(CLOCK_MONOTONIC);
    for (int k = 0; k < steps; k++)
        b3World_Step(world, 1.0f / 200.0f, substeps);
    cpu = neutral_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = neutral_seconds(CLOCK_MONOTONIC) - wall;
    char name[64];
    snprintf(name, sizeof name, "box3d-%d-%s", substeps, arguments[5]);
    neutral_report(name, &s, steps, cpu, wall);
    printf("\n");
    for (int i = 0; i < s.count; i++) {
        b3WorldTransform pose = b3Body_GetTransform(bodies[i]);
        double *p = s.bodies[i].position, *q = s.bodies[i].orientation;
        p[0] = pose.p.x, p[1] = pose.p.y, p[2] = pose.p.z;
        q[0] = pose.q.s, q[1] = pose.q.v.x, q[2] = pose.q.v.y, q[3] = pose.q.v.z;
    }
    neutral_write(arguments[3], &s);
    b3DestroyWorld(world);
    free(bodies);
    free(s.bodies);
    return 0;
}
