// SPDX-License-Identifier: Apache-2.0
// 4x4 matrices of the GPU, column-major floats. Apart from base/vec.h, whose names cglm uses too.
#ifndef CAIRN_VIEWER_DRAW_MATRIX_H
#define CAIRN_VIEWER_DRAW_MATRIX_H

typedef struct view_matrix {
    float m[16];
} view_matrix;

/// World to clip space.
/// @param opening  rad, vertical
view_matrix view_matrix_perspective(const float eye[3], const float forward[3], const float up[3],
                                    float opening, float aspect, float near, float far);

/// @param half_width, half_height  m
view_matrix view_matrix_parallel(const float eye[3], const float forward[3], const float up[3],
                                 float half_width, float half_height, float near, float far);

view_matrix view_matrix_inverse(const view_matrix *matrix);

#endif
