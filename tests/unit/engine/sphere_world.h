// SPDX-License-Identifier: Apache-2.0
// Worlds of spheres for tests of the sphere executor, and their comparison with the general passes.
#ifndef CAIRN_TESTS_SPHERE_WORLD_H
#define CAIRN_TESTS_SPHERE_WORLD_H

#include "engine/pairs/spheres/spheres.h"
#include "engine/state/world.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static inline cairn_material_id material(cairn_world *world, const char *name)
{
    cairn_material_id id;
    assert_int_equal(cairn_material_create(world, name, &id, NULL), CAIRN_OK);
    return id;
}

static inline void set_number(cairn_world *world, cairn_material_id a, cairn_material_id b,
                              const char *name, double value)
{
    assert_int_equal(cairn_pair_set_value(world, a, b, name, cairn_number(value), NULL), CAIRN_OK);
}

static inline void set_pair(cairn_world *world, cairn_material_id a, cairn_material_id b,
                            const char *law, double scale)
{
    assert_int_equal(cairn_pair_set_law(world, a, b, law, NULL), CAIRN_OK);
    bool hooke = strcmp(law, "hooke") == 0;
    set_number(world, a, b, hooke ? "normal_stiffness" : "young_modulus",
               scale * (hooke ? 1e4 : 1e7));
    set_number(world, a, b, "restitution", 0.6);
    set_number(world, a, b, "friction", 0.4 * scale);
}

/// Rolling and twisting resistance, with springs of their own or with that against sliding.
static inline void set_resistance(cairn_world *world, cairn_material_id a, cairn_material_id b,
                                  bool own)
{
    set_number(world, a, b, "rolling_friction", own ? 0.2 : 0.05);
    set_number(world, a, b, "twisting_friction", own ? 0.1 : 0.03);
    if (!own)
        return;
    set_number(world, a, b, "rolling_stiffness", 4e3);
    set_number(world, a, b, "rolling_damping", 0.2);
    set_number(world, a, b, "twisting_stiffness", 6e3);
    set_number(world, a, b, "twisting_damping", 0.1);
}

static inline cairn_body_id add_body(cairn_world *world, cairn_body_def def)
{
    cairn_body_id id;
    cairn_error error;
    assert_int_equal(cairn_body_create(world, &def, &id, &error), CAIRN_OK);
    return id;
}

static inline cairn_shape_id sphere(cairn_world *world, double radius)
{
    cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
    cairn_shape_id id;
    def.radius = radius;
    assert_int_equal(cairn_shape_create(world, &def, &id, NULL), CAIRN_OK);
    return id;
}

static inline void run(cairn_world *world, int steps, bool ordinary)
{
    cairn_error error;
    for (int i = 0; i < steps; i++) {
        world->scratch.general.due =
            world->scratch.general.due || world->model.general_only != ordinary;
        world->model.general_only = ordinary;
        if (cairn_world_step(world, &error) != CAIRN_OK)
            fail_msg("%s", error.message);
        assert_int_equal(eng_spheres_slot_count(world) > 0, !ordinary);
    }
    assert_int_equal(cairn_world_validate(world, &error), CAIRN_OK);
}

static inline void check_bodies(const cairn_world *a, const cairn_world *b, double tolerance)
{
    for (int i = 0; i < cairn_body_count(a); i++) {
        cairn_body_view x, y;
        assert_int_equal(cairn_body_get(a, cairn_body_at(a, i), &x), CAIRN_OK);
        assert_int_equal(cairn_body_get(b, cairn_body_at(b, i), &y), CAIRN_OK);
        for (int k = 0; k < 3; k++) {
            check_close(x.position[k], y.position[k], 0.0, 0.01 * tolerance);
            check_close(x.velocity[k], y.velocity[k], 0.0, tolerance);
            check_close(x.angular_velocity[k], y.angular_velocity[k], 0.0, 300.0 * tolerance);
        }
        for (int k = 0; k < 4; k++)
            check_close(x.orientation[k], y.orientation[k], 0.0, tolerance);
    }
}

/// The axes along the surface turn where the normal differs by round-off.
static inline void world_velocity(const cairn_contact_view *view, double velocity[3])
{
    vec3 n = vec3_from(view->normal), t1, t2;
    vec3_tangents(n, &t1, &t2);
    vec3 v = vec3_add_scaled(vec3_scale(view->velocity[0], n), view->velocity[1], t1);
    vec3_store(velocity, vec3_add_scaled(v, view->velocity[2], t2));
}

/// A contact with the place it has in its world.
typedef struct placed_contact {
    cairn_contact_view view;
    int place;
} placed_contact;

static inline int compare_placed(const void *a, const void *b)
{
    const placed_contact *x = a, *y = b;
    if (x->view.a.index != y->view.a.index)
        return x->view.a.index < y->view.a.index ? -1 : 1;
    if (x->view.b.index != y->view.b.index)
        return x->view.b.index < y->view.b.index ? -1 : 1;
    if (x->view.key != y->view.key)
        return x->view.key < y->view.key ? -1 : 1;
    // members of clumps have the same keys
    return (x->view.gap > y->view.gap) - (x->view.gap < y->view.gap);
}

/// Contacts by their bodies and features; to be freed.
static inline placed_contact *sorted_contacts(const cairn_world *world)
{
    int count = cairn_contact_count(world);
    placed_contact *list = malloc((size_t)(count + 1) * sizeof *list);
    assert_non_null(list);
    for (int i = 0; i < count; i++) {
        cairn_contact_get(world, i, &list[i].view);
        list[i].place = i;
    }
    qsort(list, (size_t)count, sizeof *list, compare_placed);
    return list;
}

static inline void history_of(const cairn_world *world, int i, double history[CON_HISTORY_MAX])
{
    if (i < world->contacts.set.count)
        memcpy(history, world->contacts.set.history[i], CON_HISTORY_MAX * sizeof *history);
    else
        eng_spheres_contact_history(world, i - world->contacts.set.count, history);
}

/// @param turned  m/s, how far velocities at contacts may differ
static inline void check_turned(const cairn_world *a, const cairn_world *b, double tolerance,
                                double turned)
{
    int count = cairn_contact_count(a);
    assert_int_equal(count, cairn_contact_count(b));
    assert_int_equal(cairn_world_get_report(a)->contacts, cairn_world_get_report(b)->contacts);
    placed_contact *of_a = sorted_contacts(a), *of_b = sorted_contacts(b);
    for (int i = 0; i < count; i++) {
        const cairn_contact_view x = of_a[i].view, y = of_b[i].view;
        double history[2][CON_HISTORY_MAX];
        history_of(a, of_a[i].place, history[0]);
        history_of(b, of_b[i].place, history[1]);
        assert_int_equal(x.a.index, y.a.index);
        assert_int_equal(x.b.index, y.b.index);
        assert_true(x.key == y.key);
        check_close(x.gap, y.gap, 0.0, 0.01 * tolerance);
        double velocity[2][3];
        world_velocity(&x, velocity[0]);
        world_velocity(&y, velocity[1]);
        for (int k = 0; k < 3; k++) {
            check_close(x.normal[k], y.normal[k], 0.0, 10.0 * tolerance);
            check_close(x.point[k], y.point[k], 0.0, 0.1 * tolerance);
            // the dashpot's part is kept in single precision
            check_close(x.force[k], y.force[k], 0.0, 1e3 * tolerance + 1e-7);
            check_close(velocity[0][k], velocity[1][k], 0.0, turned);
        }
        for (int k = 0; k < CON_HISTORY_MAX; k++)
            check_close(history[0][k], history[1][k], 1e5 * tolerance, 1e3 * tolerance);
    }
    free(of_a);
    free(of_b);
}

static inline void check_contacts(const cairn_world *a, const cairn_world *b, double tolerance)
{
    check_turned(a, b, tolerance, 10.0 * tolerance);
}

static inline void check_forces(const cairn_world *a, const cairn_world *b, double tolerance)
{
    for (int i = 0; i < cairn_body_count(a); i++) {
        double f[2][3], t[2][3];
        cairn_body_id in_a = cairn_body_at(a, i), in_b = cairn_body_at(b, i);
        assert_int_equal(cairn_body_get_contact_force(a, in_a, f[0], t[0]), CAIRN_OK);
        assert_int_equal(cairn_body_get_contact_force(b, in_b, f[1], t[1]), CAIRN_OK);
        for (int k = 0; k < 3; k++) {
            check_close(f[0][k], f[1][k], 1e-7, 1e4 * tolerance + 1e-7);
            check_close(t[0][k], t[1][k], 1e-7, 1e4 * tolerance + 1e-9);
        }
    }
}

/// The parts of the audit differ by the lagged half-steps alone.
/// @param stored  how far the energies stored and delivered may differ
static inline void check_audits(const cairn_world *a, const cairn_world *b, double tolerance,
                                double stored)
{
    cairn_energy x = cairn_world_get_energy(a), y = cairn_world_get_energy(b);
    double scale = x.kinetic + x.damping + x.friction;
    check_close(x.kinetic, y.kinetic, 0.0, 1e-9 * scale);
    check_close(x.potential, y.potential, 0.0, 1e-9 * scale);
    check_close(x.elastic, y.elastic, 0.0, stored * scale);
    check_close(x.drivers, y.drivers, 0.0, stored * scale);
    check_close(x.damping, y.damping, 0.0, tolerance * scale);
    check_close(x.friction, y.friction, 0.0, tolerance * scale);
    check_close(x.residual, y.residual, 0.0, tolerance * scale);
}

static inline void check_energies(const cairn_world *a, const cairn_world *b, double tolerance)
{
    check_audits(a, b, tolerance, 1e-9);
}

/// Hash of a world and its audit after steps with those kernels, on ranges of one chunk, so that
/// threads share even a small bed; 0 where the kernels cannot run. The world is destroyed.
static inline uint64_t sphere_hash(cairn_world *world, const char *kernel, int steps)
{
    if (kernel != NULL && !eng_spheres_choose_kernel(world, kernel)) {
        cairn_world_destroy(world);
        return 0;
    }
    assert_true(eng_spheres_choose_ranges(world, 1));
    run(world, steps, false);
    uint64_t hash = cairn_world_get_hash(world);
    cairn_energy e = cairn_world_get_energy(world);
    double parts[] = {e.damping, e.friction, e.elastic, e.drivers};
    for (int i = 0; i < 4; i++) {
        uint64_t bits;
        memcpy(&bits, &parts[i], sizeof bits);
        hash = hash * 1099511628211u ^ bits;
    }
    cairn_world_destroy(world);
    return hash;
}

#endif
