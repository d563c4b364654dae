// SPDX-License-Identifier: Apache-2.0
// What the audit and sums over all contacts ask of the pairs of a block after a step, included once
// by each build of the kernels. Lanes whose B is no slot hold numbers without meaning.
#include "engine/pairs/spheres/kernels/pair.h"
#include "engine/pairs/spheres/spheres.h"

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
        vec r = v_sqrt(v_fma(X[2], X[2], v_fma(X[1], X[1], X[0] * X[0])));
        vec gap = r - v_load(b->radius_sum + first);
        motion m = motion_of(X, V, 1.0 / r, 0.5 * gap);
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

/// Centres of the bodies of LANES slots at the midpoint of the step just done.
INLINE vec_3 centres_back(const eng_spheres_pass *pass, const int *row8, vec since)
{
    const double *X[LANES], *V[LANES];
    vec place[4], velocity[4];
    for (int k = 0; k < LANES; k++) {
        X[k] = pass->X[(unsigned)row8[k] / 8u];
        V[k] = pass->V[(unsigned)row8[k] / 8u];
    }
    v_load_fours(X, place);
    v_load_fours(V, velocity);
    return (vec_3){v_fnma(since, velocity[0], place[0]), v_fnma(since, velocity[1], place[1]),
                   v_fnma(since, velocity[2], place[2])};
}

/// @param back  as for see()
static void draw(const eng_spheres_pass *pass, const eng_spheres_block *b, double back,
                 struct eng_spheres_lines *out)
{
    vec since = v_set(back);
    for (int first = 0; first < ENG_SPHERES_WIDTH; first += LANES) {
        vec_3 from = centres_back(pass, b->i8 + first, since);
        vec_3 to = centres_back(pass, b->j8 + first, since);
        vec_3 apart = {to.x - from.x, to.y - from.y, to.z - from.z};
        vec length = v_sqrt(lane_dot(apart, apart));
        vec_3 normal = scaled(1.0 / length, apart);
        v_store(out->length + first, length);
        v_store(out->overlap + first, v_load(b->radius_sum + first) - length);
        v_store(out->centre[0] + first, from.x);
        v_store(out->centre[1] + first, from.y);
        v_store(out->centre[2] + first, from.z);
        v_store(out->normal[0] + first, normal.x);
        v_store(out->normal[1] + first, normal.y);
        v_store(out->normal[2] + first, normal.z);
        for (int k = 0; k < 3; k++)
            v_store(out->tangent[k] + first,
                    v_load(b->spring[k] + first) + v_load_float(b->lag_tangent[k] + first));
    }
}
