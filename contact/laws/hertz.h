// SPDX-License-Identifier: Apache-2.0
// Elastic spheres: moduli of a pair, shared by the laws of Hertz's family.
#ifndef CAIRN_CONTACT_LAWS_HERTZ_H
#define CAIRN_CONTACT_LAWS_HERTZ_H

/// E* and G* of a pair of materials, docs/laws.md section 7.2, Pa.
/// @param young, poisson  [2]; a second young of 0: both materials are the first
void con_hertz_moduli(const double young[2], const double poisson[2], double *normal,
                      double *tangential);

#endif
