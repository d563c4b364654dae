// SPDX-License-Identifier: Apache-2.0
// Springs on the points of a side, and the fastest motion that they and the body's inertia make.
#include "engine/measures/side_stiffness.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "geometry/shape/resting.h"

enum { ROWS = 6, ROUNDS = 60 };

static const eng_side_stiffness solid_ball = {1.0, 3.5};

/// m M^-1/2 K M^-1/2 of springs along normals and across them; motion of the centre, then turns
/// about the principal axes.
typedef struct springs {
    double normal[ROWS][ROWS], tangential[ROWS][ROWS];
} springs;

static void add_spring(double matrix[ROWS][ROWS], vec3 arm, vec3 axis, vec3 turn_scale)
{
    vec3 moment = vec3_cross(arm, axis);
    double row[ROWS];
    for (int k = 0; k < 3; k++) {
        row[k] = vec3_get(axis, k);
        row[k + 3] = vec3_get(moment, k) * vec3_get(turn_scale, k);
    }
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < ROWS; k++)
            matrix[i][k] += row[i] * row[k];
}

/// By powers of the matrix, from its largest row on.
static double largest_eigenvalue(double matrix[ROWS][ROWS])
{
    double x[ROWS], value = 0.0;
    int first = 0;
    for (int i = 1; i < ROWS; i++)
        first = matrix[i][i] > matrix[first][first] ? i : first;
    for (int i = 0; i < ROWS; i++)
        x[i] = matrix[first][i];
    for (int round = 0; round < ROUNDS; round++) {
        double y[ROWS], square = 0.0, product = 0.0;
        for (int i = 0; i < ROWS; i++) {
            y[i] = 0.0;
            for (int k = 0; k < ROWS; k++)
                y[i] += matrix[i][k] * x[k];
            square += x[i] * x[i];
            product += x[i] * y[i];
        }
        if (!(square > 0.0))
            return 0.0;
        value = product / square;
        for (int i = 0; i < ROWS; i++)
            x[i] = y[i] / sqrt(square);
    }
    return value;
}

/// What is looked at in one direction of the principal frame.
typedef struct look {
    const geo_shape *shape;
    pose frame;      // of the shape
    double depth;    // m, see eng_side_stiffness_of
    vec3 turn_scale; // sqrt(m / I) about each axis, 1/m
} look;

static int part_count(const look *l)
{
    return l->shape->kind == GEO_COMPOUND ? l->shape->compound.member_count : 1;
}

static eng_part part_of(const look *l, int i)
{
    const geo_compound *compound = &l->shape->compound;
    return l->shape->kind == GEO_COMPOUND
               ? (eng_part){compound->members[i], pose_compose(&l->frame, &compound->placements[i])}
               : (eng_part){l->shape, l->frame};
}

/// Height of the outermost point of a part, m.
static double height_of(const eng_part *part, vec3 outward)
{
    vec3 local = quat_rotate_inverse(part->place.orientation, outward);
    return vec3_dot(outward, pose_apply(&part->place, geo_shape_support(part->shape, local)));
}

/// Those of one part, down to a height.
static void add_part(const look *l, const eng_part *part, vec3 outward, double least, springs *sum)
{
    double below = height_of(part, outward) - least;
    if (below < 0.0)
        return;
    vec3 points[GEO_RESTING_MAX], t1, t2;
    vec3_tangents(outward, &t1, &t2);
    int count = geo_resting_points(
        part->shape, quat_rotate_inverse(part->place.orientation, outward), below, points);
    for (int i = 0; i < count; i++) {
        vec3 arm = pose_apply(&part->place, points[i]);
        add_spring(sum->normal, arm, outward, l->turn_scale);
        add_spring(sum->tangential, arm, t1, l->turn_scale);
        add_spring(sum->tangential, arm, t2, l->turn_scale);
    }
}

/// The side that lies outermost in a direction; a larger stiffness than *most goes there.
static void look_at_side(const look *l, vec3 outward, eng_side_stiffness *most)
{
    springs sum = {{{0.0}}, {{0.0}}};
    double top = -INFINITY;
    int parts = part_count(l);
    for (int i = 0; i < parts; i++) {
        eng_part part = part_of(l, i);
        top = fmax(top, height_of(&part, outward));
    }
    for (int i = 0; i < parts; i++) {
        eng_part part = part_of(l, i);
        add_part(l, &part, outward, top - l->depth, &sum);
    }
    most->normal = fmax(most->normal, largest_eigenvalue(sum.normal));
    most->tangential = fmax(most->tangential, largest_eigenvalue(sum.tangential));
}

/// Directions in which a part may lie: those of its sides, and of a ball its place.
static void look_at_part(const look *l, const eng_part *part, eng_side_stiffness *most)
{
    int sides = geo_resting_directions(part->shape);
    for (int i = 0; i < sides; i++)
        look_at_side(l, quat_rotate(part->place.orientation, geo_resting_direction(part->shape, i)),
                     most);
    if (sides == 0 && vec3_norm(part->place.position) > l->depth)
        look_at_side(l, vec3_normalize_or(part->place.position, part->place.position), most);
}

static eng_side_stiffness stiffest_side(const look *l)
{
    eng_side_stiffness most = {0.0, 0.0};
    for (int i = 0; i < part_count(l); i++) {
        eng_part part = part_of(l, i);
        look_at_part(l, &part, &most);
    }
    for (int k = 0; k < 3 && l->shape->kind == GEO_COMPOUND; k++)
        for (int sign = -1; sign <= 1; sign += 2)
            look_at_side(l, vec3_set((vec3){0.0, 0.0, 0.0}, k, sign), &most);
    return most.normal > 0.0 ? most : solid_ball;
}

static vec3 turn_scale_of(double mass, vec3 inertia)
{
    return vec3_make(sqrt(mass / inertia.x), sqrt(mass / inertia.y), sqrt(mass / inertia.z));
}

eng_free_mass eng_free_mass_of(const cairn_world *world, int body)
{
    if (world->state.bodies.frozen != NULL && world->state.bodies.frozen[body][0] > 0.0)
        return (eng_free_mass){world->state.bodies.frozen[body][0],
                               vec3_from(world->state.bodies.frozen[body] + 1)};
    return (eng_free_mass){world->model.bodies.rows[body].mass, eng_inertia_of(world, body)};
}

eng_side_stiffness eng_side_stiffness_of(const cairn_world *world, int body, double depth)
{
    const geo_shape *shape = world->model.shapes.rows[world->model.bodies.rows[body].shape];
    eng_free_mass is = eng_free_mass_of(world, body);
    if (isinf(is.mass) || shape->kind == GEO_SPHERE)
        return solid_ball;
    look l = {shape, eng_frame_of(world, body), depth, turn_scale_of(is.mass, is.inertia)};
    return stiffest_side(&l);
}

eng_side_stiffness eng_side_stiffness_of_shape(const geo_shape *shape, double depth)
{
    if (shape->kind == GEO_SPHERE)
        return solid_ball;
    geo_mass mass = geo_shape_mass(shape);
    vec3 moments;
    pose principal, identity = pose_identity();
    geo_mass_principal(&mass, &moments, &principal);
    look l = {shape, pose_relative(&principal, &identity), depth,
              turn_scale_of(mass.volume, moments)};
    return stiffest_side(&l);
}
