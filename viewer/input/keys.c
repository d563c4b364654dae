// SPDX-License-Identifier: Apache-2.0
// The table of keys and what is made of it.
#include "viewer/input/keys.h"

#include "base/assert.h"
#include "viewer/app/view.h"

#include <string.h>
#include <strings.h>

#define ROW(action, key, group, help) {VIEW_ACTION_##action, key, VIEW_GROUP_##group, help},

static const view_key table[] = {VIEW_KEY_LIST(ROW)};

const view_key *view_keys(int *count)
{
    *count = BASE_COUNT(table);
    return table;
}

const char *view_key_group_name(view_key_group group)
{
    static const char *const names[VIEW_GROUP_COUNT] = {"time",   "camera", "show",
                                                        "panels", "files",  "mouse"};
    return names[group];
}

view_action view_key_find(const char *key)
{
    for (int i = 0; i < BASE_COUNT(table); i++)
        if (table[i].action != VIEW_ACTION_MOUSE && strcasecmp(table[i].key, key) == 0)
            return table[i].action;
    return VIEW_ACTION_NONE;
}

static bool is_later_row(int row)
{
    return row > 0 && table[row].action != VIEW_ACTION_MOUSE &&
           table[row - 1].action == table[row].action;
}

const char *view_key_names(int row, char *text, int size)
{
    if (is_later_row(row))
        return NULL;
    snprintf(text, (size_t)size, "%s", table[row].key);
    for (int i = row + 1; i < BASE_COUNT(table) && is_later_row(i); i++) {
        size_t used = strlen(text);
        snprintf(text + used, (size_t)size - used, ", %s", table[i].key);
    }
    return text;
}

void view_keys_print(FILE *out)
{
    char text[64];
    for (int i = 0; i < BASE_COUNT(table); i++) {
        if (i == 0 || table[i].group != table[i - 1].group)
            fprintf(out, "%s%s:\n", i == 0 ? "" : "\n", view_key_group_name(table[i].group));
        if (view_key_names(i, text, sizeof text) != NULL)
            fprintf(out, "  %-21s %s\n", text, table[i].help);
    }
}
