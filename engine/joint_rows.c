// SPDX-License-Identifier: Apache-2.0
// Rows of joints: the constraint g(q) and its gradient as wrenches, theory.md (9.1)-(9.5).
#include "engine/joints.h"

/// What a kind forbids: translations along axes of A (bits x, y, z), and right angles between axis
/// `first` of A and axis `second` of B.
typedef struct kind_row {
    unsigned translations;
    int angle_count;
    struct {
        int first, second;
    } angles[3];
    bool has_coordinate, is_angle;
} kind_row;

enum { X = 0, Y = 1, Z = 2, ALONG_X = 1, ALONG_Y = 2, ALONG_Z = 4 };

static const kind_row kinds[CAIRN_JOINT_KIND_COUNT] = {
    [CAIRN_JOINT_ball] = {ALONG_X | ALONG_Y | ALONG_Z, 0, {{0, 0}},                 false, false},
    [CAIRN_JOINT_hinge] = {ALONG_X | ALONG_Y | ALONG_Z, 2, {{X, Z}, {Y, Z}},         true,  true },
    [CAIRN_JOINT_slider] = {ALONG_X | ALONG_Y,           3, {{X, Y}, {Y, Z}, {Z, X}}, true,  false},
    [CAIRN_JOINT_cylindrical] = {ALONG_X | ALONG_Y,           2, {{X, Z}, {Y, Z}},         true,  false},
    [CAIRN_JOINT_universal] = {ALONG_X | ALONG_Y | ALONG_Z, 1, {{Z, X}},                 false, false},
    [CAIRN_JOINT_fixed] = {ALONG_X | ALONG_Y | ALONG_Z, 3, {{X, Y}, {Y, Z}, {Z, X}}, false, false},
    [CAIRN_JOINT_rod] = {0,                           0, {{0, 0}},                 false, false},
};

const char *cairn_joint_kind_name(cairn_joint_kind kind)
{
    static const char *const names[] = {
#define JOINT_NAME(name, help) #name,
        CAIRN_JOINT_LIST(JOINT_NAME)
#undef JOINT_NAME
    };
    return names[kind];
}

int eng_joint_row_count(cairn_joint_kind kind)
{
    if (kind == CAIRN_JOINT_rod)
        return 1;
    return __builtin_popcount(kinds[kind].translations) + kinds[kind].angle_count;
}

bool eng_joint_has_coordinate(cairn_joint_kind kind)
{
    return kinds[kind].has_coordinate;
}

bool eng_joint_has_angle(cairn_joint_kind kind)
{
    return kinds[kind].is_angle;
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

/// The coordinate and its row, theory.md (9.5).
static void evaluate_coordinate(const eng_joint *joint, const vec3 a[3], vec3 b_x, vec3 apart,
                                eng_joint_rows *rows)
{
    const vec3 none = {0.0, 0.0, 0.0};
    bool angle = kinds[joint->kind].is_angle;
    rows->has_coordinate = kinds[joint->kind].has_coordinate;
    rows->coordinate =
        angle ? atan2(vec3_dot(b_x, a[1]), vec3_dot(b_x, a[0])) : vec3_dot(a[2], apart);
    rows->row[rows->count] = angle ? (eng_wrench){none, a[2]} : (eng_wrench){a[2], none};
}

void eng_joint_evaluate(const eng_joint *joint, const pose q[2], eng_joint_rows *rows)
{
    const kind_row *kind = &kinds[joint->kind];
    const vec3 none = {0.0, 0.0, 0.0};
    vec3 p_a = pose_apply(&q[0], joint->point[0]), p_b = pose_apply(&q[1], joint->point[1]);
    vec3 apart = vec3_sub(p_b, p_a), a[3], b[3];
    *rows = (eng_joint_rows){.point = p_b};
    if (joint->kind == CAIRN_JOINT_rod) {
        evaluate_rod(joint, apart, rows);
        return;
    }
    for (int k = 0; k < 3; k++) {
        a[k] = axis_of(&joint->axes[0], &q[0], k);
        b[k] = axis_of(&joint->axes[1], &q[1], k);
    }
    for (int k = 0; k < 3; k++)
        if ((kind->translations >> k & 1) != 0)
            add_row(rows, vec3_dot(a[k], apart), a[k], none);
    for (int k = 0; k < kind->angle_count; k++) {
        vec3 u = a[kind->angles[k].first], w = b[kind->angles[k].second];
        add_row(rows, vec3_dot(u, w), none, vec3_cross(w, u));
    }
    evaluate_coordinate(joint, a, b[0], apart, rows);
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
