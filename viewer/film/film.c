// SPDX-License-Identifier: Apache-2.0
// Starts ffmpeg and feeds it, or counts PNG files.
#include "viewer/film/film.h"

#include "base/assert.h"
#include "viewer/film/picture.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const film_endings[] = {".mp4", ".webm", ".mkv", ".mov", ".gif"};

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length > tail && strcmp(text + length - tail, ending) == 0;
}

bool view_film_is_name(const char *path)
{
    for (int i = 0; i < BASE_COUNT(film_endings); i++)
        if (ends_with(path, film_endings[i]))
            return true;
    return false;
}

bool view_film_is_series(const char *path)
{
    const char *mark = strchr(path, '%');
    if (mark == NULL || !ends_with(path, ".png"))
        return false;
    size_t digits = strspn(mark + 1, "0123456789");
    return digits <= 2 && mark[1 + digits] == 'd' && strchr(mark + 1, '%') == NULL;
}

void view_film_picture_path(const view_film *film, int frame, char path[PATH_MAX])
{
    // the only mark is one %d with at most two digits of width
    const char *mark = strchr(film->path, '%');
    int width = atoi(mark + 1);
    snprintf(path, PATH_MAX, "%.*s%0*d%s", (int)(mark - film->path), film->path, width, frame,
             strchr(mark, 'd') + 1);
}

// ---------------------------------------------------------------- ffmpeg

static cairn_status spawn(view_film *film, int input, double frame_rate, cairn_error *error)
{
    char size[32], rate[32], path[PATH_MAX + 8];
    snprintf(size, sizeof size, "%dx%d", film->width, film->height);
    snprintf(rate, sizeof rate, "%g", frame_rate);
    // a name that looks like an option or a protocol is still a file
    snprintf(path, sizeof path, "file:%s", film->path);
    bool gif = ends_with(film->path, ".gif");
    const char *even = "pad=ceil(iw/2)*2:ceil(ih/2)*2";
    char *words[] = {"ffmpeg",
                     "-loglevel",
                     "error",
                     "-nostdin",
                     "-y",
                     "-f",
                     "rawvideo",
                     "-pix_fmt",
                     "rgb24",
                     "-video_size",
                     size,
                     "-framerate",
                     rate,
                     "-i",
                     "pipe:0",
                     "-vf",
                     (char *)even,
                     gif ? "-an" : "-pix_fmt",
                     gif ? path : "yuv420p",
                     gif ? NULL : path,
                     NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    int code = posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    if (code == 0)
        code = posix_spawnp(&film->process, "ffmpeg", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0)
        return base_fail(error, CAIRN_ERROR_UNSUPPORTED, "ffmpeg cannot be started: %s",
                         strerror(code));
    return CAIRN_OK;
}

/// A pair of sockets rather than a pipe: writing to a process that ended is then an error, not a
/// signal.
static cairn_status start(view_film *film, double frame_rate, cairn_error *error)
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return base_fail(error, CAIRN_ERROR_FILE, "no channel to ffmpeg: %s", strerror(errno));
    cairn_status status = spawn(film, ends[1], frame_rate, error);
    close(ends[1]);
    if (status != CAIRN_OK) {
        close(ends[0]);
        return status;
    }
    film->channel = ends[0];
    return CAIRN_OK;
}

cairn_status view_film_open(view_film *film, const char *path, int width, int height,
                            double frame_rate, cairn_error *error)
{
    *film = (view_film){.width = width, .height = height, .channel = -1};
    snprintf(film->path, sizeof film->path, "%s", path);
    film->series = view_film_is_series(path);
    if (film->series)
        return CAIRN_OK;
    if (!view_film_is_name(path))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%.300s is no name of a film", path);
    cairn_status status = start(film, frame_rate, error);
    if (status == CAIRN_ERROR_UNSUPPORTED) {
        char stem[PATH_MAX];
        snprintf(stem, sizeof stem, "%s", film->path);
        *strrchr(stem, '.') = '\0';
        snprintf(film->path, sizeof film->path, "%.*s-%%05d.png", PATH_MAX - 16, stem);
        film->series = true;

        return CAIRN_OK;
    }
    return status;
}

static cairn_status send_all(const view_film *film, const unsigned char *data, size_t size,
                             cairn_error *error)
{
    while (size > 0) {
        ssize_t sent = send(film->channel, data, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return base_fail(error, CAIRN_ERROR_FILE, "%.300s: ffmpeg takes no more pictures: %s",
                             film->path, strerror(errno));
        data += sent;
        size -= (size_t)sent;
    }
    return CAIRN_OK;
}

cairn_status view_film_add(view_film *film, const unsigned char *pixels, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    if (film->series) {
        char path[PATH_MAX];
        view_film_picture_path(film, film->frames + 1, path);
        status = view_picture_write(path, pixels, film->width, film->height, error);
    } else {
        status = send_all(film, pixels, (size_t)film->width * (size_t)film->height * 3, error);
    }
    film->frames += status == CAIRN_OK;
    return status;
}

cairn_status view_film_close(view_film *film, cairn_error *error)
{
    int code = 0;
    if (film->channel < 0 || film->process == 0)
        return CAIRN_OK;
    close(film->channel);
    film->channel = -1;
    while (waitpid(film->process, &code, 0) < 0)
        if (errno != EINTR)
            return base_fail(error, CAIRN_ERROR_FILE, "%.300s: ffmpeg ended unexpectedly",
                             film->path);
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_FILE, "%.300s: ffmpeg could not write the film",
                     film->path);
}
