// SPDX-License-Identifier: Apache-2.0
// Scene files: a Lua program in a sandbox that builds a world and says how to run it.
// The language is documented in docs/scene_language.md.
#ifndef CAIRN_SCENES_SCENE_H
#define CAIRN_SCENES_SCENE_H

#include "base/memory.h"
#include "scenes/condition.h"
#include <cairn/cairn.h>

/// A name=value pair of the command line; both borrowed.
typedef struct scn_assignment {
    const char *name, *value;
} scn_assignment;

/// What the caller changes or limits. scn_default_options() leaves everything to the scene.
typedef struct scn_options {
    const scn_assignment *parameters; // [parameter_count] of param(); each must exist
    int parameter_count;
    const scn_assignment *simulation; // [simulation_count] of simulation{}, after the scene's
    int simulation_count;
    const char *law;                       // for every pair; NULL: as the scene says
    const char *solver, *local;            // NULL: as the scene says
    const scn_assignment *solver_settings; // [solver_setting_count] after those of the scene
    int solver_setting_count;
    const scn_assignment *local_settings; // [local_setting_count] after those of the scene
    int local_setting_count;
    double tolerance; // NAN: as the scene says
    double time_step; // s; NAN: as the scene says
    double end_time;  // s; NAN: as the scene says
    int threads;      // 0: as the scene says
    int64_t seed;     // of math.random; < 0: as the scene says

    const char *text; // the program, where it is not to be read from the file, which may be gone;
                      // its folder is still where data files are; borrowed; NULL: the file's

    size_t memory_limit;       // bytes for the Lua program; default 512 MB
    int64_t instruction_limit; // of the Lua program; default 1e9
    double time_limit;         // s of wall clock for the Lua program; default 20
    int body_limit;            // and of shapes; default 2 million

    size_t memory_budget; // bytes for program and world together, while the world steps, too;
                          // counted where the allocator is the C library's; default 4 GB
    bool (*stop)(void);   // asked while functions of motions run; NULL: nobody asks
    bool keep;            // the program stays, for scn_add
    bool skip_overlaps;   // nobody looks for bodies that overlap at the start
    bool may_be_empty;    // a recording may begin without a body

    base_allocator allocator;
    void (*log)(void *context, cairn_log_level level, const char *text); // NULL: silent
    void *log_context;
    /// Called with the world as soon as it is made; NULL: nothing.
    cairn_status (*prepare)(void *context, cairn_world *world, cairn_error *error);
    void *prepare_context;
} scn_options;

/// Something param() declared, with the value in force.
typedef struct scn_parameter {
    char *name, *help;
    cairn_value initial, value; // texts owned by the scene
    bool whole;                 // numbers: whole only
    double minimum, maximum;    // numbers: allowed range
} scn_parameter;

typedef enum scn_sensor_quantity {
    SCN_SENSOR_FORCE,            // N, sum of the contact forces on the bodies
    SCN_SENSOR_TORQUE,           // N m, sum of the contact torques about each body's centre
    SCN_SENSOR_POSITION,         // m, of the centre of mass
    SCN_SENSOR_VELOCITY,         // m/s, of the centre of mass
    SCN_SENSOR_ANGULAR_VELOCITY, // rad/s
    // of connectors alone
    SCN_SENSOR_NORMAL,       // unit normal from the first body to the second
    SCN_SENSOR_DISPLACEMENT, // m, from the first marker to the second
    SCN_SENSOR_GAP,          // m, one column
    SCN_SENSOR_HISTORY,      // a column for each of the law's
    // of joints alone, one column each
    SCN_SENSOR_COORDINATE, // rad or m
    SCN_SENSOR_SPEED,      // rad/s or m/s
    SCN_SENSOR_EFFORT,     // N m or N
    // of regions alone
    SCN_SENSOR_STRESS,       // Pa, xx yy zz xy xz yz
    SCN_SENSOR_FABRIC,       // the same six
    SCN_SENSOR_COORDINATION, // one column each
    SCN_SENSOR_POROSITY,
    SCN_SENSOR_TEMPERATURE, // m2/s2
    SCN_SENSOR_MASS_FLOW,   // kg/s, x y z
    // of regions, emitters and outlets
    SCN_SENSOR_MASS, // kg
    // of emitters and outlets alone
    SCN_SENSOR_COUNT, // of grains
    // of the periodic cell alone
    SCN_SENSOR_SIDES, // m, its sides along x, y and z
    SCN_SENSOR_SHEAR, // its shears xy, xz and yz: tangents of angles
    // of regions
    SCN_SENSOR_VOID_RATIO,
    SCN_SENSOR_RATTLERS,
    SCN_SENSOR_BEARING_COORDINATION,
    // of the world
    SCN_SENSOR_KINETIC_ENERGY, // J
    SCN_SENSOR_POTENTIAL_ENERGY,
    SCN_SENSOR_UNBALANCED_FORCE,
    SCN_SENSOR_CONTACTS,
    SCN_SENSOR_BONDS,
    SCN_SENSOR_BROKEN_BONDS
} scn_sensor_quantity;

/// What grains come from, or go to.
typedef enum scn_sensor_gate {
    SCN_SENSOR_NO_GATE,
    SCN_SENSOR_EMITTER,
    SCN_SENSOR_OUTLET
} scn_sensor_gate;

enum { SCN_SENSOR_COLUMNS_MAX = CAIRN_LAW_HISTORY_MAX };

/// Bodies that a region, or faces of a box, go along with.
typedef struct scn_follow {
    cairn_body_id bodies[6]; // of the faces xmin, xmax, ymin, ymax, zmin and zmax; null: none
    double from[6];          // m, where the body was at first along the axis of the face
    bool whole;              // the first body takes all of the region along, from from[0 .. 2]
    bool any;
} scn_follow;

/// A sensor's average over a window of time.
typedef struct scn_window {
    struct scn_scene *scene;
    int sensor, columns;
    int average; // number of the world's
} scn_window;

typedef struct scn_sensor {
    char *name;
    scn_sensor_quantity quantity;
    cairn_body_id *bodies; // [body_count]; one unless a sum of forces or torques
    int body_count;
    cairn_joint_id joint;         // null: of bodies or a connector
    cairn_connector_id connector; // null: a sensor of bodies
    const char *law;              // of the connector, which may be removed; of the world
    bool of_angle;                // the joint's coordinate is one
    bool of_region;
    bool of_cell; // the region is the periodic cell
    cairn_region region;
    scn_follow follow;
    scn_sensor_gate gate; // an emitter or outlet, of the number gate_index
    int gate_index;
    bool on_first;            // force and torque of a connector: on its first body
    int columns;              // 3 unless a number or a history
    const scn_window *window; // over which it is averaged; NULL: it reads the instant
} scn_sensor;

/// Averages over a region or sums over bodies, which a run writes to measures.csv.
typedef struct scn_measure {
    struct scn_scene *scene;
    char *name;
    bool of_cell;
    cairn_region region; // where there are no bodies
    scn_follow follow;
    cairn_body_id *bodies; // [body_count]
    int body_count;        // 0: of a region
    bool about_point;      // torques are about a point; else each about the body's centre
    double point[3];       // m
    int average;           // number of its average in the world; -1: it reads the instant
} scn_measure;

/// Coarse-grained fields that a run writes as fields/NAME_STEP.vti.
typedef struct scn_field {
    char *name;
    cairn_grid grid;
    int every;   // steps
    int average; // of the world, whose windows are frames; -1: frames are instants
    bool hdf5;   // instead of images for ParaView
} scn_field;

/// A function or more of the scene's program that prescribe the motion of a body.
typedef struct scn_motion scn_motion;

typedef enum scn_fclib_form {
    SCN_FCLIB_LOCAL = 1,
    SCN_FCLIB_GLOBAL = 2,
    SCN_FCLIB_BOTH = 3
} scn_fclib_form;

typedef enum scn_paraview {
    SCN_PARAVIEW_GLYPHS,   // bodies as points, each shape once
    SCN_PARAVIEW_SURFACES, // surfaces of all bodies and contacts in every frame
    SCN_PARAVIEW_NONE
} scn_paraview;

/// What a run writes; the command line may change each.
typedef struct scn_output {
    scn_paraview paraview;
    int paraview_every; // steps between frames; 0: none; -1: 25 frames per simulated second
    int energy_every;   // steps between rows of energy.csv and sensors.csv; 0: by the bodies
    int contacts_every; // steps between frames of trajectory.h5 with their contacts; 0: none;
                        // -1: all frames
    bool fclib;
    int fclib_every; // steps
    scn_fclib_form fclib_form;
    char *fclib_when; // text of the condition; NULL: always
    scn_condition fclib_condition;
} scn_output;

/// Colour of a body or material in pictures.
typedef struct scn_colour {
    bool given;
    double rgb[3];  // sRGB, 0 to 1
    double opacity; // 0: is not drawn, 1: solid; NAN: as the picture has it
} scn_colour;

typedef struct scn_body_colour {
    cairn_body_id body;
    scn_colour colour;
} scn_body_colour;

typedef struct scn_material_colour {
    cairn_material_id material;
    scn_colour colour;
} scn_material_colour;

/// Where the eye of pictures is; NAN: chosen by the picture.
typedef struct scn_camera {
    double azimuth, elevation; // degrees
    double zoom;               // > 1: nearer
    bool parallel;
    bool boxed;             // what follows holds
    double low[3], high[3]; // m, box that is in the picture, in place of all bodies
    char *follow;           // name of the body that the camera goes with; NULL: none
} scn_camera;

/// Where the sun stands; NAN: where it stands without a call.
typedef struct scn_light {
    double azimuth, elevation; // degrees
    bool no_shadows;
} scn_light;

/// What pictures of a scene look like; the world knows nothing of it.
typedef struct scn_looks {
    scn_body_colour *bodies; // [body_count] of bodies that have a colour of their own
    int body_count, body_capacity;
    scn_material_colour *materials; // [material_count] that have one
    int material_count, material_capacity;
    scn_camera camera;
    scn_light light;
} scn_looks;

/// Memory that a scene may take, and has taken.
typedef struct scn_budget {
    base_allocator source;
    size_t limit, used; // bytes
    bool refused;       // more was asked for
} scn_budget;

/// A loaded scene. Owns its world, and must not be moved.
typedef struct scn_scene {
    base_allocator allocator;
    char *path;      // as given
    char *name;      // file name without folder and ".lua"
    char *title;     // "" where the scene gives none
    char *text;      // the program as it was run
    uint64_t inputs; // hash of the program and of the files that it has read, in their order
    cairn_world *world;
    double end_time; // s
    int64_t seed;
    scn_output output;
    scn_looks looks;
    scn_parameter *parameters; // [parameter_count] in order of declaration
    int parameter_count, parameter_capacity;
    scn_sensor *sensors; // [sensor_count]
    int sensor_count, sensor_capacity;
    scn_window **windows; // [window_count] of sensors
    int window_count, window_capacity;
    scn_measure **measures; // [measure_count]
    int measure_count, measure_capacity;
    scn_field *fields; // [field_count]
    int field_count, field_capacity;
    scn_motion **motions; // [motion_count]
    int motion_count, motion_capacity;
    struct scn_sandbox *sandbox; // of the program, where it stays for motions or scn_add; else NULL
    struct scn_loader *loader;   // for scn_add; NULL where the program is over
    struct lua_State *program;
    scn_budget budget;      // of program and world
    base_allocator counted; // theirs, which refers to the budget
    int overlap_count;      // pairs of bodies that overlap at the start
} scn_scene;

scn_options scn_default_options(void);

/// Runs a scene file and builds its world.
/// @param error  message "file:line: what is wrong" for a mistake of the scene
/// @return CAIRN_OK; CAIRN_ERROR_FILE: no such file; CAIRN_ERROR_SCENE: the scene is wrong;
///         CAIRN_ERROR_ARGUMENT: a parameter or setting of `options` is wrong; CAIRN_ERROR_MEMORY.
///         On failure *scene is NULL and nothing stays allocated.
cairn_status scn_load(const char *path, const scn_options *options, scn_scene **scene,
                      cairn_error *error) CAIRN_CHECK_RESULT;
void scn_destroy(scn_scene *scene);

/// A scene without a program; scn_add builds it. Lists of the options must be empty.
/// @param name  in place of the path in messages
cairn_status scn_open(const char *name, const scn_options *options, scn_scene **scene,
                      cairn_error *error) CAIRN_CHECK_RESULT;

/// Between steps: runs more of a program in a scene that was opened, or loaded with `keep`.
/// @return CAIRN_ERROR_SCENE with what is wrong; CAIRN_ERROR_MEMORY
cairn_status scn_add(scn_scene *scene, const char *text, cairn_error *error) CAIRN_CHECK_RESULT;

/// Makes the world where no call has made it yet.
cairn_status scn_begin_world(scn_scene *scene, cairn_error *error) CAIRN_CHECK_RESULT;

/// Calls of the language, 0 <= index < count.
int scn_call_count(void);
const char *scn_call_name(int index);

/// "force", "position", ...
const char *scn_sensor_quantity_name(scn_sensor_quantity quantity);
/// Unit of what a sensor reads.
const char *scn_sensor_unit(const scn_sensor *sensor);

/// "x", "y", "z"; "" for the only column; or the name of the history.
const char *scn_sensor_column_name(const scn_sensor *sensor, int column);

/// What a sensor reads now; of a window, the mean over the last one that is over.
/// @param value  [sensor->columns], at most SCN_SENSOR_COLUMNS_MAX
cairn_status scn_sensor_read(const scn_scene *scene, const scn_sensor *sensor,
                             double *value) CAIRN_CHECK_RESULT;

/// "stress xx" and "Pa", as scn_measure_read puts them; at most CAIRN_AVERAGE_COLUMNS_MAX.
int scn_measure_column_count(const scn_measure *measure);
void scn_measure_column(const scn_measure *measure, int index, const char **name,
                        const char **unit);

/// A region as it is where its bodies have gone.
/// @return CAIRN_ERROR_STALE_ID where one of them was removed
cairn_status scn_region_now(const cairn_world *world, const cairn_region *region,
                            const scn_follow *follow, cairn_region *now) CAIRN_CHECK_RESULT;

/// Whether a window of an average was over after a step; false for -1, none.
bool scn_average_ends(const scn_scene *scene, int average, int64_t step);

/// @param values  out
cairn_status scn_measure_read(const scn_measure *measure, double *values,
                              cairn_error *error) CAIRN_CHECK_RESULT;

/// '"name"' of a body, or 'body 3' where it has none: for sentences to the user.
typedef struct scn_title {
    char text[96];
} scn_title;
scn_title scn_body_title(const cairn_world *world, cairn_body_id body);

#endif
