// SPDX-License-Identifier: Apache-2.0
// Volume, centre and inertia of the union of balls that overlap.
//
// Gauss's theorem makes integrals over the union of integrals over the parts of the spheres that no
// other ball covers. On a circle of latitude the covered part is a union of arcs, which is exact;
// the integral over latitudes is adaptive, between those at which a ball begins or ends to cover.
#include "geometry/shape/shape_internal.h"

#include "base/elementary.h"

#include <stdlib.h>
#include <string.h>

// MOMENTS: volume, three first and six second moments; xx yy zz xy yz zx. NODES: of a piece
enum { MOMENTS = 10, NODES = 10, DEEPEST = 24 };

static const double pi = 3.14159265358979323846;

/// Gauss's rule with ten nodes on (-1, 1): half of them, and their weights.
static const double node[NODES / 2] = {0.1488743389816312, 0.4333953941292472, 0.6794095682990244,
                                       0.8650633666889845, 0.9739065285171717};
static const double weight[NODES / 2] = {0.2955242247147529, 0.2692667193099963, 0.2190863625159820,
                                         0.1494513491505806, 0.0666713443086881};

typedef struct moments {
    double m[MOMENTS];
} moments;

/// A ball that covers a part of the sphere looked at: that with direction . n > height.
typedef struct cap {
    vec3 direction; // m, to its centre
    double height;  // m
} cap;

/// Angles of a circle that are covered.
typedef struct arc {
    double begin, end;
} arc;

/// One sphere, with what covers it.
typedef struct covered {
    vec3 centre; // m
    double radius;
    cap *caps;    // [count]
    arc *arcs;    // [2 count]
    double *ends; // [2 count + 2] latitudes
    int count;
} covered;

static double node_at(int i)
{
    return i < NODES / 2 ? -node[NODES / 2 - 1 - i] : node[i - NODES / 2];
}

static double weight_at(int i)
{
    return weight[i < NODES / 2 ? NODES / 2 - 1 - i : i - NODES / 2];
}

static void add(moments *sum, double factor, const moments *part)
{
    for (int k = 0; k < MOMENTS; k++)
        sum->m[k] += factor * part->m[k];
}

/// What a point p of a sphere with outward normal n gives to the integrals over the volume.
static moments density(vec3 p, vec3 n)
{
    return (moments){
        {vec3_dot(p, n) / 3.0, 0.5 * p.x * p.x * n.x, 0.5 * p.y * p.y * n.y, 0.5 * p.z * p.z * n.z,
         p.x * p.x * p.x * n.x / 3.0, p.y * p.y * p.y * n.y / 3.0, p.z * p.z * p.z * n.z / 3.0,
         0.5 * p.x * p.x * p.y * n.x, 0.5 * p.y * p.y * p.z * n.y, 0.5 * p.z * p.z * p.x * n.z}};
}

/// Integral over an arc of the circle of latitude u, in pieces of a right angle at most.
static void add_arc(const covered *c, double u, double begin, double end, moments *sum)
{
    int pieces = (int)((end - begin) / (0.5 * pi)) + 1;
    double s = sqrt(fmax(1.0 - u * u, 0.0)), half = 0.5 * (end - begin) / pieces;
    for (int k = 0; k < pieces; k++)
        for (int i = 0; i < NODES; i++) {
            double angle = begin + half * (2 * k + 1 + node_at(i));
            vec3 n = vec3_make(s * base_cos(angle), s * base_sin(angle), u);
            moments here = density(vec3_add_scaled(c->centre, c->radius, n), n);
            add(sum, half * weight_at(i), &here);
        }
}

static int compare_arcs(const void *a, const void *b)
{
    double x = ((const arc *)a)->begin, y = ((const arc *)b)->begin;
    return (x > y) - (x < y);
}

/// Arcs of the circle of latitude u that caps cover; -1 where one covers all of it.
static int find_arcs(const covered *c, double u)
{
    double s = sqrt(fmax(1.0 - u * u, 0.0));
    int count = 0;
    for (int i = 0; i < c->count; i++) {
        vec3 d = c->caps[i].direction;
        double along = s * base_hypot(d.x, d.y), missing = c->caps[i].height - u * d.z;
        if (missing >= along)
            continue;
        if (missing <= -along)
            return -1;
        double middle = base_atan2(d.y, d.x), wide = base_acos(missing / along);
        arc whole = {middle - wide, middle + wide};
        // angles run from -pi to pi
        if (whole.begin < -pi)
            c->arcs[count++] = (arc){whole.begin + 2.0 * pi, pi};
        if (whole.end > pi)
            c->arcs[count++] = (arc){-pi, whole.end - 2.0 * pi};
        c->arcs[count++] = (arc){fmax(whole.begin, -pi), fmin(whole.end, pi)};
    }
    return count;
}

/// Integral over what is left of the circle of latitude u.
static moments circle(const covered *c, double u)
{
    moments sum = {{0.0}};
    int count = find_arcs(c, u);
    double from = -pi;
    if (count > 0)
        qsort(c->arcs, (size_t)count, sizeof *c->arcs, compare_arcs);
    for (int i = 0; i < count; i++) {
        if (c->arcs[i].begin > from)
            add_arc(c, u, from, c->arcs[i].begin, &sum);
        from = fmax(from, c->arcs[i].end);
    }
    if (count >= 0 && from < pi)
        add_arc(c, u, from, pi, &sum);
    return sum;
}

/// Latitudes between two, u = middle + half sin t, which takes the roots at the ends away.
typedef struct band {
    double middle, half;
} band;

static moments rule(const covered *c, band b, double begin, double end)
{
    moments sum = {{0.0}};
    double half = 0.5 * (end - begin), middle = 0.5 * (begin + end);
    for (int i = 0; i < NODES; i++) {
        double t = middle + half * node_at(i);
        moments here = circle(c, b.middle + b.half * base_sin(t));
        add(&sum, half * weight_at(i) * b.half * base_cos(t), &here);
    }
    return sum;
}

/// @param whole  the rule over all of the interval
static moments refine(const covered *c, band b, double begin, double end, const moments *whole,
                      int depth)
{
    double middle = 0.5 * (begin + end), size = c->radius + vec3_norm(c->centre), error = 0.0;
    moments low = rule(c, b, begin, middle), high = rule(c, b, middle, end), sum = low;
    add(&sum, 1.0, &high);
    for (int k = 0; k < MOMENTS; k++) {
        double scale = k == 0 ? size : k < 4 ? size * size : size * size * size;
        error = fmax(error, fabs(sum.m[k] - whole->m[k]) / scale);
    }
    if (error < 1e-13 || depth == DEEPEST)
        return sum;
    sum = refine(c, b, begin, middle, &low, depth + 1);
    moments rest = refine(c, b, middle, end, &high, depth + 1);
    add(&sum, 1.0, &rest);
    return sum;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// What is left of one sphere.
static moments sphere_moments(const covered *c)
{
    moments sum = {{0.0}};
    int count = 0;
    c->ends[count++] = -1.0;
    c->ends[count++] = 1.0;
    for (int i = 0; i < c->count; i++) {
        double distance = vec3_norm(c->caps[i].direction), share = c->caps[i].height / distance;
        if (!(fabs(share) < 1.0))
            continue;
        double middle = base_acos(fmax(-1.0, fmin(1.0, c->caps[i].direction.z / distance)));
        c->ends[count++] = base_cos(middle - base_acos(share));
        c->ends[count++] = base_cos(middle + base_acos(share));
    }
    qsort(c->ends, (size_t)count, sizeof *c->ends, compare_numbers);
    for (int i = 0; i + 1 < count; i++) {
        band b = {0.5 * (c->ends[i] + c->ends[i + 1]), 0.5 * (c->ends[i + 1] - c->ends[i])};
        if (b.half < 1e-15)
            continue;
        moments whole = rule(c, b, -0.5 * pi, 0.5 * pi);
        moments part = refine(c, b, -0.5 * pi, 0.5 * pi, &whole, 0);
        add(&sum, c->radius * c->radius, &part);
    }
    return sum;
}

/// Caps of sphere i; false where another ball holds all of it.
static bool find_caps(const geo_compound *compound, int i, covered *c)
{
    c->count = 0;
    for (int j = 0; j < compound->member_count; j++) {
        vec3 d = vec3_sub(compound->placements[j].position, compound->placements[i].position);
        double other = compound->members[j]->sphere.radius, distance = vec3_norm(d);
        // of two that are the same the first one counts
        bool same = j != i && distance == 0.0 && c->radius == other;
        if (same && j < i)
            return false;
        if (same || j == i || distance >= c->radius + other || c->radius >= distance + other)
            continue;
        if (other >= distance + c->radius)
            return false;
        double square = c->radius * c->radius + distance * distance - other * other;
        c->caps[c->count++] = (cap){d, 0.5 * square / c->radius};
    }
    return true;
}

bool geo_has_overlaps(const geo_compound *compound)
{
    bool overlap = false;
    for (int i = 0; i < compound->member_count; i++) {
        if (compound->members[i]->kind != GEO_SPHERE)
            return false;
        for (int j = 0; j < i && !overlap; j++)
            overlap =
                vec3_distance(compound->placements[i].position, compound->placements[j].position) <
                compound->members[i]->sphere.radius + compound->members[j]->sphere.radius;
    }
    return overlap;
}

bool geo_mass_of_union(const base_allocator *allocator, const geo_compound *compound,
                       geo_mass *mass)
{
    size_t n = (size_t)compound->member_count;
    covered c = {.caps = base_allocate(allocator, n, sizeof *c.caps),
                 .arcs = base_allocate(allocator, 2 * n, sizeof *c.arcs),
                 .ends = base_allocate(allocator, 2 * n + 2, sizeof *c.ends)};
    bool made = c.caps != NULL && c.arcs != NULL && c.ends != NULL;
    vec3 origin = {0.0, 0.0, 0.0};
    moments sum = {{0.0}};
    for (size_t i = 0; i < n; i++)
        origin = vec3_add_scaled(origin, 1.0 / (double)n, compound->placements[i].position);
    for (int i = 0; i < compound->member_count && made; i++) {
        c.centre = vec3_sub(compound->placements[i].position, origin);
        c.radius = compound->members[i]->sphere.radius;
        if (!find_caps(compound, i, &c))
            continue;
        moments part = sphere_moments(&c);
        add(&sum, 1.0, &part);
    }
    base_release(allocator, c.caps);
    base_release(allocator, c.arcs);
    base_release(allocator, c.ends);
    const double *m = sum.m;
    vec3 centre = vec3_scale(1.0 / m[0], vec3_from(m + 1));
    mat3 second = {{{m[4], m[7], m[9]}, {m[7], m[5], m[8]}, {m[9], m[8], m[6]}}};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            second.m[i][k] -= m[0] * vec3_get(centre, i) * vec3_get(centre, k);
    if (made)
        *mass = (geo_mass){m[0], vec3_add(origin, centre), geo_inertia_from_second(&second)};
    return made;
}
