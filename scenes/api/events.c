// SPDX-License-Identifier: Apache-2.0
// Calls remove, freeze, release, change and stop: what happens at a time, or when a condition
// holds.
#include "scenes/load/loader.h"
#include "scenes/load/motion.h"

#include "base/assert.h"

#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------- conditions

typedef struct question {
    const scn_motion *source;
    scn_scene *scene;
    double time;
    bool holds; // the answer
} question;

/// A column of a measure, by its title in measures.csv without the unit: "bed stress zz".
static bool push_measure(lua_State *L, const scn_scene *scene, const char *name)
{
    for (int i = 0; i < scene->measure_count; i++) {
        const scn_measure *measure = scene->measures[i];
        size_t length = strlen(measure->name);
        if (strncmp(name, measure->name, length) != 0 || name[length] != ' ')
            continue;
        for (int k = 0; k < scn_measure_column_count(measure); k++) {
            const char *title, *unit;
            double values[CAIRN_AVERAGE_COLUMNS_MAX];
            cairn_error error = {0};
            scn_measure_column(measure, k, &title, &unit);
            if (strcmp(name + length + 1, title) != 0)
                continue;
            if (scn_measure_read(measure, values, &error) != CAIRN_OK)
                scn_raise(L, "%s", error.message);
            lua_pushnumber(L, values[k]);
            return true;
        }
    }
    return false;
}

/// What the second argument of such a function is: sensor("name") gives what the sensor reads.
static int read_sensor(lua_State *L)
{
    const scn_scene *scene = lua_touserdata(L, lua_upvalueindex(1));
    const char *name = luaL_checkstring(L, 1);
    for (int i = 0; i < scene->sensor_count; i++) {
        const scn_sensor *sensor = &scene->sensors[i];
        double values[SCN_SENSOR_COLUMNS_MAX];
        if (strcmp(sensor->name, name) != 0)
            continue;
        cairn_status status = scn_sensor_read(scene, sensor, values);
        if (status != CAIRN_OK)
            scn_raise(L, "sensor \"%.80s\": %s", name, cairn_status_text(status));
        for (int k = 0; k < sensor->columns; k++)
            lua_pushnumber(L, values[k]);
        return sensor->columns;
    }
    if (push_measure(L, scene, name))
        return 1;
    scn_raise(L, "there is no sensor \"%.80s\", and no measure with such a column", name);
}

void scn_push_sensors(lua_State *L, scn_scene *scene)
{
    lua_pushlightuserdata(L, scene);
    lua_pushcclosure(L, read_sensor, 1);
}

static int answer(lua_State *L)
{
    question *q = lua_touserdata(L, 1);
    lua_rawgeti(L, LUA_REGISTRYINDEX, q->source->value);
    lua_pushnumber(L, q->time);
    scn_push_sensors(L, q->scene);
    lua_call(L, 2, 1);
    if (!lua_isboolean(L, -1))
        scn_raise(L, "when(t, sensor) must return true or false, not %s", luaL_typename(L, -1));
    q->holds = lua_toboolean(L, -1);
    return 0;
}

static cairn_status ask(void *context, const cairn_world *world, double time, bool *holds,
                        cairn_error *error)
{
    (void)world;
    question q = {.source = context, .time = time};
    q.scene = q.source->scene;
    cairn_status status = scn_motion_call(q.source, answer, &q, "condition", time, error);
    *holds = q.holds;
    return status;
}

// ---------------------------------------------------------------- calls

/// Field `when` of a call, where it has one.
static void read_condition(const scn_fields *fields, const char *name, cairn_event_def *def)
{
    lua_State *L = fields->L;
    if (!scn_fields_has(fields, "when"))
        return;
    if (lua_getfield(L, fields->table, "when") != LUA_TFUNCTION)
        scn_raise(L, "%s: when must be a function of the time and the sensors, not %s",
                  fields->call, luaL_typename(L, -1));
    scn_motion *source = scn_motion_add(L, name);
    source->value = luaL_ref(L, LUA_REGISTRYINDEX);
    source->scene = scn_loader_of(L)->scene;
    def->condition = ask;
    def->context = source;
}

/// Fields `at` and `every`; one of `at` and `when` must be there.
static void read_times(const scn_fields *fields, cairn_event_def *def)
{
    if (!scn_fields_has(fields, "when") &&
        (!scn_fields_has(fields, "at") || scn_fields_has(fields, "every")))
        scn_raise(fields->L, "%s: give at, a time, or when, a function; every goes with when",
                  fields->call);
    def->from = scn_fields_number(fields, "at", 0.0, scn_range_not_negative("s"));
    def->every = scn_fields_number(fields, "every", def->every, scn_range_positive("s"));
}

static void create(const scn_fields *fields, const cairn_event_def *def)
{
    cairn_error error = {0};
    scn_fields_pass(fields, cairn_event_create(scn_loader_world(fields->L), def, &error), &error);
}

static int add_event(lua_State *L, const char *call, cairn_change change)
{
    static const char *const names[] = {"body", "bodies", "region", "at", "when", "every", NULL};
    static const char *const of_change[] = {"body",     "bodies",           "at", "when", "every",
                                            "velocity", "angular_velocity", NULL};
    static const char *const of_stop[] = {"name", "at", "when", "every", NULL};
    bool stop = change == CAIRN_CHANGE_STOP, moves = change == CAIRN_CHANGE_VELOCITY;
    scn_fields fields = scn_fields_begin(L, call);
    scn_fields_check(&fields, stop ? of_stop : moves ? of_change : names, 0);
    bool region = scn_fields_has(&fields, "region");
    if (!stop && region + scn_fields_has(&fields, "body") + scn_fields_has(&fields, "bodies") != 1)
        scn_raise(L, "%s: give one of body = \"name\", bodies = { \"name\", ... } and %s = { ... }",
                  call, moves ? "pair" : "region");
    cairn_event_def def = cairn_default_event_def();
    read_times(&fields, &def);
    cairn_region place = {0};
    char name[128];
    if (stop)
        snprintf(name, sizeof name, "%.90s", scn_fields_text(&fields, "name", call));
    else
        snprintf(name, sizeof name, "%s%s%.90s", call, region ? "" : " of ",
                 scn_fields_text(&fields, "body", region ? "" : "bodies"));
    bool turns = moves && scn_fields_vector(&fields, "angular_velocity", def.angular_velocity, 3,
                                            scn_range_any("rad/s"));
    if (moves && !scn_fields_vector(&fields, "velocity", def.velocity, 3, scn_range_any("m/s")) &&
        !turns)
        scn_raise(L, "%s: give velocity, angular_velocity or both", call);
    def.name = name;
    def.change = change;
    if (region) {
        place = scn_read_region(&fields);
        def.region = &place;
    } else if (!stop) {
        def.bodies = scn_push_bodies(&fields, &def.body_count);
    }
    read_condition(&fields, name, &def);
    create(&fields, &def);
    return 0;
}

/// Whether the law of the pair has a number of this name; one that the command line has put in
/// place of the scene's need not.
static bool is_known(const scn_fields *fields, const cairn_event_def *def, const char *key)
{
    scn_loader *loader = scn_loader_of(fields->L);
    const cairn_world *world = scn_loader_world(fields->L);
    const cairn_material_id *pair = def->materials;
    cairn_value value;
    if (loader->options->law == NULL ||
        cairn_pair_get_value(world, pair[0], pair[1], key, &value) == CAIRN_OK)
        return true;
    scn_loader_log(loader, CAIRN_INFO, "law %s has no parameter %s: its change is left out",
                   cairn_pair_get_law(world, pair[0], pair[1]), key);
    return false;
}

/// change{ pair = { "a", "b" }, friction = 0.2, at = 1 }
static int change_pair(lua_State *L, const scn_fields *fields)
{
    static const char *const others[] = {"body", "bodies", "velocity", "angular_velocity"};
    static const char *const reserved[] = {"pair", "at", "when", "every"};
    cairn_event_def def = cairn_default_event_def();
    cairn_pair_change values[16];
    char name[128];
    for (int i = 0; i < BASE_COUNT(others); i++)
        if (scn_fields_has(fields, others[i]))
            scn_raise(L, "change: give a pair or a body, not pair and %s", others[i]);
    if (scn_fields_has(fields, "law"))
        scn_raise(L, "change: the law of a pair stays; its parameters can change");
    if (lua_getfield(L, fields->table, "pair") != LUA_TTABLE)
        scn_raise(L, "change: pair must be { \"a\", \"b\" }, two materials, or {}, all others");
    scn_fields pair = scn_fields_at(L, lua_gettop(L), "change: pair");
    scn_read_pair(&pair, def.materials);
    read_times(fields, &def);
    for (lua_pushnil(L); lua_next(L, fields->table) != 0;) {
        if (lua_type(L, -2) != LUA_TSTRING)
            scn_raise(L, "change: unexpected value without a name");
        const char *key = lua_tostring(L, -2);
        bool parameter = true;
        for (int i = 0; i < BASE_COUNT(reserved); i++)
            parameter = parameter && strcmp(key, reserved[i]) != 0;
        if (!parameter || !is_known(fields, &def, key)) {
            lua_pop(L, 1);
            continue;
        }
        if (def.value_count == BASE_COUNT(values))
            scn_raise(L, "change: at most %d parameters at once", BASE_COUNT(values));
        values[def.value_count++] = (cairn_pair_change){
            .parameter = key, .value = scn_fields_pop_number(fields, key, scn_range_any(""))};
    }
    if (def.value_count == 0 && scn_loader_of(L)->options->law != NULL)
        return 0;
    snprintf(name, sizeof name, "change of %s", def.value_count > 0 ? values[0].parameter : "pair");
    def.name = name;
    def.change = CAIRN_CHANGE_PAIR;
    def.values = values;
    read_condition(fields, name, &def);
    create(fields, &def);
    return 0;
}

int scn_call_change(lua_State *L)
{
    scn_fields fields = scn_fields_begin(L, "change");
    if (scn_fields_has(&fields, "pair"))
        return change_pair(L, &fields);
    return add_event(L, "change", CAIRN_CHANGE_VELOCITY);
}

int scn_call_stop(lua_State *L)
{
    return add_event(L, "stop", CAIRN_CHANGE_STOP);
}

int scn_call_remove(lua_State *L)
{
    return add_event(L, "remove", CAIRN_CHANGE_REMOVE);
}

int scn_call_freeze(lua_State *L)
{
    return add_event(L, "freeze", CAIRN_CHANGE_FREEZE);
}

int scn_call_release(lua_State *L)
{
    return add_event(L, "release", CAIRN_CHANGE_RELEASE);
}
