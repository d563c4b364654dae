// SPDX-License-Identifier: Apache-2.0
// Sums of a kernel over the points of a grid: values at places, and means along straight lines.
#ifndef CAIRN_ENGINE_GRAINS_SMEAR_H
#define CAIRN_ENGINE_GRAINS_SMEAR_H

#include "base/vec.h"

#include <cairn/grains.h>

enum {
    ENG_SMEAR_ROOM = 512,  // pairs of a source and a cell that are computed together
    ENG_SMEAR_SOURCES = 64 // of which they are at most
};

/// Pairs of a source and a cell within its reach, lengths in widths of the kernel. Those of a
/// source follow each other, up to its `end`.
typedef struct eng_smear_batch {
    int count, source_count;
    double square[ENG_SMEAR_ROOM];       // distance from where the source, or its line, begins
    double along[ENG_SMEAR_ROOM];        // of a line: place of the foot of the cell from there
    double length[ENG_SMEAR_ROOM];       // of the line
    double value[ENG_SMEAR_ROOM];        // of the kernel without its factor, or of its integral
                                         // along the line
    int cell[ENG_SMEAR_ROOM];            //
    int end[ENG_SMEAR_SOURCES];          // of the pairs of each source
    double scalar[ENG_SMEAR_SOURCES];    // what is smeared out of each source, times the factor of
    double vector[ENG_SMEAR_SOURCES][3]; // the kernel
    double tensor[ENG_SMEAR_SOURCES][9]; //
} eng_smear_batch;

/// Cells [begin, end) of a row along x, whose first one has the number `cell`.
typedef struct eng_smear_row {
    int begin, end, cell;
    double first,
        spacing;   // place of the middle of the first one along x, from where the line begins
    double across; // squared distance of the row from there, across x
    double part;   // of `along` that y and z give
    double slope;  // of `along` with x
    double length; // of the line; 0 for a point
    double reach;  // of the kernel, squared
} eng_smear_row;

/// One build of the sums. All give the same bits.
typedef struct eng_smear_kernels {
    /// Pairs with the cells of a row within reach; the batch has room for all of the row.
    void (*pick)(eng_smear_batch *batch, const eng_smear_row *row);
    /// Values from `square`; the arrays are read and written up to a multiple of eight.
    void (*points[CAIRN_KERNEL_GAUSSIAN + 1])(eng_smear_batch *batch);
    /// And from `square`, `along` and `length`.
    void (*lines[CAIRN_KERNEL_GAUSSIAN + 1])(eng_smear_batch *batch);
    /// field[cell] += value of the pair times the tensor of its source.
    void (*add_tensors)(const eng_smear_batch *batch, double (*field)[9]);
    /// All of it for points: scalars, where there is a field for them, and vectors.
    void (*add_vectors)(const eng_smear_batch *batch, double *scalars, double (*vectors)[3]);
} eng_smear_kernels;

/// Of the longest vectors that there are and may be used.
const eng_smear_kernels *eng_smear_choose(void);

/// Factor of a kernel at a point, 1/m3, and of its integral along a line, 1/m2.
double eng_smear_point_factor(const cairn_grid *grid);
double eng_smear_line_factor(const cairn_grid *grid);

/// Where a kernel ends, in widths.
double eng_smear_reach(cairn_kernel kernel);

#endif
