// SPDX-License-Identifier: Apache-2.0
// Problem files in text: every storage and form, and what is refused with which words.
#include "tests/unit/contact/fclib/fclib_fixture.h"

#include "contact/fclib/text.h"

#include <locale.h>

static char path[96];

static int setup(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/cairn-text-XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static con_fclib_problem *read_text(const char *text)
{
    base_allocator allocator = base_allocator_default();
    cairn_error error = {0};
    con_fclib_problem *content = NULL;
    write_text(text);
    if (con_fclib_read(path, &allocator, &content, &error) != CAIRN_OK)
        fail_msg("%s", error.message);
    return content;
}

/// The message behind the path, which it must begin with.
static void check_refused(const char *text, const char *reason)
{
    base_allocator allocator = base_allocator_default();
    cairn_error error = {0};
    con_fclib_problem *content = NULL;
    write_text(text);
    assert_int_equal(con_fclib_read(path, &allocator, &content, &error), CAIRN_ERROR_FORMAT);
    assert_null(content);
    assert_memory_equal(error.message, path, strlen(path));
    assert_string_equal(error.message + strlen(path), reason);
}

#define DENSE_W "0\n3\n3\n3\t3\n 2 0.25 0\n 0.5 3 0 \n 0 0 4\n"
#define BLOCK_W "1\n3\n3\n1\n1\n1\n3\t\n3\t\n2\n1\n0\t1\t\n0\t\n0\n2\n0.5\n0\n0.25\n3\n0\n0\n0\n4\n"
#define TRIPLET_W                                                                                  \
    "2\n3\n3\n1\nCSparse Version 3.2.0, Sept 12, 2017.  Copyright (c)\n"                           \
    "triplet: 3-by-3, nzmax: 6 nnz: 6\n    0 0 : 2\n    1 0 : 0.5\n    0 1 : 0.25\n"               \
    "    1 1 : 1\n    1 1 : 2\n    2 2 : 4\n"
#define COLUMN_W                                                                                   \
    "2\n3\n3\n2\nCSparse Version 3.2.0\n3-by-3, nzmax: 5 nnz: 5, 1-norm: 4\n"                      \
    "    col 0 : locations 0 to 1\n      0 : 2\n      1 : 0.5\n"                                   \
    "    col 1 : locations 2 to 3\n      0 : 0.25\n      1 : 3\n"                                  \
    "    col 2 : locations 4 to 4\n      2 : 4\n"

static void test_every_storage_gives_the_same(void **state)
{
    (void)state;
    static const char *const storage[] = {DENSE_W, BLOCK_W, TRIPLET_W, COLUMN_W};
    static const double W[9] = {2, 0.5, 0, 0.25, 3, 0, 0, 0, 4}; // column major
    for (int k = 0; k < 4; k++) {
        char text[1024];
        snprintf(text, sizeof text, "3\n1\n%s -1 2e-1 3 \n 0.7\n", storage[k]);
        con_fclib_problem *content = read_text(text);
        double dense[9];
        assert_int_equal(content->form, CON_FCLIB_LOCAL);
        assert_int_equal(content->dimension, 3);
        assert_int_equal(content->contact_count, 1);
        con_sparse_to_dense(&content->W, dense);
        assert_memory_equal(dense, W, sizeof W);
        assert_true(content->q[1] == 0.2);
        assert_true(content->friction[0] == 0.7);
        con_fclib_problem_destroy(content);
    }
}

static void test_global_and_rolling_forms(void **state)
{
    (void)state;
    // M of the size that W would have: H behind it tells
    con_fclib_problem *content =
        read_text("3 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1  0 3 3 3 3 1 0 0 0 2 0 0 0 1 "
                  "7 8 9  1 2 3  0.5 1");
    assert_int_equal(content->form, CON_FCLIB_GLOBAL);
    assert_int_equal(content->velocity_count, 3);
    assert_int_equal(con_sparse_count(&content->W), 0);
    assert_int_equal(con_sparse_count(&content->M), 3);
    assert_true(content->H.value[1] == 2.0);
    assert_true(content->f[2] == 9.0);
    assert_true(content->w[0] == 1.0);
    con_fclib_problem_destroy(content);

    content = read_text("5 1 0 5 5 5 5 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 1 "
                        "1 2 3 4 5  0.5  0.01 0");
    assert_int_equal(content->dimension, 5);
    assert_true(content->rolling[0] == 0.01);
    con_fclib_problem_destroy(content);
}

static void test_faults_are_named(void **state)
{
    (void)state;
    check_refused("3\n1\n" DENSE_W "1 2 nan\n0.5\n", ":10: q: an entry is not finite");
    check_refused("3\n1\n" DENSE_W "1 2 3\n-0.5\n", ":11: mu: entry 0 is negative (-0.5)");
    check_refused("3\n1\n" DENSE_W "1 2 3\n", ":11: mu: the file ends here");
    check_refused("3\n1\n" DENSE_W "1 2 3\n0.5 apple",
                  ":11: flag at the end: \"apple\" is no number");
    check_refused("3\n1\n" DENSE_W "1 2 3\n0.5 1 7",
                  ":11: there is more in the file than the problem needs");
    check_refused("4\n1\n", ":1: rows of a contact: 4, expected 2, 3, or 5 with rolling friction");
    check_refused("3\n0\n", ":2: the problem has no contacts");
    check_refused("3\n1\n7\n3\n3\n", ":3: W: 7 is out of range: 0 to 2");
    check_refused("3\n2\n0\n6\n6\n6 6\n 1 2",
                  ":6: W: 36 numbers are more than the rest of the file has");
    check_refused("3\n1\n2\n3\n3\n1\ntriplet: 3-by-4, nzmax: 1 nnz: 1\n 0 0 : 1\n",
                  ":7: W: 3-by-4 with 1 entries, expected 3-by-3");
    check_refused("3\n1\n2\n3\n3\n1\ntriplet: 3-by-3, nzmax: 1 nnz: 1\n 0 5 : 1\n",
                  ":8: W: 5 is out of range: 0 to 2");
    check_refused("3\n2\n0\n6\n6\n6 6\n1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 1 0 "
                  "0 0 0 0 0 1\n1 1 1 1 1 1\n0.5 0.5\n0.1 0.1\n",
                  ":9: a rolling problem in 2D, which is not supported");
}

static void test_a_host_locale_changes_nothing(void **state)
{
    (void)state;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8") == NULL)
        skip();
    con_fclib_problem *content = read_text("3\n1\n" DENSE_W "0.5 1 2\n0.25\n");
    assert_true(content->q[0] == 0.5);
    con_fclib_problem_destroy(content);
    setlocale(LC_NUMERIC, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_every_storage_gives_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(test_global_and_rolling_forms, setup, teardown),
        cmocka_unit_test_setup_teardown(test_faults_are_named, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_host_locale_changes_nothing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
