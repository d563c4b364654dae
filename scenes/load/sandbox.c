// SPDX-License-Identifier: Apache-2.0
// The sandbox: counting allocator, count hook, and the library functions a scene may call.
#include "scenes/load/sandbox.h"

#include "base/assert.h"
#include "base/elementary.h"
#include "base/timer.h"

#include <lauxlib.h>
#include <lualib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HOOK_INTERVAL = 2000 };

// address is the key under which the registry keeps math.randomseed
static const char seed_key;

scn_sandbox *scn_sandbox_of(lua_State *L)
{
    return *(scn_sandbox **)lua_getextraspace(L);
}

static void *limited_reallocate(void *context, void *block, size_t old_size, size_t size)
{
    scn_sandbox *sandbox = context;
    // Lua tells what a new block is for in place of its old size
    bool text = block == NULL && old_size == LUA_TSTRING;
    if (block == NULL)
        old_size = 0;
    // one instruction may go through a text
    if (text && size > SCN_LONG_TEXT_MOST) {
        sandbox->text_refused = true;
        return NULL;
    }
    if (size > old_size && size - old_size > sandbox->memory_limit - sandbox->memory_used) {
        sandbox->memory_refused = true;
        return NULL;
    }
    void *result = sandbox->allocator.reallocate(sandbox->allocator.context, block, size);
    if (result != NULL || size == 0)
        sandbox->memory_used = sandbox->memory_used - old_size + size;
    return result;
}

static void limit_hook(lua_State *L, lua_Debug *place);

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
    const scn_sandbox *sandbox = scn_sandbox_of(L);
    if (sandbox->part != NULL) {
        lua_pushfstring(L, "%s:%d: %s", sandbox->part, sandbox->part_line, text);
        lua_error(L);
    }
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

// Library functions run outside the reach of the hook. What they do is bounded before they begin,
// and booked as so many instructions, so that a loop of them ends at the same place on any machine.

static void look_at_limits(lua_State *L)
{
    scn_sandbox *sandbox = scn_sandbox_of(L);
    if (sandbox->instructions > sandbox->instruction_limit)
        scn_raise(L, "scene ran for more than %.3g instructions (endless loop?)",
                  (double)sandbox->instruction_limit);
    if (sandbox->stop != NULL && sandbox->stop()) {
        sandbox->stopped = true;
        scn_raise(L, "interrupted");
    }
    if (base_timer_seconds() - sandbox->started > sandbox->time_limit)
        scn_raise(L, "scene ran for more than %.3g s (endless loop?)", sandbox->time_limit);
}

static void limit_hook(lua_State *L, lua_Debug *place)
{
    scn_sandbox *sandbox = scn_sandbox_of(L);
    sandbox->instructions += HOOK_INTERVAL;
    if (lua_getinfo(L, "l", place) != 0 && place->currentline > 0)
        sandbox->last_line = place->currentline;
    look_at_limits(L);
}

/// Books work of a library function that is about to run.
static void charge(lua_State *L, double instructions)
{
    enum { WORTH_A_LOOK = 10000 };
    scn_sandbox_of(L)->instructions += (int64_t)fmin(instructions, 1e15);
    if (instructions > WORTH_A_LOOK)
        look_at_limits(L);
}

/// Calls the library's function, upvalue 1, with all arguments.
static int call_original(lua_State *L)
{
    lua_pushvalue(L, lua_upvalueindex(1));
    lua_insert(L, 1);
    lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
    return lua_gettop(L);
}

static double decades(size_t length)
{
    return base_ln((double)length + 1.0) / M_LN10;
}

/// log10 of the steps that a search may take, length^(repetitions + 1). A balanced pair %b and a
/// back reference %1 go through the text as a repetition does.
static double search_cost(const char *pattern, size_t pattern_length, size_t length)
{
    int repetitions = 0;
    for (size_t i = 0; i < pattern_length; i++) {
        bool last = i + 1 == pattern_length;
        if (pattern[i] == '%' && !last) {
            i++;
            repetitions += pattern[i] == 'b' || (pattern[i] >= '1' && pattern[i] <= '9');
        } else {
            repetitions += pattern[i] != '\0' && strchr("*+-?", pattern[i]) != NULL;
        }
    }
    return (repetitions + 1) * decades(length);
}

/// Refuses a search that could take too long. @return its cost in instructions
static double check_search(lua_State *L, bool plain)
{
    enum { COST_MOST = 9 };
    // most of the steps that a pattern may take are not taken, and each is short
    const double share = 0.01;
    size_t length = 0, pattern_length = 0;
    luaL_checklstring(L, 1, &length);
    const char *pattern = luaL_checklstring(L, 2, &pattern_length);
    double cost = plain ? decades(length) + decades(pattern_length)
                        : search_cost(pattern, pattern_length, length);
    if (cost > COST_MOST)
        scn_raise(L, "pattern \"%.40s\" is too costly for a text of %zu letters", pattern, length);
    return share * base_exp(M_LN10 * cost);
}

/// find, match, gsub.
static int guarded_search(lua_State *L)
{
    // as string.find decides: the fourth value, or no letter with a meaning
    size_t length = 0;
    const char *pattern = luaL_checklstring(L, 2, &length);
    bool plain = lua_toboolean(L, lua_upvalueindex(2)) &&
                 (lua_toboolean(L, 4) || strpbrk(pattern, "^$*+?.([%-") == NULL);
    charge(L, check_search(L, plain));
    return call_original(L);
}

/// The function that gmatch returned, upvalue 1, at its price, upvalue 2.
static int guarded_next_match(lua_State *L)
{
    charge(L, lua_tonumber(L, lua_upvalueindex(2)));
    return call_original(L);
}

static int guarded_gmatch(lua_State *L)
{
    double cost = check_search(L, false);
    call_original(L);
    lua_settop(L, 1);
    lua_pushnumber(L, cost);
    lua_pushcclosure(L, guarded_next_match, 2);
    return 1;
}

/// A text of no letters can be repeated for ever.
static int guarded_rep(lua_State *L)
{
    size_t length = 0, between = 0;
    luaL_checklstring(L, 1, &length);
    lua_Number count = luaL_checknumber(L, 2);
    luaL_optlstring(L, 3, "", &between);
    if (length + between > 0)
        return call_original(L);
    if (count > 1e9)
        scn_raise(L, "string.rep: more than 1e9 repetitions of an empty text");
    charge(L, fmax(count, 0.0));
    return call_original(L);
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

static int guarded_move(lua_State *L)
{
    lua_Number first = luaL_checknumber(L, 2), last = luaL_checknumber(L, 3);
    if (last - first > 1e8)
        scn_raise(L, "table.move: more than 1e8 elements");
    charge(L, fmax(last - first, 0.0));
    return call_original(L);
}

/// insert, remove, concat: they may go through the whole table.
static int guarded_list(lua_State *L)
{
    charge(L, lua_istable(L, 1) ? (double)lua_rawlen(L, 1) : 0.0);
    return call_original(L);
}

/// Without an order of its own the library compares long texts outside the reach of the hook:
/// upvalue 2 is the same order as a function of the program.
static int guarded_sort(lua_State *L)
{
    lua_settop(L, 2);
    if (lua_isnil(L, 2)) {
        lua_pushvalue(L, lua_upvalueindex(2));
        lua_replace(L, 2);
    }
    return call_original(L);
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

// ---------------------------------------------------------------- texts of values

// address is the key under which the registry has the numbers of what was shown, weak in its keys
static const char shown_key;

const char *scn_push_shown(lua_State *L, int index)
{
    int type = lua_type(L, index);
    index = lua_absindex(L, index);
    bool plain = type != LUA_TTABLE && type != LUA_TFUNCTION && type != LUA_TUSERDATA &&
                 type != LUA_TLIGHTUSERDATA && type != LUA_TTHREAD;
    if (plain || luaL_getmetafield(L, index, "__tostring") != LUA_TNIL) {
        lua_settop(L, plain ? lua_gettop(L) : lua_gettop(L) - 1);
        return luaL_tolstring(L, index, NULL);
    }
    luaL_checkstack(L, 8, NULL);
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &shown_key) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_createtable(L, 0, 1);
        lua_pushliteral(L, "k");
        lua_setfield(L, -2, "__mode");
        lua_setmetatable(L, -2);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &shown_key);
    }
    lua_pushvalue(L, index);
    if (lua_rawget(L, -2) != LUA_TNUMBER) {
        // how many there are is kept under 0, which is none of them
        lua_pop(L, 1);
        lua_rawgeti(L, -1, 0);
        lua_Integer number = lua_tointeger(L, -1) + 1;
        lua_pop(L, 1);
        lua_pushinteger(L, number);
        lua_rawseti(L, -2, 0);
        lua_pushvalue(L, index);
        lua_pushinteger(L, number);
        lua_rawset(L, -3);
        lua_pushinteger(L, number);
    }
    const char *kind = lua_typename(L, type);
    int named = luaL_getmetafield(L, index, "__name");
    if (named == LUA_TNIL)
        lua_pushnil(L);
    else if (named == LUA_TSTRING)
        kind = lua_tostring(L, -1);
    lua_pushfstring(L, "%s: %I", kind, (LUAI_UACINT)lua_tointeger(L, -2));
    lua_insert(L, -4);
    lua_pop(L, 3);
    return lua_tostring(L, -1);
}

static int call_tostring(lua_State *L)
{
    luaL_checkany(L, 1);
    scn_push_shown(L, 1);
    return 1;
}

/// string.format: %p has no meaning here, and %s shows values as tostring does.
static int guarded_format(lua_State *L)
{
    size_t length;
    const char *format = luaL_checklstring(L, 1, &length);
    for (size_t i = 0; i + 1 < length; i++) {
        if (format[i] != '%')
            continue;
        i += 1 + strspn(format + i + 1, "-+ #0123456789.");
        if (i < length && format[i] == 'p')
            scn_raise(L, "string.format: %%p shows an address, which a scene has not");
    }
    for (int k = 2; k <= lua_gettop(L); k++)
        if (lua_type(L, k) >= LUA_TTABLE || lua_islightuserdata(L, k)) {
            scn_push_shown(L, k);
            lua_replace(L, k);
        }
    return call_original(L);
}

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

/// Replaces a field of the table below the top by a guard that holds the original and the value on
/// top, which is popped.
static void guard_field(lua_State *L, const char *name, lua_CFunction guard)
{
    lua_getfield(L, -2, name);
    lua_insert(L, -2);
    lua_pushcclosure(L, guard, 2);
    lua_setfield(L, -2, name);
}

static void fill_base(lua_State *L)
{
    static const char *const names[] = {"assert",   "error",  "ipairs", "getmetatable",
                                        "rawequal", "rawget", "rawlen", "select",
                                        "tonumber", "type",   NULL};
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
    lua_pushcfunction(L, call_tostring);
    lua_setfield(L, -2, "tostring");
    lua_pushvalue(L, -1);
    lua_setfield(L, -2, "_G");
    lua_rawseti(L, LUA_REGISTRYINDEX, LUA_RIDX_GLOBALS);
}

static void fill_string(lua_State *L)
{
    static const char *const names[] = {"byte",    "char", "find",  "format", "gmatch",
                                        "gsub",    "len",  "lower", "match",  "rep",
                                        "reverse", "sub",  "upper", NULL};
    static const struct {
        const char *name;
        lua_CFunction guard;
        bool plain; // takes texts without patterns too
    } guards[] = {{"find", guarded_search, true},   {"gsub", guarded_search, false},
                  {"match", guarded_search, false}, {"gmatch", guarded_gmatch, false},
                  {"rep", guarded_rep, false},      {"format", guarded_format, false}};
    open_library(L, LUA_STRLIBNAME, luaopen_string);
    keep_fields(L, names);
    for (int i = 0; i < BASE_COUNT(guards); i++) {
        lua_pushboolean(L, guards[i].plain);
        guard_field(L, guards[i].name, guards[i].guard);
    }
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

// functions of the library whose last digits depend on the processor: a scene is the same on all

static int call_sin(lua_State *L)
{
    lua_pushnumber(L, base_sin(luaL_checknumber(L, 1)));
    return 1;
}

static int call_cos(lua_State *L)
{
    lua_pushnumber(L, base_cos(luaL_checknumber(L, 1)));
    return 1;
}

static int call_tan(lua_State *L)
{
    lua_pushnumber(L, base_tan(luaL_checknumber(L, 1)));
    return 1;
}

static int call_asin(lua_State *L)
{
    lua_pushnumber(L, base_asin(luaL_checknumber(L, 1)));
    return 1;
}

static int call_acos(lua_State *L)
{
    lua_pushnumber(L, base_acos(luaL_checknumber(L, 1)));
    return 1;
}

static int call_atan(lua_State *L)
{
    lua_pushnumber(L, base_atan2(luaL_checknumber(L, 1), luaL_optnumber(L, 2, 1.0)));
    return 1;
}

static int call_exp(lua_State *L)
{
    lua_pushnumber(L, base_exp(luaL_checknumber(L, 1)));
    return 1;
}

static int call_log(lua_State *L)
{
    double x = luaL_checknumber(L, 1), base = luaL_optnumber(L, 2, 0.0);
    bool plain = !(x > 0.0 && base > 0.0 && base != 1.0 && isfinite(x) && isfinite(base));
    double quotient = lua_isnoneornil(L, 2) ? base_ln(x) : base_ln(x) / base_ln(base);
    lua_pushnumber(L, plain ? quotient : base_log_to(x, base));
    return 1;
}

static void fill_math(lua_State *L)
{
    static const luaL_Reg functions[] = {
        {"sin", call_sin},   {"cos", call_cos},   {"tan", call_tan}, {"asin", call_asin},
        {"acos", call_acos}, {"atan", call_atan}, {"exp", call_exp}, {"log", call_log}};
    open_library(L, LUA_MATHLIBNAME, luaopen_math);
    for (int i = 0; i < BASE_COUNT(functions); i++) {
        lua_pushcfunction(L, functions[i].func);
        lua_setfield(L, -2, functions[i].name);
    }
    lua_getfield(L, -1, "randomseed");
    lua_rawsetp(L, LUA_REGISTRYINDEX, &seed_key);
    lua_pushnil(L);
    lua_setfield(L, -2, "randomseed");
    lua_setglobal(L, LUA_MATHLIBNAME);
}

static void fill_table(lua_State *L)
{
    static const struct {
        const char *name;
        lua_CFunction guard;
    } guards[] = {{"move", guarded_move},
                  {"insert", guarded_list},
                  {"remove", guarded_list},
                  {"concat", guarded_list}};
    static const char order[] = "return function(a, b) return a < b end";
    open_library(L, LUA_TABLIBNAME, luaopen_table);
    for (int i = 0; i < BASE_COUNT(guards); i++) {
        lua_pushnil(L);
        guard_field(L, guards[i].name, guards[i].guard);
    }
    luaL_loadbufferx(L, order, sizeof order - 1, "=sort", "t");
    lua_call(L, 0, 1);
    guard_field(L, "sort", guarded_sort);
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
