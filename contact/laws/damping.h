// SPDX-License-Identifier: Apache-2.0
// Damping ratio that gives a coefficient of restitution.
#ifndef CAIRN_CONTACT_LAWS_DAMPING_H
#define CAIRN_CONTACT_LAWS_DAMPING_H

#include <stdbool.h>

/// Ratio beta of docs/laws.md (7.3) for restitution e, in head-on impacts without gravity. The same
/// beta serves the linear law (c = 2 beta sqrt(k m)) and the Hertzian one (c = 2 beta sqrt(5/6)
/// sqrt(S_n m)).
/// @param restitution  0 to 1; below 0.002 the ratio of 0.002 is given
/// @param attraction   true: the dashpot may pull until the gap opens; exact. false: the force ends
///                     where it would pull; e is met to 1e-4
double con_damping_ratio(double restitution, bool attraction);

/// Steps of a head-on impact that meet the coefficient of restitution to 1e-3 at every phase of the
/// touch, docs/laws.md (9.2); the error is of first order in the step.
/// @param ratio       of con_damping_ratio
/// @param abrupt      the dashpot has its full strength at the touch; false: it grows with the area
/// @param attraction  as the ratio was asked for: a dashpot that pulls does so until the end of the
///                    step in which the gap opens
double con_restitution_steps(double ratio, bool abrupt, bool attraction);

#endif
