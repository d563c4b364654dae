// SPDX-License-Identifier: Apache-2.0
// Prescribed motions: functions of time that moving bodies follow, theory.md (9.12)-(9.13).
#include "engine/passes/motion.h"
#include "engine/bodies/body_state.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "engine/measures/finite.h"
#include "engine/state/ids.h"

#include "base/elementary.h"

#include <string.h>

static cairn_status ask(const cairn_world *world, int body, double time, cairn_motion *motion,
                        cairn_error *error)
{
    eng_motion source = eng_extra_of(world, body).motion;
    *motion = (cairn_motion){0};
    BASE_TRY(source.function(source.context, time, motion, error));
    double sum = 0.0;
    for (int k = 0; k < 3; k++) {
        sum += (motion->given & CAIRN_MOTION_POSITION) != 0 ? motion->position[k] : 0.0;
        sum += (motion->given & CAIRN_MOTION_VELOCITY) != 0 ? motion->velocity[k] : 0.0;
        sum += (motion->given & CAIRN_MOTION_ANGULAR_VELOCITY) != 0 ? motion->angular_velocity[k]
                                                                    : 0.0;
    }
    double norm = 0.0;
    for (int k = 0; k < 4; k++)
        norm += motion->orientation[k] * motion->orientation[k];
    bool turns = (motion->given & CAIRN_MOTION_ORIENTATION) != 0;
    if (!isfinite(sum) || (turns && !(norm > 1e-12 && isfinite(norm))))
        return base_fail(error, CAIRN_ERROR_NONFINITE, "the motion of %s is not finite at t = %g s",
                         eng_body_label(world, body).text, time);
    return CAIRN_OK;
}

/// Where the body would be at the end of half a step that began at q, as far as velocities say.
static pose carried(const pose *q, const cairn_motion *middle, const double v[6], double half)
{
    vec3 velocity =
        (middle->given & CAIRN_MOTION_VELOCITY) != 0 ? vec3_from(middle->velocity) : vec3_from(v);
    vec3 omega = (middle->given & CAIRN_MOTION_ANGULAR_VELOCITY) != 0
                     ? quat_rotate_inverse(q->orientation, vec3_from(middle->angular_velocity))
                     : vec3_from(v + 3);
    pose out = {vec3_add_scaled(q->position, half, velocity),
                quat_normalize(quat_multiply(
                    q->orientation, base_quat_from_rotation_vector(vec3_scale(half, omega))))};
    return out;
}

/// Centre and principal axes that a motion's position and orientation of the shape's frame mean.
static pose prescribed(const cairn_world *world, int body, const cairn_motion *at, pose q)
{
    pose frame = eng_frame_of(world, body), shape = pose_compose(&q, &frame);
    pose identity = pose_identity(), principal = pose_relative(&frame, &identity);
    const double *o = at->orientation;
    if ((at->given & CAIRN_MOTION_ORIENTATION) != 0)
        shape.orientation = quat_normalize((quat){o[0], o[1], o[2], o[3]});
    if ((at->given & CAIRN_MOTION_POSITION) != 0)
        shape.position = vec3_from(at->position);
    if ((at->given & (CAIRN_MOTION_POSITION | CAIRN_MOTION_ORIENTATION)) == 0)
        return q;
    pose moved = pose_compose(&shape, &principal);
    // an orientation alone turns the body about its centre
    if ((at->given & CAIRN_MOTION_POSITION) == 0)
        moved.position = q.position;
    return moved;
}

/// Velocity that carries q to its end within the time.
static void mean_velocity(const pose *q, const pose *end, double time, double v[6])
{
    vec3_store(v, vec3_scale(1.0 / time, vec3_sub(end->position, q->position)));
    quat turn = quat_multiply(quat_conjugate(q->orientation), end->orientation);
    double sign = turn.w < 0.0 ? -1.0 : 1.0;
    vec3 axis = vec3_scale(sign, vec3_make(turn.x, turn.y, turn.z));
    double sine = vec3_norm(axis), angle = 2.0 * base_atan2(sine, sign * turn.w);
    vec3_store(v + 3, vec3_scale(sine > 0.0 ? angle / (sine * time) : 2.0 / time, axis));
}

/// Half a step of one body: its velocity and where it ends.
static cairn_status follow(const cairn_world *world, int body, double start, const pose *q,
                           double v[6], pose *end, cairn_error *error)
{
    double half = 0.5 * world->state.clock.step;
    cairn_motion middle, last;
    BASE_TRY(ask(world, body, start + 0.5 * half, &middle, error));
    BASE_TRY(ask(world, body, start + half, &last, error));
    *end = prescribed(world, body, &last, carried(q, &middle, v, half));
    mean_velocity(q, end, half, v);
    return CAIRN_OK;
}

cairn_status eng_motions_begin(cairn_world *world, cairn_error *error)
{
    for (int k = 0; world->model.bodies.motion_count > 0 && k < world->scratch.general.active_count;
         k++) {
        int i = world->scratch.general.active[k];
        if (eng_extra_of(world, i).motion.function == NULL)
            continue;
        pose end;
        BASE_TRY(follow(world, i, world->state.clock.time, &world->state.bodies.q[i],
                        world->state.bodies.v[i], &end, error));
    }
    return CAIRN_OK;
}

cairn_status eng_motions_middle(cairn_world *world, cairn_error *error)
{
    double half = 0.5 * world->state.clock.step;
    for (int k = 0; world->model.bodies.motion_count > 0 && k < world->scratch.general.active_count;
         k++) {
        int i = world->scratch.general.active[k];
        if (eng_extra_of(world, i).motion.function == NULL)
            continue;
        pose end;
        BASE_TRY(follow(world, i, world->state.clock.time + half, &world->state.bodies.q_mid[i],
                        world->state.bodies.v_free[i], &end, error));
    }
    return CAIRN_OK;
}

cairn_status cairn_body_set_motion(cairn_world *world, cairn_body_id id,
                                   cairn_motion_function *function, void *context,
                                   cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    cairn_status known = eng_body_check(world, id);
    if (known != CAIRN_OK)
        return eng_fail_id(error, known, "body");
    int index = (int)id.index;
    if (world->model.bodies.rows[index].kind != CAIRN_MOVING)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "only a moving body follows a prescribed motion");
    eng_extra *extra = eng_extra_make(&world->model, index);
    if (extra == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a motion");
    eng_motion before = extra->motion;
    extra->motion = (eng_motion){function, context};
    world->scratch.general.due = true;
    if (function == NULL) {
        world->model.bodies.motion_count -= before.function != NULL;
        return CAIRN_OK;
    }
    cairn_motion now;
    pose end;
    eng_state state = eng_state_of(world, index);
    cairn_status status = ask(world, index, world->state.clock.time, &now, error);
    if (status == CAIRN_OK) {
        state.q = prescribed(world, index, &now, state.q);
        status = follow(world, index, world->state.clock.time, &state.q, state.v, &end, error);
    }
    if (status == CAIRN_OK && eng_state_set(world, index, &state) != CAIRN_OK)
        status = base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a motion");
    if (status != CAIRN_OK) {
        extra->motion = before;
        return status;
    }
    world->model.bodies.motion_count += before.function == NULL;
    world->contacts.pairs.topology_changed = world->model.joints.changed = true;
    return CAIRN_OK;
}
