// SPDX-License-Identifier: Apache-2.0
// From events to actions: keys by the table, the mouse by what is under it.
#include "viewer/app/app.h"

#include "base/assert.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// pixels below which a drag is a click
static const double click_reach = 4.0;

// ---------------------------------------------------------------- actions

static void look_from(view_app *app, double azimuth, double elevation)
{
    app->stage.camera.azimuth = azimuth;
    app->stage.camera.elevation = elevation;
}

static void fit(view_app *app)
{
    vec3 low, high;
    if (app->selected >= 0) {
        vec3 centre = app->frame->centres[app->selected];
        double r = 1.6 * app->model.bodies[app->selected].radius;
        vec3 reach = vec3_make(r, r, r);
        view_camera_fit(&app->stage.camera, vec3_sub(centre, reach), vec3_add(centre, reach),
                        app_aspect(app));
    } else if (app_set_bounds(app, &low, &high) ||
               view_frame_bounds(app->frame, &app->model, true, &low, &high)) {
        view_camera_fit(&app->stage.camera, low, high, app_aspect(app));
    }
}

static void follow(view_app *app)
{
    char label[40];
    view_stage *stage = &app->stage;
    bool other = app->selected >= 0 && app->selected != stage->followed;
    if (!other && stage->followed < 0) {
        app_say(app, "choose a body first, by a click");
        return;
    }
    view_stage_follow(stage, app->frame, other ? app->selected : -1);
    app_body_label(app, app->selected, "the camera goes with ", label);
    app_say(app, "%s", other ? label : "the camera stands still");
}

static void change_speed(view_app *app, double factor)
{
    double speed = fmin(fmax(app->state.speed * factor, 1.0 / 1024.0), 1024.0);
    app_order(app, VIEW_ORDER_SPEED, speed);
    app_say(app, "speed %.4g", speed);
}

static void clip(view_app *app)
{
    view_axes axes = view_camera_axes(&app->stage.camera);
    vec3 towards = vec3_negate(axes.forward);
    app->style.clip = !app->style.clip;
    vec3_store(app->style.clip_plane, towards);
    app->style.clip_plane[3] = vec3_dot(towards, app->stage.list.origin);
}

static void toggle_full_screen(view_app *app)
{
    SDL_Window *window = view_gpu_window(app->stage.gpu);
    bool full = (SDL_GetWindowFlags(window) & SDL_WINDOW_FULLSCREEN_DESKTOP) != 0;
    if (!app->request->hidden &&
        SDL_SetWindowFullscreen(window, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP) != 0)
        app_say(app, "%s", SDL_GetError());
}

static void cycle_contacts(view_app *app, int way)
{
    static const char *const helps[] = {
#define HELP(upper, name, help) help,
        VIEW_CONTACTS_LIST(HELP)
#undef HELP
    };
    int next = ((int)app->style.contacts + way + VIEW_CONTACTS_COUNT) % VIEW_CONTACTS_COUNT;
    app->style.contacts = (view_contacts)next;
    app_say(app, "%s%s", helps[next],
            !app->frame->keeps_contacts && next != VIEW_CONTACTS_OFF
                ? ": the run kept none in this frame (cairn run --contacts-every)"
                : "");
}

static void cycle_colours(view_app *app)
{
    static const char *const helps[] = {
#define HELP(upper, name, help) help,
        VIEW_COLOURS_LIST(HELP)
#undef HELP
    };
    app->style.colours = (view_colours)(((int)app->style.colours + 1) % VIEW_COLOURS_COUNT);
    memset(app->style.colour_range, 0, sizeof app->style.colour_range);
    app_say(app, "colours: %s", helps[app->style.colours]);
}

static void deselect(view_app *app)
{
    if (app->show_help)
        app->show_help = false;
    else if (app->menu >= 0)
        app->menu = -1;
    else if (app->selected >= 0)
        app->selected = app->contact = -1;
    else
        app_clear_set(app);
}

/// Actions that are an order to the simulation and no more.
static const struct {
    view_action action;
    view_order_kind kind;
    double number;
} orders[] = {
    {VIEW_ACTION_STEP, VIEW_ORDER_STEP, 1.0},   {VIEW_ACTION_STEP_TEN, VIEW_ORDER_STEP, 10.0},
    {VIEW_ACTION_BACK, VIEW_ORDER_STEP, -1.0},  {VIEW_ACTION_BACK_TEN, VIEW_ORDER_STEP, -10.0},
    {VIEW_ACTION_LATEST, VIEW_ORDER_SEEK, 0.0}, {VIEW_ACTION_OLDEST, VIEW_ORDER_SEEK, 1e9},
};

/// Actions that look along an axis; angles of the eye, rad.
static const struct {
    view_action action;
    double azimuth, elevation;
} looks[] = {
    {VIEW_ACTION_VIEW_X, M_PI, 0.0},
    {VIEW_ACTION_VIEW_X_BACK, 0.0, 0.0},
    {VIEW_ACTION_VIEW_Y, -0.5 * M_PI, 0.0},
    {VIEW_ACTION_VIEW_Y_BACK, 0.5 * M_PI, 0.0},
    {VIEW_ACTION_VIEW_Z, -0.5 * M_PI, -1.5533},
    {VIEW_ACTION_VIEW_Z_BACK, -0.5 * M_PI, 1.5533},
};

/// Actions that are a call.
static const struct {
    view_action action;
    void (*call)(view_app *app);
} calls[] = {
    {VIEW_ACTION_MARK, app_toggle_mark},
    {VIEW_ACTION_FIT, fit},
    {VIEW_ACTION_FOLLOW, follow},
    {VIEW_ACTION_COLOURS, cycle_colours},
    {VIEW_ACTION_HIDE, app_hide_set},
    {VIEW_ACTION_CLIP, clip},
    {VIEW_ACTION_SCENE_LIST, app_open_picker},
    {VIEW_ACTION_DESELECT, deselect},
    {VIEW_ACTION_PROBLEM, app_write_problem},
    {VIEW_ACTION_SAVE_VIEW, app_save_view},
    {VIEW_ACTION_PICTURE, app_write_picture},
    {VIEW_ACTION_FILM, app_toggle_film},
    {VIEW_ACTION_FULL_SCREEN, toggle_full_screen},
};

/// Actions that go forward or back.
static const struct {
    view_action action;
    void (*go)(view_app *app, int way);
    int way;
} ways[] = {
    {VIEW_ACTION_MARK_NEXT, app_seek_mark, 1},
    {VIEW_ACTION_MARK_PREVIOUS, app_seek_mark, -1},
    {VIEW_ACTION_CONTACTS, cycle_contacts, 1},
    {VIEW_ACTION_CONTACTS_BACK, cycle_contacts, -1},
    {VIEW_ACTION_CONTACT_NEXT, app_step_contact, 1},
    {VIEW_ACTION_CONTACT_PREVIOUS, app_step_contact, -1},
    {VIEW_ACTION_SCENE_NEXT, app_open_neighbour, 1},
    {VIEW_ACTION_SCENE_PREVIOUS, app_open_neighbour, -1},
};

/// What the tables say of an action.
static void act_by_table(view_app *app, view_action action)
{
    for (int i = 0; i < BASE_COUNT(orders); i++)
        if (orders[i].action == action)
            app_order(app, orders[i].kind, orders[i].number);
    for (int i = 0; i < BASE_COUNT(looks); i++)
        if (looks[i].action == action)
            look_from(app, looks[i].azimuth, looks[i].elevation);
    bool *what = app_switch(app, action);
    if (what != NULL)
        *what = !*what;
    for (int i = 0; i < BASE_COUNT(calls); i++)
        if (calls[i].action == action)
            calls[i].call(app);
    for (int i = 0; i < BASE_COUNT(ways); i++)
        if (ways[i].action == action)
            ways[i].go(app, ways[i].way);
}

void app_act(view_app *app, view_action action)
{
    view_style *style = &app->style;
    act_by_table(app, action);
    switch ((int)action) {
    case VIEW_ACTION_PAUSE:
        app_order(app, VIEW_ORDER_PAUSE, app->state.paused ? 0.0 : 1.0);
        break;
    case VIEW_ACTION_LOOP:
        app_order(app, VIEW_ORDER_LOOP, app->loop ? 1.0 : 0.0);
        app_say(app, !app->loop            ? "a run stops at its end"
                     : app->subject.replay ? "the run begins anew at its end"
                                           : "runs begin anew at their end; this is a scene");
        break;
    case VIEW_ACTION_FASTER:
        change_speed(app, 2.0);
        break;
    case VIEW_ACTION_SLOWER:
        change_speed(app, 0.5);
        break;
    case VIEW_ACTION_VIEW_START:
        app->stage.camera = app->start;
        break;
    case VIEW_ACTION_LARGER:
        style->contact_scale = fmin(1.25 * style->contact_scale, 100.0);
        break;
    case VIEW_ACTION_SMALLER:
        style->contact_scale = fmax(0.8 * style->contact_scale, 0.01);
        break;
    case VIEW_ACTION_GLASS:
        style->glass = (view_glass)(((int)style->glass + 1) % VIEW_GLASS_COUNT);
        break;
    case VIEW_ACTION_HANDLES:
        if (app->selected < 0 || app->subject.replay != NULL)
            app_say(app, "%s",
                    app->selected < 0 ? "handles are those of a chosen body: click one"
                                      : "this is a run that was made: nothing can be moved");
        break;
    case VIEW_ACTION_RESET:
        app_open_scene(app, app->path);
        break;
    case VIEW_ACTION_TEXT_LARGER:
        app->text_scale = fmin(1.15 * app->text_scale, 3.0);
        break;
    case VIEW_ACTION_TEXT_SMALLER:
        app->text_scale = fmax(app->text_scale / 1.15, 0.5);
        break;
    case VIEW_ACTION_LOGARITHM:
        app->show_energy = true;
        break;
    case VIEW_ACTION_QUIT:
        app->quit = true;
        break;
    default:
        break;
    }
}

// ---------------------------------------------------------------- keys

/// What is typed goes into the value that is being changed. @return false for another key
static bool type_key(view_app *app, SDL_Keycode key)
{
    view_edit *edit = &app->edit;
    size_t length = strlen(edit->text);
    if (edit->number == 0)
        return false;
    // the keys of the right block mean what is on them
    if (key >= SDLK_KP_1 && key <= SDLK_KP_9)
        key = '1' + (key - SDLK_KP_1);
    if (key == SDLK_RETURN || key == SDLK_KP_ENTER)
        edit->entered = true;
    else if (key == SDLK_ESCAPE)
        edit->number = 0;
    else if (key == SDLK_BACKSPACE && length > 0)
        edit->text[length - 1] = '\0';
    else if (key < 128 && key > 0 && strchr("0123456789.-e", key) != NULL &&
             length + 1 < sizeof edit->text)
        edit->text[length] = (char)key;
    return true;
}

static void handle_key(view_app *app, const SDL_KeyboardEvent *event)
{
    if (event->type == SDL_KEYDOWN && type_key(app, event->keysym.sym))
        return;
    char name[64];
    const char *modifier = event->keysym.mod & KMOD_CTRL    ? "Ctrl+"
                           : event->keysym.mod & KMOD_SHIFT ? "Shift+"
                                                            : "";
    snprintf(name, sizeof name, "%s%s", modifier, SDL_GetKeyName(event->keysym.sym));
    view_action action = view_key_find(name);
    bool down = event->type == SDL_KEYDOWN;
    // the list takes what can be typed; function keys keep their meaning
    bool function = event->keysym.sym >= SDLK_F1 && event->keysym.sym <= SDLK_F12;
    if (app->picker.open && action != VIEW_ACTION_SCENE_LIST && !function) {
        if (down)
            app_picker_key(app, event->keysym.sym);
        return;
    }
    if (action >= VIEW_ACTION_FLY_FORWARD && action <= VIEW_ACTION_FLY_DOWN) {
        app->flying[action - VIEW_ACTION_FLY_FORWARD] = down;
        return;
    }
    // held keys repeat what makes sense when repeated
    bool repeats = action == VIEW_ACTION_STEP || action == VIEW_ACTION_BACK ||
                   action == VIEW_ACTION_STEP_TEN || action == VIEW_ACTION_BACK_TEN ||
                   action == VIEW_ACTION_LARGER || action == VIEW_ACTION_SMALLER;
    if (down && action != VIEW_ACTION_NONE && (event->repeat == 0 || repeats))
        app_act(app, action);
}

void app_fly(view_app *app, double seconds)
{
    double step = 0.8 * app->stage.camera.distance * fmin(seconds, 0.1);
    const bool *keys = app->flying;
    double forward = step * (keys[0] - keys[1]), right = step * (keys[3] - keys[2]);
    view_camera_fly(&app->stage.camera, forward, right, step * (keys[4] - keys[5]));
}

// ---------------------------------------------------------------- mouse

/// Only dynamic bodies can be pulled.
static bool start_pull(view_app *app)
{
    view_ray ray = app_mouse_ray(app);
    view_hit hit = view_pick(&app->model, app->frame, ray.origin, ray.direction, false);
    if (hit.body < 0 || app->model.bodies[hit.body].kind != CAIRN_DYNAMIC)
        return false;
    if (app->subject.replay != NULL) {
        app_say(app, "this is a run that was made: nothing can be pulled");
        return false;
    }
    vec3 forward = view_camera_axes(&app->stage.camera).forward;
    app->selected = hit.body;
    app->contact = -1;
    app->pulling = true;
    app->pull_point = pose_apply_inverse(&app->frame->poses[hit.body], hit.point);
    app->pull_depth = vec3_dot(vec3_sub(hit.point, ray.origin), forward);
    app->pull_target = hit.point;
    return true;
}

/// Alt takes a body of any kind to another place: left moves it, right turns it.
static bool start_placing(view_app *app, bool turn)
{
    view_ray ray = app_mouse_ray(app);
    view_hit hit = view_pick(&app->model, app->frame, ray.origin, ray.direction, false);
    if (hit.body < 0)
        return false;
    if (app->subject.replay != NULL) {
        app_say(app, "this is a run that was made: nothing can be moved");
        return false;
    }
    app_choose_body(app, hit.body);
    app->placing = turn ? APP_TURNING : APP_MOVING;
    app->place_start = app->frame->poses[hit.body];
    app->place_centre = app->frame->centres[hit.body];
    app->place_point = hit.point;
    return true;
}

/// Moves by what the mouse went in the plane of the picture, with Shift along the vertical alone;
/// or turns about the vertical and the horizontal of the picture.
static void place(view_app *app)
{
    view_axes axes = view_camera_axes(&app->stage.camera);
    pose placed = app->place_start;
    if (app->placing == APP_HANDLING) {
        placed = app_drag_handle(app);
    } else if (app->placing == APP_MOVING) {
        view_ray ray = app_mouse_ray(app);
        double depth = vec3_dot(vec3_sub(app->place_point, ray.origin), axes.forward);
        vec3 way =
            vec3_sub(vec3_add_scaled(ray.origin, depth / vec3_dot(ray.direction, axes.forward),
                                     ray.direction),
                     app->place_point);
        if (SDL_GetModState() & KMOD_SHIFT)
            way = vec3_make(0.0, 0.0, way.z);
        placed.position = vec3_add(placed.position, way);
    } else {
        double across = 3.0 * (app->mouse.x - app->press_x) / app->height;
        double down = 3.0 * (app->mouse.y - app->press_y) / app->height;
        quat turn = quat_multiply(base_quat_from_rotation_vector(vec3_make(0.0, 0.0, across)),
                                  base_quat_from_rotation_vector(vec3_scale(down, axes.right)));
        vec3 arm = vec3_sub(placed.position, app->place_centre);
        placed.orientation = quat_multiply(turn, placed.orientation);
        placed.position = vec3_add(app->place_centre, quat_rotate(turn, arm));
    }
    view_order order = {.kind = VIEW_ORDER_PLACE,
                        .body = app->selected,
                        .vector = placed.position,
                        .orientation = placed.orientation};
    view_simulation_post(app->simulation, &order);
}

static bool is_over_panel(const view_app *app)
{
    for (int i = 0; i < app->panel_count; i++)
        if (view_panel_contains(&app->panels[i], app->mouse.x, app->mouse.y))
            return true;
    return false;
}

static void press(view_app *app, const SDL_MouseButtonEvent *event)
{
    SDL_Keymod modifier = SDL_GetModState();
    app->press_x = app->mouse.x;
    app->press_y = app->mouse.y;
    app->moved = false;
    app->over_panel = is_over_panel(app) || app->show_help;
    if (event->button == SDL_BUTTON_LEFT)
        app->mouse.down = app->mouse.pressed = true;
    if (app->over_panel || app->picker.open)
        return;
    if (event->button == SDL_BUTTON_LEFT && modifier & KMOD_CTRL && start_pull(app))
        return;
    if (event->button == SDL_BUTTON_LEFT && (modifier & (KMOD_CTRL | KMOD_ALT | KMOD_SHIFT)) == 0 &&
        app_take_handle(app))
        return;
    if (modifier & KMOD_ALT && start_placing(app, event->button != SDL_BUTTON_LEFT))
        return;
    app->adding = event->button == SDL_BUTTON_LEFT && (modifier & KMOD_SHIFT) != 0;
    app->panning = event->button != SDL_BUTTON_LEFT || app->adding;
    app->orbiting = !app->panning;
}

static void let_go(view_app *app, const SDL_MouseButtonEvent *event)
{
    if (event->button == SDL_BUTTON_LEFT) {
        app->mouse.down = false;
        app->mouse.released = true;
    }
    if (app->pulling)
        app_order(app, VIEW_ORDER_RELEASE, 0.0);
    else if ((app->orbiting || (app->panning && app->adding)) && !app->moved) {
        view_ray ray = app_mouse_ray(app);
        view_hit hit = view_pick(&app->model, app->frame, ray.origin, ray.direction, false);
        if (hit.body < 0)
            hit = view_pick(&app->model, app->frame, ray.origin, ray.direction, true);
        if (app->adding)
            app_toggle_in_set(app, hit.body);
        else
            app_choose_body(app, hit.body);
    }
    app->pulling = app->orbiting = app->panning = false;
    app->placing = APP_NO_PLACING;
}

/// Height of the highest ground that faces upwards.
static bool find_ground(const view_draw_list *list, double *level)
{
    const view_batch *planes = &list->solids[VIEW_PLANE];
    *level = list->has_floor ? list->floor_level : -INFINITY;
    for (int i = 0; i < planes->count; i++) {
        const float *q = planes->items[i].orientation;
        double upward = 1.0 - 2.0 * (q[0] * (double)q[0] + q[1] * (double)q[1]);
        if (upward > 0.99)
            *level = fmax(*level, list->origin.z + planes->items[i].position[2]);
    }
    return isfinite(*level);
}

/// Turns the view; an eye above the ground stays there. The keys that look along axes go below.
static void turn_view(view_app *app, double dx, double dy)
{
    view_camera *camera = &app->stage.camera;
    double level, elevation = camera->elevation;
    bool above = find_ground(&app->stage.list, &level) && view_camera_axes(camera).eye.z > level;
    view_camera_orbit(camera, dx, dy);
    if (above && camera->elevation < elevation &&
        view_camera_axes(camera).eye.z < level + 0.01 * camera->distance)
        camera->elevation = elevation;
}

static void move(view_app *app, double x, double y)
{
    double dx = (x - app->mouse.x) / app->height, dy = (y - app->mouse.y) / app->height;
    app->mouse.x = x;
    app->mouse.y = y;
    if (hypot(x - app->press_x, y - app->press_y) > click_reach * app->pixels_per_point)
        app->moved = true;
    if (app->pulling) {
        // the target moves in the plane of the picture through the point that was taken
        view_ray ray = app_mouse_ray(app);
        vec3 forward = view_camera_axes(&app->stage.camera).forward;
        double along = app->pull_depth / vec3_dot(ray.direction, forward);
        app->pull_target = vec3_add_scaled(ray.origin, along, ray.direction);
        view_order order = {.kind = VIEW_ORDER_PULL,
                            .body = app->selected,
                            .point = app->pull_point,
                            .vector = app->pull_target};
        view_simulation_post(app->simulation, &order);
    } else if (app->placing != APP_NO_PLACING) {
        place(app);
    } else if (app->orbiting && app->moved)
        turn_view(app, dx, dy);
    else if (app->panning)
        view_camera_pan(&app->stage.camera, dx, dy);
    else
        app_find_handle(app);
}

void app_handle_event(view_app *app, const SDL_Event *event)
{
    double scale = app->pixels_per_point;
    switch (event->type) {
    case SDL_QUIT:
        app->quit = true;
        break;
    case SDL_KEYDOWN:
    case SDL_KEYUP:
        handle_key(app, &event->key);
        break;
    case SDL_MOUSEMOTION:
        move(app, scale * event->motion.x, scale * event->motion.y);
        break;
    case SDL_MOUSEBUTTONDOWN:
        move(app, scale * event->button.x, scale * event->button.y);
        press(app, &event->button);
        break;
    case SDL_MOUSEBUTTONUP:
        let_go(app, &event->button);
        break;
    case SDL_MOUSEWHEEL:
        if (app->show_help)
            app->help_first -= (int)(3.0 * event->wheel.preciseY);
        else if (app_menu_has_mouse(app))
            app->menu_first -= (int)(3.0 * event->wheel.preciseY);
        else if (app->picker.open)
            view_picker_move(&app->picker, event->wheel.preciseY > 0.0 ? -app->picker.columns
                                                                       : app->picker.columns);
        else if (!app_scroll_contents(app, event->wheel.preciseY) &&
                 !app_scroll_panel(app, event->wheel.preciseY))
            view_camera_zoom(&app->stage.camera, pow(0.88, event->wheel.preciseY));
        break;
    case SDL_DROPFILE:
        app_open_scene(app, event->drop.file);
        SDL_free(event->drop.file);
        break;
    default:
        break;
    }
}
