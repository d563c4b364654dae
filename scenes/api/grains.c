// SPDX-License-Identifier: Apache-2.0
// Calls sizes, packing, emitter and outlet: grains that are there, come and go.
#include "scenes/load/loader.h"

#include "base/timer.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- sizes

#define SCN_SIZES "sizes"

/// A userdata; the points of a table are its user value.
typedef struct sizes_value {
    cairn_size_def def;
    cairn_sizes *drawn; // made at the first draw
} sizes_value;

static int sizes_collect(lua_State *L)
{
    sizes_value *value = luaL_checkudata(L, 1, SCN_SIZES);
    cairn_sizes_destroy(value->drawn);
    value->drawn = NULL;
    return 0;
}

/// A random size, m, by the random numbers of the scene's program.
static int sizes_draw(lua_State *L)
{
    sizes_value *value = luaL_checkudata(L, 1, SCN_SIZES);
    cairn_error error = {0};
    if (value->drawn == NULL && cairn_sizes_create(&value->def, &value->drawn, &error) != CAIRN_OK)
        scn_raise(L, "sizes: %s", error.message);
    lua_getglobal(L, "math");
    lua_getfield(L, -1, "random");
    lua_call(L, 0, 1);
    lua_pushnumber(L, cairn_sizes_quantile(value->drawn, lua_tonumber(L, -1)));
    return 1;
}

static void read_points(const scn_fields *fields, sizes_value *value, int at)
{
    lua_State *L = fields->L;
    if (lua_getfield(L, fields->table, "points") != LUA_TTABLE || lua_rawlen(L, -1) > 1000)
        scn_raise(L, "sizes: points must be a list of { size, share }, at most 1000");
    int count = (int)lua_rawlen(L, -1), list = lua_gettop(L);
    double(*points)[2] = lua_newuserdatauv(L, (size_t)(count > 0 ? count : 1) * sizeof *points, 0);
    for (int i = 0; i < count; i++) {
        if (lua_rawgeti(L, list, i + 1) != LUA_TTABLE || lua_rawlen(L, -1) != 2)
            scn_raise(L, "sizes: point %d must be { size, share }", i + 1);
        for (int k = 0; k < 2; k++) {
            lua_rawgeti(L, -1, k + 1);
            points[i][k] = scn_fields_pop_number(fields, "points", scn_range_any(k ? "" : "m"));
        }
        lua_pop(L, 1);
    }
    value->def.points = (const double(*)[2])points;
    value->def.point_count = count;
    lua_setiuservalue(L, at, 1);
    lua_pop(L, 1);
}

/// Keys beside kind, min, max and by, for each kind.
static const char *const size_keys[][2] = {
    [CAIRN_SIZE_CONSTANT] = {"size", NULL},      [CAIRN_SIZE_UNIFORM] = {NULL, NULL},
    [CAIRN_SIZE_NORMAL] = {"mean", "deviation"}, [CAIRN_SIZE_LOGNORMAL] = {"median", "deviation"},
    [CAIRN_SIZE_WEIBULL] = {"scale", "shape"},   [CAIRN_SIZE_TABLE] = {"points", NULL},
};

int scn_call_sizes(lua_State *L)
{
    static const char *const kinds[] = {"constant", "uniform", "normal", "lognormal",
                                        "weibull",  "table",   NULL};
    static const char *const by[] = {"number", "mass", NULL};
    const char *names[8] = {"min", "max", "by"};
    scn_fields fields = scn_fields_begin(L, "sizes");
    if (lua_rawgeti(L, 1, 1) != LUA_TSTRING)
        scn_raise(L, "sizes wants a kind first, sizes{ \"normal\", mean = , deviation = }");
    const char *word = lua_tostring(L, -1);
    int kind = 0, count = 3;
    while (kinds[kind] != NULL && strcmp(kinds[kind], word) != 0)
        kind++;
    if (kinds[kind] == NULL)
        scn_raise_unknown(L, "distribution of sizes", word, kinds, 6);
    for (int k = 0; k < 2; k++)
        if (size_keys[kind][k] != NULL)
            names[count++] = size_keys[kind][k];
    scn_fields_check(&fields, names, 1);
    sizes_value *value = lua_newuserdatauv(L, sizeof *value, 1);
    int at = lua_gettop(L);
    *value = (sizes_value){.def = {.kind = (cairn_size_kind)kind}};
    if (luaL_newmetatable(L, SCN_SIZES)) {
        lua_pushcfunction(L, sizes_collect);
        lua_setfield(L, -2, "__gc");
        lua_pushcfunction(L, sizes_draw);
        lua_setfield(L, -2, "__call");
        lua_pushboolean(L, 0);
        lua_setfield(L, -2, "__metatable");
    }
    lua_setmetatable(L, at);
    cairn_size_def *def = &value->def;
    def->minimum = scn_fields_number(&fields, "min", 0.0, scn_range_positive("m"));
    def->maximum = scn_fields_number(&fields, "max", 0.0, scn_range_positive("m"));
    def->by_mass = scn_fields_choice(&fields, "by", 0, by) == 1;
    for (int k = 0; k < 2 && kind != CAIRN_SIZE_TABLE; k++) {
        const char *key = size_keys[kind][k];
        if (key == NULL)
            continue;
        scn_fields_require(&fields, key);
        double x = scn_fields_number(&fields, key, 0.0, scn_range_positive(k == 0 ? "m" : ""));
        *(k == 0 ? &def->first : &def->second) = x;
    }
    if (kind == CAIRN_SIZE_TABLE)
        read_points(&fields, value, at);
    cairn_error error = {0};
    scn_fields_pass(&fields, cairn_sizes_create(def, &value->drawn, &error), &error);
    return 1;
}

// ---------------------------------------------------------------- grains and regions

/// Size of a component: a number or sizes{}.
static void read_size(const scn_fields *fields, cairn_grain_def *def)
{
    lua_State *L = fields->L;
    int type = lua_getfield(L, fields->table, "size");
    if (type == LUA_TUSERDATA) {
        const sizes_value *value = luaL_testudata(L, -1, SCN_SIZES);
        if (value == NULL)
            scn_raise(L, "size must be a number or sizes{ ... }");
        def->size = value->def;
        lua_pop(L, 1);
        return;
    }
    lua_pop(L, 1);
    def->size.first = scn_fields_number(fields, "size", 0.0, scn_range_positive("m"));
}

static void read_grain(const scn_fields *fields, cairn_grain_def *def)
{
    lua_State *L = fields->L;
    *def = (cairn_grain_def){0};
    if (scn_fields_has(fields, "shape")) {
        lua_getfield(L, fields->table, "shape");
        def->shape = scn_check_shape(L, -1, "shape");
        lua_pop(L, 1);
    }
    read_size(fields, def);
    const char *material = scn_fields_text(fields, "material", NULL);
    if (material != NULL)
        def->material = scn_check_material(L, material);
    def->density = scn_fields_number(fields, "density", 0.0, scn_range_positive("kg/m3"));
    def->share = scn_fields_number(fields, "share", 1.0, scn_range_positive(""));
}

/// The list `grains`, or the one kind that the call gives itself; lives on the stack.
static const cairn_grain_def *push_grains(const scn_fields *fields, int *count, bool *by_mass)
{
    static const char *const names[] = {"shape", "size", "material", "density", "share", NULL};
    static const char *const by[] = {"number", "mass", NULL};
    lua_State *L = fields->L;
    bool list = lua_getfield(L, fields->table, "grains") != LUA_TNIL;
    if (list && (!lua_istable(L, -1) || lua_rawlen(L, -1) < 1 || lua_rawlen(L, -1) > 1000))
        scn_raise(L,
                  "%s: grains must be a list of { shape = , size = , material = , share = }, 1 "
                  "to 1000 of them",
                  fields->call);
    for (int i = 0; list && names[i] != NULL; i++)
        if (scn_fields_has(fields, names[i]))
            scn_raise(L, "%s: %s belongs into each of the grains", fields->call, names[i]);
    *count = list ? (int)lua_rawlen(L, -1) : 1;
    *by_mass = false;
    int at = lua_gettop(L);
    cairn_grain_def *defs = lua_newuserdatauv(L, (size_t)*count * sizeof *defs, 0);
    if (!list) {
        read_grain(fields, &defs[0]);
        return defs;
    }
    scn_fields all = scn_fields_at(L, at, fields->call);
    const char *const keys[] = {"by", NULL};
    scn_fields_check(&all, keys, *count);
    *by_mass = scn_fields_choice(&all, "by", 0, by) == 1;
    for (int i = 0; i < *count; i++) {
        if (lua_rawgeti(L, at, i + 1) != LUA_TTABLE)
            scn_raise(L, "%s: each of the grains must be a table", fields->call);
        scn_fields one = scn_fields_at(L, lua_gettop(L), fields->call);
        scn_fields_check(&one, names, 0);
        read_grain(&one, &defs[i]);
        lua_pop(L, 1);
    }
    return defs;
}

/// Bodies that faces of a box, or all of a region, go along with.
static void read_follow(const scn_fields *fields, const scn_fields *part, bool box,
                        scn_follow *follow)
{
    static const char *const faces[] = {"xmin", "xmax", "ymin", "ymax", "zmin", "zmax", NULL};
    lua_State *L = fields->L;
    int kind = lua_getfield(L, part->table, "follow");
    if (kind != LUA_TSTRING && (kind != LUA_TTABLE || !box))
        scn_raise(L,
                  "%s: follow is the name of a body that the region goes along with, or of a box "
                  "bodies of its faces, as { zmin = \"floor\", zmax = \"piston\" }",
                  fields->call);
    follow->any = true;
    follow->whole = kind == LUA_TSTRING;
    scn_fields named = scn_fields_at(L, lua_gettop(L), "follow");
    if (!follow->whole)
        scn_fields_check(&named, faces, 0);
    for (int i = 0; i < (follow->whole ? 1 : 6); i++) {
        const char *name =
            follow->whole ? lua_tostring(L, -1) : scn_fields_text(&named, faces[i], NULL);
        cairn_body_view view;
        if (name == NULL)
            continue;
        follow->bodies[i] = scn_check_body(L, name);
        if (cairn_body_get(scn_loader_world(L), follow->bodies[i], &view) != CAIRN_OK)
            scn_raise(L, "%s: follow: there is no body \"%.80s\"", fields->call, name);
        for (int k = 0; k < 3 && follow->whole; k++)
            follow->from[k] = view.centre[k];
        if (!follow->whole)
            follow->from[i] = view.centre[i / 2];
    }
    lua_pop(L, 1);
}

cairn_status scn_region_now(const cairn_world *world, const cairn_region *region,
                            const scn_follow *follow, cairn_region *now)
{
    *now = *region;
    for (int i = 0; i < 6 && follow->any; i++) {
        cairn_body_view view;
        if (follow->bodies[i].generation == 0)
            continue;
        BASE_TRY(cairn_body_get(world, follow->bodies[i], &view));
        for (int k = 0; k < 3 && follow->whole; k++) {
            now->a[k] += view.centre[k] - follow->from[k];
            now->b[k] += view.centre[k] - follow->from[k];
        }
        if (!follow->whole)
            (i % 2 == 0 ? now->a : now->b)[i / 2] += view.centre[i / 2] - follow->from[i];
    }
    return CAIRN_OK;
}

cairn_region scn_read_region(const scn_fields *fields)
{
    return scn_read_region_following(fields, NULL);
}

cairn_region scn_read_region_following(const scn_fields *fields, scn_follow *follow)
{
    static const char *const names[] = {"min",  "max",  "from",     "to",     "centre", "radius",
                                        "hull", "mesh", "position", "follow", NULL};
    lua_State *L = fields->L;
    cairn_region region = {0};
    scn_fields_require(fields, "region");
    if (lua_getfield(L, fields->table, "region") != LUA_TTABLE)
        scn_raise(L, "%s: region must be a table, as { min = {x, y, z}, max = {x, y, z} }",
                  fields->call);
    scn_fields part = scn_fields_at(L, lua_gettop(L), "region");
    scn_fields_check(&part, names, 0);
    bool box = scn_fields_vector(&part, "min", region.a, 3, scn_range_any("m"));
    bool other = scn_fields_vector(&part, "max", region.b, 3, scn_range_any("m"));
    bool axis = scn_fields_vector(&part, "from", region.a, 3, scn_range_any("m"));
    bool end = scn_fields_vector(&part, "to", region.b, 3, scn_range_any("m"));
    bool ball = scn_fields_vector(&part, "centre", region.a, 3, scn_range_any("m"));
    bool hull = scn_fields_has(&part, "hull"), mesh = scn_fields_has(&part, "mesh");
    bool placed = scn_fields_vector(&part, "position", region.a, 3, scn_range_any("m"));
    bool round = scn_fields_has(&part, "radius");
    region.radius = scn_fields_number(&part, "radius", 0.0, scn_range_positive("m"));
    if (box != other || axis != end || box + axis + ball + hull + mesh != 1 ||
        round != (axis || ball) || (placed && !hull && !mesh))
        scn_raise(L,
                  "%s: region is one of { min = , max = }, { from = , to = , radius = }, { "
                  "centre = , radius = }, { hull = polyhedron, position = } and { mesh = mesh, "
                  "position = }",
                  fields->call);
    region.kind = box    ? CAIRN_REGION_BOX
                  : axis ? CAIRN_REGION_CYLINDER
                  : ball ? CAIRN_REGION_SPHERE
                  : hull ? CAIRN_REGION_HULL
                         : CAIRN_REGION_MESH;
    if (scn_fields_has(&part, "follow") && follow == NULL)
        scn_raise(L, "%s: only regions of measures and sensors follow bodies", fields->call);
    if (scn_fields_has(&part, "follow"))
        read_follow(fields, &part, box, follow);
    if (hull || mesh) {
        lua_getfield(L, part.table, hull ? "hull" : "mesh");
        region.shape = scn_check_shape(L, -1, hull ? "hull" : "mesh");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return region;
}

bool scn_region_is_cell(const scn_fields *fields)
{
    lua_State *L = fields->L;
    bool cell = lua_getfield(L, fields->table, "region") == LUA_TSTRING &&
                strcmp(lua_tostring(L, -1), "cell") == 0;
    lua_pop(L, 1);
    return cell;
}

// ---------------------------------------------------------------- packing

int scn_call_packing(lua_State *L)
{
    static const char *const names[] = {
        "name",  "region",   "grains",       "shape", "size",   "material", "density",  "method",
        "count", "porosity", "coordination", "gap",   "turned", "seed",     "attempts", NULL};
    static const char *const methods[] = {"lattice", "random", "growth", "deposition", NULL};
    scn_fields fields = scn_fields_begin(L, "packing");
    scn_fields_check(&fields, names, 0);
    cairn_packing_def def = cairn_default_packing_def();
    def.name = scn_fields_text(&fields, "name", "packing");
    def.region = scn_read_region(&fields);
    def.grains = push_grains(&fields, &def.grain_count, &def.shares_by_mass);
    def.method =
        (cairn_packing_method)scn_fields_choice(&fields, "method", CAIRN_PACKING_GROWTH, methods);
    def.count = scn_fields_integer(&fields, "count", 0, 1, 100000000);
    def.porosity = scn_fields_number(&fields, "porosity", 0.0, (scn_range){0.0, 0.999, true, ""});
    def.coordination =
        scn_fields_number(&fields, "coordination", 0.0, (scn_range){0.0, 12.0, true, ""});
    def.gap = scn_fields_number(&fields, "gap", 0.0, (scn_range){0.0, 1e9, true, "m"});
    def.turned = scn_fields_boolean(&fields, "turned", def.turned);
    def.attempts = (int)scn_fields_integer(&fields, "attempts", def.attempts, 1, 1000000);
    def.seed =
        (uint64_t)scn_fields_integer(&fields, "seed", scn_loader_of(L)->scene->seed, 0, INT32_MAX);
    const scn_sandbox *sandbox = scn_sandbox_of(L);
    def.time_limit = fmax(sandbox->started + sandbox->time_limit - base_timer_seconds(), 1e-3);
    cairn_packing_view view;
    cairn_error error = {0};
    scn_fields_pass(&fields, cairn_packing_create(scn_loader_world(L), &def, &view, &error),
                    &error);
    lua_pushinteger(L, view.count);
    lua_pushnumber(L, view.porosity);
    lua_pushnumber(L, view.coordination);
    return 3;
}

// ---------------------------------------------------------------- emitter and outlet

int scn_call_emitter(lua_State *L)
{
    static const char *const names[] = {"name",     "region",  "grains", "shape",     "size",
                                        "material", "density", "rate",   "mass_rate", "count",
                                        "mass",     "from",    "to",     "every",     "velocity",
                                        "spread",   "turned",  "seed",   "attempts",  NULL};
    scn_fields fields = scn_fields_begin(L, "emitter");
    scn_fields_check(&fields, names, 0);
    cairn_emitter_def def = cairn_default_emitter_def();
    def.name = scn_fields_text(&fields, "name", "emitter");
    def.region = scn_read_region(&fields);
    def.grains = push_grains(&fields, &def.grain_count, &def.shares_by_mass);
    def.rate = scn_fields_number(&fields, "rate", 0.0, scn_range_positive("1/s"));
    def.mass_rate = scn_fields_number(&fields, "mass_rate", 0.0, scn_range_positive("kg/s"));
    def.count = scn_fields_integer(&fields, "count", 0, 1, 1000000000);
    def.mass = scn_fields_number(&fields, "mass", 0.0, scn_range_positive("kg"));
    def.from = scn_fields_number(&fields, "from", def.from, scn_range_any("s"));
    def.until = scn_fields_number(&fields, "to", def.until, scn_range_any("s"));
    def.every = scn_fields_number(&fields, "every", def.every, scn_range_positive("s"));
    def.spread = scn_fields_number(&fields, "spread", 0.0, scn_range_not_negative("m/s"));
    def.turned = scn_fields_boolean(&fields, "turned", def.turned);
    def.attempts = (int)scn_fields_integer(&fields, "attempts", def.attempts, 1, 1000000);
    def.seed =
        (uint64_t)scn_fields_integer(&fields, "seed", scn_loader_of(L)->scene->seed, 0, INT32_MAX);
    scn_fields_vector(&fields, "velocity", def.velocity, 3, scn_range_any("m/s"));
    cairn_error error = {0};
    scn_fields_pass(&fields, cairn_emitter_create(scn_loader_world(L), &def, &error), &error);
    return 0;
}

int scn_call_outlet(lua_State *L)
{
    static const char *const names[] = {"name", "region", "outside", "every", "from", NULL};
    scn_fields fields = scn_fields_begin(L, "outlet");
    scn_fields_check(&fields, names, 0);
    cairn_outlet_def def = cairn_default_outlet_def();
    def.name = scn_fields_text(&fields, "name", "outlet");
    def.region = scn_read_region(&fields);
    def.outside = scn_fields_boolean(&fields, "outside", false);
    def.every = scn_fields_number(&fields, "every", def.every, scn_range_positive("s"));
    def.from = scn_fields_number(&fields, "from", def.from, scn_range_any("s"));
    cairn_error error = {0};
    scn_fields_pass(&fields, cairn_outlet_create(scn_loader_world(L), &def, &error), &error);
    return 0;
}
