// SPDX-License-Identifier: Apache-2.0
// ParaView series: bodies as points to put their shapes at, or their surfaces and contacts.
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

/// Bodies alone are in every series.
static int series_count(cairn_paraview_content content)
{
    return content == CAIRN_PARAVIEW_SURFACES ? 3 : 1;
}

/// The file in which a shape of the world was written.
typedef struct glyph {
    uint32_t generation; // of the shape's slot; 0: not written
    int32_t number;
} glyph;

struct cairn_paraview {
    base_allocator allocator;
    char folder[PATH_SIZE];
    cairn_paraview_content content;
    int frame;
    double extent; // m, half width at which half-spaces are drawn; 0 before the first frame
    int shapes;    // files shapes_NNNNNN.vtp; the first is a sphere of radius 1 for all spheres
    glyph *glyphs; // [glyph_capacity] by slot of the shape; owned
    int glyph_capacity;
};

static cairn_status make_writer(const char *folder, cairn_paraview_state state,
                                cairn_paraview **writer, cairn_error *error)
{
    base_allocator allocator = base_allocator_default();
    cairn_paraview *made = base_allocate(&allocator, 1, sizeof *made);
    if (made == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for the ParaView series");
    made->allocator = allocator;
    made->content = state.content;
    made->frame = state.frames;
    made->extent = state.extent;
    made->shapes = state.shapes;
    snprintf(made->folder, sizeof made->folder, "%s", folder);
    *writer = made;
    return CAIRN_OK;
}

cairn_status cairn_paraview_open(const char *folder, cairn_paraview_content content,
                                 cairn_paraview **writer, cairn_error *error)
{
    if (folder == NULL || writer == NULL)
        return base_fail_null(error, __func__);
    if ((unsigned)content > CAIRN_PARAVIEW_SURFACES)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is no ParaView content %d",
                         (int)content);
    *writer = NULL;
    if (strlen(folder) > PATH_SIZE - 64)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: the path is too long", folder);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return base_fail(error, CAIRN_ERROR_FILE, "%s: cannot be made: %s", folder,
                         strerror(errno));
    for (int i = 0; i < series_count(content); i++) {
        char path[PATH_SIZE + 64];
        snprintf(path, sizeof path, "%s/%s.pvd", folder, series[i]);
        cairn_status status = eng_pvd_begin(path, error);
        if (status != CAIRN_OK)
            return status;
    }
    return make_writer(folder, (cairn_paraview_state){.content = content}, writer, error);
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
    for (int i = 0; i < series_count(state.content); i++) {
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
    return (cairn_paraview_state){.frames = writer->frame,
                                  .extent = writer->extent,
                                  .content = writer->content,
                                  .shapes = writer->shapes};
}

void cairn_paraview_close(cairn_paraview *writer)
{
    if (writer == NULL)
        return;
    base_allocator allocator = writer->allocator;
    base_release(&allocator, writer->glyphs);
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

static void store_float4(float out[4], quat q)
{
    out[0] = (float)q.w;
    out[1] = (float)q.x;
    out[2] = (float)q.y;
    out[3] = (float)q.z;
}

static cairn_status write_bodies(const cairn_paraview *writer, const cairn_world *world,
                                 base_arena *arena, cairn_error *error)
{
    size_t n = (size_t)cairn_body_count(world);
    float(*points)[3] = base_arena_allocate(arena, "points", n, sizeof *points);
    int32_t *id = base_arena_array(arena, int32_t, "id", n);
    int32_t *material = base_arena_array(arena, int32_t, "material", n);
    int32_t *kind = base_arena_array(arena, int32_t, "kind", n);
    int32_t *shape = base_arena_array(arena, int32_t, "shape", n);
    float *mass = base_arena_array(arena, float, "mass", n);
    float *radius = base_arena_array(arena, float, "radius", n);
    float *scale = base_arena_array(arena, float, "scale", n);
    float(*velocity)[3] = base_arena_allocate(arena, "velocity", n, sizeof *velocity);
    float(*omega)[3] = base_arena_allocate(arena, "angular velocity", n, sizeof *omega);
    float(*orientation)[4] = base_arena_allocate(arena, "orientation", n, sizeof *orientation);
    if (points == NULL || id == NULL || material == NULL || kind == NULL || shape == NULL ||
        mass == NULL || radius == NULL || scale == NULL || velocity == NULL || omega == NULL ||
        orientation == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a ParaView frame");
    for (size_t i = 0; i < n; i++) {
        int row = eng_slots_at(&world->body_slots, (int)i);
        const eng_body *body = &world->bodies[row];
        const geo_shape *is = world->shapes[body->shape];
        eng_state state = eng_state_of(world, row);
        // where the shape is: the body's own frame has its axes along those of inertia
        pose frame = eng_frame_of(world, row), placement = pose_compose(&state.q, &frame);
        store_float(points[i], placement.position);
        store_float4(orientation[i], placement.orientation);
        store_float(velocity[i], vec3_from(state.v));
        store_float(omega[i], quat_rotate(state.q.orientation, vec3_from(state.v + 3)));
        id[i] = (int32_t)row;
        material[i] = body->material;
        kind[i] = (int32_t)body->kind;
        shape[i] = writer->glyphs[body->shape].number;
        mass[i] = isfinite(body->mass) ? (float)body->mass : 0.0F;
        radius[i] = isfinite(is->bounding_radius) ? (float)is->bounding_radius : 0.0F;
        scale[i] = is->kind == GEO_SPHERE ? radius[i] : 1.0F;
    }
    const eng_vtp_array arrays[] = {
        {"id", ENG_VTP_INT32, 1, id},
        {"material", ENG_VTP_INT32, 1, material},
        {"kind", ENG_VTP_INT32, 1, kind},
        {"shape", ENG_VTP_INT32, 1, shape},
        {"mass [kg]", ENG_VTP_FLOAT32, 1, mass},
        {"radius [m]", ENG_VTP_FLOAT32, 1, radius},
        {"scale", ENG_VTP_FLOAT32, 1, scale},
        {"velocity [m/s]", ENG_VTP_FLOAT32, 3, velocity},
        {"angular_velocity [rad/s]", ENG_VTP_FLOAT32, 3, omega},
        {"orientation_wxyz", ENG_VTP_FLOAT32, 4, orientation},
    };
    eng_vtp data = {.time = world->time,
                    .point_count = n,
                    .points = (const float(*)[3])points,
                    .point_arrays = arrays,
                    .point_array_count = (int)(sizeof arrays / sizeof arrays[0])};
    return write_frame(writer, 0, &data, error);
}

// ---------------------------------------------------------------- shapes

/// Where the polygons of a surface are, as floats and long indices.
typedef struct polygons {
    float (*points)[3];
    int64_t *ends, *corners;
} polygons;

static bool convert_mesh(const eng_surface_mesh *mesh, base_arena *arena, polygons *out)
{
    size_t points = (size_t)mesh->vertex_count, count = (size_t)mesh->polygon_count;
    size_t corners = (size_t)mesh->corner_count;
    out->points = base_arena_allocate(arena, "points", points, sizeof *out->points);
    out->ends = base_arena_array(arena, int64_t, "ends", count);
    out->corners = base_arena_array(arena, int64_t, "corners", corners);
    if (out->points == NULL || out->ends == NULL || out->corners == NULL)
        return false;
    for (size_t i = 0; i < points; i++)
        store_float(out->points[i], mesh->vertices[i]);
    for (size_t i = 0; i < corners; i++)
        out->corners[i] = mesh->corners[i];
    for (size_t i = 0; i < count; i++)
        out->ends[i] = mesh->ends[i];
    return true;
}

/// The next file of a shape, in the shape's own frame.
static cairn_status write_shape(cairn_paraview *writer, const geo_shape *shape, base_arena *arena,
                                cairn_error *error)
{
    char path[PATH_SIZE + 128];
    polygons net = {0};
    eng_surface_mesh mesh = {0};
    pose here = pose_identity();
    cairn_status status =
        eng_surface_mesh_add(&mesh, &writer->allocator, shape, &here, writer->extent);
    if (status == CAIRN_OK && !convert_mesh(&mesh, arena, &net))
        status = CAIRN_ERROR_MEMORY;
    eng_vtp data = {.point_count = (size_t)mesh.vertex_count,
                    .points = (const float(*)[3])net.points,
                    .polygon_count = (size_t)mesh.polygon_count,
                    .polygon_ends = net.ends,
                    .connectivity = net.corners};
    snprintf(path, sizeof path, "%s/shapes_%06d.vtp", writer->folder, writer->shapes);
    if (status == CAIRN_OK)
        status = eng_vtp_write(path, &data, error);
    else
        base_fail(error, status, "out of memory for a ParaView shape");
    eng_surface_mesh_release(&mesh, &writer->allocator);
    writer->shapes += status == CAIRN_OK;
    return status;
}

/// Whether slots of shapes were used more than once, so that their order is not that of the files.
static bool shapes_were_removed(const cairn_world *world)
{
    for (int i = 0; i < world->shape_count; i++)
        if (world->shapes[i] == NULL || eng_slots_generation(&world->shape_slots, i) > 1)
            return true;
    return false;
}

/// Writes the shapes of bodies that have no file yet, and the index of all of them.
static cairn_status write_shapes(cairn_paraview *writer, const cairn_world *world,
                                 base_arena *arena, cairn_error *error)
{
    int known = writer->glyph_capacity, before = writer->shapes;
    cairn_status status = base_array_reserve(&writer->allocator, &writer->glyphs,
                                             &writer->glyph_capacity, world->shape_count);
    if (status != CAIRN_OK)
        return base_fail(error, status, "out of memory for ParaView shapes");
    for (int i = known; i < writer->glyph_capacity; i++)
        writer->glyphs[i] = (glyph){0};
    // the series of an earlier process goes on: the same files again, or new ones behind them
    if (known == 0 && !shapes_were_removed(world))
        writer->shapes = 0;
    if (known == 0 && writer->shapes == 0 && writer->content == CAIRN_PARAVIEW_GLYPHS) {
        geo_shape ball = {.kind = GEO_SPHERE, .sphere = {.radius = 1.0}};
        status = write_shape(writer, &ball, arena, error);
    }
    for (int i = 0; i < world->shape_count && status == CAIRN_OK; i++) {
        const geo_shape *shape = world->shapes[i];
        uint32_t generation = eng_slots_generation(&world->shape_slots, i);
        if (shape == NULL || writer->glyphs[i].generation == generation)
            continue;
        writer->glyphs[i] = (glyph){generation, shape->kind == GEO_SPHERE ? 0 : writer->shapes};
        if (shape->kind != GEO_SPHERE && writer->content == CAIRN_PARAVIEW_GLYPHS)
            status = write_shape(writer, shape, arena, error);
    }
    if (status != CAIRN_OK || (writer->shapes == before && known > 0))
        return status;
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/shapes.vtm", writer->folder);
    return writer->content != CAIRN_PARAVIEW_GLYPHS
               ? CAIRN_OK
               : eng_vtm_write(path, "shapes", writer->shapes, error);
}

// ---------------------------------------------------------------- surfaces

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
    size_t count = (size_t)mesh->polygon_count;
    polygons net;
    int32_t *kind = base_arena_array(arena, int32_t, "kind", count);
    float *speed = base_arena_array(arena, float, "speed", count);
    if (kind == NULL || speed == NULL || !convert_mesh(mesh, arena, &net))
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a ParaView frame");
    for (size_t i = 0; i < count; i++) {
        kind[i] = (int32_t)world->bodies[bodies[i]].kind;
        speed[i] = (float)vec3_norm(vec3_from(eng_state_of(world, bodies[i]).v));
    }
    const eng_vtp_array arrays[] = {
        {"body", ENG_VTP_INT32, 1, bodies},
        {"kind", ENG_VTP_INT32, 1, kind},
        {"speed [m/s]", ENG_VTP_FLOAT32, 1, speed},
    };
    eng_vtp data = {.time = world->time,
                    .point_count = (size_t)mesh->vertex_count,
                    .points = (const float(*)[3])net.points,
                    .polygon_count = count,
                    .polygon_ends = net.ends,
                    .connectivity = net.corners,
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
    bool surfaces = writer->content == CAIRN_PARAVIEW_SURFACES;
    cairn_status status = write_shapes(writer, world, arena, error);
    if (status == CAIRN_OK)
        status = write_bodies(writer, world, arena, error);
    if (status == CAIRN_OK && surfaces)
        status = write_surfaces(writer, world, arena, error);
    if (status == CAIRN_OK && surfaces)
        status = write_contacts(writer, world, arena, error);
    base_arena_destroy(arena);
    if (status == CAIRN_OK)
        writer->frame++;
    return status;
}
