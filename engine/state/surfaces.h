// SPDX-License-Identifier: Apache-2.0
// Surfaces: the law of each pair of materials, made for the pairs that need one.
//
// Surface 0 is the default pair. A pair that was given a law or a parameter has a surface of its
// own. All others follow the default pair; where its law has moduli and the materials give some,
// the surface is that of the moduli's classes, which materials join when a body has them.
#ifndef CAIRN_ENGINE_STATE_SURFACES_H
#define CAIRN_ENGINE_STATE_SURFACES_H

#include "engine/state/world_model.h"
#include <cairn/cairn.h>

/// Before a body has the material.
cairn_status eng_material_use(cairn_world *world, int material) CAIRN_CHECK_RESULT;

/// The density of a body or grain, kg/m3: the one that it gives, or with 0 that of its material.
double eng_material_density(const cairn_world *world, cairn_material_id id, double given);

/// The material of a body that is made now, or of grains that will be: those without one get the
/// first, made where there is none. It is in use from here on.
/// @param weighed  a mass was made from the material's density
cairn_status eng_material_take(cairn_world *world, cairn_material_id id, bool weighed,
                               int *material, cairn_error *error) CAIRN_CHECK_RESULT;

/// After the moduli of a material have changed.
cairn_status eng_material_changed(cairn_world *world, int material) CAIRN_CHECK_RESULT;

/// Surface of two materials, whether a body has them or not; in *scratch where there is none yet.
const eng_surface *eng_surface_between(const cairn_world *world, int a, int b,
                                       eng_surface *scratch);

/// The pair's own surface, split off (with its law and parameters) if it had none.
cairn_status eng_surface_own(cairn_world *world, int a, int b, int *index) CAIRN_CHECK_RESULT;

/// After law or parameters of a surface have changed: 0, or one of a pair's own.
cairn_status eng_surface_changed(cairn_world *world, int index) CAIRN_CHECK_RESULT;

/// Whether a parameter is a modulus, which materials can give.
bool eng_is_modulus(const char *parameter);

/// Moduli that came from materials give way to the law's defaults.
void eng_surface_drop_moduli(eng_surface *surface);

/// Surface of a pair of bodies.
const eng_surface *eng_surface_of(const cairn_world *world, int body_a, int body_b);

#endif
