// SPDX-License-Identifier: Apache-2.0
// Bodies that are removed, frozen, released or sent another way at a time, or when a condition
// holds, and runs that end then.
#include "engine/grains/region.h"
#include "engine/space/space.h"
#include "engine/state/ids.h"

#include "base/hash.h"

#include <string.h>

#define EVENT_COOKIE UINT32_C(0x0ca12016)

/// What an event carries from step to step.
typedef enum event_number { DONE, LOOK, EVENT_NUMBERS } event_number;

typedef struct event {
    cairn_event_def def; // name and bodies are owned
    cairn_region region; // where the definition names one
} event;

cairn_event_def cairn_default_event_def(void)
{
    return (cairn_event_def){.every = 0.01, .cookie = EVENT_COOKIE};
}

static cairn_status change_body(cairn_world *world, const cairn_event_def *def, int row,
                                cairn_error *error)
{
    cairn_body_id id = eng_body_id(world, row);
    cairn_change what = def->change;
    if (what == CAIRN_CHANGE_VELOCITY && eng_extra_of(world, row).motion.function != NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a body that a motion{} takes along has its velocity from there");
    if (what == CAIRN_CHANGE_VELOCITY)
        return cairn_body_set_velocity(world, id, def->velocity, def->angular_velocity, error);
    return what == CAIRN_CHANGE_REMOVE   ? cairn_body_remove(world, id, error)
           : what == CAIRN_CHANGE_FREEZE ? cairn_body_freeze(world, id, error)
                                         : cairn_body_release(world, id, error);
}

/// Whether a body in the region is meant: of a region those alone that can be changed so.
static bool is_meant(const cairn_world *world, const event *e, int row)
{
    if (!eng_body_is_live(world, row))
        return false;
    bool dynamic = world->bodies[row].kind == CAIRN_DYNAMIC;
    bool frozen = cairn_body_is_frozen(world, eng_body_id(world, row));
    bool able = e->def.change == CAIRN_CHANGE_RELEASE  ? frozen
                : e->def.change == CAIRN_CHANGE_FREEZE ? dynamic
                                                       : dynamic || frozen;
    return able && eng_region_holds(world, &e->region, eng_place_of(world, row));
}

static cairn_status change_all(cairn_world *world, const event *e, cairn_error *error)
{
    const cairn_event_def *def = &e->def;
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < def->body_count && status == CAIRN_OK; i++)
        // one that is gone stays so
        if (eng_body_check(world, def->bodies[i]) == CAIRN_OK)
            status = change_body(world, def, (int)def->bodies[i].index, error);
    for (int row = 0; def->region != NULL && row < world->body_count && status == CAIRN_OK; row++)
        if (is_meant(world, e, row))
            status = change_body(world, def, row, error);
    return status;
}

static bool event_due(const cairn_world *world, const eng_action *action)
{
    const event *e = action->data;
    const cairn_event_def *def = &e->def;
    double looks = action->numbers[LOOK];
    double due =
        def->condition != NULL ? def->from + def->every * looks - 1e-9 * def->every : def->from;
    return action->numbers[DONE] == 0.0 && world->time >= due;
}

static cairn_status event_begin(cairn_world *world, eng_action *action, cairn_error *error)
{
    const event *e = action->data;
    const cairn_event_def *def = &e->def;
    double *numbers = action->numbers;
    bool asks = def->condition != NULL;
    if (!event_due(world, action))
        return CAIRN_OK;
    bool holds = true;
    cairn_status status =
        asks ? def->condition(def->context, world, world->time, &holds, error) : CAIRN_OK;
    if (asks)
        numbers[LOOK] = floor((world->time - def->from) / def->every + 1e-9) + 1.0;
    if (status != CAIRN_OK || !holds)
        return status;
    numbers[DONE] = 1.0;
    cairn_error why = {0};
    status = change_all(world, e, &why);
    return status == CAIRN_OK ? status
                              : base_fail(error, status, "%s at t = %g s: %s", def->name,
                                          world->time, why.message);
}

static void event_release(const base_allocator *allocator, void *data)
{
    event *e = data;
    base_release(allocator, (char *)e->def.name);
    base_release(allocator, (cairn_body_id *)e->def.bodies);
    base_release(allocator, e);
}

static const eng_action_kind removal_kind = {
    .due = event_due, .begin = event_begin, .release = event_release, .makes_or_removes = true};
static const eng_action_kind event_kind = {
    .due = event_due, .begin = event_begin, .release = event_release};
static const eng_action_kind stop_kind = {.end = event_begin, .release = event_release};

const char *cairn_world_get_stop(const cairn_world *world)
{
    int at = 0;
    const eng_action *action = NULL;
    while (world != NULL && (action = eng_action_next(world, &stop_kind, &at)) != NULL)
        if (action->numbers[DONE] != 0.0)
            return ((const event *)action->data)->def.name;
    return NULL;
}

static cairn_status check_def(const cairn_world *world, const cairn_event_def *def,
                              cairn_error *error)
{
    if (def->cookie != EVENT_COOKIE || (unsigned)def->change > CAIRN_CHANGE_STOP)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the event's definition does not come from cairn_default_event_def()");
    if (!isfinite(def->from) || !(def->every > 0.0) || !isfinite(def->every))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "event: from = %g s must be finite, and every = %g s greater than 0",
                         def->from, def->every);
    if (def->change == CAIRN_CHANGE_STOP && def->body_count == 0 && def->region == NULL)
        return CAIRN_OK;
    if (def->change == CAIRN_CHANGE_STOP ||
        (def->change == CAIRN_CHANGE_VELOCITY && def->region != NULL))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "event: %s",
                         def->change == CAIRN_CHANGE_STOP ? "one that stops has no bodies"
                                                          : "velocities are of bodies by name");
    if (def->body_count < 0 || (def->body_count == 0) == (def->region == NULL))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "event: give bodies or a region");
    for (int i = 0; i < def->body_count; i++) {
        cairn_status status = eng_body_check(world, def->bodies[i]);
        if (status != CAIRN_OK)
            return eng_fail_id(error, status, "body");
    }
    return def->region != NULL ? eng_region_check(world, def->region, error) : CAIRN_OK;
}

cairn_status cairn_event_create(cairn_world *world, const cairn_event_def *def, cairn_error *error)
{
    if (world == NULL || def == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = check_def(world, def, error);
    if (status != CAIRN_OK)
        return status;
    size_t count = (size_t)def->body_count;
    event *made = base_allocate(&world->allocator, 1, sizeof *made);
    char *name = base_copy_text(&world->allocator, def->name != NULL ? def->name : "event");
    cairn_body_id *bodies = base_allocate(&world->allocator, count > 0 ? count : 1, sizeof *bodies);
    if (made == NULL || name == NULL || bodies == NULL) {
        base_release(&world->allocator, made);
        base_release(&world->allocator, name);
        base_release(&world->allocator, bodies);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an event");
    }
    *made = (event){.def = *def};
    made->def.name = name;
    made->def.bodies = bodies;
    const double numbers[] = {(double)def->change, def->from, def->every, def->condition != NULL};
    uint64_t print = base_hash_bytes(BASE_HASH_START, numbers, sizeof numbers);
    if (def->change == CAIRN_CHANGE_VELOCITY) {
        print = base_hash_bytes(print, def->velocity, sizeof def->velocity);
        print = base_hash_bytes(print, def->angular_velocity, sizeof def->angular_velocity);
    }
    for (size_t i = 0; i < count; i++) {
        bodies[i] = def->bodies[i];
        print = base_hash_bytes(print, &bodies[i].index, sizeof bodies[i].index);
    }
    if (def->region != NULL) {
        made->region = *def->region;
        made->def.region = &made->region;
        print = eng_region_hash(def->region, print);
    }
    const eng_action_kind *kind = def->change == CAIRN_CHANGE_REMOVE ? &removal_kind
                                  : def->change == CAIRN_CHANGE_STOP ? &stop_kind
                                                                     : &event_kind;
    return eng_action_add(world, kind, made, EVENT_NUMBERS, print) != NULL
               ? CAIRN_OK
               : base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an event");
}

cairn_status cairn_body_remove_at(cairn_world *world, cairn_body_id body, double time,
                                  cairn_error *error)
{
    cairn_event_def def = cairn_default_event_def();
    def.name = "remove";
    def.change = CAIRN_CHANGE_REMOVE;
    def.bodies = &body;
    def.body_count = 1;
    def.from = time;
    return cairn_event_create(world, &def, error);
}
