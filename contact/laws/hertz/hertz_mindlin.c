// SPDX-License-Identifier: Apache-2.0
// Hertz's normal force and Mindlin's tangential one without micro-slip (docs/laws.md 7.2).
#include "contact/laws/batch.h"
#include "contact/laws/damping.h"
#include "contact/laws/hertz/hertz.h"
#include "contact/laws/hertz/spring.h"
#include "contact/laws/hertz_mindlin_kernel.h"
#include "contact/laws/slider.h"

#include "base/assert.h"

#include <string.h>

typedef struct hertz_mindlin {
    double young_modulus, poisson_ratio, young_modulus_second, poisson_ratio_second;
    double restitution, tangential_damping_ratio, friction, flat_radius;
    bool attraction, by_shape;
    con_rolling rolling;
} hertz_mindlin;

#define FIELD(name) offsetof(hertz_mindlin, name)
static const base_setting settings_rows[] = {
    {"young_modulus", BASE_SETTING_REAL, FIELD(young_modulus), "Pa", 1e7, 0.0, DBL_MAX, NULL,
     "E of the first material of the pair"},
    {"poisson_ratio", BASE_SETTING_REAL, FIELD(poisson_ratio), "", 0.3, -0.999, 0.5, NULL,
     "nu of the first material"},
    {"young_modulus_second", BASE_SETTING_REAL, FIELD(young_modulus_second), "Pa", 0.0, 0.0,
     DBL_MAX, NULL, "E of the second material; 0: both are the first"},
    {"poisson_ratio_second", BASE_SETTING_REAL, FIELD(poisson_ratio_second), "", 0.3, -0.999, 0.5,
     NULL, "nu of the second material"},
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
    CON_ROLLING_SETTINGS(hertz_mindlin, rolling),
};

enum {
    SHEAR,
    ROLLING = 3,
    SLOPE = ROLLING + CON_ROLLING_HISTORY,
    TOUCH,
    STORED = TOUCH + CON_HERTZ_TOUCH_HISTORY,
    HISTORY_COUNT = STORED + CON_ROLLING_STORED
};
static const char *const history_names[] = {
    "shear_x",           "shear_y",   "shear_z",        "rolling_x",
    "rolling_y",         "rolling_z", "twisting",       "tangential_stiffness",
    "reference_overlap", "touch",     "rolling_energy", "twisting_energy"};

static con_hertz_terms terms_of(const hertz_mindlin *p)
{
    const double E[2] = {p->young_modulus, p->young_modulus_second};
    const double nu[2] = {p->poisson_ratio, p->poisson_ratio_second};
    con_hertz_terms terms = {.restitution = p->restitution,
                             .flat_radius = p->flat_radius,
                             .attraction = p->attraction,
                             .by_shape = p->by_shape};
    con_hertz_moduli(E, nu, &terms.young, &terms.shear);
    return terms;
}

/// Tangential slider of this overlap. While the area shrinks the spring loses force with it, so
/// that unloading never makes energy.
static con_slider slider_of(const hertz_mindlin *p, double stiffness, double damping, double force,
                            double *history)
{
    double before = history[SLOPE] > 0.0 ? history[SLOPE] : stiffness;
    con_slider slider = {.stiffness = stiffness,
                         .stiffness_before = before,
                         .damping = damping,
                         .limit = p->friction * fmax(force, 0.0)};
    history[SLOPE] = stiffness;
    return slider;
}

static void impulse(const void *parameters, const con_impulse_input *input, double *history,
                    con_impulse_output *output)
{
    const hertz_mindlin *p = parameters;
    double h = input->step, overlap = -input->gap;
    // a contact of no area has no stiffness to keep history in
    if (overlap <= 0.0) {
        memset(history, 0, HISTORY_COUNT * sizeof *history);
        return;
    }
    con_hertz_terms terms = terms_of(p);
    double radius = con_effective_radius(input);
    con_hertz_spring normal =
        p->by_shape ? con_hertz_shaped_spring(&terms, input, history + TOUCH, output)
                    : con_hertz_spring_of(isfinite(radius) ? radius : p->flat_radius, overlap);
    if (normal.overlap == 0.0)
        return;
    double stiffness = 2.0 * terms.young * normal.area, sliding = 8.0 * terms.shear * normal.area;
    double ratio = 2.0 * sqrt(5.0 / 6.0) * con_damping_ratio(p->restitution, p->attraction);
    double mass = con_effective_mass(input), damping = ratio * sqrt(stiffness * mass);
    double spring = normal.share * stiffness * normal.overlap;
    double force = spring - damping * input->V[0];
    if (!p->attraction)
        force = fmax(force, 0.0);
    output->elastic = normal.stored * spring * normal.overlap;
    con_slider slider = slider_of(
        p, sliding, p->tangential_damping_ratio * ratio * sqrt(sliding * mass), force, history);
    con_tangential_force(&slider, input, history + SHEAR, output);
    output->R[0] = h * force;
    output->R_damping[0] = h * (force - spring);
    con_rolling_resist(&p->rolling, input, radius, fmax(force, 0.0), &slider, history + ROLLING,
                       history + STORED, output);
}

static con_stiffness stiffness_of(const void *parameters, const con_stiffness_input *input)
{
    con_hertz_terms terms = terms_of(parameters);
    return con_hertz_stiffness(&terms, input);
}

static double flat_radius(const void *parameters)
{
    const hertz_mindlin *p = parameters;
    return con_rolling_resists(&p->rolling) ? p->flat_radius : 0.0;
}

// ---------------------------------------------------------------- kernel

static bool covers(const void *parameters)
{
    const hertz_mindlin *p = parameters;
    return p->young_modulus > 0.0 && !p->by_shape;
}

static double corner_radius(const void *parameters)
{
    const hertz_mindlin *p = parameters;
    return p->by_shape ? p->flat_radius : 0.0;
}

static void prepare(const void *parameters, void *terms)
{
    const hertz_mindlin *p = parameters;
    con_hertz_terms moduli = terms_of(p);
    double stiffness = 2.0 * moduli.young, sliding = 8.0 * moduli.shear;
    double beta = con_damping_ratio(p->restitution, p->attraction);
    *(con_slider_terms *)terms = (con_slider_terms){
        .normal = 2.0 / 3.0 * stiffness,
        .tangential = sliding,
        .damping = p->tangential_damping_ratio * sqrt(sliding / stiffness),
        .friction = p->friction,
        .least_force = p->attraction ? -INFINITY : 0.0,
        .by_root = 2.0 * sqrt(5.0 / 6.0) * beta * sqrt(stiffness),
    };
}

static con_rolling rolling_of(const void *parameters)
{
    return ((const hertz_mindlin *)parameters)->rolling;
}

static void fill_pair(const void *terms, const con_batch_pair *pair, double *columns)
{
    const con_slider_terms *t = terms;
    double root = sqrt(pair->radius);
    columns[HERTZ_DAMPING] = t->by_root * sqrt(pair->mass) * sqrt(root);
    columns[HERTZ_ROOT_RADIUS] = root;
}

static con_batch_state state_of(const void *terms, const double *columns, double overlap)
{
    const con_slider_terms *t = terms;
    double area = columns[HERTZ_ROOT_RADIUS] * sqrt(overlap), spring = t->normal * area * overlap;
    return (con_batch_state){
        .spring = spring, .stiffness = columns[HERTZ_SLOPE], .elastic = 0.4 * spring * overlap};
}

static const con_batch batch = {
    .kernel = CON_KERNEL_hertz_mindlin,
    .covers = covers,
    .prepare = prepare,
    .rolling = rolling_of,
    .column_count = HERTZ_COLUMNS,
    .pair = fill_pair,
    .springs = true,
    .first_kept = SLOPE,
    .kept_count = 1,
    .takes_clumps = true,
    .state = state_of,
};

const con_law con_law_hertz_mindlin = {
    .name = "hertz_mindlin",
    .help = "Hertz and Mindlin's elastic spheres with restitution, friction, rolling resistance",
    .kind = CON_LAW_IMPULSE,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(hertz_mindlin)},
    .history_count = HISTORY_COUNT,
    .history_names = history_names,
    .impulse = impulse,
    .corner_radius = corner_radius,
    .flat_radius = flat_radius,
    .stiffness = stiffness_of,
    .batch = &batch,
};
