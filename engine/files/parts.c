// SPDX-License-Identifier: Apache-2.0
// Shapes, joints and connectors as numbers one after the other.
#include "engine/files/parts.h"
#include "engine/state/shapes.h"
#include "engine/state/world.h"

#include "base/assert.h"
#include "engine/state/values.h"

#include <string.h>

static void put_integers(eng_parts *parts, const int *values, int64_t count)
{
    if (parts->integers != NULL && count > 0)
        memcpy(parts->integers + parts->integer_at, values, (size_t)count * sizeof *values);
    parts->integer_at += count;
}

static void put_reals(eng_parts *parts, const double *values, int64_t count)
{
    if (parts->reals != NULL && count > 0)
        memcpy(parts->reals + parts->real_at, values, (size_t)count * sizeof *values);
    parts->real_at += count;
}

/// The next numbers; NULL, and no more after it, where there are fewer.
static const int *take_integers(eng_parts *parts, int64_t count)
{
    parts->failed = parts->failed || count < 0 || count > parts->integer_count - parts->integer_at;
    if (parts->failed)
        return NULL;
    parts->integer_at += count;
    return parts->integers + (parts->integer_at - count);
}

static const double *take_reals(eng_parts *parts, int64_t count)
{
    parts->failed = parts->failed || count < 0 || count > parts->real_count - parts->real_at;
    if (parts->failed)
        return NULL;
    parts->real_at += count;
    return parts->reals + (parts->real_at - count);
}

// ---------------------------------------------------------------- shapes

static void write_polyhedron(const geo_polyhedron *p, eng_parts *parts)
{
    const int counts[2] = {p->vertex_count, p->face_count};
    put_integers(parts, counts, 2);
    put_integers(parts, p->face_start, p->face_count + (int64_t)1);
    put_integers(parts, p->face_vertices, p->face_start[p->face_count]);
    put_reals(parts, &p->vertices->x, 3 * (int64_t)p->vertex_count);
    put_reals(parts, &p->rounding, 1);
}

static void write_compound(const cairn_world *world, int slot, eng_parts *parts)
{
    const geo_compound *compound = &world->model.shapes.rows[slot]->compound;
    const cairn_shape_id *ids = eng_shape_members(world, slot);
    put_integers(parts, &compound->member_count, 1);
    for (int i = 0; i < compound->member_count; i++) {
        const int id[2] = {(int)ids[i].index, (int)ids[i].generation};
        put_integers(parts, id, 2);
    }
    for (int i = 0; i < compound->member_count; i++) {
        const geo_shape *member = compound->members[i];
        const int kind = (int)member->kind;
        put_integers(parts, &kind, 1);
        put_reals(parts, &compound->placements[i].position.x, 7);
        if (member->kind == GEO_POLYHEDRON)
            write_polyhedron(&member->polyhedron, parts);
        else
            put_reals(parts, geo_plain_sizes(member), geo_plain_size_count(member->kind));
    }
}

void eng_shape_write(const cairn_world *world, int slot, eng_parts *parts)
{
    const geo_shape *shape = world->model.shapes.rows[slot];
    if (shape->kind == GEO_POLYHEDRON)
        write_polyhedron(&shape->polyhedron, parts);
    if (shape->kind == GEO_COMPOUND)
        write_compound(world, slot, parts);
    if (shape->kind != GEO_MESH)
        return;
    const geo_mesh *mesh = &shape->mesh;
    const int counts[3] = {mesh->vertex_count, mesh->triangle_count, mesh->solid};
    put_integers(parts, counts, 3);
    put_integers(parts, mesh->triangles[0], 3 * (int64_t)mesh->triangle_count);
    put_reals(parts, &mesh->vertices->x, 3 * (int64_t)mesh->vertex_count);
}

/// What a maker says of numbers that come from a file.
static cairn_status status_of_numbers(cairn_status status)
{
    return status == CAIRN_OK || status == CAIRN_ERROR_MEMORY ? status : CAIRN_ERROR_FORMAT;
}

static cairn_status read_polyhedron(eng_parts *parts, const base_allocator *allocator,
                                    geo_shape **shape)
{
    const int *counts = take_integers(parts, 2);
    const int *start =
        counts != NULL && counts[1] > 0 ? take_integers(parts, counts[1] + (int64_t)1) : NULL;
    const int *corners = start != NULL ? take_integers(parts, start[counts[1]]) : NULL;
    const double *vertices = corners != NULL ? take_reals(parts, 3 * (int64_t)counts[0]) : NULL;
    const double *rounding = vertices != NULL ? take_reals(parts, 1) : NULL;
    if (rounding == NULL)
        return CAIRN_ERROR_FORMAT;
    if (shape == NULL)
        return CAIRN_OK;
    cairn_status status =
        geo_polyhedron_create_faces(allocator, (const vec3 *)(const void *)vertices, counts[0],
                                    start, counts[1], corners, shape, NULL);
    if (status == CAIRN_OK) {
        status = geo_polyhedron_round(*shape, *rounding, NULL);
        if (status != CAIRN_OK) {
            geo_shape_destroy(*shape);
            *shape = NULL;
        }
    }
    return status_of_numbers(status);
}

static cairn_status read_mesh(eng_parts *parts, const base_allocator *allocator, geo_shape **shape)
{
    const int *counts = take_integers(parts, 3);
    const int *triangles = counts != NULL ? take_integers(parts, 3 * (int64_t)counts[1]) : NULL;
    const double *vertices = triangles != NULL ? take_reals(parts, 3 * (int64_t)counts[0]) : NULL;
    if (vertices == NULL)
        return CAIRN_ERROR_FORMAT;
    if (shape == NULL)
        return CAIRN_OK;
    cairn_status status =
        geo_mesh_create(allocator, (const vec3 *)(const void *)vertices, counts[0],
                        (const int(*)[3])(const void *)triangles, counts[1], shape, NULL);
    if (status == CAIRN_OK && counts[2] != 0) {
        status = geo_mesh_fill(*shape, NULL);
        if (status != CAIRN_OK) {
            geo_shape_destroy(*shape);
            *shape = NULL;
        }
    }
    return status_of_numbers(status);
}

static cairn_status read_member(eng_parts *parts, const base_allocator *allocator,
                                geo_shape **shape, pose *placement)
{
    const int *kind = take_integers(parts, 1);
    const double *place = take_reals(parts, 7);
    if (kind == NULL || place == NULL || *kind < 0 || *kind > GEO_POLYHEDRON)
        return CAIRN_ERROR_FORMAT;
    memcpy(placement, place, sizeof *placement);
    if (*kind == GEO_POLYHEDRON)
        return read_polyhedron(parts, allocator, shape);
    const double *sizes = take_reals(parts, geo_plain_size_count((geo_kind)*kind));
    if (sizes == NULL)
        return CAIRN_ERROR_FORMAT;
    return shape == NULL ? CAIRN_OK
                         : status_of_numbers(
                               geo_plain_create(allocator, (geo_kind)*kind, sizes, shape, NULL));
}

static cairn_status read_compound(eng_parts *parts, const base_allocator *allocator,
                                  geo_shape **shape, const int (**ids)[2])
{
    const int *given = take_integers(parts, 1);
    const int count = given != NULL ? *given : 0;
    *ids = (const int(*)[2])(const void *)take_integers(parts, 2 * (int64_t)count);
    if (*ids == NULL || count < 1)
        return CAIRN_ERROR_FORMAT;
    geo_shape **members = base_allocate(allocator, (size_t)count, sizeof *members);
    pose *placements = base_allocate(allocator, (size_t)count, sizeof *placements);
    cairn_status status = members != NULL && placements != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    for (int i = 0; i < count && status == CAIRN_OK; i++)
        status = read_member(parts, allocator, shape != NULL ? &members[i] : NULL, &placements[i]);
    if (status == CAIRN_OK && shape != NULL)
        status = status_of_numbers(
            geo_compound_create(allocator, members, placements, count, shape, NULL));
    if (status != CAIRN_OK && members != NULL)
        for (int i = 0; i < count; i++)
            geo_shape_destroy(members[i]);
    // those of the record to the bit: the maker normalises its quaternions
    if (status == CAIRN_OK && shape != NULL)
        memcpy((*shape)->compound.placements, placements, (size_t)count * sizeof *placements);
    base_release(allocator, members);
    base_release(allocator, placements);
    return status;
}

cairn_status eng_shape_read(eng_parts *parts, geo_kind kind, const base_allocator *allocator,
                            geo_shape **shape, const int (**members)[2])
{
    if (kind == GEO_POLYHEDRON)
        return read_polyhedron(parts, allocator, shape);
    return kind == GEO_MESH ? read_mesh(parts, allocator, shape)
                            : read_compound(parts, allocator, shape, members);
}

// ---------------------------------------------------------------- joints

#define COUNT(...) +1
enum {
    JOINT_INTEGERS = 6,
    JOINT_RANGE = 25, // where the range stands
    JOINT_REALS = JOINT_RANGE + 2 CAIRN_JOINT_SETTINGS(COUNT)
};
#undef COUNT

/// The numbers of a joint that are set at creation.
static const struct {
    size_t offset;
    int count;
} joint_numbers[] = {{offsetof(eng_joint, point), 6},
                     {offsetof(eng_joint, axes), 18},
                     {offsetof(eng_joint, length), 1},
                     {offsetof(eng_joint, range), 2},
#define SETTING(member, ...) {offsetof(eng_joint, member), 1},
                     CAIRN_JOINT_SETTINGS(SETTING)
#undef SETTING
};

void eng_joint_write(const eng_joint *joint, eng_parts *parts)
{
    const int integers[JOINT_INTEGERS] = {(int)joint->kind,      joint->body[0],
                                          joint->body[1],        joint->apart,
                                          (int)joint->motor_law, joint->motor_function != NULL};
    put_integers(parts, integers, JOINT_INTEGERS);
    for (int i = 0; i < BASE_COUNT(joint_numbers); i++)
        put_reals(parts,
                  (const double *)(const void *)((const char *)joint + joint_numbers[i].offset),
                  joint_numbers[i].count);
}

bool eng_joint_read(eng_parts *parts, eng_joint *joint)
{
    const int *n = take_integers(parts, JOINT_INTEGERS);
    const double *r = take_reals(parts, JOINT_REALS);
    *joint = (eng_joint){.body = {-1, -1}};
    if (n == NULL || r == NULL)
        return false;
    parts->failed = n[0] < 0 || n[0] >= CAIRN_JOINT_KIND_COUNT ||
                    (n[4] != CAIRN_MOTOR_POSITION && n[4] != CAIRN_MOTOR_VELOCITY);
    for (int i = 0; i < JOINT_REALS; i++)
        // ends of a range and limits may be infinite
        parts->failed = parts->failed || isnan(r[i]) || (i < JOINT_RANGE && isinf(r[i]));
    *joint = (eng_joint){.kind = (cairn_joint_kind)n[0],
                         .body = {n[1], n[2]},
                         .apart = n[3] != 0,
                         .motor_law = (cairn_motor_law)n[4]};
    for (int i = 0; i < BASE_COUNT(joint_numbers); i++) {
        memcpy((char *)joint + joint_numbers[i].offset, r,
               (size_t)joint_numbers[i].count * sizeof *r);
        r += joint_numbers[i].count;
    }
    return n[5] != 0;
}

// ---------------------------------------------------------------- connectors

/// Numbers and choices as they are, a boolean as 0 or 1.
static double setting_value(const base_setting *setting, const void *parameters)
{
    const char *field = (const char *)parameters + setting->offset;
    if (setting->type == BASE_SETTING_REAL)
        return *(const double *)(const void *)field;
    return setting->type == BASE_SETTING_BOOLEAN ? (double)*(const bool *)(const void *)field
                                                 : (double)*(const int *)(const void *)field;
}

void eng_connector_write(const eng_connector *connector, eng_parts *parts)
{
    const base_settings_table *table = &connector->surface.law->table;
    const int integers[4] = {connector->body[0], connector->body[1], connector->contacts,
                             table->count};
    put_integers(parts, integers, 4);
    put_reals(parts, &connector->marker[0].x, 6);
    put_reals(parts, connector->radius, 2);
    for (int i = 0; i < table->count; i++) {
        double value = setting_value(&table->settings[i], connector->surface.parameters);
        put_reals(parts, &value, 1);
    }
}

eng_connector_part eng_connector_read(eng_parts *parts)
{
    const int *n = take_integers(parts, 4);
    if (n == NULL)
        return (eng_connector_part){0};
    eng_connector_part part = {.body = {n[0], n[1]}, .contacts = n[2], .setting_count = n[3]};
    part.marker = take_reals(parts, 6);
    part.radius = take_reals(parts, 2);
    part.settings = take_reals(parts, part.setting_count);
    for (int i = 0; i < 6 && !parts->failed; i++)
        parts->failed = !isfinite(part.marker[i]);
    for (int i = 0; i < 2 && !parts->failed; i++)
        parts->failed = !isfinite(part.radius[i]) || part.radius[i] == 0.0;
    return part;
}

bool eng_connector_settle(const eng_connector_part *part, const con_law *law,
                          eng_connector *connector)
{
    *connector = (eng_connector){.body = {part->body[0], part->body[1]},
                                 .radius = {part->radius[0], part->radius[1]},
                                 .contacts = part->contacts != 0};
    memcpy(connector->marker, part->marker, sizeof connector->marker);
    eng_surface_init(&connector->surface, law);
    if (part->setting_count != law->table.count)
        return false;
    for (int i = 0; i < law->table.count; i++) {
        const base_setting *setting = &law->table.settings[i];
        double x = part->settings[i];
        bool choice = setting->type == BASE_SETTING_CHOICE;
        if (choice && !(x >= 0.0 && x <= setting->maximum && x == floor(x)))
            return false;
        base_value value = {.type = choice ? BASE_VALUE_TEXT : BASE_VALUE_NUMBER, .number = x};
        value.text = choice ? setting->choices[(int)x] : NULL;
        if (setting->type == BASE_SETTING_BOOLEAN)
            value = (base_value){.type = BASE_VALUE_BOOLEAN, .boolean = x != 0.0};
        if (base_settings_set(&law->table, connector->surface.parameters, setting->name, value,
                              NULL) != CAIRN_OK)
            return false;
    }
    return true;
}

// ---------------------------------------------------------------- pairs that do not touch

void eng_exclusions_write(const cairn_world *world, eng_parts *parts)
{
    put_integers(parts, &world->model.bodies.excluded_count, 1);
    for (int i = 0; i < world->model.bodies.excluded_count; i++) {
        const int pair[2] = {(int)(world->model.bodies.excluded[i] >> 32),
                             (int)(world->model.bodies.excluded[i] & UINT32_MAX)};
        put_integers(parts, pair, 2);
    }
}

const int (*eng_exclusions_read(eng_parts *parts, int *count))[2]
{
    const int *given = take_integers(parts, 1);
    *count = given != NULL ? *given : 0;
    const int *pairs = take_integers(parts, 2 * (int64_t)*count);
    if (pairs == NULL)
        *count = 0;
    return (const int(*)[2])(const void *)pairs;
}
