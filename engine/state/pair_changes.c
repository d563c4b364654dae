// SPDX-License-Identifier: Apache-2.0
// Parameters of pairs of materials that actions change while a world runs.
#include "engine/state/pair_changes.h"
#include "engine/state/actions.h"
#include "engine/state/ids.h"
#include "engine/state/surfaces.h"
#include "engine/state/world.h"

#include "base/assert.h"

#include <string.h>

static base_value number_value(double number)
{
    return (base_value){.type = BASE_VALUE_NUMBER, .number = number};
}

static double parameter_of(const eng_surface *surface, const char *parameter)
{
    const base_setting *row = base_settings_find(&surface->law->table, parameter);
    return row != NULL ? base_settings_get(row, surface->parameters).number : 0.0;
}

static cairn_status put(cairn_world *world, int index, const char *parameter, double value)
{
    eng_surface *surface = &world->model.materials.surfaces[index];
    cairn_error unused;
    cairn_status status = base_settings_set(&surface->law->table, surface->parameters, parameter,
                                            number_value(value), &unused);
    world->scratch.general.due = true;
    return status == CAIRN_OK ? eng_surface_changed(world, index) : status;
}

static double *kept_of(const cairn_world *world, int action, const eng_pair_change *change)
{
    return world->state.actions.rows[action]->numbers + change->first;
}

/// Whether contacts that touch are as stiff with the parameters as they were.
static bool is_as_stiff(const con_law *law, const void *before, const void *after)
{
    const con_stiffness_input probes[] = {{0.01, 1e-3, 1e-4, 0.01}, {INFINITY, 1e-3, 1e-4, 0.01}};
    for (int i = 0; law->stiffness != NULL && i < BASE_COUNT(probes); i++) {
        con_stiffness one = law->stiffness(before, &probes[i]),
                      other = law->stiffness(after, &probes[i]);
        if (one.normal != other.normal || one.tangential != other.tangential)
            return false;
    }
    return true;
}

static cairn_status check_value(const eng_surface *surface, const cairn_pair_change *change,
                                cairn_error *error)
{
    const con_law *law = surface->law;
    const char *name = change->parameter != NULL ? change->parameter : "";
    const base_setting *row = base_settings_find(&law->table, name);
    _Alignas(16) unsigned char after[CON_LAW_SETTINGS_MAX];
    memcpy(after, surface->parameters, sizeof after);
    cairn_status status =
        base_settings_set(&law->table, after, name, number_value(change->value), error);
    if (row != NULL && base_settings_get(row, after).type != BASE_VALUE_NUMBER)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "%s of law %s is no number: it cannot change while a world runs", name,
                         law->name);
    if (status == CAIRN_OK && !is_as_stiff(law, surface->parameters, after))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "%s of law %s sets how stiff contacts are: it cannot change while a world "
                         "runs, for springs that are pressed would gain or lose energy",
                         name, law->name);
    return status;
}

cairn_status eng_pair_changes_check(cairn_world *world, const cairn_material_id materials[2],
                                    const cairn_pair_change *values, int count, int *surface,
                                    cairn_error *error)
{
    bool none = materials[0].generation == 0 && materials[1].generation == 0;
    for (int side = 0; side < 2 && !none; side++)
        if (eng_material_check(world, materials[side]) != CAIRN_OK)
            return base_fail(error, CAIRN_ERROR_STALE_ID, "a material of the pair does not exist");
    if (values == NULL || count < 1)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "give parameters of the pair and the values that they get");
    eng_surface scratch;
    const eng_surface *now = none ? &world->model.materials.surfaces[0]
                                  : eng_surface_between(world, (int)materials[0].index,
                                                        (int)materials[1].index, &scratch);
    for (int i = 0; i < count; i++) {
        cairn_status status = check_value(now, &values[i], error);
        if (status != CAIRN_OK)
            return status;
    }
    *surface = 0;
    cairn_status status =
        none ? CAIRN_OK
             : eng_surface_own(world, (int)materials[0].index, (int)materials[1].index, surface);
    world->scratch.general.due = true;
    return status == CAIRN_OK ? status
                              : base_fail(error, status, "out of memory for a pair of materials");
}

/// The next change of the parameter of a surface, from `*action` and `*index` on.
static bool next_of(const cairn_world *world, int surface, const char *parameter, int *action,
                    int *index, eng_pair_change *change)
{
    while (eng_actions_changes(world, action, index, change))
        if (change->surface == surface && strcmp(change->parameter, parameter) == 0)
            return true;
    return false;
}

void eng_pair_change_begin(const cairn_world *world, eng_action *added, int which)
{
    eng_pair_change made, other;
    if (!added->kind->changes(added, which, &made))
        return;
    for (int action = 0, index = 0;
         next_of(world, made.surface, made.parameter, &action, &index, &other);) {
        const double *kept = kept_of(world, action, &other);
        if (kept[ENG_PAIR_CHANGED] != 0.0)
            memcpy(added->numbers + made.first, kept, ENG_PAIR_KEPT * sizeof *kept);
    }
}

cairn_status eng_pair_change_apply(cairn_world *world, const eng_action *acting, int which,
                                   cairn_error *error)
{
    eng_pair_change made, each;
    if (!acting->kind->changes(acting, which, &made))
        return CAIRN_OK;
    double before = parameter_of(&world->model.materials.surfaces[made.surface], made.parameter);
    for (int action = 0, index = 0;
         next_of(world, made.surface, made.parameter, &action, &index, &each);) {
        double *kept = kept_of(world, action, &each);
        if (kept[ENG_PAIR_CHANGED] == 0.0)
            kept[ENG_PAIR_BEFORE] = before;
        kept[ENG_PAIR_CHANGED] = 1.0;
        kept[ENG_PAIR_NOW] = made.value;
    }
    cairn_status status = put(world, made.surface, made.parameter, made.value);
    return status == CAIRN_OK ? status
                              : base_fail(error, status, "out of memory for a pair of materials");
}

void eng_pair_changes_note(cairn_world *world, int surface, const char *parameter, double value)
{
    eng_pair_change each;
    for (int action = 0, index = 0; next_of(world, surface, parameter, &action, &index, &each);)
        kept_of(world, action, &each)[ENG_PAIR_NOW] = value;
}

cairn_status eng_pair_changes_check_law(const cairn_world *world, int surface, cairn_error *error)
{
    eng_pair_change each;
    for (int action = 0, index = 0; eng_actions_changes(world, &action, &index, &each);)
        if (surface == 0 || surface == each.surface)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "laws of pairs are given before events that change them, and one "
                             "changes %s already",
                             each.parameter);
    return CAIRN_OK;
}

bool eng_pair_changes_before(const cairn_world *world, int surface, const char *parameter,
                             double *value)
{
    eng_pair_change each;
    for (int action = 0, index = 0; next_of(world, surface, parameter, &action, &index, &each);) {
        const double *kept = kept_of(world, action, &each);
        if (kept[ENG_PAIR_CHANGED] == 0.0)
            continue;
        *value = kept[ENG_PAIR_BEFORE];
        return true;
    }
    return false;
}

cairn_status eng_pair_changes_restore(cairn_world *world, const double *numbers)
{
    cairn_status status = CAIRN_OK;
    // behind the number of how far the actions are
    const double *at = numbers + 1;
    for (int i = 0; i < world->state.actions.count; i++) {
        const eng_action *action = world->state.actions.rows[i];
        eng_pair_change each;
        for (int k = 0; action->kind->changes != NULL && action->kind->changes(action, k, &each);
             k++) {
            const double *then = at + each.first, *now = action->numbers + each.first;
            bool was = then[ENG_PAIR_CHANGED] != 0.0, is = now[ENG_PAIR_CHANGED] != 0.0;
            if ((was || is) && status == CAIRN_OK)
                status = put(world, each.surface, each.parameter,
                             was ? then[ENG_PAIR_NOW] : now[ENG_PAIR_BEFORE]);
        }
        at += action->number_count;
    }
    return status;
}
