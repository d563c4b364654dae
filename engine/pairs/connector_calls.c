// SPDX-License-Identifier: Apache-2.0
// Connectors: creation, parameters, what a connector reads.
#include "engine/bodies/body_state.h"
#include "engine/pairs/connectors.h"
#include "engine/state/ids.h"
#include "engine/state/kinematics.h"
#include "engine/state/own_laws.h"
#include "engine/state/rows.h"
#include "engine/state/values.h"
#include "engine/state/world.h"

#include "contact/laws/law_state.h"

#include <string.h>

#define CONNECTOR_COOKIE UINT32_C(0x0ca12009)

cairn_connector_def cairn_default_connector_def(void)
{
    return (cairn_connector_def){.law = "exudyn_sphere", .cookie = CONNECTOR_COOKIE};
}

static cairn_status check_bodies(const cairn_world *world, const cairn_connector_def *def,
                                 cairn_error *error)
{
    bool free = false;
    for (int side = 0; side < 2; side++) {
        cairn_body_id id = def->bodies[side];
        cairn_status status = eng_body_check(world, id);
        if (status != CAIRN_OK)
            return eng_fail_id(error, status, side == 0 ? "body A" : "body B");
        free = free || world->model.bodies.rows[id.index].kind == CAIRN_DYNAMIC;
    }
    if (def->bodies[0].index == def->bodies[1].index)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a connector joins two different bodies");
    if (!free)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "neither body of the connector can be moved by forces");
    return CAIRN_OK;
}

static cairn_status check_spheres(const cairn_connector_def *def, cairn_error *error)
{
    for (int side = 0; side < 2; side++) {
        double radius = def->radii[side];
        if (!isfinite(radius) || radius == 0.0)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "radius %g m of body %c must be finite and not zero", radius,
                             "AB"[side]);
        if (!vec3_is_finite(vec3_from(def->positions[side])))
            return base_fail(error, CAIRN_ERROR_ARGUMENT, "position on body %c must be finite",
                             "AB"[side]);
    }
    if (def->radii[0] + def->radii[1] == 0.0 || (def->radii[0] < 0.0 && def->radii[1] < 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "radii %g m and %g m: at most one is that of a hollow sphere, and of "
                         "another size",
                         def->radii[0], def->radii[1]);
    return CAIRN_OK;
}

static cairn_status check_def(const cairn_world *world, const cairn_connector_def *def,
                              cairn_error *error)
{
    if (def->cookie != CONNECTOR_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the definition does not come from cairn_default_connector_def()");
    const con_law *law = def->law != NULL ? eng_law_find(world, def->law) : NULL;
    if (law == NULL)
        return eng_fail_plugin(CAIRN_LAW, def->law != NULL ? def->law : "", error);
    if (law->kind != CON_LAW_IMPULSE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "%s is a law of the implicit problem: a connector wants an explicit law",
                         law->name);
    if (def->name != NULL && base_names_find(&world->model.connectors.names, def->name) >= 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is a connector \"%s\" already",
                         def->name);
    cairn_status status = check_bodies(world, def, error);
    return status == CAIRN_OK ? check_spheres(def, error) : status;
}

/// The connector goes to the front of the chain of each of its bodies.
static void append(cairn_world *world, eng_connector *made)
{
    int index = world->model.connectors.count++;
    for (int side = 0; side < 2; side++) {
        eng_extra *extra =
            &world->model.bodies.extras[world->model.bodies.rows[made->body[side]].extra - 1];
        made->next[side] = extra->first_connector;
        extra->first_connector = index + 1;
    }
    world->model.connectors.rows[index] = *made;
    world->state.connectors.rows[index] = (eng_connector_state){.frame = mat3_identity()};
    // its bodies may stop making contacts
    world->contacts.pairs.topology_changed = world->scratch.general.due = true;
}

static cairn_status reserve(cairn_world *world, const eng_connector *made)
{
    int needed = world->model.connectors.count + 1;
    cairn_status status = base_array_reserve(&world->model.allocator, &world->model.connectors.rows,
                                             &world->model.connectors.capacity, needed);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->model.allocator, &world->state.connectors.rows,
                                    &world->state.connectors.capacity, needed);
    if (status == CAIRN_OK)
        status = eng_slots_reserve(&world->model.ids.connector, &world->model.allocator,
                                   eng_slots_next(&world->model.ids.connector) + 1);
    for (int side = 0; side < 2 && status == CAIRN_OK; side++)
        if (eng_extra_make(&world->model, made->body[side]) == NULL)
            status = CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK && made->name != NULL)
        status = base_names_add(&world->model.connectors.names, &world->model.allocator, made->name,
                                world->model.connectors.count);
    return status;
}

cairn_status cairn_connector_create(cairn_world *world, const cairn_connector_def *def,
                                    cairn_connector_id *connector, cairn_error *error)
{
    if (world == NULL || def == NULL || connector == NULL)
        return base_fail_null(error, __func__);
    *connector = (cairn_connector_id){0};
    BASE_TRY(check_def(world, def, error));
    eng_connector made = {.contacts = def->contacts};
    eng_surface_init(&made.surface, eng_law_find(world, def->law));
    for (int side = 0; side < 2; side++) {
        made.body[side] = (int)def->bodies[side].index;
        made.radius[side] = def->radii[side];
        pose frame = eng_frame_of(world, made.body[side]);
        made.marker[side] = pose_apply(&frame, vec3_from(def->positions[side]));
    }
    if (def->name != NULL &&
        (made.name = base_copy_text(&world->model.allocator, def->name)) == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a connector");
    cairn_status status = reserve(world, &made);
    if (status != CAIRN_OK) {
        base_release(&world->model.allocator, made.name);
        return base_fail(error, status, "out of memory for a connector");
    }
    append(world, &made);
    eng_population_changes(world);
    *connector = eng_connector_id(world, eng_slots_take(&world->model.ids.connector));
    return CAIRN_OK;
}

/// Where the chain of a body points to a connector.
static int *link_to(eng_world_model *model, int body, int connector)
{
    int *link = &model->bodies.extras[model->bodies.rows[body].extra - 1].first_connector;
    while (*link != connector + 1) {
        eng_connector *at = &model->connectors.rows[*link - 1];
        link = &at->next[at->body[0] == body ? 0 : 1];
    }
    return link;
}

void eng_connector_drop(cairn_world *world, int index)
{
    eng_connector *dropped = &world->model.connectors.rows[index];
    double elastic = world->state.connectors.rows[index].elastic;
    world->state.audit.energy.elastic -= elastic;
    world->state.audit.energy.population -= elastic;
    for (int side = 0; side < 2; side++)
        *link_to(&world->model, dropped->body[side], index) = dropped->next[side];
    if (dropped->name != NULL)
        base_names_remove(&world->model.connectors.names, dropped->name);
    base_release(&world->model.allocator, dropped->name);
    // the last one takes its place, as it does among the slots
    int last = --world->model.connectors.count;
    for (int side = 0; side < 2 && index < last; side++)
        *link_to(&world->model, world->model.connectors.rows[last].body[side], last) = index + 1;
    *dropped = world->model.connectors.rows[last];
    world->state.connectors.rows[index] = world->state.connectors.rows[last];
    if (index < last && dropped->name != NULL)
        base_names_change(&world->model.connectors.names, dropped->name, index);
    eng_slots_drop(&world->model.ids.connector, eng_slots_at(&world->model.ids.connector, index));
    eng_slots_recycle(&world->model.ids.connector);
    world->contacts.pairs.topology_changed = world->scratch.general.due = true;
    eng_population_changes(world);
}

cairn_status cairn_connector_remove(cairn_world *world, cairn_connector_id id, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_connector_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "connector");
    if (eng_slots_prepare(&world->model.ids.connector, &world->model.allocator, (int)id.index) !=
        CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory to remove a connector");
    eng_connector_drop(world, eng_connector_index(world, id));
    return CAIRN_OK;
}

cairn_status cairn_connector_set_value(cairn_world *world, cairn_connector_id id,
                                       const char *parameter, cairn_value value, cairn_error *error)
{
    if (world == NULL || parameter == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_connector_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "connector");
    eng_surface *surface = &world->model.connectors.rows[eng_connector_index(world, id)].surface;
    return base_settings_set(&surface->law->table, surface->parameters, parameter,
                             eng_value_to_base(value), error);
}

cairn_status cairn_connector_get_value(const cairn_world *world, cairn_connector_id id,
                                       const char *parameter, cairn_value *value)
{
    if (world == NULL || parameter == NULL || value == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *value = cairn_number(0.0);
    BASE_TRY(eng_connector_check(world, id));
    const eng_surface *surface =
        &world->model.connectors.rows[eng_connector_index(world, id)].surface;
    return eng_value_read(&surface->law->table, surface->parameters, parameter, value);
}

cairn_status cairn_connector_set_history(cairn_world *world, cairn_connector_id id,
                                         const char *name, double value, cairn_error *error)
{
    if (world == NULL || name == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_connector_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "connector");
    int index = eng_connector_index(world, id);
    const con_law *law = world->model.connectors.rows[index].surface.law;
    if (!isfinite(value))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "history %.80s must be finite", name);
    for (int i = 0; i < law->history_count; i++) {
        if (strcmp(law->history_names[i], name) != 0)
            continue;
        world->state.connectors.rows[index].history[i] = value;
        return CAIRN_OK;
    }
    return base_fail(error, CAIRN_ERROR_NOT_FOUND, "%s has no history \"%.80s\"%s", law->name, name,
                     base_choices_for(name, law->history_names, law->history_count).text);
}

int cairn_connector_count(const cairn_world *world)
{
    if (world == NULL)
        return 0;
    return world->model.connectors.count;
}

cairn_connector_id cairn_connector_at(const cairn_world *world, int index)
{
    if (world == NULL)
        return (cairn_connector_id){0};
    return eng_connector_id(world, eng_slots_at(&world->model.ids.connector, index));
}

cairn_connector_id cairn_connector_find(const cairn_world *world, const char *name)
{
    if (world == NULL || name == NULL)
        return (cairn_connector_id){0};
    return cairn_connector_at(world, base_names_find(&world->model.connectors.names, name));
}

/// Places and velocities of now.
static void view_motion(const cairn_world *world, const eng_connector *connector,
                        cairn_connector_view *view)
{
    con_law_state spheres = {0};
    vec3 velocity[2], normal, point;
    const eng_state states[2] = {eng_state_of(world, connector->body[0]),
                                 eng_state_of(world, connector->body[1])};
    for (int side = 0; side < 2; side++) {
        vec3 centre = pose_apply(&states[side].q, connector->marker[side]);
        spheres.body[side].position = centre;
        spheres.body[side].radius = connector->radius[side];
        vec3_store(view->positions[side], centre);
    }
    con_law_state_contact(&spheres, &view->gap, &normal, &point);
    for (int side = 0; side < 2; side++)
        velocity[side] = eng_point_velocity(states[side].v, &states[side].q, point);
    vec3_store(view->normal, normal);
    vec3_store(view->point, point);
    vec3_store(view->displacement, vec3_sub(spheres.body[1].position, spheres.body[0].position));
    vec3_store(view->velocity, vec3_sub(velocity[1], velocity[0]));
}

/// Forces and torques of the last step.
static void view_forces(const cairn_world *world, const eng_connector *connector,
                        const eng_connector_state *state, cairn_connector_view *view)
{
    double rate = 1.0 / world->state.clock.step;
    vec3 impulse = mat3_apply_transposed(&state->frame, state->R);
    for (int side = 0; side < 2; side++) {
        vec3 own = side == 0 ? vec3_negate(impulse) : impulse;
        pose middle = eng_middle_of(world, connector->body[side]);
        vec3 centre = pose_apply(&middle, connector->marker[side]);
        vec3 turning = vec3_cross(vec3_sub(state->point, centre), own);
        vec3_store(view->force[side], vec3_scale(rate, own));
        vec3_store(view->torque[side], vec3_scale(rate, vec3_add(turning, state->couple[side])));
    }
}

cairn_status cairn_connector_get(const cairn_world *world, cairn_connector_id id,
                                 cairn_connector_view *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *view = (cairn_connector_view){.name = "", .law = ""};
    BASE_TRY(eng_connector_check(world, id));
    int index = eng_connector_index(world, id);
    const eng_connector *connector = &world->model.connectors.rows[index];
    const eng_connector_state *state = &world->state.connectors.rows[index];
    view->name = connector->name != NULL ? connector->name : "";
    view->law = connector->surface.law->name;
    view->closed = state->closed != 0.0;
    for (int side = 0; side < 2; side++) {
        view->bodies[side] = eng_body_id(world, connector->body[side]);
        view->radii[side] = connector->radius[side];
    }
    memcpy(view->history, state->history, sizeof view->history);
    view_motion(world, connector, view);
    view_forces(world, connector, state, view);
    return CAIRN_OK;
}
