// SPDX-License-Identifier: Apache-2.0
// Text and panels over the picture.
#include "viewer/gpu/gpu_device.h"

cairn_status view_gpu_set_font(view_gpu *gpu, const view_font *font, cairn_error *error)
{
    int width = 0, height = 0;
    const unsigned char *atlas = view_font_atlas(font, &width, &height);
    glBindTexture(GL_TEXTURE_2D, gpu->atlas);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, width, height, 0, GL_RED, GL_UNSIGNED_BYTE, atlas);
    // pictures and text share the grid of pixels
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return glGetError() == GL_NO_ERROR
               ? CAIRN_OK
               : base_fail(error, CAIRN_ERROR_UNSUPPORTED, "the font does not fit in a texture");
}

void view_gpu_set_image(view_gpu *gpu, int image, const unsigned char *pixels)
{
    glBindTexture(GL_TEXTURE_2D, gpu->images);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    if (!gpu->has_images) {
        glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, VIEW_IMAGE_COLUMNS * VIEW_IMAGE_WIDTH,
                     VIEW_IMAGES_MAX / VIEW_IMAGE_COLUMNS * VIEW_IMAGE_HEIGHT, 0, GL_RGB,
                     GL_UNSIGNED_BYTE, NULL);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
        glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    }
    gpu->has_images = true;
    glTexSubImage2D(GL_TEXTURE_2D, 0, image % VIEW_IMAGE_COLUMNS * VIEW_IMAGE_WIDTH,
                    image / VIEW_IMAGE_COLUMNS * VIEW_IMAGE_HEIGHT, VIEW_IMAGE_WIDTH,
                    VIEW_IMAGE_HEIGHT, GL_RGB, GL_UNSIGNED_BYTE, pixels);
}

void gpu_canvas_draw(view_gpu *gpu, const view_canvas *canvas, int width, int height)
{
    GLuint program = gpu->programs[GPU_CANVAS];
    if (canvas->vertex_count == 0)
        return;
    glViewport(0, 0, width, height);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glUseProgram(program);
    glUniform2f(gpu_uniform(program, "u_size"), (float)width, (float)height);
    glUniform1i(gpu_uniform(program, "u_atlas"), 0);
    glUniform1i(gpu_uniform(program, "u_images"), 1);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, gpu->images);
    glActiveTexture(GL_TEXTURE0);
    glBindTexture(GL_TEXTURE_2D, gpu->atlas);
    glBindVertexArray(gpu->canvas_array);
    glBindBuffer(GL_ARRAY_BUFFER, gpu->canvas_buffer);
    glBufferData(GL_ARRAY_BUFFER,
                 (GLsizeiptr)((size_t)canvas->vertex_count * sizeof *canvas->vertices),
                 canvas->vertices, GL_STREAM_DRAW);

    // set attributes
    GLsizei stride = sizeof(view_flat_vertex);
    for (GLuint i = 0; i < 3; i++)
        glEnableVertexAttribArray(i);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, stride,
                          (const void *)offsetof(view_flat_vertex, position));
    glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, stride,
                          (const void *)offsetof(view_flat_vertex, texture));
    glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, stride,
                          (const void *)offsetof(view_flat_vertex, colour));

    glDrawArrays(GL_TRIANGLES, 0, canvas->vertex_count);
}
