// SPDX-License-Identifier: Apache-2.0
// Bodies: creation in principal axes, colliders, state between steps.
#include "engine/lane.h"
#include "engine/world.h"

#include <string.h>

#define BODY_COOKIE UINT32_C(0x0ca12003)

_Static_assert(sizeof(cairn_placement) == sizeof(pose), "views of compounds rely on it");

cairn_body_def cairn_default_body_def(void)
{
    return (cairn_body_def){
        .kind = CAIRN_DYNAMIC,
        .orientation = {1.0, 0.0, 0.0, 0.0},
        .density = 1000.0,
        .cookie = BODY_COOKIE,
    };
}

static bool is_valid(const cairn_world *world, cairn_body_id id)
{
    return id.generation == 1 && id.index < (uint32_t)world->body_count;
}

static cairn_status check_placement(const double position[3], const double orientation[4],
                                    cairn_error *error)
{
    if (!vec3_is_finite(vec3_from(position)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "position = (%g, %g, %g) must be finite",
                         position[0], position[1], position[2]);
    double norm = 0.0;
    for (int i = 0; i < 4; i++)
        norm += orientation[i] * orientation[i];
    if (!(norm > 1e-12 && isfinite(norm)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "orientation = (%g, %g, %g, %g) must be a finite quaternion that is not "
                         "zero",
                         orientation[0], orientation[1], orientation[2], orientation[3]);
    return CAIRN_OK;
}

static cairn_status check_velocity(const double velocity[3], const double angular_velocity[3],
                                   cairn_error *error)
{
    if (!vec3_is_finite(vec3_from(velocity)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "velocity = (%g, %g, %g) must be finite",
                         velocity[0], velocity[1], velocity[2]);
    if (!vec3_is_finite(vec3_from(angular_velocity)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "angular velocity = (%g, %g, %g) must be finite", angular_velocity[0],
                         angular_velocity[1], angular_velocity[2]);
    return CAIRN_OK;
}

static cairn_status check_def(const cairn_world *world, const cairn_body_def *def,
                              cairn_error *error)
{
    if (def->cookie != BODY_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the body definition does not come from cairn_default_body_def()");
    if (def->shape.generation != 1 || def->shape.index >= (uint32_t)world->shape_count)
        return base_fail(error, CAIRN_ERROR_STALE_ID, "the body has no shape");
    if (def->material.generation != 0 &&
        (def->material.generation != 1 || def->material.index >= (uint32_t)world->material_count))
        return base_fail(error, CAIRN_ERROR_STALE_ID, "the body's material does not exist");
    if (!(def->mass >= 0.0 && isfinite(def->mass)))
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "mass = %g must be positive and finite (kg), or 0 for density times volume", def->mass);
    if (!(def->density > 0.0 && isfinite(def->density)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "density = %g must be positive and finite (kg/m3)", def->density);
    bool any = false, all = true;
    for (int i = 0; i < 3; i++) {
        any = any || def->inertia[i] != 0.0;
        all = all && def->inertia[i] > 0.0 && isfinite(def->inertia[i]);
    }
    if (any && !all)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "inertia = (%g, %g, %g) must be positive and finite (kg m2), or all 0 to "
                         "take it from the shape",
                         def->inertia[0], def->inertia[1], def->inertia[2]);
    if (def->name != NULL && cairn_body_find(world, def->name).generation != 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is a body \"%s\" already", def->name);
    cairn_status status = check_placement(def->position, def->orientation, error);
    return status == CAIRN_OK ? check_velocity(def->velocity, def->angular_velocity, error)
                              : status;
}

/// Mass, principal moments, and where the shape's frame lies in the principal frame.
static cairn_status set_mass(const geo_shape *shape, const cairn_body_def *def, eng_body *body,
                             cairn_error *error)
{
    vec3 moments = {0.0, 0.0, 0.0};
    pose principal = pose_identity(), identity = pose_identity();
    if (shape->mass.volume > 0.0)
        geo_mass_principal(&shape->mass, &moments, &principal);
    body->shape_frame = pose_relative(&principal, &identity);
    body->mass = INFINITY;
    body->inertia = vec3_make(INFINITY, INFINITY, INFINITY);
    if (def->kind != CAIRN_DYNAMIC)
        return CAIRN_OK;
    if (!(shape->mass.volume > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a %s has no volume: it can only be the shape of a fixed or moving body",
                         geo_kind_name(shape->kind));
    double density = def->mass > 0.0 ? def->mass / shape->mass.volume : def->density;
    body->mass = def->mass > 0.0 ? def->mass : def->density * shape->mass.volume;
    body->inertia = def->inertia[0] > 0.0 ? vec3_from(def->inertia) : vec3_scale(density, moments);
    if (!(body->mass > 0.0 && body->inertia.x > 0.0 && body->inertia.y > 0.0 &&
          body->inertia.z > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "the body's mass or inertia is zero");
    return CAIRN_OK;
}

static cairn_status reserve_state(cairn_world *world, int needed)
{
    if (needed <= world->state_capacity)
        return CAIRN_OK;
    const base_allocator *allocator = &world->allocator;
    int capacities[3] = {world->state_capacity, world->state_capacity, world->state_capacity};
    cairn_status status = base_array_reserve(allocator, &world->q, &capacities[0], needed);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &world->v, &capacities[1], needed);
    if (status == CAIRN_OK)
        status = base_array_reserve(allocator, &world->mass_inverse, &capacities[2], needed);
    if (status == CAIRN_OK)
        world->state_capacity = capacities[0];
    return status;
}

/// What the blocks of a step know of a body that none of them has seen.
static void init_blocks(cairn_world *world, int index)
{
    memset(world->correction[index], 0, sizeof world->correction[index]);
    world->q_mid[index] = world->q[index];
    memcpy(world->v_free[index], world->v[index], sizeof world->v[index]);
    memcpy(world->v_end[index], world->v[index], sizeof world->v[index]);
}

cairn_status eng_blocks_reserve(cairn_world *world)
{
    int known = world->blocks_count, needed = world->body_count;
    int capacities[4];
    for (int i = 0; i < 4; i++)
        capacities[i] = world->blocks_capacity;
    const base_allocator *allocator = &world->allocator;
    cairn_status status = CAIRN_OK;
    if (needed > world->blocks_capacity) {
        status = base_array_reserve(allocator, &world->q_mid, &capacities[0], needed);
        if (status == CAIRN_OK)
            status = base_array_reserve(allocator, &world->v_free, &capacities[1], needed);
        if (status == CAIRN_OK)
            status = base_array_reserve(allocator, &world->v_end, &capacities[2], needed);
        if (status == CAIRN_OK)
            status = base_array_reserve(allocator, &world->correction, &capacities[3], needed);
    }
    if (status != CAIRN_OK)
        return status;
    world->blocks_capacity = capacities[0];
    world->blocks_count = needed;
    for (int i = known; i < needed; i++)
        init_blocks(world, i);
    return CAIRN_OK;
}

void eng_blocks_release(cairn_world *world)
{
    void *arrays[] = {world->q_mid,          world->v_free,  world->v_end,
                      world->correction,     world->proxies, world->collider_pose,
                      world->collider_margin};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        base_release(&world->allocator, arrays[i]);
    world->q_mid = NULL;
    world->v_free = world->v_end = world->correction = NULL;
    world->blocks_capacity = world->blocks_count = 0;
    world->proxies = NULL;
    world->collider_pose = NULL;
    world->collider_margin = NULL;
    world->proxy_capacity = 0;
}

/// Colliders of a body: its shape, or the members of a compound.
static cairn_status add_colliders(cairn_world *world, eng_body *body, int index)
{
    const geo_shape *shape = world->shapes[body->shape];
    int count = shape->kind == GEO_COMPOUND ? shape->compound.member_count : 1;
    cairn_status status =
        base_array_reserve(&world->allocator, &world->colliders, &world->collider_capacity,
                           world->collider_count + count);
    if (status != CAIRN_OK)
        return status;
    body->first_collider = world->collider_count;
    body->collider_count = count;
    for (int i = 0; i < count; i++) {
        eng_collider *collider = &world->colliders[world->collider_count + i];
        collider->body = index;
        collider->shape = shape->kind == GEO_COMPOUND ? shape->compound.members[i] : shape;
        collider->local = shape->kind == GEO_COMPOUND
                              ? pose_compose(&body->shape_frame, &shape->compound.placements[i])
                              : body->shape_frame;
    }
    return CAIRN_OK;
}

/// Principal pose from the pose of the shape's frame.
static pose principal_pose(const eng_body *body, const double position[3],
                           const double orientation[4])
{
    quat o = quat_normalize((quat){orientation[0], orientation[1], orientation[2], orientation[3]});
    pose shape = {vec3_from(position), o}, identity = pose_identity();
    pose principal = pose_relative(&body->shape_frame, &identity);
    return pose_compose(&shape, &principal);
}

/// Angular velocity in principal body axes from world axes.
static void store_velocity(cairn_world *world, int body, const double velocity[3],
                           const double angular_velocity[3])
{
    double *v = world->v[body];
    memcpy(v, velocity, 3 * sizeof *v);
    vec3_store(v + 3, quat_rotate_inverse(world->q[body].orientation, vec3_from(angular_velocity)));
}

static void init_state(cairn_world *world, const eng_body *body, const cairn_body_def *def,
                       int index)
{
    world->q[index] = principal_pose(body, def->position, def->orientation);
    store_velocity(world, index, def->velocity, def->angular_velocity);
    if (def->kind == CAIRN_FIXED)
        memset(world->v[index], 0, sizeof world->v[index]);
    double *inverse = world->mass_inverse[index];
    memset(inverse, 0, sizeof world->mass_inverse[index]);
    if (def->kind == CAIRN_DYNAMIC) {
        inverse[0] = inverse[1] = inverse[2] = 1.0 / body->mass;
        inverse[3] = 1.0 / body->inertia.x;
        inverse[4] = 1.0 / body->inertia.y;
        inverse[5] = 1.0 / body->inertia.z;
    }
}

/// A body without a material gets the first one, made where there is none.
static cairn_status set_material(cairn_world *world, const cairn_body_def *def, eng_body *body,
                                 cairn_error *error)
{
    body->material = (int)def->material.index;
    if (def->material.generation != 0)
        return CAIRN_OK;
    body->material = 0;
    if (world->material_count > 0)
        return CAIRN_OK;
    cairn_material_id id;
    return cairn_material_create(world, "default", &id, error);
}

cairn_status cairn_body_create(cairn_world *world, const cairn_body_def *def, cairn_body_id *body,
                               cairn_error *error)
{
    *body = (cairn_body_id){0};
    eng_body made = {.kind = def->kind, .shape = (int)def->shape.index};
    cairn_status status = check_def(world, def, error);
    if (status == CAIRN_OK)
        status = set_mass(world->shapes[made.shape], def, &made, error);
    if (status == CAIRN_OK)
        status = set_material(world, def, &made, error);
    if (status != CAIRN_OK)
        return status;
    const geo_shape *shape = world->shapes[made.shape];
    made.reach = shape->bounding_radius + vec3_norm(made.shape_frame.position);
    if (def->name != NULL && (made.name = base_copy_text(&world->allocator, def->name)) == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a body");
    eng_lane_leave(world);
    int index = world->body_count;
    status =
        base_array_reserve(&world->allocator, &world->bodies, &world->body_capacity, index + 1);
    if (status == CAIRN_OK)
        status = reserve_state(world, index + 1);
    if (status == CAIRN_OK)
        status = add_colliders(world, &made, index);
    if (status == CAIRN_OK && made.name != NULL)
        status = base_names_add(&world->body_names, &world->allocator, made.name, index);
    if (status != CAIRN_OK) {
        base_release(&world->allocator, made.name);
        return base_fail(error, status, "out of memory for a body");
    }
    world->collider_count += made.collider_count;
    world->bodies[index] = made;
    init_state(world, &made, def, index);
    world->body_count++;
    world->topology_changed = true;
    *body = (cairn_body_id){(uint32_t)index, 1};
    return CAIRN_OK;
}

int cairn_body_count(const cairn_world *world)
{
    return world->body_count;
}

cairn_body_id cairn_body_at(const cairn_world *world, int index)
{
    bool exists = index >= 0 && index < world->body_count;
    return exists ? (cairn_body_id){(uint32_t)index, 1} : (cairn_body_id){0};
}

cairn_body_id cairn_body_find(const cairn_world *world, const char *name)
{
    int index = base_names_find(&world->body_names, name);
    return cairn_body_at(world, index);
}

cairn_status cairn_body_get(const cairn_world *world, cairn_body_id id, cairn_body_view *view)
{
    if (!is_valid(world, id))
        return CAIRN_ERROR_STALE_ID;
    eng_lane_publish(world);
    const eng_body *body = &world->bodies[id.index];
    const pose *q = &world->q[id.index];
    const double *v = world->v[id.index];
    pose shape = pose_compose(q, &body->shape_frame);
    *view = (cairn_body_view){
        .kind = body->kind,
        .shape = {(uint32_t)body->shape, 1   },
        .material = {                   (uint32_t)body->material,                    1    },
        .name = body->name != NULL ? body->name : "",
        .orientation = { shape.orientation.w,  shape.orientation.x,         shape.orientation.y,
                  shape.orientation.z},
        .velocity = {                           v[0],                 v[1], v[2]},
        .mass = body->mass,
        .kinetic_energy = body->kind == CAIRN_DYNAMIC ? eng_body_kinetic_energy(body, v) : 0.0,
    };
    vec3_store(view->position, shape.position);
    vec3_store(view->centre, q->position);
    vec3_store(view->angular_velocity, quat_rotate(q->orientation, vec3_from(v + 3)));
    vec3_store(view->inertia, body->inertia);
    return CAIRN_OK;
}

cairn_status cairn_body_set_pose(cairn_world *world, cairn_body_id id, const double position[3],
                                 const double orientation[4], cairn_error *error)
{
    if (!is_valid(world, id))
        return base_fail(error, CAIRN_ERROR_STALE_ID, "no such body");
    cairn_status status = check_placement(position, orientation, error);
    if (status != CAIRN_OK)
        return status;
    const eng_body *body = &world->bodies[id.index];
    eng_lane_changed(world, (int)id.index);
    vec3 before = world->q[id.index].position;
    world->q[id.index] = principal_pose(body, position, orientation);
    if ((int)id.index < world->blocks_count)
        world->q_mid[id.index] = world->q[id.index];
    world->topology_changed = world->joints_changed = true;
    if (world->energy_started && body->kind == CAIRN_DYNAMIC) {
        vec3 moved = vec3_sub(world->q[id.index].position, before);
        double gained = -body->mass * vec3_dot(vec3_from(world->def.gravity), moved);
        world->energy.drivers += gained;
        world->energy.potential += gained;
    }
    return CAIRN_OK;
}

cairn_status cairn_body_set_velocity(cairn_world *world, cairn_body_id id, const double velocity[3],
                                     const double angular_velocity[3], cairn_error *error)
{
    if (!is_valid(world, id))
        return base_fail(error, CAIRN_ERROR_STALE_ID, "no such body");
    if (world->bodies[id.index].kind == CAIRN_FIXED)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a fixed body has no velocity");
    cairn_status status = check_velocity(velocity, angular_velocity, error);
    if (status != CAIRN_OK)
        return status;
    const eng_body *body = &world->bodies[id.index];
    bool dynamic = body->kind == CAIRN_DYNAMIC;
    eng_lane_changed(world, (int)id.index);
    double before = dynamic ? eng_body_kinetic_energy(body, world->v[id.index]) : 0.0;
    store_velocity(world, (int)id.index, velocity, angular_velocity);
    world->joints_changed = true;
    if (dynamic && world->energy_started) {
        double gained = eng_body_kinetic_energy(body, world->v[id.index]) - before;
        world->energy.drivers += gained;
        world->energy.kinetic += gained;
    }
    return CAIRN_OK;
}

cairn_status cairn_body_set_force(cairn_world *world, cairn_body_id id, const double force[3],
                                  const double torque[3], cairn_error *error)
{
    if (!is_valid(world, id))
        return base_fail(error, CAIRN_ERROR_STALE_ID, "no such body");
    if (!vec3_is_finite(vec3_from(force)) || !vec3_is_finite(vec3_from(torque)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "force and torque must be finite");
    world->bodies[id.index].force = vec3_from(force);
    world->bodies[id.index].torque = vec3_from(torque);
    eng_lane_loads_changed(world);
    return CAIRN_OK;
}

void cairn_world_momentum(const cairn_world *world, double linear[3], double angular[3])
{
    eng_lane_publish(world);
    vec3 p = {0.0, 0.0, 0.0}, l = p;
    for (int i = 0; i < world->body_count; i++) {
        const eng_body *body = &world->bodies[i];
        if (body->kind != CAIRN_DYNAMIC)
            continue;
        vec3 mv = vec3_scale(body->mass, vec3_from(world->v[i]));
        vec3 spin = vec3_multiply(body->inertia, vec3_from(world->v[i] + 3));
        p = vec3_add(p, mv);
        l = vec3_add(l, vec3_add(vec3_cross(world->q[i].position, mv),
                                 quat_rotate(world->q[i].orientation, spin)));
    }
    vec3_store(linear, p);
    vec3_store(angular, l);
}
