// SPDX-License-Identifier: Apache-2.0
// What the bodies of a page look like, for web/source/model.js: names as JSON, numbers as arrays.
#ifndef CAIRN_CLI_EXPORT_EXPORT_DESCRIBE_H
#define CAIRN_CLI_EXPORT_EXPORT_DESCRIBE_H

#include "cli/export/export.h"
#include "cli/text/json.h"

/// Arrays of four-byte numbers, which the page finds by their names and places.
typedef struct export_arrays {
    cli_json *json;     // where a list of arrays is open
    export_bytes bytes; // of all arrays, one after the other
} export_arrays;

/// @param type  "f32" or "u32"
void export_array_begin(export_arrays *arrays, const char *name, const char *type, size_t count);

/// A number of the array that was begun last.
void export_array_real(export_arrays *arrays, double number);

/// Members of the object that is open: surfaces, materials, names of bodies, and arrays.
void export_describe(export_arrays *arrays, const export_model *model, const cairn_world *world);

#endif
