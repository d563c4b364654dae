// SPDX-License-Identifier: Apache-2.0
// Vectors, rotations, symmetric eigenvectors.
#include "base/rng.h"
#include "base/vec.h"
#include "tests/check.h"

static vec3 random_vec3(base_rng *rng)
{
    double x = base_rng_range(rng, -1.0, 1.0), y = base_rng_range(rng, -1.0, 1.0);
    return vec3_make(x, y, base_rng_range(rng, -1.0, 1.0));
}

static void quaternions_and_matrices_agree(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(1);
    for (int i = 0; i < 1000; i++) {
        quat q = base_quat_from_rotation_vector(vec3_scale(4.0, random_vec3(&rng)));
        mat3 m = quat_to_mat3(q);
        vec3 v = random_vec3(&rng);
        vec3 a = quat_rotate(q, v), b = mat3_apply(&m, v);
        check_at_most(vec3_distance(a, b), 1e-15 * 8.0);
        check_at_most(vec3_distance(quat_rotate_inverse(q, a), v), 1e-15 * 8.0);
        quat back = base_quat_from_mat3(&m);
        double dot = q.w * back.w + q.x * back.x + q.y * back.y + q.z * back.z;
        check_close(fabs(dot), 1.0, 0.0, 1e-14);
    }
}

static void tiny_rotations_keep_their_digits(void **state)
{
    (void)state;
    quat q = base_quat_from_rotation_vector(vec3_make(2e-9, 0.0, 0.0));
    check_close(q.x, 1e-9, 1e-15, 0.0);
    // small turns go by a series, large ones by sine and cosine
    for (double angle = 1e-6; angle < 3.0; angle *= 1.01) {
        q = base_quat_from_rotation_vector(vec3_make(0.6 * angle, 0.0, -0.8 * angle));
        check_close(q.w, cos(0.5 * angle), 4e-16, 0.0);
        check_close(q.x, 0.6 * sin(0.5 * angle), 1e-15, 0.0);
        check_close(q.z, -0.8 * sin(0.5 * angle), 1e-15, 0.0);
        assert_true(q.y == 0.0);
    }
}

static void tangents_are_orthonormal_and_right_handed(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(2);
    for (int i = 0; i < 1000; i++) {
        vec3 n = vec3_normalize_or(random_vec3(&rng), vec3_make(0.0, 0.0, 1.0)), t1, t2;
        vec3_tangents(n, &t1, &t2);
        check_close(vec3_norm(t1), 1.0, 0.0, 1e-14);
        check_close(vec3_dot(n, t1), 0.0, 0.0, 1e-14);
        check_close(vec3_dot(vec3_cross(n, t1), t2), 1.0, 0.0, 1e-14);
    }
}

static void eigenvectors_rebuild_the_matrix(void **state)
{
    (void)state;
    base_rng rng = base_rng_make(3);
    for (int i = 0; i < 1000; i++) {
        quat q = base_quat_from_rotation_vector(vec3_scale(3.0, random_vec3(&rng)));
        mat3 r = quat_to_mat3(q), rt = mat3_transpose(&r);
        // equal moments too
        vec3 d = vec3_make(1.0, i % 2 == 0 ? 1.0 : 2.0, i % 3 == 0 ? 1.0 : 1e6);
        mat3 diagonal = mat3_diagonal(d), rd = mat3_multiply(&r, &diagonal);
        mat3 a = mat3_multiply(&rd, &rt), v;
        a.m[1][0] = a.m[0][1], a.m[2][0] = a.m[0][2], a.m[2][1] = a.m[1][2];
        vec3 values;
        base_mat3_eigen_symmetric(&a, &values, &v);
        mat3 lambda = mat3_diagonal(values), vl = mat3_multiply(&v, &lambda);
        mat3 vt = mat3_transpose(&v), back = mat3_multiply(&vl, &vt);
        for (int j = 0; j < 9; j++)
            check_close(back.m[j / 3][j % 3], a.m[j / 3][j % 3], 0.0, 1e-15 * 20.0 * values.z);
        check_close(mat3_determinant(&v), 1.0, 0.0, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quaternions_and_matrices_agree),
        cmocka_unit_test(tiny_rotations_keep_their_digits),
        cmocka_unit_test(tangents_are_orthonormal_and_right_handed),
        cmocka_unit_test(eigenvectors_rebuild_the_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
