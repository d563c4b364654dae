// SPDX-License-Identifier: Apache-2.0
// Finds scenes and runs in folders, and narrows lists down.
#include "viewer/input/picker.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

view_picker view_picker_begin(const base_allocator *allocator)
{
    return (view_picker){.allocator = *allocator, .columns = 1, .rows = 1};
}

void view_picker_clear(view_picker *picker)
{
    for (int i = 0; i < picker->count; i++) {
        base_release(&picker->allocator, picker->choices[i].path);
        base_release(&picker->allocator, picker->choices[i].name);
        base_release(&picker->allocator, picker->choices[i].pixels);
    }
    picker->count = picker->shown_count = picker->chosen = 0;
    picker->filter[0] = '\0';
}

void view_picker_finish(view_picker *picker)
{
    if (picker->allocator.reallocate == NULL)
        return;
    view_picker_clear(picker);
    base_release(&picker->allocator, picker->choices);
    base_release(&picker->allocator, picker->shown);
    *picker = (view_picker){0};
}

// ---------------------------------------------------------------- folders

static bool is_scene(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && name[0] != '.' && strcmp(name + length - 4, ".lua") == 0;
}

static bool is_run(const char *path)
{
    char file[PATH_MAX];
    int length = snprintf(file, sizeof file, "%s/trajectory.h5", path);
    return length < (int)sizeof file && access(file, R_OK) == 0;
}

/// FOLDER/NAME; false where that is too long.
static bool join(const char *folder, const char *name, char out[PATH_MAX])
{
    int length = strcmp(folder, ".") == 0 ? snprintf(out, PATH_MAX, "%s", name)
                                          : snprintf(out, PATH_MAX, "%s/%s", folder, name);
    return length > 0 && length < PATH_MAX;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static bool is_listed(const view_picker *picker, const char *path)
{
    for (int i = 0; i < picker->count; i++)
        if (is_same_file(picker->choices[i].path, path))
            return true;
    return false;
}

static cairn_status add(view_picker *picker, const char *path, const char *name, bool run)
{
    if (base_array_reserve(&picker->allocator, &picker->choices, &picker->capacity,
                           picker->count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    view_choice *choice = &picker->choices[picker->count++];
    *choice = (view_choice){base_copy_text(&picker->allocator, path),
                            base_copy_text(&picker->allocator, name), .run = run};
    if (choice->path == NULL || choice->name == NULL)
        return CAIRN_ERROR_MEMORY;
    if (!run)
        choice->name[strlen(choice->name) - 4] = '\0';
    return CAIRN_OK;
}

static void free_entries(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}

cairn_status view_picker_add(view_picker *picker, const char *folder)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, NULL, alphasort);
    cairn_status status = CAIRN_OK;
    for (int i = 0; status == CAIRN_OK && i < count; i++) {
        const char *name = entries[i]->d_name;
        char path[PATH_MAX];
        if (name[0] == '.' || !join(folder, name, path))
            continue;
        bool run = is_run(path);
        if ((run || is_scene(name)) && !is_listed(picker, path))
            status = add(picker, path, name, run);
    }
    if (count >= 0)
        free_entries(entries, count);
    return status;
}

// ---------------------------------------------------------------- narrowing down

/// 0: not the filter's letters; more the better they fit.
static int fit_of(const char *name, const char *filter)
{
    if (strncasecmp(name, filter, strlen(filter)) == 0)
        return 3;
    if (strcasestr(name, filter) != NULL)
        return 2;
    for (; *name != '\0' && *filter != '\0'; name++)
        filter += tolower((unsigned char)*name) == tolower((unsigned char)*filter);
    return *filter == '\0';
}

cairn_status view_picker_narrow(view_picker *picker)
{
    picker->shown_count = picker->chosen = 0;
    if (base_array_reserve(&picker->allocator, &picker->shown, &picker->shown_capacity,
                           picker->count) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int fit = 3; fit >= 1; fit--)
        for (int i = 0; i < picker->count; i++)
            if (fit_of(picker->choices[i].name, picker->filter) == fit)
                picker->shown[picker->shown_count++] = i;
    return CAIRN_OK;
}

void view_picker_move(view_picker *picker, int by)
{
    int last = picker->shown_count - 1, to = picker->chosen + by;
    picker->chosen = to > last ? last : to;
    picker->chosen = picker->chosen < 0 ? 0 : picker->chosen;
}

const view_choice *view_picker_chosen(const view_picker *picker)
{
    if (picker->chosen >= picker->shown_count)
        return NULL;
    return &picker->choices[picker->shown[picker->chosen]];
}

// ---------------------------------------------------------------- neighbours

/// Folder of what is shown: of a trajectory, the one around its run's folder.
static bool split(const char *path, bool run, char folder[PATH_MAX], char name[PATH_MAX])
{
    char whole[PATH_MAX];
    if (realpath(path, whole) == NULL)
        return false;
    struct stat info;
    char *slash = strrchr(whole, '/');
    if (run && stat(whole, &info) == 0 && !S_ISDIR(info.st_mode) && slash != whole) {
        *slash = '\0';
        slash = strrchr(whole, '/');
    }
    if (slash == NULL)
        return false;
    snprintf(name, PATH_MAX, "%s", slash + 1);
    *slash = '\0';
    snprintf(folder, PATH_MAX, "%s", whole[0] != '\0' ? whole : "/");
    return true;
}

bool view_picker_neighbour(const char *path, bool run, int way, char out[PATH_MAX])
{
    char folder[PATH_MAX], name[PATH_MAX];
    struct dirent **entries = NULL;
    if (!split(path, run, folder, name))
        return false;
    int count = scandir(folder, &entries, NULL, alphasort), at = 0;
    bool found = false;
    for (int i = 0; i < count; i++)
        if (strcmp(entries[i]->d_name, name) == 0)
            at = i;
    for (int i = 1; !found && i <= count; i++) {
        const char *each = entries[((at + way * i) % count + count) % count]->d_name;
        found = each[0] != '.' && join(folder, each, out) && (run ? is_run(out) : is_scene(each));
    }
    if (count >= 0)
        free_entries(entries, count);
    return found;
}
