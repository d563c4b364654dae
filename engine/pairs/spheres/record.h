// SPDX-License-Identifier: Apache-2.0
// Layout of what a checkpoint keeps of slots and pairs of the sphere executor.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_RECORD_H
#define CAIRN_ENGINE_PAIRS_SPHERES_RECORD_H

/// Bits of a pair.
enum {
    ENG_SPHERES_RECORD_TOUCHES = 1,
    ENG_SPHERES_RECORD_SLIPS = 2,
    ENG_SPHERES_RECORD_ROLLS = 4,
    ENG_SPHERES_RECORD_TWISTS = 8
};

/// Places of a slot's numbers, behind X: V, orientation, position when the list was made, margin.
enum {
    ENG_SPHERES_RECORD_ROW_V = 4,
    ENG_SPHERES_RECORD_ROW_TURN = 12,
    ENG_SPHERES_RECORD_ROW_REFERENCE = 16,
    ENG_SPHERES_RECORD_ROW_MARGIN = 19
};

#endif
