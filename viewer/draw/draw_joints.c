// SPDX-License-Identifier: Apache-2.0
// Symbols of joints with the ends of their ranges, and of connectors.
#include "viewer/draw/draw_list.h"

#include <math.h>

static const view_colour joint_colour = {240, 128, 20, 255}, connector_colour = {20, 150, 160, 255},
                         range_colour = {170, 88, 16, 255}, thread_colour = {84, 90, 100, 255};

/// A joint as a frame shows it.
typedef struct joint_place {
    const view_joint *joint;
    pose a;         // of the body A; the world's for none
    vec3 points[2]; // m
    vec3 axis;      // unit
    double size;    // m, of the symbols
} joint_place;

/// Where the range has no end, the symbol needs none.
static bool has_ends(const view_joint *joint)
{
    return isfinite(joint->range[0]) && isfinite(joint->range[1]);
}

/// An arc on A over the angles that B may have, with a hand on B where it is.
static cairn_status draw_turn(view_draw_list *list, const joint_place *place, vec3 hand)
{
    const view_joint *joint = place->joint;
    double radius = 5.0 * place->size, thickness = 0.12 * place->size;
    if (!has_ends(joint))
        return CAIRN_OK;
    vec3 x = quat_rotate(place->a.orientation, joint->zero), y = vec3_cross(place->axis, x);
    double turn = fmin(joint->range[1] - joint->range[0], 2.0 * M_PI);
    const double angles[2] = {joint->range[0], joint->range[0] + turn};
    cairn_status status =
        view_draw_arc(list, place->points[1], x, y, radius, angles, thickness, range_colour);
    for (int end = 0; status == CAIRN_OK && end < 2; end++) {
        vec3 out = vec3_add(vec3_scale(cos(angles[end]), x), vec3_scale(sin(angles[end]), y));
        status = view_draw_rod(list, vec3_add_scaled(place->points[1], 0.7 * radius, out),
                               vec3_add_scaled(place->points[1], 1.15 * radius, out),
                               2.0 * thickness, range_colour);
    }
    return status != CAIRN_OK ? status
                              : view_draw_rod(list, place->points[1],
                                              vec3_add_scaled(place->points[1], radius, hand),
                                              thickness, joint_colour);
}

/// The rail of a slider, as long as its range, with plates at the ends.
static cairn_status draw_rail(view_draw_list *list, const joint_place *place)
{
    const view_joint *joint = place->joint;
    double size = place->size;
    vec3 ends[2];
    for (int end = 0; end < 2; end++)
        ends[end] = has_ends(joint)
                        ? pose_apply(&place->a,
                                     vec3_add_scaled(joint->zero, joint->range[end], joint->axis))
                        : vec3_add_scaled(place->points[1], end == 0 ? -5.0 * size : 5.0 * size,
                                          place->axis);
    pose cube = {place->points[1], view_turn_z_to(place->axis)};
    cairn_status status = view_draw_rod(list, ends[0], ends[1], 0.2 * size, joint_colour);
    if (status == CAIRN_OK)
        status = view_draw_symbol(list, VIEW_BOX, &cube, vec3_make(0.6 * size, 0.6 * size, size),
                                  joint_colour);
    for (int end = 0; status == CAIRN_OK && has_ends(joint) && end < 2; end++) {
        pose plate = {ends[end], cube.orientation};
        status = view_draw_symbol(list, VIEW_BOX, &plate, vec3_make(size, size, 0.15 * size),
                                  range_colour);
    }
    return status;
}

/// The cone in which the axis of a ball joint stays.
static cairn_status draw_cone(view_draw_list *list, const joint_place *place)
{
    static const double whole[2] = {0.0, 2.0 * M_PI};
    double opening = place->joint->range[1], length = 5.0 * place->size;
    if (!isfinite(opening) || opening >= M_PI)
        return CAIRN_OK;
    quat turn = view_turn_z_to(place->axis);
    vec3 x = quat_rotate(turn, vec3_make(1.0, 0.0, 0.0)), y = vec3_cross(place->axis, x);
    vec3 centre = vec3_add_scaled(place->points[1], length * cos(opening), place->axis);
    double radius = length * sin(opening), thickness = 0.12 * place->size;
    BASE_TRY(view_draw_arc(list, centre, x, y, radius, whole, thickness, range_colour));
    for (int i = 0; i < 4; i++)
        BASE_TRY(view_draw_rod(list, place->points[1],
                               vec3_add_scaled(centre, i < 2 ? radius : -radius, i % 2 ? x : y),
                               0.7 * thickness, range_colour));
    return CAIRN_OK;
}

/// Hinges and universal joints are rods along the axis, joints that slide rails with a cube, ball
/// joints and the ends of rods balls, fixed joints cubes.
static cairn_status draw_joint(view_draw_list *list, const joint_place *place, vec3 hand)
{
    double size = place->size;
    pose placement = {place->points[1], view_turn_z_to(place->axis)};
    cairn_status status = CAIRN_OK;
    switch (place->joint->kind) {
    case CAIRN_JOINT_HINGE:
        BASE_TRY(draw_turn(list, place, hand));
        // fall through
    case CAIRN_JOINT_UNIVERSAL:
        return view_draw_symbol(list, VIEW_CYLINDER, &placement,
                                vec3_make(0.5 * size, 0.5 * size, 1.6 * size), joint_colour);
    case CAIRN_JOINT_SLIDER:
    case CAIRN_JOINT_CYLINDRICAL:
        return draw_rail(list, place);
    case CAIRN_JOINT_FIXED:
        return view_draw_symbol(list, VIEW_BOX, &placement,
                                vec3_make(0.7 * size, 0.7 * size, 0.7 * size), joint_colour);
    case CAIRN_JOINT_BALL:
        status = draw_cone(list, place);
        break;
    case CAIRN_JOINT_ROD:
    case CAIRN_JOINT_KIND_COUNT:
        break;
    }
    return status != CAIRN_OK ? status
                              : view_draw_symbol(list, VIEW_SPHERE, &placement,
                                                 vec3_make(size, size, size), joint_colour);
}

/// A thread from the anchor to the centre of a body that it lies outside of: what holds the body
/// would be in the air else.
static cairn_status draw_thread(view_draw_list *list, const view_draw_request *request,
                                const joint_place *place, int side)
{
    int body = place->joint->bodies[side];
    if (body < 0 || !(request->model->bodies[body].radius > 0.0))
        return CAIRN_OK;
    const view_shape *shape = &request->model->shapes[request->model->bodies[body].shape];
    vec3 anchor = place->joint->points[side];
    double most = 0.5 * request->model->bodies[body].radius, outside = 0.0;
    for (int k = 0; k < 3; k++)
        outside = fmax(outside, fmax(vec3_get(shape->minimum, k) - vec3_get(anchor, k),
                                     vec3_get(anchor, k) - vec3_get(shape->maximum, k)));
    return outside > most ? view_draw_rod(list, place->points[side], request->frame->centres[body],
                                          0.12 * place->size, thread_colour)
                          : CAIRN_OK;
}

/// A block over the anchor of a joint with the world.
static cairn_status draw_support(view_draw_list *list, const joint_place *place)
{
    double size = place->size;
    pose block = {vec3_add(place->points[1], vec3_make(0.0, 0.0, 1.3 * size)), quat_identity()};
    if (place->joint->bodies[0] >= 0 && place->joint->bodies[1] >= 0)
        return CAIRN_OK;
    return view_draw_symbol(list, VIEW_BOX, &block, vec3_make(1.5 * size, 1.5 * size, 0.4 * size),
                            thread_colour);
}

/// A joint of bodies that are not there is left out.
static cairn_status draw_if_there(view_draw_list *list, const view_draw_request *request,
                                  const view_joint *joint)
{
    joint_place place = {
        .joint = joint, .a = pose_identity(), .size = 0.16 * request->model->symbol_size};
    vec3 hand = joint->hand;
    for (int side = 0; side < 2; side++) {
        int body = joint->bodies[side];
        if (body >= 0 && !view_frame_has(request->frame, body))
            return CAIRN_OK;
        pose at = body >= 0 ? request->frame->poses[body] : pose_identity();
        place.points[side] = pose_apply(&at, joint->points[side]);
        if (side == 0)
            place.a = at;
        else
            hand = quat_rotate(at.orientation, hand);
    }
    if (joint->is_connector)
        return view_draw_rod(list, place.points[0], place.points[1], 0.3 * place.size,
                             connector_colour);
    place.axis = quat_rotate(place.a.orientation, joint->axis);
    bool slides = joint->kind == CAIRN_JOINT_SLIDER || joint->kind == CAIRN_JOINT_CYLINDRICAL;
    cairn_status status = slides ? CAIRN_OK : draw_support(list, &place);
    for (int side = 0; status == CAIRN_OK && !slides && side < 2; side++)
        status = draw_thread(list, request, &place, side);
    return status == CAIRN_OK ? draw_joint(list, &place, hand) : status;
}

cairn_status view_draw_joints(view_draw_list *list, const view_draw_request *request)
{
    for (int i = 0; i < request->model->joint_count; i++)
        BASE_TRY(draw_if_there(list, request, &request->model->joints[i]));
    return CAIRN_OK;
}
