// SPDX-License-Identifier: Apache-2.0
// Writes what bodies look like as names and arrays.
#include "cli/export/export_describe.h"

#include "base/assert.h"

void export_array_begin(export_arrays *arrays, const char *name, const char *type, size_t count)
{
    cli_json_object(arrays->json, NULL);
    cli_json_text(arrays->json, "name", name);
    cli_json_text(arrays->json, "type", type);
    cli_json_integer(arrays->json, "first", (int64_t)(arrays->bytes.size / 4));
    cli_json_integer(arrays->json, "count", (int64_t)count);
    cli_json_object_end(arrays->json);
}

void export_array_real(export_arrays *arrays, double number)
{
    float real = (float)number;
    export_put(&arrays->bytes, &real, sizeof real);
}

static void put_whole(export_arrays *arrays, size_t number)
{
    uint32_t whole = (uint32_t)number;
    export_put(&arrays->bytes, &whole, sizeof whole);
}

static void put_meshes(export_arrays *arrays, const export_model *model)
{
    size_t own = (size_t)model->mesh_count - EXPORT_MESH;
    export_array_begin(arrays, "mesh_counts", "u32", 3 * own);
    for (int i = EXPORT_MESH; i < model->mesh_count; i++) {
        put_whole(arrays, (size_t)model->meshes[i].point_count);
        put_whole(arrays, (size_t)model->meshes[i].triangle_count);
        put_whole(arrays, model->meshes[i].normals != NULL);
    }
    for (int i = EXPORT_MESH; i < model->mesh_count; i++) {
        const export_mesh *mesh = &model->meshes[i];
        size_t points = (size_t)mesh->point_count, triangles = (size_t)mesh->triangle_count;
        export_array_begin(arrays, "points", "f32", 3 * points);
        export_put(&arrays->bytes, mesh->points, points * sizeof *mesh->points);
        export_array_begin(arrays, "normals", "f32", mesh->normals != NULL ? 3 * points : 0);
        if (mesh->normals != NULL)
            export_put(&arrays->bytes, mesh->normals, points * sizeof *mesh->normals);
        export_array_begin(arrays, "triangles", "u32", 3 * triangles);
        export_put(&arrays->bytes, mesh->triangles, triangles * sizeof *mesh->triangles);
    }
}

static void put_shapes(export_arrays *arrays, const export_model *model)
{
    export_array_begin(arrays, "parts", "f32", 11 * (size_t)model->part_count);
    for (int i = 0; i < model->part_count; i++) {
        const export_part *part = &model->parts[i];
        const double row[11] = {part->mesh,
                                part->placement.position.x,
                                part->placement.position.y,
                                part->placement.position.z,
                                part->placement.orientation.w,
                                part->placement.orientation.x,
                                part->placement.orientation.y,
                                part->placement.orientation.z,
                                part->scale[0],
                                part->scale[1],
                                part->scale[2]};
        for (int k = 0; k < BASE_COUNT(row); k++)
            export_array_real(arrays, row[k]);
    }
    export_array_begin(arrays, "shape_parts", "u32", 3 * (size_t)model->shape_count);
    for (int i = 0; i < model->shape_count; i++) {
        put_whole(arrays, (size_t)model->shapes[i].first_part);
        put_whole(arrays, (size_t)model->shapes[i].part_count);
        put_whole(arrays, model->shapes[i].turns);
    }
    export_array_begin(arrays, "shape_radius", "f32", (size_t)model->shape_count);
    for (int i = 0; i < model->shape_count; i++)
        export_array_real(arrays, model->shapes[i].radius);
}

static void put_bodies(export_arrays *arrays, const export_model *model)
{
    export_array_begin(arrays, "bodies", "u32", 3 * (size_t)model->body_count);
    for (int i = 0; i < model->body_count; i++) {
        put_whole(arrays, (size_t)model->bodies[i].shape);
        put_whole(arrays, (size_t)model->bodies[i].material);
        put_whole(arrays, (size_t)model->bodies[i].kind);
    }
    export_array_begin(arrays, "body_reals", "f32", 4 * (size_t)model->body_count);
    for (int i = 0; i < model->body_count; i++) {
        export_array_real(arrays, model->bodies[i].mass);
        export_array_real(arrays, model->bodies[i].centre.x);
        export_array_real(arrays, model->bodies[i].centre.y);
        export_array_real(arrays, model->bodies[i].centre.z);
    }
}

static void put_names(cli_json *json, const export_model *model)
{
    cli_json_list(json, "names");
    for (int i = 0; i < model->body_count; i++) {
        if (model->bodies[i].name[0] == '\0')
            continue;
        cli_json_object(json, NULL);
        cli_json_integer(json, "body", i);
        cli_json_text(json, "name", model->bodies[i].name);
        cli_json_object_end(json);
    }
    cli_json_list_end(json);
}

void export_describe(export_arrays *arrays, const export_model *model, const cairn_world *world)
{
    cli_json *json = arrays->json;
    cli_json_list(json, "surfaces");
#define PUT_SURFACE(constant, name) cli_json_text(json, NULL, #name);
    EXPORT_SURFACES(PUT_SURFACE)
#undef PUT_SURFACE
    cli_json_list_end(json);
    cli_json_list(json, "materials");
    for (int i = 0; i < cairn_material_count(world); i++)
        cli_json_text(json, NULL, cairn_material_get_name(world, cairn_material_at(world, i)));
    cli_json_list_end(json);
    put_names(json, model);
    cli_json_list(json, "arrays");
    put_meshes(arrays, model);
    put_shapes(arrays, model);
    put_bodies(arrays, model);
    cli_json_list_end(json);
}
