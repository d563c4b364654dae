// SPDX-License-Identifier: Apache-2.0
// Outlets: regions in which bodies are removed and counted.
#include "engine/bodies/body_state.h"
#include "engine/grains/region.h"
#include "engine/state/actions.h"
#include "engine/state/ids.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#define OUTLET_COOKIE UINT32_C(0x0ca1200c)

/// What an outlet carries from step to step.
typedef enum outlet_number { REMOVED, REMOVED_MASS, LOOK, OUTLET_NUMBERS } outlet_number;

cairn_outlet_def cairn_default_outlet_def(void)
{
    return (cairn_outlet_def){.every = 0.01, .cookie = OUTLET_COOKIE};
}

static bool outlet_due(const cairn_world *world, const eng_action *action)
{
    const cairn_outlet_def *def = action->data;
    return world->state.clock.time >=
           def->from + def->every * action->numbers[LOOK] - 1e-9 * def->every;
}

static cairn_status outlet_begin(cairn_world *world, eng_action *action, cairn_error *error)
{
    const cairn_outlet_def *def = action->data;
    double *numbers = action->numbers;
    if (!outlet_due(world, action))
        return CAIRN_OK;
    numbers[LOOK] = floor((world->state.clock.time - def->from) / def->every + 1e-9) + 1.0;
    for (int row = 0; row < world->model.bodies.count; row++) {
        if (!eng_body_is_live(world, row) || world->model.bodies.rows[row].kind != CAIRN_DYNAMIC)
            continue;
        vec3 centre = eng_place_of(world, row);
        bool inside = eng_region_holds(world, &def->region, centre);
        if (inside == def->outside)
            continue;
        double mass = world->model.bodies.rows[row].mass;
        BASE_TRY(cairn_body_remove(world, eng_body_id(world, row), error));
        numbers[REMOVED] += 1.0;
        numbers[REMOVED_MASS] += mass;
    }
    return CAIRN_OK;
}

static void outlet_release(const base_allocator *allocator, void *data)
{
    cairn_outlet_def *def = data;
    base_release(allocator, (char *)def->name);
    base_release(allocator, def);
}

static const eng_action_kind outlet_kind = {
    .due = outlet_due, .begin = outlet_begin, .release = outlet_release, .makes_or_removes = true};

cairn_status cairn_outlet_create(cairn_world *world, const cairn_outlet_def *def,
                                 cairn_error *error)
{
    if (world == NULL || def == NULL)
        return base_fail_null(error, __func__);
    if (def->cookie != OUTLET_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the outlet's definition does not come from cairn_default_outlet_def()");
    if (!(def->every > 0.0) || !isfinite(def->every) || !isfinite(def->from))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "outlet: every = %g s must be greater than 0 and from = %g s finite",
                         def->every, def->from);
    BASE_TRY(eng_region_check(world, &def->region, error));
    cairn_outlet_def *kept = base_allocate(&world->model.allocator, 1, sizeof *kept);
    char *name = base_copy_text(&world->model.allocator, def->name != NULL ? def->name : "outlet");
    if (kept == NULL || name == NULL) {
        base_release(&world->model.allocator, kept);
        base_release(&world->model.allocator, name);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an outlet");
    }
    *kept = *def;
    kept->name = name;
    const double numbers[] = {def->every, def->from, def->outside};
    uint64_t print = base_hash_bytes(BASE_HASH_START, numbers, sizeof numbers);
    print = eng_region_hash(&def->region, print);
    return eng_action_add(world, &outlet_kind, kept, OUTLET_NUMBERS, print) != NULL
               ? CAIRN_OK
               : base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an outlet");
}

int cairn_outlet_count(const cairn_world *world)
{
    int at = 0, count = 0;
    while (world != NULL && eng_action_next(world, &outlet_kind, &at) != NULL)
        count++;
    return count;
}

cairn_status cairn_outlet_get(const cairn_world *world, int index, cairn_outlet_view *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *view = (cairn_outlet_view){.name = ""};
    int at = 0;
    const eng_action *action = NULL;
    for (int i = 0; i <= index && (i == 0 || action != NULL); i++)
        action = eng_action_next(world, &outlet_kind, &at);
    if (action == NULL)
        return CAIRN_ERROR_NOT_FOUND;
    const cairn_outlet_def *def = action->data;
    view->name = def->name;
    view->region = def->region;
    view->outside = def->outside;
    view->count = (int64_t)action->numbers[REMOVED];
    view->mass = action->numbers[REMOVED_MASS];
    return CAIRN_OK;
}

bool cairn_world_population_varies(const cairn_world *world)
{
    for (int i = 0; world != NULL && i < world->state.actions.count; i++)
        if (world->state.actions.rows[i]->kind->makes_or_removes)
            return true;
    return false;
}
