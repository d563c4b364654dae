// SPDX-License-Identifier: Apache-2.0
// Joints that are solved together: where velocities take them by the end of the step, and the right
// sides that follow, theory.md (9.6)-(9.9).
#include "engine/joints/joints.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include <string.h>

static bool any_part(const cairn_world *world, const eng_joint_system *system)
{
    for (int i = 0; i < system->joint_count; i++)
        for (int k = 0; k < ENG_GRAPH_PARTS; k++)
            if (world->scratch.joint_step->graph[system->joint[i]].part[k].exists)
                return true;
    return false;
}

/// Bodies of the joints, each once.
static cairn_status list_members(cairn_world *world, eng_joint_set *set)
{
    const eng_joint_system *system = &set->system;
    int *member = base_arena_array(world->scratch.arena, int, "members", 2 * system->joint_count);
    int *number =
        base_arena_array(world->scratch.arena, int, "member numbers", 2 * system->joint_count);
    bool *listed =
        base_arena_array(world->scratch.arena, bool, "listed", world->model.bodies.count);
    if (member == NULL || number == NULL || listed == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(listed, 0, (size_t)world->model.bodies.count * sizeof *listed);
    for (int i = 0; i < system->joint_count; i++)
        for (int side = 0; side < 2; side++) {
            int body = world->model.joints.rows[system->joint[i]].body[side];
            if (body < 0 || listed[body])
                continue;
            listed[body] = true;
            member[set->member_count] = body;
            number[set->member_count++] = system->rows.body[i][side];
        }
    set->member = member;
    set->number = number;
    return CAIRN_OK;
}

/// How many rows a joint has in the set; the coordinate's is the last one.
static int row_count(const cairn_world *world, int index)
{
    const eng_joint_step *s = world->scratch.joint_step;
    return s->mid[index].count + (s->held[index] ? 1 : 0);
}

/// Room for what is in the basis: as yet the identity, and the masses as they are.
static bool make_basis(eng_joint_set *set, size_t bodies, base_arena *arena)
{
    set->basis = base_arena_array(arena, mat3, "joint basis", bodies);
    set->mass_inverse =
        base_arena_allocate(arena, "joint masses", bodies, sizeof *set->mass_inverse);
    set->entered = base_arena_allocate(arena, "joint v", bodies, sizeof *set->entered);
    set->base = base_arena_allocate(arena, "joint base", bodies, sizeof *set->base);
    set->lack = base_arena_allocate(arena, "joint lack", bodies, sizeof *set->lack);
    if (set->basis == NULL || set->mass_inverse == NULL || set->entered == NULL ||
        set->base == NULL || set->lack == NULL)
        return false;
    for (size_t i = 0; i < bodies; i++)
        set->basis[i] = mat3_diagonal((vec3){1.0, 1.0, 1.0});
    if (bodies > 0)
        memcpy(set->mass_inverse, set->system.mass_inverse, bodies * sizeof *set->mass_inverse);
    set->system.basis = set->basis;
    set->system.mass_inverse = (const double(*)[6])set->mass_inverse;
    return true;
}

cairn_status eng_joint_set_init(cairn_world *world, const int *joints, int count, bool compact,
                                const con_problem *contacts, const double (*R)[3],
                                eng_joint_set *set)
{
    base_arena *arena = world->scratch.arena;
    *set = (eng_joint_set){0};
    BASE_TRY(eng_joint_system_init(world, joints, count, compact, &set->system));
    BASE_TRY(list_members(world, set));
    int rows = count * (ENG_JOINT_ROWS_MAX + 1);
    size_t bodies = (size_t)set->system.body_count;
    set->residual = base_arena_array(arena, double, "joint residual", rows);
    set->l = base_arena_array(arena, double, "joint impulses", rows);
    set->speed = base_arena_array(arena, double, "joint end speed", count);
    set->end = base_arena_array(arena, pose, "joint end", world->model.bodies.count);
    set->exact = base_arena_allocate(arena, "joint exact", bodies, sizeof *set->exact);
    set->v_free = base_arena_allocate(arena, "joint free", bodies, sizeof *set->v_free);
    set->guess = base_arena_allocate(arena, "joint guess", bodies, sizeof *set->guess);
    if (set->residual == NULL || set->l == NULL || set->speed == NULL || set->end == NULL ||
        set->exact == NULL || set->v_free == NULL || set->guess == NULL)
        return CAIRN_ERROR_MEMORY;
    if (!make_basis(set, bodies, arena))
        return CAIRN_ERROR_MEMORY;
    memset(set->l, 0, (size_t)rows * sizeof *set->l);
    int *start = (int *)set->system.rows.start;
    start[0] = 0;
    for (int i = 0; i < count; i++)
        start[i + 1] = start[i] + row_count(world, joints[i]);
    set->has_graphs = !compact || any_part(world, &set->system);
    return set->has_graphs ? eng_graph_rows_create(world, contacts, R, &set->system, &set->graphs)
                           : CAIRN_OK;
}

/// End pose of a body for the velocity v of the midpoint.
static pose end_pose(const cairn_world *world, int body, const double v[6])
{
    pose q = world->state.bodies.q[body];
    double end[6];
    int axis = eng_body_spin_axis(world, body);
    if (world->model.bodies.rows[body].kind != CAIRN_FIXED)
        eng_body_end(world, body, world->scratch.joint_step->turning[body], v, &q, end);
    world->scratch.joint_step->lag[body] =
        axis >= 0 ? eng_body_lag(world, world->state.bodies.v[body][3 + axis], end[3 + axis]) : 0.0;
    return q;
}

static void place_ends(const cairn_world *world, eng_joint_set *set, const double (*v)[6])
{
    set->turn = 0.0;
    for (int i = 0; i < set->member_count; i++) {
        int body = set->member[i], number = set->number[i];
        set->end[body] =
            end_pose(world, body,
                     number >= 0 ? v[number] : (const double *)world->state.bodies.v_free[body]);
        if (number >= 0)
            set->turn =
                fmax(set->turn, world->state.clock.step * vec3_norm(vec3_from(v[number] + 3)));
    }
}

/// Rows of a joint at the end, the coordinate with its turns, and those of the discrete gradient.
static void rows_at_end(const cairn_world *world, int index, const pose *end, eng_joint_rows *rows)
{
    const eng_joint *joint = &world->model.joints.rows[index];
    const eng_joint_step *s = world->scratch.joint_step;
    pose q[2];
    eng_joint_poses(joint, end, q);
    s->to[index] = eng_joint_frame_of(joint, q);
    eng_joint_frame_rows(joint, &s->to[index], rows);
    // a spin of its own turns no wrench
    bool spins = false;
    for (int side = 0; side < 2; side++) {
        int body = joint->body[side];
        if (body < 0 || s->lag[body] == 0.0)
            continue;
        quat back = eng_rotation_about(eng_body_spin_axis(world, body), -s->lag[body]);
        q[side].orientation = quat_multiply(q[side].orientation, back);
        spins = true;
    }
    if (spins)
        s->to[index] = eng_joint_frame_of(joint, q);
    eng_joint_mean_rows(joint, &s->from[index], &s->to[index], &s->mean[index]);
    if (eng_joint_has_turns(joint->kind))
        rows->coordinate =
            eng_joint_unwind(rows->coordinate, world->scratch.joint_step->mid[index].coordinate);
}

/// Mean speed of the coordinate over the second half of the step.
static double end_speed(const cairn_world *world, int index, const eng_joint_rows *end)
{
    return 2.0 * (end->coordinate - world->scratch.joint_step->mid[index].coordinate) /
           world->state.clock.step;
}

/// Force and couple of the rows together.
static eng_wrench sum_of(const eng_joint_rows *rows, const double *l, int count)
{
    eng_wrench sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int k = 0; k < count; k++) {
        sum.d = vec3_add_scaled(sum.d, l[k], rows->row[k].d);
        sum.e = vec3_add_scaled(sum.e, l[k], rows->row[k].e);
    }
    return sum;
}

/// Moments of the rows are taken about where bodies are in the mean of both ends, as far as joints,
/// gravity and loads take them there, theory.md (9.6b).
static void take_arms(const cairn_world *world, const eng_joint_set *set)
{
    const eng_joint_step *s = world->scratch.joint_step;
    double h = world->state.clock.step;
    for (int i = 0; i < set->member_count; i++)
        s->pushed[set->member[i]] = (vec3){0.0, 0.0, 0.0};
    for (int i = 0, row = 0; i < set->system.joint_count; i++) {
        int index = set->system.joint[i], count = row_count(world, index);
        const int *body = world->model.joints.rows[index].body;
        vec3 force = sum_of(&s->mean[index], set->l + row, count).d;
        for (int side = 0; side < 2; side++)
            if (body[side] >= 0)
                s->pushed[body[side]] =
                    vec3_add_scaled(s->pushed[body[side]], side == 0 ? -1.0 : 1.0, force);
        row += count;
    }
    for (int i = 0; i < set->member_count; i++) {
        int body = set->member[i];
        s->arm[body] = world->state.bodies.q_mid[body];
        if (set->number[i] < 0)
            continue;
        double inverse = 1.0 / world->model.bodies.rows[body].mass;
        vec3 gained = vec3_add_scaled(s->gained[body], inverse, s->pushed[body]);
        s->arm[body].position = vec3_add_scaled(s->arm[body].position, 0.25 * h, gained);
    }
}

void eng_joint_set_guess(const cairn_world *world, eng_joint_set *set)
{
    const eng_joint_step *s = world->scratch.joint_step;
    for (int i = 0, at = 0; i < set->system.joint_count; i++) {
        int index = set->system.joint[i];
        const eng_joint_state *state = &world->state.joints.rows[index];
        const eng_joint_rows *mid = &s->mid[index];
        for (int k = 0; k < mid->count; k++)
            set->l[at++] =
                vec3_dot(mid->row[k].d, state->impulse) + vec3_dot(mid->row[k].e, state->moment);
        if (s->held[index])
            set->l[at++] = state->effort;
    }
    for (int i = 0; i < set->member_count; i++)
        if (set->number[i] >= 0)
            memcpy(set->guess[set->number[i]], world->state.bodies.v[set->member[i]],
                   sizeof *set->guess);
}

/// out += M^-1 (impulses l of rows, moments about the poses), by numbers of the system.
static void push_rows(const cairn_world *world, const eng_joint_set *set,
                      const eng_joint_rows *rows, const pose *arms, const double *l,
                      double (*out)[6])
{
    for (int i = 0, row = 0; i < set->system.joint_count; i++) {
        int index = set->system.joint[i], count = row_count(world, index);
        eng_wrench sum = sum_of(&rows[index], l + row, count);
        row += count;
        for (int side = 0; side < 2; side++) {
            int number = set->system.rows.body[i][side];
            if (number < 0)
                continue;
            int body = world->model.joints.rows[index].body[side];
            const pose *arm = &arms[body];
            const double *inverse = world->state.bodies.mass_inverse[body];
            double sign = side == 0 ? -1.0 : 1.0, *v = out[number];
            vec3 moment =
                vec3_add(vec3_cross(vec3_sub(rows[index].point, arm->position), sum.d), sum.e);
            moment = quat_rotate_inverse(arm->orientation, moment);
            for (int k = 0; k < 3; k++) {
                v[k] += sign * inverse[k] * vec3_get(sum.d, k);
                v[k + 3] += sign * inverse[k + 3] * vec3_get(moment, k);
            }
        }
    }
}

void eng_joint_set_push(const cairn_world *world, eng_joint_set *set, const double (*v_base)[6])
{
    for (int i = 0; i < set->member_count; i++)
        if (set->number[i] >= 0)
            memcpy(set->exact[set->number[i]], v_base[set->number[i]], sizeof *set->exact);
    const eng_joint_step *s = world->scratch.joint_step;
    push_rows(world, set, s->mean, s->arm, set->l, set->exact);
}

/// Velocities in the coordinates of the basis.
static const double (*enter(const eng_joint_set *set, const double (*v)[6]))[6]
{
    for (int i = 0; i < set->member_count; i++) {
        int number = set->number[i];
        if (number < 0)
            continue;
        double *entered = set->entered[number];
        memcpy(entered, v[number], sizeof *set->entered);
        vec3_store(entered + 3,
                   mat3_apply_transposed(&set->basis[number], vec3_from(v[number] + 3)));
    }
    return (const double(*)[6])set->entered;
}

void eng_joint_set_look(const cairn_world *world, eng_joint_set *set, const double (*v)[6])
{
    const eng_joint_step *s = world->scratch.joint_step;
    double h = world->state.clock.step;
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
    take_arms(world, set);
    if (set->has_graphs && set->linear)
        set->size =
            fmax(set->size,
                 0.5 * h * eng_graph_rows_offset(world, &set->graphs, enter(set, v), set->speed));
}

// ---------------------------------------------------------------- the linear problem

/// L with L L^T = A; false where A is not positive definite.
static bool cholesky(const mat3 *A, mat3 *L)
{
    *L = (mat3){0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double sum = A->m[i][j];
            for (int k = 0; k < j; k++)
                sum -= L->m[i][k] * L->m[j][k];
            if (i == j && !(sum > 0.0))
                return false;
            L->m[i][j] = i == j ? sqrt(sum) : sum / L->m[j][j];
        }
    return true;
}

static vec3 lower_solve(const mat3 *L, vec3 b)
{
    double x = b.x / L->m[0][0], y = (b.y - L->m[1][0] * x) / L->m[1][1];
    return vec3_make(x, y, (b.z - L->m[2][0] * x - L->m[2][1] * y) / L->m[2][2]);
}

static vec3 upper_solve(const mat3 *L, vec3 b)
{
    double z = b.z / L->m[2][2], y = (b.y - L->m[2][1] * z) / L->m[1][1];
    return vec3_make((b.x - L->m[1][0] * y - L->m[2][0] * z) / L->m[0][0], y, z);
}

/// What forces F at arms r resist a turn with, theory.md (9.6d): h/4 of (F.r) I - r F^T, its
/// symmetric part, in principal axes.
static void add_stiffness(vec3 force, vec3 r, double quarter, mat3 *K)
{
    double F[3], a[3], pull = vec3_dot(force, r);
    vec3_store(F, force);
    vec3_store(a, r);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K->m[i][j] += quarter * ((i == j ? pull : 0.0) - 0.5 * (a[i] * F[j] + F[i] * a[j]));
}

/// What the impulses l resist turns with comes to the moments of inertia.
static void add_stiffnesses(const cairn_world *world, eng_joint_set *set)
{
    const eng_joint_step *s = world->scratch.joint_step;
    double quarter = 0.25 * world->state.clock.step;
    for (int i = 0, row = 0; i < set->system.joint_count; i++) {
        int index = set->system.joint[i], count = row_count(world, index);
        vec3 force = sum_of(&s->mean[index], set->l + row, count).d;
        row += count;
        for (int side = 0; side < 2; side++) {
            int number = set->system.rows.body[i][side];
            int body = world->model.joints.rows[index].body[side];
            if (number < 0)
                continue;
            const pose *arm = &s->arm[body];
            vec3 r = vec3_sub(s->mean[index].point, arm->position);
            add_stiffness(
                quat_rotate_inverse(arm->orientation, vec3_scale(side == 0 ? -1.0 : 1.0, force)),
                quat_rotate_inverse(arm->orientation, r), quarter, &set->basis[number]);
        }
    }
}

/// Basis and masses with the stiffness of the impulses l, where it is one that holds.
static void take_basis(const cairn_world *world, eng_joint_set *set)
{
    for (int i = 0; i < set->member_count; i++)
        if (set->number[i] >= 0) {
            vec3 J = eng_inertia_of(world, set->member[i]);
            set->basis[set->number[i]] = mat3_diagonal(J);
        }
    if (!set->frozen)
        add_stiffnesses(world, set);
    for (int i = 0; i < set->member_count; i++) {
        int number = set->number[i];
        if (number < 0)
            continue;
        mat3 L;
        double *inverse = set->mass_inverse[number];
        memcpy(inverse, world->state.bodies.mass_inverse[set->member[i]],
               sizeof *set->mass_inverse);
        if (!cholesky(&set->basis[number], &L)) {
            mat3 J = mat3_diagonal(eng_inertia_of(world, set->member[i]));
            cholesky(&J, &L);
        }
        set->basis[number] = L;
        inverse[3] = inverse[4] = inverse[5] = 1.0;
    }
}

void eng_joint_set_linearise(const cairn_world *world, eng_joint_set *set)
{
    const eng_joint_step *s = world->scratch.joint_step;
    take_basis(world, set);
    eng_joint_system_fill(world, &set->system, s->mean, s->arm, s->held);
    if (set->has_graphs)
        eng_graph_rows_enter(world, &set->graphs);
    set->linear = true;
}

void eng_joint_set_leave(const eng_joint_set *set, const double (*v)[6], double (*out)[6])
{
    for (int i = 0; i < set->member_count; i++) {
        int number = set->number[i];
        if (number < 0)
            continue;
        vec3 omega = upper_solve(&set->basis[number], vec3_from(v[number] + 3));
        memmove(out[number], v[number], 3 * sizeof(double));
        vec3_store(out[number] + 3, omega);
    }
}

/// What impulses lack at a velocity v: (M + K)^-1 M (exact - v) in the coordinates of the basis.
static void lack_of(const cairn_world *world, const eng_joint_set *set, int member,
                    const double (*v)[6], double out[6])
{
    int number = set->number[member];
    const double *exact = set->exact[number];
    for (int k = 0; k < 6; k++)
        out[k] = exact[k] - v[number][k];
    vec3 J = eng_inertia_of(world, set->member[member]);
    vec3 moment = vec3_multiply(J, vec3_from(out + 3));
    vec3_store(out + 3, lower_solve(&set->basis[number], moment));
}

double eng_joint_set_lack(const cairn_world *world, const eng_joint_set *set, const double (*v)[6],
                          double (*out)[6])
{
    double most = 0.0;
    for (int i = 0; i < set->member_count; i++) {
        int number = set->number[i];
        if (number < 0)
            continue;
        lack_of(world, set, i, v, out[number]);
        for (int k = 0; k < 6; k++)
            most = fmax(most, fabs(set->exact[number][k] - v[number][k]));
    }
    return 0.5 * world->state.clock.step * most;
}

/// b = G v less the violation that v leads to, for dynamic bodies. @param v  of the basis
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

/// Adds what the rows of the linear problem give for the impulses l, times a sign, to velocities.
static void add_rows(const eng_joint_set *set, double sign, double (*v)[6])
{
    const con_joints *rows = &set->system.rows;
    for (int i = 0; i < rows->count; i++)
        for (int r = rows->start[i]; r < rows->start[i + 1]; r++)
            for (int side = 0; side < 2; side++) {
                int body = rows->body[i][side];
                for (int k = 0; k < 6 && body >= 0; k++)
                    v[body][k] +=
                        sign * set->system.mass_inverse[body][k] * rows->G[r][side][k] * set->l[r];
            }
}

/// v_free of the linear problem, theory.md (9.6c): v + (M + K)^-1 M (v_base - v), and what the
/// impulses at hand give by other wrenches than the problem's rows.
/// @param entered  v in the basis
static void aim_free(const cairn_world *world, eng_joint_set *set, const double (*v_base)[6],
                     const double (*v)[6], const double (*entered)[6])
{
    eng_joint_set_push(world, set, v_base);
    for (int i = 0; i < set->member_count; i++) {
        int number = set->number[i];
        if (number < 0)
            continue;
        double lack[6];
        lack_of(world, set, i, v, lack);
        for (int k = 0; k < 6; k++)
            set->v_free[number][k] = entered[number][k] + lack[k];
    }
    add_rows(set, -1.0, set->v_free);
}

/// v_free of a problem whose wrenches are its rows, without stiffness: its angular momenta are
/// those of v_base.
static void keep_free(const eng_joint_set *set, const double (*v_base)[6])
{
    for (int i = 0; i < set->member_count; i++) {
        int number = set->number[i];
        if (number < 0)
            continue;
        memcpy(set->v_free[number], v_base[number], sizeof *set->v_free);
        vec3_store(set->v_free[number] + 3,
                   mat3_apply_transposed(&set->basis[number], vec3_from(v_base[number] + 3)));
    }
}

void eng_joint_set_finish(const cairn_world *world, eng_joint_set *set, double (*v)[6])
{
    for (int i = 0; i < set->member_count; i++) {
        int number = set->number[i];
        if (number < 0)
            continue;
        double gained[6], *base = set->base[number];
        for (int k = 0; k < 6; k++)
            gained[k] = v[number][k] - set->v_free[number][k];
        vec3 moment = mat3_apply(&set->basis[number], vec3_from(gained + 3));
        vec3_store(
            gained + 3,
            vec3_multiply(vec3_from(world->state.bodies.mass_inverse[set->member[i]] + 3), moment));
        for (int k = 0; k < 6; k++)
            base[k] = world->scratch.solve.v_free[number][k] + gained[k];
    }
    add_rows(set, 1.0, v);
    eng_joint_set_leave(set, (const double(*)[6])v, v);
}

void eng_joint_set_aim(const cairn_world *world, eng_joint_set *set, const double (*v_base)[6],
                       const double (*v)[6])
{
    const double(*entered)[6] = enter(set, v);
    aim_rows(set, entered);
    if (set->frozen)
        keep_free(set, v_base);
    else
        aim_free(world, set, v_base, v, entered);
    if (set->has_graphs)
        eng_graph_rows_aim(world, &set->graphs, (const double(*)[6])set->v_free, entered,
                           set->speed);
}

bool eng_joint_set_activate(eng_world_scratch *scratch, eng_joint_set *set)
{
    bool activated = false;
    for (int i = 0; i < set->system.joint_count; i++) {
        eng_graph *graph = &scratch->joint_step->graph[set->system.joint[i]];
        activated = eng_graph_activate(graph, set->speed[i]) || activated;
    }
    return activated;
}

void eng_joint_set_keep(eng_world_scratch *scratch, const eng_joint_set *set)
{
    eng_joint_step *s = scratch->joint_step;
    for (int i = 0; i < set->system.joint_count; i++) {
        int index = set->system.joint[i], start = set->system.rows.start[i];
        int count = s->mid[index].count;
        for (int k = 0; k < count; k++)
            s->l[index][k] = set->l[start + k];
        s->l[index][count] =
            s->held[index] ? set->l[start + count] : eng_graph_impulse(&s->graph[index]);
    }
}
