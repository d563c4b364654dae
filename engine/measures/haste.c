// SPDX-License-Identifier: Apache-2.0
// The first body that is too fast for what acts on it from an overlap on.
#include "engine/measures/haste.h"
#include "engine/bodies/body_state.h"
#include "engine/measures/finite.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/rows.h"
#include "engine/state/surfaces.h"
#include "engine/state/world.h"

#include <inttypes.h>

// part of its smallest size that a body may go in a step
static const double most = 0.5;

/// Whether a surface acts from an overlap on, and not before.
static bool acts_late(const cairn_world *world, const eng_surface *surface)
{
    return surface->law->kind == CON_LAW_IMPULSE || !world->model.def.margin;
}

static bool any_acts_late(const cairn_world *world)
{
    bool any = false;
    for (int i = 0; i < world->model.materials.surface_count && !any; i++)
        any = acts_late(world, &world->model.materials.surfaces[i]);
    return any;
}

/// Way of a body's fastest point in a step, in its smallest size.
static double way_of(const cairn_world *world, int body)
{
    const geo_shape *shape = world->model.shapes.rows[world->model.bodies.rows[body].shape];
    eng_state state = eng_state_of(world, body);
    double speed = vec3_norm(vec3_from(state.v)), turning = vec3_norm(vec3_from(state.v + 3));
    if (shape->kind != GEO_SPHERE)
        speed += turning * eng_reach_of(world, body);
    return world->state.clock.step * speed / shape->smallest_size;
}

/// Whether a body of the general passes may go farther than that: seen without a root for most.
/// @param factor  s2, such that its product with a squared speed is less than the squared size
static inline bool may_be_hasty(const cairn_world *world, int body, double factor)
{
    const double *v = world->state.bodies.v[body];
    const eng_body *b = &world->model.bodies.rows[body];
    const geo_shape *shape = world->model.shapes.rows[b->shape];
    double reach =
        b->solid > 0 ? world->model.bodies.solids[b->solid - 1].reach : shape->bounding_radius;
    double linear = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    double turning = v[3] * v[3] + v[4] * v[4] + v[5] * v[5];
    double size = shape->smallest_size;
    return !(factor * (linear + turning * reach * reach) < size * size);
}

/// Whether there is anything that a body would meet too late.
static bool meets_late(const cairn_world *world, int body)
{
    const eng_slots *slots = &world->model.ids.body;
    bool any = false;
    for (int place = 0; place < slots->live_count && !any; place++) {
        int other = eng_slots_at(slots, place);
        any = other != body && acts_late(world, eng_surface_of(world, body, other));
    }
    return any;
}

int eng_haste_fastest(const cairn_world *world)
{
    int fastest = world->scratch.general.active[0];
    double farthest = 0.0;
    for (int k = 0; k < world->scratch.general.count; k++) {
        int body = world->scratch.general.active[k];
        double way =
            world->model.bodies.rows[body].kind == CAIRN_DYNAMIC ? way_of(world, body) : 0.0;
        if (way > farthest) {
            farthest = way;
            fastest = body;
        }
    }
    return fastest;
}

/// The first body that laws which act late may not see; -1: none.
static int find_late(const cairn_world *world)
{
    int found = world->report.hasty - 1;
    double h = world->state.clock.step, factor = 2.1 * h * h / (most * most);
    if (!any_acts_late(world))
        return -1;
    if (found >= 0 && !meets_late(world, found))
        found = -1;
    for (int k = 0; k < world->scratch.general.count && world->scratch.general.work; k++) {
        int body = world->scratch.general.active[k];
        if (world->model.bodies.rows[body].kind != CAIRN_DYNAMIC ||
            !may_be_hasty(world, body, factor) || eng_is_elsewhere(world, body) ||
            (found >= 0 && found < body))
            continue;
        if (way_of(world, body) > most && meets_late(world, body))
            found = body;
    }
    return found;
}

void eng_haste_look(cairn_world *world)
{
    int lost = world->state.pieces.lost - 1;
    world->state.pieces.lost = 0;
    world->report.step.way_relative = 0.0;
    unsigned what = lost >= 0 ? ENG_TOLD_LOST : ENG_TOLD_HASTY;
    if ((world->report.told & what) != 0)
        return;
    int found = lost >= 0 ? lost : find_late(world);
    if (found < 0)
        return;
    world->report.told |= what;
    world->report.step.way_relative = way_of(world, found);
    const char *why = lost >= 0
                          ? "what it meets in that time could not be followed"
                          : "laws that act from an overlap on may not see what it passes through";
    base_log(&world->model.logger, BASE_LOG_WARNING,
             "step %" PRId64 ", t = %g s: %s goes %.3g of its size in a step: %s, and a shorter "
             "step is needed",
             world->state.clock.step_count, world->state.clock.time,
             eng_body_label(world, found).text, world->report.step.way_relative, why);
}
