// SPDX-License-Identifier: Apache-2.0
// A part of a block of pairs: the kernel of its law, force rows and audit.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_PAIR_H
#define CAIRN_ENGINE_PAIRS_SPHERES_PAIR_H

#include "engine/pairs/spheres/kernels/motion.h"
#include "engine/pairs/spheres/kernels/resist.h"

/// What the audit of a part has to know of its springs.
INLINE audited audited_of(const spread *t, const meeting *p, const law_answer *a, vec force,
                          vec_3 drag, const law_kernel *law)
{
    if (!law->springs)
        return (audited){
            .loss = drag, .damping = v_keep(p->touch, force - a->normal_spring), .slip = p->touch};
    vec_3 spring = kept(p->touch, a->spring);
    vec gained = lane_dot(spring, spring) * p->k.tangential_inverse;
    return (audited){
        .whole = a->whole,
        .spring = spring,
        .loss = {drag.x - spring.x, drag.y - spring.y, drag.z - spring.z},
        .damping = v_keep(p->touch, force - a->normal_spring),
        .stored = v_fnma(a->before_squared, p->k.before_inverse, gained) * t->rate,
        .slip = a->slip,
    };
}

// The force of a pair, from places and velocities at the midpoint of the step (docs/laws.md):
//
//   X = x_B - x_A, n = X / |X|
//   g = |X| - r_A - r_B            gap: the plane midway between the surfaces is
//                                  a_i = r_i + g/2 away from the centres
//   V = v_B - v_A, V_n = V n       `apart`, `normal`
//   u = V - V_n n                  `slide`: in that plane A moves with v_A + a_A w_A x n,
//       - (a_A w_A + a_B w_B) x n  and B with v_B - a_B w_B x n. Slots keep r_i w_i, to
//                                  which g/2 w_i is added.
//   f, t                           `force` along n and `drag` along the surface, on B, by the law:
//                                  a spring is that of the last step, turned with n and as long as
//                                  before, less k h u, and cut where the drag exceeds mu f
//   F = f n + t on B, -F on A
//   M_i = a_i t x n                moments about the centres, -a_B n x F and a_A n x (-F), where
//                                  n x n = 0: one row of t x n and g/2 serves both bodies, and
//                                  add_force multiplies it by a_i
//
// Nothing branches on a lane: what does not touch is worked out too, and kept out by its mask.

/// Law, force rows and audit of LANES pairs that are near enough to matter.
/// @param moments  rolling and twisting; NULL in the variants without
INLINE void act(const eng_spheres_pass *pass, pairs p, const spread *t, const resistance *moments,
                const law_kernel *law, const early *e, found_bits *bits, sums *s)
{
    eng_spheres_block *b = p.b;
    int first = p.first, part = first / LANES;
    meeting at = {.at = rows_of_pairs(p), .touch = e->touch};
    at.gap = e->r - v_load(b->radius_sum + first);
    at.depth = 0.0 - at.gap;
    at.half_gap = 0.5 * at.gap;
    if (law->springs)
        at.old = load_3(b->spring, first);
    at.k = law->shape(&at.at, t, e, at.depth);
    vec V[8];
    load_velocities(pass, b->i8 + first, b->j8 + first, V);
    at.m = motion_of(e->X, V, at.k.distance_inverse, at.half_gap);
    at.touched = m_from_bits((unsigned)b->touch >> first);
    if (law->ahead > 0)
        look_ahead(pass, p, law->ahead, &at);
    const motion *m = &at.m;
    law_answer a;
    law->respond(t, e, &at, &a);

    // nothing acts and nothing is remembered where nothing touches
    vec force = v_keep(at.touch, a.force);
    vec_3 drag = kept(at.touch, a.drag);
    audited booked = audited_of(t, &at, &a, force, drag, law);
    audit(b, first, part, m, &booked, law->springs, s);
    if (law->plastic)
        s->plastic[part] += v_keep(at.touch, a.plastic);
    lane_count(b, first, at.touch, force, at.depth, s);

    store_lag(b, first, booked.damping, booked.loss);
    bits->touch |= m_bits(at.touch) << first;
    bits->slip |= m_bits(booked.slip) << first;
    if (law->springs)
        store_3(b->spring, first, booked.spring);
    vec_3 moment = cross(drag, m->n), total = lane_add_scaled(drag, force, m->n);
    vec out[8] = {total.x, total.y, total.z, moment.x, moment.y, moment.z, at.half_gap, v_set(0.0)};
    store_forces(pass->force + b->force_row + first, out);
    if (moments != NULL && law->resists)
        lane_resist(pass, p, moments, t, &at.k, law->shrinks, at.touch, force, m->n, s);
    else if (moments != NULL)
        clear_couples(pass, p);
}

#endif
