// SPDX-License-Identifier: Apache-2.0
// One row of a collection: the run that dumps its problems, and which of them are taken.
#include "cli/collect/collect.h"

#include "cli/process/files.h"
#include "cli/process/interrupt.h"
#include "cli/process/program.h"
#include "cli/process/status.h"
#include "cli/text/csv.h"

#include "base/timer.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 256, DUMPS_MAX = 20000 };
static const double grace = 20.0; // s that an interrupted run has

/// Columns of a plan that are options of the run and no parameters of the scene.
static const struct {
    const char *column, *option;
} options_of[] = {
    {"until", "--until"},       {"step", "--step"},       {"tolerance", "--tolerance"},
    {"law", "--law"},           {"solver", "--solver"},   {"seed", "--seed"},
    {"every", "--fclib-every"}, {"when", "--fclib-when"},
};

static const char *option_of(const char *column)
{
    for (size_t k = 0; k < sizeof options_of / sizeof options_of[0]; k++)
        if (strcmp(options_of[k].column, column) == 0)
            return options_of[k].option;
    return NULL;
}

const char *collect_value(const collection *c, int row, const char *name)
{
    for (int k = 0; k < c->plan.columns; k++)
        if (strcmp(c->plan.names[k], name) == 0) {
            const char *value = sweep_value(&c->plan, row, k);
            return value[0] != '\0' ? value : NULL;
        }
    return NULL;
}

/// Words of the run, and their memory.
typedef struct command {
    const char *word[WORDS_MAX];
    int count;
    char scene[PATH_MAX], dumps[PATH_MAX], text[1 << 13];
    size_t used;
    bool full;
} command;

static void add(command *run, const char *word)
{
    if (run->count + 1 >= WORDS_MAX)
        run->full = true;
    else
        run->word[run->count++] = word;
}

// a column of the plan as an option, or as a parameter of the scene
static void add_column(command *run, const char *name, const char *value)
{
    if (value[0] == '\0' || strcmp(name, "scene") == 0)
        return;
    if (option_of(name) != NULL) {
        add(run, option_of(name));
        add(run, value);
        return;
    }
    size_t left = sizeof run->text - run->used;
    int length = snprintf(run->text + run->used, left, "%s=%s", name, value);
    if (length < 0 || (size_t)length >= left) {
        run->full = true;
        return;
    }
    add(run, "--set");
    add(run, run->text + run->used);
    run->used += (size_t)length + 1;
}

static cairn_status build_command(const collection *c, int row, const char *inner, command *run,
                                  cairn_error *error)
{
    const char *scene = collect_value(c, row, "scene");
    *run = (command){0};
    if (scene == NULL)
        return base_fail(error, CAIRN_ERROR_FORMAT, "row %d of the plan names no scene", row + 1);
    // a file beside the plan, or else what `cairn run` makes of the word
    BASE_TRY(cli_path_join(run->scene, c->plan_folder, scene, error));
    BASE_TRY(cli_path_join(run->dumps, inner, "problems", error));
    add(run, c->program);
    add(run, "run");
    add(run, access(run->scene, R_OK) == 0 ? run->scene : scene);
    for (int k = 0; k < c->plan.columns; k++)
        add_column(run, c->plan.names[k], sweep_value(&c->plan, row, k));
    const char *const rest[] = {"--out", inner, "--fclib", run->dumps, "--fclib-form",
                                c->settings->form, "--paraview-every", "0", "--accept-unsolved",
                                // the hard problems are wanted, and not those of shorter steps
                                "--simulation-set", "step_halvings=0", "--quiet"};
    for (size_t k = 0; k < sizeof rest / sizeof rest[0]; k++)
        add(run, rest[k]);
    return run->full ? base_fail(error, CAIRN_ERROR_ARGUMENT, "row %d: too many values", row + 1)
                     : CAIRN_OK;
}

static void rest(void)
{
    const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
    nanosleep(&pause, NULL);
}

// signs of life and the bar
static void keep_up(collection *c, int row, double *signed_at, const char *what)
{
    char text[200];
    double now = base_timer_seconds();
    if (now - *signed_at > c->settings->claim_timeout / 8.0) {
        (void)sweep_claim_renew(c->folder, row);
        *signed_at = now;
    }
    int ended = c->done + c->failed;
    snprintf(text, sizeof text, "%d of %d rows, %d problems, %s", ended, c->plan.rows, c->problems,
             what);
    cli_progress_tell(&c->progress, (double)ended / c->plan.rows, text);
}

/// Waits for the run, and asks it to stop after a signal. @return its state, as of waitpid
static int wait_for(collection *c, int row, pid_t process)
{
    int state = 0;
    double signed_at = base_timer_seconds(), asked = 0.0;
    while (waitpid(process, &state, WNOHANG) == 0) {
        double now = base_timer_seconds();
        if (cli_interrupt_asked() && asked == 0.0) {
            kill(process, SIGTERM);
            asked = now;
        } else if (asked > 0.0 && now - asked > grace) {
            kill(process, SIGKILL);
        }
        keep_up(c, row, &signed_at, "a run");
        rest();
    }
    return state;
}

/// Names of the run's problem files, in the order of their steps.
typedef struct dumps {
    char (*name)[COLLECT_NAME_SIZE];
    int count;
} dumps;

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

static cairn_status list_dumps(const char *folder, dumps *out, cairn_error *error)
{
    *out = (dumps){calloc(DUMPS_MAX, COLLECT_NAME_SIZE), 0};
    DIR *stream = opendir(folder);
    if (out->name == NULL) {
        if (stream != NULL)
            closedir(stream);
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
    }
    for (const struct dirent *entry = stream != NULL ? readdir(stream) : NULL;
         entry != NULL && out->count < DUMPS_MAX; entry = readdir(stream)) {
        const char *end = strrchr(entry->d_name, '.');
        if (end != NULL && strcmp(end, ".hdf5") == 0 && strlen(entry->d_name) < COLLECT_NAME_SIZE)
            memcpy(out->name[out->count++], entry->d_name, strlen(entry->d_name) + 1);
    }
    if (stream != NULL)
        closedir(stream);
    // a run without implicit contacts leaves no folder
    qsort(out->name, (size_t)out->count, sizeof *out->name, compare_names);
    return CAIRN_OK;
}

// "kapla_tower-global-i00040-812.hdf5" is of step 40
static int step_of(const char *name)
{
    const char *at = strstr(name, "-i");
    return at != NULL ? atoi(at + 2) : 0;
}

// scene, parameters, step and the name of the file to be
static void name_problem(const collection *c, int row, const char *dump, collect_problem *problem)
{
    const char *scene = collect_value(c, row, "scene"), *slash = strrchr(scene, '/');
    *problem = (collect_problem){.step = step_of(dump)};
    snprintf(problem->scene, sizeof problem->scene, "%.100s", slash != NULL ? slash + 1 : scene);
    char *dot = strstr(problem->scene, ".lua");
    if (dot != NULL)
        *dot = '\0';
    for (int k = 0; k < c->plan.columns; k++) {
        const char *name = c->plan.names[k], *value = sweep_value(&c->plan, row, k);
        size_t used = strlen(problem->parameters);
        if (value[0] == '\0' || strcmp(name, "scene") == 0)
            continue;
        // what is too long is cut
        int length = snprintf(problem->parameters + used, sizeof problem->parameters - used,
                              "%s%s=%s", used > 0 ? " " : "", name, value);
        if (length < 0)
            break;
    }
    const char *tail = strrchr(dump, '-');
    snprintf(problem->name, sizeof problem->name, "%.80s-r%04d-i%05d%.40s", problem->scene, row + 1,
             problem->step, tail != NULL ? tail : ".hdf5");
}

/// Takes problems spread evenly over the run. @param out  [most]
static cairn_status take_problems(collection *c, int row, const char *folder, const dumps *all,
                                  collect_problem *out, int *count, cairn_error *error)
{
    int most = (int)c->settings->most;
    double signed_at = base_timer_seconds();
    cairn_status status = CAIRN_OK;
    *count = 0;
    for (int k = 0; k < all->count && *count < most && status == CAIRN_OK; k++) {
        // k-th of all is taken where its share of `most` steps up
        if (all->count > most &&
            (int64_t)(k + 1) * most / all->count == (int64_t)k * most / all->count)
            continue;
        char from[PATH_MAX], to[PATH_MAX], problems[PATH_MAX];
        name_problem(c, row, all->name[k], &out[*count]);
        status = cli_path_join(from, folder, all->name[k], error);
        if (status == CAIRN_OK)
            status = cli_path_join(problems, c->folder, "problems", error);
        if (status == CAIRN_OK)
            status = cli_path_join(to, problems, out[*count].name, error);
        if (status == CAIRN_OK)
            status = collect_problem_take(c->settings, from, to, &out[*count], error);
        *count += status == CAIRN_OK;
        c->problems += status == CAIRN_OK;
        keep_up(c, row, &signed_at, "its problems");
    }
    return status;
}

// row.csv: a line a problem, or one that says why there is none
static cairn_status write_row(const char *inner, int row, const char *message,
                              const collect_problem *problems, int count, cairn_error *error)
{
    char path[PATH_MAX];
    cli_file file;
    BASE_TRY(cli_path_join(path, inner, "row.csv", error));
    BASE_TRY(cli_file_open(&file, path, error));
    collect_problem_put_names(true, file.stream);
    fputc('\n', file.stream);
    for (int k = 0; k < count; k++) {
        fprintf(file.stream, "%d,done", row + 1);
        collect_problem_put(&problems[k], true, file.stream);
        fputc('\n', file.stream);
    }
    if (count == 0 || message[0] != '\0') {
        fprintf(file.stream, "%d,%s,", row + 1, message[0] != '\0' ? "failed" : "empty");
        cli_csv_put(message, file.stream);
        fputc('\n', file.stream);
    }
    return cli_file_commit(&file, error);
}

static void remove_dumps(const char *folder, const dumps *all)
{
    char path[PATH_MAX];
    for (int k = 0; k < all->count; k++)
        if (cli_path_join(path, folder, all->name[k], NULL) == CAIRN_OK)
            unlink(path);
    rmdir(folder);
}

// the run has ended well: its problems
static cairn_status finish_row(collection *c, int row, const char *inner, const char *folder,
                               char message[CLI_PROGRAM_MESSAGE_SIZE], cairn_error *error)
{
    dumps all;
    cairn_error reason = {0};
    int count = 0;
    collect_problem *problems = calloc((size_t)c->settings->most, sizeof *problems);
    cairn_status status = list_dumps(folder, &all, error);
    if (problems == NULL)
        status = base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
    if (status == CAIRN_OK && message[0] == '\0')
        status = take_problems(c, row, folder, &all, problems, &count, &reason);
    // a problem that cannot be taken fails its row, and no other
    if (status == CAIRN_ERROR_FORMAT) {
        snprintf(message, CLI_PROGRAM_MESSAGE_SIZE, "%.399s", reason.message);
        status = CAIRN_OK;
    } else if (status != CAIRN_OK && reason.message[0] != '\0') {
        *error = reason;
    }
    if (status == CAIRN_OK)
        status = write_row(inner, row, message, problems, count, error);
    if (status == CAIRN_OK)
        remove_dumps(folder, &all);
    free(all.name);
    free(problems);
    return status;
}

cairn_status collect_row_run(collection *c, int row, cairn_error *error)
{
    char inner[PATH_MAX], result[PATH_MAX], what[32], message[CLI_PROGRAM_MESSAGE_SIZE] = "";
    pid_t process;
    command *run = calloc(1, sizeof *run);
    if (run == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s", cairn_status_text(CAIRN_ERROR_MEMORY));
    snprintf(what, sizeof what, "row %d", row + 1);
    cairn_status status = sweep_row_folder(inner, c->folder, row, error);
    if (status == CAIRN_OK)
        status = cli_path_join(result, inner, "row.csv", error);
    if (status == CAIRN_OK)
        status = build_command(c, row, inner, run, error);
    if (status == CAIRN_OK) {
        unlink(result); // one that is tried again
        status = cli_program_start(run->word, inner, what, &process, error);
    }
    if (status != CAIRN_OK) {
        free(run);
        return status;
    }
    int state = wait_for(c, row, process);
    bool well = WIFEXITED(state) && WEXITSTATUS(state) == CLI_EXIT_DONE;
    if (cli_interrupt_asked())
        status = CAIRN_INTERRUPTED;
    else if (!well)
        cli_program_message(inner, state, message);
    if (status == CAIRN_OK)
        status = finish_row(c, row, inner, run->dumps, message, error);
    free(run);
    if (status == CAIRN_INTERRUPTED || status == CAIRN_OK)
        sweep_claim_leave(c->folder, row);
    c->done += status == CAIRN_OK && message[0] == '\0';
    c->failed += status == CAIRN_OK && message[0] != '\0';
    return status;
}
