// SPDX-License-Identifier: Apache-2.0
// Colliders: the convex parts, half-spaces and meshes of bodies, and where they are.
#include "engine/space/space.h"
#include "engine/state/blocks.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

enum { COLLIDER_CHUNK = 256 };

typedef struct place_context {
    cairn_world *world;
    bool holds;    // bounds may be taken as they were, wider by the way since
    double faces;  // m, half of what images move against the cell in a step
    vec3 common;   // m/s, of walls, or of all bodies
    vec3 together; // m, that most bodies have gone, which counts for nothing
    double digits; // m, round-off of ways beside it
    bool reaches;  // there are laws that act across a gap
} place_context;

/// Half of the way of images by the strain of the cell in a step, m: the other half is that of the
/// other collider.
static double way_of_faces(const cairn_world *world)
{
    double way = 0.0;
    mat3 rate = world->state.cell.gradient;
    if (!world->state.cell.any)
        return 0.0;
    for (int k = 0; k < 3; k++) {
        const eng_cell_drive *drive = world->state.cell.drive[k];
        if (drive != NULL && drive->mass > 0.0)
            rate.m[k][k] = fmax(fabs(rate.m[k][k]), drive->speed);
    }
    for (int k = 0; k < 3; k++)
        if (world->state.cell.periodic[k])
            way += vec3_norm(mat3_apply(&rate, mat3_column(&world->state.cell.middle, k)));
    return 0.5 * world->state.clock.step * way;
}

/// The velocity that walls have, or else all bodies together, m/s: what others may be stopped at.
static vec3 common_velocity(const cairn_world *world)
{
    vec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < world->scratch.general.active_count; k++) {
        int body = world->scratch.general.active[k];
        if (world->model.bodies.rows[body].kind != CAIRN_DYNAMIC)
            return vec3_from(world->state.bodies.v[body]);
        sum = vec3_add(sum, vec3_from(world->state.bodies.v[body]));
    }
    // what processes know of bodies differs
    bool known = world->scratch.general.active_count > 0 && world->state.sharing == NULL;
    return known ? vec3_scale(1.0 / world->scratch.general.active_count, sum)
                 : (vec3){0.0, 0.0, 0.0};
}

/// What most bodies have gone together since the last step, m, about: bodies that fall beside each
/// other do not come nearer by that. Zeros where it is no large part of their ways, and where
/// bounds are held for the sake of what a single one has gone.
static vec3 way_together(const cairn_world *world, bool holds)
{
    vec3 sum = {0.0, 0.0, 0.0}, none = {0.0, 0.0, 0.0};
    double squares = 0.0, count = 0.0;
    // what processes know of bodies differs
    for (int k = 0;
         k < world->scratch.general.active_count && !holds && world->state.sharing == NULL; k++) {
        const double *v = world->state.bodies.v[world->scratch.general.active[k]];
        if (world->model.bodies.rows[world->scratch.general.active[k]].kind != CAIRN_DYNAMIC)
            continue;
        sum = vec3_add(sum, vec3_from(v));
        squares += vec3_norm_squared(vec3_from(v));
        count += 1.0;
    }
    bool most = vec3_norm_squared(sum) > 0.75 * count * squares && isfinite(squares);
    return most ? vec3_scale(world->state.clock.step / count, sum) : none;
}

/// Fastest point of a body against the common velocity, m/s: its centre, and its rotation at the
/// farthest point of its shape.
static double fastest_point(const place_context *context, int body)
{
    const cairn_world *world = context->world;
    const double *u = world->state.bodies.v[body], *v = world->state.bodies.v_free[body];
    double linear = real_max(vec3_distance(vec3_from(v), context->common),
                             vec3_distance(vec3_from(u), context->common));
    double angular = vec3_norm(vec3_from(v + 3));
    return linear + (angular > 0.0 ? angular * eng_reach_of(world, body) : 0.0);
}

/// Half-width of the layer around a collider in which its contacts are looked for, m: a thousandth
/// of its size, so that resting contacts keep their manifold while they breathe, and the way of a
/// step, at most its size. Next to nothing when contacts are taken up on closing only.
static double margin_of(const place_context *context, const eng_collider *collider)
{
    const cairn_world *world = context->world;
    double size = collider->shape->smallest_size;
    bool bounded = isfinite(size);
    if (!world->model.def.margin)
        return bounded ? 5e-10 * size : 0.0;
    double way =
        world->state.clock.horizon * fastest_point(context, collider->body) + context->faces;
    if (!bounded)
        return isfinite(way) ? way : 0.0;
    return 5e-4 * size + fmin(way, size);
}

static bool any_reaches(const cairn_world *world)
{
    for (int i = 0; i < world->model.materials.surface_count; i++)
        if (world->model.materials.surfaces[i].law->reach != NULL)
            return true;
    return false;
}

/// How far contacts of this shape may act across a gap, m, at most half its size: by the radius of
/// a ball, of a body without one, or of what touches of another shape.
static double reach_of(const cairn_world *world, const geo_shape *shape)
{
    double size = shape->smallest_size, reach = 0.0;
    if (!isfinite(size))
        return 0.0;
    const double radius[] = {0.5 * size, shape->bounding_radius, INFINITY};
    for (int i = 0; i < world->model.materials.surface_count; i++) {
        const eng_surface *surface = &world->model.materials.surfaces[i];
        for (int k = 0; k < 3 && surface->law->reach != NULL; k++)
            reach = fmax(reach, surface->law->reach(surface->parameters, radius[k]));
    }
    return fmin(reach, 0.5 * size);
}

/// The way of a collider, rounded up, after it has gone on from one pose to another: a point at a
/// radius r goes no farther than its centre and 2 r |q' - q| besides, q being the quaternions.
static double way_after(const place_context *context, double way, const pose *from, const pose *to,
                        double radius)
{
    quat p = from->orientation, q = to->orientation;
    // the first way begins here: a plane that turned would have gone without end
    if (p.w == 0.0 && p.x == 0.0 && p.y == 0.0 && p.z == 0.0)
        return way;
    double w = q.w - p.w, x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
    double turn = w * w + x * x + y * y + z * z;
    double step = vec3_distance(vec3_sub(to->position, from->position), context->together);
    step += context->digits;
    if (turn > 0.0)
        step += 2.0 * radius * sqrt(turn);
    return way * (1.0 + 4e-16) + step * (1.0 + 1e-12);
}

/// How far a collider may go before its bounds are found again, m: next to nothing of the skin of
/// the pair list, of shapes whose bounds take their corners.
static double room_of(const place_context *context, const geo_shape *shape)
{
    bool many = shape->kind == GEO_POLYHEDRON;
    return many && context->holds ? 5e-3 * shape->smallest_size : 0.0;
}

/// Bounds as they were make lists of pairs a few steps earlier or later, after a restart or in
/// another process. Results do not depend on that but by the domains of the implicit law, which are
/// cut with the list.
static bool may_hold(const cairn_world *world)
{
    for (int i = 0; i < world->model.materials.surface_count; i++)
        if (world->model.materials.surfaces[i].law->kind == CON_LAW_CONE)
            return false;
    return true;
}

/// Bounds of a collider of the implicit law, and of all places that it may come to within the step,
/// where that is farther than its margin.
static geo_bounds sweep_bounds(const place_context *context, int i, geo_bounds bounds)
{
    const cairn_world *world = context->world;
    const eng_collider *collider = &world->contacts.colliders.rows[i];
    double h = world->state.clock.horizon, size = collider->shape->smallest_size;
    const double *v = world->state.bodies.v[collider->body],
                 *v_free = world->state.bodies.v_free[collider->body];
    if (context->holds || !world->model.def.margin || !isfinite(size))
        return bounds;
    // most go less than their size beside the common velocity, and with it
    double common = h * vec3_norm(context->common);
    if (world->contacts.colliders.margin[i] + common * (1.0 + 1e-12) < size)
        return bounds;
    double turning = h * vec3_norm(vec3_from(v_free + 3));
    double turned = real_min(turning, 2.0) * eng_reach_of(world, collider->body);
    vec3 velocities[2] = {vec3_from(v), vec3_from(v_free)};
    // images may be told apart as long as bounds are smaller than half of the cell
    for (int k = 0; k < 2 && world->state.cell.any; k++)
        velocities[k] = vec3_sub(velocities[k], context->common);
    double way = h * real_max(vec3_norm(velocities[0]), vec3_norm(velocities[1]));
    if (way + turned <= size)
        return bounds;
    geo_bounds swept = bounds;
    double back = world->state.pieces.thrown ? -0.5 * world->state.clock.step : 0.0;
    const double times[3] = {h, h, back};
    for (int k = 0; k < 3 && times[k] != 0.0; k++) {
        vec3 ahead = vec3_scale(times[k], velocities[k % 2]);
        geo_bounds later = {vec3_add(bounds.low, ahead), vec3_add(bounds.high, ahead)};
        swept = geo_bounds_merge(swept, later);
    }
    return geo_bounds_inflate(swept, fmax(turned - size, 0.0));
}

/// Bounds of a collider where it is now, with its margin: as wide as they were found last and the
/// way since.
static geo_bounds bounds_of(const place_context *context, int i)
{
    cairn_world *world = context->world;
    const geo_shape *shape = world->contacts.colliders.rows[i].shape;
    eng_held_bounds *held = &world->contacts.colliders.bounds[i];
    double way = world->contacts.colliders.way[i], gone = (way - held->way) * (1.0 + 1e-12);
    if (held->shape != shape || !(gone < room_of(context, shape))) {
        *held = (eng_held_bounds){shape,
                                  geo_shape_bounds(shape, &world->contacts.colliders.pose[i]), way};
        gone = 0.0;
    }
    double margin = world->contacts.colliders.margin[i] + world->contacts.colliders.reach[i] + gone;
    return geo_bounds_inflate(sweep_bounds(context, i, held->bounds), margin);
}

/// Bounds that were found for what a collider was before mean nothing.
static void forget_bounds(eng_world_contacts *contacts, int collider)
{
    if (collider < contacts->broad.proxy_capacity)
        contacts->colliders.bounds[collider].shape = NULL;
}

/// Proxy of a collider that no body has: what is not a number overlaps nothing.
static const geo_proxy nowhere = {.bounds = {{NAN, NAN, NAN}, {NAN, NAN, NAN}}};

static void place_chunk(void *argument, int begin, int end, int chunk, int worker)
{
    (void)chunk, (void)worker;
    const place_context *context = argument;
    cairn_world *world = context->world;
    const geo_shape *last = NULL;
    double reach = 0.0;
    for (int k = begin; k < end; k++) {
        int i = world->contacts.broad.listed[k];
        const eng_collider *collider = &world->contacts.colliders.rows[i];
        if (collider->shape == NULL) {
            world->contacts.broad.proxies[i] = nowhere;
            continue;
        }
        if (eng_is_elsewhere(world, collider->body))
            continue;
        const pose *q = &world->state.bodies.q_mid[collider->body];
        pose next = collider->place > 0
                        ? pose_compose(q, &world->contacts.colliders.places[collider->place - 1])
                        : *q;
        world->contacts.colliders.way[i] =
            way_after(context, world->contacts.colliders.way[i], &world->contacts.colliders.pose[i],
                      &next, collider->shape->bounding_radius);
        world->contacts.colliders.pose[i] = next;
        world->contacts.colliders.margin[i] = margin_of(context, collider);
        if (context->reaches && collider->shape != last)
            reach = reach_of(world, collider->shape);
        last = collider->shape;
        world->contacts.colliders.reach[i] = reach;
        world->contacts.broad.proxies[i] = (geo_proxy){
            .bounds = bounds_of(context, i),
            .group = collider->body,
            .mobile = world->model.bodies.rows[collider->body].kind != CAIRN_FIXED,
        };
    }
}

/// Index + 1 of the place of a part of a body; -1 when out of memory.
static int keep_place(cairn_world *world, int body, const eng_part *part)
{
    const eng_body *b = &world->model.bodies.rows[body];
    if (b->solid == 0 && part->shape == world->model.shapes.rows[b->shape])
        return 0;
    if (world->contacts.colliders.place_free_count > 0) {
        int place =
            world->contacts.colliders.place_free[--world->contacts.colliders.place_free_count];
        world->contacts.colliders.places[place - 1] = part->place;
        return place;
    }
    int needed = world->contacts.colliders.place_count + 1;
    // room to give every place back without a call for memory
    if (base_array_reserve(&world->model.allocator, &world->contacts.colliders.places,
                           &world->contacts.colliders.place_capacity, needed) != CAIRN_OK ||
        base_array_reserve(&world->model.allocator, &world->contacts.colliders.place_free,
                           &world->contacts.colliders.place_free_capacity, needed) != CAIRN_OK)
        return -1;
    world->contacts.colliders.places[world->contacts.colliders.place_count] = part->place;
    return ++world->contacts.colliders.place_count;
}

/// A body's shape, or the members of a compound; what its row has room for besides is of no body.
static cairn_status add_colliders(cairn_world *world, int body)
{
    const eng_body *b = &world->model.bodies.rows[body];
    int count = eng_collider_count_of(world, body);
    for (int i = 0; i < b->collider_room; i++) {
        world->contacts.colliders.rows[b->first_collider + i] = (eng_collider){.body = body};
        forget_bounds(&world->contacts, b->first_collider + i);
    }
    for (int i = 0; i < count; i++) {
        eng_part part = eng_part_of(world, body, i);
        int place = keep_place(world, body, &part);
        if (place < 0)
            return CAIRN_ERROR_MEMORY;
        world->contacts.colliders.rows[b->first_collider + i] =
            (eng_collider){part.shape, body, place};
    }
    return CAIRN_OK;
}

cairn_status eng_colliders_reserve(cairn_world *world)
{
    int made = world->contacts.colliders.made;
    cairn_status status =
        base_array_reserve(&world->model.allocator, &world->contacts.colliders.rows,
                           &world->contacts.colliders.capacity, world->contacts.colliders.count);
    if (status != CAIRN_OK)
        return status;
    // a row that got a larger body has left its old ones behind, of no body
    for (; made < world->contacts.colliders.count; made++)
        world->contacts.colliders.rows[made] = (eng_collider){0};
    world->contacts.colliders.made = made;
    for (; status == CAIRN_OK && world->contacts.colliders.bodies < world->model.bodies.count;
         world->contacts.colliders.bodies += status == CAIRN_OK)
        status = add_colliders(world, world->contacts.colliders.bodies);
    return status;
}

cairn_status eng_colliders_renew(cairn_world *world, int body)
{
    if (body >= world->contacts.colliders.bodies)
        return CAIRN_OK;
    cairn_status status = eng_colliders_reserve(world);
    return status == CAIRN_OK ? add_colliders(world, body) : status;
}

void eng_colliders_drop(cairn_world *world, int body)
{
    const eng_body *b = &world->model.bodies.rows[body];
    for (int i = 0; body < world->contacts.colliders.bodies && i < b->collider_room; i++) {
        eng_collider *collider = &world->contacts.colliders.rows[b->first_collider + i];
        if (collider->place > 0)
            world->contacts.colliders.place_free[world->contacts.colliders.place_free_count++] =
                collider->place;
        *collider = (eng_collider){.body = body};
        forget_bounds(&world->contacts, b->first_collider + i);
    }
}

void eng_colliders_release(cairn_world *world)
{
    void *arrays[] = {world->contacts.colliders.rows,       world->contacts.colliders.places,
                      world->contacts.colliders.place_free, world->contacts.broad.proxies,
                      world->contacts.colliders.pose,       world->contacts.colliders.margin,
                      world->contacts.colliders.way,        world->contacts.colliders.bounds,
                      world->contacts.colliders.reach};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        base_release(&world->model.allocator, arrays[i]);
    world->contacts.colliders.rows = NULL;
    world->contacts.colliders.places = NULL;
    world->contacts.colliders.place_free = NULL;
    world->contacts.broad.proxies = NULL;
    world->contacts.colliders.pose = NULL;
    world->contacts.colliders.margin = NULL;
    world->contacts.colliders.reach = NULL;
    world->contacts.colliders.way = NULL;
    world->contacts.colliders.bounds = NULL;
    world->contacts.colliders.bodies = world->contacts.colliders.capacity =
        world->contacts.broad.proxy_capacity = 0;
    world->contacts.colliders.place_count = world->contacts.colliders.place_capacity =
        world->contacts.colliders.made = 0;
    world->contacts.colliders.place_free_count = world->contacts.colliders.place_free_capacity = 0;
}

cairn_status eng_colliders_place_listed(cairn_world *world)
{
    bool holds = may_hold(world);
    place_context context = {
        .world = world,
        .holds = holds,
        .together = way_together(world, holds),
        .faces = way_of_faces(world),
        .common = common_velocity(world),
        .reaches = any_reaches(world),
    };
    context.digits = 1e-15 * vec3_norm(context.together);
    int all = world->contacts.colliders.count, known = world->contacts.broad.proxy_capacity;
    int capacity = known, same = known, again = known, bounds = known, reach = known;
    cairn_status status = eng_colliders_reserve(world);
    if (status == CAIRN_OK)
        status =
            base_array_reserve(&world->model.allocator, &world->contacts.broad.proxies, &same, all);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->model.allocator, &world->contacts.colliders.margin,
                                    &capacity, all);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->model.allocator, &world->contacts.colliders.reach,
                                    &reach, all);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->model.allocator, &world->contacts.colliders.way, &again,
                                    all);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->model.allocator, &world->contacts.colliders.bounds,
                                    &bounds, all);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->model.allocator, &world->contacts.colliders.pose,
                                    &world->contacts.broad.proxy_capacity, all);
    for (int i = known; status == CAIRN_OK && i < world->contacts.broad.proxy_capacity; i++) {
        world->contacts.colliders.way[i] = 0.0;
        world->contacts.colliders.pose[i] = (pose){0};
        world->contacts.colliders.bounds[i].shape = NULL;
    }
    if (status == CAIRN_OK)
        base_parallel_for(world->model.workers, world->contacts.broad.listed_count, COLLIDER_CHUNK,
                          place_chunk, &context);
    return status;
}
