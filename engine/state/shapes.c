// SPDX-License-Identifier: Apache-2.0
// Shapes of a world: made from definitions, shown to viewers and writers.
#include "engine/state/shapes.h"
#include "engine/state/ids.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/assert.h"
#include "geometry/mesh/mesh_file.h"
#include "geometry/seams/weld.h"
#include "geometry/shape/rounded.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHAPE_COOKIE UINT32_C(0x0ca12002)

cairn_shape_def cairn_default_shape_def(cairn_shape_kind kind)
{
    return (cairn_shape_def){.kind = kind, .scale = 1.0, .weld = -1.0, .cookie = SHAPE_COOKIE};
}

/// Where the sizes of plain kinds stand in definitions and views.
static const struct {
    cairn_shape_size size;
    int count;
    size_t in_def, in_view;
} size_places[] = {
    {CAIRN_SHAPE_RADIUS, 1, offsetof(cairn_shape_def, radius), offsetof(cairn_shape_view, radius)},
    {CAIRN_SHAPE_HALF_LENGTH, 1, offsetof(cairn_shape_def, half_length),
     offsetof(cairn_shape_view, half_length)},
    {CAIRN_SHAPE_HALF_SIZE, 3, offsetof(cairn_shape_def, half_size),
     offsetof(cairn_shape_view, half_size)},
    {CAIRN_SHAPE_ROUNDING, 1, offsetof(cairn_shape_def, rounding),
     offsetof(cairn_shape_view, rounding)},
};

int cairn_shape_kind_sizes(cairn_shape_kind kind)
{
    static const int sizes[CAIRN_SHAPE_KIND_COUNT] = {
#define SIZES(constant, name, call, sizes, help) [CAIRN_##constant] = (sizes),
        CAIRN_SHAPE_LIST(SIZES)
#undef SIZES
    };
    return (unsigned)kind < CAIRN_SHAPE_KIND_COUNT ? sizes[kind] : 0;
}

/// The sizes of a plain kind in the order in which the geometry room takes them.
static void take_sizes(const cairn_shape_def *def, double sizes[GEO_SIZES_MAX])
{
    int count = 0;
    for (int i = 0; i < BASE_COUNT(size_places); i++)
        if (cairn_shape_kind_sizes(def->kind) & (int)size_places[i].size) {
            memcpy(sizes + count, (const char *)def + size_places[i].in_def,
                   (size_t)size_places[i].count * sizeof *sizes);
            count += size_places[i].count;
        }
}

/// A hull of points, swept by a ball if its rounding is above 0.
static cairn_status create_polyhedron(const base_allocator *allocator, const vec3 *points,
                                      int point_count, double rounding, geo_shape **shape,
                                      cairn_error *error)
{
    BASE_TRY(geo_polyhedron_create(allocator, points, point_count, shape, error));
    cairn_status status = geo_polyhedron_round(*shape, rounding, error);
    if (status != CAIRN_OK) {
        geo_shape_destroy(*shape);
        *shape = NULL;
    }
    return status;
}

/// A mesh whose seams are welded, and which is filled where the definition says so.
static cairn_status create_mesh(const cairn_world *world, const cairn_shape_def *def,
                                const vec3 *vertices, int vertex_count, const int (*triangles)[3],
                                int triangle_count, geo_shape **shape, cairn_error *error)
{
    const base_allocator *allocator = &world->model.allocator;
    if (!(def->weld < INFINITY))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the weld length of a mesh (%g m) must be finite; below 0: 1e-6 of its "
                         "size",
                         def->weld);
    size_t count = triangle_count > 0 ? (size_t)triangle_count : 1;
    geo_mesh_data data = {.vertices = (vec3 *)(uintptr_t)vertices,
                          .vertex_count = vertex_count,
                          .triangles = base_allocate(allocator, count, sizeof *data.triangles),
                          .triangle_count = triangle_count};
    if (data.triangles == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a mesh");
    if (triangle_count > 0)
        memcpy(data.triangles, triangles, count * sizeof *triangles);
    cairn_status status = geo_mesh_weld(allocator, def->weld, &data);
    // what cannot be welded is no mesh, and is refused with its reason
    status = status == CAIRN_ERROR_MEMORY ? base_fail(error, status, "out of memory for a mesh")
                                          : geo_mesh_create(allocator, vertices, vertex_count,
                                                            (const int(*)[3])data.triangles,
                                                            data.triangle_count, shape, error);
    base_release(allocator, data.triangles);
    if (status != CAIRN_OK || !def->solid)
        return status;
    status = geo_mesh_fill(*shape, error);
    if (status != CAIRN_OK) {
        geo_shape_destroy(*shape);
        *shape = NULL;
    }
    return status;
}

static cairn_status create_from_points(const cairn_world *world, const cairn_shape_def *def,
                                       geo_shape **shape, cairn_error *error)
{
    // vec3 is three doubles, as the rows of the definition are
    const vec3 *points = (const vec3 *)(const void *)def->points;
    if (def->kind == CAIRN_POLYHEDRON)
        return create_polyhedron(&world->model.allocator, points, def->point_count, def->rounding,
                                 shape, error);
    return create_mesh(world, def, points, def->point_count, def->triangles, def->triangle_count,
                       shape, error);
}

static cairn_status create_from_file(const cairn_world *world, const cairn_shape_def *def,
                                     geo_shape **shape, cairn_error *error)
{
    geo_mesh_data data = {0};
    cairn_status status =
        geo_mesh_file_read(&world->model.allocator, def->file, def->scale, &data, error);
    if (status != CAIRN_OK)
        return status;
    if (def->kind == CAIRN_POLYHEDRON)
        status = create_polyhedron(&world->model.allocator, data.vertices, data.vertex_count,
                                   def->rounding, shape, error);
    else
        status = create_mesh(world, def, data.vertices, data.vertex_count,
                             (const int(*)[3])data.triangles, data.triangle_count, shape, error);
    if (status == CAIRN_OK && def->kind == CAIRN_MESH && data.left_out > 0)
        base_log(&world->model.logger, BASE_LOG_WARNING,
                 "%s: %d triangles have no area and are left out, the first one %s %d", def->file,
                 data.left_out, data.binary ? "is triangle" : "in line", data.first_left_out);
    geo_mesh_data_release(&world->model.allocator, &data);
    if (status == CAIRN_OK || error == NULL)
        return status;
    // which of a scene's files it was
    char reason[CAIRN_MESSAGE_SIZE];
    snprintf(reason, sizeof reason, "%s", error->message);
    return base_fail(error, status, "%.200s: %.300s", def->file, reason);
}

static cairn_status copy_convex(const cairn_world *world, const geo_shape *shape, geo_shape **copy,
                                cairn_error *error)
{
    const base_allocator *allocator = &world->model.allocator;
    if (!geo_kind_is_convex(shape->kind))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a compound cannot hold a %s",
                         cairn_shape_kind_call((cairn_shape_kind)shape->kind));
    if (shape->kind == GEO_POLYHEDRON)
        return create_polyhedron(allocator, shape->polyhedron.vertices,
                                 shape->polyhedron.vertex_count, shape->polyhedron.rounding, copy,
                                 error);
    return geo_plain_create(allocator, shape->kind, geo_plain_sizes(shape), copy, error);
}

/// Copies of the members, which the compound then owns.
static cairn_status create_compound(const cairn_world *world, const cairn_shape_def *def,
                                    geo_shape **shape, cairn_error *error)
{
    size_t count = def->member_count > 0 ? (size_t)def->member_count : 0;
    geo_shape **members = base_allocate(&world->model.allocator, count, sizeof *members);
    pose *placements = base_allocate(&world->model.allocator, count, sizeof *placements);
    cairn_status status = members != NULL && placements != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    size_t made = 0;
    for (; made < count && status == CAIRN_OK; made++) {
        status = eng_shape_check(world, def->members[made]);
        if (status != CAIRN_OK) {
            base_fail(error, status, "member %zu of a compound is no shape of this world",
                      made + 1);
            break;
        }
        status = copy_convex(world, world->model.shapes.rows[def->members[made].index],
                             &members[made], error);
        const double *o = def->member_orientations[made];
        placements[made] = (pose){vec3_from(def->member_positions[made]),
                                  quat_normalize((quat){o[0], o[1], o[2], o[3]})};
    }
    if (status == CAIRN_OK)
        status = geo_compound_create(&world->model.allocator, members, placements, (int)count,
                                     shape, error);
    if (status != CAIRN_OK && members != NULL)
        for (size_t i = 0; i < made; i++)
            geo_shape_destroy(members[i]);
    base_release(&world->model.allocator, members);
    base_release(&world->model.allocator, placements);
    return status;
}

/// Balls lie side by side: a block for each would cost more than they do.
static cairn_status create_sphere(eng_world_model *model, double radius, geo_shape **shape,
                                  cairn_error *error)
{
    *shape = model->shapes.ball_free;
    if (*shape != NULL) {
        geo_shape *next = *(geo_shape **)(void *)*shape;
        cairn_status reused = geo_sphere_init(*shape, radius, error);
        if (reused == CAIRN_OK)
            model->shapes.ball_free = next;
        else
            *(geo_shape **)(void *)*shape = next;
        return reused;
    }
    int slab = model->shapes.sphere_count / ENG_SPHERE_POOL_BLOCK;
    cairn_status status = base_array_reserve(&model->allocator, &model->shapes.sphere_pool,
                                             &model->shapes.sphere_pool_capacity, slab + 1);
    if (status == CAIRN_OK && slab == model->shapes.sphere_pool_count) {
        model->shapes.sphere_pool[slab] =
            base_allocate(&model->allocator, ENG_SPHERE_POOL_BLOCK, GEO_SPHERE_BYTES);
        if (model->shapes.sphere_pool[slab] == NULL)
            status = CAIRN_ERROR_MEMORY;
        else
            model->shapes.sphere_pool_count++;
    }
    if (status != CAIRN_OK)
        return base_fail(error, status, "out of memory while making a shape");
    char *place = (char *)model->shapes.sphere_pool[slab] +
                  (size_t)(model->shapes.sphere_count % ENG_SPHERE_POOL_BLOCK) * GEO_SPHERE_BYTES;
    *shape = (geo_shape *)(void *)place;
    status = geo_sphere_init(*shape, radius, error);
    model->shapes.sphere_count += status == CAIRN_OK;
    return status;
}

static cairn_status create_plain(cairn_world *world, geo_kind kind, const double *sizes,
                                 geo_shape **shape, cairn_error *error)
{
    if (kind == GEO_SPHERE)
        return create_sphere(&world->model, sizes[0], shape, error);
    return geo_plain_create(&world->model.allocator, kind, sizes, shape, error);
}

static cairn_status create_geometry(cairn_world *world, const cairn_shape_def *def,
                                    geo_shape **shape, cairn_error *error)
{
    if ((unsigned)def->kind >= CAIRN_SHAPE_KIND_COUNT)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "shape kind %d does not exist",
                         (int)def->kind);
    if (def->kind == CAIRN_COMPOUND)
        return create_compound(world, def, shape, error);
    if (def->kind == CAIRN_POLYHEDRON || def->kind == CAIRN_MESH)
        return def->file != NULL ? create_from_file(world, def, shape, error)
                                 : create_from_points(world, def, shape, error);
    double sizes[GEO_SIZES_MAX];
    take_sizes(def, sizes);
    return create_plain(world, (geo_kind)def->kind, sizes, shape, error);
}

/// Ids of the members of the compound that is about to be listed, for views.
static cairn_status keep_members(eng_world_model *model, int shape, const cairn_shape_id *members,
                                 int member_count)
{
    if (member_count == 0)
        return CAIRN_OK;
    cairn_status status =
        base_array_reserve(&model->allocator, &model->shapes.members,
                           &model->shapes.member_capacity, model->shapes.member_count + 1);
    size_t count = (size_t)member_count;
    cairn_shape_id *ids =
        status == CAIRN_OK ? base_allocate(&model->allocator, count, sizeof *ids) : NULL;
    if (ids == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(ids, members, count * sizeof *ids);
    // in order of the shapes, as they are looked up
    int at = model->shapes.member_count++;
    for (; at > 0 && model->shapes.members[at - 1].shape > shape; at--)
        model->shapes.members[at] = model->shapes.members[at - 1];
    model->shapes.members[at] = (eng_members){shape, ids};
    return CAIRN_OK;
}

static int compare_members(const void *shape, const void *members)
{
    return *(const int *)shape - ((const eng_members *)members)->shape;
}

static eng_members *members_of(const cairn_world *world, int shape)
{
    return bsearch(&shape, world->model.shapes.members, (size_t)world->model.shapes.member_count,
                   sizeof *world->model.shapes.members, compare_members);
}

/// Gives back a shape that is in no list.
static void release_shape(eng_world_model *model, geo_shape *shape)
{
    if (shape->kind != GEO_SPHERE) {
        geo_shape_destroy(shape);
        return;
    }
    *(geo_shape **)(void *)shape = model->shapes.ball_free;
    model->shapes.ball_free = shape;
}

cairn_status eng_shapes_reserve(eng_world_model *model, int slots)
{
    const base_allocator *allocator = &model->allocator;
    cairn_status status =
        base_array_reserve(allocator, &model->shapes.rows, &model->shapes.capacity, slots);
    if (status == CAIRN_OK)
        status = eng_slots_reserve(&model->ids.shape, allocator, slots);
    for (; status == CAIRN_OK && model->shapes.count < slots; model->shapes.count++) {
        model->shapes.rows[model->shapes.count] = NULL;
    }
    return status;
}

cairn_status eng_shape_make_plain(cairn_world *world, int slot, geo_kind kind, const double *sizes)
{
    return create_plain(world, kind, sizes, &world->model.shapes.rows[slot], NULL);
}

cairn_status eng_shape_adopt(cairn_world *world, int slot, geo_shape *shape,
                             const cairn_shape_id *members)
{
    int count = shape->kind == GEO_COMPOUND ? shape->compound.member_count : 0;
    cairn_status status = keep_members(&world->model, slot, members, count);
    if (status == CAIRN_OK)
        world->model.shapes.rows[slot] = shape;
    return status;
}

const cairn_shape_id *eng_shape_members(const cairn_world *world, int slot)
{
    return members_of(world, slot)->ids;
}

cairn_status cairn_shape_create(cairn_world *world, const cairn_shape_def *def,
                                cairn_shape_id *shape, cairn_error *error)
{
    if (world == NULL || def == NULL || shape == NULL)
        return base_fail_null(error, __func__);
    *shape = (cairn_shape_id){0};
    if (def->cookie != SHAPE_COOKIE)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the shape definition does not come from cairn_default_shape_def()");
    geo_shape *made = NULL;
    BASE_TRY(create_geometry(world, def, &made, error));
    int index = eng_slots_next(&world->model.ids.shape);
    cairn_status status = eng_shapes_reserve(&world->model, index + 1);
    if (status == CAIRN_OK)
        status = keep_members(&world->model, index, def->members,
                              def->kind == CAIRN_COMPOUND ? def->member_count : 0);
    if (status != CAIRN_OK) {
        release_shape(&world->model, made);
        return base_fail(error, status, "out of memory for a shape");
    }
    world->model.shapes.rows[index] = made;
    eng_slots_take(&world->model.ids.shape);
    eng_population_changes(world);
    *shape = eng_shape_id(world, index);
    return CAIRN_OK;
}

void eng_shape_drop(cairn_world *world, int index)
{
    if (world->model.shapes.rows[index]->kind == GEO_COMPOUND) {
        eng_members *members = members_of(world, index);
        base_release(&world->model.allocator, members->ids);
        memmove(
            members, members + 1,
            (size_t)(world->model.shapes.members + world->model.shapes.member_count - members - 1) *
                sizeof *members);
        world->model.shapes.member_count--;
    }
    release_shape(&world->model, world->model.shapes.rows[index]);
    world->model.shapes.rows[index] = NULL;
    eng_slots_drop(&world->model.ids.shape, index);
    eng_slots_recycle(&world->model.ids.shape);
}

cairn_status cairn_shape_remove(cairn_world *world, cairn_shape_id id, cairn_error *error)
{
    if (world == NULL)
        return base_fail_null(error, __func__);
    cairn_status status = eng_shape_check(world, id);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "shape");
    int index = (int)id.index;
    if (world->model.shapes.rows[index]->uses > 0)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "the shape is that of %d bodies: a shape can go when no body has it",
                         world->model.shapes.rows[index]->uses);
    if (eng_slots_prepare(&world->model.ids.shape, &world->model.allocator, index) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory to remove a shape");
    eng_shape_drop(world, index);
    eng_population_changes(world);
    return CAIRN_OK;
}

int cairn_shape_count(const cairn_world *world)
{
    if (world == NULL)
        return 0;
    return world->model.ids.shape.live_count;
}

cairn_shape_id cairn_shape_at(const cairn_world *world, int index)
{
    if (world == NULL)
        return (cairn_shape_id){0};
    return eng_shape_id(world, eng_slots_at(&world->model.ids.shape, index));
}

const char *cairn_shape_kind_name(cairn_shape_kind kind)
{
    return (unsigned)kind < CAIRN_SHAPE_KIND_COUNT ? geo_kind_name((geo_kind)kind) : "";
}

const char *cairn_shape_kind_call(cairn_shape_kind kind)
{
    static const char *const calls[] = {
#define CALL(constant, name, call, ...) #call,
        CAIRN_SHAPE_LIST(CALL)
#undef CALL
    };
    return (unsigned)kind < CAIRN_SHAPE_KIND_COUNT ? calls[kind] : "";
}

static void view_sizes(const geo_shape *shape, cairn_shape_view *view)
{
    const double *sizes = geo_plain_sizes(shape);
    for (int i = 0; i < BASE_COUNT(size_places); i++)
        if (cairn_shape_kind_sizes(view->kind) & (int)size_places[i].size) {
            memcpy((char *)view + size_places[i].in_view, sizes,
                   (size_t)size_places[i].count * sizeof *sizes);
            sizes += size_places[i].count;
        }
}

cairn_status cairn_shape_get(const cairn_world *world, cairn_shape_id id, cairn_shape_view *view)
{
    if (world == NULL || view == NULL)
        return CAIRN_ERROR_ARGUMENT;
    BASE_TRY(eng_shape_check(world, id));
    const geo_shape *shape = world->model.shapes.rows[id.index];
    *view = (cairn_shape_view){.kind = (cairn_shape_kind)shape->kind,
                               .volume = geo_shape_mass(shape).volume,
                               .smallest_size = shape->smallest_size};
    view_sizes(shape, view);
    if (shape->kind == GEO_POLYHEDRON) {
        view->rounding = shape->polyhedron.rounding;
        view->vertex_count = shape->polyhedron.vertex_count;
        view->vertices = (const double(*)[3])(const void *)shape->polyhedron.vertices;
        view->face_count = shape->polyhedron.face_count;
        view->face_start = shape->polyhedron.face_start;
        view->face_vertices = shape->polyhedron.face_vertices;
    }
    if (shape->kind == GEO_MESH) {
        view->vertex_count = shape->mesh.vertex_count;
        view->vertices = (const double(*)[3])(const void *)shape->mesh.vertices;
        view->face_count = shape->mesh.triangle_count;
        view->face_vertices = (const int *)(const void *)shape->mesh.triangles;
        view->solid = shape->mesh.solid;
    }
    if (shape->kind == GEO_COMPOUND) {
        view->member_count = shape->compound.member_count;
        view->members = members_of(world, (int)id.index)->ids;
        view->member_placements = (const cairn_placement *)(const void *)shape->compound.placements;
    }
    return CAIRN_OK;
}

/// Farthest point of a shape that is not a half-space, in its own frame.
static vec3 farthest_point(const geo_shape *shape, vec3 direction)
{
    if (geo_kind_is_convex(shape->kind))
        return geo_shape_support(shape, direction);
    bool mesh = shape->kind == GEO_MESH;
    int count = mesh ? shape->mesh.vertex_count : shape->compound.member_count;
    vec3 best = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++) {
        vec3 point;
        if (mesh) {
            point = shape->mesh.vertices[i];
        } else {
            const pose *place = &shape->compound.placements[i];
            quat back = quat_conjugate(place->orientation);
            point = pose_apply(
                place, geo_shape_support(shape->compound.members[i], quat_rotate(back, direction)));
        }
        if (i == 0 || vec3_dot(point, direction) > vec3_dot(best, direction))
            best = point;
    }
    return best;
}

static cairn_status fill_surface(const geo_rounded_surface *from, cairn_surface *surface)
{
    if (surface->points != NULL && (surface->point_count != from->point_count ||
                                    surface->triangle_count != from->triangle_count))
        return CAIRN_ERROR_ARGUMENT;
    surface->point_count = from->point_count;
    surface->triangle_count = from->triangle_count;
    if (surface->points == NULL)
        return CAIRN_OK;
    if (surface->normals == NULL || surface->triangles == NULL)
        return CAIRN_ERROR_ARGUMENT;
    for (int i = 0; i < from->point_count; i++) {
        vec3_store(surface->points[i], from->points[i]);
        vec3_store(surface->normals[i], from->normals[i]);
    }
    memcpy(surface->triangles, from->triangles,
           (size_t)from->triangle_count * sizeof *surface->triangles);
    return CAIRN_OK;
}

cairn_status cairn_shape_get_surface(const cairn_world *world, cairn_shape_id id,
                                     cairn_surface *surface)
{
    if (world == NULL || surface == NULL)
        return CAIRN_ERROR_ARGUMENT;
    BASE_TRY(eng_shape_check(world, id));
    const geo_shape *shape = world->model.shapes.rows[id.index];
    if (!(geo_shape_rounding(shape) > 0.0))
        return CAIRN_ERROR_UNSUPPORTED;
    geo_rounded_surface made;
    cairn_status status = geo_rounded_surface_make(&world->model.allocator, shape, &made);
    if (status == CAIRN_OK)
        status = fill_surface(&made, surface);
    geo_rounded_surface_release(&world->model.allocator, &made);
    return status;
}

cairn_status cairn_shape_get_support(const cairn_world *world, cairn_shape_id id,
                                     const double direction[3], double point[3])
{
    if (world == NULL || direction == NULL || point == NULL)
        return CAIRN_ERROR_ARGUMENT;
    point[0] = point[1] = point[2] = 0.0;
    BASE_TRY(eng_shape_check(world, id));
    vec3 along = vec3_from(direction);
    if (!vec3_is_finite(along) || !(vec3_norm(vec3_abs(along)) > 0.0))
        return CAIRN_ERROR_ARGUMENT;
    const geo_shape *shape = world->model.shapes.rows[id.index];
    if (shape->kind == GEO_HALFSPACE)
        return CAIRN_ERROR_UNSUPPORTED;
    vec3_store(point, farthest_point(shape, along));
    return CAIRN_OK;
}
