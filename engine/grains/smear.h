// SPDX-License-Identifier: Apache-2.0
// Sums of a kernel over the points of a grid: values at places, and means along straight lines.
//
// The middles of the cells are the points. Eight of them, two along each axis, are a block, and a
// source is computed at all points of a block at once. Pairs of a source and a block are sorted by
// blocks: sums stay in registers until the block's last source.
#ifndef CAIRN_ENGINE_GRAINS_SMEAR_H
#define CAIRN_ENGINE_GRAINS_SMEAR_H

#include "base/vec.h"
#include "engine/pairs/spheres/spheres.h"

#include <cairn/grains.h>

enum {
    ENG_SMEAR_AMOUNTS = 9, // numbers of a source that are smeared out, without a mass
    ENG_SMEAR_TERMS = 14   // of the Gaussian kernel's mean along a line of at most two widths
};

typedef enum eng_smear_kind {
    ENG_SMEAR_GRAINS,   // mass; momentum; momentum flux: xx, yy, zz, xy, xz, yz
    ENG_SMEAR_BRANCHES, // tensor
    ENG_SMEAR_BOUNDARY  // vector
} eng_smear_kind;

enum { ENG_SMEAR_KINDS = ENG_SMEAR_BOUNDARY + 1 };

/// Lengths in widths of the kernel, places from the middle of the grid's first cell. Of a branch
/// `place` is where it begins for Lucy's kernel, and its middle for the Gaussian one.
typedef struct eng_smear_source {
    double place[3];
    double along[3]; // of a branch: unit vector
    union {
        double length; // of a branch
        double mass;   // of a grain, kg, times the factor of the kernel
    };
    double amount[ENG_SMEAR_AMOUNTS]; // times the factor of the kernel
} eng_smear_source;

/// Pairs of sources and blocks, and where their sums go. A block has the number of its first cell,
/// which counts x first, then y, then z.
typedef struct eng_smear_work {
    eng_smear_kind kind;
    cairn_kernel kernel;
    int cells[3];
    double spacing[3]; // widths
    double reach;      // of the kernel, squared
    const eng_smear_source *sources;
    const double (*terms)[ENG_SMEAR_TERMS]; // of branches under the Gaussian kernel
    const int *order;                       // sources, those of one block after the other
    const int *start;                       // into `order`: of the blocks from `first_block` on,
                                            // and the end of the last one
    int first_block, end_block;
    const cairn_coarse_fields *fields;
} eng_smear_work;

/// Blocks that a source may reach: from the first cell of the first one on, every second cell along
/// x, y and z; no count is above 0 along an axis where it reaches none.
typedef struct eng_smear_extent {
    int first[3], count[3];
} eng_smear_extent;

/// Of `count` sources; `order`, `start` and what follows are not read.
void eng_smear_extents(const eng_smear_work *work, int count, eng_smear_extent extents[]);

/// A grid as the lines of contacts need it, with Lucy's kernel.
typedef struct eng_smear_grid {
    double per_width;      // 1/m
    double first[3];       // m, the middle of the first cell
    double per_spacing[3]; // spacings in a width
    double factor;         // of the amounts
    int cells[3];
} eng_smear_grid;

/// Makes the sources of the lanes that are bits, one after the other, and their extents.
typedef void eng_smear_lines_function(const eng_smear_grid *grid, const eng_spheres_lines *lines,
                                      unsigned bits, eng_smear_source sources[],
                                      eng_smear_extent extents[]);
eng_smear_lines_function *eng_smear_choose_lines(void);

/// Adds the sources of all blocks of a row along x to the fields. Blocks of rows that are not next
/// to each other share no cells. The function depends on the vectors that there are and may be
/// used; all give the same bits.
typedef void eng_smear_row_function(const eng_smear_work *work, int row);
eng_smear_row_function *eng_smear_choose(void);

/// Factor of a kernel at a point, 1/m3, and of its integral along a line, 1/m2.
double eng_smear_point_factor(const cairn_grid *grid);
double eng_smear_line_factor(const cairn_grid *grid);

/// Where a kernel ends, in widths.
double eng_smear_reach(cairn_kernel kernel);

/// Coefficients of the mean of exp(-(u - t)^2 / 2 + t^2 / 2) over |u| <= half, powers of t^2;
/// half <= 1.
void eng_smear_line_terms(double half, double terms[ENG_SMEAR_TERMS]);

#endif
