// SPDX-License-Identifier: Apache-2.0
// State files of cairn law: JSON keys to the fields of a request.
#include "cli/law/law.h"

#include "base/assert.h"
#include "base/settings.h"

#include <math.h>
#include <string.h>

typedef struct law_reader {
    law_request *request;
    const char *path;
    cairn_error *error;
} law_reader;

static cairn_status fail_kind(const law_reader *r, const cli_json_node *node, const char *wanted)
{
    return base_fail(r->error, CAIRN_ERROR_FORMAT, "%s:%ld: %.80s must be %s, not %s", r->path,
                     node->line, node->key != NULL ? node->key : "a value", wanted,
                     cli_json_kind_name(node->kind));
}

/// Gives a message of a call its place.
static cairn_status placed(const law_reader *r, const cli_json_node *node, cairn_status status)
{
    if (status == CAIRN_OK)
        return status;
    char message[CAIRN_MESSAGE_SIZE];
    memcpy(message, r->error->message, sizeof message);
    return base_fail(r->error, CAIRN_ERROR_FORMAT, "%s:%ld: %.300s", r->path, node->line, message);
}

// ---------------------------------------------------------------- values

static cairn_status read_numbers(const law_reader *r, const cli_json_node *node, int count,
                                 double *out)
{
    char wanted[40];
    snprintf(wanted, sizeof wanted, "a list of %d numbers", count);
    if (node->kind != CLI_JSON_LIST || node->count != count)
        return fail_kind(r, node, wanted);
    for (const cli_json_node *at = node->first; at != NULL; at = at->next) {
        if (at->kind != CLI_JSON_NUMBER)
            return fail_kind(r, node, wanted);
        *out++ = at->number;
    }
    return CAIRN_OK;
}

/// Two numbers, of A and B; "infinite" is one too.
static cairn_status read_two(const law_reader *r, const cli_json_node *node, double out[2])
{
    static const char wanted[] = "a list of two: a number or \"infinite\", of A and of B";
    if (node->kind != CLI_JSON_LIST || node->count != 2)
        return fail_kind(r, node, wanted);
    for (const cli_json_node *at = node->first; at != NULL; at = at->next) {
        bool infinite = at->kind == CLI_JSON_TEXT && strcmp(at->text, "infinite") == 0;
        if (at->kind != CLI_JSON_NUMBER && !infinite)
            return fail_kind(r, node, wanted);
        *out++ = infinite ? INFINITY : at->number;
    }
    return CAIRN_OK;
}

/// Rows of three numbers.
static cairn_status read_rows(const law_reader *r, const cli_json_node *node, int rows,
                              double (*out)[3])
{
    if (node->kind != CLI_JSON_LIST || node->count != rows)
        return fail_kind(r, node,
                         rows == 2 ? "two lists of three numbers, of A and of B"
                                   : "three lists of three numbers");
    for (const cli_json_node *at = node->first; at != NULL; at = at->next)
        BASE_TRY(read_numbers(r, at, 3, *out++));
    return CAIRN_OK;
}

static cairn_status read_boolean(const law_reader *r, const cli_json_node *node, bool *out)
{
    if (node->kind != CLI_JSON_BOOLEAN)
        return fail_kind(r, node, "true or false");
    *out = node->boolean;
    return CAIRN_OK;
}

static cairn_status read_variable(const law_reader *r, const cli_json_node *node)
{
    if (node->kind != CLI_JSON_NUMBER)
        return fail_kind(r, node, "a number");
    return placed(r, node,
                  law_request_set(r->request, node->key, cairn_number(node->number), r->error));
}

// ---------------------------------------------------------------- keys

typedef cairn_status read_key(const law_reader *r, const cli_json_node *node);

typedef struct law_key {
    const char *name;
    read_key *read;
} law_key;

static cairn_status read_positions(const law_reader *r, const cli_json_node *node)
{
    double rows[2][3] = {{0}};
    cairn_status status = read_rows(r, node, 2, rows);
    for (int side = 0; side < 2; side++)
        memcpy(r->request->law.body[side].position, rows[side], sizeof rows[side]);
    r->request->placed = true;
    return status;
}

static cairn_status read_velocities(const law_reader *r, const cli_json_node *node)
{
    double rows[2][3] = {{0}};
    cairn_status status = read_rows(r, node, 2, rows);
    for (int side = 0; side < 2; side++)
        memcpy(r->request->law.body[side].velocity, rows[side], sizeof rows[side]);
    return status;
}

static cairn_status read_omegas(const law_reader *r, const cli_json_node *node)
{
    double rows[2][3] = {{0}};
    cairn_status status = read_rows(r, node, 2, rows);
    for (int side = 0; side < 2; side++)
        memcpy(r->request->law.body[side].angular_velocity, rows[side], sizeof rows[side]);
    return status;
}

static cairn_status read_radii(const law_reader *r, const cli_json_node *node)
{
    double two[2] = {1.0, 1.0};
    cairn_status status = read_two(r, node, two);
    for (int side = 0; side < 2; side++)
        r->request->law.body[side].radius = two[side];
    return status;
}

static cairn_status read_masses(const law_reader *r, const cli_json_node *node)
{
    return read_two(r, node, r->request->masses);
}

static cairn_status read_inertias(const law_reader *r, const cli_json_node *node)
{
    double two[2] = {0.0, 0.0};
    cairn_status status = read_two(r, node, two);
    for (int side = 0; side < 2; side++)
        r->request->law.body[side].inertia = two[side];
    return status;
}

static cairn_status read_plane_normal(const law_reader *r, const cli_json_node *node)
{
    return read_numbers(r, node, 3, r->request->law.plane_normal);
}

static cairn_status read_previous(const law_reader *r, const cli_json_node *node)
{
    return read_numbers(r, node, 3, r->request->law.previous_impulse);
}

static cairn_status read_instantaneous(const law_reader *r, const cli_json_node *node)
{
    return read_boolean(r, node, &r->request->law.instantaneous);
}

static cairn_status read_initial(const law_reader *r, const cli_json_node *node)
{
    return read_boolean(r, node, &r->request->law.initial);
}

static cairn_status read_fresh(const law_reader *r, const cli_json_node *node)
{
    r->request->fresh_given = true;
    return read_boolean(r, node, &r->request->law.fresh);
}

static cairn_status read_local(const law_reader *r, const cli_json_node *node)
{
    if (node->kind != CLI_JSON_TEXT)
        return fail_kind(r, node, "the name of a one-contact solver");
    r->request->law.local = node->text;
    return CAIRN_OK;
}

static cairn_status read_contact_W(const law_reader *r, const cli_json_node *node)
{
    r->request->W_given = true;
    return read_rows(r, node, 3, r->request->W);
}

static cairn_status read_contact_V(const law_reader *r, const cli_json_node *node)
{
    r->request->V_given = true;
    return read_numbers(r, node, 3, r->request->V);
}

static cairn_status read_contact_B(const law_reader *r, const cli_json_node *node)
{
    r->request->B_given = true;
    return read_numbers(r, node, 3, r->request->B);
}

static cairn_status read_contact_gap(const law_reader *r, const cli_json_node *node)
{
    r->request->gap_given = true;
    if (node->kind != CLI_JSON_NUMBER)
        return fail_kind(r, node, "a number");
    r->request->gap = node->number;
    return CAIRN_OK;
}

static cairn_status read_W(const law_reader *r, const cli_json_node *node)
{
    return read_rows(r, node, 3, r->request->local.W);
}

static cairn_status read_b(const law_reader *r, const cli_json_node *node)
{
    return read_numbers(r, node, 3, r->request->local.b);
}

static cairn_status read_start(const law_reader *r, const cli_json_node *node)
{
    return read_numbers(r, node, 3, r->request->local.start);
}

static cairn_status fail_unknown(const law_reader *r, const cli_json_node *node, const char *what,
                                 const char *const *names, int count)
{
    return base_fail(r->error, CAIRN_ERROR_FORMAT, "%s:%ld: unknown %s \"%.80s\"%s", r->path,
                     node->line, what, node->key, base_choices_for(node->key, names, count).text);
}

static bool is_one_of(const char *word, const char *const *names, int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0)
            return true;
    return false;
}

static cairn_status read_history(const law_reader *r, const cli_json_node *node)
{
    const char *law = r->request->info.name, *names[CAIRN_LAW_HISTORY_MAX];
    int count = cairn_law_get_history_count(law);
    if (node->kind != CLI_JSON_OBJECT)
        return fail_kind(r, node, "an object");
    for (int i = 0; i < count; i++)
        names[i] = cairn_law_get_history_name(law, i);
    for (const cli_json_node *at = node->first; at != NULL; at = at->next) {
        if (!is_one_of(at->key, names, count))
            return fail_unknown(r, at, "history", names, count);
        if (at->kind != CLI_JSON_NUMBER)
            return fail_kind(r, at, "a number");
        int index = 0;
        while (strcmp(names[index], at->key) != 0)
            index++;
        law_request_set_history(r->request, index, at->number);
    }
    return CAIRN_OK;
}

static cairn_status read_parameter(const law_reader *r, const cli_json_node *node)
{
    cairn_value value;
    switch (node->kind) {
    case CLI_JSON_NUMBER:
        value = cairn_number(node->number);
        break;
    case CLI_JSON_BOOLEAN:
        value = (cairn_value){.type = CAIRN_BOOLEAN, .boolean = node->boolean};
        break;
    case CLI_JSON_TEXT:
        value = cairn_text(node->text);
        break;
    case CLI_JSON_NULL:
    case CLI_JSON_LIST:
    case CLI_JSON_OBJECT:
    default:
        return fail_kind(r, node, "a number, true, false or a text");
    }
    cairn_status status = law_request_set(r->request, node->key, value, r->error);
    // a value out of range is found by an evaluation
    law_answer answer;
    law_request probe;
    if (status == CAIRN_OK)
        status = law_request_begin(&probe, r->request->info.name, r->error);
    if (status == CAIRN_OK)
        status = law_request_set(&probe, node->key, value, r->error);
    if (status == CAIRN_OK)
        status = law_request_evaluate(&probe, &answer, r->error);
    return placed(r, node, status);
}

static cairn_status read_parameters(const law_reader *r, const cli_json_node *node)
{
    const law_request *request = r->request;
    const char *names[LAW_PARAMETERS_MAX];
    int count = 0;
    if (node->kind != CLI_JSON_OBJECT)
        return fail_kind(r, node, "an object");
    for (; count < request->info.setting_count && count < LAW_PARAMETERS_MAX; count++)
        names[count] = cairn_plugin_get_setting(request->plugin, request->index, count).name;
    for (const cli_json_node *at = node->first; at != NULL; at = at->next) {
        if (!is_one_of(at->key, names, count))
            return fail_unknown(r, at, "parameter", names, count);
        BASE_TRY(read_parameter(r, at));
    }
    return CAIRN_OK;
}

static const law_key law_keys[] = {
    {"positions", read_positions},
    {"velocities", read_velocities},
    {"angular_velocities", read_omegas},
    {"radii", read_radii},
    {"spheres_radii", read_radii},
    {"masses", read_masses},
    {"inertias", read_inertias},
    {"plane_normal", read_plane_normal},
    {"h", read_variable},
    {"overlap", read_variable},
    {"v_n", read_variable},
    {"v_t", read_variable},
    {"instantaneous", read_instantaneous},
    {"fresh", read_fresh},
    {"initial", read_initial},
    {"previous_impulse", read_previous},
    {"history", read_history},
    {"parameters", read_parameters},
    {"local", read_local},
    {"W", read_contact_W},
    {"V", read_contact_V},
    {"B", read_contact_B},
    {"gap", read_contact_gap},
};

static const law_key local_keys[] = {
    {"W", read_W},
    {"b", read_b},
    {"mu", read_variable},
    {"start", read_start},
    {"parameters", read_parameters},
};

cairn_status law_request_read(law_request *request, const cli_json_node *root, const char *path,
                              cairn_error *error)
{
    law_reader r = {request, path, error};
    bool law = request->plugin == CAIRN_LAW;
    const law_key *keys = law ? law_keys : local_keys;
    int count = law ? BASE_COUNT(law_keys) : BASE_COUNT(local_keys);
    const char *names[BASE_COUNT(law_keys)];
    if (root->kind != CLI_JSON_OBJECT)
        return fail_kind(&r, root, "an object");
    for (int i = 0; i < count; i++)
        names[i] = keys[i].name;
    for (const cli_json_node *at = root->first; at != NULL; at = at->next) {
        int i = 0;
        while (i < count && strcmp(names[i], at->key) != 0)
            i++;
        BASE_TRY(i < count ? keys[i].read(&r, at) : fail_unknown(&r, at, "key", names, count));
    }
    return CAIRN_OK;
}
