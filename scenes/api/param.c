// SPDX-License-Identifier: Apache-2.0
// param(name, default, help, {min=, max=, choices=}): what the command line may change.
#include "scenes/load/loader.h"

#include <float.h>
#include <lauxlib.h>
#include <math.h>
#include <string.h>

static const char *const type_names[] = {"a number", "true or false", "a text"};

static scn_parameter *find(const scn_scene *scene, const char *name)
{
    for (int i = 0; i < scene->parameter_count; i++)
        if (strcmp(scene->parameters[i].name, name) == 0)
            return &scene->parameters[i];
    return NULL;
}

static bool is_name(const char *word)
{
    size_t length = strlen(word);
    return length > 0 && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789_") == length;
}

/// Last of that name on the command line; NULL: none.
static const char *override_of(const scn_options *options, const char *name)
{
    const char *value = NULL;
    for (int i = 0; i < options->parameter_count; i++)
        if (strcmp(options->parameters[i].name, name) == 0)
            value = options->parameters[i].value;
    return value;
}

static cairn_value read_default(lua_State *L, const char *name)
{
    switch (lua_type(L, 2)) {
    case LUA_TNUMBER:
        if (!isfinite(lua_tonumber(L, 2)))
            scn_raise(L, "param \"%s\": the default must be a finite number", name);
        return cairn_number(lua_tonumber(L, 2));
    case LUA_TBOOLEAN:
        return (cairn_value){CAIRN_BOOLEAN, 0.0, lua_toboolean(L, 2), NULL};
    case LUA_TSTRING:
        return cairn_text(lua_tostring(L, 2));
    default:
        scn_raise(L, "param \"%s\": the default must be a number, true or false, or a text, not %s",
                  name, luaL_typename(L, 2));
    }
}

/// A text parameter takes any word; the others must look like their default.
static cairn_value read_override(lua_State *L, const scn_parameter *parameter, const char *word)
{
    cairn_value value = scn_value_of_word(word);
    cairn_value_type type = parameter->initial.type;
    if (type == CAIRN_TEXT)
        return cairn_text(word);
    if (value.type != type)
        scn_raise(L, "parameter %s = \"%.80s\" must be %s, as its default is", parameter->name,
                  word, type_names[type]);
    return value;
}

static void check_choices(lua_State *L, const scn_parameter *parameter)
{
    if (lua_type(L, 4) != LUA_TTABLE || lua_getfield(L, 4, "choices") != LUA_TTABLE)
        return;
    const char *words[32];
    int count = 0;
    for (int i = 1; count < 32 && lua_rawgeti(L, -1, i) == LUA_TSTRING; i++) {
        // the text stays: the choices table holds it
        words[count] = lua_tostring(L, -1);
        lua_pop(L, 1);
        if (strcmp(words[count++], parameter->value.text) == 0)
            return;
    }
    scn_raise_unknown(L, "value", parameter->value.text, words, count);
}

static void check_value(lua_State *L, const scn_parameter *parameter)
{
    if (parameter->initial.type == CAIRN_TEXT)
        check_choices(L, parameter);
    if (parameter->initial.type != CAIRN_NUMBER)
        return;
    double x = parameter->value.number;
    if (parameter->whole && x != floor(x))
        scn_raise(L, "parameter %s = %g must be a whole number", parameter->name, x);
    if (x >= parameter->minimum && x <= parameter->maximum)
        return;
    if (parameter->maximum >= DBL_MAX)
        scn_raise(L, "parameter %s = %g is out of range: at least %g", parameter->name, x,
                  parameter->minimum);
    if (parameter->minimum <= -DBL_MAX)
        scn_raise(L, "parameter %s = %g is out of range: at most %g", parameter->name, x,
                  parameter->maximum);
    scn_raise(L, "parameter %s = %g is out of range: %g to %g", parameter->name, x,
              parameter->minimum, parameter->maximum);
}

static void read_limits(lua_State *L, scn_parameter *parameter)
{
    static const char *const names[] = {"min", "max", "choices", "integer", NULL};
    parameter->minimum = -DBL_MAX;
    parameter->maximum = DBL_MAX;
    if (lua_isnoneornil(L, 4))
        return;
    if (!lua_istable(L, 4))
        scn_raise(L, "param \"%s\": the fourth value must be a table { min = , max = }",
                  parameter->name);
    scn_fields fields = scn_fields_at(L, 4, "param");
    scn_fields_check(&fields, names, 0);
    parameter->minimum = scn_fields_number(&fields, "min", -DBL_MAX, scn_range_any(""));
    parameter->maximum = scn_fields_number(&fields, "max", DBL_MAX, scn_range_any(""));
    parameter->whole = scn_fields_boolean(&fields, "integer", false);
    if (parameter->whole && parameter->initial.type != CAIRN_NUMBER)
        scn_raise(L, "param \"%s\": integer goes with a number", parameter->name);
}

static void copy_text(lua_State *L, cairn_value *value)
{
    if (value->type != CAIRN_TEXT)
        return;
    value->text = base_copy_text(&scn_loader_of(L)->scene->allocator, value->text);
    if (value->text == NULL)
        scn_raise(L, "out of memory");
}

/// Adds a parameter whose texts the scene owns, with the default as its value.
static scn_parameter *add(lua_State *L, const char *name, const char *help)
{
    scn_scene *scene = scn_loader_of(L)->scene;
    cairn_value initial = read_default(L, name);
    if (base_array_reserve(&scene->allocator, &scene->parameters, &scene->parameter_capacity,
                           scene->parameter_count + 1) != CAIRN_OK)
        scn_raise(L, "out of memory");
    scn_parameter *parameter = &scene->parameters[scene->parameter_count++];
    *parameter = (scn_parameter){0};
    parameter->name = base_copy_text(&scene->allocator, name);
    parameter->help = base_copy_text(&scene->allocator, help);
    if (parameter->name == NULL || parameter->help == NULL)
        scn_raise(L, "out of memory");
    copy_text(L, &initial);
    parameter->initial = initial;
    parameter->value = initial;
    copy_text(L, &parameter->value);
    return parameter;
}

static void apply_override(lua_State *L, scn_parameter *parameter)
{
    scn_loader *loader = scn_loader_of(L);
    const char *word = override_of(loader->options, parameter->name);
    if (word == NULL)
        return;
    // what is wrong from here on is the command line's mistake
    loader->failure = CAIRN_ERROR_ARGUMENT;
    cairn_value value = read_override(L, parameter, word);
    copy_text(L, &value);
    base_release(&loader->scene->allocator, (char *)parameter->value.text);
    parameter->value = value;
    check_value(L, parameter);
    loader->failure = CAIRN_ERROR_SCENE;
}

/// Whether a number is one of Lua's integers; those of a whole default stay such, so that names
/// made of them have no ".0".
static bool is_whole(double x)
{
    return x == floor(x) && fabs(x) < 0x1p53;
}

/// The value goes to the program; the default is at place 2 of the stack.
static int push_value(lua_State *L, const scn_parameter *parameter)
{
    if (parameter->value.type == CAIRN_TEXT)
        lua_pushstring(L, parameter->value.text);
    else if (parameter->value.type == CAIRN_BOOLEAN)
        lua_pushboolean(L, parameter->value.boolean);
    else if (parameter->whole || (lua_isinteger(L, 2) && is_whole(parameter->value.number)))
        lua_pushinteger(L, (lua_Integer)parameter->value.number);
    else
        lua_pushnumber(L, parameter->value.number);
    return 1;
}

int scn_call_param(lua_State *L)
{
    if (lua_type(L, 1) != LUA_TSTRING || lua_gettop(L) < 2 || lua_gettop(L) > 4)
        scn_raise(L, "param wants param(\"name\", default, \"help\", { min = , max = })");
    const char *name = lua_tostring(L, 1);
    if (!is_name(name))
        scn_raise(L, "param \"%.40s\": a name has letters, digits and _ only", name);
    if (find(scn_loader_of(L)->scene, name) != NULL)
        scn_raise(L, "param \"%s\" is declared twice", name);
    if (!lua_isnoneornil(L, 3) && lua_type(L, 3) != LUA_TSTRING)
        scn_raise(L, "param \"%s\": the help must be a text", name);
    scn_parameter *parameter = add(L, name, lua_isnoneornil(L, 3) ? "" : lua_tostring(L, 3));
    read_limits(L, parameter);
    check_value(L, parameter);
    apply_override(L, parameter);
    return push_value(L, parameter);
}
