// SPDX-License-Identifier: Apache-2.0
// Loads a scene: opens the sandbox, runs the file, applies what the caller overrides.
#include "scenes/load/loader.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/settings.h"
#include "base/text.h"
#include "base/timer.h"
#include "engine/measures/finite.h"
#include "engine/passes/impact.h"
#include "scenes/import/import.h"
#include "scenes/load/motion.h"

#include <errno.h>
#include <lauxlib.h>
#include <libgen.h>
#include <limits.h>
#include <lualib.h>
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_SIZE_MAX = 64 << 20, OVERLAPS_SHOWN = 5 };

static const luaL_Reg calls[] = {
#define CALL(name) {#name, scn_call_##name},
    SCN_CALLS(CALL)
#undef CALL
#define SHAPE(constant, name, call, ...) {#call, scn_call_##call},
        CAIRN_PLAIN_SHAPES(SHAPE)
#undef SHAPE
};

scn_options scn_default_options(void)
{
    return (scn_options){
        .tolerance = NAN,
        .time_step = NAN,
        .end_time = NAN,
        .seed = -1,
        .memory_limit = (size_t)512 << 20,
        .instruction_limit = 1000000000,
        .time_limit = 20.0,
        .body_limit = 2000000,
        .memory_budget = (size_t)(SIZE_MAX > UINT32_MAX ? UINT64_C(4) << 30 : UINT64_C(1) << 31),
        .allocator = base_allocator_default(),
    };
}

// ---------------------------------------------------------------- world

static void *forward_reallocate(void *context, void *block, size_t size)
{
    const base_allocator *allocator = context;
    return allocator->reallocate(allocator->context, block, size);
}

/// Settings of the command line come after those of the scene.
static cairn_status apply_settings(scn_loader *loader, cairn_error *error)
{
    const scn_options *options = loader->options;
    cairn_world *world = loader->scene->world;
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < options->solver_setting_count && status == CAIRN_OK; i++)
        status = cairn_world_set_solver_value(world, options->solver_settings[i].name,
                                              scn_value_of_word(options->solver_settings[i].value),
                                              error);
    for (int i = 0; i < options->local_setting_count && status == CAIRN_OK; i++)
        status =
            cairn_world_set_local_value(world, options->local_settings[i].name,
                                        scn_value_of_word(options->local_settings[i].value), error);
    if (status != CAIRN_OK)
        loader->failure = CAIRN_ERROR_ARGUMENT;
    return status;
}

static cairn_status check_parameters(const scn_loader *loader, cairn_error *error)
{
    const scn_scene *scene = loader->scene;
    const char *names[64];
    for (int i = 0; i < loader->options->parameter_count; i++) {
        const char *word = loader->options->parameters[i].name;
        int count = 0;
        bool found = false;
        for (int k = 0; k < scene->parameter_count && !found; k++) {
            found = strcmp(scene->parameters[k].name, word) == 0;
            if (count < BASE_COUNT(names))
                names[count++] = scene->parameters[k].name;
        }
        const char *near = found ? NULL : base_suggest(word, names, count);
        if (near != NULL)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "%s has no parameter \"%.80s\" (did you mean \"%s\"?)", scene->path,
                             word, near);
        if (!found)
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "%s has no parameter \"%.80s\" (run it with --help for a list)",
                             scene->path, word);
    }
    return CAIRN_OK;
}

// of the smaller body's smallest size: what overlaps by more is no contact that a law is made for
static const double SO_DEEP = 0.5;
static const char so_deep[] = ": so deep a pair flies apart at once, or stays within one another; "
                              "place the bodies apart";

scn_title scn_body_title(const cairn_world *world, cairn_body_id body)
{
    scn_title title;
    snprintf(title.text, sizeof title.text, "%s", eng_body_title(world, body).text);
    return title;
}

/// Refuses bodies that are too large for a periodic cell and pairs that do not go with the world's
/// impacts, and warns about bodies that overlap.
static cairn_status check_bodies(scn_loader *loader, cairn_error *error)
{
    cairn_overlap overlaps[OVERLAPS_SHOWN];
    scn_scene *scene = loader->scene;
    cairn_error why = {0};
    cairn_status status = eng_cell_check_bodies(scene->world, &why);
    if (status == CAIRN_OK)
        status = eng_impacts_check(scene->world, &why);
    if (status != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_SCENE, "%s: %s", scene->path, why.message);
    if (loader->options->skip_overlaps)
        return CAIRN_OK;
    BASE_TRY(cairn_world_find_overlaps(scene->world, overlaps, OVERLAPS_SHOWN,
                                       &scene->overlap_count, error));
    for (int i = 0; i < scene->overlap_count && i < OVERLAPS_SHOWN; i++) {
        scn_loader_log(loader, CAIRN_WARNING,
                       "%s and %s overlap by %.3g m at the start (%.2g of the smaller one's "
                       "smallest size)%s",
                       eng_body_title(scene->world, overlaps[i].a).text,
                       eng_body_title(scene->world, overlaps[i].b).text, overlaps[i].depth,
                       overlaps[i].relative, overlaps[i].relative >= SO_DEEP ? so_deep : "");
    }
    if (scene->overlap_count > OVERLAPS_SHOWN)
        scn_loader_log(loader, CAIRN_WARNING, "and %d more pairs overlap at the start",
                       scene->overlap_count - OVERLAPS_SHOWN);
    return CAIRN_OK;
}

// ---------------------------------------------------------------- running the program

/// "attempt to call a nil value (global 'sphre')": what the caller meant. NULL where the text is
/// another one; else the message, on the Lua stack.
static const char *push_unknown_call(lua_State *L, const char *text)
{
    static const char begin[] = "attempt to call a nil value (global '";
    const char *at = strstr(text, begin);
    const char *names[BASE_COUNT(calls)];
    char word[64];
    if (at == NULL)
        return NULL;
    at += sizeof begin - 1;
    luaL_checkstack(L, 8, NULL);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(at, "'"), at);
    for (int i = 0; i < BASE_COUNT(calls); i++)
        names[i] = calls[i].name;
    return lua_pushfstring(L, "unknown call '%s'%s", word,
                           base_choices_for(word, names, BASE_COUNT(calls)).text);
}

/// Gives messages of Lua itself the same "file:line: " as ours.
static int place_message(lua_State *L)
{
    const scn_loader *loader = scn_loader_of(L);
    const char *text = lua_tostring(L, 1);
    if (text == NULL)
        text = "error called with a value that is no text";
    lua_Debug place;
    const char *path = loader->scene->path;
    const char *call = push_unknown_call(L, text);
    if (call == NULL && strncmp(text, path, strlen(path)) == 0)
        return 1;
    text = call != NULL ? call : text;
    for (int level = 0; lua_getstack(L, level, &place) != 0; level++) {
        lua_getinfo(L, "Sl", &place);
        if (place.currentline <= 0 || place.source[0] != '@')
            continue;
        // that of a file which the scene requires has its place
        path = place.source + 1;
        if (call == NULL && strncmp(text, path, strlen(path)) == 0)
            return 1;
        // a long path comes shortened: drop it
        size_t length = strlen(place.short_src);
        if (strncmp(text, place.short_src, length) == 0 && strchr(text + length, ' ') != NULL)
            text = strchr(text + length, ' ') + 1;
        lua_pushfstring(L, "%s:%d: %s", path, place.currentline, text);
        return 1;
    }
    return 1;
}

/// Functions of a motion run while the world steps: they may not build any more.
static int guarded_call(lua_State *L)
{
    const luaL_Reg *call = &calls[lua_tointeger(L, lua_upvalueindex(1))];
    if (scn_sandbox_of(L)->owner == NULL)
        scn_raise(L, "%s may be called only while the scene is loaded", call->name);
    return call->func(L);
}

static int prepare(lua_State *L)
{
    scn_loader *loader = scn_loader_of(L);
    scn_sandbox_fill(L);
    scn_sandbox_seed(L, loader->scene->seed);
    luaL_newmetatable(L, SCN_SHAPE);
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_pop(L, 1);
    for (int i = 0; i < BASE_COUNT(calls); i++) {
        lua_pushinteger(L, i);
        lua_pushcclosure(L, guarded_call, 1);
        lua_setglobal(L, calls[i].name);
    }
    // the library of tables can be called, too
    lua_getglobal(L, LUA_TABLIBNAME);
    lua_createtable(L, 0, 2);
    lua_pushcfunction(L, scn_call_table);
    lua_setfield(L, -2, "__call");
    lua_pushboolean(L, 0);
    lua_setfield(L, -2, "__metatable");
    lua_setmetatable(L, -2);
    lua_pop(L, 1);
    return 0;
}

static cairn_status fail_program(scn_loader *loader, lua_State *L, int result, cairn_error *error)
{
    const scn_sandbox *sandbox = loader->sandbox;
    const char *path = loader->scene->path;
    char line[24] = "";
    if (sandbox->last_line > 0)
        snprintf(line, sizeof line, ":%d", sandbox->last_line);
    if (loader->scene->budget.refused)
        return base_fail(error, CAIRN_ERROR_SCENE,
                         "%s%s: scene needs more than %zu MB of memory for its program and its "
                         "world (--memory-limit sets the limit)",
                         path, line, loader->scene->budget.limit >> 20);
    if (result == LUA_ERRMEM && sandbox->text_refused)
        return base_fail(error, CAIRN_ERROR_SCENE, "%s%s: scene makes a text of more than %d MB",
                         path, line, SCN_LONG_TEXT_MOST >> 20);
    if (result == LUA_ERRMEM && sandbox->memory_refused)
        return base_fail(error, CAIRN_ERROR_SCENE,
                         "%s%s: scene needs more than %zu MB of memory (endless table or text?)",
                         path, line, sandbox->memory_limit >> 20);
    if (result == LUA_ERRMEM)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    const char *text = lua_tostring(L, -1);
    if (text == NULL)
        text = "unknown error";
    // errors before the first line, as of bytecode, have no place
    bool placed = strncmp(text, path, strlen(path)) == 0;
    return base_fail(error, loader->failure, "%s%s%s", placed ? "" : path, placed ? "" : ": ",
                     text);
}

static cairn_status run_text(scn_loader *loader, lua_State *L, const char *text, size_t size,
                             cairn_error *error)
{
    lua_settop(L, 0);
    lua_pushcfunction(L, place_message);
    char chunk[PATH_MAX + 2];
    snprintf(chunk, sizeof chunk, "@%s", loader->scene->path);
    int result = luaL_loadbufferx(L, text, size, chunk, "t");
    if (result == LUA_OK)
        result = lua_pcall(L, 0, 0, 1);
    return result == LUA_OK ? CAIRN_OK : fail_program(loader, L, result, error);
}

static cairn_status run_program(scn_loader *loader, lua_State *L, const char *text, size_t size,
                                cairn_error *error)
{
    lua_pushcfunction(L, prepare);
    int result = lua_pcall(L, 0, 0, 0);
    return result == LUA_OK ? run_text(loader, L, text, size, error)
                            : fail_program(loader, L, result, error);
}

/// The world of a scene without any body is made here, too.
static int finish(lua_State *L)
{
    scn_loader_world(L);
    return 0;
}

static cairn_status finish_scene(scn_loader *loader, lua_State *L, cairn_error *error)
{
    BASE_TRY(check_parameters(loader, error));
    lua_pushcfunction(L, finish);
    int result = lua_pcall(L, 0, 0, 0);
    if (result != LUA_OK)
        return fail_program(loader, L, result, error);
    if (!loader->options->may_be_empty && cairn_body_count(loader->scene->world) == 0 &&
        cairn_emitter_count(loader->scene->world) == 0)
        return base_fail(error, CAIRN_ERROR_SCENE, "%s: the scene has no body",
                         loader->scene->path);
    if (!isnan(loader->options->end_time))
        loader->scene->end_time = loader->options->end_time;
    cairn_status status = apply_settings(loader, error);
    return status != CAIRN_OK ? status : check_bodies(loader, error);
}

/// Closes the program, or keeps it for the motions and scn_add.
static void end_program(scn_loader *loader, lua_State *L, bool keep)
{
    scn_scene *scene = loader->scene;
    if (keep) {
        // the wall clock shall not decide about a step
        loader->sandbox->owner = NULL;
        loader->sandbox->time_limit = INFINITY;
        scene->program = L;
        scene->sandbox = loader->sandbox;
        return;
    }
    scn_sandbox_close(L);
    base_release(&scene->allocator, loader->sandbox);
}

/// A sandbox for the loader's program; NULL when out of memory.
static lua_State *open_sandbox(scn_loader *loader)
{
    scn_scene *scene = loader->scene;
    const scn_options *options = loader->options;
    loader->sandbox = base_allocate(&scene->allocator, 1, sizeof *loader->sandbox);
    if (loader->sandbox == NULL)
        return NULL;
    *loader->sandbox = (scn_sandbox){.allocator = scene->counted,
                                     .memory_limit = options->memory_limit,
                                     .instruction_limit = options->instruction_limit,
                                     .time_limit = options->time_limit,
                                     .stop = options->stop,
                                     .owner = loader};
    lua_State *L = scn_sandbox_open(loader->sandbox);
    if (L == NULL)
        base_release(&scene->allocator, loader->sandbox);
    return L;
}

/// Copies the loader to the scene, for scn_add; what the caller overrides has been applied.
static cairn_status keep_loader(const scn_loader *loader, cairn_error *error)
{
    scn_scene *scene = loader->scene;
    scn_loader *kept = base_allocate(&scene->allocator, 1, sizeof *kept);
    scn_options *options = base_allocate(&scene->allocator, 1, sizeof *options);
    char *folder = base_copy_text(&scene->allocator, loader->folder);
    if (kept == NULL || options == NULL || folder == NULL) {
        base_release(&scene->allocator, kept);
        base_release(&scene->allocator, options);
        base_release(&scene->allocator, folder);
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", scene->path);
    }
    *options = *loader->options;
    options->parameter_count = options->simulation_count = 0;
    options->solver_setting_count = options->local_setting_count = 0;
    options->law = options->solver = options->local = options->text = NULL;
    *kept = *loader;
    kept->options = options;
    kept->folder = folder;
    scene->loader = kept;
    return CAIRN_OK;
}

static cairn_status load_text(scn_loader *loader, const char *text, size_t size, cairn_error *error)
{
    scn_scene *scene = loader->scene;
    lua_State *L = open_sandbox(loader);
    if (L == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", scene->path);
    bool keep = loader->options->keep;
    cairn_status status = run_program(loader, L, text, size, error);
    if (status == CAIRN_OK)
        status = finish_scene(loader, L, error);
    if (status == CAIRN_OK && keep)
        status = keep_loader(loader, error);
    end_program(loader, L, status == CAIRN_OK && (keep || scene->motion_count > 0));
    return status;
}

// ---------------------------------------------------------------- file and scene

static cairn_status read_file(const base_allocator *allocator, const char *path, char **text,
                              size_t *size, cairn_error *error)
{
    const char *reason = NULL;
    FILE *file = base_file_read(path, &reason);
    if (file == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, reason);
    struct stat info = {0};
    cairn_status status = CAIRN_OK;
    if (fstat(fileno(file), &info) != 0)
        status = base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be read", path);
    else if (info.st_size > FILE_SIZE_MAX)
        status =
            base_fail(error, CAIRN_ERROR_FILE, "%s: larger than %d MB", path, FILE_SIZE_MAX >> 20);
    else if ((*text = base_allocate(allocator, (size_t)info.st_size + 1, 1)) == NULL)
        status = base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    else
        *size = fread(*text, 1, (size_t)info.st_size, file);
    fclose(file);
    if (status == CAIRN_OK) {
        size_t mark = base_text_mark(*text, *size);
        *size -= mark;
        memmove(*text, *text + mark, *size);
        memset(*text + *size, 0, mark);
    }
    return status;
}

/// The program from the options, or from its file.
static cairn_status read_program(const scn_options *options, const base_allocator *allocator,
                                 const char *path, char **text, size_t *size, cairn_error *error)
{
    char whole[PATH_MAX];
    bool robot = options->text == NULL && scn_robot_is_file(path) && realpath(path, whole) != NULL;
    if (options->text == NULL && !robot)
        return read_file(allocator, path, text, size, error);
    *text = robot ? scn_robot_scene(allocator, whole) : base_copy_text(allocator, options->text);
    *size = *text != NULL ? strlen(*text) : 0;
    return *text != NULL ? CAIRN_OK
                         : base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
}

/// Folder of a scene, of which the file may be gone when its text is at hand.
static cairn_status find_folder(const scn_options *options, const char *path, char out[PATH_MAX],
                                cairn_error *error)
{
    char whole[PATH_MAX];
    if (realpath(path, whole) != NULL) {
        if (scn_robot_is_file(path))
            scn_robot_folder(whole, out);
        else
            snprintf(out, PATH_MAX, "%s", dirname(whole));
        return CAIRN_OK;
    }
    if (options->text == NULL)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: %s", path, strerror(errno));
    snprintf(whole, sizeof whole, "%s", path);
    const char *folder = dirname(whole);
    if (realpath(folder, out) == NULL)
        snprintf(out, PATH_MAX, "%s", folder);
    return CAIRN_OK;
}

static char *scene_name(const base_allocator *allocator, const char *path)
{
    const char *slash = strrchr(path, '/');
    char *name = base_copy_text(allocator, slash != NULL ? slash + 1 : path);
    char *dot = name != NULL ? strrchr(name, '.') : NULL;
    if (dot != NULL && dot != name)
        *dot = '\0';
    return name;
}

/// Books a change of the memory in use; false where it would pass the limit. A viewer's thread
/// allocates beside the one that steps.
static bool budget_book(scn_budget *budget, size_t before, size_t after)
{
    size_t used = __atomic_add_fetch(&budget->used, after - before, __ATOMIC_RELAXED);
    if (after <= before || used <= budget->limit)
        return true;
    __atomic_sub_fetch(&budget->used, after - before, __ATOMIC_RELAXED);
    budget->refused = true;
    return false;
}

/// Blocks of the C library's allocator know their sizes, which are booked as they were asked for
/// and then as they came.
static void *budget_reallocate(void *context, void *block, size_t size)
{
    scn_budget *budget = context;
    size_t before = block != NULL ? malloc_usable_size(block) : 0;
    if (!budget_book(budget, before, size))
        return NULL;
    void *result = budget->source.reallocate(budget->source.context, block, size);
    size_t after = result != NULL ? malloc_usable_size(result) : size > 0 ? before : 0;
    __atomic_add_fetch(&budget->used, after - size, __ATOMIC_RELAXED);
    return result;
}

/// The allocator of program and world: the one given, counted where that can be done. Others than
/// they must not use it: it ends with the scene.
static base_allocator budget_allocator(scn_scene *scene, const scn_options *options)
{
    scene->budget = (scn_budget){.source = options->allocator, .limit = options->memory_budget};
    if (options->allocator.reallocate != base_allocator_default().reallocate)
        return options->allocator;
    return (base_allocator){budget_reallocate, &scene->budget};
}

static scn_scene *make_scene(const char *path, const scn_options *options)
{
    base_allocator allocator = options->allocator;
    scn_scene *scene = base_allocate(&allocator, 1, sizeof *scene);
    if (scene == NULL)
        return NULL;
    scene->allocator = allocator;
    scene->counted = budget_allocator(scene, options);
    scene->path = base_copy_text(&allocator, path);
    scene->name = scene_name(&allocator, path);
    scene->title = base_copy_text(&allocator, "");
    scene->end_time = 1.0;
    scene->seed = options->seed >= 0 ? options->seed : 1;
    scene->looks = scn_default_looks();
    scene->output = (scn_output){
        .paraview_every = -1,
        .contacts_every = -1,
        .fclib_every = 1,
        .fclib_form = SCN_FCLIB_LOCAL,
    };
    if (scene->path == NULL || scene->name == NULL || scene->title == NULL) {
        scn_destroy(scene);
        return NULL;
    }
    return scene;
}

static void prepare_loader(scn_loader *loader, const scn_options *options, scn_scene *scene)
{
    *loader = (scn_loader){
        .options = options,
        .scene = scene,
        .world_def = cairn_default_world_def(),
        .failure = CAIRN_ERROR_SCENE,
    };
    loader->world_def.log = options->log;
    loader->world_def.log_context = options->log_context;
    // the world outlives the options: its allocator refers to the scene's copy
    loader->world_def.allocator = (cairn_allocator){forward_reallocate, &scene->counted};
}

cairn_status scn_load(const char *path, const scn_options *options, scn_scene **scene,
                      cairn_error *error)
{
    *scene = NULL;
    scn_scene *made = make_scene(path, options);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", path);
    scn_loader loader;
    prepare_loader(&loader, options, made);
    char *text = NULL;
    size_t size = 0;
    char folder[PATH_MAX];
    cairn_status status = read_program(options, &made->allocator, path, &text, &size, error);
    // what follows a zero byte would be run, and be missing in what is kept of the scene
    if (status == CAIRN_OK && strlen(text) != size && text[0] != LUA_SIGNATURE[0])
        status = base_fail(error, CAIRN_ERROR_SCENE, "%s: a zero byte: not a text file", path);
    if (status == CAIRN_OK)
        status = find_folder(options, path, folder, error);
    if (status == CAIRN_OK) {
        loader.folder = folder;
        made->inputs = base_hash_bytes(BASE_HASH_START, text, size);
        status = load_text(&loader, text, size, error);
    }
    made->text = text;
    if (status != CAIRN_OK) {
        scn_destroy(made);
        return status;
    }
    *scene = made;
    return CAIRN_OK;
}

static void release_parameter(const base_allocator *allocator, scn_parameter *parameter)
{
    base_release(allocator, parameter->name);
    base_release(allocator, parameter->help);
    base_release(allocator, (char *)parameter->initial.text);
    base_release(allocator, (char *)parameter->value.text);
}

/// Drops the sensors behind the first `count`.
static void drop_sensors(scn_scene *scene, int count)
{
    while (scene->sensor_count > count) {
        scn_sensor *sensor = &scene->sensors[--scene->sensor_count];
        base_release(&scene->allocator, sensor->name);
        base_release(&scene->allocator, sensor->bodies);
    }
}

void scn_destroy(scn_scene *scene)
{
    if (scene == NULL)
        return;
    const base_allocator allocator = scene->allocator, source = scene->budget.source;
    cairn_world_destroy(scene->world);
    for (int i = 0; i < scene->parameter_count; i++)
        release_parameter(&allocator, &scene->parameters[i]);
    drop_sensors(scene, 0);
    scn_sandbox_close(scene->program);
    base_release(&allocator, scene->sandbox);
    if (scene->loader != NULL) {
        base_release(&allocator, (scn_options *)scene->loader->options);
        base_release(&allocator, (char *)scene->loader->folder);
        base_release(&allocator, scene->loader);
    }
    for (int i = 0; i < scene->motion_count; i++) {
        base_release(&allocator, scene->motions[i]->body);
        base_release(&allocator, scene->motions[i]);
    }
    base_release(&allocator, scene->motions);
    base_release(&allocator, scene->parameters);
    base_release(&allocator, scene->sensors);
    for (int i = 0; i < scene->window_count; i++)
        base_release(&allocator, scene->windows[i]);
    base_release(&allocator, scene->windows);
    for (int i = 0; i < scene->measure_count; i++) {
        base_release(&allocator, scene->measures[i]->name);
        base_release(&allocator, scene->measures[i]->bodies);
        base_release(&allocator, scene->measures[i]);
    }
    base_release(&allocator, scene->measures);
    for (int i = 0; i < scene->field_count; i++)
        base_release(&allocator, scene->fields[i].name);
    base_release(&allocator, scene->fields);
    scn_release_looks(&allocator, &scene->looks);
    base_release(&allocator, scene->output.fclib_when);
    base_release(&allocator, scene->title);
    base_release(&allocator, scene->text);
    base_release(&allocator, scene->name);
    base_release(&allocator, scene->path);
    base_release(&source, scene);
}

// ---------------------------------------------------------------- programs that come in parts

cairn_status scn_open(const char *name, const scn_options *options, scn_scene **scene,
                      cairn_error *error)
{
    *scene = NULL;
    if (options->parameter_count > 0 || options->simulation_count > 0 ||
        options->solver_setting_count > 0 || options->local_setting_count > 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "%s: a scene without a program takes no lists of settings", name);
    scn_scene *made = make_scene(name, options);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", name);
    scn_loader loader;
    prepare_loader(&loader, options, made);
    char folder[PATH_MAX];
    loader.folder = realpath(".", folder) != NULL ? folder : ".";
    made->text = base_copy_text(&made->allocator, "");
    lua_State *L = made->text != NULL ? open_sandbox(&loader) : NULL;
    cairn_status status = L != NULL
                              ? run_program(&loader, L, "", 0, error)
                              : base_fail(error, CAIRN_ERROR_MEMORY, "%s: out of memory", name);
    if (status == CAIRN_OK)
        status = keep_loader(&loader, error);
    if (L != NULL)
        end_program(&loader, L, status == CAIRN_OK);
    if (status != CAIRN_OK)
        scn_destroy(made);
    else
        *scene = made;
    return status;
}

/// Lets the kept program run again under its limits, which are counted anew.
static void resume_program(scn_scene *scene)
{
    scn_sandbox *sandbox = scene->sandbox;
    sandbox->owner = scene->loader;
    sandbox->time_limit = scene->loader->options->time_limit;
    sandbox->instructions = 0;
    sandbox->started = base_timer_seconds();
    sandbox->last_line = 0;
    sandbox->memory_refused = sandbox->text_refused = scene->budget.refused = false;
    scene->loader->failure = CAIRN_ERROR_SCENE;
}

static void pause_program(scn_scene *scene)
{
    lua_settop(scene->program, 0);
    scene->sandbox->owner = NULL;
    scene->sandbox->time_limit = INFINITY;
}

cairn_status scn_add(scn_scene *scene, const char *text, cairn_error *error)
{
    int sensors = scene->sensor_count;
    resume_program(scene);
    cairn_status status = run_text(scene->loader, scene->program, text, strlen(text), error);
    pause_program(scene);
    // the last one may be half made
    if (status != CAIRN_OK)
        drop_sensors(scene, sensors);
    return status;
}

cairn_status scn_begin_world(scn_scene *scene, cairn_error *error)
{
    if (scene->world != NULL)
        return CAIRN_OK;
    resume_program(scene);
    lua_pushcfunction(scene->program, finish);
    int result = lua_pcall(scene->program, 0, 0, 0);
    cairn_status status =
        result == LUA_OK ? CAIRN_OK : fail_program(scene->loader, scene->program, result, error);
    pause_program(scene);
    return status;
}

int scn_call_count(void)
{
    return BASE_COUNT(calls);
}

const char *scn_call_name(int index)
{
    return index >= 0 && index < BASE_COUNT(calls) ? calls[index].name : "";
}
