// SPDX-License-Identifier: Apache-2.0
// The neutral scene of ordinary.py, and the states that its drivers write.
#ifndef CAIRN_BENCH_ORDINARY_NEUTRAL_HPP
#define CAIRN_BENCH_ORDINARY_NEUTRAL_HPP

#include <array>
#include <fstream>
#include <iostream>
#include <vector>

typedef std::array<double, 3> triple;
typedef std::array<double, 4> quaternion; // w x y z

enum { BOX, SPHERE, CAPSULE };
enum { BALL, HINGE };

struct neutral_body {
    int shape;
    triple size; // m; half sizes of a box; radius and half length of a capsule along z
    double mass; // kg, 0: fixed
    triple inertia, position;
    quaternion turn;
    triple velocity, spin; // of the world's axes
};

struct neutral_joint {
    int kind, first, second; // -1: the world
    triple at, axis;         // of the world's axes, at the start
};

struct neutral_scene {
    double gravity, friction, step;
    int steps;
    bool collide;
    std::vector<neutral_body> bodies;
    std::vector<neutral_joint> joints;
};

template <typename numbers> void read_numbers(std::istream &file, numbers &to)
{
    for (double &each : to)
        file >> each;
}

inline int read_index(std::istream &file)
{
    double value = 0.0;
    file >> value;
    return (int)value;
}

inline neutral_scene read_scene(const char *path)
{
    std::ifstream file(path);
    neutral_scene scene;
    size_t bodies = 0, joints = 0;
    file >> scene.gravity >> scene.friction >> scene.step >> scene.steps >> scene.collide >> bodies >> joints;
    scene.bodies.resize(bodies);
    scene.joints.resize(joints);
    for (neutral_body &each : scene.bodies) {
        each.shape = read_index(file);
        read_numbers(file, each.size);
        file >> each.mass;
        read_numbers(file, each.inertia);
        read_numbers(file, each.position);
        read_numbers(file, each.turn);
        read_numbers(file, each.velocity);
        read_numbers(file, each.spin);
    }
    for (neutral_joint &each : scene.joints) {
        each.kind = read_index(file);
        each.first = read_index(file);
        each.second = read_index(file);
        read_numbers(file, each.at);
        read_numbers(file, each.axis);
    }
    if (!file) {
        std::cerr << path << ": no scene\n";
        std::exit(3);
    }
    return scene;
}

template <typename numbers> void write_numbers(const char *name, const numbers &values)
{
    std::cout << '"' << name << "\":[";
    for (size_t i = 0; i < values.size(); i++)
        std::cout << (i > 0 ? "," : "") << values[i];
    std::cout << ']';
}

/// One state of a list; the caller writes what stands around.
inline void write_state(const triple &position, const quaternion &turn, const triple &velocity, const triple &spin)
{
    std::cout.precision(17);
    std::cout << '{';
    write_numbers("position", position);
    std::cout << ',';
    write_numbers("turn", turn);
    std::cout << ',';
    write_numbers("velocity", velocity);
    std::cout << ',';
    write_numbers("spin", spin);
    std::cout << '}';
}

#endif
