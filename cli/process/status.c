// SPDX-License-Identifier: Apache-2.0
// Messages and exit statuses.
#include "cli/process/status.h"

#include "base/text.h"
#include "cli/text/wrap.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_SIZE = 4096 };

cli_shown cli_show(const char *text)
{
    cli_shown shown;
    base_text_show(text, shown.text, sizeof shown.text);
    return shown;
}

static char complaint[LINE_SIZE];

/// "cairn: error: ..."; on a terminal that shows colours an error is red, a warning yellow.
static void put_line(const char *word, const char *line)
{
    char shown[LINE_SIZE];
    bool coloured = word[0] != '\0' && cli_is_coloured(stderr);
    base_text_show(line, shown, sizeof shown);
    fprintf(stderr, "cairn: %s%s%s",
            !coloured        ? ""
            : word[0] == 'e' ? "\033[1;31m"
                             : "\033[33m",
            word, coloured ? "\033[0m" : "");
    // where it is no terminal, a line is as it is
    int columns = cli_columns(stderr), indent = (int)strlen("cairn: ") + (int)strlen(word);
    if (columns > 0)
        cli_put_wrapped(stderr, columns, indent, shown);
    else
        fprintf(stderr, "%s\n", shown);
}

const char *cli_last_complaint(void)
{
    return complaint;
}

/// One line: names, titles and paths in it may hold anything.
static void put(const char *word, const char *format, va_list arguments)
{
    char line[LINE_SIZE];
    vsnprintf(line, sizeof line, format, arguments);
    put_line(word, line);
}

void cli_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint, sizeof complaint, format, arguments);
    va_end(arguments);
    put_line("error: ", complaint);
}

void cli_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put("warning: ", format, arguments);
    va_end(arguments);
}

void cli_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put("", format, arguments);
    va_end(arguments);
}

int cli_exit_of_load(cairn_status status)
{
    if (status == CAIRN_OK)
        return CLI_EXIT_DONE;
    if (status == CAIRN_ERROR_ARGUMENT || status == CAIRN_ERROR_NOT_FOUND)
        return CLI_EXIT_USAGE;
    if (status == CAIRN_ERROR_UNSUPPORTED)
        return CLI_EXIT_ABSENT;
    if (status == CAIRN_ERROR_MEMORY)
        return CLI_EXIT_FAILED;
    return CLI_EXIT_INPUT;
}

void cli_log(void *context, cairn_log_level level, const char *text)
{
    static const char *const words[] = {"", "warning: ", "error: "};
    (void)context;
    if (level == CAIRN_DETAIL)
        return;
    // what a scene prints may have several lines, each of which says whose it is
    for (const char *at = text; at != NULL;) {
        char line[LINE_SIZE];
        const char *end = strchr(at, '\n');
        snprintf(line, sizeof line, "%.*s", end != NULL ? (int)(end - at) : (int)strlen(at), at);
        put_line(words[level], line);
        at = end != NULL ? end + 1 : NULL;
    }
}
