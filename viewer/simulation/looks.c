// SPDX-License-Identifier: Apache-2.0
// From the calls camera and light, and the key colour, to what is drawn.
#include "viewer/simulation/looks.h"

#include "viewer/simulation/sensors.h"

#include <math.h>

static view_paint paint_of(const scn_colour *colour)
{
    view_paint paint = {.given = true, .opacity = colour->opacity};
    for (int k = 0; k < 3; k++)
        paint.rgb[k] = (uint8_t)lround(255.0 * colour->rgb[k]);
    return paint;
}

/// A plane that is not drawn catches no shadows: there is a floor instead.
static void find_plane(view_model *model)
{
    model->has_plane = false;
    for (int i = 0; i < model->body_count; i++) {
        const view_shape *shape = &model->shapes[model->bodies[i].shape];
        for (int part = 0; part < shape->part_count; part++)
            if (model->parts[shape->first_part + part].primitive == VIEW_PLANE &&
                !(view_model_paint(model, i)->given && view_model_paint(model, i)->opacity == 0.0))
                model->has_plane = true;
    }
}

cairn_status view_looks_mark(const scn_scene *scene, view_model *model)
{
    const scn_looks *looks = &scene->looks;
    for (int i = 0; i < looks->material_count; i++)
        model->paints[looks->materials[i].material.index] = paint_of(&looks->materials[i].colour);
    for (int i = 0; i < looks->body_count; i++) {
        int body = view_model_body(model, looks->bodies[i].body);
        if (body >= 0)
            model->bodies[body].paint = paint_of(&looks->bodies[i].colour);
    }
    find_plane(model);
    return view_sensors_mark(scene, model);
}

view_place view_looks_place(const scn_scene *scene, const view_place *place)
{
    const scn_camera *camera = &scene->looks.camera;
    view_place result = *place;
    if (isnan(result.azimuth))
        result.azimuth = camera->azimuth;
    if (isnan(result.elevation))
        result.elevation = camera->elevation;
    if (isnan(result.zoom) && !result.saved)
        result.zoom = camera->zoom;
    result.parallel = result.parallel || (camera->parallel && !result.saved);
    if (result.follow == NULL && !result.saved)
        result.follow = camera->follow;
    result.boxed = camera->boxed;
    for (int k = 0; k < 3; k++) {
        result.low[k] = camera->low[k];
        result.high[k] = camera->high[k];
    }
    return result;
}

vec3 view_looks_sun(const scn_scene *scene)
{
    const scn_light *light = &scene->looks.light;
    double azimuth = isnan(light->azimuth) ? -112.75098 : light->azimuth;
    double elevation = isnan(light->elevation) ? 47.74403 : light->elevation;
    double across = cos(elevation * M_PI / 180.0);
    return vec3_make(across * cos(azimuth * M_PI / 180.0), across * sin(azimuth * M_PI / 180.0),
                     sin(elevation * M_PI / 180.0));
}
