// SPDX-License-Identifier: Apache-2.0
// Completion for zsh, from the tables of options.
#include "cli/help/help.h"

#include <stdio.h>
#include <string.h>

/// Text within single quotes and within the brackets of a specification.
static void put_escaped(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr("[]:\\", *text) != NULL)
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

/// ":NAME:what completes it" of an option with a value.
static void put_value(const cli_option *option)
{
    static const char *const lists[] = {"laws", "solvers", "locals"};
    if (option->type == CLI_FLAG)
        return;
    putchar(':');
    put_escaped(option->argument);
    putchar(':');
    if (option->type == CLI_CHOICE) {
        putchar('(');
        for (int i = 0; option->words[i] != NULL; i++)
            printf("%s%s", i > 0 ? " " : "", option->words[i]);
        putchar(')');
    } else if (option->type == CLI_PLUGIN) {
        printf("(${(f)\"$(_cairn_names %s)\"})", lists[option->plugin]);
    } else if (option->completion == CLI_COMPLETE_FILE) {
        fputs("_files", stdout);
    } else if (option->completion == CLI_COMPLETE_FOLDER) {
        fputs("_files -/", stdout);
    }
}

static void put_option(const cli_option *option)
{
    bool repeats = option->type == CLI_ASSIGNMENTS;
    fputs("            ", stdout);
    if (option->letter != '\0')
        printf("'(-%c --%s)'{-%c,--%s}'[", option->letter, option->name, option->letter,
               option->name);
    else
        printf("'%s--%s[", repeats ? "*" : "", option->name);
    put_escaped(option->help);
    putchar(']');
    put_value(option);
    fputs("' \\\n", stdout);
}

static void put_command(const cli_command *command)
{
    printf("    %s)\n        _arguments -s \\\n", command->name);
    for (int i = 0; i < cli_option_count(command); i++) {
        const cli_option option = cli_option_at(command, i);
        put_option(&option);
    }
    fputs("            '(-h --help)'{-h,--help}'[help of the command]' \\\n            '*:operand:",
          stdout);
    if (command->operand_words != NULL) {
        putchar('(');
        for (int i = 0; command->operand_words[i] != NULL; i++)
            printf("%s%s", i > 0 ? " " : "", command->operand_words[i]);
        putchar(')');
    } else if (command->completion != CLI_COMPLETE_NOTHING) {
        fputs("_files", stdout);
    }
    fputs("'\n        ;;\n", stdout);
}

void help_print_zsh(const cli_commands *commands)
{
    fputs("#compdef cairn\n# zsh completion of cairn, made by: cairn help --completion zsh\n\n"
          "_cairn_names() {\n    cairn list $1 2>/dev/null | grep -o '^[a-z][a-z0-9_]*'\n}\n\n"
          "_cairn() {\n    local -a commands\n    commands=(\n",
          stdout);
    for (int i = 0; i < commands->count; i++) {
        printf("        '%s:", commands->items[i]->name);
        put_escaped(commands->items[i]->summary);
        fputs("'\n", stdout);
    }
    fputs("    )\n    if (( CURRENT == 2 )); then\n"
          "        _describe -t commands 'cairn command' commands\n        return\n    fi\n"
          "    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
          "    case $command in\n",
          stdout);
    for (int i = 0; i < commands->count; i++)
        put_command(commands->items[i]);
    fputs("    esac\n}\n\n_cairn \"$@\"\n", stdout);
}
