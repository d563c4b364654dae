// SPDX-License-Identifier: Apache-2.0
// Call cell: space that closes in itself, and its strain.
#include "scenes/load/loader.h"

#include <lauxlib.h>
#include <string.h>

/// rate = { xy = 0.5, zz = -0.1 }: components of the velocity gradient, 1/s.
static void read_rate(const scn_fields *fields, double rate[9])
{
    static const char *const names[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz", NULL};
    lua_State *L = fields->L;
    if (lua_getfield(L, fields->table, "rate") != LUA_TNIL) {
        if (!lua_istable(L, -1))
            scn_raise(L, "cell: rate is a table of components, rate = { xy = 0.5 }, not %s",
                      luaL_typename(L, -1));
        scn_fields part = scn_fields_at(L, lua_gettop(L), "cell: rate");
        scn_fields_check(&part, names, 0);
        for (int i = 0; i < 9; i++)
            rate[i] = scn_fields_number(&part, names[i], 0.0, scn_range_any("1/s"));
    }
    lua_pop(L, 1);
}

int scn_call_cell(lua_State *L)
{
    static const char *const names[] = {"periodic", "low", "size", "rate", NULL};
    scn_fields fields = scn_fields_begin(L, "cell");
    scn_fields_check(&fields, names, 0);
    scn_fields_require(&fields, "size");
    cairn_cell_def def = cairn_default_cell_def();
    const char *periodic = scn_fields_text(&fields, "periodic", "xyz");
    for (const char *at = periodic; *at != '\0'; at++) {
        int k = *at == 'x' ? 0 : *at == 'y' ? 1 : 2;
        if (strchr("xyz", *at) == NULL || def.periodic[k])
            scn_raise(L,
                      "cell: periodic names directions, each once: \"x\", \"xy\", \"xyz\", not "
                      "\"%.20s\"",
                      periodic);
        def.periodic[k] = true;
    }
    scn_fields_vector(&fields, "low", def.low, 3, scn_range_any("m"));
    scn_fields_vector(&fields, "size", def.size, 3, scn_range_positive("m"));
    read_rate(&fields, def.rate);
    cairn_error error = {0};
    cairn_world *world = scn_loader_world(L);
    cairn_cell_view before;
    scn_fields_pass(&fields, cairn_world_get_cell(world, &before), &error);
    if (before.periodic[0] || before.periodic[1] || before.periodic[2])
        scn_raise(L, "cell: this scene has a cell already; it has one at most");
    scn_fields_pass(&fields, cairn_world_set_cell(world, &def, &error), &error);
    return 0;
}
