// SPDX-License-Identifier: Apache-2.0
// Joints in the step: forces along coordinates, islands, and the joints that share the problem of
// the contacts, theory.md (9.6)-(9.8).
#include "engine/bodies/body_state.h"
#include "engine/joints/joints.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/groups.h"
#include "engine/state/kinematics.h"

#include "contact/problem/least_norm.h"

#include <string.h>

enum { STUCK_MAX = 6 }; // looks in a row that did not help

// shared joints are met where what is missing is less of the coordinates
static const double shared_met = 1e-10;

// or no more than this of the contacts' tolerance, which moves them from one solve to the next
static const double contact_share = 1e-3;

// a solve that leaves more than this asks for rows and stiffness of where it is
static const double slow_share = 0.3;

// ---------------------------------------------------------------- start of the step

static bool allocate(eng_joint_step *s, base_arena *arena, int n, int bodies)
{
    size_t count = (size_t)n;
    s->start = base_arena_allocate(arena, "joint start", count, sizeof *s->start);
    s->from = base_arena_array(arena, eng_joint_frame, "joint from", n);
    s->to = base_arena_array(arena, eng_joint_frame, "joint to", n);
    s->mid = base_arena_array(arena, eng_joint_rows, "joint mid", n);
    s->mean = base_arena_array(arena, eng_joint_rows, "joint mean", n);
    s->arm = base_arena_array(arena, pose, "joint arms", bodies);
    s->pushed = base_arena_array(arena, vec3, "joint pushes", bodies);
    s->gained = base_arena_array(arena, vec3, "joint gains", bodies);
    s->lag = base_arena_array(arena, double, "joint lags", bodies);
    s->body = base_arena_array(arena, int, "joint bodies", bodies);
    s->turning = base_arena_array(arena, const eng_turning *, "joint turnings", bodies);
    s->speed = base_arena_array(arena, double, "joint speed", n);
    s->given = base_arena_array(arena, double, "joint given", n);
    s->graph = base_arena_array(arena, eng_graph, "joint graph", n);
    s->held = base_arena_array(arena, unsigned char, "joint held", n);
    s->l = base_arena_allocate(arena, "joint l", count, sizeof *s->l);
    s->alone = base_arena_array(arena, int, "joints alone", n);
    s->shared = base_arena_array(arena, int, "joints shared", n);
    s->near_contact = base_arena_array(arena, unsigned char, "joints near contacts", n);
    return s->start != NULL && s->from != NULL && s->to != NULL && s->mid != NULL &&
           s->mean != NULL && s->arm != NULL && s->pushed != NULL && s->gained != NULL &&
           s->turning != NULL && s->body != NULL && s->lag != NULL && s->speed != NULL &&
           s->given != NULL && s->graph != NULL && s->held != NULL && s->l != NULL &&
           s->alone != NULL && s->shared != NULL && s->near_contact != NULL;
}

/// Principal axes about which a body is round, as bits.
static unsigned round_about(vec3 J)
{
    double d[3], size = J.x + J.y + J.z;
    unsigned axes = 0;
    vec3_store(d, J);
    for (int k = 0; k < 3; k++)
        if (fabs(d[(k + 1) % 3] - d[(k + 2) % 3]) <= 1e-12 * size)
            axes |= 1u << k;
    return axes;
}

/// The axis of those left, if there are several that of the fastest spin.
static signed char choose_axis(const cairn_world *world, int body, unsigned axes)
{
    int best = -1;
    for (int k = 0; k < 3; k++) {
        double rate = fabs(world->state.bodies.v[body][3 + k]);
        if ((axes >> k & 1) != 0 &&
            (best < 0 || rate > fabs(world->state.bodies.v[body][3 + best])))
            best = k;
    }
    return (signed char)best;
}

static cairn_status find_spin_axes(cairn_world *world)
{
    size_t bodies = (size_t)world->model.bodies.count;
    signed char *axis = base_arena_array(world->scratch.arena, signed char, "spin axes", bodies);
    unsigned char *may = base_arena_array(world->scratch.arena, unsigned char, "spins", bodies);
    if (axis == NULL || may == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(axis, -1, bodies);
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < world->model.joints.count; i++)
            for (int side = 0; side < 2; side++) {
                const eng_joint *joint = &world->model.joints.rows[i];
                int body = joint->body[side];
                if (body < 0 || world->model.bodies.rows[body].kind != CAIRN_DYNAMIC)
                    continue;
                vec3 J = eng_inertia_of(world, body);
                double size = sqrt(fmax(J.x, fmax(J.y, J.z)) / world->model.bodies.rows[body].mass);
                if (pass == 0)
                    may[body] = (unsigned char)round_about(J);
                for (int k = 0; k < 3 && pass == 1; k++)
                    if (!eng_joint_lets_spin(joint, side, k, 1e-10 * size))
                        may[body] &= (unsigned char)~(1u << k);
                if (pass == 2)
                    axis[body] = choose_axis(world, body, may[body]);
            }
    world->scratch.spin_axis = axis;
    return CAIRN_OK;
}

double eng_joints_turn(const cairn_world *world, double time, int *body)
{
    double most = 0.0;
    *body = -1;
    for (int i = 0; i < world->model.joints.count; i++)
        for (int side = 0; side < 2; side++) {
            int at = world->model.joints.rows[i].body[side];
            if (at < 0 || world->model.bodies.rows[at].kind == CAIRN_FIXED)
                continue;
            // before a step the general columns do not have those with particle slots
            const eng_state state = eng_state_of(world, at);
            double turn = time * vec3_norm(vec3_from(state.v + 3));
            if (turn <= most)
                continue;
            most = turn;
            *body = at;
            if (!isfinite(turn))
                return turn;
        }
    return most;
}

cairn_status eng_block_joint_start(cairn_world *world)
{
    world->scratch.joint_step = NULL;
    if (world->model.joints.count == 0)
        return CAIRN_OK;
    eng_joint_step *s = base_arena_array(world->scratch.arena, eng_joint_step, "joint step", 1);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    *s = (eng_joint_step){0};
    if (!allocate(s, world->scratch.arena, world->model.joints.count, world->model.bodies.count))
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < world->model.joints.count; i++) {
        const eng_joint *joint = &world->model.joints.rows[i];
        pose q[2];
        eng_joint_rows rows;
        eng_joint_poses(joint, world->state.bodies.q, q);
        s->from[i] = eng_joint_frame_of(joint, q);
        eng_joint_frame_rows(joint, &s->from[i], &rows);
        eng_twist twist = eng_joint_twist(joint, rows.point, world->state.bodies.q,
                                          (const double(*)[6])world->state.bodies.v);
        for (int k = 0; k < rows.count; k++)
            s->start[i][k] = eng_joint_speed(&rows.row[k], &twist);
    }
    world->scratch.joint_step = s;
    return find_spin_axes(world);
}

static void take_turnings(cairn_world *world)
{
    eng_joint_step *s = world->scratch.joint_step;
    memset(s->turning, 0, (size_t)world->model.bodies.count * sizeof *s->turning);
    for (int k = 0; k < world->scratch.general.count; k++)
        if (world->scratch.turnings[k].known &&
            eng_is_jointed(world, world->scratch.general.active[k])) {
            s->body[s->body_count++] = world->scratch.general.active[k];
            s->turning[world->scratch.general.active[k]] = &world->scratch.turnings[k];
        }
}

/// Inverse inertia of the free bodies along a coordinate.
static double yield_of(const cairn_world *world, const eng_joint *joint, const eng_joint_rows *mid,
                       const pose q[2])
{
    double G[2][6], sum = 0.0;
    eng_joint_row_blocks(&mid->row[mid->count], mid->point, q, G);
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < 6 && joint->body[side] >= 0; k++)
            sum += world->state.bodies.mass_inverse[joint->body[side]][k] * G[side][k] * G[side][k];
    return sum;
}

static void take_midpoint(cairn_world *world, int i)
{
    eng_joint_step *s = world->scratch.joint_step;
    const eng_joint *joint = &world->model.joints.rows[i];
    const eng_joint_state *state = &world->state.joints.rows[i];
    eng_joint_rows *mid = &s->mid[i];
    double h = world->state.clock.step;
    pose q[2];
    eng_joint_poses(joint, world->state.bodies.q_mid, q);
    eng_joint_evaluate(joint, q, mid);
    memset(s->l[i], 0, sizeof s->l[i]);
    s->speed[i] = s->given[i] = 0.0;
    s->held[i] = 0;
    s->graph[i] = (eng_graph){0};
    if (!mid->has_coordinate)
        return;
    if (eng_joint_has_turns(joint->kind))
        mid->coordinate = eng_joint_unwind(mid->coordinate, state->coordinate);
    eng_twist twist = eng_joint_twist(joint, mid->point, world->state.bodies.q_mid,
                                      (const double(*)[6])world->state.bodies.v);
    double u = eng_joint_speed(&mid->row[mid->count], &twist);
    s->speed[i] = u;
    bool sprung = joint->stiffness != 0.0 || joint->damping != 0.0;
    double yield = sprung ? yield_of(world, joint, mid, q) : 0.0;
    eng_graph_build(joint, state, mid->coordinate, u, yield, h, &s->graph[i]);
    const eng_graph_part *spring = &s->graph[i].part[ENG_GRAPH_SPRING];
    s->given[i] = h * joint->force + (spring->present ? 0.0 : spring->l);
    eng_graph_reach(&s->graph[i], u);
    s->held[i] = s->graph[i].driven;
}

void eng_block_joint_forces(cairn_world *world)
{
    if (world->scratch.joint_step != NULL)
        take_turnings(world);
    for (int i = 0; i < world->model.joints.count; i++) {
        const eng_joint_step *s = world->scratch.joint_step;
        take_midpoint(world, i);
        const eng_joint_rows *mid = &s->mid[i];
        double l = s->given[i];
        if (l != 0.0)
            eng_joint_push(world, &world->model.joints.rows[i], &mid->row[mid->count], mid->point,
                           world->state.bodies.q_mid, l, world->state.bodies.v_free);
    }
}

// ---------------------------------------------------------------- islands

/// Body through which a joint belongs to an island.
static int island_body(const cairn_world *world, const eng_joint *joint)
{
    int b = joint->body[1];
    return world->model.bodies.rows[b].kind == CAIRN_DYNAMIC ? b : joint->body[0];
}

static void join_islands(const cairn_world *world, int *parent)
{
    base_groups_init(parent, world->model.bodies.count);
    for (int i = 0; i < world->model.joints.count; i++) {
        int a = world->model.joints.rows[i].body[0], b = world->model.joints.rows[i].body[1];
        if (a >= 0 && world->model.bodies.rows[a].kind == CAIRN_DYNAMIC &&
            world->model.bodies.rows[b].kind == CAIRN_DYNAMIC)
            base_groups_join(parent, a, b);
    }
}

/// What takes the bodies of joints away from the midpoint in the mean of both ends, theory.md
/// (9.6b). Contacts have their moments about the midpoint: beside them all that acts does.
static void take_gains(cairn_world *world)
{
    const eng_joint_step *s = world->scratch.joint_step;
    const vec3 none = {0.0, 0.0, 0.0};
    double h = world->state.clock.step;
    for (int i = 0; i < world->model.joints.count; i++)
        for (int side = 0; side < 2; side++) {
            int body = world->model.joints.rows[i].body[side];
            if (body < 0)
                continue;
            bool dynamic = world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
            vec3 pull = vec3_scale(h, eng_applied_of(world, body)->force);
            s->gained[body] =
                dynamic
                    ? vec3_add_scaled(vec3_scale(1.0 / world->model.bodies.rows[body].mass, pull),
                                      h, vec3_from(world->model.def.gravity))
                    : none;
        }
    for (int i = 0; i < world->contacts.set.cone_count; i++)
        for (int side = 0; side < 2; side++)
            s->gained[world->contacts.set.body[i][side]] = none;
}

/// Sorts the joints into those whose islands have an implicit contact and the others.
static cairn_status sort_islands(cairn_world *world)
{
    eng_joint_step *s = world->scratch.joint_step;
    int *parent = base_arena_array(world->scratch.arena, int, "islands", world->model.bodies.count);
    unsigned char *touched =
        base_arena_array(world->scratch.arena, unsigned char, "touched", world->model.bodies.count);
    if (parent == NULL || touched == NULL)
        return CAIRN_ERROR_MEMORY;
    join_islands(world, parent);
    memset(touched, 0, (size_t)world->model.bodies.count);
    for (int i = 0; i < world->contacts.set.cone_count; i++)
        for (int side = 0; side < 2; side++)
            touched[base_groups_first(parent, world->contacts.set.body[i][side])] = 1;
    for (int i = 0; i < world->model.bodies.count; i++)
        parent[i] = base_groups_first(parent, i);
    s->root = parent;
    for (int i = 0; i < world->model.joints.count; i++) {
        s->near_contact[i] =
            touched[base_groups_first(parent, island_body(world, &world->model.joints.rows[i]))];
        if (s->near_contact[i])
            s->shared[s->shared_count++] = i;
        else
            s->alone[s->alone_count++] = i;
    }
    return CAIRN_OK;
}

// ---------------------------------------------------------------- joints with contacts

/// The problem of the contacts has the right sides that the joints ask for.
static void aim(cairn_world *world, const double (*v)[6])
{
    eng_joint_set *set = &world->scratch.joint_step->together;
    eng_joint_set_aim(world, set, (const double(*)[6])world->scratch.solve.v_free, v);
}

/// The shared joints from the motion before.
static void begin_shared(cairn_world *world, eng_joint_set *set)
{
    eng_joint_set_guess(world, set);
    eng_joint_set_look(world, set, (const double(*)[6])set->guess);
    eng_joint_set_linearise(world, set);
    eng_graph_rows_fill(world, &set->graphs, (const double(*)[6])set->v_free);
    set->left = INFINITY;
    aim(world, (const double(*)[6])set->guess);
}

static cairn_status share(cairn_world *world)
{
    eng_joint_step *s = world->scratch.joint_step;
    eng_joint_set *set = &s->together;
    const double(*R)[3] = (const double(*)[3])world->contacts.set.R;
    size_t bodies = (size_t)world->scratch.solve.problem.body_count;
    BASE_TRY(eng_joint_set_init(world, s->shared, s->shared_count, false,
                                &world->scratch.solve.problem, R, set));
    memcpy(set->v_free, world->scratch.solve.v_free, bodies * sizeof *set->v_free);
    begin_shared(world, set);
    world->scratch.solve.problem.joints = &set->system.rows;
    world->scratch.solve.solved = &set->graphs.problem;
    world->scratch.solve.solved_R = set->graphs.R;
    return CAIRN_OK;
}

/// The body that lacks most of what its joints should give.
static int worst_member(const eng_joint_set *set)
{
    double most = -1.0;
    int worst = -1;
    for (int i = 0; i < set->member_count; i++)
        for (int k = 0; k < 6 && set->number[i] >= 0; k++)
            if (fabs(set->lack[set->number[i]][k]) > most) {
                most = fabs(set->lack[set->number[i]][k]);
                worst = set->member[i];
            }
    return worst;
}

cairn_status eng_joints_update(cairn_world *world, const double (*v)[6], bool *changed,
                               bool *rows_changed)
{
    eng_joint_set *set = &world->scratch.joint_step->together;
    const double(*U)[3] = (const double(*)[3])world->scratch.solve.solution_U;
    bool reached = eng_graph_rows_take(world, &set->graphs, U);
    eng_joint_set_look(world, set, v);
    bool activated = eng_joint_set_activate(&world->scratch, set);
    eng_joint_set_keep(&world->scratch, set);
    *rows_changed = reached || activated;
    double left = set->size;
    if (!set->frozen) {
        eng_joint_set_push(world, set, (const double(*)[6])set->base);
        left = fmax(left, eng_joint_set_lack(world, set, v, set->lack));
        set->unsettled = worst_member(set);
    }
    bool met = left <= shared_met * set->length ||
               (set->size <= shared_met * set->length && left > 0.5 * set->left &&
                left <= contact_share * world->model.def.tolerance * set->length);
    *changed = *rows_changed || !met;
    bool slow = !met && !set->frozen && left > slow_share * set->left;
    set->stuck = !met && left > 0.9 * set->left ? set->stuck + 1 : 0;
    set->left = *changed ? left : INFINITY;
    // what turns further than half a turn may be any root
    bool strays = !*changed && set->turn > M_PI;
    if ((set->stuck >= STUCK_MAX || strays) && !set->frozen) {
        // where wrenches do not settle they stay those of the motion before
        set->lost = strays ? 1.0 : left;
        set->frozen = *changed = *rows_changed = true;
        begin_shared(world, set);
        return CAIRN_OK;
    }
    *rows_changed = *rows_changed || slow;
    if (*rows_changed) {
        eng_joint_set_linearise(world, set);
        eng_graph_rows_fill(world, &set->graphs, (const double(*)[6])world->scratch.solve.v_free);
    }
    if (*changed)
        aim(world, v);
    return CAIRN_OK;
}

cairn_status eng_joints_spread(cairn_world *world)
{
    eng_joint_set *set = &world->scratch.joint_step->together;
    BASE_TRY(con_least_norm(world->scratch.solve.solved, world->model.def.tolerance,
                            world->scratch.solve.solved_R, world->scratch.solve.solution_U, set->l,
                            world->scratch.arena));
    eng_graph_rows_take(world, &set->graphs, (const double(*)[3])world->scratch.solve.solution_U);
    eng_joint_set_keep(&world->scratch, set);
    return CAIRN_OK;
}

int eng_joints_capacity(const cairn_world *world)
{
    const eng_joint_step *s = world->scratch.joint_step;
    return s != NULL && s->shared_count > 0 ? s->together.graphs.capacity
                                            : world->scratch.solve.problem.contact_count;
}

void eng_joints_apply(const cairn_world *world, double (*v)[6])
{
    eng_joint_step *s = world->scratch.joint_step;
    if (s != NULL && s->shared_count > 0)
        eng_joint_set_finish(world, &s->together, v);
}

void eng_joints_enter(const cairn_world *world, int body, double H[3][6])
{
    const eng_joint_step *s = world->scratch.joint_step;
    for (int row = 0; row < 3 && s != NULL && s->shared_count > 0 && body >= 0; row++)
        eng_joint_system_enter(&s->together.system, body, H[row]);
}

cairn_status eng_block_joints(cairn_world *world)
{
    world->scratch.solve.solved = &world->scratch.solve.problem;
    world->scratch.solve.solved_R = world->contacts.set.R;
    if (world->model.joints.count == 0)
        return CAIRN_OK;
    take_gains(world);
    cairn_status status = sort_islands(world);
    if (status == CAIRN_OK && world->scratch.joint_step->alone_count > 0)
        status = eng_joints_alone(world);
    eng_solver_rows_fill(world);
    if (status == CAIRN_OK && world->scratch.joint_step->shared_count > 0)
        status = share(world);
    return status;
}
