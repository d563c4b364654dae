// SPDX-License-Identifier: Apache-2.0
// Overlaps of so many bodies that they are looked for slab by slab: each pair is found once, the
// deepest ones come first, and bodies that reach through many slabs are seen by all of them.
#include "tests/check.h"

#include "base/rng.h"

#include <cairn/cairn.h>

#include <stdlib.h>
#include <string.h>

enum { BALLS = 90000, LARGE = 40, SHOWN = 50 };

typedef struct ball {
    double at[3], radius; // m
} ball;

typedef struct depth_list {
    double *depth; // m
    int count, capacity;
} depth_list;

static cairn_error error;

static void add_body(cairn_world *world, const cairn_shape_def *shape, const double at[3])
{
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id made;
    memcpy(body.position, at, sizeof body.position);
    if (shape->kind == CAIRN_HALFSPACE)
        body.kind = CAIRN_FIXED;
    assert_int_equal(cairn_shape_create(world, shape, &body.shape, &error), CAIRN_OK);
    assert_int_equal(cairn_body_create(world, &body, &made, &error), CAIRN_OK);
}

static int compare_lows(const void *a, const void *b)
{
    const ball *x = a, *y = b;
    double low_x = x->at[0] - x->radius, low_y = y->at[0] - y->radius;
    return (low_x > low_y) - (low_x < low_y);
}

static int compare_depths(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void note(depth_list *list, double depth, double size)
{
    if (!(depth > 1e-3 * size))
        return;
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 1000;
        list->depth = realloc(list->depth, (size_t)list->capacity * sizeof *list->depth);
        assert_non_null(list->depth);
    }
    list->depth[list->count++] = depth;
}

/// Every pair whose extents along x overlap is measured. The ground is z < 0.
static depth_list sweep(ball *balls)
{
    depth_list list = {0};
    qsort(balls, BALLS, sizeof *balls, compare_lows);
    for (int i = 0; i < BALLS; i++) {
        const ball *a = &balls[i];
        note(&list, a->radius - a->at[2], 2.0 * a->radius);
        for (int k = i + 1; k < BALLS && balls[k].at[0] - balls[k].radius < a->at[0] + a->radius;
             k++) {
            const ball *b = &balls[k];
            double square = 0.0;
            for (int axis = 0; axis < 3; axis++)
                square += (a->at[axis] - b->at[axis]) * (a->at[axis] - b->at[axis]);
            note(&list, a->radius + b->radius - sqrt(square), 2.0 * fmin(a->radius, b->radius));
        }
    }
    qsort(list.depth, (size_t)list.count, sizeof *list.depth, compare_depths);
    return list;
}

static void slabs_find_every_pair_once(void **state)
{
    (void)state;
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    base_rng rng = base_rng_make(7);
    ball *balls = malloc(BALLS * sizeof *balls);
    cairn_shape_def ground = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_shape_def sphere = cairn_default_shape_def(CAIRN_SPHERE);
    assert_non_null(balls);
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    add_body(world, &ground, (double[3]){0.0, 0.0, 0.0});
    for (int i = 0; i < BALLS; i++) {
        double size[3] = {400.0, 12.0, 12.0};
        for (int k = 0; k < 3; k++)
            balls[i].at[k] = size[k] * base_rng_unit(&rng);
        balls[i].radius = i < LARGE ? 6.0 : base_rng_range(&rng, 0.1, 0.2);
        sphere.radius = balls[i].radius;
        add_body(world, &sphere, balls[i].at);
    }
    depth_list expected = sweep(balls);
    cairn_overlap shown[SHOWN];
    int found = -1;
    assert_int_equal(cairn_world_find_overlaps(world, shown, SHOWN, &found, &error), CAIRN_OK);
    assert_int_equal(found, expected.count);
    assert_true(found > 10000);
    for (int i = 0; i < SHOWN; i++)
        check_close(shown[i].depth, expected.depth[i], 1e-12, 1e-12);
    // without room for any
    found = -1;
    assert_int_equal(cairn_world_find_overlaps(world, NULL, 0, &found, &error), CAIRN_OK);
    assert_int_equal(found, expected.count);
    free(expected.depth);
    free(balls);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_find_every_pair_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
