// SPDX-License-Identifier: Apache-2.0
// Walls of the sphere executor that are no half-spaces: contacts, motion, energies and read-outs as
// in the ordinary blocks; same bits from every kernel and any number of threads.
#include "base/memory.h"
#include "base/rng.h"
#include "engine/pairs/spheres/data.h"
#include "engine/state/world.h"
#include "tests/cube.h"
#include "tests/unit/engine/sphere_world.h"

#include <stdlib.h>

enum { ACROSS = 6, LAYERS = 5, SPHERES = ACROSS * ACROSS * LAYERS, GRID = 14 };

static const double spacing = 0.0098, side = 0.0098 * ACROSS;

/// What the spheres fall on.
typedef struct pit {
    cairn_shape_kind kind; // of the tools
    const char *law;
    bool resisting;
    bool bumpy; // the floor is a mesh
    bool fine;  // of triangles smaller than a sphere
    int threads;
    cairn_allocator allocator;
} pit;

static cairn_shape_id make_shape(cairn_world *world, const cairn_shape_def *def)
{
    cairn_shape_id id;
    cairn_error error;
    assert_int_equal(cairn_shape_create(world, def, &id, &error), CAIRN_OK);
    return id;
}

/// A wedge-like block with corners, as a hull or a closed mesh.
static cairn_shape_id make_block(cairn_world *world, cairn_shape_kind kind)
{
    double points[8][3];
    for (int i = 0; i < 8; i++) {
        points[i][0] = 0.009 * cube_corners[i][0];
        points[i][1] = 0.007 * cube_corners[i][1] * (cube_corners[i][2] > 0.0 ? 0.4 : 1.0);
        points[i][2] = 0.006 * cube_corners[i][2];
    }
    cairn_shape_def def = cairn_default_shape_def(kind);
    def.points = (const double(*)[3])points;
    def.point_count = 8;
    if (kind == CAIRN_MESH) {
        def.triangles = cube_faces;
        def.triangle_count = 12;
    }
    return make_shape(world, &def);
}

static cairn_shape_id make_tool(cairn_world *world, cairn_shape_kind kind)
{
    cairn_shape_def def = cairn_default_shape_def(kind);
    if (kind == CAIRN_POLYHEDRON || kind == CAIRN_MESH)
        return make_block(world, kind);
    if (kind == CAIRN_COMPOUND) {
        cairn_shape_id members[] = {make_tool(world, CAIRN_BOX), make_tool(world, CAIRN_CYLINDER),
                                    sphere(world, 0.006)};
        const double positions[][3] = {{0.0, 0.0, 0.0}, {0.008, 0.0, 0.002}, {0.0, 0.0, 0.007}};
        const double turns[][4] = {
            {1.0, 0.0, 0.0, 0.0}, {0.8, 0.6, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
        def.members = members;
        def.member_count = 3;
        def.member_positions = positions;
        def.member_orientations = turns;
        return make_shape(world, &def);
    }
    def.radius = 0.005;
    def.half_length = 0.006;
    memcpy(def.half_size, (double[3]){0.008, 0.006, 0.004}, sizeof def.half_size);
    return make_shape(world, &def);
}

/// A bumpy surface over the floor.
static cairn_shape_id make_floor(cairn_world *world, bool fine)
{
    int n = fine ? 3 * GRID : GRID, count = 0;
    double(*points)[3] = malloc((size_t)(n + 1) * (size_t)(n + 1) * sizeof *points);
    int(*triangles)[3] = malloc(2 * (size_t)n * (size_t)n * sizeof *triangles);
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= n; j++) {
            double x = 1.2 * side * i / n - 0.1 * side, y = 1.2 * side * j / n - 0.1 * side;
            double *p = points[i * (n + 1) + j];
            p[0] = x;
            p[1] = y;
            p[2] = 0.0015 * sin(900.0 * x) * cos(700.0 * y + 300.0 * x);
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int a = i * (n + 1) + j, b = a + n + 1;
            memcpy(triangles[count++], (int[3]){a, b, a + 1}, sizeof *triangles);
            memcpy(triangles[count++], (int[3]){b, b + 1, a + 1}, sizeof *triangles);
        }
    cairn_shape_def def = cairn_default_shape_def(CAIRN_MESH);
    def.points = (const double(*)[3])points;
    def.point_count = (n + 1) * (n + 1);
    def.triangles = (const int(*)[3])triangles;
    def.triangle_count = count;
    cairn_shape_id id = make_shape(world, &def);
    free(points);
    free(triangles);
    return id;
}

/// Four upright walls; the floor.
static void add_container(cairn_world *world, const pit *p, cairn_material_id stuff)
{
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def def = cairn_default_body_def();
    cairn_shape_id shape = make_shape(world, &plane);
    double r = sqrt(0.5);
    double turn[4][4] = {{r, 0, r, 0}, {r, 0, -r, 0}, {r, -r, 0, 0}, {r, r, 0, 0}};
    def.kind = CAIRN_FIXED;
    def.material = stuff;
    def.shape = shape;
    for (int i = 0; i < 4; i++) {
        memcpy(def.orientation, turn[i], sizeof turn[i]);
        def.position[0] = i == 1 ? side : 0.0;
        def.position[1] = i == 3 ? side : 0.0;
        add_body(world, def);
    }
    def.position[1] = 0.0;
    memcpy(def.orientation, (double[4]){1.0, 0.0, 0.0, 0.0}, sizeof def.orientation);
    if (p->bumpy)
        def.shape = make_floor(world, p->fine);
    add_body(world, def);
}

/// Four tools lie in the pit, one comes down from above, turning.
static void add_tools(cairn_world *world, const pit *p, cairn_material_id stuff)
{
    cairn_body_def def = cairn_default_body_def();
    def.shape = make_tool(world, p->kind);
    def.material = stuff;
    def.kind = CAIRN_FIXED;
    memcpy(def.orientation, (double[4]){0.9, 0.1, 0.3, 0.3}, sizeof def.orientation);
    for (int i = 0; i < 4; i++) {
        double at[3] = {(0.25 + 0.5 * (i % 2)) * side, (0.25 + 0.5 * (i / 2)) * side, 0.006};
        memcpy(def.position, at, sizeof at);
        def.orientation[1] += 0.2;
        add_body(world, def);
    }
    def.kind = CAIRN_MOVING;
    memcpy(def.position, (double[3]){0.6 * side, 0.4 * side, 0.02 + spacing * LAYERS + 0.007},
           sizeof def.position);
    memcpy(def.velocity, (double[3]){0.1, 0.05, -0.7}, sizeof def.velocity);
    memcpy(def.angular_velocity, (double[3]){4.0, 9.0, 15.0}, sizeof def.angular_velocity);
    add_body(world, def);
}

/// Spheres of radius 4 to 4.75 mm in layers above the floor, on their way down. The walls have the
/// first numbers, or the last ones.
static void add_spheres(cairn_world *world, cairn_material_id grain)
{
    cairn_shape_id shapes[4];
    for (int i = 0; i < 4; i++)
        shapes[i] = sphere(world, 0.004 + 0.00025 * i);
    base_rng rng = base_rng_make(11);
    for (int i = 0; i < SPHERES; i++) {
        cairn_body_def body = cairn_default_body_def();
        int cell[3] = {i % ACROSS, i / ACROSS % ACROSS, i / ACROSS / ACROSS};
        body.shape = shapes[i % 4];
        body.material = grain;
        body.density = 2500.0;
        for (int k = 0; k < 3; k++) {
            body.position[k] = spacing * (cell[k] + 0.5) + (k == 2 ? 0.0175 : 0.0);
            body.velocity[k] = 0.6 * (base_rng_unit(&rng) - 0.5) - (k == 2 ? 0.9 : 0.0);
            body.angular_velocity[k] = 40.0 * (base_rng_unit(&rng) - 0.5);
        }
        add_body(world, body);
    }
}

static cairn_world *make_pit(const pit *p)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    def.time_step = 2e-5;
    def.threads = p->threads;
    def.allocator = p->allocator;
    assert_int_equal(cairn_world_create(&def, &world, NULL), CAIRN_OK);
    cairn_material_id wall = material(world, "wall"), grain = material(world, "grain");
    const cairn_material_id pairs[2][2] = {{grain, grain}, {grain, wall}};
    for (int i = 0; i < 2; i++) {
        set_pair(world, pairs[i][0], pairs[i][1], p->law, 1.0 + 0.3 * i);
        if (p->resisting)
            set_resistance(world, pairs[i][0], pairs[i][1], i == 1);
    }
    if (p->resisting)
        add_spheres(world, grain);
    add_container(world, p, wall);
    add_tools(world, p, wall);
    if (!p->resisting)
        add_spheres(world, grain);
    return world;
}

/// Contacts with walls that are no half-spaces.
static int count_shape_contacts(const cairn_world *world)
{
    int count = 0;
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view view;
        cairn_contact_get(world, i, &view);
        const uint32_t bodies[2] = {view.a.index, view.b.index};
        for (int k = 0; k < 2; k++) {
            geo_kind kind =
                world->model.shapes.rows[world->model.bodies.rows[bodies[k]].shape]->kind;
            count += kind != GEO_SPHERE && kind != GEO_HALFSPACE;
        }
    }
    return count;
}

/// Both worlds start in the ordinary blocks, so that the executor takes over contacts with history.
static void compare(pit p)
{
    p.threads = 1;
    cairn_world *spheres = make_pit(&p), *ordinary = make_pit(&p);
    int met = 0, until[] = {10, 160, 420}, done = 0;
    double tolerance[] = {1e-13, 1e-11, 1e-8};
    run(spheres, 650, true);
    run(ordinary, 650, true);
    assert_true(count_shape_contacts(ordinary) > 2);
    for (int k = 0; k < 3; k++) {
        run(spheres, until[k] - done, false);
        run(ordinary, until[k] - done, true);
        done = until[k];
        check_bodies(spheres, ordinary, tolerance[k]);
        check_contacts(spheres, ordinary, tolerance[k]);
        check_forces(spheres, ordinary, tolerance[k]);
        check_energies(spheres, ordinary, 1e-4);
        met += count_shape_contacts(spheres);
    }
    print_message("%s: %d contacts met\n", cairn_shape_kind_name(p.kind), met);
    assert_true(met > 12);
    cairn_world_destroy(spheres);
    cairn_world_destroy(ordinary);
}

static void test_boxes(void **state)
{
    (void)state;
    compare((pit){.kind = CAIRN_BOX, .law = "hooke"});
}

static void test_cylinders(void **state)
{
    (void)state;
    compare((pit){.kind = CAIRN_CYLINDER, .law = "hertz_mindlin"});
}

static void test_capsules(void **state)
{
    (void)state;
    compare((pit){.kind = CAIRN_CAPSULE, .law = "hooke", .resisting = true});
}

static void test_hulls(void **state)
{
    (void)state;
    compare((pit){.kind = CAIRN_POLYHEDRON, .law = "hertz_mindlin", .resisting = true});
}

static void test_compounds(void **state)
{
    (void)state;
    compare((pit){.kind = CAIRN_COMPOUND, .law = "hooke"});
}

static void test_meshes(void **state)
{
    (void)state;
    compare((pit){.kind = CAIRN_MESH, .law = "hooke"});
    compare((pit){.kind = CAIRN_MESH, .law = "hertz_mindlin", .bumpy = true});
    compare((pit){.kind = CAIRN_MESH, .law = "hooke", .bumpy = true, .resisting = true});
    compare((pit){.kind = CAIRN_MESH, .law = "hertz_mindlin", .bumpy = true, .fine = true});
}

static uint64_t hash_of(const pit *p, const char *kernel, int steps)
{
    return sphere_hash(make_pit(p), kernel, steps);
}

static void test_same_bits(void **state)
{
    (void)state;
    const char *kernels[] = {"avx2", "avx512"};
    for (int kind = 0; kind < 2; kind++) {
        pit p = {.kind = kind ? CAIRN_MESH : CAIRN_COMPOUND,
                 .law = kind ? "hertz_mindlin" : "hooke",
                 .bumpy = true,
                 .fine = kind == 1,
                 .resisting = true,
                 .threads = 1};
        uint64_t expected = hash_of(&p, "scalar", 1200);
        for (int k = 0; k < 2; k++) {
            uint64_t hash = hash_of(&p, kernels[k], 1200);
            assert_true(hash == 0 || hash == expected);
        }
        for (p.threads = 2; p.threads <= 3; p.threads++)
            assert_true(hash_of(&p, NULL, 1200) == expected);
    }
}

/// A world that goes on from what a checkpoint keeps, with spheres on many triangles at once.
static void test_restart(void **state)
{
    (void)state;
    enum { TIMES = 30 };
    pit p = {.kind = CAIRN_MESH, .law = "hertz_mindlin", .bumpy = true, .fine = true, .threads = 1};
    cairn_world *world = make_pit(&p);
    cairn_snapshot *snapshot;
    cairn_error error;
    uint64_t hashes[TIMES];
    run(world, 900, false);
    assert_true(count_shape_contacts(world) > 2);
    assert_int_equal(cairn_world_snapshot(world, &snapshot, &error), CAIRN_OK);
    for (int i = 0; i < TIMES; i++) {
        run(world, 10, false);
        hashes[i] = cairn_world_get_hash(world);
    }
    assert_int_equal(cairn_world_revert(world, snapshot, &error), CAIRN_OK);
    for (int i = 0; i < TIMES; i++) {
        run(world, 10, false);
        assert_true(cairn_world_get_hash(world) == hashes[i]);
    }
    cairn_snapshot_destroy(snapshot);
    cairn_world_destroy(world);
}

/// Slots that spheres get in the middle of a run: contacts with walls keep their history.
static void test_hand_over(void **state)
{
    (void)state;
    pit p = {.kind = CAIRN_MESH, .law = "hooke", .bumpy = true, .resisting = true, .threads = 1};
    cairn_world *mixed = make_pit(&p), *ordinary = make_pit(&p);
    run(ordinary, 1000, true);
    run(mixed, 850, true);
    assert_true(count_shape_contacts(mixed) > 8);
    run(mixed, 150, false);
    check_bodies(mixed, ordinary, 1e-8);
    check_contacts(mixed, ordinary, 1e-8);
    check_energies(mixed, ordinary, 1e-4);
    cairn_world_destroy(mixed);
    cairn_world_destroy(ordinary);
}

/// Walls that are put elsewhere or get another velocity between steps.
static void test_placed(void **state)
{
    (void)state;
    pit p = {.kind = CAIRN_MESH, .law = "hooke", .threads = 1};
    cairn_world *worlds[2] = {make_pit(&p), make_pit(&p)};
    for (int w = 0; w < 2; w++) {
        cairn_world *world = worlds[w];
        cairn_body_id tool = cairn_body_at(world, 6), moving = cairn_body_at(world, 9);
        const double still[3] = {0.0, 0.0, 0.0};
        cairn_body_view view;
        run(world, 720, w == 1);
        assert_int_equal(cairn_body_get(world, tool, &view), CAIRN_OK);
        view.position[0] += 2e-4;
        view.position[2] -= 3e-4;
        assert_int_equal(cairn_body_set_pose(world, tool, view.position, view.orientation, NULL),
                         CAIRN_OK);
        run(world, 30, w == 1);
        assert_int_equal(
            cairn_body_set_velocity(world, moving, (double[3]){0.3, 0.2, -1.0}, still, NULL),
            CAIRN_OK);
        run(world, 90, w == 1);
    }
    assert_true(count_shape_contacts(worlds[1]) > 5);
    check_bodies(worlds[0], worlds[1], 1e-8);
    check_contacts(worlds[0], worlds[1], 1e-8);
    check_forces(worlds[0], worlds[1], 1e-8);
    check_energies(worlds[0], worlds[1], 1e-4);
    for (int w = 0; w < 2; w++)
        cairn_world_destroy(worlds[w]);
}

/// A sphere that is shot at a wall whose surface is at 4 mm.
static cairn_world *make_shot(bool plane)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    def.time_step = 2e-5;
    assert_int_equal(cairn_world_create(&def, &world, NULL), CAIRN_OK);
    cairn_material_id stuff = material(world, "stuff");
    set_pair(world, stuff, stuff, "hooke", 0.02);
    cairn_shape_def half_space = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def body = cairn_default_body_def();
    body.material = stuff;
    body.kind = CAIRN_FIXED;
    body.shape = plane ? make_shape(world, &half_space) : make_tool(world, CAIRN_BOX);
    body.position[2] = plane ? 0.004 : 0.0;
    add_body(world, body);
    body = cairn_default_body_def();
    body.material = stuff;
    body.shape = sphere(world, 0.002);
    memcpy(body.position, (double[3]){0.001, -0.001, 0.0063}, sizeof body.position);
    memcpy(body.velocity, (double[3]){0.1, 0.0, -11.0}, sizeof body.velocity);
    add_body(world, body);
    return world;
}

/// A sphere whose centre gets behind the surface of a wall comes out as it would.
static void test_deep(void **state)
{
    (void)state;
    for (int plane = 0; plane < 2; plane++) {
        cairn_world *worlds[2] = {make_shot(plane), make_shot(plane)};
        double lowest = 1.0;
        for (int i = 0; i < 200; i++) {
            cairn_body_view view;
            run(worlds[0], 1, false);
            run(worlds[1], 1, true);
            assert_int_equal(cairn_body_get(worlds[0], cairn_body_at(worlds[0], 1), &view),
                             CAIRN_OK);
            lowest = fmin(lowest, view.position[2]);
            check_bodies(worlds[0], worlds[1], 1e-11);
            check_contacts(worlds[0], worlds[1], 1e-11);
        }
        assert_true(lowest < 0.0035);
        check_energies(worlds[0], worlds[1], 1e-3);
        assert_int_equal(cairn_contact_count(worlds[0]), 0);
        for (int w = 0; w < 2; w++)
            cairn_world_destroy(worlds[w]);
    }
}

/// Three triangles: a level one, and two that rise a little beyond it on either side of y = 0.
static cairn_shape_id make_fold(cairn_world *world)
{
    static const double points[4][3] = {
        {0.0, 0.0, 0.0}, {-0.02, 0.02, 0.0}, {-0.02, -0.02, 0.0}, {0.02, 0.0, 0.0010}};
    static const int triangles[3][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}};
    cairn_shape_def def = cairn_default_shape_def(CAIRN_MESH);
    def.points = points;
    def.point_count = 4;
    def.triangles = triangles;
    def.triangle_count = 3;
    return make_shape(world, &def);
}

/// A sphere that a large weight presses on the level triangle rolls onto the two others.
static cairn_world *make_roller(void)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    def.time_step = 2e-5;
    def.gravity[2] = -385.0;
    assert_int_equal(cairn_world_create(&def, &world, NULL), CAIRN_OK);
    cairn_material_id stuff = material(world, "stuff");
    set_pair(world, stuff, stuff, "hooke", 1.0);
    cairn_body_def body = cairn_default_body_def();
    body.material = stuff;
    body.kind = CAIRN_FIXED;
    body.shape = make_fold(world);
    add_body(world, body);
    body = cairn_default_body_def();
    body.material = stuff;
    body.density = 2500.0;
    body.shape = sphere(world, 0.005);
    memcpy(body.position, (double[3]){-0.003, 1e-4, 0.00495}, sizeof body.position);
    body.velocity[0] = 0.5;
    body.angular_velocity[1] = 100.0;
    add_body(world, body);
    return world;
}

/// Contacts with two more triangles come at once, with normals so near that all are one.
static void test_fold(void **state)
{
    (void)state;
    cairn_world *spheres = make_roller(), *ordinary = make_roller();
    for (int i = 0; i < 400; i++) {
        run(spheres, 1, false);
        run(ordinary, 1, true);
        assert_int_equal(cairn_world_get_report(spheres)->contacts, 1);
        assert_int_equal(cairn_world_get_report(ordinary)->contacts, 1);
    }
    check_bodies(spheres, ordinary, 1e-10);
    check_contacts(spheres, ordinary, 1e-10);
    check_energies(spheres, ordinary, 1e-4);
    cairn_world_destroy(spheres);
    cairn_world_destroy(ordinary);
}

/// Every allocation of the first steps among walls may fail: the step says so, nothing leaks.
/// Spheres on the seam of two tables that are flush, or part by an angle, over a floor.
static cairn_world *make_tables(double angle, double floor, bool drives)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    def.time_step = 1e-5;
    assert_int_equal(cairn_world_create(&def, &world, NULL), CAIRN_OK);
    cairn_material_id any = {0};
    set_pair(world, any, any, "hooke", 1.0);
    cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
    memcpy(box.half_size, (double[3]){0.02, 0.1, 0.01}, sizeof box.half_size);
    cairn_body_def body = cairn_default_body_def();
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    body.kind = drives ? CAIRN_MOVING : CAIRN_FIXED;
    body.velocity[0] = drives ? 0.3 : 0.0;
    body.shape = make_shape(world, &plane);
    body.position[2] = floor;
    add_body(world, body);
    body = cairn_default_body_def();
    body.kind = CAIRN_FIXED;
    body.shape = make_shape(world, &box);
    for (int i = 0; i < 2; i++) {
        // turned about the edge that both have at the origin
        double turned = i * angle, c = cos(turned), s = sin(turned), x = i == 0 ? -0.02 : 0.02;
        memcpy(body.position, (double[3]){c * x - 0.01 * s, 0.0, -s * x - 0.01 * c},
               sizeof body.position);
        memcpy(body.orientation, (double[4]){cos(0.5 * turned), 0.0, sin(0.5 * turned), 0.0},
               sizeof body.orientation);
        add_body(world, body);
    }
    body = cairn_default_body_def();
    body.shape = sphere(world, 0.004);
    for (int i = 0; i < 17; i++) {
        memcpy(body.position, (double[3]){5e-6 * (i - 8), 0.01 * (i - 8), 0.00398},
               sizeof body.position);
        memcpy(body.velocity, (double[3]){0.01 * (i % 3 - 1), 0.0, -0.02}, sizeof body.velocity);
        add_body(world, body);
    }
    return world;
}

static void test_seams(void **state)
{
    (void)state;
    const double angles[] = {0.0, 3e-7, 3e-5, 4e-4, 3e-3}, floors[] = {-5e-3, 0.0};
    for (int i = 0; i < 20; i++) {
        cairn_world *fast = make_tables(angles[i % 5], floors[i / 5 % 2], i >= 10);
        cairn_world *slow = make_tables(angles[i % 5], floors[i / 5 % 2], i >= 10);
        for (int k = 0; k < 5; k++) {
            run(fast, 10, false);
            run(slow, 10, true);
            check_bodies(fast, slow, 1e-11);
            assert_int_equal(cairn_contact_count(fast), cairn_contact_count(slow));
        }
        cairn_world_destroy(fast);
        cairn_world_destroy(slow);
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    pit p = {.kind = CAIRN_MESH, .law = "hooke", .bumpy = true, .resisting = true, .threads = 1};
    cairn_status status = CAIRN_ERROR_MEMORY;
    for (long at = 1; status != CAIRN_OK; at++) {
        base_counting_allocator counter = {0};
        base_allocator counting = base_allocator_counting(&counter);
        p.allocator = (cairn_allocator){counting.reallocate, counting.context};
        cairn_world *world = make_pit(&p);
        cairn_error error;
        counter.fail_at = counter.calls + at;
        status = CAIRN_OK;
        for (int i = 0; i < 3 && status == CAIRN_OK; i++)
            status = cairn_world_step(world, &error);
        assert_true(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        assert_true(status == CAIRN_OK || counter.calls >= counter.fail_at);
        cairn_world_destroy(world);
        assert_int_equal(counter.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_boxes),     cmocka_unit_test(test_cylinders),
        cmocka_unit_test(test_capsules),  cmocka_unit_test(test_hulls),
        cmocka_unit_test(test_compounds), cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_same_bits), cmocka_unit_test(test_hand_over),
        cmocka_unit_test(test_placed),    cmocka_unit_test(test_deep),
        cmocka_unit_test(test_fold),      cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_restart),   cmocka_unit_test(test_seams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
