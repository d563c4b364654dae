// SPDX-License-Identifier: Apache-2.0
// Cells of bodies near a place, and the test of a new grain against them.
#include "engine/grains/near.h"
#include "engine/bodies/body_state.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "geometry/narrow/ray.h"

#include <string.h>

enum { CELLS_MAX = 1 << 20, CELLS_OF_ITEM_MAX = 64 };

/// Cells that a ball touches, inside the bounds; false for none.
static bool cells_of(const eng_near *near, vec3 centre, double reach, int low[3], int high[3])
{
    for (int k = 0; k < 3; k++) {
        double from = vec3_get(near->bounds.low, k), at = vec3_get(centre, k);
        double a = floor((at - reach - from) * near->inverse);
        double b = floor((at + reach - from) * near->inverse);
        if (!(b >= 0.0) || !(a < near->dim[k]))
            return false;
        low[k] = (int)fmax(a, 0.0);
        high[k] = (int)fmin(b, near->dim[k] - 1.0);
    }
    return true;
}

static int *cell_at(const eng_near *near, int x, int y, int z)
{
    return &near->head[x + near->dim[0] * (y + near->dim[1] * z)];
}

static eng_near_item item_of(const cairn_world *world, int body)
{
    bool sphere =
        world->model.shapes.rows[world->model.bodies.rows[body].shape]->kind == GEO_SPHERE;
    return (eng_near_item){.centre = eng_place_of(world, body),
                           .reach = eng_reach_of(world, body),
                           .body = body,
                           .sphere = sphere};
}

static cairn_status add_item(eng_near *near, eng_near_item item)
{
    const base_allocator *allocator = &near->world->model.allocator;
    int low[3] = {0}, high[3] = {0};
    bool wide = !isfinite(item.reach);
    if (!wide && !cells_of(near, item.centre, item.reach, low, high))
        return CAIRN_OK;
    double cells = 1.0;
    for (int k = 0; k < 3; k++)
        cells *= high[k] - low[k] + 1;
    wide = wide || cells > CELLS_OF_ITEM_MAX;
    BASE_TRY(
        base_array_reserve(allocator, &near->items, &near->item_capacity, near->item_count + 1));
    if (wide)
        BASE_TRY(
            base_array_reserve(allocator, &near->wide, &near->wide_capacity, near->wide_count + 1));
    if (!wide)
        BASE_TRY(base_array_reserve(allocator, &near->entries, &near->entry_capacity,
                                    near->entry_count + (int)cells));
    near->items[near->item_count] = item;
    if (wide)
        near->wide[near->wide_count++] = near->item_count;
    for (int z = low[2]; z <= high[2] && !wide; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) {
                int *head = cell_at(near, x, y, z), *entry = near->entries[near->entry_count++];
                entry[0] = near->item_count;
                entry[1] = *head;
                *head = near->entry_count;
            }
    near->item_count++;
    return CAIRN_OK;
}

/// A body with its images that reach into the bounds.
static cairn_status add_body(eng_near *near, int body)
{
    eng_near_item item = item_of(near->world, body);
    int from[3], to[3];
    if (!near->world->state.cell.any || !isfinite(item.reach))
        return add_item(near, item);
    cairn_status status = CAIRN_OK;
    vec3 centre = item.centre;
    eng_window_images(&near->window, centre, item.reach, from, to);
    for (int i = from[0]; i <= to[0]; i++)
        for (int j = from[1]; j <= to[1]; j++)
            for (int k = from[2]; k <= to[2] && status == CAIRN_OK; k++) {
                const double n[3] = {i, j, k};
                item.shift = eng_cell_vector(&near->window.lattice, n);
                item.centre = vec3_add(centre, item.shift);
                status = add_item(near, item);
            }
    return status;
}

cairn_status eng_near_begin(eng_near *near, const cairn_world *world, geo_bounds bounds,
                            double size)
{
    // grains may reach through the faces of a cell
    if (world->state.cell.any)
        bounds = geo_bounds_inflate(bounds, 0.5 * size);
    *near = (eng_near){.world = world, .bounds = bounds};
    near->window = eng_window_make(&world->state.cell, &world->state.cell.now, bounds);
    geo_manifold_init(&near->manifold, &world->model.allocator);
    vec3 extent = vec3_sub(bounds.high, bounds.low);
    double cell = size, count;
    for (;; cell *= 1.26) {
        count = 1.0;
        for (int k = 0; k < 3; k++) {
            double along = ceil(vec3_get(extent, k) / cell);
            near->dim[k] = (int)fmin(fmax(along, 1.0), CELLS_MAX);
            count *= fmax(along, 1.0);
        }
        if (count <= CELLS_MAX)
            break;
    }
    near->inverse = 1.0 / cell;
    near->head = base_allocate(&world->model.allocator, (size_t)count, sizeof *near->head);
    cairn_status status = near->head != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    for (int body = 0; body < world->model.bodies.count && status == CAIRN_OK; body++)
        if (eng_body_is_live(world, body))
            status = add_body(near, body);
    return status;
}

void eng_near_finish(eng_near *near)
{
    const base_allocator *allocator = &near->world->model.allocator;
    void *blocks[] = {near->head, near->entries, near->items, near->wide};
    for (int i = 0; i < 4; i++)
        base_release(allocator, blocks[i]);
    geo_manifold_finish(&near->manifold);
}

cairn_status eng_near_add(eng_near *near, int body)
{
    return add_body(near, body);
}

/// One part of a new grain against one body, by the narrow phase.
static cairn_status part_touches(eng_near *near, const geo_shape *shape, const pose *place,
                                 const eng_near_item *item, double clearance, bool *touches)
{
    const cairn_world *world = near->world;
    int body = item->body;
    pose q = eng_state_of(world, body).q;
    q.position = vec3_add(q.position, item->shift);
    cairn_status status = CAIRN_OK;
    bool meets = false;
    near->manifold.count = 0;
    for (int i = 0; i < eng_collider_count_of(world, body) && status == CAIRN_OK; i++) {
        eng_part part = eng_part_of(world, body, i);
        pose there = pose_compose(&q, &part.place);
        status = geo_collide(shape, place, part.shape, &there, clearance, NULL, &near->manifold);
        // a mesh has no contacts with what is behind its triangles; a ball is behind a solid's
        // alone
        if (part.shape->kind == GEO_MESH && near->manifold.count == 0 && !meets &&
            (shape->kind != GEO_SPHERE || part.shape->mesh.solid))
            meets = geo_overlap(shape, place, part.shape, &there);
    }
    *touches = meets || near->manifold.count > 0;
    return status;
}

static cairn_status item_touches(eng_near *near, const geo_shape *shape, const pose *place,
                                 const eng_near_item *item, double clearance, bool *touches)
{
    double reach = shape->bounding_radius + item->reach + clearance;
    vec3 apart = vec3_sub(item->centre, place->position);
    *touches = false;
    if (!(vec3_dot(apart, apart) <= reach * reach) && isfinite(item->reach))
        return CAIRN_OK;
    if (item->sphere && shape->kind == GEO_SPHERE) {
        *touches = true;
        return CAIRN_OK;
    }
    if (shape->kind != GEO_COMPOUND)
        return part_touches(near, shape, place, item, clearance, touches);
    cairn_status status = CAIRN_OK;
    const geo_compound *parts = &shape->compound;
    for (int i = 0; i < parts->member_count && !*touches && status == CAIRN_OK; i++) {
        pose there = pose_compose(place, &parts->placements[i]);
        status = part_touches(near, parts->members[i], &there, item, clearance, touches);
    }
    return status;
}

cairn_status eng_near_is_free(eng_near *near, const geo_shape *shape, const pose *place,
                              double clearance, bool *is_free)
{
    int low[3], high[3];
    bool touches = false;
    cairn_status status = CAIRN_OK;
    if (cells_of(near, place->position, shape->bounding_radius + clearance, low, high))
        for (int z = low[2]; z <= high[2]; z++)
            for (int y = low[1]; y <= high[1]; y++)
                for (int x = low[0]; x <= high[0]; x++)
                    for (int at = *cell_at(near, x, y, z);
                         at != 0 && !touches && status == CAIRN_OK; at = near->entries[at - 1][1])
                        status =
                            item_touches(near, shape, place, &near->items[near->entries[at - 1][0]],
                                         clearance, &touches);
    for (int i = 0; i < near->wide_count && !touches && status == CAIRN_OK; i++)
        status = item_touches(near, shape, place, &near->items[near->wide[i]], clearance, &touches);
    *is_free = !touches;
    return status;
}
