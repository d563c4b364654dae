// SPDX-License-Identifier: Apache-2.0
// Spheres in a region that push each other apart until none overlaps, or until their pushes
// balance.
#ifndef CAIRN_ENGINE_GRAINS_RELAX_H
#define CAIRN_ENGINE_GRAINS_RELAX_H

#include "engine/grains/region.h"

typedef struct eng_relax {
    // set at creation
    const cairn_world *world;
    const cairn_region *region;
    int count;
    bool wraps[3];  // directions in which the region is as long as the periodic cell
    vec3 low, side; // m, of its bounds
    double size;    // m, mean diameter: the unit of lengths below where it says "part"
    // given by the caller
    vec3 *place;    // [count] m
    double *radius; // [count] m
    double swell;   // part of their radius by which spheres push before they touch
    double ease;    // an unbalance below this times the mean overlap is balance too
    double until;   // s of base_timer_seconds(), when to give up
    // kept from round to round
    vec3 *speed, *force, *listed; // [count]; listed: places when the list was made
    int *first;                   // [count + 1] of each sphere's neighbours behind it in the list
    int *neighbour;
    int neighbour_capacity;
    int *cell_start, *cell_item; // spheres in the order of cells
    int cell_capacity;
    // results of the last round
    double deepest;   // part of the smaller one's diameter, overlap of true radii
    double mean;      // part, overlap of true radii of those that push
    double unbalance; // mean force on a sphere, of the mean force of a contact
    int64_t contacts; // of pairs
    int64_t touches;  // of the boundary
    int rounds;
} eng_relax;

/// Places and radii are to be filled in; the region is borrowed.
cairn_status eng_relax_create(eng_relax *relax, const cairn_world *world,
                              const cairn_region *region, int count) CAIRN_CHECK_RESULT;
void eng_relax_finish(eng_relax *relax);

/// The image of a place that is in the region.
vec3 eng_relax_wrap(const eng_relax *relax, vec3 place);

typedef enum eng_relax_end {
    ENG_RELAX_APART,    // no true radii overlap
    ENG_RELAX_BALANCED, // they do, and the pushes balance
    ENG_RELAX_STOPPED,  // neither yet
    ENG_RELAX_LATE      // nor when time ended
} eng_relax_end;

/// Moves the spheres, by the fast inertial relaxation engine (Bitzek et al. 2006).
/// @param balance  unbalance that counts as balance
cairn_status eng_relax_run(eng_relax *relax, double balance, int rounds_max,
                           eng_relax_end *end) CAIRN_CHECK_RESULT;

#endif
