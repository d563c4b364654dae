// SPDX-License-Identifier: Apache-2.0
// A run as an animated scene of glTF 2.0 in one binary file (.glb): a node a body, meshes that
// equal shapes share, a channel for each thing that moves.
#include "base/assert.h"
#include "cli/export/export.h"
#include "cli/export/export_tracks.h"
#include "cli/text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLOURS = 8, GREY = COLOURS, CLEAR, MATERIALS };

// lengths are of 32 bits in such a file
static const double bytes_most = 4e9;

// a body that does not move and is this many times as large as the others is clear, since it holds
// them
static const double holds_factor = 3.0;

/// sRGB, as in cairn view; then what does not move, and what holds the others.
static const unsigned char colours[MATERIALS][4] = {
    {225, 112, 85, 255},  {86, 140, 196, 255},  {236, 180, 92, 255}, {98, 168, 132, 255},
    {176, 122, 178, 255}, {229, 146, 146, 255}, {92, 176, 188, 255}, {196, 168, 130, 255},
    {124, 130, 138, 255}, {124, 130, 138, 64},
};

typedef enum gltf_target {
    GLTF_ANIMATION = 0,
    GLTF_VERTICES = 34962,
    GLTF_INDICES = 34963
} gltf_target;

/// A list of numbers: a view of the buffer and an accessor, both of the item's own number.
typedef struct gltf_item {
    const void *data; // [count][width] float, or uint32_t for indices
    size_t count;
    int width;
    gltf_target target;
    bool bounded; // smallest and largest are told
} gltf_item;

/// A mesh of the file: a surface in a colour.
typedef struct gltf_mesh {
    int mesh, material;
} gltf_mesh;

typedef struct gltf_file {
    const export_job *job;
    export_paths paths;
    export_mesh units[EXPORT_MESH]; // surfaces of unit size that are used
    double typical;                 // m, radius
    gltf_item *items;               // [item_count]
    int item_count, item_capacity;
    int *first_item;   // [mesh_count of the model] of a surface: points, normals if any, triangles
    gltf_mesh *meshes; // [mesh_count]
    int mesh_count, mesh_capacity;
    int (*mesh_of)[MATERIALS]; // [mesh_count of the model] number in the file; -1: none
} gltf_file;

// ---------------------------------------------------------------- lists of numbers

static cairn_status add_item(gltf_file *file, const gltf_item *item)
{
    cairn_status status = base_array_reserve(&file->job->model->allocator, &file->items,
                                             &file->item_capacity, file->item_count + 1);
    if (status == CAIRN_OK)
        file->items[file->item_count++] = *item;
    return status;
}

static const export_mesh *mesh_at(const gltf_file *file, int mesh)
{
    return mesh < EXPORT_MESH ? &file->units[mesh] : &file->job->model->meshes[mesh];
}

static cairn_status add_mesh_items(gltf_file *file, int index)
{
    if (index < EXPORT_MESH) {
        file->units[index].surface = (export_surface)index;
        if (export_mesh_fill(&file->job->model->allocator, &file->units[index]) != CAIRN_OK)
            return CAIRN_ERROR_MEMORY;
    }
    const export_mesh *mesh = mesh_at(file, index);
    size_t points = (size_t)mesh->point_count, corners = 3 * (size_t)mesh->triangle_count;
    file->first_item[index] = file->item_count;
    cairn_status status =
        add_item(file, &(gltf_item){mesh->points, points, 3, GLTF_VERTICES, true});
    if (status == CAIRN_OK && mesh->normals != NULL)
        status = add_item(file, &(gltf_item){mesh->normals, points, 3, GLTF_VERTICES, false});
    if (status == CAIRN_OK)
        status = add_item(file, &(gltf_item){mesh->triangles, corners, 1, GLTF_INDICES, false});
    return status;
}

/// Of each body positions, orientations and sizes, as far as they change.
static cairn_status add_path_items(gltf_file *file, const export_path *path)
{
    size_t frames = (size_t)file->job->frame_count;
    cairn_status status = CAIRN_OK;
    if (path->moves)
        status = add_item(file, &(gltf_item){path->position, frames, 3, GLTF_ANIMATION, false});
    if (status == CAIRN_OK && path->turns)
        status = add_item(file, &(gltf_item){path->turn, frames, 4, GLTF_ANIMATION, false});
    if (status == CAIRN_OK && path->comes)
        status = add_item(file, &(gltf_item){path->size, frames, 3, GLTF_ANIMATION, false});
    return status;
}

static void put_numbers(cli_json *json, const char *key, const double *numbers, int count)
{
    cli_json_list(json, key);
    for (int i = 0; i < count; i++)
        cli_json_number(json, NULL, numbers[i]);
    cli_json_list_end(json);
}

static void put_bounds(cli_json *json, const gltf_item *item)
{
    const float *data = item->data;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (size_t i = 0; i < item->count; i++)
        for (int axis = 0; axis < item->width; axis++) {
            double number = (double)data[i * (size_t)item->width + (size_t)axis];
            low[axis] = fmin(low[axis], number);
            high[axis] = fmax(high[axis], number);
        }
    put_numbers(json, "min", low, item->width);
    put_numbers(json, "max", high, item->width);
}

static void put_accessors(cli_json *json, const gltf_file *file)
{
    enum { FLOAT = 5126, UNSIGNED = 5125 };
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    cli_json_list(json, "accessors");
    for (int i = 0; i < file->item_count; i++) {
        const gltf_item *item = &file->items[i];
        cli_json_object(json, NULL);
        cli_json_integer(json, "bufferView", i);
        cli_json_integer(json, "componentType", item->target == GLTF_INDICES ? UNSIGNED : FLOAT);
        cli_json_integer(json, "count", (int64_t)item->count);
        cli_json_text(json, "type", types[item->width]);
        if (item->bounded)
            put_bounds(json, item);
        cli_json_object_end(json);
    }
    cli_json_list_end(json);
}

static size_t size_of(const gltf_item *item)
{
    return 4 * item->count * (size_t)item->width;
}

/// @return bytes of the buffer
static size_t put_views(cli_json *json, const gltf_file *file)
{
    size_t at = 0;
    cli_json_list(json, "bufferViews");
    for (int i = 0; i < file->item_count; at += size_of(&file->items[i++])) {
        cli_json_object(json, NULL);
        cli_json_integer(json, "buffer", 0);
        cli_json_integer(json, "byteOffset", (int64_t)at);
        cli_json_integer(json, "byteLength", (int64_t)size_of(&file->items[i]));
        if (file->items[i].target != GLTF_ANIMATION)
            cli_json_integer(json, "target", (int64_t)file->items[i].target);
        cli_json_object_end(json);
    }
    cli_json_list_end(json);
    cli_json_list(json, "buffers");
    cli_json_object(json, NULL);
    cli_json_integer(json, "byteLength", (int64_t)at);
    cli_json_object_end(json);
    cli_json_list_end(json);
    return at;
}

// ---------------------------------------------------------------- meshes and materials

static int material_of(const gltf_file *file, int body)
{
    const export_model *model = file->job->model;
    const export_shape *shape = &model->shapes[model->bodies[body].shape];
    if (model->bodies[body].kind == CAIRN_DYNAMIC)
        return body % COLOURS;
    bool holds = model->parts[shape->first_part].mesh == EXPORT_MESH || shape->part_count > 1;
    return holds && shape->radius > holds_factor * file->typical ? CLEAR : GREY;
}

static cairn_status add_mesh(gltf_file *file, int mesh, int material)
{
    const base_allocator *allocator = &file->job->model->allocator;
    if (file->mesh_of[mesh][material] >= 0)
        return CAIRN_OK;
    if (base_array_reserve(allocator, &file->meshes, &file->mesh_capacity, file->mesh_count + 1) !=
        CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    file->mesh_of[mesh][material] = file->mesh_count;
    file->meshes[file->mesh_count++] = (gltf_mesh){mesh, material};
    return file->first_item[mesh] < 0 ? add_mesh_items(file, mesh) : CAIRN_OK;
}

/// Surfaces of the bodies that are in a frame, then the times, then what moves.
static cairn_status add_items(gltf_file *file)
{
    const export_model *model = file->job->model;
    size_t meshes = (size_t)model->mesh_count;
    file->first_item = base_allocate(&model->allocator, meshes, sizeof *file->first_item);
    file->mesh_of = base_allocate(&model->allocator, meshes, sizeof *file->mesh_of);
    if (file->first_item == NULL || file->mesh_of == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(file->first_item, 0xff, meshes * sizeof *file->first_item);
    memset(file->mesh_of, 0xff, meshes * sizeof *file->mesh_of);
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < model->body_count && status == CAIRN_OK; i++) {
        const export_shape *shape = &model->shapes[model->bodies[i].shape];
        for (int k = 0; k < shape->part_count && status == CAIRN_OK && file->paths.of[i].seen; k++)
            status = add_mesh(file, model->parts[shape->first_part + k].mesh, material_of(file, i));
    }
    if (status == CAIRN_OK)
        status = add_item(file, &(gltf_item){file->paths.times, (size_t)file->job->frame_count, 1,
                                             GLTF_ANIMATION, true});
    for (int i = 0; i < model->body_count && status == CAIRN_OK; i++)
        status = add_path_items(file, &file->paths.of[i]);
    return status;
}

static int item_of_times(const gltf_file *file)
{
    int item = 0;
    while (file->items[item].data != file->paths.times)
        item++;
    return item;
}

static double linear(unsigned char part)
{
    double s = part / 255.0;
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

static void put_materials(cli_json *json)
{
    cli_json_list(json, "materials");
    for (int m = 0; m < MATERIALS; m++) {
        const double colour[4] = {linear(colours[m][0]), linear(colours[m][1]),
                                  linear(colours[m][2]), colours[m][3] / 255.0};
        cli_json_object(json, NULL);
        cli_json_object(json, "pbrMetallicRoughness");
        put_numbers(json, "baseColorFactor", colour, 4);
        cli_json_number(json, "metallicFactor", 0.0);
        cli_json_number(json, "roughnessFactor", 0.6);
        cli_json_object_end(json);
        if (colours[m][3] < 255)
            cli_json_text(json, "alphaMode", "BLEND");
        // what does not move may be a surface of two sides
        cli_json_boolean(json, "doubleSided", m >= COLOURS);
        cli_json_object_end(json);
    }
    cli_json_list_end(json);
}

/// A surface without normals is flat, which readers see to.
static void put_meshes(cli_json *json, const gltf_file *file)
{
    cli_json_list(json, "meshes");
    for (int i = 0; i < file->mesh_count; i++) {
        int first = file->first_item[file->meshes[i].mesh];
        bool smooth = mesh_at(file, file->meshes[i].mesh)->normals != NULL;
        cli_json_object(json, NULL);
        cli_json_list(json, "primitives");
        cli_json_object(json, NULL);
        cli_json_object(json, "attributes");
        cli_json_integer(json, "POSITION", first);
        if (smooth)
            cli_json_integer(json, "NORMAL", first + 1);
        cli_json_object_end(json);
        cli_json_integer(json, "indices", first + (smooth ? 2 : 1));
        cli_json_integer(json, "material", file->meshes[i].material);
        cli_json_object_end(json);
        cli_json_list_end(json);
        cli_json_object_end(json);
    }
    cli_json_list_end(json);
}

// ---------------------------------------------------------------- nodes

// Node 0 turns z upwards, where glTF has y. Its children are the bodies that are in a frame, whose
// children are the parts.

static void put_placement(cli_json *json, const pose *placement)
{
    const double position[3] = {placement->position.x, placement->position.y,
                                placement->position.z};
    quat q = quat_normalize(placement->orientation);
    const double turn[4] = {q.x, q.y, q.z, q.w};
    put_numbers(json, "translation", position, 3);
    put_numbers(json, "rotation", turn, 4);
}

/// A half-space is a square below what moves.
static void put_part(cli_json *json, const gltf_file *file, int body, const export_part *part)
{
    pose placement = part->placement;
    double scale[3] = {part->scale[0], part->scale[1], part->scale[2]};
    if (part->mesh == EXPORT_PLANE) {
        pose whole = pose_compose(&file->paths.of[body].first, &placement);
        vec3 below = pose_apply_inverse(&whole, file->paths.middle);
        below.z = 0.0;
        placement.position = pose_apply(&placement, below);
        scale[0] = scale[1] = 1.5 * file->paths.extent;
    }
    cli_json_object(json, NULL);
    cli_json_integer(json, "mesh", file->mesh_of[part->mesh][material_of(file, body)]);
    put_placement(json, &placement);
    put_numbers(json, "scale", scale, 3);
    cli_json_object_end(json);
}

static const export_shape *shape_of(const gltf_file *file, int body)
{
    return &file->job->model->shapes[file->job->model->bodies[body].shape];
}

static void put_root(cli_json *json, const gltf_file *file)
{
    const double turn[4] = {-M_SQRT1_2, 0.0, 0.0, M_SQRT1_2};
    int node = 1;
    cli_json_object(json, NULL);
    cli_json_text(json, "name", file->job->subject->scene->name);
    put_numbers(json, "rotation", turn, 4);
    cli_json_list(json, "children");
    for (int i = 0; i < file->job->model->body_count; i++)
        if (file->paths.of[i].seen)
            cli_json_integer(json, NULL, node++);
    cli_json_list_end(json);
    cli_json_object_end(json);
}

static void put_nodes(cli_json *json, const gltf_file *file, int seen)
{
    const export_model *model = file->job->model;
    int part = 1 + seen;
    cli_json_list(json, "nodes");
    put_root(json, file);
    for (int i = 0; i < model->body_count; i++) {
        if (!file->paths.of[i].seen)
            continue;
        char number[32];
        snprintf(number, sizeof number, "body %d", i);
        cli_json_object(json, NULL);
        cli_json_text(json, "name",
                      model->bodies[i].name[0] != '\0' ? model->bodies[i].name : number);
        put_placement(json, &file->paths.of[i].first);
        cli_json_list(json, "children");
        for (int k = 0; k < shape_of(file, i)->part_count; k++)
            cli_json_integer(json, NULL, part++);
        cli_json_list_end(json);
        cli_json_object_end(json);
    }
    for (int i = 0; i < model->body_count; i++)
        for (int k = 0; k < shape_of(file, i)->part_count && file->paths.of[i].seen; k++)
            put_part(json, file, i, &model->parts[shape_of(file, i)->first_part + k]);
    cli_json_list_end(json);
}

// ---------------------------------------------------------------- animation

/// What of a body changes, in the order of its items.
typedef struct gltf_change {
    const char *path, *interpolation;
    bool (*there)(const export_path *path);
} gltf_change;

static bool moves(const export_path *path)
{
    return path->moves;
}

static bool turns(const export_path *path)
{
    return path->turns;
}

static bool comes(const export_path *path)
{
    return path->comes;
}

static const gltf_change changes[] = {
    {"translation", "LINEAR", moves}, {"rotation", "LINEAR", turns}, {"scale", "STEP", comes}};

static void put_samplers(cli_json *json, const gltf_file *file)
{
    int times = item_of_times(file), item = times + 1;
    cli_json_list(json, "samplers");
    for (int i = 0; i < file->job->model->body_count; i++)
        for (int c = 0; c < BASE_COUNT(changes); c++) {
            if (!changes[c].there(&file->paths.of[i]))
                continue;
            cli_json_object(json, NULL);
            cli_json_integer(json, "input", times);
            cli_json_integer(json, "output", item++);
            cli_json_text(json, "interpolation", changes[c].interpolation);
            cli_json_object_end(json);
        }
    cli_json_list_end(json);
}

static void put_channels(cli_json *json, const gltf_file *file)
{
    int sampler = 0, node = 0;
    cli_json_list(json, "channels");
    for (int i = 0; i < file->job->model->body_count; i++) {
        node += file->paths.of[i].seen;
        for (int c = 0; c < BASE_COUNT(changes); c++) {
            if (!changes[c].there(&file->paths.of[i]))
                continue;
            cli_json_object(json, NULL);
            cli_json_integer(json, "sampler", sampler++);
            cli_json_object(json, "target");
            cli_json_integer(json, "node", node);
            cli_json_text(json, "path", changes[c].path);
            cli_json_object_end(json);
            cli_json_object_end(json);
        }
    }
    cli_json_list_end(json);
}

static void put_animation(cli_json *json, const gltf_file *file)
{
    // one without a channel is none
    if (item_of_times(file) + 1 == file->item_count)
        return;
    cli_json_list(json, "animations");
    cli_json_object(json, NULL);
    cli_json_text(json, "name", "run");
    put_samplers(json, file);
    put_channels(json, file);
    cli_json_object_end(json);
    cli_json_list_end(json);
}

// ---------------------------------------------------------------- the file

static int count_seen(const gltf_file *file)
{
    int seen = 0;
    for (int i = 0; i < file->job->model->body_count; i++)
        seen += file->paths.of[i].seen;
    return seen;
}

static size_t put_scene(cli_json *json, const gltf_file *file)
{
    cli_json_object(json, NULL);
    cli_json_object(json, "asset");
    cli_json_text(json, "version", "2.0");
    cli_json_text(json, "generator", "cairn");
    cli_json_object_end(json);
    cli_json_integer(json, "scene", 0);
    cli_json_list(json, "scenes");
    cli_json_object(json, NULL);
    cli_json_list(json, "nodes");
    cli_json_integer(json, NULL, 0);
    cli_json_list_end(json);
    cli_json_object_end(json);
    cli_json_list_end(json);
    put_nodes(json, file, count_seen(file));
    put_meshes(json, file);
    put_materials(json);
    put_animation(json, file);
    put_accessors(json, file);
    size_t size = put_views(json, file);
    cli_json_object_end(json);
    cli_json_finish(json);
    return size;
}

static void write_word(FILE *out, size_t word)
{
    for (int i = 0; i < 4; i++)
        fputc((int)(word >> (8 * i) & 0xff), out);
}

/// Two chunks, each of a multiple of four bytes.
static cairn_status write_chunks(const gltf_file *file, const char *text, size_t length,
                                 size_t size, FILE *out, cairn_error *error)
{
    size_t padded = (length + 3) / 4 * 4, whole = 12 + 8 + padded + 8 + size;
    if ((double)whole > bytes_most)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the scene would have %.1f GB, and such a file holds %.0f: --frames takes "
                         "fewer",
                         (double)whole / 1e9, bytes_most / 1e9);
    fwrite("glTF", 1, 4, out);
    write_word(out, 2);
    write_word(out, whole);
    write_word(out, padded);
    fwrite("JSON", 1, 4, out);
    fwrite(text, 1, length, out);
    for (size_t i = length; i < padded; i++)
        fputc(' ', out);
    write_word(out, size);
    fwrite("BIN\0", 1, 4, out);
    for (int i = 0; i < file->item_count; i++)
        fwrite(file->items[i].data, 1, size_of(&file->items[i]), out);
    return CAIRN_OK;
}

static cairn_status write_scene(gltf_file *file, FILE *out, cairn_error *error)
{
    char *text = NULL;
    size_t length = 0;
    if (count_seen(file) == 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is no body in any of these frames");
    FILE *memory = add_items(file) == CAIRN_OK ? open_memstream(&text, &length) : NULL;
    if (memory == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    cli_json json = cli_json_begin(memory);
    size_t size = put_scene(&json, file);
    cairn_status status = fclose(memory) == 0
                              ? write_chunks(file, text, length, size, out, error)
                              : base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    free(text);
    return status;
}

cairn_status export_gltf(const export_job *job, FILE *out, export_report *report,
                         cairn_error *error)
{
    const base_allocator *allocator = &job->model->allocator;
    gltf_file file = {.job = job, .typical = export_model_typical_radius(job->model)};
    *report = (export_report){0};
    cairn_status status = export_paths_read(&file.paths, job, bytes_most, error);
    if (status == CAIRN_OK)
        status = write_scene(&file, out, error);
    export_paths_release(&file.paths);
    for (int i = 0; i < EXPORT_MESH; i++)
        export_mesh_release(allocator, &file.units[i]);
    base_release(allocator, file.items);
    base_release(allocator, file.first_item);
    base_release(allocator, file.meshes);
    base_release(allocator, file.mesh_of);
    return status;
}
