// SPDX-License-Identifier: Apache-2.0
// Fuzz target: small worlds of spheres and clumps under every law, stepped, measured and gone back.
//
// The bytes are decisions: law and its parameters, cell, walls, grains, what comes and goes. They
// become the text of a scene, so that an input that breaks something can be printed and run
// (CAIRN_FUZZ_PRINT=1). A second world with other vectors and threads must have the same bits.
#include "base/hash.h"
#include "base/rng.h"
#include "scenes/scene.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

typedef struct decisions {
    const uint8_t *next;
    size_t left;
    uint64_t last; // where bytes are over, decisions follow from those before
} decisions;

typedef struct way {
    uint64_t hash, sums; // of the state, and of all fields and averages
    bool failed;         // a step did, with a message
} way;

enum { SEED_COUNT = 96, SEED_SIZE = 100, CELLS = 4 * 3 * 2 };

void fuzz_write_seeds(const char *folder)
{
    for (int i = 0; i < SEED_COUNT; i++) {
        base_rng rng = base_rng_make(100 + (uint64_t)i);
        char path[256];
        snprintf(path, sizeof path, "%s/%03d", folder, i);
        FILE *file = fopen(path, "wb");
        fuzz_demand(file != NULL, "no seed");
        for (int k = 0; k < SEED_SIZE; k++)
            fputc((int)(base_rng_next(&rng) & 255), file);
        fuzz_demand(fclose(file) == 0, "no seed");
    }
}

static int choose(decisions *all, int bound)
{
    if (all->left > 0) {
        all->left--;
        all->last = base_hash_mix(all->last + *all->next);
        return *all->next++ % bound;
    }
    all->last = base_hash_mix(all->last + 1);
    return (int)(all->last % (uint64_t)bound);
}

/// From low to high by equal steps of their logarithms; now and then far out of it.
static double scale(decisions *all, double low, double high)
{
    static const double far[] = {1e-300, 1e-30, 1e-9, 1e9, 1e30, 1e150, 1e300, 0.0};
    int place = choose(all, 256);
    return place >= 252 ? far[choose(all, 8)] : low * pow(high / low, place / 251.0);
}

static double between(decisions *all, double low, double high)
{
    int place = choose(all, 256);
    return place == 255 ? high * 1e8 : low + (high - low) * place / 254.0;
}

static void write_vector(FILE *text, decisions *all, double most)
{
    double v[3];
    for (int k = 0; k < 3; k++)
        v[k] = between(all, -most, most);
    fprintf(text, "{%.17g,%.17g,%.17g}", v[0], v[1], v[2]);
}

static void write_parameters(FILE *text, decisions *all, int law)
{
    int count = cairn_plugin_get(CAIRN_LAW, law).setting_count;
    for (int left = choose(all, 6); left > 0; left--) {
        cairn_setting_info setting = cairn_plugin_get_setting(CAIRN_LAW, law, choose(all, count));
        if (strcmp(setting.type, "boolean") == 0) {
            fprintf(text, ", %s = %s", setting.name, choose(all, 2) ? "true" : "false");
        } else if (setting.choices != NULL) {
            int choices = 0;
            while (setting.choices[choices] != NULL)
                choices++;
            fprintf(text, ", %s = \"%s\"", setting.name, setting.choices[choose(all, choices)]);
        } else {
            // about what it is at first, and within its range
            double size = setting.initial.number != 0.0 ? fabs(setting.initial.number) : 0.1;
            double value = scale(all, size / 100.0, size * 100.0);
            value = fmin(fmax(value, setting.minimum), setting.maximum);
            fprintf(text, ", %s = %.17g", setting.name,
                    strcmp(setting.type, "integer") == 0 ? floor(fmin(value, 1e6)) : value);
        }
    }
}

/// A key a second time in a table is the last one's: a parameter may be given twice.
static void write_laws(FILE *text, decisions *all)
{
    fprintf(text, "material{name=\"a\",density=%.17g,young_modulus=%.17g}\n", scale(all, 500, 8000),
            scale(all, 1e5, 1e10));
    fprintf(text, "material{name=\"b\",density=1500,young_modulus=1e7,poisson_ratio=0.2}\n");
    for (int pair = 0; pair < 2; pair++) {
        int laws = cairn_plugin_count(CAIRN_LAW), law = choose(all, laws);
        // the kernels are of the laws behind the first one
        law = law == 0 ? choose(all, laws) : law;
        fprintf(text, "pair{%slaw=\"%s\"", pair == 1 ? "\"a\",\"b\"," : "",
                cairn_plugin_get(CAIRN_LAW, law).name);
        write_parameters(text, all, law);
        fprintf(text, "}\n");
        if (choose(all, 4) != 0)
            break;
    }
}

static void write_cell(FILE *text, decisions *all)
{
    static const char *const directions[] = {"xyz", "x", "xy", "z", "yz", "y"};
    static const char *const rates[] = {"xy", "xx", "zz", "yz", "xz"};
    if (choose(all, 3) != 0)
        return;
    fprintf(text, "cell{size={%.17g,%.17g,%.17g},periodic=\"%s\"", between(all, 0.03, 0.12),
            between(all, 0.03, 0.12), between(all, 0.03, 0.12), directions[choose(all, 6)]);
    if (choose(all, 2) == 0)
        fprintf(text, ",rate={%s=%.17g}", rates[choose(all, 5)], between(all, -100, 100));
    fprintf(text, "}\n");
}

static const char *material_of(decisions *all)
{
    return choose(all, 3) == 0 ? "b" : "a";
}

static void write_walls(FILE *text, decisions *all)
{
    static const char *const shapes[] = {
        "plane{}",
        "box{size={0.3,0.3,0.02}}",
        "box{size={0.04,0.05,0.02},rounding=0.004}",
        "sphere{radius=0.05}",
        "cylinder{radius=0.03,length=0.1}",
        "capsule{radius=0.02,length=0.1}",
        "polyhedron{points={{0,0,0},{0.1,0,0},{0,0.1,0},{0,0,0.05}}}",
        "mesh{vertices={{-1,-1,0},{1,-1,0},{1,1,0.01},{-1,1,0}},triangles={{1,2,3},{1,3,4}}}",
        "mesh{vertices={{-1,-1,-1},{1,-1,-1},{0,1,-1},{0,0,1}},"
        "triangles={{1,3,2},{1,2,4},{2,3,4},{3,1,4}}}",
        "compound{{shape=box{size={0.1,0.1,0.02}}},{shape=sphere{radius=0.02},position={0,0,0.02}}"
        "}",
    };
    for (int left = choose(all, 4), i = 0; left > 0; left--, i++) {
        bool moves = choose(all, 3) == 0;
        fprintf(text, "body{name=\"w%d\",kind=\"%s\",material=\"%s\",shape=%s,position=", i,
                moves ? "moving" : "fixed", material_of(all), shapes[choose(all, 10)]);
        write_vector(text, all, 0.06);
        fprintf(text, ",rotation={axis={1,%d,%d},angle=%d}", choose(all, 3), choose(all, 3),
                choose(all, 12) * 30);
        if (moves) {
            fprintf(text, ",velocity=");
            write_vector(text, all, 2.0);
            fprintf(text, ",angular_velocity=");
            write_vector(text, all, 20.0);
        }
        fprintf(text, "}\n");
        if (moves && choose(all, 4) == 0)
            fprintf(text, "servo{body=\"w%d\",axis={0,0,-1},force=%.17g}\n", i,
                    scale(all, 0.01, 100));
    }
}

static void write_grains(FILE *text, decisions *all)
{
    double radius = scale(all, 1e-3, 2e-2), apart = radius * between(all, 1.5, 2.3);
    int count = choose(all, 24), along = 1 + choose(all, 5), clumps = choose(all, 4);
    for (int i = 0; i < count; i++) {
        double r = radius * (choose(all, 2) == 0 ? 1.0 : between(all, 0.2, 1.0));
        fprintf(text, "body{name=\"g%d\",material=\"%s\",shape=", i, material_of(all));
        if (clumps == 1 && i % 3 == 0)
            fprintf(text,
                    "compound{{shape=sphere{radius=%.17g}},"
                    "{shape=sphere{radius=%.17g},position={%.17g,0,0}}}",
                    r, 0.7 * r, r);
        else if (clumps == 2 && i % 5 == 0)
            fprintf(text, "box{size={%.17g,%.17g,%.17g}}", r, r, 1.5 * r);
        else
            fprintf(text, "sphere{radius=%.17g}", r);
        fprintf(text, ",position={%.17g,%.17g,%.17g}", apart * (i % along),
                apart * (i / along % along), apart * (i / along / along));
        if (choose(all, 3) == 0) {
            fprintf(text, ",velocity=");
            write_vector(text, all, 5.0);
            fprintf(text, ",angular_velocity=");
            write_vector(text, all, 500.0);
        }
        fprintf(text, "}\n");
    }
    if (count > 1 && choose(all, 6) == 0)
        fprintf(text, "joint{kind=\"ball\",bodies={\"g0\",\"g1\"},at={0,0,0}}\n");
}

/// What comes and goes while the world steps.
static void write_changes(FILE *text, decisions *all, double step)
{
    static const char *const words[] = {"freeze", "release", "remove"};
    if (choose(all, 3) == 0)
        fprintf(text,
                "emitter{region={min={-0.05,-0.05,0},max={0.05,0.05,0.1}},count=%d,every=%.17g,"
                "%s,material=\"a\",attempts=%d}\n",
                1 + choose(all, 30), step * (1 + choose(all, 3)),
                choose(all, 2) == 0 ? "size=0.006"
                                    : "size=0.01,shape=capsule{radius=0.002,length=0.004}",
                1 + choose(all, 40));
    if (choose(all, 3) == 0)
        fprintf(text,
                "outlet{region={min={-0.02,-0.02,-0.02},max={0.03,0.03,0.03}},every=%.17g,"
                "from=%.17g,outside=%s}\n",
                step * (1 + choose(all, 4)), step * choose(all, 4),
                choose(all, 3) == 0 ? "true" : "false");
    if (choose(all, 3) == 0)
        fprintf(text, "%s{region={centre={0,0,0},radius=%.17g},at=%.17g}\n", words[choose(all, 3)],
                scale(all, 1e-3, 0.1), step * choose(all, 6));
    if (choose(all, 4) == 0)
        fprintf(text,
                "measure{name=\"m\",region={min={-0.02,-0.02,-0.02},max={0.03,0.03,0.03}},"
                "window=%.17g}\n",
                step * (1 + choose(all, 5)));
}

/// @return text of the caller
static char *write_scene(decisions *all, int threads)
{
    char *result = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&result, &size);
    fuzz_demand(text != NULL, "out of memory");
    double step = scale(all, 1e-7, 1e-3);
    step = fmin(fmax(step, 1e-12), 10.0);
    fprintf(text, "simulation{step=%.17g,end_time=1e12,threads=%d,step_halvings=1}\n", step,
            threads);
    if (choose(all, 3) == 0) {
        fprintf(text, "gravity");
        write_vector(text, all, 20.0);
        fprintf(text, "\n");
    }
    write_laws(text, all);
    write_cell(text, all);
    write_walls(text, all);
    write_grains(text, all);
    write_changes(text, all, step);
    fuzz_demand(fclose(text) == 0, "out of memory");
    return result;
}

static void take_sums(const cairn_world *world, decisions all, way *result)
{
    double density[CELLS], momentum[CELLS][3], contact[CELLS][9], kinetic[CELLS][9];
    double force[CELLS][3], temperature[CELLS];
    cairn_coarse_fields fields = {density, momentum, contact, kinetic, force, temperature};
    cairn_grid grid = {{-0.05, -0.05, -0.05},
                       {0.07, 0.07, 0.07},
                       {4, 3, 2},
                       choose(&all, 2) == 0 ? CAIRN_KERNEL_LUCY : CAIRN_KERNEL_GAUSSIAN,
                       fmax(scale(&all, 4e-3, 0.1), 1e-3)};
    cairn_error error = {0};
    if (cairn_world_coarse_grain(world, &grid, &fields, &error) == CAIRN_OK) {
        result->sums = base_hash_bytes(result->sums, density, sizeof density);
        result->sums = base_hash_bytes(result->sums, momentum, sizeof momentum);
        result->sums = base_hash_bytes(result->sums, contact, sizeof contact);
        result->sums = base_hash_bytes(result->sums, kinetic, sizeof kinetic);
        result->sums = base_hash_bytes(result->sums, force, sizeof force);
        result->sums = base_hash_bytes(result->sums, temperature, sizeof temperature);
    } else {
        fuzz_demand(error.message[0] != '\0', "fields failed without a message");
    }
    double total = cairn_world_get_energy(world).kinetic;
    result->sums = base_hash_bytes(result->sums, &total, sizeof total);
}

/// @return whether all steps were made
static bool make_steps(cairn_world *world, int count, way *result)
{
    cairn_error error = {0};
    for (int i = 0; i < count && !result->failed; i++)
        if (cairn_world_step(world, &error) != CAIRN_OK) {
            fuzz_demand(error.message[0] != '\0', "a step failed without a message");
            result->failed = true;
        }
    result->hash = cairn_world_get_hash(world);
    return !result->failed;
}

/// After some steps, more of them twice from the same state.
static void make_steps_twice(cairn_world *world, int count, way *result)
{
    cairn_error error = {0};
    cairn_snapshot *snapshot = NULL;
    way again = {0};
    fuzz_demand(cairn_world_snapshot(world, &snapshot, &error) == CAIRN_OK, "no snapshot");
    uint64_t before = cairn_world_get_hash(world);
    if (make_steps(world, count, result)) {
        cairn_status back = cairn_world_revert(world, snapshot, &error);
        fuzz_demand(back == CAIRN_OK || (back == CAIRN_ERROR_UNSUPPORTED && error.message[0] != 0),
                    error.message);
        if (back == CAIRN_OK) {
            fuzz_demand(cairn_world_get_hash(world) == before, "revert brings another state");
            make_steps(world, count, &again);
            // sums of energies that overflow end a step that is watched for them
            fuzz_demand(again.failed || again.hash == result->hash, "other bits after a revert");
        }
    }
    cairn_snapshot_destroy(snapshot);
}

static scn_scene *load_scene(const char *text, base_counting_allocator *counter)
{
    scn_options options = scn_default_options();
    options.text = text;
    options.memory_limit = (size_t)64 << 20;
    options.instruction_limit = 3000000;
    options.body_limit = 1000;
    options.may_be_empty = true;
    options.allocator = base_allocator_counting(counter);
    scn_scene *scene = NULL;
    cairn_error error = {0};
    cairn_status status = scn_load("kernels.lua", &options, &scene, &error);
    fuzz_demand(status == CAIRN_OK || error.message[0] != '\0', "a failure without a message");
    if (status != CAIRN_OK && getenv("CAIRN_FUZZ_PRINT") != NULL)
        fprintf(stderr, "refused: %s\n", error.message);
    return scene;
}

/// @return whether the scene was taken
static bool go(const char *text, decisions sums, int steps, bool twice, way *result)
{
    base_counting_allocator counter = {0};
    scn_scene *scene = load_scene(text, &counter);
    bool taken = scene != NULL;
    if (taken) {
        cairn_error error = {0};
        result->sums = BASE_HASH_START;
        if (make_steps(scene->world, steps, result)) {
            take_sums(scene->world, sums, result);
            fuzz_demand(cairn_world_validate(scene->world, &error) == CAIRN_OK, error.message);
            if (twice)
                make_steps_twice(scene->world, steps, result);
        }
    }
    scn_destroy(scene);
    fuzz_demand(counter.live == 0, "memory is left");
    return taken;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const vectors[] = {"scalar", "avx2", "avx512"};
    decisions all = {data, size, 0};
    int steps = 1 + choose(&all, 8), oracle = choose(&all, 4);
    const char *first = vectors[choose(&all, 3)], *second = vectors[choose(&all, 3)];
    decisions sums = all;
    decisions same = all;
    char *text = write_scene(&all, 1);
    if (getenv("CAIRN_FUZZ_PRINT") != NULL)
        fprintf(stderr, "-- %d steps, vectors %s\n%s", steps, first, text);
    way one = {0}, other = {0};
    setenv("CAIRN_VECTORS", first, 1);
    bool taken = go(text, sums, steps, oracle == 1, &one);
    free(text);
    if (taken && oracle == 0) {
        text = write_scene(&same, 3);
        setenv("CAIRN_VECTORS", second, 1);
        fuzz_demand(go(text, sums, steps, false, &other), "the second world is refused");
        fuzz_demand(one.hash == other.hash, "other vectors and threads, other state");
        fuzz_demand(one.sums == other.sums, "other vectors and threads, other fields");
        free(text);
    }
    return 0;
}
