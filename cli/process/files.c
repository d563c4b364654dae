// SPDX-License-Identifier: Apache-2.0
// Folders and whole files.
#include "cli/process/files.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

cairn_status cli_path_join(char *out, const char *folder, const char *name, cairn_error *error)
{
    int length = snprintf(out, PATH_MAX, "%s/%s", folder, name);
    if (length < 0 || length >= PATH_MAX)
        return base_fail(error, CAIRN_ERROR_FILE, "path is too long: %.100s...", folder);
    return CAIRN_OK;
}

cairn_status cli_file_open(cli_file *file, const char *path, cairn_error *error)
{
    int length = snprintf(file->path, sizeof file->path, "%s", path);
    int temporary = snprintf(file->temporary, sizeof file->temporary, "%s.part", path);
    if (length >= PATH_MAX || temporary >= PATH_MAX)
        return base_fail(error, CAIRN_ERROR_FILE, "path is too long: %.100s...", path);
    const char *reason = NULL;
    file->stream = base_file_create_new(file->temporary, &reason);
    if (file->stream == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", file->path, reason);
    return CAIRN_OK;
}

cairn_status cli_file_try(const char *path, cairn_error *error)
{
    cli_file file;
    const char *reason = base_file_in_the_way(path);
    if (reason != NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, reason);
    BASE_TRY(cli_file_open(&file, path, error));
    fclose(file.stream);
    unlink(file.temporary);
    return CAIRN_OK;
}

cairn_status cli_file_commit(cli_file *file, cairn_error *error)
{
    bool good =
        fflush(file->stream) == 0 && ferror(file->stream) == 0 && fsync(fileno(file->stream)) == 0;
    int reason = errno;
    if (fclose(file->stream) != 0 && good) {
        good = false;
        reason = errno;
    }
    file->stream = NULL;
    if (good && rename(file->temporary, file->path) == 0)
        return CAIRN_OK;
    reason = good ? errno : reason;
    unlink(file->temporary);
    return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", file->path, strerror(reason));
}

cairn_status cli_folder_make(const char *path, cairn_error *error)
{
    char part[PATH_MAX];
    if (snprintf(part, sizeof part, "%s", path) >= PATH_MAX)
        return base_fail(error, CAIRN_ERROR_FILE, "path is too long: %.100s...", path);
    for (char *at = part + 1; *at != '\0'; at++) {
        if (*at != '/')
            continue;
        *at = '\0';
        // a folder that cannot be made shows below, where its child fails
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", part, strerror(errno));
        *at = '/';
    }
    struct stat info;
    if (mkdir(part, 0777) != 0 &&
        (errno != EEXIST || stat(part, &info) != 0 || !S_ISDIR(info.st_mode)))
        return base_fail(error, CAIRN_ERROR_FILE, "%s: not a folder that can be written", part);
    return CAIRN_OK;
}

cairn_status cli_folder_make_own(const char *path, cairn_error *error)
{
    struct stat info;
    if (mkdir(path, 0777) == 0)
        return CAIRN_OK;
    int reason = errno;
    if (reason != EEXIST || lstat(path, &info) != 0)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, strerror(reason));
    if (S_ISLNK(info.st_mode))
        return base_fail(error, CAIRN_ERROR_FILE,
                         "%s: is a symbolic link, which is not written through", path);
    return S_ISDIR(info.st_mode)
               ? CAIRN_OK
               : base_fail(error, CAIRN_ERROR_FILE, "%s: not a folder that can be written", path);
}

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

cairn_status cli_program_path(char program[PATH_MAX], cairn_error *error)
{
    ssize_t length = readlink("/proc/self/exe", program, PATH_MAX - 1);
    if (length >= 0) {
        program[length] = '\0';
        return CAIRN_OK;
    }
    // without /proc, as in a bare system that is being set up: how it was started
    const char *started = (const char *)getauxval(AT_EXECFN);
    if (started != NULL && realpath(started, program) != NULL)
        return CAIRN_OK;
    return base_fail(error, CAIRN_ERROR_FILE, "the path of this program cannot be found: %s",
                     strerror(errno));
}

cairn_status cli_scenes_folder(char out[PATH_MAX])
{
    static const char *const places[] = {"../share/cairn/scenes", "../scenes/library"};
    char program[PATH_MAX], candidate[PATH_MAX];
    const char *chosen = getenv("CAIRN_SCENES");
    if (chosen != NULL)
        return realpath(chosen, out) != NULL && is_folder(out) ? CAIRN_OK : CAIRN_ERROR_NOT_FOUND;
    if (cli_program_path(program, NULL) != CAIRN_OK)
        return CAIRN_ERROR_NOT_FOUND;
    char *slash = strrchr(program, '/');
    if (slash == NULL)
        return CAIRN_ERROR_NOT_FOUND;
    *slash = '\0';
    for (int i = 0; i < 2; i++)
        if (cli_path_join(candidate, program, places[i], NULL) == CAIRN_OK &&
            is_folder(candidate) && realpath(candidate, out) != NULL)
            return CAIRN_OK;
    return CAIRN_ERROR_NOT_FOUND;
}

/// Removes the files of a folder that were not written for a month.
static void remove_old(const char *folder)
{
    const time_t month = 31 * 24 * 3600;
    char path[PATH_MAX];
    struct stat info;
    DIR *entries = opendir(folder);
    time_t now = time(NULL);
    for (const struct dirent *entry = entries != NULL ? readdir(entries) : NULL; entry != NULL;
         entry = readdir(entries))
        if (cli_path_join(path, folder, entry->d_name, NULL) == CAIRN_OK &&
            lstat(path, &info) == 0 && S_ISREG(info.st_mode) && now - info.st_mtime > month)
            unlink(path);
    if (entries != NULL)
        closedir(entries);
}

cairn_status cli_cache_folder(const char *name, char out[PATH_MAX])
{
    const char *user = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    // a path that is not absolute means nothing, says the convention
    if (user != NULL && user[0] == '/')
        length = snprintf(out, PATH_MAX, "%s/cairn/%s", user, name);
    else if (home != NULL && home[0] == '/')
        length = snprintf(out, PATH_MAX, "%s/.cache/cairn/%s", home, name);
    if (length <= 0 || length >= PATH_MAX || cli_folder_make(out, NULL) != CAIRN_OK)
        return CAIRN_ERROR_NOT_FOUND;
    remove_old(out);
    return CAIRN_OK;
}

void cli_scene_path(const char *word, bool run, char out[PATH_MAX])
{
    char folder[PATH_MAX], name[256];
    snprintf(out, PATH_MAX, "%s", word);
    if ((access(word, F_OK) == 0 && (run || !is_folder(word))) || strchr(word, '/') != NULL ||
        cli_scenes_folder(folder) != CAIRN_OK)
        return;
    size_t length = strlen(word);
    bool ended = length > 4 && strcmp(word + length - 4, ".lua") == 0;
    char found[PATH_MAX];
    if (snprintf(name, sizeof name, "%s%s", word, ended ? "" : ".lua") < (int)sizeof name &&
        cli_path_join(found, folder, name, NULL) == CAIRN_OK && access(found, R_OK) == 0)
        memcpy(out, found, sizeof found);
}
