// SPDX-License-Identifier: Apache-2.0
// Time-step advice: the stable step of the stiffest contact that explicit laws may make.
#include "engine/measures/side_stiffness.h"
#include "engine/pairs/connectors.h"
#include "engine/state/actions.h"
#include "engine/state/exclusions.h"
#include "engine/state/ids.h"
#include "engine/state/rows.h"
#include "engine/state/surfaces.h"
#include "engine/state/values.h"
#include "engine/state/world.h"

#include <math.h>

// share of the smaller body's half size at which laws are asked for their stiffness
static const double overlap_share = 0.01;

// of the stable step, that is accurate: a head-on impact of two like bodies takes 67 of them
static const double stable_share = 1.0 / 30.0;

enum { CANDIDATES = 5, LARGEST_BALL = 4 };

/// A body that is there, or one that an action will make.
typedef struct specimen {
    int body; // -1: it will be made; -2: there is none
    int material;
    bool several;  // of one that will be made: it may meet one of its kind
    double mass;   // kg; INFINITY of what cannot move
    double radius; // m, of a ball; else INFINITY
    double half;   // m, half of its smallest size
    double reach;  // m, bounding radius
    eng_side_stiffness side;
} specimen;

/// Bodies of one material that may make its stiffest contacts: the two lightest balls, the two
/// lightest others, and the ball with the largest radius.
typedef struct candidates {
    specimen each[CANDIDATES];
} candidates;

static const specimen nobody = {.body = -2, .mass = INFINITY};

static specimen body_specimen(const cairn_world *world, int body)
{
    const geo_shape *shape = world->model.shapes.rows[world->model.bodies.rows[body].shape];
    return (specimen){.body = body,
                      .material = world->model.bodies.rows[body].material,
                      .mass = eng_free_mass_of(world, body).mass,
                      .radius = shape->kind == GEO_SPHERE ? shape->sphere.radius : INFINITY,
                      .half = 0.5 * shape->smallest_size,
                      .reach = shape->bounding_radius};
}

static specimen coming_specimen(const cairn_world *world, const eng_coming *is)
{
    const geo_shape *shape = is->shape >= 0 ? world->model.shapes.rows[is->shape] : NULL;
    bool ball = shape == NULL || shape->kind == GEO_SPHERE;
    double radius = is->factor * (shape == NULL ? 0.5 : shape->bounding_radius);
    specimen made = {.body = -1,
                     .material = is->material,
                     .several = is->several,
                     .mass = is->mass,
                     .radius = ball ? radius : INFINITY,
                     .half = ball ? radius : 0.5 * is->factor * shape->smallest_size,
                     .reach = radius,
                     .side = {1.0, 3.5}};
    if (!ball)
        made.side = eng_side_stiffness_of_shape(shape, overlap_share * made.half / is->factor);
    return made;
}

static bool is_lighter(const specimen *one, const specimen *than)
{
    return than->body == -2 || one->mass < than->mass;
}

static void consider(specimen one, candidates *c)
{
    bool ball = isfinite(one.radius);
    specimen *light = &c->each[ball ? 0 : 2], *large = &c->each[LARGEST_BALL];
    if (is_lighter(&one, &light[0])) {
        light[1] = light[0];
        light[0] = one;
    } else if (is_lighter(&one, &light[1])) {
        light[1] = one;
    }
    if (ball && (large->body == -2 || one.radius > large->radius))
        *large = one;
}

/// Of materials [first, first + count).
static void find_candidates(const cairn_world *world, int first, int count, candidates *found)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < CANDIDATES; k++)
            found[i].each[k] = nobody;
    for (int i = 0; i < world->model.bodies.count; i++) {
        int at = world->model.bodies.rows[i].material - first;
        if (at >= 0 && at < count && eng_body_is_live(world, i))
            consider(body_specimen(world, i), &found[at]);
    }
    eng_coming coming;
    for (int action = 0, index = 0; eng_actions_coming(world, &action, &index, &coming);)
        if (coming.material >= first && coming.material < first + count)
            consider(coming_specimen(world, &coming), &found[coming.material - first]);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < CANDIDATES; k++) {
            specimen *is = &found[i].each[k];
            if (is->body >= 0)
                is->side = eng_side_stiffness_of(world, is->body, overlap_share * is->half);
        }
}

static const eng_side_stiffness one_spring = {1.0, 3.5};

/// Limit of a body that contacts of this stiffness hold at one of its sides, which goes to *limit
/// where it is smaller, docs/laws.md section 9.
/// @param found      all but stiffness, damping, step and accurate
/// @param effective  kg, 1 / (1/m_A + 1/m_B)
static void take_smaller(cairn_step_limit found, con_stiffness is, eng_side_stiffness side,
                         double effective, cairn_step_limit *limit)
{
    double m = found.mass, normal = side.normal * is.normal,
           tangential = side.tangential * is.tangential;
    // normal and tangential springs turn a ball in motions of their own, others in common ones
    double k = side.normal > 1.0 ? normal + tangential : fmax(normal, tangential);
    double c = side.normal * is.damping;
    found.stiffness = k;
    found.damping = c;
    found.step = m / (c + sqrt(c * c + k * m));
    double accurate = found.step * stable_share;
    if (is.impact_steps > 0.0 && is.normal > 0.0)
        accurate = fmin(accurate, M_PI * sqrt(effective / is.normal) / is.impact_steps);
    found.accurate = fmin(accurate, limit->accurate);
    if (found.step < limit->step)
        *limit = found;
    limit->accurate = found.accurate;
}

/// @param same  one candidate twice: two bodies of its kind, where several come
static bool may_meet(const cairn_world *world, const specimen *a, const specimen *b, bool same)
{
    if (a->body == -2 || b->body == -2 || (same && !a->several))
        return false;
    if (isinf(a->mass) && isinf(b->mass))
        return false;
    return a->body < 0 || b->body < 0 || !eng_pair_is_apart(world, a->body, b->body);
}

static cairn_body_id id_of(const cairn_world *world, const specimen *is)
{
    return is->body >= 0 ? eng_body_id(world, is->body) : (cairn_body_id){0};
}

/// The surface with the next parameter that an action will give it; false behind the last.
/// @param index  of the surface whose changes they are: the pair's own, or the default pair's
static bool next_change(const cairn_world *world, int index, const eng_surface *surface,
                        int *action, int *change, eng_surface *with)
{
    eng_pair_change each;
    while (eng_actions_changes(world, action, change, &each)) {
        base_value value = {.type = BASE_VALUE_NUMBER, .number = each.value};
        cairn_error unused;
        *with = *surface;
        if (each.coming && each.surface == index &&
            base_settings_set(&surface->law->table, with->parameters, each.parameter, value,
                              &unused) == CAIRN_OK)
            return true;
    }
    return false;
}

/// Limit of one pair of bodies goes to *limit where it is smaller.
static void try_pair(const cairn_world *world, const specimen *a, const specimen *b, bool same,
                     cairn_step_limit *limit)
{
    if (!may_meet(world, a, b, same))
        return;
    eng_surface scratch;
    const eng_surface *surface = eng_surface_between(world, a->material, b->material, &scratch);
    if (surface->law->stiffness == NULL)
        return;
    con_stiffness_input input = {
        .radius = 1.0 / (1.0 / a->radius + 1.0 / b->radius),
        .mass = 1.0 / (1.0 / a->mass + 1.0 / b->mass),
        .overlap = overlap_share * fmin(a->half, b->half),
        .size = fmin(a->reach, b->reach),
    };
    cairn_step_limit found = {.a = id_of(world, a),
                              .b = id_of(world, b),
                              .material_a = eng_material_id(world, a->material),
                              .material_b = eng_material_id(world, b->material),
                              .law = surface->law->name};
    int own = base_pairs_find(&world->model.materials.own_surfaces, a->material, b->material);
    eng_surface with = *surface;
    int action = 0, change = 0;
    // with the parameters of now, and with each one that a dashpot may get later
    do {
        con_stiffness is = surface->law->stiffness(with.parameters, &input);
        for (int side = 0; side < 2; side++) {
            found.mass = side == 0 ? a->mass : b->mass;
            if (isfinite(found.mass))
                take_smaller(found, is, side == 0 ? a->side : b->side, input.mass, limit);
        }
    } while (next_change(world, own > 0 ? own : 0, surface, &action, &change, &with));
}

static cairn_material_id material_of(const cairn_world *world, int body)
{
    return eng_material_id(world, world->model.bodies.rows[body].material);
}

static void try_connector(const cairn_world *world, int index, cairn_step_limit *limit)
{
    const eng_connector *connector = &world->model.connectors.rows[index];
    con_stiffness is;
    double mass[2];
    if (eng_connector_stiffness(world, index, &is, mass))
        take_smaller((cairn_step_limit){.mass = fmin(mass[0], mass[1]),
                                        .a = eng_body_id(world, connector->body[0]),
                                        .b = eng_body_id(world, connector->body[1]),
                                        .material_a = material_of(world, connector->body[0]),
                                        .material_b = material_of(world, connector->body[1]),
                                        .law = connector->surface.law->name},
                     is, one_spring, 1.0 / (1.0 / mass[0] + 1.0 / mass[1]), limit);
}

static void try_materials(const cairn_world *world, const candidates *a, const candidates *b,
                          cairn_step_limit *limit)
{
    for (int i = 0; i < CANDIDATES; i++)
        for (int k = 0; k < CANDIDATES; k++)
            try_pair(world, &a->each[i], &b->each[k], a == b && i == k, limit);
}

/// Materials of a tile that begins at one of them.
static int tile_of(const cairn_world *world, int first, int most)
{
    int left = world->model.materials.count - first;
    return left < most ? left : most;
}

static void try_tile(const cairn_world *world, const candidates *a, int rows, const candidates *b,
                     int columns, cairn_step_limit *limit)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
            try_materials(world, &a[i], &b[k], limit);
}

cairn_step_limit cairn_world_get_stable_step(const cairn_world *world)
{
    if (world == NULL)
        return (cairn_step_limit){0};
    cairn_step_limit limit = {.step = INFINITY, .law = "", .accurate = INFINITY};
    enum { TILE = 64 };
    candidates a[TILE], b[TILE];
    for (int i = 0; i < world->model.materials.count; i += TILE) {
        int rows = tile_of(world, i, TILE);
        find_candidates(world, i, rows, a);
        for (int k = i; k < world->model.materials.count; k += TILE) {
            int columns = tile_of(world, k, TILE);
            find_candidates(world, k, columns, b);
            try_tile(world, a, rows, k == i ? a : b, columns, &limit);
        }
    }
    for (int i = 0; i < world->model.connectors.count; i++)
        try_connector(world, i, &limit);
    return limit;
}
