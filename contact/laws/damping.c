// SPDX-License-Identifier: Apache-2.0
// Damping ratio that gives a coefficient of restitution.
#include "contact/laws/damping.h"

#include "base/assert.h"
#include "base/elementary.h"

#include <math.h>

double con_damping_ratio(double restitution, bool attraction)
{
    double e = fmax(restitution, 0.002);
    if (attraction)
        return -base_ln(e) / base_hypot(M_PI, base_ln(e));
    // polynomial in sqrt(e) of beta sqrt(e) / (1 - e), fitted to the closed form of the linear law
    // that ends at its first zero; relative error 8.5e-5
    static const double coefficient[] = {0.501272215235, -0.0845899877885, -1.03780562274,
                                         3.8375203426,   -8.34235187146,   11.5933160101,
                                         -9.93824684948, 4.76308421077,    -0.973889996135};
    double root = sqrt(e), sum = 0.0;
    for (int i = BASE_COUNT(coefficient) - 1; i >= 0; i--)
        sum = sum * root + coefficient[i];
    return sum * (1.0 - e) / root;
}

double con_restitution_steps(double ratio, bool abrupt, bool attraction)
{
    if (attraction)
        return 1e3 * (abrupt ? fmin(6.5 * ratio, 0.9) : fmin(1.5 * ratio, 0.3));
    return 1e3 * (abrupt ? fmin(3.0 * ratio, 0.75) : fmin(0.7 * ratio, 0.3));
}
