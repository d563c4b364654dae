// SPDX-License-Identifier: Apache-2.0
// cairn help: help, the manual page and the shell completion, all from the tables of options.
#include "base/assert.h"
#include "cli/commands.h"
#include "cli/process/status.h"

#include <string.h>

typedef struct help_settings {
    cli_common common;
    bool man;
    const char *completion;
} help_settings;

static const char *const shells[] = {"bash", NULL};

static const cli_option options[] = {
    {.name = "man",
     .type = CLI_FLAG,
     .offset = offsetof(help_settings, man),
     .help = "print the manual page (roff)"},
    {.name = "completion",
     .type = CLI_CHOICE,
     .offset = offsetof(help_settings, completion),
     .argument = "bash",
     .help = "print the completion of a shell",
     .words = shells},
};

// ---------------------------------------------------------------- manual page

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
    for (int i = 0; i < command->option_count; i++)
        man_option(&command->options[i]);
    if (command->manual == NULL)
        return;
    // lines as they are; none starts with a dot or a quote
    fputs(".PP\n.nf\n", stdout);
    command->manual(stdout);
    fputs(".fi\n", stdout);
}

static void print_man(const cli_commands *commands)
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

// ---------------------------------------------------------------- completion

static void completion_words(const char *const *words)
{
    for (int i = 0; words[i] != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", words[i]);
}

/// Words after an option that takes a value.
static void completion_value(const cli_option *option)
{
    static const char *const lists[] = {"laws", "solvers", "locals"};
    if (option->type == CLI_FLAG)
        return;
    printf("            --%s)", option->name);
    if (option->type == CLI_CHOICE) {
        fputs(" COMPREPLY=($(compgen -W \"", stdout);
        completion_words(option->words);
        fputs("\" -- \"$word\"));", stdout);
    } else if (option->type == CLI_PLUGIN) {
        printf(" COMPREPLY=($(compgen -W \"$(cairn list %s | grep -o '^[a-z][a-z0-9_]*')\" -- "
               "\"$word\"));",
               lists[option->plugin]);
    } else if (option->completion == CLI_COMPLETE_FILE) {
        fputs(" COMPREPLY=($(compgen -f -- \"$word\"));", stdout);
    } else if (option->completion == CLI_COMPLETE_FOLDER) {
        fputs(" COMPREPLY=($(compgen -d -- \"$word\"));", stdout);
    }
    fputs(" return ;;\n", stdout);
}

static void completion_command(const cli_command *command)
{
    printf("    %s)\n        case $before in\n", command->name);
    for (int i = 0; i < command->option_count; i++)
        completion_value(&command->options[i]);
    fputs("        esac\n        words=\"", stdout);
    for (int i = 0; i < command->option_count; i++)
        printf("--%s ", command->options[i].name);
    fputs("--help", stdout);
    if (command->operand_words != NULL) {
        putchar(' ');
        completion_words(command->operand_words);
    }
    fputs("\"\n", stdout);
    if (command->completion == CLI_COMPLETE_FILE)
        fputs("        files=yes\n", stdout);
    fputs("        ;;\n", stdout);
}

static void print_completion(const cli_commands *commands)
{
    fputs("# bash completion of cairn, made by: cairn help --completion bash\n"
          "_cairn()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local words= files=\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        COMPREPLY=($(compgen -W \"",
          stdout);
    for (int i = 0; i < commands->count; i++)
        printf("%s ", commands->items[i]->name);
    fputs("--help --version\" -- \"$word\"))\n        return\n    fi\n"
          "    case ${COMP_WORDS[1]} in\n",
          stdout);
    for (int i = 0; i < commands->count; i++)
        completion_command(commands->items[i]);
    fputs("    esac\n"
          "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "    if [ -n \"$files\" ]; then\n"
          "        COMPREPLY+=($(compgen -f -- \"$word\"))\n    fi\n"
          "}\ncomplete -o filenames -F _cairn cairn\n",
          stdout);
}

static int run_help(const void *memory)
{
    const help_settings *settings = memory;
    const cli_commands *commands = settings->common.commands;
    if (settings->man || settings->completion != NULL) {
        if (settings->man)
            print_man(commands);
        else
            print_completion(commands);
        return CLI_EXIT_DONE;
    }
    if (settings->common.argument_count == 0) {
        cli_commands_help(commands, stdout);
        return CLI_EXIT_DONE;
    }
    const cli_command *command = cli_command_find(commands, settings->common.arguments[0]);
    if (command == NULL) {
        cli_complain("unknown command \"%.80s\" (cairn help lists them)",
                     settings->common.arguments[0]);
        return CLI_EXIT_USAGE;
    }
    char word[] = "--help", *words[] = {word};
    return cli_command_run(commands, command, 1, words);
}

const cli_command cli_cmd_help = {
    .name = "help",
    .summary = "help of a command, the manual page, shell completion",
    .operands = "[COMMAND]",
    .description = "Prints the help of a command, the manual page, or the completion of a shell.",
    .most = 1,
    .options = options,
    .option_count = BASE_COUNT(options),
    .settings_size = sizeof(help_settings),
    .run = run_help,
};
