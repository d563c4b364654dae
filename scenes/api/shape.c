// SPDX-License-Identifier: Apache-2.0
// Shape constructors: each returns a shape that any number of bodies may use.
#include "scenes/load/loader.h"

#include "base/file.h"
#include "base/text.h"
#include "engine/measures/fingerprint.h"
#include "engine/state/world.h"
#include "geometry/mesh/mesh_file.h"

#include <errno.h>
#include <lauxlib.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// address is the key under which the registry keeps the primitive shapes made so far
static const char cache_key;

typedef struct shape_handle {
    cairn_shape_id id;
    cairn_shape_kind kind;
    uint32_t went_back;   // times that the world had taken another state when it was looked at last
    uint64_t fingerprint; // of the shape
} shape_handle;

/// What tells one primitive from another.
typedef struct primitive_key {
    double kind, radius, half_length, half_size[3], rounding;
} primitive_key;

static const shape_handle *check_handle(lua_State *L, int index, const char *what)
{
    const shape_handle *handle = luaL_testudata(L, index, SCN_SHAPE);
    if (handle == NULL)
        scn_raise(L, "%s must be a shape such as box{ size = {1, 1, 1} }, not %s", what,
                  luaL_typename(L, index));
    return handle;
}

/// Whether the shape is still there: a world that went back may have another one in its slot.
static bool is_there(const cairn_world *world, shape_handle *handle)
{
    if (handle->went_back == world->model.went_back)
        return true;
    bool same = eng_fingerprint_of_shape(world, handle->id) == handle->fingerprint;
    handle->went_back = same ? world->model.went_back : handle->went_back;
    return same;
}

cairn_shape_id scn_check_shape(lua_State *L, int index, const char *what)
{
    check_handle(L, index, what);
    shape_handle *handle = lua_touserdata(L, index);
    if (!is_there(scn_loader_world(L), handle))
        scn_raise(L, "%s: the world went back to before this shape was made; make it anew", what);
    return handle->id;
}

cairn_shape_kind scn_shape_kind_of(lua_State *L, int index)
{
    return check_handle(L, index, "shape")->kind;
}

static void push_new(lua_State *L, const cairn_shape_def *def)
{
    shape_handle made = {.kind = def->kind};
    cairn_error error = {0};
    cairn_world *world = scn_loader_world(L);
    int limit = scn_loader_of(L)->options->body_limit;
    if (cairn_shape_count(world) >= limit)
        scn_raise(L, "scene makes more than %d shapes (endless loop?)", limit);
    cairn_status status = cairn_shape_create(world, def, &made.id, &error);
    if (status != CAIRN_OK)
        scn_raise(L, "%s: %s", cairn_shape_kind_name(def->kind), error.message);
    made.went_back = world->model.went_back;
    made.fingerprint = eng_fingerprint_of_shape(world, made.id);
    shape_handle *handle = lua_newuserdatauv(L, sizeof *handle, 0);
    *handle = made;
    luaL_setmetatable(L, SCN_SHAPE);
}

/// Primitives of the same size are one shape, so that a loop may call the constructor again.
static int push_primitive(lua_State *L, const cairn_shape_def *def)
{
    primitive_key key = {(double)def->kind,
                         def->radius,
                         def->half_length,
                         {def->half_size[0], def->half_size[1], def->half_size[2]},
                         def->rounding};
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &cache_key) != LUA_TTABLE) {
        lua_pop(L, 1);
        lua_newtable(L);
        lua_pushvalue(L, -1);
        lua_rawsetp(L, LUA_REGISTRYINDEX, &cache_key);
    }
    lua_pushlstring(L, (const char *)&key, sizeof key);
    lua_pushvalue(L, -1);
    if (lua_rawget(L, -3) == LUA_TUSERDATA && is_there(scn_loader_world(L), lua_touserdata(L, -1)))
        return 1;
    lua_pop(L, 1);
    push_new(L, def);
    lua_insert(L, -2);
    lua_pushvalue(L, -2);
    lua_rawset(L, -4);
    return 1;
}

cairn_shape_id scn_shape_sphere(lua_State *L, double radius)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
    def.radius = radius;
    int top = lua_gettop(L);
    push_primitive(L, &def);
    cairn_shape_id id = scn_check_shape(L, -1, "sphere");
    lua_settop(L, top);
    return id;
}

static double required_length(const scn_fields *fields, const char *key)
{
    scn_fields_require(fields, key);
    return scn_fields_number(fields, key, 0.0, scn_range_positive("m"));
}

static int call_plain(lua_State *L, cairn_shape_kind kind)
{
    int sizes = cairn_shape_kind_sizes(kind), count = 0;
    const char *names[5] = {NULL};
    if (sizes & CAIRN_SHAPE_RADIUS)
        names[count++] = "radius";
    if (sizes & CAIRN_SHAPE_HALF_LENGTH)
        names[count++] = "length";
    if (sizes & CAIRN_SHAPE_HALF_SIZE)
        names[count++] = "size";
    if (sizes & CAIRN_SHAPE_ROUNDING)
        names[count++] = "rounding";
    scn_fields fields = scn_fields_begin(L, cairn_shape_kind_call(kind));
    scn_fields_check(&fields, names, 0);
    cairn_shape_def def = cairn_default_shape_def(kind);
    if (sizes & CAIRN_SHAPE_RADIUS)
        def.radius = required_length(&fields, "radius");
    if (sizes & CAIRN_SHAPE_HALF_LENGTH)
        def.half_length = 0.5 * required_length(&fields, "length");
    if (sizes & CAIRN_SHAPE_HALF_SIZE) {
        scn_fields_require(&fields, "size");
        scn_fields_vector(&fields, "size", def.half_size, 3, scn_range_positive("m"));
        for (int i = 0; i < 3; i++)
            def.half_size[i] *= 0.5;
    }
    if (sizes & CAIRN_SHAPE_ROUNDING)
        def.rounding = scn_fields_number(&fields, "rounding", 0.0, scn_range_not_negative("m"));
    return push_primitive(L, &def);
}

#define PLAIN_CALL(constant, name, call, ...)                                                      \
    int scn_call_##call(lua_State *L)                                                              \
    {                                                                                              \
        return call_plain(L, CAIRN_##constant);                                                    \
    }
CAIRN_PLAIN_SHAPES(PLAIN_CALL)
#undef PLAIN_CALL

// ---------------------------------------------------------------- points and files

/// List of 3-vectors under a key as an array that lives on the Lua stack, where it is pushed.
static const double (*push_points(const scn_fields *fields, const char *key, int *count))[3]
{
    lua_State *L = fields->L;
    lua_pushstring(L, key);
    if (lua_rawget(L, fields->table) != LUA_TTABLE)
        scn_raise(L, "%s must be a list of points { {x, y, z}, ... }", key);
    lua_Unsigned length = lua_rawlen(L, -1);
    if (length < 3 || length > 10000000)
        scn_raise(L, "%s has %llu points: 3 to 10000000 are possible", key,
                  (unsigned long long)length);
    *count = (int)length;
    double(*points)[3] = lua_newuserdatauv(L, length * sizeof *points, 0);
    lua_insert(L, -2);
    for (int i = 0; i < *count; i++) {
        if (lua_rawgeti(L, -1, i + 1) != LUA_TTABLE || lua_rawlen(L, -1) != 3)
            scn_raise(L, "%s[%d] must be a point {x, y, z}", key, i + 1);
        for (int k = 0; k < 3; k++) {
            lua_rawgeti(L, -1, k + 1);
            points[i][k] = scn_fields_pop_number(fields, key, scn_range_any("m"));
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return (const double(*)[3])points;
}

/// Triples of vertex numbers, counted from 1 in the scene and from 0 in the result.
static const int (*push_triangles(const scn_fields *fields, int vertex_count, int *count))[3]
{
    lua_State *L = fields->L;
    const scn_range number = {1.0, (double)vertex_count, false, "(a vertex number)"};
    lua_pushstring(L, "triangles");
    if (lua_rawget(L, fields->table) != LUA_TTABLE)
        scn_raise(L, "triangles must be a list of vertex numbers { {1, 2, 3}, ... }");
    lua_Unsigned length = lua_rawlen(L, -1);
    if (length < 1 || length > 10000000)
        scn_raise(L, "mesh has %llu triangles: 1 to 10000000 are possible",
                  (unsigned long long)length);
    *count = (int)length;
    int(*triangles)[3] = lua_newuserdatauv(L, length * sizeof *triangles, 0);
    lua_insert(L, -2);
    for (int i = 0; i < *count; i++) {
        if (lua_rawgeti(L, -1, i + 1) != LUA_TTABLE || lua_rawlen(L, -1) != 3)
            scn_raise(L, "triangles[%d] must be three vertex numbers", i + 1);
        for (int k = 0; k < 3; k++) {
            lua_rawgeti(L, -1, k + 1);
            double x = scn_fields_pop_number(fields, "triangles", number);
            if (x != floor(x))
                scn_raise(L, "triangles[%d] must be three whole numbers", i + 1);
            triangles[i][k] = (int)x - 1;
        }
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return (const int(*)[3])triangles;
}

const char *scn_push_data_path(lua_State *L, const char *file)
{
    const scn_loader *loader = scn_loader_of(L);
    char real[PATH_MAX];
    size_t length = strlen(loader->folder);
    if (file[0] == '/')
        scn_raise(L, "file \"%.200s\": give a path relative to the scene's folder", file);
    const char *path = lua_pushfstring(L, "%s/%s", loader->folder, file);
    if (realpath(path, real) == NULL)
        scn_raise(L, "file \"%.200s\": %s", file, strerror(errno));
    // links and ".." count by where they lead
    bool inside = strncmp(real, loader->folder, length) == 0 &&
                  (real[length] == '/' || strcmp(loader->folder, "/") == 0);
    if (!inside)
        scn_raise(L, "file \"%.200s\" lies outside the scene's folder", file);
    // a pipe would be waited for, a device has no end
    struct stat information;
    if (stat(path, &information) != 0 || !S_ISREG(information.st_mode))
        scn_raise(L, "file \"%.200s\" is not a regular data file", file);
    if (!base_file_hash(path, &loader->scene->inputs))
        scn_raise(L, "file \"%.200s\" cannot be read", file);
    return path;
}

char *scn_push_text(lua_State *L, const char *file, size_t limit, size_t *size)
{
    const char *path = scn_push_data_path(L, file);
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        scn_raise(L, "file \"%.200s\" is not a file", file);
    if ((size_t)info.st_size > limit)
        scn_raise(L, "file \"%.200s\" is larger than %zu MB", file, limit >> 20);
    char *text = lua_newuserdatauv(L, (size_t)info.st_size + 1, 0);
    const char *reason = NULL;
    FILE *stream = base_file_read(path, &reason);
    if (stream == NULL)
        scn_raise(L, "file \"%.200s\": %s", file, reason);
    size_t count = fread(text, 1, (size_t)info.st_size, stream);
    fclose(stream);
    text[count] = '\0';
    size_t mark = base_text_mark(text, count);
    if (size != NULL)
        *size = count - mark;
    return text + mark;
}

/// The hull of a file's points, of which each coordinate has a factor of its own.
static int push_stretched(const scn_fields *fields, cairn_shape_def *def)
{
    lua_State *L = fields->L;
    double scale[3];
    geo_mesh_data data;
    cairn_error error = {0};
    const base_allocator allocator = base_allocator_default();
    const char *path = scn_push_data_path(L, scn_fields_text(fields, "file", NULL));
    scn_fields_vector(fields, "scale", scale, 3, scn_range_any(""));
    if (geo_mesh_file_read(&allocator, path, 1.0, &data, &error) != CAIRN_OK)
        scn_raise(L, "polyhedron: %s", error.message);
    size_t bytes = (size_t)data.vertex_count * sizeof(double[3]);
    int count = data.vertex_count;
    for (int i = 0; i < count; i++)
        data.vertices[i] = vec3_multiply(data.vertices[i], vec3_from(scale));
    double(*points)[3] = bytes > 0 ? malloc(bytes) : NULL;
    if (points != NULL)
        memcpy(points, data.vertices, bytes);
    geo_mesh_data_release(&allocator, &data);
    if (points == NULL)
        scn_raise(L, "polyhedron: out of memory, or no points in the file");
    def->points = (const double(*)[3])lua_newuserdatauv(L, bytes, 0);
    memcpy((void *)def->points, points, bytes);
    free(points);
    def->point_count = count;
    push_new(L, def);
    return 1;
}

static int push_from_file(const scn_fields *fields, cairn_shape_def *def)
{
    lua_getfield(fields->L, fields->table, "scale");
    bool stretched = def->kind == CAIRN_POLYHEDRON && lua_istable(fields->L, -1);
    lua_pop(fields->L, 1);
    if (stretched)
        return push_stretched(fields, def);
    def->file = scn_push_data_path(fields->L, scn_fields_text(fields, "file", NULL));
    def->scale = scn_fields_number(fields, "scale", 1.0, scn_range_positive(""));
    push_new(fields->L, def);
    return 1;
}

/// A ball swept over a point or a segment has a call of its own.
static void refuse_few_points(const scn_fields *fields)
{
    lua_State *L = fields->L;
    lua_getfield(L, fields->table, "points");
    lua_Unsigned count = lua_type(L, -1) == LUA_TTABLE ? lua_rawlen(L, -1) : 0;
    lua_pop(L, 1);
    if (count == 1 || count == 2)
        scn_raise(L, "polyhedron: %llu points are no solid: rounded they are a %s",
                  (unsigned long long)count,
                  count == 1 ? "sphere{ radius = }" : "capsule{ radius = , length = }");
}

int scn_call_polyhedron(lua_State *L)
{
    static const char *const names[] = {"points", "file", "scale", "rounding", NULL};
    scn_fields fields = scn_fields_begin(L, "polyhedron");
    scn_fields_check(&fields, names, 0);
    cairn_shape_def def = cairn_default_shape_def(CAIRN_POLYHEDRON);
    if (scn_fields_has(&fields, "file") == scn_fields_has(&fields, "points"))
        scn_raise(L, "polyhedron: give points or file");
    def.rounding = scn_fields_number(&fields, "rounding", 0.0, scn_range_not_negative("m"));
    if (scn_fields_has(&fields, "file"))
        return push_from_file(&fields, &def);
    if (scn_fields_has(&fields, "scale"))
        scn_raise(L, "polyhedron: scale goes with file");
    refuse_few_points(&fields);
    def.points = push_points(&fields, "points", &def.point_count);
    push_new(L, &def);
    return 1;
}

int scn_call_mesh(lua_State *L)
{
    static const char *const names[] = {"vertices", "triangles", "file", "scale",
                                        "solid",    "weld",      NULL};
    scn_fields fields = scn_fields_begin(L, "mesh");
    scn_fields_check(&fields, names, 0);
    cairn_shape_def def = cairn_default_shape_def(CAIRN_MESH);
    def.solid = scn_fields_boolean(&fields, "solid", false);
    if (scn_fields_has(&fields, "file") == scn_fields_has(&fields, "vertices"))
        scn_raise(L, "mesh: give vertices and triangles, or file");
    if (scn_fields_has(&fields, "weld"))
        def.weld = scn_fields_number(&fields, "weld", 0.0, scn_range_not_negative("m"));
    if (scn_fields_has(&fields, "file"))
        return push_from_file(&fields, &def);
    if (scn_fields_has(&fields, "scale"))
        scn_raise(L, "mesh: scale goes with file");
    def.points = push_points(&fields, "vertices", &def.point_count);
    def.triangles = push_triangles(&fields, def.point_count, &def.triangle_count);
    push_new(L, &def);
    return 1;
}

// ---------------------------------------------------------------- compound

typedef struct member_arrays {
    cairn_shape_id *shapes;
    double (*positions)[3];
    double (*orientations)[4];
} member_arrays;

static void read_member(lua_State *L, int place, member_arrays *arrays)
{
    static const char *const names[] = {"shape", "position", "orientation", "rotation", NULL};
    if (lua_rawgeti(L, 1, place + 1) != LUA_TTABLE)
        scn_raise(L, "compound: member %d must be a table { shape = , position = }", place + 1);
    scn_fields member = scn_fields_at(L, -1, "compound member");
    scn_fields_check(&member, names, 0);
    scn_fields_require(&member, "shape");
    lua_getfield(L, member.table, "shape");
    arrays->shapes[place] = scn_check_shape(L, -1, "shape");
    double *position = arrays->positions[place];
    position[0] = position[1] = position[2] = 0.0;
    scn_fields_vector(&member, "position", position, 3, scn_range_any("m"));
    scn_fields_orientation(&member, arrays->orientations[place]);
    lua_pop(L, 2);
}

int scn_call_compound(lua_State *L)
{
    static const char *const names[] = {NULL};
    scn_fields fields = scn_fields_begin(L, "compound");
    lua_Unsigned count = lua_rawlen(L, 1);
    if (count < 1 || count > 10000)
        scn_raise(L, "compound has %llu members: 1 to 10000 are possible",
                  (unsigned long long)count);
    scn_fields_check(&fields, names, (int)count);
    member_arrays arrays = {
        .shapes = lua_newuserdatauv(L, count * sizeof *arrays.shapes, 0),
        .positions = lua_newuserdatauv(L, count * sizeof *arrays.positions, 0),
        .orientations = lua_newuserdatauv(L, count * sizeof *arrays.orientations, 0),
    };
    for (int i = 0; i < (int)count; i++)
        read_member(L, i, &arrays);
    cairn_shape_def def = cairn_default_shape_def(CAIRN_COMPOUND);
    def.members = arrays.shapes;
    def.member_positions = (const double(*)[3])arrays.positions;
    def.member_orientations = (const double(*)[4])arrays.orientations;
    def.member_count = (int)count;
    push_new(L, &def);
    return 1;
}
