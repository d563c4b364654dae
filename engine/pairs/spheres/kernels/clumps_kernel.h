// SPDX-License-Identifier: Apache-2.0
// Motion of clumps, one in each lane: forces of their members, the step of a rigid body with three
// moments of inertia, places of the members at the midpoint of the coming step.
//
// The scheme is RIG_IMP, theory.md section 1, as the general passes do it. A part of the kernels.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_CLUMPS_KERNEL_H
#define CAIRN_ENGINE_PAIRS_SPHERES_CLUMPS_KERNEL_H

#include "contact/laws/kernel.h"
#include "engine/pairs/spheres/clumps.h"
#include "engine/state/rotation.h"

typedef struct quats {
    vec w;
    vec_3 v;
} quats;

/// Rows of rotation matrices.
typedef struct turns {
    vec_3 row[3];
} turns;

/// Clumps of a group; lanes behind the last one have a copy of it, which is not stored.
typedef struct clump_group {
    const eng_spheres_clump *of[LANES];
    int count;   // clumps
    int members; // most of one
    vec_3 x, v, w, inertia, inertia_inverse;
    quats q;
    vec mass_inverse;
} clump_group;

enum { CLUMP_NUMBERS = 20 };

INLINE vec_3 three(const double (*rows)[LANES])
{
    return (vec_3){v_load_any(rows[0]), v_load_any(rows[1]), v_load_any(rows[2])};
}

INLINE void store_three(double (*rows)[LANES], vec_3 a)
{
    v_store(rows[0], a.x);
    v_store(rows[1], a.y);
    v_store(rows[2], a.z);
}

INLINE clump_group load_clumps(const eng_spheres_clump_pass *p, int first, int count)
{
    clump_group g = {.count = count};
    double in[CLUMP_NUMBERS][LANES] __attribute__((aligned(64)));
    for (int l = 0; l < LANES; l++) {
        const eng_spheres_clump *c = &p->clumps[first + (l < count ? l : count - 1)];
        const pose *q = &p->q[c->body];
        const double *v = p->v[c->body];
        const double numbers[CLUMP_NUMBERS] = {q->position.x,
                                               q->position.y,
                                               q->position.z,
                                               q->orientation.w,
                                               q->orientation.x,
                                               q->orientation.y,
                                               q->orientation.z,
                                               v[0],
                                               v[1],
                                               v[2],
                                               v[3],
                                               v[4],
                                               v[5],
                                               c->inertia.x,
                                               c->inertia.y,
                                               c->inertia.z,
                                               c->inertia_inverse.x,
                                               c->inertia_inverse.y,
                                               c->inertia_inverse.z,
                                               c->mass_inverse};
        for (int k = 0; k < CLUMP_NUMBERS; k++)
            in[k][l] = numbers[k];
        g.of[l] = c;
        g.members = c->count > g.members ? c->count : g.members;
    }
    const double(*rows)[LANES] = (const double(*)[LANES])in;
    g.x = three(rows);
    g.q = (quats){v_load(rows[3]), three(rows + 4)};
    g.v = three(rows + 7);
    g.w = three(rows + 10);
    g.inertia = three(rows + 13);
    g.inertia_inverse = three(rows + 16);
    g.mass_inverse = v_load(rows[19]);
    return g;
}

INLINE void store_clumps(const eng_spheres_clump_pass *p, const clump_group *g)
{
    double out[13][LANES] __attribute__((aligned(64)));
    store_three(out, g->x);
    v_store(out[3], g->q.w);
    store_three(out + 4, g->q.v);
    store_three(out + 7, g->v);
    store_three(out + 10, g->w);
    for (int l = 0; l < g->count; l++) {
        int body = g->of[l]->body;
        p->q[body] =
            (pose){{out[0][l], out[1][l], out[2][l]}, {out[3][l], out[4][l], out[5][l], out[6][l]}};
        for (int k = 0; k < 6; k++)
            p->v[body][k] = out[7 + k][l];
    }
}

// ---------------------------------------------------------------- rotations

INLINE vec_3 by_parts(vec_3 a, vec_3 b)
{
    return (vec_3){v_mul(a.x, b.x), v_mul(a.y, b.y), v_mul(a.z, b.z)};
}

INLINE vec_3 difference(vec_3 a, vec_3 b)
{
    return (vec_3){v_sub(a.x, b.x), v_sub(a.y, b.y), v_sub(a.z, b.z)};
}

INLINE vec_3 sum_of(vec_3 a, vec_3 b)
{
    return (vec_3){v_add(a.x, b.x), v_add(a.y, b.y), v_add(a.z, b.z)};
}

/// exp(time w) as quaternions.
INLINE quats turn_of(double time, vec_3 w)
{
    vec_3 half = scaled(v_set(0.5 * time), w);
    vec sine, cosine;
    half_turn(lane_dot(half, half), &sine, &cosine);
    return (quats){cosine, scaled(sine, half)};
}

/// exp(-time w) p
INLINE vec_3 turn_lanes_back(double time, vec_3 w, vec_3 p)
{
    quats q = turn_of(time, w);
    vec_3 t = cross(q.v, p);
    t = sum_of(t, t);
    return sum_of(less_scaled(p, q.w, t), cross(q.v, t));
}

/// a b, with one Newton step towards unit length.
INLINE quats unit_product(quats a, quats b)
{
    quats q = {v_sub(v_mul(a.w, b.w), lane_dot(a.v, b.v)),
               sum_of(lane_add_scaled(scaled(a.w, b.v), b.w, a.v), cross(a.v, b.v))};
    vec unit = v_fnma(v_set(0.5), v_fma(q.w, q.w, lane_dot(q.v, q.v)), v_set(1.5));
    return (quats){v_mul(unit, q.w), scaled(unit, q.v)};
}

INLINE turns turns_of(quats q)
{
    vec_3 v = q.v, d = sum_of(v, v);
    vec one = v_set(1.0), wx = v_mul(q.w, d.x), wy = v_mul(q.w, d.y), wz = v_mul(q.w, d.z);
    vec xx = v_mul(v.x, d.x), yy = v_mul(v.y, d.y), zz = v_mul(v.z, d.z);
    vec xy = v_mul(v.x, d.y), xz = v_mul(v.x, d.z), yz = v_mul(v.y, d.z);
    return (turns){{{v_sub(one, v_add(yy, zz)), v_sub(xy, wz), v_add(xz, wy)},
                    {v_add(xy, wz), v_sub(one, v_add(xx, zz)), v_sub(yz, wx)},
                    {v_sub(xz, wy), v_add(yz, wx), v_sub(one, v_add(xx, yy))}}};
}

INLINE vec_3 to_world(const turns *r, vec_3 p)
{
    return (vec_3){lane_dot(r->row[0], p), lane_dot(r->row[1], p), lane_dot(r->row[2], p)};
}

INLINE vec_3 to_body(const turns *r, vec_3 p)
{
    return lane_add_scaled(lane_add_scaled(scaled(p.x, r->row[0]), p.y, r->row[1]), p.z, r->row[2]);
}

// ---------------------------------------------------------------- forces

/// Collider of member k of each lane's clump, -1 for none.
INLINE void members_of(const clump_group *g, int k, int collider[LANES])
{
    for (int l = 0; l < LANES; l++)
        collider[l] = k < g->of[l]->count ? g->of[l]->first + k : -1;
}

/// From the centres of the clumps to their members, world axes; m.
INLINE vec_3 arms_of(const eng_spheres_clump_pass *p, const int collider[LANES], const turns *r)
{
    double offset[3][LANES] __attribute__((aligned(64)));
    for (int l = 0; l < LANES; l++) {
        vec3 o = collider[l] >= 0 ? p->members[collider[l]].offset : (vec3){0.0, 0.0, 0.0};
        offset[0][l] = o.x;
        offset[1][l] = o.y;
        offset[2][l] = o.z;
    }
    return to_world(r, three((const double(*)[LANES])offset));
}

/// Forces, and their moments about the centres, in the order of members.
INLINE void add_members(const eng_spheres_clump_pass *p, const clump_group *g, const turns *r,
                        vec_3 *force, vec_3 *torque)
{
    static const double none[8] __attribute__((aligned(64))) = {0.0};
    vec zero = v_set(0.0);
    *force = *torque = (vec_3){zero, zero, zero};
    for (int k = 0; k < g->members; k++) {
        int collider[LANES];
        const double *rows[LANES];
        vec s[8];
        members_of(g, k, collider);
        for (int l = 0; l < LANES; l++)
            rows[l] = collider[l] >= 0 ? p->pass->sums[p->members[collider[l]].slot] : none;
        load_rows(rows, s);
        vec_3 own = {s[0], s[1], s[2]}, moment = {s[3], s[4], s[5]};
        *force = sum_of(*force, own);
        *torque = sum_of(*torque, sum_of(moment, cross(arms_of(p, collider, r), own)));
    }
}

// ---------------------------------------------------------------- motion

/// One step of Newton's method for exp(time w) J w = momentum; the derivative is inverted to second
/// order in time.
INLINE vec_3 improve_spin(const clump_group *g, double time, vec_3 momentum, vec_3 w)
{
    vec_3 own = by_parts(g->inertia, w);
    vec_3 rest = difference(turn_lanes_back(time, w, momentum), own);
    vec_3 first = by_parts(g->inertia_inverse, rest);
    vec_3 turned = cross(scaled(v_set(time), own), first);
    return sum_of(w, by_parts(g->inertia_inverse, sum_of(rest, turned)));
}

/// Lanes that turn too far in a step for that.
static __attribute__((noinline)) void solve_spins(const clump_group *g, unsigned lanes, double step,
                                                  vec_3 before, vec_3 impulse, vec_3 *spin)
{
    double in[4][3][LANES] __attribute__((aligned(64)));
    store_three(in[0], before);
    store_three(in[1], impulse);
    store_three(in[2], g->inertia);
    store_three(in[3], *spin);
    for (; lanes != 0; lanes &= lanes - 1) {
        int l = __builtin_ctz(lanes);
        vec3 a[3];
        for (int i = 0; i < 3; i++)
            a[i] = vec3_make(in[i][0][l], in[i][1][l], in[i][2][l]);
        vec3 w = eng_rotation_end(CAIRN_RIG_IMP, a[2], a[0], a[0], a[1], step);
        in[3][0][l] = w.x;
        in[3][1][l] = w.y;
        in[3][2][l] = w.z;
    }
    *spin = three((const double(*)[LANES])in[3]);
}

/// Angular velocities at the end of the step. @param impulse  N m s, axes of the midpoint
INLINE vec_3 end_spins(const clump_group *g, double step, vec_3 impulse)
{
    double half = 0.5 * step;
    vec_3 momentum = sum_of(turn_lanes_back(half, g->w, by_parts(g->inertia, g->w)), impulse);
    vec_3 w = by_parts(g->inertia_inverse, turn_lanes_back(half, g->w, momentum));
    w = improve_spin(g, half, momentum, improve_spin(g, half, momentum, w));
    vec_3 rest = difference(turn_lanes_back(half, w, momentum), by_parts(g->inertia, w));
    mask open = m_less(v_mul(v_set(1e-28), lane_dot(momentum, momentum)), lane_dot(rest, rest));
    if (__builtin_expect(m_any(open), 0))
        solve_spins(g, m_bits(open), step, g->w, impulse, &w);
    return w;
}

/// Members where the midpoint of the coming step has them, and how far they got.
INLINE void place_members(const eng_spheres_clump_pass *p, const clump_group *g, vec_3 centre,
                          const turns *r)
{
    double spare[LANES][16] __attribute__((aligned(64))) = {{0.0}};
    double radius[LANES] __attribute__((aligned(64))), way[LANES] __attribute__((aligned(64)));
    vec_3 spin = to_world(r, g->w);
    for (int k = 0; k < g->members; k++) {
        int collider[LANES];
        double *X[LANES], *V[LANES];
        members_of(g, k, collider);
        for (int l = 0; l < LANES; l++) {
            bool used = l < g->count && collider[l] >= 0;
            int slot = used ? p->members[collider[l]].slot : 0;
            V[l] = used ? p->pass->V[slot] : spare[l];
            X[l] = used ? p->pass->X[slot] : spare[l] + 8;
            radius[l] = used ? p->pass->constants[slot][3] : 0.0;
        }
        vec_3 arm = arms_of(p, collider, r), at = sum_of(centre, arm);
        vec_3 velocity = sum_of(g->v, cross(spin, arm)), edge = scaled(v_load(radius), spin);
        vec before[4];
        load_places((const double *const *)X, before);
        vec_3 moved = difference(at, (vec_3){before[0], before[1], before[2]});
        v_store(way, lane_dot(moved, moved));
        store_places(X, (const vec[4]){at.x, at.y, at.z, spin.z});
        store_rows(V, (const vec[8]){velocity.x, velocity.y, velocity.z, edge.x, edge.y, edge.z,
                                     spin.x, spin.y});
        for (int l = 0; l < g->count; l++)
            if (collider[l] >= 0)
                p->ways[p->members[collider[l]].slot] = way[l];
    }
}

static void move_clumps(const eng_spheres_clump_pass *p, int first, int count)
{
    double step = p->pass->step, half = 0.5 * step;
    const double *gravity = p->pass->gravity;
    clump_group g = load_clumps(p, first, count);
    vec_3 force, torque;
    vec_3 middle = lane_add_scaled(g.x, v_set(half), g.v);
    quats q = unit_product(g.q, turn_of(half, g.w));
    turns r = turns_of(q);
    add_members(p, &g, &r, &force, &torque);
    vec_3 falling = {v_set(gravity[0]), v_set(gravity[1]), v_set(gravity[2])};
    g.v = lane_add_scaled(sum_of(g.v, falling), v_mul(v_set(step), g.mass_inverse), force);
    g.w = end_spins(&g, step, scaled(v_set(step), to_body(&r, torque)));
    quats turn = turn_of(half, g.w);
    g.x = lane_add_scaled(middle, v_set(half), g.v);
    g.q = unit_product(q, turn);
    store_clumps(p, &g);
    r = turns_of(unit_product(g.q, turn));
    place_members(p, &g, lane_add_scaled(g.x, v_set(half), g.v), &r);
}

static void lane_clumps(const eng_spheres_clump_pass *p, int begin, int end)
{
    for (int first = begin; first < end; first += LANES)
        move_clumps(p, first, end - first < LANES ? end - first : LANES);
}

#endif
