// SPDX-License-Identifier: Apache-2.0
// Call connector, and what sensors read of connectors. Parameters of laws pass through by name.
#include "scenes/load/loader.h"

#include "base/assert.h"

#include <lauxlib.h>
#include <string.h>

static const char *const own_keys[] = {"name",      "law",      "bodies", "radii",
                                       "positions", "contacts", "history"};

static bool is_own(const char *key)
{
    for (int i = 0; i < BASE_COUNT(own_keys); i++)
        if (strcmp(key, own_keys[i]) == 0)
            return true;
    return false;
}

/// The table at a key, pushed; raises with `wanted` where it is no list of two.
static void push_two(const scn_fields *fields, const char *key, const char *wanted)
{
    lua_State *L = fields->L;
    if (lua_getfield(L, fields->table, key) != LUA_TTABLE || lua_rawlen(L, -1) != 2)
        scn_raise(L, "connector: %s must be %s", key, wanted);
}

static void read_positions(const scn_fields *fields, double positions[2][3])
{
    lua_State *L = fields->L;
    if (!scn_fields_has(fields, "positions"))
        return;
    push_two(fields, "positions", "a list of two points {x, y, z}");
    for (int side = 0; side < 2; side++) {
        if (lua_rawgeti(L, -1, side + 1) != LUA_TTABLE || lua_rawlen(L, -1) != 3)
            scn_raise(L, "connector: positions must be a list of two points {x, y, z}");
        scn_fields point = scn_fields_at(L, lua_gettop(L), "connector");
        for (int k = 0; k < 3; k++) {
            lua_rawgeti(L, point.table, k + 1);
            positions[side][k] = scn_fields_pop_number(&point, "positions", scn_range_any("m"));
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static cairn_connector_id create(const scn_fields *fields)
{
    cairn_connector_def def = cairn_default_connector_def();
    cairn_connector_id connector;
    cairn_error error = {0};
    def.name = scn_fields_text(fields, "name", NULL);
    def.law = scn_fields_text(fields, "law", def.law);
    if (cairn_world_find_law(scn_loader_world(fields->L), def.law) < 0)
        scn_fields_pass(fields, scn_check_plugin(CAIRN_LAW, def.law, &error), &error);

    // read bodies
    cairn_body_id *bodies = def.bodies;
    static const char wanted[] = "a list of the names of two bodies";
    lua_State *L = fields->L;
    push_two(fields, "bodies", wanted);
    for (int side = 0; side < 2; side++) {
        if (lua_rawgeti(L, -1, side + 1) != LUA_TSTRING)
            scn_raise(L, "connector: bodies must be %s", wanted);
        bodies[side] = scn_check_body(L, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    lua_pop(L, 1);

    scn_fields_vector(fields, "radii", def.radii, 2, scn_range_any("m"));
    read_positions(fields, def.positions);
    def.contacts = scn_fields_boolean(fields, "contacts", false);
    scn_fields_pass(fields,
                    cairn_connector_create(scn_loader_world(fields->L), &def, &connector, &error),
                    &error);
    return connector;
}

/// Keys that are not the call's own are parameters of the law.
static void read_parameters(const scn_fields *fields, cairn_connector_id connector)
{
    lua_State *L = fields->L;
    lua_pushnil(L);
    while (lua_next(L, fields->table) != 0) {
        if (lua_type(L, -2) != LUA_TSTRING)
            scn_raise(L, "connector: unexpected value without a name");
        const char *key = lua_tostring(L, -2);
        if (is_own(key)) {
            lua_pop(L, 1);
            continue;
        }
        cairn_value value = scn_fields_pop_value(fields, key);
        cairn_error error = {0};
        scn_fields_pass(
            fields, cairn_connector_set_value(scn_loader_world(L), connector, key, value, &error),
            &error);
    }
}

static void read_history(const scn_fields *fields, cairn_connector_id connector)
{
    lua_State *L = fields->L;
    if (!scn_fields_has(fields, "history"))
        return;
    if (lua_getfield(L, fields->table, "history") != LUA_TTABLE)
        scn_raise(L, "connector: history must be a table of named numbers");
    scn_fields table = scn_fields_at(L, lua_gettop(L), "history");
    lua_pushnil(L);
    while (lua_next(L, table.table) != 0) {
        if (lua_type(L, -2) != LUA_TSTRING)
            scn_raise(L, "connector: history must be a table of named numbers");
        const char *key = lua_tostring(L, -2);
        double value = scn_fields_pop_number(&table, key, scn_range_any(""));
        cairn_error error = {0};
        scn_fields_pass(
            fields, cairn_connector_set_history(scn_loader_world(L), connector, key, value, &error),
            &error);
    }
    lua_pop(L, 1);
}

int scn_call_connector(lua_State *L)
{
    scn_fields fields = scn_fields_begin(L, "connector");
    scn_fields_require(&fields, "bodies");
    scn_fields_require(&fields, "radii");
    cairn_connector_id connector = create(&fields);
    read_parameters(&fields, connector);
    read_history(&fields, connector);
    return 0;
}

cairn_connector_id scn_check_connector(lua_State *L, const char *name)
{
    cairn_world *world = scn_loader_world(L);
    cairn_connector_id found = cairn_connector_find(world, name);
    if (found.generation != 0)
        return found;
    const char *names[64];
    int count = 0;
    for (int i = 0; i < cairn_connector_count(world) && count < BASE_COUNT(names); i++) {
        cairn_connector_view view;
        if (cairn_connector_get(world, cairn_connector_at(world, i), &view) == CAIRN_OK)
            names[count++] = view.name;
    }
    scn_raise_unknown(L, "connector", name, names, count);
}

// ---------------------------------------------------------------- sensors

cairn_status scn_connector_read(const scn_scene *scene, const scn_sensor *sensor, double *value)
{
    cairn_connector_view view;
    cairn_status status = cairn_connector_get(scene->world, sensor->connector, &view);
    const double *source = NULL;
    int side = sensor->on_first ? 0 : 1;
    switch (sensor->quantity) {
    case SCN_SENSOR_FORCE:
        source = view.force[side];
        break;
    case SCN_SENSOR_TORQUE:
        source = view.torque[side];
        break;
    case SCN_SENSOR_POSITION:
        source = view.point;
        break;
    case SCN_SENSOR_VELOCITY:
        source = view.velocity;
        break;
    case SCN_SENSOR_NORMAL:
        source = view.normal;
        break;
    case SCN_SENSOR_DISPLACEMENT:
        source = view.displacement;
        break;
    case SCN_SENSOR_GAP:
        source = &view.gap;
        break;
    case SCN_SENSOR_HISTORY:
        source = view.history;
        break;
    case SCN_SENSOR_COORDINATE:
    case SCN_SENSOR_SPEED:
    case SCN_SENSOR_EFFORT:
    case SCN_SENSOR_STRESS:
    case SCN_SENSOR_FABRIC:
    case SCN_SENSOR_COORDINATION:
    case SCN_SENSOR_POROSITY:
    case SCN_SENSOR_TEMPERATURE:
    case SCN_SENSOR_MASS_FLOW:
    case SCN_SENSOR_COUNT:
    case SCN_SENSOR_SIDES:
    case SCN_SENSOR_SHEAR:
    case SCN_SENSOR_VOID_RATIO:
    case SCN_SENSOR_RATTLERS:
    case SCN_SENSOR_BEARING_COORDINATION:
    case SCN_SENSOR_KINETIC_ENERGY:
    case SCN_SENSOR_POTENTIAL_ENERGY:
    case SCN_SENSOR_UNBALANCED_FORCE:
    case SCN_SENSOR_CONTACTS:
    case SCN_SENSOR_BONDS:
    case SCN_SENSOR_BROKEN_BONDS:
    case SCN_SENSOR_MASS:
    case SCN_SENSOR_ANGULAR_VELOCITY:
    default:
        return CAIRN_ERROR_ARGUMENT;
    }
    memcpy(value, source, (size_t)sensor->columns * sizeof *value);
    return status;
}
