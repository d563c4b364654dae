// SPDX-License-Identifier: Apache-2.0
// Fuzz target: OBJ and STL files, and the hulls and meshes made of what they hold.
#include "geometry/mesh/mesh_file.h"
#include "tests/fuzz/fuzz.h"
#include <cairn/cairn.h>

enum { POINTS_MAX = 400 };

void fuzz_write_seeds(const char *folder)
{
    (void)folder;
}

static void make_shape(cairn_world *world, cairn_shape_kind kind, const geo_mesh_data *data,
                       bool solid)
{
    cairn_shape_def def = cairn_default_shape_def(kind);
    cairn_shape_id shape;
    cairn_error error = {0};
    def.points = (const double(*)[3])(const void *)data->vertices;
    def.point_count = data->vertex_count;
    if (kind == CAIRN_MESH) {
        def.solid = solid;
        def.triangles = (const int(*)[3])data->triangles;
        def.triangle_count = data->triangle_count;
    }
    if (cairn_shape_create(world, &def, &shape, &error) != CAIRN_OK)
        fuzz_demand(error.message[0] != '\0', "a failure without a message");
}

static void make_shapes(const base_allocator *allocator, const geo_mesh_data *data)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    cairn_error error = {0};
    def.allocator = (cairn_allocator){allocator->reallocate, allocator->context};
    fuzz_demand(cairn_world_create(&def, &world, &error) == CAIRN_OK, "no world");
    make_shape(world, CAIRN_POLYHEDRON, data, false);
    make_shape(world, CAIRN_MESH, data, false);
    make_shape(world, CAIRN_MESH, data, true);
    cairn_world_destroy(world);
}

static void parse(const char *name, const uint8_t *bytes, size_t size)
{
    base_counting_allocator counter = {0};
    base_allocator allocator = base_allocator_counting(&counter);
    geo_mesh_data data = {0};
    cairn_error error = {0};
    cairn_status status =
        geo_mesh_file_parse(&allocator, name, (const char *)bytes, size, 1.5, &data, &error);
    if (status == CAIRN_OK && data.vertex_count <= POINTS_MAX)
        make_shapes(&allocator, &data);
    if (status == CAIRN_OK)
        geo_mesh_data_release(&allocator, &data);
    else
        fuzz_demand(error.message[0] != '\0', "a failure without a message");
    fuzz_demand(counter.live == 0, "memory is left");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parse("input.obj", data, size);
    parse("input.stl", data, size);
    return 0;
}
