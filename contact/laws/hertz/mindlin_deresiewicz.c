// SPDX-License-Identifier: Apache-2.0
// Hertz's normal force with Mindlin and Deresiewicz's tangential one: micro-slip that spreads from
// the rim of the contact inwards, and remembers where it turned (docs/laws.md 7.8).
//
// A contact of overlap d is a pile of flat punches, one for each overlap s that it went through on
// its way: the punch of s has the stiffness k_t(s) = 8 G* sqrt(R* s) and slides as soon as its
// slope |m(s)|, its tangential displacement for a unit of overlap, reaches mu k_n / k_t. Slip
// begins at the top, which is the rim. The slope is kept as a few layers in which it is constant.
#include "contact/laws/damping.h"
#include "contact/laws/hertz/hertz.h"
#include "contact/laws/law.h"
#include "contact/laws/slider.h"

#include "base/assert.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct mindlin_deresiewicz {
    double young[2], poisson[2];
    double restitution, tangential_damping_ratio, friction, flat_radius;
    bool attraction;
} mindlin_deresiewicz;

#define FIELD(name) offsetof(mindlin_deresiewicz, name)
static const base_setting settings_rows[] = {
    {"young_modulus", BASE_SETTING_REAL, FIELD(young[0]), "Pa", 1e7, 0.0, DBL_MAX, NULL,
     "E of the first material of the pair"},
    {"poisson_ratio", BASE_SETTING_REAL, FIELD(poisson[0]), "", 0.3, -0.999, 0.5, NULL,
     "nu of the first material"},
    {"young_modulus_second", BASE_SETTING_REAL, FIELD(young[1]), "Pa", 0.0, 0.0, DBL_MAX, NULL,
     "E of the second material; 0: both are the first"},
    {"poisson_ratio_second", BASE_SETTING_REAL, FIELD(poisson[1]), "", 0.3, -0.999, 0.5, NULL,
     "nu of the second material"},
    {"restitution", BASE_SETTING_REAL, FIELD(restitution), "", 0.5, 0.0, 1.0, NULL,
     "coefficient of restitution of head-on impacts"},
    {"tangential_damping_ratio", BASE_SETTING_REAL, FIELD(tangential_damping_ratio), "", 1.0, 0.0,
     DBL_MAX, NULL, "1: the damping ratio of the normal direction along the surface too"},
    {"friction", BASE_SETTING_REAL, FIELD(friction), "", 0.5, 0.0, DBL_MAX, NULL,
     "coefficient of Coulomb friction"},
    {"flat_radius", BASE_SETTING_REAL, FIELD(flat_radius), "m", 0.01, 1e-12, DBL_MAX, NULL,
     "effective radius between sides of which none is a sphere"},
    {"attraction", BASE_SETTING_BOOLEAN, FIELD(attraction), "", 0.0, 0.0, 1.0, NULL,
     "the dashpot may pull while bodies separate"},
};

// a layer of history is its slope and its top; the last one ends at the overlap
enum { LAYERS = 4, LAYER_SIZE = 4, HISTORY_COUNT = LAYERS * LAYER_SIZE };
static const char *const history_names[] = {
    "slope_1_x", "slope_1_y", "slope_1_z", "top_1", "slope_2_x", "slope_2_y", "slope_2_z", "top_2",
    "slope_3_x", "slope_3_y", "slope_3_z", "top_3", "slope_4_x", "slope_4_y", "slope_4_z", "top_4"};

/// Slope of B's displacement against A's over the overlap, from the centre of the contact outwards.
typedef struct pile {
    int count;
    double top[LAYERS + 2]; // m, rising
    vec3 slope[LAYERS + 2];
} pile;

static double bottom_of(const pile *p, int layer)
{
    return layer > 0 ? p->top[layer - 1] : 0.0;
}

static pile read_pile(const double *history, vec3 normal)
{
    pile p = {0};
    for (; p.count < LAYERS && history[p.count * LAYER_SIZE + 3] > 0.0; p.count++) {
        const double *layer = history + p.count * LAYER_SIZE;
        p.slope[p.count] = con_tangent_project(vec3_from(layer), normal);
        p.top[p.count] = layer[3];
    }
    return p;
}

/// Share of the force of Hertz that a layer bears, m^(3/2).
static double weight(const pile *p, int layer)
{
    double top = p->top[layer], bottom = bottom_of(p, layer);
    return top * sqrt(top) - bottom * sqrt(bottom);
}

/// Force of the springs on B over 8 G* sqrt(R*).
static vec3 pile_force(const pile *p)
{
    vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < p->count; i++)
        sum = vec3_add_scaled(sum, -2.0 / 3.0 * weight(p, i), p->slope[i]);
    return sum;
}

/// Their energy over the same: the integral of sqrt(s) m(s) times the displacement of all above s.
static double pile_energy(const pile *p)
{
    vec3 above = {0.0, 0.0, 0.0};
    double sum = 0.0;
    for (int i = p->count - 1; i >= 0; i--) {
        double b = p->top[i], a = bottom_of(p, i), fifth = b * b * sqrt(b) - a * a * sqrt(a);
        vec3 whole = vec3_add_scaled(above, b, p->slope[i]);
        sum += 2.0 / 3.0 * weight(p, i) * vec3_dot(p->slope[i], whole) -
               0.4 * fifth * vec3_norm_squared(p->slope[i]);
        above = vec3_add_scaled(above, b - a, p->slope[i]);
    }
    return sum;
}

static void add_layer(pile *p, double top, vec3 slope)
{
    p->top[p->count] = top;
    p->slope[p->count++] = slope;
}

/// Takes away what lies above an overlap and what is steeper than friction holds.
/// @return m, the displacement that is lost with it
static vec3 trim(pile *p, double overlap, double limit)
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
static void move(pile *p, double overlap, vec3 w, double limit)
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
static void join(pile *p)
{
    while (p->count > LAYERS) {
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

static void write_pile(const pile *p, double *history)
{
    memset(history, 0, HISTORY_COUNT * sizeof *history);
    for (int i = 0; i < p->count; i++) {
        vec3_store(history + i * LAYER_SIZE, p->slope[i]);
        history[i * LAYER_SIZE + 3] = p->top[i];
    }
}

/// Springs and a dashpot along the surface; together they hold at most `limit`.
/// @param unit    8 G* sqrt(R*)
/// @param steep   slope at which punches slide
/// @param dashpot N s/m
static void shear(const con_impulse_input *input, double unit, double steep, double dashpot,
                  double limit, double *history, con_impulse_output *output)
{
    double h = input->step;
    vec3 normal = mat3_row(&input->frame, 0);
    vec3 velocity = mat3_apply_transposed(&input->frame, vec3_make(0.0, input->V[1], input->V[2]));
    pile p = read_pile(history, normal);
    vec3 before = pile_force(&p), travel = vec3_scale(h, velocity);
    double stored = pile_energy(&p);
    vec3 lost = trim(&p, -input->gap, steep);
    move(&p, -input->gap, vec3_add(travel, lost), steep);
    join(&p);
    write_pile(&p, history);
    vec3 after = pile_force(&p), spring = vec3_scale(unit, after);
    double elastic = pile_energy(&p);
    vec3 force = vec3_add_scaled(spring, -dashpot, velocity);
    double size = vec3_norm(force);
    bool slides = size > limit;
    if (slides)
        force = vec3_scale(limit / size, force);
    vec3 rest = vec3_sub(force, spring);
    for (int k = 1; k < 3; k++) {
        vec3 tangent = vec3_scale(h, mat3_row(&input->frame, k));
        output->R[k] = vec3_dot(tangent, force);
        *(slides ? &output->R_friction[k] : &output->R_damping[k]) = vec3_dot(tangent, rest);
    }
    output->elastic += unit * elastic;
    output->releasable += unit * elastic;
    output->friction +=
        -unit * (0.5 * vec3_dot(vec3_add(before, after), travel) + elastic - stored);
}

static void impulse(const void *parameters, const con_impulse_input *input, double *history,
                    con_impulse_output *output)
{
    const mindlin_deresiewicz *p = parameters;
    double h = input->step, overlap = -input->gap, young, sliding;
    con_hertz_moduli(p->young, p->poisson, &young, &sliding);
    // a contact of no area has no stiffness to keep history in
    if (overlap <= 0.0 || young <= 0.0) {
        memset(history, 0, HISTORY_COUNT * sizeof *history);
        return;
    }
    double radius = con_effective_radius(input);
    double root = sqrt(isfinite(radius) ? radius : p->flat_radius), area = root * sqrt(overlap);
    double stiffness = 2.0 * young * area, spring = 2.0 / 3.0 * stiffness * overlap;
    double ratio = 2.0 * sqrt(5.0 / 6.0) * con_damping_ratio(p->restitution, p->attraction);
    double mass = con_effective_mass(input);
    double force = spring - ratio * sqrt(stiffness * mass) * input->V[0];
    if (!p->attraction)
        force = fmax(force, 0.0);
    output->elastic = 0.4 * spring * overlap;
    output->R[0] = h * force;
    output->R_damping[0] = h * (force - spring);
    // what the dashpot presses counts towards friction all over the contact alike
    double limit = p->friction * fmax(force, 0.0), unit = 8.0 * sliding * root;
    double dashpot = p->tangential_damping_ratio * ratio * sqrt(8.0 * sliding * area * mass);
    double steep = limit / (2.0 / 3.0 * unit * overlap * sqrt(overlap));
    shear(input, unit, steep, dashpot, limit, history, output);
}

static con_stiffness stiffness_of(const void *parameters, const con_stiffness_input *input)
{
    const mindlin_deresiewicz *p = parameters;
    double young, sliding;
    con_hertz_moduli(p->young, p->poisson, &young, &sliding);
    double radius = isfinite(input->radius) ? input->radius : p->flat_radius;
    double area = sqrt(radius * input->overlap), normal = 2.0 * young * area;
    double beta = con_damping_ratio(p->restitution, p->attraction);
    return (con_stiffness){
        .normal = normal,
        .tangential = 8.0 * sliding * area,
        .damping = 2.0 * sqrt(5.0 / 6.0) * beta * sqrt(normal * input->mass),
        .impact_steps = con_restitution_steps(beta, false),
    };
}

const con_law con_law_mindlin_deresiewicz = {
    .name = "mindlin_deresiewicz",
    .help =
        "Hertz's elastic spheres with restitution and friction by micro-slip that has hysteresis",
    .kind = CON_LAW_IMPULSE,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(mindlin_deresiewicz)},
    .history_count = HISTORY_COUNT,
    .history_names = history_names,
    .impulse = impulse,
    .stiffness = stiffness_of,
};
