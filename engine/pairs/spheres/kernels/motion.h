// SPDX-License-Identifier: Apache-2.0
// A part of a block of pairs: its relative motion, and what the audit and the sums of a chunk book.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_MOTION_H
#define CAIRN_ENGINE_PAIRS_SPHERES_MOTION_H

#include "contact/laws/ahead_kernel.h"
#include "contact/laws/kernel.h"
#include "engine/pairs/spheres/kernels/slots.h"

#include <string.h>

enum { PARTS = ENG_SPHERES_WIDTH / LANES };

/// Sums of a chunk, lane by lane.
typedef struct sums {
    vec damping[PARTS], friction[PARTS]; // J, with the factor -step/2 left out
    vec plastic[PARTS];                  // J
    vec depth, relative;
    int contacts, active;
} sums;

INLINE spread spread_terms(const eng_spheres_pass *pass, const eng_spheres_terms *terms,
                           const law_kernel *law)
{
    spread t;
    t.step = v_set(pass->step);
    t.rate = v_set(1.0 / pass->step);
    t.terms = terms->own;
    t.first_step = pass->first_step;
    law->spread(terms->own, &t);
    return t;
}

/// LANES pairs of one block.
typedef struct pairs {
    eng_spheres_block *b;
    double (*columns)[ENG_SPHERES_WIDTH]; // of the block, but the first
    size_t stride;                        // of them from block to block, in slots
    int first;                            // lane
} pairs;

/// Lanes of a block that touch and slip, as its parts find them.
typedef struct found_bits {
    unsigned touch, slip;
} found_bits;

INLINE void next_part(pairs *p, const law_kernel *law)
{
    p->first += LANES;
    if (p->first < ENG_SPHERES_WIDTH)
        return;
    p->first = 0;
    p->b++;
    if (law->columns > 1)
        p->columns += p->stride;
}

/// After the last part of a block.
INLINE void store_found(eng_spheres_block *b, found_bits *bits)
{
    b->touch = (unsigned char)bits->touch;
    b->slip = (unsigned char)bits->slip;
    *bits = (found_bits){0, 0};
}

INLINE pairs parts_of(const eng_spheres_pass *pass, int block, const law_kernel *law)
{
    pairs p = {.b = &pass->blocks[block]};
    if (law->columns > 1) {
        p.columns = eng_spheres_columns_of(pass, block);
        p.stride = (size_t)pass->column_rows;
    }
    return p;
}

INLINE pair_rows rows_of_pairs(pairs p)
{
    return (pair_rows){p.b->spring, p.b->column, p.columns, p.first};
}

INLINE void begin_pairs(const eng_spheres_pass *pass, pairs p, const spread *t,
                        const law_kernel *law, early *e)
{
    eng_spheres_block *b = p.b;
    int first = p.first;
    pair_rows at = rows_of_pairs(p);
    load_positions(pass, b->i8 + first, b->j8 + first, e->X);
    vec rsq = v_fma(e->X[2], e->X[2], v_fma(e->X[1], e->X[1], e->X[0] * e->X[0]));
    vec sum = v_load(b->radius_sum + first);
    e->touch = m_less(rsq, sum * sum);
    e->acts = m_any(e->touch) || ((unsigned)b->touch >> first & ((1u << LANES) - 1u)) != 0;
    e->r = v_sqrt(rsq);
    vec depth = 0.0 - (e->r - sum);
    e->inverse = 1.0 / law->divisor(&at, t, depth, e);
}

INLINE motion motion_of(const vec X[4], const vec V[8], vec distance_inverse, vec half_gap)
{
    motion m;
    m.n = scaled(distance_inverse, (vec_3){X[0], X[1], X[2]});
    m.apart = (vec_3){V[0], V[1], V[2]};
    m.arms = (vec_3){V[3], V[4], V[5]};
    m.omegas = (vec_3){V[6], V[7], X[3]};
    m.turn = lane_add_scaled(m.arms, half_gap, m.omegas);
    m.normal = lane_dot(m.apart, m.n);
    m.along = less_scaled(m.apart, m.normal, m.n);
    m.slide = less_cross(m.along, m.turn, m.n);
    return m;
}

/// Energies of the interval between the last configuration and this one, contact/laws/audit.h: the
/// second half of the last step, whose forces are the lagged ones, and the first half of this one.
/// The normal's turn within a step is left out: its effect cancels over an approach and departure.
typedef struct audited {
    vec_3 whole, spring, loss; // N: turned, new; dashpot or loss of now; no contact: zero but whole
    vec damping;               // N, normal dashpot's part of now
    vec stored;                // W, gain of the spring over half a step
    mask slip;
} audited;

INLINE void audit(eng_spheres_block *b, int first, int part, const motion *m, const audited *a,
                  bool springs, sums *s)
{
    vec_3 lag = {v_load_float(b->lag_tangent[0] + first), v_load_float(b->lag_tangent[1] + first),
                 v_load_float(b->lag_tangent[2] + first)};
    vec normal = (v_load_float(b->lag_normal + first) + a->damping) * m->normal;
    vec now = lane_dot(a->loss, m->slide), old = lane_dot(lag, m->slide);
    if (!springs) {
        s->damping[part] += normal;
        s->friction[part] += now + old;
        return;
    }
    mask slipped = m_from_bits((unsigned)b->slip >> first);
    vec stick = v_drop(a->slip, now) + v_drop(slipped, old);
    vec loss = v_keep(a->slip, now) + v_keep(slipped, old);
    s->damping[part] += normal + stick;
    // springs: given minus stored while the contact lasts, all of it when it opens
    vec_3 both = {a->whole.x + a->spring.x, a->whole.y + a->spring.y, a->whole.z + a->spring.z};
    vec work = lane_dot(both, m->slide) + a->stored;
    s->friction[part] += loss + work;
}

INLINE void store_lag(eng_spheres_block *b, int first, vec damping, vec_3 loss)
{
    v_store_float(b->lag_normal + first, damping);
    v_store_float(b->lag_tangent[0] + first, loss.x);
    v_store_float(b->lag_tangent[1] + first, loss.y);
    v_store_float(b->lag_tangent[2] + first, loss.z);
}

/// Bits of this part in a byte of the block.
INLINE void store_bits(unsigned char *byte, int first, unsigned bits)
{
    unsigned all = (1u << LANES) - 1u;
    *byte = (unsigned char)((*byte & ~(all << first)) | (bits << first));
}

INLINE void lane_count(const eng_spheres_block *b, int first, mask touch, vec force, vec depth,
                       sums *s)
{
    vec inside = v_keep(touch, depth);
    mask active = m_differ(force, v_set(0.0));
    s->contacts += __builtin_popcount(m_bits(touch));
    s->active += __builtin_popcount(m_bits(active));
    s->depth = v_max(s->depth, inside);
    s->relative = v_max(s->relative, inside * v_load_float(b->inverse_size + first));
}

/// What the users' loads add to the relative motion over the step: velocity of the centres, sum of
/// radius times angular velocity, sum of angular velocities.
static __attribute__((noinline)) void
load_gains(const eng_spheres_pass *pass, const eng_spheres_block *b, int first, vec_3 gain[3])
{
    double lanes[9][LANES] __attribute__((aligned(64))) = {{0.0}};
    for (int k = 0; k < LANES; k++)
        for (int side = 0; side < 2; side++) {
            int slot = side == 0 ? eng_spheres_slot_a(b, first + k)
                                 : eng_spheres_source_of(pass, eng_spheres_slot_b(b, first + k));
            if (slot >= pass->slot_count)
                continue;
            const double *load = pass->load[(size_t)slot * pass->load_stride];
            const double *c = pass->constants[slot];
            for (int axis = 0; axis < 3; axis++) {
                lanes[axis][k] += (side == 0 ? -1.0 : 1.0) * load[axis] * c[0];
                lanes[3 + axis][k] += load[3 + axis] * c[1];
                lanes[6 + axis][k] += load[3 + axis] * c[2];
            }
        }
    for (int i = 0; i < 3; i++)
        gain[i] = (vec_3){v_load(lanes[3 * i]), v_load(lanes[3 * i + 1]), v_load(lanes[3 * i + 2])};
}

/// Velocities at the end of a step in which gravity and loads act alone.
INLINE void look_ahead(const eng_spheres_pass *pass, pairs p, int column, meeting *at)
{
    motion *m = &at->m;
    vec falls = column_load(&at->at, column + AHEAD_FALLS);
    vec_3 gain = {falls * v_set(pass->gravity[0]), falls * v_set(pass->gravity[1]),
                  falls * v_set(pass->gravity[2])};
    vec_3 loads[3];
    if (pass->load_stride != 0) {
        load_gains(pass, p.b, p.first, loads);
        gain = lane_add_scaled(gain, v_set(1.0), loads[0]);
    }
    vec along = lane_dot(gain, m->n);
    m->free_normal = m->normal + along;
    m->free_slide = lane_add_scaled(m->slide, v_set(1.0), less_scaled(gain, along, m->n));
    if (pass->load_stride != 0)
        m->free_slide =
            less_cross(m->free_slide, lane_add_scaled(loads[1], at->half_gap, loads[2]), m->n);
}

#endif
