// SPDX-License-Identifier: Apache-2.0
// Views as files: where the eye is and what a picture shows, as JSON.
#ifndef CAIRN_CLI_OPTIONS_SAVED_VIEW_H
#define CAIRN_CLI_OPTIONS_SAVED_VIEW_H

#include "viewer/app/view.h"

/// The file is there as a whole or not at all.
cairn_status cli_saved_view_write(const char *path, const view_place *place,
                                  const view_style *style, cairn_error *error) CAIRN_CHECK_RESULT;

/// What the file does not say stays as it is.
/// @return CAIRN_ERROR_FORMAT "file:line: ..." for what is no view; CAIRN_ERROR_FILE
cairn_status cli_saved_view_read(const char *path, view_place *place, view_style *style,
                                 cairn_error *error) CAIRN_CHECK_RESULT;

#endif
