// SPDX-License-Identifier: Apache-2.0
// Broad phase against trying all pairs: mixed sizes, half-spaces, motion, history, threads.
#include "geometry/broad/broad_phase.h"
#include "tests/check.h"

#include "base/rng.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 3000 };

typedef struct scene {
    geo_proxy proxies[MOST];
    int count;
} scene;

static geo_bounds box_about(vec3 centre, vec3 half)
{
    return (geo_bounds){vec3_sub(centre, half), vec3_add(centre, half)};
}

static vec3 random_point(base_rng *rng, double size)
{
    return (vec3){base_rng_range(rng, -size, size), base_rng_range(rng, -size, size),
                  base_rng_range(rng, -size, size)};
}

static geo_proxy infinite_proxy(base_rng *rng)
{
    const vec3 infinite = {INFINITY, INFINITY, INFINITY};
    geo_proxy proxy = {{vec3_negate(infinite), infinite}, 0, 0};
    // some are bounded on one side
    if (base_rng_index(rng, 2) == 0)
        proxy.bounds.high.z = base_rng_range(rng, -1.0, 1.0);
    return proxy;
}

enum { ALIKE, MIXED, CLUSTERS, HUGE_AMONG_SMALL, FAR_STRAYS, FLAT, KINDS };

static vec3 random_half(base_rng *rng, int kind)
{
    double radius = base_rng_range(rng, 0.4, 0.6);
    if (kind == MIXED)
        radius = exp(base_rng_range(rng, -4.0, 1.0));
    if (kind == HUGE_AMONG_SMALL && base_rng_index(rng, 50) == 0)
        radius = 300.0;
    vec3 half = {radius, radius * base_rng_range(rng, 0.5, 1.0), radius};
    if (kind == FLAT)
        half.z = 0.0;
    return half;
}

static vec3 random_place(base_rng *rng, int kind, int count)
{
    vec3 place = random_point(rng, 0.6 * cbrt(count));
    if (kind == CLUSTERS)
        place = vec3_add_scaled(random_point(rng, 2.0), 40.0 * base_rng_index(rng, 5),
                                (vec3){1.0, -2.0, 0.5});
    if (kind == FAR_STRAYS && base_rng_index(rng, 20) == 0)
        place = random_point(rng, 1e9);
    if (kind == FLAT)
        place.z = 7.0;
    return place;
}

static void fill_scene(scene *s, base_rng *rng, int kind, int count)
{
    s->count = count;
    for (int i = 0; i < count; i++) {
        vec3 half = random_half(rng, kind);
        s->proxies[i] = (geo_proxy){
            .bounds = box_about(random_place(rng, kind, count), half),
            .group = base_rng_index(rng, count),
            .mobile = base_rng_index(rng, 4) != 0,
        };
        if (base_rng_index(rng, 100) == 0) {
            s->proxies[i] = infinite_proxy(rng);
            s->proxies[i].group = base_rng_index(rng, count);
            s->proxies[i].mobile = base_rng_index(rng, 2);
        }
    }
}

static bool must_list(const geo_proxy *a, const geo_proxy *b, double margin)
{
    return a->group != b->group && (a->mobile || b->mobile) &&
           a->bounds.low.x - margin <= b->bounds.high.x + margin &&
           b->bounds.low.x - margin <= a->bounds.high.x + margin &&
           a->bounds.low.y - margin <= b->bounds.high.y + margin &&
           b->bounds.low.y - margin <= a->bounds.high.y + margin &&
           a->bounds.low.z - margin <= b->bounds.high.z + margin &&
           b->bounds.low.z - margin <= a->bounds.high.z + margin;
}

// the list must be exactly the pairs within `margin` when `exact`, else hold them all
static void check_list(const geo_broad_phase *broad, const scene *s, double margin, bool exact)
{
    int count = 0, at = 0;
    const geo_pair *pairs = geo_broad_phase_pairs(broad, &count);
    for (int k = 1; k < count; k++)
        assert_true(pairs[k - 1].first < pairs[k].first || (pairs[k - 1].first == pairs[k].first &&
                                                            pairs[k - 1].second < pairs[k].second));
    for (int i = 0; i < s->count; i++)
        for (int j = i + 1; j < s->count; j++) {
            bool listed = at < count && pairs[at].first == i && pairs[at].second == j;
            bool wanted = must_list(&s->proxies[i], &s->proxies[j], margin);
            if (wanted && !listed)
                print_error("pair %d %d is missing\n", i, j);
            assert_true(listed || !wanted);
            assert_true(!exact || wanted == listed);
            at += listed;
        }
    assert_int_equal(at, count);
}

static bool update(geo_broad_phase *broad, const scene *s, double reach, double skin, bool force,
                   base_workers *workers)
{
    bool rebuilt = false;
    assert_int_equal(
        geo_broad_phase_update(broad, s->proxies, s->count, reach, skin, force, workers, &rebuilt),
        CAIRN_OK);
    return rebuilt;
}

static void random_scenes_match_brute_force(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    static scene s;
    base_rng rng = base_rng_make(1);
    geo_broad_phase *broad = geo_broad_phase_create(&allocator);
    assert_non_null(broad);
    const int counts[] = {0, 1, 2, 3, 10, 100, 1000, MOST};
    for (int kind = 0; kind < KINDS; kind++)
        for (int c = 0; c < 8; c++) {
            fill_scene(&s, &rng, kind, counts[c]);
            double reach = c % 2 ? 0.0 : 0.03, skin = c % 3 ? 0.0 : 0.1;
            assert_true(update(broad, &s, reach, skin, true, NULL));
            check_list(broad, &s, reach + skin, true);
        }
    geo_broad_phase_destroy(broad);
}

static void moving_scene_never_misses_a_pair(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    static scene s;
    base_rng rng = base_rng_make(2);
    geo_broad_phase *broad = geo_broad_phase_create(&allocator);
    fill_scene(&s, &rng, ALIKE, 400);
    static vec3 velocity[400];
    for (int i = 0; i < s.count; i++)
        velocity[i] = random_point(&rng, 0.01);
    int rebuilds = 0;
    for (int step = 0; step < 200; step++) {
        rebuilds += update(broad, &s, 0.02, 0.1, false, NULL);
        check_list(broad, &s, 0.02, false);
        for (int i = 0; i < s.count; i++) {
            s.proxies[i].bounds.low = vec3_add(s.proxies[i].bounds.low, velocity[i]);
            s.proxies[i].bounds.high = vec3_add(s.proxies[i].bounds.high, velocity[i]);
        }
    }
    // 0.1 m of skin at up to 0.01 m a step
    assert_in_range(rebuilds, 10, 30);
    geo_broad_phase_destroy(broad);
}

static void changes_force_a_rebuild(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    static scene s;
    base_rng rng = base_rng_make(3);
    geo_broad_phase *broad = geo_broad_phase_create(&allocator);
    s.count = 0;
    assert_true(update(broad, &s, 0.02, 0.1, false, NULL));
    assert_false(update(broad, &s, 0.02, 0.1, false, NULL));
    fill_scene(&s, &rng, ALIKE, 300);
    assert_true(update(broad, &s, 0.02, 0.1, false, NULL));
    assert_false(update(broad, &s, 0.02, 0.1, false, NULL));
    assert_true(update(broad, &s, 0.02, 0.1, true, NULL));
    assert_true(update(broad, &s, 0.02, 0.0, false, NULL));
    assert_true(update(broad, &s, 0.02, 0.1, true, NULL));
    // more reach than the skin leaves
    assert_false(update(broad, &s, 0.11, 0.1, false, NULL));
    assert_true(update(broad, &s, 0.13, 0.1, false, NULL));
    s.count--;
    assert_true(update(broad, &s, 0.13, 0.1, false, NULL));
    s.proxies[5].mobile = !s.proxies[5].mobile;
    assert_true(update(broad, &s, 0.13, 0.1, false, NULL));
    s.proxies[5].group += 1000;
    assert_true(update(broad, &s, 0.13, 0.1, false, NULL));
    check_list(broad, &s, 0.23, true);
    geo_broad_phase_destroy(broad);
}

static void check_same_lists(const geo_broad_phase *a, const geo_broad_phase *b)
{
    int count_a = 0, count_b = 0;
    const geo_pair *pairs_a = geo_broad_phase_pairs(a, &count_a);
    const geo_pair *pairs_b = geo_broad_phase_pairs(b, &count_b);
    assert_int_equal(count_a, count_b);
    if (count_a > 0)
        assert_memory_equal(pairs_a, pairs_b, (size_t)count_a * sizeof *pairs_a);
}

static void list_does_not_depend_on_history_or_threads(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    static scene s;
    base_rng rng = base_rng_make(4);
    geo_broad_phase *old = geo_broad_phase_create(&allocator);
    for (int kind = 0; kind < KINDS; kind++)
        for (int threads = 1; threads <= 4; threads *= 2) {
            fill_scene(&s, &rng, kind, MOST);
            base_workers *workers = base_workers_create(&allocator, threads);
            geo_broad_phase *fresh = geo_broad_phase_create(&allocator);
            update(old, &s, 0.01, 0.05, true, workers);
            update(fresh, &s, 0.01, 0.05, true, NULL);
            check_same_lists(old, fresh);
            assert_false(update(old, &s, 0.01, 0.05, false, workers));
            geo_broad_phase_destroy(fresh);
            base_workers_destroy(workers);
        }
    geo_broad_phase_destroy(old);
}

static void nothing_grows_nothing_allocates(void **state)
{
    (void)state;
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    static scene s;
    base_rng rng = base_rng_make(5);
    geo_broad_phase *broad = geo_broad_phase_create(&allocator);
    for (int kind = 0; kind < KINDS; kind++) {
        fill_scene(&s, &rng, kind, 2000);
        update(broad, &s, 0.01, 0.05, true, NULL);
        long calls = counter.calls;
        update(broad, &s, 0.01, 0.05, true, NULL);
        assert_int_equal(counter.calls, calls);
    }
    geo_broad_phase_destroy(broad);
    assert_int_equal(counter.live, 0);
}

static void memory_failures_are_reported(void **state)
{
    (void)state;
    static scene s;
    base_rng rng = base_rng_make(6);
    fill_scene(&s, &rng, HUGE_AMONG_SMALL, 1000);
    for (long fail_at = 1;; fail_at++) {
        base_counting_allocator counter = {.fail_at = fail_at};
        base_allocator allocator = base_allocator_counting(&counter);
        geo_broad_phase *broad = geo_broad_phase_create(&allocator);
        cairn_status status = CAIRN_ERROR_MEMORY;
        bool rebuilt = false;
        if (broad != NULL)
            status =
                geo_broad_phase_update(broad, s.proxies, s.count, 0.0, 0.1, false, NULL, &rebuilt);
        if (status != CAIRN_OK && broad != NULL) {
            int count = -1;
            geo_broad_phase_pairs(broad, &count);
            assert_int_equal(count, 0);
            // once there is memory the next update succeeds
            counter.fail_at = 0;
            assert_true(update(broad, &s, 0.0, 0.1, false, NULL));
            check_list(broad, &s, 0.1, true);
        }
        geo_broad_phase_destroy(broad);
        assert_int_equal(counter.live, 0);
        if (status == CAIRN_OK)
            break;
        assert_int_equal(status, CAIRN_ERROR_MEMORY);
        assert_true(fail_at < 200);
    }
}

static void values_that_are_no_numbers_list_nothing(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    static scene s;
    base_rng rng = base_rng_make(7);
    fill_scene(&s, &rng, ALIKE, 500);
    for (int i = 0; i < s.count; i += 7)
        s.proxies[i].bounds.low.y = NAN;
    geo_broad_phase *broad = geo_broad_phase_create(&allocator);
    update(broad, &s, 0.0, 0.1, false, NULL);
    check_list(broad, &s, 0.1, true);
    geo_broad_phase_destroy(broad);
}

// a floor under many: the number of calls of the clock says nothing here, only the result does
static void floor_under_many_balls(void **state)
{
    (void)state;
    base_allocator allocator = base_allocator_default();
    enum { SIDE = 300, COUNT = SIDE * SIDE + 1 };
    geo_proxy *proxies = calloc(COUNT, sizeof *proxies);
    assert_non_null(proxies);
    // the floor is in the middle of the list; balls stand on it one diameter apart
    const int floor_at = COUNT / 2;
    for (int i = 0, ball = 0; i < COUNT; i++) {
        proxies[i] = (geo_proxy){.group = i, .mobile = i != floor_at};
        vec3 centre = {ball % SIDE * 1.0, (double)(ball / SIDE), 0.5};
        proxies[i].bounds = box_about(centre, (vec3){0.499, 0.499, 0.499});
        if (i == floor_at)
            proxies[i].bounds = box_about((vec3){150.0, 150.0, -50.0}, (vec3){1e3, 1e3, 50.0});
        else
            ball++;
    }
    geo_broad_phase *broad = geo_broad_phase_create(&allocator);
    bool rebuilt = false;
    assert_int_equal(
        geo_broad_phase_update(broad, proxies, COUNT, 0.0, 0.002, true, NULL, &rebuilt), CAIRN_OK);
    int count = 0, with_floor = 0;
    const geo_pair *pairs = geo_broad_phase_pairs(broad, &count);
    for (int k = 0; k < count; k++)
        with_floor += pairs[k].first == floor_at || pairs[k].second == floor_at;
    assert_int_equal(with_floor, COUNT - 1);
    // sides and diagonals of the square lattice
    assert_int_equal(count - with_floor, 2 * SIDE * (SIDE - 1) + 2 * (SIDE - 1) * (SIDE - 1));
    geo_broad_phase_destroy(broad);
    free(proxies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_scenes_match_brute_force),
        cmocka_unit_test(moving_scene_never_misses_a_pair),
        cmocka_unit_test(changes_force_a_rebuild),
        cmocka_unit_test(list_does_not_depend_on_history_or_threads),
        cmocka_unit_test(nothing_grows_nothing_allocates),
        cmocka_unit_test(memory_failures_are_reported),
        cmocka_unit_test(values_that_are_no_numbers_list_nothing),
        cmocka_unit_test(floor_under_many_balls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
