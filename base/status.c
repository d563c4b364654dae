// SPDX-License-Identifier: Apache-2.0
// Status texts and error messages.
#include "base/status.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

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

cairn_status base_fail(cairn_error *error, cairn_status status, const char *format, ...)
{
    if (error != NULL) {
        error->status = status;
        va_list arguments;
        va_start(arguments, format);
        locale_t before = base_plain_begin();
        vsnprintf(error->message, sizeof error->message, format, arguments);
        base_plain_end(before);
        va_end(arguments);
    }
    return status;
}

cairn_status base_fail_null(cairn_error *error, const char *call)
{
    return base_fail(error, CAIRN_ERROR_ARGUMENT, "%s: an argument is NULL that must not be", call);
}
