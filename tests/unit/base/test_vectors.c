// SPDX-License-Identifier: Apache-2.0
// The user's limit of vectors is kept by everything that chooses among kernels.
#include "base/vectors.h"

#include "contact/linear/dense_lu.h"
#include "engine/pairs/spheres/data.h"
#include "engine/pairs/spheres/spheres.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static void test_names(void **unused)
{
    (void)unused;
    static const int lengths[] = {1, 4, 8};
    for (int i = 0; i < 3; i++)
        assert_int_equal(base_vectors_length(base_vectors_name(lengths[i])), lengths[i]);
    assert_int_equal(base_vectors_length("avx"), 0);
    assert_int_equal(base_vectors_length(NULL), 0);
    assert_string_equal(base_vectors_name(3), "");
}

static void test_limit(void **unused)
{
    (void)unused;
    assert_int_equal(unsetenv("CAIRN_VECTORS"), 0);
    int machine = base_vectors_longest();
    assert_true(strlen(base_vectors_name(machine)) > 0);
    static const char *const names[] = {"scalar", "avx2", "avx512"};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(setenv("CAIRN_VECTORS", names[i], 1), 0);
        int asked = base_vectors_length(names[i]), expected = asked < machine ? asked : machine;
        assert_int_equal(base_vectors_longest(), expected);
        assert_int_equal(con_dense_vector_length(), expected);
    }
    assert_int_equal(setenv("CAIRN_VECTORS", "none", 1), 0);
    assert_int_equal(base_vectors_longest(), machine);
    assert_int_equal(unsetenv("CAIRN_VECTORS"), 0);
}

/// The kernels of the sphere executor are chosen when a world first asks.
static void test_sphere_kernels(void **unused)
{
    (void)unused;
    for (int length = 1; length <= base_vectors_longest(); length *= length == 1 ? 4 : 2) {
        cairn_world_def def = cairn_default_world_def();
        cairn_world *world = NULL;
        cairn_error error = {0};
        assert_int_equal(setenv("CAIRN_VECTORS", base_vectors_name(length), 1), 0);
        assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
        const eng_spheres *spheres = eng_spheres_of(world);
        assert_non_null(spheres);
        assert_string_equal(spheres->kernel->name, base_vectors_name(length));
        cairn_world_destroy(world);
        assert_int_equal(unsetenv("CAIRN_VECTORS"), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_sphere_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
