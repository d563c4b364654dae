// SPDX-License-Identifier: Apache-2.0
// cairn: shapes, immutable and shared by bodies.
#ifndef CAIRN_SHAPE_H
#define CAIRN_SHAPE_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What makes a plain kind of shape: members of cairn_shape_def, in this order where there are
/// several, all of them positive but the rounding, which may be 0. Scenes give whole lengths:
/// `radius`, `length` and `size`.
typedef enum cairn_shape_size {
    CAIRN_SHAPE_RADIUS = 1,      // radius
    CAIRN_SHAPE_HALF_LENGTH = 2, // half_length
    CAIRN_SHAPE_HALF_SIZE = 4,   // half_size, three of them
    CAIRN_SHAPE_ROUNDING = 8     // rounding
} cairn_shape_size;

/// The plain kinds, which at most three sizes make. A row is all that the rooms need to know of one
/// beside geometry/shape/NAME.c, which has the same name; its call in scenes comes from it, too.
/// X(constant, name, call of scenes, sum of cairn_shape_size, help)
#define CAIRN_PLAIN_SHAPES(X)                                                                      \
    X(SPHERE, sphere, sphere, CAIRN_SHAPE_RADIUS, "ball about the origin")                         \
    X(HALFSPACE, halfspace, plane, 0, "z <= 0 in its own frame; fixed or moving bodies only")      \
    X(BOX, box, box, CAIRN_SHAPE_HALF_SIZE | CAIRN_SHAPE_ROUNDING,                                 \
      "about the origin, faces normal to the axes; edges and corners may be rounded")              \
    X(CAPSULE, capsule, capsule, CAIRN_SHAPE_RADIUS | CAIRN_SHAPE_HALF_LENGTH,                     \
      "points within radius of the segment from -half_length to half_length along z")              \
    X(CYLINDER, cylinder, cylinder, CAIRN_SHAPE_RADIUS | CAIRN_SHAPE_HALF_LENGTH,                  \
      "from -half_length to half_length along z")

/// All kinds: the plain ones, then those made of points and of members.
#define CAIRN_SHAPE_LIST(X)                                                                        \
    CAIRN_PLAIN_SHAPES(X)                                                                          \
    X(POLYHEDRON, polyhedron, polyhedron, 0,                                                       \
      "convex hull of points, which a ball of radius `rounding` may be swept over")                \
    X(MESH, mesh, mesh, 0, "vertices (points) and triangles: a surface of two sides, or solid")    \
    X(COMPOUND, compound, compound, 0, "members at placements")

typedef enum cairn_shape_kind {
#define CAIRN_SHAPE_ENUM(constant, name, call, sizes, help) CAIRN_##constant,
    CAIRN_SHAPE_LIST(CAIRN_SHAPE_ENUM)
#undef CAIRN_SHAPE_ENUM
        CAIRN_SHAPE_KIND_COUNT
} cairn_shape_kind;

typedef struct cairn_shape_def {
    cairn_shape_kind kind;
    double radius;
    double half_length;
    double half_size[3]; // of a box, to its faces, rounded or not
    /// m, radius of edges and corners. A box keeps its size: 0 to less than its smallest half size.
    /// A polyhedron is the hull of its points swept by a ball of that radius, and grows by it: >=
    /// 0.
    double rounding;
    const double (*points)[3]; // [point_count], copied
    int point_count;
    const int (*triangles)[3]; // [triangle_count], copied
    int triangle_count;
    /// Of a mesh: it is a body with an inside, which must be closed, and not a surface that holds
    /// back what is on either side of it.
    bool solid;
    const cairn_shape_id *members;          // [member_count], copied
    const double (*member_positions)[3];    // [member_count]
    const double (*member_orientations)[4]; // [member_count]
    int member_count;
    const char *file; // OBJ or STL for a polyhedron (its hull) or mesh, instead of points
    double scale;     // of the file's coordinates; default 1
    /// m, of a mesh: vertices no farther apart are one, and a side of a triangle on which a vertex
    /// of a neighbour lies is split there. 0: vertices at one place alone; below 0 (default): 1e-6
    /// of the diagonal of the mesh's bounds.
    double weld;
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

/// The call of scenes that makes a kind: "sphere", "plane", ...
CAIRN_API const char *cairn_shape_kind_call(cairn_shape_kind kind);

/// The sizes that make a plain kind, a sum of cairn_shape_size; 0 where none do.
CAIRN_API int cairn_shape_kind_sizes(cairn_shape_kind kind);

typedef struct cairn_placement {
    double position[3];
    double orientation[4]; // w x y z
} cairn_placement;

/// What a viewer or writer needs of a shape, in the shape's frame.
typedef struct cairn_shape_view {
    cairn_shape_kind kind;
    double radius, half_length, half_size[3];
    double rounding; // box, polyhedron
    int vertex_count;
    const double (*vertices)[3]; // polyhedron (of the hull that is swept where it is rounded), mesh
    int face_count;
    const int *face_start;    // [face_count + 1] into face_vertices; NULL: triangles
    const int *face_vertices; // counter-clockwise from outside
    int member_count;         // compound
    const cairn_shape_id *members;
    const cairn_placement *member_placements; // [member_count] in the compound's frame
    /// m3; of a mesh what it encloses, 0 where it is open; a half-space has none either
    double volume;
    double smallest_size; // m, INFINITY of half-spaces and meshes
    bool solid;           // mesh
} cairn_shape_view;

CAIRN_API cairn_status cairn_shape_get(const cairn_world *world, cairn_shape_id shape,
                                       cairn_shape_view *view) CAIRN_CHECK_RESULT;

/// Triangles of a rounded surface, in the shape's frame.
typedef struct cairn_surface {
    int point_count, triangle_count;
    double (*points)[3];  // [point_count] m, of the caller
    double (*normals)[3]; // [point_count] unit, out of the shape
    int (*triangles)[3];  // [triangle_count] counter-clockwise seen from outside
} cairn_surface;

/// The surface of a rounded box or polyhedron; no edge turns by more than an eighth of a right
/// angle at an arc. Where `points` is NULL, the counts alone, for which the caller then has arrays.
/// @return CAIRN_ERROR_UNSUPPORTED for a shape that is not rounded; CAIRN_ERROR_ARGUMENT for counts
///         that are not those; CAIRN_ERROR_MEMORY, CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD
CAIRN_API cairn_status cairn_shape_get_surface(const cairn_world *world, cairn_shape_id shape,
                                               cairn_surface *surface) CAIRN_CHECK_RESULT;

/// The point of a shape that lies farthest along a direction, both in the shape's frame.
/// @param direction  any length but 0
/// @param point      out, m
/// @return CAIRN_ERROR_UNSUPPORTED for a half-space, which has none; CAIRN_ERROR_ARGUMENT for a
///         direction that is zero or not finite; CAIRN_ERROR_STALE_ID, CAIRN_ERROR_WORLD
CAIRN_API cairn_status cairn_shape_get_support(const cairn_world *world, cairn_shape_id shape,
                                               const double direction[3],
                                               double point[3]) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
