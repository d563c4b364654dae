// SPDX-License-Identifier: Apache-2.0
// Joints alone: rows met to round-off, the motion nearest to the free one, redundancy, chains.
#include "tests/unit/contact/joint_fixture.h"

typedef double row6[6];

// solves, and checks both conditions that make v the solution
static double solve(fixture *f, joint_fixture *j, row6 *v, double tolerance)
{
    double error = NAN;
    base_arena_mark mark = base_arena_get_mark(f->arena);
    assert_int_equal(con_joints_solve(&j->joints, f->problem.body_count, f->problem.mass_inverse,
                                      f->problem.v_free, v, j->l, &error, f->arena),
                     CAIRN_OK);
    assert_true(base_arena_get_mark(f->arena).used == mark.used);
    joint_fixture_check(f, j, NULL, (const double(*)[6])v, j->l, tolerance);
    return error;
}

static void trees_meet_their_rows(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        base_rng rng = base_rng_make(seed);
        int bodies = 1 + base_rng_index(&rng, 60);
        fixture f = fixture_create(0, bodies);
        fixture_random_bodies(&f, seed % 4 == 0 ? 1e6 : 10.0, &rng);
        joint_fixture j = joint_fixture_tree(bodies, &rng);
        row6 *v = fixture_array((size_t)bodies, sizeof *v);
        check_at_most(solve(&f, &j, v, 1e-13), 1e-14);
        free(v);
        joint_fixture_destroy(&j);
        fixture_destroy(&f);
    }
}

// every joint twice, and the tree's ends tied again by joints that follow from the others
static void redundant_rows_do_no_harm(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        base_rng rng = base_rng_make(seed);
        enum { BODIES = 12 };
        fixture f = fixture_create(0, BODIES);
        fixture_random_bodies(&f, 100.0, &rng);
        joint_fixture once = joint_fixture_tree(BODIES, &rng);
        joint_fixture j = joint_fixture_create(2 * BODIES);
        for (int turn = 0; turn < 2; turn++)
            for (int k = 0; k < BODIES; k++) {
                int joint = j.joints.count++, rows = once.start[k + 1] - once.start[k];
                memcpy(j.body[joint], once.body[k], sizeof *j.body);
                memcpy(j.G[j.start[joint]], once.G[once.start[k]], (size_t)rows * sizeof *j.G);
                memcpy(j.b + j.start[joint], once.b + once.start[k], (size_t)rows * sizeof *j.b);
                j.start[joint + 1] = j.start[joint] + rows;
            }
        row6 v[BODIES], v_once[BODIES];
        check_at_most(solve(&f, &once, v_once, 1e-13), 1e-14);
        check_at_most(solve(&f, &j, v, 1e-13), 1e-14);
        int rows = joint_fixture_rows(&once);
        for (int a = 0; a < BODIES; a++)
            for (int k = 0; k < 6; k++)
                check_close(v[a][k], v_once[a][k], 1e-12, 1e-12);
        // the least impulses: both copies bear one half
        for (int k = 0; k < rows; k++) {
            check_close(j.l[k], 0.5 * once.l[k], 1e-4, 1e-5);
            check_close(j.l[rows + k], 0.5 * once.l[k], 1e-4, 1e-5);
        }
        joint_fixture_destroy(&once);
        joint_fixture_destroy(&j);
        fixture_destroy(&f);
    }
}

// a plane four-bar of four hinges in space: 20 rows of rank 17 on three bodies, one motion left
static void four_bar_in_space(void **state)
{
    (void)state;
    fixture f = fixture_create(0, 3);
    base_rng rng = base_rng_make(7);
    fixture_random_bodies(&f, 10.0, &rng);
    vec3 point[4] = {{0.0, 0.0, 0.0}, {0.3, 0.0, 1.0}, {2.1, 0.0, 1.4}, {2.0, 0.0, 0.0}};
    joint_fixture j = joint_fixture_create(4);
    vec3 axis = {0.0, 1.0, 0.0};
    for (int k = 0; k < 4; k++) {
        vec3 center_a = vec3_scale(0.5, vec3_add(point[(k + 3) % 4], point[k]));
        vec3 center_b = vec3_scale(0.5, vec3_add(point[k], point[(k + 1) % 4]));
        joint_fixture_hinge(&j, k - 1, k < 3 ? k : -1, vec3_sub(point[k], center_a),
                            vec3_sub(point[k], center_b), axis);
    }
    assert_int_equal(joint_fixture_rows(&j), 20);
    row6 v[3];
    check_at_most(solve(&f, &j, v, 1e-13), 1e-14);
    // bars turn about y alone, and the pins move as the bars turn
    for (int a = 0; a < 3; a++) {
        check_close(v[a][1], 0.0, 0.0, 1e-14);
        check_close(v[a][3], 0.0, 0.0, 1e-14);
        check_close(v[a][5], 0.0, 0.0, 1e-14);
    }
    assert_true(fabs(v[0][4]) > 1e-3);
    for (int k = 0; k < 20; k++)
        assert_true(fabs(j.l[k]) < 100.0);
    joint_fixture_destroy(&j);
    fixture_destroy(&f);
}

// light links between heavy ones
static void huge_mass_ratios(void **state)
{
    (void)state;
    for (int exponent = 3; exponent <= 9; exponent += 3) {
        enum { BODIES = 20 };
        fixture f = fixture_create(0, BODIES);
        base_rng rng = base_rng_make(3);
        fixture_random_bodies(&f, 1.0, &rng);
        joint_fixture j = joint_fixture_create(BODIES);
        for (int b = 0; b < BODIES; b++) {
            joint_fixture_ball(&j, b - 1, b, (vec3){0.5, 0.1, 0.0}, (vec3){-0.5, 0.0, 0.0});
            for (int k = 0; k < 6 && b % 3 == 0; k++)
                f.mass_inverse[b][k] *= pow(10.0, -exponent);
        }
        row6 v[BODIES];
        check_at_most(solve(&f, &j, v, 1e-10), 1e-12);
        joint_fixture_destroy(&j);
        fixture_destroy(&f);
    }
}

static void a_long_chain(void **state)
{
    (void)state;
    enum { BODIES = 4000 };
    fixture f = fixture_create(0, BODIES);
    base_rng rng = base_rng_make(5);
    fixture_random_bodies(&f, 2.0, &rng);
    joint_fixture j = joint_fixture_create(BODIES);
    for (int b = 0; b < BODIES; b++)
        joint_fixture_ball(&j, b - 1, b, (vec3){0.5, 0.0, 0.0}, (vec3){-0.5, 0.0, 0.0});
    row6 *v = fixture_array(BODIES, sizeof *v);
    check_at_most(solve(&f, &j, v, 1e-12), 1e-13);
    // memory in proportion to the length
    check_at_most((double)base_arena_high_water(f.arena), 20e3 * BODIES);
    free(v);
    joint_fixture_destroy(&j);
    fixture_destroy(&f);
}

static void what_cannot_move_is_left(void **state)
{
    (void)state;
    fixture f = fixture_create(0, 3);
    for (int k = 0; k < 6; k++) {
        f.v_free[0][k] = 0.1 * k;
        f.v_free[1][k] = 1.0 - k;
        f.v_free[2][k] = 2.0;
        f.mass_inverse[0][k] = k == 2 ? 0.0 : 2.0; // locked along z
        f.mass_inverse[1][k] = 0.0;
        f.mass_inverse[2][k] = 1.0;
    }
    joint_fixture j = joint_fixture_create(3);
    joint_fixture_ball(&j, -1, -1, (vec3){0}, (vec3){0});
    joint_fixture_ball(&j, -1, 1, (vec3){0}, (vec3){0});
    joint_fixture_add(&j, -1, 0, (vec3){0}, (vec3){0}, fixture_axes, 2, NULL, 0);
    row6 v[3];
    check_at_most(solve(&f, &j, v, 1e-14), 1e-15);
    check_close(v[0][0], 0.0, 0.0, 1e-15);
    for (int k = 0; k < 6; k++)
        assert_true(v[1][k] == f.v_free[1][k] && v[2][k] == f.v_free[2][k]);
    j.joints.count = 0;
    check_at_most(solve(&f, &j, v, 0.0), 0.0);
    assert_memory_equal(v, f.v_free, sizeof v);
    joint_fixture_destroy(&j);
    fixture_destroy(&f);
}

// the same row twice with different right sides: the mean, and an error that says so
static void contradictions_are_met_in_the_mean(void **state)
{
    (void)state;
    fixture f = fixture_create(0, 1);
    for (int k = 0; k < 6; k++)
        f.mass_inverse[0][k] = 1.0;
    joint_fixture j = joint_fixture_create(2);
    for (int turn = 0; turn < 2; turn++)
        joint_fixture_add(&j, -1, 0, (vec3){0}, (vec3){0}, fixture_axes, 1, NULL, 0);
    j.b[0] = 1.0;
    j.b[1] = 2.0;
    row6 v[1];
    double error;
    assert_int_equal(con_joints_solve(&j.joints, 1, f.problem.mass_inverse, f.problem.v_free, v,
                                      j.l, &error, f.arena),
                     CAIRN_OK);
    check_close(v[0][0], 1.5, 1e-9, 0.0);
    check_close(j.l[0], 0.75, 1e-5, 0.0);
    assert_true(error > 0.1);
    j.b[0] = NAN;
    con_joint_factors *factors;
    assert_int_equal(con_joints_factor(&j.joints, 1, f.problem.mass_inverse, f.arena, &factors),
                     CAIRN_OK);
    assert_true(isnan(con_joint_factors_solve(factors, NULL, f.problem.v_free, v, NULL)));
    j.G[0][1][0] = INFINITY;
    assert_int_equal(con_joints_factor(&j.joints, 1, f.problem.mass_inverse, f.arena, &factors),
                     CAIRN_ERROR_NONFINITE);
    joint_fixture_destroy(&j);
    fixture_destroy(&f);
}

// other right sides with the same factors
static void factors_serve_again(void **state)
{
    (void)state;
    enum { BODIES = 10 };
    base_rng rng = base_rng_make(11);
    fixture f = fixture_create(0, BODIES);
    fixture_random_bodies(&f, 10.0, &rng);
    joint_fixture j = joint_fixture_tree(BODIES, &rng);
    con_joint_factors *factors;
    assert_int_equal(
        con_joints_factor(&j.joints, BODIES, f.problem.mass_inverse, f.arena, &factors), CAIRN_OK);
    for (int turn = 0; turn < 5; turn++) {
        row6 v[BODIES];
        for (int k = 0; k < joint_fixture_rows(&j); k++)
            j.b[k] = base_rng_range(&rng, -1.0, 1.0);
        check_at_most(con_joint_factors_solve(factors, j.b, f.problem.v_free, v, j.l), 1e-14);
        joint_fixture_check(&f, &j, NULL, (const double(*)[6])v, j.l, 1e-13);
    }
    joint_fixture_destroy(&j);
    fixture_destroy(&f);
}

static void short_memory_is_reported(void **state)
{
    (void)state;
    enum { BODIES = 30 };
    base_rng rng = base_rng_make(2);
    fixture f = fixture_create(0, BODIES);
    fixture_random_bodies(&f, 10.0, &rng);
    joint_fixture j = joint_fixture_tree(BODIES, &rng);
    cairn_status status = CAIRN_ERROR_MEMORY;
    for (long fail = 3; status != CAIRN_OK; fail++) {
        base_counting_allocator counter = {.fail_at = fail};
        base_allocator allocator = base_allocator_counting(&counter);
        base_arena *arena = base_arena_create(&allocator, 64);
        row6 v[BODIES];
        if (arena == NULL)
            continue;
        status = con_joints_solve(&j.joints, BODIES, f.problem.mass_inverse, f.problem.v_free, v,
                                  NULL, NULL, arena);
        assert_true(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        base_arena_destroy(arena);
        assert_int_equal(counter.live, 0);
    }
    joint_fixture_destroy(&j);
    fixture_destroy(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_meet_their_rows),
        cmocka_unit_test(redundant_rows_do_no_harm),
        cmocka_unit_test(four_bar_in_space),
        cmocka_unit_test(huge_mass_ratios),
        cmocka_unit_test(a_long_chain),
        cmocka_unit_test(what_cannot_move_is_left),
        cmocka_unit_test(contradictions_are_met_in_the_mean),
        cmocka_unit_test(factors_serve_again),
        cmocka_unit_test(short_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
