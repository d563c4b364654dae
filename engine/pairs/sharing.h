// SPDX-License-Identifier: Apache-2.0
// The contacts of the implicit law shared by several processes.
//
// All processes have the same list of pairs, and all bodies when it is made. A process holds the
// pairs of its domains (contact/problem/team.h): it alone, or with others at borders, runs the
// narrow phase, assembles, solves and books their contacts. The domains are cut when the contacts
// of a new list are counted, and kept with the list; where a pair changes hands then, what was
// found of it goes along. Of the contacts of a task that a process does not hold it knows how many
// there are, nothing else, until it gathers.
#ifndef CAIRN_ENGINE_PAIRS_SHARING_H
#define CAIRN_ENGINE_PAIRS_SHARING_H

#include "contact/problem/team.h"
#include "engine/pairs/borders.h"
#include "engine/pairs/domains.h"
#include "engine/state/world.h"
#include "geometry/narrow/collide.h"

typedef struct eng_sharing {
    cairn_world *world; // whose it is
    con_team team;
    eng_borders borders;
    bool active;            // the step at hand is shared
    bool whole;             // all processes have all contacts, and what pairs remember
    bool complete;          // and the whole problem of the step
    int64_t whole_steps;    // before or after which all were asked for
    int64_t last_whole;     // number of the last of these steps
    int64_t steps;          // that were shared
    int64_t gathered_bytes; // of team.sent_bytes, what gathering sent
    // before the step at hand, to which it returns when it is taken back
    struct {
        bool whole;
        int64_t steps;
    } kept;
    con_holders before; // of the tasks of the cut with which the step began
    // of the step at hand, in the arena
    int *task_before; // [pair_count] of each place of the plan, in the cut with which it began
    int *task;        // the same, in the cut that it has; mostly the same list
    int *moved_first; // where the raw contacts of a place that came are; -1 for none. NULL: none
    geo_contact *moved;
} eng_sharing;

cairn_status eng_sharing_create(cairn_world *world, const cairn_ranks *ranks) CAIRN_CHECK_RESULT;
void eng_sharing_destroy(cairn_world *world);

/// Before the narrow phase: whether the step is shared, and by which pairs.
cairn_status eng_sharing_begin(cairn_world *world) CAIRN_CHECK_RESULT;

static inline bool eng_sharing_is_active(const cairn_world *world)
{
    return world->state.sharing != NULL && world->state.sharing->active;
}

/// Whether this process looks for the contacts of the pair at a place.
static inline bool eng_sharing_finds(const cairn_world *world, int place)
{
    const eng_sharing *s = world->state.sharing;
    return s == NULL || !s->active ||
           con_holders_have(&s->before, s->task_before[place], s->team.ranks.number);
}

/// Whether this process has the contacts of the pair at a place, once the domains are cut.
static inline bool eng_sharing_has(const cairn_world *world, int place)
{
    const eng_sharing *s = world->state.sharing;
    return s == NULL || !s->active ||
           con_holders_have(&s->team.holders, s->task[place], s->team.ranks.number);
}

/// Before the domains are cut anew: how many contacts join of each pair, from those that found
/// them.
/// @param joined  [pair_count] by places of the plan
void eng_sharing_count(const cairn_world *world, int *joined);

/// The domains are cut: what was found of pairs goes to those who have them now.
/// @param joined  as before
cairn_status eng_sharing_recut(cairn_world *world, const int *joined) CAIRN_CHECK_RESULT;

/// A step is taken back, after its domains were cut: pairs are with those who had them before it.
void eng_sharing_undo(cairn_world *world);

/// Once the bodies of the problem are known: who sends what in its solve.
/// @param body  [cone contacts] rows of bodies
cairn_status eng_sharing_plan(cairn_world *world, const int (*body)[2],
                              int row_count) CAIRN_CHECK_RESULT;

/// What each process has of the problem was changed: what others had of it is old.
static inline void eng_sharing_changed(const cairn_world *world)
{
    if (world->state.sharing != NULL)
        world->state.sharing->complete = false;
}

/// The first failure of a message.
static inline cairn_status eng_sharing_status(const cairn_world *world)
{
    return world->state.sharing != NULL ? world->state.sharing->team.status : CAIRN_OK;
}

/// All processes get all bodies, all contacts and what pairs remember, and with `problem` all of
/// the last problem and its solution.
cairn_status eng_sharing_gather(const cairn_world *world, bool problem) CAIRN_CHECK_RESULT;

/// The same with the problem, and the particle slots.
/// @return what the exchange of messages returned
cairn_status eng_sharing_gather_all(cairn_world *world, int reader,
                                    cairn_error *error) CAIRN_CHECK_RESULT;

#endif
