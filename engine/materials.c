// SPDX-License-Identifier: Apache-2.0
// Materials, and the law of each pair of them.
#include "engine/lane.h"
#include "engine/values.h"

#include <string.h>

static bool is_valid(const cairn_world *world, cairn_material_id id)
{
    return id.generation == 1 && id.index < (uint32_t)world->material_count;
}

static bool is_null(cairn_material_id id)
{
    return id.generation == 0;
}

/// The matrix of surfaces with one more row and column, all of it the default pair.
static cairn_status grow_matrix(cairn_world *world)
{
    int n = world->material_count;
    int *grown = base_allocate(&world->allocator, (size_t)(n + 1) * (size_t)(n + 1), sizeof *grown);
    if (grown == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < n; i++)
        memcpy(grown + (size_t)i * (size_t)(n + 1), world->surface_of + (size_t)i * (size_t)n,
               (size_t)n * sizeof *grown);
    base_release(&world->allocator, world->surface_of);
    world->surface_of = grown;
    return CAIRN_OK;
}

cairn_status cairn_material_create(cairn_world *world, const char *name,
                                   cairn_material_id *material, cairn_error *error)
{
    *material = (cairn_material_id){0};
    if (name == NULL || name[0] == '\0')
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a material needs a name");
    if (!is_null(cairn_material_find(world, name)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is a material \"%s\" already", name);
    eng_lane_leave(world);
    char *copy = base_copy_text(&world->allocator, name);
    cairn_status status = copy != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->allocator, &world->materials, &world->material_capacity,
                                    world->material_count + 1);
    if (status == CAIRN_OK)
        status = grow_matrix(world);
    if (status != CAIRN_OK) {
        base_release(&world->allocator, copy);
        return base_fail(error, status, "out of memory for material \"%s\"", name);
    }
    world->materials[world->material_count] = copy;
    *material = (cairn_material_id){(uint32_t)world->material_count, 1};
    world->material_count++;
    return CAIRN_OK;
}

cairn_material_id cairn_material_find(const cairn_world *world, const char *name)
{
    for (int i = 0; i < world->material_count; i++)
        if (strcmp(world->materials[i], name) == 0)
            return (cairn_material_id){(uint32_t)i, 1};
    return (cairn_material_id){0};
}

int cairn_material_count(const cairn_world *world)
{
    return world->material_count;
}

const char *cairn_material_name(const cairn_world *world, cairn_material_id material)
{
    return is_valid(world, material) ? world->materials[material.index] : "";
}

/// Index of the pair's surface; -1 for a bad id.
static int surface_index(const cairn_world *world, cairn_material_id a, cairn_material_id b)
{
    if (is_null(a) && is_null(b))
        return 0;
    if (!is_valid(world, a) || !is_valid(world, b))
        return -1;
    return world->surface_of[a.index * (uint32_t)world->material_count + b.index];
}

/// The pair's own surface, split off from the default pair (with its law and parameters) if it had
/// none.
static cairn_status own_surface(cairn_world *world, cairn_material_id a, cairn_material_id b,
                                int *index, cairn_error *error)
{
    *index = surface_index(world, a, b);
    if (*index < 0)
        return base_fail(error, CAIRN_ERROR_STALE_ID, "a material of the pair does not exist");
    if (*index > 0 || is_null(a))
        return CAIRN_OK;
    if (base_array_reserve(&world->allocator, &world->surfaces, &world->surface_capacity,
                           world->surface_count + 1) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a pair of materials");
    *index = world->surface_count++;
    world->surfaces[*index] = world->surfaces[0];
    uint32_t n = (uint32_t)world->material_count;
    world->surface_of[a.index * n + b.index] = *index;
    world->surface_of[b.index * n + a.index] = *index;
    return CAIRN_OK;
}

cairn_status cairn_pair_set_law(cairn_world *world, cairn_material_id a, cairn_material_id b,
                                const char *law, cairn_error *error)
{
    const con_law *found = con_law_find(law);
    if (found == NULL)
        return eng_fail_plugin(CAIRN_LAW, law, error);
    int index;
    eng_lane_leave(world);
    cairn_status status = own_surface(world, a, b, &index, error);
    if (status == CAIRN_OK)
        eng_surface_init(&world->surfaces[index], found);
    return status;
}

cairn_status cairn_pair_set_value(cairn_world *world, cairn_material_id a, cairn_material_id b,
                                  const char *parameter, cairn_value value, cairn_error *error)
{
    int index;
    eng_lane_leave(world);
    cairn_status status = own_surface(world, a, b, &index, error);
    if (status != CAIRN_OK)
        return status;
    eng_surface *surface = &world->surfaces[index];
    return base_settings_set(&surface->law->table, surface->parameters, parameter,
                             eng_value_to_base(value), error);
}

const char *cairn_pair_law(const cairn_world *world, cairn_material_id a, cairn_material_id b)
{
    int index = surface_index(world, a, b);
    return index >= 0 ? world->surfaces[index].law->name : "";
}

cairn_value cairn_pair_value(const cairn_world *world, cairn_material_id a, cairn_material_id b,
                             int setting)
{
    int index = surface_index(world, a, b);
    const eng_surface *surface = &world->surfaces[index >= 0 ? index : 0];
    return eng_value_from_base(
        base_settings_get(&surface->law->table.settings[setting], surface->parameters));
}

const eng_surface *eng_surface_of(const cairn_world *world, int body_a, int body_b)
{
    int a = world->bodies[body_a].material, b = world->bodies[body_b].material;
    return &world->surfaces[world->surface_of[a * world->material_count + b]];
}
