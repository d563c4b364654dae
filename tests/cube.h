// SPDX-License-Identifier: Apache-2.0
// Corners and triangles of the cube of side 2 about the origin, for meshes of tests.
#ifndef CAIRN_TESTS_CUBE_H
#define CAIRN_TESTS_CUBE_H

static const double cube_corners[8][3] = {{-1.0, -1.0, -1.0}, {1.0, -1.0, -1.0}, {-1.0, 1.0, -1.0},
                                          {1.0, 1.0, -1.0},   {-1.0, -1.0, 1.0}, {1.0, -1.0, 1.0},
                                          {-1.0, 1.0, 1.0},   {1.0, 1.0, 1.0}};

/// Counter-clockwise seen from outside.
static const int cube_faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                      {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                      {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

#endif
