// SPDX-License-Identifier: Apache-2.0
// Separating axes of polytopes: the edges that are left out never part them, and what a pair
// remembers never changes what is found.
#include "geometry/narrow/gjk.h"
#include "geometry/narrow/sat.h"
#include "tests/unit/geometry/convex_check.h"

#include <stdio.h>
#include <string.h>

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

/// Edges along the faces and faces around the vertices, against a search in the plain lists.
static void check_around(const geo_core *core)
{
    for (int f = 0; f < core->face_count; f++) {
        int first = core->face_start[f], count = core->face_start[f + 1] - first;
        for (int k = 0; k < count; k++)
            assert_int_equal(core->face_edges[first + k],
                             geo_core_edge(core, core->face_vertices[first + k],
                                           core->face_vertices[first + (k + 1) % count]));
    }
    for (int v = 0; v < core->vertex_count; v++) {
        int listed = core->vertex_start[v + 1] - core->vertex_start[v], around = 0;
        for (int f = 0; f < core->face_count; f++) {
            bool has = false, is_listed = false;
            for (int k = core->face_start[f]; k < core->face_start[f + 1]; k++)
                has = has || core->face_vertices[k] == v;
            for (int k = core->vertex_start[v]; k < core->vertex_start[v + 1]; k++)
                is_listed = is_listed || core->vertex_faces[k] == f;
            assert_true(has == is_listed);
            around += has;
        }
        assert_int_equal(listed, around);
    }
}

static void test_around(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(6);
    vec3 origin = {0.0, 0.0, 0.0};
    geo_core core;
    for (int i = 0; i < HULLS; i++) {
        geo_shape *hull = make_hull(i, &rng);
        place(&core, hull, origin, &rng);
        check_around(&core);
        geo_shape_destroy(hull);
    }
    base_allocator allocator = base_allocator_default();
    const double half[4] = {0.5, 1.0, 1.5, 0.0};
    geo_shape *box;
    cairn_error error;
    assert_int_equal(geo_plain_create(&allocator, GEO_BOX, half, &box, &error), CAIRN_OK);
    place(&core, box, origin, &rng);
    check_around(&core);
    geo_placed placed = {box, mat3_identity(), origin};
    const vec3 corners[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    geo_core_init_triangle(&core, &placed, corners);
    check_around(&core);
    geo_shape_destroy(box);
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

static pose random_pose(double apart, base_rng *rng)
{
    return (pose){vec3_scale(apart, random_direction(rng)), random_turn(rng)};
}

/// A small way on: a shift and a turn.
static pose go_on(pose from, double step, base_rng *rng)
{
    quat turn = base_quat_from_rotation_vector(vec3_scale(step, random_direction(rng)));
    return (pose){vec3_add_scaled(from.position, step, random_direction(rng)),
                  quat_multiply(turn, from.orientation)};
}

/// No point of one is nearer to one of the other than what a pair says of its distance.
static void check_apart(const geo_shape *sa, const pose *a, const geo_shape *sb, const pose *b,
                        double apart, geo_manifold *manifold)
{
    manifold->count = 0;
    assert_int_equal(geo_collide(sa, a, sb, b, apart * (1.0 - 1e-6), NULL, manifold), CAIRN_OK);
    assert_int_equal(manifold->count, 0);
}

/// Pairs that move in small steps, as in a run: with what they remember and without, bit by bit.
static void test_memory(void **state)
{
    (void)state;
    enum { WALKS = 6000, STEPS = 50 };
    static const double steps[4] = {1e-3, 0.05, 1e-4, 5e-3};
    base_rng rng = base_rng_make(9);
    base_allocator allocator = base_allocator_default();
    geo_manifold with, without;
    geo_shape *hulls[HULLS];
    int touching = 0, apart = 0, led = 0;
    geo_manifold_init(&with, &allocator);
    geo_manifold_init(&without, &allocator);
    for (int i = 0; i < HULLS; i++)
        hulls[i] = make_hull(i, &rng);
    for (int walk = 0; walk < WALKS; walk++) {
        const geo_shape *sa = hulls[(int)(HULLS * base_rng_unit(&rng)) % HULLS],
                        *sb = hulls[(int)(HULLS * base_rng_unit(&rng)) % HULLS];
        geo_leading leading = {0};
        geo_pair_cache cache = {.leading = &leading};
        pose a = random_pose(0.0, &rng), b = random_pose(0.6 + 1.2 * base_rng_unit(&rng), &rng);
        double step = steps[walk % 4], margin = walk % 3 == 0 ? 0.0 : 0.01;
        for (int i = 0; i < STEPS; i++, b = go_on(b, step, &rng)) {
            with.count = without.count = 0;
            geo_leading before = leading;
            assert_int_equal(geo_collide(sa, &a, sb, &b, margin, &cache, &with), CAIRN_OK);
            assert_int_equal(geo_collide(sa, &a, sb, &b, margin, NULL, &without), CAIRN_OK);
            assert_int_equal(with.count, without.count);
            for (int k = 0; k < with.count; k++) {
                const geo_contact *x = &with.contacts[k], *y = &without.contacts[k];
                assert_true(x->gap == y->gap && x->key == y->key);
                assert_memory_equal(&x->normal, &y->normal, sizeof x->normal);
                assert_memory_equal(&x->point, &y->point, sizeof x->point);
            }
            touching += with.count > 0;
            led += with.count > 0 && before.shape[0] != NULL &&
                   memcmp(&before, &leading, sizeof before) == 0;
            if (cache.apart > 0.0)
                check_apart(sa, &a, sb, &b, cache.apart, &without);
            apart += cache.apart > 0.0;
        }
    }
    printf("%d of %d placements touch, %d by few features, %d are known to be apart\n", touching,
           WALKS * STEPS, led, apart);
    assert_true(led > touching / 3 && apart > WALKS * STEPS / 4);
    assert_true(touching > WALKS * STEPS / 4 && touching < WALKS * STEPS * 3 / 4);
    for (int i = 0; i < HULLS; i++)
        geo_shape_destroy(hulls[i]);
    geo_manifold_finish(&with);
    geo_manifold_finish(&without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_around),
                                       cmocka_unit_test(test_left_out),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
