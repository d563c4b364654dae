// SPDX-License-Identifier: Apache-2.0
// Faces of many corners, cut into triangles.
#include "geometry/mesh/mesh_file_internal.h"
#include "geometry/mesh/vertices.h"

/// A face seen along its normal.
typedef struct polygon {
    const vec3 *vertices;
    const int *corners;
    int count;
    vec3 normal; // unit
} polygon;

// corners of a face that is not convex: each of them is held against all others
enum { CONCAVE_MAX = 4096 };

static vec3 corner_at(const polygon *p, int i)
{
    return p->vertices[p->corners[i % p->count]];
}

/// By the sum over all sides; zero for a face without area.
static vec3 normal_of(const polygon *p)
{
    vec3 sum = {0.0, 0.0, 0.0}, origin = corner_at(p, 0);
    for (int i = 1; i + 1 < p->count; i++)
        sum = vec3_add(sum, vec3_cross(vec3_sub(corner_at(p, i), origin),
                                       vec3_sub(corner_at(p, i + 1), origin)));
    return vec3_normalize_or(sum, (vec3){0.0, 0.0, 0.0});
}

/// Twice the area of a triangle, negative where it runs against the face.
static double area_of(const polygon *p, vec3 a, vec3 b, vec3 c)
{
    vec3 across = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    return vec3_dot(across, p->normal);
}

/// Does a triangle run as the face does, with an area?
static bool runs_along(const polygon *p, vec3 a, vec3 b, vec3 c)
{
    return geo_has_area(a, b, c) && area_of(p, a, b, c) > 0.0;
}

/// Is the face convex, and has each triangle of the fan from its first corner an area?
static bool is_fan(const polygon *p)
{
    for (int i = 0; i < p->count; i++) {
        vec3 a = corner_at(p, i), b = corner_at(p, i + 1), c = corner_at(p, i + 2);
        if (geo_has_area(a, b, c) && area_of(p, a, b, c) < 0.0)
            return false;
    }
    // a star turns more than once though it is convex at each corner
    for (int i = 1; i + 1 < p->count; i++)
        if (!runs_along(p, corner_at(p, 0), corner_at(p, i), corner_at(p, i + 1)))
            return false;
    return true;
}

static bool is_in_triangle(const polygon *p, vec3 x, const vec3 c[3])
{
    for (int k = 0; k < 3; k++) {
        // the other side of a bridge to a hole has the same place
        if (vec3_norm_squared(vec3_sub(x, c[k])) == 0.0)
            return false;
        if (geo_has_area(c[k], c[(k + 1) % 3], x) && area_of(p, c[k], c[(k + 1) % 3], x) < 0.0)
            return false;
    }
    return true;
}

/// Can a corner be cut off, with no other one in the triangle?
static bool is_ear(const polygon *p, int i)
{
    const vec3 c[3] = {corner_at(p, i + p->count - 1), corner_at(p, i), corner_at(p, i + 1)};
    if (!runs_along(p, c[0], c[1], c[2]))
        return false;
    for (int k = 2; k < p->count - 1; k++)
        if (is_in_triangle(p, corner_at(p, i + k), c))
            return false;
    return true;
}

/// Are the corners that are left on one line, so that they enclose nothing?
static bool is_flat(const polygon *p)
{
    for (int i = 0; i < p->count; i++)
        if (geo_has_area(corner_at(p, i), corner_at(p, i + 1), corner_at(p, i + 2)))
            return false;
    return true;
}

cairn_status geo_reader_add_face(geo_mesh_reader *reader, int count)
{
    int *corners = reader->corners;
    polygon p = {reader->data->vertices, corners, count, {0.0, 0.0, 0.0}};
    p.normal = normal_of(&p);
    cairn_status status = CAIRN_OK;
    if (count == 3 || is_fan(&p)) {
        for (int i = 1; i + 1 < count && status == CAIRN_OK; i++)
            status = geo_reader_add_triangle(reader, corners[0], corners[i], corners[i + 1]);
        return status;
    }
    if (count > CONCAVE_MAX)
        return geo_reader_fail(reader, "a face that is not convex has %d corners, of at most %d",
                               count, CONCAVE_MAX);
    for (int ear = 0; p.count >= 3 && status == CAIRN_OK;) {
        int tried = 0;
        // on from the last one, so that no fan grows around one corner
        for (; tried < p.count && !is_ear(&p, ear); tried++)
            ear = (ear + 1) % p.count;
        if (tried == p.count && is_flat(&p)) {
            geo_reader_leave_out(reader, p.count - 2);
            return CAIRN_OK;
        }
        if (tried == p.count)
            return geo_reader_fail(reader, "a face of %d corners crosses itself", count);
        int before = (ear + p.count - 1) % p.count, after = (ear + 1) % p.count;
        status = geo_reader_add_triangle(reader, corners[before], corners[ear], corners[after]);
        for (int i = ear; i + 1 < p.count; i++)
            corners[i] = corners[i + 1];
        p.count--;
        ear %= p.count;
    }
    return status;
}
