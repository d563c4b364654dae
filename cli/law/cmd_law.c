// SPDX-License-Identifier: Apache-2.0
// cairn law: one law or one-contact solver on one state, or over a sweep of a variable.
#include "base/assert.h"
#include "cli/commands.h"
#include "cli/law/law.h"
#include "cli/process/files.h"
#include "cli/process/load.h"
#include "cli/process/status.h"
#include "cli/text/csv.h"
#include "cli/text/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct law_settings {
    cli_common common;
    cli_assignments values;
    const char *state, *sweep, *svg;
    bool follow, conformance, json;
} law_settings;

#define FIELD(name) offsetof(law_settings, name)

static const cli_option options[] = {
    {.name = "state",
     .type = CLI_TEXT,
     .offset = FIELD(state),
     .argument = "FILE.json",
     .help = "the state; what it leaves out has defaults",
     .completion = CLI_COMPLETE_FILE},
    {.name = "set",
     .type = CLI_ASSIGNMENTS,
     .offset = FIELD(values),
     .argument = "NAME=VALUE",
     .help = "a variable, parameter or part of the history; may be repeated"},
    {.name = "sweep",
     .type = CLI_TEXT,
     .offset = FIELD(sweep),
     .argument = "NAME=A:B:N",
     .help = "N evaluations from A to B, one row each"},
    {.name = "follow",
     .type = CLI_FLAG,
     .offset = FIELD(follow),
     .help = "each evaluation of a sweep goes on with the history of the one before"},
    {.name = "conformance",
     .type = CLI_FLAG,
     .offset = FIELD(conformance),
     .help = "try whether the law keeps what every law must, with the parameters that are given: "
             "balance, frames, exchanged bodies, repetition, extreme states, energy; "
             "exit status 5 where it does not"},
    {.name = "svg",
     .type = CLI_TEXT,
     .offset = FIELD(svg),
     .argument = "FILE",
     .help = "draw the curves of the sweep",
     .completion = CLI_COMPLETE_FILE},
    {.name = "json",
     .type = CLI_FLAG,
     .offset = FIELD(json),
     .help = "print JSON objects, one a line, and nothing else"},
};

/// A variable that goes from `low` to `high`.
typedef struct law_sweep {
    char name[64];
    double low, high;
    int count;
    double *x, *y[2]; // [count] for the drawing
} law_sweep;

static bool take_number(const char **at, char end, double *number)
{
    char *stop = NULL;
    *number = strtod(*at, &stop);
    if (stop == *at || *stop != end || !isfinite(*number))
        return false;
    *at = stop + 1;
    return true;
}

static cairn_status parse_sweep(const char *text, law_sweep *sweep, cairn_error *error)
{
    const char *at = strchr(text, '=');
    double count = 0.0;
    size_t length = at != NULL ? (size_t)(at - text) : 0;
    if (length > 0 && length < sizeof sweep->name) {
        memcpy(sweep->name, text, length);
        at++;
        if (take_number(&at, ':', &sweep->low) && take_number(&at, ':', &sweep->high) &&
            take_number(&at, '\0', &count) && count == floor(count) && count >= 2.0 &&
            count <= LAW_ROWS_MAX) {
            sweep->count = (int)count;
            return CAIRN_OK;
        }
    }
    return base_fail(error, CAIRN_ERROR_ARGUMENT,
                     "--sweep wants NAME=A:B:N with N from 2 to %d, as in overlap=0:1e-3:200, not "
                     "\"%.80s\"",
                     LAW_ROWS_MAX, text);
}

// ---------------------------------------------------------------- rows

static void put_head(const law_request *request, const law_sweep *sweep, const law_column *columns,
                     int count)
{
    const char *unit = law_request_unit(request, sweep->name);
    printf(unit[0] != '\0' ? "%s [%s]" : "%s", sweep->name, unit);
    for (int i = 0; i < count; i++)
        printf(columns[i].unit[0] != '\0' ? ",%s [%s]" : ",%s", columns[i].name, columns[i].unit);
    printf("\n");
}

static void put_row(const law_sweep *sweep, double x, const law_column *columns, int count,
                    bool as_json)
{
    if (!as_json) {
        printf("%.17g", x);
        for (int i = 0; i < count; i++)
            printf(",%.17g", columns[i].value);
        printf("\n");
        return;
    }
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "kind", "law_point");
    cli_json_number(&json, sweep->name, x);
    for (int i = 0; i < count; i++)
        cli_json_number(&json, columns[i].name, columns[i].value);
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

/// Normal and tangential size for the drawing.
static void keep(const law_request *request, const law_answer *answer, law_sweep *sweep, int i)
{
    bool law = request->plugin == CAIRN_LAW;
    const double *R = law ? answer->law.impulse : answer->local.R;
    double unit = law && !law_request_is_cone(request) ? request->law.step : 1.0;
    sweep->y[0][i] = R[0] / unit;
    sweep->y[1][i] = hypot(R[1], R[2]) / unit;
}

/// What the law makes of numbers that are too large for it is no answer.
static cairn_status check_answer(const law_request *request, const law_answer *answer,
                                 cairn_error *error)
{
    law_column columns[LAW_COLUMNS_MAX];
    int count = law_answer_columns(request, answer, columns);
    for (int i = 0; i < count; i++)
        if (!isfinite(columns[i].value))
            return base_fail(error, CAIRN_ERROR_NONFINITE,
                             "%s: %s is not finite: the values are too large for it",
                             request->info.name, columns[i].name);
    return CAIRN_OK;
}

static cairn_status sweep_all(const law_settings *settings, law_request *request, law_sweep *sweep,
                              cairn_error *error)
{
    for (int i = 0; i < sweep->count; i++) {
        law_answer answer;
        law_column columns[LAW_COLUMNS_MAX];
        double share = (double)i / (sweep->count - 1);
        double x = (1.0 - share) * sweep->low + share * sweep->high;
        BASE_TRY(law_request_set(request, sweep->name, cairn_number(x), error));
        BASE_TRY(law_request_evaluate(request, &answer, error));
        BASE_TRY(check_answer(request, &answer, error));
        int count = law_answer_columns(request, &answer, columns);
        if (i == 0 && !settings->json)
            put_head(request, sweep, columns, count);
        put_row(sweep, x, columns, count, settings->json);
        sweep->x[i] = x;
        keep(request, &answer, sweep, i);
        if (settings->follow)
            law_request_follow(request, &answer);
    }
    return CAIRN_OK;
}

static cairn_status draw(const law_settings *settings, const law_request *request,
                         const law_sweep *sweep, cairn_error *error)
{
    bool force = request->plugin == CAIRN_LAW && !law_request_is_cone(request);
    for (int i = 0; i < sweep->count; i++)
        if (!isfinite(sweep->y[0][i]) || !isfinite(sweep->y[1][i]))
            return base_fail(error, CAIRN_ERROR_NONFINITE, "%s = %g: not finite, cannot be drawn",
                             sweep->name, sweep->x[i]);
    law_curves curves = {
        .title = request->info.name,
        .x_name = sweep->name,
        .x_unit = law_request_unit(request, sweep->name),
        .y_name = force ? "force on B" : "impulse on B",
        .y_unit = force ? "N" : "N s",
        .labels = {force ? "normal F_n" : "normal R_n",
                   force ? "tangential |F_t|" : "tangential |R_t|"},
        .count = sweep->count,
        .x = sweep->x,
        .y = {sweep->y[0], sweep->y[1]},
    };
    cli_file file;
    BASE_TRY(cli_file_open(&file, settings->svg, error));
    law_svg_write(&curves, file.stream);
    return cli_file_commit(&file, error);
}

// ---------------------------------------------------------------- the command

/// Exit status of a wrong value: of the state file where there is one.
static int exit_of_values(const law_settings *settings, cairn_status status)
{
    if (status == CAIRN_ERROR_MEMORY || status == CAIRN_ERROR_FILE)
        return CLI_EXIT_FAILED;
    return settings->state != NULL ? CLI_EXIT_INPUT : CLI_EXIT_USAGE;
}

static int complain(int result, const cairn_error *error)
{
    cli_complain("%s", error->message);
    return result;
}

static int complain_usage(const char *what)
{
    cli_complain("%s", what);
    return CLI_EXIT_USAGE;
}

static int run_sweep(const law_settings *settings, law_request *request)
{
    cairn_error error = {0};
    law_sweep sweep = {.name = ""};
    base_allocator allocator = base_allocator_default();
    cairn_status status = parse_sweep(settings->sweep, &sweep, &error);
    if (status != CAIRN_OK)
        return complain(CLI_EXIT_USAGE, &error);
    status = law_request_set(request, sweep.name, cairn_number(sweep.low), &error);
    if (status != CAIRN_OK)
        return complain(CLI_EXIT_USAGE, &error);
    // a file that cannot be written shows before the rows, not after them
    if (settings->svg != NULL && cli_file_try(settings->svg, &error) != CAIRN_OK)
        return complain(CLI_EXIT_FAILED, &error);
    double *memory = base_allocate(&allocator, 3 * (size_t)sweep.count, sizeof *memory);
    if (memory == NULL)
        status = base_fail(&error, CAIRN_ERROR_MEMORY, "out of memory");
    sweep.x = memory;
    for (int k = 0; k < 2 && memory != NULL; k++)
        sweep.y[k] = memory + (k + 1) * sweep.count;
    if (status == CAIRN_OK)
        status = sweep_all(settings, request, &sweep, &error);
    if (status == CAIRN_OK && settings->svg != NULL)
        status = draw(settings, request, &sweep, &error);
    base_release(&allocator, memory);
    return status == CAIRN_OK ? CLI_EXIT_DONE : complain(exit_of_values(settings, status), &error);
}

static int run_once(const law_settings *settings, const law_request *request)
{
    cairn_error error = {0};
    law_answer answer;
    cairn_status status = law_request_evaluate(request, &answer, &error);
    if (status == CAIRN_OK)
        status = check_answer(request, &answer, &error);
    if (status != CAIRN_OK)
        return complain(exit_of_values(settings, status), &error);
    if (settings->json)
        law_answer_json(request, &answer, stdout);
    else
        law_answer_print(request, &answer, stdout);
    return CLI_EXIT_DONE;
}

/// The battery that every law must pass, with the parameters of the request.
static int run_conformance(const law_settings *settings, const law_request *request)
{
    cairn_error error = {0};
    cairn_world *world = NULL;
    cairn_world_def def = cairn_default_world_def();
    if (request->plugin != CAIRN_LAW)
        return complain_usage("--conformance wants a law, not a one-contact solver");
    cairn_status status = cairn_world_create(&def, &world, &error);
    if (status == CAIRN_OK)
        status = cairn_world_check_law(world, request->info.name, request->parameters,
                                       request->parameter_count, &error);
    cairn_world_destroy(world);
    if (status == CAIRN_ERROR_UNSUPPORTED)
        return complain(CLI_EXIT_USAGE, &error);
    if (status != CAIRN_OK && status != CAIRN_ERROR_NUMERICAL)
        return complain(exit_of_values(settings, status), &error);
    bool keeps = status == CAIRN_OK;
    if (settings->json) {
        cli_json json = cli_json_begin(stdout);
        cli_json_object(&json, NULL);
        cli_json_text(&json, "kind", "conformance");
        cli_json_text(&json, "law", request->info.name);
        cli_json_boolean(&json, "conforms", keeps);
        cli_json_text(&json, "message", keeps ? NULL : error.message);
        cli_json_object_end(&json);
        cli_json_finish(&json);
    } else if (keeps)
        printf("%s: conforms\n", request->info.name);
    else
        cli_complain("%s", error.message);
    return keeps ? CLI_EXIT_DONE : CLI_EXIT_DIFFERENT;
}

static int run_request(const law_settings *settings, law_request *request)
{
    cairn_error error = {0};
    for (int i = 0; i < settings->values.count; i++) {
        const scn_assignment *given = &settings->values.items[i];
        if (law_request_set(request, given->name, law_value_of(given->value), &error) != CAIRN_OK)
            return complain(CLI_EXIT_USAGE, &error);
    }
    if (settings->conformance)
        return run_conformance(settings, request);
    return settings->sweep != NULL ? run_sweep(settings, request) : run_once(settings, request);
}

static int run_law(const void *memory)
{
    const law_settings *settings = memory;
    cairn_error error = {0};
    law_request request;
    cli_json_tree tree = {0};
    if (settings->conformance && settings->sweep != NULL)
        return complain_usage("--conformance and --sweep exclude each other");
    if (settings->sweep == NULL && (settings->svg != NULL || settings->follow)) {
        cli_complain("%s wants --sweep", settings->svg != NULL ? "--svg" : "--follow");
        return CLI_EXIT_USAGE;
    }
    if (law_request_begin(&request, settings->common.arguments[0], &error) != CAIRN_OK)
        return complain(CLI_EXIT_USAGE, &error);
    cairn_status status = CAIRN_OK;
    if (settings->state != NULL)
        status = cli_json_read(settings->state, &tree, &error);
    if (settings->state != NULL && status == CAIRN_OK)
        status = law_request_read(&request, tree.root, settings->state, &error);
    int result = status == CAIRN_OK ? run_request(settings, &request)
                                    : complain(cli_exit_of_load(status), &error);
    cli_json_release(&tree);
    return result;
}

static void help_history(const law_request *request)
{
    int count = request->plugin == CAIRN_LAW ? cairn_law_get_history_count(request->info.name) : 0;
    if (count > 0)
        printf("\nhistory of %s, in and out:\n ", request->info.name);
    for (int i = 0; i < count; i++)
        printf(" %s%s", cairn_law_get_history_name(request->info.name, i),
               i + 1 < count ? "," : "\n");
}

/// The parameters of the law that is named, and its history.
static int help_law(const void *memory)
{
    const law_settings *settings = memory;
    law_request request;
    cairn_error error = {0};
    if (settings->common.argument_count == 0)
        return CLI_EXIT_DONE;
    if (law_request_begin(&request, settings->common.arguments[0], &error) != CAIRN_OK)
        return complain(CLI_EXIT_USAGE, &error);
    printf("\nparameters of %s:\n", request.info.name);
    for (int i = 0; i < request.info.setting_count; i++) {
        cairn_setting_info is = cairn_plugin_get_setting(request.plugin, request.index, i);
        printf("  %-26s ", is.name);
        cli_print_value(is.initial, stdout);
        printf("%s%s  %s", is.unit[0] != '\0' ? " " : "", is.unit, is.help);
        for (int k = 0; is.choices != NULL && is.choices[k] != NULL; k++)
            printf("%s%s", k == 0 ? " (" : ", ", is.choices[k]);
        printf(is.choices != NULL ? ")\n" : "\n");
    }
    if (request.info.setting_count == 0)
        printf("  none\n");
    help_history(&request);
    return CLI_EXIT_DONE;
}

const cli_command cli_cmd_law = {
    .name = "law",
    .summary = "one contact law or one-contact solver on a given state",
    .operands = "NAME",
    .description =
        "Evaluates a law on one contact of two spheres (or a sphere on a plane, or in a hollow "
        "sphere) and prints\nforce, torque and new history; or a one-contact solver on W, b, mu. "
        "A sweep prints CSV, one row an\nevaluation. cairn law NAME --help lists the "
        "parameters.\n\n"
        "Keys of a state file for a law: radii, masses, inertias (of A and B; \"infinite\" for a "
        "plane, a negative\nradius for a hollow sphere), positions, velocities, "
        "angular_velocities, plane_normal, overlap, v_n, v_t,\nh, history, parameters, fresh, "
        "initial, instantaneous, previous_impulse, local; gap, V, B, W (of the "
        "contact itself, in the frame n, t1,\nt2, instead of the bodies'). For a one-contact "
        "solver: W, b, mu, start, parameters. Variables for --set\nand --sweep: overlap, v_n, "
        "v_t, h (b_n, b_t1, b_t2, mu), parameters, history.",
    .least = 1,
    .most = 1,
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(law_settings),
    .run = run_law,
    .help = help_law,
};
