// SPDX-License-Identifier: Apache-2.0
// Materials, and the law of each pair of them.
#include "engine/state/ids.h"
#include "engine/state/own_laws.h"
#include "engine/state/pair_changes.h"
#include "engine/state/surfaces.h"
#include "engine/state/values.h"
#include "engine/state/world.h"

#include "base/assert.h"

#include <string.h>

static bool is_valid(const cairn_world *world, cairn_material_id id)
{
    return eng_material_check(world, id) == CAIRN_OK;
}

static bool is_null(cairn_material_id id)
{
    return id.generation == 0;
}

static const double density_of_none = 1000.0; // kg/m3

/// Gives the material that was made on demand the name of the first one that is created.
static cairn_status adopt(cairn_world *world, const char *name, cairn_material_id *material,
                          cairn_error *error)
{
    eng_material *first = &world->model.materials.rows[0];
    if (first->weighed)
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "material \"%.80s\" comes too late: a body or grain before it names no "
                         "material and has its mass from a density of %g kg/m3; make the first "
                         "material before it",
                         name, first->density);
    first->on_demand = false;
    *material = eng_material_id(world, 0);
    if (strcmp(first->name, name) == 0)
        return CAIRN_OK;
    char *copy = base_copy_text(&world->model.allocator, name);
    if (copy == NULL ||
        base_names_add(&world->model.materials.names, &world->model.allocator, copy, 0)) {
        base_release(&world->model.allocator, copy);
        first->on_demand = true;
        *material = (cairn_material_id){0};
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for material \"%s\"", name);
    }
    base_names_remove(&world->model.materials.names, first->name);
    base_release(&world->model.allocator, first->name);
    first->name = copy;
    return CAIRN_OK;
}

static cairn_status create(cairn_world *world, const char *name, bool on_demand,
                           cairn_material_id *material, cairn_error *error)
{
    char *copy = base_copy_text(&world->model.allocator, name);
    cairn_status status = copy != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        status =
            base_array_reserve(&world->model.allocator, &world->model.materials.rows,
                               &world->model.materials.capacity, world->model.materials.count + 1);
    if (status == CAIRN_OK)
        status = eng_slots_reserve(&world->model.ids.material, &world->model.allocator,
                                   world->model.materials.count + 1);
    if (status == CAIRN_OK)
        status = base_names_add(&world->model.materials.names, &world->model.allocator, copy,
                                world->model.materials.count);
    if (status != CAIRN_OK) {
        base_release(&world->model.allocator, copy);
        return base_fail(error, status, "out of memory for material \"%s\"", name);
    }
    world->model.materials.rows[world->model.materials.count] =
        (eng_material){.name = copy,
                       .elasticity.poisson = 0.3,
                       .elasticity_class = -1,
                       .density = density_of_none,
                       .on_demand = on_demand};
    *material = eng_material_id(world, eng_slots_take(&world->model.ids.material));
    world->model.materials.count++;
    return CAIRN_OK;
}

cairn_status cairn_material_create(cairn_world *world, const char *name,
                                   cairn_material_id *material, cairn_error *error)
{
    if (world == NULL || name == NULL || material == NULL)
        return base_fail_null(error, __func__);
    *material = (cairn_material_id){0};
    if (name[0] == '\0')
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a material needs a name");
    if (world->model.materials.count == 1 && world->model.materials.rows[0].on_demand)
        return adopt(world, name, material, error);
    if (!is_null(cairn_material_find(world, name)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "material \"%.80s\" is declared twice", name);
    return create(world, name, false, material, error);
}

double eng_material_density(const cairn_world *world, cairn_material_id id, double given)
{
    if (given > 0.0)
        return given;
    // the first one is at place 0, as null ids are
    return world->model.materials.count > 0 ? world->model.materials.rows[id.index].density
                                            : density_of_none;
}

cairn_status eng_material_take(cairn_world *world, cairn_material_id id, bool weighed,
                               int *material, cairn_error *error)
{
    cairn_status status = CAIRN_OK;
    if (is_null(id) && world->model.materials.count == 0)
        status = create(world, "default", true, &id, error);
    if (status != CAIRN_OK)
        return status;
    *material = (int)id.index;
    world->model.materials.rows[*material].weighed |= weighed;
    status = eng_material_use(world, *material);
    return status == CAIRN_OK ? status : base_fail(error, status, "out of memory for a material");
}

cairn_material_id cairn_material_find(const cairn_world *world, const char *name)
{
    if (world == NULL || name == NULL)
        return (cairn_material_id){0};
    return eng_material_id(world, base_names_find(&world->model.materials.names, name));
}

int cairn_material_count(const cairn_world *world)
{
    if (world == NULL)
        return 0;
    return world->model.materials.count;
}

cairn_material_id cairn_material_at(const cairn_world *world, int index)
{
    if (world == NULL)
        return (cairn_material_id){0};
    return eng_material_id(world, eng_slots_at(&world->model.ids.material, index));
}

const char *cairn_material_get_name(const cairn_world *world, cairn_material_id material)
{
    if (world == NULL)
        return "";
    return is_valid(world, material) ? world->model.materials.rows[material.index].name : "";
}

static cairn_status fail_pair(cairn_status status, cairn_error *error)
{
    return base_fail(error, status, "out of memory for a pair of materials");
}

cairn_status cairn_material_set_value(cairn_world *world, cairn_material_id material,
                                      const char *property, double value, cairn_error *error)
{
    if (world == NULL || property == NULL)
        return base_fail_null(error, __func__);
    static const char *const names[] = {"young_modulus", "poisson_ratio", "density"};
    if (!is_valid(world, material))
        return base_fail(error, CAIRN_ERROR_STALE_ID, "the material does not exist");
    if (strcmp(property, names[2]) == 0) {
        if (!(value > 0.0 && isfinite(value)))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "density = %g must be positive and finite (kg/m3)", value);
        world->model.materials.rows[material.index].density = value;
        return CAIRN_OK;
    }
    world->scratch.general.due = true;
    eng_elasticity *elasticity = &world->model.materials.rows[material.index].elasticity;
    if (strcmp(property, names[0]) == 0) {
        // the mean of two is made of their product
        if (!(value >= 1e-100 && value <= 1e100))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "young_modulus = %g must lie between 1e-100 and 1e100 (Pa)", value);
        elasticity->young = value;
    } else if (strcmp(property, names[1]) == 0) {
        if (!(value >= -0.999 && value <= 0.5))
            return base_fail(error, CAIRN_ERROR_ARGUMENT,
                             "poisson_ratio = %g must lie between -0.999 and 0.5", value);
        elasticity->poisson = value;
    } else {
        return base_fail(error, CAIRN_ERROR_NOT_FOUND, "a material has no \"%.80s\"%s", property,
                         base_choices_for(property, names, BASE_COUNT(names)).text);
    }
    cairn_status status = eng_material_changed(world, (int)material.index);
    return status == CAIRN_OK ? status : fail_pair(status, error);
}

cairn_status cairn_material_get_value(const cairn_world *world, cairn_material_id material,
                                      const char *property, double *value)
{
    if (world == NULL || property == NULL || value == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *value = 0.0;
    if (!is_valid(world, material))
        return CAIRN_ERROR_STALE_ID;
    *value = world->model.materials.rows[material.index].density;
    if (strcmp(property, "density") == 0)
        return CAIRN_OK;
    *value = 0.0;
    const eng_elasticity *elasticity = &world->model.materials.rows[material.index].elasticity;
    bool young = strcmp(property, "young_modulus") == 0;
    if (!young && strcmp(property, "poisson_ratio") != 0)
        return CAIRN_ERROR_NOT_FOUND;
    if (elasticity->young > 0.0)
        *value = young ? elasticity->young : elasticity->poisson;
    return CAIRN_OK;
}

// ---------------------------------------------------------------- pairs

/// Null ids mean the default pair.
static bool is_pair(const cairn_world *world, cairn_material_id a, cairn_material_id b)
{
    return (is_null(a) && is_null(b)) || (is_valid(world, a) && is_valid(world, b));
}

/// The surface that a change of the pair is a change of.
static cairn_status open_pair(cairn_world *world, cairn_material_id a, cairn_material_id b,
                              int *index, cairn_error *error)
{
    if (!is_pair(world, a, b))
        return base_fail(error, CAIRN_ERROR_STALE_ID, "a material of the pair does not exist");
    *index = 0;
    world->scratch.general.due = true;
    cairn_status status = CAIRN_OK;
    if (!is_null(a))
        status = eng_surface_own(world, (int)a.index, (int)b.index, index);
    return status == CAIRN_OK ? status : fail_pair(status, error);
}

static cairn_status close_pair(cairn_world *world, int index, cairn_error *error)
{
    cairn_status status = eng_surface_changed(world, index);
    return status == CAIRN_OK ? status : fail_pair(status, error);
}

cairn_status cairn_pair_set_law(cairn_world *world, cairn_material_id a, cairn_material_id b,
                                const char *law, cairn_error *error)
{
    if (world == NULL || law == NULL)
        return base_fail_null(error, __func__);
    const con_law *found = eng_law_find(world, law);
    if (found == NULL)
        return eng_fail_law(world, law, error);
    int index;
    BASE_TRY(open_pair(world, a, b, &index, error));
    BASE_TRY(eng_pair_changes_check_law(world, index, error));
    eng_surface *surface = &world->model.materials.surfaces[index], before = *surface;
    eng_surface_init(surface, found);
    memcpy(surface->pair, before.pair, sizeof before.pair);
    memcpy(surface->next, before.next, sizeof before.next);
    surface->given = true;
    return close_pair(world, index, error);
}

cairn_status cairn_pair_set_value(cairn_world *world, cairn_material_id a, cairn_material_id b,
                                  const char *parameter, cairn_value value, cairn_error *error)
{
    if (world == NULL || parameter == NULL)
        return base_fail_null(error, __func__);
    int index;
    BASE_TRY(open_pair(world, a, b, &index, error));
    eng_surface *surface = &world->model.materials.surfaces[index];
    surface->given = true;
    if (eng_is_modulus(parameter) && !surface->own_elasticity)
        eng_surface_drop_moduli(surface);
    cairn_status status = base_settings_set(&surface->law->table, surface->parameters, parameter,
                                            eng_value_to_base(value), error);
    if (status == CAIRN_OK && eng_is_modulus(parameter))
        surface->own_elasticity = true;
    if (status == CAIRN_OK)
        eng_pair_changes_note(world, index, parameter, value.number);
    return status == CAIRN_OK ? close_pair(world, index, error) : status;
}

/// The default pair's for a bad id; in *scratch where the pair has none yet.
static const eng_surface *look_up(const cairn_world *world, cairn_material_id a,
                                  cairn_material_id b, eng_surface *scratch)
{
    bool named = is_valid(world, a) && is_valid(world, b);
    return named ? eng_surface_between(world, (int)a.index, (int)b.index, scratch)
                 : &world->model.materials.surfaces[0];
}

const char *cairn_pair_get_law(const cairn_world *world, cairn_material_id a, cairn_material_id b)
{
    if (world == NULL)
        return "";
    eng_surface scratch;
    return is_pair(world, a, b) ? look_up(world, a, b, &scratch)->law->name : "";
}

cairn_status cairn_pair_get_value(const cairn_world *world, cairn_material_id a,
                                  cairn_material_id b, const char *parameter, cairn_value *value)
{
    if (world == NULL || parameter == NULL || value == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *value = cairn_number(0.0);
    if (!is_pair(world, a, b))
        return CAIRN_ERROR_STALE_ID;
    eng_surface scratch;
    const eng_surface *surface = look_up(world, a, b, &scratch);
    return eng_value_read(&surface->law->table, surface->parameters, parameter, value);
}
