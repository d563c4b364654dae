// SPDX-License-Identifier: Apache-2.0
// Time-step advice: the stable step of the stiffest contact that explicit laws may make.
#include "engine/measures/side_stiffness.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/ids.h"
#include "engine/state/values.h"

#include <math.h>

// share of the smaller body's half size at which laws are asked for their stiffness
static const double overlap_share = 0.01;

// of the stable step, that is accurate: a head-on impact of two like bodies takes 67 of them
static const double stable_share = 1.0 / 30.0;

enum { CANDIDATES = 5, LARGEST_BALL = 4 };

/// Bodies of one material that may make its stiffest contacts: the two lightest balls, the two
/// lightest others, and the ball with the largest radius. -1 for none.
typedef struct candidates {
    int body[CANDIDATES];
    eng_side_stiffness side[CANDIDATES];
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
    bool ball = world->shapes[world->bodies[body].shape]->kind == GEO_SPHERE;
    int *light = &c->body[ball ? 0 : 2], *large = &c->body[LARGEST_BALL];
    if (is_lighter(world, body, light[0])) {
        light[1] = light[0];
        light[0] = body;
    } else if (is_lighter(world, body, light[1])) {
        light[1] = body;
    }
    if (ball && (*large < 0 || radius_of(world, body) > radius_of(world, *large)))
        *large = body;
}

static double half_size(const cairn_world *world, int body)
{
    return 0.5 * world->shapes[world->bodies[body].shape]->smallest_size;
}

static double reach(const cairn_world *world, int body)
{
    return world->shapes[world->bodies[body].shape]->bounding_radius;
}

/// Of materials [first, first + count).
static void find_candidates(const cairn_world *world, int first, int count, candidates *found)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < CANDIDATES; k++)
            found[i].body[k] = -1;
    for (int i = 0; i < world->body_count; i++) {
        int at = world->bodies[i].material - first;
        if (at >= 0 && at < count && eng_body_is_live(world, i))
            consider(world, i, &found[at]);
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < CANDIDATES; k++) {
            int body = found[i].body[k];
            if (body >= 0)
                found[i].side[k] =
                    eng_side_stiffness_of(world, body, overlap_share * half_size(world, body));
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

/// Limit of one pair of bodies goes to *limit where it is smaller.
static void try_pair(const cairn_world *world, int a, int b, eng_side_stiffness side_a,
                     eng_side_stiffness side_b, cairn_step_limit *limit)
{
    if (a < 0 || b < 0 || eng_pair_is_idle(world, a, b))
        return;
    const eng_surface *surface = eng_surface_of(world, a, b);
    if (surface->law->stiffness == NULL)
        return;
    double m_a = world->bodies[a].mass, m_b = world->bodies[b].mass;
    con_stiffness_input input = {
        .radius = 1.0 / (1.0 / radius_of(world, a) + 1.0 / radius_of(world, b)),
        .mass = 1.0 / (1.0 / m_a + 1.0 / m_b),
        .overlap = overlap_share * fmin(half_size(world, a), half_size(world, b)),
        .size = fmin(reach(world, a), reach(world, b)),
    };
    con_stiffness is = surface->law->stiffness(surface->parameters, &input);
    cairn_step_limit found = {
        .a = eng_body_id(world, a), .b = eng_body_id(world, b), .law = surface->law->name};
    for (int side = 0; side < 2; side++) {
        found.mass = side == 0 ? m_a : m_b;
        if (isfinite(found.mass))
            take_smaller(found, is, side == 0 ? side_a : side_b, input.mass, limit);
    }
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
                     is, one_spring, 1.0 / (1.0 / mass[0] + 1.0 / mass[1]), limit);
}

static void try_materials(const cairn_world *world, const candidates *a, const candidates *b,
                          cairn_step_limit *limit)
{
    for (int i = 0; i < CANDIDATES; i++)
        for (int k = 0; k < CANDIDATES; k++)
            try_pair(world, a->body[i], b->body[k], a->side[i], b->side[k], limit);
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
