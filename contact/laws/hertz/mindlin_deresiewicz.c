// SPDX-License-Identifier: Apache-2.0
// Hertz's normal force with Mindlin and Deresiewicz's tangential one: micro-slip that spreads from
// the rim of the contact inwards, and remembers where it turned (docs/laws.md 7.8).
#include "contact/laws/damping.h"
#include "contact/laws/hertz/hertz.h"
#include "contact/laws/hertz/pile.h"
#include "contact/laws/hertz/spring.h"
#include "contact/laws/law.h"
#include "contact/laws/rolling.h"

#include "base/assert.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct mindlin_deresiewicz {
    double young[2], poisson[2];
    double restitution, tangential_damping_ratio, friction, flat_radius;
    bool attraction, by_shape;
    con_rolling rolling;
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
     "effective radius between sides of which none is a sphere; of rolling, where none is curved"},
    {"attraction", BASE_SETTING_BOOLEAN, FIELD(attraction), "", 0.0, 0.0, 1.0, NULL,
     "the dashpot may pull while bodies separate"},
    {"stiffness_by_shape", BASE_SETTING_BOOLEAN, FIELD(by_shape), "", 0.0, 0.0, 1.0, NULL,
     "by the curvature, length or area of what touches; flat_radius is that of edges and corners"},
    CON_ROLLING_SETTINGS(mindlin_deresiewicz, rolling),
};

enum {
    PILE,
    ROLLING = PILE + CON_PILE_HISTORY,
    TOUCH = ROLLING + CON_ROLLING_HISTORY,
    STORED = TOUCH + CON_HERTZ_TOUCH_HISTORY,
    HISTORY_COUNT = STORED + CON_ROLLING_STORED
};
static const char *const history_names[] = {
    "slope_1_x",         "slope_1_y", "slope_1_z",      "top_1",
    "slope_2_x",         "slope_2_y", "slope_2_z",      "top_2",
    "slope_3_x",         "slope_3_y", "slope_3_z",      "top_3",
    "slope_4_x",         "slope_4_y", "slope_4_z",      "top_4",
    "rolling_x",         "rolling_y", "rolling_z",      "twisting",
    "reference_overlap", "touch",     "rolling_energy", "twisting_energy"};

static con_hertz_terms terms_of(const mindlin_deresiewicz *p)
{
    con_hertz_terms terms = {.restitution = p->restitution,
                             .flat_radius = p->flat_radius,
                             .attraction = p->attraction,
                             .by_shape = p->by_shape};
    con_hertz_moduli(p->young, p->poisson, &terms.young, &terms.shear);
    return terms;
}

/// How the surface resists.
typedef struct shear_terms {
    double modulus;        // Pa, G*
    double touch[2];       // m, before and now, as of con_hertz_spring_of
    double overlap_before; // m, now by the touch before
    const con_hertz_spring *normal;
    double dashpot, limit; // N s/m; N, of springs and dashpot together
} shear_terms;

/// N/m, 8 G* a at the end of the last step.
static double stiffness_before(const shear_terms *t, const con_pile *pile)
{
    if (pile->count == 0)
        return 8.0 * t->modulus * t->normal->area;
    return 8.0 * t->modulus * con_hertz_spring_of(t->touch[0], pile->top[pile->count - 1]).area;
}

/// Moves the pile and books what it stores and dissipates; returns the force of its springs on B.
static vec3 move_pile(const shear_terms *t, vec3 travel, con_pile *p, con_impulse_output *output)
{
    vec3 before = con_pile_force(p);
    double stored = con_pile_energy(p), overlap = t->normal->overlap;
    if (t->touch[0] != t->touch[1])
        con_pile_reshape(p, t->touch[1], t->modulus, t->overlap_before, overlap);
    // what the dashpot presses counts towards friction all over the contact alike
    con_pile_move(p, overlap, travel, t->limit / con_pile_stiffness(p, overlap));
    vec3 after = con_pile_force(p);
    double elastic = con_pile_energy(p);
    output->elastic += elastic;
    output->releasable += elastic;
    output->friction += stored - elastic - 0.5 * vec3_dot(vec3_add(before, after), travel);
    return after;
}

/// Springs and a dashpot along the surface.
static void shear(const con_impulse_input *input, const shear_terms *t, con_pile *p,
                  con_impulse_output *output)
{
    double h = input->step;
    vec3 velocity = mat3_apply_transposed(&input->frame, vec3_make(0.0, input->V[1], input->V[2]));
    vec3 spring = move_pile(t, vec3_scale(h, velocity), p, output);
    vec3 force = vec3_add_scaled(spring, -t->dashpot, velocity);
    double size = vec3_norm(force);
    bool slides = size > t->limit;
    if (slides)
        force = vec3_scale(t->limit / size, force);
    vec3 rest = vec3_sub(force, spring);
    for (int k = 1; k < 3; k++) {
        vec3 tangent = vec3_scale(h, mat3_row(&input->frame, k));
        output->R[k] = vec3_dot(tangent, force);
        *(slides ? &output->R_friction[k] : &output->R_damping[k]) = vec3_dot(tangent, rest);
    }
}

/// The spring across the surface, and what touched before and touches now.
static con_hertz_spring normal_spring(const con_hertz_terms *terms, const con_impulse_input *input,
                                      double *history, shear_terms *t, con_impulse_output *output)
{
    double radius = con_effective_radius(input), overlap = -input->gap;
    double *kept = history + TOUCH;
    if (!terms->by_shape) {
        t->touch[0] = t->touch[1] = isfinite(radius) ? radius : terms->flat_radius;
        return con_hertz_spring_of(t->touch[0], overlap);
    }
    t->overlap_before = overlap - fmin(kept[CON_HERTZ_REFERENCE_OVERLAP], overlap);
    double before = kept[CON_HERTZ_TOUCH];
    con_hertz_spring spring = con_hertz_shaped_spring(terms, input, kept, output);
    t->touch[1] = kept[CON_HERTZ_TOUCH];
    t->touch[0] = before != 0.0 ? before : t->touch[1];
    return spring;
}

static void impulse(const void *parameters, const con_impulse_input *input, double *history,
                    con_impulse_output *output)
{
    const mindlin_deresiewicz *p = parameters;
    con_hertz_terms terms = terms_of(p);
    // a contact of no area has no stiffness to keep history in
    if (input->gap >= 0.0 || terms.young <= 0.0) {
        memset(history, 0, HISTORY_COUNT * sizeof *history);
        return;
    }
    shear_terms t = {.modulus = terms.shear};
    con_hertz_spring normal = normal_spring(&terms, input, history, &t, output);
    if (normal.overlap == 0.0)
        return;
    double stiffness = 2.0 * terms.young * normal.area, sliding = 8.0 * terms.shear * normal.area;
    double spring = normal.share * stiffness * normal.overlap;
    double ratio = 2.0 * sqrt(5.0 / 6.0) * con_damping_ratio(p->restitution, p->attraction);
    double mass = con_effective_mass(input), h = input->step;
    double force = spring - ratio * sqrt(stiffness * mass) * input->V[0];
    if (!p->attraction)
        force = fmax(force, 0.0);
    output->elastic = normal.stored * spring * normal.overlap;
    output->R[0] = h * force;
    output->R_damping[0] = h * (force - spring);
    t.normal = &normal;
    t.limit = p->friction * fmax(force, 0.0);
    t.dashpot = p->tangential_damping_ratio * ratio * sqrt(sliding * mass);
    con_pile pile = con_pile_read(history, mat3_row(&input->frame, 0), t.touch[0], terms.shear);
    con_slider slider = {.stiffness = sliding, .stiffness_before = stiffness_before(&t, &pile)};
    shear(input, &t, &pile, output);
    con_pile_write(&pile, history);
    con_rolling_resist(&p->rolling, input, con_effective_radius(input), fmax(force, 0.0), &slider,
                       history + ROLLING, history + STORED, output);
}

static con_stiffness stiffness_of(const void *parameters, const con_stiffness_input *input)
{
    con_hertz_terms terms = terms_of(parameters);
    return con_hertz_stiffness(&terms, input);
}

static double corner_radius(const void *parameters)
{
    const mindlin_deresiewicz *p = parameters;
    return p->by_shape ? p->flat_radius : 0.0;
}

static double flat_radius(const void *parameters)
{
    const mindlin_deresiewicz *p = parameters;
    return con_rolling_resists(&p->rolling) ? p->flat_radius : 0.0;
}

const con_law con_law_mindlin_deresiewicz = {
    .name = "mindlin_deresiewicz",
    .help = "Hertz's elastic spheres with restitution, friction by micro-slip that has hysteresis, "
            "rolling resistance",
    .kind = CON_LAW_IMPULSE,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(mindlin_deresiewicz)},
    .history_count = HISTORY_COUNT,
    .history_names = history_names,
    .impulse = impulse,
    .corner_radius = corner_radius,
    .flat_radius = flat_radius,
    .stiffness = stiffness_of,
};
