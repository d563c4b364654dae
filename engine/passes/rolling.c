// SPDX-License-Identifier: Apache-2.0
// Rolling and spinning friction of implicit contacts: moments as blocks of the problem.
#include "engine/joints/joints.h"
#include "engine/passes/touch.h"
#include "engine/state/blocks.h"
#include "engine/state/kinematics.h"
#include "engine/state/world.h"

#include <string.h>

/// R* along the surface over the shorter one: what turns the angles of a contact into ways.
static void fill_turn(const mat3 *frame, const con_roll *roll, double turn[3])
{
    double ratio = roll->radius[1] / roll->radius[0] - 1.0;
    double x = vec3_dot(roll->axis, mat3_row(frame, 1));
    double y = vec3_dot(roll->axis, mat3_row(frame, 2));
    turn[0] = 1.0 + ratio * y * y;
    turn[1] = -ratio * x * y;
    turn[2] = 1.0 + ratio * x * x;
}

cairn_status eng_rolling_note(cairn_world *world, int i, const con_cone_terms *terms)
{
    size_t n = (size_t)world->contacts.set.cone_count;
    if (!(terms->rolling > 0.0) && !(terms->spinning > 0.0))
        return CAIRN_OK;
    if (world->scratch.solve.rolling == NULL) {
        eng_rolling *made = base_arena_array(world->scratch.arena, eng_rolling, "rolling", 1);
        eng_resistance *of = base_arena_array(world->scratch.arena, eng_resistance, "rolling", n);
        if (made == NULL || of == NULL)
            return CAIRN_ERROR_MEMORY;
        memset(of, 0, n * sizeof *of);
        *made = (eng_rolling){.of = of};
        world->scratch.solve.rolling = made;
    }
    con_roll roll = eng_touch_roll(world, i, terms->flat_radius);
    eng_resistance *own = &world->scratch.solve.rolling->of[i];
    own->rolling = terms->rolling * roll.radius[0];
    own->spinning = terms->spinning * roll.twisting;
    fill_turn(&world->contacts.set.frame[i], &roll, own->turn);
    return CAIRN_OK;
}

static bool resists(const cairn_world *world, int contact)
{
    const eng_rolling *rolling = world->scratch.solve.rolling;
    return contact < world->contacts.set.cone_count &&
           (rolling->of[contact].rolling > 0.0 || rolling->of[contact].spinning > 0.0);
}

// the arrays of the problem as their writer
typedef struct moment_arrays {
    int (*body)[2];
    double (*H)[2][3][6], (*w)[3], (*q)[3], (*compliance)[3];
    double *friction, *spinning;
    mat3 *W_diagonal;
} moment_arrays;

static bool allocate(eng_world_scratch *scratch, size_t n, moment_arrays *out)
{
    base_arena *arena = scratch->arena;
    eng_rolling *rolling = scratch->solve.rolling;
    out->body = (int(*)[2])base_arena_allocate(arena, "rolling", n, sizeof *out->body);
    out->H = (double(*)[2][3][6])base_arena_allocate(arena, "rolling", n, sizeof *out->H);
    double(**const rows[])[3] = {&out->w,     &out->q,     &out->compliance,
                                 &rolling->R, &rolling->U, &rolling->guess};
    bool complete = out->body != NULL && out->H != NULL;
    for (int k = 0; k < 6; k++) {
        *rows[k] = (double(*)[3])base_arena_allocate(arena, "rolling", n, sizeof(double[3]));
        complete = complete && *rows[k] != NULL;
    }
    out->friction = base_arena_array(arena, double, "rolling", n);
    out->spinning = base_arena_array(arena, double, "rolling", n);
    out->W_diagonal = base_arena_array(arena, mat3, "rolling", n);
    rolling->place = base_arena_array(arena, int, "rolling", n);
    return complete && out->friction != NULL && out->spinning != NULL && out->W_diagonal != NULL &&
           rolling->place != NULL;
}

static void add_H_v(const double H[3][6], const double v[6], double out[3])
{
    for (int row = 0; row < 3; row++)
        for (int k = 3; k < 6; k++)
            out[row] += H[row][k] * v[k];
}

/// H of a moment, theory.md (4.19): the angular velocity of B against A in the frame of the
/// contact, along the surface as ways.
static void fill_turning(const cairn_world *world, int contact, int side, double H[3][6])
{
    const eng_contacts *c = &world->contacts.set;
    mat3 axes = quat_to_mat3(world->state.bodies.q_mid[c->body[contact][side]].orientation);
    const double *turn = world->scratch.solve.rolling->of[contact].turn;
    vec3 t1 = mat3_row(&c->frame[contact], 1), t2 = mat3_row(&c->frame[contact], 2);
    const vec3 rows[3] = {mat3_row(&c->frame[contact], 0),
                          vec3_add_scaled(vec3_scale(turn[0], t1), turn[1], t2),
                          vec3_add_scaled(vec3_scale(turn[2], t2), turn[1], t1)};
    memset(H, 0, 3 * sizeof *H);
    for (int row = 0; row < 3; row++) {
        vec3 d = vec3_scale(side == 0 ? -1.0 : 1.0, rows[row]);
        vec3_store(H[row] + 3, mat3_apply_transposed(&axes, d));
    }
}

static void fill_moment(const cairn_world *world, int contact, int i, moment_arrays *out)
{
    const eng_contacts *c = &world->contacts.set;
    memset(out->w[i], 0, sizeof out->w[i]);
    memset(out->q[i], 0, sizeof out->q[i]);
    memset(out->compliance[i], 0, sizeof out->compliance[i]);
    for (int side = 0; side < 2; side++) {
        int body = c->body[contact][side];
        bool dynamic = world->model.bodies.rows[body].kind == CAIRN_DYNAMIC;
        out->body[i][side] = world->scratch.solve.solved->body[contact][side];
        fill_turning(world, contact, side, out->H[i][side]);
        add_H_v((const double(*)[6])out->H[i][side], world->state.bodies.v_free[body],
                dynamic ? out->q[i] : out->w[i]);
        eng_joints_enter(world, out->body[i][side], out->H[i][side]);
    }
    for (int k = 0; k < 3; k++)
        out->q[i][k] += out->w[i][k];
    const eng_resistance *own = &world->scratch.solve.rolling->of[contact];
    out->friction[i] = own->rolling;
    out->spinning[i] = own->spinning;
    vec3 kept = mat3_apply(&c->frame[contact], vec3_from(c->history[contact]));
    double *R = world->scratch.solve.rolling->R[i],
           of_turn = own->turn[0] * own->turn[2] - own->turn[1] * own->turn[1];
    R[0] = kept.x;
    R[1] = (own->turn[2] * kept.y - own->turn[1] * kept.z) / of_turn;
    R[2] = (own->turn[0] * kept.z - own->turn[1] * kept.y) / of_turn;
}

static void copy_force(const cairn_world *world, int contact, int i, moment_arrays *out)
{
    const con_problem *problem = world->scratch.solve.solved;
    memcpy(out->body[i], problem->body[contact], sizeof *out->body);
    memcpy(out->H[i], problem->H[contact], sizeof *out->H);
    memcpy(out->w[i], problem->w[contact], sizeof *out->w);
    memcpy(out->q[i], problem->q[contact], sizeof *out->q);
    memset(out->compliance[i], 0, sizeof *out->compliance);
    if (problem->compliance != NULL)
        memcpy(out->compliance[i], problem->compliance[contact], sizeof *out->compliance);
    out->friction[i] = problem->friction[contact];
    out->spinning[i] = -1.0;
    memcpy(world->scratch.solve.rolling->R[i], world->scratch.solve.solved_R[contact],
           sizeof *world->scratch.solve.rolling->R);
}

/// Moments know no rates.
static bool expand_rates(eng_rolling *rolling, const con_problem *problem, base_arena *arena)
{
    con_rates *rates = base_arena_array(arena, con_rates, "rolling", 1);
    double(*S)[3][3] = base_arena_allocate(arena, "rolling", (size_t)rolling->blocks, sizeof *S);
    if (rates == NULL || S == NULL)
        return false;
    memset(S, 0, (size_t)rolling->blocks * sizeof *S);
    for (int contact = 0; contact < problem->contact_count; contact++)
        memcpy(S[rolling->place[contact]], problem->rates->S[contact], sizeof *S);
    *rates = *problem->rates;
    rates->S = (const double(*)[3][3])S;
    rolling->problem.rates = rates;
    return true;
}

cairn_status eng_rolling_expand(cairn_world *world)
{
    eng_rolling *rolling = world->scratch.solve.rolling;
    const con_problem *problem = world->scratch.solve.solved;
    moment_arrays out;
    if (!allocate(&world->scratch, 2 * (size_t)problem->contact_count, &out))
        return CAIRN_ERROR_MEMORY;
    int i = 0;
    for (int contact = 0; contact < problem->contact_count; contact++) {
        rolling->place[contact] = i;
        copy_force(world, contact, i++, &out);
        if (resists(world, contact))
            fill_moment(world, contact, i++, &out);
    }
    rolling->blocks = i;
    memcpy(rolling->guess, rolling->R, (size_t)i * sizeof *rolling->guess);
    rolling->problem = *problem;
    con_problem *made = &rolling->problem;
    made->contact_count = i;
    made->q = (const double(*)[3])out.q;
    made->friction = out.friction;
    made->spinning = out.spinning;
    made->W_diagonal = out.W_diagonal;
    made->W = NULL;
    made->body = (const int(*)[2])out.body;
    made->H = (const double(*)[2][3][6])out.H;
    made->w = (const double(*)[3])out.w;
    made->compliance = problem->compliance != NULL ? (const double(*)[3])out.compliance : NULL;
    made->domains = NULL;
    if (problem->rates != NULL && !expand_rates(rolling, problem, world->scratch.arena))
        return CAIRN_ERROR_MEMORY;
    con_assemble_diagonal(made, out.W_diagonal);
    return CAIRN_OK;
}

void eng_rolling_collect(eng_world_scratch *scratch)
{
    const eng_rolling *rolling = scratch->solve.rolling;
    for (int contact = 0; contact < scratch->solve.solved->contact_count; contact++) {
        int i = rolling->place[contact];
        memcpy(scratch->solve.solved_R[contact], rolling->R[i], sizeof *scratch->solve.solved_R);
        memcpy(scratch->solve.solution_U[contact], rolling->U[i],
               sizeof *scratch->solve.solution_U);
    }
}

double eng_rolling_work(const cairn_world *world, int contact)
{
    const eng_rolling *rolling = world->scratch.solve.rolling;
    if (rolling == NULL || !resists(world, contact))
        return 0.0;
    int i = rolling->place[contact] + 1;
    double before[3] = {0.0}, work = 0.0;
    for (int side = 0; side < 2; side++) {
        // those of the problem may be in other coordinates
        double H[3][6];
        fill_turning(world, contact, side, H);
        add_H_v((const double(*)[6])H,
                world->state.bodies.v[world->contacts.set.body[contact][side]], before);
    }
    for (int k = 0; k < 3; k++)
        work += 0.5 * rolling->R[i][k] * (before[k] + rolling->U[i][k]);
    return work;
}

void eng_rolling_book(cairn_world *world)
{
    const eng_rolling *rolling = world->scratch.solve.rolling;
    eng_contacts *c = &world->contacts.set;
    double friction = 0.0, impact = 0.0, drivers = 0.0;
    for (int contact = 0; contact < c->cone_count; contact++) {
        if (!resists(world, contact))
            continue;
        int i = rolling->place[contact] + 1;
        const double *m = rolling->R[i];
        double work = -eng_rolling_work(world, contact);
        const double *turn = rolling->of[contact].turn;
        vec3 turned = {m[0], turn[0] * m[1] + turn[1] * m[2], turn[1] * m[1] + turn[2] * m[2]};
        vec3 moment = mat3_apply_transposed(&c->frame[contact], turned);
        vec3_store(c->history[contact], moment);
        for (int side = 0; side < 2; side++) {
            int body = c->body[contact][side];
            double driven[3] = {0.0}, mean[6];
            vec3_store(c->couple[contact] + 3 * side, vec3_scale(side == 0 ? -1.0 : 1.0, moment));
            if (world->model.bodies.rows[body].kind != CAIRN_MOVING)
                continue;
            eng_mean_velocity(world, body, mean);
            add_H_v((const double(*)[6])rolling->problem.H[i][side], mean, driven);
            for (int k = 0; k < 3; k++)
                drivers -= m[k] * driven[k];
        }
        // a moment that drives a turn which the step turned back: the impact pays, theory.md (8.2)
        friction += fmax(work, 0.0);
        impact += fmin(work, 0.0);
    }
    world->state.audit.energy.friction += friction;
    world->state.audit.energy.impact += impact;
    world->state.audit.energy.drivers += drivers;
}
