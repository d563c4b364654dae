// SPDX-License-Identifier: Apache-2.0
// Random problems in body form, dense algebra and scratch files for the tests of problem files.
#ifndef CAIRN_TESTS_CONTACT_FCLIB_FIXTURE_H
#define CAIRN_TESTS_CONTACT_FCLIB_FIXTURE_H

#include "tests/check.h"

#include "base/rng.h"
#include "contact/fclib/fclib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Rows seen as const: ISO C converts no pointer to array by itself.
#define ROWS_OF(rows) ((void *)(rows))

enum { FIXTURE_CONTACTS = 14, FIXTURE_BODIES = 9 };

typedef struct fixture {
    double q[FIXTURE_CONTACTS][3];
    double w[FIXTURE_CONTACTS][3];
    double friction[FIXTURE_CONTACTS];
    int body[FIXTURE_CONTACTS][2];
    double H[FIXTURE_CONTACTS][2][3][6];
    double mass_inverse[FIXTURE_BODIES][6];
    double v_free[FIXTURE_BODIES][6];
    double R[FIXTURE_CONTACTS][3];
    con_problem problem;
    base_arena *arena;
} fixture;

static inline void fixture_contact(fixture *f, base_rng *rng, int c)
{
    // the last body is touched by nobody; every third contact is with the ground
    int a = base_rng_index(rng, FIXTURE_BODIES - 1);
    int b = base_rng_index(rng, FIXTURE_BODIES - 1);
    f->body[c][0] = c % 3 == 0 || a == b ? -1 : a;
    f->body[c][1] = b;
    f->friction[c] = base_rng_range(rng, 0.0, 1.0);
    for (int side = 0; side < 2; side++)
        for (int axis = 0; axis < 3; axis++)
            for (int k = 0; k < 6; k++)
                f->H[c][side][axis][k] = f->body[c][side] < 0 || (k + axis) % 5 == 4
                                             ? 0.0
                                             : base_rng_range(rng, -1.0, 1.0);
    for (int axis = 0; axis < 3; axis++) {
        f->w[c][axis] = base_rng_range(rng, -0.5, 0.5);
        f->q[c][axis] = f->w[c][axis];
        f->R[c][axis] = base_rng_range(rng, -2.0, 2.0);
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < 6 && f->body[c][side] >= 0; k++)
                f->q[c][axis] += f->H[c][side][axis][k] * f->v_free[f->body[c][side]][k];
    }
}

/// @param locked  gives one velocity component of body 2 an infinite mass
static inline fixture *fixture_create(uint64_t seed, bool locked)
{
    fixture *f = calloc(1, sizeof *f);
    base_rng rng = base_rng_make(seed);
    for (int b = 0; b < FIXTURE_BODIES; b++)
        for (int k = 0; k < 6; k++) {
            f->mass_inverse[b][k] = base_rng_range(&rng, 0.1, 3.0);
            f->v_free[b][k] = base_rng_range(&rng, -1.0, 1.0);
        }
    if (locked)
        f->mass_inverse[2][4] = 0.0;
    for (int c = 0; c < FIXTURE_CONTACTS; c++)
        fixture_contact(f, &rng, c);
    f->problem = (con_problem){.contact_count = FIXTURE_CONTACTS,
                               .q = ROWS_OF(f->q),
                               .friction = f->friction,
                               .body_count = FIXTURE_BODIES,
                               .body = ROWS_OF(f->body),
                               .H = ROWS_OF(f->H),
                               .mass_inverse = ROWS_OF(f->mass_inverse),
                               .v_free = ROWS_OF(f->v_free),
                               .w = ROWS_OF(f->w)};
    base_allocator allocator = base_allocator_default();
    f->arena = base_arena_create(&allocator, 1 << 16);
    return f;
}

static inline void fixture_destroy(fixture *f)
{
    base_arena_destroy(f->arena);
    free(f);
}

/// Dense H of the fixture: row 3 c + axis, column 6 b + k.
static inline void fixture_dense_H(const fixture *f, double *out)
{
    int columns = 6 * FIXTURE_BODIES;
    memset(out, 0, sizeof *out * (size_t)(3 * FIXTURE_CONTACTS * columns));
    for (int c = 0; c < FIXTURE_CONTACTS; c++)
        for (int side = 0; side < 2; side++)
            for (int e = 0; e < 18 && f->body[c][side] >= 0; e++)
                out[(3 * c + e / 6) * columns + 6 * f->body[c][side] + e % 6] +=
                    f->H[c][side][e / 6][e % 6];
}

/// Dense W of the fixture, row major.
static inline void fixture_dense_W(const fixture *f, double *out)
{
    enum { ROWS = 3 * FIXTURE_CONTACTS, COLUMNS = 6 * FIXTURE_BODIES };
    double *H = malloc(sizeof *H * ROWS * COLUMNS);
    fixture_dense_H(f, H);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            double sum = 0.0;
            for (int k = 0; k < COLUMNS; k++)
                sum += H[i * COLUMNS + k] * f->mass_inverse[k / 6][k % 6] * H[j * COLUMNS + k];
            out[i * ROWS + j] = sum;
        }
    free(H);
}

/// U = W R + q by dense algebra.
static inline void fixture_velocities(const fixture *f, const double (*R)[3], double (*U)[3])
{
    enum { ROWS = 3 * FIXTURE_CONTACTS };
    double *W = malloc(sizeof *W * ROWS * ROWS);
    fixture_dense_W(f, W);
    for (int i = 0; i < ROWS; i++) {
        double sum = f->q[i / 3][i % 3];
        for (int j = 0; j < ROWS; j++)
            sum += W[i * ROWS + j] * R[j / 3][j % 3];
        U[i / 3][i % 3] = sum;
    }
    free(W);
}

/// A new empty folder; `path` gets its name.
static inline void scratch_folder(char path[64])
{
    snprintf(path, 64, "/tmp/cairn-fclib-XXXXXX");
    assert_non_null(mkdtemp(path));
}

#endif
