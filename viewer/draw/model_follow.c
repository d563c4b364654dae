// SPDX-License-Identifier: Apache-2.0
// A copy of a model that keeps up with it, for a window whose world goes on in another thread.
#include "viewer/draw/model.h"

#include <string.h>

/// Copies the items that an array has gained.
static void append(void *to, const void *from, size_t each, int have, int count)
{
    if (count > have)
        memcpy((char *)to + (size_t)have * each, (const char *)from + (size_t)have * each,
               (size_t)(count - have) * each);
}

/// Parts, shapes and regions only become more, but that a shape of one part may become another.
static cairn_status copy_shapes(view_model *copy, const view_model *model)
{
    const base_allocator *allocator = &copy->allocator;
    if (base_array_reserve(allocator, &copy->parts, &copy->part_capacity, model->part_count) !=
            CAIRN_OK ||
        base_array_reserve(allocator, &copy->shapes, &copy->shape_capacity, model->shape_count) !=
            CAIRN_OK ||
        base_array_reserve(allocator, &copy->regions, &copy->region_capacity,
                           model->region_count) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    append(copy->parts, model->parts, sizeof *copy->parts, copy->part_count, model->part_count);
    append(copy->shapes, model->shapes, sizeof *copy->shapes, copy->shape_count,
           model->shape_count);
    append(copy->regions, model->regions, sizeof *copy->regions, copy->region_count,
           model->region_count);
    for (int i = 0; i < copy->shape_count; i++) {
        if (model->shapes[i].made <= copy->version)
            continue;
        copy->shapes[i] = model->shapes[i];
        copy->parts[model->shapes[i].first_part] = model->parts[model->shapes[i].first_part];
    }
    copy->part_count = model->part_count;
    copy->shape_count = model->shape_count;
    copy->region_count = model->region_count;
    return CAIRN_OK;
}

static cairn_status copy_mesh(view_model *copy, const view_mesh *from)
{
    const base_allocator *allocator = &copy->allocator;
    if (base_array_reserve(allocator, &copy->meshes, &copy->mesh_capacity, copy->mesh_count + 1) !=
        CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    view_mesh *mesh = &copy->meshes[copy->mesh_count++];
    size_t bytes = (size_t)from->vertex_count * sizeof *from->positions;
    *mesh = (view_mesh){0};
    if (base_array_reserve(allocator, &mesh->positions, &mesh->position_capacity,
                           from->vertex_count + 1) != CAIRN_OK ||
        base_array_reserve(allocator, &mesh->normals, &mesh->normal_capacity,
                           from->vertex_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    mesh->vertex_count = from->vertex_count;
    if (bytes > 0) {
        memcpy(mesh->positions, from->positions, bytes);
        memcpy(mesh->normals, from->normals, bytes);
    }
    return CAIRN_OK;
}

static cairn_status copy_body(view_model *copy, const view_body *from, int row)
{
    char *name = base_copy_text(&copy->allocator, from->name);
    if (name == NULL)
        return CAIRN_ERROR_MEMORY;
    if (row < copy->body_count)
        base_release(&copy->allocator, copy->bodies[row].name);
    else
        copy->body_count = row + 1;
    copy->bodies[row] = *from;
    copy->bodies[row].name = name;
    return CAIRN_OK;
}

static cairn_status copy_bodies(view_model *copy, const view_model *model)
{
    if (base_array_reserve(&copy->allocator, &copy->bodies, &copy->body_capacity,
                           model->body_count) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < model->body_count; i++)
        if (i >= copy->body_count || model->bodies[i].made > copy->version)
            if (copy_body(copy, &model->bodies[i], i) != CAIRN_OK)
                return CAIRN_ERROR_MEMORY;
    return CAIRN_OK;
}

static cairn_status copy_joints(view_model *copy, const view_model *model)
{
    for (int i = 0; i < copy->joint_count; i++)
        base_release(&copy->allocator, copy->joints[i].name);
    copy->joint_count = 0;
    if (base_array_reserve(&copy->allocator, &copy->joints, &copy->joint_capacity,
                           model->joint_count) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < model->joint_count; i++) {
        view_joint joint = model->joints[i];
        joint.name = base_copy_text(&copy->allocator, joint.name);
        if (joint.name == NULL)
            return CAIRN_ERROR_MEMORY;
        copy->joints[copy->joint_count++] = joint;
    }
    return CAIRN_OK;
}

static cairn_status copy_materials(view_model *copy, const view_model *model)
{
    size_t count = (size_t)model->material_count;
    copy->materials = base_allocate(&copy->allocator, count + 1, sizeof(char *));
    copy->paints = base_allocate(&copy->allocator, count + 1, sizeof *copy->paints);
    copy->frictions = base_allocate(&copy->allocator, count * count + 1, sizeof(double));
    if (copy->materials == NULL || copy->paints == NULL || copy->frictions == NULL)
        return CAIRN_ERROR_MEMORY;
    append(copy->paints, model->paints, sizeof *copy->paints, 0, model->material_count);
    append(copy->frictions, model->frictions, sizeof *copy->frictions, 0,
           model->material_count * model->material_count);
    for (int i = 0; i < model->material_count; i++) {
        copy->materials[i] = base_copy_text(&copy->allocator, model->materials[i]);
        if (copy->materials[i] == NULL)
            return CAIRN_ERROR_MEMORY;
        copy->material_count++;
    }
    return CAIRN_OK;
}

cairn_status view_model_follow(view_model *copy, const view_model *model)
{
    cairn_status status = copy->materials == NULL ? copy_materials(copy, model) : CAIRN_OK;
    if (status != CAIRN_OK || (copy->version == model->version && copy->version > 0))
        return status;
    while (status == CAIRN_OK && copy->mesh_count < model->mesh_count)
        status = copy_mesh(copy, &model->meshes[copy->mesh_count]);
    if (status == CAIRN_OK)
        status = copy_shapes(copy, model);
    if (status == CAIRN_OK)
        status = copy_bodies(copy, model);
    if (status == CAIRN_OK && (copy->joints_made < model->joints_made || copy->version == 0))
        status = copy_joints(copy, model);
    copy->joints_made = model->joints_made;
    copy->typical_size = model->typical_size;
    copy->symbol_size = model->symbol_size;
    copy->has_plane = model->has_plane;
    if (status == CAIRN_OK)
        copy->version = model->version;
    return status;
}
