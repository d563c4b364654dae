// SPDX-License-Identifier: Apache-2.0
// Shares of a kernel in the cells of a grid: of points, and means along straight lines.
//
// A kernel is the product of one and the same function along x, y and z, so that what a cell has of
// it is the product of three differences of that function's integral: shares are exact, those of
// neighbours use one number for the face that they have in common, and all shares sum to one to
// round-off whatever the cells. A line is a few points, of Gauss's rule.
//
// Eight cells, two along each axis, are a block. Pairs of a source and a block are sorted by
// blocks: sums stay in registers until the block's last source.
#ifndef CAIRN_ENGINE_GRAINS_SMEAR_H
#define CAIRN_ENGINE_GRAINS_SMEAR_H

#include "base/vec.h"
#include "engine/pairs/spheres/spheres.h"

#include <cairn/grains.h>

enum {
    ENG_SMEAR_AMOUNTS = 9, // numbers of a source that are smeared out, without a mass
    ENG_SMEAR_FEW = 4,     // points of a short line
    ENG_SMEAR_NODES = 8,   // points of any other
    ENG_SMEAR_STEPS = 64   // of the table of the Gaussian kernel, in a width
};

typedef enum eng_smear_kind {
    ENG_SMEAR_GRAINS,   // mass; momentum; momentum flux: xx, yy, zz, xy, xz, yz
    ENG_SMEAR_BRANCHES, // tensor
    ENG_SMEAR_BOUNDARY  // vector
} eng_smear_kind;

enum { ENG_SMEAR_KINDS = ENG_SMEAR_BOUNDARY + 1 };

/// Lengths in widths of the kernel, places from the corner of the grid.
typedef struct eng_smear_source {
    double place[3]; // of a branch: where it begins
    double along[3]; // of a branch: unit vector
    union {
        double length; // of a branch
        double mass;   // of a grain, kg/m3 if it were in one cell
    };
    double amount[ENG_SMEAR_AMOUNTS]; // over the volume of a cell
} eng_smear_source;

/// A kernel along one axis, and Gauss's points of lines: a few of short ones, else all.
typedef struct eng_smear_kernel {
    cairn_kernel kind;
    double reach;            // widths
    double longest, shorter; // line, and line of few points, in widths
    double place[2][ENG_SMEAR_NODES], weight[2][ENG_SMEAR_NODES]; // of few and of all, in 0 .. 1
    // share beyond x = i / STEPS, and the kernel there, of the Gaussian one
    double beyond[8 * ENG_SMEAR_STEPS], density[8 * ENG_SMEAR_STEPS];
} eng_smear_kernel;

void eng_smear_kernel_init(eng_smear_kernel *kernel, cairn_kernel kind);

/// Blocks that a source may reach: from the first cell of the first one on, every second cell along
/// x, y and z; no count is above 0 along an axis where it reaches none.
typedef struct eng_smear_extent {
    int first[3], count[3];
} eng_smear_extent;

/// Shares of a source along each axis: those of all points in one cell after the other.
typedef struct eng_smear_shares {
    int64_t at[3]; // into the pool, where the first cell of the grid would be
    int nodes;
} eng_smear_shares;

/// Pairs of sources and blocks, and where their sums go. A block has the number of its first cell,
/// which counts x first, then y, then z.
typedef struct eng_smear_work {
    eng_smear_kind kind;
    const eng_smear_kernel *kernel;
    int cells[3];
    double spacing[3]; // widths
    const eng_smear_source *sources;
    const eng_smear_extent *extents;
    eng_smear_shares *shares;
    double *pool;
    const int *order; // sources, those of one block after the other
    const int *start; // into `order`: of the blocks from `first_block` on, and the end of the last
    int first_block, end_block;
    const cairn_coarse_fields *fields;
} eng_smear_work;

/// Of `count` sources.
void eng_smear_extents(const eng_smear_work *work, int count, eng_smear_extent extents[]);

/// Sets where the shares of a source are, from `used` on in the pool. @return where they end
int64_t eng_smear_place(const eng_smear_work *work, int source, int64_t used);

/// A grid as the lines of contacts need it.
typedef struct eng_smear_grid {
    double per_width;      // 1/m
    double first[3];       // m, the corner
    double per_spacing[3]; // spacings in a width
    double factor;         // of the amounts, 1/m2
    double reach;          // widths
    int cells[3];
} eng_smear_grid;

/// Makes the sources of the lanes that are bits, one after the other, and their extents.
typedef void eng_smear_lines_function(const eng_smear_grid *grid, const eng_spheres_lines *lines,
                                      unsigned bits, eng_smear_source sources[],
                                      eng_smear_extent extents[]);
eng_smear_lines_function *eng_smear_choose_lines(void);

/// Works the shares of sources out, as eng_smear_place placed them.
typedef void eng_smear_shares_function(const eng_smear_work *work, int begin, int end);
eng_smear_shares_function *eng_smear_choose_shares(void);

/// Adds the sources of all blocks of a row along x to the fields. Blocks of rows that are not next
/// to each other share no cells. The function depends on the vectors that there are and may be
/// used; all give the same bits.
typedef void eng_smear_row_function(const eng_smear_work *work, int row);
eng_smear_row_function *eng_smear_choose(void);

#endif
