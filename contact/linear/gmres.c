// SPDX-License-Identifier: Apache-2.0
// One cycle of GMRES: Arnoldi's basis by modified Gram-Schmidt, Givens rotations.
#include "contact/linear/gmres.h"

#include "base/elementary.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/// Basis and triangular factor; column j of H has stride steps + 1.
typedef struct krylov {
    size_t count;
    int steps;
    double *basis; // [steps + 1][count]
    double *H;     // [steps][steps + 1]
    double *cosine, *sine, *rhs;
} krylov;

static double dot(const double *a, const double *b, size_t count)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add_scaled(double *a, double factor, const double *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        a[i] += factor * b[i];
}

static bool allocate(krylov *k, base_arena *arena)
{
    size_t steps = (size_t)k->steps;
    k->basis = base_arena_array(arena, double, "gmres", (steps + 1) * k->count);
    k->H = base_arena_array(arena, double, "gmres", steps *(steps + 1));
    k->cosine = base_arena_array(arena, double, "gmres", steps);
    k->sine = base_arena_array(arena, double, "gmres", steps);
    k->rhs = base_arena_array(arena, double, "gmres", steps + 1);
    return k->basis != NULL && k->H != NULL && k->cosine != NULL && k->sine != NULL &&
           k->rhs != NULL;
}

// column j: the new vector against the basis; its norm stays in the last entry
static void orthogonalise(krylov *k, int j)
{
    double *column = k->H + (size_t)j * (size_t)(k->steps + 1);
    double *next = k->basis + (size_t)(j + 1) * k->count;
    for (int i = 0; i <= j; i++) {
        const double *v = k->basis + (size_t)i * k->count;
        column[i] = dot(v, next, k->count);
        add_scaled(next, -column[i], v, k->count);
    }
    column[j + 1] = sqrt(dot(next, next, k->count));
    for (size_t i = 0; i < k->count && column[j + 1] > 0.0; i++)
        next[i] /= column[j + 1];
}

static void rotate(double c, double s, double *a, double *b)
{
    double first = c * *a + s * *b;
    *b = c * *b - s * *a;
    *a = first;
}

// brings column j to triangular form and takes the right side along
static void triangulate(krylov *k, int j)
{
    double *column = k->H + (size_t)j * (size_t)(k->steps + 1);
    for (int i = 0; i < j; i++)
        rotate(k->cosine[i], k->sine[i], &column[i], &column[i + 1]);
    double length = base_hypot(column[j], column[j + 1]);
    k->cosine[j] = length > 0.0 ? column[j] / length : 1.0;
    k->sine[j] = length > 0.0 ? column[j + 1] / length : 0.0;
    rotate(k->cosine[j], k->sine[j], &column[j], &column[j + 1]);
    k->rhs[j + 1] = 0.0;
    rotate(k->cosine[j], k->sine[j], &k->rhs[j], &k->rhs[j + 1]);
}

// x = basis times the solution of the triangle
static void combine(krylov *k, int used, double *x)
{
    for (int j = used - 1; j >= 0; j--) {
        for (int l = j + 1; l < used; l++)
            k->rhs[j] -= k->H[(size_t)l * (size_t)(k->steps + 1) + (size_t)j] * k->rhs[l];
        double diagonal = k->H[(size_t)j * (size_t)(k->steps + 1) + (size_t)j];
        k->rhs[j] = diagonal != 0.0 ? k->rhs[j] / diagonal : 0.0;
        add_scaled(x, k->rhs[j], k->basis + (size_t)j * k->count, k->count);
    }
}

cairn_status con_gmres(con_gmres_apply *apply, void *context, int count, const double *b,
                       double tolerance, int steps, double *x, base_arena *arena)
{
    krylov k = {.count = (size_t)count, .steps = steps};
    memset(x, 0, (size_t)count * sizeof *x);
    double norm = sqrt(dot(b, b, k.count));
    if (!(norm > 0.0) || !isfinite(norm))
        return CAIRN_OK;
    base_arena_mark mark = base_arena_get_mark(arena);
    if (!allocate(&k, arena)) {
        base_arena_rewind(arena, mark);
        return CAIRN_ERROR_MEMORY;
    }
    for (size_t i = 0; i < k.count; i++)
        k.basis[i] = b[i] / norm;
    k.rhs[0] = norm;
    int used = 0;
    while (used < steps && fabs(k.rhs[used]) > tolerance * norm) {
        apply(context, k.basis + (size_t)used * k.count, k.basis + (size_t)(used + 1) * k.count);
        orthogonalise(&k, used);
        triangulate(&k, used);
        used++;
    }
    combine(&k, used, x);
    base_arena_rewind(arena, mark);
    return CAIRN_OK;
}
