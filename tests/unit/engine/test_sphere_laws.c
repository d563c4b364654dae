// SPDX-License-Identifier: Apache-2.0
// Laws with kernels, in beds of spheres between walls: same motion, contacts, history, forces and
// energies as contact by contact; same bits from every kernel, any number of threads and after a
// restart.
#include "base/rng.h"
#include "tests/unit/engine/sphere_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SETTINGS = 9, SPHERES = 160 };

typedef struct setting {
    const char *name;
    double value;
    const char *word; // instead of the value
} setting;

typedef struct variant {
    const char *law;
    setting settings[SETTINGS];
} variant;

static const variant variants[] = {
    {"spring_dashpot", {{"spring", 1e4, NULL}, {"dashpot", 0.4, NULL}, {"friction", 0.4, NULL}}},
    {"spring_dashpot",
     {{"spring", 3e5, NULL},
      {"hpow", 1.5, NULL},
      {"dashpot", -1.0, NULL},
      {"friction", 0.3, NULL},
      {"variant", 0.0, "explicit"}}},
    {"spring_dashpot",
     {{"spring", 1e5, NULL},
      {"hpow", 1.3, NULL},
      {"dashpot", -1.0, NULL},
      {"friction", 0.3, NULL}}},
    {"incremental",
     {{"normal_stiffness", 1e4, NULL}, {"shear_stiffness", 4e3, NULL}, {"friction", 0.4, NULL}}},
    {"incremental",
     {{"normal_stiffness", 1e4, NULL},
      {"shear_stiffness", 4e3, NULL},
      {"friction", 0.3, NULL},
      {"shear_strength", 0.02, NULL},
      {"rotation", 0.0, "first_order"},
      {"ratcheting_correction", 0.0, "no"}}},
    {"incremental",
     {{"young_modulus", 2e6, NULL}, {"friction", 0.4, NULL}, {"rotation", 0.0, "first_order"}}},
    {"exudyn_sphere",
     {{"contact_stiffness", 1e4, NULL},
      {"contact_damping", 0.4, NULL},
      {"dynamic_friction", 0.4, NULL}}},
    {"exudyn_sphere",
     {{"contact_stiffness", 3e5, NULL},
      {"contact_stiffness_exponent", 1.5, NULL},
      {"impact_model", 1.0, NULL},
      {"restitution_coefficient", 0.6, NULL},
      {"minimum_impact_velocity", 0.05, NULL},
      {"dynamic_friction", 0.3, NULL}}},
    {"exudyn_sphere",
     {{"contact_stiffness", 1e4, NULL},
      {"impact_model", 2.0, NULL},
      {"restitution_coefficient", 0.3, NULL},
      {"minimum_impact_velocity", 0.05, NULL},
      {"dynamic_friction", 0.3, NULL},
      {"friction_proportional_zone", 0.05, NULL},
      {"compatibility", 0.0, "exudyn"}}},
    {"exudyn_sphere",
     {{"contact_stiffness", 1e4, NULL},
      {"contact_damping", 0.4, NULL},
      {"contact_plasticity_ratio", 0.5, NULL},
      {"adhesion_coefficient", 1e3, NULL},
      {"constant_pull_off_force", 1e-3, NULL},
      {"dynamic_friction", 0.2, NULL}}},
    {"exudyn_sphere",
     {{"contact_stiffness", 3e5, NULL},
      {"contact_stiffness_exponent", 1.5, NULL},
      {"contact_damping", 0.4, NULL},
      {"contact_plasticity_ratio", 0.4, NULL},
      {"adhesion_coefficient", 1e3, NULL},
      {"adhesion_exponent", 1.2, NULL},
      {"dynamic_friction", 0.2, NULL},
      {"compatibility", 0.0, "exudyn"}}},
};

enum { VARIANTS = sizeof variants / sizeof variants[0] };

static void set_law(cairn_world *world, const variant *v)
{
    const cairn_material_id any = {0};
    cairn_error error;
    assert_int_equal(cairn_pair_set_law(world, any, any, v->law, &error), CAIRN_OK);
    for (int i = 0; i < SETTINGS && v->settings[i].name != NULL; i++) {
        const setting *s = &v->settings[i];
        cairn_value value = cairn_number(s->value);
        if (s->word != NULL && strcmp(s->word, "no") == 0)
            value = (cairn_value){.type = CAIRN_BOOLEAN, .boolean = false};
        else if (s->word != NULL)
            value = cairn_text(s->word);
        assert_int_equal(cairn_pair_set_value(world, any, any, s->name, value, &error), CAIRN_OK);
    }
}

/// Floor that drives sideways and turns, two walls, and a box that stands in the bed.
static void add_walls(cairn_world *world, double side)
{
    cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
    cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
    double r = sqrt(0.5),
           turn[5][4] = {{1, 0, 0, 0}, {r, 0, r, 0}, {r, 0, -r, 0}, {r, -r, 0, 0}, {r, r, 0, 0}};
    cairn_shape_id shape;
    assert_int_equal(cairn_shape_create(world, &plane, &shape, NULL), CAIRN_OK);
    for (int i = 0; i < 5; i++) {
        cairn_body_def def = cairn_default_body_def();
        def.kind = i == 0 ? CAIRN_MOVING : CAIRN_FIXED;
        def.shape = shape;
        memcpy(def.orientation, turn[i], sizeof turn[i]);
        def.position[0] = i == 2 ? side : 0.0;
        def.position[1] = i == 4 ? side : 0.0;
        if (i == 0) {
            memcpy(def.velocity, (double[3]){0.2, 0.0, 0.02}, sizeof def.velocity);
            def.angular_velocity[2] = 3.0;
        }
        add_body(world, def);
    }
    cairn_body_def def = cairn_default_body_def();
    memcpy(box.half_size, (double[3]){0.004, 0.003, 0.005}, sizeof box.half_size);
    assert_int_equal(cairn_shape_create(world, &box, &def.shape, NULL), CAIRN_OK);
    def.kind = CAIRN_FIXED;
    memcpy(def.position, (double[3]){0.5 * side, 0.5 * side, -0.0049}, sizeof def.position);
    add_body(world, def);
}

/// Spheres of radius 4.6 to 4.8 mm, thrown together, that overlap a little from the start; some are
/// pushed, some are fixed.
static cairn_world *make_bed(const variant *v, int threads)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world;
    def.time_step = 1e-5;
    def.threads = threads;
    assert_int_equal(cairn_world_create(&def, &world, NULL), CAIRN_OK);
    set_law(world, v);
    int across = (int)ceil(cbrt(SPHERES / 2.0));
    double spacing = 0.0094;
    add_walls(world, spacing * across);
    base_rng rng = base_rng_make(7);
    for (int i = 0; i < SPHERES; i++) {
        cairn_body_def body = cairn_default_body_def();
        body.shape = sphere(world, 0.00455 + 0.00004 * (i % 7));
        body.density = 2500.0;
        body.kind = i % 23 == 3 ? CAIRN_FIXED : CAIRN_DYNAMIC;
        int cell[3] = {i % across, i / across % across, i / across / across};
        for (int k = 0; k < 3; k++) {
            body.position[k] = spacing * (cell[k] + 0.5);
            body.velocity[k] = body.kind == CAIRN_DYNAMIC ? 0.2 * (base_rng_unit(&rng) - 0.5) : 0.0;
            body.angular_velocity[k] =
                body.kind == CAIRN_DYNAMIC ? 40.0 * (base_rng_unit(&rng) - 0.5) : 0.0;
        }
        cairn_body_id id = add_body(world, body);
        if (i % 3 == 1 && body.kind == CAIRN_DYNAMIC)
            assert_int_equal(cairn_body_set_force(world, id, (double[3]){2e-3, 0.0, -1e-2},
                                                  (double[3]){0.0, 1e-5, 1e-5}, NULL),
                             CAIRN_OK);
    }
    return world;
}

/// Energies of blocks of pairs are those of the pairs one by one: as these they are summed when a
/// body was given a state since the step, even its own.
static void check_sums(cairn_world *world)
{
    cairn_energy together = cairn_world_get_energy(world);
    cairn_body_id body = cairn_body_at(world, cairn_body_count(world) - 1);
    cairn_body_view view;
    assert_int_equal(cairn_body_get(world, body, &view), CAIRN_OK);
    assert_int_equal(
        cairn_body_set_velocity(world, body, view.velocity, view.angular_velocity, NULL), CAIRN_OK);
    cairn_energy alone = cairn_world_get_energy(world);
    double scale = alone.kinetic + alone.elastic;
    check_close(together.kinetic, alone.kinetic, 0.0, 1e-12 * scale);
    check_close(together.potential, alone.potential, 0.0, 1e-12 * scale);
    check_close(together.elastic, alone.elastic, 0.0, 1e-12 * scale);
    check_close(together.damping, alone.damping, 0.0, 1e-9 * scale);
    check_close(together.friction, alone.friction, 0.0, 1e-9 * scale);
}

static void test_motion(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        cairn_world *fast = make_bed(&variants[i], 1), *slow = make_bed(&variants[i], 1);
        int done = 0, until[] = {10, 80, 240};
        // round-off grows: the bed is chaotic
        double tolerance[] = {1e-13, 1e-11, 1e-8};
        for (int k = 0; k < 3; k++) {
            run(fast, until[k] - done, false);
            run(slow, until[k] - done, true);
            done = until[k];
            check_bodies(fast, slow, tolerance[k]);
            check_contacts(fast, slow, tolerance[k]);
            check_forces(fast, slow, tolerance[k]);
            check_energies(fast, slow, 1e-4);
            double scale = cairn_world_get_energy(slow).kinetic;
            check_close(cairn_world_get_energy(fast).plastic, cairn_world_get_energy(slow).plastic,
                        1e-9, 1e-9 * scale);
        }
        assert_true(cairn_contact_count(fast) > SPHERES / 2);
        check_sums(fast);
        cairn_world_destroy(fast);
        cairn_world_destroy(slow);
    }
}

static void test_same_bits(void **state)
{
    (void)state;
    const char *kernels[] = {"avx2", "avx512"};
    for (int i = 0; i < VARIANTS; i++) {
        uint64_t expected = sphere_hash(make_bed(&variants[i], 1), "scalar", 300);
        for (int k = 0; k < 2; k++) {
            uint64_t hash = sphere_hash(make_bed(&variants[i], 1), kernels[k], 300);
            assert_true(hash == 0 || hash == expected);
        }
        for (int threads = 2; threads <= 3; threads++)
            assert_true(sphere_hash(make_bed(&variants[i], threads), NULL, 300) == expected);
    }
}

/// Slots that spheres get in the middle of a run take over motion and history.
static void test_hand_over(void **state)
{
    (void)state;
    for (int i = 0; i < VARIANTS; i++) {
        cairn_world *mixed = make_bed(&variants[i], 1), *slow = make_bed(&variants[i], 1);
        run(slow, 200, true);
        run(mixed, 120, true);
        run(mixed, 80, false);
        check_bodies(mixed, slow, 1e-9);
        check_contacts(mixed, slow, 1e-9);
        check_energies(mixed, slow, 1e-4);
        cairn_world_destroy(mixed);
        cairn_world_destroy(slow);
    }
}

static void test_restart(void **state)
{
    (void)state;
    char path[] = "/tmp/cairn-sphere-laws-XXXXXX";
    int file = mkstemp(path);
    cairn_error error;
    assert_true(file >= 0);
    close(file);
    for (int i = 0; i < VARIANTS; i++) {
        cairn_world *world = make_bed(&variants[i], 1), *again = make_bed(&variants[i], 2);
        run(world, 150, false);
        assert_int_equal(cairn_world_save(world, path, "", &error), CAIRN_OK);
        assert_int_equal(cairn_world_restore(again, path, &error), CAIRN_OK);
        run(world, 100, false);
        run(again, 100, false);
        assert_true(cairn_world_get_hash(world) == cairn_world_get_hash(again));
        assert_true(cairn_world_get_energy(world).plastic == cairn_world_get_energy(again).plastic);
        assert_true(cairn_world_get_energy(world).friction ==
                    cairn_world_get_energy(again).friction);
        cairn_world_destroy(world);
        cairn_world_destroy(again);
    }
    assert_int_equal(remove(path), 0);
}

/// What kernels do not have goes contact by contact.
static void test_not_covered(void **state)
{
    (void)state;
    static const variant others[] = {
        {"spring_dashpot", {{"spring", 1e4, NULL}, {"cohesion", 1.0, NULL}}},
        {"incremental", {{"displacement", 0.0, "rotation"}}},
        {"signorini_coulomb", {{NULL, 0.0, NULL}}},
    };
    for (int i = 0; i < 3; i++) {
        cairn_world *world = make_bed(&others[i], 1);
        cairn_error error;
        assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
        assert_int_equal(eng_spheres_slot_count(world), 0);
        cairn_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_motion),      cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_hand_over),   cmocka_unit_test(test_restart),
        cmocka_unit_test(test_not_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
