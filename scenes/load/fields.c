// SPDX-License-Identifier: Apache-2.0
// Checked reading of tables, with messages that name key, value, range and a similar name.
#include "scenes/load/fields.h"

#include "base/assert.h"
#include "base/elementary.h"
#include "base/settings.h"
#include "scenes/load/sandbox.h"

#include <float.h>
#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

scn_range scn_range_any(const char *unit)
{
    return (scn_range){-DBL_MAX, DBL_MAX, false, unit};
}

scn_range scn_range_positive(const char *unit)
{
    return (scn_range){0.0, DBL_MAX, true, unit};
}

scn_range scn_range_not_negative(const char *unit)
{
    return (scn_range){0.0, DBL_MAX, false, unit};
}

void scn_raise_unknown(lua_State *L, const char *what, const char *word, const char *const *names,
                       int count)
{
    scn_raise(L, "unknown %s \"%.80s\"%s", what, word, base_choices_for(word, names, count).text);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void scn_raise_unknown_key(lua_State *L, const char *what, const char *word)
{
    const char *names[1024];
    int count = 0;
    lua_pushnil(L);
    while (count < BASE_COUNT(names) && lua_next(L, -2) != 0) {
        names[count++] = lua_tostring(L, -2);
        lua_pop(L, 1);
    }
    if (count > 0)
        qsort(names, (size_t)count, sizeof *names, compare_names);
    scn_raise_unknown(L, what, word, names, count);
}

scn_fields scn_fields_begin(lua_State *L, const char *call)
{
    if (!lua_istable(L, 1))
        scn_raise(L, "%s wants a table, %s{ ... }, not %s", call, call, luaL_typename(L, 1));
    if (lua_gettop(L) > 1)
        scn_raise(L, "%s takes one table and nothing else", call);
    return scn_fields_at(L, 1, call);
}

scn_fields scn_fields_at(lua_State *L, int table, const char *call)
{
    luaL_checkstack(L, 16, "too many values");
    return (scn_fields){L, lua_absindex(L, table), call};
}

static int count_names(const char *const *names)
{
    int count = 0;
    while (names[count] != NULL)
        count++;
    return count;
}

static bool is_listed(const char *key, const char *const *names)
{
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(key, names[i]) == 0)
            return true;
    return false;
}

/// sphere{0.1}: says how the value is given.
static void raise_nameless(const scn_fields *fields, const char *const *names)
{
    char keys[256] = "";
    size_t used = 0;
    for (int i = 0; names[i] != NULL && used < sizeof keys - 1; i++) {
        int more = snprintf(keys + used, sizeof keys - used, "%s%s", i > 0 ? ", " : "", names[i]);
        used += more > 0 ? (size_t)more : 0;
    }
    scn_raise(fields->L,
              "%s: unexpected value without a name at place 1; write %s{ %s = ... } (keys: %s)",
              fields->call, fields->call, names[0], keys);
}

/// What other programs call a key, and what to write here.
static const struct {
    const char *word, *key, *text;
} elsewhere[] = {
    {"fixed", "kind", "kind = \"fixed\""},
    {"static", "kind", "kind = \"fixed\""},
    {"type", "kind", "kind = ..."},
    {"kinematic", "kind", "kind = \"moving\""},
    {"anchor", "at", "at = {x, y, z}"},
    {"body_a", "bodies", "bodies = {a, b}"},
    {"target", "position", "position = ..."},
    {"limits", "range", "range = {lowest, highest}"},
    {"dt", "step", "step = ..."},
    {"time_step", "step", "step = ..."},
    {"timestep", "step", "step = ..."},
    {"duration", "end_time", "end_time = ..."},
    {"t_end", "end_time", "end_time = ..."},
    {"T", "end_time", "end_time = ..."},
    {"mu", "friction", "friction = ..."},
    {"e", "restitution", "restitution = ..."},
    {"rho", "density", "density = ..."},
    {"E", "young_modulus", "young_modulus = ..."},
    {"nu", "poisson_ratio", "poisson_ratio = ..."},
    {"kn", "normal_stiffness", "normal_stiffness = ..."},
    {"pos", "position", "position = {x, y, z}"},
    {"center", "position", "position = {x, y, z}"},
    {"centre", "position", "position = {x, y, z}"},
    {"omega", "angular_velocity", "angular_velocity = {x, y, z}"},
    {"spin", "angular_velocity", "angular_velocity = {x, y, z}"},
    {"quaternion", "orientation", "orientation = {w, x, y, z}"},
    {"half_size", "size", "size = {x, y, z}, whole edges"},
    {"half_extents", "size", "size = {x, y, z}, whole edges"},
};

/// The hint of an unknown key: what it is called here, or what resembles it.
static void raise_unknown(const scn_fields *fields, const char *key, const char *const *names)
{
    for (int i = 0; i < BASE_COUNT(elsewhere); i++)
        if (strcmp(key, elsewhere[i].word) == 0 && is_listed(elsewhere[i].key, names))
            scn_raise(fields->L, "%s: unknown key \"%s\" (write %s)", fields->call, key,
                      elsewhere[i].text);
    scn_raise(fields->L, "%s: unknown key \"%.80s\"%s", fields->call, key,
              base_choices_for(key, names, count_names(names)).text);
}

static void check_key(const scn_fields *fields, const char *const *names, int positions)
{
    lua_State *L = fields->L;
    if (lua_type(L, -2) == LUA_TSTRING) {
        const char *key = lua_tostring(L, -2);
        if (!is_listed(key, names))
            raise_unknown(fields, key, names);
        return;
    }
    if (!lua_isinteger(L, -2))
        scn_raise(L, "%s: a key must be a name, not %s", fields->call, luaL_typename(L, -2));
    lua_Integer place = lua_tointeger(L, -2);
    if (positions == 0 && place == 1)
        raise_nameless(fields, names);
    if (place < 1 || place > positions)
        scn_raise(L, "%s: unexpected value without a name at place %lld", fields->call,
                  (long long)place);
}

void scn_fields_check(const scn_fields *fields, const char *const *names, int positions)
{
    lua_State *L = fields->L;
    lua_pushnil(L);
    while (lua_next(L, fields->table) != 0) {
        check_key(fields, names, positions);
        lua_pop(L, 1);
    }
}

static int push(const scn_fields *fields, const char *key)
{
    lua_pushstring(fields->L, key);
    return lua_rawget(fields->L, fields->table);
}

bool scn_fields_has(const scn_fields *fields, const char *key)
{
    bool has = push(fields, key) != LUA_TNIL;
    lua_pop(fields->L, 1);
    return has;
}

void scn_fields_require(const scn_fields *fields, const char *key)
{
    if (!scn_fields_has(fields, key))
        scn_raise(fields->L, "%s: \"%s\" is missing", fields->call, key);
}

static _Noreturn void raise_type(const scn_fields *fields, const char *key, const char *expected)
{
    scn_raise(fields->L, "%s must be %s, not %s", key, expected, luaL_typename(fields->L, -1));
}

double scn_fields_pop_number(const scn_fields *fields, const char *key, scn_range range)
{
    lua_State *L = fields->L;
    if (lua_type(L, -1) != LUA_TNUMBER)
        raise_type(fields, key, "a number");
    double x = lua_tonumber(L, -1);
    if (!isfinite(x))
        scn_raise(L, "%s = %s must be a finite number", key,
                  isnan(x)  ? "NaN"
                  : x > 0.0 ? "infinity"
                            : "-infinity");
    if (x < range.minimum || x > range.maximum || (range.open && x == range.minimum)) {
        const char *gap = range.unit[0] != '\0' ? " " : "";
        if (range.maximum >= DBL_MAX)
            scn_raise(fields->L, "%s = %g is out of range: %s %g%s%s", key, x,
                      range.open ? "greater than" : "at least", range.minimum, gap, range.unit);
        scn_raise(fields->L, "%s = %g is out of range: %s%g to %g%s%s", key, x,
                  range.open ? "above " : "", range.minimum, range.maximum, gap, range.unit);
    }
    lua_pop(L, 1);
    return x;
}

double scn_fields_number(const scn_fields *fields, const char *key, double fallback,
                         scn_range range)
{
    if (push(fields, key) == LUA_TNIL) {
        lua_pop(fields->L, 1);
        return fallback;
    }
    return scn_fields_pop_number(fields, key, range);
}

int64_t scn_fields_integer(const scn_fields *fields, const char *key, int64_t fallback,
                           int64_t minimum, int64_t maximum)
{
    if (!scn_fields_has(fields, key))
        return fallback;
    scn_range range = {(double)minimum, (double)maximum, false, ""};
    double x = scn_fields_number(fields, key, 0.0, range);
    if (x != floor(x))
        scn_raise(fields->L, "%s = %g must be a whole number", key, x);
    return (int64_t)x;
}

bool scn_fields_boolean(const scn_fields *fields, const char *key, bool fallback)
{
    int type = push(fields, key);
    if (type != LUA_TNIL && type != LUA_TBOOLEAN)
        raise_type(fields, key, "true or false");
    bool value = type == LUA_TNIL ? fallback : lua_toboolean(fields->L, -1);
    lua_pop(fields->L, 1);
    return value;
}

const char *scn_fields_text(const scn_fields *fields, const char *key, const char *fallback)
{
    int type = push(fields, key);
    if (type != LUA_TNIL && type != LUA_TSTRING)
        raise_type(fields, key, "a text");
    if (type == LUA_TSTRING && lua_rawlen(fields->L, -1) > SCN_TEXT_MOST)
        scn_raise(fields->L, "%s is longer than %d letters", key, SCN_TEXT_MOST);
    const char *value = type == LUA_TNIL ? fallback : lua_tostring(fields->L, -1);
    if (type == LUA_TSTRING && strlen(value) < lua_rawlen(fields->L, -1))
        scn_raise(fields->L, "%s = \"%.80s\" has a zero byte behind it", key, value);
    lua_pop(fields->L, 1);
    return value;
}

int scn_fields_choice(const scn_fields *fields, const char *key, int fallback,
                      const char *const *words)
{
    const char *word = scn_fields_text(fields, key, NULL);
    if (word == NULL)
        return fallback;
    char list[256] = "";
    for (int i = 0; words[i] != NULL; i++) {
        if (strcmp(word, words[i]) == 0)
            return i;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s\"%s\"", i > 0 ? ", " : "", words[i]);
    }
    scn_raise(fields->L, "%s = \"%.80s\" is not one of %s", key, word, list);
}

bool scn_fields_vector(const scn_fields *fields, const char *key, double *out, int count,
                       scn_range range)
{
    lua_State *L = fields->L;
    int type = push(fields, key);
    if (type == LUA_TNIL) {
        lua_pop(L, 1);
        return false;
    }
    if (type != LUA_TTABLE || (int)lua_rawlen(L, -1) != count)
        scn_raise(L, "%s must be a list of %d numbers", key, count);
    for (int i = 0; i < count; i++) {
        char place[64];
        snprintf(place, sizeof place, "%s[%d]", key, i + 1);
        lua_rawgeti(L, -1, i + 1);
        out[i] = scn_fields_pop_number(fields, place, range);
    }
    lua_pop(L, 1);
    return true;
}

static void read_rotation(const scn_fields *fields, double out[4])
{
    static const char *const names[] = {"axis", "angle", NULL};
    lua_State *L = fields->L;
    if (push(fields, "rotation") != LUA_TTABLE)
        raise_type(fields, "rotation", "a table { axis = {x, y, z}, angle = degrees }");
    scn_fields rotation = scn_fields_at(L, -1, "rotation");
    scn_fields_check(&rotation, names, 0);
    scn_fields_require(&rotation, "axis");
    scn_fields_require(&rotation, "angle");
    double axis[3] = {0.0, 0.0, 0.0};
    scn_fields_vector(&rotation, "axis", axis, 3, scn_range_any(""));
    double angle = scn_fields_number(&rotation, "angle", 0.0, scn_range_any("degrees"));
    double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (!(length > 0.0) || !isfinite(length))
        scn_raise(L, "rotation: axis must not be zero");
    double half = angle * (M_PI / 360.0), s = base_sin(half) / length;
    out[0] = base_cos(half);
    for (int i = 0; i < 3; i++)
        out[i + 1] = s * axis[i];
    lua_pop(L, 1);
}

void scn_fields_orientation(const scn_fields *fields, double out[4])
{
    out[0] = 1.0;
    out[1] = out[2] = out[3] = 0.0;
    bool quaternion = scn_fields_has(fields, "orientation");
    if (scn_fields_has(fields, "rotation")) {
        if (quaternion)
            scn_raise(fields->L, "%s: give orientation or rotation, not both", fields->call);
        read_rotation(fields, out);
        return;
    }
    if (!quaternion)
        return;
    scn_fields_vector(fields, "orientation", out, 4, scn_range_any(""));
    double norm = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
    if (!(norm > 1e-100) || !isfinite(norm))
        scn_raise(fields->L, "orientation must not be zero");
    for (int i = 0; i < 4; i++)
        out[i] /= norm;
}

cairn_value scn_fields_pop_value(const scn_fields *fields, const char *key)
{
    lua_State *L = fields->L;
    cairn_value value = {CAIRN_NUMBER, 0.0, false, NULL};
    switch (lua_type(L, -1)) {
    case LUA_TNUMBER:
        value.number = scn_fields_pop_number(fields, key, scn_range_any(""));
        return value;
    case LUA_TBOOLEAN:
        value.type = CAIRN_BOOLEAN;
        value.boolean = lua_toboolean(L, -1);
        break;
    case LUA_TSTRING:
        value = cairn_text(lua_tostring(L, -1));
        break;
    default:
        raise_type(fields, key, "a number, true or false, or a text");
    }
    lua_pop(L, 1);
    return value;
}

void scn_fields_pass(const scn_fields *fields, cairn_status status, const cairn_error *error)
{
    if (status == CAIRN_OK)
        return;
    scn_raise(fields->L, "%s",
              error->message[0] != '\0' ? error->message : cairn_status_text(status));
}
