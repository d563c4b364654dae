// SPDX-License-Identifier: Apache-2.0
// Joints at the two ends of a step: bodies brought onto the constraints, and the energy and
// reactions of what joints did in between, theory.md (9.10)-(9.11).
#include "engine/joints/joints.h"
#include "engine/state/kinematics.h"
#include "engine/state/rows.h"
#include "engine/state/world.h"

#include "base/elementary.h"

#include <string.h>

enum { GATHER_MAX = 30, PROJECT_MAX = 6 };

// of the difference between a row's speeds at the two ends of a step: ends an alternation at once
static const double ALTERNATION_SHARE = 0.5;

// of the energy of a motion, as much may be given back to it
static const double give_back_max = 3.0;

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
    base_arena *arena = world->scratch.arena;
    int n = world->model.joints.count;
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
    BASE_TRY(eng_joint_system_init(world, all, n, true, &p->system));
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
    for (int i = 0; i < world->model.joints.count; i++) {
        pose q[2];
        eng_joint_poses(&world->model.joints.rows[i], world->state.bodies.q, q);
        eng_joint_evaluate(&world->model.joints.rows[i], q, &p->rows[i]);
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
    eng_joint_system_fill(world, &p->system, p->rows, world->state.bodies.q, p->held);
    return con_joints_factor(&p->system.rows, p->system.body_count,
                             (const double(*)[6])p->system.mass_inverse, world->scratch.arena,
                             &p->factors);
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
    con_joint_factors_apply(p->factors, true, p->system.b, (const double(*)[6])p->zero, p->change,
                            NULL);
    for (int i = 0; i < p->system.body_count; i++) {
        pose *q = &world->state.bodies.q[p->system.body[i]];
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
    const double(*v)[6] = (const double(*)[6])world->state.bodies.v;
    for (int i = 0; i < rows->count; i++) {
        const eng_joint_rows *at = &p->rows[i];
        eng_twist twist =
            eng_joint_twist(&world->model.joints.rows[i], at->point, world->state.bodies.q, v);
        for (int r = rows->start[i]; r < rows->start[i + 1]; r++) {
            int k = r - rows->start[i];
            double speed = eng_joint_speed(&at->row[k], &twist);
            if (s == NULL)
                p->system.b[r] = -speed;
            else if (k < at->count)
                p->system.b[r] = -ALTERNATION_SHARE * (speed - s->start[i][k]);
            else
                p->system.b[r] = p->kept[i] - speed;
        }
    }
    con_joint_factors_apply(p->factors, true, p->system.b, (const double(*)[6])p->zero, p->change,
                            NULL);
    for (int i = 0; i < p->system.body_count; i++)
        for (int k = 0; k < 6; k++)
            world->state.bodies.v[p->system.body[i]][k] += p->change[i][k];
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
    if (!world->model.joints.changed || world->model.joints.count == 0)
        return CAIRN_OK;
    double before = mechanical_energy(world);
    BASE_TRY(gather(world));
    world->model.joints.changed = false;
    if (world->state.audit.started)
        world->state.audit.energy.joints += mechanical_energy(world) - before;
    return CAIRN_OK;
}

// ---------------------------------------------------------------- end of the step

/// Coordinates that a motor or friction holds keep their speed to the end.
static void hold_coordinates(projection *p)
{
    const eng_joint_step *s = p->world->scratch.joint_step;
    for (int i = 0; i < p->world->model.joints.count; i++)
        p->held[i] = eng_graph_holds(&s->graph[i], s->speed[i], &p->kept[i]);
}

/// The speed of a row that turns an angle at u, theory.md (9.11b): u itself where what turns spins
/// by itself, by (1.12) another one about a body that does not turn, and else what was solved for.
static double turning_speed(const projection *p, int index, double u)
{
    const cairn_world *world = p->world;
    const eng_joint *joint = &world->model.joints.rows[index];
    const eng_joint_rows *at = &p->rows[index];
    int turning = 0, spinning = 0;
    for (int side = 0; side < 2; side++) {
        int body = joint->body[side];
        bool dynamic = body >= 0 && world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
        turning += dynamic;
        spinning += dynamic && eng_body_spin_axis(world, body) >= 0;
    }
    double h = world->state.clock.step;
    if (u == 0.0 || spinning == turning)
        return u;
    if (turning == 1)
        return 2.0 / h * base_tan(0.5 * h * u);
    eng_twist twist = eng_joint_twist(joint, at->point, world->state.bodies.q,
                                      (const double(*)[6])world->state.bodies.v);
    return eng_joint_speed(&at->row[at->count], &twist);
}

static void keep_turning(projection *p)
{
    for (int i = 0; i < p->world->model.joints.count; i++)
        if (p->held[i] && eng_joint_has_turns(p->world->model.joints.rows[i].kind))
            p->kept[i] = turning_speed(p, i, p->kept[i]);
}

/// Counts whole turns.
static void take_coordinates(projection *p)
{
    for (int i = 0; i < p->world->model.joints.count; i++) {
        double now = p->rows[i].coordinate;
        p->world->state.joints.rows[i].coordinate =
            eng_joint_has_turns(p->world->model.joints.rows[i].kind)
                ? eng_joint_unwind(now, p->world->scratch.joint_step->mid[i].coordinate)
                : now;
    }
}

// ---------------------------------------------------------------- energy of the change of speeds

static bool is_prescribed(const cairn_world *world, int body)
{
    return body >= 0 && world->model.bodies.rows[body].kind == CAIRN_MOVING;
}

/// Bodies that joints tie together, and what (9.11) took of their energy.
typedef struct island {
    bool floats, keeps;    // held by nothing fixed; free of motors, stops, drivers and contacts
    double before, after;  // J, kinetic
    double mass, rest;     // kg; J, kinetic energy beside that of the motion as one rigid body
    vec3 centre, velocity; // m, m/s, of the centre of mass
    vec3 momentum, omega;  // kg m2/s about the centre; rad/s, of the motion as one rigid body
    mat3 inertia;          // kg m2 about the centre, world axes
} island;

typedef struct islands {
    int count;
    island *all; // [count]
    int *of;     // [bodies of the system]
} islands;

static cairn_status find_islands(projection *p, islands *found)
{
    cairn_world *world = p->world;
    const eng_joint_step *s = world->scratch.joint_step;
    int bodies = p->system.body_count;
    found->count = 0;
    found->all = base_arena_array(world->scratch.arena, island, "islands", bodies);
    found->of = base_arena_array(world->scratch.arena, int, "island of bodies", bodies);
    int *number =
        base_arena_array(world->scratch.arena, int, "island numbers", world->model.bodies.count);
    if (found->all == NULL || found->of == NULL || number == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < bodies; i++)
        number[s->root[p->system.body[i]]] = -1;
    for (int i = 0; i < bodies; i++) {
        int *at = &number[s->root[p->system.body[i]]];
        if (*at < 0) {
            *at = found->count++;
            found->all[*at] = (island){.floats = true, .keeps = true};
        }
        found->of[i] = *at;
    }
    for (int i = 0; i < world->model.joints.count; i++) {
        bool acts = s->near_contact[i] || p->held[i];
        for (int k = 0; k < ENG_GRAPH_PARTS; k++)
            acts = acts || (k != ENG_GRAPH_SPRING && s->graph[i].part[k].present);
        const int *at = p->system.rows.body[i], *body = world->model.joints.rows[i].body;
        island *own = &found->all[found->of[at[0] >= 0 ? at[0] : at[1]]];
        own->keeps = own->keeps && !acts;
        for (int side = 0; side < 2; side++) {
            own->floats = own->floats && at[side] >= 0;
            if (is_prescribed(world, body[side]))
                own->keeps = false;
        }
    }
    return CAIRN_OK;
}

static void measure_before(const projection *p, islands *found)
{
    for (int i = 0; i < p->system.body_count; i++) {
        int body = p->system.body[i];
        found->all[found->of[i]].before +=
            eng_body_kinetic_energy(p->world, body, p->world->state.bodies.v[body]);
    }
}

static mat3 inertia_about(const cairn_world *world, int body, vec3 arm)
{
    mat3 turn = quat_to_mat3(world->state.bodies.q[body].orientation), back = mat3_transpose(&turn);
    mat3 J = mat3_diagonal(eng_inertia_of(world, body)), half = mat3_multiply(&turn, &J);
    mat3 sum = mat3_multiply(&half, &back), skew = mat3_skew(arm);
    mat3 square = mat3_multiply(&skew, &skew);
    square = mat3_scale(-world->model.bodies.rows[body].mass, &square);
    return mat3_add(&sum, &square);
}

/// The motion of the islands that float as one rigid body.
static void measure_rigid(const projection *p, islands *found)
{
    const cairn_world *world = p->world;
    for (int i = 0; i < p->system.body_count; i++) {
        int body = p->system.body[i];
        island *own = &found->all[found->of[i]];
        double mass = world->model.bodies.rows[body].mass;
        own->mass += mass;
        own->centre = vec3_add_scaled(own->centre, mass, world->state.bodies.q[body].position);
        own->velocity =
            vec3_add_scaled(own->velocity, mass, vec3_from(world->state.bodies.v[body]));
    }
    for (int k = 0; k < found->count; k++) {
        island *own = &found->all[k];
        own->centre = vec3_scale(1.0 / own->mass, own->centre);
        own->velocity = vec3_scale(own->floats ? 1.0 / own->mass : 0.0, own->velocity);
    }
    for (int i = 0; i < p->system.body_count; i++) {
        int body = p->system.body[i];
        island *own = &found->all[found->of[i]];
        const double *v = world->state.bodies.v[body];
        vec3 arm = vec3_sub(world->state.bodies.q[body].position, own->centre);
        vec3 spin = vec3_multiply(eng_inertia_of(world, body), vec3_from(v + 3));
        vec3 linear = vec3_scale(world->model.bodies.rows[body].mass, vec3_from(v));
        own->momentum =
            vec3_add(own->momentum, quat_rotate(world->state.bodies.q[body].orientation, spin));
        own->momentum = vec3_add(own->momentum, vec3_cross(arm, linear));
        mat3 inertia = inertia_about(world, body, arm);
        own->inertia = mat3_add(&own->inertia, &inertia);
    }
    for (int k = 0; k < found->count; k++) {
        island *own = &found->all[k];
        bool turns = own->floats && mat3_determinant(&own->inertia) > 0.0;
        mat3 inverse = turns ? mat3_inverse(&own->inertia) : (mat3){0};
        own->omega = mat3_apply(&inverse, own->momentum);
    }
}

/// Velocity of a body beside the motion of its island as one rigid body.
static void beside(const cairn_world *world, const island *own, int body, double out[6])
{
    vec3 arm = vec3_sub(world->state.bodies.q[body].position, own->centre);
    vec3 rigid = vec3_add(own->velocity, vec3_cross(own->omega, arm));
    vec3 turning = quat_rotate_inverse(world->state.bodies.q[body].orientation, own->omega);
    vec3_store(out, vec3_sub(vec3_from(world->state.bodies.v[body]), rigid));
    vec3_store(out + 3, vec3_sub(vec3_from(world->state.bodies.v[body] + 3), turning));
}

/// What the change of speeds took of the energy of a mechanism is given back to its motion,
/// theory.md (9.11a), but for that of a floating one as one rigid body: its momentum stays.
static void give_back(projection *p, islands *found)
{
    cairn_world *world = p->world;
    measure_rigid(p, found);
    for (int i = 0; i < p->system.body_count; i++) {
        int body = p->system.body[i];
        island *own = &found->all[found->of[i]];
        double v[6];
        beside(world, own, body, v);
        own->rest += eng_body_kinetic_energy(world, body, v);
        own->after += eng_body_kinetic_energy(world, body, world->state.bodies.v[body]);
    }
    for (int i = 0; i < p->system.body_count; i++) {
        int body = p->system.body[i];
        const island *own = &found->all[found->of[i]];
        double lost = own->before - own->after;
        // speeds that are round-off of places have no energy to keep
        double noise = 1e-13 * (1.0 + vec3_norm(own->centre)) / world->state.clock.step;
        if (own->before < own->mass * noise * noise)
            continue;
        if (!own->keeps || !(lost < give_back_max * own->rest && -lost < 0.75 * own->rest))
            continue;
        double more = sqrt(1.0 + lost / own->rest) - 1.0, v[6];
        beside(world, own, body, v);
        for (int k = 0; k < 6; k++)
            world->state.bodies.v[body][k] += more * v[k];
    }
}

static cairn_status finish(projection *p)
{
    islands found;
    hold_coordinates(p);
    double *worst = &p->world->report.step.error_joints;
    bool off = evaluate(p, worst);
    cairn_status status = factor(p);
    for (int i = 0; i < PROJECT_MAX && off && status == CAIRN_OK; i++) {
        move_bodies(p);
        off = evaluate(p, worst);
    }
    if (status == CAIRN_OK) {
        keep_turning(p);
        status = find_islands(p, &found);
    }
    if (status == CAIRN_OK) {
        measure_before(p, &found);
        change_speeds(p, p->world->scratch.joint_step);
        give_back(p, &found);
    }
    return status;
}

/// Works are those of the velocities that the impulses give in axes of the midpoint, theory.md
/// (8.1); what turning by (1.12) makes of the energy is work of the joints.
static void book_turning(cairn_world *world)
{
    const eng_joint_step *s = world->scratch.joint_step;
    for (int i = 0; i < s->body_count; i++) {
        int body = s->body[i];
        vec3 J = eng_inertia_of(world, body), end = vec3_from(world->state.bodies.v[body] + 3);
        vec3 given = vec3_from(world->state.bodies.v_end[body] + 3);
        world->state.audit.energy.joints +=
            0.5 * (vec3_dot(end, vec3_multiply(J, end)) - vec3_dot(given, vec3_multiply(J, given)));
    }
}

cairn_status eng_joints_finish(cairn_world *world)
{
    if (world->model.joints.count == 0)
        return CAIRN_OK;
    double before = mechanical_energy(world);
    base_arena_mark mark = base_arena_get_mark(world->scratch.arena);
    projection p;
    book_turning(world);
    cairn_status status = prepare(world, &p);
    if (status == CAIRN_OK)
        status = finish(&p);
    if (status == CAIRN_OK)
        take_coordinates(&p);
    base_arena_rewind(world->scratch.arena, mark);
    world->state.audit.energy.joints += mechanical_energy(world) - before;
    return status;
}

// ---------------------------------------------------------------- energy and reactions

/// How the bodies of a joint move at a point, in the mean of both ends of the step.
/// @param q  what moments are taken about
static void mean_twists(const cairn_world *world, int index, vec3 point, const pose *q,
                        eng_twist mean[2])
{
    const eng_joint *joint = &world->model.joints.rows[index];
    for (int side = 0; side < 2; side++) {
        eng_twist before =
            eng_joint_side_twist(joint, side, point, q, (const double(*)[6])world->state.bodies.v);
        eng_twist after = eng_joint_side_twist(joint, side, point, q,
                                               (const double(*)[6])world->state.bodies.v_end);
        mean[side].velocity = vec3_scale(0.5, vec3_add(before.velocity, after.velocity));
        mean[side].omega = vec3_scale(0.5, vec3_add(before.omega, after.omega));
    }
}

/// Work of one row of impulse l over the step, and that which prescribed bodies did of it.
static double row_work(cairn_world *world, int index, const eng_wrench *row,
                       const eng_twist twist[2], double l)
{
    double work = 0.0;
    for (int side = 0; side < 2; side++) {
        double speed = eng_joint_speed(row, &twist[side]),
               part = side == 0 ? -l * speed : l * speed;
        if (is_prescribed(world, world->model.joints.rows[index].body[side]))
            world->state.audit.energy.drivers -= part;
        work += part;
    }
    return work;
}

static void book_coordinate(cairn_world *world, int index, const eng_joint_rows *mid)
{
    const eng_joint_step *s = world->scratch.joint_step;
    const eng_joint *joint = &world->model.joints.rows[index];
    eng_joint_state *state = &world->state.joints.rows[index];
    cairn_energy *e = &world->state.audit.energy;
    double h = world->state.clock.step, l = s->l[index][mid->count];
    eng_graph *graph = &s->graph[index];
    const eng_graph_part *part = graph->part;
    eng_graph_share(joint, h, l, graph);
    const eng_wrench *row = &mid->row[mid->count];
    eng_twist twist[2];
    mean_twists(world, index, mid->point, world->state.bodies.q_mid, twist);
    e->friction -= row_work(world, index, row, twist, part[ENG_GRAPH_FRICTION].l);
    e->drivers += row_work(world, index, row, twist, part[ENG_GRAPH_MOTOR].l + h * joint->force);
    e->impact -= row_work(world, index, row, twist, part[ENG_GRAPH_LOW].l + part[ENG_GRAPH_HIGH].l);
    double spring = part[ENG_GRAPH_SPRING].l,
           speed = eng_joint_speed(row, &twist[1]) - eng_joint_speed(row, &twist[0]),
           damped = -h * joint->damping * speed;
    e->damping -= row_work(world, index, row, twist, damped);
    // the spring's work shows as elastic energy; what prescribed bodies do of it is theirs
    row_work(world, index, row, twist, spring - damped);
    state->effort = part[ENG_GRAPH_SPRING].present ? l - spring : l;
    for (int k = 0; k < ENG_GRAPH_PARTS; k++)
        state->part[k] = part[k].l;
}

/// Work of the constraints of a joint.
static void book_constraints(cairn_world *world, int index)
{
    const eng_joint_step *s = world->scratch.joint_step;
    const eng_joint_rows *mean = &s->mean[index];
    eng_twist twist[2];
    mean_twists(world, index, mean->point, s->arm, twist);
    for (int k = 0; k < mean->count; k++)
        world->state.audit.energy.joints +=
            row_work(world, index, &mean->row[k], twist, s->l[index][k]);
}

/// Work of the constraints that share the problem of the contacts: all that their bodies got beside
/// the contacts' and the parts' of graphs, less that of driven coordinates, which is booked by
/// itself; and what prescribed bodies do.
static void book_shared(cairn_world *world, const eng_joint_set *set)
{
    const eng_joint_step *s = world->scratch.joint_step;
    double sum = 0.0;
    for (int i = 0; i < set->member_count; i++) {
        int body = set->member[i], number = set->number[i];
        for (int k = 0; k < 6 && number >= 0; k++)
            sum += 0.5 * (world->state.bodies.v_end[body][k] - set->base[number][k]) /
                   world->state.bodies.mass_inverse[body][k] *
                   (world->state.bodies.v[body][k] + world->state.bodies.v_end[body][k]);
    }
    for (int i = 0; i < set->system.joint_count; i++) {
        int index = set->system.joint[i];
        const eng_joint_rows *mean = &s->mean[index], *mid = &s->mid[index];
        eng_twist twist[2];
        mean_twists(world, index, mean->point, world->state.bodies.q_mid, twist);
        for (int side = 0; side < 2; side++) {
            int body = world->model.joints.rows[index].body[side];
            double sign = side == 0 ? -1.0 : 1.0;
            for (int k = 0; k < mean->count && is_prescribed(world, body); k++) {
                double work = sign * s->l[index][k] * eng_joint_speed(&mean->row[k], &twist[side]);
                world->state.audit.energy.drivers -= work;
                sum += work;
            }
        }
        if (!s->held[index])
            continue;
        mean_twists(world, index, mid->point, world->state.bodies.q_mid, twist);
        for (int side = 0; side < 2; side++) {
            double sign = side == 0 ? -1.0 : 1.0, l = s->l[index][mid->count];
            if (set->system.rows.body[i][side] >= 0)
                sum -= sign * l * eng_joint_speed(&mid->row[mid->count], &twist[side]);
        }
    }
    world->state.audit.energy.joints += sum;
}

/// The reaction on B over the step, about its anchor.
static void keep_reaction(cairn_world *world, int index, const eng_joint_rows *mid)
{
    const eng_joint_step *s = world->scratch.joint_step;
    eng_joint_state *state = &world->state.joints.rows[index];
    vec3 impulse = {0.0, 0.0, 0.0}, moment = impulse;
    for (int k = 0; k < mid->count + (mid->has_coordinate ? 1 : 0); k++) {
        double l = s->l[index][k];
        const eng_wrench *row =
            k < mid->count || s->held[index] ? &s->mean[index].row[k] : &mid->row[k];
        if (k == mid->count)
            l += s->given[index];
        impulse = vec3_add_scaled(impulse, l, row->d);
        moment = vec3_add_scaled(moment, l, row->e);
    }
    state->impulse = impulse;
    state->moment = moment;
}

/// Work of what a free body's velocity changes by in its own axes, in the same sense.
static void book_free_turning(cairn_world *world)
{
    const eng_joint_step *s = world->scratch.joint_step;
    for (int i = 0; i < s->body_count; i++) {
        int body = s->body[i];
        vec3 now = vec3_from(world->state.bodies.v[body] + 3),
             given = vec3_from(world->state.bodies.v_end[body] + 3);
        vec3 free = vec3_sub(s->turning[body]->omega, now);
        vec3 gained = vec3_multiply(eng_inertia_of(world, body), free);
        vec3 torque = quat_rotate_inverse(world->state.bodies.q_mid[body].orientation,
                                          eng_applied_of(world, body)->torque);
        gained = vec3_add_scaled(gained, -world->state.clock.step, torque);
        world->state.audit.energy.joints += 0.5 * vec3_dot(gained, vec3_add(now, given));
    }
}

void eng_energy_joints(cairn_world *world)
{
    if (world->model.joints.count > 0)
        book_free_turning(world);
    if (world->model.joints.count > 0 && world->scratch.joint_step->shared_count > 0)
        book_shared(world, &world->scratch.joint_step->together);
    for (int i = 0; i < world->model.joints.count; i++) {
        const eng_joint_rows *mid = &world->scratch.joint_step->mid[i];
        if (!world->scratch.joint_step->near_contact[i])
            book_constraints(world, i);
        if (mid->has_coordinate)
            book_coordinate(world, i, mid);
        keep_reaction(world, i, mid);
    }
}
