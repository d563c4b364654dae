// SPDX-License-Identifier: Apache-2.0
// Colours of bodies and contact symbols.
#ifndef CAIRN_VIEWER_DRAW_COLOUR_H
#define CAIRN_VIEWER_DRAW_COLOUR_H

#include "viewer/app/style.h"
#include "viewer/draw/frame.h"

#include <stdint.h>

typedef struct view_colour {
    uint8_t r, g, b, a; // sRGB
} view_colour;

/// One of a few colours that go together, by number.
view_colour view_colour_of(int number);

/// Of a material: as the scene has it, or one of the few.
view_colour view_colour_of_material(const view_model *model, int material);

/// Dark blue over green to yellow, x in 0..1 (clamped).
view_colour view_colour_scale(double x);

view_colour view_colour_mix(view_colour a, view_colour b, double part_of_b);

view_colour view_colour_status(cairn_contact_status status);

/// Colour of each body as the style asks.
/// @param colours  [model->body_count] out
/// @param range  out: speed (m/s), force (N), size (m) ... of the darkest and the brightest colour;
///               zeros where colours tell something else
cairn_status view_colour_bodies(const view_model *model, const view_frame *frame,
                                const view_style *style, view_colour *colours,
                                double range[2]) CAIRN_CHECK_RESULT;

/// Number of the group of touching dynamic bodies that each body is in, from 0 in order of first
/// member; -1 for bodies that are not dynamic.
/// @param islands  [model->body_count] out; @return number of groups
int view_islands(const view_model *model, const view_frame *frame, int *islands);

#endif
