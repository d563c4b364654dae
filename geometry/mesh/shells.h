// SPDX-License-Identifier: Apache-2.0
// Shells of a triangulated surface: connected parts without border whose triangles can run in one
// sense.
#ifndef CAIRN_GEOMETRY_MESH_SHELLS_H
#define CAIRN_GEOMETRY_MESH_SHELLS_H

#include "base/memory.h"
#include "base/vec.h"

/// Volume of a shell, of the cube of the surface's size, from which on it holds something: two
/// sheets that coincide are closed, too.
#define GEO_SHELL_LEAST 1e-15

typedef struct geo_shell {
    int first;     // triangle
    double volume; // m3, negative where it runs clockwise seen from outside
    int holder;    // set by the caller: a shell around this one, from 1; 0 for none
} geo_shell;

typedef struct geo_shells {
    const vec3 *vertices;
    int (*triangles)[3]; // [triangle_count] turned over as needed
    int (
        *adjacent)[3]; // [triangle_count] across the side (k, k + 1), -1 for none; turned with them
    int triangle_count;
    double size;     // m, of the surface
    int *of;         // [triangle_count] out: number of the shell, from 1; 0 in a part that is open
    int count;       // out
    geo_shell *list; // [count] out; the caller's
} geo_shells;

/// Finds shells, and turns triangles over so that each runs in the sense of its first one.
/// @return CAIRN_ERROR_MEMORY; the list is NULL then
cairn_status geo_shells_find(geo_shells *shells,
                             const base_allocator *allocator) CAIRN_CHECK_RESULT;

/// Turns shells that have no holder so that they run counter-clockwise seen from outside, and those
/// within as their outermost holder; numbers of shells that run clockwise become negative.
void geo_shells_turn(geo_shells *shells);

#endif
