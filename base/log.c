// SPDX-License-Identifier: Apache-2.0
// Formats a message and hands it to the logger's callback.
#include "base/log.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>

void base_log(const base_logger *logger, base_log_level level, const char *format, ...)
{
    if (logger == NULL || logger->write == NULL)
        return;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    locale_t before = base_plain_begin();
    vsnprintf(text, sizeof text, format, arguments);
    base_plain_end(before);
    va_end(arguments);
    logger->write(logger->context, level, text);
}
