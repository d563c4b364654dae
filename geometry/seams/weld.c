// SPDX-License-Identifier: Apache-2.0
// Seams of a triangulated surface: vertices that are meant to be one, and sides on which a vertex
// of a neighbour lies.
#include "geometry/seams/weld.h"
#include "geometry/mesh/bvh.h"

#include <stdlib.h>
#include <string.h>

// a triangle has at most three sides that are split, one after the other
enum { ROUNDS_MAX = 8 };

// vertices are looked at in the order of their places along a direction in which the points of
// grids do not coincide
static const vec3 sweep = {0.5410, 0.6273, 0.5602};

typedef struct place {
    double along; // m
    int vertex;
} place;

static int compare_places(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->along != b->along)
        return a->along < b->along ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

// the vertex before place `i` that stands for it, within the length; itself where there is none
static int find_same(const vec3 *x, const place *places, int i, double length, const int *same)
{
    int vertex = places[i].vertex;
    for (int j = i - 1; j >= 0 && places[i].along - places[j].along <= length * 1.000001; j--) {
        int other = places[j].vertex;
        if (same[other] == other && vec3_distance(x[vertex], x[other]) <= length)
            return other;
    }
    return vertex;
}

// for each vertex the one that stands for it
static cairn_status find_all_same(const base_allocator *allocator, const geo_mesh_data *data,
                                  double length, int *same)
{
    int count = data->vertex_count;
    place *places = base_allocate(allocator, (size_t)count, sizeof *places);
    if (places == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < count; i++)
        places[i] = (place){vec3_dot(sweep, data->vertices[i]), i};
    qsort(places, (size_t)count, sizeof *places, compare_places);
    for (int i = 0; i < count; i++)
        same[places[i].vertex] = find_same(data->vertices, places, i, length, same);
    base_release(allocator, places);
    return CAIRN_OK;
}

static bool has_three_corners(const int corner[3])
{
    return corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0];
}

static void rename_corners(geo_mesh_data *data, const int *same)
{
    int kept = 0;
    for (int t = 0; t < data->triangle_count; t++) {
        int corner[3];
        const int *given = data->triangles[t];
        for (int k = 0; k < 3; k++)
            corner[k] = same[given[k]];
        // one that names a corner twice is the maker's to refuse
        if (has_three_corners(given) && !has_three_corners(corner))
            continue;
        memcpy(data->triangles[kept++], corner, sizeof corner);
    }
    data->triangle_count = kept;
}

// ---------------------------------------------------------------- sides with vertices on them

typedef struct side {
    int low, high, triangle, slot;
} side;

static int compare_sides(const void *left, const void *right)
{
    const side *a = left, *b = right;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (a->triangle > b->triangle) - (a->triangle < b->triangle);
}

// The sides of one triangle alone, ordered, to the front of `sides`; how many.
static int find_borders(const geo_mesh_data *data, side *sides)
{
    int count = 0, borders = 0;
    for (int t = 0; t < data->triangle_count; t++)
        for (int k = 0; k < 3; k++) {
            int v = data->triangles[t][k], w = data->triangles[t][(k + 1) % 3];
            sides[count++] = (side){v < w ? v : w, v < w ? w : v, t, k};
        }
    qsort(sides, (size_t)count, sizeof *sides, compare_sides);
    for (int i = 0, end; i < count; i = end) {
        for (end = i + 1;
             end < count && sides[end].low == sides[i].low && sides[end].high == sides[i].high;)
            end++;
        if (end == i + 1)
            sides[borders++] = sides[i];
    }
    return borders;
}

typedef struct search {
    const geo_mesh_data *data;
    const int *vertices; // of borders, as the hierarchy numbers them
    double length;       // m
    int from, to, far;   // of the side, and the corner across
    place *found;        // [capacity] on the side, along it
    int count, capacity;
    base_allocator allocator;
    bool out_of_memory;
} search;

static bool look_at_vertex(void *context, int item)
{
    search *s = context;
    int vertex = s->vertices[item];
    const vec3 *x = s->data->vertices;
    if (vertex == s->from || vertex == s->to || vertex == s->far)
        return true;
    for (int i = 0; i < s->count; i++)
        if (s->found[i].vertex == vertex)
            return true;
    vec3 along = vec3_sub(x[s->to], x[s->from]), out = vec3_sub(x[vertex], x[s->from]);
    double whole = vec3_norm(along), at = vec3_dot(out, along) / whole;
    if (at <= s->length || at >= whole - s->length ||
        vec3_norm(vec3_add_scaled(out, -at / whole, along)) > s->length)
        return true;
    if (base_array_reserve(&s->allocator, &s->found, &s->capacity, s->count + 1) != CAIRN_OK) {
        s->out_of_memory = true;
        return false;
    }
    s->found[s->count++] = (place){at, vertex};
    return true;
}

static void find_on_side(search *s, const geo_bvh *bvh, const int corner[3], int k)
{
    const vec3 *x = s->data->vertices;
    s->from = corner[k];
    s->to = corner[(k + 1) % 3];
    s->far = corner[(k + 2) % 3];
    s->count = 0;
    geo_bounds bounds = {vec3_min(x[s->from], x[s->to]), vec3_max(x[s->from], x[s->to])};
    geo_bvh_query(bvh, geo_bounds_inflate(bounds, s->length), look_at_vertex, s);
    if (s->count > 1)
        qsort(s->found, (size_t)s->count, sizeof *s->found, compare_places);
}

// A triangle becomes a fan around its corner across from a side with vertices on it. The first of
// the fan takes its place, the others go to the end.
static cairn_status split(const base_allocator *allocator, geo_mesh_data *data, int *capacity,
                          const search *s, int triangle)
{
    int at = s->from, made = data->triangle_count;
    BASE_TRY(base_array_reserve(allocator, &data->triangles, capacity, made + s->count));
    for (int i = 0; i <= s->count; i++) {
        int next = i < s->count ? s->found[i].vertex : s->to;
        int *corner = data->triangles[i == 0 ? triangle : made + i - 1];
        corner[0] = at;
        corner[1] = next;
        corner[2] = s->far;
        at = next;
    }
    data->triangle_count += s->count;
    return CAIRN_OK;
}

static geo_bvh *over_borders(const base_allocator *allocator, const geo_mesh_data *data,
                             const side *sides, int borders, int *vertices)
{
    int count = 2 * borders;
    geo_bounds *bounds = base_allocate(allocator, (size_t)count, sizeof *bounds);
    if (bounds == NULL)
        return NULL;
    for (int i = 0; i < count; i++) {
        vertices[i] = i % 2 == 0 ? sides[i / 2].low : sides[i / 2].high;
        bounds[i] = (geo_bounds){data->vertices[vertices[i]], data->vertices[vertices[i]]};
    }
    geo_bvh *bvh = geo_bvh_create(allocator, bounds, count);
    base_release(allocator, bounds);
    return bvh;
}

// Splits at most one side of each triangle. @param any  out: there were such
static cairn_status split_sides(const base_allocator *allocator, geo_mesh_data *data, int *capacity,
                                double length, side *sides, int *vertices, bool *any)
{
    int borders = find_borders(data, sides);
    *any = false;
    if (borders == 0)
        return CAIRN_OK;
    geo_bvh *bvh = over_borders(allocator, data, sides, borders, vertices);
    if (bvh == NULL)
        return CAIRN_ERROR_MEMORY;
    search s = {.data = data, .vertices = vertices, .length = length, .allocator = *allocator};
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < borders && status == CAIRN_OK; i++) {
        int triangle = sides[i].triangle, k = sides[i].slot;
        int *corner = data->triangles[triangle];
        int low = corner[k] < corner[(k + 1) % 3] ? corner[k] : corner[(k + 1) % 3];
        int high = corner[k] + corner[(k + 1) % 3] - low;
        // a side of one that was split in this round has its turn in the next
        if (low != sides[i].low || high != sides[i].high) {
            *any = true;
            continue;
        }
        find_on_side(&s, bvh, corner, k);
        if (s.out_of_memory)
            status = CAIRN_ERROR_MEMORY;
        else if (s.count > 0) {
            status = split(allocator, data, capacity, &s, triangle);
            *any = true;
        }
    }
    base_release(allocator, s.found);
    geo_bvh_destroy(bvh);
    return status;
}

static cairn_status split_all(const base_allocator *allocator, geo_mesh_data *data, double length)
{
    int capacity = data->triangle_count;
    bool any = true;
    cairn_status status = CAIRN_OK;
    for (int round = 0; round < ROUNDS_MAX && any && status == CAIRN_OK; round++) {
        size_t count = 3 * (size_t)data->triangle_count;
        side *sides = base_allocate(allocator, count, sizeof *sides);
        int *vertices = base_allocate(allocator, 2 * count, sizeof *vertices);
        status = sides != NULL && vertices != NULL
                     ? split_sides(allocator, data, &capacity, length, sides, vertices, &any)
                     : CAIRN_ERROR_MEMORY;
        base_release(allocator, sides);
        base_release(allocator, vertices);
    }
    return status;
}

static double diagonal_of(const geo_mesh_data *data)
{
    geo_bounds bounds = {data->vertices[0], data->vertices[0]};
    for (int i = 1; i < data->vertex_count; i++)
        bounds = geo_bounds_merge(bounds, (geo_bounds){data->vertices[i], data->vertices[i]});
    return vec3_distance(bounds.low, bounds.high);
}

static bool names_vertices(const geo_mesh_data *data)
{
    for (int t = 0; t < data->triangle_count; t++)
        for (int k = 0; k < 3; k++)
            if (data->triangles[t][k] < 0 || data->triangles[t][k] >= data->vertex_count)
                return false;
    for (int i = 0; i < data->vertex_count; i++)
        if (!vec3_is_finite(data->vertices[i]))
            return false;
    return data->vertex_count > 0 && data->triangle_count > 0;
}

cairn_status geo_mesh_weld(const base_allocator *allocator, double length, geo_mesh_data *data)
{
    if (!names_vertices(data))
        return CAIRN_ERROR_ARGUMENT;
    double diagonal = diagonal_of(data);
    if (length < 0.0)
        length = GEO_WELD_PART * diagonal;
    int *same = base_allocate(allocator, (size_t)data->vertex_count, sizeof *same);
    if (same == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = find_all_same(allocator, data, length, same);
    if (status == CAIRN_OK)
        rename_corners(data, same);
    base_release(allocator, same);
    // vertices that lie on a side do so to round-off, as the corners of triangles without area do
    return status == CAIRN_OK && data->triangle_count > 0
               ? split_all(allocator, data, fmax(length, 1e-12 * diagonal))
               : status;
}
