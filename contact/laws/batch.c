// SPDX-License-Identifier: Apache-2.0
// Columns that laws with kernels share.
#include "contact/laws/batch.h"

#include "contact/laws/ahead_kernel.h"

void con_batch_look_ahead(const con_batch_pair *pair, int first, double *columns)
{
    double turn[3] = {pair->inverse_mass, 0.0, 0.0};
    // (r + g/2)^2 / J of either side
    for (int side = 0; side < 2; side++) {
        double arm = pair->arm[side], inverse = pair->inverse_inertia[side];
        turn[0] += arm * arm * inverse;
        turn[1] += arm * inverse;
        turn[2] += 0.25 * inverse;
    }
    columns[0] = pair->step * pair->inverse_mass;
    for (int k = 0; k < 3; k++)
        columns[first + AHEAD_TURN + k] = pair->step * turn[k];
    columns[first + AHEAD_FALLS] = (double)pair->falls;
}
