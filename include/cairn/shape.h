// SPDX-License-Identifier: Apache-2.0
// cairn: shapes, immutable and shared by bodies.
#ifndef CAIRN_SHAPE_H
#define CAIRN_SHAPE_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cairn_shape_kind {
    CAIRN_SPHERE,     // radius
    CAIRN_HALFSPACE,  // z <= 0 in its own frame
    CAIRN_BOX,        // half_size
    CAIRN_CAPSULE,    // radius, half_length of the segment along z
    CAIRN_CYLINDER,   // radius, half_length along z
    CAIRN_POLYHEDRON, // convex hull of points
    CAIRN_MESH,       // vertices (points) and triangles; fixed or moving bodies only
    CAIRN_COMPOUND    // members at placements
} cairn_shape_kind;

typedef struct cairn_shape_def {
    cairn_shape_kind kind;
    double radius;
    double half_length;
    double half_size[3];
    const double (*points)[3]; // [point_count], copied
    int point_count;
    const int (*triangles)[3]; // [triangle_count], copied
    int triangle_count;
    const cairn_shape_id *members;          // [member_count], copied
    const double (*member_positions)[3];    // [member_count]
    const double (*member_orientations)[4]; // [member_count]
    int member_count;
    const char *file; // OBJ or STL for a polyhedron (its hull) or mesh, instead of points
    double scale;     // of the file's coordinates; default 1
    uint32_t cookie;
} cairn_shape_def;

CAIRN_API cairn_shape_def cairn_default_shape_def(cairn_shape_kind kind);

/// Shapes are immutable and may be shared by any number of bodies.
CAIRN_API cairn_status cairn_shape_create(cairn_world *world, const cairn_shape_def *def,
                                          cairn_shape_id *shape,
                                          cairn_error *error) CAIRN_CHECK_RESULT;
/// Between steps: removes a shape that no body has; that of a removed body is free once the next
/// step has begun. A compound has copies of its members, which may
/// go. @return CAIRN_ERROR_ARGUMENT while bodies have it; CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD
CAIRN_API cairn_status cairn_shape_remove(cairn_world *world, cairn_shape_id shape,
                                          cairn_error *error) CAIRN_CHECK_RESULT;

/// Shapes that there are: 0 .. count-1, in order of creation, but the last one takes the place of
/// one that is removed.
CAIRN_API int cairn_shape_count(const cairn_world *world);
CAIRN_API cairn_shape_id cairn_shape_at(const cairn_world *world, int index);
CAIRN_API const char *cairn_shape_kind_name(cairn_shape_kind kind);

typedef struct cairn_placement {
    double position[3];
    double orientation[4]; // w x y z
} cairn_placement;

/// What a viewer or writer needs of a shape, in the shape's frame.
typedef struct cairn_shape_view {
    cairn_shape_kind kind;
    double radius, half_length, half_size[3];
    int vertex_count;
    const double (*vertices)[3]; // polyhedron, mesh
    int face_count;
    const int *face_start;    // [face_count + 1] into face_vertices; NULL: triangles
    const int *face_vertices; // counter-clockwise from outside
    int member_count;         // compound
    const cairn_shape_id *members;
    const cairn_placement *member_placements; // [member_count] in the compound's frame
    double volume, smallest_size;
} cairn_shape_view;

CAIRN_API cairn_status cairn_shape_get(const cairn_world *world, cairn_shape_id shape,
                                       cairn_shape_view *view) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
