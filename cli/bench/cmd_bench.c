// SPDX-License-Identifier: Apache-2.0
// cairn bench: solvers on problems, with CSV, performance profile and summary.
#include "base/assert.h"
#include "cli/bench/bench.h"
#include "cli/commands.h"
#include "cli/options/shared.h"
#include "cli/process/files.h"
#include "cli/process/status.h"
#include "cli/text/json.h"
#include "cli/text/wrap.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SOLVERS_MAX = 128 };

typedef struct bench_settings {
    cli_common common;
    const char *solvers;
    cli_accuracy accuracy;
    double time_limit;
    int64_t memory_limit, jobs;
    const char *csv, *profile, *external;
    bool json, quiet;
} bench_settings;

#define FIELD(name) offsetof(bench_settings, name)

static const cli_option options[] = {
    {.name = "solvers",
     .type = CLI_TEXT,
     .offset = FIELD(solvers),
     .argument = "A,B/LOCAL,...|all",
     .help = "solvers, each perhaps with a one-contact solver (default all)"},
    {.name = "time-limit",
     .type = CLI_NUMBER,
     .offset = FIELD(time_limit),
     .argument = "SECONDS",
     .help = "CPU time that one solver may take on one problem (default 10)",
     .maximum = 1e6,
     .open = true},
    {.name = "memory-limit",
     .type = CLI_INTEGER,
     .offset = FIELD(memory_limit),
     .argument = "MB",
     .help = "memory that one solve may take, 0 for no limit (default 4096)",
     .maximum = 1e7},
    {.name = "jobs",
     .letter = 'j',
     .type = CLI_INTEGER,
     .offset = FIELD(jobs),
     .argument = "N",
     .help = "solves at a time; times are CPU times, but noisier (default 1)",
     .minimum = 1,
     .maximum = 64},
    {.name = "csv",
     .type = CLI_TEXT,
     .offset = FIELD(csv),
     .argument = "FILE",
     .help = "write one row a solve, as they come",
     .completion = CLI_COMPLETE_FILE},
    {.name = "profile",
     .type = CLI_TEXT,
     .offset = FIELD(profile),
     .argument = "FILE.svg",
     .help = "draw the performance profile",
     .completion = CLI_COMPLETE_FILE},
    {.name = "external",
     .type = CLI_TEXT,
     .offset = FIELD(external),
     .argument = "FILE.csv",
     .help = "results of other programs on the same files, for profile and table",
     .completion = CLI_COMPLETE_FILE},
    {.name = "json",
     .type = CLI_FLAG,
     .offset = FIELD(json),
     .help = "print one JSON object a solver and nothing else"},
    {.name = "quiet",
     .letter = 'q',
     .type = CLI_FLAG,
     .offset = FIELD(quiet),
     .help = "no progress"},
};

static const cli_group groups[] = {CLI_ACCURACY_GROUP(bench_settings, accuracy)};

static void set_defaults(void *memory)
{
    bench_settings *settings = memory;
    cli_accuracy_defaults(&settings->accuracy);
    settings->time_limit = 10.0;
    settings->memory_limit = 4096;
    settings->jobs = 1;
}

// everything of one call
typedef struct bench_call {
    const bench_settings *settings;
    bench_table table;
    char **paths; // [path_count] owned
    int path_count, path_capacity;
    int used_count; // of the paths, the first ones
    const char *solvers[SOLVERS_MAX];
    int solver_count;
    char *words; // memory of the solvers' names
} bench_call;

// ---------------------------------------------------------------- files

static cairn_status add_path(bench_call *call, const char *path)
{
    char *copy = base_copy_text(&call->table.allocator, path);
    cairn_status status = copy == NULL
                              ? CAIRN_ERROR_MEMORY
                              : base_array_reserve(&call->table.allocator, &call->paths,
                                                   &call->path_capacity, call->path_count + 1);
    if (status != CAIRN_OK) {
        base_release(&call->table.allocator, copy);
        return status;
    }
    call->paths[call->path_count++] = copy;
    return CAIRN_OK;
}

static int is_problem(const struct dirent *entry)
{
    static const char *const endings[] = {".hdf5", ".h5"};
    size_t length = strlen(entry->d_name);
    for (int i = 0; i < BASE_COUNT(endings); i++)
        if (length > strlen(endings[i]) &&
            strcmp(entry->d_name + length - strlen(endings[i]), endings[i]) == 0)
            return 1;
    return 0;
}

static int add_folder(bench_call *call, const char *folder)
{
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_problem, alphasort);
    if (count < 0) {
        cli_complain("%s: %s", folder, strerror(errno));
        return CLI_EXIT_INPUT;
    }
    if (count == 0)
        cli_warn("%s holds no file that ends in .hdf5 or .h5", folder);
    int result = CLI_EXIT_DONE;
    for (int i = 0; i < count; i++) {
        if (result == CLI_EXIT_DONE &&
            (cli_path_join(path, folder, entries[i]->d_name, NULL) != CAIRN_OK ||
             add_path(call, path) != CAIRN_OK))
            result = CLI_EXIT_FAILED;
        free(entries[i]);
    }
    free(entries);
    return result;
}

/// Files of one name would have their results in one place: the first one stays.
static int name_files(bench_call *call)
{
    int kept = 0;
    for (int i = 0; i < call->path_count; i++) {
        int before = call->table.file_count;
        int file = bench_table_file(&call->table, call->paths[i]);
        if (file < 0)
            return CLI_EXIT_FAILED;
        if (file == before) {
            char *path = call->paths[i];
            call->paths[i] = call->paths[kept];
            call->paths[kept++] = path;
        } else if (strcmp(call->paths[i], call->paths[file]) != 0) {
            cli_warn("%s is left out: results go by the names of files, and %s has this one, too",
                     call->paths[i], call->paths[file]);
        }
    }
    call->used_count = kept;
    if (kept > 0)
        return CLI_EXIT_DONE;
    cli_complain("there is no problem");
    return CLI_EXIT_INPUT;
}

static int collect_paths(bench_call *call)
{
    const cli_common *common = &call->settings->common;
    for (int i = 0; i < common->argument_count; i++) {
        struct stat info;
        int result = CLI_EXIT_DONE;
        if (stat(common->arguments[i], &info) != 0) {
            cli_complain("%s: %s", common->arguments[i], strerror(errno));
            return CLI_EXIT_INPUT;
        }
        if (S_ISDIR(info.st_mode))
            result = add_folder(call, common->arguments[i]);
        else if (add_path(call, common->arguments[i]) != CAIRN_OK)
            result = CLI_EXIT_FAILED;
        if (result != CLI_EXIT_DONE)
            return result;
    }
    return name_files(call);
}

// ---------------------------------------------------------------- solvers

static bool plugin_is_known(cairn_plugin plugin, const char *name, size_t length)
{
    for (int i = 0; i < cairn_plugin_count(plugin); i++) {
        const char *known = cairn_plugin_get(plugin, i).name;
        if (strlen(known) == length && strncmp(known, name, length) == 0)
            return true;
    }
    return false;
}

static bool solver_is_known(const char *word)
{
    const char *slash = strchr(word, '/');
    size_t length = slash != NULL ? (size_t)(slash - word) : strlen(word);
    return plugin_is_known(CAIRN_SOLVER, word, length) &&
           (slash == NULL || plugin_is_known(CAIRN_LOCAL, slash + 1, strlen(slash + 1)));
}

static int add_solver(bench_call *call, const char *name)
{
    if (!solver_is_known(name)) {
        cli_complain("--solvers: unknown solver \"%.80s\" (cairn list solvers, cairn list locals)",
                     name);
        return CLI_EXIT_USAGE;
    }
    if (call->solver_count == SOLVERS_MAX) {
        cli_complain("--solvers: more than %d", SOLVERS_MAX);
        return CLI_EXIT_USAGE;
    }
    call->solvers[call->solver_count++] = name;
    return bench_table_solver(&call->table, name, false) >= 0 ? CLI_EXIT_DONE : CLI_EXIT_FAILED;
}

static int collect_solvers(bench_call *call)
{
    const char *wish = call->settings->solvers;
    int result = CLI_EXIT_DONE;
    if (wish == NULL || strcmp(wish, "all") == 0) {
        for (int i = 0; i < cairn_plugin_count(CAIRN_SOLVER) && result == CLI_EXIT_DONE; i++)
            result = add_solver(call, cairn_plugin_get(CAIRN_SOLVER, i).name);
        return result;
    }
    call->words = base_copy_text(&call->table.allocator, wish);
    if (call->words == NULL)
        return CLI_EXIT_FAILED;
    char *rest = call->words;
    for (char *word = strsep(&rest, ","); word != NULL && result == CLI_EXIT_DONE;
         word = strsep(&rest, ","))
        result = add_solver(call, word);
    return result;
}

// ---------------------------------------------------------------- summary

static void put_number(const char *format, double value)
{
    if (isfinite(value))
        printf(format, value);
    else
        printf("%10s", "-");
}

static void print_table(const bench_table *table, const bench_profile *profile, double tolerance)
{
    printf("%-26s %7s %7s %8s %10s %10s %6s\n", "solver", "tried", "solved", "fastest", "median",
           "worst", "area");
    for (int i = 0; i < profile->curve_count; i++) {
        const bench_curve *curve = &profile->curves[i];
        const bench_solver *solver = &table->solvers[curve->solver];
        printf("%-25s%c %7d %7d %8d ", solver->name, solver->external ? '*' : ' ', curve->tried,
               curve->solved, curve->fastest);
        put_number("%10.3g", curve->median_ratio);
        putchar(' ');
        put_number("%10.3g", curve->worst_ratio);
        printf(" %6.3f\n", curve->area);
    }
    cli_print_line(
        stdout,
        "%d problems, %d solved by none to %g; median and worst: time / fastest time, where solved",
        profile->problems, profile->unsolved, tolerance);
    if (profile->left_out > 0)
        printf("%d problems without external results are left out\n", profile->left_out);
}

static void json_table(const bench_table *table, const bench_profile *profile)
{
    for (int i = 0; i < profile->curve_count; i++) {
        const bench_curve *curve = &profile->curves[i];
        cli_json json = cli_json_begin(stdout);
        cli_json_object(&json, NULL);
        cli_json_text(&json, "kind", "benchmark");
        cli_json_text(&json, "solver", table->solvers[curve->solver].name);
        cli_json_boolean(&json, "external", table->solvers[curve->solver].external);
        cli_json_integer(&json, "problems", profile->problems);
        cli_json_integer(&json, "tried", curve->tried);
        cli_json_integer(&json, "solved", curve->solved);
        cli_json_integer(&json, "fastest", curve->fastest);
        cli_json_number(&json, "median_ratio", curve->median_ratio);
        cli_json_number(&json, "worst_ratio", curve->worst_ratio);
        cli_json_number(&json, "area", curve->area);
        cli_json_object_end(&json);
        cli_json_finish(&json);
    }
}

static cairn_status draw(const bench_call *call, const bench_profile *profile, cairn_error *error)
{
    cli_file file;
    BASE_TRY(cli_file_open(&file, call->settings->profile, error));
    bench_svg_write(&call->table, profile, call->settings->accuracy.tolerance, file.stream);
    return cli_file_commit(&file, error);
}

static cairn_status summarise(bench_call *call, cairn_error *error)
{
    bench_profile profile;
    cairn_status status = bench_profile_create(&call->table, &profile);
    if (status != CAIRN_OK)
        return base_fail(error, status, "%s", cairn_status_text(status));
    if (call->settings->json)
        json_table(&call->table, &profile);
    else
        print_table(&call->table, &profile, call->settings->accuracy.tolerance);
    if (call->settings->external != NULL && !call->settings->json) {
        const bench_table *table = &call->table;
        printf("against the best external solver (*) of each problem:\n");
        for (int s = 0; s < table->solver_count; s++) {
            bench_duel duel;
            if (table->solvers[s].external || bench_duel_compute(table, s, &duel) != CAIRN_OK)
                continue;
            printf("  %-30s faster on %d of %d", table->solvers[s].name, duel.faster, duel.both);
            if (duel.both > 0)
                printf(", median %.3g times, least %.3g times (%s)", duel.median, duel.worst,
                       table->files[duel.worst_file]);
            printf("; alone %d, others alone %d\n", duel.alone, duel.other);
        }
    }
    if (call->settings->profile != NULL)
        status = draw(call, &profile, error);
    bench_profile_release(&call->table, &profile);
    return status;
}

// ---------------------------------------------------------------- the call

static cairn_status open_csv(const char *path, FILE **csv, cairn_error *error)
{
    *csv = NULL;
    if (path == NULL)
        return CAIRN_OK;
    *csv = fopen(path, "w");
    if (*csv == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, strerror(errno));
    bench_csv_head(*csv);
    return CAIRN_OK;
}

static cairn_status run_plan(bench_call *call, cairn_error *error)
{
    const bench_settings *settings = call->settings;
    const bench_plan plan = {
        .paths = (const char *const *)call->paths,
        .path_count = call->used_count,
        .solvers = call->solvers,
        .solver_count = call->solver_count,
        .tolerance = settings->accuracy.tolerance,
        .time_limit = settings->time_limit,
        .both_measures = settings->accuracy.both_measures,
        .memory_limit = settings->memory_limit,
        .jobs = (int)settings->jobs,
        .quiet = settings->quiet,
    };
    FILE *csv;
    cairn_status status = open_csv(settings->csv, &csv, error);
    if (status == CAIRN_OK)
        status = bench_run(&plan, &call->table, csv, error);
    if (csv != NULL && fclose(csv) != 0 && status == CAIRN_OK)
        status = base_fail(error, CAIRN_ERROR_FILE, "%s: %s", settings->csv, strerror(errno));
    return status;
}

static bool some_unreadable(const bench_table *table)
{
    for (int i = 0; i < table->result_count; i++)
        if (strcmp(table->results[i].status, "unreadable") == 0)
            return true;
    return false;
}

static int run_call(bench_call *call)
{
    cairn_error error = {0}, later = {0};
    int result = collect_paths(call);
    if (result == CLI_EXIT_DONE)
        result = collect_solvers(call);
    if (result != CLI_EXIT_DONE)
        return result;
    // a wrong file shows before the work, not after it
    if (call->settings->external != NULL &&
        bench_csv_read(&call->table, call->settings->external, &error) != CAIRN_OK) {
        cli_complain("%s", error.message);
        return CLI_EXIT_INPUT;
    }
    if (call->settings->profile != NULL &&
        cli_file_try(call->settings->profile, &error) != CAIRN_OK) {
        cli_complain("%s", error.message);
        return CLI_EXIT_FAILED;
    }
    cairn_status status = run_plan(call, &error);
    if (status != CAIRN_OK)
        cli_complain("%s", error.message);
    if (status != CAIRN_OK && status != CAIRN_INTERRUPTED)
        return CLI_EXIT_FAILED;
    // what was done until an interruption is worth a table
    if (summarise(call, &later) != CAIRN_OK) {
        cli_complain("%s", later.message);
        return CLI_EXIT_FAILED;
    }
    if (status == CAIRN_INTERRUPTED)
        return CLI_EXIT_INTERRUPTED;
    return some_unreadable(&call->table) ? CLI_EXIT_INPUT : CLI_EXIT_DONE;
}

static int run_bench(const void *memory)
{
    bench_call call = {.settings = memory};
    bench_table_init(&call.table);
    int result = run_call(&call);
    for (int i = 0; i < call.path_count; i++)
        base_release(&call.table.allocator, call.paths[i]);
    base_release(&call.table.allocator, call.paths);
    base_release(&call.table.allocator, call.words);
    bench_table_release(&call.table);
    return result;
}

const cli_command cli_cmd_bench = {
    .name = "bench",
    .summary = "compare solvers on contact problems",
    .operands = "FILE|DIR...",
    .description =
        "Runs solvers on the contact problems of FCLIB files, or of all .hdf5 files of folders, "
        "each solve in a\nprocess of its own: a crash or a hang is the failure of that one. "
        "Writes a CSV, draws a performance\nprofile and prints a table. Times are of the solve "
        "alone, CPU time or, below 20 ms, the median of five. After Ctrl-C the CSV holds what "
        "was\ndone, and the exit status is 130.",
    .least = 1,
    .most = CLI_ARGUMENTS_MAX,
    .options = options,
    .option_count = BASE_COUNT(options),
    .groups = groups,
    .group_count = BASE_COUNT(groups),
    .settings_size = sizeof(bench_settings),
    .completion = CLI_COMPLETE_FILE,
    .defaults = set_defaults,
    .run = run_bench,
};
