// SPDX-License-Identifier: Apache-2.0
// Mixtures: checked, their shares turned into shares by number, and their shapes scaled.
#include "engine/grains/mixture.h"
#include "engine/state/actions.h"
#include "engine/state/world.h"

#include "base/elementary.h"
#include "engine/state/ids.h"
#include "engine/state/surfaces.h"

#include <string.h>

enum { COMPONENTS_MAX = 1000 };

/// Volume of a shape as it is, m3; that of spheres of a metre where there is none.
static double volume_of(const cairn_world *world, cairn_shape_id shape)
{
    return shape.generation == 0 ? M_PI / 6.0
                                 : geo_shape_mass(world->model.shapes.rows[shape.index]).volume;
}

/// What multiplies lengths of the component's shape for a size.
static double factor_of(const eng_component *component, double size)
{
    return component->sizes != NULL ? size / base_pow(component->volume / (M_PI / 6.0), 1.0 / 3.0)
                                    : 1.0;
}

static cairn_status scale_points(const cairn_shape_view *view, double factor, double (**points)[3])
{
    const base_allocator allocator = base_allocator_default();
    *points = base_allocate(&allocator, (size_t)view->vertex_count, sizeof **points);
    for (int i = 0; i < view->vertex_count && *points != NULL; i++)
        for (int k = 0; k < 3; k++)
            (*points)[i][k] = factor * view->vertices[i][k];
    return *points != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static cairn_status scale_convex(cairn_world *world, cairn_shape_id from, double factor,
                                 cairn_shape_id *made, cairn_error *error)
{
    cairn_shape_view view;
    cairn_status status = cairn_shape_get(world, from, &view);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "shape");
    cairn_shape_def def = cairn_default_shape_def(view.kind);
    double(*points)[3] = NULL;
    def.radius = factor * view.radius;
    def.half_length = factor * view.half_length;
    def.rounding = factor * view.rounding;
    for (int k = 0; k < 3; k++)
        def.half_size[k] = factor * view.half_size[k];
    if (view.kind == CAIRN_POLYHEDRON)
        status = scale_points(&view, factor, &points);
    def.points = (const double(*)[3])points;
    def.point_count = points != NULL ? view.vertex_count : 0;
    status = status == CAIRN_OK
                 ? cairn_shape_create(world, &def, made, error)
                 : base_fail(error, status, "out of memory for the shape of a grain");
    const base_allocator allocator = base_allocator_default();
    base_release(&allocator, points);
    return status;
}

/// Members are shapes of the world, by which viewers know them.
static cairn_status scale_compound(cairn_world *world, cairn_shape_id from, double factor,
                                   cairn_shape_id *made, cairn_error *error)
{
    const base_allocator allocator = base_allocator_default();
    cairn_shape_view view;
    cairn_status status = cairn_shape_get(world, from, &view);
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "shape");
    size_t count = (size_t)view.member_count;
    cairn_shape_id *members = base_allocate(&allocator, count, sizeof *members);
    double(*places)[3] = base_allocate(&allocator, count, sizeof *places);
    double(*turns)[4] = base_allocate(&allocator, count, sizeof *turns);
    if (members == NULL || places == NULL || turns == NULL)
        status = base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for the shape of a grain");
    for (size_t i = 0; i < count && status == CAIRN_OK; i++) {
        // members are looked up again: the lists of the world grow with each shape
        status = cairn_shape_get(world, from, &view);
        for (int k = 0; k < 3; k++)
            places[i][k] = factor * view.member_placements[i].position[k];
        memcpy(turns[i], view.member_placements[i].orientation, sizeof turns[i]);
        status = status == CAIRN_OK
                     ? scale_convex(world, view.members[i], factor, &members[i], error)
                     : status;
    }
    cairn_shape_def def = cairn_default_shape_def(CAIRN_COMPOUND);
    def.members = members;
    def.member_positions = (const double(*)[3])places;
    def.member_orientations = (const double(*)[4])turns;
    def.member_count = (int)count;
    if (status == CAIRN_OK)
        status = cairn_shape_create(world, &def, made, error);
    base_release(&allocator, members);
    base_release(&allocator, places);
    base_release(&allocator, turns);
    return status;
}

/// The component's shape, or a sphere, of a size.
static cairn_status make_shape(cairn_world *world, const eng_component *component, double size,
                               cairn_shape_id *made, cairn_error *error)
{
    double factor = factor_of(component, size);
    if (component->def.shape.generation == 0) {
        cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
        def.radius = 0.5 * size;
        return cairn_shape_create(world, &def, made, error);
    }
    bool compound = world->model.shapes.rows[component->def.shape.index]->kind == GEO_COMPOUND;
    return compound ? scale_compound(world, component->def.shape, factor, made, error)
                    : scale_convex(world, component->def.shape, factor, made, error);
}

static cairn_status check_component(const cairn_world *world, const cairn_grain_def *def,
                                    cairn_error *error)
{
    bool shaped = def->shape.generation != 0;
    cairn_status status = shaped ? eng_shape_check(world, def->shape) : CAIRN_OK;
    if (status != CAIRN_OK)
        return eng_fail_id(error, status, "shape");
    if (shaped && !(volume_of(world, def->shape) > 0.0 &&
                    world->model.shapes.rows[def->shape.index]->kind != GEO_MESH))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "a grain cannot be a %s",
                         geo_kind_name(world->model.shapes.rows[def->shape.index]->kind));
    if (!shaped && def->size.kind == CAIRN_SIZE_CONSTANT && !(def->size.first > 0.0))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "a grain needs a shape, or the size of a sphere above 0 m");
    if (!(def->density >= 0.0 && isfinite(def->density)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT,
                         "density of grains = %g must be greater than 0 kg/m3, or 0 for the "
                         "material's",
                         def->density);
    if (!(def->share > 0.0 && isfinite(def->share)))
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "share of grains = %g must be greater than 0",
                         def->share);
    return CAIRN_OK;
}

/// Shapes that are made beforehand: of kinds that a checkpoint does not make again.
static cairn_status make_classes(cairn_world *world, eng_component *component, cairn_error *error)
{
    const cairn_grain_def *def = &component->def;
    bool shaped = def->shape.generation != 0;
    geo_kind kind = shaped ? world->model.shapes.rows[def->shape.index]->kind : GEO_SPHERE;
    if (component->sizes == NULL) {
        component->classes[0] = def->shape;
        component->class_count = 1;
        return CAIRN_OK;
    }
    bool single = def->size.kind == CAIRN_SIZE_CONSTANT;
    component->class_count = single                                           ? 1
                             : kind == GEO_POLYHEDRON || kind == GEO_COMPOUND ? ENG_GRAIN_CLASSES
                                                                              : 0;
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < component->class_count && status == CAIRN_OK; i++) {
        double share = (i + 0.5) / component->class_count;
        status = make_shape(world, component, cairn_sizes_quantile(component->sizes, share),
                            &component->classes[i], error);
    }
    return status;
}

static cairn_status make_component(cairn_world *world, const cairn_grain_def *def,
                                   eng_component *component, cairn_error *error)
{
    cairn_status status = check_component(world, def, error);
    if (status != CAIRN_OK)
        return status;
    *component = (eng_component){.def = *def, .volume = volume_of(world, def->shape)};
    component->def.size.points = NULL;
    component->def.density = eng_material_density(world, def->material, def->density);
    // surfaces are numbered as materials come into use: now, as after a restart, and not with the
    // first grain
    int material;
    status = eng_material_take(world, def->material, def->density == 0.0, &material, error);
    if (status != CAIRN_OK)
        return status;
    if (def->size.kind != CAIRN_SIZE_CONSTANT || def->size.first != 0.0)
        status = cairn_sizes_create(&def->size, &component->sizes, error);
    return status == CAIRN_OK ? make_classes(world, component, error) : status;
}

cairn_status eng_mixture_create(cairn_world *world, const cairn_grain_def *defs, int count,
                                bool shares_by_mass, eng_mixture *mixture, cairn_error *error)
{
    *mixture = (eng_mixture){0};
    if (defs == NULL || count < 1 || count > COMPONENTS_MAX)
        return base_fail(error, CAIRN_ERROR_ARGUMENT, "%d kinds of grains, of 1 to %d", count,
                         COMPONENTS_MAX);
    mixture->components =
        base_allocate(&world->model.allocator, (size_t)count, sizeof *mixture->components);
    if (mixture->components == NULL)
        return base_fail(error, CAIRN_ERROR_MEMORY, "out of memory for a mixture of grains");
    cairn_status status = CAIRN_OK;
    double sum = 0.0, mass = 0.0;
    for (int i = 0; i < count && status == CAIRN_OK; i++) {
        eng_component *component = &mixture->components[mixture->count++];
        status = make_component(world, &defs[i], component, error);
        if (status != CAIRN_OK)
            break;
        bool sized = component->sizes != NULL;
        double volume = sized ? cairn_sizes_mean_volume(component->sizes) : component->volume;
        double mean = component->def.density * volume;
        double number = defs[i].share / (shares_by_mass ? mean : 1.0);
        double ball = defs[i].shape.generation != 0
                          ? world->model.shapes.rows[defs[i].shape.index]->bounding_radius
                          : 0.5;
        double size = sized ? cairn_sizes_quantile(component->sizes, 1.0) : 0.0;
        mixture->largest = fmax(mixture->largest, ball * factor_of(component, size));
        component->share = sum += number;
        mass += number * mean;
    }
    if (status != CAIRN_OK) {
        eng_mixture_release(&world->model.allocator, mixture);
        return status;
    }
    mixture->mean_mass = mass / sum;
    for (int i = 0; i < count; i++)
        mixture->components[i].share /= sum;
    return CAIRN_OK;
}

void eng_mixture_release(const base_allocator *allocator, eng_mixture *mixture)
{
    for (int i = 0; i < mixture->count; i++)
        cairn_sizes_destroy(mixture->components[i].sizes);
    base_release(allocator, mixture->components);
    *mixture = (eng_mixture){0};
}

void eng_mixture_extremes(const eng_component *component, eng_coming grain[2])
{
    const cairn_grain_def *def = &component->def;
    bool shaped = def->shape.generation != 0;
    for (int i = 0; i < 2; i++) {
        double size = component->sizes != NULL ? cairn_sizes_quantile(component->sizes, i) : 0.0;
        double factor = factor_of(component, size);
        grain[i] = (eng_coming){.shape = shaped ? (int)def->shape.index : -1,
                                .factor = factor,
                                .mass = def->density * component->volume * factor * factor * factor,
                                .material = (int)def->material.index};
    }
}

eng_grain eng_mixture_draw(const eng_mixture *mixture, base_rng *rng)
{
    double which = base_rng_unit(rng), share = base_rng_unit(rng);
    int at = 0;
    while (at < mixture->count - 1 && which >= mixture->components[at].share)
        at++;
    eng_grain grain = {.component = &mixture->components[at]};
    const eng_component *component = grain.component;
    double volume = component->volume;
    if (component->class_count > 0) {
        grain.sort = (int)(share * component->class_count);
        share = (grain.sort + 0.5) / component->class_count;
    }
    if (component->sizes != NULL) {
        grain.size = cairn_sizes_quantile(component->sizes, share);
        volume = M_PI / 6.0 * grain.size * grain.size * grain.size;
    }
    grain.mass = component->def.density * volume;
    return grain;
}

cairn_status eng_grain_shape(cairn_world *world, const eng_grain *grain, cairn_shape_id *shape,
                             cairn_error *error)
{
    const eng_component *component = grain->component;
    if (component->class_count > 0) {
        *shape = component->classes[grain->sort];
        return CAIRN_OK;
    }
    cairn_status status = make_shape(world, component, grain->size, shape, error);
    if (status == CAIRN_OK)
        world->model.shapes.rows[shape->index]->with_body = 1;
    return status;
}

void eng_grain_shape_drop(cairn_world *world, const eng_grain *grain, cairn_shape_id shape)
{
    if (grain->component->class_count == 0 && cairn_shape_remove(world, shape, NULL) != CAIRN_OK)
        return; // it stays, and costs memory alone
}

void eng_grain_turn(base_rng *rng, double out[4])
{
    // a random point of the unit sphere in four dimensions
    double u = base_rng_unit(rng), a = 2.0 * M_PI * base_rng_unit(rng);
    double b = 2.0 * M_PI * base_rng_unit(rng);
    out[0] = sqrt(1.0 - u) * base_sin(a);
    out[1] = sqrt(1.0 - u) * base_cos(a);
    out[2] = sqrt(u) * base_sin(b);
    out[3] = sqrt(u) * base_cos(b);
}

uint64_t eng_mixture_hash(const cairn_world *world, const cairn_grain_def *defs, int count,
                          uint64_t hash)
{
    for (int i = 0; i < count; i++) {
        const cairn_size_def *size = &defs[i].size;
        double density = eng_material_density(world, defs[i].material, defs[i].density);
        const double numbers[] = {size->first,   size->second, size->minimum,      size->maximum,
                                  defs[i].share, density,      (double)size->kind, size->by_mass};
        hash = base_hash_bytes(hash, numbers, sizeof numbers);
        hash = base_hash_bytes(hash, &defs[i].shape.index, sizeof(uint32_t));
        hash = base_hash_bytes(hash, &defs[i].material.index, sizeof(uint32_t));
        if (size->point_count > 0)
            hash = base_hash_bytes(hash, size->points,
                                   (size_t)size->point_count * sizeof *size->points);
    }
    return hash;
}
