// SPDX-License-Identifier: Apache-2.0
// Fuzz target: JSON and text files in the folder of a run, as info, compare and --view read them.
#include "cli/commands.h"
#include "cli/options/saved_view.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

void fuzz_write_seeds(const char *folder)
{
    (void)folder;
}

static void put(const char *folder, const char *name, const uint8_t *data, size_t size)
{
    char path[80];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    fuzz_demand(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0, name);
}

static void command(int count, const char **words)
{
    char *copies[8] = {0};
    for (int i = 0; i < count; i++)
        copies[i] = strdup(words[i]);
    int status = cli_command_run(&cli_all_commands, cli_command_find(&cli_all_commands, words[0]),
                                 count - 1, copies + 1);
    fuzz_demand(status >= 0 && status <= 5, "an exit status that is none");
    for (int i = 0; i < count; i++)
        free(copies[i]);
}

/// What the commands print and complain of is not looked at; sanitizers write past these streams.
static void be_silent(void)
{
    static FILE *nowhere = NULL;
    if (nowhere == NULL) {
        nowhere = fopen("/dev/null", "w");
        fuzz_demand(nowhere != NULL, "no /dev/null");
        stdout = stderr = nowhere;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"summary.json", "summary.txt", "resolved.json",
                                        "view.json"};
    char folder[48], path[80];
    cairn_error error = {0};
    view_place place = {0};
    view_style style = {0};
    be_silent();
    snprintf(folder, sizeof folder, "%s/cairn-fuzz-XXXXXX", fuzz_place());
    fuzz_demand(mkdtemp(folder) != NULL, "no folder");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        put(folder, names[i], data, size);
    command(2, (const char *[]){"info", folder});
    command(3, (const char *[]){"info", folder, "--json"});
    command(3, (const char *[]){"compare", folder, folder});
    snprintf(path, sizeof path, "%s/view.json", folder);
    fuzz_demand(cli_saved_view_read(path, &place, &style, &error) == CAIRN_OK ||
                    error.message[0] != '\0',
                "a failure without a message");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    fuzz_demand(rmdir(folder) == 0, "something is left in the folder");
    return 0;
}
