// SPDX-License-Identifier: Apache-2.0
// Sums of which coarse-grained fields are made, and averages of them over time.
#ifndef CAIRN_ENGINE_GRAINS_COARSE_H
#define CAIRN_ENGINE_GRAINS_COARSE_H

#include "base/memory.h"
#include <cairn/grains.h>

enum {
    ENG_COARSE_SUMS = 25,  // numbers of a cell that are sums over grains and contacts
    ENG_COARSE_FIELDS = 26 // with those that follow from them
};

size_t eng_coarse_cells(const cairn_grid *grid);

/// Fields in one array, one after the other: sums first, ENG_COARSE_FIELDS numbers a cell.
cairn_coarse_fields eng_coarse_in(double *values, const cairn_grid *grid);

/// Sums alone: of the kinetic stress with whole velocities, and no temperature.
/// @param fields  zeros, the sums all there
/// @param arena   where scratch comes from; NULL: the world's allocator
cairn_status eng_coarse_sum(const cairn_world *world, const cairn_grid *grid,
                            const cairn_coarse_fields *fields, base_arena *arena,
                            cairn_error *error) CAIRN_CHECK_RESULT;

/// What follows from sums, or from means of them over time: the mean velocity's part goes from the
/// kinetic stress, and there is a temperature.
void eng_coarse_finish(const cairn_coarse_fields *fields, size_t cells);

/// Adds an average whose `context` it owns then, with any number of columns; released on failure.
cairn_status eng_average_add(cairn_world *world, const cairn_average_def *def, void *owned,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// The grid of an average of fields; NULL: it is none.
const cairn_grid *eng_average_grid(const cairn_world *world, int index);

#endif
