// SPDX-License-Identifier: Apache-2.0
// Opens runs to be shown again: trajectory, scene with its parameters, energies.
#include "cli/process/subject.h"

#include "base/assert.h"
#include "base/file.h"
#include "cli/process/files.h"
#include "cli/process/interrupt.h"
#include "cli/process/probe.h"
#include "cli/process/status.h"
#include "cli/text/csv.h"
#include "cli/text/json_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARAMETERS_MAX = 256, NUMBER_SIZE = 32 };

/// The scene that a run says it had.
typedef struct run_scene {
    char folder[PATH_MAX], trajectory[PATH_MAX];
    char path[PATH_MAX]; // of the scene file, which may be gone
    cli_json_tree resolved;
    char *command; // words of the command, cut apart; NULL where resolved.json has them
    scn_assignment parameters[PARAMETERS_MAX];
    char numbers[PARAMETERS_MAX][NUMBER_SIZE];
    int parameter_count;
} run_scene;

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool has_signature(const char *path)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char head[8];
    FILE *file = base_file_read(path, NULL);
    size_t size = file != NULL ? fread(head, 1, sizeof head, file) : 0;
    if (file != NULL)
        fclose(file);
    return size == sizeof head && memcmp(head, signature, sizeof head) == 0;
}

bool cli_subject_is_run(const char *path)
{
    size_t length = strlen(path);
    bool named = length > 3 && strcmp(path + length - 3, ".h5") == 0;
    return is_folder(path) || named || has_signature(path);
}

// ---------------------------------------------------------------- parameters

static cairn_status add_parameter(run_scene *run, const char *name, const char *value,
                                  cairn_error *error)
{
    if (run->parameter_count == PARAMETERS_MAX)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s/resolved.json: more than %d parameters",
                         run->folder, PARAMETERS_MAX);
    run->parameters[run->parameter_count++] = (scn_assignment){name, value};
    return CAIRN_OK;
}

/// Value of a member as --set takes it; NULL for what is no value.
static const char *value_text(run_scene *run, const cli_json_node *node)
{
    switch (node->kind) {
    case CLI_JSON_NUMBER:
        if (run->parameter_count == PARAMETERS_MAX)
            return "";
        snprintf(run->numbers[run->parameter_count], NUMBER_SIZE, "%.17g", node->number);
        return run->numbers[run->parameter_count];
    case CLI_JSON_BOOLEAN:
        return node->boolean ? "true" : "false";
    case CLI_JSON_TEXT:
        return node->text;
    case CLI_JSON_NULL:
    case CLI_JSON_LIST:
    case CLI_JSON_OBJECT:
        break;
    }
    return NULL;
}

/// Parameters and scene file from resolved.json, where there is one.
static cairn_status read_resolved(run_scene *run, bool *found, cairn_error *error)
{
    char path[PATH_MAX];
    cairn_status status = cli_path_join(path, run->folder, "resolved.json", error);
    *found = false;
    if (status != CAIRN_OK || access(path, F_OK) != 0)
        return status;
    BASE_TRY(cli_json_read(path, &run->resolved, error));
    const cli_json_node *root = run->resolved.root;
    const cli_json_node *scene = cli_json_member(root, "scene");
    const cli_json_node *parameters = cli_json_member(root, "parameters");
    if (scene == NULL || scene->kind != CLI_JSON_TEXT || parameters == NULL ||
        parameters->kind != CLI_JSON_OBJECT)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s: does not say which scene was run", path);
    snprintf(run->path, sizeof run->path, "%s", scene->text);
    for (const cli_json_node *each = parameters->first; each != NULL; each = each->next) {
        const char *value = value_text(run, each);
        if (value == NULL)
            return base_fail(error, CAIRN_ERROR_FORMAT, "%s:%ld: parameter \"%.80s\" has no value",
                             path, each->line, each->key);
        BASE_TRY(add_parameter(run, each->key, value, error));
    }
    *found = true;
    return CAIRN_OK;
}

/// NAME=VALUE, cut at the sign; without one the value is the next word.
static cairn_status add_assignment(run_scene *run, char *word, cairn_error *error)
{
    char *sign = word != NULL ? strchr(word, '=') : NULL;
    if (sign == NULL)
        return CAIRN_OK;
    *sign = '\0';
    return add_parameter(run, word, sign + 1, error);
}

/// The --set words of the command that made the run.
static cairn_status read_command(run_scene *run, const char *command, cairn_error *error)
{
    base_allocator allocator = base_allocator_default();
    char *rest = NULL;
    cairn_status status = CAIRN_OK;
    run->command = base_copy_text(&allocator, command);
    if (run->command == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    for (char *word = strtok_r(run->command, " ", &rest); word != NULL && status == CAIRN_OK;
         word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "--set") == 0)
            status = add_assignment(run, strtok_r(NULL, " ", &rest), error);
        else if (strncmp(word, "--set=", 6) == 0)
            status = add_assignment(run, word + 6, error);
    }
    return status;
}

// ---------------------------------------------------------------- scene

/// The scene as the run had it: its text is in the trajectory.
static cairn_status load_scene(run_scene *run, const scn_options *limits,
                               const cairn_replay_info *info, scn_scene **scene, cairn_error *error)
{
    cairn_error reason = {0};
    bool found = false;
    cairn_status status = read_resolved(run, &found, error);
    if (status == CAIRN_OK && !found) {
        snprintf(run->path, sizeof run->path, "%s.lua",
                 info->scene[0] != '\0' ? info->scene : "run");
        status = read_command(run, info->command, error);
    }
    if (status != CAIRN_OK)
        return status;
    scn_options options = *limits;
    options.text = info->scene_text[0] != '\0' ? info->scene_text : NULL;
    options.parameters = run->parameters;
    options.parameter_count = run->parameter_count;
    options.seed = info->seed;
    options.log = NULL;
    options.may_be_empty = info->varies;
    status = scn_load(run->path, &options, scene, &reason);
    if (status == CAIRN_OK || status == CAIRN_ERROR_MEMORY)
        return status == CAIRN_OK ? status : base_fail(error, status, "%s", reason.message);
    return base_fail(error, CAIRN_ERROR_FORMAT, "%.300s: its scene cannot be made again: %.600s",
                     run->trajectory, reason.message);
}

static cairn_status check_bodies(const run_scene *run, const view_subject *subject,
                                 cairn_error *error)
{
    int bodies = cairn_replay_get_info(subject->replay)->bodies;
    int made = cairn_body_count(subject->scene->world);
    if (cairn_replay_get_frame_count(subject->replay) == 0)
        return base_fail(error, CAIRN_ERROR_FORMAT, "%s: has no frame yet", run->trajectory);
    if (bodies == made || (cairn_replay_get_info(subject->replay)->varies && bodies > made))
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_FORMAT,
                     "%s: has %d bodies, but its scene makes %d: it is of another scene, or of "
                     "other parameters than those beside it",
                     run->trajectory, bodies, made);
}

// ---------------------------------------------------------------- energies

static const char *const energy_columns[] = {"time [s]",
                                             "kinetic [J]",
                                             "potential [J]",
                                             "elastic [J]",
                                             "residual [J]",
                                             "impact dissipation [J]",
                                             "friction dissipation [J]",
                                             "damping dissipation [J]",
                                             "plastic dissipation [J]"};

static bool find_columns(const cli_table *table, int column[])
{
    for (int i = 0; i < BASE_COUNT(energy_columns); i++) {
        column[i] = cli_table_column(table, energy_columns[i]);
        if (column[i] < 0)
            return false;
    }
    return true;
}

static view_energy_row energy_row(const cli_table *table, int row, const int column[])
{
    double value[BASE_COUNT(energy_columns)];
    for (int i = 0; i < BASE_COUNT(energy_columns); i++)
        value[i] = cli_table_value(table, row, column[i]);
    return (view_energy_row){.time = value[0],
                             .kinetic = value[1],
                             .potential = value[2],
                             .elastic = value[3],
                             .residual = value[4],
                             .dissipated = value[5] + value[6] + value[7] + value[8]};
}

/// A run without the table, or with one that cannot be read, goes without the plot.
static void read_energies(const run_scene *run, view_subject *subject)
{
    char path[PATH_MAX];
    cairn_error error = {0};
    cli_table table = {0};
    int column[BASE_COUNT(energy_columns)];
    const base_allocator *allocator = &subject->scene->allocator;
    if (cli_path_join(path, run->folder, "energy.csv", &error) != CAIRN_OK ||
        access(path, R_OK) != 0)
        return;
    if (cli_table_read(&table, path, &error) == CAIRN_OK && find_columns(&table, column))
        subject->energies =
            base_allocate(allocator, (size_t)table.rows + 1, sizeof *subject->energies);
    for (int i = 0; subject->energies != NULL && i < table.rows; i++)
        subject->energies[subject->energy_count++] = energy_row(&table, i, column);
    cli_table_release(&table);
}

// ---------------------------------------------------------------- sensors

/// A run without the table, or with one that is not that of its scene's sensors, goes without
/// plots.
static void read_sensors(const run_scene *run, view_subject *subject)
{
    char path[PATH_MAX];
    cairn_error error = {0};
    cli_table table = {0};
    const base_allocator *allocator = &subject->scene->allocator;
    size_t width = 1;
    for (int i = 0; i < subject->scene->sensor_count; i++)
        width += (size_t)subject->scene->sensors[i].columns;
    if (width == 1 || cli_path_join(path, run->folder, "sensors.csv", &error) != CAIRN_OK ||
        access(path, R_OK) != 0)
        return;
    // the first column is the step
    if (cli_table_read(&table, path, &error) == CAIRN_OK && (size_t)table.columns == width + 1)
        subject->readings =
            base_allocate(allocator, (size_t)table.rows + 1, width * sizeof *subject->readings);
    for (int i = 0; subject->readings != NULL && i < table.rows; i++)
        for (int k = 1; k < table.columns; k++)
            subject->readings[(size_t)i * width + (size_t)k - 1] = cli_table_value(&table, i, k);
    subject->reading_count = subject->readings != NULL ? table.rows : 0;
    cli_table_release(&table);
}

// ---------------------------------------------------------------- the whole

static cairn_status copy_path(char copy[PATH_MAX], const char *path, size_t length,
                              cairn_error *error)
{
    if (length >= PATH_MAX)
        return base_fail(error, CAIRN_ERROR_FILE, "%.80s...: the path is too long", path);
    memcpy(copy, path, length);
    copy[length] = '\0';
    return CAIRN_OK;
}

/// A trajectory and the folder that it lies in.
static cairn_status find_folder(const char *path, run_scene *run, cairn_error *error)
{
    const char *slash = strrchr(path, '/');
    cairn_status status = copy_path(run->trajectory, path, strlen(path), error);
    if (status != CAIRN_OK || slash == NULL)
        return status != CAIRN_OK ? status : copy_path(run->folder, ".", 1, error);
    return copy_path(run->folder, path, slash == path ? 1 : (size_t)(slash - path), error);
}

static cairn_status find_files(const char *path, run_scene *run, cairn_error *error)
{
    if (!is_folder(path))
        return find_folder(path, run, error);
    cairn_status status = copy_path(run->folder, path, strlen(path), error);
    if (status == CAIRN_OK)
        status = cli_path_join(run->trajectory, path, "trajectory.h5", error);
    if (status != CAIRN_OK || access(run->trajectory, F_OK) == 0)
        return status;
    char summary[PATH_MAX];
    BASE_TRY(cli_path_join(summary, path, "resolved.json", error));
    return base_fail(error, CAIRN_ERROR_FILE,
                     access(summary, F_OK) == 0
                         ? "%s: this run kept no trajectory.h5, so there is nothing to replay"
                         : "%s is a folder without trajectory.h5: not that of a run",
                     path);
}

static cairn_status open_run(const char *path, const scn_options *options, run_scene *run,
                             view_subject *subject, cairn_error *error)
{
    BASE_TRY(find_files(path, run, error));
    BASE_TRY(cli_probe_replay(run->trajectory, &subject->replay, error));
    BASE_TRY(
        load_scene(run, options, cairn_replay_get_info(subject->replay), &subject->scene, error));
    BASE_TRY(check_bodies(run, subject, error));
    read_energies(run, subject);
    read_sensors(run, subject);
    return CAIRN_OK;
}

cairn_status cli_subject_open(const char *path, const scn_options *options, view_subject *subject,
                              cairn_error *error)
{
    *subject = (view_subject){0};
    if (!cli_subject_is_run(path))
        return scn_load(path, options, &subject->scene, error);
    base_allocator allocator = base_allocator_default();
    run_scene *run = base_allocate(&allocator, 1, sizeof *run);
    if (run == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    cairn_status status = open_run(path, options, run, subject, error);
    if (run->resolved.arena != NULL)
        cli_json_release(&run->resolved);
    base_release(&allocator, run->command);
    base_release(&allocator, run);
    if (status != CAIRN_OK)
        view_subject_finish(subject);
    return status;
}

/// Whether something would change a scene.
static bool changes_scene(const scn_options *options)
{
    return options->parameter_count > 0 || options->law != NULL || options->solver != NULL ||
           options->local != NULL || !isnan(options->tolerance) || !isnan(options->time_step) ||
           options->seed >= 0;
}

int cli_load_subject(const char *word, const scn_options *options, view_subject *subject)
{
    char path[PATH_MAX];
    cairn_error error = {0};
    cli_scene_path(word, true, path);
    if (changes_scene(options) && cli_subject_is_run(path)) {
        cli_complain("%s is a run that was made: --set, --law, --solver, --local, --tolerance, "
                     "--step and --seed are for scenes",
                     path);
        return CLI_EXIT_USAGE;
    }
    cli_interrupt_guard_load(options->time_limit);
    cairn_status status = cli_subject_open(path, options, subject, &error);
    cli_interrupt_guard_cancel();
    if (status != CAIRN_OK)
        cli_complain("%s", error.message);
    return cli_exit_of_load(status);
}
