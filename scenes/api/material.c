// SPDX-License-Identifier: Apache-2.0
// Calls material and pair. Parameters of laws pass through to the engine by name.
#include "scenes/load/loader.h"

#include "base/assert.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

cairn_material_id scn_check_material(lua_State *L, const char *name)
{
    cairn_world *world = scn_loader_world(L);
    cairn_material_id material = cairn_material_find(world, name);
    if (material.generation != 0)
        return material;
    const char *names[1024];
    int count = cairn_material_count(world) < BASE_COUNT(names) ? cairn_material_count(world)
                                                                : BASE_COUNT(names);
    for (int i = 0; i < count; i++)
        names[i] = cairn_material_get_name(world, cairn_material_at(world, i));
    scn_raise_unknown(L, "material", name, names, count);
}

static void read_properties(const scn_fields *fields, cairn_material_id material)
{
    static const char *const names[] = {"density", "young_modulus", "poisson_ratio"};
    static const char *const units[] = {"kg/m3", "Pa", ""};
    if (scn_fields_has(fields, names[2]) && !scn_fields_has(fields, names[1]))
        scn_raise(
            fields->L,
            "material: poisson_ratio is given beside young_modulus (Pa): give young_modulus, too");
    for (int i = 0; i < BASE_COUNT(names); i++) {
        if (!scn_fields_has(fields, names[i]))
            continue;
        double value = scn_fields_number(fields, names[i], 0.0, scn_range_any(units[i]));
        cairn_error error = {0};
        scn_fields_pass(fields,
                        cairn_material_set_value(scn_loader_world(fields->L), material, names[i],
                                                 value, &error),
                        &error);
    }
}

int scn_call_material(lua_State *L)
{
    static const char *const names[] = {"name",          "density", "young_modulus",
                                        "poisson_ratio", "colour",  NULL};
    scn_fields fields = scn_fields_begin(L, "material");
    scn_fields_check(&fields, names, 0);
    scn_fields_require(&fields, "name");
    const char *name = scn_fields_text(&fields, "name", NULL);
    cairn_world *world = scn_loader_world(L);
    cairn_material_id material;
    cairn_error error = {0};
    scn_fields_pass(&fields, cairn_material_create(world, name, &material, &error), &error);
    read_properties(&fields, material);
    scn_colour colour = scn_read_colour(&fields);
    scn_paint_material(&fields, material, &colour);
    return 0;
}

void scn_read_pair(const scn_fields *fields, cairn_material_id ids[2])
{
    lua_State *L = fields->L;
    int given = 0;
    for (int i = 0; i < 2; i++) {
        int type = lua_rawgeti(L, fields->table, i + 1);
        if (type != LUA_TNIL && type != LUA_TSTRING)
            scn_raise(L, "pair: a material is given by its name, not by %s", luaL_typename(L, -1));
        if (type == LUA_TSTRING) {
            ids[i] = scn_check_material(L, lua_tostring(L, -1));
            given++;
        }
        lua_pop(L, 1);
    }
    if (given == 1)
        scn_raise(L, "pair wants two materials, pair{ \"a\", \"b\", ... }, or none for all others");
}

typedef struct pair_call {
    cairn_material_id ids[2];
    const char *law;   // in force
    int written_index; // law that the scene means, among the laws of the world
    bool replaced;     // by the command line's law
} pair_call;

/// Law that the scene names, or the one that it means for the default pair.
static void choose_law(const scn_fields *fields, cairn_world *world, pair_call *pair)
{
    scn_loader *loader = scn_loader_of(fields->L);
    const char *instead = loader->options->law;
    const char *written = scn_fields_text(fields, "law", NULL);
    cairn_error error = {0};
    cairn_plugin_info info;
    // laws that the program has registered with the world count too
    if (written != NULL && cairn_world_find_law(world, written) < 0)
        scn_fields_pass(fields, scn_check_plugin(CAIRN_LAW, written, &error), &error);
    else if (written == NULL)
        written = loader->default_law;
    pair->written_index = cairn_world_find_law(world, written);
    if (pair->ids[0].generation == 0 &&
        cairn_world_get_law(world, pair->written_index, &info) == CAIRN_OK)
        loader->default_law = info.name;
    pair->law = instead != NULL ? instead : written;
    pair->replaced = strcmp(pair->law, written) != 0;
    scn_fields_pass(
        fields, cairn_pair_set_law(world, pair->ids[0], pair->ids[1], pair->law, &error), &error);
}

static bool has_setting(const cairn_world *world, int law, const char *key)
{
    cairn_setting_info info;
    for (int i = 0; cairn_world_get_law_setting(world, law, i, &info) == CAIRN_OK; i++)
        if (strcmp(info.name, key) == 0)
            return true;
    return false;
}

/// Another law from the command line need not know the scene's parameters.
static bool is_skipped(const scn_fields *fields, const pair_call *pair, const char *key)
{
    const cairn_world *world = scn_loader_world(fields->L);
    int now = cairn_world_find_law(world, pair->law);
    if (!pair->replaced || has_setting(world, now, key) ||
        !has_setting(world, pair->written_index, key))
        return false;
    scn_loader_log(scn_loader_of(fields->L), CAIRN_INFO, "law %s has no parameter %s: left out",
                   pair->law, key);
    return true;
}

int scn_call_pair(lua_State *L)
{
    scn_fields fields = scn_fields_begin(L, "pair");
    cairn_world *world = scn_loader_world(L);
    pair_call pair = {0};
    scn_read_pair(&fields, pair.ids);
    choose_law(&fields, world, &pair);
    lua_pushnil(L);
    while (lua_next(L, fields.table) != 0) {
        bool named = lua_type(L, -2) == LUA_TSTRING;
        const char *key = named ? lua_tostring(L, -2) : "";
        if (!named &&
            (!lua_isinteger(L, -2) || lua_tointeger(L, -2) < 1 || lua_tointeger(L, -2) > 2))
            scn_raise(L, "pair: unexpected value without a name");
        if (!named || strcmp(key, "law") == 0 || is_skipped(&fields, &pair, key)) {
            lua_pop(L, 1);
            continue;
        }
        cairn_value value = scn_fields_pop_value(&fields, key);
        cairn_error error = {0};
        scn_fields_pass(&fields,
                        cairn_pair_set_value(world, pair.ids[0], pair.ids[1], key, value, &error),
                        &error);
    }
    return 0;
}
