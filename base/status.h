// SPDX-License-Identifier: Apache-2.0
// Writing the message of a failure: the inside of <cairn/status.h>.
#ifndef CAIRN_BASE_STATUS_H
#define CAIRN_BASE_STATUS_H

#include <cairn/status.h>

/// Writes the status and a formatted message into `error` (may be NULL); returns the status.
cairn_status base_fail(cairn_error *error, cairn_status status, const char *format, ...)
    CAIRN_PRINTF(3, 4);

/// Ends the function that it stands in, with the status of a call that fails.
#define BASE_TRY(call)                                                                             \
    do {                                                                                           \
        cairn_status base_tried = (call);                                                          \
        if (base_tried != CAIRN_OK)                                                                \
            return base_tried;                                                                     \
    } while (0)

/// A pointer that a call cannot do without is NULL. @param call  __func__
cairn_status base_fail_null(cairn_error *error, const char *call);

#endif
