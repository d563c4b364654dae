// SPDX-License-Identifier: Apache-2.0
// Averages over windows of time: which steps a window has, what is refused, no memory in steps.
#include "tests/check.h"

#include <cairn/cairn.h>

#include <inttypes.h>
#include <string.h>

static cairn_error error;

/// Reads the number of the step and its square, until the step in the context.
static cairn_status read_step(void *context, const cairn_world *world, double *values,
                              cairn_error *e)
{
    const int64_t *last = context;
    int64_t step = cairn_world_get_step_count(world);
    (void)e;
    values[0] = (double)step;
    values[1] = (double)(step * step);
    return step <= *last ? CAIRN_OK : CAIRN_ERROR_NONFINITE;
}

static cairn_world *make_world(double step)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = NULL;
    def.time_step = step;
    assert_int_equal(cairn_world_create(&def, &world, &error), CAIRN_OK);
    return world;
}

static cairn_average_def steps_of(double window, int every, double from, const int64_t *last)
{
    cairn_average_def def = cairn_default_average_def();
    def.read = read_step;
    def.context = (void *)last;
    def.columns = 2;
    def.window = window;
    def.every = every;
    def.from = from;
    return def;
}

/// Windows as a program adds them up that knows which steps there are.
static void check_windows(double h, double window, int every, double from, int steps)
{
    const int64_t last = INT64_MAX;
    cairn_world *world = make_world(h);
    cairn_average_def def = steps_of(window, every, from, &last);
    assert_int_equal(cairn_average_create(world, &def, &error), CAIRN_OK);
    double sum[2] = {0.0, 0.0}, mean[2] = {0.0, 0.0};
    int64_t read = 0, windows = 0, ended = -1, number = 0;
    for (int step = 1; step <= steps; step++) {
        assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
        cairn_average_view view;
        assert_int_equal(cairn_average_get(world, 0, &view), CAIRN_OK);
        // a step belongs to the window that its nearest multiple of the window is not before
        double time = step * h;
        bool over = (double)step + 0.5 >= (from + (double)(number + 1) * window) / h;
        if (time > from && (step % every == 0 || (over && read == 0))) {
            sum[0] += step;
            sum[1] += (double)step * step;
            read++;
        }
        if (time > from && over) {
            for (int k = 0; k < 2; k++) {
                mean[k] = sum[k] / (double)read;
                sum[k] = 0.0;
            }
            windows++;
            ended = step;
            assert_int_equal(view.readings, read);
            read = 0;
            while ((double)step + 0.5 >= (from + (double)(number + 1) * window) / h)
                number++;
        }
        assert_int_equal(view.windows, windows);
        assert_int_equal(view.step, ended);
        for (int k = 0; k < 2 && windows > 0; k++)
            check_close(view.mean[k], mean[k], 1e-14, 0.0);
        for (int k = 0; k < 2 && windows == 0 && read > 0; k++)
            check_close(view.mean[k], sum[k] / (double)read, 1e-14, 0.0);
        if (windows == 0 && read == 0)
            assert_null(view.mean);
    }
    assert_true(windows > 2);
    cairn_world_destroy(world);
}

static void test_windows(void **state)
{
    (void)state;
    check_windows(0.001, 0.05, 1, 0.0, 1000);
    check_windows(0.001, 0.05, 7, 0.0, 1000);
    check_windows(0.001, 0.03317, 3, 0.1, 1000); // no multiple of the step
    check_windows(0.001, 0.02, 50, 0.0, 500);    // readings rarer than windows
    check_windows(0.3, 0.1, 1, 0.0, 50);         // several windows end in each step
    check_windows(1e-5, 1e-3, 10, -1.0, 2000);   // the first window began before the run
}

static void test_refusals(void **state)
{
    (void)state;
    const int64_t last = 3;
    cairn_world *world = make_world(0.01);
    cairn_average_def def = steps_of(0.0, 1, 0.0, &last);
    assert_int_equal(cairn_average_create(world, &def, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "window = 0 s"));
    def = steps_of(1.0, 0, 0.0, &last);
    assert_int_equal(cairn_average_create(world, &def, &error), CAIRN_ERROR_ARGUMENT);
    def = steps_of(1.0, 1, INFINITY, &last);
    assert_int_equal(cairn_average_create(world, &def, &error), CAIRN_ERROR_ARGUMENT);
    def = steps_of(1.0, 1, 0.0, &last);
    def.columns = CAIRN_AVERAGE_COLUMNS_MAX + 1;
    assert_int_equal(cairn_average_create(world, &def, &error), CAIRN_ERROR_ARGUMENT);
    assert_non_null(strstr(error.message, "1 to 64 numbers, not 65"));
    def.columns = 2;
    def.cookie = 0;
    assert_int_equal(cairn_average_create(world, &def, &error), CAIRN_ERROR_ARGUMENT);
    assert_int_equal(cairn_average_count(world), 0);
    // a reading that fails ends the step with its status
    def = steps_of(1.0, 1, 0.0, &last);
    assert_int_equal(cairn_average_create(world, &def, &error), CAIRN_OK);
    assert_int_equal(cairn_average_count(world), 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(cairn_world_step(world, &error), CAIRN_OK);
    assert_int_equal(cairn_world_step(world, &error), CAIRN_ERROR_NONFINITE);
    cairn_average_view view;
    assert_int_equal(cairn_average_get(world, 1, &view), CAIRN_ERROR_NOT_FOUND);
    assert_int_equal(cairn_average_get(world, 0, &view), CAIRN_OK);
    check_close(view.mean[0], 2.0, 0.0, 0.0);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_windows),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
