// SPDX-License-Identifier: Apache-2.0
// Call sensor, and what a sensor reads.
#include "base/vec.h"
#include "scenes/load/loader.h"

#include <lauxlib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *unit;
} quantities[] = {
    {"force", "N"},
    {"torque", "N m"},
    {"position", "m"},
    {"velocity", "m/s"},
    {"angular_velocity", "rad/s"},
    {"normal", ""},
    {"displacement", "m"},
    {"gap", "m"},
    {"history", ""},
    {"coordinate", ""},
    {"speed", ""},
    {"effort", ""},
    {"stress", "Pa"},
    {"fabric", ""},
    {"coordination", ""},
    {"porosity", ""},
    {"temperature", "m2/s2"},
    {"mass_flow", "kg/s"},
    {"mass", "kg"},
    {"count", ""},
    {"sides", "m"},
    {"shear", ""},
    {"void_ratio", ""},
    {"rattlers", ""},
    {"bearing_coordination", ""},
    {"kinetic_energy", "J"},
    {"potential_energy", "J"},
    {"unbalanced_force", ""},
    {"contacts", ""},
    {"bonds", ""},
    {"broken_bonds", ""},
};

const char *scn_sensor_quantity_name(scn_sensor_quantity quantity)
{
    return quantities[quantity].name;
}

const char *scn_sensor_unit(const scn_sensor *sensor)
{
    static const char *const of_angles[] = {"rad", "rad/s", "N m"};
    static const char *const of_ways[] = {"m", "m/s", "N"};
    if (sensor->quantity < SCN_SENSOR_COORDINATE || sensor->quantity > SCN_SENSOR_EFFORT)
        return quantities[sensor->quantity].unit;
    int place = (int)sensor->quantity - (int)SCN_SENSOR_COORDINATE;
    return sensor->of_angle ? of_angles[place] : of_ways[place];
}

static bool is_sum(scn_sensor_quantity quantity)
{
    return quantity == SCN_SENSOR_FORCE || quantity == SCN_SENSOR_TORQUE;
}

const char *scn_sensor_column_name(const scn_sensor *sensor, int column)
{
    static const char *const axes[] = {"x", "y", "z"};
    static const char *const products[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    if (sensor->quantity == SCN_SENSOR_STRESS || sensor->quantity == SCN_SENSOR_FABRIC)
        return products[column];
    if (sensor->quantity == SCN_SENSOR_SHEAR)
        return products[3 + column];
    if (sensor->quantity == SCN_SENSOR_MASS_FLOW || sensor->quantity == SCN_SENSOR_SIDES)
        return axes[column];
    if (sensor->quantity == SCN_SENSOR_GAP || sensor->quantity > SCN_SENSOR_HISTORY)
        return "";
    return sensor->quantity == SCN_SENSOR_HISTORY ? cairn_law_get_history_name(sensor->law, column)
                                                  : axes[column];
}

/// Of bodies that were all removed, or of a joint or connector that went with one of its bodies.
static cairn_status read_nothing(const scn_sensor *sensor, double *value)
{
    for (int k = 0; k < sensor->columns; k++)
        value[k] = NAN;
    return CAIRN_OK;
}

static bool is_of_cell(scn_sensor_quantity quantity)
{
    return quantity == SCN_SENSOR_SIDES || quantity == SCN_SENSOR_SHEAR;
}

/// Sides of the cell, or by how much two of them lean towards one another.
static cairn_status read_cell(const scn_scene *scene, const scn_sensor *sensor, double *value)
{
    static const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    cairn_cell_view cell;
    cairn_status status = cairn_world_get_cell(scene->world, &cell);
    for (int k = 0; k < 3; k++) {
        int i = pairs[k][0], j = pairs[k][1];
        value[k] = sensor->quantity == SCN_SENSOR_SIDES
                       ? cell.unfolded[k][k]
                       : cell.unfolded[j][i] / cell.unfolded[j][j] +
                             cell.unfolded[i][j] / cell.unfolded[i][i];
    }
    return status;
}

static cairn_status read_region(const scn_scene *scene, const scn_sensor *sensor, double *value)
{
    cairn_measure m = {0};
    cairn_region region;
    if (is_of_cell(sensor->quantity))
        return read_cell(scene, sensor, value);
    cairn_status status = scn_region_now(scene->world, &sensor->region, &sensor->follow, &region);
    if (status == CAIRN_ERROR_STALE_ID)
        return read_nothing(sensor, value);
    if (status == CAIRN_OK)
        status = cairn_world_measure(scene->world, sensor->of_cell ? NULL : &region, &m, NULL);
    const double *six = sensor->quantity == SCN_SENSOR_STRESS ? m.stress : m.fabric;
    if (sensor->columns == 6)
        memcpy(value, six, 6 * sizeof *value);
    else if (sensor->columns == 3)
        memcpy(value, m.flow, 3 * sizeof *value);
    else
        value[0] = sensor->quantity == SCN_SENSOR_COORDINATION  ? m.coordination
                   : sensor->quantity == SCN_SENSOR_POROSITY    ? m.porosity
                   : sensor->quantity == SCN_SENSOR_TEMPERATURE ? m.temperature
                   : sensor->quantity == SCN_SENSOR_VOID_RATIO  ? m.porosity / (1.0 - m.porosity)
                   : sensor->quantity == SCN_SENSOR_RATTLERS    ? m.rattlers
                   : sensor->quantity == SCN_SENSOR_BEARING_COORDINATION ? m.bearing_coordination
                                                                         : m.mass;
    return status;
}

/// Grains that have come, or gone, up to now.
static cairn_status read_gate(const scn_scene *scene, const scn_sensor *sensor, double *value)
{
    cairn_emitter_view emitter = {0};
    cairn_outlet_view outlet = {0};
    bool mass = sensor->quantity == SCN_SENSOR_MASS;
    if (sensor->gate == SCN_SENSOR_EMITTER) {
        cairn_status status = cairn_emitter_get(scene->world, sensor->gate_index, &emitter);
        *value = mass ? emitter.mass : (double)emitter.count;
        return status;
    }
    cairn_status status = cairn_outlet_get(scene->world, sensor->gate_index, &outlet);
    *value = mass ? outlet.mass : (double)outlet.count;
    return status;
}

static bool is_of_world(scn_sensor_quantity quantity)
{
    return quantity >= SCN_SENSOR_KINETIC_ENERGY;
}

static cairn_status read_world(const cairn_world *world, scn_sensor_quantity quantity,
                               double *value)
{
    cairn_status status = CAIRN_OK;
    if (quantity == SCN_SENSOR_UNBALANCED_FORCE)
        status = cairn_world_get_unbalanced(world, value, NULL);
    else if (quantity == SCN_SENSOR_CONTACTS)
        *value = cairn_contact_count(world);
    else if (quantity == SCN_SENSOR_BONDS)
        *value = cairn_world_get_bond_count(world);
    else if (quantity == SCN_SENSOR_BROKEN_BONDS)
        *value = cairn_world_get_break_count(world);
    else
        *value = quantity == SCN_SENSOR_KINETIC_ENERGY ? cairn_world_get_energy(world).kinetic
                                                       : cairn_world_get_energy(world).potential;
    return status;
}

static cairn_status read_instant(const scn_scene *scene, const scn_sensor *sensor, double *value)
{
    if (is_of_world(sensor->quantity))
        return read_world(scene->world, sensor->quantity, value);
    if (sensor->gate != SCN_SENSOR_NO_GATE)
        return read_gate(scene, sensor, value);
    if (sensor->of_region)
        return read_region(scene, sensor, value);
    if (sensor->connector.generation != 0 || sensor->joint.generation != 0) {
        cairn_status status = sensor->joint.generation != 0
                                  ? scn_joint_read(scene, sensor, value)
                                  : scn_connector_read(scene, sensor, value);
        return status == CAIRN_ERROR_STALE_ID ? read_nothing(sensor, value) : status;
    }
    value[0] = value[1] = value[2] = 0.0;
    if (!is_sum(sensor->quantity)) {
        cairn_body_view view;
        cairn_status status = cairn_body_get(scene->world, sensor->bodies[0], &view);
        if (status == CAIRN_ERROR_STALE_ID)
            return read_nothing(sensor, value);
        const double *source = sensor->quantity == SCN_SENSOR_POSITION   ? view.centre
                               : sensor->quantity == SCN_SENSOR_VELOCITY ? view.velocity
                                                                         : view.angular_velocity;
        if (status == CAIRN_OK)
            memcpy(value, source, 3 * sizeof *value);
        return status;
    }
    int gone = 0;
    for (int i = 0; i < sensor->body_count; i++) {
        double force[3], torque[3];
        cairn_status status =
            cairn_body_get_contact_force(scene->world, sensor->bodies[i], force, torque);
        gone += status == CAIRN_ERROR_STALE_ID;
        if (gone == sensor->body_count)
            return read_nothing(sensor, value);
        if (status == CAIRN_ERROR_STALE_ID)
            continue;
        if (status != CAIRN_OK)
            return status;
        for (int k = 0; k < 3; k++)
            value[k] += sensor->quantity == SCN_SENSOR_FORCE ? force[k] : torque[k];
    }
    return CAIRN_OK;
}

cairn_status scn_sensor_read(const scn_scene *scene, const scn_sensor *sensor, double *value)
{
    cairn_average_view view;
    if (sensor->window == NULL ||
        cairn_average_get(scene->world, sensor->window->average, &view) != CAIRN_OK ||
        view.mean == NULL)
        return read_instant(scene, sensor, value);
    memcpy(value, view.mean, (size_t)view.columns * sizeof *value);
    return CAIRN_OK;
}

/// Number of bodies that `body` (a name) or `bodies` (names) gives; leaves the list on the stack.
static int push_body_list(const scn_fields *fields)
{
    lua_State *L = fields->L;
    if (scn_fields_has(fields, "body") == scn_fields_has(fields, "bodies"))
        scn_raise(L, "sensor: give what it reads: one of body, bodies, connector, joint, region, "
                     "emitter and outlet, or a quantity of the whole scene, as \"kinetic_energy\"");
    const char *one = scn_fields_text(fields, "body", NULL);
    if (one != NULL) {
        lua_createtable(L, 1, 0);
        lua_pushstring(L, one);
        lua_rawseti(L, -2, 1);
        return 1;
    }
    if (lua_getfield(L, fields->table, "bodies") != LUA_TTABLE || lua_rawlen(L, -1) < 1 ||
        lua_rawlen(L, -1) > 1000000)
        scn_raise(L, "bodies must be a list of names of bodies");
    return (int)lua_rawlen(L, -1);
}

static scn_sensor *add_sensor(lua_State *L, const char *name, int body_count)
{
    scn_scene *scene = scn_loader_of(L)->scene;
    if (base_array_reserve(&scene->allocator, &scene->sensors, &scene->sensor_capacity,
                           scene->sensor_count + 1) != CAIRN_OK)
        scn_raise(L, "out of memory");
    scn_sensor *sensor = &scene->sensors[scene->sensor_count++];
    *sensor = (scn_sensor){.body_count = body_count, .columns = 3};
    sensor->name = base_copy_text(&scene->allocator, name);
    if (body_count > 0)
        sensor->bodies =
            base_allocate(&scene->allocator, (size_t)body_count, sizeof *sensor->bodies);
    if (sensor->name == NULL || (body_count > 0 && sensor->bodies == NULL))
        scn_raise(L, "out of memory");
    return sensor;
}

static void check_sensor_name(lua_State *L, const char *name)
{
    const scn_scene *scene = scn_loader_of(L)->scene;
    if (name[0] == '\0' || strpbrk(name, ",\"\n\r") != NULL)
        scn_raise(L, "sensor: a name must not be empty or hold commas, quotes or line ends");
    for (int i = 0; i < scene->sensor_count; i++)
        if (strcmp(scene->sensors[i].name, name) == 0)
            scn_raise(L, "a sensor named \"%.80s\" exists already", name);
}

static void add_connector_sensor(const scn_fields *fields, const char *name,
                                 scn_sensor_quantity quantity)
{
    static const char *const ends[] = {"first", "second", NULL};
    lua_State *L = fields->L;
    if (scn_fields_has(fields, "body") || scn_fields_has(fields, "bodies"))
        scn_raise(L, "sensor: of a connector or of bodies, not of both");
    if (quantity == SCN_SENSOR_ANGULAR_VELOCITY || quantity > SCN_SENSOR_HISTORY)
        scn_raise(L, "sensor: a connector has no %s", quantities[quantity].name);
    cairn_connector_id connector =
        scn_check_connector(L, scn_fields_text(fields, "connector", NULL));
    cairn_connector_view view;
    cairn_error error = {0};
    scn_fields_pass(fields, cairn_connector_get(scn_loader_world(L), connector, &view), &error);
    int history = cairn_law_get_history_count(view.law);
    if (quantity == SCN_SENSOR_HISTORY && history == 0)
        scn_raise(L, "sensor: law %s keeps no history", view.law);
    if (scn_fields_has(fields, "on") && !is_sum(quantity))
        scn_raise(L, "sensor: \"on\" is of quantity = \"force\" and \"torque\" alone");
    scn_sensor *sensor = add_sensor(L, name, 0);
    sensor->quantity = quantity;
    sensor->connector = connector;
    sensor->law = view.law;
    sensor->on_first = scn_fields_choice(fields, "on", 1, ends) == 0;
    sensor->columns = quantity == SCN_SENSOR_GAP ? 1 : quantity == SCN_SENSOR_HISTORY ? history : 3;
}

static void add_joint_sensor(const scn_fields *fields, const char *name,
                             scn_sensor_quantity quantity)
{
    lua_State *L = fields->L;
    if (scn_fields_has(fields, "body") || scn_fields_has(fields, "bodies") ||
        scn_fields_has(fields, "on"))
        scn_raise(L, "sensor: a joint goes with name and quantity alone");
    if (!is_sum(quantity) && (quantity <= SCN_SENSOR_HISTORY || quantity > SCN_SENSOR_EFFORT))
        scn_raise(L, "sensor: a joint has no %s", quantities[quantity].name);
    scn_sensor *sensor = add_sensor(L, name, 0);
    sensor->quantity = quantity;
    sensor->joint = scn_check_joint(L, scn_fields_text(fields, "joint", NULL));
    cairn_joint_view view;
    cairn_error error = {0};
    scn_fields_pass(fields, cairn_joint_get(scn_loader_world(L), sensor->joint, &view), &error);
    sensor->of_angle = view.kind == CAIRN_JOINT_HINGE || view.kind == CAIRN_JOINT_BALL ||
                       view.kind == CAIRN_JOINT_UNIVERSAL;
    sensor->columns = is_sum(quantity) ? 3 : 1;
}

static int compare_ids(const void *a, const void *b)
{
    const cairn_body_id *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

/// A body that is named twice would count twice.
static void check_twice(lua_State *L, const scn_sensor *sensor)
{
    size_t count = (size_t)sensor->body_count;
    cairn_body_id *sorted = lua_newuserdatauv(L, count * sizeof *sorted, 0);
    memcpy(sorted, sensor->bodies, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_ids);
    for (size_t i = 1; i < count; i++) {
        cairn_body_view view;
        if (compare_ids(&sorted[i - 1], &sorted[i]) == 0 &&
            cairn_body_get(scn_loader_world(L), sorted[i], &view) == CAIRN_OK)
            scn_raise(L, "sensor \"%.80s\" names body \"%.80s\" twice", sensor->name, view.name);
    }
    lua_pop(L, 1);
}

static void add_body_sensor(const scn_fields *fields, const char *name,
                            scn_sensor_quantity quantity)
{
    lua_State *L = fields->L;
    const char *word = quantities[quantity].name;
    if (quantity > SCN_SENSOR_ANGULAR_VELOCITY || scn_fields_has(fields, "on"))
        scn_raise(L, "sensor: %s is of %s", scn_fields_has(fields, "on") ? "the key on" : word,
                  quantity > SCN_SENSOR_EFFORT    ? "regions"
                  : quantity > SCN_SENSOR_HISTORY ? "joints"
                                                  : "connectors");
    int count = push_body_list(fields);
    if (count > cairn_body_count(scn_loader_world(L)))
        scn_raise(L, "sensor \"%.80s\" names %d bodies, more than there are", name, count);
    if (count > 1 && !is_sum(quantity))
        scn_raise(L, "sensor: %s is of one body; forces and torques may be sums", word);
    scn_sensor *sensor = add_sensor(L, name, count);
    sensor->quantity = quantity;
    for (int i = 0; i < count; i++) {
        if (lua_rawgeti(L, -1, i + 1) != LUA_TSTRING)
            scn_raise(L, "sensor: a body is given by its name, not by %s", luaL_typename(L, -1));
        sensor->bodies[i] = scn_check_body(L, lua_tostring(L, -1));
        lua_pop(L, 1);
    }
    check_twice(L, sensor);
}

static void add_region_sensor(const scn_fields *fields, const char *name,
                              scn_sensor_quantity quantity)
{
    static const char *const others[] = {"body", "bodies",  "connector", "joint",
                                         "on",   "emitter", "outlet"};
    for (int i = 0; i < 7; i++)
        if (scn_fields_has(fields, others[i]))
            scn_raise(fields->L, "sensor: a region goes with name and quantity alone");
    bool cell = scn_region_is_cell(fields);
    bool known = (quantity >= SCN_SENSOR_STRESS && quantity <= SCN_SENSOR_MASS) ||
                 (quantity >= SCN_SENSOR_VOID_RATIO && quantity < SCN_SENSOR_KINETIC_ENERGY);
    if (!known && !(cell && is_of_cell(quantity)))
        scn_raise(fields->L,
                  "sensor: a region has no %s (there are stress, fabric, coordination, "
                  "porosity, void_ratio, rattlers, bearing_coordination, temperature, mass_flow "
                  "and mass, "
                  "and sides and shear of region = \"cell\")",
                  quantities[quantity].name);
    cairn_region region = {0};
    scn_follow follow = {0};
    if (!cell)
        region = scn_read_region_following(fields, &follow);
    cairn_measure measure;
    cairn_error error = {0};
    scn_fields_pass(
        fields,
        cairn_world_measure(scn_loader_world(fields->L), cell ? NULL : &region, &measure, &error),
        &error);
    scn_sensor *sensor = add_sensor(fields->L, name, 0);
    sensor->quantity = quantity;
    sensor->of_region = true;
    sensor->of_cell = cell;
    sensor->region = region;
    sensor->follow = follow;
    bool six = quantity == SCN_SENSOR_STRESS || quantity == SCN_SENSOR_FABRIC;
    bool three = quantity == SCN_SENSOR_MASS_FLOW || is_of_cell(quantity);
    sensor->columns = six ? 6 : three ? 3 : 1;
}

static void add_world_sensor(const scn_fields *fields, const char *name,
                             scn_sensor_quantity quantity)
{
    static const char *const others[] = {"body", "bodies", "connector", "joint",
                                         "on",   "region", "emitter",   "outlet"};
    for (int i = 0; i < 8; i++)
        if (scn_fields_has(fields, others[i]))
            scn_raise(fields->L, "sensor: %s is of the whole scene, and goes without \"%s\"",
                      quantities[quantity].name, others[i]);
    scn_sensor *sensor = add_sensor(fields->L, name, 0);
    sensor->quantity = quantity;
    sensor->columns = 1;
}

/// Number of the emitter or outlet of a name; raises where there is none.
static int find_gate(lua_State *L, scn_sensor_gate gate, const char *name)
{
    const cairn_world *world = scn_loader_world(L);
    bool emits = gate == SCN_SENSOR_EMITTER;
    int count = emits ? cairn_emitter_count(world) : cairn_outlet_count(world);
    const char **names = lua_newuserdatauv(L, ((size_t)count + 1) * sizeof *names, 0);
    for (int i = 0; i < count; i++) {
        cairn_emitter_view emitter = {.name = ""};
        cairn_outlet_view outlet = {.name = ""};
        cairn_status status =
            emits ? cairn_emitter_get(world, i, &emitter) : cairn_outlet_get(world, i, &outlet);
        names[i] = emits ? emitter.name : outlet.name;
        if (status == CAIRN_OK && strcmp(names[i], name) == 0)
            return i;
    }
    scn_raise_unknown(L, emits ? "emitter" : "outlet", name, names, count);
}

static void add_gate_sensor(const scn_fields *fields, const char *name, scn_sensor_gate gate,
                            scn_sensor_quantity quantity)
{
    static const char *const others[] = {"body", "bodies", "connector", "joint", "on"};
    lua_State *L = fields->L;
    const char *key = gate == SCN_SENSOR_EMITTER ? "emitter" : "outlet";
    bool both = scn_fields_has(fields, "emitter") && scn_fields_has(fields, "outlet");
    for (int i = 0; i < 5; i++)
        both = both || scn_fields_has(fields, others[i]);
    if (both)
        scn_raise(L, "sensor: an %s goes with name and quantity alone", key);
    if (quantity < SCN_SENSOR_MASS)
        scn_raise(L, "sensor: an %s has no %s (there are mass and count)", key,
                  quantities[quantity].name);
    int index = find_gate(L, gate, scn_fields_text(fields, key, ""));
    scn_sensor *sensor = add_sensor(L, name, 0);
    sensor->quantity = quantity;
    sensor->gate = gate;
    sensor->gate_index = index;
    sensor->columns = 1;
}

// ---------------------------------------------------------------- windows

static cairn_status read_sensor(void *context, const cairn_world *world, double *values,
                                cairn_error *error)
{
    const scn_window *window = context;
    const scn_scene *scene = window->scene;
    (void)world;
    // a part of a program that failed takes its sensors with it
    bool there =
        window->sensor < scene->sensor_count && scene->sensors[window->sensor].window == window;
    for (int k = 0; k < window->columns && !there; k++)
        values[k] = NAN;
    if (!there)
        return CAIRN_OK;
    const scn_sensor *sensor = &scene->sensors[window->sensor];
    cairn_status status = read_instant(scene, sensor, values);
    return status == CAIRN_OK ? status
                              : base_fail(error, status, "sensor \"%s\": %s", sensor->name,
                                          cairn_status_text(status));
}

/// The keys window, every and from of a sensor that was just added; nothing without them.
static void add_window(const scn_fields *fields, int index)
{
    scn_scene *scene = scn_loader_of(fields->L)->scene;
    if (!scn_fields_has(fields, "window") && !scn_fields_has(fields, "every") &&
        !scn_fields_has(fields, "from"))
        return;
    if (base_array_reserve(&scene->allocator, &scene->windows, &scene->window_capacity,
                           scene->window_count + 1) != CAIRN_OK)
        scn_raise(fields->L, "out of memory");
    scn_window *window = base_allocate(&scene->allocator, 1, sizeof *window);
    if (window == NULL)
        scn_raise(fields->L, "out of memory");
    scene->windows[scene->window_count++] = window;
    *window =
        (scn_window){.scene = scene, .sensor = index, .columns = scene->sensors[index].columns};
    window->average =
        scn_window_add(fields, scene->sensors[index].name, read_sensor, window, window->columns);
    scene->sensors[index].window = window;
}

int scn_call_sensor(lua_State *L)
{
    static const char *const names[] = {"name",   "body",   "bodies",  "connector", "joint",
                                        "on",     "region", "emitter", "outlet",    "quantity",
                                        "window", "every",  "from",    NULL};
    static const char *const words[] = {"force",
                                        "torque",
                                        "position",
                                        "velocity",
                                        "angular_velocity",
                                        "normal",
                                        "displacement",
                                        "gap",
                                        "history",
                                        "coordinate",
                                        "speed",
                                        "effort",
                                        "stress",
                                        "fabric",
                                        "coordination",
                                        "porosity",
                                        "temperature",
                                        "mass_flow",
                                        "mass",
                                        "count",
                                        "sides",
                                        "shear",
                                        "void_ratio",
                                        "rattlers",
                                        "bearing_coordination",
                                        "kinetic_energy",
                                        "potential_energy",
                                        "unbalanced_force",
                                        "contacts",
                                        "bonds",
                                        "broken_bonds",
                                        NULL};
    scn_fields fields = scn_fields_begin(L, "sensor");
    scn_fields_check(&fields, names, 0);
    scn_fields_require(&fields, "name");
    const char *name = scn_fields_text(&fields, "name", NULL);
    check_sensor_name(L, name);
    scn_sensor_quantity quantity =
        (scn_sensor_quantity)scn_fields_choice(&fields, "quantity", SCN_SENSOR_FORCE, words);
    if (is_of_world(quantity))
        add_world_sensor(&fields, name, quantity);
    else if (scn_fields_has(&fields, "region"))
        add_region_sensor(&fields, name, quantity);
    else if (scn_fields_has(&fields, "emitter"))
        add_gate_sensor(&fields, name, SCN_SENSOR_EMITTER, quantity);
    else if (scn_fields_has(&fields, "outlet"))
        add_gate_sensor(&fields, name, SCN_SENSOR_OUTLET, quantity);
    else if (scn_fields_has(&fields, "connector"))
        add_connector_sensor(&fields, name, quantity);
    else if (scn_fields_has(&fields, "joint"))
        add_joint_sensor(&fields, name, quantity);
    else
        add_body_sensor(&fields, name, quantity);
    add_window(&fields, scn_loader_of(L)->scene->sensor_count - 1);
    return 0;
}
