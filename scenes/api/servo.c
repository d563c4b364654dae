// SPDX-License-Identifier: Apache-2.0
// Call servo: a wall that is driven to a force or a stress, or a side of the periodic cell.
#include "scenes/load/loader.h"
#include "scenes/load/motion.h"

#include <lauxlib.h>

typedef struct request {
    const scn_motion *source;
    double time;
    double value; // the answer
} request;

static int answer(lua_State *L)
{
    request *r = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, r->source->value);
    lua_pushnumber(L, r->time);
    scn_push_sensors(L, r->source->scene);
    lua_call(L, 2, 1);
    if (lua_type(L, -1) != LUA_TNUMBER)
        scn_raise(L, "target(t, sensor) must return 1 number");
    r->value = lua_tonumber(L, -1);
    return 0;
}

/// Asks the function of a servo, a cairn_motor_function.
static cairn_status ask_target(void *context, double time, double *value, cairn_error *error)
{
    request r = {.source = context, .time = time};
    cairn_status status = scn_motion_call(r.source, answer, &r, "servo", time, error);
    *value = r.value;
    return status;
}

/// The wall, or all of a list that go as one.
static void read_walls(const scn_fields *fields, cairn_servo_def *def)
{
    lua_State *L = fields->L;
    if (scn_fields_has(fields, "body") == scn_fields_has(fields, "bodies"))
        scn_raise(L, "servo: give body = \"name\" or bodies = { \"name\", ... }, the walls, "
                     "or cell = \"x\", a side of the periodic cell");
    int count = 0;
    const cairn_body_id *bodies = scn_push_bodies(fields, &count);
    def->body = bodies[0];
    def->others = bodies + 1;
    def->other_count = count - 1;
}

/// force, stress or rate: a number, or a function of time and sensors, which stays in the registry.
static int read_target(const scn_fields *fields, const char *key, double *number)
{
    lua_State *L = fields->L;
    int type = lua_getfield(L, fields->table, key);
    if (type == LUA_TFUNCTION)
        return luaL_ref(L, LUA_REGISTRYINDEX);
    lua_pop(L, 1);
    *number = scn_fields_number(fields, key, 0.0,
                                scn_range_any(key[0] == 'f'   ? "N"
                                              : key[0] == 's' ? "Pa"
                                                              : "1/s"));
    return LUA_NOREF;
}

int scn_call_servo(lua_State *L)
{
    static const char *const names[] = {"name",  "body",   "bodies", "axis", "cell",
                                        "force", "stress", "area",   "gain", "speed",
                                        "reach", "rate",   "from",   "to",   NULL};
    static const char *const sides[] = {"x", "xy", "xz", "yx", "y", "yz", "zx", "zy", "z", NULL};
    scn_fields fields = scn_fields_begin(L, "servo");
    scn_fields_check(&fields, names, 0);
    cairn_servo_def def = cairn_default_servo_def();
    def.cell = scn_fields_has(&fields, "cell");
    bool stress = scn_fields_has(&fields, "stress");
    if (def.cell && (scn_fields_has(&fields, "body") || scn_fields_has(&fields, "bodies") ||
                     scn_fields_has(&fields, "axis") || scn_fields_has(&fields, "force") ||
                     scn_fields_has(&fields, "area")))
        scn_raise(
            L,
            "servo: the cell has a stress (Pa) or a rate (1/s), and no body, axis, force or area");
    if (!def.cell && scn_fields_has(&fields, "rate"))
        scn_raise(L, "servo: a rate (1/s) is of the cell, cell = \"x\", \"xy\" ...");
    if (!def.cell) {
        read_walls(&fields, &def);
        scn_fields_require(&fields, "axis");
        if (scn_fields_has(&fields, "force") == stress)
            scn_raise(L, "servo: give force (N), or stress (Pa) and area (m2)");
        if (scn_fields_has(&fields, "area") != stress)
            scn_raise(L, "servo: area (m2) goes with stress, and stress with area");
        scn_fields_vector(&fields, "axis", def.axis, 3, scn_range_any(""));
    } else {
        def.rate = scn_fields_has(&fields, "rate");
        if (stress == def.rate)
            scn_raise(L, "servo: give stress (Pa) or rate (1/s) of the cell");
        int component = scn_fields_choice(&fields, "cell", 0, sides);
        def.side = component / 3;
        def.across = component % 3;
    }
    def.name = scn_fields_text(&fields, "name", "servo");
    def.scale = scn_fields_number(&fields, "area", 1.0, scn_range_positive("m2"));
    def.gain = scn_fields_number(&fields, "gain", def.gain, scn_range_positive(""));
    def.speed = scn_fields_number(&fields, "speed", def.speed,
                                  scn_range_positive(def.cell ? "1/s" : "m/s"));
    def.reach =
        scn_fields_number(&fields, "reach", def.reach, scn_range_positive(def.cell ? "" : "m"));
    def.from = scn_fields_number(&fields, "from", def.from, scn_range_any("s"));
    if (scn_fields_has(&fields, "to"))
        def.until = scn_fields_number(&fields, "to", 0.0, scn_range_any("s"));
    int function = read_target(&fields,
                               def.rate ? "rate"
                               : stress ? "stress"
                                        : "force",
                               &def.force);
    if (function != LUA_NOREF) {
        scn_motion *motion = scn_motion_add(L, def.name);
        motion->value = function;
        motion->scene = scn_loader_of(L)->scene;
        def.target = ask_target;
        def.context = motion;
    }
    cairn_error error = {0};
    scn_fields_pass(&fields, cairn_servo_create(scn_loader_world(L), &def, &error), &error);
    return 0;
}
