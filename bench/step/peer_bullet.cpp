// SPDX-License-Identifier: Apache-2.0
// Steps a neutral scene with Bullet: sequential impulses at a given number of iterations.
#include <btBulletDynamicsCommon.h>

#include "bench/step/neutral.h"

#include <memory>
#include <vector>

namespace
{

struct simulation {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broad_phase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broad_phase, &solver, &configuration};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
};

// Bullet takes the product of the two frictions
btRigidBody *add_body(simulation &s, btScalar mass, btCollisionShape *shape, btVector3 inertia,
                      const btTransform &place, double friction)
{
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, shape, inertia);
    info.m_startWorldTransform = place;
    info.m_friction = btScalar(sqrt(friction));
    info.m_restitution = 0;
    s.bodies.push_back(std::make_unique<btRigidBody>(info));
    s.bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    s.world.addRigidBody(s.bodies.back().get());
    return s.bodies.back().get();
}

void add_plane(simulation &s, const neutral_scene &scene, btVector3 normal, double offset)
{
    s.shapes.push_back(std::make_unique<btStaticPlaneShape>(normal, btScalar(offset)));
    add_body(s, 0, s.shapes.back().get(), btVector3(0, 0, 0), btTransform::getIdentity(),
             scene.friction);
}

btCollisionShape *make_shape(const neutral_body &b)
{
    if (b.kind == NEUTRAL_BOX)
        return new btBoxShape(
            btVector3(btScalar(b.size[0]), btScalar(b.size[1]), btScalar(b.size[2])));
    return new btCapsuleShapeZ(btScalar(b.size[0]), btScalar(2 * b.size[1]));
}

void add_scene(simulation &s, const neutral_scene &scene, std::vector<btRigidBody *> &bodies)
{
    add_plane(s, scene, btVector3(0, 0, 1), 0);
    for (int side = -1; scene.walls && side <= 1; side += 2) {
        add_plane(s, scene, btVector3(btScalar(side), 0, 0), -scene.half_width);
        add_plane(s, scene, btVector3(0, btScalar(side), 0), -scene.half_width);
    }
    s.shapes.emplace_back(make_shape(scene.bodies[0])); // a scene has bodies of one size
    btCollisionShape *shape = s.shapes.back().get();
    for (int i = 0; i < scene.count; i++) {
        const neutral_body &b = scene.bodies[i];
        double inertia[3], mass = neutral_mass(&b, inertia);
        const double *q = b.orientation, *p = b.position;
        btQuaternion turn{btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])};
        btVector3 centre{btScalar(p[0]), btScalar(p[1]), btScalar(p[2])};
        btTransform place{turn, centre};
        bodies.push_back(
            add_body(s, btScalar(mass), shape,
                     btVector3(btScalar(inertia[0]), btScalar(inertia[1]), btScalar(inertia[2])),
                     place, scene.friction));
    }
}

void write_final(const char *path, neutral_scene &scene, const std::vector<btRigidBody *> &bodies)
{
    for (int i = 0; i < scene.count; i++) {
        const btTransform &t = bodies[size_t(i)]->getWorldTransform();
        btQuaternion q = t.getRotation();
        for (int k = 0; k < 3; k++)
            scene.bodies[i].position[k] = t.getOrigin()[k];
        scene.bodies[i].orientation[0] = q.w();
        scene.bodies[i].orientation[1] = q.x();
        scene.bodies[i].orientation[2] = q.y();
        scene.bodies[i].orientation[3] = q.z();
    }
    neutral_write(path, &scene);
}

} // namespace

int main(int count, char **arguments)
{
    if (count != 5) {
        fprintf(stderr, "usage: peer_bullet SCENE STEPS FINAL ITERATIONS\n");
        return 2;
    }
    neutral_scene scene = neutral_read(arguments[1]);
    int steps = atoi(arguments[2]);
    auto s = std::make_unique<simulation>();
    std::vector<btRigidBody *> bodies;
    s->world.setGravity(btVector3(0, 0, -btScalar(neutral_gravity())));
    s->world.getSolverInfo().m_numIterations = atoi(arguments[4]);
    add_scene(*s, scene, bodies);
    double cpu = neutral_seconds(CLOCK_PROCESS_CPUTIME_ID), wall = neutral_seconds(CLOCK_MONOTONIC);
    for (int k = 0; k < steps; k++)
        s->world.stepSimulation(btScalar(1.0 / 200.0), 0, btScalar(1.0 / 200.0));
    cpu = neutral_seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    wall = neutral_seconds(CLOCK_MONOTONIC) - wall;
    char name[64];
    snprintf(name, sizeof name, "bullet-%s", arguments[4]);
    neutral_report(name, &scene, steps, cpu, wall);
    printf("\n");
    write_final(arguments[3], scene, bodies);
    for (auto &body : s->bodies)
        s->world.removeRigidBody(body.get());
    free(scene.bodies);
    return 0;
}
