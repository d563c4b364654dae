// SPDX-License-Identifier: Apache-2.0
// Rows of joints: the constraint g(q) and its gradient as wrenches, theory.md (9.1)-(9.5a).
#include "engine/joints/joints.h"

#include "base/elementary.h"

// of directions that are meant to be one
static const double round_off = 1e-10;

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

static void add_row(eng_joint_rows *rows, double g, vec3 d, vec3 e)
{
    rows->g[rows->count] = g;
    rows->row[rows->count++] = (eng_wrench){d, e};
}

static void rod_rows(const eng_joint *joint, vec3 apart, double length, eng_joint_rows *rows)
{
    const vec3 none = {0.0, 0.0, 0.0}, up = {0.0, 0.0, 1.0};
    vec3 d = length > 0.0 ? vec3_scale(1.0 / length, apart) : up;
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
static void evaluate_coordinate(const eng_joint *joint, const eng_joint_frame *f, vec3 apart,
                                eng_joint_rows *rows)
{
    const vec3 none = {0.0, 0.0, 0.0}, *a = f->a, *b = f->b;
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

eng_joint_frame eng_joint_frame_of(const eng_joint *joint, const pose q[2])
{
    eng_joint_frame frame;
    for (int side = 0; side < 2; side++) {
        vec3 *axes = side == 0 ? frame.a : frame.b;
        mat3 turn = quat_to_mat3(q[side].orientation);
        vec3 arm = mat3_apply(&turn, joint->point[side]);
        frame.p[side] = vec3_add(q[side].position, arm);
        for (int k = 0; k < 3; k++)
            axes[k] = mat3_apply(&turn, mat3_column(&joint->axes[side], k));
    }
    return frame;
}

/// Rows of the constraints; those of a rod with the length given.
static void constraint_rows(const eng_joint *joint, const eng_joint_frame *f, double length,
                            eng_joint_rows *rows)
{
    const kind_row *kind = &kinds[joint->kind];
    const vec3 none = {0.0, 0.0, 0.0};
    vec3 apart = vec3_sub(f->p[1], f->p[0]);
    *rows = (eng_joint_rows){.point = f->p[1]};
    if (joint->kind == CAIRN_JOINT_ROD) {
        rod_rows(joint, apart, length, rows);
        return;
    }
    for (int k = 0; k < 3; k++)
        if ((kind->translations >> k & 1) != 0)
            add_row(rows, vec3_dot(f->a[k], apart), f->a[k], none);
    for (int k = 0; k < kind->angle_count; k++) {
        vec3 u = f->a[kind->angles[k].first], w = f->b[kind->angles[k].second];
        add_row(rows, vec3_dot(u, w), none, vec3_cross(w, u));
    }
}

void eng_joint_frame_rows(const eng_joint *joint, const eng_joint_frame *frame,
                          eng_joint_rows *rows)
{
    vec3 apart = vec3_sub(frame->p[1], frame->p[0]);
    constraint_rows(joint, frame, vec3_norm(apart), rows);
    if (joint->kind != CAIRN_JOINT_ROD)
        evaluate_coordinate(joint, frame, apart, rows);
}

static vec3 mean_of(vec3 a, vec3 b)
{
    return vec3_scale(0.5, vec3_add(a, b));
}

void eng_joint_mean_rows(const eng_joint *joint, const eng_joint_frame *from,
                         const eng_joint_frame *to, eng_joint_rows *rows)
{
    eng_joint_frame mean;
    for (int side = 0; side < 2; side++)
        mean.p[side] = mean_of(from->p[side], to->p[side]);
    for (int k = 0; k < 3; k++) {
        mean.a[k] = mean_of(from->a[k], to->a[k]);
        mean.b[k] = mean_of(from->b[k], to->b[k]);
    }
    double length =
        0.5 * (vec3_distance(from->p[0], from->p[1]) + vec3_distance(to->p[0], to->p[1]));
    constraint_rows(joint, &mean, length, rows);
    // of coordinates that may be driven
    const vec3 none = {0.0, 0.0, 0.0};
    measure coordinate = kinds[joint->kind].coordinate;
    rows->row[rows->count] = (eng_wrench){coordinate == TRANSLATION ? mean.a[2] : none,
                                          coordinate == ANGLE ? mean.a[2] : none};
}

bool eng_joint_lets_spin(const eng_joint *joint, int side, int axis, double tolerance)
{
    vec3 off = vec3_set(joint->point[side], axis, 0.0);
    if (vec3_norm(off) > tolerance)
        return false;
    if (joint->kind == CAIRN_JOINT_BALL || joint->kind == CAIRN_JOINT_ROD)
        return true;
    if (joint->kind == CAIRN_JOINT_SLIDER || joint->kind == CAIRN_JOINT_FIXED)
        return false;
    int own = joint->kind == CAIRN_JOINT_UNIVERSAL && side == 1 ? X : Z;
    vec3 across = vec3_set(mat3_column(&joint->axes[side], own), axis, 0.0);
    return vec3_norm(across) <= round_off;
}

void eng_joint_evaluate(const eng_joint *joint, const pose q[2], eng_joint_rows *rows)
{
    eng_joint_frame frame = eng_joint_frame_of(joint, q);
    eng_joint_frame_rows(joint, &frame, rows);
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
