// SPDX-License-Identifier: Apache-2.0
// cairn: periodic cells. What leaves the cell through a face comes in through the opposite one, and
// bodies touch through faces. Positions are those to which bodies have moved, in whatever copy of
// the cell that is; cairn_world_wrap takes a point into the cell. Bodies that a joint or a
// connector ties have to lie side by side, not on two sides of the cell.
#ifndef CAIRN_CELL_H
#define CAIRN_CELL_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_cell_def {
    bool periodic[3]; // along x, y, z
    double low[3];    // m, corner
    double size[3];   // m, sides along x, y, z
    double rate[9];   // 1/s, velocity gradient L by rows, dv_i/dx_j; 0 where a direction is open
    uint32_t cookie;
} cairn_cell_def;

/// No direction is periodic; sides of 1 m.
CAIRN_API cairn_cell_def cairn_default_cell_def(void);

/// Before the first step: closes space. An image at a distance s moves by L s against the body
/// itself, and the lattice vectors follow h' = L h: shear (L_xy), compression (L_xx < 0) and any
/// other rate. The work of the strain counts as work of drivers.
/// @return CAIRN_ERROR_ARGUMENT for a cell without a periodic direction, sides that are not
///         positive, a rate along an open direction or of more than a tenth in a step, half-spaces
///         that lean against a periodic direction, or after the first step
CAIRN_API cairn_status cairn_world_set_cell(cairn_world *world, const cairn_cell_def *def,
                                            cairn_error *error) CAIRN_CHECK_RESULT;

/// Between steps: another rate. @param rate  [9] 1/s, as in the definition
CAIRN_API cairn_status cairn_world_set_cell_rate(cairn_world *world, const double rate[9],
                                                 cairn_error *error) CAIRN_CHECK_RESULT;

typedef struct cairn_cell_view {
    bool periodic[3];      // none: space is open, and the rest is 0
    double low[3];         // m
    double sides[3][3];    // m, lattice vectors as they are now: sheared far, they are replaced by
                           // shorter ones of the same lattice
    double unfolded[3][3]; // m, the sides of the definition, strained and never replaced
    double rate[9];        // 1/s
} cairn_cell_view;

CAIRN_API cairn_status cairn_world_get_cell(const cairn_world *world,
                                            cairn_cell_view *view) CAIRN_CHECK_RESULT;

/// The image of a point in the cell as it is now; the point itself where space is open.
CAIRN_API void cairn_world_wrap(const cairn_world *world, const double position[3],
                                double wrapped[3]);

#ifdef __cplusplus
}
#endif

#endif
