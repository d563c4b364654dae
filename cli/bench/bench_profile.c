// SPDX-License-Identifier: Apache-2.0
// Performance profiles (Dolan & More 2002) and duels of solvers.
#include "cli/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// times below the clock's resolution do not make ratios
static const double shortest_time = 1e-6; // s

static double time_of(const bench_result *result)
{
    return fmax(result->seconds, shortest_time);
}

/// Last result of every solver on every file, [file][solver]; -1 where there is none.
static int *make_matrix(const bench_table *table)
{
    size_t size = (size_t)table->file_count * (size_t)table->solver_count;
    int *matrix = base_allocate(&table->allocator, size + 1, sizeof *matrix);
    if (matrix == NULL)
        return NULL;
    for (size_t i = 0; i < size; i++)
        matrix[i] = -1;
    for (int i = 0; i < table->result_count; i++)
        matrix[(size_t)table->results[i].file * (size_t)table->solver_count +
               (size_t)table->results[i].solver] = i;
    return matrix;
}

static const bench_result *result_of(const bench_table *table, const int *matrix, int file,
                                     int solver)
{
    int index = matrix[(size_t)file * (size_t)table->solver_count + (size_t)solver];
    return index < 0 ? NULL : &table->results[index];
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *sorted, int count)
{
    if (count == 0)
        return NAN;
    return count % 2 == 1 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

// ---------------------------------------------------------------- curves

/// Ratios of one file into the curves. @return false when no solver solved it
static bool add_file(const bench_table *table, const int *matrix, int file, bench_profile *profile)
{
    double best = INFINITY;
    for (int s = 0; s < table->solver_count; s++) {
        const bench_result *result = result_of(table, matrix, file, s);
        if (result != NULL && result->success)
            best = fmin(best, time_of(result));
    }
    for (int s = 0; s < table->solver_count; s++) {
        const bench_result *result = result_of(table, matrix, file, s);
        bench_curve *curve = &profile->curves[s];
        if (result == NULL)
            continue;
        curve->tried++;
        if (!result->success)
            continue;
        curve->fastest += time_of(result) == best;
        curve->ratio[curve->solved++] = time_of(result) / best;
    }
    return isfinite(best);
}

static void finish_curves(bench_profile *profile)
{
    double worst = 1.0;
    for (int c = 0; c < profile->curve_count; c++) {
        bench_curve *curve = &profile->curves[c];
        qsort(curve->ratio, (size_t)curve->solved, sizeof *curve->ratio, compare_numbers);
        curve->median_ratio = median(curve->ratio, curve->solved);
        curve->worst_ratio = curve->solved > 0 ? curve->ratio[curve->solved - 1] : NAN;
        if (curve->solved > 0)
            worst = fmax(worst, curve->worst_ratio);
    }
    profile->tau_max = pow(10.0, fmin(6.0, fmax(3.0, ceil(log10(worst)))));
    for (int c = 0; c < profile->curve_count; c++) {
        bench_curve *curve = &profile->curves[c];
        // every problem solved adds a strip from its ratio to the right end
        for (int i = 0; i < curve->solved; i++)
            curve->area += fmax(0.0, 1.0 - log(curve->ratio[i]) / log(profile->tau_max));
        curve->area /= profile->problems > 0 ? profile->problems : 1;
    }
}

static int compare_curves(const void *a, const void *b)
{
    const bench_curve *x = a, *y = b;
    if (x->area != y->area)
        return x->area < y->area ? 1 : -1;
    return x->solved != y->solved ? y->solved - x->solved : x->solver - y->solver;
}

/// True for a file with results of one side.
static bool is_tried(const bench_table *table, const int *matrix, int file, bool external)
{
    for (int s = 0; s < table->solver_count; s++)
        if (table->solvers[s].external == external && result_of(table, matrix, file, s) != NULL)
            return true;
    return false;
}

static bool has_external_solvers(const bench_table *table)
{
    for (int s = 0; s < table->solver_count; s++)
        if (table->solvers[s].external)
            return true;
    return false;
}

cairn_status bench_profile_create(bench_table *table, bench_profile *profile)
{
    size_t files = (size_t)table->file_count, solvers = (size_t)table->solver_count;
    *profile = (bench_profile){.curve_count = table->solver_count};
    int *matrix = make_matrix(table);
    profile->curves = base_allocate(&table->allocator, solvers + 1, sizeof *profile->curves);
    profile->ratios = base_allocate(&table->allocator, files * solvers + 1, sizeof(double));
    if (matrix == NULL || profile->curves == NULL || profile->ratios == NULL) {
        base_release(&table->allocator, matrix);
        bench_profile_release(table, profile);
        return CAIRN_ERROR_MEMORY;
    }
    for (size_t s = 0; s < solvers; s++)
        profile->curves[s] = (bench_curve){.solver = (int)s, .ratio = profile->ratios + s * files};

    // add files
    bool external = has_external_solvers(table);
    for (int f = 0; f < table->file_count; f++) {
        bool own = is_tried(table, matrix, f, false);
        if (own && (!external || is_tried(table, matrix, f, true))) {
            profile->problems++;
            profile->unsolved += !add_file(table, matrix, f, profile);
        } else {
            profile->left_out += own;
        }
    }

    base_release(&table->allocator, matrix);
    finish_curves(profile);
    qsort(profile->curves, solvers, sizeof *profile->curves, compare_curves);
    return CAIRN_OK;
}

void bench_profile_release(const bench_table *table, bench_profile *profile)
{
    base_release(&table->allocator, profile->curves);
    base_release(&table->allocator, profile->ratios);
    *profile = (bench_profile){0};
}

double bench_profile_value(const bench_profile *profile, const bench_curve *curve, double tau)
{
    int count = 0;
    while (count < curve->solved && curve->ratio[count] <= tau)
        count++;
    return profile->problems > 0 ? (double)count / profile->problems : 0.0;
}

// ---------------------------------------------------------------- duels

static double best_external(const bench_table *table, const int *matrix, int file)
{
    double best = INFINITY;
    for (int s = 0; s < table->solver_count; s++) {
        const bench_result *result = result_of(table, matrix, file, s);
        if (table->solvers[s].external && result != NULL && result->success)
            best = fmin(best, time_of(result));
    }
    return best;
}

static void add_round(const bench_result *own, double best, double *ratios, bench_duel *duel)
{
    if (own->success != isfinite(best)) {
        duel->alone += own->success;
        duel->other += !own->success;
        return;
    }
    if (!own->success)
        return;
    double ratio = best / time_of(own);
    duel->faster += ratio >= 1.0;
    if (duel->both == 0 || ratio < duel->worst) {
        duel->worst = ratio;
        duel->worst_file = own->file;
    }
    ratios[duel->both++] = ratio;
}

cairn_status bench_duel_compute(const bench_table *table, int solver, bench_duel *duel)
{
    *duel = (bench_duel){.median = NAN, .worst = NAN, .worst_file = -1};
    int *matrix = make_matrix(table);
    double *ratios =
        base_allocate(&table->allocator, (size_t)table->file_count + 1, sizeof *ratios);
    cairn_status status = matrix != NULL && ratios != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    for (int f = 0; f < table->file_count && status == CAIRN_OK; f++) {
        const bench_result *own = result_of(table, matrix, f, solver);
        if (own != NULL && is_tried(table, matrix, f, true))
            add_round(own, best_external(table, matrix, f), ratios, duel);
    }
    if (status == CAIRN_OK) {
        qsort(ratios, (size_t)duel->both, sizeof *ratios, compare_numbers);
        duel->median = median(ratios, duel->both);
    }
    base_release(&table->allocator, matrix);
    base_release(&table->allocator, ratios);
    return status;
}
