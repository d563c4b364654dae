// SPDX-License-Identifier: Apache-2.0
// The sandbox: counting allocator, count hook, and the library functions a scene may call.
#include "scenes/load/sandbox.h"

#include "base/assert.h"
#include "base/timer.h"

#include <lauxlib.h>
#include <lualib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HOOK_INTERVAL = 20000 };

// address is the key under which the registry keeps math.randomseed
static const char seed_key;

scn_sandbox *scn_sandbox_of(lua_State *L)
{
    return *(scn_sandbox **)lua_getextraspace(L);
}

static void *limited_reallocate(void *context, void *block, size_t old_size, size_t size)
{
    scn_sandbox *sandbox = context;
    if (block == NULL)
        old_size = 0;
    if (size > old_size && size - old_size > sandbox->memory_limit - sandbox->memory_used) {
        sandbox->memory_refused = true;
        return NULL;
    }
    void *result = sandbox->allocator.reallocate(sandbox->allocator.context, block, size);
    if (result != NULL || size == 0)
        sandbox->memory_used = sandbox->memory_used - old_size + size;
    return result;
}

static void limit_hook(lua_State *L, lua_Debug *place)
{
    scn_sandbox *sandbox = scn_sandbox_of(L);
    sandbox->instructions += HOOK_INTERVAL;
    if (lua_getinfo(L, "l", place) != 0 && place->currentline > 0)
        sandbox->last_line = place->currentline;
    if (sandbox->instructions > sandbox->instruction_limit)
        scn_raise(L, "scene ran for more than %.3g instructions (endless loop?)",
                  (double)sandbox->instruction_limit);
    if (base_timer_seconds() - sandbox->started > sandbox->time_limit)
        scn_raise(L, "scene ran for more than %.3g s (endless loop?)", sandbox->time_limit);
}

lua_State *scn_sandbox_open(scn_sandbox *sandbox)
{
    lua_State *L = lua_newstate(limited_reallocate, sandbox);
    if (L == NULL)
        return NULL;
    *(scn_sandbox **)lua_getextraspace(L) = sandbox;
    sandbox->started = base_timer_seconds();
    lua_sethook(L, limit_hook, LUA_MASKCOUNT, HOOK_INTERVAL);
    return L;
}

void scn_sandbox_close(lua_State *L)
{
    if (L != NULL)
        lua_close(L);
}

void scn_raise(lua_State *L, const char *format, ...)
{
    char text[CAIRN_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    // the innermost line that is in the scene's own text
    lua_Debug place;
    for (int level = 0; lua_getstack(L, level, &place) != 0; level++) {
        lua_getinfo(L, "Sl", &place);
        if (place.currentline > 0 && place.source[0] == '@') {
            lua_pushfstring(L, "%s:%d: %s", place.source + 1, place.currentline, text);
            lua_error(L);
        }
    }
    lua_pushstring(L, text);
    lua_error(L);
    __builtin_unreachable();
}

// ---------------------------------------------------------------- guarded library functions

/// Refuses a search whose cost, length^(repetitions + 1), could hang the program: matching runs
/// outside the reach of the hook. Calls the library's function, the first upvalue.
static int guarded_search(lua_State *L)
{
    size_t length = 0, pattern_length = 0;
    luaL_checklstring(L, 1, &length);
    const char *pattern = luaL_checklstring(L, 2, &pattern_length);
    int repetitions = 0;
    for (size_t i = 0; i < pattern_length; i++)
        repetitions += pattern[i] != '\0' && strchr("*+-?", pattern[i]) != NULL;
    if ((repetitions + 1) * log10((double)length + 1.0) > 9.0)
        scn_raise(L, "pattern \"%.40s\" is too costly for a text of %zu letters", pattern, length);
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

/// Finalizers would run outside the reach of the hook.
static int guarded_setmetatable(lua_State *L)
{
    luaL_checktype(L, 1, LUA_TTABLE);
    luaL_argexpected(L, lua_isnil(L, 2) || lua_istable(L, 2), 2, "nil or table");
    const char *const refused[] = {"__gc", "__len", "__mode"};
    for (int i = 0; lua_istable(L, 2) && i < BASE_COUNT(refused); i++) {
        lua_pushstring(L, refused[i]);
        if (lua_rawget(L, 2) != LUA_TNIL)
            scn_raise(L, "setmetatable: a scene may not set %s", refused[i]);
        lua_pop(L, 1);
    }
    lua_settop(L, 2);
    lua_setmetatable(L, 1);
    return 1;
}

/// table.move copies outside the reach of the hook.
static int guarded_move(lua_State *L)
{
    lua_Number first = luaL_checknumber(L, 2), last = luaL_checknumber(L, 3);
    if (last - first > 1e8)
        scn_raise(L, "table.move: more than 1e8 elements");
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

// Lua orders string keys by a hash that differs from run to run; scenes must not
static const char ordered_pairs[] =
    "local next, type, sort, error = ...\n"
    "local rank = {number = 1, string = 2, boolean = 3}\n"
    "local function before(a, b)\n"
    "  local p, q = rank[type(a)], rank[type(b)]\n"
    "  if p ~= q then return p < q end\n"
    "  if p == 3 then return not a and b end\n"
    "  return a < b\n"
    "end\n"
    "return function(t)\n"
    "  local keys, count = {}, 0\n"
    "  for key in next, t do\n"
    "    if not rank[type(key)] then\n"
    "      error('pairs: keys must be numbers, texts or booleans', 2)\n"
    "    end\n"
    "    count = count + 1\n"
    "    keys[count] = key\n"
    "  end\n"
    "  sort(keys, before)\n"
    "  local i = 0\n"
    "  return function()\n"
    "    local key, value\n"
    "    repeat\n"
    "      i = i + 1\n"
    "      key = keys[i]\n"
    "      if key == nil then return nil end\n"
    "      value = t[key]\n"
    "    until value ~= nil\n"
    "    return key, value\n"
    "  end\n"
    "end\n";

// ---------------------------------------------------------------- choosing

static void open_library(lua_State *L, const char *name, lua_CFunction function)
{
    luaL_requiref(L, name, function, 0);
}

/// Copies the named fields of the table on top into a new table, which replaces it.
static void keep_fields(lua_State *L, const char *const *names)
{
    lua_newtable(L);
    for (int i = 0; names[i] != NULL; i++) {
        lua_getfield(L, -2, names[i]);
        lua_setfield(L, -2, names[i]);
    }
    lua_remove(L, -2);
}

/// Replaces a field of the table on top by a guard that holds the original.
static void guard_field(lua_State *L, const char *name, lua_CFunction guard)
{
    lua_getfield(L, -1, name);
    lua_pushcclosure(L, guard, 1);
    lua_setfield(L, -2, name);
}

static void fill_base(lua_State *L)
{
    static const char *const names[] = {"assert",   "error",    "ipairs", "getmetatable",
                                        "rawequal", "rawget",   "rawlen", "select",
                                        "tonumber", "tostring", "type",   NULL};
    open_library(L, "_G", luaopen_base);
    open_library(L, LUA_TABLIBNAME, luaopen_table);
    luaL_loadbufferx(L, ordered_pairs, sizeof ordered_pairs - 1, "=pairs", "t");
    lua_getfield(L, -3, "next");
    lua_getfield(L, -4, "type");
    lua_getfield(L, -4, "sort");
    lua_getfield(L, -6, "error");
    lua_call(L, 4, 1);
    // stack: base library, table library, pairs
    lua_insert(L, -3);
    lua_pop(L, 1);
    keep_fields(L, names);
    lua_insert(L, -2);
    lua_setfield(L, -2, "pairs");
    lua_pushcfunction(L, guarded_setmetatable);
    lua_setfield(L, -2, "setmetatable");
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "_G");
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

static void fill_string(lua_State *L)
{
    static const char *const names[] = {"byte",    "char", "find",  "format", "gmatch",
                                        "gsub",    "len",  "lower", "match",  "rep",
                                        "reverse", "sub",  "upper", NULL};
    static const char *const searches[] = {"find", "gmatch", "gsub", "match"};
    open_library(L, LUA_STRLIBNAME, luaopen_string);
    keep_fields(L, names);
    for (int i = 0; i < BASE_COUNT(searches); i++)
        guard_field(L, searches[i], guarded_search);
    // methods of texts, as in ("x"):rep(3), see the same functions
    lua_pushliteral(L, "");
    lua_getmetatable(L, -1);
    lua_pushvalue(L, -3);
    lua_setfield(L, -2, "__index");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 2);
    lua_setglobal(L, LUA_STRLIBNAME);
}

static void fill_math(lua_State *L)
{
    open_library(L, LUA_MATHLIBNAME, luaopen_math);
    lua_getfield(L, -1, "randomseed");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &seed_key);
    lua_pushnil(L);
    lua_setfield(L, -2, "randomseed");
    lua_setglobal(L, LUA_MATHLIBNAME);
}

static void fill_table(lua_State *L)
{
    open_library(L, LUA_TABLIBNAME, luaopen_table);
    guard_field(L, "move", guarded_move);
    lua_setglobal(L, LUA_TABLIBNAME);
}

void scn_sandbox_fill(lua_State *L)
{
    fill_base(L);
    fill_string(L);
    fill_math(L);
    fill_table(L);
    open_library(L, LUA_UTF8LIBNAME, luaopen_utf8);
    lua_setglobal(L, LUA_UTF8LIBNAME);
    // nothing of the full libraries stays within reach
    lua_pushnil(L);
    lua_setfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
}

void scn_sandbox_seed(lua_State *L, int64_t seed)
{
    lua_rawgetp(L, LUA_REGISTRYINDEX, &seed_key);
    lua_pushinteger(L, seed);
    lua_pushinteger(L, 0);
    lua_call(L, 2, 0);
}
