// SPDX-License-Identifier: Apache-2.0
// cmocka with what it lacks: comparisons of doubles that print both sides.
#ifndef CAIRN_TESTS_CHECK_H
#define CAIRN_TESTS_CHECK_H

// cmocka wants these four before its own header
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

/// |actual - expected| <= absolute + relative |expected|; NaN fails.
#define check_close(actual, expected, relative, absolute)                                          \
    check_close_at((actual), (expected), (relative), (absolute), #actual, __FILE__, __LINE__)

static inline void check_close_at(double actual, double expected, double relative, double absolute,
                                  const char *what, const char *file, int line)
{
    if (!(fabs(actual - expected) <= absolute + relative * fabs(expected))) {
        print_error("%s = %.17g, expected %.17g (off by %.3g)\n", what, actual, expected,
                    actual - expected);
        _fail(file, line);
    }
}

#define check_at_most(actual, bound)                                                               \
    check_at_most_at((actual), (bound), #actual, __FILE__, __LINE__)

static inline void check_at_most_at(double actual, double bound, const char *what, const char *file,
                                    int line)
{
    if (!(actual <= bound)) {
        print_error("%s = %.17g, expected at most %.17g\n", what, actual, bound);
        _fail(file, line);
    }
}

#endif
