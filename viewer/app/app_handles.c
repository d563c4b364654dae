// SPDX-License-Identifier: Apache-2.0
// Handles of the chosen body: arrows that move it along the axes of the world, circles that turn it
// about them.
#include "viewer/app/app.h"

#include <math.h>

// points of the screen within which the mouse takes a handle
static const double reach = 7.0;
// length of an arrow, in distances of the eye
static const double arrow_length = 0.16;

enum { CIRCLES = 3 };

static vec3 axis_of(int handle)
{
    static const vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    return axes[handle % CIRCLES];
}

bool app_get_handles(const view_app *app, view_handles *handles)
{
    if (!app->show_handles || !view_frame_has(app->frame, app->selected) ||
        app->subject.replay != NULL)
        return false;
    const view_camera *camera = &app->stage.camera;
    vec3 centre = app->frame->centres[app->selected];
    view_axes axes = view_camera_axes(camera);
    double depth =
        camera->parallel ? camera->distance : vec3_dot(vec3_sub(centre, axes.eye), axes.forward);
    *handles = (view_handles){centre, arrow_length * depth, app->handle};
    return depth > 0.0;
}

/// A point of a handle: of an arrow from the centre (0) to the tip (1), of a circle around (0 ..
/// 1).
static vec3 point_of(const view_handles *handles, int handle, double part)
{
    if (handle < CIRCLES)
        return vec3_add_scaled(handles->centre, part * handles->length, axis_of(handle));
    double angle = 2.0 * M_PI * part, radius = VIEW_HANDLE_CIRCLE * handles->length;
    vec3 at = vec3_add_scaled(handles->centre, radius * cos(angle), axis_of(handle + 1));
    return vec3_add_scaled(at, radius * sin(angle), axis_of(handle + 2));
}

/// Distance of the mouse from a handle, pixels.
static double distance_to(const view_app *app, const view_handles *handles, int handle)
{
    enum { POINTS = 64 };
    double nearest = INFINITY, x = 0.0, y = 0.0;
    for (int i = 0; i <= POINTS; i++) {
        // arrows are taken outside of where all three meet
        double part = handle < CIRCLES ? 0.2 + 0.8 * i / POINTS : (double)i / POINTS;
        if (app_project(app, point_of(handles, handle, part), &x, &y))
            nearest = fmin(nearest, hypot(x - app->mouse.x, y - app->mouse.y));
    }
    return nearest;
}

void app_find_handle(view_app *app)
{
    view_handles handles;
    double nearest = reach * app->pixels_per_point;
    app->handle = -1;
    if (!app_get_handles(app, &handles))
        return;
    for (int i = 0; i < 2 * CIRCLES; i++) {
        double distance = distance_to(app, &handles, i);
        if (distance < nearest) {
            nearest = distance;
            app->handle = i;
        }
    }
}

/// Where the mouse is on the line of an arrow, m from the centre; the nearest point of the two
/// lines.
static double along_arrow(const view_app *app, vec3 centre, vec3 axis)
{
    view_ray ray = app_mouse_ray(app);
    vec3 between = vec3_sub(ray.origin, centre);
    double across = vec3_dot(ray.direction, axis), rest = 1.0 - across * across;
    // an arrow that points at the eye does not move
    if (rest < 1e-4)
        return app->handle_start;
    return (vec3_dot(between, axis) - across * vec3_dot(between, ray.direction)) / rest;
}

/// Angle of the mouse on a circle, rad; seen from its edge the way along the screen counts.
static double around_circle(const view_app *app, vec3 centre, int handle)
{
    view_ray ray = app_mouse_ray(app);
    vec3 axis = axis_of(handle);
    double across = vec3_dot(ray.direction, axis);
    if (fabs(across) < 0.05) {
        view_axes axes = view_camera_axes(&app->stage.camera);
        vec3 way = vec3_normalize_or(vec3_cross(axis, vec3_negate(axes.forward)), axes.right);
        double x = vec3_dot(way, axes.right), y = vec3_dot(way, axes.up);
        return 6.0 * (x * app->mouse.x - y * app->mouse.y) / app->height;
    }
    double far = vec3_dot(vec3_sub(centre, ray.origin), axis) / across;
    vec3 out = vec3_sub(vec3_add_scaled(ray.origin, far, ray.direction), centre);
    return atan2(vec3_dot(out, axis_of(handle + 2)), vec3_dot(out, axis_of(handle + 1)));
}

static double where_on(const view_app *app, vec3 centre)
{
    return app->handle < CIRCLES ? along_arrow(app, centre, axis_of(app->handle))
                                 : around_circle(app, centre, app->handle);
}

bool app_take_handle(view_app *app)
{
    app_find_handle(app);
    if (app->handle < 0)
        return false;
    app->placing = APP_HANDLING;
    app->place_start = app->frame->poses[app->selected];
    app->place_centre = app->frame->centres[app->selected];
    app->handle_start = 0.0;
    app->handle_start = where_on(app, app->place_centre);
    return true;
}

pose app_drag_handle(const view_app *app)
{
    pose placed = app->place_start;
    vec3 axis = axis_of(app->handle);
    double way = where_on(app, app->place_centre) - app->handle_start;
    if (app->handle < CIRCLES) {
        placed.position = vec3_add_scaled(placed.position, way, axis);
        return placed;
    }
    quat turn = base_quat_from_rotation_vector(vec3_scale(way, axis));
    vec3 arm = vec3_sub(placed.position, app->place_centre);
    placed.orientation = quat_multiply(turn, placed.orientation);
    placed.position = vec3_add(app->place_centre, quat_rotate(turn, arm));
    return placed;
}
