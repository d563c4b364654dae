// SPDX-License-Identifier: Apache-2.0
// Which bodies a process knows in the steps that it shares under the implicit law.
//
// Bodies that contacts move belong to the process that has their domain. After the solve it sends
// their velocities to those that hold pairs with them, and moves them, as these do: what two
// processes know of a body has the same bits. Other bodies are elsewhere: passes leave them out.
// Before a list of pairs is made, and when anything else asks for all, owners send them to all.
#ifndef CAIRN_ENGINE_PAIRS_BORDERS_H
#define CAIRN_ENGINE_PAIRS_BORDERS_H

#include "contact/problem/domains.h"
#include "contact/problem/team.h"
#include <cairn/cairn.h>

/// Bodies that a process knows, as long as the domains are the same.
typedef struct eng_borders {
    bool current;
    con_row_list *sent, *received; // [ranks.count] into `bodies`: of this process, of others
    int *bodies;
    int count, capacity;
    unsigned char *elsewhere; // [elsewhere_capacity] 1 for bodies that are not known here
    int elsewhere_capacity;
    int together; // steps that are still made with all bodies, since groups floated in the last
                  // ones
} eng_borders;

cairn_status eng_borders_init(const con_team *team, eng_borders *borders) CAIRN_CHECK_RESULT;
void eng_borders_release(const con_team *team, eng_borders *borders);

/// Once the domains are known, for the steps in which they stay. Scratch from the arena.
/// @param task  [pair_count] of each place of the plan
cairn_status eng_borders_make(cairn_world *world, const int *task) CAIRN_CHECK_RESULT;

/// Velocities that a solve has given to bodies, [problem.body_count] by rows: to those that need
/// them, which leaves bodies elsewhere from then on. To all, where something looks at all bodies in
/// every step.
void eng_borders_send_velocities(cairn_world *world, con_rows rows);

/// The same for rows of anything else that owners of bodies know: to those that know the body.
void eng_borders_send(const cairn_world *world, con_rows rows);

/// All get all that owners know of bodies at the end of a step; no body is elsewhere then. Nothing
/// to do where none is.
void eng_borders_join(const cairn_world *world);

/// The same once bodies have their free velocities: by the places and velocities before the step.
void eng_borders_join_free(cairn_world *world);

/// Groups of bodies float, for which all were asked for: steps that follow are made with all, whose
/// velocities are less than their states.
void eng_borders_stay_together(const cairn_world *world);

#endif
