// SPDX-License-Identifier: Apache-2.0
// Writes PNG files by stb_image_write.
#include "viewer/film/picture.h"

#include <errno.h>
#include <stb_image_write.h>
#include <string.h>

cairn_status view_picture_write(const char *path, const unsigned char *pixels, int width,
                                int height, cairn_error *error)
{
    errno = 0;
    if (stbi_write_png(path, width, height, 3, pixels, 3 * width) != 0)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_FILE, "%.300s: cannot be written: %s", path,
                     errno != 0 ? strerror(errno) : "out of memory");
}
