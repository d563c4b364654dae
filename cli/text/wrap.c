// SPDX-License-Identifier: Apache-2.0
// Asks the terminal how wide it is, and breaks lines between words.
#include "cli/text/wrap.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

int cli_columns(FILE *out)
{
    struct winsize size;
    if (isatty(fileno(out)) != 1 || ioctl(fileno(out), TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col >= 20 ? size.ws_col : 0;
}

bool cli_is_coloured(FILE *out)
{
    const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fileno(out)) == 1 && (none == NULL || none[0] == '\0') && terminal != NULL &&
           strcmp(terminal, "dumb") != 0;
}

/// Letters of UTF-8, of which each takes a column.
static int width_of(const char *text, size_t bytes)
{
    int width = 0;
    for (size_t i = 0; i < bytes; i++)
        width += ((unsigned char)text[i] & 0xc0) != 0x80;
    return width;
}

void cli_put_wrapped(FILE *out, int columns, int indent, const char *text)
{
    int column = indent;
    bool begins = true;
    while (*text != '\0') {
        size_t bytes = strcspn(text, " ");
        int width = width_of(text, bytes);
        if (!begins && columns > indent && column + 1 + width > columns) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!begins) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, bytes, out);
        column += width;
        begins = false;
        text += bytes;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/// Bytes before the second column of a line; half of the columns at most.
static size_t second_column(const char *line, int columns)
{
    size_t first = strspn(line, " ");
    const char *gap = strstr(line + first, "  ");
    size_t second = gap != NULL ? (size_t)(gap - line) + strspn(gap, " ") : first;
    return width_of(line, second) <= columns / 2 ? second : first;
}

void cli_print_line(FILE *out, const char *format, ...)
{
    char *line = NULL;
    va_list arguments;
    va_start(arguments, format);
    int bytes = vasprintf(&line, format, arguments);
    va_end(arguments);
    if (bytes < 0)
        return;
    int columns = cli_columns(out);
    if (columns == 0 || width_of(line, bytes) <= columns) {
        fprintf(out, "%s\n", line);
    } else {
        size_t indent = second_column(line, columns);
        fwrite(line, 1, indent, out);
        cli_put_wrapped(out, columns, width_of(line, indent), line + indent);
    }
    free(line);
}
