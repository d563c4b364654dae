// SPDX-License-Identifier: Apache-2.0
// Separating axes of overlapping polytopes: the edges that are left out never part them.
#include "geometry/narrow/gjk.h"
#include "geometry/narrow/sat.h"
#include "tests/unit/geometry/convex_check.h"

#include <stdio.h>

enum { HULLS = 12, PLACEMENTS = 100000 };

/// Regular and random hulls, flat and long ones among them.
static geo_shape *make_hull(int number, base_rng *rng)
{
    static const vec3 octahedron[6] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                       {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    vec3 points[20];
    int count = number < 2 ? 6 : 4 + number;
    for (int i = 0; i < count; i++)
        points[i] = number < 2 ? octahedron[i] : random_direction(rng);
    double flat = number % 3 == 1 ? 0.2 : 1.0, thin = number % 4 == 3 ? 0.3 : 1.0;
    for (int i = 0; i < count; i++)
        points[i] = vec3_multiply(points[i], vec3_make(thin, 1.0, flat));
    base_allocator allocator = base_allocator_default();
    geo_shape *shape;
    cairn_error error;
    assert_int_equal(geo_polyhedron_create(&allocator, points, count, &shape, &error), CAIRN_OK);
    return shape;
}

static void place(geo_core *core, const geo_shape *shape, vec3 position, base_rng *rng)
{
    geo_placed placed = {shape, quat_to_mat3(random_turn(rng)), position};
    geo_core_init(core, &placed);
}

static void test_left_out(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(5);
    geo_shape *hulls[HULLS];
    int overlaps = 0, edges = 0;
    for (int i = 0; i < HULLS; i++)
        hulls[i] = make_hull(i, &rng);
    for (int trial = 0; trial < PLACEMENTS; trial++) {
        const geo_shape *sa = hulls[(int)(HULLS * base_rng_unit(&rng)) % HULLS],
                        *sb = hulls[(int)(HULLS * base_rng_unit(&rng)) % HULLS];
        geo_core a, b;
        geo_gjk_result found;
        // shallow and deep ones
        double apart = trial % 4 == 0 ? 2.0 * base_rng_unit(&rng) : 0.8 + 0.8 * base_rng_unit(&rng);
        place(&a, sa, vec3_make(0.0, 0.0, 0.0), &rng);
        place(&b, sb, vec3_scale(apart, random_direction(&rng)), &rng);
        geo_gjk(&a, &b, 1.0, &found);
        if (found.state != GEO_GJK_OVERLAP)
            continue;
        geo_sat all, few;
        assert_true(geo_sat_query(&a, &b, 1.0, false, &all));
        assert_true(geo_sat_query(&a, &b, 1.0, true, &few));
        assert_true(all.face_a == few.face_a && all.face_b == few.face_b);
        overlaps++;
        if (all.edge <= fmax(all.face_a, all.face_b))
            continue;
        edges++;
        assert_true(all.edge == few.edge);
        assert_int_equal(all.edge_a, few.edge_a);
        assert_int_equal(all.edge_b, few.edge_b);
        assert_memory_equal(&all.edge_axis, &few.edge_axis, sizeof all.edge_axis);
    }
    printf("%d overlaps, %d parted by edges\n", overlaps, edges);
    assert_true(overlaps > PLACEMENTS / 4 && edges > overlaps / 10);
    for (int i = 0; i < HULLS; i++)
        geo_shape_destroy(hulls[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
