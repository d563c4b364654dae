// SPDX-License-Identifier: Apache-2.0
// Completion for fish, from the tables of options.
#include "cli/help/help.h"

#include <stdio.h>

/// Text within single quotes.
static void put_quoted(const char *text)
{
    putchar('\'');
    for (; *text != '\0'; text++) {
        if (*text == '\'' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
    putchar('\'');
}

static void put_words(const char *const *words)
{
    fputs(" -a '", stdout);
    for (int i = 0; words[i] != NULL; i++)
        printf("%s%s", i > 0 ? " " : "", words[i]);
    putchar('\'');
}

/// What completes the value of an option.
static void put_value(const cli_option *option)
{
    static const char *const lists[] = {"laws", "solvers", "locals"};
    if (option->type == CLI_FLAG)
        return;
    if (option->type == CLI_CHOICE) {
        fputs(" -x", stdout);
        put_words(option->words);
    } else if (option->type == CLI_PLUGIN) {
        printf(" -x -a '(__cairn_names %s)'", lists[option->plugin]);
    } else if (option->completion == CLI_COMPLETE_FILE) {
        fputs(" -r -F", stdout);
    } else if (option->completion == CLI_COMPLETE_FOLDER) {
        fputs(" -x -a '(__fish_complete_directories)'", stdout);
    } else {
        fputs(" -x", stdout);
    }
}

static void put_command(const cli_command *command)
{
    printf("complete -c cairn -n __fish_use_subcommand -f -a %s -d ", command->name);
    put_quoted(command->summary);
    putchar('\n');
    for (int i = 0; i < cli_option_count(command); i++) {
        const cli_option at = cli_option_at(command, i), *option = &at;
        printf("complete -c cairn -n '__fish_seen_subcommand_from %s' -l %s", command->name,
               option->name);
        if (option->letter != '\0')
            printf(" -s %c", option->letter);
        put_value(option);
        fputs(" -d ", stdout);
        put_quoted(option->help);
        putchar('\n');
    }
    printf("complete -c cairn -n '__fish_seen_subcommand_from %s' -s h -l help -d "
           "'help of the command'\n",
           command->name);
    if (command->operand_words == NULL)
        return;
    printf("complete -c cairn -n '__fish_seen_subcommand_from %s' -f", command->name);
    put_words(command->operand_words);
    putchar('\n');
}

void help_print_fish(const cli_commands *commands)
{
    fputs("# fish completion of cairn, made by: cairn help --completion fish\n"
          "function __cairn_names\n"
          "    cairn list $argv[1] 2>/dev/null | string match -r '^[a-z][a-z0-9_]*'\nend\n",
          stdout);
    for (int i = 0; i < commands->count; i++)
        put_command(commands->items[i]);
}
