// SPDX-License-Identifier: Apache-2.0
// Look-ups in the engine's tables, with suggestions.
#include "scenes/plugins.h"

#include "base/assert.h"
#include "base/settings.h"

#include <stdio.h>
#include <string.h>

int scn_find_plugin(cairn_plugin plugin, const char *name)
{
    for (int i = 0; i < cairn_plugin_count(plugin); i++)
        if (strcmp(cairn_plugin_get(plugin, i).name, name) == 0)
            return i;
    return -1;
}

int scn_find_setting(cairn_plugin plugin, int index, const char *name)
{
    for (int i = 0; i < cairn_plugin_get(plugin, index).setting_count; i++)
        if (strcmp(cairn_plugin_get_setting(plugin, index, i).name, name) == 0)
            return i;
    return -1;
}

cairn_status scn_check_plugin(cairn_plugin plugin, const char *name, cairn_error *error)
{
    static const char *const kinds[] = {"law", "solver", "one-contact solver"};
    const char *names[64];
    int count = cairn_plugin_count(plugin);
    for (int i = 0; i < count && i < BASE_COUNT(names); i++) {
        names[i] = cairn_plugin_get(plugin, i).name;
        if (strcmp(names[i], name) == 0)
            return CAIRN_OK;
    }
    return base_fail(error, CAIRN_ERROR_NOT_FOUND, "unknown %s \"%s\"%s", kinds[plugin], name,
                     base_choices_for(name, names, count < 64 ? count : 64).text);
}
