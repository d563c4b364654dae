// SPDX-License-Identifier: Apache-2.0
// Kernels of the sphere executor in plain C: the twin that the vector builds must equal bit by bit.
#define SIMD_LANES 1
#define LANE_KERNEL eng_spheres_scalar
#include "engine/pairs/spheres/kernels/kernel.h"
