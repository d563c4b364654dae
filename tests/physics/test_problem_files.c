// SPDX-License-Identifier: Apache-2.0
// Problems written from a live step: read back, their stored solutions have the residual that the
// step reported, and both forms have the same solution velocities.
#include "contact/fclib/fclib.h"
#include "engine/state/world.h"
#include "tests/physics/bench_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/// Natural map of the De Saxce form over max(|q|, |r|, |u|), written out once more from the file's
/// own q, mu, r and u.
static double residual_of(int n, const double *mu, const double *q, const double *r,
                          const double *u)
{
    double map = 0.0, qq = 0.0, rr = 0.0, uu = 0.0;
    for (int i = 0; i < n; i++) {
        const double *R = r + 3 * i, *U = u + 3 * i;
        double slip = sqrt(U[1] * U[1] + U[2] * U[2]);
        double z[3] = {R[0] - U[0] - mu[i] * slip, R[1] - U[1], R[2] - U[2]}, p[3] = {0.0};
        double t = sqrt(z[1] * z[1] + z[2] * z[2]);
        if (t <= mu[i] * z[0]) {
            p[0] = z[0], p[1] = z[1], p[2] = z[2];
        } else if (mu[i] * t > -z[0]) {
            p[0] = (z[0] + mu[i] * t) / (1.0 + mu[i] * mu[i]);
            p[1] = mu[i] * p[0] * z[1] / t;
            p[2] = mu[i] * p[0] * z[2] / t;
        }
        for (int k = 0; k < 3; k++) {
            map += (R[k] - p[k]) * (R[k] - p[k]);
            qq += q[3 * i + k] * q[3 * i + k];
            rr += R[k] * R[k];
            uu += U[k] * U[k];
        }
    }
    double scale = fmax(sqrt(qq), fmax(sqrt(rr), sqrt(uu)));
    return scale > 0.0 ? sqrt(map) / scale : 0.0;
}

static con_fclib_problem *read_problem(const char *path)
{
    base_allocator allocator = base_allocator_default();
    con_fclib_problem *content;
    cairn_error error = {0};
    require(con_fclib_read(path, &allocator, &content, &error), &error);
    return content;
}

/// u of a file's r from the file's own matrices.
static void velocity_of(const con_fclib_problem *content, double *u, double *q)
{
    base_allocator allocator = base_allocator_default();
    con_fclib_conversion *conversion;
    cairn_error error = {0};
    require(con_fclib_convert(content, &allocator, &conversion, &error), &error);
    const con_problem *problem = &conversion->problem;
    base_arena *arena = base_arena_create(&allocator, 1 << 16);
    int n = problem->contact_count;
    assert_int_equal(con_problem_velocity(problem,
                                          (const double(*)[3])(const void *)content->solution.r,
                                          (double(*)[3])(void *)u, arena),
                     CAIRN_OK);
    for (int i = 0; i < 3 * n; i++)
        q[i] = problem->q[i / 3][i % 3];
    base_arena_destroy(arena);
    con_fclib_conversion_destroy(conversion);
}

static void check_step(cairn_world *world, const char *folder)
{
    const cairn_fclib_form forms[] = {CAIRN_FCLIB_LOCAL, CAIRN_FCLIB_GLOBAL};
    int n = cairn_world_get_report(world)->contacts;
    double *u[2], *q = calloc((size_t)(3 * n), sizeof *q);
    for (int f = 0; f < 2; f++) {
        char path[256];
        snprintf(path, sizeof path, "%s/problem-%d.hdf5", folder, f);
        cairn_error error = {0};
        require(cairn_world_write_fclib(world, path, forms[f], "test", "a live step", &error),
                &error);
        con_fclib_problem *content = read_problem(path);
        assert_int_equal(content->contact_count, n);
        u[f] = calloc((size_t)(3 * n), sizeof *u[f]);
        velocity_of(content, u[f], q);
        for (int i = 0; i < 3 * n; i++)
            check_close(u[f][i], content->solution.u[i], 0.0, 1e-10);
        double error_of_file = residual_of(n, content->friction, q, content->solution.r, u[f]);
        // round-off of W r relative to the largest of the norms
        check_close(error_of_file, cairn_world_get_report(world)->error_siconos, 1e-6, 1e-13);
        con_fclib_problem_destroy(content);
        remove(path);
    }
    for (int i = 0; i < 3 * n; i++)
        check_close(u[0][i], u[1][i], 0.0, 1e-10);
    free(u[0]);
    free(u[1]);
    free(q);
}

/// A heap of boxes and capsules that falls on the ground, with restitution and a moving wall.
static cairn_world *heap(void)
{
    cairn_world_def def = cairn_default_world_def();
    cairn_world *world = make_world(&def);
    set_contact(world, 0.5, 0.1);
    add_ground(world);
    cairn_shape_def capsule = cairn_default_shape_def(CAIRN_CAPSULE);
    capsule.radius = 0.1;
    capsule.half_length = 0.2;
    cairn_shape_id shapes[2] = {box_shape(world, 0.3, 0.4, 0.2), make_shape(world, &capsule)};
    for (int i = 0; i < 12; i++)
        add_body_at(world, shapes[i % 2], 0.1 * (i % 3), 0.12 * (i % 4), 0.4 + 0.6 * i);
    cairn_body_def wall = cairn_default_body_def();
    wall.kind = CAIRN_MOVING;
    wall.shape = box_shape(world, 0.1, 4.0, 2.0);
    wall.position[0] = -0.6;
    wall.position[2] = 1.0;
    wall.velocity[0] = 0.2;
    make_body(world, &wall);
    return world;
}

static void stored_solutions_have_the_residual_of_the_step(void **state)
{
    (void)state;
    char folder[] = "/tmp/cairn-problem-XXXXXX";
    assert_non_null(mkdtemp(folder));
    cairn_world *world = heap();
    int written = 0;
    for (int i = 0; i < 400; i++) {
        run_steps(world, 1);
        if (cairn_world_get_report(world)->contacts == 0 || i % 20 != 0)
            continue;
        check_step(world, folder);
        written++;
    }
    assert_true(written > 10);
    cairn_world_destroy(world);
    rmdir(folder);
}

static void a_step_without_contacts_writes_nothing(void **state)
{
    (void)state;
    cairn_world *world = heap();
    run_steps(world, 1);
    assert_int_equal(cairn_world_get_report(world)->contacts, 0);
    cairn_error error = {0};
    assert_int_equal(cairn_world_write_fclib(world, "/nonexistent/problem.hdf5", CAIRN_FCLIB_LOCAL,
                                             "test", "", &error),
                     CAIRN_ERROR_ARGUMENT);
    cairn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stored_solutions_have_the_residual_of_the_step),
        cmocka_unit_test(a_step_without_contacts_writes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
