// SPDX-License-Identifier: Apache-2.0
// Table of the contact laws, and of those that have a kernel for many contacts at once.
//
// A new law is its file and a line in CON_LAW_LIST; a kernel of its own is one header beside it and
// two lines below (docs/notes/laws.md).
#ifndef CAIRN_CONTACT_LAWS_LAW_LIST_H
#define CAIRN_CONTACT_LAWS_LAW_LIST_H

/// All laws, the default first.
#define CON_LAW_LIST(X)                                                                            \
    X(signorini_coulomb)                                                                           \
    X(spring_dashpot)                                                                              \
    X(incremental)                                                                                 \
    X(exudyn_sphere)                                                                               \
    X(hertz_mindlin)                                                                               \
    X(hooke)                                                                                       \
    X(mindlin_deresiewicz)                                                                         \
    X(adhesive)                                                                                    \
    X(parallel_bond)

/// Laws with a kernel, each in the header NAME_kernel.h.
#define CON_KERNEL_LIST(X)                                                                         \
    X(hooke)                                                                                       \
    X(hertz_mindlin)                                                                               \
    X(spring_dashpot)                                                                              \
    X(incremental)                                                                                 \
    X(exudyn_sphere)

#endif

// builds of the kernels get their arithmetic, once their vectors are defined
#ifdef SIMD_LANES
#include "contact/laws/exudyn_sphere_kernel.h"
#include "contact/laws/hertz_mindlin_kernel.h"
#include "contact/laws/hooke_kernel.h"
#include "contact/laws/incremental_kernel.h"
#include "contact/laws/spring_dashpot_kernel.h"
#endif
