// SPDX-License-Identifier: Apache-2.0
// Walls of the sphere executor that are no half-spaces: contacts by the narrow phase, each with a
// ghost.
//
// A sphere near such a wall has a group of ghosts, one for a convex wall, some for a mesh. A group
// is left alone until the path says that the sphere may touch. Then its contacts are those of the
// narrow phase, matched by their keys with those of the step before: a contact keeps its ghost, and
// with it its history, as long as it is found; one that ends keeps it for a step more, just open,
// so that the kernels book what it held.
#include "engine/pairs/spheres/shapes.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/share/share.h"
#include "engine/state/world.h"

#include "base/elementary.h"

#include "geometry/narrow/narrow.h"

#include <string.h>

/// Walls whose contacts with one sphere are looked at together.
enum { SLOT_GROUPS_MAX = 32 };

/// Where free ghosts are, m.
static const double nowhere = 1e20;

static eng_spheres_ghost *ghost_at(const struct eng_spheres *spheres, int index)
{
    return (eng_spheres_ghost *)spheres->walls.ghosts.block + index;
}

static eng_spheres_touch *touch_at(const struct eng_spheres *spheres, int index)
{
    return (eng_spheres_touch *)spheres->walls.touches.block +
           (index - spheres->walls.plane_ghosts);
}

static eng_spheres_group *groups_of(const struct eng_spheres *spheres)
{
    return spheres->walls.groups.block;
}

static const eng_spheres_wall *wall_of(const struct eng_spheres *spheres, int wall)
{
    return (const eng_spheres_wall *)spheres->walls.rows.block + wall;
}

static const geo_shape *shape_of(const struct eng_spheres *spheres, int wall)
{
    return wall_of(spheres, wall)->shape;
}

/// The shape of a slot, which is asked for too often to look it up by its body.
static geo_shape ball_of(const struct eng_spheres *spheres, int slot)
{
    double radius = spheres->pass.constants[slot][3];
    return (geo_shape){
        .kind = GEO_SPHERE, .smallest_size = 2.0 * radius, .bounding_radius = radius};
}

/// Contacts of a slot and a wall with gaps up to the margin.
static cairn_status find_contacts(const struct eng_spheres *spheres, int slot, int wall,
                                  double margin, geo_manifold *out)
{
    geo_shape ball = ball_of(spheres, slot);
    pose place = pose_identity();
    place.position = vec3_from(spheres->pass.X[slot]);
    out->count = 0;
    if (!vec3_is_finite(place.position))
        return CAIRN_OK;
    return geo_collide(&ball, &place, shape_of(spheres, wall), &wall_of(spheres, wall)->placed,
                       margin, NULL, out);
}

static double smallest_gap(const geo_manifold *found, double most)
{
    for (int i = 0; i < found->count; i++)
        most = fmin(most, found->contacts[i].gap);
    return most;
}

// ---------------------------------------------------------------- ghosts

static void place_contact(struct eng_spheres *spheres, int index)
{
    eng_spheres_ghost *ghost = ghost_at(spheres, index);
    const eng_spheres_wall_contact *wall_contact = &touch_at(spheres, index)->now;
    const eng_spheres_wall *wall = wall_of(spheres, ghost->wall);
    int slot = spheres->table.slots + 2 + index;
    double *X = spheres->pass.X[slot], *V = spheres->pass.V[slot];
    double way = wall_contact->gap + spheres->pass.constants[ghost->slot][3];
    vec3 foot = vec3_add_scaled(vec3_from(spheres->pass.X[ghost->slot]), way, wall_contact->normal);
    vec3 arm = vec3_sub(foot, wall->now.centre);
    eng_spheres_ghost_back(spheres, ghost, wall_contact->gap, wall_contact->normal, X);
    vec3_store(V, vec3_add(wall->velocity, vec3_cross(wall->omega, arm)));
    V[6] = wall->omega.x;
    V[7] = wall->omega.y;
    X[3] = wall->omega.z;
}

static void place_ghost(struct eng_spheres *spheres, int index)
{
    int slot = spheres->table.slots + 2 + index;
    memset(spheres->pass.X[slot], 0, sizeof *spheres->pass.X);
    memset(spheres->pass.V[slot], 0, sizeof *spheres->pass.V);
    if (touch_at(spheres, index)->now.key == ENG_SPHERES_NO_KEY)
        spheres->pass.X[slot][0] = nowhere;
    else
        place_contact(spheres, index);
}

void eng_spheres_shapes_place(struct eng_spheres *spheres)
{
    for (int i = spheres->walls.plane_ghosts; i < spheres->walls.ghost_count; i++)
        place_ghost(spheres, i);
}

static eng_spheres_block *block_of(const struct eng_spheres *spheres, int index)
{
    return &spheres->pass.blocks[ghost_at(spheres, index)->pair_slot / ENG_SPHERES_WIDTH];
}

static bool touched(const struct eng_spheres *spheres, int index)
{
    return block_of(spheres, index)->touch >>
               ghost_at(spheres, index)->pair_slot % ENG_SPHERES_WIDTH &
           1;
}

/// Ghost of a group that has a contact's key and is not taken; -1 for none.
static int find_key(const struct eng_spheres *spheres, const eng_spheres_group *group, uint64_t key)
{
    for (int i = group->first_ghost; i < group->end_ghost; i++)
        if (touch_at(spheres, i)->now.key == key && touch_at(spheres, i)->now.order < 0)
            return i;
    return -1;
}

/// Ghost that no contact of now or of the last step needs; -1 for none.
static int find_free(const struct eng_spheres *spheres, const eng_spheres_group *group)
{
    for (int i = group->first_ghost; i < group->end_ghost; i++)
        if (touch_at(spheres, i)->now.order < 0 && !touched(spheres, i))
            return i;
    return -1;
}

static void take_ghost(const struct eng_spheres *spheres, int index, const geo_contact *c,
                       int order)
{
    touch_at(spheres, index)->now = (eng_spheres_wall_contact){c->normal, c->gap, c->key, order};
}

/// Closed contacts take the ghosts that have their keys.
static void take_known(const struct eng_spheres *spheres, const eng_spheres_group *group,
                       const geo_manifold *found)
{
    for (int i = 0; i < found->count; i++) {
        int index = find_key(spheres, group, found->contacts[i].key);
        if (index >= 0 && found->contacts[i].gap <= 0.0)
            take_ghost(spheres, index, &found->contacts[i], i);
    }
}

static bool has_ghost(const struct eng_spheres *spheres, const eng_spheres_group *group, int order)
{
    for (int i = group->first_ghost; i < group->end_ghost; i++)
        if (touch_at(spheres, i)->now.order == order)
            return true;
    return false;
}

/// The other closed contacts take free ghosts; false when there are too few.
static bool take_free(const struct eng_spheres *spheres, const eng_spheres_group *group,
                      const geo_manifold *found)
{
    for (int i = 0; i < found->count; i++) {
        if (found->contacts[i].gap > 0.0 || has_ghost(spheres, group, i))
            continue;
        int index = find_free(spheres, group);
        if (index < 0)
            return false;
        take_ghost(spheres, index, &found->contacts[i], i);
    }
    return true;
}

/// Ghosts that no contact took: what has just ended stays at hand, just open, the others are free.
/// Tells whether there are such.
static bool end_contacts(struct eng_spheres *spheres, const eng_spheres_group *group)
{
    bool any = false;
    for (int i = group->first_ghost; i < group->end_ghost; i++) {
        eng_spheres_wall_contact *wall_contact = &touch_at(spheres, i)->now;
        if (wall_contact->order >= 0)
            continue;
        if (touched(spheres, i)) {
            wall_contact->gap = 1e-6 * spheres->pass.constants[group->slot][3];
            any = true;
        } else {
            wall_contact->key = ENG_SPHERES_NO_KEY;
        }
    }
    return any;
}

/// Contacts of a group for the coming step.
static void renew_group(struct eng_spheres *spheres, eng_spheres_chunk *chunk,
                        eng_spheres_group *group, const geo_manifold *found, double margin)
{
    for (int i = group->first_ghost; i < group->end_ghost; i++) {
        touch_at(spheres, i)->before = touch_at(spheres, i)->now;
        touch_at(spheres, i)->now.order = -1;
    }
    take_known(spheres, group, found);
    if (!take_free(spheres, group, found))
        chunk->overflow = true;
    double gap = smallest_gap(found, margin);
    bool ending = end_contacts(spheres, group);
    group->check_distance = gap > 0.0 && !ending ? chunk->path + 0.499999 * gap : 0.0;
    for (int i = group->first_ghost; i < group->end_ghost; i++) {
        place_ghost(spheres, i);
        // those in list B are looked at in the coming step
        if (gap <= 0.0 || ending)
            chunk->check_distance = block_of(spheres, i)->check_distance = 0.0;
    }
}

static bool is_touched(const struct eng_spheres *spheres, const eng_spheres_group *group)
{
    for (int i = group->first_ghost; i < group->end_ghost; i++)
        if (touched(spheres, i))
            return true;
    return false;
}

/// Half of the way that sphere and wall may have come closer in a step that the path does not know
/// yet.
static double last_way(const struct eng_spheres *spheres, int slot)
{
    return 0.5 * spheres->pass.step *
           (vec3_norm(vec3_from(spheres->pass.V[slot])) + spheres->walls.speed);
}

// ---------------------------------------------------------------- search

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
static bool is_on_face(const struct eng_spheres *spheres, const eng_spheres_group *group,
                       const geo_manifold *found, double margin, eng_spheres_separation *separation)
{
    const geo_shape *shape = shape_of(spheres, group->wall);
    double next = margin, radius = spheres->pass.constants[group->slot][3];
    const geo_contact *c = nearest(found, &next);
    uint32_t code = c != NULL ? (uint32_t)c->key : 0, index = code & GEO_CODE_INDEX;
    if (shape->kind != GEO_MESH || c == NULL || code != geo_code_face((int)index))
        return false;
    double height = radius + c->gap;
    separation->normal = vec3_negate(
        quat_rotate_inverse(wall_of(spheres, group->wall)->placed.orientation, c->normal));
    vec3 foot = vec3_add_scaled(separation->centre, -height, separation->normal);
    double inside;
    if (geo_mesh_triangle_at(&shape->mesh, (int)index, foot, 1e-9 * radius, &inside) < 0)
        return false;
    separation->offset = vec3_dot(separation->normal, foot);
    separation->key = c->key;
    separation->room = fmin(next, base_hypot(inside, height) - radius);
    return height > 0.0 && inside > 0.0 && separation->room > 0.0;
}

/// What a search with that margin says of later places.
static eng_spheres_separation separation_of(const struct eng_spheres *spheres,
                                            const eng_spheres_group *group,
                                            const geo_manifold *found, double margin, vec3 centre)
{
    eng_spheres_separation separation = {.centre = centre};
    double gap = smallest_gap(found, margin);
    if (is_on_face(spheres, group, found, margin, &separation))
        separation.kind = ENG_SPHERES_FACE;
    else if (gap > 0.0)
        separation.kind = ENG_SPHERES_CLEAR;
    if (separation.kind == ENG_SPHERES_CLEAR)
        separation.room = gap;
    return separation;
}

/// The contact with the face that the sphere is known to be on.
static cairn_status find_on_face(const struct eng_spheres *spheres, const eng_spheres_group *group,
                                 vec3 centre, geo_manifold *out)
{
    const eng_spheres_separation *separation = &group->separation;
    BASE_TRY(base_array_reserve(&out->allocator, &out->contacts, &out->capacity, 1));
    vec3 outward =
        quat_rotate(wall_of(spheres, group->wall)->placed.orientation, separation->normal);
    double height = vec3_dot(separation->normal, centre) - separation->offset;
    out->count = 1;
    out->contacts[0] = (geo_contact){
        .gap = height - spheres->pass.constants[group->slot][3],
        .normal = vec3_negate(outward),
        .key = separation->key,
    };
    return CAIRN_OK;
}

/// The triangles of a mesh that a sphere can touch while its centre stays within `room` of
/// that of the separation; false where they are too many.
static bool list_triangles(const struct eng_spheres *spheres, const eng_spheres_group *group,
                           eng_spheres_separation *separation)
{
    const geo_shape *shape = shape_of(spheres, group->wall);
    geo_shape ball = ball_of(spheres, group->slot);
    pose place = pose_identity(), mesh = place;
    place.position = separation->centre;
    separation->listed = -1;
    if (shape->kind == GEO_MESH)
        separation->listed = geo_mesh_near(&ball, &place, shape, &mesh, separation->room,
                                           separation->triangles, ENG_SPHERES_LIST_MAX);
    return separation->listed >= 0;
}

/// Contacts with the listed triangles, closed ones alone: others are as near as they like.
static cairn_status find_listed(const struct eng_spheres *spheres, const eng_spheres_group *group,
                                geo_manifold *out, double *margin)
{
    const eng_spheres_wall *wall = wall_of(spheres, group->wall);
    const eng_spheres_separation *separation = &group->separation;
    geo_shape ball = ball_of(spheres, group->slot);
    pose place = pose_identity();
    place.position = vec3_from(spheres->pass.X[group->slot]);
    out->count = 0;
    *margin = 0.0;
    return geo_collide_triangles(&ball, &place, wall->shape, &wall->placed, separation->triangles,
                                 separation->listed, 0.0, out);
}

/// Looks for contacts anew where what is known does not tell them.
static cairn_status search(struct eng_spheres *spheres, eng_spheres_group *group, vec3 centre,
                           geo_manifold *found, double *margin)
{
    double radius = spheres->pass.constants[group->slot][3];
    double reach = eng_spheres_wall_reach(spheres, group->slot);
    *margin = is_touched(spheres, group) ? fmax(ENG_SPHERES_NEAR * reach, 0.05 * radius) : reach;
    BASE_TRY(find_contacts(spheres, group->slot, group->wall, *margin, found));
    group->separation = separation_of(spheres, group, found, *margin, centre);
    // several triangles at once
    eng_spheres_separation listed = {.kind = ENG_SPHERES_LISTED, .centre = centre, .room = *margin};
    if (group->separation.kind == ENG_SPHERES_EMPTY && list_triangles(spheres, group, &listed))
        group->separation = listed;
    return CAIRN_OK;
}

/// Contacts of a group that may touch in the coming step.
/// @return false where it is left alone
static bool visit(struct eng_spheres *spheres, eng_spheres_chunk *chunk, eng_spheres_group *group,
                  geo_manifold *found, double *margin)
{
    if (group->check_distance > 0.0 &&
        chunk->path + last_way(spheres, group->slot) < group->check_distance)
        return false;
    eng_spheres_separation *separation = &group->separation;
    vec3 centre = pose_apply_inverse(&wall_of(spheres, group->wall)->placed,
                                     vec3_from(spheres->pass.X[group->slot]));
    bool known = separation->kind != ENG_SPHERES_EMPTY;
    if (known)
        *margin = 0.999999 * separation->room - vec3_distance(centre, separation->centre);
    known = known && *margin > 0.0;
    // one of a checkpoint has no list yet
    if (known && separation->kind == ENG_SPHERES_LISTED && separation->listed < 0)
        known = list_triangles(spheres, group, separation);
    cairn_status status = CAIRN_OK;
    if (known && separation->kind == ENG_SPHERES_CLEAR)
        found->count = 0;
    else if (known && separation->kind == ENG_SPHERES_FACE)
        status = find_on_face(spheres, group, centre, found);
    else if (known)
        status = find_listed(spheres, group, found, margin);
    else
        status = search(spheres, group, centre, found, margin);
    if (status != CAIRN_OK)
        chunk->out_of_memory = true;
    return status == CAIRN_OK;
}

static int closed_count(const geo_manifold *found)
{
    int count = 0;
    for (int i = 0; i < found->count; i++)
        count += found->contacts[i].gap <= 0.0;
    return count;
}

/// Puts what was found of a group behind what was found of others.
static bool put_aside(geo_manifold *aside, const geo_manifold *found)
{
    int count = aside->count + found->count;
    if (base_array_reserve(&aside->allocator, &aside->contacts, &aside->capacity, count) !=
        CAIRN_OK)
        return false;
    if (found->count > 0)
        memcpy(aside->contacts + aside->count, found->contacts,
               (size_t)found->count * sizeof *found->contacts);
    aside->count = count;
    return true;
}

/// A contact alone is covered by no other wall but a half-space.
static bool needs_settling(const struct eng_spheres *spheres, int slot, int closed)
{
    return closed > 1 || (closed == 1 && eng_spheres_is_on_plane(spheres, slot));
}

/// Contacts of a slot with one group for the coming step.
static void visit_alone(struct eng_spheres *spheres, eng_spheres_chunk *chunk,
                        eng_spheres_group *group, int range)
{
    geo_manifold *found = &spheres->walls.manifolds[range];
    double margin;
    if (!visit(spheres, chunk, group, found, &margin))
        return;
    if (needs_settling(spheres, group->slot, closed_count(found))) {
        eng_spheres_found part = {group, found->contacts, found->count, margin};
        eng_spheres_seams_settle(spheres, group->slot, &part, 1);
        found->count = part.count;
        margin = part.margin;
    }
    renew_group(spheres, chunk, group, found, margin);
}

/// Contacts of the groups [first, end) of one slot for the coming step: with walls that follow a
/// function of time, or with all others.
static void visit_slot(struct eng_spheres *spheres, eng_spheres_chunk *chunk, int first, int end,
                       int range, bool follows)
{
    geo_manifold *found = &spheres->walls.manifolds[range];
    geo_manifold *aside = &spheres->walls.manifolds[spheres->list.ranges + range];
    eng_spheres_found parts[SLOT_GROUPS_MAX];
    int count = 0, closed = 0;
    aside->count = 0;
    for (int g = first; g < end; g++) {
        double margin;
        if (wall_of(spheres, groups_of(spheres)[g].wall)->follows != follows ||
            !visit(spheres, chunk, &groups_of(spheres)[g], found, &margin))
            continue;
        closed += closed_count(found);
        parts[count++] = (eng_spheres_found){&groups_of(spheres)[g], NULL, found->count, margin};
        if (!put_aside(aside, found)) {
            chunk->out_of_memory = true;
            return;
        }
    }
    for (int i = 0, begin = 0; i < count; begin += parts[i++].count)
        parts[i].contacts = parts[i].count > 0 ? aside->contacts + begin : NULL;
    int slot = groups_of(spheres)[first].slot;
    if (needs_settling(spheres, slot, closed))
        eng_spheres_seams_settle(spheres, slot, parts, count);
    for (int i = 0; i < count; i++) {
        geo_manifold left = {.contacts = parts[i].contacts, .count = parts[i].count};
        renew_group(spheres, chunk, parts[i].group, &left, parts[i].margin);
    }
}

double eng_spheres_chunk_work(const struct eng_spheres *spheres, const eng_spheres_chunk *chunk)
{
    double work = 0.0;
    for (int i = chunk->first_ghost; i < chunk->end_ghost; i++)
        if (wall_of(spheres, ghost_at(spheres, i)->wall)->moves &&
            ghost_at(spheres, i)->pair_slot >= 0)
            work +=
                eng_spheres_ghost_work(spheres, ghost_at(spheres, i), spheres->table.slots + 2 + i);
    for (int g = chunk->first_group; g < chunk->end_group; g++) {
        const eng_spheres_group *group = &groups_of(spheres)[g];
        for (int i = group->first_ghost;
             i < group->end_ghost && wall_of(spheres, group->wall)->moves; i++)
            work +=
                eng_spheres_ghost_work(spheres, ghost_at(spheres, i), spheres->table.slots + 2 + i);
    }
    return work;
}

void eng_spheres_shapes_move(struct eng_spheres *spheres, eng_spheres_chunk *chunk, int range,
                             eng_spheres_placing placing, bool work)
{
    const eng_spheres_group *groups = groups_of(spheres);
    for (int first = chunk->first_group, end; first < chunk->end_group; first = end) {
        bool any_follows = false, any_other = false;
        for (end = first; end < chunk->end_group && end < first + SLOT_GROUPS_MAX &&
                          groups[end].slot == groups[first].slot;
             end++) {
            const eng_spheres_group *group = &groups[end];
            const eng_spheres_wall *wall = wall_of(spheres, group->wall);
            bool moves = work && wall->moves;
            any_follows |= wall->follows;
            any_other |= !wall->follows;
            for (int i = group->first_ghost; i < group->end_ghost && moves; i++)
                chunk->drivers += eng_spheres_ghost_work(spheres, ghost_at(spheres, i),
                                                         spheres->table.slots + 2 + i);
            // a wall that follows a function waits for its velocity in the coming step; what is
            // read until then is of the step just done
            bool waits = placing == ENG_SPHERES_PLACE_OTHERS && wall->follows;
            for (int i = group->first_ghost; i < group->end_ghost && waits; i++)
                touch_at(spheres, i)->before = touch_at(spheres, i)->now;
        }
        // apart, whether both come at once or one after the other
        bool others = any_other && placing != ENG_SPHERES_PLACE_FOLLOWERS;
        bool followers = any_follows && placing != ENG_SPHERES_PLACE_OTHERS;
        if (end == first + 1 && (others || followers)) {
            visit_alone(spheres, chunk, &groups_of(spheres)[first], range);
            continue;
        }
        if (others)
            visit_slot(spheres, chunk, first, end, range, false);
        if (followers)
            visit_slot(spheres, chunk, first, end, range, true);
    }
}

// ---------------------------------------------------------------- list making

cairn_status eng_spheres_shapes_reserve(struct eng_spheres *spheres)
{
    const cairn_world *world = spheres->world;
    if (!spheres->walls.has_shapes)
        return CAIRN_OK;
    size_t walls = (size_t)spheres->list.ranges * (size_t)spheres->walls.count;
    cairn_status status =
        eng_spheres_reserve(spheres, &spheres->walls.near_walls, walls * sizeof(int));
    if (status == CAIRN_OK)
        status =
            eng_spheres_reserve(spheres, &spheres->walls.near_shapes, (size_t)spheres->table.slots);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->model.allocator, &spheres->walls.manifolds,
                                    &spheres->walls.manifold_capacity, 2 * spheres->list.ranges);
    for (; status == CAIRN_OK && spheres->walls.manifold_count < 2 * spheres->list.ranges;
         spheres->walls.manifold_count++)
        geo_manifold_init(&spheres->walls.manifolds[spheres->walls.manifold_count],
                          &world->model.allocator);
    for (int w = spheres->walls.plane_count; w < spheres->walls.count; w++) {
        eng_spheres_wall *wall = (eng_spheres_wall *)spheres->walls.rows.block + w;
        wall->bounds = geo_shape_bounds(shape_of(spheres, w), &wall->placed);
    }
    return status;
}

static bool is_near_bounds(const geo_bounds *bounds, const double X[4], double reach)
{
    return X[0] > bounds->low.x - reach && X[0] < bounds->high.x + reach &&
           X[1] > bounds->low.y - reach && X[1] < bounds->high.y + reach &&
           X[2] > bounds->low.z - reach && X[2] < bounds->high.z + reach;
}

const eng_spheres_kept_wall_contact *eng_spheres_kept_of(const struct eng_spheres *spheres,
                                                         int slot, int wall, int nth)
{
    const int *start = spheres->store.kept_start.block;
    const eng_spheres_kept_wall_contact *kept = spheres->store.kept_spots.block;
    int collider = wall_of(spheres, wall)->collider;
    for (int i = start[slot]; i < start[slot + 1] && spheres->store.kept_walls; i++)
        if (kept[i].wall == collider && nth-- == 0)
            return &kept[i];
    return NULL;
}

/// Ghosts that a new group needs: one for every contact that is or was, and one to spare. A convex
/// wall has one contact whose key never changes.
static int ghosts_for(const struct eng_spheres *spheres, int slot, int wall,
                      const geo_manifold *found)
{
    if (shape_of(spheres, wall)->kind != GEO_MESH)
        return 1;
    if (spheres->walls.given_groups != NULL)
        return spheres->walls.group_count < spheres->walls.given_count
                   ? spheres->walls.given_groups[spheres->walls.group_count][0]
                   : 1;
    int kept = 0, fresh = 0;
    while (eng_spheres_kept_of(spheres, slot, wall, kept) != NULL)
        kept++;
    for (int i = 0; i < found->count; i++) {
        bool known = found->contacts[i].gap > 0.0;
        for (int k = 0; k < kept && !known; k++)
            known = eng_spheres_kept_of(spheres, slot, wall, k)->wall_contact.key ==
                    found->contacts[i].key;
        fresh += !known;
    }
    int most = kept + fresh > found->count ? kept + fresh : found->count;
    return most + 1;
}

static cairn_status reserve_group(struct eng_spheres *spheres, int ghosts)
{
    size_t all = (size_t)spheres->walls.ghost_count + (size_t)ghosts;
    size_t groups = (size_t)spheres->walls.group_count + 1;
    size_t touches = all - (size_t)spheres->walls.plane_ghosts;
    BASE_TRY(eng_spheres_reserve(spheres, &spheres->walls.ghosts, all * sizeof(eng_spheres_ghost)));
    BASE_TRY(
        eng_spheres_reserve(spheres, &spheres->walls.touches, touches * sizeof(eng_spheres_touch)));
    return eng_spheres_reserve(spheres, &spheres->walls.groups, groups * sizeof(eng_spheres_group));
}

/// A group of ghosts, with what was kept of the contacts of its sphere and wall.
static cairn_status add_group(struct eng_spheres *spheres, int slot, int wall,
                              const geo_manifold *found)
{
    int ghosts = ghosts_for(spheres, slot, wall, found);
    cairn_status status = reserve_group(spheres, ghosts);
    int first = spheres->walls.ghost_count;
    bool far =
        smallest_gap(found, INFINITY) >= ENG_SPHERES_NEAR * eng_spheres_wall_reach(spheres, slot);
    if (status != CAIRN_OK)
        return status;
    groups_of(spheres)[spheres->walls.group_count++] = (eng_spheres_group){
        .slot = slot, .wall = wall, .first_ghost = first, .end_ghost = first + ghosts, .far = far};
    for (int nth = 0; nth < ghosts; nth++) {
        int index = spheres->walls.ghost_count++;
        const eng_spheres_kept_wall_contact *kept = eng_spheres_kept_of(spheres, slot, wall, nth);
        eng_spheres_wall_contact wall_contact = {.key = ENG_SPHERES_NO_KEY, .order = -1};
        *ghost_at(spheres, index) = (eng_spheres_ghost){slot, wall, -1, (short)nth, false};
        *touch_at(spheres, index) = (eng_spheres_touch){wall_contact, wall_contact};
        if (kept != NULL)
            touch_at(spheres, index)->now = kept->wall_contact;
    }
    return CAIRN_OK;
}

/// Bounds of the centres of a chunk's slots.
static geo_bounds bounds_of(const struct eng_spheres *spheres, const eng_spheres_chunk *chunk)
{
    vec3 first = vec3_from(spheres->pass.X[chunk->first_slot]);
    geo_bounds bounds = {first, first};
    for (int slot = chunk->first_slot + 1; slot < chunk->end_slot; slot++) {
        vec3 centre = vec3_from(spheres->pass.X[slot]);
        bounds = geo_bounds_merge(bounds, (geo_bounds){centre, centre});
    }
    return bounds;
}

/// Walls near a chunk. @return how many
static int find_near_walls(const struct eng_spheres *spheres, const eng_spheres_chunk *chunk,
                           int *near)
{
    int count = 0;
    geo_bounds bounds = geo_bounds_inflate(
        bounds_of(spheres, chunk), spheres->table.largest + 1.000001 * spheres->list.widest);
    for (int w = spheres->walls.plane_count; w < spheres->walls.count; w++)
        if (geo_bounds_overlap(bounds, wall_of(spheres, w)->bounds))
            near[count++] = w;
    return count;
}

/// Contacts of a slot and a wall of its chunk within its reach, if it takes part in any.
static cairn_status find_near(const struct eng_spheres *spheres, int slot, int wall,
                              geo_manifold *found)
{
    const double *X = spheres->pass.X[slot], *constants = spheres->pass.constants[slot];
    double reach = eng_spheres_wall_reach(spheres, slot);
    found->count = 0;
    if (constants[0] == 0.0 ||
        !is_near_bounds(&wall_of(spheres, wall)->bounds, X, constants[3] + reach) ||
        !eng_spheres_takes(spheres, slot, wall_of(spheres, wall)->body))
        return CAIRN_OK;
    return find_contacts(spheres, slot, wall, reach, found);
}

cairn_status eng_spheres_shapes_look(struct eng_spheres *spheres, int range,
                                     const eng_spheres_chunk *chunk)
{
    unsigned char *near = spheres->walls.near_shapes.block;
    int *walls =
        (int *)spheres->walls.near_walls.block + (size_t)range * (size_t)spheres->walls.count;
    int count = find_near_walls(spheres, chunk, walls);
    geo_manifold *found = &spheres->walls.manifolds[range];
    cairn_status status = CAIRN_OK;
    for (int slot = chunk->first_slot; slot < chunk->end_slot; slot++) {
        near[slot] = 0;
        for (int i = 0; i < count && !near[slot] && status == CAIRN_OK; i++) {
            status = find_near(spheres, slot, walls[i], found);
            near[slot] = found->count > 0;
        }
    }
    return status;
}

cairn_status eng_spheres_shapes_group(struct eng_spheres *spheres, eng_spheres_chunk *chunk)
{
    const unsigned char *near = spheres->walls.near_shapes.block;
    int *walls = spheres->walls.near_walls.block, count = -1;
    geo_manifold *found = &spheres->walls.manifolds[0];
    cairn_status status = CAIRN_OK;
    chunk->first_group = spheres->walls.group_count;
    for (int slot = chunk->first_slot; slot < chunk->end_slot && status == CAIRN_OK; slot++) {
        if (!near[slot])
            continue;
        if (count < 0)
            count = find_near_walls(spheres, chunk, walls);
        for (int i = 0; i < count && status == CAIRN_OK; i++) {
            status = find_near(spheres, slot, walls[i], found);
            if (status == CAIRN_OK && found->count > 0)
                status = add_group(spheres, slot, walls[i], found);
        }
    }
    chunk->end_group = spheres->walls.group_count;
    return status;
}

cairn_status eng_spheres_shapes_pair(struct eng_spheres *spheres, eng_spheres_range *range,
                                     int slot, const eng_spheres_chunk *chunk, int *next)
{
    cairn_status status = CAIRN_OK;
    for (; *next < chunk->end_group && groups_of(spheres)[*next].slot == slot; (*next)++) {
        const eng_spheres_group *group = &groups_of(spheres)[*next];
        for (int i = group->first_ghost; i < group->end_ghost && status == CAIRN_OK; i++)
            status = eng_spheres_pair_add(spheres, range, slot, spheres->table.slots + 2 + i,
                                          wall_of(spheres, group->wall)->body, group->far);
    }
    return status;
}

int eng_spheres_shapes_find(const struct eng_spheres *spheres, int slot, int collider, uint64_t key)
{
    for (int g = 0; g < spheres->walls.group_count; g++) {
        const eng_spheres_group *group = &groups_of(spheres)[g];
        if (group->slot != slot || wall_of(spheres, group->wall)->collider != collider)
            continue;
        for (int i = group->first_ghost; i < group->end_ghost; i++)
            if (touch_at(spheres, i)->now.key == key)
                return ghost_at(spheres, i)->pair_slot;
    }
    return -1;
}
