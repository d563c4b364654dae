// SPDX-License-Identifier: Apache-2.0
// Colours of bodies: by number, material, group, or a quantity on a scale.
#include "viewer/draw/colour.h"

#include "base/assert.h"
#include "base/groups.h"

#include <math.h>
#include <string.h>

static const view_colour fixed_colour = {124, 130, 138, 255};

view_colour view_colour_of(int number)
{
    static const view_colour palette[] = {
        {225, 112, 85, 255},  {86, 140, 196, 255},  {236, 180, 92, 255}, {98, 168, 132, 255},
        {176, 122, 178, 255}, {229, 146, 146, 255}, {92, 176, 188, 255}, {196, 168, 130, 255},
    };
    return palette[(unsigned)number % (unsigned)BASE_COUNT(palette)];
}

view_colour view_colour_of_material(const view_model *model, int material)
{
    const view_paint *paint = &model->paints[material];
    return paint->given ? (view_colour){paint->rgb[0], paint->rgb[1], paint->rgb[2], 255}
                        : view_colour_of(material);
}

view_colour view_colour_mix(view_colour a, view_colour b, double part_of_b)
{
    double t = fmin(fmax(part_of_b, 0.0), 1.0);
    return (view_colour){
        (uint8_t)lround(a.r + t * (b.r - a.r)), (uint8_t)lround(a.g + t * (b.g - a.g)),
        (uint8_t)lround(a.b + t * (b.b - a.b)), (uint8_t)lround(a.a + t * (b.a - a.a))};
}

view_colour view_colour_scale(double x)
{
    static const view_colour stops[] = {
        {52, 60, 130, 255},  {44, 120, 142, 255}, {50, 168, 116, 255},
        {150, 206, 70, 255}, {250, 222, 60, 255},
    };
    // the negation catches NaN
    double t = !(x > 0.0) ? 0.0 : fmin(x, 1.0) * (BASE_COUNT(stops) - 1);
    int low = t >= BASE_COUNT(stops) - 1 ? BASE_COUNT(stops) - 2 : (int)t;
    return view_colour_mix(stops[low], stops[low + 1], t - low);
}

view_colour view_colour_status(cairn_contact_status status)
{
    switch (status) {
    case CAIRN_CONTACT_OPEN:
        return (view_colour){150, 158, 168, 255};
    case CAIRN_CONTACT_STICKING:
        return (view_colour){46, 174, 92, 255};
    case CAIRN_CONTACT_SLIDING:
        break;
    }
    return (view_colour){232, 66, 50, 255};
}

// ---------------------------------------------------------------- groups

int view_islands(const view_model *model, const view_frame *frame, int *islands)
{
    int count = 0;
    base_groups_init(islands, model->body_count);
    for (int i = 0; i < frame->contact_count; i++) {
        const view_contact *contact = &frame->contacts[i];
        if (contact->status != CAIRN_CONTACT_OPEN &&
            model->bodies[contact->a].kind == CAIRN_DYNAMIC &&
            model->bodies[contact->b].kind == CAIRN_DYNAMIC)
            base_groups_join(islands, contact->a, contact->b);
    }
    for (int i = 0; i < model->body_count; i++)
        islands[i] = base_groups_first(islands, i);
    // a root is the first of its group, so its number is known when the others come
    for (int i = 0; i < model->body_count; i++) {
        if (model->bodies[i].kind != CAIRN_DYNAMIC)
            islands[i] = -1;
        else
            islands[i] = islands[i] == i ? count++ : islands[islands[i]];
    }
    return count;
}

// ---------------------------------------------------------------- quantities

/// @param range  in: from nothing to what the brightest colour stands for at least, so that rest is
///               not shown as motion; out: as the style asks, or to the largest value
static void colour_by_scale(const view_model *model, const double *values, const view_style *style,
                            double range[2], view_colour *colours)
{
    for (int i = 0; i < model->body_count; i++)
        if (model->bodies[i].kind == CAIRN_DYNAMIC)
            range[1] = fmax(range[1], values[i]);
    if (style->colour_range[0] < style->colour_range[1])
        memcpy(range, style->colour_range, sizeof style->colour_range);
    double width = range[1] - range[0];
    for (int i = 0; i < model->body_count; i++)
        colours[i] = model->bodies[i].kind == CAIRN_DYNAMIC
                         ? view_colour_scale(width > 0.0 ? (values[i] - range[0]) / width : 0.0)
                         : fixed_colour;
}

static void read_speeds(const view_frame *frame, double *values)
{
    for (int i = 0; i < frame->body_count; i++)
        values[i] = vec3_norm(frame->velocities[i]);
}

static void read_sizes(const view_model *model, double *values)
{
    for (int i = 0; i < model->body_count; i++)
        values[i] = cbrt(6.0 / M_PI * model->shapes[model->bodies[i].shape].volume);
}

static void read_forces(const view_frame *frame, double *values)
{
    for (int i = 0; i < frame->contact_count; i++) {
        double force = vec3_norm(frame->contacts[i].force);
        values[frame->contacts[i].a] += force;
        values[frame->contacts[i].b] += force;
    }
}

/// Mean pressure of a body from its contact forces, p = -tr(sum F r) / (3 V), r from its centre.
static void read_pressures(const view_model *model, const view_frame *frame, double *values)
{
    for (int i = 0; i < frame->contact_count; i++) {
        const view_contact *c = &frame->contacts[i];
        values[c->a] += vec3_dot(c->force, vec3_sub(c->point, frame->centres[c->a]));
        values[c->b] -= vec3_dot(c->force, vec3_sub(c->point, frame->centres[c->b]));
    }
    for (int i = 0; i < model->body_count; i++) {
        double volume = model->shapes[model->bodies[i].shape].volume;
        values[i] = volume > 0.0 ? values[i] / (3.0 * volume) : 0.0;
    }
}

/// Contacts of one pair of bodies follow each other.
static void read_neighbours(const view_frame *frame, double *values)
{
    int a = -1, b = -1;
    for (int i = 0; i < frame->contact_count; i++) {
        const view_contact *c = &frame->contacts[i];
        if (c->status == CAIRN_CONTACT_OPEN || (c->a == a && c->b == b))
            continue;
        a = c->a;
        b = c->b;
        values[a] += 1.0;
        values[b] += 1.0;
    }
}

static cairn_status colour_by_quantity(const view_model *model, const view_frame *frame,
                                       const view_style *style, view_colour *colours,
                                       double range[2])
{
    view_colours mode = style->colours;
    double *values =
        base_allocate(&model->allocator, (size_t)model->body_count + 1, sizeof *values);
    if (values == NULL)
        return CAIRN_ERROR_MEMORY;
    bool speed = mode == VIEW_COLOURS_SPEED;
    if (speed)
        read_speeds(frame, values);
    else if (mode == VIEW_COLOURS_SIZE)
        read_sizes(model, values);
    else if (mode == VIEW_COLOURS_PRESSURE)
        read_pressures(model, frame, values);
    else if (mode == VIEW_COLOURS_NEIGHBOURS)
        read_neighbours(frame, values);
    else
        read_forces(frame, values);
    // a twentieth of a body in a second counts as rest
    range[1] = speed ? 0.05 * model->symbol_size : 0.0;
    colour_by_scale(model, values, style, range, colours);
    base_release(&model->allocator, values);
    return CAIRN_OK;
}

static cairn_status colour_by_island(const view_model *model, const view_frame *frame,
                                     view_colour *colours)
{
    int *islands = base_allocate(&model->allocator, (size_t)model->body_count + 1, sizeof *islands);
    if (islands == NULL)
        return CAIRN_ERROR_MEMORY;
    view_islands(model, frame, islands);
    for (int i = 0; i < model->body_count; i++)
        colours[i] = islands[i] >= 0 ? view_colour_of(islands[i]) : fixed_colour;
    base_release(&model->allocator, islands);
    return CAIRN_OK;
}

/// Neighbours in order of creation differ; each round of the palette is a little lighter or darker,
/// and so are bodies of a material that has a colour.
static view_colour colour_by_number(const view_model *model, int number)
{
    static const view_colour dark = {40, 44, 52, 255}, light = {255, 250, 240, 255};
    const view_body *body = &model->bodies[number];
    const view_paint *paint = view_model_paint(model, number);
    view_colour colour = view_colour_of(number);
    if (paint->given)
        colour = (view_colour){paint->rgb[0], paint->rgb[1], paint->rgb[2], 255};
    else if (body->kind != CAIRN_DYNAMIC)
        return fixed_colour;
    if (body->paint.given || body->kind != CAIRN_DYNAMIC)
        return colour;
    double shade = 0.5 * sin(2.4 * number);
    return view_colour_mix(colour, shade < 0.0 ? dark : light, 0.32 * fabs(shade));
}

cairn_status view_colour_bodies(const view_model *model, const view_frame *frame,
                                const view_style *style, view_colour *colours, double range[2])
{
    range[0] = range[1] = 0.0;
    switch (style->colours) {
    case VIEW_COLOURS_SPEED:
    case VIEW_COLOURS_FORCE:
    case VIEW_COLOURS_SIZE:
    case VIEW_COLOURS_PRESSURE:
    case VIEW_COLOURS_NEIGHBOURS:
        return colour_by_quantity(model, frame, style, colours, range);
    case VIEW_COLOURS_ISLAND:
        return colour_by_island(model, frame, colours);
    case VIEW_COLOURS_ID:
    case VIEW_COLOURS_MATERIAL:
    case VIEW_COLOURS_COUNT:
        break;
    }
    for (int i = 0; i < model->body_count; i++)
        colours[i] = style->colours == VIEW_COLOURS_MATERIAL
                         ? view_colour_of_material(model, model->bodies[i].material)
                         : colour_by_number(model, i);
    return CAIRN_OK;
}
