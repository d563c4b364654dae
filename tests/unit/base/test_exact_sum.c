// SPDX-License-Identifier: Apache-2.0
// Exact sums: against integers, at the ends of the range of doubles, in any order and in parts.
#include "base/rng.h"
#include "base/sums/exact_sum.h"
#include "tests/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double sum_of(const double *values, int count)
{
    base_exact_sum sum = {0};
    for (int i = 0; i < count; i++)
        base_exact_add(&sum, values[i]);
    return base_exact_value(&sum);
}

#define SUM(...)                                                                                   \
    sum_of((const double[]){__VA_ARGS__}, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))

static void assert_same(double a, double b)
{
    if (memcmp(&a, &b, sizeof a) != 0)
        fail_msg("%.17g is not %.17g", a, b);
}

static void test_known(void **state)
{
    (void)state;
    const double two53 = 9007199254740992.0, tiny = DBL_TRUE_MIN;
    assert_same(SUM(0.0, -0.0), 0.0);
    assert_same(SUM(1e308, 1.0, -1e308), 1.0);
    assert_same(SUM(1e308, 1e308, -1e308, 1e-300, -1e308), 1e-300);
    assert_same(SUM(-0.1, -0.2, 0.1), -0.2);
    // halves go to the even neighbour, anything beside them decides
    assert_same(SUM(two53, 1.0), two53);
    assert_same(SUM(two53, 1.0, tiny), two53 + 2.0);
    assert_same(SUM(two53, 1.0, -tiny), two53);
    assert_same(SUM(two53, 3.0), two53 + 4.0);
    assert_same(SUM(two53, 3.0, -tiny), two53 + 2.0);
    assert_same(SUM(-two53, -1.0, -tiny), -two53 - 2.0);
    // the ends of the range
    assert_same(SUM(tiny, tiny, tiny), 3.0 * tiny);
    assert_same(SUM(DBL_MIN, -tiny), DBL_MIN - tiny);
    assert_same(SUM(-DBL_MIN, tiny, tiny), -(DBL_MIN - 2.0 * tiny));
    assert_same(SUM(DBL_MAX, DBL_MAX, -DBL_MAX), DBL_MAX);
    assert_same(SUM(DBL_MAX, DBL_MAX), INFINITY);
    assert_same(SUM(-DBL_MAX, -DBL_MAX), -INFINITY);
    assert_same(SUM(1.0, INFINITY), INFINITY);
    assert_true(isnan(SUM(1.0, NAN, 2.0)));
    assert_true(isnan(SUM(INFINITY, -INFINITY)));
}

/// Sums of multiples of 2^-80, as integers of 128 bits.
static void test_integers(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(3);
    for (int turn = 0; turn < 2000; turn++) {
        __extension__ __int128 whole = 0;
        base_exact_sum sum = {0};
        for (int i = 0; i < 40; i++) {
            int64_t part = (int64_t)base_rng_range(&rng, -0x1p52, 0x1p52);
            int shift = (int)base_rng_range(&rng, 0.0, 60.0);
            whole += (__extension__(__int128) part) * (INT64_C(1) << shift);
            base_exact_add(&sum, ldexp((double)part, shift - 80));
        }
        // the compiler's conversion rounds to the nearest double, too
        assert_same(base_exact_value(&sum), ldexp((double)whole, -80));
    }
}

/// Any order, in any number of parts, whenever carries are made: the same bytes.
static void test_orders(void **state)
{
    (void)state;
    enum { COUNT = 3000, PARTS = 7 };
    static double values[COUNT];
    base_rng rng = base_rng_make(11);
    base_exact_sum forth = {0}, back = {0}, whole = {0}, part[PARTS] = {0};
    for (int i = 0; i < COUNT; i++)
        values[i] = ldexp(base_rng_range(&rng, -1.0, 1.0), (int)base_rng_range(&rng, -1000, 1000));
    for (int i = 0; i < COUNT; i++) {
        base_exact_add(&forth, values[i]);
        base_exact_add(&back, values[COUNT - 1 - i]);
        base_exact_add(&part[i % PARTS], values[i]);
        if (i % 17 == 0)
            base_exact_carry(&part[i % PARTS]);
    }
    for (int i = 0; i < PARTS; i++)
        base_exact_add_sum(&whole, &part[PARTS - 1 - i]);
    assert_same(base_exact_value(&forth), base_exact_value(&back));
    base_exact_carry(&forth);
    base_exact_carry(&back);
    base_exact_carry(&whole);
    assert_memory_equal(&forth, &back, sizeof forth);
    assert_memory_equal(&forth, &whole, sizeof forth);
    for (int i = 0; i < COUNT; i++)
        base_exact_add(&forth, -values[i]);
    assert_same(base_exact_value(&forth), 0.0);
}

/// More numbers than digits hold without carries.
static void test_many(void **state)
{
    (void)state;
    base_exact_sum sum = {0}, twice = {0};
    base_exact_add(&sum, 1.0 - DBL_EPSILON / 2.0);
    // doubled 40 times, with what it takes of the room for carries
    for (int i = 0; i < 40; i++) {
        twice = sum;
        base_exact_add_sum(&sum, &twice);
    }
    assert_same(base_exact_value(&sum), 0x1p40 * (1.0 - DBL_EPSILON / 2.0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
