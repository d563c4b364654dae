// SPDX-License-Identifier: Apache-2.0
// cairn info of a trajectory: how long it is, of how many bodies, where it comes from.
#include "cli/info/info.h"

#include "base/file.h"

#include "cli/process/probe.h"
#include "cli/process/status.h"
#include "cli/text/json.h"

#include <inttypes.h>
#include <string.h>

enum { HEAD_SIZE = 1 << 16 };

static void print_trajectory(const char *path, const cairn_replay *replay)
{
    const cairn_replay_info *info = cairn_replay_get_info(replay);
    const double *times = cairn_replay_get_times(replay);
    int64_t count = cairn_replay_get_frame_count(replay);
    printf("%s: trajectory of cairn %s\n", cli_show(path).text, cli_show(info->version).text);
    printf("  scene        %s, seed %" PRId64 "\n", cli_show(info->scene).text, info->seed);
    printf("  command      %s\n", cli_show(info->command).text);
    printf("  bodies       %d%s\n", info->bodies, info->varies ? ", which come and go" : "");
    printf("  frames       %" PRId64, count);
    if (count > 0)
        printf(", from %.10g to %.10g s (time step %g s)", times[0], times[count - 1],
               info->time_step);
    putchar('\n');
    if (info->contacts)
        printf("  contacts     kept in some frames\n");
}

static void json_trajectory(const char *path, const cairn_replay *replay)
{
    const cairn_replay_info *info = cairn_replay_get_info(replay);
    int64_t count = cairn_replay_get_frame_count(replay);
    cli_json json = cli_json_begin(stdout);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "kind", "trajectory");
    cli_json_text(&json, "file", path);
    cli_json_text(&json, "version", info->version);
    cli_json_text(&json, "scene", info->scene);
    cli_json_text(&json, "command", info->command);
    cli_json_integer(&json, "seed", info->seed);
    cli_json_integer(&json, "bodies", info->bodies);
    cli_json_boolean(&json, "bodies_vary", info->varies);
    cli_json_boolean(&json, "contacts_kept", info->contacts);
    cli_json_integer(&json, "frames", count);
    cli_json_number(&json, "step", info->time_step);
    if (count > 0) {
        cli_json_number(&json, "from", cairn_replay_get_times(replay)[0]);
        cli_json_number(&json, "until", cairn_replay_get_times(replay)[count - 1]);
    }
    cli_json_object_end(&json);
    cli_json_finish(&json);
}

bool cli_info_is_trajectory(const char *path)
{
    static const char kind[] = "cairn trajectory";
    char head[HEAD_SIZE];
    FILE *file = base_file_read(path, NULL);
    size_t size = file != NULL ? fread(head, 1, sizeof head, file) : 0;
    if (file != NULL)
        fclose(file);
    return memmem(head, size, kind, sizeof kind - 1) != NULL;
}

int cli_info_trajectory(const char *path, bool json)
{
    cairn_error error = {0};
    cairn_replay *replay = NULL;
    cairn_status status = cli_probe_replay(path, &replay, &error);
    if (status != CAIRN_OK) {
        cli_complain("%s", error.message);
        return status == CAIRN_ERROR_MEMORY ? CLI_EXIT_FAILED : CLI_EXIT_INPUT;
    }
    if (json)
        json_trajectory(path, replay);
    else
        print_trajectory(path, replay);
    cairn_replay_close(replay);
    return CLI_EXIT_DONE;
}
