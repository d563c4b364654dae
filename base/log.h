// SPDX-License-Identifier: Apache-2.0
// Messages for the user go through a callback of the owner; the library never prints.
#ifndef CAIRN_BASE_LOG_H
#define CAIRN_BASE_LOG_H

#include "base/status.h"

typedef enum base_log_level {
    BASE_LOG_INFO,
    BASE_LOG_WARNING,
    BASE_LOG_ERROR,
    BASE_LOG_DETAIL
} base_log_level;

/// `write` may be NULL: silence. `text` has no newline and lives during the call only.
typedef struct base_logger {
    void (*write)(void *context, base_log_level level, const char *text);
    void *context;
} base_logger;

void base_log(const base_logger *logger, base_log_level level, const char *format, ...)
    CAIRN_PRINTF(3, 4);

#endif
