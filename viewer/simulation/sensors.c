// SPDX-License-Identifier: Apache-2.0
// Readings of a scene's sensors.
#include "viewer/simulation/sensors.h"

#include <math.h>
#include <string.h>

int view_sensors_first_column(const scn_scene *scene, int sensor)
{
    int column = 0;
    for (int i = 0; i < sensor; i++)
        column += scene->sensors[i].columns;
    return column;
}

cairn_status view_sensors_begin(view_sensors *sensors, const scn_scene *scene, int capacity)
{
    *sensors = (view_sensors){.allocator = scene->allocator,
                              .width = 1 + view_sensors_first_column(scene, scene->sensor_count),
                              .capacity = capacity};
    if (sensors->width == 1)
        return CAIRN_OK;
    size_t bytes = (size_t)sensors->width * sizeof *sensors->rows;
    sensors->rows = base_allocate(&sensors->allocator, (size_t)capacity, bytes);
    sensors->now = base_allocate(&sensors->allocator, 1, bytes);
    sensors->units =
        base_allocate(&sensors->allocator, (size_t)scene->sensor_count, sizeof *sensors->units);
    if (sensors->rows == NULL || sensors->now == NULL || sensors->units == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < scene->sensor_count; i++)
        sensors->units[i] = scn_sensor_unit(&scene->sensors[i]);
    return CAIRN_OK;
}

void view_sensors_finish(view_sensors *sensors)
{
    base_release(&sensors->allocator, sensors->rows);
    base_release(&sensors->allocator, sensors->now);
    base_release(&sensors->allocator, sensors->units);
    *sensors = (view_sensors){0};
}

cairn_status view_sensors_mark(const scn_scene *scene, view_model *model)
{
    cairn_status status = CAIRN_OK;
    for (int i = 0; status == CAIRN_OK && i < scene->sensor_count; i++)
        if (scene->sensors[i].of_region && !scene->sensors[i].of_cell)
            status = view_model_add_region(model, scene->world, VIEW_REGION_SENSOR,
                                           &scene->sensors[i].region);
    return status;
}

void view_sensors_read(view_sensors *sensors, const scn_scene *scene)
{
    int column = 1;
    if (sensors->rows == NULL)
        return;
    sensors->now[0] = cairn_world_get_time(scene->world);
    for (int i = 0; i < scene->sensor_count; i++) {
        double value[SCN_SENSOR_COLUMNS_MAX];
        cairn_status status = scn_sensor_read(scene, &scene->sensors[i], value);
        for (int k = 0; k < scene->sensors[i].columns; k++)
            sensors->now[column++] = status == CAIRN_OK ? value[k] : NAN;
    }
}

void view_sensors_keep(view_sensors *sensors)
{
    if (sensors->rows == NULL)
        return;
    int64_t row = sensors->count++ % sensors->capacity;
    memcpy(sensors->rows + row * sensors->width, sensors->now,
           (size_t)sensors->width * sizeof *sensors->rows);
}
