// SPDX-License-Identifier: Apache-2.0
// cairn view: a window on a scene that runs, or on a run.
#include "base/assert.h"
#include "cli/commands.h"
#include "cli/options/picture.h"
#include "cli/options/saved_view.h"
#include "cli/process/files.h"
#include "cli/process/interrupt.h"
#include "cli/process/program.h"
#include "cli/process/status.h"
#include "cli/process/subject.h"

#include <string.h>

typedef struct view_settings {
    cli_common common;
    cli_picture picture;
    const char *folder, *script;
    bool paused, hidden, quiet;
} view_settings;

#define FIELD(name) offsetof(view_settings, name)

static const cli_option options[] = {
    {.name = "out",
     .letter = 'o',
     .type = CLI_TEXT,
     .offset = FIELD(folder),
     .argument = "DIR",
     .help = "folder for pictures, films and problems (default: the run's, of a scene here)",
     .completion = CLI_COMPLETE_FOLDER},
    {.name = "paused",
     .type = CLI_FLAG,
     .offset = FIELD(paused),
     .help = "wait for Space at the start"},
    {.name = "hidden",
     .type = CLI_FLAG,
     .offset = FIELD(hidden),
     .help = "no window, for --script on a machine without a display"},
    {.name = "script",
     .type = CLI_TEXT,
     .offset = FIELD(script),
     .argument = "FILE",
     .help = "play key and mouse events from a file",
     .completion = CLI_COMPLETE_FILE},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = FIELD(quiet),
     .help = "no messages of the window on standard error"},
};

static const cli_group groups[] = {CLI_PICTURE_GROUPS(view_settings, picture)};

static void set_defaults(void *memory)
{
    view_settings *settings = memory;
    cli_picture_defaults(&settings->picture);
}

static void note(void *context, cairn_log_level level, const char *text)
{
    (void)context;
    if (level == CAIRN_INFO)
        fprintf(stderr, "cairn: %s\n", text);
    else
        cli_log(NULL, level, text);
}

/// How other scenes are opened from the window, and drawn small for its list.
typedef struct open_context {
    const char *path; // of the command line
    const scn_options *options;
    char sketches[PATH_MAX]; // folder of the small pictures of the list
} open_context;

/// The parameters of the command line are those of its scene; the window may have changed them.
static cairn_status open_subject(void *context, const char *path, const scn_assignment *parameters,
                                 int parameter_count, view_subject *subject, cairn_error *error)
{
    const open_context *opened = context;
    scn_options load = *opened->options;
    int given = strcmp(path, opened->path) == 0 ? load.parameter_count : 0, count = 0;
    scn_assignment *all =
        base_allocate(&load.allocator, (size_t)given + (size_t)parameter_count + 1, sizeof *all);
    if (all == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    for (int i = 0; i < parameter_count; i++)
        all[count++] = parameters[i];
    for (int i = 0; i < given; i++) {
        bool changed = false;
        for (int k = 0; k < parameter_count; k++)
            changed = changed || strcmp(opened->options->parameters[i].name, all[k].name) == 0;
        if (!changed)
            all[count++] = opened->options->parameters[i];
    }
    load.parameters = all;
    load.parameter_count = count;
    cairn_status status = cli_subject_open(path, &load, subject, error);
    base_release(&load.allocator, all);
    return status;
}

/// This program draws the picture, in a process of its own.
static cairn_status start_sketch(void *context, const char *path, bool run, const char *file,
                                 int width, int height, pid_t *process, cairn_error *error)
{
    const open_context *opened = context;
    char program[PATH_MAX], subject[PATH_MAX + 2], size[32];
    BASE_TRY(cli_program_path(program, error));
    // a name may look like an option
    snprintf(subject, sizeof subject, "%s%s", path[0] == '/' ? "" : "./", path);
    snprintf(size, sizeof size, "%dx%d", width, height);
    // a scene as it is at the start, a run as it was at its end
    const char *words[] = {program,          "render", subject, "--quiet", "--no-caption",
                           "--size",         size,     "--out", file,      run ? NULL : "--at",
                           run ? NULL : "0", NULL};
    return cli_program_start(words, opened->sketches, "a small picture", process, error);
}

static int show(const view_settings *settings, view_subject *subject, const scn_options *load,
                const char *path)
{
    cairn_error error = {0};
    char scenes[PATH_MAX];
    open_context context = {.path = path, .options = load};
    bool kept = cli_cache_folder("scenes", context.sketches) == CAIRN_OK;
    view_window_request request = {
        .subject = *subject,
        .path = path,
        .open = open_subject,
        .open_context = &context,
        .save_view = cli_saved_view_write,
        .scenes = cli_scenes_folder(scenes) == CAIRN_OK ? scenes : NULL,
        .sketch = start_sketch,
        .sketches = kept ? context.sketches : NULL,
        .paused = settings->paused,
        .hidden = settings->hidden,
        .script = settings->script,
        .folder = settings->folder,
        .stop = cli_interrupt_asked,
        .note = settings->quiet ? NULL : note,
    };
    int result = cli_picture_look(&settings->picture, &request.style, &request.place);
    if (result != CLI_EXIT_DONE) {
        view_subject_finish(subject);
        return result;
    }
    if (!cli_picture_size(&settings->picture, &request.width, &request.height)) {
        view_subject_finish(subject);
        return CLI_EXIT_USAGE;
    }
    cli_interrupt_watch();
    cairn_status status = view_window(&request, &error);
    if (status != CAIRN_OK)
        cli_complain("%s", error.message);
    return cli_picture_exit(status);
}

static int run_view(const void *memory)
{
    const view_settings *settings = memory;
    const char *word = settings->common.arguments[0];
    char path[PATH_MAX];
    cairn_error error = {0};
    if (settings->hidden && settings->script == NULL) {
        cli_complain("--hidden goes with --script: nobody else could end it");
        return CLI_EXIT_USAGE;
    }
    int result = cli_picture_check();
    if (result != CLI_EXIT_DONE)
        return result;
    if (settings->folder != NULL && cli_folder_make(settings->folder, &error) != CAIRN_OK) {
        cli_complain("%s", error.message);
        return CLI_EXIT_FAILED;
    }
    view_subject subject = {0};
    scn_options load = cli_picture_load_options(&settings->picture);
    result = cli_load_subject(word, &load, &subject);
    if (result != CLI_EXIT_DONE)
        return result;
    cli_scene_path(word, true, path);
    return show(settings, &subject, &load, path);
}

static int help_keys(const void *memory)
{
    (void)memory;
    printf("\nkeys and mouse:\n\n");
    view_keys_print(stdout);
    return CLI_EXIT_DONE;
}

const cli_command cli_cmd_view = {
    .name = "view",
    .summary = "a live window on a scene, or the replay of a run",
    .operands = "SCENE|RUN",
    .description =
        "Opens a window on a scene and runs it: look around, pause, step forward and back, choose "
        "and pull\nbodies, see contacts with their forces, change settings, write pictures, films "
        "and FCLIB problems.\nOf a run (its folder, or trajectory.h5) it shows the frames, forward "
        "and back. F1 in the window,\nand cairn view --help, list the keys.",
    .least = 1,
    .most = 1,
    .options = options,
    .option_count = BASE_COUNT(options),
    .groups = groups,
    .group_count = BASE_COUNT(groups),
    .settings_size = sizeof(view_settings),
    .completion = CLI_COMPLETE_FILE,
    .defaults = set_defaults,
    .run = run_view,
    .help = help_keys,
    .manual = view_keys_print,
};
