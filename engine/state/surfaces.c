// SPDX-License-Identifier: Apache-2.0
// Surfaces of pairs of materials: their own, and those of classes of moduli.
#include "engine/state/surfaces.h"
#include "engine/state/world.h"

#include "base/assert.h"

#include <string.h>

static const char *const modulus_names[] = {"young_modulus", "young_modulus_second",
                                            "poisson_ratio", "poisson_ratio_second"};
enum { YOUNG, YOUNG_SECOND, POISSON, POISSON_SECOND };

bool eng_is_modulus(const char *parameter)
{
    for (int i = 0; i < BASE_COUNT(modulus_names); i++)
        if (strcmp(parameter, modulus_names[i]) == 0)
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
    put_value(surface, modulus_names[which],
              (base_value){.type = BASE_VALUE_NUMBER, .number = value});
}

void eng_surface_drop_moduli(eng_surface *surface)
{
    _Alignas(16) unsigned char initial[CON_LAW_SETTINGS_MAX];
    base_settings_defaults(&surface->law->table, initial);
    for (int i = 0; i < surface->law->table.count; i++) {
        const base_setting *row = &surface->law->table.settings[i];
        if (eng_is_modulus(row->name))
            put_value(surface, row->name, base_settings_get(row, initial));
    }
}

static bool takes_moduli(const eng_surface *surface, const eng_elasticity *a,
                         const eng_elasticity *b)
{
    bool given = a->young > 0.0 || b->young > 0.0;
    return given && !surface->own_elasticity && has_setting(surface->law, modulus_names[YOUNG]);
}

/// The moduli of two materials become parameters of their surface, if it takes any. A material
/// without is like the other.
static void combine(eng_surface *surface, const eng_elasticity *a, const eng_elasticity *b)
{
    if (!takes_moduli(surface, a, b))
        return;
    const eng_elasticity *first = a->young > 0.0 ? a : b, *second = b->young > 0.0 ? b : a;
    if (has_setting(surface->law, modulus_names[YOUNG_SECOND])) {
        put(surface, YOUNG, first->young);
        put(surface, POISSON, first->poisson);
        put(surface, YOUNG_SECOND, second->young);
        put(surface, POISSON_SECOND, second->poisson);
        return;
    }
    put(surface, YOUNG, 2.0 * first->young * second->young / (first->young + second->young));
}

// ---------------------------------------------------------------- classes of moduli

/// Place of two classes in `followers`.
static size_t follower_of(int a, int b)
{
    size_t low = (size_t)(a < b ? a : b), high = (size_t)(a < b ? b : a);
    return high * (high + 1) / 2 + low;
}

static cairn_status append_surface(cairn_world *world, int *index)
{
    cairn_status status = base_array_reserve(
        &world->model.allocator, &world->model.materials.surfaces,
        &world->model.materials.surface_capacity, world->model.materials.surface_count + 1);
    if (status == CAIRN_OK)
        *index = world->model.materials.surface_count++;
    eng_plan_drop(&world->contacts);
    return status;
}

/// Brings the surface of two classes up to date with the default pair.
static cairn_status follow(cairn_world *world, int a, int b)
{
    const eng_elasticity *of_a = &world->model.materials.classes[a],
                         *of_b = &world->model.materials.classes[b];
    int *index = &world->model.materials.followers[follower_of(a, b)];
    if (*index == 0) {
        if (!takes_moduli(&world->model.materials.surfaces[0], of_a, of_b))
            return CAIRN_OK;
        BASE_TRY(append_surface(world, index));
        world->model.materials.surfaces[*index].from = 0;
    }
    int from = world->model.materials.surfaces[*index].from;
    world->model.materials.surfaces[*index] = world->model.materials.surfaces[0];
    world->model.materials.surfaces[*index].from = from;
    combine(&world->model.materials.surfaces[*index], of_a, of_b);
    return CAIRN_OK;
}

static cairn_status add_class(cairn_world *world, const eng_elasticity *moduli)
{
    int made = world->model.materials.class_count;
    size_t needed = follower_of(made, made) + 1;
    cairn_status status = needed <= INT32_MAX ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->model.allocator, &world->model.materials.classes,
                                    &world->model.materials.class_capacity, made + 1);
    if (status == CAIRN_OK)
        status = base_array_reserve(&world->model.allocator, &world->model.materials.followers,
                                    &world->model.materials.follower_capacity, (int)needed);
    if (status != CAIRN_OK)
        return status;
    world->model.materials.classes[made] = *moduli;
    for (int i = 0; i <= made; i++)
        world->model.materials.followers[follower_of(i, made)] = 0;
    for (int i = 0; i <= made && status == CAIRN_OK; i++)
        status = follow(world, i, made);
    world->model.materials.class_count += status == CAIRN_OK;
    return status;
}

/// Class of a material's moduli, made where there is none.
static cairn_status join_class(cairn_world *world, eng_material *material)
{
    const eng_elasticity *moduli = &material->elasticity;
    for (int i = 0; i < world->model.materials.class_count; i++)
        if (world->model.materials.classes[i].young == moduli->young &&
            (moduli->young == 0.0 ||
             world->model.materials.classes[i].poisson == moduli->poisson)) {
            material->elasticity_class = i;
            return CAIRN_OK;
        }
    int before = material->elasticity_class, made = world->model.materials.class_count;
    BASE_TRY(add_class(world, moduli));
    for (int i = 0; i < made && before >= 0; i++) {
        int index = world->model.materials.followers[follower_of(i, made)];
        if (index > 0)
            world->model.materials.surfaces[index].from =
                world->model.materials.followers[follower_of(i, before)];
    }
    material->elasticity_class = made;
    return CAIRN_OK;
}

cairn_status eng_material_use(cairn_world *world, int material)
{
    eng_material *used = &world->model.materials.rows[material];
    return used->elasticity_class >= 0 ? CAIRN_OK : join_class(world, used);
}

// ---------------------------------------------------------------- surfaces of pairs

static void bring_own(eng_world_model *model, int index)
{
    eng_surface *surface = &model->materials.surfaces[index];
    combine(surface, &model->materials.rows[surface->pair[0]].elasticity,
            &model->materials.rows[surface->pair[1]].elasticity);
}

cairn_status eng_material_changed(cairn_world *world, int material)
{
    eng_material *changed = &world->model.materials.rows[material];
    eng_plan_drop(&world->contacts);
    for (int at = changed->first_surface; at != 0;) {
        bring_own(&world->model, at);
        at = world->model.materials.surfaces[at]
                 .next[world->model.materials.surfaces[at].pair[0] == material ? 0 : 1];
    }
    return changed->elasticity_class >= 0 ? join_class(world, changed) : CAIRN_OK;
}

cairn_status eng_surface_changed(cairn_world *world, int index)
{
    cairn_status status = CAIRN_OK;
    eng_plan_drop(&world->contacts);
    if (index > 0) {
        bring_own(&world->model, index);
        return CAIRN_OK;
    }
    for (int high = 0; high < world->model.materials.class_count; high++)
        for (int low = 0; low <= high && status == CAIRN_OK; low++)
            status = follow(world, low, high);
    return status;
}

const eng_surface *eng_surface_between(const cairn_world *world, int a, int b, eng_surface *scratch)
{
    int own = base_pairs_find(&world->model.materials.own_surfaces, a, b);
    if (own >= 0)
        return &world->model.materials.surfaces[own];
    *scratch = world->model.materials.surfaces[0];
    combine(scratch, &world->model.materials.rows[a < b ? a : b].elasticity,
            &world->model.materials.rows[a < b ? b : a].elasticity);
    return scratch;
}

cairn_status eng_surface_own(cairn_world *world, int a, int b, int *index)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    *index = base_pairs_find(&world->model.materials.own_surfaces, low, high);
    if (*index >= 0)
        return CAIRN_OK;
    eng_surface made;
    (void)eng_surface_between(world, low, high, &made);
    int classes[2] = {world->model.materials.rows[low].elasticity_class,
                      world->model.materials.rows[high].elasticity_class};
    made.from = classes[0] >= 0 && classes[1] >= 0
                    ? world->model.materials.followers[follower_of(classes[0], classes[1])]
                    : 0;
    BASE_TRY(append_surface(world, index));
    cairn_status status = base_pairs_add(&world->model.materials.own_surfaces,
                                         &world->model.allocator, low, high, *index);
    if (status != CAIRN_OK) {
        world->model.materials.surface_count--;
        return status;
    }
    int materials[2] = {low, high};
    for (int side = 0; side < 2; side++) {
        made.pair[side] = materials[side];
        made.next[side] = world->model.materials.rows[materials[side]].first_surface;
    }
    world->model.materials.surfaces[*index] = made;
    world->model.materials.rows[low].first_surface =
        world->model.materials.rows[high].first_surface = *index;
    return CAIRN_OK;
}

const eng_surface *eng_surface_of(const cairn_world *world, int body_a, int body_b)
{
    int a = world->model.bodies.rows[body_a].material,
        b = world->model.bodies.rows[body_b].material;
    int own = base_pairs_find(&world->model.materials.own_surfaces, a, b);
    if (own >= 0)
        return &world->model.materials.surfaces[own];
    const eng_material *m = world->model.materials.rows;
    return &world->model.materials.surfaces[world->model.materials.followers[follower_of(
        m[a].elasticity_class, m[b].elasticity_class)]];
}
