// SPDX-License-Identifier: Apache-2.0
// The manual page, from the tables of options.
#include "cli/help/help.h"

#include "base/assert.h"

#include <stdio.h>

/// Text for roff: no line starts a request, dashes are dashes.
static void put_roff(const char *text)
{
    bool line_start = true;
    for (; *text != '\0'; text++) {
        if (line_start && (*text == '.' || *text == '\''))
            fputs("\\&", stdout);
        if (*text == '-')
            fputs("\\-", stdout);
        else if (*text == '\\')
            fputs("\\e", stdout);
        else
            putchar(*text);
        line_start = *text == '\n';
    }
}

static void man_option(const cli_option *option)
{
    fputs(".TP\n", stdout);
    if (option->letter != '\0')
        printf("\\fB\\-%c\\fR, ", option->letter);
    fputs("\\fB\\-\\-", stdout);
    put_roff(option->name);
    fputs("\\fR", stdout);
    if (option->argument != NULL) {
        fputs(" \\fI", stdout);
        put_roff(option->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put_roff(option->help);
    fputs(".\n", stdout);
}

static void man_command(const cli_command *command)
{
    printf(".SS cairn %s ", command->name);
    put_roff(command->operands);
    putchar('\n');
    put_roff(command->description);
    putchar('\n');
    for (int i = 0; i < cli_option_count(command); i++) {
        const cli_option option = cli_option_at(command, i);
        man_option(&option);
    }
    if (command->manual == NULL)
        return;
    // lines as they are; none starts with a dot or a quote
    fputs(".PP\n.nf\n", stdout);
    command->manual(stdout);
    fputs(".fi\n", stdout);
}

void help_print_manual(const cli_commands *commands)
{
    static const char *const statuses[][2] = {
        {"0", "done"},
        {"1", "the run failed: a step that leaves a bound of \\-\\-strict, NaN, explosion"},
        {"2", "wrong command line"},
        {"3", "wrong scene or input file"},
        {"4", "a feature that is not built in"},
        {"5", "a comparison or a tolerance not met"},
        {"130", "interrupted, after the outputs were written"},
    };
    printf(".TH CAIRN 1 \"\" \"cairn %s\" \"User commands\"\n", cairn_version());
    fputs(".SH NAME\ncairn \\- rigid bodies in contact\n"
          ".SH SYNOPSIS\n.B cairn\n.I COMMAND\n[arguments]\n"
          ".SH DESCRIPTION\nRuns scenes of rigid bodies in contact and writes what happened. "
          "Standard output holds data alone;\nprogress and messages go to standard error.\n"
          ".SH COMMANDS\n",
          stdout);
    for (int i = 0; i < commands->count; i++)
        man_command(commands->items[i]);
    fputs(".SH ENVIRONMENT\n.TP\n.B CAIRN_SCENES\nFolder of the built\\-in scenes, instead of the "
          "one "
          "beside the program.\n"
          ".TP\n.B CAIRN_VECTORS\nLongest vectors that kernels may use: avx512, avx2 or scalar. "
          "Results do not depend on it.\n",
          stdout);
    fputs(".SH EXIT STATUS\n", stdout);
    for (int i = 0; i < BASE_COUNT(statuses); i++)
        printf(".TP\n.B %s\n%s.\n", statuses[i][0], statuses[i][1]);
}
