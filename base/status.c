// SPDX-License-Identifier: Apache-2.0
// Status texts and error messages.
#include "base/status.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *cairn_status_text(cairn_status status)
{
    switch (status) {
#define STATUS_CASE(name, text)                                                                    \
    case CAIRN_##name:                                                                             \
        return text;
        CAIRN_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

enum { LONGEST = 8192 };

/// The begin and the end of a text that does not fit: the reason stands behind a long path.
static void keep_ends(char message[CAIRN_MESSAGE_SIZE], const char *text)
{
    size_t half = (CAIRN_MESSAGE_SIZE - sizeof " ... ") / 2;
    size_t begin = half;
    const char *end = text + strlen(text) - half;
    // no character of several bytes is cut
    while (begin > 0 && (text[begin] & 0xC0) == 0x80)
        begin--;
    while ((*end & 0xC0) == 0x80)
        end++;
    snprintf(message, CAIRN_MESSAGE_SIZE, "%.*s ... %s", (int)begin, text, end);
}

cairn_status base_fail(cairn_error *error, cairn_status status, const char *format, ...)
{
    if (error != NULL) {
        error->status = status;
        va_list arguments;
        va_start(arguments, format);
        locale_t before = base_plain_begin();
        char text[LONGEST];
        if (vsnprintf(text, sizeof text, format, arguments) < (int)sizeof error->message)
            snprintf(error->message, sizeof error->message, "%s", text);
        else
            keep_ends(error->message, text);
        base_plain_end(before);
        va_end(arguments);
    }
    return status;
}

cairn_status base_fail_null(cairn_error *error, const char *call)
{
    return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s: an argument is NULL that must not be", call);
}
