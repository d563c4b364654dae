// SPDX-License-Identifier: Apache-2.0
// Lists of laws, solvers and one-contact solvers for users of the public header.
#include "engine/state/ids.h"
#include "engine/state/values.h"

#include "base/assert.h"
#include "contact/laws/slow.h"

static const base_settings_table *table_of(cairn_plugin plugin, int index)
{
    int count;
    switch (plugin) {
    case CAIRN_LAW:
        return &con_law_list(&count)[index]->table;
    case CAIRN_SOLVER:
        return &con_solver_list(&count)[index]->table;
    case CAIRN_LOCAL:
        return &con_local_list(&count)[index]->table;
    }
    return NULL;
}

int cairn_plugin_count(cairn_plugin plugin)
{
    int count = 0;
    switch (plugin) {
    case CAIRN_LAW:
        con_law_list(&count);
        break;
    case CAIRN_SOLVER:
        con_solver_list(&count);
        break;
    case CAIRN_LOCAL:
        con_local_list(&count);
        break;
    }
    return count;
}

cairn_plugin_info cairn_plugin_get(cairn_plugin plugin, int index)
{
    if (index < 0 || index >= cairn_plugin_count(plugin))
        return (cairn_plugin_info){.name = "", .help = "", .kind = ""};
    int count;
    cairn_plugin_info info = {.kind = "", .setting_count = table_of(plugin, index)->count};
    switch (plugin) {
    case CAIRN_LAW: {
        const con_law *law = con_law_list(&count)[index];
        info.name = law->name;
        info.help = law->help;
        info.kind = law->kind == CON_LAW_CONE ? "cone" : "impulse";
        info.kernel = law->batch != NULL;
        info.slower = info.kernel ? 0.0 : con_slow_law(law->name, false);
        break;
    }
    case CAIRN_SOLVER:
        info.name = con_solver_list(&count)[index]->name;
        info.help = con_solver_list(&count)[index]->help;
        break;
    case CAIRN_LOCAL:
        info.name = con_local_list(&count)[index]->name;
        info.help = con_local_list(&count)[index]->help;
        break;
    }
    return info;
}

static cairn_value initial_value(const base_setting *row)
{
    switch (row->type) {
    case BASE_SETTING_BOOLEAN:
        return (cairn_value){.type = CAIRN_BOOLEAN, .boolean = row->initial != 0.0};
    case BASE_SETTING_CHOICE:
        return cairn_text(row->choices[(int)row->initial]);
    case BASE_SETTING_REAL:
    case BASE_SETTING_INTEGER:
        break;
    }
    return cairn_number(row->initial);
}

cairn_setting_info eng_setting_info(const base_setting *row)
{
    static const char *const types[] = {"number", "integer", "boolean", "choice"};
    return (cairn_setting_info){
        .name = row->name,
        .type = types[row->type],
        .unit = row->unit,
        .help = row->help,
        .minimum = row->minimum,
        .maximum = row->maximum,
        .initial = initial_value(row),
        .choices = row->choices,
    };
}

cairn_setting_info cairn_plugin_get_setting(cairn_plugin plugin, int index, int setting)
{
    bool known = index >= 0 && index < cairn_plugin_count(plugin);
    const base_settings_table *table = known ? table_of(plugin, index) : NULL;
    if (table == NULL || setting < 0 || setting >= table->count)
        return (cairn_setting_info){.name = "", .type = "", .unit = "", .help = ""};
    return eng_setting_info(&table->settings[setting]);
}

base_value eng_value_to_base(cairn_value value)
{
    switch (value.type) {
    case CAIRN_NUMBER:
        return (base_value){.type = BASE_VALUE_NUMBER, .number = value.number};
    case CAIRN_BOOLEAN:
        return (base_value){.type = BASE_VALUE_BOOLEAN, .boolean = value.boolean};
    case CAIRN_TEXT:
        break;
    }
    return (base_value){.type = BASE_VALUE_TEXT, .text = value.text};
}

cairn_value eng_value_from_base(base_value value)
{
    switch (value.type) {
    case BASE_VALUE_NUMBER:
        return cairn_number(value.number);
    case BASE_VALUE_BOOLEAN:
        return (cairn_value){.type = CAIRN_BOOLEAN, .boolean = value.boolean};
    case BASE_VALUE_TEXT:
        break;
    }
    return cairn_text(value.text);
}

cairn_status eng_fail_id(cairn_error *error, cairn_status status, const char *noun)
{
    if (status == CAIRN_ERROR_WORLD)
        return base_fail(error, status, "the %s is of another world", noun);
    if (status == CAIRN_ERROR_STALE_ID)
        return base_fail(error, status, "no such %s: the id is null, or it was removed", noun);
    return base_fail(error, status, "%s", cairn_status_text(status));
}

cairn_status eng_value_read(const base_settings_table *table, const void *settings,
                            const char *name, cairn_value *value)
{
    const base_setting *row = base_settings_find(table, name);
    *value =
        row != NULL ? eng_value_from_base(base_settings_get(row, settings)) : cairn_number(0.0);
    return row != NULL ? CAIRN_OK : CAIRN_ERROR_NOT_FOUND;
}

void eng_surface_init(eng_surface *surface, const con_law *law)
{
    BASE_ASSERT(law->table.size <= sizeof surface->parameters);
    *surface = (eng_surface){.law = law};
    base_settings_defaults(&law->table, surface->parameters);
}

cairn_status eng_fail_plugin(cairn_plugin plugin, const char *name, cairn_error *error)
{
    static const char *const what[] = {"law", "solver", "one-contact solver"};
    const char *names[64];
    int count = cairn_plugin_count(plugin);
    count = count < BASE_COUNT(names) ? count : BASE_COUNT(names);
    for (int i = 0; i < count; i++)
        names[i] = cairn_plugin_get(plugin, i).name;
    return base_fail(error, CAIRN_ERROR_NOT_FOUND, "unknown %s \"%s\"%s", what[plugin], name,
                     base_choices_for(name, names, count).text);
}

const char *cairn_version(void)
{
    return CAIRN_VERSION_TEXT;
}
