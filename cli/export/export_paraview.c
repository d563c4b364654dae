// SPDX-License-Identifier: Apache-2.0
// The contact forces of a run as lines for ParaView, and the script that shows them with the
// bodies.
#include "base/text.h"
#include "cli/export/export.h"
#include "cli/export/export_page.h"
#include "cli/process/files.h"
#include "cli/text/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------- what is usual in the run

typedef struct usual {
    double force; // N, median over the frames of the largest of each; 1 where there is none
    double speed; // m/s, likewise
} usual;

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// Median of those that are positive; 1 where none is.
static double median(double *values, int count)
{
    int positive = 0;
    qsort(values, (size_t)count, sizeof *values, compare_doubles);
    while (positive < count && !(values[positive] > 0.0))
        positive++;
    return positive < count ? values[(positive + count) / 2] : 1.0;
}

static cairn_status find_usual(const export_job *job, usual *found, cairn_error *error)
{
    const base_allocator *allocator = &job->model->allocator;
    size_t count = (size_t)job->frame_count;
    double *forces = base_allocate(allocator, count, sizeof *forces);
    double *speeds = base_allocate(allocator, count, sizeof *speeds);
    cairn_status status = CAIRN_OK;
    if (forces == NULL || speeds == NULL)
        status = base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    for (int k = 0; k < job->frame_count && status == CAIRN_OK; k++) {
        cairn_replay_frame frame;
        status = export_read(job, k, &frame, error);
        forces[k] = speeds[k] = 0.0;
        for (int i = 0; status == CAIRN_OK && i < frame.contacts_kept; i++)
            forces[k] = fmax(forces[k], vec3_norm(vec3_from(frame.contact_force[i])));
        for (int i = 0; status == CAIRN_OK && i < frame.bodies; i++)
            if (job->model->bodies[export_number(&frame, i)].kind == CAIRN_DYNAMIC)
                speeds[k] = fmax(speeds[k], vec3_norm(vec3_from(frame.velocity[i])));
    }
    if (status == CAIRN_OK)
        *found = (usual){median(forces, job->frame_count), median(speeds, job->frame_count)};
    base_release(allocator, forces);
    base_release(allocator, speeds);
    return status;
}

// ---------------------------------------------------------------- a frame of forces

/// Arrays of a file, in their order: those of the points, then the ends of the lines.
typedef enum array {
    ARRAY_PLACE,
    ARRAY_FORCE,
    ARRAY_NORMAL_FORCE,
    ARRAY_RADIUS,
    ARRAY_GAP,
    ARRAY_STATUS,
    ARRAY_BODIES,
    ARRAY_POINTS,
    ARRAY_ENDS,
    ARRAY_COUNT
} array;

static const struct {
    const char *name, *type;
    int components;
} arrays[ARRAY_COUNT] = {
    [ARRAY_PLACE] = {"points", "Float32", 3},
    [ARRAY_FORCE] = {"force [N]", "Float32", 3},
    [ARRAY_NORMAL_FORCE] = {"normal_force [N]", "Float32", 1},
    [ARRAY_RADIUS] = {"radius [m]", "Float32", 1},
    [ARRAY_GAP] = {"gap [m]", "Float32", 1},
    [ARRAY_STATUS] = {"status", "Int32", 1},
    [ARRAY_BODIES] = {"bodies", "Int32", 2},
    [ARRAY_POINTS] = {"connectivity", "Int32", 1},
    [ARRAY_ENDS] = {"offsets", "Int32", 1},
};

/// Lines of one frame, two points each.
typedef struct lines {
    export_bytes bytes[ARRAY_COUNT];
    int count;
} lines;

/// Radius of a tube, whose section goes with the force.
typedef struct tube {
    double force, most; // N, m: at this force and beyond
} tube;

static void put_reals(export_bytes *bytes, const double *values, int count)
{
    for (int i = 0; i < count; i++) {
        float real = (float)values[i];
        export_put(bytes, &real, sizeof real);
    }
}

static void put_whole(export_bytes *bytes, int64_t value)
{
    int32_t whole = (int32_t)value;
    export_put(bytes, &whole, sizeof whole);
}

static void put_point(lines *to, const cairn_replay_frame *frame, int i, const double place[3],
                      const tube *size)
{
    const double *force = frame->contact_force[i];
    double normal = vec3_dot(vec3_from(force), vec3_from(frame->contact_normal[i]));
    double radius = size->most * sqrt(fmin(vec3_norm(vec3_from(force)) / size->force, 1.0));
    put_reals(&to->bytes[ARRAY_PLACE], place, 3);
    put_reals(&to->bytes[ARRAY_FORCE], force, 3);
    put_reals(&to->bytes[ARRAY_NORMAL_FORCE], &normal, 1);
    put_reals(&to->bytes[ARRAY_RADIUS], &radius, 1);
    put_reals(&to->bytes[ARRAY_GAP], &frame->contact_gap[i], 1);
    put_whole(&to->bytes[ARRAY_STATUS], frame->contact_status[i]);
    for (int side = 0; side < 2; side++)
        put_whole(&to->bytes[ARRAY_BODIES], frame->contact_bodies[i][side]);
}

/// From the contact to the centre of each body that is dynamic; nothing where no force is.
static void put_contact(lines *to, const export_job *job, const cairn_replay_frame *frame,
                        const int32_t *rows, int i, const tube *size)
{
    if (!(vec3_norm(vec3_from(frame->contact_force[i])) > 0.0))
        return;
    for (int side = 0; side < 2; side++) {
        int64_t number = frame->contact_bodies[i][side];
        const export_body *body = &job->model->bodies[number];
        int row = rows[number];
        if (body->kind != CAIRN_DYNAMIC || row < 0)
            continue;
        const double *q = frame->orientation[row];
        pose placement = {vec3_from(frame->position[row]), {q[0], q[1], q[2], q[3]}};
        vec3 centre = pose_apply(&placement, body->centre);
        put_point(to, frame, i, frame->contact_point[i], size);
        put_point(to, frame, i, (double[3]){centre.x, centre.y, centre.z}, size);
        for (int end = 0; end < 2; end++)
            put_whole(&to->bytes[ARRAY_POINTS], 2 * to->count + end);
        to->count++;
        put_whole(&to->bytes[ARRAY_ENDS], 2 * to->count);
    }
}

static void declare(FILE *out, const lines *from, array which, uint64_t *offset)
{
    fprintf(out,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
            "offset=\"%" PRIu64 "\"/>\n",
            arrays[which].type, arrays[which].name, arrays[which].components, *offset);
    *offset += sizeof *offset + from->bytes[which].size;
}

static void write_lines(FILE *out, const lines *from)
{
    uint64_t offset = 0;
    fprintf(out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
            "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n"
            "<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"%d\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n<Points>\n",
            2 * from->count, from->count);
    declare(out, from, ARRAY_PLACE, &offset);
    fputs("</Points>\n<PointData>\n", out);
    for (array which = ARRAY_FORCE; which <= ARRAY_BODIES; which++)
        declare(out, from, which, &offset);
    fputs("</PointData>\n<Lines>\n", out);
    declare(out, from, ARRAY_POINTS, &offset);
    declare(out, from, ARRAY_ENDS, &offset);
    fputs("</Lines>\n</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", out);
    for (array which = ARRAY_PLACE; which < ARRAY_COUNT; which++) {
        uint64_t size = from->bytes[which].size;
        fwrite(&size, sizeof size, 1, out);
        fwrite(from->bytes[which].data, 1, size, out);
    }
    fputs("\n</AppendedData>\n</VTKFile>\n", out);
}

/// The lines of a frame; the row of each body in it is asked for at every end of a contact.
static cairn_status gather(lines *to, const export_job *job, const cairn_replay_frame *frame,
                           const tube *size, cairn_error *error)
{
    const base_allocator *allocator = &job->model->allocator;
    size_t count = (size_t)job->model->body_count;
    int32_t *rows = base_allocate(allocator, count + 1, sizeof *rows);
    bool failed = rows == NULL;
    to->count = 0;
    for (int which = 0; which < ARRAY_COUNT; which++)
        to->bytes[which].size = 0;
    for (size_t i = 0; i < count && !failed; i++)
        rows[i] = -1;
    for (int i = 0; i < frame->bodies && !failed; i++)
        rows[export_number(frame, i)] = i;
    for (int i = 0; i < frame->contacts_kept && !failed; i++)
        put_contact(to, job, frame, rows, i, size);
    for (int which = 0; which < ARRAY_COUNT; which++)
        failed = failed || to->bytes[which].failed;
    base_release(allocator, rows);
    return failed ? base_fail(error, CAIRN_ERROR_MEMORY, "out of memory") : CAIRN_OK;
}

// ---------------------------------------------------------------- the series

/// Files of an earlier and longer series.
static void remove_rest(const char *folder, int first)
{
    char path[PATH_MAX], name[64];
    for (int k = first; k >= first; k++) {
        snprintf(name, sizeof name, "forces_%06d.vtp", k);
        if (cli_path_join(path, folder, name, NULL) != CAIRN_OK || unlink(path) != 0)
            return;
    }
}

static cairn_status write_frame(const export_job *job, const lines *from, int number,
                                cairn_error *error)
{
    char path[PATH_MAX], name[64];
    cli_file file;
    snprintf(name, sizeof name, "forces_%06d.vtp", number);
    BASE_TRY(cli_path_join(path, job->folder, name, error));
    BASE_TRY(cli_file_open(&file, path, error));
    write_lines(file.stream, from);
    return cli_file_commit(&file, error);
}

/// Frames that keep their contacts, each with its line of the index.
/// @param time  s, of the last of them; stays as it is without
static cairn_status write_frames(const export_job *job, const tube *size, FILE *index,
                                 export_report *report, int *written, double *time,
                                 cairn_error *error)
{
    lines made = {.count = 0};
    cairn_status status = CAIRN_OK;
    for (int which = 0; which < ARRAY_COUNT; which++)
        made.bytes[which].allocator = job->model->allocator;
    for (int k = 0; k < job->frame_count && status == CAIRN_OK; k++) {
        cairn_replay_frame frame;
        status = export_read(job, k, &frame, error);
        if (status != CAIRN_OK || frame.contacts_kept < 0)
            continue;
        status = gather(&made, job, &frame, size, error);
        if (status == CAIRN_OK)
            status = write_frame(job, &made, *written, error);
        if (status != CAIRN_OK)
            continue;
        fprintf(index, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"forces_%06d.vtp\"/>\n",
                frame.time, *written);
        report->contacts += frame.contacts_kept;
        *written += 1;
        *time = frame.time;
    }
    for (int which = 0; which < ARRAY_COUNT; which++)
        export_bytes_release(&made.bytes[which]);
    return status;
}

static cairn_status write_forces(const export_job *job, const tube *size, export_report *report,
                                 int *written, double *time, cairn_error *error)
{
    char path[PATH_MAX];
    cli_file index;
    BASE_TRY(cli_path_join(path, job->folder, "forces.pvd", error));
    BASE_TRY(cli_file_open(&index, path, error));
    fputs("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" "
          "byte_order=\"LittleEndian\">\n<Collection>\n",
          index.stream);
    cairn_status status = write_frames(job, size, index.stream, report, written, time, error);
    fputs("</Collection>\n</VTKFile>\n", index.stream);
    if (status == CAIRN_OK && *written > 0) {
        remove_rest(job->folder, *written);
        return cli_file_commit(&index, error);
    }
    // half a series is none
    remove_rest(job->folder, 0);
    unlink(path);
    fclose(index.stream);
    unlink(index.temporary);
    return status;
}

// ---------------------------------------------------------------- the script

static void put_materials(cli_json *json, const view_subject *subject)
{
    const scn_looks *looks = &subject->scene->looks;
    cli_json_list(json, "materials");
    for (int i = 0; i < cairn_material_count(subject->scene->world); i++) {
        double rgb[3] = {0.75, 0.74, 0.7};
        for (int k = 0; k < looks->material_count; k++)
            if ((int)looks->materials[k].material.index == i)
                memcpy(rgb, looks->materials[k].colour.rgb, sizeof rgb);
        cli_json_object(json, NULL);
        cli_json_text(json, "name", cairn_replay_get_material(subject->replay, i));
        cli_json_list(json, "colour");
        for (int k = 0; k < 3; k++)
            cli_json_number(json, NULL, rgb[k]);
        cli_json_list_end(json);
        cli_json_object_end(json);
    }
    cli_json_list_end(json);
}

/// What the run is, as the script's own words have it: an object of Python, which is one of JSON
/// without truths and nothings.
static void write_script(FILE *out, const export_job *job, const usual *found, bool surfaces,
                         bool forces, double time)
{
    static const char mark[] = "RUN = {}\n";
    const char *script = (const char *)export_file_show_py, *rest = strstr(script, mark);
    fwrite(script, 1, (size_t)(rest - script), out);
    fputs("RUN = ", out);
    cli_json json = cli_json_begin(out);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "folder", job->folder);
    cli_json_integer(&json, "surfaces", surfaces);
    cli_json_integer(&json, "forces", forces);
    cli_json_number(&json, "time", time);
    cli_json_number(&json, "force", found->force);
    cli_json_number(&json, "speed", found->speed);
    cli_json_number(&json, "radius", export_model_typical_radius(job->model));
    const scn_camera *camera = &job->subject->scene->looks.camera;
    cli_json_number(&json, "azimuth", isnan(camera->azimuth) ? -60.0 : camera->azimuth);
    cli_json_number(&json, "elevation", isnan(camera->elevation) ? 18.0 : camera->elevation);
    cli_json_integer(&json, "painted", job->subject->scene->looks.material_count > 0);
    put_materials(&json, job->subject);
    cli_json_object_end(&json);
    cli_json_finish(&json);
    fputs(rest + sizeof mark - 1, out);
}

cairn_status export_paraview(const export_job *job, bool surfaces, FILE *out, export_report *report,
                             int *frames, cairn_error *error)
{
    export_job part = *job;
    usual found = {0};
    part.doing = "measuring";
    part.share = 0.5;
    cairn_status status = find_usual(&part, &found, error);
    const tube size = {found.force, 0.22 * export_model_typical_radius(job->model)};
    part.doing = "writing the forces of";
    part.done = 0.5;
    *frames = 0;
    double time = cairn_replay_get_times(job->subject->replay)[job->frames[job->frame_count - 1]];
    if (status == CAIRN_OK)
        status = write_forces(&part, &size, report, frames, &time, error);
    if (status == CAIRN_OK)
        write_script(out, job, &found, surfaces, *frames > 0, time);
    return status;
}
