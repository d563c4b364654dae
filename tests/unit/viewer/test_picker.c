// SPDX-License-Identifier: Apache-2.0
// The list of scenes and runs: what is found in folders, how letters narrow it down, neighbours.
#include "tests/check.h"

#include "viewer/input/picker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const files[] = {
    "alpha.lua",   "box_stack.lua",       "stack.lua",           "notes.txt",
    ".hidden.lua", "run_b/trajectory.h5", "run_a/trajectory.h5", "other/summary.json"};

static void path_of(const char *folder, const char *name, char out[PATH_MAX])
{
    snprintf(out, PATH_MAX, "%s/%s", folder, name);
}

static void make_folder(char folder[32])
{
    char path[PATH_MAX];
    snprintf(folder, 32, "/tmp/cairn-picker-XXXXXX");
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < (int)(sizeof files / sizeof *files); i++) {
        path_of(folder, files[i], path);
        char *slash = strrchr(path, '/');
        if (strchr(files[i], '/') != NULL) {
            *slash = '\0';
            mkdir(path, 0777);
            *slash = '/';
        }
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
    }
}

static void remove_folder(const char *folder)
{
    static const char *const folders[] = {"run_a", "run_b", "other", ""};
    char path[PATH_MAX];
    for (int i = 0; i < (int)(sizeof files / sizeof *files); i++) {
        path_of(folder, files[i], path);
        remove(path);
    }
    for (int i = 0; i < 4; i++) {
        path_of(folder, folders[i], path);
        rmdir(path);
    }
}

static void narrow(view_picker *picker, const char *filter, int count, const char *first)
{
    snprintf(picker->filter, sizeof picker->filter, "%s", filter);
    assert_int_equal(view_picker_narrow(picker), CAIRN_OK);
    assert_int_equal(picker->shown_count, count);
    const view_choice *chosen = view_picker_chosen(picker);
    if (count == 0)
        assert_null(chosen);
    else
        assert_string_equal(chosen->name, first);
}

static void test_list(void **state)
{
    (void)state;
    char folder[32];
    base_allocator allocator = base_allocator_default();
    view_picker picker = view_picker_begin(&allocator);
    make_folder(folder);
    assert_int_equal(view_picker_add(&picker, folder), CAIRN_OK);
    assert_int_equal(view_picker_add(&picker, "no such folder"), CAIRN_OK);
    // twice the same adds nothing
    assert_int_equal(view_picker_add(&picker, folder), CAIRN_OK);
    narrow(&picker, "", 5, "alpha");
    assert_false(picker.choices[0].run);
    view_picker_move(&picker, 2);
    assert_string_equal(view_picker_chosen(&picker)->name, "run_a");
    assert_true(view_picker_chosen(&picker)->run);
    view_picker_move(&picker, 100);
    assert_string_equal(view_picker_chosen(&picker)->name, "stack");
    view_picker_move(&picker, -100);
    assert_string_equal(view_picker_chosen(&picker)->name, "alpha");
    // beginnings, then parts, then letters in order
    narrow(&picker, "STA", 2, "stack");
    narrow(&picker, "bst", 1, "box_stack");
    narrow(&picker, "zz", 0, NULL);
    view_picker_move(&picker, 1);
    assert_null(view_picker_chosen(&picker));
    remove_folder(folder);
    view_picker_finish(&picker);
}

static void check_neighbour(const char *folder, const char *from, bool run, int way,
                            const char *expected)
{
    char path[PATH_MAX], out[PATH_MAX];
    path_of(folder, from, path);
    assert_true(view_picker_neighbour(path, run, way, out));
    assert_string_equal(strrchr(out, '/') + 1, expected);
}

static void test_neighbours(void **state)
{
    (void)state;
    char folder[32], out[PATH_MAX];
    make_folder(folder);
    check_neighbour(folder, "alpha.lua", false, 1, "box_stack.lua");
    check_neighbour(folder, "alpha.lua", false, -1, "stack.lua");
    check_neighbour(folder, "stack.lua", false, 1, "alpha.lua");
    check_neighbour(folder, "run_a", true, 1, "run_b");
    check_neighbour(folder, "run_b/trajectory.h5", true, 1, "run_a");
    assert_false(view_picker_neighbour("no such path", false, 1, out));
    remove_folder(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_neighbours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
