// SPDX-License-Identifier: Apache-2.0
// Linear spring and dashpot with tangential history (docs/laws.md 7.1).
#include "contact/laws/batch.h"
#include "contact/laws/damping.h"
#include "contact/laws/hooke_kernel.h"
#include "contact/laws/slider.h"

#include "base/assert.h"

#include <string.h>

enum { DAMPING_RESTITUTION, DAMPING_VISCOUS, DAMPING_MASS };

static const char *const dampings[] = {"restitution", "viscous", "mass", NULL};

typedef struct hooke {
    double normal_stiffness, tangential_stiffness;
    double restitution, normal_damping, tangential_damping_ratio, friction;
    int damping;
    double flat_radius;
    bool attraction;
    con_rolling rolling;
} hooke;

#define FIELD(name) offsetof(hooke, name)
static const base_setting settings_rows[] = {
    {"normal_stiffness", BASE_SETTING_REAL, FIELD(normal_stiffness), "N/m", 1e5, 0.0, DBL_MAX, NULL,
     "k_n"},
    {"tangential_stiffness", BASE_SETTING_REAL, FIELD(tangential_stiffness), "N/m", 0.0, 0.0,
     DBL_MAX, NULL, "k_t; 0: 2/7 of k_n"},
    {"damping", BASE_SETTING_CHOICE, FIELD(damping), "", 0.0, 0.0, 2.0, dampings,
     "dashpot from restitution, or from normal_damping as it is or times the effective mass"},
    {"restitution", BASE_SETTING_REAL, FIELD(restitution), "", 0.5, 0.0, 1.0, NULL,
     "coefficient of restitution of head-on impacts, for damping = restitution"},
    {"normal_damping", BASE_SETTING_REAL, FIELD(normal_damping), "N s/m", 0.0, 0.0, DBL_MAX, NULL,
     "normal dashpot for damping = viscous; in 1/s for damping = mass"},
    {"tangential_damping_ratio", BASE_SETTING_REAL, FIELD(tangential_damping_ratio), "", 0.5, 0.0,
     DBL_MAX, NULL, "tangential dashpot over normal dashpot"},
    {"friction", BASE_SETTING_REAL, FIELD(friction), "", 0.5, 0.0, DBL_MAX, NULL,
     "coefficient of Coulomb friction"},
    {"attraction", BASE_SETTING_BOOLEAN, FIELD(attraction), "", 0.0, 0.0, 1.0, NULL,
     "the dashpot may pull while bodies separate"},
    {"flat_radius", BASE_SETTING_REAL, FIELD(flat_radius), "m", 0.01, 1e-12, DBL_MAX, NULL,
     "stands for R* of rolling and twisting where neither side is curved"},
    CON_ROLLING_SETTINGS(hooke, rolling),
};

enum {
    SHEAR,
    ROLLING = 3,
    STORED = ROLLING + CON_ROLLING_HISTORY,
    HISTORY_COUNT = STORED + CON_ROLLING_STORED
};
static const char *const history_names[] = {"shear_x",   "shear_y",        "shear_z",
                                            "rolling_x", "rolling_y",      "rolling_z",
                                            "twisting",  "rolling_energy", "twisting_energy"};

static double dashpot_of(const hooke *p, double mass)
{
    if (p->damping == DAMPING_VISCOUS)
        return p->normal_damping;
    if (p->damping == DAMPING_MASS)
        return p->normal_damping * mass;
    return 2.0 * con_damping_ratio(p->restitution, p->attraction) *
           sqrt(p->normal_stiffness * mass);
}

static double tangential_of(const hooke *p)
{
    return p->tangential_stiffness > 0.0 ? p->tangential_stiffness
                                         : 2.0 / 7.0 * p->normal_stiffness;
}

static void impulse(const void *parameters, const con_impulse_input *input, double *history,
                    con_impulse_output *output)
{
    const hooke *p = parameters;
    double h = input->step, overlap = -input->gap;
    if (overlap < 0.0) {
        memset(history, 0, HISTORY_COUNT * sizeof *history);
        return;
    }
    double damping = dashpot_of(p, con_effective_mass(input));
    double spring = p->normal_stiffness * overlap, force = spring - damping * input->V[0];
    if (!p->attraction)
        force = real_max(force, 0.0);
    double stiffness = tangential_of(p);
    con_slider slider = {.stiffness = stiffness,
                         .stiffness_before = stiffness,
                         .damping = p->tangential_damping_ratio * damping,
                         .limit = p->friction * real_max(force, 0.0)};
    output->elastic = 0.5 * spring * overlap;
    con_tangential_force(&slider, input, history + SHEAR, output);
    output->R[0] = h * force;
    output->R_damping[0] = h * (force - spring);
    con_rolling_resist(&p->rolling, input, con_effective_radius(input), real_max(force, 0.0),
                       &slider, history + ROLLING, history + STORED, output);
}

static con_stiffness stiffness_of(const void *parameters, const con_stiffness_input *input)
{
    const hooke *p = parameters;
    double ratio = con_damping_ratio(p->restitution, p->attraction);
    double steps =
        p->damping == DAMPING_RESTITUTION ? con_restitution_steps(ratio, true, p->attraction) : 0.0;
    return (con_stiffness){.normal = p->normal_stiffness,
                           .tangential = tangential_of(p),
                           .damping = dashpot_of(p, input->mass),
                           .impact_steps = steps};
}

static double flat_radius(const void *parameters)
{
    const hooke *p = parameters;
    return con_rolling_resists(&p->rolling) ? p->flat_radius : 0.0;
}

// ---------------------------------------------------------------- kernel

static bool covers(const void *parameters)
{
    return ((const hooke *)parameters)->normal_stiffness > 0.0;
}

static void prepare(const void *parameters, void *terms)
{
    const hooke *p = parameters;
    con_slider_terms *t = terms;
    *t = (con_slider_terms){
        .normal = p->normal_stiffness,
        .tangential = tangential_of(p),
        .damping = p->tangential_damping_ratio,
        .friction = p->friction,
        .least_force = p->attraction ? -INFINITY : 0.0,
    };
    if (p->damping == DAMPING_VISCOUS)
        t->viscous = p->normal_damping;
    else if (p->damping == DAMPING_MASS)
        t->by_mass = p->normal_damping;
    else
        t->by_root =
            2.0 * con_damping_ratio(p->restitution, p->attraction) * sqrt(p->normal_stiffness);
}

static con_rolling rolling_of(const void *parameters)
{
    return ((const hooke *)parameters)->rolling;
}

static void fill_pair(const void *terms, const con_batch_pair *pair, double *columns)
{
    const con_slider_terms *t = terms;
    columns[HOOKE_DAMPING] = t->viscous + t->by_mass * pair->mass + t->by_root * sqrt(pair->mass);
}

static con_batch_state state_of(const void *terms, const double *columns, double overlap)
{
    (void)columns;
    const con_slider_terms *t = terms;
    double spring = t->normal * overlap;
    return (con_batch_state){
        .spring = spring, .stiffness = t->tangential, .elastic = 0.5 * spring * overlap};
}

static const con_batch batch = {
    .kernel = CON_KERNEL_hooke,
    .covers = covers,
    .prepare = prepare,
    .rolling = rolling_of,
    .column_count = HOOKE_COLUMNS,
    .pair = fill_pair,
    .springs = true,
    .takes_clumps = true,
    .state = state_of,
};

const con_law con_law_hooke = {
    .name = "hooke",
    .help = "linear spring and dashpot, tangential spring with Coulomb limit, rolling resistance",
    .kind = CON_LAW_IMPULSE,
    .table = {.settings = settings_rows, .count = BASE_COUNT(settings_rows), .size = sizeof(hooke)},
    .history_count = HISTORY_COUNT,
    .history_names = history_names,
    .impulse = impulse,
    .flat_radius = flat_radius,
    .stiffness = stiffness_of,
    .batch = &batch,
};
