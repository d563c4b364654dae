// SPDX-License-Identifier: Apache-2.0
// Matrices by cglm.
#include "viewer/draw/matrix.h"

#include <cglm/cglm.h>
#include <string.h>

static view_matrix product(mat4 projection, const float eye[3], const float forward[3],
                           const float up[3])
{
    vec3 from, along, above;
    mat4 view, whole;
    view_matrix result;
    memcpy(from, eye, sizeof from);
    memcpy(along, forward, sizeof along);
    memcpy(above, up, sizeof above);
    glm_look(from, along, above, view);
    glm_mat4_mul(projection, view, whole);
    memcpy(result.m, whole, sizeof result.m);
    return result;
}

view_matrix view_matrix_perspective(const float eye[3], const float forward[3], const float up[3],
                                    float opening, float aspect, float near, float far)
{
    mat4 projection;
    glm_perspective(opening, aspect, near, far, projection);
    return product(projection, eye, forward, up);
}

view_matrix view_matrix_parallel(const float eye[3], const float forward[3], const float up[3],
                                 float half_width, float half_height, float near, float far)
{
    mat4 projection;
    glm_ortho(-half_width, half_width, -half_height, half_height, near, far, projection);
    return product(projection, eye, forward, up);
}

view_matrix view_matrix_inverse(const view_matrix *matrix)
{
    mat4 from, to;
    view_matrix result;
    memcpy(from, matrix->m, sizeof from);
    glm_mat4_inv(from, to);
    memcpy(result.m, to, sizeof result.m);
    return result;
}
