// SPDX-License-Identifier: Apache-2.0
// Spheres with particle slots in the general passes: what a step needs of them goes to the general
// columns, what the passes find goes back to the slots.
//
// Tied spheres (joints, connectors, functions of time) take part in every step, exposed ones while
// they are near a body that they may meet outside of the executor. The general passes act on a
// sphere by changing its velocity: the fused pass moves it under the executor's own forces, the
// change is added to that, solvers of joints and implicit contacts go on from there, and the slot
// is written anew at the end.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/exclusions.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include <stdlib.h>
#include <string.h>

typedef struct eng_spheres eng_spheres;

/// State, midpoint and inverse mass of a body with a slot go to the general columns.
static void load(const eng_spheres *spheres, int body)
{
    cairn_world *world = spheres->world;
    eng_state state = eng_spheres_state_of(world, body);
    world->state.bodies.q[body] = state.q;
    memcpy(world->state.bodies.v[body], state.v, sizeof state.v);
    world->state.bodies.q_mid[body] =
        eng_spheres_slot_middle(spheres, eng_spheres_slot_of(spheres, body));
    eng_mass_inverse_of(world, body, world->state.bodies.mass_inverse[body]);
}

void eng_spheres_load_tied(cairn_world *world)
{
    const eng_spheres *spheres = world->state.spheres;
    world->scratch.general.active_count =
        world->scratch.general.count + spheres->meeting.tied_count;
    for (int k = world->scratch.general.count; k < world->scratch.general.active_count; k++)
        load(spheres, world->scratch.general.active[k]);
}

/// A body's state in the general columns goes to its slot; the new midpoint too.
static void store(eng_spheres *spheres, int body)
{
    cairn_world *world = spheres->world;
    eng_state state = {.q = world->state.bodies.q[body]};
    memcpy(state.v, world->state.bodies.v[body], sizeof state.v);
    eng_spheres_slot_write(spheres, eng_spheres_slot_of(spheres, body), &state);
}

void eng_spheres_store_tied(cairn_world *world)
{
    eng_spheres *spheres = world->state.spheres;
    spheres->clumps.members_due = spheres->clumps.count > 0;
    for (int k = world->scratch.general.count; k < world->scratch.general.active_count; k++) {
        store(spheres, world->scratch.general.active[k]);
        load(spheres, world->scratch.general.active[k]);
        spheres->list.slack = -1.0;
    }
}

/// Whether the slot of a body has another velocity than the general columns say.
static bool changes(const eng_spheres *spheres, int body)
{
    eng_state state = eng_spheres_state_of(spheres->world, body);
    return memcmp(state.v, spheres->world->state.bodies.v[body], sizeof state.v) != 0;
}

/// A sphere that follows a function of time goes to the midpoint that its new velocity says.
static void place_driven(eng_spheres *spheres, int body, bool owes)
{
    cairn_world *world = spheres->world;
    int slot = eng_spheres_slot_of(spheres, body);
    vec3 before = vec3_from(spheres->pass.X[slot]);
    if (owes && changes(spheres, body))
        eng_spheres_settle_slot(spheres, slot);
    store(spheres, body);
    world->state.bodies.q_mid[body] = eng_spheres_slot_middle(spheres, slot);
    double jump = vec3_distance(before, vec3_from(spheres->pass.X[slot]));
    for (int i = 0; i < spheres->list.chunk_count; i++)
        spheres->pass.chunks[i].path += jump;
    if (spheres->list.chunk_count > 0)
        spheres->pass.chunks[slot / spheres->list.chunk_slots].left -= jump;
    spheres->list.slack =
        fmin(spheres->list.slack, jump > 0.0 ? spheres->list.slack - jump : spheres->list.slack);
}

void eng_spheres_place_driven(cairn_world *world, bool owes)
{
    eng_spheres *spheres = world->state.spheres;
    for (int k = world->scratch.general.count;
         k < world->scratch.general.active_count && world->model.bodies.motion_count > 0; k++)
        if (eng_extra_of(world, world->scratch.general.active[k]).motion.function != NULL)
            place_driven(spheres, world->scratch.general.active[k], owes);
}

// ---------------------------------------------------------------- exposed spheres

static const geo_shape *shape_of(const cairn_world *world, const eng_spheres_critical *c,
                                 pose *place)
{
    int body = world->contacts.colliders.rows[c->collider].body;
    eng_part part =
        eng_part_of(world, body, c->collider - world->model.bodies.rows[body].first_collider);
    *place = pose_compose(&world->state.bodies.q_mid[body], &part.place);
    return part.shape;
}

/// Way of a collider's fastest point in a step, m.
static double way_of(const cairn_world *world, const eng_spheres_critical *c)
{
    int body = world->contacts.colliders.rows[c->collider].body;
    const double *v = world->state.bodies.v[body];
    double reach = eng_reach_of(world, body), omega = vec3_norm(vec3_from(v + 3));
    double way =
        world->state.clock.step * (vec3_norm(vec3_from(v)) + (omega > 0.0 ? omega * reach : 0.0));
    return isfinite(way) ? way : 0.0;
}

/// Bounds of a collider and of the layer in which its contacts are looked for, with room to move.
static geo_bounds bounds_of(const cairn_world *world, const eng_spheres_critical *c, bool room)
{
    pose place;
    const geo_shape *shape = shape_of(world, c, &place);
    double size = isfinite(shape->smallest_size) ? shape->smallest_size : 0.0;
    double way = way_of(world, c), layer = 1e-3 * size + 2.0 * fmin(way, size);
    return geo_bounds_inflate(geo_shape_bounds(shape, &place),
                              room ? layer + 0.02 * size + 50.0 * way : layer);
}

static bool is_within(geo_bounds a, geo_bounds b)
{
    return a.low.x >= b.low.x && a.low.y >= b.low.y && a.low.z >= b.low.z && a.high.x <= b.high.x &&
           a.high.y <= b.high.y && a.high.z <= b.high.z;
}

/// Whether all critical colliders are where the spheres near them are known. Those without bounds
/// of their own must not move.
static bool are_known(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    for (int i = 0; i < spheres->meeting.critical_count; i++) {
        const eng_spheres_critical *c = &spheres->meeting.critical[i];
        const eng_body *body =
            &world->model.bodies.rows[world->contacts.colliders.rows[c->collider].body];
        bool open = world->model.shapes.rows[body->shape]->kind == GEO_HALFSPACE;
        if (open && (body->kind == CAIRN_MOVING || c->bounds.low.x > c->bounds.high.x))
            return false;
        if (!open && !is_within(bounds_of(world, c, false), c->bounds))
            return false;
    }
    return true;
}

/// Whether a slot may come near a collider while the list lasts.
static bool is_near(const eng_spheres *spheres, int slot, const eng_spheres_critical *c)
{
    const cairn_world *world = spheres->world;
    const double *r = spheres->pass.constants[slot];
    vec3 at =
        vec3_make(eng_spheres_reference(spheres, 0)[slot], eng_spheres_reference(spheres, 1)[slot],
                  eng_spheres_reference(spheres, 2)[slot]);
    if (world->state.cell.any && isfinite(c->bounds.low.x)) {
        vec3 middle = vec3_scale(0.5, vec3_add(c->bounds.low, c->bounds.high));
        at = vec3_add(at, eng_cell_shift(&world->state.cell, vec3_sub(middle, at)));
    }
    double way = spheres->pass.step * vec3_norm(vec3_from(spheres->pass.V[slot]));
    double reach = 1.002 * r[3] + 1.1 * eng_spheres_margins(spheres)[slot] +
                   2.0 * fmin(way, spheres->list.widest);
    int body = world->contacts.colliders.rows[c->collider].body;
    if (world->model.shapes.rows[world->model.bodies.rows[body].shape]->kind == GEO_HALFSPACE) {
        pose place;
        (void)shape_of(world, c, &place);
        vec3 normal = quat_rotate(place.orientation, vec3_make(0.0, 0.0, 1.0));
        return vec3_dot(normal, vec3_sub(at, place.position)) <
               reach + 2.0 * way_of(world, c) + 1e-3 * r[3];
    }
    geo_bounds sphere = geo_bounds_inflate((geo_bounds){at, at}, reach);
    return geo_bounds_overlap(sphere, c->bounds);
}

static cairn_status expose(eng_spheres *spheres, int slot, int *count)
{
    int body = eng_spheres_slot_body(spheres, slot);
    // clumps are bodies of the general passes anyway
    if (eng_spheres_is_member(spheres, slot) || spheres->meeting.mark[body] & ENG_SPHERES_NEAR_MARK)
        return CAIRN_OK;
    BASE_TRY(base_array_reserve(&spheres->world->model.allocator, &spheres->meeting.exposed_next,
                                &spheres->meeting.exposed_next_capacity, *count + 1));
    spheres->meeting.mark[body] |= ENG_SPHERES_NEAR_MARK;
    spheres->meeting.exposed_next[(*count)++] = body;
    return CAIRN_OK;
}

/// Whether a sphere meets a critical collider outside of the executor, if it comes to that.
static bool meets(const eng_spheres *spheres, int slot, const eng_spheres_critical *c)
{
    const cairn_world *world = spheres->world;
    int sphere = eng_spheres_slot_body(spheres, slot),
        body = world->contacts.colliders.rows[c->collider].body;
    return !eng_pair_is_idle(world, sphere, body) && !eng_spheres_owns_pair(world, sphere, body);
}

/// First and last cell of an axis between two coordinates.
static void cells_between(const eng_spheres *spheres, int k, double low, double high, int cells[2])
{
    cells[0] = eng_spheres_cell_along(&spheres->list.cells, k, low);
    cells[1] = eng_spheres_cell_along(&spheres->list.cells, k, high);
}

/// Slots of one run of cells.
static cairn_status expose_run(eng_spheres *spheres, const eng_spheres_critical *c, int line,
                               const int run[2], int *count)
{
    const int *start = spheres->list.cell_start.block;
    cairn_status status = CAIRN_OK;
    for (int slot = start[line + run[0]]; slot < start[line + run[1] + 1] && status == CAIRN_OK;
         slot++)
        if (is_near(spheres, slot, c) && meets(spheres, slot, c))
            status = expose(spheres, slot, count);
    return status;
}

static cairn_status expose_near(eng_spheres *spheres, const eng_spheres_critical *c, int *count)
{
    double pad =
        1.002 * spheres->table.largest + 2.0 * spheres->list.widest + 2.0 * spheres->list.widest;
    geo_bounds bounds = geo_bounds_inflate(c->bounds, pad);
    int cells[3][2];
    for (int k = 0; k < 3; k++)
        cells_between(spheres, k, vec3_get(bounds.low, spheres->list.cells.axis[k]),
                      vec3_get(bounds.high, spheres->list.cells.axis[k]), cells[k]);
    cairn_status status = CAIRN_OK;
    // copies of the collider lie anywhere
    const int all[2] = {0, spheres->list.cells.count[0] * spheres->list.cells.count[1] *
                                   spheres->list.cells.count[2] -
                               1};
    if (spheres->world->state.cell.any)
        return expose_run(spheres, c, 0, all, count);
    for (int a = cells[0][0]; a <= cells[0][1]; a++)
        for (int b = cells[1][0]; b <= cells[1][1] && status == CAIRN_OK; b++)
            status = expose_run(
                spheres, c, (a * spheres->list.cells.count[1] + b) * spheres->list.cells.count[2],
                cells[2], count);
    return status;
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/// Looks for the spheres near all critical colliders; *changed says whether they are others.
static cairn_status find_exposed(eng_spheres *spheres, bool *changed)
{
    const cairn_world *world = spheres->world;
    int count = 0;
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < spheres->meeting.critical_count && status == CAIRN_OK; i++) {
        spheres->meeting.critical[i].bounds = bounds_of(world, &spheres->meeting.critical[i], true);
        status = expose_near(spheres, &spheres->meeting.critical[i], &count);
    }
    for (int slot = 0;
         slot < spheres->table.slots && spheres->meeting.any_exposed && status == CAIRN_OK; slot++)
        if (spheres->meeting.materials
                [world->model.bodies.rows[eng_spheres_slot_body(spheres, slot)].material] &
            ENG_SPHERES_EXPOSED)
            status = expose(spheres, slot, &count);
    for (int i = 0; i < count; i++)
        spheres->meeting.mark[spheres->meeting.exposed_next[i]] &=
            (unsigned char)~ENG_SPHERES_NEAR_MARK;
    if (status != CAIRN_OK)
        return status;
    if (count > 0)
        qsort(spheres->meeting.exposed_next, (size_t)count, sizeof *spheres->meeting.exposed_next,
              compare_ints);
    *changed = count != spheres->meeting.exposed_count ||
               (count > 0 && memcmp(spheres->meeting.exposed, spheres->meeting.exposed_next,
                                    (size_t)count * sizeof *spheres->meeting.exposed) != 0);
    int *spare = spheres->meeting.exposed, capacity = spheres->meeting.exposed_capacity;
    spheres->meeting.exposed = spheres->meeting.exposed_next;
    spheres->meeting.exposed_capacity = spheres->meeting.exposed_next_capacity;
    spheres->meeting.exposed_next = spare;
    spheres->meeting.exposed_next_capacity = capacity;
    spheres->meeting.exposed_count = count;
    return CAIRN_OK;
}

// those of bodies without slots where these can meet anything, and of exposed spheres; there is an
// address where there are none, which does not mean all
cairn_status eng_spheres_colliders_list(eng_spheres *spheres)
{
    cairn_world *world = spheres->world;
    bool general = spheres->table.slots == 0 || spheres->meeting.critical_count > 0;
    int most = spheres->meeting.exposed_count, count = 0;
    for (int k = 0; k < world->scratch.general.count && general; k++)
        most += eng_collider_count_of(world, world->scratch.general.active[k]);
    BASE_TRY(base_array_reserve(&world->model.allocator, &world->contacts.broad.listed,
                                &world->contacts.broad.listed_capacity, most + 1));
    for (int k = 0; k < world->scratch.general.count && general; k++)
        for (int i = 0; i < eng_collider_count_of(world, world->scratch.general.active[k]); i++)
            world->contacts.broad.listed[count++] =
                world->model.bodies.rows[world->scratch.general.active[k]].first_collider + i;
    for (int k = 0; k < spheres->meeting.exposed_count; k++)
        world->contacts.broad.listed[count++] =
            world->model.bodies.rows[spheres->meeting.exposed[k]].first_collider;
    // a body in a row that was freed may have colliders behind those of later rows
    bool ascending = true;
    for (int k = 1; k < count && ascending; k++)
        ascending = world->contacts.broad.listed[k - 1] < world->contacts.broad.listed[k];
    if (!ascending)
        qsort(world->contacts.broad.listed, (size_t)count, sizeof *world->contacts.broad.listed,
              compare_ints);
    world->contacts.broad.listed_count = count;
    world->contacts.pairs.topology_changed = true;
    return CAIRN_OK;
}

cairn_status eng_spheres_expose(cairn_world *world, bool listed)
{
    eng_spheres *spheres = world->state.spheres;
    bool changed = spheres->meeting.replanned,
         meets_any = spheres->meeting.critical_count > 0 || spheres->meeting.any_exposed;
    const base_allocator *allocator = &world->model.allocator;
    cairn_status status = CAIRN_OK;
    if (spheres->table.slots > 0 && meets_any && (listed || changed || !are_known(spheres))) {
        bool others = false;
        status = find_exposed(spheres, &others);
        changed = changed || others;
    }
    if (status == CAIRN_OK && changed)
        status = eng_spheres_colliders_list(spheres);
    if (status == CAIRN_OK)
        status = base_array_reserve(
            allocator, &world->scratch.general.active, &world->scratch.general.active_capacity,
            world->scratch.general.active_count + spheres->meeting.exposed_count);
    if (status != CAIRN_OK)
        return status;
    spheres->meeting.replanned = false;
    for (int k = 0; k < spheres->meeting.exposed_count; k++)
        if (!(spheres->meeting.mark[spheres->meeting.exposed[k]] & ENG_SPHERES_TIED_MARK)) {
            load(spheres, spheres->meeting.exposed[k]);
            world->scratch.general.active[world->scratch.general.active_count++] =
                spheres->meeting.exposed[k];
        }
    return CAIRN_OK;
}

// ---------------------------------------------------------------- around the fused pass

static void act_on(eng_spheres *spheres, int body)
{
    int slot = eng_spheres_slot_of(spheres, body);
    if (slot == ENG_SPHERES_NO_SLOT || spheres->meeting.mark[body] & ENG_SPHERES_ACTED_MARK)
        return;
    spheres->meeting.mark[body] |= ENG_SPHERES_ACTED_MARK;
    spheres->meeting.acted[spheres->meeting.acted_count++] = body;
    spheres->pass.chunks[slot / spheres->list.chunk_slots].held = true;
}

cairn_status eng_spheres_hold(cairn_world *world)
{
    eng_spheres *spheres = world->state.spheres;
    const eng_contacts *c = &world->contacts.set;
    if (spheres->table.slots == 0 || !world->scratch.general.work)
        return CAIRN_OK;
    int most = world->scratch.general.active_count - world->scratch.general.count;
    cairn_status status = base_array_reserve(&world->model.allocator, &spheres->meeting.acted,
                                             &spheres->meeting.acted_capacity, most);
    spheres->meeting.acted_count = 0;
    if (status != CAIRN_OK)
        return status;
    for (int k = 0; k < spheres->meeting.tied_count; k++)
        act_on(spheres, world->scratch.general.active[world->scratch.general.count + k]);
    for (int i = 0; i < c->count && most > 0; i++)
        for (int side = 0; side < 2; side++)
            act_on(spheres, c->body[i][side]);
    for (int k = 0; k < spheres->meeting.acted_count; k++)
        spheres->meeting.mark[spheres->meeting.acted[k]] &= (unsigned char)~ENG_SPHERES_ACTED_MARK;
    return CAIRN_OK;
}

bool eng_spheres_are_acted_on(const cairn_world *world)
{
    const eng_spheres *spheres = world->state.spheres;
    return world->scratch.general.work && spheres->table.slots > 0 &&
           (spheres->meeting.acted_count > 0 || spheres->clumps.count > spheres->clumps.moved);
}

void eng_spheres_release_free(cairn_world *world)
{
    const eng_spheres *spheres = world->state.spheres;
    for (int k = 0; k < spheres->meeting.acted_count; k++) {
        int body = spheres->meeting.acted[k], slot = eng_spheres_slot_of(spheres, body);
        if (world->model.bodies.rows[body].kind != CAIRN_DYNAMIC)
            continue;
        double before[6], *v = world->state.bodies.v_free[body];
        eng_body_free(world, body, before);
        vec3 omega = quat_rotate_inverse(world->state.bodies.q_mid[body].orientation,
                                         eng_spheres_slot_omega(spheres, slot));
        vec3 velocity =
            vec3_add(vec3_from(spheres->pass.V[slot]), eng_spheres_wrap_drift(spheres, slot));
        for (int i = 0; i < 3; i++) {
            v[i] = vec3_get(velocity, i) + (v[i] - before[i]);
            v[i + 3] = vec3_get(omega, i) + (v[i + 3] - before[i + 3]);
        }
    }
}

/// Position correction and joints move a sphere beyond what its velocity says: what the step left
/// behind is read from where it was in the middle of it.
static cairn_status keep_middle(eng_spheres *spheres, int body, int slot)
{
    BASE_TRY(eng_spheres_keep_moved(spheres, slot));
    eng_spheres_moved *moved = &spheres->table.moved[spheres->table.moved_of[slot] - 1];
    vec3 velocity =
        vec3_add(vec3_from(spheres->pass.V[slot]), eng_spheres_wrap_drift(spheres, slot));
    vec3 middle = vec3_sub(spheres->world->state.bodies.q_mid[body].position,
                           eng_spheres_wrap_shift(spheres, slot));
    vec3_store(moved->X, vec3_add_scaled(middle, spheres->pass.step, velocity));
    return CAIRN_OK;
}

cairn_status eng_spheres_store_acted(cairn_world *world)
{
    eng_spheres *spheres = world->state.spheres;
    cairn_status status = CAIRN_OK;
    for (int k = 0; k < spheres->meeting.acted_count && status == CAIRN_OK; k++) {
        int body = spheres->meeting.acted[k], slot = eng_spheres_slot_of(spheres, body);
        eng_spheres_chunk *chunk = &spheres->pass.chunks[slot / spheres->list.chunk_slots];
        store(spheres, body);
        vec3 way = vec3_sub(eng_spheres_slot_middle(spheres, slot).position,
                            world->state.bodies.q_mid[body].position);
        for (int i = 0; i < 3; i++) {
            chunk->fastest[i] =
                fmax(chunk->fastest[i], fabs(vec3_get(way, i)) / spheres->pass.step);
            chunk->finite += 0.0 * spheres->pass.V[slot][i] + 0.0 * spheres->pass.V[slot][i + 3];
        }
        status = keep_middle(spheres, body, slot);
    }
    return status;
}
