// SPDX-License-Identifier: Apache-2.0
// The camera: looks at a point from a direction and a distance. World z is up.
#ifndef CAIRN_VIEWER_DRAW_CAMERA_H
#define CAIRN_VIEWER_DRAW_CAMERA_H

#include "base/vec.h"
#include "viewer/draw/matrix.h"

#include <stdbool.h>

typedef struct view_camera {
    vec3 target;               // m
    double distance;           // m, from the target
    double azimuth, elevation; // rad, of the eye as seen from the target
    double opening;            // rad, vertical
    bool parallel;             // orthographic, with the height that the target would have
} view_camera;

/// Axes of a camera: where it is, and unit vectors.
typedef struct view_axes {
    vec3 eye, forward, right, up;
} view_axes;

typedef struct view_ray {
    vec3 origin, direction; // unit
} view_ray;

view_camera view_camera_default(void);
view_axes view_camera_axes(const view_camera *camera);

/// Keeps direction and opening, and takes a box into the picture.
void view_camera_fit(view_camera *camera, vec3 minimum, vec3 maximum, double aspect);

/// Distance from the target at which a point comes into the picture.
double view_camera_needed(const view_camera *camera, vec3 point, double aspect);

/// Moves in answer to a drag by parts of the picture's height.
void view_camera_orbit(view_camera *camera, double x, double y);
void view_camera_pan(view_camera *camera, double x, double y);
/// factor < 1: nearer
void view_camera_zoom(view_camera *camera, double factor);
/// Moves target and eye along the camera's axes, m.
void view_camera_fly(view_camera *camera, double forward, double right, double up);

/// Ray through a point of the picture: x, y from -1 to 1, y up.
view_ray view_camera_ray(const view_camera *camera, double x, double y, double aspect);

/// Where a point lies in a picture, pixels from its upper left corner. @return false behind the eye
bool view_camera_project(const view_camera *camera, vec3 point, int width, int height, double *x,
                         double *y);

/// For positions relative to `origin`.
/// @param reach  m, distance from the target within which things are kept between near and far
view_matrix view_camera_matrix(const view_camera *camera, vec3 origin, double reach, double aspect);

#endif
