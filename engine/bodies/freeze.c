// SPDX-License-Identifier: Apache-2.0
// Dynamic bodies that are held where they are between steps, and given free again.
#include "engine/bodies/body_state.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/blocks.h"
#include "engine/state/ids.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include <stdio.h>
#include <string.h>

typedef struct label {
    char text[112];
} label;

/// A body by its name, or by its number.
static label label_of(const cairn_world *world, int row)
{
    label made;
    const char *name = eng_extra_of(world, row).name;
    if (name != NULL)
        snprintf(made.text, sizeof made.text, "\"%.100s\"", name);
    else
        snprintf(made.text, sizeof made.text, "%d", row);
    return made;
}

static const char *kind_word(cairn_body_kind kind)
{
    return kind == CAIRN_FIXED ? "fixed" : kind == CAIRN_MOVING ? "moving" : "dynamic";
}

/// Kinetic and potential energy of a body leave the audit (-1) or come back to it (1).
static void book(cairn_world *world, int row, double sign)
{
    if (!world->state.audit.started)
        return;
    eng_state state = eng_state_of(world, row);
    double kinetic = sign * eng_body_kinetic_energy(world, row, state.v);
    double potential = sign * eng_body_potential_energy(world, row, &state.q);
    world->state.audit.energy.kinetic += kinetic;
    world->state.audit.energy.potential += potential;
    world->state.audit.energy.population += kinetic + potential;
}

/// Kind, mass and moments of a body that is there.
static cairn_status change(cairn_world *world, int row, cairn_body_kind kind, double mass,
                           vec3 inertia)
{
    BASE_TRY(eng_body_change(world, row, kind, mass, inertia));
    if (row < world->state.bodies.step_rows && !eng_spheres_holds(world, row))
        eng_blocks_init(world, row);
    eng_population_changes(world);
    world->contacts.pairs.topology_changed = world->scratch.general.due = true;
    return CAIRN_OK;
}

static cairn_status check_freeze(const cairn_world *world, int row, cairn_error *error)
{
    cairn_body_kind kind = world->model.bodies.rows[row].kind;
    eng_extra extra = eng_extra_of(world, row);
    bool frozen = cairn_body_is_frozen(world, eng_body_id(world, row));
    if (kind != CAIRN_DYNAMIC)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "body %s is %s: only a dynamic body can be frozen",
                         label_of(world, row).text, frozen ? "frozen" : kind_word(kind));
    if (extra.joints > 0 || extra.first_connector != 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "body %s has %s: it cannot be frozen; remove them first",
                         label_of(world, row).text, extra.joints > 0 ? "joints" : "connectors");
    return CAIRN_OK;
}

cairn_status cairn_body_freeze(cairn_world *world, cairn_body_id id, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_body_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "body");
    int row = (int)id.index;
    BASE_TRY(check_freeze(world, row, error));
    if (eng_body_column_make(&world->model.allocator, &world->state.bodies, ENG_BODY_frozen,
                             world->model.bodies.count) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory to freeze a body");
    const vec3 inertia = eng_inertia_of(world, row);
    const double kept[4] = {world->model.bodies.rows[row].mass, inertia.x, inertia.y, inertia.z};
    const eng_state moving = eng_state_of(world, row);
    eng_state still = {.q = moving.q};
    book(world, row, -1.0);
    status = eng_state_set(world, row, &still);
    if (status == CAIRN_OK)
        status = change(world, row, CAIRN_FIXED, INFINITY, vec3_make(INFINITY, INFINITY, INFINITY));
    if (status != CAIRN_OK) {
        // as it was: room for its state was there before
        if (eng_state_set(world, row, &moving) == CAIRN_OK)
            book(world, row, 1.0);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory to freeze a body");
    }
    memcpy(world->state.bodies.frozen[row], kept, sizeof kept);
    return CAIRN_OK;
}

cairn_status cairn_body_release(cairn_world *world, cairn_body_id id, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_body_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "body");
    int row = (int)id.index;
    if (!cairn_body_is_frozen(world, id))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "body %s is %s: it was not frozen",
                         label_of(world, row).text, kind_word(world->model.bodies.rows[row].kind));
    double *kept = world->state.bodies.frozen[row];
    status = base_array_reserve(&world->model.allocator, &world->model.bodies.arrivals,
                                &world->model.bodies.arrival_capacity,
                                world->model.bodies.arrival_count + 1);
    if (status == CAIRN_OK)
        status = change(world, row, CAIRN_DYNAMIC, kept[0], vec3_from(kept + 1));
    if (status != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory to release a body");
    memset(kept, 0, sizeof world->state.bodies.frozen[row]);
    book(world, row, 1.0);
    // overlaps with bodies that were held, too, are no work of the step to come
    if (world->state.audit.started && !world->model.bodies.rows[row].arrived) {
        world->model.bodies.rows[row].arrived = true;
        world->model.bodies.arrivals[world->model.bodies.arrival_count++] = row;
    }
    return CAIRN_OK;
}

bool cairn_body_is_frozen(const cairn_world *world, cairn_body_id id)
{
    return world != NULL && eng_body_check(world, id) == CAIRN_OK &&
           world->state.bodies.frozen != NULL && world->state.bodies.frozen[id.index][0] > 0.0;
}
