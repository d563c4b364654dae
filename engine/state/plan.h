// SPDX-License-Identifier: Apache-2.0
// The plan of a step: in which order the pairs of the list are taken, and which of them belong
// together.
//
// It is made when the list of pairs is made, and kept until that list, a law or a surface changes.
// Pairs of cone laws come first, in the order of the list: their contacts form the implicit
// problem. The others follow in batches: pairs of one class (shapes of A and B) under one surface
// (law and parameters).
#ifndef CAIRN_ENGINE_STATE_PLAN_H
#define CAIRN_ENGINE_STATE_PLAN_H

#include "base/memory.h"
#include "geometry/shape/shape.h"

#include <stdbool.h>

/// Pairs of one class under one surface.
typedef struct eng_batch {
    int surface;      // into surfaces
    geo_kind kind[2]; // of the colliders A and B
    int first_place;  // into the order of the plan; of explicit batches
    int pair_count;
    // written by the contact set, of explicit batches: their contacts lie together
    int first, count;
} eng_batch;

/// Explicit pairs of a body: entries first .. first + count - 1 of `touch`.
typedef struct eng_body_pairs {
    int first, count;
} eng_body_pairs;

typedef struct eng_plan {
    bool current;       // false: it has to be made anew
    eng_batch *batches; // [batch_count] those of cone laws, then the others; by surface and class
    int batch_count, batch_capacity;
    int cone_batches; // the first ones
    int *order;       // [pair_count] into the list of pairs, place by place
    int *batch;       // [pair_count] into batches, of each place
    int cone_pairs;   // the first places, those of cone laws
    int order_capacity;
    // places of the explicit pairs of each body that contacts move, in ascending order; bodies
    // without such pairs cost nothing
    eng_body_pairs *pairs_of; // [body_count] by body
    int *paired;              // [paired_count] bodies that have some
    int *touch;               // 2 place + side
    int paired_count, body_capacity, paired_capacity, touch_capacity;
} eng_plan;

/// Places of the plan in one step, in its arena.
typedef struct eng_taken {
    // of each chunk of places those whose pairs have contacts or had some, at the begin of the
    // chunk's part, and how many
    int *busy;       // [pair_count]
    int *busy_count; // [chunks]
    // where the contacts of each place are, and how many; a place without has no first
    int *first, *count; // [pair_count]
} eng_taken;

void eng_plan_release(eng_plan *plan, const base_allocator *allocator);

/// Which domain of the implicit problem each body is in, pairs/domains.h.
typedef struct eng_cut {
    int levels;   // of halvings; 0: one domain, and no list of bodies
    int *of_body; // [body_count]
    int body_count, body_capacity;
} eng_cut;

#endif
