// SPDX-License-Identifier: Apache-2.0
// Queries of the hierarchy against trying every box.
#include "geometry/mesh/bvh.h"
#include "tests/check.h"

#include "base/rng.h"

enum { MOST = 2000 };

typedef struct found {
    int times[MOST];
    int order[MOST];
    int count;
    int stop_after;
} found;

static bool visit(void *context, int item)
{
    found *f = context;
    f->times[item]++;
    f->order[f->count++] = item;
    return f->count != f->stop_after;
}

static geo_bounds random_box(base_rng *rng, double place, double size)
{
    vec3 low = {base_rng_range(rng, -place, place), base_rng_range(rng, -place, place),
                base_rng_range(rng, -place, place)};
    vec3 extent = {size * base_rng_unit(rng), size * base_rng_unit(rng), size * base_rng_unit(rng)};
    return (geo_bounds){low, vec3_add(low, extent)};
}

enum { SPREAD, SAME, LINE, POWERS, TWO_PLACES, KINDS };

static void fill(geo_bounds *boxes, int count, int kind, base_rng *rng)
{
    for (int i = 0; i < count; i++) {
        boxes[i] = random_box(rng, 10.0, 1.0);
        vec3 at = {0.0, 0.0, 0.0};
        if (kind == LINE)
            at.y = i;
        if (kind == POWERS)
            at.x = ldexp(1.0, i % 1000 - 500);
        if (kind == TWO_PLACES)
            at.z = i % 3 ? 1e6 : -1e6;
        if (kind != SPREAD)
            boxes[i] = (geo_bounds){at, vec3_add(at, (vec3){0.25, 0.25, 0.25})};
    }
}

static void queries_match_brute_force(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    base_rng rng = base_rng_make(1);
    static geo_bounds boxes[MOST];
    static found f;
    const int counts[] = {0, 1, 4, 5, 33, MOST};
    for (int kind = 0; kind < KINDS; kind++)
        for (int c = 0; c < 6; c++) {
            int count = counts[c];
            fill(boxes, count, kind, &rng);
            geo_bvh *bvh = geo_bvh_create(&allocator, boxes, count);
            assert_non_null(bvh);
            for (int q = 0; q < 100; q++) {
                geo_bounds query = random_box(&rng, 10.0, q % 3 ? 2.0 : 1e4);
                f = (found){.stop_after = -1};
                geo_bvh_query(bvh, query, visit, &f);
                for (int i = 0; i < count; i++)
                    assert_int_equal(f.times[i], geo_bounds_overlap(query, boxes[i]));
            }
            geo_bvh_destroy(bvh);
        }
}

static void query_stops_when_told(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    base_rng rng = base_rng_make(2);
    static geo_bounds boxes[MOST];
    static found all, some;
    fill(boxes, MOST, SPREAD, &rng);
    geo_bvh *bvh = geo_bvh_create(&allocator, boxes, MOST);
    geo_bounds query = {{-5.0, -5.0, -5.0}, {5.0, 5.0, 5.0}};
    all = (found){.stop_after = -1};
    some = (found){.stop_after = 17};
    geo_bvh_query(bvh, query, visit, &all);
    geo_bvh_query(bvh, query, visit, &some);
    assert_true(all.count > 17);
    assert_int_equal(some.count, 17);
    assert_memory_equal(all.order, some.order, 17 * sizeof(int));
    geo_bvh_destroy(bvh);
}

static void rebuild_equals_new_one(void **state)
{
    (void)state;
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    base_rng rng = base_rng_make(3);
    static geo_bounds boxes[MOST];
    static found a, b;
    fill(boxes, MOST, LINE, &rng);
    geo_bvh *old = geo_bvh_create(&allocator, boxes, MOST);
    fill(boxes, 1500, SPREAD, &rng);
    long calls = counter.calls;
    assert_int_equal(geo_bvh_rebuild(old, boxes, 1500), CAIRN_OK);
    assert_int_equal(counter.calls, calls);
    geo_bvh *fresh = geo_bvh_create(&allocator, boxes, 1500);
    for (int q = 0; q < 100; q++) {
        geo_bounds query = random_box(&rng, 10.0, 4.0);
        a = b = (found){.stop_after = -1};
        geo_bvh_query(old, query, visit, &a);
        geo_bvh_query(fresh, query, visit, &b);
        assert_int_equal(a.count, b.count);
        assert_memory_equal(a.order, b.order, sizeof a.order);
    }
    geo_bvh_destroy(old);
    geo_bvh_destroy(fresh);
    assert_int_equal(counter.live, 0);
}

static void memory_failures_leave_nothing(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(4);
    geo_bounds boxes[20];
    fill(boxes, 20, SPREAD, &rng);
    geo_bvh *bvh = NULL;
    for (long fail_at = 1; bvh == NULL; fail_at++) {
        base_counting_allocator counter = {.fail_at = fail_at};
        base_allocator allocator = base_allocator_counting(&counter);
        bvh = geo_bvh_create(&allocator, boxes, 20);
        geo_bvh_destroy(bvh);
        assert_int_equal(counter.live, 0);
        assert_true(fail_at < 10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_match_brute_force),
        cmocka_unit_test(query_stops_when_told),
        cmocka_unit_test(rebuild_equals_new_one),
        cmocka_unit_test(memory_failures_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
