// SPDX-License-Identifier: Apache-2.0
// Calls that say how to run a scene: title, simulation, gravity, solver, local_solver, output,
// print.
#include "scenes/load/loader.h"
#include "scenes/load/motion.h"

#include <lauxlib.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PRINTED_MOST = 10000 };

int scn_call_title(lua_State *L)
{
    scn_scene *scene = scn_loader_of(L)->scene;
    if (lua_type(L, 1) != LUA_TSTRING || lua_gettop(L) != 1)
        scn_raise(L, "title wants one text");
    if (lua_rawlen(L, 1) > SCN_TEXT_MOST)
        scn_raise(L, "title is longer than %d letters", SCN_TEXT_MOST);
    char *title = base_copy_text(&scene->allocator, lua_tostring(L, 1));
    if (title == NULL)
        scn_raise(L, "out of memory");
    base_release(&scene->allocator, scene->title);
    scene->title = title;
    return 0;
}

int scn_call_print(lua_State *L)
{
    char text[CAIRN_MESSAGE_SIZE] = "";
    int count = lua_gettop(L);
    if (++scn_loader_of(L)->printed > PRINTED_MOST)
        scn_raise(L, "scene prints more than %d lines (endless loop?)", PRINTED_MOST);
    for (int i = 1; i <= count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i > 1 ? " " : "", scn_push_shown(L, i));
        lua_pop(L, 1);
    }
    scn_loader_log(scn_loader_of(L), CAIRN_INFO, "%s", text);
    return 0;
}

/// Reads what the scene gives of the settings of a world.
static void read_world_def(const scn_fields *fields, cairn_world_def *def)
{
    lua_State *L = fields->L;
    cairn_error error = {0};
    for (int i = 0; i < cairn_world_def_setting_count(); i++) {
        const char *key = cairn_world_def_get_setting(i).name;
        if (lua_getfield(L, fields->table, key) == LUA_TNIL) {
            lua_pop(L, 1);
            continue;
        }
        cairn_value value = scn_fields_pop_value(fields, key);
        scn_fields_pass(fields, cairn_world_def_set_value(def, key, value, &error), &error);
    }
}

int scn_call_simulation(lua_State *L)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX] = {"end_time", "seed"};
    for (int i = 0; i < cairn_world_def_setting_count() && i + 3 < NAMES_MAX; i++)
        names[i + 2] = cairn_world_def_get_setting(i).name;
    scn_loader *loader = scn_loader_of(L);
    scn_fields fields = scn_fields_begin(L, "simulation");
    if (scn_fields_has(&fields, "gravity"))
        scn_raise(L, "simulation: gravity is a call of its own, gravity{ x, y, z }");
    scn_fields_check(&fields, names, 0);
    if (loader->scene->world != NULL)
        scn_raise(L, "simulation{} must come before the first material, pair, shape or body");
    read_world_def(&fields, &loader->world_def);
    loader->scene->end_time =
        scn_fields_number(&fields, "end_time", loader->scene->end_time, scn_range_positive("s"));
    int64_t seed = scn_fields_integer(&fields, "seed", loader->scene->seed, 0, INT32_MAX);
    if (scn_fields_has(&fields, "seed") && loader->options->seed < 0) {
        loader->scene->seed = seed;
        scn_sandbox_seed(L, seed);
    }
    return 0;
}

int scn_call_gravity(lua_State *L)
{
    static const char *const names[] = {"frame", NULL};
    scn_loader *loader = scn_loader_of(L);
    scn_fields fields = scn_fields_begin(L, "gravity");
    scn_fields_check(&fields, names, 3);
    bool whole = lua_rawgeti(L, 1, 1) == LUA_TFUNCTION && lua_rawlen(L, 1) == 1;
    for (int i = 0; i < 3 && !whole; i++)
        if (lua_rawgeti(L, 1, i + 1) == LUA_TNIL)
            scn_raise(L, "gravity wants three numbers, gravity{ x, y, z }");
    lua_settop(L, 1);
    scn_vector_source gravity, frame;
    scn_vector_source_read(&fields, NULL, "m/s2", &gravity);
    scn_vector_source_read(&fields, "frame", "m/s2", &frame);
    cairn_error error = {0};
    if (scn_vector_source_is_constant(&gravity) && scn_vector_source_is_constant(&frame)) {
        for (int k = 0; k < 3; k++)
            loader->world_def.gravity[k] = gravity.number[k] - frame.number[k];
        if (loader->scene->world != NULL)
            scn_fields_pass(
                &fields,
                cairn_world_set_gravity(loader->scene->world, loader->world_def.gravity, &error),
                &error);
        return 0;
    }
    scn_motion *motion = scn_motion_add(L, "gravity");
    motion->first = gravity;
    motion->second = frame;
    // what a run finds before its first step
    cairn_world *world = scn_loader_world(L);
    double now[3] = {0.0};
    scn_fields_pass(&fields, scn_gravity_evaluate(motion, 0.0, now, &error), &error);
    scn_fields_pass(&fields, cairn_world_set_gravity(world, now, &error), &error);
    scn_fields_pass(&fields,
                    cairn_world_set_gravity_function(world, scn_gravity_evaluate, motion, &error),
                    &error);
    return 0;
}

// ---------------------------------------------------------------- solvers

typedef cairn_status set_name(cairn_world *world, const char *name, cairn_error *error);
typedef cairn_status set_value(cairn_world *world, const char *setting, cairn_value value,
                               cairn_error *error);

/// Sets every named field of the table through `set`.
static void pass_settings(const scn_fields *fields, cairn_world *world, set_value *set)
{
    lua_State *L = fields->L;
    lua_pushnil(L);
    while (lua_next(L, fields->table) != 0) {
        if (lua_type(L, -2) != LUA_TSTRING) {
            lua_pop(L, 1);
            continue;
        }
        const char *key = lua_tostring(L, -2);
        cairn_value value = scn_fields_pop_value(fields, key);
        cairn_error error = {0};
        scn_fields_pass(fields, set(world, key, value, &error), &error);
    }
}

static int call_solver(lua_State *L, const char *call, cairn_plugin plugin, const char *instead,
                       set_name *choose, set_value *set)
{
    scn_fields fields = scn_fields_begin(L, call);
    if (lua_rawgeti(L, 1, 1) != LUA_TSTRING)
        scn_raise(L, "%s wants a name first, %s{ \"name\", ... }", call, call);
    const char *name = lua_tostring(L, -1);
    cairn_error error = {0};
    scn_fields_pass(&fields, scn_check_plugin(plugin, name, &error), &error);
    cairn_world *world = scn_loader_world(L);
    // settings of one solver mean nothing to another
    if (instead != NULL && strcmp(instead, name) != 0)
        return 0;
    scn_fields_pass(&fields, choose(world, name, &error), &error);
    pass_settings(&fields, world, set);
    return 0;
}

int scn_call_solver(lua_State *L)
{
    return call_solver(L, "solver", CAIRN_SOLVER, scn_loader_of(L)->options->solver,
                       cairn_world_set_solver, cairn_world_set_solver_value);
}

int scn_call_local_solver(lua_State *L)
{
    return call_solver(L, "local_solver", CAIRN_LOCAL, scn_loader_of(L)->options->local,
                       cairn_world_set_local, cairn_world_set_local_value);
}

// ---------------------------------------------------------------- output

int scn_call_output(lua_State *L)
{
    static const char *const names[] = {"paraview",       "paraview_every", "energy_every",
                                        "contacts_every", "fclib",          "fclib_every",
                                        "fclib_form",     "fclib_when",     NULL};
    static const char *const contents[] = {"glyphs", "surfaces", "none", NULL};
    static const char *const forms[] = {"local", "global", "both", NULL};
    scn_scene *scene = scn_loader_of(L)->scene;
    scn_output *output = &scene->output;
    scn_fields fields = scn_fields_begin(L, "output");
    scn_fields_check(&fields, names, 0);
    output->paraview =
        (scn_paraview)scn_fields_choice(&fields, "paraview", (int)output->paraview, contents);
    output->paraview_every =
        (int)scn_fields_integer(&fields, "paraview_every", output->paraview_every, 0, INT_MAX);
    if (scn_fields_has(&fields, "energy_every"))
        output->energy_every = (int)scn_fields_integer(&fields, "energy_every", 1, 1, INT_MAX);
    output->contacts_every =
        (int)scn_fields_integer(&fields, "contacts_every", output->contacts_every, 0, INT_MAX);
    output->fclib = scn_fields_boolean(&fields, "fclib", output->fclib);
    output->fclib_every =
        (int)scn_fields_integer(&fields, "fclib_every", output->fclib_every, 1, INT_MAX);
    output->fclib_form = (scn_fclib_form)(scn_fields_choice(&fields, "fclib_form",
                                                            (int)output->fclib_form - 1, forms) +
                                          1);

    // read condition
    const char *text = scn_fields_text(&fields, "fclib_when", NULL);
    if (text != NULL) {
        cairn_error error = {0};
        scn_fields_pass(&fields, scn_condition_parse(text, &scene->output.fclib_condition, &error),
                        &error);
        char *copy = base_copy_text(&scene->allocator, text);
        if (copy == NULL)
            scn_raise(fields.L, "out of memory");
        base_release(&scene->allocator, scene->output.fclib_when);
        scene->output.fclib_when = copy;
    }

    return 0;
}
