// SPDX-License-Identifier: Apache-2.0
// Averages over windows of time of whatever a function reads after a step.
#include "engine/grains/coarse.h"
#include "engine/state/actions.h"
#include "engine/state/world.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

#define AVERAGE_COOKIE UINT32_C(0x0ca12015)

/// What an average carries from step to step; the sums of the window at hand and the means of the
/// last one follow.
typedef enum average_number {
    READ,      // readings in the window at hand
    NEXT,      // number of that window, from 0
    WINDOWS,   // that are over
    LAST_READ, // readings of the last one
    LAST_STEP, // number of the step at its end
    AVERAGE_NUMBERS
} average_number;

typedef struct average {
    cairn_average_def def; // the name is owned
    void *owned;           // the context, where it is; else NULL
    double *values;        // [def.columns] of a reading
} average;

cairn_average_def cairn_default_average_def(void)
{
    return (cairn_average_def){.every = 1, .cookie = AVERAGE_COOKIE};
}

static cairn_status add_reading(const cairn_world *world, const average *a, double *numbers,
                                cairn_error *error)
{
    const cairn_average_def *def = &a->def;
    double *values = a->values, *sums = numbers + AVERAGE_NUMBERS;
    cairn_status status = def->read(def->context, world, values, error);
    for (int k = 0; k < def->columns && status == CAIRN_OK; k++)
        sums[k] += values[k];
    numbers[READ] += status == CAIRN_OK;
    return status;
}

/// Whether the step that was just made is the last one of the window at hand: the one next to its
/// end.
static bool ends_window(const cairn_world *world, const average *a, const double *numbers)
{
    double passed = world->state.clock.time + 0.5 * world->state.clock.step - a->def.from;
    return passed >= (numbers[NEXT] + 1.0) * a->def.window;
}

static bool average_looks(const cairn_world *world, const eng_action *action)
{
    const average *a = action->data;
    bool every = world->state.clock.step_count % a->def.every == 0;
    return world->state.clock.time > a->def.from &&
           (every || (ends_window(world, a, action->numbers) && action->numbers[READ] == 0.0));
}

static cairn_status average_end(cairn_world *world, eng_action *action, cairn_error *error)
{
    const average *a = action->data;
    const cairn_average_def *def = &a->def;
    double *numbers = action->numbers;
    double *sums = numbers + AVERAGE_NUMBERS, *means = sums + def->columns;
    double passed = world->state.clock.time + 0.5 * world->state.clock.step - def->from;
    bool over = ends_window(world, a, numbers);
    cairn_status status = CAIRN_OK;
    if (world->state.clock.time <= def->from)
        return CAIRN_OK;
    if (average_looks(world, action))
        status = add_reading(world, a, numbers, error);
    if (status != CAIRN_OK || numbers[READ] == 0.0)
        return status;
    // until a window is over, the mean is that of what was read so far
    for (int k = 0; k < def->columns && (over || numbers[WINDOWS] == 0.0); k++)
        means[k] = sums[k] / numbers[READ];
    if (!over)
        return CAIRN_OK;
    memset(sums, 0, (size_t)def->columns * sizeof *sums);
    numbers[LAST_READ] = numbers[READ];
    numbers[LAST_STEP] = (double)world->state.clock.step_count;
    numbers[READ] = 0.0;
    numbers[NEXT] = floor(passed / def->window);
    numbers[WINDOWS] += 1.0;
    return CAIRN_OK;
}

static void average_release(const base_allocator *allocator, void *data)
{
    average *a = data;
    base_release(allocator, (char *)a->def.name);
    base_release(allocator, a->owned);
    base_release(allocator, a->values);
    base_release(allocator, a);
}

// what is read of a body that was removed is NaN
static const eng_action_kind average_kind = {.end = average_end,
                                             .looks = average_looks,
                                             .release = average_release,
                                             .readings = AVERAGE_NUMBERS};

static cairn_status check_def(const cairn_average_def *def, const char *name, cairn_error *error)
{
    if (def->cookie != AVERAGE_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the average's definition does not come from cairn_default_average_def()");
    if (!(def->window > 0.0) || !isfinite(def->window) || !isfinite(def->from) || def->every < 1)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "average \"%.80s\": window = %g s must be greater than 0, every = %d "
                         "steps at least 1 and from = %g s finite",
                         name, def->window, def->every, def->from);
    return CAIRN_OK;
}

cairn_status eng_average_add(cairn_world *world, const cairn_average_def *def, void *owned,
                             cairn_error *error)
{
    const char *name = def->name != NULL ? def->name : "average";
    cairn_status status = check_def(def, name, error);
    average *a = base_allocate(&world->model.allocator, 1, sizeof *a);
    if (status != CAIRN_OK || a == NULL) {
        base_release(&world->model.allocator, owned);
        base_release(&world->model.allocator, a);
        return status != CAIRN_OK
                   ? status
                   : base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an average");
    }
    *a = (average){.def = *def, .owned = owned};
    a->def.name = base_copy_text(&world->model.allocator, name);
    a->values = base_allocate(&world->model.allocator, (size_t)def->columns, sizeof *a->values);
    if (a->def.name == NULL || a->values == NULL) {
        average_release(&world->model.allocator, a);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an average");
    }
    const double numbers[] = {def->window, def->every, def->from, def->columns};
    uint64_t print = base_hash_bytes(BASE_HASH_START, numbers, sizeof numbers);
    return eng_action_add(world, &average_kind, a, AVERAGE_NUMBERS + 2 * def->columns, print) !=
                   NULL
               ? CAIRN_OK
               : base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for an average");
}

cairn_status cairn_average_create(cairn_world *world, const cairn_average_def *def,
                                  cairn_error *error)
{
    if (world == NULL || def == NULL)
        return base_fail_null(error, __func__);
    if (def->cookie == AVERAGE_COOKIE &&
        (def->read == NULL || def->columns < 1 || def->columns > CAIRN_AVERAGE_COLUMNS_MAX))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "average \"%.80s\": a function must read 1 to %d numbers, not %d",
                         def->name != NULL ? def->name : "average", (int)CAIRN_AVERAGE_COLUMNS_MAX,
                         def->columns);
    return eng_average_add(world, def, NULL, error);
}

int cairn_average_count(const cairn_world *world)
{
    int at = 0, count = 0;
    while (world != NULL && eng_action_next(world, &average_kind, &at) != NULL)
        count++;
    return count;
}

static const eng_action *find_average(const cairn_world *world, int index)
{
    int at = 0;
    const eng_action *action = NULL;
    for (int i = 0; i <= index && (i == 0 || action != NULL); i++)
        action = eng_action_next(world, &average_kind, &at);
    return action;
}

const cairn_grid *eng_average_grid(const cairn_world *world, int index)
{
    const eng_action *action = find_average(world, index);
    return action != NULL ? ((const average *)action->data)->owned : NULL;
}

cairn_status cairn_average_get(const cairn_world *world, int index, cairn_average_view *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *view = (cairn_average_view){.name = "", .step = -1};
    const eng_action *action = find_average(world, index);
    if (action == NULL)
        return CAIRN_ERROR_NOT_FOUND;
    const cairn_average_def *def = &((const average *)action->data)->def;
    const double *n = action->numbers;
    bool whole = n[WINDOWS] > 0.0;
    view->name = def->name;
    view->columns = def->columns;
    view->readings = (int64_t)(whole ? n[LAST_READ] : n[READ]);
    view->mean = view->readings > 0 ? n + AVERAGE_NUMBERS + def->columns : NULL;
    view->windows = (int64_t)n[WINDOWS];
    view->step = whole ? (int64_t)n[LAST_STEP] : -1;
    return CAIRN_OK;
}
