// SPDX-License-Identifier: Apache-2.0
// cairn list: the tables of laws, solvers, one-contact solvers and shapes, and the built-in scenes.
#include "base/assert.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/process/files.h"
#include "cli/process/load.h"
#include "cli/process/status.h"
#include "cli/text/json.h"
#include "cli/text/wrap.h"

#include <dirent.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef struct list_settings {
    cli_common common;
    bool json;
} list_settings;

static const cli_option options[] = {
    {.name = "json",
     .type = CLI_FLAG,
     .offset = offsetof(list_settings, json),
     .help = "print one JSON object a line and nothing else"},
};

static const char *const words[] = {"laws", "solvers", "locals", "scenes", "shapes", NULL};

// ---------------------------------------------------------------- tables of the engine

enum { PURPOSE_SIZE = 1024 };

static void print_limits(FILE *out, const cairn_setting_info *setting)
{
    if (setting->choices != NULL) {
        fprintf(out, ", one of");
        for (int i = 0; setting->choices[i] != NULL; i++)
            fprintf(out, "%s %s", i > 0 ? "," : "", setting->choices[i]);
        return;
    }
    if (strcmp(setting->type, "boolean") == 0)
        return;
    if (setting->minimum > -DBL_MAX)
        fprintf(out, ", at least %g", setting->minimum);
    if (setting->maximum < DBL_MAX)
        fprintf(out, ", at most %g", setting->maximum);
}

static void print_setting(const cairn_setting_info *setting)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return;
    fprintf(out, "%s%s%s%s (default ", setting->help, setting->unit[0] != '\0' ? " [" : "",
            setting->unit, setting->unit[0] != '\0' ? "]" : "");
    cli_print_value(setting->initial, out);
    print_limits(out, setting);
    fputc(')', out);
    bool whole = fclose(out) == 0;
    printf("    %-20s ", setting->name);
    // a name that is too long for its column has a line of its own
    if (cli_columns(stdout) > 0 && strlen(setting->name) > 20)
        printf("\n%25s", "");
    if (whole)
        cli_put_wrapped(stdout, cli_columns(stdout), 25, text);
    free(text);
}

static void json_setting(cli_json *json, const cairn_setting_info *setting)
{
    cli_json_object(json, NULL);
    cli_json_text(json, "name", setting->name);
    cli_json_text(json, "type", setting->type);
    cli_json_text(json, "unit", setting->unit);
    cli_json_value(json, "default", setting->initial);
    if (setting->choices != NULL) {
        cli_json_list(json, "choices");
        for (int i = 0; setting->choices[i] != NULL; i++)
            cli_json_text(json, NULL, setting->choices[i]);
        cli_json_list_end(json);
    } else if (strcmp(setting->type, "boolean") != 0) {
        cli_json_number(json, "minimum", setting->minimum);
        cli_json_number(json, "maximum", setting->maximum);
    }
    cli_json_text(json, "help", setting->help);
    cli_json_object_end(json);
}

static void json_plugin(cairn_plugin plugin, int index, const cairn_plugin_info *info)
{
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "name", info->name);
    static const char *const kinds[] = {
        [CAIRN_LAW] = "law", [CAIRN_SOLVER] = "solver", [CAIRN_LOCAL] = "local"};
    cli_json_text(&json, "kind", info->kind[0] != '\0' ? info->kind : kinds[plugin]);
    cli_json_boolean(&json, "default", index == 0);
    if (info->kind[0] != '\0')
        cli_json_boolean(&json, "kernel", info->kernel);
    if (info->slower > 0.0)
        cli_json_number(&json, "slower", info->slower);
    cli_json_text(&json, "help", info->help);
    cli_json_list(&json, "settings");
    for (int i = 0; i < info->setting_count; i++) {
        cairn_setting_info setting = cairn_plugin_get_setting(plugin, index, i);
        json_setting(&json, &setting);
    }
    cli_json_list_end(&json);
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

static void print_plugin(cairn_plugin plugin, int index, const cairn_plugin_info *info)
{
    char kernel[80] = "";
    if (info->kernel)
        snprintf(kernel, sizeof kernel, ", with a kernel for spheres");
    else if (info->slower > 0.0)
        snprintf(kernel, sizeof kernel, ", no kernel: spheres some %.2g times slower",
                 info->slower);
    char facts[160];
    snprintf(facts, sizeof facts, "%s%s%s%s%s", info->kind[0] != '\0' ? " (" : "", info->kind,
             kernel, info->kind[0] != '\0' ? ")" : "", index == 0 ? ", the default" : "");
    fputs(info->name, stdout);
    cli_put_wrapped(stdout, cli_columns(stdout), (int)strlen(info->name), facts);
    printf("    ");
    cli_put_wrapped(stdout, cli_columns(stdout), 4, info->help);
    for (int i = 0; i < info->setting_count; i++) {
        cairn_setting_info setting = cairn_plugin_get_setting(plugin, index, i);
        print_setting(&setting);
    }
}

static int list_plugins(cairn_plugin plugin, bool json)
{
    for (int i = 0; i < cairn_plugin_count(plugin); i++) {
        cairn_plugin_info info = cairn_plugin_get(plugin, i);
        if (json)
            json_plugin(plugin, i, &info);
        else
            print_plugin(plugin, i, &info);
    }
    return CLI_EXIT_DONE;
}

// ---------------------------------------------------------------- scenes and shapes

/// First paragraph of a scene's comment after the licence line, as its description.
static void read_purpose(const char *path, char out[PURPOSE_SIZE])
{
    char line[PURPOSE_SIZE];
    out[0] = '\0';
    FILE *file = base_file_read(path, NULL);
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        if (strncmp(line, "-- ", 3) != 0)
            break;
        size_t used = strlen(out);
        if (strstr(line, "SPDX") == NULL)
            snprintf(out + used, PURPOSE_SIZE - used, "%s%s", used > 0 ? " " : "", line + 3);
    }
    fclose(file);
}

static void put_scene(const char *folder, const char *file, bool json)
{
    char path[PATH_MAX], purpose[PURPOSE_SIZE], name[NAME_MAX + 1];
    if (cli_path_join(path, folder, file, NULL) != CAIRN_OK)
        return;
    read_purpose(path, purpose);
    snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - 4), file);
    if (!json) {
        printf("%-16s ", cli_show(name).text);
        cli_put_wrapped(stdout, cli_columns(stdout), 17, cli_show(purpose).text);
        return;
    }
    cli_json object = cli_json_begin(stdout);
    cli_json_object(&object, NULL);
    cli_json_text(&object, "name", name);
    cli_json_text(&object, "kind", "scene");
    cli_json_text(&object, "path", path);
    cli_json_text(&object, "help", purpose);
    cli_json_object_end(&object);
    cli_json_finish(&object);
}

static int is_scene(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".lua") == 0;
}

static int list_scenes(bool json)
{
    char folder[PATH_MAX];
    struct dirent **entries = NULL;
    int count = -1;
    if (cli_scenes_folder(folder) == CAIRN_OK)
        count = scandir(folder, &entries, is_scene, alphasort);
    if (count < 0) {
        cli_complain("the folder of the built-in scenes was not found beside the program");
        return CLI_EXIT_INPUT;
    }
    for (int i = 0; i < count; i++) {
        put_scene(folder, entries[i]->d_name, json);
        free(entries[i]);
    }
    free(entries);
    return CLI_EXIT_DONE;
}

static int list_shapes(bool json)
{
    static const char *const shapes[][2] = {
        {"sphere", "sphere{ radius = }"},
        {"box", "box{ size = {x, y, z} }"},
        {"capsule", "capsule{ radius = , length = } along z, length of the cylinder part"},
        {"cylinder", "cylinder{ radius = , length = } along z"},
        {"polyhedron", "polyhedron{ points = } or { file = , scale = }: the convex hull"},
        {"mesh", "mesh{ vertices = , triangles = } or { file = , scale = }: a surface"},
        {"compound", "compound{ { shape = , position = , orientation = }, ... }"},
        {"plane", "plane{}: all below z = 0 of its frame; fixed or moving"},
    };
    for (int i = 0; i < BASE_COUNT(shapes); i++) {
        if (!json) {
            cli_print_line(stdout, "%-12s  %s", shapes[i][0], shapes[i][1]);
            continue;
        }
        cli_json object = cli_json_begin(stdout);
        cli_json_object(&object, NULL);
        cli_json_text(&object, "name", shapes[i][0]);
        cli_json_text(&object, "kind", "shape");
        cli_json_text(&object, "help", shapes[i][1]);
        cli_json_object_end(&object);
        cli_json_finish(&object);
    }
    return CLI_EXIT_DONE;
}

static int run_list(const void *memory)
{
    const list_settings *settings = memory;
    const char *what = settings->common.arguments[0];
    if (strcmp(what, "laws") == 0)
        return list_plugins(CAIRN_LAW, settings->json);
    if (strcmp(what, "solvers") == 0)
        return list_plugins(CAIRN_SOLVER, settings->json);
    if (strcmp(what, "locals") == 0)
        return list_plugins(CAIRN_LOCAL, settings->json);
    if (strcmp(what, "scenes") == 0)
        return list_scenes(settings->json);
    if (strcmp(what, "shapes") == 0)
        return list_shapes(settings->json);
    cli_complain("there is no list of \"%.80s\": laws, solvers, locals, scenes or shapes", what);
    return CLI_EXIT_USAGE;
}

const cli_command cli_cmd_list = {
    .name = "list",
    .summary = "laws, solvers, one-contact solvers, scenes or shapes of this build",
    .operands = "laws|solvers|locals|scenes|shapes",
    .description = "Lists what this build has, with settings, units, defaults and ranges.",
    .least = 1,
    .most = 1,
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(list_settings),
    .operand_words = words,
    .run = run_list,
};
