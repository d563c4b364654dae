// SPDX-License-Identifier: Apache-2.0
// Elementary functions: against the C library, whose errors are below a unit in the last place,
// against identities, at special values, and by fixed bits that every processor must give.
#include "tests/check.h"

#include "base/elementary.h"
#include "base/hash.h"
#include "base/rng.h"

#include <float.h>
#include <stdlib.h>

/// Distance in units of the expected value's last place.
static double units_off(double actual, double expected)
{
    if (actual == expected || (isnan(actual) && isnan(expected)))
        return 0.0;
    double unit = fabs(nextafter(expected, INFINITY) - expected);
    return fabs(actual - expected) / unit;
}

#define check_units(actual, expected)                                                              \
    do {                                                                                           \
        double actual_ = (actual), expected_ = (expected);                                         \
        if (!(units_off(actual_, expected_) <= 2.5)) {                                             \
            print_error("%s = %a, expected %a\n", #actual, actual_, expected_);                    \
            fail();                                                                                \
        }                                                                                          \
    } while (0)

/// A number of either sign whose size is spread over the decades.
static double any(base_rng *rng, double low, double high)
{
    double size = exp(log(10.0) * (low + (high - low) * base_rng_unit(rng)));
    return base_rng_unit(rng) < 0.5 ? -size : size;
}

static void test_close_to_the_library(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(7);
    for (int i = 0; i < 20000; i++) {
        double x = any(&rng, -9, 12), y = any(&rng, -5, 5), z = any(&rng, -5, 5);
        check_units(base_sin(x), sin(x));
        check_units(base_cos(x), cos(x));
        check_units(base_atan2(y, z), atan2(y, z));
        check_units(base_hypot(y, z), hypot(y, z));
        check_units(base_ln(fabs(x)), log(fabs(x)));
        check_units(base_exp(y / 200.0), exp(y / 200.0));
        check_units(base_pow(fabs(y), z / 1e4), pow(fabs(y), z / 1e4));
    }
}

static void test_identities(void **state)
{
    (void)state;
    for (int i = -100; i <= 100; i++) {
        double x = 0.0371 * i;
        check_close(base_sin(x) * base_sin(x) + base_cos(x) * base_cos(x), 1.0, 4e-16, 0.0);
        assert_true(base_sin(-x) == -base_sin(x) && base_cos(-x) == base_cos(x));
        check_close(base_atan2(base_sin(x / 2.0), base_cos(x / 2.0)), x / 2.0, 1e-15, 1e-16);
        check_close(base_ln(base_exp(x)), x, 4e-16, 4e-16);
        check_close(base_pow(base_exp(x), 0.3), base_exp(0.3 * x), 1e-15, 0.0);
        check_close(base_acos(base_cos(fabs(x) / 2.0)), fabs(x) / 2.0, 1e-12, 3e-8);
    }
    for (int n = 1; n < 60; n++) {
        assert_true(base_log_to(ldexp(1.0, n), 2.0) == n);
        assert_true(n > 22 || base_log_to(base_pow(10.0, n), 10.0) == n);
    }
}

static void test_special_values(void **state)
{
    (void)state;
    const double values[] = {0.0,     -0.0,      1.0,     -1.0,     0.5,      3.0,       -3.0,
                             DBL_MIN, 0x1p-1074, DBL_MAX, -DBL_MAX, INFINITY, -INFINITY, NAN};
    const int count = sizeof values / sizeof values[0];
    for (int i = 0; i < count; i++) {
        double x = values[i];
        // the largest angles have no digits left
        if (!(fabs(x) > 1e15 && isfinite(x))) {
            check_units(base_sin(x), sin(x));
            check_units(base_cos(x), cos(x));
        }
        assert_int_equal(signbit(base_sin(x == 0.0 ? x : 0.0)), signbit(x == 0.0 ? x : 0.0));
        check_units(base_exp(x), exp(x));
        check_units(base_ln(x), log(x));
        for (int k = 0; k < count; k++) {
            double y = values[k];
            check_units(base_atan2(x, y), atan2(x, y));
            assert_true(isnan(x) || isnan(y) || signbit(base_atan2(x, y)) == signbit(atan2(x, y)));
            check_units(base_hypot(x, y), hypot(x, y));
            // the sign of a zero or infinite power is that of the positive base
            if (x > 0.0 || (x == 0.0 && !signbit(x)))
                check_units(base_pow(x, y), pow(x, y));
        }
    }
    assert_true(base_pow(-2.0, 3.0) == -8.0 && base_pow(-2.0, 2.0) == 4.0);
    assert_true(isnan(base_pow(-2.0, 0.3)) && isnan(base_ln(-1.0)));
}

/// The same on every processor and with every compiler: a change of a bit is a change of results.
static void test_bits(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(11);
    uint64_t hash = BASE_HASH_START;
    for (int i = 0; i < 5000; i++) {
        double u = 20.0 * base_rng_unit(&rng) - 10.0, w = 0.01 + base_rng_unit(&rng);
        double made[] = {base_sin(u), base_cos(u),    base_atan2(u, w), base_exp(u),
                         base_ln(w),  base_pow(w, u), base_hypot(u, w)};
        hash = base_hash_bytes(hash, made, sizeof made);
    }
    print_message("hash of elementary functions: %016llx\n", (unsigned long long)hash);
    assert_true(hash == 0x16c833f32af606fbu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_close_to_the_library),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
