// SPDX-License-Identifier: Apache-2.0
// Semi-explicit and explicit penalty law with breaking cohesion (docs/laws.md 4).
#include "contact/laws/batch.h"
#include "contact/laws/spring_dashpot_kernel.h"

#include "base/assert.h"
#include "base/elementary.h"

#include <float.h>

enum { VARIANT_SEMI_EXPLICIT, VARIANT_EXPLICIT };
enum { COHESIVE_INITIAL, COHESIVE_ALWAYS };

static const char *const variants[] = {"semi_explicit", "explicit", NULL};
static const char *const cohesive_words[] = {"initial", "always", NULL};

typedef struct spring_dashpot {
    double spring, dashpot, hpow, friction, cohesion;
    int variant, cohesive;
} spring_dashpot;

#define FIELD(name) offsetof(spring_dashpot, name)
static const base_setting settings_rows[] = {
    {"spring", BASE_SETTING_REAL, FIELD(spring), "N/m", 1e6, 0.0, DBL_MAX, NULL,
     "normal spring; N/m^hpow where hpow is not 1"},
    {"dashpot", BASE_SETTING_REAL, FIELD(dashpot), "N s/m", 0.0, -DBL_MAX, DBL_MAX, NULL,
     "normal dashpot; negative: critical damping of the spring's tangent"},
    {"hpow", BASE_SETTING_REAL, FIELD(hpow), "", 1.0, 1.0, DBL_MAX, NULL,
     "Hertz power of the penetration"},
    {"friction", BASE_SETTING_REAL, FIELD(friction), "", 0.0, 0.0, DBL_MAX, NULL,
     "coefficient of Coulomb friction"},
    {"cohesion", BASE_SETTING_REAL, FIELD(cohesion), "N", 0.0, 0.0, DBL_MAX, NULL,
     "tension at which a cohesive contact breaks"},
    {"variant", BASE_SETTING_CHOICE, FIELD(variant), "", 0.0, 0.0, 1.0, variants,
     "normal force with the velocity at the end of the step, or at its begin"},
    {"cohesive", BASE_SETTING_CHOICE, FIELD(cohesive), "", 0.0, 0.0, 1.0, cohesive_words,
     "which contacts start cohesive: those of the first step, or all"},
};

enum { COHESIVE, HISTORY_COUNT };
static const char *const history_names[] = {"cohesive"};

/// g^m of a penetration; 1 for 0^0.
static double power(double g, double m)
{
    return m == 1.0 ? g : base_pow(g, m);
}

static double slope(const spring_dashpot *p, double penetration)
{
    return p->hpow == 1.0 ? p->spring : p->spring * p->hpow * base_pow(penetration, p->hpow - 1.0);
}

static double dashpot_of(const spring_dashpot *p, double tangent, double W_NN)
{
    if (p->dashpot >= 0.0)
        return p->dashpot;
    return W_NN > 0.0 ? 2.0 * sqrt(tangent / W_NN) : 0.0;
}

/// Normal force of either variant, N; `free` is B_N with the last friction in it.
static double normal_force(const spring_dashpot *p, const con_impulse_input *input, double free)
{
    double h = input->step, V = input->V[0], W = input->W.m[0][0];
    double g = input->gap;
    if (p->variant == VARIANT_SEMI_EXPLICIT)
        g += 0.25 * h * (free - V);
    double penetration = fmax(-g, 0.0), tangent = slope(p, penetration);
    double spring = p->spring * power(penetration, p->hpow), d = dashpot_of(p, tangent, W);
    if (p->variant == VARIANT_EXPLICIT)
        return spring - d * V;
    return (spring - 0.5 * d * (free + V)) / (1.0 + (0.25 * h * tangent + 0.5 * d) * h * W);
}

/// R_T that stops sliding in this step; zero where W_TT is singular.
static void stick(const con_impulse_input *input, double R_N, double R_T[2])
{
    const double(*W)[3] = input->W.m;
    double a = W[1][1], b = W[1][2], c = W[2][1], d = W[2][2], determinant = a * d - b * c;
    double u = input->B[1] + W[1][0] * R_N, v = input->B[2] + W[2][0] * R_N;
    R_T[0] = determinant != 0.0 ? -(d * u - b * v) / determinant : 0.0;
    R_T[1] = determinant != 0.0 ? -(a * v - c * u) / determinant : 0.0;
}

/// Cohesion breaks by tension, then by slip; slip is limited to mu |R_N|.
static con_break limit(const spring_dashpot *p, double h, double *cohesive, double R[3])
{
    bool held = *cohesive != 0.0;
    if (held && R[0] < -p->cohesion * h) {
        R[0] = -p->cohesion * h;
        *cohesive = 0.0;
    }
    con_break broken = held && *cohesive == 0.0 ? CON_BREAK_TENSION : CON_UNBROKEN;
    double most = p->friction * fabs(R[0]), size = base_hypot(R[1], R[2]);
    if (size > most) {
        R[1] *= most / size;
        R[2] *= most / size;
        *cohesive = 0.0;
        if (held && broken == CON_UNBROKEN)
            broken = CON_BREAK_SHEAR;
    }
    return broken;
}

static void impulse(const void *parameters, const con_impulse_input *input, double *history,
                    con_impulse_output *output)
{
    const spring_dashpot *p = parameters;
    double h = input->step;
    if (input->fresh)
        history[COHESIVE] =
            p->cohesion > 0.0 && (input->initial || p->cohesive == COHESIVE_ALWAYS) ? 1.0 : 0.0;
    if (input->gap > 0.0 && history[COHESIVE] == 0.0)
        return;
    double penetration = fmax(-input->gap, 0.0);
    output->elastic = p->spring * base_pow(penetration, p->hpow + 1.0) / (p->hpow + 1.0);
    double elastic = h * p->spring * power(penetration, p->hpow);
    const double *W = input->W.m[0], *R_before = input->R_previous;
    double free = input->B[0] + W[1] * R_before[1] + W[2] * R_before[2];
    double R[3] = {h * normal_force(p, input, free), 0.0, 0.0};
    if (history[COHESIVE] == 0.0 && R[0] < 0.0) {
        output->R_damping[0] = -elastic;
        return;
    }
    stick(input, R[0], R + 1);
    output->broken = limit(p, h, &history[COHESIVE], R);
    for (int k = 0; k < 3; k++)
        output->R[k] = R[k];
    output->R_damping[0] = R[0] - elastic;
    output->R_friction[1] = R[1];
    output->R_friction[2] = R[2];
}

static bool bonded(const void *parameters, const double *history)
{
    (void)parameters;
    return history[COHESIVE] != 0.0;
}

/// Friction has no spring. The dashpot of the semi-explicit variant sees the mean velocity of the
/// step.
static con_stiffness stiffness_of(const void *parameters, const con_stiffness_input *input)
{
    const spring_dashpot *p = parameters;
    double tangent = slope(p, input->overlap);
    bool late = p->variant == VARIANT_EXPLICIT && input->mass > 0.0;
    return (con_stiffness){.normal = tangent,
                           .damping = late ? dashpot_of(p, tangent, 1.0 / input->mass) : 0.0};
}

// ---------------------------------------------------------------- kernel

/// A bond acts across a gap, which lists of pairs of spheres do not follow.
static bool covers(const void *parameters)
{
    return ((const spring_dashpot *)parameters)->cohesion == 0.0;
}

static void prepare(const void *parameters, void *terms)
{
    const spring_dashpot *p = parameters;
    *(spring_dashpot_terms *)terms = (spring_dashpot_terms){
        .spring = p->spring,
        .hpow = p->hpow,
        .dashpot = p->dashpot,
        .friction = p->friction,
        .halves = con_halves(p->hpow),
        .halves_slope = con_halves(p->hpow - 1.0),
        .semi = p->variant == VARIANT_SEMI_EXPLICIT,
    };
}

static void fill_pair(const void *terms, const con_batch_pair *pair, double *columns)
{
    (void)terms;
    con_batch_look_ahead(pair, SPRING_DASHPOT_AHEAD, columns);
}

static con_batch_state state_of(const void *terms, const double *columns, double overlap)
{
    (void)columns;
    const spring_dashpot_terms *t = terms;
    return (con_batch_state){.spring = t->spring * power(overlap, t->hpow),
                             .elastic =
                                 t->spring * base_pow(overlap, t->hpow + 1.0) / (t->hpow + 1.0)};
}

static const con_batch batch = {
    .kernel = CON_KERNEL_spring_dashpot,
    .covers = covers,
    .prepare = prepare,
    .column_count = SPRING_DASHPOT_COLUMNS,
    .pair = fill_pair,
    .state = state_of,
};

const con_law con_law_spring_dashpot = {
    .name = "spring_dashpot",
    .help = "penalty law: spring, dashpot, Hertz power, stick or slip, cohesion that breaks",
    .kind = CON_LAW_IMPULSE,
    .breaks = true,
    .uses_mobility = true,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(spring_dashpot)},
    .history_count = HISTORY_COUNT,
    .history_names = history_names,
    .impulse = impulse,
    .stiffness = stiffness_of,
    .bonded = bonded,
    .batch = &batch,
};
