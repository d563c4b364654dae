// SPDX-License-Identifier: Apache-2.0
// Messages and exit statuses.
#include "cli/process/status.h"

#include <stdarg.h>
#include <stdio.h>

static void put(const char *word, const char *format, va_list arguments)
{
    fprintf(stderr, "cairn: %s: ", word);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void cli_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put("error", format, arguments);
    va_end(arguments);
}

void cli_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    put("warning", format, arguments);
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
    fprintf(stderr, "cairn: %s%s\n", words[level], text);
}
