// SPDX-License-Identifier: Apache-2.0
// Accelerated gradients whose shift follows the slip: dense beds of spheres, vectors, threads,
// forms.
#include "base/assert.h"
#include "base/parallel.h"
#include "tests/unit/contact/fixture.h"

enum { SIDE = 9, THREADS = 4 };

static const double friction = 0.3;

/// Where the contacts of a bed lie.
typedef struct bed {
    fixture f;
    int contacts;
} bed;

static void touch(bed *b, base_rng *rng, int lower, int upper, vec3 along)
{
    double radius = 0.5;
    vec3 off =
        vec3_scale(0.2, (vec3){base_rng_range(rng, -1.0, 1.0), base_rng_range(rng, -1.0, 1.0),
                               base_rng_range(rng, -1.0, 1.0)});
    vec3 normal = vec3_normalize_or(vec3_add(along, off), along);
    fixture_set_contact(&b->f, b->contacts++, lower, upper, normal, vec3_scale(radius, normal),
                        vec3_scale(-radius, normal), friction);
}

// spheres in a lattice that is not quite one, on immobile ground, falling and shaken
static bed bed_create(int side, uint64_t seed)
{
    base_rng rng = base_rng_make(seed);
    int bodies = side * side * side;
    bed b = {.f = fixture_create(3 * bodies, bodies)};
    for (int k = 0; k < bodies; k++) {
        int x = k % side, y = k / side % side, z = k / side / side;
        double mass = base_rng_range(&rng, 0.5, 1.5);
        for (int axis = 0; axis < 6; axis++) {
            b.f.mass_inverse[k][axis] = axis < 3 ? 1.0 / mass : 10.0 / mass;
            b.f.v_free[k][axis] = base_rng_range(&rng, -0.2, 0.2) - (axis == 2 ? 0.1 : 0.0);
        }
        touch(&b, &rng, z > 0 ? k - side * side : -1, k, (vec3){0.0, 0.0, 1.0});
        if (x > 0)
            touch(&b, &rng, k - 1, k, (vec3){1.0, 0.0, 0.0});
        if (y > 0)
            touch(&b, &rng, k - side, k, (vec3){0.0, 1.0, 0.0});
    }
    b.f.problem.contact_count = b.contacts;
    fixture_finish(&b.f);
    return b;
}

static con_report solve(fixture *f, const char *steps, double tolerance, int threads)
{
    const con_solver *solver = con_solver_find("apgd_following");
    _Alignas(16) unsigned char settings[CON_SOLVER_SETTINGS_MAX];
    base_settings_defaults(&solver->table, settings);
    cairn_error error;
    if (steps != NULL)
        assert_int_equal(
            base_settings_set_text(&solver->table, settings, "max_steps", steps, &error), CAIRN_OK);
    base_allocator allocator = base_allocator_default();
    base_workers *workers = threads > 0 ? base_workers_create(&allocator, threads) : NULL;
    con_control control = {.tolerance = tolerance, .workers = workers};
    con_report report;
    memset(f->R, 0, (size_t)f->problem.contact_count * sizeof *f->R);
    assert_int_equal(
        con_solve(solver, settings, &f->problem, &control, f->R, f->U, &report, f->arena),
        CAIRN_OK);
    base_workers_destroy(workers);
    return report;
}

static void a_bed_is_solved_with_the_same_bits(void **state)
{
    (void)state;
    static const char *const vectors[] = {"scalar", "avx2", "avx512"};
    bed b = bed_create(SIDE, 3);
    size_t size = (size_t)b.contacts * sizeof *b.f.R;
    double(*R)[3] = malloc(size);
    con_report first = solve(&b.f, NULL, 1e-7, 0);
    memcpy(R, b.f.R, size);
    assert_int_equal(first.stop, CON_STOP_SOLVED);
    check_at_most(fixture_residual(&b.f, (const double(*)[3])R), 1e-7 * (1.0 + 1e-6));
    // of 100 000 that it may take
    assert_true(first.iterations > 20 && first.iterations < 5000);
    for (int k = 0; k < THREADS * BASE_COUNT(vectors); k++) {
        assert_int_equal(setenv("CAIRN_VECTORS", vectors[k / THREADS], 1), 0);
        con_report report = solve(&b.f, NULL, 1e-7, k % THREADS + 1);
        assert_int_equal(report.iterations, first.iterations);
        assert_memory_equal(b.f.R, R, size);
    }
    unsetenv("CAIRN_VECTORS");
    free(R);
    fixture_destroy(&b.f);
}

// a few steps through the bodies and through W are the same but for round-off, whatever is left
// over when contacts are taken eight at a time
static void both_forms_take_the_same_steps(void **state)
{
    (void)state;
    for (int side = 2; side <= 5; side++) {
        bed b = bed_create(side, (uint64_t)side);
        size_t size = (size_t)b.contacts * sizeof *b.f.R;
        double(*R)[3] = malloc(size);
        solve(&b.f, "60", 1e-14, 0);
        memcpy(R, b.f.R, size);

        con_problem whole = b.f.problem;
        assert_int_equal(con_problem_assemble_delassus(&whole, b.f.arena), CAIRN_OK);
        b.f.problem = (con_problem){.contact_count = b.contacts,
                                    .q = whole.q,
                                    .friction = whole.friction,
                                    .W_diagonal = whole.W_diagonal,
                                    .W = whole.W};
        solve(&b.f, "60", 1e-14, 0);
        double largest = 0.0;
        for (int i = 0; i < b.contacts; i++)
            largest = fmax(largest, fabs(R[i][0]));
        assert_true(largest > 0.0);
        for (int i = 0; i < b.contacts; i++)
            for (int k = 0; k < 3; k++)
                check_close(b.f.R[i][k], R[i][k], 0.0, 1e-10 * largest);
        free(R);
        fixture_destroy(&b.f);
    }
}

// contacts without friction are half-lines
static void frictionless_contacts_only_push(void **state)
{
    (void)state;
    bed b = bed_create(4, 7);
    for (int i = 0; i < b.contacts; i++)
        b.f.friction[i] = 0.0;
    con_report report = solve(&b.f, NULL, 1e-9, 0);
    assert_int_equal(report.stop, CON_STOP_SOLVED);
    for (int i = 0; i < b.contacts; i++)
        assert_true(b.f.R[i][0] >= 0.0 && b.f.R[i][1] == 0.0 && b.f.R[i][2] == 0.0);
    fixture_destroy(&b.f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bed_is_solved_with_the_same_bits),
        cmocka_unit_test(both_forms_take_the_same_steps),
        cmocka_unit_test(frictionless_contacts_only_push),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
