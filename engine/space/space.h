// SPDX-License-Identifier: Apache-2.0
// Where bodies are: open space or a periodic cell.
#ifndef CAIRN_ENGINE_SPACE_SPACE_H
#define CAIRN_ENGINE_SPACE_SPACE_H

#include "base/vec.h"
#include "engine/state/cell.h"
#include "engine/state/world_state.h"
#include "geometry/broad/broad_phase.h"
#include "geometry/mesh/bounds.h"
#include <cairn/cairn.h>

/// Brings the lattice vectors to the middle of the step.
void eng_cell_begin(cairn_world *world);
/// Those at the middle of a step that begins with `now`; those at the end of the step at hand.
mat3 eng_cell_middle(const eng_cell *cell, const mat3 *now, double step);
mat3 eng_cell_next(const eng_cell *cell);
/// And to its end.
void eng_cell_end(eng_world_state *state);

/// The image of a point that lies in the cell as it is now.
vec3 eng_cell_wrap(const cairn_world *world, vec3 point);

/// A box that images of points are looked for in.
typedef struct eng_window {
    bool repeats[3];        // along these lattice vectors
    mat3 lattice, inverse;  // m, 1/m
    double low[3], high[3]; // of the box, in lattice vectors
    double slant[3];        // 1/m, lattice vectors that a metre is at most
} eng_window;

/// @param lattice  that of the cell at the time of the points; not read in open space
eng_window eng_window_make(const eng_cell *cell, const mat3 *lattice, geo_bounds box);
/// Refuses a box that has so many images of a point, `distance` (m) around it included, that
/// looking at each would not end. Tests: tests/cli/hostile/test_kernels.py
/// @param what  in the message
cairn_status eng_window_check(const eng_window *window, double distance, const char *what,
                              cairn_error *error) CAIRN_CHECK_RESULT;
/// How often each lattice vector may move what is within a distance of a place into the box, from
/// the least to the most; without repetition 0.
void eng_window_images(const eng_window *window, vec3 place, double distance, int from[3],
                       int to[3]);

/// Brings the broad phase's list up to date, through the faces of the cell; a pair is there once,
/// in the order of colliders.
/// @param listed  [world->contacts.broad.listed_count] bounds as the colliders have them
cairn_status eng_space_update(cairn_world *world, const geo_proxy *listed, double skin,
                              bool *rebuilt) CAIRN_CHECK_RESULT;
/// The list: places among the listed colliders, sorted.
/// @return NULL when out of memory
const geo_pair *eng_space_pairs(cairn_world *world, int *count);

/// All pairs of bounds that overlap, images included, with a broad phase of the caller's own. The
/// world's list stays as it is.
/// @param pairs  out, in the arena; sorted
cairn_status eng_space_find_pairs(cairn_world *world, geo_broad_phase *broad,
                                  const geo_proxy *listed, int listed_count, const geo_pair **pairs,
                                  int *count) CAIRN_CHECK_RESULT;

/// Colliders of a row that has got a body, where those of the world are made.
cairn_status eng_colliders_renew(cairn_world *world, int body) CAIRN_CHECK_RESULT;

/// Colliders of a row that loses its body.
void eng_colliders_drop(cairn_world *world, int body);

#endif
