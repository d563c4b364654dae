// SPDX-License-Identifier: Apache-2.0
// Symbols of a draw list: placed primitives, rods, arrows.
#include "viewer/draw/draw_list.h"

#include <math.h>

view_instance view_instance_make(const view_draw_list *list, const pose *placement, vec3 size,
                                 view_colour colour)
{
    vec3 p = vec3_sub(placement->position, list->origin);
    quat q = placement->orientation;
    return (view_instance){{(float)p.x, (float)p.y, (float)p.z},
                           {(float)q.x, (float)q.y, (float)q.z, (float)q.w},
                           {(float)size.x, (float)size.y, (float)size.z},
                           colour};
}

cairn_status view_batch_put(const base_allocator *allocator, view_batch *batch,
                            const view_instance *instance)
{
    if (base_array_reserve(allocator, &batch->items, &batch->capacity, batch->count + 1) !=
        CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    batch->items[batch->count++] = *instance;
    return CAIRN_OK;
}

cairn_status view_draw_symbol(view_draw_list *list, view_primitive primitive, const pose *placement,
                              vec3 size, view_colour colour)
{
    view_instance instance = view_instance_make(list, placement, size, colour);
    return view_batch_put(&list->allocator, &list->symbols[primitive], &instance);
}

quat view_turn_z_to(vec3 direction)
{
    // half-way quaternion between z and the direction; straight down turns about x
    quat q = {1.0 + direction.z, -direction.y, direction.x, 0.0};
    return q.w > 1e-9 ? quat_normalize(q) : (quat){0.0, 1.0, 0.0, 0.0};
}

cairn_status view_draw_rod(view_draw_list *list, vec3 from, vec3 to, double thickness,
                           view_colour colour)
{
    vec3 along = vec3_sub(to, from);
    double length = vec3_norm(along);
    if (!(length > 0.0))
        return CAIRN_OK;
    pose placement = {vec3_scale(0.5, vec3_add(from, to)),
                      view_turn_z_to(vec3_scale(1.0 / length, along))};
    return view_draw_symbol(list, VIEW_CYLINDER, &placement,
                            vec3_make(thickness, thickness, 0.5 * length), colour);
}

cairn_status view_draw_arrow(view_draw_list *list, vec3 from, vec3 along, double thickness,
                             view_colour colour)
{
    double length = vec3_norm(along);
    if (!(length > 0.0))
        return CAIRN_OK;
    vec3 direction = vec3_scale(1.0 / length, along);
    double head = fmin(6.0 * thickness, 0.5 * length);
    BASE_TRY(view_draw_rod(list, from, vec3_add_scaled(from, length - head, direction), thickness,
                           colour));
    pose tip = {vec3_add_scaled(from, length - 0.5 * head, direction), view_turn_z_to(direction)};
    return view_draw_symbol(list, VIEW_CONE, &tip,
                            vec3_make(2.2 * thickness, 2.2 * thickness, 0.5 * head), colour);
}

cairn_status view_draw_arc(view_draw_list *list, vec3 centre, vec3 x, vec3 y, double radius,
                           const double angles[2], double thickness, view_colour colour)
{
    enum { AROUND = 32 };
    double turn = angles[1] - angles[0];
    int pieces = 1 + (int)(fmin(fabs(turn) / (2.0 * M_PI), 1.0) * (AROUND - 1));
    cairn_status status = CAIRN_OK;
    vec3 last = {0};
    for (int i = 0; status == CAIRN_OK && i <= pieces; i++) {
        double angle = angles[0] + turn * i / pieces;
        vec3 next = vec3_add_scaled(vec3_add_scaled(centre, radius * cos(angle), x),
                                    radius * sin(angle), y);
        if (i > 0)
            status = view_draw_rod(list, last, next, thickness, colour);
        last = next;
    }
    return status;
}

cairn_status view_draw_handles(view_draw_list *list, const view_handles *handles)
{
    static const view_colour colours[3] = {
        {206, 52, 52, 255}, {46, 150, 70, 255}, {46, 92, 204, 255}};
    static const view_colour held = {255, 196, 40, 255};
    static const double whole[2] = {0.0, 2.0 * M_PI};
    static const vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    cairn_status status = CAIRN_OK;
    for (int i = 0; handles != NULL && status == CAIRN_OK && i < 3; i++) {
        double thickness = 0.018 * handles->length;
        status = view_draw_arrow(list, handles->centre, vec3_scale(handles->length, axes[i]),
                                 thickness, handles->held == i ? held : colours[i]);
        if (status == CAIRN_OK)
            status = view_draw_arc(list, handles->centre, axes[(i + 1) % 3], axes[(i + 2) % 3],
                                   VIEW_HANDLE_CIRCLE * handles->length, whole, 0.6 * thickness,
                                   handles->held == i + 3 ? held : colours[i]);
    }
    return status;
}
