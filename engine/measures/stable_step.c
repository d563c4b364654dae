// SPDX-License-Identifier: Apache-2.0
// Time-step advice: the stable step of the stiffest contact that explicit laws may make.
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/ids.h"
#include "engine/state/values.h"

#include <math.h>

// share of the smaller body's half size at which laws are asked for their stiffness
static const double overlap_share = 0.01;

// of the stable step, that is accurate: a head-on impact of two like bodies takes 67 of them
static const double stable_share = 1.0 / 30.0;

enum { CANDIDATES = 3 };

/// Bodies of one material that may make its stiffest contacts: the two lightest, and the one with
/// the largest radius. -1 for none.
typedef struct candidates {
    int body[CANDIDATES];
} candidates;

static double radius_of(const cairn_world *world, int body)
{
    const geo_shape *shape = world->shapes[world->bodies[body].shape];
    return shape->kind == GEO_SPHERE ? shape->sphere.radius : INFINITY;
}

static bool is_lighter(const cairn_world *world, int body, int than)
{
    return than < 0 || world->bodies[body].mass < world->bodies[than].mass;
}

static void consider(const cairn_world *world, int body, candidates *c)
{
    int *light = c->body, *large = &c->body[2];
    if (is_lighter(world, body, light[0])) {
        light[1] = light[0];
        light[0] = body;
    } else if (is_lighter(world, body, light[1])) {
        light[1] = body;
    }
    if (*large < 0 || radius_of(world, body) > radius_of(world, *large))
        *large = body;
}

/// Of materials [first, first + count).
static void find_candidates(const cairn_world *world, int first, int count, candidates *found)
{
    for (int i = 0; i < count; i++)
        found[i] = (candidates){{-1, -1, -1}};
    for (int i = 0; i < world->body_count; i++) {
        int at = world->bodies[i].material - first;
        if (at >= 0 && at < count && eng_body_is_live(world, i))
            consider(world, i, &found[at]);
    }
}

static double half_size(const cairn_world *world, int body)
{
    return 0.5 * world->shapes[world->bodies[body].shape]->smallest_size;
}

static double reach(const cairn_world *world, int body)
{
    return world->shapes[world->bodies[body].shape]->bounding_radius;
}

/// Limit of a contact of this stiffness goes to *limit where it is smaller, docs/laws.md section 9.
/// @param effective  kg, 1 / (1/m_A + 1/m_B)
static void take_smaller(cairn_step_limit found, con_stiffness is, double effective,
                         cairn_step_limit *limit)
{
    double k = fmax(is.normal, 3.5 * is.tangential), c = is.damping;
    found.stiffness = k;
    found.damping = c;
    found.step = found.mass / (c + sqrt(c * c + k * found.mass));
    double accurate = found.step * stable_share;
    if (is.impact_steps > 0.0 && is.normal > 0.0)
        accurate = fmin(accurate, M_PI * sqrt(effective / is.normal) / is.impact_steps);
    found.accurate = fmin(accurate, limit->accurate);
    if (found.step < limit->step)
        *limit = found;
    limit->accurate = found.accurate;
}

/// Limit of one pair of bodies goes to *limit where it is smaller.
static void try_pair(const cairn_world *world, int a, int b, cairn_step_limit *limit)
{
    if (a < 0 || b < 0 || eng_pair_is_idle(world, a, b))
        return;
    const eng_surface *surface = eng_surface_of(world, a, b);
    if (surface->law->stiffness == NULL)
        return;
    double m_a = world->bodies[a].mass, m_b = world->bodies[b].mass, mass = fmin(m_a, m_b);
    con_stiffness_input input = {
        .radius = 1.0 / (1.0 / radius_of(world, a) + 1.0 / radius_of(world, b)),
        .mass = 1.0 / (1.0 / m_a + 1.0 / m_b),
        .overlap = overlap_share * fmin(half_size(world, a), half_size(world, b)),
        .size = fmin(reach(world, a), reach(world, b)),
    };
    con_stiffness is = surface->law->stiffness(surface->parameters, &input);
    take_smaller((cairn_step_limit){.mass = mass,
                                    .a = eng_body_id(world, a),
                                    .b = eng_body_id(world, b),
                                    .law = surface->law->name},
                 is, input.mass, limit);
}

static void try_connector(const cairn_world *world, int index, cairn_step_limit *limit)
{
    const eng_connector *connector = &world->connectors[index];
    con_stiffness is;
    double mass[2];
    if (eng_connector_stiffness(world, index, &is, mass))
        take_smaller((cairn_step_limit){.mass = fmin(mass[0], mass[1]),
                                        .a = eng_body_id(world, connector->body[0]),
                                        .b = eng_body_id(world, connector->body[1]),
                                        .law = connector->surface.law->name},
                     is, 1.0 / (1.0 / mass[0] + 1.0 / mass[1]), limit);
}

static void try_materials(const cairn_world *world, const candidates *a, const candidates *b,
                          cairn_step_limit *limit)
{
    for (int i = 0; i < CANDIDATES; i++)
        for (int k = 0; k < CANDIDATES; k++)
            try_pair(world, a->body[i], b->body[k], limit);
}

/// Materials of a tile that begins at one of them.
static int tile_of(const cairn_world *world, int first, int most)
{
    int left = world->material_count - first;
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
    for (int i = 0; i < world->material_count; i += TILE) {
        int rows = tile_of(world, i, TILE);
        find_candidates(world, i, rows, a);
        for (int k = i; k < world->material_count; k += TILE) {
            int columns = tile_of(world, k, TILE);
            find_candidates(world, k, columns, b);
            try_tile(world, a, rows, b, columns, &limit);
        }
    }
    for (int i = 0; i < world->connector_count; i++)
        try_connector(world, i, &limit);
    return limit;
}
