// SPDX-License-Identifier: Apache-2.0
// The sphere executor in a checkpoint: slots, history and the positions its list was made from.
//
// A list depends on positions, walls and the fastest body when it was made, so that it is made
// again from those instead of being kept; then rows and history of now take their places.
#include "engine/pairs/spheres/clumps.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/images.h"
#include "engine/pairs/spheres/shapes.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/world.h"

#include <stdlib.h>
#include <string.h>

enum {
    WALL_CHANGED = 1,
    PLAN_DUE = 2,
    CROWDED = 4,
    SETTLED = 8,
    REPLANNED = 16,
    MEMBERS_DUE = 32,
};

void eng_spheres_record_head(const cairn_world *world, eng_spheres_record *record)
{
    const eng_spheres *spheres = world->state.spheres;
    memset(record->counts, 0, sizeof record->counts);
    memset(record->reals, 0, sizeof record->reals);
    record->counts[ENG_SPHERES_RECORD_CHANGED] = world->scratch.general.due ? PLAN_DUE : 0;
    if (spheres == NULL)
        return;
    record->counts[ENG_SPHERES_RECORD_SLOTS] = spheres->table.slots;
    record->counts[ENG_SPHERES_RECORD_PAIR_SLOTS] =
        (int64_t)spheres->store.block_count * ENG_SPHERES_WIDTH;
    record->counts[ENG_SPHERES_RECORD_MOMENTS] =
        spheres->pass.resist != NULL ? record->counts[ENG_SPHERES_RECORD_PAIR_SLOTS] : 0;
    record->counts[ENG_SPHERES_RECORD_COLUMNS] =
        record->counts[ENG_SPHERES_RECORD_PAIR_SLOTS] * spheres->store.kept_rows;
    record->counts[ENG_SPHERES_RECORD_CHUNKS] =
        spheres->table.slots > 0 ? spheres->list.chunk_count : 0;
    record->counts[ENG_SPHERES_RECORD_WALLS] = spheres->walls.count;
    record->counts[ENG_SPHERES_RECORD_CHANGED] |=
        (spheres->walls.changed ? WALL_CHANGED : 0) | (spheres->list.overflow ? CROWDED : 0) |
        (spheres->table.settled ? SETTLED : 0) | (spheres->meeting.replanned ? REPLANNED : 0) |
        (spheres->clumps.members_due ? MEMBERS_DUE : 0);
    record->counts[ENG_SPHERES_RECORD_CRITICAL] = spheres->meeting.critical_count;
    record->counts[ENG_SPHERES_RECORD_EXPOSED] = spheres->meeting.exposed_count;
    record->counts[ENG_SPHERES_RECORD_MOVED] = spheres->table.moved_count;
    record->counts[ENG_SPHERES_RECORD_TERMS] =
        world->scratch.general.due && spheres->table.slots > 0
            ? world->model.materials.surface_count
            : 0;
    record->counts[ENG_SPHERES_RECORD_GROUPS] = spheres->walls.group_count;
    record->counts[ENG_SPHERES_RECORD_GHOSTS] =
        spheres->walls.ghost_count - spheres->walls.plane_ghosts;
    record->reals[ENG_SPHERES_RECORD_SLACK] = spheres->list.slack;
    record->reals[ENG_SPHERES_RECORD_WALL_PATH] = spheres->walls.path;
    record->reals[ENG_SPHERES_RECORD_WALL_MARGIN] = spheres->walls.margin;
    record->reals[ENG_SPHERES_RECORD_LAST_STEP] = spheres->table.last_step;
    record->reals[ENG_SPHERES_RECORD_CELL_MARGIN] = spheres->cell.margin;
    record->reals[ENG_SPHERES_RECORD_CELL_PATH] = spheres->cell.path;
    record->counts[ENG_SPHERES_RECORD_WRAPS] = world->state.cell.any ? spheres->table.slots : 0;
    double *at = &record->reals[ENG_SPHERES_RECORD_AT_FRAMES];
    memcpy(at, &spheres->cell.frame, sizeof spheres->cell.frame);
    memcpy(at + 27, &spheres->cell.before, sizeof spheres->cell.before);
    memcpy(at + 54, &spheres->cell.listed, sizeof spheres->cell.listed);
}

/// The cell when the list was made, and what belongs to it; restored before the list.
static void place_frames(eng_spheres *spheres, const eng_spheres_record *record)
{
    const double *at = &record->reals[ENG_SPHERES_RECORD_AT_FRAMES];
    const mat3 still = {0};
    eng_spheres_frame frame = {0};
    memcpy(&frame.lattice, at + 54, sizeof frame.lattice);
    eng_spheres_frame_set(spheres, &frame);
    memcpy(&spheres->cell.before, at + 27, sizeof spheres->cell.before);
    spheres->cell.margin = record->reals[ENG_SPHERES_RECORD_CELL_MARGIN];
    spheres->cell.strains = memcmp(&spheres->cell.before.gradient, &still, sizeof still) != 0;
}

static bool allocate_groups(eng_spheres_record *record, base_arena *arena)
{
    size_t groups = (size_t)record->counts[ENG_SPHERES_RECORD_GROUPS];
    size_t ghosts = (size_t)record->counts[ENG_SPHERES_RECORD_GHOSTS];
    record->groups = base_arena_allocate(arena, "sphere groups", groups, sizeof *record->groups);
    record->group_numbers =
        base_arena_allocate(arena, "sphere group numbers", groups, sizeof *record->group_numbers);
    record->group_keys = base_arena_array(arena, uint64_t, "sphere group keys", groups);
    record->wall_contacts =
        base_arena_allocate(arena, "sphere wall_contacts", ghosts, sizeof *record->wall_contacts);
    record->wall_contact_keys = base_arena_allocate(arena, "sphere wall_contact keys", ghosts,
                                                    sizeof *record->wall_contact_keys);
    record->wall_contact_orders = base_arena_allocate(arena, "sphere wall_contact orders", ghosts,
                                                      sizeof *record->wall_contact_orders);
    return record->groups != NULL && record->group_numbers != NULL && record->group_keys != NULL &&
           record->wall_contacts != NULL && record->wall_contact_keys != NULL &&
           record->wall_contact_orders != NULL;
}

static bool allocate_general(eng_spheres_record *record, base_arena *arena)
{
    const int64_t *n = record->counts;
    size_t moved = (size_t)n[ENG_SPHERES_RECORD_MOVED];
    record->critical =
        base_arena_array(arena, geo_bounds, "critical bounds", n[ENG_SPHERES_RECORD_CRITICAL]);
    record->exposed = base_arena_array(arena, int, "exposed", n[ENG_SPHERES_RECORD_EXPOSED]);
    record->moved_slots = base_arena_array(arena, int, "moved slots", moved);
    record->moved = base_arena_allocate(arena, "moved", moved, sizeof *record->moved);
    record->terms = base_arena_allocate(arena, "terms", (size_t)n[ENG_SPHERES_RECORD_TERMS],
                                        sizeof *record->terms);
    return record->terms != NULL && record->critical != NULL && record->exposed != NULL &&
           record->moved_slots != NULL && record->moved != NULL;
}

bool eng_spheres_record_allocate_large(eng_spheres_record *record, base_arena *arena)
{
    size_t slots = (size_t)record->counts[ENG_SPHERES_RECORD_SLOTS];
    size_t pair_slots = (size_t)record->counts[ENG_SPHERES_RECORD_PAIR_SLOTS];
    size_t moments = (size_t)record->counts[ENG_SPHERES_RECORD_MOMENTS];
    record->body = base_arena_array(arena, int, "sphere bodies", slots);
    record->slots = base_arena_allocate(arena, "sphere slots", slots, sizeof *record->slots);
    record->pair_slots =
        base_arena_allocate(arena, "sphere pairs", pair_slots, sizeof *record->pair_slots);
    record->moments =
        base_arena_allocate(arena, "sphere moments", moments, sizeof *record->moments);
    record->columns = base_arena_array(arena, double, "sphere columns",
                                       (size_t)record->counts[ENG_SPHERES_RECORD_COLUMNS]);
    record->acts = base_arena_array(arena, unsigned char, "sphere pair bits", pair_slots);
    record->wraps =
        base_arena_allocate(arena, "sphere wraps", (size_t)record->counts[ENG_SPHERES_RECORD_WRAPS],
                            sizeof *record->wraps);
    return record->body != NULL && record->slots != NULL && record->pair_slots != NULL &&
           record->moments != NULL && record->columns != NULL && record->acts != NULL &&
           record->wraps != NULL;
}

bool eng_spheres_record_allocate(eng_spheres_record *record, base_arena *arena)
{
    size_t walls = (size_t)record->counts[ENG_SPHERES_RECORD_WALLS];
    size_t chunks = (size_t)record->counts[ENG_SPHERES_RECORD_CHUNKS];
    record->travelled =
        base_arena_allocate(arena, "sphere chunks", chunks, sizeof *record->travelled);
    record->walls = base_arena_allocate(arena, "sphere walls", walls, sizeof *record->walls);
    return record->travelled != NULL && record->walls != NULL && allocate_groups(record, arena) &&
           allocate_general(record, arena);
}

enum { WALL_VECTORS = 11, WALL_POSES = WALL_VECTORS * 3, POSE = 7 };

/// Vectors of a wall in the order of the file.
static void wall_vectors(eng_spheres_wall *wall, vec3 *at[WALL_VECTORS])
{
    eng_spheres_plane *planes[3] = {&wall->now, &wall->before, &wall->listed};
    for (int i = 0; i < 3; i++) {
        at[3 * i] = &planes[i]->normal;
        at[3 * i + 1] = &planes[i]->point;
        at[3 * i + 2] = &planes[i]->centre;
    }
    at[9] = &wall->velocity;
    at[10] = &wall->omega;
}

static void wall_poses(eng_spheres_wall *wall, pose *at[3])
{
    at[0] = &wall->placed;
    at[1] = &wall->placed_before;
    at[2] = &wall->placed_listed;
}

static void copy_wall(eng_spheres_wall *wall, double to[ENG_SPHERES_RECORD_WALL_WIDTH])
{
    vec3 *vectors[WALL_VECTORS];
    pose *poses[3];
    wall_vectors(wall, vectors);
    wall_poses(wall, poses);
    for (int k = 0; k < WALL_VECTORS; k++)
        vec3_store(to + 3 * k, *vectors[k]);
    for (int k = 0; k < 3; k++) {
        quat q = poses[k]->orientation;
        double *place = to + WALL_POSES + POSE * k;
        vec3_store(place, poses[k]->position);
        place[3] = q.w;
        place[4] = q.x;
        place[5] = q.y;
        place[6] = q.z;
    }
}

static void copy_wall_contact(const eng_spheres_touch *touch, int ghost, eng_spheres_record *record)
{
    const eng_spheres_wall_contact *wall_contacts[2] = {&touch->now, &touch->before};
    for (int k = 0; k < 2; k++) {
        vec3_store(record->wall_contacts[ghost] + 4 * k, wall_contacts[k]->normal);
        record->wall_contacts[ghost][4 * k + 3] = wall_contacts[k]->gap;
        record->wall_contact_keys[ghost][k] = wall_contacts[k]->key;
        record->wall_contact_orders[ghost][k] = wall_contacts[k]->order;
    }
}

static void copy_groups(const eng_spheres *spheres, eng_spheres_record *record)
{
    const eng_spheres_group *groups = spheres->walls.groups.block;
    for (int g = 0; g < spheres->walls.group_count; g++) {
        const eng_spheres_separation *separation = &groups[g].separation;
        record->groups[g][0] = groups[g].end_ghost - groups[g].first_ghost;
        record->groups[g][1] = (int)separation->kind;
        double *to = record->group_numbers[g];
        to[0] = groups[g].check_distance;
        vec3_store(to + 1, separation->centre);
        vec3_store(to + 4, separation->normal);
        to[7] = separation->room;
        to[8] = separation->offset;
        record->group_keys[g] = separation->key;
    }
    for (int i = 0; i < spheres->walls.ghost_count - spheres->walls.plane_ghosts; i++)
        copy_wall_contact((const eng_spheres_touch *)spheres->walls.touches.block + i, i, record);
}

/// What concerns bodies of the general passes, and slots that the user moved.
static void copy_general(const eng_spheres *spheres, eng_spheres_record *record)
{
    for (int i = 0; i < spheres->meeting.critical_count; i++)
        record->critical[i] = spheres->meeting.critical[i].bounds;
    for (int i = 0; i < spheres->meeting.exposed_count; i++)
        record->exposed[i] = spheres->meeting.exposed[i];
    for (int i = 0; i < spheres->table.moved_count; i++) {
        record->moved_slots[i] = spheres->table.moved[i].slot;
        memcpy(record->moved[i], spheres->table.moved[i].X, sizeof spheres->table.moved[i].X);
        memcpy(record->moved[i] + ENG_SPHERES_RECORD_ROW_V, spheres->table.moved[i].V,
               sizeof spheres->table.moved[i].V);
    }
}

/// Number of the law of a kernel among all laws, from 1; 0 for none.
static int law_number(const con_batch *batch)
{
    int count;
    const con_law *const *laws = con_law_list(&count);
    for (int i = 0; i < count && batch != NULL; i++)
        if (laws[i]->batch == batch)
            return i + 1;
    return 0;
}

enum { TERMS_ROLLING = 1, TERMS_OWN = 7 };

/// Surfaces as the plan knows them. What a law prepared is copied byte by byte.
static void copy_terms(const eng_spheres *spheres, eng_spheres_record *record)
{
    _Static_assert(sizeof(con_rolling) == (TERMS_OWN - TERMS_ROLLING) * sizeof(double), "");
    for (int i = 0; i < record->counts[ENG_SPHERES_RECORD_TERMS]; i++) {
        const eng_spheres_terms *terms = eng_spheres_planned_terms(spheres, i);
        record->terms[i][0] = law_number(terms->batch);
        memcpy(record->terms[i] + TERMS_ROLLING, &terms->rolling, sizeof terms->rolling);
        memcpy(record->terms[i] + TERMS_OWN, terms->own, sizeof terms->own);
    }
}

void eng_spheres_record_take(const cairn_world *world, eng_spheres_record *record)
{
    const eng_spheres *spheres = world->state.spheres;
    if (spheres == NULL)
        return;
    copy_general(spheres, record);
    copy_terms(spheres, record);
    for (int i = 0; i < record->counts[ENG_SPHERES_RECORD_CHUNKS]; i++) {
        record->travelled[i][0] = spheres->pass.chunks[i].left;
        record->travelled[i][1] = spheres->pass.chunks[i].path;
    }
    for (int i = 0; i < spheres->walls.count; i++)
        copy_wall((eng_spheres_wall *)spheres->walls.rows.block + i, record->walls[i]);
    copy_groups(spheres, record);
}

// ---------------------------------------------------------------- restoring

/// Whether the slots are the world's spheres and all members of its clumps, each once, with finite
/// numbers.
static bool are_rows_sound(eng_spheres *spheres, const eng_spheres_record *record)
{
    const cairn_world *world = spheres->world;
    int *slot_of = spheres->table.slot_of.block;
    // those of rows that this world had since, too
    for (int i = 0; i < spheres->table.known_bodies; i++)
        slot_of[i] = ENG_SPHERES_NO_SLOT;
    for (int slot = 0; slot < record->counts[ENG_SPHERES_RECORD_SLOTS]; slot++) {
        int id = record->body[slot];
        bool known = id < 0 ? ~id < spheres->clumps.member_room &&
                                  eng_spheres_members(spheres)[~id].clump >= 0
                            : id < world->model.bodies.count && eng_spheres_may_hold(world, id);
        if (!known || eng_spheres_id_slot(spheres, id) != ENG_SPHERES_NO_SLOT)
            return false;
        eng_spheres_slot_note(spheres, id, slot);
        double sum = 0.0;
        for (int k = 0; k < ENG_SPHERES_RECORD_SLOT_WIDTH; k++)
            sum += record->slots[slot][k];
        if (!isfinite(sum))
            return false;
    }
    for (int i = 0; i < spheres->clumps.member_room; i++)
        if (eng_spheres_members(spheres)[i].clump >= 0 &&
            eng_spheres_members(spheres)[i].slot == ENG_SPHERES_NO_SLOT)
            return false;
    return true;
}

/// Whether the cell is finite, and slots are no farther from it than they can be.
static bool are_frames_sound(const eng_spheres_record *record)
{
    for (int i = ENG_SPHERES_RECORD_CELL_MARGIN; i < ENG_SPHERES_RECORD_REALS; i++)
        if (!isfinite(record->reals[i]))
            return false;
    for (int64_t i = 0; i < 3 * record->counts[ENG_SPHERES_RECORD_WRAPS]; i++)
        if (record->wraps[i / 3][i % 3] > 1000000000 || record->wraps[i / 3][i % 3] < -1000000000)
            return false;
    return true;
}

static pose pose_from(const double *p)
{
    return (pose){vec3_from(p), {p[3], p[4], p[5], p[6]}};
}

static bool is_finite(const double *numbers, int count)
{
    for (int k = 0; k < count; k++)
        if (!isfinite(numbers[k]))
            return false;
    return true;
}

static bool is_wall_sound(const double wall[ENG_SPHERES_RECORD_WALL_WIDTH])
{
    if (!is_finite(wall, ENG_SPHERES_RECORD_WALL_WIDTH))
        return false;
    for (int k = 0; k < 3; k++) {
        quat q = pose_from(wall + WALL_POSES + POSE * k).orientation;
        double norm = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (!(fabs(norm - 1.0) < 1e-6))
            return false;
    }
    return true;
}

/// Whether walls and contacts with them are finite and groups have the ghosts that there are.
static bool are_walls_sound(const eng_spheres *spheres, const eng_spheres_record *record)
{
    int64_t ghosts = 0, all = record->counts[ENG_SPHERES_RECORD_GHOSTS];
    for (int i = 0; i < spheres->walls.count; i++)
        if (!is_wall_sound(record->walls[i]))
            return false;
    for (int64_t g = 0; g < record->counts[ENG_SPHERES_RECORD_GROUPS]; g++) {
        int kind = record->groups[g][1];
        if (record->groups[g][0] < 1 || kind < ENG_SPHERES_EMPTY || kind > ENG_SPHERES_LISTED ||
            !is_finite(record->group_numbers[g], ENG_SPHERES_RECORD_GROUP_WIDTH))
            return false;
        ghosts += record->groups[g][0];
    }
    for (int64_t i = 0; i < all; i++)
        if (!is_finite(record->wall_contacts[i], ENG_SPHERES_RECORD_WALL_CONTACT_WIDTH))
            return false;
    return ghosts == all;
}

/// Slots where they were when the list was made.
static void place_listed(eng_spheres *spheres, const eng_spheres_record *record)
{
    for (int slot = 0; slot < spheres->table.slots; slot++) {
        eng_spheres_ids(spheres)[slot] = record->body[slot];
        int *wrap = eng_spheres_wrap_of(spheres, slot);
        if (wrap != NULL)
            memcpy(wrap, record->wraps[slot], sizeof *record->wraps);
        memcpy(spheres->pass.X[slot], record->slots[slot] + ENG_SPHERES_RECORD_ROW_REFERENCE,
               3 * sizeof(double));
        memset(spheres->pass.V[slot], 0, sizeof *spheres->pass.V);
        eng_spheres_margins(spheres)[slot] = record->slots[slot][ENG_SPHERES_RECORD_ROW_MARGIN];
    }
    eng_spheres_slots_measure(spheres);
    spheres->walls.margin = record->reals[ENG_SPHERES_RECORD_WALL_MARGIN];
    place_frames(spheres, record);
}

static void place_walls(eng_spheres *spheres, const eng_spheres_record *record)
{
    eng_spheres_wall *walls = spheres->walls.rows.block;
    for (int i = 0; i < spheres->walls.count; i++) {
        vec3 *vectors[WALL_VECTORS];
        pose *poses[3];
        wall_vectors(&walls[i], vectors);
        wall_poses(&walls[i], poses);
        for (int k = 0; k < WALL_VECTORS; k++)
            *vectors[k] = vec3_from(record->walls[i] + 3 * k);
        for (int k = 0; k < 3; k++)
            *poses[k] = pose_from(record->walls[i] + WALL_POSES + POSE * k);
        walls[i].now = walls[i].listed;
        walls[i].placed = walls[i].placed_listed;
    }
}

/// The cell as it is now.
static void place_frame_now(eng_spheres *spheres, const eng_spheres_record *record)
{
    eng_spheres_frame frame;
    memcpy(&frame, &record->reals[ENG_SPHERES_RECORD_AT_FRAMES], sizeof frame);
    eng_spheres_frame_set(spheres, &frame);
    eng_spheres_frame_measure(spheres);
    spheres->cell.path = record->reals[ENG_SPHERES_RECORD_CELL_PATH];
}

static void place_now(eng_spheres *spheres, const eng_spheres_record *record)
{
    eng_spheres_wall *walls = spheres->walls.rows.block;
    for (int slot = 0; slot < spheres->table.slots; slot++) {
        const double *from = record->slots[slot];
        memcpy(spheres->pass.X[slot], from, sizeof *spheres->pass.X);
        memcpy(spheres->pass.V[slot], from + ENG_SPHERES_RECORD_ROW_V, sizeof *spheres->pass.V);
        for (int k = 0; k < 4; k++)
            spheres->pass.turn[slot / ENG_SPHERES_WIDTH][k][slot % ENG_SPHERES_WIDTH] =
                from[ENG_SPHERES_RECORD_ROW_TURN + k];
    }
    for (int i = 0; i < spheres->walls.count; i++) {
        vec3 *vectors[WALL_VECTORS];
        wall_vectors(&walls[i], vectors);
        for (int k = 0; k < 3; k++)
            *vectors[k] = vec3_from(record->walls[i] + 3 * k);
        walls[i].placed = pose_from(record->walls[i] + WALL_POSES);
    }
    place_frame_now(spheres, record);
    eng_spheres_ghosts_place(spheres, ENG_SPHERES_PLACE_ALL);
    eng_spheres_images_move(spheres, 0, spheres->cell.image_count);
}

static void place_group(const double from[ENG_SPHERES_RECORD_GROUP_WIDTH], int kind, uint64_t key,
                        eng_spheres_group *group)
{
    group->check_distance = from[0];
    group->separation = (eng_spheres_separation){
        .kind = (eng_spheres_separation_kind)kind,
        .centre = vec3_from(from + 1),
        .normal = vec3_from(from + 4),
        .room = from[7],
        .offset = from[8],
        .key = key,
        .listed = -1,
    };
}

static void place_spots(const eng_spheres_record *record, int ghost, eng_spheres_touch *touch)
{
    eng_spheres_wall_contact *wall_contacts[2] = {&touch->now, &touch->before};
    for (int k = 0; k < 2; k++)
        *wall_contacts[k] = (eng_spheres_wall_contact){
            .normal = vec3_from(record->wall_contacts[ghost] + 4 * k),
            .gap = record->wall_contacts[ghost][4 * k + 3],
            .key = record->wall_contact_keys[ghost][k],
            .order = record->wall_contact_orders[ghost][k],
        };
}

static void place_groups(eng_spheres *spheres, const eng_spheres_record *record)
{
    for (int g = 0; g < spheres->walls.group_count; g++)
        place_group(record->group_numbers[g], record->groups[g][1], record->group_keys[g],
                    (eng_spheres_group *)spheres->walls.groups.block + g);
    for (int i = 0; i < spheres->walls.ghost_count - spheres->walls.plane_ghosts; i++)
        place_spots(record, i, (eng_spheres_touch *)spheres->walls.touches.block + i);
    eng_spheres_shapes_place(spheres);
}

static void place_moments(const double from[ENG_SPHERES_RECORD_MOMENT_WIDTH], int acts,
                          eng_spheres_resist *resist, int k)
{
    for (int axis = 0; axis < 3; axis++) {
        resist->rolling[axis][k] = from[axis];
        resist->lag_rolling[axis][k] = (float)from[axis + 4];
    }
    resist->twisting[k] = from[3];
    resist->lag_twisting[k] = (float)from[7];
    resist->roll_slip =
        (unsigned char)(resist->roll_slip | (acts & ENG_SPHERES_RECORD_ROLLS ? 1 : 0) << k);
    resist->twist_slip =
        (unsigned char)(resist->twist_slip | (acts & ENG_SPHERES_RECORD_TWISTS ? 1 : 0) << k);
}

/// Columns of history of a pair; 0 where there is none.
static int kept_count_of(const eng_spheres *spheres, const eng_spheres_block *block, int k)
{
    if (spheres->store.kept_rows == 0 || eng_spheres_slot_a(block, k) >= spheres->table.slots)
        return 0;
    return eng_spheres_terms_of(spheres, block)->batch->kept_count;
}

static void place_pair_slot(eng_spheres *spheres, int pair_slot, const eng_spheres_record *record)
{
    eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
    int k = pair_slot % ENG_SPHERES_WIDTH, acts = record->acts[pair_slot];
    const double *from = record->pair_slots[pair_slot];
    for (int axis = 0; axis < 3; axis++) {
        block->spring[axis][k] = from[axis];
        block->lag_tangent[axis][k] = (float)from[axis + 3];
    }
    block->lag_normal[k] = (float)from[6];
    for (int row = 0; row < kept_count_of(spheres, block, k); row++)
        eng_spheres_columns(spheres, block)[row][k] =
            record->columns[pair_slot * spheres->store.kept_rows + row];
    block->touch = (unsigned char)(block->touch | (acts & ENG_SPHERES_RECORD_TOUCHES ? 1 : 0) << k);
    block->slip = (unsigned char)(block->slip | (acts & ENG_SPHERES_RECORD_SLIPS ? 1 : 0) << k);
    eng_spheres_resist *resist = eng_spheres_resist_of(spheres, block);
    if (resist != NULL)
        place_moments(record->moments[pair_slot], acts, resist, k);
}

static void place_history(eng_spheres *spheres, const eng_spheres_record *record)
{
    for (int pair_slot = 0; pair_slot < spheres->store.block_count * ENG_SPHERES_WIDTH; pair_slot++)
        place_pair_slot(spheres, pair_slot, record);
    for (int i = 0; i < spheres->list.chunk_count; i++) {
        spheres->pass.chunks[i].left = record->travelled[i][0];
        spheres->pass.chunks[i].path = record->travelled[i][1];
    }
}

static void place_numbers(eng_spheres *spheres, const eng_spheres_record *record)
{
    int64_t changed = record->counts[ENG_SPHERES_RECORD_CHANGED];
    spheres->list.slack = record->reals[ENG_SPHERES_RECORD_SLACK];
    spheres->walls.path = record->reals[ENG_SPHERES_RECORD_WALL_PATH];
    spheres->table.last_step = record->reals[ENG_SPHERES_RECORD_LAST_STEP];
    spheres->walls.changed = (changed & WALL_CHANGED) != 0;
    spheres->list.overflow = (changed & CROWDED) != 0;
    spheres->table.settled = (changed & SETTLED) != 0;
    spheres->clumps.members_due = (changed & MEMBERS_DUE) != 0;
    spheres->walls.renumbered = spheres->meeting.adopted = false;
    // the loads are read from the bodies again
    spheres->table.loads_changed = true;
}

static void count_contacts(eng_spheres *spheres)
{
    spheres->store.contact_count = 0;
    for (int c = 0; c < spheres->list.chunk_count; c++) {
        eng_spheres_chunk *chunk = &spheres->pass.chunks[c];
        chunk->first_contact = spheres->store.contact_count;
        for (int i = chunk->first_block; i < chunk->end_block; i++)
            spheres->store.contact_count += __builtin_popcount(spheres->pass.blocks[i].touch);
    }
}

static bool are_margins_sound(const eng_spheres *spheres)
{
    double most = ENG_SPHERES_ORDINARY * spheres->table.largest;
    bool sound = spheres->walls.margin >= 0.0 && spheres->walls.margin <= most &&
                 spheres->cell.margin >= 0.0 && spheres->cell.margin <= most;
    for (int slot = 0; slot < spheres->table.slots; slot++)
        sound = sound && eng_spheres_margins(spheres)[slot] >= 0.0 &&
                eng_spheres_margins(spheres)[slot] <= ENG_SPHERES_WIDEST * spheres->table.largest;
    return sound;
}

/// The slots of the record, and its list from the positions of then.
static cairn_status make_list(eng_spheres *spheres, const eng_spheres_record *record)
{
    cairn_status status = eng_spheres_slots_reserve(spheres, 0);
    if (status != CAIRN_OK || spheres->table.slots == 0)
        return status;
    if (spheres->walls.count != record->counts[ENG_SPHERES_RECORD_WALLS] ||
        !are_walls_sound(spheres, record))
        return CAIRN_ERROR_FORMAT;
    place_listed(spheres, record);
    place_walls(spheres, record);
    if (!are_margins_sound(spheres))
        return CAIRN_ERROR_FORMAT;
    spheres->walls.given_groups = (const int(*)[2])record->groups;
    spheres->walls.given_count = (int)record->counts[ENG_SPHERES_RECORD_GROUPS];
    spheres->list.relisting = true;
    status = eng_spheres_list_make(spheres);
    spheres->list.relisting = false;
    spheres->walls.given_groups = NULL;
    return status;
}

/// Whether only places that hold a pair have something in contact.
static bool are_acts_sound(const eng_spheres *spheres, const unsigned char *acts)
{
    for (int pair_slot = 0; pair_slot < spheres->store.block_count * ENG_SPHERES_WIDTH;
         pair_slot++) {
        const eng_spheres_block *block = &spheres->pass.blocks[pair_slot / ENG_SPHERES_WIDTH];
        bool empty =
            eng_spheres_slot_a(block, pair_slot % ENG_SPHERES_WIDTH) >= spheres->table.slots;
        if (empty && acts[pair_slot] != 0)
            return false;
    }
    return true;
}

/// Whether the list that was made has the places that the record fills.
static bool fits_list(const eng_spheres *spheres, const eng_spheres_record *record)
{
    for (int slot = 0; slot < spheres->table.slots; slot++)
        if (eng_spheres_ids(spheres)[slot] != record->body[slot])
            return false;
    int64_t pair_slots = (int64_t)spheres->store.block_count * ENG_SPHERES_WIDTH;
    int ghosts = spheres->walls.ghost_count - spheres->walls.plane_ghosts;
    return record->counts[ENG_SPHERES_RECORD_PAIR_SLOTS] == pair_slots &&
           record->counts[ENG_SPHERES_RECORD_GROUPS] == spheres->walls.group_count &&
           record->counts[ENG_SPHERES_RECORD_GHOSTS] == ghosts &&
           record->counts[ENG_SPHERES_RECORD_MOMENTS] ==
               (spheres->pass.resist != NULL ? pair_slots : 0) &&
           record->counts[ENG_SPHERES_RECORD_COLUMNS] == pair_slots * spheres->store.kept_rows &&
           record->counts[ENG_SPHERES_RECORD_CHUNKS] == spheres->list.chunk_count &&
           are_acts_sound(spheres, record->acts);
}

/// Whether only pairs of the list touch, and none of the places that fill up its blocks.
static bool are_touches_sound(const eng_spheres *spheres, const eng_spheres_record *record)
{
    for (int i = 0; i < spheres->store.block_count * ENG_SPHERES_WIDTH; i++) {
        const eng_spheres_block *block = &spheres->pass.blocks[i / ENG_SPHERES_WIDTH];
        if (record->acts[i] & ENG_SPHERES_RECORD_TOUCHES &&
            eng_spheres_slot_a(block, i % ENG_SPHERES_WIDTH) >= spheres->table.slots)
            return false;
    }
    return true;
}

/// What concerns bodies of the general passes.
static cairn_status place_general(eng_spheres *spheres, const eng_spheres_record *record)
{
    const cairn_world *world = spheres->world;
    int count = (int)record->counts[ENG_SPHERES_RECORD_EXPOSED];
    if (record->counts[ENG_SPHERES_RECORD_CHANGED] & PLAN_DUE)
        return CAIRN_OK; // the next plan finds it all
    if (record->counts[ENG_SPHERES_RECORD_CRITICAL] != spheres->meeting.critical_count)
        return CAIRN_ERROR_FORMAT;
    for (int i = 0; i < spheres->meeting.critical_count; i++)
        spheres->meeting.critical[i].bounds = record->critical[i];
    BASE_TRY(base_array_reserve(&world->model.allocator, &spheres->meeting.exposed,
                                &spheres->meeting.exposed_capacity, count));
    for (int i = 0; i < count; i++) {
        int body = record->exposed[i];
        if (body < 0 || body >= world->model.bodies.count || !eng_spheres_holds(world, body) ||
            (i > 0 && body <= record->exposed[i - 1]))
            return CAIRN_ERROR_FORMAT;
        spheres->meeting.exposed[i] = body;
    }
    spheres->meeting.exposed_count = count;
    cairn_status status = eng_spheres_colliders_list(spheres);
    spheres->meeting.replanned = (record->counts[ENG_SPHERES_RECORD_CHANGED] & REPLANNED) != 0;
    return status;
}

static cairn_status place_moved(eng_spheres *spheres, const eng_spheres_record *record)
{
    for (int i = 0; i < record->counts[ENG_SPHERES_RECORD_MOVED]; i++) {
        int slot = record->moved_slots[i];
        if (slot < 0 || slot >= spheres->table.slots ||
            !is_finite(record->moved[i], ENG_SPHERES_RECORD_MOVED_WIDTH))
            return CAIRN_ERROR_FORMAT;
        BASE_TRY(eng_spheres_keep_moved(spheres, slot));
        eng_spheres_moved *moved = &spheres->table.moved[spheres->table.moved_of[slot] - 1];
        memcpy(moved->X, record->moved[i], sizeof moved->X);
        memcpy(moved->V, record->moved[i] + ENG_SPHERES_RECORD_ROW_V, sizeof moved->V);
    }
    return CAIRN_OK;
}

/// Surfaces as the plan knew them, where they may have changed since; false where they cannot be of
/// this world.
static bool take_terms(eng_spheres *spheres, const eng_spheres_record *record)
{
    int64_t count = record->counts[ENG_SPHERES_RECORD_TERMS];
    int law_count;
    const con_law *const *laws = con_law_list(&law_count);
    if (count == 0)
        return true;
    if (count != spheres->store.terms_count)
        return false;
    eng_spheres_terms *terms = spheres->store.terms.block;
    for (int i = 0; i < count; i++) {
        double law = record->terms[i][0];
        if (!(law >= 0.0 && law <= (double)law_count))
            return false;
        terms[i].batch = law >= 1.0 ? laws[(int)law - 1]->batch : NULL;
        if (law >= 1.0 && terms[i].batch == NULL)
            return false;
        memcpy(&terms[i].rolling, record->terms[i] + TERMS_ROLLING, sizeof terms[i].rolling);
        memcpy(terms[i].own, record->terms[i] + TERMS_OWN, sizeof terms[i].own);
    }
    eng_spheres_terms_measure(spheres);
    return true;
}

/// Whether a clump has slots in the record that is restored.
static bool has_slots(const eng_spheres *spheres, int body)
{
    int first = spheres->world->model.bodies.rows[body].first_collider;
    return spheres->meeting.mark[first];
}

/// Clumps whose members have slots in the record.
static cairn_status take_clumps(eng_spheres *spheres, const eng_spheres_record *record)
{
    const cairn_world *world = spheres->world;
    BASE_TRY(base_array_reserve(&world->model.allocator, &spheres->meeting.mark,
                                &spheres->meeting.mark_capacity,
                                world->contacts.colliders.count + 1));
    memset(spheres->meeting.mark, 0, (size_t)world->contacts.colliders.count + 1);
    for (int slot = 0; slot < record->counts[ENG_SPHERES_RECORD_SLOTS]; slot++)
        if (record->body[slot] < 0 && ~record->body[slot] < world->contacts.colliders.count)
            spheres->meeting.mark[~record->body[slot]] = true;
    return eng_spheres_clumps_find(spheres, has_slots);
}

/// Slots as recorded, whatever had one before.
static cairn_status take_slots(eng_spheres *spheres, const eng_spheres_record *record)
{
    const cairn_world *world = spheres->world;
    eng_spheres_forget_moved(spheres);
    eng_spheres_share_forget(spheres);
    spheres->table.slots = spheres->store.block_count = spheres->list.chunk_count =
        spheres->store.kept_count = 0;
    spheres->cell.image_count = 0;
    spheres->pass.first_image = INT_MAX;
    spheres->walls.plane_ghosts = spheres->walls.ghost_count = spheres->walls.group_count =
        spheres->store.contact_count = 0;
    spheres->store.kept_walls = spheres->store.kept_moments = spheres->list.out_of_memory = false;
    spheres->meeting.released_count = 0;
    BASE_TRY(eng_spheres_plan_laws(spheres));
    int64_t wraps = world->state.cell.any ? record->counts[ENG_SPHERES_RECORD_SLOTS] : 0;
    if (!take_terms(spheres, record))
        return CAIRN_ERROR_FORMAT;
    BASE_TRY(take_clumps(spheres, record));
    if (!are_rows_sound(spheres, record) || record->counts[ENG_SPHERES_RECORD_WRAPS] != wraps ||
        !are_frames_sound(record))
        return CAIRN_ERROR_FORMAT;
    spheres->table.slots = (int)record->counts[ENG_SPHERES_RECORD_SLOTS];
    spheres->meeting.restoring = true;
    cairn_status status = eng_spheres_plan_passes(spheres);
    spheres->meeting.restoring = false;
    return status;
}

cairn_status eng_spheres_record_restore(cairn_world *world, const eng_spheres_record *record)
{
    eng_spheres *spheres = eng_spheres_of(world);
    cairn_status status = spheres != NULL ? take_slots(spheres, record) : CAIRN_ERROR_MEMORY;
    world->scratch.general.due = true;
    if (status == CAIRN_OK)
        status = make_list(spheres, record);
    bool listed = record->counts[ENG_SPHERES_RECORD_CHUNKS] > 0;
    if (status == CAIRN_OK && spheres->table.slots > 0 && listed &&
        !(fits_list(spheres, record) && are_touches_sound(spheres, record)))
        status = CAIRN_ERROR_FORMAT;
    if (status == CAIRN_OK)
        status = place_general(spheres, record);
    if (status != CAIRN_OK)
        return status;
    if (spheres->table.slots > 0) {
        place_now(spheres, record);
        place_groups(spheres, record);
        place_history(spheres, record);
        count_contacts(spheres);
    } else {
        // before there are any, what a later state has left of the cell is forgotten
        place_frames(spheres, record);
        place_frame_now(spheres, record);
    }
    place_numbers(spheres, record);
    status = place_moved(spheres, record);
    world->scratch.general.due =
        status != CAIRN_OK || (record->counts[ENG_SPHERES_RECORD_CHANGED] & PLAN_DUE) != 0;
    return status;
}
