// SPDX-License-Identifier: Apache-2.0
// Volume of shapes within regions, against sums over points of space.
#include "tests/check.h"

#include <cairn/cairn.h>

#include <string.h>

static cairn_error error;

enum { BALL, BRICK, WEDGE, PILL, ROD, PEBBLE, PAIR, TWINS, SHAPES };

static cairn_shape_id make_shape(cairn_world *world, int which)
{
    static const double corners[6][3] = {{-0.3, -0.2, -0.2}, {0.3, -0.2, -0.2}, {-0.3, 0.2, -0.2},
                                         {0.3, 0.2, -0.2},   {-0.3, 0.0, 0.3},  {0.3, 0.0, 0.3}};
    static const double apart[2][3] = {{-0.3, 0.0, 0.0}, {0.3, 0.0, 0.0}},
                        near[2][3] = {{-0.15, 0.0, 0.0}, {0.15, 0.0, 0.1}},
                        straight[2][4] = {{1.0, 0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    static const cairn_shape_kind kinds[SHAPES] = {CAIRN_SPHERE,   CAIRN_BOX,      CAIRN_POLYHEDRON,
                                                   CAIRN_CAPSULE,  CAIRN_CYLINDER, CAIRN_BOX,
                                                   CAIRN_COMPOUND, CAIRN_COMPOUND};
    cairn_shape_def def = cairn_default_shape_def(kinds[which]);
    cairn_shape_id made, members[2];
    def.radius = which == BALL ? 0.35 : 0.2;
    def.half_length = 0.25;
    for (int k = 0; k < 3; k++)
        def.half_size[k] = 0.2 + 0.08 * k;
    def.rounding = which == PEBBLE ? 0.1 : 0.0;
    if (which == WEDGE) {
        def.points = corners;
        def.point_count = 6;
    }
    if (kinds[which] == CAIRN_COMPOUND) {
        members[0] = make_shape(world, BALL);
        members[1] = make_shape(world, which == PAIR ? BRICK : BALL);
        if (which == PAIR)
            members[0] = make_shape(world, ROD);
        def.members = members;
        def.member_orientations = straight;
        def.member_positions = which == PAIR ? apart : near;
        def.member_count = 2;
    }
    assert_int_equal(cairn_shape_create(world, &def, &made, &error), CAIRN_OK);
    return made;
}

/// A cube with a notch, closed: no convex body.
static cairn_shape_id make_notch(cairn_world *world)
{
    static const double points[12][3] = {{-0.5, -0.5, -0.5}, {0.5, -0.5, -0.5}, {0.5, -0.5, 0.5},
                                         {0.0, -0.5, -0.1},  {-0.5, -0.5, 0.5}, {0.0, -0.5, -0.1},
                                         {-0.5, 0.5, -0.5},  {0.5, 0.5, -0.5},  {0.5, 0.5, 0.5},
                                         {0.0, 0.5, -0.1},   {-0.5, 0.5, 0.5},  {0.0, 0.5, -0.1}};
    static const int triangles[16][3] = {
        {0, 1, 3}, {1, 2, 3}, {0, 3, 4}, {6, 9, 7}, {7, 9, 8}, {6, 10, 9}, {0, 6, 1},  {1, 6, 7},
        {1, 7, 2}, {2, 7, 8}, {2, 8, 3}, {3, 8, 9}, {3, 9, 4}, {4, 9, 10}, {4, 10, 0}, {0, 10, 6}};
    cairn_shape_def def = cairn_default_shape_def(CAIRN_MESH);
    cairn_shape_id made;
    def.points = points;
    def.point_count = 12;
    def.triangles = triangles;
    def.triangle_count = 16;
    assert_int_equal(cairn_shape_create(world, &def, &made, &error), CAIRN_OK);
    return made;
}

static uint64_t random_bits;

static double draw(double low, double high)
{
    random_bits = random_bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * (double)(random_bits >> 11) * 0x1p-53;
}

/// Whether a point, in the body's frame, is in the shape.
static bool shape_has(int which, const double p[3])
{
    double x = fabs(p[0]), y = fabs(p[1]), z = fabs(p[2]), r = hypot(p[0], p[1]);
    const double half[3] = {0.2, 0.28, 0.36};
    if (which == BALL)
        return r * r + z * z <= 0.35 * 0.35;
    if (which == BRICK)
        return x <= half[0] && y <= half[1] && z <= half[2];
    // sides from y = 0.2 at the bottom to y = 0 at the top
    if (which == WEDGE)
        return x <= 0.3 && p[2] >= -0.2 && y <= 0.2 * (0.3 - p[2]) / 0.5;
    if (which == ROD)
        return r <= 0.2 && z <= 0.25;
    if (which == PILL)
        return hypot(r, fmax(z - 0.25, 0.0)) <= 0.2;
    if (which == PEBBLE) {
        double a = fmax(x - 0.1, 0.0), b = fmax(y - 0.18, 0.0), c = fmax(z - 0.26, 0.0);
        return a * a + b * b + c * c <= 0.01;
    }
    if (which == PAIR) {
        const double left[3] = {p[0] + 0.3, p[1], p[2]}, right[3] = {p[0] - 0.3, p[1], p[2]};
        return shape_has(ROD, left) || shape_has(BRICK, right);
    }
    const double left[3] = {p[0] + 0.15, p[1], p[2]}, right[3] = {p[0] - 0.15, p[1], p[2] - 0.1};
    return shape_has(BALL, left) || shape_has(BALL, right);
}

static bool region_has(const cairn_region *region, int kind, const double p[3])
{
    const double *a = region->a, *b = region->b;
    double q[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]}, square = 0.0, along = 0.0, axis = 0.0;
    for (int k = 0; k < 3; k++) {
        square += q[k] * q[k];
        along += q[k] * (b[k] - a[k]);
        axis += (b[k] - a[k]) * (b[k] - a[k]);
    }
    if (kind == CAIRN_REGION_BOX)
        return q[0] >= 0 && q[1] >= 0 && q[2] >= 0 && p[0] <= b[0] && p[1] <= b[1] && p[2] <= b[2];
    if (kind == CAIRN_REGION_SPHERE)
        return square <= region->radius * region->radius;
    if (kind == CAIRN_REGION_CYLINDER)
        return along >= 0.0 && along <= axis &&
               square - along * along / axis <= region->radius * region->radius;
    if (kind == CAIRN_REGION_HULL)
        return shape_has(WEDGE, q);
    return fabs(q[0]) <= 0.5 && fabs(q[1]) <= 0.5 && fabs(q[2]) <= 0.5 &&
           q[2] <= -0.1 + 0.6 / 0.5 * fabs(q[0]);
}

static void turn_back(const double q[4], const double from[3], double p[3])
{
    // the conjugate
    double w = q[0], x = -q[1], y = -q[2], z = -q[3];
    double t[3] = {2 * (y * from[2] - z * from[1]), 2 * (z * from[0] - x * from[2]),
                   2 * (x * from[1] - y * from[0])};
    p[0] = from[0] + w * t[0] + y * t[2] - z * t[1];
    p[1] = from[1] + w * t[1] + z * t[0] - x * t[2];
    p[2] = from[2] + w * t[2] + x * t[1] - y * t[0];
}

/// The region's part of a body by points.
static double part_by_points(const cairn_region *region, int kind, int which,
                             const double centre[3], const double q[4])
{
    enum { N = 600000 };
    // a sequence that fills the cube evenly (Roberts's, of three dimensions)
    static const double steps[3] = {0.81917251339616443, 0.67104360670378920, 0.54970047790197029};
    const double reach = which < PAIR ? 0.55 : 0.8;
    int found = 0, all = 0;
    for (int i = 0; i < N; i++) {
        double local[3], p[3], from[3], whole;
        for (int k = 0; k < 3; k++) {
            from[k] = reach * (2.0 * modf(i * steps[k], &whole) - 1.0);
            p[k] = centre[k] + from[k];
        }
        turn_back(q, from, local);
        if (!shape_has(which, local))
            continue;
        all++;
        found += region_has(region, kind, p);
    }
    return (double)found / all;
}

static cairn_region make_region(cairn_world *world, int kind)
{
    cairn_region region = {.kind = (cairn_region_kind)kind, .radius = draw(0.4, 0.9)};
    for (int k = 0; k < 3; k++) {
        region.a[k] = draw(-0.6, -0.2);
        region.b[k] = draw(0.2, 0.6);
    }
    if (kind >= CAIRN_REGION_HULL) {
        region.shape = kind == CAIRN_REGION_HULL ? make_shape(world, WEDGE) : make_notch(world);
        memcpy(region.a, (const double[3]){0.02, -0.01, 0.03}, sizeof region.a);
    }
    return region;
}

/// A body of each shape, here and there, in regions of each kind.
static void test_parts(void **state)
{
    (void)state;
    for (int kind = CAIRN_REGION_BOX; kind <= CAIRN_REGION_MESH; kind++)
        for (int which = 0; which < SHAPES; which++) {
            cairn_world_def world_def = cairn_default_world_def();
            cairn_world *world;
            random_bits = (uint64_t)(97 * kind + which);
            assert_int_equal(cairn_world_create(&world_def, &world, &error), CAIRN_OK);
            cairn_region region = make_region(world, kind);
            cairn_body_def body = cairn_default_body_def();
            cairn_body_id id;
            double length = 0.0;
            body.shape = make_shape(world, which);
            for (int k = 0; k < 3; k++)
                body.position[k] = draw(-0.45, 0.45);
            for (int k = 0; k < 4; k++) {
                body.orientation[k] = draw(-1.0, 1.0);
                length += body.orientation[k] * body.orientation[k];
            }
            for (int k = 0; k < 4; k++)
                body.orientation[k] /= sqrt(length);
            assert_int_equal(cairn_body_create(world, &body, &id, &error), CAIRN_OK);
            cairn_measure measure, all;
            cairn_region wide = {.a = {-9.0, -9.0, -9.0}, .b = {9.0, 9.0, 9.0}};
            assert_int_equal(cairn_world_measure(world, &wide, &all, &error), CAIRN_OK);
            assert_int_equal(cairn_world_measure(world, &region, &measure, &error), CAIRN_OK);
            // volume of the region from what a region is
            double volume = 1.0;
            if (kind == CAIRN_REGION_SPHERE)
                volume = 4.0 / 3.0 * M_PI * pow(region.radius, 3);
            else if (kind == CAIRN_REGION_HULL)
                volume = 0.6 * 0.5 * 0.4 / 2.0;
            else if (kind == CAIRN_REGION_MESH)
                volume = 1.0 - 0.6 / 2.0;
            double axis = 0.0;
            for (int k = 0; k < 3; k++) {
                axis += pow(region.b[k] - region.a[k], 2);
                volume *= kind == CAIRN_REGION_BOX ? region.b[k] - region.a[k] : 1.0;
            }
            if (kind == CAIRN_REGION_CYLINDER)
                volume = M_PI * region.radius * region.radius * sqrt(axis);
            double part = (1.0 - measure.porosity) * volume / ((1.0 - all.porosity) * 18 * 18 * 18);
            double own = part_by_points(&region, kind, which, body.position, body.orientation);
            bool exact = which <= WEDGE && kind != CAIRN_REGION_MESH;
            check_close(part, own, 0.0, exact || which == BALL ? 1.5e-3 : 6e-3);
            cairn_world_destroy(world);
        }
}

static double ball_part(cairn_world *world, cairn_region region, double volume)
{
    cairn_measure measure;
    assert_int_equal(cairn_world_measure(world, &region, &measure, &error), CAIRN_OK);
    return (1.0 - measure.porosity) * volume;
}

/// Balls in closed forms: an eighth, a cap, a lens, and what a thin cylinder cuts out of a ball.
static void test_balls(void **state)
{
    (void)state;
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    body.shape = make_shape(world, BALL);
    assert_int_equal(cairn_body_create(world, &body, &id, &error), CAIRN_OK);
    const double r = 0.35, whole = 4.0 / 3.0 * M_PI * r * r * r;
    check_close(ball_part(world, (cairn_region){.b = {1, 1, 1}}, 1.0), whole / 8.0, 1e-12, 0.0);
    // a cap of height h
    double h = 0.1, cap = M_PI * h * h * (3.0 * r - h) / 3.0;
    check_close(
        ball_part(world, (cairn_region){.a = {-1, -1, r - h}, .b = {1, 1, 1}}, 4.0 * (1.0 - r + h)),
        cap, 1e-11, 0.0);
    // an edge that is nearer than the radius, and planes that each miss the ball by little
    check_close(ball_part(world, (cairn_region){.a = {-0.351, -0.351, -0.351}, .b = {1, 1, 1}},
                          1.351 * 1.351 * 1.351),
                whole, 1e-12, 0.0);
    // two balls of one size at the distance of a radius share 5 pi r^3 / 12
    cairn_region ball = {.kind = CAIRN_REGION_SPHERE, .a = {0.0, r, 0.0}, .radius = r};
    check_close(ball_part(world, ball, whole), 5.0 * M_PI * r * r * r / 12.0, 1e-12, 0.0);
    // a cylinder through the middle: whole - 4/3 pi (r^2 - c^2)^(3/2)
    cairn_region bore = {
        .kind = CAIRN_REGION_CYLINDER, .a = {-1, -1, -1}, .b = {1, 1, 1}, .radius = 0.2};
    check_close(ball_part(world, bore, M_PI * 0.04 * sqrt(12.0)),
                whole - 4.0 / 3.0 * M_PI * pow(r * r - 0.04, 1.5), 1e-9, 0.0);
    // half of it, and Viviani's body: a bore of half the radius through the rim
    memset(bore.a, 0, sizeof bore.a);
    check_close(ball_part(world, bore, M_PI * 0.04 * sqrt(3.0)),
                0.5 * (whole - 4.0 / 3.0 * M_PI * pow(r * r - 0.04, 1.5)), 1e-9, 0.0);
    cairn_region viviani = {.kind = CAIRN_REGION_CYLINDER,
                            .a = {0.5 * r, 0, -1},
                            .b = {0.5 * r, 0, 1},
                            .radius = 0.5 * r};
    check_close(ball_part(world, viviani, M_PI * 0.25 * r * r * 2.0),
                2.0 * r * r * r * (M_PI / 3.0 - 4.0 / 9.0), 1e-8, 0.0);
    cairn_world_destroy(world);
}

/// Grains that are cut by the faces of a periodic cell fill a region with their images.
static void test_images(void **state)
{
    (void)state;
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    cairn_cell_def cell = cairn_default_cell_def();
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    for (int k = 0; k < 3; k++) {
        cell.periodic[k] = true;
        cell.size[k] = 2.0;
    }
    assert_int_equal(cairn_world_set_cell(world, &cell, &error), CAIRN_OK);
    body.shape = make_shape(world, BALL);
    memcpy(body.position, (const double[3]){1.9, 0.1, 1.0}, sizeof body.position);
    assert_int_equal(cairn_body_create(world, &body, &id, &error), CAIRN_OK);
    const double whole = 4.0 / 3.0 * M_PI * 0.35 * 0.35 * 0.35;
    check_close(ball_part(world, (cairn_region){.b = {2, 2, 2}}, 8.0), whole, 1e-12, 0.0);
    check_close(ball_part(world, (cairn_region){.a = {0, -1, 0}, .b = {2, 1, 1}}, 4.0), 0.5 * whole,
                1e-12, 0.0);
    cairn_world_destroy(world);
}

/// Porosity of a bed in 20 regions, as a share of points that are in no ball.
static void test_bed(void **state)
{
    (void)state;
    enum { POINTS = 200000, BALLS = 160 };
    static const double steps[3] = {0.81917251339616443, 0.67104360670378920, 0.54970047790197029};
    static double centre[BALLS][3];
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    cairn_grain_def grain = {.size = {.first = 0.3}, .density = 1000.0, .share = 1.0};
    cairn_packing_def packing = cairn_default_packing_def();
    packing.region = (cairn_region){.a = {-0.9, -0.9, -0.9}, .b = {0.9, 0.9, 0.9}};
    packing.grains = &grain;
    packing.grain_count = 1;
    packing.method = CAIRN_PACKING_GROWTH;
    packing.count = BALLS;
    assert_int_equal(cairn_packing_create(world, &packing, NULL, &error), CAIRN_OK);
    assert_int_equal(cairn_body_count(world), BALLS);
    for (int i = 0; i < BALLS; i++) {
        cairn_body_view body;
        assert_int_equal(cairn_body_get(world, cairn_body_at(world, i), &body), CAIRN_OK);
        memcpy(centre[i], body.centre, sizeof centre[i]);
    }
    random_bits = 5;
    for (int which = 0; which < 20; which++) {
        int kind = which % 5, inside = 0, empty = 0;
        cairn_region region = make_region(world, kind);
        region.radius *= 0.7;
        for (int i = 0; i < POINTS; i++) {
            double p[3], whole;
            bool solid = false;
            for (int k = 0; k < 3; k++)
                p[k] = 1.3 * (2.0 * modf((i + 1) * steps[k], &whole) - 1.0);
            if (!region_has(&region, kind, p))
                continue;
            for (int b = 0; b < BALLS && !solid; b++)
                solid = pow(p[0] - centre[b][0], 2) + pow(p[1] - centre[b][1], 2) +
                            pow(p[2] - centre[b][2], 2) <
                        0.15 * 0.15;
            inside++;
            empty += !solid;
        }
        cairn_measure measure;
        assert_int_equal(cairn_world_measure(world, &region, &measure, &error), CAIRN_OK);
        // what points leave open falls with their number
        check_close(measure.porosity, (double)empty / inside, 0.0, fmax(1e-3, 40.0 / inside));
    }
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_balls), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_images), cmocka_unit_test(test_bed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
