// SPDX-License-Identifier: Apache-2.0
// Seams of a triangulated surface: vertices that are meant to be one, and sides on which a vertex
// of a neighbour lies.
#ifndef CAIRN_GEOMETRY_SEAMS_WELD_H
#define CAIRN_GEOMETRY_SEAMS_WELD_H

#include "geometry/mesh/mesh_file.h"

/// Part of the diagonal of its bounds that a surface is welded by where no length is given.
#define GEO_WELD_PART 1e-6

/// Welds a surface: triangles name one vertex where several are no farther than `length` (m) apart,
/// and a side of one triangle that has a vertex of others on it, to that length, is split there.
/// Triangles that have no three corners left are dropped. The order of the others stays, and so do
/// all vertices, named or not.
/// @param length    0: vertices at the same place alone; below 0: GEO_WELD_PART of the diagonal
/// @param data      vertices are borrowed and stay; triangles, of the allocator, may be replaced
/// @return CAIRN_ERROR_MEMORY; CAIRN_ERROR_ARGUMENT where a triangle names no vertex
/// Tests: tests/unit/geometry/test_weld.c
cairn_status geo_mesh_weld(const base_allocator *allocator, double length,
                           geo_mesh_data *data) CAIRN_CHECK_RESULT;

#endif
