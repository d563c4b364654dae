// SPDX-License-Identifier: Apache-2.0
// Reads JSON (RFC 8259, nothing more) into a tree, with lines for messages.
#ifndef CAIRN_CLI_TEXT_JSON_READ_H
#define CAIRN_CLI_TEXT_JSON_READ_H

#include "base/memory.h"

#include <stdbool.h>

typedef enum cli_json_kind {
    CLI_JSON_NULL,
    CLI_JSON_BOOLEAN,
    CLI_JSON_NUMBER,
    CLI_JSON_TEXT,
    CLI_JSON_LIST,
    CLI_JSON_OBJECT
} cli_json_kind;

typedef struct cli_json_node {
    cli_json_kind kind;
    long line; // where it begins
    bool boolean;
    double number;                            // finite
    const char *text;                         // UTF-8 without zero bytes
    const char *key;                          // in an object; NULL elsewhere
    const struct cli_json_node *first, *next; // of a list or object, in order
    int count;
} cli_json_node;

/// A whole file or text. Nothing in it is trusted: at most 1 MB, 5000 values, 64 levels.
typedef struct cli_json_tree {
    base_arena *arena;
    const cli_json_node *root;
} cli_json_tree;

/// @param name  for messages, "name:line: what is wrong"
/// @param tree  out; release it whatever is returned
/// @return CAIRN_ERROR_FORMAT: no JSON, a key twice, or more than the limits; CAIRN_ERROR_MEMORY
cairn_status cli_json_parse(const char *text, size_t size, const char *name, cli_json_tree *tree,
                            cairn_error *error) CAIRN_CHECK_RESULT;

/// The same for a file. @return CAIRN_ERROR_FILE as well
cairn_status cli_json_read(const char *path, cli_json_tree *tree,
                           cairn_error *error) CAIRN_CHECK_RESULT;
void cli_json_release(cli_json_tree *tree);

/// "a number", "an object", ... for messages.
const char *cli_json_kind_name(cli_json_kind kind);

/// Member of an object; NULL when there is none.
const cli_json_node *cli_json_member(const cli_json_node *object, const char *key);

#endif
