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

/// The table of a key as fields of its own; false where it is missing. Leaves it on the stack.
static bool open_part(const scn_fields *fields, const char *key, const char *const *names,
                      scn_fields *part)
{
    lua_State *L = fields->L;
    int type = lua_getfield(L, fields->table, key);
    if (type == LUA_TNIL)
        return false;
    if (type != LUA_TTABLE)
        scn_raise(L, "joint: %s must be a table, { %s = ... }", key, names[0]);
    *part = scn_fields_at(L, lua_gettop(L), "joint");
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

/// A number of a motor, or a function of the time whose reference is returned.
static int read_target(const scn_fields *part, const char *key, const char *unit, double *value)
{
    int type = lua_getfield(part->L, part->table, key);
    lua_pop(part->L, 1);
    if (type == LUA_TFUNCTION)
        return read_function(part, "joint", key);
    *value = scn_fields_number(part, key, 0.0, scn_range_any(unit));
    return LUA_NOREF;
}

/// @return reference to the function that the motor follows, LUA_NOREF for none
static int read_motor(const scn_fields *fields, cairn_joint_def *def)
{
    static const char *const names[] = {"velocity",  "limit",   "position",
                                        "stiffness", "damping", NULL};
    scn_fields part;
    if (!open_part(fields, "motor", names, &part))
        return LUA_NOREF;
    bool position = scn_fields_has(&part, "position");
    def->motor = true;
    def->motor_law = position ? CAIRN_MOTOR_POSITION : CAIRN_MOTOR_VELOCITY;
    if (!position)
        scn_fields_require(&part, "velocity");
    int function = read_target(&part, "velocity", "rad/s or m/s", &def->motor_velocity);
    if (position && function != LUA_NOREF)
        scn_raise(part.L, "joint: a motor with a position has a velocity that is a number");
    if (position)
        function = read_target(&part, "position", "rad or m", &def->motor_position);
    def->motor_stiffness =
        scn_fields_number(&part, "stiffness", 0.0, scn_range_not_negative("N m/rad or N/m"));
    def->motor_damping =
        scn_fields_number(&part, "damping", 0.0, scn_range_not_negative("N m s/rad or N s/m"));
    if (scn_fields_has(&part, "limit"))
        def->motor_limit =
            scn_fields_number(&part, "limit", 0.0, scn_range_not_negative("N m or N"));
    return function;
}

static void read_spring(const scn_fields *fields, cairn_joint_def *def)
{
    static const char *const names[] = {"stiffness", "damping", "rest", NULL};
    scn_fields part;
    if (!open_part(fields, "spring", names, &part))
        return;
    def->stiffness =
        scn_fields_number(&part, "stiffness", 0.0, scn_range_not_negative("N m/rad or N/m"));
    def->damping =
        scn_fields_number(&part, "damping", 0.0, scn_range_not_negative("N m s/rad or N s/m"));
    def->rest = scn_fields_number(&part, "rest", 0.0, scn_range_any("rad or m"));
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
    static const char *const names[] = {"kind",   "name",     "bodies",  "at",    "to",
                                        "axis",   "axis_b",   "range",   "motor", "force",
                                        "spring", "friction", "collide", NULL};
    scn_fields fields = scn_fields_begin(L, "joint");
    scn_fields_check(&fields, names, 0);
    cairn_joint_def def = cairn_default_joint_def(read_kind(&fields));
    read_bodies(&fields, &def);
    read_places(&fields, &def);
    read_range(&fields, &def);
    int function = read_motor(&fields, &def);
    read_spring(&fields, &def);
    def.force = scn_fields_number(&fields, "force", 0.0, scn_range_any("N m or N"));
    def.friction = scn_fields_number(&fields, "friction", 0.0, scn_range_not_negative("N m or N"));
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
        motion->position = function;
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
    cairn_status status = cairn_joint_get(scene->world, sensor->joint, &view);
    if (status != CAIRN_OK)
        return status;
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
    scn_motion *motion = scn_motion_add(L, name);
    motion->position = read_function(&fields, "motion", "position");
    motion->orientation = read_function(&fields, "motion", "orientation");
    read_rotation(&fields, motion);
    motion->velocity = read_function(&fields, "motion", "velocity");
    motion->angular_velocity = read_function(&fields, "motion", "angular_velocity");
    bool turns = motion->orientation != LUA_NOREF || motion->angle != LUA_NOREF;
    if (motion->position == LUA_NOREF && motion->velocity == LUA_NOREF && !turns &&
        motion->angular_velocity == LUA_NOREF)
        scn_raise(L, "motion: give position, orientation, rotation, velocity or angular_velocity");
    if ((motion->position != LUA_NOREF && motion->velocity != LUA_NOREF) ||
        (motion->orientation != LUA_NOREF) + (motion->angle != LUA_NOREF) +
                (motion->angular_velocity != LUA_NOREF) >
            1)
        scn_raise(L, "motion: give position or velocity, and one of orientation, rotation and "
                     "angular_velocity");
    cairn_error error = {0};
    scn_fields_pass(
        &fields,
        cairn_body_set_motion(scn_loader_world(L), body, scn_motion_evaluate, motion, &error),
        &error);
    return 0;
}
