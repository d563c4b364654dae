// SPDX-License-Identifier: Apache-2.0
// What touches in a contact of explicit laws, from the contacts of its pair and the two shapes.
//
// Contacts of one pair with one normal are the corners of what touches: one is a point, two are the
// ends of a line, three and more the corners of a face. A line or face is shared among them.
#include "engine/passes/touch.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/elementary.h"
#include "geometry/shape/curvature.h"

// FACE_CORNERS: a face with more of them is measured by the first ones
enum { FACE_CORNERS = 64 };

// what is less curved than this over the size of its shape is flat
static const double least_curved = 0.01;

// share of its size that a point may lie off a surface by round-off
static const double digits = 1e-9;

// radius of a solid sphere over its radius of gyration, squared
static const double sphere_share = 2.5;

// cosine between normals of contacts that belong to one face
static const double same_normal = 0.999;

/// Corners of what touches, along the surface from the contact itself.
typedef struct touch_corners {
    double at[FACE_CORNERS][2]; // m
    int count;
} touch_corners;

static touch_corners corners_of(const cairn_world *world, int contact)
{
    const eng_contacts *c = &world->contacts.set;
    const eng_pair *pair = &world->contacts.pairs.rows[c->pair[contact]];
    vec3 n = mat3_row(&c->frame[contact], 0);
    touch_corners corners = {.count = 0};
    for (int i = pair->first; i < pair->first + pair->count; i++) {
        if (c->gap[i] > 0.0 || vec3_dot(mat3_row(&c->frame[i], 0), n) < same_normal)
            continue;
        vec3 way = vec3_sub(c->point[i], c->point[contact]);
        corners.at[corners.count][0] = vec3_dot(way, mat3_row(&c->frame[contact], 1));
        corners.at[corners.count][1] = vec3_dot(way, mat3_row(&c->frame[contact], 2));
        if (++corners.count == FACE_CORNERS)
            break;
    }
    return corners;
}

/// Sorts corners by their angle about their mean; faces that touch are convex.
static void sort_corners(touch_corners *corners)
{
    double mean[2] = {0.0, 0.0}, angle[FACE_CORNERS];
    for (int i = 0; i < corners->count; i++)
        for (int k = 0; k < 2; k++)
            mean[k] += corners->at[i][k] / corners->count;
    for (int i = 0; i < corners->count; i++) {
        double x = corners->at[i][0], y = corners->at[i][1];
        double own = base_atan2(y - mean[1], x - mean[0]);
        int place = i;
        for (; place > 0 && angle[place - 1] > own; place--) {
            angle[place] = angle[place - 1];
            for (int k = 0; k < 2; k++)
                corners->at[place][k] = corners->at[place - 1][k];
        }
        angle[place] = own;
        corners->at[place][0] = x;
        corners->at[place][1] = y;
    }
}

/// m2, of sorted corners; and the largest distance of two, m.
static double area_of(const touch_corners *corners, double *length)
{
    double area = 0.0;
    *length = 0.0;
    for (int i = 0; i < corners->count; i++) {
        const double *a = corners->at[i], *b = corners->at[(i + 1) % corners->count];
        area += 0.5 * (a[0] * b[1] - a[1] * b[0]);
        for (int k = 0; k < i; k++)
            *length = fmax(*length, base_hypot(a[0] - corners->at[k][0], a[1] - corners->at[k][1]));
    }
    return area;
}

/// The contact seen from the frame of a side's shape.
typedef struct seen_from {
    const geo_shape *shape;
    mat3 rotation; // from the shape's frame to the world
    vec3 point;    // m
    vec3 normal;   // out of the shape
} seen_from;

static seen_from look_from(const cairn_world *world, int contact, int side)
{
    const eng_contacts *c = &world->contacts.set;
    const geo_pair *colliders = &world->contacts.pairs.rows[c->pair[contact]].colliders;
    int of = side == 0 ? colliders->first : colliders->second;
    const pose *place = &world->contacts.colliders.pose[of];
    seen_from seen = {.shape = world->contacts.colliders.rows[of].shape,
                      .rotation = quat_to_mat3(place->orientation)};
    vec3 point = c->point[contact], n = mat3_row(&c->frame[contact], 0);
    // the image of B that touches is next to A
    if (side == 1 && world->state.cell.any)
        point = vec3_sub(point, eng_pair_shift(world, c->body[contact][0], c->body[contact][1]));
    seen.point = mat3_apply_transposed(&seen.rotation, vec3_sub(point, place->position));
    seen.normal = mat3_apply_transposed(&seen.rotation, side == 0 ? n : vec3_scale(-1.0, n));
    return seen;
}

/// Radius of the end of a cylinder on which the contact's face stands whole, as its rim shows; else
/// 0.
static double whole_end(const seen_from *seen, double area)
{
    const geo_cylinder *c = &seen->shape->cylinder;
    if (seen->shape->kind != GEO_CYLINDER || fabs(seen->normal.z) < same_normal)
        return 0.0;
    // of the polygons in a circle those that hold its centre have more than a quarter of a square
    bool whole = base_hypot(seen->point.x, seen->point.y) > (1.0 - 1e-6) * c->radius &&
                 area > 1.2 * c->radius * c->radius;
    return whole ? c->radius : 0.0;
}

void eng_touch_fill(const cairn_world *world, int contact, double corner, con_impulse_input *input)
{
    touch_corners corners = corners_of(world, contact);
    seen_from seen[2] = {look_from(world, contact, 0), look_from(world, contact, 1)};
    input->touch_radius = input->touch_width = 0.0;
    if (corners.count > 1) {
        double length, area;
        sort_corners(&corners);
        area = area_of(&corners, &length);
        double end = fmax(whole_end(&seen[0], area), whole_end(&seen[1], area));
        // a flat punch: F = 2 E* a d; a line: F = (pi/4) E* L d
        double width = end > 0.0                       ? end
                       : area > 1e-6 * length * length ? sqrt(area / M_PI)
                                                       : M_PI / 8.0 * length;
        input->touch_width = width / corners.count;
        return;
    }
    geo_curvature curved[2];
    for (int side = 0; side < 2; side++) {
        double slack = fmax(-input->gap, 0.0);
        curved[side] = geo_shape_curvature(seen[side].shape, seen[side].point, seen[side].normal,
                                           slack, corner);
        curved[side].axis = mat3_apply(&seen[side].rotation, curved[side].axis);
    }
    double radius = geo_touch_radius(&curved[0], &curved[1], mat3_row(&input->frame, 0));
    input->touch_radius = isfinite(radius) ? radius : corner;
}

/// Edges and corners are no curvature that rolls.
static geo_curvature rolling_curvature(const seen_from *seen, double overlap)
{
    double size = seen->shape->bounding_radius, least = least_curved / size;
    double slack = fmax(overlap, 0.0) + (isfinite(size) ? digits * size : 0.0);
    geo_curvature curved =
        geo_shape_curvature(seen->shape, seen->point, seen->normal, slack, INFINITY);
    curved.across = curved.across < least ? 0.0 : curved.across;
    curved.along = curved.along < least ? 0.0 : curved.along;
    curved.axis = mat3_apply(&seen->rotation, curved.axis);
    return curved;
}

con_roll eng_touch_roll(const cairn_world *world, int contact, double flat)
{
    const eng_contacts *c = &world->contacts.set;
    vec3 normal = mat3_row(&c->frame[contact], 0);
    geo_curvature curved[2];
    con_roll roll = {.arm = INFINITY};
    for (int side = 0; side < 2; side++) {
        seen_from seen = look_from(world, contact, side);
        curved[side] = rolling_curvature(&seen, -c->gap[contact]);
        int body = c->body[contact][side];
        vec3 J = eng_inertia_of(world, body);
        if (world->model.bodies.rows[body].kind == CAIRN_DYNAMIC)
            roll.arm = fmin(roll.arm, sqrt(sphere_share * fmin(J.x, fmin(J.y, J.z)) /
                                           world->model.bodies.rows[body].mass));
    }
    geo_touch_rolling(&curved[0], &curved[1], normal, flat, &roll.axis, roll.radius);
    roll.twisting = roll.radius[0];
    return roll;
}
