// SPDX-License-Identifier: Apache-2.0
// Bodies in the public interface: creation in principal axes, state and loads between steps.
#include "engine/bodies/body_state.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/space/space.h"
#include "engine/state/blocks.h"
#include "engine/state/ids.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/surfaces.h"
#include "engine/state/world.h"
#include "geometry/narrow/collide.h"

#include <string.h>

#define BODY_COOKIE UINT32_C(0x0ca12003)

_Static_assert(sizeof(cairn_placement) == sizeof(pose), "views of compounds rely on it");

// far from the ends of the numbers, so that squares, products and inverses of two are numbers
static const double MASS_LEAST = 1e-60, MASS_MOST = 1e60, INERTIA_LEAST = 1e-90,
                    INERTIA_MOST = 1e90;

cairn_body_def cairn_default_body_def(void)
{
    return (cairn_body_def){
        .kind = CAIRN_DYNAMIC,
        .orientation = {1.0, 0.0, 0.0, 0.0},
        .cookie = BODY_COOKIE,
    };
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

/// The tensor of a definition with products of inertia, kg m2, axes of the shape's frame.
static mat3 tensor_of(const cairn_body_def *def)
{
    const double *d = def->inertia, *p = def->products;
    return (mat3){{{d[0], p[0], p[1]}, {p[0], d[1], p[2]}, {p[1], p[2], d[2]}}};
}

/// What is given of inertia and centre: all of a rigid body, or nothing.
static cairn_status check_inertia(const cairn_body_def *def, cairn_error *error)
{
    const double none[3] = {0.0, 0.0, 0.0};
    const double *given = def->inertia, *products = def->products != NULL ? def->products : none;
    bool any = false, all = true, off = false;
    for (int i = 0; i < 3; i++) {
        any = any || given[i] != 0.0;
        all = all && given[i] > 0.0 && isfinite(given[i]);
        off = off || !isfinite(products[i]);
        if (def->centre != NULL && !isfinite(def->centre[i]))
            return base_fail(error, CAIRN_ERROR_ARGUMENT, "centre[%d] = %g must be finite (m)", i,
                             def->centre[i]);
    }
    if ((any || def->products != NULL) && (!all || off))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "inertia = (%g, %g, %g) must be positive and finite (kg m2), or all 0 to "
                         "take it from the shape",
                         given[0], given[1], given[2]);
    if (!any && def->centre != NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a centre of mass is given beside mass and inertia: give them, too");
    vec3 moments = vec3_from(given);
    if (def->products != NULL) {
        mat3 tensor = tensor_of(def), axes;
        base_mat3_eigen_symmetric(&tensor, &moments, &axes);
    }
    // of any body the sum of two is no less than the third; tables have three digits
    double least = fmin(moments.x, fmin(moments.y, moments.z));
    double most = fmax(moments.x, fmax(moments.y, moments.z));
    double rest = moments.x + moments.y + moments.z - most;
    if (any && (!(least > 0.0) || rest < 0.995 * most))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "inertia = (%g, %g, %g) is of no body: %sthe largest moment must be at "
                         "most the sum of the two others (%g kg m2)%s",
                         moments.x, moments.y, moments.z,
                         def->products != NULL ? "of its principal moments, which these are, " : "",
                         rest, least > 0.0 ? "" : ", and all positive");
    return CAIRN_OK;
}

static cairn_status check_def(const cairn_world *world, const cairn_body_def *def,
                              cairn_error *error)
{
    if (def->cookie != BODY_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the body definition does not come from cairn_default_body_def()");
    if ((unsigned)def->kind > CAIRN_MOVING)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "body kind %d does not exist",
                         (int)def->kind);
    cairn_status known = eng_shape_check(world, def->shape);
    if (known != CAIRN_OK)
        return eng_fail_id(error, known, "shape");
    known = def->material.generation != 0 ? eng_material_check(world, def->material) : CAIRN_OK;
    if (known != CAIRN_OK)
        return eng_fail_id(error, known, "material");
    if (!(def->mass >= 0.0 && isfinite(def->mass)))
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "mass = %g must be positive and finite (kg), or 0 for density times volume", def->mass);
    if (!(def->density >= 0.0 && isfinite(def->density)))
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "density = %g must be positive and finite (kg/m3), or 0 for the material's",
            def->density);
    known = check_inertia(def, error);
    if (known != CAIRN_OK)
        return known;
    if (def->name != NULL && cairn_body_find(world, def->name).generation != 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is a body \"%s\" already", def->name);
    cairn_status status = check_placement(def->position, def->orientation, error);
    return status == CAIRN_OK ? check_velocity(def->velocity, def->angular_velocity, error)
                              : status;
}

/// Mass, principal moments, and where the shape's frame lies in the principal frame.
static cairn_status find_mass(const geo_shape *shape, const cairn_body_def *def, double own_density,
                              double *mass, eng_solid *solid, cairn_error *error)
{
    vec3 moments = {0.0, 0.0, 0.0};
    pose principal = pose_identity(), identity = pose_identity();
    geo_mass of_shape = geo_shape_mass(shape);
    // an open mesh is a sheet of one thickness
    bool sheet = shape->kind == GEO_MESH && def->mass > 0.0 && !(of_shape.volume > 0.0);
    if (sheet && def->kind == CAIRN_DYNAMIC)
        of_shape = geo_mesh_sheet(&shape->mesh);
    if (of_shape.volume > 0.0)
        geo_mass_principal(&of_shape, &moments, &principal);
    if (def->products != NULL) {
        of_shape.inertia = tensor_of(def);
        geo_mass_principal(&of_shape, &moments, &principal);
    }
    if (def->centre != NULL)
        principal.position = vec3_from(def->centre);
    *solid = (eng_solid){.frame = pose_relative(&principal, &identity)};
    solid->reach = shape->bounding_radius + vec3_norm(solid->frame.position);
    *mass = INFINITY;
    solid->inertia = vec3_make(INFINITY, INFINITY, INFINITY);
    if (def->kind != CAIRN_DYNAMIC)
        return CAIRN_OK;
    if (!(of_shape.volume > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a %s has no volume: %sit can only be the shape of a fixed or moving body",
                         geo_kind_name(shape->kind),
                         shape->kind == GEO_MESH ? "unless its mass is given, " : "");
    double density = def->mass > 0.0 ? def->mass / of_shape.volume : own_density;
    *mass = def->mass > 0.0 ? def->mass : own_density * of_shape.volume;
    vec3 inertia = def->products != NULL   ? moments
                   : def->inertia[0] > 0.0 ? vec3_from(def->inertia)
                                           : vec3_scale(density, moments);
    solid->inertia = inertia;
    if (!(*mass >= MASS_LEAST && *mass <= MASS_MOST))
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "the body's mass is %g kg: give a size and a density or mass with which it "
            "is %g to %g kg",
            *mass, MASS_LEAST, MASS_MOST);
    double least = fmin(inertia.x, fmin(inertia.y, inertia.z));
    double most = fmax(inertia.x, fmax(inertia.y, inertia.z));
    if (!(least >= INERTIA_LEAST && most <= INERTIA_MOST))
        return base_fail(
            error, CAIRN_ERROR_ARGUMENT,
            "the body's moments of inertia are %g to %g kg m2: give sizes or an inertia "
            "with which they are %g to %g kg m2",
            least, most, INERTIA_LEAST, INERTIA_MOST);
    return CAIRN_OK;
}

/// m, how deep two members of a compound overlap; 0: they do not, or only touch.
static double overlap_of(const geo_compound *c, int i, int j, geo_manifold *found)
{
    double size = fmin(c->members[i]->smallest_size, c->members[j]->smallest_size), deepest = 0.0;
    found->count = 0;
    if (geo_collide(c->members[i], &c->placements[i], c->members[j], &c->placements[j], 0.0, NULL,
                    found) != CAIRN_OK)
        return 0.0;
    for (int k = 0; k < found->count; k++)
        deepest = fmax(deepest, -found->contacts[k].gap);
    return deepest > 1e-6 * size ? deepest : 0.0;
}

/// The mass by density of members other than spheres is their sum: once for a compound, it is said
/// which of them overlap.
static void look_for_overlaps(const cairn_world *world, geo_compound *c)
{
    geo_manifold found;
    bool balls = true;
    double depth = 0.0;
    int first = 0, second = 1;
    for (int i = 0; i < c->member_count; i++)
        balls = balls && c->members[i]->kind == GEO_SPHERE;
    geo_manifold_init(&found, &world->model.allocator);
    for (int i = 1; i < c->member_count && !balls && depth == 0.0; i++)
        for (int j = 0; j < i && depth == 0.0; j++) {
            depth = overlap_of(c, j, i, &found);
            first = j;
            second = i;
        }
    geo_manifold_finish(&found);
    c->weighed = true;
    if (depth > 0.0)
        base_log(&world->model.logger, BASE_LOG_WARNING,
                 "members %d and %d of a compound overlap by %.3g m: what they share counts twice "
                 "in its volume of %.4g m3 and in masses by density; give the mass",
                 first + 1, second + 1, depth, c->mass.volume);
}

cairn_status cairn_body_set_user(cairn_world *world, cairn_body_id id, uint64_t user,
                                 cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_body_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "body");
    if (world->state.bodies.users == NULL && user == 0)
        return CAIRN_OK;
    if (eng_body_column_make(&world->model.allocator, &world->state.bodies, ENG_BODY_users,
                             world->model.bodies.count) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for the word of a body");
    world->state.bodies.users[id.index] = user;
    return CAIRN_OK;
}

cairn_status cairn_body_get_user(const cairn_world *world, cairn_body_id id, uint64_t *user)
{
    if (world == NULL || user == NULL)
        return CAIRN_ERROR_ARGUMENT;
    cairn_status status = eng_body_check(world, id);
    *user = status == CAIRN_OK && world->state.bodies.users != NULL
                ? world->state.bodies.users[id.index]
                : 0;
    return status;
}

/// Principal pose from the pose of the shape's frame.
static pose principal_pose(const pose *frame, const double position[3], const double orientation[4])
{
    quat o = quat_normalize((quat){orientation[0], orientation[1], orientation[2], orientation[3]});
    pose shape = {vec3_from(position), o}, identity = pose_identity();
    pose principal = pose_relative(frame, &identity);
    return pose_compose(&shape, &principal);
}

/// Angular velocity in principal body axes from world axes.
static void store_velocity(eng_state *state, const double velocity[3],
                           const double angular_velocity[3])
{
    memcpy(state->v, velocity, 3 * sizeof *velocity);
    vec3_store(state->v + 3,
               quat_rotate_inverse(state->q.orientation, vec3_from(angular_velocity)));
}

static void init_state(cairn_world *world, const pose *frame, const cairn_body_def *def, int index)
{
    eng_state state = {.q = principal_pose(frame, def->position, def->orientation)};
    if (def->kind != CAIRN_FIXED)
        store_velocity(&state, def->velocity, def->angular_velocity);
    world->state.bodies.q[index] = state.q;
    memset(world->state.bodies.v[index], 0, sizeof state.v);
    world->state.pieces.thrown =
        world->state.pieces.thrown || eng_body_is_thrown(world, index, &state);
    memcpy(world->state.bodies.v[index], state.v, sizeof state.v);
}

/// For one more body, in this row.
static cairn_status make_room(cairn_world *world, int row)
{
    BASE_TRY(eng_bodies_reserve(world, row + 1));
    if (world->state.audit.started)
        BASE_TRY(base_array_reserve(&world->model.allocator, &world->model.bodies.arrivals,
                                    &world->model.bodies.arrival_capacity,
                                    world->model.bodies.arrival_count + 1));
    return CAIRN_OK;
}

/// The colliders of a row's body: those that the row has, or new ones where they are too few.
static cairn_status place_colliders(cairn_world *world, int row)
{
    eng_body *body = &world->model.bodies.rows[row];
    int count = eng_collider_count_of(world, row);
    if (count > ENG_COLLIDER_ROOM_MAX)
        return CAIRN_ERROR_MEMORY;
    if (count > body->collider_room) {
        body->first_collider = world->contacts.colliders.count;
        body->collider_room = (unsigned)count & ENG_COLLIDER_ROOM_MAX;
        world->contacts.colliders.count += count;
    }
    return eng_colliders_renew(world, row);
}

/// What the body brings, where the audit has begun.
static void book_arrival(cairn_world *world, int row)
{
    if (!world->state.audit.started)
        return;
    eng_body *body = &world->model.bodies.rows[row];
    body->arrived = true;
    world->model.bodies.arrivals[world->model.bodies.arrival_count++] = row;
    if (body->kind != CAIRN_DYNAMIC)
        return;
    double kinetic = eng_body_kinetic_energy(world, row, world->state.bodies.v[row]);
    double potential = eng_body_potential_energy(world, row, &world->state.bodies.q[row]);
    world->state.audit.energy.kinetic += kinetic;
    world->state.audit.energy.potential += potential;
    world->state.audit.energy.population += kinetic + potential;
}

/// Fills a free row, with the colliders it has or, where those are too few, with new ones.
static cairn_status fill_row(cairn_world *world, int row, const eng_body *made,
                             const eng_solid *solid, const char *name)
{
    eng_body body = *made;
    body.first_collider = world->model.bodies.rows[row].first_collider;
    body.collider_room = world->model.bodies.rows[row].collider_room;
    cairn_status status = eng_body_make(world, row, &body, solid, name);
    if (status == CAIRN_OK)
        status = place_colliders(world, row);
    if (status != CAIRN_OK && eng_body_is_live(world, row)) {
        eng_colliders_drop(world, row);
        eng_body_clear(world, row);
    }
    return status;
}

cairn_status cairn_body_create(cairn_world *world, const cairn_body_def *def, cairn_body_id *body,
                               cairn_error *error)
{
    if (world == NULL || def == NULL || body == NULL)
        return base_fail_null(error, __func__);
    *body = (cairn_body_id){0};
    eng_body made = {.kind = def->kind, .shape = (int)def->shape.index};
    eng_solid solid;
    cairn_status status = check_def(world, def, error);
    if (status == CAIRN_OK)
        status = find_mass(world->model.shapes.rows[made.shape], def,
                           eng_material_density(world, def->material, def->density), &made.mass,
                           &solid, error);
    bool weighed = def->kind == CAIRN_DYNAMIC && def->mass == 0.0 && def->density == 0.0;
    if (status == CAIRN_OK)
        status = eng_material_take(world, def->material, weighed, &made.material, error);
    if (status != CAIRN_OK)
        return status;
    int row = eng_slots_next(&world->model.ids.body);
    status = make_room(world, row);
    if (status == CAIRN_OK)
        status = fill_row(world, row, &made, &solid, def->name);
    if (status != CAIRN_OK)
        return base_fail(error, status, "out of memory for a body");
    init_state(world, &solid.frame, def, row);
    geo_shape *shape = world->model.shapes.rows[made.shape];
    if (def->kind == CAIRN_DYNAMIC && def->mass == 0.0 && shape->kind == GEO_COMPOUND &&
        !shape->compound.weighed)
        look_for_overlaps(world, &shape->compound);
    if (row < world->state.bodies.step_rows)
        eng_blocks_init(world, row);
    eng_slots_take(&world->model.ids.body);
    book_arrival(world, row);
    eng_population_changes(world);
    world->contacts.pairs.topology_changed = world->scratch.general.due = true;
    *body = eng_body_id(world, row);
    return CAIRN_OK;
}

int cairn_body_count(const cairn_world *world)
{
    if (world == NULL)
        return 0;
    return world->model.ids.body.live_count;
}

cairn_body_id cairn_body_at(const cairn_world *world, int index)
{
    if (world == NULL)
        return (cairn_body_id){0};
    return eng_body_id(world, eng_slots_at(&world->model.ids.body, index));
}

cairn_body_id cairn_body_find(const cairn_world *world, const char *name)
{
    if (world == NULL || name == NULL)
        return (cairn_body_id){0};
    return eng_body_id(world, base_names_find(&world->model.bodies.names, name));
}

cairn_status cairn_body_get(const cairn_world *world, cairn_body_id id, cairn_body_view *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    BASE_TRY(eng_body_check(world, id));
    int index = (int)id.index;
    const eng_body *body = &world->model.bodies.rows[index];
    eng_state state = eng_state_of(world, index);
    const pose *q = &state.q;
    const double *v = state.v;
    const char *name = eng_extra_of(world, index).name;
    pose frame = eng_frame_of(world, index), shape = pose_compose(q, &frame);
    *view = (cairn_body_view){
        .kind = body->kind,
        .shape = eng_shape_id(world, body->shape),
        .material = eng_material_id(world, body->material),
        .name = name != NULL ? name : "",
        .orientation = {shape.orientation.w, shape.orientation.x, shape.orientation.y,
                        shape.orientation.z},
        .velocity = {v[0], v[1], v[2]},
        .mass = body->mass,
        .kinetic_energy =
            body->kind == CAIRN_DYNAMIC ? eng_body_kinetic_energy(world, index, v) : 0.0,
    };
    vec3_store(view->position, shape.position);
    vec3_store(view->centre, q->position);
    vec3_store(view->angular_velocity, quat_rotate(q->orientation, vec3_from(v + 3)));
    vec3_store(view->inertia, eng_inertia_of(world, index));
    return CAIRN_OK;
}

cairn_status cairn_body_set_pose(cairn_world *world, cairn_body_id id, const double position[3],
                                 const double orientation[4], cairn_error *error)
{
    if (world == NULL || position == NULL || orientation == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_body_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "body");
    BASE_TRY(check_placement(position, orientation, error));
    int index = (int)id.index;
    const eng_body *body = &world->model.bodies.rows[index];
    eng_state state = eng_state_of(world, index);
    pose frame = eng_frame_of(world, index);
    vec3 before = state.q.position;
    state.q = principal_pose(&frame, position, orientation);
    if (eng_state_set(world, index, &state) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory to place a body");
    world->contacts.pairs.topology_changed = world->model.joints.changed = true;
    if (world->state.audit.started && body->kind == CAIRN_DYNAMIC) {
        vec3 moved = vec3_sub(state.q.position, before);
        double gained = -body->mass * vec3_dot(vec3_from(world->model.def.gravity), moved);
        world->state.audit.energy.drivers += gained;
        world->state.audit.energy.potential += gained;
    }
    return CAIRN_OK;
}

cairn_status cairn_body_set_velocity(cairn_world *world, cairn_body_id id, const double velocity[3],
                                     const double angular_velocity[3], cairn_error *error)
{
    if (world == NULL || velocity == NULL || angular_velocity == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_body_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "body");
    if (world->model.bodies.rows[id.index].kind == CAIRN_FIXED)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a fixed body has no velocity");
    BASE_TRY(check_velocity(velocity, angular_velocity, error));
    int index = (int)id.index;
    eng_state state = eng_state_of(world, index);
    double before = eng_body_kinetic_energy(world, index, state.v);
    store_velocity(&state, velocity, angular_velocity);
    if (eng_state_set(world, index, &state) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory to set a velocity");
    world->model.joints.changed = true;
    if (world->model.bodies.rows[index].kind == CAIRN_DYNAMIC && world->state.audit.started) {
        double gained = eng_body_kinetic_energy(world, index, state.v) - before;
        world->state.audit.energy.drivers += gained;
        world->state.audit.energy.kinetic += gained;
    }
    return CAIRN_OK;
}

cairn_status cairn_body_set_force(cairn_world *world, cairn_body_id id, const double force[3],
                                  const double torque[3], cairn_error *error)
{
    if (world == NULL || force == NULL || torque == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_body_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "body");
    if (!vec3_is_finite(vec3_from(force)) || !vec3_is_finite(vec3_from(torque)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "force and torque must be finite");
    eng_load load = {vec3_from(force), vec3_from(torque)}, none = {0};
    if (world->state.bodies.loads == NULL && memcmp(&load, &none, sizeof load) == 0)
        return CAIRN_OK;
    if (eng_body_column_make(&world->model.allocator, &world->state.bodies, ENG_BODY_loads,
                             world->model.bodies.count) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for the force on a body");
    world->state.bodies.loads[id.index] = load;
    eng_spheres_loads_changed(&world->state);
    return CAIRN_OK;
}

cairn_status cairn_body_get_force(const cairn_world *world, cairn_body_id id, double force[3],
                                  double torque[3])
{
    if (world == NULL || force == NULL || torque == NULL)
        return CAIRN_ERROR_ARGUMENT;
    eng_load load = {0};
    cairn_status status = eng_body_check(world, id);
    if (status == CAIRN_OK)
        load = *eng_load_of(world, (int)id.index);
    vec3_store(force, load.force);
    vec3_store(torque, load.torque);
    return status;
}

void cairn_world_get_momentum(const cairn_world *world, double linear[3], double angular[3])
{
    if (world == NULL || linear == NULL || angular == NULL)
        return;
    vec3 p = {0.0, 0.0, 0.0}, l = p;
    for (int i = 0; i < world->model.bodies.count; i++) {
        const eng_body *body = &world->model.bodies.rows[i];
        if (body->kind != CAIRN_DYNAMIC)
            continue;
        eng_state state = eng_state_of(world, i);
        vec3 mv = vec3_scale(body->mass, vec3_from(state.v));
        vec3 own = vec3_multiply(eng_inertia_of(world, i), vec3_from(state.v + 3));
        p = vec3_add(p, mv);
        l = vec3_add(
            l, vec3_add(vec3_cross(state.q.position, mv), quat_rotate(state.q.orientation, own)));
    }
    vec3_store(linear, p);
    vec3_store(angular, l);
}
