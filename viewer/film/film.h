// SPDX-License-Identifier: Apache-2.0
// A film: an ffmpeg process that takes pictures, or a series of PNG files without it.
#ifndef CAIRN_VIEWER_FILM_FILM_H
#define CAIRN_VIEWER_FILM_FILM_H

#include "base/memory.h"

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

typedef struct view_film {
    char path[PATH_MAX]; // film, or pattern of the series with one %d form
    int width, height;
    bool series; // PNG files
    int frames;  // written
    pid_t process;
    int channel; // to the process; -1: none
} view_film;

/// True for a name that ends like a film.
bool view_film_is_name(const char *path);

/// True for FILE-%d.png or FILE-%05d.png.
bool view_film_is_series(const char *path);

/// Starts a film. Without ffmpeg a name like FILE.mp4 becomes the series FILE-%05d.png; `series`
/// tells.
cairn_status view_film_open(view_film *film, const char *path, int width, int height,
                            double frame_rate, cairn_error *error) CAIRN_CHECK_RESULT;

/// @param pixels  [height][width][3], rows from the top
cairn_status view_film_add(view_film *film, const unsigned char *pixels,
                           cairn_error *error) CAIRN_CHECK_RESULT;

/// Waits for ffmpeg. A film that was never opened is closed at once.
cairn_status view_film_close(view_film *film, cairn_error *error) CAIRN_CHECK_RESULT;

/// Path of a picture of the series.
void view_film_picture_path(const view_film *film, int frame, char path[PATH_MAX]);

#endif
