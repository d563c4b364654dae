// SPDX-License-Identifier: Apache-2.0
// ParaView series: bodies as points to put their shapes at, or their surfaces and contacts.
#include "engine/bodies/body_state.h"
#include "engine/files/surface_mesh.h"
#include "engine/files/vtp.h"
#include "engine/state/breaks.h"
#include "engine/state/ids.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/assert.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/// More spheres than this are left to glyphs on the body centres (array "radius").
enum { SPHERES_DRAWN = 5000, PATH_SIZE = 4096, SLOTS_MAX = 1 << 24 };

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
    eng_vtm_source *sources; // [shapes] whose each file is; owned
    int source_capacity;
    bool index_due; // the index may have files of a run that went farther
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
        BASE_TRY(eng_pvd_begin(path, error));
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

/// Of a series that goes on: which files there are, as its index has it. A shape that it does not
/// name gets a new file.
static cairn_status know_shapes(cairn_paraview *writer, cairn_error *error)
{
    char path[PATH_SIZE + 64];
    int most = 0, count = writer->shapes;
    snprintf(path, sizeof path, "%s/shapes.vtm", writer->folder);
    cairn_status status =
        base_array_reserve(&writer->allocator, &writer->sources, &writer->source_capacity, count);
    for (int i = 0; i < count && status == CAIRN_OK; i++)
        writer->sources[i] = (eng_vtm_source){-1, 0};
    int read = status == CAIRN_OK ? eng_vtm_read(path, writer->sources, count) : 0;
    for (int i = 0; i < read; i++)
        most = writer->sources[i].slot < SLOTS_MAX && writer->sources[i].slot >= most
                   ? writer->sources[i].slot + 1
                   : most;
    if (status == CAIRN_OK)
        status =
            base_array_reserve(&writer->allocator, &writer->glyphs, &writer->glyph_capacity, most);
    if (status != CAIRN_OK)
        return base_fail(error, status, "out of memory for ParaView shapes");
    for (int i = 0; i < writer->glyph_capacity; i++)
        writer->glyphs[i] = (glyph){0};
    for (int i = 0; i < read; i++)
        if (writer->sources[i].slot >= 0 && writer->sources[i].slot < most)
            writer->glyphs[writer->sources[i].slot] = (glyph){writer->sources[i].generation, i};
    return CAIRN_OK;
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
    cairn_status status = make_writer(folder, state, writer, error);
    if (status == CAIRN_OK && state.content == CAIRN_PARAVIEW_GLYPHS && state.shapes > 0) {
        (*writer)->index_due = true;
        status = know_shapes(*writer, error);
        remove_frames(folder, "shapes", state.shapes);
    }
    if (status == CAIRN_OK)
        return status;
    cairn_paraview_close(*writer);
    *writer = NULL;
    return status;
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
    base_release(&allocator, writer->sources);
    base_release(&allocator, writer);
}

static cairn_status write_frame(const cairn_paraview *writer, int kind, const eng_vtp *data,
                                cairn_error *error)
{
    char name[64], path[PATH_SIZE + 128];
    snprintf(name, sizeof name, "%s_%06d.vtp", series[kind], writer->frame);
    snprintf(path, sizeof path, "%s/%s", writer->folder, name);
    BASE_TRY(eng_vtp_write(path, data, error));
    snprintf(path, sizeof path, "%s/%s.pvd", writer->folder, series[kind]);
    return eng_pvd_add(path, data->time, name, error);
}

// ---------------------------------------------------------------- arrays

/// What the arrays of a frame are made of.
typedef struct shown {
    const cairn_paraview *writer;
    const cairn_world *world;
    const eng_surface_mesh *mesh; // of surfaces
    const int32_t *bodies;        // [polygons of the mesh] whose each is; or a number of each body
} shown;

/// One array: what item i, a body, vertex, corner, polygon or contact, has in it.
typedef struct column {
    const char *name;
    eng_vtp_type type;
    int components;
    void (*value)(const shown *from, int i, void *out);
    bool moves; // it is made of the body's state
} column;

typedef struct column_source {
    const shown *from;
    const column *column;
    size_t size; // bytes of an item
} column_source;

enum { COLUMNS_MAX = 16 };

/// Arrays that are made while they are written. They refer to one another: they cannot be moved.
typedef struct columns {
    column_source sources[COLUMNS_MAX];
    eng_vtp_array arrays[COLUMNS_MAX];
    int count;
} columns;

static int row_of(const shown *from, int i)
{
    return eng_slots_at(&from->world->model.ids.body, i);
}

static void fill_column(const void *source, size_t first, size_t count, void *out)
{
    enum { AHEAD = 12 }; // so many bodies their states are fetched
    const column_source *s = source;
    for (size_t i = 0; i < count; i++) {
        if (s->column->moves && i + AHEAD < count)
            eng_state_prefetch(s->from->world, row_of(s->from, (int)(first + i + AHEAD)));
        s->column->value(s->from, (int)(first + i), (char *)out + i * s->size);
    }
}

/// Puts an array behind those there are; returns how it is filled.
static eng_vtp_values add_column(columns *to, const shown *from, const column *what)
{
    BASE_ASSERT(to->count < COLUMNS_MAX);
    eng_vtp_array *array = &to->arrays[to->count];
    column_source *source = &to->sources[to->count++];
    *array = (eng_vtp_array){
        what->name, what->type, what->components, {.fill = fill_column, .source = source}};
    *source = (column_source){from, what, eng_vtp_element_size(array)};
    return array->values;
}

static void add_columns(columns *to, const shown *from, const column *what, int count)
{
    for (int i = 0; i < count; i++)
        (void)add_column(to, from, &what[i]);
}

static void put_int(void *out, int value)
{
    *(int32_t *)out = (int32_t)value;
}

static void put_float(void *out, double value)
{
    *(float *)out = (float)value;
}

static void put_vector(void *out, vec3 v)
{
    float *to = out;
    to[0] = (float)v.x;
    to[1] = (float)v.y;
    to[2] = (float)v.z;
}

// ---------------------------------------------------------------- bodies

static const eng_body *body_of(const shown *from, int i)
{
    return &from->world->model.bodies.rows[row_of(from, i)];
}

static void put_place(const shown *from, int i, void *out)
{
    put_vector(out, eng_shape_place_of(from->world, row_of(from, i)));
}

static void put_orientation(const shown *from, int i, void *out)
{
    quat q = eng_shape_pose_of(from->world, row_of(from, i)).orientation;
    float *to = out;
    to[0] = (float)q.w;
    to[1] = (float)q.x;
    to[2] = (float)q.y;
    to[3] = (float)q.z;
}

static void put_velocity(const shown *from, int i, void *out)
{
    double v[6];
    eng_velocity_of(from->world, row_of(from, i), v);
    put_vector(out, vec3_from(v));
}

static void put_angular_velocity(const shown *from, int i, void *out)
{
    put_vector(out, eng_omega_of(from->world, row_of(from, i)));
}

static void put_id(const shown *from, int i, void *out)
{
    put_int(out, row_of(from, i));
}

static void put_material(const shown *from, int i, void *out)
{
    put_int(out, body_of(from, i)->material);
}

static void put_kind(const shown *from, int i, void *out)
{
    put_int(out, (int)body_of(from, i)->kind);
}

static void put_shape(const shown *from, int i, void *out)
{
    put_int(out, from->writer->glyphs[body_of(from, i)->shape].number);
}

static void put_mass(const shown *from, int i, void *out)
{
    double mass = body_of(from, i)->mass;
    put_float(out, isfinite(mass) ? mass : 0.0);
}

static void put_radius(const shown *from, int i, void *out)
{
    double radius = from->world->model.shapes.rows[body_of(from, i)->shape]->bounding_radius;
    put_float(out, isfinite(radius) ? radius : 0.0);
}

static void put_scale(const shown *from, int i, void *out)
{
    if (from->world->model.shapes.rows[body_of(from, i)->shape]->kind == GEO_SPHERE)
        put_radius(from, i, out);
    else
        put_float(out, 1.0);
}

static void put_broken(const shown *from, int i, void *out)
{
    put_int(out, from->bodies[row_of(from, i)]);
}

/// How many bonds of each body have broken, [body_count]; NULL where none can, or out of memory.
static int32_t *count_broken(const cairn_world *world, const base_allocator *allocator)
{
    size_t count = (size_t)world->model.bodies.count;
    int32_t *broken = NULL;
    if (eng_breaks_may_come(world) && count > 0)
        broken = base_allocate(allocator, count, sizeof *broken);
    if (broken == NULL)
        return NULL;
    memset(broken, 0, count * sizeof *broken);
    for (int i = 0; i < world->state.connectors.break_count; i++)
        for (int side = 0; side < 2; side++) {
            const double *id = world->state.connectors.breaks[i] + ENG_BREAK_BODIES + 2 * side;
            cairn_body_id body = {(uint32_t)id[0], (uint32_t)id[1], world->model.ids.tag};
            if (eng_body_check(world, body) == CAIRN_OK)
                broken[body.index]++;
        }
    return broken;
}

static cairn_status write_bodies(const cairn_paraview *writer, const cairn_world *world,
                                 cairn_error *error)
{
    static const column places = {"points", ENG_VTP_FLOAT32, 3, put_place, true};
    static const column shown_columns[] = {
        {"id", ENG_VTP_INT32, 1, put_id, false},
        {"material", ENG_VTP_INT32, 1, put_material, false},
        {"kind", ENG_VTP_INT32, 1, put_kind, false},
        {"shape", ENG_VTP_INT32, 1, put_shape, false},
        {"mass [kg]", ENG_VTP_FLOAT32, 1, put_mass, false},
        {"radius [m]", ENG_VTP_FLOAT32, 1, put_radius, false},
        {"scale", ENG_VTP_FLOAT32, 1, put_scale, false},
        {"velocity [m/s]", ENG_VTP_FLOAT32, 3, put_velocity, true},
        {"angular_velocity [rad/s]", ENG_VTP_FLOAT32, 3, put_angular_velocity, true},
        {"orientation_wxyz", ENG_VTP_FLOAT32, 4, put_orientation, true},
        {"broken_bonds", ENG_VTP_INT32, 1, put_broken, false},
    };
    int32_t *broken = count_broken(world, &writer->allocator);
    const shown from = {.writer = writer, .world = world, .bodies = broken};
    columns made = {.count = 0};
    add_columns(&made, &from, shown_columns, BASE_COUNT(shown_columns) - (broken == NULL));
    eng_vtp data = {.time = world->state.clock.time,
                    .point_count = (size_t)cairn_body_count(world),
                    .point_arrays = made.arrays,
                    .point_array_count = made.count};
    data.points = add_column(&made, &from, &places);
    cairn_status status = write_frame(writer, 0, &data, error);
    base_release(&writer->allocator, broken);
    return status;
}

// ---------------------------------------------------------------- shapes

static void put_vertex(const shown *from, int i, void *out)
{
    put_vector(out, from->mesh->vertices[i]);
}

static void put_corner(const shown *from, int i, void *out)
{
    *(int64_t *)out = from->mesh->corners[i];
}

static void put_end(const shown *from, int i, void *out)
{
    *(int64_t *)out = from->mesh->ends[i];
}

/// The polygons of a surface; `made` and `from` last as long as what is returned.
static eng_vtp polygons_of(const shown *from, columns *made)
{
    static const column vertices = {"points", ENG_VTP_FLOAT32, 3, put_vertex, false};
    static const column corners = {"corners", ENG_VTP_INT64, 1, put_corner, false};
    static const column ends = {"ends", ENG_VTP_INT64, 1, put_end, false};
    return (eng_vtp){.point_count = (size_t)from->mesh->vertex_count,
                     .points = add_column(made, from, &vertices),
                     .polygon_count = (size_t)from->mesh->polygon_count,
                     .corner_count = (size_t)from->mesh->corner_count,
                     .ends = add_column(made, from, &ends),
                     .corners = add_column(made, from, &corners)};
}

/// The next file of a shape, in the shape's own frame.
/// @param slot  of the world's shape; -1: of none
static cairn_status write_shape(cairn_paraview *writer, const geo_shape *shape, int slot,
                                uint32_t generation, cairn_error *error)
{
    if (base_array_reserve(&writer->allocator, &writer->sources, &writer->source_capacity,
                           writer->shapes + 1) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a ParaView shape");
    writer->sources[writer->shapes] = (eng_vtm_source){slot, generation};
    char path[PATH_SIZE + 128];
    eng_surface_mesh mesh = {0};
    pose here = pose_identity();
    cairn_status status =
        eng_surface_mesh_add(&mesh, &writer->allocator, shape, &here, writer->extent);
    const shown from = {.mesh = &mesh};
    columns made = {.count = 0};
    eng_vtp data = polygons_of(&from, &made);
    snprintf(path, sizeof path, "%s/shapes_%06d.vtp", writer->folder, writer->shapes);
    if (status == CAIRN_OK)
        status = eng_vtp_write(path, &data, error);
    else
        base_fail(error, status, "out of memory for a ParaView shape");
    eng_surface_mesh_release(&mesh, &writer->allocator);
    writer->shapes += status == CAIRN_OK;
    return status;
}

/// Writes the shapes of bodies that have no file yet, and the index of all of them.
static cairn_status write_shapes(cairn_paraview *writer, const cairn_world *world,
                                 cairn_error *error)
{
    int known = writer->glyph_capacity, before = writer->shapes;
    cairn_status status = base_array_reserve(&writer->allocator, &writer->glyphs,
                                             &writer->glyph_capacity, world->model.shapes.count);
    if (status != CAIRN_OK)
        return base_fail(error, status, "out of memory for ParaView shapes");
    for (int i = known; i < writer->glyph_capacity; i++)
        writer->glyphs[i] = (glyph){0};
    if (writer->shapes == 0 && writer->content == CAIRN_PARAVIEW_GLYPHS) {
        geo_shape ball = {.kind = GEO_SPHERE, .sphere = {.radius = 1.0}};
        status = write_shape(writer, &ball, -1, 0, error);
    }
    for (int i = 0; i < world->model.shapes.count && status == CAIRN_OK; i++) {
        const geo_shape *shape = world->model.shapes.rows[i];
        uint32_t generation = eng_slots_generation(&world->model.ids.shape, i);
        if (shape == NULL || writer->glyphs[i].generation == generation)
            continue;
        writer->glyphs[i] = (glyph){generation, shape->kind == GEO_SPHERE ? 0 : writer->shapes};
        if (shape->kind != GEO_SPHERE && writer->content == CAIRN_PARAVIEW_GLYPHS)
            status = write_shape(writer, shape, i, generation, error);
    }
    if (status != CAIRN_OK || (writer->shapes == before && !writer->index_due))
        return status;
    writer->index_due = false;
    char path[PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/shapes.vtm", writer->folder);
    return writer->content != CAIRN_PARAVIEW_GLYPHS
               ? CAIRN_OK
               : eng_vtm_write(path, "shapes", writer->sources, writer->shapes, error);
}

// ---------------------------------------------------------------- surfaces

/// Half width that covers all dynamic bodies about the origin, with room around.
static double scene_extent(const cairn_world *world)
{
    double extent = 1e-3;
    for (int i = 0; i < world->model.bodies.count; i++)
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
    for (int i = 0; i < world->model.bodies.count; i++)
        spheres += eng_body_is_live(world, i) &&
                   world->model.shapes.rows[world->model.bodies.rows[i].shape]->kind == GEO_SPHERE;
    for (int i = 0; i < world->model.bodies.count; i++) {
        const eng_body *body = &world->model.bodies.rows[i];
        if (!eng_body_is_live(world, i))
            continue;
        const geo_shape *shape = world->model.shapes.rows[body->shape];
        if (shape->kind == GEO_SPHERE && spheres > SPHERES_DRAWN)
            continue;
        pose placement = eng_shape_pose_of(world, i);
        int first = mesh->polygon_count;
        BASE_TRY(eng_surface_mesh_add(mesh, allocator, shape, &placement, extent));
        BASE_TRY(base_array_reserve(allocator, bodies, capacity, mesh->polygon_count));
        for (int k = first; k < mesh->polygon_count; k++)
            (*bodies)[k] = i;
    }
    return CAIRN_OK;
}

static void put_polygon_body(const shown *from, int i, void *out)
{
    put_int(out, from->bodies[i]);
}

static void put_polygon_kind(const shown *from, int i, void *out)
{
    put_int(out, (int)from->world->model.bodies.rows[from->bodies[i]].kind);
}

static void put_polygon_speed(const shown *from, int i, void *out)
{
    double v[6];
    eng_velocity_of(from->world, from->bodies[i], v);
    put_float(out, vec3_norm(vec3_from(v)));
}

static cairn_status write_surface_mesh(const shown *from, cairn_error *error)
{
    static const column shown_columns[] = {
        {"body", ENG_VTP_INT32, 1, put_polygon_body, false},
        {"kind", ENG_VTP_INT32, 1, put_polygon_kind, false},
        {"speed [m/s]", ENG_VTP_FLOAT32, 1, put_polygon_speed, false},
    };
    columns made = {.count = 0};
    add_columns(&made, from, shown_columns, BASE_COUNT(shown_columns));
    eng_vtp data = polygons_of(from, &made);
    data.time = from->world->state.clock.time;
    data.cell_arrays = made.arrays;
    data.cell_array_count = BASE_COUNT(shown_columns);
    return write_frame(from->writer, 1, &data, error);
}

static cairn_status write_surfaces(const cairn_paraview *writer, const cairn_world *world,
                                   cairn_error *error)
{
    eng_surface_mesh mesh = {0};
    int32_t *bodies = NULL;
    int capacity = 0;
    cairn_status status =
        gather_surfaces(world, writer->extent, &mesh, &bodies, &capacity, &writer->allocator);
    if (status == CAIRN_OK)
        status = write_surface_mesh(&(shown){writer, world, &mesh, bodies}, error);
    else
        base_fail(error, status, "out of memory for a ParaView frame");
    base_release(&writer->allocator, bodies);
    eng_surface_mesh_release(&mesh, &writer->allocator);
    return status;
}

// ---------------------------------------------------------------- contacts

static cairn_contact_view contact_of(const shown *from, int i)
{
    cairn_contact_view view;
    cairn_contact_get(from->world, i, &view);
    return view;
}

static void put_point(const shown *from, int i, void *out)
{
    put_vector(out, vec3_from(contact_of(from, i).point));
}

static void put_normal(const shown *from, int i, void *out)
{
    memcpy(out, contact_of(from, i).normal, 3 * sizeof(double));
}

static void put_force(const shown *from, int i, void *out)
{
    memcpy(out, contact_of(from, i).force, 3 * sizeof(double));
}

static void put_gap(const shown *from, int i, void *out)
{
    *(double *)out = contact_of(from, i).gap;
}

static void put_status(const shown *from, int i, void *out)
{
    put_int(out, (int)contact_of(from, i).status);
}

static void put_pair(const shown *from, int i, void *out)
{
    cairn_contact_view view = contact_of(from, i);
    ((int32_t *)out)[0] = (int32_t)view.a.index;
    ((int32_t *)out)[1] = (int32_t)view.b.index;
}

/// 1 of a contact that its law holds together, else 0.
static void put_bond(const shown *from, int i, void *out)
{
    const eng_contacts *c = &from->world->contacts.set;
    const eng_surface *surface =
        i < c->count ? &from->world->model.materials.surfaces[c->surface[i]] : NULL;
    put_int(out, surface != NULL && surface->law->bonded != NULL &&
                     surface->law->bonded(surface->parameters, c->history[i]));
}

static cairn_status write_contacts(const cairn_paraview *writer, const cairn_world *world,
                                   cairn_error *error)
{
    static const column points = {"points", ENG_VTP_FLOAT32, 3, put_point, false};
    static const column shown_columns[] = {
        {"normal", ENG_VTP_FLOAT64, 3, put_normal, false},
        {"force [N]", ENG_VTP_FLOAT64, 3, put_force, false},
        {"gap [m]", ENG_VTP_FLOAT64, 1, put_gap, false},
        {"status", ENG_VTP_INT32, 1, put_status, false},
        {"bodies", ENG_VTP_INT32, 2, put_pair, false},
        {"bond", ENG_VTP_INT32, 1, put_bond, false},
    };
    const shown from = {.writer = writer, .world = world};
    columns made = {.count = 0};
    bool bonds = eng_breaks_may_come(world);
    add_columns(&made, &from, shown_columns, BASE_COUNT(shown_columns) - !bonds);
    eng_vtp data = {.time = world->state.clock.time,
                    .point_count = (size_t)cairn_contact_count(world),
                    .point_arrays = made.arrays,
                    .point_array_count = made.count};
    data.points = add_column(&made, &from, &points);
    return write_frame(writer, 2, &data, error);
}

cairn_status cairn_paraview_write_frame(cairn_paraview *writer, const cairn_world *world,
                                        cairn_error *error)
{
    if (writer == NULL || world == NULL)
        return base_fail_null(error, __func__);
    locale_t before = base_plain_begin();
    if (writer->extent == 0.0)
        writer->extent = scene_extent(world);
    bool surfaces = writer->content == CAIRN_PARAVIEW_SURFACES;
    cairn_status status = write_shapes(writer, world, error);
    if (status == CAIRN_OK)
        status = write_bodies(writer, world, error);
    if (status == CAIRN_OK && surfaces)
        status = write_surfaces(writer, world, error);
    if (status == CAIRN_OK && surfaces)
        status = write_contacts(writer, world, error);
    base_plain_end(before);
    if (status == CAIRN_OK)
        writer->frame++;
    return status;
}
