// SPDX-License-Identifier: Apache-2.0
// Rows of joints: the constraint g(q) and its gradient as wrenches, theory.md (9.1)-(9.5a).
#include "engine/joints/joints.h"

#include "base/elementary.h"

/// How the coordinate is measured, theory.md (9.5)-(9.5a).
typedef enum measure { NONE, TRANSLATION, ANGLE, CONE_ANGLE } measure;

/// What a kind forbids: translations along axes of A (bits x, y, z), and right angles between axis
/// `first` of A and axis `second` of B.
typedef struct kind_row {
    unsigned translations;
    int angle_count;
    struct {
        int first, second;
    } angles[3];
    measure coordinate;
    int swinging; // axis whose directions on A and B a swing lies between
} kind_row;

enum { X = 0, Y = 1, Z = 2, ALONG_X = 1, ALONG_Y = 2, ALONG_Z = 4 };

static const kind_row kinds[CAIRN_JOINT_KIND_COUNT] = {
    [CAIRN_JOINT_BALL] = {ALONG_X | ALONG_Y | ALONG_Z, 0, {{0, 0}}, CONE_ANGLE, Z},
    [CAIRN_JOINT_HINGE] = {ALONG_X | ALONG_Y | ALONG_Z, 2, {{X, Z}, {Y, Z}}, ANGLE, 0},
    [CAIRN_JOINT_SLIDER] = {ALONG_X | ALONG_Y, 3, {{X, Y}, {Y, Z}, {Z, X}}, TRANSLATION, 0},
    [CAIRN_JOINT_CYLINDRICAL] = {ALONG_X | ALONG_Y, 2, {{X, Z}, {Y, Z}}, TRANSLATION, 0},
    [CAIRN_JOINT_UNIVERSAL] = {ALONG_X | ALONG_Y | ALONG_Z, 1, {{Z, X}}, CONE_ANGLE, Y},
    [CAIRN_JOINT_FIXED] = {ALONG_X | ALONG_Y | ALONG_Z, 3, {{X, Y}, {Y, Z}, {Z, X}}, NONE, 0},
    [CAIRN_JOINT_ROD] = {0, 0, {{0, 0}}, NONE, 0},
};

const char *cairn_joint_kind_name(cairn_joint_kind kind)
{
    static const char *const names[] = {
#define JOINT_NAME(constant, name, help) #name,
        CAIRN_JOINT_LIST(JOINT_NAME)
#undef JOINT_NAME
    };
    return (unsigned)kind < CAIRN_JOINT_KIND_COUNT ? names[kind] : "";
}

int eng_joint_row_count(cairn_joint_kind kind)
{
    if (kind == CAIRN_JOINT_ROD)
        return 1;
    return __builtin_popcount(kinds[kind].translations) + kinds[kind].angle_count;
}

bool eng_joint_has_drive(cairn_joint_kind kind)
{
    return kinds[kind].coordinate == TRANSLATION || kinds[kind].coordinate == ANGLE;
}

bool eng_joint_has_swing(cairn_joint_kind kind)
{
    return kinds[kind].coordinate == CONE_ANGLE;
}

bool eng_joint_has_turns(cairn_joint_kind kind)
{
    return kinds[kind].coordinate == ANGLE;
}

double eng_joint_unwind(double angle, double before)
{
    return angle + 2.0 * M_PI * round((before - angle) / (2.0 * M_PI));
}

static vec3 axis_of(const mat3 *axes, const pose *q, int column)
{
    return quat_rotate(q->orientation, mat3_column(axes, column));
}

static void add_row(eng_joint_rows *rows, double g, vec3 d, vec3 e)
{
    rows->g[rows->count] = g;
    rows->row[rows->count++] = (eng_wrench){d, e};
}

static void evaluate_rod(const eng_joint *joint, vec3 apart, eng_joint_rows *rows)
{
    const vec3 none = {0.0, 0.0, 0.0};
    double length = vec3_norm(apart);
    vec3 d = vec3_normalize_or(apart, vec3_make(0.0, 0.0, 1.0));
    add_row(rows, length - joint->length, d, none);
    rows->coordinate = length;
    rows->row[rows->count] = rows->row[0];
}

/// The angle between an axis of A and the same one of B, and the direction about which it grows;
/// any perpendicular to the axis where the two coincide.
static void evaluate_swing(vec3 u, vec3 w, vec3 square, eng_joint_rows *rows)
{
    const vec3 none = {0.0, 0.0, 0.0};
    vec3 across = vec3_cross(u, w);
    rows->coordinate = base_atan2(vec3_norm(across), vec3_dot(u, w));
    rows->row[rows->count] = (eng_wrench){none, vec3_normalize_or(across, square)};
}

/// The coordinate and its row, theory.md (9.5)-(9.5a).
static void evaluate_coordinate(const eng_joint *joint, const vec3 a[3], const vec3 b[3],
                                vec3 apart, eng_joint_rows *rows)
{
    const vec3 none = {0.0, 0.0, 0.0};
    const kind_row *kind = &kinds[joint->kind];
    rows->has_coordinate = kind->coordinate != NONE;
    rows->row[rows->count] = (eng_wrench){none, none};
    if (kind->coordinate == ANGLE) {
        rows->coordinate = base_atan2(vec3_dot(b[0], a[1]), vec3_dot(b[0], a[0]));
        rows->row[rows->count].e = a[2];
    } else if (kind->coordinate == TRANSLATION) {
        rows->coordinate = vec3_dot(a[2], apart);
        rows->row[rows->count].d = a[2];
    } else if (kind->coordinate == CONE_ANGLE) {
        int k = kind->swinging;
        evaluate_swing(a[k], b[k], a[(k + 1) % 3], rows);
    }
}

static mat3 world_inertia(const eng_joint *joint, int side, const pose *q)
{
    mat3 turn = quat_to_mat3(q->orientation), back = mat3_transpose(&turn);
    mat3 moments = mat3_diagonal(joint->inertia[side]), half = mat3_multiply(&turn, &moments);
    return mat3_multiply(&half, &back);
}

/// Couples of the forces along the forbidden directions, theory.md (9.4a): where the two anchors
/// are apart by `off`, the moment of the pair of forces turns both bodies alike.
static void share_moments(const eng_joint *joint, const pose q[2], vec3 off, eng_joint_rows *rows)
{
    bool free_a = joint->inertia[0].x > 0.0, free_b = joint->inertia[1].x > 0.0;
    if (!free_a || vec3_dot(off, off) == 0.0)
        return;
    mat3 share = mat3_identity();
    if (free_b) {
        mat3 J_a = world_inertia(joint, 0, &q[0]), J_b = world_inertia(joint, 1, &q[1]);
        mat3 sum = mat3_add(&J_a, &J_b), inverse = mat3_inverse(&sum);
        share = mat3_multiply(&J_b, &inverse);
    }
    for (int k = 0; k < rows->count; k++)
        rows->row[k].e = vec3_scale(-1.0, mat3_apply(&share, vec3_cross(off, rows->row[k].d)));
}

void eng_joint_evaluate(const eng_joint *joint, const pose q[2], eng_joint_rows *rows)
{
    const kind_row *kind = &kinds[joint->kind];
    const vec3 none = {0.0, 0.0, 0.0};
    vec3 p_a = pose_apply(&q[0], joint->point[0]), p_b = pose_apply(&q[1], joint->point[1]);
    vec3 apart = vec3_sub(p_b, p_a), a[3], b[3];
    *rows = (eng_joint_rows){.point = p_b};
    if (joint->kind == CAIRN_JOINT_ROD) {
        evaluate_rod(joint, apart, rows);
        return;
    }
    for (int k = 0; k < 3; k++) {
        a[k] = axis_of(&joint->axes[0], &q[0], k);
        b[k] = axis_of(&joint->axes[1], &q[1], k);
    }
    vec3 off = none;
    for (int k = 0; k < 3; k++)
        if ((kind->translations >> k & 1) != 0) {
            add_row(rows, vec3_dot(a[k], apart), a[k], none);
            off = vec3_add_scaled(off, vec3_dot(a[k], apart), a[k]);
        }
    share_moments(joint, q, off, rows);
    for (int k = 0; k < kind->angle_count; k++) {
        vec3 u = a[kind->angles[k].first], w = b[kind->angles[k].second];
        add_row(rows, vec3_dot(u, w), none, vec3_cross(w, u));
    }
    evaluate_coordinate(joint, a, b, apart, rows);
}

void eng_joint_row_blocks(const eng_wrench *row, vec3 point, const pose q[2], double G[2][6])
{
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1.0 : 1.0;
        vec3 moment = vec3_add(vec3_cross(vec3_sub(point, q[side].position), row->d), row->e);
        vec3_store(G[side], vec3_scale(sign, row->d));
        vec3_store(G[side] + 3, vec3_scale(sign, quat_rotate_inverse(q[side].orientation, moment)));
    }
}
