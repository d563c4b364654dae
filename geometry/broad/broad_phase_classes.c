// SPDX-License-Identifier: Apache-2.0
// Decides which proxies go through the grid: the range of sizes with the least estimated work.
#include "geometry/broad/broad_phase_internal.h"

#include "base/elementary.h"

// sizes are binned by half powers of two about a typical size; the first and the last bin take all
// beyond, and never go through the grid
enum { BIN_COUNT = 64, BIN_TYPICAL = 32 };

// measured on packed spheres, in units of one test of two boxes
static const double QUERY_COST = 120.0; // of a proxy that asks a hierarchy of 2^16
static const double BUILD_COST = 50.0;  // of a proxy in the hierarchy

/// Sizes of the proxies: number and sum of volumes of each bin.
typedef struct size_table {
    double typical; // m
    double count[BIN_COUNT];
    double volume[BIN_COUNT]; // in units of the typical one's
} size_table;

static double size_of(const geo_fat_proxy *fat)
{
    vec3 extent = vec3_sub(fat->bounds.high, fat->bounds.low);
    double size = extent.x > extent.y ? extent.x : extent.y;
    return extent.z > size ? extent.z : size;
}

static geo_broad_class first_class(const geo_fat_proxy *fat)
{
    double size = size_of(fat);
    double sum =
        vec3_dot(fat->bounds.low, fat->bounds.low) + vec3_dot(fat->bounds.high, fat->bounds.high);
    if (isnan(sum) || isnan(size))
        return GEO_CLASS_NONE;
    bool finite = vec3_is_finite(fat->bounds.low) && vec3_is_finite(fat->bounds.high);
    return finite && isfinite(size) ? GEO_CLASS_GRID : GEO_CLASS_UNBOUNDED;
}

double geo_broad_median(double *values, int count)
{
    for (int i = 1; i < count; i++) {
        double moving = values[i];
        int k = i;
        for (; k > 0 && values[k - 1] > moving; k--)
            values[k] = values[k - 1];
        values[k] = moving;
    }
    return values[count / 2];
}

static double typical_size(const geo_broad_phase *broad, int bounded)
{
    double sample[GEO_BROAD_SAMPLE] = {0};
    int stride = bounded / GEO_BROAD_SAMPLE + 1, count = 0, seen = 0;
    for (int i = 0; i < broad->count; i++)
        if (broad->classes[i] == GEO_CLASS_GRID && seen++ % stride == 0)
            sample[count++] = size_of(&broad->fat[i]);
    return geo_broad_median(sample, count);
}

static double ratio_of(const size_table *table, double size)
{
    if (table->typical > 0.0)
        return fmin(fmax(size / table->typical, 0x1p-40), 0x1p40);
    return size > 0.0 ? 0x1p40 : 1.0;
}

static int bin_of(const size_table *table, double size)
{
    // bins over the exponent and the half of it that the mantissa is in: no logarithm
    int exponent;
    double mantissa = frexp(ratio_of(table, size), &exponent);
    int bin = BIN_TYPICAL + 2 * (exponent - 1) + (mantissa > 0.70710678118654752);
    return bin < 0 ? 0 : bin < BIN_COUNT ? bin : BIN_COUNT - 1;
}

static void fill_table(const geo_broad_phase *broad, int bounded, size_table *table)
{
    *table = (size_table){.typical = typical_size(broad, bounded)};
    for (int i = 0; i < broad->count; i++) {
        if (broad->classes[i] != GEO_CLASS_GRID)
            continue;
        double size = size_of(&broad->fat[i]), ratio = ratio_of(table, size);
        int bin = bin_of(table, size);
        table->count[bin] += 1.0;
        table->volume[bin] += ratio * ratio * ratio;
    }
}

// tests of boxes for a grid over bins [low, high] with the rest in the hierarchy
static double work(const size_table *table, int low, int high)
{
    double inside = 0.0, volume = 0.0, total = 0.0;
    for (int b = 0; b < BIN_COUNT; b++) {
        total += table->count[b];
        inside += b >= low && b <= high ? table->count[b] : 0.0;
        volume += b >= low && b <= high ? table->volume[b] : 0.0;
    }
    double outside = total - inside;
    // a dense packing puts as many into a cell as their mean volume allows; half of 27 cells
    double cell = base_pow(2.0, 1.5 * (high + 1 - BIN_TYPICAL));
    double per_cell = volume > 0.0 ? fmin(inside, cell * inside / volume) : 0.0;
    double depth = base_log_to(outside + 1.0, 2.0) / 16.0;
    return inside * 13.5 * per_cell + outside * BUILD_COST + total * QUERY_COST * depth;
}

static void best_range(const size_table *table, int *low, int *high)
{
    // no bin at all in the grid is the other choice
    double best = work(table, 1, 0);
    *low = 1;
    *high = 0;
    for (int l = 1; l < BIN_COUNT - 1; l++)
        for (int h = l; h < BIN_COUNT - 1 && table->count[l] > 0.0; h++) {
            double cost = table->count[h] > 0.0 ? work(table, l, h) : INFINITY;
            if (cost < best) {
                best = cost;
                *low = l;
                *high = h;
            }
        }
}

void geo_broad_classify(geo_broad_phase *broad)
{
    int bounded = 0;
    for (int i = 0; i < broad->count; i++) {
        broad->classes[i] = (unsigned char)first_class(&broad->fat[i]);
        bounded += broad->classes[i] == GEO_CLASS_GRID;
    }
    if (bounded == 0)
        return;
    size_table table;
    fill_table(broad, bounded, &table);
    int low, high;
    best_range(&table, &low, &high);
    for (int i = 0; i < broad->count; i++) {
        if (broad->classes[i] != GEO_CLASS_GRID)
            continue;
        int bin = bin_of(&table, size_of(&broad->fat[i]));
        if (bin < low || bin > high)
            broad->classes[i] = GEO_CLASS_TREE;
    }
}
