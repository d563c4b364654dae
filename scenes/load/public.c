// SPDX-License-Identifier: Apache-2.0
// Scenes behind the public header.
#include "scenes/load/loader.h"

#include "base/text.h"

#include <math.h>

enum { SCENE_COOKIE = 0x53434e45 };

struct cairn_scene {
    scn_scene *scene;
};

cairn_scene_def cairn_default_scene_def(void)
{
    return (cairn_scene_def){
        .tolerance = NAN, .time_step = NAN, .end_time = NAN, .seed = -1, .cookie = SCENE_COOKIE};
}

_Static_assert(sizeof(scn_assignment) == sizeof(cairn_setting) &&
                   offsetof(scn_assignment, value) == offsetof(cairn_setting, text),
               "a public setting is an assignment");

static const scn_assignment *assignments(const cairn_setting *settings)
{
    return (const scn_assignment *)settings;
}

static scn_options options_of(const cairn_scene_def *def)
{
    scn_options options = scn_default_options();
    options.parameters = assignments(def->parameters);
    options.parameter_count = def->parameter_count;
    options.simulation = assignments(def->simulation);
    options.simulation_count = def->simulation_count;
    options.law = def->law;
    options.solver = def->solver;
    options.local = def->local;
    options.solver_settings = assignments(def->solver_settings);
    options.solver_setting_count = def->solver_setting_count;
    options.local_settings = assignments(def->local_settings);
    options.local_setting_count = def->local_setting_count;
    options.tolerance = def->tolerance;
    options.time_step = def->time_step;
    options.end_time = def->end_time;
    options.threads = def->threads;
    options.seed = def->seed;
    if (def->allocator.reallocate != NULL)
        options.allocator = (base_allocator){def->allocator.reallocate, def->allocator.context};
    options.log = def->log;
    options.log_context = def->log_context;
    options.prepare = def->prepare;
    options.prepare_context = def->prepare_context;
    options.keep = true;
    return options;
}

typedef cairn_status scene_maker(const char *path, const scn_options *options, scn_scene **scene,
                                 cairn_error *error);

static cairn_status make(scene_maker *maker, const char *path, const cairn_scene_def *def,
                         cairn_scene **scene, cairn_error *error)
{
    *scene = NULL;
    if (path == NULL || def == NULL || def->cookie != SCENE_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a scene wants a path, and a definition from cairn_default_scene_def");
    base_allocator allocator = base_allocator_default();
    cairn_scene *made = base_allocate(&allocator, 1, sizeof *made);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    scn_options options = options_of(def);
    locale_t before = base_plain_begin();
    cairn_status status = maker(path, &options, &made->scene, error);
    base_plain_end(before);
    if (status == CAIRN_OK)
        *scene = made;
    else
        base_release(&allocator, made);
    return status;
}

cairn_status cairn_scene_load(const char *path, const cairn_scene_def *def, cairn_scene **scene,
                              cairn_error *error)
{
    if (path == NULL || def == NULL || scene == NULL)
        return base_fail_null(error, __func__);
    return make(scn_load, path, def, scene, error);
}

cairn_status cairn_scene_open(const char *name, const cairn_scene_def *def, cairn_scene **scene,
                              cairn_error *error)
{
    if (name == NULL || def == NULL || scene == NULL)
        return base_fail_null(error, __func__);
    return make(scn_open, name, def, scene, error);
}

cairn_status cairn_scene_add(cairn_scene *scene, const char *text, cairn_error *error)
{
    if (scene == NULL || text == NULL)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "cairn_scene_add wants a scene and a text");
    locale_t before = base_plain_begin();
    cairn_status status = scn_add(scene->scene, text, error);
    base_plain_end(before);
    return status;
}

void cairn_scene_destroy(cairn_scene *scene)
{
    if (scene == NULL)
        return;
    base_allocator allocator = base_allocator_default();
    scn_destroy(scene->scene);
    base_release(&allocator, scene);
}

cairn_status cairn_scene_get_world(cairn_scene *scene, cairn_world **world, cairn_error *error)
{
    if (scene == NULL || world == NULL)
        return base_fail_null(error, __func__);
    *world = NULL;
    locale_t before = base_plain_begin();
    cairn_status status = scn_begin_world(scene->scene, error);
    base_plain_end(before);
    *world = scene->scene->world;
    return status;
}

cairn_scene_info cairn_scene_get_info(const cairn_scene *scene)
{
    if (scene == NULL)
        return (cairn_scene_info){0};
    const scn_scene *is = scene->scene;
    return (cairn_scene_info){
        .path = is->path,
        .name = is->name,
        .title = is->title,
        .text = is->text,
        .end_time = is->end_time,
        .seed = is->seed,
        .parameters = is->parameter_count,
        .sensors = is->sensor_count,
        .overlaps = is->overlap_count,
    };
}

cairn_status cairn_scene_get_parameter(const cairn_scene *scene, int index,
                                       cairn_scene_parameter *parameter)
{
    if (scene == NULL || parameter == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (index < 0 || index >= scene->scene->parameter_count)
        return CAIRN_ERROR_ARGUMENT;
    const scn_parameter *is = &scene->scene->parameters[index];
    *parameter = (cairn_scene_parameter){is->name,  is->help,    is->initial, is->value,
                                         is->whole, is->minimum, is->maximum};
    return CAIRN_OK;
}

_Static_assert((int)CAIRN_SENSOR_COLUMNS_MAX >= (int)SCN_SENSOR_COLUMNS_MAX,
               "a sensor's columns must fit");

cairn_status cairn_scene_get_sensor(const cairn_scene *scene, int index, cairn_scene_sensor *sensor)
{
    if (scene == NULL || sensor == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (index < 0 || index >= scene->scene->sensor_count)
        return CAIRN_ERROR_ARGUMENT;
    const scn_sensor *is = &scene->scene->sensors[index];
    *sensor = (cairn_scene_sensor){.name = is->name,
                                   .quantity = scn_sensor_quantity_name(is->quantity),
                                   .unit = scn_sensor_unit(is),
                                   .columns = is->columns};
    for (int k = 0; k < is->columns; k++)
        sensor->column_names[k] = scn_sensor_column_name(is, k);
    return CAIRN_OK;
}

cairn_status cairn_scene_read_sensor(const cairn_scene *scene, int index, double *value)
{
    if (scene == NULL || value == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (index < 0 || index >= scene->scene->sensor_count)
        return CAIRN_ERROR_ARGUMENT;
    return scn_sensor_read(scene->scene, &scene->scene->sensors[index], value);
}

static bool give_colour(const scn_colour *from, double colour[4])
{
    for (int k = 0; k < 3; k++)
        colour[k] = from->rgb[k];
    colour[3] = from->opacity;
    return true;
}

bool cairn_scene_get_colour(const cairn_scene *scene, cairn_body_id body, double colour[4])
{
    if (scene == NULL || colour == NULL)
        return false;
    const scn_looks *looks = &scene->scene->looks;
    for (int i = looks->body_count - 1; i >= 0; i--)
        if (looks->bodies[i].body.index == body.index &&
            looks->bodies[i].body.generation == body.generation)
            return give_colour(&looks->bodies[i].colour, colour);
    return false;
}

bool cairn_scene_get_material_colour(const cairn_scene *scene, cairn_material_id material,
                                     double colour[4])
{
    if (scene == NULL || colour == NULL)
        return false;
    const scn_looks *looks = &scene->scene->looks;
    for (int i = 0; i < looks->material_count; i++)
        if (looks->materials[i].material.index == material.index)
            return give_colour(&looks->materials[i].colour, colour);
    return false;
}

void cairn_scene_write_looks(const cairn_scene *scene, char *text, int capacity)
{
    if (scene != NULL && text != NULL && capacity > 0)
        scn_write_looks(&scene->scene->looks, text, (size_t)capacity);
}

int cairn_scene_call_count(void)
{
    return scn_call_count();
}

const char *cairn_scene_call_name(int index)
{
    return scn_call_name(index);
}
