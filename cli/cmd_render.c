// SPDX-License-Identifier: Apache-2.0
// cairn render: a picture or a film of a scene, without a display.
#include "base/assert.h"
#include "cli/commands.h"
#include "cli/options/picture.h"
#include "cli/process/interrupt.h"
#include "cli/process/status.h"
#include "cli/process/subject.h"
#include "cli/text/json.h"
#include "cli/text/progress.h"
#include "cli/text/wrap.h"

#include <float.h>
#include <limits.h>
#include <math.h>

typedef struct render_settings {
    cli_common common;
    cli_picture picture;
    const char *out;
    double at, from, until; // s; NAN: see the table
    double frame_rate, speed;
    bool no_caption, json, quiet;
} render_settings;

#define FIELD(name) offsetof(render_settings, name)

static const cli_option options[] = {
    {.name = "out",
     .letter = 'o',
     .type = CLI_TEXT,
     .offset = FIELD(out),
     .argument = "FILE",
     .help = "FILE.png, FILE-%05d.png, FILE.mp4, .webm, .mkv, .mov or .gif",
     .completion = CLI_COMPLETE_FILE},
    {.name = "at",
     .type = CLI_NUMBER,
     .offset = FIELD(at),
     .argument = "T",
     .help = "instant of a picture, s (default: the end)",
     .maximum = DBL_MAX},
    {.name = "from",
     .type = CLI_NUMBER,
     .offset = FIELD(from),
     .argument = "T",
     .help = "start of a film, s (default: the start)",
     .maximum = DBL_MAX},
    {.name = "until",
     .type = CLI_NUMBER,
     .offset = FIELD(until),
     .argument = "T",
     .help = "end of a film, s (default: the end)",
     .maximum = DBL_MAX},
    {.name = "frame-rate",
     .type = CLI_NUMBER,
     .offset = FIELD(frame_rate),
     .argument = "X",
     .help = "pictures in a second of film (default 30)",
     .minimum = 1.0,
     .maximum = 240.0},
    {.name = "speed",
     .type = CLI_NUMBER,
     .offset = FIELD(speed),
     .argument = "X",
     .help = "simulated seconds in a second of film (default 1)",
     .maximum = 1e6,
     .open = true},
    {.name = "no-caption",
     .type = CLI_FLAG,
     .offset = FIELD(no_caption),
     .help = "no title and time in the picture"},
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

static const cli_group groups[] = {CLI_PICTURE_GROUPS(render_settings, picture)};

static void set_defaults(void *memory)
{
    render_settings *settings = memory;
    cli_picture_defaults(&settings->picture);
    settings->at = settings->from = settings->until = NAN;
    settings->frame_rate = 30.0;
    settings->speed = 1.0;
}

static void show_progress(void *context, double part, const cairn_world *world)
{
    cli_progress_show(context, part, world);
}

static int render_loaded(const render_settings *settings, const view_subject *subject, int width,
                         int height)
{
    cairn_error error = {0};
    view_render_report report;
    cli_progress progress = cli_progress_begin(settings->quiet);
    view_render_request request = (view_render_request){
        .subject = subject,
        .output = settings->out,
        .at = settings->at,
        .from = settings->from,
        .until = settings->until,
        .frame_rate = settings->frame_rate,
        .speed = settings->speed,
        .caption = !settings->no_caption,
        .progress = show_progress,
        .stop = cli_interrupt_asked,
        .note = cli_log,
    };
    int result = cli_picture_look(&settings->picture, &request.style, &request.place);
    if (result != CLI_EXIT_DONE)
        return result;
    request.width = width;
    request.height = height;
    request.context = &progress;
    cli_interrupt_watch();
    cairn_status status = view_render(&request, &report, &error);
    cli_progress_clear(&progress);
    if (status != CAIRN_OK)
        cli_complain("%s", error.message);
    else if (settings->json) {
        cli_json json = cli_json_begin(stdout);
        cli_json_object(&json, NULL);
        cli_json_text(&json, "kind", "picture");
        cli_json_text(&json, "scene", subject->scene->name);
        cli_json_boolean(&json, "replay", subject->replay != NULL);
        cli_json_text(&json, "file", report.file);
        cli_json_integer(&json, "pictures", report.pictures);
        cli_json_number(&json, "time", report.time);
        cli_json_number(&json, "seconds_stepping", report.seconds_stepping);
        cli_json_number(&json, "seconds_drawing", report.seconds_drawing);
        cli_json_text(&json, "gl", report.device);
        cli_json_object_end(&json);
        cli_json_finish(&json);
    } else if (!settings->quiet) {
        cli_print_line(stdout,
                       "%s  %d picture%s, up to %.4g s; %.2f s stepping, %.2f s drawing (%s)",
                       cli_show(report.file).text, report.pictures, report.pictures == 1 ? "" : "s",
                       report.time, report.seconds_stepping, report.seconds_drawing, report.device);
    }
    return cli_picture_exit(status);
}

static int run_render(const void *memory)
{
    const render_settings *settings = memory;
    int width = 0, height = 0;
    if (settings->out == NULL) {
        cli_complain("cairn render wants -o FILE.png or -o FILE.mp4");
        return CLI_EXIT_USAGE;
    }
    if (!cli_picture_size(&settings->picture, &width, &height))
        return CLI_EXIT_USAGE;
    int result = cli_picture_check();
    if (result != CLI_EXIT_DONE)
        return result;
    view_subject subject = {0};
    scn_options load = cli_picture_load_options(&settings->picture);
    result = cli_load_subject(settings->common.arguments[0], &load, &subject);
    if (result != CLI_EXIT_DONE)
        return result;
    result = render_loaded(settings, &subject, width, height);
    view_subject_finish(&subject);
    return result;
}

const cli_command cli_cmd_render = {
    .name = "render",
    .summary = "a picture or a film of a scene or a run, no display needed",
    .operands = "SCENE|RUN",
    .description =
        "Steps a scene, or takes the frames of a run (its folder, or trajectory.h5), and draws "
        "into a file:\na picture at one instant, a series of pictures, or a film through ffmpeg. "
        "Neither a display nor\na graphics processor is needed.",
    .least = 1,
    .most = 1,
    .options = options,
    .option_count = BASE_COUNT(options),
    .groups = groups,
    .group_count = BASE_COUNT(groups),
    .settings_size = sizeof(render_settings),
    .completion = CLI_COMPLETE_FILE,
    .defaults = set_defaults,
    .run = run_render,
};
