// SPDX-License-Identifier: Apache-2.0
// Calls joint and motion.
#include "base/vec.h"
#include "scenes/load/loader.h"
#include "scenes/load/motion.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------- joint

/// One name: a body and the world. Two: A and B.
static void read_bodies(const scn_fields *fields, cairn_joint_def *def)
{
    lua_State *L = fields->L;
    scn_fields_require(fields, "bodies");
    if (lua_getfield(L, fields->table, "bodies") != LUA_TTABLE || lua_rawlen(L, -1) < 1 ||
        lua_rawlen(L, -1) > 2)
        scn_raise(L, "joint: bodies must be { \"name\" } for a body and the world, or "
                     "{ \"a\", \"b\" }");
    int count = (int)lua_rawlen(L, -1);
    for (int i = 0; i < count; i++) {
        if (lua_rawgeti(L, -1, i + 1) != LUA_TSTRING)
            scn_raise(L, "joint: a body is given by its name, not by %s", luaL_typename(L, -1));
        cairn_body_id body = scn_check_body(L, lua_tostring(L, -1));
        *(i == count - 1 ? &def->b : &def->a) = body;
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/// The key of a row of CAIRN_JOINT_SETTINGS in a part of the call; NULL where it is not of that
/// part. @param part  "" for the call itself
static const char *key_of(int row, const char *part)
{
    const char *name = cairn_joint_def_get_setting(row).name, *dot = strchr(name, '.');
    size_t length = dot != NULL ? (size_t)(dot - name) : 0;
    if (strlen(part) != length || strncmp(name, part, length) != 0)
        return NULL;
    return dot != NULL ? dot + 1 : name;
}

/// Appends the keys of a part to a list, which stays NULL-terminated.
static void list_keys(const char *part, const char **names, int count)
{
    for (int i = 0; i < cairn_joint_def_setting_count(); i++)
        if (key_of(i, part) != NULL)
            names[count++] = key_of(i, part);
    names[count] = NULL;
}

/// The numbers of a part. @param target  the key that may have a function of the time instead,
/// which is left to the caller; NULL for none
static void read_numbers(const scn_fields *fields, const char *part, const char *target,
                         cairn_joint_def *def)
{
    lua_State *L = fields->L;
    cairn_error error = {0};
    for (int i = 0; i < cairn_joint_def_setting_count(); i++) {
        const cairn_setting_info row = cairn_joint_def_get_setting(i);
        const char *key = key_of(i, part);
        int type = key != NULL ? lua_getfield(L, fields->table, key) : LUA_TNIL;
        lua_pop(L, key != NULL);
        bool may_move = type != LUA_TNIL && target != NULL && strcmp(key, target) == 0;
        if (type == LUA_TNIL || (may_move && type == LUA_TFUNCTION))
            continue;
        scn_range range = {row.minimum, row.maximum, false, row.unit};
        double value = scn_fields_number(fields, key, 0.0, range);
        scn_fields_pass(
            fields, cairn_joint_def_set_value(def, row.name, cairn_number(value), &error), &error);
    }
}

/// The table of a key as fields of its own; false where it is missing. Leaves it on the stack.
static bool open_part(const scn_fields *fields, const char *key, scn_fields *part)
{
    lua_State *L = fields->L;
    const char *names[16];
    list_keys(key, names, 0);
    int type = lua_getfield(L, fields->table, key);
    if (type == LUA_TNIL)
        return false;
    if (type != LUA_TTABLE)
        scn_raise(L, "joint: %s must be a table, { %s = ... }", key, names[0]);
    *part = scn_fields_at(L, lua_gettop(L), key);
    scn_fields_check(part, names, 0);
    return true;
}

/// A reference to the function of a key, LUA_NOREF where it is missing.
static int read_function(const scn_fields *fields, const char *what, const char *key)
{
    lua_State *L = fields->L;
    int type = lua_getfield(L, fields->table, key);
    if (type == LUA_TNIL) {
        lua_pop(L, 1);
        return LUA_NOREF;
    }
    if (type != LUA_TFUNCTION)
        scn_raise(L, "%s: %s must be a function of the time, not %s", what, key,
                  luaL_typename(L, -1));
    return luaL_ref(L, LUA_REGISTRYINDEX);
}

/// @return reference to the function that the motor follows, LUA_NOREF for none
static int read_motor(const scn_fields *fields, cairn_joint_def *def)
{
    scn_fields part;
    if (!open_part(fields, "motor", &part))
        return LUA_NOREF;
    bool position = scn_fields_has(&part, "position");
    def->motor = true;
    def->motor_law = position ? CAIRN_MOTOR_POSITION : CAIRN_MOTOR_VELOCITY;
    if (!position)
        scn_fields_require(&part, "velocity");
    const char *target = position ? "position" : "velocity";
    if (position && lua_getfield(part.L, part.table, "velocity") == LUA_TFUNCTION)
        scn_raise(part.L, "joint: a motor with a position has a velocity that is a number");
    read_numbers(&part, "motor", target, def);
    int type = lua_getfield(part.L, part.table, target);
    lua_pop(part.L, 1);
    return type == LUA_TFUNCTION ? read_function(&part, "joint", target) : LUA_NOREF;
}

static void read_range(const scn_fields *fields, cairn_joint_def *def)
{
    lua_State *L = fields->L;
    if (!scn_fields_has(fields, "range"))
        return;
    if (lua_getfield(L, fields->table, "range") != LUA_TTABLE)
        scn_raise(L, "joint: range must be { lowest, highest }");
    for (int i = 0; i < 2; i++) {
        if (lua_rawgeti(L, -1, i + 1) != LUA_TNUMBER || isnan(lua_tonumber(L, -1)))
            scn_raise(L, "joint: range must be { lowest, highest }, numbers (math.huge for none)");
        def->range[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static cairn_joint_kind read_kind(const scn_fields *fields)
{
    static const char *const words[] = {
#define JOINT_WORD(constant, name, help) #name,
        CAIRN_JOINT_LIST(JOINT_WORD)
#undef JOINT_WORD
            NULL};
    scn_fields_require(fields, "kind");
    return (cairn_joint_kind)scn_fields_choice(fields, "kind", 0, words);
}

static void read_places(const scn_fields *fields, cairn_joint_def *def)
{
    scn_fields_require(fields, "at");
    scn_fields_vector(fields, "at", def->anchor, 3, scn_range_any("m"));
    bool rod = def->kind == CAIRN_JOINT_ROD, universal = def->kind == CAIRN_JOINT_UNIVERSAL;
    if (scn_fields_vector(fields, "to", def->anchor_b, 3, scn_range_any("m")) != rod)
        scn_raise(fields->L, "joint: a rod, and no other kind, has a second end, to = {x, y, z}");
    scn_fields_vector(fields, "axis", def->axis, 3, scn_range_any(""));
    if (scn_fields_vector(fields, "axis_b", def->axis_b, 3, scn_range_any("")) != universal)
        scn_raise(fields->L,
                  "joint: a universal joint, and no other kind, has a second axis, axis_b");
}

/// With one body `at` is the end in the world: says so where that end lies nearer to the body.
static void check_rod_ends(lua_State *L, const cairn_joint_def *def)
{
    cairn_body_view body;
    if (def->kind != CAIRN_JOINT_ROD || def->a.generation != 0 ||
        cairn_body_get(scn_loader_world(L), def->b, &body) != CAIRN_OK)
        return;
    vec3 place = vec3_from(body.position);
    if (vec3_distance(vec3_from(def->anchor), place) <
        vec3_distance(vec3_from(def->anchor_b), place))
        scn_loader_log(scn_loader_of(L), CAIRN_WARNING,
                       "rod \"%.80s\": of a rod with one body \"at\" is the end in the world and "
                       "\"to\" the end on the body, but \"at\" lies nearer to the body; are they "
                       "swapped?",
                       def->name != NULL ? def->name : "without a name");
}

/// A new motion, of a body or of the motor of a joint, in the scene's list.
int scn_call_joint(lua_State *L)
{
    const char *names[32] = {"kind",   "name",  "bodies", "at",     "to",      "axis",
                             "axis_b", "range", "motor",  "spring", "collide", "start"};
    list_keys("", names, 12);
    scn_fields fields = scn_fields_begin(L, "joint");
    scn_fields_check(&fields, names, 0);
    cairn_joint_def def = cairn_default_joint_def(read_kind(&fields));
    read_bodies(&fields, &def);
    read_places(&fields, &def);
    read_range(&fields, &def);
    def.start = scn_fields_number(&fields, "start", 0.0, scn_range_any("rad or m"));
    int function = read_motor(&fields, &def);
    scn_fields spring;
    if (open_part(&fields, "spring", &spring))
        read_numbers(&spring, "spring", NULL, &def);
    read_numbers(&fields, "", NULL, &def);
    def.collide = scn_fields_boolean(&fields, "collide", false);
    def.name = scn_fields_text(&fields, "name", NULL);
    cairn_joint_id joint;
    cairn_error error = {0};
    cairn_world *world = scn_loader_world(L);
    scn_fields_pass(&fields, cairn_joint_create(world, &def, &joint, &error), &error);
    check_rod_ends(L, &def);
    if (function != LUA_NOREF) {
        scn_motion *motion =
            scn_motion_add(L, def.name != NULL ? def.name : "a joint without a name");
        motion->value = function;
        scn_fields_pass(
            &fields,
            cairn_joint_set_motor_function(world, joint, scn_motor_evaluate, motion, &error),
            &error);
    }
    return 0;
}

cairn_joint_id scn_check_joint(lua_State *L, const char *name)
{
    const cairn_world *world = scn_loader_world(L);
    cairn_joint_id joint = cairn_joint_find(world, name);
    if (joint.generation != 0)
        return joint;
    const char *names[64];
    int count = 0;
    for (int i = 0; i < cairn_joint_count(world) && count < 64; i++) {
        cairn_joint_view view;
        if (cairn_joint_get(world, cairn_joint_at(world, i), &view) == CAIRN_OK &&
            view.name[0] != '\0')
            names[count++] = view.name;
    }
    scn_raise_unknown(L, "joint", name, names, count);
}

cairn_status scn_joint_read(const scn_scene *scene, const scn_sensor *sensor, double *value)
{
    cairn_joint_view view;
    BASE_TRY(cairn_joint_get(scene->world, sensor->joint, &view));
    if (sensor->columns == 3)
        memcpy(value, sensor->quantity == SCN_SENSOR_FORCE ? view.force : view.torque,
               3 * sizeof *value);
    else
        value[0] = sensor->quantity == SCN_SENSOR_COORDINATE ? view.coordinate
                   : sensor->quantity == SCN_SENSOR_SPEED    ? view.speed
                                                             : view.effort;
    return CAIRN_OK;
}

// ---------------------------------------------------------------- motion

static void read_rotation(const scn_fields *fields, scn_motion *motion)
{
    static const char *const names[] = {"axis", "angle", NULL};
    lua_State *L = fields->L;
    int type = lua_getfield(L, fields->table, "rotation");
    if (type == LUA_TNIL)
        return;
    if (type != LUA_TTABLE)
        scn_raise(L, "motion: rotation must be { axis = {x, y, z}, angle = function(t) ... end }");
    scn_fields part = scn_fields_at(L, lua_gettop(L), "motion");
    scn_fields_check(&part, names, 0);
    scn_fields_require(&part, "axis");
    scn_fields_require(&part, "angle");
    scn_fields_vector(&part, "axis", motion->axis, 3, scn_range_any(""));
    if (motion->axis[0] == 0.0 && motion->axis[1] == 0.0 && motion->axis[2] == 0.0)
        scn_raise(L, "motion: the axis must not be zero");
    motion->angle = read_function(&part, "motion", "angle");
}

int scn_call_motion(lua_State *L)
{
    static const char *const names[] = {"body",     "position",         "orientation", "rotation",
                                        "velocity", "angular_velocity", NULL};
    scn_fields fields = scn_fields_begin(L, "motion");
    scn_fields_check(&fields, names, 0);
    scn_fields_require(&fields, "body");
    const char *name = scn_fields_text(&fields, "body", NULL);
    cairn_body_id body = scn_check_body(L, name);
    cairn_body_view view;
    cairn_error error = {0};
    scn_fields_pass(&fields, cairn_body_get(scn_loader_world(L), body, &view), &error);
    if (view.kind != CAIRN_MOVING)
        scn_raise(L, "motion: body \"%.80s\" is %s: give it kind = \"moving\"", name,
                  view.kind == CAIRN_FIXED ? "fixed" : "dynamic");
    scn_motion *motion = scn_motion_add(L, name);
    bool placed = scn_vector_source_read(&fields, "position", "m", &motion->first);
    motion->orientation = read_function(&fields, "motion", "orientation");
    read_rotation(&fields, motion);
    bool moves = scn_vector_source_read(&fields, "velocity", "m/s", &motion->second);
    bool turns = scn_vector_source_read(&fields, "angular_velocity", "rad/s", &motion->third);
    int turned = (motion->orientation != LUA_NOREF) + (motion->angle != LUA_NOREF) + turns;
    if (!placed && !moves && turned == 0)
        scn_raise(L, "motion: give position, orientation, rotation, velocity or angular_velocity");
    if ((placed && moves) || turned > 1)
        scn_raise(L, "motion: give position or velocity, and one of orientation, rotation and "
                     "angular_velocity");
    scn_fields_pass(
        &fields,
        cairn_body_set_motion(scn_loader_world(L), body, scn_motion_evaluate, motion, &error),
        &error);
    return 0;
}
