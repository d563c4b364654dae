// SPDX-License-Identifier: Apache-2.0
// A small heap of bodies under any law, for tests that compare runs bit by bit.
#ifndef CAIRN_TESTS_REGRESS_HEAP_H
#define CAIRN_TESTS_REGRESS_HEAP_H

#include "base/rng.h"
#include "tests/check.h"
#include <cairn/cairn.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct heap_def {
    const char *law, *solver; // NULL: the default
    int threads;
    int iterations; // of the solver, at most; 0: its own limit
    double step;
    double share;    // of the stable step, taken instead of `step`; 0: not
    int layers;      // of 3 x 3 bodies
    bool spheres;    // no other shapes
    double friction; // < 0: the law's default
    double radius;   // m, of the spheres
    cairn_rotation rotation;
    cairn_allocator allocator;
} heap_def;

static inline heap_def default_heap(void)
{
    return (heap_def){.threads = 1, .step = 0.002, .layers = 3, .friction = -1.0, .radius = 0.1};
}

/// Stiff enough for bodies of some kilograms, soft enough for the step.
static inline cairn_status set_law(cairn_world *world, const char *law, cairn_error *error)
{
    static const struct {
        const char *law, *name;
        double value;
    } values[] = {
        {"spring_dashpot", "dashpot", -1.0},
        {"spring_dashpot", "spring", 2e4},
        {"spring_dashpot", "friction", 0.4},
        {"spring_dashpot", "cohesion", 5.0},
        {"incremental", "normal_stiffness", 2e4},
        {"incremental", "shear_stiffness", 1e4},
        {"exudyn_sphere", "contact_stiffness", 2e4},
        {"exudyn_sphere", "contact_damping", 20.0},
        {"exudyn_sphere", "dynamic_friction", 0.4},
        {"exudyn_sphere", "contact_plasticity_ratio", 0.4},
        {"exudyn_sphere", "adhesion_coefficient", 100.0},
        {"hertz_mindlin", "young_modulus", 1e5},
        {"hertz_mindlin", "rolling_friction", 0.1},
        {"mindlin_deresiewicz", "young_modulus", 1e5},
        {"hooke", "normal_stiffness", 2e4},
        {"hooke", "twisting_friction", 0.1},
        {"adhesive", "young_modulus", 1e5},
        {"adhesive", "surface_energy", 20.0},
        {"adhesive", "rolling_friction", 0.1},
        {"parallel_bond", "normal_stiffness", 2e4},
        {"parallel_bond", "bond_normal_stiffness", 1e6},
        {"parallel_bond", "bond_shear_stiffness", 5e5},
        {"parallel_bond", "tensile_strength", 4e3},
    };
    const cairn_material_id none = {0};
    cairn_status status = cairn_pair_set_law(world, none, none, law, error);
    for (size_t i = 0; i < sizeof values / sizeof values[0] && status == CAIRN_OK; i++)
        if (strcmp(values[i].law, law) == 0)
            status = cairn_pair_set_value(world, none, none, values[i].name,
                                          cairn_number(values[i].value), error);
    if (status == CAIRN_OK && strcmp(law, "parallel_bond") == 0)
        status = cairn_pair_set_value(world, none, none, "bonds", cairn_text("always"), error);
    return status;
}

enum { HEAP_SHAPES = 4 };

static inline cairn_status make_shapes(cairn_world *world, const heap_def *def,
                                       cairn_shape_id shapes[HEAP_SHAPES], cairn_error *error)
{
    static const double points[5][3] = {{-0.1, -0.1, -0.08},
                                        {0.1, -0.1, -0.08},
                                        {0.1, 0.1, -0.08},
                                        {-0.1, 0.1, -0.08},
                                        {0.0, 0.0, 0.1}};
    const cairn_shape_kind kinds[HEAP_SHAPES] = {CAIRN_SPHERE, CAIRN_BOX, CAIRN_CAPSULE,
                                                 CAIRN_POLYHEDRON};
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < HEAP_SHAPES && status == CAIRN_OK; i++) {
        cairn_shape_def shape = cairn_default_shape_def(def->spheres ? CAIRN_SPHERE : kinds[i]);
        shape.radius = shape.kind == CAIRN_SPHERE ? def->radius : 0.06;
        shape.half_length = 0.05;
        shape.half_size[0] = shape.half_size[1] = 0.09;
        shape.half_size[2] = 0.07;
        if (shape.kind == CAIRN_POLYHEDRON) {
            shape.points = points;
            shape.point_count = 5;
        }
        status = cairn_shape_create(world, &shape, &shapes[i], error);
    }
    return status;
}

static inline cairn_status add_floor(cairn_world *world, cairn_error *error)
{
    cairn_shape_def shape = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_body_def body = cairn_default_body_def();
    cairn_body_id id;
    body.kind = CAIRN_FIXED;
    cairn_status status = cairn_shape_create(world, &shape, &body.shape, error);
    return status == CAIRN_OK ? cairn_body_create(world, &body, &id, error) : status;
}

static inline cairn_status add_bodies(cairn_world *world, const heap_def *def,
                                      const cairn_shape_id shapes[HEAP_SHAPES], cairn_error *error)
{
    base_rng rng = base_rng_make(7);
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < 9 * def->layers && status == CAIRN_OK; i++) {
        cairn_body_def body = cairn_default_body_def();
        cairn_body_id id;
        body.shape = shapes[i % HEAP_SHAPES];
        body.mass = 2.0 + 0.1 * i;
        body.position[0] = 0.22 * (i % 3) + 0.01 * base_rng_unit(&rng);
        body.position[1] = 0.22 * (i / 3 % 3) + 0.01 * base_rng_unit(&rng);
        body.position[2] = 0.11 + 0.22 * (i / 9);
        body.velocity[2] = -0.5;
        body.angular_velocity[0] = 1.0;
        if (i == 4) {
            // one that is driven, so that drivers do work
            body.kind = CAIRN_MOVING;
            body.velocity[2] = 0.0;
            body.velocity[0] = 0.1;
        }
        status = cairn_body_create(world, &body, &id, error);
    }
    return status;
}

/// A step that is chosen when the bodies are there.
static inline cairn_status choose_step(cairn_world *world, const heap_def *def, cairn_error *error)
{
    if (!(def->share > 0.0))
        return CAIRN_OK;
    cairn_step_limit limit = cairn_world_get_stable_step(world);
    return cairn_world_set_time_step(world, def->share * limit.step, error);
}

/// @return what failed, with *world NULL
static inline cairn_status heap_create(const heap_def *def, cairn_world **world, cairn_error *error)
{
    cairn_world_def settings = cairn_default_world_def();
    settings.time_step = def->step;
    settings.rotation = def->rotation;
    settings.threads = def->threads;
    settings.max_iterations = def->iterations;
    settings.allocator = def->allocator;
    cairn_shape_id shapes[HEAP_SHAPES];
    const cairn_material_id none = {0};
    cairn_material_id stone;
    cairn_status status = cairn_world_create(&settings, world, error);
    // the first one is that of all bodies that name none
    if (status == CAIRN_OK)
        status = cairn_material_create(*world, "stone", &stone, error);
    if (status == CAIRN_OK && def->solver != NULL)
        status = cairn_world_set_solver(*world, def->solver, error);
    if (status == CAIRN_OK && def->law != NULL)
        status = set_law(*world, def->law, error);
    if (status == CAIRN_OK && def->friction >= 0.0)
        status = cairn_pair_set_value(*world, none, none, "friction", cairn_number(def->friction),
                                      error);
    if (status == CAIRN_OK)
        status = make_shapes(*world, def, shapes, error);
    if (status == CAIRN_OK)
        status = add_floor(*world, error);
    if (status == CAIRN_OK)
        status = add_bodies(*world, def, shapes, error);
    if (status == CAIRN_OK)
        status = choose_step(*world, def, error);
    if (status != CAIRN_OK) {
        cairn_world_destroy(*world);
        *world = NULL;
    }
    return status;
}

static inline void must(cairn_status status, const cairn_error *error)
{
    if (status != CAIRN_OK)
        fail_msg("%s", error->message);
}

static inline cairn_world *heap_world(const heap_def *def)
{
    cairn_error error = {0};
    cairn_world *world = NULL;
    must(heap_create(def, &world, &error), &error);
    return world;
}

static inline void heap_steps(cairn_world *world, int count)
{
    cairn_error error = {0};
    for (int i = 0; i < count; i++)
        must(cairn_world_step(world, &error), &error);
    must(cairn_world_validate(world, &error), &error);
}

/// A folder that goes away with heap_folder_remove.
static inline void heap_folder_make(char folder[64])
{
    snprintf(folder, 64, "/tmp/cairn-regress-XXXXXX");
    assert_non_null(mkdtemp(folder));
}

static inline void heap_folder_remove(const char *folder, const char *const *names, int count)
{
    char path[256];
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

#endif
