// SPDX-License-Identifier: Apache-2.0
// Files inside the program: shaders and the font; made by embed.py.
#ifndef CAIRN_VIEWER_DRAW_EMBEDDED_H
#define CAIRN_VIEWER_DRAW_EMBEDDED_H

/// Every embedded file, zero-terminated; the size counts without the zero.
#define VIEW_FILE_LIST(X)                                                                          \
    X(common_glsl)                                                                                 \
    X(light_glsl)                                                                                  \
    X(solid_vert_glsl)                                                                             \
    X(solid_frag_glsl)                                                                             \
    X(sphere_vert_glsl)                                                                            \
    X(sphere_frag_glsl)                                                                            \
    X(capsule_vert_glsl)                                                                           \
    X(capsule_frag_glsl)                                                                           \
    X(ground_vert_glsl)                                                                            \
    X(ground_frag_glsl)                                                                            \
    X(sky_vert_glsl)                                                                               \
    X(sky_frag_glsl)                                                                               \
    X(canvas_vert_glsl)                                                                            \
    X(canvas_frag_glsl)                                                                            \
    X(DejaVuSansMono_subset_ttf)

#define VIEW_FILE_DECLARE(name)                                                                    \
    extern const unsigned char view_file_##name[];                                                 \
    extern const int view_file_##name##_size;
VIEW_FILE_LIST(VIEW_FILE_DECLARE)
#undef VIEW_FILE_DECLARE

#endif
