// SPDX-License-Identifier: Apache-2.0
// Which domain of the implicit problem each body is in.
#ifndef CAIRN_ENGINE_PAIRS_DOMAINS_H
#define CAIRN_ENGINE_PAIRS_DOMAINS_H

#include "engine/state/world.h"

enum {
    ENG_DOMAIN_ANY = -1, // not moved by contacts: in the domain of whatever touches it
    ENG_DOMAIN_ALL = -2  // has joints: its contacts are those of the last task
};

typedef struct eng_domains {
    int levels;
    int *weight;  // [body_count] contacts of each body
    int *of_body; // [body_count] domain, or one of the above; not written for levels = 0
} eng_domains;

/// Levels of cuts for so many contacts.
int eng_domain_levels(int contacts);

/// Cuts the bodies in two halves of about as many contacts, `levels` times; scratch from the arena.
cairn_status eng_domains_cut(const cairn_world *world, eng_domains *domains) CAIRN_CHECK_RESULT;

/// Task (contact/problem/domains.h) of the contacts of two bodies.
int eng_domains_task(const eng_domains *domains, int body_a, int body_b);

#endif
