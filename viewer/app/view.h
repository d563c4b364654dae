// SPDX-License-Identifier: Apache-2.0
// What the command asks of the viewer. A build without SDL2, GLEW, cglm or stb has the same
// functions, which say what is missing.
#ifndef CAIRN_VIEWER_APP_VIEW_H
#define CAIRN_VIEWER_APP_VIEW_H

#include "scenes/scene.h"
#include "viewer/app/style.h"

#include <stdio.h>
#include <sys/types.h>

/// NULL where the viewer is built in; otherwise a sentence that says what the build lacked.
const char *view_missing(void);

/// What draws without a display on this machine, or why nothing does; for bug reports.
void view_describe(char *text, size_t size);

/// Energies of a run at one instant, J.
typedef struct view_energy_row {
    double time; // s
    double kinetic, potential, elastic, dissipated, residual;
} view_energy_row;

/// What is shown: a scene that is stepped, or a run that is played back.
typedef struct view_subject {
    scn_scene *scene;          // of a run: what its bodies are
    cairn_replay *replay;      // NULL: the scene is stepped
    view_energy_row *energies; // [energy_count] of the run, by time; the scene's allocator's
    int energy_count;          // 0: not known
    double *readings;  // [reading_count] rows of a run's sensors: time, then the columns of all
                       // sensors of the scene; the scene's allocator's
    int reading_count; // 0: not known
} view_subject;

/// Closes all of it; nothing for zeros.
void view_subject_finish(view_subject *subject);

/// Where the camera stands; NAN: chosen so that all bodies are in the picture.
typedef struct view_place {
    double azimuth, elevation; // degrees
    double zoom;               // > 1: nearer
    bool parallel;
    bool saved;             // of a view that was saved: what follows holds
    double target[3];       // m, what the eye looks at
    double distance;        // m, of the eye from it
    const char *follow;     // name of the body that the camera goes with; NULL: none
    bool boxed;             // what follows is in the picture, in place of all bodies
    double low[3], high[3]; // m
} view_place;

view_place view_place_default(void);

/// A picture or a film, without a display. The instants of a run lie between its first and last
/// frame; between two frames poses are interpolated.
typedef struct view_render_request {
    const view_subject *subject; // borrowed; a scene is stepped
    const char *output; // FILE.png, FILE-%d.png (a series), or a film: FILE.mp4, .webm, .mkv, .gif
    double at;          // s, instant of a picture; NAN: the scene's end time, the run's last frame
    double from, until; // s, of a film; NAN: 0, the scene's end time; the run's first, last frame
    double frame_rate;  // of a film, 1/s
    double speed;       // simulated seconds in a second of film
    int width, height;  // pixels
    view_style style;
    view_place place;
    bool caption; // title, time and contacts in the picture
    void (*progress)(void *context, double part, const cairn_world *world); // NULL: none; stepping
    bool (*stop)(void);                                                     // NULL: never
    void (*note)(void *context, cairn_log_level level, const char *text);   // NULL: none
    void *context;
} view_render_request;

typedef struct view_render_report {
    char file[512]; // what was written; the first of a series
    int pictures;
    bool film;
    double time;      // s, of the last picture
    char device[256]; // what drew
    double seconds_stepping, seconds_drawing;
} view_render_report;

/// CAIRN_ERROR_UNSUPPORTED where the build or the machine cannot draw, CAIRN_ERROR_ARGUMENT for an
/// output of an unknown kind or an instant outside a run, CAIRN_INTERRUPTED when `stop` said so;
/// otherwise as stepping and writing go.
cairn_status view_render(const view_render_request *request, view_render_report *report,
                         cairn_error *error) CAIRN_CHECK_RESULT;

/// A window on a scene or a run.
typedef struct view_window_request {
    view_subject subject; // taken over, also on failure
    const char *path;     // of the subject, for reset
    /// Opens a scene file, the folder of a run or its trajectory; zeros on failure.
    /// `parameters` are those that were changed in the window; they go before those of the caller.
    cairn_status (*open)(void *open_context, const char *path, const scn_assignment *parameters,
                         int parameter_count, view_subject *subject, cairn_error *error);
    void *open_context;
    /// Writes a view to a file that --view reads; NULL: it cannot.
    cairn_status (*save_view)(const char *path, const view_place *place, const view_style *style,
                              cairn_error *error);
    const char *scenes; // folder of the built-in scenes, for the list; NULL: none
    /// Starts a process that draws a scene or run into a small PNG file; NULL: it cannot.
    cairn_status (*sketch)(void *open_context, const char *path, bool run, const char *file,
                           int width, int height, pid_t *process, cairn_error *error);
    const char *sketches; // folder in which the small pictures are kept; NULL: nowhere
    int width, height;    // pixels
    view_style style;
    view_place place;
    bool paused;        // at the start
    bool hidden;        // no window: SDL's offscreen driver
    const char *script; // file of key and mouse events to play; NULL: none
    const char
        *folder; // for pictures, films and problems; NULL: that of a run, else the one at work
    bool (*stop)(void);                                                   // NULL: never
    void (*note)(void *context, cairn_log_level level, const char *text); // NULL: none
    void *context;
} view_window_request;

/// Returns when the window is closed.
cairn_status view_window(const view_window_request *request, cairn_error *error) CAIRN_CHECK_RESULT;

/// The table of keys as text, as help and manual show it; available in every build.
void view_keys_print(FILE *out);

#endif
