// SPDX-License-Identifier: Apache-2.0
// cairn: materials, and the contact law of each pair of them.
#ifndef CAIRN_MATERIAL_H
#define CAIRN_MATERIAL_H

#include <cairn/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A named surface. Unnamed pairs of materials use the world's default pair. A body or grain that
/// names no material has the first one. Where there is none yet, the first that is created is its
/// own from then on, and refused where it would change a mass that was made from a density of 1000.
/// Tests: tests/python/test_materials.py
CAIRN_API cairn_status cairn_material_create(cairn_world *world, const char *name,
                                             cairn_material_id *material,
                                             cairn_error *error) CAIRN_CHECK_RESULT;
/// Null id when there is none of that name.
CAIRN_API cairn_material_id cairn_material_find(const cairn_world *world, const char *name);
/// Materials in order of creation: 0 .. count-1; they stay as long as the world.
CAIRN_API int cairn_material_count(const cairn_world *world);
CAIRN_API cairn_material_id cairn_material_at(const cairn_world *world, int index);
CAIRN_API const char *cairn_material_get_name(const cairn_world *world, cairn_material_id material);

/// One property of a material: "density" (kg/m3, default 1000), "young_modulus" (Pa) or
/// "poisson_ratio" (default 0.3). Bodies and grains that are made from then on take the density
/// where they give none. Laws with moduli take them from the two materials of a pair, docs/laws.md
/// section 7.5, unless the pair gives one of them itself.
CAIRN_API cairn_status cairn_material_set_value(cairn_world *world, cairn_material_id material,
                                                const char *property, double value,
                                                cairn_error *error) CAIRN_CHECK_RESULT;
/// Value of a property; of a modulus that was not given 0.
/// @return CAIRN_ERROR_STALE_ID or CAIRN_ERROR_NOT_FOUND, and 0 for a value
CAIRN_API cairn_status cairn_material_get_value(const cairn_world *world,
                                                cairn_material_id material, const char *property,
                                                double *value) CAIRN_CHECK_RESULT;

/// Law of a pair of materials (null ids: of the default pair); its parameters return to defaults.
/// A pair that was never set follows the default pair. Between steps, contacts keep the forces of
/// the last one, from which the next solve of an implicit law starts.
CAIRN_API cairn_status cairn_pair_set_law(cairn_world *world, cairn_material_id a,
                                          cairn_material_id b, const char *law,
                                          cairn_error *error) CAIRN_CHECK_RESULT;
/// One parameter of the pair's law, e.g. "friction", "restitution".
CAIRN_API cairn_status cairn_pair_set_value(cairn_world *world, cairn_material_id a,
                                            cairn_material_id b, const char *parameter,
                                            cairn_value value,
                                            cairn_error *error) CAIRN_CHECK_RESULT;
CAIRN_API const char *cairn_pair_get_law(const cairn_world *world, cairn_material_id a,
                                         cairn_material_id b);
/// One parameter of the pair's law.
/// @return CAIRN_ERROR_STALE_ID or CAIRN_ERROR_NOT_FOUND, and 0 for a value
CAIRN_API cairn_status cairn_pair_get_value(const cairn_world *world, cairn_material_id a,
                                            cairn_material_id b, const char *parameter,
                                            cairn_value *value) CAIRN_CHECK_RESULT;

#ifdef __cplusplus
}
#endif

#endif
