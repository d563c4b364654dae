// SPDX-License-Identifier: Apache-2.0
// Joints that are solved together: where velocities take them by the end of the step, and the right
// sides that follow, theory.md (9.6)-(9.9).
#include "engine/joints/joints.h"
#include "engine/state/kinematics.h"

#include <string.h>

static bool any_part(const cairn_world *world, const eng_joint_system *system)
{
    for (int i = 0; i < system->joint_count; i++)
        for (int k = 0; k < ENG_GRAPH_PARTS; k++)
            if (world->joint_step->graph[system->joint[i]].part[k].exists)
                return true;
    return false;
}

cairn_status eng_joint_set_init(cairn_world *world, const int *joints, int count, bool compact,
                                const con_problem *contacts, const double (*R)[3],
                                eng_joint_set *set)
{
    base_arena *arena = world->arena;
    *set = (eng_joint_set){0};
    cairn_status status = eng_joint_system_init(world, joints, count, compact, &set->system);
    if (status != CAIRN_OK)
        return status;
    int rows = count * (ENG_JOINT_ROWS_MAX + 1);
    set->residual = base_arena_array(arena, double, "joint residual", rows);
    set->l = base_arena_array(arena, double, "joint impulses", rows);
    set->speed = base_arena_array(arena, double, "joint end speed", count);
    set->end = base_arena_array(arena, pose, "joint end", world->body_count);
    if (set->residual == NULL || set->l == NULL || set->speed == NULL || set->end == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(set->l, 0, (size_t)rows * sizeof *set->l);
    eng_joint_system_fill(world, &set->system, world->joint_step->mid, world->q_mid,
                          world->joint_step->held);
    set->has_graphs = any_part(world, &set->system);
    return set->has_graphs ? eng_graph_rows_create(world, contacts, R, &set->system, &set->graphs)
                           : CAIRN_OK;
}

/// End pose of a body for the velocity v of the midpoint.
static pose end_pose(const cairn_world *world, int body, const double v[6])
{
    pose q = world->q[body];
    double end[6];
    if (world->bodies[body].kind != CAIRN_FIXED)
        eng_body_end(world, body, NULL, v, &q, end);
    return q;
}

static void place_ends(const cairn_world *world, eng_joint_set *set, const double (*v)[6])
{
    const eng_joint_system *system = &set->system;
    for (int i = 0; i < system->joint_count; i++)
        for (int side = 0; side < 2; side++) {
            int body = world->joints[system->joint[i]].body[side];
            int number = system->rows.body[i][side];
            if (body >= 0)
                set->end[body] = end_pose(
                    world, body, number >= 0 ? v[number] : (const double *)world->v_free[body]);
        }
}

/// Rows of a joint at the end, the coordinate with its turns.
static void rows_at_end(const cairn_world *world, int index, const pose *end, eng_joint_rows *rows)
{
    const eng_joint *joint = &world->joints[index];
    pose q[2];
    eng_joint_poses(joint, end, q);
    eng_joint_evaluate(joint, q, rows);
    if (eng_joint_has_turns(joint->kind))
        rows->coordinate =
            eng_joint_unwind(rows->coordinate, world->joint_step->mid[index].coordinate);
}

/// Mean speed of the coordinate over the second half of the step.
static double end_speed(const cairn_world *world, int index, const eng_joint_rows *end)
{
    return 2.0 * (end->coordinate - world->joint_step->mid[index].coordinate) /
           world->def.time_step;
}

void eng_joint_set_look(const cairn_world *world, eng_joint_set *set, const double (*v)[6])
{
    const eng_joint_step *s = world->joint_step;
    double h = world->def.time_step;
    place_ends(world, set, v);
    set->size = 0.0;
    set->length = 1.0;
    int made = 0;
    for (int i = 0; i < set->system.joint_count; i++) {
        int index = set->system.joint[i];
        eng_joint_rows rows;
        rows_at_end(world, index, set->end, &rows);
        for (int k = 0; k < rows.count; k++)
            set->residual[made++] = 2.0 / h * rows.g[k];
        set->speed[i] = end_speed(world, index, &rows);
        if (s->held[index])
            set->residual[made++] = set->speed[i] - s->graph[index].speed;
        set->length = fmax(set->length, vec3_norm(rows.point));
    }
    for (int i = 0; i < made; i++)
        set->size = fmax(set->size, 0.5 * h * fabs(set->residual[i]));
    if (set->has_graphs)
        set->size =
            fmax(set->size, 0.5 * h * eng_graph_rows_offset(world, &set->graphs, v, set->speed));
}

/// b = G v less the violation that v leads to, for dynamic bodies.
static void aim_rows(const eng_joint_set *set, const double (*v)[6])
{
    const con_joints *rows = &set->system.rows;
    for (int i = 0; i < rows->count; i++)
        for (int r = rows->start[i]; r < rows->start[i + 1]; r++) {
            double speed = 0.0;
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < 6 && rows->body[i][side] >= 0; k++)
                    speed += rows->G[r][side][k] * v[rows->body[i][side]][k];
            set->system.b[r] = speed - set->residual[r];
        }
}

void eng_joint_set_aim(const cairn_world *world, eng_joint_set *set, const double (*v_free)[6],
                       const double (*v)[6])
{
    aim_rows(set, v);
    if (set->has_graphs)
        eng_graph_rows_aim(world, &set->graphs, v_free, v, set->speed);
}

bool eng_joint_set_activate(cairn_world *world, eng_joint_set *set)
{
    bool activated = false;
    for (int i = 0; i < set->system.joint_count; i++) {
        eng_graph *graph = &world->joint_step->graph[set->system.joint[i]];
        activated = eng_graph_activate(graph, set->speed[i]) || activated;
    }
    return activated;
}

void eng_joint_set_keep(cairn_world *world, const eng_joint_set *set)
{
    eng_joint_step *s = world->joint_step;
    for (int i = 0; i < set->system.joint_count; i++) {
        int index = set->system.joint[i], start = set->system.rows.start[i];
        int count = s->mid[index].count;
        for (int k = 0; k < count; k++)
            s->l[index][k] = set->l[start + k];
        s->l[index][count] =
            s->held[index] ? set->l[start + count] : eng_graph_impulse(&s->graph[index]);
    }
}
