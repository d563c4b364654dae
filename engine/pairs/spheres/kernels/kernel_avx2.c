// SPDX-License-Identifier: Apache-2.0
// Kernels of the sphere executor, four doubles at a time (AVX2 and FMA).
#if defined(__x86_64__)
#define SIMD_LANES 4
#define LANE_KERNEL eng_spheres_avx2
#include "engine/pairs/spheres/kernels/kernel.h"
#else
typedef int eng_spheres_no_such_kernel;
#endif
