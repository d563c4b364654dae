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

/// Pairs of a source and a cell within its reach, lengths in widths of the kernel.
typedef struct eng_smear_batch {
    int count, source_count;
    double square[ENG_SMEAR_ROOM];       // distance from the source, or from its line
    double from[ENG_SMEAR_ROOM];         // where a line begins, from the foot of the cell
    double to[ENG_SMEAR_ROOM];           // and ends, from <= to
    double value[ENG_SMEAR_ROOM];        // of the kernel without its factor, or of its
                                         // integral along the line
    int cell[ENG_SMEAR_ROOM];            //
    int source[ENG_SMEAR_ROOM];          // number within the batch
    double scalar[ENG_SMEAR_SOURCES];    // what is smeared out of each source, times the
    double vector[ENG_SMEAR_SOURCES][3]; // kernel's factor
    double tensor[ENG_SMEAR_SOURCES][9]; //
} eng_smear_batch;

/// One build of the sums. All give the same bits.
typedef struct eng_smear_kernels {
    /// Values from `square`; the arrays are read and written up to a multiple of eight.
    void (*points[CAIRN_KERNEL_GAUSSIAN + 1])(eng_smear_batch *batch);
    /// And from `square`, `from` and `to`.
    void (*lines[CAIRN_KERNEL_GAUSSIAN + 1])(eng_smear_batch *batch);
    /// field[cell] += value of the pair times the tensor of its source.
    void (*add_tensors)(const eng_smear_batch *batch, double (*field)[9]);
} eng_smear_kernels;

/// Of the longest vectors that there are and may be used.
const eng_smear_kernels *eng_smear_choose(void);

/// Factor of a kernel at a point, 1/m3, and of its integral along a line, 1/m2.
double eng_smear_point_factor(const cairn_grid *grid);
double eng_smear_line_factor(const cairn_grid *grid);

/// Where a kernel ends, in widths.
double eng_smear_reach(cairn_kernel kernel);

#endif
