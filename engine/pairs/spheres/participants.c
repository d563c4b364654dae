// SPDX-License-Identifier: Apache-2.0
// Spheres with particle slots in the general passes: what a step needs of them goes to the general
// columns, what the passes find goes back to the slots.
//
// Tied spheres (joints, connectors, functions of time) take part in every step, exposed ones while
// they are near a body that they may meet outside of the executor. The general passes act on a
// sphere by changing its velocity: the fused pass moves it under the executor's own forces, the
// change is added to that, solvers of joints and implicit contacts go on from there, and the slot
// is written anew at the end.
#include "engine/pairs/spheres/lane.h"
#include "engine/pairs/spheres/lane_data.h"

#include "engine/joints/joints.h"

#include <stdlib.h>
#include <string.h>

typedef struct eng_lane eng_lane;

/// State, midpoint and inverse mass of a body with a slot go to the general columns.
static void load(const eng_lane *lane, int body)
{
    cairn_world *world = lane->world;
    eng_state state = eng_lane_state_of(world, body);
    world->q[body] = state.q;
    memcpy(world->v[body], state.v, sizeof state.v);
    world->q_mid[body] = eng_lane_row_middle(lane, eng_lane_row_of(lane, body));
    eng_mass_inverse_of(world, body, world->mass_inverse[body]);
}

void eng_lane_load_tied(cairn_world *world)
{
    const eng_lane *lane = world->lane;
    world->active_count = world->general_count + lane->tied_count;
    for (int k = world->general_count; k < world->active_count; k++)
        load(lane, world->active[k]);
}

/// A body's state in the general columns goes to its slot; the new midpoint too.
static void store(eng_lane *lane, int body)
{
    cairn_world *world = lane->world;
    eng_state state = {.q = world->q[body]};
    memcpy(state.v, world->v[body], sizeof state.v);
    eng_lane_row_write(lane, eng_lane_row_of(lane, body), &state);
}

void eng_lane_store_tied(cairn_world *world)
{
    eng_lane *lane = world->lane;
    for (int k = world->general_count; k < world->active_count; k++) {
        store(lane, world->active[k]);
        load(lane, world->active[k]);
        lane->slack = -1.0;
    }
}

/// A sphere that follows a function of time goes to the midpoint that its new velocity says.
static void place_driven(eng_lane *lane, int body)
{
    cairn_world *world = lane->world;
    int row = eng_lane_row_of(lane, body);
    vec3 before = vec3_from(lane->pass.X[row]);
    store(lane, body);
    world->q_mid[body] = eng_lane_row_middle(lane, row);
    double jump = vec3_distance(before, vec3_from(lane->pass.X[row]));
    for (int i = 0; i < lane->chunk_count; i++)
        lane->pass.chunks[i].path += jump;
    if (lane->chunk_count > 0)
        lane->pass.chunks[row / lane->chunk_rows].left -= jump;
    lane->slack = fmin(lane->slack, jump > 0.0 ? lane->slack - jump : lane->slack);
}

void eng_lane_place_driven(cairn_world *world)
{
    eng_lane *lane = world->lane;
    for (int k = world->general_count; k < world->active_count && world->motion_count > 0; k++)
        if (eng_extra_of(world, world->active[k]).motion.function != NULL)
            place_driven(lane, world->active[k]);
}

// ---------------------------------------------------------------- exposed spheres

static const geo_shape *shape_of(const cairn_world *world, const eng_lane_critical *c, pose *place)
{
    int body = world->colliders[c->collider].body;
    eng_part part = eng_part_of(world, body, c->collider - world->bodies[body].first_collider);
    *place = pose_compose(&world->q_mid[body], &part.place);
    return part.shape;
}

/// Way of a collider's fastest point in a step, m.
static double way_of(const cairn_world *world, const eng_lane_critical *c)
{
    int body = world->colliders[c->collider].body;
    const double *v = world->v[body];
    double reach = eng_reach_of(world, body), spin = vec3_norm(vec3_from(v + 3));
    double way =
        world->def.time_step * (vec3_norm(vec3_from(v)) + (spin > 0.0 ? spin * reach : 0.0));
    return isfinite(way) ? way : 0.0;
}

/// Bounds of a collider and of the layer in which its contacts are looked for, with room to move.
static geo_bounds bounds_of(const cairn_world *world, const eng_lane_critical *c, bool room)
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
static bool are_known(const eng_lane *lane)
{
    const cairn_world *world = lane->world;
    for (int i = 0; i < lane->critical_count; i++) {
        const eng_lane_critical *c = &lane->critical[i];
        const eng_body *body = &world->bodies[world->colliders[c->collider].body];
        bool open = world->shapes[body->shape]->kind == GEO_HALFSPACE;
        if (open && (body->kind == CAIRN_MOVING || c->bounds.low.x > c->bounds.high.x))
            return false;
        if (!open && !is_within(bounds_of(world, c, false), c->bounds))
            return false;
    }
    return true;
}

/// Whether a row may come near a collider while the list lasts.
static bool is_near(const eng_lane *lane, int row, const eng_lane_critical *c)
{
    const cairn_world *world = lane->world;
    const double *r = lane->pass.constants[row];
    vec3 at = vec3_make(eng_lane_reference(lane, 0)[row], eng_lane_reference(lane, 1)[row],
                        eng_lane_reference(lane, 2)[row]);
    double way = lane->pass.step * vec3_norm(vec3_from(lane->pass.V[row]));
    double reach = 1.002 * r[3] + 1.1 * eng_lane_margins(lane)[row] + 2.0 * fmin(way, lane->widest);
    int body = world->colliders[c->collider].body;
    if (world->shapes[world->bodies[body].shape]->kind == GEO_HALFSPACE) {
        pose place;
        (void)shape_of(world, c, &place);
        vec3 normal = quat_rotate(place.orientation, vec3_make(0.0, 0.0, 1.0));
        return vec3_dot(normal, vec3_sub(at, place.position)) <
               reach + 2.0 * way_of(world, c) + 1e-3 * r[3];
    }
    geo_bounds sphere = geo_bounds_inflate((geo_bounds){at, at}, reach);
    return geo_bounds_overlap(sphere, c->bounds);
}

static cairn_status expose(eng_lane *lane, int row, int *count)
{
    int body = eng_lane_ids(lane)[row];
    if (lane->mark[body] & ENG_LANE_NEAR_MARK)
        return CAIRN_OK;
    cairn_status status = base_array_reserve(&lane->world->allocator, &lane->exposed_next,
                                             &lane->exposed_next_capacity, *count + 1);
    if (status != CAIRN_OK)
        return status;
    lane->mark[body] |= ENG_LANE_NEAR_MARK;
    lane->exposed_next[(*count)++] = body;
    return CAIRN_OK;
}

/// Whether a sphere meets a critical collider outside of the executor, if it comes to that.
static bool meets(const eng_lane *lane, int row, const eng_lane_critical *c)
{
    const cairn_world *world = lane->world;
    int sphere = eng_lane_ids(lane)[row], body = world->colliders[c->collider].body;
    return !eng_pair_is_idle(world, sphere, body) && !eng_lane_owns_pair(world, sphere, body);
}

/// First and last cell of an axis between two coordinates.
static void cells_between(const eng_lane *lane, int k, double low, double high, int cells[2])
{
    int axis = lane->cell_axis[k], last = lane->cell_count[k] - 1;
    const double at[2] = {low, high};
    for (int side = 0; side < 2; side++) {
        double cell = (at[side] - lane->cell_low[axis]) * lane->cell_inverse;
        cells[side] = cell < (double)last ? (cell > 0.0 ? (int)cell : 0) : last;
    }
}

/// Rows of one run of cells.
static cairn_status expose_run(eng_lane *lane, const eng_lane_critical *c, int line,
                               const int run[2], int *count)
{
    const int *start = lane->cell_start.block;
    cairn_status status = CAIRN_OK;
    for (int row = start[line + run[0]]; row < start[line + run[1] + 1] && status == CAIRN_OK;
         row++)
        if (is_near(lane, row, c) && meets(lane, row, c))
            status = expose(lane, row, count);
    return status;
}

static cairn_status expose_near(eng_lane *lane, const eng_lane_critical *c, int *count)
{
    double pad = 1.002 * lane->largest + 2.0 * lane->widest + 2.0 * lane->widest;
    geo_bounds bounds = geo_bounds_inflate(c->bounds, pad);
    int cells[3][2];
    for (int k = 0; k < 3; k++)
        cells_between(lane, k, vec3_get(bounds.low, lane->cell_axis[k]),
                      vec3_get(bounds.high, lane->cell_axis[k]), cells[k]);
    cairn_status status = CAIRN_OK;
    for (int a = cells[0][0]; a <= cells[0][1]; a++)
        for (int b = cells[1][0]; b <= cells[1][1] && status == CAIRN_OK; b++)
            status = expose_run(lane, c, (a * lane->cell_count[1] + b) * lane->cell_count[2],
                                cells[2], count);
    return status;
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/// Looks for the spheres near all critical colliders; *changed says whether they are others.
static cairn_status find_exposed(eng_lane *lane, bool *changed)
{
    const cairn_world *world = lane->world;
    int count = 0;
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < lane->critical_count && status == CAIRN_OK; i++) {
        lane->critical[i].bounds = bounds_of(world, &lane->critical[i], true);
        status = expose_near(lane, &lane->critical[i], &count);
    }
    for (int row = 0; row < lane->rows && lane->any_exposed && status == CAIRN_OK; row++)
        if (lane->materials[world->bodies[eng_lane_ids(lane)[row]].material] & ENG_LANE_EXPOSED)
            status = expose(lane, row, &count);
    for (int i = 0; i < count; i++)
        lane->mark[lane->exposed_next[i]] &= (unsigned char)~ENG_LANE_NEAR_MARK;
    if (status != CAIRN_OK)
        return status;
    if (count > 0)
        qsort(lane->exposed_next, (size_t)count, sizeof *lane->exposed_next, compare_ints);
    *changed = count != lane->exposed_count ||
               (count > 0 && memcmp(lane->exposed, lane->exposed_next,
                                    (size_t)count * sizeof *lane->exposed) != 0);
    int *spare = lane->exposed, capacity = lane->exposed_capacity;
    lane->exposed = lane->exposed_next;
    lane->exposed_capacity = lane->exposed_next_capacity;
    lane->exposed_next = spare;
    lane->exposed_next_capacity = capacity;
    lane->exposed_count = count;
    return CAIRN_OK;
}

// those of bodies without slots where these can meet anything, and of exposed spheres; there is an
// address where there are none, which does not mean all
cairn_status eng_lane_colliders_list(eng_lane *lane)
{
    cairn_world *world = lane->world;
    bool general = lane->rows == 0 || lane->critical_count > 0;
    int most = lane->exposed_count, count = 0;
    for (int k = 0; k < world->general_count && general; k++)
        most += eng_collider_count_of(world, world->active[k]);
    cairn_status status =
        base_array_reserve(&world->allocator, &world->listed, &world->listed_capacity, most + 1);
    if (status != CAIRN_OK)
        return status;
    for (int k = 0; k < world->general_count && general; k++)
        for (int i = 0; i < eng_collider_count_of(world, world->active[k]); i++)
            world->listed[count++] = world->bodies[world->active[k]].first_collider + i;
    for (int k = 0; k < lane->exposed_count; k++)
        world->listed[count++] = world->bodies[lane->exposed[k]].first_collider;
    if (lane->exposed_count > 0)
        qsort(world->listed, (size_t)count, sizeof *world->listed, compare_ints);
    world->listed_count = count;
    world->topology_changed = true;
    return CAIRN_OK;
}

cairn_status eng_lane_expose(cairn_world *world, bool listed)
{
    eng_lane *lane = world->lane;
    bool changed = lane->replanned, meets_any = lane->critical_count > 0 || lane->any_exposed;
    const base_allocator *allocator = &world->allocator;
    cairn_status status = CAIRN_OK;
    if (lane->rows > 0 && meets_any && (listed || changed || !are_known(lane))) {
        bool others = false;
        status = find_exposed(lane, &others);
        changed = changed || others;
    }
    if (status == CAIRN_OK && changed)
        status = eng_lane_colliders_list(lane);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &world->active, &world->active_capacity,
                                    world->active_count + lane->exposed_count);
    if (status != CAIRN_OK)
        return status;
    lane->replanned = false;
    for (int k = 0; k < lane->exposed_count; k++)
        if (!(lane->mark[lane->exposed[k]] & ENG_LANE_TIED_MARK)) {
            load(lane, lane->exposed[k]);
            world->active[world->active_count++] = lane->exposed[k];
        }
    return CAIRN_OK;
}

// ---------------------------------------------------------------- around the fused pass

static void act_on(eng_lane *lane, int body)
{
    int row = eng_lane_row_of(lane, body);
    if (row == ENG_LANE_NO_ROW || lane->mark[body] & ENG_LANE_ACTED_MARK)
        return;
    lane->mark[body] |= ENG_LANE_ACTED_MARK;
    lane->acted[lane->acted_count++] = body;
    lane->pass.chunks[row / lane->chunk_rows].held = true;
}

cairn_status eng_lane_hold(cairn_world *world)
{
    eng_lane *lane = world->lane;
    const eng_contacts *c = &world->contacts;
    int most = world->active_count - world->general_count;
    cairn_status status =
        base_array_reserve(&world->allocator, &lane->acted, &lane->acted_capacity, most);
    lane->acted_count = 0;
    if (status != CAIRN_OK)
        return status;
    for (int k = 0; k < lane->tied_count; k++)
        act_on(lane, world->active[world->general_count + k]);
    for (int i = 0; i < c->count && most > 0; i++)
        for (int side = 0; side < 2; side++)
            act_on(lane, c->body[i][side]);
    for (int k = 0; k < lane->acted_count; k++)
        lane->mark[lane->acted[k]] &= (unsigned char)~ENG_LANE_ACTED_MARK;
    return CAIRN_OK;
}

void eng_lane_release_free(cairn_world *world)
{
    const eng_lane *lane = world->lane;
    for (int k = 0; k < lane->acted_count; k++) {
        int body = lane->acted[k], row = eng_lane_row_of(lane, body);
        if (world->bodies[body].kind != CAIRN_DYNAMIC)
            continue;
        double before[6], *v = world->v_free[body];
        eng_body_free(world, body, before);
        vec3 spin =
            quat_rotate_inverse(world->q_mid[body].orientation, eng_lane_row_spin(lane, row));
        for (int i = 0; i < 3; i++) {
            v[i] = lane->pass.V[row][i] + (v[i] - before[i]);
            v[i + 3] = vec3_get(spin, i) + (v[i + 3] - before[i + 3]);
        }
    }
}

/// Position correction and joints move a sphere beyond what its velocity says: what the step left
/// behind is read from where it was in the middle of it.
static cairn_status keep_middle(eng_lane *lane, int body, int row)
{
    cairn_status status = eng_lane_keep_moved(lane, row);
    if (status != CAIRN_OK)
        return status;
    eng_lane_moved *moved = &lane->moved[lane->moved_of[row] - 1];
    vec3 velocity = vec3_from(lane->pass.V[row]), middle = lane->world->q_mid[body].position;
    vec3_store(moved->X, vec3_add_scaled(middle, lane->pass.step, velocity));
    return CAIRN_OK;
}

cairn_status eng_lane_store_acted(cairn_world *world)
{
    eng_lane *lane = world->lane;
    cairn_status status = CAIRN_OK;
    for (int k = 0; k < lane->acted_count && status == CAIRN_OK; k++) {
        int body = lane->acted[k], row = eng_lane_row_of(lane, body);
        eng_lane_chunk *chunk = &lane->pass.chunks[row / lane->chunk_rows];
        store(lane, body);
        vec3 way = vec3_sub(vec3_from(lane->pass.X[row]), world->q_mid[body].position);
        for (int i = 0; i < 3; i++) {
            chunk->fastest[i] = fmax(chunk->fastest[i], fabs(vec3_get(way, i)) / lane->pass.step);
            chunk->finite += 0.0 * lane->pass.V[row][i] + 0.0 * lane->pass.V[row][i + 3];
        }
        status = keep_middle(lane, body, row);
    }
    return status;
}
