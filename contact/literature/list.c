// SPDX-License-Identifier: Apache-2.0
// All global solvers: those that a step takes, and those of the literature to compare them with.
// A program that compares no solvers links the list of contact/strategy/list.c in its place.
#include "contact/solvers/solver.h"

#include "base/assert.h"

// clang-format off
#define SOLVER_LIST(X) \
    X(auto) \
    X(gauss_seidel) \
    X(nipm) \
    X(paln) \
    X(block_jacobi) \
    X(vi_fixed_point) \
    X(vi_extragradient) \
    X(hyperplane_projection) \
    X(de_saxce_fixed_point) \
    X(tresca_fixed_point) \
    X(panagiotopoulos) \
    X(aclm_fixed_point) \
    X(soclcp_relaxation) \
    X(apgd) \
    X(apgd_following) \
    X(barzilai_borwein) \
    X(newton_alart_curnier) \
    X(newton_jean_moreau) \
    X(newton_natural_map) \
    X(newton_fischer_burmeister) \
    X(proximal_point) \
    X(admm) \
    X(projected_newton) \
    X(interior_point) \
    X(aclm_newton)
// clang-format on

#define SOLVER_DECLARE(name) extern const con_solver con_solver_##name;
SOLVER_LIST(SOLVER_DECLARE)

#define SOLVER_ENTRY(name) &con_solver_##name,
static const con_solver *const solvers[] = {SOLVER_LIST(SOLVER_ENTRY)};

const con_solver *const *con_solver_list(int *count)
{
    *count = BASE_COUNT(solvers);
    return solvers;
}
