// SPDX-License-Identifier: Apache-2.0
// Materials, and the law of each pair of them.
#include "engine/lane.h"
#include "engine/values.h"

#include "base/assert.h"

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

static cairn_status resolve(cairn_world *world, cairn_error *error);

cairn_status cairn_material_create(cairn_world *world, const char *name,
                                   cairn_material_id *material, cairn_error *error)
{
    *material = (cairn_material_id){0};
    if (name == NULL || name[0] == '\0')
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a material needs a name");
    if (!is_null(cairn_material_find(world, name)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "there is a material \"%s\" already", name);
    char *copy = base_copy_text(&world->allocator, name);
    cairn_status status = copy != NULL ? eng_lane_leave(world) : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->allocator, &world->materials, &world->material_capacity,
                                    world->material_count + 1);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->allocator, &world->elasticity,
                                    &world->elasticity_capacity, world->material_count + 1);
    if (status == CAIRN_OK)
        status = grow_matrix(world);
    if (status != CAIRN_OK) {
        base_release(&world->allocator, copy);
        return base_fail(error, status, "out of memory for material \"%s\"", name);
    }
    world->materials[world->material_count] = copy;
    world->elasticity[world->material_count] = (eng_elasticity){.poisson = 0.3};
    *material = (cairn_material_id){(uint32_t)world->material_count, 1};
    world->material_count++;
    return resolve(world, error);
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
    if (eng_lane_leave(world) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory to change a pair of materials");
    if (*index > 0)
        world->surfaces[*index].derived = false;
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

// ---------------------------------------------------------------- moduli of materials

static const char *const elastic_names[] = {"young_modulus", "young_modulus_second",
                                            "poisson_ratio", "poisson_ratio_second"};
enum { YOUNG, YOUNG_SECOND, POISSON, POISSON_SECOND };

static bool is_elastic(const char *parameter)
{
    for (int i = 0; i < BASE_COUNT(elastic_names); i++)
        if (strcmp(parameter, elastic_names[i]) == 0)
            return true;
    return false;
}

static bool has_setting(const con_law *law, const char *name)
{
    for (int i = 0; i < law->table.count; i++)
        if (strcmp(law->table.settings[i].name, name) == 0)
            return true;
    return false;
}

/// The law has the parameter, and the value is within its range.
static void put_value(eng_surface *surface, const char *name, base_value value)
{
    cairn_error unused;
    cairn_status status =
        base_settings_set(&surface->law->table, surface->parameters, name, value, &unused);
    BASE_ASSERT(status == CAIRN_OK);
    (void)status;
}

static void put(eng_surface *surface, int which, double value)
{
    put_value(surface, elastic_names[which],
              (base_value){.type = BASE_VALUE_NUMBER, .number = value});
}

/// The moduli of two materials become parameters of their surface. A material without any is like
/// the other.
static void combine(eng_surface *surface, const eng_elasticity *a, const eng_elasticity *b)
{
    const eng_elasticity *first = a->young > 0.0 ? a : b, *second = b->young > 0.0 ? b : a;
    if (has_setting(surface->law, elastic_names[YOUNG_SECOND])) {
        put(surface, YOUNG, first->young);
        put(surface, POISSON, first->poisson);
        put(surface, YOUNG_SECOND, second->young);
        put(surface, POISSON_SECOND, second->poisson);
        return;
    }
    put(surface, YOUNG, 2.0 * first->young * second->young / (first->young + second->young));
}

/// Moduli that came from materials give way to the law's defaults.
static void drop_moduli(eng_surface *surface)
{
    _Alignas(16) unsigned char initial[CON_LAW_SETTINGS_MAX];
    base_settings_defaults(&surface->law->table, initial);
    for (int i = 0; i < surface->law->table.count; i++) {
        const base_setting *row = &surface->law->table.settings[i];
        if (is_elastic(row->name))
            put_value(surface, row->name, base_settings_get(row, initial));
    }
}

static bool takes_moduli(const cairn_world *world, const eng_surface *surface, int a, int b)
{
    bool given = world->elasticity[a].young > 0.0 || world->elasticity[b].young > 0.0;
    return given && !surface->own_elasticity && has_setting(surface->law, elastic_names[YOUNG]);
}

/// A pair of materials that follows the default pair gets a surface for their moduli, and one that
/// has it is brought up to date.
static cairn_status resolve_pair(cairn_world *world, int a, int b)
{
    int n = world->material_count, *index = &world->surface_of[a * n + b];
    if (world->surfaces[*index].derived) {
        world->surfaces[*index] = world->surfaces[0];
        world->surfaces[*index].derived = true;
    }
    if (!takes_moduli(world, &world->surfaces[*index], a, b))
        return CAIRN_OK;
    if (*index == 0) {
        if (base_array_reserve(&world->allocator, &world->surfaces, &world->surface_capacity,
                               world->surface_count + 1) != CAIRN_OK)
            return CAIRN_ERROR_MEMORY;
        *index = world->surface_of[b * n + a] = world->surface_count++;
        world->surfaces[*index] = world->surfaces[0];
        world->surfaces[*index].derived = true;
    }
    combine(&world->surfaces[*index], &world->elasticity[a], &world->elasticity[b]);
    return CAIRN_OK;
}

/// After any change of materials or pairs.
static cairn_status resolve(cairn_world *world, cairn_error *error)
{
    int n = world->elastic ? world->material_count : 0;
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++)
            if (resolve_pair(world, a, b) != CAIRN_OK)
                return base_fail(error, CAIRN_ERROR_MEMORY,
                                 "out of memory for a pair of materials");
    return CAIRN_OK;
}

cairn_status cairn_material_set_value(cairn_world *world, cairn_material_id material,
                                      const char *property, double value, cairn_error *error)
{
    static const char *const names[] = {"young_modulus", "poisson_ratio"};
    if (!is_valid(world, material))
        return base_fail(error, CAIRN_ERROR_STALE_ID, "the material does not exist");
    if (eng_lane_leave(world) != CAIRN_OK)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory to change a material");
    eng_elasticity *elasticity = &world->elasticity[material.index];
    if (strcmp(property, names[0]) == 0) {
        if (!(value > 0.0 && isfinite(value)))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "young_modulus = %g must be positive and finite (Pa)", value);
        elasticity->young = value;
        world->elastic = true;
    } else if (strcmp(property, names[1]) == 0) {
        if (!(value >= -0.999 && value <= 0.5))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "poisson_ratio = %g must lie between -0.999 and 0.5", value);
        elasticity->poisson = value;
    } else {
        const char *near = base_suggest(property, names, BASE_COUNT(names));
        return base_fail(error, CAIRN_ERROR_NOT_FOUND, "a material has no \"%.80s\"%s%s%s",
                         property, near != NULL ? " (did you mean \"" : "",
                         near != NULL ? near : "", near != NULL ? "\"?)" : "");
    }
    return resolve(world, error);
}

double cairn_material_value(const cairn_world *world, cairn_material_id material,
                            const char *property)
{
    if (!is_valid(world, material) || world->elasticity[material.index].young == 0.0)
        return 0.0;
    const eng_elasticity *elasticity = &world->elasticity[material.index];
    return strcmp(property, "young_modulus") == 0   ? elasticity->young
           : strcmp(property, "poisson_ratio") == 0 ? elasticity->poisson
                                                    : 0.0;
}

// ---------------------------------------------------------------- pairs

cairn_status cairn_pair_set_law(cairn_world *world, cairn_material_id a, cairn_material_id b,
                                const char *law, cairn_error *error)
{
    const con_law *found = con_law_find(law);
    if (found == NULL)
        return eng_fail_plugin(CAIRN_LAW, law, error);
    int index;
    cairn_status status = own_surface(world, a, b, &index, error);
    if (status != CAIRN_OK)
        return status;
    eng_surface_init(&world->surfaces[index], found);
    return resolve(world, error);
}

cairn_status cairn_pair_set_value(cairn_world *world, cairn_material_id a, cairn_material_id b,
                                  const char *parameter, cairn_value value, cairn_error *error)
{
    int index;
    cairn_status status = own_surface(world, a, b, &index, error);
    if (status != CAIRN_OK)
        return status;
    eng_surface *surface = &world->surfaces[index];
    if (is_elastic(parameter) && !surface->own_elasticity)
        drop_moduli(surface);
    status = base_settings_set(&surface->law->table, surface->parameters, parameter,
                               eng_value_to_base(value), error);
    if (status == CAIRN_OK && is_elastic(parameter))
        surface->own_elasticity = true;
    return status == CAIRN_OK ? resolve(world, error) : status;
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
