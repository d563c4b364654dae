// SPDX-License-Identifier: Apache-2.0
// The broad phase in a periodic cell: colliders are moved into the cell, and those whose fat bounds
// reach out of it are there once more beyond the faces that they reach through.
//
// Two fat bounds that overlap through a face cannot both stay on their own side of it, so that
// these images find every pair. They stay as they are until a bound has left its fat one, or the
// faces have come closer by the room that images were made with, and a new list is made.
#include "engine/space/space.h"
#include "engine/state/world.h"

#include <stdlib.h>

/// Part of the cell along each side that a box has, from `low` to `high`, 0 and 1 being the faces.
static void extent_of(const eng_cell *cell, const geo_bounds *bounds, double low[3], double high[3])
{
    vec3 middle = vec3_scale(0.5, vec3_add(bounds->low, bounds->high));
    vec3 half = vec3_scale(0.5, vec3_sub(bounds->high, bounds->low));
    vec3 part = mat3_apply(&cell->inverse, vec3_sub(middle, cell->low));
    for (int k = 0; k < 3; k++) {
        double reach = 0.0;
        for (int j = 0; j < 3; j++)
            reach += fabs(cell->inverse.m[k][j]) * vec3_get(half, j);
        low[k] = vec3_get(part, k) - reach;
        high[k] = vec3_get(part, k) + reach;
    }
}

/// The number of the copy of the cell in which a place lies. What is beyond all that can be told
/// apart is refused by name where bodies are looked at; it must not overflow before.
static int copy_of(double part)
{
    static const double farthest = 1 << 30;
    return (int)floor(fmin(fmax(part, -farthest), farthest));
}

static geo_bounds moved(geo_bounds bounds, const eng_cell *cell, const eng_image *image)
{
    const double n[3] = {image->n[0], image->n[1], image->n[2]};
    vec3 shift = eng_cell_vector(&cell->middle, n);
    return (geo_bounds){vec3_add(bounds.low, shift), vec3_add(bounds.high, shift)};
}

static bool is_bounded(const geo_bounds *bounds)
{
    return vec3_is_finite(bounds->low) && vec3_is_finite(bounds->high);
}

typedef struct image_list {
    eng_image *items;
    int count, capacity;
} image_list;

static cairn_status add_image(const cairn_world *world, image_list *list, eng_image image)
{
    cairn_status status =
        base_array_reserve(&world->model.allocator, &list->items, &list->capacity, list->count + 1);
    if (status == CAIRN_OK)
        list->items[list->count++] = image;
    return status;
}

/// The place of a collider in the cell comes first for all, then what reaches through faces.
static cairn_status make_images(const cairn_world *world, const geo_proxy *listed, int listed_count,
                                double skin, image_list *list)
{
    const eng_cell *cell = &world->state.cell;
    double low[3], high[3];
    cairn_status status = CAIRN_OK;
    list->count = 0;
    for (int i = 0; i < listed_count && status == CAIRN_OK; i++) {
        eng_image image = {.source = i};
        if (is_bounded(&listed[i].bounds)) {
            extent_of(cell, &listed[i].bounds, low, high);
            for (int k = 0; k < 3; k++)
                image.n[k] = cell->periodic[k] ? -copy_of(0.5 * (low[k] + high[k])) : 0;
        }
        status = add_image(world, list, image);
    }
    for (int i = 0; i < listed_count && status == CAIRN_OK; i++) {
        if (!is_bounded(&listed[i].bounds))
            continue;
        geo_bounds inside = moved(listed[i].bounds, cell, &list->items[i]);
        inside = geo_bounds_inflate(inside, skin);
        extent_of(cell, &inside, low, high);
        // 1: an image beyond the upper face, because the box reaches through the lower one
        int ways[3][2], count[3];
        for (int k = 0; k < 3; k++) {
            count[k] = 0;
            ways[k][count[k]++] = 0;
            if (cell->periodic[k] && (low[k] < 0.0 || high[k] > 1.0))
                ways[k][count[k]++] = low[k] < 0.0 ? 1 : -1;
        }
        for (int c = 1; c < count[0] * count[1] * count[2] && status == CAIRN_OK; c++) {
            const int pick[3] = {c % count[0], c / count[0] % count[1], c / (count[0] * count[1])};
            eng_image image = list->items[i];
            for (int k = 0; k < 3; k++)
                image.n[k] += ways[k][pick[k]];
            status = add_image(world, list, image);
        }
    }
    return status;
}

static geo_proxy *place_images(const cairn_world *world, const geo_proxy *listed,
                               const eng_image *images, int count)
{
    geo_proxy *proxies = base_arena_array(world->scratch.arena, geo_proxy, "images", count);
    for (int i = 0; i < count && proxies != NULL; i++) {
        const eng_image *image = &images[i];
        proxies[i] = listed[image->source];
        if (is_bounded(&proxies[i].bounds))
            proxies[i].bounds = moved(proxies[i].bounds, &world->state.cell, image);
    }
    return proxies;
}

/// Whether the images are of these colliders.
static bool are_current(const cairn_world *world)
{
    int count = world->contacts.broad.listed_count;
    return geo_broad_phase_count(world->contacts.broad.phase) ==
               world->contacts.broad.image_count &&
           world->contacts.broad.image_count >= count &&
           (count == 0 || world->contacts.broad.images[count - 1].source == count - 1) &&
           (world->contacts.broad.image_count == count ||
            world->contacts.broad.images[count].source != count);
}

/// Whether the faces have moved as far as bounds were looked at beyond themselves.
static bool has_strained(const eng_cell *cell, double skin)
{
    double way = 0.0;
    for (int k = 0; k < 3; k++)
        way += vec3_norm(vec3_sub(mat3_column(&cell->middle, k), mat3_column(&cell->listed, k)));
    return way > skin;
}

static cairn_status renew_images(cairn_world *world, const geo_proxy *listed, double skin)
{
    image_list list = {world->contacts.broad.images, 0, world->contacts.broad.image_capacity};
    cairn_status status =
        make_images(world, listed, world->contacts.broad.listed_count, skin, &list);
    world->contacts.broad.images = list.items;
    world->contacts.broad.image_count = list.count;
    world->contacts.broad.image_capacity = list.capacity;
    return status;
}

cairn_status eng_space_update(cairn_world *world, const geo_proxy *listed, double skin,
                              bool *rebuilt)
{
    bool due = world->contacts.pairs.topology_changed;
    if (!world->state.cell.any)
        return geo_broad_phase_update(world->contacts.broad.phase, listed,
                                      world->contacts.broad.listed_count, 0.0, skin, due,
                                      world->model.workers, rebuilt);
    due = due || !are_current(world) || has_strained(&world->state.cell, skin);
    *rebuilt = false;
    // a list that is out of date is made with new images
    for (int round = due ? 1 : 0; round < 2; round++) {
        cairn_status status = round == 1 ? renew_images(world, listed, skin) : CAIRN_OK;
        geo_proxy *proxies = status == CAIRN_OK
                                 ? place_images(world, listed, world->contacts.broad.images,
                                                world->contacts.broad.image_count)
                                 : NULL;
        if (proxies == NULL)
            return CAIRN_ERROR_MEMORY;
        status = geo_broad_phase_update(world->contacts.broad.phase, proxies,
                                        world->contacts.broad.image_count, 0.0, skin, round == 1,
                                        world->model.workers, rebuilt);
        if (*rebuilt)
            world->state.cell.listed = world->state.cell.middle;
        if (status != CAIRN_OK || !*rebuilt)
            return status;
    }
    return CAIRN_OK;
}

static int compare(const void *a, const void *b)
{
    const geo_pair *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->second < y->second ? -1 : x->second > y->second;
}

/// Pairs of images as pairs of their sources, each once and sorted.
static geo_pair *pairs_of_sources(eng_world_scratch *scratch, const eng_image *images,
                                  const geo_pair *list, int *count)
{
    geo_pair *pairs = base_arena_array(scratch->arena, geo_pair, "pairs of images", *count);
    int found = 0, kept = 0;
    for (int i = 0; i < *count && pairs != NULL; i++) {
        int a = images[list[i].first].source, b = images[list[i].second].source;
        if (a != b)
            pairs[found++] = (geo_pair){a < b ? a : b, a < b ? b : a};
    }
    if (found > 0)
        qsort(pairs, (size_t)found, sizeof *pairs, compare);
    for (int i = 0; i < found; i++)
        if (i == 0 || compare(&pairs[i], &pairs[kept - 1]) != 0)
            pairs[kept++] = pairs[i];
    *count = kept;
    return pairs;
}

const geo_pair *eng_space_pairs(cairn_world *world, int *count)
{
    const geo_pair *list = geo_broad_phase_pairs(world->contacts.broad.phase, count);
    return world->state.cell.any
               ? pairs_of_sources(&world->scratch, world->contacts.broad.images, list, count)
               : list;
}

cairn_status eng_space_find_pairs(cairn_world *world, geo_broad_phase *broad,
                                  const geo_proxy *listed, int listed_count, const geo_pair **pairs,
                                  int *count)
{
    bool rebuilt;
    image_list list = {0};
    const geo_proxy *proxies = listed;
    int proxy_count = listed_count;
    cairn_status status = CAIRN_OK;
    if (world->state.cell.any) {
        status = make_images(world, listed, listed_count, 0.0, &list);
        proxies = status == CAIRN_OK ? place_images(world, listed, list.items, list.count) : NULL;
        proxy_count = list.count;
        status = proxies != NULL || proxy_count == 0 ? status : CAIRN_ERROR_MEMORY;
    }
    if (status == CAIRN_OK)
        status = geo_broad_phase_update(broad, proxies, proxy_count, 0.0, 0.0, true,
                                        world->model.workers, &rebuilt);
    *count = 0;
    *pairs = status == CAIRN_OK ? geo_broad_phase_pairs(broad, count) : NULL;
    if (status == CAIRN_OK && world->state.cell.any)
        *pairs = pairs_of_sources(&world->scratch, list.items, *pairs, count);
    base_release(&world->model.allocator, list.items);
    return status == CAIRN_OK && *count > 0 && *pairs == NULL ? CAIRN_ERROR_MEMORY : status;
}
