// SPDX-License-Identifier: Apache-2.0
// Spheres that fall into a region one after the other, and roll to where they lie still.
//
// A sphere goes down by short straight ways: along gravity while it is free, else along that
// direction of steepest descent which leaves all that it touches. A way over a curved surface ends
// a little off it, and the next one falls back onto it.
#include "engine/grains/deposit.h"
#include "engine/state/world.h"

#include <string.h>

// what a sphere rolls in one way, of its radius; spheres are held apart by `skin` of it
static const double roll = 0.2, skin = 1e-6;
// descent of a way below which a sphere lies still
static const double level = 1e-3;

enum { TOUCHES_MAX = 32, WAYS_MAX = 100000, MENDS_MAX = 12, CELLS_MAX = 1 << 22 };

/// What a sphere may meet in a way: the direction from it to the sphere, and how far it is.
typedef struct touch {
    vec3 normal;
    double gap;   // m
    vec3 centre;  // m, of the other sphere
    double reach; // m, between centres in contact; 0 for the boundary
} touch;

typedef struct touches {
    int count;
    touch item[TOUCHES_MAX];
} touches;

cairn_status eng_deposit_begin(eng_deposit *deposit, const cairn_world *world,
                               const cairn_region *region, double largest, cairn_error *error)
{
    vec3 gravity = vec3_from(world->model.def.gravity);
    geo_bounds bounds = eng_region_bounds(world, region);
    *deposit = (eng_deposit){.world = world,
                             .region = region,
                             .low = bounds.low,
                             .side = vec3_sub(bounds.high, bounds.low),
                             .largest = largest};
    if (!(vec3_norm(gravity) > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "nothing falls in a world without gravity: deposition needs gravity "
                         "before the packing");
    deposit->down = vec3_normalize_or(gravity, gravity);
    eng_region_wraps(world, region, deposit->wraps);
    double edge = 2.0 * largest, cells = INFINITY;
    for (; cells > CELLS_MAX; edge *= 1.3) {
        cells = 1.0;
        for (int k = 0; k < 3; k++) {
            double along = fmin(fmax(floor(vec3_get(deposit->side, k) / edge), 1.0), 1e9);
            deposit->dim[k] = (int)along;
            cells *= along;
        }
        deposit->inverse = 1.0 / edge;
    }
    deposit->head = base_allocate(&world->model.allocator, (size_t)cells, sizeof *deposit->head);
    if (deposit->head == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for the cells of a deposit");
    memset(deposit->head, 0, (size_t)cells * sizeof *deposit->head);
    return CAIRN_OK;
}

void eng_deposit_finish(eng_deposit *deposit)
{
    if (deposit->world == NULL)
        return;
    const base_allocator *allocator = &deposit->world->model.allocator;
    base_release(allocator, deposit->head);
    base_release(allocator, deposit->next);
    base_release(allocator, deposit->place);
    base_release(allocator, deposit->radius);
    *deposit = (eng_deposit){0};
}

// ---------------------------------------------------------------- what is near

/// Cell along an axis, not cut to those that there are.
static int cell_along(const eng_deposit *d, int axis, double at)
{
    double from = at - vec3_get(d->low, axis);
    // cells of a direction that wraps have the same length, so that they join at its ends
    double scale = d->wraps[axis] ? d->dim[axis] / vec3_get(d->side, axis) : d->inverse;
    return (int)fmin(fmax(floor(from * scale), -1e6), 1e9);
}

/// Number of the cell, -1 where there is none.
static int cell_at(const eng_deposit *d, const int at[3])
{
    int cell[3];
    for (int k = 0; k < 3; k++) {
        int n = d->dim[k];
        cell[k] = d->wraps[k] ? (at[k] % n + n) % n : at[k];
        if (cell[k] < 0 || cell[k] > n || (cell[k] == n && n > 1))
            return -1;
        cell[k] = cell[k] < n ? cell[k] : n - 1;
    }
    return (cell[2] * d->dim[1] + cell[1]) * d->dim[0] + cell[0];
}

/// From a sphere's centre to a point, by the nearest image.
static vec3 from_to(const eng_deposit *d, vec3 a, vec3 b)
{
    vec3 way = vec3_sub(b, a);
    for (int k = 0; k < 3; k++) {
        double side = vec3_get(d->side, k);
        if (d->wraps[k])
            way = vec3_set(way, k, vec3_get(way, k) - side * rint(vec3_get(way, k) / side));
    }
    return way;
}

static void add_touch(touches *near, touch t)
{
    if (near->count < TOUCHES_MAX) {
        near->item[near->count++] = t;
        return;
    }
    int farthest = 0;
    for (int i = 1; i < TOUCHES_MAX; i++)
        if (near->item[i].gap > near->item[farthest].gap)
            farthest = i;
    if (t.gap < near->item[farthest].gap)
        near->item[farthest] = t;
}

static void add_spheres(const eng_deposit *d, int cell, vec3 at, double radius, double range,
                        touches *near)
{
    for (int i = d->head[cell]; i != 0; i = d->next[i - 1]) {
        vec3 way = from_to(d, d->place[i - 1], at);
        double reach = (radius + d->radius[i - 1]) * (1.0 + skin), away = vec3_norm(way);
        if (away - reach < range)
            add_touch(near, (touch){.normal = vec3_normalize_or(way, vec3_scale(-1.0, d->down)),
                                    .gap = away - reach,
                                    .centre = vec3_sub(at, way),
                                    .reach = reach});
    }
}

/// What a sphere at a place comes to within a range.
static void find_near(const eng_deposit *d, vec3 at, double radius, double range, touches *near)
{
    double reach = (radius + d->largest) * (1.0 + skin) + range;
    int first[3], last[3], cell[3];
    near->count = 0;
    for (int k = 0; k < 3; k++) {
        first[k] = cell_along(d, k, vec3_get(at, k) - reach);
        last[k] = cell_along(d, k, vec3_get(at, k) + reach);
        // each cell once, and no farther than there are any
        if (d->wraps[k] && last[k] - first[k] >= d->dim[k])
            last[k] = first[k] + d->dim[k] - 1;
        if (!d->wraps[k]) {
            first[k] = first[k] > 0 ? first[k] : 0;
            last[k] = last[k] < d->dim[k] ? last[k] : d->dim[k] - 1;
        }
    }
    for (cell[2] = first[2]; cell[2] <= last[2]; cell[2]++)
        for (cell[1] = first[1]; cell[1] <= last[1]; cell[1]++)
            for (cell[0] = first[0]; cell[0] <= last[0]; cell[0]++) {
                int number = cell_at(d, cell);
                if (number >= 0)
                    add_spheres(d, number, at, radius, range, near);
            }
    double held = radius * (1.0 + skin);
    eng_region_push push = eng_region_push_in(d->world, d->region, at, held + range);
    for (int i = 0; i < push.walls && i < ENG_REGION_PARTS_MAX; i++)
        add_touch(near,
                  (touch){.normal = push.part[i].inwards, .gap = range - push.part[i].overlap});
}

// ---------------------------------------------------------------- ways

static bool leaves_all(const touches *near, double radius, vec3 way)
{
    for (int i = 0; i < near->count; i++)
        if (near->item[i].gap <= skin * radius && vec3_dot(way, near->item[i].normal) < -1e-9)
            return false;
    return true;
}

/// The steepest way down that goes into nothing: straight, along one touch or between two.
/// @return how steep it is, of gravity; 0 where there is none
static double find_way(const eng_deposit *d, const touches *near, double radius, vec3 *way)
{
    double steepest = 0.0;
    if (leaves_all(near, radius, d->down)) {
        *way = d->down;
        return 1.0;
    }
    for (int i = 0; i < near->count; i++)
        for (int k = i; k < near->count; k++) {
            const touch *a = &near->item[i], *b = &near->item[k];
            if (a->gap > skin * radius || b->gap > skin * radius)
                continue;
            vec3 try = i == k ? vec3_add_scaled(d->down, -vec3_dot(d->down, a->normal), a->normal)
                              : vec3_cross(a->normal, b->normal);
            double length = vec3_norm(try), descent = vec3_dot(try, d->down);
            if (!(length > 1e-9))
                continue;
            try = vec3_scale((descent < 0.0 ? -1.0 : 1.0) / length, try);
            descent = fabs(descent) / length;
            if (descent > steepest && leaves_all(near, radius, try)) {
                steepest = descent;
                *way = try;
            }
        }
    return steepest;
}

/// How far a sphere gets along a way, at most `most`, before it meets what it does not touch yet,
/// m.
static double free_length(const touches *near, double radius, vec3 at, vec3 way, double most)
{
    for (int i = 0; i < near->count; i++) {
        const touch *t = &near->item[i];
        double closing = -vec3_dot(way, t->normal);
        if (t->gap <= skin * radius || closing <= 0.0)
            continue;
        double length = t->gap / closing;
        if (t->reach > 0.0) {
            vec3 from = vec3_sub(at, t->centre);
            double along = vec3_dot(from, way);
            double root = along * along - vec3_norm_squared(from) + t->reach * t->reach;
            length = root >= 0.0 ? fmax(-along - sqrt(root), 0.0) : INFINITY;
        }
        most = fmin(most, length);
    }
    return most;
}

/// Moves a sphere out of what a way over curved surfaces has brought it into.
static bool mend(const eng_deposit *d, double radius, vec3 *at)
{
    for (int k = 0; k < MENDS_MAX; k++) {
        touches near;
        double deepest = 0.0;
        find_near(d, *at, radius, 0.5 * skin * radius, &near);
        for (int i = 0; i < near.count; i++) {
            double overlap = -near.item[i].gap;
            if (overlap > 0.0)
                *at = vec3_add_scaled(*at, overlap, near.item[i].normal);
            deepest = fmax(deepest, overlap);
        }
        if (deepest <= 0.5 * skin * radius)
            return true;
    }
    return false;
}

/// Down to where the sphere is held; false where it came to no end.
static bool settle(const eng_deposit *d, double radius, vec3 *at)
{
    double longest = roll * radius;
    for (int i = 0; i < WAYS_MAX && longest > 1e-4 * radius; i++) {
        touches near;
        vec3 way = d->down;
        double range = i == 0 || longest < roll * radius ? longest : radius;
        find_near(d, *at, radius, range, &near);
        double descent = find_way(d, &near, radius, &way);
        if (descent < level)
            return true;
        // a free fall is straight, what rolls goes by short ways
        double length = free_length(&near, radius, *at, way, descent == 1.0 ? range : longest);
        vec3 there = vec3_add_scaled(*at, length, way);
        bool good = mend(d, radius, &there);
        double gained = vec3_dot(vec3_sub(there, *at), d->down);
        if (!good || gained < 0.1 * level * longest) {
            longest *= 0.5;
            continue;
        }
        longest = fmin(2.0 * longest, roll * radius);
        *at = there;
    }
    return longest <= 1e-4 * radius;
}

/// The highest place of the region above a point of it that holds the sphere.
static vec3 rise(const eng_deposit *d, double radius, vec3 at)
{
    double longest = fabs(vec3_dot(d->side, d->down)) + radius;
    vec3 up = vec3_scale(-1.0, d->down);
    for (double way = 0.0, free = radius; free > skin * radius && way < longest; way += free) {
        eng_region_push push =
            eng_region_push_in(d->world, d->region, at, radius * (1.0 + 2.0 * skin) + radius);
        free = radius;
        for (int i = 0; i < push.walls && i < ENG_REGION_PARTS_MAX; i++) {
            double closing = -vec3_dot(up, push.part[i].inwards);
            double gap = radius - push.part[i].overlap;
            // half of the way to a curved part
            if (closing > 0.0)
                free = fmin(free, fmax(0.5 * gap / closing, 0.0));
        }
        at = vec3_add_scaled(at, free, up);
    }
    return at;
}

static bool is_free(const eng_deposit *d, double radius, vec3 at)
{
    touches near;
    find_near(d, at, radius, 0.0, &near);
    for (int i = 0; i < near.count; i++)
        if (near.item[i].gap < -0.5 * skin * radius)
            return false;
    return true;
}

cairn_status eng_deposit_drop(eng_deposit *d, double radius, base_rng *rng, vec3 *place,
                              bool *placed)
{
    *placed = false;
    if (!eng_region_draw(d->world, d->region, radius * (1.0 + 4.0 * skin), rng, place))
        return CAIRN_OK;
    *place = rise(d, radius, *place);
    if (!is_free(d, radius, *place) || !settle(d, radius, place))
        return CAIRN_OK;
    const base_allocator *allocator = &d->world->model.allocator;
    BASE_TRY(base_array_reserve(allocator, &d->place, &d->place_capacity, d->count + 1));
    BASE_TRY(base_array_reserve(allocator, &d->radius, &d->radius_capacity, d->count + 1));
    BASE_TRY(base_array_reserve(allocator, &d->next, &d->next_capacity, d->count + 1));
    int cell[3];
    for (int k = 0; k < 3; k++) {
        double side = vec3_get(d->side, k), from = vec3_get(*place, k) - vec3_get(d->low, k);
        if (d->wraps[k])
            *place = vec3_set(*place, k, vec3_get(d->low, k) + from - side * floor(from / side));
        cell[k] = cell_along(d, k, vec3_get(*place, k));
        cell[k] = cell[k] < 0 ? 0 : cell[k] < d->dim[k] ? cell[k] : d->dim[k] - 1;
    }
    int number = cell_at(d, cell);
    d->place[d->count] = *place;
    d->radius[d->count] = radius;
    d->next[d->count] = d->head[number];
    d->head[number] = ++d->count;
    *placed = true;
    return CAIRN_OK;
}
