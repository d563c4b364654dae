// SPDX-License-Identifier: Apache-2.0
// Typed settings: one table per law or solver gives its struct's defaults, range checks and help.
#ifndef CAIRN_BASE_SETTINGS_H
#define CAIRN_BASE_SETTINGS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

/// REAL fields are double, INTEGER and CHOICE fields int (a choice is the index of its word),
/// BOOLEAN fields bool.
typedef enum base_setting_type {
    BASE_SETTING_REAL,
    BASE_SETTING_INTEGER,
    BASE_SETTING_BOOLEAN,
    BASE_SETTING_CHOICE
} base_setting_type;

typedef struct base_setting {
    const char *name;
    base_setting_type type;
    size_t offset;    // of the field in the settings struct
    const char *unit; // "" where it has none
    double initial;   // default, for every type
    double minimum;   // allowed range, ends included
    double maximum;
    const char *const *choices; // NULL-terminated words of a CHOICE
    const char *help;
} base_setting;

/// A table with its struct's size.
typedef struct base_settings_table {
    const base_setting *settings;
    int count;
    size_t size; // bytes of the settings struct
} base_settings_table;

/// A value as scenes and the command line give it: a number, a boolean or a word.
typedef struct base_value {
    enum { BASE_VALUE_NUMBER, BASE_VALUE_BOOLEAN, BASE_VALUE_TEXT } type;
    double number;
    bool boolean;
    const char *text; // borrowed
} base_value;

/// Fills a settings struct (`table->size` bytes) with the defaults.
void base_settings_defaults(const base_settings_table *table, void *settings);

/// Sets one field by name, after checking type and range. The message of a failure names the
/// setting, the value and the allowed range, or suggests a similar name.
/// @return CAIRN_OK, CAIRN_ERROR_NOT_FOUND or CAIRN_ERROR_ARGUMENT
cairn_status base_settings_set(const base_settings_table *table, void *settings, const char *name,
                               base_value value, cairn_error *error) CAIRN_CHECK_RESULT;

/// Like base_settings_set, for a value written as text ("0.5", "true", "shuffled").
cairn_status base_settings_set_text(const base_settings_table *table, void *settings,
                                    const char *name, const char *text,
                                    cairn_error *error) CAIRN_CHECK_RESULT;

/// Row of a name; NULL where there is none.
const base_setting *base_settings_find(const base_settings_table *table, const char *name);

/// The value of a field, for reports.
base_value base_settings_get(const base_setting *setting, const void *settings);

/// What a message says behind a word that is none of `names`: a name that may be meant, and all
/// that there are, unless one is meant and they are many.
typedef struct base_choices {
    char text[400];
} base_choices;

base_choices base_choices_for(const char *word, const char *const *names, int count);

/// The name in `names` (count of them) that a user may have meant by `word`; NULL if none is near.
const char *base_suggest(const char *word, const char *const *names, int count);

#endif
