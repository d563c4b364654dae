// SPDX-License-Identifier: Apache-2.0
// The passes of a picture: shadow, sky, ground, solids, glass, symbols.
#include "viewer/gpu/gpu_device.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/// Numbers that all passes of one picture share; positions from the list's origin.
typedef struct gpu_pass {
    view_gpu *gpu;
    const view_picture *picture;
    view_matrix matrix;        // of the pass
    float eye[4];              // position and 1, or direction and 0
    view_matrix shadow_matrix; // world to the light
    float light[3];            // unit, towards the sun
    float texel[2];            // of the shadow map: part of the map, m
    bool shadow;               // the pass that fills the shadow map
    float alpha, unlit;
    double extent; // m, radius of what is looked at
} gpu_pass;

// ---------------------------------------------------------------- instances

typedef struct instance_offset {
    size_t solids, glass, symbols; // bytes
} instance_offset;

static size_t batch_bytes(const view_batch *batch)
{
    return (size_t)batch->count * sizeof(view_instance);
}

static size_t total_bytes(const view_draw_list *list)
{
    size_t total = (size_t)list->glass_count * sizeof(view_instance);
    for (int i = 0; i < list->batch_count; i++)
        total += batch_bytes(&list->solids[i]);
    for (int i = 0; i < VIEW_MESH; i++)
        total += batch_bytes(&list->symbols[i]);
    return total;
}

static void upload_batch(const view_batch *batch, size_t *at)
{
    if (batch->count > 0)
        glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)*at, (GLsizeiptr)batch_bytes(batch),
                        batch->items);
    *at += batch_bytes(batch);
}

/// All instances of the list in one buffer: solids, glass, symbols.
static instance_offset upload(view_gpu *gpu, const view_draw_list *list)
{
    instance_offset offset = {0};
    size_t at = 0;
    glBindBuffer(GL_ARRAY_BUFFER, gpu->instance_buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)total_bytes(list), NULL, GL_STREAM_DRAW);
    for (int i = 0; i < list->batch_count; i++)
        upload_batch(&list->solids[i], &at);
    offset.glass = at;
    for (int i = 0; i < list->glass_count; i++, at += sizeof(view_instance))
        glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)at, sizeof(view_instance),
                        &list->glass[i].instance);
    offset.symbols = at;
    for (int i = 0; i < VIEW_MESH; i++)
        upload_batch(&list->symbols[i], &at);
    return offset;
}

static void point_attribute(GLuint index, GLint size, GLenum type, size_t at)
{
    glEnableVertexAttribArray(index);
    glVertexAttribPointer(index, size, type, type == GL_UNSIGNED_BYTE, sizeof(view_instance),
                          (const void *)at);
    glVertexAttribDivisor(index, 1);
}

static void point_instances(view_gpu *gpu, size_t at)
{
    glBindVertexArray(gpu->array);
    glBindBuffer(GL_ARRAY_BUFFER, gpu->mesh_buffer);
    for (GLuint i = 0; i < 2; i++) {
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, 3, GL_FLOAT, GL_FALSE, sizeof *gpu->vertices,
                              (const void *)(i * 3 * sizeof(float)));
    }
    glBindBuffer(GL_ARRAY_BUFFER, gpu->instance_buffer);
    point_attribute(2, 3, GL_FLOAT, at + offsetof(view_instance, position));
    point_attribute(3, 4, GL_FLOAT, at + offsetof(view_instance, orientation));
    point_attribute(4, 3, GL_FLOAT, at + offsetof(view_instance, size));
    point_attribute(5, 4, GL_UNSIGNED_BYTE, at + offsetof(view_instance, colour));
}

// ---------------------------------------------------------------- programs

static GLuint use(const gpu_pass *pass, gpu_program plain)
{
    gpu_program chosen =
        pass->shadow ? (gpu_program)(plain + (GPU_SOLID_SHADOW - GPU_SOLID)) : plain;
    GLuint program = pass->gpu->programs[chosen];
    glUseProgram(program);

    // set uniforms
    glUniformMatrix4fv(gpu_uniform(program, "u_view_projection"), 1, GL_FALSE, pass->matrix.m);
    glUniform4fv(gpu_uniform(program, "u_eye"), 1, pass->eye);
    glUniform3fv(gpu_uniform(program, "u_light"), 1, pass->light);
    glUniformMatrix4fv(gpu_uniform(program, "u_shadow_matrix"), 1, GL_FALSE, pass->shadow_matrix.m);
    glUniform1i(gpu_uniform(program, "u_shadow"), 1);
    glUniform2fv(gpu_uniform(program, "u_texel"), 1, pass->texel);
    glUniform1i(gpu_uniform(program, "u_taps"), pass->picture->shadow_taps);
    glUniform1f(gpu_uniform(program, "u_alpha"), pass->alpha);
    glUniform1f(gpu_uniform(program, "u_unlit"), pass->unlit);

    return program;
}

static int mesh_of(const gpu_pass *pass, int primitive)
{
    // few corners do for the shafts of arrows
    int cylinder = pass->unlit > 0.0F ? GPU_MESH_SHAFT : GPU_MESH_CYLINDER;
    return primitive == VIEW_BOX        ? GPU_MESH_BOX
           : primitive == VIEW_CYLINDER ? cylinder
           : primitive == VIEW_CONE     ? GPU_MESH_CONE
                                        : GPU_MESH_FIXED + primitive - VIEW_MESH;
}

static void draw_range(const gpu_pass *pass, int mesh, int count)
{
    gpu_range range = pass->gpu->meshes[mesh];
    glDrawArraysInstanced(GL_TRIANGLES, range.first, range.count, count);
}

/// Instances of one primitive from a place in the instance buffer.
/// @param inside  draw the far sides of meshes
static void draw_instances(const gpu_pass *pass, int primitive, size_t at, int count, bool inside)
{
    if (count == 0 || primitive == VIEW_PLANE)
        return;
    point_instances(pass->gpu, at);
    if (primitive == VIEW_SPHERE) {
        use(pass, GPU_SPHERE);
        glDisable(GL_CULL_FACE);
        glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, count);
        return;
    }
    glEnable(GL_CULL_FACE);
    if (primitive == VIEW_CAPSULE) {
        use(pass, GPU_CAPSULE);
        glCullFace(GL_FRONT);
        draw_range(pass, GPU_MESH_BOX, count);
        return;
    }
    GLuint program = use(pass, GPU_SOLID);
    glUniform1f(gpu_uniform(program, "u_bevel"), primitive == VIEW_BOX ? 1.0F : 0.0F);
    // open meshes show both sides
    if (primitive >= VIEW_MESH)
        glDisable(GL_CULL_FACE);
    glCullFace(inside ? GL_FRONT : GL_BACK);
    draw_range(pass, mesh_of(pass, primitive), count);
}

static void draw_solids(const gpu_pass *pass, size_t at)
{
    const view_draw_list *list = pass->picture->list;
    for (int i = 0; i < list->batch_count; i++) {
        draw_instances(pass, i, at, list->solids[i].count, false);
        at += batch_bytes(&list->solids[i]);
    }
}

static void draw_symbols(const gpu_pass *pass, size_t at)
{
    const view_draw_list *list = pass->picture->list;
    for (int i = 0; i < VIEW_MESH; i++) {
        draw_instances(pass, i, at, list->symbols[i].count, false);
        at += batch_bytes(&list->symbols[i]);
    }
}

// ---------------------------------------------------------------- shadow

static void store(float out[3], vec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

/// The light looks along -sun at a ball around everything.
static void aim_light(gpu_pass *pass)
{
    const view_draw_list *list = pass->picture->list;
    double radius = 0.55 * vec3_norm(vec3_sub(list->maximum, list->minimum)) + 1e-9;
    vec3 towards = pass->picture->sun;
    float eye[3], forward[3], up[3] = {0, 0, 1};
    store(eye, vec3_scale(2.0 * radius, towards));
    store(forward, vec3_negate(towards));
    store(pass->light, towards);
    pass->shadow_matrix = view_matrix_parallel(eye, forward, up, (float)radius, (float)radius, 0.0F,
                                               (float)(6.0 * radius));
    pass->texel[0] = pass->picture->shadows ? 1.0F / (float)pass->gpu->shadow_size : 0.0F;
    pass->texel[1] = 2.0F * (float)radius * pass->texel[0];
}

static void draw_shadow(const gpu_pass *pass, size_t solids)
{
    gpu_pass shadow = *pass;
    shadow.shadow = true;
    shadow.matrix = pass->shadow_matrix;
    memcpy(shadow.eye, pass->light, sizeof pass->light);
    shadow.eye[3] = 0.0F;
    glBindFramebuffer(GL_FRAMEBUFFER, pass->gpu->shadow_frame);
    glViewport(0, 0, pass->gpu->shadow_size, pass->gpu->shadow_size);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glDisable(GL_BLEND);
    glClear(GL_DEPTH_BUFFER_BIT);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5F, 2.0F);
    draw_solids(&shadow, solids);
    glDisable(GL_POLYGON_OFFSET_FILL);
}

// ---------------------------------------------------------------- sky and ground

static void draw_sky(const gpu_pass *pass)
{
    GLuint program = pass->gpu->programs[GPU_SKY];
    view_matrix inverse = view_matrix_inverse(&pass->matrix);
    glUseProgram(program);
    glUniformMatrix4fv(gpu_uniform(program, "u_inverse"), 1, GL_FALSE, inverse.m);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    glBindVertexArray(pass->gpu->array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

typedef struct gpu_plane {
    vec3 origin; // m, from the list's origin
    quat orientation;
    float colour[3], alpha;
} gpu_plane;

static void draw_plane(const gpu_pass *pass, const gpu_plane *plane)
{
    GLuint program = use(pass, GPU_GROUND);
    // A tenth of what is looked at, as a power of ten
    float origin[3], spacing = (float)pow(10.0, floor(log10(0.4 * pass->extent)));
    quat q = plane->orientation;
    // the square lies around what the eye looks at, wherever the bodies have gone
    const view_picture *picture = pass->picture;
    vec3 target = vec3_sub(picture->camera->target, picture->list->origin);
    vec3 middle = quat_rotate_inverse(q, vec3_sub(target, plane->origin));
    double reach = fmax(pass->extent, 0.3 * picture->camera->distance);
    store(origin, plane->origin);
    glUniform3fv(gpu_uniform(program, "u_origin"), 1, origin);
    glUniform4f(gpu_uniform(program, "u_orientation"), (float)q.x, (float)q.y, (float)q.z,
                (float)q.w);
    glUniform2f(gpu_uniform(program, "u_middle"), (float)middle.x, (float)middle.y);
    glUniform1f(gpu_uniform(program, "u_extent"), (float)(12.0 * reach));
    glUniform1f(gpu_uniform(program, "u_spacing"), spacing);
    glUniform1f(gpu_uniform(program, "u_grid"), pass->picture->grid ? 1.0F : 0.0F);
    glUniform3fv(gpu_uniform(program, "u_colour"), 1, plane->colour);
    glUniform1f(gpu_uniform(program, "u_alpha"), plane->alpha);
    glBindVertexArray(pass->gpu->array);
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/// Whether the eye is behind a plane.
static bool is_behind(const gpu_pass *pass, const gpu_plane *plane)
{
    vec3 eye = {pass->eye[0], pass->eye[1], pass->eye[2]};
    vec3 to_eye = vec3_add_scaled(eye, -(double)pass->eye[3], plane->origin);
    return vec3_dot(to_eye, quat_rotate(plane->orientation, vec3_make(0.0, 0.0, 1.0))) < 0.0;
}

/// Planes that the eye is before; then, with `behind`, the others: those are seen through and hide
/// nothing, so they come after the glass and leave no depth.
static void draw_ground(const gpu_pass *pass, bool behind)
{
    const view_draw_list *list = pass->picture->list;
    const view_batch *planes = &list->solids[VIEW_PLANE];
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glDisable(GL_CULL_FACE);
    glEnable(GL_BLEND);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glDepthMask(behind ? GL_FALSE : GL_TRUE);
    for (int i = 0; i < planes->count; i++) {
        const float *p = planes->items[i].position, *q = planes->items[i].orientation;
        view_colour c = planes->items[i].colour;
        gpu_plane plane = {{p[0], p[1], p[2]},
                           {q[3], q[0], q[1], q[2]},
                           {(float)c.r / 255.0F, (float)c.g / 255.0F, (float)c.b / 255.0F},
                           (float)c.a / 255.0F};
        // one that is seen through hides nothing either
        if ((is_behind(pass, &plane) || c.a < 255) == behind)
            draw_plane(pass, &plane);
    }
    if (list->has_floor) {
        gpu_plane floor = {{0.0, 0.0, list->floor_level - list->origin.z - 1e-3 * pass->extent},
                           {1.0, 0.0, 0.0, 0.0},
                           {0.80F, 0.81F, 0.82F},
                           0.85F};
        if (is_behind(pass, &floor) == behind)
            draw_plane(pass, &floor);
    }
    glDepthMask(GL_TRUE);
}

// ---------------------------------------------------------------- glass and symbols

static void draw_glass(gpu_pass *pass, size_t at)
{
    const view_draw_list *list = pass->picture->list;
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    for (int i = 0; i < list->glass_count; i++, at += sizeof(view_instance)) {
        int primitive = list->glass[i].primitive;
        if (primitive == VIEW_BOX || primitive == VIEW_CYLINDER)
            draw_instances(pass, primitive, at, 1, true);
        draw_instances(pass, primitive, at, 1, false);
    }
    glDepthMask(GL_TRUE);
}

/// Visible parts in full; then what bodies hide, faintly.
static void draw_marks(gpu_pass *pass, size_t at)
{
    glEnable(GL_BLEND);
    pass->unlit = 0.6F;
    glDepthFunc(GL_GREATER);
    glDepthMask(GL_FALSE);
    pass->alpha = 0.45F;
    draw_symbols(pass, at);
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_TRUE);
    pass->alpha = 1.0F;
    draw_symbols(pass, at);
    pass->unlit = 0.0F;
}

// ---------------------------------------------------------------- the picture

static void aim_camera(gpu_pass *pass)
{
    const view_picture *picture = pass->picture;
    const view_draw_list *list = picture->list;
    view_axes axes = view_camera_axes(picture->camera);
    double aspect = (double)picture->width / picture->height;
    double reach = 16.0 * fmax(pass->extent, 0.3 * picture->camera->distance) +
                   vec3_distance(picture->camera->target, list->origin);
    pass->matrix = view_camera_matrix(picture->camera, list->origin, reach, aspect);
    store(pass->eye,
          picture->camera->parallel ? vec3_negate(axes.forward) : vec3_sub(axes.eye, list->origin));
    pass->eye[3] = picture->camera->parallel ? 0.0F : 1.0F;
}

void gpu_scene_draw(view_gpu *gpu, const view_picture *picture)
{
    const view_draw_list *list = picture->list;
    gpu_pass pass = {.gpu = gpu, .picture = picture, .alpha = 1.0F};
    pass.extent = fmax(0.5 * vec3_norm(vec3_sub(list->maximum, list->minimum)), 1e-6);
    instance_offset offset = upload(gpu, list);
    aim_light(&pass);
    aim_camera(&pass);
    glActiveTexture(GL_TEXTURE1);
    glBindTexture(GL_TEXTURE_2D, 0);
    if (picture->shadows)
        draw_shadow(&pass, offset.solids);
    glBindTexture(GL_TEXTURE_2D, gpu->shadow_map);
    glActiveTexture(GL_TEXTURE0);
    glBindFramebuffer(GL_FRAMEBUFFER, gpu->drawn.frame);
    glViewport(0, 0, gpu->drawn.width, gpu->drawn.height);
    glDepthMask(GL_TRUE);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    draw_sky(&pass);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    draw_solids(&pass, offset.solids);
    draw_ground(&pass, false);
    draw_glass(&pass, offset.glass);
    draw_ground(&pass, true);
    draw_marks(&pass, offset.symbols);
}
