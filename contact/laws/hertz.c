// SPDX-License-Identifier: Apache-2.0
// Elastic spheres: moduli of a pair.
#include "contact/laws/hertz.h"

void con_hertz_moduli(const double young[2], const double poisson[2], double *normal,
                      double *tangential)
{
    double compliance = 0.0, shear = 0.0;
    for (int i = 0; i < 2; i++) {
        int of = young[1] == 0.0 ? 0 : i;
        double E = young[of], nu = poisson[of];
        compliance += (1.0 - nu * nu) / E;
        shear += 2.0 * (2.0 - nu) * (1.0 + nu) / E;
    }
    *normal = 1.0 / compliance;
    *tangential = 1.0 / shear;
}
