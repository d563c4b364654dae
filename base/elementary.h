// SPDX-License-Identifier: Apache-2.0
// Elementary functions with the same bits on every processor. The C library chooses its own by the
// processor it finds, and they differ in the last digit: nothing that a step depends on may call
// them. Errors are below 2 units in the last place (of sine and cosine for |x| <= 2^50, of power
// for exponents up to 100); special values are those of the C standard.
// Tests: tests/unit/base/test_elementary.c, tests/cli/test_processor.py
#ifndef CAIRN_BASE_ELEMENTARY_H
#define CAIRN_BASE_ELEMENTARY_H

#include <math.h>

double base_sin(double x);
double base_cos(double x);
double base_tan(double x);
double base_asin(double x);
double base_acos(double x);

/// Angle of (x, y), in [-pi, pi].
double base_atan2(double y, double x);

double base_exp(double x);
double base_ln(double x);

/// Logarithm to a base; whole where x is a whole power of it. x > 0, base > 0, both finite.
double base_log_to(double x, double base);

double base_pow(double x, double y);

/// sqrt(x^2 + y^2) without overflow.
static inline double base_hypot(double x, double y)
{
    double square = x * x + y * y;
    if (square >= 0x1p-960 && square <= 0x1p960)
        return sqrt(square);
    double most = fmax(fabs(x), fabs(y));
    if (!(most > 0.0) || !isfinite(most))
        return isinf(x) || isinf(y) ? INFINITY : x + y + most;
    double scale = most < 1.0 ? 0x1p+600 : 0x1p-600;
    x *= scale;
    y *= scale;
    return sqrt(x * x + y * y) / scale;
}

#endif
