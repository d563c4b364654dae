// SPDX-License-Identifier: Apache-2.0
// Laws, force fields and filters that a program has registered with a world, <cairn/extend.h>.
#ifndef CAIRN_ENGINE_STATE_OWN_LAWS_H
#define CAIRN_ENGINE_STATE_OWN_LAWS_H

#include "base/settings.h"
#include "contact/laws/law.h"
#include "engine/state/world_model.h"
#include <cairn/cairn.h>

/// A law of a program; what the engine sees of it comes first.
typedef struct eng_own_law {
    con_law law;
    cairn_law_function *function;
    void *context;
    uint32_t version;
    base_setting rows[CAIRN_OWN_PARAMETERS_MAX];
    const char *history_names[CAIRN_LAW_HISTORY_MAX];
    char *texts; // owned: all names and helps, one after the other
} eng_own_law;

/// A law of the library or of the world's own, by its name; NULL where there is none.
const con_law *eng_law_find(const cairn_world *world, const char *name);

/// CAIRN_ERROR_NOT_FOUND with a suggestion for a mistyped name.
cairn_status eng_fail_law(const cairn_world *world, const char *name, cairn_error *error);

/// Version of a law: 0 for those of the library.
uint32_t eng_law_version(const cairn_world *world, const con_law *law);

void eng_own_release(eng_world_model *model);

#endif
