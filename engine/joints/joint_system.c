// SPDX-License-Identifier: Apache-2.0
// Rows of several joints as the solvers of joints take them, and what impulses and speeds of one
// row are for its bodies.
#include "engine/joints/joints.h"
#include "engine/state/kinematics.h"
#include "engine/state/world.h"

#include <string.h>

void eng_joint_poses(const eng_joint *joint, const pose *q, pose out[2])
{
    for (int side = 0; side < 2; side++)
        out[side] = joint->body[side] >= 0 ? q[joint->body[side]] : pose_identity();
}

eng_twist eng_joint_side_twist(const eng_joint *joint, int side, vec3 point, const pose *q,
                               const double (*v)[6])
{
    int body = joint->body[side];
    if (body < 0)
        return (eng_twist){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    vec3 omega = quat_rotate(q[body].orientation, vec3_from(v[body] + 3));
    vec3 arm = vec3_sub(point, q[body].position);
    return (eng_twist){vec3_add(vec3_from(v[body]), vec3_cross(omega, arm)), omega};
}

eng_twist eng_joint_twist(const eng_joint *joint, vec3 point, const pose *q, const double (*v)[6])
{
    eng_twist a = eng_joint_side_twist(joint, 0, point, q, v);
    eng_twist b = eng_joint_side_twist(joint, 1, point, q, v);
    return (eng_twist){vec3_sub(b.velocity, a.velocity), vec3_sub(b.omega, a.omega)};
}

void eng_joint_push(const cairn_world *world, const eng_joint *joint, const eng_wrench *row,
                    vec3 point, const pose *q, double l, double (*v)[6])
{
    pose sides[2];
    double G[2][6];
    eng_joint_poses(joint, q, sides);
    eng_joint_row_blocks(row, point, sides, G);
    for (int side = 0; side < 2; side++) {
        int body = joint->body[side];
        if (body < 0)
            continue;
        for (int k = 0; k < 6; k++)
            v[body][k] += world->state.bodies.mass_inverse[body][k] * G[side][k] * l;
    }
}

static bool is_dynamic(const cairn_world *world, int body)
{
    return body >= 0 && world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
}

/// Numbers the bodies of the joints in the order in which they come.
static cairn_status number_bodies(const cairn_world *world, eng_joint_system *system)
{
    int *number =
        base_arena_array(world->scratch.arena, int, "joint numbers", world->model.bodies.count);
    int *body =
        base_arena_array(world->scratch.arena, int, "joint bodies", 2 * system->joint_count);
    if (number == NULL || body == NULL)
        return CAIRN_ERROR_MEMORY;
    int(*pairs)[2] = (int(*)[2])system->rows.body;
    memset(number, -1, (size_t)world->model.bodies.count * sizeof *number);
    system->body_count = 0;
    for (int i = 0; i < system->joint_count; i++)
        for (int side = 0; side < 2; side++) {
            int at = pairs[i][side];
            if (at < 0)
                continue;
            if (number[at] < 0) {
                body[system->body_count] = at;
                number[at] = system->body_count++;
            }
            pairs[i][side] = number[at];
        }
    system->body = body;
    return CAIRN_OK;
}

static cairn_status copy_masses(const cairn_world *world, eng_joint_system *system)
{
    size_t count = (size_t)system->body_count;
    double(*mass_inverse)[6] =
        base_arena_allocate(world->scratch.arena, "joint masses", count, sizeof *mass_inverse);
    if (mass_inverse == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < system->body_count; i++)
        memcpy(mass_inverse[i], world->state.bodies.mass_inverse[system->body[i]],
               sizeof mass_inverse[i]);
    system->mass_inverse = (const double(*)[6])mass_inverse;
    return CAIRN_OK;
}

cairn_status eng_joint_system_init(const cairn_world *world, const int *joints, int count,
                                   bool compact, eng_joint_system *system)
{
    base_arena *arena = world->scratch.arena;
    int rows = 0;
    for (int i = 0; i < count; i++)
        rows += eng_joint_row_count(world->model.joints.rows[joints[i]].kind) + 1;
    int *start = base_arena_array(arena, int, "joint rows", count + 1);
    int(*body)[2] =
        (int(*)[2])base_arena_allocate(arena, "joint pairs", (size_t)count, sizeof *body);
    double(*G)[2][6] =
        (double(*)[2][6])base_arena_allocate(arena, "joint G", (size_t)rows, sizeof *G);
    double *b = base_arena_array(arena, double, "joint b", rows);
    if (start == NULL || body == NULL || G == NULL || b == NULL)
        return CAIRN_ERROR_MEMORY;
    *system = (eng_joint_system){.joint_count = count, .joint = joints, .b = b};
    system->rows = (con_joints){count, start, (const int(*)[2])body, (const double(*)[2][6])G, b};
    for (int i = 0; i < count; i++)
        for (int side = 0; side < 2; side++) {
            int at = world->model.joints.rows[joints[i]].body[side];
            body[i][side] = !is_dynamic(world, at) ? -1 : compact ? at : eng_solver_row(world, at);
        }
    if (!compact) {
        system->body_count = world->scratch.solve.problem.body_count;
        system->mass_inverse = world->scratch.solve.problem.mass_inverse;
        return CAIRN_OK;
    }
    cairn_status status = number_bodies(world, system);
    return status == CAIRN_OK ? copy_masses(world, system) : status;
}

void eng_joint_system_enter(const eng_joint_system *system, int body, double row[6])
{
    if (system->basis == NULL)
        return;
    const mat3 *L = &system->basis[body];
    row[3] /= L->m[0][0];
    row[4] = (row[4] - L->m[1][0] * row[3]) / L->m[1][1];
    row[5] = (row[5] - L->m[2][0] * row[3] - L->m[2][1] * row[4]) / L->m[2][2];
}

void eng_joint_system_fill(const cairn_world *world, eng_joint_system *system,
                           const eng_joint_rows *rows, const pose *q, const unsigned char *held)
{
    int *start = (int *)system->rows.start;
    double(*G)[2][6] = (double(*)[2][6])system->rows.G;
    int made = 0;
    for (int i = 0; i < system->joint_count; i++) {
        int index = system->joint[i];
        const eng_joint_rows *r = &rows[index];
        pose sides[2];
        eng_joint_poses(&world->model.joints.rows[index], q, sides);
        start[i] = made;
        int count = r->count + (held != NULL && held[index] ? 1 : 0);
        for (int k = 0; k < count; k++, made++) {
            eng_joint_row_blocks(&r->row[k], r->point, sides, G[made]);
            for (int side = 0; side < 2; side++)
                if (system->rows.body[i][side] >= 0)
                    eng_joint_system_enter(system, system->rows.body[i][side], G[made][side]);
        }
    }
    start[system->joint_count] = made;
}
