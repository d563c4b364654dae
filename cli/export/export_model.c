// SPDX-License-Identifier: Apache-2.0
// Bodies of a run as meshes that shapes share, each placed and scaled.
#include "cli/export/export.h"

#include "base/assert.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- meshes

void export_mesh_release(const base_allocator *allocator, export_mesh *mesh)
{
    base_release(allocator, mesh->points);
    base_release(allocator, mesh->normals);
    base_release(allocator, mesh->triangles);
    *mesh = (export_mesh){.surface = mesh->surface};
}

static cairn_status make_room(const base_allocator *allocator, export_mesh *mesh, bool smooth)
{
    mesh->points = base_allocate(allocator, (size_t)mesh->point_count + 1, sizeof *mesh->points);
    mesh->triangles =
        base_allocate(allocator, (size_t)mesh->triangle_count + 1, sizeof *mesh->triangles);
    if (smooth)
        mesh->normals =
            base_allocate(allocator, (size_t)mesh->point_count + 1, sizeof *mesh->normals);
    bool good =
        mesh->points != NULL && mesh->triangles != NULL && (!smooth || mesh->normals != NULL);
    return good ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static uint64_t hash_of(const export_mesh *mesh)
{
    uint64_t hash = base_hash_bytes(BASE_HASH_START, mesh->points,
                                    (size_t)mesh->point_count * sizeof *mesh->points);
    return base_hash_bytes(hash, mesh->triangles,
                           (size_t)mesh->triangle_count * sizeof *mesh->triangles);
}

static bool are_same(const export_mesh *a, const export_mesh *b)
{
    return a->hash == b->hash && a->point_count == b->point_count &&
           a->triangle_count == b->triangle_count && (a->normals != NULL) == (b->normals != NULL) &&
           memcmp(a->points, b->points, (size_t)a->point_count * sizeof *a->points) == 0 &&
           memcmp(a->triangles, b->triangles, (size_t)a->triangle_count * sizeof *a->triangles) ==
               0;
}

/// Takes a mesh over; one that the model has already is shared.
static cairn_status settle_mesh(export_model *model, export_mesh *mesh, int *index)
{
    mesh->hash = hash_of(mesh);
    for (*index = EXPORT_MESH; *index < model->mesh_count; ++*index)
        if (are_same(&model->meshes[*index], mesh)) {
            export_mesh_release(&model->allocator, mesh);
            return CAIRN_OK;
        }
    if (base_array_reserve(&model->allocator, &model->meshes, &model->mesh_capacity,
                           model->mesh_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    model->meshes[model->mesh_count++] = *mesh;
    return CAIRN_OK;
}

static void set_point(float out[3], const double point[3])
{
    for (int axis = 0; axis < 3; axis++)
        out[axis] = (float)point[axis];
}

/// Faces of a polyhedron or mesh as fans of triangles.
static cairn_status make_faces(const base_allocator *allocator, const cairn_shape_view *view,
                               export_mesh *mesh)
{
    mesh->point_count = view->vertex_count;
    mesh->triangle_count = view->face_start != NULL
                               ? view->face_start[view->face_count] - 2 * view->face_count
                               : view->face_count;
    if (make_room(allocator, mesh, false) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < view->vertex_count; i++)
        set_point(mesh->points[i], view->vertices[i]);
    int count = 0;
    for (int face = 0; face < view->face_count; face++) {
        int from = view->face_start != NULL ? view->face_start[face] : 3 * face;
        int to = view->face_start != NULL ? view->face_start[face + 1] : 3 * face + 3;
        for (int i = from + 1; i + 1 < to; i++, count++) {
            mesh->triangles[count][0] = (uint32_t)view->face_vertices[from];
            mesh->triangles[count][1] = (uint32_t)view->face_vertices[i];
            mesh->triangles[count][2] = (uint32_t)view->face_vertices[i + 1];
        }
    }
    return CAIRN_OK;
}

/// The surface of a rounded shape, with the normals of its points.
static cairn_status make_rounded(const base_allocator *allocator, const cairn_world *world,
                                 cairn_shape_id id, export_mesh *mesh)
{
    cairn_surface surface = {0};
    cairn_status status = cairn_shape_get_surface(world, id, &surface);
    size_t points = (size_t)surface.point_count, triangles = (size_t)surface.triangle_count;
    if (status != CAIRN_OK)
        return status;
    surface.points = base_allocate(allocator, points + 1, sizeof *surface.points);
    surface.normals = base_allocate(allocator, points + 1, sizeof *surface.normals);
    surface.triangles = base_allocate(allocator, triangles + 1, sizeof *surface.triangles);
    mesh->point_count = surface.point_count;
    mesh->triangle_count = surface.triangle_count;
    status = surface.points != NULL && surface.normals != NULL && surface.triangles != NULL
                 ? make_room(allocator, mesh, true)
                 : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        status = cairn_shape_get_surface(world, id, &surface);
    for (size_t i = 0; i < points && status == CAIRN_OK; i++) {
        set_point(mesh->points[i], surface.points[i]);
        set_point(mesh->normals[i], surface.normals[i]);
    }
    for (size_t i = 0; i < triangles && status == CAIRN_OK; i++)
        for (int k = 0; k < 3; k++)
            mesh->triangles[i][k] = (uint32_t)surface.triangles[i][k];
    base_release(allocator, surface.points);
    base_release(allocator, surface.normals);
    base_release(allocator, surface.triangles);
    return status;
}

// ---------------------------------------------------------------- shapes

static cairn_status put_part(export_model *model, int mesh, const pose *placement, double x,
                             double y, double z)
{
    if (base_array_reserve(&model->allocator, &model->parts, &model->part_capacity,
                           model->part_count + 1) != CAIRN_OK)
        return CAIRN_ERROR_MEMORY;
    model->parts[model->part_count++] = (export_part){mesh, *placement, {x, y, z}};
    return CAIRN_OK;
}

/// A mantle with half a ball at each end.
static cairn_status put_capsule(export_model *model, const cairn_shape_view *view,
                                const pose *placement)
{
    double r = view->radius, half = view->half_length;
    pose top = {vec3_make(0.0, 0.0, half), quat_identity()};
    pose bottom = {vec3_make(0.0, 0.0, -half), {0.0, 1.0, 0.0, 0.0}};
    top = pose_compose(placement, &top);
    bottom = pose_compose(placement, &bottom);
    BASE_TRY(put_part(model, EXPORT_TUBE, placement, r, r, half));
    BASE_TRY(put_part(model, EXPORT_DOME, &top, r, r, r));
    return put_part(model, EXPORT_DOME, &bottom, r, r, r);
}

static double farthest(const export_mesh *mesh)
{
    double most = 0.0;
    for (int i = 0; i < mesh->point_count; i++) {
        const float *p = mesh->points[i];
        most = fmax(most, (double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]);
    }
    return sqrt(most);
}

static cairn_status put_mesh(export_model *model, const cairn_world *world, cairn_shape_id id,
                             const cairn_shape_view *view, const pose *placement, double *reach)
{
    export_mesh mesh = {.surface = EXPORT_MESH};
    int index = 0;
    cairn_status status = view->rounding > 0.0 ? make_rounded(&model->allocator, world, id, &mesh)
                                               : make_faces(&model->allocator, view, &mesh);
    if (status == CAIRN_OK) {
        *reach = farthest(&mesh);
        status = settle_mesh(model, &mesh, &index);
    }
    if (status != CAIRN_OK) {
        export_mesh_release(&model->allocator, &mesh);
        return status;
    }
    return put_part(model, index, placement, 1.0, 1.0, 1.0);
}

/// @param reach  out, m: how far the shape goes from its own origin
static cairn_status put_simple(export_model *model, const cairn_world *world, cairn_shape_id id,
                               const cairn_shape_view *view, const pose *placement, double *reach)
{
    double r = view->radius, half = view->half_length;
    const double *size = view->half_size;
    if (view->rounding > 0.0)
        return put_mesh(model, world, id, view, placement, reach);
    switch (view->kind) {
    case CAIRN_SPHERE:
        *reach = r;
        return put_part(model, EXPORT_SPHERE, placement, r, r, r);
    case CAIRN_CAPSULE:
        *reach = r + half;
        return put_capsule(model, view, placement);
    case CAIRN_CYLINDER:
        *reach = hypot(r, half);
        return put_part(model, EXPORT_CYLINDER, placement, r, r, half);
    case CAIRN_BOX:
        *reach = sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
        return put_part(model, EXPORT_BOX, placement, size[0], size[1], size[2]);
    case CAIRN_HALFSPACE:
        *reach = 0.0;
        return put_part(model, EXPORT_PLANE, placement, 1.0, 1.0, 1.0);
    case CAIRN_POLYHEDRON:
    case CAIRN_MESH:
        return put_mesh(model, world, id, view, placement, reach);
    case CAIRN_COMPOUND:
    case CAIRN_SHAPE_KIND_COUNT:
        break;
    }
    return CAIRN_ERROR_UNSUPPORTED;
}

/// Members of a compound may be compounds.
static cairn_status put_parts(export_model *model, export_shape *shape, const cairn_world *world,
                              cairn_shape_id id, const pose *placement)
{
    cairn_shape_view view;
    cairn_status status = cairn_shape_get(world, id, &view);
    if (status != CAIRN_OK)
        return status;
    if (view.kind != CAIRN_COMPOUND) {
        double reach = 0.0;
        status = put_simple(model, world, id, &view, placement, &reach);
        shape->radius = fmax(shape->radius, vec3_norm(placement->position) + reach);
        return status;
    }
    for (int i = 0; i < view.member_count && status == CAIRN_OK; i++) {
        const double *q = view.member_placements[i].orientation;
        pose member = {vec3_from(view.member_placements[i].position), {q[0], q[1], q[2], q[3]}};
        pose whole = pose_compose(placement, &member);
        status = put_parts(model, shape, world, view.members[i], &whole);
    }
    return status;
}

static void settle_shape(export_model *model, export_shape *shape)
{
    const export_part *first = &model->parts[shape->first_part];
    shape->part_count = model->part_count - shape->first_part;
    shape->turns = shape->part_count != 1 || first->mesh != EXPORT_SPHERE ||
                   vec3_norm(first->placement.position) > 0.0;
    model->shapes[model->shape_count++] = *shape;
}

static cairn_status reserve_shape(export_model *model)
{
    return base_array_reserve(&model->allocator, &model->shapes, &model->shape_capacity,
                              model->shape_count + 1);
}

/// Shapes that the scene has, in the order of the world.
static cairn_status add_shapes(export_model *model, const cairn_world *world)
{
    pose here = pose_identity();
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < cairn_shape_count(world) && status == CAIRN_OK; i++) {
        export_shape shape = {.id = cairn_shape_at(world, i), .first_part = model->part_count};
        status = reserve_shape(model);
        if (status == CAIRN_OK)
            status = put_parts(model, &shape, world, shape.id, &here);
        if (status == CAIRN_OK)
            settle_shape(model, &shape);
    }
    return status;
}

/// The shape of a body that came later, from its sizes; what is neither round nor a box is shown as
/// the ball of its volume.
static cairn_status add_recorded_shape(export_model *model, const cairn_replay_body *body)
{
    cairn_shape_view view = {.kind = body->shape_kind,
                             .radius = body->shape_size[0],
                             .half_length = body->shape_size[1]};
    memcpy(view.half_size, body->shape_size, sizeof view.half_size);
    if (view.kind != CAIRN_CAPSULE && view.kind != CAIRN_CYLINDER && view.kind != CAIRN_BOX)
        view.kind = CAIRN_SPHERE;
    export_shape shape = {.first_part = model->part_count};
    pose here = pose_identity();
    cairn_status status = reserve_shape(model);
    if (status == CAIRN_OK)
        status = put_simple(model, NULL, (cairn_shape_id){0}, &view, &here, &shape.radius);
    if (status == CAIRN_OK)
        settle_shape(model, &shape);
    return status;
}

// ---------------------------------------------------------------- bodies

typedef struct shape_map {
    int *of; // [count] shape of an id's index; -1: none
    int count;
} shape_map;

static cairn_status make_map(const export_model *model, shape_map *map)
{
    for (int i = 0; i < model->shape_count; i++)
        if ((int)model->shapes[i].id.index >= map->count)
            map->count = (int)model->shapes[i].id.index + 1;
    map->of = base_allocate(&model->allocator, (size_t)map->count + 1, sizeof *map->of);
    if (map->of == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < map->count; i++)
        map->of[i] = -1;
    for (int i = 0; i < model->shape_count; i++)
        map->of[model->shapes[i].id.index] = i;
    return CAIRN_OK;
}

/// -1 where the scene does not have it.
static int find_shape(const export_model *model, const shape_map *map, uint32_t index,
                      uint32_t generation)
{
    int shape = index < (uint32_t)map->count ? map->of[index] : -1;
    return shape >= 0 && model->shapes[shape].id.generation == generation ? shape : -1;
}

static cairn_status add_body(export_model *model, const cairn_world *world, const shape_map *map,
                             cairn_body_id id)
{
    cairn_body_view view;
    BASE_TRY(cairn_body_get(world, id, &view));
    const double *q = view.orientation;
    pose placement = {vec3_from(view.position), {q[0], q[1], q[2], q[3]}};
    int shape = find_shape(model, map, view.shape.index, view.shape.generation);
    if (shape < 0)
        return CAIRN_ERROR_NOT_FOUND;
    model->bodies[model->body_count++] =
        (export_body){.shape = shape,
                      .material = (int)view.material.index,
                      .kind = view.kind,
                      .mass = view.mass,
                      .centre = pose_apply_inverse(&placement, vec3_from(view.centre)),
                      .name = view.name};
    return CAIRN_OK;
}

static cairn_status add_recorded_body(export_model *model, const view_subject *subject,
                                      const shape_map *map)
{
    cairn_replay_body from;
    cairn_status status = cairn_replay_get_body(subject->replay, model->body_count, &from);
    if (status != CAIRN_OK)
        return status;
    int shape = find_shape(model, map, from.shape[0], from.shape[1]);
    if (shape < 0) {
        shape = model->shape_count;
        status = add_recorded_shape(model, &from);
    }
    bool known = from.material < cairn_material_count(subject->scene->world);
    if (status == CAIRN_OK)
        model->bodies[model->body_count++] = (export_body){.shape = shape,
                                                           .material = known ? from.material : 0,
                                                           .kind = from.kind,
                                                           .mass = from.mass,
                                                           .name = ""};
    return status;
}

static cairn_status add_bodies(export_model *model, const view_subject *subject)
{
    const cairn_world *world = subject->scene->world;
    int made = cairn_body_count(world);
    int count = subject->replay != NULL ? cairn_replay_get_info(subject->replay)->bodies : made;
    shape_map map = {0};
    cairn_status status = base_array_reserve(&model->allocator, &model->bodies,
                                             &model->body_capacity, count > made ? count : made);
    if (status == CAIRN_OK)
        status = make_map(model, &map);
    for (int i = 0; i < made && status == CAIRN_OK; i++)
        status = add_body(model, world, &map, cairn_body_at(world, i));
    while (status == CAIRN_OK && model->body_count < count)
        status = add_recorded_body(model, subject, &map);
    base_release(&model->allocator, map.of);
    return status;
}

// ---------------------------------------------------------------- the whole

cairn_status export_model_build(export_model *model, const view_subject *subject,
                                cairn_error *error)
{
    *model = (export_model){.allocator = base_allocator_default()};
    cairn_status status =
        base_array_reserve(&model->allocator, &model->meshes, &model->mesh_capacity, EXPORT_MESH);
    for (int i = 0; i < EXPORT_MESH && status == CAIRN_OK; i++)
        model->meshes[model->mesh_count++] = (export_mesh){.surface = (export_surface)i};
    if (status == CAIRN_OK)
        status = add_shapes(model, subject->scene->world);
    if (status == CAIRN_OK)
        status = add_bodies(model, subject);
    if (status == CAIRN_OK)
        return status;
    return base_fail(error, status,
                     status == CAIRN_ERROR_MEMORY ? "out of memory"
                                                  : "a shape of the scene cannot be shown");
}

void export_model_finish(export_model *model)
{
    for (int i = 0; i < model->mesh_count; i++)
        export_mesh_release(&model->allocator, &model->meshes[i]);
    base_release(&model->allocator, model->meshes);
    base_release(&model->allocator, model->parts);
    base_release(&model->allocator, model->shapes);
    base_release(&model->allocator, model->bodies);
    *model = (export_model){0};
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double export_model_typical_radius(const export_model *model)
{
    double *radii = base_allocate(&model->allocator, (size_t)model->body_count + 1, sizeof *radii);
    double median = 1.0;
    int count = 0;
    for (int pass = 0; pass < 2 && count == 0 && radii != NULL; pass++)
        for (int i = 0; i < model->body_count; i++) {
            double radius = model->shapes[model->bodies[i].shape].radius;
            if (radius > 0.0 && (pass == 1 || model->bodies[i].kind == CAIRN_DYNAMIC))
                radii[count++] = radius;
        }
    if (count > 0) {
        qsort(radii, (size_t)count, sizeof *radii, compare_doubles);
        median = radii[count / 2];
    }
    base_release(&model->allocator, radii);
    return median;
}
