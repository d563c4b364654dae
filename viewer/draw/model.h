// SPDX-License-Identifier: Apache-2.0
// What a picture needs of a world beside where bodies are: parts of shapes, meshes, bodies, joints,
// regions. Bodies that come are added, those that are gone keep their row while a frame may show
// them.
#ifndef CAIRN_VIEWER_DRAW_MODEL_H
#define CAIRN_VIEWER_DRAW_MODEL_H

#include "base/memory.h"
#include "base/vec.h"
#include "viewer/draw/primitive.h"
#include <cairn/cairn.h>

/// Triangles with flat normals, three vertices each.
typedef struct view_mesh {
    float (*positions)[3]; // [vertex_count] shape frame
    float (*normals)[3];   // [vertex_count]
    int vertex_count, position_capacity, normal_capacity;
} view_mesh;

typedef struct view_part {
    int primitive; // view_primitive, or VIEW_MESH + mesh
    pose placement;
    double size[3];
} view_part;

typedef struct view_shape {
    int first_part, part_count;
    vec3 minimum, maximum; // m, shape frame; of a half-space: empty (minimum > maximum)
    double volume;         // m3
    bool terrain;          // a mesh that is seen from above everywhere, in the shape's frame
    int bodies;            // rows that have it
    uint32_t owner;        // index of the id that it was made for
    int64_t made;          // version of the model in which it became this shape
} view_shape;

/// Colour that a scene gives a body or material.
typedef struct view_paint {
    bool given;
    uint8_t rgb[3]; // sRGB
    double opacity; // 0: is not drawn, 1: solid; NAN: glass where the style makes it so
} view_paint;

typedef struct view_body {
    cairn_body_id id;
    cairn_body_kind kind;
    int shape, material;
    view_paint paint;
    double mass;   // kg; INFINITY where not dynamic
    double radius; // m, half the diagonal of the bounding box; 0 for a half-space
    vec3 centre;   // m, of mass, in the shape's frame
    char *name;    // owned; "" for none
    int64_t seen;  // step at which it was there last
    int64_t made;  // version of the model in which the row became this body
    bool vacant;   // nobody's row, for a body that comes
} view_body;

/// A joint or a connector, fixed in its bodies.
typedef struct view_joint {
    int bodies[2];   // A and B; -1: the world
    vec3 points[2];  // m, in the bodies' frames; of a joint both are the anchor
    vec3 axis;       // unit, in A's frame
    double range[2]; // rad or m, of the coordinate; -INFINITY, INFINITY: none
    vec3 zero; // of a hinge: unit, in A's frame, where `hand` is at coordinate 0; of joints that
               // slide: m, where the anchor on B is then
    vec3 hand; // of a hinge: unit, in B's frame
    bool is_connector; // a rod between two markers
    cairn_joint_kind kind;
    char *name; // owned; "" for none
} view_joint;

typedef enum view_region_kind {
    VIEW_REGION_EMITTER,
    VIEW_REGION_OUTLET,
    VIEW_REGION_SENSOR
} view_region_kind;

/// Where grains come from or go to, or what a sensor looks at.
typedef struct view_region {
    view_region_kind kind;
    cairn_region region;
    vec3 minimum, maximum; // m, of the box around it
} view_region;

typedef struct view_model {
    base_allocator allocator;
    int64_t version; // counts changes of bodies and joints
    view_part *parts;
    int part_count, part_capacity;
    view_mesh *meshes;
    int mesh_count, mesh_capacity;
    view_shape *shapes;
    int shape_count, shape_capacity;
    view_body *bodies; // [body_count] in order of creation, but for rows that were vacant
    int body_count, body_capacity;
    int vacant_count;   // rows that are vacant
    int vacant_from;    // no row before this one is
    view_joint *joints; // [joint_count] joints, then connectors
    int joint_count, joint_capacity;
    int64_t joints_made;      // version of the model in which they were read
    int joints_read;          // joints and connectors of the world then
    cairn_servo_view *servos; // [servo_count] as at the start; names are not kept
    int servo_count;
    view_region *regions; // [region_count]
    int region_count, region_capacity;
    int sized;     // bodies of which the two sizes below are
    int *index_of; // [index_count] body of an id's index; -1 for none
    int index_count, index_capacity;
    int *shape_of;               // [shape_of_count] shape of an id's index; -1 for none yet
    uint32_t *shape_generations; // [shape_of_count] of the id
    int *spare_shapes;           // [spare_count] of one part and no body, for a shape that comes
    int spare_count, spare_capacity;
    int shape_of_count, shape_of_capacity, generation_capacity;
    char **materials;   // [material_count] owned names
    view_paint *paints; // [material_count]
    double *frictions;  // [material_count * material_count] friction of each pair
    int material_count;
    double typical_size; // m, median radius of the dynamic bodies (of all, where none is)
    double symbol_size;  // m, median edge of a cube as large as a body's bounding box
    bool has_plane;      // a half-space is there
} view_model;

/// Copies what is needed out of a world; the world may go afterwards.
cairn_status view_model_build(view_model *model, const base_allocator *allocator,
                              const cairn_world *world, cairn_error *error) CAIRN_CHECK_RESULT;
void view_model_finish(view_model *model);

/// Where a hinge (rad, -pi to pi) or a joint that slides (m) stands when its bodies are there.
/// @param poses  [body_count]
double view_joint_coordinate(const view_joint *joint, const pose *poses);

/// Takes over which bodies and joints the world has now.
/// @param kept  oldest step of which a frame is kept: rows of bodies that were gone before it are
///              given to others
cairn_status view_model_update(view_model *model, const cairn_world *world,
                               int64_t kept) CAIRN_CHECK_RESULT;

/// Makes `copy` what the model is now; costs what has changed since the last call. Its maps from
/// ids stay empty. The first copy is of a view_model with an allocator and nothing else.
cairn_status view_model_follow(view_model *copy, const view_model *model) CAIRN_CHECK_RESULT;

/// Adds the bodies of a run that have come since the scene was built, in the order of their
/// numbers, so that a body's number is its row.
cairn_status view_model_add_recorded(view_model *model,
                                     const cairn_replay *replay) CAIRN_CHECK_RESULT;

/// A region that is drawn, such as that of a sensor; emitters and outlets are there by themselves.
cairn_status view_model_add_region(view_model *model, const cairn_world *world,
                                   view_region_kind kind,
                                   const cairn_region *region) CAIRN_CHECK_RESULT;

/// Reads the friction of all pairs again, after it was changed; frames taken later have it.
void view_model_read_friction(view_model *model, const cairn_world *world);

/// Row of an id's body; -1 where there is none.
int view_model_body(const view_model *model, cairn_body_id id);

/// Friction of the pair of two bodies.
double view_model_friction(const view_model *model, int a, int b);

/// The body's own colour, or that of its material; of a half-space its own alone.
const view_paint *view_model_paint(const view_model *model, int body);

/// True for a body that auto transparency lets through: not dynamic, far larger than the others and
/// no terrain.
bool view_model_is_container(const view_model *model, int body);

#endif
