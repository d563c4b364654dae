// SPDX-License-Identifier: Apache-2.0
// The settings of a world by name: one table for scenes, command line, resolved.json and checks.

#include "base/assert.h"
#include "engine/state/values.h"
#include "engine/state/world.h"

#include <float.h>
#include <limits.h>
#include <string.h>

// in the order of cairn_rotation
static const char *const rotation_words[] = {"rig_imp", "rig_neg", "rig_pos", "rig_exact", NULL};

// in the order of cairn_impact
static const char *const impact_words[] = {"newton", "poisson", "sequential", "energetic", NULL};

static const base_setting rows[] = {
#define ROW(type_, member, kind, key, unit_, initial_, low, high, words, counts, help_)            \
    {.name = key,                                                                                  \
     .type = BASE_SETTING_##kind,                                                                  \
     .offset = offsetof(cairn_world_def, member),                                                  \
     .unit = unit_,                                                                                \
     .initial = initial_,                                                                          \
     .minimum = low,                                                                               \
     .maximum = high,                                                                              \
     .choices = words,                                                                             \
     .help = help_},
    CAIRN_WORLD_SETTINGS(ROW)
#undef ROW
};

const base_settings_table eng_world_settings = {
    .settings = rows, .count = BASE_COUNT(rows), .size = sizeof(cairn_world_def)};

cairn_status eng_world_settings_check(const cairn_world_def *def, cairn_error *error)
{
    cairn_world_def copy = *def;
    for (int i = 0; i < BASE_COUNT(rows); i++) {
        const void *field = (const char *)def + rows[i].offset;
        cairn_status status = CAIRN_OK;
        int words = 0;
        switch (rows[i].type) {
        case BASE_SETTING_CHOICE:
            while (rows[i].choices[words] != NULL)
                words++;
            if ((unsigned)*(const int *)field >= (unsigned)words)
                return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s = %d is out of range: 0 to %d",
                                 rows[i].name, *(const int *)field, words - 1);
            break;
        case BASE_SETTING_REAL:
        case BASE_SETTING_INTEGER:
            status = base_settings_set(&eng_world_settings, &copy, rows[i].name,
                                       base_settings_get(&rows[i], def), error);
            break;
        case BASE_SETTING_BOOLEAN:
            break;
        }
        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

int cairn_world_def_setting_count(void)
{
    return BASE_COUNT(rows);
}

cairn_setting_info cairn_world_def_get_setting(int index)
{
    if (index < 0 || index >= BASE_COUNT(rows))
        return (cairn_setting_info){.name = "", .type = "", .unit = "", .help = ""};
    return eng_setting_info(&rows[index]);
}

cairn_status cairn_world_def_get_value(const cairn_world_def *def, const char *key,
                                       cairn_value *value)
{
    if (value == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *value = cairn_number(0.0);
    if (def == NULL || key == NULL)
        return CAIRN_ERROR_ARGUMENT;
    return eng_value_read(&eng_world_settings, def, key, value);
}

cairn_status cairn_world_def_set_value(cairn_world_def *def, const char *key, cairn_value value,
                                       cairn_error *error)
{
    if (def == NULL || key == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "no definition, or no key");
    return base_settings_set(&eng_world_settings, def, key, eng_value_to_base(value), error);
}
