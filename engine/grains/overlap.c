// SPDX-License-Identifier: Apache-2.0
// Volume that shapes and regions have in common.
//
// A ball within a closed surface is a sum over its faces of the cones from the centre, cut off at
// the radius; two convex solids, a sum over the faces of each within the other; a ball in a
// cylinder, an integral along the axis over what two circles have in common. What is left is the
// share of chords along z.
#include "engine/grains/overlap.h"
#include "engine/bodies/body_state.h"
#include "engine/space/space.h"
#include "engine/state/world.h"
#include "geometry/narrow/ray.h"

#include "base/elementary.h"

// COLUMNS and TURN: a lattice of Fibonacci numbers, which no plane lies along
enum { CORNERS_MOST = 96, COLUMNS = 2584, TURN = 1597, CHORDS_MOST = 64 };

// ---------------------------------------------------------------- solids with flat faces

/// A box, a polyhedron or a closed mesh at a place.
typedef struct solid {
    const geo_shape *shape; // NULL: the box
    vec3 half;
    pose place;
} solid;

static int face_count(const solid *s)
{
    return s->shape == NULL                   ? 6
           : s->shape->kind == GEO_POLYHEDRON ? s->shape->polyhedron.face_count
                                              : s->shape->mesh.triangle_count;
}

static int corner_count(const solid *s, int face)
{
    if (s->shape == NULL || s->shape->kind != GEO_POLYHEDRON)
        return s->shape == NULL ? 4 : 3;
    const int *start = s->shape->polyhedron.face_start;
    return start[face + 1] - start[face];
}

/// Corners run counter-clockwise seen from outside.
static vec3 corner_of(const solid *s, int face, int k)
{
    vec3 at;
    if (s->shape == NULL) {
        int axis = face >> 1, up = face & 1;
        // the other two axes, turned over on the lower face
        int first = (axis + (up ? 1 : 2)) % 3, second = (axis + (up ? 2 : 1)) % 3;
        at = vec3_set((vec3){0.0, 0.0, 0.0}, axis, up ? 1.0 : -1.0);
        at = vec3_set(at, first, k == 1 || k == 2 ? 1.0 : -1.0);
        at = vec3_set(at, second, k >= 2 ? 1.0 : -1.0);
        at = vec3_make(at.x * s->half.x, at.y * s->half.y, at.z * s->half.z);
    } else if (s->shape->kind == GEO_POLYHEDRON) {
        const geo_polyhedron *p = &s->shape->polyhedron;
        at = p->vertices[p->face_vertices[p->face_start[face] + k]];
    } else {
        at = s->shape->mesh.vertices[s->shape->mesh.triangles[face][k]];
    }
    return pose_apply(&s->place, at);
}

/// Unit normal outwards of a face of a convex solid, and where it is along it.
static vec3 plane_of(const solid *s, int face, double *offset)
{
    vec3 normal = s->shape == NULL
                      ? vec3_set((vec3){0.0, 0.0, 0.0}, face >> 1, face & 1 ? 1.0 : -1.0)
                      : s->shape->polyhedron.face_normals[face];
    normal = quat_rotate(s->place.orientation, normal);
    *offset = vec3_dot(normal, corner_of(s, face, 0));
    return normal;
}

// ---------------------------------------------------------------- balls in solids

/// Solid angle of a triangle seen from the origin, with its sign (Van Oosterom and Strackee 1983).
static double solid_angle(vec3 a, vec3 b, vec3 c)
{
    double la = vec3_norm(a), lb = vec3_norm(b), lc = vec3_norm(c);
    return 2.0 *
           base_atan2(vec3_dot(a, vec3_cross(b, c)), la * lb * lc + vec3_dot(a, b) * lc +
                                                         vec3_dot(b, c) * la + vec3_dot(c, a) * lb);
}

/// The part of an edge, from p to q about the foot of the plane, outside of the circle that the
/// ball cuts out of the plane: that circle's sector, and the solid angle beyond it.
static double beyond_circle(vec3 foot, vec3 normal, vec3 p, vec3 q, double height, double radius)
{
    double angle = base_atan2(vec3_dot(normal, vec3_cross(p, q)), vec3_dot(p, q));
    double size = fabs(height), circle = fmax(0.0, radius * radius - size * size);
    double sign = height < 0.0 ? -1.0 : 1.0, cube = radius * radius * radius;
    // seen from the inner side of the plane
    double seen = sign * solid_angle(foot, vec3_add(foot, p), vec3_add(foot, q));
    if (size == 0.0)
        seen = angle;
    if (size >= radius)
        return sign * cube / 3.0 * seen;
    return height * circle * angle / 6.0 +
           sign * cube / 3.0 * (seen - angle * (1.0 - size / radius));
}

/// Share of an edge in the volume of a ball about the origin within a surface.
static double edge_in_ball(vec3 foot, vec3 normal, vec3 a, vec3 b, double height, double radius)
{
    vec3 p = vec3_sub(a, foot), q = vec3_sub(b, foot), way = vec3_sub(q, p);
    double square = vec3_dot(way, way), circle = radius * radius - height * height;
    if (!(square > 0.0))
        return 0.0;
    // where the edge is within the circle, of its length
    double middle = -vec3_dot(p, way) / square;
    double miss = vec3_norm_squared(vec3_add_scaled(p, middle, way)), from = 1.0, to = 1.0;
    if (circle > miss) {
        double half = sqrt((circle - miss) / square);
        from = fmin(fmax(middle - half, 0.0), 1.0);
        to = fmin(fmax(middle + half, 0.0), 1.0);
    }
    if (!(to > from))
        return beyond_circle(foot, normal, p, q, height, radius);
    vec3 in = vec3_add_scaled(p, from, way), out = vec3_add_scaled(p, to, way);
    double volume = height / 6.0 * vec3_dot(normal, vec3_cross(in, out));
    if (from > 0.0)
        volume += beyond_circle(foot, normal, p, in, height, radius);
    if (to < 1.0)
        volume += beyond_circle(foot, normal, out, q, height, radius);
    return volume;
}

static double ball_in_solid(const solid *s, vec3 centre, double radius)
{
    double volume = 0.0;
    for (int face = 0; face < face_count(s); face++) {
        int corners = corner_count(s, face);
        vec3 first = vec3_sub(corner_of(s, face, 0), centre), normal = {0.0, 0.0, 0.0};
        for (int k = 1; k + 1 < corners; k++)
            normal = vec3_add(
                normal, vec3_cross(vec3_sub(vec3_sub(corner_of(s, face, k), centre), first),
                                   vec3_sub(vec3_sub(corner_of(s, face, k + 1), centre), first)));
        double length = vec3_norm(normal);
        if (!(length > 0.0))
            continue;
        normal = vec3_scale(1.0 / length, normal);
        double height = vec3_dot(normal, first);
        vec3 foot = vec3_scale(height, normal);
        for (int k = 0; k < corners; k++)
            volume += edge_in_ball(foot, normal, vec3_sub(corner_of(s, face, k), centre),
                                   vec3_sub(corner_of(s, face, (k + 1) % corners), centre), height,
                                   radius);
    }
    return volume;
}

// ---------------------------------------------------------------- convex solids

/// Cuts a polygon off where it is beyond a plane. @return its corners; -1: too many
static int cut_polygon(vec3 *corners, int count, vec3 normal, double offset)
{
    vec3 kept[CORNERS_MOST];
    int out = 0;
    for (int i = 0; i < count; i++) {
        vec3 a = corners[i], b = corners[(i + 1) % count];
        double over_a = vec3_dot(normal, a) - offset, over_b = vec3_dot(normal, b) - offset;
        if (out + 2 > CORNERS_MOST)
            return -1;
        if (over_a <= 0.0)
            kept[out++] = a;
        if ((over_a < 0.0 && over_b > 0.0) || (over_a > 0.0 && over_b < 0.0))
            kept[out++] = vec3_add_scaled(a, over_a / (over_a - over_b), vec3_sub(b, a));
    }
    for (int i = 0; i < out; i++)
        corners[i] = kept[i];
    return out;
}

/// Volume of the cones from a point to what faces of one solid have within the other, whose faces
/// lie `margin` further out. @return false where a face has too many corners
static bool add_faces(const solid *s, const solid *other, vec3 point, double margin, double *volume)
{
    for (int face = 0; face < face_count(s); face++) {
        vec3 corners[CORNERS_MOST], area = {0.0, 0.0, 0.0};
        int count = corner_count(s, face);
        double offset;
        vec3 normal = plane_of(s, face, &offset);
        if (count > CORNERS_MOST)
            return false;
        for (int k = 0; k < count; k++)
            corners[k] = corner_of(s, face, k);
        for (int i = 0; i < face_count(other) && count > 2; i++) {
            double where;
            vec3 out = plane_of(other, i, &where);
            count = cut_polygon(corners, count, out, where + margin);
            if (count < 0)
                return false;
        }
        for (int k = 1; k + 1 < count; k++)
            area = vec3_add(area, vec3_cross(vec3_sub(corners[k], corners[0]),
                                             vec3_sub(corners[k + 1], corners[0])));
        *volume += (offset - vec3_dot(normal, point)) * vec3_dot(normal, area) / 6.0;
    }
    return true;
}

/// Whether all of one solid is beyond a face of the other.
static bool is_beyond(const solid *s, const solid *other, double margin)
{
    for (int face = 0; face < face_count(s); face++) {
        double offset, least = INFINITY;
        vec3 normal = plane_of(s, face, &offset);
        for (int i = 0; i < face_count(other); i++)
            for (int k = 0; k < corner_count(other, i); k++)
                least = fmin(least, vec3_dot(normal, corner_of(other, i, k)) - offset);
        if (least >= -margin)
            return true;
    }
    return false;
}

/// @param size  m, that margins are relative to
static bool convex_in_convex(const solid *a, const solid *b, double size, double *volume)
{
    double margin = 1e-12 * size;
    *volume = 0.0;
    if (is_beyond(a, b, margin) || is_beyond(b, a, margin))
        return true;
    // of faces that lie on each other those of a count
    return add_faces(a, b, a->place.position, margin, volume) &&
           add_faces(b, a, a->place.position, -margin, volume);
}

// ---------------------------------------------------------------- balls in round regions

static double ball_in_ball(double r, double big, double away)
{
    if (away >= r + big)
        return 0.0;
    double least = fmin(r, big);
    if (away <= fabs(r - big))
        return 4.0 / 3.0 * M_PI * least * least * least;
    double sum = r + big - away;
    return M_PI * sum * sum * (away * away + 2.0 * away * (r + big) - 3.0 * (r - big) * (r - big)) /
           (12.0 * away);
}

/// What two circles have in common.
static double circle_in_circle(double r, double big, double away)
{
    if (away >= r + big)
        return 0.0;
    double least = fmin(r, big);
    if (away <= fabs(r - big))
        return M_PI * least * least;
    double a = (away * away + r * r - big * big) / (2.0 * away), b = away - a;
    double half = sqrt(fmax(0.0, r * r - a * a));
    return r * r * base_atan2(half, a) + big * big * base_atan2(half, b) - away * half;
}

/// A ball and a cylinder that begins and ends along the ball's axis.
static double ball_in_cylinder(double r, double big, double away, double begin, double end)
{
    enum { NODES = 8, PIECES = 4 };
    static const double node[NODES / 2] = {0.1834346424956498, 0.5255324099163290,
                                           0.7966664774136267, 0.9602898564975363};
    static const double weight[NODES / 2] = {0.3626837833783620, 0.3137066458778873,
                                             0.2223810344533745, 0.1012285362903763};
    double from = fmax(begin, -r), to = fmin(end, r), volume = 0.0;
    // the circle of the ball changes from one case to the other where it touches the cylinder
    double places[6] = {from, to, to, to, to, to};
    for (int side = 0; side < 2; side++) {
        double touch = side == 0 ? fabs(big - away) : big + away, square = r * r - touch * touch;
        double at = square > 0.0 ? sqrt(square) : 0.0;
        places[1 + 2 * side] = fmin(fmax(-at, from), to);
        places[2 + 2 * side] = fmin(fmax(at, from), to);
    }
    if (!(to > from))
        return 0.0;
    for (int i = 1; i < 6; i++)
        for (int k = i; k > 0 && places[k] < places[k - 1]; k--) {
            double swap = places[k];
            places[k] = places[k - 1];
            places[k - 1] = swap;
        }
    for (int i = 0; i + 1 < 6; i++)
        for (int piece = 0; piece < PIECES; piece++)
            for (int k = 0; k < NODES && places[i + 1] > places[i]; k++) {
                double u = k < NODES / 2 ? -node[k] : node[k - NODES / 2];
                u = (piece + 0.5 * (1.0 + u)) / PIECES;
                // roots at the ends of a piece become powers
                double t = u * u * u * (10.0 + u * (6.0 * u - 15.0));
                double slope = 30.0 * u * u * (1.0 - u) * (1.0 - u);
                double length = places[i + 1] - places[i], at = places[i] + t * length;
                volume += 0.5 / PIECES * weight[k % (NODES / 2)] * slope * length *
                          circle_in_circle(sqrt(fmax(0.0, r * r - at * at)), big, away);
            }
    return volume;
}

static bool solid_of_region(const cairn_world *world, const cairn_region *region, solid *s)
{
    vec3 a = vec3_from(region->a), b = vec3_from(region->b);
    if (region->kind == CAIRN_REGION_BOX)
        *s = (solid){.half = vec3_scale(0.5, vec3_sub(b, a)),
                     .place = {vec3_scale(0.5, vec3_add(a, b)), pose_identity().orientation}};
    else if (region->kind == CAIRN_REGION_HULL || region->kind == CAIRN_REGION_MESH)
        *s = (solid){.shape = world->model.shapes.rows[region->shape.index],
                     .place = {a, pose_identity().orientation}};
    else
        return false;
    return true;
}

static double ball_in_region(const cairn_world *world, const cairn_region *region, vec3 centre,
                             double radius)
{
    solid s;
    vec3 a = vec3_from(region->a), from = vec3_sub(centre, a);
    if (solid_of_region(world, region, &s))
        return ball_in_solid(&s, centre, radius);
    if (region->kind == CAIRN_REGION_SPHERE)
        return ball_in_ball(radius, region->radius, vec3_norm(from));
    vec3 axis = vec3_sub(vec3_from(region->b), a);
    double length = vec3_norm(axis), along = vec3_dot(from, axis) / length;
    double away = vec3_norm(vec3_add_scaled(from, -along / length, axis));
    return ball_in_cylinder(radius, region->radius, away, -along, length - along);
}

// ---------------------------------------------------------------- chords

/// Length of a line along z, from low to high, within a mesh: where it comes out less where it goes
/// in.
static double mesh_chord(const solid *s, double x, double y, double low, double high)
{
    double length = 0.0;
    for (int i = 0; i < face_count(s); i++) {
        vec3 c[3];
        for (int k = 0; k < 3; k++)
            c[k] = vec3_sub(corner_of(s, i, k), vec3_make(x, y, 0.0));
        double turn[3], sum = 0.0;
        for (int k = 0; k < 3; k++) {
            vec3 p = c[(k + 1) % 3], q = c[(k + 2) % 3];
            turn[k] = p.x * q.y - p.y * q.x;
            sum += turn[k];
        }
        bool up = turn[0] >= 0.0 && turn[1] >= 0.0 && turn[2] >= 0.0 && sum > 0.0;
        bool down = turn[0] < 0.0 && turn[1] < 0.0 && turn[2] < 0.0;
        if (!up && !down)
            continue;
        double z = (turn[0] * c[0].z + turn[1] * c[1].z + turn[2] * c[2].z) / sum;
        length += (up ? 1.0 : -1.0) * fmin(fmax(z, low), high);
    }
    return length;
}

/// Narrows a line along z to where a t^2 + 2 b t + c <= 0.
static void narrow_to_square(double a, double b, double c, double *low, double *high)
{
    double root = b * b - a * c;
    if (a > 0.0 && root > 0.0) {
        *low = fmax(*low, (-b - sqrt(root)) / a);
        *high = fmin(*high, (-b + sqrt(root)) / a);
    } else if (a > 0.0 || c > 0.0) {
        *high = *low;
    }
}

/// Narrows it to where slope t <= rest.
static void narrow_to_plane(double slope, double rest, double *low, double *high)
{
    if (slope > 0.0)
        *high = fmin(*high, rest / slope);
    else if (slope < 0.0)
        *low = fmax(*low, rest / slope);
    else if (rest < 0.0)
        *high = *low;
}

/// Length of a line along z, from low to high, within a region.
static double region_chord(const cairn_world *world, const cairn_region *region, double x, double y,
                           double low, double high)
{
    vec3 a = vec3_from(region->a), b = vec3_from(region->b), p = vec3_sub(vec3_make(x, y, 0.0), a);
    solid s;
    if (region->kind == CAIRN_REGION_SPHERE) {
        narrow_to_square(1.0, p.z, vec3_dot(p, p) - region->radius * region->radius, &low, &high);
    } else if (region->kind == CAIRN_REGION_CYLINDER) {
        vec3 e = vec3_scale(1.0 / vec3_norm(vec3_sub(b, a)), vec3_sub(b, a));
        double along = vec3_dot(p, e), length = vec3_norm(vec3_sub(b, a));
        narrow_to_square(1.0 - e.z * e.z, p.z - along * e.z,
                         vec3_dot(p, p) - along * along - region->radius * region->radius, &low,
                         &high);
        narrow_to_plane(e.z, length - along, &low, &high);
        narrow_to_plane(-e.z, along, &low, &high);
    } else if (solid_of_region(world, region, &s)) {
        if (region->kind == CAIRN_REGION_MESH)
            return mesh_chord(&s, x, y, low, high);
        for (int i = 0; i < face_count(&s); i++) {
            double offset;
            vec3 normal = plane_of(&s, i, &offset);
            narrow_to_plane(normal.z, offset - normal.x * x - normal.y * y, &low, &high);
        }
    }
    return fmax(0.0, high - low);
}

typedef struct chords {
    double ends[CHORDS_MOST][2]; // along z, none of which touch
    int count;
} chords;

/// Adds a chord, which takes up those that it touches.
static void add_chord(chords *c, double low, double high)
{
    for (int i = 0; i < c->count; i++)
        if (c->ends[i][0] <= high && low <= c->ends[i][1]) {
            low = fmin(low, c->ends[i][0]);
            high = fmax(high, c->ends[i][1]);
            c->count--;
            c->ends[i][0] = c->ends[c->count][0];
            c->ends[i][1] = c->ends[c->count][1];
            i = -1;
        }
    if (c->count == CHORDS_MOST)
        return;
    c->ends[c->count][0] = low;
    c->ends[c->count++][1] = high;
}

static void add_shape_chords(chords *c, const geo_shape *shape, const pose *place, double x,
                             double y)
{
    if (shape->kind == GEO_COMPOUND) {
        for (int i = 0; i < shape->compound.member_count; i++) {
            pose there = pose_compose(place, &shape->compound.placements[i]);
            add_shape_chords(c, shape->compound.members[i], &there, x, y);
        }
        return;
    }
    geo_bounds bounds = geo_shape_bounds(shape, place);
    double size = bounds.high.z - bounds.low.z;
    geo_ray up = {{x, y, bounds.low.z - size}, {0.0, 0.0, 1.0}, INFINITY};
    geo_ray down = {{x, y, bounds.high.z + size}, {0.0, 0.0, -1.0}, INFINITY};
    geo_ray_hit first, last;
    if (x < bounds.low.x || x > bounds.high.x || y < bounds.low.y || y > bounds.high.y ||
        !geo_ray_cast(shape, place, &up, &first) || !geo_ray_cast(shape, place, &down, &last))
        return;
    double low = up.origin.z + first.distance, high = down.origin.z - last.distance;
    if (high > low)
        add_chord(c, low, high);
}

/// The share of chords of a shape that lies in a region.
static double share_of_chords(const cairn_world *world, const cairn_region *region,
                              const geo_shape *shape, const pose *place)
{
    geo_bounds bounds = geo_shape_bounds(shape, place);
    double whole = 0.0, within = 0.0;
    for (int i = 0; i < COLUMNS; i++) {
        double u = (i + 0.5) / COLUMNS, v = (i * TURN % COLUMNS + 0.5) / COLUMNS;
        double x = bounds.low.x + u * (bounds.high.x - bounds.low.x);
        double y = bounds.low.y + v * (bounds.high.y - bounds.low.y);
        chords c = {.count = 0};
        add_shape_chords(&c, shape, place, x, y);
        for (int k = 0; k < c.count; k++) {
            whole += c.ends[k][1] - c.ends[k][0];
            within += region_chord(world, region, x, y, c.ends[k][0], c.ends[k][1]);
        }
    }
    return whole > 0.0 ? within / whole : 0.0;
}

// ---------------------------------------------------------------- shapes in regions

static bool is_flat(const geo_shape *shape)
{
    return (shape->kind == GEO_BOX || shape->kind == GEO_POLYHEDRON) &&
           geo_shape_rounding(shape) == 0.0;
}

double eng_region_part(const cairn_world *world, const cairn_region *region, const geo_shape *shape,
                       const pose *place)
{
    double volume = geo_shape_mass(shape).volume, radius = shape->bounding_radius;
    if (!geo_bounds_overlap(eng_region_bounds(world, region), geo_shape_bounds(shape, place)))
        return 0.0;
    // the boundary of a region is no farther than the depth
    if (eng_region_depth(world, region, place->position) >= radius)
        return volume;
    if (shape->kind == GEO_SPHERE)
        return fmin(fmax(ball_in_region(world, region, place->position, radius), 0.0), volume);
    if (shape->kind == GEO_COMPOUND) {
        double members = 0.0, within = 0.0;
        for (int i = 0; i < shape->compound.member_count; i++) {
            pose there = pose_compose(place, &shape->compound.placements[i]);
            members += geo_shape_mass(shape->compound.members[i]).volume;
            within += eng_region_part(world, region, shape->compound.members[i], &there);
        }
        // members that do not overlap
        if (members <= volume * (1.0 + 1e-9))
            return fmin(within, volume);
    }
    solid s = {.place = *place}, where;
    double part;
    if (shape->kind == GEO_BOX)
        s.half = shape->box.half;
    else
        s.shape = shape;
    if (is_flat(shape) && region->kind == CAIRN_REGION_SPHERE)
        return fmin(ball_in_solid(&s, vec3_from(region->a), region->radius), volume);
    if (is_flat(shape) && region->kind != CAIRN_REGION_MESH &&
        solid_of_region(world, region, &where) && convex_in_convex(&s, &where, radius, &part))
        return fmin(fmax(part, 0.0), volume);
    return share_of_chords(world, region, shape, place) * volume;
}

double eng_region_part_of_body(const cairn_world *world, const cairn_region *region,
                               const eng_window *window, int body)
{
    const geo_shape *shape = world->model.shapes.rows[world->model.bodies.rows[body].shape];
    pose place = eng_shape_pose_of(world, body);
    double part = 0.0;
    int from[3], to[3];
    if (!world->state.cell.any)
        return eng_region_part(world, region, shape, &place);
    eng_window_images(window, place.position, shape->bounding_radius, from, to);
    for (int i = from[0]; i <= to[0]; i++)
        for (int j = from[1]; j <= to[1]; j++)
            for (int k = from[2]; k <= to[2]; k++) {
                const double n[3] = {i, j, k};
                vec3 shift = eng_cell_vector(&window->lattice, n);
                pose image = {vec3_add(place.position, shift), place.orientation};
                part += eng_region_part(world, region, shape, &image);
            }
    return part;
}
