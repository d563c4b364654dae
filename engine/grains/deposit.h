// SPDX-License-Identifier: Apache-2.0
// Spheres that fall into a region one after the other, and roll to where they lie still.
#ifndef CAIRN_ENGINE_GRAINS_DEPOSIT_H
#define CAIRN_ENGINE_GRAINS_DEPOSIT_H

#include "engine/grains/region.h"

typedef struct eng_deposit {
    const cairn_world *world;
    const cairn_region *region;
    vec3 down;      // unit vector along gravity
    bool wraps[3];  // directions in which the region is as long as the periodic cell
    vec3 low, side; // m, of its bounds
    double largest; // m, radius
    int count;
    vec3 *place;    // [count] m, in the region
    double *radius; // [count] m
    int place_capacity, radius_capacity;
    double inverse;   // 1/m, of the edge of a cell
    int dim[3];       // cells
    int *head, *next; // [cells], [count] index + 1 of the first and of the next sphere; 0: none
    int next_capacity;
} eng_deposit;

/// @param largest  m, radius of the largest sphere that comes
/// @return CAIRN_ERROR_ARGUMENT in a world without gravity
cairn_status eng_deposit_begin(eng_deposit *deposit, const cairn_world *world,
                               const cairn_region *region, double largest,
                               cairn_error *error) CAIRN_CHECK_RESULT;
void eng_deposit_finish(eng_deposit *deposit);

/// Lets a sphere fall from the top of the region, at a random place of it, down to where it is held
/// (Visscher and Bolsterli 1972): it rolls over what it meets, without friction and without speed.
/// Spheres that lie there stay where they are.
/// @param place   out, m
/// @param placed  out, false where there is no room at that place of the top
cairn_status eng_deposit_drop(eng_deposit *deposit, double radius, base_rng *rng, vec3 *place,
                              bool *placed) CAIRN_CHECK_RESULT;

#endif
