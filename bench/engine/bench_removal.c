// SPDX-License-Identifier: Apache-2.0
// What it costs to remove a body and to make another one, among few and among many.
//
// usage: bench_removal [BODIES...]
#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ACROSS = 100, WORLDS = 7, CHANGES = 200 };

static void check(cairn_status status, const cairn_error *error)
{
    if (status == CAIRN_OK)
        return;
    fprintf(stderr, "bench_removal: %s\n", error->message);
    exit(1);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static cairn_body_id add(cairn_world *world, cairn_shape_id shape, int i)
{
    cairn_error error = {0};
    cairn_body_id made;
    cairn_body_def def = cairn_default_body_def();
    def.shape = shape;
    def.position[0] = 0.011 * (i % ACROSS);
    def.position[1] = 0.011 * (i / ACROSS % ACROSS);
    def.position[2] = 0.011 * (i / (ACROSS * ACROSS));
    check(cairn_body_create(world, &def, &made, &error), &error);
    return made;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Spheres of one shape after a step, so that all have particle slots.
static cairn_world *make(int count, const char *law, cairn_shape_id *shape)
{
    cairn_error error = {0};
    cairn_world *world;
    const cairn_material_id none = {0};
    cairn_world_def def = cairn_default_world_def();
    cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
    def.time_step = 1e-5;
    ball.radius = 0.005;
    check(cairn_world_create(&def, &world, &error), &error);
    check(cairn_pair_set_law(world, none, none, law, &error), &error);
    check(cairn_shape_create(world, &ball, shape, &error), &error);
    for (int i = 0; i < count; i++)
        add(world, *shape, i);
    check(cairn_world_step(world, &error), &error);
    return world;
}

/// Microseconds of each change of a new world.
static void measure_one(int count, const char *law, double took[CHANGES])
{
    cairn_error error = {0};
    cairn_shape_id shape;
    cairn_world *world = make(count, law, &shape);
    for (int i = 0; i < CHANGES; i++) {
        cairn_body_id gone = cairn_body_at(world, (int)((long long)i * 7919 % count));
        double start = seconds();
        check(cairn_body_remove(world, gone, &error), &error);
        add(world, shape, count + i);
        took[i] = 1e6 * (seconds() - start);
    }
    cairn_world_destroy(world);
}

static void measure(int count, const char *law)
{
    double first[WORLDS], took[CHANGES];
    for (int k = 0; k < WORLDS; k++) {
        measure_one(count, law, took);
        first[k] = took[0];
    }
    qsort(first, WORLDS, sizeof *first, compare);
    qsort(took, CHANGES, sizeof *took, compare);
    printf("%-17s %7d bodies: first change %6.2f us (%.2f to %.2f), median of all %5.2f us\n", law,
           count, first[WORLDS / 2], first[0], first[WORLDS - 1], took[CHANGES / 2]);
}

int main(int argc, char **argv)
{
    const int counts[] = {1000, 10000, 100000, 400000};
    const char *const laws[] = {"hooke", "signorini_coulomb"};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 4 - k && argc < 2; i++)
            measure(counts[i], laws[k]);
        for (int i = 1; i < argc; i++)
            measure(atoi(argv[i]), laws[k]);
    }
    return 0;
}
