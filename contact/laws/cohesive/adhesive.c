// SPDX-License-Identifier: Apache-2.0
// Elastic spheres that attract each other: Johnson, Kendall and Roberts; Derjaguin, Muller and
// Toporov; Willett's liquid bridges (docs/laws.md 7.6).
#include "contact/laws/damping.h"
#include "contact/laws/hertz/hertz.h"
#include "contact/laws/rolling.h"
#include "contact/laws/slider.h"

#include "base/assert.h"
#include "base/elementary.h"

#include <math.h>
#include <string.h>

enum { MODEL_JKR, MODEL_DMT, MODEL_CAPILLARY };
static const char *const models[] = {"jkr", "dmt", "capillary", NULL};

typedef struct adhesive {
    double young[2], poisson[2];
    double restitution, tangential_damping_ratio, friction, flat_radius;
    double surface_energy, surface_tension, contact_angle, bridge_volume;
    double rolling_friction, rolling_stiffness, rolling_damping;
    int model;
    bool by_shape;
} adhesive;

#define FIELD(name) offsetof(adhesive, name)
static const base_setting settings_rows[] = {
    {"young_modulus", BASE_SETTING_REAL, FIELD(young[0]), "Pa", 1e7, 0.0, DBL_MAX, NULL,
     "E of the first material of the pair"},
    {"poisson_ratio", BASE_SETTING_REAL, FIELD(poisson[0]), "", 0.3, -0.999, 0.5, NULL,
     "nu of the first material"},
    {"young_modulus_second", BASE_SETTING_REAL, FIELD(young[1]), "Pa", 0.0, 0.0, DBL_MAX, NULL,
     "E of the second material; 0: both are the first"},
    {"poisson_ratio_second", BASE_SETTING_REAL, FIELD(poisson[1]), "", 0.3, -0.999, 0.5, NULL,
     "nu of the second material"},
    {"adhesion", BASE_SETTING_CHOICE, FIELD(model), "", 0.0, 0.0, 2.0, models,
     "jkr: short-ranged, soft; dmt: long-ranged, stiff; capillary: a liquid bridge"},
    {"surface_energy", BASE_SETTING_REAL, FIELD(surface_energy), "J/m2", 0.05, 0.0, DBL_MAX, NULL,
     "work of adhesion of jkr and dmt: both surfaces together"},
    {"surface_tension", BASE_SETTING_REAL, FIELD(surface_tension), "N/m", 0.072, 0.0, DBL_MAX, NULL,
     "of the liquid of a bridge"},
    {"contact_angle", BASE_SETTING_REAL, FIELD(contact_angle), "deg", 0.0, 0.0, 90.0, NULL,
     "of the liquid on the bodies"},
    {"bridge_volume", BASE_SETTING_REAL, FIELD(bridge_volume), "m3", 1e-12, 0.0, DBL_MAX, NULL,
     "liquid of one bridge"},
    {"restitution", BASE_SETTING_REAL, FIELD(restitution), "", 0.5, 0.0, 1.0, NULL,
     "coefficient of restitution of head-on impacts without adhesion"},
    {"tangential_damping_ratio", BASE_SETTING_REAL, FIELD(tangential_damping_ratio), "", 1.0, 0.0,
     DBL_MAX, NULL, "1: the damping ratio of the normal direction along the surface too"},
    {"friction", BASE_SETTING_REAL, FIELD(friction), "", 0.5, 0.0, DBL_MAX, NULL,
     "coefficient of friction, of the normal force beside the adhesion"},
    {"flat_radius", BASE_SETTING_REAL, FIELD(flat_radius), "m", 0.01, 1e-12, DBL_MAX, NULL,
     "effective radius between sides of which none is a sphere; of rolling, where none is curved"},
    {"stiffness_by_shape", BASE_SETTING_BOOLEAN, FIELD(by_shape), "", 0.0, 0.0, 1.0, NULL,
     "effective radius by the curvatures at the touch; flat_radius is that of edges and corners"},
    {"rolling_friction", BASE_SETTING_REAL, FIELD(rolling_friction), "", 0.0, 0.0, DBL_MAX, NULL,
     "rolling moment at most this times effective radius times that normal force"},
    {"rolling_stiffness", BASE_SETTING_REAL, FIELD(rolling_stiffness), "N/m", 0.0, 0.0, DBL_MAX,
     NULL, "spring against rolling, at the effective radius; 0: that against sliding"},
    {"rolling_damping", BASE_SETTING_REAL, FIELD(rolling_damping), "N s/m", 0.0, 0.0, DBL_MAX, NULL,
     "dashpot against rolling, at the effective radius"},
};

enum { SHEAR, ROLLING = 3, SLOPE = 6, HELD, RADIUS, STORED, HISTORY_COUNT };
static const char *const history_names[] = {"shear_x",
                                            "shear_y",
                                            "shear_z",
                                            "rolling_x",
                                            "rolling_y",
                                            "rolling_z",
                                            "tangential_stiffness",
                                            "held",
                                            "radius",
                                            "rolling_energy"};

/// Constants of a pair of bodies.
typedef struct pair_terms {
    double young, shear, radius; // E*, G*, Pa; R*, m
    double pull;                 // N, attraction that friction does not feel
    double reach;                // m, gap up to which a contact holds
    // jkr: sqrt(2 pi w / E*); capillary: sqrt(2 R* / V), 1/m
    double root;
} pair_terms;

/// What follows from the gap.
typedef struct normal_terms {
    double area;   // m, radius of the contact; 0 for none
    double force;  // N on B, of springs and attraction
    double energy; // J
} normal_terms;

static double cube_root(double x)
{
    return x > 0.0 ? base_pow(x, 1.0 / 3.0) : 0.0;
}

static pair_terms terms_of(const adhesive *p, double radius)
{
    pair_terms t = {.radius = isfinite(radius) ? radius : p->flat_radius};
    con_hertz_moduli(p->young, p->poisson, &t.young, &t.shear);
    double w = p->surface_energy, R = t.radius, V = p->bridge_volume;
    if (p->model == MODEL_JKR) {
        double least = cube_root(M_PI * w * R * R / (8.0 * t.young));
        t.root = sqrt(2.0 * M_PI * w / t.young);
        t.reach = t.root * sqrt(least) - least * least / R;
        t.pull = 3.0 * M_PI * w * R;
    } else if (p->model == MODEL_DMT) {
        t.pull = 2.0 * M_PI * w * R;
    } else {
        double angle = M_PI / 180.0 * p->contact_angle, side = cube_root(V);
        t.pull = 4.0 * M_PI * R * p->surface_tension * base_cos(angle);
        t.reach = (1.0 + 0.5 * angle) * (side + 0.05 * side * side / R);
        t.root = V > 0.0 ? sqrt(2.0 * R / V) : 0.0;
        t.pull = V > 0.0 ? t.pull : 0.0;
    }
    return t;
}

/// Radius of the contact of Johnson, Kendall and Roberts: the larger root of d = a^2/R - root
/// sqrt(a) in a, by Newton's method in sqrt(a) from above, where it is monotone.
static double jkr_area(const pair_terms *t, double overlap)
{
    double R = t->radius, large = sqrt(sqrt(2.0 * R * fabs(overlap)));
    double s = fmax(large, cube_root(2.0 * R * t->root));
    for (int i = 0; i < 80 && s > 0.0; i++) {
        double cube = s * s * s / R, slope = 4.0 * cube - t->root;
        double step = slope > 0.0 ? (cube * s - t->root * s - overlap) / slope : 0.0;
        s -= step;
        if (!(step > 1e-16 * s))
            break;
    }
    return s * s;
}

static normal_terms jkr(const pair_terms *t, double overlap)
{
    double a = jkr_area(t, overlap), E = t->young, R = t->radius, p = t->root, s = sqrt(a);
    // surface energy in place of w: p^2 E / (2 pi)
    return (normal_terms){
        .area = a,
        .force = 4.0 / 3.0 * E * a * a * a / R - 2.0 * E * p * a * s,
        .energy = a * a *
                  (8.0 / 15.0 * E * a * a * a / (R * R) - 4.0 / 3.0 * E * p * a * s / R +
                   0.5 * E * p * p),
    };
}

/// Work that a bridge does from the gap on until it breaks, J.
static double bridge_work(const pair_terms *t, double gap)
{
    // integral of 1 / (1 + 1.05 x + 2.5 x^2)
    double width = sqrt(10.0 - 1.05 * 1.05), k = t->root;
    if (k == 0.0)
        return 0.0;
    double near = base_atan2(5.0 * k * gap + 1.05, width);
    double far = base_atan2(5.0 * k * t->reach + 1.05, width);
    return t->pull * 2.0 / (width * k) * (far - near);
}

static normal_terms normal_of(const adhesive *p, const pair_terms *t, double gap)
{
    if (p->model == MODEL_JKR)
        return jkr(t, -gap);
    double overlap = fmax(-gap, 0.0), area = sqrt(t->radius * overlap);
    double spring = 4.0 / 3.0 * t->young * area * overlap;
    normal_terms n = {.area = area, .force = spring, .energy = 0.4 * spring * overlap};
    if (p->model == MODEL_DMT || gap <= 0.0) {
        double work = p->model == MODEL_DMT ? 0.0 : bridge_work(t, 0.0);
        n.force -= t->pull;
        n.energy -= t->pull * overlap + work;
        return n;
    }
    double x = gap * t->root;
    n.force -= t->pull / (1.0 + x * (1.05 + 2.5 * x));
    n.energy -= bridge_work(t, gap);
    return n;
}

/// R* of a contact, m. By shape it is that of the touch as long as the contact holds, so that its
/// attraction gives back what it took.
static double radius_of(const adhesive *p, const con_impulse_input *input, double *history)
{
    if (!p->by_shape)
        return con_effective_radius(input);
    if (history[HELD] == 0.0)
        history[RADIUS] = input->touch_radius > 0.0               ? input->touch_radius
                          : isfinite(con_effective_radius(input)) ? con_effective_radius(input)
                                                                  : p->flat_radius;
    return history[RADIUS];
}

/// Energy of springs of a history, J, with the stiffness of the last step.
static double spring_energy(const adhesive *p, double radius, const double *history)
{
    double slope = history[SLOPE];
    double k = radius * radius * (p->rolling_stiffness > 0.0 ? p->rolling_stiffness : slope);
    double shear = vec3_norm_squared(vec3_from(history + SHEAR));
    double rolling = vec3_norm_squared(vec3_from(history + ROLLING));
    double turned = !isfinite(radius) ? history[STORED] : k > 0.0 ? 0.5 * rolling / k : 0.0;
    return (slope > 0.0 ? 0.5 * shear / slope : 0.0) + turned;
}

/// Springs along the surface and against rolling; those of no area are given up.
static void resist(const adhesive *p, const pair_terms *t, const con_impulse_input *input,
                   double area, double ratio, double force, double *history,
                   con_impulse_output *output)
{
    double stiffness = 8.0 * t->shear * area, radius = con_effective_radius(input);
    if (area == 0.0) {
        output->friction += spring_energy(p, radius, history);
        memset(history, 0, HELD * sizeof *history);
        history[STORED] = 0.0;
        return;
    }
    double damping = p->tangential_damping_ratio * ratio;
    con_slider slider = {
        .stiffness = stiffness,
        .stiffness_before = history[SLOPE] > 0.0 ? history[SLOPE] : stiffness,
        .damping = damping * sqrt(stiffness * con_effective_mass(input)),
        .limit = p->friction * force,
    };
    con_tangential_force(&slider, input, history + SHEAR, output);
    history[SLOPE] = stiffness;
    con_rolling rolling = {.rolling_friction = p->rolling_friction,
                           .rolling_stiffness = p->rolling_stiffness,
                           .rolling_damping = p->rolling_damping};
    double moments[CON_ROLLING_HISTORY] = {history[ROLLING], history[ROLLING + 1],
                                           history[ROLLING + 2], 0.0};
    double stored[CON_ROLLING_STORED] = {history[STORED], 0.0};
    con_rolling_resist(&rolling, input, radius, force, &slider, moments, stored, output);
    memcpy(history + ROLLING, moments, 3 * sizeof *moments);
    history[STORED] = stored[0];
}

static void impulse(const void *parameters, const con_impulse_input *input, double *history,
                    con_impulse_output *output)
{
    const adhesive *p = parameters;
    double h = input->step;
    bool held = history[HELD] != 0.0;
    if (p->young[0] == 0.0 || (input->gap > 0.0 && !held)) {
        memset(history, 0, HISTORY_COUNT * sizeof *history);
        return;
    }
    pair_terms t = terms_of(p, radius_of(p, input, history));
    // what forms and what breaks costs the energy that no force gives back
    if (!held)
        output->plastic -= normal_of(p, &t, 0.0).energy;
    if (input->gap > t.reach) {
        output->plastic += normal_of(p, &t, t.reach).energy;
        output->friction = spring_energy(p, con_effective_radius(input), history);
        memset(history, 0, HISTORY_COUNT * sizeof *history);
        return;
    }
    history[HELD] = 1.0;
    normal_terms n = normal_of(p, &t, input->gap);
    double ratio = 2.0 * sqrt(5.0 / 6.0) * con_damping_ratio(p->restitution, true);
    double dashpot = ratio * sqrt(2.0 * t.young * n.area * con_effective_mass(input));
    double force = n.force - dashpot * input->V[0];
    output->elastic = n.energy;
    output->R[0] = h * force;
    output->R_damping[0] = h * (force - n.force);
    resist(p, &t, input, n.area, ratio, fmax(force + t.pull, 0.0), history, output);
}

static double corner_radius(const void *parameters)
{
    const adhesive *p = parameters;
    return p->by_shape ? p->flat_radius : 0.0;
}

static double flat_radius(const void *parameters)
{
    const adhesive *p = parameters;
    return p->rolling_friction > 0.0 ? p->flat_radius : 0.0;
}

/// A contact of DMT ends where it opens.
static bool bonded(const void *parameters, const double *history)
{
    return ((const adhesive *)parameters)->model != MODEL_DMT && history[HELD] != 0.0;
}

/// Of jkr the effective radius is that of the body at most; of a bridge the part that it takes from
/// 1/R*.
static double reach_of(const void *parameters, double radius)
{
    const adhesive *p = parameters;
    if (p->young[0] == 0.0 || p->model == MODEL_DMT)
        return 0.0;
    return terms_of(p, radius).reach;
}

static con_stiffness stiffness_of(const void *parameters, const con_stiffness_input *input)
{
    const adhesive *p = parameters;
    if (p->young[0] == 0.0)
        return (con_stiffness){0};
    pair_terms t = terms_of(p, input->radius);
    double area =
        p->model == MODEL_JKR ? jkr_area(&t, input->overlap) : sqrt(t.radius * input->overlap);
    double normal = 2.0 * t.young * area;
    double beta = con_damping_ratio(p->restitution, true);
    return (con_stiffness){
        .normal = normal,
        .tangential = 8.0 * t.shear * area,
        .damping = 2.0 * sqrt(5.0 / 6.0) * beta * sqrt(normal * input->mass),
        .impact_steps = con_restitution_steps(beta, false, true),
    };
}

const con_law con_law_adhesive = {
    .name = "adhesive",
    .help = "elastic spheres with adhesion (JKR, DMT) or liquid bridges, friction, rolling",
    .kind = CON_LAW_IMPULSE,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(adhesive)},
    .history_count = HISTORY_COUNT,
    .history_names = history_names,
    .impulse = impulse,
    .corner_radius = corner_radius,
    .flat_radius = flat_radius,
    .stiffness = stiffness_of,
    .bonded = bonded,
    .reach = reach_of,
};
