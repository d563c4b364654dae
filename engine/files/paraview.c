// SPDX-License-Identifier: Apache-2.0
// ParaView series: body centres with their state, body surfaces, contacts.
#include "engine/files/surface_mesh.h"
#include "engine/files/vtp.h"
#include "engine/state/world.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/// More spheres than this are left to glyphs on the body centres (array "radius").
enum { SPHERES_DRAWN = 5000, PATH_SIZE = 4096 };

static const char *const series[] = {"bodies", "surfaces", "contacts"};

struct cairn_paraview {
    base_allocator allocator;
    char folder[PATH_SIZE];
    int frame;
    double extent; // m, half width at which half-spaces are drawn; 0 before the first frame
};

static cairn_status make_writer(const char *folder, cairn_paraview_state state,
                                cairn_paraview **writer, cairn_error *error)
{
    base_allocator allocator = base_allocator_default();
    cairn_paraview *made = base_allocate(&allocator, 1, sizeof *made);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for the ParaView series");
    made->allocator = allocator;
    made->frame = state.frames;
    made->extent = state.extent;
    snprintf(made->folder, sizeof made->folder, "%s", folder);
    *writer = made;
    return CAIRN_OK;
}

cairn_status cairn_paraview_open(const char *folder, cairn_paraview **writer, cairn_error *error)
{
    if (folder == NULL || writer == NULL)
        return base_fail_null(error, __func__);
    *writer = NULL;
    if (strlen(folder) > PATH_SIZE - 64)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: the path is too long", folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be made: %s", folder,
                         strerror(errno));
    for (size_t i = 0; i < sizeof series / sizeof series[0]; i++) {
        char path[PATH_SIZE + 64];
        snprintf(path, sizeof path, "%s/%s.pvd", folder, series[i]);
        cairn_status status = eng_pvd_begin(path, error);
        if (status != CAIRN_OK)
            return status;
    }
    return make_writer(folder, (cairn_paraview_state){0}, writer, error);
}

/// Frames from `first` on, of a run that went farther than the restart.
static void remove_frames(const char *folder, const char *name, int first)
{
    char path[PATH_SIZE + 128];
    for (int frame = first; frame >= first; frame++) {
        snprintf(path, sizeof path, "%s/%s_%06d.vtp", folder, name, frame);
        if (remove(path) != 0)
            break;
    }
}

cairn_status cairn_paraview_resume(const char *folder, cairn_paraview_state state,
                                   cairn_paraview **writer, cairn_error *error)
{
    if (folder == NULL || writer == NULL)
        return base_fail_null(error, __func__);
    *writer = NULL;
    if (strlen(folder) > PATH_SIZE - 64)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: the path is too long", folder);
    for (size_t i = 0; i < sizeof series / sizeof series[0]; i++) {
        char path[PATH_SIZE + 64];
        snprintf(path, sizeof path, "%s/%s.pvd", folder, series[i]);
        cairn_status status = eng_pvd_cut(path, state.frames, error);
        if (status != CAIRN_OK)
            return status;
        remove_frames(folder, series[i], state.frames);
    }
    return make_writer(folder, state, writer, error);
}

cairn_paraview_state cairn_paraview_get_state(const cairn_paraview *writer)
{
    if (writer == NULL)
        return (cairn_paraview_state){0};
    return (cairn_paraview_state){.frames = writer->frame, .extent = writer->extent};
}

void cairn_paraview_close(cairn_paraview *writer)
{
    if (writer == NULL)
        return;
    base_allocator allocator = writer->allocator;
    base_release(&allocator, writer);
}

static cairn_status write_frame(const cairn_paraview *writer, int kind, const eng_vtp *data,
                                cairn_error *error)
{
    char name[64], path[PATH_SIZE + 128];
    snprintf(name, sizeof name, "%s_%06d.vtp", series[kind], writer->frame);
    snprintf(path, sizeof path, "%s/%s", writer->folder, name);
    cairn_status status = eng_vtp_write(path, data, error);
    if (status != CAIRN_OK)
        return status;
    snprintf(path, sizeof path, "%s/%s.pvd", writer->folder, series[kind]);
    return eng_pvd_add(path, data->time, name, error);
}

static void store_float(float out[3], vec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static cairn_status write_bodies(const cairn_paraview *writer, const cairn_world *world,
                                 base_arena *arena, cairn_error *error)
{
    size_t n = (size_t)cairn_body_count(world);
    float(*points)[3] = base_arena_allocate(arena, "points", n, sizeof *points);
    int32_t *id = base_arena_array(arena, int32_t, "id", n);
    int32_t *material = base_arena_array(arena, int32_t, "material", n);
    int32_t *kind = base_arena_array(arena, int32_t, "kind", n);
    double *mass = base_arena_array(arena, double, "mass", n);
    double *radius = base_arena_array(arena, double, "radius", n);
    double(*velocity)[3] = base_arena_allocate(arena, "velocity", n, sizeof *velocity);
    double(*spin)[3] = base_arena_allocate(arena, "angular velocity", n, sizeof *spin);
    double(*orientation)[4] = base_arena_allocate(arena, "orientation", n, sizeof *orientation);
    if (points == NULL || id == NULL || material == NULL || kind == NULL || mass == NULL ||
        radius == NULL || velocity == NULL || spin == NULL || orientation == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a ParaView frame");
    for (size_t i = 0; i < n; i++) {
        int row = eng_slots_at(&world->body_slots, (int)i);
        const eng_body *body = &world->bodies[row];
        const geo_shape *shape = world->shapes[body->shape];
        eng_state state = eng_state_of(world, row);
        store_float(points[i], state.q.position);
        id[i] = (int32_t)row;
        material[i] = body->material;
        kind[i] = (int32_t)body->kind;
        mass[i] = isfinite(body->mass) ? body->mass : 0.0;
        radius[i] = isfinite(shape->bounding_radius) ? shape->bounding_radius : 0.0;
        memcpy(velocity[i], state.v, sizeof velocity[i]);
        vec3_store(spin[i], quat_rotate(state.q.orientation, vec3_from(state.v + 3)));
        memcpy(orientation[i], &state.q.orientation, sizeof orientation[i]);
    }
    const eng_vtp_array arrays[] = {
        {"id", ENG_VTP_INT32, 1, id},
        {"material", ENG_VTP_INT32, 1, material},
        {"kind", ENG_VTP_INT32, 1, kind},
        {"mass [kg]", ENG_VTP_FLOAT64, 1, mass},
        {"radius [m]", ENG_VTP_FLOAT64, 1, radius},
        {"velocity [m/s]", ENG_VTP_FLOAT64, 3, velocity},
        {"angular_velocity [rad/s]", ENG_VTP_FLOAT64, 3, spin},
        {"orientation_wxyz", ENG_VTP_FLOAT64, 4, orientation},
    };
    eng_vtp data = {.time = world->time,
                    .point_count = n,
                    .points = (const float(*)[3])points,
                    .point_arrays = arrays,
                    .point_array_count = (int)(sizeof arrays / sizeof arrays[0])};
    return write_frame(writer, 0, &data, error);
}

/// Half width that covers all dynamic bodies about the origin, with room around.
static double scene_extent(const cairn_world *world)
{
    double extent = 1e-3;
    for (int i = 0; i < world->body_count; i++)
        if (eng_body_is_live(world, i) && isfinite(eng_reach_of(world, i)))
            extent =
                fmax(extent, vec3_norm(eng_state_of(world, i).q.position) + eng_reach_of(world, i));
    return 1.5 * extent;
}

/// Surfaces of all bodies in one net; bodies[k] tells whose polygon k is.
static cairn_status gather_surfaces(const cairn_world *world, double extent, eng_surface_mesh *mesh,
                                    int32_t **bodies, int *capacity,
                                    const base_allocator *allocator)
{
    int spheres = 0;
    for (int i = 0; i < world->body_count; i++)
        spheres +=
            eng_body_is_live(world, i) && world->shapes[world->bodies[i].shape]->kind == GEO_SPHERE;
    for (int i = 0; i < world->body_count; i++) {
        const eng_body *body = &world->bodies[i];
        if (!eng_body_is_live(world, i))
            continue;
        const geo_shape *shape = world->shapes[body->shape];
        if (shape->kind == GEO_SPHERE && spheres > SPHERES_DRAWN)
            continue;
        pose q = eng_state_of(world, i).q, frame = eng_frame_of(world, i);
        pose placement = pose_compose(&q, &frame);
        int first = mesh->polygon_count;
        cairn_status status = eng_surface_mesh_add(mesh, allocator, shape, &placement, extent);
        if (status == CAIRN_OK)
            status = base_array_reserve(allocator, bodies, capacity, mesh->polygon_count);
        if (status != CAIRN_OK)
            return status;
        for (int k = first; k < mesh->polygon_count; k++)
            (*bodies)[k] = i;
    }
    return CAIRN_OK;
}

static cairn_status write_surface_mesh(const cairn_paraview *writer, const cairn_world *world,
                                       const eng_surface_mesh *mesh, const int32_t *bodies,
                                       base_arena *arena, cairn_error *error)
{
    size_t points = (size_t)mesh->vertex_count, polygons = (size_t)mesh->polygon_count;
    size_t corners = (size_t)mesh->corner_count;
    float(*p)[3] = base_arena_allocate(arena, "points", points, sizeof *p);
    int64_t *ends = base_arena_array(arena, int64_t, "ends", polygons);
    int64_t *connectivity = base_arena_array(arena, int64_t, "corners", corners);
    int32_t *kind = base_arena_array(arena, int32_t, "kind", polygons);
    float *speed = base_arena_array(arena, float, "speed", polygons);
    if (p == NULL || ends == NULL || connectivity == NULL || kind == NULL || speed == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a ParaView frame");
    for (size_t i = 0; i < points; i++)
        store_float(p[i], mesh->vertices[i]);
    for (size_t i = 0; i < corners; i++)
        connectivity[i] = mesh->corners[i];
    for (size_t i = 0; i < polygons; i++) {
        ends[i] = mesh->ends[i];
        kind[i] = (int32_t)world->bodies[bodies[i]].kind;
        speed[i] = (float)vec3_norm(vec3_from(eng_state_of(world, bodies[i]).v));
    }
    const eng_vtp_array arrays[] = {
        {"body", ENG_VTP_INT32, 1, bodies},
        {"kind", ENG_VTP_INT32, 1, kind},
        {"speed [m/s]", ENG_VTP_FLOAT32, 1, speed},
    };
    eng_vtp data = {.time = world->time,
                    .point_count = points,
                    .points = (const float(*)[3])p,
                    .polygon_count = polygons,
                    .polygon_ends = ends,
                    .connectivity = connectivity,
                    .cell_arrays = arrays,
                    .cell_array_count = (int)(sizeof arrays / sizeof arrays[0])};
    return write_frame(writer, 1, &data, error);
}

static cairn_status write_surfaces(const cairn_paraview *writer, const cairn_world *world,
                                   base_arena *arena, cairn_error *error)
{
    eng_surface_mesh mesh = {0};
    int32_t *bodies = NULL;
    int capacity = 0;
    cairn_status status =
        gather_surfaces(world, writer->extent, &mesh, &bodies, &capacity, &writer->allocator);
    if (status == CAIRN_OK)
        status = write_surface_mesh(writer, world, &mesh, bodies, arena, error);
    else
        base_fail(error, status, "out of memory for a ParaView frame");
    base_release(&writer->allocator, bodies);
    eng_surface_mesh_release(&mesh, &writer->allocator);
    return status;
}

static cairn_status write_contacts(const cairn_paraview *writer, const cairn_world *world,
                                   base_arena *arena, cairn_error *error)
{
    size_t n = (size_t)world->contacts.count;
    float(*points)[3] = base_arena_allocate(arena, "points", n, sizeof *points);
    double(*normal)[3] = base_arena_allocate(arena, "normal", n, sizeof *normal);
    double(*force)[3] = base_arena_allocate(arena, "force", n, sizeof *force);
    double *gap = base_arena_array(arena, double, "gap", n);
    int32_t *status = base_arena_array(arena, int32_t, "status", n);
    int32_t(*bodies)[2] = base_arena_allocate(arena, "bodies", n, sizeof *bodies);
    if (points == NULL || normal == NULL || force == NULL || gap == NULL || status == NULL ||
        bodies == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a ParaView frame");
    for (size_t i = 0; i < n; i++) {
        cairn_contact_view view;
        cairn_contact_get(world, (int)i, &view);
        store_float(points[i], vec3_from(view.point));
        memcpy(normal[i], view.normal, sizeof normal[i]);
        memcpy(force[i], view.force, sizeof force[i]);
        gap[i] = view.gap;
        status[i] = (int32_t)view.status;
        bodies[i][0] = (int32_t)view.a.index;
        bodies[i][1] = (int32_t)view.b.index;
    }
    const eng_vtp_array arrays[] = {
        {"normal", ENG_VTP_FLOAT64, 3, normal}, {"force [N]", ENG_VTP_FLOAT64, 3, force},
        {"gap [m]", ENG_VTP_FLOAT64, 1, gap},   {"status", ENG_VTP_INT32, 1, status},
        {"bodies", ENG_VTP_INT32, 2, bodies},
    };
    eng_vtp data = {.time = world->time,
                    .point_count = n,
                    .points = (const float(*)[3])points,
                    .point_arrays = arrays,
                    .point_array_count = (int)(sizeof arrays / sizeof arrays[0])};
    return write_frame(writer, 2, &data, error);
}

cairn_status cairn_paraview_write_frame(cairn_paraview *writer, const cairn_world *world,
                                        cairn_error *error)
{
    if (writer == NULL || world == NULL)
        return base_fail_null(error, __func__);
    if (writer->extent == 0.0)
        writer->extent = scene_extent(world);
    // scratch of its own: the world's arena holds the problem of the last step
    base_arena *arena = base_arena_create(&writer->allocator, 1 << 16);
    if (arena == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a ParaView frame");
    cairn_status status = write_bodies(writer, world, arena, error);
    if (status == CAIRN_OK)
        status = write_surfaces(writer, world, arena, error);
    if (status == CAIRN_OK)
        status = write_contacts(writer, world, arena, error);
    base_arena_destroy(arena);
    if (status == CAIRN_OK)
        writer->frame++;
    return status;
}
