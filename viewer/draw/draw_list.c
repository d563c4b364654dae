// SPDX-License-Identifier: Apache-2.0
// Model and frame to draw list: bodies, frames, boxes, velocities.
#include "viewer/draw/draw_list.h"

#include <math.h>
#include <stdlib.h>

static const uint8_t glass_alpha = 24;
// half-spaces without a colour of their own
static const double wall_opacity = 0.1;
static const view_colour plane_colour = {184, 186, 189, 255};
static const view_colour glass_colour = {186, 214, 236, 255};
static const view_colour axis_colours[3] = {
    {214, 62, 56, 255}, {70, 164, 78, 255}, {56, 110, 214, 255}};

view_draw_list view_draw_list_begin(const base_allocator *allocator)
{
    return (view_draw_list){.allocator = *allocator};
}

void view_draw_list_finish(view_draw_list *list)
{
    if (list->allocator.reallocate == NULL)
        return;
    for (int i = 0; i < list->batch_count; i++)
        base_release(&list->allocator, list->solids[i].items);
    for (int i = 0; i < VIEW_MESH; i++)
        base_release(&list->allocator, list->symbols[i].items);
    base_release(&list->allocator, list->solids);
    base_release(&list->allocator, list->glass);
    base_release(&list->allocator, list->colours);
    *list = (view_draw_list){0};
}

// ---------------------------------------------------------------- bodies

/// Part of what lies behind a body that it hides, where the scene says so; NAN: it does not.
static double opacity_of(const view_draw_request *request, int body)
{
    const view_paint *paint = view_model_paint(request->model, body);
    return paint->given && request->style->glass == VIEW_GLASS_AUTO ? paint->opacity : NAN;
}

static bool is_glass(const view_draw_request *request, int body)
{
    double opacity = opacity_of(request, body);
    if (!isnan(opacity))
        return opacity < 1.0;
    switch (request->style->glass) {
    case VIEW_GLASS_AUTO:
        return view_model_is_container(request->model, body);
    case VIEW_GLASS_ALL:
        return request->model->bodies[body].kind != CAIRN_DYNAMIC;
    case VIEW_GLASS_NONE:
    case VIEW_GLASS_COUNT:
        break;
    }
    return false;
}

static bool is_clipped(const view_draw_request *request, int body)
{
    const double *plane = request->style->clip_plane;
    return request->style->clip && request->model->bodies[body].radius > 0.0 &&
           vec3_dot(vec3_from(plane), request->frame->centres[body]) > plane[3];
}

static bool has_flag(const view_draw_request *request, int body, view_body_flag flag)
{
    return body < request->flag_count && (request->flags[body] & flag) != 0;
}

/// Half-spaces that nothing can lie on hide what is in front of them from nobody: they are faint.
static bool is_wall(const view_draw_request *request, const pose *placement)
{
    vec3 normal = quat_rotate(placement->orientation, vec3_make(0.0, 0.0, 1.0));
    return request->style->glass == VIEW_GLASS_AUTO && normal.z < 0.3;
}

static cairn_status put_part(view_draw_list *list, const view_draw_request *request, int body,
                             const view_part *part)
{
    pose placement = pose_compose(&request->frame->poses[body], &part->placement);
    view_instance instance =
        view_instance_make(list, &placement, vec3_from(part->size), list->colours[body]);
    double opacity = opacity_of(request, body);
    if (part->primitive == VIEW_PLANE) {
        if (!view_model_paint(request->model, body)->given)
            instance.colour = plane_colour;
        if (isnan(opacity) && is_wall(request, &placement))
            opacity = wall_opacity;
        if (opacity < 1.0)
            instance.colour.a = (uint8_t)lround(255.0 * opacity);
    }
    if (part->primitive != VIEW_PLANE && is_glass(request, body)) {
        int primitive = part->primitive;
        if (base_array_reserve(&list->allocator, &list->glass, &list->glass_capacity,
                               list->glass_count + 1) != CAIRN_OK)
            return CAIRN_ERROR_MEMORY;
        vec3 position = {instance.position[0], instance.position[1], instance.position[2]};
        vec3 from_eye = vec3_sub(vec3_add(position, list->origin), request->eye);
        view_glass_item *item = &list->glass[list->glass_count++];
        *item = (view_glass_item){instance, primitive, vec3_dot(from_eye, request->forward)};
        if (isnan(opacity))
            item->instance.colour = view_colour_mix(item->instance.colour, glass_colour, 0.7);
        item->instance.colour.a = isnan(opacity) ? glass_alpha : (uint8_t)lround(255.0 * opacity);
        return CAIRN_OK;
    }
    return view_batch_put(&list->allocator, &list->solids[part->primitive], &instance);
}

static cairn_status put_body(view_draw_list *list, const view_draw_request *request, int body)
{
    const view_shape *shape = &request->model->shapes[request->model->bodies[body].shape];
    if (opacity_of(request, body) == 0.0)
        return CAIRN_OK;
    for (int i = 0; i < shape->part_count; i++)
        BASE_TRY(put_part(list, request, body, &request->model->parts[shape->first_part + i]));
    return CAIRN_OK;
}

/// Farthest first; equal distances in the order of the list.
static int compare_glass(const void *a, const void *b)
{
    const view_glass_item *x = a, *y = b;
    return (x->distance < y->distance) - (x->distance > y->distance);
}

// ---------------------------------------------------------------- symbols of bodies

static cairn_status draw_frame(view_draw_list *list, const view_draw_request *request, int body)
{
    double length = 0.9 * request->model->bodies[body].radius;
    mat3 rotation = quat_to_mat3(request->frame->poses[body].orientation);
    for (int axis = 0; axis < 3; axis++)
        BASE_TRY(view_draw_arrow(list, request->frame->centres[body],
                                 vec3_scale(length, mat3_column(&rotation, axis)), 0.02 * length,
                                 axis_colours[axis]));
    return CAIRN_OK;
}

/// The twelve edges of the box around a body in its own frame.
static cairn_status draw_box(view_draw_list *list, const view_draw_request *request, int body,
                             view_colour colour)
{
    const view_shape *shape = &request->model->shapes[request->model->bodies[body].shape];
    double thickness = 0.008 * request->model->bodies[body].radius;
    for (int corner = 0; corner < 8; corner++) {
        for (int axis = 0; axis < 3; axis++) {
            if ((corner >> axis & 1) != 0)
                continue;
            vec3 ends[2];
            for (int end = 0; end < 2; end++) {
                int which = corner | end << axis;
                vec3 local = vec3_make(which & 1 ? shape->maximum.x : shape->minimum.x,
                                       which & 2 ? shape->maximum.y : shape->minimum.y,
                                       which & 4 ? shape->maximum.z : shape->minimum.z);
                ends[end] = pose_apply(&request->frame->poses[body], local);
            }
            if (view_draw_rod(list, ends[0], ends[1], thickness, colour) != CAIRN_OK)
                return CAIRN_ERROR_MEMORY;
        }
    }
    return CAIRN_OK;
}

/// The fastest body's arrow is as long as three bodies.
static double velocity_scale(const view_draw_request *request)
{
    double fastest = 0.0;
    for (int i = 0; i < request->frame->body_count; i++)
        fastest = fmax(fastest, vec3_norm(request->frame->velocities[i]));
    return fastest > 0.0 ? 3.0 * request->model->symbol_size / fastest : 0.0;
}

static cairn_status draw_marks(view_draw_list *list, const view_draw_request *request)
{
    static const view_colour box_colour = {90, 98, 110, 255}, speed_colour = {40, 120, 220, 255};
    static const view_colour chosen_colour = {255, 196, 40, 255};
    const view_style *style = request->style;
    double scale = style->velocities ? velocity_scale(request) : 0.0;
    cairn_status status = CAIRN_OK;
    for (int i = 0; status == CAIRN_OK && i < request->frame->body_count; i++) {
        bool chosen = i == request->selected;
        if (!view_frame_has(request->frame, i) || request->model->bodies[i].radius <= 0.0 ||
            is_clipped(request, i))
            continue;
        if (style->frames)
            status = draw_frame(list, request, i);
        if (status == CAIRN_OK && (style->boxes || chosen))
            status = draw_box(list, request, i, chosen ? chosen_colour : box_colour);
        if (status == CAIRN_OK && scale > 0.0)
            status = view_draw_arrow(list, request->frame->centres[i],
                                     vec3_scale(scale, request->frame->velocities[i]),
                                     0.045 * request->model->symbol_size, speed_colour);
    }
    return status;
}

static cairn_status draw_rope(view_draw_list *list, const view_draw_request *request)
{
    static const view_colour colour = {250, 150, 30, 255};
    double thickness = 0.04 * request->model->symbol_size;
    pose end = {request->rope[1], quat_identity()};
    if (!request->has_rope)
        return CAIRN_OK;
    BASE_TRY(view_draw_rod(list, request->rope[0], request->rope[1], thickness, colour));
    double r = 3.0 * thickness;
    return view_draw_symbol(list, VIEW_SPHERE, &end, vec3_make(r, r, r), colour);
}

// ---------------------------------------------------------------- the whole

static cairn_status clear(view_draw_list *list, const view_model *model)
{
    int batches = VIEW_MESH + model->mesh_count;
    if (base_array_reserve(&list->allocator, &list->solids, &list->batch_capacity, batches) !=
            CAIRN_OK ||
        base_array_reserve(&list->allocator, &list->colours, &list->colour_capacity,
                           model->body_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (; list->batch_count < batches; list->batch_count++)
        list->solids[list->batch_count] = (view_batch){0};
    for (int i = 0; i < list->batch_count; i++)
        list->solids[i].count = 0;
    for (int i = 0; i < VIEW_MESH; i++)
        list->symbols[i].count = 0;
    list->glass_count = 0;
    list->colour_count = model->body_count;
    return CAIRN_OK;
}

static void measure(view_draw_list *list, const view_draw_request *request)
{
    vec3 low, high;
    if (!view_frame_bounds(request->frame, request->model, false, &low, &high) &&
        !view_frame_bounds(request->frame, request->model, true, &low, &high)) {
        low = vec3_make(-0.5, -0.5, 0.0);
        high = vec3_make(0.5, 0.5, 1.0);
    }
    list->minimum = low;
    list->maximum = high;
    list->origin = vec3_scale(0.5, vec3_add(low, high));
    list->has_floor = request->style->ground && !request->model->has_plane;
    if (view_frame_bounds(request->frame, request->model, true, &low, &high))
        list->floor_level = low.z;
}

/// Bodies step back where contacts are shown, if their colours tell nothing but themselves apart.
static void mute(view_draw_list *list, const view_draw_request *request)
{
    static const view_colour pale = {214, 216, 220, 255};
    const view_style *style = request->style;
    if (style->contacts == VIEW_CONTACTS_OFF || style->colours != VIEW_COLOURS_ID ||
        request->frame->contact_count == 0)
        return;
    for (int i = 0; i < list->colour_count; i++)
        list->colours[i] = view_colour_mix(list->colours[i], pale, 0.62);
}

cairn_status view_draw_list_build(view_draw_list *list, const view_draw_request *request)
{
    static const view_colour chosen_colour = {255, 214, 90, 255};
    BASE_TRY(clear(list, request->model));
    measure(list, request);
    cairn_status status = view_colour_bodies(request->model, request->frame, request->style,
                                             list->colours, list->colour_range);
    if (status != CAIRN_OK)
        return status;
    mute(list, request);
    for (int i = 0; i < request->model->body_count; i++)
        if (i == request->selected || has_flag(request, i, VIEW_FLAG_SET))
            list->colours[i] = view_colour_mix(list->colours[i], chosen_colour, 0.45);
    for (int i = 0; status == CAIRN_OK && i < request->frame->body_count; i++)
        if (request->frame->present[i] && !is_clipped(request, i) &&
            !has_flag(request, i, VIEW_FLAG_HIDDEN))
            status = put_body(list, request, i);
    if (list->glass_count > 0)
        qsort(list->glass, (size_t)list->glass_count, sizeof *list->glass, compare_glass);
    if (status == CAIRN_OK)
        status = draw_marks(list, request);
    if (status == CAIRN_OK && request->style->joints)
        status = view_draw_joints(list, request);
    if (status == CAIRN_OK && request->style->joints)
        status = view_draw_regions(list, request);
    if (status == CAIRN_OK)
        status = view_draw_contacts(list, request);
    if (status == CAIRN_OK)
        status = draw_rope(list, request);
    return status == CAIRN_OK ? view_draw_handles(list, request->handles) : status;
}
