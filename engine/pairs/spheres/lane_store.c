// SPDX-License-Identifier: Apache-2.0
// The sphere executor in a checkpoint: rows, history and the positions its list was made from.
//
// A list depends on positions, walls and the fastest body when it was made, so that it is made
// again from those instead of being kept; then rows and history of now take their places.
#include "engine/pairs/spheres/lane.h"
#include "engine/pairs/spheres/lane_data.h"

#include <string.h>

enum {
    WALL_CHANGED = 1,
    PLAN_DUE = 2,
    CROWDED = 4,
    SETTLED = 8,
    REPLANNED = 16,
    TOUCHES = 1,
    SLIPS = 2,
    ROLLS = 4,
    TWISTS = 8
};

// places of a row's numbers: X, V, orientation, position when the list was made, margin
enum { ROW_V = 4, ROW_TURN = 12, ROW_REFERENCE = 16, ROW_MARGIN = 19 };

void eng_lane_record_head(const cairn_world *world, eng_lane_record *record)
{
    const eng_lane *lane = world->lane;
    memset(record->counts, 0, sizeof record->counts);
    memset(record->reals, 0, sizeof record->reals);
    record->counts[ENG_LANE_RECORD_CHANGED] = world->plan_due ? PLAN_DUE : 0;
    if (lane == NULL)
        return;
    record->counts[ENG_LANE_RECORD_ROWS] = lane->rows;
    record->counts[ENG_LANE_RECORD_SLOTS] = (int64_t)lane->block_count * ENG_LANE_WIDTH;
    record->counts[ENG_LANE_RECORD_MOMENTS] =
        lane->pass.resist != NULL ? record->counts[ENG_LANE_RECORD_SLOTS] : 0;
    record->counts[ENG_LANE_RECORD_COLUMNS] =
        record->counts[ENG_LANE_RECORD_SLOTS] * lane->kept_rows;
    record->counts[ENG_LANE_RECORD_CHUNKS] = lane->rows > 0 ? lane->chunk_count : 0;
    record->counts[ENG_LANE_RECORD_WALLS] = lane->wall_count;
    record->counts[ENG_LANE_RECORD_CHANGED] |=
        (lane->walls_changed ? WALL_CHANGED : 0) | (lane->crowded ? CROWDED : 0) |
        (lane->settled ? SETTLED : 0) | (lane->replanned ? REPLANNED : 0);
    record->counts[ENG_LANE_RECORD_CRITICAL] = lane->critical_count;
    record->counts[ENG_LANE_RECORD_EXPOSED] = lane->exposed_count;
    record->counts[ENG_LANE_RECORD_MOVED] = lane->moved_count;
    record->counts[ENG_LANE_RECORD_GROUPS] = lane->group_count;
    record->counts[ENG_LANE_RECORD_GHOSTS] = lane->ghost_count - lane->plane_ghosts;
    record->reals[ENG_LANE_RECORD_SLACK] = lane->slack;
    record->reals[ENG_LANE_RECORD_WALL_PATH] = lane->wall_path;
    record->reals[ENG_LANE_RECORD_WALL_MARGIN] = lane->wall_margin;
    record->reals[ENG_LANE_RECORD_LAST_STEP] = lane->last_step;
}

static bool allocate_groups(eng_lane_record *record, base_arena *arena)
{
    size_t groups = (size_t)record->counts[ENG_LANE_RECORD_GROUPS];
    size_t ghosts = (size_t)record->counts[ENG_LANE_RECORD_GHOSTS];
    record->groups = base_arena_allocate(arena, "lane groups", groups, sizeof *record->groups);
    record->group_numbers =
        base_arena_allocate(arena, "lane group numbers", groups, sizeof *record->group_numbers);
    record->group_keys = base_arena_array(arena, uint64_t, "lane group keys", groups);
    record->spots = base_arena_allocate(arena, "lane spots", ghosts, sizeof *record->spots);
    record->spot_keys =
        base_arena_allocate(arena, "lane spot keys", ghosts, sizeof *record->spot_keys);
    record->spot_orders =
        base_arena_allocate(arena, "lane spot orders", ghosts, sizeof *record->spot_orders);
    return record->groups != NULL && record->group_numbers != NULL && record->group_keys != NULL &&
           record->spots != NULL && record->spot_keys != NULL && record->spot_orders != NULL;
}

static bool allocate_general(eng_lane_record *record, base_arena *arena)
{
    const int64_t *n = record->counts;
    size_t moved = (size_t)n[ENG_LANE_RECORD_MOVED];
    record->critical =
        base_arena_array(arena, geo_bounds, "critical bounds", n[ENG_LANE_RECORD_CRITICAL]);
    record->exposed = base_arena_array(arena, int, "exposed", n[ENG_LANE_RECORD_EXPOSED]);
    record->moved_rows = base_arena_array(arena, int, "moved rows", moved);
    record->moved = base_arena_allocate(arena, "moved", moved, sizeof *record->moved);
    return record->critical != NULL && record->exposed != NULL && record->moved_rows != NULL &&
           record->moved != NULL;
}

bool eng_lane_record_allocate(eng_lane_record *record, base_arena *arena)
{
    size_t rows = (size_t)record->counts[ENG_LANE_RECORD_ROWS];
    size_t slots = (size_t)record->counts[ENG_LANE_RECORD_SLOTS];
    size_t walls = (size_t)record->counts[ENG_LANE_RECORD_WALLS];
    size_t moments = (size_t)record->counts[ENG_LANE_RECORD_MOMENTS];
    record->body = base_arena_array(arena, int, "lane bodies", rows);
    record->rows = base_arena_allocate(arena, "lane rows", rows, sizeof *record->rows);
    record->slots = base_arena_allocate(arena, "lane pairs", slots, sizeof *record->slots);
    record->moments = base_arena_allocate(arena, "lane moments", moments, sizeof *record->moments);
    record->columns = base_arena_array(arena, double, "lane columns",
                                       (size_t)record->counts[ENG_LANE_RECORD_COLUMNS]);
    record->acts = base_arena_array(arena, unsigned char, "lane pair bits", slots);
    size_t chunks = (size_t)record->counts[ENG_LANE_RECORD_CHUNKS];
    record->ways = base_arena_allocate(arena, "lane chunks", chunks, sizeof *record->ways);
    record->walls = base_arena_allocate(arena, "lane walls", walls, sizeof *record->walls);
    return record->body != NULL && record->rows != NULL && record->slots != NULL &&
           record->moments != NULL && record->columns != NULL && record->acts != NULL &&
           record->ways != NULL && record->walls != NULL && allocate_groups(record, arena) &&
           allocate_general(record, arena);
}

static void copy_row(const eng_lane *lane, int row, double to[ENG_LANE_RECORD_ROW_WIDTH])
{
    const eng_lane_pass *pass = &lane->pass;
    const double(*turn)[8] = (const double(*)[8])pass->turn[row / ENG_LANE_WIDTH];
    memcpy(to, pass->X[row], sizeof *pass->X);
    memcpy(to + ROW_V, pass->V[row], sizeof *pass->V);
    for (int k = 0; k < 4; k++)
        to[ROW_TURN + k] = turn[k][row % ENG_LANE_WIDTH];
    for (int axis = 0; axis < 3; axis++)
        to[ROW_REFERENCE + axis] = eng_lane_reference(lane, axis)[row];
    to[ROW_MARGIN] = eng_lane_margins(lane)[row];
}

/// Moments of a slot, and the bits of those that slip.
static int copy_moments(const eng_lane_resist *resist, int k,
                        double to[ENG_LANE_RECORD_MOMENT_WIDTH])
{
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = resist->rolling[axis][k];
        to[axis + 4] = (double)resist->lag_rolling[axis][k];
    }
    to[3] = resist->twisting[k];
    to[7] = (double)resist->lag_twisting[k];
    return (resist->roll_slip >> k & 1 ? ROLLS : 0) | (resist->twist_slip >> k & 1 ? TWISTS : 0);
}

static void copy_slot(const eng_lane *lane, int slot, eng_lane_record *record)
{
    const eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
    int k = slot % ENG_LANE_WIDTH;
    double *to = record->slots[slot];
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = block->spring[axis][k];
        to[axis + 3] = (double)block->lag_tangent[axis][k];
    }
    to[6] = (double)block->lag_normal[k];
    for (int row = 0; row < lane->kept_rows; row++)
        record->columns[slot * lane->kept_rows + row] = eng_lane_columns(lane, block)[row][k];
    int acts = (block->touch >> k & 1 ? TOUCHES : 0) | (block->slip >> k & 1 ? SLIPS : 0);
    const eng_lane_resist *resist = eng_lane_resist_of(lane, block);
    if (resist != NULL)
        acts |= copy_moments(resist, k, record->moments[slot]);
    record->acts[slot] = (unsigned char)acts;
}

enum { WALL_VECTORS = 11, WALL_POSES = WALL_VECTORS * 3, POSE = 7 };

/// Vectors of a wall in the order of the file.
static void wall_vectors(eng_lane_wall *wall, vec3 *at[WALL_VECTORS])
{
    eng_lane_plane *planes[3] = {&wall->now, &wall->before, &wall->listed};
    for (int i = 0; i < 3; i++) {
        at[3 * i] = &planes[i]->normal;
        at[3 * i + 1] = &planes[i]->point;
        at[3 * i + 2] = &planes[i]->centre;
    }
    at[9] = &wall->velocity;
    at[10] = &wall->spin;
}

static void wall_poses(eng_lane_wall *wall, pose *at[3])
{
    at[0] = &wall->placed;
    at[1] = &wall->placed_before;
    at[2] = &wall->placed_listed;
}

static void copy_wall(eng_lane_wall *wall, double to[ENG_LANE_RECORD_WALL_WIDTH])
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

static void copy_spot(const eng_lane_touch *touch, int ghost, eng_lane_record *record)
{
    const eng_lane_spot *spots[2] = {&touch->now, &touch->before};
    for (int k = 0; k < 2; k++) {
        vec3_store(record->spots[ghost] + 4 * k, spots[k]->normal);
        record->spots[ghost][4 * k + 3] = spots[k]->gap;
        record->spot_keys[ghost][k] = spots[k]->key;
        record->spot_orders[ghost][k] = spots[k]->order;
    }
}

static void copy_groups(const eng_lane *lane, eng_lane_record *record)
{
    const eng_lane_group *groups = lane->groups.block;
    for (int g = 0; g < lane->group_count; g++) {
        const eng_lane_calm *calm = &groups[g].calm;
        record->groups[g][0] = groups[g].end_ghost - groups[g].first_ghost;
        record->groups[g][1] = (int)calm->kind;
        double *to = record->group_numbers[g];
        to[0] = groups[g].wake;
        vec3_store(to + 1, calm->centre);
        vec3_store(to + 4, calm->normal);
        to[7] = calm->room;
        to[8] = calm->offset;
        record->group_keys[g] = calm->key;
    }
    for (int i = 0; i < lane->ghost_count - lane->plane_ghosts; i++)
        copy_spot((const eng_lane_touch *)lane->touches.block + i, i, record);
}

/// What concerns bodies of the general passes, and rows that the user moved.
static void copy_general(const eng_lane *lane, eng_lane_record *record)
{
    for (int i = 0; i < lane->critical_count; i++)
        record->critical[i] = lane->critical[i].bounds;
    for (int i = 0; i < lane->exposed_count; i++)
        record->exposed[i] = lane->exposed[i];
    for (int i = 0; i < lane->moved_count; i++) {
        record->moved_rows[i] = lane->moved[i].row;
        memcpy(record->moved[i], lane->moved[i].X, sizeof lane->moved[i].X);
        memcpy(record->moved[i] + ROW_V, lane->moved[i].V, sizeof lane->moved[i].V);
    }
}

void eng_lane_record_take(const cairn_world *world, eng_lane_record *record)
{
    const eng_lane *lane = world->lane;
    if (lane == NULL)
        return;
    copy_general(lane, record);
    for (int row = 0; row < lane->rows; row++) {
        record->body[row] = eng_lane_ids(lane)[row];
        copy_row(lane, row, record->rows[row]);
    }
    for (int slot = 0; slot < lane->block_count * ENG_LANE_WIDTH; slot++)
        copy_slot(lane, slot, record);
    for (int i = 0; i < record->counts[ENG_LANE_RECORD_CHUNKS]; i++) {
        record->ways[i][0] = lane->pass.chunks[i].left;
        record->ways[i][1] = lane->pass.chunks[i].path;
    }
    for (int i = 0; i < lane->wall_count; i++)
        copy_wall((eng_lane_wall *)lane->walls.block + i, record->walls[i]);
    copy_groups(lane, record);
}

// ---------------------------------------------------------------- restoring

/// Whether the rows are the world's spheres, each once, with finite numbers.
static bool are_rows_sound(const eng_lane *lane, const eng_lane_record *record)
{
    const cairn_world *world = lane->world;
    int *row_of = lane->row_of.block;
    for (int i = 0; i < world->body_count; i++)
        row_of[i] = ENG_LANE_NO_ROW;
    for (int row = 0; row < record->counts[ENG_LANE_RECORD_ROWS]; row++) {
        int body = record->body[row];
        if (body < 0 || body >= world->body_count || row_of[body] != ENG_LANE_NO_ROW ||
            !eng_lane_may_hold(world, body))
            return false;
        row_of[body] = row;
        double sum = 0.0;
        for (int k = 0; k < ENG_LANE_RECORD_ROW_WIDTH; k++)
            sum += record->rows[row][k];
        if (!isfinite(sum))
            return false;
    }
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

static bool is_wall_sound(const double wall[ENG_LANE_RECORD_WALL_WIDTH])
{
    if (!is_finite(wall, ENG_LANE_RECORD_WALL_WIDTH))
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
static bool are_walls_sound(const eng_lane *lane, const eng_lane_record *record)
{
    int64_t ghosts = 0, all = record->counts[ENG_LANE_RECORD_GHOSTS];
    for (int i = 0; i < lane->wall_count; i++)
        if (!is_wall_sound(record->walls[i]))
            return false;
    for (int64_t g = 0; g < record->counts[ENG_LANE_RECORD_GROUPS]; g++) {
        int kind = record->groups[g][1];
        if (record->groups[g][0] < 1 || kind < ENG_LANE_UNSEEN || kind > ENG_LANE_FACE ||
            !is_finite(record->group_numbers[g], ENG_LANE_RECORD_GROUP_WIDTH))
            return false;
        ghosts += record->groups[g][0];
    }
    for (int64_t i = 0; i < all; i++)
        if (!is_finite(record->spots[i], ENG_LANE_RECORD_SPOT_WIDTH))
            return false;
    return ghosts == all;
}

/// Rows where they were when the list was made.
static void place_listed(eng_lane *lane, const eng_lane_record *record)
{
    for (int row = 0; row < lane->rows; row++) {
        eng_lane_ids(lane)[row] = record->body[row];
        memcpy(lane->pass.X[row], record->rows[row] + ROW_REFERENCE, 3 * sizeof(double));
        eng_lane_margins(lane)[row] = record->rows[row][ROW_MARGIN];
    }
    eng_lane_rows_measure(lane);
    lane->wall_margin = record->reals[ENG_LANE_RECORD_WALL_MARGIN];
}

static void place_walls(eng_lane *lane, const eng_lane_record *record)
{
    eng_lane_wall *walls = lane->walls.block;
    for (int i = 0; i < lane->wall_count; i++) {
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

static void place_now(eng_lane *lane, const eng_lane_record *record)
{
    eng_lane_wall *walls = lane->walls.block;
    for (int row = 0; row < lane->rows; row++) {
        const double *from = record->rows[row];
        memcpy(lane->pass.X[row], from, sizeof *lane->pass.X);
        memcpy(lane->pass.V[row], from + ROW_V, sizeof *lane->pass.V);
        for (int k = 0; k < 4; k++)
            lane->pass.turn[row / ENG_LANE_WIDTH][k][row % ENG_LANE_WIDTH] = from[ROW_TURN + k];
    }
    for (int i = 0; i < lane->wall_count; i++) {
        vec3 *vectors[WALL_VECTORS];
        wall_vectors(&walls[i], vectors);
        for (int k = 0; k < 3; k++)
            *vectors[k] = vec3_from(record->walls[i] + 3 * k);
        walls[i].placed = pose_from(record->walls[i] + WALL_POSES);
    }
    eng_lane_ghosts_move(lane, 0, lane->plane_ghosts, NULL);
}

static void place_group(const double from[ENG_LANE_RECORD_GROUP_WIDTH], int kind, uint64_t key,
                        eng_lane_group *group)
{
    group->wake = from[0];
    group->calm = (eng_lane_calm){
        .kind = (eng_lane_calm_kind)kind,
        .centre = vec3_from(from + 1),
        .normal = vec3_from(from + 4),
        .room = from[7],
        .offset = from[8],
        .key = key,
    };
}

static void place_spots(const eng_lane_record *record, int ghost, eng_lane_touch *touch)
{
    eng_lane_spot *spots[2] = {&touch->now, &touch->before};
    for (int k = 0; k < 2; k++)
        *spots[k] = (eng_lane_spot){
            .normal = vec3_from(record->spots[ghost] + 4 * k),
            .gap = record->spots[ghost][4 * k + 3],
            .key = record->spot_keys[ghost][k],
            .order = record->spot_orders[ghost][k],
        };
}

static void place_groups(eng_lane *lane, const eng_lane_record *record)
{
    for (int g = 0; g < lane->group_count; g++)
        place_group(record->group_numbers[g], record->groups[g][1], record->group_keys[g],
                    (eng_lane_group *)lane->groups.block + g);
    for (int i = 0; i < lane->ghost_count - lane->plane_ghosts; i++)
        place_spots(record, i, (eng_lane_touch *)lane->touches.block + i);
    eng_lane_shapes_place(lane);
}

static void place_moments(const double from[ENG_LANE_RECORD_MOMENT_WIDTH], int acts,
                          eng_lane_resist *resist, int k)
{
    for (int axis = 0; axis < 3; axis++) {
        resist->rolling[axis][k] = from[axis];
        resist->lag_rolling[axis][k] = (float)from[axis + 4];
    }
    resist->twisting[k] = from[3];
    resist->lag_twisting[k] = (float)from[7];
    resist->roll_slip = (unsigned char)(resist->roll_slip | (acts & ROLLS ? 1 : 0) << k);
    resist->twist_slip = (unsigned char)(resist->twist_slip | (acts & TWISTS ? 1 : 0) << k);
}

/// Columns of history of a pair; 0 where there is none.
static int kept_count_of(const eng_lane *lane, const eng_lane_block *block, int k)
{
    if (lane->kept_rows == 0 || eng_lane_row_a(block, k) >= lane->rows)
        return 0;
    return eng_lane_terms_of(lane, block)->batch->kept_count;
}

static void place_slot(eng_lane *lane, int slot, const eng_lane_record *record)
{
    eng_lane_block *block = &lane->pass.blocks[slot / ENG_LANE_WIDTH];
    int k = slot % ENG_LANE_WIDTH, acts = record->acts[slot];
    const double *from = record->slots[slot];
    for (int axis = 0; axis < 3; axis++) {
        block->spring[axis][k] = from[axis];
        block->lag_tangent[axis][k] = (float)from[axis + 3];
    }
    block->lag_normal[k] = (float)from[6];
    for (int row = 0; row < kept_count_of(lane, block, k); row++)
        eng_lane_columns(lane, block)[row][k] = record->columns[slot * lane->kept_rows + row];
    block->touch = (unsigned char)(block->touch | (acts & TOUCHES ? 1 : 0) << k);
    block->slip = (unsigned char)(block->slip | (acts & SLIPS ? 1 : 0) << k);
    eng_lane_resist *resist = eng_lane_resist_of(lane, block);
    if (resist != NULL)
        place_moments(record->moments[slot], acts, resist, k);
}

static void place_history(eng_lane *lane, const eng_lane_record *record)
{
    for (int slot = 0; slot < lane->block_count * ENG_LANE_WIDTH; slot++)
        place_slot(lane, slot, record);
    for (int i = 0; i < lane->chunk_count; i++) {
        lane->pass.chunks[i].left = record->ways[i][0];
        lane->pass.chunks[i].path = record->ways[i][1];
    }
}

static void place_numbers(eng_lane *lane, const eng_lane_record *record)
{
    int64_t changed = record->counts[ENG_LANE_RECORD_CHANGED];
    lane->slack = record->reals[ENG_LANE_RECORD_SLACK];
    lane->wall_path = record->reals[ENG_LANE_RECORD_WALL_PATH];
    lane->last_step = record->reals[ENG_LANE_RECORD_LAST_STEP];
    lane->walls_changed = (changed & WALL_CHANGED) != 0;
    lane->crowded = (changed & CROWDED) != 0;
    lane->settled = (changed & SETTLED) != 0;
    lane->walls_renumbered = lane->adopted = false;
    // the loads are read from the bodies again
    lane->loads_changed = true;
}

static void count_contacts(eng_lane *lane)
{
    lane->contact_count = 0;
    for (int c = 0; c < lane->chunk_count; c++) {
        eng_lane_chunk *chunk = &lane->pass.chunks[c];
        chunk->first_contact = lane->contact_count;
        for (int i = chunk->first_block; i < chunk->end_block; i++)
            lane->contact_count += __builtin_popcount(lane->pass.blocks[i].touch);
    }
}

static bool are_margins_sound(const eng_lane *lane)
{
    double most = ENG_LANE_WIDEST * lane->largest;
    bool sound = lane->wall_margin >= 0.0 && lane->wall_margin <= most;
    for (int row = 0; row < lane->rows; row++)
        sound = sound && eng_lane_margins(lane)[row] >= 0.0 && eng_lane_margins(lane)[row] <= most;
    return sound;
}

/// The slots of the record, and its list from the positions of then.
static cairn_status make_list(eng_lane *lane, const eng_lane_record *record)
{
    cairn_status status = eng_lane_rows_reserve(lane, 0);
    if (status != CAIRN_OK || lane->rows == 0)
        return status;
    if (lane->wall_count != record->counts[ENG_LANE_RECORD_WALLS] || !are_walls_sound(lane, record))
        return CAIRN_ERROR_FORMAT;
    place_listed(lane, record);
    place_walls(lane, record);
    if (!are_margins_sound(lane))
        return CAIRN_ERROR_FORMAT;
    lane->given_groups = (const int(*)[2])record->groups;
    lane->given_count = (int)record->counts[ENG_LANE_RECORD_GROUPS];
    status = eng_lane_list_make(lane);
    lane->given_groups = NULL;
    return status;
}

/// Whether the list that was made has the places that the record fills.
static bool fits_list(const eng_lane *lane, const eng_lane_record *record)
{
    for (int row = 0; row < lane->rows; row++)
        if (eng_lane_ids(lane)[row] != record->body[row])
            return false;
    int64_t slots = (int64_t)lane->block_count * ENG_LANE_WIDTH;
    int ghosts = lane->ghost_count - lane->plane_ghosts;
    return record->counts[ENG_LANE_RECORD_SLOTS] == slots &&
           record->counts[ENG_LANE_RECORD_GROUPS] == lane->group_count &&
           record->counts[ENG_LANE_RECORD_GHOSTS] == ghosts &&
           record->counts[ENG_LANE_RECORD_MOMENTS] == (lane->pass.resist != NULL ? slots : 0) &&
           record->counts[ENG_LANE_RECORD_COLUMNS] == slots * lane->kept_rows &&
           record->counts[ENG_LANE_RECORD_CHUNKS] == lane->chunk_count;
}

/// What concerns bodies of the general passes.
static cairn_status place_general(eng_lane *lane, const eng_lane_record *record)
{
    const cairn_world *world = lane->world;
    int count = (int)record->counts[ENG_LANE_RECORD_EXPOSED];
    if (record->counts[ENG_LANE_RECORD_CHANGED] & PLAN_DUE)
        return CAIRN_OK; // the next plan finds it all
    if (record->counts[ENG_LANE_RECORD_CRITICAL] != lane->critical_count)
        return CAIRN_ERROR_FORMAT;
    for (int i = 0; i < lane->critical_count; i++)
        lane->critical[i].bounds = record->critical[i];
    cairn_status status =
        base_array_reserve(&world->allocator, &lane->exposed, &lane->exposed_capacity, count);
    if (status != CAIRN_OK)
        return status;
    for (int i = 0; i < count; i++) {
        int body = record->exposed[i];
        if (body < 0 || body >= world->body_count || !eng_lane_holds(world, body) ||
            (i > 0 && body <= record->exposed[i - 1]))
            return CAIRN_ERROR_FORMAT;
        lane->exposed[i] = body;
    }
    lane->exposed_count = count;
    status = eng_lane_colliders_list(lane);
    lane->replanned = (record->counts[ENG_LANE_RECORD_CHANGED] & REPLANNED) != 0;
    return status;
}

static cairn_status place_moved(eng_lane *lane, const eng_lane_record *record)
{
    for (int i = 0; i < record->counts[ENG_LANE_RECORD_MOVED]; i++) {
        int row = record->moved_rows[i];
        if (row < 0 || row >= lane->rows ||
            !is_finite(record->moved[i], ENG_LANE_RECORD_MOVED_WIDTH))
            return CAIRN_ERROR_FORMAT;
        cairn_status status = eng_lane_keep_moved(lane, row);
        if (status != CAIRN_OK)
            return status;
        eng_lane_moved *moved = &lane->moved[lane->moved_of[row] - 1];
        memcpy(moved->X, record->moved[i], sizeof moved->X);
        memcpy(moved->V, record->moved[i] + ROW_V, sizeof moved->V);
    }
    return CAIRN_OK;
}

/// Slots as recorded, whatever had one before.
static cairn_status take_slots(eng_lane *lane, const eng_lane_record *record)
{
    eng_lane_forget_moved(lane);
    lane->rows = lane->block_count = lane->chunk_count = lane->kept_count = 0;
    lane->plane_ghosts = lane->ghost_count = lane->group_count = lane->contact_count = 0;
    lane->kept_walls = lane->kept_moments = lane->out_of_memory = false;
    cairn_status status = eng_lane_plan_laws(lane);
    if (status != CAIRN_OK)
        return status;
    if (!are_rows_sound(lane, record))
        return CAIRN_ERROR_FORMAT;
    lane->rows = (int)record->counts[ENG_LANE_RECORD_ROWS];
    return eng_lane_plan_passes(lane);
}

cairn_status eng_lane_record_restore(cairn_world *world, const eng_lane_record *record)
{
    eng_lane *lane = eng_lane_of(world);
    cairn_status status = lane != NULL ? take_slots(lane, record) : CAIRN_ERROR_MEMORY;
    world->plan_due = true;
    if (status == CAIRN_OK)
        status = make_list(lane, record);
    bool listed = record->counts[ENG_LANE_RECORD_CHUNKS] > 0;
    if (status == CAIRN_OK && lane->rows > 0 && listed && !fits_list(lane, record))
        status = CAIRN_ERROR_FORMAT;
    if (status == CAIRN_OK)
        status = place_general(lane, record);
    if (status != CAIRN_OK)
        return status;
    if (lane->rows > 0) {
        place_now(lane, record);
        place_groups(lane, record);
        place_history(lane, record);
        count_contacts(lane);
    }
    place_numbers(lane, record);
    status = place_moved(lane, record);
    world->plan_due =
        status != CAIRN_OK || (record->counts[ENG_LANE_RECORD_CHANGED] & PLAN_DUE) != 0;
    return status;
}
