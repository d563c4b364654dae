// SPDX-License-Identifier: Apache-2.0
// Which domain of the implicit problem each body is in. The bodies are cut by the contacts of the
// first step of a plan, and stay where they are until there is another one: what belongs together,
// and to which process, changes with lists of pairs and not with steps.
#ifndef CAIRN_ENGINE_PAIRS_DOMAINS_H
#define CAIRN_ENGINE_PAIRS_DOMAINS_H

#include "engine/state/plan.h"
#include "engine/state/world_contacts.h"
#include <cairn/cairn.h>

enum {
    ENG_DOMAIN_ANY = -1, // not moved by contacts: in the domain of whatever touches it
    ENG_DOMAIN_ALL = -2  // has joints, or no pair: contacts of it would be those of the last task
};

/// The bodies are cut in two halves of about as many contacts, as often as these are worth it. The
/// cut before is kept. Scratch from the arena.
/// @param joined  [cone pairs] contacts of each place of the plan
cairn_status eng_domains_cut(cairn_world *world, const int *joined) CAIRN_CHECK_RESULT;

/// A step is taken back: its cut is that of before, and due to be renewed if this step did so.
void eng_domains_undo(eng_world_contacts *contacts);

/// Task (contact/problem/domains.h) of the contacts of two bodies. Bodies that are younger than the
/// cut are like those of ENG_DOMAIN_ALL.
int eng_domains_task(const eng_cut *cut, int body_a, int body_b);

#endif
