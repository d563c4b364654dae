// SPDX-License-Identifier: Apache-2.0
// Real problem files of a library beside the source tree: all are read, converted and described.
#include "tests/unit/contact/fclib/fclib_fixture.h"

#include <dirent.h>

// CAIRN_FCLIB_FOLDER, or the folder beside the source tree
static const char *library_folder(void)
{
    const char *folder = getenv("CAIRN_FCLIB_FOLDER");
    return folder != NULL ? folder : CAIRN_SOURCE_ROOT "/../shared/fclib";
}

// |actual - expected| relative to the largest expected entry
static double difference(const double *actual, const double *expected, int count)
{
    double largest = 1e-300, worst = 0.0;
    for (int i = 0; i < count; i++) {
        largest = fmax(largest, fabs(expected[i]));
        worst = fmax(worst, fabs(actual[i] - expected[i]));
    }
    return worst / largest;
}

// U of the converted problem against the file's own equations, for some impulses
static void check_velocities(const con_fclib_problem *content,
                             const con_fclib_conversion *conversion, base_arena *arena)
{
    int n = content->contact_count, rows = content->dimension * n;
    double *r = base_arena_array(arena, double, "r", rows);
    double *u = base_arena_array(arena, double, "u", rows);
    double(*U)[3] = base_arena_allocate(arena, "U", (size_t)n, sizeof *U);
    base_rng rng = base_rng_make(5);
    for (int i = 0; i < rows; i++)
        r[i] = base_rng_range(&rng, -1.0, 1.0);
    if (content->form == CON_FCLIB_LOCAL) {
        memcpy(u, content->q, (size_t)rows * sizeof *u);
        con_sparse_apply_add(&content->W, r, u);
    } else {
        double *v = base_arena_array(arena, double, "v", content->velocity_count);
        cairn_error error;
        assert_int_equal(con_fclib_complete(content, r, v, NULL, arena, &error), CAIRN_OK);
        memcpy(u, content->w, (size_t)rows * sizeof *u);
        con_sparse_apply_transposed_add(&content->H, v, u);
    }
    assert_int_equal(con_problem_velocity(&conversion->problem, ROWS_OF(r), U, arena), CAIRN_OK);
    check_at_most(difference(U[0], u, rows), 1e-9);
}

static void check_file(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", library_folder(), name);
    base_allocator allocator = base_allocator_default();
    base_arena *arena = base_arena_create(&allocator, 1 << 20);
    cairn_error error = {0};
    con_fclib_problem *content;
    con_fclib_conversion *conversion;
    if (con_fclib_read(path, &allocator, &content, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    if (con_fclib_convert(content, &allocator, &conversion, &error) != CAIRN_OK)
        fail_msg("%s: %s", name, error.message);
    assert_true((strstr(name, "-global-") != NULL) == (content->form == CON_FCLIB_GLOBAL));
    assert_int_equal(atoi(strrchr(name, '-') + 1), content->contact_count);
    if (content->form == CON_FCLIB_GLOBAL && conversion->reason != NULL)
        print_message("%s: W is formed: %s\n", name, conversion->reason);
    check_velocities(content, conversion, arena);
    con_fclib_conversion_destroy(conversion);
    con_fclib_problem_destroy(content);
    base_arena_destroy(arena);
}

static void test_library(void **state)
{
    (void)state;
    DIR *directory = opendir(library_folder());
    if (directory == NULL)
        skip();
    int count = 0;
    for (struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".hdf5") != 0)
            continue;
        check_file(entry->d_name);
        count++;
    }
    closedir(directory);
    assert_true(count > 0);
    print_message("%d files\n", count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
