// SPDX-License-Identifier: Apache-2.0
// Public interface: values of settings, lists of laws and solvers. Part of cairn.h.
#ifndef CAIRN_VALUES_H
#define CAIRN_VALUES_H

#include "base/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A setting's value as a scene or a command line gives it.
typedef enum cairn_value_type { CAIRN_NUMBER, CAIRN_BOOLEAN, CAIRN_TEXT } cairn_value_type;

typedef struct cairn_value {
    cairn_value_type type;
    double number;
    bool boolean;
    const char *text; // borrowed during the call
} cairn_value;

static inline cairn_value cairn_number(double number)
{
    cairn_value value = {CAIRN_NUMBER, number, false, 0};
    return value;
}

static inline cairn_value cairn_text(const char *text)
{
    cairn_value value = {CAIRN_TEXT, 0.0, false, text};
    return value;
}

/// One row of a table of laws, solvers or one-contact solvers, for listings.
typedef struct cairn_setting_info {
    const char *name, *type, *unit, *help; // type: "number", "integer", "boolean", "choice"
    double minimum, maximum;
    cairn_value initial;
    const char *const *choices; // NULL-terminated, for a choice; NULL otherwise
} cairn_setting_info;

typedef struct cairn_plugin_info {
    const char *name, *help;
    const char *kind; // laws: "cone" or "impulse"; "" otherwise
    int setting_count;
} cairn_plugin_info;

typedef enum cairn_plugin { CAIRN_LAW, CAIRN_SOLVER, CAIRN_LOCAL } cairn_plugin;

/// Number of laws, solvers or one-contact solvers; the first of each is the default.
CAIRN_API int cairn_plugin_count(cairn_plugin plugin);
CAIRN_API cairn_plugin_info cairn_plugin_get(cairn_plugin plugin, int index);
CAIRN_API cairn_setting_info cairn_plugin_setting(cairn_plugin plugin, int index, int setting);

#ifdef __cplusplus
}
#endif

#endif
