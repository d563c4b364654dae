// SPDX-License-Identifier: Apache-2.0
// The public calls of scenes: loading with overrides, building in parts, refusals.
#include "tests/check.h"

#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char program[] = "simulation{ step = 0.01 }\n"
                              "ground{}\n"
                              "body{ shape = sphere{ radius = 0.5 }, position = {0, 0, 2} }\n"
                              "sensor{ name = 'up', body = '#1', quantity = 'position' }\n";

static cairn_scene *open_scene(void)
{
    cairn_scene_def def = cairn_default_scene_def();
    cairn_scene *scene;
    cairn_error error;
    assert_int_equal(cairn_scene_open("part", &def, &scene, &error), CAIRN_OK);
    return scene;
}

static void parts_build_a_world_that_goes_on(void **state)
{
    (void)state;
    cairn_error error;
    cairn_scene *scene = open_scene();
    assert_int_equal(cairn_scene_add(scene, program, &error), CAIRN_OK);
    cairn_world *world;
    assert_int_equal(cairn_scene_get_world(scene, &world, &error), CAIRN_OK);
    assert_int_equal(cairn_body_count(world), 2);
    for (int i = 0; i < 10; i++)
        assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
    double up[3];
    assert_int_equal(cairn_scene_read_sensor(scene, 0, up), CAIRN_OK);
    // midpoint rule from rest: exact for a parabola
    assert_true(fabs(up[2] - (2.0 - 0.5 * 9.81 * 0.1 * 0.1)) < 1e-12);

    // a part may use globals of earlier ones, and be added between steps
    assert_int_equal(cairn_scene_add(scene, "ball = sphere{ radius = 0.1 }", &error), CAIRN_OK);
    assert_int_equal(cairn_scene_add(scene, "body{ shape = ball, position = {5, 0, 5} }", &error),
                     CAIRN_OK);
    assert_int_equal(cairn_body_count(world), 3);
    assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
    assert_int_equal(cairn_world_validate(world, &error), CAIRN_OK);
    cairn_scene_destroy(scene);
}

static void wrong_parts_say_what_is_wrong(void **state)
{
    (void)state;
    cairn_error error;
    cairn_scene *scene = open_scene();
    assert_int_equal(cairn_scene_add(scene, "\nbody{ shap = 1 }", &error), CAIRN_ERROR_SCENE);
    assert_non_null(strstr(error.message, "part:2: body: unknown key \"shap\" (did you mean "
                                          "\"shape\"?); there are: name, kind, shape,"));
    assert_int_equal(cairn_scene_add(scene, "while true do end", &error), CAIRN_ERROR_SCENE);
    assert_non_null(strstr(error.message, "instructions"));
    // the limit is of each part
    assert_int_equal(cairn_scene_add(scene, program, &error), CAIRN_OK);
    assert_int_equal(cairn_scene_add(scene, "sensor{ name = 'b', body = '#2' }", &error),
                     CAIRN_ERROR_SCENE);
    assert_int_equal(cairn_scene_add(scene, "simulation{ step = 1 }", &error), CAIRN_ERROR_SCENE);
    assert_int_equal(cairn_scene_add(scene, NULL, &error), CAIRN_ERROR_ARGUMENT);
    assert_int_equal(cairn_scene_add(NULL, "", &error), CAIRN_ERROR_ARGUMENT);
    cairn_scene_destroy(scene);
    cairn_scene_destroy(NULL);
}

static void definitions_are_checked(void **state)
{
    (void)state;
    cairn_error error;
    cairn_scene *scene;
    cairn_scene_def def = {0};
    assert_int_equal(cairn_scene_open("part", &def, &scene, &error), CAIRN_ERROR_ARGUMENT);
    assert_null(scene);
    def = cairn_default_scene_def();
    const cairn_setting one = {"n", "1"};
    def.parameters = &one;
    def.parameter_count = 1;
    assert_int_equal(cairn_scene_open("part", &def, &scene, &error), CAIRN_ERROR_ARGUMENT);
    assert_int_equal(cairn_scene_load("/nonexistent/scene.lua", &def, &scene, &error),
                     CAIRN_ERROR_FILE);
    assert_null(scene);
}

static void removed_bodies_are_not_meant_by_their_name(void **state)
{
    (void)state;
    cairn_error error;
    cairn_scene *scene = open_scene();
    assert_int_equal(
        cairn_scene_add(scene,
                        "ball = sphere{ radius = 1 }\n"
                        "for i = 1, 3 do\n"
                        "  body{ name = 'b' .. i, shape = ball, position = {3 * i, 0, 0} }\n"
                        "end\n",
                        &error),
        CAIRN_OK);
    cairn_world *world;
    assert_int_equal(cairn_scene_get_world(scene, &world, &error), CAIRN_OK);
    assert_int_equal(cairn_body_remove(world, cairn_body_find(world, "b1"), &error), CAIRN_OK);
    // b3 has moved to the place of b1
    assert_int_equal(
        cairn_scene_add(scene, "sensor{ name = 's', body = 'b3', quantity = 'position' }", &error),
        CAIRN_OK);
    double at[3];
    assert_int_equal(cairn_scene_read_sensor(scene, 0, at), CAIRN_OK);
    assert_true(at[0] == 9.0);
    assert_int_equal(cairn_scene_add(scene, "sensor{ name = 't', body = 'b1' }", &error),
                     CAIRN_ERROR_SCENE);
    // the name is free again
    assert_int_equal(cairn_scene_add(scene, "body{ name = 'b1', shape = ball }", &error), CAIRN_OK);
    assert_int_equal(cairn_scene_read_sensor(scene, 1, at), CAIRN_ERROR_ARGUMENT);
    cairn_scene_destroy(scene);
}

static void sensors_of_joints_have_their_units_and_read_nothing_at_last(void **state)
{
    (void)state;
    static const struct {
        const char *kind, *more, *unit;
    } cases[] = {{"hinge", "", "rad"},
                 {"ball", "", "rad"},
                 {"universal", ", axis_b = {1, 0, 0}", "rad"},
                 {"slider", "", "m"},
                 {"cylindrical", "", "m"}};
    cairn_error error;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        cairn_scene *scene = open_scene();
        cairn_world *world;
        cairn_scene_sensor sensor;
        snprintf(text, sizeof text,
                 "body{ name = 'a', shape = sphere{ radius = 1 } }\n"
                 "joint{ name = 'j', kind = '%s', bodies = {'a'}, at = {0, 0, 0}%s }\n"
                 "sensor{ name = 's', joint = 'j', quantity = 'coordinate' }\n",
                 cases[i].kind, cases[i].more);
        assert_int_equal(cairn_scene_add(scene, text, &error), CAIRN_OK);
        assert_int_equal(cairn_scene_get_world(scene, &world, &error), CAIRN_OK);
        double value = 1.0;
        assert_int_equal(cairn_scene_read_sensor(scene, 0, &value), CAIRN_OK);
        assert_true(value == 0.0);
        assert_int_equal(cairn_body_remove(world, cairn_body_find(world, "a"), &error), CAIRN_OK);
        assert_int_equal(cairn_scene_read_sensor(scene, 0, &value), CAIRN_OK);
        assert_true(isnan(value));
        assert_int_equal(cairn_scene_get_sensor(scene, 0, &sensor), CAIRN_OK);
        assert_string_equal(sensor.unit, cases[i].unit);
        cairn_scene_destroy(scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_build_a_world_that_goes_on),
        cmocka_unit_test(wrong_parts_say_what_is_wrong),
        cmocka_unit_test(definitions_are_checked),
        cmocka_unit_test(removed_bodies_are_not_meant_by_their_name),
        cmocka_unit_test(sensors_of_joints_have_their_units_and_read_nothing_at_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
