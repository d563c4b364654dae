// SPDX-License-Identifier: Apache-2.0
// Inside of the GPU device, shared by the gpu_*.c files.
#ifndef CAIRN_VIEWER_GPU_GPU_DEVICE_H
#define CAIRN_VIEWER_GPU_GPU_DEVICE_H

#include "viewer/gpu/gpu.h"

#include <GL/glew.h>

typedef enum gpu_program {
    GPU_SOLID,
    GPU_SPHERE,
    GPU_CAPSULE,
    GPU_SOLID_SHADOW,
    GPU_SPHERE_SHADOW,
    GPU_CAPSULE_SHADOW,
    GPU_GROUND,
    GPU_SKY,
    GPU_CANVAS,
    GPU_PROGRAM_COUNT
} gpu_program;

/// Vertices of one mesh inside the mesh buffer.
typedef struct gpu_range {
    int first, count;
} gpu_range;

/// Unit meshes that come before those of the model.
enum { GPU_MESH_BOX, GPU_MESH_CYLINDER, GPU_MESH_SHAFT, GPU_MESH_CONE, GPU_MESH_FIXED };

typedef struct gpu_target {
    GLuint frame, colour, depth;
    int width, height;
} gpu_target;

struct view_gpu {
    base_allocator allocator;
    SDL_Window *window;
    SDL_GLContext context;
    bool video; // SDL's video was opened
    char name[256];
    GLuint programs[GPU_PROGRAM_COUNT];
    GLuint array, mesh_buffer, instance_buffer, canvas_array, canvas_buffer, atlas, images;
    gpu_range *meshes; // [mesh_count]
    int mesh_count, mesh_capacity;
    float (*vertices)[6]; // [vertex_count] position, normal; as in the mesh buffer
    int vertex_count, vertex_capacity;
    gpu_target drawn, shown; // shown: of the picture's size
    GLuint shadow_frame, shadow_map;
    int shadow_size;
    bool has_images; // the texture of small pictures has its size
};

/// Compiles all programs.
cairn_status gpu_programs_create(view_gpu *gpu, cairn_error *error) CAIRN_CHECK_RESULT;

/// Fills the mesh buffer with the unit meshes and those of the model (may be NULL).
cairn_status gpu_meshes_upload(view_gpu *gpu, const view_model *model) CAIRN_CHECK_RESULT;

/// Makes a target of a size; nothing when it has it.
cairn_status gpu_target_resize(gpu_target *target, int width, int height,
                               cairn_error *error) CAIRN_CHECK_RESULT;
void gpu_target_finish(gpu_target *target);
cairn_status gpu_shadow_resize(view_gpu *gpu, int size, cairn_error *error) CAIRN_CHECK_RESULT;

/// Draws the list into the bound target; gpu_scene.c.
void gpu_scene_draw(view_gpu *gpu, const view_picture *picture);

/// Draws the canvas into the bound target; gpu_canvas.c.
void gpu_canvas_draw(view_gpu *gpu, const view_canvas *canvas, int width, int height);

static inline GLint gpu_uniform(GLuint program, const char *name)
{
    return glGetUniformLocation(program, name);
}

#endif
