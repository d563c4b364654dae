// SPDX-License-Identifier: Apache-2.0
// Robots as calls of the scene language. Links on fixed joints are one body.
#include "scenes/import/robot.h"

#include "base/elementary.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef struct writer {
    const scn_xml_file *file;
    scn_robot *robot;
    const scn_robot_use *use;
    scn_robot_line **end;
} writer;

/// What the links of a body bring together.
typedef struct body_sum {
    double mass;  // kg
    vec3 centre;  // m, frame of the carrier
    mat3 inertia; // kg m2, about the centre
    bool touches; // a shape of it meets others
    int geoms;    // those that it is made of
} body_sum;

static cairn_status no_memory(const writer *w)
{
    return base_fail(w->file->error, CAIRN_ERROR_MEMORY, "%.300s: out of memory", w->file->name);
}

static cairn_status fail(const writer *w, int line, const char *format, ...) CAIRN_PRINTF(3, 4);

static cairn_status fail(const writer *w, int line, const char *format, ...)
{
    char text[CAIRN_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return base_fail(w->file->error, CAIRN_ERROR_SCENE, "%.300s:%d: %s", w->file->name, line, text);
}

/// Adds a line of the answer, whose text is copied.
static cairn_status add(writer *w, int line, bool note, const char *text)
{
    size_t size = strlen(text) + 1;
    scn_robot_line *made = base_arena_array(w->file->arena, scn_robot_line, "robot", 1);
    char *copy = base_arena_array(w->file->arena, char, "robot", size);
    if (made == NULL || copy == NULL)
        return no_memory(w);
    memcpy(copy, text, size);
    *made = (scn_robot_line){.line = line, .text = copy, .note = note};
    *w->end = made;
    w->end = &made->next;
    return CAIRN_OK;
}

// ---------------------------------------------------------------- the tree

/// Links from the root on, each behind its parent: [count] in the arena.
static cairn_status order_links(const writer *w, scn_robot_link ***order, int *count)
{
    int links = 0, listed = 0;
    for (const scn_robot_link *link = w->robot->links; link != NULL; link = link->next)
        links++;
    *count = links;
    *order = base_arena_array(w->file->arena, scn_robot_link *, "robot", links);
    if (*order == NULL)
        return no_memory(w);
    for (scn_robot_link *link = w->robot->links; link != NULL; link = link->next) {
        if (link->up != NULL)
            continue;
        if (listed > 0)
            return fail(w, link->line,
                        "links \"%.80s\" and \"%.80s\" are children of no joint: a robot has one "
                        "root",
                        (*order)[0]->name, link->name);
        (*order)[listed++] = link;
    }
    for (int i = 0; i < listed; i++)
        for (const scn_robot_joint *joint = (*order)[i]->down; joint != NULL; joint = joint->beside)
            (*order)[listed++] = joint->child;
    if (listed == links)
        return CAIRN_OK;
    // what no way from the root leads to
    for (int i = 0; i < listed; i++)
        (*order)[i]->carrier = (*order)[i];
    const scn_robot_link *lost = w->robot->links;
    while (lost->carrier != NULL)
        lost = lost->next;
    return fail(w, lost->line, "link \"%.80s\" is, over joints, its own parent", lost->name);
}

/// A link that is without mass and shape, as all that hangs on it is, does not move, and it is
/// said.
static cairn_status weld_empty(writer *w, scn_robot_joint *joint)
{
    char text[CAIRN_MESSAGE_SIZE];
    const scn_robot_link *child = joint->child;
    if (joint->fuses || joint->free || child->weighs)
        return CAIRN_OK;
    joint->fuses = true;
    snprintf(text, sizeof text,
             "joint \"%.80s\" is taken as fixed: nothing of link \"%.80s\" has a mass or a shape",
             joint->name, child->name);
    return add(w, joint->line, true, text);
}

/// Place and carrier of a link, whose parent has them.
static void place_link(const writer *w, scn_robot_link *link)
{
    const scn_robot_joint *up = link->up;
    link->carrier = link;
    link->place = w->use->at;
    if (up == NULL)
        return;
    vec3 axis = vec3_normalize_or(up->axis, (vec3){0.0, 0.0, 1.0});
    pose moved = pose_identity();
    if (up->kind == CAIRN_JOINT_SLIDER)
        moved.position = vec3_scale(up->start, axis);
    else
        moved.orientation = base_quat_from_rotation_vector(vec3_scale(up->start, axis));
    link->place = pose_compose(&up->parent->place, &up->origin);
    link->place = pose_compose(&link->place, &moved);
    if (up->fuses)
        link->carrier = up->parent->carrier;
    if (link->carrier != link) {
        link->part = link->carrier->part;
        link->carrier->part = link;
    }
}

/// Adds what a link and all that hangs on it weigh to its parent.
static void pass_masses_up(scn_robot_link *link)
{
    vec3 centre = pose_apply(&link->place, link->centre);
    link->beyond += link->mass;
    vec3_store(link->first, vec3_add_scaled(vec3_from(link->first), link->mass, centre));
    link->second += link->mass * vec3_norm_squared(centre) + 0.5 * mat3_trace(&link->inertia);
    if (link->up == NULL)
        return;
    scn_robot_link *parent = link->up->parent;
    parent->beyond += link->beyond;
    vec3_store(parent->first, vec3_add(vec3_from(parent->first), vec3_from(link->first)));
    parent->second += link->second;
}

static cairn_status place_links(writer *w)
{
    scn_robot_link **order;
    int count;
    BASE_TRY(order_links(w, &order, &count));
    for (int i = count - 1; i >= 0; i--) {
        scn_robot_link *link = order[i];
        link->weighs = link->weighs || link->mass > 0.0 || link->geoms != NULL;
        if (link->up != NULL)
            link->up->parent->weighs = link->up->parent->weighs || link->weighs;
    }
    for (scn_robot_joint *joint = w->robot->joints; joint != NULL; joint = joint->next)
        BASE_TRY(weld_empty(w, joint));
    for (int i = 0; i < count; i++)
        place_link(w, order[i]);
    for (int i = count - 1; i >= 0; i--)
        pass_masses_up(order[i]);
    return CAIRN_OK;
}

static bool is_fixed(const writer *w, const scn_robot_link *carrier)
{
    return carrier->up == NULL && (w->use->fixed || strcmp(carrier->name, "world") == 0);
}

// ---------------------------------------------------------------- masses

/// m (d d 1 - d d'), what a mass off the centre adds.
static mat3 steiner(double mass, vec3 d)
{
    mat3 skew = mat3_skew(d), square = mat3_multiply(&skew, &skew);
    return mat3_scale(-mass, &square);
}

static body_sum sum_links(const scn_robot_link *carrier)
{
    body_sum sum = {0};
    for (const scn_robot_link *link = carrier; link != NULL; link = link->part) {
        pose place = pose_relative(&carrier->place, &link->place);
        sum.mass += link->mass;
        sum.centre = vec3_add_scaled(sum.centre, link->mass, pose_apply(&place, link->centre));
        for (const scn_robot_geom *g = link->geoms; g != NULL; g = g->next)
            sum.touches = sum.touches || g->touches;
    }
    if (sum.mass > 0.0)
        sum.centre = vec3_scale(1.0 / sum.mass, sum.centre);
    for (const scn_robot_link *link = carrier; link != NULL; link = link->part) {
        pose place = pose_relative(&carrier->place, &link->place);
        mat3 turn = quat_to_mat3(place.orientation), back = mat3_transpose(&turn);
        mat3 own = mat3_multiply(&turn, &link->inertia);
        own = mat3_multiply(&own, &back);
        mat3 off = steiner(link->mass, vec3_sub(pose_apply(&place, link->centre), sum.centre));
        sum.inertia = mat3_add(&sum.inertia, &own);
        sum.inertia = mat3_add(&sum.inertia, &off);
        for (const scn_robot_geom *g = link->geoms; g != NULL; g = g->next)
            sum.geoms += g->touches == sum.touches;
    }
    return sum;
}

/// Moments that no body has become their mean, and it is said.
static cairn_status mend_inertia(writer *w, const scn_robot_link *carrier, body_sum *sum)
{
    vec3 moments;
    mat3 axes;
    char text[CAIRN_MESSAGE_SIZE];
    base_mat3_eigen_symmetric(&sum->inertia, &moments, &axes);
    double least = fmin(moments.x, fmin(moments.y, moments.z));
    double most = fmax(moments.x, fmax(moments.y, moments.z));
    double all = moments.x + moments.y + moments.z;
    if (!(all > 0.0)) {
        // of a ball as dense as water
        all = 1.2 * sum->mass * base_pow(sum->mass * 3.0 / (4.0 * M_PI * 1000.0), 2.0 / 3.0);
        snprintf(text, sizeof text,
                 "link \"%.80s\" has a mass of %g kg and no moment of inertia: it is given that of "
                 "a ball of water",
                 carrier->name, sum->mass);
        sum->inertia = mat3_diagonal(vec3_make(all / 3.0, all / 3.0, all / 3.0));
        return add(w, carrier->line, true, text);
    }
    if (least > 0.0 && all - most >= 0.995 * most)
        return CAIRN_OK;
    snprintf(text, sizeof text,
             "link \"%.80s\": no body has the principal moments %g, %g and %g kg m2, of which the "
             "largest must be at most the sum of the two others; each is taken as their mean",
             carrier->name, moments.x, moments.y, moments.z);
    sum->inertia = mat3_diagonal(vec3_make(all / 3.0, all / 3.0, all / 3.0));
    return add(w, carrier->line, true, text);
}

/// A link without mass and shape between joints is given a little of what hangs on it, and it is
/// said.
static cairn_status lend_mass(writer *w, const scn_robot_link *carrier, body_sum *sum)
{
    const double part = 1e-8;
    char text[CAIRN_MESSAGE_SIZE];
    vec3 here = carrier->place.position, first = vec3_from(carrier->first);
    double mass = carrier->beyond;
    // the mean of the moments about three axes through the link
    double moment =
        2.0 / 3.0 *
        (carrier->second - 2.0 * vec3_dot(here, first) + mass * vec3_norm_squared(here));
    if (!(mass > 0.0 && moment > 0.0))
        return fail(w, carrier->line,
                    "link \"%.80s\" moves, and neither it nor what hangs on it has a mass",
                    carrier->name);
    sum->mass = part * mass;
    moment *= part;
    sum->inertia = mat3_diagonal(vec3_make(moment, moment, moment));
    snprintf(text, sizeof text,
             "link \"%.80s\" has neither mass nor shape: it is given 1e-8 of the mass and "
             "inertia of what hangs on it",
             carrier->name);
    return add(w, carrier->line, true, text);
}

// ---------------------------------------------------------------- texts

static void put_vector(FILE *out, const char *key, vec3 v)
{
    fprintf(out, ", %s = {%.17g, %.17g, %.17g}", key, v.x, v.y, v.z);
}

static void put_place(FILE *out, const pose *p)
{
    put_vector(out, "position", p->position);
    fprintf(out, ", orientation = {%.17g, %.17g, %.17g, %.17g}", p->orientation.w, p->orientation.x,
            p->orientation.y, p->orientation.z);
}

/// A text in quotes of Lua.
static void put_text(FILE *out, const char *prefix, const char *text)
{
    fputc('"', out);
    for (int part = 0; part < 2; part++)
        for (const char *c = part == 0 ? prefix : text; *c != '\0'; c++)
            if (*c == '"' || *c == '\\' || (unsigned char)*c < 0x20)
                fprintf(out, "\\%03d", (unsigned char)*c);
            else
                fputc(*c, out);
    fputc('"', out);
}

static void put_geom(FILE *out, const scn_robot_geom *g)
{
    const double *s = g->scale, *h = g->half_size;
    if (g->kind == CAIRN_BOX) {
        fprintf(out, "box{ size = {%.17g, %.17g, %.17g} }", 2.0 * h[0], 2.0 * h[1], 2.0 * h[2]);
    } else if (g->kind == CAIRN_SPHERE) {
        fprintf(out, "sphere{ radius = %.17g }", g->radius);
    } else if (g->kind == CAIRN_POLYHEDRON) {
        fputs("polyhedron{ file = ", out);
        put_text(out, "", g->file);
        fprintf(out, ", scale = {%.17g, %.17g, %.17g} }", s[0], s[1], s[2]);
    } else {
        fprintf(out, "%s{ radius = %.17g, length = %.17g }", cairn_shape_kind_call(g->kind),
                g->radius, 2.0 * g->half_length);
    }
}

static void put_shape(FILE *out, const scn_robot_link *carrier, const body_sum *sum)
{
    fputs(", shape = ", out);
    if (sum->geoms == 0) {
        // what has no shape is a ball of its inertia that touches nothing
        double radius = sqrt(2.5 / 3.0 * mat3_trace(&sum->inertia) / sum->mass);
        fprintf(out, "sphere{ radius = %.17g }, groups = 0, mask = 0", radius);
        return;
    }
    fputs("compound{", out);
    for (const scn_robot_link *link = carrier; link != NULL; link = link->part) {
        pose place = pose_relative(&carrier->place, &link->place);
        for (const scn_robot_geom *g = link->geoms; g != NULL; g = g->next) {
            if (g->touches != sum->touches)
                continue;
            pose own = pose_compose(&place, &g->place);
            fputs(" { shape = ", out);
            put_geom(out, g);
            put_place(out, &own);
            fputs(" },", out);
        }
    }
    fputs(" }", out);
    if (!sum->touches)
        fputs(", groups = 0, mask = 0", out);
}

/// Ends a text that is written to memory, and adds it.
static cairn_status add_written(writer *w, int line, FILE *out, char **text)
{
    bool written = out != NULL && ferror(out) == 0;
    if (out != NULL)
        written = fclose(out) == 0 && written;
    cairn_status status = written ? add(w, line, false, *text) : no_memory(w);
    free(*text);
    return status;
}

static cairn_status write_body(writer *w, const scn_robot_link *carrier)
{
    body_sum sum = sum_links(carrier);
    bool fixed = is_fixed(w, carrier);
    if (fixed && sum.geoms == 0)
        return CAIRN_OK;
    if (!fixed && sum.mass == 0.0 && sum.geoms == 0)
        BASE_TRY(lend_mass(w, carrier, &sum));
    if (!fixed && sum.mass > 0.0)
        BASE_TRY(mend_inertia(w, carrier, &sum));
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL) {
        fputs("body{ name = ", out);
        put_text(out, w->use->prefix, carrier->name);
        put_shape(out, carrier, &sum);
        put_place(out, &carrier->place);
        const mat3 *i = &sum.inertia;
        if (fixed) {
            fputs(", kind = \"fixed\"", out);
        } else if (sum.mass > 0.0) {
            fprintf(out, ", mass = %.17g", sum.mass);
            put_vector(out, "centre", sum.centre);
            fprintf(out, ", inertia = {%.17g, %.17g, %.17g, %.17g, %.17g, %.17g}", i->m[0][0],
                    i->m[1][1], i->m[2][2], i->m[0][1], i->m[0][2], i->m[1][2]);
        } else {
            fputs(", density = 1000", out);
        }
        if (w->use->material != NULL) {
            fputs(", material = ", out);
            put_text(out, "", w->use->material);
        }
        const double *c = carrier->colour;
        if (isfinite(c[0]))
            fprintf(out, ", colour = {%.4g, %.4g, %.4g, %.4g}", c[0], c[1], c[2], c[3]);
        fputs(" }", out);
    }
    return add_written(w, carrier->line, out, &text);
}

static cairn_status write_joint(writer *w, const scn_robot_joint *joint)
{
    char note[CAIRN_MESSAGE_SIZE];
    snprintf(note, sizeof note, "the range of joint \"%.80s\" has no width, and is taken as none",
             joint->name);
    if (joint->locked)
        BASE_TRY(add(w, joint->line, true, note));
    const scn_robot_link *parent = joint->parent->carrier;
    bool world = is_fixed(w, parent) && sum_links(parent).geoms == 0;
    pose at = joint->child->place;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL) {
        fprintf(out, "joint{ kind = \"%s\", name = ", cairn_joint_kind_name(joint->kind));
        put_text(out, w->use->prefix, joint->name);
        fputs(", bodies = { ", out);
        if (!world) {
            put_text(out, w->use->prefix, parent->name);
            fputs(", ", out);
        }
        put_text(out, w->use->prefix, joint->child->name);
        fputs(" }", out);
        put_vector(out, "at", at.position);
        put_vector(out, "axis", quat_rotate(at.orientation, joint->axis));
        if (isfinite(joint->range[0]) || isfinite(joint->range[1]))
            fprintf(out, ", range = {%.17g, %.17g}", fmax(joint->range[0], -DBL_MAX),
                    fmin(joint->range[1], DBL_MAX));
        if (joint->start != 0.0)
            fprintf(out, ", start = %.17g", joint->start);
        if (joint->damping > 0.0)
            fprintf(out, ", spring = { damping = %.17g }", joint->damping);
        if (joint->friction > 0.0)
            fprintf(out, ", friction = %.17g", joint->friction);
        fputs(" }", out);
    }
    return add_written(w, joint->line, out, &text);
}

// ---------------------------------------------------------------- what cannot be read

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text), length = strlen(end);
    return size >= length && strcasecmp(text + size - length, end) == 0;
}

static bool is_there(const writer *w, const char *file)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", w->use->data, file);
    return access(path, R_OK) == 0;
}

/// Meshes that are not there, or of formats that are not read, are left out, and it is said.
static cairn_status drop_files(writer *w, scn_robot_link *link)
{
    char text[CAIRN_MESSAGE_SIZE];
    scn_robot_geom **at = &link->geoms;
    while (*at != NULL) {
        const scn_robot_geom *g = *at;
        bool known = g->file == NULL || ends_with(g->file, ".stl") || ends_with(g->file, ".obj");
        if (g->file == NULL || (known && is_there(w, g->file))) {
            at = &(*at)->next;
            continue;
        }
        snprintf(text, sizeof text, "link \"%.80s\" is without its mesh \"%.200s\": %s", link->name,
                 g->file, known ? "there is no such file" : ".stl and .obj files are read");
        if (g->touches)
            BASE_TRY(add(w, g->line, true, text));
        *at = g->next;
    }
    return CAIRN_OK;
}

cairn_status scn_robot_write(const scn_xml_file *file, scn_robot *robot, const scn_robot_use *use,
                             scn_robot_line **lines)
{
    writer w = {file, robot, use, lines};
    *lines = NULL;
    for (scn_robot_link *link = robot->links; link != NULL; link = link->next)
        BASE_TRY(drop_files(&w, link));
    BASE_TRY(place_links(&w));
    for (const scn_robot_link *link = robot->links; link != NULL; link = link->next)
        if (link->carrier == link)
            BASE_TRY(write_body(&w, link));
    for (const scn_robot_joint *joint = robot->joints; joint != NULL; joint = joint->next)
        if (!joint->fuses && !joint->free)
            BASE_TRY(write_joint(&w, joint));
    return CAIRN_OK;
}
