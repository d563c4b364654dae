// SPDX-License-Identifier: Apache-2.0
// Joints in the step: forces along coordinates, islands, and the end positions on the constraints,
// theory.md (9.6)-(9.9).
#include "engine/joints/joints.h"

#include <string.h>

enum {
    NEWTON_MAX = 40,   // iterations for one set of states
    STUCK_MAX = 6,     // of them in a row that do not help
    CHANGES_ALL = 10,  // rounds in which every wrong state changes
    CHANGES_MAX = 100, // rounds at all; from CHANGES_ALL on one state a round
};

// ---------------------------------------------------------------- start of the step

static bool allocate(eng_joint_step *s, base_arena *arena, int n)
{
    size_t count = (size_t)n;
    s->start = base_arena_allocate(arena, "joint start", count, sizeof *s->start);
    s->mid = base_arena_array(arena, eng_joint_rows, "joint mid", n);
    s->speed = base_arena_array(arena, double, "joint speed", n);
    s->given = base_arena_array(arena, double, "joint given", n);
    s->damper = base_arena_array(arena, double, "joint damper", n);
    s->stairs = base_arena_array(arena, eng_stairs, "joint stairs", n);
    s->state = base_arena_array(arena, int, "joint state", n);
    s->held = base_arena_array(arena, unsigned char, "joint held", n);
    s->l = base_arena_allocate(arena, "joint l", count, sizeof *s->l);
    s->alone = base_arena_array(arena, int, "joints alone", n);
    s->shared = base_arena_array(arena, int, "joints shared", n);
    s->near_contact = base_arena_array(arena, unsigned char, "joints near contacts", n);
    return s->start != NULL && s->mid != NULL && s->speed != NULL && s->given != NULL &&
           s->damper != NULL && s->stairs != NULL && s->state != NULL && s->held != NULL &&
           s->l != NULL && s->alone != NULL && s->shared != NULL && s->near_contact != NULL;
}

cairn_status eng_block_joint_start(cairn_world *world)
{
    world->joint_step = NULL;
    if (world->joint_count == 0)
        return CAIRN_OK;
    eng_joint_step *s = base_arena_array(world->arena, eng_joint_step, "joint step", 1);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    *s = (eng_joint_step){0};
    if (!allocate(s, world->arena, world->joint_count))
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < world->joint_count; i++) {
        const eng_joint *joint = &world->joints[i];
        pose q[2];
        eng_joint_rows rows;
        eng_joint_poses(joint, world->q, q);
        eng_joint_evaluate(joint, q, &rows);
        for (int k = 0; k < rows.count; k++)
            s->start[i][k] = eng_joint_speed(joint, &rows.row[k], rows.point, world->q,
                                             (const double(*)[6])world->v);
    }
    world->joint_step = s;
    return CAIRN_OK;
}

/// Inverse inertia of the free bodies along a coordinate.
static double mobility(const cairn_world *world, const eng_joint *joint, const eng_joint_rows *mid)
{
    pose q[2];
    double G[2][6], sum = 0.0;
    eng_joint_poses(joint, world->q_mid, q);
    eng_joint_row_blocks(&mid->row[mid->count], mid->point, q, G);
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 6 && joint->body[side] >= 0; k++)
            sum += world->mass_inverse[joint->body[side]][k] * G[side][k] * G[side][k];
    return sum;
}

/// What is left to give of the damper's impulse for the speeds before and after, theory.md (9.7).
static double damper_step(const cairn_world *world, const eng_joint *joint, const eng_joint_rows *m,
                          double before, double after, double given)
{
    double hc = world->def.time_step * joint->damping;
    double wanted = -0.5 * hc * (before + after);
    return (wanted - given) / (1.0 + 0.5 * hc * mobility(world, joint, m));
}

static void take_midpoint(cairn_world *world, int i)
{
    eng_joint_step *s = world->joint_step;
    const eng_joint *joint = &world->joints[i];
    eng_joint_rows *mid = &s->mid[i];
    double h = world->def.time_step;
    pose q[2];
    eng_joint_poses(joint, world->q_mid, q);
    eng_joint_evaluate(joint, q, mid);
    memset(s->l[i], 0, sizeof s->l[i]);
    s->speed[i] = s->given[i] = s->damper[i] = 0.0;
    s->held[i] = 0;
    s->state[i] = 0;
    s->stairs[i] = (eng_stairs){0};
    if (!mid->has_coordinate)
        return;
    if (eng_joint_has_turns(joint->kind))
        mid->coordinate = eng_joint_unwind(mid->coordinate, joint->coordinate);
    const eng_wrench *row = &mid->row[mid->count];
    double u = eng_joint_speed(joint, row, mid->point, world->q_mid, (const double(*)[6])world->v);
    s->speed[i] = u;
    s->given[i] = h * (joint->force - joint->stiffness * (mid->coordinate - joint->rest));
    s->damper[i] = damper_step(world, joint, mid, u, u, 0.0);
    eng_stairs_build(joint, mid->coordinate, h, &s->stairs[i]);
    s->state[i] = eng_stairs_guess(&s->stairs[i], u);
}

void eng_block_joint_forces(cairn_world *world)
{
    for (int i = 0; i < world->joint_count; i++) {
        const eng_joint_step *s = world->joint_step;
        take_midpoint(world, i);
        const eng_joint_rows *mid = &s->mid[i];
        double l = s->given[i] + s->damper[i];
        if (l != 0.0)
            eng_joint_push(world, &world->joints[i], &mid->row[mid->count], mid->point,
                           world->q_mid, l, world->v_free);
    }
}

// ---------------------------------------------------------------- islands

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

/// Body through which a joint belongs to an island.
static int island_body(const cairn_world *world, const eng_joint *joint)
{
    int b = joint->body[1];
    return world->bodies[b].kind == CAIRN_DYNAMIC ? b : joint->body[0];
}

static void join_islands(const cairn_world *world, int *parent)
{
    for (int i = 0; i < world->body_count; i++)
        parent[i] = i;
    for (int i = 0; i < world->joint_count; i++) {
        int a = world->joints[i].body[0], b = world->joints[i].body[1];
        if (a < 0 || world->bodies[a].kind != CAIRN_DYNAMIC ||
            world->bodies[b].kind != CAIRN_DYNAMIC)
            continue;
        a = root_of(parent, a);
        b = root_of(parent, b);
        parent[a < b ? b : a] = a < b ? a : b;
    }
}

/// Sorts the joints into those whose islands have an implicit contact and the others.
static cairn_status sort_islands(cairn_world *world)
{
    eng_joint_step *s = world->joint_step;
    int *parent = base_arena_array(world->arena, int, "islands", world->body_count);
    unsigned char *touched =
        base_arena_array(world->arena, unsigned char, "touched", world->body_count);
    if (parent == NULL || touched == NULL)
        return CAIRN_ERROR_MEMORY;
    join_islands(world, parent);
    memset(touched, 0, (size_t)world->body_count);
    for (int i = 0; i < world->contacts.cone_count; i++)
        for (int side = 0; side < 2; side++)
            touched[root_of(parent, world->contacts.body[i][side])] = 1;
    for (int i = 0; i < world->joint_count; i++) {
        s->near_contact[i] = touched[root_of(parent, island_body(world, &world->joints[i]))];
        if (s->near_contact[i])
            s->shared[s->shared_count++] = i;
        else
            s->alone[s->alone_count++] = i;
    }
    return CAIRN_OK;
}

// ---------------------------------------------------------------- what the end is like

/// End pose of a body for the velocity v of the midpoint.
static pose end_pose(const cairn_world *world, int body, const double v[6])
{
    pose q = world->q[body];
    double end[6];
    if (world->bodies[body].kind != CAIRN_FIXED)
        eng_body_end(world, body, v, &q, end);
    return q;
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

/// Violations of the system's rows as speeds, theory.md (9.6): 2/h g at the end.
/// @param size    out, the largest of them, m or rad
/// @param length  out, m, the largest coordinate that round-off comes from
static void residual_of(const cairn_world *world, const eng_joint_system *system, const pose *end,
                        double *residual, double *size, double *length)
{
    const eng_joint_step *s = world->joint_step;
    double h = world->def.time_step;
    *size = 0.0;
    *length = 1.0;
    int made = 0;
    for (int i = 0; i < system->joint_count; i++) {
        int index = system->joint[i];
        eng_joint_rows rows;
        rows_at_end(world, index, end, &rows);
        for (int k = 0; k < rows.count; k++)
            residual[made++] = 2.0 / h * rows.g[k];
        if (s->held[index])
            residual[made++] =
                end_speed(world, index, &rows) - s->stairs[index].kink[s->state[index] / 2];
        *length = fmax(*length, vec3_norm(rows.point));
    }
    for (int i = 0; i < made; i++)
        *size = fmax(*size, 0.5 * h * fabs(residual[i]));
}

/// A state's impulse where it is not found by solving.
static void settle_states(const cairn_world *world, const int *joints, int count)
{
    eng_joint_step *s = world->joint_step;
    for (int i = 0; i < count; i++) {
        int index = joints[i], state = s->state[index];
        s->held[index] = state % 2 == 1;
        if (state % 2 == 0)
            s->l[index][s->mid[index].count] = s->stairs[index].level[state / 2];
    }
}

/// Moves states that do not hold to their neighbours; true when one did.
/// @param one  at most one state
static bool change_states(const cairn_world *world, const int *joints, int count, const pose *end,
                          bool one)
{
    eng_joint_step *s = world->joint_step;
    bool changed = false;
    for (int i = 0; i < count && !(one && changed); i++) {
        int index = joints[i];
        const eng_stairs *stairs = &s->stairs[index];
        if (stairs->count == 0)
            continue;
        eng_joint_rows rows;
        rows_at_end(world, index, end, &rows);
        double u = end_speed(world, index, &rows);
        double slack = 1e-12 * (fabs(u) + fabs(s->speed[index]));
        int next = eng_stairs_next(stairs, s->state[index], s->l[index][rows.count], u, slack);
        changed = changed || next != s->state[index];
        s->state[index] = next;
    }
    return changed;
}

// ---------------------------------------------------------------- joints alone

typedef struct alone_solve {
    cairn_world *world;
    eng_joint_system system;
    con_joint_factors *factors;
    double (*zero)[6], (*change)[6]; // [bodies of the system]
    double (*before)[6];             // [bodies of the system] v_free without any of their impulses
    double *damper_before;           // [joints of the system]
    double *residual, *l;            // [rows, all coordinates held]
    pose *end;                       // [world's bodies] of the system's and prescribed ones
} alone_solve;

static bool allocate_alone(alone_solve *a)
{
    base_arena *arena = a->world->arena;
    size_t bodies = (size_t)a->system.body_count;
    int rows = 0;
    for (int i = 0; i < a->system.joint_count; i++)
        rows += a->world->joint_step->mid[a->system.joint[i]].count + 1;
    a->zero = (double(*)[6])base_arena_allocate(arena, "joint zero", bodies, sizeof *a->zero);
    a->change = (double(*)[6])base_arena_allocate(arena, "joint change", bodies, sizeof *a->change);
    a->before = (double(*)[6])base_arena_allocate(arena, "joint before", bodies, sizeof *a->before);
    a->damper_before =
        base_arena_array(arena, double, "joint damper before", a->system.joint_count);
    a->residual = base_arena_array(arena, double, "joint residual", rows);
    a->l = base_arena_array(arena, double, "joint impulses", rows);
    a->end = base_arena_array(arena, pose, "joint end", a->world->body_count);
    if (a->zero == NULL || a->change == NULL || a->residual == NULL || a->l == NULL ||
        a->end == NULL || a->before == NULL || a->damper_before == NULL)
        return false;
    memset(a->zero, 0, bodies * sizeof *a->zero);
    return true;
}

static void place_ends(alone_solve *a)
{
    const cairn_world *world = a->world;
    for (int i = 0; i < a->system.body_count; i++) {
        int body = a->system.body[i];
        a->end[body] = end_pose(world, body, world->v_free[body]);
    }
}

static void place_prescribed_ends(alone_solve *a)
{
    const cairn_world *world = a->world;
    for (int i = 0; i < a->system.joint_count; i++)
        for (int side = 0; side < 2; side++) {
            int body = world->joints[a->system.joint[i]].body[side];
            if (body >= 0 && world->bodies[body].kind != CAIRN_DYNAMIC)
                a->end[body] = end_pose(world, body, world->v_free[body]);
        }
}

/// Adds one Newton step to impulses and velocities.
static void take_newton_step(alone_solve *a)
{
    const eng_joint_system *system = &a->system;
    eng_joint_step *s = a->world->joint_step;
    int rows = system->rows.start[system->joint_count];
    for (int i = 0; i < rows; i++)
        system->b[i] = -a->residual[i];
    con_joint_factors_solve(a->factors, system->b, (const double(*)[6])a->zero, a->change, a->l);
    for (int i = 0; i < system->joint_count; i++)
        for (int k = system->rows.start[i]; k < system->rows.start[i + 1]; k++)
            s->l[system->joint[i]][k - system->rows.start[i]] += a->l[k];
    for (int i = 0; i < system->body_count; i++)
        for (int k = 0; k < 6; k++)
            a->world->v_free[system->body[i]][k] += a->change[i][k];
}

/// Dampers follow the speed at the end.
static void adjust_dampers(alone_solve *a)
{
    cairn_world *world = a->world;
    eng_joint_step *s = world->joint_step;
    for (int i = 0; i < a->system.joint_count; i++) {
        int index = a->system.joint[i];
        const eng_joint *joint = &world->joints[index];
        const eng_joint_rows *mid = &s->mid[index];
        if (joint->damping == 0.0)
            continue;
        const eng_wrench *row = &mid->row[mid->count];
        double after = eng_joint_speed(joint, row, mid->point, world->q_mid,
                                       (const double(*)[6])world->v_free);
        double more = damper_step(world, joint, mid, s->speed[index], after, s->damper[index]);
        s->damper[index] += more;
        eng_joint_push(world, joint, row, mid->point, world->q_mid, more, world->v_free);
    }
}

/// What a set of states that contradict each other leads to is thrown away.
static void keep_start(alone_solve *a)
{
    const eng_joint_step *s = a->world->joint_step;
    for (int i = 0; i < a->system.body_count; i++)
        memcpy(a->before[i], a->world->v_free[a->system.body[i]], sizeof a->before[i]);
    for (int i = 0; i < a->system.joint_count; i++)
        a->damper_before[i] = s->damper[a->system.joint[i]];
}

static void return_to_start(alone_solve *a)
{
    eng_joint_step *s = a->world->joint_step;
    for (int i = 0; i < a->system.body_count; i++)
        memcpy(a->world->v_free[a->system.body[i]], a->before[i], sizeof a->before[i]);
    for (int i = 0; i < a->system.joint_count; i++) {
        int index = a->system.joint[i];
        memset(s->l[index], 0, sizeof s->l[index]);
        s->damper[index] = a->damper_before[i];
    }
}

/// Impulses for one set of states, with the rows' factors of the midpoint throughout.
/// @param met  out: the rows are met; not so where more coordinates are held than can be
static cairn_status solve_states(alone_solve *a, bool *met)
{
    cairn_world *world = a->world;
    base_arena_mark mark = base_arena_get_mark(world->arena);
    eng_joint_system_fill(world, &a->system, world->joint_step->mid, world->q_mid,
                          world->joint_step->held);
    cairn_status status =
        con_joints_factor(&a->system.rows, a->system.body_count,
                          (const double(*)[6])a->system.mass_inverse, world->arena, &a->factors);
    double before = INFINITY, size = 0.0, length = 1.0;
    int stuck = 0;
    for (int i = 0; i < NEWTON_MAX && status == CAIRN_OK && stuck < STUCK_MAX; i++) {
        place_ends(a);
        residual_of(world, &a->system, a->end, a->residual, &size, &length);
        // done when the violation is round-off, or as near as it comes to it
        if (size <= 4e-16 * length || (size <= 1e-13 * length && size > 0.5 * before))
            break;
        stuck = size > 0.9 * before ? stuck + 1 : 0;
        before = size;
        take_newton_step(a);
        adjust_dampers(a);
    }
    *met = size <= 1e-9 * length;
    base_arena_rewind(world->arena, mark);
    return status;
}

/// Takes the impulse of a coordinate from one value to another.
static void change_coordinate(cairn_world *world, int index, double change)
{
    const eng_joint_rows *mid = &world->joint_step->mid[index];
    if (change != 0.0)
        eng_joint_push(world, &world->joints[index], &mid->row[mid->count], mid->point,
                       world->q_mid, change, world->v_free);
}

/// Takes coordinates that have become free to their levels, impulse and velocity.
static void settle_alone(alone_solve *a)
{
    cairn_world *world = a->world;
    eng_joint_step *s = world->joint_step;
    for (int i = 0; i < a->system.joint_count; i++) {
        int index = a->system.joint[i];
        double *l = &s->l[index][s->mid[index].count], before = *l;
        settle_states(world, &index, 1);
        change_coordinate(world, index, *l - before);
    }
}

static cairn_status solve_alone(cairn_world *world)
{
    const eng_joint_step *s = world->joint_step;
    alone_solve a = {.world = world};
    cairn_status status = eng_joint_system_init(world, s->alone, s->alone_count, true, &a.system);
    if (status == CAIRN_OK && !allocate_alone(&a))
        status = CAIRN_ERROR_MEMORY;
    if (status != CAIRN_OK)
        return status;
    place_prescribed_ends(&a);
    keep_start(&a);
    for (int round = 0; round < CHANGES_MAX && status == CAIRN_OK; round++) {
        bool met;
        settle_alone(&a);
        status = solve_states(&a, &met);
        place_ends(&a);
        if (!change_states(world, s->alone, s->alone_count, a.end, round >= CHANGES_ALL))
            break;
        if (!met)
            return_to_start(&a);
    }
    settle_states(world, s->alone, s->alone_count);
    return status;
}

// ---------------------------------------------------------------- joints with contacts

/// Writes rows and right sides of the shared joints for their states; free coordinates act as
/// constant impulses on the free velocities.
static void fill_shared(cairn_world *world)
{
    eng_joint_step *s = world->joint_step;
    settle_states(world, s->shared, s->shared_count);
    memcpy(world->v_free, s->v_base, (size_t)world->body_count * sizeof *world->v_free);
    for (int i = 0; i < s->shared_count; i++) {
        int index = s->shared[i];
        if (!s->held[index])
            change_coordinate(world, index, s->l[index][s->mid[index].count]);
    }
    eng_joint_system_fill(world, &s->system, s->mid, world->q_mid, s->held);
    for (int i = 0; i < s->shared_count; i++)
        for (int k = s->system.rows.start[i]; k < s->system.rows.start[i + 1]; k++)
            s->shared_l[k] = s->l[s->shared[i]][k - s->system.rows.start[i]];
    con_problem cones = world->problem;
    con_apply_H(&cones, (const double(*)[6])world->v_free, world->problem.w, world->free_relative);
}

/// b = G v less the violation that v leads to, for dynamic bodies.
static void aim(cairn_world *world, const double (*v)[6], const double *residual)
{
    const eng_joint_system *system = &world->joint_step->system;
    const con_joints *rows = &system->rows;
    for (int i = 0; i < rows->count; i++)
        for (int r = rows->start[i]; r < rows->start[i + 1]; r++) {
            double speed = 0.0;
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < 6 && rows->body[i][side] >= 0; k++)
                    speed += rows->G[r][side][k] * v[rows->body[i][side]][k];
            system->b[r] = speed - residual[r];
        }
}

/// End poses that v leads to, of the bodies of shared joints; NULL when out of memory.
static pose *shared_ends(cairn_world *world, const double (*v)[6])
{
    const eng_joint_step *s = world->joint_step;
    pose *end = base_arena_array(world->arena, pose, "joint end", world->body_count);
    for (int i = 0; i < s->shared_count && end != NULL; i++)
        for (int side = 0; side < 2; side++) {
            int body = world->joints[s->shared[i]].body[side];
            if (body >= 0)
                end[body] = end_pose(world, body, v[body]);
        }
    return end;
}

static cairn_status share(cairn_world *world)
{
    eng_joint_step *s = world->joint_step;
    base_arena *arena = world->arena;
    cairn_status status =
        eng_joint_system_init(world, s->shared, s->shared_count, false, &s->system);
    size_t bodies = (size_t)world->body_count;
    s->v_base = (double(*)[6])base_arena_allocate(arena, "v base", bodies, sizeof *s->v_base);
    s->shared_l =
        base_arena_array(arena, double, "shared l", s->shared_count *(ENG_JOINT_ROWS_MAX + 1));
    s->residual =
        base_arena_array(arena, double, "shared r", s->shared_count *(ENG_JOINT_ROWS_MAX + 1));
    if (status != CAIRN_OK || s->v_base == NULL || s->shared_l == NULL || s->residual == NULL)
        return CAIRN_ERROR_MEMORY;
    memcpy(s->v_base, world->v_free, bodies * sizeof *s->v_base);
    fill_shared(world);
    const double(*v)[6] = (const double(*)[6])world->v_free;
    const pose *end = shared_ends(world, v);
    if (end == NULL)
        return CAIRN_ERROR_MEMORY;
    double size, length;
    residual_of(world, &s->system, end, s->residual, &size, &length);
    aim(world, v, s->residual);
    world->problem.joints = &s->system.rows;
    return CAIRN_OK;
}

cairn_status eng_joints_update(cairn_world *world, const double (*v)[6], bool *changed)
{
    eng_joint_step *s = world->joint_step;
    *changed = false;
    for (int i = 0; i < s->shared_count; i++)
        for (int k = s->system.rows.start[i]; k < s->system.rows.start[i + 1]; k++)
            s->l[s->shared[i]][k - s->system.rows.start[i]] = s->shared_l[k];
    base_arena_mark mark = base_arena_get_mark(world->arena);
    const pose *end = shared_ends(world, v);
    if (end == NULL)
        return CAIRN_ERROR_MEMORY;
    double size, length;
    *changed = change_states(world, s->shared, s->shared_count, end, false);
    if (*changed)
        fill_shared(world);
    residual_of(world, &s->system, end, s->residual, &size, &length);
    *changed = *changed || size > 1e-10 * length;
    if (*changed)
        aim(world, v, s->residual);
    base_arena_rewind(world->arena, mark);
    return CAIRN_OK;
}

void eng_joints_apply(const cairn_world *world, double (*v)[6])
{
    const eng_joint_step *s = world->joint_step;
    if (s == NULL || s->shared_count == 0)
        return;
    const con_joints *rows = &s->system.rows;
    for (int i = 0; i < rows->count; i++)
        for (int r = rows->start[i]; r < rows->start[i + 1]; r++)
            for (int side = 0; side < 2; side++) {
                int body = rows->body[i][side];
                for (int k = 0; k < 6 && body >= 0; k++)
                    v[body][k] +=
                        world->mass_inverse[body][k] * rows->G[r][side][k] * s->shared_l[r];
            }
}

cairn_status eng_block_joints(cairn_world *world)
{
    if (world->joint_count == 0)
        return CAIRN_OK;
    cairn_status status = sort_islands(world);
    if (status == CAIRN_OK && world->joint_step->alone_count > 0)
        status = solve_alone(world);
    if (status == CAIRN_OK && world->joint_step->shared_count > 0)
        status = share(world);
    return status;
}
