// SPDX-License-Identifier: Apache-2.0
// The impulse of a joint's coordinate against its speed: friction, motor and range in one falling
// staircase, theory.md (9.8).
#include "engine/joints/joints.h"

/// One step of the staircase: the impulse falls from `above` to `below` at speed u.
typedef struct stair {
    double u, above, below;
} stair;

enum { STAIR_FRICTION, STAIR_MOTOR, STAIR_LOW, STAIR_HIGH };

/// A motor without limit still yields to a range.
static double motor_strength(const eng_joint *joint, double h)
{
    return isfinite(joint->motor_limit) ? h * joint->motor_limit : 1e300;
}

/// All four; those that a joint does not have fall by nothing.
static void list_stairs(const eng_joint *joint, double coordinate, double h, stair list[4])
{
    double friction = h * joint->friction;
    double motor = joint->motor ? motor_strength(joint, h) : 0.0;
    bool low = isfinite(joint->range[0]), high = isfinite(joint->range[1]);
    list[STAIR_FRICTION] = (stair){0.0, friction, -friction};
    list[STAIR_MOTOR] = (stair){joint->motor_velocity, motor, -motor};
    // as a contact: the way to the end may shrink to nothing within one step
    list[STAIR_LOW] =
        (stair){low ? (joint->range[0] - coordinate) / h : 0.0, low ? INFINITY : 0.0, 0.0};
    list[STAIR_HIGH] =
        (stair){high ? (joint->range[1] - coordinate) / h : 0.0, 0.0, high ? -INFINITY : 0.0};
}

void eng_stairs_build(const eng_joint *joint, double coordinate, double h, eng_stairs *stairs)
{
    stair list[4];
    list_stairs(joint, coordinate, h, list);
    stairs->count = 0;
    for (int i = 0; i < 4; i++) {
        if (list[i].above == list[i].below)
            continue;
        // sorted by speed; stairs at the same speed are one
        int place = 0;
        while (place < stairs->count && stairs->kink[place] < list[i].u)
            place++;
        if (place < stairs->count && stairs->kink[place] == list[i].u)
            continue;
        for (int k = stairs->count; k > place; k--)
            stairs->kink[k] = stairs->kink[k - 1];
        stairs->kink[place] = list[i].u;
        stairs->count++;
    }
    for (int k = 0; k <= stairs->count; k++) {
        stairs->level[k] = 0.0;
        for (int i = 0; i < 4; i++) {
            bool past = k > 0 && list[i].u <= stairs->kink[k - 1];
            stairs->level[k] += past ? list[i].below : list[i].above;
        }
    }
}

int eng_stairs_guess(const eng_stairs *stairs, double u)
{
    int k = 0;
    while (k < stairs->count && stairs->kink[k] < u - 1e-9 * (fabs(u) + fabs(stairs->kink[k])))
        k++;
    if (k < stairs->count && stairs->kink[k] <= u + 1e-9 * (fabs(u) + fabs(stairs->kink[k])))
        return 2 * k + 1;
    // where no finite impulse belongs to the speed, the kink beside it is the answer
    if (!(fabs(stairs->level[k]) < 1e299))
        return stairs->level[k] > 0.0 ? 2 * k + 1 : 2 * k - 1;
    return 2 * k;
}

/// The state beside one; a level of infinite impulse between two kinks is no answer and passed.
static int neighbour(const eng_stairs *stairs, int state, int direction)
{
    int next = state + direction, beyond = next + direction;
    bool infinite = next % 2 == 0 && !(fabs(stairs->level[next / 2]) < 1e299);
    return infinite && beyond > 0 && beyond < 2 * stairs->count ? beyond : next;
}

int eng_stairs_next(const eng_stairs *stairs, int state, double l, double u, double slack)
{
    int k = state / 2;
    if (state % 2 == 1) {
        if (l > stairs->level[k])
            return neighbour(stairs, state, -1);
        return l < stairs->level[k + 1] ? neighbour(stairs, state, 1) : state;
    }
    if (k > 0 && u < stairs->kink[k - 1] - slack)
        return state - 1;
    return k < stairs->count && u > stairs->kink[k] + slack ? state + 1 : state;
}

/// A speed that belongs to a state: the kink itself, or one between two.
static double state_speed(const eng_stairs *stairs, int state)
{
    int k = state / 2;
    if (state % 2 == 1)
        return stairs->kink[k];
    if (stairs->count == 0)
        return 0.0;
    if (k == 0)
        return stairs->kink[0] - 1.0;
    return k == stairs->count ? stairs->kink[k - 1] + 1.0
                              : 0.5 * (stairs->kink[k - 1] + stairs->kink[k]);
}

eng_effort eng_stairs_split(const eng_joint *joint, double h, const eng_stairs *stairs, int state,
                            double l)
{
    double u = state_speed(stairs, state);
    double friction = h * joint->friction;
    double motor = joint->motor ? motor_strength(joint, h) : 0.0;
    bool held = u == 0.0, kept = u == joint->motor_velocity;
    eng_effort out = {0.0, 0.0, 0.0};
    if (!held)
        out.friction = u > 0.0 ? -friction : friction;
    // a motor without limit that does not keep its speed has met a range
    if (!kept && motor < 1e299)
        out.motor = u > joint->motor_velocity ? -motor : motor;
    // what is left over belongs to whoever holds the coordinate
    double rest = l - out.friction - out.motor;
    if (held) {
        out.friction = fmax(-friction, fmin(friction, rest));
        rest -= out.friction;
    }
    if (kept) {
        out.motor = fmax(-motor, fmin(motor, rest));
        rest -= out.motor;
    }
    out.range = rest;
    return out;
}
