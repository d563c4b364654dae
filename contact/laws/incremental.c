// SPDX-License-Identifier: Apache-2.0
// Incremental shear force that turns with the pair (docs/laws.md 5).
#include "contact/laws/batch.h"
#include "contact/laws/incremental_kernel.h"
#include "contact/laws/slider.h"

#include "base/assert.h"
#include "base/elementary.h"

#include <float.h>
#include <string.h>

enum { ROTATION_EXACT, ROTATION_FIRST_ORDER };
enum { DISPLACEMENT_CROSS_PRODUCT, DISPLACEMENT_ROTATION };

static const char *const rotations[] = {"exact", "first_order", NULL};
static const char *const displacements[] = {"cross_product", "rotation", NULL};

typedef struct incremental {
    double normal_stiffness, shear_stiffness, young_modulus, stiffness_ratio;
    double friction, shear_strength;
    int rotation, displacement;
    bool ratcheting_correction;
} incremental;

#define FIELD(name) offsetof(incremental, name)
static const base_setting settings_rows[] = {
    {"normal_stiffness", BASE_SETTING_REAL, FIELD(normal_stiffness), "N/m", 1e6, 0.0, DBL_MAX, NULL,
     "k_n; not used with young_modulus"},
    {"shear_stiffness", BASE_SETTING_REAL, FIELD(shear_stiffness), "N/m", 4e5, 0.0, DBL_MAX, NULL,
     "k_s; not used with young_modulus"},
    {"young_modulus", BASE_SETTING_REAL, FIELD(young_modulus), "Pa", 0.0, 0.0, DBL_MAX, NULL,
     "k_n = 2 E times the effective radius; 0: the stiffnesses as given"},
    {"stiffness_ratio", BASE_SETTING_REAL, FIELD(stiffness_ratio), "", 0.4, 0.0, DBL_MAX, NULL,
     "k_s / k_n with young_modulus"},
    {"friction", BASE_SETTING_REAL, FIELD(friction), "", 0.5, 0.0, DBL_MAX, NULL,
     "tangent of the angle of friction"},
    {"shear_strength", BASE_SETTING_REAL, FIELD(shear_strength), "N", 0.0, 0.0, DBL_MAX, NULL,
     "part of the shear strength that does not depend on the normal force"},
    {"rotation", BASE_SETTING_CHOICE, FIELD(rotation), "", 0.0, 0.0, 1.0, rotations,
     "how the shear force follows the pair"},
    {"displacement", BASE_SETTING_CHOICE, FIELD(displacement), "", 0.0, 0.0, 1.0, displacements,
     "how points of the bodies move by their angular velocity"},
    {"ratcheting_correction", BASE_SETTING_BOOLEAN, FIELD(ratcheting_correction), "", 1.0, 0.0, 1.0,
     NULL, "shear from points at full radius, so that closed cycles leave no force"},
};

enum { SHEAR, NORMAL = 3, HISTORY_COUNT = 6 };
static const char *const history_names[] = {"shear_x",  "shear_y",  "shear_z",
                                            "normal_x", "normal_y", "normal_z"};

static bool is_ball(const con_impulse_input *input, int side)
{
    return input->radius[side] > 0.0 && isfinite(input->radius[side]);
}

/// The shear force on B follows the turning of the normal, and the mean angular velocity about it.
static vec3 turned_first_order(vec3 shear, vec3 before, vec3 normal, vec3 omega, double h)
{
    vec3 orthogonal = vec3_cross(before, normal);
    vec3 twist = vec3_scale(0.5 * h * vec3_dot(before, omega), before);
    shear = vec3_sub(shear, vec3_cross(shear, orthogonal));
    return vec3_sub(shear, vec3_cross(shear, twist));
}

/// The same without approximation: twist of the mean rotation of the step, then the smallest
/// rotation between the normals; exact for every rigid motion of the pair.
static vec3 turned_exact(vec3 shear, vec3 before, vec3 normal, vec3 omega, double h)
{
    quat q = base_quat_from_rotation_vector(vec3_scale(0.5 * h, omega));
    double along = vec3_dot(vec3_make(q.x, q.y, q.z), before);
    shear = con_rotate_about(shear, before, 2.0 * base_atan2(along, q.w));
    return con_rotate_between(shear, before, normal);
}

static vec3 turned(const incremental *p, const con_impulse_input *input, vec3 normal,
                   const double *history)
{
    vec3 shear = vec3_from(history + SHEAR), before = vec3_from(history + NORMAL);
    vec3 omega = vec3_add(input->angular_velocity[0], input->angular_velocity[1]);
    if (p->rotation == ROTATION_EXACT)
        return turned_exact(shear, before, normal, omega, input->step);
    return turned_first_order(shear, before, normal, omega, input->step);
}

/// Displacement in the step of the point at `arm` from the centre, without that of the centre.
static vec3 rotation_displacement(const incremental *p, vec3 omega, vec3 arm, double h)
{
    if (p->displacement == DISPLACEMENT_CROSS_PRODUCT)
        return vec3_scale(h, vec3_cross(omega, arm));
    quat q = base_quat_from_rotation_vector(vec3_scale(h, omega));
    return vec3_sub(quat_rotate(q, arm), arm);
}

/// Displacement of B relative to A at the contact in this step, whole vector.
static vec3 displacement(const incremental *p, const con_impulse_input *input, vec3 normal)
{
    double h = input->step, scale = 1.0;
    if (p->ratcheting_correction && is_ball(input, 0) && is_ball(input, 1)) {
        double radii = input->radius[0] + input->radius[1], distance = radii + input->gap;
        scale = distance > 0.0 ? radii / distance : 1.0;
    }
    vec3 total = vec3_scale(scale * h, vec3_sub(input->velocity[1], input->velocity[0]));
    for (int side = 0; side < 2; side++) {
        vec3 arm = vec3_sub(input->point, input->centre[side]);
        if (p->ratcheting_correction && is_ball(input, side))
            arm = vec3_scale((side == 0 ? 1.0 : -1.0) * input->radius[side], normal);
        vec3 part = rotation_displacement(p, input->angular_velocity[side], arm, h);
        total = vec3_add_scaled(total, side == 0 ? -1.0 : 1.0, part);
    }
    return total;
}

static void stiffnesses(const incremental *p, double radius, double *k_n, double *k_s)
{
    bool from_modulus = p->young_modulus > 0.0 && isfinite(radius);
    *k_n = from_modulus ? 2.0 * p->young_modulus * radius : p->normal_stiffness;
    *k_s = from_modulus ? p->stiffness_ratio * *k_n : p->shear_stiffness;
}

/// Energy of the shear spring, and what the displacement of the contact point put in besides.
static void account(const con_impulse_input *input, double k_s, vec3 before, vec3 shear,
                    double overlap, double k_n, con_impulse_output *output)
{
    double kept = k_s > 0.0 ? 0.5 * vec3_norm_squared(shear) / k_s : 0.0;
    double was = k_s > 0.0 ? 0.5 * vec3_norm_squared(before) / k_s : 0.0;
    vec3 V = vec3_make(0.0, input->V[1], input->V[2]);
    vec3 travel = vec3_scale(input->step, mat3_apply_transposed(&input->frame, V));
    output->elastic = 0.5 * k_n * overlap * overlap + kept;
    output->releasable = kept;
    output->friction = -0.5 * vec3_dot(vec3_add(before, shear), travel) - (kept - was);
}

static void impulse(const void *parameters, const con_impulse_input *input, double *history,
                    con_impulse_output *output)
{
    const incremental *p = parameters;
    double overlap = -input->gap, k_n, k_s;
    if (overlap < 0.0) {
        memset(history, 0, HISTORY_COUNT * sizeof *history);
        return;
    }
    vec3 normal = mat3_row(&input->frame, 0);
    bool known = vec3_norm_squared(vec3_from(history + NORMAL)) > 0.0;
    vec3 shear = known ? turned(p, input, normal, history) : vec3_make(0.0, 0.0, 0.0);
    vec3 before = shear;
    stiffnesses(p, con_effective_radius(input), &k_n, &k_s);
    vec3 moved = displacement(p, input, normal);
    vec3 slid = vec3_sub(moved, vec3_scale(vec3_dot(moved, normal), normal));
    shear = vec3_sub(shear, vec3_scale(k_s, slid));
    double force = k_n * overlap, most = p->shear_strength + p->friction * force;
    if (vec3_norm_squared(shear) > most * most)
        shear = vec3_scale(most / vec3_norm(shear), shear);
    vec3_store(history + SHEAR, shear);
    vec3_store(history + NORMAL, normal);
    account(input, k_s, before, shear, overlap, k_n, output);
    vec3 total = vec3_add_scaled(shear, force, normal);
    vec3_store(output->R, vec3_scale(input->step, mat3_apply(&input->frame, total)));
}

static con_stiffness stiffness_of(const void *parameters, const con_stiffness_input *input)
{
    con_stiffness result = {0};
    stiffnesses(parameters, input->radius, &result.normal, &result.tangential);
    return result;
}

// ---------------------------------------------------------------- kernel

/// Finite rotations of a wall's points ask for its centre, which lists of pairs do not have.
static bool covers(const void *parameters)
{
    return ((const incremental *)parameters)->displacement == DISPLACEMENT_CROSS_PRODUCT;
}

static void prepare(const void *parameters, void *terms)
{
    const incremental *p = parameters;
    *(incremental_terms *)terms = (incremental_terms){
        .normal = p->normal_stiffness,
        .shear = p->shear_stiffness,
        .young = p->young_modulus,
        .ratio = p->stiffness_ratio,
        .friction = p->friction,
        .strength = p->shear_strength,
        .exact = p->rotation == ROTATION_EXACT,
        .corrected = p->ratcheting_correction,
    };
}

static void fill_pair(const void *terms, const con_batch_pair *pair, double *columns)
{
    const incremental_terms *t = terms;
    bool from_modulus = t->young > 0.0;
    double k_n = from_modulus ? 2.0 * t->young * pair->radius : t->normal;
    double k_s = from_modulus ? t->ratio * k_n : t->shear;
    columns[INCREMENTAL_NORMAL] = k_n;
    columns[INCREMENTAL_SHEAR] = k_s;
    columns[INCREMENTAL_SHEAR_INVERSE] = k_s > 0.0 ? 1.0 / k_s : 0.0;
    columns[INCREMENTAL_FLAT] = pair->flat ? 1.0 / pair->arm[0] : 0.0;
}

static con_batch_state state_of(const void *terms, const double *columns, double overlap)
{
    (void)terms;
    double spring = columns[INCREMENTAL_NORMAL] * overlap;
    return (con_batch_state){.spring = spring,
                             .stiffness = columns[INCREMENTAL_SHEAR],
                             .elastic = 0.5 * spring * overlap};
}

static const con_batch batch = {
    .kernel = CON_KERNEL_incremental,
    .covers = covers,
    .prepare = prepare,
    .column_count = INCREMENTAL_COLUMNS,
    .pair = fill_pair,
    .springs = true,
    .first_kept = NORMAL,
    .kept_count = HISTORY_COUNT - NORMAL,
    .kept_turn = true,
    .state = state_of,
};

const con_law con_law_incremental = {
    .name = "incremental",
    .help = "linear normal spring and an incremental shear force that turns with the pair",
    .kind = CON_LAW_IMPULSE,
    .table = {.settings = settings_rows,
              .count = BASE_COUNT(settings_rows),
              .size = sizeof(incremental)},
    .history_count = HISTORY_COUNT,
    .history_names = history_names,
    .impulse = impulse,
    .stiffness = stiffness_of,
    .batch = &batch,
};
