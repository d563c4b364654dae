// SPDX-License-Identifier: Apache-2.0
// Shells of a triangulated surface, grown from triangle to triangle.
#include "geometry/mesh/shells.h"

#include <stdlib.h>

/// Gives a triangle the other sense, with the same first corner.
static void turn_over(geo_shells *s, int triangle)
{
    int *corner = s->triangles[triangle], *adjacent = s->adjacent[triangle];
    int swap = corner[1];
    corner[1] = corner[2];
    corner[2] = swap;
    // sides (0,1) (1,2) (2,0) turn into (0,2) (2,1) (1,0)
    swap = adjacent[0];
    adjacent[0] = adjacent[2];
    adjacent[2] = swap;
}

/// Does a triangle run through the side between two corners from the first one to the second?
static bool runs(const geo_shells *s, int triangle, int from, int to)
{
    const int *corner = s->triangles[triangle];
    for (int k = 0; k < 3; k++)
        if (corner[k] == from && corner[(k + 1) % 3] == to)
            return true;
    return false;
}

/// Turns the triangles around the first one to its sense; twice their indices are listed in
/// `queue`, and 1 more of those that were turned. False for a part that has a border, or where two
/// senses meet.
static bool grow(geo_shells *s, int first, int *queue, int *count)
{
    bool closed = true;
    *count = 1;
    queue[0] = 2 * first;
    s->of[first] = 0;
    for (int i = 0; i < *count; i++)
        for (int k = 0; k < 3; k++) {
            int here = queue[i] / 2, other = s->adjacent[here][k];
            if (other < 0) {
                closed = false;
                continue;
            }
            int from = s->triangles[here][k], to = s->triangles[here][(k + 1) % 3];
            bool same = runs(s, other, to, from);
            if (s->of[other] >= 0) {
                closed = closed && same;
                continue;
            }
            if (!same)
                turn_over(s, other);
            s->of[other] = 0;
            queue[(*count)++] = 2 * other + !same;
        }
    return closed;
}

static double volume_of(const geo_shells *s, const int *queue, int count)
{
    vec3 origin = s->vertices[s->triangles[queue[0] / 2][0]];
    double six = 0.0;
    for (int i = 0; i < count; i++) {
        const int *v = s->triangles[queue[i] / 2];
        vec3 a = vec3_sub(s->vertices[v[0]], origin), b = vec3_sub(s->vertices[v[1]], origin);
        six += vec3_dot(a, vec3_cross(b, vec3_sub(s->vertices[v[2]], origin)));
    }
    return six / 6.0;
}

cairn_status geo_shells_find(geo_shells *shells, const base_allocator *allocator)
{
    int *queue = base_allocate(allocator, (size_t)shells->triangle_count, sizeof *queue);
    int capacity = 0, listed = 0;
    double least = GEO_SHELL_LEAST * shells->size * shells->size * shells->size;
    cairn_status status = queue != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    for (int t = 0; t < shells->triangle_count; t++)
        shells->of[t] = -1;
    for (int t = 0; t < shells->triangle_count && status == CAIRN_OK; t++) {
        if (shells->of[t] >= 0)
            continue;
        bool closed = grow(shells, t, queue, &listed);
        double volume = closed ? volume_of(shells, queue, listed) : 0.0;
        if (!(fabs(volume) > least)) {
            // open parts stay as they are
            for (int i = 0; i < listed; i++)
                if (queue[i] % 2 == 1)
                    turn_over(shells, queue[i] / 2);
            continue;
        }
        status = base_array_reserve(allocator, &shells->list, &capacity, shells->count + 1);
        if (status == CAIRN_OK)
            shells->list[shells->count++] = (geo_shell){.first = t, .volume = volume};
        for (int i = 0; i < listed; i++)
            shells->of[queue[i] / 2] = shells->count;
    }
    base_release(allocator, queue);
    if (status != CAIRN_OK) {
        base_release(allocator, shells->list);
        shells->list = NULL;
        shells->count = 0;
    }
    return status;
}

void geo_shells_turn(geo_shells *shells)
{
    for (int t = 0; t < shells->triangle_count; t++) {
        int number = shells->of[t], outermost = number;
        if (number == 0)
            continue;
        // shells that cut each other may be around each other
        for (int i = 0; i < shells->count && shells->list[outermost - 1].holder > 0; i++)
            outermost = shells->list[outermost - 1].holder;
        bool turns = shells->list[outermost - 1].volume < 0.0;
        if (turns)
            turn_over(shells, t);
        if ((shells->list[number - 1].volume < 0.0) != turns)
            shells->of[t] = -number;
    }
}
