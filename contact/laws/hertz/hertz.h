// SPDX-License-Identifier: Apache-2.0
// Elastic spheres: moduli of a pair, shared by the laws of Hertz's family.
#ifndef CAIRN_CONTACT_LAWS_HERTZ_H
#define CAIRN_CONTACT_LAWS_HERTZ_H

/// E* and G* of a pair of materials, docs/laws.md section 7.2, Pa.
/// @param young, poisson  [2]; a second young of 0: both materials are the first
static inline void con_hertz_moduli(const double young[2], const double poisson[2], double *normal,
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

#endif
