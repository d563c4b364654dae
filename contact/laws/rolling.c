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

/// One of the two resistances: couples and energies of a slider moved by an angle.
static void resist(const con_slider *slider, vec3 angle, double step, vec3 *moment,
                   con_impulse_output *output)
{
    con_slider_answer answer = con_slider_move(slider, angle, step, moment);
    vec3 couple = vec3_scale(step, answer.force);
    output->couple[1] = vec3_add(output->couple[1], couple);
    output->couple[0] = vec3_sub(output->couple[0], couple);
    output->couple_damping = vec3_add_scaled(output->couple_damping, step, answer.dashpot);
    output->couple_friction = vec3_add_scaled(output->couple_friction, step, answer.loss);
    output->elastic += answer.elastic;
    output->releasable += answer.elastic;
    output->friction += answer.friction;
}

/// Slider of a moment at the effective radius; its spring is that against sliding where it has
/// none.
static con_slider slider_of(double friction, double stiffness, double damping,
                            const con_slider *sliding, double radius, double force)
{
    double arm = radius * radius;
    return (con_slider){
        .stiffness = arm * (stiffness > 0.0 ? stiffness : sliding->stiffness),
        .stiffness_before = arm * (stiffness > 0.0 ? stiffness : sliding->stiffness_before),
        .damping = arm * damping,
        .limit = friction * radius * force,
    };
}

void con_rolling_resist(const con_rolling *p, const con_impulse_input *input, double radius,
                        double force, const con_slider *sliding,
                        double history[CON_ROLLING_HISTORY], con_impulse_output *output)
{
    if (!isfinite(radius))
        return;
    vec3 normal = mat3_row(&input->frame, 0);
    vec3 omega = vec3_sub(input->angular_velocity[1], input->angular_velocity[0]);
    double twist = vec3_dot(omega, normal);
    if (p->rolling_friction > 0.0) {
        con_slider slider = slider_of(p->rolling_friction, p->rolling_stiffness, p->rolling_damping,
                                      sliding, radius, force);
        vec3 moment = con_tangent_project(vec3_from(history), normal);
        vec3 angle = vec3_scale(input->step, vec3_add_scaled(omega, -twist, normal));
        resist(&slider, angle, input->step, &moment, output);
        vec3_store(history, moment);
    }
    if (p->twisting_friction > 0.0) {
        con_slider slider = slider_of(p->twisting_friction, p->twisting_stiffness,
                                      p->twisting_damping, sliding, radius, force);
        vec3 moment = vec3_scale(history[3], normal);
        resist(&slider, vec3_scale(input->step * twist, normal), input->step, &moment, output);
        history[3] = vec3_dot(moment, normal);
    }
}
