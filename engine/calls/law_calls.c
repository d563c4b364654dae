// SPDX-License-Identifier: Apache-2.0
// One law, or one one-contact solver, on one contact without a world.
#include "contact/laws/law_state.h"

#include "base/elementary.h"
#include "engine/state/values.h"

#include <math.h>
#include <string.h>

_Static_assert((int)CAIRN_LAW_HISTORY_MAX == (int)CON_HISTORY_MAX, "histories are copied whole");

#define LAW_COOKIE UINT32_C(0x0ca12007)
#define LOCAL_COOKIE UINT32_C(0x0ca12008)

static cairn_status set_all(const base_settings_table *table, void *memory,
                            const cairn_parameter *parameters, int count, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    base_settings_defaults(table, memory);
    for (int i = 0; i < count && status == CAIRN_OK; i++)
        status = base_settings_set(table, memory, parameters[i].name,
                                   eng_value_to_base(parameters[i].value), error);
    return status;
}

static cairn_status find_local(const char *name, const con_local **local, cairn_error *error)
{
    int count;
    *local = name != NULL ? con_local_find(name) : con_local_list(&count)[0];
    return *local != NULL ? CAIRN_OK : eng_fail_plugin(CAIRN_LOCAL, name, error);
}

// ---------------------------------------------------------------- laws

cairn_law_state cairn_default_law_state(void)
{
    const double radius = 0.01, overlap = 1e-5;
    cairn_law_state state = {
        .plane_normal = {0.0, 0.0, 1.0}, .step = 1e-5, .fresh = true, .cookie = LAW_COOKIE};
    for (int side = 0; side < 2; side++) {
        state.body[side].radius = radius;
        state.body[side].mass = 2500.0 * 4.0 / 3.0 * M_PI * radius * radius * radius;
    }
    state.body[1].position[0] = 2.0 * radius - overlap;
    return state;
}

int cairn_law_get_history_count(const char *law)
{
    if (law == NULL)
        return 0;
    const con_law *found = con_law_find(law);
    return found != NULL ? found->history_count : 0;
}

const char *cairn_law_get_history_name(const char *law, int index)
{
    if (law == NULL)
        return "";
    const con_law *found = con_law_find(law);
    bool known = found != NULL && index >= 0 && index < found->history_count;
    return known ? found->history_names[index] : "";
}

static bool are_finite(const double *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static cairn_status check_body(const cairn_law_body *body, int side, cairn_error *error)
{
    const char name = "AB"[side];
    if (!are_finite(body->position, 3) || !are_finite(body->velocity, 3) ||
        !are_finite(body->angular_velocity, 3))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "position and velocities of body %c must be finite", name);
    if (!(body->mass > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "mass = %g kg of body %c must be positive",
                         body->mass, name);
    if (!(body->inertia >= 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "inertia = %g kg m2 of body %c must not be negative", body->inertia, name);
    return CAIRN_OK;
}

/// Whether the symmetric part of W is positive definite, by its leading minors.
static bool is_definite(const double (*W)[3])
{
    double a = W[0][0], b = W[1][1], c = W[2][2];
    double d = 0.5 * (W[0][1] + W[1][0]), e = 0.5 * (W[0][2] + W[2][0]),
           f = 0.5 * (W[1][2] + W[2][1]);
    double determinant = a * (b * c - f * f) - d * (d * c - f * e) + e * (d * f - b * e);
    return a > 0.0 && a * b - d * d > 0.0 && determinant > 0.0;
}

static cairn_status check_given(const cairn_law_state *state, cairn_error *error)
{
    if ((state->gap != NULL && !isfinite(*state->gap)) ||
        (state->V != NULL && !are_finite(state->V, 3)) ||
        (state->B != NULL && !are_finite(state->B, 3)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "gap, V and B must be finite");
    if (state->W != NULL && !(are_finite(state->W[0], 9) && is_definite(state->W)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "W must be finite and positive definite (its symmetric part)");
    return CAIRN_OK;
}

static cairn_status check_law_state(const cairn_law_state *state, cairn_error *error)
{
    if (state->cookie != LAW_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the state does not come from cairn_default_law_state()");
    for (int side = 0; side < 2; side++) {
        cairn_status status = check_body(&state->body[side], side, error);
        if (status != CAIRN_OK)
            return status;
    }
    if (isinf(state->body[0].mass) && isinf(state->body[1].mass))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "one body at least must be able to move");
    if (!isfinite(state->step) || !are_finite(state->previous_impulse, 3) ||
        !are_finite(state->history, CAIRN_LAW_HISTORY_MAX))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "step, history and impulse of the step before must be finite");
    cairn_status status = check_given(state, error);
    if (status != CAIRN_OK)
        return status;
    double norm = vec3_norm(vec3_from(state->plane_normal));
    if (!(norm > 0.0 && isfinite(norm)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the normal of a plane must be finite and not zero");
    return CAIRN_OK;
}

static con_law_state inner_state(const cairn_law_state *state)
{
    con_law_state inner = {
        .plane_normal = vec3_normalize_or(vec3_from(state->plane_normal), vec3_make(0.0, 0.0, 1.0)),
        .step = state->step,
        .instantaneous = state->instantaneous,
        .fresh = state->fresh,
        .initial = state->initial,
        .W = state->W,
        .V = state->V,
        .B = state->B,
        .gap = state->gap,
    };
    for (int side = 0; side < 2; side++) {
        const cairn_law_body *body = &state->body[side];
        inner.body[side] = (con_law_body){
            .position = vec3_from(body->position),
            .velocity = vec3_from(body->velocity),
            .angular_velocity = vec3_from(body->angular_velocity),
            .radius = body->radius,
            .mass = body->mass,
            .inertia = body->inertia,
        };
    }
    memcpy(inner.R_previous, state->previous_impulse, sizeof inner.R_previous);
    memcpy(inner.history, state->history, sizeof inner.history);
    return inner;
}

static void copy_response(const con_law_response *from, cairn_law_response *to)
{
    const con_impulse_input *input = &from->input;
    to->gap = from->input.gap;
    memcpy(to->frame, input->frame.m, sizeof to->frame);
    vec3_store(to->point, from->point);
    memcpy(to->velocity, input->V, sizeof to->velocity);
    memcpy(to->impulse, from->output.R, sizeof to->impulse);
    for (int side = 0; side < 2; side++) {
        vec3_store(to->force[side], from->force[side]);
        vec3_store(to->torque[side], from->torque[side]);
    }
    memcpy(to->history, from->history, sizeof to->history);
    memcpy(to->W, input->W.m, sizeof to->W);
    to->elastic = from->output.elastic;
    to->friction = from->output.friction;
    to->plastic = from->output.plastic;
}

/// u = W R + b of a cone law, with what restitution, cohesion and gap add, theory.md (3.1)-(3.3).
/// @param pull  N s, attraction along the normal that acts besides R
static con_local_problem cone_problem(const con_cone_terms *terms, const con_impulse_input *input,
                                      double *pull)
{
    con_local_problem problem = {.W = input->W, .mu = terms->friction};
    bool closed = input->gap <= 0.0, collides = closed && input->V[0] < 0.0;
    *pull = closed && !input->fresh ? input->step * terms->cohesion : 0.0;
    for (int k = 0; k < 3; k++)
        problem.b[k] = input->B[k] - input->W.m[k][0] * *pull;
    problem.b[0] += closed ? terms->restitution * input->V[0] : input->gap / input->step;
    for (int k = 1; k < 3 && collides; k++)
        problem.b[k] += terms->tangential * input->V[k];
    return problem;
}

static cairn_status evaluate_cone(const con_law *law, const void *parameters,
                                  const cairn_law_state *state, cairn_law_response *response,
                                  cairn_error *error)
{
    const con_local *local;
    con_law_state inner = inner_state(state);
    con_law_response found = {0};
    inner.instantaneous = false;
    BASE_TRY(find_local(state->local, &local, error));
    BASE_TRY(con_law_state_input(&inner, &found.input, error));
    _Alignas(16) unsigned char settings[CON_LOCAL_SETTINGS_MAX];
    base_settings_defaults(&local->table, settings);
    con_cone_terms terms = {0};
    law->cone(parameters, &terms);
    double pull, *R = found.output.R;
    con_local_problem problem = cone_problem(&terms, &found.input, &pull);
    con_local_result result = local->solve(settings, &problem, R);
    response->error = con_local_error(&problem, R);
    R[0] -= pull;
    con_law_state_respond(&inner, &found);
    copy_response(&found, response);
    vec3 U = vec3_add(vec3_from(found.input.B), mat3_apply(&problem.W, vec3_from(R)));
    vec3_store(response->velocity_end, U);
    response->iterations = result.iterations;
    response->converged = result.converged;
    return CAIRN_OK;
}

cairn_status cairn_law_evaluate(const cairn_law_state *state, cairn_law_response *response,
                                cairn_error *error)
{
    if (state == NULL || response == NULL)
        return base_fail_null(error, __func__);
    int count;
    *response = (cairn_law_response){0};
    BASE_TRY(check_law_state(state, error));
    const con_law *law = state->law != NULL ? con_law_find(state->law) : con_law_list(&count)[0];
    if (law == NULL)
        return eng_fail_plugin(CAIRN_LAW, state->law, error);
    _Alignas(16) unsigned char parameters[CON_LAW_SETTINGS_MAX];
    BASE_TRY(set_all(&law->table, parameters, state->parameters, state->parameter_count, error));
    if (law->kind == CON_LAW_CONE)
        return evaluate_cone(law, parameters, state, response, error);
    con_law_state inner = inner_state(state);
    con_law_response found;
    cairn_status status = con_law_evaluate(law, parameters, &inner, &found, error);
    if (status == CAIRN_OK)
        copy_response(&found, response);
    return status;
}

// ---------------------------------------------------------------- one-contact solvers

cairn_local_state cairn_default_local_state(void)
{
    return (cairn_local_state){
        .W = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}},
        .b = {-1.0, 0.0, 0.0},
        .friction = 0.5,
        .cookie = LOCAL_COOKIE,
    };
}

static cairn_status check_local_state(const cairn_local_state *state, cairn_error *error)
{
    if (state->cookie != LOCAL_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the state does not come from cairn_default_local_state()");
    if (!are_finite(state->W[0], 9) || !are_finite(state->b, 3) || !are_finite(state->start, 3))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "W, b and start must be finite");
    if (!(state->friction >= 0.0 && isfinite(state->friction)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "friction = %g is out of range: at least 0",
                         state->friction);
    if (!is_definite(state->W))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "W must be positive definite (its symmetric part)");
    return CAIRN_OK;
}

static const char *status_of(const double R[3], double mu)
{
    double size = vec3_norm(vec3_from(R));
    if (size == 0.0)
        return "open";
    return base_hypot(R[1], R[2]) < mu * R[0] * (1.0 - 1e-9) ? "sticking" : "sliding";
}

cairn_status cairn_local_evaluate(const cairn_local_state *state, cairn_local_response *response,
                                  cairn_error *error)
{
    if (state == NULL || response == NULL)
        return base_fail_null(error, __func__);
    const con_local *local;
    _Alignas(16) unsigned char settings[CON_LOCAL_SETTINGS_MAX];
    *response = (cairn_local_response){.status = ""};
    BASE_TRY(check_local_state(state, error));
    BASE_TRY(find_local(state->local, &local, error));
    BASE_TRY(set_all(&local->table, settings, state->parameters, state->parameter_count, error));
    con_local_problem problem = {.mu = state->friction};
    memcpy(problem.W.m, state->W, sizeof problem.W.m);
    memcpy(problem.b, state->b, sizeof problem.b);
    memcpy(response->R, state->start, sizeof response->R);
    con_local_result result = local->solve(settings, &problem, response->R);
    vec3 U = vec3_add(vec3_from(problem.b), mat3_apply(&problem.W, vec3_from(response->R)));
    vec3_store(response->U, U);
    response->status = status_of(response->R, state->friction);
    response->iterations = result.iterations;
    response->converged = result.converged;
    response->error = con_local_error(&problem, response->R);
    return CAIRN_OK;
}
