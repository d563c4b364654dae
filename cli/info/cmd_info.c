// SPDX-License-Identifier: Apache-2.0
// cairn info: what is in a scene, in the folder of a run, in a checkpoint, a trajectory or a
// problem.
#include "base/assert.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/info/info.h"
#include "cli/process/files.h"
#include "cli/process/laws.h"
#include "cli/process/load.h"
#include "cli/process/status.h"
#include "cli/text/json.h"
#include "cli/text/json_read.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUMMARY_SIZE = 1 << 18 };

typedef struct info_settings {
    cli_common common;
    cli_assignments parameters;
    bool json;
} info_settings;

static const cli_option options[] = {
    {.name = "set",
     .type = CLI_ASSIGNMENTS,
     .offset = offsetof(info_settings, parameters),
     .argument = "NAME=VALUE",
     .help = "change a parameter of a scene; may be repeated"},
    {.name = "json",
     .type = CLI_FLAG,
     .offset = offsetof(info_settings, json),
     .help = "print one JSON object and nothing else"},
};

// ---------------------------------------------------------------- scenes

typedef struct census {
    int dynamic, fixed, moving;
    double mass; // kg, of the dynamic bodies
} census;

static census count_bodies(const cairn_world *world)
{
    census result = {0};
    for (int i = 0; i < cairn_body_count(world); i++) {
        cairn_body_view view;
        if (cairn_body_get(world, cairn_body_at(world, i), &view) != CAIRN_OK)
            continue;
        result.dynamic += view.kind == CAIRN_DYNAMIC;
        result.fixed += view.kind == CAIRN_FIXED;
        result.moving += view.kind == CAIRN_MOVING;
        if (view.kind == CAIRN_DYNAMIC)
            result.mass += view.mass;
    }
    return result;
}

static void print_scene(const scn_scene *scene)
{
    const cairn_world_def *def = cairn_world_get_def(scene->world);
    char laws[CLI_LAWS_SIZE];
    cli_laws_in_use(scene->world, laws);
    census bodies = count_bodies(scene->world);
    printf("%s%s%s\n", cli_show(scene->name).text, scene->title[0] != '\0' ? ": " : "",
           cli_show(scene->title).text);
    printf("  bodies       %d dynamic (%.4g kg), %d fixed, %d moving\n", bodies.dynamic,
           bodies.mass, bodies.fixed, bodies.moving);
    printf("  shapes       %d\n", cairn_shape_count(scene->world));
    printf("  materials    %d\n", cairn_material_count(scene->world));
    printf("  law          %s\n", laws);
    printf("  solver       %s, one-contact solver %s, tolerance %g\n",
           cairn_world_get_solver(scene->world), cairn_world_get_local(scene->world),
           def->tolerance);
    printf("  step         %g s until %g s\n", def->time_step, scene->end_time);
    cairn_step_limit limit = cairn_world_get_stable_step(scene->world);
    if (isfinite(limit.step)) {
        printf("  stable step  %.3g s, of %s between %s and %s; --step auto takes %.3g s\n",
               limit.step, limit.law,
               cli_show(cairn_material_get_name(scene->world, limit.material_a)).text,
               cli_show(cairn_material_get_name(scene->world, limit.material_b)).text,
               limit.accurate);
    }
    printf("  gravity      %g %g %g m/s2\n", def->gravity[0], def->gravity[1], def->gravity[2]);
    printf("  sensors      %d\n", scene->sensor_count);
    if (scene->overlap_count > 0)
        printf("  overlaps     %d pairs at the start\n", scene->overlap_count);
    if (scene->parameter_count > 0)
        printf("parameters:\n");
    cli_print_parameters(scene, stdout);
}

static void json_scene(const scn_scene *scene)
{
    const cairn_world_def *def = cairn_world_get_def(scene->world);
    char laws[CLI_LAWS_SIZE];
    cli_laws_in_use(scene->world, laws);
    census bodies = count_bodies(scene->world);
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "kind", "scene");
    cli_json_text(&json, "scene", scene->name);
    cli_json_text(&json, "title", scene->title);
    cli_json_integer(&json, "bodies", cairn_body_count(scene->world));
    cli_json_integer(&json, "dynamic", bodies.dynamic);
    cli_json_number(&json, "mass", bodies.mass);
    cli_json_integer(&json, "shapes", cairn_shape_count(scene->world));
    cli_json_integer(&json, "materials", cairn_material_count(scene->world));
    cli_json_text(&json, "law", laws);
    cli_json_text(&json, "solver", cairn_world_get_solver(scene->world));
    cli_json_text(&json, "local", cairn_world_get_local(scene->world));
    cli_json_number(&json, "tolerance", def->tolerance);
    cli_json_number(&json, "step", def->time_step);
    // null where no law has a limit
    cli_json_number(&json, "stable_step", cairn_world_get_stable_step(scene->world).step);
    cli_json_number(&json, "end_time", scene->end_time);
    cli_json_integer(&json, "sensors", scene->sensor_count);
    cli_json_integer(&json, "overlaps", scene->overlap_count);
    cli_json_object(&json, "parameters");
    for (int i = 0; i < scene->parameter_count; i++)
        cli_json_value(&json, scene->parameters[i].name, scene->parameters[i].value);
    cli_json_object_end(&json);
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

static int describe_scene(const info_settings *settings)
{
    scn_options load = scn_default_options();
    load.parameters = settings->parameters.items;
    load.parameter_count = settings->parameters.count;
    load.log = cli_log;
    scn_scene *scene = NULL;
    int result = cli_load_scene(settings->common.arguments[0], &load, &scene);
    if (result != CLI_EXIT_DONE)
        return result;
    if (settings->json)
        json_scene(scene);
    else
        print_scene(scene);
    scn_destroy(scene);
    return CLI_EXIT_DONE;
}

// ---------------------------------------------------------------- folders of runs

/// A value as it was read, so that nothing of the file reaches the terminal as it is.
static void put_node(cli_json *json, const char *key, const cli_json_node *node)
{
    switch (node->kind) {
    case CLI_JSON_NULL:
        cli_json_text(json, key, NULL);
        break;
    case CLI_JSON_BOOLEAN:
        cli_json_boolean(json, key, node->boolean);
        break;
    case CLI_JSON_NUMBER:
        cli_json_number(json, key, node->number);
        break;
    case CLI_JSON_TEXT:
        cli_json_text(json, key, node->text);
        break;
    case CLI_JSON_LIST:
        cli_json_list(json, key);
        for (const cli_json_node *each = node->first; each != NULL; each = each->next)
            put_node(json, NULL, each);
        cli_json_list_end(json);
        break;
    case CLI_JSON_OBJECT:
        cli_json_object(json, key);
        for (const cli_json_node *each = node->first; each != NULL; each = each->next)
            put_node(json, each->key, each);
        cli_json_object_end(json);
        break;
    }
}

/// One line a key of the outermost object.
static void print_object(const cli_json_node *root)
{
    for (const cli_json_node *each = root->first; each != NULL; each = each->next) {
        printf("%s ", cli_show(each->key).text);
        if (each->kind == CLI_JSON_TEXT) {
            puts(cli_show(each->text).text);
            continue;
        }
        cli_json json = cli_json_begin(stdout);
        put_node(&json, NULL, each);
        cli_json_finish(&json);
    }
}

/// What a JSON file of a run says. @param kind  of a file that says none itself. @return exit
/// status
static int describe_object(const char *path, const char *kind, bool json)
{
    cli_json_tree tree = {0};
    cairn_error error = {0};
    cairn_status status = cli_json_read(path, &tree, &error);
    if (status == CAIRN_OK && tree.root->kind != CLI_JSON_OBJECT)
        status = base_fail(&error, CAIRN_ERROR_FORMAT, "%s: not a summary of a run", path);
    if (status != CAIRN_OK) {
        cli_complain("%s", error.message);
    } else if (json) {
        cli_json out = cli_json_begin(stdout);
        bool has_kind = false;
        for (const cli_json_node *each = tree.root->first; each != NULL; each = each->next)
            has_kind = has_kind || strcmp(each->key, "kind") == 0;
        cli_json_object(&out, NULL);
        if (!has_kind)
            cli_json_text(&out, "kind", kind);
        for (const cli_json_node *each = tree.root->first; each != NULL; each = each->next)
            put_node(&out, each->key, each);
        cli_json_object_end(&out);
        cli_json_finish(&out);
    } else {
        print_object(tree.root);
    }
    cli_json_release(&tree);
    return status == CAIRN_OK ? CLI_EXIT_DONE : CLI_EXIT_INPUT;
}

/// What summary.json says. @return exit status
static int describe_summary(const char *folder, bool json)
{
    char path[PATH_MAX];
    cairn_error error = {0};
    if (cli_path_join(path, folder, "summary.json", &error) != CAIRN_OK)
        cli_complain("%s", error.message);
    else if (access(path, F_OK) != 0)
        cli_complain("%s is not the folder of a run: %s: %s", folder, path, strerror(errno));
    else
        return describe_object(path, "run", json);
    return CLI_EXIT_INPUT;
}

/// The table of the run as it was printed, or what summary.json says.
static int describe_folder(const char *folder, bool json)
{
    char path[PATH_MAX], text[SUMMARY_SIZE];
    FILE *file = NULL;
    if (!json && cli_path_join(path, folder, "summary.txt", NULL) == CAIRN_OK)
        file = base_file_read(path, NULL);
    if (file == NULL)
        return describe_summary(folder, json);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n"))
        puts(cli_show(line).text);
    return CLI_EXIT_DONE;
}

// ---------------------------------------------------------------- files

static bool is_hdf5(const char *path)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[8];
    FILE *file = base_file_read(path, NULL);
    if (file == NULL)
        return false;
    size_t size = fread(head, 1, sizeof head, file);
    fclose(file);
    return size == sizeof head && memcmp(head, signature, sizeof head) == 0;
}

static bool ends_with(const char *path, const char *ending)
{
    size_t length = strlen(path), least = strlen(ending);
    return length > least && strcmp(path + length - least, ending) == 0;
}

/// A problem in text, as no scene begins.
static bool starts_with_digit(const char *path)
{
    FILE *file = base_file_read(path, NULL);
    int c = file != NULL ? fgetc(file) : EOF;
    while (isspace(c))
        c = fgetc(file);
    if (file != NULL)
        fclose(file);
    return isdigit(c);
}

static int run_info(const void *memory)
{
    const info_settings *settings = memory;
    const char *word = settings->common.arguments[0];
    struct stat info;
    if (stat(word, &info) == 0 && S_ISDIR(info.st_mode))
        return describe_folder(word, settings->json);
    if (cairn_checkpoint_exists(word))
        return cli_info_checkpoint(word, settings->json);
    if (is_hdf5(word) && cli_info_is_trajectory(word))
        return cli_info_trajectory(word, settings->json);
    if (ends_with(word, ".csv"))
        return cli_info_table(word, settings->json);
    if (ends_with(word, ".json"))
        return describe_object(word, "file", settings->json);
    if (is_hdf5(word) || starts_with_digit(word))
        return cli_info_problem(word, settings->json);
    return describe_scene(settings);
}

const cli_command cli_cmd_info = {
    .name = "info",
    .summary = "what is in a scene, the folder of a run, a file of it or a problem file",
    .operands = "FILE",
    .description =
        "Tells what is in a scene file (without running it), in the folder of a run, in a "
        "checkpoint, a\ntrajectory, a table or a JSON file of a run, or in a problem file (FCLIB, "
        "HDF5): sizes, sparsity, rank, "
        "conditioning, symmetry,\nfriction, stored solution.",
    .least = 1,
    .most = 1,
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(info_settings),
    .completion = CLI_COMPLETE_FILE,
    .run = run_info,
};
