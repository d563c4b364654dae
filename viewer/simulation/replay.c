// SPDX-License-Identifier: Apache-2.0
// Copies instants out of a run, and blends neighbours.
#include "viewer/simulation/replay.h"

#include <math.h>

static cairn_status read(const view_model *model, cairn_replay *replay, int64_t index,
                         cairn_replay_frame *from, cairn_error *error)
{
    const cairn_replay_info *info = cairn_replay_get_info(replay);
    if (info->bodies != model->body_count)
        return base_fail(error, CAIRN_ERROR_FORMAT, "the run has %d bodies, its scene %d",
                         info->bodies, model->body_count);
    return cairn_replay_read(replay, index, from, error);
}

/// Row of the i-th body of a frame.
static int row_of(const cairn_replay_frame *from, int i)
{
    return from->body != NULL ? (int)from->body[i] : i;
}

static void take_body(view_frame *frame, const view_model *model, const cairn_replay_frame *from,
                      int i)
{
    const double *q = from->orientation[i];
    int row = row_of(from, i);
    frame->present[row] = true;
    frame->poses[row] = (pose){vec3_from(from->position[i]), {q[0], q[1], q[2], q[3]}};
    frame->velocities[row] = vec3_from(from->velocity[i]);
    frame->omegas[row] = vec3_from(from->angular_velocity[i]);
    frame->centres[row] = pose_apply(&frame->poses[row], model->bodies[row].centre);
}

/// The contacts that the frame keeps; of a pair they are told apart by their place.
static void take_contacts(view_frame *frame, const view_model *model,
                          const cairn_replay_frame *from)
{
    frame->contact_count = from->contacts_kept > 0 ? from->contacts_kept : 0;
    for (int i = 0; i < frame->contact_count; i++) {
        int a = (int)from->contact_bodies[i][0], b = (int)from->contact_bodies[i][1];
        frame->contacts[i] = (view_contact){
            .a = a,
            .b = b,
            .point = vec3_from(from->contact_point[i]),
            .normal = vec3_from(from->contact_normal[i]),
            .force = vec3_from(from->contact_force[i]),
            .velocity = vec3_from(from->contact_velocity[i]),
            .gap = from->contact_gap[i],
            .friction = view_model_friction(model, a, b),
            .key = (uint64_t)i,
            .status = (cairn_contact_status)from->contact_status[i],
        };
    }
}

cairn_status view_replay_take(view_frame *frame, const view_model *model, cairn_replay *replay,
                              int64_t index, cairn_error *error)
{
    cairn_replay_frame from;
    BASE_TRY(read(model, replay, index, &from, error));
    if (view_frame_reserve(frame, model->body_count,
                           from.contacts_kept > 0 ? from.contacts_kept : 0) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "a frame of the run does not fit in memory");

    // the run's arrays into the frame's; poses are of the shape frames in both
    frame->body_count = model->body_count;
    frame->present_count = from.bodies;
    for (int i = 0; i < model->body_count; i++) {
        frame->present[i] = false;
        frame->poses[i] = pose_identity();
        frame->velocities[i] = frame->omegas[i] = frame->centres[i] = vec3_make(0.0, 0.0, 0.0);
    }
    for (int i = 0; i < from.bodies; i++)
        take_body(frame, model, &from, i);
    take_contacts(frame, model, &from);

    frame->replayed = true;
    frame->keeps_contacts = from.contacts_kept >= 0;
    frame->contacts_stored = from.contacts;
    frame->time = from.time;
    frame->time_step = cairn_replay_get_info(replay)->time_step;
    frame->step = from.step;
    frame->report = (cairn_step_report){
        .stop = "none", .error = NAN, .error_scaled = NAN, .error_siconos = NAN};
    frame->energy = (cairn_energy){0};
    frame->residual_count = 0;
    return CAIRN_OK;
}

// ---------------------------------------------------------------- between two frames

static vec3 mix(vec3 a, vec3 b, double part)
{
    return vec3_add_scaled(vec3_scale(1.0 - part, a), part, b);
}

/// Centres of mass go straight, the shape's frame turns about them. A body that is in one of the
/// two frames alone is shown as it is in the earlier one.
static void blend(view_frame *frame, const view_model *model, const cairn_replay_frame *later,
                  double part)
{
    for (int k = 0; k < later->bodies; k++) {
        int i = row_of(later, k);
        const double *q = later->orientation[k];
        pose there = {vec3_from(later->position[k]), {q[0], q[1], q[2], q[3]}};
        vec3 centre = model->bodies[i].centre;
        if (!frame->present[i])
            continue;
        frame->centres[i] = mix(frame->centres[i], pose_apply(&there, centre), part);

        // along the shorter arc; the two are a frame apart, so that the chord does for
        // it
        quat a = frame->poses[i].orientation;
        quat b = there.orientation;
        double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0.0 ? -1.0 : 1.0;
        double keep = 1.0 - part, take = sign * part;
        quat mixed = {keep * a.w + take * b.w, keep * a.x + take * b.x, keep * a.y + take * b.y,
                      keep * a.z + take * b.z};
        quat turned = quat_normalize(mixed);
        frame->poses[i] = (pose){vec3_sub(frame->centres[i], quat_rotate(turned, centre)), turned};
        frame->velocities[i] = mix(frame->velocities[i], vec3_from(later->velocity[k]), part);
        frame->omegas[i] = mix(frame->omegas[i], vec3_from(later->angular_velocity[k]), part);
    }
}

/// Last frame that is not later than a time.
static int64_t find_frame(const double *times, int64_t count, double time)
{
    int64_t low = 0, high = count;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (times[middle] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

cairn_status view_replay_take_at(view_frame *frame, const view_model *model, cairn_replay *replay,
                                 double time, cairn_error *error)
{
    int64_t count = cairn_replay_get_frame_count(replay);
    const double *times = cairn_replay_get_times(replay);
    double slack = 1e-6 * cairn_replay_get_info(replay)->time_step;
    if (count == 0)
        return base_fail(error, CAIRN_ERROR_FORMAT, "the run has no frame");
    if (!(time >= times[0] - slack && time <= times[count - 1] + slack))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "t = %g s is not in the run, which goes from %g to %g s", time, times[0],
                         times[count - 1]);
    int64_t at = find_frame(times, count, time + slack);
    cairn_status status = view_replay_take(frame, model, replay, at, error);
    if (status != CAIRN_OK || at + 1 == count || time <= times[at] + slack ||
        times[at + 1] <= times[at])
        return status;
    cairn_replay_frame later;
    double part = fmin((time - times[at]) / (times[at + 1] - times[at]), 1.0);
    BASE_TRY(read(model, replay, at + 1, &later, error));
    blend(frame, model, &later, part);
    frame->time = time;
    return CAIRN_OK;
}
