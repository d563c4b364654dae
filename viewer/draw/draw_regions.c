// SPDX-License-Identifier: Apache-2.0
// Edges of the places that a scene names: where grains come from and go to, what sensors look at,
// the periodic cell, and where servos push.
#include "viewer/draw/draw_list.h"

#include <math.h>

static const double round_about[2] = {0.0, 2.0 * M_PI};

static const view_colour servo_colour = {130, 70, 180, 255};

/// The twelve edges of a parallelepiped.
static cairn_status draw_edges(view_draw_list *list, vec3 corner, const vec3 sides[3],
                               double thickness, view_colour colour)
{
    for (int from = 0; from < 8; from++) {
        vec3 start = corner;
        for (int axis = 0; axis < 3; axis++)
            if (from >> axis & 1)
                start = vec3_add(start, sides[axis]);
        for (int axis = 0; axis < 3; axis++)
            if ((from >> axis & 1) == 0 && view_draw_rod(list, start, vec3_add(start, sides[axis]),
                                                         thickness, colour) != CAIRN_OK)
                return CAIRN_ERROR_MEMORY;
    }
    return CAIRN_OK;
}

/// Two circles and four lines between them.
static cairn_status draw_tube(view_draw_list *list, const cairn_region *region, double thickness,
                              view_colour colour)
{
    vec3 ends[2] = {vec3_from(region->a), vec3_from(region->b)};
    vec3 along = vec3_normalize_or(vec3_sub(ends[1], ends[0]), vec3_make(0.0, 0.0, 1.0));
    quat turn = view_turn_z_to(along);
    vec3 x = quat_rotate(turn, vec3_make(1.0, 0.0, 0.0)), y = vec3_cross(along, x);
    cairn_status status = CAIRN_OK;
    for (int end = 0; status == CAIRN_OK && end < 2; end++)
        status =
            view_draw_arc(list, ends[end], x, y, region->radius, round_about, thickness, colour);
    for (int i = 0; status == CAIRN_OK && i < 4; i++) {
        vec3 out = vec3_scale(i < 2 ? region->radius : -region->radius, i % 2 == 0 ? x : y);
        status =
            view_draw_rod(list, vec3_add(ends[0], out), vec3_add(ends[1], out), thickness, colour);
    }
    return status;
}

static cairn_status draw_ball(view_draw_list *list, const cairn_region *region, double thickness,
                              view_colour colour)
{
    static const vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int i = 0; i < 3; i++)
        BASE_TRY(view_draw_arc(list, vec3_from(region->a), axes[i], axes[(i + 1) % 3],
                               region->radius, round_about, thickness, colour));
    return CAIRN_OK;
}

/// Of a hull or a mesh the box around it.
static cairn_status draw_region(view_draw_list *list, const view_region *region, double thickness)
{
    static const view_colour colours[] = {
        [VIEW_REGION_EMITTER] = {46, 150, 70, 255},
        [VIEW_REGION_OUTLET] = {196, 60, 50, 255},
        [VIEW_REGION_SENSOR] = {40, 110, 190, 255},
    };
    view_colour colour = colours[region->kind];
    if (region->region.kind == CAIRN_REGION_CYLINDER)
        return draw_tube(list, &region->region, thickness, colour);
    if (region->region.kind == CAIRN_REGION_SPHERE)
        return draw_ball(list, &region->region, thickness, colour);
    vec3 size = vec3_sub(region->maximum, region->minimum);
    const vec3 sides[3] = {{size.x, 0.0, 0.0}, {0.0, size.y, 0.0}, {0.0, 0.0, size.z}};
    return draw_edges(list, region->minimum, sides, thickness, colour);
}

static cairn_status draw_cell(view_draw_list *list, const cairn_cell_view *cell, double thickness)
{
    static const view_colour colour = {110, 118, 130, 255};
    if (!cell->periodic[0] && !cell->periodic[1] && !cell->periodic[2])
        return CAIRN_OK;
    vec3 sides[3];
    for (int axis = 0; axis < 3; axis++)
        sides[axis] = vec3_from(cell->sides[axis]);
    return draw_edges(list, vec3_from(cell->low), sides, thickness, colour);
}

/// Arrows from both faces of the cell into it, or along them for a shear.
static cairn_status draw_cell_servo(view_draw_list *list, const cairn_cell_view *cell,
                                    const cairn_servo_view *servo, double length, double thickness)
{
    vec3 middle = vec3_from(cell->low),
         half = vec3_scale(0.5, vec3_from(cell->sides[servo->across]));
    vec3 way = vec3_normalize_or(vec3_from(cell->sides[servo->side]), vec3_make(0.0, 0.0, 1.0));
    for (int k = 0; k < 3; k++)
        middle = vec3_add_scaled(middle, 0.5, vec3_from(cell->sides[k]));
    for (int end = -1; end <= 1; end += 2) {
        bool shear = servo->side != servo->across;
        vec3 along = vec3_scale((shear ? end : -end) * length, way);
        vec3 from = vec3_add_scaled(middle, end, half);
        from = vec3_add_scaled(from, shear ? -0.5 : -1.0, along);
        if (view_draw_arrow(list, from, along, thickness, servo_colour) != CAIRN_OK)
            return CAIRN_ERROR_MEMORY;
    }
    return CAIRN_OK;
}

/// An arrow that ends at the centre of the wall, in the direction in which it pushes.
static cairn_status draw_servo(view_draw_list *list, const view_draw_request *request,
                               const cairn_servo_view *servo)
{
    double length = 0.2 * vec3_norm(vec3_sub(list->maximum, list->minimum));
    double thickness = 0.03 * length;
    int body = (int)servo->body.index;
    if (servo->cell)
        return draw_cell_servo(list, &request->frame->cell, servo, length, thickness);
    if (!view_frame_has(request->frame, body))
        return CAIRN_OK;
    vec3 along = vec3_scale(length, vec3_from(servo->axis));
    return view_draw_arrow(list, vec3_sub(request->frame->centres[body], along), along, thickness,
                           servo_colour);
}

cairn_status view_draw_regions(view_draw_list *list, const view_draw_request *request)
{
    vec3 size = vec3_sub(list->maximum, list->minimum);
    double thickness = 0.001 * vec3_norm(size);
    BASE_TRY(draw_cell(list, &request->frame->cell, thickness));
    for (int i = 0; i < request->model->region_count; i++)
        BASE_TRY(draw_region(list, &request->model->regions[i], thickness));
    for (int i = 0; i < request->model->servo_count; i++)
        BASE_TRY(draw_servo(list, request, &request->model->servos[i]));
    return CAIRN_OK;
}
