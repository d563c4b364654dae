// SPDX-License-Identifier: Apache-2.0
// Shapes: what a body or a wall looks like in its own frame, with mass properties and bounds.
#ifndef CAIRN_GEOMETRY_SHAPE_SHAPE_H
#define CAIRN_GEOMETRY_SHAPE_SHAPE_H

#include "base/memory.h"
#include "base/vec.h"
#include "geometry/mesh/bounds.h"
#include <cairn/shape.h>

#include <stdint.h>

/// Kinds of shapes, in the order of the public header: the plain ones first, GEO_POLYHEDRON after
/// the last of them.
typedef enum geo_kind {
#define GEO_KIND(constant, name, call, sizes, help) GEO_##constant,
    CAIRN_SHAPE_LIST(GEO_KIND)
#undef GEO_KIND
        GEO_KIND_COUNT
} geo_kind;

enum { GEO_SIZES_MAX = 4 }; // numbers that make a plain shape

typedef struct geo_shape geo_shape;

/// Volume integrals of a solid of density 1 in its shape frame.
typedef struct geo_mass {
    double volume; // m3; 0 for shapes without mass (half-space, mesh that is not closed)
    vec3 centre;   // m, centre of mass
    mat3 inertia;  // m5, about the centre, shape axes
} geo_mass;

/// Ball about the origin.
typedef struct geo_sphere {
    double radius; // m
} geo_sphere;

/// Box about the origin, faces normal to the axes; rounded: a smaller box, its core, swept by a
/// ball.
typedef struct geo_box {
    vec3 half;       // m, from the origin to the faces
    double rounding; // m, of edges and corners; below the smallest of half
} geo_box;

/// Points within `radius` of the segment from (0,0,-half_length) to (0,0,half_length).
typedef struct geo_capsule {
    double radius;      // m
    double half_length; // m, of the segment
} geo_capsule;

/// Solid cylinder about the z axis, from -half_length to half_length.
typedef struct geo_cylinder {
    double radius;      // m
    double half_length; // m
} geo_cylinder;

/// Convex polyhedron: vertices, planar faces (not only triangles), edges. Faces list their vertices
/// counter-clockwise seen from outside. Rounded: all this is of the core, which a ball is swept
/// over.
typedef struct geo_polyhedron {
    int vertex_count;
    int face_count;
    int edge_count;
    vec3 *vertices;          // [vertex_count]
    vec3 *face_normals;      // [face_count] unit, outward
    double *face_offsets;    // [face_count] dot(normal, x) on the face
    int *face_start;         // [face_count + 1] into face_vertices
    int *face_vertices;      // [face_start[face_count]]
    int *face_edges;         // [face_start[face_count]] from each corner to the next
    int (*edge_vertices)[2]; // [edge_count] lower index first, sorted
    int (*edge_faces)[2]; // [edge_count] the two faces that meet: the first runs through the edge
                          // as edge_vertices does, the second the other way
    int *neighbor_start;  // [vertex_count + 1] into neighbors: vertices joined by an edge
    int *neighbors;
    int *vertex_faces; // [neighbor_start[vertex_count]] faces around each vertex
    double rounding;   // m, radius of the ball; 0 for none
    geo_mass mass;     // of the whole shape
} geo_polyhedron;

/// Triangulated surface with two sides, which holds what is inside it and what is outside; a solid
/// one has its outer side alone. A shell is a connected part without border whose triangles can run
/// in one sense; they are turned over where they do not, and so that a shell that no other one
/// holds runs counter-clockwise seen from outside. The bounding volume hierarchy is built once.
typedef struct geo_mesh {
    int vertex_count;
    int triangle_count;
    vec3 *vertices;      // [vertex_count]
    int (*triangles)[3]; // [triangle_count]
    /// [triangle_count][3] triangle across the edge (k, k+1); -1 on a border and where three or
    /// more triangles meet
    int (*adjacent)[3];
    /// [triangle_count] lowest triangle of the face that each one belongs to: neighbours of one
    /// plane, to what coordinates of single precision leave open
    int *faces;
    unsigned char *inner_vertices; // [vertex_count] 1: all sides around it lie within one face
    /// [triangle_count] number of the shell that each one belongs to, from 1; negative where it
    /// runs clockwise seen from outside that shell; 0 in a part that is open
    int *shells;
    struct geo_bvh *bvh; // over the triangles
    bool solid;
    geo_mass mass; // of what is inside; zeros unless all triangles are of shells
} geo_mesh;

/// How often a surface runs around a point: 1 within a shell that runs counter-clockwise seen from
/// outside, -1 within one that does not, 0 outside.
/// @param shell  number of the shell; 0: sum over all
int geo_mesh_winding(const geo_mesh *mesh, int shell, vec3 point);

/// A mesh as a sheet of thickness 1: area (m2), centre, and moments of inertia (m4).
geo_mass geo_mesh_sheet(const geo_mesh *mesh);

/// Distance from a point to a surface, m; negative where the point is not inside of it.
double geo_mesh_depth(const geo_mesh *mesh, vec3 point);

/// Point of a triangle that is nearest to the origin: inside of it, or on an edge.
vec3 geo_triangle_nearest(const vec3 corners[3]);

/// Is a point within a solid mesh? Surfaces hold none.
bool geo_mesh_holds(const geo_mesh *mesh, vec3 point);

/// Does side k of a triangle lie within a face, so that it is no edge of the surface?
static inline bool geo_mesh_side_is_inner(const geo_mesh *mesh, int triangle, int k)
{
    int other = mesh->adjacent[triangle][k];
    return other >= 0 && mesh->faces[other] == mesh->faces[triangle];
}

/// The triangle of a face that holds a point of its plane; -1 for none.
/// @param reach   m, how far from the plane the point may be by round-off
/// @param inside  out: m, how far the point lies within the triangle
int geo_mesh_triangle_at(const geo_mesh *mesh, int face, vec3 point, double reach, double *inside);

/// Several convex shapes, rigidly joined. Members may overlap: among spheres alone the mass is that
/// of their union, else it is counted twice there.
typedef struct geo_compound {
    int member_count;
    const geo_shape **members; // [member_count] owned by the compound
    pose *placements;          // [member_count] of the members in the compound's frame
    geo_mass mass;
    bool weighed; // a body has its mass by density: overlaps of members were looked for
} geo_compound;

/// A shape has the memory of its kind alone: it is never copied by value.
struct geo_shape {
    geo_kind kind;
    int uses : 31;          // who have it, counted by its owner; 0 at first
    unsigned with_body : 1; // its owner gives it up when nobody has it any more
    /// thickness of the thinnest part, the length that penetration is compared with; INFINITY for a
    /// half-space or mesh
    double smallest_size;
    union {
        /// radius of the ball about the origin that holds the shape; INFINITY for a half-space
        double bounding_radius;
        geo_sphere sphere; // is that ball
    };
    union {
        double sizes[GEO_SIZES_MAX]; // of any plain kind but the sphere, read as its struct, too
        geo_box box;
        geo_capsule capsule;
        geo_cylinder cylinder;
        geo_polyhedron polyhedron;
        geo_mesh mesh;
        geo_compound compound;
    };
};

/// Makers: check their arguments (finite, positive sizes) and give an immutable shape that the
/// caller owns. On failure *shape is NULL and the message names value and range.

/// A plain kind.
/// @param sizes  [geo_plain_size_count] m, in the order of cairn_shape_size; NULL where it has none
cairn_status geo_plain_create(const base_allocator *allocator, geo_kind kind, const double *sizes,
                              geo_shape **shape, cairn_error *error) CAIRN_CHECK_RESULT;

/// Numbers that make a shape of this kind; -1 where it is made of points or members.
int geo_plain_size_count(geo_kind kind);

/// Those of a plain shape.
static inline const double *geo_plain_sizes(const geo_shape *shape)
{
    return shape->kind == GEO_SPHERE ? &shape->sphere.radius : shape->sizes;
}

static inline cairn_status geo_sphere_create(const base_allocator *allocator, double radius,
                                             geo_shape **shape, cairn_error *error)
{
    return geo_plain_create(allocator, GEO_SPHERE, &radius, shape, error);
}

static inline cairn_status geo_halfspace_create(const base_allocator *allocator, geo_shape **shape,
                                                cairn_error *error)
{
    return geo_plain_create(allocator, GEO_HALFSPACE, NULL, shape, error);
}

static inline cairn_status geo_box_create(const base_allocator *allocator, vec3 half,
                                          geo_shape **shape, cairn_error *error)
{
    return geo_plain_create(allocator, GEO_BOX, (const double[]){half.x, half.y, half.z, 0.0},
                            shape, error);
}

static inline cairn_status geo_capsule_create(const base_allocator *allocator, double radius,
                                              double half_length, geo_shape **shape,
                                              cairn_error *error)
{
    return geo_plain_create(allocator, GEO_CAPSULE, (const double[]){radius, half_length}, shape,
                            error);
}

static inline cairn_status geo_cylinder_create(const base_allocator *allocator, double radius,
                                               double half_length, geo_shape **shape,
                                               cairn_error *error)
{
    return geo_plain_create(allocator, GEO_CYLINDER, (const double[]){radius, half_length}, shape,
                            error);
}

/// Bytes of a ball in memory of the caller, aligned as doubles are.
enum { GEO_SPHERE_BYTES = 24 };

/// Makes a ball in such memory; it ends with the memory and is not destroyed.
cairn_status geo_sphere_init(geo_shape *shape, double radius,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// Convex hull of points (Qhull): coplanar facets are merged into polygons, points inside dropped.
/// Points nearer than 2e-7 of the extent are one, facets flat to 2e-7 of it are one; vertices are
/// points as given, in their order. Fails with CAIRN_ERROR_ARGUMENT for fewer than four points or a
/// set thinner than 1e-6 of its extent.
cairn_status geo_polyhedron_create(const base_allocator *allocator, const vec3 *points, int count,
                                   geo_shape **shape, cairn_error *error) CAIRN_CHECK_RESULT;

/// The polyhedron that has these vertices and faces, as one made from points shows them: the same
/// bits. Fails with CAIRN_ERROR_ARGUMENT for faces that do not close, or name no vertex.
/// @param face_start     [face_count + 1] into face_vertices
/// @param face_vertices  counter-clockwise seen from outside
cairn_status geo_polyhedron_create_faces(const base_allocator *allocator, const vec3 *vertices,
                                         int vertex_count, const int *face_start, int face_count,
                                         const int *face_vertices, geo_shape **shape,
                                         cairn_error *error) CAIRN_CHECK_RESULT;

/// Sweeps a new polyhedron, which nobody has yet, by a ball. Fails with CAIRN_ERROR_ARGUMENT for a
/// rounding (m) below 0 or not finite; the shape is then as it was.
cairn_status geo_polyhedron_round(geo_shape *shape, double rounding,
                                  cairn_error *error) CAIRN_CHECK_RESULT;

/// Triangulated surface of two sides; degenerate triangles and indices out of range are errors.
cairn_status geo_mesh_create(const base_allocator *allocator, const vec3 *vertices,
                             int vertex_count, const int (*triangles)[3], int triangle_count,
                             geo_shape **shape, cairn_error *error) CAIRN_CHECK_RESULT;

/// Makes a new mesh, which nobody has yet, a body with an inside. Fails with CAIRN_ERROR_ARGUMENT
/// where it is not closed; the shape is then as it was.
cairn_status geo_mesh_fill(geo_shape *shape, cairn_error *error) CAIRN_CHECK_RESULT;

/// Takes over the members (destroyed with the compound; on failure they stay the caller's). Members
/// must be spheres, boxes, capsules, cylinders or polyhedra.
cairn_status geo_compound_create(const base_allocator *allocator, geo_shape *const *members,
                                 const pose *placements, int count, geo_shape **shape,
                                 cairn_error *error) CAIRN_CHECK_RESULT;

void geo_shape_destroy(geo_shape *shape);

/// Volume integrals; kept by shapes for which they are work, else recomputed.
geo_mass geo_shape_mass(const geo_shape *shape);

/// "sphere", "halfspace", ... and back; the names of scene files.
const char *geo_kind_name(geo_kind kind);

/// Bounds of a placed shape in the world; infinite along some axes for a half-space.
geo_bounds geo_shape_bounds(const geo_shape *shape, const pose *placement);

/// Point of a convex shape farthest along a direction (any length), in the shape's frame. Not for
/// half-spaces, meshes and compounds.
vec3 geo_shape_support(const geo_shape *shape, vec3 direction);

/// Polygons that show a plain shape; none for a half-space. surface.h.
struct geo_surface;
void geo_plain_surface(const geo_shape *shape, struct geo_surface *surface);

/// Principal axes of a mass: moments (ascending order of the axes is not promised: axes already
/// principal are kept), and the placement of the principal frame in the shape frame.
/// @param moments  out, of density 1, m5
/// @param frame    out, position = centre, orientation = principal axes
void geo_mass_principal(const geo_mass *mass, vec3 *moments, pose *frame);

/// Radius of the ball that is swept over a box or polyhedron; 0 where none is.
static inline double geo_shape_rounding(const geo_shape *shape)
{
    return shape->kind == GEO_BOX          ? shape->box.rounding
           : shape->kind == GEO_POLYHEDRON ? shape->polyhedron.rounding
                                           : 0.0;
}

/// Half edges of the core of a box: of the box itself where it is not rounded.
static inline vec3 geo_box_core(const geo_box *box)
{
    return vec3_make(box->half.x - box->rounding, box->half.y - box->rounding,
                     box->half.z - box->rounding);
}

/// True when all points of the shape lie on one side of no plane through them, i.e. the shape has a
/// support function.
static inline bool geo_kind_is_convex(geo_kind kind)
{
    return kind != GEO_HALFSPACE && kind != GEO_MESH && kind != GEO_COMPOUND;
}

#endif
