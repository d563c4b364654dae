// SPDX-License-Identifier: Apache-2.0
// Bonds that have broken.
#include "engine/state/breaks.h"
#include "engine/state/ids.h"
#include "engine/state/world.h"

#include "contact/laws/law.h"

#include <math.h>

bool eng_breaks_may_come(const cairn_world *world)
{
    bool any = false;
    for (int i = 0; i < world->model.materials.surface_count; i++)
        any = any || world->model.materials.surfaces[i].law->breaks;
    for (int i = 0; i < world->model.connectors.count; i++)
        any = any || world->model.connectors.rows[i].surface.law->breaks;
    return any;
}

_Static_assert(sizeof *((cairn_world *)NULL)->state.connectors.breaks ==
                   ENG_BREAK_NUMBERS * sizeof(double),
               "rows of the world are those of the list");

bool eng_breaks_are_sound(const double (*rows)[ENG_BREAK_NUMBERS], int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < ENG_BREAK_NUMBERS; k++) {
            double value = rows[i][k],
                   most = k == ENG_BREAK_CAUSE ? CAIRN_BREAK_TWISTING : UINT32_MAX;
            bool real = k == ENG_BREAK_TIME || (k >= ENG_BREAK_POINT && k < ENG_BREAK_CAUSE);
            if (!isfinite(value) || (!real && !(value >= 0.0 && value <= most)))
                return false;
        }
    return true;
}

cairn_status eng_breaks_reserve(cairn_world *world, int count)
{
    return base_array_reserve(&world->model.allocator, &world->state.connectors.breaks,
                              &world->state.connectors.break_capacity, count);
}

/// Of a body that may be gone: every call refuses it then.
static cairn_body_id body_id(const cairn_world *world, const double *numbers)
{
    return (cairn_body_id){(uint32_t)numbers[0], (uint32_t)numbers[1], world->model.ids.tag};
}

static void put_id(double *numbers, uint32_t index, uint32_t generation)
{
    numbers[0] = index;
    numbers[1] = generation;
}

static cairn_status add(cairn_world *world, const int body[2], vec3 point, con_break cause,
                        cairn_connector_id connector)
{
    BASE_TRY(eng_breaks_reserve(world, world->state.connectors.break_count + 1));
    double *numbers = world->state.connectors.breaks[world->state.connectors.break_count++];
    numbers[ENG_BREAK_TIME] = world->state.clock.time + world->state.clock.step;
    for (int side = 0; side < 2; side++) {
        cairn_body_id id = eng_body_id(world, body[side]);
        put_id(numbers + ENG_BREAK_BODIES + 2 * side, id.index, id.generation);
    }
    vec3_store(numbers + ENG_BREAK_POINT, point);
    numbers[ENG_BREAK_CAUSE] = cause - CON_BREAK_TENSION;
    put_id(numbers + ENG_BREAK_CONNECTOR, connector.index, connector.generation);
    return CAIRN_OK;
}

cairn_status eng_breaks_note(cairn_world *world)
{
    const eng_contacts *c = &world->contacts.set;
    const eng_plan *plan = &world->contacts.plan;
    cairn_status status = CAIRN_OK;
    for (int k = plan->cone_batches;
         k < plan->batch_count && world->scratch.explicit_outputs != NULL; k++) {
        const eng_batch *batch = &plan->batches[k];
        if (!world->model.materials.surfaces[batch->surface].law->breaks)
            continue;
        for (int i = batch->first; i < batch->first + batch->count && status == CAIRN_OK; i++) {
            con_break cause = world->scratch.explicit_outputs[i - c->cone_count].broken;
            if (cause != CON_UNBROKEN)
                status = add(world, c->body[i], c->point[i], cause, (cairn_connector_id){0});
        }
    }
    for (int i = 0; i < world->model.connectors.count && status == CAIRN_OK; i++) {
        const eng_connector *connector = &world->model.connectors.rows[i];
        if (world->scratch.connector_outputs[i].broken != CON_UNBROKEN)
            status = add(world, connector->body, world->state.connectors.rows[i].point,
                         world->scratch.connector_outputs[i].broken,
                         eng_connector_id(world, eng_slots_at(&world->model.ids.connector, i)));
    }
    return status;
}

int cairn_world_get_break_count(const cairn_world *world)
{
    return world != NULL ? world->state.connectors.break_count : 0;
}

cairn_status cairn_world_get_break(const cairn_world *world, int index, cairn_break *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *view = (cairn_break){0};
    if (index < 0 || index >= world->state.connectors.break_count)
        return CAIRN_ERROR_NOT_FOUND;
    const double *n = world->state.connectors.breaks[index];
    view->time = n[ENG_BREAK_TIME];
    view->a = body_id(world, n + ENG_BREAK_BODIES);
    view->b = body_id(world, n + ENG_BREAK_BODIES + 2);
    vec3_store(view->point, vec3_from(n + ENG_BREAK_POINT));
    view->cause = (cairn_break_cause)n[ENG_BREAK_CAUSE];
    view->connector =
        (cairn_connector_id){(uint32_t)n[ENG_BREAK_CONNECTOR], (uint32_t)n[ENG_BREAK_CONNECTOR + 1],
                             world->model.ids.tag};
    if (view->connector.generation == 0)
        view->connector = (cairn_connector_id){0};
    return CAIRN_OK;
}

const char *cairn_break_cause_name(cairn_break_cause cause)
{
    static const char *const names[] = {"tension", "shear", "bending", "twisting"};
    return (unsigned)cause <= CAIRN_BREAK_TWISTING ? names[cause] : "";
}

bool cairn_world_has_bonds(const cairn_world *world)
{
    return world != NULL && eng_breaks_may_come(world);
}
