// SPDX-License-Identifier: Apache-2.0
// Tangential, rolling and twisting resistance, shared by the laws with a tangential spring.
#include "contact/laws/rolling.h"

void con_tangential_force(const con_slider *slider, const con_impulse_input *input,
                          double history[3], con_impulse_output *output)
{
    double h = input->step;
    vec3 sliding = vec3_make(0.0, input->V[1], input->V[2]);
    vec3 travel = vec3_scale(h, mat3_apply_transposed(&input->frame, sliding));
    vec3 spring = con_tangent_project(vec3_from(history), mat3_row(&input->frame, 0));
    con_slider_answer answer = con_slider_move(slider, travel, h, &spring);
    vec3_store(history, spring);
    for (int k = 1; k < 3; k++) {
        vec3 tangent = vec3_scale(h, mat3_row(&input->frame, k));
        output->R[k] = vec3_dot(tangent, answer.force);
        output->R_damping[k] = vec3_dot(tangent, answer.dashpot);
        output->R_friction[k] = vec3_dot(tangent, answer.loss);
    }
    output->elastic += answer.elastic;
    output->releasable += answer.elastic;
    output->friction += answer.friction;
}

/// What a slider of moments answers goes to the couples and energies.
static void book(const con_slider_answer *answer, double step, con_impulse_output *output)
{
    vec3 couple = vec3_scale(step, answer->force);
    output->couple[1] = vec3_add(output->couple[1], couple);
    output->couple[0] = vec3_sub(output->couple[0], couple);
    output->couple_damping = vec3_add_scaled(output->couple_damping, step, answer->dashpot);
    output->couple_friction = vec3_add_scaled(output->couple_friction, step, answer->loss);
    output->elastic += answer->elastic;
    output->releasable += answer->elastic;
    output->friction += answer->friction;
}

/// Settings of one of the two resistances.
typedef struct resistance {
    double friction, stiffness, damping;
} resistance;

/// Slider of a moment at the effective radius; its spring is that against sliding where it has
/// none.
static con_slider slider_of(const resistance *r, const con_slider *sliding, double radius,
                            double force)
{
    double arm = radius * radius;
    return (con_slider){
        .stiffness = arm * (r->stiffness > 0.0 ? r->stiffness : sliding->stiffness),
        .stiffness_before = arm * (r->stiffness > 0.0 ? r->stiffness : sliding->stiffness_before),
        .damping = arm * r->damping,
        .limit = r->friction * radius * force,
    };
}

/// Directions of turning, and what multiplies an angle to give the way over the surfaces, and a
/// force to give the moment.
typedef struct arms {
    int count;
    vec3 axis[2];
    double radius[2]; // m
} arms;

static vec3 stretch(const arms *all, vec3 v, bool back)
{
    vec3 sum = {0.0, 0.0, 0.0};
    for (int k = 0; k < all->count; k++) {
        double part = vec3_dot(v, all->axis[k]);
        sum = vec3_add_scaled(sum, back ? part / all->radius[k] : part * all->radius[k],
                              all->axis[k]);
    }
    return sum;
}

/// A slider in the way over the surfaces. Its spring is softer than that of the settings where a
/// radius is longer than the arm that the bodies' inertia bears.
/// @param moment  N m on B, in and out
/// @param stored  J, of the spring at the end of the last step, in and out: radii that have changed
///                since make no energy
static void resist_by_shape(const con_slider *slider, const arms *all, double arm, vec3 angle,
                            double step, vec3 *moment, double *stored, con_impulse_output *output)
{
    double most = real_max(all->radius[0], all->radius[all->count - 1]);
    double share = most > arm ? (arm / most) * (arm / most) : 1.0;
    const con_slider soft = {share * slider->stiffness, share * slider->stiffness_before,
                             share * slider->damping, slider->limit};
    vec3 spring = stretch(all, *moment, true);
    double before = con_slider_stored(spring, soft.stiffness_before);
    if (before > *stored)
        spring = vec3_scale(sqrt(*stored / before), spring);
    else
        output->friction += *stored - before;
    con_slider_answer answer = con_slider_move(&soft, stretch(all, angle, false), step, &spring);
    *moment = stretch(all, spring, false);
    *stored = answer.elastic;
    answer.force = stretch(all, answer.force, false);
    answer.dashpot = stretch(all, answer.dashpot, false);
    answer.loss = stretch(all, answer.loss, false);
    book(&answer, step, output);
}

void con_rolling_resist(const con_rolling *p, const con_impulse_input *input, double radius,
                        double force, const con_slider *sliding,
                        double history[CON_ROLLING_HISTORY], double stored[CON_ROLLING_STORED],
                        con_impulse_output *output)
{
    bool shaped = !isfinite(radius);
    const con_roll *roll = &input->roll;
    if (shaped && !(roll->radius[0] > 0.0))
        return;
    vec3 normal = mat3_row(&input->frame, 0);
    vec3 omega = vec3_sub(input->angular_velocity[1], input->angular_velocity[0]);
    double twist = vec3_dot(omega, normal);
    if (p->rolling_friction > 0.0) {
        const resistance own = {p->rolling_friction, p->rolling_stiffness, p->rolling_damping};
        con_slider slider = slider_of(&own, sliding, shaped ? 1.0 : radius, force);
        vec3 moment = con_tangent_project(vec3_from(history), normal);
        vec3 angle = vec3_scale(input->step, vec3_add_scaled(omega, -twist, normal));
        if (shaped) {
            const arms all = {2,
                              {roll->axis, vec3_cross(normal, roll->axis)},
                              {roll->radius[0], roll->radius[1]}};
            resist_by_shape(&slider, &all, roll->arm, angle, input->step, &moment, &stored[0],
                            output);
        } else {
            con_slider_answer answer = con_slider_move(&slider, angle, input->step, &moment);
            book(&answer, input->step, output);
        }
        vec3_store(history, moment);
    }
    if (p->twisting_friction > 0.0) {
        const resistance own = {p->twisting_friction, p->twisting_stiffness, p->twisting_damping};
        con_slider slider = slider_of(&own, sliding, shaped ? 1.0 : radius, force);
        vec3 moment = vec3_scale(history[3], normal);
        vec3 angle = vec3_scale(input->step * twist, normal);
        if (shaped) {
            const arms all = {1, {normal}, {roll->twisting}};
            resist_by_shape(&slider, &all, roll->arm, angle, input->step, &moment, &stored[1],
                            output);
        } else {
            con_slider_answer answer = con_slider_move(&slider, angle, input->step, &moment);
            book(&answer, input->step, output);
        }
        history[3] = vec3_dot(moment, normal);
    }
}
