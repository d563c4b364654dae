// SPDX-License-Identifier: Apache-2.0
// What worlds cost: bytes of a sphere, of a material, of a change; bits that do not depend on when
// the state is given back; an executor that cannot be left for lack of memory goes on.
#include "base/rng.h"
#include "engine/bodies/body_state.h"
#include "engine/pairs/spheres/spheres.h"
#include "engine/state/world.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Counts bytes; no more than `limit` at once.
typedef struct meter {
    size_t bytes, most, requested, limit;
    long calls;
} meter;

static void *metered(void *context, void *block, size_t size)
{
    // the size of a block lies before it
    enum { HEAD = 16 };
    meter *m = context;
    char *head = block != NULL ? (char *)block - HEAD : NULL;
    size_t before = 0;
    if (head != NULL)
        memcpy(&before, head, sizeof before);
    if (size > 0) {
        m->calls++;
        if (m->bytes - before + size > m->limit)
            return NULL;
        m->requested += size;
    }
    m->bytes = m->bytes - before + size;
    m->most = m->bytes > m->most ? m->bytes : m->most;
    if (size == 0) {
        free(head);
        return NULL;
    }
    char *made = realloc(head, HEAD + size);
    assert_non_null(made);
    memcpy(made, &size, sizeof size);
    return made + HEAD;
}

static void check(cairn_status status)
{
    assert_int_equal(status, CAIRN_OK);
}

static cairn_world *world_of(meter *m, const char *law)
{
    static const cairn_material_id any = {0};
    m->limit = SIZE_MAX;
    cairn_world_def def = cairn_default_world_def();
    def.allocator.reallocate = metered;
    def.allocator.context = m;
    def.time_step = 1e-4;
    cairn_world *world;
    check(cairn_world_create(&def, &world, NULL));
    check(cairn_pair_set_law(world, any, any, law, NULL));
    if (strcmp(law, "hooke") == 0)
        check(cairn_pair_set_value(world, any, any, "normal_stiffness", cairn_number(1e4), NULL));
    return world;
}

static cairn_body_id add(cairn_world *world, cairn_shape_kind kind, double radius,
                         cairn_body_def body)
{
    cairn_shape_def shape = cairn_default_shape_def(kind);
    shape.radius = radius;
    cairn_body_id id;
    check(cairn_shape_create(world, &shape, &body.shape, NULL));
    check(cairn_body_create(world, &body, &id, NULL));
    return id;
}

/// A floor and spheres above it, each with a radius and shape of its own, that touch soon.
static void fill(cairn_world *world, int count)
{
    enum { ACROSS = 16 };
    base_rng rng = base_rng_make(99);
    cairn_body_def floor = cairn_default_body_def();
    floor.kind = CAIRN_FIXED;
    add(world, CAIRN_HALFSPACE, 0.0, floor);
    for (int i = 0; i < count; i++) {
        int cell[3] = {i % ACROSS, i / ACROSS % ACROSS, i / (ACROSS * ACROSS)};
        cairn_body_def body = cairn_default_body_def();
        for (int k = 0; k < 3; k++) {
            body.position[k] = 0.0101 * (cell[k] + 0.5);
            body.velocity[k] = base_rng_range(&rng, -0.3, 0.3);
        }
        add(world, CAIRN_SPHERE, base_rng_range(&rng, 0.004, 0.005), body);
    }
}

static void run(cairn_world *world, int steps)
{
    cairn_error error = {0};
    for (int i = 0; i < steps; i++)
        if (cairn_world_step(world, &error) != CAIRN_OK)
            fail_msg("%s", error.message);
}

/// Until spheres have their slots; the general columns hold the floor alone.
static void settle(cairn_world *world)
{
    run(world, 50);
    assert_true(eng_spheres_slot_count(world) > 0 && world->state.bodies.rooms[ENG_BODY_v] == 1);
}

// Bytes a sphere of 4096: what the world has of it with and without the state, and with the
// executor. The arrays, which grow by half, hold a fifth more than is used at this count.
enum { WORLD_WITH_STATE = 250, WORLD_ALONE = 88, WORLD_AND_LANE = 800 };

static void test_bytes_of_a_sphere(void **state)
{
    (void)state;
    const int count = 4096;
    meter m = {0};
    cairn_world *world = world_of(&m, "hooke");
    size_t empty = m.bytes;
    fill(world, count);
    check_at_most((double)(m.bytes - empty) / count, WORLD_WITH_STATE);
    settle(world);
    check_at_most((double)(m.bytes - empty) / count, WORLD_AND_LANE);
    size_t before = m.bytes;
    int contacts = cairn_contact_count(world);
    cairn_contact_view view;
    for (int i = 0; i < contacts; i++)
        cairn_contact_get(world, i, &view);
    assert_true(contacts > 100 && m.bytes == before);
    run(world, 1000);
    assert_null(world->contacts.set.key);
    check_at_most((double)(m.bytes - empty) / count, WORLD_AND_LANE);
    // without the executor the world has bodies and shapes alone
    eng_spheres_destroy(world->state.spheres);
    world->state.spheres = NULL;
    check_at_most((double)(m.bytes - empty) / count, WORLD_ALONE);
    cairn_world_destroy(world);
    assert_int_equal(m.bytes, 0);
}

static void test_linear_bodies(void **state)
{
    (void)state;
    double requested[2];
    for (int i = 0; i < 2; i++) {
        meter m = {0};
        cairn_world *world = world_of(&m, "hooke");
        size_t empty = m.requested;
        fill(world, 2000 << i);
        requested[i] = (double)(m.requested - empty);
        cairn_world_destroy(world);
    }
    check_at_most(requested[1] / requested[0], 2.5);
}

/// Materials with a law for each with itself, and a body of each; moduli are those of three kinds.
static double cost_of_materials(int count)
{
    meter m = {0};
    cairn_world *world = world_of(&m, "hertz_mindlin");
    size_t empty = m.requested;
    for (int i = 0; i < count; i++) {
        char name[32];
        cairn_body_def body = cairn_default_body_def();
        snprintf(name, sizeof name, "material %d", i);
        check(cairn_material_create(world, name, &body.material, NULL));
        if (i % 4 > 0)
            check(cairn_material_set_value(world, body.material, "young_modulus", 1e7 * (i % 4),
                                           NULL));
        check(cairn_pair_set_value(world, body.material, body.material, "friction",
                                   cairn_number(0.5), NULL));
        body.position[0] = i;
        add(world, CAIRN_SPHERE, 0.1, body);
    }
    run(world, 1);
    assert_true(eng_spheres_slot_count(world) > 0);
    double cost = (double)(m.requested - empty);
    cairn_world_destroy(world);
    return cost;
}

static void test_linear_materials(void **state)
{
    (void)state;
    check_at_most(cost_of_materials(4000) / cost_of_materials(2000), 2.5);
}

static void test_reading_allocates_nothing(void **state)
{
    (void)state;
    meter m = {0};
    cairn_world *world = world_of(&m, "hertz_mindlin");
    fill(world, 1000);
    settle(world);
    double linear[3], angular[3], sum = 0.0;
    for (int i = 0; i < 50; i++) {
        run(world, 1);
        long calls = m.calls;
        for (int k = 0; k < cairn_body_count(world); k++) {
            cairn_body_view view;
            check(cairn_body_get(world, cairn_body_at(world, k), &view));
            sum += view.position[2];
        }
        for (int k = 0; k < cairn_contact_count(world); k++) {
            cairn_contact_view view;
            cairn_contact_get(world, k, &view);
            sum += view.gap;
        }
        sum += cairn_world_get_energy(world).kinetic;
        cairn_world_get_momentum(world, linear, angular);
        assert_int_equal(m.calls, calls);
    }
    assert_true(isfinite(sum));
    cairn_world_destroy(world);
}

/// Three worlds alike: one that is read at its end alone, two whose overlaps are looked for often
/// or now and then.
static void test_bits(void **state)
{
    (void)state;
    uint64_t hash[3];
    for (int i = 0; i < 3; i++) {
        meter m = {0};
        cairn_world *world = world_of(&m, "hertz_mindlin");
        fill(world, 1000);
        for (int k = 0; k < 120; k++) {
            int found;
            run(world, 10);
            if (i == 1 || (i == 2 && k % 40 == 0))
                check(cairn_world_find_overlaps(world, NULL, 0, &found, NULL));
        }
        hash[i] = cairn_world_get_hash(world);
        cairn_world_destroy(world);
    }
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

/// State of every body, one after the other.
static double *states_of(const cairn_world *world)
{
    int count = cairn_body_count(world);
    double *all = malloc((size_t)count * sizeof(eng_state));
    assert_non_null(all);
    for (int i = 0; i < count; i++) {
        eng_state one = eng_state_of(world, i);
        memcpy(all + (size_t)i * sizeof one / sizeof *all, &one, sizeof one);
    }
    return all;
}

static void test_set_state(void **state)
{
    (void)state;
    const double velocity[3] = {0.1, -0.2, 0.3}, omega[3] = {1.0, 2.0, 3.0},
                 down[3] = {0, 0, -1e-3};
    const double level[4] = {1.0, 0.0, 0.0, 0.0};
    meter m = {0};
    cairn_world *world = world_of(&m, "hooke");
    fill(world, 500);
    settle(world);
    double *before = states_of(world);
    check(cairn_body_set_pose(world, cairn_body_at(world, 0), down, level, NULL));
    check(cairn_body_set_velocity(world, cairn_body_at(world, 7), velocity, omega, NULL));
    double *after = states_of(world);
    size_t width = sizeof(eng_state) / sizeof *before, bytes = sizeof(eng_state);
    for (int i = 0; i < cairn_body_count(world); i++)
        assert_int_equal(memcmp(before + width * i, after + width * i, bytes) == 0,
                         i != 0 && i != 7);
    assert_true(after[2] == -1e-3);
    cairn_body_view view;
    check(cairn_body_get(world, cairn_body_at(world, 7), &view));
    for (int k = 0; k < 3; k++) {
        assert_true(view.velocity[k] == velocity[k]);
        check_close(view.angular_velocity[k], omega[k], 1e-14, 0.0);
    }
    free(before);
    free(after);
    run(world, 1);
    assert_true(eng_spheres_slot_count(world) > 0 && eng_state_of(world, 0).q.position.z == -1e-3);
    settle(world);
    cairn_world_destroy(world);
}

/// Every change that needs memory, without it.
static void test_no_memory(void **state)
{
    (void)state;
    const double velocity[3] = {0.1, -0.2, 0.3};
    cairn_error error;
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        meter m = {0};
        cairn_world *world = world_of(&m, "hooke");
        fill(world, 500);
        cairn_body_id id = cairn_body_at(world, 3);
        settle(world);
        if (i == 1) {
            double *before = states_of(world);
            m.limit = m.bytes;
            cairn_body_def body = cairn_default_body_def();
            body.shape = cairn_shape_at(world, 1);
            cairn_body_id made;
            cairn_status refused[] = {
                cairn_body_set_velocity(world, id, velocity, velocity, &error),
                cairn_body_create(world, &body, &made, &error),
                cairn_body_set_force(world, id, velocity, velocity, &error),
            };
            for (size_t k = 0; k < sizeof refused / sizeof refused[0]; k++)
                assert_int_equal(refused[k], CAIRN_ERROR_MEMORY);
            double *after = states_of(world);
            assert_memory_equal(before, after, (size_t)cairn_body_count(world) * sizeof(eng_state));
            free(before);
            free(after);
            assert_true(eng_spheres_slot_count(world) > 0);
            m.limit = SIZE_MAX;
        }
        run(world, 300);
        hash[i] = cairn_world_get_hash(world);
        cairn_world_destroy(world);
        assert_int_equal(m.bytes, 0);
    }
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bytes_of_a_sphere),
        cmocka_unit_test(test_linear_bodies),
        cmocka_unit_test(test_linear_materials),
        cmocka_unit_test(test_reading_allocates_nothing),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_set_state),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
