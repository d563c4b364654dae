// SPDX-License-Identifier: Apache-2.0
// A contact law on an explicit state of two spheres, without a world.
#include "contact/laws/law_state.h"

#include <string.h>

static bool is_plane(const con_law_body *body)
{
    return isinf(body->radius);
}

/// The halfway point, from a side that is curved.
static vec3 point_between(const con_law_state *state, double gap, vec3 normal)
{
    const con_law_body *a = &state->body[0], *b = &state->body[1];
    if (is_plane(a) || a->radius < 0.0)
        return vec3_add_scaled(b->position, -(b->radius + 0.5 * gap), normal);
    return vec3_add_scaled(a->position, a->radius + 0.5 * gap, normal);
}

void con_law_state_contact(const con_law_state *state, double *gap, vec3 *normal, vec3 *point)
{
    const con_law_body *a = &state->body[0], *b = &state->body[1];
    vec3 between = vec3_sub(b->position, a->position);
    if (is_plane(a) || is_plane(b)) {
        double side = is_plane(a) ? 1.0 : -1.0;
        *normal = vec3_scale(side, state->plane_normal);
        *gap = vec3_dot(*normal, between) - (is_plane(a) ? b->radius : a->radius);
    } else {
        // inside a hollow sphere the normal points outwards, against the line of the centres
        double sign = a->radius < 0.0 || b->radius < 0.0 ? -1.0 : 1.0;
        *normal = vec3_scale(sign, vec3_normalize_or(between, vec3_make(sign, 0.0, 0.0)));
        *gap = sign * vec3_norm(between) - (a->radius + b->radius);
    }
    *point = point_between(state, *gap, *normal);
}

static double inertia_of(const con_law_body *body)
{
    if (body->inertia > 0.0)
        return body->inertia;
    return isinf(body->mass) || isinf(body->radius)
               ? INFINITY
               : 0.4 * body->mass * body->radius * body->radius;
}

/// W += (I / m + [r]x^T [r]x / J) in the contact frame, of one side.
static void add_inverse_mass(const con_law_body *body, vec3 arm, const mat3 *frame, mat3 *W)
{
    double inertia = inertia_of(body);
    vec3 turned[3];
    for (int i = 0; i < 3; i++)
        turned[i] = vec3_cross(arm, mat3_row(frame, i));
    for (int i = 0; i < 3; i++) {
        W->m[i][i] += 1.0 / body->mass;
        for (int j = 0; j < 3; j++)
            W->m[i][j] += vec3_dot(turned[i], turned[j]) / inertia;
    }
}

static vec3 point_velocity(const con_law_body *body, vec3 point)
{
    vec3 arm = vec3_sub(point, body->position);
    return vec3_add(body->velocity, vec3_cross(body->angular_velocity, arm));
}

/// What the state gives itself stands for what the bodies give.
static void override_input(const con_law_state *state, con_impulse_input *input)
{
    if (state->gap != NULL)
        input->gap = *state->gap;
    if (state->W != NULL)
        memcpy(input->W.m, state->W, sizeof input->W.m);
    if (state->V != NULL)
        memcpy(input->V, state->V, sizeof input->V);
    if (state->V != NULL || state->B != NULL)
        memcpy(input->B, state->B != NULL ? state->B : state->V, sizeof input->B);
}

void con_law_state_respond(const con_law_state *state, con_law_response *response)
{
    const con_impulse_input *input = &response->input;
    response->gap = input->gap;
    response->point = input->point;
    response->normal = mat3_row(&input->frame, 0);
    response->velocity = mat3_apply_transposed(&input->frame, vec3_from(input->V));
    vec3 impulse = mat3_apply_transposed(&input->frame, vec3_from(response->output.R));
    double rate = 1.0 / state->step;
    for (int side = 0; side < 2; side++) {
        vec3 own = side == 0 ? vec3_negate(impulse) : impulse;
        vec3 arm = vec3_sub(input->point, state->body[side].position);
        vec3 turning = vec3_add(vec3_cross(arm, own), response->output.couple[side]);
        response->force[side] = vec3_scale(rate, own);
        response->torque[side] = vec3_scale(rate, turning);
    }
}

static cairn_status check_state(const con_law_state *state, cairn_error *error)
{
    const double radius[2] = {state->body[0].radius, state->body[1].radius};
    int ordinary =
        (radius[0] > 0.0 && isfinite(radius[0])) + (radius[1] > 0.0 && isfinite(radius[1]));
    bool known = !isnan(radius[0]) && !isnan(radius[1]) && radius[0] != 0.0 && radius[1] != 0.0;
    if (!known || ordinary == 0 || radius[0] == -INFINITY || radius[1] == -INFINITY)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "radii %g m and %g m: at least one body must be an ordinary sphere",
                         radius[0], radius[1]);
    if (!(state->step > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "step = %g s must be positive", state->step);
    return CAIRN_OK;
}

cairn_status con_law_state_input(const con_law_state *state, con_impulse_input *input,
                                 cairn_error *error)
{
    cairn_status status = check_state(state, error);
    if (status == CAIRN_OK) {
        vec3 normal, t1, t2;
        *input = (con_impulse_input){
            .step = state->step, .fresh = state->fresh, .initial = state->initial};
        con_law_state_contact(state, &input->gap, &normal, &input->point);
        vec3_tangents(normal, &t1, &t2);
        input->frame = mat3_from_rows(normal, t1, t2);
        vec3 velocity = vec3_sub(point_velocity(&state->body[1], input->point),
                                 point_velocity(&state->body[0], input->point));
        vec3_store(input->V, mat3_apply(&input->frame, velocity));
        memcpy(input->B, input->V, sizeof input->B);
        memcpy(input->R_previous, state->R_previous, sizeof input->R_previous);
        for (int side = 0; side < 2; side++) {
            const con_law_body *body = &state->body[side];
            input->centre[side] = body->position;
            input->velocity[side] = body->velocity;
            input->angular_velocity[side] = body->angular_velocity;
            input->radius[side] = body->radius;
            input->mass[side] = body->mass;
            if (!state->instantaneous)
                add_inverse_mass(body, vec3_sub(input->point, body->position), &input->frame,
                                 &input->W);
        }
        override_input(state, input);
    }
    return status;
}

cairn_status con_law_evaluate(const con_law *law, const void *parameters,
                              const con_law_state *state, con_law_response *response,
                              cairn_error *error)
{
    if (law->kind != CON_LAW_IMPULSE)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "%s is a law of the implicit problem: it has no force of a state alone",
                         law->name);
    *response = (con_law_response){0};
    BASE_TRY(con_law_state_input(state, &response->input, error));
    memcpy(response->history, state->history, sizeof response->history);
    con_law_act(law, parameters, &response->input, response->history, &response->output);
    con_law_state_respond(state, response);
    return CAIRN_OK;
}
