// SPDX-License-Identifier: Apache-2.0
// cairn doctor: versions and features of the build and the machine, for bug reports.
#include "base/assert.h"
#include "base/vectors.h"
#include "cli/commands.h"
#include "cli/process/confine.h"
#include "cli/process/files.h"
#include "cli/process/status.h"
#include "cli/text/json.h"
#include "cli/text/wrap.h"
#include "viewer/app/view.h"

#include <H5public.h>
#include <lua.h>
#include <string.h>
#include <unistd.h>

typedef struct doctor_settings {
    cli_common common;
    bool json;
} doctor_settings;

static const cli_option options[] = {
    {.name = "json",
     .type = CLI_FLAG,
     .offset = offsetof(doctor_settings, json),
     .help = "print one JSON object and nothing else"},
};

static void describe_processor(char out[64])
{
    out[0] = '\0';
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    snprintf(out, 64, "%s%s%s", __builtin_cpu_supports("avx2") ? "avx2 " : "",
             __builtin_cpu_supports("fma") ? "fma " : "",
             __builtin_cpu_supports("avx512f") ? "avx512f " : "");
#endif
    size_t length = strlen(out);
    if (length > 0)
        out[length - 1] = '\0';
    else
        snprintf(out, 64, "none known");
}

static const char *build_kind(void)
{
#ifdef NDEBUG
    return "release, asserts off";
#else
    return "asserts on";
#endif
}

static int run_doctor(const void *memory)
{
    const doctor_settings *settings = memory;
    char processor[64], threads[24], hdf5[32], scenes[PATH_MAX], gl[256];
    unsigned major = 0, minor = 0, release = 0;
    describe_processor(processor);
    snprintf(threads, sizeof threads, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    if (H5get_libversion(&major, &minor, &release) < 0)
        cli_warn("HDF5 does not tell its version");
    snprintf(hdf5, sizeof hdf5, "%u.%u.%u", major, minor, release);
    if (cli_scenes_folder(scenes) != CAIRN_OK)
        snprintf(scenes, sizeof scenes, "not found");
    view_describe(gl, sizeof gl);
    const char *const rows[][2] = {
        {"version", cairn_version()},
        {"compiler", __VERSION__},
        {"build", build_kind()},
        {"threads", threads},
        {"cpu", processor},
        {"vectors", base_vectors_name(base_vectors_longest())},
        {"hdf5", hdf5},
        {"lua", LUA_RELEASE},
        {"gl", gl},
        {"scenes_folder", scenes},
        {"reading_limits", cli_describe_confinement()},
    };
    cli_json json = cli_json_begin(stdout);
    if (settings->json) {
        cli_json_object(&json, NULL);
        cli_json_text(&json, "kind", "doctor");
    }
    for (int i = 0; i < BASE_COUNT(rows); i++) {
        if (settings->json)
            cli_json_text(&json, rows[i][0], rows[i][1]);
        else
            cli_print_line(stdout, "%-14s  %s", rows[i][0], rows[i][1]);
    }
    if (settings->json) {
        cli_json_object_end(&json);
        cli_json_finish(&json);
    }
    return CLI_EXIT_DONE;
}

const cli_command cli_cmd_doctor = {
    .name = "doctor",
    .summary = "versions and features, for bug reports",
    .operands = "",
    .description = "Prints versions and features of this build and this machine. Please add it to "
                   "a bug report.",
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(doctor_settings),
    .run = run_doctor,
};
