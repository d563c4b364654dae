// SPDX-License-Identifier: Apache-2.0
// Packings, judged by the bodies they leave: inside their region, apart, as many and as dense as
// they were asked to be.
#include "tests/check.h"

#include <cairn/cairn.h>

#include <string.h>

static cairn_error error;

enum { BODIES_MAX = 20000 };

typedef struct sphere {
    double at[3], radius;
} sphere;

static cairn_world *make_world(void)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    return world;
}

/// Dynamic spheres of a world.
static int read_spheres(const cairn_world *world, sphere *out)
{
    int count = 0;
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view body;
        cairn_shape_view shape;
        assert_int_equal(cairn_body_get(world, cairn_body_at(world, i), &body), CAIRN_OK);
        if (body.kind != CAIRN_DYNAMIC)
            continue;
        assert_int_equal(cairn_shape_get(world, body.shape, &shape), CAIRN_OK);
        assert_true(count < BODIES_MAX);
        memcpy(out[count].at, body.centre, sizeof out->at);
        out[count++].radius = shape.radius;
    }
    return count;
}

static double distance(const sphere *a, const sphere *b)
{
    return sqrt(pow(a->at[0] - b->at[0], 2) + pow(a->at[1] - b->at[1], 2) +
                pow(a->at[2] - b->at[2], 2));
}

/// Least gap between any two, m.
static double least_gap(const sphere *s, int count)
{
    double least = INFINITY;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            least = fmin(least, distance(&s[i], &s[j]) - s[i].radius - s[j].radius);
    return least;
}

static double solid(const sphere *s, int count)
{
    double sum = 0.0;
    for (int i = 0; i < count; i++)
        sum += 4.0 / 3.0 * M_PI * pow(s[i].radius, 3);
    return sum;
}

// ---------------------------------------------------------------- regions

/// A tetrahedron with three right angles at its corner, 0.2 m along each axis.
static cairn_shape_id tetrahedron(cairn_world *world, cairn_shape_kind kind)
{
    static const double points[4][3] = {{0, 0, 0}, {0.2, 0, 0}, {0, 0.2, 0}, {0, 0, 0.2}};
    static const int triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    cairn_shape_def def = cairn_default_shape_def(kind);
    cairn_shape_id shape;
    def.points = points;
    def.point_count = 4;
    def.triangles = kind == CAIRN_MESH ? triangles : NULL;
    def.triangle_count = kind == CAIRN_MESH ? 4 : 0;
    assert_int_equal(cairn_shape_create(world, &def, &shape, &error), CAIRN_OK);
    return shape;
}

/// Distance from a point to the boundary of each kind of region below, by hand.
static double depth(cairn_region_kind kind, const double p[3])
{
    double low = fmin(p[0], fmin(p[1], p[2]));
    if (kind == CAIRN_REGION_BOX)
        return fmin(low, 0.1 - fmax(p[0], fmax(p[1], p[2])));
    if (kind == CAIRN_REGION_SPHERE)
        return 0.07 - sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
    if (kind == CAIRN_REGION_CYLINDER)
        return fmin(0.05 - sqrt(p[0] * p[0] + p[1] * p[1]), fmin(p[2], 0.12 - p[2]));
    return fmin(low, (0.2 - p[0] - p[1] - p[2]) / sqrt(3.0));
}

static cairn_region region_of(cairn_world *world, cairn_region_kind kind, double *volume)
{
    cairn_region region = {.kind = kind};
    const double volumes[] = {
        [CAIRN_REGION_BOX] = 1e-3,
        [CAIRN_REGION_CYLINDER] = M_PI * 0.05 * 0.05 * 0.12,
        [CAIRN_REGION_SPHERE] = 4.0 / 3.0 * M_PI * pow(0.07, 3),
        [CAIRN_REGION_HULL] = pow(0.2, 3) / 6.0,
        [CAIRN_REGION_MESH] = pow(0.2, 3) / 6.0,
    };
    *volume = volumes[kind];
    if (kind == CAIRN_REGION_BOX)
        region.b[0] = region.b[1] = region.b[2] = 0.1;
    if (kind == CAIRN_REGION_CYLINDER)
        region.b[2] = 0.12;
    region.radius = kind == CAIRN_REGION_CYLINDER ? 0.05 : 0.07;
    if (kind >= CAIRN_REGION_HULL)
        region.shape =
            tetrahedron(world, kind == CAIRN_REGION_HULL ? CAIRN_POLYHEDRON : CAIRN_MESH);
    return region;
}

static cairn_grain_def grain_of(double from, double to)
{
    return (cairn_grain_def){.size = {.kind = CAIRN_SIZE_UNIFORM, .minimum = from, .maximum = to},
                             .density = 1000.0,
                             .share = 1.0};
}

// ---------------------------------------------------------------- tests

/// Growth reaches its porosity in each kind of region, nothing overlapping.
static void test_porosity(void **state)
{
    (void)state;
    static sphere s[BODIES_MAX];
    for (int kind = 0; kind <= CAIRN_REGION_MESH; kind++) {
        cairn_world *world = make_world();
        double volume;
        cairn_grain_def grain = grain_of(0.006, 0.009);
        cairn_packing_def def = cairn_default_packing_def();
        def.region = region_of(world, (cairn_region_kind)kind, &volume);
        def.grains = &grain;
        def.grain_count = 1;
        def.method = CAIRN_PACKING_GROWTH;
        def.porosity = 0.47;
        cairn_packing_view view;
        cairn_status status = cairn_packing_create(world, &def, &view, &error);
        if (status != CAIRN_OK)
            print_error("%s\n", error.message);
        assert_int_equal(status, CAIRN_OK);
        int count = read_spheres(world, s);
        assert_int_equal(count, view.count);
        assert_true(count > 1000);
        assert_true(least_gap(s, count) >= 0.0);
        for (int i = 0; i < count; i++) {
            assert_true(depth((cairn_region_kind)kind, s[i].at) >= s[i].radius * (1.0 - 1e-12));
            assert_true(s[i].radius >= 0.003 && s[i].radius <= 0.0045);
        }
        check_close(1.0 - solid(s, count) / volume, 0.47, 0.0, 0.002);
        check_close(view.porosity, 1.0 - solid(s, count) / volume, 0.0, 1e-9);
        cairn_world_destroy(world);
    }
}

/// With a count, sizes become by one factor those that the porosity wants, from smaller ones and
/// from such as would not go into the region.
static void test_count_and_porosity(void **state)
{
    (void)state;
    static sphere s[BODIES_MAX];
    static const double diameters[] = {0.001, 10.0};
    for (int i = 0; i < 2; i++) {
        cairn_world *world = make_world();
        cairn_grain_def grain = {.size = {.first = diameters[i]}, .density = 1000.0, .share = 1.0};
        cairn_packing_def def = cairn_default_packing_def();
        double volume;
        def.region = region_of(world, CAIRN_REGION_CYLINDER, &volume);
        def.grains = &grain;
        def.grain_count = 1;
        def.method = CAIRN_PACKING_GROWTH;
        def.count = 300;
        def.porosity = 0.5;
        cairn_packing_view view;
        assert_int_equal(cairn_packing_create(world, &def, &view, &error), CAIRN_OK);
        int count = read_spheres(world, s);
        assert_int_equal(count, 300);
        check_close(solid(s, count), 0.5 * volume, 1e-9, 0.0);
        check_close(s[0].radius, 0.5 * diameters[i] * view.factor, 1e-9, 0.0);
        assert_true(least_gap(s, count) >= 0.0);
        cairn_world_destroy(world);
    }
}

/// Contacts of a packing that was grown to a coordination, counted by hand.
static void test_coordination(void **state)
{
    (void)state;
    static sphere s[BODIES_MAX];
    cairn_world *world = make_world();
    cairn_grain_def grain = grain_of(0.009, 0.011);
    cairn_packing_def def = cairn_default_packing_def();
    double volume;
    def.region = region_of(world, CAIRN_REGION_BOX, &volume);
    def.grains = &grain;
    def.grain_count = 1;
    def.method = CAIRN_PACKING_GROWTH;
    def.coordination = 6.5;
    cairn_packing_view view;
    cairn_status status = cairn_packing_create(world, &def, &view, &error);
    if (status != CAIRN_OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, CAIRN_OK);
    int count = read_spheres(world, s), contacts = 0;
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++)
            contacts += 2 * (distance(&s[i], &s[j]) < s[i].radius + s[j].radius);
        for (int k = 0; k < 3; k++)
            contacts += (s[i].at[k] < s[i].radius) + (0.1 - s[i].at[k] < s[i].radius);
    }
    check_close((double)contacts / count, 6.5, 0.0, fmax(0.002, 1.0 / count));
    check_close(view.coordination, (double)contacts / count, 0.0, 1e-12);
    cairn_world_destroy(world);
}

/// Whether a sphere at a place would be inside, touching none of the others.
static bool is_free(cairn_region_kind kind, const sphere *s, int count, int moved,
                    const double at[3])
{
    sphere there = {{at[0], at[1], at[2]}, s[moved].radius};
    if (depth(kind, at) < there.radius)
        return false;
    for (int i = 0; i < count; i++)
        if (i != moved && distance(&there, &s[i]) < there.radius + s[i].radius)
            return false;
    return true;
}

/// Whether a sphere has a short way down that is steeper than one in twenty.
static bool can_roll(cairn_region_kind kind, const sphere *s, int count, int which)
{
    for (int k = 0; k < 400; k++) {
        double descent = 0.05 + 0.95 * (k / 40) / 10.0, angle = 2.0 * M_PI / 40.0 * k;
        double across = sqrt(1.0 - descent * descent), way = 0.01 * s[which].radius, at[3];
        at[0] = s[which].at[0] + way * across * cos(angle);
        at[1] = s[which].at[1] + way * across * sin(angle);
        at[2] = s[which].at[2] - way * descent;
        if (is_free(kind, s, count, which, at))
            return true;
    }
    return false;
}

/// What falls lies still on what lies below it, in each kind of region, and overlaps nothing.
static void test_deposition(void **state)
{
    (void)state;
    static sphere s[BODIES_MAX];
    for (int kind = 0; kind <= CAIRN_REGION_MESH; kind++) {
        cairn_world *world = make_world();
        double volume;
        cairn_grain_def grain = grain_of(0.009, 0.014);
        cairn_packing_def def = cairn_default_packing_def();
        def.region = region_of(world, (cairn_region_kind)kind, &volume);
        def.grains = &grain;
        def.grain_count = 1;
        def.method = CAIRN_PACKING_DEPOSITION;
        def.count = 200;
        cairn_packing_view view;
        cairn_status status = cairn_packing_create(world, &def, &view, &error);
        if (status != CAIRN_OK)
            print_error("%s\n", error.message);
        assert_int_equal(status, CAIRN_OK);
        int count = read_spheres(world, s);
        assert_int_equal(count, 200);
        assert_true(least_gap(s, count) >= 0.0);
        for (int i = 0; i < count; i++) {
            assert_true(depth((cairn_region_kind)kind, s[i].at) >= s[i].radius);
            // what came later may have closed a way, but none has opened
            if (can_roll((cairn_region_kind)kind, s, count, i))
                fail_msg("region %d: grain %d at (%g, %g, %g) m is not held", kind, i, s[i].at[0],
                         s[i].at[1], s[i].at[2]);
        }
        cairn_world_destroy(world);
    }
}

/// A gap is left between grains and half of it at the boundary; what was deposited lies as spheres
/// do that are larger by it. Growth has none.
static void test_gap(void **state)
{
    (void)state;
    static const cairn_packing_method methods[] = {CAIRN_PACKING_LATTICE, CAIRN_PACKING_RANDOM,
                                                   CAIRN_PACKING_DEPOSITION, CAIRN_PACKING_GROWTH};
    static sphere s[BODIES_MAX];
    for (int k = 0; k < 4; k++) {
        cairn_world *world = make_world();
        double volume, gap = 2e-4;
        cairn_grain_def grain = grain_of(0.009, 0.014);
        cairn_packing_def def = cairn_default_packing_def();
        def.region = region_of(world, CAIRN_REGION_BOX, &volume);
        def.grains = &grain;
        def.grain_count = 1;
        def.method = methods[k];
        def.count = 100;
        def.gap = gap;
        cairn_status status = cairn_packing_create(world, &def, NULL, &error);
        if (methods[k] == CAIRN_PACKING_GROWTH) {
            assert_int_equal(status, CAIRN_ERROR_ARGUMENT);
            assert_non_null(strstr(error.message, "gap"));
            cairn_world_destroy(world);
            continue;
        }
        assert_int_equal(status, CAIRN_OK);
        int count = read_spheres(world, s);
        assert_int_equal(count, 100);
        assert_true(least_gap(s, count) >= gap * (1.0 - 1e-9));
        for (int i = 0; i < count; i++)
            s[i].radius += 0.5 * gap;
        for (int i = 0; i < count; i++) {
            assert_true(depth(CAIRN_REGION_BOX, s[i].at) >= s[i].radius * (1.0 - 1e-9));
            if (methods[k] == CAIRN_PACKING_DEPOSITION)
                assert_false(can_roll(CAIRN_REGION_BOX, s, count, i));
        }
        cairn_world_destroy(world);
    }
}

/// Far from walls equal spheres that fall one by one leave 0.418 empty (Visscher and Bolsterli
/// 1972, random packing of equal spheres); in a periodic cell there are none but the floor. Under
/// DEM with friction the bed stays where it was laid.
static void test_deposit_stays(void **state)
{
    (void)state;
    static sphere s[BODIES_MAX], after[BODIES_MAX];
    cairn_world_def settings = cairn_default_world_def();
    settings.time_step = 1e-5;
    cairn_world *world = NULL;
    assert_int_equal(cairn_world_create(&settings, &world, &error), CAIRN_OK);
    cairn_cell_def cell = cairn_default_cell_def();
    cell.size[0] = cell.size[1] = 0.1;
    cell.periodic[0] = cell.periodic[1] = true;
    assert_int_equal(cairn_world_set_cell(world, &cell, &error), CAIRN_OK);
    cairn_grain_def grain = {.size = {.first = 0.01}, .density = 1000.0, .share = 1.0};
    cairn_packing_def def = cairn_default_packing_def();
    def.region = (cairn_region){.kind = CAIRN_REGION_BOX, .b = {0.1, 0.1, 0.4}};
    def.grains = &grain;
    def.grain_count = 1;
    def.method = CAIRN_PACKING_DEPOSITION;
    def.count = 2000;
    cairn_status status = cairn_packing_create(world, &def, NULL, &error);
    if (status != CAIRN_OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, CAIRN_OK);
    int count = read_spheres(world, s), inside = 0;
    for (int i = 0; i < count; i++) {
        inside += s[i].at[2] > 0.03 && s[i].at[2] < 0.13;
        for (int j = 0; j < i; j++) {
            double square = pow(s[i].at[2] - s[j].at[2], 2);
            for (int k = 0; k < 2; k++) {
                double way = s[i].at[k] - s[j].at[k];
                square += pow(way - 0.1 * rint(way / 0.1), 2);
            }
            assert_true(sqrt(square) >= s[i].radius + s[j].radius);
        }
    }
    check_close(1.0 - inside * M_PI / 6.0 * 1e-6 / (0.1 * 0.1 * 0.1), 0.418, 0.0, 0.015);
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def floor = cairn_default_body_def();
    cairn_body_id made;
    const cairn_material_id none = {0};
    floor.kind = CAIRN_FIXED;
    assert_int_equal(cairn_shape_create(world, &plane, &floor.shape, &error), CAIRN_OK);
    assert_int_equal(cairn_body_create(world, &floor, &made, &error), CAIRN_OK);
    assert_int_equal(cairn_pair_set_law(world, none, none, "hooke", &error), CAIRN_OK);
    assert_int_equal(
        cairn_pair_set_value(world, none, none, "normal_stiffness", cairn_number(1e5), &error),
        CAIRN_OK);
    for (int i = 0; i < 4000; i++)
        assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
    assert_int_equal(read_spheres(world, after), count);
    double sunk = 0.0;
    for (int i = 0; i < count; i++)
        sunk += (s[i].at[2] - after[i].at[2]) / count;
    assert_true(sunk > 0.0 && sunk < 0.01 * 0.01);
    cairn_world_destroy(world);
}

/// A packing of one kind of grain in a box is refused in these words, and leaves no grain.
static void check_refused(size_t number, cairn_packing_def def, const cairn_grain_def *grain,
                          const char *says)
{
    cairn_world *world = make_world();
    double volume;
    def.region = region_of(world, CAIRN_REGION_BOX, &volume);
    def.grains = grain;
    def.grain_count = 1;
    assert_int_equal(cairn_packing_create(world, &def, NULL, &error), CAIRN_ERROR_ARGUMENT);
    if (strstr(error.message, says) == NULL)
        fail_msg("case %d: %s", (int)number, error.message);
    assert_int_equal(cairn_body_count(world), 0);
    cairn_world_destroy(world);
}

/// What cannot be had is refused with a figure.
static void test_refused(void **state)
{
    (void)state;
    cairn_grain_def grain = grain_of(0.009, 0.011), large = grain_of(0.09, 0.11);
    const struct {
        const cairn_grain_def *grain;
        cairn_packing_method method;
        int64_t count;
        double porosity, coordination;
        const char *says;
    } bad[] = {
        {&grain, CAIRN_PACKING_GROWTH, 0, 0.25, 0.0, "press on each other below 0.4"},
        {&grain, CAIRN_PACKING_GROWTH, 0, 0.0, 2.0, "it jumps from"},
        {&grain, CAIRN_PACKING_RANDOM, 0, 0.3, 0.0, "grains found a place"},
        {&grain, CAIRN_PACKING_LATTICE, 5000, 0.0, 0.0, "of count = 5000 grains find a place"},
        {&large, CAIRN_PACKING_GROWTH, 1, 0.0, 0.0, "holds a ball of 0.05 m"},
        {&grain, CAIRN_PACKING_GROWTH, 0, 0.0, 0.0, "needs a porosity"},
        {&grain, CAIRN_PACKING_RANDOM, 0, 0.0, 5.0, "goes with growth"},
        {&grain, CAIRN_PACKING_GROWTH, 0, 1.5, 0.0, "must be 0 to 1"},
        {&grain, CAIRN_PACKING_GROWTH, -1, 0.5, 0.0, "count = -1"},
        {&grain, CAIRN_PACKING_DEPOSITION, 5000, 0.0, 0.0, "of count = 5000 grains find a place"},
        {&grain, CAIRN_PACKING_DEPOSITION, 0, 0.3, 0.0, "grains found a place"},
        {&grain, CAIRN_PACKING_DEPOSITION, 0, 0.0, 5.0, "goes with growth"},
        {&large, CAIRN_PACKING_DEPOSITION, 1, 0.0, 0.0, "holds a ball of 0.05 m"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cairn_packing_def def = cairn_default_packing_def();
        def.method = bad[i].method;
        def.count = bad[i].count;
        def.porosity = bad[i].porosity;
        def.coordination = bad[i].coordination;
        check_refused(i, def, bad[i].grain, bad[i].says);
    }
}

/// When time ends the figure that was reached is said.
static void test_late(void **state)
{
    (void)state;
    cairn_grain_def grain = grain_of(0.009, 0.011);
    const struct {
        cairn_packing_method method;
        double porosity, coordination, time_limit;
        const char *says;
    } late[] = {
        {CAIRN_PACKING_GROWTH, 0.25, 0.0, 1e-9, "within 1e-09 s: grains that touch overlap by"},
        {CAIRN_PACKING_GROWTH, 0.0, 5.0, 1e-9, "within 1e-09 s: grains that touch overlap by"},
        {CAIRN_PACKING_RANDOM, 0.7, 0.0, 1e-9, ": 1 grains found a place within 1e-09 s"},
        {CAIRN_PACKING_DEPOSITION, 0.7, 0.0, 1e-9, ": 1 grains found a place within 1e-09 s"},
        {CAIRN_PACKING_RANDOM, 0.7, 0.0, -1.0, "time_limit = -1 s must be greater than 0"},
    };
    for (size_t i = 0; i < sizeof late / sizeof *late; i++) {
        cairn_packing_def def = cairn_default_packing_def();
        def.method = late[i].method;
        def.porosity = late[i].porosity;
        def.coordination = late[i].coordination;
        def.time_limit = late[i].time_limit;
        check_refused(i, def, &grain, late[i].says);
    }
}

/// Random and lattice places keep away from bodies that are there, and take any shape.
static void test_placed(void **state)
{
    (void)state;
    static sphere s[BODIES_MAX];
    for (int method = CAIRN_PACKING_LATTICE; method <= CAIRN_PACKING_RANDOM; method++) {
        cairn_world *world = make_world();
        double volume;
        cairn_shape_def ball = cairn_default_shape_def(CAIRN_SPHERE);
        ball.radius = 0.03;
        cairn_body_def body = cairn_default_body_def();
        body.kind = CAIRN_FIXED;
        body.position[0] = body.position[1] = body.position[2] = 0.05;
        cairn_body_id fixed;
        assert_int_equal(cairn_shape_create(world, &ball, &body.shape, &error), CAIRN_OK);
        assert_int_equal(cairn_body_create(world, &body, &fixed, &error), CAIRN_OK);
        cairn_grain_def grain = grain_of(0.006, 0.009);
        cairn_packing_def def = cairn_default_packing_def();
        def.region = region_of(world, CAIRN_REGION_BOX, &volume);
        def.grains = &grain;
        def.grain_count = 1;
        def.method = (cairn_packing_method)method;
        assert_int_equal(cairn_packing_create(world, &def, NULL, &error), CAIRN_OK);
        int count = read_spheres(world, s);
        s[count] = (sphere){{0.05, 0.05, 0.05}, 0.03};
        assert_true(count > 500 && least_gap(s, count + 1) > 0.0);
        // a lattice of 11 x 11 x 11 cells of 9 mm, less those that the ball touches
        if (method == CAIRN_PACKING_LATTICE)
            assert_true(count < 11 * 11 * 11);
        for (int i = 0; i < count; i++)
            assert_true(depth(CAIRN_REGION_BOX, s[i].at) >= s[i].radius);
        // capsules, into what room is left in a lattice beside them
        cairn_shape_def long_one = cairn_default_shape_def(CAIRN_CAPSULE);
        long_one.radius = 0.002;
        long_one.half_length = 0.003;
        cairn_grain_def capsule = {.density = 1000.0, .share = 1.0};
        assert_int_equal(cairn_shape_create(world, &long_one, &capsule.shape, &error), CAIRN_OK);
        def.grains = &capsule;
        def.region.a[0] = 0.2;
        def.region.b[0] = 0.3;
        def.count = 50;
        cairn_packing_view view;
        assert_int_equal(cairn_packing_create(world, &def, &view, &error), CAIRN_OK);
        assert_int_equal(view.count, 50);
        double one = M_PI * 4e-6 * 0.006 + 4.0 / 3.0 * M_PI * 8e-9;
        check_close(view.porosity, 1.0 - 50.0 * one / 1e-3, 1e-12, 0.0);
        assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
        cairn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_porosity),     cmocka_unit_test(test_count_and_porosity),
        cmocka_unit_test(test_coordination), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_late),         cmocka_unit_test(test_placed),
        cmocka_unit_test(test_deposition),   cmocka_unit_test(test_deposit_stays),
        cmocka_unit_test(test_gap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
