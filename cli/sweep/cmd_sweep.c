// SPDX-License-Identifier: Apache-2.0
// cairn sweep: many runs of one scene with other parameters, and one table of what they came to.
#include "cli/commands.h"
#include "cli/process/files.h"
#include "cli/process/interrupt.h"
#include "cli/process/load.h"
#include "cli/process/program.h"
#include "cli/process/status.h"
#include "cli/sweep/sweep.h"
#include "cli/text/json.h"
#include "cli/text/json_read.h"
#include "cli/text/progress.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/timer.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { JOBS_MAX = 256, WORDS_MAX = 512, COMMAND_SIZE = 1 << 14 };

// s; how long an interrupted run has for its checkpoint before it is killed
static const double grace = 20.0;
// between two looks for rows that their owners left
static const double look_every = 0.5;
// the merged table is written again when this many times its own cost has passed, and a second
static const double table_cost_factor = 20.0;

#define FIELD(name) offsetof(sweep_settings, name)

static const cli_option options[] = {
    {.name = "vary",
     .type = CLI_ASSIGNMENTS,
     .offset = FIELD(vary),
     .argument = "NAME=VALUES",
     .help = "values of a parameter: from:to:points, from:to:points:log or a,b,c; may be repeated "
             "(every combination is run)"},
    {.name = "latin",
     .type = CLI_INTEGER,
     .offset = FIELD(latin),
     .argument = "N",
     .help = "N samples of a Latin hypercube over the ranges (from:to, from:to:log) and lists of "
             "--vary instead of a grid",
     .minimum = 1,
     .maximum = 1e7},
    {.name = "seed",
     .type = CLI_INTEGER,
     .offset = FIELD(seed),
     .argument = "N",
     .help = "seed of the Latin hypercube (default 0)",
     .maximum = INT_MAX},
    {.name = "jobs",
     .letter = 'j',
     .type = CLI_INTEGER,
     .offset = FIELD(jobs),
     .argument = "N",
     .help = "runs at a time (default: the number of processors)",
     .minimum = 1,
     .maximum = JOBS_MAX},
    {.name = "shard",
     .type = CLI_TEXT,
     .offset = FIELD(shard),
     .argument = "I/N",
     .help = "take every Nth row from the Ith on: for arrays of jobs that share a folder"},
    {.name = "out",
     .letter = 'o',
     .type = CLI_TEXT,
     .offset = FIELD(out),
     .argument = "DIR",
     .help = "folder of the sweep (default out/<scene>_sweep); one that holds a part of the same "
             "sweep is continued",
     .completion = CLI_COMPLETE_FOLDER},
    {.name = "average-from",
     .type = CLI_NUMBER,
     .offset = FIELD(average_from),
     .argument = "T",
     .help = "the table has the mean of each sensor and measure from T seconds on instead of its "
             "last value",
     .maximum = DBL_MAX},
    {.name = "retry",
     .type = CLI_FLAG,
     .offset = FIELD(retry),
     .help = "run rows that failed once more"},
    {.name = "claim-timeout",
     .type = CLI_NUMBER,
     .offset = FIELD(claim_timeout),
     .argument = "SECONDS",
     .help = "a row whose owner on another machine gave no sign of life for so long is taken over "
             "(default 120)",
     .minimum = 5.0,
     .maximum = 1e6},
    {.name = "set",
     .type = CLI_ASSIGNMENTS,
     .offset = FIELD(parameters),
     .argument = "NAME=VALUE",
     .help = "a parameter of the scene for all rows; may be repeated"},
    {.name = "law",
     .type = CLI_PLUGIN,
     .offset = FIELD(law),
     .argument = "LAW",
     .help = "contact law of every pair",
     .plugin = CAIRN_LAW},
    {.name = "solver",
     .type = CLI_PLUGIN,
     .offset = FIELD(solver),
     .argument = "SOLVER",
     .help = "solver of the implicit law",
     .plugin = CAIRN_SOLVER},
    {.name = "solver-set",
     .type = CLI_ASSIGNMENTS,
     .offset = FIELD(solver_settings),
     .argument = "NAME=VALUE",
     .help = "a setting of the solver; may be repeated"},
    {.name = "local",
     .type = CLI_PLUGIN,
     .offset = FIELD(local),
     .argument = "LOCAL",
     .help = "one-contact solver",
     .plugin = CAIRN_LOCAL},
    {.name = "local-set",
     .type = CLI_ASSIGNMENTS,
     .offset = FIELD(local_settings),
     .argument = "NAME=VALUE",
     .help = "a setting of the one-contact solver; may be repeated"},
    {.name = "tolerance",
     .type = CLI_TEXT,
     .offset = FIELD(tolerance),
     .argument = "X",
     .help = "residual that a step must reach"},
    {.name = "step",
     .type = CLI_TEXT,
     .offset = FIELD(step),
     .argument = "H|auto",
     .help = "time step, s"},
    {.name = "until",
     .type = CLI_TEXT,
     .offset = FIELD(until),
     .argument = "T",
     .help = "end time, s"},
    {.name = "threads",
     .type = CLI_TEXT,
     .offset = FIELD(threads),
     .argument = "N",
     .help = "threads of each run"},
    {.name = "paraview-every",
     .type = CLI_TEXT,
     .offset = FIELD(paraview_every),
     .argument = "K",
     .help = "ParaView frames of each run every K steps (default 0: none)"},
    {.name = "scene-seed",
     .type = CLI_TEXT,
     .offset = FIELD(scene_seed),
     .argument = "N",
     .help = "seed of the scene's random numbers"},
    {.name = "json",
     .type = CLI_FLAG,
     .offset = FIELD(json),
     .help = "print one object with the numbers of rows on standard output"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = FIELD(quiet),
     .help = "no progress"},
};

static void set_defaults(void *at)
{
    sweep_settings *settings = at;
    settings->jobs = sysconf(_SC_NPROCESSORS_ONLN);
    settings->average_from = INFINITY;
    settings->claim_timeout = 120.0;
    settings->paraview_every = "0";
}

/// One run that goes on.
typedef struct job {
    pid_t process; // 0: none
    int row;
    bool resumed; // from a checkpoint of the row
} job;

typedef struct sweep {
    const sweep_settings *settings;
    sweep_plan plan;
    char folder[PATH_MAX], program[PATH_MAX], scene[PATH_MAX];
    uint64_t scene_text; // hash of the scene's program as it was read
    int shard, shards;   // this process takes rows with row % shards == shard
    int cursor;          // rows of the shard before it need no look
    bool *tried;         // [rows] run by this process: a failure stands
    job jobs[JOBS_MAX];
    int running;
    sweep_counts counts;
    double table_time, table_cost, sign_time; // s
    double look_time;                         // s; when no row was free last
    cli_progress progress;
} sweep;

// ---------------------------------------------------------------- the command of a row

typedef struct words {
    const char *word[WORDS_MAX];
    char text[COMMAND_SIZE];
    size_t used;
    int count;
    bool full;
} words;

static void add_word(words *w, const char *word)
{
    if (w->count + 1 >= WORDS_MAX)
        w->full = true;
    else
        w->word[w->count++] = word;
    w->word[w->count] = NULL;
}

static void add_option(words *w, const char *option, const char *value)
{
    if (value == NULL)
        return;
    add_word(w, option);
    add_word(w, value);
}

/// --option name=value
static void add_assignment(words *w, const char *option, const char *name, const char *value)
{
    size_t left = sizeof w->text - w->used;
    int length = snprintf(w->text + w->used, left, "%s=%s", name, value);
    if (length < 0 || (size_t)length >= left) {
        w->full = true;
        return;
    }
    add_option(w, option, w->text + w->used);
    w->used += (size_t)length + 1;
}

static void add_assignments(words *w, const char *option, const cli_assignments *all)
{
    for (int i = 0; i < all->count; i++)
        add_assignment(w, option, all->items[i].name, all->items[i].value);
}

/// What all rows have in common, from the scene on.
static void add_shared(const sweep *s, words *w)
{
    const sweep_settings *settings = s->settings;
    add_word(w, s->scene);
    add_assignments(w, "--set", &settings->parameters);
    add_option(w, "--law", settings->law);
    add_option(w, "--solver", settings->solver);
    add_assignments(w, "--solver-set", &settings->solver_settings);
    add_option(w, "--local", settings->local);
    add_assignments(w, "--local-set", &settings->local_settings);
    add_option(w, "--tolerance", settings->tolerance);
    add_option(w, "--step", settings->step);
    add_option(w, "--until", settings->until);
    add_option(w, "--threads", settings->threads);
    add_option(w, "--seed", settings->scene_seed);
}

static cairn_status build_command(const sweep *s, int row, const char *inner,
                                  const char *checkpoint, words *w, cairn_error *error)
{
    *w = (words){0};
    add_word(w, s->program);
    add_word(w, "run");
    add_shared(s, w);
    for (int c = 0; c < s->plan.columns; c++)
        add_assignment(w, "--set", s->plan.names[c], sweep_value(&s->plan, row, c));
    add_option(w, "--out", inner);
    add_option(w, "--restart", checkpoint);
    add_option(w, "--paraview-every", s->settings->paraview_every);
    // the table says how many steps were not solved
    add_word(w, "--accept-unsolved");
    add_word(w, "--quiet");
    return w->full ? base_fail(error, CAIRN_ERROR_ARGUMENT, "row %d: too many parameters", row + 1)
                   : CAIRN_OK;
}

/// Asks the table of `cairn run` whether it takes the words of the first row.
static cairn_status check_command(const sweep *s, cairn_error *error)
{
    words w;
    cairn_status status = build_command(s, 0, s->folder, NULL, &w, error);
    void *settings = malloc(cli_cmd_run.settings_size);
    if (status == CAIRN_OK && settings == NULL)
        status = base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
    if (status == CAIRN_OK)
        status = cli_options_parse(&cli_cmd_run, w.count - 2, (char *const *)(w.word + 2), settings,
                                   error);
    free(settings);
    return status;
}

// ---------------------------------------------------------------- runs

/// Starts the run of a row that this process has claimed, from its checkpoint where there is one.
static cairn_status start_row(sweep *s, job *slot, int row, bool may_resume, cairn_error *error)
{
    char inner[PATH_MAX], checkpoint[PATH_MAX], result[PATH_MAX];
    words w;
    BASE_TRY(sweep_row_folder(inner, s->folder, row, error));
    BASE_TRY(cli_path_join(checkpoint, inner, "checkpoint.h5", error));
    BASE_TRY(cli_path_join(result, inner, "row.csv", error));
    // a result that does not stand any more: the row is run from the start
    bool again = unlink(result) == 0;
    bool resumes = may_resume && !again && access(checkpoint, F_OK) == 0;
    BASE_TRY(build_command(s, row, inner, resumes ? checkpoint : NULL, &w, error));
    char what[32];
    pid_t process;
    snprintf(what, sizeof what, "row %d", row + 1);
    BASE_TRY(cli_program_start(w.word, inner, what, &process, error));
    *slot = (job){process, row, resumes};
    s->tried[row] = true;
    s->running++;
    return CAIRN_OK;
}

/// A run has ended: its result is written, or, where it was interrupted, its claim given back.
/// Whether a run that is done was of the scene as the sweep has read it.
static bool ran_scene(const sweep *s, const char *inner)
{
    char path[PATH_MAX], expected[20];
    cli_json_tree tree;
    cairn_error error;
    snprintf(expected, sizeof expected, "%016" PRIx64, s->scene_text);
    if (cli_path_join(path, inner, "resolved.json", &error) != CAIRN_OK ||
        cli_json_read(path, &tree, &error) != CAIRN_OK)
        return true;
    const cli_json_node *text = cli_json_member(tree.root, "scene_text");
    bool same = text == NULL || text->text == NULL || strcmp(text->text, expected) == 0;
    cli_json_release(&tree);
    return same;
}

static cairn_status end_row(sweep *s, job *slot, int state, cairn_error *error)
{
    char inner[PATH_MAX], message[CLI_PROGRAM_MESSAGE_SIZE] = "";
    int row = slot->row, ended = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    bool resumed = slot->resumed;
    *slot = (job){0};
    s->running--;
    BASE_TRY(sweep_row_folder(inner, s->folder, row, error));
    if (ended == CLI_EXIT_INTERRUPTED || (cli_interrupt_asked() && ended != CLI_EXIT_DONE)) {
        sweep_claim_leave(s->folder, row);
        return CAIRN_OK;
    }
    // a checkpoint that cannot be used is no reason to fail
    if (resumed && ended == CLI_EXIT_INPUT)
        return start_row(s, slot, row, false, error);
    bool done = ended == CLI_EXIT_DONE;
    if (!done)
        cli_program_message(inner, state, message);
    else if (!ran_scene(s, inner)) {
        done = false;
        snprintf(message, sizeof message, "the scene was changed while the sweep ran");
    }
    sweep_result result = {done ? "done" : "failed", message};
    cairn_status status =
        sweep_result_write(&s->plan, s->folder, row, s->settings->average_from, &result, error);
    sweep_claim_leave(s->folder, row);
    return status;
}

static cairn_status reap_rows(sweep *s, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < s->settings->jobs && status == CAIRN_OK; i++) {
        int state;
        if (s->jobs[i].process != 0 && waitpid(s->jobs[i].process, &state, WNOHANG) > 0)
            status = end_row(s, &s->jobs[i], state, error);
    }
    return status;
}

/// Claims the next row of this process's share that nobody else runs.
/// @param row    out: -1 for none at this time
/// @param others out: rows of the share that others run
static cairn_status claim_next(sweep *s, int *row, int *others, cairn_error *error)
{
    int lock;
    *row = -1;
    *others = 0;
    cairn_status status = sweep_lock(s->folder, &lock, error);
    bool all_done = true;
    for (int at = s->cursor; at < s->plan.rows && *row < 0 && status == CAIRN_OK; at += s->shards) {
        sweep_claim claim;
        bool own = false;
        for (int i = 0; i < s->settings->jobs; i++)
            own |= s->jobs[i].process != 0 && s->jobs[i].row == at;
        if (own) {
            all_done = false;
            continue;
        }
        status = sweep_claim_take(s->folder, at, s->settings->claim_timeout,
                                  s->settings->retry && !s->tried[at], &claim, error);
        *others += claim == SWEEP_CLAIM_OTHERS;
        all_done = all_done && claim == SWEEP_CLAIM_DONE;
        if (all_done)
            s->cursor = at + s->shards;
        if (status == CAIRN_OK && claim == SWEEP_CLAIM_TAKEN)
            *row = at;
    }
    sweep_unlock(lock);
    return status;
}

// ---------------------------------------------------------------- the sweep

static cairn_status write_table(sweep *s, cairn_error *error)
{
    int lock;
    double start = base_timer_seconds();
    cairn_status status = sweep_lock(s->folder, &lock, error);
    if (status == CAIRN_OK)
        status = sweep_table_write(&s->plan, s->folder, &s->counts, error);
    sweep_unlock(lock);
    s->table_time = base_timer_seconds();
    s->table_cost = s->table_time - start;
    return status;
}

static void tell_progress(sweep *s, int others)
{
    char text[160], failed[32] = "", waits[48] = "";
    int ended = s->counts.done + s->counts.failed;
    if (s->counts.failed > 0)
        snprintf(failed, sizeof failed, ", %d failed", s->counts.failed);
    if (others > 0)
        snprintf(waits, sizeof waits, ", %d run elsewhere", others);
    snprintf(text, sizeof text, "%d of %d rows%s, %d running%s", ended, s->plan.rows, failed,
             s->running, waits);
    cli_progress_tell(&s->progress, (double)ended / s->plan.rows, text);
}

/// Signs of life, the table and the bar, each when it is due.
static cairn_status keep_up(sweep *s, int others, cairn_error *error)
{
    double now = base_timer_seconds();
    if (now - s->sign_time > s->settings->claim_timeout / 8.0) {
        for (int i = 0; i < s->settings->jobs; i++)
            if (s->jobs[i].process != 0 && !sweep_claim_renew(s->folder, s->jobs[i].row))
                kill(s->jobs[i].process, SIGTERM); // somebody else took it over
        s->sign_time = now;
    }
    cairn_status status = CAIRN_OK;
    if (now - s->table_time > fmax(1.0, table_cost_factor * s->table_cost))
        status = write_table(s, error);
    tell_progress(s, others);
    return status;
}

static void rest(void)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    nanosleep(&pause, NULL);
}

/// Asks the runs to stop, which leaves a checkpoint of each, and kills those that do not.
static cairn_status stop_rows(sweep *s, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    double start = base_timer_seconds();
    bool killed = false;
    for (int i = 0; i < s->settings->jobs; i++)
        if (s->jobs[i].process != 0)
            kill(s->jobs[i].process, SIGTERM);
    while (s->running > 0 && status == CAIRN_OK) {
        if (!killed && base_timer_seconds() - start > grace) {
            killed = true;
            for (int i = 0; i < s->settings->jobs; i++)
                if (s->jobs[i].process != 0)
                    kill(s->jobs[i].process, SIGKILL);
        }
        status = reap_rows(s, error);
        rest();
    }
    return status;
}

/// Fills free places with rows. @param left  out: rows that are not done, here or elsewhere
static cairn_status fill_places(sweep *s, int *others, bool *left, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    int row = 0;
    *others = 0;
    for (int i = 0; i < s->settings->jobs && row >= 0 && status == CAIRN_OK; i++) {
        if (s->jobs[i].process != 0)
            continue;
        status = claim_next(s, &row, others, error);
        if (status == CAIRN_OK && row >= 0)
            status = start_row(s, &s->jobs[i], row, true, error);
    }
    *left = s->running > 0 || *others > 0;
    if (row < 0)
        s->look_time = base_timer_seconds();
    return status;
}

static cairn_status run_rows(sweep *s, cairn_error *error)
{
    bool left = true;
    int others = 0;
    cairn_status status = CAIRN_OK;
    while (left && status == CAIRN_OK && !cli_interrupt_asked()) {
        int running = s->running;
        status = reap_rows(s, error);
        bool due = s->running < running || base_timer_seconds() - s->look_time > look_every;
        if (status == CAIRN_OK && s->running < s->settings->jobs && due)
            status = fill_places(s, &others, &left, error);
        if (status == CAIRN_OK)
            status = keep_up(s, others, error);
        rest();
    }
    return status;
}

static cairn_status read_shard(sweep *s, cairn_error *error)
{
    const char *text = s->settings->shard;
    s->shard = 0;
    s->shards = 1;
    if (text == NULL)
        return CAIRN_OK;
    int index, count, length = 0;
    if (sscanf(text, "%d/%d%n", &index, &count, &length) != 2 || text[length] != '\0' ||
        index < 1 || index > count)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "--shard %s: two numbers I/N with I from 1 to N are needed", text);
    s->shard = s->cursor = index - 1;
    s->shards = count;
    return CAIRN_OK;
}

static const scn_parameter *find_parameter(const scn_scene *scene, const char *name)
{
    for (int i = 0; i < scene->parameter_count; i++)
        if (strcmp(scene->parameters[i].name, name) == 0)
            return &scene->parameters[i];
    return NULL;
}

static bool is_whole(const void *context, const char *name)
{
    const scn_parameter *parameter = find_parameter(context, name);
    return parameter != NULL && parameter->whole;
}

static cairn_status check_names(const sweep_plan *plan, const scn_scene *scene, cairn_error *error)
{
    for (int c = 0; c < plan->columns; c++) {
        if (find_parameter(scene, plan->names[c]) != NULL)
            continue;
        char known[256] = "";
        for (int i = 0; i < scene->parameter_count; i++) {
            size_t used = strlen(known);
            snprintf(known + used, sizeof known - used, "%s%s", i > 0 ? ", " : "",
                     scene->parameters[i].name);
        }
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the scene has no parameter \"%.80s\" (it has: %s)", plan->names[c],
                         known[0] != '\0' ? known : "none");
    }
    return CAIRN_OK;
}

/// The rows, from the table or from --vary.
static cairn_status make_plan(sweep *s, const scn_scene *scene, cairn_error *error)
{
    const sweep_settings *settings = s->settings;
    bool table = settings->common.argument_count > 1;
    if (table == (settings->vary.count > 0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a sweep takes either a table of parameters or --vary");
    if (table && settings->latin > 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "--latin goes with --vary");
    BASE_TRY(table ? sweep_plan_read(&s->plan, settings->common.arguments[1], error)
                   : sweep_plan_vary(&s->plan, &settings->vary, settings->latin, settings->seed,
                                     is_whole, scene, error));
    BASE_TRY(check_names(&s->plan, scene, error));
    size_t rows = (size_t)s->plan.rows;
    s->tried = base_arena_allocate(s->plan.arena, "tried rows", rows, sizeof *s->tried);
    if (s->tried == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
    memset(s->tried, 0, rows * sizeof *s->tried);
    return CAIRN_OK;
}

/// Makes the folder, and sees to it that it belongs to this sweep.
static cairn_status open_folder(sweep *s, const scn_scene *scene, cairn_error *error)
{
    char command[COMMAND_SIZE] = "";
    words w = {0};
    int lock;
    if (s->settings->out != NULL)
        snprintf(s->folder, sizeof s->folder, "%s", s->settings->out);
    else
        snprintf(s->folder, sizeof s->folder, "out/%s_sweep", scene->name);
    add_shared(s, &w);
    for (int i = 0; i < w.count; i++) {
        size_t used = strlen(command);
        snprintf(command + used, sizeof command - used, "%s%s", i > 0 ? " " : "", w.word[i]);
    }
    const sweep_subject subject = {command, scene->inputs, s->settings->retry};
    bool changed;
    s->scene_text = base_hash_bytes(BASE_HASH_START, scene->text, strlen(scene->text));
    BASE_TRY(check_command(s, error));
    BASE_TRY(cli_folder_make(s->folder, error));
    BASE_TRY(sweep_lock(s->folder, &lock, error));
    cairn_status status = sweep_plan_settle(&s->plan, s->folder, &subject, &changed, error);
    sweep_unlock(lock);
    if (status == CAIRN_OK && changed)
        cli_warn("%s: rows that are done are of the scene as it was", s->folder);
    return status;
}

static void put_json(const sweep *s, double seconds, const char *status)
{
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "kind", "sweep");
    cli_json_text(&json, "status", status);
    cli_json_integer(&json, "rows", s->plan.rows);
    cli_json_integer(&json, "done", s->counts.done);
    cli_json_integer(&json, "failed", s->counts.failed);
    cli_json_text(&json, "folder", s->folder);
    cli_json_number(&json, "seconds", seconds);
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

/// Runs what is left of the sweep. @return exit status
static int run_plan(sweep *s)
{
    cairn_error error = {0};
    double start = base_timer_seconds();
    s->progress = cli_progress_begin(s->settings->quiet || s->settings->json);
    cli_interrupt_watch();
    cairn_status status = run_rows(s, &error);
    cairn_error later;
    cairn_status stopped = stop_rows(s, status == CAIRN_OK ? &error : &later);
    cairn_status written =
        write_table(s, status == CAIRN_OK && stopped == CAIRN_OK ? &error : &later);
    cli_progress_clear(&s->progress);
    bool broke = status != CAIRN_OK || stopped != CAIRN_OK || written != CAIRN_OK;
    bool interrupted = cli_interrupt_asked();
    double seconds = base_timer_seconds() - start;
    if (broke)
        cli_complain("%s", error.message);
    if (s->settings->json)
        put_json(s, seconds, broke ? "failed" : interrupted ? "interrupted" : "done");
    else if (!broke)
        printf("%s: %d of %d rows done, %d failed, in %.3g s: %s/table.csv\n",
               interrupted ? "interrupted" : "done", s->counts.done, s->plan.rows, s->counts.failed,
               seconds, cli_show(s->folder).text);
    if (broke)
        return CLI_EXIT_FAILED;
    if (interrupted)
        return CLI_EXIT_INTERRUPTED;
    return s->counts.failed > 0 ? CLI_EXIT_FAILED : CLI_EXIT_DONE;
}

static int run_sweep(const void *at)
{
    const sweep_settings *settings = at;
    scn_options load = scn_default_options();
    scn_scene *scene = NULL;
    cairn_error error = {0};
    load.parameters = settings->parameters.items;
    load.parameter_count = settings->parameters.count;
    load.log = cli_log;
    int loaded = cli_load_scene(settings->common.arguments[0], &load, &scene);
    sweep *s = calloc(1, sizeof *s);
    if (loaded != CLI_EXIT_DONE || s == NULL) {
        scn_destroy(scene);
        free(s);
        return loaded != CLI_EXIT_DONE ? loaded : CLI_EXIT_FAILED;
    }
    s->settings = settings;
    snprintf(s->scene, sizeof s->scene, "%s", scene->path);
    cairn_status status = read_shard(s, &error);
    if (status == CAIRN_OK)
        status = make_plan(s, scene, &error);
    if (status == CAIRN_OK)
        status = cli_program_path(s->program, &error);
    bool read = status == CAIRN_OK;
    if (read)
        status = open_folder(s, scene, &error);
    scn_destroy(scene);
    int result = status == CAIRN_OK ? run_plan(s) : CLI_EXIT_USAGE;
    if (status != CAIRN_OK) {
        cli_complain("%s", error.message);
        if (status == CAIRN_ERROR_FILE || status == CAIRN_ERROR_FORMAT)
            result = read && status == CAIRN_ERROR_FILE ? CLI_EXIT_FAILED : CLI_EXIT_INPUT;
    }
    sweep_plan_release(&s->plan);
    free(s);
    return result;
}

const cli_command cli_cmd_sweep = {
    .name = "sweep",
    .summary = "run a scene many times with other parameters",
    .operands = "SCENE [TABLE.csv]",
    .description =
        "Runs the scene once for each line of TABLE.csv, whose first line names parameters of the "
        "scene, or for each combination of the values that --vary gives. DIR/table.csv has a line "
        "for each row: its parameters, the numbers of its summary, its sensors and, last, its "
        "times; the files of the row's run are in DIR/rows/NNNN. A row that fails is named with "
        "its "
        "message and the others go on.\n\n"
        "The same command goes on where a sweep was interrupted or killed, and gives the same "
        "table. Several of them may share a folder, on one machine or many: a row is claimed by "
        "one, and taken over when that one is gone.",
    .least = 1,
    .most = 2,
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(sweep_settings),
    .completion = CLI_COMPLETE_FILE,
    .defaults = set_defaults,
    .run = run_sweep,
};
