// SPDX-License-Identifier: Apache-2.0
// Distributions of sizes: each is turned into a table of its shares by number, which is drawn from.
#include <cairn/grains.h>

#include "base/elementary.h"
#include "base/memory.h"

#include <math.h>

// NODES: of the table; TABLE_PARTS: between two points of a sieve curve
enum { NODES = 4096, TABLE_PARTS = 64, POINTS_MAX = 1000 };

struct cairn_sizes {
    int count;
    double *size;  // [count] m, ascending
    double *share; // [count] by number, not larger; 0 to 1
    double mean_volume;
};

/// Density of the shares at a size, up to a factor.
static double density_at(const cairn_size_def *def, double x)
{
    double z;
    switch (def->kind) {
    case CAIRN_SIZE_NORMAL:
        z = (x - def->first) / def->second;
        return base_exp(-0.5 * z * z);
    case CAIRN_SIZE_LOGNORMAL:
        z = base_ln(x / def->first) / def->second;
        return base_exp(-0.5 * z * z) / x;
    case CAIRN_SIZE_WEIBULL:
        z = x / def->first;
        return base_pow(z, def->second - 1.0) * base_exp(-base_pow(z, def->second));
    case CAIRN_SIZE_CONSTANT:
    case CAIRN_SIZE_UNIFORM:
    case CAIRN_SIZE_TABLE:
        break;
    }
    return 1.0;
}

/// The quantiles 0.001 and 0.999 where no range is given.
static void choose_range(const cairn_size_def *def, double *low, double *high)
{
    // of the normal distribution
    const double z = 3.0902323061678132;
    double ends[2] = {def->minimum, def->maximum};
    switch (def->kind) {
    case CAIRN_SIZE_CONSTANT:
        ends[0] = ends[1] = def->first;
        break;
    case CAIRN_SIZE_NORMAL:
        ends[0] = fmax(def->first - z * def->second, 1e-3 * def->first);
        ends[1] = def->first + z * def->second;
        break;
    case CAIRN_SIZE_LOGNORMAL:
        ends[0] = def->first * base_exp(-z * def->second);
        ends[1] = def->first * base_exp(z * def->second);
        break;
    case CAIRN_SIZE_WEIBULL:
        ends[0] = def->first * base_pow(-base_ln(0.999), 1.0 / def->second);
        ends[1] = def->first * base_pow(-base_ln(0.001), 1.0 / def->second);
        break;
    case CAIRN_SIZE_TABLE:
        ends[0] = def->points[0][0];
        ends[1] = def->points[def->point_count - 1][0];
        break;
    case CAIRN_SIZE_UNIFORM:
        break;
    }
    *low = def->minimum > 0.0 ? def->minimum : ends[0];
    *high = def->maximum > 0.0 ? def->maximum : ends[1];
}

static cairn_status check_points(const cairn_size_def *def, cairn_error *error)
{
    if (def->points == NULL || def->point_count < 2 || def->point_count > POINTS_MAX)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a table of sizes has %d points, of 2 to %d that there may be",
                         def->point_count, POINTS_MAX);
    for (int i = 0; i < def->point_count; i++) {
        const double *p = def->points[i], *before = i > 0 ? def->points[i - 1] : NULL;
        if (!(p[0] > 0.0) || !isfinite(p[0]) || !(p[1] >= 0.0 && p[1] <= 1.0) ||
            (before != NULL && !(p[0] > before[0] && p[1] >= before[1])))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "point %d of a table of sizes, {%g, %g}: sizes must be above 0 m and "
                             "ascend, shares must ascend from 0 to 1",
                             i + 1, p[0], p[1]);
    }
    if (def->points[0][1] != 0.0 || def->points[def->point_count - 1][1] != 1.0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the shares of a table of sizes go from %g to %g, and must go from 0 to 1",
                         def->points[0][1], def->points[def->point_count - 1][1]);
    return CAIRN_OK;
}

static cairn_status check(const cairn_size_def *def, cairn_error *error)
{
    static const char *const names[][2] = {
        [CAIRN_SIZE_CONSTANT] = {"size", ""},
        [CAIRN_SIZE_NORMAL] = {"mean", "deviation"},
        [CAIRN_SIZE_LOGNORMAL] = {"median", "deviation"},
        [CAIRN_SIZE_WEIBULL] = {"scale", "shape"},
    };
    if ((int)def->kind < 0 || def->kind > CAIRN_SIZE_TABLE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "distribution of sizes %d does not exist",
                         (int)def->kind);
    bool first = def->kind != CAIRN_SIZE_UNIFORM && def->kind != CAIRN_SIZE_TABLE;
    bool second = first && def->kind != CAIRN_SIZE_CONSTANT;
    if (first && !(def->first > 0.0 && isfinite(def->first)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s of sizes = %g must be above 0 m",
                         names[def->kind][0], def->first);
    if (second && !(def->second > 0.0 && def->second <= 1e6))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s of sizes = %g must be above 0, up to 1e6",
                         names[def->kind][1], def->second);
    if (def->kind == CAIRN_SIZE_TABLE && check_points(def, error) != CAIRN_OK)
        return CAIRN_ERROR_ARGUMENT;
    double low, high;
    choose_range(def, &low, &high);
    if (!(low > 0.0) || !isfinite(high) || !(def->kind == CAIRN_SIZE_CONSTANT || low < high))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "sizes from %g m to %g m: the smallest must be above 0 and below the "
                         "largest",
                         low, high);
    return CAIRN_OK;
}

/// Sizes of the nodes: even, or even between the points of a table.
static void place_nodes(const cairn_size_def *def, cairn_sizes *sizes)
{
    double low, high;
    choose_range(def, &low, &high);
    for (int i = 0; i < sizes->count; i++) {
        double along = (double)i / (sizes->count - 1);
        sizes->size[i] = low + (high - low) * along;
        if (def->kind != CAIRN_SIZE_TABLE)
            continue;
        int part = i / TABLE_PARTS < def->point_count - 1 ? i / TABLE_PARTS : def->point_count - 2;
        const double *a = def->points[part], *b = def->points[part + 1];
        double x = a[0] + (b[0] - a[0]) * (i - part * TABLE_PARTS) / TABLE_PARTS;
        sizes->size[i] = fmin(fmax(x, low), high);
    }
}

/// Shares by number, from densities by number or mass between the nodes; false for none at all.
static bool add_shares(const cairn_size_def *def, cairn_sizes *sizes)
{
    double sum = 0.0, volumes = 0.0;
    for (int i = 1; i < sizes->count; i++) {
        double a = sizes->size[i - 1], b = sizes->size[i], middle = 0.5 * (a + b);
        double density = density_at(def, middle);
        if (def->kind == CAIRN_SIZE_TABLE) {
            int part = (i - 1) / TABLE_PARTS;
            const double *p = def->points[part], *q = def->points[part + 1];
            density = (q[1] - p[1]) / (q[0] - p[0]);
        }
        // mean volume of the sizes from a to b, and the number that makes up a mass of them
        double volume = M_PI / 6.0 * 0.25 * (a + b) * (a * a + b * b);
        double number = density * (b - a) / (def->by_mass ? volume : 1.0);
        sum += number;
        volumes += number * volume;
        sizes->share[i] = sum;
    }
    if (!(sum > 0.0) || !isfinite(sum))
        return false;
    for (int i = 0; i < sizes->count; i++)
        sizes->share[i] /= sum;
    sizes->share[sizes->count - 1] = 1.0;
    sizes->mean_volume = volumes / sum;
    return true;
}

cairn_status cairn_sizes_create(const cairn_size_def *def, cairn_sizes **sizes, cairn_error *error)
{
    if (def == NULL || sizes == NULL)
        return base_fail_null(error, __func__);
    *sizes = NULL;
    BASE_TRY(check(def, error));
    const base_allocator allocator = base_allocator_default();
    cairn_sizes *made = base_allocate(&allocator, 1, sizeof *made);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a distribution of sizes");
    made->count = def->kind == CAIRN_SIZE_CONSTANT ? 1
                  : def->kind == CAIRN_SIZE_TABLE  ? TABLE_PARTS * (def->point_count - 1) + 1
                                                   : NODES;
    made->size = base_allocate(&allocator, (size_t)made->count, sizeof *made->size);
    made->share = base_allocate(&allocator, (size_t)made->count, sizeof *made->share);
    if (made->size == NULL || made->share == NULL) {
        cairn_sizes_destroy(made);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a distribution of sizes");
    }
    if (made->count == 1) {
        made->size[0] = def->first;
        made->share[0] = 1.0;
        made->mean_volume = M_PI / 6.0 * def->first * def->first * def->first;
    } else {
        place_nodes(def, made);
        if (!add_shares(def, made)) {
            double low = made->size[0], high = made->size[made->count - 1];
            cairn_sizes_destroy(made);
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "the distribution has no sizes from %g m to %g m", low, high);
        }
    }
    *sizes = made;
    return CAIRN_OK;
}

void cairn_sizes_destroy(cairn_sizes *sizes)
{
    if (sizes == NULL)
        return;
    const base_allocator allocator = base_allocator_default();
    base_release(&allocator, sizes->size);
    base_release(&allocator, sizes->share);
    base_release(&allocator, sizes);
}

double cairn_sizes_quantile(const cairn_sizes *sizes, double share)
{
    if (sizes == NULL)
        return NAN;
    int low = 0, high = sizes->count - 1;
    if (high == 0 || !(share > 0.0))
        return sizes->size[0];
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(sizes->share[middle] < share ? &low : &high) = middle;
    }
    double a = sizes->share[low], b = sizes->share[high];
    double along = b > a ? fmin((share - a) / (b - a), 1.0) : 1.0;
    return sizes->size[low] + (sizes->size[high] - sizes->size[low]) * along;
}

double cairn_sizes_mean_volume(const cairn_sizes *sizes)
{
    return sizes != NULL ? sizes->mean_volume : NAN;
}
