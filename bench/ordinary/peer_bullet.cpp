// SPDX-License-Identifier: Apache-2.0
// Steps a neutral scene with Bullet: sequential impulses, 50 iterations, no damping, no sleeping.
#include "neutral.hpp"

#include <btBulletDynamicsCommon.h>

static btVector3 vector(const triple &v)
{
    return btVector3((btScalar)v[0], (btScalar)v[1], (btScalar)v[2]);
}

static triple numbers(const btVector3 &v)
{
    return {v.x(), v.y(), v.z()};
}

static btCollisionShape *make_shape(const neutral_body &body)
{
    if (body.shape == BOX)
        return new btBoxShape(vector(body.size));
    if (body.shape == SPHERE)
        return new btSphereShape((btScalar)body.size[0]);
    return new btCapsuleShapeZ((btScalar)body.size[0], (btScalar)(2.0 * body.size[1]));
}

static btRigidBody *make_body(const neutral_body &body, double friction)
{
    btTransform place(btQuaternion((btScalar)body.turn[1], (btScalar)body.turn[2], (btScalar)body.turn[3],
                                   (btScalar)body.turn[0]),
                      vector(body.position));
    btRigidBody::btRigidBodyConstructionInfo info((btScalar)body.mass, new btDefaultMotionState(place),
                                                  make_shape(body), vector(body.inertia));
    // the friction of a contact is the product of two
    info.m_friction = (btScalar)sqrt(friction);
    btRigidBody *made = new btRigidBody(info);
    made->setLinearVelocity(vector(body.velocity));
    made->setAngularVelocity(vector(body.spin));
    made->setActivationState(DISABLE_DEACTIVATION);
    return made;
}

static btTypedConstraint *make_joint(const neutral_joint &joint, const std::vector<btRigidBody *> &bodies)
{
    btRigidBody *second = bodies[(size_t)joint.second];
    btTransform to_second = second->getWorldTransform().inverse();
    btVector3 at = vector(joint.at), axis = vector(joint.axis);
    btVector3 at_second = to_second * at, axis_second = to_second.getBasis() * axis;
    if (joint.first < 0) {
        if (joint.kind == BALL)
            return new btPoint2PointConstraint(*second, at_second);
        return new btHingeConstraint(*second, at_second, axis_second);
    }
    btRigidBody *first = bodies[(size_t)joint.first];
    btTransform to_first = first->getWorldTransform().inverse();
    if (joint.kind == BALL)
        return new btPoint2PointConstraint(*first, *second, to_first * at, at_second);
    btVector3 axis_first = to_first.getBasis() * axis;
    return new btHingeConstraint(*first, *second, to_first * at, at_second, axis_first, axis_second);
}

int main(int count, char **arguments)
{
    if (count != 2)
        return 2;
    neutral_scene scene = read_scene(arguments[1]);
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broad;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broad, &solver, &configuration);
    world.setGravity(btVector3(0, 0, (btScalar)-scene.gravity));
    world.getSolverInfo().m_numIterations = 50;
    std::vector<btRigidBody *> bodies;
    for (const neutral_body &each : scene.bodies) {
        bodies.push_back(make_body(each, scene.friction));
        if (scene.collide)
            world.addRigidBody(bodies.back());
        else
            world.addRigidBody(bodies.back(), 2, 4);
    }
    for (const neutral_joint &each : scene.joints)
        world.addConstraint(make_joint(each, bodies), true);
    for (int k = 0; k < scene.steps; k++)
        world.stepSimulation((btScalar)scene.step, 0, (btScalar)scene.step);
    std::cout << '[';
    for (size_t i = 0; i < bodies.size(); i++) {
        const btTransform &place = bodies[i]->getWorldTransform();
        btQuaternion q = place.getRotation();
        std::cout << (i > 0 ? "," : "");
        write_state(numbers(place.getOrigin()), {q.w(), q.x(), q.y(), q.z()}, numbers(bodies[i]->getLinearVelocity()),
                    numbers(bodies[i]->getAngularVelocity()));
    }
    std::cout << "]\n";
    return 0;
}
