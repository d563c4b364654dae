// SPDX-License-Identifier: Apache-2.0
// Call import: robots of other programs' files.
#include "scenes/import/import.h"
#include "scenes/load/loader.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

enum { FILE_MOST = 64 << 20, LINE_MOST = 400 };

#define ARENA "arena"

static int release_arena(lua_State *L)
{
    base_arena **arena = lua_touserdata(L, 1);
    base_arena_destroy(*arena);
    *arena = NULL;
    return 0;
}

/// An arena that ends with what is on the Lua stack, errors of the call included.
static base_arena *push_arena(lua_State *L)
{
    base_arena **arena = lua_newuserdatauv(L, sizeof *arena, 0);
    *arena = NULL;
    if (luaL_newmetatable(L, ARENA)) {
        lua_pushcfunction(L, release_arena);
        lua_setfield(L, -2, "__gc");
    }
    lua_setmetatable(L, -2);
    *arena = base_arena_create(&scn_loader_of(L)->scene->counted, 1 << 16);
    if (*arena == NULL)
        scn_raise(L, "import: out of memory");
    return *arena;
}

/// The name of a data file as messages have it: by the way from where the command runs.
static const char *push_name(lua_State *L, const char *file)
{
    const char *scene = scn_loader_of(L)->scene->path, *slash = strrchr(scene, '/');
    if (scn_robot_is_file(scene))
        return lua_pushstring(L, scene);
    lua_pushlstring(L, scene, slash != NULL ? (size_t)(slash - scene) + 1 : 0);
    lua_pushstring(L, file);
    lua_concat(L, 2);
    return lua_tostring(L, -1);
}

/// Makes the bodies and joints; messages name the lines of the robot's file.
static void make(lua_State *L, const char *name, const scn_robot_line *lines)
{
    scn_sandbox *sandbox = scn_sandbox_of(L);
    for (const scn_robot_line *at = lines; at != NULL; at = at->next) {
        if (at->note) {
            scn_loader_log(scn_loader_of(L), CAIRN_WARNING, "%.300s:%d: %s", name, at->line,
                           at->text);
            continue;
        }
        if (luaL_loadbufferx(L, at->text, strlen(at->text), "=import", "t") != LUA_OK)
            lua_error(L);
        sandbox->part = name;
        sandbox->part_line = at->line;
        int result = lua_pcall(L, 0, 0, 0);
        sandbox->part = NULL;
        if (result != LUA_OK)
            lua_error(L);
    }
}

/// Lists what the file has and the scene has not.
static void list_left_out(lua_State *L, const char *name, const scn_xml_left_out *list, int count)
{
    char text[LINE_MOST] = "", one[200];
    for (int i = 0; i < count; i++) {
        const scn_xml_left_out *at = &list[i];
        int used =
            snprintf(one, sizeof one, "%.60s%s%.60s (", at->element,
                     at->attribute != NULL ? "." : "", at->attribute != NULL ? at->attribute : "");
        if (at->count > 1)
            used +=
                snprintf(one + used, sizeof one - (size_t)used, "%d times, first on ", at->count);
        snprintf(one + used, sizeof one - (size_t)used, "line %d)", at->line);
        if (strlen(text) + strlen(one) + 3 > sizeof text) {
            scn_loader_log(scn_loader_of(L), CAIRN_WARNING, "%.300s: not carried over: %s", name,
                           text);
            text[0] = '\0';
        }
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s",
                 text[0] != '\0' ? ", " : "", one);
    }
    if (text[0] != '\0')
        scn_loader_log(scn_loader_of(L), CAIRN_WARNING, "%.300s: not carried over: %s", name, text);
}

static scn_robot_use read_use(const scn_fields *fields)
{
    static const char *const bases[] = {"fixed", "free", NULL};
    lua_State *L = fields->L;
    double position[3] = {0.0, 0.0, 0.0}, turn[4];
    scn_fields_vector(fields, "at", position, 3, scn_range_any("m"));
    scn_fields_orientation(fields, turn);
    const char *name = scn_fields_text(fields, "name", NULL);
    scn_robot_use use = {
        .prefix = name != NULL ? lua_pushfstring(L, "%s/", name) : "",
        .material = scn_fields_text(fields, "material", NULL),
        .at = {vec3_from(position), {turn[0], turn[1], turn[2], turn[3]}},
        .data = scn_loader_of(L)->folder,
        .fixed = scn_fields_choice(fields, "base", 0, bases) == 0,
    };
    if (use.material != NULL)
        scn_check_material(L, use.material);
    return use;
}

int scn_call_import(lua_State *L)
{
    static const char *const names[] = {"name", "at",       "orientation", "rotation",
                                        "base", "material", NULL};
    scn_fields fields = scn_fields_begin(L, "import");
    scn_fields_check(&fields, names, 1);
    if (lua_rawgeti(L, 1, 1) != LUA_TSTRING)
        scn_raise(L, "import wants a file beside the scene: import{ \"robot.urdf\" }");
    const char *path = lua_tostring(L, -1), *name = push_name(L, path);
    scn_robot_use use = read_use(&fields);
    cairn_error error = {0};
    size_t size;
    const char *text = scn_push_text(L, path, FILE_MOST, &size);
    scn_xml_file file = {.name = name, .arena = push_arena(L), .error = &error};
    scn_robot_line *lines;
    scn_xml_left_out *left_out;
    int count;
    cairn_status status =
        scn_robot_import(&file, path, text, size, &use, &lines, &left_out, &count);
    if (status != CAIRN_OK) {
        lua_pushstring(L, error.message);
        lua_error(L);
    }
    list_left_out(L, name, left_out, count);
    make(L, name, lines);
    return 0;
}
