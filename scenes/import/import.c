// SPDX-License-Identifier: Apache-2.0
// Files of robots as a whole.
#include "scenes/import/import.h"

#include "base/file.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { LEVELS_MOST = 8, HEAD_MOST = 1 << 20 };

bool scn_robot_is_file(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && strcasecmp(path + length - 5, ".urdf") == 0;
}

/// Cuts the last part of a path; false at the root.
static bool go_up(char *folder)
{
    char *slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder)
        return false;
    *slash = '\0';
    return true;
}

/// What the first "package://name/" of a text leads to, without package and name.
static bool first_in_package(const char *text, char rest[PATH_MAX])
{
    const char *at = strstr(text, "package://");
    const char *slash = at != NULL ? strchr(at + 10 + strspn(at + 10, "/"), '/') : NULL;
    if (slash == NULL)
        return false;
    size_t length = strcspn(slash + 1, "\"'<>\n");
    if (length == 0 || length >= PATH_MAX)
        return false;
    memcpy(rest, slash + 1, length);
    rest[length] = '\0';
    return true;
}

/// The begin of a file as a text.
static char *read_head(const char *path)
{
    const base_allocator allocator = base_allocator_default();
    const char *reason;
    FILE *stream = base_file_read(path, &reason);
    char *text = stream != NULL ? base_allocate(&allocator, HEAD_MOST + 1, 1) : NULL;
    if (text != NULL)
        text[fread(text, 1, HEAD_MOST, stream)] = '\0';
    if (stream != NULL)
        fclose(stream);
    return text;
}

void scn_robot_folder(const char *whole, char folder[PATH_MAX])
{
    const base_allocator allocator = base_allocator_default();
    char above[PATH_MAX], rest[PATH_MAX], tried[2 * PATH_MAX];
    snprintf(folder, PATH_MAX, "%s", whole);
    if (!go_up(folder))
        snprintf(folder, PATH_MAX, "/");
    char *text = read_head(whole);
    if (text == NULL)
        return;
    if (first_in_package(text, rest)) {
        snprintf(above, sizeof above, "%s", folder);
        for (int level = 0; level < LEVELS_MOST; level++) {
            snprintf(tried, sizeof tried, "%s/%s", above, rest);
            if (access(tried, F_OK) == 0) {
                snprintf(folder, PATH_MAX, "%s", above);
                break;
            }
            if (!go_up(above))
                break;
        }
    } else if (strstr(text, "\"../") != NULL || strstr(text, "'../") != NULL) {
        go_up(folder);
    }
    base_release(&allocator, text);
}

char *scn_robot_scene(const base_allocator *allocator, const char *whole)
{
    char folder[PATH_MAX];
    scn_robot_folder(whole, folder);
    size_t size = strlen(whole) + 64;
    char *text = base_allocate(allocator, size, 1);
    // long brackets of Lua take names with quotes
    if (text != NULL)
        snprintf(text, size, "import{ [==[%s]==] }\n",
                 whole + strlen(folder) + (strcmp(folder, "/") != 0));
    return text;
}

static cairn_status refuse_macros(const scn_xml_file *file, const scn_xml_node *root)
{
    for (const scn_xml_node *at = root->first; at != NULL; at = at->next)
        if (strncmp(at->name, "xacro:", 6) == 0)
            return scn_xml_fail(file, at,
                                "%.80s: this is a xacro file, of which `xacro FILE` makes an URDF "
                                "file",
                                at->name);
    return CAIRN_OK;
}

/// The folder of a file with a slash at its end; "" for none.
static const char *folder_of(const scn_xml_file *file, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *folder = base_arena_array(file->arena, char, "folder", length + 1);
    if (folder != NULL) {
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    return folder;
}

cairn_status scn_robot_import(const scn_xml_file *file, const char *path, const char *text,
                              size_t size, const scn_robot_use *use, scn_robot_line **lines,
                              scn_xml_left_out **left_out, int *count)
{
    scn_xml_node *root;
    scn_robot robot;
    const char *folder = folder_of(file, path);
    if (folder == NULL)
        return base_fail(file->error, CAIRN_ERROR_MEMORY, "%.300s: out of memory", file->name);
    BASE_TRY(scn_xml_parse(file, text, size, &root));
    if (strcmp(root->name, "robot") != 0)
        return scn_xml_fail(file, root,
                            "the first element is \"%.80s\": an URDF file begins with \"robot\"",
                            root->name);
    BASE_TRY(refuse_macros(file, root));
    BASE_TRY(scn_urdf_read(file, root, folder, &robot));
    BASE_TRY(scn_robot_write(file, &robot, use, lines));
    return scn_xml_find_left_out(file, root, left_out, count);
}
