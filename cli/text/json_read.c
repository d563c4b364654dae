// SPDX-License-Identifier: Apache-2.0
// A strict reader of JSON by recursive descent.
#include "cli/text/json_read.h"

#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_BYTES = 1 << 20, VALUES_MAX = 5000, DEPTH_MAX = 64, ARENA_START = 1 << 14 };

// `at` and `end` bound what is left; a zero byte follows `end`
typedef struct reader {
    const char *name;
    const char *at, *end;
    long line;
    int depth, values;
    base_arena *arena;
    cairn_error *error;
} reader;

static cairn_status fail(const reader *r, const char *what)
{
    return base_fail(r->error, CAIRN_ERROR_FORMAT, "%s:%ld: %s", r->name, r->line, what);
}

static cairn_status fail_memory(const reader *r)
{
    return base_fail(r->error, CAIRN_ERROR_MEMORY, "%s: out of memory", r->name);
}

static void skip_space(reader *r)
{
    for (; r->at < r->end; r->at++) {
        if (*r->at == '\n')
            r->line++;
        else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r')
            return;
    }
}

/// The next letter after white space; 0 at the end.
static char peek(reader *r)
{
    skip_space(r);
    return r->at < r->end ? *r->at : '\0';
}

static cairn_status fail_expected(reader *r, const char *what)
{
    char letter = peek(r);
    if (r->at == r->end)
        return base_fail(r->error, CAIRN_ERROR_FORMAT, "%s:%ld: expected %s at the end", r->name,
                         r->line, what);
    if (letter < 0x20 || letter > 0x7e)
        return base_fail(r->error, CAIRN_ERROR_FORMAT, "%s:%ld: expected %s before byte 0x%02x",
                         r->name, r->line, what, (unsigned char)letter);
    return base_fail(r->error, CAIRN_ERROR_FORMAT, "%s:%ld: expected %s before \"%c\"", r->name,
                     r->line, what, letter);
}

// ---------------------------------------------------------------- numbers and words

static const char *skip_digits(const char *at)
{
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

/// End of a number of the grammar; NULL where there is none.
static const char *number_end(const char *at)
{
    at += *at == '-';
    if (!isdigit((unsigned char)*at))
        return NULL;
    at = *at == '0' ? at + 1 : skip_digits(at);
    if (*at == '.') {
        if (!isdigit((unsigned char)at[1]))
            return NULL;
        at = skip_digits(at + 1);
    }
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '-' || at[1] == '+' ? 2 : 1;
        if (!isdigit((unsigned char)*at))
            return NULL;
        at = skip_digits(at);
    }
    return at;
}

static cairn_status read_number(reader *r, cli_json_node *node)
{
    const char *end = number_end(r->at);
    if (end == NULL || isalnum((unsigned char)*end) || *end == '.' || *end == '_')
        return fail(r, "a number is not written as JSON wants it");
    node->kind = CLI_JSON_NUMBER;
    node->number = strtod(r->at, NULL);
    if (!isfinite(node->number))
        return fail(r, "a number is too large");
    r->at = end;
    return CAIRN_OK;
}

static cairn_status read_word(reader *r, cli_json_node *node)
{
    static const char *const words[] = {"null", "false", "true"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(r->end - r->at) < length || memcmp(r->at, words[i], length) != 0 ||
            isalnum((unsigned char)r->at[length]))
            continue;
        node->kind = i == 0 ? CLI_JSON_NULL : CLI_JSON_BOOLEAN;
        node->boolean = i == 2;
        r->at += length;
        return CAIRN_OK;
    }
    return fail_expected(r, "a value");
}

// ---------------------------------------------------------------- texts

/// Four hexadecimal digits; -1 where there are none.
static int32_t read_hex(reader *r)
{
    int32_t code = 0;
    if (r->end - r->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        char letter = *r->at++;
        if (!isxdigit((unsigned char)letter))
            return -1;
        code = 16 * code + (isdigit((unsigned char)letter)
                                ? letter - '0'
                                : tolower((unsigned char)letter) - 'a' + 10);
    }
    return code;
}

static char *put_utf8(char *out, int32_t code)
{
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const int32_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    *out++ = (char)(lead[more] | (code >> (6 * more)));
    while (more-- > 0)
        *out++ = (char)(0x80 | ((code >> (6 * more)) & 0x3f));
    return out;
}

static cairn_status read_unicode(reader *r, char **out)
{
    int32_t code = read_hex(r), low = -1;
    if (code >= 0xd800 && code < 0xdc00 && r->end - r->at > 2 && r->at[0] == '\\' &&
        r->at[1] == 'u') {
        r->at += 2;
        low = read_hex(r);
        if (low < 0xdc00 || low > 0xdfff)
            return fail(r, "a \\u escape is half of a pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (code <= 0 || (code >= 0xd800 && code < 0xe000))
        return fail(r, "a \\u escape is no letter");
    *out = put_utf8(*out, code);
    return CAIRN_OK;
}

static cairn_status read_escape(reader *r, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char letter = r->at < r->end ? *r->at++ : '\0';
    if (letter == 'u')
        return read_unicode(r, out);
    const char *found = letter != '\0' ? strchr(from, letter) : NULL;
    if (found == NULL)
        return fail(r, "an escape that JSON does not have");
    *(*out)++ = to[found - from];
    return CAIRN_OK;
}

/// Length of the UTF-8 sequence that begins here; 0 for none.
static int utf8_length(const reader *r)
{
    const unsigned char *at = (const unsigned char *)r->at;
    int length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (at[0] > 0xf4 || r->end - r->at < length)
        return 0;
    for (int i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    // overlong forms, surrogates, and what lies beyond Unicode
    bool outside = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                   (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f);
    return outside ? 0 : length;
}

static cairn_status read_letters(reader *r, char *out)
{
    while (r->at < r->end && *r->at != '"') {
        int length = utf8_length(r);
        if ((unsigned char)*r->at < 0x20)
            return fail(r, "a control character in a text");
        if (length == 0)
            return fail(r, "a text is not UTF-8");
        if (*r->at == '\\') {
            r->at++;
            BASE_TRY(read_escape(r, &out));
            continue;
        }
        memcpy(out, r->at, (size_t)length);
        out += length;
        r->at += length;
    }
    *out = '\0';
    return r->at < r->end ? CAIRN_OK : fail(r, "a text does not end");
}

static cairn_status read_text(reader *r, const char **text)
{
    // no letter grows by its escape, so that the rest of the line bounds the text
    const char *close = r->at + 1;
    while (close < r->end && *close != '"' && *close != '\n')
        close += *close == '\\' && close + 1 < r->end ? 2 : 1;
    char *out = base_arena_array(r->arena, char, "text", close - r->at + 1);
    if (out == NULL)
        return fail_memory(r);
    r->at++;
    cairn_status status = read_letters(r, out);
    r->at += status == CAIRN_OK;
    *text = out;
    return status;
}

// ---------------------------------------------------------------- values

static cairn_status read_value(reader *r, cli_json_node **made);

const cli_json_node *cli_json_member(const cli_json_node *object, const char *key)
{
    const cli_json_node *node = object->kind == CLI_JSON_OBJECT ? object->first : NULL;
    while (node != NULL && strcmp(node->key, key) != 0)
        node = node->next;
    return node;
}

static cairn_status read_key(reader *r, const cli_json_node *object, const char **key)
{
    if (peek(r) != '"')
        return fail_expected(r, "a key in quotes");
    BASE_TRY(read_text(r, key));
    if (cli_json_member(object, *key) != NULL)
        return base_fail(r->error, CAIRN_ERROR_FORMAT, "%s:%ld: key \"%.80s\" is there twice",
                         r->name, r->line, *key);
    if (peek(r) != ':')
        return fail_expected(r, "\":\"");
    r->at++;
    return CAIRN_OK;
}

/// One element, appended at `last`.
static cairn_status read_element(reader *r, cli_json_node *parent, cli_json_node **last)
{
    const char *key = NULL;
    cli_json_node *node;
    BASE_TRY(parent->kind == CLI_JSON_OBJECT ? read_key(r, parent, &key) : CAIRN_OK);
    BASE_TRY(read_value(r, &node));
    node->key = key;
    if (*last == NULL)
        parent->first = node;
    else
        (*last)->next = node;
    *last = node;
    parent->count++;
    return CAIRN_OK;
}

static cairn_status read_container(reader *r, cli_json_node *node, char close)
{
    cli_json_node *last = NULL;
    if (++r->depth > DEPTH_MAX)
        return fail(r, "lists and objects are nested too deep");
    r->at++;
    if (peek(r) != close)
        for (;;) {
            BASE_TRY(read_element(r, node, &last));
            if (peek(r) != ',')
                break;
            r->at++;
        }
    if (peek(r) != close)
        return fail_expected(r, close == ']' ? "\",\" or \"]\"" : "\",\" or \"}\"");
    r->at++;
    r->depth--;
    return CAIRN_OK;
}

static cairn_status read_value(reader *r, cli_json_node **made)
{
    if (++r->values > VALUES_MAX)
        return fail(r, "too many values");
    cli_json_node *node = base_arena_array(r->arena, cli_json_node, "node", 1);
    if (node == NULL)
        return fail_memory(r);
    *made = node;
    char letter = peek(r);
    *node = (cli_json_node){.kind = CLI_JSON_NULL, .line = r->line};
    switch (letter) {
    case '{':
        node->kind = CLI_JSON_OBJECT;
        return read_container(r, node, '}');
    case '[':
        node->kind = CLI_JSON_LIST;
        return read_container(r, node, ']');
    case '"':
        node->kind = CLI_JSON_TEXT;
        return read_text(r, &node->text);
    default:
        return letter == '-' || isdigit((unsigned char)letter) ? read_number(r, node)
                                                               : read_word(r, node);
    }
}

static cairn_status parse(reader *r, cli_json_tree *tree)
{
    cli_json_node *root = NULL;
    BASE_TRY(read_value(r, &root));
    skip_space(r);
    if (r->at != r->end)
        return fail_expected(r, "the end of the file");
    tree->root = root;
    return CAIRN_OK;
}

cairn_status cli_json_parse(const char *text, size_t size, const char *name, cli_json_tree *tree,
                            cairn_error *error)
{
    base_allocator allocator = base_allocator_default();
    *tree = (cli_json_tree){.arena = base_arena_create(&allocator, ARENA_START)};
    reader r = {.name = name, .line = 1, .arena = tree->arena, .error = error};
    if (size > SIZE_MAX_BYTES)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s: larger than 1 MB", name);
    char *copy = tree->arena != NULL ? base_arena_array(tree->arena, char, "file", size + 1) : NULL;
    if (copy == NULL)
        return fail_memory(&r);
    memcpy(copy, text, size);
    copy[size] = '\0';
    r.at = copy;
    r.end = copy + size;
    return parse(&r, tree);
}

cairn_status cli_json_read(const char *path, cli_json_tree *tree, cairn_error *error)
{
    base_allocator allocator = base_allocator_default();
    *tree = (cli_json_tree){0};
    const char *reason = NULL;
    FILE *file = base_file_read(path, &reason);
    if (file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, reason);
    char *text = base_allocate(&allocator, SIZE_MAX_BYTES + 1, 1);
    size_t size = text != NULL ? fread(text, 1, SIZE_MAX_BYTES + 1, file) : 0;
    bool broken = ferror(file) != 0;
    fclose(file);
    cairn_status status = text == NULL
                              ? base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path)
                          : broken ? base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be read", path)
                                   : cli_json_parse(text, size, path, tree, error);
    base_release(&allocator, text);
    return status;
}

void cli_json_release(cli_json_tree *tree)
{
    base_arena_destroy(tree->arena);
    *tree = (cli_json_tree){0};
}

const char *cli_json_kind_name(cli_json_kind kind)
{
    static const char *const names[] = {"null",   "true or false", "a number",
                                        "a text", "a list",        "an object"};
    return names[kind];
}
