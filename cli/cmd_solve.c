// SPDX-License-Identifier: Apache-2.0
// cairn solve: solves contact problems from files and says how well.
#include "base/assert.h"
#include "cli/commands.h"
#include "cli/options/shared.h"
#include "cli/process/interrupt.h"
#include "cli/process/probe.h"
#include "cli/process/status.h"
#include "cli/text/json.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct solve_settings {
    cli_common common;
    cli_solver_choice solving;
    cli_accuracy accuracy;
    double time_limit, cpu_limit;
    int64_t max_iterations;
    const char *write_solution;
    bool guess, json;
} solve_settings;

#define FIELD(name) offsetof(solve_settings, name)

static const cli_option options[] = {
    {.name = "time-limit",
     .type = CLI_NUMBER,
     .offset = FIELD(time_limit),
     .argument = "SECONDS",
     .help = "time that one problem may take (default: no limit)",
     .maximum = 1e9,
     .open = true},
    {.name = "cpu-limit",
     .type = CLI_NUMBER,
     .offset = FIELD(cpu_limit),
     .argument = "SECONDS",
     .help = "CPU time that one problem may take (default: no limit)",
     .maximum = 1e9,
     .open = true},
    {.name = "max-iterations",
     .type = CLI_INTEGER,
     .offset = FIELD(max_iterations),
     .argument = "N",
     .help = "iterations that one problem may take (default: the solver's own)",
     .minimum = 1,
     .maximum = INT_MAX},
    {.name = "guess",
     .type = CLI_FLAG,
     .offset = FIELD(guess),
     .help = "start from the first guess of the file instead of zero"},
    {.name = "write-solution",
     .type = CLI_TEXT,
     .offset = FIELD(write_solution),
     .argument = "FILE",
     .help = "write the problem with its solution to FILE",
     .completion = CLI_COMPLETE_FILE},
    {.name = "json",
     .type = CLI_FLAG,
     .offset = FIELD(json),
     .help = "print one JSON object a file and nothing else"},
};

static const cli_group groups[] = {
    CLI_SOLVER_GROUP(solve_settings, solving),
    CLI_ACCURACY_GROUP(solve_settings, accuracy),
};

static void set_defaults(void *memory)
{
    solve_settings *settings = memory;
    cli_accuracy_defaults(&settings->accuracy);
    settings->solving.threads = 1;
}

// the words of the command line as the library takes them
typedef struct solve_request {
    cairn_solve_def def;
    cairn_setting solver_settings[CLI_ASSIGNMENTS_MAX], local_settings[CLI_ASSIGNMENTS_MAX];
    int rows; // of the table, printed so far
} solve_request;

static int copy_settings(const cli_assignments *from, cairn_setting to[CLI_ASSIGNMENTS_MAX])
{
    for (int i = 0; i < from->count; i++)
        to[i] = (cairn_setting){from->items[i].name, from->items[i].value};
    return from->count;
}

static bool is_interrupted(void *context)
{
    (void)context;
    return cli_interrupt_asked();
}

static void make_request(const solve_settings *settings, solve_request *request)
{
    cairn_solve_def def = cairn_default_solve_def();
    def.solver = settings->solving.solver;
    def.local = settings->solving.local;
    def.solver_settings = request->solver_settings;
    def.solver_setting_count =
        copy_settings(&settings->solving.solver_settings, request->solver_settings);
    def.local_settings = request->local_settings;
    def.local_setting_count =
        copy_settings(&settings->solving.local_settings, request->local_settings);
    def.tolerance = settings->accuracy.tolerance;
    def.both_measures = settings->accuracy.both_measures;
    def.guess = settings->guess;
    def.max_iterations = (int)settings->max_iterations;
    def.time_limit = settings->time_limit;
    def.cpu_limit = settings->cpu_limit;
    def.stop = is_interrupted;
    def.threads = (int)settings->solving.threads;
    request->def = def;
    request->rows = 0;
}

static void put_json(const char *file, const cairn_problem *problem,
                     const cairn_solve_report *report)
{
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "file", file);
    cli_json_text(&json, "kind", cairn_problem_kind_name(cairn_problem_get_kind(problem)));
    cli_json_integer(&json, "contacts", cairn_problem_get_contact_count(problem));
    cli_json_integer(&json, "dofs", cairn_problem_get_dof_count(problem));
    cli_json_text(&json, "solver", report->solver);
    cli_json_text(&json, "status", report->stop);
    cli_json_integer(&json, "iterations", report->iterations);
    cli_json_number(&json, "error", report->error);
    cli_json_number(&json, "seconds", report->seconds);
    cli_json_number(&json, "error_scaled", report->error_scaled);
    cli_json_number(&json, "error_q", report->error_q);
    cli_json_number(&json, "error_siconos", report->error_siconos);
    cli_json_number(&json, "growth", report->growth);
    if (cairn_problem_get_equality_count(problem) > 0)
        cli_json_number(&json, "error_joints", report->error_joints);
    cli_json_object_end(&json);
    cli_json_finish(&json);
    fflush(stdout);
}

static int solve_read(const solve_settings *settings, solve_request *request, const char *file,
                      cairn_problem *problem)
{
    cairn_error error = {0};
    cairn_solve_report report;
    cairn_status status = cairn_problem_solve(problem, &request->def, &report, &error);
    if (status != CAIRN_OK) {
        cli_complain("%s: %s", file, error.message);

        // exit status of a solve that could not be done at all
        if (status == CAIRN_ERROR_NOT_FOUND || status == CAIRN_ERROR_ARGUMENT)
            return CLI_EXIT_USAGE;
        if (status == CAIRN_ERROR_NONFINITE)
            return CLI_EXIT_INPUT;
        return status == CAIRN_ERROR_UNSUPPORTED ? CLI_EXIT_ABSENT : CLI_EXIT_FAILED;
    }
    if (settings->json) {
        put_json(file, problem, &report);
    } else {
        if (request->rows++ == 0)
            printf("%-15s %6s %10s %9s %9s %9s  %s\n", "status", "nc", "iterations", "error",
                   "siconos", "seconds", "file");
        printf("%-15s %6d %10d %9.2e %9.2e %9.3g  %s\n", report.stop,
               cairn_problem_get_contact_count(problem), report.iterations, report.error,
               report.error_siconos, report.seconds, cli_show(file).text);
        fflush(stdout);
    }
    if (settings->write_solution != NULL &&
        cairn_problem_write_solution(problem, settings->write_solution, &error) != CAIRN_OK) {
        cli_complain("%s", error.message);
        return CLI_EXIT_FAILED;
    }
    return strcmp(report.stop, "solved") == 0 ? CLI_EXIT_DONE : CLI_EXIT_DIFFERENT;
}

static int solve_file(const solve_settings *settings, solve_request *request, const char *file)
{
    cairn_error error = {0};
    cairn_problem *problem = NULL;
    cairn_status status = cli_probe_problem(file, &problem, &error);
    if (status != CAIRN_OK) {
        cli_complain("%s", error.message);
        return status == CAIRN_ERROR_MEMORY ? CLI_EXIT_FAILED : CLI_EXIT_INPUT;
    }
    int result = solve_read(settings, request, file, problem);
    cairn_problem_destroy(problem);
    return result;
}

/// Exit statuses of several files in one: a tolerance not met gives way to what is worse.
static int worse(int a, int b)
{
    static const int order[] = {CLI_EXIT_USAGE,  CLI_EXIT_FAILED,    CLI_EXIT_INPUT,
                                CLI_EXIT_ABSENT, CLI_EXIT_DIFFERENT, CLI_EXIT_DONE};
    for (int i = 0; i < BASE_COUNT(order); i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return a;
}

static int run_solve(const void *memory)
{
    const solve_settings *settings = memory;
    const cli_common *common = &settings->common;
    solve_request request;
    if (settings->write_solution != NULL && common->argument_count > 1) {
        cli_complain("--write-solution wants one file to solve, not %d", common->argument_count);
        return CLI_EXIT_USAGE;
    }
    make_request(settings, &request);
    cli_interrupt_watch();
    int result = CLI_EXIT_DONE;
    for (int i = 0; i < common->argument_count && result != CLI_EXIT_USAGE; i++) {
        if (cli_interrupt_asked())
            return CLI_EXIT_INTERRUPTED;
        result = worse(result, solve_file(settings, &request, common->arguments[i]));
    }
    return cli_interrupt_asked() ? CLI_EXIT_INTERRUPTED : result;
}

const cli_command cli_cmd_solve = {
    .name = "solve",
    .summary = "solve contact problems from FCLIB files",
    .operands = "FILE...",
    .description =
        "Solves the contact problems of FCLIB files (HDF5, local or global form) and prints, per "
        "file, why\nthe solver stopped, its iterations, the recomputed residual and the seconds "
        "of the solve alone.\nExit status 0 when all are solved, 5 when a tolerance was not met, "
        "3 for a file that cannot be read\n(the others are solved all the same).",
    .least = 1,
    .most = CLI_ARGUMENTS_MAX,
    .options = options,
    .option_count = BASE_COUNT(options),
    .groups = groups,
    .group_count = BASE_COUNT(groups),
    .settings_size = sizeof(solve_settings),
    .completion = CLI_COMPLETE_FILE,
    .defaults = set_defaults,
    .run = run_solve,
};
