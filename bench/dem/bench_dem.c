// SPDX-License-Identifier: Apache-2.0
// Beds of spheres, clumps or hulls in a box of half-spaces: makes a settled bed, or times steps of
// one.
#include "base/rng.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct options {
    const char *bed, *save, *law, *kernel;
    const char *beside; // "joint", "box", "function", "implicit": what the world holds besides
    const char *cell;   // periodic directions: "xy", on the floor alone
    double side, slope, step, damping, shear;
    int count, warm, steps, threads, materials;
    double ratio;     // largest radius over smallest of a new bed
    double rolling;   // friction of rolling and twisting
    int clump;        // spheres of a grain, in a ring; 0: grains are spheres
    int general;      // 1: through the general passes
    const char *hull; // grains are polyhedra: "octahedron", "cube", "tetrahedron"
    double rounding;  // of hulls, a share of the radius
} options;

enum { CLUMP_MOST = 16 };

// orientation of clumps of a new bed; radius of a member over that of the ball around its clump
static const double new_turn[4] = {0.8, 0.2, 0.4, 0.4};
#define MEMBER_SHARE 0.6

static void fail(const char *text)
{
    fprintf(stderr, "bench_dem: %s\n", text);
    exit(1);
}

static void check(cairn_status status, const cairn_error *error)
{
    if (status != CAIRN_OK)
        fail(error->message);
}

static options parse(int argc, char **argv)
{
    options o = {.law = "hooke",
                 .side = 0.1,
                 .step = 2e-5,
                 .damping = 885.0,
                 .steps = 1000,
                 .threads = 1,
                 .materials = 1,
                 .ratio = 1.5};
    for (int i = 1; i + 1 < argc; i += 2) {
        const char *key = argv[i], *value = argv[i + 1];
        if (strcmp(key, "--bed") == 0)
            o.bed = value;
        else if (strcmp(key, "--save") == 0)
            o.save = value;
        else if (strcmp(key, "--damping") == 0)
            o.damping = atof(value);
        else if (strcmp(key, "--law") == 0)
            o.law = value;
        else if (strcmp(key, "--kernel") == 0)
            o.kernel = value;
        else if (strcmp(key, "--beside") == 0)
            o.beside = value;
        else if (strcmp(key, "--cell") == 0)
            o.cell = value;
        else if (strcmp(key, "--shear") == 0)
            o.shear = atof(value);
        else if (strcmp(key, "--side") == 0)
            o.side = atof(value);
        else if (strcmp(key, "--step") == 0)
            o.step = atof(value);
        else if (strcmp(key, "--slope") == 0)
            o.slope = atof(value);
        else if (strcmp(key, "--count") == 0)
            o.count = atoi(value);
        else if (strcmp(key, "--warm") == 0)
            o.warm = atoi(value);
        else if (strcmp(key, "--steps") == 0)
            o.steps = atoi(value);
        else if (strcmp(key, "--threads") == 0)
            o.threads = atoi(value);
        else if (strcmp(key, "--materials") == 0)
            o.materials = atoi(value);
        else if (strcmp(key, "--ratio") == 0)
            o.ratio = atof(value);
        else if (strcmp(key, "--rolling") == 0)
            o.rolling = atof(value);
        else if (strcmp(key, "--clump") == 0)
            o.clump = atoi(value);
        else if (strcmp(key, "--hull") == 0)
            o.hull = value;
        else if (strcmp(key, "--rounding") == 0)
            o.rounding = atof(value);
        else if (strcmp(key, "--general") == 0)
            o.general = atoi(value);
        else
            fail(key);
    }
    if (o.bed == NULL && o.count <= 0)
        fail("--bed FILE or --count N is needed");
    if (o.clump < 0 || o.clump > CLUMP_MOST || o.clump == 1)
        fail("--clump takes 2 to 16");
    return o;
}

typedef struct material_pair {
    cairn_material_id a, b;
} material_pair;

static void set(cairn_world *world, material_pair pair, const char *name, double value)
{
    cairn_error error;
    check(cairn_pair_set_value(world, pair.a, pair.b, name, cairn_number(value), &error), &error);
}

/// A law beside those of the comparison, as stiff and about as damped as `hooke` there.
typedef struct other_law {
    const char *name;
    struct {
        const char *name;
        double value;
    } settings[4];
} other_law;

static const other_law others[] = {
    {"spring_dashpot", {{"spring", 1e4}, {"dashpot", 0.58}, {"friction", 0.5}}},
    {"incremental", {{"normal_stiffness", 1e4}, {"shear_stiffness", 2857.0}, {"friction", 0.5}}},
    {"exudyn_sphere",
     {{"contact_stiffness", 1e4}, {"contact_damping", 0.58}, {"dynamic_friction", 0.5}}},
};

/// Whether the law is one of these.
static bool set_other(cairn_world *world, const char *law, material_pair pair)
{
    cairn_error error;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strcmp(others[i].name, law) != 0)
            continue;
        check(cairn_pair_set_law(world, pair.a, pair.b, law, &error), &error);
        for (int k = 0; k < 4 && others[i].settings[k].name != NULL; k++)
            set(world, pair, others[i].settings[k].name, others[i].settings[k].value);
        return true;
    }
    return false;
}

/// The laws of the comparison (hooke, hertz; see in.lammps), or another one with a kernel.
static void set_law(cairn_world *world, const options *o, material_pair pair)
{
    cairn_error error;
    bool hertz = strcmp(o->law, "hertz") == 0;
    if (set_other(world, o->law, pair))
        return;
    check(cairn_pair_set_law(world, pair.a, pair.b, hertz ? "hertz_mindlin" : "hooke", &error),
          &error);
    set(world, pair, "friction", 0.5);
    set(world, pair, "rolling_friction", o->rolling);
    set(world, pair, "twisting_friction", o->rolling);
    cairn_value yes = {.type = CAIRN_BOOLEAN, .boolean = true};
    check(cairn_pair_set_value(world, pair.a, pair.b, "attraction", yes, &error), &error);
    if (hertz) {
        set(world, pair, "young_modulus", 1e7);
        set(world, pair, "poisson_ratio", 0.3);
        set(world, pair, "restitution", 0.7);
        return;
    }
    set(world, pair, "normal_stiffness", 1e4);
    set(world, pair, "tangential_stiffness", 2857.0);
    check(cairn_pair_set_value(world, pair.a, pair.b, "damping", cairn_text("mass"), &error),
          &error);
    set(world, pair, "normal_damping", o->damping);
    set(world, pair, "tangential_damping_ratio", 0.5);
}

/// Materials alike, with a law for every pair of them: what it costs to tell them apart.
static void set_materials(cairn_world *world, const options *o)
{
    cairn_error error;
    cairn_material_id ids[64] = {0};
    set_law(world, o, (material_pair){ids[0], ids[0]});
    for (int i = 0; i < o->materials && o->materials > 1 && i < 64; i++) {
        char name[16];
        snprintf(name, sizeof name, "m%d", i);
        check(cairn_material_create(world, name, &ids[i], &error), &error);
        for (int k = 0; k <= i; k++)
            set_law(world, o, (material_pair){ids[k], ids[i]});
    }
}

static void add(cairn_world *world, cairn_body_kind kind, cairn_shape_id shape,
                const double position[3], const double orientation[4])
{
    cairn_error error;
    cairn_body_id id;
    cairn_body_def def = cairn_default_body_def();
    def.kind = kind;
    def.shape = shape;
    def.density = 2500.0;
    int materials = cairn_material_count(world);
    char name[16];
    snprintf(name, sizeof name, "m%d", materials > 0 ? cairn_body_count(world) % materials : 0);
    def.material = cairn_material_find(world, name);
    memcpy(def.position, position, sizeof def.position);
    memcpy(def.orientation, orientation, sizeof def.orientation);
    check(cairn_body_create(world, &def, &id, &error), &error);
}

static int wall_count(const options *o)
{
    return o->cell != NULL ? 1 : 5;
}

static void add_box(cairn_world *world, const options *o)
{
    double side = o->side;
    cairn_error error;
    cairn_shape_id plane;
    cairn_shape_def def = cairn_default_shape_def(CAIRN_HALFSPACE);
    check(cairn_shape_create(world, &def, &plane, &error), &error);
    double r = sqrt(0.5), zero[3] = {0.0, 0.0, 0.0}, x[3] = {side, 0.0, 0.0},
           y[3] = {0.0, side, 0.0};
    add(world, CAIRN_FIXED, plane, zero, (double[4]){1, 0, 0, 0});
    if (o->cell != NULL)
        return;
    add(world, CAIRN_FIXED, plane, zero, (double[4]){r, 0, r, 0});
    bool shaken = o->beside != NULL && strcmp(o->beside, "function") == 0;
    add(world, shaken ? CAIRN_MOVING : CAIRN_FIXED, plane, x, (double[4]){r, 0, -r, 0});
    add(world, CAIRN_FIXED, plane, zero, (double[4]){r, -r, 0, 0});
    add(world, CAIRN_FIXED, plane, y, (double[4]){r, r, 0, 0});
}

static void add_sphere(cairn_world *world, const double position[3], double radius)
{
    cairn_error error;
    cairn_shape_id shape;
    cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
    def.radius = radius;
    check(cairn_shape_create(world, &def, &shape, &error), &error);
    add(world, CAIRN_DYNAMIC, shape, position, (double[4]){1, 0, 0, 0});
}

/// A ring of spheres that overlap, within a ball of the radius.
static void add_clump(cairn_world *world, int count, const double position[3], double radius,
                      const double orientation[4])
{
    cairn_error error;
    cairn_shape_id member, shape, members[CLUMP_MOST];
    cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_shape_def ring = cairn_default_shape_def(CAIRN_COMPOUND);
    double places[CLUMP_MOST][3] = {{0.0}}, turns[CLUMP_MOST][4] = {{0.0}};
    ball.radius = MEMBER_SHARE * radius;
    check(cairn_shape_create(world, &ball, &member, &error), &error);
    for (int k = 0; k < count; k++) {
        double angle = 2.0 * 3.14159265358979 * k / count;
        members[k] = member;
        places[k][0] = 0.4 * radius * cos(angle);
        places[k][1] = 0.4 * radius * sin(angle);
        turns[k][0] = 1.0;
    }
    ring.members = members;
    ring.member_positions = (const double(*)[3])places;
    ring.member_orientations = (const double(*)[4])turns;
    ring.member_count = count;
    check(cairn_shape_create(world, &ring, &shape, &error), &error);
    add(world, CAIRN_DYNAMIC, shape, position, orientation);
}

static const double octahedron[6][3] = {{1.0, 0.0, 0.0},  {-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0},
                                        {0.0, -1.0, 0.0}, {0.0, 0.0, 1.0},  {0.0, 0.0, -1.0}};
static const double cube[8][3] = {{-1.0, -1.0, -1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0},
                                  {1.0, 1.0, -1.0},   {-1.0, -1.0, 1.0}, {1.0, -1.0, 1.0},
                                  {-1.0, 1.0, 1.0},   {1.0, 1.0, 1.0}};
static const double tetrahedron[4][3] = {
    {1.0, 1.0, 1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0}, {-1.0, -1.0, 1.0}};

typedef struct hull_points {
    const char *name;
    const double (*points)[3];
    int count;
    double slant; // of a corner's way from the middle over that of a face
} hull_points;

static const hull_points hulls[] = {{"octahedron", octahedron, 6, 1.7320508075688772},
                                    {"cube", cube, 8, 1.7320508075688772},
                                    {"tetrahedron", tetrahedron, 4, 3.0}};

/// A regular polyhedron within a ball of the radius; where it is rounded, with the same faces.
static void add_hull(cairn_world *world, const options *o, const double position[3], double radius,
                     const double orientation[4])
{
    const char *name = o->hull;
    cairn_error error;
    cairn_shape_id shape;
    cairn_shape_def def = cairn_default_shape_def(CAIRN_POLYHEDRON);
    double points[8][3];
    for (size_t i = 0; i < sizeof hulls / sizeof hulls[0]; i++) {
        if (strcmp(hulls[i].name, name) != 0)
            continue;
        const double *first = hulls[i].points[0];
        double reach = sqrt(first[0] * first[0] + first[1] * first[1] + first[2] * first[2]);
        double scale = radius * (1.0 - o->rounding * hulls[i].slant) / reach;
        def.rounding = o->rounding * radius;
        def.point_count = hulls[i].count;
        for (int k = 0; k < 3 * def.point_count; k++)
            points[k / 3][k % 3] = scale * first[k];
    }
    if (def.point_count == 0)
        fail("--hull octahedron, cube or tetrahedron");
    def.points = (const double(*)[3])points;
    check(cairn_shape_create(world, &def, &shape, &error), &error);
    add(world, CAIRN_DYNAMIC, shape, position, orientation);
}

static void add_grain(cairn_world *world, const options *o, const double position[3], double radius,
                      const double orientation[4])
{
    if (o->hull != NULL)
        add_hull(world, o, position, radius, orientation);
    else if (o->clump > 0)
        add_clump(world, o->clump, position, radius, orientation);
    else
        add_sphere(world, position, radius);
}

static cairn_world *make_world(const options *o)
{
    cairn_error error;
    cairn_world *world;
    cairn_world_def def = cairn_default_world_def();
    double norm = sqrt(1.0 + o->slope * o->slope);
    def.time_step = o->step;
    def.threads = o->threads;
    def.gravity[0] = 9.81 * o->slope / norm;
    def.gravity[2] = -9.81 / norm;
    check(cairn_world_create(&def, &world, &error), &error);
    set_materials(world, o);
    add_box(world, o);
    cairn_cell_def cell = cairn_default_cell_def();
    cell.rate[1] = o->shear;
    for (int k = 0; k < 3; k++) {
        cell.periodic[k] = o->cell != NULL && strchr(o->cell, "xyz"[k]) != NULL;
        cell.size[k] = o->side;
    }
    if (o->cell != NULL)
        check(cairn_world_set_cell(world, &cell, &error), &error);
    return world;
}

/// Uniform for small ratios; the larger spheres are rarer for large ones.
static double random_radius(base_rng *rng, double ratio)
{
    double largest = 0.006, share = base_rng_range(rng, 0.0, 1.0);
    if (ratio <= 2.0)
        return largest / ratio + share * (largest - largest / ratio);
    // density of numbers falls with the cube of the radius
    double least = largest / ratio;
    return least / sqrt(1.0 - share * (1.0 - 1.0 / (ratio * ratio)));
}

/// Spheres of 6 mm down to 6 mm over the ratio on a loose lattice.
static void fill_loose(cairn_world *world, const options *o)
{
    base_rng rng = base_rng_make(12345);
    double spacing = 0.0122;
    int across = (int)((o->side - 0.0004) / spacing);
    for (int i = 0; i < o->count; i++) {
        int cell[3] = {i % across, i / across % across, i / across / across};
        double position[3];
        for (int k = 0; k < 3; k++)
            position[k] = spacing * (cell[k] + 0.5) + base_rng_range(&rng, 0.0, 4e-4);
        add_grain(world, o, position, random_radius(&rng, o->ratio), new_turn);
    }
}

/// Lines of place and radius, and of clumps orientation (w x y z) and mass, which is not read.
static void read_bed(cairn_world *world, const options *o)
{
    FILE *file = fopen(o->bed, "r");
    char line[512];
    double x[3], radius, turn[4];
    if (file == NULL)
        fail("the bed cannot be read");
    memcpy(turn, new_turn, sizeof turn);
    while (fgets(line, sizeof line, file) != NULL) {
        int found = sscanf(line, "%lf %lf %lf %lf %lf %lf %lf %lf", &x[0], &x[1], &x[2], &radius,
                           &turn[0], &turn[1], &turn[2], &turn[3]);
        if (found != 4 && found != 8)
            fail("a line of the bed has neither place and radius nor an orientation beside them");
        add_grain(world, o, x, radius, turn);
    }
    fclose(file);
}

/// A line of the bed, as read_bed takes it.
static cairn_status write_grain(const cairn_world *world, int number, FILE *file)
{
    cairn_body_view body;
    cairn_shape_view shape;
    cairn_status status = cairn_body_get(world, cairn_body_at(world, number), &body);
    if (status == CAIRN_OK)
        status = cairn_shape_get(world, body.shape, &shape);
    if (status != CAIRN_OK)
        return status;
    const double *x = body.position, *q = body.orientation;
    bool clump = shape.kind == CAIRN_COMPOUND, sphere = shape.kind == CAIRN_SPHERE;
    double radius = shape.radius;
    if (clump) {
        status = cairn_shape_get(world, shape.members[0], &shape);
        radius = shape.radius / MEMBER_SHARE;
    } else if (!sphere) {
        const double *p = shape.vertices[0];
        radius = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    }
    fprintf(file, "%.9g %.9g %.9g %.9g", x[0], x[1], x[2], radius);
    if (!sphere)
        fprintf(file, " %.17g %.17g %.17g %.17g %.17g", q[0], q[1], q[2], q[3], body.mass);
    fputc('\n', file);
    return status;
}

static void write_bed(const cairn_world *world, const options *o)
{
    FILE *file = fopen(o->save, "w");
    if (file == NULL)
        fail("the bed cannot be written");
    for (int i = wall_count(o); i < cairn_body_count(world); i++)
        if (write_grain(world, i, file) != CAIRN_OK)
            fail("a body cannot be read");
    if (fclose(file) != 0)
        fail("the bed cannot be written");
}

static cairn_body_id add_far(cairn_world *world, const options *o, const char *material,
                             cairn_body_kind kind, double x, double z)
{
    cairn_error error;
    cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
    cairn_body_def def = cairn_default_body_def();
    cairn_body_id id;
    for (int k = 0; k < 3; k++)
        box.half_size[k] = 0.005;
    def.kind = kind;
    def.density = 2500.0;
    def.material = cairn_material_find(world, material);
    def.position[0] = 0.5 * o->side + x;
    def.position[1] = 0.5 * o->side;
    def.position[2] = 5.0 + z;
    check(cairn_shape_create(world, &box, &def.shape, &error), &error);
    check(cairn_body_create(world, &def, &id, &error), &error);
    return id;
}

static cairn_status shake(void *context, double time, cairn_motion *motion, cairn_error *error)
{
    (void)error;
    motion->given = CAIRN_MOTION_POSITION;
    motion->position[0] = *(const double *)context + 1e-6 * sin(300.0 * time);
    return CAIRN_OK;
}

/// One thing that the sphere executor leaves to others, far from the bed, or a wall that shakes.
static void add_beside(cairn_world *world, const options *o)
{
    cairn_error error;
    cairn_material_id far, ground;
    check(cairn_material_create(world, "far", &far, &error), &error);
    check(cairn_material_create(world, "ground", &ground, &error), &error);
    if (strcmp(o->beside, "function") == 0) {
        cairn_body_id wall = cairn_body_at(world, 2);
        check(cairn_body_set_motion(world, wall, shake, (void *)&o->side, &error), &error);
        return;
    }
    cairn_body_id box = add_far(world, o, "far", CAIRN_DYNAMIC, 0.0, 0.01);
    if (strcmp(o->beside, "implicit") == 0) {
        check(cairn_pair_set_law(world, far, ground, "signorini_coulomb", &error), &error);
        add_far(world, o, "ground", CAIRN_FIXED, 0.0, 0.0);
    } else if (strcmp(o->beside, "joint") == 0) {
        cairn_joint_def def = cairn_default_joint_def(CAIRN_JOINT_BALL);
        cairn_joint_id joint;
        def.a = box;
        def.b = add_far(world, o, "far", CAIRN_DYNAMIC, 0.012, 0.01);
        memcpy(def.anchor, (double[3]){0.5 * o->side + 0.006, 0.5 * o->side, 5.01},
               sizeof def.anchor);
        check(cairn_joint_create(world, &def, &joint, &error), &error);
    } else if (strcmp(o->beside, "box") != 0) {
        fail("--beside joint, box, function or implicit");
    }
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/// Bytes that the process holds in memory, and the most it ever held.
static void memory(double *now, double *peak)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    *now = *peak = 0.0;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        (void)sscanf(line, "VmRSS: %lf", now);
        (void)sscanf(line, "VmHWM: %lf", peak);
    }
    if (file != NULL)
        fclose(file);
    *now *= 1024.0;
    *peak *= 1024.0;
}

typedef struct timing {
    double cpu, wall, lists;
} timing;

static timing run(cairn_world *world, int steps)
{
    cairn_error error;
    timing t = {-cpu_seconds(), -wall_seconds(), 0.0};
    for (int i = 0; i < steps; i++) {
        check(cairn_world_step(world, &error), &error);
        t.lists += cairn_world_get_report(world)->seconds[CAIRN_PHASE_BROAD_PHASE];
    }
    t.cpu += cpu_seconds();
    t.wall += wall_seconds();
    return t;
}

/// Contacts between spheres, twice, over spheres.
static double coordination(const cairn_world *world, double spheres)
{
    int count = cairn_contact_count(world), pairs = 0,
        walls = cairn_body_count(world) - (int)spheres;
    for (int i = 0; i < count; i++) {
        cairn_contact_view view;
        cairn_contact_get(world, i, &view);
        pairs += (int)view.a.index >= walls && (int)view.b.index >= walls;
    }
    return 2.0 * pairs / spheres;
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);
    cairn_world *world = make_world(&o);
    double empty, filled, steady, peak, spare;
    memory(&empty, &spare);
    if (o.bed == NULL)
        fill_loose(world, &o);
    else
        read_bed(world, &o);
    if (o.kernel != NULL && !eng_spheres_choose_kernel(world, o.kernel))
        fail("these kernels cannot run here");
    world->model.general_only = o.general != 0;
    memory(&filled, &spare);
    double count = cairn_body_count(world) - wall_count(&o);
    if (o.beside != NULL)
        add_beside(world, &o);
    run(world, o.warm);
    int64_t lists =
        o.warm > 0 && world->state.spheres != NULL ? world->state.spheres->list.made : 0;
    timing t = run(world, o.steps);
    memory(&steady, &peak);
    double work = count * o.steps;
    cairn_energy e = cairn_world_get_energy(world);
    printf("cairn law %s N %.0f kernel %s threads %d steps %d cpu %.3f wall %.3f Mps_cpu %.2f "
           "Mps_wall %.2f world_bytes %.0f steady_bytes %.0f peak_bytes %.0f coord %.3f ke %.3e "
           "lists %ld lists_share %.3f residual %.2e hash %016lx\n",
           o.law, count, world->state.spheres != NULL ? world->state.spheres->kernel->name : "none",
           o.threads, o.steps, t.cpu, t.wall, 1e-6 * work / t.cpu, 1e-6 * work / t.wall,
           (filled - empty) / count, (steady - empty) / count, (peak - empty) / count,
           coordination(world, count), e.kinetic,
           (long)(world->state.spheres != NULL ? world->state.spheres->list.made - lists : 0),
           t.lists / t.wall, e.residual / (e.friction + e.damping),
           (unsigned long)cairn_world_get_hash(world));
    if (o.save != NULL)
        write_bed(world, &o);
    cairn_world_destroy(world);
    return 0;
}
