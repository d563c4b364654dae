// SPDX-License-Identifier: Apache-2.0
// What the calls of the scene language (scenes/api) share while a scene is loaded.
#ifndef CAIRN_SCENES_LOAD_LOADER_H
#define CAIRN_SCENES_LOAD_LOADER_H

#include "scenes/load/fields.h"
#include "scenes/load/sandbox.h"
#include "scenes/plugins.h"
#include "scenes/scene.h"

#include <lua.h>

typedef struct scn_loader {
    // set at creation
    const scn_options *options;
    scn_scene *scene;
    const char *folder; // real path of the scene's folder; of a kept loader, owned by the scene
    scn_sandbox *sandbox;
    // kept while the program runs
    cairn_world_def world_def; // until the world is made
    const char *default_law;   // that the scene means for the default pair, static
    int printed;               // lines
    cairn_status
        failure; // status of the load when the program stops: SCENE, or the user's ARGUMENT
} scn_loader;

/// Userdata of a shape constructor; metatable SCN_SHAPE.
#define SCN_SHAPE "shape"

static inline scn_loader *scn_loader_of(lua_State *L)
{
    return scn_sandbox_of(L)->owner;
}

/// The world, made at the first call that needs it; raises on failure.
cairn_world *scn_loader_world(lua_State *L);

/// A message for the user, not an error.
void scn_loader_log(const scn_loader *loader, cairn_log_level level, const char *format, ...)
    CAIRN_PRINTF(3, 4);

/// A command line word as a value: "true", "false", a number, or text.
cairn_value scn_value_of_word(const char *word);

/// Shape at a stack index; raises where it is none.
cairn_shape_id scn_check_shape(lua_State *L, int index, const char *what);
cairn_shape_kind scn_shape_kind_of(lua_State *L, int index);

/// Makes a sphere, shared with earlier ones of the same radius.
cairn_shape_id scn_shape_sphere(lua_State *L, double radius);

/// Material of a name; raises where there is none, with a suggestion.
cairn_material_id scn_check_material(lua_State *L, const char *name);

/// Materials at places 1 and 2 of a call or table: both or none; raises where there are none.
/// @param ids  null before
void scn_read_pair(const scn_fields *fields, cairn_material_id ids[2]);

/// Body of a name; raises where there is none.
cairn_body_id scn_check_body(lua_State *L, const char *name);

/// Bodies of `body` or `bodies` of a call, which live on the Lua stack; raises where there are
/// none.
const cairn_body_id *scn_push_bodies(const scn_fields *fields, int *count);

/// Joint of a name; raises where there is none.
cairn_joint_id scn_check_joint(lua_State *L, const char *name);

/// scn_sensor_read of a sensor on a joint.
/// @param value  [sensor->columns]
cairn_status scn_joint_read(const scn_scene *scene, const scn_sensor *sensor,
                            double *value) CAIRN_CHECK_RESULT;

/// Connector of a name; raises where there is none.
cairn_connector_id scn_check_connector(lua_State *L, const char *name);

/// scn_sensor_read of a sensor on a connector.
/// @param value  [sensor->columns]
cairn_status scn_connector_read(const scn_scene *scene, const scn_sensor *sensor,
                                double *value) CAIRN_CHECK_RESULT;

/// Field `region` of a call: a box, cylinder, sphere or hull; raises where it is none.
cairn_region scn_read_region(const scn_fields *fields);
/// @param follow  out: what its key `follow` names
cairn_region scn_read_region_following(const scn_fields *fields, scn_follow *follow);

/// Whether `region` of a call is "cell": all of the periodic cell.
bool scn_region_is_cell(const scn_fields *fields);

/// Reads the keys window, every and from of an average.
void scn_window_read(const scn_fields *fields, cairn_average_def *def);

/// Number of the average that the keys window, every and from of a call ask for; -1 without them.
/// @param name     for messages, copied
/// @param context  of `read`, borrowed
int scn_window_add(const scn_fields *fields, const char *name, cairn_reading_function *read,
                   void *context, int columns);

/// Creates a body and books its name; raises on failure.
cairn_body_id scn_body_add(const scn_fields *fields, const cairn_body_def *def);

/// Key `colour` of a call; not given where it is missing.
scn_colour scn_read_colour(const scn_fields *fields);
/// Keeps the colour of a body or material, where one is given.
void scn_paint_body(const scn_fields *fields, cairn_body_id body, const scn_colour *colour);
void scn_paint_material(const scn_fields *fields, cairn_material_id material,
                        const scn_colour *colour);
/// Looks of a scene that says nothing of them.
scn_looks scn_default_looks(void);
/// Camera and light as calls of the language, cut at `size` > 0 bytes.
void scn_write_looks(const scn_looks *looks, char *text, size_t size);
void scn_release_looks(const base_allocator *allocator, scn_looks *looks);

/// Full path of a data file that must lie in the scene's folder or below; the text lives on the
/// Lua stack, where it is pushed.
const char *scn_push_data_path(lua_State *L, const char *file);

/// Such a file as a whole, with a zero at its end, on the Lua stack above its path.
/// @param limit  bytes; larger files are refused
/// @param size   out: bytes without the zero; or NULL
char *scn_push_text(lua_State *L, const char *file, size_t limit, size_t *size);

// clang-format off
/// The calls of scenes beside those of plain shapes, CAIRN_PLAIN_SHAPES; each is a lua_CFunction of
/// scenes/api.
#define SCN_CALLS(X) \
    X(title) \
    X(param) \
    X(simulation) \
    X(gravity) \
    X(solver) \
    X(local_solver) \
    X(output) \
    X(camera) \
    X(light) \
    X(print) \
    X(material) \
    X(pair) \
    X(polyhedron) \
    X(mesh) \
    X(compound) \
    X(body) \
    X(ground) \
    X(joint) \
    X(motion) \
    X(cell) \
    X(load) \
    X(require) \
    X(import) \
    X(sizes) \
    X(packing) \
    X(emitter) \
    X(outlet) \
    X(change) \
    X(stop) \
    X(remove) \
    X(freeze) \
    X(release) \
    X(connector) \
    X(servo) \
    X(sensor) \
    X(measure) \
    X(fields) \
    X(bodies_from_csv) \
    X(table_from_csv)
// clang-format on

/// table("file.csv", "column"), while table.insert and its like stay what they are.
int scn_call_table(lua_State *L);

#define SCN_CALL_DECLARE(name) int scn_call_##name(lua_State *L);
SCN_CALLS(SCN_CALL_DECLARE)
#undef SCN_CALL_DECLARE

#define SCN_SHAPE_DECLARE(constant, name, call, ...) int scn_call_##call(lua_State *L);
CAIRN_PLAIN_SHAPES(SCN_SHAPE_DECLARE)
#undef SCN_SHAPE_DECLARE

#endif
