// SPDX-License-Identifier: Apache-2.0
// Volume, centre and inertia of the union of balls that overlap.
//
// Gauss's theorem makes integrals over the union of integrals over the parts of the spheres that no
// other ball covers. On a circle of latitude what is left is a union of arcs, over which integrals
// have closed forms. The integral over latitudes is adaptive, between those at which a ball begins
// or ends to cover, or the edges of two that cover cross: in between it is smooth.
#include "geometry/shape/shape_internal.h"

#include "base/elementary.h"

#include <stdlib.h>
#include <string.h>

// MOMENTS: volume, three first and six second moments; xx yy zz xy yz zx. NODES: of a piece.
// POWERS: of cosine and sine, whose degrees add up to 4 at most. CROSSED_MOST: of more caps the
// halving of intervals has to find where edges cross
enum { MOMENTS = 10, NODES = 10, DEEPEST = 24, POWERS = 5, CROSSED_MOST = 256 };

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
    double *ends; // [ends_for(count)] latitudes
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

/// Adds `sign` times the integrals of cos^i sin^k from 0 to an angle to sums[i][k].
static void add_powers(double angle, double sign, double sums[POWERS][POWERS])
{
    double c = base_cos(angle), s = base_sin(angle), cc = c * c, ss = s * s;
    double c2 = 0.5 * (angle + s * c), s2 = 0.5 * (angle - s * c);
    double c4 = 0.25 * cc * c * s + 0.75 * c2, s4 = 0.75 * s2 - 0.25 * ss * s * c;
    const double whole[POWERS][POWERS] = {
        {angle, -c, s2, c * (cc / 3.0 - 1.0), s4},
        {s, 0.5 * ss, ss * s / 3.0, 0.25 * ss * ss},
        {c2, -cc * c / 3.0, c2 - c4},
        {s * (1.0 - ss / 3.0), -0.25 * cc * cc},
        {c4},
    };
    for (int i = 0; i < POWERS; i++)
        for (int k = 0; i + k < POWERS; k++)
            sums[i][k] += sign * whole[i][k];
}

/// Integrals over what is left of a circle of latitude.
typedef struct circle_sums {
    double power[3][POWERS];     // of powers of the parts of the normal n
    double with_next[3][POWERS]; // the same times the next part: n_x^k n_y, n_y^k n_z, n_z^k n_x
} circle_sums;

static circle_sums sums_of(double s, double u, double sums[POWERS][POWERS])
{
    circle_sums out;
    double su[POWERS] = {1.0}, uu[POWERS] = {1.0};
    for (int k = 1; k < POWERS; k++) {
        su[k] = su[k - 1] * s;
        uu[k] = uu[k - 1] * u;
    }
    for (int k = 0; k < POWERS; k++) {
        out.power[0][k] = su[k] * sums[k][0];
        out.power[1][k] = su[k] * sums[0][k];
        out.power[2][k] = uu[k] * sums[0][0];
    }
    for (int k = 0; k + 1 < POWERS; k++) {
        out.with_next[0][k] = su[k + 1] * sums[k][1];
        out.with_next[1][k] = su[k] * u * sums[0][k];
        out.with_next[2][k] = uu[k] * s * sums[1][0];
    }
    return out;
}

/// From integrals over the normal to those over the volume, of p n / 3, p_a^2 n_a / 2,
/// p_a^3 n_a / 3 and p_a^2 p_b n_a / 2, at p = centre + radius n.
static moments volume_moments(const covered *c, const circle_sums *sums)
{
    double r = c->radius;
    moments out = {{r * sums->power[0][0] / 3.0}};
    for (int a = 0; a < 3; a++) {
        const double *n = sums->power[a], *nb = sums->with_next[a];
        double at = vec3_get(c->centre, a), next = vec3_get(c->centre, (a + 1) % 3);
        double square = at * at * n[1] + 2.0 * at * r * n[2] + r * r * n[3];
        double square_b = at * at * nb[1] + 2.0 * at * r * nb[2] + r * r * nb[3];
        double cube = at * at * n[2] + 2.0 * at * r * n[3] + r * r * n[4];
        out.m[0] += at * n[1] / 3.0;
        out.m[1 + a] = 0.5 * square;
        out.m[4 + a] = (at * square + r * cube) / 3.0;
        out.m[7 + a] = 0.5 * (next * square + r * square_b);
    }
    return out;
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
    double sums[POWERS][POWERS] = {{0.0}}, from = -pi;
    int count = find_arcs(c, u);
    if (count < 0)
        return (moments){{0.0}};
    if (count > 0)
        qsort(c->arcs, (size_t)count, sizeof *c->arcs, compare_arcs);
    for (int i = 0; i < count; i++) {
        if (c->arcs[i].begin > from) {
            add_powers(c->arcs[i].begin, 1.0, sums);
            add_powers(from, -1.0, sums);
        }
        from = fmax(from, c->arcs[i].end);
    }
    if (from < pi) {
        add_powers(pi, 1.0, sums);
        add_powers(from, -1.0, sums);
    }
    circle_sums left = sums_of(sqrt(fmax(1.0 - u * u, 0.0)), u, sums);
    return volume_moments(c, &left);
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

/// Room for the latitudes at which what is left of a sphere may change, by the number of its caps.
static size_t ends_for(int count)
{
    size_t n = (size_t)count;
    return 2 + 2 * n + (count > CROSSED_MOST ? 0 : n * n);
}

/// The edge of a cap on the sphere of radius 1: the points n with axis . n = share.
typedef struct edge {
    vec3 axis;
    double share;
} edge;

/// False where the cap has none.
static bool find_edge(const covered *c, int i, edge *out)
{
    vec3 direction = c->caps[i].direction;
    double distance = vec3_norm(direction);
    *out = (edge){vec3_scale(1.0 / distance, direction), c->caps[i].height / distance};
    return fabs(out->share) < 1.0;
}

/// Adds the latitude of a point on the edges of caps i and j, unless another cap covers it.
static int add_end(const covered *c, vec3 n, int i, int j, int count)
{
    for (int k = 0; k < c->count; k++)
        if (k != i && k != j &&
            vec3_dot(c->caps[k].direction, n) > c->caps[k].height + 1e-9 * c->radius)
            return count;
    c->ends[count] = n.z;
    return count + 1;
}

/// Where the edge of cap i is highest and lowest.
static int add_turns(const covered *c, const edge *e, int i, int count)
{
    double level = sqrt(fmax(1.0 - e->axis.z * e->axis.z, 0.0));
    double across = sqrt(1.0 - e->share * e->share), sides[2] = {-across, across};
    vec3 up = vec3_sub(vec3_make(0.0, 0.0, 1.0), vec3_scale(e->axis.z, e->axis));
    if (!(level > 1e-6)) {
        // nearly a circle of latitude: all of it counts
        c->ends[count++] = e->share * e->axis.z - across * level;
        c->ends[count++] = e->share * e->axis.z + across * level;
        return count;
    }
    for (int side = 0; side < 2; side++)
        count = add_end(c, vec3_add_scaled(vec3_scale(e->share, e->axis), sides[side] / level, up),
                        i, i, count);
    return count;
}

/// Where the edges of caps i and j cross: n = x a + y b +- z (a x b).
static int add_crossings(const covered *c, const edge *a, const edge *b, int i, int j, int count)
{
    vec3 across = vec3_cross(a->axis, b->axis);
    double square = vec3_norm_squared(across), along = vec3_dot(a->axis, b->axis);
    double x = (a->share - b->share * along) / square, y = (b->share - a->share * along) / square;
    double rest = 1.0 - x * a->share - y * b->share;
    if (!(square > 0.0 && rest > 0.0))
        return count;
    vec3 middle = vec3_add_scaled(vec3_scale(x, a->axis), y, b->axis);
    double side = sqrt(rest / square);
    count = add_end(c, vec3_add_scaled(middle, -side, across), i, j, count);
    return add_end(c, vec3_add_scaled(middle, side, across), i, j, count);
}

/// Latitudes of a sphere between which the integrals over circles are smooth, in order.
static int find_ends(const covered *c)
{
    int count = 0;
    edge a, b;
    c->ends[count++] = -1.0;
    c->ends[count++] = 1.0;
    for (int i = 0; i < c->count; i++) {
        if (!find_edge(c, i, &a))
            continue;
        count = add_turns(c, &a, i, count);
        for (int j = 0; j < i && c->count <= CROSSED_MOST; j++)
            if (find_edge(c, j, &b))
                count = add_crossings(c, &a, &b, i, j, count);
    }
    qsort(c->ends, (size_t)count, sizeof *c->ends, compare_numbers);
    return count;
}

/// What is left of one sphere.
static moments sphere_moments(const covered *c)
{
    moments sum = {{0.0}};
    int count = find_ends(c);
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

/// Most caps of a sphere.
static int most_caps(const geo_compound *compound, covered *c)
{
    int most = 0;
    for (int i = 0; i < compound->member_count; i++) {
        c->radius = compound->members[i]->sphere.radius;
        if (find_caps(compound, i, c) && c->count > most)
            most = c->count;
    }
    return most;
}

/// Integrals over the union, from `origin`.
static moments union_moments(const geo_compound *compound, vec3 origin, covered *c)
{
    moments sum = {{0.0}};
    for (int i = 0; i < compound->member_count; i++) {
        c->centre = vec3_sub(compound->placements[i].position, origin);
        c->radius = compound->members[i]->sphere.radius;
        if (!find_caps(compound, i, c))
            continue;
        moments part = sphere_moments(c);
        add(&sum, 1.0, &part);
    }
    return sum;
}

bool geo_mass_of_union(const base_allocator *allocator, const geo_compound *compound,
                       geo_mass *mass)
{
    size_t n = (size_t)compound->member_count;
    covered c = {.caps = base_allocate(allocator, n, sizeof *c.caps),
                 .arcs = base_allocate(allocator, 2 * n, sizeof *c.arcs)};
    if (c.caps != NULL && c.arcs != NULL)
        c.ends = base_allocate(allocator, ends_for(most_caps(compound, &c)), sizeof *c.ends);
    bool made = c.ends != NULL;
    vec3 origin = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < n; i++)
        origin = vec3_add_scaled(origin, 1.0 / (double)n, compound->placements[i].position);
    moments sum = made ? union_moments(compound, origin, &c) : (moments){{1.0}};
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
