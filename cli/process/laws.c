// SPDX-License-Identifier: Apache-2.0
// The laws by which bodies of a world can touch, for what a run and `cairn info` say.
#include "cli/process/laws.h"

#include <stdio.h>
#include <string.h>

int cli_materials_in_use(const cairn_world *world, cli_material_use *uses)
{
    int count = 0;
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view view;
        if (cairn_body_get(world, cairn_body_at(world, i), &view) != CAIRN_OK)
            continue;
        int known = 0;
        while (known < count && uses[known].id.index != view.material.index)
            known++;
        if (known == CLI_MATERIALS_MAX)
            continue;
        if (known == count)
            uses[count++] = (cli_material_use){.id = view.material};
        uses[known].bodies++;
        uses[known].dynamic += view.kind == CAIRN_DYNAMIC;
    }
    return count;
}

/// Whether two bodies of these materials, one of which moves, can touch.
static bool can_touch(const cli_material_use *a, const cli_material_use *b)
{
    return a->dynamic + b->dynamic > 0 && (a != b || a->bodies > 1);
}

static bool is_among(const char *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == '\0' || at[length] == ','))
            return true;
    return false;
}

void cli_laws_in_use(const cairn_world *world, char names[CLI_LAWS_SIZE])
{
    const cairn_material_id none = {0};
    cli_material_use uses[CLI_MATERIALS_MAX];
    int count = cli_materials_in_use(world, uses);
    names[0] = '\0';
    for (int i = 0; i < count; i++)
        for (int k = i; k < count; k++) {
            const char *law = cairn_pair_get_law(world, uses[i].id, uses[k].id);
            size_t length = strlen(names);
            if (can_touch(&uses[i], &uses[k]) && !is_among(names, law))
                snprintf(names + length, CLI_LAWS_SIZE - length, "%s%s", length > 0 ? ", " : "",
                         law);
        }
    if (names[0] == '\0')
        snprintf(names, CLI_LAWS_SIZE, "%s", cairn_pair_get_law(world, none, none));
}
