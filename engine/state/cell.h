// SPDX-License-Identifier: Apache-2.0
// The periodic cell: lattice vectors, and the images of points and bodies.
//
// Bodies keep the positions to which they move, whatever cell that is in. A body smaller than half
// a cell touches another through one image at the most, the nearest one, so that a pair needs no
// memory of its image: the shift between two bodies, or between a contact and a body, is the
// lattice vector next to their distance.
#ifndef CAIRN_ENGINE_STATE_CELL_H
#define CAIRN_ENGINE_STATE_CELL_H

#include "base/vec.h"

#include <math.h>
#include <stdbool.h>

/// What drives a side to a stress while contacts are rigid, drive.h; numbers of a servo.
typedef struct eng_cell_drive {
    double speed;    // 1/s, greatest rate; 0: nothing drives the side
    double stress;   // Pa, compression is positive
    double mass;     // kg, of the grains; 0: nothing has driven it yet
    double velocity; // m/s, at which the side grows
} eng_cell_drive;

enum { ENG_CELL_DRIVE_NUMBERS = (int)(sizeof(eng_cell_drive) / sizeof(double)) };

typedef struct eng_cell {
    bool any;         // false: space is open, and nothing else holds
    bool periodic[3]; // along the lattice vectors
    bool watched;     // a servo asks for the stress in every step
    bool reduced;     // other lattice vectors were taken for the step at hand
    vec3 low;         // m, corner of the cell
    mat3 now;         // m, columns: lattice vectors; of an open direction, what was its side
    mat3 middle;      // m, in the midpoint configuration of the last step, or of the one at hand
    mat3 inverse;     // 1/m, of `middle`
    mat3 listed;      // m, `middle` when the list of pairs was made
    mat3 unfolded;    // m, the sides of the definition, strained and never replaced by shorter ones
    mat3 gradient;    // 1/s, of the velocity: an image at a shift s moves by gradient s
    eng_cell_drive *drive[3]; // of the sides, borrowed from servos; NULL: none has a stress servo
} eng_cell;

/// Parts of the stress of the periodic cell times its volume: xx, yy, zz, xy, xz, yz.
typedef struct eng_cell_stress {
    double contacts[6]; // J: forces times branches
    double motion[6];   // J: masses times squares of velocities beside that of the strain
    vec3 momentum;      // kg m/s, of these velocities
    double mass;        // kg
    bool others;        // forces act on what is not dynamic
} eng_cell_stress;

/// A proxy of the broad phase: a collider moved by lattice vectors.
typedef struct eng_image {
    int source; // place among the listed colliders
    int n[3];   // how often it is moved by each lattice vector
} eng_image;

static inline vec3 eng_cell_vector(const mat3 *lattice, const double n[3])
{
    return mat3_apply(lattice, vec3_make(n[0], n[1], n[2]));
}

/// The lattice vector next to an offset, in the midpoint configuration.
static inline vec3 eng_cell_shift(const eng_cell *cell, vec3 offset)
{
    vec3 part = mat3_apply(&cell->inverse, offset);
    double n[3];
    for (int k = 0; k < 3; k++)
        n[k] = cell->periodic[k] ? rint(vec3_get(part, k)) : 0.0;
    return eng_cell_vector(&cell->middle, n);
}

#endif
