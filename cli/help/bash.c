// SPDX-License-Identifier: Apache-2.0
// Completion for bash, from the tables of options.
#include "cli/help/help.h"

#include <stdio.h>

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
    for (int i = 0; i < cli_option_count(command); i++) {
        const cli_option option = cli_option_at(command, i);
        completion_value(&option);
    }
    fputs("        esac\n        words=\"", stdout);
    for (int i = 0; i < cli_option_count(command); i++)
        printf("--%s ", cli_option_at(command, i).name);
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

void help_print_bash(const cli_commands *commands)
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
