// SPDX-License-Identifier: Apache-2.0
// Inside of the live window, shared by the app*.c files.
#ifndef CAIRN_VIEWER_APP_APP_H
#define CAIRN_VIEWER_APP_APP_H

#include "viewer/app/panel.h"
#include "viewer/app/stage.h"
#include "viewer/film/film.h"
#include "viewer/input/keys.h"
#include "viewer/input/pick.h"
#include "viewer/input/picker.h"
#include "viewer/input/script.h"
#include "viewer/simulation/simulation.h"

#include <sys/types.h>

enum {
    VIEW_SAMPLES_SHOWN = 1024,
    VIEW_PANELS_MAX = 12,
    APP_PARAMETERS_MAX = 32,
    APP_MARKS_MAX = 64
};

/// A parameter that was changed in the window.
typedef struct app_parameter {
    char name[64], value[40];
} app_parameter;

typedef struct app_parameters {
    app_parameter rows[APP_PARAMETERS_MAX]; // [count]
    int count;
} app_parameters;

/// What tells that a file was written again.
typedef struct app_file_mark {
    int64_t seconds, nanoseconds, size;
} app_file_mark;

/// Panels that a drag of their upper edge moves, but the first.
typedef enum app_panel {
    APP_PANEL_STILL,
    APP_PANEL_SETTINGS,
    APP_PANEL_CHOSEN, // body or set
    APP_PANEL_CONTENTS,
    APP_PANEL_SENSOR,
    APP_PANEL_ENERGY,
    APP_PANEL_SOLVER,
    APP_PANEL_COUNT
} app_panel;

typedef struct view_app {
    const view_window_request *request;
    base_allocator allocator;
    view_stage stage;
    view_script *script; // NULL: none
    // the scene or run at hand
    view_subject subject;
    char path[PATH_MAX];
    char wanted[PATH_MAX]; // what to open before the next picture; "": nothing
    app_parameters parameters, parameters_wanted; // in force; for what is opened next
    char sliding[64];                             // parameter whose slider is held; "": none
    double slid;                                  // its value meanwhile
    app_file_mark file_built, file_seen;          // of the scene file: as shown, at the last look
    double file_looked;                           // s, wall clock
    view_model model;
    view_simulation *simulation;
    view_simulation_state state;
    const view_frame *frame; // of the simulation, this picture's
    // what is shown
    view_style style;
    view_camera start;    // camera of VIEW_START
    int selected;         // body; -1: none
    unsigned char *flags; // [flag_capacity] view_body_flag of the model's bodies
    int flag_capacity, set_count;
    double marks[APP_MARKS_MAX]; // [mark_count] s, rising
    int mark_count;
    int contact;       // of the selected body, in this picture's frame; -1: none
    int contact_other; // the other body of it
    uint64_t contact_key;
    bool show_help, show_panel, show_energy, show_solver, show_names, show_contents, show_sensors;
    int sensor;                        // whose readings are shown
    bool loop;                         // a run begins anew at its end
    int contents_first, contents_rows; // first row shown of the contents; the largest there may be
    int contents_panel;                // index into `panels`
    bool energy_logarithm;             // of the plot of energies
    view_sample samples[VIEW_SAMPLES_SHOWN];
    int sample_count;
    view_panel panels[VIEW_PANELS_MAX];    // of the last picture, for the mouse
    double panel_ways[APP_PANEL_COUNT][2]; // pixels, how far each was moved
    double panel_heights[APP_PANEL_COUNT];
    double grip[2];  // pixels, of the mouse, where the panel would be unmoved
    app_panel begun; // the panel that is drawn
    int panel_count;
    int menu, menu_first;   // group of the open menu, -1: none; first item shown
    view_panel menu_panel;  // of the last picture
    view_action bar_action; // what a button or menu asks for before the next picture
    int help_first;         // line
    double text_scale;      // as the keys have it
    view_folds folds;       // of panels
    view_edit edit;         // value that is typed
    view_picker picker;
    pid_t sketcher;              // process that draws a small picture of the list; 0: none
    int sketched;                // the choice that it draws
    int images[VIEW_IMAGES_MAX]; // choice + 1 whose small picture the device has there; 0: none
    int held;                    // slider in the mouse's hand
    double force_unit;           // N, mean over pictures
    char toast[VIEW_TEXT_MAX];
    double toast_until; // s, wall clock
    int message_seen;
    bool untold; // the toast is not in the log yet: its slider is still in hand
    // input
    view_mouse mouse;
    double press_x, press_y;
    bool orbiting, panning, over_panel, moved;
    bool adding; // the left button was pressed with Shift
    bool pulling;
    vec3 pull_point;   // in the shape's frame
    double pull_depth; // m, along the view
    vec3 pull_target;
    enum { APP_NO_PLACING, APP_MOVING, APP_TURNING, APP_HANDLING } placing; // of the chosen body
    bool show_handles;                                                      // of the chosen body
    int handle;                     // in the mouse's hand, or below it; -1: none
    double handle_start;            // m or rad, where it was taken
    pose place_start;               // of its shape's frame
    vec3 place_point, place_centre; // m, that was taken; of mass
    bool flying[VIEW_ACTION_FLY_DOWN - VIEW_ACTION_FLY_FORWARD + 1];
    bool quit;
    // the window
    int width, height; // pixels
    double pixels_per_point;
    double last_picture; // s, wall clock
    double picture_rate; // 1/s, mean
    // files
    view_film film;
    bool filming;
    double film_next; // s, wall clock
} view_app;

/// Says something for a few seconds at the lower edge, and to the caller's log; app_say.c.
void app_say(view_app *app, const char *format, ...) CAIRN_PRINTF(2, 3);

/// The lower edge alone, without the log.
void app_show_toast(view_app *app, const char *text);
/// The log alone.
void app_log(const view_app *app, const char *text);

/// Takes the subject over; on failure it is gone, and the old one stays if it was not closed yet.
cairn_status app_use_subject(view_app *app, view_subject *subject, bool paused,
                             cairn_error *error) CAIRN_CHECK_RESULT;
/// Shows the subject from now on. The camera goes back to its start for another scene; a reset
/// keeps it.
void app_enter_scene(view_app *app, bool same);
void app_close_scene(view_app *app);

/// The newest frame; a chosen body that is gone there is let go.
void app_take_frame(view_app *app);

/// Ends the scene at hand and opens another; on failure the old one stays.
void app_open_scene(view_app *app, const char *path);

/// The scene (or run) before or behind in the folder, in the order of names.
void app_open_neighbour(view_app *app, int way);

/// The list of scenes and runs that can be opened; app_picker.c.
void app_open_picker(view_app *app);
/// A key while the list is open.
void app_picker_key(view_app *app, SDL_Keycode key);
void app_draw_picker(view_app *app);

/// Small pictures of the list; app_sketches.c. Has those of some of the shown choices drawn, one
/// after the other in a process of its own, or takes them from the folder where they are kept.
void app_feed_sketches(view_app *app, int first, int count);
/// Ends the process that draws, and forgets what the device has.
void app_stop_sketches(view_app *app);

/// The next contact of the chosen body, or the one before.
void app_step_contact(view_app *app, int way);

/// Handles one event of SDL; app_input.c.
void app_handle_event(view_app *app, const SDL_Event *event);
void app_act(view_app *app, view_action action);
/// What an action switches on and off; NULL for one that does no such thing; app_bar.c.
bool *app_switch(view_app *app, view_action action);
/// Handles of the chosen body; app_handles.c. @return false where there are none
bool app_get_handles(const view_app *app, view_handles *handles);
/// Looks which handle is below the mouse.
void app_find_handle(view_app *app);
/// Takes the handle below the mouse. @return false where there is none
bool app_take_handle(view_app *app);
/// The pose of the chosen body as the held handle asks for it.
pose app_drag_handle(const view_app *app);
/// Moves the camera while keys are held.
void app_fly(view_app *app, double seconds);

/// Widgets for the scene's parameters; app_parameters.c.
void app_draw_parameters(view_app *app, view_panel *panel);
/// Widgets for the motors and loads that run; app_parameters.c.
void app_draw_drives(view_app *app, view_panel *panel);
/// Widgets for the joints of the chosen body, or of all; app_parameters.c.
void app_draw_joints(view_app *app, view_panel *panel);
/// Takes the scene file as it is now for the one that is shown.
void app_mark_file(view_app *app);
/// Builds the scene anew when its file was written again.
void app_watch_file(view_app *app);

/// The list of materials, joints and bodies, from `top` downwards; app_contents.c.
void app_draw_contents(view_app *app, double top);
/// Moves the list when the mouse is over it. @return whether it is
bool app_scroll_contents(view_app *app, double rows);

void app_choose_body(view_app *app, int body);

/// Bodies that are chosen together; app_set.c. Adds a body to the set, or takes it out.
void app_toggle_in_set(view_app *app, int body);
/// The set is all bodies of a material.
void app_choose_material(view_app *app, int material);
void app_clear_set(view_app *app);
/// Hides the bodies of the set; without one shows all again.
void app_hide_set(view_app *app);
bool app_set_bounds(const view_app *app, vec3 *low, vec3 *high);
/// @return y below the panel of the set
double app_draw_set(view_app *app);

/// Marked instants; app_set.c. Marks the shown one, or takes its mark away.
void app_toggle_mark(view_app *app);
/// To the mark before (-1) or after (1).
void app_seek_mark(view_app *app, int way);
/// Ticks on the time slider.
void app_draw_marks(view_app *app, double top, double height);
/// "name" or "body 5", after `before`; "world" for -1.
void app_body_label(const view_app *app, int body, const char *before, char label[40]);

/// The bar at the upper edge with its menus, and the help; app_bar.c.
void app_draw_bar(view_app *app);
void app_draw_help(view_app *app);
/// Whether the mouse is over the open menu.
bool app_menu_has_mouse(const view_app *app);

/// Draws panels, text and plots into the canvas; app_panels.c.
void app_draw_panels(view_app *app);
/// Plots and the bars of the phases; app_plots.c.
void app_draw_plots(view_app *app);
/// A panel that remembers its place until the next picture, for the mouse; app_frame.c.
view_panel app_begin_panel(view_app *app, app_panel which, double left, double top, double width);
/// @return y below the panel and a space, where it has not been moved
double app_end_panel(view_app *app, view_panel *panel);
double app_row_height(const view_app *app);
/// Where panels begin, below the bar; pixels.
double app_top(const view_app *app);
/// Pushes the panel below the mouse up or down. @return whether there is one
bool app_scroll_panel(view_app *app, double rows);

/// Pictures, films, problems; app_files.c.
void app_write_picture(view_app *app);
void app_write_problem(view_app *app);
/// Writes camera and style to a file that --view reads.
void app_save_view(view_app *app);
void app_toggle_film(view_app *app);
/// Adds the last picture to the film when one is due.
void app_feed_film(view_app *app);
void app_end_film(view_app *app);

static inline void app_order(view_app *app, view_order_kind kind, double number)
{
    view_order order = {.kind = kind, .number = number};
    view_simulation_post(app->simulation, &order);
}

static inline double app_aspect(const view_app *app)
{
    return (double)app->width / app->height;
}

/// The mouse as a ray.
static inline view_ray app_mouse_ray(const view_app *app)
{
    double x = 2.0 * app->mouse.x / app->width - 1.0, y = 1.0 - 2.0 * app->mouse.y / app->height;
    return view_camera_ray(&app->stage.camera, x, y, app_aspect(app));
}

/// Where a point of the world lies in the picture, pixels; false behind the eye.
static inline bool app_project(const view_app *app, vec3 point, double *x, double *y)
{
    return view_camera_project(&app->stage.camera, point, app->width, app->height, x, y);
}

#endif
