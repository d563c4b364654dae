// SPDX-License-Identifier: Apache-2.0
// Plan of the sphere executor: which bodies have particle slots, what is left to the general
// passes, and where the two may meet. Made when bodies, laws, joints, connectors or motions have
// changed.
//
// A sphere of its own has a slot when its material meets some other, or its own, under a law with a
// kernel. Pairs of two slots and of a slot and a wall whose law has a kernel are the executor's;
// all others go through the general passes.
#include "engine/pairs/spheres/lane.h"
#include "engine/pairs/spheres/lane_data.h"

#include "engine/joints/joints.h"
#include "engine/state/surfaces.h"

#include <string.h>

typedef struct eng_lane eng_lane;

enum { MATERIALS_PAIRED = 256 }; // most whose pairs are looked at one by one

bool eng_lane_may_hold(const cairn_world *world, int body)
{
    const eng_body *b = &world->bodies[body];
    return world->shapes[b->shape]->kind == GEO_SPHERE && b->solid == 0;
}

// ---------------------------------------------------------------- materials

/// What bodies there are of each of a few materials.
typedef struct presence {
    bool spheres[MATERIALS_PAIRED], mobile_spheres[MATERIALS_PAIRED]; // mobile: dynamic
    bool walls[MATERIALS_PAIRED];
} presence;

static void note_bodies(const cairn_world *world, presence *p)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < world->body_count; i++) {
        const eng_body *body = &world->bodies[i];
        bool dynamic = body->kind == CAIRN_DYNAMIC;
        p->walls[body->material] |= eng_lane_is_wall(world, i);
        p->spheres[body->material] |= eng_lane_may_hold(world, i);
        p->mobile_spheres[body->material] |= dynamic && eng_lane_may_hold(world, i);
    }
}

static bool is_covered(const eng_lane *lane, int material_a, int material_b)
{
    const cairn_world *world = lane->world;
    eng_surface scratch;
    const eng_surface *surface = eng_surface_between(world, material_a, material_b, &scratch);
    return surface != &scratch ? lane->covered[surface - world->surfaces] != 0
                               : eng_lane_has_kernel(surface);
}

/// Whether spheres of material a may have a pair with spheres or walls of material b.
static bool may_meet(const presence *p, int a, int b)
{
    bool mobile = p->mobile_spheres[a] || p->mobile_spheres[b];
    return (p->spheres[a] && p->spheres[b] && mobile) || (p->mobile_spheres[a] && p->walls[b]);
}

static void choose_slots(eng_lane *lane, const presence *p)
{
    int n = lane->world->material_count;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n && p->spheres[a]; b++)
            if (may_meet(p, a, b) && is_covered(lane, a, b)) {
                lane->materials[a] |= ENG_LANE_SLOT;
                break;
            }
}

/// Spheres with slots that meet others under laws without a kernel, and walls that do.
static void choose_exposed(eng_lane *lane, const presence *p)
{
    int n = lane->world->material_count;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            bool slots = lane->materials[a] & ENG_LANE_SLOT,
                 others = lane->materials[b] & ENG_LANE_SLOT;
            bool mobile = p->mobile_spheres[a] || p->mobile_spheres[b];
            if (!slots || is_covered(lane, a, b))
                continue;
            if (others && mobile)
                lane->materials[a] |= ENG_LANE_EXPOSED;
            if (p->mobile_spheres[a])
                lane->materials[b] |= ENG_LANE_CRITICAL;
        }
}

/// Bits of all materials. Of many, all spheres have slots when all surfaces there are have kernels.
static cairn_status choose_materials(eng_lane *lane)
{
    cairn_world *world = lane->world;
    int n = world->material_count;
    presence p;
    cairn_status status =
        base_array_reserve(&world->allocator, &lane->materials, &lane->material_capacity, n);
    if (status != CAIRN_OK)
        return status;
    bool all = !world->general_only && n > MATERIALS_PAIRED && lane->all_covered;
    memset(lane->materials, all ? ENG_LANE_SLOT : 0, (size_t)n);
    if (n > MATERIALS_PAIRED || world->general_only)
        return CAIRN_OK;
    note_bodies(world, &p);
    choose_slots(lane, &p);
    choose_exposed(lane, &p);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- slots

static bool wants_slot(const eng_lane *lane, int body)
{
    return lane->materials[lane->world->bodies[body].material] & ENG_LANE_SLOT &&
           eng_lane_may_hold(lane->world, body);
}

/// Rows that keep their slots move together; the others go to the general columns.
static cairn_status drop_rows(eng_lane *lane)
{
    cairn_world *world = lane->world;
    int kept = 0, last = -1;
    for (int row = 0; row < lane->rows; row++)
        last = !wants_slot(lane, eng_lane_ids(lane)[row]) && eng_lane_ids(lane)[row] > last
                   ? eng_lane_ids(lane)[row]
                   : last;
    cairn_status status = eng_state_reserve(world, last + 1);
    for (int row = 0; row < lane->rows && status == CAIRN_OK; row++) {
        int body = eng_lane_ids(lane)[row];
        if (wants_slot(lane, body)) {
            eng_lane_row_move(lane, row, kept++);
            continue;
        }
        eng_state state = eng_lane_state_of(world, body);
        world->q[body] = state.q;
        memcpy(world->v[body], state.v, sizeof state.v);
        eng_lane_row_numbers(lane)[body] = ENG_LANE_NO_ROW;
        world->blocks_count = 0;
    }
    if (status != CAIRN_OK)
        return status;
    lane->rows = kept;
    for (int row = 0; row < kept; row++)
        eng_lane_row_numbers(lane)[eng_lane_ids(lane)[row]] = row;
    return CAIRN_OK;
}

/// Bodies that get slots, behind the rows that are there; their number, or that without doing it.
static int add_rows(eng_lane *lane, bool count_only)
{
    int added = 0, *row_of = eng_lane_row_numbers(lane);
    for (int i = 0; i < lane->world->body_count; i++) {
        if (row_of[i] != ENG_LANE_NO_ROW || !wants_slot(lane, i))
            continue;
        if (!count_only) {
            int row = lane->rows - added - 1;
            eng_lane_ids(lane)[row] = i;
            row_of[i] = row;
            eng_state state = {.q = lane->world->q[i]};
            memcpy(state.v, lane->world->v[i], sizeof state.v);
            eng_lane_row_write(lane, row, &state);
        }
        added++;
    }
    return added;
}

static cairn_status know_bodies(eng_lane *lane)
{
    int count = lane->world->body_count;
    cairn_status status = eng_lane_reserve(lane, &lane->row_of, (size_t)count * sizeof(int));
    for (; status == CAIRN_OK && lane->known_bodies < count; lane->known_bodies++)
        eng_lane_row_numbers(lane)[lane->known_bodies] = ENG_LANE_NO_ROW;
    return status;
}

/// Slots of bodies that are gone from the plan, and of those that are new in it.
static cairn_status assign_slots(eng_lane *lane)
{
    cairn_status status = drop_rows(lane);
    if (status != CAIRN_OK)
        return status;
    int before = lane->rows, added = add_rows(lane, true);
    lane->rows += added;
    status = eng_lane_rows_reserve(lane, 0);
    if (status != CAIRN_OK) {
        lane->rows = before;
        return status;
    }
    (void)add_rows(lane, false);
    lane->adopted |= added > 0;
    eng_lane_rows_measure(lane);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- general passes

/// Marks bodies that joints, connectors or motions act on.
static void mark_tied(const eng_lane *lane)
{
    const cairn_world *world = lane->world;
    for (int i = 0; i < world->joint_count; i++)
        for (int side = 0; side < 2; side++)
            if (world->joints[i].body[side] >= 0)
                lane->mark[world->joints[i].body[side]] = ENG_LANE_TIED_MARK;
    for (int i = 0; i < world->connector_count; i++)
        for (int side = 0; side < 2; side++)
            lane->mark[world->connectors[i].body[side]] = ENG_LANE_TIED_MARK;
    for (int i = 0; i < world->body_count && world->motion_count > 0; i++)
        if (eng_extra_of(world, i).motion.function != NULL)
            lane->mark[i] = ENG_LANE_TIED_MARK;
}

/// Bodies without a slot, then those with one that are tied, each in their order.
static cairn_status list_active(eng_lane *lane)
{
    cairn_world *world = lane->world;
    const base_allocator *allocator = &world->allocator;
    int n = world->body_count;
    cairn_status status =
        base_array_reserve(allocator, &world->active, &world->active_capacity, n - lane->rows);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &lane->mark, &lane->mark_capacity, n);
    if (status != CAIRN_OK)
        return status;
    memset(lane->mark, 0, (size_t)n);
    mark_tied(lane);
    world->active_count = lane->tied_count = 0;
    for (int i = 0; i < n; i++)
        if (eng_lane_row_of(lane, i) == ENG_LANE_NO_ROW)
            world->active[world->active_count++] = i;
    world->general_count = world->active_count;
    for (int i = 0; i < n && status == CAIRN_OK; i++)
        if (lane->mark[i] && eng_lane_row_of(lane, i) != ENG_LANE_NO_ROW) {
            status = base_array_reserve(allocator, &world->active, &world->active_capacity,
                                        world->active_count + 1);
            if (status != CAIRN_OK)
                break;
            world->active[world->active_count++] = i;
            lane->tied_count++;
        }
    return status;
}

/// Whether spheres with slots may meet a body of the general passes there.
static bool is_critical(const eng_lane *lane, int body)
{
    const eng_body *b = &lane->world->bodies[body];
    return lane->rows > 0 &&
           (b->kind == CAIRN_DYNAMIC || (lane->materials[b->material] & ENG_LANE_CRITICAL) != 0);
}

/// Colliders of bodies without slots that spheres may meet in the general passes.
static cairn_status list_critical(eng_lane *lane)
{
    const cairn_world *world = lane->world;
    lane->critical_count = lane->exposed_count = 0;
    for (int k = 0; k < world->general_count; k++) {
        int body = world->active[k], count = eng_collider_count_of(world, body);
        if (!is_critical(lane, body))
            continue;
        cairn_status status =
            base_array_reserve(&world->allocator, &lane->critical, &lane->critical_capacity,
                               lane->critical_count + count);
        if (status != CAIRN_OK)
            return status;
        for (int i = 0; i < count; i++)
            lane->critical[lane->critical_count++] = (eng_lane_critical){
                .collider = world->bodies[body].first_collider + i,
                .mobile = world->bodies[body].kind == CAIRN_DYNAMIC,
                .bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}},
            };
    }
    return CAIRN_OK;
}

/// Whether any pair of materials of spheres with slots has a law without a kernel.
static bool has_exposed_materials(const eng_lane *lane)
{
    for (int i = 0; i < lane->world->material_count; i++)
        if (lane->materials[i] & ENG_LANE_EXPOSED)
            return true;
    return false;
}

/// What there is for the general passes to do.
static void note_work(eng_lane *lane)
{
    cairn_world *world = lane->world;
    lane->any_exposed = has_exposed_materials(lane);
    bool meets = lane->critical_count > 0 || lane->any_exposed;
    int reach = 0;
    world->general_work = lane->tied_count > 0 || meets;
    for (int k = 0; k < world->active_count; k++) {
        int body = world->active[k];
        reach = body + 1 > reach ? body + 1 : reach;
        world->general_work |= world->bodies[body].kind != CAIRN_FIXED;
    }
    world->reach = meets && lane->rows > 0 ? world->body_count : reach;
    world->general_work |= lane->rows == 0;
}

/// Positions and velocities that are in slots now leave their place to others.
static void return_memory(eng_lane *lane)
{
    cairn_world *world = lane->world;
    if (2 * lane->rows < world->body_count)
        return;
    if (world->step_count == 0)
        eng_state_shrink(world, world->reach);
    if (!world->general_work)
        eng_blocks_release(world);
}

cairn_status eng_lane_plan_laws(eng_lane *lane)
{
    lane->pass.step = lane->world->def.time_step;
    cairn_status status = eng_lane_terms_fill(lane);
    if (status == CAIRN_OK)
        status = choose_materials(lane);
    return status == CAIRN_OK ? know_bodies(lane) : status;
}

cairn_status eng_lane_plan_passes(eng_lane *lane)
{
    cairn_status status = eng_lane_walls_number(lane);
    if (status == CAIRN_OK)
        status = list_active(lane);
    if (status == CAIRN_OK)
        status = list_critical(lane);
    if (status != CAIRN_OK)
        return status;
    note_work(lane);
    return eng_state_reserve(lane->world, lane->world->reach);
}

static cairn_status make_plan(eng_lane *lane)
{
    cairn_status status = eng_lane_history_keep(lane);
    if (status == CAIRN_OK)
        status = eng_lane_plan_laws(lane);
    if (status == CAIRN_OK)
        status = assign_slots(lane);
    if (status == CAIRN_OK)
        status = eng_lane_plan_passes(lane);
    if (status != CAIRN_OK)
        return status;
    return_memory(lane);
    lane->slack = -1.0;
    lane->loads_changed = lane->replanned = true;
    return CAIRN_OK;
}

cairn_status eng_lane_plan(cairn_world *world)
{
    if (!world->plan_due)
        return CAIRN_OK;
    eng_lane *lane = eng_lane_of(world);
    if (lane == NULL)
        return CAIRN_ERROR_MEMORY;
    eng_lane_settle(lane);
    cairn_status status = make_plan(lane);
    world->plan_due = status != CAIRN_OK;
    world->topology_changed = true;
    return status;
}

bool eng_lane_owns_pair(const cairn_world *world, int body_a, int body_b)
{
    const eng_lane *lane = world->lane;
    bool slots[2] = {eng_lane_holds(world, body_a), eng_lane_holds(world, body_b)};
    if (!slots[0] && !slots[1])
        return false;
    if (!slots[0] || !slots[1]) {
        int other = slots[0] ? body_b : body_a;
        if (!eng_lane_is_wall(world, other))
            return false;
    }
    return lane->covered[eng_surface_of(world, body_a, body_b) - world->surfaces] != 0;
}
