// SPDX-License-Identifier: Apache-2.0
// Routh's process of one contact: straight pieces in closed form, curved sliding by Runge and
// Kutta.
#include "contact/local/energetic.h"

#include "base/elementary.h"

#include <math.h>
#include <string.h>

// PIECES: of a process; CURVED_STEPS: of a sliding that turns
enum { PIECES = 16, CURVED_STEPS = 20000, HALVINGS = 60 };

// part of the fastest rate that a step of curved sliding covers
static const double step_share = 0.1;

// sliding that has shrunk to this share of all velocity has ended
static const double least_sliding = 1e-10;

/// What the normal impulse has done so far.
typedef struct process {
    const mat3 *W;
    double mu, start;  // start: m/s, |u| at first
    double u[3], R[3]; // m/s, N s
    double work;       // J, of the normal force
    double goal;       // J, of `work` at the end, known once the compression has ended
    bool compressing;
} process;

static double sliding_of(const process *s)
{
    return base_hypot(s->u[1], s->u[2]);
}

static void apply(const mat3 *W, const double r[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = W->m[i][0] * r[0] + W->m[i][1] * r[1] + W->m[i][2] * r[2];
}

/// Goes on by the normal impulse `p` with the reaction r for each of it.
static void advance(process *s, const double r[3], const double rate[3], double p)
{
    s->work += p * (s->u[0] + 0.5 * p * rate[0]);
    for (int k = 0; k < 3; k++) {
        s->u[k] += p * rate[k];
        s->R[k] += p * r[k];
    }
}

/// Normal impulse until the phase ends at a constant rate of u_N; INFINITY: not at this rate.
static double way_to_end(const process *s, double rate)
{
    if (s->compressing)
        return rate > 0.0 ? fmax(-s->u[0], 0.0) / rate : INFINITY;
    // work + u p + rate p^2 / 2 = goal, the first p at which it is reached
    double lacks = fmax(s->goal - s->work, 0.0), under = s->u[0] * s->u[0] + 2.0 * rate * lacks;
    double sum = s->u[0] + sqrt(fmax(under, 0.0));
    return under >= 0.0 && sum > 0.0 ? 2.0 * lacks / sum : lacks > 0.0 ? INFINITY : 0.0;
}

/// Force along the surface that a contact at rest there needs for each of its normal force, and the
/// largest that friction gives: stick, or slip that begins in a direction that it keeps.
static void resting_reaction(const process *s, double r[3])
{
    const mat3 *W = s->W;
    double a = W->m[1][1], b = W->m[1][2], c = W->m[2][2], x = W->m[1][0], y = W->m[2][0];
    // |(A + lambda)^-1 w| = mu, falling in lambda, between what surely is too little and too much
    double low = 0.0, high = base_hypot(x, y) / fmax(s->mu, 1e-300);
    r[0] = 1.0;
    for (int i = 0; i <= HALVINGS; i++) {
        double lambda = i == 0 ? 0.0 : 0.5 * (low + high);
        double of = (a + lambda) * (c + lambda) - b * b;
        r[1] = -((c + lambda) * x - b * y) / of;
        r[2] = -((a + lambda) * y - b * x) / of;
        bool holds = base_hypot(r[1], r[2]) <= s->mu;
        if (i == 0 && holds)
            return;
        low = holds ? low : lambda;
        high = holds ? lambda : high;
    }
}

/// d/d(sigma) with dp = |u_T| d(sigma), in which sliding ends smoothly: of u, R, work.
static void slide_rates(const process *s, const double y[7], double out[7])
{
    double sliding = base_hypot(y[1], y[2]);
    const double r[3] = {sliding, -s->mu * y[1], -s->mu * y[2]};
    apply(s->W, r, out);
    memcpy(out + 3, r, sizeof r);
    out[6] = y[0] * sliding;
}

static void slide_step(const process *s, const double from[7], double step, double to[7])
{
    double rate[4][7], at[7];
    const double share[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0, 2.0, 2.0, 1.0};
    memcpy(to, from, 7 * sizeof *to);
    for (int stage = 0; stage < 4; stage++) {
        for (int k = 0; k < 7; k++)
            at[k] = from[k] + (stage == 0 ? 0.0 : share[stage] * step * rate[stage - 1][k]);
        slide_rates(s, at, rate[stage]);
        for (int k = 0; k < 7; k++)
            to[k] += step * weight[stage] / 6.0 * rate[stage][k];
    }
}

/// How far a state is beyond the end of its phase.
static double beyond(const process *s, const double y[7])
{
    return s->compressing ? y[0] : y[6] - s->goal;
}

/// Sliding whose direction turns, until it or the phase ends.
static void slide(process *s)
{
    const mat3 *W = s->W;
    double fastest = base_hypot(W->m[1][0], W->m[2][0]) + W->m[0][0] +
                     s->mu * (W->m[1][1] + W->m[2][2] + base_hypot(W->m[0][1], W->m[0][2]));
    double step = step_share / fastest, y[7], next[7];
    memcpy(y, s->u, sizeof s->u);
    memcpy(y + 3, s->R, sizeof s->R);
    y[6] = s->work;
    for (int i = 0; i < CURVED_STEPS; i++) {
        slide_step(s, y, step, next);
        if (beyond(s, next) >= 0.0) {
            double low = 0.0, high = step;
            for (int k = 0; k < HALVINGS; k++) {
                double half = 0.5 * (low + high);
                slide_step(s, y, half, next);
                low = beyond(s, next) < 0.0 ? half : low;
                high = beyond(s, next) < 0.0 ? high : half;
            }
            slide_step(s, y, high, next);
            memcpy(y, next, sizeof y);
            break;
        }
        memcpy(y, next, sizeof y);
        if (base_hypot(y[1], y[2]) <= least_sliding * s->start)
            break;
    }
    memcpy(s->u, y, sizeof s->u);
    memcpy(s->R, y + 3, sizeof s->R);
    s->work = y[6];
}

/// One piece: to the end of the phase, or to a change of how it slides.
static void go_on(process *s)
{
    double sliding = sliding_of(s), r[3], rate[3], stop = INFINITY;
    if (s->mu > 0.0 && sliding > least_sliding * s->start) {
        const double d[2] = {s->u[1] / sliding, s->u[2] / sliding};
        r[0] = 1.0;
        r[1] = -s->mu * d[0];
        r[2] = -s->mu * d[1];
        apply(s->W, r, rate);
        double along = d[0] * rate[1] + d[1] * rate[2], across = d[0] * rate[2] - d[1] * rate[1];
        double size =
            base_hypot(s->W->m[1][0], s->W->m[2][0]) + s->mu * (s->W->m[1][1] + s->W->m[2][2]);
        if (fabs(across) > 1e-12 * size) {
            slide(s);
            return;
        }
        stop = along < 0.0 ? -sliding / along : INFINITY;
    } else if (s->mu > 0.0) {
        resting_reaction(s, r);
        apply(s->W, r, rate);
    } else {
        r[0] = 1.0;
        r[1] = r[2] = 0.0;
        apply(s->W, r, rate);
    }
    double end = way_to_end(s, rate[0]), way = fmin(end, stop);
    // either comes, but for round-off
    if (isfinite(way))
        advance(s, r, rate, way);
    if (stop <= end)
        s->u[1] = s->u[2] = 0.0;
}

void con_impact_energetic(const mat3 *W, double mu, double e, const double u[3], double R[3])
{
    process s = {.W = W, .mu = mu, .compressing = true};
    memcpy(s.u, u, sizeof s.u);
    s.start = base_hypot(base_hypot(u[0], u[1]), u[2]);
    for (int i = 0; i < PIECES && s.compressing; i++) {
        go_on(&s);
        s.compressing = s.u[0] < -1e-15 * s.start;
    }
    s.goal = s.work * (1.0 - e * e);
    for (int i = 0; i < PIECES && e > 0.0 && s.work < s.goal * (1.0 + 1e-15); i++)
        go_on(&s);
    memcpy(R, s.R, sizeof s.R);
}
