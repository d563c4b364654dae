// SPDX-License-Identifier: Apache-2.0
// Kernels of the sphere executor, eight doubles at a time (AVX-512 F, DQ, VL).
#if defined(__x86_64__)
#define SIMD_LANES 8
#define LANE_KERNEL eng_spheres_avx512
#include "engine/pairs/spheres/kernels/kernel.h"
#else
typedef int eng_spheres_no_such_kernel;
#endif
