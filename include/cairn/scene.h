// SPDX-License-Identifier: Apache-2.0
// cairn: scenes, the programs of docs/scene_language.md that build a world, from a file or in
// parts.
#ifndef CAIRN_SCENE_H
#define CAIRN_SCENE_H

#include <cairn/problem.h>
#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A scene owns the world that its program builds, and must be destroyed instead of it.
typedef struct cairn_scene cairn_scene;

/// What the caller changes of a scene. Texts and lists are borrowed during the call.
typedef struct cairn_scene_def {
    const cairn_setting *parameters; // [parameter_count] of param(); each must exist
    int parameter_count;
    const cairn_setting *simulation; // [simulation_count] of simulation{}, after the scene's
    int simulation_count;
    const char *law;                      // for every pair; NULL: as the scene says
    const char *solver, *local;           // NULL: as the scene says
    const cairn_setting *solver_settings; // [solver_setting_count] after those of the scene
    int solver_setting_count;
    const cairn_setting *local_settings; // [local_setting_count] after those of the scene
    int local_setting_count;
    double tolerance;          // NAN: as the scene says
    double time_step;          // s; NAN: as the scene says
    double end_time;           // s; NAN: as the scene says
    int threads;               // 0: as the scene says
    int64_t seed;              // of math.random; < 0: as the scene says
    cairn_allocator allocator; // NULL function: the C library's, with a limit of 4 GB for program
                               // and world together; called by one thread at a time
    void (*log)(void *context, cairn_log_level level, const char *text); // NULL: silent
    void *log_context;
    /// Called with the world as soon as it is made, before the rest of the program: to register
    /// laws and force fields that the scene names. A failure ends the loading. NULL: nothing
    cairn_status (*prepare)(void *context, cairn_world *world, cairn_error *error);
    void *prepare_context;
    uint32_t cookie;
} cairn_scene_def;

CAIRN_API cairn_scene_def cairn_default_scene_def(void);

/// Runs a scene file and builds its world.
/// @return CAIRN_ERROR_FILE: no such file; CAIRN_ERROR_SCENE: the scene is wrong, with
///         "file:line: what is wrong"; CAIRN_ERROR_ARGUMENT: the definition is; CAIRN_ERROR_MEMORY.
///         *scene is NULL then
/// Tests: tests/unit/scenes/test_public.c
CAIRN_API cairn_status cairn_scene_load(const char *path, const cairn_scene_def *def,
                                        cairn_scene **scene, cairn_error *error) CAIRN_CHECK_RESULT;

/// A scene without a program: cairn_scene_add builds it call by call.
/// @param name  stands for the file's name in messages; data files are searched in the current
///              folder
/// @param def   its lists must be empty
CAIRN_API cairn_status cairn_scene_open(const char *name, const cairn_scene_def *def,
                                        cairn_scene **scene, cairn_error *error) CAIRN_CHECK_RESULT;

/// Between steps: runs more of a program in a scene that was loaded or opened; globals of earlier
/// parts are there. Calls before the one that is wrong have had their effect, those of sensors
/// apart.
/// @return CAIRN_ERROR_SCENE with "name:line: what is wrong"; CAIRN_ERROR_MEMORY
CAIRN_API cairn_status cairn_scene_add(cairn_scene *scene, const char *text,
                                       cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API void cairn_scene_destroy(cairn_scene *scene);

/// The world; one without bodies where the program has made nothing yet, and from then on
/// simulation{} comes too late.
CAIRN_API cairn_status cairn_scene_get_world(cairn_scene *scene, cairn_world **world,
                                             cairn_error *error) CAIRN_CHECK_RESULT;

/// What the program says beside the world; texts are the scene's.
typedef struct cairn_scene_info {
    const char *path, *name, *title; // title "" where there is none
    const char *text;                // of a loaded scene its program; "" of an opened one
    double end_time;                 // s
    int64_t seed;
    int parameters, sensors; // numbers of them
    int overlaps;            // pairs of bodies that overlapped when the scene was loaded
} cairn_scene_info;

CAIRN_API cairn_scene_info cairn_scene_get_info(const cairn_scene *scene);

/// What param() declared; texts are the scene's.
typedef struct cairn_scene_parameter {
    const char *name, *help;
    cairn_value initial, value;
    bool whole;              // numbers: whole only
    double minimum, maximum; // numbers: allowed range
} cairn_scene_parameter;

/// @return CAIRN_ERROR_ARGUMENT for an index out of range
CAIRN_API cairn_status cairn_scene_get_parameter(
    const cairn_scene *scene, int index, cairn_scene_parameter *parameter) CAIRN_CHECK_RESULT;

enum { CAIRN_SENSOR_COLUMNS_MAX = 24 };

/// What sensor{} declared; texts are the scene's.
typedef struct cairn_scene_sensor {
    const char *name, *quantity, *unit;
    int columns;
    const char *column_names[CAIRN_SENSOR_COLUMNS_MAX]; // "x", "y", "z"; "" for the only one
} cairn_scene_sensor;

/// @return CAIRN_ERROR_ARGUMENT for an index out of range
CAIRN_API cairn_status cairn_scene_get_sensor(const cairn_scene *scene, int index,
                                              cairn_scene_sensor *sensor) CAIRN_CHECK_RESULT;

/// What a sensor reads now; NaN after what it reads was removed.
/// @param value  [columns] out
/// @return CAIRN_ERROR_ARGUMENT for an index out of range
CAIRN_API cairn_status cairn_scene_read_sensor(const cairn_scene *scene, int index,
                                               double *value) CAIRN_CHECK_RESULT;

/// Colour of pictures that a body, or its material, was given.
/// @param colour  red, green, blue, 0 to 1 each, and opacity; NaN for an opacity that is left to
///                the picture
/// @return false where it was given none
CAIRN_API bool cairn_scene_get_colour(const cairn_scene *scene, cairn_body_id body,
                                      double colour[4]) CAIRN_CHECK_RESULT;
CAIRN_API bool cairn_scene_get_material_colour(const cairn_scene *scene, cairn_material_id material,
                                               double colour[4]) CAIRN_CHECK_RESULT;

/// Camera and light as calls of the scene language; cut at `capacity` bytes.
CAIRN_API void cairn_scene_write_looks(const cairn_scene *scene, char *text, int capacity);

/// The calls of the scene language, 0 <= index < count; "" for an index out of range.
CAIRN_API int cairn_scene_call_count(void);
CAIRN_API const char *cairn_scene_call_name(int index);

#ifdef __cplusplus
}
#endif

#endif
