// SPDX-License-Identifier: Apache-2.0
// Rays and boxes through a picture of where bodies are.
#include "engine/bodies/body_state.h"
#include "engine/state/body_columns.h"
#include "engine/state/ids.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"
#include "geometry/mesh/bvh.h"
#include "geometry/narrow/ray.h"

#include <stdlib.h>
#include <string.h>

#define RAY_COOKIE UINT32_C(0x0ca12021)
#define BOX_COOKIE UINT32_C(0x0ca12022)

/// A body as it lay; its parts are contiguous.
typedef struct seen_body {
    cairn_body_id id;
    cairn_collision collision;
    int first_part, part_count;
} seen_body;

/// A convex part, half-space or mesh of a body.
typedef struct seen_part {
    const geo_shape *shape; // the world's, as long as the body is there
    pose place;
} seen_part;

struct cairn_query {
    base_allocator allocator;
    const cairn_world *world;
    seen_body *bodies; // [body_count] those with finite bounds first, as the tree numbers them
    seen_part *parts;
    geo_bounds *bounds; // [bounded_count]
    int body_count, bounded_count;
    int body_capacity, part_capacity, bounds_capacity;
    geo_bvh *tree; // of the bodies with finite bounds
};

cairn_ray_def cairn_default_ray_def(void)
{
    return (cairn_ray_def){.direction = {1.0, 0.0, 0.0},
                           .length = INFINITY,
                           .collision = eng_collision_default(),
                           .cookie = RAY_COOKIE};
}

cairn_box_def cairn_default_box_def(void)
{
    return (cairn_box_def){.half_size = {0.5, 0.5, 0.5},
                           .orientation = {1.0, 0.0, 0.0, 0.0},
                           .collision = eng_collision_default(),
                           .cookie = BOX_COOKIE};
}

// ---------------------------------------------------------------- the picture

static cairn_status reserve(cairn_query *query)
{
    const cairn_world *world = query->world;
    int bodies = world->model.ids.body.live_count, parts = 0;
    for (int i = 0; i < bodies; i++)
        parts += eng_collider_count_of(world, eng_slots_at(&world->model.ids.body, i));
    BASE_TRY(base_array_reserve(&query->allocator, &query->bodies, &query->body_capacity, bodies));
    BASE_TRY(
        base_array_reserve(&query->allocator, &query->bounds, &query->bounds_capacity, bodies));
    return base_array_reserve(&query->allocator, &query->parts, &query->part_capacity, parts);
}

/// A body with its parts from `first` on, and the bounds of all of them.
static geo_bounds see_body(cairn_query *query, int row, int first, seen_body *body)
{
    const cairn_world *world = query->world;
    const pose q = eng_state_of(world, row).q;
    geo_bounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    *body = (seen_body){
        .id = eng_body_id(world, row),
        .collision = world->state.bodies.collisions != NULL ? world->state.bodies.collisions[row]
                                                            : eng_collision_default(),
        .first_part = first,
        .part_count = eng_collider_count_of(world, row),
    };
    for (int i = 0; i < body->part_count; i++) {
        eng_part part = eng_part_of(world, row, i);
        seen_part *seen = &query->parts[first + i];
        *seen = (seen_part){part.shape, pose_compose(&q, &part.place)};
        bounds = geo_bounds_merge(bounds, geo_shape_bounds(seen->shape, &seen->place));
    }
    return bounds;
}

/// Bodies with finite bounds from the front, the others from the back.
static void see_bodies(cairn_query *query)
{
    const cairn_world *world = query->world;
    int count = world->model.ids.body.live_count, parts = 0, front = 0, back = count;
    for (int i = 0; i < count; i++) {
        seen_body body;
        geo_bounds bounds = see_body(query, eng_slots_at(&world->model.ids.body, i), parts, &body);
        parts += body.part_count;
        if (vec3_is_finite(bounds.low) && vec3_is_finite(bounds.high)) {
            query->bounds[front] = bounds;
            query->bodies[front++] = body;
        } else {
            query->bodies[--back] = body;
        }
    }
    query->body_count = count;
    query->bounded_count = front;
}

cairn_status cairn_query_update(cairn_query *query, cairn_error *error)
{
    if (query == NULL)
        return base_fail_null(error, __func__);
    query->body_count = query->bounded_count = 0;
    cairn_status status = reserve(query);
    if (status == CAIRN_OK) {
        see_bodies(query);
        status = geo_bvh_rebuild(query->tree, query->bounds, query->bounded_count);
    }
    if (status == CAIRN_OK)
        return CAIRN_OK;
    query->body_count = query->bounded_count = 0;
    return base_fail(error, status, "out of memory for a query");
}

cairn_status cairn_query_create(const cairn_world *world, cairn_query **query, cairn_error *error)
{
    if (world == NULL || query == NULL)
        return base_fail_null(error, __func__);
    *query = NULL;
    cairn_query *made = base_allocate(&world->model.allocator, 1, sizeof *made);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a query");
    *made = (cairn_query){.allocator = world->model.allocator, .world = world};
    made->tree = geo_bvh_create(&made->allocator, NULL, 0);
    cairn_status status = made->tree != NULL
                              ? cairn_query_update(made, error)
                              : base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a query");
    if (status == CAIRN_OK)
        *query = made;
    else
        cairn_query_destroy(made);
    return status;
}

void cairn_query_destroy(cairn_query *query)
{
    if (query == NULL)
        return;
    base_allocator allocator = query->allocator;
    geo_bvh_destroy(query->tree);
    base_release(&allocator, query->bodies);
    base_release(&allocator, query->parts);
    base_release(&allocator, query->bounds);
    base_release(&allocator, query);
}

int cairn_query_body_count(const cairn_query *query)
{
    return query != NULL ? query->body_count : 0;
}

/// Whether a body is still there, and one of those that are asked for.
static bool is_asked(const cairn_query *query, const seen_body *body, cairn_collision asked)
{
    return (body->collision.groups & asked.mask) != 0 &&
           (asked.groups & body->collision.mask) != 0 &&
           eng_body_check(query->world, body->id) == CAIRN_OK;
}

// ---------------------------------------------------------------- rays

typedef struct ray_search {
    const cairn_query *query;
    const cairn_ray_def *def;
    geo_ray ray;
    bool nearest; // what lies behind the last hit is of no interest
    cairn_ray_hit *hits;
    int capacity, kept, found;
} ray_search;

static cairn_status begin_ray(ray_search *search, cairn_error *error)
{
    const cairn_ray_def *def = search->def;
    vec3 origin = vec3_from(def->origin), direction = vec3_from(def->direction);
    // scaled, so that neither large nor small ones lose their square
    double largest = fmax(fmax(fabs(direction.x), fabs(direction.y)), fabs(direction.z));
    if (def->cookie != RAY_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the ray does not come from cairn_default_ray_def()");
    if (!vec3_is_finite(origin))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "origin = (%g, %g, %g) must be finite",
                         origin.x, origin.y, origin.z);
    if (!vec3_is_finite(direction) || !(largest > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "direction = (%g, %g, %g) must be finite and not zero", direction.x,
                         direction.y, direction.z);
    if (!(def->length >= 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "length = %g must not be negative (m)",
                         def->length);
    direction = (vec3){direction.x / largest, direction.y / largest, direction.z / largest};
    search->ray = (geo_ray){origin, vec3_normalize_or(direction, direction), def->length};
    return CAIRN_OK;
}

static bool is_before(const cairn_ray_hit *a, const cairn_ray_hit *b)
{
    return a->distance < b->distance ||
           (a->distance == b->distance && a->body.index < b->body.index);
}

/// Puts a hit in its place among those that are kept; the farthest falls out where they are full.
static void keep_hit(ray_search *search, const cairn_ray_hit *hit)
{
    int low = 0, high = search->kept;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (is_before(hit, &search->hits[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    search->found++;
    if (low >= search->capacity)
        return;
    int behind = search->kept - low - (search->kept == search->capacity);
    memmove(&search->hits[low + 1], &search->hits[low], (size_t)behind * sizeof *hit);
    search->hits[low] = *hit;
    search->kept += search->kept < search->capacity;
}

static double meet_body(void *context, int item)
{
    ray_search *search = context;
    const seen_body *body = &search->query->bodies[item];
    geo_ray ray = search->ray;
    geo_ray_hit found;
    cairn_ray_hit hit = {.distance = INFINITY};
    if (!is_asked(search->query, body, search->def->collision))
        return search->ray.length;
    for (int i = 0; i < body->part_count; i++) {
        const seen_part *part = &search->query->parts[body->first_part + i];
        if (!geo_ray_cast(part->shape, &part->place, &ray, &found) ||
            found.distance >= hit.distance)
            continue;
        hit = (cairn_ray_hit){.body = body->id, .member = i, .distance = found.distance};
        vec3_store(hit.normal, found.normal);
        ray.length = found.distance;
    }
    if (!isfinite(hit.distance))
        return search->ray.length;
    vec3_store(hit.point, vec3_add_scaled(ray.origin, hit.distance, ray.direction));
    keep_hit(search, &hit);
    if (search->nearest)
        search->ray.length = search->hits[0].distance;
    return search->ray.length;
}

static void cast_ray(ray_search *search)
{
    const cairn_query *query = search->query;
    for (int i = query->bounded_count; i < query->body_count; i++)
        meet_body(search, i);
    geo_bvh_cast(query->tree, search->ray, meet_body, search);
}

cairn_status cairn_query_ray_nearest(const cairn_query *query, const cairn_ray_def *ray,
                                     cairn_ray_hit *hit, cairn_error *error)
{
    if (query == NULL || ray == NULL || hit == NULL)
        return base_fail_null(error, __func__);
    *hit = (cairn_ray_hit){0};
    ray_search search = {.query = query, .def = ray, .nearest = true, .hits = hit, .capacity = 1};
    BASE_TRY(begin_ray(&search, error));
    cast_ray(&search);
    return search.found > 0 ? CAIRN_OK
                            : base_fail(error, CAIRN_ERROR_NOT_FOUND, "the ray meets no body");
}

cairn_status cairn_query_ray_all(const cairn_query *query, const cairn_ray_def *ray,
                                 cairn_ray_hit *hits, int capacity, int *found, cairn_error *error)
{
    if (query == NULL || ray == NULL || found == NULL || (hits == NULL && capacity > 0))
        return base_fail_null(error, __func__);
    *found = 0;
    if (capacity < 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "capacity = %d must not be negative",
                         capacity);
    ray_search search = {.query = query, .def = ray, .hits = hits, .capacity = capacity};
    BASE_TRY(begin_ray(&search, error));
    cast_ray(&search);
    *found = search.found;
    return CAIRN_OK;
}

// ---------------------------------------------------------------- boxes

typedef struct box_search {
    const cairn_query *query;
    const cairn_box_def *def;
    geo_shape box;
    pose place;
    cairn_body_id *bodies;
    int capacity, found;
} box_search;

static cairn_status begin_box(box_search *search, cairn_error *error)
{
    const cairn_box_def *def = search->def;
    vec3 half = vec3_from(def->half_size), centre = vec3_from(def->centre);
    const double *o = def->orientation;
    double norm = o[0] * o[0] + o[1] * o[1] + o[2] * o[2] + o[3] * o[3];
    if (def->cookie != BOX_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the box does not come from cairn_default_box_def()");
    if (!vec3_is_finite(centre))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "centre = (%g, %g, %g) must be finite",
                         centre.x, centre.y, centre.z);
    if (!vec3_is_finite(half) || !(half.x > 0.0 && half.y > 0.0 && half.z > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "half_size = (%g, %g, %g) must be positive and finite (m)", half.x, half.y,
                         half.z);
    if (!(norm > 1e-12 && isfinite(norm)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "orientation = (%g, %g, %g, %g) must be a finite quaternion that is not "
                         "zero",
                         o[0], o[1], o[2], o[3]);
    search->box = (geo_shape){.kind = GEO_BOX,
                              .smallest_size = 2.0 * fmin(fmin(half.x, half.y), half.z),
                              .bounding_radius = vec3_norm(half)};
    search->box.box.half = half;
    search->place = (pose){centre, quat_normalize((quat){o[0], o[1], o[2], o[3]})};
    return CAIRN_OK;
}

static bool look_into_body(void *context, int item)
{
    box_search *search = context;
    const seen_body *body = &search->query->bodies[item];
    bool meets = false;
    if (!is_asked(search->query, body, search->def->collision))
        return true;
    for (int i = 0; i < body->part_count && !meets; i++) {
        const seen_part *part = &search->query->parts[body->first_part + i];
        meets = geo_overlap(&search->box, &search->place, part->shape, &part->place);
    }
    if (meets && search->found < search->capacity)
        search->bodies[search->found] = body->id;
    search->found += meets;
    return true;
}

/// Heap sort: the C library's sort may ask for memory.
static void sort_by_index(cairn_body_id *ids, int count)
{
    for (int end = count, start = count / 2; end > 1;) {
        if (start > 0) {
            start--;
        } else {
            cairn_body_id last = ids[--end];
            ids[end] = ids[0];
            ids[0] = last;
        }
        cairn_body_id sinking = ids[start];
        int at = start;
        for (int child; (child = 2 * at + 1) < end; at = child) {
            child += child + 1 < end && ids[child + 1].index > ids[child].index;
            if (ids[child].index <= sinking.index)
                break;
            ids[at] = ids[child];
        }
        ids[at] = sinking;
    }
}

cairn_status cairn_query_box(const cairn_query *query, const cairn_box_def *box,
                             cairn_body_id *bodies, int capacity, int *found, cairn_error *error)
{
    if (query == NULL || box == NULL || found == NULL || (bodies == NULL && capacity > 0))
        return base_fail_null(error, __func__);
    *found = 0;
    if (capacity < 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "capacity = %d must not be negative",
                         capacity);
    box_search search = {.query = query, .def = box, .bodies = bodies, .capacity = capacity};
    BASE_TRY(begin_box(&search, error));
    for (int i = query->bounded_count; i < query->body_count; i++)
        look_into_body(&search, i);
    geo_bvh_query(query->tree, geo_shape_bounds(&search.box, &search.place), look_into_body,
                  &search);
    sort_by_index(bodies, search.found < capacity ? search.found : capacity);
    *found = search.found;
    return CAIRN_OK;
}
