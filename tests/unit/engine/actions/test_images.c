// SPDX-License-Identifier: Apache-2.0
// Grains in a periodic cell: packings, emitters, outlets and the count of overlaps see images.
#include "tests/check.h"

#include <cairn/cairn.h>

#include <string.h>

static cairn_error error;

enum { SPHERES_MAX = 4000 };

static const double side[3] = {0.2, 0.16, 0.24}, low[3] = {-0.03, 0.01, 0.0};

static cairn_world *make_cell(bool along_z)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    cairn_material_id none = {0};
    memset(def.gravity, 0, sizeof def.gravity);
    def.time_step = 1e-4;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    assert_int_equal(cairn_pair_set_law(world, none, none, "hooke", &error), CAIRN_OK);
    assert_int_equal(
        cairn_pair_set_value(world, none, none, "normal_stiffness", cairn_number(1e4), &error),
        CAIRN_OK);
    cairn_cell_def cell = cairn_default_cell_def();
    for (int k = 0; k < 3; k++) {
        cell.periodic[k] = k < 2 || along_z;
        cell.size[k] = side[k];
        cell.low[k] = low[k];
    }
    assert_int_equal(cairn_world_set_cell(world, &cell, &error), CAIRN_OK);
    return world;
}

static cairn_body_id add_sphere(cairn_world *world, double radius, const double at[3])
{
    cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id made;
    ball.radius = radius;
    body.density = 1000.0;
    memcpy(body.position, at, sizeof body.position);
    assert_int_equal(cairn_shape_create(world, &ball, &body.shape, &error), CAIRN_OK);
    assert_int_equal(cairn_body_create(world, &body, &made, &error), CAIRN_OK);
    return made;
}

typedef struct ball {
    double at[3], radius;
} ball;

static int read_spheres(const cairn_world *world, ball *out)
{
    int count = cairn_body_count(world);
    assert_true(count <= SPHERES_MAX);
    for (int i = 0; i < count; i++) {
        cairn_body_view body;
        cairn_shape_view shape;
        assert_int_equal(cairn_body_get(world, cairn_body_at(world, i), &body), CAIRN_OK);
        assert_int_equal(cairn_shape_get(world, body.shape, &shape), CAIRN_OK);
        memcpy(out[i].at, body.centre, sizeof out->at);
        out[i].radius = shape.radius;
    }
    return count;
}

/// Least gap between any two, through the faces of the first `periodic` directions.
static double least_gap(const ball *balls, int count, int periodic)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            double d2 = 0.0;
            for (int k = 0; k < 3; k++) {
                double d = balls[i].at[k] - balls[j].at[k];
                d -= k < periodic ? side[k] * rint(d / side[k]) : 0.0;
                d2 += d * d;
            }
            least = fmin(least, sqrt(d2) - balls[i].radius - balls[j].radius);
        }
    return least;
}

/// How many reach through the faces of a direction.
static int crossing(const ball *balls, int count, int k)
{
    int crossed = 0;
    for (int i = 0; i < count; i++)
        crossed += balls[i].at[k] - balls[i].radius < low[k] ||
                   balls[i].at[k] + balls[i].radius > low[k] + side[k];
    return crossed;
}

static cairn_packing_def packing_of(const cairn_grain_def *grain, cairn_packing_method method)
{
    cairn_packing_def packing = cairn_default_packing_def();
    packing.grains = grain;
    packing.grain_count = 1;
    packing.method = method;
    for (int k = 0; k < 3; k++) {
        packing.region.a[k] = low[k];
        packing.region.b[k] = low[k] + side[k];
    }
    return packing;
}

/// A region that is as long as the cell has no boundary there: grains lie across the faces as
/// densely as anywhere, and overlap none beyond them.
static void test_packings(void **state)
{
    (void)state;
    static ball balls[SPHERES_MAX];
    cairn_grain_def grain = {
        .size = {.kind = CAIRN_SIZE_UNIFORM, .minimum = 0.016, .maximum = 0.02},
        .density = 1000.0,
        .share = 1.0};
    for (int round = 0; round < 4; round++) {
        bool grown = round % 2 == 0, along_z = round < 2;
        cairn_world *world = make_cell(along_z);
        cairn_packing_def packing =
            packing_of(&grain, grown ? CAIRN_PACKING_GROWTH : CAIRN_PACKING_RANDOM);
        packing.porosity = grown ? 0.385 : 0.75;
        cairn_packing_view view;
        assert_int_equal(cairn_packing_create(world, &packing, &view, &error), CAIRN_OK);
        int count = read_spheres(world, balls);
        double solid = 0.0;
        for (int i = 0; i < count; i++)
            solid += 4.0 / 3.0 * M_PI * pow(balls[i].radius, 3);
        check_close(1.0 - solid / (side[0] * side[1] * side[2]), packing.porosity, 0.0, 0.002);
        check_at_most(-least_gap(balls, count, along_z ? 3 : 2), 0.0);
        // of all places as many as the share of the slabs next to both faces
        for (int k = 0; k < 3; k++) {
            double share = crossing(balls, count, k) / (double)count;
            double expected = k < 2 || along_z ? 2.0 * 0.009 / side[k] : 0.0;
            check_close(share, expected, 0.4, 0.0);
        }
        // the count of overlaps agrees
        int found = -1;
        assert_int_equal(cairn_world_find_overlaps(world, NULL, 0, &found, &error), CAIRN_OK);
        assert_int_equal(found, 0);
        cairn_world_destroy(world);
    }
}

/// What is in a cell already, wherever its image is, keeps its place.
static void test_emitter(void **state)
{
    (void)state;
    static ball balls[SPHERES_MAX];
    cairn_world *world = make_cell(true);
    const double beyond[3] = {low[0] + 3.0 * side[0], low[1] - 0.01 - 2.0 * side[1], low[2] + 0.12};
    add_sphere(world, 0.035, beyond);
    cairn_grain_def grain = {.size = {.first = 0.018}, .density = 1000.0, .share = 1.0};
    cairn_emitter_def emitter = cairn_default_emitter_def();
    emitter.grains = &grain;
    emitter.grain_count = 1;
    emitter.count = 100;
    // next to two faces; a part of it lies beyond them
    emitter.region = (cairn_region){.a = {low[0] - 0.08, low[1] - 0.06, low[2]},
                                    .b = {low[0] + 0.08, low[1] + 0.06, low[2] + side[2]}};
    assert_int_equal(cairn_emitter_create(world, &emitter, &error), CAIRN_OK);
    assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
    int count = read_spheres(world, balls);
    assert_int_equal(count, 101);
    check_at_most(-least_gap(balls, count, 3), 0.0);
    cairn_world_destroy(world);
}

/// An outlet takes a body whose image is in it.
static void test_outlet(void **state)
{
    (void)state;
    cairn_world *world = make_cell(true);
    const double in[3] = {low[0] + 4.02 * side[0], low[1] - 1.5 * side[1], low[2] + 0.1};
    const double out[3] = {low[0] + 4.3 * side[0], low[1] - 1.5 * side[1], low[2] + 0.1};
    cairn_body_id gone = add_sphere(world, 0.005, in), stays = add_sphere(world, 0.005, out);
    cairn_outlet_def outlet = cairn_default_outlet_def();
    // through the first face
    outlet.region = (cairn_region){.a = {low[0] - 0.02, low[1] + 0.06, low[2]},
                                   .b = {low[0] + 0.02, low[1] + 0.1, low[2] + side[2]}};
    assert_int_equal(cairn_outlet_create(world, &outlet, &error), CAIRN_OK);
    assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
    cairn_body_view view;
    assert_int_equal(cairn_body_get(world, gone, &view), CAIRN_ERROR_STALE_ID);
    assert_int_equal(cairn_body_get(world, stays, &view), CAIRN_OK);
    cairn_measure measure;
    cairn_region box = {.a = {low[0] + 0.05, low[1] + 0.07, low[2] + 0.05},
                        .b = {low[0] + 0.07, low[1] + 0.09, low[2] + 0.15}};
    for (int k = 0; k < 3; k++) {
        box.a[k] -= 2.0 * side[k];
        box.b[k] -= 2.0 * side[k];
    }
    assert_int_equal(cairn_world_measure(world, &box, &measure, &error), CAIRN_OK);
    assert_int_equal(measure.bodies, 1);
    cairn_world_destroy(world);
}

static void test_overlaps(void **state)
{
    (void)state;
    cairn_world *world = make_cell(true);
    const double r = 0.01, at = low[0] + 0.006;
    const double places[][3] = {// through a face, from another copy of the cell
                                {at, 0.1, 0.1},
                                {low[0] + side[0] * 3.0 - 0.008, 0.1, 0.1},
                                // through an edge
                                {at + 0.05, low[1] + 0.002, low[2] + 0.002},
                                {at + 0.05, low[1] + side[1] - 0.006, low[2] + side[2] - 0.006},
                                // none
                                {at + 0.1, 0.1, 0.1},
                                {at + 0.1 + side[0], 0.125, 0.1}};
    cairn_body_id ids[6];
    for (int i = 0; i < 6; i++)
        ids[i] = add_sphere(world, r, places[i]);
    cairn_overlap overlaps[4];
    int found = 0;
    assert_int_equal(cairn_world_find_overlaps(world, overlaps, 4, &found, &error), CAIRN_OK);
    assert_int_equal(found, 2);
    check_close(overlaps[0].depth, 2.0 * r - sqrt(2.0) * 0.008, 1e-9, 0.0);
    check_close(overlaps[1].depth, 2.0 * r - 0.014, 1e-9, 0.0);
    assert_true(overlaps[0].a.index == ids[2].index && overlaps[0].b.index == ids[3].index);
    assert_true(overlaps[1].a.index == ids[0].index && overlaps[1].b.index == ids[1].index);
    // looking changes nothing
    assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
    assert_int_equal(cairn_contact_count(world), 2);
    assert_int_equal(cairn_world_find_overlaps(world, overlaps, 4, &found, &error), CAIRN_OK);
    assert_int_equal(found, 2);
    assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
    assert_int_equal(cairn_contact_count(world), 2);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packings),
        cmocka_unit_test(test_emitter),
        cmocka_unit_test(test_outlet),
        cmocka_unit_test(test_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
