// SPDX-License-Identifier: Apache-2.0
// Neutral scene text and final states that every driver of this bench reads and writes; C and C++.
#ifndef CAIRN_BENCH_STEP_NEUTRAL_H
#define CAIRN_BENCH_STEP_NEUTRAL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/// A scene file holds a line `name bodies walls half_width friction` and a line a body,
/// `kind size[3] position[3] orientation[4]`. SI units, floor z = 0, gravity 9.81 m/s2 downward,
/// density 1000 kg/m3; walls: four planes at +-half_width in x and y.
enum { NEUTRAL_BOX, NEUTRAL_CAPSULE };

typedef struct neutral_body {
    int kind;
    double size[3];        // m; box: half sizes; capsule along z: radius, half of the cylinder, 0
    double position[3];    // m, of the centre
    double orientation[4]; // w x y z
} neutral_body;

typedef struct neutral_scene {
    char name[64];
    int count;
    int walls;
    double half_width; // m
    double friction;
    neutral_body *bodies; // [count]
} neutral_scene;

enum { NEUTRAL_GRAVITY_MILLI = 9810, NEUTRAL_DENSITY = 1000 };

static inline void neutral_quit(const char *what, const char *path)
{
    fprintf(stderr, "%s: %s\n", path, what);
    exit(3);
}

static inline neutral_scene neutral_read(const char *path)
{
    neutral_scene s;
    FILE *file = fopen(path, "r");
    if (file == NULL)
        neutral_quit("cannot be opened", path);
    if (fscanf(file, "%63s %d %d %lf %lf", s.name, &s.count, &s.walls, &s.half_width,
               &s.friction) != 5 ||
        s.count < 1)
        neutral_quit("no scene", path);
    s.bodies = (neutral_body *)calloc((size_t)s.count, sizeof *s.bodies);
    for (int i = 0; i < s.count; i++) {
        neutral_body *b = &s.bodies[i];
        if (fscanf(file, "%d %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf", &b->kind, &b->size[0],
                   &b->size[1], &b->size[2], &b->position[0], &b->position[1], &b->position[2],
                   &b->orientation[0], &b->orientation[1], &b->orientation[2],
                   &b->orientation[3]) != 11)
            neutral_quit("too few bodies", path);
    }
    fclose(file);
    return s;
}

/// Writes a scene file; the final poses of a run are one too.
static inline void neutral_write(const char *path, const neutral_scene *s)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        neutral_quit("cannot be written", path);
    fprintf(file, "%s %d %d %.17g %.17g\n", s->name, s->count, s->walls, s->half_width,
            s->friction);
    for (int i = 0; i < s->count; i++) {
        const neutral_body *b = &s->bodies[i];
        fprintf(file, "%d", b->kind);
        for (int k = 0; k < 3; k++)
            fprintf(file, " %.17g", b->size[k]);
        for (int k = 0; k < 3; k++)
            fprintf(file, " %.17g", b->position[k]);
        for (int k = 0; k < 4; k++)
            fprintf(file, " %.17g", b->orientation[k]);
        fprintf(file, "\n");
    }
    fclose(file);
}

static inline double neutral_gravity(void)
{
    return 1e-3 * NEUTRAL_GRAVITY_MILLI;
}

static inline double neutral_seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Mass, kg, and inertia about the centre, kg m2.
static inline double neutral_mass(const neutral_body *b, double inertia[3])
{
    const double *h = b->size;
    if (b->kind == NEUTRAL_BOX) {
        double mass = 8.0 * NEUTRAL_DENSITY * h[0] * h[1] * h[2];
        for (int k = 0; k < 3; k++) {
            double u = h[(k + 1) % 3], v = h[(k + 2) % 3];
            inertia[k] = mass / 3.0 * (u * u + v * v);
        }
        return mass;
    }
    double pi = 3.14159265358979323846, r = h[0], length = 2.0 * h[1];
    double tube = NEUTRAL_DENSITY * pi * r * r * length;
    double ball = NEUTRAL_DENSITY * 4.0 / 3.0 * pi * r * r * r;
    inertia[2] = 0.5 * tube * r * r + 0.4 * ball * r * r;
    inertia[0] = inertia[1] = tube * (length * length / 12.0 + r * r / 4.0) +
                              ball * (0.4 * r * r + 0.25 * length * length + 0.375 * length * r);
    return tube + ball;
}

/// One line that run.sh reads: program, scene, steps, seconds.
static inline void neutral_report(const char *program, const neutral_scene *s, int steps,
                                  double cpu, double wall)
{
    printf("RESULT %s %s steps %d cpu %.4f wall %.4f rate %.4g", program, s->name, steps, cpu, wall,
           steps / cpu);
}

#endif
