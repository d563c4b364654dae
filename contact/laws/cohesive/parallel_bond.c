// SPDX-License-Identifier: Apache-2.0
// Grains glued together by elastic discs that break, and touch with friction where they are not:
// the bonds of Potyondy and Cundall (docs/laws.md 7.7).
#include "contact/laws/damping.h"
#include "contact/laws/rolling.h"
#include "contact/laws/slider.h"

#include "base/assert.h"
#include "base/elementary.h"

#include <math.h>
#include <string.h>

enum { BONDS_INITIAL, BONDS_ALWAYS };
static const char *const bond_words[] = {"initial", "always", NULL};

typedef struct parallel_bond {
    double bond_normal, bond_shear, radius_ratio, tensile, cohesion, friction_angle, moment_share;
    double damping_ratio, flat_radius;
    double normal_stiffness, tangential_stiffness, friction, restitution;
    int bonds;
} parallel_bond;

#define FIELD(name) offsetof(parallel_bond, name)
#define REAL(name, field, unit, initial, maximum, help)                                            \
    {                                                                                              \
        name, BASE_SETTING_REAL, FIELD(field), unit, initial, 0.0, maximum, NULL, help             \
    }
static const base_setting settings_rows[] = {
    {"bonds", BASE_SETTING_CHOICE, FIELD(bonds), "", 0.0, 0.0, 1.0, bond_words,
     "which contacts are glued: those of the first step, or every new one"},
    REAL("bond_normal_stiffness", bond_normal, "Pa/m", 1e9, DBL_MAX,
         "of the bond against opening and bending, over its area and moment of area"),
    REAL("bond_shear_stiffness", bond_shear, "Pa/m", 4e8, DBL_MAX,
         "of the bond against shear and twisting, over its area and moment of area"),
    REAL("bond_radius_ratio", radius_ratio, "", 1.0, DBL_MAX,
         "radius of the bond over that of the smaller sphere"),
    REAL("tensile_strength", tensile, "Pa", 1e6, DBL_MAX,
         "tension with bending at which the bond breaks"),
    REAL("shear_strength", cohesion, "Pa", 1e6, DBL_MAX,
         "shear with twisting at which the bond breaks without normal stress"),
    REAL("friction_angle", friction_angle, "deg", 0.0, 89.0,
         "of the bond: pressure raises its shear strength by the tangent"),
    REAL("moment_contribution", moment_share, "", 1.0, 1.0,
         "share of bending and twisting stresses that counts towards breaking"),
    REAL("bond_damping_ratio", damping_ratio, "", 0.0, DBL_MAX,
         "dashpots of the bond over critical damping of the two bodies"),
    {"flat_radius", BASE_SETTING_REAL, FIELD(flat_radius), "m", 0.01, 1e-12, DBL_MAX, NULL,
     "radius of the bond between sides of which none is a sphere"},
    REAL("normal_stiffness", normal_stiffness, "N/m", 1e6, DBL_MAX,
         "k_n of contacts without a bond"),
    REAL("tangential_stiffness", tangential_stiffness, "N/m", 0.0, DBL_MAX,
         "k_t of contacts without a bond; 0: 2/7 k_n"),
    REAL("friction", friction, "", 0.5, DBL_MAX, "coefficient of Coulomb friction without a bond"),
    REAL("restitution", restitution, "", 0.5, 1.0,
         "coefficient of restitution of head-on impacts without a bond"),
};

enum { SHEAR, MOMENT = 3, REFERENCE = 6, BOND, HISTORY_COUNT };
static const char *const history_names[] = {"shear_x",  "shear_y",  "shear_z",       "moment_x",
                                            "moment_y", "moment_z", "reference_gap", "bond"};

/// Springs of a bond of one pair.
typedef struct bond_terms {
    double radius, area;                // m, m2
    double normal, shear;               // N/m
    double bending, twisting;           // N m
    double bend_share, twist_share;     // 1/m3: stress of a moment
    double normal_dashpot, dashpot;     // N s/m; of moments the same over the area
    double bend_dashpot, twist_dashpot; // N m s
} bond_terms;

static double radius_of(const parallel_bond *p, const double radius[2])
{
    double least = fmin(fabs(radius[0]), fabs(radius[1]));
    return isfinite(least) ? p->radius_ratio * least : p->flat_radius;
}

static bond_terms terms_of(const parallel_bond *p, double radius, double mass)
{
    double square = radius * radius, area = M_PI * square, inertia = 0.25 * area * square;
    bond_terms t = {.radius = radius,
                    .area = area,
                    .normal = p->bond_normal * area,
                    .shear = p->bond_shear * area,
                    .bending = p->bond_normal * inertia,
                    .twisting = p->bond_shear * 2.0 * inertia};
    t.bend_share = area > 0.0 ? p->moment_share * radius / inertia : 0.0;
    t.twist_share = 0.5 * t.bend_share;
    t.normal_dashpot = 2.0 * p->damping_ratio * sqrt(t.normal * mass);
    t.dashpot = 2.0 * p->damping_ratio * sqrt(t.shear * mass);
    t.bend_dashpot = t.normal_dashpot * 0.25 * square;
    t.twist_dashpot = t.dashpot * 0.5 * square;
    return t;
}

/// Turns what is fixed in the pair from the last midpoint to this one: with the line of centres of
/// two spheres and their mean angular velocity about it, or else with the mean angular velocity.
static vec3 turned(const con_impulse_input *input, vec3 v)
{
    double h = input->step;
    vec3 omega = vec3_scale(0.5, vec3_add(input->angular_velocity[0], input->angular_velocity[1]));
    bool spheres = isfinite(input->radius[0]) && isfinite(input->radius[1]);
    vec3 now = vec3_sub(input->centre[1], input->centre[0]);
    vec3 before = vec3_add_scaled(now, -h, vec3_sub(input->velocity[1], input->velocity[0]));
    if (!spheres || vec3_norm(now) == 0.0 || vec3_norm(before) == 0.0)
        return quat_rotate(base_quat_from_rotation_vector(vec3_scale(h, omega)), v);
    now = vec3_scale(1.0 / vec3_norm(now), now);
    before = vec3_scale(1.0 / vec3_norm(before), before);
    v = con_rotate_about(v, before, h * vec3_dot(omega, before));
    return con_rotate_between(v, before, now);
}

/// Motion of B against A since the last midpoint.
typedef struct travel {
    double normal;    // m
    vec3 slide, bend; // m, rad, world
    double twist;     // rad
} travel;

static travel travel_of(const con_impulse_input *input)
{
    vec3 n = mat3_row(&input->frame, 0), sliding = {0.0, input->V[1], input->V[2]};
    vec3 omega = vec3_sub(input->angular_velocity[1], input->angular_velocity[0]);
    double along = vec3_dot(omega, n), h = input->step;
    return (travel){.normal = h * input->V[0],
                    .slide = vec3_scale(h, mat3_apply_transposed(&input->frame, sliding)),
                    .bend = vec3_scale(h, vec3_add_scaled(omega, -along, n)),
                    .twist = h * along};
}

/// Forces of a bond on B, and what its springs hold.
typedef struct bond_state {
    double normal;    // N
    vec3 shear, bend; // N, N m
    double twist;     // N m
    double energy;    // J
} bond_state;

static double energy_of(const bond_terms *t, const bond_state *s)
{
    double sum = 0.0;
    if (t->normal > 0.0)
        sum += s->normal * s->normal / t->normal + vec3_norm_squared(s->bend) / t->bending;
    if (t->shear > 0.0)
        sum += vec3_norm_squared(s->shear) / t->shear + s->twist * s->twist / t->twisting;
    return 0.5 * sum;
}

/// The bond at the last midpoint, turned to this one.
static bond_state state_before(const bond_terms *t, const con_impulse_input *input,
                               const travel *way, const double *history)
{
    vec3 n = mat3_row(&input->frame, 0), moment = turned(input, vec3_from(history + MOMENT));
    bond_state s = {.normal = -t->normal * (input->gap - way->normal - history[REFERENCE])};
    s.shear = con_tangent_project(turned(input, vec3_from(history + SHEAR)), n);
    s.twist = vec3_dot(moment, n);
    s.bend = vec3_add_scaled(moment, -s.twist, n);
    s.energy = energy_of(t, &s);
    return s;
}

static bond_state state_after(const bond_terms *t, const bond_state *before, const travel *way)
{
    bond_state s = {.normal = before->normal - t->normal * way->normal,
                    .shear = vec3_add_scaled(before->shear, -t->shear, way->slide),
                    .bend = vec3_add_scaled(before->bend, -t->bending, way->bend),
                    .twist = before->twist - t->twisting * way->twist};
    s.energy = energy_of(t, &s);
    return s;
}

/// What breaks the bond where the largest stresses at the rim pass the strength: of the stress that
/// passes its strength by the larger share, the larger part.
static con_break breaks(const parallel_bond *p, const bond_terms *t, const bond_state *s)
{
    double mean = t->area > 0.0 ? -s->normal / t->area : 0.0;
    double bending = t->bend_share * vec3_norm(s->bend), tension = mean + bending;
    double twisting = t->twist_share * fabs(s->twist);
    double sliding = t->area > 0.0 ? vec3_norm(s->shear) / t->area : 0.0;
    double shear = sliding + twisting, angle = M_PI / 180.0 * p->friction_angle;
    double strength = p->cohesion - mean * base_tan(angle);
    bool opens = tension > p->tensile, slides = shear > strength;
    if (!opens && !slides)
        return CON_UNBROKEN;
    // tension / tensile against shear / strength, without a division by a strength of 0
    if (opens && (!slides || tension * strength >= shear * p->tensile))
        return mean >= bending ? CON_BREAK_TENSION : CON_BREAK_BENDING;
    return sliding >= twisting ? CON_BREAK_SHEAR : CON_BREAK_TWISTING;
}

/// Work that the bond's forces of `before` and those of `now` take over the way, J.
static double work_taken(const bond_state *before, const bond_state *now, const travel *way)
{
    return -0.5 * ((before->normal + now->normal) * way->normal +
                   vec3_dot(vec3_add(before->shear, now->shear), way->slide) +
                   vec3_dot(vec3_add(before->bend, now->bend), way->bend) +
                   (before->twist + now->twist) * way->twist);
}

/// Impulses and couples of the bond and its dashpots.
static void act(const bond_terms *t, const bond_state *s, const con_impulse_input *input,
                const travel *way, con_impulse_output *output)
{
    double h = input->step;
    vec3 n = mat3_row(&input->frame, 0);
    output->R_damping[0] = -t->normal_dashpot * way->normal;
    output->R[0] = h * s->normal + output->R_damping[0];
    for (int k = 1; k < 3; k++) {
        vec3 tangent = mat3_row(&input->frame, k);
        output->R_damping[k] = -t->dashpot * vec3_dot(tangent, way->slide);
        output->R[k] = h * vec3_dot(tangent, s->shear) + output->R_damping[k];
    }
    vec3 dash =
        vec3_add_scaled(vec3_scale(-t->bend_dashpot, way->bend), -t->twist_dashpot * way->twist, n);
    vec3 couple = vec3_add_scaled(vec3_scale(h, s->bend), h * s->twist, n);
    couple = vec3_add(couple, dash);
    output->couple[1] = couple;
    output->couple[0] = vec3_negate(couple);
    output->couple_damping = dash;
    output->elastic = s->energy;
}

/// Gap from which a contact presses that a bond has left: it begins with no more force and no more
/// energy than the bond had.
static double reference_after(const parallel_bond *p, const bond_terms *t, double pressure,
                              double gap)
{
    double stiffest = fmax(p->normal_stiffness, sqrt(p->normal_stiffness * t->normal));
    double overlap = stiffest > 0.0 ? fmax(pressure, 0.0) / stiffest : 0.0;
    return fmin(gap + overlap, 0.0);
}

/// A closed contact without a bond: spring, dashpot that does not pull, slider.
static void touch(const parallel_bond *p, const con_impulse_input *input, double *history,
                  con_impulse_output *output)
{
    double overlap = history[REFERENCE] - input->gap;
    if (overlap <= 0.0) {
        memset(history + SHEAR, 0, 3 * sizeof *history);
        return;
    }
    double k_n = p->normal_stiffness, mass = con_effective_mass(input);
    double k_t = p->tangential_stiffness > 0.0 ? p->tangential_stiffness : 2.0 / 7.0 * k_n;
    double dashpot = 2.0 * con_damping_ratio(p->restitution, false) * sqrt(k_n * mass);
    double spring = k_n * overlap, force = fmax(spring - dashpot * input->V[0], 0.0);
    con_slider slider = {.stiffness = k_t, .stiffness_before = k_t, .limit = p->friction * force};
    output->elastic += 0.5 * spring * overlap;
    con_tangential_force(&slider, input, history + SHEAR, output);
    output->R[0] = input->step * force;
    output->R_damping[0] = input->step * (force - spring);
}

static void impulse(const void *parameters, const con_impulse_input *input, double *history,
                    con_impulse_output *output)
{
    const parallel_bond *p = parameters;
    bool formed = false, broken = false;
    if (input->fresh && (input->initial || p->bonds == BONDS_ALWAYS) && history[BOND] == 0.0 &&
        (input->gap <= 0.0 || input->initial)) {
        history[BOND] = 1.0;
        history[REFERENCE] = input->gap;
        formed = true;
    }
    bond_terms t = terms_of(p, radius_of(p, input->radius), con_effective_mass(input));
    // springs begin at this midpoint
    travel way = travel_of(input), none = {0}, strained = formed ? none : way;
    bond_state before = {0};
    if (history[BOND] != 0.0) {
        before = state_before(&t, input, &strained, history);
        bond_state now = state_after(&t, &before, &strained);
        output->broken = breaks(p, &t, &now);
        if (output->broken == CON_UNBROKEN) {
            vec3_store(history + SHEAR, now.shear);
            vec3_store(history + MOMENT,
                       vec3_add_scaled(now.bend, now.twist, mat3_row(&input->frame, 0)));
            act(&t, &now, input, &way, output);
            return;
        }
        broken = true;
        memset(history, 0, HISTORY_COUNT * sizeof *history);
        history[REFERENCE] = reference_after(p, &t, before.normal, input->gap);
    }
    if (input->gap <= 0.0)
        touch(p, input, history, output);
    if (broken) {
        // what the bond held, and took in this interval, less what the contact now holds
        double h = input->step;
        bond_state now = {.normal = (output->R[0] - output->R_damping[0]) / h};
        for (int k = 1; k < 3; k++)
            now.shear = vec3_add_scaled(now.shear, output->R[k] / h, mat3_row(&input->frame, k));
        now.energy = output->elastic;
        output->plastic += before.energy + work_taken(&before, &now, &strained) - now.energy;
    }
}

static bool bonded(const void *parameters, const double *history)
{
    (void)parameters;
    return history[BOND] != 0.0;
}

/// Where tension, or shear that turns the pair, breaks the bond at the latest.
static double reach_of(const void *parameters, double radius)
{
    const parallel_bond *p = parameters;
    (void)radius;
    return fmax(p->tensile / p->bond_normal, p->cohesion / p->bond_shear);
}

static con_stiffness stiffness_of(const void *parameters, const con_stiffness_input *input)
{
    const parallel_bond *p = parameters;
    // of two like spheres the smaller radius is twice the effective one
    double radius =
        isfinite(input->radius) ? 2.0 * input->radius * p->radius_ratio : p->flat_radius;
    bond_terms t = terms_of(p, radius, input->mass);
    double dashpot =
        2.0 * con_damping_ratio(p->restitution, false) * sqrt(p->normal_stiffness * input->mass);
    return (con_stiffness){.normal = fmax(t.normal, p->normal_stiffness),
                           .tangential = fmax(t.shear, p->tangential_stiffness > 0.0
                                                           ? p->tangential_stiffness
                                                           : 2.0 / 7.0 * p->normal_stiffness),
                           .damping = fmax(dashpot, t.normal_dashpot),
                           .impact_steps = con_restitution_steps(
                               con_damping_ratio(p->restitution, false), true, false)};
}

const con_law con_law_parallel_bond = {
    .name = "parallel_bond",
    .help = "elastic bonds that bear tension, shear, bending and twisting until they break",
    .kind = CON_LAW_IMPULSE,
    .breaks = true,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(parallel_bond)},
    .history_count = HISTORY_COUNT,
    .history_names = history_names,
    .impulse = impulse,
    .stiffness = stiffness_of,
    .bonded = bonded,
    .reach = reach_of,
};
