// SPDX-License-Identifier: Apache-2.0
// cairn info of a checkpoint: when it was saved, how much it holds, its energies.
#include "cli/info/info.h"

#include "cli/process/probe.h"
#include "cli/process/status.h"
#include "cli/text/json.h"

#include <inttypes.h>

static void print_checkpoint(const char *path, const cairn_checkpoint *checkpoint)
{
    const cairn_energy *e = &checkpoint->energy;
    printf("%s: checkpoint of cairn %s\n", cli_show(path).text, cli_show(checkpoint->version).text);
    printf("  time         step %" PRId64 ", %.9g s (time step %.9g s)\n", checkpoint->step_count,
           checkpoint->time, checkpoint->time_step);
    printf("  bodies       %d\n", checkpoint->bodies);
    printf("  contacts     %d\n", checkpoint->contacts);
    printf("  energy       kinetic %.4g J, potential %.4g J, residual %.2g J\n", e->kinetic,
           e->potential, e->residual);
    printf("  state hash   %016" PRIx64 "\n", checkpoint->state_hash);
}

static void json_checkpoint(const cairn_checkpoint *checkpoint)
{
    char hash[24];
    snprintf(hash, sizeof hash, "%016" PRIx64, checkpoint->state_hash);
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "kind", "checkpoint");
    cli_json_text(&json, "version", checkpoint->version);
    cli_json_integer(&json, "steps", checkpoint->step_count);
    cli_json_number(&json, "time", checkpoint->time);
    cli_json_number(&json, "step", checkpoint->time_step);
    cli_json_integer(&json, "bodies", checkpoint->bodies);
    cli_json_integer(&json, "contacts", checkpoint->contacts);
    cli_json_number(&json, "kinetic", checkpoint->energy.kinetic);
    cli_json_number(&json, "potential", checkpoint->energy.potential);
    cli_json_number(&json, "energy_residual", checkpoint->energy.residual);
    cli_json_text(&json, "state_hash", hash);
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

static cairn_status read_once(void *context, cairn_error *error)
{
    cairn_checkpoint checkpoint;
    return cairn_checkpoint_read(context, &checkpoint, error);
}

int cli_info_checkpoint(const char *path, bool json)
{
    cairn_checkpoint checkpoint;
    cairn_error error = {0};
    if (cli_probe(path, read_once, (void *)path, &error) != CAIRN_OK ||
        cairn_checkpoint_read(path, &checkpoint, &error) != CAIRN_OK) {
        cli_complain("%s", error.message);
        return CLI_EXIT_INPUT;
    }
    if (json)
        json_checkpoint(&checkpoint);
    else
        print_checkpoint(path, &checkpoint);
    return CLI_EXIT_DONE;
}
