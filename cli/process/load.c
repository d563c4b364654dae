// SPDX-License-Identifier: Apache-2.0
// Loading of scenes for the subcommands.
#include "cli/process/load.h"

#include "cli/process/files.h"
#include "cli/process/interrupt.h"
#include "cli/process/status.h"

#include <float.h>

int cli_load_scene(const char *word, const scn_options *options, scn_scene **scene)
{
    char path[PATH_MAX];
    cairn_error error = {0};
    cli_scene_path(word, path);
    cli_interrupt_guard_load(options->time_limit);
    cairn_status status = scn_load(path, options, scene, &error);
    cli_interrupt_guard_cancel();
    if (status != CAIRN_OK)
        cli_complain("%s", error.message);
    return cli_exit_of_load(status);
}

void cli_print_value(cairn_value value, FILE *out)
{
    switch (value.type) {
    case CAIRN_NUMBER:
        fprintf(out, "%.10g", value.number);
        break;
    case CAIRN_BOOLEAN:
        fputs(value.boolean ? "true" : "false", out);
        break;
    case CAIRN_TEXT:
        fprintf(out, "\"%s\"", cli_show(value.text).text);
        break;
    }
}

static void print_range(const scn_parameter *parameter, FILE *out)
{
    if (parameter->minimum > -DBL_MAX)
        fprintf(out, ", at least %.10g", parameter->minimum);
    if (parameter->maximum < DBL_MAX)
        fprintf(out, ", at most %.10g", parameter->maximum);
}

void cli_print_parameters(const scn_scene *scene, FILE *out)
{
    for (int i = 0; i < scene->parameter_count; i++) {
        const scn_parameter *parameter = &scene->parameters[i];
        fprintf(out, "  --set %-24s %s (default ", parameter->name, cli_show(parameter->help).text);
        cli_print_value(parameter->initial, out);
        if (parameter->initial.type == CAIRN_NUMBER)
            print_range(parameter, out);
        fputs(")\n", out);
    }
}
