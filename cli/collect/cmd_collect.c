// SPDX-License-Identifier: Apache-2.0
// cairn collect: contact problems from many runs, checked, without near copies, with an index.
#include "cli/collect/collect.h"
#include "cli/commands.h"
#include "cli/process/files.h"
#include "cli/process/interrupt.h"
#include "cli/process/program.h"
#include "cli/process/status.h"
#include "cli/text/json.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/timer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIELD(name) offsetof(collect_settings, name)

static const cli_option options[] = {
    {.name = "out",
     .letter = 'o',
     .type = CLI_TEXT,
     .offset = FIELD(out),
     .argument = "DIR",
     .help = "folder of the collection (default out/collection); one that holds a part of the same "
             "collection is continued",
     .completion = CLI_COMPLETE_FOLDER},
    {.name = "most",
     .type = CLI_INTEGER,
     .offset = FIELD(most),
     .argument = "N",
     .help = "problems of one run, spread over those that it dumps (default 8)",
     .minimum = 1,
     .maximum = 1000},
    {.name = "fclib-form",
     .type = CLI_TEXT,
     .offset = FIELD(form),
     .argument = "local|global",
     .help = "form of the problems (default global)"},
    {.name = "tolerance",
     .type = CLI_NUMBER,
     .offset = FIELD(tolerance),
     .argument = "X",
     .help = "residual of the solve that tells how hard a problem is (default 1e-8)",
     .maximum = 1.0,
     .open = true},
    {.name = "cpu-limit",
     .type = CLI_NUMBER,
     .offset = FIELD(cpu_limit),
     .argument = "SECONDS",
     .help = "CPU time of that solve (default 10)",
     .maximum = 1e6,
     .open = true},
    {.name = "likeness",
     .type = CLI_NUMBER,
     .offset = FIELD(likeness),
     .argument = "X",
     .help = "problems of the same sizes and friction whose velocities without impulses are "
             "distributed alike to X of the largest are near copies (default 0.01)",
     .maximum = 1.0},
    {.name = "claim-timeout",
     .type = CLI_NUMBER,
     .offset = FIELD(claim_timeout),
     .argument = "SECONDS",
     .help = "a row whose owner on another machine gave no sign of life for so long is taken over "
             "(default 120)",
     .minimum = 5.0,
     .maximum = 1e6},
    {.name = "retry",
     .type = CLI_FLAG,
     .offset = FIELD(retry),
     .help = "run rows that failed once more"},
    {.name = "json",
     .type = CLI_FLAG,
     .offset = FIELD(json),
     .help = "print one object with the numbers of rows and problems on standard output"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = FIELD(quiet),
     .help = "no progress"},
};

static void set_defaults(void *at)
{
    collect_settings *settings = at;
    settings->out = "out/collection";
    settings->most = 8;
    settings->form = "global";
    settings->tolerance = 1e-8;
    settings->cpu_limit = 10.0;
    settings->likeness = 0.01;
    settings->claim_timeout = 120.0;
}

// the plan that is named, or the built-in one
static cairn_status read_plan(collection *c, cairn_error *error)
{
    char path[PATH_MAX];
    const cli_common *common = &c->settings->common;
    if (common->argument_count > 0) {
        snprintf(path, sizeof path, "%s", common->arguments[0]);
    } else {
        char scenes[PATH_MAX];
        cairn_status status = cli_scenes_folder(scenes);
        if (status != CAIRN_OK)
            return base_fail(error, CAIRN_ERROR_FILE,
                             "the folder of the built-in scenes is not "
                             "there (name a plan)");
        status = cli_path_join(path, scenes, "collection/plan.csv", error);
        if (status != CAIRN_OK)
            return status;
    }
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) : 0;
    snprintf(c->plan_folder, sizeof c->plan_folder, "%.*s", slash != NULL ? (int)length : 1,
             slash != NULL ? path : ".");
    cairn_status status = sweep_plan_read(&c->plan, path, error);
    for (int row = 0; status == CAIRN_OK && row < c->plan.rows; row++)
        if (collect_value(c, row, "scene") == NULL)
            status = base_fail(error, CAIRN_ERROR_FORMAT,
                               "%s: row %d names no scene (a column "
                               "\"scene\" is needed)",
                               path, row + 1);
    if (status == CAIRN_OK)
        c->tried = calloc((size_t)c->plan.rows + 1, sizeof *c->tried);
    return status == CAIRN_OK && c->tried == NULL
               ? base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY))
               : status;
}

/// Hash of the scenes that lie beside the plan.
static uint64_t hash_scenes(const collection *c)
{
    char path[PATH_MAX];
    cairn_error error;
    uint64_t hash = BASE_HASH_START;
    for (int row = 0; row < c->plan.rows; row++) {
        const char *scene = collect_value(c, row, "scene");
        if (cli_path_join(path, c->plan_folder, scene, &error) == CAIRN_OK)
            (void)base_file_hash(path, &hash);
    }
    return hash;
}

// makes the folder, and sees to it that it belongs to this collection
static cairn_status open_folder(collection *c, cairn_error *error)
{
    char problems[PATH_MAX], command[128];
    const collect_settings *settings = c->settings;
    int lock;
    snprintf(c->folder, sizeof c->folder, "%s", settings->out);
    snprintf(command, sizeof command, "collect --most %d --fclib-form %s --tolerance %g",
             (int)settings->most, settings->form, settings->tolerance);
    const sweep_subject subject = {command, hash_scenes(c), settings->retry};
    bool changed;
    BASE_TRY(cli_path_join(problems, c->folder, "problems", error));
    BASE_TRY(cli_folder_make(c->folder, error));
    BASE_TRY(cli_folder_make_own(problems, error));
    BASE_TRY(sweep_lock(c->folder, &lock, error));
    cairn_status status = sweep_plan_settle(&c->plan, c->folder, &subject, &changed, error);
    sweep_unlock(lock);
    if (status == CAIRN_OK && changed)
        cli_warn("%s: rows that are done are of the scenes as they were", c->folder);
    return status;
}

// the next row that nobody has; -1 for none
static cairn_status claim_next(collection *c, int *row, int *others, cairn_error *error)
{
    int lock;
    *row = -1;
    *others = 0;
    cairn_status status = sweep_lock(c->folder, &lock, error);
    for (int at = 0; at < c->plan.rows && *row < 0 && status == CAIRN_OK; at++) {
        sweep_claim claim;
        status = sweep_claim_take(c->folder, at, c->settings->claim_timeout,
                                  c->settings->retry && !c->tried[at], &claim, error);
        *others += claim == SWEEP_CLAIM_OTHERS;
        if (status == CAIRN_OK && claim == SWEEP_CLAIM_TAKEN)
            *row = at;
    }
    sweep_unlock(lock);
    return status;
}

static cairn_status write_index(collection *c, cairn_error *error)
{
    int lock;
    cairn_status status = sweep_lock(c->folder, &lock, error);
    if (status == CAIRN_OK)
        status = collect_index_write(c, error);
    sweep_unlock(lock);
    return status;
}

static cairn_status run_rows(collection *c, cairn_error *error)
{
    int row = 0, others = 1;
    cairn_status status = write_index(c, error);
    while (status == CAIRN_OK && !cli_interrupt_asked() && (row >= 0 || others > 0)) {
        status = claim_next(c, &row, &others, error);
        if (status == CAIRN_OK && row >= 0) {
            c->tried[row] = true;
            status = collect_row_run(c, row, error);
        } else if (status == CAIRN_OK && others > 0) {
            const struct timespec pause = {.tv_nsec = 500 * 1000 * 1000};
            nanosleep(&pause, NULL);
        }
    }
    return status == CAIRN_INTERRUPTED ? CAIRN_OK : status;
}

static void put_json(const collection *c, double seconds, const char *status)
{
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "kind", "collection");
    cli_json_text(&json, "status", status);
    cli_json_integer(&json, "rows", c->plan.rows);
    cli_json_integer(&json, "done", c->done);
    cli_json_integer(&json, "failed", c->failed);
    cli_json_integer(&json, "problems", c->problems);
    cli_json_integer(&json, "copies", c->copies);
    cli_json_text(&json, "folder", c->folder);
    cli_json_number(&json, "seconds", seconds);
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

/// Runs what is left of the collection. @return exit status
static int run_plan(collection *c)
{
    cairn_error error = {0}, later;
    double start = base_timer_seconds();
    c->progress = cli_progress_begin(c->settings->quiet || c->settings->json);
    cli_interrupt_watch();
    cairn_status status = run_rows(c, &error);
    cairn_status written = write_index(c, status == CAIRN_OK ? &error : &later);
    cli_progress_clear(&c->progress);
    bool broke = status != CAIRN_OK || written != CAIRN_OK, interrupted = cli_interrupt_asked();
    double seconds = base_timer_seconds() - start;
    if (broke)
        cli_complain("%s", error.message);
    if (c->settings->json)
        put_json(c, seconds, broke ? "failed" : interrupted ? "interrupted" : "done");
    else if (!broke)
        printf("%s: %d of %d rows done, %d failed, %d problems, %d near copies left out, in %.3g "
               "s: %s/index.csv\n",
               interrupted ? "interrupted" : "done", c->done, c->plan.rows, c->failed, c->problems,
               c->copies, seconds, cli_show(c->folder).text);
    if (broke)
        return CLI_EXIT_FAILED;
    return interrupted ? CLI_EXIT_INTERRUPTED : c->failed > 0 ? CLI_EXIT_FAILED : CLI_EXIT_DONE;
}

static int run_collect(const void *at)
{
    const collect_settings *settings = at;
    cairn_error error = {0};
    if (strcmp(settings->form, "local") != 0 && strcmp(settings->form, "global") != 0) {
        cli_complain("--fclib-form %s is unknown (local, global)", settings->form);
        return CLI_EXIT_USAGE;
    }
    collection *c = calloc(1, sizeof *c);
    if (c == NULL)
        return CLI_EXIT_FAILED;
    c->settings = settings;
    cairn_status status = read_plan(c, &error);
    if (status == CAIRN_OK)
        status = cli_program_path(c->program, &error);
    if (status == CAIRN_OK)
        status = open_folder(c, &error);
    int result = status == CAIRN_OK ? run_plan(c) : CLI_EXIT_USAGE;
    if (status != CAIRN_OK) {
        cli_complain("%s", error.message);
        if (status == CAIRN_ERROR_FILE || status == CAIRN_ERROR_FORMAT)
            result = CLI_EXIT_INPUT;
    }
    sweep_plan_release(&c->plan);
    free(c->tried);
    free(c);
    return result;
}

const cli_command cli_cmd_collect = {
    .name = "collect",
    .summary = "collect contact problems from many runs",
    .operands = "[PLAN.csv]",
    .description =
        "Runs each line of PLAN.csv and keeps contact problems of its steps in DIR/problems, with "
        "where they come from and how hard they are in their texts; DIR/index.csv lists them. The "
        "plan's first line names its columns: scene (a file beside the plan, a path or a built-in "
        "scene), until, step, tolerance, law, solver, seed, every (dump every K steps) and when "
        "(an expression that a step must satisfy, as for --fclib-when); all other columns are "
        "parameters of the scene, and empty fields leave the scene's own value. Without PLAN.csv "
        "the built-in plan is run, more than a thousand problems of all scenes.\n\n"
        "Each problem is tested for existence of a solution and solved by auto, in a process of "
        "its own with limits on time and memory; near copies are left out. The same command goes "
        "on where a collection was interrupted or killed, and several of them may share a folder.",
    .least = 0,
    .most = 1,
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(collect_settings),
    .completion = CLI_COMPLETE_FILE,
    .defaults = set_defaults,
    .run = run_collect,
};
