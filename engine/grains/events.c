// SPDX-License-Identifier: Apache-2.0
// Bodies that are removed, frozen, released or sent another way at a time, or when a condition
// holds, parameters of pairs that change then, and runs that end then.
#include "engine/bodies/body_state.h"
#include "engine/grains/region.h"
#include "engine/space/space.h"
#include "engine/state/actions.h"
#include "engine/state/ids.h"
#include "engine/state/pair_changes.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/hash.h"

#include <string.h>

#define EVENT_COOKIE UINT32_C(0x0ca12016)

/// What an event carries from step to step, before what its changes of a pair keep.
typedef enum event_number { DONE, LOOK, EVENT_NUMBERS } event_number;

typedef struct event {
    cairn_event_def def; // name, bodies and values are owned, and the parameters' names
    cairn_region region; // where the definition names one
    int surface;         // whose parameters change
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
    bool dynamic = world->model.bodies.rows[row].kind == CAIRN_DYNAMIC;
    bool frozen = cairn_body_is_frozen(world, eng_body_id(world, row));
    bool able = e->def.change == CAIRN_CHANGE_RELEASE  ? frozen
                : e->def.change == CAIRN_CHANGE_FREEZE ? dynamic
                                                       : dynamic || frozen;
    return able && eng_region_holds(world, &e->region, eng_place_of(world, row));
}

static cairn_status change_all(cairn_world *world, const eng_action *action, cairn_error *error)
{
    const event *e = action->data;
    const cairn_event_def *def = &e->def;
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < def->value_count && status == CAIRN_OK; i++)
        status = eng_pair_change_apply(world, action, i, error);
    for (int i = 0; i < def->body_count && status == CAIRN_OK; i++)
        // one that is gone stays so
        if (eng_body_check(world, def->bodies[i]) == CAIRN_OK)
            status = change_body(world, def, (int)def->bodies[i].index, error);
    for (int row = 0; def->region != NULL && row < world->model.bodies.count && status == CAIRN_OK;
         row++)
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
    return action->numbers[DONE] == 0.0 && world->state.clock.time >= due;
}

static cairn_status event_begin(cairn_world *world, eng_action *action, cairn_error *error)
{
    const cairn_event_def *def = &((const event *)action->data)->def;
    double *numbers = action->numbers;
    bool asks = def->condition != NULL;
    if (!event_due(world, action))
        return CAIRN_OK;
    bool holds = true;
    cairn_status status =
        asks ? def->condition(def->context, world, world->state.clock.time, &holds, error)
             : CAIRN_OK;
    if (asks)
        numbers[LOOK] = floor((world->state.clock.time - def->from) / def->every + 1e-9) + 1.0;
    if (status != CAIRN_OK || !holds)
        return status;
    numbers[DONE] = 1.0;
    cairn_error why = {0};
    status = change_all(world, action, &why);
    return status == CAIRN_OK ? status
                              : base_fail(error, status, "%s at t = %g s: %s", def->name,
                                          world->state.clock.time, why.message);
}

static void event_release(const base_allocator *allocator, void *data)
{
    event *e = data;
    for (int i = 0; i < e->def.value_count && e->def.values != NULL; i++)
        base_release(allocator, (char *)e->def.values[i].parameter);
    base_release(allocator, (cairn_pair_change *)e->def.values);
    base_release(allocator, (char *)e->def.name);
    base_release(allocator, (cairn_body_id *)e->def.bodies);
    base_release(allocator, e);
}

static bool event_changes(const eng_action *action, int index, eng_pair_change *change)
{
    const event *e = action->data;
    if (index >= e->def.value_count)
        return false;
    *change = (eng_pair_change){
        .surface = e->surface,
        .parameter = e->def.values[index].parameter,
        .value = e->def.values[index].value,
        .coming = action->numbers[DONE] == 0.0,
        .first = EVENT_NUMBERS + index * ENG_PAIR_KEPT,
    };
    return true;
}

static const eng_action_kind removal_kind = {
    .due = event_due, .begin = event_begin, .release = event_release, .makes_or_removes = true};
static const eng_action_kind event_kind = {
    .due = event_due, .begin = event_begin, .release = event_release};
static const eng_action_kind pair_kind = {
    .due = event_due, .begin = event_begin, .release = event_release, .changes = event_changes};
static const eng_action_kind stop_kind = {
    .end = event_begin, .looks = event_due, .release = event_release};

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
    if (def->cookie != EVENT_COOKIE || (unsigned)def->change > CAIRN_CHANGE_PAIR)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the event's definition does not come from cairn_default_event_def()");
    if (!isfinite(def->from) || !(def->every > 0.0) || !isfinite(def->every))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "event: from = %g s must be finite, and every = %g s greater than 0",
                         def->from, def->every);
    bool pair = def->change == CAIRN_CHANGE_PAIR, stop = def->change == CAIRN_CHANGE_STOP;
    if ((stop || pair) && def->body_count == 0 && def->region == NULL)
        return CAIRN_OK;
    if (stop || pair || (def->change == CAIRN_CHANGE_VELOCITY && def->region != NULL))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "event: %s",
                         stop   ? "one that stops has no bodies"
                         : pair ? "one that changes a pair has no bodies"
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

/// Copies of the values that a pair gets, by name, so that the order in which they were given (that
/// of a table in a scene is any) changes nothing; NULL when out of memory.
static const cairn_pair_change *copy_values(const base_allocator *allocator,
                                            const cairn_event_def *def)
{
    size_t count = (size_t)def->value_count;
    cairn_pair_change *made = base_allocate(allocator, count > 0 ? count : 1, sizeof *made);
    for (size_t i = 0; made != NULL && i < count; i++) {
        made[i].value = def->values[i].value;
        made[i].parameter = base_copy_text(allocator, def->values[i].parameter);
        if (made[i].parameter != NULL)
            continue;
        while (i-- > 0)
            base_release(allocator, (char *)made[i].parameter);
        base_release(allocator, made);
        return NULL;
    }
    for (size_t i = 1; made != NULL && i < count; i++)
        for (size_t k = i; k > 0 && strcmp(made[k - 1].parameter, made[k].parameter) > 0; k--) {
            cairn_pair_change held = made[k];
            made[k] = made[k - 1];
            made[k - 1] = held;
        }
    return made;
}

/// What the definition says, for restarts.
static uint64_t print_of(const event *e)
{
    const cairn_event_def *def = &e->def;
    const double numbers[] = {(double)def->change, def->from, def->every, def->condition != NULL};
    uint64_t print = base_hash_bytes(BASE_HASH_START, numbers, sizeof numbers);
    if (def->change == CAIRN_CHANGE_VELOCITY) {
        print = base_hash_bytes(print, def->velocity, sizeof def->velocity);
        print = base_hash_bytes(print, def->angular_velocity, sizeof def->angular_velocity);
    }
    if (def->change == CAIRN_CHANGE_PAIR)
        print = base_hash_bytes(print, &e->surface, sizeof e->surface);
    for (int i = 0; i < def->value_count; i++) {
        const cairn_pair_change *each = &def->values[i];
        print = base_hash_bytes(print, each->parameter, strlen(each->parameter) + 1);
        print = base_hash_bytes(print, &each->value, sizeof each->value);
    }
    for (int i = 0; i < def->body_count; i++)
        print = base_hash_bytes(print, &def->bodies[i].index, sizeof def->bodies[i].index);
    return def->region != NULL ? eng_region_hash(def->region, print) : print;
}

cairn_status cairn_event_create(cairn_world *world, const cairn_event_def *def, cairn_error *error)
{
    if (world == NULL || def == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = check_def(world, def, error);
    bool pair = def->change == CAIRN_CHANGE_PAIR;
    int surface = 0;
    if (status == CAIRN_OK && pair)
        status = eng_pair_changes_check(world, def->materials, def->values, def->value_count,
                                        &surface, error);
    if (status != CAIRN_OK)
        return status;
    size_t count = (size_t)def->body_count;
    event *made = base_allocate(&world->model.allocator, 1, sizeof *made);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an event");
    *made = (event){.def = *def, .surface = surface};
    cairn_event_def *own = &made->def;
    cairn_body_id *bodies =
        base_allocate(&world->model.allocator, count > 0 ? count : 1, sizeof *bodies);
    own->value_count = pair ? def->value_count : 0;
    own->name = base_copy_text(&world->model.allocator, def->name != NULL ? def->name : "event");
    own->bodies = bodies;
    own->values = copy_values(&world->model.allocator, own);
    if (own->name == NULL || bodies == NULL || own->values == NULL) {
        event_release(&world->model.allocator, made);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an event");
    }
    for (size_t i = 0; i < count; i++)
        bodies[i] = def->bodies[i];
    if (def->region != NULL) {
        made->region = *def->region;
        own->region = &made->region;
    }
    const eng_action_kind *kind = def->change == CAIRN_CHANGE_REMOVE ? &removal_kind
                                  : def->change == CAIRN_CHANGE_STOP ? &stop_kind
                                  : pair                             ? &pair_kind
                                                                     : &event_kind;
    int numbers = EVENT_NUMBERS + own->value_count * ENG_PAIR_KEPT;
    uint64_t print = print_of(made);
    eng_action *added = eng_action_add(world, kind, made, numbers, print);
    if (added == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an event");
    for (int i = 0; pair && i < def->value_count; i++)
        eng_pair_change_begin(world, added, i);
    return CAIRN_OK;
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
