// SPDX-License-Identifier: Apache-2.0
// 3-vectors, 3x3 matrices (row-major), unit quaternions (w x y z) and rigid poses, by value.
#ifndef CAIRN_BASE_VEC_H
#define CAIRN_BASE_VEC_H

#include <math.h>
#include <stdbool.h>

typedef struct vec3 {
    double x, y, z;
} vec3;

/// Row-major: m[row][column].
typedef struct mat3 {
    double m[3][3];
} mat3;

/// Rotation as a unit quaternion, scalar first; rotates body coordinates into world coordinates.
typedef struct quat {
    double w, x, y, z;
} quat;

/// Rigid placement: world point = position + rotate(orientation, local point).
typedef struct pose {
    vec3 position;
    quat orientation;
} pose;

/// The larger and the smaller of two numbers that are not NaN, in one instruction.
static inline double real_max(double a, double b)
{
    return a > b ? a : b;
}

static inline double real_min(double a, double b)
{
    return a < b ? a : b;
}

static inline vec3 vec3_make(double x, double y, double z)
{
    return (vec3){x, y, z};
}

static inline vec3 vec3_from(const double v[3])
{
    return (vec3){v[0], v[1], v[2]};
}

static inline void vec3_store(double out[3], vec3 v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static inline double vec3_get(vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static inline vec3 vec3_set(vec3 v, int axis, double value)
{
    if (axis == 0)
        v.x = value;
    else if (axis == 1)
        v.y = value;
    else
        v.z = value;
    return v;
}

static inline vec3 vec3_add(vec3 a, vec3 b)
{
    return (vec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline vec3 vec3_sub(vec3 a, vec3 b)
{
    return (vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline vec3 vec3_scale(double s, vec3 a)
{
    return (vec3){s * a.x, s * a.y, s * a.z};
}

/// a + s b
static inline vec3 vec3_add_scaled(vec3 a, double s, vec3 b)
{
    return (vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline vec3 vec3_negate(vec3 a)
{
    return (vec3){-a.x, -a.y, -a.z};
}

static inline double vec3_dot(vec3 a, vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline vec3 vec3_cross(vec3 a, vec3 b)
{
    return (vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec3_norm_squared(vec3 a)
{
    return vec3_dot(a, a);
}

static inline double vec3_norm(vec3 a)
{
    return sqrt(vec3_dot(a, a));
}

static inline double vec3_distance(vec3 a, vec3 b)
{
    return vec3_norm(vec3_sub(a, b));
}

/// a / |a|, or `fallback` where a is zero.
static inline vec3 vec3_normalize_or(vec3 a, vec3 fallback)
{
    double length = vec3_norm(a);
    return length > 0.0 ? vec3_scale(1.0 / length, a) : fallback;
}

static inline vec3 vec3_multiply(vec3 a, vec3 b)
{
    return (vec3){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline vec3 vec3_min(vec3 a, vec3 b)
{
    return (vec3){fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)};
}

static inline vec3 vec3_max(vec3 a, vec3 b)
{
    return (vec3){fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)};
}

static inline vec3 vec3_abs(vec3 a)
{
    return (vec3){fabs(a.x), fabs(a.y), fabs(a.z)};
}

static inline bool vec3_is_finite(vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/// Two unit tangents that make (n, t1, t2) right-handed; continuous almost everywhere.
static inline void vec3_tangents(vec3 n, vec3 *t1, vec3 *t2)
{
    // smallest component of n gives the safest helper axis
    vec3 a = vec3_abs(n);
    vec3 helper = a.x <= a.y && a.x <= a.z ? (vec3){1.0, 0.0, 0.0}
                  : a.y <= a.z             ? (vec3){0.0, 1.0, 0.0}
                                           : (vec3){0.0, 0.0, 1.0};
    *t1 = vec3_normalize_or(vec3_cross(helper, n), (vec3){1.0, 0.0, 0.0});
    *t2 = vec3_cross(n, *t1);
}

static inline mat3 mat3_identity(void)
{
    return (mat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
}

static inline mat3 mat3_diagonal(vec3 d)
{
    return (mat3){{{d.x, 0.0, 0.0}, {0.0, d.y, 0.0}, {0.0, 0.0, d.z}}};
}

static inline mat3 mat3_from_rows(vec3 a, vec3 b, vec3 c)
{
    return (mat3){{{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}}};
}

static inline mat3 mat3_from_columns(vec3 a, vec3 b, vec3 c)
{
    return (mat3){{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
}

static inline vec3 mat3_row(const mat3 *a, int row)
{
    return vec3_from(a->m[row]);
}

static inline vec3 mat3_column(const mat3 *a, int column)
{
    return (vec3){a->m[0][column], a->m[1][column], a->m[2][column]};
}

static inline vec3 mat3_apply(const mat3 *a, vec3 v)
{
    return (vec3){a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                  a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                  a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z};
}

/// a^T v
static inline vec3 mat3_apply_transposed(const mat3 *a, vec3 v)
{
    return (vec3){a->m[0][0] * v.x + a->m[1][0] * v.y + a->m[2][0] * v.z,
                  a->m[0][1] * v.x + a->m[1][1] * v.y + a->m[2][1] * v.z,
                  a->m[0][2] * v.x + a->m[1][2] * v.y + a->m[2][2] * v.z};
}

static inline mat3 mat3_transpose(const mat3 *a)
{
    mat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a->m[j][i];
    return r;
}

static inline mat3 mat3_multiply(const mat3 *a, const mat3 *b)
{
    mat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a->m[i][0] * b->m[0][j] + a->m[i][1] * b->m[1][j] + a->m[i][2] * b->m[2][j];
    return r;
}

static inline mat3 mat3_add(const mat3 *a, const mat3 *b)
{
    mat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = a->m[i][j] + b->m[i][j];
    return r;
}

static inline mat3 mat3_scale(double s, const mat3 *a)
{
    mat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[i][j] = s * a->m[i][j];
    return r;
}

static inline double mat3_trace(const mat3 *a)
{
    return a->m[0][0] + a->m[1][1] + a->m[2][2];
}

static inline double mat3_determinant(const mat3 *a)
{
    return vec3_dot(mat3_row(a, 0), vec3_cross(mat3_row(a, 1), mat3_row(a, 2)));
}

/// Inverse by cofactors; the caller sees to it that a is regular.
static inline mat3 mat3_inverse(const mat3 *a)
{
    vec3 r0 = mat3_row(a, 0), r1 = mat3_row(a, 1), r2 = mat3_row(a, 2);
    mat3 adjugate = mat3_from_columns(vec3_cross(r1, r2), vec3_cross(r2, r0), vec3_cross(r0, r1));
    return mat3_scale(1.0 / mat3_determinant(a), &adjugate);
}

/// [v]x, so that [v]x w = v x w
static inline mat3 mat3_skew(vec3 v)
{
    return (mat3){{{0.0, -v.z, v.y}, {v.z, 0.0, -v.x}, {-v.y, v.x, 0.0}}};
}

static inline quat quat_identity(void)
{
    return (quat){1.0, 0.0, 0.0, 0.0};
}

static inline quat quat_normalize(quat q)
{
    double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (quat){q.w / n, q.x / n, q.y / n, q.z / n};
}

static inline quat quat_conjugate(quat q)
{
    return (quat){q.w, -q.x, -q.y, -q.z};
}

static inline quat quat_multiply(quat a, quat b)
{
    return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                  a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

static inline mat3 quat_to_mat3(quat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (mat3){{{1.0 - 2.0 * (yy + zz), 2.0 * (xy - wz), 2.0 * (xz + wy)},
                   {2.0 * (xy + wz), 1.0 - 2.0 * (xx + zz), 2.0 * (yz - wx)},
                   {2.0 * (xz - wy), 2.0 * (yz + wx), 1.0 - 2.0 * (xx + yy)}}};
}

/// Rotation matrix to quaternion (Shepperd's choice of the largest component).
quat base_quat_from_mat3(const mat3 *rotation);

/// exp of a rotation vector (axis times angle, radians); exact, smooth at zero.
quat base_quat_from_rotation_vector(vec3 rotation);

static inline vec3 quat_rotate(quat q, vec3 v)
{
    // v + 2 w (u x v) + 2 u x (u x v), u the vector part
    vec3 u = {q.x, q.y, q.z};
    vec3 t = vec3_scale(2.0, vec3_cross(u, v));
    return vec3_add(vec3_add_scaled(v, q.w, t), vec3_cross(u, t));
}

static inline vec3 quat_rotate_inverse(quat q, vec3 v)
{
    return quat_rotate(quat_conjugate(q), v);
}

static inline pose pose_identity(void)
{
    return (pose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
}

static inline vec3 pose_apply(const pose *p, vec3 local)
{
    return vec3_add(p->position, quat_rotate(p->orientation, local));
}

static inline vec3 pose_apply_inverse(const pose *p, vec3 world)
{
    return quat_rotate_inverse(p->orientation, vec3_sub(world, p->position));
}

/// a after b: the placement of something placed by b in the frame that a places.
static inline pose pose_compose(const pose *a, const pose *b)
{
    return (pose){pose_apply(a, b->position), quat_multiply(a->orientation, b->orientation)};
}

/// b seen from a: pose_compose(a, result) = b.
static inline pose pose_relative(const pose *a, const pose *b)
{
    quat inverse = quat_conjugate(a->orientation);
    return (pose){quat_rotate(inverse, vec3_sub(b->position, a->position)),
                  quat_multiply(inverse, b->orientation)};
}

/// Eigenvalues (ascending) and right-handed eigenvector columns of a symmetric matrix, by Jacobi
/// rotations to round-off.
void base_mat3_eigen_symmetric(const mat3 *a, vec3 *values, mat3 *vectors);

#endif
