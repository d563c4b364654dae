// SPDX-License-Identifier: Apache-2.0
// Calls body and ground.
#include "scenes/load/loader.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

// address is the key under which the registry keeps name -> place in the world
static const char names_key;

static void push_names(lua_State *L)
{
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &names_key) == LUA_TTABLE)
        return;
    lua_pop(L, 1);
    lua_newtable(L);
    lua_pushvalue(L, -1);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &names_key);
}

/// The body that "#12" means, twelve bodies behind the first; a null id for other words.
static cairn_body_id body_of_place(const cairn_world *world, const char *word)
{
    char *end = NULL;
    unsigned long place = word[0] == '#' ? strtoul(word + 1, &end, 10) : 0;
    if (end == NULL || end == word + 1 || *end != '\0' ||
        place >= (unsigned long)cairn_body_count(world))
        return (cairn_body_id){0};
    return cairn_body_at(world, (int)place);
}

cairn_body_id scn_check_body(lua_State *L, const char *name)
{
    const cairn_world *world = scn_loader_world(L);
    push_names(L);
    if (lua_getfield(L, -1, name) == LUA_TNUMBER) {
        int place = (int)lua_tointeger(L, -1);
        lua_pop(L, 2);
        // a removed body has left its place to the last one
        cairn_body_view view;
        cairn_body_id body = cairn_body_at(world, place);
        bool same = cairn_body_get(world, body, &view) == CAIRN_OK && strcmp(view.name, name) == 0;
        body = same ? body : cairn_body_find(world, name);
        if (body.generation != 0)
            return body;
        push_names(L);
        lua_pushnil(L);
    }
    lua_pop(L, 1);
    cairn_body_id body = body_of_place(world, name);
    if (body.generation != 0) {
        lua_pop(L, 1);
        return body;
    }
    scn_raise_unknown_key(L, "body", name);
}

cairn_body_id scn_body_add(const scn_fields *fields, const cairn_body_def *def)
{
    lua_State *L = fields->L;
    cairn_world *world = scn_loader_world(L);
    int limit = scn_loader_of(L)->options->body_limit;
    if (cairn_body_count(world) >= limit)
        scn_raise(L, "scene makes more than %d bodies (endless loop?)", limit);
    if (def->name != NULL) {
        const char *name = def->name;
        push_names(L);
        if (lua_getfield(L, -1, name) != LUA_TNIL && cairn_body_find(world, name).generation != 0)
            scn_raise(L, "a body named \"%.80s\" exists already", name);
        lua_pop(L, 2);
    }
    cairn_body_id body;
    cairn_error error = {0};
    scn_fields_pass(fields, cairn_body_create(world, def, &body, &error), &error);
    if (def->name != NULL) {
        push_names(L);
        lua_pushinteger(L, cairn_body_count(world) - 1);
        lua_setfield(L, -2, def->name);
        lua_pop(L, 1);
    }
    return body;
}

/// Collision groups and mask, 32 bits each.
static void set_collision(const scn_fields *fields, cairn_body_id body)
{
    cairn_error error = {0};
    cairn_collision collision = {
        .groups = (uint32_t)scn_fields_integer(fields, "groups", 1, 0, UINT32_MAX),
        .mask = (uint32_t)scn_fields_integer(fields, "mask", UINT32_MAX, 0, UINT32_MAX),
    };
    scn_fields_pass(fields,
                    cairn_body_set_collision(scn_loader_world(fields->L), body, collision, &error),
                    &error);
}

/// Three principal moments, or six numbers: xx, yy, zz, xy, xz, yz in axes of the shape's frame.
/// @param products  where the last three go, which the definition borrows
static bool read_inertia(const scn_fields *fields, cairn_body_def *def, double products[3])
{
    lua_State *L = fields->L;
    double six[6];
    int type = lua_getfield(L, fields->table, "inertia");
    bool tensor = type == LUA_TTABLE && lua_rawlen(L, -1) == 6;
    lua_pop(L, 1);
    if (!tensor)
        return scn_fields_vector(fields, "inertia", def->inertia, 3, scn_range_positive("kg m2"));
    scn_fields_vector(fields, "inertia", six, 6, scn_range_any("kg m2"));
    memcpy(def->inertia, six, sizeof def->inertia);
    memcpy(products, six + 3, 3 * sizeof *products);
    def->products = products;
    return true;
}

int scn_call_body(lua_State *L)
{
    static const char *const names[] = {
        "name",     "kind", "shape",   "material", "position", "orientation",
        "rotation", "mass", "density", "inertia",  "velocity", "angular_velocity",
        "groups",   "mask", "colour",  "centre",   NULL};
    static const char *const kinds[] = {"dynamic", "fixed", "moving", NULL};
    scn_fields fields = scn_fields_begin(L, "body");
    scn_fields_check(&fields, names, 0);
    scn_fields_require(&fields, "shape");
    cairn_body_def def = cairn_default_body_def();
    def.kind = (cairn_body_kind)scn_fields_choice(&fields, "kind", CAIRN_DYNAMIC, kinds);
    lua_getfield(L, 1, "shape");
    def.shape = scn_check_shape(L, -1, "shape");

    cairn_shape_kind shape = scn_shape_kind_of(L, -1);
    if (def.kind == CAIRN_DYNAMIC && shape == CAIRN_HALFSPACE)
        scn_raise(fields.L, "body: a plane has no mass: kind must be \"fixed\" or \"moving\"");

    const char *material = scn_fields_text(&fields, "material", NULL);
    if (material != NULL)
        def.material = scn_check_material(L, material);
    scn_fields_vector(&fields, "position", def.position, 3, scn_range_any("m"));
    scn_fields_orientation(&fields, def.orientation);

    // read motion
    scn_fields_vector(&fields, "velocity", def.velocity, 3, scn_range_any("m/s"));
    scn_fields_vector(&fields, "angular_velocity", def.angular_velocity, 3, scn_range_any("rad/s"));
    for (int k = 0; k < 3 && def.kind == CAIRN_FIXED; k++)
        if (def.velocity[k] != 0.0 || def.angular_velocity[k] != 0.0)
            scn_raise(fields.L, "body: a fixed body has no velocity; write kind = \"moving\" for a "
                                "body that moves at one");

    // read mass
    bool has_mass = scn_fields_has(&fields, "mass");
    if (has_mass && scn_fields_has(&fields, "density"))
        scn_raise(fields.L, "body: give mass or density, not both");
    def.mass = scn_fields_number(&fields, "mass", 0.0, scn_range_positive("kg"));
    def.density = scn_fields_number(&fields, "density", 0.0, scn_range_positive("kg/m3"));
    double centre[3], products[3];
    bool has_inertia = read_inertia(&fields, &def, products);
    if (scn_fields_vector(&fields, "centre", centre, 3, scn_range_any("m")))
        def.centre = centre;
    if (has_inertia && !has_mass)
        scn_raise(fields.L, "body: inertia (kg m2) is given beside mass (kg): give mass, too");

    def.name = scn_fields_text(&fields, "name", NULL);
    scn_colour colour = scn_read_colour(&fields);
    cairn_body_id body = scn_body_add(&fields, &def);
    set_collision(&fields, body);
    scn_paint_body(&fields, body, &colour);
    return 0;
}

int scn_call_ground(lua_State *L)
{
    static const char *const names[] = {"name", "material", "height", "groups",
                                        "mask", "colour",   NULL};
    scn_fields fields = scn_fields_begin(L, "ground");
    scn_fields_check(&fields, names, 0);
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_FIXED;
    cairn_error error = {0};
    scn_fields_pass(&fields, cairn_shape_create(scn_loader_world(L), &shape, &def.shape, &error),
                    &error);
    const char *material = scn_fields_text(&fields, "material", NULL);
    if (material != NULL)
        def.material = scn_check_material(L, material);
    def.position[2] = scn_fields_number(&fields, "height", 0.0, scn_range_any("m"));
    def.name = scn_fields_text(&fields, "name", "ground");
    scn_colour colour = scn_read_colour(&fields);
    cairn_body_id body = scn_body_add(&fields, &def);
    set_collision(&fields, body);
    scn_paint_body(&fields, body, &colour);
    return 0;
}

const cairn_body_id *scn_push_bodies(const scn_fields *fields, int *count)
{
    lua_State *L = fields->L;
    *count = 1;
    if (scn_fields_has(fields, "body")) {
        cairn_body_id *one = lua_newuserdatauv(L, sizeof *one, 0);
        *one = scn_check_body(L, scn_fields_text(fields, "body", ""));
        return one;
    }
    if (lua_getfield(L, fields->table, "bodies") != LUA_TTABLE || lua_rawlen(L, -1) < 1 ||
        lua_rawlen(L, -1) > 1000000)
        scn_raise(L, "%s: bodies must be a list of names of bodies", fields->call);
    *count = (int)lua_rawlen(L, -1);
    int list = lua_gettop(L);
    cairn_body_id *ids = lua_newuserdatauv(L, (size_t)*count * sizeof *ids, 0);
    for (int i = 0; i < *count; i++) {
        if (lua_rawgeti(L, list, i + 1) != LUA_TSTRING)
            scn_raise(L, "%s: a body is given by its name, not by %s", fields->call,
                      luaL_typename(L, -1));
        ids[i] = scn_check_body(L, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    return ids;
}
