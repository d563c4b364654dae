// SPDX-License-Identifier: Apache-2.0
// Plan of the sphere executor: which bodies have particle slots, what is left to the general
// passes, and where the two may meet. Made when bodies, laws, joints, connectors or motions have
// changed.
//
// A sphere of its own has a slot when its material meets some other, or its own, under a law with a
// kernel. So has each member of a clump where the laws of all surfaces have kernels that take
// clumps. Pairs of two slots and of a slot and a wall whose law has a kernel are the executor's;
// all others go through the general passes.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/blocks.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "engine/state/surfaces.h"

#include <string.h>

typedef struct eng_spheres eng_spheres;

enum { MATERIALS_PAIRED = 256 }; // most whose pairs are looked at one by one

bool eng_spheres_may_hold(const cairn_world *world, int body)
{
    const eng_body *b = &world->model.bodies.rows[body];
    return b->shape >= 0 && world->model.shapes.rows[b->shape]->kind == GEO_SPHERE && b->solid == 0;
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
    for (int i = 0; i < world->model.bodies.count; i++) {
        const eng_body *body = &world->model.bodies.rows[i];
        bool dynamic = body->kind == CAIRN_DYNAMIC;
        bool spheres = eng_spheres_may_hold(world, i) || eng_spheres_may_be_clump(world, i);
        p->walls[body->material] |= eng_spheres_is_wall(world, i);
        p->spheres[body->material] |= spheres;
        p->mobile_spheres[body->material] |= dynamic && spheres;
    }
}

static bool is_covered(const eng_spheres *spheres, int material_a, int material_b)
{
    const cairn_world *world = spheres->world;
    eng_surface scratch;
    const eng_surface *surface = eng_surface_between(world, material_a, material_b, &scratch);
    return surface != &scratch
               ? spheres->meeting.covered[surface - world->model.materials.surfaces] != 0
               : eng_spheres_has_kernel(surface);
}

/// Whether spheres of material a may have a pair with spheres or walls of material b.
static bool may_meet(const presence *p, int a, int b)
{
    bool mobile = p->mobile_spheres[a] || p->mobile_spheres[b];
    return (p->spheres[a] && p->spheres[b] && mobile) || (p->mobile_spheres[a] && p->walls[b]);
}

static void choose_slots(eng_spheres *spheres, const presence *p)
{
    int n = spheres->world->model.materials.count;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n && p->spheres[a]; b++)
            if (may_meet(p, a, b) && is_covered(spheres, a, b)) {
                spheres->meeting.materials[a] |= ENG_SPHERES_SLOT;
                break;
            }
}

/// Spheres with slots that meet others under laws without a kernel, and walls that do.
static void choose_exposed(eng_spheres *spheres, const presence *p)
{
    int n = spheres->world->model.materials.count;
    for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++) {
            bool slots = spheres->meeting.materials[a] & ENG_SPHERES_SLOT,
                 others = spheres->meeting.materials[b] & ENG_SPHERES_SLOT;
            bool mobile = p->mobile_spheres[a] || p->mobile_spheres[b];
            if (!slots || is_covered(spheres, a, b))
                continue;
            if (others && mobile)
                spheres->meeting.materials[a] |= ENG_SPHERES_EXPOSED;
            if (p->mobile_spheres[a])
                spheres->meeting.materials[b] |= ENG_SPHERES_CRITICAL;
        }
}

/// Bits of all materials. Of many, all spheres have slots when all surfaces there are have kernels.
static cairn_status choose_materials(eng_spheres *spheres)
{
    cairn_world *world = spheres->world;
    int n = world->model.materials.count;
    presence p;
    BASE_TRY(base_array_reserve(&world->model.allocator, &spheres->meeting.materials,
                                &spheres->meeting.material_capacity, n));
    bool all = !world->model.general_only && n > MATERIALS_PAIRED && spheres->meeting.all_covered;
    if (n > 0)
        memset(spheres->meeting.materials, all ? ENG_SPHERES_SLOT : 0, (size_t)n);
    if (n > MATERIALS_PAIRED || world->model.general_only)
        return CAIRN_OK;
    note_bodies(world, &p);
    choose_slots(spheres, &p);
    choose_exposed(spheres, &p);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- slots

static bool wants_slot(const eng_spheres *spheres, int body)
{
    return spheres->meeting.materials[spheres->world->model.bodies.rows[body].material] &
               ENG_SPHERES_SLOT &&
           eng_spheres_may_hold(spheres->world, body);
}

static bool wants_clump(const eng_spheres *spheres, int body)
{
    return spheres->clumps.takes &&
           spheres->meeting.materials[spheres->world->model.bodies.rows[body].material] &
               ENG_SPHERES_SLOT;
}

static bool keeps_slot(const eng_spheres *spheres, int id)
{
    if (id >= 0)
        return wants_slot(spheres, id);
    return ~id < spheres->clumps.member_room && eng_spheres_members(spheres)[~id].clump >= 0;
}

/// Rows that keep their slots move together; the others go to the general columns, where clumps are
/// already.
static cairn_status drop_slots(eng_spheres *spheres)
{
    cairn_world *world = spheres->world;
    int kept = 0, last = -1;
    for (int slot = 0; slot < spheres->table.slots; slot++)
        last = !keeps_slot(spheres, eng_spheres_ids(spheres)[slot]) &&
                       eng_spheres_ids(spheres)[slot] > last
                   ? eng_spheres_ids(spheres)[slot]
                   : last;
    cairn_status status = eng_body_columns_reserve(&world->model.allocator, &world->state.bodies,
                                                   ENG_BODY_STATE, last + 1);
    for (int slot = 0; slot < spheres->table.slots && status == CAIRN_OK; slot++) {
        int body = eng_spheres_ids(spheres)[slot];
        if (keeps_slot(spheres, body)) {
            eng_spheres_slot_move(spheres, slot, kept++);
            continue;
        }
        if (body < 0)
            continue;
        eng_state state = eng_spheres_state_of(world, body);
        if (!eng_body_is_live(world, body))
            state = (eng_state){.q = pose_identity()};
        world->state.bodies.q[body] = state.q;
        memcpy(world->state.bodies.v[body], state.v, sizeof state.v);
        memset(world->state.bodies.held[body], 0, sizeof world->state.bodies.held[body]);
        eng_spheres_slot_numbers(spheres)[body] = ENG_SPHERES_NO_SLOT;
        world->state.bodies.step_rows = 0;
    }
    if (status != CAIRN_OK)
        return status;
    spheres->table.slots = kept;
    for (int slot = 0; slot < kept; slot++)
        eng_spheres_slot_note(spheres, eng_spheres_ids(spheres)[slot], slot);
    return CAIRN_OK;
}

/// General columns of bodies [first, end) that all have slots go back to the system before the
/// world's first step: then there are never both of all bodies.
static void drop_states(const eng_spheres *spheres, int first, int end)
{
    const cairn_world *world = spheres->world;
    if (world->state.clock.step_count > 0 || first >= end)
        return;
    base_give_back(world->state.bodies.q + first,
                   (size_t)(end - first) * sizeof *world->state.bodies.q);
    base_give_back(world->state.bodies.v + first,
                   (size_t)(end - first) * sizeof *world->state.bodies.v);
}

enum { DROPPED_ROWS = 1 << 14 }; // at a time

/// Bodies that get slots, behind the slots that are there; their number, or that without doing it.
static int add_slots(eng_spheres *spheres, bool count_only)
{
    int added = 0, *slot_of = eng_spheres_slot_numbers(spheres), kept = 0;
    for (int i = 0; i < spheres->world->model.bodies.count; i++) {
        if (!count_only && i - kept == DROPPED_ROWS) {
            drop_states(spheres, kept, i);
            kept = i;
        }
        if (slot_of[i] != ENG_SPHERES_NO_SLOT || !wants_slot(spheres, i)) {
            kept = i + 1;
            continue;
        }
        if (!count_only) {
            int slot = spheres->table.slots - added - 1;
            int *wrap = eng_spheres_wrap_of(spheres, slot);
            eng_spheres_ids(spheres)[slot] = i;
            slot_of[i] = slot;
            if (wrap != NULL)
                memset(wrap, 0, 3 * sizeof *wrap);
            eng_state state = {.q = spheres->world->state.bodies.q[i]};
            memcpy(state.v, spheres->world->state.bodies.v[i], sizeof state.v);
            eng_spheres_slot_write(spheres, slot, &state);
        }
        added++;
    }
    return added;
}

/// Members of clumps that get slots, behind those that are there, as add_slots.
static int add_members(eng_spheres *spheres, bool count_only)
{
    int added = 0;
    for (int collider = 0; collider < spheres->clumps.member_room; collider++) {
        const eng_spheres_member *member = &eng_spheres_members(spheres)[collider];
        if (member->clump < 0 || member->slot != ENG_SPHERES_NO_SLOT)
            continue;
        if (!count_only) {
            int slot = spheres->table.slots - added - 1;
            const eng_state rest = {.q = pose_identity()};
            eng_spheres_ids(spheres)[slot] = ~collider;
            eng_spheres_slot_note(spheres, ~collider, slot);
            eng_spheres_slot_write(spheres, slot, &rest);
        }
        added++;
    }
    return added;
}

static cairn_status know_bodies(eng_spheres *spheres)
{
    int count = spheres->world->model.bodies.count;
    cairn_status status =
        eng_spheres_reserve(spheres, &spheres->table.slot_of, (size_t)count * sizeof(int));
    for (; status == CAIRN_OK && spheres->table.known_bodies < count; spheres->table.known_bodies++)
        eng_spheres_slot_numbers(spheres)[spheres->table.known_bodies] = ENG_SPHERES_NO_SLOT;
    return status;
}

/// Slots of bodies that are gone from the plan, and of those that are new in it.
static cairn_status assign_slots(eng_spheres *spheres)
{
    BASE_TRY(eng_spheres_clumps_find(spheres, wants_clump));
    BASE_TRY(drop_slots(spheres));
    int before = spheres->table.slots, added = add_slots(spheres, true);
    int members = add_members(spheres, true);
    spheres->table.slots += added + members;
    cairn_status status = eng_spheres_slots_reserve(spheres, 0);
    if (status != CAIRN_OK) {
        spheres->table.slots = before;
        return status;
    }
    (void)add_members(spheres, false);
    spheres->table.slots -= members;
    (void)add_slots(spheres, false);
    spheres->table.slots += members;
    spheres->meeting.adopted |= added + members > 0;
    spheres->clumps.members_due = spheres->clumps.count > 0;
    eng_spheres_slots_measure(spheres);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- general passes

/// Marks bodies that joints, connectors or motions act on.
static void mark_tied(const eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    for (int i = 0; i < world->model.bodies.count && world->model.bodies.extra_count > 0; i++) {
        eng_extra extra = eng_extra_of(world, i);
        if (extra.joints > 0 || extra.first_connector != 0 || extra.motion.function != NULL)
            spheres->meeting.mark[i] = ENG_SPHERES_TIED_MARK;
    }
}

/// Whether the general passes move a body.
static bool is_general(const eng_spheres *spheres, int body)
{
    return eng_spheres_slot_of(spheres, body) == ENG_SPHERES_NO_SLOT &&
           !eng_spheres_moves(spheres, body);
}

/// Bodies that the general passes move, then those with a slot that are tied, each in their order.
static cairn_status list_active(eng_spheres *spheres)
{
    cairn_world *world = spheres->world;
    const base_allocator *allocator = &world->model.allocator;
    int n = world->model.bodies.count, general = 0;
    for (int i = 0; i < n; i++)
        general += is_general(spheres, i);
    cairn_status status = base_array_reserve(allocator, &world->scratch.general.active,
                                             &world->scratch.general.active_capacity, general);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &spheres->meeting.mark,
                                    &spheres->meeting.mark_capacity, n + 1);
    if (status != CAIRN_OK)
        return status;
    memset(spheres->meeting.mark, 0, (size_t)n);
    mark_tied(spheres);
    world->scratch.general.active_count = spheres->meeting.tied_count = 0;
    for (int i = 0; i < n; i++)
        if (is_general(spheres, i))
            world->scratch.general.active[world->scratch.general.active_count++] = i;
    world->scratch.general.count = world->scratch.general.active_count;
    for (int i = 0; i < n && status == CAIRN_OK; i++)
        if (spheres->meeting.mark[i] && eng_spheres_slot_of(spheres, i) != ENG_SPHERES_NO_SLOT) {
            status = base_array_reserve(allocator, &world->scratch.general.active,
                                        &world->scratch.general.active_capacity,
                                        world->scratch.general.active_count + 1);
            if (status != CAIRN_OK)
                break;
            world->scratch.general.active[world->scratch.general.active_count++] = i;
            spheres->meeting.tied_count++;
        }
    return status;
}

/// Whether spheres with slots may meet a body of the general passes there.
static bool is_critical(const eng_spheres *spheres, int body)
{
    const eng_body *b = &spheres->world->model.bodies.rows[body];
    bool imaged = spheres->world->state.cell.any && b->shape >= 0 &&
                  !eng_spheres_may_hold(spheres->world, body) &&
                  !eng_spheres_is_wall(spheres->world, body);
    bool mobile = b->kind == CAIRN_DYNAMIC && !eng_spheres_is_clump(spheres, body);
    return spheres->table.slots > 0 &&
           (mobile || imaged ||
            (spheres->meeting.materials[b->material] & ENG_SPHERES_CRITICAL) != 0);
}

/// Colliders of bodies without slots that spheres may meet in the general passes.
static cairn_status list_critical(eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    spheres->meeting.critical_count = spheres->meeting.exposed_count = 0;
    for (int k = 0; k < world->scratch.general.count; k++) {
        int body = world->scratch.general.active[k], count = eng_collider_count_of(world, body);
        if (!is_critical(spheres, body))
            continue;
        BASE_TRY(base_array_reserve(&world->model.allocator, &spheres->meeting.critical,
                                    &spheres->meeting.critical_capacity,
                                    spheres->meeting.critical_count + count));
        for (int i = 0; i < count; i++)
            spheres->meeting.critical[spheres->meeting.critical_count++] = (eng_spheres_critical){
                .collider = world->model.bodies.rows[body].first_collider + i,
                .mobile = world->model.bodies.rows[body].kind == CAIRN_DYNAMIC,
                .bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}},
            };
    }
    return CAIRN_OK;
}

/// Whether any pair of materials of spheres with slots has a law without a kernel.
static bool has_exposed_materials(const eng_spheres *spheres)
{
    for (int i = 0; i < spheres->world->model.materials.count; i++)
        if (spheres->meeting.materials[i] & ENG_SPHERES_EXPOSED)
            return true;
    return false;
}

/// What there is for the general passes to do.
static void note_work(eng_spheres *spheres)
{
    cairn_world *world = spheres->world;
    spheres->meeting.any_exposed = has_exposed_materials(spheres);
    bool meets = spheres->meeting.critical_count > 0 || spheres->meeting.any_exposed;
    int reach = 0;
    world->scratch.general.work = spheres->meeting.tied_count > 0 || meets;
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int body = world->scratch.general.active[k];
        reach = body + 1 > reach ? body + 1 : reach;
        world->scratch.general.work |= world->model.bodies.rows[body].kind != CAIRN_FIXED;
    }
    // the state of clumps is in the general columns, whoever moves them
    for (int i = 0; i < spheres->clumps.count; i++) {
        int end = eng_spheres_clumps(spheres)[i].body + 1;
        reach = end > reach ? end : reach;
    }
    world->scratch.general.reach =
        meets && spheres->table.slots > 0 ? world->model.bodies.count : reach;
    world->scratch.general.work |= spheres->table.slots == 0;
}

/// Positions and velocities that are in slots now leave their place to others.
static void return_memory(eng_spheres *spheres)
{
    cairn_world *world = spheres->world;
    // what was dropped of rows that stay is any number
    for (int i = 0; i < world->scratch.general.reach && world->state.clock.step_count == 0; i++)
        if (eng_spheres_holds(world, i))
            eng_body_row_clear(&world->state.bodies, ENG_BODY_STATE, i);
    if (2 * spheres->table.slots < world->model.bodies.count)
        return;
    if (world->state.clock.step_count == 0)
        eng_body_columns_shrink(&world->model.allocator, &world->state.bodies, ENG_BODY_STATE,
                                world->scratch.general.reach);
    if (world->scratch.general.work)
        return;
    eng_blocks_release(world);
    eng_colliders_release(world);
}

cairn_status eng_spheres_plan_laws(eng_spheres *spheres)
{
    spheres->pass.step = spheres->world->state.clock.step;
    cairn_status status = eng_spheres_terms_fill(spheres);
    if (status == CAIRN_OK)
        status = choose_materials(spheres);
    return status == CAIRN_OK ? know_bodies(spheres) : status;
}

/// What is left to the general passes.
static cairn_status share_passes(eng_spheres *spheres)
{
    spheres->clumps.moved =
        eng_spheres_clumps_are_unjointed(spheres) ? spheres->clumps.unjointed_count : 0;
    spheres->clumps.due = true;
    BASE_TRY(list_active(spheres));
    BASE_TRY(list_critical(spheres));
    note_work(spheres);
    return eng_body_columns_reserve(&spheres->world->model.allocator, &spheres->world->state.bodies,
                                    ENG_BODY_STATE, spheres->world->scratch.general.reach);
}

/// Loads and fields come and go without a new plan.
static cairn_status share_again(cairn_world *world)
{
    eng_spheres *spheres = world->state.spheres;
    if (spheres == NULL || spheres->clumps.unjointed_count == 0 ||
        eng_spheres_clumps_are_unjointed(spheres) == (spheres->clumps.moved > 0))
        return CAIRN_OK;
    spheres->meeting.replanned = world->contacts.pairs.topology_changed = true;
    return share_passes(spheres);
}

cairn_status eng_spheres_plan_passes(eng_spheres *spheres)
{
    cairn_status status = eng_spheres_walls_number(spheres);
    eng_spheres_clumps_share(spheres);
    return status == CAIRN_OK ? share_passes(spheres) : status;
}

static cairn_status make_plan(eng_spheres *spheres)
{
    cairn_status status = eng_spheres_release_contacts(spheres);
    if (status == CAIRN_OK)
        status = eng_spheres_history_keep(spheres);
    if (status == CAIRN_OK)
        status = eng_spheres_plan_laws(spheres);
    if (status == CAIRN_OK)
        status = assign_slots(spheres);
    // without slots the executor does not run, which would forget what was
    if (spheres->table.slots == 0) {
        eng_spheres_forget_moved(spheres);
        spheres->store.kept_count = 0;
        spheres->store.kept_walls = spheres->store.kept_moments = false;
    }
    if (status == CAIRN_OK)
        status = eng_spheres_plan_passes(spheres);
    if (status != CAIRN_OK)
        return status;
    return_memory(spheres);
    spheres->list.slack = -1.0;
    spheres->table.loads_changed = spheres->meeting.replanned = true;
    return CAIRN_OK;
}

cairn_status eng_spheres_plan(cairn_world *world)
{
    if (!world->scratch.general.due)
        return share_again(world);
    eng_spheres *spheres = eng_spheres_of(world);
    if (spheres == NULL)
        return CAIRN_ERROR_MEMORY;
    eng_spheres_settle(spheres);
    cairn_status status = make_plan(spheres);
    world->scratch.general.due = status != CAIRN_OK;
    world->contacts.pairs.topology_changed = true;
    return status;
}

bool eng_spheres_owns_pair(const cairn_world *world, int body_a, int body_b)
{
    const eng_spheres *spheres = world->state.spheres;
    if (spheres == NULL)
        return false;
    bool slots[2] = {eng_spheres_holds(world, body_a) || eng_spheres_is_clump(spheres, body_a),
                     eng_spheres_holds(world, body_b) || eng_spheres_is_clump(spheres, body_b)};
    if (!slots[0] && !slots[1])
        return false;
    if (!slots[0] || !slots[1]) {
        int other = slots[0] ? body_b : body_a;
        if (!eng_spheres_is_wall(world, other))
            return false;
    }
    return spheres->meeting
               .covered[eng_surface_of(world, body_a, body_b) - world->model.materials.surfaces] !=
           0;
}
