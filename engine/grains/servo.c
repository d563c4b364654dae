// SPDX-License-Identifier: Apache-2.0
// Servos: walls that are driven to a force.
#include "engine/state/ids.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

#define SERVO_COOKIE UINT32_C(0x0ca1200f)

// steps between sums of the stiffnesses of contacts
enum { LOOK_EVERY = 10 };

/// What a servo carries from step to step.
typedef enum servo_number {
    VELOCITY,  // m/s along the axis
    TARGET,    // N
    FORCE,     // N
    STIFFNESS, // N/m
    GONE,      // m without a contact
    SERVO_NUMBERS
} servo_number;

typedef struct servo {
    cairn_servo_def def; // the name is owned, the axis has length 1
    const double *numbers;
} servo;

cairn_servo_def cairn_default_servo_def(void)
{
    return (cairn_servo_def){
        .scale = 1.0, .gain = 0.1, .speed = 0.1, .reach = 1.0, .cookie = SERVO_COOKIE};
}

static double inverse_mass(const cairn_world *world, cairn_body_id id)
{
    const eng_body *body = &world->bodies[id.index];
    return body->kind == CAIRN_DYNAMIC ? 1.0 / body->mass : 0.0;
}

static double curvature(const cairn_world *world, cairn_body_id id)
{
    const geo_shape *shape = world->shapes[world->bodies[id.index].shape];
    return shape->kind == GEO_SPHERE ? 1.0 / shape->sphere.radius : 0.0;
}

/// Adds the stiffness of a contact along the axis.
static cairn_status add_stiffness(const cairn_world *world, const servo *s,
                                  const cairn_contact_view *c, double *sum, cairn_error *error)
{
    const eng_surface *surface = eng_surface_of(world, (int)c->a.index, (int)c->b.index);
    if (surface->law->stiffness == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo \"%.80s\": contacts by law \"%s\" have no stiffness to move the "
                         "wall by; give it a dynamic body on a slider joint to the world",
                         s->def.name, surface->law->name);
    double masses = inverse_mass(world, c->a) + inverse_mass(world, c->b);
    con_stiffness_input input = {
        .radius = 1.0 / (curvature(world, c->a) + curvature(world, c->b)),
        .mass = 1.0 / masses,
        .overlap = fmax(-c->gap, 0.0),
    };
    double share = vec3_dot(vec3_from(c->normal), vec3_from(s->def.axis));
    *sum += share * share * surface->law->stiffness(surface->parameters, &input).normal;
    return CAIRN_OK;
}

static cairn_status look_at_contacts(const cairn_world *world, const servo *s, double *stiffness,
                                     cairn_error *error)
{
    int count = cairn_contact_count(world);
    cairn_status status = CAIRN_OK;
    *stiffness = 0.0;
    for (int i = 0; i < count && status == CAIRN_OK; i++) {
        cairn_contact_view contact;
        if (cairn_contact_get(world, i, &contact) != CAIRN_OK ||
            (contact.a.index != s->def.body.index && contact.b.index != s->def.body.index))
            continue;
        // a body that was removed since is no contact any more
        if (contact.status != CAIRN_CONTACT_OPEN && eng_body_check(world, contact.a) == CAIRN_OK &&
            eng_body_check(world, contact.b) == CAIRN_OK)
            status = add_stiffness(world, s, &contact, stiffness, error);
    }
    return status;
}

/// The velocity of a moving wall: slow where it is stiff, so that it acts as a dashpot between the
/// contacts and the target, which takes energy out at any gain.
static cairn_status set_velocity(const cairn_world *world, const servo *s, double *numbers,
                                 cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    if (numbers[FORCE] == 0.0)
        numbers[STIFFNESS] = 0.0;
    else if (numbers[STIFFNESS] == 0.0 || world->step_count % LOOK_EVERY == 0)
        status = look_at_contacts(world, s, &numbers[STIFFNESS], error);
    double wanted = numbers[TARGET] - numbers[FORCE], speed = s->def.speed;
    if (numbers[STIFFNESS] > 0.0)
        wanted *= s->def.gain / (numbers[STIFFNESS] * world->def.time_step);
    else
        wanted = wanted > 0.0 ? speed : 0.0;
    numbers[VELOCITY] = fmax(-speed, fmin(speed, wanted));
    return status;
}

static cairn_status servo_begin(cairn_world *world, eng_action *action, cairn_error *error)
{
    const servo *s = action->data;
    const cairn_servo_def *def = &s->def;
    double *numbers = action->numbers, h = world->def.time_step, force[3], torque[3];
    double target = def->force, middle = world->time + 0.5 * h;
    if (eng_body_check(world, def->body) != CAIRN_OK)
        return CAIRN_OK; // it was removed
    cairn_status status = CAIRN_OK;
    if (def->target != NULL)
        status = def->target(def->context, middle, &target, error);
    if (status == CAIRN_OK && !isfinite(target * def->scale))
        status =
            base_fail(error, CAIRN_ERROR_NONFINITE,
                      "servo \"%.80s\": the target is not finite at t = %g s", def->name, middle);
    if (status == CAIRN_OK)
        status = cairn_body_get_contact_force(world, def->body, force, torque);
    if (status != CAIRN_OK)
        return status;
    vec3 axis = vec3_from(def->axis);
    bool dynamic = world->bodies[def->body.index].kind == CAIRN_DYNAMIC;
    numbers[TARGET] = target * def->scale;
    numbers[FORCE] = world->step_count > 0 ? -vec3_dot(vec3_from(force), axis) : 0.0;
    if (dynamic) {
        vec3_store(force, vec3_scale(numbers[TARGET], axis));
        memset(torque, 0, sizeof torque);
        status = cairn_body_set_force(world, def->body, force, torque, error);
        numbers[VELOCITY] = vec3_dot(vec3_from(eng_state_of(world, (int)def->body.index).v), axis);
    } else {
        status = set_velocity(world, s, numbers, error);
    }
    numbers[GONE] = numbers[FORCE] == 0.0 ? numbers[GONE] + h * fabs(numbers[VELOCITY]) : 0.0;
    if (status == CAIRN_OK && numbers[GONE] > def->reach)
        status = base_fail(error, CAIRN_ERROR_ARGUMENT,
                           "servo \"%.80s\": no contact to push on after %g m (reach = %g m); the "
                           "target is %g N at t = %g s",
                           def->name, numbers[GONE], def->reach, numbers[TARGET], middle);
    return status;
}

static void servo_release(const base_allocator *allocator, void *data)
{
    servo *s = data;
    base_release(allocator, (char *)s->def.name);
    base_release(allocator, s);
}

static const eng_action_kind servo_kind = {.begin = servo_begin, .release = servo_release};

/// The motion of a moving wall, a cairn_motion_function.
static cairn_status follow(void *context, double time, cairn_motion *motion, cairn_error *error)
{
    (void)time;
    (void)error;
    const servo *s = context;
    motion->given = CAIRN_MOTION_VELOCITY;
    vec3_store(motion->velocity, vec3_scale(s->numbers[VELOCITY], vec3_from(s->def.axis)));
    return CAIRN_OK;
}

static cairn_status check(const cairn_world *world, const cairn_servo_def *def, cairn_error *error)
{
    if (def->cookie != SERVO_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the servo's definition does not come from cairn_default_servo_def()");
    cairn_status status = eng_body_check(world, def->body);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "body");
    if (world->bodies[def->body.index].kind == CAIRN_FIXED)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: the body is fixed; it must be moving or dynamic");
    double length = vec3_norm(vec3_from(def->axis));
    if (!(length > 0.0) || !isfinite(length))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: axis has length %g; it must be "
                         "greater than 0 and finite",
                         length);
    if (!isfinite(def->force) || !isfinite(def->scale))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: force = %g N and scale = %g must be finite", def->force,
                         def->scale);
    if (!(def->gain > 0.0) || !(def->gain <= 1.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: gain = %g must be greater than 0 and at most 1", def->gain);
    if (!(def->speed > 0.0) || !isfinite(def->speed) || !(def->reach > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "servo: speed = %g m/s and reach = %g m must be greater than 0, and the "
                         "speed finite",
                         def->speed, def->reach);
    return CAIRN_OK;
}

cairn_status cairn_servo_create(cairn_world *world, const cairn_servo_def *def, cairn_error *error)
{
    if (world == NULL || def == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = check(world, def, error);
    if (status != CAIRN_OK)
        return status;
    servo *made = base_allocate(&world->allocator, 1, sizeof *made);
    char *name = base_copy_text(&world->allocator, def->name != NULL ? def->name : "servo");
    if (made == NULL || name == NULL) {
        base_release(&world->allocator, made);
        base_release(&world->allocator, name);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a servo");
    }
    *made = (servo){.def = *def};
    made->def.name = name;
    vec3 axis = vec3_from(def->axis);
    vec3_store(made->def.axis, vec3_scale(1.0 / vec3_norm(axis), axis));
    const double values[] = {def->force,         def->scale, def->gain,
                             def->speed,         def->reach, (double)def->body.index,
                             def->target != NULL};
    uint64_t print = base_hash_bytes(BASE_HASH_START, values, sizeof values);
    print = base_hash_bytes(print, made->def.axis, sizeof made->def.axis);
    eng_action *action = eng_action_add(world, &servo_kind, made, SERVO_NUMBERS, print);
    if (action == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a servo");
    made->numbers = action->numbers;
    if (world->bodies[def->body.index].kind == CAIRN_MOVING)
        status = cairn_body_set_motion(world, def->body, follow, made, error);
    if (status != CAIRN_OK)
        made->def.body = (cairn_body_id){0}; // it does nothing then
    return status;
}

int cairn_servo_count(const cairn_world *world)
{
    int at = 0, count = 0;
    while (world != NULL && eng_action_next(world, &servo_kind, &at) != NULL)
        count++;
    return count;
}

cairn_status cairn_servo_get(const cairn_world *world, int index, cairn_servo_view *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *view = (cairn_servo_view){.name = ""};
    int at = 0;
    const eng_action *action = NULL;
    for (int i = 0; i <= index && (i == 0 || action != NULL); i++)
        action = eng_action_next(world, &servo_kind, &at);
    if (action == NULL)
        return CAIRN_ERROR_NOT_FOUND;
    *view = (cairn_servo_view){((const servo *)action->data)->def.name, action->numbers[TARGET],
                               action->numbers[FORCE], action->numbers[VELOCITY]};
    return CAIRN_OK;
}
