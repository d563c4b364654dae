// SPDX-License-Identifier: Apache-2.0
// Small pictures of the scenes and runs in the list. The command draws them, one at a time in a
// process of its own, so that a slow or broken scene holds nothing up; they are kept in a folder,
// by what the file was when it was drawn.
#include "viewer/app/app.h"

#include "base/hash.h"
#include "cairn/version.h"
#include "viewer/film/picture.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/// What tells one state of a file from another.
typedef struct file_state {
    int64_t seconds, nanoseconds, size;
} file_state;

/// Where the picture of a choice is kept, and the name it has while it is drawn.
static bool name_sketch(const view_app *app, const view_choice *choice, char kept[PATH_MAX],
                        char drawn[PATH_MAX])
{
    char file[PATH_MAX], whole[PATH_MAX];
    struct stat info;
    int length =
        snprintf(file, sizeof file, "%s%s", choice->path, choice->run ? "/trajectory.h5" : "");
    if (length >= (int)sizeof file || realpath(file, whole) == NULL || stat(whole, &info) != 0)
        return false;
    file_state state = {info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_size};
    uint64_t hash = base_hash_bytes(BASE_HASH_START, whole, strlen(whole));
    hash = base_hash_bytes(hash, &state, sizeof state);
    // another version may draw otherwise
    hash = base_hash_bytes(hash, cairn_version(), strlen(cairn_version()));
    length = snprintf(kept, PATH_MAX, "%s/%016llx.png", app->request->sketches,
                      (unsigned long long)hash);
    return length < PATH_MAX - 8 &&
           snprintf(drawn, PATH_MAX, "%.*s-part.png", length - 4, kept) < PATH_MAX;
}

/// A choice without a picture that can be read stays without one.
static bool read_sketch(view_app *app, view_choice *choice, const char *kept)
{
    enum { BYTES = VIEW_IMAGE_WIDTH * VIEW_IMAGE_HEIGHT * 3 };
    choice->pixels = base_allocate(&app->allocator, BYTES, 1);
    if (choice->pixels != NULL &&
        !view_picture_read(kept, choice->pixels, VIEW_IMAGE_WIDTH, VIEW_IMAGE_HEIGHT)) {
        base_release(&app->allocator, choice->pixels);
        choice->pixels = NULL;
    }
    return choice->pixels != NULL;
}

/// The picture that comes with a built-in scene: sketches/NAME.png beside it.
static bool read_ready(view_app *app, view_choice *choice)
{
    char path[PATH_MAX], whole[PATH_MAX], folder[PATH_MAX];
    if (app->request->scenes == NULL || realpath(app->request->scenes, folder) == NULL ||
        realpath(choice->path, whole) == NULL)
        return false;
    char *name = strrchr(whole, '/'), *ending = strrchr(name, '.');
    *name++ = '\0';
    return ending > name && strcmp(whole, folder) == 0 &&
           snprintf(path, sizeof path, "%s/sketches/%.*s.png", folder, (int)(ending - name), name) <
               (int)sizeof path &&
           read_sketch(app, choice, path);
}

/// Looks after the process that draws. @return false while it is busy
static bool finish_sketch(view_app *app)
{
    char kept[PATH_MAX], drawn[PATH_MAX];
    int state = 0;
    if (app->sketcher == 0)
        return true;
    pid_t ended = waitpid(app->sketcher, &state, WNOHANG);
    if (ended == 0 || (ended < 0 && errno == EINTR))
        return false;
    bool done = ended > 0 && WIFEXITED(state) && WEXITSTATUS(state) == 0;
    app->sketcher = 0;
    view_choice *choice = &app->picker.choices[app->sketched];
    if (!name_sketch(app, choice, kept, drawn))
        return true;
    if (done && rename(drawn, kept) == 0)
        (void)read_sketch(app, choice, kept);
    else
        unlink(drawn);
    return true;
}

/// The next choice whose picture was not asked for: read where it is kept, or begun.
static void next_sketch(view_app *app, int first, int count)
{
    char kept[PATH_MAX], drawn[PATH_MAX];
    cairn_error error = {0};
    for (int i = first; i < first + count && app->sketcher == 0; i++) {
        int chosen = app->picker.shown[i];
        view_choice *choice = &app->picker.choices[chosen];
        if (choice->asked)
            continue;
        choice->asked = true;
        if (read_ready(app, choice) || !name_sketch(app, choice, kept, drawn) ||
            read_sketch(app, choice, kept))
            continue;
        app->sketched = chosen;
        if (app->request->sketch(app->request->open_context, choice->path, choice->run, drawn,
                                 VIEW_IMAGE_WIDTH, VIEW_IMAGE_HEIGHT, &app->sketcher,
                                 &error) != CAIRN_OK)
            app_log(app, error.message);
    }
}

void app_feed_sketches(view_app *app, int first, int count)
{
    if (app->request->sketch == NULL || app->request->sketches == NULL)
        return;
    if (finish_sketch(app))
        next_sketch(app, first, count);
    for (int i = 0; i < count && i < VIEW_IMAGES_MAX; i++) {
        int choice = app->picker.shown[first + i];
        const unsigned char *pixels = app->picker.choices[choice].pixels;
        if (pixels == NULL || app->images[i] == choice + 1)
            continue;
        view_gpu_set_image(app->stage.gpu, i, pixels);
        app->images[i] = choice + 1;
    }
}

void app_stop_sketches(view_app *app)
{
    char kept[PATH_MAX], drawn[PATH_MAX];
    if (app->sketcher != 0) {
        kill(app->sketcher, SIGKILL);
        while (waitpid(app->sketcher, NULL, 0) < 0 && errno == EINTR)
            continue;
        if (name_sketch(app, &app->picker.choices[app->sketched], kept, drawn))
            unlink(drawn);
    }
    app->sketcher = 0;
    memset(app->images, 0, sizeof app->images);
}
