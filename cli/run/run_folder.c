// SPDX-License-Identifier: Apache-2.0
// The folders of a run: one run at a time in each, and no file of an earlier one among the new.
//
// What an earlier run left is moved into DIR/.earlier while the new files are opened. It is removed
// once they all are, and comes back where one of them cannot be: a run that does not begin leaves
// what was there. A process that ends in between leaves .earlier, which the next run brings back.
#include "cli/process/status.h"
#include "cli/run/run.h"
#include "cli/text/json_read.h"

#include "base/assert.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char aside_name[] = ".earlier";

run_folder run_folder_none(void)
{
    return (run_folder){.results.descriptor = -1, .problems.descriptor = -1};
}

// ---------------------------------------------------------------- which files are a run's own

/// Which of a folder's files belong to runs. `scene` limits problems to one scene; NULL: any.
typedef struct ownership {
    const char *scene;
    bool checkpoints; // those too
} ownership;

typedef bool is_own(const char *name, const ownership *which);

/// Length of a name without the ending of a file that was not completed.
static size_t stem_length(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".part") == 0 ? length - 5 : length;
}

static bool is_word(const char *name, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(name, word, length) == 0;
}

/// Skips digits; NULL where there are none.
static const char *skip_digits(const char *at)
{
    if (at == NULL || !isdigit((unsigned char)*at))
        return NULL;
    while (isdigit((unsigned char)*at))
        at++;
    return at;
}

static const char *skip_word(const char *at, const char *word)
{
    size_t length = strlen(word);
    return at != NULL && strncmp(at, word, length) == 0 ? at + length : NULL;
}

static bool is_checkpoint(const char *name, size_t length)
{
    const char *number = skip_digits(skip_word(name, "checkpoint."));
    return is_word(name, length, "checkpoint.h5") ||
           (number != NULL && is_word(number, length - (size_t)(number - name), ".h5"));
}

static bool is_result(const char *name, const ownership *which)
{
    static const char *const names[] = {"summary.json", "summary.txt", "resolved.json",
                                        "energy.csv",   "sensors.csv", "measures.csv",
                                        "bonds.csv",    "bodies.csv",  "trajectory.h5"};
    size_t length = stem_length(name);
    for (int i = 0; i < BASE_COUNT(names); i++)
        if (is_word(name, length, names[i]))
            return true;
    return which->checkpoints && is_checkpoint(name, length);
}

static bool is_frame(const char *name, const ownership *which)
{
    static const char *const series[] = {"bodies", "surfaces", "contacts", "shapes", "forces"};
    (void)which;
    size_t length = stem_length(name);
    for (int i = 0; i < BASE_COUNT(series); i++) {
        const char *rest = skip_word(name, series[i]);
        if (rest == NULL)
            continue;
        const char *number = skip_digits(skip_word(rest, "_"));
        size_t used = (size_t)(rest - name);
        if (is_word(rest, length - used, ".pvd") || is_word(rest, length - used, ".vtm") ||
            (number != NULL && is_word(number, length - (size_t)(number - name), ".vtp")))
            return true;
    }
    return is_word(name, length, "show.py");
}

/// NAME_000000100.vti or .h5; the name may hold digits.
static bool is_field(const char *name, const ownership *which)
{
    (void)which;
    const char *last = strrchr(name, '_');
    const char *end = last != NULL ? skip_digits(last + 1) : NULL;
    return end != NULL && (strncmp(end, ".vti", 4) == 0 || strncmp(end, ".h5", 3) == 0);
}

/// SCENE-local-i00012-34.hdf5; the scene's name may hold anything.
static bool is_problem(const char *name, const ownership *which)
{
    static const char *const forms[] = {"-local-i", "-global-i"};
    for (int i = 0; i < 2; i++)
        for (const char *at = strstr(name, forms[i]); at != NULL; at = strstr(at + 1, forms[i])) {
            const char *end = skip_digits(skip_word(skip_digits(at + strlen(forms[i])), "-"));
            bool scene = which->scene == NULL || is_word(name, (size_t)(at - name), which->scene);
            if (scene && end != NULL && strncmp(end, ".hdf5", 5) == 0)
                return true;
        }
    return false;
}

// ---------------------------------------------------------------- moving them

/// Moves own files from one folder into another, which is made; `to` NULL: removes them. A folder
/// that is not there has none. @return false with errno where one stayed
static bool move_files(const char *from, const char *to, is_own *own, const ownership *which)
{
    char source[PATH_MAX], target[PATH_MAX];
    bool good = true, made = false;
    struct stat info;
    DIR *folder = lstat(from, &info) == 0 && S_ISDIR(info.st_mode) ? opendir(from) : NULL;
    if (folder == NULL)
        return true;
    for (const struct dirent *entry = readdir(folder); entry != NULL && good;
         entry = readdir(folder)) {
        if (!own(entry->d_name, which))
            continue;
        good = cli_path_join(source, from, entry->d_name, NULL) == CAIRN_OK;
        // a folder of that name is not of a run
        if (!good || lstat(source, &info) != 0 || S_ISDIR(info.st_mode))
            continue;
        if (to == NULL) {
            good = unlink(source) == 0;
            continue;
        }
        good = (made || cli_folder_make_own(to, NULL) == CAIRN_OK) &&
               cli_path_join(target, to, entry->d_name, NULL) == CAIRN_OK &&
               rename(source, target) == 0;
        made = true;
    }
    int reason = errno;
    closedir(folder);
    errno = reason;
    return good;
}

/// The places of a run's files, each in a folder below `from`.
static bool move_all(const char *from, const char *to, const ownership *which)
{
    static const struct {
        const char *folder;
        is_own *own;
    } places[] = {
        {".", is_result}, {"paraview", is_frame}, {"fclib", is_problem}, {"fields", is_field}};
    char source[PATH_MAX], target[PATH_MAX];
    for (int i = 0; i < BASE_COUNT(places); i++) {
        if (cli_path_join(source, from, places[i].folder, NULL) != CAIRN_OK ||
            (to != NULL && cli_path_join(target, to, places[i].folder, NULL) != CAIRN_OK) ||
            !move_files(source, to != NULL ? target : NULL, places[i].own, which))
            return false;
        // folders that are empty now; others stay
        if (i > 0)
            (void)rmdir(source);
    }
    return true;
}

static const ownership everything = {NULL, true};

static cairn_status aside_path(const run_state *run, char path[PATH_MAX], cairn_error *error)
{
    return cli_path_join(path, run->files.folder, aside_name, error);
}

/// Brings back what was set aside, in place of what a run that did not begin has made.
static bool bring_back(const run_state *run, const char *aside, const ownership *which)
{
    bool good =
        move_all(run->files.folder, NULL, which) && move_all(aside, run->files.folder, &everything);
    return good && rmdir(aside) == 0;
}

// ---------------------------------------------------------------- claiming and clearing

static bool same_folder(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

cairn_status run_folder_claim(run_state *run, cairn_error *error)
{
    const char *problems = run->settings->fclib;
    cairn_status status = cli_folder_make(run->files.folder, error);
    if (status == CAIRN_OK)
        status = cli_lock_take(&run->claimed.results, run->files.folder, error);
    if (status != CAIRN_OK || problems == NULL)
        return status;
    BASE_TRY(cli_folder_make(problems, error));
    if (!same_folder(problems, run->files.folder))
        BASE_TRY(cli_lock_take(&run->claimed.problems, problems, error));
    return CAIRN_OK;
}

void run_folder_release(run_state *run)
{
    cli_lock_release(&run->claimed.problems);
    cli_lock_release(&run->claimed.results);
}

/// Says whose results give way, where they are of another scene.
static void say_replaced(const run_state *run)
{
    char path[PATH_MAX];
    cli_json_tree tree;
    cairn_error error;
    if (run->settings->quiet ||
        cli_path_join(path, run->files.folder, "summary.json", &error) != CAIRN_OK ||
        access(path, F_OK) != 0 || cli_json_read(path, &tree, &error) != CAIRN_OK)
        return;
    const cli_json_node *scene = cli_json_member(tree.root, "scene");
    if (scene != NULL && scene->kind == CLI_JSON_TEXT && strcmp(scene->text, run->scene->name) != 0)
        cli_note("%s: replaces the results of scene %s", run->files.folder, scene->text);
    cli_json_release(&tree);
}

/// Problems of this scene that an earlier run left in --fclib DIR; others' stay.
static bool clear_problems(const run_state *run)
{
    const ownership own = {run->scene->name, false};
    return run->settings->fclib == NULL || move_files(run->settings->fclib, NULL, is_problem, &own);
}

cairn_status run_folder_clear(run_state *run, cairn_error *error)
{
    char aside[PATH_MAX];
    // a checkpoint that the run begins from stays where it is
    const ownership which = {NULL, run->settings->restart == NULL};
    cairn_status status = aside_path(run, aside, error);
    if (status != CAIRN_OK || run->resumes)
        return status;
    // neither what is brought back nor what is put aside goes through a link
    struct stat info;
    if (lstat(aside, &info) == 0 && cli_folder_make_own(aside, error) != CAIRN_OK)
        return error->status;
    bool good = access(aside, F_OK) != 0 || bring_back(run, aside, &which);
    if (good)
        say_replaced(run);
    run->claimed.aside = good;
    if (good && cli_folder_make_own(aside, error) != CAIRN_OK)
        return error->status;
    good = good && move_all(run->files.folder, aside, &which);
    return good ? CAIRN_OK
                : base_fail(error, CAIRN_ERROR_FILE, "%s: an earlier run's files stay: %s",
                            run->files.folder, strerror(errno));
}

void run_folder_settle(run_state *run, bool opened)
{
    char aside[PATH_MAX];
    const ownership which = {NULL, run->settings->restart == NULL};
    if (!run->claimed.aside || aside_path(run, aside, NULL) != CAIRN_OK)
        return;
    run->claimed.aside = false;
    bool good = opened ? clear_problems(run) && move_all(aside, NULL, &everything)
                       : bring_back(run, aside, &which);
    if (opened && good)
        (void)rmdir(aside);
    if (!good)
        cli_warn("%s: what an earlier run left is in %s: %s", run->files.folder, aside,
                 strerror(errno));
}
