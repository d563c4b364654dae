// SPDX-License-Identifier: Apache-2.0
// The schemes RIG_POS, RIG_NEG and RIG_IMP.
#include "engine/state/rotation.h"

/// exp(-h/2 omega) p: what is constant in space, seen from axes that turned by h/2 omega.
static vec3 turn_back(vec3 omega, double half_step, vec3 p)
{
    quat turn = base_quat_from_rotation_vector(vec3_scale(half_step, omega));
    return quat_rotate_inverse(turn, p);
}

static vec3 divide(vec3 p, vec3 J)
{
    return vec3_make(p.x / J.x, p.y / J.y, p.z / J.z);
}

vec3 eng_rotation_middle(vec3 J, vec3 omega, double h)
{
    return divide(turn_back(omega, 0.5 * h, vec3_multiply(J, omega)), J);
}

vec3 eng_rotation_free(vec3 J, vec3 omega, vec3 torque, double h)
{
    // midpoint angular velocity from the angular momentum of t_n, theory.md (1.3)
    vec3 momentum = turn_back(omega, 0.5 * h, vec3_multiply(J, omega));
    vec3 mid = divide(vec3_add_scaled(momentum, 0.5 * h, torque), J);
    vec3 rate = vec3_sub(torque, vec3_cross(mid, vec3_multiply(J, mid)));
    return vec3_add_scaled(omega, h, divide(rate, J));
}

/// Solves exp(h/2 w) J w = momentum by Newton's method from `start`; false if it does not settle
/// (turns of a radian or more in a step).
static bool solve_implicit(vec3 J, vec3 momentum, double half_step, vec3 start, vec3 *omega)
{
    vec3 w = start;
    double scale = vec3_norm(momentum), before = INFINITY;
    for (int iteration = 0; iteration < 60; iteration++) {
        // residual and derivative in axes turned by h/2 w: J dw - h/2 (J w) x dw = r
        vec3 Jw = vec3_multiply(J, w);
        vec3 r = vec3_sub(turn_back(w, half_step, momentum), Jw);
        double size = vec3_norm(r);
        if (size <= 4e-16 * scale || (size <= 1e-13 * scale && size >= before)) {
            *omega = w;
            return true;
        }
        before = size;
        mat3 skew = mat3_skew(vec3_scale(-half_step, Jw)), diagonal = mat3_diagonal(J);
        mat3 jacobian = mat3_add(&diagonal, &skew);
        if (mat3_determinant(&jacobian) == 0.0)
            return false;
        mat3 inverse = mat3_inverse(&jacobian);
        w = vec3_add(w, mat3_apply(&inverse, r));
    }
    return false;
}

vec3 eng_rotation_end(cairn_rotation scheme, vec3 J, vec3 omega, vec3 omega_end, vec3 impulse,
                      double h)
{
    if (scheme == CAIRN_RIG_POS)
        return omega_end;
    // angular momentum of the end of the step in midpoint axes, theory.md (1.6)
    vec3 momentum = vec3_add(turn_back(omega, 0.5 * h, vec3_multiply(J, omega)), impulse);
    vec3 implicit;
    if (scheme == CAIRN_RIG_IMP && solve_implicit(J, momentum, 0.5 * h, omega_end, &implicit))
        return implicit;
    return divide(turn_back(omega_end, 0.5 * h, momentum), J);
}

quat eng_rotation_advance(quat orientation, vec3 rotation)
{
    return quat_normalize(quat_multiply(orientation, base_quat_from_rotation_vector(rotation)));
}
