// SPDX-License-Identifier: Apache-2.0
// Closest or deepest points of convex cores, and the manifold around them.
#include "geometry/narrow/closest.h"
#include "base/elementary.h"
#include "geometry/narrow/clip.h"
#include "geometry/narrow/sat.h"

static const double parallel_sine = 1e-5;
static const double facing_cosine = 0.98; // about eleven degrees

// name of the feature spanned by the simplex's vertices on one core
static uint32_t simplex_code(const geo_core *core, const geo_gjk_result *r, bool on_a, vec3 outward)
{
    int vertices[4] = {0}, count = 0;
    for (int i = 0; i < r->count; i++) {
        int v = on_a ? r->simplex[i].ia : r->simplex[i].ib;
        bool seen = false;
        for (int k = 0; k < count; k++)
            seen = seen || vertices[k] == v;
        if (!seen)
            vertices[count++] = v;
    }
    if (count == 1 || !geo_core_is_polytope(core))
        return geo_core_vertex_code(core, vertices[0]);
    if (count == 2 && geo_core_edge(core, vertices[0], vertices[1]) >= 0)
        return geo_core_edge_code(core, vertices[0], vertices[1]);
    double cosine;
    int face = geo_core_face_at(core, vertices[0], outward, &cosine);
    return face >= 0 ? geo_core_face_code(core, face) : geo_core_vertex_code(core, vertices[0]);
}

void geo_closest_from_gjk(const geo_core *a, const geo_core *b, const geo_gjk_result *result,
                          geo_closest *closest)
{
    closest->normal = result->normal;
    closest->separation = result->distance;
    closest->point_a = result->point_a;
    closest->point_b = result->point_b;
    closest->code_a = simplex_code(a, result, true, result->normal);
    closest->code_b = simplex_code(b, result, false, vec3_negate(result->normal));
}

// deepest points of polytopes along their separating axis
static void from_axes(const geo_core *a, const geo_core *b, double size, geo_closest *c)
{
    geo_sat sat;
    (void)geo_sat_query(a, b, INFINITY, true, &sat);
    // rounded bodies have no large faces to settle on: the axis is taken as it is
    bool rounded = a->radius + b->radius > 0.0;
    double bias = rounded ? 1e-13 * size : geo_sat_bias(&sat, size);
    geo_sat_choice choice = geo_sat_choose(&sat, a, b, bias, &c->normal, &c->separation);
    int va, vb;
    c->point_a = geo_core_support(a, c->normal, &va);
    c->point_b = geo_core_support(b, vec3_negate(c->normal), &vb);
    if (choice == GEO_SAT_FACE_A) {
        c->point_a = vec3_add_scaled(c->point_b, -c->separation, c->normal);
        c->code_a = geo_core_face_code(a, sat.index_a);
        c->code_b = geo_core_vertex_code(b, vb);
    } else if (choice == GEO_SAT_FACE_B) {
        c->point_b = vec3_add_scaled(c->point_a, c->separation, c->normal);
        c->code_a = geo_core_vertex_code(a, va);
        c->code_b = geo_core_face_code(b, sat.index_b);
    } else {
        const int *ea = a->edge_vertices[sat.edge_a], *eb = b->edge_vertices[sat.edge_b];
        vec3 a0 = geo_core_vertex(a, ea[0]), b0 = geo_core_vertex(b, eb[0]);
        vec3 u = vec3_sub(geo_core_vertex(a, ea[1]), a0),
             v = vec3_sub(geo_core_vertex(b, eb[1]), b0);
        double s, t;
        geo_segment_closest(a0, u, b0, v, &s, &t);
        c->point_a = vec3_add_scaled(a0, s, u);
        c->point_b = vec3_add_scaled(b0, t, v);
        c->code_a = geo_core_edge_code(a, ea[0], ea[1]);
        c->code_b = geo_core_edge_code(b, eb[0], eb[1]);
    }
}

// how far two points are from facing each other along the normal
static double aside(const geo_closest *c, vec3 point_a, vec3 point_b)
{
    vec3 between = vec3_sub(point_b, point_a);
    return vec3_norm(vec3_add_scaled(between, -c->separation, c->normal));
}

// refines a penetration direction n on curved surfaces: b is moved out along n, a little beyond
// touching, where the distance algorithm is exact; its normal is the next n. With penetration d and
// radius of curvature R of the difference the error shrinks by d / R, below 1 at a minimum; steps
// that lose separation are halved. Around rims that algorithm knows its normal to some 1e-6: where
// turns do not shrink and nothing is gained any more there is nothing left to refine.
static void refine_direction(const geo_core *a, const geo_core *b, double size, geo_closest *c)
{
    enum { ROUNDS = 32 };
    double weight = 1.0, turn_before = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        geo_core moved = *b;
        geo_gjk_result gjk;
        double beyond = 1e-4 * size - 0.05 * fmin(c->separation, 0.0);
        vec3 shift = vec3_scale(beyond - c->separation, c->normal);
        moved.centre = vec3_add(b->centre, shift);
        geo_gjk(a, &moved, INFINITY, &gjk);
        if (gjk.state != GEO_GJK_SEPARATED)
            return;
        vec3 turn = vec3_scale(weight, vec3_sub(gjk.normal, c->normal));
        vec3 next = vec3_normalize_or(vec3_add(c->normal, turn), c->normal);

        // separation of two cores seen along a unit direction
        int va, vb;
        vec3 pa = geo_core_support(a, next, &va), pb = geo_core_support(b, vec3_negate(next), &vb);
        double separation = vec3_dot(next, vec3_sub(pb, pa));
        double turned = vec3_norm(turn), gain = separation - c->separation;
        bool better = gain >= -1e-10 * size;
        if (better) {
            c->normal = next;
            c->separation = separation;
        }
        vec3 point_b = vec3_sub(gjk.point_b, shift);
        if (aside(c, gjk.point_a, point_b) < aside(c, c->point_a, c->point_b)) {
            c->point_a = gjk.point_a;
            c->point_b = point_b;
        }
        bool stuck = turned > 0.5 * turn_before && gain < 1e-11 * size;
        if (better && (turned < 1e-11 || stuck))
            return;
        turn_before = turned;
        weight = better ? fmin(2.0 * weight, 1.0) : 0.5 * weight;
    }
}

// ---------------------------------------------------------------- normals of rims, to round-off

// What a core touches with, as long as it does not change: a corner, a line, a rim, or the line of
// a cylinder's side. It holds the point at + radius m/|m|, with m the part of the outward direction
// that is across the axis.
typedef struct touching_part {
    vec3 at;
    double radius; // m; 0 without a rim or side
    vec3 axis;
    int lines; // that directions are across: 0, 1, or 2 of a face
    vec3 line[2];
    vec3 start; // of the first line, which goes to start + line[0]
} touching_part;

// @param near  m, how much lower than the highest point the ends of what touches may be
static bool part_of_cylinder(const geo_core *core, vec3 outward, double near, touching_part *part)
{
    vec3 u = mat3_apply(&core->rotation, (vec3){0.0, 0.0, 1.0});
    double rise = vec3_dot(outward, u), half = core->half.z, radius = core->half.x;
    vec3 end = vec3_add_scaled(core->centre, copysign(half, rise), u);
    *part = (touching_part){.at = end, .radius = radius, .axis = u};
    if (2.0 * half * fabs(rise) < near) {
        part->at = core->centre;
        part->lines = 1;
        part->line[0] = vec3_scale(2.0 * half, u);
        part->start = vec3_add_scaled(core->centre, -half, u);
    } else if (2.0 * radius * vec3_norm(vec3_cross(outward, u)) < near) {
        part->radius = 0.0;
        part->lines = 2;
        vec3_tangents(u, &part->line[0], &part->line[1]);
    }
    return true;
}

static bool part_of_polytope(const geo_core *core, vec3 outward, double near, touching_part *part)
{
    int top;
    vec3 highest = geo_core_support(core, outward, &top);
    *part = (touching_part){.at = highest, .start = highest};
    double widest = 0.0;
    for (int i = 0; i < core->vertex_count; i++) {
        vec3 along = vec3_sub(geo_core_vertex(core, i), highest);
        if (i == top || vec3_dot(outward, along) < -near)
            continue;
        if (part->lines == 0) {
            part->line[part->lines++] = along;
            continue;
        }
        double wide = vec3_norm(vec3_cross(part->line[0], along));
        if (wide > widest) {
            part->line[1] = along;
            part->lines = 2;
            widest = wide;
        }
    }
    return true;
}

static bool find_part(const geo_core *core, vec3 outward, double near, touching_part *part)
{
    if (core->kind == GEO_CORE_CYLINDER)
        return part_of_cylinder(core, outward, near, part);
    return core->kind != GEO_CORE_CURVED && part_of_polytope(core, outward, near, part);
}

// unit, from the axis to the point of a rim or side that a direction selects
static vec3 across_axis(const touching_part *part, vec3 n)
{
    vec3 around = vec3_cross(part->axis, n);
    return vec3_normalize_or(vec3_cross(around, part->axis), n);
}

// from the point of A to that of B: the slope of the separation s(n) = n . d(n) of two parts
static vec3 between_parts(const touching_part part[2], vec3 n)
{
    vec3 d = vec3_sub(part[1].at, part[0].at);
    for (int side = 0; side < 2; side++)
        if (part[side].radius > 0.0)
            d = vec3_add_scaled(d, -part[side].radius, across_axis(&part[side], n));
    return d;
}

// One step of Newton's method for the direction of the largest separation, within those across a
// line where there is one. False where no direction around is the best one, as of corners that
// touch.
static bool improve_direction(const touching_part part[2], const vec3 *line, double size, vec3 *n,
                              double *turned)
{
    int free = line != NULL ? 1 : 2;
    vec3 d = between_parts(part, *n), tangent[2];
    vec3_tangents(*n, &tangent[0], &tangent[1]);
    if (line != NULL)
        tangent[0] = vec3_cross(*line, *n);
    double s = vec3_dot(*n, d), h[2][2] = {{-s, 0.0}, {0.0, -s}}, least = 1e-4 * size;
    for (int side = 0; side < 2; side++) {
        const touching_part *p = &part[side];
        if (!(p->radius > 0.0))
            continue;
        vec3 across = vec3_cross(p->axis, *n);
        double slope = vec3_norm(across), bend = p->radius / (slope * slope * slope);
        for (int i = 0; i < free; i++)
            for (int j = 0; j < free; j++)
                h[i][j] -= bend * vec3_dot(across, tangent[i]) * vec3_dot(across, tangent[j]);
    }
    double gradient[2] = {vec3_dot(tangent[0], d), vec3_dot(tangent[1], d)};
    double step[2] = {-gradient[0] / h[0][0], 0.0};
    if (free == 2) {
        double sum = h[0][0] + h[1][1], product = h[0][0] * h[1][1] - h[0][1] * h[1][0];
        if (!(sum < 0.0) || !(product > least * -sum))
            return false;
        step[0] = (h[0][1] * gradient[1] - h[1][1] * gradient[0]) / product;
        step[1] = (h[1][0] * gradient[0] - h[0][0] * gradient[1]) / product;
    } else if (!(h[0][0] < -least)) {
        return false;
    }
    vec3 turn = vec3_add(vec3_scale(step[0], tangent[0]), vec3_scale(step[1], tangent[1]));
    *turned = vec3_norm(turn);
    *n = vec3_normalize_or(vec3_add(*n, turn), *n);
    return *turned < 0.1;
}

// the best direction near `n`, by the parts that touch there
static bool best_direction(const touching_part part[2], double size, vec3 *n)
{
    enum { ROUNDS = 12 };
    vec3 line[4], across = *n;
    int lines = 0;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < part[side].lines; k++)
            line[lines++] = vec3_normalize_or(part[side].line[k], *n);
    double widest = 0.0;
    for (int k = 1; k < lines; k++) {
        vec3 cross = vec3_cross(line[0], line[k]);
        if (vec3_norm(cross) > widest) {
            widest = vec3_norm(cross);
            across = vec3_scale(copysign(1.0 / widest, vec3_dot(cross, *n)), cross);
        }
    }
    if (lines > 1) {
        *n = across;
        return widest > 1e-3;
    }
    double turned = INFINITY;
    if (lines == 1)
        *n = vec3_normalize_or(vec3_add_scaled(*n, -vec3_dot(*n, line[0]), line[0]), *n);
    for (int round = 0; round < ROUNDS && turned > 1e-15; round++)
        if (!improve_direction(part, lines == 1 ? &line[0] : NULL, size, n, &turned))
            return false;
    return turned < 1e-12;
}

static double separation_along(const geo_core *a, const geo_core *b, vec3 n)
{
    int vertex;
    vec3 of_a = geo_core_support(a, n, &vertex),
         of_b = geo_core_support(b, vec3_negate(n), &vertex);
    return vec3_dot(n, vec3_sub(of_b, of_a));
}

// the same with what touches known to `near`, m
static bool sharpen_within(const geo_core *a, const geo_core *b, double size, double near,
                           geo_closest *c)
{
    touching_part part[2];
    vec3 n = c->normal;
    if (!find_part(a, n, near, &part[0]) || !find_part(b, vec3_negate(n), near, &part[1]) ||
        !best_direction(part, size, &n))
        return false;
    double separation = vec3_dot(n, between_parts(part, n));
    if (!(fabs(separation_along(a, b, n) - separation) < 1e-13 * size) ||
        separation < separation_along(a, b, c->normal) - 1e-13 * size)
        return false;
    vec3 point[2];
    for (int side = 0; side < 2; side++) {
        double radius = side == 0 ? part[0].radius : -part[1].radius;
        vec3 out = part[side].radius > 0.0 ? across_axis(&part[side], n) : n;
        point[side] = vec3_add_scaled(part[side].at, radius, out);
        part[side].start = vec3_add_scaled(part[side].start, radius, out);
    }
    c->normal = n;
    c->separation = separation;
    if (part[0].lines == 1 && part[1].lines == 1) {
        double s, t;
        geo_segment_closest(part[0].start, part[0].line[0], part[1].start, part[1].line[0], &s, &t);
        point[0] = vec3_add_scaled(part[0].start, s, part[0].line[0]);
        point[1] = vec3_add_scaled(part[1].start, t, part[1].line[0]);
    } else if (part[0].lines > 0 && part[1].lines > 0) {
        return true;
    } else if (part[0].lines > 0) {
        point[0] = vec3_add_scaled(point[1], -separation, n);
    } else if (part[1].lines > 0) {
        point[1] = vec3_add_scaled(point[0], separation, n);
    }
    c->point_a = point[0];
    c->point_b = point[1];
    return true;
}

// Closest or deepest points whose normal is known to some 1e-8, as searches around rims know it, to
// round-off: the parts that touch are taken as they are, and the best direction between them is one
// that no other is better than. Where there is none all stays. Tells whether there was one.
static bool sharpen(const geo_core *a, const geo_core *b, double size, geo_closest *c)
{
    bool known = false;
    for (double near = 1e-6; near < 0.1 && !known; near *= 100.0)
        known = sharpen_within(a, b, size, near * size, c);
    return known;
}

// ---------------------------------------------------------------- searches

// the closest points of curved parts move over features: their names stay
static uint32_t curved_code(const geo_core *core)
{
    return core->face_codes ? core->face_codes[0] : geo_code_curve(GEO_CODE_WITNESS);
}

static bool find_points(const geo_core *a, const geo_core *b, double limit, double size,
                        geo_closest *closest)
{
    bool curved = !geo_core_is_polytope(a) || !geo_core_is_polytope(b);
    geo_gjk_result gjk;
    geo_gjk(a, b, limit, &gjk);
    if (gjk.state == GEO_GJK_BEYOND)
        return false;
    if (gjk.state == GEO_GJK_SEPARATED && gjk.distance > 1e-9 * size) {
        geo_closest_from_gjk(a, b, &gjk, closest);
        if (closest->separation > limit)
            return false;
        if (curved)
            (void)sharpen(a, b, size, closest);
        return true;
    }
    if (curved) {
        geo_epa_result epa;
        if (!geo_epa(a, b, &epa))
            return false;
        closest->normal = epa.normal;
        closest->separation = -epa.depth;
        closest->point_a = epa.point_a;
        closest->point_b = epa.point_b;
        if (!sharpen(a, b, size, closest) &&
            aside(closest, closest->point_a, closest->point_b) > 1e-11 * size) {
            refine_direction(a, b, size, closest);
            (void)sharpen(a, b, size, closest);
        }
        return true;
    }
    from_axes(a, b, size, closest);
    return true;
}

// a flat part of a core, in its own frame
typedef struct flat_part {
    vec3 normal; // unit, outward
    double offset;
    int face; // of a polytope; -1: an end of a cylinder
} flat_part;

// a point within a core: that of a hull or triangle may have its origin anywhere
static vec3 middle_of(const geo_core *core)
{
    if (core->kind == GEO_CORE_CURVED)
        return geo_core_apply(core, geo_shape_mass(core->shape).centre);
    if (core->kind != GEO_CORE_HULL)
        return core->centre;
    vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < core->vertex_count; i++)
        sum = vec3_add(sum, core->vertices[i]);
    return geo_core_apply(core, vec3_scale(1.0 / core->vertex_count, sum));
}

static bool has_flats(const geo_core *core)
{
    return core->kind == GEO_CORE_CYLINDER || core->face_count > 0;
}

// the flat part whose plane lies farthest below a point
static flat_part find_flat(const geo_core *core, vec3 above)
{
    if (core->kind == GEO_CORE_CYLINDER)
        return (flat_part){{0.0, 0.0, above.z >= 0.0 ? 1.0 : -1.0}, core->half.z, -1};
    int best = 0;
    double highest = -INFINITY;
    for (int f = 0; f < core->face_count; f++) {
        double height = vec3_dot(core->face_normals[f], above) - core->face_offsets[f];
        if (height > highest) {
            highest = height;
            best = f;
        }
    }
    return (flat_part){core->face_normals[best], core->face_offsets[best], best};
}

// how far a point of its plane lies within a flat part, m; negative outside
static double way_inside(const geo_core *core, const flat_part *part, vec3 point)
{
    if (part->face < 0)
        return core->half.x - base_hypot(point.x, point.y);
    int first = core->face_start[part->face], end = core->face_start[part->face + 1];
    double least = INFINITY;
    for (int i = first; i < end; i++) {
        vec3 v = core->vertices[core->face_vertices[i]];
        vec3 w = core->vertices[core->face_vertices[i + 1 < end ? i + 1 : first]];
        vec3 inward = vec3_cross(part->normal, vec3_sub(w, v));
        least = real_min(least, vec3_dot(inward, vec3_sub(point, v)) / vec3_norm(inward));
    }
    return least;
}

// Is no way out of a core shorter than the depth below a flat part of it? What has to be left is
// all differences of points of both cores. It holds the cone over the disc of radius `inside`
// around the foot of the deepest point, as seen from that point, with its tip at a point within
// the other core, `height` above the plane and `aside` of the foot. A way out leaves the cone,
// whose side that is next to the deepest point is this far away.
static bool is_least_depth(double depth, double inside, double height, double aside)
{
    return height > 0.0 &&
           inside * height - aside * depth >= depth * base_hypot(aside + inside, height + depth);
}

// Closest or deepest points of a flat part of `b` and any core, where the point of the other one
// that lies lowest above it decides alone; the cores are known to be farther apart than `limit`
// where *beyond says so.
static bool touch_flat(const geo_core *a, const geo_core *b, double limit, geo_closest *c,
                       bool *beyond)
{
    if (!has_flats(b))
        return false;
    vec3 centre = mat3_apply_transposed(&b->rotation, vec3_sub(middle_of(a), b->centre));
    flat_part part = find_flat(b, centre);
    int vertex;
    vec3 normal = mat3_apply(&b->rotation, part.normal);
    vec3 lowest = geo_core_support(a, vec3_negate(normal), &vertex);
    vec3 at = mat3_apply_transposed(&b->rotation, vec3_sub(lowest, b->centre));
    double gap = vec3_dot(part.normal, at) - part.offset;
    *beyond = gap > limit;
    vec3 foot = vec3_add_scaled(at, -gap, part.normal);
    double inside = *beyond ? -1.0 : way_inside(b, &part, foot);
    if (inside < 0.0)
        return false;
    double height = vec3_dot(part.normal, centre) - part.offset;
    vec3 below = vec3_add_scaled(centre, -height, part.normal);
    if (gap < 0.0 && !is_least_depth(-gap, inside, height, vec3_distance(below, foot)))
        return false;
    c->normal = vec3_negate(normal);
    c->separation = gap;
    c->point_a = lowest;
    c->point_b = geo_core_apply(b, foot);
    return true;
}

// the same of either core's flat parts
static bool touch_flats(const geo_core *a, const geo_core *b, double limit, geo_closest *c,
                        bool *beyond)
{
    if (touch_flat(a, b, limit, c, beyond))
        return true;
    if (*beyond || !touch_flat(b, a, limit, c, beyond))
        return false;
    vec3 point = c->point_a;
    c->point_a = c->point_b;
    c->point_b = point;
    c->normal = vec3_negate(c->normal);
    return true;
}

// m, from a place on a segment of length `length` to its nearer end
static double way_to_end(double place, double length)
{
    return real_min(place, 1.0 - place) * length;
}

// The same of the sides of two cylinders, whose axes are nearest to each other between their ends:
// what touches there are lines, whose differences are a parallelogram around the deepest one.
static bool touch_sides(const geo_core *a, const geo_core *b, double limit, geo_closest *c,
                        bool *beyond)
{
    if (a->kind != GEO_CORE_CYLINDER || b->kind != GEO_CORE_CYLINDER)
        return false;
    vec3 u = mat3_apply(&a->rotation, (vec3){0.0, 0.0, 2.0 * a->half.z});
    vec3 v = mat3_apply(&b->rotation, (vec3){0.0, 0.0, 2.0 * b->half.z});
    double s, t, length_a = 2.0 * a->half.z, length_b = 2.0 * b->half.z;
    vec3 p = vec3_add_scaled(a->centre, -0.5, u), q = vec3_add_scaled(b->centre, -0.5, v);
    geo_segment_closest(p, u, q, v, &s, &t);
    p = vec3_add_scaled(p, s, u);
    q = vec3_add_scaled(q, t, v);
    double apart = vec3_distance(p, q), gap = apart - a->half.x - b->half.x;
    double sine = vec3_norm(vec3_cross(u, v)) / (length_a * length_b);
    double inside = real_min(way_to_end(s, length_a), way_to_end(t, length_b));
    *beyond = gap > limit;
    if (*beyond || inside <= 0.0 || (gap < 0.0 && !is_least_depth(-gap, inside * sine, apart, 0.0)))
        return false;
    c->normal = vec3_scale(1.0 / apart, vec3_sub(q, p));
    c->separation = gap;
    c->point_a = vec3_add_scaled(p, a->half.x, c->normal);
    c->point_b = vec3_add_scaled(q, -b->half.x, c->normal);
    return true;
}

bool geo_closest_find(const geo_core *a, const geo_core *b, double limit, double size,
                      geo_closest *closest)
{
    bool curved = !geo_core_is_polytope(a) || !geo_core_is_polytope(b), beyond = false;
    bool known = curved && (touch_flats(a, b, limit, closest, &beyond) ||
                            (!beyond && touch_sides(a, b, limit, closest, &beyond)));
    if (beyond || (!known && !find_points(a, b, limit, size, closest)))
        return false;
    if (curved) {
        closest->code_a = curved_code(a);
        closest->code_b = curved_code(b);
    }
    return true;
}

cairn_status geo_closest_emit(geo_job *job, const geo_core *a, const geo_core *b,
                              const geo_closest *closest)
{
    vec3 n = closest->normal;
    double gap = closest->separation - a->radius - b->radius;
    vec3 middle = vec3_scale(0.5, vec3_add(closest->point_a, closest->point_b));
    vec3 point = vec3_add_scaled(middle, 0.5 * (a->radius - b->radius), n);
    return geo_emit(job, n, gap, point, closest->code_a, closest->code_b);
}

cairn_status geo_closest_clip(geo_job *job, const geo_core *a, const geo_core *b, vec3 normal,
                              double cosine_a, double cosine_b)
{
    const base_allocator *allocator = &job->manifold->allocator;
    geo_feature fa, fb;
    cairn_status status = geo_feature_facing(&fa, a, normal, cosine_a, allocator);
    if (status)
        return status;
    status = geo_feature_facing(&fb, b, vec3_negate(normal), cosine_b, allocator);
    if (!status) {
        status = geo_clip(job, normal, &fa, &fb, parallel_sine);
        geo_feature_release(&fb, allocator);
    }
    geo_feature_release(&fa, allocator);
    return status;
}

// the corner that stands for the same end of a capsule as the closest points do, or -1
static int corner_at_end(const geo_job *job, const geo_core *a, const geo_core *b,
                         const geo_closest *closest, int from)
{
    for (int i = from; i < job->manifold->count; i++) {
        uint64_t key = job->manifold->contacts[i].key;
        uint32_t code_a = (uint32_t)(job->flip ? key : key >> 32);
        uint32_t code_b = (uint32_t)(job->flip ? key >> 32 : key);
        if ((a->kind == GEO_CORE_SEGMENT && code_a == closest->code_a) ||
            (b->kind == GEO_CORE_SEGMENT && code_b == closest->code_b))
            return i;
    }
    return -1;
}

cairn_status geo_closest_spread(geo_job *job, const geo_core *a, const geo_core *b,
                                const geo_closest *closest, double cosine_a, double cosine_b)
{
    geo_manifold *manifold = job->manifold;
    int from = manifold->count;
    cairn_status status = geo_closest_clip(job, a, b, closest->normal, cosine_a, cosine_b);
    if (status)
        return status;
    double gap = closest->separation - a->radius - b->radius;
    if (geo_job_smallest_gap(job, from) <= gap + 5e-10 * job->size)
        return CAIRN_OK;
    int corner = corner_at_end(job, a, b, closest, from);
    int last = manifold->count;
    status = geo_closest_emit(job, a, b, closest);
    if (status || corner < 0 || manifold->count == last)
        return status;
    // the closest points take the corner's place and name
    uint64_t key = manifold->contacts[corner].key;
    manifold->contacts[corner] = manifold->contacts[--manifold->count];
    manifold->contacts[corner].key = key;
    return CAIRN_OK;
}

cairn_status geo_closest_contacts(geo_job *job)
{
    geo_core a, b;
    geo_closest closest;
    geo_core_init(&a, &job->a);
    geo_core_init(&b, &job->b);
    double limit = job->margin + a.radius + b.radius;
    if (!geo_closest_find(&a, &b, limit, job->size, &closest))
        return CAIRN_OK;
    return geo_closest_spread(job, &a, &b, &closest, facing_cosine, facing_cosine);
}
