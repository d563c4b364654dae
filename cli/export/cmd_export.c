// SPDX-License-Identifier: Apache-2.0
// cairn export: a run as one file that others open without cairn.
#include "base/assert.h"
#include "base/timer.h"
#include "cli/commands.h"
#include "cli/export/export.h"
#include "cli/process/files.h"
#include "cli/process/interrupt.h"
#include "cli/process/status.h"
#include "cli/process/subject.h"
#include "cli/text/json.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FRAMES_MOST = 100000, CONTACTS_DEFAULT = 5000 };

typedef struct export_settings {
    cli_common common;
    const char *out;
    int64_t frames;     // 0: see the table
    double from, until; // s; NAN: the first and last frame
    int64_t most_contacts;
    bool json, quiet;
} export_settings;

#define FIELD(name) offsetof(export_settings, name)

static const cli_option options[] = {
    {.name = "out",
     .letter = 'o',
     .type = CLI_TEXT,
     .offset = FIELD(out),
     .argument = "FILE",
     .help = "FILE.html, a page, or FILE.glb, an animated scene",
     .completion = CLI_COMPLETE_FILE},
    {.name = "frames",
     .type = CLI_INTEGER,
     .offset = FIELD(frames),
     .argument = "N",
     .help = "at most so many frames, evenly over the run (default 300, fewer of many bodies)",
     .minimum = 1.0,
     .maximum = FRAMES_MOST},
    {.name = "from",
     .type = CLI_NUMBER,
     .offset = FIELD(from),
     .argument = "T",
     .help = "time of the first frame, s (default: the start)",
     .maximum = DBL_MAX},
    {.name = "until",
     .type = CLI_NUMBER,
     .offset = FIELD(until),
     .argument = "T",
     .help = "time of the last frame, s (default: the end)",
     .maximum = DBL_MAX},
    {.name = "most-contacts",
     .type = CLI_INTEGER,
     .offset = FIELD(most_contacts),
     .argument = "N",
     .help = "contacts of a frame, the strongest first (default 5000; a page only)",
     .maximum = 10000000},
    {.name = "json",
     .type = CLI_FLAG,
     .offset = FIELD(json),
     .help = "print one JSON object and nothing else"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = FIELD(quiet),
     .help = "no progress and no summary"},
};

static void set_defaults(void *memory)
{
    export_settings *settings = memory;
    settings->from = settings->until = NAN;
    settings->most_contacts = CONTACTS_DEFAULT;
}

/// A kind of file by the end of its name.
typedef struct export_format {
    const char *ending, *name;
    cairn_status (*write)(const export_job *job, FILE *out, export_report *report,
                          cairn_error *error);
} export_format;

static const export_format formats[] = {
    {".html", "html", export_html},
    {".glb", "gltf", export_gltf},
};

static const export_format *find_format(const char *path)
{
    size_t length = strlen(path);
    for (int i = 0; i < BASE_COUNT(formats); i++) {
        size_t ending = strlen(formats[i].ending);
        if (length > ending && strcmp(path + length - ending, formats[i].ending) == 0)
            return &formats[i];
    }
    return NULL;
}

// ---------------------------------------------------------------- writing

static void find_folder(const char *path, char folder[PATH_MAX])
{
    struct stat info;
    snprintf(folder, PATH_MAX, "%s", path);
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return;
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        snprintf(folder, PATH_MAX, ".");
    else
        slash[slash == folder ? 1 : 0] = '\0';
}

/// Under a temporary name until it is whole.
static cairn_status write_file(const export_format *format, const export_job *job, const char *path,
                               export_report *report, cairn_error *error)
{
    cli_file file;
    BASE_TRY(cli_file_open(&file, path, error));
    cairn_status status = format->write(job, file.stream, report, error);
    if (status == CAIRN_OK)
        return cli_file_commit(&file, error);
    fclose(file.stream);
    unlink(file.temporary);
    return status;
}

static void tell(const export_settings *settings, const export_format *format,
                 const export_job *job, const export_report *report, double seconds)
{
    struct stat info;
    double bytes = stat(settings->out, &info) == 0 ? (double)info.st_size : 0.0;
    const double *times = cairn_replay_get_times(job->subject->replay);
    if (settings->json) {
        cli_json json = cli_json_begin(stdout);
        cli_json_object(&json, NULL);
        cli_json_text(&json, "kind", "export");
        cli_json_text(&json, "format", format->name);
        cli_json_text(&json, "scene", job->subject->scene->name);
        cli_json_text(&json, "file", settings->out);
        cli_json_integer(&json, "frames", job->frame_count);
        cli_json_integer(&json, "frames_of_run",
                         cairn_replay_get_frame_count(job->subject->replay));
        cli_json_integer(&json, "bodies", job->model->body_count);
        cli_json_integer(&json, "contacts", report->contacts);
        cli_json_integer(&json, "contacts_left_out", report->left_out);
        cli_json_number(&json, "time", times[job->frames[job->frame_count - 1]]);
        cli_json_integer(&json, "bytes", (int64_t)bytes);
        cli_json_number(&json, "seconds", seconds);
        cli_json_object_end(&json);
        cli_json_finish(&json);
        return;
    }
    printf("%s  %d of %" PRId64 " frames, %d bodies, %.1f MB\n", cli_show(settings->out).text,
           job->frame_count, cairn_replay_get_frame_count(job->subject->replay),
           job->model->body_count, bytes / 1e6);
    if (report->left_out > 0)
        printf("%" PRId64 " weaker contacts were left out; --most-contacts takes more\n",
               report->left_out);
}

int export_exit(cairn_status status)
{
    return status == CAIRN_INTERRUPTED         ? CLI_EXIT_INTERRUPTED
           : status == CAIRN_ERROR_ARGUMENT    ? CLI_EXIT_USAGE
           : status == CAIRN_ERROR_FORMAT      ? CLI_EXIT_INPUT
           : status == CAIRN_ERROR_UNSUPPORTED ? CLI_EXIT_ABSENT
                                               : CLI_EXIT_FAILED;
}

static cairn_status export_subject(const export_settings *settings, const export_format *format,
                                   const char *path, const view_subject *subject,
                                   cairn_error *error)
{
    char folder[PATH_MAX];
    double begun = base_timer_seconds();
    export_wish wish = {settings->frames, settings->from, settings->until,
                        format->write == export_html};
    export_choice choice = {0};
    export_model model = {0};
    export_report report = {0};
    cli_progress progress = cli_progress_begin(settings->quiet);
    find_folder(path, folder);
    cairn_status status = export_choose(subject, &wish, &choice, error);
    if (status == CAIRN_OK)
        status = export_model_build(&model, subject, error);
    export_job job = {.subject = subject,
                      .model = &model,
                      .folder = folder,
                      .frames = choice.frames,
                      .frame_count = choice.count,
                      .most_contacts = (int)settings->most_contacts,
                      .progress = &progress,
                      .doing = "reading",
                      .share = 1.0};
    if (status == CAIRN_OK)
        status = write_file(format, &job, settings->out, &report, error);
    cli_progress_clear(&progress);
    if (status == CAIRN_OK && (settings->json || !settings->quiet))
        tell(settings, format, &job, &report, base_timer_seconds() - begun);
    const base_allocator allocator = base_allocator_default();
    base_release(&allocator, choice.frames);
    export_model_finish(&model);
    return status;
}

static int run_export(const void *memory)
{
    const export_settings *settings = memory;
    const char *word = settings->common.arguments[0];
    cairn_error error = {0};
    char path[PATH_MAX];
    const export_format *format = settings->out != NULL ? find_format(settings->out) : NULL;
    if (format == NULL) {
        cli_complain(settings->out == NULL ? "cairn export wants -o FILE.html or -o FILE.glb"
                                           : "%s: cairn export writes FILE.html and FILE.glb",
                     settings->out);
        return CLI_EXIT_USAGE;
    }
    cli_scene_path(word, true, path);
    if (access(path, F_OK) == 0 && !cli_subject_is_run(path)) {
        cli_complain("%s is no run: cairn export takes the folder of one, or its trajectory.h5",
                     path);
        return CLI_EXIT_INPUT;
    }
    if (cli_file_try(settings->out, &error) != CAIRN_OK) {
        cli_complain("%s", error.message);
        return CLI_EXIT_FAILED;
    }
    view_subject subject = {0};
    scn_options load = scn_default_options();
    load.log = cli_log;
    int result = cli_load_subject(path, &load, &subject);
    if (result != CLI_EXIT_DONE)
        return result;
    cli_interrupt_watch();
    cairn_status status = export_subject(settings, format, path, &subject, &error);
    view_subject_finish(&subject);
    if (status != CAIRN_OK)
        cli_complain("%s", error.message);
    return status == CAIRN_OK ? CLI_EXIT_DONE : export_exit(status);
}

const cli_command cli_cmd_export = {
    .name = "export",
    .summary = "a run as a page for browsers, or as an animated scene (glTF)",
    .operands = "RUN",
    .description =
        "Writes a run (its folder, or trajectory.h5) as one file that others open without cairn:\n"
        "FILE.html, a page with everything in it, to be turned, played and asked in any browser, "
        "and\nFILE.glb, an animated scene for programs that read glTF 2.0. Forces are there where "
        "the run\nkept its contacts (cairn run --contacts-every).",
    .least = 1,
    .most = 1,
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(export_settings),
    .completion = CLI_COMPLETE_FILE,
    .defaults = set_defaults,
    .run = run_export,
};
