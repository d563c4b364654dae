// SPDX-License-Identifier: Apache-2.0
// Every law and every solver on 1, 2, 3, 4 and 8 threads: the same bits in every step. Under a race
// checker (scripts/races.sh) also: no two threads at the same data.
#include "base/hash.h"
#include "tests/regress/heap.h"

#include <pthread.h>

enum { STEPS = 16 };

// counts calls without a lock, so that a race checker sees allocations by several threads at once
typedef struct plain_counter {
    long calls;
} plain_counter;

static void *count_and_reallocate(void *context, void *block, size_t size)
{
    plain_counter *counter = context;
    counter->calls++;
    if (size == 0) {
        free(block);
        return NULL;
    }
    return realloc(block, size);
}

static void trace_steps(heap_def def, int threads, uint64_t hashes[STEPS])
{
    plain_counter counter = {0};
    def.threads = threads;
    def.allocator = (cairn_allocator){count_and_reallocate, &counter};
    cairn_world *world = heap_world(&def);
    for (int i = 0; i < STEPS; i++) {
        heap_steps(world, 1);
        hashes[i] = cairn_world_get_hash(world);
    }
    assert_true(cairn_contact_count(world) > 0);
    cairn_world_destroy(world);
}

static void compare_threads(const heap_def *def, const char *what)
{
    static const int threads[] = {2, 3, 4, 8};
    uint64_t one[STEPS], many[STEPS];
    trace_steps(*def, 1, one);
    for (int i = 0; i < 4; i++) {
        trace_steps(*def, threads[i], many);
        if (memcmp(one, many, sizeof one) != 0)
            fail_msg("%s: %d threads differ from one", what, threads[i]);
    }
}

static void test_laws(void **state)
{
    (void)state;
    for (int i = 0; i < cairn_plugin_count(CAIRN_LAW); i++) {
        cairn_plugin_info info = cairn_plugin_get(CAIRN_LAW, i);
        heap_def def = default_heap();
        def.law = info.name;
        def.layers = 120;
        def.spheres = strcmp(info.kind, "impulse") == 0;
        def.step = def.spheres ? 0.002 : 0.02;
        def.iterations = 10;
        compare_threads(&def, info.name);
    }
}

static void test_solvers(void **state)
{
    (void)state;
    for (int i = 0; i < cairn_plugin_count(CAIRN_SOLVER); i++) {
        heap_def def = default_heap();
        def.solver = cairn_plugin_get(CAIRN_SOLVER, i).name;
        def.layers = 6;
        def.step = 0.02;
        def.iterations = 8;
        compare_threads(&def, def.solver);
    }
}

enum { READERS = 8, READINGS = 8 };

typedef struct reading {
    const cairn_world *world;
    const cairn_query *query;
    uint64_t seen[READINGS];
} reading;

/// Every column of every table, copied and in place.
static uint64_t read_columns(const cairn_world *world)
{
    uint64_t hash = 1;
    cairn_error error;
    for (int i = 0; i < cairn_column_count(); i++) {
        cairn_column_info info;
        cairn_array array;
        if (cairn_column_get_info(i, &info) != CAIRN_OK)
            return 0;
        int count = cairn_table_size(world, info.table);
        size_t size = cairn_scalar_size(info.scalar) * (size_t)(info.width * count);
        void *values = malloc(size + 1);
        bool read =
            values != NULL && cairn_world_read(world, info.name, values, count, &error) == CAIRN_OK;
        if (read)
            hash = base_hash_bytes(hash, values, size);
        free(values);
        if (!read)
            return 0;
        if (cairn_world_array(world, info.name, &array, &error) == CAIRN_OK)
            hash += (uint64_t)array.row_count;
    }
    return hash;
}

/// Rays and boxes through the bodies.
static uint64_t ask(const cairn_query *query)
{
    uint64_t hash = 1;
    cairn_error error;
    for (int i = 0; i < 20; i++) {
        cairn_ray_def ray = cairn_default_ray_def();
        cairn_box_def box = cairn_default_box_def();
        cairn_ray_hit hits[4];
        cairn_body_id bodies[16];
        int found[2];
        memset(hits, 0, sizeof hits);
        memset(bodies, 0, sizeof bodies);
        ray.origin[0] = -2.0;
        ray.origin[2] = box.centre[2] = 0.05 * i;
        if (cairn_query_ray_all(query, &ray, hits, 4, &found[0], &error) != CAIRN_OK ||
            cairn_query_box(query, &box, bodies, 16, &found[1], &error) != CAIRN_OK)
            return 0;
        for (int k = 0; k < 4; k++)
            hash = base_hash_bytes(hash, &hits[k].distance, sizeof hits[k].distance);
        hash = base_hash_bytes(hash, bodies, sizeof bodies);
        hash = base_hash_bytes(hash, found, sizeof found);
    }
    return hash;
}

/// Everything that a program may read of a world at rest, as one number.
static uint64_t read_all(const cairn_world *world, const cairn_query *query)
{
    uint64_t hash = cairn_world_get_hash(world);
    cairn_energy energy = cairn_world_get_energy(world);
    hash = base_hash_bytes(hash, &energy, sizeof energy);
    for (int i = 0; i < cairn_body_count(world); i++) {
        double loads[6];
        cairn_body_view view;
        cairn_body_id id = cairn_body_at(world, i);
        if (cairn_body_get(world, id, &view) != CAIRN_OK ||
            cairn_body_get_contact_force(world, id, loads, loads + 3) != CAIRN_OK)
            return 0;
        hash = base_hash_bytes(hash, view.position, sizeof view.position);
        hash = base_hash_bytes(hash, loads, sizeof loads);
    }
    for (int i = 0; i < cairn_contact_count(world); i++) {
        cairn_contact_view view;
        if (cairn_contact_get(world, i, &view) != CAIRN_OK)
            return 0;
        hash = base_hash_bytes(hash, view.force, sizeof view.force);
    }
    cairn_error error;
    uint64_t columns = read_columns(world), asked = ask(query);
    if (columns == 0 || asked == 0)
        return 0;
    return hash + columns + asked + (cairn_world_validate(world, &error) == CAIRN_OK);
}

static void *read_often(void *argument)
{
    reading *r = argument;
    for (int i = 0; i < READINGS; i++)
        r->seen[i] = read_all(r->world, r->query);
    return NULL;
}

/// Eight readers of a world at rest see the same; one that writes is found by a race checker. They
/// are threads of a program, which both checkers understand: helgrind knows no atomics, by which
/// the engine's own threads hand over their work.
static void test_readers(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        heap_def def = default_heap();
        def.law = k > 0 ? "hooke" : NULL;
        def.spheres = k == 2;
        def.step = k > 0 ? 2e-4 : def.step;
        cairn_world *world = heap_world(&def);
        heap_steps(world, k > 0 ? 200 : 30);
        assert_true(cairn_contact_count(world) > 0);
        cairn_error error;
        cairn_query *query;
        must(cairn_query_create(world, &query, &error), &error);
        pthread_t readers[READERS];
        reading readings[READERS];
        uint64_t alone = read_all(world, query);
        assert_true(alone != 0);
        for (int i = 0; i < READERS; i++) {
            readings[i] = (reading){.world = world, .query = query};
            assert_int_equal(pthread_create(&readers[i], NULL, read_often, &readings[i]), 0);
        }
        for (int i = 0; i < READERS; i++)
            assert_int_equal(pthread_join(readers[i], NULL), 0);
        for (int i = 0; i < READERS * READINGS; i++)
            assert_true(readings[i / READINGS].seen[i % READINGS] == alone);
        cairn_query_destroy(query);
        cairn_world_destroy(world);
    }
}

/// usage: test_threads [TEST]   (that one alone: a race checker has enough to do)
int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_laws),
        cmocka_unit_test(test_solvers),
        cmocka_unit_test(test_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
