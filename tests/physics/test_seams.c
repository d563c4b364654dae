// SPDX-License-Identifier: Apache-2.0
// Bodies that slide and roll without friction over floors of several parts that lie flush: whatever
// the parts are, nothing acts along the floor.
#include "tests/physics/bench_world.h"

#include <string.h>

typedef enum floor_kind {
    BOXES,      // two, side by side
    FOUR,       // boxes that meet in a corner
    MEMBERS,    // two boxes of one compound
    MESHES,     // two meshes
    MESH_BOX,   // a mesh and a box
    PLANE_BOX,  // a box and the half-space that it is sunk into
    SOUP,       // triangles with vertices of their own
    SOUP_APART, // the same, 1e-7 of the size apart
    T_JUNCTION, // a vertex of the one side on an edge of the other
    FLOORS
} floor_kind;

typedef enum mover_kind { BALL, BOX, ACROSS, ALONG, ROLLER, DISC, HULL, MOVERS } mover_kind;

static const char *const laws[] = {"signorini_coulomb", "hertz_mindlin",       "hooke",
                                   "spring_dashpot",    "mindlin_deresiewicz", "incremental"};

enum { LAWS = sizeof laws / sizeof laws[0] };

static const double radius = 0.03;

static void add_fixed(cairn_world *world, cairn_shape_id shape, double x, double y, double z)
{
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_FIXED;
    def.shape = shape;
    def.position[0] = x;
    def.position[1] = y;
    def.position[2] = z;
    make_body(world, &def);
}

static cairn_shape_id mesh_shape(cairn_world *world, const double (*points)[3], int point_count,
                                 const int (*triangles)[3], int triangle_count)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_MESH);
    def.points = points;
    def.point_count = point_count;
    def.triangles = triangles;
    def.triangle_count = triangle_count;
    return make_shape(world, &def);
}

/// A square of two triangles from x0 to x1.
static cairn_shape_id square(cairn_world *world, double x0, double x1)
{
    const double points[4][3] = {{x0, -0.5, 0}, {x1, -0.5, 0}, {x1, 0.5, 0}, {x0, 0.5, 0}};
    const int triangles[2][3] = {{0, 1, 2}, {0, 2, 3}};
    return mesh_shape(world, points, 4, triangles, 2);
}

/// Four triangles with vertices of their own, which end `apart` from x = 0.
static cairn_shape_id soup(cairn_world *world, double apart)
{
    const double a = -apart, b = apart;
    const double points[12][3] = {{-1, -.5, 0}, {a, -.5, 0}, {a, .5, 0},  {-1, -.5, 0},
                                  {a, .5, 0},   {-1, .5, 0}, {b, -.5, 0}, {1, -.5, 0},
                                  {1, .5, 0},   {b, -.5, 0}, {1, .5, 0},  {b, .5, 0}};
    const int triangles[4][3] = {{0, 1, 2}, {3, 4, 5}, {6, 8, 7}, {9, 10, 11}};
    return mesh_shape(world, points, 12, triangles, 4);
}

static cairn_shape_id t_junction(cairn_world *world)
{
    const double points[7][3] = {{-1, -.5, 0},   {0, -.5, 0}, {0, .5, 0}, {-1, .5, 0},
                                 {0, 0.0031, 0}, {1, -.5, 0}, {1, .5, 0}};
    const int triangles[5][3] = {{0, 1, 2}, {0, 2, 3}, {1, 5, 4}, {4, 5, 6}, {4, 6, 2}};
    return mesh_shape(world, points, 7, triangles, 5);
}

static void add_members(cairn_world *world)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_COMPOUND);
    const cairn_shape_id half = box_shape(world, 1.0, 1.0, 0.1), members[2] = {half, half};
    const double positions[2][3] = {{-0.5, 0.0, -0.05}, {0.5, 0.0, -0.05}};
    const double orientations[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
    def.members = members;
    def.member_positions = positions;
    def.member_orientations = orientations;
    def.member_count = 2;
    add_fixed(world, make_shape(world, &def), 0.0, 0.0, 0.0);
}

static void add_floor(cairn_world *world, floor_kind kind)
{
    if (kind == BOXES || kind == FOUR)
        for (int i = 0; i < (kind == FOUR ? 4 : 2); i++)
            add_fixed(world, box_shape(world, 1.0, 1.0, 0.1), i % 2 - 0.5,
                      kind == FOUR ? i / 2 - 0.5 : 0.0, -0.05);
    if (kind == MEMBERS)
        add_members(world);
    if (kind == MESHES || kind == MESH_BOX)
        add_fixed(world, square(world, -1.0, 0.0), 0.0, 0.0, 0.0);
    if (kind == MESHES)
        add_fixed(world, square(world, 0.0, 1.0), 0.0, 0.0, 0.0);
    if (kind == MESH_BOX)
        add_fixed(world, box_shape(world, 1.0, 1.0, 0.1), 0.5, 0.0, -0.05);
    if (kind == PLANE_BOX) {
        add_ground(world);
        add_fixed(world, box_shape(world, 1.0, 1.0, 0.1), 0.5, 0.0, -0.05);
    }
    if (kind == SOUP || kind == SOUP_APART)
        add_fixed(world, soup(world, kind == SOUP ? 0.0 : 1e-7), 0.0, 0.0, 0.0);
    if (kind == T_JUNCTION)
        add_fixed(world, t_junction(world), 0.0, 0.0, 0.0);
}

static cairn_shape_id mover_shape(cairn_world *world, mover_kind kind)
{
    static const cairn_shape_kind kinds[MOVERS] = {CAIRN_SPHERE,    CAIRN_BOX,      CAIRN_CAPSULE,
                                                   CAIRN_CAPSULE,   CAIRN_CYLINDER, CAIRN_CYLINDER,
                                                   CAIRN_POLYHEDRON};
    static const double points[8][3] = {{-.05, -.03, -.03}, {.05, -.03, -.03}, {.05, .03, -.03},
                                        {-.05, .03, -.03},  {-.02, -.02, .03}, {.02, -.02, .03},
                                        {.02, .02, .03},    {-.02, .02, .03}};
    cairn_shape_def def = cairn_default_shape_def(kinds[kind]);
    def.radius = radius;
    def.half_length = radius;
    def.half_size[0] = 0.06;
    def.half_size[1] = 0.04;
    def.half_size[2] = radius;
    def.points = points;
    def.point_count = 8;
    return make_shape(world, &def);
}

/// A body that touches the floor, at x = -0.1 with 1 m/s along x.
static cairn_body_id add_mover(cairn_world *world, mover_kind kind)
{
    cairn_body_def def = cairn_default_body_def();
    def.shape = mover_shape(world, kind);
    def.position[0] = -0.1;
    def.position[1] = 0.002;
    def.position[2] = kind == HULL ? 0.03 + 0.0 : radius;
    def.velocity[0] = 1.0;
    // axes across the way, and along it
    if (kind == ACROSS || kind == ROLLER)
        def.orientation[0] = def.orientation[1] = sqrt(0.5);
    if (kind == ALONG)
        def.orientation[0] = def.orientation[2] = sqrt(0.5);
    return make_body(world, &def);
}

static cairn_world *make_scene(floor_kind floor, mover_kind mover, const char *law,
                               cairn_body_id *body)
{
    cairn_error error = {0};
    cairn_material_id none = {0};
    bool rigid = strcmp(law, laws[0]) == 0;
    cairn_world_def def = cairn_default_world_def();
    def.gravity[2] = -9.81;
    def.time_step = rigid ? 1.0 / 200.0 : 2e-4;
    cairn_world *world = make_world(&def);
    require(cairn_pair_set_law(world, none, none, law, &error), &error);
    static const struct {
        const char *name;
        double value;
    } values[] = {{"young_modulus", 1e6}, {"poisson_ratio", 0.3}, {"normal_stiffness", 1e4},
                  {"spring", 1e4},        {"dashpot", 1.0},       {"restitution", 0.5},
                  {"friction", 0.0}};
    // each law takes those that it has
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        (void)!cairn_pair_set_value(world, none, none, values[i].name,
                                    cairn_number(values[i].value), &error);
    if (rigid)
        set_contact(world, 0.0, 0.0);
    add_floor(world, floor);
    *body = add_mover(world, mover);
    return world;
}

/// A face that passes a seam rests for some steps on a border that is beside its corners, and
/// rocks.
static void nothing_acts_along_a_flush_floor(void **state)
{
    (void)state;
    int bad = 0;
    for (int law = 0; law < LAWS; law++)
        for (int floor = 0; floor < FLOORS; floor++)
            for (int mover = 0; mover < MOVERS; mover++) {
                cairn_body_id body;
                cairn_world *world =
                    make_scene((floor_kind)floor, (mover_kind)mover, laws[law], &body);
                double limit = law == 0 || mover == BALL ? 1e-6 : 2e-4;
                run_steps(world, law == 0 ? 40 : 1000);
                cairn_body_view view = look_at(world, body);
                bool off = fabs(view.velocity[0] - 1.0) > limit || fabs(view.velocity[1]) > limit;
                if (off)
                    print_error("%s: floor %d, mover %d: velocity %.9g %.3g\n", laws[law], floor,
                                mover, view.velocity[0], view.velocity[1]);
                bad += off;
                check_close(view.position[2], radius, 0.0, 2e-3);
                cairn_world_destroy(world);
            }
    assert_int_equal(bad, 0);
}

/// What starts on the one of two boxes and goes on to the other within its first step does not fall
/// into the gap between them.
static void what_starts_beside_a_gap_goes_over_it(void **state)
{
    (void)state;
    const double gaps[] = {1e-4, 1e-3}, steps[] = {1e-3, 1.0 / 200.0, 0.02}, speeds[] = {1.0, 3.0};
    for (int trial = 0; trial < 12; trial++)
        for (int place = 0; place < 41; place++)
            for (int kind = 0; kind < 2; kind++) {
                cairn_world_def def = cairn_default_world_def();
                def.time_step = steps[trial % 3];
                cairn_world *world = make_world(&def);
                double gap = gaps[trial / 3 % 2], speed = speeds[trial / 6];
                set_contact(world, 0.0, 0.0);
                cairn_shape_id tile = box_shape(world, 1.0 - gap, 1.0, 0.2);
                add_fixed(world, tile, -0.5, 0.0, -0.1);
                add_fixed(world, tile, 0.5, 0.0, -0.1);
                cairn_shape_def disc = cairn_default_shape_def(CAIRN_CYLINDER);
                disc.radius = 2.0 * radius;
                disc.half_length = radius;
                cairn_shape_id brick = kind == 0 ? box_shape(world, 0.12, 0.08, 2.0 * radius)
                                                 : make_shape(world, &disc);
                cairn_body_id body = add_body_at(world, brick, 0.006 * (place - 20), 0.013, radius);
                set_velocity(world, body, (double[]){speed, 0.0, 0.0}, (double[]){0.0, 0.0, 0.0});
                run_steps(world, 3);
                cairn_body_view view = look_at(world, body);
                check_close(view.velocity[0], speed, 0.0, 1e-4);
                check_close(view.position[2], radius, 0.0, 1e-4);
                cairn_world_destroy(world);
            }
}

/// What falls to the one of two boxes within a step from the gap between them goes on to the other
/// as fast as it came. A wall behind the gap stops it nevertheless.
static void what_lands_beside_a_gap_goes_on(void **state)
{
    (void)state;
    const double gaps[] = {1e-4, 1e-3}, steps[] = {1e-3, 1.0 / 200.0, 0.02}, speeds[] = {1.0, 3.0};
    const double fall = 2.0, time = 0.02;
    for (int trial = 0; trial < 12; trial++)
        for (int place = 0; place < 25; place++)
            for (int kind = 0; kind < 3; kind++) {
                cairn_world_def def = cairn_default_world_def();
                def.time_step = steps[trial % 3];
                cairn_world *world = make_world(&def);
                double gap = gaps[trial / 3 % 2], speed = speeds[trial / 6], half_wide = 0.06;
                double before = (0.1 + place / 24.0) * speed * steps[trial % 3];
                bool wall = kind == 2;
                set_contact(world, 0.0, 0.0);
                cairn_shape_id tile = box_shape(world, 1.0 - gap, 1.0, 0.2);
                add_fixed(world, tile, -0.5, 0.0, -0.1);
                add_fixed(world, tile, 0.5, 0.0, wall ? 0.0 : -0.1);
                cairn_shape_def disc = cairn_default_shape_def(CAIRN_CYLINDER);
                disc.radius = half_wide;
                disc.half_length = radius;
                cairn_shape_id brick = kind == 1 ? make_shape(world, &disc)
                                                 : box_shape(world, 0.12, 0.08, 2.0 * radius);
                cairn_body_id body = add_body_at(world, brick, -half_wide - before - speed * time,
                                                 0.013, radius + fall * time);
                set_velocity(world, body, (double[]){speed, 0.0, -fall}, (double[]){0.0, 0.0, 0.0});
                run_steps(world, (int)(time / def.time_step) + 4);
                cairn_body_view view = look_at(world, body);
                check_close(view.velocity[0], wall ? 0.0 : speed, 0.0, 1e-4);
                check_close(view.position[2], radius, 0.0, 1e-4);
                if (wall)
                    check_close(view.position[0], -half_wide + 0.5 * gap, 0.0, 1e-4);
                cairn_world_destroy(world);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_acts_along_a_flush_floor),
        cmocka_unit_test(what_starts_beside_a_gap_goes_over_it),
        cmocka_unit_test(what_lands_beside_a_gap_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
