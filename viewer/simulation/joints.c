// SPDX-License-Identifier: Apache-2.0
// Joints of a stopped world are set to a position.
#include "viewer/simulation/joints.h"

#include <math.h>
#include <string.h>

/// Marks what hangs on a body by joints other than one. @return false where that is held, by what
/// is not dynamic or by the joint's other body
static bool gather(const view_model *model, int joint, int body, int other, bool *moved)
{
    bool grown = true;
    memset(moved, 0, (size_t)model->body_count * sizeof *moved);
    if (body < 0)
        return false;
    moved[body] = true;
    while (grown) {
        grown = false;
        for (int i = 0; i < model->joint_count; i++) {
            const int *ends = model->joints[i].bodies;
            if (i == joint || model->joints[i].is_connector)
                continue;
            for (int side = 0; side < 2; side++) {
                if (ends[side] < 0 || !moved[ends[side]])
                    continue;
                int next = ends[1 - side];
                if (next < 0)
                    return false;
                grown = grown || !moved[next];
                moved[next] = true;
            }
        }
    }
    for (int i = 0; i < model->body_count; i++)
        if (moved[i] && model->bodies[i].kind != CAIRN_DYNAMIC)
            return false;
    return other < 0 || !moved[other];
}

/// A turn about a point, or a way.
typedef struct motion {
    quat turn;
    vec3 centre, way;
} motion;

/// Velocity of the other side where a point of it would be.
static vec3 velocity_at(const cairn_body_view *other, vec3 point)
{
    if (other->mass == 0.0)
        return vec3_make(0.0, 0.0, 0.0);
    vec3 arm = vec3_sub(point, vec3_from(other->centre));
    return vec3_add(vec3_from(other->velocity),
                    vec3_cross(vec3_from(other->angular_velocity), arm));
}

static vec3 carry(const motion *by, vec3 point)
{
    vec3 arm = vec3_sub(point, by->centre);
    return vec3_add(by->centre, vec3_add(quat_rotate(by->turn, arm), by->way));
}

static cairn_status move_body(cairn_world *world, cairn_body_id id, const motion *by,
                              const cairn_body_view *other, cairn_error *error)
{
    cairn_body_view body;
    BASE_TRY(cairn_body_get(world, id, &body));
    double position[3], velocity[3], omega[3];
    const double *q = body.orientation;
    quat turned = quat_multiply(by->turn, (quat){q[0], q[1], q[2], q[3]});
    vec3 centre = vec3_from(body.centre), spin = vec3_from(other->angular_velocity);
    vec3 slip = vec3_sub(vec3_from(body.velocity), velocity_at(other, centre));
    vec3_store(position, carry(by, vec3_from(body.position)));
    vec3_store(velocity,
               vec3_add(velocity_at(other, carry(by, centre)), quat_rotate(by->turn, slip)));
    slip = vec3_sub(vec3_from(body.angular_velocity), spin);
    vec3_store(omega, vec3_add(spin, quat_rotate(by->turn, slip)));
    cairn_status status = cairn_body_set_pose(
        world, id, position, (double[4]){turned.w, turned.x, turned.y, turned.z}, error);
    return status == CAIRN_OK ? cairn_body_set_velocity(world, id, velocity, omega, error) : status;
}

cairn_status view_joint_set(cairn_world *world, const view_model *model, int joint, double value,
                            bool *moved, cairn_error *error)
{
    cairn_joint_view view;
    cairn_body_view other = {0};
    cairn_status status = cairn_joint_get(world, cairn_joint_at(world, joint), &view);
    if (status != CAIRN_OK)
        return status;
    const int *ends = model->joints[joint].bodies;
    int side = gather(model, joint, ends[1], ends[0], moved) ? 1 : 0;
    if (side == 0 && !gather(model, joint, ends[0], ends[1], moved))
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "this joint alone cannot be set: both of its sides are held");
    if (ends[1 - side] >= 0)
        status = cairn_body_get(world, model->bodies[ends[1 - side]].id, &other);
    bool turns = view.kind == CAIRN_JOINT_HINGE;
    double by = turns ? remainder(value - view.coordinate, 2.0 * M_PI) : value - view.coordinate;
    vec3 way = vec3_scale(side == 1 ? by : -by, vec3_from(view.axis));
    motion asked = {quat_identity(), vec3_from(view.anchor), way};
    if (turns) {
        asked.turn = base_quat_from_rotation_vector(way);
        asked.way = vec3_make(0.0, 0.0, 0.0);
    }
    for (int i = 0; i < model->body_count && status == CAIRN_OK; i++)
        if (moved[i])
            status = move_body(world, model->bodies[i].id, &asked, &other, error);
    return status;
}
