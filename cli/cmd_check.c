// SPDX-License-Identifier: Apache-2.0
// cairn check: has a contact problem a solution?
#include "base/assert.h"
#include "cli/commands.h"
#include "cli/process/probe.h"
#include "cli/process/status.h"
#include "cli/text/json.h"

#include <math.h>

typedef struct check_settings {
    cli_common common;
    bool json;
} check_settings;

static const cli_option options[] = {
    {.name = "json",
     .type = CLI_FLAG,
     .offset = offsetof(check_settings, json),
     .help = "print one JSON object a file and nothing else"},
};

static void put_json(const char *file, const cairn_problem *problem, const cairn_existence *found)
{
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "file", file);
    cli_json_text(&json, "kind", cairn_problem_kind_name(cairn_problem_get_kind(problem)));
    cli_json_integer(&json, "contacts", cairn_problem_get_contact_count(problem));
    cli_json_text(&json, "verdict", cairn_existence_name(found->verdict));
    cli_json_boolean(&json, "zero_solves", found->zero_solves);
    cli_json_number(&json, "margin", found->margin);
    cli_json_number(&json, "margin_bound", found->margin_bound);
    cli_json_number(&json, "scale", found->scale);
    cli_json_number(&json, "certificate_product", found->certificate_product);
    cli_json_number(&json, "certificate_residual", found->certificate_residual);
    cli_json_integer(&json, "iterations", found->iterations);
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

static const char *sentence(const cairn_problem *problem, const cairn_existence *found)
{
    switch (found->verdict) {
    case CAIRN_EXISTENCE_SHOWN:
        return found->zero_solves && !(found->margin > 0.0)
                   ? "a solution exists: R = 0 is one"
                   : "a solution exists: a velocity lies strictly inside the dual cones";
    case CAIRN_EXISTENCE_BORDERLINE:
        return "undecided: the largest margin is zero within what can be computed";
    case CAIRN_EXISTENCE_NOT_SHOWN:
        if (cairn_problem_get_dimension(problem) >= 5)
            return "not shown: the gaps can be kept, and no more is asked with rolling friction";
        return "not shown: no velocity lies inside the dual cones (a solution may exist)";
    case CAIRN_EXISTENCE_NONE:
        break;
    }
    return "no solution exists: no velocity keeps the gaps";
}

static void put_text(const char *file, const cairn_problem *problem, const cairn_existence *found)
{
    printf("%s: %s\n", cli_show(file).text, sentence(problem, found));
    printf("  contacts     %d, %s form\n", cairn_problem_get_contact_count(problem),
           cairn_problem_kind_name(cairn_problem_get_kind(problem)));
    printf("  margin       %.6g found, %.6g at most (of %.3g m/s; capped at 1)\n", found->margin,
           found->margin_bound, found->scale);
    if (isfinite(found->certificate_product))
        printf("  certificate  q.d = %.6g for a d in the cones with |W^T d| = %.2g, relative\n",
               found->certificate_product, found->certificate_residual);
    if (found->rank >= 0)
        printf("  rank of W    %d\n", found->rank);
    printf("  iterations   %d\n", found->iterations);
}

static int check_file(const char *file, bool json)
{
    cairn_error error = {0};
    cairn_problem *problem = NULL;
    cairn_existence found;
    cairn_status status = cli_probe_problem(file, &problem, &error);
    if (status == CAIRN_OK)
        status = cairn_problem_check(problem, &found, NULL, &error);
    if (status == CAIRN_OK) {
        if (json)
            put_json(file, problem, &found);
        else
            put_text(file, problem, &found);
    } else {
        cli_complain("%s", error.message);
    }
    cairn_problem_destroy(problem);
    if (status != CAIRN_OK)
        return status == CAIRN_ERROR_UNSUPPORTED ? CLI_EXIT_ABSENT
               : status == CAIRN_ERROR_MEMORY    ? CLI_EXIT_FAILED
                                                 : CLI_EXIT_INPUT;
    return found.verdict == CAIRN_EXISTENCE_SHOWN ? CLI_EXIT_DONE : CLI_EXIT_DIFFERENT;
}

static int run_check(const void *memory)
{
    const check_settings *settings = memory;
    int result = CLI_EXIT_DONE;
    for (int i = 0; i < settings->common.argument_count; i++) {
        int one = check_file(settings->common.arguments[i], settings->json);
        // what could not be tested goes before what was not shown
        if (one != CLI_EXIT_DONE && (result == CLI_EXIT_DONE || result == CLI_EXIT_DIFFERENT))
            result = one;
        fflush(stdout);
    }
    return result;
}

const cli_command cli_cmd_check = {
    .name = "check",
    .summary = "has a contact problem a solution?",
    .operands = "FILE...",
    .description =
        "Tests existence of a solution of the contact problems of FCLIB files: looks for the "
        "largest margin a\nwith which a velocity lies inside the dual cones, H'v + w - a e_N in "
        "K*. A positive margin shows that a\nsolution exists; a negative one comes with a "
        "certificate, and is tried again without friction: if even\nthat fails there is no "
        "solution. Exit status 0 when a solution exists, 5 when that is not shown.",
    .least = 1,
    .most = CLI_ARGUMENTS_MAX,
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(check_settings),
    .completion = CLI_COMPLETE_FILE,
    .run = run_check,
};
