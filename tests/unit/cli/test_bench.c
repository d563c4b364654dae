// SPDX-License-Identifier: Apache-2.0
// Performance profiles on tables worked out by hand, the CSV of results with hostile input.
#include "cli/bench/bench.h"
#include "cli/compare/compare.h"

#include "base/rng.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add(bench_table *table, const char *file, const char *solver, bool external,
                bool success, double seconds)
{
    bench_result result = {.file = bench_table_file(table, file),
                           .solver = bench_table_solver(table, solver, external),
                           .success = success,
                           .seconds = seconds,
                           .error = 1e-9};
    snprintf(result.status, sizeof result.status, "solved");
    assert_int_equal(bench_table_add(table, &result), CAIRN_OK);
}

static const bench_curve *curve_of(const bench_table *table, const bench_profile *profile,
                                   const char *name)
{
    for (int i = 0; i < profile->curve_count; i++)
        if (strcmp(table->solvers[profile->curves[i].solver].name, name) == 0)
            return &profile->curves[i];
    fail();
    return NULL;
}

static void test_profile_by_hand(void **unused)
{
    (void)unused;
    bench_table table;
    bench_profile profile;
    bench_table_init(&table);
    // four problems; the last is solved by none
    add(&table, "dir/p1", "a", false, true, 1.0);
    add(&table, "p2", "a", false, true, 40.0);
    add(&table, "p3", "a", false, false, 1.0);
    add(&table, "p4", "a", false, false, NAN);
    add(&table, "other/p1", "b", false, true, 10.0);
    add(&table, "p2", "b", false, true, 4.0);
    add(&table, "p3", "b", false, true, 5.0);
    add(&table, "p4", "b", false, false, 5.0);
    assert_int_equal(table.file_count, 4);
    assert_int_equal(bench_profile_create(&table, &profile), CAIRN_OK);
    assert_int_equal(profile.problems, 4);
    assert_int_equal(profile.unsolved, 1);
    check_close(profile.tau_max, 1000.0, 1e-12, 0.0);
    const bench_curve *a = curve_of(&table, &profile, "a"), *b = curve_of(&table, &profile, "b");
    assert_ptr_equal(b, &profile.curves[0]);
    assert_int_equal(a->tried, 4);
    assert_int_equal(a->solved, 2);
    assert_int_equal(a->fastest, 1);
    assert_int_equal(b->solved, 3);
    assert_int_equal(b->fastest, 2);
    // ratios: a 1, 10; b 10, 1, 1
    check_close(a->median_ratio, 5.5, 1e-14, 0.0);
    check_close(b->median_ratio, 1.0, 1e-14, 0.0);
    check_close(b->worst_ratio, 10.0, 1e-14, 0.0);
    check_close(bench_profile_value(&profile, a, 1.0), 0.25, 1e-14, 0.0);
    check_close(bench_profile_value(&profile, a, 9.99), 0.25, 1e-14, 0.0);
    check_close(bench_profile_value(&profile, a, 10.0), 0.5, 1e-14, 0.0);
    check_close(bench_profile_value(&profile, b, 1.0), 0.5, 1e-14, 0.0);
    check_close(bench_profile_value(&profile, b, 1e9), 0.75, 1e-14, 0.0);
    // a: 1/4 over three decades and 1/4 over two of three; b: twice three, once two
    check_close(a->area, (3.0 + 2.0) / 3.0 / 4.0, 1e-12, 0.0);
    check_close(b->area, (3.0 + 3.0 + 2.0) / 3.0 / 4.0, 1e-12, 0.0);
    bench_profile_release(&table, &profile);
    bench_table_release(&table);
}

static void test_external_and_duel(void **unused)
{
    (void)unused;
    bench_table table;
    bench_profile profile;
    bench_duel duel;
    bench_table_init(&table);
    for (int i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        add(&table, name, "own", false, i != 3, 1.0);
    }
    // a name of both sides is two solvers; p4 was not run outside
    add(&table, "p0", "own", true, true, 8.0);
    add(&table, "p0", "x", true, true, 2.0);
    add(&table, "p1", "x", true, true, 0.5);
    add(&table, "p2", "x", true, false, NAN);
    add(&table, "p3", "x", true, true, 7.0);
    assert_int_equal(table.solver_count, 3);
    assert_int_equal(bench_duel_compute(&table, 0, &duel), CAIRN_OK);
    assert_int_equal(duel.both, 2);
    assert_int_equal(duel.faster, 1);
    assert_int_equal(duel.alone, 1);
    assert_int_equal(duel.other, 1);
    check_close(duel.median, 1.25, 1e-14, 0.0);
    check_close(duel.worst, 0.5, 1e-14, 0.0);
    assert_string_equal(table.files[duel.worst_file], "p1");
    assert_int_equal(bench_profile_create(&table, &profile), CAIRN_OK);
    assert_int_equal(profile.problems, 4);
    assert_int_equal(profile.left_out, 1);
    bench_profile_release(&table, &profile);
    bench_table_release(&table);
}

static void test_many_curves_by_counting(void **unused)
{
    (void)unused;
    enum { FILES = 40, SOLVERS = 30 };
    static double seconds[FILES][SOLVERS];
    bench_table table;
    bench_profile profile;
    base_rng rng = base_rng_make(7);
    bench_table_init(&table);
    for (int f = 0; f < FILES; f++)
        for (int s = 0; s < SOLVERS; s++) {
            char file[8], solver[8];
            snprintf(file, sizeof file, "f%d", f);
            snprintf(solver, sizeof solver, "s%d", s);
            bool success = base_rng_unit(&rng) < 0.7;
            seconds[f][s] = success ? pow(10.0, base_rng_range(&rng, -4.0, 1.0)) : INFINITY;
            add(&table, file, solver, false, success, success ? seconds[f][s] : NAN);
        }
    assert_int_equal(bench_profile_create(&table, &profile), CAIRN_OK);
    for (int i = 0; i < profile.curve_count; i++) {
        const bench_curve *curve = &profile.curves[i];
        if (i > 0)
            assert_true(curve->area <= profile.curves[i - 1].area);
        for (double tau = 1.0; tau < 1e5; tau *= 3.7) {
            int count = 0;
            for (int f = 0; f < FILES; f++) {
                double best = INFINITY;
                for (int s = 0; s < SOLVERS; s++)
                    best = fmin(best, seconds[f][s]);
                count += seconds[f][curve->solver] <= tau * best;
            }
            check_close(bench_profile_value(&profile, curve, tau), (double)count / FILES, 1e-12,
                        0.0);
        }
    }
    bench_profile_release(&table, &profile);
    bench_table_release(&table);
}

// ---------------------------------------------------------------- CSV

static void write_file(char path[64], const char *text, size_t size)
{
    strcpy(path, "/tmp/cairn-bench-XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, size), (ssize_t)size);
    close(file);
}

static cairn_status read_text(bench_table *table, const char *text, size_t size, cairn_error *error)
{
    char path[64];
    write_file(path, text, size);
    cairn_status status = bench_csv_read(table, path, error);
    unlink(path);
    return status;
}

static void test_csv_comes_back(void **unused)
{
    (void)unused;
    bench_table table, back;
    cairn_error error = {0};
    char text[2048] = {0};
    bench_table_init(&table);
    bench_table_init(&back);
    add(&table, "a, \"b\".hdf5", "slow,solver", false, true, 1.25e-5);
    add(&table, "plain.hdf5", "x", false, false, NAN);
    FILE *out = fmemopen(text, sizeof text, "w");
    bench_csv_head(out);
    for (int i = 0; i < table.result_count; i++)
        bench_csv_row(&table, &table.results[i], out);
    fclose(out);
    assert_true(bench_table_file(&back, "a, \"b\".hdf5") == 0);
    assert_true(bench_table_file(&back, "plain.hdf5") == 1);
    assert_int_equal(read_text(&back, text, strlen(text), &error), CAIRN_OK);
    assert_int_equal(back.result_count, 2);
    assert_string_equal(back.solvers[0].name, "slow,solver");
    assert_true(back.solvers[0].external);
    assert_true(back.results[0].success);
    check_close(back.results[0].seconds, 1.25e-5, 1e-8, 0.0);
    assert_false(back.results[1].success);
    assert_true(isnan(back.results[1].seconds));
    bench_table_release(&table);
    bench_table_release(&back);
}

static void check_refused(const char *text, const char *message)
{
    bench_table table;
    cairn_error error = {0};
    bench_table_init(&table);
    assert_int_equal(bench_table_file(&table, "p"), 0);
    assert_int_equal(read_text(&table, text, strlen(text), &error), CAIRN_ERROR_FORMAT);
    if (strstr(error.message, message) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error.message, message);
    bench_table_release(&table);
}

static void test_csv_refuses(void **unused)
{
    (void)unused;
    check_refused("", "empty");
    check_refused("\n\n", "empty");
    check_refused("file,solver,success\n", "no column \"time_s\"");
    check_refused("file,solver,success,time_s\np,x,1\n", ":2: columns are missing");
    check_refused("file,solver,success,time_s\n\np,x,yes,1\n", ":3: success");
    check_refused("file,solver,success,time_s\np,x,1,nan\n", ":2: time_s of a success");
    check_refused("file,solver,success,time_s\np,x,1,-1\n", ":2: time_s of a success");
    check_refused("file,solver,success,time_s\np,x,0,1s\n", ":2: time_s is not a number");
    check_refused("file,solver,success,time_s\np,,0,1\n", ":2: the solver has no name");
    check_refused("file,solver,success,time_s\n\"p,x,0,1\n", ":2: a quoted field does not end");
    check_refused("file,solver,success,time_s\n\"p\"q,x,0,1\n", ":2: a quoted field");
}

static void test_csv_survives_noise(void **unused)
{
    (void)unused;
    static const char good[] = "file,solver,success,time_s,iterations,error,status\n"
                               "p,\"x\",1,0.5,10,1e-9,ok\nq,y,0,nan,0,nan,timeout\n";
    base_rng rng = base_rng_make(11);
    for (int round = 0; round < 400; round++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (int k = 0; k < 1 + round % 5; k++)
            text[base_rng_index(&rng, (int)sizeof good - 1)] = (char)base_rng_index(&rng, 256);
        size_t size = (size_t)base_rng_index(&rng, (int)sizeof good);
        bench_table table;
        cairn_error error = {0};
        bench_table_init(&table);
        assert_int_equal(bench_table_file(&table, "p"), 0);
        cairn_status status = read_text(&table, text, size, &error);
        assert_true(status == CAIRN_OK || status == CAIRN_ERROR_FORMAT);
        for (int i = 0; i < table.result_count; i++)
            assert_true(!table.results[i].success || table.results[i].seconds >= 0.0);
        bench_table_release(&table);
    }
}

// ---------------------------------------------------------------- tables of runs

static void read_table(cli_table *table, const char *text)
{
    char path[64];
    cairn_error error = {0};
    write_file(path, text, strlen(text));
    cairn_status status = cli_table_read(table, path, &error);
    unlink(path);
    assert_int_equal(status, CAIRN_OK);
}

static void test_series_meet_between_rows(void **unused)
{
    (void)unused;
    cli_table a, b;
    compare_lines lines = {.allocator = base_allocator_default()};
    bool same = true;
    read_table(&a,
               "step,time [s],top x [m],top y [m],only [J]\n0,0,0,0,1\n1,1,1,10,1\n2,2,2,20,1\n");
    // twice the steps, y off by 0.5 at its end, and no third column
    read_table(&b, "step,time [s],top x [m],top y [m]\n0,0,0,0\n1,0.4,0.4,4\n2,1.4,1.4,14\n"
                   "3,2,2,20.5\n");
    assert_int_equal(compare_series(&a, &b, false, &lines, &same), CAIRN_OK);
    assert_false(same);
    assert_int_equal(lines.count, 1);
    assert_string_equal(lines.items[0].name, "top [m]");
    check_close(lines.items[0].difference, 0.5, 1e-12, 0.0);
    check_close(lines.items[0].where, 2.0, 1e-12, 0.0);
    check_close(compare_relative(&lines.items[0]), 0.5 / 20.5, 1e-12, 0.0);
    compare_lines_release(&lines);
    cli_table_release(&a);
    cli_table_release(&b);
}

static void test_bodies_by_angle(void **unused)
{
    (void)unused;
    static const char head[] =
        "body,name,kind,position x [m],position y [m],position z [m],orientation w,orientation "
        "x,orientation y,orientation z,velocity x [m/s],velocity y [m/s],velocity z "
        "[m/s],angular velocity x [rad/s],angular velocity y [rad/s],angular velocity z "
        "[rad/s]\n";
    char text[2][512];
    cli_table a, b;
    compare_lines lines = {.allocator = base_allocator_default()};
    bool same = true;
    // a third of a turn about z, written with the other sign
    snprintf(text[0], 512, "%s0,,dynamic,3,4,0,1,0,0,0,1,0,0,0,0,0\n", head);
    snprintf(text[1], 512, "%s0,,dynamic,3,4,1,%.17g,0,0,%.17g,1,0,0,0,0,0\n", head,
             -cos(M_PI / 3.0), -sin(M_PI / 3.0));
    read_table(&a, text[0]);
    read_table(&b, text[1]);
    assert_int_equal(compare_bodies(&a, &b, 0.0, &lines, &same), CAIRN_OK);
    assert_true(same);
    check_close(lines.items[0].difference, 1.0, 1e-14, 0.0);
    check_close(lines.items[0].scale, sqrt(26.0), 1e-14, 0.0);
    check_close(lines.items[1].difference, 2.0 * M_PI / 3.0, 1e-12, 0.0);
    check_close(lines.items[2].difference, 0.0, 0.0, 0.0);
    compare_lines_release(&lines);
    cli_table_release(&a);
    cli_table_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profile_by_hand),
        cmocka_unit_test(test_external_and_duel),
        cmocka_unit_test(test_many_curves_by_counting),
        cmocka_unit_test(test_csv_comes_back),
        cmocka_unit_test(test_csv_refuses),
        cmocka_unit_test(test_csv_survives_noise),
        cmocka_unit_test(test_series_meet_between_rows),
        cmocka_unit_test(test_bodies_by_angle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
