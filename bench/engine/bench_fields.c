// SPDX-License-Identifier: Apache-2.0
// What a frame of coarse-grained fields costs beside a hundred steps of a settled bed of spheres.
//
// usage: bench_fields [TURNS [frame]]     (frame: one of Lucy's kernel alone, for a profile)
#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 100, SETTLE = 6000, CELLS_MOST = 1 << 20 };

static const double diameter = 0.005, side = 0.1, height = 0.09; // m
static const double step = 2e-5;                                 // s

static void check(cairn_status status, const cairn_error *error)
{
    if (status == CAIRN_OK)
        return;
    fprintf(stderr, "bench_fields: %s\n", error->message);
    exit(1);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void set_law(cairn_world *world)
{
    cairn_error error = {0};
    const cairn_material_id none = {0};
    static const struct {
        const char *name;
        double value;
    } settings[] = {{"normal_stiffness", 1e4}, {"friction", 0.5}, {"restitution", 0.5}};
    check(cairn_pair_set_law(world, none, none, "hooke", &error), &error);
    for (int i = 0; i < 3; i++)
        check(cairn_pair_set_value(world, none, none, settings[i].name,
                                   cairn_number(settings[i].value), &error),
              &error);
}

/// A box without a lid, of half-spaces.
static void add_walls(cairn_world *world)
{
    cairn_error error = {0};
    const double r = 0.70710678118654752;
    const double places[5][3] = {
        {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {side, 0.0, 0.0}, {0.0, 0.0, 0.0}, {0.0, side, 0.0}};
    const double turns[5][4] = {{1.0, 0.0, 0.0, 0.0},
                                {r, 0.0, r, 0.0},
                                {r, 0.0, -r, 0.0},
                                {r, -r, 0.0, 0.0},
                                {r, r, 0.0, 0.0}};
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_FIXED;
    check(cairn_shape_create(world, &plane, &def.shape, &error), &error);
    for (int i = 0; i < 5; i++) {
        cairn_body_id made;
        memcpy(def.position, places[i], sizeof def.position);
        memcpy(def.orientation, turns[i], sizeof def.orientation);
        check(cairn_body_create(world, &def, &made, &error), &error);
    }
}

static void run(cairn_world *world, int steps)
{
    cairn_error error = {0};
    for (int i = 0; i < steps; i++)
        check(cairn_world_step(world, &error), &error);
}

/// A bed that was laid down and came to rest.
static cairn_world *make_bed(int settle)
{
    cairn_error error = {0};
    cairn_world *world;
    cairn_world_def def = cairn_default_world_def();
    cairn_grain_def grain = {
        .size = {.kind = CAIRN_SIZE_UNIFORM, .minimum = 0.9 * diameter, .maximum = 1.1 * diameter},
        .density = 2500.0,
        .share = 1.0};
    cairn_packing_def packing = cairn_default_packing_def();
    def.time_step = step;
    check(cairn_world_create(&def, &world, &error), &error);
    set_law(world);
    add_walls(world);
    packing.region = (cairn_region){.a = {0.0, 0.0, 0.0}, .b = {side, side, height}};
    packing.grains = &grain;
    packing.grain_count = 1;
    packing.method = CAIRN_PACKING_DEPOSITION;
    check(cairn_packing_create(world, &packing, NULL, &error), &error);
    run(world, settle);
    return world;
}

typedef struct frame {
    const char *name;
    cairn_kernel kernel;
    double width, cell; // m
} frame;

static cairn_grid grid_of(const frame *f)
{
    cairn_grid grid = {.kernel = f->kernel, .width = f->width};
    const double high[3] = {side, side, height};
    for (int k = 0; k < 3; k++) {
        grid.high[k] = high[k];
        grid.cells[k] = (int)(high[k] / f->cell + 0.5);
    }
    return grid;
}

static double steps_seconds(cairn_world *world)
{
    double start = cpu_seconds();
    run(world, STEPS);
    return cpu_seconds() - start;
}

static double frame_seconds(const cairn_world *world, const frame *f, const char *path)
{
    static double values[26 * CELLS_MOST];
    cairn_error error = {0};
    cairn_grid grid = grid_of(f);
    size_t n = (size_t)grid.cells[0] * (size_t)grid.cells[1] * (size_t)grid.cells[2];
    cairn_coarse_fields fields = {.density = values,
                                  .momentum = (double(*)[3])(values + n),
                                  .contact_stress = (double(*)[9])(values + 4 * n),
                                  .kinetic_stress = (double(*)[9])(values + 13 * n),
                                  .boundary_force = (double(*)[3])(values + 22 * n),
                                  .temperature = values + 25 * n};
    double start = cpu_seconds();
    check(path != NULL ? cairn_fields_write(world, &grid, path, &error)
                       : cairn_world_coarse_grain(world, &grid, &fields, &error),
          &error);
    return cpu_seconds() - start;
}

static const frame frames[] = {
    {"lucy", CAIRN_KERNEL_LUCY, 3.0 * 0.005, 3.0 * 0.005},
    {"lucy", CAIRN_KERNEL_LUCY, 3.0 * 0.005, 1.5 * 0.005},
    {"lucy", CAIRN_KERNEL_LUCY, 2.0 * 0.005, 2.0 * 0.005},
    {"lucy", CAIRN_KERNEL_LUCY, 2.0 * 0.005, 1.0 * 0.005},
    {"gaussian", CAIRN_KERNEL_GAUSSIAN, 1.0 * 0.005, 3.0 * 0.005},
    {"gaussian", CAIRN_KERNEL_GAUSSIAN, 1.0 * 0.005, 1.0 * 0.005},
    {"gaussian", CAIRN_KERNEL_GAUSSIAN, 0.5 * 0.005, 1.0 * 0.005},
};

enum { FRAMES = sizeof frames / sizeof frames[0] };

static double least(double a, double b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 10;
    cairn_world *world = make_bed(argc > 2 ? SETTLE / 20 : SETTLE);
    printf("%d bodies, %d contacts\n", cairn_body_count(world), cairn_contact_count(world));
    if (argc > 2) {
        for (int i = 0; i < turns; i++)
            frame_seconds(world, &frames[0], NULL);
        cairn_world_destroy(world);
        return 0;
    }
    double steps = 1e9, took[FRAMES], written[FRAMES];
    for (int i = 0; i < FRAMES; i++)
        took[i] = written[i] = 1e9;
    for (int turn = 0; turn < turns; turn++) {
        steps = least(steps, steps_seconds(world));
        for (int i = 0; i < FRAMES; i++) {
            took[i] = least(took[i], frame_seconds(world, &frames[i], NULL));
            written[i] = least(written[i], frame_seconds(world, &frames[i], "bench_fields.vti"));
        }
    }
    printf("%d steps %.2f ms\n", STEPS, 1e3 * steps);
    for (int i = 0; i < FRAMES; i++)
        printf("%-8s width %.1f mm, cells %.1f mm: %7.2f ms, %5.1f %% of the steps; with its file "
               "%7.2f ms, %5.1f %%\n",
               frames[i].name, 1e3 * frames[i].width, 1e3 * frames[i].cell, 1e3 * took[i],
               100.0 * took[i] / steps, 1e3 * written[i], 100.0 * written[i] / steps);
    remove("bench_fields.vti");
    cairn_world_destroy(world);
    return 0;
}
