// SPDX-License-Identifier: Apache-2.0
// The global solvers that steps take and that are there for users: the list of programs that do not
// link contact/literature.
#include "contact/solvers/solver.h"

#include "base/assert.h"

extern const con_solver con_solver_auto, con_solver_gauss_seidel, con_solver_nipm, con_solver_paln;

static const con_solver *const solvers[] = {&con_solver_auto, &con_solver_gauss_seidel,
                                            &con_solver_nipm, &con_solver_paln};

const con_solver *const *con_solver_list(int *count)
{
    *count = BASE_COUNT(solvers);
    return solvers;
}
