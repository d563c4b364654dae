// SPDX-License-Identifier: Apache-2.0
// Symbols of contacts: points, normals, force arrows, status discs, friction cones, chains.
#include "viewer/draw/draw_list.h"

#include <math.h>
#include <stdlib.h>

static const view_colour point_colour = {228, 72, 54, 255}, normal_colour = {40, 132, 216, 255},
                         force_colour = {244, 150, 24, 255}, chosen_colour = {255, 214, 90, 255};

// longest force arrow, in lengths of the unit
static const double arrow_limit = 3.0;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

cairn_status view_force_unit(const base_allocator *allocator, const view_frame *frame, double *unit)
{
    *unit = 0.0;
    if (frame->contact_count == 0)
        return CAIRN_OK;
    double *forces = base_allocate(allocator, (size_t)frame->contact_count, sizeof *forces);
    if (forces == NULL)
        return CAIRN_ERROR_MEMORY;
    int count = 0;
    for (int i = 0; i < frame->contact_count; i++) {
        double force = vec3_norm(frame->contacts[i].force);
        if (force > 0.0)
            forces[count++] = force;
    }
    qsort(forces, (size_t)count, sizeof *forces, compare_doubles);
    if (count > 0)
        *unit = forces[(int)(0.9 * (count - 1))];
    base_release(allocator, forces);
    return CAIRN_OK;
}

double view_force_length(const view_model *model, const view_style *style)
{
    return 1.4 * model->symbol_size * style->contact_scale;
}

static vec3 force_vector(const view_draw_list *list, const view_draw_request *request,
                         const view_contact *contact)
{
    double unit = view_force_length(request->model, request->style);
    double force = vec3_norm(contact->force);
    if (!(force > 0.0) || !(list->force_unit > 0.0))
        return vec3_make(0.0, 0.0, 0.0);
    return vec3_scale(unit * fmin(force / list->force_unit, arrow_limit) / force, contact->force);
}

static cairn_status draw_point(view_draw_list *list, const view_contact *contact, double radius)
{
    pose placement = {contact->point, quat_identity()};
    return view_draw_symbol(list, VIEW_SPHERE, &placement, vec3_make(radius, radius, radius),
                            point_colour);
}

static cairn_status draw_disc(view_draw_list *list, const view_contact *contact, double radius)
{
    pose placement = {contact->point, view_turn_z_to(contact->normal)};
    return view_draw_symbol(list, VIEW_CYLINDER, &placement,
                            vec3_make(radius, radius, 0.12 * radius),
                            view_colour_status(contact->status));
}

/// The cone opens along the normal, its tip at the contact.
static cairn_status draw_cone(view_draw_list *list, const view_draw_request *request,
                              const view_contact *contact, double height)
{
    double mu = contact->friction;
    view_colour colour = view_colour_status(contact->status);
    pose placement = {vec3_add_scaled(contact->point, 0.5 * height, contact->normal),
                      view_turn_z_to(vec3_negate(contact->normal))};
    colour.a = 110;
    BASE_TRY(view_draw_symbol(list, VIEW_CONE, &placement,
                              vec3_make(mu * height, mu * height, 0.5 * height), colour));
    return view_draw_arrow(list, contact->point, force_vector(list, request, contact),
                           0.06 * height, force_colour);
}

/// From centre to centre over the contact, the section in proportion to the normal force; to a body
/// that is not dynamic the rod ends at the contact.
static cairn_status draw_chain(view_draw_list *list, const view_draw_request *request,
                               const view_contact *contact)
{
    static const view_colour weak = {96, 150, 200, 255}, strong = {206, 44, 36, 255};
    double force = fabs(vec3_dot(contact->force, contact->normal));
    if (!(force > 0.0) || !(list->force_unit > 0.0))
        return CAIRN_OK;
    double part = fmin(force / list->force_unit, arrow_limit) / arrow_limit;
    double size = request->model->symbol_size * request->style->contact_scale;
    view_colour colour = view_colour_mix(weak, strong, sqrt(part));
    cairn_status status = CAIRN_OK;
    for (int side = 0; side < 2 && status == CAIRN_OK; side++) {
        int body = side == 0 ? contact->a : contact->b;
        if (request->model->bodies[body].kind == CAIRN_DYNAMIC)
            status = view_draw_rod(list, contact->point, request->frame->centres[body],
                                   0.16 * size * sqrt(part), colour);
    }
    return status;
}

static cairn_status draw_contact(view_draw_list *list, const view_draw_request *request,
                                 const view_contact *contact)
{
    double size = request->model->symbol_size * request->style->contact_scale;
    bool acting = contact->status != CAIRN_CONTACT_OPEN;
    cairn_status status = CAIRN_OK;
    switch (request->style->contacts) {
    case VIEW_CONTACTS_POINTS:
        return draw_point(list, contact, 0.09 * size);
    case VIEW_CONTACTS_NORMALS:
        status = draw_point(list, contact, 0.06 * size);
        return status != CAIRN_OK
                   ? status
                   : view_draw_arrow(list, contact->point, vec3_scale(0.8 * size, contact->normal),
                                     0.03 * size, normal_colour);
    case VIEW_CONTACTS_FORCES:
        return view_draw_arrow(list, contact->point, force_vector(list, request, contact),
                               0.045 * size, force_colour);
    case VIEW_CONTACTS_STATUS:
        return draw_disc(list, contact, 0.16 * size);
    case VIEW_CONTACTS_CONES:
        return acting ? draw_cone(list, request, contact, 0.6 * size) : CAIRN_OK;
    case VIEW_CONTACTS_CHAINS:
        return draw_chain(list, request, contact);
    case VIEW_CONTACTS_OFF:
    case VIEW_CONTACTS_COUNT:
        break;
    }
    return CAIRN_OK;
}

/// A ring of light around the point, its normal and the force, whatever else is shown.
static cairn_status mark_contact(view_draw_list *list, const view_draw_request *request)
{
    if (request->contact < 0 || request->contact >= request->frame->contact_count)
        return CAIRN_OK;
    const view_contact *contact = &request->frame->contacts[request->contact];
    double size = request->model->symbol_size * request->style->contact_scale;
    pose placement = {contact->point, view_turn_z_to(contact->normal)};
    BASE_TRY(view_draw_symbol(list, VIEW_CYLINDER, &placement,
                              vec3_make(0.22 * size, 0.22 * size, 0.012 * size), chosen_colour));
    BASE_TRY(view_draw_arrow(list, contact->point, vec3_scale(0.8 * size, contact->normal),
                             0.03 * size, normal_colour));
    return view_draw_arrow(list, contact->point, force_vector(list, request, contact), 0.045 * size,
                           force_colour);
}

cairn_status view_draw_contacts(view_draw_list *list, const view_draw_request *request)
{
    if (request->style->contacts == VIEW_CONTACTS_OFF && request->contact < 0)
        return CAIRN_OK;
    cairn_status status = CAIRN_OK;
    list->force_unit = request->style->force_unit;
    if (!(list->force_unit > 0.0))
        status = view_force_unit(&list->allocator, request->frame, &list->force_unit);
    for (int i = 0; status == CAIRN_OK && i < request->frame->contact_count; i++)
        status = draw_contact(list, request, &request->frame->contacts[i]);
    return status == CAIRN_OK ? mark_contact(list, request) : status;
}
