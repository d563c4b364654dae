// SPDX-License-Identifier: Apache-2.0
// Writes PNG files by stb_image_write.
#include "viewer/film/picture.h"

#include "base/file.h"

#include <errno.h>
#include <stb_image_write.h>
#include <string.h>
#include <unistd.h>

/// Bytes as the encoder hands them on.
static void put(void *stream, void *bytes, int size)
{
    fwrite(bytes, 1, (size_t)size, stream);
}

cairn_status view_picture_write(const char *path, const unsigned char *pixels, int width,
                                int height, cairn_error *error)
{
    const char *reason = NULL;
    FILE *file = base_file_create(path, &reason);
    if (file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%.300s: cannot be written: %s", path, reason);
    errno = 0;
    bool encoded = stbi_write_png_to_func(put, file, width, height, 3, pixels, 3 * width) != 0;
    bool written = ferror(file) == 0;
    written = fclose(file) == 0 && written;
    if (encoded && written)
        return CAIRN_OK;
    // half a picture is none
    int code = errno;
    unlink(path);
    return base_fail(error, CAIRN_ERROR_FILE, "%.300s: cannot be written: %s", path,
                     code != 0 ? strerror(code) : "out of memory");
}
