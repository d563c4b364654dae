// SPDX-License-Identifier: Apache-2.0
// How much more work a step takes for a body that no kernel moves: measured, in one table.
#ifndef CAIRN_CONTACT_LAWS_SLOW_H
#define CAIRN_CONTACT_LAWS_SLOW_H

#include <stdbool.h>

/// Of spheres under a law without a kernel, or with parameters that its kernel does not take; of
/// clumps of spheres likewise, over those that a kernel moves. 0: not measured.
double con_slow_law(const char *law, bool clumps);

/// Of bodies of a kind of shape ("box"), over spheres that a kernel moves. 0: not measured.
double con_slow_shape(const char *kind);

#endif
