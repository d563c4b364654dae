// SPDX-License-Identifier: Apache-2.0
// Camera moves and matrices.
#include "viewer/draw/camera.h"

#include <math.h>

static const double elevation_limit = 1.5533; // rad, 89 degrees

view_camera view_camera_default(void)
{
    return (view_camera){.distance = 5.0, .azimuth = -1.05, .elevation = 0.32, .opening = 0.62};
}

view_axes view_camera_axes(const view_camera *camera)
{
    double across = cos(camera->elevation);
    vec3 back = {across * cos(camera->azimuth), across * sin(camera->azimuth),
                 sin(camera->elevation)};
    view_axes axes;
    axes.eye = vec3_add_scaled(camera->target, camera->distance, back);
    axes.forward = vec3_negate(back);
    axes.right = vec3_make(-sin(camera->azimuth), cos(camera->azimuth), 0.0);
    axes.up = vec3_cross(axes.right, axes.forward);
    return axes;
}

double view_camera_needed(const view_camera *camera, vec3 point, double aspect)
{
    view_axes axes = view_camera_axes(camera);
    vec3 p = vec3_sub(point, camera->target);
    double across = fmax(fabs(vec3_dot(p, axes.right)) / aspect, fabs(vec3_dot(p, axes.up)));
    double back = camera->parallel ? 0.0 : vec3_dot(p, axes.forward);
    return across / tan(0.5 * camera->opening) - back;
}

void view_camera_fit(view_camera *camera, vec3 minimum, vec3 maximum, double aspect)
{
    double distance = 1e-6;
    camera->target = vec3_scale(0.5, vec3_add(minimum, maximum));
    for (int corner = 0; corner < 8; corner++) {
        vec3 point =
            vec3_make(corner & 1 ? maximum.x : minimum.x, corner & 2 ? maximum.y : minimum.y,
                      corner & 4 ? maximum.z : minimum.z);
        distance = fmax(distance, view_camera_needed(camera, point, aspect));
    }
    camera->distance = 1.12 * distance;
}

void view_camera_orbit(view_camera *camera, double x, double y)
{
    camera->azimuth = remainder(camera->azimuth - 3.0 * x, 2.0 * M_PI);
    camera->elevation = fmin(fmax(camera->elevation + 3.0 * y, -elevation_limit), elevation_limit);
}

void view_camera_pan(view_camera *camera, double x, double y)
{
    view_axes axes = view_camera_axes(camera);
    double height = 2.0 * camera->distance * tan(0.5 * camera->opening);
    camera->target = vec3_add_scaled(camera->target, -x * height, axes.right);
    camera->target = vec3_add_scaled(camera->target, y * height, axes.up);
}

void view_camera_zoom(view_camera *camera, double factor)
{
    camera->distance = fmin(fmax(camera->distance * factor, 1e-6), 1e9);
}

void view_camera_fly(view_camera *camera, double forward, double right, double up)
{
    view_axes axes = view_camera_axes(camera);
    camera->target = vec3_add_scaled(camera->target, forward, axes.forward);
    camera->target = vec3_add_scaled(camera->target, right, axes.right);
    camera->target = vec3_add_scaled(camera->target, up, axes.up);
}

view_ray view_camera_ray(const view_camera *camera, double x, double y, double aspect)
{
    view_axes axes = view_camera_axes(camera);
    double tangent = tan(0.5 * camera->opening);
    vec3 across =
        vec3_add(vec3_scale(x * aspect * tangent, axes.right), vec3_scale(y * tangent, axes.up));
    if (camera->parallel)
        return (view_ray){vec3_add_scaled(axes.eye, camera->distance, across), axes.forward};
    vec3 direction = vec3_add(axes.forward, across);
    return (view_ray){axes.eye, vec3_normalize_or(direction, axes.forward)};
}

bool view_camera_project(const view_camera *camera, vec3 point, int width, int height, double *x,
                         double *y)
{
    view_axes axes = view_camera_axes(camera);
    vec3 from = vec3_sub(point, axes.eye);
    double depth = camera->parallel ? camera->distance : vec3_dot(from, axes.forward);
    if (depth <= 0.0)
        return false;
    double scale = 0.5 * height / (depth * tan(0.5 * camera->opening));
    *x = 0.5 * width + scale * vec3_dot(from, axes.right);
    *y = 0.5 * height - scale * vec3_dot(from, axes.up);
    return true;
}

static void store(float out[3], vec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

view_matrix view_camera_matrix(const view_camera *camera, vec3 origin, double reach, double aspect)
{
    view_axes axes = view_camera_axes(camera);
    float eye[3], forward[3], up[3];
    double far = camera->distance + reach;
    double near = fmax(camera->distance - reach, 0.002 * far);
    store(eye, vec3_sub(axes.eye, origin));
    store(forward, axes.forward);
    store(up, axes.up);
    if (!camera->parallel)
        return view_matrix_perspective(eye, forward, up, (float)camera->opening, (float)aspect,
                                       (float)near, (float)far);
    double height = camera->distance * tan(0.5 * camera->opening);
    return view_matrix_parallel(eye, forward, up, (float)(height * aspect), (float)height,
                                (float)-far, (float)far);
}
