// SPDX-License-Identifier: Apache-2.0
// usage: peer_mujoco SCENE Euler|RK4: steps a neutral scene with MuJoCo: Newton, elliptic cones, joints of a tree.
#include "neutral.hpp"

#include <cstdlib>
#include <cstring>
#include <mujoco/mujoco.h>
#include <sstream>
#include <string>

template <typename numbers> static std::string text(const numbers &values)
{
    std::ostringstream out;
    out.precision(17);
    for (double each : values)
        out << each << ' ';
    return out.str();
}

static std::string geom(const neutral_body &body, const neutral_scene &scene)
{
    const char *types[] = {"box", "sphere", "capsule"};
    std::string mask = scene.collide ? "" : " contype='0' conaffinity='0'";
    return std::string("<geom type='") + types[body.shape] + "' size='" + text(body.size) + "' friction='" +
           std::to_string(scene.friction) + " 0 0' condim='" + (scene.friction > 0 ? "3" : "1") + "'" + mask + "/>";
}

/// A place of the world in the axes of a body at its start.
static triple in_body(const neutral_body &body, const triple &place)
{
    double turn[4], way[3], local[3];
    memcpy(turn, body.turn.data(), sizeof turn);
    for (int k = 0; k < 3; k++)
        way[k] = place[(size_t)k] - body.position[(size_t)k];
    mju_negQuat(turn, turn);
    mju_rotVecQuat(local, way, turn);
    return {local[0], local[1], local[2]};
}

static triple rotated(const triple &v, const quaternion &by, bool back)
{
    double turn[4], found[3];
    memcpy(turn, by.data(), sizeof turn);
    if (back)
        mju_negQuat(turn, turn);
    mju_rotVecQuat(found, v.data(), turn);
    return {found[0], found[1], found[2]};
}

/// The joint that holds a body, NULL for a free one.
static const neutral_joint *joint_of(const neutral_scene &scene, int body)
{
    for (const neutral_joint &each : scene.joints)
        if (each.second == body)
            return &each;
    return NULL;
}

/// Writes a body, placed in its parent, and within it the bodies that joints hang on it.
static void write_body(std::ostream &out, const neutral_scene &scene, int index)
{
    const neutral_body &body = scene.bodies[(size_t)index];
    const neutral_joint *joint = joint_of(scene, index);
    triple position = body.position;
    quaternion turn = body.turn;
    if (joint != NULL && joint->first >= 0) {
        const neutral_body &parent = scene.bodies[(size_t)joint->first];
        double back[4];
        position = in_body(parent, position);
        mju_negQuat(back, parent.turn.data());
        mju_mulQuat(turn.data(), back, body.turn.data());
    }
    out << "<body name='b" << index << "' pos='" << text(position) << "' quat='" << text(turn) << "'>";
    if (joint != NULL)
        out << "<joint type='" << (joint->kind == BALL ? "ball" : "hinge") << "' pos='" << text(in_body(body, joint->at)) << "' axis='"
            << text(rotated(joint->axis, body.turn, true)) << "'/>";
    else if (body.mass > 0)
        out << "<freejoint/>";
    if (body.mass > 0)
        out << "<inertial pos='0 0 0' mass='" << body.mass << "' diaginertia='" << text(body.inertia) << "'/>";
    out << geom(body, scene);
    for (const neutral_joint &each : scene.joints)
        if (each.first == index)
            write_body(out, scene, each.second);
    out << "</body>";
}

/// Joints are MuJoCo's own, in a tree.
static std::string model_of(const neutral_scene &scene, const char *integrator)
{
    std::ostringstream out;
    out.precision(17);
    out << "<mujoco><option timestep='" << scene.step << "' gravity='0 0 " << -scene.gravity << "' cone='elliptic' integrator='"
        << integrator << "'/><default><geom solref='0.01 1'/></default><worldbody>";
    for (size_t i = 0; i < scene.bodies.size(); i++) {
        const neutral_joint *joint = joint_of(scene, (int)i);
        if (joint == NULL || joint->first < 0)
            write_body(out, scene, (int)i);
    }
    out << "</worldbody></mujoco>";
    return out.str();
}

/// The velocity of a body's joint: of all six coordinates, of a ball relative to the parent, or about the axis.
static void set_velocity(mjModel *model, mjData *data, const neutral_scene &scene, int index)
{
    const neutral_body &body = scene.bodies[(size_t)index];
    const neutral_joint *joint = joint_of(scene, index);
    int number = mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(index)).c_str());
    if (body.mass <= 0)
        return;
    double *velocity = data->qvel + model->body_dofadr[number];
    triple spin = body.spin;
    for (size_t k = 0; k < 3 && joint != NULL && joint->first >= 0; k++)
        spin[k] -= scene.bodies[(size_t)joint->first].spin[k];
    triple own = rotated(spin, body.turn, true);
    if (joint == NULL) {
        memcpy(velocity, body.velocity.data(), sizeof body.velocity);
        memcpy(velocity + 3, own.data(), sizeof own);
    } else if (joint->kind == BALL) {
        memcpy(velocity, own.data(), sizeof own);
    } else {
        velocity[0] = mju_dot3(spin.data(), joint->axis.data());
    }
}

static void say_nothing(const char *)
{
}

int main(int count, char **arguments)
{
    if (count != 3)
        return 2;
    neutral_scene scene = read_scene(arguments[1]);
    std::string path = std::string(arguments[1]) + ".xml";
    std::ofstream(path) << model_of(scene, arguments[2]);
    char problem[1000] = "";
    mjModel *model = mj_loadXML(path.c_str(), NULL, problem, sizeof problem);
    if (model == NULL) {
        std::cerr << problem << '\n';
        return 3;
    }
    mju_user_warning = say_nothing;
    mjData *data = mj_makeData(model);
    for (size_t i = 0; i < scene.bodies.size(); i++)
        set_velocity(model, data, scene, (int)i);
    for (int k = 0; k < scene.steps; k++)
        mj_step(model, data);
    mj_forward(model, data);
    // where a state is bad it begins anew from the start
    if (data->warning[mjWARN_BADQPOS].number + data->warning[mjWARN_BADQVEL].number + data->warning[mjWARN_BADQACC].number > 0)
        return 1;
    std::cout << '[';
    for (size_t i = 0; i < scene.bodies.size(); i++) {
        int id = mj_name2id(model, mjOBJ_BODY, ("b" + std::to_string(i)).c_str());
        double velocity[6];
        mj_objectVelocity(model, data, mjOBJ_BODY, id, velocity, 0);
        const double *p = data->xpos + 3 * id, *q = data->xquat + 4 * id;
        std::cout << (i > 0 ? "," : "");
        write_state({p[0], p[1], p[2]}, {q[0], q[1], q[2], q[3]}, {velocity[3], velocity[4], velocity[5]},
                    {velocity[0], velocity[1], velocity[2]});
    }
    std::cout << "]\n";
    mj_deleteData(data);
    mj_deleteModel(model);
    return 0;
}
