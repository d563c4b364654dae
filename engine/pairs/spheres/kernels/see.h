// SPDX-License-Identifier: Apache-2.0
// What the audit asks of the pairs of a block after a step, included once by each build of the
// kernels. Lanes whose B is no slot hold numbers without meaning.
#include "engine/pairs/spheres/kernels/pair.h"

/// @param back  s, from the midpoint that slots are at to that of the step just done
static void see(const eng_spheres_pass *pass, const eng_spheres_block *b, double back,
                eng_spheres_seen *seen)
{
    vec since = v_set(back);
    for (int first = 0; first < ENG_SPHERES_WIDTH; first += LANES) {
        vec X[4], V[8];
        load_positions(pass, b->i8 + first, b->j8 + first, X);
        load_velocities(pass, b->i8 + first, b->j8 + first, V);
        for (int k = 0; k < 3; k++)
            X[k] = v_fnma(since, V[k], X[k]);
        vec r = v_sqrt(v_fma(X[2], X[2], v_fma(X[1], X[1], v_mul(X[0], X[0]))));
        vec gap = v_sub(r, v_load(b->radius_sum + first));
        motion m = motion_of(X, V, v_div(v_set(1.0), r), v_mul(v_set(0.5), gap));
        vec_3 lag = {v_load_float(b->lag_tangent[0] + first),
                     v_load_float(b->lag_tangent[1] + first),
                     v_load_float(b->lag_tangent[2] + first)};
        vec_3 spring = {v_load(b->spring[0] + first), v_load(b->spring[1] + first),
                        v_load(b->spring[2] + first)};
        vec_3 velocity = lane_add_scaled(m.slide, m.normal, m.n);
        v_store(seen->gap + first, gap);
        v_store(seen->normal + first, m.normal);
        v_store(seen->along + first, lane_dot(spring, velocity));
        v_store(seen->loss + first, lane_dot(lag, velocity));
        v_store(seen->squared + first, lane_dot(spring, spring));
    }
}
