// SPDX-License-Identifier: Apache-2.0
// Connectors in the step: impulse laws between marker spheres of given bodies, docs/laws.md 6.1.
#include "engine/pairs/connectors.h"
#include "engine/bodies/body_state.h"
#include "engine/state/blocks.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "contact/laws/audit.h"
#include "contact/laws/law_state.h"

#include <string.h>

// share of the smaller radius at which laws are asked for their stiffness
static const double overlap_share = 0.01;

/// Gap, frame and point of the spheres for body poses q; centres of the markers.
static void place(const eng_connector *connector, const pose *a, const pose *b,
                  eng_connector_state *state, vec3 centre[2])
{
    con_law_state spheres = {0};
    vec3 normal, t1, t2;
    for (int side = 0; side < 2; side++) {
        centre[side] = pose_apply(side == 0 ? a : b, connector->marker[side]);
        spheres.body[side].position = centre[side];
        spheres.body[side].radius = connector->radius[side];
    }
    con_law_state_contact(&spheres, &state->gap, &normal, &state->point);
    vec3_tangents(normal, &t1, &t2);
    state->frame = mat3_from_rows(normal, t1, t2);
}

static bool is_free(const cairn_world *world, int body)
{
    return world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
}

/// Velocity of B against A at the point, contact frame, for body velocities v.
static vec3 relative_velocity(const cairn_world *world, const eng_connector *connector,
                              const eng_connector_state *state, const double (*v)[6])
{
    int a = connector->body[0], b = connector->body[1];
    vec3 of_a = eng_point_velocity(v[a], &world->state.bodies.q_mid[a], state->point);
    vec3 of_b = eng_point_velocity(v[b], &world->state.bodies.q_mid[b], state->point);
    return mat3_apply(&state->frame, vec3_sub(of_b, of_a));
}

/// Share of one body in the diagonal block.
static mat3 mobility(const cairn_world *world, int body, const pose *q,
                     const eng_connector_state *state)
{
    double inverse[6];
    eng_mass_inverse_of(world, body, inverse);
    return eng_point_mobility(inverse, q, &state->frame, state->point);
}

static void fill_side(const cairn_world *world, const eng_connector *connector,
                      const eng_connector_state *state, int side, con_impulse_input *input)
{
    int body = connector->body[side];
    const pose *q = &world->state.bodies.q_mid[body];
    mat3 W = mobility(world, body, q, state);
    input->velocity[side] = eng_point_velocity(world->state.bodies.v[body], q, input->centre[side]);
    input->angular_velocity[side] =
        quat_rotate(q->orientation, vec3_from(world->state.bodies.v[body] + 3));
    input->radius[side] = connector->radius[side];
    // what a central impulse on the sphere has to move
    input->mass[side] = is_free(world, body) ? 1.0 / W.m[0][0] : INFINITY;
    input->W = mat3_add(&input->W, &W);
}

/// Moves the state on to this step's configuration; the law's input.
static con_impulse_input look(const cairn_world *world, int index, eng_connector_state *state)
{
    const eng_connector *connector = &world->model.connectors.rows[index];
    con_impulse_input input = {.step = world->state.clock.step};
    vec3 before = mat3_apply_transposed(&state->frame, state->R);
    place(connector, &world->state.bodies.q_mid[connector->body[0]],
          &world->state.bodies.q_mid[connector->body[1]], state, input.centre);
    state->V =
        relative_velocity(world, connector, state, (const double(*)[6])world->state.bodies.v);
    input.gap = state->gap;
    input.frame = state->frame;
    input.point = state->point;
    vec3_store(input.V, state->V);
    vec3_store(input.B, relative_velocity(world, connector, state,
                                          (const double(*)[6])world->state.bodies.v_free));
    vec3_store(input.R_previous, mat3_apply(&state->frame, before));
    for (int side = 0; side < 2; side++)
        fill_side(world, connector, state, side, &input);
    input.fresh = state->closed == 0.0;
    input.initial = input.fresh && world->state.clock.step_count == 0;
    return input;
}

/// Whether the law acts: the gap is closed, or held since it was.
static bool acts(const eng_surface *surface, const con_impulse_input *input, const double *history)
{
    if (input->gap <= 0.0)
        return true;
    return !input->fresh && surface->law->bonded != NULL &&
           surface->law->bonded(surface->parameters, history);
}

/// A connector that opened lets go of what its springs held along the surface.
static void rest_open(cairn_world *world, const eng_surface *surface,
                      const con_impulse_input *input, eng_connector_state *state)
{
    world->state.audit.energy.friction += state->releasable;
    state->releasable = 0.0;
    if (surface->law->open != NULL)
        surface->law->open(surface->parameters, input, state->history);
    else
        memset(state->history, 0, sizeof state->history);
}

static void evaluate(cairn_world *world, int index, con_impulse_output *output)
{
    eng_connector_state *state = &world->state.connectors.rows[index];
    const eng_surface *surface = &world->model.connectors.rows[index].surface;
    con_impulse_input input = look(world, index, state);
    bool closed = acts(surface, &input, state->history);
    *output = (con_impulse_output){0};
    if (closed)
        con_law_act(surface->law, surface->parameters, &input, state->history, output);
    else
        rest_open(world, surface, &input, state);
    state->closed = closed ? 1.0 : 0.0;
    state->R = vec3_from(output->R);
    memcpy(state->couple, output->couple, sizeof state->couple);
}

/// v_free += M^-1 (impulse at the point, couple) of both sides.
static void apply(cairn_world *world, int index)
{
    const eng_connector_state *state = &world->state.connectors.rows[index];
    vec3 impulse = mat3_apply_transposed(&state->frame, state->R);
    for (int side = 0; side < 2; side++) {
        int body = world->model.connectors.rows[index].body[side];
        if (!is_free(world, body))
            continue;
        vec3 own = side == 0 ? vec3_negate(impulse) : impulse;
        vec3 arm = vec3_sub(state->point, world->state.bodies.q_mid[body].position);
        eng_body_push(&world->state, body, own,
                      vec3_add(vec3_cross(arm, own), state->couple[side]));
    }
}

cairn_status eng_block_connectors(cairn_world *world)
{
    int count = world->model.connectors.count;
    world->scratch.connector_outputs =
        base_arena_array(world->scratch.arena, con_impulse_output, "connectors", count);
    if (world->scratch.connector_outputs == NULL)
        return CAIRN_ERROR_MEMORY;
    // all see the same free velocity, as explicit contacts do
    for (int i = 0; i < count; i++)
        evaluate(world, i, &world->scratch.connector_outputs[i]);
    for (int i = 0; i < count; i++)
        apply(world, i);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- audit and read-outs

static con_contact_motion motion_of(const cairn_world *world, const eng_connector *connector,
                                    const eng_connector_state *state)
{
    con_contact_motion motion;
    vec3_store(motion.V, state->V);
    vec3_store(motion.U, state->U);
    for (int side = 0; side < 2; side++) {
        int body = connector->body[side];
        quat q = world->state.bodies.q_mid[body].orientation;
        motion.omega[side] = quat_rotate(q, vec3_from(world->state.bodies.v[body] + 3));
        motion.omega_end[side] = quat_rotate(q, vec3_from(world->state.bodies.v_end[body] + 3));
    }
    return motion;
}

/// Work on bodies whose velocity is prescribed, which their drivers deliver.
static double driver_work(const cairn_world *world, const eng_connector *connector,
                          const eng_connector_state *state, const con_contact_motion *motion)
{
    vec3 R = mat3_apply_transposed(&state->frame, state->R);
    double work = 0.0;
    for (int side = 0; side < 2; side++) {
        int body = connector->body[side];
        if (world->model.bodies.rows[body].kind != CAIRN_MOVING)
            continue;
        double mean[6];
        eng_mean_velocity(world, body, mean);
        vec3 velocity = eng_point_velocity(mean, &world->state.bodies.q_mid[body], state->point);
        vec3 omega = vec3_scale(0.5, vec3_add(motion->omega[side], motion->omega_end[side]));
        work +=
            (side == 0 ? 1.0 : -1.0) * vec3_dot(R, velocity) - vec3_dot(state->couple[side], omega);
    }
    return work;
}

void eng_connectors_book(cairn_world *world)
{
    cairn_energy *e = &world->state.audit.energy;
    for (int i = 0; i < world->model.connectors.count; i++) {
        const eng_connector *connector = &world->model.connectors.rows[i];
        eng_connector_state *state = &world->state.connectors.rows[i];
        state->U = relative_velocity(world, connector, state,
                                     (const double(*)[6])world->state.bodies.v_end);
        state->elastic = 0.0;
        if (state->closed == 0.0)
            continue;
        con_contact_motion motion = motion_of(world, connector, state);
        con_contact_energy part = con_impulse_book(&world->scratch.connector_outputs[i], &motion);
        // what was closed before the first step was given
        double gap = state->gap - 0.5 * world->state.clock.step * state->V.x;
        if (world->state.clock.step_count == 0 && gap <= 0.0)
            world->state.audit.start += part.start;
        state->releasable = part.releasable;
        state->elastic = part.elastic;
        e->elastic += part.elastic;
        e->friction += part.friction;
        e->damping += part.damping;
        e->plastic += part.plastic;
        e->drivers += driver_work(world, connector, state, &motion);
    }
}

void eng_connectors_add_force(const cairn_world *world, int body, vec3 *force, vec3 *torque)
{
    double rate = 1.0 / world->state.clock.step;
    for (int at = eng_extra_of(world, body).first_connector; at != 0;) {
        const eng_connector *connector = &world->model.connectors.rows[at - 1];
        const eng_connector_state *state = &world->state.connectors.rows[at - 1];
        int side = connector->body[0] == body ? 0 : 1;
        vec3 impulse = mat3_apply_transposed(&state->frame, state->R);
        vec3 own = vec3_scale(side == 0 ? -rate : rate, impulse);
        vec3 arm = vec3_sub(state->point, eng_middle_of(world, body).position);
        *force = vec3_add(*force, own);
        *torque = vec3_add(*torque, vec3_cross(arm, own));
        *torque = vec3_add_scaled(*torque, rate, state->couple[side]);
        at = connector->next[side];
    }
}

bool eng_connector_stiffness(const cairn_world *world, int index, con_stiffness *stiffness,
                             double mass[2])
{
    const eng_connector *connector = &world->model.connectors.rows[index];
    const con_law *law = connector->surface.law;
    if (law->stiffness == NULL)
        return false;
    eng_connector_state now = {0};
    vec3 centre[2];
    const pose q[2] = {eng_state_of(world, connector->body[0]).q,
                       eng_state_of(world, connector->body[1]).q};
    place(connector, &q[0], &q[1], &now, centre);
    double inverse = 0.0;
    for (int side = 0; side < 2; side++) {
        int body = connector->body[side];
        mat3 W = mobility(world, body, &q[side], &now);
        mass[side] = is_free(world, body) ? 1.0 / W.m[0][0] : INFINITY;
        inverse += 1.0 / mass[side];
    }
    const double *r = connector->radius;
    con_stiffness_input input = {
        .radius = 1.0 / (1.0 / r[0] + 1.0 / r[1]),
        .mass = 1.0 / inverse,
        .overlap = overlap_share * fmin(fabs(r[0]), fabs(r[1])),
    };
    *stiffness = law->stiffness(connector->surface.parameters, &input);
    return true;
}
