// SPDX-License-Identifier: Apache-2.0
// Settings tables: defaults, checked assignment, and suggestions for mistyped names.
#include "base/settings.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *field_of(const base_setting *setting, void *settings)
{
    return (char *)settings + setting->offset;
}

static void store(const base_setting *setting, void *settings, double number)
{
    void *field = field_of(setting, settings);
    switch (setting->type) {
    case BASE_SETTING_REAL:
        *(double *)field = number;
        break;
    case BASE_SETTING_INTEGER:
    case BASE_SETTING_CHOICE:
        *(int *)field = (int)number;
        break;
    case BASE_SETTING_BOOLEAN:
        *(bool *)field = number != 0.0;
        break;
    }
}

void base_settings_defaults(const base_settings_table *table, void *settings)
{
    memset(settings, 0, table->size);
    for (int i = 0; i < table->count; i++)
        store(&table->settings[i], settings, table->settings[i].initial);
}

static cairn_status set_choice(const base_setting *setting, void *settings, base_value value,
                               cairn_error *error)
{
    char words[256] = "";
    int count = 0;
    for (; setting->choices[count] != NULL; count++) {
        if (value.type == BASE_VALUE_TEXT && strcmp(value.text, setting->choices[count]) == 0) {
            store(setting, settings, count);
            return CAIRN_OK;
        }
        size_t used = strlen(words);
        snprintf(words + used, sizeof words - used, "%s%s", count > 0 ? ", " : "",
                 setting->choices[count]);
    }
    if (value.type != BASE_VALUE_TEXT)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s must be one of %s", setting->name, words);
    const char *near = base_suggest(value.text, setting->choices, count);
    if (near != NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "%s = \"%s\" is not one of %s (did you mean \"%s\"?)", setting->name,
                         value.text, words, near);
    return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s = \"%s\" is not one of %s", setting->name,
                     value.text, words);
}

static cairn_status set_number(const base_setting *setting, void *settings, base_value value,
                               cairn_error *error)
{
    const char *kind = setting->type == BASE_SETTING_REAL ? "number" : "whole number";
    if (value.type != BASE_VALUE_NUMBER)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s must be a %s", setting->name, kind);
    if (setting->type == BASE_SETTING_INTEGER && value.number != floor(value.number))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s = %g must be a whole number",
                         setting->name, value.number);
    // written so that NaN fails
    if (!(value.number >= setting->minimum && value.number <= setting->maximum)) {
        const char *gap = setting->unit[0] != '\0' ? " " : "";
        if (setting->maximum >= DBL_MAX)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "%s = %g is out of range: at least %g%s%s", setting->name,
                             value.number, setting->minimum, gap, setting->unit);
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s = %g is out of range: %g to %g%s%s",
                         setting->name, value.number, setting->minimum, setting->maximum, gap,
                         setting->unit);
    }
    store(setting, settings, value.number);
    return CAIRN_OK;
}

const base_setting *base_settings_find(const base_settings_table *table, const char *name)
{
    for (int i = 0; i < table->count; i++)
        if (strcmp(table->settings[i].name, name) == 0)
            return &table->settings[i];
    return NULL;
}

cairn_status base_settings_set(const base_settings_table *table, void *settings, const char *name,
                               base_value value, cairn_error *error)
{
    const base_setting *setting = base_settings_find(table, name);
    if (setting == NULL) {
        const char *names[64];
        int count = 0;
        while (count < table->count && count < 64) {
            names[count] = table->settings[count].name;
            count++;
        }
        return base_fail(error, CAIRN_ERROR_NOT_FOUND, "unknown key \"%.80s\"%s", name,
                         base_choices_for(name, names, count).text);
    }
    if (setting->type == BASE_SETTING_CHOICE)
        return set_choice(setting, settings, value, error);
    if (setting->type == BASE_SETTING_BOOLEAN) {
        if (value.type != BASE_VALUE_BOOLEAN)
            return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s must be true or false", name);
        store(setting, settings, value.boolean);
        return CAIRN_OK;
    }
    return set_number(setting, settings, value, error);
}

cairn_status base_settings_set_text(const base_settings_table *table, void *settings,
                                    const char *name, const char *text, cairn_error *error)
{
    base_value value = {.type = BASE_VALUE_TEXT, .text = text};
    char *end = NULL;
    double number = base_text_number(text, &end);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        value = (base_value){.type = BASE_VALUE_BOOLEAN, .boolean = text[0] == 't'};
    else if (end != text && *end == '\0')
        value = (base_value){.type = BASE_VALUE_NUMBER, .number = number};
    return base_settings_set(table, settings, name, value, error);
}

base_value base_settings_get(const base_setting *setting, const void *settings)
{
    const void *field = (const char *)settings + setting->offset;
    switch (setting->type) {
    case BASE_SETTING_REAL:
        return (base_value){.type = BASE_VALUE_NUMBER, .number = *(const double *)field};
    case BASE_SETTING_INTEGER:
        return (base_value){.type = BASE_VALUE_NUMBER, .number = *(const int *)field};
    case BASE_SETTING_BOOLEAN:
        return (base_value){.type = BASE_VALUE_BOOLEAN, .boolean = *(const bool *)field};
    case BASE_SETTING_CHOICE:
        break;
    }
    return (base_value){.type = BASE_VALUE_TEXT, .text = setting->choices[*(const int *)field]};
}

/// Edits (insert, delete, replace, swap of neighbours) that turn a into b; both under 48 letters.
static int edit_distance(const char *a, const char *b)
{
    enum { LENGTH = 48 };
    int n = (int)strlen(a), m = (int)strlen(b);
    if (n >= LENGTH || m >= LENGTH)
        return LENGTH;
    int d[LENGTH][LENGTH];
    for (int i = 0; i <= n; i++)
        d[i][0] = i;
    for (int j = 0; j <= m; j++)
        d[0][j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            int best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
            best = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                best = d[i - 2][j - 2] + 1 < best ? d[i - 2][j - 2] + 1 : best;
            d[i][j] = best;
        }
    return d[n][m];
}

const char *base_suggest(const char *word, const char *const *names, int count)
{
    const char *best = NULL;
    int limit = ((int)strlen(word) + 1) / 3;
    limit = limit > 1 ? limit : 1;
    for (int i = 0; i < count; i++) {
        int distance = edit_distance(word, names[i]);
        if (distance <= limit) {
            best = names[i];
            limit = distance - 1;
        }
    }
    return best;
}

base_choices base_choices_for(const char *word, const char *const *names, int count)
{
    enum { MANY = 40, MARK = 5 };
    base_choices made = {""};
    const char *near = base_suggest(word, names, count);
    size_t size = sizeof made.text - MARK, used = 0;
    if (near != NULL)
        used = (size_t)snprintf(made.text, size, " (did you mean \"%.80s\"?)", near);
    if (count == 0 || (near != NULL && count > MANY))
        return made;
    used += (size_t)snprintf(made.text + used, size - used,
                             "%sthere %s: ", near != NULL ? "; " : " (", count == 1 ? "is" : "are");
    int i = 0;
    for (; i < count && used + strlen(names[i]) + 4 < size; i++)
        used +=
            (size_t)snprintf(made.text + used, size - used, "%s%s", i > 0 ? ", " : "", names[i]);
    snprintf(made.text + used, sizeof made.text - used, "%s%s", i < count ? ", ..." : "",
             near != NULL ? "" : ")");
    return made;
}
