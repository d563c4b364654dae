// SPDX-License-Identifier: Apache-2.0
// Random rigid-body contact problems for the tests of the contact room.
#ifndef CAIRN_TESTS_CONTACT_FIXTURE_H
#define CAIRN_TESTS_CONTACT_FIXTURE_H

#include "base/rng.h"
#include "contact/problem/problem.h"
#include "contact/solvers/solver.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

enum { FIXTURE_BODIES_MAX = 4096, FIXTURE_CONTACTS_MAX = 16384 };

/// A problem that owns its arrays.
typedef struct fixture {
    con_problem problem;
    base_arena *arena;
    double (*q)[3], *friction, (*H)[2][3][6], (*mass_inverse)[6], (*v_free)[6], (*w)[3];
    double (*R)[3], (*U)[3];
    mat3 *W_diagonal;
    int (*body)[2];
} fixture;

static inline void *fixture_array(size_t count, size_t size)
{
    void *block = calloc(count, size);
    assert_non_null(block);
    return block;
}

static inline fixture fixture_create(int contacts, int bodies)
{
    base_allocator allocator = base_allocator_default();
    size_t n = (size_t)contacts + 1, m = (size_t)bodies + 1;
    fixture f = {.arena = base_arena_create(&allocator, 1 << 16)};
    assert_non_null(f.arena);
    f.q = fixture_array(n, sizeof *f.q);
    f.friction = fixture_array(n, sizeof *f.friction);
    f.H = fixture_array(n, sizeof *f.H);
    f.mass_inverse = fixture_array(m, sizeof *f.mass_inverse);
    f.v_free = fixture_array(m, sizeof *f.v_free);
    f.w = fixture_array(n, sizeof *f.w);
    f.R = fixture_array(n, sizeof *f.R);
    f.U = fixture_array(n, sizeof *f.U);
    f.W_diagonal = fixture_array(n, sizeof *f.W_diagonal);
    f.body = fixture_array(n, sizeof *f.body);
    f.problem = (con_problem){
        .contact_count = contacts,
        .q = (const double(*)[3])f.q,
        .friction = f.friction,
        .W_diagonal = f.W_diagonal,
        .body_count = bodies,
        .body = (const int(*)[2])f.body,
        .H = (const double(*)[2][3][6])f.H,
        .mass_inverse = (const double(*)[6])f.mass_inverse,
        .v_free = (const double(*)[6])f.v_free,
        .w = (const double(*)[3])f.w,
    };
    return f;
}

static inline void fixture_destroy(fixture *f)
{
    base_arena_destroy(f->arena);
    free(f->q);
    free(f->friction);
    free(f->H);
    free(f->mass_inverse);
    free(f->v_free);
    free(f->w);
    free(f->R);
    free(f->U);
    free(f->W_diagonal);
    free(f->body);
}

/// Rows (d, r x d) of contact i for one side, axes of the body taken as the world's.
static inline void fixture_set_H(fixture *f, int i, int side, double sign, const vec3 frame[3],
                                 vec3 lever)
{
    for (int row = 0; row < 3; row++) {
        vec3 moment = vec3_cross(lever, frame[row]);
        vec3_store(f->H[i][side][row], vec3_scale(sign, frame[row]));
        vec3_store(f->H[i][side][row] + 3, vec3_scale(sign, moment));
    }
}

/// Joins two bodies (-1: immobile) at a point.
static inline void fixture_set_contact(fixture *f, int i, int a, int b, vec3 normal, vec3 lever_a,
                                       vec3 lever_b, double mu)
{
    vec3 frame[3] = {normal};
    vec3_tangents(normal, &frame[1], &frame[2]);
    f->body[i][0] = a;
    f->body[i][1] = b;
    f->friction[i] = mu;
    // garbage where immobile: nobody may read it
    if (a >= 0)
        fixture_set_H(f, i, 0, -1.0, frame, lever_a);
    else
        memset(f->H[i][0], 0x7f, sizeof f->H[i][0]);
    if (b >= 0)
        fixture_set_H(f, i, 1, 1.0, frame, lever_b);
    else
        memset(f->H[i][1], 0x7f, sizeof f->H[i][1]);
}

/// q and diagonal blocks from the rest.
static inline void fixture_finish(fixture *f)
{
    con_assemble_diagonal(&f->problem, f->W_diagonal);
    con_apply_H(&f->problem, f->problem.v_free, f->problem.w, f->q);
}

/// Wall of `columns` x `rows` bricks of mass about 1 on immobile ground, four contacts a face,
/// falling for one step: redundant (hyperstatic) and heavily coupled.
static inline fixture fixture_wall(int columns, int rows, double mu, uint64_t seed)
{
    base_rng rng = base_rng_make(seed);
    fixture f = fixture_create(4 * columns * rows, columns * rows);
    int contact = 0;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++) {
            int body = row * columns + column, below = row > 0 ? body - columns : -1;
            double mass = base_rng_range(&rng, 0.8, 1.2);
            for (int k = 0; k < 6; k++) {
                f.mass_inverse[body][k] = k < 3 ? 1.0 / mass : 12.0 / (mass * (0.2 + 0.1 * k));
                f.v_free[body][k] = base_rng_range(&rng, -0.02, 0.02) - (k == 2 ? 0.1 : 0.0);
            }
            for (int corner = 0; corner < 4; corner++, contact++) {
                double x = corner & 1 ? 0.5 : -0.5, y = corner & 2 ? 0.25 : -0.25;
                fixture_set_contact(&f, contact, below, body, (vec3){0.0, 0.0, 1.0},
                                    (vec3){x, y, 0.25}, (vec3){x, y, -0.25}, mu);
            }
        }
    fixture_finish(&f);
    return f;
}

static inline vec3 fixture_random_direction(base_rng *rng)
{
    vec3 v = {base_rng_range(rng, -1.0, 1.0), base_rng_range(rng, -1.0, 1.0),
              base_rng_range(rng, -1.0, 1.0)};
    return vec3_normalize_or(v, (vec3){0.0, 0.0, 1.0});
}

/// Contacts between random pairs of random bodies (a fifth of them against immobile ones).
static inline fixture fixture_cloud(int contacts, int bodies, double mu, uint64_t seed)
{
    base_rng rng = base_rng_make(seed);
    fixture f = fixture_create(contacts, bodies);
    for (int a = 0; a < bodies; a++) {
        double mass = base_rng_range(&rng, 0.5, 2.0);
        for (int k = 0; k < 6; k++) {
            f.mass_inverse[a][k] = k < 3 ? 1.0 / mass : base_rng_range(&rng, 1.5, 4.0) / mass;
            f.v_free[a][k] = base_rng_range(&rng, -1.0, 1.0);
        }
    }
    for (int i = 0; i < contacts; i++) {
        int b = base_rng_index(&rng, bodies), a = base_rng_index(&rng, bodies);
        if (a == b || base_rng_index(&rng, 5) == 0)
            a = -1;
        vec3 normal = fixture_random_direction(&rng);
        vec3 lever_a =
            vec3_add_scaled(vec3_scale(0.4, normal), 0.2, fixture_random_direction(&rng));
        vec3 lever_b =
            vec3_add_scaled(vec3_scale(-0.4, normal), 0.2, fixture_random_direction(&rng));
        fixture_set_contact(&f, i, a, b, normal, lever_a, lever_b, mu);
        for (int k = 0; k < 3; k++)
            f.w[i][k] = k == 0 ? base_rng_range(&rng, 0.0, 0.05) : 0.0;
    }
    fixture_finish(&f);
    return f;
}

/// (4.18) by the definition, with W and q dense in long double where `form_W`, else by bodies;
/// shares no code with the library.
static inline double fixture_residual(const fixture *f, const double (*R)[3])
{
    int n = f->problem.contact_count, m = f->problem.body_count;
    long double(*v)[6] = fixture_array((size_t)m + 1, sizeof *v);
    for (int i = 0; i < n; i++)
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 6 && f->body[i][s] >= 0; k++)
                for (int row = 0; row < 3; row++)
                    v[f->body[i][s]][k] += (long double)f->H[i][s][row][k] * R[i][row];
    for (int a = 0; a < m; a++)
        for (int k = 0; k < 6; k++)
            v[a][k] = v[a][k] * f->mass_inverse[a][k] + f->v_free[a][k];
    long double map = 0, q2 = 0, r2 = 0;
    for (int i = 0; i < n; i++) {
        long double U[3];
        for (int row = 0; row < 3; row++) {
            U[row] = f->w[i][row];
            for (int s = 0; s < 2; s++)
                for (int k = 0; k < 6 && f->body[i][s] >= 0; k++)
                    U[row] += f->H[i][s][row][k] * v[f->body[i][s]][k];
        }
        const mat3 *W = &f->problem.W_diagonal[i];
        long double trace = (long double)W->m[0][0] + W->m[1][1] + W->m[2][2], r[3];
        long double root = trace > 0 ? sqrtl(trace / 3) : HUGE_VALL; // rigid ones must be open
        for (int row = 0; row < 3; row++) {
            r[row] = trace > 0 ? root * R[i][row] : 0;
            U[row] /= root;
            r2 += r[row] * r[row];
            q2 += (f->q[i][row] / root) * (f->q[i][row] / root);
        }
        long double mu = f->friction[i];
        long double z[3] = {r[0] - U[0] - mu * sqrtl(U[1] * U[1] + U[2] * U[2]), r[1] - U[1],
                            r[2] - U[2]};
        long double t = sqrtl(z[1] * z[1] + z[2] * z[2]), p[3] = {z[0], z[1], z[2]};
        if (mu * t <= -z[0]) {
            p[0] = p[1] = p[2] = 0;
        } else if (t > mu * z[0]) {
            p[0] = (z[0] + mu * t) / (1 + mu * mu);
            p[1] = mu * p[0] * z[1] / t;
            p[2] = mu * p[0] * z[2] / t;
        }
        for (int row = 0; row < 3; row++)
            map += (r[row] - p[row]) * (r[row] - p[row]);
    }
    free(v);
    return (double)sqrtl(fmaxl(map, 0x1p-104L * r2) / q2);
}

#endif
