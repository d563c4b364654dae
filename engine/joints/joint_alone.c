// SPDX-License-Identifier: Apache-2.0
// Joints out of reach of implicit contacts, solved for by themselves and to round-off, theory.md
// (9.6)-(9.9).
#include "engine/joints/joints.h"
#include "engine/state/world.h"

#include "contact/solvers/solver.h"

#include <math.h>
#include <string.h>

enum {
    NEWTON_MAX = 40, // iterations
    STUCK_MAX = 6,   // of them in a row that do not help
};

// what graphs are solved to where round-off is below it; no contact shares their problem
static const double graph_tolerance = 1e-12;

// a guess is at hand, and the next look at the rows asks again
enum { GRAPH_ITERATIONS = 200 };

// ends count as met where what is missing is less of the coordinates
static const double met = 1e-9;

// nearer than this to round-off a Newton step is solved to it
static const double near_met = 1e-8;

// an iteration that leaves more than this asks for rows and stiffness of where it is
static const double slow = 0.3;

typedef struct alone_solve {
    cairn_world *world;
    eng_joint_set set;
    double (*v_base)[6]; // [bodies of the set] without any of their impulses
    double (*v)[6];      // [bodies of the set] with them
    double (*change)[6];
    double *step;      // [rows] impulses of a Newton step
    con_report report; // of the last solve with graphs
} alone_solve;

static bool any_present(const alone_solve *a)
{
    for (int i = 0; i < a->set.system.joint_count; i++)
        for (int k = 0; k < ENG_GRAPH_PARTS; k++)
            if (a->world->scratch.joint_step->graph[a->set.system.joint[i]].part[k].present)
                return true;
    return false;
}

static cairn_status prepare(alone_solve *a)
{
    cairn_world *world = a->world;
    const eng_joint_step *s = world->scratch.joint_step;
    const con_problem none = {0};
    BASE_TRY(eng_joint_set_init(world, s->alone, s->alone_count, true, &none, NULL, &a->set));
    base_arena *arena = world->scratch.arena;
    const eng_joint_system *system = &a->set.system;
    size_t bodies = (size_t)system->body_count;
    a->v_base = (double(*)[6])base_arena_allocate(arena, "joint before", bodies, sizeof *a->v_base);
    a->v = (double(*)[6])base_arena_allocate(arena, "joint v", bodies, sizeof *a->v);
    a->change = (double(*)[6])base_arena_allocate(arena, "joint change", bodies, sizeof *a->change);
    a->step =
        base_arena_array(arena, double, "joint step", s->alone_count *(ENG_JOINT_ROWS_MAX + 1));
    if (a->v_base == NULL || a->v == NULL || a->change == NULL || a->step == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < system->body_count; i++)
        memcpy(a->v_base[i], world->state.bodies.v_free[system->body[i]], sizeof a->v_base[i]);
    eng_joint_set_guess(world, &a->set);
    memcpy(a->v, a->set.guess, bodies * sizeof *a->v);
    return CAIRN_OK;
}

/// v of the set += M^-1 (row of a coordinate times l)
static void push(const alone_solve *a, int at, double l, double (*v)[6])
{
    const eng_joint_system *system = &a->set.system;
    const eng_joint_rows *mid = &a->world->scratch.joint_step->mid[system->joint[at]];
    pose q[2];
    double G[2][6];
    eng_joint_poses(&a->world->model.joints.rows[system->joint[at]], a->world->state.bodies.q_mid,
                    q);
    eng_joint_row_blocks(&mid->row[mid->count], mid->point, q, G);
    for (int side = 0; side < 2; side++) {
        int body = system->rows.body[at][side];
        for (int k = 0; k < 6 && body >= 0; k++)
            v[body][k] +=
                a->world->state.bodies.mass_inverse[system->body[body]][k] * G[side][k] * l;
    }
}

static void publish(const alone_solve *a)
{
    for (int i = 0; i < a->set.system.body_count; i++)
        memcpy(a->world->state.bodies.v_free[a->set.system.body[i]], a->v[i], sizeof a->v[i]);
}

/// Round-off, or as near as it comes to it.
static bool is_met(double size, double before, double length)
{
    return size <= 4e-16 * length || (size <= 1e-13 * length && size > 0.5 * before);
}

/// Ends, wrenches and what is missing at the velocities as they are; returns the latter's size.
static double look(alone_solve *a)
{
    eng_joint_set *set = &a->set;
    eng_joint_set_look(a->world, set, (const double(*)[6])a->v);
    eng_joint_set_push(a->world, set, (const double(*)[6])a->v_base);
    return fmax(set->size, eng_joint_set_lack(a->world, set, (const double(*)[6])a->v, a->change));
}

/// Adds one Newton step to impulses and velocities. @param refined  solved to round-off
static void take_newton_step(alone_solve *a, con_joint_factors *factors, bool refined)
{
    eng_joint_set *set = &a->set;
    int rows = set->system.rows.start[set->system.joint_count];
    for (int i = 0; i < rows; i++)
        set->system.b[i] = -set->residual[i];
    con_joint_factors_apply(factors, refined, set->system.b, (const double(*)[6])a->change,
                            a->change, a->step);
    eng_joint_set_leave(set, (const double(*)[6])a->change, a->change);
    for (int i = 0; i < rows; i++)
        set->l[i] += a->step[i];
    for (int i = 0; i < set->system.body_count; i++)
        for (int k = 0; k < 6; k++)
            a->v[i][k] += a->change[i][k];
}

/// Rows, stiffness and factors of where the solve is now.
static cairn_status linearise(alone_solve *a, con_joint_factors **factors)
{
    eng_joint_set *set = &a->set;
    eng_joint_set_linearise(a->world, set);
    return con_joints_factor(&set->system.rows, set->system.body_count,
                             (const double(*)[6])set->system.mass_inverse, a->world->scratch.arena,
                             factors);
}

/// Ends that are not met are told as a solve that is not solved.
static void judge(alone_solve *a, double size)
{
    eng_joint_step *s = a->world->scratch.joint_step;
    // what turns further than half a turn may be any root
    double error = a->set.turn > M_PI ? 1.0 : size / a->set.length;
    if (error <= met)
        return;
    s->alone_stop = CON_STOP_STAGNATED;
    s->alone_error = fmax(error, 10.0 * a->world->model.def.tolerance);
}

/// Bilateral rows alone, theory.md (9.6c).
static cairn_status solve_rows(alone_solve *a)
{
    eng_joint_set *set = &a->set;
    base_arena_mark mark = base_arena_get_mark(a->world->scratch.arena);
    con_joint_factors *factors = NULL;
    cairn_status status = CAIRN_OK;
    double before = INFINITY;
    int stuck = 0;
    for (int i = 0; i < NEWTON_MAX && status == CAIRN_OK && stuck < STUCK_MAX; i++) {
        double size = look(a);
        if (is_met(size, before, set->length)) {
            before = size;
            break;
        }
        if (factors == NULL || size > slow * before) {
            base_arena_rewind(a->world->scratch.arena, mark);
            status = linearise(a, &factors);
            // the basis is another one
            eng_joint_set_lack(a->world, set, (const double(*)[6])a->v, a->change);
        }
        stuck = size > 0.9 * before ? stuck + 1 : 0;
        before = size;
        if (status == CAIRN_OK)
            take_newton_step(a, factors, size < near_met * set->length);
    }
    memcpy(a->v, set->exact, (size_t)set->system.body_count * sizeof *a->v);
    judge(a, before);
    base_arena_rewind(a->world->scratch.arena, mark);
    return status;
}

/// A graph that yields far more than its bodies, as a soft motor in a short step, has its round-off
/// in their measure.
static double yielding_of(const con_problem *problem)
{
    double most = 0.0;
    for (int i = 0; i < problem->contact_count && problem->compliance != NULL; i++) {
        double bodies = 0.0, yields = 0.0;
        for (int k = 0; k < 3; k++) {
            bodies = fmax(bodies, problem->W_diagonal[i].m[k][k] - problem->compliance[i][k]);
            yields = fmax(yields, problem->compliance[i][k]);
        }
        most = fmax(most, bodies > 0.0 ? yields / bodies : 0.0);
    }
    return most;
}

/// What q is the sum of, over q: large where the bodies' velocities leave a coordinate at rest.
static double cancelling_of(const alone_solve *a)
{
    const con_problem *problem = &a->set.graphs.problem;
    double q = 0.0, terms = 0.0;
    for (int i = 0; i < problem->contact_count; i++)
        for (int r = 0; r < 3; r++) {
            double size = fabs(problem->w[i][r]) + a->set.length / a->world->state.clock.step;
            for (int side = 0; side < 2; side++)
                for (int k = 0; k < 6 && problem->body[i][side] >= 0; k++)
                    size += fabs(problem->H[i][side][r][k] *
                                 problem->v_free[problem->body[i][side]][k]);
            q += problem->q[i][r] * problem->q[i][r];
            terms += size * size;
        }
    return q > 0.0 ? sqrt(terms / q) : 0.0;
}

/// Graphs are solved to round-off and no further.
static double tolerance_of(const alone_solve *a)
{
    double many = fmax(yielding_of(&a->set.graphs.problem), cancelling_of(a));
    return fmin(1.0, fmax(graph_tolerance, 2.2e-16 * many));
}

/// One solve of the rows with the graphs, for the right sides as they are; v follows.
/// @param rows_changed  the rows are not those that `reduction` was made of
static cairn_status solve_problem(alone_solve *a, bool rows_changed, con_reduction *reduction)
{
    cairn_world *world = a->world;
    eng_graph_rows *graphs = &a->set.graphs;
    con_control control = {.tolerance = tolerance_of(a),
                           .max_iterations = GRAPH_ITERATIONS,
                           .step_of_run = true,
                           .brief = true,
                           .l = a->set.l};
    BASE_TRY(rows_changed ? con_reduce_joints(&graphs->problem, world->scratch.arena, reduction)
                          : con_reduction_update(reduction));
    BASE_TRY(con_solve_reduced(con_solver_find("auto"), NULL, reduction, &control, graphs->R,
                               graphs->U, &a->report, world->scratch.arena));
    con_reduction_velocity(reduction, (const double(*)[3])graphs->R, graphs->U, a->set.l);
    eng_joint_set_leave(&a->set, (const double(*)[6])reduction->v, a->v);
    return CAIRN_OK;
}

/// set->exact with the parts of graphs; returns how far the ends are from being met.
static double look_graphs(alone_solve *a)
{
    eng_joint_set *set = &a->set;
    eng_joint_set_look(a->world, set, (const double(*)[6])a->v);
    memcpy(a->change, a->v_base, (size_t)set->system.body_count * sizeof *a->change);
    for (int i = 0; i < set->system.joint_count; i++) {
        const eng_graph *graph = &a->world->scratch.joint_step->graph[set->system.joint[i]];
        double l = eng_graph_impulse(graph);
        if (l != 0.0 && !graph->driven)
            push(a, i, l, a->change);
    }
    eng_joint_set_push(a->world, set, (const double(*)[6])a->change);
    return fmax(set->size, eng_joint_set_lack(a->world, set, (const double(*)[6])a->v, a->change));
}

/// The same with graphs, until the ends of the step are met.
static cairn_status solve_graphs(alone_solve *a)
{
    cairn_world *world = a->world;
    eng_joint_set *set = &a->set;
    double before = INFINITY;
    int stuck = 0;
    bool rows_changed = true;
    con_reduction reduction;
    base_arena_mark mark = base_arena_get_mark(world->scratch.arena);
    look_graphs(a);
    for (int i = 0; i < NEWTON_MAX && stuck < STUCK_MAX; i++) {
        if (rows_changed) {
            base_arena_rewind(world->scratch.arena, mark);
            eng_joint_set_linearise(world, set);
            eng_graph_rows_fill(world, &set->graphs, (const double(*)[6])a->v_base);
        }
        eng_joint_set_aim(world, set, (const double(*)[6])a->v_base, (const double(*)[6])a->v);
        BASE_TRY(solve_problem(a, rows_changed, &reduction));
        bool reached = eng_graph_rows_take(world, &set->graphs, (const double(*)[3])set->graphs.U);
        double size = look_graphs(a);
        bool activated = eng_joint_set_activate(&world->scratch, set);
        bool solved = a->report.stop == CON_STOP_SOLVED;
        bool done = solved && !reached && !activated && is_met(size, before, set->length);
        stuck = size > 0.9 * before ? stuck + 1 : 0;
        rows_changed = reached || activated || size > slow * before;
        before = size;
        if (done)
            break;
    }
    memcpy(a->v, set->exact, (size_t)set->system.body_count * sizeof *a->v);
    judge(a, before);
    base_arena_rewind(world->scratch.arena, mark);
    return CAIRN_OK;
}

cairn_status eng_joints_alone(cairn_world *world)
{
    alone_solve a = {.world = world};
    cairn_status status = prepare(&a);
    if (status != CAIRN_OK)
        return status;
    bool present = any_present(&a);
    if (!present) {
        status = solve_rows(&a);
        present = status == CAIRN_OK && eng_joint_set_activate(&world->scratch, &a.set);
    }
    if (status == CAIRN_OK && present)
        status = solve_graphs(&a);
    eng_joint_set_keep(&world->scratch, &a.set);
    publish(&a);
    if (a.report.stop != CON_STOP_SOLVED && a.report.residual.error > world->model.def.tolerance) {
        world->scratch.joint_step->alone_stop = a.report.stop;
        world->scratch.joint_step->alone_error = a.report.residual.error;
    }
    return status;
}
