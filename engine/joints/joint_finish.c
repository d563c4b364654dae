// SPDX-License-Identifier: Apache-2.0
// Joints at the two ends of a step: bodies brought onto the constraints, and the energy and
// reactions of what joints did in between, theory.md (9.10)-(9.11).
#include "engine/joints/joints.h"
#include "engine/state/kinematics.h"

#include <string.h>

enum { GATHER_MAX = 30, PROJECT_MAX = 6 };

// of the difference between a row's speeds at the two ends of a step: half of it would end an
// alternation at once, less of it disturbs the energy less; contacts stir alternations up
static const double ALTERNATION_SHARE[2] = {0.05, 0.5};

/// All joints at the end of the step.
typedef struct projection {
    cairn_world *world;
    eng_joint_system system;
    con_joint_factors *factors;
    eng_joint_rows *rows;            // [joints]
    unsigned char *held;             // [joints] the coordinate's speed is given
    double *kept;                    // [joints] rad/s or m/s, that speed
    double (*zero)[6], (*change)[6]; // [bodies of the system]
} projection;

static cairn_status prepare(cairn_world *world, projection *p)
{
    base_arena *arena = world->arena;
    int n = world->joint_count;
    int *all = base_arena_array(arena, int, "all joints", n);
    *p = (projection){.world = world};
    p->rows = base_arena_array(arena, eng_joint_rows, "joint ends", n);
    p->held = base_arena_array(arena, unsigned char, "held at end", n);
    p->kept = base_arena_array(arena, double, "kept at end", n);
    if (all == NULL || p->rows == NULL || p->held == NULL || p->kept == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < n; i++)
        all[i] = i;
    memset(p->held, 0, (size_t)n);
    cairn_status status = eng_joint_system_init(world, all, n, true, &p->system);
    if (status != CAIRN_OK)
        return status;
    size_t bodies = (size_t)p->system.body_count;
    p->zero = (double(*)[6])base_arena_allocate(arena, "joint zero", bodies, sizeof *p->zero);
    p->change = (double(*)[6])base_arena_allocate(arena, "joint change", bodies, sizeof *p->change);
    if (p->zero == NULL || p->change == NULL)
        return CAIRN_ERROR_MEMORY;
    memset(p->zero, 0, bodies * sizeof *p->zero);
    return CAIRN_OK;
}

/// Rows at the poses as they are now; returns whether a joint is off by more than round-off.
static bool evaluate(projection *p, double *worst)
{
    const cairn_world *world = p->world;
    bool off = false;
    *worst = 0.0;
    for (int i = 0; i < world->joint_count; i++) {
        pose q[2];
        eng_joint_poses(&world->joints[i], world->q, q);
        eng_joint_evaluate(&world->joints[i], q, &p->rows[i]);
        double length = 1.0 + vec3_norm(p->rows[i].point);
        for (int k = 0; k < p->rows[i].count; k++) {
            double g = fabs(p->rows[i].g[k]);
            off = off || g > 2e-15 * length;
            *worst = fmax(*worst, g);
        }
    }
    return off;
}

static cairn_status factor(projection *p)
{
    const cairn_world *world = p->world;
    eng_joint_system_fill(world, &p->system, p->rows, world->q, p->held);
    return con_joints_factor(&p->system.rows, p->system.body_count,
                             (const double(*)[6])p->system.mass_inverse, world->arena, &p->factors);
}

/// Moves bodies by the smallest displacement, in the metric of the masses, that meets the rows.
static void move_bodies(projection *p)
{
    cairn_world *world = p->world;
    const con_joints *rows = &p->system.rows;
    for (int i = 0; i < rows->count; i++)
        for (int r = rows->start[i]; r < rows->start[i + 1]; r++) {
            int k = r - rows->start[i];
            p->system.b[r] = k < p->rows[i].count ? -p->rows[i].g[k] : 0.0;
        }
    con_joint_factors_solve(p->factors, p->system.b, (const double(*)[6])p->zero, p->change, NULL);
    for (int i = 0; i < p->system.body_count; i++) {
        pose *q = &world->q[p->system.body[i]];
        vec3 turn = vec3_from(p->change[i] + 3);
        q->position = vec3_add(q->position, vec3_from(p->change[i]));
        q->orientation =
            quat_normalize(quat_multiply(q->orientation, base_quat_from_rotation_vector(turn)));
    }
}

/// Takes the rows' speeds to zero, or with what they were at the start of the step only the share
/// of the change that damps an alternation, theory.md (9.11); held coordinates to what they are
/// kept at.
/// @param s  NULL: to zero
static void change_speeds(projection *p, const eng_joint_step *s)
{
    cairn_world *world = p->world;
    const con_joints *rows = &p->system.rows;
    const double(*v)[6] = (const double(*)[6])world->v;
    for (int i = 0; i < rows->count; i++)
        for (int r = rows->start[i]; r < rows->start[i + 1]; r++) {
            const eng_joint_rows *at = &p->rows[i];
            int k = r - rows->start[i];
            double speed = eng_joint_speed(&world->joints[i], &at->row[k], at->point, world->q, v);
            if (s == NULL)
                p->system.b[r] = -speed;
            else if (k < at->count)
                p->system.b[r] = -ALTERNATION_SHARE[s->near_contact[i]] * (speed - s->start[i][k]);
            else
                p->system.b[r] = p->kept[i] - speed;
        }
    con_joint_factors_solve(p->factors, p->system.b, (const double(*)[6])p->zero, p->change, NULL);
    for (int i = 0; i < p->system.body_count; i++)
        for (int k = 0; k < 6; k++)
            world->v[p->system.body[i]][k] += p->change[i][k];
}

static double mechanical_energy(const cairn_world *world)
{
    double kinetic, potential;
    eng_energies_general(world, &kinetic, &potential);
    return kinetic + potential;
}

static cairn_status gather(cairn_world *world)
{
    projection p;
    double worst;
    cairn_status status = prepare(world, &p);
    for (int i = 0; i < GATHER_MAX && status == CAIRN_OK && evaluate(&p, &worst); i++) {
        status = factor(&p);
        if (status == CAIRN_OK)
            move_bodies(&p);
    }
    if (status != CAIRN_OK)
        return status;
    evaluate(&p, &worst);
    status = factor(&p);
    if (status == CAIRN_OK)
        change_speeds(&p, NULL);
    return status;
}

cairn_status eng_joints_gather(cairn_world *world)
{
    if (!world->joints_changed || world->joint_count == 0)
        return CAIRN_OK;
    double before = mechanical_energy(world);
    cairn_status status = gather(world);
    if (status != CAIRN_OK)
        return status;
    world->joints_changed = false;
    if (world->energy_started)
        world->energy.joints += mechanical_energy(world) - before;
    return CAIRN_OK;
}

// ---------------------------------------------------------------- end of the step

/// Coordinates that a motor or friction holds keep their speed to the end.
static void hold_coordinates(projection *p)
{
    const eng_joint_step *s = p->world->joint_step;
    for (int i = 0; i < p->world->joint_count; i++)
        p->held[i] = eng_graph_holds(&s->graph[i], s->speed[i], &p->kept[i]);
}

/// Counts whole turns.
static void take_coordinates(projection *p)
{
    for (int i = 0; i < p->world->joint_count; i++) {
        eng_joint *joint = &p->world->joints[i];
        double now = p->rows[i].coordinate;
        joint->coordinate = eng_joint_has_turns(joint->kind)
                                ? eng_joint_unwind(now, p->world->joint_step->mid[i].coordinate)
                                : now;
    }
}

static cairn_status finish(projection *p)
{
    hold_coordinates(p);
    bool off = evaluate(p, &p->world->report.error_joints);
    cairn_status status = factor(p);
    for (int i = 0; i < PROJECT_MAX && off && status == CAIRN_OK; i++) {
        move_bodies(p);
        off = evaluate(p, &p->world->report.error_joints);
    }
    if (status == CAIRN_OK)
        change_speeds(p, p->world->joint_step);
    return status;
}

cairn_status eng_joints_finish(cairn_world *world)
{
    if (world->joint_count == 0)
        return CAIRN_OK;
    double before = mechanical_energy(world);
    base_arena_mark mark = base_arena_get_mark(world->arena);
    projection p;
    cairn_status status = prepare(world, &p);
    if (status == CAIRN_OK)
        status = finish(&p);
    if (status == CAIRN_OK)
        take_coordinates(&p);
    base_arena_rewind(world->arena, mark);
    world->energy.joints += mechanical_energy(world) - before;
    return status;
}

// ---------------------------------------------------------------- energy and reactions

/// Work of one row of impulse l over the step, and that which prescribed bodies did of it.
static double row_work(cairn_world *world, int index, const eng_wrench *row, double l)
{
    const eng_joint *joint = &world->joints[index];
    vec3 point = world->joint_step->mid[index].point;
    double work = 0.0;
    for (int side = 0; side < 2; side++) {
        double speed = eng_joint_side_speed(joint, side, row, point, world->q_mid,
                                            (const double(*)[6])world->v) +
                       eng_joint_side_speed(joint, side, row, point, world->q_mid,
                                            (const double(*)[6])world->v_end);
        int body = joint->body[side];
        if (body >= 0 && world->bodies[body].kind == CAIRN_MOVING)
            world->energy.drivers -= 0.5 * l * speed;
        work += 0.5 * l * speed;
    }
    return work;
}

static void book_coordinate(cairn_world *world, int index, const eng_joint_rows *mid)
{
    const eng_joint_step *s = world->joint_step;
    eng_joint *joint = &world->joints[index];
    cairn_energy *e = &world->energy;
    const eng_wrench *row = &mid->row[mid->count];
    double h = world->def.time_step, l = s->l[index][mid->count];
    eng_graph *graph = &s->graph[index];
    const eng_graph_part *part = graph->part;
    eng_graph_share(joint, h, l, graph);
    e->friction -= row_work(world, index, row, part[ENG_GRAPH_FRICTION].l);
    e->drivers += row_work(world, index, row, part[ENG_GRAPH_MOTOR].l + h * joint->force);
    e->impact -= row_work(world, index, row, part[ENG_GRAPH_LOW].l + part[ENG_GRAPH_HIGH].l);
    e->damping -= row_work(world, index, row, s->damper[index]);
    // the spring's work shows as elastic energy; what prescribed bodies do of it is theirs
    row_work(world, index, row, s->given[index] - h * joint->force);
    joint->effort = l;
    for (int k = 0; k < ENG_GRAPH_PARTS; k++)
        joint->part[k] = part[k].l;
}

/// The reaction on B over the step, about its anchor.
static void keep_reaction(cairn_world *world, int index, const eng_joint_rows *mid)
{
    const eng_joint_step *s = world->joint_step;
    eng_joint *joint = &world->joints[index];
    vec3 impulse = {0.0, 0.0, 0.0}, moment = impulse;
    for (int k = 0; k < mid->count + (mid->has_coordinate ? 1 : 0); k++) {
        double l = s->l[index][k];
        if (k == mid->count)
            l += s->given[index] + s->damper[index];
        impulse = vec3_add_scaled(impulse, l, mid->row[k].d);
        moment = vec3_add_scaled(moment, l, mid->row[k].e);
    }
    joint->impulse = impulse;
    joint->moment = moment;
}

void eng_energy_joints(cairn_world *world)
{
    for (int i = 0; i < world->joint_count; i++) {
        const eng_joint_rows *mid = &world->joint_step->mid[i];
        for (int k = 0; k < mid->count; k++)
            world->energy.joints += row_work(world, i, &mid->row[k], world->joint_step->l[i][k]);
        if (mid->has_coordinate)
            book_coordinate(world, i, mid);
        keep_reaction(world, i, mid);
    }
}
