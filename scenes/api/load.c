// SPDX-License-Identifier: Apache-2.0
// Calls load and require: forces that follow functions of time, and programs beside the scene.
#include "scenes/load/loader.h"
#include "scenes/load/motion.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- load

static void set_load(const scn_fields *fields, const char *name, scn_vector_source force,
                     scn_vector_source torque)
{
    lua_State *L = fields->L;
    cairn_world *world = scn_loader_world(L);
    cairn_body_id body = scn_check_body(L, name);
    cairn_error error = {0};
    cairn_body_view view;
    scn_fields_pass(fields, cairn_body_get(world, body, &view), &error);
    if (view.kind != CAIRN_DYNAMIC)
        scn_raise(L, "load: body \"%.80s\" is %s: a load does nothing to it", name,
                  view.kind == CAIRN_FIXED ? "fixed" : "moving");
    if (scn_vector_source_is_constant(&force) && scn_vector_source_is_constant(&torque)) {
        scn_fields_pass(
            fields, cairn_body_set_force(world, body, force.number, torque.number, &error), &error);
        return;
    }
    scn_motion *motion = scn_motion_add(L, name);
    motion->first = force;
    motion->second = torque;
    scn_fields_pass(fields, cairn_body_set_load(world, body, scn_load_evaluate, motion, &error),
                    &error);
}

int scn_call_load(lua_State *L)
{
    static const char *const names[] = {"body", "bodies", "force", "torque", NULL};
    scn_fields fields = scn_fields_begin(L, "load");
    scn_fields_check(&fields, names, 0);
    if (scn_fields_has(&fields, "body") == scn_fields_has(&fields, "bodies"))
        scn_raise(L, "load: give body = \"name\" or bodies = { \"name\", ... }");
    scn_vector_source force, torque;
    bool pushed = scn_vector_source_read(&fields, "force", "N", &force);
    bool turned = scn_vector_source_read(&fields, "torque", "N m", &torque);
    if (!pushed && !turned)
        scn_raise(L, "load: give force or torque");
    const char *one = scn_fields_text(&fields, "body", NULL);
    if (one != NULL) {
        set_load(&fields, one, force, torque);
        return 0;
    }
    if (lua_getfield(L, 1, "bodies") != LUA_TTABLE || lua_rawlen(L, -1) < 1)
        scn_raise(L, "load: bodies must be a list of names of bodies");
    int count = (int)lua_rawlen(L, -1);
    for (int i = 1; i <= count; i++) {
        if (lua_rawgeti(L, -1, i) != LUA_TSTRING)
            scn_raise(L, "load: a body is given by its name, not by %s", luaL_typename(L, -1));
        set_load(&fields, lua_tostring(L, -1), force, torque);
        lua_pop(L, 1);
    }
    return 0;
}

// ---------------------------------------------------------------- require

enum { MODULE_SIZE_MAX = 16 << 20 };

// address is the key under which the registry keeps name -> value of what was required
static const char modules_key;

static void push_modules(lua_State *L)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &modules_key) == LUA_TTABLE)
        return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &modules_key);
}

/// The function of a program beside the scene; its text is checked to be text.
static void push_module(lua_State *L, const char *file)
{
    size_t size;
    const char *text = scn_push_text(L, file, MODULE_SIZE_MAX, &size);
    // messages name it as the scene is named, by the way from where the command runs
    const char *scene = scn_loader_of(L)->scene->path, *slash = strrchr(scene, '/');
    lua_pushliteral(L, "@");
    lua_pushlstring(L, scene, slash != NULL ? (size_t)(slash - scene) + 1 : 0);
    lua_pushstring(L, file);
    lua_concat(L, 3);
    if (luaL_loadbufferx(L, text, size, lua_tostring(L, -1), "t") != LUA_OK)
        scn_raise(L, "%s", lua_tostring(L, -1));
}

int scn_call_require(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING || lua_gettop(L) != 1)
        scn_raise(L, "require wants the name of a file beside the scene, without .lua");
    const char *name = lua_tostring(L, 1);
    if (name[0] == '\0' || strlen(name) > 200)
        scn_raise(L, "require: the name must have 1 to 200 letters");
    if (strpbrk(name, "/\\") != NULL || name[0] == '.')
        scn_raise(L,
                  "require: \"%.200s\" must be a name, or names of folders and a file with dots "
                  "between them, \"parts.grain\", beside the scene or below",
                  name);
    push_modules(L);
    int type = lua_getfield(L, 2, name);
    if (type == LUA_TLIGHTUSERDATA)
        scn_raise(L, "require: \"%.200s\" requires itself", name);
    if (type != LUA_TNIL)
        return 1;
    // a.b is b.lua in folder a
    luaL_gsub(L, name, ".", "/");
    lua_pushliteral(L, ".lua");
    lua_concat(L, 2);
    lua_pushlightuserdata(L, (void *)&modules_key);
    lua_setfield(L, 2, name);
    push_module(L, lua_tostring(L, -1));
    lua_call(L, 0, 1);
    if (lua_isnil(L, -1)) {
        lua_pop(L, 1);
        lua_pushboolean(L, 1);
    }
    lua_pushvalue(L, -1);
    lua_setfield(L, 2, name);
    return 1;
}
