// SPDX-License-Identifier: Apache-2.0
// resolved.json: every setting of a run with its value in force, defaults included.
#include "base/assert.h"
#include "base/hash.h"
#include "base/vectors.h"
#include "cli/process/laws.h"
#include "cli/run/run.h"
#include "cli/text/json.h"
#include "scenes/plugins.h"

#include <inttypes.h>
#include <string.h>

static const char *const paraview_names[] = {"glyphs", "surfaces", "none"};
static const char *const form_names[] = {"", "local", "global", "both"};

static void put_parameters(const scn_scene *scene, cli_json *json)
{
    cli_json_object(json, "parameters");
    for (int i = 0; i < scene->parameter_count; i++)
        cli_json_value(json, scene->parameters[i].name, scene->parameters[i].value);
    cli_json_object_end(json);
}

static void put_simulation(const scn_scene *scene, cli_json *json)
{
    const cairn_world_def *def = cairn_world_get_def(scene->world);
    cli_json_object(json, "simulation");
    for (int i = 0; i < cairn_world_def_setting_count(); i++) {
        const char *key = cairn_world_def_get_setting(i).name;
        cairn_value value;
        if (cairn_world_def_get_value(def, key, &value) == CAIRN_OK)
            cli_json_value(json, key, value);
    }
    cli_json_number(json, "end_time", scene->end_time);
    cli_json_text(json, "vectors", base_vectors_name(base_vectors_longest()));
    cli_json_integer(json, "seed", scene->seed);
    cli_json_list(json, "gravity");
    for (int i = 0; i < 3; i++)
        cli_json_number(json, NULL, def->gravity[i]);
    cli_json_list_end(json);
    cli_json_object_end(json);
}

typedef cairn_status get_value(const cairn_world *world, const char *setting, cairn_value *value);

static void put_plugin(const cairn_world *world, cli_json *json, const char *key,
                       cairn_plugin plugin, const char *name, get_value *get)
{
    int index = scn_find_plugin(plugin, name);
    cli_json_object(json, key);
    cli_json_text(json, "name", name);
    cli_json_object(json, "settings");
    for (int i = 0; index >= 0 && i < cairn_plugin_get(plugin, index).setting_count; i++) {
        const char *setting = cairn_plugin_get_setting(plugin, index, i).name;
        cairn_value value;
        if (get(world, setting, &value) == CAIRN_OK)
            cli_json_value(json, setting, value);
    }
    cli_json_object_end(json);
    cli_json_object_end(json);
}

static void put_pair(const cairn_world *world, cli_json *json, cairn_material_id a,
                     cairn_material_id b)
{
    const char *law = cairn_pair_get_law(world, a, b);
    int index = scn_find_plugin(CAIRN_LAW, law);
    cli_json_object(json, NULL);
    cli_json_text(json, "a", a.generation != 0 ? cairn_material_get_name(world, a) : NULL);
    cli_json_text(json, "b", b.generation != 0 ? cairn_material_get_name(world, b) : NULL);
    cli_json_text(json, "law", law);
    cli_json_object(json, "parameters");
    for (int i = 0; index >= 0 && i < cairn_plugin_get(CAIRN_LAW, index).setting_count; i++) {
        const char *parameter = cairn_plugin_get_setting(CAIRN_LAW, index, i).name;
        cairn_value value;
        if (cairn_pair_get_value(world, a, b, parameter, &value) == CAIRN_OK)
            cli_json_value(json, parameter, value);
    }
    cli_json_object_end(json);
    cli_json_object_end(json);
}

static void put_materials(const cairn_world *world, cli_json *json)
{
    static const char *const properties[] = {"density", "young_modulus", "poisson_ratio"};
    cli_material_use uses[CLI_MATERIALS_MAX];
    int count = cli_materials_in_use(world, uses);
    cli_json_list(json, "materials");
    for (int i = 0; i < count; i++) {
        cli_json_object(json, NULL);
        cli_json_text(json, "name", cairn_material_get_name(world, uses[i].id));
        for (int k = 0; k < BASE_COUNT(properties); k++) {
            double value = 0.0;
            if (cairn_material_get_value(world, uses[i].id, properties[k], &value) == CAIRN_OK &&
                (k == 0 || value != 0.0))
                cli_json_number(json, properties[k], value);
        }
        cli_json_object_end(json);
    }
    cli_json_list_end(json);
}

static void put_pairs(const cairn_world *world, cli_json *json)
{
    const cairn_material_id none = {0};
    cli_material_use uses[CLI_MATERIALS_MAX];
    int count = cli_materials_in_use(world, uses);
    cli_json_list(json, "pairs");
    put_pair(world, json, none, none);
    for (int i = 0; i < count; i++)
        for (int k = i; k < count; k++)
            put_pair(world, json, uses[i].id, uses[k].id);
    cli_json_list_end(json);
}

static void put_connectors(const cairn_world *world, cli_json *json)
{
    cli_json_list(json, "connectors");
    for (int i = 0; i < cairn_connector_count(world); i++) {
        cairn_connector_id id = cairn_connector_at(world, i);
        cairn_connector_view view;
        if (cairn_connector_get(world, id, &view) != CAIRN_OK)
            continue;
        int index = scn_find_plugin(CAIRN_LAW, view.law);
        cli_json_object(json, NULL);
        cli_json_text(json, "name", view.name);
        cli_json_text(json, "law", view.law);
        cli_json_list(json, "radii");
        for (int side = 0; side < 2; side++)
            cli_json_number(json, NULL, view.radii[side]);
        cli_json_list_end(json);
        cli_json_object(json, "parameters");
        for (int k = 0; index >= 0 && k < cairn_plugin_get(CAIRN_LAW, index).setting_count; k++) {
            const char *parameter = cairn_plugin_get_setting(CAIRN_LAW, index, k).name;
            cairn_value value;
            if (cairn_connector_get_value(world, id, parameter, &value) == CAIRN_OK)
                cli_json_value(json, parameter, value);
        }
        cli_json_object_end(json);
        cli_json_object_end(json);
    }
    cli_json_list_end(json);
}

static void put_output(const run_state *run, cli_json *json)
{
    cli_json_object(json, "output");
    cli_json_text(json, "folder", run->files.folder);
    cli_json_text(json, "paraview", paraview_names[run->output.paraview]);
    cli_json_integer(json, "paraview_every", run->files.paraview_every);
    cli_json_integer(json, "energy_every", run->output.energy_every);
    cli_json_integer(json, "contacts_every", run->output.contacts_every);
    cli_json_boolean(json, "fclib", run->fclib);
    cli_json_text(json, "fclib_folder", run->fclib ? run->files.fclib : NULL);
    cli_json_integer(json, "fclib_every", run->output.fclib_every);
    cli_json_text(json, "fclib_form", form_names[run->output.fclib_form]);
    cli_json_text(json, "fclib_when", run->output.fclib_when);
    cli_json_object_end(json);
}

cairn_status run_resolved_write(const run_state *run, cairn_error *error)
{
    const scn_scene *scene = run->scene;
    char path[PATH_MAX];
    cli_file file;
    BASE_TRY(cli_path_join(path, run->files.folder, "resolved.json", error));
    BASE_TRY(cli_file_open(&file, path, error));
    cli_json json = cli_json_begin(file.stream);
    cli_json_object(&json, NULL);
    cli_json_text(&json, "version", cairn_version());
    cli_json_text(&json, "scene", scene->path);
    cli_json_text(&json, "title", scene->title);
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64,
             base_hash_bytes(BASE_HASH_START, scene->text, strlen(scene->text)));
    cli_json_text(&json, "scene_text", hash);
    put_parameters(scene, &json);
    put_simulation(scene, &json);
    put_plugin(scene->world, &json, "solver", CAIRN_SOLVER, cairn_world_get_solver(scene->world),
               cairn_world_get_solver_value);
    put_plugin(scene->world, &json, "local_solver", CAIRN_LOCAL,
               cairn_world_get_local(scene->world), cairn_world_get_local_value);
    put_materials(scene->world, &json);
    put_pairs(scene->world, &json);
    put_connectors(scene->world, &json);
    cli_json_integer(&json, "bodies", cairn_body_count(scene->world));
    put_output(run, &json);
    cli_json_boolean(&json, "strict", run->settings->strict);
    if (run->settings->strict) {
        cli_json_number(&json, "strict_energy", run->settings->strict_energy);
        cli_json_number(&json, "strict_penetration", run->settings->strict_penetration);
    }
    cli_json_object_end(&json);
    cli_json_finish(&json);
    return cli_file_commit(&file, error);
}
