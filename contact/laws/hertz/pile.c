// SPDX-License-Identifier: Apache-2.0
// Micro-slip as a pile of flat punches, one for each overlap that a contact went through
// (docs/laws.md 7.8).
#include "contact/laws/hertz/pile.h"

#include "contact/laws/slider.h"

#include "base/elementary.h"

#include <math.h>
#include <string.h>

static double bottom_of(const con_pile *p, int layer)
{
    return layer > 0 ? p->top[layer - 1] : 0.0;
}

static double unit_of(double touch, double shear)
{
    return 8.0 * shear * (touch < 0.0 ? -touch : sqrt(touch));
}

con_pile con_pile_read(const double history[CON_PILE_HISTORY], vec3 normal, double touch,
                       double shear)
{
    con_pile p = {.flat = touch < 0.0, .unit = unit_of(touch, shear)};
    for (; p.count < CON_PILE_LAYERS && history[p.count * CON_PILE_LAYER + 3] > 0.0; p.count++) {
        const double *layer = history + p.count * CON_PILE_LAYER;
        p.slope[p.count] = con_tangent_project(vec3_from(layer), normal);
        p.top[p.count] = layer[3];
    }
    return p;
}

void con_pile_write(const con_pile *p, double history[CON_PILE_HISTORY])
{
    memset(history, 0, CON_PILE_HISTORY * sizeof *history);
    for (int i = 0; i < p->count; i++) {
        vec3_store(history + i * CON_PILE_LAYER, p->slope[i]);
        history[i * CON_PILE_LAYER + 3] = p->top[i];
    }
}

double con_pile_stiffness(const con_pile *p, double overlap)
{
    return p->unit * (p->flat ? overlap : 2.0 / 3.0 * overlap * sqrt(overlap));
}

/// The integral of k_t over a layer.
static double weight(const con_pile *p, int layer)
{
    return con_pile_stiffness(p, p->top[layer]) - con_pile_stiffness(p, bottom_of(p, layer));
}

/// The integral of k_t s up to an overlap.
static double first_moment(const con_pile *p, double overlap)
{
    return p->unit * overlap * overlap * (p->flat ? 0.5 : 0.4 * sqrt(overlap));
}

vec3 con_pile_force(const con_pile *p)
{
    vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < p->count; i++)
        sum = vec3_add_scaled(sum, -weight(p, i), p->slope[i]);
    return sum;
}

double con_pile_energy(const con_pile *p)
{
    vec3 above = {0.0, 0.0, 0.0};
    double sum = 0.0;
    for (int i = p->count - 1; i >= 0; i--) {
        double b = p->top[i], a = bottom_of(p, i), moment = first_moment(p, b) - first_moment(p, a);
        vec3 whole = vec3_add_scaled(above, b, p->slope[i]);
        sum +=
            weight(p, i) * vec3_dot(p->slope[i], whole) - moment * vec3_norm_squared(p->slope[i]);
        above = vec3_add_scaled(above, b - a, p->slope[i]);
    }
    return sum;
}

static void add_layer(con_pile *p, double top, vec3 slope)
{
    p->top[p->count] = top;
    p->slope[p->count++] = slope;
}

/// Takes away what lies above an overlap and what is steeper than friction holds.
/// @return m, the displacement that is lost with it
static vec3 trim(con_pile *p, double overlap, double limit)
{
    vec3 lost = {0.0, 0.0, 0.0};
    while (p->count > 0 && bottom_of(p, p->count - 1) >= overlap) {
        int last = --p->count;
        lost = vec3_add_scaled(lost, p->top[last] - bottom_of(p, last), p->slope[last]);
    }
    for (int i = 0; i < p->count; i++) {
        double size = vec3_norm(p->slope[i]), keep = size > limit ? limit / size : 1.0;
        double top = fmin(p->top[i], overlap), thick = top - bottom_of(p, i);
        lost = vec3_add_scaled(lost, p->top[i] - top + (1.0 - keep) * thick, p->slope[i]);
        p->top[i] = top;
        p->slope[i] = vec3_scale(keep, p->slope[i]);
    }
    return lost;
}

/// Thickness of the part of the uppermost layer that slips: the least x of
///     |w + m x| = limit (free + x).
static double slipping_part(vec3 w, vec3 m, double limit, double free)
{
    double square = vec3_norm_squared(m) - limit * limit;
    double linear = vec3_dot(w, m) - limit * limit * free;
    double constant = vec3_norm_squared(w) - limit * limit * free * free;
    double divisor = sqrt(fmax(linear * linear - square * constant, 0.0)) - linear;
    return divisor > 0.0 ? constant / divisor : 0.0;
}

/// Moves the pile to an overlap by a displacement w: the top slips as deep as it must, the rest
/// sticks.
static void slip(con_pile *p, double overlap, vec3 w, double limit)
{
    double top = p->count > 0 ? p->top[p->count - 1] : 0.0;
    while (p->count > 0 && vec3_norm(w) > limit * (overlap - p->top[p->count - 1])) {
        int last = p->count - 1;
        double bottom = bottom_of(p, last), thick = p->top[last] - bottom;
        vec3 m = p->slope[last], whole = vec3_add_scaled(w, thick, m);
        if (vec3_norm(whole) > limit * (overlap - bottom)) {
            w = whole;
            p->count--;
            continue;
        }
        double part = fmin(slipping_part(w, m, limit, overlap - p->top[last]), thick);
        w = vec3_add_scaled(w, part, m);
        p->top[last] -= part;
        if (part == thick)
            p->count--;
        break;
    }
    double bottom = p->count > 0 ? p->top[p->count - 1] : 0.0, size = vec3_norm(w);
    if (overlap > bottom) {
        // what slips keeps its direction and has the steepest slope; what is new may stick
        double steep = bottom < top ? limit : fmin(limit, size / (overlap - bottom));
        add_layer(p, overlap, size > 0.0 ? vec3_scale(steep / size, w) : w);
    }
}

/// Joins neighbours, the most alike first, until there is place; the force stays.
static void join(con_pile *p)
{
    while (p->count > CON_PILE_LAYERS) {
        int best = 0;
        double least = INFINITY;
        for (int i = 0; i + 1 < p->count; i++) {
            double f = weight(p, i), g = weight(p, i + 1);
            double cost = f * g > 0.0 ? f * g / (f + g) : 0.0;
            cost *= vec3_norm_squared(vec3_sub(p->slope[i], p->slope[i + 1])) *
                    (p->top[i + 1] - bottom_of(p, i));
            if (cost < least) {
                least = cost;
                best = i;
            }
        }
        double f = weight(p, best), g = weight(p, best + 1);
        vec3 sum = vec3_add_scaled(vec3_scale(f, p->slope[best]), g, p->slope[best + 1]);
        if (f + g > 0.0)
            p->slope[best + 1] = vec3_scale(1.0 / (f + g), sum);
        for (int i = best; i + 1 < p->count; i++) {
            p->top[i] = p->top[i + 1];
            p->slope[i] = p->slope[i + 1];
        }
        p->count--;
    }
}

void con_pile_move(con_pile *p, double overlap, vec3 w, double limit)
{
    vec3 lost = trim(p, overlap, limit);
    slip(p, overlap, vec3_add(w, lost), limit);
    join(p);
}

void con_pile_reshape(con_pile *p, double touch, double shear, double before, double now)
{
    double energy = con_pile_energy(p), power = p->flat ? 1.0 : 1.5;
    p->flat = touch < 0.0;
    p->unit = unit_of(touch, shear);
    power /= p->flat ? 1.0 : 1.5;
    if (before <= 0.0)
        p->count = 0;
    for (int i = 0; i < p->count; i++)
        p->top[i] = now * base_pow(p->top[i] / before, power);
    double made = con_pile_energy(p), share = made > energy ? sqrt(energy / made) : 1.0;
    for (int i = 0; i < p->count; i++)
        p->slope[i] = vec3_scale(share, p->slope[i]);
}
