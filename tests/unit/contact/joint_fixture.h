// SPDX-License-Identifier: Apache-2.0
// Random mechanisms with contacts for the tests of the contact room.
#ifndef CAIRN_TESTS_CONTACT_JOINT_FIXTURE_H
#define CAIRN_TESTS_CONTACT_JOINT_FIXTURE_H

#include "contact/problem/joints.h"
#include "tests/unit/contact/fixture.h"

/// Joints that own their arrays; borrowed by the problem of a fixture.
typedef struct joint_fixture {
    con_joints joints;
    int *start, (*body)[2];
    double (*G)[2][6], *b, *l;
} joint_fixture;

static inline joint_fixture joint_fixture_create(int joints)
{
    size_t n = (size_t)joints + 1;
    joint_fixture j = {.start = fixture_array(n, sizeof *j.start),
                       .body = fixture_array(n, sizeof *j.body),
                       .G = fixture_array(6 * n, sizeof *j.G),
                       .b = fixture_array(6 * n, sizeof *j.b),
                       .l = fixture_array(6 * n, sizeof *j.l)};
    j.joints = (con_joints){.start = j.start,
                            .body = (const int(*)[2])j.body,
                            .G = (const double(*)[2][6])j.G,
                            .b = j.b};
    return j;
}

static inline void joint_fixture_destroy(joint_fixture *j)
{
    free(j->start);
    free(j->body);
    free(j->G);
    free(j->b);
    free(j->l);
}

static inline int joint_fixture_rows(const joint_fixture *j)
{
    return j->start[j->joints.count];
}

/// Appends a joint: `linear` directions along which the points at the levers move together, then
/// `angular` axes about which the bodies turn together. Axes of bodies are the world's.
static inline void joint_fixture_add(joint_fixture *j, int a, int b, vec3 lever_a, vec3 lever_b,
                                     const vec3 *linear, int linear_count, const vec3 *angular,
                                     int angular_count)
{
    int joint = j->joints.count++, row = j->start[joint];
    vec3 lever[2] = {lever_a, lever_b};
    int body[2] = {a, b};
    for (int k = 0; k < linear_count + angular_count; k++, row++)
        for (int s = 0; s < 2; s++) {
            double sign = s == 0 ? -1.0 : 1.0;
            // garbage where immobile: nobody may read it
            memset(j->G[row][s], 0x7f, sizeof j->G[row][s]);
            if (body[s] < 0)
                continue;
            memset(j->G[row][s], 0, sizeof j->G[row][s]);
            if (k < linear_count)
                vec3_store(j->G[row][s], vec3_scale(sign, linear[k]));
            vec3 turn =
                k < linear_count ? vec3_cross(lever[s], linear[k]) : angular[k - linear_count];
            vec3_store(j->G[row][s] + 3, vec3_scale(sign, turn));
        }
    j->body[joint][0] = a;
    j->body[joint][1] = b;
    j->start[joint + 1] = row;
}

static const vec3 fixture_axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};

static inline void joint_fixture_ball(joint_fixture *j, int a, int b, vec3 lever_a, vec3 lever_b)
{
    joint_fixture_add(j, a, b, lever_a, lever_b, fixture_axes, 3, NULL, 0);
}

static inline void joint_fixture_hinge(joint_fixture *j, int a, int b, vec3 lever_a, vec3 lever_b,
                                       vec3 axis)
{
    vec3 across[2];
    vec3_tangents(axis, &across[0], &across[1]);
    joint_fixture_add(j, a, b, lever_a, lever_b, fixture_axes, 3, across, 2);
}

static inline void joint_fixture_fixed(joint_fixture *j, int a, int b, vec3 lever_a, vec3 lever_b)
{
    joint_fixture_add(j, a, b, lever_a, lever_b, fixture_axes, 3, fixture_axes, 3);
}

/// Ball, hinge, fixed joint, slider or rod, by chance.
static inline void joint_fixture_random(joint_fixture *j, int a, int b, base_rng *rng)
{
    vec3 lever_a = vec3_scale(0.5, fixture_random_direction(rng));
    vec3 lever_b = vec3_scale(0.5, fixture_random_direction(rng));
    vec3 axis = fixture_random_direction(rng), across[2];
    vec3_tangents(axis, &across[0], &across[1]);
    switch (base_rng_index(rng, 5)) {
    case 0:
        joint_fixture_ball(j, a, b, lever_a, lever_b);
        break;
    case 1:
        joint_fixture_hinge(j, a, b, lever_a, lever_b, axis);
        break;
    case 2:
        joint_fixture_fixed(j, a, b, lever_a, lever_b);
        break;
    case 3:
        joint_fixture_add(j, a, b, lever_a, lever_b, across, 2, fixture_axes, 3);
        break;
    default:
        joint_fixture_add(j, a, b, lever_a, lever_b, &axis, 1, NULL, 0);
        break;
    }
}

/// Bodies of random mass in a fixture: moments of inertia of lengths near 1.
static inline void fixture_random_bodies(fixture *f, double ratio, base_rng *rng)
{
    for (int a = 0; a < f->problem.body_count; a++) {
        double mass = pow(ratio, base_rng_range(rng, -0.5, 0.5));
        for (int k = 0; k < 6; k++) {
            f->mass_inverse[a][k] = (k < 3 ? 1.0 : base_rng_range(rng, 1.5, 4.0)) / mass;
            f->v_free[a][k] = base_rng_range(rng, -1.0, 1.0);
        }
    }
}

/// A tree: every body hangs on an earlier one or, seldom, on the world.
static inline joint_fixture joint_fixture_tree(int bodies, base_rng *rng)
{
    joint_fixture j = joint_fixture_create(bodies);
    for (int b = 0; b < bodies; b++) {
        int a = base_rng_index(rng, b + 1) - 1;
        joint_fixture_random(&j, a, b, rng);
    }
    for (int k = 0; k < joint_fixture_rows(&j); k++)
        j.b[k] = base_rng_range(rng, -0.1, 0.1);
    return j;
}

/// Largest |G v - b| of scaled rows over the largest |G v_free - b|, and largest
/// |M (v - v_free) - H^T R - G^T l| over the largest |M (v - v_free)|; long double throughout.
static inline void joint_fixture_check(const fixture *f, const joint_fixture *j,
                                       const double (*R)[3], const double (*v)[6], const double *l,
                                       double tolerance)
{
    int m = f->problem.body_count;
    long double(*impulse)[6] = fixture_array((size_t)m + 1, sizeof *impulse);
    long double most = 0, least = 0, worst = 0, size = 0;
    for (int i = 0; i < f->problem.contact_count && R != NULL; i++)
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 6 && f->body[i][s] >= 0; k++)
                for (int row = 0; row < 3; row++)
                    impulse[f->body[i][s]][k] += (long double)f->H[i][s][row][k] * R[i][row];
    for (int joint = 0; joint < j->joints.count; joint++)
        for (int row = j->start[joint]; row < j->start[joint + 1]; row++) {
            long double now = -j->b[row], before = -j->b[row], diagonal = 0;
            for (int s = 0; s < 2; s++)
                for (int k = 0; k < 6 && j->body[joint][s] >= 0; k++) {
                    int a = j->body[joint][s];
                    now += (long double)j->G[row][s][k] * v[a][k];
                    before += fabsl((long double)j->G[row][s][k] * f->v_free[a][k]);
                    diagonal +=
                        (long double)j->G[row][s][k] * j->G[row][s][k] * f->mass_inverse[a][k];
                    impulse[a][k] += (long double)j->G[row][s][k] * l[row];
                }
            if (diagonal > 0) {
                most = fmaxl(most, fabsl(now) / sqrtl(diagonal));
                least = fmaxl(least, fabsl(before) / sqrtl(diagonal));
            }
        }
    for (int a = 0; a < m; a++)
        for (int k = 0; k < 6; k++) {
            long double change = (long double)v[a][k] - f->v_free[a][k];
            long double unit = sqrtl(f->mass_inverse[a][k]);
            if (unit == 0) {
                assert_true(v[a][k] == f->v_free[a][k]);
                continue;
            }
            worst = fmaxl(worst, fabsl(change / unit - impulse[a][k] * unit));
            size = fmaxl(size, fabsl(f->v_free[a][k] / unit) + fabsl(impulse[a][k] * unit));
        }
    free(impulse);
    check_at_most((double)(most / (least > 0 ? least : 1)), tolerance);
    check_at_most((double)(worst / (size > 0 ? size : 1)), tolerance);
}

/// A cloud with a tree of joints among its bodies. The state at rest satisfies the joints and
/// leaves every contact open, so that a solution exists.
typedef struct mixed {
    fixture f;
    joint_fixture j;
} mixed;

static inline mixed mixed_cloud(int contacts, int bodies, int joints, double mu, uint64_t seed)
{
    base_rng rng = base_rng_make(seed + 1000);
    mixed x = {fixture_cloud(contacts, bodies, mu, seed), joint_fixture_create(2 * joints)};
    for (int k = 0; k < joints; k++) {
        int b = k % bodies, a = base_rng_index(&rng, b + 1) - 1;
        joint_fixture_random(&x.j, a, b, &rng);
    }
    for (int i = 0; i < contacts; i++)
        x.f.w[i][0] = base_rng_range(&rng, 0.01, 0.05);
    fixture_finish(&x.f);
    return x;
}

static inline void mixed_destroy(mixed *x)
{
    fixture_destroy(&x->f);
    joint_fixture_destroy(&x->j);
}

/// What a problem of its own joints is: they are borrowed from where the struct is.
static inline con_problem mixed_problem(const mixed *x)
{
    con_problem problem = x->f.problem;
    problem.joints = &x->j.joints;
    return problem;
}

#endif
