// SPDX-License-Identifier: Apache-2.0
// Writes JSON to a stream: one line, keys in the order of the calls, numbers that read back the
// same, null for what is not finite.
#ifndef CAIRN_CLI_TEXT_JSON_H
#define CAIRN_CLI_TEXT_JSON_H

#include <cairn/cairn.h>

#include <stdio.h>

typedef struct cli_json {
    FILE *out;
    bool follows; // a value precedes in this object or list
} cli_json;

cli_json cli_json_begin(FILE *out);

/// `key` is NULL in lists and at the top.
void cli_json_object(cli_json *json, const char *key);
void cli_json_object_end(cli_json *json);
void cli_json_list(cli_json *json, const char *key);
void cli_json_list_end(cli_json *json);
void cli_json_text(cli_json *json, const char *key, const char *text); // NULL: null
void cli_json_number(cli_json *json, const char *key, double number);
void cli_json_integer(cli_json *json, const char *key, int64_t number);
void cli_json_boolean(cli_json *json, const char *key, bool value);
void cli_json_value(cli_json *json, const char *key, cairn_value value);

/// Ends the line.
void cli_json_finish(cli_json *json);
/// Objects that were finished on standard output.
int cli_json_printed(void);

#endif
