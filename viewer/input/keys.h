// SPDX-License-Identifier: Apache-2.0
// The table of keys: what the help overlay, the manual and the dispatch of events read.
#ifndef CAIRN_VIEWER_INPUT_KEYS_H
#define CAIRN_VIEWER_INPUT_KEYS_H

/// Action, name of its key, group, help. A key's name is SDL's, with "Shift+" or "Ctrl+" before it;
/// an action may have several rows. Mouse rows are for reading alone.
#define VIEW_KEY_LIST(X)                                                                           \
    X(PAUSE, "Space", TIME, "pause, go on")                                                        \
    X(PAUSE, "P", TIME, "pause, go on")                                                            \
    X(STEP, ".", TIME, "one step forward")                                                         \
    X(STEP, "Right", TIME, "one step forward")                                                     \
    X(STEP_TEN, "Shift+.", TIME, "ten steps forward")                                              \
    X(STEP_TEN, "Shift+Right", TIME, "ten steps forward")                                          \
    X(BACK, ",", TIME, "one step back, as far as was kept")                                        \
    X(BACK, "Left", TIME, "one step back, as far as was kept")                                     \
    X(BACK_TEN, "Shift+,", TIME, "ten steps back")                                                 \
    X(BACK_TEN, "Shift+Left", TIME, "ten steps back")                                              \
    X(LATEST, "End", TIME, "to the latest step")                                                   \
    X(OLDEST, "Home", TIME, "to the oldest step kept")                                             \
    X(MARK, "Shift+M", TIME, "mark this instant, or take its mark away")                           \
    X(MARK_NEXT, "Shift+End", TIME, "to the next marked instant")                                  \
    X(MARK_PREVIOUS, "Shift+Home", TIME, "to the marked instant before")                           \
    X(FASTER, "=", TIME, "twice as fast")                                                          \
    X(FASTER, "Shift+=", TIME, "twice as fast")                                                    \
    X(FASTER, "+", TIME, "twice as fast")                                                          \
    X(SLOWER, "-", TIME, "half as fast")                                                           \
    X(LOOP, "Y", TIME, "a run begins anew at its end, or not")                                     \
    X(RESET, "R", TIME, "back to the start")                                                       \
    X(RESET, "Backspace", TIME, "back to the start")                                               \
    X(RESET, "F5", TIME, "back to the start")                                                      \
    X(SCENE_LIST, "Ctrl+O", TIME, "list of scenes and runs to open")                               \
    X(SCENE_NEXT, "]", TIME, "next scene, or run, of the folder")                                  \
    X(SCENE_PREVIOUS, "[", TIME, "previous scene, or run, of the folder")                          \
    X(VIEW_X, "1", CAMERA, "look along x")                                                         \
    X(VIEW_Y, "2", CAMERA, "look along y")                                                         \
    X(VIEW_Z, "3", CAMERA, "look along z")                                                         \
    X(VIEW_X_BACK, "4", CAMERA, "look against x")                                                  \
    X(VIEW_Y_BACK, "5", CAMERA, "look against y")                                                  \
    X(VIEW_Z_BACK, "6", CAMERA, "look against z")                                                  \
    X(VIEW_START, "0", CAMERA, "as at the start")                                                  \
    X(FIT, "F", CAMERA, "fit the chosen body or set, or all")                                      \
    X(FOLLOW, "Shift+F", CAMERA, "camera follows the chosen body, or stands still")                \
    X(PARALLEL, "O", CAMERA, "parallel or perspective")                                            \
    X(FLY_FORWARD, "W", CAMERA, "fly forward, while held")                                         \
    X(FLY_BACK, "S", CAMERA, "fly back, while held")                                               \
    X(FLY_LEFT, "A", CAMERA, "fly left, while held")                                               \
    X(FLY_RIGHT, "D", CAMERA, "fly right, while held")                                             \
    X(FLY_UP, "PageUp", CAMERA, "fly up, while held")                                              \
    X(FLY_DOWN, "PageDown", CAMERA, "fly down, while held")                                        \
    X(CONTACTS, "C", SHOW, "contacts: off, points, normals, forces, ...")                          \
    X(CONTACTS_BACK, "Shift+C", SHOW, "contacts, the other way round")                             \
    X(LARGER, "Shift+]", SHOW, "larger contact symbols")                                           \
    X(SMALLER, "Shift+[", SHOW, "smaller contact symbols")                                         \
    X(COLOURS, "B", SHOW, "colours: body, material, speed, force, ...")                            \
    X(GLASS, "T", SHOW, "transparency: containers, nothing, all that is fixed")                    \
    X(GROUND, "G", SHOW, "grid and floor")                                                         \
    X(HANDLES, "Shift+G", SHOW, "handles that move and turn the chosen body")                      \
    X(SHADOWS, "H", SHOW, "shadows")                                                               \
    X(FRAMES, "J", SHOW, "axes of bodies")                                                         \
    X(BOXES, "K", SHOW, "bounding boxes")                                                          \
    X(VELOCITIES, "U", SHOW, "velocity arrows")                                                    \
    X(NAMES, "N", SHOW, "names of bodies")                                                         \
    X(JOINTS, "L", SHOW, "joints and connectors")                                                  \
    X(HIDE, "Shift+H", SHOW, "hide the chosen set, or show all")                                   \
    X(CLIP, "X", SHOW, "cut open, facing the camera")                                              \
    X(TEXT_LARGER, "Ctrl+=", PANELS, "larger text")                                                \
    X(TEXT_SMALLER, "Ctrl+-", PANELS, "smaller text")                                              \
    X(PANEL, "I", PANELS, "side panel: settings")                                                  \
    X(PANEL, "F2", PANELS, "side panel: settings")                                                 \
    X(CONTENTS, "F3", PANELS, "list of materials, joints and bodies")                              \
    X(ENERGY, "E", PANELS, "plot of energies")                                                     \
    X(LOGARITHM, "Shift+E", PANELS, "energies on a logarithmic axis, or not")                      \
    X(SENSORS, "Z", PANELS, "plot of a sensor of the scene")                                       \
    X(SOLVER, "M", PANELS, "plots of residual, iterations and phases")                             \
    X(CONTACT_NEXT, "Tab", PANELS, "next contact of the chosen body")                              \
    X(CONTACT_PREVIOUS, "Shift+Tab", PANELS, "previous contact of the chosen body")                \
    X(DESELECT, "Escape", PANELS, "close help or list, let go of the chosen body")                 \
    X(HELP, "F1", PANELS, "this help")                                                             \
    X(HELP, "Shift+/", PANELS, "this help")                                                        \
    X(PROBLEM, "F10", FILES, "write the contact problem of this step as FCLIB")                    \
    X(SAVE_VIEW, "F9", FILES, "save this view as a file")                                          \
    X(PICTURE, "F12", FILES, "write a picture")                                                    \
    X(FILM, "V", FILES, "start or end a film")                                                     \
    X(FULL_SCREEN, "F11", FILES, "full screen")                                                    \
    X(QUIT, "Q", FILES, "quit")                                                                    \
    X(QUIT, "Ctrl+Q", FILES, "quit")                                                               \
    X(MOUSE, "left drag", MOUSE, "turn the view")                                                  \
    X(MOUSE, "right drag, Shift+left", MOUSE, "move the view")                                     \
    X(MOUSE, "wheel", MOUSE, "nearer, farther")                                                    \
    X(MOUSE, "click", MOUSE, "choose a body: its panel")                                           \
    X(MOUSE, "Shift+click", MOUSE, "add a body to the chosen set, or take it out")                 \
    X(MOUSE, "Ctrl+left drag", MOUSE, "pull a body by a spring")                                   \
    X(MOUSE, "Alt+left drag", MOUSE, "move a body; with Shift up and down alone")                  \
    X(MOUSE, "Alt+right drag", MOUSE, "turn a body")                                               \
    X(MOUSE, "drop a file", MOUSE, "open a scene or a run")

typedef enum view_key_group {
    VIEW_GROUP_TIME,
    VIEW_GROUP_CAMERA,
    VIEW_GROUP_SHOW,
    VIEW_GROUP_PANELS,
    VIEW_GROUP_FILES,
    VIEW_GROUP_MOUSE,
    VIEW_GROUP_COUNT
} view_key_group;

/// Actions, in the order of their first rows.
typedef enum view_action {
    VIEW_ACTION_NONE,
    VIEW_ACTION_PAUSE,
    VIEW_ACTION_STEP,
    VIEW_ACTION_STEP_TEN,
    VIEW_ACTION_BACK,
    VIEW_ACTION_BACK_TEN,
    VIEW_ACTION_LATEST,
    VIEW_ACTION_OLDEST,
    VIEW_ACTION_MARK,
    VIEW_ACTION_MARK_NEXT,
    VIEW_ACTION_MARK_PREVIOUS,
    VIEW_ACTION_FASTER,
    VIEW_ACTION_SLOWER,
    VIEW_ACTION_LOOP,
    VIEW_ACTION_RESET,
    VIEW_ACTION_SCENE_LIST,
    VIEW_ACTION_SCENE_NEXT,
    VIEW_ACTION_SCENE_PREVIOUS,
    VIEW_ACTION_VIEW_X,
    VIEW_ACTION_VIEW_Y,
    VIEW_ACTION_VIEW_Z,
    VIEW_ACTION_VIEW_X_BACK,
    VIEW_ACTION_VIEW_Y_BACK,
    VIEW_ACTION_VIEW_Z_BACK,
    VIEW_ACTION_VIEW_START,
    VIEW_ACTION_FIT,
    VIEW_ACTION_FOLLOW,
    VIEW_ACTION_PARALLEL,
    VIEW_ACTION_FLY_FORWARD,
    VIEW_ACTION_FLY_BACK,
    VIEW_ACTION_FLY_LEFT,
    VIEW_ACTION_FLY_RIGHT,
    VIEW_ACTION_FLY_UP,
    VIEW_ACTION_FLY_DOWN,
    VIEW_ACTION_CONTACTS,
    VIEW_ACTION_CONTACTS_BACK,
    VIEW_ACTION_LARGER,
    VIEW_ACTION_SMALLER,
    VIEW_ACTION_COLOURS,
    VIEW_ACTION_GLASS,
    VIEW_ACTION_GROUND,
    VIEW_ACTION_HANDLES,
    VIEW_ACTION_SHADOWS,
    VIEW_ACTION_FRAMES,
    VIEW_ACTION_BOXES,
    VIEW_ACTION_VELOCITIES,
    VIEW_ACTION_NAMES,
    VIEW_ACTION_JOINTS,
    VIEW_ACTION_HIDE,
    VIEW_ACTION_CLIP,
    VIEW_ACTION_TEXT_LARGER,
    VIEW_ACTION_TEXT_SMALLER,
    VIEW_ACTION_PANEL,
    VIEW_ACTION_CONTENTS,
    VIEW_ACTION_ENERGY,
    VIEW_ACTION_LOGARITHM,
    VIEW_ACTION_SENSORS,
    VIEW_ACTION_SOLVER,
    VIEW_ACTION_CONTACT_NEXT,
    VIEW_ACTION_CONTACT_PREVIOUS,
    VIEW_ACTION_DESELECT,
    VIEW_ACTION_HELP,
    VIEW_ACTION_PROBLEM,
    VIEW_ACTION_SAVE_VIEW,
    VIEW_ACTION_PICTURE,
    VIEW_ACTION_FILM,
    VIEW_ACTION_FULL_SCREEN,
    VIEW_ACTION_QUIT,
    VIEW_ACTION_MOUSE,
    VIEW_ACTION_COUNT
} view_action;

typedef struct view_key {
    view_action action;
    const char *key;
    view_key_group group;
    const char *help;
} view_key;

const view_key *view_keys(int *count);
const char *view_key_group_name(view_key_group group);

/// Action of a key as SDL names it ("Space", ".", "F1"; "Shift+." with modifiers); letters in any
/// case. VIEW_ACTION_NONE where the key has none.
view_action view_key_find(const char *key);

/// All rows of an action in one text, as "Space, P"; first row only: NULL for the others.
const char *view_key_names(int row, char *text, int size);

#endif
