// SPDX-License-Identifier: Apache-2.0
// PNG files of pictures.
#ifndef CAIRN_VIEWER_FILM_PICTURE_H
#define CAIRN_VIEWER_FILM_PICTURE_H

#include "base/status.h"

#include <stdbool.h>

/// @param pixels  [height][width][3], rows from the top
cairn_status view_picture_write(const char *path, const unsigned char *pixels, int width,
                                int height, cairn_error *error) CAIRN_CHECK_RESULT;

/// Reads a PNG file of a known size.
/// @param pixels  [height][width][3] out, rows from the top
/// @return false where there is no such picture
bool view_picture_read(const char *path, unsigned char *pixels, int width, int height);

#endif
