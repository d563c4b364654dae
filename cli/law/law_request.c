// SPDX-License-Identifier: Apache-2.0
// The state that a law or one-contact solver is asked about: variables by name, evaluation.
#include "cli/law/law.h"

#include "base/assert.h"
#include "base/settings.h"
#include "scenes/plugins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// overlap of a state that says nothing of places, share of the smaller radius
static const double default_overlap = 1e-3;
static const double default_density = 2500.0; // kg/m3

/// A number of the request that has a name.
typedef struct law_variable {
    const char *name, *unit;
    size_t offset;
} law_variable;

#define FIELD(name) offsetof(law_request, name)
static const law_variable law_variables[] = {
    {"overlap", "m", FIELD(overlap)},
    {"v_n", "m/s", FIELD(v_n)},
    {"v_t", "m/s", FIELD(v_t)},
    {"h", "s", FIELD(law.step)},
};
static const law_variable local_variables[] = {
    {"b_n", "m/s", FIELD(local.b[0])},
    {"b_t1", "m/s", FIELD(local.b[1])},
    {"b_t2", "m/s", FIELD(local.b[2])},
    {"mu", "", FIELD(local.friction)},
};
enum { VARIABLE_COUNT = 4 };

static const law_variable *variables_of(const law_request *request)
{
    return request->plugin == CAIRN_LAW ? law_variables : local_variables;
}

static const law_variable *find_variable(const law_request *request, const char *name)
{
    const law_variable *variables = variables_of(request);
    for (int i = 0; i < VARIABLE_COUNT; i++)
        if (strcmp(variables[i].name, name) == 0)
            return &variables[i];
    return NULL;
}

static int history_count(const law_request *request)
{
    return request->plugin == CAIRN_LAW ? cairn_law_get_history_count(request->info.name) : 0;
}

static int find_history(const law_request *request, const char *name)
{
    for (int i = 0; i < history_count(request); i++)
        if (strcmp(cairn_law_get_history_name(request->info.name, i), name) == 0)
            return i;
    return -1;
}

// ---------------------------------------------------------------- names

static cairn_status fail_name(const char *name, cairn_error *error)
{
    const char *names[64];
    int count = 0;
    for (int plugin = 0; plugin < 2; plugin++) {
        cairn_plugin of = plugin == 0 ? CAIRN_LAW : CAIRN_LOCAL;
        for (int i = 0; i < cairn_plugin_count(of) && count < BASE_COUNT(names); i++)
            names[count++] = cairn_plugin_get(of, i).name;
    }
    return base_fail(error, CAIRN_ERROR_NOT_FOUND, "unknown law or one-contact solver \"%.80s\"%s",
                     name, base_choices_for(name, names, count).text);
}

cairn_status law_request_begin(law_request *request, const char *name, cairn_error *error)
{
    *request = (law_request){
        .law = cairn_default_law_state(),
        .local = cairn_default_local_state(),
        .masses = {NAN, NAN},
        .overlap = NAN,
        .v_n = NAN,
        .v_t = NAN,
    };
    request->plugin = CAIRN_LAW;
    request->index = scn_find_plugin(CAIRN_LAW, name);
    if (request->index < 0) {
        request->plugin = CAIRN_LOCAL;
        request->index = scn_find_plugin(CAIRN_LOCAL, name);
    }
    if (request->index < 0)
        return fail_name(name, error);
    request->info = cairn_plugin_get(request->plugin, request->index);
    return CAIRN_OK;
}

static cairn_status fail_variable(const law_request *request, const char *name, cairn_error *error)
{
    const char *names[96];
    int count = 0;
    for (int i = 0; i < VARIABLE_COUNT; i++)
        names[count++] = variables_of(request)[i].name;
    for (int i = 0; i < request->info.setting_count && count < BASE_COUNT(names); i++)
        names[count++] = cairn_plugin_get_setting(request->plugin, request->index, i).name;
    for (int i = 0; i < history_count(request) && count < BASE_COUNT(names); i++)
        names[count++] = cairn_law_get_history_name(request->info.name, i);
    return base_fail(error, CAIRN_ERROR_NOT_FOUND, "unknown key \"%.80s\" for %s%s", name,
                     request->info.name, base_choices_for(name, names, count).text);
}

static cairn_status set_parameter(law_request *request, const char *name, cairn_value value,
                                  cairn_error *error)
{
    for (int i = 0; i < request->parameter_count; i++)
        if (strcmp(request->parameters[i].name, name) == 0) {
            request->parameters[i].value = value;
            return CAIRN_OK;
        }
    if (request->parameter_count == LAW_PARAMETERS_MAX)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "more than %d parameters",
                         LAW_PARAMETERS_MAX);
    request->parameters[request->parameter_count++] = (cairn_parameter){name, value};
    return CAIRN_OK;
}

void law_request_set_history(law_request *request, int index, double value)
{
    request->law.history[index] = value;
    // a contact with a history is not new
    request->law.fresh = request->law.fresh && request->fresh_given;
}

cairn_status law_request_set(law_request *request, const char *name, cairn_value value,
                             cairn_error *error)
{
    if (scn_find_setting(request->plugin, request->index, name) >= 0)
        return set_parameter(request, name, value, error);
    const law_variable *variable = find_variable(request, name);
    int history = find_history(request, name);
    if (variable == NULL && history < 0)
        return fail_variable(request, name, error);
    if (value.type != CAIRN_NUMBER || !isfinite(value.number))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s must be a number", name);
    if (variable != NULL) {
        *(double *)((char *)request + variable->offset) = value.number;
        return CAIRN_OK;
    }
    law_request_set_history(request, history, value.number);
    return CAIRN_OK;
}

const char *law_request_unit(const law_request *request, const char *name)
{
    const law_variable *variable = find_variable(request, name);
    if (variable != NULL)
        return variable->unit;
    int setting = scn_find_setting(request->plugin, request->index, name);
    return setting >= 0 ? cairn_plugin_get_setting(request->plugin, request->index, setting).unit
                        : "";
}

cairn_value law_value_of(const char *text)
{
    char *end = NULL;
    double number = strtod(text, &end);
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return (cairn_value){.type = CAIRN_BOOLEAN, .boolean = text[0] == 't'};
    return end != text && *end == '\0' ? cairn_number(number) : cairn_text(text);
}

// ---------------------------------------------------------------- evaluation

static bool is_ball(const cairn_law_body *body)
{
    return body->radius > 0.0 && isfinite(body->radius);
}

static double smaller_radius(const cairn_law_state *state)
{
    double radius = INFINITY;
    for (int side = 0; side < 2; side++)
        if (is_ball(&state->body[side]))
            radius = fmin(radius, state->body[side].radius);
    return radius;
}

/// Moves B along the normal to the overlap, then gives it the relative velocity at the contact.
static cairn_status place(const law_request *request, cairn_law_state *state, cairn_error *error)
{
    double overlap = request->overlap, *x = state->body[1].position, *v = state->body[1].velocity;
    cairn_law_response at;
    if (isnan(overlap) && !request->placed)
        overlap = default_overlap * smaller_radius(state);
    if (!request->placed)
        memcpy(x, state->body[0].position, 3 * sizeof *x);
    cairn_status status = cairn_law_evaluate(state, &at, error);
    if (status == CAIRN_OK && !isnan(overlap)) {
        for (int k = 0; k < 3; k++)
            x[k] -= (overlap + at.gap) * at.frame[0][k];
        status = cairn_law_evaluate(state, &at, error);
    }
    if (status != CAIRN_OK)
        return status;
    // beyond the other centre the normal turns round
    double rounding = 1e-12 * (fabs(x[0]) + fabs(x[1]) + fabs(x[2]) + smaller_radius(state));
    if (!isnan(overlap) && fabs(at.gap + overlap) > 1e-6 * fabs(overlap) + rounding)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "overlap = %g m is out of range: B would pass the centre of A", overlap);
    for (int k = 0; k < 3; k++) {
        if (!isnan(request->v_n))
            v[k] += (request->v_n - at.velocity[0]) * at.frame[0][k];
        if (!isnan(request->v_t))
            v[k] += (request->v_t - at.velocity[1]) * at.frame[1][k];
    }
    return CAIRN_OK;
}

static cairn_status evaluate_law(const law_request *request, law_answer *answer, cairn_error *error)
{
    cairn_law_state state = request->law;
    state.law = request->info.name;
    state.parameters = request->parameters;
    state.parameter_count = request->parameter_count;

    // fill masses
    for (int side = 0; side < 2; side++) {
        cairn_law_body *body = &state.body[side];
        double r = body->radius;
        body->mass = is_ball(body) ? default_density * 4.0 / 3.0 * M_PI * r * r * r : INFINITY;
        if (!isnan(request->masses[side]))
            body->mass = request->masses[side];
    }

    cairn_status status = place(request, &state, error);
    state.W = request->W_given ? request->W : NULL;
    state.V = request->V_given ? request->V : NULL;
    state.B = request->B_given ? request->B : NULL;
    state.gap = request->gap_given ? &request->gap : NULL;
    return status == CAIRN_OK ? cairn_law_evaluate(&state, &answer->law, error) : status;
}

cairn_status law_request_evaluate(const law_request *request, law_answer *answer,
                                  cairn_error *error)
{
    *answer = (law_answer){0};
    if (request->plugin == CAIRN_LAW)
        return evaluate_law(request, answer, error);
    cairn_local_state state = request->local;
    state.local = request->info.name;
    state.parameters = request->parameters;
    state.parameter_count = request->parameter_count;
    return cairn_local_evaluate(&state, &answer->local, error);
}

void law_request_follow(law_request *request, const law_answer *answer)
{
    memcpy(request->law.history, answer->law.history, sizeof request->law.history);
    memcpy(request->law.previous_impulse, answer->law.impulse, sizeof answer->law.impulse);
    request->law.fresh = request->law.initial = false;
    if (request->plugin == CAIRN_LOCAL)
        memcpy(request->local.start, answer->local.R, sizeof answer->local.R);
}

bool law_request_is_cone(const law_request *request)
{
    return strcmp(request->info.kind, "cone") == 0;
}
