// SPDX-License-Identifier: Apache-2.0
// Writes the neutral scenes of the bench into a folder: column, tower of planks, pyramids,
// capsules.
#include "bench/step/neutral.h"

#include "base/rng.h"

static const double pi = 3.14159265358979323846;

static neutral_scene begin(const char *name, int count, double half_width)
{
    neutral_scene s = {.count = count, .walls = half_width > 0.0, .half_width = half_width};
    s.friction = 0.5;
    snprintf(s.name, sizeof s.name, "%s", name);
    s.bodies = calloc((size_t)count, sizeof *s.bodies);
    if (s.bodies == NULL)
        neutral_quit("out of memory", name);
    return s;
}

static void finish(const char *folder, neutral_scene *s)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.txt", folder, s->name);
    neutral_write(path, s);
    free(s->bodies);
}

static void column(const char *folder)
{
    neutral_scene s = begin("column50", 50, 0.0);
    for (int i = 0; i < s.count; i++)
        s.bodies[i] = (neutral_body){
            .size = {0.5, 0.5, 0.5}, .position = {0.0, 0.0, 0.5 + i}, .orientation = {1.0}};
    finish(folder, &s);
}

static void pyramid(const char *folder, int rows)
{
    char name[32];
    int count = rows * (rows + 1) / 2, made = 0;
    snprintf(name, sizeof name, "pyramid%d", count);
    neutral_scene s = begin(name, count, 0.0);
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < rows - row; i++)
            s.bodies[made++] =
                (neutral_body){.size = {0.5, 0.5, 0.5},
                               .position = {1.1 * (i - 0.5 * (rows - row - 1)), 0.0, 0.5 + row},
                               .orientation = {1.0}};
    finish(folder, &s);
}

// rings of planks laid flat along the circle, each ring turned by half a plank
static void tower(const char *folder)
{
    enum { RINGS = 12, PLANKS = 12 };
    neutral_scene s = begin("kapla144", RINGS * PLANKS, 0.0);
    for (int i = 0; i < s.count; i++) {
        int ring = i / PLANKS;
        double angle = 2.0 * pi * (i % PLANKS + 0.5 * (ring % 2)) / PLANKS;
        double half = 0.5 * (angle + 0.5 * pi);
        s.bodies[i] =
            (neutral_body){.size = {0.2, 0.05, 0.015},
                           .position = {0.82 * cos(angle), 0.82 * sin(angle), 0.015 + 0.03 * ring},
                           .orientation = {cos(half), 0.0, 0.0, sin(half)}};
    }
    finish(folder, &s);
}

// layers of capsules that lie nearly level, to be dropped
static void capsules(const char *folder, int count, double half_width)
{
    enum { SEED = 7 };
    const double pitch = 0.53, rise = 0.26;
    char name[32];
    snprintf(name, sizeof name, "capsules%d", count);
    neutral_scene s = begin(name, count, half_width);
    base_rng rng = base_rng_make(SEED);
    int side = (int)(2.0 * half_width / pitch);
    double edge = 0.5 * (2.0 * half_width - side * pitch) - half_width;
    for (int i = 0; i < count; i++) {
        int layer = i / (side * side), place = i % (side * side);
        double yaw = 0.5 * base_rng_range(&rng, 0.0, 2.0 * pi);
        double tip = 0.5 * (0.5 * pi + base_rng_range(&rng, -0.1, 0.1));
        s.bodies[i] = (neutral_body){
            .kind = NEUTRAL_CAPSULE,
            .size = {0.1, 0.15, 0.0},
            .position = {edge + (place % side + 0.5) * pitch,
                         edge + (double)(place / side) * pitch + 0.5 * pitch, 0.2 + layer * rise},
            .orientation = {cos(yaw) * cos(tip), -sin(yaw) * sin(tip), cos(yaw) * sin(tip),
                            sin(yaw) * cos(tip)}};
    }
    finish(folder, &s);
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fprintf(stderr, "usage: make_scenes FOLDER\n");
        return 2;
    }
    const char *folder = arguments[1];
    column(folder);
    tower(folder);
    pyramid(folder, 20);
    pyramid(folder, 45);
    pyramid(folder, 100);
    capsules(folder, 100, 1.0);
    capsules(folder, 1000, 2.0);
    capsules(folder, 5000, 3.5);
    return 0;
}
