// SPDX-License-Identifier: Apache-2.0
// Writes and reads PNG files by stb_image.
#include "viewer/film/picture.h"

#include "base/file.h"

#include <errno.h>
#include <limits.h>
#include <stb_image.h>
#include <stb_image_write.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Bytes as the encoder hands them on.
static void put(void *stream, void *bytes, int size)
{
    fwrite(bytes, 1, (size_t)size, stream);
}

/// Why a picture must not take the place of what is under its name; NULL where it may.
static const char *refusal(const char *path)
{
    struct stat info;
    if (lstat(path, &info) == 0 && S_ISLNK(info.st_mode))
        return base_file_refusal(ELOOP);
    return base_file_in_the_way(path);
}

cairn_status view_picture_write(const char *path, const unsigned char *pixels, int width,
                                int height, cairn_error *error)
{
    char part[PATH_MAX];
    const char *reason = refusal(path);
    if (snprintf(part, sizeof part, "%s.part", path) >= PATH_MAX)
        reason = strerror(ENAMETOOLONG);
    FILE *file = reason == NULL ? base_file_create_new(part, &reason) : NULL;
    if (file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%.300s: cannot be written: %s", path, reason);
    errno = 0;
    bool encoded = stbi_write_png_to_func(put, file, width, height, 3, pixels, 3 * width) != 0;
    bool written = ferror(file) == 0;
    written = fclose(file) == 0 && written;
    // a whole one takes the place of what was there, which others may have under another name
    if (encoded && written && rename(part, path) == 0)
        return CAIRN_OK;
    int code = errno;
    unlink(part);
    return base_fail(error, CAIRN_ERROR_FILE, "%.300s: cannot be written: %s", path,
                     code != 0 ? strerror(code) : "out of memory");
}

bool view_picture_read(const char *path, unsigned char *pixels, int width, int height)
{
    int across = 0, down = 0, channels = 0;
    FILE *file = base_file_read(path, NULL);
    if (file == NULL)
        return false;
    unsigned char *read = stbi_load_from_file(file, &across, &down, &channels, 3);
    bool fits = read != NULL && across == width && down == height;
    if (fits)
        memcpy(pixels, read, (size_t)width * (size_t)height * 3);
    stbi_image_free(read);
    fclose(file);
    return fits;
}
