// SPDX-License-Identifier: Apache-2.0
// The draw list: what a picture consists of, as plain numbers. Knows no GPU.
//
// Layers: solid bodies, by primitive; glass bodies, farthest first; symbols (contacts, arrows,
// frames), by primitive, which shine faintly through what hides them.
#ifndef CAIRN_VIEWER_DRAW_DRAW_LIST_H
#define CAIRN_VIEWER_DRAW_DRAW_LIST_H

#include "viewer/draw/colour.h"

/// One placed primitive; the GPU reads it as it is.
typedef struct view_instance {
    float position[3];    // m, from the list's origin
    float orientation[4]; // x y z w
    float size[3];
    view_colour colour;
} view_instance;

typedef struct view_batch {
    view_instance *items;
    int count, capacity;
} view_batch;

/// A glass instance keeps its primitive, for their order goes across primitives.
typedef struct view_glass_item {
    view_instance instance;
    int primitive;
    double distance; // m, along the view
} view_glass_item;

typedef struct view_draw_list {
    base_allocator allocator;
    vec3 origin;                   // of all positions, so that floats suffice
    view_batch *solids;            // [batch_count] by primitive
    view_batch symbols[VIEW_MESH]; // by primitive
    int batch_count, batch_capacity;
    view_glass_item *glass;
    int glass_count, glass_capacity;
    view_colour *colours; // [colour_count] of the bodies
    int colour_count, colour_capacity;
    double colour_range[2]; // as view_colour_bodies
    bool has_floor;         // a floor to stand on, where the world has none
    double floor_level;     // m, world z
    vec3 minimum, maximum;  // m, what a camera or light should see; a unit cube for nothing
    double force_unit;      // N drawn in view_force_length()
} view_draw_list;

/// What may be said of a body for a picture.
typedef enum view_body_flag {
    VIEW_FLAG_SET = 1, // chosen with others
    VIEW_FLAG_HIDDEN = 2,
} view_body_flag;

/// Handles that move and turn a body: arrows along the axes of the world, and circles about them.
typedef struct view_handles {
    vec3 centre;   // m
    double length; // m, of an arrow
    int held;      // 0, 1, 2: the arrow along x, y, z; 3, 4, 5: the circle about it; -1: none
} view_handles;

/// What to draw besides the style.
typedef struct view_draw_request {
    const view_model *model;
    const view_frame *frame;
    const view_style *style;
    vec3 eye;                   // m, for the order of glass
    vec3 forward;               // unit
    int selected;               // body; -1 for none
    int contact;                // contact of the frame that is marked; -1 for none
    const unsigned char *flags; // [flag_count] view_body_flag of the first bodies
    int flag_count;
    const view_handles *handles; // NULL: none
    bool has_rope;
    vec3 rope[2]; // m, of the spring that drags a body
} view_draw_request;

view_draw_list view_draw_list_begin(const base_allocator *allocator);
void view_draw_list_finish(view_draw_list *list);

/// Fills the list anew; memory is used again.
cairn_status view_draw_list_build(view_draw_list *list,
                                  const view_draw_request *request) CAIRN_CHECK_RESULT;

/// A placed primitive as the GPU reads it, its position from the list's origin.
view_instance view_instance_make(const view_draw_list *list, const pose *placement, vec3 size,
                                 view_colour colour);

cairn_status view_batch_put(const base_allocator *allocator, view_batch *batch,
                            const view_instance *instance) CAIRN_CHECK_RESULT;

/// Puts one symbol; used by the parts of the draw list.
cairn_status view_draw_symbol(view_draw_list *list, view_primitive primitive, const pose *placement,
                              vec3 size, view_colour colour) CAIRN_CHECK_RESULT;

/// An arrow of a length (m) from a point; nothing for a zero vector.
/// @param thickness  m, radius of the shaft
cairn_status view_draw_arrow(view_draw_list *list, vec3 from, vec3 along, double thickness,
                             view_colour colour) CAIRN_CHECK_RESULT;

/// A thin rod between two points.
cairn_status view_draw_rod(view_draw_list *list, vec3 from, vec3 to, double thickness,
                           view_colour colour) CAIRN_CHECK_RESULT;

/// Symbols of all contacts as the style asks; in draw_contacts.c.
cairn_status view_draw_contacts(view_draw_list *list,
                                const view_draw_request *request) CAIRN_CHECK_RESULT;

/// A circle of rods about a centre, in the plane of two unit vectors, from one angle to another.
cairn_status view_draw_arc(view_draw_list *list, vec3 centre, vec3 x, vec3 y, double radius,
                           const double angles[2], double thickness,
                           view_colour colour) CAIRN_CHECK_RESULT;

/// Joints with the ends of their ranges, and connectors; in draw_joints.c.
cairn_status view_draw_joints(view_draw_list *list,
                              const view_draw_request *request) CAIRN_CHECK_RESULT;

/// Nothing for NULL; in draw_symbols.c.
cairn_status view_draw_handles(view_draw_list *list,
                               const view_handles *handles) CAIRN_CHECK_RESULT;

/// Radius of the circles of handles, in lengths of an arrow.
#define VIEW_HANDLE_CIRCLE 0.75

/// Edges of emitters, outlets, regions of sensors and the periodic cell; in draw_regions.c.
cairn_status view_draw_regions(view_draw_list *list,
                               const view_draw_request *request) CAIRN_CHECK_RESULT;

/// Force (N) that nine in ten of the acting contacts of a frame stay below; 0 for none.
cairn_status view_force_unit(const base_allocator *allocator, const view_frame *frame,
                             double *unit) CAIRN_CHECK_RESULT;

/// Length (m) of the arrow of a force of one unit.
double view_force_length(const view_model *model, const view_style *style);

/// Rotation that turns z into a direction.
quat view_turn_z_to(vec3 direction);

#endif
