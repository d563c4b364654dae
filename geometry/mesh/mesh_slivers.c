// SPDX-License-Identifier: Apache-2.0
// Triangles without area, taken out of a surface so that it stays as closed as it was.
#include "geometry/mesh/mesh_file_internal.h"
#include "geometry/mesh/vertices.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 64, PAIRED_MAX = 4096 };

/// A side of a triangle.
typedef struct side {
    int low, high; // vertices
    int triangle;
} side;

static int compare_sides(const void *a, const void *b)
{
    const side *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return (x->triangle > y->triangle) - (x->triangle < y->triangle);
}

static side side_of(int from, int to, int triangle)
{
    return (side){from < to ? from : to, from < to ? to : from, triangle};
}

/// The one triangle that has a side; -1 where none has, or several have.
static int find_owner(const side *sides, int count, int from, int to)
{
    side wanted = side_of(from, to, -1);
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (compare_sides(&sides[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    bool one = low < count && sides[low].low == wanted.low && sides[low].high == wanted.high;
    bool more = one && low + 1 < count && sides[low + 1].low == wanted.low &&
                sides[low + 1].high == wanted.high;
    return one && !more ? sides[low].triangle : -1;
}

/// Turns the corners of a sliver so that the last one lies between the others.
static void turn_sliver(const vec3 *vertices, int corner[3])
{
    double longest = -1.0;
    int first = 0;
    for (int k = 0; k < 3; k++) {
        double length = vec3_distance(vertices[corner[k]], vertices[corner[(k + 1) % 3]]);
        if (length > longest) {
            longest = length;
            first = k;
        }
    }
    const int turned[3] = {corner[first], corner[(first + 1) % 3], corner[(first + 2) % 3]};
    for (int k = 0; k < 3; k++)
        corner[k] = turned[k];
}

/// Cuts the triangle behind the long side of a sliver at the sliver's third corner; *done is false
/// where that cannot be, or where the triangle was cut in this round already.
static cairn_status cut_behind(geo_mesh_reader *reader, const side *sides, int side_count,
                               const int corner[3], unsigned char *cut, bool *done)
{
    const geo_mesh_data *data = reader->data;
    const vec3 *x = data->vertices;
    int t = find_owner(sides, side_count, corner[0], corner[1]), k = 0;
    *done = false;
    if (t < 0 || cut[t])
        return CAIRN_OK;
    int *v = data->triangles[t];
    while (v[k] == corner[0] || v[k] == corner[1])
        k++;
    // the far corner, and the ends of the side in the sense of the triangle
    int far = v[k], from = v[(k + 1) % 3], to = v[(k + 2) % 3], middle = corner[2];
    if (far == middle || !geo_has_area(x[far], x[from], x[middle]) ||
        !geo_has_area(x[far], x[middle], x[to]))
        return CAIRN_OK;
    v[0] = far;
    v[1] = from;
    v[2] = middle;
    cut[t] = 1;
    *done = true;
    return geo_reader_add_triangle(reader, far, middle, to);
}

/// Two slivers at one long side become two at the line between their third corners, whose long
/// sides are others. @return whether there are such
static bool turn_pairs(geo_mesh_reader *reader)
{
    bool any = false;
    int(*s)[3] = reader->slivers, count = reader->sliver_count;
    for (int i = 0; i < count && count <= PAIRED_MAX; i++)
        for (int j = i + 1; j < count; j++) {
            side here = side_of(s[i][0], s[i][1], 0), there = side_of(s[j][0], s[j][1], 0);
            int a = s[i][0], b = s[i][1], c = s[i][2], d = s[j][2];
            if (compare_sides(&here, &there) != 0 || c == d)
                continue;
            const int turned[2][3] = {{a, c, d}, {c, b, d}};
            memcpy(s[i], turned[0], sizeof turned[0]);
            memcpy(s[j], turned[1], sizeof turned[1]);
            any = true;
            break;
        }
    return any;
}

/// One look at all slivers that are left; *left is how many of those may be cut in another round.
static cairn_status run_round(geo_mesh_reader *reader, int *left)
{
    const geo_mesh_data *data = reader->data;
    int count = data->triangle_count, kept = 0;
    side *sides = base_allocate(reader->allocator, 3 * (size_t)count, sizeof *sides);
    unsigned char *cut = base_allocate(reader->allocator, (size_t)count, 1);
    cairn_status status = sides != NULL && cut != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    for (int t = 0; t < count && status == CAIRN_OK; t++)
        for (int k = 0; k < 3; k++)
            sides[3 * (size_t)t + (size_t)k] =
                side_of(data->triangles[t][k], data->triangles[t][(k + 1) % 3], t);
    if (status == CAIRN_OK)
        qsort(sides, 3 * (size_t)count, sizeof *sides, compare_sides);
    bool any = false;
    for (int i = 0; i < reader->sliver_count && status == CAIRN_OK; i++) {
        int *corner = reader->slivers[i];
        bool done;
        turn_sliver(data->vertices, corner);
        status = cut_behind(reader, sides, 3 * count, corner, cut, &done);
        any = any || done;
        // what is behind may be another sliver, whose turn has not come yet
        if (!done)
            memmove(reader->slivers[kept++], corner, 3 * sizeof *corner);
    }
    reader->sliver_count = kept;
    *left = any || turn_pairs(reader) ? kept : 0;
    base_release(reader->allocator, sides);
    base_release(reader->allocator, cut);
    return status;
}

cairn_status geo_reader_mend_slivers(geo_mesh_reader *reader)
{
    int left = reader->sliver_count;
    cairn_status status = CAIRN_OK;
    // sides are counted in int
    if (reader->data->triangle_count > INT32_MAX / 6)
        return CAIRN_OK;
    for (int i = 0; i < ROUNDS_MAX && left > 0 && status == CAIRN_OK; i++)
        status = run_round(reader, &left);
    return status;
}
