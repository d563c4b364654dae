// SPDX-License-Identifier: Apache-2.0
// Reads the outermost keys of a run's summary.json.
#include "cli/compare/compare.h"

#include "base/assert.h"
#include "cli/process/files.h"
#include "cli/text/json_read.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static double find_number(const cli_json_node *root, const char *key)
{
    const cli_json_node *value = cli_json_member(root, key);
    return value != NULL && value->kind == CLI_JSON_NUMBER ? value->number : NAN;
}

static void find_text(const cli_json_node *root, const char *key, char out[COMPARE_TEXT])
{
    const cli_json_node *value = cli_json_member(root, key);
    const char *text = value != NULL && value->kind == CLI_JSON_TEXT ? value->text : "";
    snprintf(out, COMPARE_TEXT, "%s", text);
}

static void fill(compare_summary *out, const cli_json_node *root)
{
    const struct {
        const char *key;
        double *value;
    } numbers[] = {
        {"steps", &out->steps},
        {"time", &out->time},
        {"bodies", &out->bodies},
        {"contacts_max", &out->contacts_max},
        {"iterations_mean", &out->iterations_mean},
        {"error_max", &out->error_max},
        {"energy_residual", &out->energy_residual},
        {"penetration_max", &out->penetration_max},
        {"seconds_stepping", &out->seconds_stepping},
        {"seconds_per_step", &out->seconds_per_step},
    };
    for (int i = 0; i < BASE_COUNT(numbers); i++)
        *numbers[i].value = find_number(root, numbers[i].key);
    find_text(root, "scene", out->scene);
    find_text(root, "law", out->law);
    find_text(root, "solver", out->solver);
    find_text(root, "status", out->status);
    find_text(root, "state_hash", out->state_hash);
}

cairn_status compare_summary_read(compare_summary *summary, const char *folder, cairn_error *error)
{
    char path[PATH_MAX];
    cli_json_tree tree = {0};
    cairn_status status = cli_path_join(path, folder, "summary.json", error);
    if (status == CAIRN_OK && access(path, F_OK) != 0)
        return base_fail(error, CAIRN_ERROR_FILE, "%s is not the folder of a run: %s: %s", folder,
                         path, strerror(errno));
    if (status == CAIRN_OK)
        status = cli_json_read(path, &tree, error);
    if (status == CAIRN_OK &&
        (tree.root->kind != CLI_JSON_OBJECT || cli_json_member(tree.root, "state_hash") == NULL))
        status = base_fail(error, CAIRN_ERROR_FORMAT, "%s: not a summary of a run", path);
    if (status == CAIRN_OK)
        fill(summary, tree.root);
    cli_json_release(&tree);
    return status;
}
