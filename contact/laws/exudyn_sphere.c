// SPDX-License-Identifier: Apache-2.0
// Sphere-sphere connector: impact models, adhesive elasto-plastic model, regularised friction
// (docs/laws.md 6).
#include "contact/laws/batch.h"
#include "contact/laws/exudyn_sphere_kernel.h"

#include "base/assert.h"
#include "base/elementary.h"

#include <float.h>

enum { COMPATIBILITY_PHYSICAL, COMPATIBILITY_EXUDYN };

static const char *const compatibilities[] = {"physical", "exudyn", NULL};

typedef struct exudyn_sphere {
    double stiffness, exponent, damping, friction, zone;
    double pull_off, plasticity, adhesion, adhesion_exponent;
    double restitution, minimum_velocity;
    int model, compatibility;
    bool active;
} exudyn_sphere;

#define FIELD(name) offsetof(exudyn_sphere, name)
#define REAL(name, field, unit, initial, minimum, maximum, help)                                   \
    {                                                                                              \
        name, BASE_SETTING_REAL, FIELD(field), unit, initial, minimum, maximum, NULL, help         \
    }
static const base_setting settings_rows[] = {
    REAL("contact_stiffness", stiffness, "N/m", 0.0, 0.0, DBL_MAX,
         "k_c, normal stiffness; N/m^n for an exponent n"),
    REAL("contact_stiffness_exponent", exponent, "", 1.0, 1e-3, DBL_MAX,
         "n, power of the overlap in the normal force"),
    REAL("contact_damping", damping, "N s/m", 0.0, 0.0, DBL_MAX,
         "d_c, linear normal dashpot, added to every impact model"),
    REAL("dynamic_friction", friction, "", 0.0, 0.0, DBL_MAX, "coefficient of friction"),
    REAL("friction_proportional_zone", zone, "m/s", 1e-3, 0.0, DBL_MAX,
         "sliding velocity up to which friction is proportional to it"),
    REAL("constant_pull_off_force", pull_off, "N", 0.0, 0.0, DBL_MAX,
         "f_adh of the adhesive elasto-plastic model"),
    REAL("contact_plasticity_ratio", plasticity, "", 0.0, 0.0, 1.0 - 2.0 * DBL_EPSILON,
         "lambda_P = 1 - k_c/k_2; 0 switches the adhesive elasto-plastic model off"),
    REAL("adhesion_coefficient", adhesion, "N/m", 0.0, 0.0, DBL_MAX,
         "k_adh of the adhesive elasto-plastic model; N/m^x for an exponent x"),
    REAL("adhesion_exponent", adhesion_exponent, "", 1.0, 0.0, DBL_MAX,
         "x, power of the overlap in the adhesion"),
    REAL("restitution_coefficient", restitution, "", 1.0, 1e-9, 1.0,
         "coefficient of restitution of impact models 1 and 2"),
    REAL("minimum_impact_velocity", minimum_velocity, "m/s", 0.0, 0.0, DBL_MAX,
         "lower bound of the impact velocity that scales the damping"),
    {"impact_model", BASE_SETTING_INTEGER, FIELD(model), "", 0.0, 0.0, 2.0, NULL,
     "0 linear, 1 Hunt-Crossley, 2 Carvalho-Martins and Gonthier"},
    {"active_connector", BASE_SETTING_BOOLEAN, FIELD(active), "", 1.0, 0.0, 1.0, NULL,
     "false: no force"},
    {"compatibility", BASE_SETTING_CHOICE, FIELD(compatibility), "", 0.0, 0.0, 1.0, compatibilities,
     "exudyn: where the program departs from its text, do as the program"},
};

enum {
    GAP,
    TANGENTIAL_VELOCITY,
    IMPACT_VELOCITY,
    PLASTIC_OVERLAP,
    PART_OF_STEP,
    EXPECTED_VELOCITY,
    HISTORY_COUNT
};
static const char *const history_names[] = {
    "gap",          "tangential_velocity", "impact_velocity", "plastic_overlap",
    "part_of_step", "expected_velocity"};

/// d^n, exact for the usual powers.
static double power(double d, double n)
{
    return n == 1.0 ? d : n == 2.0 ? d * d : base_pow(d, n);
}

static bool is_flat(const con_impulse_input *input)
{
    return isinf(input->radius[0]) || isinf(input->radius[1]);
}

static bool is_plastic(const exudyn_sphere *p, const con_impulse_input *input)
{
    bool offered = p->compatibility == COMPATIBILITY_PHYSICAL || !is_flat(input);
    return p->model == 0 && p->plasticity > 0.0 && offered;
}

static exudyn_plastic plastic_of(const exudyn_sphere *p)
{
    // the program takes the adhesion's exponent only beside a stiffness exponent that is not 1
    bool plain = p->compatibility == COMPATIBILITY_EXUDYN && p->exponent == 1.0;
    return (exudyn_plastic){
        .k1 = p->stiffness,
        .k2 = p->stiffness / (1.0 - p->plasticity),
        .adhesion = p->adhesion,
        .pull_off = p->pull_off,
        .n = p->exponent,
        .x = plain ? 1.0 : p->adhesion_exponent,
        .ratio = base_pow(p->plasticity, 1.0 / p->exponent),
    };
}

/// Loading line, unloading line and adhesion line, whichever applies.
static double plastic_force(const exudyn_plastic *m, double overlap, double plastic)
{
    double loading = m->k1 * power(overlap, m->n);
    double unloading = m->k2 * (power(overlap, m->n) - power(plastic, m->n));
    double adhesion = -m->adhesion * power(overlap, m->x);
    return fmin(loading, fmax(unloading, adhesion)) - m->pull_off;
}

/// Overlap at which unloading meets the adhesion line.
static double switch_overlap(const exudyn_plastic *m, double plastic)
{
    if (m->adhesion == 0.0 || m->x == m->n)
        return plastic * base_pow(m->k2 / (m->k2 + m->adhesion), 1.0 / m->n);
    double low = 0.0, high = plastic, target = m->k2 * power(plastic, m->n);
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (low + high);
        bool above = m->k2 * power(middle, m->n) + m->adhesion * power(middle, m->x) > target;
        *(above ? &high : &low) = middle;
    }
    return 0.5 * (low + high);
}

/// Work that the contact gives back on the way from `overlap` to separation, J.
static double plastic_stored(const exudyn_plastic *m, double overlap, double plastic)
{
    double split = fmin(switch_overlap(m, plastic), overlap), n = m->n + 1.0;
    double adhesive = -m->adhesion * base_pow(split, m->x + 1.0) / (m->x + 1.0);
    double unloading = m->k2 * ((base_pow(overlap, n) - base_pow(split, n)) / n -
                                power(plastic, m->n) * (overlap - split));
    return adhesive + unloading - m->pull_off * overlap;
}

double con_exudyn_plastic_lost(const exudyn_plastic *m, double plastic)
{
    double overlap = plastic / m->ratio, n = m->n + 1.0;
    double given = m->k1 * base_pow(overlap, n) / n - m->pull_off * overlap;
    return plastic > 0.0 ? given - plastic_stored(m, overlap, plastic) : 0.0;
}

/// Spring force of models without plasticity and its energy, or those of the plastic model.
static double spring_force(const exudyn_sphere *p, const con_impulse_input *input, double *history,
                           con_impulse_output *output)
{
    double overlap = -input->gap;
    if (!is_plastic(p, input)) {
        output->elastic = p->stiffness * base_pow(overlap, p->exponent + 1.0) / (p->exponent + 1.0);
        return p->stiffness * power(overlap, p->exponent);
    }
    exudyn_plastic m = plastic_of(p);
    double before = history[PLASTIC_OVERLAP], plastic = fmax(before, m.ratio * overlap);
    history[PLASTIC_OVERLAP] = plastic;
    output->elastic = plastic_stored(&m, overlap, plastic);
    if (plastic > before)
        output->plastic =
            con_exudyn_plastic_lost(&m, plastic) - con_exudyn_plastic_lost(&m, before);
    return plastic_force(&m, overlap, plastic);
}

/// Damping of the impact model times the impact velocity, over d^n.
static double impact_damping(const exudyn_sphere *p)
{
    double e = p->restitution;
    if (p->model == 0)
        return 0.0;
    if (p->model == 1)
        return 1.5 * (1.0 - e) * p->stiffness;
    if (e > 1.0 / 3.0)
        return 1.5 * (1.0 - e) * (11.0 - e) / (1.0 + 9.0 * e) * p->stiffness;
    return (1.0 - e * e) / e * p->stiffness;
}

/// Coefficient of v_n in the force of the impact model, N s/m.
static double damping_of(const exudyn_sphere *p, double overlap, double impact)
{
    double velocity = fmax(p->minimum_velocity, impact);
    if (p->model == 0 || velocity <= 0.0)
        return 0.0;
    return impact_damping(p) / velocity * power(overlap, p->exponent);
}

/// Tangential velocity in the middle of the step, or at t_n without W, before friction acts; the
/// program takes that of a sphere on a plane at the full distance.
static void tangential_velocity(const exudyn_sphere *p, const con_impulse_input *input, double v[2])
{
    v[0] = 0.5 * (input->V[1] + input->B[1]);
    v[1] = 0.5 * (input->V[2] + input->B[2]);
    if (p->compatibility == COMPATIBILITY_PHYSICAL || !is_flat(input))
        return;
    vec3 omega = vec3_add(input->angular_velocity[0], input->angular_velocity[1]);
    vec3 shift = vec3_scale(-0.5 * input->gap, vec3_cross(omega, mat3_row(&input->frame, 0)));
    v[0] += vec3_dot(shift, mat3_row(&input->frame, 1));
    v[1] += vec3_dot(shift, mat3_row(&input->frame, 2));
}

/// Friction of the velocity that is left when it has acted for half a step, docs/laws.md (6.7).
static void friction(const exudyn_sphere *p, const con_impulse_input *input, double force,
                     double R[3])
{
    double v[2], h = input->step, W = 0.5 * (input->W.m[1][1] + input->W.m[2][2]);
    tangential_velocity(p, input, v);
    double speed = base_hypot(v[0], v[1]);
    // the program lets tension reverse friction
    double most =
        p->friction * (p->compatibility == COMPATIBILITY_EXUDYN ? force : fmax(force, 0.0));
    if (speed == 0.0 || most == 0.0)
        return;
    double reach = p->zone + 0.5 * h * W * fmax(most, 0.0), size = most;
    if (speed < reach)
        size = most * speed / reach;
    R[1] = -h * size * v[0] / speed;
    R[2] = -h * size * v[1] / speed;
}

/// From the time of the velocities to the touch, in steps: -1/2 .. 1/2. 0 for a contact that did
/// not close within the step, and where only the force of the state is asked for.
static double closing_share(const con_impulse_input *input)
{
    double travel = -input->V[0] * input->step;
    if (input->initial || input->W.m[0][0] == 0.0 || !(-input->gap < 1.1 * travel))
        return 0.0;
    return fmax(0.5 + input->gap / travel, -0.5);
}

/// Keeps the velocity of the touch, docs/laws.md (6.8), and the part of the step in which the
/// contact is there. @return what other contacts did to the normal velocity in the step before, m/s
static double notice_impact(const exudyn_sphere *p, const con_impulse_input *input, double *history)
{
    bool there_already = p->compatibility == COMPATIBILITY_EXUDYN && input->initial;
    bool closes = history[GAP] > 0.0 || (input->fresh && !there_already);
    double V = input->V[0], part = history[PART_OF_STEP], others = 0.0;
    history[PART_OF_STEP] = closes ? 1.0 - closing_share(input) : 1.0;
    if (closes) {
        history[IMPACT_VELOCITY] = -(V + (1.0 - history[PART_OF_STEP]) * (input->B[0] - V));
    } else if (part > 0.0 && input->W.m[0][0] > 0.0) {
        others = V - history[EXPECTED_VELOCITY];
        history[IMPACT_VELOCITY] -= (1.0 - part) * others;
    }
    history[GAP] = input->gap;
    history[TANGENTIAL_VELOCITY] = base_hypot(input->V[1], input->V[2]);
    return others;
}

/// The impact velocity stays until the next impact.
static void keep_open(const void *parameters, const con_impulse_input *input, double *history)
{
    (void)parameters;
    history[GAP] = input->gap;
    history[TANGENTIAL_VELOCITY] = base_hypot(input->V[1], input->V[2]);
    history[PLASTIC_OVERLAP] = 0.0;
    history[PART_OF_STEP] = history[EXPECTED_VELOCITY] = 0.0;
}

/// Force of spring and dashpots, which see the mean velocity of the step. That of other contacts is
/// taken to change as in the step before, less where this contact's own dashpot is stiff.
static double damped(const con_impulse_input *input, double spring, double damping, double others)
{
    double stiff = 1.0 + 0.5 * damping * input->step * input->W.m[0][0];
    double mean = 0.5 * (input->V[0] + input->B[0] + others / (stiff * stiff));
    return (spring - damping * mean) / stiff;
}

/// Mean force over the step along the normal. The linear dashpot acts for the part of the step in
/// which the contact is there, docs/laws.md (6.9).
static double normal_force(const exudyn_sphere *p, const con_impulse_input *input, double spring,
                           double others, double *history)
{
    double h = input->step, W = input->W.m[0][0], part = history[PART_OF_STEP];
    double impact = damping_of(p, -input->gap, history[IMPACT_VELOCITY]);
    double force = damped(input, spring, impact + part * p->damping, others);
    double end = input->B[0] + h * W * force + others;
    // it may open before the next step
    if (W > 0.0 && p->damping > 0.0 && -input->gap < h * end)
        force = damped(input, spring, impact + (part - 0.5 - input->gap / (h * end)) * p->damping,
                       others);
    history[EXPECTED_VELOCITY] = input->B[0] + h * W * force;
    return force;
}

static void impulse(const void *parameters, const con_impulse_input *input, double *history,
                    con_impulse_output *output)
{
    const exudyn_sphere *p = parameters;
    double h = input->step;
    if (!p->active)
        return;
    if (input->gap > 0.0) {
        keep_open(p, input, history);
        return;
    }
    double others = notice_impact(p, input, history);
    double spring = spring_force(p, input, history, output);
    double force = normal_force(p, input, spring, others, history);
    output->R[0] = h * force;
    output->R_damping[0] = h * (force - spring);
    if (p->friction > 0.0)
        friction(p, input, force, output->R);
    output->R_friction[1] = output->R[1];
    output->R_friction[2] = output->R[2];
}

/// The steepest line is that of unloading. The dashpots see the mean velocity of the step, and
/// friction has no spring.
static con_stiffness stiffness_of(const void *parameters, const con_stiffness_input *input)
{
    const exudyn_sphere *p = parameters;
    double stiffness = p->stiffness;
    if (!p->active)
        return (con_stiffness){0};
    if (p->model == 0 && p->plasticity > 0.0)
        stiffness /= 1.0 - p->plasticity;
    return (con_stiffness){.normal =
                               stiffness * p->exponent * power(input->overlap, p->exponent - 1.0)};
}

// ---------------------------------------------------------------- kernel

static bool covers(const void *parameters)
{
    return ((const exudyn_sphere *)parameters)->active;
}

static void prepare(const void *parameters, void *terms)
{
    const exudyn_sphere *p = parameters;
    exudyn_plastic model = plastic_of(p);
    *(exudyn_terms *)terms = (exudyn_terms){
        .stiffness = p->stiffness,
        .exponent = p->exponent,
        .damping = p->damping,
        .impact_damping = impact_damping(p),
        .minimum_velocity = p->minimum_velocity,
        .friction = p->friction,
        .zone = p->zone,
        .halves = con_halves(p->exponent),
        .halves_adhesion = con_halves(model.x),
        .plastic = p->model == 0 && p->plasticity > 0.0,
        .as_program = p->compatibility == COMPATIBILITY_EXUDYN,
        .model = model,
    };
}

static void fill_pair(const void *terms, const con_batch_pair *pair, double *columns)
{
    (void)terms;
    con_batch_look_ahead(pair, EXUDYN_AHEAD, columns);
    columns[EXUDYN_FLAT] = pair->flat ? 1.0 : 0.0;
}

static con_batch_state state_of(const void *terms, const double *columns, double overlap)
{
    const exudyn_terms *t = terms;
    double plastic = columns[EXUDYN_PLASTIC_OVERLAP];
    if (t->plastic && !(t->as_program && columns[EXUDYN_FLAT] > 0.0))
        return (con_batch_state){.spring = plastic_force(&t->model, overlap, plastic),
                                 .elastic = plastic_stored(&t->model, overlap, plastic),
                                 .lost = con_exudyn_plastic_lost(&t->model, plastic)};
    return (con_batch_state){.spring = t->stiffness * power(overlap, t->exponent),
                             .elastic = t->stiffness * base_pow(overlap, t->exponent + 1.0) /
                                        (t->exponent + 1.0)};
}

static const con_batch batch = {
    .kernel = CON_KERNEL_exudyn_sphere,
    .covers = covers,
    .prepare = prepare,
    .column_count = EXUDYN_COLUMNS,
    .pair = fill_pair,
    .first_kept = GAP,
    .kept_count = HISTORY_COUNT,
    .state = state_of,
};

const con_law con_law_exudyn_sphere = {
    .name = "exudyn_sphere",
    .help = "power law with impact models, adhesive elasto-plasticity and regularised friction",
    .kind = CON_LAW_IMPULSE,
    .uses_mobility = true,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(exudyn_sphere)},
    .history_count = HISTORY_COUNT,
    .history_names = history_names,
    .impulse = impulse,
    .open = keep_open,
    .stiffness = stiffness_of,
    .batch = &batch,
};
