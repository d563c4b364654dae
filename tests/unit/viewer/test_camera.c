// SPDX-License-Identifier: Apache-2.0
// Camera, rays and picking against closed forms.
#include "tests/unit/viewer/world_fixture.h"

#include "base/rng.h"
#include "viewer/draw/camera.h"
#include "viewer/input/pick.h"

/// Clip coordinates of a point by the float matrix.
static void project(const view_matrix *m, vec3 p, double *x, double *y, double *z)
{
    double out[4];
    for (int row = 0; row < 4; row++)
        out[row] = m->m[row] * p.x + m->m[4 + row] * p.y + m->m[8 + row] * p.z + m->m[12 + row];
    *x = out[0] / out[3];
    *y = out[1] / out[3];
    *z = out[2] / out[3];
}

static void test_fit(void **state)
{
    (void)state;
    const vec3 low = {-1.0, 2.0, 0.0}, high = {3.0, 3.0, 7.0};
    for (int parallel = 0; parallel < 2; parallel++)
        for (int i = 0; i < 12; i++) {
            view_camera camera = view_camera_default();
            double aspect = i % 2 ? 0.6 : 1.8, largest = 0.0;
            camera.parallel = parallel;
            camera.azimuth = 0.7 * i - 3.0;
            camera.elevation = 0.25 * i - 1.5;
            view_camera_fit(&camera, low, high, aspect);
            view_matrix matrix = view_camera_matrix(&camera, low, 50.0, aspect);
            for (int corner = 0; corner < 8; corner++) {
                vec3 p = vec3_make(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y,
                                   corner & 4 ? high.z : low.z);
                double x, y, z;
                project(&matrix, vec3_sub(p, low), &x, &y, &z);
                largest = fmax(largest, fmax(fabs(x), fabs(y)));
                assert_true(z > -1.0 && z < 1.0);
            }
            // inside the picture, and not lost in it
            check_at_most(largest, 1.0);
            assert_true(largest > 0.7);
        }
}

/// A ray through a pixel passes the points that the matrix puts there.
static void test_ray(void **state)
{
    (void)state;
    for (int parallel = 0; parallel < 2; parallel++) {
        view_camera camera = view_camera_default();
        camera.target = vec3_make(1.0, 2.0, 3.0);
        camera.parallel = parallel;
        view_matrix matrix = view_camera_matrix(&camera, camera.target, 20.0, 1.5);
        view_ray ray = view_camera_ray(&camera, 0.3, -0.6, 1.5);
        for (int i = 1; i < 4; i++) {
            vec3 p = vec3_add_scaled(ray.origin, 2.0 * i, ray.direction);
            double x, y, z;
            project(&matrix, vec3_sub(p, camera.target), &x, &y, &z);
            check_close(x, 0.3, 0.0, 1e-4);
            check_close(y, -0.6, 0.0, 1e-4);
        }
    }
}

static void test_moves(void **state)
{
    (void)state;
    view_camera camera = view_camera_default();
    view_axes axes = view_camera_axes(&camera);
    check_close(vec3_distance(axes.eye, camera.target), camera.distance, 1e-12, 0.0);
    check_close(vec3_dot(vec3_cross(axes.right, axes.up), axes.forward), -1.0, 1e-12, 0.0);
    view_camera_orbit(&camera, 0.0, 100.0);
    assert_true(camera.elevation < 0.5 * M_PI);
    view_camera_zoom(&camera, 0.5);
    check_close(camera.distance, 2.5, 1e-12, 0.0);
    vec3 before = camera.target;
    view_camera_fly(&camera, 1.0, 2.0, 2.0);
    check_close(vec3_distance(before, camera.target), 3.0, 1e-12, 0.0);
}

/// Smallest distance of a point to the surface of a primitive, from its definition.
static double distance_to(int primitive, const double size[3], vec3 p)
{
    double across = hypot(p.x, p.y);
    switch (primitive) {
    case VIEW_SPHERE:
        return fabs(vec3_norm(p) - size[0]);
    case VIEW_CAPSULE: {
        double z = fmin(fmax(p.z, -size[2]), size[2]);
        return fabs(vec3_norm(vec3_sub(p, vec3_make(0, 0, z))) - size[0]);
    }
    case VIEW_CYLINDER: {
        double outside = fmax(across - size[0], fabs(p.z) - size[2]);
        return fabs(outside);
    }
    default: {
        double outside = fmax(fabs(p.x) - size[0], fmax(fabs(p.y) - size[1], fabs(p.z) - size[2]));
        return fabs(outside);
    }
    }
}

/// Marches along the ray in small steps to find whether it enters.
static bool meets(int primitive, const double size[3], vec3 o, vec3 d)
{
    for (double t = 0.0; t < 12.0; t += 0.005) {
        vec3 p = vec3_add_scaled(o, t, d);
        bool inside =
            primitive == VIEW_SPHERE ? vec3_norm(p) < size[0]
            : primitive == VIEW_CAPSULE
                ? vec3_norm(vec3_sub(p, vec3_make(0, 0, fmin(fmax(p.z, -size[2]), size[2])))) <
                      size[0]
            : primitive == VIEW_CYLINDER
                ? hypot(p.x, p.y) < size[0] && fabs(p.z) < size[2]
                : fabs(p.x) < size[0] && fabs(p.y) < size[1] && fabs(p.z) < size[2];
        if (inside)
            return true;
    }
    return false;
}

static void test_pick_primitives(void **state)
{
    (void)state;
    static const int primitives[] = {VIEW_SPHERE, VIEW_CAPSULE, VIEW_BOX, VIEW_CYLINDER};
    const double sizes[4][3] = {{0.8, 0.8, 0.8}, {0.4, 0.4, 0.9}, {0.5, 0.9, 0.3}, {0.6, 0.6, 0.5}};
    base_rng rng = base_rng_make(7);
    for (int k = 0; k < 4; k++) {
        int hits = 0;
        for (int i = 0; i < 400; i++) {
            vec3 o = {base_rng_range(&rng, -3, 3), base_rng_range(&rng, -3, 3),
                      base_rng_range(&rng, 2, 4)};
            vec3 aim = {base_rng_range(&rng, -1, 1), base_rng_range(&rng, -1, 1),
                        base_rng_range(&rng, -1, 1)};
            vec3 d = vec3_normalize_or(vec3_sub(aim, o), vec3_make(0, 0, -1));
            double t = view_pick_primitive(primitives[k], sizes[k], NULL, o, d);
            if (isfinite(t)) {
                hits++;
                check_at_most(distance_to(primitives[k], sizes[k], vec3_add_scaled(o, t, d)), 1e-9);
            } else {
                assert_false(meets(primitives[k], sizes[k], o, d));
            }
        }
        assert_in_range(hits, 40, 399);
    }
}

static void test_pick_bodies(void **state)
{
    (void)state;
    fixture f;
    fixture_begin(&f);
    add_body(f.world, f.plane, CAIRN_FIXED, 0, 0, 0);
    add_body(f.world, f.sphere, CAIRN_DYNAMIC, 0, 0, 2);
    add_body(f.world, f.sphere, CAIRN_DYNAMIC, 0, 3, 2);
    add_body(f.world, f.hull, CAIRN_DYNAMIC, 0, 6, 2);
    add_body(f.world, f.wall, CAIRN_FIXED, 0, -3, 2);
    fixture_show(&f);
    vec3 o = {0.1, -10, 2.1}, d = {0, 1, 0};
    view_hit hit = view_pick(&f.model, &f.frame, o, d, false);
    assert_int_equal(hit.body, 1);
    check_close(hit.point.y, -sqrt(0.25 - 0.02), 1e-9, 0.0);
    // the wall is glass: only asked for it is in the way
    o.z = 2.0;
    hit = view_pick(&f.model, &f.frame, o, d, true);
    assert_int_equal(hit.body, 4);
    hit = view_pick(&f.model, &f.frame, vec3_make(0.1, 10, 2.1), vec3_make(0, -1, 0), false);
    assert_int_equal(hit.body, 3);
    hit = view_pick(&f.model, &f.frame, vec3_make(0, 0, 9), vec3_make(0, 0, 1), false);
    assert_int_equal(hit.body, -1);
    fixture_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit),         cmocka_unit_test(test_ray),
        cmocka_unit_test(test_moves),       cmocka_unit_test(test_pick_primitives),
        cmocka_unit_test(test_pick_bodies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
