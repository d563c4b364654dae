// SPDX-License-Identifier: Apache-2.0
// Settings of two runs that differ, from their resolved.json.
#include "cli/compare/compare.h"

#include "base/assert.h"
#include "cli/process/files.h"

#include <string.h>
#include <unistd.h>

/// What results do not depend on, and what is compared elsewhere.
static bool is_left_out(const char *path)
{
    static const char *const names[] = {
        "scene", "title", "bodies", "simulation.threads", "output", "simulation.vectors"};
    for (int i = 0; i < BASE_COUNT(names); i++)
        if (strcmp(path, names[i]) == 0)
            return true;
    return false;
}

static const char *text_member(const cli_json_node *object, const char *key)
{
    const cli_json_node *found = cli_json_member(object, key);
    return found != NULL && found->kind == CLI_JSON_TEXT ? found->text : NULL;
}

/// Path of a value: "simulation.step", "pairs[sand, steel].law", "gravity[2]".
static void path_of(const cli_json_node *node, const char *parent, int index,
                    char path[COMPARE_PATH])
{
    const char *dot = parent[0] != '\0' ? "." : "";
    if (node->key != NULL) {
        snprintf(path, COMPARE_PATH, "%s%s%s", parent, dot, node->key);
        return;
    }
    bool object = node->kind == CLI_JSON_OBJECT;
    const char *name = object ? text_member(node, "name") : NULL;
    const char *a = object ? text_member(node, "a") : NULL;
    const char *b = object ? text_member(node, "b") : NULL;
    if (a != NULL && b != NULL)
        snprintf(path, COMPARE_PATH, "%s[%s, %s]", parent, a, b);
    else if (name != NULL)
        snprintf(path, COMPARE_PATH, "%s[%s]", parent, name);
    else if (object && cli_json_member(node, "a") != NULL)
        snprintf(path, COMPARE_PATH, "%s[]", parent);
    else
        snprintf(path, COMPARE_PATH, "%s[%d]", parent, index);
}

static bool is_whole(const cli_json_node *node)
{
    return node != NULL && (node->kind == CLI_JSON_OBJECT || node->kind == CLI_JSON_LIST);
}

static void put_value(const cli_json_node *node, char text[COMPARE_TEXT])
{
    if (node == NULL)
        snprintf(text, COMPARE_TEXT, "none");
    else if (node->kind == CLI_JSON_NUMBER)
        snprintf(text, COMPARE_TEXT, "%.10g", node->number);
    else if (node->kind == CLI_JSON_BOOLEAN)
        snprintf(text, COMPARE_TEXT, "%s", node->boolean ? "true" : "false");
    else if (node->kind == CLI_JSON_TEXT)
        snprintf(text, COMPARE_TEXT, "%.*s", COMPARE_TEXT - 1, node->text);
    else
        snprintf(text, COMPARE_TEXT, "%s", node->kind == CLI_JSON_NULL ? "none" : "given");
}

static bool same_value(const cli_json_node *a, const cli_json_node *b)
{
    if (a == NULL || b == NULL || a->kind != b->kind)
        return a == b;
    return a->kind == CLI_JSON_NUMBER    ? a->number == b->number
           : a->kind == CLI_JSON_BOOLEAN ? a->boolean == b->boolean
           : a->kind == CLI_JSON_TEXT    ? strcmp(a->text, b->text) == 0
                                         : true;
}

static cairn_status add(compare_settings_list *list, const char *path, const cli_json_node *a,
                        const cli_json_node *b)
{
    if (base_array_reserve(&list->allocator, &list->items, &list->capacity, list->count + 1) !=
        CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    compare_setting *made = &list->items[list->count++];
    snprintf(made->name, sizeof made->name, "%s", path);
    for (int i = 0; i < 2; i++) {
        const cli_json_node *node = i == 0 ? a : b;
        made->kind[i] = node != NULL ? node->kind : CLI_JSON_NULL;
        made->number[i] = node == NULL                     ? 0.0
                          : node->kind == CLI_JSON_BOOLEAN ? node->boolean
                                                           : node->number;
        put_value(node, made->value[i]);
    }
    return CAIRN_OK;
}

/// The child of `of` that stands where a path says.
static const cli_json_node *child_at(const cli_json_node *of, const char *parent, const char *path)
{
    int index = 0;
    for (const cli_json_node *at = is_whole(of) ? of->first : NULL; at != NULL; at = at->next) {
        char own[COMPARE_PATH];
        path_of(at, parent, index++, own);
        if (strcmp(own, path) == 0)
            return at;
    }
    return NULL;
}

static cairn_status differ(const cli_json_node *a, const cli_json_node *b, const char *path,
                           compare_settings_list *list);

/// Children of one of two values, with those of the other in the same places; of the second one
/// those alone that the first has not.
static cairn_status differ_below(const cli_json_node *a, const cli_json_node *b, bool second,
                                 const char *parent, compare_settings_list *list)
{
    const cli_json_node *walked = second ? b : a;
    cairn_status status = CAIRN_OK;
    int index = 0;
    for (const cli_json_node *at = is_whole(walked) ? walked->first : NULL;
         at != NULL && status == CAIRN_OK; at = at->next) {
        char path[COMPARE_PATH];
        path_of(at, parent, index++, path);
        const cli_json_node *other = child_at(second ? a : b, parent, path);
        if (is_left_out(path) || (second && other != NULL))
            continue;
        status = second ? differ(NULL, at, path, list) : differ(at, other, path, list);
    }
    return status;
}

static cairn_status differ(const cli_json_node *a, const cli_json_node *b, const char *path,
                           compare_settings_list *list)
{
    // of what one run alone has, that it has it
    bool whole = is_whole(a) && is_whole(b);
    if (!whole)
        return same_value(a, b) ? CAIRN_OK : add(list, path, a, b);
    cairn_status status = differ_below(a, b, false, path, list);
    return status == CAIRN_OK ? differ_below(a, b, true, path, list) : status;
}

cairn_status compare_settings_read(const char *const folders[2], compare_settings_list *list,
                                   cairn_error *error)
{
    cli_json_tree trees[2] = {{0}};
    cairn_status status = CAIRN_OK;
    list->known = true;
    for (int i = 0; i < 2 && status == CAIRN_OK && list->known; i++) {
        char path[PATH_MAX];
        status = cli_path_join(path, folders[i], "resolved.json", error);
        if (status != CAIRN_OK)
            break;
        list->known = access(path, F_OK) == 0;
        if (list->known)
            status = cli_json_read(path, &trees[i], error);
    }
    if (status == CAIRN_ERROR_FORMAT) {
        // more values than are read, or a damaged file, which leaves the rest to be compared
        list->known = false;
        status = CAIRN_OK;
    }
    if (status == CAIRN_OK && list->known)
        status = differ(trees[0].root, trees[1].root, "", list);
    for (int i = 0; i < 2; i++)
        cli_json_release(&trees[i]);
    return status;
}

void compare_settings_release(compare_settings_list *list)
{
    base_release(&list->allocator, list->items);
    list->items = NULL;
    list->count = list->capacity = 0;
}
