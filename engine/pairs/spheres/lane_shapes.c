// SPDX-License-Identifier: Apache-2.0
// Walls of the spheres lane that are no half-spaces: contacts by the narrow phase, each with a
// ghost.
//
// A sphere near such a wall has a group of ghosts, one for a convex wall, some for a mesh. A group
// sleeps until the path says that the sphere may touch. Awake, its contacts are those of the narrow
// phase, matched by their keys with those of the step before: a contact keeps its ghost, and with
// it its history, as long as it is found; one that ends keeps it for a step more, just open, so
// that the kernels book what it held.
#include "engine/pairs/spheres/lane_data.h"

#include "base/elementary.h"

#include "geometry/narrow/narrow.h"

#include <string.h>

/// Where free ghosts are, m.
static const double nowhere = 1e20;

static eng_lane_ghost *ghost_at(const struct eng_lane *lane, int index)
{
    return (eng_lane_ghost *)lane->ghosts.block + index;
}

static eng_lane_touch *touch_at(const struct eng_lane *lane, int index)
{
    return (eng_lane_touch *)lane->touches.block + (index - lane->plane_ghosts);
}

static eng_lane_group *groups_of(const struct eng_lane *lane)
{
    return lane->groups.block;
}

static const eng_lane_wall *wall_of(const struct eng_lane *lane, int wall)
{
    return (const eng_lane_wall *)lane->walls.block + wall;
}

bool eng_lane_is_wall(const cairn_world *world, int body)
{
    const eng_body *b = &world->bodies[body];
    return b->kind != CAIRN_DYNAMIC && world->shapes[b->shape]->kind != GEO_SPHERE;
}

static const geo_shape *shape_of(const struct eng_lane *lane, int wall)
{
    return wall_of(lane, wall)->shape;
}

/// Contacts of a row and a wall with gaps up to the margin.
static cairn_status find_contacts(const struct eng_lane *lane, int row, int wall, double margin,
                                  geo_manifold *out)
{
    const cairn_world *world = lane->world;
    const geo_shape *sphere = world->shapes[world->bodies[eng_lane_ids(lane)[row]].shape];
    pose place = pose_identity();
    place.position = vec3_from(lane->pass.X[row]);
    out->count = 0;
    if (!vec3_is_finite(place.position))
        return CAIRN_OK;
    return geo_collide(sphere, &place, shape_of(lane, wall), &wall_of(lane, wall)->placed, margin,
                       NULL, out);
}

static double smallest_gap(const geo_manifold *found, double most)
{
    for (int i = 0; i < found->count; i++)
        most = fmin(most, found->contacts[i].gap);
    return most;
}

// ---------------------------------------------------------------- ghosts

static void place_contact(struct eng_lane *lane, int index)
{
    eng_lane_ghost *ghost = ghost_at(lane, index);
    const eng_lane_spot *spot = &touch_at(lane, index)->now;
    const eng_lane_wall *wall = wall_of(lane, ghost->wall);
    int row = lane->rows + 2 + index;
    double *X = lane->pass.X[row], *V = lane->pass.V[row];
    double way = spot->gap + lane->pass.constants[ghost->row][3];
    vec3 foot = vec3_add_scaled(vec3_from(lane->pass.X[ghost->row]), way, spot->normal);
    vec3 arm = vec3_sub(foot, wall->now.centre);
    eng_lane_ghost_back(lane, ghost, spot->gap, spot->normal, X);
    vec3_store(V, vec3_add(wall->velocity, vec3_cross(wall->spin, arm)));
    V[6] = wall->spin.x;
    V[7] = wall->spin.y;
    X[3] = wall->spin.z;
}

static void place_ghost(struct eng_lane *lane, int index)
{
    int row = lane->rows + 2 + index;
    memset(lane->pass.X[row], 0, sizeof *lane->pass.X);
    memset(lane->pass.V[row], 0, sizeof *lane->pass.V);
    if (touch_at(lane, index)->now.key == ENG_LANE_NO_KEY)
        lane->pass.X[row][0] = nowhere;
    else
        place_contact(lane, index);
}

void eng_lane_shapes_place(struct eng_lane *lane)
{
    for (int i = lane->plane_ghosts; i < lane->ghost_count; i++)
        place_ghost(lane, i);
}

static eng_lane_block *block_of(const struct eng_lane *lane, int index)
{
    return &lane->pass.blocks[ghost_at(lane, index)->slot / ENG_LANE_WIDTH];
}

static bool touched(const struct eng_lane *lane, int index)
{
    return block_of(lane, index)->touch >> ghost_at(lane, index)->slot % ENG_LANE_WIDTH & 1;
}

/// Ghost of a group that has a contact's key and is not taken; -1 for none.
static int find_key(const struct eng_lane *lane, const eng_lane_group *group, uint64_t key)
{
    for (int i = group->first_ghost; i < group->end_ghost; i++)
        if (touch_at(lane, i)->now.key == key && touch_at(lane, i)->now.order < 0)
            return i;
    return -1;
}

/// Ghost that no contact of now or of the last step needs; -1 for none.
static int find_free(const struct eng_lane *lane, const eng_lane_group *group)
{
    for (int i = group->first_ghost; i < group->end_ghost; i++)
        if (touch_at(lane, i)->now.order < 0 && !touched(lane, i))
            return i;
    return -1;
}

static void take_ghost(const struct eng_lane *lane, int index, const geo_contact *c, int order)
{
    touch_at(lane, index)->now = (eng_lane_spot){c->normal, c->gap, c->key, order};
}

/// Closed contacts take the ghosts that have their keys.
static void take_known(const struct eng_lane *lane, const eng_lane_group *group,
                       const geo_manifold *found)
{
    for (int i = 0; i < found->count; i++) {
        int index = find_key(lane, group, found->contacts[i].key);
        if (index >= 0 && found->contacts[i].gap <= 0.0)
            take_ghost(lane, index, &found->contacts[i], i);
    }
}

static bool has_ghost(const struct eng_lane *lane, const eng_lane_group *group, int order)
{
    for (int i = group->first_ghost; i < group->end_ghost; i++)
        if (touch_at(lane, i)->now.order == order)
            return true;
    return false;
}

/// The other closed contacts take free ghosts; false when there are too few.
static bool take_free(const struct eng_lane *lane, const eng_lane_group *group,
                      const geo_manifold *found)
{
    for (int i = 0; i < found->count; i++) {
        if (found->contacts[i].gap > 0.0 || has_ghost(lane, group, i))
            continue;
        int index = find_free(lane, group);
        if (index < 0)
            return false;
        take_ghost(lane, index, &found->contacts[i], i);
    }
    return true;
}

/// Ghosts that no contact took: what has just ended stays at hand, just open, the others are free.
/// Tells whether there are such.
static bool end_contacts(struct eng_lane *lane, const eng_lane_group *group)
{
    bool any = false;
    for (int i = group->first_ghost; i < group->end_ghost; i++) {
        eng_lane_spot *spot = &touch_at(lane, i)->now;
        if (spot->order >= 0)
            continue;
        if (touched(lane, i)) {
            spot->gap = 1e-6 * lane->pass.constants[group->row][3];
            any = true;
        } else {
            spot->key = ENG_LANE_NO_KEY;
        }
    }
    return any;
}

/// Contacts of a group for the coming step.
static void renew_group(struct eng_lane *lane, eng_lane_chunk *chunk, eng_lane_group *group,
                        const geo_manifold *found, double margin)
{
    for (int i = group->first_ghost; i < group->end_ghost; i++) {
        touch_at(lane, i)->before = touch_at(lane, i)->now;
        touch_at(lane, i)->now.order = -1;
    }
    take_known(lane, group, found);
    if (!take_free(lane, group, found))
        chunk->crowded = true;
    double gap = smallest_gap(found, margin);
    bool ending = end_contacts(lane, group);
    group->wake = gap > 0.0 && !ending ? chunk->path + 0.499999 * gap : 0.0;
    for (int i = group->first_ghost; i < group->end_ghost; i++) {
        place_ghost(lane, i);
        // those in list B are looked at in the coming step
        if (gap <= 0.0 || ending)
            chunk->wake = block_of(lane, i)->wake = 0.0;
    }
}

static bool is_touched(const struct eng_lane *lane, const eng_lane_group *group)
{
    for (int i = group->first_ghost; i < group->end_ghost; i++)
        if (touched(lane, i))
            return true;
    return false;
}

/// Half of the way that sphere and wall may have come closer in a step that the path does not know
/// yet.
static double last_way(const struct eng_lane *lane, int row)
{
    return 0.5 * lane->pass.step * (vec3_norm(vec3_from(lane->pass.V[row])) + lane->wall_speed);
}

// ---------------------------------------------------------------- search

/// How far inside a triangle a point of its plane lies, m; not positive outside.
static double way_inside(const geo_mesh *mesh, int triangle, vec3 normal, vec3 foot)
{
    double least = INFINITY, most = -INFINITY;
    for (int k = 0; k < 3; k++) {
        vec3 v = mesh->vertices[mesh->triangles[triangle][k]];
        vec3 edge = vec3_sub(mesh->vertices[mesh->triangles[triangle][(k + 1) % 3]], v);
        double inside = vec3_dot(vec3_cross(normal, edge), vec3_sub(foot, v)) / vec3_norm(edge);
        least = fmin(least, inside);
        most = fmax(most, inside);
    }
    // the triangle runs either way around the normal
    return fmax(least, -most);
}

/// Nearest contact, and the gap of the next one.
static const geo_contact *nearest(const geo_manifold *found, double *next)
{
    const geo_contact *first = NULL;
    for (int i = 0; i < found->count; i++) {
        const geo_contact *c = &found->contacts[i];
        bool nearer = first == NULL || c->gap < first->gap;
        *next = fmin(*next, !nearer ? c->gap : first != NULL ? first->gap : INFINITY);
        first = nearer ? c : first;
    }
    return first;
}

/// Whether only the inner part of a triangle can touch. A ball about the centre cuts the triangle's
/// plane in a disc; while that is part of the triangle, whatever else lies in the ball has a
/// nearest point of its own, with a contact.
static bool is_on_face(const struct eng_lane *lane, const eng_lane_group *group,
                       const geo_manifold *found, double margin, eng_lane_calm *calm)
{
    const geo_shape *shape = shape_of(lane, group->wall);
    double next = margin, radius = lane->pass.constants[group->row][3];
    const geo_contact *c = nearest(found, &next);
    uint32_t code = c != NULL ? (uint32_t)c->key : 0, index = code & GEO_CODE_INDEX;
    if (shape->kind != GEO_MESH || c == NULL || code != geo_code_face((int)index))
        return false;
    double height = radius + c->gap;
    calm->normal =
        vec3_negate(quat_rotate_inverse(wall_of(lane, group->wall)->placed.orientation, c->normal));
    vec3 foot = vec3_add_scaled(calm->centre, -height, calm->normal);
    double inside = way_inside(&shape->mesh, (int)index, calm->normal, foot);
    calm->offset = vec3_dot(calm->normal, foot);
    calm->key = c->key;
    calm->room = fmin(next, base_hypot(inside, height) - radius);
    return height > 0.0 && inside > 0.0 && calm->room > 0.0;
}

/// What a search with that margin says of later places.
static eng_lane_calm calm_of(const struct eng_lane *lane, const eng_lane_group *group,
                             const geo_manifold *found, double margin, vec3 centre)
{
    eng_lane_calm calm = {.centre = centre};
    double gap = smallest_gap(found, margin);
    if (is_on_face(lane, group, found, margin, &calm))
        calm.kind = ENG_LANE_FACE;
    else if (gap > 0.0)
        calm.kind = ENG_LANE_CLEAR;
    if (calm.kind == ENG_LANE_CLEAR)
        calm.room = gap;
    return calm;
}

/// The contact with the face that the sphere is known to be on.
static cairn_status find_on_face(const struct eng_lane *lane, const eng_lane_group *group,
                                 vec3 centre, geo_manifold *out)
{
    const eng_lane_calm *calm = &group->calm;
    cairn_status status = base_array_reserve(&out->allocator, &out->contacts, &out->capacity, 1);
    if (status != CAIRN_OK)
        return status;
    vec3 outward = quat_rotate(wall_of(lane, group->wall)->placed.orientation, calm->normal);
    double height = vec3_dot(calm->normal, centre) - calm->offset;
    out->count = 1;
    out->contacts[0] = (geo_contact){
        .gap = height - lane->pass.constants[group->row][3],
        .normal = vec3_negate(outward),
        .key = calm->key,
    };
    return CAIRN_OK;
}

/// Looks for contacts anew where what is known does not tell them.
static cairn_status search(struct eng_lane *lane, eng_lane_group *group, vec3 centre,
                           geo_manifold *found, double *margin)
{
    double radius = lane->pass.constants[group->row][3];
    double reach = eng_lane_wall_reach(lane, group->row);
    *margin = is_touched(lane, group) ? fmax(ENG_LANE_NEAR * reach, 0.05 * radius) : reach;
    cairn_status status = find_contacts(lane, group->row, group->wall, *margin, found);
    if (status == CAIRN_OK)
        group->calm = calm_of(lane, group, found, *margin, centre);
    return status;
}

static void visit(struct eng_lane *lane, eng_lane_chunk *chunk, eng_lane_group *group,
                  geo_manifold *found)
{
    if (chunk->path + last_way(lane, group->row) < group->wake)
        return;
    const eng_lane_calm *calm = &group->calm;
    vec3 centre = pose_apply_inverse(&wall_of(lane, group->wall)->placed,
                                     vec3_from(lane->pass.X[group->row]));
    double margin = 0.999999 * calm->room - vec3_distance(centre, calm->centre);
    bool known = calm->kind != ENG_LANE_UNSEEN && margin > 0.0;
    cairn_status status = CAIRN_OK;
    if (known && calm->kind == ENG_LANE_CLEAR)
        found->count = 0;
    else if (known)
        status = find_on_face(lane, group, centre, found);
    else
        status = search(lane, group, centre, found, &margin);
    if (status == CAIRN_OK)
        renew_group(lane, chunk, group, found, margin);
    else
        chunk->starved = true;
}

double eng_lane_shapes_work(const struct eng_lane *lane, const eng_lane_chunk *chunk)
{
    double work = 0.0;
    for (int g = chunk->first_group; g < chunk->end_group; g++) {
        const eng_lane_group *group = &groups_of(lane)[g];
        for (int i = group->first_ghost; i < group->end_ghost && wall_of(lane, group->wall)->moves;
             i++)
            work += eng_lane_ghost_work(lane, ghost_at(lane, i), lane->rows + 2 + i);
    }
    return work;
}

void eng_lane_shapes_move(struct eng_lane *lane, eng_lane_chunk *chunk, int range, bool work)
{
    for (int g = chunk->first_group; g < chunk->end_group; g++) {
        eng_lane_group *group = &groups_of(lane)[g];
        bool moves = work && wall_of(lane, group->wall)->moves;
        for (int i = group->first_ghost; i < group->end_ghost && moves; i++)
            chunk->drivers += eng_lane_ghost_work(lane, ghost_at(lane, i), lane->rows + 2 + i);
        visit(lane, chunk, group, &lane->manifolds[range]);
    }
}

cairn_status eng_lane_shapes_renew(struct eng_lane *lane)
{
    bool starved = false;
    for (int c = 0; c < lane->chunk_count && lane->has_shapes; c++) {
        eng_lane_shapes_move(lane, &lane->pass.chunks[c], 0, false);
        starved = starved || lane->pass.chunks[c].starved;
    }
    return starved ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}

// ---------------------------------------------------------------- list making

cairn_status eng_lane_shapes_reserve(struct eng_lane *lane)
{
    const cairn_world *world = lane->world;
    if (!lane->has_shapes)
        return CAIRN_OK;
    cairn_status status =
        eng_lane_reserve(lane, &lane->near_walls, (size_t)lane->wall_count * sizeof(int));
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->allocator, &lane->manifolds, &lane->manifold_capacity,
                                    lane->ranges);
    for (; status == CAIRN_OK && lane->manifold_count < lane->ranges; lane->manifold_count++)
        geo_manifold_init(&lane->manifolds[lane->manifold_count], &world->allocator);
    for (int w = lane->plane_count; w < lane->wall_count; w++) {
        eng_lane_wall *wall = (eng_lane_wall *)lane->walls.block + w;
        wall->bounds = geo_shape_bounds(shape_of(lane, w), &wall->placed);
    }
    return status;
}

static bool is_near_bounds(const geo_bounds *bounds, const double X[4], double reach)
{
    return X[0] > bounds->low.x - reach && X[0] < bounds->high.x + reach &&
           X[1] > bounds->low.y - reach && X[1] < bounds->high.y + reach &&
           X[2] > bounds->low.z - reach && X[2] < bounds->high.z + reach;
}

const eng_lane_kept_spot *eng_lane_kept_of(const struct eng_lane *lane, int row, int wall, int nth)
{
    const int *start = lane->kept_start.block;
    const eng_lane_kept_spot *kept = lane->kept_spots.block;
    int collider = wall_of(lane, wall)->collider;
    for (int i = start[row]; i < start[row + 1] && lane->kept_walls; i++)
        if (kept[i].wall == collider && nth-- == 0)
            return &kept[i];
    return NULL;
}

/// Ghosts that a new group needs: one for every contact that is or was, and one to spare. A convex
/// wall has one contact whose key never changes.
static int ghosts_for(const struct eng_lane *lane, int row, int wall, const geo_manifold *found)
{
    if (shape_of(lane, wall)->kind != GEO_MESH)
        return 1;
    if (lane->given_groups != NULL)
        return lane->group_count < lane->given_count ? lane->given_groups[lane->group_count][0] : 1;
    int kept = 0, fresh = 0;
    while (eng_lane_kept_of(lane, row, wall, kept) != NULL)
        kept++;
    for (int i = 0; i < found->count; i++) {
        bool known = found->contacts[i].gap > 0.0;
        for (int k = 0; k < kept && !known; k++)
            known = eng_lane_kept_of(lane, row, wall, k)->spot.key == found->contacts[i].key;
        fresh += !known;
    }
    int most = kept + fresh > found->count ? kept + fresh : found->count;
    return most + 1;
}

static cairn_status reserve_group(struct eng_lane *lane, int ghosts)
{
    size_t all = (size_t)lane->ghost_count + (size_t)ghosts;
    size_t groups = (size_t)lane->group_count + 1;
    size_t touches = all - (size_t)lane->plane_ghosts;
    cairn_status status = eng_lane_reserve(lane, &lane->ghosts, all * sizeof(eng_lane_ghost));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->touches, touches * sizeof(eng_lane_touch));
    if (status == CAIRN_OK)
        status = eng_lane_reserve(lane, &lane->groups, groups * sizeof(eng_lane_group));
    return status;
}

/// A group of ghosts, with what was kept of the contacts of its sphere and wall.
static cairn_status add_group(struct eng_lane *lane, int row, int wall, const geo_manifold *found,
                              eng_lane_range *range)
{
    int ghosts = ghosts_for(lane, row, wall, found);
    cairn_status status = reserve_group(lane, ghosts);
    int first = lane->ghost_count;
    bool far = smallest_gap(found, INFINITY) >= ENG_LANE_NEAR * eng_lane_wall_reach(lane, row);
    if (status != CAIRN_OK)
        return status;
    groups_of(lane)[lane->group_count++] = (eng_lane_group){
        .row = row, .wall = wall, .first_ghost = first, .end_ghost = first + ghosts};
    for (int nth = 0; nth < ghosts && status == CAIRN_OK; nth++) {
        int index = lane->ghost_count++;
        const eng_lane_kept_spot *kept = eng_lane_kept_of(lane, row, wall, nth);
        eng_lane_spot spot = {.key = ENG_LANE_NO_KEY, .order = -1};
        *ghost_at(lane, index) = (eng_lane_ghost){row, wall, -1, (short)nth, false};
        *touch_at(lane, index) = (eng_lane_touch){spot, spot};
        if (kept != NULL)
            touch_at(lane, index)->now = kept->spot;
        status = eng_lane_pair_add(lane, range, row, lane->rows + 2 + index, far);
    }
    return status;
}

/// Bounds of the centres of a chunk's rows.
static geo_bounds bounds_of(const struct eng_lane *lane, const eng_lane_chunk *chunk)
{
    vec3 first = vec3_from(lane->pass.X[chunk->first_row]);
    geo_bounds bounds = {first, first};
    for (int row = chunk->first_row + 1; row < chunk->end_row; row++) {
        vec3 centre = vec3_from(lane->pass.X[row]);
        bounds = geo_bounds_merge(bounds, (geo_bounds){centre, centre});
    }
    return bounds;
}

void eng_lane_shapes_near(struct eng_lane *lane, const eng_lane_chunk *chunk)
{
    int *near = lane->near_walls.block;
    lane->near_wall_count = 0;
    geo_bounds bounds =
        geo_bounds_inflate(bounds_of(lane, chunk), lane->largest + 1.000001 * lane->widest);
    for (int w = lane->plane_count; w < lane->wall_count; w++)
        if (geo_bounds_overlap(bounds, wall_of(lane, w)->bounds))
            near[lane->near_wall_count++] = w;
}

cairn_status eng_lane_shapes_pair(struct eng_lane *lane, eng_lane_range *range, int row)
{
    const double *X = lane->pass.X[row], *constants = lane->pass.constants[row];
    double reach = eng_lane_wall_reach(lane, row);
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < lane->near_wall_count && constants[0] != 0.0; i++) {
        int w = ((const int *)lane->near_walls.block)[i];
        geo_manifold *found = &lane->manifolds[0];
        if (!is_near_bounds(&wall_of(lane, w)->bounds, X, constants[3] + reach) ||
            !eng_lane_takes(lane, row, wall_of(lane, w)->body))
            continue;
        status = find_contacts(lane, row, w, reach, found);
        if (status == CAIRN_OK && found->count > 0)
            status = add_group(lane, row, w, found, range);
        if (status != CAIRN_OK)
            return status;
    }
    return status;
}

int eng_lane_shapes_find(const struct eng_lane *lane, int row, int collider, uint64_t key)
{
    for (int g = 0; g < lane->group_count; g++) {
        const eng_lane_group *group = &groups_of(lane)[g];
        if (group->row != row || wall_of(lane, group->wall)->collider != collider)
            continue;
        for (int i = group->first_ghost; i < group->end_ghost; i++)
            if (touch_at(lane, i)->now.key == key)
                return ghost_at(lane, i)->slot;
    }
    return -1;
}
