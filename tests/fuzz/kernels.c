// SPDX-License-Identifier: Apache-2.0
// Fuzz target: small worlds of spheres and clumps under every law, stepped, measured and gone back.
//
// The bytes are decisions: law and its parameters, cell, walls, grains, what comes and goes. They
// become the text of a scene, so that an input that breaks something can be printed and run
// (CAIRN_FUZZ_PRINT=1). A second world with other vectors and threads must have the same bits.
//
// Most worlds are lean: made by calls, of a few bodies, stepped once or twice, and no more than
// their bytes ask for, so that a second of a processor runs hundreds of them. One of 32 is a scene.
#include "base/hash.h"
#include "base/rng.h"
#include "scenes/scene.h"
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <string.h>

typedef struct decisions {
    const uint8_t *next;
    size_t left;
    bool rich;
    uint64_t last; // where bytes of a rich world are over, decisions follow from those before
} decisions;

enum { PLAIN, TWICE, OTHER_WAY }; // what a world is held to, and its like

typedef struct plan {
    int steps, oracle;
    bool sums;           // take those of fields too
    decisions decisions; // of the grid of the fields
} plan;

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
    if (!all->rich)
        return 0;
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
        if (choose(all, 4) != 1)
            break;
    }
}

static void write_cell(FILE *text, decisions *all)
{
    static const char *const directions[] = {"xyz", "x", "xy", "z", "yz", "y"};
    static const char *const rates[] = {"xy", "xx", "zz", "yz", "xz"};
    if (choose(all, 3) != 1)
        return;
    fprintf(text, "cell{size={%.17g,%.17g,%.17g},periodic=\"%s\"", between(all, 0.03, 0.12),
            between(all, 0.03, 0.12), between(all, 0.03, 0.12), directions[choose(all, 6)]);
    if (choose(all, 2) == 1)
        fprintf(text, ",rate={%s=%.17g}", rates[choose(all, 5)], between(all, -100, 100));
    fprintf(text, "}\n");
}

static const char *material_of(decisions *all)
{
    return choose(all, 3) == 1 ? "b" : "a";
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
        bool moves = choose(all, 3) == 1;
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
        if (moves && choose(all, 4) == 1)
            fprintf(text, "servo{body=\"w%d\",axis={0,0,-1},force=%.17g}\n", i,
                    scale(all, 0.01, 100));
    }
}

static void write_grains(FILE *text, decisions *all)
{
    double radius = scale(all, 1e-3, 2e-2), apart = radius * between(all, 1.5, 2.3);
    int count = choose(all, 24), along = 1 + choose(all, 5), clumps = choose(all, 4);
    for (int i = 0; i < count; i++) {
        double r = radius * (choose(all, 2) == 1 ? 1.0 : between(all, 0.2, 1.0));
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
        if (choose(all, 3) == 1) {
            fprintf(text, ",velocity=");
            write_vector(text, all, 5.0);
            fprintf(text, ",angular_velocity=");
            write_vector(text, all, 500.0);
        }
        fprintf(text, "}\n");
    }
    if (count > 1 && choose(all, 6) == 1)
        fprintf(text, "joint{kind=\"ball\",bodies={\"g0\",\"g1\"},at={0,0,0}}\n");
}

/// What comes and goes while the world steps.
static void write_changes(FILE *text, decisions *all, double step)
{
    static const char *const words[] = {"freeze", "release", "remove"};
    if (choose(all, 3) == 1)
        fprintf(text,
                "emitter{region={min={-0.05,-0.05,0},max={0.05,0.05,0.1}},count=%d,every=%.17g,"
                "%s,material=\"a\",attempts=%d}\n",
                1 + choose(all, 30), step * (1 + choose(all, 3)),
                choose(all, 2) == 1 ? "size=0.006"
                                    : "size=0.01,shape=capsule{radius=0.002,length=0.004}",
                1 + choose(all, 40));
    if (choose(all, 3) == 1)
        fprintf(text,
                "outlet{region={min={-0.02,-0.02,-0.02},max={0.03,0.03,0.03}},every=%.17g,"
                "from=%.17g,outside=%s}\n",
                step * (1 + choose(all, 4)), step * choose(all, 4),
                choose(all, 3) == 1 ? "true" : "false");
    if (choose(all, 3) == 1)
        fprintf(text, "%s{region={centre={0,0,0},radius=%.17g},at=%.17g}\n", words[choose(all, 3)],
                scale(all, 1e-3, 0.1), step * choose(all, 6));
    if (choose(all, 4) == 1)
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
    if (choose(all, 3) == 1) {
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

// ---------------------------------------------------------------- lean worlds

/// What is refused is left out, with a message.
static bool is_made(cairn_status status, const cairn_error *error)
{
    fuzz_demand(status == CAIRN_OK || error->message[0] != '\0', "a refusal without a message");
    return status == CAIRN_OK;
}

static void choose_vector(decisions *all, double most, double v[3])
{
    for (int k = 0; k < 3; k++)
        v[k] = between(all, -most, most);
}

static void set_parameters(cairn_world *world, decisions *all, int law,
                           const cairn_material_id pair[2])
{
    cairn_error error = {0};
    int count = cairn_plugin_get(CAIRN_LAW, law).setting_count;
    for (int left = choose(all, 4); left > 0; left--) {
        cairn_setting_info setting = cairn_plugin_get_setting(CAIRN_LAW, law, choose(all, count));
        double size = setting.initial.number != 0.0 ? fabs(setting.initial.number) : 0.1;
        cairn_value value = cairn_number(scale(all, size / 100.0, size * 100.0));
        if (strcmp(setting.type, "boolean") == 0)
            value = (cairn_value){.type = CAIRN_BOOLEAN, .boolean = choose(all, 2) == 1};
        else if (setting.choices != NULL)
            value = cairn_text(setting.choices[0]);
        else if (strcmp(setting.type, "integer") == 0)
            value.number = floor(fmin(value.number, 1e6));
        is_made(cairn_pair_set_value(world, pair[0], pair[1], setting.name, value, &error), &error);
    }
}

static void set_laws(cairn_world *world, decisions *all, cairn_material_id materials[2])
{
    static const double sizes[2][2] = {{500, 8000}, {1e5, 1e10}};
    static const char *const properties[2] = {"density", "young_modulus"};
    cairn_error error = {0};
    for (int m = 0; m < 2; m++) {
        is_made(cairn_material_create(world, m == 0 ? "a" : "b", &materials[m], &error), &error);
        for (int k = 0; k < 2; k++)
            is_made(cairn_material_set_value(world, materials[m], properties[k],
                                             scale(all, sizes[k][0], sizes[k][1]), &error),
                    &error);
    }
    const cairn_material_id pairs[2][2] = {{{0}, {0}}, {materials[0], materials[1]}};
    for (int pair = 0; pair < 2; pair++) {
        int laws = cairn_plugin_count(CAIRN_LAW), law = choose(all, laws);
        law = law == 0 ? choose(all, laws) : law;
        const char *name = cairn_plugin_get(CAIRN_LAW, law).name;
        if (is_made(cairn_pair_set_law(world, pairs[pair][0], pairs[pair][1], name, &error),
                    &error))
            set_parameters(world, all, law, pairs[pair]);
        if (choose(all, 4) != 1)
            break;
    }
}

static void set_cell(cairn_world *world, decisions *all)
{
    cairn_error error = {0};
    cairn_cell_def cell = cairn_default_cell_def();
    if (choose(all, 3) != 1)
        return;
    for (int k = 0, which = choose(all, 8); k < 3; k++) {
        cell.periodic[k] = (which >> k) % 2 == 0;
        cell.size[k] = between(all, 0.02, 0.1);
    }
    if (choose(all, 2) == 1)
        cell.rate[choose(all, 9)] = between(all, -100, 100);
    is_made(cairn_world_set_cell(world, &cell, &error), &error);
}

/// @return whether there is such a shape
static bool make_shape(cairn_world *world, decisions *all, cairn_shape_kind kind, double size,
                       cairn_shape_id *shape)
{
    static const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    static const double corners[4][3] = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0.1}, {-1, 1, 0}};
    static const int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    static const int sheet[2][3] = {{0, 1, 2}, {0, 2, 3}};
    cairn_error error = {0};
    cairn_shape_def def = cairn_default_shape_def(kind);
    double own[4][3];
    bool open = kind == CAIRN_MESH && choose(all, 2) == 1;
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            own[i][k] = size * (open ? corners : points)[i][k];
    def.radius = size;
    def.half_length = size * between(all, 0.5, 3.0);
    def.half_size[0] = def.half_size[1] = def.half_size[2] = size;
    def.half_size[choose(all, 3)] = between(all, 0.1, 2.0) * size;
    def.rounding = choose(all, 3) == 1 ? 0.09 * size : 0.0;
    def.points = (const double(*)[3])own;
    def.point_count = 4;
    def.triangles = open ? sheet : triangles;
    def.triangle_count = open ? 2 : 4;
    def.solid = kind == CAIRN_MESH && choose(all, 3) == 1;
    if (kind != CAIRN_COMPOUND)
        return is_made(cairn_shape_create(world, &def, shape, &error), &error);
    const double places[2][3] = {
        {0, 0, 0}, {(choose(all, 16) == 1 ? 1.0 : between(all, 1.75, 3.0)) * size, 0, 0}};
    const double turns[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
    cairn_shape_id members[2] = {{0}, {0}};
    // seldom overlapping: the union takes long to weigh
    if (!make_shape(world, all, CAIRN_SPHERE, size, &members[0]) ||
        !make_shape(world, all, CAIRN_SPHERE, 0.7 * size, &members[1]))
        return false;
    def.members = members;
    def.member_positions = places;
    def.member_orientations = turns;
    def.member_count = 2;
    return is_made(cairn_shape_create(world, &def, shape, &error), &error);
}

static void add_walls(cairn_world *world, decisions *all, const cairn_material_id materials[2])
{
    static const cairn_shape_kind kinds[] = {
        CAIRN_HALFSPACE, CAIRN_BOX, CAIRN_SPHERE,    CAIRN_CYLINDER,   CAIRN_MESH,
        CAIRN_CAPSULE,   CAIRN_BOX, CAIRN_HALFSPACE, CAIRN_POLYHEDRON, CAIRN_COMPOUND};
    cairn_error error = {0};
    for (int left = choose(all, 3); left > 0; left--) {
        cairn_body_def def = cairn_default_body_def();
        cairn_body_id wall = {0};
        bool moves = choose(all, 3) == 1;
        def.kind = moves ? CAIRN_MOVING : CAIRN_FIXED;
        def.material = materials[choose(all, 3) == 1];
        if (!make_shape(world, all, kinds[choose(all, 10)], scale(all, 0.01, 0.3), &def.shape))
            continue;
        choose_vector(all, 0.06, def.position);
        if (choose(all, 2) == 1)
            choose_vector(all, 2.0, &def.orientation[1]);
        if (moves) {
            choose_vector(all, 2.0, def.velocity);
            choose_vector(all, 20.0, def.angular_velocity);
        }
        bool made = is_made(cairn_body_create(world, &def, &wall, &error), &error);
        if (made && moves && choose(all, 3) == 1) {
            cairn_servo_def servo = cairn_default_servo_def();
            servo.body = wall;
            servo.axis[2] = -1.0;
            servo.force = scale(all, 0.01, 100);
            is_made(cairn_servo_create(world, &servo, &error), &error);
        }
    }
}

static void add_grains(cairn_world *world, decisions *all, const cairn_material_id materials[2])
{
    static const cairn_shape_kind kinds[] = {CAIRN_SPHERE,   CAIRN_SPHERE, CAIRN_COMPOUND,
                                             CAIRN_BOX,      CAIRN_SPHERE, CAIRN_CAPSULE,
                                             CAIRN_COMPOUND, CAIRN_SPHERE};
    cairn_error error = {0};
    double radius = scale(all, 1e-3, 2e-2), apart = radius * between(all, 1.2, 2.3);
    int kind = choose(all, 8), along = 1 + choose(all, 3);
    cairn_shape_id usual = {0};
    bool known = make_shape(world, all, CAIRN_SPHERE, radius, &usual);
    for (int left = choose(all, 7), i = 0; left > 0; left--, i++) {
        cairn_body_def def = cairn_default_body_def();
        cairn_body_id body;
        def.material = materials[choose(all, 3) == 1];
        def.shape = usual;
        if (!known || choose(all, 3) == 1)
            if (!make_shape(world, all, kinds[kind], radius * between(all, 0.2, 1.0), &def.shape))
                continue;
        def.position[0] = apart * (i % along);
        def.position[1] = apart * (i / along % along);
        def.position[2] = apart * (i / along / along);
        if (choose(all, 3) == 1) {
            choose_vector(all, 5.0, def.velocity);
            choose_vector(all, 500.0, def.angular_velocity);
        }
        is_made(cairn_body_create(world, &def, &body, &error), &error);
    }
}

static void add_changes(cairn_world *world, decisions *all, const cairn_material_id materials[2])
{
    static const cairn_change kinds[] = {CAIRN_CHANGE_REMOVE, CAIRN_CHANGE_FREEZE,
                                         CAIRN_CHANGE_RELEASE, CAIRN_CHANGE_VELOCITY};
    cairn_error error = {0};
    double step = cairn_world_get_def(world)->time_step;
    cairn_region region = {.kind = CAIRN_REGION_BOX,
                           .a = {-0.02, -0.02, -0.02},
                           .b = {0.03, 0.03, scale(all, 0.01, 0.1)},
                           .radius = 0.01};
    int which = choose(all, 16);
    if (which == 1) {
        cairn_emitter_def emitter = cairn_default_emitter_def();
        cairn_grain_def grain = {
            .size = {.kind = CAIRN_SIZE_CONSTANT, .first = scale(all, 0.002, 0.02)},
            .material = materials[0],
            .share = 1.0};
        emitter.region = region;
        emitter.grains = &grain;
        emitter.grain_count = 1;
        emitter.count = 1 + choose(all, 4);
        emitter.every = step;
        emitter.attempts = 1 + choose(all, 4);
        is_made(cairn_emitter_create(world, &emitter, &error), &error);
    } else if (which == 2) {
        cairn_outlet_def outlet = cairn_default_outlet_def();
        outlet.region = region;
        outlet.every = step;
        outlet.outside = choose(all, 2) == 1;
        is_made(cairn_outlet_create(world, &outlet, &error), &error);
    } else if (which <= 4 && which > 2) {
        cairn_event_def event = cairn_default_event_def();
        event.change = kinds[choose(all, 4)];
        event.region = &region;
        event.from = step * choose(all, 3);
        choose_vector(all, 1.0, event.velocity);
        is_made(cairn_event_create(world, &event, &error), &error);
    }
}

static cairn_world *make_lean(decisions *all, int threads, base_counting_allocator *counter)
{
    cairn_error error = {0};
    cairn_world *world = NULL;
    cairn_material_id materials[2] = {{0}, {0}};
    cairn_world_def def = cairn_default_world_def();
    def.time_step = fmin(fmax(scale(all, 1e-7, 1e-3), 1e-12), 10.0);
    def.threads = threads;
    def.step_halvings = 1;
    // solvers have targets of their own
    def.max_iterations = 200;
    base_allocator counting = base_allocator_counting(counter);
    def.allocator = (cairn_allocator){counting.reallocate, counting.context};
    choose_vector(all, 20.0, def.gravity);
    if (!is_made(cairn_world_create(&def, &world, &error), &error))
        return NULL;
    set_laws(world, all, materials);
    set_cell(world, all);
    add_walls(world, all, materials);
    add_grains(world, all, materials);
    add_changes(world, all, materials);
    return world;
}

// ---------------------------------------------------------------- what is done with a world

static void take_sums(const cairn_world *world, const plan *how, way *result)
{
    decisions all = how->decisions;
    double total = cairn_world_get_energy(world).kinetic;
    result->sums = base_hash_bytes(result->sums, &total, sizeof total);
    if (!how->sums)
        return;
    double density[CELLS], momentum[CELLS][3], contact[CELLS][9], kinetic[CELLS][9];
    double force[CELLS][3], temperature[CELLS];
    cairn_coarse_fields fields = {density, momentum, contact, kinetic, force, temperature};
    cairn_grid grid = {{-0.05, -0.05, -0.05},
                       {0.07, 0.07, 0.07},
                       {4, 3, 2},
                       choose(&all, 2) == 1 ? CAIRN_KERNEL_LUCY : CAIRN_KERNEL_GAUSSIAN,
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
}

/// The state of a step that ends in no numbers is told by name and has no hash: C does not say
/// which bits those have.
/// @return whether all steps were made
static bool make_steps(cairn_world *world, int count, way *result)
{
    cairn_error error = {0};
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < count && !result->failed; i++) {
        status = cairn_world_step(world, &error);
        if (status != CAIRN_OK) {
            fuzz_demand(error.message[0] != '\0', "a step failed without a message");
            result->failed = true;
        }
    }
    result->hash = status == CAIRN_ERROR_NONFINITE ? 0 : cairn_world_get_hash(world);
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
            fuzz_demand(!again.failed && again.hash == result->hash, "other bits after a revert");
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

static void use(cairn_world *world, const plan *how, bool twice, way *result)
{
    cairn_error error = {0};
    result->sums = BASE_HASH_START;
    if (!make_steps(world, how->steps, result))
        return;
    take_sums(world, how, result);
    // parameters near the end of the numbers have energies beyond it, which the audit says
    cairn_status sound = cairn_world_validate(world, &error);
    fuzz_demand(sound == CAIRN_OK || sound == CAIRN_ERROR_NONFINITE, error.message);
    if (twice)
        make_steps_twice(world, how->steps, result);
}

static void print_lean(const cairn_world *world)
{
    const cairn_material_id none = {0};
    const cairn_world_def *def = cairn_world_get_def(world);
    fprintf(stderr, "step %.17g, gravity %.17g %.17g %.17g, %s, %s, %d actions\n", def->time_step,
            def->gravity[0], def->gravity[1], def->gravity[2],
            cairn_pair_get_law(world, none, none),
            cairn_pair_get_law(world, cairn_material_at(world, 0), cairn_material_at(world, 1)),
            cairn_emitter_count(world) + cairn_outlet_count(world));
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view v;
        cairn_shape_view s;
        fuzz_demand(cairn_body_get(world, cairn_body_at(world, i), &v) == CAIRN_OK &&
                        cairn_shape_get(world, v.shape, &s) == CAIRN_OK,
                    "no view");
        fprintf(stderr, "%d %s %s size %g at %.17g %.17g %.17g, v %g %g %g, w %g %g %g, mass %g\n",
                i, v.kind == CAIRN_DYNAMIC ? "" : "held", cairn_shape_kind_call(s.kind),
                s.smallest_size, v.position[0], v.position[1], v.position[2], v.velocity[0],
                v.velocity[1], v.velocity[2], v.angular_velocity[0], v.angular_velocity[1],
                v.angular_velocity[2], v.mass);
    }
}

/// @return whether the scene was taken
static bool go_rich(decisions all, const plan *how, int threads, bool twice, way *result)
{
    base_counting_allocator counter = {0};
    char *text = write_scene(&all, threads);
    if (getenv("CAIRN_FUZZ_PRINT") != NULL)
        fprintf(stderr, "%s", text);
    scn_scene *scene = load_scene(text, &counter);
    bool taken = scene != NULL;
    if (taken)
        use(scene->world, how, twice, result);
    scn_destroy(scene);
    free(text);
    fuzz_demand(counter.live == 0, "memory is left");
    return taken;
}

static bool go_lean(decisions all, const plan *how, int threads, bool twice, way *result)
{
    base_counting_allocator counter = {0};
    cairn_world *world = make_lean(&all, threads, &counter);
    bool taken = world != NULL;
    if (taken && getenv("CAIRN_FUZZ_PRINT") != NULL)
        print_lean(world);
    if (taken)
        use(world, how, twice, result);
    cairn_world_destroy(world);
    fuzz_demand(counter.live == 0, "memory is left");
    return taken;
}

static void print_plan(const plan *how, const uint8_t *data, size_t size, const char *first,
                       const char *second, int threads)
{
    fprintf(stderr, "-- %d steps, oracle %d, vectors %s, then %s and %d threads; bytes ",
            how->steps, how->oracle, first, second, threads);
    for (size_t i = 0; i < size; i++)
        fprintf(stderr, "%02x", data[i]);
    fprintf(stderr, "\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const vectors[] = {"scalar", "avx2", "avx512"};
    // by the bytes as a whole: a rich world that finds something new has lean children
    bool rich = base_hash_bytes(BASE_HASH_START, data, size) % 32 == 0;
    decisions all = {data, size, rich, 0};
    plan how = {.steps = 1 + (rich ? choose(&all, 8) : choose(&all, 3))};
    how.oracle = choose(&all, 4);
    how.sums = rich || choose(&all, 32) == 1;
    int threads = rich || choose(&all, 16) == 1 ? 3 : 1;
    const char *first = vectors[choose(&all, 3)], *second = vectors[choose(&all, 3)];
    how.decisions = all;
    if (getenv("CAIRN_FUZZ_PRINT") != NULL)
        print_plan(&how, data, size, first, second, threads);
    way one = {0}, other = {0};
    bool (*go)(decisions, const plan *, int, bool, way *) = rich ? go_rich : go_lean;
    setenv("CAIRN_VECTORS", first, 1);
    if (!go(all, &how, 1, how.oracle == TWICE, &one) || how.oracle != OTHER_WAY)
        return 0;
    setenv("CAIRN_VECTORS", second, 1);
    fuzz_demand(go(all, &how, threads, false, &other), "the second world is refused");
    fuzz_demand(one.failed == other.failed, "a step fails with other vectors or threads alone");
    fuzz_demand(one.hash == other.hash, "other vectors and threads, other state");
    fuzz_demand(one.sums == other.sums, "other vectors and threads, other fields");
    return 0;
}
