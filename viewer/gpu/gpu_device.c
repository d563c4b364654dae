// SPDX-License-Identifier: Apache-2.0
// Opens and closes the window and its context, and shows or reads pictures.
#include "viewer/gpu/gpu_device.h"

#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- opening

static cairn_status open_video(view_gpu *gpu, const view_gpu_options *options, cairn_error *error)
{
    if (options->hidden)
        SDL_SetHint(SDL_HINT_VIDEODRIVER, "offscreen");
    // signals stay with the command
    SDL_SetHint(SDL_HINT_NO_SIGNAL_HANDLERS, "1");
    if (SDL_InitSubSystem(SDL_INIT_VIDEO) != 0)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "no display: %s", SDL_GetError());
    gpu->video = true;
    // without a display SDL falls back to a driver that shows nothing
    const char *driver = SDL_GetCurrentVideoDriver();
    if (!options->hidden && (strcmp(driver, "offscreen") == 0 || strcmp(driver, "dummy") == 0))
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "no display: a window needs one (cairn render draws into files)");

    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 3);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
    SDL_GL_SetAttribute(SDL_GL_DOUBLEBUFFER, 1);

    Uint32 flags = SDL_WINDOW_OPENGL;
    flags |= options->hidden ? SDL_WINDOW_HIDDEN : SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
    gpu->window = SDL_CreateWindow(options->title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                   options->width, options->height, flags);
    if (gpu->window == NULL)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "no window: %s", SDL_GetError());
    gpu->context = SDL_GL_CreateContext(gpu->window);
    if (gpu->context == NULL)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "no OpenGL 3.3: %s", SDL_GetError());

    // GLEW as Debian builds it reports "no GLX display" under EGL though all
    // functions are there
    glewExperimental = GL_TRUE;
    GLenum code = glewInit();
    bool loaded = glGenFramebuffers != NULL && glVertexAttribDivisor != NULL;
    // glewInit leaves an error behind in core profiles
    while (loaded && glGetError() != GL_NO_ERROR)
        continue;
    if (!(loaded && (code == GLEW_OK || code == GLEW_ERROR_NO_GLX_DISPLAY)))
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "the functions of OpenGL 3.3 are missing");
    return CAIRN_OK;
}

static void describe(view_gpu *gpu)
{
    const char *version = (const char *)glGetString(GL_VERSION);
    const char *renderer = (const char *)glGetString(GL_RENDERER);
    snprintf(gpu->name, sizeof gpu->name, "OpenGL %.80s, %.80s, %s",
             version != NULL ? version : "?", renderer != NULL ? renderer : "?",
             SDL_GetCurrentVideoDriver());
}

static void make_buffers(view_gpu *gpu)
{
    glGenVertexArrays(1, &gpu->array);
    glGenVertexArrays(1, &gpu->canvas_array);
    glGenBuffers(1, &gpu->mesh_buffer);
    glGenBuffers(1, &gpu->instance_buffer);
    glGenBuffers(1, &gpu->canvas_buffer);
    glGenTextures(1, &gpu->atlas);
    glGenTextures(1, &gpu->images);
}

cairn_status view_gpu_open(const base_allocator *allocator, const view_gpu_options *options,
                           view_gpu **gpu, cairn_error *error)
{
    *gpu = base_allocate(allocator, 1, sizeof **gpu);
    if (*gpu == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    (*gpu)->allocator = *allocator;
    cairn_status status = open_video(*gpu, options, error);
    if (status == CAIRN_OK) {
        describe(*gpu);
        make_buffers(*gpu);
        status = gpu_programs_create(*gpu, error);
    }
    if (status == CAIRN_OK)
        status = gpu_meshes_upload(*gpu, NULL);
    if (status != CAIRN_OK) {
        view_gpu_close(*gpu);
        *gpu = NULL;
    }
    return status;
}

void view_gpu_close(view_gpu *gpu)
{
    if (gpu == NULL)
        return;
    if (gpu->array != 0) {
        for (int i = 0; i < GPU_PROGRAM_COUNT; i++)
            glDeleteProgram(gpu->programs[i]);
        gpu_target_finish(&gpu->drawn);
        gpu_target_finish(&gpu->shown);
        glDeleteFramebuffers(1, &gpu->shadow_frame);
        glDeleteTextures(1, &gpu->shadow_map);
        glDeleteTextures(1, &gpu->atlas);
        glDeleteTextures(1, &gpu->images);
        glDeleteBuffers(1, &gpu->mesh_buffer);
        glDeleteBuffers(1, &gpu->instance_buffer);
        glDeleteBuffers(1, &gpu->canvas_buffer);
        glDeleteVertexArrays(1, &gpu->array);
        glDeleteVertexArrays(1, &gpu->canvas_array);
    }
    if (gpu->context != NULL)
        SDL_GL_DeleteContext(gpu->context);
    if (gpu->window != NULL)
        SDL_DestroyWindow(gpu->window);
    if (gpu->video)
        SDL_QuitSubSystem(SDL_INIT_VIDEO);
    base_allocator allocator = gpu->allocator;
    base_release(&allocator, gpu->meshes);
    base_release(&allocator, gpu->vertices);
    base_release(&allocator, gpu);
}

SDL_Window *view_gpu_window(const view_gpu *gpu)
{
    return gpu->window;
}

const char *view_gpu_name(const view_gpu *gpu)
{
    return gpu->name;
}

bool view_gpu_is_software(const view_gpu *gpu)
{
    return strstr(gpu->name, "llvmpipe") != NULL || strstr(gpu->name, "softpipe") != NULL ||
           strstr(gpu->name, "SWR") != NULL;
}

cairn_status view_gpu_set_model(view_gpu *gpu, const view_model *model, cairn_error *error)
{
    cairn_status status = gpu_meshes_upload(gpu, model);
    return status == CAIRN_OK ? status
                              : base_fail(error, status, "the meshes do not fit in memory");
}

// ---------------------------------------------------------------- pictures

cairn_status view_gpu_draw(view_gpu *gpu, const view_picture *picture, cairn_error *error)
{
    int samples = picture->samples > 1 ? 2 : 1;
    BASE_TRY(
        gpu_target_resize(&gpu->drawn, samples * picture->width, samples * picture->height, error));
    BASE_TRY(gpu_target_resize(&gpu->shown, picture->width, picture->height, error));
    if (picture->shadows)
        BASE_TRY(gpu_shadow_resize(gpu, samples > 1 ? 4096 : 1024, error));
    gpu_scene_draw(gpu, picture);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, gpu->drawn.frame);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, gpu->shown.frame);
    // halving with a linear filter takes the mean of four pixels
    glBlitFramebuffer(0, 0, gpu->drawn.width, gpu->drawn.height, 0, 0, gpu->shown.width,
                      gpu->shown.height, GL_COLOR_BUFFER_BIT, GL_LINEAR);
    glBindFramebuffer(GL_FRAMEBUFFER, gpu->shown.frame);
    if (picture->canvas != NULL)
        gpu_canvas_draw(gpu, picture->canvas, picture->width, picture->height);
    return glGetError() == GL_NO_ERROR ? CAIRN_OK
                                       : base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                                                   "OpenGL reports an error (%s)", gpu->name);
}

void view_gpu_present(view_gpu *gpu)
{
    int width = 0, height = 0;
    SDL_GL_GetDrawableSize(gpu->window, &width, &height);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, gpu->shown.frame);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
    glBlitFramebuffer(0, 0, gpu->shown.width, gpu->shown.height, 0, 0, width, height,
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    SDL_GL_SwapWindow(gpu->window);
}

void view_gpu_read(view_gpu *gpu, unsigned char *pixels)
{
    int width = gpu->shown.width, height = gpu->shown.height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, gpu->shown.frame);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    // the GPU counts rows from the bottom
    for (int row = 0; row < height; row++)
        glReadPixels(0, height - 1 - row, width, 1, GL_RGB, GL_UNSIGNED_BYTE,
                     pixels + (size_t)row * (size_t)width * 3);
}
