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

// numbers of a pose and of velocities
enum { POSE_NUMBERS = 7, VELOCITY_NUMBERS = 6 };
_Static_assert(sizeof(pose) == POSE_NUMBERS * sizeof(double), "read as numbers");

/// Clumps of LANES lanes of a group.
typedef struct clump_lanes {
    const eng_spheres_clump_group *of;
    const eng_spheres_member_row *rows; // [of->row_count]
    int first;                          // lane of the group
    vec_3 x, v, w, inertia, inertia_inverse;
    quats q;
    vec mass_inverse;
} clump_lanes;

/// Lanes of the group from `first` on.
INLINE vec_3 from_group(const double (*rows)[ENG_SPHERES_WIDTH], int first)
{
    return (vec_3){v_load(rows[0] + first), v_load(rows[1] + first), v_load(rows[2] + first)};
}

INLINE vec_3 three(const double (*rows)[LANES])
{
    return (vec_3){v_load(rows[0]), v_load(rows[1]), v_load(rows[2])};
}

INLINE void store_three(double (*rows)[LANES], vec_3 a)
{
    v_store(rows[0], a.x);
    v_store(rows[1], a.y);
    v_store(rows[2], a.z);
}

INLINE void load_clumps(const eng_spheres_clump_pass *p, int group, int first, clump_lanes *g)
{
    const eng_spheres_clump_group *of = &p->groups[group];
    const double *q[LANES], *v[LANES];
    vec a[8], b[8];
    for (int l = 0; l < LANES; l++) {
        q[l] = &p->q[of->body[first + l]].position.x;
        v[l] = p->v[of->body[first + l]];
    }
    v_load_short_rows(q, POSE_NUMBERS, a);
    v_load_short_rows(v, VELOCITY_NUMBERS, b);
    g->of = of;
    g->rows = p->rows + of->first_row;
    g->first = first;
    g->x = (vec_3){a[0], a[1], a[2]};
    g->q = (quats){a[3], {a[4], a[5], a[6]}};
    g->v = (vec_3){b[0], b[1], b[2]};
    g->w = (vec_3){b[3], b[4], b[5]};
    g->inertia = from_group(of->inertia, first);
    g->inertia_inverse = from_group(of->inertia_inverse, first);
    g->mass_inverse = v_load(of->mass_inverse + first);
}

INLINE void store_clumps(const eng_spheres_clump_pass *p, const clump_lanes *g)
{
    double *q[LANES], *v[LANES];
    vec zero = v_set(0.0);
    for (int l = 0; l < LANES; l++) {
        q[l] = &p->q[g->of->body[g->first + l]].position.x;
        v[l] = p->v[g->of->body[g->first + l]];
    }
    v_store_short_rows(
        q, POSE_NUMBERS,
        (const vec[8]){g->x.x, g->x.y, g->x.z, g->q.w, g->q.v.x, g->q.v.y, g->q.v.z, zero});
    v_store_short_rows(v, VELOCITY_NUMBERS,
                       (const vec[8]){g->v.x, g->v.y, g->v.z, g->w.x, g->w.y, g->w.z, zero, zero});
}

// ---------------------------------------------------------------- rotations

INLINE vec_3 by_parts(vec_3 a, vec_3 b)
{
    return (vec_3){a.x * b.x, a.y * b.y, a.z * b.z};
}

INLINE vec_3 difference(vec_3 a, vec_3 b)
{
    return (vec_3){a.x - b.x, a.y - b.y, a.z - b.z};
}

INLINE vec_3 sum_of(vec_3 a, vec_3 b)
{
    return (vec_3){a.x + b.x, a.y + b.y, a.z + b.z};
}

/// exp(time w) as quaternions.
INLINE quats turn_of(double time, vec_3 w)
{
    vec_3 half = scaled(v_set(0.5 * time), w);
    vec sine, cosine;
    half_turn(lane_dot(half, half), &sine, &cosine);
    return (quats){cosine, scaled(sine, half)};
}

/// p turned back by q.
INLINE vec_3 turn_lanes_back(quats q, vec_3 p)
{
    vec_3 t = cross(q.v, p);
    t = sum_of(t, t);
    return sum_of(less_scaled(p, q.w, t), cross(q.v, t));
}

/// a b, with one Newton step towards unit length.
INLINE quats unit_product(quats a, quats b)
{
    quats q = {a.w * b.w - lane_dot(a.v, b.v),
               sum_of(lane_add_scaled(scaled(a.w, b.v), b.w, a.v), cross(a.v, b.v))};
    vec unit = v_fnma(v_set(0.5), v_fma(q.w, q.w, lane_dot(q.v, q.v)), v_set(1.5));
    return (quats){unit * q.w, scaled(unit, q.v)};
}

INLINE turns turns_of(quats q)
{
    vec_3 v = q.v, d = sum_of(v, v);
    vec one = v_set(1.0), wx = q.w * d.x, wy = q.w * d.y, wz = q.w * d.z;
    vec xx = v.x * d.x, yy = v.y * d.y, zz = v.z * d.z;
    vec xy = v.x * d.y, xz = v.x * d.z, yz = v.y * d.z;
    return (turns){{{one - (yy + zz), xy - wz, xz + wy},
                    {xy + wz, one - (xx + zz), yz - wx},
                    {xz - wy, yz + wx, one - (xx + yy)}}};
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

/// From the centres of the clumps to their members of a row, world axes, m.
INLINE vec_3 arms_of(const clump_lanes *g, int row, const turns *r)
{
    return to_world(r, from_group(g->rows[row].offset, g->first));
}

/// Rows of eight doubles of the members of a row, `spare` for clumps without one.
INLINE void rows_of(double (*rows)[8], const clump_lanes *g, int row, bool even, double *spare,
                    double *out[LANES])
{
    const int *row8 = g->rows[row].row8 + g->first;
    for (int l = 0; l < LANES; l++)
        out[l] = even || row8[l] >= 0 ? &rows[0][0] + row8[l] : spare;
}

/// Forces, and their moments about the centres, in the order of members.
INLINE void add_members(const eng_spheres_clump_pass *p, const clump_lanes *g, bool even,
                        const turns *r, vec_3 *force, vec_3 *torque)
{
    double none[8] __attribute__((aligned(64))) = {0.0};
    vec zero = v_set(0.0);
    *force = *torque = (vec_3){zero, zero, zero};
    for (int k = 0; k < g->of->row_count; k++) {
        double *rows[LANES];
        vec s[8];
        rows_of(p->pass->sums, g, k, even, none, rows);
        v_load_rows((const double *const *)rows, s);
        vec_3 own = {s[0], s[1], s[2]}, moment = {s[3], s[4], s[5]};
        *force = sum_of(*force, own);
        *torque = sum_of(*torque, sum_of(moment, cross(arms_of(g, k, r), own)));
    }
}

// ---------------------------------------------------------------- motion

/// One step of Newton's method for exp(time w) J w = momentum, whose derivative is inverted to
/// second order in time; gives what was missing of the momentum before it.
INLINE vec_3 improve_omega(const clump_lanes *g, double time, vec_3 momentum, vec_3 *w)
{
    vec_3 own = by_parts(g->inertia, *w);
    vec_3 rest = difference(turn_lanes_back(turn_of(time, *w), momentum), own);
    vec_3 first = by_parts(g->inertia_inverse, rest);
    vec_3 turned = cross(scaled(v_set(time), own), first);
    *w = sum_of(*w, by_parts(g->inertia_inverse, sum_of(rest, turned)));
    return rest;
}

/// Lanes that turn too far in a step for that.
static __attribute__((noinline)) void solve_omegas(const clump_lanes *g, unsigned lanes,
                                                   double step, vec_3 before, vec_3 impulse,
                                                   vec_3 *omega)
{
    double in[4][3][LANES] __attribute__((aligned(64)));
    store_three(in[0], before);
    store_three(in[1], impulse);
    store_three(in[2], g->inertia);
    store_three(in[3], *omega);
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
    *omega = three((const double(*)[LANES])in[3]);
}

/// Angular velocities at the end of the step.
/// @param turn     exp(step/2 w), of those at its beginning
/// @param impulse  N m s, axes of the midpoint
INLINE vec_3 end_omegas(const clump_lanes *g, double step, quats turn, vec_3 impulse)
{
    double half = 0.5 * step;
    vec_3 momentum = sum_of(turn_lanes_back(turn, by_parts(g->inertia, g->w)), impulse);
    vec_3 w = by_parts(g->inertia_inverse, turn_lanes_back(turn, momentum));
    (void)improve_omega(g, half, momentum, &w);
    vec_3 rest = improve_omega(g, half, momentum, &w);
    // what the second step leaves is its own square, or the share half^2 w^2
    vec left = v_set(half * half) * lane_dot(w, w);
    left = v_max(left * left, v_set(1e-14)) * lane_dot(rest, rest);
    mask open = m_less(1e-31 * lane_dot(momentum, momentum), left);
    if (__builtin_expect(m_any(open), 0))
        solve_omegas(g, m_bits(open), step, g->w, impulse, &w);
    return w;
}

/// Where clumps are at the midpoint of a step.
typedef struct middles {
    vec_3 centre;
    turns turn;
} middles;

/// Members where the midpoint of the coming step has them, and how far they got from that of the
/// step just done.
INLINE void place_members(const eng_spheres_clump_pass *p, const clump_lanes *g, bool even,
                          const middles *before, const middles *now)
{
    // for clumps that have fewer members
    double spare[8] __attribute__((aligned(64))) = {0.0};
    double way[LANES] __attribute__((aligned(64)));
    vec_3 omega = to_world(&now->turn, g->w);
    for (int k = 0; k < g->of->row_count; k++) {
        const int *row8 = g->rows[k].row8 + g->first;
        double *rows[LANES];
        vec radius = v_load(g->rows[k].offset[3] + g->first);
        vec_3 arm = arms_of(g, k, &now->turn), at = sum_of(now->centre, arm);
        vec_3 velocity = sum_of(g->v, cross(omega, arm)), edge = scaled(radius, omega);
        vec_3 moved = difference(at, sum_of(before->centre, arms_of(g, k, &before->turn)));
        v_store(way, lane_dot(moved, moved));
        for (int l = 0; l < LANES; l++) {
            bool any = even || row8[l] >= 0;
            *(any ? p->ways + (unsigned)row8[l] / 8u : spare) = way[l];
            rows[l] = any ? p->pass->X[(unsigned)row8[l] / 8u] : spare;
        }
        v_store_fours(rows, (const vec[4]){at.x, at.y, at.z, omega.z});
        rows_of(p->pass->V, g, k, even, spare, rows);
        v_store_rows(rows, (const vec[8]){velocity.x, velocity.y, velocity.z, edge.x, edge.y,
                                          edge.z, omega.x, omega.y});
    }
}

INLINE void move_clumps(const eng_spheres_clump_pass *p, int group, int first, bool even)
{
    double step = p->pass->step, half = 0.5 * step;
    const double *gravity = p->pass->gravity;
    clump_lanes g;
    load_clumps(p, group, first, &g);
    vec_3 force, torque;
    quats turn = turn_of(half, g.w), q = unit_product(g.q, turn);
    const middles before = {lane_add_scaled(g.x, v_set(half), g.v), turns_of(q)};
    add_members(p, &g, even, &before.turn, &force, &torque);
    vec_3 falling = {v_set(gravity[0]), v_set(gravity[1]), v_set(gravity[2])};
    g.v = lane_add_scaled(sum_of(g.v, falling), v_set(step) * g.mass_inverse, force);
    g.w = end_omegas(&g, step, turn, scaled(v_set(step), to_body(&before.turn, torque)));
    turn = turn_of(half, g.w);
    g.x = lane_add_scaled(before.centre, v_set(half), g.v);
    g.q = unit_product(q, turn);
    store_clumps(p, &g);
    const middles now = {lane_add_scaled(g.x, v_set(half), g.v), turns_of(unit_product(g.q, turn))};
    place_members(p, &g, even, &before, &now);
}

static __attribute__((noinline)) void move_even(const eng_spheres_clump_pass *p, int group)
{
    for (int first = 0; first < p->groups[group].count; first += LANES)
        move_clumps(p, group, first, true);
}

static __attribute__((noinline)) void move_uneven(const eng_spheres_clump_pass *p, int group)
{
    for (int first = 0; first < p->groups[group].count; first += LANES)
        move_clumps(p, group, first, false);
}

static void lane_clumps(const eng_spheres_clump_pass *p, int begin, int end)
{
    for (int group = begin; group < end; group++)
        (p->groups[group].even ? move_even : move_uneven)(p, group);
}

#endif
