// SPDX-License-Identifier: Apache-2.0
// A scene that runs in a page: what web/live/worker.js calls, in WebAssembly. One scene at a time.
#include "cli/live/live.h"

#include "base/hash.h"
#include "base/timer.h"
#include "cli/export/export_describe.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SETTINGS_MOST = 64 };

typedef struct live_state {
    scn_scene *scene;
    export_model model;
    export_bytes arrays; // of the model
    char *text;          // what was told last
    uint64_t bodies;     // hash of their ids: other ones need another model
    int *number_of;      // [index_count] of an id's index
    int index_count;
    live_frame frame;
    cairn_error error;
} live_state;

static live_state live;

// ---------------------------------------------------------------- texts

/// A text that grows in memory and replaces the one that was told before.
static cli_json begin_text(FILE **out, size_t *size)
{
    free(live.text);
    live.text = NULL;
    *out = open_memstream(&live.text, size);
    return cli_json_begin(*out);
}

static const char *end_text(FILE *out)
{
    return fclose(out) == 0 && live.text != NULL ? live.text : "";
}

const char *live_error(void)
{
    return live.error.message;
}

// ---------------------------------------------------------------- scene

static void release(void)
{
    export_model_finish(&live.model);
    export_bytes_release(&live.arrays);
    free(live.text);
    free(live.number_of);
    free(live.frame.position);
    free(live.frame.contact_bodies);
    scn_destroy(live.scene);
    live = (live_state){0};
}

/// "name=value" lines; the text is cut up.
static int read_settings(char *text, scn_assignment settings[SETTINGS_MOST])
{
    int count = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL && count < SETTINGS_MOST;
         line = strtok_r(NULL, "\n", &rest)) {
        char *equals = strchr(line, '=');
        if (equals == NULL)
            continue;
        *equals = '\0';
        settings[count++] = (scn_assignment){.name = line, .value = equals + 1};
    }
    return count;
}

int live_open(const char *path, char *parameters, const char *law)
{
    scn_assignment settings[SETTINGS_MOST];
    scn_options options = scn_default_options();
    release();
    options.parameters = settings;
    options.parameter_count = read_settings(parameters, settings);
    options.law = law[0] != '\0' ? law : NULL;
    options.threads = 1;
    return (int)scn_load(path, &options, &live.scene, &live.error);
}

const char *live_about(void)
{
    FILE *out;
    size_t size;
    cli_json json = begin_text(&out, &size);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "program", cairn_version());
    cli_json_text(&json, "title", live.scene->title);
    cli_json_number(&json, "end", live.scene->end_time);
    cli_json_number(&json, "step", cairn_world_get_def(live.scene->world)->time_step);
    cli_json_list(&json, "parameters");
    for (int i = 0; i < live.scene->parameter_count; i++) {
        const scn_parameter *parameter = &live.scene->parameters[i];
        cli_json_object(&json, NULL);
        cli_json_text(&json, "name", parameter->name);
        cli_json_text(&json, "help", parameter->help);
        cli_json_value(&json, "initial", parameter->initial);
        cli_json_value(&json, "value", parameter->value);
        cli_json_boolean(&json, "whole", parameter->whole);
        cli_json_number(&json, "minimum", parameter->minimum);
        cli_json_number(&json, "maximum", parameter->maximum);
        cli_json_object_end(&json);
    }
    cli_json_list_end(&json);
    cli_json_list(&json, "sensors");
    for (int i = 0; i < live.scene->sensor_count; i++) {
        const scn_sensor *sensor = &live.scene->sensors[i];
        for (int k = 0; k < sensor->columns; k++) {
            char heading[256];
            const char *column = scn_sensor_column_name(sensor, k);
            snprintf(heading, sizeof heading, "%s %s%s%s [%s]", sensor->name,
                     scn_sensor_quantity_name(sensor->quantity), column[0] != '\0' ? " " : "",
                     column, scn_sensor_unit(sensor));
            cli_json_text(&json, NULL, heading);
        }
    }
    cli_json_list_end(&json);
    cli_json_object_end(&json);
    return end_text(out);
}

// ---------------------------------------------------------------- what bodies look like

static uint64_t hash_of_bodies(void)
{
    const cairn_world *world = live.scene->world;
    uint64_t hash = BASE_HASH_START;
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_id id = cairn_body_at(world, i);
        hash = base_hash_bytes(hash, &id.index, sizeof id.index);
        hash = base_hash_bytes(hash, &id.generation, sizeof id.generation);
    }
    return hash;
}

static cairn_status number_bodies(void)
{
    const cairn_world *world = live.scene->world;
    int count = cairn_body_count(world);
    live.index_count = 0;
    for (int i = 0; i < count; i++) {
        int index = (int)cairn_body_at(world, i).index;
        live.index_count = index >= live.index_count ? index + 1 : live.index_count;
    }
    free(live.number_of);
    live.number_of = calloc((size_t)live.index_count + 1, sizeof *live.number_of);
    if (live.number_of == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < count; i++)
        live.number_of[cairn_body_at(world, i).index] = i;
    return CAIRN_OK;
}

const char *live_model(void)
{
    FILE *out;
    size_t size;
    view_subject subject = {.scene = live.scene};
    export_model_finish(&live.model);
    if (number_bodies() != CAIRN_OK ||
        export_model_build(&live.model, &subject, &live.error) != CAIRN_OK)
        return "";
    live.bodies = hash_of_bodies();
    cli_json json = begin_text(&out, &size);
    export_arrays arrays = {.json = &json, .bytes.allocator = live.model.allocator};
    cli_json_object(&json, NULL);
    cli_json_integer(&json, "bodies", live.model.body_count);
    export_describe(&arrays, &live.model, live.scene->world);
    cli_json_object_end(&json);
    export_bytes_release(&live.arrays);
    live.arrays = arrays.bytes;
    return end_text(out);
}

const void *live_arrays(void)
{
    return live.arrays.data;
}

int live_arrays_size(void)
{
    return (int)live.arrays.size;
}

// ---------------------------------------------------------------- steps

int live_step(double until, double seconds)
{
    cairn_world *world = live.scene->world;
    double begun = base_timer_seconds(), half = 0.5 * cairn_world_get_def(world)->time_step;
    while (cairn_world_get_time(world) < until - half && base_timer_seconds() - begun < seconds) {
        cairn_status status = cairn_world_step(world, &live.error);
        if (status != CAIRN_OK)
            return -(int)status;
        if (cairn_world_get_stop(world) != NULL)
            return 2;
    }
    return cairn_world_get_time(world) < until - half ? 0 : 1;
}

double live_time(void)
{
    return cairn_world_get_time(live.scene->world);
}

double live_steps(void)
{
    return (double)cairn_world_get_step_count(live.scene->world);
}

const char *live_hash(void)
{
    FILE *out;
    size_t size;
    begin_text(&out, &size);
    fprintf(out, "%016" PRIx64, cairn_world_get_hash(live.scene->world));
    return end_text(out);
}

// ---------------------------------------------------------------- frames

static bool reserve_frame(live_frame *frame, int bodies, int contacts)
{
    free(frame->position);
    free(frame->contact_bodies);
    // one block each: 10 numbers of a body, 9 of a contact
    float *reals = calloc(10 * (size_t)bodies + 1, sizeof *reals);
    float *rows = calloc(9 * (size_t)contacts + 1, sizeof *rows);
    *frame = (live_frame){.bodies = bodies, .contacts = contacts};
    frame->position = reals;
    frame->contact_bodies = (int32_t *)(void *)rows;
    if (reals == NULL || rows == NULL)
        return false;
    frame->velocity = reals + 3 * (size_t)bodies;
    frame->turn = reals + 6 * (size_t)bodies;
    frame->contact_status = frame->contact_bodies + 2 * (size_t)contacts;
    frame->contact_point = rows + 3 * (size_t)contacts;
    frame->contact_force = rows + 6 * (size_t)contacts;
    return true;
}

static void put_vector(float out[3], const double from[3])
{
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (float)from[axis];
}

const live_frame *live_take(void)
{
    const cairn_world *world = live.scene->world;
    live_frame *frame = &live.frame;
    if (!reserve_frame(frame, cairn_body_count(world), cairn_contact_count(world)))
        return NULL;
    frame->changed = hash_of_bodies() != live.bodies;
    if (frame->changed)
        return frame;
    for (int i = 0; i < frame->bodies; i++) {
        cairn_body_view body;
        if (cairn_body_get(world, cairn_body_at(world, i), &body) != CAIRN_OK)
            return NULL;
        put_vector(frame->position + 3 * (size_t)i, body.position);
        put_vector(frame->velocity + 3 * (size_t)i, body.velocity);
        for (int part = 0; part < 4; part++) // w comes last there
            frame->turn[4 * (size_t)i + (size_t)(part + 3) % 4] = (float)body.orientation[part];
    }
    int kept = 0;
    for (int i = 0; i < frame->contacts; i++) {
        cairn_contact_view contact;
        if (cairn_contact_get(world, i, &contact) != CAIRN_OK)
            continue;
        frame->contact_bodies[2 * kept] = live.number_of[contact.a.index];
        frame->contact_bodies[2 * kept + 1] = live.number_of[contact.b.index];
        frame->contact_status[kept] = (int32_t)contact.status;
        put_vector(frame->contact_point + 3 * (size_t)kept, contact.point);
        put_vector(frame->contact_force + 3 * (size_t)kept, contact.force);
        kept++;
    }
    frame->contacts = kept;
    return frame;
}

const double *live_energy(void)
{
    static double row[11];
    cairn_energy e = cairn_world_get_energy(live.scene->world);
    const double all[11] = {e.kinetic,  e.potential, e.elastic, e.drivers, e.correction, e.impact,
                            e.friction, e.damping,   e.plastic, e.joints,  e.residual};
    memcpy(row, all, sizeof row);
    return row;
}

const double *live_sensors(void)
{
    static double *row = NULL;
    double one[SCN_SENSOR_COLUMNS_MAX];
    int count = 0;
    for (int i = 0; i < live.scene->sensor_count; i++)
        count += live.scene->sensors[i].columns;
    free(row);
    row = calloc((size_t)count + 1, sizeof *row);
    count = 0;
    for (int i = 0; i < live.scene->sensor_count && row != NULL; i++) {
        const scn_sensor *sensor = &live.scene->sensors[i];
        cairn_status status = scn_sensor_read(live.scene, sensor, one);
        for (int k = 0; k < sensor->columns; k++)
            row[count++] = status == CAIRN_OK ? one[k] : NAN;
    }
    return row;
}
