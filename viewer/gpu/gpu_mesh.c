// SPDX-License-Identifier: Apache-2.0
// The mesh buffer: unit box, cylinder and cone, then the meshes of the model.
#include "viewer/gpu/gpu_device.h"

#include <math.h>
#include <string.h>

// of cylinders that are bodies, and of those that are shafts and heads of arrows
enum { SEGMENTS = 40, THIN_SEGMENTS = 10 };

static cairn_status put_vertex(view_gpu *gpu, const float position[3], const float normal[3])
{
    if (base_array_reserve(&gpu->allocator, &gpu->vertices, &gpu->vertex_capacity,
                           gpu->vertex_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    float *vertex = gpu->vertices[gpu->vertex_count++];
    memcpy(vertex, position, 3 * sizeof(float));
    memcpy(vertex + 3, normal, 3 * sizeof(float));
    return CAIRN_OK;
}

static cairn_status begin_mesh(view_gpu *gpu)
{
    if (base_array_reserve(&gpu->allocator, &gpu->meshes, &gpu->mesh_capacity,
                           gpu->mesh_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    gpu->meshes[gpu->mesh_count++] = (gpu_range){gpu->vertex_count, 0};
    return CAIRN_OK;
}

static cairn_status add_box(view_gpu *gpu)
{
    // corners of a face seen from outside, counter-clockwise
    static const float corners[6][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, -1}, {1, 1}, {-1, 1}};
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, first = (axis + 1) % 3, second = (axis + 2) % 3;
        float side = face % 2 ? 1.0F : -1.0F, normal[3] = {0};
        normal[axis] = side;
        for (int i = 0; i < 6; i++) {
            float position[3];
            position[axis] = side;
            position[first] = side * corners[i][0];
            position[second] = corners[i][1];
            if (put_vertex(gpu, position, normal) != CAIRN_OK)
                return CAIRN_ERROR_MEMORY;
        }
    }
    return CAIRN_OK;
}

/// Triangles of one segment between two angles: side, lower cap, upper cap (none for a cone).
static cairn_status add_segment(view_gpu *gpu, float from, float to, bool cone)
{
    float top = cone ? 0.0F : 1.0F, tilt = cone ? 0.5F : 0.0F;
    float x0 = cosf(from), y0 = sinf(from), x1 = cosf(to), y1 = sinf(to);
    float points[4][3] = {
        {x0, y0, -1.0F}, {x1, y1, -1.0F}, {top * x1, top * y1, 1.0F}, {top * x0, top * y0, 1.0F}};
    // a unit cone is two high and one wide: its side leans by a half
    float normals[2][3] = {{x0, y0, tilt}, {x1, y1, tilt}};
    static const int order[6] = {0, 1, 2, 0, 2, 3}, sides[6] = {0, 1, 1, 0, 1, 0};
    const float down[3] = {0, 0, -1}, up[3] = {0, 0, 1};
    const float low[3] = {0, 0, -1}, high[3] = {0, 0, 1};
    for (int i = 0; i < 6; i++)
        if (put_vertex(gpu, points[order[i]], normals[sides[i]]) != CAIRN_OK)
            return CAIRN_ERROR_MEMORY;
    if (put_vertex(gpu, low, down) != CAIRN_OK || put_vertex(gpu, points[1], down) != CAIRN_OK ||
        put_vertex(gpu, points[0], down) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    if (!cone &&
        (put_vertex(gpu, high, up) != CAIRN_OK || put_vertex(gpu, points[3], up) != CAIRN_OK ||
         put_vertex(gpu, points[2], up) != CAIRN_OK))
        return CAIRN_ERROR_MEMORY;
    return CAIRN_OK;
}

static cairn_status add_round(view_gpu *gpu, bool cone, int segments)
{
    float turn = 2.0F * (float)M_PI / (float)segments;
    for (int i = 0; i < segments; i++)
        if (add_segment(gpu, turn * (float)i, turn * (float)(i + 1), cone) != CAIRN_OK)
            return CAIRN_ERROR_MEMORY;
    return CAIRN_OK;
}

static cairn_status add_model_mesh(view_gpu *gpu, const view_mesh *mesh)
{
    for (int i = 0; i < mesh->vertex_count; i++)
        if (put_vertex(gpu, mesh->positions[i], mesh->normals[i]) != CAIRN_OK)
            return CAIRN_ERROR_MEMORY;
    return CAIRN_OK;
}

static cairn_status add_mesh(view_gpu *gpu, const view_model *model, int mesh)
{
    if (begin_mesh(gpu) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = CAIRN_OK;
    switch (mesh) {
    case GPU_MESH_BOX:
        status = add_box(gpu);
        break;
    case GPU_MESH_CYLINDER:
        status = add_round(gpu, false, SEGMENTS);
        break;
    case GPU_MESH_SHAFT:
        status = add_round(gpu, false, THIN_SEGMENTS);
        break;
    case GPU_MESH_CONE:
        status = add_round(gpu, true, THIN_SEGMENTS);
        break;
    default:
        status = add_model_mesh(gpu, &model->meshes[mesh - GPU_MESH_FIXED]);
        break;
    }
    gpu_range *range = &gpu->meshes[gpu->mesh_count - 1];
    range->count = gpu->vertex_count - range->first;
    return status;
}

cairn_status gpu_meshes_upload(view_gpu *gpu, const view_model *model)
{
    int count = GPU_MESH_FIXED + (model != NULL ? model->mesh_count : 0);
    cairn_status status = CAIRN_OK;
    gpu->mesh_count = gpu->vertex_count = 0;
    for (int i = 0; status == CAIRN_OK && i < count; i++)
        status = add_mesh(gpu, model, i);
    if (status != CAIRN_OK)
        return status;
    glBindBuffer(GL_ARRAY_BUFFER, gpu->mesh_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)((size_t)gpu->vertex_count * sizeof *gpu->vertices),
                 gpu->vertices, GL_STATIC_DRAW);
    return CAIRN_OK;
}
