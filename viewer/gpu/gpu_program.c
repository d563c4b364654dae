// SPDX-License-Identifier: Apache-2.0
// Compiles the embedded shaders.
#include "base/assert.h"
#include "viewer/draw/embedded.h"
#include "viewer/gpu/gpu_device.h"

#define TEXT(name) ((const char *)view_file_##name)

typedef struct program_source {
    const char *name;
    const char *vertex, *fragment;
    bool shadow; // writes depth alone
} program_source;

static GLuint compile(GLenum kind, const char *text, bool shadow, const char *name,
                      cairn_error *error)
{
    const char *light = kind == GL_FRAGMENT_SHADER && !shadow ? TEXT(light_glsl) : "";
    const char *parts[] = {"#version 330 core\n", shadow ? "#define SHADOW\n" : "",
                           TEXT(common_glsl), light, text};
    GLuint shader = glCreateShader(kind);
    GLint done = 0;
    glShaderSource(shader, BASE_COUNT(parts), parts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    if (done)
        return shader;
    char log[400] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    base_fail(error, CAIRN_ERROR_UNSUPPORTED, "shader %s: %s", name, log);
    glDeleteShader(shader);
    return 0;
}

static cairn_status link(const program_source *source, GLuint *program, cairn_error *error)
{
    GLuint vertex = compile(GL_VERTEX_SHADER, source->vertex, source->shadow, source->name, error);
    GLuint fragment = vertex != 0 ? compile(GL_FRAGMENT_SHADER, source->fragment, source->shadow,
                                            source->name, error)
                                  : 0;
    if (fragment == 0) {
        glDeleteShader(vertex);
        return CAIRN_ERROR_UNSUPPORTED;
    }
    *program = glCreateProgram();
    glAttachShader(*program, vertex);
    glAttachShader(*program, fragment);
    glLinkProgram(*program);
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    GLint done = 0;
    glGetProgramiv(*program, GL_LINK_STATUS, &done);
    if (done)
        return CAIRN_OK;
    char log[400] = "";
    glGetProgramInfoLog(*program, sizeof log, NULL, log);
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "shader %s: %s", source->name, log);
}

cairn_status gpu_programs_create(view_gpu *gpu, cairn_error *error)
{
    const program_source sources[GPU_PROGRAM_COUNT] = {
        [GPU_SOLID] = {"solid", TEXT(solid_vert_glsl), TEXT(solid_frag_glsl), false},
        [GPU_SPHERE] = {"sphere", TEXT(sphere_vert_glsl), TEXT(sphere_frag_glsl), false},
        [GPU_CAPSULE] = {"capsule", TEXT(capsule_vert_glsl), TEXT(capsule_frag_glsl), false},
        [GPU_SOLID_SHADOW] = {"solid", TEXT(solid_vert_glsl), TEXT(solid_frag_glsl), true},
        [GPU_SPHERE_SHADOW] = {"sphere", TEXT(sphere_vert_glsl), TEXT(sphere_frag_glsl), true},
        [GPU_CAPSULE_SHADOW] = {"capsule", TEXT(capsule_vert_glsl), TEXT(capsule_frag_glsl), true},
        [GPU_GROUND] = {"ground", TEXT(ground_vert_glsl), TEXT(ground_frag_glsl), false},
        [GPU_SKY] = {"sky", TEXT(sky_vert_glsl), TEXT(sky_frag_glsl), false},
        [GPU_CANVAS] = {"canvas", TEXT(canvas_vert_glsl), TEXT(canvas_frag_glsl), false},
    };
    for (int i = 0; i < GPU_PROGRAM_COUNT; i++)
        BASE_TRY(link(&sources[i], &gpu->programs[i], error));
    return CAIRN_OK;
}
