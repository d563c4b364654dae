// SPDX-License-Identifier: Apache-2.0
// Writes and reads saved views.
#include "cli/options/saved_view.h"

#include "base/assert.h"
#include "base/text.h"
#include "cli/process/files.h"
#include "cli/text/json.h"
#include "cli/text/json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum field_kind { FIELD_NUMBER, FIELD_POINT, FIELD_FLAG, FIELD_WORD } field_kind;

/// A key of the file and where its value goes; words are numbers of enums.
typedef struct field {
    const char *key;
    field_kind kind;
    void *to;
    double low, high; // of numbers
    const char *const *words;
} field;

enum { FIELD_COUNT = 18 };

static void list_fields(view_place *place, view_style *style, field fields[FIELD_COUNT])
{
    const field list[] = {
        {"target", FIELD_POINT, place->target, -1e12, 1e12, NULL},
        {"distance", FIELD_NUMBER, &place->distance, 1e-9, 1e12, NULL},
        {"azimuth", FIELD_NUMBER, &place->azimuth, -360.0, 360.0, NULL},
        {"elevation", FIELD_NUMBER, &place->elevation, -89.0, 89.0, NULL},
        {"parallel", FIELD_FLAG, &place->parallel, 0.0, 0.0, NULL},
        {"contacts", FIELD_WORD, &style->contacts, 0.0, 0.0, view_contacts_names},
        {"colours", FIELD_WORD, &style->colours, 0.0, 0.0, view_colours_names},
        {"glass", FIELD_WORD, &style->glass, 0.0, 0.0, view_glass_names},
        {"ground", FIELD_FLAG, &style->ground, 0.0, 0.0, NULL},
        {"shadows", FIELD_FLAG, &style->shadows, 0.0, 0.0, NULL},
        {"joints", FIELD_FLAG, &style->joints, 0.0, 0.0, NULL},
        {"axes", FIELD_FLAG, &style->frames, 0.0, 0.0, NULL},
        {"boxes", FIELD_FLAG, &style->boxes, 0.0, 0.0, NULL},
        {"velocities", FIELD_FLAG, &style->velocities, 0.0, 0.0, NULL},
        {"contact_scale", FIELD_NUMBER, &style->contact_scale, 0.01, 100.0, NULL},
        {"colour_from", FIELD_NUMBER, &style->colour_range[0], -1e30, 1e30, NULL},
        {"colour_to", FIELD_NUMBER, &style->colour_range[1], -1e30, 1e30, NULL},
        {"force_unit", FIELD_NUMBER, &style->force_unit, 0.0, 1e30, NULL},
    };
    _Static_assert(BASE_COUNT(list) == FIELD_COUNT, "all fields are listed");
    memcpy(fields, list, sizeof list);
}

cairn_status cli_saved_view_write(const char *path, const view_place *place,
                                  const view_style *style, cairn_error *error)
{
    cli_file file;
    view_place from = *place;
    view_style shown = *style;
    field fields[FIELD_COUNT];
    list_fields(&from, &shown, fields);
    BASE_TRY(cli_file_open(&file, path, error));
    cli_json json = cli_json_begin(file.stream);
    cli_json_object(&json, NULL);
    for (int i = 0; i < FIELD_COUNT; i++) {
        const field *f = &fields[i];
        const double *numbers = f->to;
        switch (f->kind) {
        case FIELD_NUMBER:
            cli_json_number(&json, f->key, *numbers);
            break;
        case FIELD_POINT:
            cli_json_list(&json, f->key);
            for (int k = 0; k < 3; k++)
                cli_json_number(&json, NULL, numbers[k]);
            cli_json_list_end(&json);
            break;
        case FIELD_FLAG:
            cli_json_boolean(&json, f->key, *(const bool *)f->to);
            break;
        case FIELD_WORD:
            cli_json_text(&json, f->key, f->words[*(const int *)f->to]);
            break;
        }
    }
    cli_json_object_end(&json);
    cli_json_finish(&json);
    return cli_file_commit(&file, error);
}

static cairn_status refuse(const char *path, const cli_json_node *node, const char *wanted,
                           cairn_error *error)
{
    return base_fail(error, CAIRN_ERROR_FORMAT, "%.300s:%ld: \"%.60s\" wants %.160s, not %s", path,
                     node->line, node->key, wanted, cli_json_kind_name(node->kind));
}

static cairn_status read_number(const char *path, const cli_json_node *key,
                                const cli_json_node *node, const field *f, double *to,
                                cairn_error *error)
{
    if (node->kind != CLI_JSON_NUMBER)
        return refuse(path, key, "a number", error);
    if (!(node->number >= f->low && node->number <= f->high))
        return base_fail(error, CAIRN_ERROR_FORMAT,
                         "%.300s:%ld: \"%s\" is %g: it goes from %g to %g", path, node->line,
                         f->key, node->number, f->low, f->high);
    *to = node->number;
    return CAIRN_OK;
}

static cairn_status read_point(const char *path, const cli_json_node *node, const field *f,
                               cairn_error *error)
{
    double *to = f->to;
    if (node->kind != CLI_JSON_LIST || node->count != 3)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%.300s:%ld: \"%s\" wants a list of 3 numbers",
                         path, node->line, f->key);
    for (const cli_json_node *each = node->first; each != NULL; each = each->next)
        BASE_TRY(read_number(path, node, each, f, to++, error));
    return CAIRN_OK;
}

static cairn_status read_word(const char *path, const cli_json_node *node, const field *f,
                              cairn_error *error)
{
    int word = node->kind == CLI_JSON_TEXT ? view_style_find(f->words, node->text) : -1;
    char names[160] = "";
    for (int i = 0; f->words[i] != NULL; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", f->words[i]);
    }
    if (word < 0)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%.300s:%ld: \"%s\" is one of %s", path,
                         node->line, f->key, names);
    *(int *)f->to = word;
    return CAIRN_OK;
}

static cairn_status read_field(const char *path, const cli_json_node *node, const field *fields,
                               cairn_error *error)
{
    const field *f = NULL;
    char names[200] = "";
    for (int i = 0; i < FIELD_COUNT; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "", fields[i].key);
        if (strcmp(node->key, fields[i].key) == 0)
            f = &fields[i];
    }
    if (f == NULL)
        return base_fail(error, CAIRN_ERROR_FORMAT,
                         "%.200s:%ld: a view has no \"%.60s\"; it has %s", path, node->line,
                         node->key, names);
    switch (f->kind) {
    case FIELD_NUMBER:
        return read_number(path, node, node, f, f->to, error);
    case FIELD_POINT:
        return read_point(path, node, f, error);
    case FIELD_WORD:
        return read_word(path, node, f, error);
    case FIELD_FLAG:
        break;
    }
    if (node->kind != CLI_JSON_BOOLEAN)
        return refuse(path, node, "true or false", error);
    *(bool *)f->to = node->boolean;
    return CAIRN_OK;
}

cairn_status cli_saved_view_read(const char *path, view_place *place, view_style *style,
                                 cairn_error *error)
{
    cli_json_tree tree = {0};
    field fields[FIELD_COUNT];
    list_fields(place, style, fields);
    cairn_status status = cli_json_read(path, &tree, error);
    if (status == CAIRN_OK && tree.root->kind != CLI_JSON_OBJECT)
        status = base_fail(error, CAIRN_ERROR_FORMAT, "%.300s: no view, but %s", path,
                           cli_json_kind_name(tree.root->kind));
    if (status == CAIRN_OK) {
        bool target = cli_json_member(tree.root, "target") != NULL;
        place->saved = target && cli_json_member(tree.root, "distance") != NULL;
        if (target != (cli_json_member(tree.root, "distance") != NULL))
            status = base_fail(error, CAIRN_ERROR_FORMAT,
                               "%.300s: \"target\" and \"distance\" go together", path);
        for (const cli_json_node *node = tree.root->first; status == CAIRN_OK && node != NULL;
             node = node->next)
            status = read_field(path, node, fields, error);
    }
    cli_json_release(&tree);
    return status;
}
