// SPDX-License-Identifier: Apache-2.0
// Calls the functions of a prescribed motion while a world steps.
#include "scenes/load/motion.h"

#include "base/elementary.h"
#include "base/text.h"
#include "scenes/load/loader.h"

#include <lauxlib.h>
#include <math.h>
#include <string.h>

typedef struct request {
    const scn_motion *source;
    double time;
    cairn_motion *motion;
    double *value;          // of a motor
    double *first, *second; // [3] of a load or of gravity
} request;

/// Calls a function with the time, and reads `count` numbers that it returns, one by one or as a
/// table.
static void call_function(lua_State *L, int reference, double time, const char *what, double *out,
                          int count)
{
    int top = lua_gettop(L);
    lua_rawgeti(L, LUA_REGISTRYINDEX, reference);
    lua_pushnumber(L, time);
    lua_call(L, 1, LUA_MULTRET);
    bool table = lua_istable(L, top + 1);
    for (int i = 0; i < count; i++) {
        if (table)
            lua_rawgeti(L, top + 1, i + 1);
        else
            lua_pushvalue(L, i < lua_gettop(L) - top ? top + 1 + i : top);
        bool given = table || i < lua_gettop(L) - top - 1;
        if (!given || lua_type(L, -1) != LUA_TNUMBER)
            scn_raise(L, "%s(t) must return %d number%s", what, count, count == 1 ? "" : "s");
        out[i] = lua_tonumber(L, -1);
        lua_pop(L, 1);
    }
    lua_settop(L, top);
}

static void turn_about(const double axis[3], double degrees, double out[4])
{
    double norm = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double half = degrees * M_PI / 360.0;
    out[0] = base_cos(half);
    for (int k = 0; k < 3; k++)
        out[k + 1] = base_sin(half) * axis[k] / norm;
}

static void ask_vector(lua_State *L, const scn_vector_source *source, double time, const char *what,
                       double out[3])
{
    if (source->whole != LUA_NOREF) {
        call_function(L, source->whole, time, what, out, 3);
        return;
    }
    for (int k = 0; k < 3; k++) {
        out[k] = source->number[k];
        if (source->part[k] != LUA_NOREF)
            call_function(L, source->part[k], time, what, &out[k], 1);
    }
}

/// Runs protected; the request is its light userdata.
static int answer(lua_State *L)
{
    const request *r = lua_touserdata(L, 1);
    const scn_motion *s = r->source;
    cairn_motion *m = r->motion;
    if (s->first.given) {
        ask_vector(L, &s->first, r->time, "position", m->position);
        m->given |= CAIRN_MOTION_POSITION;
    }
    if (s->orientation != LUA_NOREF) {
        call_function(L, s->orientation, r->time, "orientation", m->orientation, 4);
        m->given |= CAIRN_MOTION_ORIENTATION;
    }
    if (s->angle != LUA_NOREF) {
        double degrees;
        call_function(L, s->angle, r->time, "angle", &degrees, 1);
        turn_about(s->axis, degrees, m->orientation);
        m->given |= CAIRN_MOTION_ORIENTATION;
    }
    if (s->second.given) {
        ask_vector(L, &s->second, r->time, "velocity", m->velocity);
        m->given |= CAIRN_MOTION_VELOCITY;
    }
    if (s->third.given) {
        ask_vector(L, &s->third, r->time, "angular_velocity", m->angular_velocity);
        m->given |= CAIRN_MOTION_ANGULAR_VELOCITY;
    }
    return 0;
}

/// The same for a motor.
static int answer_motor(lua_State *L)
{
    const request *r = lua_touserdata(L, 1);
    call_function(L, r->source->value, r->time, "motor", r->value, 1);
    return 0;
}

/// The same for a load, and for gravity.
static int answer_vectors(lua_State *L)
{
    const request *r = lua_touserdata(L, 1);
    if (r->source->first.given)
        ask_vector(L, &r->source->first, r->time, "function", r->first);
    if (r->source->second.given)
        ask_vector(L, &r->source->second, r->time, "function", r->second);
    return 0;
}

cairn_status scn_motion_call(const scn_motion *motion, lua_CFunction function, void *argument,
                             const char *what, double time, cairn_error *error)
{
    lua_State *L = motion->L;
    scn_sandbox *sandbox = scn_sandbox_of(L);
    sandbox->instructions = 0;
    int top = lua_gettop(L);
    lua_pushcfunction(L, function);
    lua_pushlightuserdata(L, argument);
    locale_t before = base_plain_begin();
    int result = lua_pcall(L, 1, 0, 0);
    base_plain_end(before);
    cairn_status status = CAIRN_OK;
    if (result == LUA_ERRMEM && !sandbox->memory_refused)
        status = base_fail(error, CAIRN_ERROR_MEMORY, "out of memory");
    else if (result != LUA_OK) {
        const char *text = lua_tostring(L, -1);
        status = base_fail(error, CAIRN_ERROR_SCENE, "%s of \"%s\" at t = %g s: %s", what,
                           motion->body, time, text != NULL ? text : "unknown error");
    }
    lua_settop(L, top);
    return status;
}

/// @param what  "motion" or "motor", for messages
static cairn_status ask(request *r, lua_CFunction function, const char *what, cairn_error *error)
{
    return scn_motion_call(r->source, function, r, what, r->time, error);
}

cairn_status scn_motion_evaluate(void *context, double time, cairn_motion *motion,
                                 cairn_error *error)
{
    request r = {.source = context, .time = time, .motion = motion};
    return ask(&r, answer, "motion", error);
}

cairn_status scn_motor_evaluate(void *context, double time, double *value, cairn_error *error)
{
    request r = {.source = context, .time = time, .value = value};
    return ask(&r, answer_motor, "motor", error);
}

cairn_status scn_load_evaluate(void *context, double time, double force[3], double torque[3],
                               cairn_error *error)
{
    request r = {.source = context, .time = time, .first = force, .second = torque};
    return ask(&r, answer_vectors, "load", error);
}

cairn_status scn_gravity_evaluate(void *context, double time, double gravity[3], cairn_error *error)
{
    double frame[3] = {0.0};
    request r = {.source = context, .time = time, .first = gravity, .second = frame};
    cairn_status status = ask(&r, answer_vectors, "function", error);
    for (int k = 0; k < 3; k++)
        gravity[k] -= frame[k];
    return status;
}

// ---------------------------------------------------------------- while the scene is loaded

static const scn_vector_source no_source = {
    false, LUA_NOREF, {LUA_NOREF, LUA_NOREF, LUA_NOREF}, {0.0}};

scn_motion *scn_motion_add(lua_State *L, const char *body)
{
    scn_scene *scene = scn_loader_of(L)->scene;
    if (base_array_reserve(&scene->allocator, &scene->motions, &scene->motion_capacity,
                           scene->motion_count + 1) != CAIRN_OK)
        scn_raise(L, "out of memory");
    scn_motion *motion = base_allocate(&scene->allocator, 1, sizeof *motion);
    if (motion == NULL)
        scn_raise(L, "out of memory");
    scene->motions[scene->motion_count++] = motion;
    *motion = (scn_motion){.L = L,
                           .value = LUA_NOREF,
                           .orientation = LUA_NOREF,
                           .angle = LUA_NOREF,
                           .first = no_source,
                           .second = no_source,
                           .third = no_source};
    motion->body = base_copy_text(&scene->allocator, body);
    if (motion->body == NULL)
        scn_raise(L, "out of memory");
    return motion;
}

bool scn_vector_source_read(const scn_fields *fields, const char *key, const char *unit,
                            scn_vector_source *source)
{
    lua_State *L = fields->L;
    *source = no_source;
    int type = LUA_TTABLE;
    if (key != NULL)
        type = lua_getfield(L, fields->table, key);
    else
        lua_pushvalue(L, fields->table);
    if (type == LUA_TNIL) {
        lua_pop(L, 1);
        return false;
    }
    source->given = true;
    if (key == NULL && lua_rawgeti(L, -1, 1) == LUA_TFUNCTION && lua_rawlen(L, -2) == 1)
        type = LUA_TFUNCTION;
    else if (key == NULL)
        lua_pop(L, 1);
    if (type == LUA_TFUNCTION) {
        source->whole = luaL_ref(L, LUA_REGISTRYINDEX);
        return true;
    }
    const char *name = key != NULL ? key : fields->call;
    if (type != LUA_TTABLE || (key != NULL && lua_rawlen(L, -1) != 3))
        scn_raise(L,
                  "%s: %s must be three numbers or functions of the time, or one function that "
                  "returns three",
                  fields->call, name);
    for (int k = 0; k < 3; k++) {
        if (lua_rawgeti(L, -1, k + 1) == LUA_TFUNCTION)
            source->part[k] = luaL_ref(L, LUA_REGISTRYINDEX);
        else
            source->number[k] = scn_fields_pop_number(fields, name, scn_range_any(unit));
    }
    lua_pop(L, 1);
    return true;
}

bool scn_vector_source_is_constant(const scn_vector_source *source)
{
    return source->whole == LUA_NOREF && source->part[0] == LUA_NOREF &&
           source->part[1] == LUA_NOREF && source->part[2] == LUA_NOREF;
}
