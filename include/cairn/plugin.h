// SPDX-License-Identifier: Apache-2.0
// cairn: the tables of laws, solvers and one-contact solvers.
#ifndef CAIRN_PLUGIN_H
#define CAIRN_PLUGIN_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

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
    bool kernel;      // a law that the sphere executor computes for many contacts at once
    double slower;    // laws without: so many times the work of a sphere in such a kernel; or 0
    int setting_count;
} cairn_plugin_info;

typedef enum cairn_plugin { CAIRN_LAW, CAIRN_SOLVER, CAIRN_LOCAL } cairn_plugin;

/// Number of laws, solvers or one-contact solvers; the first of each is the default.
CAIRN_API int cairn_plugin_count(cairn_plugin plugin);
CAIRN_API cairn_plugin_info cairn_plugin_get(cairn_plugin plugin, int index);
CAIRN_API cairn_setting_info cairn_plugin_get_setting(cairn_plugin plugin, int index, int setting);

#ifdef __cplusplus
}
#endif

#endif
