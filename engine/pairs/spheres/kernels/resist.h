// SPDX-License-Identifier: Apache-2.0
// Rolling and twisting resistance in the sphere executor, docs/laws.md section 3. Variants of the
// kernels for worlds without it use nothing of this file.
#ifndef CAIRN_ENGINE_PAIRS_SPHERES_RESIST_H
#define CAIRN_ENGINE_PAIRS_SPHERES_RESIST_H

#include "contact/laws/slider_kernel.h"
#include "engine/pairs/spheres/kernels/motion.h"

/// Constants of one resistance in all lanes.
typedef struct moment_terms {
    vec friction, stiffness, stiffness_inverse, damping;
    bool own; // has a stiffness of its own
} moment_terms;

typedef struct resistance {
    moment_terms rolling, twisting;
} resistance;

INLINE moment_terms spread_moment(double friction, double stiffness, double damping)
{
    bool own = stiffness > 0.0;
    return (moment_terms){v_set(friction), v_set(stiffness), v_set(own ? 1.0 / stiffness : 0.0),
                          v_set(damping), own};
}

INLINE resistance spread_resistance(const eng_spheres_terms *t)
{
    const con_rolling *r = &t->rolling;
    return (resistance){
        spread_moment(r->rolling_friction, r->rolling_stiffness, r->rolling_damping),
        spread_moment(r->twisting_friction, r->twisting_stiffness, r->twisting_damping)};
}

/// A slider of moments: dashpot, limit, and its spring now and in the last step.
typedef struct moment_slider {
    vec rate, dashpot, limit;    // N m s, N m s, N m
    vec inverse, before_inverse; // 1 / stiffness
    vec ratio;                   // loss with a shrinking area
} moment_slider;

/// What all moments of the pairs of a part of a block have in common.
typedef struct turning {
    const shape_of *shape;
    vec radius, arm, arm_inverse; // arm: radius^2
    vec force, step, rate;        // normal force, not negative; rate: 1/step
    mask touch;
    bool shrinks; // the stiffness, with the overlap
} turning;

INLINE moment_slider lane_slider_of(const moment_terms *t, const turning *turn)
{
    moment_slider s = {
        .dashpot = turn->arm * t->damping,
        .limit = t->friction * turn->radius * turn->force,
        .ratio = v_set(1.0),
    };
    if (t->own) {
        s.rate = turn->arm * t->stiffness * turn->step;
        s.inverse = s.before_inverse = turn->arm_inverse * t->stiffness_inverse;
        return s;
    }
    s.rate = turn->arm * turn->shape->tangential * turn->step;
    s.inverse = turn->arm_inverse * turn->shape->tangential_inverse;
    s.before_inverse = turn->arm_inverse * turn->shape->before_inverse;
    if (turn->shrinks)
        s.ratio = turn->shape->before_ratio;
    return s;
}

/// Energies of one resistance, as in `audit`.
typedef struct moment_work {
    vec now, lagged, spring, stored; // W: loss of now and of the last step, springs, gain stored
    mask slip, slipped;
} moment_work;

INLINE void book_moment(const moment_work *w, int part, sums *s)
{
    vec stick = v_drop(w->slip, w->now) + v_drop(w->slipped, w->lagged);
    vec loss = v_keep(w->slip, w->now) + v_keep(w->slipped, w->lagged);
    s->damping[part] += stick;
    s->friction[part] += loss + (w->spring + w->stored);
}

/// Rolling moment on B for the rate of rolling.
INLINE vec_3 roll(eng_spheres_resist *r, int first, const moment_terms *t, const turning *turn,
                  vec_3 n, vec_3 rate, sums *s)
{
    moment_slider m = lane_slider_of(t, turn);
    vec_3 old = load_3(r->rolling, first);
    vec q = lane_dot(old, old), along = lane_dot(old, n);
    vec_3 whole =
        length_kept(less_scaled(old, along, n), along, q, 1.0 / safe_square(q), turn->touch);
    vec_3 before = scaled(m.ratio, whole), spring = less_scaled(before, m.rate, rate);
    vec_3 moment = less_scaled(spring, m.dashpot, rate);
    vec size_squared = lane_dot(moment, moment);
    mask slip = m_and(turn->touch, m_less(m.limit * m.limit, size_squared));
    if (m_any(slip))
        slip_lanes(slip, size_squared, m.limit, m.rate, m.dashpot, before, &moment, &spring);
    moment = kept(turn->touch, moment);
    spring = kept(turn->touch, spring);
    vec_3 loss = lane_add_scaled(moment, v_set(-1.0), spring);
    vec_3 lag = {v_load_float(r->lag_rolling[0] + first), v_load_float(r->lag_rolling[1] + first),
                 v_load_float(r->lag_rolling[2] + first)};
    vec gained = lane_dot(spring, spring) * m.inverse;
    moment_work w = {
        .now = lane_dot(loss, rate),
        .lagged = lane_dot(lag, rate),
        .spring = lane_dot(lane_add_scaled(whole, v_set(1.0), spring), rate),
        .stored = v_fnma(q, m.before_inverse, gained) * turn->rate,
        .slip = slip,
        .slipped = m_from_bits((unsigned)r->roll_slip >> first),
    };
    book_moment(&w, first / LANES, s);
    store_3(r->rolling, first, spring);
    v_store_float(r->lag_rolling[0] + first, loss.x);
    v_store_float(r->lag_rolling[1] + first, loss.y);
    v_store_float(r->lag_rolling[2] + first, loss.z);
    store_bits(&r->roll_slip, first, m_bits(slip));
    return moment;
}

/// Force and spring of lanes that slip, along one line.
INLINE void slip_line(mask slip, const moment_slider *m, vec before, vec *moment, vec *spring)
{
    vec against = 0.0 - m->limit;
    vec cut = v_select(m_less(*moment, v_set(0.0)), against, m->limit);
    vec inverse = 1.0 / (m->rate + m->dashpot);
    vec mixed = v_fma(m->dashpot, before, m->rate * cut);
    *spring = v_select(slip, inverse * mixed, *spring);
    *moment = v_select(slip, cut, *moment);
}

/// Twisting moment on B along the normal for the rate of twisting.
INLINE vec twist(eng_spheres_resist *r, int first, const moment_terms *t, const turning *turn,
                 vec rate, sums *s)
{
    moment_slider m = lane_slider_of(t, turn);
    vec whole = v_load(r->twisting + first), before = m.ratio * whole;
    vec spring = v_fnma(m.rate, rate, before), moment = v_fnma(m.dashpot, rate, spring);
    mask slip = m_and(turn->touch, m_less(m.limit * m.limit, moment * moment));
    if (m_any(slip))
        slip_line(slip, &m, before, &moment, &spring);
    moment = v_keep(turn->touch, moment);
    spring = v_keep(turn->touch, spring);
    vec loss = moment - spring, gained = spring * spring * m.inverse;
    moment_work w = {
        .now = loss * rate,
        .lagged = v_load_float(r->lag_twisting + first) * rate,
        .spring = (whole + spring) * rate,
        .stored = v_fnma(whole * whole, m.before_inverse, gained) * turn->rate,
        .slip = slip,
        .slipped = m_from_bits((unsigned)r->twist_slip >> first),
    };
    book_moment(&w, first / LANES, s);
    v_store(r->twisting + first, spring);
    v_store_float(r->lag_twisting + first, loss);
    store_bits(&r->twist_slip, first, m_bits(slip));
    return moment;
}

/// Angular velocity of B relative to A.
INLINE vec_3 relative_omega(const eng_spheres_pass *pass, const eng_spheres_block *b, int first)
{
    double omega[3][LANES] __attribute__((aligned(64)));
    for (int k = 0; k < LANES; k++) {
        int i = eng_spheres_slot_a(b, first + k), j = eng_spheres_slot_b(b, first + k);
        omega[0][k] = pass->V[j][6] - pass->V[i][6];
        omega[1][k] = pass->V[j][7] - pass->V[i][7];
        omega[2][k] = pass->X[j][3] - pass->X[i][3];
    }
    return (vec_3){v_load(omega[0]), v_load(omega[1]), v_load(omega[2])};
}

INLINE void store_couples(double (*rows)[4], vec_3 couple)
{
    double lanes[3][LANES] __attribute__((aligned(64)));
    v_store(lanes[0], couple.x);
    v_store(lanes[1], couple.y);
    v_store(lanes[2], couple.z);
    for (int k = 0; k < LANES; k++)
        for (int axis = 0; axis < 3; axis++)
            rows[k][axis] = lanes[axis][k];
}

/// Couples of pairs whose other forces are known.
INLINE void lane_resist(const eng_spheres_pass *pass, pairs p, const resistance *t,
                        const spread *terms, const shape_of *shape, bool shrinks, mask touch,
                        vec force, vec_3 n, sums *s)
{
    eng_spheres_resist *r = &pass->resist[p.b - pass->blocks];
    vec radius = v_load(r->radius + p.first), arm = radius * radius;
    turning turn = {
        .shape = shape,
        .radius = radius,
        .arm = arm,
        .arm_inverse = 1.0 / arm,
        .force = v_max(force, v_set(0.0)),
        .step = terms->step,
        .rate = terms->rate,
        .touch = touch,
        .shrinks = shrinks,
    };
    vec_3 omega = relative_omega(pass, p.b, p.first);
    vec about = lane_dot(omega, n);
    vec_3 couple = roll(r, p.first, &t->rolling, &turn, n, less_scaled(omega, about, n), s);
    couple = lane_add_scaled(couple, twist(r, p.first, &t->twisting, &turn, about, s), n);
    store_couples(pass->couple + p.b->force_row + p.first, couple);
}

INLINE void clear_couples(const eng_spheres_pass *pass, pairs p)
{
    memset(pass->couple + p.b->force_row + p.first, 0, LANES * sizeof *pass->couple);
}

/// Adds the couple of an entry of `near`; what it adds to the fourth number is zero.
INLINE void add_couple(const eng_spheres_pass *pass, int entry, double torque[4])
{
    static const double signs_of[2] = {-1.0, 1.0};
    const double *couple = pass->couple[(unsigned)entry / 8];
    double sign = signs_of[entry & 1];
    for (int k = 0; k < 4; k++)
        torque[k] += sign * couple[k];
}

/// The user's load on a slot with the couples of its pairs.
INLINE void load_with_couples(const eng_spheres_pass *pass, int slot, double load[8])
{
    memcpy(load, pass->load[(size_t)slot * pass->load_stride], 8 * sizeof *load);
    for (int k = pass->near_start[slot]; k < pass->near_start[slot + 1]; k++)
        add_couple(pass, pass->near[k], load + 3);
    for (int k = pass->far_start[slot]; pass->far_touched[slot] && k < pass->far_start[slot + 1];
         k++)
        if (eng_spheres_far_acts(pass, pass->far[k]))
            add_couple(pass, eng_spheres_far_force_row(pass, pass->far[k]), load + 3);
}

#endif
