// SPDX-License-Identifier: Apache-2.0
// The functions of vec.h that are too long to inline.
#include "base/vec.h"
#include "base/elementary.h"

quat base_quat_from_mat3(const mat3 *rotation)
{
    const double(*m)[3] = rotation->m;
    double trace = m[0][0] + m[1][1] + m[2][2];
    quat q;
    if (trace >= m[0][0] && trace >= m[1][1] && trace >= m[2][2])
        q = (quat){1.0 + trace, m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]};
    else if (m[0][0] >= m[1][1] && m[0][0] >= m[2][2])
        q = (quat){m[2][1] - m[1][2], 1.0 + m[0][0] - m[1][1] - m[2][2], m[1][0] + m[0][1],
                   m[0][2] + m[2][0]};
    else if (m[1][1] >= m[2][2])
        q = (quat){m[0][2] - m[2][0], m[1][0] + m[0][1], 1.0 + m[1][1] - m[0][0] - m[2][2],
                   m[2][1] + m[1][2]};
    else
        q = (quat){m[1][0] - m[0][1], m[0][2] + m[2][0], m[2][1] + m[1][2],
                   1.0 + m[2][2] - m[0][0] - m[1][1]};
    return quat_normalize(q);
}

quat base_quat_from_rotation_vector(vec3 rotation)
{
    double t = 0.25 * vec3_norm_squared(rotation), s, c; // t: square of half the angle
    if (t < 1.0 / 256.0) {
        // series of sin(half) / angle and cos(half), whose next terms are below round-off: the
        // turns of a step are small
        s = 0.5 - t * (1.0 / 12.0 - t * (1.0 / 240.0 - t * (1.0 / 10080.0 - t * (1.0 / 725760.0))));
        c = 1.0 - t * (1.0 / 2.0 - t * (1.0 / 24.0 - t * (1.0 / 720.0 - t * (1.0 / 40320.0))));
    } else {
        double half = sqrt(t);
        s = 0.5 * base_sin(half) / half;
        c = base_cos(half);
    }
    return quat_normalize((quat){c, s * rotation.x, s * rotation.y, s * rotation.z});
}

static void jacobi_rotate(mat3 *a, mat3 *v, int p, int q)
{
    if (a->m[p][q] == 0.0)
        return;
    double theta = (a->m[q][q] - a->m[p][p]) / (2.0 * a->m[p][q]);
    double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int k = 0; k < 3; k++) {
        double kp = a->m[k][p], kq = a->m[k][q];
        a->m[k][p] = c * kp - s * kq;
        a->m[k][q] = s * kp + c * kq;
    }
    for (int k = 0; k < 3; k++) {
        double pk = a->m[p][k], qk = a->m[q][k];
        a->m[p][k] = c * pk - s * qk;
        a->m[q][k] = s * pk + c * qk;
        double vp = v->m[k][p], vq = v->m[k][q];
        v->m[k][p] = c * vp - s * vq;
        v->m[k][q] = s * vp + c * vq;
    }
    a->m[p][q] = a->m[q][p] = 0.0;
}

void base_mat3_eigen_symmetric(const mat3 *a, vec3 *values, mat3 *vectors)
{
    mat3 d = *a, v = mat3_identity();
    for (int sweep = 0; sweep < 32; sweep++) {
        double off = fabs(d.m[0][1]) + fabs(d.m[0][2]) + fabs(d.m[1][2]);
        double on = fabs(d.m[0][0]) + fabs(d.m[1][1]) + fabs(d.m[2][2]);
        if (off <= 1e-18 * on)
            break;
        jacobi_rotate(&d, &v, 0, 1);
        jacobi_rotate(&d, &v, 0, 2);
        jacobi_rotate(&d, &v, 1, 2);
    }
    // ascending order, then a right-handed triad
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2 - i; j++)
            if (d.m[order[j]][order[j]] > d.m[order[j + 1]][order[j + 1]]) {
                int swap = order[j];
                order[j] = order[j + 1];
                order[j + 1] = swap;
            }
    vec3 e0 = mat3_column(&v, order[0]), e1 = mat3_column(&v, order[1]);
    *values = vec3_make(d.m[order[0]][order[0]], d.m[order[1]][order[1]], d.m[order[2]][order[2]]);
    *vectors = mat3_from_columns(e0, e1, vec3_cross(e0, e1));
}
