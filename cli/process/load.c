// SPDX-License-Identifier: Apache-2.0
// Loading of scenes for the subcommands.
#include "cli/process/load.h"

#include "base/settings.h"
#include "cli/process/files.h"
#include "cli/process/interrupt.h"
#include "cli/process/status.h"
#include "cli/text/wrap.h"

#include <dirent.h>
#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCENES_MOST = 256 };

/// The built-in scene that a word may mean; "" for none. A file of a folder is what it says.
static void suggest_scene(const char *word, char out[NAME_MAX + 1])
{
    char folder[PATH_MAX];
    char names[SCENES_MOST][NAME_MAX + 1];
    const char *list[SCENES_MOST];
    int count = 0;
    out[0] = '\0';
    if (strchr(word, '/') != NULL || access(word, F_OK) == 0 ||
        cli_scenes_folder(folder) != CAIRN_OK)
        return;
    DIR *scenes = opendir(folder);
    for (const struct dirent *each = scenes != NULL ? readdir(scenes) : NULL;
         each != NULL && count < SCENES_MOST; each = readdir(scenes)) {
        size_t length = strlen(each->d_name);
        if (length <= 4 || strcmp(each->d_name + length - 4, ".lua") != 0)
            continue;
        snprintf(names[count], sizeof *names, "%.*s", (int)length - 4, each->d_name);
        list[count] = names[count];
        // the beginning of a name means it
        if (strncmp(names[count], word, strlen(word)) == 0)
            snprintf(out, NAME_MAX + 1, "%s", names[count]);
        count++;
    }
    if (scenes != NULL)
        closedir(scenes);
    const char *near = out[0] == '\0' ? base_suggest(word, list, count) : NULL;
    if (near != NULL)
        snprintf(out, NAME_MAX + 1, "%s", near);
}

static void complain_of_load(const char *word, cairn_status status, const cairn_error *error)
{
    char near[NAME_MAX + 1] = "";
    if (status == CAIRN_ERROR_FILE)
        suggest_scene(word, near);
    if (near[0] != '\0')
        cli_complain("%s (did you mean the built-in scene \"%s\"?)", error->message, near);
    else
        cli_complain("%s", error->message);
}

int cli_load_scene(const char *word, const scn_options *options, scn_scene **scene)
{
    char path[PATH_MAX];
    cairn_error error = {0};
    cli_scene_path(word, false, path);
    cli_interrupt_guard_load(options->time_limit);
    cairn_status status = scn_load(path, options, scene, &error);
    cli_interrupt_guard_cancel();
    if (status != CAIRN_OK)
        complain_of_load(word, status, &error);
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
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        if (stream == NULL)
            return;
        fprintf(stream, "%s (default ", cli_show(parameter->help).text);
        cli_print_value(parameter->initial, stream);
        if (parameter->initial.type == CAIRN_NUMBER)
            print_range(parameter, stream);
        if (fclose(stream) == 0)
            cli_print_line(out, "  --set %-23s  %s)", parameter->name, text);
        free(text);
    }
}
