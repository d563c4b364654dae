// SPDX-License-Identifier: Apache-2.0
// The schemes RIG_POS, RIG_NEG and RIG_IMP, and free motion without an error of the step.
#include "engine/state/rotation.h"

#include "base/elementary.h"

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

quat eng_rotation_half(vec3 omega, double h)
{
    return base_quat_from_rotation_vector(vec3_scale(0.5 * h, omega));
}

void eng_rotation_begin(vec3 J, vec3 omega, vec3 torque, double h, eng_turning *turning)
{
    // midpoint angular velocity from the angular momentum of t_n, theory.md (1.3)
    turning->momentum = quat_rotate_inverse(turning->half, vec3_multiply(J, omega));
    vec3 mid = divide(vec3_add_scaled(turning->momentum, 0.5 * h, torque), J);
    vec3 rate = vec3_sub(torque, vec3_cross(mid, vec3_multiply(J, mid)));
    turning->omega = vec3_add_scaled(omega, h, divide(rate, J));
}

vec3 eng_rotation_free(vec3 J, vec3 omega, vec3 torque, double h)
{
    eng_turning turning = {.half = eng_rotation_half(omega, h)};
    eng_rotation_begin(J, omega, torque, h, &turning);
    return turning.omega;
}

vec3 eng_rotation_kick(vec3 J, vec3 omega, vec3 torque, double h)
{
    return vec3_add_scaled(omega, h, divide(torque, J));
}

/// momentum - exp(h/2 w) J w, seen from axes turned by h/2 w.
/// @param turn  out, exp(h/2 w)
static vec3 implicit_residual(vec3 J, vec3 momentum, double half_step, vec3 w, quat *turn)
{
    *turn = base_quat_from_rotation_vector(vec3_scale(half_step, w));
    return vec3_sub(quat_rotate_inverse(*turn, momentum), vec3_multiply(J, w));
}

/// Newton's step of a residual r; false where there is none.
static bool newton_step(const mat3 *jacobian, vec3 r, vec3 *step)
{
    if (mat3_determinant(jacobian) == 0.0)
        return false;
    mat3 inverse = mat3_inverse(jacobian);
    *step = mat3_apply(&inverse, r);
    return true;
}

/// Newton's step from w with the residual r: J dw - h/2 (J w) x dw = r; false where it has none.
static bool implicit_step(vec3 J, double half_step, vec3 w, vec3 r, vec3 *step)
{
    mat3 skew = mat3_skew(vec3_scale(-half_step, vec3_multiply(J, w)));
    mat3 diagonal = mat3_diagonal(J);
    mat3 jacobian = mat3_add(&diagonal, &skew);
    return newton_step(&jacobian, r, step);
}

/// Solves exp(h/2 w) J w = momentum by Newton's method from `start`; false if it does not settle
/// (turns of a radian or more in a step).
/// @param turn  out, exp(h/2 w)
static bool solve_implicit(vec3 J, vec3 momentum, double half_step, vec3 start, vec3 *omega,
                           quat *turn)
{
    vec3 w = start, step;
    double scale = vec3_norm(momentum), before = INFINITY;
    for (int iteration = 0; iteration < 60; iteration++) {
        vec3 r = implicit_residual(J, momentum, half_step, w, turn);
        double size = vec3_norm(r);
        if (size <= 4e-16 * scale || (size <= 1e-13 * scale && size >= before)) {
            *omega = w;
            return true;
        }
        before = size;
        if (!implicit_step(J, half_step, w, r, &step))
            return false;
        w = vec3_add(w, step);
    }
    return false;
}

/// The derivative of exp(phi) in axes that it turned, applied to d.
static vec3 turn_derivative(vec3 phi, vec3 d)
{
    double angle = vec3_norm(phi), square = angle * angle;
    double first = angle > 1e-4 ? (1.0 - base_cos(angle)) / square : 0.5;
    double second = angle > 1e-4 ? (angle - base_sin(angle)) / (square * angle) : 1.0 / 6.0;
    vec3 across = vec3_cross(phi, d);
    vec3 bent = vec3_add_scaled(d, -first, across);
    return vec3_add_scaled(bent, second, vec3_cross(phi, across));
}

/// Newton's step with the derivative that holds for turns of any size.
static bool far_step(vec3 J, double half_step, vec3 w, vec3 r, vec3 *step)
{
    vec3 turned = vec3_add(r, vec3_multiply(J, w)), phi = vec3_scale(half_step, w);
    mat3 jacobian = mat3_diagonal(J);
    for (int k = 0; k < 3; k++) {
        vec3 bent = turn_derivative(phi, vec3_make(k == 0, k == 1, k == 2));
        vec3 column = vec3_scale(-half_step, vec3_cross(turned, bent));
        for (int i = 0; i < 3; i++)
            jacobian.m[i][k] += vec3_get(column, i);
    }
    return newton_step(&jacobian, r, step);
}

/// Newton's method with steps that are shortened until the residual falls.
static bool solve_damped(vec3 J, vec3 momentum, double half_step, vec3 start, vec3 *omega,
                         quat *turn)
{
    vec3 w = start, step, r = implicit_residual(J, momentum, half_step, w, turn);
    double scale = vec3_norm(momentum), size = vec3_norm(r);
    for (int iteration = 0; iteration < 100 && size > 1e-14 * scale; iteration++) {
        if (!far_step(J, half_step, w, r, &step))
            return false;
        double share = 1.0, before = size;
        for (; share > 1e-4; share *= 0.5) {
            vec3 next = vec3_add_scaled(w, share, step);
            r = implicit_residual(J, momentum, half_step, next, turn);
            size = vec3_norm(r);
            if (size < before * (1.0 - 1e-4 * share)) {
                w = next;
                break;
            }
        }
        if (share <= 1e-4)
            return false;
    }
    *omega = w;
    return size <= 1e-14 * scale;
}

/// Turns of two radians and more in a step: a solution exists, as the map from directions of J w
/// to those of exp(h/2 w) J w covers the sphere, but may lie far from where a guess leads.
static bool solve_far(vec3 J, vec3 momentum, double half_step, vec3 start, vec3 *omega, quat *turn)
{
    if (solve_damped(J, momentum, half_step, start, omega, turn) ||
        solve_damped(J, momentum, half_step, divide(momentum, J), omega, turn))
        return true;
    // directions of the axes and of the corners of a cube
    double size = vec3_norm(momentum);
    for (int k = 0; k < 27; k++) {
        vec3 d = {k % 3 - 1.0, k / 3 % 3 - 1.0, k / 9 - 1.0};
        double norm = vec3_norm(d);
        if (norm > 0.0 && solve_damped(J, momentum, half_step,
                                       divide(vec3_scale(size / norm, d), J), omega, turn))
            return true;
    }
    return false;
}

vec3 eng_rotation_finish(cairn_rotation scheme, vec3 J, vec3 momentum, vec3 omega_end, vec3 impulse,
                         double h, quat *turn)
{
    // angular momentum of the end of the step in midpoint axes, theory.md (1.6)
    vec3 end = vec3_add(momentum, impulse), implicit;
    if (scheme == CAIRN_RIG_IMP && (solve_implicit(J, end, 0.5 * h, omega_end, &implicit, turn) ||
                                    solve_far(J, end, 0.5 * h, omega_end, &implicit, turn)))
        return implicit;
    // RIG_NEG turns with the velocity the contacts were solved for, RIG_IMP with the final one
    *turn = eng_rotation_half(omega_end, h);
    if (scheme == CAIRN_RIG_POS)
        return omega_end;
    vec3 turned = divide(quat_rotate_inverse(*turn, end), J);
    if (scheme == CAIRN_RIG_IMP)
        *turn = eng_rotation_half(turned, h);
    return turned;
}

vec3 eng_rotation_end(cairn_rotation scheme, vec3 J, vec3 omega, vec3 omega_end, vec3 impulse,
                      double h)
{
    quat turn;
    vec3 momentum = turn_back(omega, 0.5 * h, vec3_multiply(J, omega));
    return eng_rotation_finish(scheme, J, momentum, omega_end, impulse, h, &turn);
}

// ---------------------------------------------------------------- turns by the mean velocity

/// The turn whose Cayley vector is u: by 2 atan |u| about it.
static quat cayley(vec3 u)
{
    return quat_normalize((quat){1.0, u.x, u.y, u.z});
}

quat eng_rotation_mean_half(vec3 omega, double h)
{
    quat whole = cayley(vec3_scale(0.5 * h, omega));
    // the root of a turn is the mean of it and of none
    return quat_normalize((quat){whole.w + 1.0, whole.x, whole.y, whole.z});
}

/// J w less the momentum seen from the end of the turn.
static vec3 mean_residual(vec3 J, vec3 omega, vec3 momentum, vec3 w, double h, quat *turn, vec3 *u)
{
    *u = vec3_scale(0.25 * h, vec3_add(omega, w));
    *turn = cayley(*u);
    return vec3_sub(quat_rotate_inverse(*turn, momentum), vec3_multiply(J, w));
}

/// Newton's step: the turn changes by 2 (du - u x du) / (1 + u^2) in axes of its end.
static bool mean_step(vec3 J, double h, vec3 u, vec3 turned, vec3 *r)
{
    mat3 jacobian = mat3_diagonal(J);
    double share = 0.5 * h / (1.0 + vec3_norm_squared(u));
    for (int k = 0; k < 3; k++) {
        vec3 unit = {k == 0, k == 1, k == 2};
        vec3 bent = vec3_scale(share, vec3_sub(unit, vec3_cross(u, unit)));
        vec3 column = vec3_cross(turned, bent);
        for (int i = 0; i < 3; i++)
            jacobian.m[i][k] -= vec3_get(column, i);
    }
    return newton_step(&jacobian, *r, r);
}

quat eng_rotation_mean(vec3 J, vec3 omega, vec3 momentum, vec3 guess, double h, vec3 *end)
{
    quat turn;
    vec3 u, w = guess, r = mean_residual(J, omega, momentum, w, h, &turn, &u);
    double scale = vec3_norm(momentum), size = vec3_norm(r);
    for (int iteration = 0; iteration < 60 && size > 4e-16 * scale; iteration++) {
        vec3 step = r, turned = vec3_add(r, vec3_multiply(J, w));
        if (!mean_step(J, h, u, turned, &step))
            break;
        double before = size, share = 1.0;
        vec3 next = w;
        do {
            next = vec3_add_scaled(w, share, step);
            r = mean_residual(J, omega, momentum, next, h, &turn, &u);
            size = vec3_norm(r);
            share *= 0.5;
        } while (!(size < before) && size > 1e-13 * scale && share > 1e-4);
        w = next;
        if (!(size < before))
            break;
    }
    *end = w;
    return turn;
}

double eng_rotation_lag(double rate, double h)
{
    return h * rate - 2.0 * base_atan2(0.5 * h * rate, 1.0);
}

quat eng_rotation_about(int axis, double angle)
{
    vec3 none = {0.0, 0.0, 0.0};
    return base_quat_from_rotation_vector(vec3_set(none, axis, angle));
}

quat eng_rotation_advance(quat orientation, vec3 rotation)
{
    return eng_rotation_turn(orientation, base_quat_from_rotation_vector(rotation));
}

// ---------------------------------------------------------------- free motion

/// Terms of the series; a piece of the time turns by FLOW_ANGLE at most, so that the terms fall by
/// that factor and the last ones are far below round-off.
enum { FLOW_TERMS = 20, FLOW_PIECES_MAX = 1024 };

static const double FLOW_ANGLE = 1.0 / 8.0;

/// Coefficient k + 1 of omega and of the orientation from those up to k, theory.md (1.11).
static void next_terms(vec3 J, vec3 *omega, quat *q, int k)
{
    vec3 torque = {0.0, 0.0, 0.0};
    quat rate = {0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i <= k; i++) {
        vec3 w = omega[k - i];
        torque = vec3_add(torque, vec3_cross(vec3_multiply(J, omega[i]), w));
        quat turned = quat_multiply(q[i], (quat){0.0, w.x, w.y, w.z});
        rate = (quat){rate.w + turned.w, rate.x + turned.x, rate.y + turned.y, rate.z + turned.z};
    }
    double share = 1.0 / (k + 1), half = 0.5 * share;
    omega[k + 1] = vec3_scale(share, divide(torque, J));
    q[k + 1] = (quat){half * rate.w, half * rate.x, half * rate.y, half * rate.z};
}

/// One piece of the time by Taylor's series.
static void flow_piece(vec3 J, quat *orientation, vec3 *omega, double time)
{
    vec3 w[FLOW_TERMS + 1] = {*omega};
    quat q[FLOW_TERMS + 1] = {*orientation};
    double power = 1.0, rest = 1e-18 * vec3_norm(*omega);
    for (int k = 0; k < FLOW_TERMS; k++) {
        next_terms(J, w, q, k);
        power *= time;
        const quat *term = &q[k + 1];
        *omega = vec3_add_scaled(*omega, power, w[k + 1]);
        *orientation = (quat){orientation->w + power * term->w, orientation->x + power * term->x,
                              orientation->y + power * term->y, orientation->z + power * term->z};
        bool turns =
            power * (fabs(term->w) + fabs(term->x) + fabs(term->y) + fabs(term->z)) > 1e-18;
        if (!turns && power * vec3_norm(w[k + 1]) <= rest)
            break;
    }
    *orientation = quat_normalize(*orientation);
}

/// At most this does |omega| change in the time in which the body turns by a radian: 1 for moments
/// that masses can have.
static double growth(vec3 J)
{
    double worst = fmax(fabs(J.y - J.z) / J.x, fmax(fabs(J.z - J.x) / J.y, fabs(J.x - J.y) / J.z));
    return fmax(worst, 1.0);
}

void eng_rotation_flow(vec3 J, quat *orientation, vec3 *omega, double time)
{
    bool round = J.x == J.y && J.y == J.z;
    double rate = round ? 0.0 : growth(J), left = fabs(time);
    // what turns the other way round goes back in time
    if (time < 0.0)
        *omega = vec3_scale(-1.0, *omega);
    for (int piece = 0; piece < FLOW_PIECES_MAX && !round; piece++) {
        double size = rate * vec3_norm(*omega), part = left;
        if (size * left > FLOW_ANGLE)
            part = FLOW_ANGLE / size;
        flow_piece(J, orientation, omega, part);
        left -= part;
        if (!(left > 0.0))
            break;
    }
    // a body without principal axes of its own, or hundreds of turns in a step
    if (left > 0.0)
        *orientation = eng_rotation_advance(*orientation, vec3_scale(left, *omega));
    if (time < 0.0)
        *omega = vec3_scale(-1.0, *omega);
}
