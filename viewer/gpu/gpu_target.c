// SPDX-License-Identifier: Apache-2.0
// Framebuffers: pictures and the shadow map.
#include "viewer/gpu/gpu_device.h"

void gpu_target_finish(gpu_target *target)
{
    glDeleteFramebuffers(1, &target->frame);
    glDeleteTextures(1, &target->colour);
    glDeleteRenderbuffers(1, &target->depth);
    *target = (gpu_target){0};
}

static cairn_status check_frame(cairn_error *error, int width, int height)
{
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "OpenGL cannot draw a picture of %d x %d",
                     width, height);
}

static void set_filter(GLint filter)
{
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

cairn_status gpu_target_resize(gpu_target *target, int width, int height, cairn_error *error)
{
    GLint largest = 0;
    if (target->width == width && target->height == height)
        return CAIRN_OK;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    if (width > largest || height > largest)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED,
                         "a picture of %d x %d is larger than OpenGL's %d", width, height, largest);
    gpu_target_finish(target);
    glGenTextures(1, &target->colour);
    glBindTexture(GL_TEXTURE_2D, target->colour);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    set_filter(GL_LINEAR);
    glGenRenderbuffers(1, &target->depth);
    glBindRenderbuffer(GL_RENDERBUFFER, target->depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
    glGenFramebuffers(1, &target->frame);
    glBindFramebuffer(GL_FRAMEBUFFER, target->frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->colour, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target->depth);
    target->width = width;
    target->height = height;
    return check_frame(error, width, height);
}

cairn_status gpu_shadow_resize(view_gpu *gpu, int size, cairn_error *error)
{
    if (gpu->shadow_size == size)
        return CAIRN_OK;
    glDeleteFramebuffers(1, &gpu->shadow_frame);
    glDeleteTextures(1, &gpu->shadow_map);
    glGenTextures(1, &gpu->shadow_map);
    glBindTexture(GL_TEXTURE_2D, gpu->shadow_map);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, size, size, 0, GL_DEPTH_COMPONENT,
                 GL_FLOAT, NULL);
    set_filter(GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    glGenFramebuffers(1, &gpu->shadow_frame);
    glBindFramebuffer(GL_FRAMEBUFFER, gpu->shadow_frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, gpu->shadow_map, 0);
    glDrawBuffer(GL_NONE);
    glReadBuffer(GL_NONE);
    gpu->shadow_size = size;
    return check_frame(error, size, size);
}
