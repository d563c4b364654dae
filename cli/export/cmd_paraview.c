// SPDX-License-Identifier: Apache-2.0
// cairn paraview: shows a run in ParaView, bodies and forces at once.
#include "base/assert.h"
#include "cli/commands.h"
#include "cli/export/export.h"
#include "cli/process/files.h"
#include "cli/process/interrupt.h"
#include "cli/process/status.h"
#include "cli/process/subject.h"
#include "cli/text/json.h"
#include "cli/text/wrap.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct paraview_settings {
    cli_common common;
    const char *out;
    bool no_start, json, quiet;
} paraview_settings;

#define FIELD(name) offsetof(paraview_settings, name)

static const cli_option options[] = {
    {.name = "out",
     .letter = 'o',
     .type = CLI_TEXT,
     .offset = FIELD(out),
     .argument = "FILE",
     .help = "the script (default: paraview/show.py of the run); ParaView is not started",
     .completion = CLI_COMPLETE_FILE},
    {.name = "no-start",
     .type = CLI_FLAG,
     .offset = FIELD(no_start),
     .help = "write the files alone"},
    {.name = "json",
     .type = CLI_FLAG,
     .offset = FIELD(json),
     .help = "print one JSON object and nothing else; ParaView is not started"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = FIELD(quiet),
     .help = "no progress and no summary"},
};

/// Where the frames of a run are: paraview/ beside its trajectory, without links.
/// @param surfaces  out: the frames hold all surfaces instead of each shape once
static cairn_status find_frames(const char *path, char folder[PATH_MAX], bool *surfaces,
                                cairn_error *error)
{
    char run[PATH_MAX], below[PATH_MAX], index[PATH_MAX];
    struct stat info;
    snprintf(run, sizeof run, "%s", path);
    if (stat(run, &info) == 0 && !S_ISDIR(info.st_mode)) {
        char *slash = strrchr(run, '/');
        snprintf(slash != NULL ? slash + 1 : run, 2, ".");
    }
    cairn_status status = cli_path_join(below, run, "paraview", error);
    if (status == CAIRN_OK)
        status = cli_path_join(index, below, "bodies.pvd", error);
    if (status == CAIRN_OK && (access(index, R_OK) != 0 || realpath(below, folder) == NULL))
        return base_fail(error, CAIRN_ERROR_FORMAT,
                         "%s: the run kept no frames for ParaView; run it without --paraview none "
                         "and --paraview-every 0, or see cairn export",
                         path);
    if (status == CAIRN_OK)
        status = cli_path_join(index, folder, "surfaces.pvd", error);
    *surfaces = status == CAIRN_OK && access(index, R_OK) == 0;
    return status;
}

static void tell(const paraview_settings *settings, const char *script, const export_job *job,
                 const export_report *report, int frames)
{
    if (settings->json) {
        cli_json json = cli_json_begin(stdout);
        cli_json_object(&json, NULL);
        cli_json_text(&json, "kind", "paraview");
        cli_json_text(&json, "scene", job->subject->scene->name);
        cli_json_text(&json, "file", script);
        cli_json_integer(&json, "frames_of_forces", frames);
        cli_json_integer(&json, "contacts", report->contacts);
        cli_json_object_end(&json);
        cli_json_finish(&json);
        return;
    }
    if (settings->quiet)
        return;
    if (frames == 0)
        cli_note("the run kept no contacts (--contacts-every 0): bodies are shown without forces");
    cli_print_line(stdout,
                   "%s  bodies, and forces of %d frames; paraview --script=FILE shows them, "
                   "pvpython FILE PICTURE.png draws them",
                   cli_show(script).text, frames);
}

static cairn_status write_all(const paraview_settings *settings, const char *path,
                              const view_subject *subject, char script[PATH_MAX],
                              cairn_error *error)
{
    char folder[PATH_MAX];
    bool surfaces = false;
    int frames = 0;
    export_wish wish = {INT32_MAX, NAN, NAN, false};
    export_choice choice = {0};
    export_model model = {0};
    export_report report = {0};
    cli_file file;
    cli_progress progress = cli_progress_begin(settings->quiet);
    cairn_status status = find_frames(path, folder, &surfaces, error);
    if (status == CAIRN_OK)
        status = settings->out == NULL ? cli_path_join(script, folder, "show.py", error) : CAIRN_OK;
    if (status == CAIRN_OK && settings->out != NULL)
        snprintf(script, PATH_MAX, "%s", settings->out);
    if (status == CAIRN_OK)
        status = export_choose(subject, &wish, &choice, error);
    if (status == CAIRN_OK)
        status = export_model_build(&model, subject, error);
    if (status == CAIRN_OK)
        status = cli_file_open(&file, script, error);
    if (status == CAIRN_OK) {
        export_job job = {.subject = subject,
                          .model = &model,
                          .folder = folder,
                          .frames = choice.frames,
                          .frame_count = choice.count,
                          .progress = &progress};
        status = export_paraview(&job, surfaces, file.stream, &report, &frames, error);
        cli_progress_clear(&progress);
        if (status == CAIRN_OK) {
            status = cli_file_commit(&file, error);
        } else {
            fclose(file.stream);
            unlink(file.temporary);
        }
        if (status == CAIRN_OK)
            tell(settings, script, &job, &report, frames);
    }
    const base_allocator allocator = base_allocator_default();
    base_release(&allocator, choice.frames);
    export_model_finish(&model);
    return status;
}

/// This process becomes ParaView; it returns where there is none.
static int start(const char *script)
{
    char word[PATH_MAX + 16];
    snprintf(word, sizeof word, "--script=%s", script);
    fflush(NULL);
    execlp("paraview", "paraview", word, (char *)NULL);
    if (errno != ENOENT) {
        cli_complain("paraview cannot be started: %s", strerror(errno));
        return CLI_EXIT_FAILED;
    }
    cli_note("paraview is not installed here: the files are written");
    return CLI_EXIT_DONE;
}

static int run_paraview(const void *memory)
{
    const paraview_settings *settings = memory;
    const char *word = settings->common.arguments[0];
    cairn_error error = {0};
    char path[PATH_MAX], script[PATH_MAX];
    cli_scene_path(word, true, path);
    if (access(path, F_OK) == 0 && !cli_subject_is_run(path)) {
        cli_complain("%s is no run: cairn paraview takes the folder of one, or its trajectory.h5",
                     path);
        return CLI_EXIT_INPUT;
    }
    view_subject subject = {0};
    scn_options load = scn_default_options();
    load.log = cli_log;
    int result = cli_load_subject(path, &load, &subject);
    if (result != CLI_EXIT_DONE)
        return result;
    cli_interrupt_watch();
    cairn_status status = write_all(settings, path, &subject, script, &error);
    view_subject_finish(&subject);
    if (status != CAIRN_OK) {
        cli_complain("%s", error.message);
        return export_exit(status);
    }
    if (settings->no_start || settings->json || settings->out != NULL)
        return CLI_EXIT_DONE;
    return start(script);
}

const cli_command cli_cmd_paraview = {
    .name = "paraview",
    .summary = "a run in ParaView: bodies, and force chains as tubes",
    .operands = "RUN",
    .description =
        "Writes the contact forces of a run (its folder, or trajectory.h5) as lines from centre to "
        "centre\nbeside its ParaView frames, and a script that shows them with the bodies; then "
        "starts paraview\nwhere it is installed. pvpython show.py PICTURE.png [TIME] draws a "
        "picture without a window.",
    .least = 1,
    .most = 1,
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(paraview_settings),
    .completion = CLI_COMPLETE_FILE,
    .run = run_paraview,
};
