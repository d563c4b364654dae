// SPDX-License-Identifier: Apache-2.0
// Jams: prescribed motions that leave the bodies between them no velocity.
#include "contact/problem/team.h"
#include "engine/state/ids.h"
#include "engine/state/world.h"

#include "contact/existence/existence.h"

#include <math.h>
#include <string.h>

// a contact with less of the certificate than this part of the largest takes no part in the jam
static const double least_part = 1e-3;
// a solution leaves no contact closing; what a tolerance leaves is less than this part of the
// fastest
static const double closing_part = 0.01;

/// Only prescribed motions can ask for what no velocity gives, and only a step that came to its
/// solver says so.
static bool is_driven(const cairn_world *world)
{
    return world->scratch.solve.solved != NULL && world->scratch.solve.solution_U != NULL &&
           world->scratch.solve.contacts_driven;
}

/// Whether a contact still closes, its gap and restitution being part of how fast it may.
static bool is_closing(const cairn_world *world)
{
    return world->scratch.solve.closing_left > closing_part * world->scratch.solve.closing_fastest;
}

bool cairn_world_may_be_jammed(const cairn_world *world)
{
    if (world == NULL)
        return false;
    const cairn_step_report *report = &world->report.step;
    return is_driven(world) &&
           (!(report->error <= world->model.def.tolerance) || is_closing(world));
}

/// Marks the bodies of the contacts that the certificate is made of.
static void mark_bodies(const cairn_world *world, const double (*direction)[3], bool *taken)
{
    const eng_contacts *c = &world->contacts.set;
    double most = 0.0;
    for (int i = 0; i < world->scratch.solve.problem.contact_count; i++)
        most = direction[i][0] > most ? direction[i][0] : most;
    for (int i = 0; i < world->scratch.solve.problem.contact_count; i++)
        for (int side = 0; side < 2; side++)
            taken[c->body[i][side]] |= direction[i][0] > least_part * most;
}

static int list_bodies(const cairn_world *world, const bool *taken, cairn_body_id *bodies,
                       int capacity)
{
    int count = 0;
    for (int i = 0; i < world->model.bodies.count; i++) {
        if (taken[i] && count < capacity)
            bodies[count] = eng_body_id(world, i);
        count += taken[i];
    }
    return count;
}

cairn_status cairn_world_find_jam(cairn_world *world, cairn_body_id *bodies, int capacity,
                                  int *count, cairn_error *error)
{
    if (world == NULL || count == NULL)
        return base_fail_null(error, __func__);
    if (capacity < 0 || (capacity > 0 && bodies == NULL))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "room for %d bodies", capacity);
    *count = 0;
    if (!is_driven(world))
        return CAIRN_OK;
    base_arena_mark mark = base_arena_get_mark(world->scratch.arena);
    double(*direction)[3] =
        base_arena_allocate(world->scratch.arena, "jam",
                            (size_t)world->scratch.solve.solved->contact_count, sizeof *direction);
    bool *taken =
        base_arena_array(world->scratch.arena, bool, "jammed bodies", world->model.bodies.count);
    con_existence found;
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (direction != NULL && taken != NULL) {
        memset(taken, 0, (size_t)world->model.bodies.count * sizeof *taken);
        con_team_complete(&world->contacts.domains);
        status = con_existence_check(world->scratch.solve.solved, &found, direction,
                                     world->scratch.arena);
    }
    if (status == CAIRN_OK && found.verdict == CON_EXISTENCE_NONE) {
        mark_bodies(world, (const double(*)[3])direction, taken);
        *count = list_bodies(world, taken, bodies, capacity);
    }
    base_arena_rewind(world->scratch.arena, mark);
    return status == CAIRN_OK
               ? status
               : base_fail(error, status, "looking for a jam: %s", cairn_status_text(status));
}
