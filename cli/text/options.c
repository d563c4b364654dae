// SPDX-License-Identifier: Apache-2.0
// Parses a command line by its table, and prints the table as help.
#include "cli/text/options.h"

#include "base/assert.h"
#include "base/settings.h"
#include "cli/text/wrap.h"
#include "scenes/plugins.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct parser {
    const cli_command *command;
    int argc, at;
    char *const *argv;
    void *settings;
    cairn_error *error;
} parser;

// of --help, which lies at the same place in the settings of every command
static const cli_option help_option = {
    .name = "help", .letter = 'h', .type = CLI_FLAG, .offset = offsetof(cli_common, help)};

int cli_option_count(const cli_command *command)
{
    int count = command->option_count;
    for (int i = 0; i < command->group_count; i++)
        count += command->groups[i].count;
    return count;
}

cli_option cli_option_at(const cli_command *command, int index)
{
    for (int i = 0; i < command->group_count; i++) {
        const cli_group *group = &command->groups[i];
        if (index < group->count) {
            cli_option option = group->options[index];
            option.offset += group->offset;
            return option;
        }
        index -= group->count;
    }
    return command->options[index];
}

static cairn_status fail_unknown(const parser *p, const char *word)
{
    const char *names[64] = {"help"};
    int count = 1;
    for (int i = 0; i < cli_option_count(p->command) && count < BASE_COUNT(names); i++)
        names[count++] = cli_option_at(p->command, i).name;
    char bare[64] = "";
    size_t dashes = strspn(word, "-");
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word + dashes, "="), word + dashes);
    const char *near = base_suggest(bare, names, count);
    if (near != NULL && dashes == 2)
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT,
                         "unknown option %.80s (did you mean --%s?)", word, near);
    return base_fail(p->error, CAIRN_ERROR_ARGUMENT,
                     "unknown option %.80s (cairn %s --help lists them)", word, p->command->name);
}

/// The option of a long name, or of a letter where `name` is NULL.
static bool find_option(const cli_command *command, const char *name, size_t length, char letter,
                        cli_option *found)
{
    for (int i = -1; i < cli_option_count(command); i++) {
        *found = i < 0 ? help_option : cli_option_at(command, i);
        if (name != NULL ? strlen(found->name) == length && strncmp(found->name, name, length) == 0
                         : found->letter == letter)
            return true;
    }
    return false;
}

// ---------------------------------------------------------------- values

static cairn_status fail_range(const parser *p, const cli_option *option, double x)
{
    bool limited = option->maximum < (option->type == CLI_INTEGER ? INT_MAX : DBL_MAX);
    if (!limited && !(x > option->maximum))
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "--%s %g is out of range: %s %g",
                         option->name, x, option->open ? "greater than" : "at least",
                         option->minimum);
    return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "--%s %.10g is out of range: %s%g to %.10g",
                     option->name, x, option->open ? "above " : "", option->minimum,
                     option->maximum);
}

static cairn_status parse_number(const parser *p, const cli_option *option, const char *word,
                                 double *x)
{
    char *end = NULL;
    if (option->word != NULL && strcmp(word, option->word) == 0) {
        *x = option->word_value;
        return CAIRN_OK;
    }
    *x = strtod(word, &end);
    if (end == word || *end != '\0' || !isfinite(*x))
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "--%s wants a number, not \"%.80s\"",
                         option->name, word);
    if (option->type == CLI_INTEGER && *x != floor(*x))
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "--%s wants a whole number, not \"%.80s\"",
                         option->name, word);
    if (*x < option->minimum || *x > option->maximum || (option->open && *x == option->minimum))
        return fail_range(p, option, *x);
    return CAIRN_OK;
}

static cairn_status check_choice(const parser *p, const cli_option *option, const char *word)
{
    char list[256] = "";
    int count = 0;
    for (; option->words[count] != NULL; count++) {
        if (strcmp(word, option->words[count]) == 0)
            return CAIRN_OK;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", count > 0 ? ", " : "",
                 option->words[count]);
    }
    return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "--%s \"%.80s\" is not one of %s",
                     option->name, word, list);
}

static cairn_status add_assignment(const parser *p, const cli_option *option, const char *word,
                                   cli_assignments *list)
{
    const char *sign = strchr(word, '=');
    if (sign == NULL || sign == word)
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "--%s wants name=value, not \"%.80s\"",
                         option->name, word);
    if (list->count == CLI_ASSIGNMENTS_MAX)
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "--%s is given more than %d times",
                         option->name, CLI_ASSIGNMENTS_MAX);
    if (sign - word >= CLI_ASSIGNMENT_NAME)
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT,
                         "--%s: the name \"%.80s...\" is longer than %d characters", option->name,
                         word, CLI_ASSIGNMENT_NAME - 1);
    char *name = list->names[list->count];
    memcpy(name, word, (size_t)(sign - word));
    name[sign - word] = '\0';
    list->items[list->count++] = (scn_assignment){name, sign + 1};
    return CAIRN_OK;
}

static cairn_status store(const parser *p, const cli_option *option, char *word)
{
    void *field = (char *)p->settings + option->offset;
    double x = 0.0;
    cairn_status status = CAIRN_OK;
    switch (option->type) {
    case CLI_FLAG:
        *(bool *)field = true;
        return CAIRN_OK;
    case CLI_NUMBER:
        status = parse_number(p, option, word, &x);
        if (status == CAIRN_OK)
            *(double *)field = x;
        return status;
    case CLI_INTEGER:
        status = parse_number(p, option, word, &x);
        if (status == CAIRN_OK)
            *(int64_t *)field = (int64_t)x;
        return status;
    case CLI_ASSIGNMENTS:
        return add_assignment(p, option, word, field);
    case CLI_CHOICE:
        status = check_choice(p, option, word);
        break;
    case CLI_PLUGIN:
        status = scn_check_plugin(option->plugin, word, p->error);
        break;
    case CLI_TEXT:
        break;
    }
    if (status == CAIRN_OK)
        *(const char **)field = word;
    return status == CAIRN_OK ? CAIRN_OK : CAIRN_ERROR_ARGUMENT;
}

// ---------------------------------------------------------------- words

static cairn_status take_value(parser *p, const cli_option *option, char *attached)
{
    if (option->type == CLI_FLAG && attached != NULL)
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "--%s takes no value", option->name);
    if (option->type == CLI_FLAG || attached != NULL)
        return store(p, option, attached);
    if (p->at + 1 >= p->argc)
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "--%s wants a value (%s)", option->name,
                         option->argument);
    return store(p, option, p->argv[++p->at]);
}

static cairn_status take_option(parser *p)
{
    cli_option option;
    char *word = p->argv[p->at];
    if (word[1] == '-') {
        char *sign = strchr(word, '=');
        size_t length = sign != NULL ? (size_t)(sign - word) - 2 : strlen(word) - 2;
        return find_option(p->command, word + 2, length, '\0', &option)
                   ? take_value(p, &option, sign != NULL ? sign + 1 : NULL)
                   : fail_unknown(p, word);
    }
    return find_option(p->command, NULL, 0, word[1], &option)
               ? take_value(p, &option, word[2] != '\0' ? word + 2 : NULL)
               : fail_unknown(p, word);
}

static cairn_status take_operand(parser *p)
{
    cli_common *common = p->settings;
    if (common->argument_count == p->command->most || common->argument_count == CLI_ARGUMENTS_MAX)
        return base_fail(p->error, CAIRN_ERROR_ARGUMENT, "unexpected argument \"%.80s\"",
                         p->argv[p->at]);
    common->arguments[common->argument_count++] = p->argv[p->at];
    return CAIRN_OK;
}

cairn_status cli_options_parse(const cli_command *command, int argc, char *const *argv,
                               void *settings, cairn_error *error)
{
    parser p = {command, argc, 0, argv, settings, error};
    cli_common *common = settings;
    bool ended = false;
    memset(settings, 0, command->settings_size);
    if (command->defaults != NULL)
        command->defaults(settings);
    for (; p.at < argc; p.at++) {
        const char *word = argv[p.at];
        cairn_status status = CAIRN_OK;
        if (!ended && strcmp(word, "--") == 0)
            ended = true;
        else if (!ended && word[0] == '-' && word[1] != '\0')
            status = take_option(&p);
        else
            status = take_operand(&p);
        if (status != CAIRN_OK)
            return status;
    }
    if (!common->help && common->argument_count < command->least)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "cairn %s wants %s (see cairn %s --help)",
                         command->name, command->operands, command->name);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- help

/// On a terminal its lines are joined and broken where the terminal ends; elsewhere as they are.
static void put_description(FILE *out, int columns, const char *text)
{
    char joined[4096];
    snprintf(joined, sizeof joined, "%s", text);
    for (char *at = joined; columns > 0 && *at != '\0'; at++)
        if (at[0] == '\n' && at[1] != '\n' && at[1] != ' ' && at[1] != '\0')
            at[0] = ' ';
    for (char *line = joined; *line != '\0';) {
        size_t length = strcspn(line, "\n");
        bool more = line[length] == '\n';
        line[length] = '\0';
        cli_put_wrapped(out, columns, 0, line);
        line += length + more;
    }
}

void cli_options_help(const cli_command *command, FILE *out)
{
    int columns = cli_columns(out);
    fprintf(out, "usage: cairn %s %s%s[options]\n\n", command->name, command->operands,
            command->operands[0] != '\0' ? " " : "");
    put_description(out, columns, command->description);
    fprintf(out, "\noptions:\n");
    for (int i = 0; i < cli_option_count(command); i++) {
        cli_option option = cli_option_at(command, i);
        char left[256], letter[8] = "    ";
        if (option.letter != '\0')
            snprintf(letter, sizeof letter, "-%c, ", option.letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, option.name,
                 option.argument != NULL ? " " : "",
                 option.argument != NULL ? option.argument : "");
        fprintf(out, "  %-30s ", left);
        // a name that is too long for its column has a line of its own
        if (columns > 0 && strlen(left) > 30)
            fprintf(out, "\n%33s", "");
        cli_put_wrapped(out, columns, 33, option.help);
    }
    fprintf(out, "  %-30s %s\n", "-h, --help", "this text");
}
