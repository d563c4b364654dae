// SPDX-License-Identifier: Apache-2.0
// Judges the final poses of any engine: worst and mean overlap, recomputed from shapes and poses.
#include "bench/step/neutral.h"

typedef struct placed {
    const neutral_body *body;
    double axis[3][3]; // axis k of the body in world axes
    double reach;      // m, of a ball around it
} placed;

typedef struct verdict {
    double worst, sum; // m
    int count;
} verdict;

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *out)
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static placed place(const neutral_body *b)
{
    placed p = {.body = b};
    const double *q = b->orientation;
    double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double w = q[0] / n, v[3] = {q[1] / n, q[2] / n, q[3] / n};
    for (int k = 0; k < 3; k++) {
        double e[3] = {k == 0, k == 1, k == 2}, t[3], u[3];
        cross(v, e, t);
        cross(v, t, u);
        for (int i = 0; i < 3; i++)
            p.axis[k][i] = e[i] + 2.0 * (w * t[i] + u[i]);
    }
    const double *h = b->size;
    p.reach = b->kind == NEUTRAL_BOX ? sqrt(dot(h, h)) : h[0] + h[1];
    return p;
}

// half the extent along a unit direction
static double extent(const placed *p, const double *direction)
{
    const double *h = p->body->size;
    if (p->body->kind == NEUTRAL_CAPSULE)
        return h[0] + h[1] * fabs(dot(p->axis[2], direction));
    double sum = 0.0;
    for (int k = 0; k < 3; k++)
        sum += h[k] * fabs(dot(p->axis[k], direction));
    return sum;
}

static double overlap_along(const placed *a, const placed *b, const double *axis)
{
    double length = sqrt(dot(axis, axis)), unit[3], between[3];
    if (length < 1e-6)
        return INFINITY;
    for (int k = 0; k < 3; k++) {
        unit[k] = axis[k] / length;
        between[k] = b->body->position[k] - a->body->position[k];
    }
    return extent(a, unit) + extent(b, unit) - fabs(dot(unit, between));
}

// overlap of boxes along the best of their fifteen axes
static double box_overlap(const placed *a, const placed *b)
{
    double least = INFINITY;
    for (int i = 0; i < 3; i++) {
        least = fmin(least, overlap_along(a, b, a->axis[i]));
        least = fmin(least, overlap_along(a, b, b->axis[i]));
        for (int j = 0; j < 3; j++) {
            double axis[3];
            cross(a->axis[i], b->axis[j], axis);
            least = fmin(least, overlap_along(a, b, axis));
        }
    }
    return least;
}

static double clamp(double x, double limit)
{
    return fmax(-limit, fmin(limit, x));
}

static double axis_distance(const placed *a, double s, const placed *b, double t)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = a->body->position[k] + s * a->axis[2][k] - b->body->position[k] - t * b->axis[2][k];
    return sqrt(dot(d, d));
}

// distance of a point of a's axis from b's segment, and the place on that
static double to_segment(const placed *a, double s, const placed *b)
{
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = a->body->position[k] + s * a->axis[2][k] - b->body->position[k];
    return axis_distance(a, s, b, clamp(dot(d, b->axis[2]), b->body->size[1]));
}

// segments are nearest at an end of one of them or where their lines are
static double capsule_overlap(const placed *a, const placed *b)
{
    double ha = a->body->size[1], hb = b->body->size[1], d[3];
    double least = fmin(fmin(to_segment(a, -ha, b), to_segment(a, ha, b)),
                        fmin(to_segment(b, -hb, a), to_segment(b, hb, a)));
    for (int k = 0; k < 3; k++)
        d[k] = b->body->position[k] - a->body->position[k];
    double c = dot(a->axis[2], b->axis[2]), sine = 1.0 - c * c;
    if (sine > 1e-12) {
        double s = (dot(d, a->axis[2]) - c * dot(d, b->axis[2])) / sine;
        double t = (c * dot(d, a->axis[2]) - dot(d, b->axis[2])) / sine;
        if (fabs(s) <= ha && fabs(t) <= hb)
            least = fmin(least, axis_distance(a, s, b, t));
    }
    return a->body->size[0] + b->body->size[0] - least;
}

static void add(verdict *v, double overlap)
{
    if (!(overlap > 0.0))
        return;
    v->worst = fmax(v->worst, overlap);
    v->sum += overlap;
    v->count++;
}

static void judge_planes(verdict *v, const neutral_scene *s, const placed *p)
{
    const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0}, z[3] = {0.0, 0.0, 1.0};
    const double *at = p->body->position;
    add(v, extent(p, z) - at[2]);
    if (s->walls) {
        add(v, extent(p, x) + fabs(at[0]) - s->half_width);
        add(v, extent(p, y) + fabs(at[1]) - s->half_width);
    }
}

static int by_left_end(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    double x = p->body->position[0] - p->reach, y = q->body->position[0] - q->reach;
    return (x > y) - (x < y);
}

static verdict judge(const neutral_scene *s)
{
    verdict v = {0};
    placed *list = calloc((size_t)s->count, sizeof *list);
    if (list == NULL)
        neutral_quit("out of memory", s->name);
    for (int i = 0; i < s->count; i++) {
        list[i] = place(&s->bodies[i]);
        judge_planes(&v, s, &list[i]);
    }
    qsort(list, (size_t)s->count, sizeof *list, by_left_end);
    for (int i = 0; i < s->count; i++)
        for (int j = i + 1; j < s->count && list[j].body->position[0] - list[j].reach <=
                                                list[i].body->position[0] + list[i].reach;
             j++)
            add(&v, list[i].body->kind == NEUTRAL_BOX ? box_overlap(&list[i], &list[j])
                                                      : capsule_overlap(&list[i], &list[j]));
    free(list);
    return v;
}

// the farthest that any body has moved
static double farthest(const neutral_scene *before, const neutral_scene *after)
{
    double most = 0.0;
    for (int i = 0; i < after->count; i++) {
        double d[3];
        for (int k = 0; k < 3; k++)
            d[k] = after->bodies[i].position[k] - before->bodies[i].position[k];
        most = fmax(most, sqrt(dot(d, d)));
    }
    return most;
}

int main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: judge SCENE FINAL\n");
        return 2;
    }
    neutral_scene before = neutral_read(arguments[1]), after = neutral_read(arguments[2]);
    if (before.count != after.count)
        neutral_quit("not the final state of that scene", arguments[2]);
    verdict v = judge(&after);
    printf("worst_mm %.4g mean_mm %.4g overlaps %d moved_m %.4g\n", 1e3 * v.worst,
           v.count > 0 ? 1e3 * v.sum / v.count : 0.0, v.count, farthest(&before, &after));
    free(before.bodies);
    free(after.bodies);
    return 0;
}
