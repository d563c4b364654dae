// SPDX-License-Identifier: Apache-2.0
// A run as one page: the page of web/ with what it shows behind it, as blocks that are no script.
//
// A block is deflated and written in letters of base64, so that nothing of a run, whatever its
// names are, can be read as a part of the page.
#include "base/assert.h"
#include "base/text.h"
#include "cli/export/export.h"
#include "cli/export/export_describe.h"
#include "cli/export/export_page.h"
#include "cli/export/export_stream.h"
#include "cli/process/files.h"
#include "cli/text/csv.h"
#include "cli/text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { FIRST_BLOCK = 1 << 18, BLOCK = 1 << 22, DEFLATE_LEVEL = 7, ROWS_MOST = 2000 };

// up to so many places of bodies are written finely
static const double fine_most = 4e5;

// ---------------------------------------------------------------- blocks

static void write_base64(FILE *out, const unsigned char *data, size_t size)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char four[4];
    for (size_t i = 0; i < size; i += 3) {
        uint32_t three = (uint32_t)data[i] << 16;
        three |= i + 1 < size ? (uint32_t)data[i + 1] << 8 : 0;
        three |= i + 2 < size ? data[i + 2] : 0;
        for (int k = 0; k < 4; k++)
            four[k] = letters[three >> (18 - 6 * k) & 63];
        if (i + 1 >= size)
            four[2] = '=';
        if (i + 2 >= size)
            four[3] = '=';
        fwrite(four, 1, 4, out);
    }
}

/// @param name  of the program's own
static cairn_status write_block(FILE *out, const char *name, const void *data, size_t size,
                                cairn_error *error)
{
    const base_allocator allocator = base_allocator_default();
    uLongf packed = compressBound((uLong)size);
    unsigned char *bytes = base_allocate(&allocator, packed, 1);
    if (bytes == NULL || compress2(bytes, &packed, data, (uLong)size, DEFLATE_LEVEL) != Z_OK) {
        base_release(&allocator, bytes);
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    }
    fprintf(out, "<script type=\"text/plain\" class=\"block\" data-name=\"%s\">", name);
    write_base64(out, bytes, packed);
    fputs("</script>\n", out);
    base_release(&allocator, bytes);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- tables

/// Headings "name [unit]" are cut by the page.
static void put_table(export_arrays *arrays, const cli_table *table)
{
    int step = table->rows > ROWS_MOST ? (table->rows + ROWS_MOST - 1) / ROWS_MOST : 1;
    int rows = (table->rows + step - 1) / step;
    for (int column = 0; column < table->columns; column++) {
        export_array_begin(arrays, table->names[column], "f32", (size_t)rows);
        for (int row = 0; row < table->rows; row += step)
            export_array_real(arrays, cli_table_value(table, row, column));
    }
}

/// A run without a table, or with one that cannot be read, goes without its plots.
static void put_tables(export_arrays *arrays, const char *folder)
{
    static const char *const names[] = {"energy", "sensors", "measures"};
    for (int i = 0; i < BASE_COUNT(names); i++) {
        char path[PATH_MAX], file[32];
        cairn_error error = {0};
        cli_table table = {0};
        snprintf(file, sizeof file, "%s.csv", names[i]);
        cli_json_list(arrays->json, names[i]);
        if (cli_path_join(path, folder, file, &error) == CAIRN_OK && access(path, R_OK) == 0) {
            if (cli_table_read(&table, path, &error) == CAIRN_OK)
                put_table(arrays, &table);
            cli_table_release(&table);
        }
        cli_json_list_end(arrays->json);
    }
}

// ---------------------------------------------------------------- scales

typedef struct page_bounds {
    vec3 minimum, maximum; // m, of the bodies that move, by their positions; empty: none
    vec3 lowest, highest;  // m, of all bodies
    double speed, force;   // largest of a component
    double places;         // bodies of all frames
    bool contacts;         // some frame keeps its contacts
} page_bounds;

static void include_frame(page_bounds *bounds, const export_model *model,
                          const cairn_replay_frame *frame)
{
    for (int i = 0; i < frame->bodies; i++) {
        vec3 at = vec3_from(frame->position[i]);
        bounds->lowest = vec3_min(bounds->lowest, at);
        bounds->highest = vec3_max(bounds->highest, at);
        if (model->bodies[export_number(frame, i)].kind == CAIRN_DYNAMIC) {
            bounds->minimum = vec3_min(bounds->minimum, at);
            bounds->maximum = vec3_max(bounds->maximum, at);
        }
        for (int axis = 0; axis < 3; axis++)
            bounds->speed = fmax(bounds->speed, fabs(frame->velocity[i][axis]));
    }
    for (int i = 0; i < frame->contacts_kept; i++)
        for (int axis = 0; axis < 3; axis++)
            bounds->force = fmax(bounds->force, fabs(frame->contact_force[i][axis]));
    bounds->contacts = bounds->contacts || frame->contacts_kept >= 0;
    bounds->places += frame->bodies;
}

static cairn_status find_bounds(const export_job *job, page_bounds *bounds, cairn_error *error)
{
    const vec3 most = {INFINITY, INFINITY, INFINITY}, least = {-INFINITY, -INFINITY, -INFINITY};
    *bounds = (page_bounds){.minimum = most, .maximum = least, .lowest = most, .highest = least};
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < job->frame_count && status == CAIRN_OK; i++) {
        cairn_replay_frame frame;
        status = export_read(job, i, &frame, error);
        if (status == CAIRN_OK)
            include_frame(bounds, job->model, &frame);
    }
    return status;
}

static export_scale choose_scale(const page_bounds *bounds, const export_model *model)
{
    bool fine = bounds->places <= fine_most;
    export_scale scale = {.length = export_model_typical_radius(model) / (fine ? 4096.0 : 256.0),
                          .turn = fine ? 32767 : 2047,
                          .velocity_most = fine ? 32767 : 127,
                          .force_most = fine ? 32767 : 1023,
                          .velocity = bounds->speed,
                          .force = bounds->force};
    vec3 middle = {0.0, 0.0, 0.0};
    if (bounds->minimum.x <= bounds->maximum.x)
        middle = vec3_scale(0.5, vec3_add(bounds->minimum, bounds->maximum));
    vec3_store(scale.origin, middle);
    // all places in 30 bits and a sign
    vec3 far = vec3_max(vec3_abs(vec3_sub(bounds->lowest, middle)),
                        vec3_abs(vec3_sub(bounds->highest, middle)));
    double farthest = fmax(far.x, fmax(far.y, far.z));
    if (isfinite(farthest))
        scale.length = fmax(scale.length, farthest * 0x1p-29);
    return scale;
}

// ---------------------------------------------------------------- what the page is told

static void put_scale(cli_json *json, const export_scale *scale)
{
    cli_json_object(json, "scale");
    cli_json_list(json, "origin");
    for (int axis = 0; axis < 3; axis++)
        cli_json_number(json, NULL, scale->origin[axis]);
    cli_json_list_end(json);
    cli_json_number(json, "length", scale->length);
    cli_json_integer(json, "turn", scale->turn);
    cli_json_integer(json, "velocity_most", scale->velocity_most);
    cli_json_integer(json, "force_most", scale->force_most);
    cli_json_number(json, "velocity", scale->velocity);
    cli_json_number(json, "force", scale->force);
    cli_json_object_end(json);
}

static void put_about(cli_json *json, const export_job *job, const export_scale *scale,
                      const page_bounds *bounds)
{
    const scn_scene *scene = job->subject->scene;
    const cairn_replay_info *info = cairn_replay_get_info(job->subject->replay);
    const double *times = cairn_replay_get_times(job->subject->replay);
    cli_json_integer(json, "format", 1);
    cli_json_text(json, "program", cairn_version());
    cli_json_text(json, "scene", info->scene);
    cli_json_text(json, "title", scene->title);
    cli_json_integer(json, "bodies", job->model->body_count);
    cli_json_boolean(json, "contacts", bounds->contacts);
    cli_json_list(json, "times");
    for (int i = 0; i < job->frame_count; i++)
        cli_json_number(json, NULL, times[job->frames[i]]);
    cli_json_list_end(json);
    put_scale(json, scale);
}

static cairn_status write_about(const export_job *job, const export_scale *scale,
                                const page_bounds *bounds, FILE *out, cairn_error *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    cli_json json = cli_json_begin(memory);
    export_arrays arrays = {.json = &json, .bytes.allocator = job->model->allocator};
    cli_json_object(&json, NULL);
    put_about(&json, job, scale, bounds);
    export_describe(&arrays, job->model, job->subject->scene->world);
    cli_json_object(&json, "tables");
    put_tables(&arrays, job->folder);
    cli_json_object_end(&json);
    cli_json_object_end(&json);
    cli_json_finish(&json);

    bool good = fclose(memory) == 0 && !arrays.bytes.failed;
    cairn_status status = good ? write_block(out, "about", text, size, error)
                               : base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    if (status == CAIRN_OK)
        status = write_block(out, "arrays", arrays.bytes.data, arrays.bytes.size, error);
    free(text);
    export_bytes_release(&arrays.bytes);
    return status;
}

// ---------------------------------------------------------------- frames

static cairn_status write_frames(const export_job *job, export_stream *stream, FILE *out,
                                 cairn_error *error)
{
    size_t most = FIRST_BLOCK;
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < job->frame_count && status == CAIRN_OK; i++) {
        cairn_replay_frame frame;
        status = export_read(job, i, &frame, error);
        if (status != CAIRN_OK)
            return status;
        status = export_stream_put(stream, &frame);
        if (status != CAIRN_OK)
            return base_fail(error, status,
                             status == CAIRN_ERROR_MEMORY ? "out of memory"
                                                          : "a frame of the run has a body twice");
        if (stream->bytes.size < most && i + 1 < job->frame_count)
            continue;
        status = write_block(out, "frames", stream->bytes.data, stream->bytes.size, error);
        export_stream_cut(stream);
        most = BLOCK;
    }
    return status;
}

cairn_status export_html(const export_job *job, FILE *out, export_report *report,
                         cairn_error *error)
{
    static const char mark[] = "<!--blocks-->";
    const char *page = (const char *)export_file_replay_html, *rest = strstr(page, mark);
    export_job part = *job;
    part.share = 0.4;
    part.doing = "measuring";
    page_bounds bounds;
    BASE_TRY(find_bounds(&part, &bounds, error));
    export_scale scale = choose_scale(&bounds, job->model);
    export_stream stream;
    fwrite(page, 1, (size_t)(rest - page), out);
    BASE_TRY(write_about(job, &scale, &bounds, out, error));
    part.done = part.share;
    part.doing = "writing";
    part.share = 1.0 - part.done;
    cairn_status status = export_stream_begin(&stream, job->model, &scale, job->most_contacts);
    status = status == CAIRN_OK ? write_frames(&part, &stream, out, error)
                                : base_fail(error, status, "out of memory");
    *report = stream.report;
    export_stream_finish(&stream);
    fputs(rest + sizeof mark - 1, out);
    return status;
}
