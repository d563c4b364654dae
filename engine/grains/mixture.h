// SPDX-License-Identifier: Apache-2.0
// Mixtures of grains: which grain comes next, and its shape.
#ifndef CAIRN_ENGINE_GRAINS_MIXTURE_H
#define CAIRN_ENGINE_GRAINS_MIXTURE_H

#include "base/memory.h"
#include "base/rng.h"
#include "engine/state/actions.h"
#include <cairn/grains.h>

/// Hulls and compounds come in this many sizes.
enum { ENG_GRAIN_CLASSES = 16 };

typedef struct eng_component {
    cairn_grain_def def;
    cairn_sizes *sizes;                        // NULL: the shape as it is
    cairn_shape_id classes[ENG_GRAIN_CLASSES]; // of hulls and compounds; [0] alone of a shape as it
                                               // is, or of spheres of one size
    int class_count;                           // 0: each grain gets a shape of its own
    double volume;                             // m3, of the shape of `def`
    double share;                              // by number, together with those before
} eng_component;

typedef struct eng_mixture {
    eng_component *components; // [count] owned
    int count;
    double mean_mass; // kg
    double largest;   // m, radius of the ball about its origin that holds any grain
} eng_mixture;

/// One grain, drawn.
typedef struct eng_grain {
    const eng_component *component;
    double size; // m
    double mass; // kg
    int sort;    // of the component's classes
} eng_grain;

/// @return as cairn_emitter_create; on failure nothing stays
cairn_status eng_mixture_create(cairn_world *world, const cairn_grain_def *defs, int count,
                                bool shares_by_mass, eng_mixture *mixture,
                                cairn_error *error) CAIRN_CHECK_RESULT;
void eng_mixture_release(const base_allocator *allocator, eng_mixture *mixture);

/// The smallest and the largest grain of a component.
void eng_mixture_extremes(const eng_component *component, eng_coming grain[2]);

eng_grain eng_mixture_draw(const eng_mixture *mixture, base_rng *rng);

/// The shape of a grain: one that is there, or a new one that goes with its last body.
cairn_status eng_grain_shape(cairn_world *world, const eng_grain *grain, cairn_shape_id *shape,
                             cairn_error *error) CAIRN_CHECK_RESULT;

/// Gives a shape up again that eng_grain_shape made, where no body has got it.
void eng_grain_shape_drop(cairn_world *world, const eng_grain *grain, cairn_shape_id shape);

/// A random orientation, w x y z, each as likely as any other.
void eng_grain_turn(base_rng *rng, double orientation[4]);

/// Of the definitions.
uint64_t eng_mixture_hash(const cairn_world *world, const cairn_grain_def *defs, int count,
                          uint64_t hash);

#endif
